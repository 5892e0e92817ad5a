//! Any bytes as a frame of a run, and every number of those that are one.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use thixo_scene::FrameFile;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(frame) = FrameFile::parse(bytes.to_vec(), Path::new("fuzz.ply")) {
        let _ = frame.time();
        for name in frame.names() {
            let column = frame.column(name).expect("a column that has a name");
            assert_eq!(column.len(), frame.particles);
            // Without properties there may be any number of particles.
            let _ = column.iter().fold(0.0, |sum, x| sum + x);
        }
    }
});
