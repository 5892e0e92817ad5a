//! Coulomb friction of separating contacts as a term of the objective, equation (23e).

use thixo_math::{Matrix, Vector};
use thixo_par::Scalar;

use super::active_set::ContactResidual;
use super::constraints::{set_vector, to_vector};
use super::energy_term::{EnergyTerm, EnergyValue};
use super::friction_contact::{FrictionContact, FrictionState, FrictionTreatment};
use crate::grid::Node;
use crate::material::potential::Definiteness;

/// Share of the secant modulus in the Hessian along the sliding direction, where φ has none: with
/// the exact Hessian, Newton steps overshoot wherever matter comes to rest in the step, and back
/// again. The share leaves a third of the iterations.
const SECANT_SHARE: f64 = 0.5;

/// The friction of all contacts.
#[derive(Clone, Debug, Default)]
pub(super) struct Friction<const D: usize>(Vec<FrictionState<D>>);

impl<const D: usize> Friction<D> {
    /// Updates multipliers and cone limits after a solve that ended with velocities `v`; `contacts`
    /// have the new cone limits, in the same order every time. `inertia` of a node \[kg\] is
    /// evaluated in the first update only. Returns the error of the friction impulses relative to
    /// the cone limits.
    pub fn update<T: Scalar>(
        &mut self,
        treatment: FrictionTreatment,
        contacts: impl Iterator<Item = FrictionContact<D>>,
        v: &mut [Node<T>],
        inertia: impl Fn(usize) -> f64,
    ) -> ContactResidual {
        let is_first = self.0.is_empty();
        let mut residual = ContactResidual::default();
        for (k, contact) in contacts.enumerate() {
            let node = contact.node;
            if is_first {
                self.0.push(FrictionState::new(contact, inertia(node)));
            }
            residual.add(self.0[k].update(treatment, contact, &mut v[node]), node);
            residual.total += contact.cone_limit;
        }
        residual
    }
    /// True before the first update, and where no contact has friction.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// Adds ∂φ/∂v \[N s\] at velocities `v`, times a factor.
    pub fn add_gradient<T: Scalar>(
        &self,
        v: impl Fn(usize) -> Node<T>,
        factor: f64,
        gradient: &mut [Node<T>],
    ) {
        for state in &self.0 {
            let node = state.contact.node;
            let impulse = state.impulse(state.contact.sliding(&v(node)));
            let sum = to_vector(&gradient[node]) - impulse * factor;
            set_vector(&mut gradient[node], sum);
        }
    }
    /// Remainder φ(v − d) − φ(v) + d · ∂φ/∂v of the linearization \[J\], for steps −d of the nodes.
    pub fn linearization_error<T: Scalar>(
        &self,
        v: &[Node<T>],
        d: impl Fn(usize) -> Vector<f64, D>,
    ) -> f64 {
        let error = |state: &FrictionState<D>| {
            let (u, d) = sliding_and_step(state, v, &d);
            state.energy(u - d) - state.energy(u) - d.dot(state.impulse(u))
        };
        self.0.iter().map(error).sum()
    }
    /// Calls `visit` with every node and the change of ∂φ/∂v there by steps −d \[N s\].
    pub fn for_each_gradient_change<T: Scalar>(
        &self,
        v: &[Node<T>],
        d: impl Fn(usize) -> Vector<f64, D>,
        mut visit: impl FnMut(usize, Vector<f64, D>),
    ) {
        for state in &self.0 {
            let (u, d) = sliding_and_step(state, v, &d);
            visit(state.contact.node, state.impulse(u) - state.impulse(u - d));
        }
    }
    /// Hessians at v − d, by node \[kg\], with a share of the secant modulus.
    pub fn hessians_at<T: Scalar>(
        &self,
        v: &[Node<T>],
        d: impl Fn(usize) -> Vector<f64, D>,
        secant_share: f64,
    ) -> impl Iterator<Item = (usize, Matrix<f64, D>)> {
        self.0.iter().filter_map(move |state| {
            let (u, d) = sliding_and_step(state, v, &d);
            let hessian = state.hessian_at(u - d, secant_share);
            (hessian.scale > 0.0).then(|| (state.contact.node, hessian.matrix()))
        })
    }
    /// Hessians of the last linearization, by node \[kg\].
    pub fn hessians(&self) -> impl Iterator<Item = (usize, Matrix<f64, D>)> {
        let nonzero = self.0.iter().filter(|state| state.hessian.scale > 0.0);
        nonzero.map(|state| (state.contact.node, state.hessian.matrix()))
    }
}

/// Sliding velocity of a contact, and the tangential component of the step `d` of its node.
fn sliding_and_step<T: Scalar, const D: usize>(
    state: &FrictionState<D>,
    v: &[Node<T>],
    d: impl Fn(usize) -> Vector<f64, D>,
) -> (Vector<f64, D>, Vector<f64, D>) {
    let (contact, node) = (&state.contact, state.contact.node);
    (contact.sliding(&v[node]), contact.tangential(d(node)))
}

impl<T: Scalar, const D: usize> EnergyTerm<T, D> for Friction<D> {
    /// Σ φ \[J\].
    fn energy(&self, v: &[Node<T>]) -> EnergyValue {
        let energy = |state: &FrictionState<D>| {
            let contact = &state.contact;
            state.energy(contact.sliding(&v[contact.node]))
        };
        let value: f64 = self.0.iter().map(energy).sum();
        EnergyValue {
            value,
            rounding: T::EPSILON * value.abs(),
        }
    }
    fn gradient(&self, v: Option<&[Node<T>]>, gradient: &mut [Node<T>]) {
        match v {
            Some(v) => self.add_gradient(|node| v[node], 1.0, gradient),
            None => self.add_gradient(|_| [T::zero(); 4], 1.0, gradient),
        }
    }
    /// The Hessian is positive semi-definite: nothing has to be projected.
    fn linearize(&mut self, v: &[Node<T>], _definiteness: Definiteness) {
        for state in &mut self.0 {
            let u = state.contact.sliding(&v[state.contact.node]);
            state.hessian = state.hessian_at(u, SECANT_SHARE);
        }
    }
    /// Contacts act with all of their stiffness.
    fn product(&self, x: &[Node<T>], _share: f64, out: &mut [Node<T>]) -> f64 {
        let mut product = 0.0;
        for state in &self.0 {
            let node = state.contact.node;
            let own = to_vector(&x[node]);
            let times = state.hessian.times(own);
            product += own.dot(times);
            let sum = to_vector(&out[node]) + times;
            set_vector(&mut out[node], sum);
        }
        product
    }
    fn diagonal(&self, diagonal: &mut [Node<T>]) {
        for (node, hessian) in self.hessians() {
            for a in 0..D {
                diagonal[node][a] += T::from_f64(hessian[a][a]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A node of 2 kg that would slide at 3 m/s: the multipliers converge to the impulse that stops
    /// it, or to the cone limit.
    #[test]
    fn multipliers_stop_a_node_or_slow_it_by_the_cone_limit() {
        for (cone_limit, expected) in [(10.0, 0.0f64), (4.0, 1.0)] {
            let contact = FrictionContact {
                node: 0,
                normal: Vector([0.0, 1.0]),
                solid: Vector([0.5, 0.0]),
                cone_limit,
            };
            let mut friction = Friction::default();
            let mut v = [[3.5f64, 0.0, 0.0, 0.0]];
            let mut residual = ContactResidual::default();
            for _ in 0..6 {
                let contacts = [contact].into_iter();
                let treatment = FrictionTreatment::Implicit;
                residual = friction.update(treatment, contacts, &mut v, |_| 2.0);
                // The minimum of ½ 2 (v − 3.5)² + φ, by bisection of its derivative.
                let (mut low, mut high) = (-10.0, 10.0);
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    v[0][0] = middle;
                    let mut gradient = [[2.0 * (middle - 3.5), 0.0, 0.0, 0.0]];
                    friction.add_gradient(|_| v[0], 1.0, &mut gradient);
                    if gradient[0][0] > 0.0 {
                        high = middle;
                    } else {
                        low = middle;
                    }
                }
            }
            assert!((v[0][0] - 0.5 - expected).abs() < 1e-3, "{v:?}");
            assert!(residual.violation < 1e-2 * residual.total, "{residual:?}");
        }
    }
}
