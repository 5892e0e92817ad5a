//! Runs a scene file from Rust and says where its matter is after every frame:
//! `cargo run --release -p thixo-scene --example run_scene -- scenes/jelly-drop.toml`.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use thixo_scene::{Precise, Scene};

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).ok_or("name a scene file")?;
    let path = Path::new(&path);
    let folder = path.parent().unwrap_or(Path::new(""));
    let scene = Scene::parse_in(&fs::read_to_string(path)?, &path.to_string_lossy(), folder)?;
    match scene.dimension {
        2 => run::<f32, 2>(&scene),
        _ => run::<f32, 3>(&scene),
    }
}

/// Runs all frames in single precision.
fn run<T: Precise<D>, const D: usize>(scene: &Scene) -> Result<(), Box<dyn Error>> {
    let mut built = scene.build::<T, D>(0)?;
    for frame in 1..=scene.time.frames {
        let outcome = built.advance(frame)?;
        let audit = built.simulation.audit();
        let (steps, at, kinetic) = (outcome.report.steps, audit.centre_of_mass, audit.kinetic);
        println!("frame {frame}: {steps} steps, centre {at:.4?} m, in motion with {kinetic:.4e} J");
    }
    Ok(())
}
