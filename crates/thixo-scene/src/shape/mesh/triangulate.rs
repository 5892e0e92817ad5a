//! Polygons as triangles.

use thixo_math::Vector;

/// A point of space \[m\].
pub(crate) type Point = Vector<f64, 3>;

/// The most corners for which ears are searched; the time grows with the square.
const MOST_CLIPPED: usize = 256;

/// The most corners of a polygon. All triangles of a larger one would share a corner and lie in one
/// plane, slivers that no tree of boxes tells apart: the distance from them takes minutes.
pub(super) const MOST_CORNERS: usize = 4096;

/// The refusal of a polygon of more corners.
pub(super) fn too_many_corners(count: usize) -> String {
    format!(
        "a face has {count} corners; {MOST_CORNERS} are the most: divide it into triangles in the program that made it"
    )
}

/// a × b.
pub(crate) fn cross(a: Point, b: Point) -> Point {
    Vector([
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ])
}

/// Triangles of a polygon with the same orientation: by clipping ears, so that polygons need not be
/// convex. Where no ear is found, as in polygons that cross themselves, and in polygons of hundreds
/// of corners, all triangles share the first corner.
pub(crate) fn triangulate(corners: &[u32], points: &[[f64; 3]], out: &mut Vec<[u32; 3]>) {
    let Some(&first) = corners.first() else {
        return;
    };
    if corners.len() == 3 {
        out.push([corners[0], corners[1], corners[2]]);
        return;
    }
    let mut left = corners.to_vec();
    if left.len() <= MOST_CLIPPED {
        let at = |corner: u32| Vector(points[corner as usize]);
        let mut normal = Point::zero();
        for pair in left.windows(2) {
            normal += cross(at(pair[0]) - at(first), at(pair[1]) - at(first));
        }
        while left.len() > 3 {
            let n = left.len();
            let ear = (0..n).find(|&k| {
                let [a, b, c] = [left[(k + n - 1) % n], left[k], left[(k + 1) % n]];
                is_ear([at(a), at(b), at(c)], normal, || {
                    let others = left.iter().filter(|&&other| ![a, b, c].contains(&other));
                    others.map(|&other| at(other))
                })
            });
            let Some(k) = ear else { break };
            out.push([left[(k + n - 1) % n], left[k], left[(k + 1) % n]]);
            left.remove(k);
        }
    }
    for pair in left[1..].windows(2) {
        out.push([left[0], pair[0], pair[1]]);
    }
}

/// True if a corner can be cut off: convex, with no other corner inside.
fn is_ear<I: Iterator<Item = Point>>(
    [a, b, c]: [Point; 3],
    normal: Point,
    others: impl Fn() -> I,
) -> bool {
    let turn = |p: Point, q: Point, r: Point| cross(q - p, r - p).dot(normal);
    turn(a, b, c) > 0.0
        && others().all(|p| turn(a, b, p) < 0.0 || turn(b, c, p) < 0.0 || turn(c, a, p) < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> (f64, f64) {
        let (mut signed, mut total) = (0.0, 0.0);
        for [a, b, c] in triangles
            .iter()
            .map(|t| t.map(|k| Vector(points[k as usize])))
        {
            let normal = cross(b - a, c - a);
            signed += 0.5 * normal[2];
            total += 0.5 * normal.norm();
        }
        (signed, total)
    }

    #[test]
    fn polygons_are_covered_once_even_if_they_are_not_convex() {
        let arrow = [
            [0.0, 0.0, 0.0],
            [2.0, 1.0, 0.0],
            [0.0, 2.0, 0.0],
            [1.0, 1.0, 0.0],
        ];
        for turn in 0..4 {
            let corners: Vec<u32> = (0..4).map(|k| (k + turn) % 4).collect();
            let mut triangles = Vec::new();
            triangulate(&corners, &arrow, &mut triangles);
            assert_eq!(triangles.len(), 2);
            let (signed, total) = area(&arrow, &triangles);
            assert!((signed - 1.0).abs() < 1e-15 && (total - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn large_and_flat_polygons_are_triangulated_too() {
        let circle: Vec<[f64; 3]> = (0..1000)
            .map(|k| (f64::from(k) * std::f64::consts::TAU / 1000.0).sin_cos())
            .map(|(y, x)| [x, y, 0.0])
            .collect();
        let corners: Vec<u32> = (0..1000).collect();
        let mut triangles = Vec::new();
        triangulate(&corners, &circle, &mut triangles);
        assert_eq!(triangles.len(), 998);
        assert!((area(&circle, &triangles).0 - std::f64::consts::PI).abs() < 1e-4);
        let mut flat = Vec::new();
        triangulate(&[0, 1, 2, 3, 4], &[[0.0; 3]; 5], &mut flat);
        assert_eq!(flat.len(), 3);
    }
}
