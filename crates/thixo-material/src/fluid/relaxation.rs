//! A strain that flow builds up and time wears down, over a step of any length.
//!
//! Db/Dt = L b + b Lᵀ + (I − b)/Wi with a constant velocity gradient L has the solution
//! \[Larson1988\]
//!
//! b(Δt) = e^{−x} E(Δt) b E(Δt)ᵀ + ∫₀^Δt e^{−u/Wi} E(u) E(u)ᵀ du/Wi, x = Δt/Wi, E(u) = e^{uL}.
//!
//! A step moves matter by A = I + M with M = ΔtL, equation (11), so that E(u) = I + uL here, which
//! is exact where L² = 0, as in shear. Then, with k = e^{−x} and r = 1 − k,
//!
//! b ← k A b Aᵀ + r I + a₁ (M + Mᵀ) + a₂ M Mᵀ,
//! a₁ = (1 − k (1 + x))/x, a₂ = (2 − k (2 + 2x + x²))/x².
//!
//! It is positive definite for every M and every x, as a sum of such matrices, and steady shear has
//! the viscosity μ Wi and the normal stress 2μ (γ̇Wi)² in steps of any length. Advecting first and
//! multiplying h = b − I by k, as splitting would do, leaves x/(eˣ − 1) of the viscosity
//! (errata E37). In the stored strain h it reads
//!
//! h ← k A h Aᵀ + c₁ (M + Mᵀ) + c₂ M Mᵀ, c₁ = k + a₁ = r/x, c₂ = k + a₂ = 2a₁/x,
//!
//! whose terms are all small where strain and increment are. k = c₁ = c₂ = 1 for x = 0.
//!
//! Increments that equation (11) halves are made of as many parts, each with its share of the time.
//! Two equal parts h ← k A h Aᵀ + p are one with k², A² and p + k A p Aᵀ.

#![allow(non_snake_case)]

use thixo_math::{Mask, Matrix, Real};

use crate::increment::{halvings, is_halved, squared};

/// The share of a strain that fades in a step, and the moments of the fading memory within it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relaxation<R> {
    /// r = 1 − e^{−x} \[–\].
    pub faded: R,
    /// a₁ \[–\].
    pub first_moment: R,
    /// a₂ \[–\].
    pub second_moment: R,
}

/// Largest x for which the moments are found by a series: a₂ = Σ (−x)ⁿ x/(n! (n + 3)).
const SERIES_END: f64 = 1.0;
/// 1/(n! (n + 3)), up to terms below 10⁻¹⁶.
const SERIES: [f64; 18] = series();

const fn series() -> [f64; 18] {
    let mut terms = [0.0; 18];
    let mut factorial = 1.0;
    let mut n = 0;
    while n < 18 {
        if n > 0 {
            factorial *= n as f64;
        }
        terms[n] = 1.0 / (factorial * (n + 3) as f64);
        n += 1;
    }
    terms
}

impl<R: Real> Relaxation<R> {
    /// Of a step of x = Δt/Wi ≥ 0 relaxation times.
    #[inline(always)]
    pub fn over(x: R) -> Self {
        let half = R::splat(0.5);
        let faded = -(-x).exp_m1();
        let kept = R::one() - faded;
        // By a₁ = r/x − k and a₂ = 2a₁/x − k where that keeps the digits, backwards elsewhere.
        let is_short = x.lt(R::splat(SERIES_END));
        let short = R::select(is_short, x, R::zero());
        let mut sum = R::zero();
        for n in (0..SERIES.len()).rev() {
            sum = sum.mul_add(-short, R::splat(SERIES[n]));
        }
        let second_short = short * sum;
        let first_short = half * short * (second_short + kept);
        let long = R::select(is_short, R::one(), x);
        let first_long = faded / long - kept;
        let second_long = (first_long + first_long) / long - kept;
        Self {
            faded,
            first_moment: R::select(is_short, first_short, first_long),
            // Rounding must not take what is left of a moment below zero.
            second_moment: R::select(is_short, second_short, second_long).max(R::zero()),
        }
    }

    /// k.
    #[inline(always)]
    pub fn kept(&self) -> R {
        R::one() - self.faded
    }
    /// c₁ = (1 − e^{−x})/x.
    #[inline(always)]
    pub fn linear(&self) -> R {
        self.kept() + self.first_moment
    }
    /// c₂ = 2 (1 − (1 + x) e^{−x})/x².
    #[inline(always)]
    pub fn quadratic(&self) -> R {
        self.kept() + self.second_moment
    }

    /// The strain h = b − I after a step with the increment I + M of the deformation; exactly
    /// symmetric.
    ///
    /// h + S + Sᵀ + P Mᵀ − r h with S = k M h + c₁ M and P = k M h + c₂ M.
    #[inline(always)]
    pub fn strain<const D: usize>(
        &self,
        h: &Matrix<R, D>,
        increment: &Matrix<R, D>,
    ) -> Matrix<R, D> {
        let M = increment;
        let (k, c1, c2) = (self.kept(), self.linear(), self.quadratic());
        let Mh = *M * *h * k;
        let S = M.mul_add(c1, Mh);
        let P = M.mul_add(c2, Mh);
        let mut out = *h;
        for i in 0..D {
            for j in i..D {
                let mut change = S[i][j] + S[j][i];
                for l in 0..D {
                    change = P[i][l].mul_add(M[j][l], change);
                }
                out[i][j] = h[i][j] + h[i][j].mul_add(-self.faded, change);
                out[j][i] = out[i][j];
            }
        }
        out
    }
}

/// The strain after a step of x = Δt/Wi with Δt∇v = M, and the increment R(M) − I that it followed.
#[inline(always)]
pub(super) fn relaxed<R: Real, const D: usize>(
    h: &Matrix<R, D>,
    M: &Matrix<R, D>,
    x: R,
) -> (Matrix<R, D>, Matrix<R, D>) {
    if !is_halved(M).any() {
        return (Relaxation::over(x).strain(h, M), *M);
    }
    relaxed_by_parts(h, M, x)
}

/// The rare case of [`relaxed`]: 2ⁿ equal parts, n of every lane its own.
#[inline(always)]
fn relaxed_by_parts<R: Real, const D: usize>(
    h: &Matrix<R, D>,
    M: &Matrix<R, D>,
    x: R,
) -> (Matrix<R, D>, Matrix<R, D>) {
    let (scale, count) = halvings(M.norm_squared());
    let part = Relaxation::over(x * scale);
    let mut B = *M * scale;
    let mut gained = part.strain(&Matrix::zero(), &B);
    let mut kept = part.kept();
    let mut done = R::zero();
    loop {
        let again = done.lt(count);
        if !again.any() {
            break;
        }
        let twice = gained + moved(&gained, &B) * kept;
        gained = Matrix::select(again, twice, gained);
        kept = R::select(again, kept.squared(), kept);
        B = Matrix::select(again, squared(&B), B);
        done += R::one();
    }
    let in_parts = gained + moved(h, &B) * kept;
    // Lanes without halving have the same bits as among their like.
    let is_whole = count.eq(R::zero());
    (Matrix::select(is_whole, part.strain(h, M), in_parts), B)
}

/// A p Aᵀ with A = I + B, exactly symmetric.
#[inline(always)]
fn moved<R: Real, const D: usize>(p: &Matrix<R, D>, B: &Matrix<R, D>) -> Matrix<R, D> {
    let A = Matrix::identity() + *B;
    (A * *p * A.transpose()).symmetric_part()
}

#[cfg(test)]
mod tests;
