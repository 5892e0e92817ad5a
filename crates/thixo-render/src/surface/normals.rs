//! Directions in which a surface looks.

use rayon::prelude::*;

use super::Point;
use super::topology::Adjacency;
use crate::vector::cross;

/// Outward normals of vertices: the mean of those of the triangles around, larger ones counting
/// more, and then of those of the vertices around, some times over.
pub fn normals(
    vertices: &[Point],
    triangles: &[[u32; 3]],
    around: &Adjacency,
    next_to: &Adjacency,
    times: u32,
) -> Vec<Point> {
    let of_triangles = |k: usize| {
        let mut sum = Point::zero();
        for triangle in around.of(k) {
            let [a, b, c] = triangles[*triangle as usize].map(|corner| vertices[corner as usize]);
            sum += cross(b - a, c - a);
        }
        unit(sum)
    };
    let all = 0..vertices.len();
    let mut normals: Vec<Point> = all.clone().into_par_iter().map(of_triangles).collect();
    for _ in 0..times {
        let smoothed = all.clone().into_par_iter().map(|k| {
            let mut sum = normals[k];
            for other in next_to.of(k) {
                sum += normals[*other as usize];
            }
            unit(sum)
        });
        normals = smoothed.collect();
    }
    normals
}

/// The direction of a vector; upwards where it has none.
fn unit(a: Point) -> Point {
    let length = a.norm();
    if length > 0.0 && length.is_finite() {
        a * (1.0 / length)
    } else {
        Point::splat_from([0.0, 1.0, 0.0])
    }
}
