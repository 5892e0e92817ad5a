//! Vertices of meshes as particles: where they are, and sums between them and the nodes around
//! them, equation (64).

use rayon::prelude::*;
use thixo_math::Vector;
use thixo_par::Scalar;

use super::mesh::Mesh;
use crate::grid::{Lattice, Node, Tile, Tiles, lift};
use crate::kernel::MAX_WIDTH;
use crate::particles::{PADDING, Particles, Species};
use crate::step_context::StepContext;

/// A slot without a vertex, and a vertex without a slot.
const NONE: u32 = u32::MAX;

/// The slot of every vertex of a mesh in the table of its material; none if one is missing.
pub(crate) fn find_vertices<T: Scalar, const D: usize>(
    mesh: &Mesh<D>,
    particles: &Particles<T, D>,
) -> Option<Vec<u32>> {
    let species = particles.species.get(mesh.material()?)?;
    let ids = mesh.ids();
    let mut slots = vec![NONE; ids.len()];
    for (slot, id) in species.ids.iter().enumerate() {
        if ids.contains(id) && *id != PADDING {
            slots[(id - ids.start) as usize] = slot as u32;
        }
    }
    slots.iter().all(|slot| *slot != NONE).then_some(slots)
}

/// Positions of the vertices of a mesh \[m\].
pub(super) fn positions<T: Scalar, const D: usize>(
    slots: &[u32],
    species: &Species<T, D>,
    step: &crate::grid::Geometry<D>,
) -> Vec<Vector<f64, D>> {
    let slots = slots.par_iter().with_min_len(1024);
    slots
        .map(|&slot| species.position(slot as usize, step))
        .collect()
}

/// Weights of a vertex on the nodes of its block's tile, along three axes; in 2D the first of them
/// has one node.
struct VertexStencil<T> {
    vertex: u32,
    start: u32,
    weights: [[T; MAX_WIDTH]; 3],
}

/// The weights of all vertices of all meshes, numbered mesh after mesh, by segment of particles.
pub(super) struct VertexStencils<'a, T: Scalar, const D: usize> {
    step: StepContext<'a, D>,
    lattice: Lattice<D>,
    /// By segment; empty for other matter.
    segments: Vec<Vec<VertexStencil<T>>>,
    count: usize,
}

impl<'a, T: Scalar, const D: usize> VertexStencils<'a, T, D> {
    /// The stencils at the present positions; `slots` of every mesh.
    pub fn new(
        meshes: &[Mesh<D>],
        slots: &[Vec<u32>],
        particles: &Particles<T, D>,
        step: StepContext<'a, D>,
    ) -> Self {
        let mut vertex_of_slot: Vec<Vec<u32>> = vec![Vec::new(); particles.species.len()];
        let mut count = 0;
        for (mesh, slots) in meshes.iter().zip(slots) {
            if let Some(material) = mesh.material() {
                let table = &mut vertex_of_slot[material];
                table.resize(particles.species[material].ids.len(), NONE);
                for (vertex, &slot) in (count..).zip(slots) {
                    table[slot as usize] = vertex as u32;
                }
            }
            count += slots.len();
        }
        let segments = step.order.segments.par_iter().map(|segment| {
            let table = &vertex_of_slot[segment.species];
            if table.is_empty() {
                return Vec::new();
            }
            let species = &particles.species[segment.species];
            let slots = segment.groups.start * T::LANES..segment.groups.end * T::LANES;
            let slots = slots.filter(|&slot| table[slot] != NONE);
            slots
                .map(|slot| stencil(table[slot], species.offset(slot), &step))
                .collect()
        });
        Self {
            segments: segments.collect(),
            lattice: Lattice::nodes(step.geometry.spacing()),
            step,
            count,
        }
    }

    /// Adds Σ_p w_ip q_p to the nodes.
    pub fn scatter(&self, values: &[Vector<f64, D>], nodes: &mut [Node<T>]) {
        let tiles = self.tiles(|stencil, visit| {
            let mut quad = [T::zero(); 4];
            for (to, from) in quad.iter_mut().zip(values[stencil.vertex as usize].0) {
                *to = T::from_f64(from);
            }
            visit(&stencil.weights, quad);
        });
        self.add(&tiles, nodes);
    }

    /// Adds Σ_p w_ip² q_p to the nodes.
    pub fn scatter_squared(&self, values: &[Vector<f64, D>], nodes: &mut [Node<T>]) {
        let tiles = self.tiles(|stencil, visit| {
            let mut quad = [T::zero(); 4];
            for (to, from) in quad.iter_mut().zip(values[stencil.vertex as usize].0) {
                *to = T::from_f64(from);
            }
            visit(&stencil.weights.map(|axis| axis.map(|w| w * w)), quad);
        });
        self.add(&tiles, nodes);
    }

    /// Tiles of the segments of meshes.
    fn tiles(
        &self,
        source: impl Fn(&VertexStencil<T>, &mut dyn FnMut(&[[T; MAX_WIDTH]; 3], Node<T>)) + Sync,
    ) -> Tiles<T, 4, D> {
        let step = &self.step;
        let width = step.geometry.kernel().width();
        let mut tiles = Tiles::<T, 4, D>::on(&self.lattice, step.order);
        let storage: Vec<_> = tiles.segments_mut().collect();
        let segments = self.segments.par_iter().zip(storage);
        segments.for_each(|(stencils, (storage, touched))| {
            if stencils.is_empty() {
                return;
            }
            let mut tile = Tile::<T>::new(step.geometry.tile_side());
            let side = tile.side();
            for stencil in stencils {
                source(stencil, &mut |weights, quad| {
                    for_each_row::<T, D>(stencil.start, weights, (side, width), |first, w, row| {
                        let nodes = &mut tile.nodes_mut()[first..first + width];
                        for (node, last) in nodes.iter_mut().zip(row) {
                            let w = w * *last;
                            for (sum, x) in node.iter_mut().zip(quad) {
                                *sum += w * x;
                            }
                        }
                    });
                });
            }
            tile.store(touched, storage);
        });
        tiles
    }

    /// Adds the tiles to the nodes of all blocks, in the order of neighbour offset and material.
    fn add(&self, tiles: &Tiles<T, 4, D>, nodes: &mut [Node<T>]) {
        let order = self.step.order;
        let per_block = order.blocks.nodes_per_block().max(1);
        let blocks = nodes.par_chunks_mut(per_block).enumerate();
        blocks.for_each(|(b, nodes)| {
            order.for_each_overlapping(b, |segment, offset| {
                if !self.segments[segment].is_empty() {
                    tiles.add(segment, offset, nodes);
                }
            });
        });
    }

    /// Σ_i w_ip q_i at every vertex, in double precision: elements are stiff, and turn rounding
    /// errors of displacements to forces.
    pub fn gather(&self, nodes: &[Node<T>]) -> Vec<Vector<f64, D>> {
        let step = &self.step;
        let width = step.geometry.kernel().width();
        let segments = self.segments.par_iter().zip(&step.order.segments);
        let gathered = segments.map(|(stencils, segment)| {
            if stencils.is_empty() {
                return Vec::new();
            }
            let mut tile = Tile::<T>::new(step.geometry.tile_side());
            let side = tile.side();
            tile.load((segment.block, &segment.bounds), &step.order.blocks, nodes);
            let sums = stencils.iter().map(|stencil| {
                let mut sum = Vector::<f64, D>::zero();
                let axes = (side, width);
                for_each_row::<T, D>(stencil.start, &stencil.weights, axes, |first, w, row| {
                    for (node, last) in tile.nodes()[first..first + width].iter().zip(row) {
                        let w = (w * *last).to_f64();
                        for a in 0..D {
                            sum[a] += w * node[a].to_f64();
                        }
                    }
                });
                (stencil.vertex, sum)
            });
            sums.collect::<Vec<_>>()
        });
        let gathered: Vec<Vec<_>> = gathered.collect();
        let mut out = vec![Vector::zero(); self.count];
        for (vertex, value) in gathered.into_iter().flatten() {
            out[vertex as usize] = value;
        }
        out
    }
}

/// The stencil of a vertex at an offset from the middle of its block \[cells\].
fn stencil<T: Scalar, const D: usize>(
    vertex: u32,
    offset: Vector<T, D>,
    step: &StepContext<'_, D>,
) -> VertexStencil<T> {
    let (geometry, kernel) = (step.geometry, step.geometry.kernel());
    let side = geometry.tile_side();
    let middle = (geometry.block_side() / 2 + 1) as f64;
    let mut weights = [[T::zero(); MAX_WIDTH]; 3];
    weights[0][0] = T::one();
    let mut start = 0;
    for a in 0..D {
        let x = offset[a].to_f64();
        let node = (x - kernel.base_offset()).floor();
        // A vertex whose position is NaN gets the first node; the state check finds it.
        let index = (node + middle).clamp(0.0, (side - kernel.width()) as f64);
        start = start * side + index as usize;
        let along = kernel.weights(x - node).value;
        weights[a + 3 - D] = along.map(T::from_f64);
    }
    VertexStencil {
        vertex,
        start: start as u32,
        weights,
    }
}

/// Calls `visit` for every row of the nodes of a stencil, with the index of its first node, the
/// product of the weights along the other axes, and the weights along the row.
#[inline(always)]
fn for_each_row<T: Scalar, const D: usize>(
    start: u32,
    weights: &[[T; MAX_WIDTH]; 3],
    (side, width): (usize, usize),
    mut visit: impl FnMut(usize, T, &[T]),
) {
    let planes = lift([width as i32; D], 1)[0] as usize;
    for i in 0..planes {
        for j in 0..width {
            let first = start as usize + (i * side + j) * side;
            visit(first, weights[0][i] * weights[1][j], &weights[2][..width]);
        }
    }
}
