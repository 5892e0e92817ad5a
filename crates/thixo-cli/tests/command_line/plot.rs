//! `thixo plot`: from the budgets of runs to figures.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use crate::program::{code, errors, names, thixo, workplace};

fn after_run(name: &str) -> PathBuf {
    let place = workplace(name);
    assert_eq!(code(&thixo(&place, &["run", "tiny.toml", "--quiet"])), 0);
    place
}

fn svg(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// Names of the lines and dots of a figure, in order.
fn series(text: &str) -> Vec<String> {
    let marks = text
        .lines()
        .filter(|line| line.contains("class=\"series\""));
    let name = |line: &str| {
        let (_, rest) = line.split_once("<title>").unwrap();
        rest.split_once("</title>").unwrap().0.to_owned()
    };
    marks.map(name).collect()
}

#[test]
fn a_run_has_a_figure_of_all_budgets_and_one_of_each() {
    let place = after_run("plot-one");
    let output = thixo(&place, &["plot", "out/tiny", "--json"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let files = said["files"].as_array().unwrap();
    let plots = place.join("out/tiny/plots");
    assert_eq!(files.len(), names(&plots).len());
    for file in files {
        assert!(place.join(file.as_str().unwrap()).is_file(), "{file}");
    }
    let energy = svg(&plots.join("energy.svg"));
    assert_eq!(
        series(&energy),
        ["kinetic", "elastic", "potential", "total"]
    );
    assert!(energy.contains(">energy [J]<") && energy.contains(">time [s]<"));
    // In the plane there are two components of the momentum, and one of the angular momentum.
    assert_eq!(series(&svg(&plots.join("momentum.svg"))), ["x", "y"]);
    assert_eq!(series(&svg(&plots.join("angular_momentum.svg"))), ["z"]);
    let all = svg(&plots.join("budgets.svg"));
    // The water is so shallow that nobody knows what its particles fill.
    assert_eq!(series(&svg(&plots.join("volume.svg"))), ["by J"]);
    assert_eq!(series(&all).len(), 4 + 2 + 1 + 2 + 1 + 1 + 1 + 2 + 1 + 1);
    for unit in ["[J]", "kg m/s]", "kg m²/s]", "[kg]", "[m/s]", " s]", "1/s]"] {
        assert!(all.contains(unit), "{unit}");
    }
    let again = thixo(&place, &["plot", "out/tiny"]);
    assert_eq!(code(&again), 2);
    assert!(errors(&again).contains("--overwrite"), "{}", errors(&again));
}

/// Writes budgets with the energies of a fall: kinetic t², potential −t², all else constant.
fn replace_budgets(run: &Path, kinetic: &[f64]) {
    let text = fs::read_to_string(run.join("stats.csv")).unwrap();
    let header = text.lines().next().unwrap();
    let mut lines = vec![header.to_owned()];
    for (frame, kinetic) in kinetic.iter().enumerate() {
        let row = header.split(',').map(|name| match name {
            "frame" | "time" => frame.to_string(),
            "kinetic" => kinetic.to_string(),
            "potential" => (-kinetic).to_string(),
            "steps" if frame == 0 => "0".to_owned(),
            _ => "1".to_owned(),
        });
        lines.push(row.collect::<Vec<_>>().join(","));
    }
    fs::write(run.join("stats.csv"), lines.join("\n") + "\n").unwrap();
}

/// The points of a line of a figure.
fn points(text: &str, name: &str) -> Vec<[f64; 2]> {
    let title = format!("<title>{name}</title>");
    let line = text.lines().find(|line| line.contains(&title)).unwrap();
    let path = line
        .split_once(" d=\"M")
        .unwrap()
        .1
        .split_once('"')
        .unwrap()
        .0;
    let number = |text: &str| text.parse::<f64>().unwrap();
    path.split('L')
        .map(|pair| pair.split_once(' ').unwrap())
        .map(|(x, y)| [number(x), number(y)])
        .collect()
}

#[test]
fn lines_are_where_their_numbers_are_in_both_formats() {
    let place = after_run("plot-lines");
    let run = place.join("out/tiny");
    replace_budgets(&run, &[0.0, 1.0, 4.0, 9.0, 16.0]);
    let output = thixo(&place, &["plot", "out/tiny"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let text = svg(&run.join("plots/energy.svg"));
    let (up, down) = (points(&text, "kinetic"), points(&text, "potential"));
    assert_eq!(up.len(), 5);
    // Equal steps in time are equal steps to the right, and heights go with the squares.
    let zero = up[0][1];
    for k in 0..5 {
        let step = up[1][0] - up[0][0];
        assert!((up[k][0] - up[0][0] - step * k as f64).abs() < 0.05);
        let height = (zero - up[4][1]) * (k * k) as f64 / 16.0;
        assert!((zero - up[k][1] - height).abs() < 0.05, "{k}");
        assert!((down[k][1] - zero - height).abs() < 0.05, "{k}");
    }
    let file = BufReader::new(File::open(run.join("plots/energy.png")).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let pixel = |x: f64, y: f64| {
        let k = (2.0 * y) as usize * info.width as usize + (2.0 * x) as usize;
        &bytes[4 * k..4 * k + 3]
    };
    assert!(text.contains(&format!(
        "width=\"{}\" height=\"{}\"",
        info.width / 2,
        info.height / 2
    )));
    // Half way along every piece of the line there is its colour.
    for pair in up.windows(2) {
        let [x, y] = [0, 1].map(|a| 0.5 * (pair[0][a] + pair[1][a]));
        let color = pixel(x, y);
        assert!(color[0] < 60 && color[2] > 150, "{color:?} at {x} {y}");
    }
    assert_eq!(pixel(2.0, 2.0), [255, 255, 255]);
}

#[test]
fn gaps_single_frames_and_runs_that_are_not_done_are_plotted() {
    let place = after_run("plot-odd");
    let run = place.join("out/tiny");
    replace_budgets(&run, &[0.0, 1.0, f64::NAN, 9.0, f64::INFINITY, 5.0, 6.0]);
    let record = fs::read_to_string(run.join("run.json")).unwrap();
    fs::write(
        run.join("run.json"),
        record.replace("\"done\"", "\"failed\""),
    )
    .unwrap();
    let plot = ["plot", "out/tiny", "--overwrite"];
    assert_eq!(code(&thixo(&place, &plot)), 0);
    let text = svg(&run.join("plots/energy.svg"));
    assert!(text.contains("tiny (failed)"));
    // A line before the gap, a dot between two, a line behind.
    let kinetic: Vec<&str> = text
        .lines()
        .filter(|l| l.contains("<title>kinetic</title>"))
        .collect();
    assert_eq!(kinetic.len(), 3);
    assert!(kinetic[1].starts_with("<circle"));
    assert!(!text.contains("NaN") && !text.contains("inf"));
    replace_budgets(&run, &[2.0]);
    fs::remove_dir_all(run.join("plots")).unwrap();
    assert_eq!(code(&thixo(&place, &plot)), 0);
    let text = svg(&run.join("plots/energy.svg"));
    assert_eq!(text.matches("<circle").count(), 4);
    assert!(!run.join("plots/updates.svg").exists());
    replace_budgets(&run, &[]);
    let output = thixo(&place, &plot);
    assert_eq!(code(&output), 2);
    assert!(
        errors(&output).contains("no frames yet"),
        "{}",
        errors(&output)
    );
    fs::remove_file(run.join("stats.csv")).unwrap();
    let output = thixo(&place, &plot);
    assert_eq!(code(&output), 2);
    assert!(
        errors(&output).contains("stats.csv is missing"),
        "{}",
        errors(&output)
    );
}

#[test]
fn several_runs_have_a_line_each_and_their_names() {
    let place = after_run("plot-several");
    let more = [
        "run",
        "tiny.toml",
        "--quiet",
        "--frames",
        "5",
        "--out",
        "out/a <long> one",
    ];
    assert_eq!(code(&thixo(&place, &more)), 0);
    let plot = [
        "plot",
        "out/tiny",
        "out/a <long> one",
        "--out",
        "both",
        "--format",
        "svg",
    ];
    let output = thixo(&place, &plot);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert!(
        names(&place.join("both"))
            .iter()
            .all(|name| name.ends_with(".svg"))
    );
    let text = svg(&place.join("both/kinetic_energy.svg"));
    assert_eq!(
        series(&text),
        ["tiny kinetic", "a &lt;long&gt; one kinetic"]
    );
    assert!(text.contains(">tiny<") && text.contains(">a &lt;long&gt; one<"));
    assert!(text.contains(">kinetic energy [J]<"));
    // The second is two and a half times as long.
    let [first, second] = ["tiny kinetic", "a &lt;long&gt; one kinetic"].map(|n| points(&text, n));
    let length = |line: &[[f64; 2]]| line[line.len() - 1][0] - line[0][0];
    assert!((length(&second) / length(&first) - 2.5).abs() < 0.01);
    let steps = svg(&place.join("both/time_step.svg"));
    assert_eq!(series(&steps).len(), 4);
    // Runs of one name are told apart by their places.
    let output = thixo(
        &place,
        &["plot", "out/tiny", "out/../out/tiny", "--out", "same"],
    );
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert!(svg(&place.join("same/budgets.svg")).contains(">out/../out/tiny<"));
}
