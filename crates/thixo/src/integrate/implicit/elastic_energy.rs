//! The terms of E that depend on the increments of particles: elastic energy and Rayleigh damping.

use rayon::prelude::*;
use thixo_par::{Isa, Scalar, dispatch};

use super::energy_term::ParticleTerm;
use super::hessian_product::HessianProduct;
use super::norms::CHUNK;
use crate::grid::Segment;
use crate::material::potential::{
    Definiteness, Derivative, HessianLayout, IncrementBatch, Reference,
};
use crate::particles::Particles;
use crate::transfer::{SegmentIncrements, TransferContext};

/// Σ_p V⁰ψ(M), the energy of the materials.
pub(in crate::integrate) struct ElasticEnergy<'a, T: Scalar, const D: usize> {
    context: TransferContext<'a, T, D>,
    /// [`Reference`] of every particle, by species.
    pub references: Vec<Vec<T>>,
}

impl<'a, T: Scalar, const D: usize> ElasticEnergy<'a, T, D> {
    /// Writes the references of all particles.
    pub fn new(particles: &Particles<T, D>, context: TransferContext<'a, T, D>) -> Self {
        let dt = T::from_f64(context.step.dt);
        let h = T::from_f64(context.step.geometry.spacing());
        let species = particles.species.iter().zip(context.materials);
        let references = species
            .map(|(species, material)| {
                let columns = Reference::<T, D>::COLUMNS * T::LANES;
                let stride = species.hot.stride();
                let mut reference = vec![T::zero(); species.hot.groups() * columns];
                let chunks = reference.par_chunks_mut(columns * CHUNK);
                chunks
                    .zip(species.hot.data().par_chunks(stride * CHUNK))
                    .for_each(|(out, hot)| material.write_reference(hot, stride, out, dt, h));
                reference
            })
            .collect();
        Self {
            context,
            references,
        }
    }

    fn evaluate(
        &self,
        at: &SegmentIncrements<'_, T, D>,
        derivative: Derivative,
        out: &mut [T],
    ) -> f64 {
        let batch = IncrementBatch {
            hot: at.hot,
            hot_stride: at.hot_stride,
            reference: segment_rows(&self.references, at.segment, Reference::<T, D>::COLUMNS),
            increment: at.increments,
            out,
        };
        let material = &self.context.materials[at.segment.species];
        material.energy_derivative(self.context.step.isa, derivative, batch)
    }
}

impl<T: Scalar, const D: usize> ParticleTerm<T, D> for ElasticEnergy<'_, T, D> {
    fn gradient(&self, at: &SegmentIncrements<'_, T, D>, out: &mut [T]) -> f64 {
        self.evaluate(at, Derivative::Gradient, out)
    }
    fn hessian(&self, at: &SegmentIncrements<'_, T, D>, definiteness: Definiteness, out: &mut [T]) {
        self.evaluate(at, Derivative::Hessian(definiteness), out);
    }
}

/// Lagged Rayleigh damping Σ_p ½ M : (k/Δt) Hⁿ : M with the Hessian Hⁿ of the elastic energy at the
/// beginning of the step. \[Gast2015\] §4.2.
pub(super) struct RayleighDamping<T> {
    isa: Isa,
    /// (k/Δt) V⁰Hⁿ of every particle, upper triangle, by species.
    hessians: Vec<Vec<T>>,
}

impl<T: Scalar> RayleighDamping<T> {
    /// Damping with Hessians V⁰Hⁿ, times a factor k/Δt.
    pub fn new(isa: Isa, mut hessians: Vec<Vec<T>>, factor: f64) -> Self {
        let factor = T::from_f64(factor);
        for table in &mut hessians {
            table.par_iter_mut().for_each(|x| *x *= factor);
        }
        Self { isa, hessians }
    }
}

impl<T: Scalar, const D: usize> ParticleTerm<T, D> for RayleighDamping<T> {
    fn gradient(&self, at: &SegmentIncrements<'_, T, D>, out: &mut [T]) -> f64 {
        let mut own = vec![T::zero(); out.len()];
        let product = HessianProduct::<T, D> {
            hessians: segment_rows(&self.hessians, at.segment, HessianLayout::<D>::COLUMNS),
            increments: at.increments,
            products: &mut own,
        };
        dispatch(self.isa, product);
        let mut twice = 0.0;
        for ((out, own), increment) in out.iter_mut().zip(&own).zip(at.increments) {
            *out += *own;
            twice += (*own * *increment).to_f64();
        }
        0.5 * twice
    }
    /// Constant, and positive semi-definite as Hⁿ is projected.
    fn hessian(&self, at: &SegmentIncrements<'_, T, D>, _: Definiteness, out: &mut [T]) {
        let own = segment_rows(&self.hessians, at.segment, HessianLayout::<D>::COLUMNS);
        for (out, own) in out.iter_mut().zip(own) {
            *out += *own;
        }
    }
}

/// The rows of a segment in tables by species.
pub(in crate::integrate) fn segment_rows<'b, T: Scalar, const D: usize>(
    tables: &'b [Vec<T>],
    segment: &Segment<D>,
    columns: usize,
) -> &'b [T] {
    let stride = columns * T::LANES;
    &tables[segment.species][segment.groups.start * stride..segment.groups.end * stride]
}
