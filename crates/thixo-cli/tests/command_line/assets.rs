//! A run takes the meshes and images of its scene along: it can be repeated without the originals,
//! and goes on with the same ones only.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{code, errors, frames, names, record, thixo, workplace};

const SCENE: &str = r#"
title = "Many files"
dimension = 3
[grid]
spacing = 0.1
[time]
frames = 2
fps = 50
[physics]
gravity = [0, 0, -9.81]
[materials.jelly]
model = "neo_hookean"
density = 1000
young_modulus = 1e4
poisson_ratio = 0.3
[[objects]]
name = "large"
material = "jelly"
shape = { mesh = { file = "models/block.obj" } }
[[objects]]
name = "small"
material = "jelly"
shape = { moved = { shape = { mesh = { file = "models/../other/block.obj" } }, translation = [0.6, 0, 0] } }
[[objects]]
name = "logo"
material = "jelly"
shape = { bitmap = { file = "models/logo.png", colors = "other/logo.png", center = [-0.5, 0.2, 0.2], width = 0.4, extrude = 0.2 } }
[[sinks]]
shape = { mesh = { file = "other/block.obj" } }
[[colliders]]
shape = { mesh_sequence = { pattern = "moving/paddle_%02d.stl", first = 3, count = 3, fps = 50 } }
contact = "sticky"
"#;

/// The eight corners of a box and its twelve triangles.
fn block(min: [f64; 3], max: [f64; 3]) -> (Vec<[f64; 3]>, Vec<[usize; 3]>) {
    let corner = |k: usize| [0, 1, 2].map(|a| if k >> a & 1 == 0 { min[a] } else { max[a] });
    let quads = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let triangles = quads
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    ((0..8).map(corner).collect(), triangles.collect())
}

fn obj(width: f64) -> String {
    let (points, triangles) = block([0.0; 3], [width; 3]);
    let mut text = String::new();
    for [x, y, z] in points {
        text += &format!("v {x} {y} {z}\n");
    }
    for [a, b, c] in triangles {
        text += &format!("f {} {} {}\n", a + 1, b + 1, c + 1);
    }
    text
}

fn stl(height: f64) -> Vec<u8> {
    let (points, triangles) = block([-1.0, -1.0, height - 0.5], [1.0, 1.0, height]);
    let mut file = vec![b' '; 80];
    file.extend((triangles.len() as u32).to_le_bytes());
    for triangle in triangles {
        file.extend([0; 12]);
        for corner in triangle {
            file.extend(
                points[corner]
                    .iter()
                    .flat_map(|x| (*x as f32).to_le_bytes()),
            );
        }
        file.extend([0; 2]);
    }
    file
}

fn png(brightness: u8) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 4, 4);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[brightness; 16]).unwrap();
    writer.finish().unwrap();
    file
}

/// A folder with the scene and everything that it names.
fn with_assets(name: &str) -> PathBuf {
    let place = workplace(name);
    for folder in ["models", "other", "moving"] {
        fs::create_dir(place.join(folder)).unwrap();
    }
    fs::write(place.join("models/block.obj"), obj(0.4)).unwrap();
    fs::write(place.join("other/block.obj"), obj(0.2)).unwrap();
    fs::write(place.join("models/logo.png"), png(0)).unwrap();
    fs::write(place.join("other/logo.png"), png(200)).unwrap();
    for k in 3..6u32 {
        let file = place.join(format!("moving/paddle_{k:02}.stl"));
        fs::write(file, stl(-0.2 + 0.01 * f64::from(k))).unwrap();
    }
    fs::write(place.join("many.toml"), SCENE).unwrap();
    place
}

fn run(place: &Path, arguments: &[&str]) {
    let output = thixo(place, &[&["run", "--quiet"], arguments].concat());
    assert_eq!(code(&output), 0, "{}", errors(&output));
}

fn refused(place: &Path, arguments: &[&str]) -> String {
    let output = thixo(place, &[&["run", "--quiet"], arguments].concat());
    assert_eq!(code(&output), 2, "{}", errors(&output));
    errors(&output)
}

fn remove_originals(place: &Path) {
    for folder in ["models", "other", "moving"] {
        fs::remove_dir_all(place.join(folder)).unwrap();
    }
}

const COPIES: [&str; 7] = [
    "block-2.obj",
    "block.obj",
    "logo-2.png",
    "logo.png",
    "paddle_03.stl",
    "paddle_04.stl",
    "paddle_05.stl",
];

#[test]
fn a_run_is_repeated_without_the_files_that_it_was_made_from() {
    let place = with_assets("assets-repeated");
    run(&place, &["many.toml", "--out", "first"]);
    assert_eq!(names(&place.join("first/assets")), COPIES);
    let scene = |run: &str| fs::read_to_string(place.join(run).join("scene.toml")).unwrap();
    for file in [
        "block.obj",
        "block-2.obj",
        "logo.png",
        "logo-2.png",
        "paddle_%02d.stl",
    ] {
        assert!(
            scene("first").contains(&format!("\"assets/{file}\"")),
            "{file}"
        );
    }
    let small = fs::read(place.join("first/assets/block-2.obj")).unwrap();
    assert_eq!(small, obj(0.2).as_bytes());
    remove_originals(&place);
    // From any folder: names are relative to that of the scene file.
    run(&place.join("first"), &["scene.toml", "--out", "../second"]);
    assert!(frames(&place.join("first")) == frames(&place.join("second")));
    assert_eq!(scene("first"), scene("second"));
    assert_eq!(names(&place.join("second/assets")), COPIES);
    // In place, where the copies are what the run is made from.
    let before = frames(&place.join("second"));
    run(
        &place,
        &["second/scene.toml", "--out", "second", "--overwrite"],
    );
    assert!(before == frames(&place.join("second")));
    assert_eq!(names(&place.join("second/assets")), COPIES);
    // A run without files leaves none of another, and nothing of others is touched.
    fs::write(place.join("second/assets/mine.txt"), "mine").unwrap();
    run(
        &place,
        &[
            "tiny.toml",
            "--out",
            "second",
            "--overwrite",
            "--frames",
            "0",
        ],
    );
    assert_eq!(names(&place.join("second/assets")), ["mine.txt"]);
}

#[test]
fn a_sequence_whose_files_have_one_name_becomes_a_list() {
    let place = with_assets("assets-folders");
    for k in 0..2 {
        let folder = place.join(format!("moving/{k}"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("paddle.stl"), stl(0.01 * f64::from(k))).unwrap();
    }
    let text = SCENE.replace(
        "paddle_%02d.stl\", first = 3, count = 3",
        "%d/paddle.stl\", count = 2",
    );
    fs::write(place.join("many.toml"), text).unwrap();
    run(&place, &["many.toml", "--out", "first", "--frames", "1"]);
    remove_originals(&place);
    run(&place, &["first/scene.toml", "--out", "second"]);
    let scene = |run: &str| fs::read_to_string(place.join(run).join("scene.toml")).unwrap();
    assert!(scene("first").contains("\"assets/paddle.stl\", \"assets/paddle-2.stl\""));
    assert_eq!(scene("first"), scene("second"));
    assert!(frames(&place.join("first")) == frames(&place.join("second")));
}

#[test]
fn a_run_goes_on_with_the_same_files_only() {
    let place = with_assets("assets-resumed");
    run(&place, &["many.toml", "--out", "whole"]);
    run(&place, &["many.toml", "--out", "parts", "--frames", "1"]);
    let asset = &record(&place.join("parts"))["assets"][0];
    assert_eq!(asset["file"], "assets/block.obj");
    assert_eq!(asset["bytes"], obj(0.4).len());

    // Another mesh under the same name, of the same length.
    fs::write(place.join("other/block.obj"), obj(0.3)).unwrap();
    let message = refused(&place, &["many.toml", "--out", "parts", "--resume"]);
    assert!(
        message.contains("other/block.obj has changed: "),
        "{message}"
    );
    assert!(message.contains("put the old file back"), "{message}");
    // The copies are still the old ones, and enough.
    remove_originals(&place);
    let missing = refused(&place, &["many.toml", "--out", "parts", "--resume"]);
    assert!(
        missing.contains("moving/paddle_03.stl cannot be read"),
        "{missing}"
    );
    run(
        &place,
        &[
            "parts/scene.toml",
            "--out",
            "parts",
            "--frames",
            "2",
            "--resume",
        ],
    );
    assert!(frames(&place.join("whole")) == frames(&place.join("parts")));

    let copy = place.join("parts/assets/paddle_04.stl");
    fs::write(&copy, stl(0.0)).unwrap();
    let resumed = [
        "parts/scene.toml",
        "--out",
        "parts",
        "--frames",
        "3",
        "--resume",
    ];
    let message = refused(&place, &resumed);
    assert!(message.contains("paddle_04.stl has changed: "), "{message}");
    fs::write(&copy, "solid cut\nfacet\n vertex 1 2\n").unwrap();
    let message = refused(&place, &resumed);
    assert!(
        message.contains("colliders[0].shape.mesh_sequence"),
        "{message}"
    );
    assert!(
        message.contains("assets/paddle_04.stl is not a sound STL file: line 3"),
        "{message}"
    );
    fs::remove_file(place.join("parts/assets/logo-2.png")).unwrap();
    fs::write(&copy, stl(-0.16)).unwrap();
    let message = refused(&place, &["parts/scene.toml", "--out", "third"]);
    assert!(
        message.contains("objects[2].shape.bitmap.colors"),
        "{message}"
    );
    assert!(message.contains("assets/logo-2.png"), "{message}");
    assert!(!place.join("third").exists());
}
