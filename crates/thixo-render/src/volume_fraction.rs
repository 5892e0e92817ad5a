//! Volume fraction of the particles of a body, on a sparse grid of their own spacing: the field
//! whose isosurface is drawn.
//!
//! Volumes are spread by the quadratic B-spline of the method, φ_i = Σ_p w_ip V_p / h³, so φ is
//! about 1 inside of a body and 0 outside; −∇φ points outwards, as the mass gradient of
//! \[Nilles2020\] eq. (120) does.

use rayon::prelude::*;
use thixo_math::Vector;

use crate::draw::Sheen;
use crate::extent::Extent;
use crate::vector::{Vec3, unit_or};

/// Cells along a side of a block.
const BLOCK: usize = 8;
/// Nodes along a side of a block: the last ones are also the first ones of its neighbour, so that a
/// cell lies in one block.
const SIDE: usize = BLOCK + 1;
const NODES: usize = SIDE * SIDE * SIDE;
/// Distance of nodes over the cube root of a particle's volume: fewer particles per cell would
/// show.
const SPACING: f32 = 1.7;
/// Blocks of the box around the particles at most; beyond, nodes are farther apart.
const MOST_BLOCKS: f32 = 4e6;

/// φ at a node and, where particles have colours, the light of those around it, weighted by φ.
type Node = [f32; 4];

/// The share of space that particles fill.
#[derive(Clone, Debug)]
pub struct VolumeFraction {
    /// The corner of the first block \[m\].
    origin: Vec3,
    /// Distance of nodes \[m\].
    pub spacing: f32,
    blocks: [usize; 3],
    /// For each block of the box: 0 if it is empty, otherwise one more than its place among those
    /// that are not.
    index: Vec<u32>,
    nodes: Vec<Block>,
}

#[derive(Clone, Debug)]
struct Block {
    nodes: Box<[Node]>,
    /// The light that particles around each node give off, and their wetness, weighted by φ; empty
    /// where they have none.
    sheens: Box<[Node]>,
    /// The largest φ.
    most: f32,
}

/// Particles that fill space.
#[derive(Clone, Copy, Debug)]
pub struct Bodies<'a> {
    /// Their centres \[m\].
    pub centers: &'a [Vec3],
    /// Their radii \[m\].
    pub radii: &'a [f32],
    /// Their colours; may be empty.
    pub colors: &'a [Vec3],
    /// Their additions to their looks; may be empty.
    pub sheens: &'a [Sheen],
}

impl VolumeFraction {
    /// The field of the particles that `choice` takes, within a box.
    pub fn new(
        bodies: Bodies<'_>,
        within: Extent,
        choice: impl Fn(usize) -> bool + Sync,
    ) -> Option<Self> {
        let is_inside = |x: Vec3| (0..3).all(|a| within.min[a] <= x[a] && x[a] <= within.max[a]);
        let chosen: Vec<u32> = (0..bodies.centers.len() as u32)
            .into_par_iter()
            .filter(|&k| {
                let (radius, center) = (bodies.radii[k as usize], bodies.centers[k as usize]);
                let is_finite = center.0.iter().all(|x| x.is_finite()) && radius.is_finite();
                radius > 0.0 && is_finite && is_inside(center)
            })
            .filter(|&k| choice(k as usize))
            .collect();
        if chosen.is_empty() {
            return None;
        }
        let mut extent = Extent::EMPTY;
        let mut volume = 0.0f64;
        for &k in &chosen {
            let x = bodies.centers[k as usize];
            extent = extent.with(Extent { min: x, max: x });
            volume += f64::from(volume_of(bodies.radii[k as usize]));
        }
        let mut spacing = SPACING * ((volume / chosen.len() as f64) as f32).cbrt();
        let sides = extent.max - extent.min;
        let count = |spacing: f32| {
            let along = |a: usize| (sides[a] / (spacing * BLOCK as f32)).floor() + 2.0;
            along(0) * along(1) * along(2)
        };
        while spacing.is_normal() && count(spacing) > MOST_BLOCKS {
            spacing *= 1.3;
        }
        if !spacing.is_normal() || !sides.0.iter().all(|side| side.is_finite()) {
            return None;
        }
        // Particles reach 1.5 cells far.
        let origin = extent.min - Vector([2.0 * spacing; 3]);
        let blocks = std::array::from_fn(|a| {
            ((sides[a] + 4.0 * spacing) / (spacing * BLOCK as f32)) as usize + 1
        });
        let mut field = Self {
            origin,
            spacing,
            blocks,
            index: vec![0; blocks.iter().product()],
            nodes: Vec::new(),
        };
        field.fill(bodies, &chosen);
        Some(field)
    }

    fn fill(&mut self, bodies: Bodies<'_>, chosen: &[u32]) {
        let home = |k: u32| self.block_of(bodies.centers[k as usize]);
        // Particles in the order of their blocks.
        let mut starts = vec![0u32; self.index.len() + 1];
        for &k in chosen {
            starts[home(k) + 1] += 1;
        }
        for b in 1..starts.len() {
            starts[b] += starts[b - 1];
        }
        let mut place = starts.clone();
        let mut sorted = vec![0u32; chosen.len()];
        for &k in chosen {
            let b = home(k);
            sorted[place[b] as usize] = k;
            place[b] += 1;
        }
        // Blocks with particles, and their neighbours, whose nodes these may reach.
        let mut marked = vec![false; self.index.len()];
        for b in 0..self.index.len() {
            if starts[b + 1] > starts[b] {
                self.around(b).for_each(|n| marked[n] = true);
            }
        }
        let full: Vec<usize> = (0..marked.len()).filter(|&b| marked[b]).collect();
        for (slot, &b) in (1u32..).zip(&full) {
            self.index[b] = slot;
        }
        let this = &*self;
        let nodes = full.par_iter().map(|&b| {
            let mut nodes = vec![[0.0; 4]; NODES].into_boxed_slice();
            let count = if bodies.sheens.is_empty() { 0 } else { NODES };
            let mut sheens = vec![[0.0; 4]; count].into_boxed_slice();
            let corner = this.corner(b);
            for n in this.around(b) {
                for &k in &sorted[starts[n] as usize..starts[n + 1] as usize] {
                    this.add(bodies, k as usize, corner, [&mut nodes, &mut sheens]);
                }
            }
            let most = nodes.iter().map(|node| node[0]).fold(0.0, f32::max);
            Block {
                nodes,
                sheens,
                most,
            }
        });
        self.nodes = nodes.collect();
    }

    /// The field with φ of every node in its place by a function of the node's coordinates and φ.
    pub(crate) fn with_nodes(&self, phi: impl Fn([i32; 3], f32) -> f32 + Sync) -> Self {
        let mut full: Vec<(u32, usize)> = (0..self.index.len())
            .filter(|&block| self.index[block] > 0)
            .map(|block| (self.index[block], block))
            .collect();
        full.sort_unstable();
        let blocks = full.into_par_iter().map(|(slot, block)| {
            let corner = self.corner(block);
            let Block {
                mut nodes,
                mut sheens,
                ..
            } = self.nodes[slot as usize - 1].clone();
            for (k, node) in nodes.iter_mut().enumerate() {
                let place = [k % SIDE, k / SIDE % SIDE, k / SIDE / SIDE];
                let at = std::array::from_fn(|a| (corner[a] + place[a]) as i32);
                let (before, after) = (node[0], phi(at, node[0]));
                // Light is weighted by φ.
                let factor = if before > 0.0 { after / before } else { 0.0 };
                node[0] = after;
                node[1..].iter_mut().for_each(|light| *light *= factor);
                let sheen = sheens.get_mut(k).into_iter().flatten();
                sheen.for_each(|part| *part *= factor);
            }
            let most = nodes.iter().map(|node| node[0]).fold(0.0, f32::max);
            Block {
                nodes,
                sheens,
                most,
            }
        });
        let nodes = blocks.collect();
        Self {
            nodes,
            index: self.index.clone(),
            ..*self
        }
    }

    /// φ at a node, by its coordinates.
    pub(crate) fn at_node(&self, at: [i32; 3]) -> f32 {
        let mut block = [0; 3];
        let mut place = [0; 3];
        for a in 0..3 {
            if at[a] < 0 || at[a] as usize >= self.blocks[a] * BLOCK {
                return 0.0;
            }
            (block[a], place[a]) = (at[a] as usize / BLOCK, at[a] as usize % BLOCK);
        }
        let [nx, ny, _] = self.blocks;
        match self.index[(block[2] * ny + block[1]) * nx + block[0]] {
            0 => 0.0,
            slot => {
                let k = (place[2] * SIDE + place[1]) * SIDE + place[0];
                self.nodes[slot as usize - 1].nodes[k][0]
            }
        }
    }

    /// Adds a particle to the nodes of the block whose first node is `corner`.
    fn add(
        &self,
        bodies: Bodies<'_>,
        k: usize,
        corner: [usize; 3],
        [nodes, sheens]: [&mut [Node]; 2],
    ) {
        let place = (bodies.centers[k] - self.origin) * (1.0 / self.spacing);
        let mut first = [0i32; 3];
        let mut weights = [[0.0f32; 3]; 3];
        for a in 0..3 {
            let base = (place[a] - 0.5).floor();
            first[a] = base as i32 - corner[a] as i32;
            if first[a] + 2 < 0 || first[a] >= SIDE as i32 {
                return;
            }
            let f = place[a] - base;
            weights[a] = [
                0.5 * (1.5 - f) * (1.5 - f),
                0.75 - (f - 1.0) * (f - 1.0),
                0.5 * (f - 0.5) * (f - 0.5),
            ];
        }
        let amount = volume_of(bodies.radii[k]) / self.spacing.powi(3);
        let color = bodies.colors.get(k).copied().unwrap_or(Vec3::zero());
        let Sheen { glow, wetness } = bodies.sheens.get(k).copied().unwrap_or_default();
        let sheen = [glow[0], glow[1], glow[2], wetness];
        let within = |node: i32| (0..SIDE as i32).contains(&node);
        for (dz, wz) in (0..).zip(weights[2]) {
            for (dy, wy) in (0..).zip(weights[1]) {
                let [y, z] = [first[1] + dy, first[2] + dz];
                if !within(y) || !within(z) {
                    continue;
                }
                let row = (z as usize * SIDE + y as usize) * SIDE;
                for (dx, wx) in (0..).zip(weights[0]) {
                    let x = first[0] + dx;
                    if within(x) {
                        let share = wx * wy * wz * amount;
                        let node = &mut nodes[row + x as usize];
                        node[0] += share;
                        for a in 0..3 {
                            node[a + 1] += share * color[a];
                        }
                        if let Some(sum) = sheens.get_mut(row + x as usize) {
                            for (sum, part) in sum.iter_mut().zip(sheen) {
                                *sum += share * part;
                            }
                        }
                    }
                }
            }
        }
    }

    fn block_of(&self, point: Vec3) -> usize {
        let along = |a: usize| {
            let cells = (point[a] - self.origin[a]) / self.spacing;
            (cells.max(0.0) as usize / BLOCK).min(self.blocks[a] - 1)
        };
        (along(2) * self.blocks[1] + along(1)) * self.blocks[0] + along(0)
    }

    fn coordinates(&self, block: usize) -> [usize; 3] {
        let [nx, ny, _] = self.blocks;
        [block % nx, block / nx % ny, block / nx / ny]
    }

    fn corner(&self, block: usize) -> [usize; 3] {
        self.coordinates(block).map(|b| b * BLOCK)
    }

    /// A block and those that touch it, in a fixed order.
    fn around(&self, block: usize) -> impl Iterator<Item = usize> {
        let [nx, ny, nz] = self.blocks;
        let [x, y, z] = self.coordinates(block);
        let near = |at: usize, end: usize| at.saturating_sub(1)..(at + 2).min(end);
        near(z, nz).flat_map(move |z| {
            near(y, ny).flat_map(move |y| near(x, nx).map(move |x| (z * ny + y) * nx + x))
        })
    }

    /// The box in which φ may be above 0.
    pub fn extent(&self) -> Extent {
        let side = self.spacing * BLOCK as f32;
        let sides = Vector(self.blocks.map(|n| n as f32 * side));
        Extent {
            min: self.origin,
            max: self.origin + sides,
        }
    }

    /// The block of a point, if φ gets above `level` there, and the box of that block either way.
    pub fn block_at(&self, point: Vec3, level: f32) -> (bool, Extent) {
        let block = self.block_of(point);
        let side = self.spacing * BLOCK as f32;
        let corner = Vector(self.coordinates(block).map(|b| b as f32 * side));
        let min = self.origin + corner;
        let max = min + Vector([side; 3]);
        let slot = self.index[block];
        let is_full = slot > 0 && self.nodes[slot as usize - 1].most > level;
        (is_full, Extent { min, max })
    }

    /// φ at a point.
    #[inline]
    pub fn at(&self, point: Vec3) -> f32 {
        self.node_at(point, |block, k| block.nodes[k][0])
    }

    /// The light of the colours around a point; none where there are no particles.
    pub fn color_at(&self, point: Vec3) -> Option<Vec3> {
        let share = self.at(point);
        let sum = Vector([1, 2, 3].map(|a| self.node_at(point, |block, k| block.nodes[k][a])));
        (share > 0.0).then(|| sum * (1.0 / share))
    }

    /// The sheen by the particles around a point.
    pub fn sheen_at(&self, point: Vec3) -> Sheen {
        let share = self.at(point);
        let has_any = self.nodes.first().is_some_and(|b| !b.sheens.is_empty());
        if !has_any || share <= 0.0 {
            return Sheen::default();
        }
        let mean = |a: usize| self.node_at(point, |block, k| block.sheens[k][a]) / share;
        Sheen {
            glow: Vector([mean(0), mean(1), mean(2)]),
            wetness: mean(3),
        }
    }

    /// Outwards at a point: against the slope of φ over a cell and a half to both sides, which
    /// evens out what single particles do to it.
    pub fn normal_at(&self, point: Vec3, otherwise: Vec3) -> Vec3 {
        let slope = Vector(std::array::from_fn(|a| {
            let mut step = Vec3::zero();
            step[a] = 1.5 * self.spacing;
            self.at(point - step) - self.at(point + step)
        }));
        unit_or(slope, otherwise)
    }

    #[inline]
    fn node_at(&self, point: Vec3, value: impl Fn(&Block, usize) -> f32) -> f32 {
        let cells = (point - self.origin) * (1.0 / self.spacing);
        let mut at = [0usize; 3];
        let mut block = [0usize; 3];
        let mut share = [0.0f32; 3];
        for a in 0..3 {
            // Also false for what is not a number.
            if !(cells[a] >= 0.0 && cells[a] < (self.blocks[a] * BLOCK) as f32) {
                return 0.0;
            }
            let cell = cells[a] as usize;
            share[a] = cells[a] - cell as f32;
            block[a] = cell / BLOCK;
            at[a] = cell % BLOCK;
        }
        let [nx, ny, _] = self.blocks;
        let slot = self.index[(block[2] * ny + block[1]) * nx + block[0]];
        if slot == 0 {
            return 0.0;
        }
        let block = &self.nodes[slot as usize - 1];
        let first = (at[2] * SIDE + at[1]) * SIDE + at[0];
        let along = |k: usize| {
            let (a, b) = (value(block, k), value(block, k + 1));
            a + (b - a) * share[0]
        };
        let plane = |k: usize| {
            let (a, b) = (along(k), along(k + SIDE));
            a + (b - a) * share[1]
        };
        let (a, b) = (plane(first), plane(first + SIDE * SIDE));
        a + (b - a) * share[2]
    }
}

fn volume_of(radius: f32) -> f32 {
    4.0 / 3.0 * std::f32::consts::PI * radius.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube of n³ particles that fill [0, 1]³.
    fn cube(n: usize) -> (Vec<Vec3>, Vec<f32>) {
        let place = |k: usize| (k as f32 + 0.5) / n as f32;
        let centers: Vec<Vec3> = (0..n * n * n)
            .map(|k| Vector([place(k % n), place(k / n % n), place(k / n / n)]))
            .collect();
        let radius = (0.75 / std::f32::consts::PI).cbrt() / n as f32;
        let radii = vec![radius; centers.len()];
        (centers, radii)
    }

    fn field(centers: &[Vec3], radii: &[f32], colors: &[Vec3]) -> VolumeFraction {
        let bodies = Bodies {
            centers,
            radii,
            colors,
            sheens: &[],
        };
        let within = Extent {
            min: Vector([-9.0; 3]),
            max: Vector([9.0; 3]),
        };
        VolumeFraction::new(bodies, within, |_| true).unwrap()
    }

    #[test]
    fn it_is_one_inside_half_at_the_surface_and_zero_outside() {
        let (centers, radii) = cube(24);
        let field = field(&centers, &radii, &[]);
        assert!((field.at(Vector([0.5, 0.45, 0.61])) - 1.0).abs() < 0.02);
        assert!((field.at(Vector([1.0, 0.45, 0.61])) - 0.5).abs() < 0.06);
        assert_eq!(field.at(Vector([1.3, 0.45, 0.61])), 0.0);
        assert_eq!(field.at(Vector([f32::NAN, 0.0, 0.0])), 0.0);
        let normal = field.normal_at(Vector([1.0, 0.45, 0.61]), Vec3::zero());
        assert!(normal[0] > 0.999, "{normal:?}");
    }

    #[test]
    fn its_integral_is_the_volume_and_colours_are_those_around() {
        let (centers, radii) = cube(10);
        let colors: Vec<Vec3> = centers.iter().map(|x| Vector([x[0], 0.5, 0.0])).collect();
        let field = field(&centers, &radii, &colors);
        let mut sum = 0.0f64;
        for (b, slot) in field.index.iter().enumerate().filter(|(_, s)| **s > 0) {
            assert!(b < field.index.len());
            let nodes = &field.nodes[*slot as usize - 1].nodes;
            // Nodes that are also those of the next block count there.
            let own = (0..NODES)
                .filter(|k| k % SIDE < BLOCK && k / SIDE % SIDE < BLOCK && k / SIDE / SIDE < BLOCK);
            sum += own.map(|k| f64::from(nodes[k][0])).sum::<f64>();
        }
        let volume = sum * f64::from(field.spacing.powi(3));
        assert!((volume - 1.0).abs() < 1e-4, "{volume}");
        let color = field.color_at(Vector([0.5, 0.5, 0.5])).unwrap();
        assert!((color[0] - 0.5).abs() < 0.01 && (color[1] - 0.5).abs() < 1e-4);
        assert_eq!(field.color_at(Vector([5.0; 3])), None);
    }

    #[test]
    fn sheens_are_those_around_and_those_of_no_particle_are_none() {
        let (centers, radii) = cube(10);
        let sheens: Vec<Sheen> = centers
            .iter()
            .map(|x| Sheen {
                glow: Vector([x[0], 2.0, 0.0]),
                wetness: 0.25,
            })
            .collect();
        let bodies = Bodies {
            centers: &centers,
            radii: &radii,
            colors: &[],
            sheens: &sheens,
        };
        let within = Extent {
            min: Vector([-9.0; 3]),
            max: Vector([9.0; 3]),
        };
        let own = VolumeFraction::new(bodies, within, |_| true).unwrap();
        for field in [own.clone(), own.smoothed()] {
            let sheen = field.sheen_at(Vector([0.5; 3]));
            assert!((sheen.glow[0] - 0.5).abs() < 0.01 && (sheen.glow[1] - 2.0).abs() < 1e-4);
            assert!((sheen.wetness - 0.25).abs() < 1e-5);
            assert_eq!(field.sheen_at(Vector([5.0; 3])), Sheen::default());
        }
        let without = self::field(&centers, &radii, &[]);
        assert_eq!(without.sheen_at(Vector([0.5; 3])), Sheen::default());
    }

    #[test]
    fn what_cannot_be_counted_is_left_out() {
        let centers = [Vector([f32::NAN; 3]), Vector([100.0; 3]), Vec3::zero()];
        let bodies = Bodies {
            centers: &centers,
            radii: &[1.0, 1.0, f32::NAN],
            colors: &[],
            sheens: &[],
        };
        let within = Extent {
            min: Vector([-9.0; 3]),
            max: Vector([9.0; 3]),
        };
        assert!(VolumeFraction::new(bodies, within, |_| true).is_none());
    }
}
