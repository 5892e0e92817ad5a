//! Finger strain and rotation: the deformation gradient of a solid, F = L Q.
//!
//! Laws read the [Finger strain](FingerStrain) h = b − I alone; the rotation serves output. L is
//! the Cholesky factor of b = I + h, lower triangular, and Q a rotation, stored as modified
//! Rodrigues [parameters](Rotation): together as many numbers as F has.
//!
//! From Ḟ = Ġ F follows Q̇ Qᵀ = L⁻¹ Ġ L − L⁻¹ L̇, and L⁻¹ L̇ is lower triangular: the spin of Q is
//! the skew matrix whose entries above the diagonal are those of N = L⁻¹ G L,
//!
//! N₁₂ = (G₁₂ L₂₂ + G₁₃ L₃₂)/L₁₁, N₁₃ = G₁₃ L₃₃/L₁₁, N₂₃ = (G₂₃ L₃₃ − L₂₁ N₁₃)/L₂₂.
//!
//! A step takes L of the mean of h before and after, and G = M − M²/2 = ln(I + M) + O(M³), so that
//! the error of a step is of the order of ‖M‖³. Where ‖M‖ > 10⁻² the exact L'⁻¹ A L is taken
//! instead, with L' of the strain after the step, each particle for itself.
//!
//! Accuracy of F, relative to its norm, against F ← (I + M) F in double precision, as the tests
//! below find it. Double precision: 3·10⁻⁷ after simple shear to γ = 3 in steps of 3·10⁻³, 10⁻⁵
//! after a full turn of matter stretched by 2 in steps of 2·10⁻³ (a quarter in half as long steps),
//! 10⁻⁵ after random histories in steps of 10⁻², rounding where increments are exact. In single
//! precision rounding of h and of the rotation adds 10⁻⁶ in tens, 5·10⁻⁵ in thousands of steps, and
//! turns by less than 10⁻⁷ in a step are lost. Errors grow with the quotient of the stretches, as
//! those of b do.

use thixo_math::{Mask, Matrix, Real, Rotation};

use super::finger_strain::advected;
use super::{FingerStrain, MAX_STATE, State, Strain, positive_increment};

/// ‖M‖² above which the exact increment of the rotation is taken.
const LARGE_INCREMENT: f64 = 1e-4;

/// Elastic strain and rotation of a solid.
#[derive(Clone, Copy, Debug)]
pub struct StrainAndRotation<R, const D: usize> {
    /// h = b − I.
    pub strain: FingerStrain<R, D>,
    /// Q of F = L Q.
    pub rotation: Rotation<R, D>,
}

impl<R: Real, const D: usize> StrainAndRotation<R, D> {
    /// F = L Q \[–\].
    #[inline(always)]
    pub fn deformation_gradient(&self) -> Matrix<R, D> {
        let (lower, _) = self.strain.left_cauchy_green().cholesky();
        lower * self.rotation.matrix()
    }
}

impl<R: Real, const D: usize> State<R, D> for StrainAndRotation<R, D> {
    const COLUMNS: usize = D * D;
    const STRAIN: Strain = Strain::FingerAndRotation;

    #[inline(always)]
    fn from_deformation(f: &Matrix<R, D>) -> Self {
        let strain = FingerStrain::from_deformation(f);
        let turn = orthogonal_factor(&strain.0, f);
        Self {
            strain,
            rotation: Rotation::of_matrix(&turn),
        }
    }
    #[inline(always)]
    fn load(columns: &[R; MAX_STATE]) -> Self {
        Self {
            strain: State::load(columns),
            rotation: Rotation::from_parameters(&columns[D * (D + 1) / 2..]),
        }
    }
    #[inline(always)]
    fn store(&self, columns: &mut [R; MAX_STATE]) {
        self.strain.store(columns);
        self.rotation
            .write_parameters(&mut columns[D * (D + 1) / 2..]);
    }
    #[inline(always)]
    fn advance(&mut self, dt_grad_v: &Matrix<R, D>) {
        let increment = positive_increment(dt_grad_v);
        let before = self.strain.0;
        self.strain.0 = advected(&before, &increment);
        self.rotation = turned(self.rotation, &before, &self.strain.0, &increment);
    }
    #[inline(always)]
    fn volume_ratio(&self) -> R {
        self.strain.volume_ratio()
    }
    #[inline(always)]
    fn volume_growth(&self) -> R {
        self.strain.volume_growth()
    }
}

/// The rotation Q after an increment I + B, with h before and after.
#[inline(always)]
fn turned<R: Real, const D: usize>(
    rotation: Rotation<R, D>,
    before: &Matrix<R, D>,
    after: &Matrix<R, D>,
    increment: &Matrix<R, D>,
) -> Rotation<R, D> {
    let turn = Rotation::of_small_spin(&spin(before, after, increment));
    let turned = rotation.then_small(turn);
    let is_large = increment.norm_squared().gt(R::splat(LARGE_INCREMENT));
    if !is_large.any() {
        return turned;
    }
    let (lower, _) = (Matrix::identity() + *before).cholesky();
    let stretched = lower + *increment * lower;
    let exact = Rotation::of_matrix(&orthogonal_factor(after, &stretched));
    Rotation::select(is_large, rotation.then(exact), turned)
}

/// The entries above the diagonal of N = L⁻¹ G L in the middle of a step.
///
/// With the leading minors m₁, m₂, m₃ of b, c = b₁₁b₂₃ − b₁₂b₁₃ and m₁m₃ = m₂(b₁₁b₃₃ − b₁₃²) − c²,
/// N₁₂ = (G₁₂ + G₁₃ c/m₂) √m₂/m₁, N₁₃ = G₁₃ √m₂ √(m₁m₃)/(m₁m₂) and
/// N₂₃ = (G₂₃ − G₁₃ b₁₂/m₁) √(m₁m₃)/m₂: two roots and one division. A factor of b does not matter,
/// so that the sum of both strains serves as their mean.
#[inline(always)]
fn spin<R: Real, const D: usize>(
    before: &Matrix<R, D>,
    after: &Matrix<R, D>,
    increment: &Matrix<R, D>,
) -> Matrix<R, D> {
    let two = R::splat(2.0);
    let tiny = R::splat(R::MIN_POSITIVE / R::EPSILON);
    let b = |i: usize, j: usize| {
        let sum = before[i][j] + after[i][j];
        if i == j { two + sum } else { sum }
    };
    let m = increment;
    let g = |i: usize, j: usize| {
        let mut square = m[i][0] * m[0][j];
        for k in 1..D {
            square = m[i][k].mul_add(m[k][j], square);
        }
        square.mul_add(R::splat(-0.5), m[i][j])
    };
    let first = b(0, 0);
    // Rounding may leave strongly flattened matter without positive minors.
    let minor = first.mul_add(b(1, 1), -(b(0, 1) * b(0, 1))).max(tiny);
    let root = minor.sqrt();
    let mut n = Matrix::zero();
    if D == 2 {
        n[0][1] = g(0, 1) * root / first;
    } else {
        let last = D - 1;
        let other = first.mul_add(b(last, last), -(b(0, last) * b(0, last)));
        let mixed = first.mul_add(b(1, last), -(b(0, 1) * b(0, last)));
        let product = minor.mul_add(other, -(mixed * mixed)).max(tiny);
        let inverse = R::one() / (first * minor);
        let (per_first, per_minor) = (inverse * minor, inverse * first);
        let (wide, long) = (root * per_first, product.sqrt() * per_minor);
        let along = g(0, last);
        n[0][1] = (along * mixed).mul_add(per_minor, g(0, 1)) * wide;
        n[0][last] = along * wide * long;
        n[1][last] = (along * b(0, 1)).mul_add(-per_first, g(1, last)) * long;
    }
    n
}

/// L⁻¹ F with the Cholesky factor L of I + h.
#[inline(always)]
fn orthogonal_factor<R: Real, const D: usize>(h: &Matrix<R, D>, f: &Matrix<R, D>) -> Matrix<R, D> {
    let (lower, inverse) = (Matrix::identity() + *h).cholesky();
    let mut out = *f;
    for j in 0..D {
        for i in 0..D {
            let mut sum = f[i][j];
            for k in 0..i {
                sum -= lower[i][k] * out[k][j];
            }
            out[i][j] = sum * inverse[i];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number in [−1, 1).
    fn noise(seed: &mut u64) -> f64 {
        *seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn narrow<const D: usize>(m: &Matrix<f64, D>) -> Matrix<f32, D> {
        Matrix(m.0.map(|row| row.map(|x| x as f32)))
    }

    fn relative<const D: usize>(found: Matrix<f64, D>, exact: Matrix<f64, D>) -> f64 {
        ((found - exact).norm_squared() / exact.norm_squared()).sqrt()
    }

    /// Relative errors of F in double and single precision after `steps` increments, against
    /// F ← R(M) F in double precision.
    fn errors<const D: usize>(
        start: Matrix<f64, D>,
        steps: usize,
        mut increment: impl FnMut(usize) -> Matrix<f64, D>,
    ) -> [f64; 2] {
        let mut f = start;
        let mut double = StrainAndRotation::from_deformation(&f);
        let mut single = StrainAndRotation::from_deformation(&narrow(&f));
        for step in 0..steps {
            let m = increment(step);
            f = f + positive_increment(&m) * f;
            double.advance(&m);
            single.advance(&narrow(&m));
        }
        let wide = Matrix(
            single
                .deformation_gradient()
                .0
                .map(|row| row.map(f64::from)),
        );
        [
            relative(double.deformation_gradient(), f),
            relative(wide, f),
        ]
    }

    fn sheared<const D: usize>(steps: usize, along: usize, across: usize) -> [f64; 2] {
        let mut m = Matrix::<f64, D>::zero();
        m[along][across] = 3.0 / steps as f64;
        errors(Matrix::identity(), steps, |_| m)
    }

    #[test]
    fn simple_shear_to_three() {
        let mut worst = [[0.0_f64; 2]; 3];
        for (of_length, steps) in worst.iter_mut().zip([1000, 2000, 30]) {
            let mut found = vec![sheared::<2>(steps, 0, 1), sheared::<2>(steps, 1, 0)];
            for (along, across) in [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)] {
                found.push(sheared::<3>(steps, along, across));
            }
            for [double, single] in found {
                *of_length = [of_length[0].max(double), of_length[1].max(single)];
            }
        }
        println!("1000, 2000 and 30 steps, f64 and f32: {worst:?}");
        assert!(worst[0][0] < 3e-6 && worst[0][1] < 2e-5, "{worst:?}");
        assert!(worst[1][0] < 0.27 * worst[0][0], "{worst:?}");
        assert!(worst[2][0] < 1e-12 && worst[2][1] < 1e-5, "{worst:?}");
    }

    fn turned<const D: usize>(steps: usize, stretch: f64) -> [f64; 2] {
        let angle = 2.0 * core::f64::consts::PI / steps as f64;
        let mut start = Matrix::<f64, D>::identity();
        start[0][0] = stretch;
        start[1][1] = 1.0 / stretch;
        start[0][D - 1] += 0.2;
        let mut turn = Matrix::<f64, D>::zero();
        turn[0][1] = -angle;
        turn[1][0] = angle;
        if D == 3 {
            turn[0][1] *= 0.6;
            turn[1][0] *= 0.6;
            turn[1][D - 1] = -0.8 * angle;
            turn[D - 1][1] = 0.8 * angle;
        }
        // exp(turn) − I, so that the length of vectors stays what it is.
        let mut exact = turn;
        let mut term = turn;
        for k in 2..12 {
            term = term * turn * (1.0 / f64::from(k));
            exact += term;
        }
        errors(start, steps, |_| exact)
    }

    #[test]
    fn a_full_turn_while_stretched() {
        let mut worst = [[0.0_f64; 2]; 3];
        for (of_length, steps) in worst.iter_mut().zip([3000, 6000, 60]) {
            for stretch in [1.0, 1.3, 2.0] {
                for [double, single] in [turned::<2>(steps, stretch), turned::<3>(steps, stretch)] {
                    *of_length = [of_length[0].max(double), of_length[1].max(single)];
                }
            }
        }
        println!("3000, 6000 and 60 steps, f64 and f32: {worst:?}");
        assert!(worst[0][0] < 2e-5 && worst[0][1] < 1e-4, "{worst:?}");
        assert!(worst[1][0] < 0.27 * worst[0][0], "{worst:?}");
        assert!(worst[2][0] < 1e-11 && worst[2][1] < 1e-4, "{worst:?}");
    }

    /// Random increments about a slowly changing mean, so that strains grow to about one and
    /// return.
    fn wandering<const D: usize>(steps: usize, size: f64, seed: u64) -> [f64; 2] {
        let mut seed = seed;
        let mut mean = Matrix::<f64, D>::zero();
        errors(Matrix::identity(), steps, |step| {
            if step % (steps / 8).max(1) == 0 {
                for i in 0..D {
                    for j in 0..D {
                        mean[i][j] = size * noise(&mut seed);
                    }
                }
            }
            let mut m = mean;
            for i in 0..D {
                for j in 0..D {
                    m[i][j] += 0.3 * size * noise(&mut seed);
                }
            }
            m
        })
    }

    #[test]
    fn random_histories_in_small_and_in_large_steps() {
        // Sizes of increments: below the threshold, on both sides of it, above it, and halved.
        for (steps, size, double, single) in [
            (2000, 1e-3, 1e-5, 1e-4),
            (400, 5e-3, 1e-4, 1e-4),
            (60, 5e-2, 1e-6, 1e-4),
            (6, 0.8, 1e-11, 1e-3),
        ] {
            let mut worst = [0.0_f64; 2];
            for seed in 0..20 {
                for found in [
                    wandering::<2>(steps, size, seed),
                    wandering::<3>(steps, size, seed),
                ] {
                    worst = [worst[0].max(found[0]), worst[1].max(found[1])];
                }
            }
            println!("{steps} steps of {size}: {worst:?}");
            assert!(worst[0] < double && worst[1] < single, "{size}: {worst:?}");
        }
    }

    #[test]
    fn particles_enter_with_any_deformation() {
        let mut seed = 5;
        for _ in 0..1000 {
            let mut f = Matrix::<f64, 3>::zero();
            for i in 0..3 {
                for j in 0..3 {
                    f[i][j] = noise(&mut seed);
                }
            }
            if f.determinant() < 0.01 {
                continue;
            }
            let state = StrainAndRotation::from_deformation(&f);
            assert!(relative(state.deformation_gradient(), f) < 1e-10);
            let mut columns = [0.0; MAX_STATE];
            state.store(&mut columns);
            let again = StrainAndRotation::<f64, 3>::load(&columns);
            assert_eq!(again.deformation_gradient(), state.deformation_gradient());
        }
    }
}
