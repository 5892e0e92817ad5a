//! Videos and animations of runs: `thixo render --formats`, `--speed`, and `thixo run --render`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{code, errors, interrupt, names, thixo, workplace};
use re_mp4::Mp4;

/// Size of a video, and how long its pictures are shown \[s\].
fn video(path: &Path) -> ([u16; 2], Vec<f64>) {
    let (file, _) = Mp4::read_file(path).unwrap();
    let track = file.tracks().values().next().unwrap();
    let seconds = |ticks: u64| ticks as f64 / track.timescale as f64;
    let times = track.samples.iter().map(|s| seconds(s.duration)).collect();
    ([track.width, track.height], times)
}

/// Numbers of the chunk that comes before every picture of an animated PNG, by its specification.
fn controls(path: &Path) -> Vec<Vec<u8>> {
    let bytes = fs::read(path).unwrap();
    let (mut at, mut found) = (8, Vec::new());
    while at < bytes.len() {
        let length = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        if &bytes[at + 4..at + 8] == b"fcTL" {
            found.push(bytes[at + 8..at + 8 + length].to_vec());
        }
        at += length + 12;
    }
    found
}

/// Runs the small scene and returns its place.
fn after_run(name: &str) -> PathBuf {
    let place = workplace(name);
    let size = "render.size=[96, 54]";
    let output = thixo(&place, &["run", "tiny.toml", "--quiet", "--set", size]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    place
}

fn render(place: &Path, options: &[&str]) -> std::process::Output {
    let start = ["render", "out/tiny", "--overwrite"];
    let output = thixo(place, &[&start, options].concat());
    assert_eq!(code(&output), 0, "{}", errors(&output));
    output
}

#[test]
fn a_video_lasts_as_long_as_the_scene() {
    let place = after_run("video-size");
    let directory = place.join("out/tiny");
    let output = render(&place, &["--json"]);
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["video"]["path"], "out/tiny/video.mp4");
    assert_eq!(said["video"]["pictures"], 3);
    assert_eq!(said["video"]["pictures_per_second"], 24.0);
    assert_eq!(said["video"]["size"], serde_json::json!([96, 54]));
    let path = directory.join("video.mp4");
    assert_eq!(video(&path), ([96, 54], vec![1.0 / 24.0; 3]));
    // Half the speed, and sizes that no video has.
    let output = render(&place, &["--speed", "0.5", "--size", "97x55"]);
    assert_eq!(video(&path), ([98, 56], vec![1.0 / 12.0; 3]));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("2 times slower than it was"), "{said}");
    // Every other frame, and one alone.
    render(&place, &["--every", "2"]);
    assert_eq!(video(&path).1, [1.0 / 12.0; 2]);
    render(&place, &["--frames", "1"]);
    assert_eq!(video(&path).1, [1.0 / 24.0]);
    // Frames that come too fast are left out, and that is said.
    let output = render(&place, &["--speed", "5"]);
    assert_eq!(video(&path).1, [1.0 / 60.0; 2]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains("1 of 3 frames come too fast to be seen, --speed 2.5 shows all"),
        "{said}"
    );
    for (option, value) in [
        ("--speed", "0"),
        ("--speed", "fast"),
        ("--quality", "best"),
        ("--formats", "gif"),
    ] {
        let output = thixo(&place, &["render", "out/tiny", option, value]);
        assert_eq!(code(&output), 2);
        assert!(errors(&output).contains(value), "{}", errors(&output));
    }
}

#[test]
fn only_what_is_asked_for_is_made() {
    let place = after_run("video-formats");
    let directory = place.join("out/tiny");
    let before = names(&directory);
    render(&place, &["--formats", "mp4,apng"]);
    let mut expected = before.clone();
    expected.extend(["animation.png", "video.mp4"].map(str::to_owned));
    expected.sort();
    assert_eq!(names(&directory), expected);
    let controls = controls(&directory.join("animation.png"));
    assert_eq!(controls.len(), 3);
    for control in controls {
        // 1/24 s, drawn over what is there.
        assert_eq!(control[20..], [0, 1, 0, 24, 0, 0]);
    }
    render(&place, &["--formats", "contact"]);
    assert_eq!(names(&directory.join("images")), ["contact.png"]);
    // Existing files are not replaced unasked.
    let output = thixo(&place, &["render", "out/tiny", "--formats", "mp4"]);
    assert_eq!(code(&output), 2);
    assert!(
        errors(&output).contains("video.mp4 exists already"),
        "{}",
        errors(&output)
    );
}

#[test]
fn a_missing_frame_is_named_and_the_one_before_stays_longer() {
    let place = after_run("video-missing");
    fs::remove_file(place.join("out/tiny/particles/frame_00001.ply")).unwrap();
    let output = render(&place, &[]);
    let said = errors(&output);
    assert!(said.contains("the file of frame 1 is missing"), "{said}");
    let (_, times) = video(&place.join("out/tiny/video.mp4"));
    assert_eq!(times, [2.0 / 24.0, 1.0 / 24.0]);
    let output = render(&place, &["--frames", "2.."]);
    assert_eq!(errors(&output), "");
}

#[test]
fn frames_without_particles_make_a_video_too() {
    let place = after_run("video-empty");
    for k in 0..3 {
        let path = place.join(format!("out/tiny/particles/frame_{k:05}.ply"));
        let bytes = fs::read(&path).unwrap();
        let end = bytes
            .windows(11)
            .position(|w| w == b"end_header\n")
            .unwrap()
            + 11;
        let header = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let count = header
            .lines()
            .find(|l| l.starts_with("element vertex"))
            .unwrap();
        fs::write(&path, header.replace(count, "element vertex 0")).unwrap();
    }
    render(
        &place,
        &["--formats", "png,contact,mp4,apng", "--color-by", "speed"],
    );
    assert_eq!(video(&place.join("out/tiny/video.mp4")).1.len(), 3);
}

#[test]
fn a_camera_needs_the_dimension_of_the_scene() {
    let place = after_run("video-camera");
    let arguments = ["render", "out/tiny", "--camera", "target=1,2,3"];
    let output = thixo(&place, &arguments);
    assert_eq!(code(&output), 2);
    let said = errors(&output);
    assert!(
        said.contains("--camera: target has 3 coordinates where this 2D scene needs 2"),
        "{said}"
    );
    assert!(!place.join("out/tiny/images").exists());
}

#[test]
fn a_run_draws_itself_and_takes_its_pictures_away_with_it() {
    let place = workplace("video-run");
    let size = ["--set", "render.size=[64, 48]"];
    let run = |options: &[&str]| {
        let arguments = [&["run", "tiny.toml"][..], &size, options].concat();
        thixo(&place, &arguments)
    };
    let output = run(&["--render", "--json"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["state"], "done");
    assert_eq!(said["drawn"]["pictures"].as_array().unwrap().len(), 3);
    let directory = place.join("out/tiny");
    let images = directory.join("images");
    assert_eq!(video(&directory.join("video.mp4")).1.len(), 3);
    let drawn = fs::read(images.join("frame_00001.png")).unwrap();
    // The same pictures as those of `thixo render`.
    let output = thixo(&place, &["render", "out/tiny", "--overwrite"]);
    assert_eq!(code(&output), 0);
    assert_eq!(fs::read(images.join("frame_00001.png")).unwrap(), drawn);
    // A run that is complete but lost its pictures draws them again; one that ends earlier has no
    // later ones.
    fs::remove_file(images.join("frame_00001.png")).unwrap();
    fs::remove_file(directory.join("video.mp4")).unwrap();
    let output = run(&["--resume", "--render", "--quiet"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert_eq!(fs::read(images.join("frame_00001.png")).unwrap(), drawn);
    assert!(directory.join("video.mp4").exists());
    // Files made of a run go with it; files that somebody else put there stay.
    for (folder, file) in [
        ("mesh", "frame_00000.ply"),
        ("plots", "energy.png"),
        ("mesh", "mine.txt"),
    ] {
        fs::create_dir_all(directory.join(folder)).unwrap();
        fs::write(directory.join(folder).join(file), "old").unwrap();
    }
    fs::write(directory.join("animation.png"), "old").unwrap();
    fs::write(directory.join("video.mp4.stream.part"), "old").unwrap();
    let output = run(&["--overwrite", "--frames", "1", "--quiet"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let left = [
        "checkpoint",
        "mesh",
        "particles",
        "run.json",
        "scene.toml",
        "stats.csv",
    ];
    let mut found = names(&directory);
    found.retain(|name| !name.starts_with('.'));
    assert_eq!(found, left);
    assert_eq!(names(&directory.join("mesh")), ["mine.txt"]);
}

#[test]
fn a_run_without_ply_files_is_refused_before_it_begins() {
    let place = workplace("video-npz");
    let arguments = [
        "run",
        "tiny.toml",
        "--render",
        "--set",
        "output.formats=[\"npz\"]",
    ];
    let output = thixo(&place, &arguments);
    assert_eq!(code(&output), 2);
    assert!(
        errors(&output).contains("output.formats"),
        "{}",
        errors(&output)
    );
    assert!(!place.join("out").exists());
}

/// Ctrl-C while pictures are drawn.
#[cfg(unix)]
#[test]
fn an_interrupted_drawing_leaves_pictures_and_no_video() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let place = workplace("video-interrupted");
    let output = thixo(&place, &["run", "tiny.toml", "--frames", "40", "--quiet"]);
    assert_eq!(code(&output), 0);
    let directory = place.join("out/tiny");
    let child = Command::new(env!("CARGO_BIN_EXE_thixo"))
        .args(["render", "out/tiny", "--size", "800x600"])
        .current_dir(&place)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !directory.join("images/frame_00000.png").exists() {
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = interrupt(child);
    let said = errors(&output);
    // On a machine that draws faster than this test looks, everything is there.
    let is_done = code(&output) == 0;
    assert!(is_done || code(&output) == 130, "{said}");
    assert_eq!(directory.join("video.mp4").exists(), is_done);
    assert!(
        is_done || said.contains("thixo render out/tiny --overwrite"),
        "{said}"
    );
    let unfinished = |place: &Path| names(place).iter().any(|name| name.ends_with(".part"));
    assert!(!unfinished(&directory) && !unfinished(&directory.join("images")));
}
