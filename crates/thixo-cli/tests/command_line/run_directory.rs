//! The program as others use it: exit codes, what a run leaves behind, the same bytes on any number
//! of threads.

use std::fs;
use std::path::PathBuf;

use crate::program::{TINY, code, errors, frames, read_ply, thixo, workplace};

#[test]
fn a_run_leaves_scene_record_budgets_and_frames() {
    let place = workplace("contract");
    let output = thixo(
        &place,
        &["run", "tiny.toml", "--precision", "f64", "--json"],
    );
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let directory = place.join("out/tiny");
    let frames = frames(&directory);
    let names: Vec<&str> = frames.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["frame_00000.ply", "frame_00001.ply", "frame_00002.ply"]
    );

    let (names, columns) = read_ply(&frames["frame_00002.ply"]);
    let expected = [
        "x", "y", "z", "vx", "vy", "vz", "mass", "volume", "j", "material", "object",
    ];
    assert_eq!(names, expected);
    let water = 1000.0 * 0.5 * 0.3;
    let ball = 1000.0 * std::f64::consts::PI * 0.04;
    let mass: f64 = columns[6].iter().sum();
    assert!((mass / (water + ball) - 1.0).abs() < 1e-12);
    // The first object is the water, whose material comes second by name.
    assert_eq!((columns[9][0], columns[10][0]), (1.0, 0.0));
    assert_eq!(
        (columns[9].last(), columns[10].last()),
        (Some(&0.0), Some(&1.0))
    );
    assert!(columns[2].iter().chain(&columns[5]).all(|&z| z == 0.0));
    assert!(columns[1].iter().all(|&y| y > 0.0));

    let stats = fs::read_to_string(directory.join("stats.csv")).unwrap();
    let rows: Vec<Vec<&str>> = stats
        .lines()
        .map(|line| line.split(',').collect())
        .collect();
    assert_eq!(
        stats.lines().next(),
        Some(
            "frame,time,steps,dt_min,dt_max,particles,mass,px,py,pz,lx,ly,lz,kinetic,elastic,potential,max_speed,j_min,j_max,wall_seconds,retries,newton,linear,line_search,sweeps,residual,volume,filled_volume,pressure,divergence,walls[0].fx,walls[0].fy,walls[0].fz,walls[0].mx,walls[0].my,walls[0].mz"
        )
    );
    assert_eq!(rows.len(), 4);
    assert!(rows.iter().all(|row| row.len() == 36));
    // The water is so shallow that no node has matter all around it.
    for row in &rows[1..] {
        for (name, field) in rows[0].iter().zip(row) {
            let number = field.parse::<f64>().unwrap();
            assert_eq!(number.is_finite(), *name != "filled_volume", "{name}");
        }
    }
    assert_eq!(rows[3][1].parse::<f64>().unwrap(), 2.0 / 24.0);

    let text = fs::read_to_string(directory.join("run.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(record["state"], "done");
    assert_eq!(record["precision"], "f64");
    assert_eq!(record["materials"], serde_json::json!(["jelly", "water"]));
    assert_eq!(record["objects"], serde_json::json!(["water-0", "ball"]));
    assert_eq!(record["particles"], columns[0].len());
    assert!(record["command"].as_array().unwrap().len() == 6);
    for key in [
        "version",
        "threads",
        "instruction_set",
        "seconds",
        "particle_updates_per_second",
    ] {
        assert!(!record[key].is_null(), "{key}");
    }
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed["state"], "done");
    let left_over = |path: PathBuf| path.extension().is_some_and(|end| end == "part");
    assert!(
        !fs::read_dir(&directory)
            .unwrap()
            .any(|entry| left_over(entry.unwrap().path()))
    );
}

#[test]
fn frames_are_the_same_bytes_on_any_threads_and_from_the_written_scene() {
    let place = workplace("threads");
    for threads in ["1", "2"] {
        let output = thixo(
            &place,
            &[
                "run",
                "tiny.toml",
                "--threads",
                threads,
                "--out",
                threads,
                "--quiet",
            ],
        );
        assert_eq!(code(&output), 0, "{}", errors(&output));
        assert!(output.stdout.is_empty() && output.stderr.is_empty());
    }
    let one = frames(&place.join("1"));
    assert_eq!(one.len(), 3);
    assert_eq!(one, frames(&place.join("2")));
    let output = thixo(&place, &["run", "1/scene.toml", "--out", "again"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert_eq!(one, frames(&place.join("again")));
    let first = fs::read(place.join("1/scene.toml")).unwrap();
    assert_eq!(first, fs::read(place.join("again/scene.toml")).unwrap());
}

#[test]
fn an_existing_directory_is_kept_unless_told_otherwise() {
    let place = workplace("existing");
    assert_eq!(code(&thixo(&place, &["run", "tiny.toml", "--out", "d"])), 0);
    fs::write(place.join("d/notes.txt"), "mine").unwrap();
    let before = frames(&place.join("d"));
    let output = thixo(&place, &["run", "tiny.toml", "--out", "d", "--frames", "1"]);
    assert_eq!(code(&output), 2);
    assert_eq!(
        errors(&output),
        "error: d exists already; choose another directory, go on with --resume or replace it with --overwrite\n"
    );
    assert_eq!(frames(&place.join("d")), before);
    let output = thixo(
        &place,
        &[
            "run",
            "tiny.toml",
            "--out",
            "d",
            "--frames",
            "1",
            "--overwrite",
        ],
    );
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert_eq!(frames(&place.join("d")).len(), 2);
    assert!(place.join("d/notes.txt").exists());
}

#[test]
fn bad_input_and_usage_exit_with_2() {
    let place = workplace("bad");
    fs::write(place.join("bad.toml"), TINY.replace("spacing", "spacng")).unwrap();
    let output = thixo(&place, &["run", "bad.toml"]);
    assert_eq!(code(&output), 2);
    assert!(errors(&output).starts_with(
        "error: bad.toml:5:1: unknown key \"spacng\" in [grid]; did you mean \"spacing\"?\n"
    ));
    assert!(!place.join("out").exists());
    let output = thixo(&place, &["run", "jelly-drp"]);
    assert_eq!(code(&output), 2);
    assert!(errors(&output).contains("did you mean \"jelly-drop\"?"));
    let output = thixo(&place, &["run", "tiny.toml", "--preview"]);
    assert_eq!(code(&output), 2);
    assert!(errors(&output).contains("tiny.toml has no [preview] table"));
    let output = thixo(&place, &["check", "."]);
    assert_eq!(code(&output), 2);
    assert!(errors(&output).contains(". is a directory; a scene is a file"));
    assert_eq!(code(&thixo(&place, &["run"])), 2);
    assert_eq!(
        code(&thixo(&place, &["run", "tiny.toml", "--quiet", "--json"])),
        2
    );
    assert_eq!(
        code(&thixo(&place, &["run", "tiny.toml", "--precision", "f16"])),
        2
    );
}

#[test]
fn a_run_that_fails_keeps_what_it_wrote_and_exits_with_1() {
    let place = workplace("failing");
    // So stiff that no step reaches the end of a frame.
    fs::write(place.join("stiff.toml"), TINY.replace("1e4", "1e30")).unwrap();
    let output = thixo(&place, &["run", "stiff.toml"]);
    assert_eq!(code(&output), 1, "{}", errors(&output));
    assert!(
        errors(&output).contains("limited by the stiffness of a material"),
        "{}",
        errors(&output)
    );
    let directory = place.join("out/stiff");
    assert_eq!(frames(&directory).len(), 1);
    let text = fs::read_to_string(directory.join("run.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(record["state"], "failed");
    assert!(
        record["message"]
            .as_str()
            .unwrap()
            .contains("stable time step")
    );
}

const JET: &str = r#"
title = "A jet fills a tub"
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
[[emitters]]
name = "spout"
material = "water"
shape = { box = { min = [0, 0.5], max = [0.1, 0.9] } }
velocity = [2, 0]
sampling = { stratified = { per_cell = 4, seed = 5 } }
[[walls]]
axis = "y"
position = 0
matter = "above"
contact = "slip"
"#;

#[test]
fn a_run_with_an_emitter_weighs_what_was_emitted() {
    let place = workplace("emitter");
    fs::write(place.join("jet.toml"), JET).unwrap();
    let output = thixo(
        &place,
        &["run", "jet.toml", "--precision", "f64", "--quiet"],
    );
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let directory = place.join("out/jet");
    let stats = fs::read_to_string(directory.join("stats.csv")).unwrap();
    let mut lines = stats.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let mass = names.iter().position(|name| *name == "mass").unwrap();
    for (frame, line) in lines.enumerate() {
        let found: f64 = line.split(',').nth(mass).unwrap().parse().unwrap();
        // Density × area × speed × time; a row of strata more or less has left at the end of a
        // frame.
        let expected = 1000.0 * 0.4 * 2.0 * frame as f64 / 20.0;
        let row = 1000.0 * 0.4 * 0.05;
        assert!(
            (found - expected).abs() <= row,
            "{frame} {found} {expected}"
        );
    }
    let (names, columns) = read_ply(&frames(&directory)["frame_00004.ply"]);
    let object = names.iter().position(|name| name == "object").unwrap();
    assert!(!columns[object].is_empty() && columns[object].iter().all(|&k| k == 0.0));
    let record = fs::read_to_string(directory.join("run.json")).unwrap();
    assert!(record.contains("\"spout\""), "{record}");
}
