//! The state of matter that is under a given stress: strain that a law needs to bear it.
//!
//! Laws are isotropic, so that stress and left stretch have the same axes. With the principal
//! Cauchy stresses s_i and the logarithmic stretches e_i along their axes, Newton's method solves
//!
//! τ_i(e)/J(e) = s_i,
//!
//! from rest, with differences of the law's stress in place of its tangent and halved steps where a
//! step does not bring the stress nearer. A fluid has the volume ratio alone and bears pressure
//! alone: one unknown. History, such as the plastic volume of snow, is given and stays.
//!
//! A plastic law refuses a stress beyond its yield surface: matter would flow before anything
//! happens to it.

use thiserror::Error;
use thixo_math::{Matrix, Vector, symmetric_eigen};
use thixo_par::Scalar;

use crate::{Material, Strain};

/// A stress that matter of a law cannot start with.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum StressError {
    /// Shear stress in a fluid.
    #[error(
        "a {law} at rest bears pressure alone, and the principal stresses {stress:?} Pa differ; give equal ones \
         (geostatic: k0 = 1)"
    )]
    Shear {
        /// Name of the law.
        law: &'static str,
        /// Principal Cauchy stresses \[Pa\].
        stress: Vec<f64>,
    },
    /// No strain of the law has the stress.
    #[error(
        "no strain of the law {law} has the principal stresses {stress:?} Pa; the nearest found are {reached:?} Pa. \
         Give less stress, or stiffer matter"
    )]
    Unreachable {
        /// Name of the law.
        law: &'static str,
        /// Principal Cauchy stresses \[Pa\].
        stress: Vec<f64>,
        /// Principal stresses that were reached \[Pa\].
        reached: Vec<f64>,
    },
    /// The law yields.
    #[error(
        "matter of the law {law} yields under the principal stresses {stress:?} Pa and would start with {returned:?} Pa. \
         Bring them nearer to each other (geostatic: k0 nearer to 1), or make it stronger"
    )]
    Yields {
        /// Name of the law.
        law: &'static str,
        /// Principal Cauchy stresses \[Pa\].
        stress: Vec<f64>,
        /// Principal stresses after it has yielded \[Pa\].
        returned: Vec<f64>,
    },
}

/// Iterations of Newton's method; it needs about five.
const ITERATIONS: usize = 60;
/// Difference of logarithmic stretches for the tangent \[–\].
const DIFFERENCE: f64 = 1e-6;
/// Largest change of a logarithmic stretch in an iteration \[–\].
const LONGEST: f64 = 0.3;
/// Relative error of the stress that is accepted \[–\].
const TOLERANCE: f64 = 1e-10;
/// Relative change of the stress by a return map that counts as yielding \[–\].
const YIELDS: f64 = 1e-6;

/// History variables and own parameters of a particle, where they are not those of the law.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'a> {
    /// History variables, in the order of [`StateLayout`](crate::StateLayout).
    pub history: Option<&'a [f64]>,
    /// Parameters of the particle's own.
    pub parameters: Option<&'a [f64]>,
}

/// Columns of state for a deformation gradient, with a history where one is given.
pub fn state_with_history<T: Scalar, const D: usize>(
    law: &dyn Material<T, D>,
    deformation_gradient: &Matrix<f64, D>,
    given: Given<'_>,
) -> Vec<f64> {
    let mut state = law.state(deformation_gradient, given.parameters);
    if let Some(history) = given.history {
        let first = law.state_layout().strain.columns::<D>();
        state[first..first + history.len()].copy_from_slice(history);
    }
    state
}

/// The symmetric deformation gradient F = V under which matter has a Cauchy stress \[Pa\].
pub fn deformation_under_stress<T: Scalar, const D: usize>(
    law: &dyn Material<T, D>,
    stress: &Matrix<f64, D>,
    given: Given<'_>,
) -> Result<Matrix<f64, D>, StressError> {
    let eigen = symmetric_eigen(stress);
    let s = eigen.values;
    let largest = s.0.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    if largest == 0.0 {
        return Ok(Matrix::identity());
    }
    let point = Point { law, given };
    let is_fluid = law.state_layout().strain == Strain::VolumeRatio;
    if is_fluid && (0..D).any(|i| (s[i] - s[0]).abs() > 1e-9 * largest) {
        return Err(StressError::Shear {
            law: law.name(),
            stress: s.0.to_vec(),
        });
    }
    let unknowns = if is_fluid { 1 } else { D };
    let mut e = Vector::<f64, D>::zero();
    let mut reached = point.stress(&e);
    let mut error = distance(&reached, &s);
    for _ in 0..ITERATIONS {
        if error <= TOLERANCE * largest {
            break;
        }
        let mut tangent = Matrix::<f64, D>::identity();
        for k in 0..unknowns {
            let at = |sign: f64| {
                let mut e = e;
                for i in 0..D {
                    if is_fluid || i == k {
                        e[i] += sign * DIFFERENCE;
                    }
                }
                point.stress(&e)
            };
            let (more, less) = (at(1.0), at(-1.0));
            for i in 0..unknowns {
                tangent[i][k] = (more[i] - less[i]) / (2.0 * DIFFERENCE);
            }
        }
        let mut wanted = Vector::zero();
        for i in 0..unknowns {
            wanted[i] = s[i] - reached[i];
        }
        let mut step = tangent.inverse() * wanted;
        if is_fluid {
            step = Vector([step[0]; D]);
        }
        let size = step.0.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let mut share = (LONGEST / size).min(1.0);
        // Not a number stops here: nothing compares with it.
        let mut is_nearer = false;
        for _ in 0..30 {
            let next = e + step * share;
            let there = point.stress(&next);
            if distance(&there, &s) < error {
                (e, reached, error, is_nearer) = (next, there, distance(&there, &s), true);
                break;
            }
            share *= 0.5;
        }
        if !is_nearer {
            break;
        }
    }
    // Rounding in the law leaves more where its moduli are much larger than the stress.
    if error.is_nan() || error > 1e4 * TOLERANCE * largest {
        return Err(StressError::Unreachable {
            law: law.name(),
            stress: s.0.to_vec(),
            reached: reached.0.to_vec(),
        });
    }
    let f = diagonal(&e);
    let returned = point.returned(&f);
    if !(0..D).all(|i| (returned[i] - reached[i]).abs() <= YIELDS * largest) {
        return Err(StressError::Yields {
            law: law.name(),
            stress: s.0.to_vec(),
            returned: returned.0.to_vec(),
        });
    }
    let axes = eigen.vectors;
    Ok(axes * f * axes.transpose())
}

/// A law with what is known of a particle.
struct Point<'a, T, const D: usize> {
    law: &'a dyn Material<T, D>,
    given: Given<'a>,
}

impl<T: Scalar, const D: usize> Point<'_, T, D> {
    /// Principal Cauchy stresses for logarithmic stretches along the axes \[Pa\].
    fn stress(&self, e: &Vector<f64, D>) -> Vector<f64, D> {
        self.cauchy(&state_with_history(self.law, &diagonal(e), self.given))
    }
    /// Principal Cauchy stresses after the law has returned from a deformation \[Pa\].
    fn returned(&self, f: &Matrix<f64, D>) -> Vector<f64, D> {
        let state = state_with_history(self.law, f, self.given);
        // Fading is no yielding.
        let fades = self.law.state_layout().strain == Strain::FadingFinger;
        let dt = if fades { 0.0 } else { 1.0 };
        self.cauchy(&self.law.returned(&state, dt))
    }
    fn cauchy(&self, state: &[f64]) -> Vector<f64, D> {
        let tau = self.law.kirchhoff_stress(state);
        let ratio = self.law.volume_ratio(state);
        let mut out = Vector::zero();
        for i in 0..D {
            out[i] = tau[i][i] / ratio;
        }
        out
    }
}

/// diag(exp e_i).
fn diagonal<const D: usize>(e: &Vector<f64, D>) -> Matrix<f64, D> {
    let mut f = Matrix::zero();
    for i in 0..D {
        f[i][i] = e[i].exp();
    }
    f
}

/// Largest difference of two sets of stresses \[Pa\].
fn distance<const D: usize>(a: &Vector<f64, D>, b: &Vector<f64, D>) -> f64 {
    let mut out: f64 = 0.0;
    for i in 0..D {
        let difference = (a[i] - b[i]).abs();
        out = if difference.is_nan() {
            f64::NAN
        } else {
            out.max(difference)
        };
    }
    out
}
