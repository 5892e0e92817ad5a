//! Surfaces as files.

mod glb;
mod obj;
mod ply;
mod stl;

use std::io::{self, Write};

use thixo_scene::Precision;

use super::SurfaceMesh;

/// A format of surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Stanford polygon format, binary: everything, in the precision of the run.
    #[default]
    Ply,
    /// Wavefront, text: shape, normals and colours.
    Obj,
    /// Stereolithography, binary: the shape only, in single precision.
    Stl,
    /// glTF 2.0, binary: everything, in single precision, with y upwards.
    Glb,
}

/// Metadata that files hold besides the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshMetadata<'a> {
    /// Name of the object or material; may be empty.
    pub name: &'a str,
    /// Number of the frame.
    pub frame: u32,
    /// Simulated time \[s\], where it is known.
    pub time: Option<f64>,
    /// Precision of the run.
    pub precision: Precision,
    /// The axis that points upwards.
    pub up: usize,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Ply, Self::Obj, Self::Stl, Self::Glb];

    /// Extension of its files, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Ply => "ply",
            Self::Obj => "obj",
            Self::Stl => "stl",
            Self::Glb => "glb",
        }
    }

    /// Writes a surface, which may be empty.
    pub fn write(
        self,
        out: &mut impl Write,
        surface: &SurfaceMesh,
        metadata: &MeshMetadata<'_>,
    ) -> io::Result<()> {
        match self {
            Self::Ply => ply::write(out, surface, metadata),
            Self::Obj => obj::write(out, surface, metadata),
            Self::Stl => stl::write(out, surface, metadata),
            Self::Glb => glb::write(out, surface, metadata),
        }
    }
}

impl MeshMetadata<'_> {
    /// A line of what it is, without line breaks.
    fn line(&self) -> String {
        let name = self.name.replace(|c: char| c.is_control(), " ");
        let name = if name.is_empty() {
            String::new()
        } else {
            format!(" of {name}")
        };
        let time = self
            .time
            .map_or(String::new(), |time| format!(", time {time} s"));
        format!("surface{name}, frame {}{time}, made by thixo", self.frame)
    }
}

/// Linear light as the bytes of sRGB (IEC 61966-2-1).
fn srgb(color: super::Point) -> [u8; 3] {
    color.0.map(|linear| {
        let encoded = if linear <= 0.003_130_8 {
            12.92 * linear
        } else {
            1.055 * linear.powf(1.0 / 2.4) - 0.055
        };
        (255.0 * encoded.clamp(0.0, 1.0) + 0.5) as u8
    })
}

#[cfg(test)]
mod tests {
    use thixo_math::Vector;

    use super::*;
    use crate::picture::from_srgb;

    #[test]
    fn bytes_of_colours_come_back() {
        for byte in 0..=255 {
            let linear = Vector(from_srgb([byte, 255 - byte, 7]).0.map(f64::from));
            assert_eq!(srgb(linear), [byte, 255 - byte, 7]);
        }
        assert_eq!(srgb(Vector([-1.0, 2.0, f64::NAN])), [0, 255, 0]);
    }
}
