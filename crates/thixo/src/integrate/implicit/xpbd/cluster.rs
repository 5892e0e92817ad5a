//! Clusters: the particles of one material whose stencils begin in the same few nodes.
//!
//! Particles of a cluster are updated sequentially, as each changes velocities that the next one
//! gathers. Clusters of one colour share no node, and are updated in parallel.

use rayon::prelude::*;
use thixo_par::Scalar;

use super::super::particle_energy::ParticleReferences;
use super::colour::{cluster_reach, cluster_side, colour};
use crate::grid::{ABSENT, NodeBox};
use crate::particles::Layout;
use crate::transfer::stencil::TileFrame;

/// Particles that are updated sequentially.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cluster<const D: usize> {
    /// Colour and material.
    pub kind: ClusterKind,
    /// Place on the grid.
    pub place: ClusterPlace<D>,
    /// Slots of the particles in the tables of their material, and the index of the first node of
    /// each stencil among the nodes of the cluster.
    pub particles: Vec<(usize, usize)>,
}

/// The common properties of clusters that are updated in parallel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ClusterKind {
    /// Colour of the Gauss-Seidel colouring.
    pub colour: u16,
    /// Index of the material.
    pub species: usize,
}

/// The place of a cluster on the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ClusterPlace<const D: usize> {
    /// Index of its block.
    pub block: usize,
    /// First node of the cluster, counted from that of the block.
    pub first: [i32; D],
}

impl<const D: usize> ClusterPlace<D> {
    /// The nodes that a cluster reaches, `reach` of them along each axis.
    pub fn nodes(&self, reach: usize) -> NodeBox<D> {
        NodeBox {
            origin: self.first,
            size: [reach as i32; D],
        }
    }
}

/// All clusters, by kind; the largest of every kind first.
pub(super) fn clusters<T: Scalar, const D: usize>(
    source: &ParticleReferences<'_, '_, T, D>,
) -> Vec<Cluster<D>> {
    let segments = 0..source.context.step.order.segments.len();
    let split: Vec<Vec<Cluster<D>>> = segments
        .into_par_iter()
        .map(|segment| split(source, segment))
        .collect();
    let mut clusters: Vec<Cluster<D>> = split.into_iter().flatten().collect();
    // Particles that have left their block join the cluster of the neighbour.
    clusters.sort_by_key(|cluster| (cluster.kind, cluster.place));
    clusters.dedup_by(|next, cluster| {
        let is_same = (next.kind, next.place) == (cluster.kind, cluster.place);
        if is_same {
            cluster.particles.append(&mut next.particles);
        }
        is_same
    });
    // Lanes of a batch get clusters of similar length.
    clusters.sort_by_key(|cluster| (cluster.kind, core::cmp::Reverse(cluster.particles.len())));
    clusters
}

/// The clusters of a segment.
fn split<T: Scalar, const D: usize>(
    source: &ParticleReferences<'_, '_, T, D>,
    segment: usize,
) -> Vec<Cluster<D>> {
    let (order, geometry) = (source.context.step.order, source.context.step.geometry);
    let segment = &order.segments[segment];
    let species = &source.particles.species[segment.species];
    let frame = TileFrame::<T>::new(geometry);
    let middle = T::from_f64(frame.middle as f64);
    let kernel = geometry.kernel();
    let offset = T::from_f64(kernel.base_offset());
    let last = T::from_f64((frame.side - kernel.width()) as f64);
    let (side, reach) = (cluster_side(kernel) as i32, cluster_reach(kernel) as i32);
    let per_block = geometry.block_side() as i32 / side;

    let slots = segment.groups.start * T::LANES..segment.groups.end * T::LANES;
    let taken = slots.filter(|&slot| species.hot.get(slot, Layout::<D>::V0) > T::zero());
    // The cluster in which a stencil begins, counted from the first of the block, the slot of the
    // particle, and the first node of the stencil.
    let mut begun: Vec<([i32; D], usize, usize)> = taken
        .map(|slot| {
            let x = species.offset(slot);
            let mut cluster = [0; D];
            let mut start = 0;
            for a in 0..D {
                let node = (x[a] - offset).floor();
                let index = (node + middle).max(T::zero()).min(last);
                // The tile's first node is number −1.
                let node = index.to_f64() as i32 - 1;
                cluster[a] = node.div_euclid(side);
                start = start * reach + node.rem_euclid(side);
            }
            (cluster, slot, start as usize)
        })
        .collect();
    begun.sort_unstable();

    let together = begun.chunk_by(|a, b| a.0 == b.0);
    together
        .map(|particles| {
            let cluster = particles[0].0;
            let away = cluster.map(|p| p.div_euclid(per_block));
            let neighbour = away.iter().fold(0, |all, d| all * 3 + (d + 1) as usize);
            let mut place = ClusterPlace {
                block: segment.block,
                first: cluster.map(|p| p * side),
            };
            let next = order.blocks.neighbour(segment.block, neighbour);
            if next != ABSENT {
                place.block = next as usize;
                place.first = cluster.map(|p| p.rem_euclid(per_block) * side);
            }
            let block = order.blocks.coordinate(segment.block);
            let mut global = cluster;
            for a in 0..D {
                global[a] += block[a] * per_block;
                if let Some(cells) = geometry.cells_in_period(a) {
                    global[a] = global[a].rem_euclid(cells as i32 / side);
                }
            }
            Cluster {
                kind: ClusterKind {
                    colour: colour(global, geometry),
                    species: segment.species,
                },
                place,
                particles: particles.iter().map(|&(_, slot, at)| (slot, at)).collect(),
            }
        })
        .collect()
}
