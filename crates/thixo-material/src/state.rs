//! Strain states of particles and their evolution with the flow, equation (11).

use thixo_math::{Matrix, Real};

use super::Strain;

/// Largest number of columns of a state.
pub const MAX_STATE: usize = 12;

/// Stored deformation of a particle.
pub trait State<R: Real, const D: usize>: Copy {
    /// Columns it needs, at most [`MAX_STATE`].
    const COLUMNS: usize;
    /// Strain measure in its first columns; history variables may follow.
    const STRAIN: Strain;
    /// The state after a deformation F from rest.
    fn from_deformation(f: &Matrix<R, D>) -> Self;
    /// Reads the columns.
    fn load(columns: &[R; MAX_STATE]) -> Self;
    /// Writes the columns.
    fn store(&self, columns: &mut [R; MAX_STATE]);
    /// Follows the flow for Δt∇v, keeping volumes positive.
    fn advance(&mut self, dt_grad_v: &Matrix<R, D>);
    /// Volume ratio J = V/V⁰ \[–\].
    fn volume_ratio(&self) -> R;
    /// J − 1 \[–\], with all digits where it is small.
    fn volume_growth(&self) -> R;
}

/// An elastic state with `N` history variables, such as plastic strain; they start at zero unless
/// the model says otherwise.
#[derive(Clone, Copy, Debug)]
pub struct WithHistory<S, R, const N: usize> {
    /// The elastic part.
    pub elastic: S,
    /// History variables of the model.
    pub history: [R; N],
}

impl<S: State<R, D>, R: Real, const N: usize, const D: usize> State<R, D> for WithHistory<S, R, N> {
    const COLUMNS: usize = S::COLUMNS + N;
    const STRAIN: Strain = S::STRAIN;

    #[inline(always)]
    fn from_deformation(f: &Matrix<R, D>) -> Self {
        Self {
            elastic: S::from_deformation(f),
            history: [R::zero(); N],
        }
    }
    #[inline(always)]
    fn load(columns: &[R; MAX_STATE]) -> Self {
        let mut history = [R::zero(); N];
        history.copy_from_slice(&columns[S::COLUMNS..S::COLUMNS + N]);
        Self {
            elastic: S::load(columns),
            history,
        }
    }
    #[inline(always)]
    fn store(&self, columns: &mut [R; MAX_STATE]) {
        self.elastic.store(columns);
        columns[S::COLUMNS..S::COLUMNS + N].copy_from_slice(&self.history);
    }
    #[inline(always)]
    fn advance(&mut self, dt_grad_v: &Matrix<R, D>) {
        self.elastic.advance(dt_grad_v);
    }
    #[inline(always)]
    fn volume_ratio(&self) -> R {
        self.elastic.volume_ratio()
    }
    #[inline(always)]
    fn volume_growth(&self) -> R {
        self.elastic.volume_growth()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FingerStrain;

    #[test]
    fn history_is_stored_behind_the_elastic_state() {
        type S = WithHistory<FingerStrain<f64, 2>, f64, 2>;
        let state = S {
            elastic: FingerStrain(Matrix([[1.0, 2.0], [2.0, 3.0]])),
            history: [4.0, 5.0],
        };
        let mut columns = [0.0; MAX_STATE];
        State::<f64, 2>::store(&state, &mut columns);
        assert_eq!(columns[..5], [1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(<S as State<f64, 2>>::load(&columns).history, [4.0, 5.0]);
    }
}
