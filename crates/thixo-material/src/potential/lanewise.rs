//! Evaluation of potentials over many particles, a SIMD register at a time.

use thixo_math::{Lanes, Matrix};
use thixo_par::{Isa, Kernel, Scalar, dispatch};

use super::barrier::{add_barrier, add_barrier_hessian};
use super::{Definiteness, MAX_POTENTIAL_PARAMETERS, Potential, Reference, StepEnergy};
use crate::Layout;

/// The derivative of ψ to be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivative {
    /// Energy and gradient.
    Gradient,
    /// Energy and gradient, with the energy of every particle in a column after the gradient.
    GradientAndEnergy,
    /// Hessian alone.
    Hessian(Definiteness),
}

/// Storage of a Hessian ∂²ψ/∂M²: its upper triangle, row by row.
#[derive(Clone, Copy, Debug)]
pub struct HessianLayout<const D: usize>;

impl<const D: usize> HessianLayout<D> {
    /// Rows of the Hessian.
    pub const ROWS: usize = D * D;
    /// Entries of its upper triangle.
    pub const COLUMNS: usize = Self::ROWS * (Self::ROWS + 1) / 2;
}

/// Groups of particles of one material with their increments.
#[derive(Debug)]
pub struct IncrementBatch<'a, T> {
    /// Hot columns, which have the rest volumes.
    pub hot: &'a [T],
    /// Numbers per group in `hot`.
    pub hot_stride: usize,
    /// [`Reference`] of every particle.
    pub reference: &'a [T],
    /// Increments M, D² columns.
    pub increment: &'a [T],
    /// Output, times V⁰ \[J\]: the gradient (D² columns, one more for V⁰ψ with
    /// [`Derivative::GradientAndEnergy`]) or the Hessian ([`HessianLayout::COLUMNS`]).
    pub out: &'a mut [T],
}

/// Evaluates a potential; returns the sum of the energies \[J\], zero for Hessians.
pub(crate) fn evaluate<P: Potential, T: Scalar, const D: usize>(
    potential: &P,
    isa: Isa,
    derivative: Derivative,
    batch: IncrementBatch<'_, T>,
) -> f64 {
    let gradient = |batch, columns| GradientKernel::<P, T, D> {
        potential,
        batch,
        columns,
    };
    match derivative {
        Derivative::Gradient => dispatch(isa, gradient(batch, D * D)),
        Derivative::GradientAndEnergy => dispatch(isa, gradient(batch, D * D + 1)),
        Derivative::Hessian(definiteness) => {
            let kernel = HessianKernel::<P, T, D> {
                potential,
                batch,
                definiteness,
            };
            dispatch(isa, kernel);
            0.0
        }
    }
}

/// Energies and gradients of groups of particles.
struct GradientKernel<'a, P, T, const D: usize> {
    potential: &'a P,
    batch: IncrementBatch<'a, T>,
    /// Columns of the output: D², and one more with the energy of every particle.
    columns: usize,
}

/// Hessians of groups of particles.
struct HessianKernel<'a, P, T, const D: usize> {
    potential: &'a P,
    batch: IncrementBatch<'a, T>,
    definiteness: Definiteness,
}

impl<P: Potential, T: Scalar, const D: usize> Kernel<T> for GradientKernel<'_, P, T, D> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) -> f64 {
        let IncrementBatch {
            hot,
            hot_stride,
            reference,
            increment,
            out,
        } = self.batch;
        let square = D * D * L::LANES;
        let groups = hot
            .chunks_exact(hot_stride)
            .zip(reference.chunks_exact(Reference::<L, D>::COLUMNS * L::LANES))
            .zip(increment.chunks_exact(square))
            .zip(out.chunks_exact_mut(self.columns * L::LANES));
        let mut total = 0.0;
        for (((hot, reference), increment), out) in groups {
            let volume = L::load(&hot[Layout::<D>::V0 * L::LANES..]);
            let Reference { strain, parameters } = load_reference::<L, D>(reference);
            let energy = self.potential.energy(&parameters);
            let increment = load_matrix::<L, D>(increment);
            let mut psi = energy.gradient(&strain, &increment);
            add_barrier(load_inertia::<L, D>(reference), &increment, &mut psi);
            // Empty lanes have no volume; zero times an infinite energy would be NaN.
            let has_volume = volume.gt(L::zero());
            let energy = L::select(has_volume, volume * psi.energy, L::zero());
            for i in 0..D {
                for j in 0..D {
                    let g = L::select(has_volume, volume * psi.gradient[i][j], L::zero());
                    g.store(&mut out[(i * D + j) * L::LANES..]);
                }
            }
            if self.columns > D * D {
                energy.store(&mut out[square..]);
            }
            let mut lanes = [T::zero(); thixo_par::MAX_LANES];
            energy.store(&mut lanes);
            for lane in 0..L::LANES {
                total += lanes[lane].to_f64();
            }
        }
        total
    }
}

impl<P: Potential, T: Scalar, const D: usize> Kernel<T> for HessianKernel<'_, P, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let IncrementBatch {
            hot,
            hot_stride,
            reference,
            increment,
            out,
        } = self.batch;
        let groups = hot
            .chunks_exact(hot_stride)
            .zip(reference.chunks_exact(Reference::<L, D>::COLUMNS * L::LANES))
            .zip(increment.chunks_exact(D * D * L::LANES))
            .zip(out.chunks_exact_mut(HessianLayout::<D>::COLUMNS * L::LANES));
        for (((hot, reference), increment), out) in groups {
            let volume = L::load(&hot[Layout::<D>::V0 * L::LANES..]);
            let has_volume = volume.gt(L::zero());
            let Reference { strain, parameters } = load_reference::<L, D>(reference);
            let energy = self.potential.energy(&parameters);
            let increment = load_matrix::<L, D>(increment);
            let mut hessian = energy.hessian(&strain, &increment, self.definiteness);
            let inertia = load_inertia::<L, D>(reference);
            add_barrier_hessian(inertia, &increment, self.definiteness, &mut hessian);
            let mut column = 0;
            for k in 0..D * D {
                for l in k..D * D {
                    let h = L::select(has_volume, volume * hessian[k][l], L::zero());
                    h.store(&mut out[column * L::LANES..]);
                    column += 1;
                }
            }
        }
    }
}

#[inline(always)]
fn load_matrix<L: Lanes, const D: usize>(from: &[L::Scalar]) -> Matrix<L, D> {
    let mut out = Matrix::zero();
    for i in 0..D {
        for j in 0..D {
            out[i][j] = L::load(&from[(i * D + j) * L::LANES..]);
        }
    }
    out
}

/// The modulus of inertia ρ₀h²/Δt² \[Pa\], the last column of a reference.
#[inline(always)]
fn load_inertia<L: Lanes, const D: usize>(from: &[L::Scalar]) -> L {
    L::load(&from[(Reference::<L, D>::COLUMNS - 1) * L::LANES..])
}

#[inline(always)]
fn load_reference<L: Lanes, const D: usize>(from: &[L::Scalar]) -> Reference<L, D> {
    let mut strain = Matrix::zero();
    let mut column = 0;
    for i in 0..D {
        for j in i..D {
            strain[i][j] = L::load(&from[column * L::LANES..]);
            strain[j][i] = strain[i][j];
            column += 1;
        }
    }
    let mut parameters = [L::zero(); MAX_POTENTIAL_PARAMETERS];
    for (k, parameter) in parameters.iter_mut().enumerate() {
        *parameter = L::load(&from[(column + k) * L::LANES..]);
    }
    Reference { strain, parameters }
}
