//! Solids on a staggered grid: the open share of every face and cell, equation (34).
//!
//! Walls and obstacles cut faces where they are, and not at the borders of cells: a face lets
//! through the share θ of its area that is outside of all solids, and its closed share moves with
//! the solid. \[Batty2007\] The printed alternative closes a face as a whole where its centre is in
//! a solid. \[Jiang2015thesis\] §6.4.4.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;
use thixo_math::Vector;

use super::options::Boundary;
use crate::collide::{Solid, SolidSurface, Solids};
use crate::grid::Lattice;
use crate::kernel::KernelKind;
use crate::step_context::StepContext;

/// Points along an axis at which the open share of a cell is sampled.
const SAMPLES: usize = 4;

/// Distance in cells from the surface of a place whose filling decides that of the matter behind
/// it.
const IN_FRONT: f64 = 0.5;

/// Distance in cells within which a closed face lies in the surface.
const IN_SURFACE: f64 = 1e-6;

/// Shares below this are closed: their cells would be as good as empty, and divisions by them
/// noise.
const LEAST_SHARE: f64 = 1e-3;

/// Solids near the nodes of a block, and what they leave open.
#[derive(Debug)]
pub(crate) struct BlockBoundary<const D: usize> {
    /// Solids that may reach a face of the block.
    pub solids: Vec<Solid>,
    /// Open share θ of the area of each face \[–\], by node.
    pub open: Vec<[f64; D]>,
    /// Velocity of the solid across each face that is not open \[m/s\].
    pub speed: Vec<[f64; D]>,
    /// True for faces that lie in the surface of a solid.
    pub in_surface: Vec<[bool; D]>,
    /// Open share of the volume of each cell \[–\].
    pub volume: Vec<f64>,
    /// Share of the kernel of each cell centre that is not behind an obstacle \[–\].
    pub kernel_share: Vec<f64>,
    /// Cells that the surface of an obstacle cuts and whose centres are inside, by node of the
    /// block, with the coordinates of a cell in front of them.
    pub in_front: Vec<(usize, [i32; D])>,
}

/// The solids around all blocks of a step; none for blocks far from them.
#[derive(Debug)]
pub(crate) struct SolidBoundary<const D: usize> {
    blocks: Vec<Option<Arc<BlockBoundary<D>>>>,
    per_block: usize,
    /// Index in `blocks` of those near solids at rest alone, by coordinate.
    at_rest: HashMap<[i32; D], u32>,
}

impl<const D: usize> Default for SolidBoundary<D> {
    fn default() -> Self {
        Self {
            blocks: Vec::new(),
            per_block: 1,
            at_rest: HashMap::new(),
        }
    }
}

impl<const D: usize> SolidBoundary<D> {
    /// The boundary at the end of a step. That of an earlier step with the same solids serves where
    /// all of them are at rest.
    pub fn new(
        (solids, boundary): (Solids<'_, D>, Boundary),
        step: &StepContext<'_, D>,
        earlier: &Self,
    ) -> Self {
        let count = step.order.blocks.len();
        let blocks: Vec<Option<Arc<BlockBoundary<D>>>> = (0..count)
            .into_par_iter()
            .map(|block| {
                let near = near_solids(solids, step, block);
                let known = earlier.at_rest.get(&step.order.blocks.coordinate(block));
                let known = known.and_then(|&index| earlier.blocks[index as usize].as_ref());
                if near.is_empty() {
                    return None;
                }
                match known {
                    // Solids that move may have come since.
                    Some(known) if known.solids == near => Some(Arc::clone(known)),
                    _ => Some(Arc::new(block_boundary(
                        (solids, near),
                        boundary,
                        step,
                        block,
                    ))),
                }
            })
            .collect();
        let at_rest = (0..count as u32).filter(|&block| {
            let near = blocks[block as usize].as_ref();
            near.is_some_and(|near| near.solids.iter().all(|solid| solids.is_at_rest(*solid)))
        });
        Self {
            at_rest: at_rest
                .map(|block| (step.order.blocks.coordinate(block as usize), block))
                .collect(),
            blocks,
            per_block: step.order.blocks.nodes_per_block(),
        }
    }
    /// Bytes of storage.
    pub fn bytes(&self) -> usize {
        let node = 2 * size_of::<[f64; D]>() + size_of::<[bool; D]>() + 2 * size_of::<f64>();
        let near = self.blocks.iter().flatten().count();
        near * self.per_block * node + self.blocks.len() * size_of::<usize>()
    }
    /// Solids near a block.
    pub fn near(&self, block: usize) -> Option<&BlockBoundary<D>> {
        self.blocks[block].as_deref()
    }
    /// Open share of a face across an axis \[–\].
    #[inline]
    pub fn open(&self, face: usize, axis: usize) -> f64 {
        match self.near(face / self.per_block) {
            None => 1.0,
            Some(near) => near.open[face % self.per_block][axis],
        }
    }
    /// Velocity of the solid across a face \[m/s\].
    #[inline]
    pub fn speed(&self, face: usize, axis: usize) -> f64 {
        match self.near(face / self.per_block) {
            None => 0.0,
            Some(near) => near.speed[face % self.per_block][axis],
        }
    }
    /// True if a face lies in the surface of a solid.
    #[inline]
    pub fn is_in_surface(&self, face: usize, axis: usize) -> bool {
        match self.near(face / self.per_block) {
            None => false,
            Some(near) => near.in_surface[face % self.per_block][axis],
        }
    }
    /// Open share of the volume of a cell \[–\].
    #[inline]
    pub fn volume(&self, cell: usize) -> f64 {
        match self.near(cell / self.per_block) {
            None => 1.0,
            Some(near) => near.volume[cell % self.per_block],
        }
    }
    /// Share of the kernel of a cell's centre that is not behind an obstacle \[–\].
    #[inline]
    pub fn kernel_share(&self, cell: usize) -> f64 {
        match self.near(cell / self.per_block) {
            None => 1.0,
            Some(near) => near.kernel_share[cell % self.per_block],
        }
    }
}

/// Solids that may reach a face of a block at the end of a step.
fn near_solids<const D: usize>(
    solids: Solids<'_, D>,
    step: &StepContext<'_, D>,
    block: usize,
) -> Vec<Solid> {
    let (h, side) = (step.geometry.spacing(), step.geometry.block_side());
    let coordinate = step.order.blocks.coordinate(block);
    let centre = step.geometry.block_middle(coordinate).map(|x| x * h);
    // All kernels that reach over the faces of the block.
    let radius = (0.5 * side as f64 + 2.5) * h * (D as f64).sqrt();
    solids.near(centre, radius, step.time + step.dt)
}

/// The boundary of a block that solids are near.
fn block_boundary<const D: usize>(
    (solids, near): (Solids<'_, D>, Vec<Solid>),
    boundary: Boundary,
    step: &StepContext<'_, D>,
    block: usize,
) -> BlockBoundary<D> {
    let geometry = step.geometry;
    let (h, side) = (geometry.spacing(), geometry.block_side());
    let coordinate = step.order.blocks.coordinate(block);
    let end = step.time + step.dt;
    let corners = CornerDistances::new(solids, &near, step, coordinate);
    let count = side.pow(D as u32);
    let mut out = BlockBoundary {
        solids: near,
        open: vec![[1.0; D]; count],
        speed: vec![[0.0; D]; count],
        in_surface: vec![[false; D]; count],
        volume: vec![1.0; count],
        kernel_share: vec![1.0; count],
        in_front: Vec::new(),
    };
    for k in 0..count {
        let place = local_place::<D>(k, side);
        let cell = Lattice::cell_centres(h).position(add(coordinate, side, place));
        out.volume[k] = corners.open_volume(place);
        out.kernel_share[k] = kernel_share(solids, &out.solids, geometry.kernel(), cell, end, h);
        if out.volume[k] > 0.0
            && let Some(surface) = solids.nearest(&out.solids, cell, end)
            && surface.distance <= 0.0
        {
            let depth = surface.normal * (IN_FRONT * h - surface.distance);
            let at = (Vector(cell) + depth).0.map(|x| (x / h).floor() as i32);
            out.in_front.push((k, at));
        }
        for axis in 0..D {
            let face = Lattice::faces(h, axis).position(add(coordinate, side, place));
            let share = match boundary {
                Boundary::Fractions => corners.open_area(place, axis),
                Boundary::Voxels => {
                    let nearest = solids.nearest(&out.solids, face, end);
                    let is_open = nearest.is_none_or(|s| s.distance > 1e-9 * h);
                    f64::from(u8::from(is_open))
                }
            };
            let share = if share < LEAST_SHARE { 0.0 } else { share };
            out.open[k][axis] = share;
            if share == 1.0 {
                continue;
            }
            let own = in_surface(solids, &out.solids, (face, axis), (end, h));
            out.in_surface[k][axis] = share == 0.0 && own.is_some();
            if let Some(surface) = own.or_else(|| solids.nearest(&out.solids, face, end)) {
                let times = [step.time, step.dt];
                out.speed[k][axis] = solids.velocity(surface.solid, face, times)[axis];
            }
        }
    }
    out
}

/// Node of a block as distances from its first node.
pub(super) fn local_place<const D: usize>(k: usize, side: usize) -> [usize; D] {
    let mut place = [0; D];
    let mut rest = k;
    for a in (0..D).rev() {
        place[a] = rest % side;
        rest /= side;
    }
    place
}

/// Coordinates of a node of a block \[nodes\].
pub(super) fn add<const D: usize>(block: [i32; D], side: usize, place: [usize; D]) -> [i32; D] {
    core::array::from_fn(|a| block[a] * side as i32 + place[a] as i32)
}

/// Share of the kernel around a cell centre that is not behind obstacles, for flat surfaces. Walls
/// do not count: the matter is continued behind them by its mirror image.
fn kernel_share<const D: usize>(
    solids: Solids<'_, D>,
    near: &[Solid],
    kernel: KernelKind,
    cell: [f64; D],
    time: f64,
    h: f64,
) -> f64 {
    let obstacles = near
        .iter()
        .filter(|solid| matches!(solid, Solid::Collider(_)));
    let behind = obstacles
        .map(|&solid| solids.surface(solid, cell, time).distance / h)
        .fold(f64::INFINITY, f64::min);
    match behind.is_finite() {
        true => kernel.cumulative(behind),
        false => 1.0,
    }
}

/// Signed distances from solids at the corners of the cells of a block, in cells.
struct CornerDistances<const D: usize> {
    /// By solid and corner.
    distances: Vec<Vec<f64>>,
    /// Corners along an axis.
    side: usize,
}

impl<const D: usize> CornerDistances<D> {
    fn new(
        solids: Solids<'_, D>,
        near: &[Solid],
        step: &StepContext<'_, D>,
        block: [i32; D],
    ) -> Self {
        let (h, block_side) = (step.geometry.spacing(), step.geometry.block_side());
        let side = block_side + 1;
        let of_solid = |&solid: &Solid| {
            let corners = 0..side.pow(D as u32);
            let distances = corners.map(|k| {
                let place = local_place::<D>(k, side);
                let corner = Lattice::nodes(h).position(add(block, block_side, place));
                let end = step.time + step.dt;
                let distance = solids.surface(solid, corner, end).distance / h;
                // Where edges of an obstacle lie on lines of the grid, rounding does not open them.
                match distance.abs() < IN_SURFACE {
                    true => 0.0,
                    false => distance,
                }
            });
            distances.collect()
        };
        Self {
            distances: near.iter().map(of_solid).collect(),
            side,
        }
    }
    fn index(&self, place: [usize; D]) -> usize {
        place.iter().fold(0, |index, x| index * self.side + x)
    }
    /// Distance from the nearest solid.
    fn at(&self, place: [usize; D]) -> f64 {
        let index = self.index(place);
        let all = self.distances.iter().map(|of_solid| of_solid[index]);
        all.fold(f64::INFINITY, f64::min)
    }
    /// Open share of the area of the lower face of a cell across an axis.
    fn open_area(&self, place: [usize; D], axis: usize) -> f64 {
        let corner = |steps: [usize; 2]| {
            let mut at = place;
            for (a, step) in (0..D).filter(|a| *a != axis).zip(steps) {
                at[a] += step;
            }
            self.at(at)
        };
        if D == 2 {
            return positive_share([corner([0, 0]), corner([1, 0])]);
        }
        let around = [[0, 0], [1, 0], [1, 1], [0, 1]].map(corner);
        let middle = 0.25 * around.iter().sum::<f64>();
        let triangle = |k: usize| positive_area(middle, around[k], around[(k + 1) % 4]);
        0.25 * (0..4).map(triangle).sum::<f64>()
    }
    /// Open share of the volume of a cell: the product over the solids, as of surfaces that meet at
    /// right angles.
    fn open_volume(&self, place: [usize; D]) -> f64 {
        let solids = self.distances.iter();
        solids.map(|of| self.open_volume_at(of, place)).product()
    }
    /// The same at one solid, from the multilinear interpolation between its corners.
    fn open_volume_at(&self, of_solid: &[f64], place: [usize; D]) -> f64 {
        let corners = |bits: usize| {
            let mut at = place;
            for a in 0..D {
                at[a] += (bits >> a) & 1;
            }
            of_solid[self.index(at)]
        };
        let all: Vec<f64> = (0..1 << D).map(corners).collect();
        if all.iter().all(|d| *d >= 1.0) {
            return 1.0;
        }
        if all.iter().all(|d| *d <= 0.0) {
            return 0.0;
        }
        let count = SAMPLES.pow(D as u32);
        let share = (0..count).map(|sample| {
            let point = local_place::<D>(sample, SAMPLES);
            let at = point.map(|x| (x as f64 + 0.5) / SAMPLES as f64);
            let mut distance = 0.0;
            for (bits, d) in all.iter().enumerate() {
                let mut weight = 1.0;
                for a in 0..D {
                    weight *= if (bits >> a) & 1 == 1 {
                        at[a]
                    } else {
                        1.0 - at[a]
                    };
                }
                distance += weight * d;
            }
            (0.5 + distance * SAMPLES as f64).clamp(0.0, 1.0)
        });
        // A corner that is open belongs to the matter, however small it is.
        (share.sum::<f64>() / count as f64).max(LEAST_SHARE)
    }
}

/// Share of a line on which a linear function is positive, from its values at the ends.
fn positive_share([a, b]: [f64; 2]) -> f64 {
    match (a > 0.0, b > 0.0) {
        (true, true) => 1.0,
        (false, false) => 0.0,
        (true, false) => a / (a - b),
        (false, true) => b / (b - a),
    }
}

/// Share of a triangle on which a linear function is positive, from its values at the corners.
fn positive_area(a: f64, b: f64, c: f64) -> f64 {
    let one = |p: f64, q: f64, r: f64| p / (p - q) * (p / (p - r));
    match (a > 0.0, b > 0.0, c > 0.0) {
        (true, true, true) => 1.0,
        (false, false, false) => 0.0,
        (true, false, false) => one(a, b, c),
        (false, true, false) => one(b, a, c),
        (false, false, true) => one(c, a, b),
        (false, true, true) => 1.0 - one(a, b, c),
        (true, false, true) => 1.0 - one(b, a, c),
        (true, true, false) => 1.0 - one(c, a, b),
    }
}

/// The solid in whose surface a face across an axis lies, if there is one: the velocity across the
/// face is that of the solid, whatever other solids are around.
pub(super) fn in_surface<const D: usize>(
    solids: Solids<'_, D>,
    near: &[Solid],
    (face, axis): ([f64; D], usize),
    (time, h): (f64, f64),
) -> Option<SolidSurface<D>> {
    let surfaces = near.iter().map(|&solid| solids.surface(solid, face, time));
    let mut lying = surfaces.filter(|surface| {
        surface.distance.abs() < IN_SURFACE * h && surface.normal[axis].powi(2) > 0.5
    });
    lying.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_lines_and_triangles_are_those_of_geometry() {
        assert_eq!(positive_share([1.0, -3.0]), 0.25);
        assert_eq!(positive_share([0.0, 0.0]), 0.0);
        assert_eq!(positive_share([0.0, 1.0]), 1.0);
        // x > ½ on the triangle (0,0), (1,0), (0,1): a quarter of it.
        assert!((positive_area(-0.5, 0.5, -0.5) - 0.25).abs() < 1e-15);
        assert!((positive_area(0.5, -0.5, 0.5) - 0.75).abs() < 1e-15);
    }
}
