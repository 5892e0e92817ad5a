//! Finger strain: the elastic strain that all matter but fluids stores.
//!
//! h = b − I with the left Cauchy-Green (Finger) tensor b = F Fᵀ; rheologists call it the Finger
//! strain. \[Larson1988\]. Stored as a difference from rest it keeps all its digits where it
//! is small: increments of F below ε would be lost in F = I + …, while h takes strains down to the
//! smallest numbers, whatever the body has turned before (errata E49).
//!
//! An increment A = I + B of the deformation takes b to A b Aᵀ. With S = B + B h that is
//!
//! h ← h + S + Sᵀ + S Bᵀ,
//!
//! in which every term is small where strain and increment are.
//!
//! det b − 1 = tr h + i₂(h) + det h. Errors of h are ε times its largest entry, so that matter
//! whose stretches differ by more than 1/√ε (3000 in single precision) has lost its volume.

use thixo_math::elementary::{ln_near_one, ln_remainder};
use thixo_math::{Matrix, Real, Vector};

use super::{MAX_STATE, State, Strain, positive_increment};

/// The elastic Finger strain h = b − I, symmetric: plastic matter, whose rotation is not stored.
#[derive(Clone, Copy, Debug)]
pub struct FingerStrain<R, const D: usize>(pub Matrix<R, D>);

impl<R: Real, const D: usize> FingerStrain<R, D> {
    /// b = I + h \[–\].
    #[inline(always)]
    pub fn left_cauchy_green(&self) -> Matrix<R, D> {
        Matrix::identity() + self.0
    }
}

impl<R: Real, const D: usize> State<R, D> for FingerStrain<R, D> {
    const COLUMNS: usize = D * (D + 1) / 2;
    const STRAIN: Strain = Strain::Finger;

    #[inline(always)]
    fn from_deformation(f: &Matrix<R, D>) -> Self {
        Self(advected(&Matrix::zero(), &(*f - Matrix::identity())))
    }
    #[inline(always)]
    fn load(columns: &[R; MAX_STATE]) -> Self {
        let mut h = Matrix::zero();
        let mut column = 0;
        for i in 0..D {
            for j in i..D {
                h[i][j] = columns[column];
                h[j][i] = columns[column];
                column += 1;
            }
        }
        Self(h)
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
    #[inline(always)]
    fn advance(&mut self, dt_grad_v: &Matrix<R, D>) {
        self.0 = advected(&self.0, &positive_increment(dt_grad_v));
    }
    #[inline(always)]
    fn volume_ratio(&self) -> R {
        Dilatation::of(&self.0).ratio()
    }
    #[inline(always)]
    fn volume_growth(&self) -> R {
        Dilatation::of(&self.0).growth()
    }
}

/// The Finger strain after an increment I + B of the deformation: h + S + Sᵀ + S Bᵀ, S = B + B h;
/// exactly symmetric.
#[inline(always)]
pub fn advected<R: Real, const D: usize>(
    h: &Matrix<R, D>,
    increment: &Matrix<R, D>,
) -> Matrix<R, D> {
    let b = increment;
    let mut s = *b;
    for i in 0..D {
        for j in 0..D {
            for k in 0..D {
                s[i][j] = b[i][k].mul_add(h[k][j], s[i][j]);
            }
        }
    }
    let mut out = *h;
    for i in 0..D {
        for j in i..D {
            let mut change = s[i][j] + s[j][i];
            for k in 0..D {
                change = s[i][k].mul_add(b[j][k], change);
            }
            out[i][j] = h[i][j] + change;
            out[j][i] = out[i][j];
        }
    }
    out
}

/// The change of volume of a strain: det b as it is and as a difference from one.
#[derive(Clone, Copy, Debug)]
pub struct Dilatation<R> {
    /// det b − 1, which has all its digits near rest.
    excess: R,
    /// det b > 0, which has all its digits far from rest.
    determinant: R,
}

impl<R: Real> Dilatation<R> {
    /// Of a Finger strain h; entries below the diagonal are taken to equal those above.
    ///
    /// By the first row of b = I + h, with its cofactors c: det b = b₁₁c₁₁ + t with
    /// t = h₁₂c₁₂ + h₁₃c₁₃, and det b − 1 = h₁₁c₁₁ + (c₁₁ − 1) + t. Determinants that rounding has
    /// taken below that of stretches of √ε are put there, so that they stay positive.
    #[inline(always)]
    pub fn of<const D: usize>(h: &Matrix<R, D>) -> Self {
        let one = R::one();
        let (growth, cofactor, rest);
        if D == 2 {
            growth = h[1][1];
            cofactor = one + h[1][1];
            rest = -(h[0][1] * h[0][1]);
        } else {
            let last = D - 1;
            let (b_1, b_2) = (one + h[1][1], one + h[last][last]);
            let (h_01, h_02, h_12) = (h[0][1], h[0][last], h[1][last]);
            let square = h_12 * h_12;
            growth = h[1][1].mul_add(h[last][last], h[1][1] + h[last][last]) - square;
            cofactor = b_1.mul_add(b_2, -square);
            let cofactor_1 = h_12.mul_add(h_02, -(h_01 * b_2));
            let cofactor_2 = h_01.mul_add(h_12, -(b_1 * h_02));
            rest = h_01.mul_add(cofactor_1, h_02 * cofactor_2);
        }
        // NaN stays NaN: `max` keeps its second operand then.
        let floor = R::splat(R::EPSILON.powi(D as i32));
        Self {
            excess: h[0][0].mul_add(cofactor, growth) + rest,
            determinant: floor.max((one + h[0][0]).mul_add(cofactor, rest)),
        }
    }
    /// Of principal Finger strains e_i = σ_i² − 1 > −1.
    #[inline(always)]
    pub fn of_principal<const D: usize>(strains: &Vector<R, D>) -> Self {
        let mut excess = strains[0];
        let mut determinant = R::one() + strains[0];
        for i in 1..D {
            excess = excess + excess.mul_add(strains[i], strains[i]);
            determinant *= R::one() + strains[i];
        }
        Self {
            excess,
            determinant,
        }
    }
    /// Of a determinant det b > 0 that is known better than by minors, and det b − 1.
    #[inline(always)]
    pub(crate) fn new(determinant: R, excess: R) -> Self {
        Self {
            excess,
            determinant,
        }
    }
    /// det b = J².
    #[inline(always)]
    pub fn determinant(&self) -> R {
        self.determinant
    }
    /// det b − 1 = J² − 1.
    #[inline(always)]
    pub fn excess(&self) -> R {
        self.excess
    }
    /// Volume ratio J = √(det b).
    #[inline(always)]
    pub fn ratio(&self) -> R {
        self.determinant.sqrt()
    }
    /// J − 1 = (det b − 1)/(1 + J).
    #[inline(always)]
    pub fn growth(&self) -> R {
        self.excess / (R::one() + self.ratio())
    }
    /// ln J = ½ ln det b.
    #[inline(always)]
    pub fn log_ratio(&self) -> R {
        R::splat(0.5) * ln_near_one(self.determinant, self.excess)
    }
}

/// Norm of a strain up to which its energy is a sum of terms of second order.
const SMALL_STRAIN: f64 = 0.25;

/// tr h − ln det(I + h) ≥ 0, the neo-Hookean energy of shear over μ/2, with all its digits where it
/// is small: line searches compare energies of small strains.
///
/// With x = det(I + h) − 1 = tr h + i₂ + det h it is (x − ln(1 + x)) − i₂ − det h.
#[inline(always)]
pub(crate) fn stretch_energy<R: Real, const D: usize>(
    h: &Matrix<R, D>,
    dilatation: &Dilatation<R>,
) -> R {
    let near = ln_remainder(dilatation.excess) - h.second_order_excess();
    let far = h.trace() - ln_near_one(dilatation.determinant, dilatation.excess);
    R::select(is_small(h), near, far)
}

/// True for strains whose entries are far below one.
#[inline(always)]
pub(crate) fn is_small<R: Real, const D: usize>(h: &Matrix<R, D>) -> R::Mask {
    h.norm_squared().lt(R::splat(SMALL_STRAIN * SMALL_STRAIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strain_follows_the_deformation_gradient() {
        let mut f = Matrix([[1.1, 0.2, 0.0], [-0.1, 0.9, 0.3], [0.05, 0.0, 1.2]]);
        let mut strain = FingerStrain::from_deformation(&f);
        for step in 0..20 {
            // The last increments are large enough to be halved.
            let size = if step < 18 { 0.01 } else { 0.6 };
            let m = Matrix([[size, 0.1, 0.02], [0.0, -size, 0.1], [0.03, 0.0, -0.1]]);
            f = (Matrix::identity() + positive_increment(&m)) * f;
            strain.advance(&m);
        }
        let b = f.times_own_transpose();
        let error = (strain.left_cauchy_green() - b).norm_squared().sqrt();
        assert!(error < 1e-12 * b.norm_squared().sqrt());
        assert!((strain.volume_ratio() / f.determinant() - 1.0).abs() < 1e-10);
    }

    #[test]
    fn volumes_keep_their_digits_near_rest_and_far_from_it() {
        let h = Matrix([[2e-7_f32, 1e-7], [1e-7, -1e-7]]);
        let dilatation = Dilatation::of(&h);
        assert!((dilatation.excess() / 1e-7 - 1.0).abs() < 1e-5);
        assert!((dilatation.growth() / 5e-8 - 1.0).abs() < 1e-5);
        assert!((dilatation.log_ratio() / 5e-8 - 1.0).abs() < 1e-5);
        // Compressed to a hundredth of its length in all directions.
        let flat = Matrix::<f32, 3>::from_scalar(-0.9999);
        let dilatation = Dilatation::of(&flat);
        assert!((dilatation.ratio() / 1e-6 - 1.0).abs() < 2e-3);
        assert!((dilatation.log_ratio() + 13.8155).abs() < 2e-3);
    }

    #[test]
    fn lost_determinants_stay_positive_and_lost_states_lost() {
        // Eigenvalues 2 × 10⁵ and less than nothing.
        let flat = Matrix([[1e5_f32, 1.00002e5], [1.00002e5, 1e5]]);
        let ratio = Dilatation::of(&flat).ratio();
        assert!(ratio > 0.0 && ratio.is_finite());
        let gone = Matrix::<f32, 3>::from_scalar(-1.0);
        assert!(Dilatation::of(&gone).ratio() > 0.0);
        let lost = Matrix([[f32::NAN, 0.0], [0.0, 0.0]]);
        assert!(Dilatation::of(&lost).ratio().is_nan());
        assert!(Dilatation::of(&lost).log_ratio().is_nan());
    }

    #[test]
    fn energies_of_small_strains_keep_their_digits() {
        let shape = Matrix([[0.7, 0.3, -0.1], [0.3, -0.4, 0.2], [-0.1, 0.2, 0.1]]);
        for size in [1e-6, 1e-4, 1e-2, 0.2, 0.3, 0.7] {
            let h = shape * size;
            let dilatation = Dilatation::of(&h);
            let found = stretch_energy(&h, &dilatation);
            let mut expected = h.trace() - dilatation.determinant().ln();
            if size < 1e-3 {
                // ½ tr h² − ⅓ tr h³ + …
                let square = h * h;
                expected = 0.5 * square.trace() - (square * h).trace() / 3.0;
            }
            let error: f64 = found / expected - 1.0;
            assert!(error.abs() < 1e-7, "{size}: {error}");
            let narrow = Matrix(h.0.map(|row| row.map(|x: f64| x as f32)));
            let single = f64::from(stretch_energy(&narrow, &Dilatation::of(&narrow)));
            assert!(
                (single / found - 1.0).abs() < 2e-6,
                "{size}: {single} {found}"
            );
        }
    }
}
