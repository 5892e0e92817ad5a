//! The walk-through of CONTRIBUTING.md for a new quantity, followed to the letter: its scene is
//! run, stopped, resumed and drawn.

use std::fs;
use std::path::Path;

use crate::program::{code, errors, frames, read_ply, thixo, workplace};

/// The scene of the page.
fn scene() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../CONTRIBUTING.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, section) = page.split_once("## A new quantity").unwrap();
    let (_, rest) = section.split_once("```toml\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

#[test]
fn a_new_quantity_is_one_entry_from_the_scene_to_the_picture() {
    let place = workplace("carried");
    fs::write(place.join("remembers.toml"), scene()).unwrap();
    let run = |more: &[&str]| {
        let output = thixo(
            &place,
            &[&["run", "remembers.toml", "--quiet"][..], more].concat(),
        );
        assert_eq!(code(&output), 0, "{}", errors(&output));
    };
    run(&["--out", "whole"]);
    run(&["--out", "parts", "--frames", "5"]);
    run(&["--out", "parts", "--resume", "--render"]);
    assert!(frames(&place.join("whole")) == frames(&place.join("parts")));

    // Every particle has the height that it had at the start.
    let read = |frame: u32| {
        let path = place.join(format!("parts/particles/frame_{frame:05}.ply"));
        let (names, columns) = read_ply(&fs::read(path).unwrap());
        let column = |name: &str| names.iter().position(|own| own == name).unwrap();
        let [y, start] = ["y", "start_height"].map(|name| columns[column(name)].clone());
        (y, start)
    };
    let (heights, start) = read(0);
    assert_eq!(heights, start);
    let (now, kept) = read(12);
    assert_eq!(kept, start);
    assert!(now != start, "the block falls");

    // Drawn, and not in the colours of its look.
    let picture = |directory: &str| {
        let path = place.join(directory).join("images/frame_00012.png");
        fs::read(path).unwrap()
    };
    let output = thixo(&place, &["render", "whole", "--color-by", "look"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert!(picture("parts") != picture("whole"));
}
