//! Any bytes as a mesh, in every format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thixo_scene::fuzzing::{MESH_FORMATS, read_mesh};

fuzz_target!(|bytes: &[u8]| {
    for format in MESH_FORMATS {
        let _ = read_mesh(bytes, format);
    }
});
