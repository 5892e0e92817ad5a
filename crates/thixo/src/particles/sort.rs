//! Sorting of particles by block and cell, and the set of blocks that their tiles overlap.
//!
//! Between two sorts particles may drift by up to one cell; tiles have a margin for that.

use rayon::prelude::*;
use thixo_par::{MAX_LANES, Scalar};

use super::counting_sort::{CountingSort, SortedBlock};
use super::own_block::OwnBlock;
use super::{Columns, Layout, PADDING, Particles, Species};
use crate::error::StepError;
use crate::grid::{
    BlockOrder, Blocks, Geometry, NodeBox, block_key, block_of_key, offset_vector, offsets,
};

/// Bytes that a sort needs for every slot besides the new table: the index of its source.
pub(crate) const SORT_BYTES_PER_SLOT: usize = 4;

/// Sorts all particles and returns the new order, at a simulated time \[s\] for errors. Cold
/// columns that were released stay released. On error the particles are unchanged.
pub fn order<T: Scalar, const D: usize>(
    particles: &mut Particles<T, D>,
    geometry: &Geometry<D>,
    time: f64,
) -> Result<BlockOrder<D>, StepError> {
    let sorts = particles
        .species
        .iter()
        .map(|species| CountingSort::new(species, geometry, time))
        .collect::<Result<Vec<_>, _>>()?;

    let blocks = touched_blocks(&sorts, geometry);
    let mut segments = Vec::new();
    for (index, sort) in sorts.iter().enumerate() {
        sort.add_segments(index, geometry, &blocks, &mut segments);
    }
    for (species, sort) in particles.species.iter_mut().zip(sorts) {
        let has_cold = species.has_cold();
        species.hot = permuted(&species.hot, &sort.source);
        measure_from_own_block(species, geometry);
        species.blocks = sort.block_of_groups();
        if has_cold {
            species.cold = permuted(&species.cold, &sort.source);
        }
        empty_padding(species, &sort);
        species.ids = permuted_ids(&species.ids, sort.source);
    }
    Ok(BlockOrder::new(blocks, segments))
}

/// Every block that some tile overlaps.
fn touched_blocks<const D: usize>(sorts: &[CountingSort], geometry: &Geometry<D>) -> Blocks<D> {
    let mut keys: Vec<u64> = sorts
        .par_iter()
        .flat_map(|sort| sort.blocks.par_iter().with_min_len(256))
        .flat_map_iter(|sorted| overlapped_blocks(sorted, geometry))
        .collect();
    keys.par_sort_unstable();
    keys.dedup();
    Blocks::new(&keys, geometry)
}

/// The keys of the blocks that the tile of a block overlaps.
fn overlapped_blocks<const D: usize>(
    sorted: &SortedBlock,
    geometry: &Geometry<D>,
) -> impl Iterator<Item = u64> {
    let NodeBox { origin, size } = sorted.bounds(geometry).grown_down(geometry.lower());
    let centre = block_of_key::<D>(sorted.key);
    let side = geometry.block_side() as i32;
    (0..offsets::<D>()).filter_map(move |k| {
        let offset = offset_vector::<D>(k);
        let overlaps = (0..D)
            .all(|a| origin[a] < side * (offset[a] + 1) && origin[a] + size[a] > side * offset[a]);
        let mut block = centre;
        for a in 0..D {
            block[a] += offset[a];
        }
        let block = geometry.wrap(block);
        (overlaps && geometry.holds(block)).then(|| block_key(block))
    })
}

/// Measures the offsets of particles that have left their block from the middle of the one that
/// they are in now.
fn measure_from_own_block<T: Scalar, const D: usize>(
    species: &mut Species<T, D>,
    geometry: &Geometry<D>,
) {
    let stride = species.hot.stride();
    let block = OwnBlock::<T>::new(geometry);
    let groups = species.hot.data_mut().par_chunks_mut(stride);
    groups.with_min_len(256).for_each(|group| {
        for x in &mut group[Layout::<D>::X * T::LANES..][..D * T::LANES] {
            *x = block.measured(*x);
        }
    });
}

fn permuted<T: Scalar>(old: &Columns<T>, source: &[u32]) -> Columns<T> {
    let mut new = Columns::zeros(old.width(), source.len() / T::LANES);
    let stride = old.stride();
    let data = old.data();
    new.data_mut()
        .par_chunks_mut(stride)
        .zip(source.par_chunks(T::LANES))
        .for_each(|(group, source)| {
            // Padding copies a neighbour, so that its stencil and state stay ordinary.
            let fallback = source[0];
            let mut first = [0; MAX_LANES];
            for (first, &from) in first.iter_mut().zip(source) {
                let from = if from == PADDING { fallback } else { from } as usize;
                *first = (from / T::LANES) * stride + from % T::LANES;
            }
            for (column, lanes) in group.chunks_exact_mut(T::LANES).enumerate() {
                for (lane, &first) in lanes.iter_mut().zip(&first) {
                    *lane = data[first + column * T::LANES];
                }
            }
        });
    new
}

/// The identifiers in their new order, in the storage of `source`.
fn permuted_ids(old: &[u32], mut source: Vec<u32>) -> Vec<u32> {
    source.par_iter_mut().for_each(|slot| {
        if *slot != PADDING {
            *slot = old[*slot as usize];
        }
    });
    source
}

/// Sets mass and volume to zero in lanes without a particle; these are in the last groups of
/// blocks.
fn empty_padding<T: Scalar, const D: usize>(species: &mut Species<T, D>, sort: &CountingSort) {
    for block in &sort.blocks {
        let end = (block.first_group + block.groups) * T::LANES;
        for slot in end - T::LANES..end {
            if sort.source[slot] == PADDING {
                species.hot.set(slot, Layout::<D>::MASS, T::zero());
                species.hot.set(slot, Layout::<D>::V0, T::zero());
            }
        }
    }
}
