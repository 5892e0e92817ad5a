//! Bundles: as many parts as a register has lanes, walked side by side: lane k walks through the k-th part, with nodes of its own, and materials answer for all lanes at
//! once.

use rayon::prelude::*;
use thixo_math::{Lanes, Matrix};
use thixo_par::Scalar;

use super::super::particle_energy::ParticleReferences;
use super::Form;
use super::colour::cluster_reach;
use super::part::{Part, Place, parts};
use crate::grid::Node;
use crate::material::potential::Reference;
use crate::particles::Layout;

/// Where the columns of a bundle's table are. The first are those of a group of particles: the distance from the base node, in node spacings, in the place of
/// the position, the index of that node in the part in the place of the mass, V⁰ (zero in lanes whose part has come to its end), and the state of the material.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<const D: usize> {
    /// Columns of a group of particles.
    pub hot: usize,
    /// Columns of the [`Reference`] behind all others; none where stresses are asked for instead of energies.
    pub reference: usize,
}

impl<const D: usize> Row<D> {
    /// K = Σ ∇w ∇wᵀ/m, upper triangle \[1/(kg m²)\].
    #[inline(always)]
    pub fn compliance(&self) -> usize {
        self.hot
    }
    /// S, by which the particle pushes its nodes as S∇w \[N s m\].
    #[inline(always)]
    pub fn impulse(&self) -> usize {
        self.compliance() + Layout::<D>::SYMMETRIC
    }
    /// How stiff the particle is for its nodes, a \[–\], or the multiplier λ of the printed form.
    #[inline(always)]
    pub fn stiffness(&self) -> usize {
        self.impulse() + D * D
    }
    /// [`Reference`] of the potential.
    #[inline(always)]
    pub fn reference(&self) -> usize {
        self.stiffness() + 1
    }
    /// Numbers in a row.
    pub fn stride<T: Scalar>(&self) -> usize {
        (self.reference() + self.reference) * T::LANES
    }
}

/// Parts of one kind, at most one per lane.
#[derive(Clone, Debug)]
pub(super) struct Bundle<T, const D: usize> {
    pub species: usize,
    /// Where the part of every lane is.
    pub places: Vec<Place<D>>,
    pub row: Row<D>,
    /// Row after row.
    pub table: Vec<T>,
    /// Changes of velocity on the nodes of the parts, part after part.
    pub changes: Vec<Node<T>>,
}

/// Bundles that can be worked on at the same time.
#[derive(Clone, Debug)]
pub(super) struct Pass<T, const D: usize> {
    pub bundles: Vec<Bundle<T, D>>,
    /// Bundle and lane of every part, block after block.
    parts: Vec<(usize, usize)>,
    /// Where the parts of a block begin among them, and where those of the last one end.
    first: Vec<usize>,
}

impl<T: Scalar, const D: usize> Pass<T, D> {
    /// With the parts of one kind.
    fn new(ground: &ParticleReferences<'_, '_, T, D>, alike: &[Part<D>], form: Form) -> Self {
        let bundles: Vec<Bundle<T, D>> = alike
            .par_chunks(T::LANES)
            .map(|parts| Bundle::new(ground, parts, form))
            .collect();
        let block = |part: usize| alike[part].place.block;
        let mut sorted: Vec<usize> = (0..alike.len()).collect();
        sorted.sort_by_key(|&part| block(part));
        let blocks = 0..=ground.context.step.order.blocks.len();
        Self {
            first: blocks
                .map(|b| sorted.partition_point(|&part| block(part) < b))
                .collect(),
            parts: sorted
                .into_iter()
                .map(|part| (part / T::LANES, part % T::LANES))
                .collect(),
            bundles,
        }
    }

    /// Where the parts of a block are, and what they have changed on their nodes.
    pub fn changes_of(&self, block: usize) -> impl Iterator<Item = (&Place<D>, &[Node<T>])> {
        let parts = &self.parts[self.first[block]..self.first[block + 1]];
        parts.iter().map(|&(bundle, lane)| {
            let bundle = &self.bundles[bundle];
            let nodes = bundle.changes.len() / bundle.places.len();
            let changes = &bundle.changes[lane * nodes..][..nodes];
            (&bundle.places[lane], changes)
        })
    }
}

/// Puts all particles into bundles, colour after colour and material after material.
pub(super) fn passes<T: Scalar, const D: usize>(
    ground: &ParticleReferences<'_, '_, T, D>,
    form: Form,
) -> Vec<Pass<T, D>> {
    let parts = parts(ground);
    let kinds = parts.chunk_by(|a, b| a.kind == b.kind);
    kinds.map(|alike| Pass::new(ground, alike, form)).collect()
}

impl<T: Scalar, const D: usize> Bundle<T, D> {
    /// Of parts of one kind, the longest first.
    fn new(ground: &ParticleReferences<'_, '_, T, D>, parts: &[Part<D>], form: Form) -> Self {
        let species = parts[0].kind.species;
        let row = Row {
            hot: ground.particles.species[species].schema.state().end,
            reference: match form {
                Form::Replaced => 0,
                Form::AsPrinted => Reference::<T, D>::COLUMNS,
            },
        };
        let nodes = cluster_reach(ground.context.step.geometry.kernel()).pow(D as u32);
        let mut bundle = Self {
            species,
            places: parts.iter().map(|part| part.place).collect(),
            row,
            table: vec![T::zero(); parts[0].particles.len() * row.stride::<T>()],
            changes: vec![[T::zero(); 4]; parts.len() * nodes],
        };
        for (lane, part) in parts.iter().enumerate() {
            bundle.fill(ground, lane, part);
        }
        bundle
    }

    /// Copies what particles are during the step into a lane.
    fn fill(&mut self, ground: &ParticleReferences<'_, '_, T, D>, lane: usize, part: &Part<D>) {
        let geometry = ground.context.step.geometry;
        let species = &ground.particles.species[self.species];
        let inv_h = T::from_f64(1.0 / geometry.spacing());
        let offset = T::from_f64(geometry.kernel().base_offset());
        let columns = Reference::<T, D>::COLUMNS;
        let references = &ground.references[self.species];
        let layout = self.row;
        let rows = self.table.chunks_exact_mut(layout.stride::<T>());
        for (row, &(slot, start)) in rows.zip(&part.particles) {
            let mut put = |column: usize, x: T| row[column * T::LANES + lane] = x;
            let x = species.position(slot);
            for a in 0..D {
                let position = x[a] * inv_h;
                let node = (position - offset).floor();
                put(Layout::<D>::X + a, position - node);
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

/// The upper triangle of a symmetric matrix from columns of a row.
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
