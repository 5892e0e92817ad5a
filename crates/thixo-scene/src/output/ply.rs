//! Particles as binary PLY, little-endian, in the precision of the run.
//!
//! One element `vertex` with the properties x, y, z \[m\], vx, vy, vz \[m/s\], mass \[kg\], volume
//! \[m³\] (the present one, J V⁰), j (the volume ratio) as `float` or `double`, and the indices
//! material and object as `int`; then what the scene asks for, matrices entry by entry: stress_xx,
//! stress_xy, … z and vz are zero in 2D; object is −1 for a particle that belongs to none.
//! Particles are in the order of their identifiers. Comments `unit NAME UNIT` say in which unit a
//! property is.

use std::io::{self, Write};

use thixo::Scalar;

use super::frame::{Frame, Values};

/// Particles that are put together at a time.
const CHUNK: usize = 4096;

/// Writes a frame.
pub fn write<T: Scalar>(out: &mut impl Write, frame: &Frame<T>) -> io::Result<()> {
    writeln!(out, "ply\nformat binary_little_endian 1.0")?;
    writeln!(out, "comment thixo; SI units; time {:?}", frame.time)?;
    for column in frame
        .columns
        .iter()
        .filter(|column| !column.unit.is_empty())
    {
        for name in column.component_names() {
            writeln!(out, "comment unit {name} {}", column.unit)?;
        }
    }
    writeln!(out, "element vertex {}", frame.particles)?;
    for column in &frame.columns {
        let kind = match column.values {
            Values::Real(_) if size_of::<T>() == 8 => "double",
            Values::Real(_) => "float",
            Values::Integer(_) => "int",
            Values::Byte(_) => "uchar",
        };
        for name in column.component_names() {
            writeln!(out, "property {kind} {name}")?;
        }
    }
    writeln!(out, "end_header")?;
    let mut bytes = Vec::new();
    for first in (0..frame.particles).step_by(CHUNK) {
        bytes.clear();
        for particle in first..frame.particles.min(first + CHUNK) {
            for column in &frame.columns {
                let width = column.shape.components();
                let range = particle * width..(particle + 1) * width;
                column.values.put(range, &mut bytes);
            }
        }
        out.write_all(&bytes)?;
    }
    Ok(())
}
