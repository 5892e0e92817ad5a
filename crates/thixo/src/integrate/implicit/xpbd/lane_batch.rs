//! Lane batches: as many clusters as a SIMD register has lanes, updated side by side. Lane k walks
//! through the k-th cluster with nodes of its own, and materials are evaluated for all lanes at
//! once.

use rayon::prelude::*;
use thixo_math::{Lanes, Matrix};
use thixo_par::Scalar;

use super::super::particle_energy::ParticleReferences;
use super::Form;
use super::cluster::{Cluster, ClusterPlace, clusters};
use super::colour::cluster_reach;
use crate::grid::Node;
use crate::material::potential::Reference;
use crate::particles::Layout;

/// Columns of a batch's table. The first are those of a group of particles, with the distance from
/// the base node, in node spacings, instead of the position, and the index of that node in the
/// cluster instead of the mass; then V⁰ (zero in lanes whose cluster has no more particles) and the
/// state of the material.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowLayout<const D: usize> {
    /// Columns of a group of particles.
    pub hot: usize,
    /// Columns of the [`Reference`] after all others; none for the form that evaluates stresses
    /// instead of energies.
    pub reference: usize,
}

impl<const D: usize> RowLayout<D> {
    /// First column of the compliance K = Σ ∇w ∇wᵀ/m, upper triangle \[1/(kg m²)\].
    #[inline(always)]
    pub fn compliance(&self) -> usize {
        self.hot
    }
    /// First column of S, by which the particle exerts impulses S∇w on its nodes \[N s m\].
    #[inline(always)]
    pub fn impulse(&self) -> usize {
        self.compliance() + Layout::<D>::SYMMETRIC
    }
    /// Column of the stiffness a \[–\], or of the multiplier λ of [`Form::QuEq25`].
    #[inline(always)]
    pub fn stiffness(&self) -> usize {
        self.impulse() + D * D
    }
    /// First column of the [`Reference`] of the potential.
    #[inline(always)]
    pub fn reference(&self) -> usize {
        self.stiffness() + 1
    }
    /// Numbers in a row.
    pub fn stride<T: Scalar>(&self) -> usize {
        (self.reference() + self.reference) * T::LANES
    }
}

/// Clusters of one kind, at most one per lane.
#[derive(Clone, Debug)]
pub(super) struct LaneBatch<T, const D: usize> {
    /// Index of the material.
    pub species: usize,
    /// Place of the cluster of every lane.
    pub places: Vec<ClusterPlace<D>>,
    /// Columns of the table.
    pub row: RowLayout<D>,
    /// One row per particle of the longest cluster.
    pub table: Vec<T>,
    /// Changes of velocity on the nodes of the clusters, one cluster after the other.
    pub changes: Vec<Node<T>>,
}

/// Batches of one colour and material, which are updated in parallel.
#[derive(Clone, Debug)]
pub(super) struct ColourPass<T, const D: usize> {
    /// All batches.
    pub batches: Vec<LaneBatch<T, D>>,
    /// Batch and lane of every cluster, block by block.
    clusters: Vec<(usize, usize)>,
    /// Index of the first cluster of every block among them, and the end of the last one.
    first: Vec<usize>,
}

impl<T: Scalar, const D: usize> ColourPass<T, D> {
    /// Batches of the clusters of one kind.
    fn new(source: &ParticleReferences<'_, '_, T, D>, alike: &[Cluster<D>], form: Form) -> Self {
        let batches: Vec<LaneBatch<T, D>> = alike
            .par_chunks(T::LANES)
            .map(|clusters| LaneBatch::new(source, clusters, form))
            .collect();
        let block = |cluster: usize| alike[cluster].place.block;
        let mut sorted: Vec<usize> = (0..alike.len()).collect();
        sorted.sort_by_key(|&cluster| block(cluster));
        let blocks = 0..=source.context.step.order.blocks.len();
        Self {
            first: blocks
                .map(|b| sorted.partition_point(|&cluster| block(cluster) < b))
                .collect(),
            clusters: sorted
                .into_iter()
                .map(|cluster| (cluster / T::LANES, cluster % T::LANES))
                .collect(),
            batches,
        }
    }

    /// Places and velocity changes of the clusters of a block.
    pub fn changes_of(&self, block: usize) -> impl Iterator<Item = (&ClusterPlace<D>, &[Node<T>])> {
        let clusters = &self.clusters[self.first[block]..self.first[block + 1]];
        clusters.iter().map(|&(batch, lane)| {
            let batch = &self.batches[batch];
            let nodes = batch.changes.len() / batch.places.len();
            let changes = &batch.changes[lane * nodes..][..nodes];
            (&batch.places[lane], changes)
        })
    }
}

/// Puts all particles into batches, by colour and material.
pub(super) fn passes<T: Scalar, const D: usize>(
    source: &ParticleReferences<'_, '_, T, D>,
    form: Form,
) -> Vec<ColourPass<T, D>> {
    let clusters = clusters(source);
    let kinds = clusters.chunk_by(|a, b| a.kind == b.kind);
    kinds
        .map(|alike| ColourPass::new(source, alike, form))
        .collect()
}

impl<T: Scalar, const D: usize> LaneBatch<T, D> {
    /// A batch of clusters of one kind, the longest first.
    fn new(source: &ParticleReferences<'_, '_, T, D>, clusters: &[Cluster<D>], form: Form) -> Self {
        let species = clusters[0].kind.species;
        let row = RowLayout {
            hot: source.particles.species[species].schema.state().end,
            reference: match form {
                Form::Replaced => 0,
                Form::QuEq25 => Reference::<T, D>::COLUMNS,
            },
        };
        let nodes = cluster_reach(source.context.step.geometry.kernel()).pow(D as u32);
        let mut batch = Self {
            species,
            places: clusters.iter().map(|cluster| cluster.place).collect(),
            row,
            table: vec![T::zero(); clusters[0].particles.len() * row.stride::<T>()],
            changes: vec![[T::zero(); 4]; clusters.len() * nodes],
        };
        for (lane, cluster) in clusters.iter().enumerate() {
            batch.fill(source, lane, cluster);
        }
        batch
    }

    /// Copies the particles of a cluster into a lane.
    fn fill(
        &mut self,
        source: &ParticleReferences<'_, '_, T, D>,
        lane: usize,
        cluster: &Cluster<D>,
    ) {
        let geometry = source.context.step.geometry;
        let species = &source.particles.species[self.species];
        let offset = T::from_f64(geometry.kernel().base_offset());
        let columns = Reference::<T, D>::COLUMNS;
        let references = &source.references[self.species];
        let layout = self.row;
        let rows = self.table.chunks_exact_mut(layout.stride::<T>());
        for (row, &(slot, start)) in rows.zip(&cluster.particles) {
            let mut put = |column: usize, x: T| row[column * T::LANES + lane] = x;
            let x = species.offset(slot);
            for a in 0..D {
                let node = (x[a] - offset).floor();
                put(Layout::<D>::X + a, x[a] - node);
            }
            put(Layout::<D>::MASS, T::from_f64(start as f64));
            for column in Layout::<D>::V0..layout.hot {
                put(column, species.hot.get(slot, column));
            }
            for column in 0..layout.reference {
                let group = (slot / T::LANES) * columns + column;
                let x = references[group * T::LANES + slot % T::LANES];
                put(layout.reference() + column, x);
            }
        }
    }
}

/// A symmetric matrix from columns of a row with its upper triangle.
#[inline(always)]
pub(super) fn load_symmetric<L: Lanes, const D: usize>(
    row: &[L::Scalar],
    first: usize,
) -> Matrix<L, D> {
    let mut out = Matrix::zero();
    let mut column = first;
    for i in 0..D {
        for j in i..D {
            out[i][j] = L::load(&row[column * L::LANES..]);
            out[j][i] = out[i][j];
            column += 1;
        }
    }
    out
}

/// A matrix from columns of a row.
#[inline(always)]
pub(super) fn load_matrix<L: Lanes, const D: usize>(
    row: &[L::Scalar],
    first: usize,
) -> Matrix<L, D> {
    let mut out = Matrix::zero();
    for i in 0..D {
        for j in 0..D {
            out[i][j] = L::load(&row[(first + i * D + j) * L::LANES..]);
        }
    }
    out
}

/// Writes a matrix to columns of a row.
#[inline(always)]
pub(super) fn store_matrix<L: Lanes, const D: usize>(
    matrix: &Matrix<L, D>,
    row: &mut [L::Scalar],
    first: usize,
) {
    for i in 0..D {
        for j in 0..D {
            matrix[i][j].store(&mut row[(first + i * D + j) * L::LANES..]);
        }
    }
}
