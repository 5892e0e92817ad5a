//! Volume ratio: the whole strain of a fluid.
//!
//! J = V/V⁰ is stored as its difference from rest, J − 1, which keeps its digits where it is small
//! (errata E49). It follows the whole motion of a step, J ← J det(I + B) with the increment
//! I + B of the deformation:
//!
//! J − 1 ← J − 1 + J (tr B + i₂(B) + det B).
//!
//! That is the exact change of volume of the discrete map. \[Nilles2020\] eq. (83) has the trace
//! alone, which sees nothing of a turn: I + B of a turning body is longer than a rotation, so that
//! the body grows while the J of the trace stays 1 (errata E48).

use thixo_math::{Matrix, Real};

use super::{MAX_STATE, State, Strain, positive_increment};

/// The volume ratio alone: fluids.
#[derive(Clone, Copy, Debug)]
pub struct VolumeRatio<R> {
    /// J − 1 > −1 \[–\].
    pub growth: R,
}

impl<R: Real> VolumeRatio<R> {
    /// Of a volume ratio J > 0.
    #[inline(always)]
    pub fn new(ratio: R) -> Self {
        Self {
            growth: ratio - R::one(),
        }
    }
    /// J \[–\].
    #[inline(always)]
    pub fn ratio(&self) -> R {
        R::one() + self.growth
    }
    /// Follows an increment I + B of the deformation.
    #[inline(always)]
    pub(crate) fn follow<const D: usize>(&mut self, increment: &Matrix<R, D>) {
        self.growth += self.ratio() * increment.determinant_excess();
    }
}

impl<R: Real, const D: usize> State<R, D> for VolumeRatio<R> {
    const COLUMNS: usize = 1;
    const STRAIN: Strain = Strain::VolumeRatio;

    #[inline(always)]
    fn from_deformation(f: &Matrix<R, D>) -> Self {
        Self {
            growth: (*f - Matrix::identity()).determinant_excess(),
        }
    }
    #[inline(always)]
    fn load(columns: &[R; MAX_STATE]) -> Self {
        Self { growth: columns[0] }
    }
    #[inline(always)]
    fn store(&self, columns: &mut [R; MAX_STATE]) {
        columns[0] = self.growth;
    }
    #[inline(always)]
    fn advance(&mut self, dt_grad_v: &Matrix<R, D>) {
        self.follow(&positive_increment(dt_grad_v));
    }
    #[inline(always)]
    fn volume_ratio(&self) -> R {
        self.ratio()
    }
    #[inline(always)]
    fn volume_growth(&self) -> R {
        self.growth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fluid_cannot_be_emptied() {
        let mut state = VolumeRatio::new(1.0);
        State::<f64, 2>::advance(&mut state, &Matrix::from_scalar(-0.8));
        assert!(state.ratio() > 0.0 && state.ratio() < 1.0);
    }

    #[test]
    fn a_turning_body_knows_how_much_it_grows() {
        let turn = Matrix([[0.0, -0.1], [0.1, 0.0]]);
        let mut state = VolumeRatio::new(1.0);
        let mut f = Matrix::<f64, 2>::identity();
        for _ in 0..60 {
            State::<f64, 2>::advance(&mut state, &turn);
            f = (Matrix::identity() + turn) * f;
        }
        assert!((state.ratio() / f.determinant() - 1.0).abs() < 1e-13);
        // The trace would have left it at 1.
        assert!(state.ratio() > 1.8 && turn.trace() == 0.0);
    }
}
