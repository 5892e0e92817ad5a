//! From the directory of a run to pictures: facts that hold, and inputs that are hardly any.

#![allow(clippy::unwrap_used)] // a test may stop where its input is wrong

mod run;

use std::slice::from_ref;

use run::{Grain, MadeRun, block};
use thixo_render::{Coloring, Picture, Vec3};

/// A scene with a floor and one object, whose table goes on with `object`.
fn scene(material: &str, object: &str) -> String {
    format!(
        "dimension = 3\nphysics = {{ gravity = [0, -9.81, 0] }}\n[materials.{material}]\nmodel = 'neo_hookean'\ndensity = 1000\nyoung_modulus = 1e5\npoisson_ratio = 0.3\n\
         [[walls]]\naxis = 'y'\nposition = 0\nmatter = 'above'\ncontact = 'slip'\n\
         [[objects]]\nmaterial = '{material}'\nshape = {{ box = {{ min = [0, 0, 0], max = [1, 1, 1] }} }}\n{object}"
    )
}

fn pixels(picture: &Picture) -> impl Iterator<Item = Vec3> + '_ {
    let width = picture.width();
    (0..width * picture.height()).map(move |k| picture.pixel(k % width, k / width))
}

fn count(picture: &Picture, is: impl Fn(Vec3) -> bool) -> usize {
    pixels(picture).filter(|pixel| is(*pixel)).count()
}

fn is_red(pixel: Vec3) -> bool {
    pixel[0] > 2.5 * pixel[1] && pixel[0] > 2.5 * pixel[2]
}

fn is_blue(pixel: Vec3) -> bool {
    pixel[2] > 2.0 * pixel[0] && pixel[2] > 1.5 * pixel[1]
}

fn cube(object: i32) -> Vec<Grain> {
    block([0.0; 3], [1.0; 3], 12, object)
}

#[test]
fn a_red_object_is_red_whatever_its_material_looks_like() {
    for material in ["jelly", "sand", "snow", "water", "thing"] {
        let run = MadeRun::new(
            &format!("red-{material}"),
            &scene(material, "color = '#d01010'"),
            &[cube(0)],
        );
        let picture = run.picture("").unwrap();
        let red = count(&picture, |p| p[0] > 1.6 * p[1] && p[0] > 1.6 * p[2]);
        assert!(red > 1000, "{material}: {red}");
    }
}

#[test]
fn opacity_lets_what_is_behind_through() {
    let behind = block([0.3, 0.3, -1.0], [0.7, 0.7, -0.6], 8, 1);
    let all: Vec<Grain> = cube(0).into_iter().chain(behind).collect();
    let object = |opacity: f64| {
        format!(
            "color = '#e0e0e0'\nlook = {{ opacity = {opacity} }}\n[[objects]]\nmaterial = 'thing'\nshape = {{ sphere = {{ center = [0, 0, 0], radius = 1 }} }}\ncolor = '#d01010'"
        )
    };
    let red = |opacity: f64| {
        let name = format!("opacity-{}", (opacity * 100.0) as u32);
        let run = MadeRun::new(&name, &scene("thing", &object(opacity)), from_ref(&all));
        let picture = run.picture("camera = 'front'").unwrap();
        count(&picture, |p| p[0] > 1.15 * p[1])
    };
    assert_eq!(red(1.0), 0);
    assert!(red(0.3) > 100, "{}", red(0.3));
    assert!(red(0.0) >= red(0.3));
}

#[test]
fn the_ends_of_the_colour_bar_are_the_ends_of_the_data_of_all_frames() {
    let with_j = |low: f64, high: f64| {
        let mut grains = cube(0);
        let last = grains.len() - 1;
        (grains[0].j, grains[last].j) = (low, high);
        grains[last / 2].j = f64::NAN;
        grains
    };
    // More frames than are looked at for where the matter is; the extremes are in some of the
    // others.
    let mut frames = vec![with_j(1.0, 1.0); 40];
    frames[17] = with_j(0.5, 1.0);
    frames[22] = with_j(1.0, 1.75);
    let run = MadeRun::new("ends", &scene("jelly", ""), &frames);
    let (renderer, _) = run.renderer("color_by = 'j'").unwrap();
    let Coloring::Column(name, bar) = renderer.coloring() else {
        panic!("coloured by numbers");
    };
    assert_eq!((name.as_str(), bar.range), ("j", [0.5, 1.75]));
    let (renderer, _) = run.renderer("color_by = 'j'\nrange = [0, 2]").unwrap();
    assert_eq!(renderer.coloring().bar().unwrap().range, [0.0, 2.0]);
}

#[test]
fn a_cut_shows_the_inside() {
    let core = block([0.3; 3], [0.7; 3], 8, 1);
    let shell = cube(0).into_iter().filter(|grain| {
        let inside = |x: &f64| (0.3..0.7).contains(x);
        !grain.position.iter().all(inside)
    });
    let all: Vec<Grain> = shell.chain(core).collect();
    let object = "color = '#e0e0e0'\n[[objects]]\nmaterial = 'jelly'\nshape = { sphere = { center = [0, 0, 0], radius = 1 } }\ncolor = '#d01010'";
    for material in ["jelly", "sand"] {
        let object = object.replace("'jelly'", &format!("'{material}'"));
        let run = MadeRun::new(
            &format!("cut-{material}"),
            &scene(material, &object),
            from_ref(&all),
        );
        let red = |changes: &str| count(&run.picture(changes).unwrap(), is_red);
        assert_eq!(red("camera = 'front'"), 0, "{material}");
        let cut = "camera = 'front'\ncuts = [{ point = [0, 0, 0.5], normal = [0, 0, 1] }]";
        assert!(red(cut) > 150, "{material}: {}", red(cut));
        let other = "camera = 'front'\ncuts = [{ point = [0, 0, 0.5], normal = [0, 0, -1] }]";
        assert_eq!(red(other), 0, "{material}");
    }
}

#[test]
fn what_is_in_a_container_is_seen() {
    let cup = "color = '#d01010'\n[[colliders]]\ncontact = 'slip'\nshape = { difference = { from = { box = { min = [-0.2, -0.2, -0.2], max = [1.2, 1.2, 1.2] } }, \
               taken = { box = { min = [0, 0, 0], max = [1, 2, 1] } } } }\nlook = LOOK";
    let red = |look: &str| {
        let scene = scene("jelly", &cup.replace("LOOK", look));
        let name = format!("cup-{}", look.len());
        let run = MadeRun::new(&name, &scene, &[block([0.0; 3], [1.0, 0.8, 1.0], 12, 0)]);
        count(&run.picture("camera = 'front'").unwrap(), |p| {
            p[0] > 1.4 * p[1]
        })
    };
    assert_eq!(red("{ surface = 'solid' }"), 0);
    let seen = red("{ surface = 'auto' }");
    assert!(seen > 700, "{seen}");
    assert!(red("{ surface = 'glass' }") > 700);
    assert!(red("{ surface = 'hidden' }") > seen);
}

#[test]
fn shadows_can_be_left_out_on_either_side() {
    let light = |object: &str, changes: &str| {
        let run = MadeRun::new(
            &format!("shadow-{}", object.len()),
            &scene("thing", object),
            &[block([0.0, 1.0, 0.0], [1.0, 1.4, 1.0], 10, 0)],
        );
        let picture = run.picture(changes).unwrap();
        pixels(&picture).map(|p| p[1]).sum::<f32>()
    };
    let view = "camera = { position = [0.5, 2.5, 6], target = [0.5, 0.5, 0.5] }\nsun = [0, 1, 0]";
    let with = light("", view);
    let without = light("look = { casts_shadow = false }", view);
    assert!(without > 1.01 * with, "{without} {with}");
    let bare = light("look = { receives_shadow = false }", view);
    assert!(bare >= with);
}

#[test]
fn points_and_icosahedra_are_drawn_or_the_key_is_named_that_lacks() {
    let run = MadeRun::new("points", &scene("sand", "color = '#d01010'"), &[cube(0)]);
    let points = count(&run.picture("particles = 'points'").unwrap(), is_red);
    assert!(points > 500, "{points}");
    let error = run.picture("particles = 'icosahedra'").unwrap_err();
    let said = error.to_string();
    assert!(
        said.contains("output.columns = [\"deformation\"]"),
        "{said}"
    );
}

/// Largest mass of a node, in the layer of the particles, over the mass of a particle.
fn largest_mass(name: &str, scene: &str, particles: &[[f64; 3]]) -> f64 {
    let volume = 1e-3;
    let grains = particles.iter().map(|x| Grain::at(*x, volume)).collect();
    let run = MadeRun::new(name, scene, &[grains]);
    let (renderer, _) = run.renderer("slice = { quantity = 'mass' }").unwrap();
    renderer.coloring().bar().unwrap().range[1] / (1000.0 * volume)
}

#[test]
fn a_slice_has_the_kernel_of_the_scene() {
    let on_a_node = [[1.0, 1.0, 1.0]];
    let quadratic = scene("jelly", "");
    let cubic = quadratic.replace("physics = {", "physics = { kernel = 'cubic',");
    let mass = largest_mass("quadratic", &quadratic, &on_a_node);
    assert!((mass - 0.75f64.powi(3)).abs() < 1e-6, "{mass}");
    let mass = largest_mass("cubic", &cubic, &on_a_node);
    assert!((mass - (2.0f64 / 3.0).powi(3)).abs() < 1e-6, "{mass}");
}

#[test]
fn a_slice_goes_on_at_the_beginning_of_a_period() {
    // Eight cells of 0.25 m: a particle at the first node, and one a quarter of a cell before it.
    let particles = [[0.0, 1.0, 1.0], [1.9375, 1.0, 1.0]];
    let mass = largest_mass("open", &scene("jelly", ""), &particles);
    assert!((mass - 0.75f64.powi(3)).abs() < 1e-6, "{mass}");
    let periodic = scene("jelly", "[grid.periodic]\nx = 8");
    let mass = largest_mass("periodic", &periodic, &particles);
    assert!((mass - (0.75 + 0.6875) * 0.5625).abs() < 1e-6, "{mass}");
}

#[test]
fn a_slice_shows_the_grid_and_its_range() {
    let moving: Vec<Grain> = cube(0)
        .into_iter()
        .map(|grain| Grain {
            velocity: [3.0, 4.0, 0.0],
            ..grain
        })
        .collect();
    let run = MadeRun::new("slice", &scene("jelly", ""), &[moving]);
    let (renderer, _) = run.renderer("slice = { quantity = 'speed' }").unwrap();
    let [low, high] = renderer.coloring().bar().unwrap().range;
    assert!((low - 5.0).abs() < 1e-9 && (high - 5.0).abs() < 1e-9);
    let slice =
        "camera = 'front'\nrange = [0, 4]\nslice = { quantity = 'vy', normal = 'z', at = 0.5 }";
    let picture = run.picture(slice).unwrap();
    // The upper end of the colours, in all of the plane that the cube reaches.
    let yellow = |p: Vec3| p[0] > 0.8 && p[1] > 0.7 && p[2] < 0.1;
    assert!(
        count(&picture, yellow) > 1000,
        "{}",
        count(&picture, yellow)
    );
    let beside = run.picture("slice = { quantity = 'vy', normal = 'z', at = 5 }");
    assert!(beside.is_ok());
    let error = run
        .renderer("slice = { quantity = 'pressure' }")
        .unwrap_err();
    let said = error.to_string();
    assert!(said.contains("output.columns = [\"pressure\"]"), "{said}");
}

#[test]
fn hardly_anything_makes_a_picture_too() {
    let one = Grain::at([0.5, 0.5, 0.5], 1e-3);
    let with = |change: fn(&mut Grain)| {
        let mut changed = one;
        change(&mut changed);
        changed
    };
    let cases: [(&str, Vec<Grain>); 8] = [
        ("empty", vec![]),
        ("one", vec![one]),
        (
            "far",
            vec![one, with(|g| g.position = [1e30, -1e30, 1e300])],
        ),
        ("nan-place", vec![one, with(|g| g.position = [f64::NAN; 3])]),
        ("all-nan", vec![with(|g| g.position = [f64::NAN; 3])]),
        ("nan-volume", vec![with(|g| g.volume = f64::NAN)]),
        ("negative-volume", vec![with(|g| g.volume = -1.0)]),
        ("huge", vec![with(|g| g.volume = 1e30)]),
    ];
    for material in ["jelly", "water"] {
        for (name, grains) in &cases {
            let name = format!("{material}-{name}");
            let run = MadeRun::new(&name, &scene(material, ""), from_ref(grains));
            for changes in [
                "",
                "color_by = 'j'",
                "particles = 'points'",
                "slice = { quantity = 'mass' }",
            ] {
                let picture = run.picture(changes).unwrap();
                let bright = pixels(&picture).all(|p| p.0.iter().all(|x| x.is_finite()));
                assert!(bright, "{name} {changes}");
            }
        }
    }
    let run = MadeRun::new(
        "nan-column",
        &scene("jelly", ""),
        &[vec![with(|g| g.j = f64::NAN)]],
    );
    let (renderer, _) = run.renderer("color_by = 'j'").unwrap();
    let label = &renderer.coloring().bar().unwrap().label;
    assert_eq!(label, "j: no numbers");
}

#[test]
fn matter_that_flew_apart_is_drawn_as_grains() {
    let rest = 1e-3;
    let drawn = |growth: f64| {
        let grain = Grain {
            j: growth,
            ..Grain::at([0.5; 3], rest * growth)
        };
        let name = format!("growth-{growth}");
        let run = MadeRun::new(&name, &scene("sand", "color = '#d01010'"), &[vec![grain]]);
        let camera = "camera = { position = [0.5, 0.5, 2.5], target = [0.5, 0.5, 0.5] }";
        count(&run.picture(camera).unwrap(), is_red)
    };
    assert!(drawn(1.0) > 20, "{}", drawn(1.0));
    assert!(drawn(0.25) < drawn(1.0) && drawn(1.0) < drawn(2.0));
    assert_eq!(drawn(2.0), drawn(1000.0));
}

#[test]
fn a_column_that_is_not_there_is_named_with_those_that_are() {
    let run = MadeRun::new("no-column", &scene("jelly", ""), &[cube(0)]);
    let said = run.picture("color_by = 'sped'").unwrap_err().to_string();
    assert!(said.contains("did you mean \"speed\""), "{said}");
    let none = MadeRun::new("no-frames", &scene("jelly", ""), &[]);
    let said = none.renderer("").unwrap_err().to_string();
    assert!(said.contains("output.formats"), "{said}");
}

#[test]
fn water_is_seen_through_and_blue() {
    let behind = block([0.3, 0.3, -1.0], [0.7, 0.7, -0.6], 8, 1);
    let all: Vec<Grain> = cube(0).into_iter().chain(behind).collect();
    let object = "[[objects]]\nmaterial = 'water'\nshape = { sphere = { center = [0, 0, 0], radius = 1 } }\ncolor = '#f0f010'\nlook = { opacity = 1 }";
    let run = MadeRun::new("water", &scene("water", object), &[all]);
    let picture = run.picture("camera = 'front'").unwrap();
    assert!(count(&picture, is_blue) > 500);
    let [x, y] = [80, 45];
    // The object behind is darker and greener than the water beside it.
    let (middle, beside) = (picture.pixel(x, y), picture.pixel(x - 22, y));
    assert!(
        middle[1] / middle[2] > 1.05 * beside[1] / beside[2],
        "{middle:?} {beside:?}"
    );
}
