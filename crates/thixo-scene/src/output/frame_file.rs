//! The particles of a frame, read again from its PLY file.
//!
//! Any binary little-endian PLY whose only element with rows is `vertex`, with numbers and no
//! lists, can be read: those of [`ply`](super::ply), and those of programs that changed them.

use std::fs;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::OutputError;
use super::frame::unit_of;
use crate::ply_number::{ByteOrder, PlyNumber};

/// Errors of frames that cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FrameFileError {
    /// The operating system says no.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// It is not such a file.
    #[error("{}, line {line}: {message}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// Line of the header, from 1.
        line: usize,
        /// The problem with it.
        message: String,
    },
    /// It ends too early or too late.
    #[error("{} has {found} bytes of particles where its header announces {expected}; write the frame again", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// Bytes that are there.
        found: usize,
        /// Bytes that should be: particles times bytes of each.
        expected: usize,
    },
}

/// The particles of a frame. Numbers stay as the file has them until they are asked for: a frame of
/// which few columns are needed costs little more than its file.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameFile {
    /// Number of particles.
    pub particles: usize,
    header: Header,
    bytes: Vec<u8>,
    /// Bytes of a particle.
    row: usize,
}

/// A column of a frame: a number for each particle.
#[derive(Clone, Copy, Debug)]
pub struct FrameColumn<'a> {
    /// From the first number of the column to the end of the file.
    bytes: &'a [u8],
    number: PlyNumber,
    row: usize,
    particles: usize,
}

impl<'a> FrameColumn<'a> {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.particles
    }
    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.particles == 0
    }
    /// True if the file has it in double precision.
    pub fn is_double(&self) -> bool {
        self.number == PlyNumber::F64
    }
    /// True if the file has it as whole numbers.
    pub fn is_whole(&self) -> bool {
        !matches!(self.number, PlyNumber::F32 | PlyNumber::F64)
    }
    /// The number of a particle, which must be one of the frame's.
    #[inline]
    pub fn get(&self, particle: usize) -> f64 {
        let bytes = &self.bytes[particle * self.row..];
        self.number.read(bytes, ByteOrder::LittleEndian)
    }
    /// The numbers of all particles.
    pub fn iter(self) -> impl ExactSizeIterator<Item = f64> + 'a {
        (0..self.particles).map(move |particle| self.get(particle))
    }
}

impl FrameFile {
    /// Reads a file.
    pub fn open(path: &Path) -> Result<Self, FrameFileError> {
        let bytes = fs::read(path).map_err(|cause| OutputError::io("read", path, cause))?;
        Self::parse(bytes, path)
    }

    /// Reads the contents of a file; `path` is what messages call it.
    pub fn parse(bytes: Vec<u8>, path: &Path) -> Result<Self, FrameFileError> {
        let header = Header::read(&bytes, path)?;
        let row: usize = header.properties.iter().map(|(_, kind)| kind.width()).sum();
        let expected = header.particles.saturating_mul(row);
        let found = bytes.len() - header.end;
        if found != expected {
            return Err(FrameFileError::Length {
                path: path.to_owned(),
                found,
                expected,
            });
        }
        Ok(Self {
            particles: header.particles,
            header,
            bytes,
            row,
        })
    }

    /// Simulated time \[s\], where the file says it.
    pub fn time(&self) -> Option<f64> {
        self.header.time
    }

    /// SI unit of a column: the engine's, or the file's of a column that the engine does not know;
    /// none where there is none.
    pub fn unit(&self, name: &str) -> Option<&str> {
        let own = self.header.units.iter().find(|(own, _)| own == name);
        unit_of(name).or_else(|| own.map(|(_, unit)| unit.as_str()))
    }

    /// Names of the columns in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.header.properties.iter().map(|(name, _)| name.as_str())
    }

    /// The numbers of a column, one for each particle.
    pub fn column(&self, name: &str) -> Option<FrameColumn<'_>> {
        let properties = &self.header.properties;
        let index = properties.iter().position(|(own, _)| own == name)?;
        let before: usize = properties[..index]
            .iter()
            .map(|(_, kind)| kind.width())
            .sum();
        Some(FrameColumn {
            bytes: &self.bytes[self.header.end + before.min(self.bytes.len() - self.header.end)..],
            number: properties[index].1,
            row: self.row,
            particles: self.particles,
        })
    }
}

/// The text at the start of a file.
#[derive(Clone, Debug, PartialEq)]
struct Header {
    time: Option<f64>,
    /// By column.
    units: Vec<(String, String)>,
    particles: usize,
    properties: Vec<(String, PlyNumber)>,
    /// Byte at which the numbers begin.
    end: usize,
}

impl Header {
    fn read(bytes: &[u8], path: &Path) -> Result<Self, FrameFileError> {
        let refuse = |line: usize, message: String| FrameFileError::Header {
            path: path.to_owned(),
            line,
            message,
        };
        let mut header = Self {
            time: None,
            units: Vec::new(),
            particles: 0,
            properties: Vec::new(),
            end: 0,
        };
        let mut has_vertices = false;
        for number in 1.. {
            let rest = &bytes[header.end..];
            let Some(length) = rest.iter().position(|b| *b == b'\n') else {
                let message = "the header ends before \"end_header\": this is no PLY file, or only a part of one";
                return Err(refuse(number, message.to_owned()));
            };
            header.end += length + 1;
            let line = String::from_utf8_lossy(&rest[..length]);
            let line = line.trim_end_matches('\r');
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            match (number, &words[..]) {
                (1, ["ply"]) => {}
                (1, _) => return Err(refuse(1, "the file does not begin with \"ply\"".to_owned())),
                (2, ["format", "binary_little_endian", "1.0"]) => {}
                (2, _) => {
                    let message = "the format must be \"format binary_little_endian 1.0\"";
                    return Err(refuse(2, message.to_owned()));
                }
                (_, ["comment", "unit", name, unit @ ..]) => {
                    let unit = unit.join(" ").replace("^2", "²").replace("^3", "³");
                    header.units.push(((*name).to_owned(), unit));
                }
                (_, ["comment", said @ ..]) => {
                    if let [.., "time", time] = said {
                        header.time = time.parse().ok().filter(|t: &f64| t.is_finite());
                    }
                }
                (_, ["obj_info", ..]) => {}
                (_, ["element", "vertex", count]) if !has_vertices => {
                    let Ok(count) = count.parse() else {
                        let message = format!("\"{count}\" is no number of particles");
                        return Err(refuse(number, message));
                    };
                    header.particles = count;
                    has_vertices = true;
                }
                (_, ["element", _, "0"]) => {}
                (_, ["element", name, ..]) => {
                    let message = format!("a frame has one element \"vertex\"; this is \"{name}\"");
                    return Err(refuse(number, message));
                }
                (_, ["property", kind, name]) if has_vertices => {
                    let Some(kind) = PlyNumber::from_name(kind.as_bytes()) else {
                        let message = format!("\"{kind}\" is no type of numbers of a particle");
                        return Err(refuse(number, message));
                    };
                    header.properties.push(((*name).to_owned(), kind));
                }
                (_, ["end_header"]) => return Ok(header),
                _ => {
                    let shown: String = line.chars().take(60).collect();
                    let message = format!("\"{shown}\" does not belong in the header of a frame");
                    return Err(refuse(number, message));
                }
            }
        }
        // Lines end before numbers do.
        Ok(header)
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame::{Column, ColumnShape, Frame, Values};
    use super::super::ply;
    use super::*;

    fn written<T: thixo::Scalar>(reals: Vec<T>) -> Vec<u8> {
        let column = |name: &'static str, unit: &'static str, shape, values| Column {
            name: name.into(),
            unit: unit.into(),
            shape,
            values,
        };
        let frame = Frame {
            number: 3,
            time: 0.125,
            cells: thixo::lagrangian::Cells::default(),
            particles: 2,
            columns: vec![
                column(
                    "position",
                    "m",
                    ColumnShape::Vector(["x", "y", "z"]),
                    Values::Real(reals),
                ),
                column(
                    "object",
                    "",
                    ColumnShape::Scalar,
                    Values::Integer(vec![-1, 70000]),
                ),
                column(
                    "red",
                    "kg/m³ s",
                    ColumnShape::Scalar,
                    Values::Byte(vec![0, 255]),
                ),
            ],
        };
        let mut bytes = Vec::new();
        ply::write(&mut bytes, &frame).unwrap();
        bytes
    }

    fn error(bytes: &[u8]) -> String {
        let outcome = FrameFile::parse(bytes.to_vec(), Path::new("f.ply"));
        outcome.unwrap_err().to_string()
    }

    #[test]
    fn what_a_run_writes_is_read_again() {
        let single: [f32; 6] = [0.1, -2.0, 3.5, f32::NAN, 1e30, -0.0];
        let read = FrameFile::parse(written(single.to_vec()), Path::new("f.ply")).unwrap();
        assert_eq!((read.time(), read.particles), (Some(0.125), 2));
        assert_eq!(read.unit("y"), Some("m"));
        assert_eq!(read.unit("red"), Some("kg/m³ s"));
        assert_eq!(read.unit("object"), None);
        // Files that say nothing of these, such as those of earlier versions.
        let known = ["vz", "stress_xy", "j", "mass", "velocity_gradient_xx"].map(|c| read.unit(c));
        assert_eq!(
            known,
            [Some("m/s"), Some("Pa"), None, Some("kg"), Some("1/s")]
        );
        assert!(read.names().eq(["x", "y", "z", "object", "red"]));
        let numbers = |name: &str| Some(read.column(name)?.iter().collect::<Vec<f64>>());
        assert_eq!(numbers("y"), Some(vec![-2.0, f64::from(1e30f32)]));
        assert!(numbers("x").unwrap()[1].is_nan());
        assert_eq!(numbers("object"), Some(vec![-1.0, 70000.0]));
        assert_eq!(numbers("red"), Some(vec![0.0, 255.0]));
        assert_eq!(numbers("mass"), None);
        let double = vec![0.1f64, 1.0, 2.0, 3.0, 4.0, 5.0];
        let read = FrameFile::parse(written(double), Path::new("f.ply")).unwrap();
        let x: Vec<f64> = read.column("x").unwrap().iter().collect();
        assert_eq!(x, [0.1, 3.0]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line_or_its_length() {
        let good = written(vec![0.0f32; 6]);
        let cut = error(&good[..good.len() - 1]);
        assert!(
            cut.contains("33 bytes of particles where its header announces 34"),
            "{cut}"
        );
        assert!(error(&good[..40]).contains("ends before \"end_header\""));
        assert!(error(b"solid\n").contains("line 1: the file does not begin with \"ply\""));
        assert!(error(b"ply\nformat ascii 1.0\n").contains("line 2: the format must be"));
        let start = "ply\nformat binary_little_endian 1.0\n";
        let with = |rest: &str| error(format!("{start}{rest}").as_bytes());
        assert!(with("element vertex many\n").contains("line 3: \"many\" is no number"));
        assert!(with("element face 2\n").contains("this is \"face\""));
        assert!(with("element vertex 1\nproperty half x\n").contains("line 4: \"half\""));
        assert!(with("property float x\n").contains("does not belong"));
        let huge = with(&format!(
            "element vertex {}\nproperty double x\nend_header\n",
            usize::MAX
        ));
        assert!(huge.contains("0 bytes of particles"), "{huge}");
    }

    #[test]
    fn no_change_of_a_file_makes_the_reader_panic() {
        let good = written(vec![0.5f32; 6]);
        let mut state = 1u64;
        let mut chance = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize % below
        };
        let mut read = 0;
        for _ in 0..20_000 {
            let mut bytes = good.clone();
            for _ in 0..1 + chance(3) {
                let at = chance(bytes.len());
                match chance(4) {
                    0 => bytes[at] = chance(256) as u8,
                    1 => bytes[at] = b"0123456789 \n"[chance(12)],
                    2 => drop(bytes.remove(at)),
                    _ => bytes.insert(at, bytes[chance(bytes.len())]),
                }
            }
            if let Ok(frame) = FrameFile::parse(bytes, Path::new("f.ply")) {
                read += 1;
                for name in frame.names() {
                    assert_eq!(frame.column(name).unwrap().iter().count(), frame.particles);
                }
            }
        }
        assert!(
            (1000..19_000).contains(&read),
            "{read} of 20000 could be read"
        );
    }
}
