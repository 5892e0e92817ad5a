//! Any bytes as particles, in every format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thixo_scene::fuzzing::{PARTICLE_FILES, read_particles};

fuzz_target!(|bytes: &[u8]| {
    for name in PARTICLE_FILES {
        let _ = read_particles(bytes, name);
    }
});
