//! Energies of elements as functions of the singular values of F, which keep their sign: inverted
//! elements have a negative one.
//!
//! The second derivative in the axes of the singular values is a matrix A for changes of the values
//! themselves, and for every pair of axes a number for symmetric and one for skew changes, (P_i −
//! P_j)/(σ_i − σ_j) and (P_i + P_j)/(σ_i + σ_j); \[Stomakhin2012\]. The quotients are written out,
//! so that only fixed corotated matter keeps a denominator, σ_i + σ_j, which is clamped away from
//! zero at 10⁻⁶.

use thixo_math::{Matrix, Vector, symmetric_eigen};

use crate::material::potential::Definiteness;

/// Smallest denominator \[–\]; \[Jiang2015thesis\] appendix A.
const LEAST: f64 = 1e-6;

/// Energy density of elements per rest volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ElasticLaw {
    /// μ Σ(σ − 1)² + λ/2 (J − 1)²: finite everywhere, inverted too. The default.
    #[default]
    FixedCorotated,
    /// μ/2 (Σσ² − d) − μ ln J + λ/2 ln² J: infinite at J = 0; an inverted element ends the run.
    NeoHookean,
    /// μ ΣE² + λ/2 (ΣE)², E = (σ² − 1)/2: soft under strong compression, and wrong beyond it.
    StVenantKirchhoff,
}

/// Lamé's parameters \[Pa\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// Shear modulus μ.
    pub mu: f64,
    /// λ; that of plane stress for membranes.
    pub lambda: f64,
}

impl Lame {
    /// Of solids, from Young's modulus \[Pa\] and Poisson's ratio.
    pub fn solid(young_modulus: f64, poisson_ratio: f64) -> Self {
        let (e, nu) = (young_modulus, poisson_ratio);
        Self {
            mu: e / (2.0 * (1.0 + nu)),
            lambda: e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)),
        }
    }
    /// Of membranes, which grow thinner where they are stretched: plane stress.
    pub fn membrane(young_modulus: f64, poisson_ratio: f64) -> Self {
        let (e, nu) = (young_modulus, poisson_ratio);
        Self {
            mu: e / (2.0 * (1.0 + nu)),
            lambda: e * nu / (1.0 - nu * nu),
        }
    }
}

/// Second derivatives in the axes of the singular values \[Pa\].
#[derive(Clone, Copy, Debug)]
pub(crate) struct PrincipalTangent<const K: usize> {
    /// ∂²ψ/∂σ∂σ.
    pub diagonal: Matrix<f64, K>,
    /// By pair of axes (0, 1), (0, 2), (1, 2): for symmetric changes.
    pub symmetric: [f64; 3],
    /// For skew changes.
    pub skew: [f64; 3],
    /// For changes out of the plane of a membrane, P_i/σ_i.
    pub across: [f64; K],
}

/// Number of a pair of axes.
pub(super) fn pair(i: usize, j: usize) -> usize {
    i + j - 1
}

fn away_from_zero(x: f64) -> f64 {
    x.abs().max(LEAST).copysign(x)
}

impl ElasticLaw {
    /// ψ \[J/m³\].
    pub(crate) fn energy<const K: usize>(self, lame: Lame, sigma: &Vector<f64, K>) -> f64 {
        let Lame { mu, lambda } = lame;
        let ratio: f64 = sigma.0.iter().product();
        match self {
            Self::FixedCorotated => {
                let shear: f64 = sigma.0.iter().map(|s| (s - 1.0) * (s - 1.0)).sum();
                mu * shear + 0.5 * lambda * (ratio - 1.0) * (ratio - 1.0)
            }
            Self::NeoHookean => {
                if ratio <= 0.0 {
                    return f64::INFINITY;
                }
                let log = ratio.ln();
                0.5 * mu * (sigma.norm_squared() - K as f64) - mu * log + 0.5 * lambda * log * log
            }
            Self::StVenantKirchhoff => {
                let strain = sigma.0.map(|s| 0.5 * (s * s - 1.0));
                let trace: f64 = strain.iter().sum();
                let squares: f64 = strain.iter().map(|e| e * e).sum();
                mu * squares + 0.5 * lambda * trace * trace
            }
        }
    }

    /// P = ∂ψ/∂σ \[Pa\]; not a number for inverted neo-Hookean matter.
    pub(crate) fn stress<const K: usize>(
        self,
        lame: Lame,
        sigma: &Vector<f64, K>,
    ) -> Vector<f64, K> {
        let Lame { mu, lambda } = lame;
        let ratio: f64 = sigma.0.iter().product();
        let mut out = Vector::zero();
        for i in 0..K {
            let s = sigma[i];
            out[i] = match self {
                Self::FixedCorotated => {
                    2.0 * mu * (s - 1.0) + lambda * (ratio - 1.0) * others(sigma, i, i)
                }
                Self::NeoHookean => mu * (s - 1.0 / s) + lambda * ratio.ln() / s,
                Self::StVenantKirchhoff => {
                    let strain = 0.5 * (s * s - 1.0);
                    s * (2.0 * mu * strain + lambda * trace_of_strain(sigma))
                }
            };
        }
        out
    }

    /// Second derivatives.
    pub(crate) fn tangent<const K: usize>(
        self,
        lame: Lame,
        sigma: &Vector<f64, K>,
    ) -> PrincipalTangent<K> {
        let Lame { mu, lambda } = lame;
        let ratio: f64 = sigma.0.iter().product();
        let log = match self {
            Self::NeoHookean => ratio.ln(),
            _ => 0.0,
        };
        let trace = trace_of_strain(sigma);
        let stress = self.stress(lame, sigma);
        let mut out = PrincipalTangent {
            diagonal: Matrix::zero(),
            symmetric: [0.0; 3],
            skew: [0.0; 3],
            across: [0.0; K],
        };
        for i in 0..K {
            out.across[i] = stress[i] / away_from_zero(sigma[i]);
            for j in i..K {
                let (s, t) = (sigma[i], sigma[j]);
                let entry = match (self, i == j) {
                    (Self::FixedCorotated, true) => {
                        let q = others(sigma, i, i);
                        2.0 * mu + lambda * q * q
                    }
                    (Self::FixedCorotated, false) => {
                        lambda * (2.0 * ratio - 1.0) * others(sigma, i, j)
                    }
                    (Self::NeoHookean, true) => mu + (mu + lambda - lambda * log) / (s * s),
                    (Self::NeoHookean, false) => lambda / (s * t),
                    (Self::StVenantKirchhoff, true) => {
                        mu * (3.0 * s * s - 1.0) + lambda * (trace + s * s)
                    }
                    (Self::StVenantKirchhoff, false) => lambda * s * t,
                };
                out.diagonal[i][j] = entry;
                out.diagonal[j][i] = entry;
                if i == j {
                    continue;
                }
                let (symmetric, skew) = match self {
                    Self::FixedCorotated => {
                        let volume = lambda * (ratio - 1.0) * others(sigma, i, j);
                        let shear = 2.0 * mu - 4.0 * mu / away_from_zero(s + t);
                        (2.0 * mu - volume, shear + volume)
                    }
                    Self::NeoHookean => {
                        let rest = (mu - lambda * log) / (s * t);
                        (mu + rest, mu - rest)
                    }
                    Self::StVenantKirchhoff => {
                        let volume = lambda * trace;
                        let even = s * s + t * t - 1.0;
                        (volume + mu * (even + s * t), volume + mu * (even - s * t))
                    }
                };
                out.symmetric[pair(i, j)] = symmetric;
                out.skew[pair(i, j)] = skew;
            }
        }
        out
    }
}

/// Product of the singular values but for those of two axes.
fn others<const K: usize>(sigma: &Vector<f64, K>, i: usize, j: usize) -> f64 {
    let rest = (0..K).filter(|&k| k != i && k != j);
    rest.map(|k| sigma[k]).product()
}

fn trace_of_strain<const K: usize>(sigma: &Vector<f64, K>) -> f64 {
    sigma.0.iter().map(|s| 0.5 * (s * s - 1.0)).sum()
}

impl<const K: usize> PrincipalTangent<K> {
    /// The same without negative eigenvalues, where that is asked for.
    pub fn made(mut self, definiteness: Definiteness) -> Self {
        if definiteness == Definiteness::AsIs {
            return self;
        }
        let eigen = symmetric_eigen(&self.diagonal);
        let mut diagonal = Matrix::zero();
        for k in 0..K {
            let axis = eigen.vectors.column(k);
            diagonal += axis.outer(axis) * eigen.values[k].max(0.0);
        }
        self.diagonal = diagonal;
        for x in self.symmetric.iter_mut().chain(&mut self.skew) {
            *x = x.max(0.0);
        }
        for x in &mut self.across {
            *x = x.max(0.0);
        }
        self
    }
    /// Bound of the largest eigenvalue \[Pa\].
    pub fn bound(&self) -> f64 {
        let mut most = 0.0f64;
        for i in 0..K {
            let row: f64 = self.diagonal[i].iter().map(|x| x.abs()).sum();
            most = most.max(row).max(self.across[i]);
        }
        for pair in 0..3 {
            most = most.max(self.symmetric[pair]).max(self.skew[pair]);
        }
        most
    }
}
