//! A tree of boxes around triangles.

use rayon::prelude::*;
use thixo_math::Vector;

use super::disc::{Disc, discs};
use super::read::Mesh;
use super::triangulate::Point;

/// The most triangles of a leaf.
const LEAF: usize = 4;
/// Ranges above this many triangles are built on several threads.
const PARALLEL: usize = 1 << 13;
/// Deepest stack of a walk: halving 2³² triangles leaves 32 levels, each with one node waiting.
pub(crate) const DEEPEST: usize = 64;

/// A box around some triangles; its children are the next node and `second`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub min: [f64; 3],
    pub max: [f64; 3],
    /// The first triangle.
    pub first: u32,
    /// Number of triangles.
    pub count: u32,
    /// The second child; 0 for a leaf.
    pub second: u32,
}

impl Node {
    const NOTHING: Self = Self {
        min: [f64::INFINITY; 3],
        max: [f64::NEG_INFINITY; 3],
        first: 0,
        count: 0,
        second: 0,
    };

    pub fn is_leaf(&self) -> bool {
        self.second == 0
    }

    /// True if two boxes meet.
    pub fn meets(&self, min: &[f64; 3], max: &[f64; 3]) -> bool {
        (0..3).all(|a| self.min[a] <= max[a] && min[a] <= self.max[a])
    }
}

/// Triangles in the order of their tree.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// Corners, leaf by leaf.
    pub triangles: Vec<[Point; 3]>,
    /// A ball around each triangle: middle and radius, which is all that most searches need of it.
    pub balls: Vec<(Point, f64)>,
    /// Index of each triangle in the mesh.
    pub order: Vec<u32>,
    /// Nodes, parents before children. Never empty.
    pub nodes: Vec<Node>,
    /// A disc around the triangles of every node, which tells how far away they are at least.
    pub discs: Vec<Disc>,
}

/// The middle of a triangle and its index.
#[derive(Clone, Copy)]
struct Item {
    middle: [f32; 3],
    index: u32,
}

impl Tree {
    /// The tree of a mesh with at least one triangle: every node is halved across its longest side.
    pub fn new(mesh: &Mesh) -> Self {
        let corners = |t: &[u32; 3]| t.map(|k| Vector(mesh.points[k as usize]));
        let triangles: Vec<[Point; 3]> = mesh.triangles.par_iter().map(corners).collect();
        Self::of(&triangles)
    }

    /// The tree of triangles.
    pub fn of(triangles: &[[Point; 3]]) -> Self {
        let origin = triangles.first().map_or(Point::zero(), |t| t[0]);
        let mut items: Vec<Item> = triangles
            .par_iter()
            .enumerate()
            .map(|(index, t)| {
                let middle = (t[0] + t[1] + t[2]) * (1.0 / 3.0) - origin;
                Item {
                    middle: middle.0.map(|x| x as f32),
                    index: index as u32,
                }
            })
            .collect();
        let mut nodes = vec![Node::NOTHING; node_count(items.len())];
        build(triangles, &mut items, &mut nodes, 0, 0);
        let order: Vec<u32> = items.par_iter().map(|item| item.index).collect();
        let triangles: Vec<[Point; 3]> = order.par_iter().map(|&k| triangles[k as usize]).collect();
        Self {
            balls: triangles.par_iter().map(ball).collect(),
            discs: discs(&nodes, &triangles),
            triangles,
            order,
            nodes,
        }
    }

    /// The triangles of a node.
    pub fn triangles_of(&self, node: &Node) -> impl Iterator<Item = (usize, &[Point; 3])> {
        let range = node.first as usize..(node.first + node.count) as usize;
        range.clone().zip(&self.triangles[range])
    }
}

/// A ball around a triangle: its middle and the distance of the farthest corner.
fn ball(&[a, b, c]: &[Point; 3]) -> (Point, f64) {
    let middle = (a + b + c) * (1.0 / 3.0);
    let squared = [a, b, c].map(|corner| (corner - middle).norm_squared());
    // A little more, so that rounding leaves no corner out.
    let radius = squared.into_iter().fold(0.0, f64::max).sqrt() * (1.0 + 1e-9);
    (middle, radius)
}

/// Nodes of the tree of so many triangles.
fn node_count(triangles: usize) -> usize {
    if triangles <= LEAF {
        return 1;
    }
    1 + node_count(triangles / 2) + node_count(triangles - triangles / 2)
}

/// Fills the nodes of a range of triangles; `first` and `at` are where the range and the nodes
/// begin in the whole.
fn build(all: &[[Point; 3]], items: &mut [Item], nodes: &mut [Node], first: usize, at: usize) {
    let count = items.len();
    let mut node = Node::NOTHING;
    (node.first, node.count) = (first as u32, count as u32);
    if count <= LEAF {
        for item in items.iter() {
            for corner in all[item.index as usize] {
                for a in 0..3 {
                    node.min[a] = node.min[a].min(corner[a]);
                    node.max[a] = node.max[a].max(corner[a]);
                }
            }
        }
        nodes[0] = node;
        return;
    }
    let axis = longest_axis(items);
    let half = count / 2;
    // The index decides between equals, so that the tree is always the same.
    items.select_nth_unstable_by(half, |a, b| {
        let by_place = a.middle[axis].total_cmp(&b.middle[axis]);
        by_place.then(a.index.cmp(&b.index))
    });
    let (low, high) = items.split_at_mut(half);
    let (parent, children) = nodes.split_at_mut(1);
    let second = node_count(half);
    let (left, right) = children.split_at_mut(second);
    let mut build_low = || build(all, low, left, first, at + 1);
    let mut build_high = || build(all, high, right, first + half, at + 1 + second);
    if count > PARALLEL {
        rayon::join(build_low, build_high);
    } else {
        build_low();
        build_high();
    }
    let children = [children[0], children[second]];
    for a in 0..3 {
        node.min[a] = children[0].min[a].min(children[1].min[a]);
        node.max[a] = children[0].max[a].max(children[1].max[a]);
    }
    node.second = (at + 1 + second) as u32;
    parent[0] = node;
}

/// The axis along which the middles are spread the most.
fn longest_axis(items: &[Item]) -> usize {
    let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for item in items {
        for a in 0..3 {
            min[a] = min[a].min(item.middle[a]);
            max[a] = max[a].max(item.middle[a]);
        }
    }
    let width = |a: usize| max[a] - min[a];
    (1..3).fold(0, |best, a| if width(a) > width(best) { a } else { best })
}
