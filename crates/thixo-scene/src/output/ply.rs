//! Particles as binary PLY, little-endian, in the precision of the run.
//!
//! One element `vertex` with the properties x, y, z \[m\], vx, vy, vz \[m/s\], mass \[kg\], volume \[m³\] (the present one, J V⁰), j (the volume
//! ratio) as `float` or `double`, and the indices material and object as `int`. z and vz are zero in 2D; object is −1 for a particle that
//! belongs to none. Particles are in the order of their identifiers.

use std::io::{self, Write};

use thixo::{Particle, Scalar};

use crate::object::Objects;

/// Names of the real properties, in order.
pub const REALS: [&str; 9] = ["x", "y", "z", "vx", "vy", "vz", "mass", "volume", "j"];
/// Names of the whole-number properties that follow.
pub const INTEGERS: [&str; 2] = ["material", "object"];

/// Writes particles at a simulated time \[s\].
pub fn write<T: Scalar, const D: usize>(
    out: &mut impl Write,
    time: f64,
    particles: &[Particle<T, D>],
    objects: &Objects,
) -> io::Result<()> {
    let is_double = T::NAME == "f64";
    let real = if is_double { "double" } else { "float" };
    writeln!(out, "ply\nformat binary_little_endian 1.0")?;
    writeln!(out, "comment thixo; SI units; time {time:?}")?;
    writeln!(out, "element vertex {}", particles.len())?;
    for name in REALS {
        writeln!(out, "property {real} {name}")?;
    }
    for name in INTEGERS {
        writeln!(out, "property int {name}")?;
    }
    writeln!(out, "end_header")?;
    for particle in particles {
        let mut row = [T::zero(); REALS.len()];
        row[..D].copy_from_slice(&particle.position.0);
        row[3..3 + D].copy_from_slice(&particle.velocity.0);
        row[6] = particle.mass;
        row[7] = particle.rest_volume * particle.volume_ratio;
        row[8] = particle.volume_ratio;
        for number in row {
            // Both conversions are exact: the number is of that precision already.
            let number = number.to_f64();
            if is_double {
                out.write_all(&number.to_le_bytes())?;
            } else {
                out.write_all(&(number as f32).to_le_bytes())?;
            }
        }
        let object = objects
            .of_particle(particle.id)
            .map_or(-1, |object| object as i32);
        out.write_all(&(particle.material as i32).to_le_bytes())?;
        out.write_all(&object.to_le_bytes())?;
    }
    Ok(())
}
