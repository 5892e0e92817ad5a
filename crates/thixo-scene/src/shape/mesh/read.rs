//! Triangles from files: the format is told by the ending of the name.

use std::path::Path;

use super::{obj, ply, stl};
use crate::shape::asset::read_bytes;
use crate::shape::{AssetError, Bounds, Checksum};

/// Coordinates may be this large \[m\].
const FARTHEST: f64 = 1e12;

/// Points and triangles as a file has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Mesh {
    /// Positions \[m\], finite.
    pub points: Vec<[f64; 3]>,
    /// Indices of the corners, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Reads the bytes of a file.
type Parser = fn(&[u8]) -> Result<Mesh, AssetError>;

/// The parser of files of an ending.
pub(crate) fn parser(ending: &str) -> Result<Parser, AssetError> {
    match ending.to_lowercase().as_str() {
        "obj" => Ok(obj::parse),
        "stl" => Ok(stl::parse),
        "ply" => Ok(ply::parse),
        _ => Err(AssetError::UnknownFormat {
            known: ".obj, .stl, .ply",
        }),
    }
}

impl Mesh {
    /// Reads a mesh file, and says what it was like.
    pub fn read(path: &Path) -> Result<(Self, Checksum), AssetError> {
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        // A file of another kind is refused before it is read.
        let parse = parser(&ending)?;
        let bytes = read_bytes(path)?;
        Ok((parse(&bytes)?, Checksum::of(&bytes)))
    }

    /// The box around its points.
    pub fn bounds(&self) -> Bounds<3> {
        let mut bounds = Bounds {
            min: [f64::INFINITY; 3],
            max: [f64::NEG_INFINITY; 3],
        };
        // Points without a triangle are no part of the surface.
        for &corner in self.triangles.iter().flatten() {
            let point = self.points[corner as usize];
            bounds = bounds.union(Bounds {
                min: point,
                max: point,
            });
        }
        bounds
    }

    /// Refuses a mesh without triangles, indices without point and points that are nowhere.
    pub fn checked(self, format: &'static str) -> Result<Self, AssetError> {
        if self.triangles.is_empty() {
            return Err(AssetError::Empty {
                message: "it has no face",
            });
        }
        let malformed = |place, message| AssetError::Malformed {
            format,
            place,
            message,
        };
        let count = self.points.len();
        let is_bad = |index: &u32| *index as usize >= count;
        if let Some(k) = self.triangles.iter().position(|t| t.iter().any(is_bad)) {
            let corners = self.triangles[k];
            return Err(malformed(
                format!("triangle {k}"),
                format!("its corners are the vertices {corners:?}, but there are only {count}"),
            ));
        }
        let is_nowhere = |p: &[f64; 3]| p.iter().any(|x| x.is_nan() || x.abs() > FARTHEST);
        if let Some(k) = self.points.iter().position(is_nowhere) {
            let point = self.points[k];
            return Err(malformed(
                format!("vertex {k}"),
                format!("its coordinates are {point:?}; they must be at most {FARTHEST:e} in size"),
            ));
        }
        Ok(self)
    }
}

/// An index that 32 bits can hold, with room for the edges' keys.
pub(crate) fn index(value: usize) -> Option<u32> {
    u32::try_from(value).ok().filter(|&k| k < 1 << 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJ: &str =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1/2/3 2 4\nf -2 -1 -3\nf 1 4 3 2\\\n 1\n";
    const STL: &str = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n";
    const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_index\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

    /// Any reader, given anything, returns.
    fn read_all(bytes: &[u8]) {
        for parse in [obj::parse, stl::parse, ply::parse] {
            match parse(bytes) {
                Ok(mesh) => assert!(!mesh.triangles.is_empty()),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }

    #[test]
    fn no_bytes_make_a_reader_panic() {
        let mut state = 3u64;
        let mut next = move |below: usize| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        let binary = |order: &str| PLY.replace("ascii", order);
        let files = [
            OBJ.to_owned(),
            STL.to_owned(),
            PLY.to_owned(),
            binary("binary_little_endian"),
            binary("binary_big_endian"),
        ];
        for file in &files {
            read_all(file.as_bytes());
            for _ in 0..3000 {
                let mut garbled = file.clone().into_bytes();
                for _ in 0..1 + next(4) {
                    let at = next(garbled.len());
                    match next(4) {
                        0 => garbled[at] = next(256) as u8,
                        1 => garbled[at] = b"0123456789-.e/ \n"[next(16)],
                        2 => garbled.truncate(at + 1),
                        _ => garbled.insert(at, garbled[next(at + 1)]),
                    }
                }
                read_all(&garbled);
            }
        }
        for _ in 0..3000 {
            let noise: Vec<u8> = (0..next(300)).map(|_| next(256) as u8).collect();
            read_all(&noise);
        }
    }

    #[test]
    fn the_ending_tells_the_format() {
        let refused = |name: &str| Mesh::read(Path::new(name)).unwrap_err().to_string();
        assert_eq!(
            refused("a.fbx"),
            "has no ending that is known; it must be one of .obj, .stl, .ply"
        );
        assert!(refused("none/such.OBJ").starts_with("cannot be read: "));
    }
}
