//! Colliders that move as formulas of the time say.

use thixo::collide::shape::{Motion as EngineMotion, Pose};
use thixo_math::{Matrix, Vector};

use crate::error::{Problem, SceneError};
use crate::expression::{Expression, Scratch};
use crate::number::VectorOf;
use crate::obstacle::{Collider, Motion};
use crate::points::VariableColumns;
use crate::scene::Scene;

/// Times in every frame at which a motion is checked, and in all frames at most.
const TIMES: u32 = 32;
const MOST_TIMES: u32 = 320_000;

/// x = R(θ) (X − P) + P + d, with d and θ formulas of t and P the pivot.
#[derive(Clone, Debug)]
pub(crate) struct FormulaMotion<const D: usize> {
    translation: VectorOf<D>,
    velocity: VectorOf<D>,
    angle: Expression,
    rate: Expression,
    /// K with K r = a × r for the unit axis a.
    axis: Matrix<f64, D>,
    pivot: Vector<f64, D>,
}

impl<const D: usize> EngineMotion<D> for FormulaMotion<D> {
    fn pose(&self, time: f64) -> Pose<D> {
        let (sine, cosine) = self.angle.evaluate(&[time]).sin_cos();
        let axis = self.axis;
        let rotation = Matrix::identity() + axis * sine + axis * axis * (1.0 - cosine);
        let spin = axis * self.rate.evaluate(&[time]);
        let turned = rotation * self.pivot;
        let translation = Vector(self.translation.evaluate(&[time])) + self.pivot - turned;
        // p = d + P − R P, so that dp/dt = dd/dt − Ω R P.
        let velocity = Vector(self.velocity.evaluate(&[time])) - spin * turned;
        Pose {
            translation: translation.0,
            rotation,
            velocity: velocity.0,
            spin,
        }
    }
}

impl Scene {
    /// The motion of a collider that is given by formulas.
    pub(crate) fn formula_motion<const D: usize>(
        &self,
        key: &str,
        collider: &Collider,
        motion: &Motion,
    ) -> Result<FormulaMotion<D>, SceneError> {
        let moves = collider.velocity.iter().any(|&v| v != 0.0);
        if moves || collider.angular_velocity.is_some() || collider.pivot.is_some() {
            let range = "absent where velocity, angular_velocity or pivot of the collider say how it moves: give one or the other";
            return Err(self.out_of_range(&format!("{key}.motion"), "given", range));
        }
        let key = format!("{key}.motion");
        let translation_key = format!("{key}.translation");
        let translation =
            self.vector_expression_or_zero::<D>(&translation_key, &motion.translation, &["t"])?;
        let velocity = translation.derivative("t");
        let angle_key = format!("{key}.angle");
        let angle = match &motion.angle {
            Some(angle) => self.expression(&angle_key, angle, &["t"])?,
            None => Expression::from(0.0),
        };
        let rate = angle.derivative("t");
        for a in 0..D {
            let key = format!("{translation_key}[{a}]");
            self.check_over_time(&key, &translation.components()[a])?;
            self.check_over_time(&key, &velocity.components()[a])?;
        }
        self.check_over_time(&angle_key, &angle)?;
        self.check_over_time(&angle_key, &rate)?;
        Ok(FormulaMotion {
            translation,
            velocity,
            angle,
            rate,
            axis: self.axis(&key, motion)?,
            pivot: Vector(self.pivot(&key, motion)?),
        })
    }

    /// Refuses a formula of t that is not finite at some time of some frame.
    pub(crate) fn check_over_time(
        &self,
        key: &str,
        formula: &Expression,
    ) -> Result<(), SceneError> {
        if formula.constant().is_some() {
            return Ok(());
        }
        let parts = 0..=self.time.frames.saturating_mul(TIMES).min(MOST_TIMES);
        let part = self.time.frame_seconds() / f64::from(TIMES);
        let times = parts.map(|k| f64::from(k) * part);
        let columns = VariableColumns::of_times(times.collect());
        let values = self.finite_values(key, formula, &columns, &mut Scratch::default());
        values.map(drop)
    }

    fn pivot<const D: usize>(&self, key: &str, motion: &Motion) -> Result<[f64; D], SceneError> {
        let pivot_key = format!("{key}.pivot");
        match (&motion.angle, &motion.pivot) {
            (_, Some(pivot)) => self.vector(&pivot_key, pivot),
            (None, None) => Ok([0.0; D]),
            (Some(_), None) => Err(self.missing(key, "pivot")),
        }
    }

    fn axis<const D: usize>(
        &self,
        key: &str,
        motion: &Motion,
    ) -> Result<Matrix<f64, D>, SceneError> {
        let axis_key = format!("{key}.axis");
        let axis = match (&motion.angle, &motion.axis, D) {
            (None, None, _) | (Some(_), None, 2) => [0.0, 0.0, 1.0],
            (Some(_), None, _) => return Err(self.missing(key, "axis")),
            (_, Some(axis), 3) => self.vector::<3>(&axis_key, axis)?,
            (_, Some(axis), _) => {
                let range = "absent in dimension 2, where everything turns in the plane";
                return Err(self.out_of_range(&axis_key, format!("{axis:?}"), range));
            }
        };
        let length = Vector(axis).norm();
        if !(length > 0.0 && length.is_finite()) {
            return Err(self.out_of_range(&axis_key, format!("{axis:?}"), "longer than 0"));
        }
        let mut cross = Matrix::zero();
        for (k, (i, j)) in [(1, 2), (2, 0), (0, 1)].into_iter().enumerate() {
            if i < D && j < D {
                cross[j][i] = axis[k] / length;
                cross[i][j] = -axis[k] / length;
            }
        }
        Ok(cross)
    }

    /// A key that a table lacks.
    pub(crate) fn missing(&self, table: &str, key: &str) -> SceneError {
        let problem = Problem::MissingKey {
            key: key.to_owned(),
            table: format!("[{table}]"),
        };
        self.source.error_at_key(&format!("{table}.{key}"), problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tumbling() -> FormulaMotion<3> {
        let text = "dimension = 3\n[grid]\nspacing = 1\n[time]\nframes = 10\n[materials.m]\nmodel = 'fluid'\ndensity = 1\nbulk_modulus = 1\n\
                    [[objects]]\nmaterial = 'm'\nshape = { sphere = { center = [9, 9, 9], radius = 1 } }\n\
                    [[colliders]]\ncontact = 'slip'\nshape = { sphere = { center = [0, 0, 0], radius = 1 } }\n\
                    motion = { translation = ['0.1 * sin(2 * pi * t)', 't^3', 0.2], angle = 't^2 + 0.3', axis = [1, 2, -2], pivot = [0.3, -0.2, 0.1] }\n";
        let scene = Scene::parse(text, "s.toml").unwrap();
        let collider = &scene.colliders[0];
        let motion = collider.motion.as_ref().unwrap();
        scene
            .formula_motion("colliders[0]", collider, motion)
            .unwrap()
    }

    #[test]
    fn velocity_is_the_rate_of_the_pose() {
        let motion = tumbling();
        let (t, e) = (0.7, 1e-5);
        let material = Vector([0.4, 0.9, -0.3]);
        let at = |t: f64| {
            let pose = motion.pose(t);
            pose.rotation * material + Vector(pose.translation)
        };
        let measured = (at(t + e) - at(t - e)) * (0.5 / e);
        let pose = motion.pose(t);
        let from = at(t) - Vector(pose.translation);
        let given = Vector(pose.velocity) + pose.spin * from;
        assert!((measured - given).norm() < 1e-8, "{measured:?} {given:?}");
        let unit = pose.rotation * pose.rotation.transpose() - Matrix::identity();
        assert!(unit.norm_squared().sqrt() < 1e-14);
    }

    #[test]
    fn the_pivot_moves_by_the_translation() {
        let motion = tumbling();
        let pose = motion.pose(0.5);
        let moved = pose.rotation * motion.pivot + Vector(pose.translation) - motion.pivot;
        let expected = Vector([0.1 * core::f64::consts::PI.sin(), 0.125, 0.2]);
        assert!((moved - expected).norm() < 1e-15);
    }
}
