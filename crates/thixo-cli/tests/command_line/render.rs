//! `thixo render`: from a run to pictures.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use crate::program::{code, errors, names, thixo, workplace};

/// Width, height and bytes of a picture.
fn picture(path: &Path) -> (usize, usize, Vec<[u8; 3]>) {
    let file = BufReader::new(File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let pixels = bytes.as_chunks::<3>().0.to_vec();
    (info.width as usize, info.height as usize, pixels)
}

/// Runs the small scene and returns its place.
fn after_run(name: &str) -> std::path::PathBuf {
    let place = workplace(name);
    assert_eq!(code(&thixo(&place, &["run", "tiny.toml", "--quiet"])), 0);
    place
}

#[test]
fn every_frame_becomes_a_picture_and_all_together_a_sheet() {
    let place = after_run("render-all");
    let output = thixo(
        &place,
        &["render", "out/tiny", "--size", "320x200", "--json"],
    );
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["pictures"].as_array().unwrap().len(), 3);
    assert!(said["range"].is_null());
    let images = place.join("out/tiny/images");
    let expected = [
        "contact.png",
        "frame_00000.png",
        "frame_00001.png",
        "frame_00002.png",
    ];
    assert_eq!(names(&images), expected);
    let (width, height, pixels) = picture(&images.join("frame_00000.png"));
    assert_eq!((width, height), (320, 200));
    let count = |is: fn(&[u8; 3]) -> bool| pixels.iter().filter(|p| is(p)).count();
    // Water is blue, jelly red.
    assert!(count(|[r, _, b]| *b > 120 && *r < 100) > 1000);
    assert!(count(|[r, g, b]| *r > 130 && *g < 90 && *b < 100) > 1000);
    // Existing files are not replaced unasked.
    let again = thixo(&place, &["render", "out/tiny", "--size", "320x200"]);
    assert_eq!(code(&again), 2);
    assert!(errors(&again).contains("--overwrite"), "{}", errors(&again));
    let before = fs::read(images.join("frame_00001.png")).unwrap();
    let again = thixo(
        &place,
        &["render", "out/tiny", "--size", "320x200", "--overwrite"],
    );
    assert_eq!(code(&again), 0);
    assert_eq!(fs::read(images.join("frame_00001.png")).unwrap(), before);
}

#[test]
fn a_scene_without_a_run_is_simulated_first() {
    let place = workplace("render-scene");
    let output = thixo(
        &place,
        &[
            "render",
            "tiny.toml",
            "--size",
            "64x48",
            "--contact-sheet",
            "0",
            "--json",
        ],
    );
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert!(serde_json::from_slice::<serde_json::Value>(&output.stdout).is_ok());
    assert_eq!(names(&place.join("out/tiny/images")).len(), 3);
    let unknown = thixo(&place, &["render", "tiny-scene"]);
    assert_eq!(code(&unknown), 2);
    assert!(
        errors(&unknown).contains("no built-in scene"),
        "{}",
        errors(&unknown)
    );
}

#[test]
fn the_colour_bar_has_the_range_of_the_data() {
    let place = after_run("render-bar");
    let output = thixo(
        &place,
        &[
            "render",
            "out/tiny",
            "--frames",
            "0",
            "--color-by",
            "vy",
            "--size",
            "320x200",
            "--json",
        ],
    );
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    // Water rests, the ball falls with 2 m/s.
    let range: Vec<f64> = said["range"]
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect();
    assert_eq!(range, [-2.0, 0.0]);
    let wrong = thixo(
        &place,
        &["render", "out/tiny", "--color-by", "sped", "--overwrite"],
    );
    assert_eq!(code(&wrong), 2);
    assert!(
        errors(&wrong).contains("did you mean \"speed\""),
        "{}",
        errors(&wrong)
    );
}

#[test]
fn colours_that_frames_will_not_hold_are_refused_before_the_run() {
    let place = workplace("colours");
    let refused = |setting: &str| {
        let output = thixo(&place, &["run", "tiny.toml", "--render", "--set", setting]);
        assert_eq!(code(&output), 2, "{}", errors(&output));
        assert!(!place.join("out").exists());
        errors(&output)
    };
    let said = refused("render.color_by=speeed");
    assert!(said.contains("did you mean \"speed\"?"), "{said}");
    assert!(said.contains("they will hold x, y, z, vx"), "{said}");
    let said = refused("render.color_by=color");
    assert!(said.contains("no object and no emitter"), "{said}");
}

#[test]
fn a_missing_frame_is_said_and_a_damaged_one_stops_with_its_name() {
    let place = after_run("render-missing");
    let particles = place.join("out/tiny/particles");
    fs::remove_file(particles.join("frame_00001.ply")).unwrap();
    let render = ["render", "out/tiny", "--size", "64x48", "--overwrite"];
    let output = thixo(&place, &render);
    assert_eq!(code(&output), 0);
    assert!(
        errors(&output).contains("frame 1 is missing"),
        "{}",
        errors(&output)
    );
    let last = particles.join("frame_00002.ply");
    let bytes = fs::read(&last).unwrap();
    fs::write(&last, &bytes[..bytes.len() - 3]).unwrap();
    let output = thixo(&place, &render);
    assert_eq!(code(&output), 2);
    assert!(
        errors(&output).contains("frame_00002.ply has"),
        "{}",
        errors(&output)
    );
    fs::remove_dir_all(&particles).unwrap();
    let output = thixo(&place, &render);
    assert_eq!(code(&output), 2);
    assert!(errors(&output).contains("no frames"), "{}", errors(&output));
}

#[test]
fn a_column_without_numbers_and_particles_far_away_still_make_pictures() {
    let place = after_run("render-odd");
    let path = place.join("out/tiny/particles/frame_00000.ply");
    let mut bytes = fs::read(&path).unwrap();
    let start = bytes
        .windows(11)
        .position(|w| w == b"end_header\n")
        .unwrap()
        + 11;
    let count = String::from_utf8_lossy(&bytes[..start]).into_owned();
    let count: usize = count
        .lines()
        .find_map(|l| l.strip_prefix("element vertex "))
        .unwrap()
        .parse()
        .unwrap();
    let row = (bytes.len() - start) / count;
    for k in 0..count {
        // vx is the fourth number of a particle.
        bytes[start + k * row + 12..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    }
    bytes[start..start + 4].copy_from_slice(&1e20f32.to_le_bytes());
    bytes[start + row..start + row + 4].copy_from_slice(&f32::INFINITY.to_le_bytes());
    fs::write(&path, &bytes).unwrap();
    let arguments = [
        "render",
        "out/tiny",
        "--frames",
        "0",
        "--color-by",
        "vx",
        "--size",
        "320x200",
    ];
    let output = thixo(&place, &arguments);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let (_, _, pixels) = picture(&place.join("out/tiny/images/frame_00000.png"));
    // NaN is grey, and the rest of the matter is still seen.
    let grey = |p: &&[u8; 3]| p[0] == p[1] && p[1] == p[2] && (125..=150).contains(&p[0]);
    assert!(pixels.iter().filter(grey).count() > 2000);
}
