//! Parts: the particles of one material whose stencils begin in the same few nodes.
//!
//! Particles of a part are visited one after the other, as each changes velocities that the next one sees. Parts of one colour share no node, and are visited at the
//! same time.

use rayon::prelude::*;
use thixo_par::Scalar;

use super::super::particle_energy::ParticleReferences;
use super::colour::{cluster_reach, cluster_side, colour};
use crate::grid::{ABSENT, NodeBox};
use crate::particles::Layout;
use crate::transfer::stencil::TileFrame;

/// Particles that are visited one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part<const D: usize> {
    pub kind: Kind,
    pub place: Place<D>,
    /// Slots of the particles in the tables of their material, and the node where the stencil of each begins, as index among the part's.
    pub particles: Vec<(usize, usize)>,
}

/// What parts that are visited at the same time have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kind {
    pub colour: u16,
    /// Index of the material.
    pub species: usize,
}

/// Where a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place<const D: usize> {
    /// Index of its block.
    pub block: usize,
    /// Its first node, counted from that of the block.
    pub first: [i32; D],
}

impl<const D: usize> Place<D> {
    /// The nodes that a part reaches, `reach` of them along each axis.
    pub fn nodes(&self, reach: usize) -> NodeBox<D> {
        NodeBox {
            origin: self.first,
            size: [reach as i32; D],
        }
    }
}

/// All parts, by kind; in every kind those with most particles first.
pub(super) fn parts<T: Scalar, const D: usize>(
    ground: &ParticleReferences<'_, '_, T, D>,
) -> Vec<Part<D>> {
    let segments = 0..ground.context.step.order.segments.len();
    let split: Vec<Vec<Part<D>>> = segments
        .into_par_iter()
        .map(|segment| split(ground, segment))
        .collect();
    let mut pieces: Vec<Part<D>> = split.into_iter().flatten().collect();
    // Particles that have drifted out of their block join those of the next.
    pieces.sort_by_key(|part| (part.kind, part.place));
    pieces.dedup_by(|next, part| {
        let is_same = (next.kind, next.place) == (part.kind, part.place);
        if is_same {
            part.particles.append(&mut next.particles);
        }
        is_same
    });
    // Those of a length come to their end together.
    pieces.sort_by_key(|part| (part.kind, core::cmp::Reverse(part.particles.len())));
    pieces
}

/// The parts of a segment.
fn split<T: Scalar, const D: usize>(
    ground: &ParticleReferences<'_, '_, T, D>,
    segment: usize,
) -> Vec<Part<D>> {
    let (order, geometry) = (ground.context.step.order, ground.context.step.geometry);
    let segment = &order.segments[segment];
    let species = &ground.particles.species[segment.species];
    let frame = TileFrame::<T, D>::new(order.blocks.coordinate(segment.block), geometry);
    let kernel = geometry.kernel();
    let offset = T::from_f64(kernel.base_offset());
    let last = T::from_f64((frame.side - kernel.width()) as f64);
    let (side, reach) = (cluster_side(kernel) as i32, cluster_reach(kernel) as i32);
    let per_block = geometry.block_side() as i32 / side;

    let slots = segment.groups.start * T::LANES..segment.groups.end * T::LANES;
    let taken = slots.filter(|&slot| species.hot.get(slot, Layout::<D>::V0) > T::zero());
    // The part in which a stencil begins, counted from the first of the block, and where in it.
    let mut begun: Vec<([i32; D], usize, usize)> = taken
        .map(|slot| {
            let x = species.position(slot);
            let mut part = [0; D];
            let mut start = 0;
            for a in 0..D {
                let node = (x[a] * frame.inv_h - offset).floor();
                let index = (node - frame.first[a]).max(T::zero()).min(last);
                // The tile's first node is number −1.
                let node = index.to_f64() as i32 - 1;
                part[a] = node.div_euclid(side);
                start = start * reach + node.rem_euclid(side);
            }
            (part, slot, start as usize)
        })
        .collect();
    begun.sort_unstable();

    let together = begun.chunk_by(|a, b| a.0 == b.0);
    together
        .map(|particles| {
            let part = particles[0].0;
            let away = part.map(|p| p.div_euclid(per_block));
            let neighbour = away.iter().fold(0, |all, d| all * 3 + (d + 1) as usize);
            let mut place = Place {
                block: segment.block,
                first: part.map(|p| p * side),
            };
            let next = order.blocks.neighbour(segment.block, neighbour);
            if next != ABSENT {
                place.block = next as usize;
                place.first = part.map(|p| p.rem_euclid(per_block) * side);
            }
            let block = order.blocks.coordinate(segment.block);
            let mut global = part;
            for a in 0..D {
                global[a] += block[a] * per_block;
                if let Some(cells) = geometry.cells_in_period(a) {
                    global[a] = global[a].rem_euclid(cells as i32 / side);
                }
            }
            Part {
                kind: Kind {
                    colour: colour(global, geometry),
                    species: segment.species,
                },
                place,
                particles: particles.iter().map(|&(_, slot, at)| (slot, at)).collect(),
            }
        })
        .collect()
}
