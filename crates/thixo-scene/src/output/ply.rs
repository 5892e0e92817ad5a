//! Particles as binary PLY, little-endian, in the precision of the run.
//!
//! One element `vertex` with the properties x, y, z \[m\], vx, vy, vz \[m/s\], mass \[kg\], volume
//! \[m³\] (the present one, J V⁰), j (the volume ratio) as `float` or `double`, and the indices
//! material and object as `int`; then what the scene asks for, matrices entry by entry: stress_xx,
//! stress_xy, … z and vz are zero in 2D; object is −1 for a particle that belongs to none.
//! Particles are in the order of their identifiers. Comments `unit NAME UNIT` say in which unit a
//! property is. x, y, z are `double` in single precision too where some are 16384 cells or more
//! from the origin.

use std::io::{self, Write};

use thixo::Scalar;

use super::frame::{Frame, Values};

/// Particles that are put together at a time.
const CHUNK: usize = 4096;

/// A unit in the letters that headers of PLY files may have; other letters become question marks.
fn in_ascii(unit: &str) -> String {
    let letter = |c: char| match c {
        '²' => "^2".to_owned(),
        '³' => "^3".to_owned(),
        'µ' | 'μ' => "u".to_owned(),
        '°' => "deg ".to_owned(),
        'Ω' => "Ohm".to_owned(),
        c if c.is_ascii_graphic() || c == ' ' => c.to_string(),
        _ => "?".to_owned(),
    };
    unit.chars().map(letter).collect()
}

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
            writeln!(out, "comment unit {name} {}", in_ascii(&column.unit))?;
        }
    }
    writeln!(out, "element vertex {}", frame.particles)?;
    for column in &frame.columns {
        let kind = match column.values {
            Values::Double(_) => "double",
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
