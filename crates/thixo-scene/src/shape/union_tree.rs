//! Unions of many shapes: a tree of bounding boxes finds the nearest.

use std::sync::Arc;

use thixo::LevelSet;
use thixo::collide::shape::Surface;

use super::combine::SharedRegion;
use super::region::Bounds;

/// Parts from which on the tree is worth its overhead.
pub(super) const LEAST_PARTS: usize = 32;

/// Parts of a leaf.
const LEAF: usize = 4;

/// The union of shapes that have an end and keep their form. Its surface is that of the part with
/// the smallest signed distance, the first of them where several have it.
///
/// The signed distance from a box is a lower bound of that from anything within: where a box is
/// further than the nearest part so far, nothing in it is looked at.
#[derive(Debug)]
pub(super) struct UnionTree<const D: usize> {
    parts: Vec<SharedRegion<D>>,
    /// Indices of the parts, so that those of a node are contiguous.
    order: Vec<usize>,
    nodes: Vec<Node<D>>,
}

/// A box around some of the parts.
#[derive(Clone, Debug)]
struct Node<const D: usize> {
    bounds: Bounds<D>,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    /// Range of `order`.
    Parts(usize, usize),
    /// Indices of two nodes.
    Children(usize, usize),
}

impl<const D: usize> UnionTree<D> {
    /// The tree over some parts; none if one of them has no end.
    pub fn new(parts: &[SharedRegion<D>]) -> Option<Self> {
        let bounds: Vec<Bounds<D>> = parts
            .iter()
            .map(|part| part.bounds())
            .collect::<Option<_>>()?;
        let mut tree = Self {
            parts: parts.to_vec(),
            order: (0..parts.len()).collect(),
            nodes: Vec::new(),
        };
        tree.grow(&bounds, 0, parts.len());
        Some(tree)
    }

    /// The node of a range of parts, halved along the longest axis of their middles.
    fn grow(&mut self, bounds: &[Bounds<D>], from: usize, to: usize) -> usize {
        let range = &mut self.order[from..to];
        let around = range.iter().map(|&k| bounds[k]).reduce(Bounds::union);
        let around = around.unwrap_or(Bounds {
            min: [0.0; D],
            max: [0.0; D],
        });
        let own = self.nodes.len();
        self.nodes.push(Node {
            bounds: around,
            content: Content::Parts(from, to),
        });
        if range.len() > LEAF {
            let middle = |k: usize, a: usize| 0.5 * (bounds[k].min[a] + bounds[k].max[a]);
            let spread = |a: usize| {
                let all = range.iter().map(|&k| middle(k, a));
                let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| {
                    (l.min(x), h.max(x))
                });
                high - low
            };
            let widest = (0..D).max_by(|&a, &b| spread(a).total_cmp(&spread(b)));
            let axis = widest.unwrap_or(0);
            range.sort_by(|&k, &l| middle(k, axis).total_cmp(&middle(l, axis)).then(k.cmp(&l)));
            let half = from + (to - from) / 2;
            let low = self.grow(bounds, from, half);
            let high = self.grow(bounds, half, to);
            self.nodes[own].content = Content::Children(low, high);
        }
        own
    }

    /// The part of the smallest signed distance.
    fn nearest(&self, position: [f64; D], time: f64) -> Option<(usize, Surface<D>)> {
        let mut found: Option<(usize, Surface<D>)> = None;
        let mut open = vec![(signed_distance(&self.nodes.first()?.bounds, position), 0)];
        while let Some((bound, node)) = open.pop() {
            if found
                .as_ref()
                .is_some_and(|(_, best)| bound > best.distance)
            {
                continue;
            }
            match self.nodes[node].content {
                Content::Children(low, high) => {
                    let at = |k: usize| (signed_distance(&self.nodes[k].bounds, position), k);
                    let (low, high) = (at(low), at(high));
                    // The nearer one is looked at first.
                    let (first, second) = if low.0 <= high.0 {
                        (low, high)
                    } else {
                        (high, low)
                    };
                    open.extend([second, first]);
                }
                Content::Parts(from, to) => {
                    for &k in &self.order[from..to] {
                        let surface = self.parts[k].surface(position, time);
                        let is_nearer = found.as_ref().is_none_or(|(best, nearest)| {
                            let order = surface.distance.total_cmp(&nearest.distance);
                            order.then(k.cmp(best)).is_lt()
                        });
                        if is_nearer {
                            found = Some((k, surface));
                        }
                    }
                }
            }
        }
        found
    }
}

/// Signed distance of a position from a box \[m\].
fn signed_distance<const D: usize>(bounds: &Bounds<D>, position: [f64; D]) -> f64 {
    let (mut outside, mut depth) = (0.0, f64::NEG_INFINITY);
    for a in 0..D {
        let beyond = (bounds.min[a] - position[a]).max(position[a] - bounds.max[a]);
        outside += beyond.max(0.0).powi(2);
        depth = depth.max(beyond);
    }
    if depth > 0.0 { outside.sqrt() } else { depth }
}

impl<const D: usize> LevelSet<D> for UnionTree<D> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        match self.nearest(position, time) {
            Some((_, surface)) => surface,
            None => Surface {
                distance: f64::INFINITY,
                normal: std::array::from_fn(|a| if a == 0 { 1.0 } else { 0.0 }),
            },
        }
    }
    fn velocity(&self, position: [f64; D], time: f64) -> [f64; D] {
        self.nearest(position, time)
            .map_or([0.0; D], |(k, _)| self.parts[k].velocity(position, time))
    }
    fn thickness(&self) -> f64 {
        let parts = self.parts.iter().map(|part| part.thickness());
        parts.fold(f64::INFINITY, f64::min)
    }
    fn clearance(&self) -> f64 {
        0.0
    }
}

/// The union of the parts by a tree; none if they are few or one has no end.
pub(super) fn union_tree<const D: usize>(
    parts: &[SharedRegion<D>],
) -> Option<Arc<dyn LevelSet<D>>> {
    if parts.len() < LEAST_PARTS {
        return None;
    }
    Some(Arc::new(UnionTree::new(parts)?))
}

#[cfg(test)]
mod tests {
    use thixo::collide::shape::{Cuboid, Sphere, Union};

    use super::super::extent::Extent;
    use super::super::primitive::Primitive;
    use super::*;
    use crate::sampling::Random;

    /// Spheres and boxes anywhere in a cube of 4 m, overlapping and apart.
    fn scattered(count: i64) -> Vec<SharedRegion<3>> {
        let part = |k: i64| -> SharedRegion<3> {
            let mut random = Random::new(1, &[k, 0, 0]);
            let center = random.point().map(|u: f64| 4.0 * u);
            let size = random.point::<3>().map(|u| 0.05 + 0.3 * u);
            match k % 2 {
                0 => Arc::new(Primitive {
                    solid: Arc::new(Sphere::new(center, size[0]).unwrap()),
                    bounds: Some(Extent::ellipsoid(center, [size[0]; 3]).bounds),
                    volume: None,
                }),
                _ => {
                    let max = std::array::from_fn(|a| center[a] + size[a]);
                    Arc::new(Primitive {
                        solid: Arc::new(Cuboid::new(center, max).unwrap()),
                        bounds: Some(Extent::cuboid(center, max).bounds),
                        volume: None,
                    })
                }
            }
        };
        (0..count).map(part).collect()
    }

    #[test]
    fn a_tree_finds_what_a_look_at_all_parts_finds() {
        let parts = scattered(300);
        let tree = UnionTree::new(&parts).unwrap();
        let all = parts
            .iter()
            .cloned()
            .map(|part| part as Arc<dyn LevelSet<3>>);
        let plain = Union(all.collect());
        let mut inside = 0;
        for k in 0..5000 {
            let x = Random::new(2, &[k, 0, 0])
                .point()
                .map(|u: f64| 6.0 * u - 1.0);
            let (found, expected) = (tree.surface(x, 0.0), plain.surface(x, 0.0));
            assert_eq!(found.distance, expected.distance, "{x:?}");
            assert_eq!(found.normal, expected.normal, "{x:?}");
            inside += usize::from(found.distance < 0.0);
        }
        assert!(inside > 100 && inside < 4900, "{inside}");
    }

    #[test]
    fn few_parts_and_parts_without_end_have_no_tree() {
        assert!(union_tree(&scattered(LEAST_PARTS as i64 - 1)).is_none());
        assert!(union_tree(&scattered(LEAST_PARTS as i64)).is_some());
        let mut parts = scattered(40);
        parts.push(Arc::new(super::super::combine::complement(
            parts[0].clone(),
        )));
        assert!(union_tree(&parts).is_none());
    }
}
