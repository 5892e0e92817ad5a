//! Velocities of objects at the start: numbers or formulas, and a rotation.

use crate::error::SceneError;
use crate::expression::Scratch;
use crate::number::VectorOf;
use crate::object::Object;
use crate::points::{self, VariableColumns};
use crate::scene::Scene;

/// The motion of an object at the start.
#[derive(Debug)]
pub(crate) struct InitialVelocity<const D: usize> {
    key: String,
    velocity: VectorOf<D>,
    /// The gradient of the rotation \[1/s\].
    spin: [[f64; D]; D],
    /// The middle of the object's shape, about which it turns \[m\].
    middle: [f64; D],
}

impl Scene {
    /// The velocity of an object at the start as formulas of place and place within the object.
    pub(crate) fn initial_velocity<const D: usize>(
        &self,
        key: &str,
        object: &Object,
    ) -> Result<VectorOf<D>, SceneError> {
        let variables = points::place_and_local::<D>();
        let key = format!("{key}.velocity");
        self.vector_expression_or_zero(&key, &object.velocity, &variables)
    }
}

impl<const D: usize> InitialVelocity<D> {
    /// The motion of the object with a key: a velocity, and a rotation about its middle \[m\].
    pub fn new(key: &str, velocity: VectorOf<D>, spin: [[f64; D]; D], middle: [f64; D]) -> Self {
        Self {
            key: format!("{key}.velocity"),
            velocity,
            spin,
            middle,
        }
    }

    /// Velocities at points \[m/s\].
    pub fn velocities(
        &self,
        scene: &Scene,
        points: &[[f64; D]],
        scratch: &mut Scratch,
    ) -> Result<Vec<[f64; D]>, SceneError> {
        let constant = self.velocity.constant();
        let mut velocities = vec![constant.unwrap_or([0.0; D]); points.len()];
        for (velocity, x) in velocities.iter_mut().zip(points) {
            for i in 0..D {
                for j in 0..D {
                    velocity[i] += self.spin[i][j] * (x[j] - self.middle[j]);
                }
            }
        }
        if constant.is_some() {
            return Ok(velocities);
        }
        let columns = VariableColumns::with_local(points, self.middle);
        for (i, component) in self.velocity.components().iter().enumerate() {
            let key = format!("{}[{i}]", self.key);
            let values = scene.finite_values(&key, component, &columns, scratch)?;
            for (velocity, value) in velocities.iter_mut().zip(values) {
                velocity[i] += value;
            }
        }
        Ok(velocities)
    }

    /// Gradients of the velocity at points \[1/s\], row by row; those of formulas are exact.
    pub fn gradients(
        &self,
        scene: &Scene,
        points: &[[f64; D]],
        scratch: &mut Scratch,
    ) -> Result<Vec<[[f64; D]; D]>, SceneError> {
        let mut gradients = vec![self.spin; points.len()];
        if self.velocity.constant().is_some() {
            return Ok(gradients);
        }
        let columns = VariableColumns::with_local(points, self.middle);
        for (i, component) in self.velocity.components().iter().enumerate() {
            let key = format!("{}[{i}]", self.key);
            for (j, derivatives) in points::partial_derivatives::<D>(component)
                .iter()
                .enumerate()
            {
                for derivative in derivatives.iter().filter(|d| d.constant() != Some(0.0)) {
                    let values = scene.finite_values(&key, derivative, &columns, scratch)?;
                    for (gradient, value) in gradients.iter_mut().zip(values) {
                        gradient[i][j] += value;
                    }
                }
            }
        }
        Ok(gradients)
    }
}
