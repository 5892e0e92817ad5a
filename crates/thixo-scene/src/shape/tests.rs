//! Laws of every shape: inside means inside its bounds, volumes are those of counting, distances
//! have slope at most 1.

use std::path::PathBuf;
use std::sync::Arc;

use thixo_math::Vector;

use super::bitmap::picture_file;
use super::{Bounds, Region, Shape};
use crate::Scene;

/// A folder for the files of one test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("thixo-shapes-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A scene in a folder that has nothing but one object.
fn scene(dimension: usize, folder: &std::path::Path, shape: &str) -> Result<Scene, String> {
    let text = format!(
        "dimension = {dimension}\n[grid]\nspacing = 0.1\n[time]\nframes = 1\n\
         [materials.m]\nmodel = 'fluid'\ndensity = 1000\nbulk_modulus = 1e5\n\
         [[objects]]\nmaterial = 'm'\nshape = {shape}\n"
    );
    Scene::parse_in(&text, "s.toml", folder).map_err(|error| error.to_string())
}

fn shape_of(text: &str) -> Shape {
    #[derive(serde::Deserialize)]
    struct Table {
        shape: Shape,
    }
    let table: Table = toml::from_str(&format!("shape = {text}")).unwrap();
    table.shape
}

fn region<const D: usize>(shape: &str) -> Arc<dyn Region<D>> {
    let any = crate::gallery::SCENES[0].text;
    let scene = Scene::parse(any, "any").unwrap();
    let region = scene.region("shape", &shape_of(shape));
    region.unwrap_or_else(|error| panic!("{shape}: {error}"))
}

/// Checks a region by looking at a lattice of places that reaches beyond its bounds; returns the
/// volume found.
fn check<const D: usize>(region: &dyn Region<D>, name: &str, steps: usize) -> f64 {
    let Bounds { min, max } = region.bounds().unwrap();
    let width: [f64; D] = std::array::from_fn(|a| 1.2 * (max[a] - min[a]));
    let low: [f64; D] = std::array::from_fn(|a| min[a] - width[a] / 12.0);
    let place = |number: usize| -> [f64; D] {
        std::array::from_fn(|a| {
            let step = number / steps.pow(a as u32) % steps;
            low[a] + width[a] * (step as f64 + 0.5) / steps as f64
        })
    };
    let total = steps.pow(D as u32);
    let mut inside = 0;
    let mut found: Option<Bounds<D>> = None;
    let mut last = place(0);
    for number in 0..total {
        let x = place(number);
        let surface = region.surface(x, 0.0);
        let length = Vector(surface.normal).norm();
        assert!((length - 1.0).abs() < 1e-9, "{name}: normal at {x:?}");
        let before = region.surface(last, 0.0).distance;
        let apart = (Vector(x) - Vector(last)).norm();
        assert!(
            (surface.distance - before).abs() <= apart * (1.0 + 1e-9),
            "{name}: slope above 1 between {last:?} and {x:?}"
        );
        last = x;
        if surface.distance < 0.0 {
            inside += 1;
            let one = Bounds { min: x, max: x };
            found = Some(found.map_or(one, |found| found.union(one)));
        }
    }
    let found = found.unwrap();
    for a in 0..D {
        // Every inside place is within the bounds, which are no wider than a few steps.
        let slack = 3.0 * width[a] / steps as f64;
        assert!(found.min[a] >= min[a] && found.max[a] <= max[a], "{name}");
        assert!(
            found.min[a] - min[a] < slack && max[a] - found.max[a] < slack,
            "{name}: {found:?} in {:?}",
            region.bounds()
        );
    }
    width.iter().product::<f64>() * inside as f64 / total as f64
}

const IN_SPACE: [&str; 9] = [
    "{ box = { min = [0.1, 0.2, -0.3], max = [0.9, 0.5, 0.3] } }",
    "{ sphere = { center = [0.1, 0.2, 0.3], radius = 0.5 } }",
    "{ ellipsoid = { center = [0.1, 0.2, 0.3], radii = [0.5, 0.3, 0.7] } }",
    "{ capsule = { start = [0, 0, 0], end = [0.5, 0.3, 0.2], radius = 0.3 } }",
    "{ cylinder = { start = [0, 0, 0], end = [0.5, 0.3, 0.2], radius = 0.3 } }",
    "{ cone = { base = [0, 0, 0], tip = [0.5, 0.3, 0.2], radius = 0.5 } }",
    "{ torus = { center = [0, 0.1, 0], axis = [1, 2, 3], ring = 0.5, tube = 0.2 } }",
    "{ moved = { shape = { box = { min = [0, 0, 0], max = [1, 2, 3] } }, scale = -0.5, rotation = { euler = [0, 90, 0] }, translation = [1, 0, 0] } }",
    "{ moved = { shape = { sphere = { center = [0, 0, 0], radius = 1 } }, scale = [1, 0.5, 0.25], rotation = { axis = [0, 0, 1], angle = 90 } } }",
];

const IN_THE_PLANE: [&str; 8] = [
    "{ box = { min = [0.1, 0.2], max = [0.9, 0.5] } }",
    "{ sphere = { center = [0.1, 0.2], radius = 0.5 } }",
    "{ ellipsoid = { center = [0.1, 0.2], radii = [0.5, 0.3] } }",
    "{ capsule = { start = [0, 0], end = [0.5, 0.3], radius = 0.3 } }",
    "{ cylinder = { start = [0, 0], end = [0.5, 0.3], radius = 0.3 } }",
    "{ cone = { base = [0, 0], tip = [0.5, 0.3], radius = 0.5 } }",
    "{ torus = { center = [0, 0.1], axis = [1, 2], ring = 0.5, tube = 0.2 } }",
    "{ moved = { shape = { sphere = { center = [0, 0], radius = 1 } }, scale = [1, 0.5], rotation = 90 } }",
];

#[test]
fn every_primitive_has_its_bounds_and_its_volume() {
    for shape in IN_SPACE {
        let region = region::<3>(shape);
        let counted = check(&*region, shape, 48);
        let volume = region.volume().unwrap();
        assert!(
            (counted / volume - 1.0).abs() < 0.03,
            "{shape}: {counted} {volume}"
        );
    }
    for shape in IN_THE_PLANE {
        let region = region::<2>(shape);
        let counted = check(&*region, shape, 240);
        let volume = region.volume().unwrap();
        assert!(
            (counted / volume - 1.0).abs() < 0.02,
            "{shape}: {counted} {volume}"
        );
    }
}

#[test]
fn a_moved_shape_is_where_it_was_moved() {
    let shape = "{ moved = { shape = { box = { min = [0, 0, 0], max = [1, 2, 3] } }, rotation = { axis = [0, 0, 2], angle = 90 }, translation = [10, 0, 0] } }";
    let bounds = region::<3>(shape).bounds().unwrap();
    for (found, expected) in bounds.min.into_iter().zip([8.0, 0.0, 0.0]) {
        assert!((found - expected).abs() < 1e-12, "{bounds:?}");
    }
    for (found, expected) in bounds.max.into_iter().zip([10.0, 1.0, 3.0]) {
        assert!((found - expected).abs() < 1e-12, "{bounds:?}");
    }
    // Scaled, then turned, then moved.
    let all = "{ moved = { shape = { sphere = { center = [1, 0], radius = 0.1 } }, scale = 2, rotation = 90, translation = [5, 0] } }";
    let ball = region::<2>(all);
    assert!((ball.surface([5.0, 2.0], 0.0).distance + 0.2).abs() < 1e-12);
}

#[test]
fn combinations_have_bounds_where_they_end() {
    let ball = "{ sphere = { center = [0, 0], radius = 1 } }";
    let plane = "{ half_space = { point = [0, 0], normal = [0, 1] } }";
    assert!(region::<2>(plane).bounds().is_none());
    assert!(
        region::<2>(&format!("{{ complement = {ball} }}"))
            .bounds()
            .is_none()
    );
    let half = region::<2>(&format!("{{ intersection = [{plane}, {ball}] }}"));
    assert_eq!(half.bounds().unwrap().max, [1.0, 1.0]);
    assert!(half.volume().is_none());
    let both = format!("{{ union = [{ball}, {{ sphere = {{ center = [3, 0], radius = 1 }} }}] }}");
    check(&*region::<2>(&both), &both, 200);
    assert!(
        region::<2>(&format!("{{ union = [{ball}, {plane}] }}"))
            .bounds()
            .is_none()
    );
    let without = region::<2>(&format!(
        "{{ difference = {{ from = {ball}, taken = {plane} }} }}"
    ));
    assert!(without.surface([0.0, 0.5], 0.0).distance < 0.0);
    assert!(without.surface([0.0, -0.5], 0.0).distance > 0.0);
    let apart =
        format!("{{ intersection = [{ball}, {{ sphere = {{ center = [3, 0], radius = 1 }} }}] }}");
    let bounds = region::<2>(&apart).bounds().unwrap();
    assert_eq!(bounds.min[0], bounds.max[0]);
}

#[test]
fn an_object_without_end_is_refused() {
    let message = scene(
        2,
        &folder("endless"),
        "{ plane = { point = [0, 0], normal = [0, 1] } }",
    );
    let message = message.unwrap_err();
    assert!(
        message.contains("objects[0].shape is without end"),
        "{message}"
    );
}

/// A cube as an OBJ file, its corners moved along x by a share of their height.
fn cube(shear: f64) -> String {
    let mesh = super::mesh::samples::cube();
    let mut text = String::new();
    for [x, y, z] in mesh.points {
        text += &format!("v {} {y} {z}\n", x + shear * z);
    }
    for [a, b, c] in mesh.triangles {
        text += &format!("f {} {} {}\n", a + 1, b + 1, c + 1);
    }
    text
}

#[test]
fn a_mesh_is_found_beside_its_scene_and_fills_with_matter() {
    let folder = folder("mesh");
    std::fs::write(folder.join("cube.obj"), cube(0.0)).unwrap();
    let scene = scene(3, &folder, "{ mesh = { file = 'cube.obj' } }").unwrap();
    assert_eq!(scene.assets(), [folder.join("cube.obj")]);
    let built = scene.build::<f64, 3>(1).unwrap();
    assert_eq!(built.warnings, []);
    assert_eq!(built.simulation.len(), 8000);
    assert!((built.simulation.audit().mass / 1000.0 - 1.0).abs() < 1e-12);
    let region = scene
        .region::<3>("s", scene.objects[0].shape.as_ref().unwrap())
        .unwrap();
    assert_eq!(region.volume(), Some(1.0));
    assert_eq!(
        Scene::parse_in(&scene.to_toml().unwrap(), "again", &folder).unwrap(),
        scene
    );
}

#[test]
fn a_mesh_with_a_hole_is_built_with_a_warning() {
    let folder = folder("holed");
    let cube = cube(0.0);
    let holed = cube.trim_end().rsplit_once('\n').unwrap().0;
    std::fs::write(folder.join("holed.obj"), holed).unwrap();
    let scene = scene(3, &folder, "{ mesh = { file = 'holed.obj' } }").unwrap();
    let built = scene.build::<f64, 3>(1).unwrap();
    assert_eq!(
        built.warnings[0].to_string(),
        "holed.obj is not closed: 3 of its edges have a triangle on one side only; inside is where its winding number is above one \
         half, which closes the holes with a smooth surface"
    );
    assert!(built.simulation.len() > 6000);
}

#[test]
fn a_sequence_of_meshes_moves_and_has_velocities() {
    let folder = folder("sequence");
    for k in 0..3 {
        let name = folder.join(format!("c_{k:02}.obj"));
        std::fs::write(name, cube(0.1 * f64::from(k))).unwrap();
    }
    let shape = "{ mesh_sequence = { pattern = 'c_%02d.obj', count = 3, fps = 10 } }";
    let scene = scene(3, &folder, shape).unwrap();
    assert_eq!(scene.assets().len(), 3);
    let solid = scene
        .region::<3>("s", scene.objects[0].shape.as_ref().unwrap())
        .unwrap();
    // The upper face moves at 1 m/s along x, the lower one rests.
    for time in [0.0, 0.05, 0.1, 0.17, 0.2] {
        let above = solid.velocity([0.5, 0.5, 1.0], time);
        assert!(
            (above[0] - 1.0).abs() < 0.05 && above[1].abs() < 1e-6,
            "{time} {above:?}"
        );
        assert!(solid.velocity([0.5, 0.5, 0.0], time)[0].abs() < 0.05);
        let edge = solid.surface([1.0 + 0.5 * time, 0.5, 0.5], time).distance;
        assert!(edge.abs() < 0.01, "{time} {edge}");
    }
    assert_eq!(solid.velocity([0.5, 0.5, 1.0], 1.0), [0.0; 3]);
    assert_eq!(solid.bounds().unwrap().max[0], 1.2);
}

#[test]
fn a_bitmap_is_its_dark_part() {
    let folder = folder("bitmap");
    // A dark disc, 40 pixels of 50 wide, with a white left third.
    let (width, height) = (50u32, 60u32);
    let mut pixels = Vec::new();
    for row in 0..height {
        for column in 0..width {
            let (x, y) = (f64::from(column) - 24.5, f64::from(row) - 29.5);
            let is_dark = x.hypot(y) < 20.0;
            pixels.extend(if is_dark {
                [0, 0, column as u8]
            } else {
                [255; 3]
            });
        }
    }
    std::fs::write(
        folder.join("disc.png"),
        picture_file(width, height, &pixels),
    )
    .unwrap();
    let flat = "{ bitmap = { file = 'disc.png', center = [1, 2], width = 0.5 } }";
    let scene2 = scene(2, &folder, flat).unwrap();
    assert_eq!(scene2.assets(), [folder.join("disc.png")]);
    let disc = scene2
        .region::<2>("s", scene2.objects[0].shape.as_ref().unwrap())
        .unwrap();
    let bounds = disc.bounds().unwrap();
    assert!((bounds.min[0] - 0.8).abs() < 1e-12 && (bounds.max[1] - 2.2).abs() < 1e-12);
    let exact = region::<2>("{ sphere = { center = [1, 2], radius = 0.2 } }");
    for k in 0..2000 {
        let x = [0.31, 0.17].map(|s| 0.24 * (f64::from(k) * s).sin());
        let x = [1.0 + x[0], 2.0 + x[1]];
        let (a, b) = (disc.surface(x, 0.0), exact.surface(x, 0.0));
        assert!((a.distance - b.distance).abs() < 0.015, "{x:?} {a:?} {b:?}");
    }
    // Its colours: the blue grows by one a pixel.
    let colors = scene2.colors::<2>(0).unwrap().unwrap();
    assert_eq!(colors.color_at([1.0 + 0.055, 2.0]), [0, 0, 30, 255]);

    let thick =
        "{ bitmap = { file = 'disc.png', center = [0, 0, 0], width = 0.5, extrude = 0.3 } }";
    let thick_scene = scene(3, &folder, thick).unwrap();
    let plate = thick_scene
        .region::<3>("s", thick_scene.objects[0].shape.as_ref().unwrap())
        .unwrap();
    assert!((plate.surface([0.0, 0.0, 0.14], 0.0).distance + 0.01).abs() < 1e-9);
    assert!((plate.surface([0.0, 0.0, 0.25], 0.0).distance - 0.1).abs() < 1e-9);
    assert_eq!(
        plate.surface([0.0, 0.0, -0.25], 0.0).normal,
        [0.0, 0.0, -1.0]
    );

    let round =
        "{ bitmap = { file = 'disc.png', center = [0, 0, 0], width = 0.5, revolve = 'middle' } }";
    let round = scene(3, &folder, round).unwrap();
    let ball = round
        .region::<3>("s", round.objects[0].shape.as_ref().unwrap())
        .unwrap();
    let exact = region::<3>("{ sphere = { center = [0, 0, 0], radius = 0.2 } }");
    for k in 0..2000 {
        let x = [0.31, 0.17, 0.23].map(|s| 0.15 * (f64::from(k) * s).sin());
        let (a, b) = (ball.surface(x, 0.0), exact.surface(x, 0.0));
        assert!((a.distance - b.distance).abs() < 0.015, "{x:?} {a:?} {b:?}");
    }
    let ring = "{ bitmap = { file = 'disc.png', center = [0, 0, 0], width = 0.5, revolve = 'left_edge' } }";
    let ring = scene(3, &folder, ring).unwrap();
    let ring_region = ring
        .region::<3>("s", ring.objects[0].shape.as_ref().unwrap())
        .unwrap();
    let exact = region::<3>(
        "{ torus = { center = [0, 0, 0], axis = [0, 1, 0], ring = 0.25, tube = 0.2 } }",
    );
    for k in 0..2000 {
        let x = [0.31, 0.17, 0.23].map(|s| 0.29 * (f64::from(k) * s).sin());
        let (a, b) = (ring_region.surface(x, 0.0), exact.surface(x, 0.0));
        assert!((a.distance - b.distance).abs() < 0.015, "{x:?} {a:?} {b:?}");
    }
    let colors = ring.colors::<3>(0).unwrap().unwrap();
    assert_eq!(colors.color_at([0.0, 0.0, 0.305]), [0, 0, 30, 255]);
    let moved = "{ moved = { shape = { bitmap = { file = 'disc.png', center = [0, 0], width = 0.5 } }, translation = [1, 2] } }";
    let moved = scene(2, &folder, moved)
        .unwrap()
        .colors::<2>(0)
        .unwrap()
        .unwrap();
    assert_eq!(moved.color_at([1.0 + 0.055, 2.0]), [0, 0, 30, 255]);
    assert!(thick_scene.colors::<3>(9).unwrap().is_none());
}
