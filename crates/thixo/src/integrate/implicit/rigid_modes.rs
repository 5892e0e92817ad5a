//! Deflation of rigid translation modes: minimisation of E over the rigid velocities of connected
//! components.

use thixo_par::Scalar;

use super::rigid_translation::RigidTranslation;
use super::system::System;
use crate::grid::Field;

/// Newton iterations for the rigid velocities of components with friction, at most.
const ITERATIONS: u32 = 20;
/// Such velocities are converged when a step decreases E by less than this share of the whole
/// decrease.
const TOLERANCE: f64 = 1e-6;

impl<T: Scalar, const D: usize> System<'_, T, D> {
    /// Subtracts from `v` the rigid translation at which E is minimal, in directions in which no
    /// constraint but friction acts, and updates the gradient; returns the decrease of E \[J\].
    ///
    /// Internal forces do not depend on the translation: E is quadratic in it but for friction,
    /// which a few contacts determine, so that its Newton iterations cost nothing. Anchors of
    /// meshes resist translations: with them it leaves all as it is.
    pub fn deflate_rigid_modes(&mut self, v: &mut Field<T, 4>, gradient: &mut Field<T, 4>) -> f64 {
        if self.objective.meshes.is_anchored() {
            return 0.0;
        }
        let (v, gradient) = (v.values_mut(), gradient.values_mut());
        let masses = self.objective.predicted();
        let (components, friction) = (&mut self.components, &self.objective.friction);
        let gradients = components.sums(gradient);
        let mut translation = RigidTranslation::zero(components);
        let mut decrease = 0.0;
        let mut residuals = gradients.clone();
        // Without friction the first iteration gives the minimum.
        for _ in 0..ITERATIONS {
            // The exact Hessian may overshoot where matter comes to rest; the secant one does not.
            let step = [0.0, 1.0].into_iter().find_map(|secant_share| {
                let at = |node| translation.at(node, components);
                let hessians = friction.hessians_at(v, at, secant_share);
                let hessians: Vec<_> = hessians.collect();
                components.set_friction(hessians.into_iter());
                let next = translation.newton_step(&residuals, components);
                let linear = next.decrease(&gradients, components);
                let at = |node| next.at(node, components);
                let next_decrease = linear - friction.linearization_error(v, at);
                (next_decrease > decrease).then_some((next, next_decrease))
            });
            let Some((next, next_decrease)) = step else {
                break;
            };
            let gain = next_decrease - decrease;
            (translation, decrease) = (next, next_decrease);
            if friction.is_empty() || gain < TOLERANCE * decrease {
                break;
            }
            residuals = translation.residuals(&gradients, components);
            friction.for_each_gradient_change(
                v,
                |node| translation.at(node, components),
                |node, change| {
                    residuals[components.of_node(node)] += change;
                },
            );
        }
        friction.add_gradient(|node| v[node], -1.0, gradient);
        translation.add_to(v, -1.0, components);
        translation.subtract_momenta(gradient, masses, components);
        friction.add_gradient(|node| v[node], 1.0, gradient);
        decrease
    }
}
