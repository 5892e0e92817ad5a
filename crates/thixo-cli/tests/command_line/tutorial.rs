//! The pages of `docs/tutorial`, followed to the letter: their files are written, their commands
//! run, their output and their numbers compared.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::page::{Page, is_like, is_like_in_words, words};
use crate::program::{self, code, errors, names, read_ply, thixo, workplace};

/// Follows a page in a directory of its own. What it claims in prose is compared by the tests
/// below: the sentences must be there.
fn follow(name: &str, claims: &[&str]) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tutorial");
    let page = Page::read(&Path::new(folder).join(format!("{name}.md")));
    let place = workplace(name);
    page.follow(&place);
    for claim in claims {
        assert!(page.says(claim), "{name}.md no longer says: {claim}");
    }
    place
}

/// A column of `stats.csv`.
fn column(run: &Path, name: &str) -> Vec<f64> {
    let text = fs::read_to_string(run.join("stats.csv")).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let index = lines
        .next()
        .unwrap()
        .iter()
        .position(|n| *n == name)
        .unwrap();
    lines.map(|line| line[index].parse().unwrap()).collect()
}

/// Smallest and largest x of the particles of every object in a frame.
fn extents(run: &Path, frame: u32) -> Vec<(f64, f64)> {
    let bytes = fs::read(run.join(format!("particles/frame_{frame:05}.ply"))).unwrap();
    let (names, columns) = read_ply(&bytes);
    let of = |name: &str| &columns[names.iter().position(|n| n == name).unwrap()];
    let mut found = Vec::new();
    for (x, object) in of("x").iter().zip(of("object")) {
        let object = *object as usize;
        if found.len() <= object {
            found.resize(object + 1, (f64::INFINITY, f64::NEG_INFINITY));
        }
        let (least, most) = found[object];
        found[object] = (f64::min(least, *x), f64::max(most, *x));
    }
    found
}

fn near(found: f64, claimed: f64, tolerance: f64) {
    let is_near = (found / claimed - 1.0).abs() <= tolerance;
    assert!(is_near, "the page says {claimed}, found {found}");
}

#[test]
fn lines_of_pages_are_compared_by_their_numbers() {
    assert!(is_like(
        "49 frames, 780 steps in … s",
        "49 frames, 782 steps in 0.8 s"
    ));
    assert!(is_like("dt 1.50e-3 s, -2", "dt 1.49e-3 s, -2.01"));
    assert!(is_like("2 threads, avx2", "16 threads, portable"));
    assert!(is_like("5.0 M updates/s", "1.2 M updates/s"));
    assert!(!is_like("dt 1.50e-3 s", "dt 1.40e-3 s"));
    assert!(!is_like("49 frames", "49 frames and more") && !is_like("done", "failed"));
    assert!(!is_like("0 J", "1 J") && !is_like("5.0 M updates/s", "5.0 updates/s"));
    assert_eq!(
        words("a --set 'b=\"c d\"'  e"),
        ["a", "--set", "b=\"c d\"", "e"]
    );
}

/// The first frames of the README's run on a coarse grid: all of it takes too long for a test.
#[test]
fn the_readme() {
    let page = Page::read(Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../README.md"
    )));
    assert!(page.says("cargo run --release -p thixo-cli -- run snowman --render"));
    let place = workplace("readme");
    let output = thixo(
        &place,
        &[
            "run",
            "snowman",
            "--render",
            "--frames",
            "3",
            "--set",
            "grid.spacing=0.05",
        ],
    );
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &errors(&output);
    for line in page.shown() {
        let mut lines = printed.lines();
        let found = lines.any(|printed| is_like_in_words(&line, printed));
        assert!(
            found,
            "the README shows\n{line}\nand the program prints\n{printed}"
        );
    }
    let run = place.join("out/snowman");
    for name in names(&run).iter().filter(|name| *name != ".lock") {
        assert!(
            page.says(&format!("`{name}")),
            "{name} is not in the README"
        );
    }
}

#[test]
fn step_01_a_falling_block() {
    let place = follow(
        "01-falling-block",
        &[
            "the momentum is −147.15 kg m/s",
            "49 files",
            "lands between frames 7 and 8",
        ],
    );
    let run = place.join("out/falling-block");
    assert_eq!(names(&run.join("particles")).len(), 49);
    near(column(&run, "py")[1], -360.0 * 9.81 / 24.0, 1e-5);
    near(column(&run, "py")[1], -147.15, 1e-5);
    let elastic = column(&run, "elastic");
    assert!(elastic[7] < 1e-3 && elastic[8] > 1.0, "{elastic:?}");
}

#[test]
fn step_02_your_own_scene() {
    let place = follow("02-your-own-scene", &["`my-scene.toml`", "the same bytes"]);
    assert!(place.join("my-scene.toml").is_file());
    let frame = |run: &str| fs::read(place.join(run).join("particles/frame_00024.ply")).unwrap();
    assert!(frame("out/ball") == frame("out/again"));
}

#[test]
fn step_03_materials() {
    let place = follow(
        "03-materials",
        &["0.68 m", "3.9 m", "2.0 m", "as wide as before"],
    );
    let widths: Vec<f64> = extents(&place.join("out/four"), 24)
        .iter()
        .map(|(least, most)| most - least)
        .collect();
    near(widths[0], 0.68, 0.05);
    near(widths[1], 3.9, 0.05);
    near(widths[2], 2.0, 0.05);
    near(
        widths[3],
        extents(&place.join("out/four"), 0)[3].1 - 9.01,
        0.02,
    );
}

#[test]
fn step_04_colliders_and_emitters() {
    let place = follow("04-colliders-and-emitters", &["400 kg"]);
    let record = program::record(&place.join("out/jet"));
    near(record["emitted_mass"].as_f64().unwrap(), 400.0, 1e-6);
    assert!(record["removed_mass"].as_f64().unwrap() > 10.0);
}

#[test]
fn step_05_reading_the_results() {
    let place = follow("05-reading-the-results", &["frame_00000.vtp"]);
    let files = names(&place.join("out/block/particles"));
    for end in ["npz", "ply", "vtp"] {
        assert!(files.contains(&format!("frame_00012.{end}")), "{files:?}");
    }
}

#[test]
fn step_07_melting() {
    let place = follow("07-melting", &["`stats.csv` ends with the heat budget"]);
    let run = place.join("out/butter");
    let [enthalpy, received] = ["enthalpy", "heat_from_walls"].map(|name| column(&run, name));
    let gained = enthalpy[12] - enthalpy[0];
    near(gained, received[12], 1e-4);
    let liquid = column(&run, "liquid_mass")[12] / column(&run, "mass")[12];
    assert!(liquid > 0.05 && liquid < 0.9, "{liquid}");
}

/// Volumes of the water in a range of x in the last frame of the levee \[m²\].
fn water_within(run: &Path, [least, most]: [f64; 2]) -> f64 {
    let bytes = fs::read(run.join("particles/frame_00020.ply")).unwrap();
    let (names, columns) = read_ply(&bytes);
    let of = |name: &str| &columns[names.iter().position(|n| n == name).unwrap()];
    let particles = of("object").iter().zip(of("x")).zip(of("volume"));
    let within = particles.filter(|((object, x), _)| **object == 0.0 && (least..most).contains(*x));
    within.map(|(_, volume)| *volume).sum()
}

#[test]
fn step_09_a_leaking_levee() {
    let place = follow(
        "09-leaking-levee",
        &["1.10 m²", "0.17 m²", "no water is through yet"],
    );
    let run = place.join("out/levee");
    near(water_within(&run, [4.0, 6.0]), 1.10, 0.05);
    near(water_within(&run, [6.0, 10.0]), 0.17, 0.2);
    assert_eq!(water_within(&place.join("out/tight"), [6.0, 10.0]), 0.0);
    assert!(run.join("images/contact.png").is_file());
}

#[test]
fn step_08_cloth_on_sand() {
    let claims = ["961 of them", "to 0.13 m", "the sand is 0.11 m high"];
    let place = follow("08-cloth-on-sand", &claims);
    let run = place.join("out/cloth");
    let bytes = fs::read(run.join("particles/frame_00024.ply")).unwrap();
    let (names, columns) = read_ply(&bytes);
    let of = |name: &str| &columns[names.iter().position(|n| n == name).unwrap()];
    let heights = |object: f64| -> Vec<f64> {
        let pairs = of("y").iter().zip(of("object"));
        let own = pairs.filter(|(_, of)| **of == object);
        own.map(|(y, _)| *y).collect()
    };
    let highest = |heights: &[f64]| heights.iter().copied().fold(0.0, f64::max);
    let [sand, cloth] = [0.0, 1.0].map(heights);
    assert_eq!(cloth.len(), 961);
    near(highest(&cloth), 0.13, 0.05);
    near(highest(&sand), 0.11, 0.05);
    let lowest = cloth.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(lowest > 0.0 && lowest < 0.01, "{lowest}");
    // Handed through: a vertex of the file for every vertex, the same triangles in every frame.
    let mesh = |frame: u32| {
        let bytes = fs::read(run.join(format!("mesh/frame_{frame:05}_cloth.ply"))).unwrap();
        let end = bytes
            .windows(11)
            .position(|w| w == b"end_header\n")
            .unwrap();
        String::from_utf8_lossy(&bytes[..end]).into_owned()
    };
    for frame in [0, 24] {
        let head = mesh(frame);
        assert!(
            head.contains("element vertex 961") && head.contains("element face 1800"),
            "{head}"
        );
    }
}

#[test]
fn step_06_surfaces_and_plots() {
    let place = follow(
        "06-surfaces-and-plots",
        &["closed", "In the panel of the momentum nothing happens"],
    );
    assert_eq!(names(&place.join("out/balls/mesh")).len(), 22);
    assert!(place.join("comparison/kinetic_energy.png").is_file());
    let run = place.join("out/balls");
    // Both balls have the same mass and opposite velocities.
    let momentum = [column(&run, "px"), column(&run, "py")].concat();
    assert!(momentum.iter().all(|p| p.abs() < 0.1), "{momentum:?}");
    let kinetic = column(&run, "kinetic");
    let least = kinetic.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(
        least < 0.7 * kinetic[0] && kinetic[10] > least,
        "{kinetic:?}"
    );
}
