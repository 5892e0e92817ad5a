//! Stereolithography files, binary.

use std::io::{self, Write};

use super::MeshMetadata;
use crate::surface::SurfaceMesh;
use crate::vector::cross;

/// Bytes of the text at the start.
const HEADER: usize = 80;

/// Writes triangles one by one, each with its normal.
pub fn write(
    out: &mut impl Write,
    surface: &SurfaceMesh,
    metadata: &MeshMetadata<'_>,
) -> io::Result<()> {
    let mut header = metadata.line().into_bytes();
    header.resize(HEADER, b' ');
    out.write_all(&header)?;
    let count = u32::try_from(surface.triangles.len()).map_err(io::Error::other)?;
    out.write_all(&count.to_le_bytes())?;
    let mut bytes = Vec::new();
    for triangle in &surface.triangles {
        let corners = triangle.map(|k| surface.positions[k as usize]);
        let [a, b, c] = corners;
        let normal = cross(b - a, c - a);
        let length = normal.norm();
        // A triangle without area has no normal, and the format writes that as zeros.
        let normal = normal * if length > 0.0 { 1.0 / length } else { 0.0 };
        bytes.clear();
        for vector in [normal, a, b, c] {
            for x in vector.0 {
                bytes.extend((x as f32).to_le_bytes());
            }
        }
        bytes.extend([0, 0]);
        out.write_all(&bytes)?;
    }
    Ok(())
}
