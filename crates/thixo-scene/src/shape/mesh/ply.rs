//! PLY: text, or binary of either byte order. Vertices and faces are used; other elements and
//! properties are skipped.

use super::ply_header::{Element, Header, Property, PropertyType};
use super::ply_values::Values;
use super::read::{Mesh, index};
use super::triangulate::{MOST_CORNERS, too_many_corners, triangulate};
use crate::shape::AssetError;

/// Reads a PLY file. Faces may have any number of corners.
pub(crate) fn parse(bytes: &[u8]) -> Result<Mesh, AssetError> {
    let (header, body) = Header::parse(bytes)?;
    let mut values = Values::new(bytes, body, header.encoding);
    let mut mesh = Mesh::default();
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => vertices(element, &mut values, &mut mesh)?,
            "face" => faces(element, &mut values, &mut mesh)?,
            _ => skip(element, &mut values)?,
        }
    }
    mesh.checked("PLY")
}

fn vertices(element: &Element, values: &mut Values<'_>, mesh: &mut Mesh) -> Result<(), AssetError> {
    let places = ["x", "y", "z"].map(|name| element.scalar(name));
    let [Some(x), Some(y), Some(z)] = places else {
        return Err(values.malformed("the vertices have no scalar properties x, y and z"));
    };
    for _ in 0..element.count {
        let mut point = [0.0; 3];
        for (k, property) in element.properties.iter().enumerate() {
            match property.kind {
                PropertyType::Scalar(kind) => {
                    let value = values.next(kind)?;
                    if let Some(axis) = [x, y, z].iter().position(|&place| place == k) {
                        point[axis] = value;
                    }
                }
                PropertyType::List { .. } => values.skip(property)?,
            }
        }
        if index(mesh.points.len()).is_none() {
            return Err(values.malformed("there are more than 2^31 vertices"));
        }
        mesh.points.push(point);
    }
    Ok(())
}

fn faces(element: &Element, values: &mut Values<'_>, mesh: &mut Mesh) -> Result<(), AssetError> {
    let is_corners = |property: &Property| {
        matches!(property.name.as_str(), "vertex_indices" | "vertex_index")
            && matches!(property.kind, PropertyType::List { .. })
    };
    if !element.properties.iter().any(is_corners) {
        return Err(values.malformed("the faces have no list property vertex_indices"));
    }
    let mut corners = Vec::new();
    for _ in 0..element.count {
        for property in &element.properties {
            let PropertyType::List { count, item } = property.kind else {
                values.skip(property)?;
                continue;
            };
            if !is_corners(property) {
                values.skip(property)?;
                continue;
            }
            corners.clear();
            for _ in 0..values.length(count)? {
                let corner = values.next(item)?;
                // Indices of points that are not there yet cannot be triangulated.
                if !(corner >= 0.0 && corner < mesh.points.len() as f64 && corner.fract() == 0.0) {
                    let count = mesh.points.len();
                    return Err(values.malformed(&format!(
                        "a face has the corner {corner}, but there are {count} vertices before it"
                    )));
                }
                corners.push(corner as u32);
            }
            if corners.len() > MOST_CORNERS {
                return Err(values.malformed(&too_many_corners(corners.len())));
            }
            if corners.len() >= 3 {
                triangulate(&corners, &mesh.points, &mut mesh.triangles);
            }
        }
    }
    Ok(())
}

fn skip(element: &Element, values: &mut Values<'_>) -> Result<(), AssetError> {
    // Without properties an element has no bytes, however many there are.
    if element.properties.is_empty() {
        return Ok(());
    }
    for _ in 0..element.count {
        for property in &element.properties {
            values.skip(property)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "ply\nformat ascii 1.0\ncomment made by hand\nobj_info none\nelement material 1\nproperty list uchar float tint\n\
        element vertex 4\nproperty float x\nproperty float y\nproperty uchar red\nproperty double z\n\
        element face 2\nproperty list uchar int vertex_indices\nproperty uchar flag\nend_header\n\
        2 0.5 0.25\n0 0 255 0\n1 0 255 0\n1 1 0 0\n0 1 0 1e0\n4 0 1 2 3 1\n3 0 2 3 0\n";

    fn square() -> Mesh {
        Mesh {
            points: vec![
                [0.0, 0.0, 0.0],
                [1.0, 0.0, 0.0],
                [1.0, 1.0, 0.0],
                [0.0, 1.0, 1.0],
            ],
            triangles: vec![[3, 0, 1], [1, 2, 3], [0, 2, 3]],
        }
    }

    /// The same file with binary values.
    fn binary(is_big: bool) -> Vec<u8> {
        let name = if is_big {
            "binary_big_endian"
        } else {
            "binary_little_endian"
        };
        let header = TEXT.split_inclusive("end_header\n").next().unwrap();
        let mut file = header.replace("ascii", name).into_bytes();
        let mut put = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            if is_big {
                bytes.reverse();
            }
            file.extend(bytes);
        };
        put(&[2]);
        put(&0.5f32.to_le_bytes());
        put(&0.25f32.to_le_bytes());
        for point in square().points {
            put(&(point[0] as f32).to_le_bytes());
            put(&(point[1] as f32).to_le_bytes());
            put(&[255]);
            put(&point[2].to_le_bytes());
        }
        for face in [&[0, 1, 2, 3][..], &[0, 2, 3]] {
            put(&[face.len() as u8]);
            for corner in face {
                put(&i32::to_le_bytes(*corner));
            }
            put(&[1]);
        }
        file
    }

    #[test]
    fn all_encodings_say_the_same() {
        assert_eq!(parse(TEXT.as_bytes()).unwrap(), square());
        assert_eq!(parse(&binary(false)).unwrap(), square());
        assert_eq!(parse(&binary(true)).unwrap(), square());
        assert_eq!(
            parse(TEXT.replace('\n', "\r\n").as_bytes()).unwrap(),
            square()
        );
    }

    #[test]
    fn every_cut_of_a_file_is_refused() {
        for file in [TEXT.as_bytes().to_vec(), binary(false), binary(true)] {
            // The last two bytes of the text are a flag and a line end.
            for length in 0..file.len() - 2 {
                assert!(parse(&file[..length]).is_err(), "{length}");
            }
        }
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let message = |from: &str, to: &str| {
            let text = TEXT.replacen(from, to, 1);
            parse(text.as_bytes()).unwrap_err().to_string()
        };
        assert_eq!(
            message("format ascii 1.0", "format utf 1.0"),
            "is not a sound PLY file: line 2: \"format utf 1.0\" is no format; it must be ascii, binary_little_endian or binary_big_endian"
        );
        assert_eq!(
            message("property double z", "property dooble z"),
            "is not a sound PLY file: line 11: \"dooble\" is no type of number"
        );
        assert!(
            message("property double z", "property double w")
                .contains("no scalar properties x, y and z")
        );
        assert!(message("vertex_indices", "corners").contains("no list property vertex_indices"));
        assert!(
            message("4 0 1 2 3 1", "4 0 1 2 4 1")
                .contains("a face has the corner 4, but there are 4 vertices")
        );
        assert!(message("1 1 0 0", "1 1 0 z").contains("\"z\" is not a number"));
        assert!(message("element vertex 4", "element vertex 99999999999999").contains("ends"));
        assert!(message("4 0 1 2 3 1", "-4 0 1 2 3 1").contains("length"));
    }
}
