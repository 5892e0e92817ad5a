//! Strain states of particles and their evolution with the flow, equation (11).

use thixo_math::{Mask, Matrix, Real, Vector};

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
}

/// The deformation gradient F itself: solids.
impl<R: Real, const D: usize> State<R, D> for Matrix<R, D> {
    const COLUMNS: usize = D * D;
    const STRAIN: Strain = Strain::DeformationGradient;

    #[inline(always)]
    fn from_deformation(f: &Matrix<R, D>) -> Self {
        *f
    }
    #[inline(always)]
    fn load(columns: &[R; MAX_STATE]) -> Self {
        let mut f = Self::zero();
        for i in 0..D {
            for j in 0..D {
                f[i][j] = columns[i * D + j];
            }
        }
        f
    }
    #[inline(always)]
    fn store(&self, columns: &mut [R; MAX_STATE]) {
        for i in 0..D {
            for j in 0..D {
                columns[i * D + j] = self[i][j];
            }
        }
    }
    #[inline(always)]
    fn advance(&mut self, dt_grad_v: &Matrix<R, D>) {
        *self = positive_increment(dt_grad_v) * *self;
    }
    #[inline(always)]
    fn volume_ratio(&self) -> R {
        self.determinant()
    }
}

/// The volume ratio J alone: fluids.
#[derive(Clone, Copy, Debug)]
pub struct VolumeRatio<R>(pub R);

impl<R: Real, const D: usize> State<R, D> for VolumeRatio<R> {
    const COLUMNS: usize = 1;
    const STRAIN: Strain = Strain::VolumeRatio;

    #[inline(always)]
    fn from_deformation(f: &Matrix<R, D>) -> Self {
        Self(f.determinant())
    }
    #[inline(always)]
    fn load(columns: &[R; MAX_STATE]) -> Self {
        Self(columns[0])
    }
    #[inline(always)]
    fn store(&self, columns: &mut [R; MAX_STATE]) {
        columns[0] = self.0;
    }
    /// J ← (1 + Δt ∇·v) J, \[Nilles2020\] eq. (83), in as many parts as keep the factor
    /// positive (errata E32).
    #[inline(always)]
    fn advance(&mut self, dt_grad_v: &Matrix<R, D>) {
        let divergence = Matrix([[dt_grad_v.trace()]]);
        self.0 *= positive_increment(&divergence)[0][0];
    }
    #[inline(always)]
    fn volume_ratio(&self) -> R {
        self.0
    }
}

/// The elastic left Cauchy-Green tensor b = F Fᵀ: plastic matter, whose rotation is not stored.
#[derive(Clone, Copy, Debug)]
pub struct LeftCauchyGreen<R, const D: usize>(pub Matrix<R, D>);

impl<R: Real, const D: usize> State<R, D> for LeftCauchyGreen<R, D> {
    const COLUMNS: usize = D * (D + 1) / 2;
    const STRAIN: Strain = Strain::LeftCauchyGreen;

    #[inline(always)]
    fn from_deformation(f: &Matrix<R, D>) -> Self {
        Self(f.times_own_transpose())
    }
    #[inline(always)]
    fn load(columns: &[R; MAX_STATE]) -> Self {
        let mut b = Matrix::zero();
        let mut column = 0;
        for i in 0..D {
            for j in i..D {
                b[i][j] = columns[column];
                b[j][i] = columns[column];
                column += 1;
            }
        }
        Self(b)
    }
    #[inline(always)]
    fn store(&self, columns: &mut [R; MAX_STATE]) {
        let mut column = 0;
        for i in 0..D {
            for j in i..D {
                columns[column] = self.0[i][j];
                column += 1;
            }
        }
    }
    /// b ← R b Rᵀ with the increment R of F.
    #[inline(always)]
    fn advance(&mut self, dt_grad_v: &Matrix<R, D>) {
        let increment = positive_increment(dt_grad_v);
        let half = increment * self.0;
        for i in 0..D {
            for j in i..D {
                let entry = Vector(half[i]).dot(Vector(increment[j]));
                self.0[i][j] = entry;
                self.0[j][i] = entry;
            }
        }
    }
    #[inline(always)]
    fn volume_ratio(&self) -> R {
        self.0.determinant().sqrt()
    }
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
}

/// Halvings after which an increment is given up on; ‖M‖ would exceed 2⁶³.
const MAX_HALVINGS: usize = 64;

/// R(M): I + M where ‖M‖ ≤ ½, else R(M/2)². Its determinant is positive for every finite M,
/// which that of I + M is not. \[Jiang2015thesis\] §6.4.9, errata E32.
#[inline(always)]
pub fn positive_increment<R: Real, const D: usize>(m: &Matrix<R, D>) -> Matrix<R, D> {
    let quarter = R::splat(0.25);
    let norm_squared = m.norm_squared();
    if !norm_squared.gt(quarter).any() {
        return Matrix::identity() + *m;
    }
    halved_increment(m, norm_squared)
}

/// The rare case of [`positive_increment`], each lane halved as often as it needs.
#[inline(always)]
fn halved_increment<R: Real, const D: usize>(m: &Matrix<R, D>, norm_squared: R) -> Matrix<R, D> {
    let (half, quarter) = (R::splat(0.5), R::splat(0.25));
    let mut scale = R::one();
    let mut halvings = R::zero();
    let mut rest = norm_squared;
    for _ in 0..MAX_HALVINGS {
        let large = rest.gt(quarter);
        if !large.any() {
            break;
        }
        scale = R::select(large, scale * half, scale);
        rest = R::select(large, rest * quarter, rest);
        halvings = R::select(large, halvings + R::one(), halvings);
    }
    let mut out = Matrix::identity() + *m * scale;
    for k in 0..MAX_HALVINGS {
        let again = R::splat(k as f64).lt(halvings);
        if !again.any() {
            break;
        }
        out = Matrix::select(again, out * out, out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_increments_are_linear() {
        let m = Matrix([[0.1, 0.2], [-0.1, 0.05]]);
        assert_eq!(positive_increment(&m), Matrix::identity() + m);
    }

    #[test]
    fn a_double_inversion_is_not_accepted() {
        let m = Matrix::<f64, 2>::from_scalar(-2.0);
        let r = positive_increment(&m);
        assert!(r.determinant() > 0.0);
        assert!(
            r[0][0] > 0.0 && r[0][0] < 1.0,
            "compression stays compression: {r:?}"
        );
    }

    #[test]
    fn determinants_stay_positive_where_those_of_the_linear_increment_do_not() {
        let mut state = 1u64;
        let mut next = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        let mut negative = 0;
        for k in 0..2000 {
            // Beyond norms of about 6 the determinant itself is lost to rounding in the
            // repeated squares.
            let size = 2.0 * f64::from(k % 40) / 40.0;
            let mut m = Matrix::<f64, 3>::zero();
            for i in 0..3 {
                for j in 0..3 {
                    m[i][j] = size * next();
                }
            }
            negative += usize::from((Matrix::identity() + m).determinant() <= 0.0);
            assert!(positive_increment(&m).determinant() > 0.0, "{m:?}");
        }
        assert!(
            negative > 100,
            "the linear increment inverts in {negative} cases"
        );
    }

    #[test]
    fn the_left_cauchy_green_tensor_follows_the_deformation_gradient() {
        let mut f = Matrix([[1.1, 0.2, 0.0], [-0.1, 0.9, 0.3], [0.05, 0.0, 1.2]]);
        let mut b = <LeftCauchyGreen<f64, 3> as State<f64, 3>>::from_deformation(&f);
        for step in 0..20 {
            // The last increments are large enough to be halved.
            let size = if step < 18 { 0.01 } else { 0.6 };
            let m = Matrix([[size, 0.1, 0.02], [0.0, -size, 0.1], [0.03, 0.0, -0.1]]);
            State::<f64, 3>::advance(&mut f, &m);
            b.advance(&m);
        }
        let error = (b.0 - f.times_own_transpose()).norm_squared().sqrt();
        assert!(error < 1e-12 * b.0.norm_squared().sqrt());
        assert!((b.volume_ratio() / f.volume_ratio() - 1.0).abs() < 1e-10);
    }

    #[test]
    fn history_is_stored_behind_the_elastic_state() {
        type S = WithHistory<LeftCauchyGreen<f64, 2>, f64, 2>;
        let state = S {
            elastic: LeftCauchyGreen(Matrix([[1.0, 2.0], [2.0, 3.0]])),
            history: [4.0, 5.0],
        };
        let mut columns = [0.0; MAX_STATE];
        State::<f64, 2>::store(&state, &mut columns);
        assert_eq!(columns[..5], [1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(<S as State<f64, 2>>::load(&columns).history, [4.0, 5.0]);
    }

    #[test]
    fn a_fluid_cannot_be_emptied() {
        let mut j = VolumeRatio(1.0);
        State::<f64, 2>::advance(&mut j, &Matrix::from_scalar(-0.8));
        assert!(j.0 > 0.0 && j.0 < 1.0);
    }
}
