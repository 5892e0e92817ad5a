//! STL: triangles with their own corners, as text or binary. The stored normals are not used.

use super::read::{Mesh, index};
use super::text_line::{lines, shown};
use crate::shape::AssetError;

/// Bytes before the triangles of a binary file.
const HEADER: usize = 84;
/// Bytes of a triangle: normal, three corners, attributes.
const RECORD: usize = 50;

/// Reads an STL file of either kind. A file is binary if it has exactly the length that its count
/// of triangles demands.
pub(crate) fn parse(bytes: &[u8]) -> Result<Mesh, AssetError> {
    let count = bytes.get(80..HEADER).map(|count| {
        let count: [u8; 4] = [count[0], count[1], count[2], count[3]];
        u64::from(u32::from_le_bytes(count))
    });
    let expected = count.map(|count| HEADER as u64 + RECORD as u64 * count);
    if expected == Some(bytes.len() as u64) {
        return binary(&bytes[HEADER..]);
    }
    let start = bytes.trim_ascii_start();
    if start.len() >= 5 && start[..5].eq_ignore_ascii_case(b"solid") {
        return text(bytes);
    }
    Err(AssetError::Malformed {
        format: "STL",
        place: format!("byte {}", bytes.len()),
        message: match (count, expected) {
            (Some(count), Some(expected)) => {
                format!("the file ends here, but its {count} triangles need {expected} bytes")
            }
            _ => "the file ends before the first triangle".to_owned(),
        },
    })
}

fn binary(records: &[u8]) -> Result<Mesh, AssetError> {
    let mut soup = Soup::default();
    for record in records.chunks_exact(RECORD) {
        for corner in record[12..48].chunks_exact(12) {
            let float = |k: usize| {
                let bytes = [corner[k], corner[k + 1], corner[k + 2], corner[k + 3]];
                f64::from(f32::from_le_bytes(bytes))
            };
            soup.push([float(0), float(4), float(8)])?;
        }
    }
    soup.0.checked("STL")
}

fn text(bytes: &[u8]) -> Result<Mesh, AssetError> {
    let mut soup = Soup::default();
    let mut corners = 0;
    for line in lines("STL", bytes) {
        let mut words = line.words();
        let Some(word) = words.next() else { continue };
        match word.to_ascii_lowercase().as_slice() {
            b"vertex" => {
                let point = line.point(words)?;
                corners += 1;
                if corners > 3 {
                    return Err(line.malformed("a facet has more than 3 corners"));
                }
                soup.push(point)?;
            }
            b"endfacet" => {
                if corners != 3 {
                    return Err(line.malformed(format!("a facet has {corners} corners, not 3")));
                }
                corners = 0;
            }
            b"solid" | b"facet" | b"outer" | b"endloop" | b"endsolid" => {}
            _ => {
                return Err(line.malformed(format!("\"{}\" is no word of the format", shown(word))));
            }
        }
    }
    if corners != 0 {
        return Err(AssetError::Malformed {
            format: "STL",
            place: "its end".to_owned(),
            message: "the last facet is not complete".to_owned(),
        });
    }
    soup.0.checked("STL")
}

/// Triangles that share nothing.
#[derive(Default)]
struct Soup(Mesh);

impl Soup {
    /// Adds a corner; every third completes a triangle.
    fn push(&mut self, point: [f64; 3]) -> Result<(), AssetError> {
        let Some(at) = index(self.0.points.len()) else {
            return Err(AssetError::Malformed {
                format: "STL",
                place: "its end".to_owned(),
                message: "there are more than 2^31 corners".to_owned(),
            });
        };
        self.0.points.push(point);
        if at % 3 == 2 {
            self.0.triangles.push([at - 2, at - 1, at]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "solid two\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1e0 0\n  endloop\n endfacet\n\
        facet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid two\n";

    #[test]
    fn text_and_binary_files_with_the_same_triangles_are_equal() {
        let text = parse(TEXT.as_bytes()).unwrap();
        assert_eq!(text.triangles, [[0, 1, 2], [3, 4, 5]]);
        let mut binary = vec![b' '; 80];
        // Binary files may begin like a text.
        binary[..5].copy_from_slice(b"solid");
        binary.extend(2u32.to_le_bytes());
        for triangle in &text.triangles {
            binary.extend([0; 12]);
            for corner in triangle {
                for x in text.points[*corner as usize] {
                    binary.extend((x as f32).to_le_bytes());
                }
            }
            binary.extend([0; 2]);
        }
        assert_eq!(parse(&binary).unwrap(), text);
        binary[0] = b'x';
        binary.pop();
        assert_eq!(
            parse(&binary).unwrap_err().to_string(),
            "is not a sound STL file: byte 183: the file ends here, but its 2 triangles need 184 bytes"
        );
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let message = |from: &str, to: &str| {
            let text = TEXT.replacen(from, to, 1);
            parse(text.as_bytes()).unwrap_err().to_string()
        };
        assert_eq!(
            message("vertex 1 0 0", "vertex 1 0"),
            "is not a sound STL file: line 5: \"\" is not a coordinate"
        );
        assert_eq!(
            message("   vertex 1 0 0\n", ""),
            "is not a sound STL file: line 7: a facet has 2 corners, not 3"
        );
        assert_eq!(
            message("outer", "inner"),
            "is not a sound STL file: line 3: \"inner\" is no word of the format"
        );
        assert!(parse(b"solid\nendsolid").is_err());
        assert!(parse(b"").is_err());
    }
}
