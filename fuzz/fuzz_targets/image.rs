//! Any bytes as an image.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thixo_scene::fuzzing::read_image;

fuzz_target!(|bytes: &[u8]| {
    let _ = read_image(bytes);
});
