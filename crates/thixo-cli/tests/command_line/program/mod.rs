//! The program in a directory of its own, and what it wrote there.

pub mod page;
pub mod python;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};

/// Water and a ball of jelly.
pub const TINY: &str = r#"
title = "Two blocks"
dimension = 2
[grid]
spacing = 0.1
[time]
frames = 2
[physics]
gravity = ["0.5 * sin(40 * t) * x", -9.81]
[materials.jelly]
model = "neo_hookean"
density = 1000
young_modulus = 1e4
poisson_ratio = 0.3
[materials.water]
model = "fluid"
density = 1000
bulk_modulus = 1e5
[[objects]]
material = "water"
shape = { box = { min = [0, 0], max = [0.5, 0.3] } }
[[objects]]
name = "ball"
material = "jelly"
shape = { sphere = { center = [0.3, 0.7], radius = 0.2 } }
velocity = ["0.3 * ly", -2]
[[walls]]
axis = "y"
position = 0
matter = "above"
contact = "slip"
"#;

/// A fresh directory for a test.
pub fn workplace(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("tiny.toml"), TINY).unwrap();
    path
}

/// Runs the program there and waits for it.
pub fn thixo(place: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_thixo"))
        .args(arguments)
        .current_dir(place)
        .output()
        .unwrap()
}

/// Stops a running program as Ctrl-C does, and waits for its end.
pub fn interrupt(child: Child) -> Output {
    let mut kill = Command::new("kill");
    let kill = kill.args(["-INT", &child.id().to_string()]);
    assert!(kill.status().unwrap().success());
    child.wait_with_output().unwrap()
}

/// Its exit code.
pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// Text on standard error.
pub fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Bytes of all frames by name.
pub fn frames(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(directory.join("particles")).unwrap();
    entries
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                fs::read(entry.path()).unwrap(),
            )
        })
        .collect()
}

/// Names and columns of a binary little-endian PLY of floats, doubles and ints, read by the
/// format's specification.
pub fn read_ply(bytes: &[u8]) -> (Vec<String>, Vec<Vec<f64>>) {
    let end = bytes
        .windows(11)
        .position(|w| w == b"end_header\n")
        .unwrap();
    let header = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = header.lines();
    assert_eq!(lines.next(), Some("ply"));
    assert_eq!(lines.next(), Some("format binary_little_endian 1.0"));
    let mut count = 0;
    let mut properties = Vec::new();
    for line in lines {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["comment", ..] => {}
            ["element", "vertex", n] => count = n.parse().unwrap(),
            ["property", kind, name] => properties.push((kind.to_owned(), name.to_owned())),
            _ => panic!("{line}"),
        }
    }
    let mut rest = &bytes[end + 11..];
    let mut columns = vec![Vec::new(); properties.len()];
    for _ in 0..count {
        for (column, (kind, _)) in columns.iter_mut().zip(&properties) {
            let size = if kind == "double" { 8 } else { 4 };
            let (field, tail) = rest.split_at(size);
            rest = tail;
            column.push(match kind.as_str() {
                "float" => f64::from(f32::from_le_bytes(field.try_into().unwrap())),
                "double" => f64::from_le_bytes(field.try_into().unwrap()),
                "int" => f64::from(i32::from_le_bytes(field.try_into().unwrap())),
                _ => panic!("{kind}"),
            });
        }
    }
    assert!(rest.is_empty());
    (
        properties.into_iter().map(|(_, name)| name).collect(),
        columns,
    )
}

/// Solid, fluid, snow and sand, thrown together on a floor.
pub const MIXED: &str = r#"
title = "Four materials"
dimension = 2
[grid]
spacing = 0.05
[time]
frames = 12
fps = 50
[physics]
gravity = [0, -9.81]
[output]
checkpoint_every = 2
[materials.jelly]
model = "neo_hookean"
density = "1000 + 200 * lx"
young_modulus = "2e4 * (1 + 0.5 * noise(9 * x, 9 * y))"
poisson_ratio = 0.3
[materials.sand]
model = "drucker_prager"
density = 1500
young_modulus = 1e5
poisson_ratio = 0.3
friction_angle = 30
[materials.snow]
model = "snow"
density = 400
young_modulus = 1.4e5
poisson_ratio = 0.2
critical_compression = 2.5e-2
critical_stretch = 7.5e-3
hardening = 10
[materials.water]
model = "fluid"
density = 1000
bulk_modulus = 1e5
[[objects]]
material = "water"
shape = { box = { min = [0, 0], max = [0.4, 0.3] } }
[[objects]]
material = "jelly"
shape = { sphere = { center = [0.3, 0.5], radius = 0.15 } }
velocity = [0, -2]
angular_velocity = 3
[[objects]]
material = "sand"
shape = { box = { min = [0.45, 0.05], max = [0.75, 0.45] } }
velocity = [-2, 0]
[[objects]]
material = "snow"
shape = { sphere = { center = [0.65, 0.65], radius = 0.15 } }
velocity = [-1, -4]
[[walls]]
axis = "y"
position = 0
matter = "above"
contact = { separating = { friction = 0.3 } }
"#;

/// The budgets without the last column, which is wall time.
pub fn budgets(directory: &Path) -> Vec<String> {
    let text = fs::read_to_string(directory.join("stats.csv")).unwrap();
    let names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let wall = names.iter().position(|n| *n == "wall_seconds").unwrap();
    text.lines()
        .map(|line| {
            let mut fields: Vec<&str> = line.split(',').collect();
            fields.remove(wall);
            fields.join(",")
        })
        .collect()
}

/// The record of a run.
pub fn record(directory: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(directory.join("run.json")).unwrap()).unwrap()
}

/// Names of the files in a directory.
pub fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
