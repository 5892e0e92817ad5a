//! Assembly of the particle terms of E at the nodes.
//!
//! Gradients and Hessian products are one gather of increments and one scatter of matrices. Inertia
//! joins at the nodes, block by block, in the pass that sums the tiles: `finish` functions are
//! called with the nodes of every block while they are in the cache.

use thixo_par::{Scalar, dispatch};

use super::elastic_energy::{ElasticEnergy, RayleighDamping, segment_rows};
use super::energy_term::ParticleTerm;
use super::hessian_product::HessianProduct;
use crate::grid::{Field, Node, Tiles};
use crate::material::potential::{Definiteness, HessianLayout};
use crate::particles::Particles;
use crate::transfer::{
    SegmentIncrements, TransferContext, gather_apply_scatter, gather_apply_store, gather_apply_sum,
    scatter_diagonal,
};

/// Value of the particle terms.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParticleSums {
    /// Σ V⁰ψ \[J\].
    pub energy: f64,
    /// Σ V⁰|∂ψ/∂M| \[J\], by which rounding errors of strains change the energy.
    pub stress: f64,
}

impl From<[f64; 2]> for ParticleSums {
    fn from([energy, stress]: [f64; 2]) -> Self {
        Self { energy, stress }
    }
}

/// Particles with the references of their potentials: the view of a step that methods need which
/// visit particles one by one.
pub(super) struct ParticleReferences<'a, 'b, T: Scalar, const D: usize> {
    /// All particles.
    pub particles: &'a Particles<T, D>,
    /// The step.
    pub context: TransferContext<'a, T, D>,
    /// [`Reference`](crate::material::potential::Reference) of every particle, by species.
    pub references: &'b [Vec<T>],
}

/// The sum of the particle terms, with the sum of their Hessians.
pub(super) struct ParticleEnergy<'a, T: Scalar, const D: usize> {
    particles: &'a Particles<T, D>,
    tiles: &'a mut Tiles<T, 4, D>,
    context: TransferContext<'a, T, D>,
    elastic: ElasticEnergy<'a, T, D>,
    /// Terms that add to the elastic energy, such as damping.
    added: Vec<Box<dyn ParticleTerm<T, D> + 'a>>,
    /// V⁰∂²ψ/∂M² of every particle, upper triangle, by species.
    hessians: Vec<Vec<T>>,
}

impl<'a, T: Scalar, const D: usize> ParticleEnergy<'a, T, D> {
    /// The elastic energy of particles in a step; damping may follow.
    pub fn new(
        particles: &'a Particles<T, D>,
        tiles: &'a mut Tiles<T, 4, D>,
        context: TransferContext<'a, T, D>,
    ) -> Self {
        Self {
            elastic: ElasticEnergy::new(particles, context),
            particles,
            tiles,
            context,
            added: Vec::new(),
            hessians: Vec::new(),
        }
    }

    /// Particles and references.
    pub fn references(&self) -> ParticleReferences<'a, '_, T, D> {
        ParticleReferences {
            particles: self.particles,
            context: self.context,
            references: &self.elastic.references,
        }
    }

    /// Adds Rayleigh damping with coefficient k \[s\] and the Hessian at rest, projected.
    pub fn add_damping(&mut self, coefficient: f64, rest: &[Node<T>]) {
        self.linearize(rest, Definiteness::Projected);
        let factor = coefficient / self.context.step.dt;
        let hessians = core::mem::take(&mut self.hessians);
        let damping = RayleighDamping::new(self.context.step.isa, hessians, factor);
        self.added.push(Box::new(damping));
    }

    /// Energy at velocities, without assembly of the gradient.
    pub fn energy(&mut self, v: &[Node<T>]) -> ParticleSums {
        let (elastic, added) = (&self.elastic, &self.added[..]);
        let apply = |at: SegmentIncrements<'_, T, D>, out: &mut [T]| {
            segment_gradient(elastic, added, &at, out)
        };
        gather_apply_sum(v, self.particles, self.tiles, &self.context, apply).into()
    }

    /// Writes the gradient Δt Σ_p V⁰G∇w at velocities, or at rest without them, to the nodes.
    /// `finish` may change the nodes of a block, given the index of the first; its values are
    /// returned in the order of blocks.
    pub fn gradient<R: Send>(
        &mut self,
        v: Option<&[Node<T>]>,
        gradient: &mut Field<T, 4>,
        finish: impl Fn(&mut [Node<T>], usize) -> R + Sync,
    ) -> (ParticleSums, Vec<R>) {
        let (elastic, added) = (&self.elastic, &self.added[..]);
        let apply = |at: SegmentIncrements<'_, T, D>, out: &mut [T]| {
            segment_gradient(elastic, added, &at, out)
        };
        let sums = gather_apply_scatter(v, self.particles, self.tiles, &self.context, apply);
        let order = self.context.step.order;
        let n = order.blocks.nodes_per_block();
        let values = gradient.pull_then(order, self.tiles, |block, nodes| finish(nodes, block * n));
        (sums.into(), values)
    }

    /// Stores the Hessians at velocities for products and the diagonal.
    pub fn linearize(&mut self, v: &[Node<T>], definiteness: Definiteness) {
        let columns = HessianLayout::<D>::COLUMNS;
        let species = self.particles.species.iter();
        self.hessians
            .resize(self.particles.species.len(), Vec::new());
        for (table, species) in self.hessians.iter_mut().zip(species) {
            table.resize(species.hot.groups() * columns * T::LANES, T::zero());
        }
        let (elastic, added) = (&self.elastic, &self.added[..]);
        let tables = (&mut self.hessians[..], columns);
        let apply = |at: SegmentIncrements<'_, T, D>, out: &mut [T]| {
            elastic.hessian(&at, definiteness, out);
            for term in added {
                term.hessian(&at, definiteness, out);
            }
        };
        gather_apply_store(v, self.particles, self.tiles, &self.context, tables, apply);
    }

    /// out ← Δt²K x with the stored Hessians; `finish` as for [`gradient`](Self::gradient).
    pub fn product(
        &mut self,
        x: &[Node<T>],
        out: &mut [Node<T>],
        finish: impl Fn(&mut [Node<T>], usize) -> f64 + Sync,
    ) -> Vec<f64> {
        let (isa, hessians) = (self.context.step.isa, &self.hessians);
        let apply = |at: SegmentIncrements<'_, T, D>, out: &mut [T]| {
            let product = HessianProduct::<T, D> {
                hessians: segment_rows(hessians, at.segment, HessianLayout::<D>::COLUMNS),
                increments: at.increments,
                products: out,
            };
            dispatch(isa, product);
            [0.0; 2]
        };
        gather_apply_scatter(Some(x), self.particles, self.tiles, &self.context, apply);
        let order = self.context.step.order;
        let n = order.blocks.nodes_per_block();
        self.tiles
            .pull(order, out, |block, nodes| finish(nodes, block * n))
    }

    /// Writes the diagonal of Δt²K, without negative entries of the stored Hessians \[kg\].
    pub fn diagonal(&mut self, diagonal: &mut Field<T, 4>) {
        let hessians = &self.hessians;
        scatter_diagonal(self.particles, self.tiles, &self.context, |segment, out| {
            let table = segment_rows(hessians, segment, HessianLayout::<D>::COLUMNS);
            let groups = table
                .chunks_exact(HessianLayout::<D>::COLUMNS * T::LANES)
                .zip(out.chunks_exact_mut(D * D * T::LANES));
            for (hessian, out) in groups {
                for row in 0..D * D {
                    let column = diagonal_column::<D>(row);
                    for lane in 0..T::LANES {
                        let h = hessian[column * T::LANES + lane];
                        out[row * T::LANES + lane] = h.max(T::zero());
                    }
                }
            }
        });
        diagonal.pull(self.context.step.order, self.tiles);
    }
}

/// Gradient of all particle terms in a segment; returns the sums of energy and stress \[J\].
fn segment_gradient<T: Scalar, const D: usize>(
    elastic: &ElasticEnergy<'_, T, D>,
    added: &[Box<dyn ParticleTerm<T, D> + '_>],
    at: &SegmentIncrements<'_, T, D>,
    out: &mut [T],
) -> [f64; 2] {
    let mut energy = elastic.gradient(at, out);
    for term in added {
        energy += term.gradient(at, out);
    }
    let stress = out.iter().map(|x| x.abs().to_f64()).sum();
    [energy, stress]
}

/// Column of a diagonal entry in the upper triangle of a Hessian.
fn diagonal_column<const D: usize>(row: usize) -> usize {
    row * HessianLayout::<D>::ROWS - row * row.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagonal_entries_are_found_in_the_triangle() {
        fn check<const D: usize>() {
            let mut column = 0;
            for k in 0..D * D {
                for l in k..D * D {
                    if k == l {
                        assert_eq!(diagonal_column::<D>(k), column);
                    }
                    column += 1;
                }
            }
            assert_eq!(column, HessianLayout::<D>::COLUMNS);
        }
        check::<2>();
        check::<3>();
    }
}
