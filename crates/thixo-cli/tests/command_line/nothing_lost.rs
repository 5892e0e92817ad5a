//! Output that cannot be written is an error, and no run replaces what it is made from.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::program::{TINY, code, errors, thixo, workplace};

/// The program with standard output on a device that is always full.
#[cfg(target_os = "linux")]
fn into_full_disk(place: &Path, arguments: &[&str]) -> Output {
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    Command::new(env!("CARGO_BIN_EXE_thixo"))
        .args(arguments)
        .current_dir(place)
        .stdout(full)
        .output()
        .unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn lost_output_is_an_error() {
    let place = workplace("full");
    let output = thixo(&place, &["run", "tiny.toml", "--out", "d", "--quiet"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    for arguments in [
        &["schema"][..],
        &["scenes"],
        &["scenes", "--json"],
        &["materials"],
        &["material-test", "snow"],
        &["check", "tiny.toml"],
        &["check", "tiny.toml", "--json"],
        &["info", "d"],
        &["run", "tiny.toml", "--out", "e", "--json"],
        &["run", "tiny.toml", "--out", "f"],
        &["help"],
    ] {
        let output = into_full_disk(&place, arguments);
        assert_eq!(code(&output), 1, "{arguments:?}: {}", errors(&output));
        assert!(
            errors(&output).contains("No space left"),
            "{arguments:?}: {}",
            errors(&output)
        );
    }
}

/// A reader that has seen enough, such as `head`, is no error.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    let place = workplace("pipe");
    let command = format!("{} schema | head -n 1", env!("CARGO_BIN_EXE_thixo"));
    let output = Command::new("bash")
        .args(["-o", "pipefail", "-c", &command])
        .current_dir(&place)
        .output()
        .unwrap();
    assert_eq!(code(&output), 0, "{}", errors(&output));
}

#[test]
fn a_run_does_not_replace_its_own_scene() {
    let place = workplace("own-scene");
    let text = format!("# Mine.\n{TINY}");
    fs::write(place.join("scene.toml"), &text).unwrap();
    let refused = |arguments: &[&str], words: &str| {
        let output = thixo(&place, &[&["run"], arguments, &["--overwrite"]].concat());
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(errors(&output).contains(words), "{}", errors(&output));
        assert_eq!(fs::read_to_string(place.join("scene.toml")).unwrap(), text);
    };
    refused(
        &["scene.toml", "--out", "."],
        "the run would replace scene.toml, which it is made from",
    );
    // Nor a scene of somebody else.
    refused(
        &["tiny.toml", "--out", "."],
        "./scene.toml was not written by a run",
    );
    // A run in its own directory may be repeated in place, as its scene stays the same.
    for arguments in [
        ["tiny.toml", "--out", "d", "--quiet"],
        ["d/scene.toml", "--out", "d", "--overwrite"],
    ] {
        let output = thixo(&place, &[&["run"], &arguments[..]].concat());
        assert_eq!(code(&output), 0, "{arguments:?}: {}", errors(&output));
    }
    let edited = fs::read_to_string(place.join("d/scene.toml")).unwrap() + "# a note\n";
    fs::write(place.join("d/scene.toml"), &edited).unwrap();
    let output = thixo(
        &place,
        &["run", "d/scene.toml", "--out", "d", "--overwrite"],
    );
    assert_eq!(code(&output), 2, "{}", errors(&output));
    assert_eq!(
        fs::read_to_string(place.join("d/scene.toml")).unwrap(),
        edited
    );
}

#[test]
fn a_run_does_not_replace_the_particles_that_it_begins_with() {
    let place = workplace("own-particles");
    let output = thixo(&place, &["run", "tiny.toml", "--out", "d", "--quiet"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let start = TINY.find("[[objects]]").unwrap();
    let walls = TINY.find("[[walls]]").unwrap();
    let object = "[[objects]]\nmaterial = \"water\"\n\
                  particles = { file = \"d/particles/frame_00002.ply\" }\n";
    let text = format!("{}{object}{}", &TINY[..start], &TINY[walls..]);
    fs::write(place.join("again.toml"), text).unwrap();
    let run = |out: &str| thixo(&place, &["run", "again.toml", "--out", out, "--overwrite"]);
    let output = run("d");
    assert_eq!(code(&output), 2, "{}", errors(&output));
    assert!(
        errors(&output).contains("the run would replace d/particles/frame_00002.ply"),
        "{}",
        errors(&output)
    );
    assert!(place.join("d/particles/frame_00002.ply").exists());
    let output = run("e");
    assert_eq!(code(&output), 0, "{}", errors(&output));
}
