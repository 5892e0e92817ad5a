//! The point of a mesh that is nearest to a place.

use super::tree::{DEEPEST, Tree};
use super::triangulate::Point;

/// The nearest point of a mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closest {
    /// Its distance \[m\].
    pub distance: f64,
    /// Its triangle, in the order of the tree.
    pub triangle: usize,
    /// Shares of the triangle's corners in it.
    pub weights: [f64; 3],
}

/// Tolerance of a search: the excess over the nearest distance at which a point is taken for the
/// nearest. From the middle of a ball all its triangles are nearly as near, and telling them apart
/// would mean looking at each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchTolerance {
    /// \[m\].
    pub absolute: f64,
    /// As a share of the distance \[–\].
    pub relative: f64,
}

impl SearchTolerance {
    /// None at all.
    #[cfg(test)]
    pub const NONE: Self = Self {
        absolute: 0.0,
        relative: 0.0,
    };

    /// Squared distance from which on nothing needs to be looked at any more.
    fn limit(self, best: f64) -> f64 {
        if self.absolute == 0.0 && self.relative == 0.0 {
            return best;
        }
        let distance = best.sqrt();
        let allowed = self.absolute.max(self.relative * distance);
        // Without any point yet, nothing is too far away.
        if distance == f64::INFINITY {
            distance
        } else {
            (distance - allowed).max(0.0).powi(2)
        }
    }
}

impl Tree {
    /// The nearest point to a place, among those nearer than `within` \[m\].
    pub fn closest(&self, x: Point, within: f64, tolerance: SearchTolerance) -> Option<Closest> {
        self.search(x, within * within, None, tolerance)
    }

    /// The nearest point to a place, given a triangle that is known to be near: the nearer, the
    /// fewer others are looked at.
    pub fn closest_from(
        &self,
        x: Point,
        near: usize,
        tolerance: SearchTolerance,
    ) -> Option<Closest> {
        let (squared, weights) = closest_of(&self.triangles[near], x);
        self.search(x, squared, Some((near, weights)), tolerance)
    }

    /// The nearest point to a place, among those nearer than the root of `best` or else `found`.
    fn search(
        &self,
        x: Point,
        mut best: f64,
        mut found: Option<(usize, [f64; 3])>,
        tolerance: SearchTolerance,
    ) -> Option<Closest> {
        let mut limit = tolerance.limit(best);
        let mut stack = [(0u32, 0.0); DEEPEST];
        let mut height = 0;
        let mut next = Some((0u32, self.discs[0].distance_squared(x)));
        while let Some((at, lower)) = next {
            next = None;
            if lower < limit {
                let node = &self.nodes[at as usize];
                if node.is_leaf() {
                    let mut reach = limit.sqrt();
                    for (k, triangle) in self.triangles_of(node) {
                        let (middle, radius) = self.balls[k];
                        if (x - middle).norm_squared() >= (reach + radius) * (reach + radius) {
                            continue;
                        }
                        let (squared, weights) = closest_of(triangle, x);
                        if squared < best {
                            best = squared;
                            limit = tolerance.limit(best);
                            reach = limit.sqrt();
                            found = Some((k, weights));
                        }
                    }
                } else {
                    let children = [at + 1, node.second];
                    let far = [
                        self.discs[children[0] as usize].distance_squared(x),
                        self.discs[children[1] as usize].distance_squared(x),
                    ];
                    let nearer = usize::from(far[1] < far[0]);
                    stack[height] = (children[1 - nearer], far[1 - nearer]);
                    height += 1;
                    next = Some((children[nearer], far[nearer]));
                }
            }
            if next.is_none() && height > 0 {
                height -= 1;
                next = Some(stack[height]);
            }
        }
        found.map(|(triangle, weights)| Closest {
            distance: best.sqrt(),
            triangle,
            weights,
        })
    }
}

impl Tree {
    /// True if any triangle is nearer to a place than a distance \[m\].
    pub fn is_within(&self, x: Point, distance: f64) -> bool {
        let squared = distance * distance;
        let mut stack = [0u32; DEEPEST];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let at = stack[height];
            if self.discs[at as usize].distance_squared(x) >= squared {
                continue;
            }
            let node = &self.nodes[at as usize];
            if node.is_leaf() {
                let is_near = |(_, triangle): (_, &_)| closest_of(triangle, x).0 < squared;
                if self.triangles_of(node).any(is_near) {
                    return true;
                }
            } else {
                stack[height] = node.second;
                stack[height + 1] = at + 1;
                height += 2;
            }
        }
        false
    }
}

/// Squared distance of a triangle and the shares of its corners in the nearest point.
///
/// Inside its prism the nearest point is the foot of the perpendicular, elsewhere it is on one of
/// the three sides.
fn closest_of(&[a, b, c]: &[Point; 3], x: Point) -> (f64, [f64; 3]) {
    let (ab, ac, ax) = (b - a, c - a, x - a);
    let (d00, d01, d11) = (ab.norm_squared(), ab.dot(ac), ac.norm_squared());
    let (d20, d21) = (ax.dot(ab), ax.dot(ac));
    let area = d00 * d11 - d01 * d01;
    let v = d11 * d20 - d01 * d21;
    let w = d00 * d21 - d01 * d20;
    if area > 0.0 && v >= 0.0 && w >= 0.0 && v + w <= area {
        let (v, w) = (v / area, w / area);
        let foot = a + ab * v + ac * w;
        return ((x - foot).norm_squared(), [1.0 - v - w, v, w]);
    }
    let on = |p: Point, q: Point| {
        let along = q - p;
        let length = along.norm_squared();
        let share = if length > 0.0 {
            ((x - p).dot(along) / length).clamp(0.0, 1.0)
        } else {
            0.0
        };
        ((x - (p + along * share)).norm_squared(), share)
    };
    let (first, s) = on(a, b);
    let (second, t) = on(b, c);
    let (third, u) = on(c, a);
    if first <= second && first <= third {
        (first, [1.0 - s, s, 0.0])
    } else if second <= third {
        (second, [0.0, 1.0 - t, t])
    } else {
        (third, [u, 0.0, 1.0 - u])
    }
}

#[cfg(test)]
mod tests {
    use thixo_math::Vector;

    use super::*;
    use crate::shape::mesh::samples;

    #[test]
    fn the_tree_finds_what_looking_at_every_triangle_finds() {
        let mesh = samples::sphere(3, 0.7);
        let tree = Tree::new(&mesh);
        for k in 0..300 {
            let x = Vector([0.31, 0.17, 0.23].map(|s| 1.5 * (f64::from(k) * s).sin()));
            let near = tree
                .closest(x, f64::INFINITY, SearchTolerance::NONE)
                .unwrap();
            let all = tree.triangles.iter().map(|t| closest_of(t, x).0);
            let least = all.fold(f64::INFINITY, f64::min);
            assert_eq!(near.distance, least.sqrt());
            let corners = tree.triangles[near.triangle];
            let mut point = Point::zero();
            for (corner, weight) in corners.into_iter().zip(near.weights) {
                point += corner * weight;
            }
            assert!(((x - point).norm() - near.distance).abs() < 1e-14);
            let less = near.distance * 0.999;
            assert!(tree.closest(x, less, SearchTolerance::NONE).is_none());
            assert!(tree.is_within(x, near.distance * 1.001) && !tree.is_within(x, less));
            let from = tree
                .closest_from(x, k as usize, SearchTolerance::NONE)
                .unwrap();
            assert_eq!(from.distance, near.distance);
            let tolerance = SearchTolerance {
                absolute: 0.05,
                relative: 0.1,
            };
            let about = tree.closest(x, f64::INFINITY, tolerance).unwrap().distance;
            let most = near.distance + f64::max(0.05, 0.1 * about);
            assert!((near.distance..=most).contains(&about));
        }
    }

    #[test]
    fn corners_sides_and_flat_triangles_have_their_distances() {
        let [a, b, c] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vector);
        let to = |x: [f64; 3]| closest_of(&[a, b, c], Vector(x)).0.sqrt();
        assert_eq!(to([0.2, 0.3, -0.5]), 0.5);
        assert_eq!(to([-3.0, -4.0, 0.0]), 5.0);
        assert_eq!(to([0.5, -2.0, 0.0]), 2.0);
        assert!((to([1.0, 1.0, 0.0]) - 0.5f64.sqrt()).abs() < 1e-15);
        assert_eq!(closest_of(&[a, b, b], Vector([0.5, 1.0, 0.0])).0, 1.0);
        assert_eq!(closest_of(&[b, b, b], Vector([2.0, 0.0, 0.0])).0, 1.0);
    }
}
