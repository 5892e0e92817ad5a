//! Any bytes as a checkpoint, and as the state within one.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use thixo::material::elastic::NeoHookean;
use thixo::{Setup, Simulation};
use thixo_scene::checkpoint::Checkpoint;

fuzz_target!(|bytes: &[u8]| {
    let jelly = NeoHookean::from_young_poisson(1e5, 0.3).expect("jelly is possible");
    let mut sim = Simulation::<f32, 2>::new(Setup::new(0.1), vec![jelly.into()])
        .expect("an empty simulation is possible");
    let _ = Checkpoint::read(Cursor::new(bytes));
    // With the right checksum, which random bytes do not have.
    let mut summed = bytes.to_vec();
    summed.extend(crc32fast::hash(bytes).to_le_bytes());
    if let Ok(mut checkpoint) = Checkpoint::read(Cursor::new(summed)) {
        let _ = checkpoint.restore(&mut sim);
    }
    if sim.restore(&mut &bytes[..]).is_ok() && !sim.is_empty() {
        // One step: a state with absurd speeds would rightly take millions of them.
        let _ = sim.run_steps(1e-9, 1);
    }
});
