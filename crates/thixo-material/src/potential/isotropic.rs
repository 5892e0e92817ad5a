//! The energy of a step of isotropic elastic matter, with or without shear viscosity.
//!
//! With b̂ = A b Aᵀ = I + ĥ, ĥ = h + S + Sᵀ + S Mᵀ, S = M + M h, its axes n_a, stretches σ_a and
//! principal stresses τ_a, and L = δM A⁻¹ in these axes, the gradient G = τ A⁻ᵀ changes by
//! δG = S(L) A⁻ᵀ with
//!
//! S_aa = Σ_b (∂τ_a/∂ln σ_b) L_bb − τ_a L_aa, S_ab = q σ_b² L_ab + (q σ_a² − τ_a) L_ba,
//! q = (τ_a − τ_b)/(σ_a² − σ_b²).
//!
//! That is \[Jiang2016\] eq. (69), (75)–(77) in spatial axes: a block-diagonal matrix with one
//! block of d rows and blocks of two rows, whose eigenvalues are clamped block by block for the
//! projected Hessian. H is the sum of the blocks over the dyads e_ab = n_a (A⁻¹n_b)ᵀ.

#![allow(non_snake_case)]

use thixo_math::{Matrix, Real, Vector, symmetric_eigen};

use super::shear::{add_shear_viscosity, add_shear_viscosity_hessian};
use super::{Definiteness, Gradient, Hessian, MAX_POTENTIAL_PARAMETERS, Potential, StepEnergy};
use crate::principal::{Isotropic, Moduli, Principal, PrincipalLaw, compose, squared_stretch};
use crate::{MAX_PARAMETERS, advected};

/// The potential of an isotropic law. Parameters: those of the law, at most two, then the viscosity
/// ηJ/Δt \[Pa\].
#[derive(Clone, Debug)]
pub struct IsotropicPotential<E>(pub E);

/// Energy of a step of isotropic elastic matter.
#[derive(Clone, Copy, Debug)]
pub struct IsotropicEnergy<E, R> {
    law: E,
    /// ηJ/Δt \[Pa\].
    viscosity: R,
}

impl<E: Isotropic> Potential for IsotropicPotential<E> {
    type Energy<R: Real> = IsotropicEnergy<E::Law<R>, R>;

    #[inline(always)]
    fn energy<R: Real>(&self, parameters: &[R; MAX_POTENTIAL_PARAMETERS]) -> Self::Energy<R> {
        let mut own = [R::zero(); MAX_PARAMETERS];
        own[..2].copy_from_slice(&parameters[..2]);
        IsotropicEnergy {
            law: self.0.law(&own),
            viscosity: parameters[2],
        }
    }
}

/// The trial strain ĥ = A b Aᵀ − I of a step without plastic flow, shared by gradient and Hessian.
pub(crate) struct Trial<R: Real, const D: usize> {
    /// A⁻¹.
    inverse: Matrix<R, D>,
    /// Principal values and axes of ĥ.
    pub principal: Principal<R, D>,
    /// det A > 0.
    is_admissible: R::Mask,
}

impl<R: Real, const D: usize> Trial<R, D> {
    /// Decomposes ĥ.
    #[inline(always)]
    pub fn of(strain: &Matrix<R, D>, increment: &Matrix<R, D>) -> Self {
        let A = Matrix::identity() + *increment;
        Self {
            inverse: A.inverse(),
            principal: Principal::of_finger_strain(&advected(strain, increment)),
            is_admissible: A.determinant().gt(R::zero()),
        }
    }

    /// Energy and gradient for an energy \[J/m³\] and its principal Kirchhoff stresses \[Pa\].
    #[inline(always)]
    pub fn gradient(&self, energy: R, kirchhoff: &Vector<R, D>) -> Gradient<R, D> {
        Gradient {
            energy: R::select(self.is_admissible, energy, R::splat(f64::INFINITY)),
            gradient: self.principal.compose(kirchhoff) * self.inverse.transpose(),
        }
    }

    /// The Hessian for principal Kirchhoff stresses and their derivatives \[Pa\].
    #[inline(always)]
    pub fn hessian(
        &self,
        kirchhoff: &Vector<R, D>,
        moduli: &Moduli<R, D>,
        definiteness: Definiteness,
    ) -> Hessian<R> {
        let tau = kirchhoff;
        let Principal { strains, axes } = self.principal;
        // Columns A⁻¹ n_b.
        let back = self.inverse * axes;
        let mut H = [[R::zero(); 9]; 9];

        let mut along = moduli.along;
        for a in 0..D {
            along[a][a] -= tau[a];
        }
        if definiteness == Definiteness::Projected {
            along = clamp_eigenvalues(&along);
        }
        let mut e = [[R::zero(); 9]; 3];
        for a in 0..D {
            e[a] = dyad(&axes, a, &back, a);
        }
        for a in 0..D {
            let mut row = [R::zero(); 9];
            for b in 0..D {
                for k in 0..D * D {
                    row[k] = along[a][b].mul_add(e[b][k], row[k]);
                }
            }
            add_dyad::<R, D>(&mut H, &e[a], &row);
        }
        for a in 0..D {
            for b in a + 1..D {
                let q = moduli.across[a][b];
                let block = [
                    q * squared_stretch(strains[b]),
                    q * squared_stretch(strains[a]) - tau[a],
                    q * squared_stretch(strains[a]),
                ];
                let [first, both, last] = match definiteness {
                    Definiteness::AsIs => block,
                    Definiteness::Projected => clamp_eigenvalues_2x2(block),
                };
                let (x, y) = (dyad(&axes, a, &back, b), dyad(&axes, b, &back, a));
                let (mut of_x, mut of_y) = ([R::zero(); 9], [R::zero(); 9]);
                for k in 0..D * D {
                    of_x[k] = first * x[k] + both * y[k];
                    of_y[k] = both * x[k] + last * y[k];
                }
                add_dyad::<R, D>(&mut H, &x, &of_x);
                add_dyad::<R, D>(&mut H, &y, &of_y);
            }
        }
        H
    }
}

impl<E: PrincipalLaw<R>, R: Real> StepEnergy<R> for IsotropicEnergy<E, R> {
    #[inline(always)]
    fn gradient<const D: usize>(
        &self,
        strain: &Matrix<R, D>,
        increment: &Matrix<R, D>,
    ) -> Gradient<R, D> {
        let trial = Trial::of(strain, increment);
        let strains = &trial.principal.strains;
        let energy = self.law.energy(strains);
        let mut psi = trial.gradient(energy, &self.law.kirchhoff(strains));
        add_shear_viscosity(self.viscosity, increment, &mut psi);
        psi
    }

    #[inline(always)]
    fn hessian<const D: usize>(
        &self,
        strain: &Matrix<R, D>,
        increment: &Matrix<R, D>,
        definiteness: Definiteness,
    ) -> Hessian<R> {
        let trial = Trial::of(strain, increment);
        let strains = &trial.principal.strains;
        let tau = self.law.kirchhoff(strains);
        let moduli = self.law.moduli(strains);
        let mut H = trial.hessian(&tau, &moduli, definiteness);
        add_shear_viscosity_hessian::<R, D>(self.viscosity, &mut H);
        H
    }
}

/// n_a m_bᵀ, row by row, with the columns of two matrices.
#[inline(always)]
fn dyad<R: Real, const D: usize>(n: &Matrix<R, D>, a: usize, m: &Matrix<R, D>, b: usize) -> [R; 9] {
    let mut out = [R::zero(); 9];
    for i in 0..D {
        for j in 0..D {
            out[i * D + j] = n[i][a] * m[j][b];
        }
    }
    out
}

/// Adds the upper triangle of x yᵀ.
#[inline(always)]
fn add_dyad<R: Real, const D: usize>(H: &mut Hessian<R>, x: &[R; 9], y: &[R; 9]) {
    for k in 0..D * D {
        for l in k..D * D {
            H[k][l] = x[k].mul_add(y[l], H[k][l]);
        }
    }
}

/// The symmetric matrix with negative eigenvalues replaced by zero.
#[inline(always)]
fn clamp_eigenvalues<R: Real, const D: usize>(matrix: &Matrix<R, D>) -> Matrix<R, D> {
    let parts = symmetric_eigen(matrix);
    let mut values = parts.values;
    for i in 0..D {
        values[i] = values[i].max(R::zero());
    }
    compose(&parts.vectors, &values)
}

/// The matrix [[first, both], [both, last]] with negative eigenvalues replaced by zero.
#[inline(always)]
fn clamp_eigenvalues_2x2<R: Real>([first, both, last]: [R; 3]) -> [R; 3] {
    let half = R::splat(0.5);
    let mean = half * (first + last);
    let lean = half * (first - last);
    let radius = (lean.squared() + both.squared()).sqrt();
    let (low, high) = (mean - radius, mean + radius);
    // With one negative eigenvalue the result is the other one times the projection onto its
    // eigenvector, (I + [[lean, both], [both, −lean]]/radius)/2.
    let scale = half * high.max(R::zero()) / radius.max(R::splat(R::MIN_POSITIVE));
    let one = [
        scale * (radius + lean),
        scale * both,
        scale * (radius - lean),
    ];
    let is_positive = low.ge(R::zero());
    [
        R::select(is_positive, first, one[0]),
        R::select(is_positive, both, one[1]),
        R::select(is_positive, last, one[2]),
    ]
}
