//! Quantities that particles carry, from the scene to frames.

use thixo_scene::frame::{Capture, Frame, Values};
use thixo_scene::{FrameFile, Scene, SceneError, ply};

const SCENE: &str = r#"
title = "A block that remembers, and a jet with its time of birth"
dimension = 2
[grid]
spacing = 0.1
[time]
frames = 4
fps = 20
[physics]
gravity = [0, -9.81]
[materials.water]
model = "fluid"
density = 1000
bulk_modulus = 1e4
[[objects]]
material = "water"
shape = { box = { min = [0, 0], max = [0.4, 0.4] } }
[[emitters]]
material = "water"
shape = { box = { min = [1, 0.2], max = [1.1, 0.4] } }
velocity = [2, 0]
[carried.start_height]
value = "y"
unit = "m"
[carried.born]
value = "t"
unit = "s"
[[walls]]
axis = "y"
position = 0
matter = "above"
contact = "slip"
"#;

fn frame(text: &str, frames: u32) -> Frame<f64> {
    let scene = Scene::parse(text, "carried.toml").unwrap_or_else(|error| panic!("{error}"));
    let mut built = scene.build::<f64, 2>(1).unwrap();
    for frame in 1..=frames {
        built.advance(frame).unwrap();
    }
    let capture = Capture {
        number: frames,
        simulation: &built.simulation,
        objects: &built.objects,
        columns: &[],
    };
    capture.take()
}

fn column<'a>(frame: &'a Frame<f64>, name: &str) -> &'a [f64] {
    let column = frame
        .columns
        .iter()
        .find(|column| column.name == name)
        .unwrap();
    match &column.values {
        Values::Real(values) => values,
        other => panic!("{other:?}"),
    }
}

#[test]
fn particles_keep_what_they_had_when_they_entered() {
    let start = frame(SCENE, 0);
    let later = frame(SCENE, 4);
    let heights = column(&start, "position").chunks(3).map(|x| x[1]);
    assert!(column(&start, "start_height").iter().copied().eq(heights));
    let count = start.particles;
    assert!(later.particles > count);
    assert_eq!(
        column(&later, "start_height")[..count],
        column(&start, "start_height")[..]
    );
    let born = column(&later, "born");
    assert!(born[..count].iter().all(|t| *t == 0.0));
    // Water comes in parts of a frame, and none comes before its time.
    assert!(born[count..].windows(2).all(|pair| pair[0] <= pair[1]));
    assert!(born[count] > 0.0 && *born.last().unwrap() <= 0.2 + 1e-12);
}

#[test]
fn frames_say_name_and_unit() {
    let mut bytes = Vec::new();
    ply::write(&mut bytes, &frame(SCENE, 1)).unwrap();
    let file = FrameFile::parse(bytes, "f.ply".as_ref()).unwrap();
    assert_eq!(file.unit("start_height"), Some("m"));
    assert_eq!(file.unit("born"), Some("s"));
    assert_eq!(file.unit("vx"), Some("m/s"));
    assert_eq!(file.unit("j"), None);
    assert!(file.column("born").unwrap().iter().any(|t| t > 0.0));
}

#[test]
fn what_cannot_be_carried_is_refused_with_its_key() {
    let refused = |from: &str, to: &str, words: &[&str]| {
        let text = SCENE.replace(from, to);
        let outcome = Scene::parse(&text, "carried.toml")
            .and_then(|scene: Scene| scene.build::<f64, 2>(1).map(drop));
        let error: SceneError = outcome.unwrap_err();
        let message = error.to_string();
        for word in words {
            assert!(message.contains(word), "{message}");
        }
    };
    refused(
        "value = \"y\"",
        "value = \"1 / (y - y)\"",
        &["carried.start_height.value"],
    );
    refused(
        "value = \"y\"",
        "value = \"q\"",
        &["carried.start_height.value", "q"],
    );
    refused(
        "carried.born",
        "carried.pressure",
        &["carried.pressure", "another quantity"],
    );
    refused(
        "unit = \"s\"",
        "units = \"s\"",
        &["units", "did you mean \"unit\"?"],
    );
}
