//! The friction potential of one contact, and its state in the method of multipliers.
//!
//! A contact with normal impulse p exerts a friction impulse of at most μp along the surface (the
//! cone limit). With p known, that impulse is the negative gradient of a potential of the sliding
//! velocity u. The augmented Lagrangian replaces it by a smooth one, with multiplier s and penalty
//! k,
//!
//! φ(u) = −s·u + ½ k u² where |s − k u| ≤ μp, and (μp |s − k u| − ½ (μp)² − ½ s²)/k beyond,
//!
//! so that −∂φ/∂u is the trial impulse s − k u, projected onto the cone. With s = 0 sticking matter
//! slides with μp/k at most. After every solve s is replaced by −∂φ/∂u, and p by the impulse found,
//! until neither changes; sticking matter does not slide in the limit, whatever k is. Equation
//! (23e), \[Simo1992\].

use thixo_math::{Matrix, Vector};
use thixo_par::Scalar;

use super::constraints::{set_vector, to_vector};
use crate::grid::Node;

/// Penalty k over the inertia of the node. A larger one needs fewer updates of the multipliers,
/// with more iterations in each solve.
const PENALTY: f64 = 4.0;

/// Treatment of friction during a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrictionTreatment {
    /// A constant impulse, known from the solve before: for linear systems. The part that a solve
    /// shows to be missing is applied to the velocities after it.
    Lagged,
    /// A term of the objective, by its potential.
    Implicit,
}

/// A contact of a node at which friction may act.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrictionContact<const D: usize> {
    /// Index of the node.
    pub node: usize,
    /// Unit normal of the surface.
    pub normal: Vector<f64, D>,
    /// Velocity of the surface \[m/s\].
    pub solid: Vector<f64, D>,
    /// Largest friction impulse μp \[N s\].
    pub cone_limit: f64,
}

impl<const D: usize> FrictionContact<D> {
    /// Tangential component of a vector.
    pub fn tangential(&self, x: Vector<f64, D>) -> Vector<f64, D> {
        x - self.normal * x.dot(self.normal)
    }
    /// Sliding velocity u \[m/s\].
    pub fn sliding<T: Scalar>(&self, v: &Node<T>) -> Vector<f64, D> {
        self.tangential(to_vector(v) - self.solid)
    }
}

/// The Hessian ∂²φ/∂v² of a contact as a matrix a (I − n nᵀ − b bᵀ).
#[derive(Clone, Copy, Debug)]
pub(super) struct TangentHessian<const D: usize> {
    /// Unit normal n of the surface.
    normal: Vector<f64, D>,
    /// Scale a \[kg\].
    pub scale: f64,
    /// Tangential vector b, of length 1 at most.
    reduced: Vector<f64, D>,
}

impl<const D: usize> TangentHessian<D> {
    /// Product with a vector.
    pub fn times(&self, x: Vector<f64, D>) -> Vector<f64, D> {
        let tangential = x - self.normal * x.dot(self.normal);
        (tangential - self.reduced * x.dot(self.reduced)) * self.scale
    }
    /// All entries.
    pub fn matrix(&self) -> Matrix<f64, D> {
        let mut matrix = Matrix::zero();
        for a in 0..D {
            let mut axis = Vector::zero();
            axis[a] = 1.0;
            matrix[a] = self.times(axis).0;
        }
        matrix
    }
}

/// The state of the method of multipliers at a contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrictionState<const D: usize> {
    /// The contact, with the cone limit of the last update.
    pub contact: FrictionContact<D>,
    /// Multiplier s \[N s\].
    pub multiplier: Vector<f64, D>,
    /// Penalty k \[kg\]; zero for lagged friction.
    pub penalty: f64,
    /// Inertia of the node, its mass or the diagonal of H \[kg\].
    inertia: f64,
    /// ∂²φ/∂v² at the last linearization.
    pub hessian: TangentHessian<D>,
}

impl<const D: usize> FrictionState<D> {
    /// The state before the first update: no friction.
    pub fn new(contact: FrictionContact<D>, inertia: f64) -> Self {
        Self {
            contact: FrictionContact {
                cone_limit: 0.0,
                ..contact
            },
            multiplier: Vector::zero(),
            penalty: 0.0,
            inertia,
            hessian: TangentHessian {
                normal: contact.normal,
                scale: 0.0,
                reduced: Vector::zero(),
            },
        }
    }
    /// Updates multiplier and cone limit after a solve; returns the error of the impulse that acted
    /// in it \[N s\].
    pub fn update<T: Scalar>(
        &mut self,
        treatment: FrictionTreatment,
        contact: FrictionContact<D>,
        v: &mut Node<T>,
    ) -> f64 {
        let u = contact.sliding(v);
        let acted = self.impulse(u);
        self.contact = contact;
        match treatment {
            FrictionTreatment::Lagged => {
                let trial = self.multiplier - u * self.inertia;
                self.multiplier = project_onto_cone(trial, contact.cone_limit);
                let missing = self.multiplier - acted;
                if self.inertia > 0.0 {
                    let slowed = to_vector(v) + missing * (1.0 / self.inertia);
                    set_vector(v, slowed);
                }
                missing.norm()
            }
            FrictionTreatment::Implicit => {
                let sticks = self.trial_impulse(u).norm() < contact.cone_limit;
                self.multiplier = self.impulse(u);
                self.penalty = PENALTY * self.inertia;
                let to_stop = if sticks { self.inertia * u.norm() } else { 0.0 };
                (self.multiplier - acted).norm() + to_stop
            }
        }
    }
    /// s − k u \[N s\].
    fn trial_impulse(&self, u: Vector<f64, D>) -> Vector<f64, D> {
        self.multiplier - u * self.penalty
    }
    /// Friction impulse −∂φ/∂u \[N s\].
    pub fn impulse(&self, u: Vector<f64, D>) -> Vector<f64, D> {
        project_onto_cone(self.trial_impulse(u), self.contact.cone_limit)
    }
    /// φ(u) \[J\].
    pub fn energy(&self, u: Vector<f64, D>) -> f64 {
        let trial = self.trial_impulse(u).norm();
        let (limit, k) = (self.contact.cone_limit, self.penalty);
        if trial <= limit || k == 0.0 {
            0.5 * k * u.norm_squared() - self.multiplier.dot(u)
        } else {
            (limit * trial - 0.5 * limit * limit - 0.5 * self.multiplier.norm_squared()) / k
        }
    }
    /// ∂²φ/∂v², with a share of the secant modulus μp/|s − k u| · k along the sliding direction,
    /// where the exact second derivative is zero.
    pub fn hessian_at(&self, u: Vector<f64, D>, secant_share: f64) -> TangentHessian<D> {
        let trial = self.trial_impulse(u);
        let (size, limit) = (trial.norm(), self.contact.cone_limit);
        let (scale, reduced) = if limit == 0.0 {
            (0.0, Vector::zero())
        } else if size <= limit {
            (self.penalty, Vector::zero())
        } else {
            let reduced = trial * ((1.0 - secant_share).sqrt() / size);
            (self.penalty * limit / size, reduced)
        };
        TangentHessian {
            normal: self.contact.normal,
            scale,
            reduced,
        }
    }
}

/// The impulse within the friction cone that is nearest to a given one.
fn project_onto_cone<const D: usize>(impulse: Vector<f64, D>, cone_limit: f64) -> Vector<f64, D> {
    let size = impulse.norm();
    if size <= cone_limit {
        impulse
    } else {
        impulse * (cone_limit / size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECANT_SHARE: f64 = 0.5;

    /// A contact on a moving slope of 45°, with a multiplier.
    fn state() -> FrictionState<3> {
        let half = 0.5f64.sqrt();
        let contact = FrictionContact {
            node: 0,
            normal: Vector([half, half, 0.0]),
            solid: Vector([1.0, 0.0, 0.5]),
            cone_limit: 2.0,
        };
        FrictionState {
            contact,
            multiplier: contact.tangential(Vector([0.5, -0.2, 0.3])),
            penalty: 5.0,
            ..FrictionState::new(contact, 1.25)
        }
    }

    #[test]
    fn the_impulse_is_the_negative_gradient_and_lies_in_the_cone() {
        let state = state();
        let limit = state.contact.cone_limit;
        let step = 1e-6;
        let mut sticking = 0;
        for k in 0..40 {
            let angle = 0.7 * f64::from(k);
            let along = Vector([angle.sin(), -angle.sin(), angle.cos()]);
            let u = along * (0.03 * f64::from(k));
            let impulse = state.impulse(u);
            assert!(impulse.norm() <= limit * (1.0 + 1e-12));
            sticking += i32::from(state.trial_impulse(u).norm() <= limit);
            for d in [Vector([1.0, -1.0, 0.0]), Vector([0.0, 0.0, 1.0])] {
                let slope = (state.energy(u + d * step) - state.energy(u - d * step)) / step;
                assert!((0.5 * slope + impulse.dot(d)).abs() < 1e-8, "{k}: {slope}");
            }
        }
        assert!((5..35).contains(&sticking), "both cases: {sticking}");
    }

    #[test]
    fn the_hessian_is_exact_without_the_secant_and_no_less_with_it() {
        let state = state();
        let step = 1e-6;
        for size in [0.05, 2.0] {
            let u = Vector([size, -size, 0.3 * size]);
            let exact = state.hessian_at(u, 0.0);
            let secant = state.hessian_at(u, SECANT_SHARE);
            for d in [Vector([1.0, -1.0, 0.0]), Vector([0.0, 0.0, 1.0])] {
                let change = state.impulse(u - d * step) - state.impulse(u + d * step);
                let change = change * (0.5 / step);
                assert!((exact.times(d) - change).norm() < 1e-6, "{change:?}");
                assert!((exact.matrix() * d - change).norm() < 1e-6);
                assert!(secant.times(d).dot(d) >= exact.times(d).dot(d));
            }
            assert!(exact.times(state.contact.normal).norm() < 1e-12);
        }
        // A contact without normal impulse has no Hessian, at rest either.
        let mut loose = FrictionState::new(state.contact, 1.0);
        loose.penalty = 4.0;
        assert_eq!(loose.hessian_at(Vector::zero(), SECANT_SHARE).scale, 0.0);
    }
}
