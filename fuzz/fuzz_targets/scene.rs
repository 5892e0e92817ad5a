//! Any text as a scene file, and as a value set on the command line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thixo_scene::{Scene, Setting, with_preview, with_settings};

fuzz_target!(|text: &str| {
    if let Ok(scene) = Scene::parse(text, "fuzz.toml") {
        // A scene is written, and read again as the same.
        let written = scene.to_toml().expect("a scene can be written");
        let again = Scene::parse(&written, "again.toml").expect("what was written can be read");
        assert_eq!(scene, again);
    }
    let _ = with_preview(text);
    if let Ok(setting) = text.parse::<Setting>() {
        let _ = with_settings(include_str!("../../scenes/snowball.toml"), &[setting]);
    }
});
