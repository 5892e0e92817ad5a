//! Runs whose numbers are not to be trusted say so: while they go on, at their end, in their record
//! and in `thixo info`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{TINY, code, errors, record, thixo, workplace};
use serde_json::{Value, json};

/// A finished run of two frames in `run`, of a scene that nothing drives.
fn finished(name: &str) -> PathBuf {
    let place = workplace(name);
    let scene = TINY.replace("\"0.5 * sin(40 * t) * x\"", "0");
    fs::write(place.join("still.toml"), scene).unwrap();
    run(&place, &[], 0);
    place
}

/// Runs the scene with more options; returns the text on standard error.
fn run(place: &Path, more: &[&str], expected: i32) -> String {
    let arguments = ["run", "still.toml", "--out", "run"];
    let output = thixo(place, &[&arguments[..], more].concat());
    assert_eq!(code(&output), expected, "{}", errors(&output));
    errors(&output)
}

/// Puts another number into a column of a frame of the budgets.
fn replace(place: &Path, frame: usize, column: &str, number: &str) {
    let path = place.join("run/stats.csv");
    let text = fs::read_to_string(&path).unwrap();
    let mut rows: Vec<Vec<&str>> = text.lines().map(|l| l.split(',').collect()).collect();
    let column = rows[0].iter().position(|name| *name == column).unwrap();
    rows[frame + 1][column] = number;
    let lines: Vec<String> = rows.iter().map(|row| row.join(",")).collect();
    fs::write(path, lines.join("\n") + "\n").unwrap();
}

fn info(place: &Path) -> (String, Value) {
    let text = thixo(place, &["info", "run"]);
    let value = thixo(place, &["info", "run", "--json"]);
    assert_eq!((code(&text), code(&value)), (0, 0));
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    (text, serde_json::from_slice(&value.stdout).unwrap())
}

#[test]
fn a_run_that_is_right_has_no_warnings() {
    let place = finished("watch-right");
    assert_eq!(record(&place.join("run"))["warnings"], json!([]));
    let (text, value) = info(&place);
    assert!(!text.contains("warning"), "{text}");
    assert_eq!(value["warnings"], json!([]));
}

/// The budgets of a run that was interrupted after its energy had grown, which then goes on.
#[test]
fn energy_that_grows_is_told_by_info_and_by_the_run_that_goes_on() {
    let place = finished("watch-energy");
    replace(&place, 1, "kinetic", "1e6");
    let (text, value) = info(&place);
    assert!(text.contains("warning    energy grew by 9.9"), "{text}");
    let warning = &value["warnings"][0];
    assert_eq!(warning["kind"], "energy_growth");
    assert_eq!(
        (&warning["frame"], &warning["worst_frame"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(warning["time"], 1.0 / 24.0);

    let told = run(&place, &["--frames", "3", "--resume"], 0);
    assert_eq!(told.matches("warning: energy grew by").count(), 1, "{told}");
    assert_eq!(record(&place.join("run"))["warnings"][0], *warning);
    let silent = run(&place, &["--frames", "4", "--resume", "--quiet"], 0);
    assert!(silent.is_empty(), "{silent}");

    let stop = [
        "--frames",
        "6",
        "--resume",
        "--set",
        "time.stop_on_energy_growth=true",
    ];
    let told = run(&place, &stop, 1);
    let error = "error: time.stop_on_energy_growth ends the run: energy grew by";
    assert_eq!(told.matches("energy grew by").count(), 1, "{told}");
    assert!(told.contains(error), "{told}");
    let record = record(&place.join("run"));
    assert_eq!(
        (&record["state"], &record["last_frame"]),
        (&json!("failed"), &json!(5))
    );
    assert!(
        record["message"]
            .as_str()
            .unwrap()
            .contains("energy grew by")
    );
}

#[test]
fn particles_that_spread_are_told() {
    let place = finished("watch-volume");
    replace(&place, 0, "volume", "0.5");
    replace(&place, 0, "filled_volume", "0.5");
    replace(&place, 2, "volume", "0.5");
    replace(&place, 2, "filled_volume", "0.52");
    let (text, value) = info(&place);
    assert!(
        text.contains("filled     0.500000 → 0.520000 m³ by the grid"),
        "{text}"
    );
    assert!(
        text.contains("warning    in frame 2 particles fill"),
        "{text}"
    );
    assert_eq!(value["warnings"][0]["kind"], "volume_mismatch");
    assert_eq!(
        value["budgets"]["filled_volume"],
        json!({ "first": 0.5, "last": 0.52 })
    );
}
