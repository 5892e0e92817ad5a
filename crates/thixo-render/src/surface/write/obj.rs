//! Wavefront OBJ: text, with colours behind the coordinates of vertices, where most programs look
//! for them.

use std::io::{self, Write};

use thixo_scene::Precision;

use super::{MeshMetadata, srgb};
use crate::surface::SurfaceMesh;

/// Writes positions, colours and normals; numbers have as many digits as the precision of the run
/// needs.
pub fn write(
    out: &mut impl Write,
    surface: &SurfaceMesh,
    metadata: &MeshMetadata<'_>,
) -> io::Result<()> {
    let digits = |x: f64| match metadata.precision {
        Precision::F32 => (x as f32).to_string(),
        Precision::F64 => x.to_string(),
    };
    writeln!(out, "# {}", metadata.line())?;
    let name = metadata
        .name
        .replace(|c: char| c.is_whitespace() || c.is_control(), "_");
    writeln!(out, "o {}", if name.is_empty() { "surface" } else { &name })?;
    for (position, color) in surface.positions.iter().zip(&surface.colors) {
        let [x, y, z] = position.0.map(digits);
        let [r, g, b] = srgb(*color).map(|byte| f64::from(byte) / 255.0);
        writeln!(out, "v {x} {y} {z} {r:.4} {g:.4} {b:.4}")?;
    }
    for normal in &surface.normals {
        let [x, y, z] = normal.0;
        writeln!(out, "vn {x:.6} {y:.6} {z:.6}")?;
    }
    for triangle in &surface.triangles {
        // Indices begin with 1.
        let [a, b, c] = triangle.map(|corner| u64::from(corner) + 1);
        writeln!(out, "f {a}//{a} {b}//{b} {c}//{c}")?;
    }
    Ok(())
}
