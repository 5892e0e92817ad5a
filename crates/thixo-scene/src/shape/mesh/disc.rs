//! Flat cylinders around pieces of a surface: for smooth surfaces much tighter than boxes, which
//! are as thick as the piece is tilted.

use rayon::prelude::*;
use thixo_math::Vector;

use super::tree::Node;
use super::triangulate::{Point, cross};

/// Nodes with more triangles are taken for their boxes: their triangles face many ways.
const MOST_TRIANGLES: u32 = 1024;

/// All points within `thickness` of a plane and within `radius` of a line across it.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))] // one line of the cache, as searches look at many of them and wait for each
pub(crate) struct Disc {
    middle: Point,
    /// Across; of length 1.
    normal: Point,
    thickness: f64,
    radius: f64,
}

impl Disc {
    /// Squared distance of a point from the disc.
    #[inline]
    pub fn distance_squared(&self, x: Point) -> f64 {
        let away = x - self.middle;
        let height = away.dot(self.normal);
        let aside = (away.norm_squared() - height * height).max(0.0).sqrt();
        let above = (height.abs() - self.thickness).max(0.0);
        let beside = (aside - self.radius).max(0.0);
        above * above + beside * beside
    }

    /// Around a box.
    fn around_box(node: &Node) -> Self {
        let half = |a: usize| 0.5 * (node.max[a] - node.min[a]);
        let center = |a: usize| 0.5 * (node.min[a] + node.max[a]);
        Self {
            middle: Vector([center(0), center(1), center(2)]),
            normal: Vector([0.0, 0.0, 1.0]),
            thickness: half(2),
            radius: (half(0) * half(0) + half(1) * half(1)).sqrt(),
        }
        .widened()
    }

    /// Around triangles: across their mean normal.
    fn around_triangles(node: &Node, triangles: &[[Point; 3]]) -> Self {
        let mut area = Point::zero();
        let mut sum = Point::zero();
        for [a, b, c] in triangles {
            area += cross(*b - *a, *c - *a);
            sum += *a + *b + *c;
        }
        let length = area.norm();
        // Areas below the smallest numbers have no direction that could be trusted.
        if !(length > f64::MIN_POSITIVE && length.is_finite()) {
            return Self::around_box(node);
        }
        let normal = area * (1.0 / length);
        let middle = sum * (1.0 / (3.0 * triangles.len() as f64));
        let (mut low, mut high, mut squared) = (0.0f64, 0.0f64, 0.0f64);
        for &corner in triangles.iter().flatten() {
            let away = corner - middle;
            let height = away.dot(normal);
            low = low.min(height);
            high = high.max(height);
            squared = squared.max(away.norm_squared() - height * height);
        }
        Self {
            middle: middle + normal * (0.5 * (low + high)),
            normal,
            thickness: 0.5 * (high - low),
            radius: squared.max(0.0).sqrt(),
        }
        .widened()
    }

    /// A little larger, so that rounding leaves no corner out.
    fn widened(mut self) -> Self {
        let size = self.middle.norm() + self.thickness + self.radius;
        self.thickness += 1e-14 * size;
        // Of nearly equal squares a difference is taken, whose root is as uncertain as half of
        // their digits.
        self.radius += 1e-14 * size + 1e-7 * (self.thickness + self.radius);
        self
    }
}

/// The discs of all nodes of a tree, given its triangles in their order.
pub(crate) fn discs(nodes: &[Node], triangles: &[[Point; 3]]) -> Vec<Disc> {
    let disc = |node: &Node| {
        if node.count > MOST_TRIANGLES {
            return Disc::around_box(node);
        }
        let range = node.first as usize..(node.first + node.count) as usize;
        Disc::around_triangles(node, &triangles[range])
    };
    nodes.par_iter().map(disc).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::mesh::samples;
    use crate::shape::mesh::tree::Tree;

    #[test]
    fn discs_hold_all_corners_and_are_flat_where_the_surface_is() {
        let mut far = samples::sphere(4, 0.7);
        for point in &mut far.points {
            point[0] += 1e6;
        }
        for mesh in [samples::sphere(5, 0.7), samples::cube(), far] {
            let tree = Tree::new(&mesh);
            for (node, disc) in tree.nodes.iter().zip(&tree.discs) {
                for (_, triangle) in tree.triangles_of(node) {
                    for &corner in triangle {
                        assert_eq!(disc.distance_squared(corner), 0.0, "{disc:?} {corner:?}");
                    }
                }
            }
        }
        let tree = Tree::new(&samples::sphere(5, 0.7));
        for (node, disc) in tree.nodes.iter().zip(&tree.discs) {
            assert!(!node.is_leaf() || disc.thickness < 0.1 * disc.radius);
        }
        let flat = Disc::around_triangles(&tree.nodes[0], &[tree.triangles[0]]);
        let above = flat.middle + flat.normal * 2.0;
        assert!((flat.distance_squared(above) - 4.0).abs() < 1e-6);
    }

    #[test]
    fn triangles_without_area_have_discs_too() {
        let a = Vector([1.0, 2.0, 3.0]);
        let b = Vector([2.0, 2.0, 3.0]);
        let tree = Tree::of(&[[a, b, b], [a, a, a]]);
        for corner in [a, b] {
            assert_eq!(tree.discs[0].distance_squared(corner), 0.0);
        }
    }
}
