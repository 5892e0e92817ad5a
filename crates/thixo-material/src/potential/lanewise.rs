//! Potentials over many particles, a register at a time.

use thixo_math::{Lanes, Matrix};
use thixo_par::{Isa, Kernel, Scalar, dispatch};

use super::squeeze::{add_squeeze, add_squeeze_curvature};
use super::{Definiteness, MAX_POTENTIAL_PARAMETERS, Potential, Reference, StepEnergy};
use crate::Layout;

/// What is asked of a potential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Energy and slope.
    Slope,
    /// Energy and slope, and the energy of every particle in a column after the slopes.
    SlopeAndEnergy,
    /// Curvature alone.
    Curvature(Definiteness),
}

/// Columns of the upper triangle of a curvature.
#[derive(Clone, Copy, Debug)]
pub struct Curvatures<const D: usize>;

impl<const D: usize> Curvatures<D> {
    /// Rows of a curvature.
    pub const ROWS: usize = D * D;
    /// Numbers of its upper triangle.
    pub const COLUMNS: usize = Self::ROWS * (Self::ROWS + 1) / 2;
}

/// Groups of particles of one material during a step.
#[derive(Debug)]
pub struct IncrementBatch<'a, T> {
    /// Hot columns, for the rest volumes.
    pub hot: &'a [T],
    /// Numbers per group in `hot`.
    pub hot_stride: usize,
    /// [`Reference`] of every particle.
    pub reference: &'a [T],
    /// Increments M, D² columns.
    pub increment: &'a [T],
    /// Room for V⁰ times the slope (D² columns, one more for V⁰ψ where it is wanted), or the curvature ([`Curvatures::COLUMNS`]) \[J\].
    pub out: &'a mut [T],
}

/// Asks a potential; returns the sum of the energies \[J\], zero where curvatures are wanted.
pub(crate) fn evaluate<P: Potential, T: Scalar, const D: usize>(
    potential: &P,
    isa: Isa,
    wanted: Wanted,
    batch: IncrementBatch<'_, T>,
) -> f64 {
    let slope = |batch, columns| SlopeOf::<P, T, D> {
        potential,
        batch,
        columns,
    };
    match wanted {
        Wanted::Slope => dispatch(isa, slope(batch, D * D)),
        Wanted::SlopeAndEnergy => dispatch(isa, slope(batch, D * D + 1)),
        Wanted::Curvature(definiteness) => {
            let kernel = CurvatureOf::<P, T, D> {
                potential,
                batch,
                definiteness,
            };
            dispatch(isa, kernel);
            0.0
        }
    }
}

struct SlopeOf<'a, P, T, const D: usize> {
    potential: &'a P,
    batch: IncrementBatch<'a, T>,
    /// Of what is returned: D², and one more where every particle's energy is wanted.
    columns: usize,
}

struct CurvatureOf<'a, P, T, const D: usize> {
    potential: &'a P,
    batch: IncrementBatch<'a, T>,
    definiteness: Definiteness,
}

impl<P: Potential, T: Scalar, const D: usize> Kernel<T> for SlopeOf<'_, P, T, D> {
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
            let mut slope = energy.slope(&strain, &increment);
            add_squeeze(load_inertia::<L, D>(reference), &increment, &mut slope);
            // Lanes without a particle have no volume; zero times an infinite energy would be no number.
            let has_volume = volume.gt(L::zero());
            let energy = L::select(has_volume, volume * slope.energy, L::zero());
            for i in 0..D {
                for j in 0..D {
                    let g = L::select(has_volume, volume * slope.gradient[i][j], L::zero());
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

impl<P: Potential, T: Scalar, const D: usize> Kernel<T> for CurvatureOf<'_, P, T, D> {
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
            .zip(out.chunks_exact_mut(Curvatures::<D>::COLUMNS * L::LANES));
        for (((hot, reference), increment), out) in groups {
            let volume = L::load(&hot[Layout::<D>::V0 * L::LANES..]);
            let has_volume = volume.gt(L::zero());
            let Reference { strain, parameters } = load_reference::<L, D>(reference);
            let energy = self.potential.energy(&parameters);
            let increment = load_matrix::<L, D>(increment);
            let mut curvature = energy.curvature(&strain, &increment, self.definiteness);
            let inertia = load_inertia::<L, D>(reference);
            add_squeeze_curvature(inertia, &increment, self.definiteness, &mut curvature);
            let mut column = 0;
            for k in 0..D * D {
                for l in k..D * D {
                    let h = L::select(has_volume, volume * curvature[k][l], L::zero());
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

/// The last column of a reference.
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
