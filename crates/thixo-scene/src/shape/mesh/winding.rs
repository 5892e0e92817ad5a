//! Winding number of a mesh around a place: 1 inside, 0 outside, and in between near holes.
//! \[Barill2018\]
//!
//! The winding number of a surface is the sum of the signed solid angles of its triangles over 4π.
//! Triangles that are far away for their size count together, as the dipole p·(c − x) / (4π |c −
//! x|³), where p is the sum of their area vectors and c their middle.

use super::tree::{DEEPEST, Node, Tree};
use super::triangulate::{Point, cross};
use thixo_math::Vector;

/// A node counts as a dipole beyond this many of its radii.
const FAR: f64 = 2.0;

/// A node seen from far away.
#[derive(Clone, Copy, Debug)]
struct Dipole {
    middle: Point,
    area: Point,
    radius: f64,
}

/// A tree that knows winding numbers.
#[derive(Clone, Debug)]
pub(crate) struct Winding<'a> {
    tree: &'a Tree,
    dipoles: Vec<Dipole>,
}

impl<'a> Winding<'a> {
    /// Of the triangles of a tree.
    pub fn new(tree: &'a Tree) -> Self {
        let nothing = Dipole {
            middle: Point::zero(),
            area: Point::zero(),
            radius: 0.0,
        };
        let mut sums = vec![(Point::zero(), Point::zero(), 0.0); tree.nodes.len()];
        let mut dipoles = vec![nothing; tree.nodes.len()];
        // Children come after their parents.
        for at in (0..tree.nodes.len()).rev() {
            let node = &tree.nodes[at];
            let (area, moment, total) = if node.is_leaf() {
                leaf_sums(tree, node)
            } else {
                let (a, b) = (sums[at + 1], sums[node.second as usize]);
                (a.0 + b.0, a.1 + b.1, a.2 + b.2)
            };
            sums[at] = (area, moment, total);
            let center = |a: usize| 0.5 * (node.min[a] + node.max[a]);
            let middle = if total > 0.0 {
                moment * (1.0 / total)
            } else {
                Vector([center(0), center(1), center(2)])
            };
            let reach = |a: usize| (node.max[a] - middle[a]).max(middle[a] - node.min[a]);
            dipoles[at] = Dipole {
                middle,
                area,
                radius: Vector([reach(0), reach(1), reach(2)]).norm(),
            };
        }
        Self { tree, dipoles }
    }

    /// The winding number at a place.
    pub fn at(&self, x: Point) -> f64 {
        let mut sum = 0.0;
        let mut stack = [0u32; DEEPEST];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let at = stack[height] as usize;
            let dipole = &self.dipoles[at];
            let away = dipole.middle - x;
            let squared = away.norm_squared();
            let node = &self.tree.nodes[at];
            if squared > FAR * FAR * dipole.radius * dipole.radius {
                sum += dipole.area.dot(away) / (squared * squared.sqrt());
            } else if node.is_leaf() {
                for (_, triangle) in self.tree.triangles_of(node) {
                    sum += solid_angle(triangle, x);
                }
            } else {
                stack[height] = node.second;
                stack[height + 1] = at as u32 + 1;
                height += 2;
            }
        }
        sum / (4.0 * std::f64::consts::PI)
    }

    /// True if a place is inside: the mesh winds around it, in whichever direction.
    pub fn is_inside(&self, x: Point) -> bool {
        self.at(x).abs() > 0.5
    }
}

/// Area vectors, area-weighted middles and areas of a leaf's triangles.
fn leaf_sums(tree: &Tree, node: &Node) -> (Point, Point, f64) {
    let mut sums = (Point::zero(), Point::zero(), 0.0);
    for (_, [a, b, c]) in tree.triangles_of(node) {
        let area = cross(*b - *a, *c - *a) * 0.5;
        let size = area.norm();
        sums.0 += area;
        sums.1 += (*a + *b + *c) * (size / 3.0);
        sums.2 += size;
    }
    sums
}

/// The signed solid angle of a triangle seen from a place, positive from behind.
fn solid_angle(triangle: &[Point; 3], x: Point) -> f64 {
    let [a, b, c] = triangle.map(|corner| corner - x);
    let [la, lb, lc] = [a, b, c].map(Vector::norm);
    let volume = a.dot(cross(b, c));
    let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * volume.atan2(below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::mesh::samples;

    #[test]
    fn a_closed_mesh_winds_once_around_its_inside() {
        for mesh in [samples::cube(), samples::sphere(5, 0.7)] {
            let tree = Tree::new(&mesh);
            let winding = Winding::new(&tree);
            for k in 1..400 {
                let x = [0.31, 0.17, 0.23].map(|s| 1.2 * (f64::from(k) * s).sin());
                let exact: f64 = tree
                    .triangles
                    .iter()
                    .map(|t| solid_angle(t, Vector(x)))
                    .sum();
                let exact = exact / (4.0 * std::f64::consts::PI);
                assert!((exact - exact.round()).abs() < 1e-9, "{exact}");
                let fast = winding.at(Vector(x));
                assert!((fast - exact).abs() < 0.05, "{fast} {exact}");
                assert_eq!(winding.is_inside(Vector(x)), exact.round() == 1.0);
            }
        }
    }

    #[test]
    fn overlapping_parts_wind_twice_and_holes_take_little_away() {
        let twice = samples::two_spheres();
        let tree = Tree::new(&twice);
        assert!((Winding::new(&tree).at(Vector([0.0; 3])) - 2.0).abs() < 0.05);
        let holed = samples::holed_sphere(4, 0.7);
        let tree = Tree::new(&holed);
        let winding = Winding::new(&tree);
        assert!(winding.is_inside(Vector([0.0; 3])));
        assert!(winding.is_inside(Vector([0.6, 0.0, 0.0])));
        assert!(!winding.is_inside(Vector([0.8, 0.0, 0.0])));
        assert!(!winding.is_inside(Vector([0.0, 0.0, 1.0])));
    }
}
