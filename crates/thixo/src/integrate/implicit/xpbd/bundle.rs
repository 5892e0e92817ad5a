//! Bundles: particles of as many segments as a register has lanes, walked side by side.
//!
//! Gauss-Seidel visits the particles of a segment one after the other, as each changes velocities that the next one sees. Segments of one colour share no node:
//! lane k walks through the k-th segment, with a tile of its own, and materials answer for all lanes at once.

use rayon::prelude::*;
use thixo_math::{Lanes, Matrix};
use thixo_par::Scalar;

use super::super::system::Ground;
use super::Form;
use crate::grid::{Node, NodeBox};
use crate::kernel::stencil::TileFrame;
use crate::material::potential::Reference;
use crate::particles::Layout;

/// Where the columns of a bundle's table are. The first are those of a group of particles: the distance from the base node, in node spacings, in the place of
/// the position, the index of that node in the tile in the place of the mass, V⁰ (zero in lanes whose segment has come to its end), and the state of the material.
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

/// A segment in a bundle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member<const D: usize> {
    /// Index in the order.
    pub segment: usize,
    /// Index of its block.
    pub block: usize,
    /// The nodes that it reaches.
    pub reached: NodeBox<D>,
    /// Where its nodes begin in the bundle's changes.
    pub first: usize,
}

/// Segments of one colour and one material, at most one per lane.
#[derive(Clone, Debug)]
pub(super) struct Bundle<T, const D: usize> {
    pub species: usize,
    pub members: Vec<Member<D>>,
    pub row: Row<D>,
    /// Row after row.
    pub table: Vec<T>,
    /// Changes of velocity on the nodes of the members.
    pub changes: Vec<Node<T>>,
}

/// Bundles that can be worked on at the same time.
#[derive(Clone, Debug)]
pub(super) struct Pass<T, const D: usize> {
    pub colour: u16,
    pub species: usize,
    pub bundles: Vec<Bundle<T, D>>,
}

/// Puts all segments into bundles, colour after colour and material after material.
pub(super) fn passes<T: Scalar, const D: usize>(
    ground: &Ground<'_, '_, T, D>,
    colours: &[u16],
    form: Form,
) -> Vec<Pass<T, D>> {
    let segments = &ground.stage.order.segments;
    let counts: Vec<usize> = (0..segments.len())
        .into_par_iter()
        .map(|segment| ground.occupied(segment).count())
        .collect();
    let mut sorted: Vec<usize> = (0..segments.len()).collect();
    // Lanes whose segments are of a length come to their end together.
    sorted.sort_by_key(|&segment| {
        let Segmented { colour, species } = Segmented::of(ground, colours, segment);
        (colour, species, core::cmp::Reverse(counts[segment]))
    });
    let kinds = sorted
        .chunk_by(|&a, &b| Segmented::of(ground, colours, a) == Segmented::of(ground, colours, b));
    kinds
        .map(|alike| {
            let Segmented { colour, species } = Segmented::of(ground, colours, alike[0]);
            let bundles = alike.par_chunks(T::LANES);
            Pass {
                colour,
                species,
                bundles: bundles
                    .map(|members| Bundle::new(ground, members, (counts[members[0]], form)))
                    .collect(),
            }
        })
        .collect()
}

/// What the segments of a pass have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Segmented {
    colour: u16,
    species: usize,
}

impl Segmented {
    fn of<T: Scalar, const D: usize>(
        ground: &Ground<'_, '_, T, D>,
        colours: &[u16],
        segment: usize,
    ) -> Self {
        let segment = &ground.stage.order.segments[segment];
        Self {
            colour: colours[segment.block],
            species: segment.species,
        }
    }
}

impl<T: Scalar, const D: usize> Ground<'_, '_, T, D> {
    /// Slots of a segment that hold a particle.
    fn occupied(&self, segment: usize) -> impl Iterator<Item = usize> {
        let segment = &self.stage.order.segments[segment];
        let hot = &self.particles.species[segment.species].hot;
        let slots = segment.groups.start * T::LANES..segment.groups.end * T::LANES;
        slots.filter(|&slot| hot.get(slot, Layout::<D>::V0) > T::zero())
    }
}

impl<T: Scalar, const D: usize> Bundle<T, D> {
    fn new(ground: &Ground<'_, '_, T, D>, segments: &[usize], (rows, form): (usize, Form)) -> Self {
        let order = ground.stage.order;
        let mut first = 0;
        let members: Vec<Member<D>> = segments
            .iter()
            .map(|&segment| {
                let member = Member {
                    segment,
                    block: order.segments[segment].block,
                    reached: ground.reached[segment],
                    first,
                };
                first += member.reached.nodes();
                member
            })
            .collect();
        let species = order.segments[segments[0]].species;
        let row = Row {
            hot: ground.particles.species[species].hot.width(),
            reference: match form {
                Form::Replaced => 0,
                Form::AsPrinted => Reference::<T, D>::COLUMNS,
            },
        };
        let mut bundle = Self {
            species,
            members,
            row,
            table: vec![T::zero(); rows * row.stride::<T>()],
            changes: vec![[T::zero(); 4]; first],
        };
        for (lane, &segment) in segments.iter().enumerate() {
            bundle.fill(ground, lane, segment);
        }
        bundle
    }

    /// Copies what particles are during the step into a lane.
    fn fill(&mut self, ground: &Ground<'_, '_, T, D>, lane: usize, segment: usize) {
        let geometry = ground.stage.geometry;
        let of = &ground.stage.order.segments[segment];
        let species = &ground.particles.species[of.species];
        let frame =
            TileFrame::<T, D>::new(ground.stage.order.blocks.coordinate(of.block), geometry);
        let offset = T::from_f64(geometry.kernel().base_offset());
        let side = T::from_f64(frame.side as f64);
        let last = T::from_f64((frame.side - geometry.kernel().width()) as f64);
        let columns = Reference::<T, D>::COLUMNS;
        let references = &ground.references[of.species];
        let layout = self.row;
        let rows = self.table.chunks_exact_mut(layout.stride::<T>());
        for (row, slot) in rows.zip(ground.occupied(segment)) {
            let mut put = |column: usize, x: T| row[column * T::LANES + lane] = x;
            let x = species.position(slot);
            let mut start = T::zero();
            for a in 0..D {
                let position = x[a] * frame.inv_h;
                let node = (position - offset).floor();
                let index = (node - frame.first[a]).max(T::zero()).min(last);
                start = start * side + index;
                put(Layout::<D>::X + a, position - node);
            }
            put(Layout::<D>::MASS, start);
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
