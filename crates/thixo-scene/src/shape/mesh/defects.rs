//! Defects of the surface of a mesh.

use rayon::prelude::*;
use thixo_math::Vector;

use super::read::Mesh;
use super::tree::{DEEPEST, Node, Tree};
use super::triangulate::{Point, cross};
use crate::shape::Warning;

/// Nodes of the tree that the search for crossings of a leaf's triangles visits at most, so that no
/// mesh takes for ever.
const MOST_VISITS: usize = 2000;

/// The defects that were found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Defects {
    /// Edges with one triangle.
    pub open_edges: usize,
    /// Edges whose two triangles run through them in the same direction.
    pub inconsistent_edges: usize,
    /// Edges with more than two triangles.
    pub branching_edges: usize,
    /// Edges whose triangles do not cancel: where the winding number is not whole.
    pub unbalanced_edges: usize,
    /// Triangles that cross others.
    pub crossing_triangles: usize,
    /// True if the volume is negative.
    pub is_inside_out: bool,
    /// Places at which triangles do not cancel or cross: the surface may have to be mended there.
    pub places: Vec<Point>,
}

impl Defects {
    /// Looks at every edge and every triangle.
    pub fn of(mesh: &Mesh, tree: &Tree) -> Self {
        let welded = welded(mesh);
        let mut found = edges(&welded, &mesh.points);
        let crossing = crossing(&welded, tree);
        found.crossing_triangles = crossing.len();
        let corners = crossing.iter().flat_map(|&k| tree.triangles[k]);
        found.places.extend(corners);
        found.is_inside_out = volume(mesh) < 0.0;
        found
    }

    /// True if the winding number is a whole number everywhere and changes at triangles only.
    pub fn is_closed(&self) -> bool {
        self.unbalanced_edges == 0
    }

    /// True if the sum over the triangles is the volume.
    pub fn is_simple(&self) -> bool {
        self.is_closed() && self.crossing_triangles == 0 && self.branching_edges == 0
    }

    /// In words.
    pub fn warnings(&self, file: &str) -> Vec<Warning> {
        let file = file.to_owned();
        let counted = |count: usize, warning: fn(String, usize) -> Warning| {
            (count > 0).then(|| warning(file.clone(), count))
        };
        let warnings = [
            counted(self.open_edges, |file, edges| Warning::Open { file, edges }),
            counted(self.inconsistent_edges, |file, edges| {
                Warning::Inconsistent { file, edges }
            }),
            counted(self.branching_edges, |file, edges| Warning::Branching {
                file,
                edges,
            }),
            counted(self.crossing_triangles, |file, triangles| {
                Warning::SelfIntersecting { file, triangles }
            }),
            self.is_inside_out
                .then(|| Warning::InsideOut { file: file.clone() }),
        ];
        warnings.into_iter().flatten().collect()
    }
}

/// The volume that the triangles enclose if they do \[m³\], by the divergence theorem from a corner
/// of the mesh.
pub(crate) fn volume(mesh: &Mesh) -> f64 {
    let at = |k: u32| Vector(mesh.points[k as usize]);
    let origin = mesh.triangles.first().map_or(Point::zero(), |t| at(t[0]));
    let six_times = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|k| at(k) - origin);
        a.dot(cross(b, c))
    };
    mesh.triangles.iter().map(six_times).sum::<f64>() / 6.0
}

/// Triangles with corners of the same place counted as one: the first of them.
fn welded(mesh: &Mesh) -> Vec<[u32; 3]> {
    // Adding zero turns −0 into 0.
    let bits = |k: u32| mesh.points[k as usize].map(|x| (x + 0.0).to_bits());
    let count = mesh.points.len() as u32;
    // Equal places have equal hashes, and are next to each other once hashes are sorted.
    let mut hashed: Vec<(u32, u32)> = (0..count)
        .into_par_iter()
        .map(|k| (hash(bits(k)), k))
        .collect();
    hashed.par_sort_unstable();
    let mut names: Vec<u32> = (0..count).collect();
    for same in hashed.chunk_by_mut(|a, b| a.0 == b.0) {
        // Other places may have the same hash by chance.
        if same.iter().any(|&(_, k)| bits(k) != bits(same[0].1)) {
            same.sort_unstable_by_key(|&(_, k)| (bits(k), k));
        }
        let mut first = same[0].1;
        for &(_, k) in same.iter() {
            if bits(k) != bits(first) {
                first = k;
            }
            names[k as usize] = first;
        }
    }
    let rename = |t: &[u32; 3]| t.map(|k| names[k as usize]);
    mesh.triangles.par_iter().map(rename).collect()
}

/// A number that differs for most places: sums multiplied by odd numbers, of which the upper half
/// is well mixed.
fn hash(bits: [u64; 3]) -> u32 {
    let mix = |sum: u64, word: u64| {
        (sum.rotate_left(29) ^ word)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(31)
    };
    let sum = bits.into_iter().fold(0, mix);
    (sum.wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32) as u32
}

/// Counts the edges by what meets at them. Triangles with two corners in one place have no area and
/// no say.
fn edges(triangles: &[[u32; 3]], points: &[[f64; 3]]) -> Defects {
    // Both ends and, in the last bit, the direction: below 2⁶³, as indices are below 2³¹.
    let mut keys = Vec::with_capacity(3 * triangles.len());
    for &[a, b, c] in triangles {
        if a == b || b == c || c == a {
            continue;
        }
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let (low, high) = (from.min(to), from.max(to));
            keys.push(u64::from(low) << 32 | u64::from(high) << 1 | u64::from(from > to));
        }
    }
    keys.par_sort_unstable();
    let mut found = Defects::default();
    for same in keys.chunk_by(|a, b| a >> 1 == b >> 1) {
        let back = same.iter().filter(|&key| key & 1 == 1).count();
        let forth = same.len() - back;
        match same.len() {
            1 => found.open_edges += 1,
            2 => found.inconsistent_edges += usize::from(back != forth),
            _ => found.branching_edges += 1,
        }
        if back != forth {
            found.unbalanced_edges += 1;
            let ends = [same[0] >> 32, (same[0] & 0xffff_ffff) >> 1];
            found
                .places
                .extend(ends.map(|k| Vector(points[k as usize])));
        }
    }
    found
}

/// The triangles that cross another one, in the order of the tree. Neighbours, which share a
/// corner, are not compared.
fn crossing(welded: &[[u32; 3]], tree: &Tree) -> Vec<usize> {
    let leaves = tree.nodes.par_iter().filter(|node| node.is_leaf());
    let crosses = leaves.flat_map_iter(|leaf| {
        let candidates = meeting(tree, leaf);
        let is_crossing = move |&k: &usize| {
            let triangle = &tree.triangles[k];
            let corners = welded[tree.order[k] as usize];
            let (min, max) = extent(triangle);
            candidates.iter().any(|&other| {
                let other = other as usize;
                let (low, high) = extent(&tree.triangles[other]);
                (0..3).all(|a| low[a] <= max[a] && min[a] <= high[a])
                    && !welded[tree.order[other] as usize]
                        .iter()
                        .any(|name| corners.contains(name))
                    && cross_each_other(triangle, &tree.triangles[other])
            })
        };
        let range = leaf.first as usize..(leaf.first + leaf.count) as usize;
        range.filter(is_crossing).collect::<Vec<_>>()
    });
    let mut found: Vec<usize> = crosses.collect();
    found.sort_unstable();
    found
}

/// The triangles of leaves whose boxes meet that of a leaf, as far as they are found in a bounded
/// number of visits.
fn meeting(tree: &Tree, leaf: &Node) -> Vec<u32> {
    let mut found = Vec::with_capacity(64);
    let mut stack = [0u32; DEEPEST];
    let mut height = 1;
    let mut visits = 0;
    while height > 0 && visits < MOST_VISITS {
        height -= 1;
        visits += 1;
        let at = stack[height] as usize;
        let node = &tree.nodes[at];
        if !node.meets(&leaf.min, &leaf.max) {
            continue;
        }
        if node.is_leaf() {
            // Most of the triangles are elsewhere in their leaf.
            for (k, triangle) in tree.triangles_of(node) {
                let (min, max) = extent(triangle);
                if leaf.meets(&min, &max) {
                    found.push(k as u32);
                }
            }
        } else {
            stack[height] = node.second;
            stack[height + 1] = at as u32 + 1;
            height += 2;
        }
    }
    found
}

/// The box around a triangle.
fn extent(triangle: &[Point; 3]) -> ([f64; 3], [f64; 3]) {
    let [a, b, c] = triangle;
    (
        [0, 1, 2].map(|k| a[k].min(b[k]).min(c[k])),
        [0, 1, 2].map(|k| a[k].max(b[k]).max(c[k])),
    )
}

/// True if a side of one triangle passes through the inside of the other.
fn cross_each_other(first: &[Point; 3], second: &[Point; 3]) -> bool {
    let pierces = |sides: &[Point; 3], plane: &[Point; 3]| {
        (0..3).any(|k| pierces(sides[k], sides[(k + 1) % 3], plane))
    };
    pierces(first, second) || pierces(second, first)
}

/// True if a segment passes through the inside of a triangle: by the signs of five volumes.
fn pierces(start: Point, end: Point, &[a, b, c]: &[Point; 3]) -> bool {
    let volume = |p: Point, q: Point, r: Point, s: Point| (q - p).dot(cross(r - p, s - p));
    let (before, behind) = (volume(a, b, c, start), volume(a, b, c, end));
    if before * behind >= 0.0 {
        return false;
    }
    let sides = [
        volume(start, end, a, b),
        volume(start, end, b, c),
        volume(start, end, c, a),
    ];
    sides.iter().all(|&v| v > 0.0) || sides.iter().all(|&v| v < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::mesh::samples;

    fn defects(mesh: &Mesh) -> Defects {
        Defects::of(mesh, &Tree::new(mesh))
    }

    #[test]
    fn sound_meshes_have_none() {
        for mesh in [samples::cube(), samples::sphere(3, 1.0)] {
            assert_eq!(defects(&mesh), Defects::default());
        }
        assert_eq!(volume(&samples::cube()), 1.0);
        // Corners given once per triangle are still corners that meet.
        let cube = samples::cube();
        let soup = Mesh {
            points: cube
                .triangles
                .iter()
                .flatten()
                .map(|&k| cube.points[k as usize])
                .collect(),
            triangles: (0..12).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect(),
        };
        assert_eq!(defects(&soup), Defects::default());
    }

    /// So many places that some have the same hash.
    #[test]
    fn equal_places_are_welded_to_the_first_of_them() {
        let count = 400_000u32;
        let place = |k: u32| [f64::from(k).sin(), f64::from(k % 7), -0.0];
        let mut points: Vec<[f64; 3]> = (0..count).map(place).collect();
        let again: Vec<[f64; 3]> = points.iter().map(|&[x, y, _]| [x, y, 0.0]).collect();
        points.extend(again);
        let mut hashes: Vec<u32> = points[..count as usize]
            .iter()
            .map(|p| hash(p.map(|x| (x + 0.0).to_bits())))
            .collect();
        hashes.sort_unstable();
        let before = hashes.len();
        hashes.dedup();
        let shared = before - hashes.len();
        assert!((1..60).contains(&shared), "{shared} hashes are shared");
        let triangles = (0..count).map(|k| [k, k + count, k]).collect();
        for (k, t) in welded(&Mesh { points, triangles }).into_iter().enumerate() {
            assert_eq!(t, [k as u32; 3]);
        }
    }

    #[test]
    fn every_defect_is_counted() {
        let mut holed = samples::cube();
        holed.triangles.pop();
        let found = defects(&holed);
        assert_eq!((found.open_edges, found.is_closed()), (3, false));

        let mut flipped = samples::cube();
        flipped.triangles[5].swap(0, 1);
        let found = defects(&flipped);
        assert_eq!((found.inconsistent_edges, found.is_closed()), (3, false));

        let mut finned = samples::cube();
        finned.points.push([0.5, 0.5, 9.0]);
        let [a, b, _] = finned.triangles[0];
        finned.triangles.push([a, b, 8]);
        let found = defects(&finned);
        assert_eq!((found.branching_edges, found.open_edges), (1, 2));

        let mut inverted = samples::cube();
        for triangle in &mut inverted.triangles {
            triangle.swap(0, 1);
        }
        let found = defects(&inverted);
        assert!(found.is_inside_out && found.is_simple());

        let found = defects(&samples::two_spheres());
        assert!(found.crossing_triangles > 10 && found.is_closed() && !found.is_simple());
    }
}
