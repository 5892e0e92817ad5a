//! Wavefront OBJ: vertices and faces; everything else is skipped.

use std::borrow::Cow;

use super::read::{Mesh, index};
use super::text_line::{lines, shown};
use super::triangulate::{MOST_CORNERS, too_many_corners, triangulate};
use crate::shape::AssetError;

/// Reads the text of an OBJ file. Faces may have any number of corners and count vertices from 1,
/// or from −1 backwards.
pub(crate) fn parse(bytes: &[u8]) -> Result<Mesh, AssetError> {
    let text = joined(bytes);
    let mut mesh = Mesh::default();
    let mut corners = Vec::new();
    for line in lines("OBJ", &text) {
        let mut words = line.words();
        match words.next() {
            Some(b"v") => {
                let point = line.point(words)?;
                if index(mesh.points.len()).is_none() {
                    return Err(line.malformed("there are more than 2^31 vertices"));
                }
                mesh.points.push(point);
            }
            Some(b"f") => {
                corners.clear();
                for word in words {
                    let corner = corner(word, mesh.points.len());
                    corners.push(corner.ok_or_else(|| {
                        let count = mesh.points.len();
                        line.malformed(format!(
                            "\"{}\" is not one of the {count} vertices so far",
                            shown(word)
                        ))
                    })?);
                }
                if corners.len() < 3 {
                    let count = corners.len();
                    return Err(
                        line.malformed(format!("a face has {count} corners; it needs at least 3"))
                    );
                }
                if corners.len() > MOST_CORNERS {
                    return Err(line.malformed(too_many_corners(corners.len())));
                }
                triangulate(&corners, &mesh.points, &mut mesh.triangles);
            }
            _ => {}
        }
    }
    mesh.checked("OBJ")
}

/// The text with lines that end in a backslash joined to the next.
fn joined(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.contains(&b'\\') {
        return Cow::Borrowed(bytes);
    }
    let mut text = bytes.to_vec();
    for k in 0..text.len() {
        let rest = &text[k..];
        let length = if rest.starts_with(b"\\\n") {
            2
        } else if rest.starts_with(b"\\\r\n") {
            3
        } else {
            continue;
        };
        text[k..k + length].fill(b' ');
    }
    Cow::Owned(text)
}

/// The vertex of `7`, `7/1`, `7//3` or `-1`, if there is one.
fn corner(word: &[u8], count: usize) -> Option<u32> {
    let vertex = word.split(|&byte| byte == b'/').next()?;
    let number: i64 = std::str::from_utf8(vertex).ok()?.parse().ok()?;
    let at = match number {
        1.. => usize::try_from(number).ok()? - 1,
        0 => return None,
        _ => count.checked_sub(usize::try_from(number.unsigned_abs()).ok()?)?,
    };
    index(at).filter(|&at| (at as usize) < count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_of_all_kinds_are_read() {
        let text = "# a pyramid\nv 0 0 0\nv 1 0 0\r\nv 1 1 0 1.0\nv 0 1 0\nv 0.5 0.5 1e0\nvn 0 0 1\nvt 0 0\ns off\n\
                    f 4/1/1 3/1 2//1 1\nf 1 2 \\\n5\nf -4 -3 -1\nf 3 4 5\nf 4 1 5\n";
        let mesh = parse(text.as_bytes()).unwrap();
        assert_eq!(mesh.points.len(), 5);
        assert_eq!(mesh.points[4], [0.5, 0.5, 1.0]);
        assert_eq!(mesh.triangles.len(), 6);
        assert_eq!(mesh.triangles[2], [0, 1, 4]);
        assert_eq!(mesh.triangles[3], [1, 2, 4]);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let message = |text: &str| parse(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(
            message("v 0 0 0\nv 1 a 0\n"),
            "is not a sound OBJ file: line 2: \"a\" is not a coordinate"
        );
        assert_eq!(
            message("v 0 0 0\nf 1 1 2\n"),
            "is not a sound OBJ file: line 2: \"2\" is not one of the 1 vertices so far"
        );
        assert_eq!(
            message("v 0 0 0\nf 1 -1\n"),
            "is not a sound OBJ file: line 2: a face has 2 corners; it needs at least 3"
        );
        assert_eq!(message("v 0 0 0\n"), "is empty: it has no face");
        assert_eq!(
            message("v 0 0 nan\nf 1 1 1\n"),
            "is not a sound OBJ file: vertex 0: its coordinates are [0.0, 0.0, NaN]; they must be at most 1e12 in size"
        );
        assert!(message("f 0 0 0").contains("not one of"));
        assert!(message("f -9223372036854775808 1 1").contains("not one of"));
    }
}
