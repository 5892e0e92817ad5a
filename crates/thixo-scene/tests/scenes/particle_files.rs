//! Particles of files in place of a shape: files made by other programs, frames read back, copies
//! in the run directory, and what is refused.

use std::path::{Path, PathBuf};

use thixo_scene::frame::Capture;
use thixo_scene::{Built, Format, Scene};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/particles")
}

const HEAD: &str = "dimension = 2\nprecision = 'f64'\n[grid]\nspacing = 0.05\n[time]\nframes = 1\nfps = 40\n\
    [carried.dye]\nvalue = 7\n\
    [materials.water]\nmodel = 'fluid'\ndensity = 1000\nbulk_modulus = 1e5\n\
    [materials.rock]\nmodel = 'neo_hookean'\ndensity = 1000\nyoung_modulus = 1e5\npoisson_ratio = 0.3\n\
    [materials.sand]\nmodel = 'drucker_prager'\ndensity = 1000\nyoung_modulus = 1e5\npoisson_ratio = 0.3\nfriction_angle = 35\n";

fn parse(objects: &str, directory: &Path) -> Result<Scene, thixo_scene::SceneError> {
    Scene::parse_in(&format!("{HEAD}{objects}"), "s.toml", directory)
}

fn built(objects: &str, directory: &Path) -> Built<f64, 2> {
    let scene = parse(objects, directory).unwrap_or_else(|e| panic!("{e}"));
    scene.build::<f64, 2>(1).unwrap_or_else(|e| panic!("{e}"))
}

fn message(objects: &str, directory: &Path) -> String {
    let outcome = parse(objects, directory).and_then(|scene| scene.build::<f64, 2>(1));
    outcome.unwrap_err().to_string()
}

/// A folder of the test, empty.
fn scratch(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!(
        "thixo-particle-files-{}-{name}",
        std::process::id()
    ));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn files_of_numpy_plyfile_and_by_hand_have_the_same_particles() {
    for file in [
        "points.npz",
        "points-compressed.npz",
        "points-text.ply",
        "points-little.ply",
        "points-big.ply",
        "points.csv",
    ] {
        let columns = match file {
            "points.csv" => "columns = { x = 'px', y = 'py', mass = 'm', volume = 'vol' }",
            _ => "columns = {}",
        };
        let object = format!(
            "[[objects]]\nmaterial = 'water'\nvelocity = [0.5, 0]\nparticles = {{ file = '{file}', {columns} }}\n"
        );
        let built = built(&object, &folder());
        let particles = built.simulation.particles();
        let reader = built.simulation.quantities();
        let dye = reader.read(&reader.find("dye").unwrap());
        assert_eq!(particles.len(), 12, "{file}");
        for (k, p) in particles.iter().enumerate() {
            let n = k as f64;
            let x = [0.1 + 0.05 * (k % 4) as f64, 0.2 + 0.05 * (k / 4) as f64];
            assert!(
                (0..2).all(|a| (p.position[a] - x[a]).abs() < 1e-7),
                "{file} {k}"
            );
            // The object's velocity comes on top; the CSV has none.
            let own = if file == "points.csv" {
                [0.0; 2]
            } else {
                [1.0 + n, -0.5 * n]
            };
            assert_eq!(p.velocity.0, [0.5 + own[0], own[1]], "{file} {k}");
            assert_eq!(p.mass, 2.0 + 0.25 * n, "{file}");
            assert_eq!(p.rest_volume, 0.0025, "{file}");
            assert_eq!(dye[k], (k % 3) as f64, "{file}");
        }
    }
}

/// Writes the particles of a simulation as a frame.
fn write(built: &Built<f64, 2>, format: Format, columns: &[&str], path: &Path) {
    let columns: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
    let capture = Capture {
        number: 3,
        simulation: &built.simulation,
        objects: &built.objects,
        columns: &columns,
    };
    let mut bytes = Vec::new();
    format.write(&mut bytes, &capture.take()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn frames_of_a_run_are_read_back_with_their_state() {
    let directory = scratch("frames");
    let start = "[physics]\ngravity = [0, -10]\n[[walls]]\naxis = 'y'\nposition = 0\nmatter = 'above'\ncontact = 'slip'\n";
    let bodies = "[[objects]]\nmaterial = 'water'\nshape = { box = { min = [0, 0], max = [0.2, 0.3] } }\n\
        [[objects]]\nmaterial = 'rock'\nshape = { box = { min = [0.5, 0], max = [0.7, 0.3] } }\nangular_velocity = 3\n\
        [[objects]]\nmaterial = 'sand'\nshape = { box = { min = [1, 0], max = [1.2, 0.3] } }\nvelocity = [0, -2]\n";
    let mut first = built(&format!("{start}{bodies}"), &directory);
    for frame in 1..=4 {
        first.advance(frame).unwrap();
    }
    let state = [
        "deformation",
        "left_cauchy_green",
        "plastic",
        "velocity_gradient",
    ];
    write(&first, Format::Ply, &state, &directory.join("all.ply"));
    write(&first, Format::Npz, &state, &directory.join("all.npz"));
    write(&first, Format::Ply, &[], &directory.join("bare.ply"));
    for file in ["all.ply", "all.npz"] {
        let of = |material: &str, object: u32| {
            format!(
                "[[objects]]\nmaterial = '{material}'\nparticles = {{ file = '{file}', only = {{ object = {object} }} }}\n"
            )
        };
        let objects = format!(
            "{start}{}{}{}",
            of("water", 0),
            of("rock", 1),
            of("sand", 2)
        );
        let mut again = built(&objects, &directory);
        let (old, new) = (first.simulation.particles(), again.simulation.particles());
        assert_eq!(old.len(), new.len());
        for (a, b) in old.iter().zip(&new) {
            assert_eq!((a.material, a.mass), (b.material, b.mass));
            let near = |x: f64, y: f64, scale: f64| (x - y).abs() <= 1e-9 * scale;
            for i in 0..2 {
                assert!(near(a.position[i], b.position[i], 1.0));
                assert!(near(a.velocity[i], b.velocity[i], 1.0));
                for j in 0..2 {
                    assert!(
                        near(a.affine[i][j], b.affine[i][j], 1e2),
                        "{file} {a:?} {b:?}"
                    );
                    let (s, t) = (a.kirchhoff_stress[i][j], b.kirchhoff_stress[i][j]);
                    assert!(near(s, t, 1e5), "{file} {a:?} {b:?}");
                }
            }
            assert!(near(a.volume_ratio, b.volume_ratio, 1.0));
            assert!(near(a.rest_volume / b.rest_volume, 1.0, 1.0));
        }
        // It goes on as if nothing had happened.
        let mut going_on = built(&format!("{start}{bodies}"), &directory);
        for frame in 1..=5 {
            going_on.advance(frame).unwrap();
        }
        again.advance(1).unwrap();
        let (one, other) = (going_on.simulation.audit(), again.simulation.audit());
        assert!(
            (one.kinetic / other.kinetic - 1.0).abs() < 1e-6,
            "{} {}",
            one.kinetic,
            other.kinetic
        );
        assert!((one.elastic / other.elastic - 1.0).abs() < 1e-6);
    }
    // A frame without the strain is refused, unless matter shall be at rest.
    let bare = |more: &str| {
        format!(
            "[[objects]]\nmaterial = 'sand'\nparticles = {{ file = 'bare.ply', only = {{ object = 2 }}{more} }}\n"
        )
    };
    let said = message(&bare(""), &directory);
    assert!(
        said.contains(
            "bare.ply, its columns: j is there, but not the strain and history of drucker_prager"
        ),
        "{said}"
    );
    let rest = built(&bare(", state = 'rest'"), &directory);
    assert!(
        rest.simulation
            .particles()
            .iter()
            .all(|p| p.volume_ratio == 1.0)
    );
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn a_file_may_lack_mass_or_volume_but_not_both() {
    let directory = scratch("lack");
    let csv = |text: &str| std::fs::write(directory.join("p.csv"), text).unwrap();
    let object = |rest: &str| {
        format!("[[objects]]\nmaterial = 'water'\nparticles = {{ file = 'p.csv' }}\n{rest}\n")
    };
    csv("x,y,mass\n0.1,0.1,2\n0.2,0.1,3\n");
    let volumes = |built: &Built<f64, 2>| -> Vec<f64> {
        built
            .simulation
            .particles()
            .iter()
            .map(|p| p.rest_volume)
            .collect()
    };
    assert_eq!(volumes(&built(&object(""), &directory)), [0.002, 0.003]);
    csv("x,y,volume\n0.1,0.1,0.002\n0.2,0.1,0.003\n");
    let masses = |built: &Built<f64, 2>| -> Vec<f64> {
        built
            .simulation
            .particles()
            .iter()
            .map(|p| p.mass)
            .collect()
    };
    assert_eq!(masses(&built(&object(""), &directory)), [2.0, 3.0]);
    csv("x,y\n0.1,0.1\n0.2,0.1\n");
    let said = message(&object(""), &directory);
    assert!(
        said.contains("p.csv, its columns: there is neither volume nor mass"),
        "{said}"
    );
    assert_eq!(
        masses(&built(&object("volume = 0.002"), &directory)),
        [2.0, 2.0]
    );
    // Stress from the weight of what the user says is above.
    let gravity = "[physics]\ngravity = [0, -10]\n";
    let geostatic = |surface: &str| {
        object(&format!(
            "volume = 0.002\ninitial = {{ geostatic = {{ k0 = 1{surface} }} }}"
        ))
    };
    let said = message(&format!("{gravity}{}", geostatic("")), &directory);
    assert!(said.contains("objects[0].initial.geostatic.surface is left out; it must be given for particles of a file"), "{said}");
    let pressed = built(
        &format!("{gravity}{}", geostatic(", surface = 1.1")),
        &directory,
    );
    let p = pressed.simulation.particles()[0];
    assert!((p.kirchhoff_stress[1][1] / p.volume_ratio + 1e4).abs() < 1e-3);
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn mistakes_are_named_with_file_and_row() {
    let directory = scratch("mistakes");
    let object = |more: &str| {
        format!("[[objects]]\nmaterial = 'water'\nparticles = {{ file = 'p.csv'{more} }}\n")
    };
    let said = |text: &str, more: &str| {
        std::fs::write(directory.join("p.csv"), text).unwrap();
        message(&object(more), &directory)
    };
    let good = "x,y,z,mass\n0.1,0.1,0,2\n0.2,0.1,0,3\n";
    let all = said(&good.replace("0.2,", "nan,"), "");
    assert!(
        all.contains("s.toml:")
            && all
                .contains("objects[0].particles.file: p.csv, line 3: x is NaN; it must be finite"),
        "{all}"
    );
    assert!(
        said(&good.replace(",3", ",-3"), "").contains("line 3: mass is -3.0; it must be positive")
    );
    assert!(
        said(&good.replace("0,3", "0.5,3"), "")
            .contains("line 3: z is 0.5; it must be 0 in dimension 2")
    );
    assert!(
        said(&good.replace("x,y", "a,b"), "")
            .contains("there is no column \"x\"; there are a, b, z, mass")
    );
    assert!(said(&good.replace("0.2,", "two,"), "").contains("line 3: x is \"two\", not a number"));
    assert!(
        said(good, ", columns = { mass = 'mas' }")
            .contains("objects[0].particles.columns.mass is \"mas\"; did you mean \"mass\"?")
    );
    assert!(
        said(good, ", only = { object = 1 }").contains("objects[0].particles.only is \"object\"")
    );
    assert!(
        said(good, ", only = { mass = 9 }").contains("no particle of it has what `only` asks for")
    );
    assert!(said("x,y,mass\n", "").contains("it has no particle"));
    assert!(said(good, ", colums = {}").contains("did you mean \"columns\"?"));
    let said = |object: &str| message(object, &directory);
    assert!(
        said("[[objects]]\nmaterial = 'water'\nparticles = { file = 'p.txt' }\n")
            .contains("it must be one of .ply, .npz, .csv")
    );
    assert!(
        said("[[objects]]\nmaterial = 'water'\nparticles = { file = 'none.ply' }\n")
            .contains("none.ply cannot be read")
    );
    assert!(
        said("[[objects]]\nmaterial = 'water'\n").contains("[objects[0]] lacks the key \"shape\"")
    );
    let both = object("") + "shape = { sphere = { center = [0, 0], radius = 1 } }\n";
    assert!(
        said(&both).contains("objects[0].particles is given; it must be left out beside shape")
    );
    let sampled = object("") + "sampling = { grid = { per_cell = 4 } }\n";
    assert!(
        said(&sampled)
            .contains("objects[0].sampling is given; it must be left out beside particles")
    );
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn the_file_is_an_asset_and_a_packed_scene_runs_elsewhere() {
    let object = "[[objects]]\nmaterial = 'water'\nparticles = { file = 'points.npz' }\n\
        [[objects]]\nmaterial = 'rock'\nparticles = { file = '../particles/points.npz' }\n";
    let scene = parse(object, &folder()).unwrap();
    let (packed, assets) = scene.packed("assets").unwrap();
    assert_eq!(assets.len(), 1);
    assert_eq!(assets[0].file, "assets/points.npz");
    let directory = scratch("packed");
    std::fs::create_dir_all(directory.join("assets")).unwrap();
    std::fs::copy(&assets[0].source, directory.join("assets/points.npz")).unwrap();
    let text = packed.to_toml().unwrap();
    let again = Scene::parse_in(&text, "again", &directory).unwrap();
    assert_eq!(again, packed);
    let (one, other) = (
        scene.build::<f64, 2>(1).unwrap(),
        again.build::<f64, 2>(1).unwrap(),
    );
    assert_eq!(one.simulation.particles(), other.simulation.particles());
    assert_eq!(scene.assets().len(), 2);
    std::fs::remove_dir_all(&directory).unwrap();
}
