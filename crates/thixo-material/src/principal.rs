//! Isotropic matter in its principal axes: stress and strain share them, so that a law is a
//! function of stretches.
//!
//! τ = Σ τ_i n_i n_iᵀ with the principal Kirchhoff stresses τ_i = σ_i ∂ψ/∂σ_i, stretches σ_i
//! and axes n_i of b = F Fᵀ. \[Jiang2016\] §6.3. The stretches are given as eigenvalues of the
//! [Finger strain](crate::FingerStrain), e_i = σ_i² − 1, which have errors of ε times the largest
//! of them; laws form σ_i − 1, ln σ_i and J − 1 from them without cancellation, so that stress and
//! energy of small strains have all their digits.

use thixo_math::{Matrix, Real, Vector, symmetric_eigen};

use super::{Dilatation, MAX_PARAMETERS};

/// Principal strains and their axes in space.
#[derive(Clone, Copy, Debug)]
pub struct Principal<R, const D: usize> {
    /// Finger strains e_i = σ_i² − 1 > −1 \[–\].
    pub strains: Vector<R, D>,
    /// Axes n_i as columns.
    pub axes: Matrix<R, D>,
}

impl<R: Real, const D: usize> Principal<R, D> {
    /// Of a Finger strain h; I + h must be positive definite.
    #[inline(always)]
    pub fn of_finger_strain(h: &Matrix<R, D>) -> Self {
        let parts = symmetric_eigen(h);
        let mut strains = parts.values;
        for i in 0..D {
            // Rounding may leave a strongly flattened state with a stretch below zero.
            // NaN stays NaN: `max` keeps its second operand then.
            strains[i] = R::splat(R::EPSILON - 1.0).max(strains[i]);
        }
        Self {
            strains,
            axes: parts.vectors,
        }
    }
    /// Hencky strain ln σ_i.
    #[inline(always)]
    pub fn hencky(&self) -> Vector<R, D> {
        let mut strain = self.strains;
        for i in 0..D {
            strain[i] = log_stretch(strain[i]);
        }
        strain
    }
    /// Σ values_i n_i n_iᵀ, exactly symmetric.
    #[inline(always)]
    pub fn compose(&self, values: &Vector<R, D>) -> Matrix<R, D> {
        compose(&self.axes, values)
    }
}

/// Σ values_i n_i n_iᵀ for the columns n_i of a matrix, exactly symmetric.
#[inline(always)]
pub(crate) fn compose<R: Real, const D: usize>(
    axes: &Matrix<R, D>,
    values: &Vector<R, D>,
) -> Matrix<R, D> {
    let mut out = Matrix::zero();
    for i in 0..D {
        for j in i..D {
            let mut sum = axes[i][0] * axes[j][0] * values[0];
            for k in 1..D {
                sum = (axes[i][k] * axes[j][k]).mul_add(values[k], sum);
            }
            out[i][j] = sum;
            out[j][i] = sum;
        }
    }
    out
}

/// σ² = 1 + e of a Finger strain e.
#[inline(always)]
pub fn squared_stretch<R: Real>(strain: R) -> R {
    R::one() + strain
}

/// σ − 1 = e/(1 + √(1 + e)) of a Finger strain e = σ² − 1.
#[inline(always)]
pub fn stretch_growth<R: Real>(strain: R) -> R {
    strain / (R::one() + (R::one() + strain).sqrt())
}

/// ln σ = ½ ln(1 + e) of a Finger strain e = σ² − 1.
#[inline(always)]
pub fn log_stretch<R: Real>(strain: R) -> R {
    R::splat(0.5) * strain.ln_1p()
}

/// Finger strains e_i = σ_i² − 1 of stretches.
#[inline(always)]
pub fn finger_strains<R: Real, const D: usize>(stretches: &Vector<R, D>) -> Vector<R, D> {
    let mut out = *stretches;
    for i in 0..D {
        out[i] = (stretches[i] - R::one()) * (stretches[i] + R::one());
    }
    out
}

/// Bounds and invariants of the stretches, found without a decomposition, from which the
/// stiffness is bounded.
#[derive(Clone, Copy, Debug)]
pub struct StretchBounds<R> {
    /// Lower bound of all σ_i \[–\].
    pub lowest: R,
    /// Upper bound of all σ_i \[–\].
    pub highest: R,
    /// Volume ratio J = Π σ_i \[–\].
    pub volume_ratio: R,
    /// ln J \[–\].
    pub log_volume_ratio: R,
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
            log_volume_ratio: R::zero(),
            sum_of_squares: R::splat(D as f64),
        }
    }
    /// Of known principal Finger strains.
    #[inline(always)]
    pub fn of_principal<const D: usize>(strains: &Vector<R, D>) -> Self {
        let mut lowest = strains[0];
        let mut highest = strains[0];
        for i in 1..D {
            lowest = strains[i].min(lowest);
            highest = strains[i].max(highest);
        }
        let dilatation = Dilatation::of_principal(strains);
        Self {
            lowest: squared_stretch(lowest).sqrt(),
            highest: squared_stretch(highest).sqrt(),
            volume_ratio: dilatation.ratio(),
            log_volume_ratio: dilatation.log_ratio(),
            sum_of_squares: R::splat(D as f64) + sum(strains),
        }
    }
    /// Of a Finger strain h = b − I.
    ///
    /// Eigenvalues of b are within √((d−1)/d) |dev b| of their mean, which in 2D is where they are;
    /// the smallest is also at least what J leaves for it when all others are the largest.
    #[inline(always)]
    pub fn of_finger_strain<const D: usize>(h: &Matrix<R, D>) -> Self {
        let d = D as f64;
        let trace = h.trace();
        let mean = trace.mul_add(R::splat(1.0 / d), R::one());
        let spread = (h.deviator().norm_squared() * R::splat((d - 1.0) / d)).sqrt();
        let highest = (mean + spread).sqrt();
        let dilatation = Dilatation::of(h);
        let mut rest = dilatation.ratio();
        for _ in 1..D {
            rest /= highest;
        }
        Self {
            lowest: (mean - spread).max(R::zero()).sqrt().max(rest),
            highest,
            volume_ratio: dilatation.ratio(),
            log_volume_ratio: dilatation.log_ratio(),
            sum_of_squares: R::splat(d) + trace,
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
///
/// All functions take the principal Finger strains e_i = σ_i² − 1 in the place of the stretches.
pub trait PrincipalLaw<R: Real>: Copy {
    /// Energy density ψ(σ) per rest volume, zero at rest \[J/m³\].
    fn energy<const D: usize>(&self, strains: &Vector<R, D>) -> R;
    /// Principal Kirchhoff stresses σ_i ∂ψ/∂σ_i \[Pa\].
    fn kirchhoff<const D: usize>(&self, strains: &Vector<R, D>) -> Vector<R, D>;
    /// An upper bound of the stiffness for all stretches within bounds, dλ + 2μ at rest \[Pa\].
    fn stiffness_within<const D: usize>(&self, bounds: &StretchBounds<R>) -> R;
    /// An upper bound of the modulus of the stress increment, for the time step \[Pa\].
    #[inline(always)]
    fn stiffness<const D: usize>(&self, strains: &Vector<R, D>) -> R {
        self.stiffness_within::<D>(&StretchBounds::of_principal(strains))
    }
    /// Derivatives of the principal stresses, for implicit steps.
    fn moduli<const D: usize>(&self, strains: &Vector<R, D>) -> Moduli<R, D>;
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

    fn finger<const D: usize>(f: &Matrix<f64, D>) -> Matrix<f64, D> {
        f.times_own_transpose() - Matrix::identity()
    }

    #[test]
    fn strains_and_axes_rebuild_the_finger_strain() {
        let f = Matrix([[1.2, 0.3, -0.1], [0.0, 0.8, 0.2], [0.1, -0.2, 1.1]]);
        let h = finger(&f);
        let principal = Principal::of_finger_strain(&h);
        let error = (principal.compose(&principal.strains) - h).norm_squared();
        assert!(error.sqrt() < 1e-14, "{error}");
        let dilatation = Dilatation::of_principal(&principal.strains);
        assert!((dilatation.ratio() - f.determinant()).abs() < 1e-14);
        assert!((dilatation.growth() - (f.determinant() - 1.0)).abs() < 1e-14);
        assert!((sum(&principal.hencky()) - f.determinant().ln()).abs() < 1e-14);
    }

    #[test]
    fn stretches_keep_the_digits_of_small_strains() {
        for e in [1e-7_f32, -3e-5, 1e-3] {
            let exact = f64::from(e);
            let growth = (1.0 + exact).sqrt() - 1.0;
            assert!(
                (f64::from(stretch_growth(e)) / growth - 1.0).abs() < 1e-6 + 1e-16 / exact.abs()
            );
            let logarithm = 0.5 * exact.ln_1p();
            assert!((f64::from(log_stretch(e)) / logarithm - 1.0).abs() < 1e-6);
        }
        let strains = finger_strains(&Vector([2.0, 1.0, 0.5]));
        assert_eq!(strains, Vector([3.0, 0.0, -0.75]));
        assert_eq!(stretch_growth(3.0), 1.0);
    }

    #[test]
    fn bounds_enclose_the_stretches() {
        let f = Matrix([[1.2, 0.3, -0.1], [0.0, 0.8, 0.2], [0.1, -0.2, 1.1]]);
        let h = finger(&f);
        let exact = StretchBounds::of_principal(&Principal::of_finger_strain(&h).strains);
        let bounds = StretchBounds::of_finger_strain(&h);
        assert!(bounds.lowest <= exact.lowest && bounds.highest >= exact.highest);
        assert!((bounds.sum_of_squares - exact.sum_of_squares).abs() < 1e-14);
        assert!((bounds.volume_ratio - exact.volume_ratio).abs() < 1e-14);
        assert!((bounds.log_volume_ratio - exact.volume_ratio.ln()).abs() < 1e-14);

        let flat = finger(&Matrix([[1.2, 0.3], [-0.4, 0.8]]));
        let exact = StretchBounds::of_principal(&Principal::of_finger_strain(&flat).strains);
        let bounds = StretchBounds::of_finger_strain(&flat);
        assert!((bounds.lowest - exact.lowest).abs() < 1e-14);
        assert!((bounds.highest - exact.highest).abs() < 1e-14);
    }

    #[test]
    fn a_lost_state_stays_lost() {
        let h = Matrix([[0.0, f64::NAN], [f64::NAN, 0.0]]);
        let principal = Principal::of_finger_strain(&h);
        assert!(principal.strains[0].is_nan());
    }
}
