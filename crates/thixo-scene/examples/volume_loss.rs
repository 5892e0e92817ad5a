//! Volume that the two tanks of the scene fluid-volume-loss lose, by kernel and transfer:
//! `cargo run --release -p thixo-scene --example volume_loss`. Takes a few minutes.
//!
//! A tank of 1 m holds 0.5 m² of matter: at rest its mean height is 0.25 m, less what is lost.

use thixo_scene::Scene;

/// Loss of the matter in each tank \[–\], from its mean height in the last half second.
fn losses(scene: &Scene) -> Result<[f64; 2], Box<dyn std::error::Error>> {
    let mut built = scene.build::<f32, 2>(0)?;
    let (mut moment, mut mass) = ([0.0; 2], [0.0; 2]);
    let last = scene.time.frames;
    for frame in 1..=last {
        built.advance(frame)?;
        if frame + 12 > last {
            for particle in built.simulation.particles() {
                let tank = usize::from(particle.position[0] > 1.1);
                moment[tank] += f64::from(particle.mass) * particle.position[1];
                mass[tank] += f64::from(particle.mass);
            }
        }
    }
    Ok([0, 1].map(|tank| 1.0 - moment[tank] / mass[tank] / 0.25))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = include_str!("../../../scenes/fluid-volume-loss.toml");
    for transfer in ["'mls'", "'apic'", "{ flip_pic = { flip = 0.95 } }"] {
        for kernel in ["quadratic", "cubic"] {
            let method = format!("kernel = '{kernel}'\ntransfer = {transfer}");
            let text = text.replace("kernel = \"quadratic\"", &method);
            let [fluid, sand] = losses(&Scene::parse(&text, "fluid-volume-loss")?)?;
            let (fluid, sand) = (100.0 * fluid, 100.0 * sand);
            println!("{transfer}, {kernel}: fluid {fluid:.1} %, sand {sand:.1} %");
        }
    }
    Ok(())
}
