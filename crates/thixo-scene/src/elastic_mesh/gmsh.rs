//! Tetrahedra of Gmsh files in text, `.msh` of the formats 2.2 and 4.1.

use std::collections::HashMap;
use std::str::SplitAsciiWhitespace;

use super::solid_mesh::SolidMesh;
use crate::shape::AssetError;

/// The number of Gmsh for a tetrahedron of four nodes.
const TETRAHEDRON: u64 = 4;

fn malformed(place: &str, message: impl Into<String>) -> AssetError {
    AssetError::Malformed {
        format: "Gmsh",
        place: place.to_owned(),
        message: message.into(),
    }
}

/// Numbers of a section, one after the other.
struct Words<'a> {
    words: SplitAsciiWhitespace<'a>,
    section: &'static str,
}

impl<'a> Words<'a> {
    fn of(text: &'a str, section: &'static str) -> Result<Self, AssetError> {
        let name = section.trim_start_matches('$');
        let begin = text.find(&format!("{section}\n"));
        let begin = begin.or_else(|| text.find(&format!("{section}\r\n")));
        let Some(begin) = begin else {
            return Err(malformed("the file", format!("there is no {section}")));
        };
        let rest = &text[begin + section.len()..];
        let Some(end) = rest.find(&format!("$End{name}")) else {
            return Err(malformed(section, format!("there is no $End{name}")));
        };
        Ok(Self {
            words: rest[..end].split_ascii_whitespace(),
            section,
        })
    }
    fn word(&mut self) -> Result<&'a str, AssetError> {
        let ends = || malformed(self.section, "it ends before all that it announces");
        self.words.next().ok_or_else(ends)
    }
    fn count(&mut self) -> Result<u64, AssetError> {
        let word = self.word()?;
        let wrong = |_| malformed(self.section, format!("\"{word}\" is no whole number"));
        word.parse().map_err(wrong)
    }
    fn number(&mut self) -> Result<f64, AssetError> {
        let word = self.word()?;
        let number: Option<f64> = word.parse().ok().filter(|x: &f64| x.is_finite());
        number.ok_or_else(|| malformed(self.section, format!("\"{word}\" is no finite number")))
    }
    fn skip(&mut self, count: u64) -> Result<(), AssetError> {
        for _ in 0..count {
            self.word()?;
        }
        Ok(())
    }
    fn point(&mut self) -> Result<[f64; 3], AssetError> {
        Ok([self.number()?, self.number()?, self.number()?])
    }
}

/// Number of nodes of an element of a type of Gmsh, where it is one that meshes of simplices hold.
fn nodes_of(kind: u64) -> Result<u64, AssetError> {
    match kind {
        1 => Ok(2),
        2 => Ok(3),
        3 | TETRAHEDRON => Ok(4),
        15 => Ok(1),
        5..=7 => Err(malformed(
            "$Elements",
            "it has hexahedra, prisms or pyramids; mesh the body with tetrahedra",
        )),
        _ => Err(malformed(
            "$Elements",
            format!("it has elements of type {kind}; export a mesh of the first order"),
        )),
    }
}

/// Reads a file.
pub(super) fn parse(bytes: &[u8]) -> Result<SolidMesh, AssetError> {
    let text = String::from_utf8_lossy(bytes);
    let mut format = Words::of(&text, "$MeshFormat")?;
    let version = format.word()?;
    if format.count()? != 0 {
        let message = "it is binary; save it in text (in Gmsh: Mesh.Binary = 0)";
        return Err(malformed("$MeshFormat", message));
    }
    let mut nodes: HashMap<u64, u32> = HashMap::new();
    let mut points = Vec::new();
    let mut add = |tag: u64, point: [f64; 3]| {
        nodes.insert(tag, points.len() as u32);
        points.push(point);
    };
    let mut tetrahedra = Vec::new();
    let mut tags = Vec::new();
    match version {
        "2.2" | "2" => {
            let mut words = Words::of(&text, "$Nodes")?;
            for _ in 0..words.count()? {
                let tag = words.count()?;
                add(tag, words.point()?);
            }
            let mut words = Words::of(&text, "$Elements")?;
            for _ in 0..words.count()? {
                words.skip(1)?;
                let kind = words.count()?;
                let skipped = words.count()?;
                words.skip(skipped)?;
                let count = nodes_of(kind)?;
                read_element(&mut words, (kind, count), &mut tags)?;
            }
        }
        "4.1" => {
            let mut words = Words::of(&text, "$Nodes")?;
            let blocks = words.count()?;
            words.skip(3)?;
            for _ in 0..blocks {
                words.skip(2)?;
                if words.count()? != 0 {
                    let message = "it has parametric nodes; save it without them";
                    return Err(malformed("$Nodes", message));
                }
                let count = words.count()?;
                let mut own = Vec::new();
                for _ in 0..count {
                    own.push(words.count()?);
                }
                for tag in own {
                    add(tag, words.point()?);
                }
            }
            let mut words = Words::of(&text, "$Elements")?;
            let blocks = words.count()?;
            words.skip(3)?;
            for _ in 0..blocks {
                words.skip(2)?;
                let kind = words.count()?;
                let elements = words.count()?;
                let count = nodes_of(kind)?;
                for _ in 0..elements {
                    words.skip(1)?;
                    read_element(&mut words, (kind, count), &mut tags)?;
                }
            }
        }
        other => {
            let message = format!("its format is {other}; it must be 2.2 or 4.1");
            return Err(malformed("$MeshFormat", message));
        }
    }
    for own in tags {
        let mut vertices = [0; 4];
        for (vertex, tag) in vertices.iter_mut().zip(own) {
            let missing = || malformed("$Elements", format!("there is no node {tag}"));
            *vertex = *nodes.get(&tag).ok_or_else(missing)?;
        }
        tetrahedra.push(vertices);
    }
    if tetrahedra.is_empty() {
        return Err(AssetError::Empty {
            message: "it has no tetrahedron",
        });
    }
    Ok(SolidMesh { points, tetrahedra }.without_loose())
}

fn read_element(
    words: &mut Words<'_>,
    (kind, count): (u64, u64),
    tags: &mut Vec<[u64; 4]>,
) -> Result<(), AssetError> {
    if kind != TETRAHEDRON {
        return words.skip(count);
    }
    let mut own = [0; 4];
    for tag in &mut own {
        *tag = words.count()?;
    }
    tags.push(own);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const V2: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n\
        7 0 0 1\n9 5 5 5\n$EndNodes\n$Elements\n3\n1 15 2 0 1 9\n2 2 2 0 1 1 2 3\n3 4 2 0 1 1 2 3 7\n\
        $EndElements\n";
    const V4: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n2 4 1 7\n0 1 0 1\n7\n0 0 1\n\
        3 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n$Elements\n2 2 1 2\n2 1 2 1\n1 1 2 3\n\
        3 1 4 1\n2 1 2 3 7\n$EndElements\n";

    #[test]
    fn both_formats_give_the_tetrahedron_and_its_nodes() {
        for text in [V2, V4] {
            let mesh = parse(text.as_bytes()).unwrap();
            assert_eq!(mesh.tetrahedra, [[0, 1, 2, 3]]);
            let corners = [
                [0.0, 0.0, 0.0],
                [1.0, 0.0, 0.0],
                [0.0, 1.0, 0.0],
                [0.0, 0.0, 1.0],
            ];
            assert_eq!(mesh.points, corners);
        }
    }

    #[test]
    fn other_files_are_refused_with_their_place() {
        let refused = |text: &str| parse(text.as_bytes()).unwrap_err().to_string();
        assert!(refused("nonsense").contains("there is no $MeshFormat"));
        assert!(refused(&V2.replace("2.2 0", "2.2 1")).contains("it is binary"));
        assert!(refused(&V2.replace("2.2 0", "3 0")).contains("its format is 3"));
        assert!(refused(&V2.replace("1 2 3 7", "1 2 3 8")).contains("there is no node 8"));
        assert!(refused(&V2.replace("3 4 2", "3 5 2")).contains("hexahedra"));
        assert!(refused(&V2.replace("1 0 0\n3", "1 x 0\n3")).contains("\"x\" is no finite number"));
        assert!(refused(&V4.replace("2 2 1 2", "9 2 1 2")).contains("it ends before"));
    }

    #[test]
    fn no_bytes_make_the_reader_panic() {
        for text in [V2, V4] {
            for end in 0..text.len() {
                let _ = parse(&text.as_bytes()[..end]);
            }
            for at in 0..text.len() {
                for with in [b'9', b'-', b'$', b'\n', b' '] {
                    let mut garbled = text.as_bytes().to_vec();
                    garbled[at] = with;
                    let _ = parse(&garbled);
                }
            }
        }
    }
}
