//! Tetrahedra of unstructured grids of VTK, `.vtu`: XML with numbers in text, in base64 or
//! appended, plain or packed by zlib, as ParaView, meshio and this program write them.

use std::io::Read as _;

use super::solid_mesh::SolidMesh;
use crate::shape::AssetError;

/// The number of VTK for a tetrahedron of four points.
const TETRAHEDRON: f64 = 10.0;

fn malformed(place: &str, message: impl Into<String>) -> AssetError {
    AssetError::Malformed {
        format: "VTU",
        place: place.to_owned(),
        message: message.into(),
    }
}

/// A tag with its attributes, and where the text after it begins.
#[derive(Clone, Copy)]
struct Tag<'a> {
    name: &'a str,
    attributes: &'a str,
    end: usize,
}

impl<'a> Tag<'a> {
    /// The next tag from a byte on, comments and declarations skipped.
    fn next(bytes: &'a [u8], from: usize) -> Option<Self> {
        let mut at = from;
        loop {
            let begin = at + bytes.get(at..)?.iter().position(|b| *b == b'<')?;
            let rest = &bytes[begin..];
            let close: &[u8] = if rest.starts_with(b"<!--") {
                b"-->"
            } else {
                b">"
            };
            let length = rest.windows(close.len()).position(|w| w == close)?;
            at = begin + length + close.len();
            let inside = core::str::from_utf8(&rest[1..length]).ok()?;
            if inside.starts_with(['!', '?']) {
                continue;
            }
            let inside = inside.trim_end_matches('/');
            let name = inside.split_ascii_whitespace().next()?;
            let attributes = &inside[name.len().min(inside.len())..];
            return Some(Self {
                name,
                attributes,
                end: at,
            });
        }
    }

    fn attribute(&self, name: &str) -> Option<&'a str> {
        let mut rest = self.attributes;
        loop {
            let (key, after) = rest.split_once('=')?;
            let after = after.trim_start();
            let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            let (value, others) = after[1..].split_once(quote)?;
            if key.trim() == name {
                return Some(value);
            }
            rest = others;
        }
    }
}

/// Format of all arrays of a file, from its head.
struct Coding<'a> {
    is_big_endian: bool,
    /// Bytes of the lengths before binary data.
    length_bytes: usize,
    is_packed: bool,
    /// Appended data, and whether they are in base64.
    appended: Option<(&'a [u8], bool)>,
}

impl Coding<'_> {
    /// Numbers of an array, from its tag and the text in it.
    fn numbers(&self, tag: &Tag<'_>, text: &[u8]) -> Result<Vec<f64>, AssetError> {
        let name = tag.attribute("Name").unwrap_or("points");
        let bytes = match tag.attribute("format").unwrap_or("ascii") {
            "ascii" => return numbers_in_text(name, text),
            "binary" => self.payload(name, &base64(text))?,
            "appended" => {
                let missing = || malformed(name, "its place in the appended data is missing");
                let (data, is_base64) = self.appended.ok_or_else(missing)?;
                let offset = tag.attribute("offset").and_then(|text| text.parse().ok());
                let offset: usize = offset.ok_or_else(missing)?;
                let data = data.get(offset..).ok_or_else(missing)?;
                match is_base64 {
                    true => self.payload(name, &base64(data))?,
                    false => self.payload(name, data)?,
                }
            }
            other => {
                return Err(malformed(
                    name,
                    format!("its format \"{other}\" is unknown"),
                ));
            }
        };
        self.decode(name, tag.attribute("type").unwrap_or(""), &bytes)
    }

    /// A length at the beginning of bytes, and what follows.
    fn length<'b>(&self, name: &str, bytes: &'b [u8]) -> Result<(usize, &'b [u8]), AssetError> {
        let ends = || malformed(name, "it ends before all that it announces");
        let (own, rest) = bytes.split_at_checked(self.length_bytes).ok_or_else(ends)?;
        let digit = |sum: u64, byte: &u8| (sum << 8) | u64::from(*byte);
        let length = match self.is_big_endian {
            true => own.iter().fold(0, digit),
            false => own.iter().rev().fold(0, digit),
        };
        let length = usize::try_from(length).map_err(|_| ends())?;
        Ok((length, rest))
    }

    /// The bytes of an array: a length and as many bytes, or blocks packed by zlib after their
    /// number, their size, that of the last, and those of each when packed.
    fn payload(&self, name: &str, bytes: &[u8]) -> Result<Vec<u8>, AssetError> {
        let ends = || malformed(name, "it ends before all that it announces");
        let (count, rest) = self.length(name, bytes)?;
        if !self.is_packed {
            return Ok(rest.get(..count).ok_or_else(ends)?.to_vec());
        }
        let (_, rest) = self.length(name, rest)?;
        let (_, mut rest) = self.length(name, rest)?;
        // Every block takes room for its size, so that a false number ends here.
        let room = count.checked_mul(self.length_bytes).ok_or_else(ends)?;
        let mut blocks = rest.get(room..).ok_or_else(ends)?;
        let mut out = Vec::new();
        for _ in 0..count {
            let (size, others) = self.length(name, rest)?;
            rest = others;
            let (own, others) = blocks.split_at_checked(size).ok_or_else(ends)?;
            blocks = others;
            let unpacked = flate2::read::ZlibDecoder::new(own).read_to_end(&mut out);
            unpacked.map_err(|error| malformed(name, format!("it cannot be unpacked: {error}")))?;
        }
        Ok(out)
    }

    fn decode(&self, name: &str, kind: &str, bytes: &[u8]) -> Result<Vec<f64>, AssetError> {
        macro_rules! read {
            ($kind:ty) => {
                bytes
                    .chunks_exact(size_of::<$kind>())
                    .map(|own| {
                        let mut own: [u8; size_of::<$kind>()] = own.try_into().unwrap_or_default();
                        if self.is_big_endian {
                            own.reverse();
                        }
                        <$kind>::from_le_bytes(own) as f64
                    })
                    .collect()
            };
        }
        Ok(match kind {
            "Int8" => read!(i8),
            "UInt8" => read!(u8),
            "Int16" => read!(i16),
            "UInt16" => read!(u16),
            "Int32" => read!(i32),
            "UInt32" => read!(u32),
            "Int64" => read!(i64),
            "UInt64" => read!(u64),
            "Float32" => read!(f32),
            "Float64" => read!(f64),
            other => return Err(malformed(name, format!("its type \"{other}\" is unknown"))),
        })
    }
}

fn numbers_in_text(name: &str, text: &[u8]) -> Result<Vec<f64>, AssetError> {
    let text = String::from_utf8_lossy(text);
    let words = text.split_ascii_whitespace();
    let number = |word: &str| {
        let wrong = |_| malformed(name, format!("\"{word}\" is no number"));
        word.parse().map_err(wrong)
    };
    words.map(number).collect()
}

/// Bytes of a text in base64, up to the first byte that is none. Parts that end with padding may
/// follow each other: lengths are often coded by themselves.
fn base64(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for byte in text.iter().skip_while(|byte| byte.is_ascii_whitespace()) {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                (bits, count) = (0, 0);
                continue;
            }
            _ => break,
        };
        bits = ((bits << 6) | u32::from(digit)) & 0x00ff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(((bits >> count) & 0xff) as u8);
        }
    }
    out
}

/// Arrays of a file that make its cells.
#[derive(Default)]
struct Arrays {
    points: Option<Vec<f64>>,
    connectivity: Option<Vec<f64>>,
    offsets: Option<Vec<f64>>,
    types: Option<Vec<f64>>,
}

/// Reads a file.
pub(super) fn parse(bytes: &[u8]) -> Result<SolidMesh, AssetError> {
    let head = core::iter::successors(Tag::next(bytes, 0), |tag| Tag::next(bytes, tag.end));
    let head = head.take(4).find(|tag| tag.name == "VTKFile");
    let head = head.ok_or_else(|| malformed("the file", "there is no <VTKFile>"))?;
    let kind = head.attribute("type").unwrap_or("");
    if kind != "UnstructuredGrid" {
        let message = format!("its type is \"{kind}\"; it must be UnstructuredGrid");
        return Err(malformed("<VTKFile>", message));
    }
    let is_packed = match head.attribute("compressor") {
        None | Some("") => false,
        Some("vtkZLibDataCompressor") => true,
        Some(other) => {
            let message = format!("it is packed by {other}; save it by zlib, or unpacked");
            return Err(malformed("<VTKFile>", message));
        }
    };
    let mut coding = Coding {
        is_big_endian: head.attribute("byte_order") == Some("BigEndian"),
        length_bytes: match head.attribute("header_type") {
            Some("UInt64") => 8,
            _ => 4,
        },
        is_packed,
        appended: None,
    };
    coding.appended = appended(bytes);
    let arrays = read_arrays(bytes, head.end, &coding)?;
    let mesh = tetrahedra_of(arrays)?;
    if mesh.tetrahedra.is_empty() {
        return Err(AssetError::Empty {
            message: "it has no tetrahedron",
        });
    }
    Ok(mesh.without_loose())
}

/// Appended data: what follows the underscore.
fn appended(bytes: &[u8]) -> Option<(&[u8], bool)> {
    let name = b"<AppendedData";
    let at = bytes.windows(name.len()).position(|w| w == name)?;
    let tag = Tag::next(bytes, at)?;
    let data = &bytes[tag.end..];
    let begin = data.iter().position(|byte| *byte == b'_')? + 1;
    let is_base64 = tag.attribute("encoding") != Some("raw");
    Some((&data[begin..], is_base64))
}

fn read_arrays(bytes: &[u8], from: usize, coding: &Coding<'_>) -> Result<Arrays, AssetError> {
    let mut arrays = Arrays::default();
    let (mut section, mut pieces, mut at) = ("", 0, from);
    while let Some(tag) = Tag::next(bytes, at) {
        at = tag.end;
        match tag.name {
            "AppendedData" => break,
            "Piece" => pieces += 1,
            "Points" | "Cells" | "PointData" | "CellData" | "FieldData" => section = tag.name,
            "DataArray" => {
                let wanted = match (section, tag.attribute("Name")) {
                    ("Points", _) => &mut arrays.points,
                    ("Cells", Some("connectivity")) => &mut arrays.connectivity,
                    ("Cells", Some("offsets")) => &mut arrays.offsets,
                    ("Cells", Some("types")) => &mut arrays.types,
                    _ => continue,
                };
                let text = &bytes[at..];
                let end = text.iter().position(|byte| *byte == b'<');
                *wanted = Some(coding.numbers(&tag, &text[..end.unwrap_or(text.len())])?);
            }
            _ => {}
        }
    }
    if pieces > 1 {
        let message = format!("it has {pieces} pieces; merge them to one");
        return Err(malformed("<Piece>", message));
    }
    Ok(arrays)
}

fn tetrahedra_of(arrays: Arrays) -> Result<SolidMesh, AssetError> {
    let given = |array: Option<Vec<f64>>, name: &str| {
        array.ok_or_else(|| malformed("the file", format!("there is no array of {name}")))
    };
    let points = given(arrays.points, "points")?;
    let connectivity = given(arrays.connectivity, "connectivity")?;
    let offsets = given(arrays.offsets, "offsets")?;
    let types = given(arrays.types, "types")?;
    if let Some(x) = points.iter().find(|x| !x.is_finite()) {
        return Err(malformed("points", format!("a coordinate is {x}")));
    }
    let (triples, rest) = points.as_chunks::<3>();
    if !rest.is_empty() {
        return Err(malformed("points", "they have no three coordinates each"));
    }
    if types.len() != offsets.len() {
        let message = format!("there are {} for {} offsets", types.len(), offsets.len());
        return Err(malformed("types", message));
    }
    let mut tetrahedra = Vec::new();
    let mut begin = 0.0;
    for (&kind, &end) in types.iter().zip(&offsets) {
        let first = core::mem::replace(&mut begin, end);
        match kind {
            TETRAHEDRON => {}
            // Points, lines, triangles, polygons and rectangles: of borders.
            1.0..=9.0 => continue,
            11.0..=14.0 => {
                let message = "it has hexahedra, prisms or pyramids; mesh the body with tetrahedra";
                return Err(malformed("types", message));
            }
            _ => {
                let message =
                    format!("it has cells of type {kind}; save a mesh of the first order");
                return Err(malformed("types", message));
            }
        }
        let own = (first >= 0.0 && end - first == 4.0)
            .then(|| connectivity.get(first as usize..end as usize))
            .flatten();
        let Some(own) = own else {
            let message = format!("a tetrahedron lies from {first} to {end}");
            return Err(malformed("offsets", message));
        };
        let mut vertices = [0; 4];
        for (vertex, &index) in vertices.iter_mut().zip(own) {
            if !(index >= 0.0 && index < triples.len() as f64 && index.fract() == 0.0) {
                return Err(malformed(
                    "connectivity",
                    format!("there is no point {index}"),
                ));
            }
            *vertex = index as u32;
        }
        tetrahedra.push(vertices);
    }
    Ok(SolidMesh {
        points: triples.to_vec(),
        tetrahedra,
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// One tetrahedron, a triangle of its border, and a point that nothing has.
    const POINTS: [f64; 15] = [
        9.0, 9.0, 9.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0,
    ];
    const CONNECTIVITY: [i64; 7] = [1, 2, 3, 1, 2, 3, 4];

    fn file(head: &str, arrays: [String; 4], tail: &str) -> String {
        let [points, connectivity, offsets, types] = arrays;
        format!(
            "<?xml version=\"1.0\"?>\n<!-- a > b -->\n<VTKFile type=\"UnstructuredGrid\" {head}>\n\
             <UnstructuredGrid><Piece NumberOfPoints='5' NumberOfCells='2'>\n\
             <PointData><DataArray type='Float64' Name='types' format='ascii'>1</DataArray></PointData>\n\
             <Points><DataArray type=\"Float64\" NumberOfComponents='3' {points}</Points>\n\
             <Cells><DataArray type=\"Int64\" Name=\"connectivity\" {connectivity}\n\
             <DataArray type=\"Int64\" Name=\"offsets\" {offsets}\n\
             <DataArray type=\"UInt8\" Name=\"types\" {types}</Cells>\n\
             </Piece></UnstructuredGrid>{tail}</VTKFile>"
        )
    }

    fn in_text() -> String {
        let text = |numbers: &str| format!("format=\"ascii\">{numbers}</DataArray>");
        let points = POINTS.map(|x| x.to_string()).join(" ");
        let connectivity = CONNECTIVITY.map(|x| x.to_string()).join("\n");
        let arrays = [points, connectivity, "3 7".into(), "5 10".into()];
        file("", arrays.map(|numbers| text(&numbers)), "")
    }

    fn encode(bytes: &[u8]) -> String {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut out = String::new();
        for own in bytes.chunks(3) {
            let bits = (0..3).fold(0u32, |sum, k| {
                (sum << 8) | u32::from(own.get(k).copied().unwrap_or(0))
            });
            for k in 0..4 {
                match k <= own.len() {
                    true => out.push(char::from(DIGITS[((bits >> (18 - 6 * k)) & 63) as usize])),
                    false => out.push('='),
                }
            }
        }
        out
    }

    /// The four arrays in bytes.
    fn bytes(is_big: bool) -> [Vec<u8>; 4] {
        let order = |mut own: [u8; 8]| {
            if is_big {
                own.reverse();
            }
            own
        };
        let whole = |x: &[i64]| x.iter().flat_map(|x| order(x.to_le_bytes())).collect();
        [
            POINTS.iter().flat_map(|x| order(x.to_le_bytes())).collect(),
            whole(&CONNECTIVITY),
            whole(&[3, 7]),
            vec![5, 10],
        ]
    }

    fn in_base64() -> String {
        let array = |bytes: Vec<u8>| {
            let length = (bytes.len() as u32).to_be_bytes();
            let coded = encode(&[&length[..], &bytes].concat());
            format!("format=\"binary\">\n  {coded}\n</DataArray>")
        };
        let head = "byte_order=\"BigEndian\" header_type=\"UInt32\"";
        file(head, bytes(true).map(array), "")
    }

    /// In blocks packed by zlib, the points in two of them.
    fn packed() -> String {
        let array = |bytes: Vec<u8>| {
            let size = bytes.len().div_ceil(2).next_multiple_of(8);
            let blocks = bytes.chunks(size).map(|block| {
                let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), Default::default());
                packer.write_all(block).unwrap();
                packer.finish().unwrap()
            });
            let blocks: Vec<Vec<u8>> = blocks.collect();
            let mut lengths = vec![blocks.len(), size, bytes.len() % size];
            lengths.extend(blocks.iter().map(Vec::len));
            let lengths = lengths.into_iter().flat_map(|n| (n as u64).to_le_bytes());
            let lengths = encode(&lengths.collect::<Vec<u8>>());
            format!(
                "format=\"binary\">{lengths}{}</DataArray>",
                encode(&blocks.concat())
            )
        };
        let head = "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\"";
        file(head, bytes(false).map(array), "")
    }

    fn appended_raw() -> Vec<u8> {
        let mut data = Vec::new();
        let arrays = bytes(false).map(|bytes| {
            let place = data.len();
            data.extend((bytes.len() as u64).to_le_bytes());
            data.extend(bytes);
            format!("format=\"appended\" offset=\"{place}\"/>")
        });
        let head = "header_type=\"UInt64\"";
        let text = file(
            head,
            arrays,
            "<AppendedData encoding=\"raw\">\n_#</AppendedData>",
        );
        let (before, after) = text.split_once('#').unwrap();
        [before.as_bytes(), &data, after.as_bytes()].concat()
    }

    #[test]
    fn all_codings_give_the_tetrahedron_and_its_points() {
        let files = [in_text(), in_base64(), packed()].map(String::into_bytes);
        for bytes in files.into_iter().chain([appended_raw()]) {
            let mesh = parse(&bytes).unwrap();
            assert_eq!(mesh.tetrahedra, [[0, 1, 2, 3]]);
            assert_eq!(mesh.points.as_flattened(), &POINTS[3..]);
        }
    }

    #[test]
    fn other_files_are_refused_with_their_place() {
        let refused = |text: &str| parse(text.as_bytes()).unwrap_err().to_string();
        let text = in_text();
        let with = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            refused(&text.replace(from, to))
        };
        assert!(refused("nonsense").contains("there is no <VTKFile>"));
        assert!(with("\"UnstructuredGrid\"", "\"PolyData\"").contains("its type is \"PolyData\""));
        assert!(with(">5 10<", ">5 12<").contains("hexahedra"));
        assert!(with(">5 10<", ">5 24<").contains("cells of type 24"));
        assert!(with(">5 10<", ">5 5<").contains("no tetrahedron"));
        assert!(with(">5 10<", ">5<").contains("there are 1 for 2 offsets"));
        assert!(with(">3 7<", ">3 6<").contains("a tetrahedron lies from 3 to 6"));
        assert!(with("3\n4<", "3\n5<").contains("there is no point 5"));
        assert!(with("9 9 9", "9 x 9").contains("\"x\" is no number"));
        assert!(with("9 9 9", "9 inf 9").contains("a coordinate is inf"));
        assert!(with("9 9 9", "9 9").contains("three coordinates"));
        assert!(with("\"connectivity\"", "\"other\"").contains("no array of connectivity"));
        assert!(with("<Piece", "<Piece/><Piece").contains("2 pieces"));
        let head = "compressor=\"vtkLZ4DataCompressor\"";
        let lz4 = packed().replace("compressor=\"vtkZLibDataCompressor\"", head);
        assert!(refused(&lz4).contains("packed by vtkLZ4DataCompressor"));
    }

    #[test]
    fn no_bytes_make_the_reader_panic() {
        let files = [in_text(), in_base64(), packed()].map(String::into_bytes);
        for bytes in files.into_iter().chain([appended_raw()]) {
            for end in 0..bytes.len() {
                let _ = parse(&bytes[..end]);
            }
            for at in 0..bytes.len() {
                for with in [b'9', b'-', b'<', b'"', 0xff] {
                    let mut garbled = bytes.clone();
                    garbled[at] = with;
                    let _ = parse(&garbled);
                }
            }
        }
    }
}
