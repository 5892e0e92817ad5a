//! The Stanford polygon format, binary.

use std::io::{self, Write};

use thixo_scene::Precision;

use super::{MeshMetadata, srgb};
use crate::surface::SurfaceMesh;

/// Writes positions and the numbers at vertices in the precision of the run, colours as bytes.
pub fn write(
    out: &mut impl Write,
    surface: &SurfaceMesh,
    metadata: &MeshMetadata<'_>,
) -> io::Result<()> {
    let real = match metadata.precision {
        Precision::F32 => "float",
        Precision::F64 => "double",
    };
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\ncomment {}\n",
        metadata.line()
    )?;
    writeln!(out, "element vertex {}", surface.positions.len())?;
    for name in ["x", "y", "z", "nx", "ny", "nz", "vx", "vy", "vz"] {
        writeln!(out, "property {real} {name}")?;
    }
    for name in ["red", "green", "blue"] {
        writeln!(out, "property uchar {name}")?;
    }
    for attribute in &surface.attributes {
        writeln!(out, "property {real} {}", attribute.name)?;
    }
    writeln!(out, "element face {}", surface.triangles.len())?;
    write!(out, "property list uchar int vertex_indices\nend_header\n")?;
    let number = |out: &mut Vec<u8>, x: f64| match metadata.precision {
        Precision::F32 => out.extend((x as f32).to_le_bytes()),
        Precision::F64 => out.extend(x.to_le_bytes()),
    };
    let mut row = Vec::new();
    for k in 0..surface.positions.len() {
        row.clear();
        for vector in [&surface.positions, &surface.normals, &surface.velocities] {
            for x in vector[k].0 {
                number(&mut row, x);
            }
        }
        row.extend(srgb(surface.colors[k]));
        for attribute in &surface.attributes {
            number(&mut row, attribute.values[k]);
        }
        out.write_all(&row)?;
    }
    for triangle in &surface.triangles {
        row.clear();
        row.push(3);
        for corner in triangle {
            row.extend(corner.to_le_bytes());
        }
        out.write_all(&row)?;
    }
    Ok(())
}
