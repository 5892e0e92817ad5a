//! Watertightness: edges of a mesh, and the volume it encloses.

use rayon::prelude::*;

use super::{Point, SurfaceMesh};
use crate::vector::cross;

/// Counts of the edges of triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    /// Directed edges.
    pub all: usize,
    /// Directed edges without one in the other direction, or which are there more than once.
    pub open: usize,
}

impl Edges {
    /// Counts the edges of triangles.
    pub fn of(triangles: &[[u32; 3]]) -> Self {
        let directed = |from: fn([u32; 2]) -> [u32; 2]| {
            let mut keys: Vec<u64> = triangles
                .par_iter()
                .flat_map_iter(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]])
                .map(|edge| {
                    let [a, b] = from(edge);
                    u64::from(a) << 32 | u64::from(b)
                })
                .collect();
            keys.par_sort_unstable();
            keys
        };
        let forth = directed(|edge| edge);
        let back = directed(|[a, b]| [b, a]);
        let is_repeated = |k: usize| k > 0 && forth[k] == forth[k - 1];
        let lacks_other = |k: usize| back.binary_search(&forth[k]).is_err();
        let open = if forth == back && !(0..forth.len()).any(is_repeated) {
            0
        } else {
            (0..forth.len())
                .filter(|k| is_repeated(*k) || lacks_other(*k))
                .count()
                .max(1)
        };
        Self {
            all: forth.len(),
            open,
        }
    }

    /// True if every edge belongs to exactly two triangles, which run along it in opposite
    /// directions.
    pub fn is_closed(self) -> bool {
        self.open == 0
    }
}

/// Volume, area and centre of a watertight surface.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshProperties {
    /// Volume \[m³\].
    pub volume: f64,
    /// Area of the surface \[m²\].
    pub area: f64,
    /// Centre of the volume \[m\]; that of the vertices if there is none.
    pub center: Point,
}

impl MeshProperties {
    /// By the divergence theorem, from tetrahedra between triangles and a point.
    pub fn of(surface: &SurfaceMesh) -> Self {
        let count = surface.positions.len().max(1) as f64;
        let mut middle = Point::zero();
        for x in &surface.positions {
            middle += *x;
        }
        let middle = middle * (1.0 / count);
        let (mut volume, mut area, mut moment) = (0.0, 0.0, Point::zero());
        for triangle in &surface.triangles {
            let [a, b, c] = triangle.map(|k| surface.positions[k as usize] - middle);
            let tetrahedron = a.dot(cross(b, c)) / 6.0;
            volume += tetrahedron;
            area += 0.5 * cross(b - a, c - a).norm();
            moment += (a + b + c) * (0.25 * tetrahedron);
        }
        let center = if volume > 0.0 {
            middle + moment * (1.0 / volume)
        } else {
            middle
        };
        Self {
            volume,
            area,
            center,
        }
    }
}

#[cfg(test)]
mod tests {
    use thixo_math::Vector;

    use super::*;

    fn tetrahedron() -> SurfaceMesh {
        let corners = [
            [1.0, 1.0, 1.0],
            [2.0, 1.0, 1.0],
            [1.0, 3.0, 1.0],
            [1.0, 1.0, 4.0],
        ];
        SurfaceMesh {
            positions: corners.map(Vector).to_vec(),
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
            ..SurfaceMesh::default()
        }
    }

    #[test]
    fn a_tetrahedron_has_its_volume_and_centre() {
        let solid = MeshProperties::of(&tetrahedron());
        assert!((solid.volume - 1.0).abs() < 1e-14, "{solid:?}");
        let expected = Vector([1.25, 1.5, 1.75]);
        assert!((solid.center - expected).norm() < 1e-14, "{solid:?}");
        assert!(
            (solid.area - (1.0 + 1.5 + 3.0 + 3.5)).abs() < 1e-14,
            "{solid:?}"
        );
        assert_eq!(MeshProperties::of(&SurfaceMesh::default()).volume, 0.0);
    }

    #[test]
    fn holes_turned_triangles_and_fans_are_open() {
        let mut triangles = tetrahedron().triangles;
        assert!(Edges::of(&triangles).is_closed());
        let mut turned = triangles.clone();
        turned[0].swap(0, 1);
        assert!(!Edges::of(&turned).is_closed());
        let mut twice = triangles.clone();
        twice.push(triangles[3]);
        assert!(!Edges::of(&twice).is_closed());
        triangles.pop();
        assert_eq!(Edges::of(&triangles).open, 3);
        assert!(Edges::of(&[]).is_closed());
    }
}
