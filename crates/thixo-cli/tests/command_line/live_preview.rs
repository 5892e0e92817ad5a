//! Pictures while a run goes on: `thixo run --render` before its end, and how it ends.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::program::{TINY, code, errors, interrupt, names, record, thixo, workplace};

/// Small pictures.
const SMALL: [&str; 2] = ["--set", "render.size=[64, 48]"];

/// Bytes of all pictures and of the video, by name.
fn drawn(run: &Path) -> BTreeMap<String, Vec<u8>> {
    let images = run.join("images");
    let pictures = names(&images);
    let pictures = pictures.into_iter().map(|name| (images.join(&name), name));
    let video = (run.join("video.mp4"), "video.mp4".to_owned());
    let all = pictures.chain([video].into_iter().filter(|(path, _)| path.exists()));
    all.map(|(path, name)| (name, fs::read(path).unwrap()))
        .collect()
}

/// Names of what is drawn of a run whose last frame has a number.
fn all_of(last: usize) -> Vec<String> {
    let pictures = (0..=last).map(|k| format!("frame_{k:05}.png"));
    let others = ["contact.png", "video.mp4"].map(str::to_owned);
    let mut all: Vec<_> = pictures.chain(others).collect();
    all.sort();
    all
}

fn run(place: &Path, options: &[&str]) -> std::process::Output {
    thixo(
        place,
        &[&["run", "tiny.toml", "--render"], &SMALL[..], options].concat(),
    )
}

/// The water spreads: the camera goes on moving back.
#[test]
fn what_is_there_in_the_end_is_what_render_draws() {
    let place = workplace("live_preview-end");
    let output = run(&place, &["--frames", "12"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let directory = place.join("out/tiny");
    let seconds = &record(&directory)["seconds"];
    assert!(seconds["drawing"].as_f64().unwrap() > 0.0, "{seconds}");
    let by_run = drawn(&directory);
    assert_eq!(by_run.keys().cloned().collect::<Vec<_>>(), all_of(12));
    let output = thixo(&place, &["render", "out/tiny", "--overwrite"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert!(drawn(&directory) == by_run, "render draws something else");
    let said = thixo(&place, &["info", "out/tiny"]);
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains(" s, drawing 0."), "{said}");
}

#[test]
fn frames_of_a_run_that_fails_are_drawn_too() {
    let place = workplace("live_preview-failed");
    // From the second frame on, gravity is no number.
    let text = TINY.replace("0.5 * sin(40 * t) * x", "sqrt(0.06 - t)");
    fs::write(place.join("tiny.toml"), text).unwrap();
    let output = run(&place, &["--json"]);
    assert_eq!(code(&output), 1, "{}", errors(&output));
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["state"], "failed");
    assert_eq!(said["drawn"]["pictures"].as_array().unwrap().len(), 2);
    let found = drawn(&place.join("out/tiny"));
    assert_eq!(found.into_keys().collect::<Vec<_>>(), all_of(1));
}

#[test]
fn a_run_that_cannot_be_drawn_goes_on() {
    let place = workplace("live_preview-refused");
    let output = thixo(&place, &["run", "tiny.toml", "--frames", "1", "--quiet"]);
    assert_eq!(code(&output), 0);
    let directory = place.join("out/tiny");
    fs::write(directory.join("images"), "in the way").unwrap();
    let output = run(&place, &["--resume", "--frames", "3"]);
    assert_eq!(code(&output), 2);
    let said = errors(&output);
    assert!(said.contains("warning: cannot draw frame 2"), "{said}");
    assert!(!said.contains("cannot draw frame 3"), "{said}");
    assert!(
        said.contains("the run is over, but cannot be drawn"),
        "{said}"
    );
    assert_eq!(record(&directory)["state"], "done");
    assert_eq!(names(&directory.join("particles")).len(), 4);
}

/// Ctrl-C while the run goes on.
#[cfg(unix)]
#[test]
fn an_interrupted_run_has_pictures_and_draws_the_rest_later() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let place = workplace("live_preview-interrupted");
    let child = Command::new(env!("CARGO_BIN_EXE_thixo"))
        .args(["run", "tiny.toml", "--render", "--frames", "100000"])
        .args(SMALL)
        .current_dir(&place)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let directory = place.join("out/tiny");
    let pictures = |place: &Path| match place.exists() {
        true => names(place).iter().filter(|n| n.ends_with(".png")).count(),
        false => 0,
    };
    let start = Instant::now();
    while pictures(&directory.join("images")) < 2 {
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = interrupt(child);
    let said = errors(&output);
    assert_eq!(code(&output), 130, "{said}");
    for advice in [
        "go on with: thixo run tiny.toml --render --frames 100000",
        "thixo render out/tiny --overwrite",
    ] {
        assert!(said.contains(advice), "{said}");
    }
    let found = drawn(&directory);
    assert!(found.len() >= 2 && found.contains_key("frame_00000.png"));
    assert!(found.keys().all(|name| name.starts_with("frame_")));
    assert!(found.keys().all(|name| name.ends_with(".png")));
    // It goes on, and nothing is missing.
    let last = record(&directory)["last_frame"].as_u64().unwrap() + 2;
    let output = run(&place, &["--resume", "--frames", &last.to_string()]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let found = drawn(&directory);
    assert_eq!(found.into_keys().collect::<Vec<_>>(), all_of(last as usize));
}
