//! Isotropic matter in its principal axes: stress and strain share them, so that a law is a
//! function of stretches.
//!
//! τ = Σ τ_i n_i n_iᵀ with the principal Kirchhoff stresses τ_i = σ_i ∂ψ/∂σ_i, stretches σ_i
//! and axes n_i of b = F Fᵀ. \[Jiang2016\] §6.3.

use thixo_math::{Matrix, Real, Vector, svd, symmetric_eigen};

use super::MAX_PARAMETERS;

/// Stretches and their axes in space.
#[derive(Clone, Copy, Debug)]
pub struct Principal<R, const D: usize> {
    /// Stretches σ_i \[–\], the sign of det F on the last (errata E6).
    pub stretches: Vector<R, D>,
    /// Axes n_i as columns.
    pub axes: Matrix<R, D>,
}

impl<R: Real, const D: usize> Principal<R, D> {
    /// Of a deformation gradient; serves inverted states too.
    #[inline(always)]
    pub fn of_deformation(f: &Matrix<R, D>) -> Self {
        let parts = svd(f);
        Self {
            stretches: parts.sigma,
            axes: parts.u,
        }
    }
    /// Of a left Cauchy-Green tensor, which must be positive definite.
    #[inline(always)]
    pub fn of_left_cauchy_green(b: &Matrix<R, D>) -> Self {
        let parts = symmetric_eigen(b);
        let mut stretches = parts.values;
        for i in 0..D {
            // Rounding may leave a strongly flattened state with a negative eigenvalue.
            // NaN stays NaN: `max` keeps its second operand then.
            stretches[i] = R::splat(R::MIN_POSITIVE).max(stretches[i]).sqrt();
        }
        Self {
            stretches,
            axes: parts.vectors,
        }
    }
    /// Hencky strain ln σ_i.
    #[inline(always)]
    pub fn hencky(&self) -> Vector<R, D> {
        let mut strain = self.stretches;
        for i in 0..D {
            strain[i] = strain[i].ln();
        }
        strain
    }
    /// Σ values_i n_i n_iᵀ, exactly symmetric.
    #[inline(always)]
    pub fn compose(&self, values: &Vector<R, D>) -> Matrix<R, D> {
        let mut out = Matrix::zero();
        for i in 0..D {
            for j in i..D {
                let mut sum = self.axes[i][0] * self.axes[j][0] * values[0];
                for k in 1..D {
                    sum = (self.axes[i][k] * self.axes[j][k]).mul_add(values[k], sum);
                }
                out[i][j] = sum;
                out[j][i] = sum;
            }
        }
        out
    }
}

/// Bounds and invariants of the stretches, found without a decomposition, from which the
/// stiffness is bounded.
#[derive(Clone, Copy, Debug)]
pub struct StretchBounds<R> {
    /// Lower bound of all |σ_i| \[–\].
    pub lowest: R,
    /// Upper bound of all |σ_i| \[–\].
    pub highest: R,
    /// Volume ratio J = Π σ_i \[–\].
    pub volume_ratio: R,
    /// tr b = Σ σ_i² \[–\].
    pub sum_of_squares: R,
}

impl<R: Real> StretchBounds<R> {
    /// Of matter at rest.
    #[inline(always)]
    pub fn at_rest<const D: usize>() -> Self {
        Self {
            lowest: R::one(),
            highest: R::one(),
            volume_ratio: R::one(),
            sum_of_squares: R::splat(D as f64),
        }
    }
    /// Of known stretches.
    #[inline(always)]
    pub fn of_stretches<const D: usize>(stretches: &Vector<R, D>) -> Self {
        let mut lowest = stretches[0].abs();
        let mut highest = lowest;
        for i in 1..D {
            lowest = stretches[i].abs().min(lowest);
            highest = stretches[i].abs().max(highest);
        }
        Self {
            lowest,
            highest,
            volume_ratio: product(stretches),
            sum_of_squares: stretches.norm_squared(),
        }
    }
    /// Of b = F Fᵀ and J = det F.
    ///
    /// Eigenvalues of b are within √((d−1)/d) |dev b| of their mean, which in 2D is where they are;
    /// the smallest is also at least what J leaves for it when all others are the largest.
    #[inline(always)]
    pub fn of_left_cauchy_green<const D: usize>(b: &Matrix<R, D>, volume_ratio: R) -> Self {
        let d = D as f64;
        let trace = b.trace();
        let mean = trace * R::splat(1.0 / d);
        let spread = (b.deviator().norm_squared() * R::splat((d - 1.0) / d)).sqrt();
        let highest = (mean + spread).sqrt();
        let mut rest = volume_ratio.abs();
        for _ in 1..D {
            rest /= highest;
        }
        Self {
            lowest: (mean - spread).max(R::zero()).sqrt().max(rest),
            highest,
            volume_ratio,
            sum_of_squares: trace,
        }
    }
}

/// An isotropic elastic law.
///
/// Its stiffness is the largest value of d²ψ/dε² along F(ε) = (I + εG) F over
/// all G with |G| = 1. In principal axes that splits into σ_i σ_j ∂²ψ/∂σ_i∂σ_j
/// for the diagonal of G and, with q_i = σ_i² and a = (τ_i − τ_j)/(q_i − q_j),
/// into \[\[a q_j, a q_j − τ_j\], \[a q_j − τ_j, a q_i\]\] for every pair (G_ij, G_ji).
/// \[Jiang2016\] §6.3.
pub trait PrincipalLaw<R: Real>: Copy {
    /// Energy density ψ(σ) per rest volume, zero at rest \[J/m³\].
    fn energy<const D: usize>(&self, stretches: &Vector<R, D>) -> R;
    /// Principal Kirchhoff stresses σ_i ∂ψ/∂σ_i \[Pa\].
    fn kirchhoff<const D: usize>(&self, stretches: &Vector<R, D>) -> Vector<R, D>;
    /// An upper bound of the stiffness for all stretches within bounds, dλ + 2μ at rest \[Pa\].
    fn stiffness_within<const D: usize>(&self, bounds: &StretchBounds<R>) -> R;
    /// An upper bound of the modulus of the stress increment, for the time step \[Pa\].
    #[inline(always)]
    fn stiffness<const D: usize>(&self, stretches: &Vector<R, D>) -> R {
        self.stiffness_within::<D>(&StretchBounds::of_stretches(stretches))
    }
    /// Derivatives of the principal stresses, for implicit steps.
    fn moduli<const D: usize>(&self, stretches: &Vector<R, D>) -> Moduli<R, D>;
    /// The law with all its moduli times a factor: hardening.
    fn scaled(self, factor: R) -> Self;
    /// Its parameters, as [`Isotropic::law`] takes them; zero where there are fewer.
    fn parameters(&self) -> [R; 2];
}

/// Tangent moduli of the principal Kirchhoff stresses with respect to the stretches \[Pa\]:
/// \[Jiang2016\] eq. (75)–(77), there for P, here for τ.
#[derive(Clone, Copy, Debug)]
pub struct Moduli<R, const D: usize> {
    /// ∂τ_i/∂ln σ_j, symmetric.
    pub along: Matrix<R, D>,
    /// (τ_i − τ_j)/(σ_i² − σ_j²) without the subtraction, symmetric; the diagonal has no meaning.
    pub across: Matrix<R, D>,
}

impl<R: Real, const D: usize> Moduli<R, D> {
    /// From functions of the two indices; `along` is asked for the upper triangle, `across` for
    /// what is above the diagonal.
    #[inline(always)]
    pub fn of(along: impl Fn(usize, usize) -> R, across: impl Fn(usize, usize) -> R) -> Self {
        let mut out = Self {
            along: Matrix::zero(),
            across: Matrix::zero(),
        };
        for i in 0..D {
            for j in i..D {
                out.along[i][j] = along(i, j);
                out.along[j][i] = out.along[i][j];
                if i < j {
                    out.across[i][j] = across(i, j);
                    out.across[j][i] = out.across[i][j];
                }
            }
        }
        out
    }
}

/// An isotropic elastic law with user values, from which plastic models make a [`PrincipalLaw`]
/// for any lane type.
pub trait Isotropic: Clone + core::fmt::Debug + Send + Sync + 'static {
    /// The law over numbers or lanes.
    type Law<R: Real>: PrincipalLaw<R>;
    /// Its name in scenes and messages.
    const NAME: &'static str;
    /// Names of its parameters.
    const PARAMETERS: &'static [&'static str];
    /// The parameters' values, in that order.
    fn parameters(&self) -> Vec<f64>;
    /// The law with the given parameters, the first ones.
    fn law<R: Real>(&self, parameters: &[R; MAX_PARAMETERS]) -> Self::Law<R>;
}

/// Product of the stretches: J.
#[inline(always)]
pub fn product<R: Real, const D: usize>(stretches: &Vector<R, D>) -> R {
    let mut j = stretches[0];
    for i in 1..D {
        j *= stretches[i];
    }
    j
}

/// Sum of the components: tr of a strain.
#[inline(always)]
pub fn sum<R: Real, const D: usize>(values: &Vector<R, D>) -> R {
    let mut out = values[0];
    for i in 1..D {
        out += values[i];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_and_axes_rebuild_the_left_cauchy_green_tensor() {
        let f = Matrix([[1.2, 0.3, -0.1], [0.0, 0.8, 0.2], [0.1, -0.2, 1.1]]);
        let b = f.times_own_transpose();
        for principal in [
            Principal::of_deformation(&f),
            Principal::of_left_cauchy_green(&b),
        ] {
            let mut squared = principal.stretches;
            for i in 0..3 {
                squared[i] *= squared[i];
            }
            let error = (principal.compose(&squared) - b).norm_squared().sqrt();
            assert!(error < 1e-14, "{error}");
            assert!((product(&principal.stretches) - f.determinant()).abs() < 1e-14);
        }
    }

    #[test]
    fn bounds_enclose_the_stretches() {
        let f = Matrix([[1.2, 0.3, -0.1], [0.0, 0.8, 0.2], [0.1, -0.2, 1.1]]);
        let exact = StretchBounds::of_stretches(&Principal::of_deformation(&f).stretches);
        let b = f.times_own_transpose();
        let bounds = StretchBounds::of_left_cauchy_green(&b, f.determinant());
        assert!(bounds.lowest <= exact.lowest && bounds.highest >= exact.highest);
        assert!((bounds.sum_of_squares - exact.sum_of_squares).abs() < 1e-14);
        assert!((bounds.volume_ratio - exact.volume_ratio).abs() < 1e-14);

        let flat = Matrix([[1.2, 0.3], [-0.4, 0.8]]);
        let exact = StretchBounds::of_stretches(&Principal::of_deformation(&flat).stretches);
        let b = flat.times_own_transpose();
        let bounds = StretchBounds::of_left_cauchy_green(&b, flat.determinant());
        assert!((bounds.lowest - exact.lowest).abs() < 1e-14);
        assert!((bounds.highest - exact.highest).abs() < 1e-14);
    }

    #[test]
    fn a_lost_state_stays_lost() {
        let b = Matrix([[1.0, f64::NAN], [f64::NAN, 1.0]]);
        let principal = Principal::of_left_cauchy_green(&b);
        assert!(principal.stretches[0].is_nan());
    }
}
