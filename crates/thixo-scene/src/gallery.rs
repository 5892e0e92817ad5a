//! Scenes that are built into the program: the files of `scenes/`.

use crate::suggest;

/// A built-in scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name: that of its file, without `.toml`.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! gallery {
    ($($name:literal),* $(,)?) => {
        &[$(BuiltIn {
            name: $name,
            text: include_str!(concat!("../../../scenes/", $name, ".toml")),
        }),*]
    };
}

/// All built-in scenes.
pub const SCENES: &[BuiltIn] = gallery![
    "angle-of-repose",
    "bodies-in-current",
    "butter-in-pan",
    "candied-apple",
    "cloth-and-yogurt",
    "column-in-water",
    "column-particle-contact",
    "cube-and-plates",
    "dam-break",
    "dam-break-mac",
    "falling-block",
    "fluid-volume-loss",
    "fluids-by-four-models",
    "fountain",
    "fountain-mac",
    "grass-in-flow",
    "hammock-of-sand",
    "hot-chocolate",
    "ice-cream-belt",
    "jelly-cube",
    "jelly-drop",
    "kernel-fracture",
    "lava-fall",
    "lava-flow",
    "letters",
    "levee-seepage",
    "melting-figure",
    "melting-wax",
    "null-modes",
    "numerical-fracture",
    "pahoehoe",
    "pool-at-rest",
    "rayleigh-taylor",
    "rinsed-foam",
    "river",
    "sand-column",
    "sand-column-xpbd",
    "sand-figure-in-water",
    "sand-on-snow",
    "sand-on-torus",
    "sand-slide",
    "sand-spout",
    "sandcastle-in-tide",
    "shaken-foam",
    "shaving-foam",
    "snow-dense-parts",
    "snow-figure-in-water",
    "snow-samplings",
    "snowball",
    "snowball-drop",
    "snowball-on-sand",
    "snowballs-collide",
    "snowman",
    "soaked-snow",
    "spinning-disc",
    "spiral-collision",
    "sponge-shot",
    "sponge-twisted",
    "stirred-mixtures",
    "swept-cubes",
    "swept-cubes-two-grids",
    "tank-one-model",
    "tank-several-models",
    "thrown-pie",
    "toothpaste",
    "varied-spheres",
    "viennetta",
    "water-and-sand-jets",
    "water-balloon",
    "wine",
];

/// The built-in scene of a name.
pub fn find(name: &str) -> Option<BuiltIn> {
    SCENES.iter().find(|scene| scene.name == name).copied()
}

/// The name of a built-in scene that looks like a misspelt one.
pub fn nearest(name: &str) -> Option<&'static str> {
    suggest::nearest(name, SCENES.iter().map(|scene| scene.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_of_the_folder_is_built_in_and_sound() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|end| end == "toml"))
            .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        names.sort();
        let known: Vec<&str> = SCENES.iter().map(|scene| scene.name).collect();
        assert_eq!(names, known);
        for BuiltIn { name, text } in SCENES {
            let scene = crate::Scene::parse(text, name).unwrap_or_else(|error| panic!("{error}"));
            // Counted in boxes around the shapes: a ball has half as many.
            assert!(scene.particle_bound().unwrap() <= 1.5e6, "{name}");
            let again = crate::Scene::parse(&scene.to_toml().unwrap(), name).unwrap();
            assert_eq!(scene, again);
        }
    }

    #[test]
    fn every_preview_is_small() {
        for BuiltIn { name, text } in SCENES {
            let small = crate::with_preview(text).unwrap();
            assert_ne!(small, *text, "{name} has no preview");
            let scene = crate::Scene::parse(&small, name).unwrap_or_else(|error| panic!("{error}"));
            let particles = scene.particle_bound().unwrap();
            // Counted in boxes around the shapes; `tests/scenes/gallery.rs` counts those there are.
            assert!(particles <= 60_000.0, "{name}: {particles}");
        }
    }

    #[test]
    fn every_scene_names_its_figure_and_is_in_the_table() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/replicability.md");
        let page = std::fs::read_to_string(page).unwrap();
        for BuiltIn { name, text } in SCENES {
            let comments = text.lines().take_while(|line| line.starts_with('#'));
            let comments: String = comments.collect();
            let papers = ["[Jiang2015thesis]", "[Ram2015]", "[Nilles2020]", "[Qu2023]"];
            let names_one = papers.iter().any(|paper| comments.contains(paper));
            assert!(
                (names_one && comments.contains("figure")) || comments.contains("no figure"),
                "{name}: {comments}"
            );
            assert!(
                page.contains(&format!("| {name} |"))
                    || page.contains(&format!("thixo run {name}")),
                "{name}"
            );
        }
    }
}
