//! Records of a material point as a table.

use std::io::{self, Write};

use super::Record;

/// Writes records as a table with a header: time, F by rows, upper triangles of τ and σ, J,
/// energy density (empty where there is none), and the columns of the state.
pub fn write_csv<const D: usize>(records: &[Record<D>], out: &mut impl Write) -> io::Result<()> {
    write!(out, "time")?;
    for i in 1..=D {
        for j in 1..=D {
            write!(out, ",F_{i}{j}")?;
        }
    }
    for name in ["tau", "sigma"] {
        for i in 1..=D {
            for j in i..=D {
                write!(out, ",{name}_{i}{j}")?;
            }
        }
    }
    write!(out, ",J,energy_density")?;
    let columns = records.first().map_or(0, |record| record.state.len());
    for k in 0..columns {
        write!(out, ",state_{k}")?;
    }
    writeln!(out)?;
    for record in records {
        write!(out, "{:e}", record.time)?;
        for i in 0..D {
            for j in 0..D {
                write!(out, ",{:e}", record.deformation_gradient[i][j])?;
            }
        }
        for stress in [&record.kirchhoff_stress, &record.cauchy_stress] {
            for i in 0..D {
                for j in i..D {
                    write!(out, ",{:e}", stress[i][j])?;
                }
            }
        }
        write!(out, ",{:e},", record.volume_ratio)?;
        if let Some(psi) = record.energy_density {
            write!(out, "{psi:e}")?;
        }
        for number in &record.state {
            write!(out, ",{number:e}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}
