//! `thixo info` of runs that are done, failed, killed or damaged.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::program::{TINY, code, errors, record, thixo, workplace};
use serde_json::{Value, json};

/// A run of two frames in `run`.
fn finished(name: &str) -> PathBuf {
    let place = workplace(name);
    let output = thixo(&place, &["run", "tiny.toml", "--out", "run", "--quiet"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    place
}

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn as_json(place: &Path) -> Value {
    let output = thixo(place, &["info", "run", "--json"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_run_is_described_by_the_numbers_in_its_files() {
    let place = finished("info");
    let directory = place.join("run");
    let info = as_json(&place);
    let record = record(&directory);
    for key in [
        "title",
        "particles",
        "materials",
        "objects",
        "steps",
        "frames",
        "last_frame",
        "seconds",
        "threads",
    ] {
        let (found, expected) = (&info[key], &record[key]);
        assert_eq!(found, expected, "{key}");
    }
    assert_eq!(info["state"], "done");
    assert_eq!(info["checkpoint"], json!({ "frame": 2, "problems": [] }));
    assert_eq!(info["time"], 2.0 / 24.0);

    let stats = fs::read_to_string(directory.join("stats.csv")).unwrap();
    let rows: Vec<Vec<&str>> = stats
        .lines()
        .map(|line| line.split(',').collect())
        .collect();
    let number = |row: usize, name: &str| -> f64 {
        let column = rows[0].iter().position(|n| *n == name).unwrap();
        rows[row][column].parse().unwrap()
    };
    let budgets = &info["budgets"];
    for name in [
        "mass",
        "kinetic",
        "elastic",
        "potential",
        "max_speed",
        "j_min",
        "j_max",
    ] {
        assert_eq!(budgets[name]["first"], number(1, name), "{name}");
        assert_eq!(budgets[name]["last"], number(3, name), "{name}");
    }
    assert_eq!(budgets["momentum"]["last"][1], number(3, "py"));
    assert_eq!(budgets["angular_momentum"]["last"][2], number(3, "lz"));
    assert_eq!(info["dt_min"], number(2, "dt_min").min(number(3, "dt_min")));
    assert!(budgets["mass"]["drift"].as_f64().unwrap().abs() < 1e-12);

    let mut bytes = 0;
    for part in ["", "particles", "checkpoint"] {
        for entry in fs::read_dir(directory.join(part)).unwrap() {
            let about = entry.unwrap().metadata().unwrap();
            bytes += if about.is_file() { about.len() } else { 0 };
        }
    }
    assert_eq!(info["disk_bytes"], bytes);

    let text = words(&thixo(&place, &["info", "run"]));
    for line in [
        "run: Two blocks",
        "state      done",
        "materials  jelly, water",
        "objects    water-0, ball",
        "frames     2 of 2",
        "checkpoint frame 2",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn mass_of_emitters_and_sinks_is_no_drift() {
    let place = workplace("info-flow");
    let flow = "[[emitters]]\nmaterial = \"water\"\nshape = { box = { min = [-0.5, 0.5], max = [-0.4, 0.8] } }\nvelocity = [3, 0]\n\
                [[sinks]]\nshape = { box = { min = [0, 0], max = [0.3, 0.3] } }\n";
    fs::write(place.join("flow.toml"), format!("{TINY}{flow}")).unwrap();
    let output = thixo(&place, &["run", "flow.toml", "--out", "run", "--quiet"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let info = as_json(&place);
    assert!(info["emitted_mass"].as_f64().unwrap() > 1.0);
    assert!(info["removed_mass"].as_f64().unwrap() > 1.0);
    assert!(
        info["budgets"]["mass"]["drift"].as_f64().unwrap().abs() < 1e-6,
        "{info}"
    );
}

#[test]
fn a_run_that_failed_or_was_killed_says_so() {
    let place = workplace("info-failed");
    fs::write(place.join("stiff.toml"), TINY.replace("1e4", "1e30")).unwrap();
    assert_eq!(
        code(&thixo(&place, &["run", "stiff.toml", "--out", "run"])),
        1
    );
    let info = as_json(&place);
    assert_eq!(info["state"], "failed");
    assert_eq!(
        (&info["last_frame"], &info["frames"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(info["checkpoint"]["frame"], Value::Null);
    let text = words(&thixo(&place, &["info", "run"]));
    assert!(
        text.contains("state      failed: ") && text.contains("stable time step"),
        "{text}"
    );

    // A killed process leaves a record that says it runs, and perhaps half a line.
    let path = place.join("run/run.json");
    let running = fs::read_to_string(&path)
        .unwrap()
        .replace("\"failed\"", "\"running\"");
    fs::write(&path, running).unwrap();
    let stats = place.join("run/stats.csv");
    let half = format!("{}1,0.04", fs::read_to_string(&stats).unwrap());
    fs::write(&stats, half).unwrap();
    assert_eq!(as_json(&place)["state"], "killed");
    // While somebody has the lock, it is still running.
    let lock = fs::File::open(place.join("run/.lock")).unwrap();
    lock.lock().unwrap();
    let info = as_json(&place);
    assert_eq!(info["state"], "running");
    assert!(info["process"].as_str().unwrap().starts_with("process "));
    let header = fs::read_to_string(&stats)
        .unwrap()
        .lines()
        .next()
        .unwrap()
        .to_owned();
    fs::write(&stats, header + "\n").unwrap();
    let text = words(&thixo(&place, &["info", "run"]));
    assert!(text.contains("frames     none yet of 2"), "{text}");
}

#[test]
fn what_is_missing_or_damaged_is_named() {
    let place = finished("info-damaged");
    let refused = |words: &str| {
        for arguments in [&["info", "run"][..], &["info", "run", "--json"]] {
            let output = thixo(&place, arguments);
            assert_eq!(code(&output), 2, "{words}");
            let errors = errors(&output);
            assert!(
                errors.contains(words) && !errors.contains("panicked"),
                "{errors}"
            );
        }
    };
    for (name, damage, warning) in [
        (
            "run.json",
            &b"{\"version\": "[..],
            "run.json is damaged: EOF while parsing",
        ),
        (
            "run.json",
            b"{}",
            "run.json is damaged: missing field `version`",
        ),
        (
            "stats.csv",
            b"frame,time\n",
            "stats.csv is damaged: its first line should name the columns and lacks \"steps\"",
        ),
        (
            "stats.csv",
            b"\xff\xfe",
            "stats.csv is damaged: it is not text",
        ),
        ("scene.toml", b"title = ", "scene.toml is damaged: "),
    ] {
        let path = place.join("run").join(name);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, damage).unwrap();
        refused(warning);
        fs::remove_file(&path).unwrap();
        let missing = match name {
            "run.json" => "there is no run in run: it has no run.json",
            _ => " is missing",
        };
        refused(missing);
        fs::write(&path, whole).unwrap();
    }
    let checkpoint = place.join("run/checkpoint/frame_00002.thixo");
    let mut bytes = fs::read(&checkpoint).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&checkpoint, &bytes).unwrap();
    refused("it has no good checkpoint: run/checkpoint/frame_00002.thixo: it is damaged");
    fs::remove_file(&checkpoint).unwrap();
    assert_eq!(as_json(&place)["checkpoint"]["frame"], Value::Null);

    let output = thixo(&place, &["info", "nowhere"]);
    assert_eq!(code(&output), 2);
    assert!(errors(&output).contains("there is no directory nowhere"));
    assert_eq!(code(&thixo(&place, &["info"])), 2);
}
