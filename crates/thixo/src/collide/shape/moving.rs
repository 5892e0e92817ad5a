//! Solids that move rigidly, and surfaces that run like a belt. \[Jiang2016\] §12.1.

use core::fmt;
use std::sync::Arc;

use thixo_math::{Matrix, Vector};

use super::{Surface, finite};
use crate::collide::LevelSet;
use crate::error::BuildError;

/// Position and velocity of a rigid solid at a time: x = R X + p.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<const D: usize> {
    /// Translation p \[m\].
    pub translation: [f64; D],
    /// Rotation R \[–\].
    pub rotation: Matrix<f64, D>,
    /// Velocity dp/dt \[m/s\].
    pub velocity: [f64; D],
    /// Spin (dR/dt) Rᵀ, skew \[1/s\].
    pub spin: Matrix<f64, D>,
}

/// A rigid motion in time, with its exact rate.
pub trait Motion<const D: usize>: Send + Sync {
    /// The pose at a time \[s\].
    fn pose(&self, time: f64) -> Pose<D>;
}

impl<const D: usize, F: Fn(f64) -> Pose<D> + Send + Sync> Motion<D> for F {
    fn pose(&self, time: f64) -> Pose<D> {
        self(time)
    }
}

/// A constant velocity together with a constant rotation about a point that moves with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyMotion<const D: usize> {
    pivot: [f64; D],
    velocity: [f64; D],
    spin: Matrix<f64, D>,
}

impl<const D: usize> SteadyMotion<D> {
    /// Around `pivot` \[m\], which moves at `velocity` \[m/s\]; `angular_velocity` \[rad/s\] is a
    /// vector of which 2D uses the third component.
    pub fn new(
        pivot: [f64; D],
        velocity: [f64; D],
        angular_velocity: [f64; 3],
    ) -> Result<Self, BuildError> {
        finite("pivot", "pivot of the motion [m]", pivot)?;
        finite("velocity", "velocity of the motion [m/s]", velocity)?;
        finite(
            "angular_velocity",
            "angular velocity of the motion [rad/s]",
            angular_velocity,
        )?;
        let mut spin = Matrix::zero();
        for (k, (i, j)) in [(1, 2), (2, 0), (0, 1)].into_iter().enumerate() {
            if i < D && j < D {
                spin[j][i] = angular_velocity[k];
                spin[i][j] = -angular_velocity[k];
            }
        }
        Ok(Self {
            pivot,
            velocity,
            spin,
        })
    }
}

impl<const D: usize> Motion<D> for SteadyMotion<D> {
    fn pose(&self, time: f64) -> Pose<D> {
        let rotation = rotation_of(&self.spin, time);
        let pivot = Vector(self.pivot) + Vector(self.velocity) * time;
        let translation = pivot - rotation * Vector(self.pivot);
        // The pivot keeps its velocity: dp/dt = v − Ω R X₀.
        let velocity = Vector(self.velocity) - self.spin * (rotation * Vector(self.pivot));
        Pose {
            translation: translation.0,
            rotation,
            velocity: velocity.0,
            spin: self.spin,
        }
    }
}

/// exp(Ω t) of a skew matrix by Rodrigues' formula, which holds in 2D and 3D.
fn rotation_of<const D: usize>(spin: &Matrix<f64, D>, time: f64) -> Matrix<f64, D> {
    let rate = (0.5 * spin.norm_squared()).sqrt();
    if rate == 0.0 {
        return Matrix::identity();
    }
    let axis = *spin * (1.0 / rate);
    let (sine, cosine) = (rate * time).sin_cos();
    Matrix::identity() + axis * sine + axis * axis * (1.0 - cosine)
}

/// A solid carried along by a motion.
#[derive(Clone)]
pub struct Moving<const D: usize> {
    solid: Arc<dyn LevelSet<D>>,
    motion: Arc<dyn Motion<D>>,
}

impl<const D: usize> Moving<D> {
    /// A solid, given in the position where its motion is the identity.
    pub fn new(solid: impl LevelSet<D> + 'static, motion: impl Motion<D> + 'static) -> Self {
        Self {
            solid: Arc::new(solid),
            motion: Arc::new(motion),
        }
    }
}

impl<const D: usize> fmt::Debug for Moving<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Moving")
            .field("solid", &self.solid)
            .finish_non_exhaustive()
    }
}

impl<const D: usize> LevelSet<D> for Moving<D> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        let pose = self.motion.pose(time);
        let from = Vector(position) - Vector(pose.translation);
        let own = self
            .solid
            .surface((pose.rotation.transpose() * from).0, time);
        Surface {
            distance: own.distance,
            normal: (pose.rotation * Vector(own.normal)).0,
        }
    }
    fn velocity(&self, position: [f64; D], time: f64) -> [f64; D] {
        let pose = self.motion.pose(time);
        let from = Vector(position) - Vector(pose.translation);
        let own = self
            .solid
            .velocity((pose.rotation.transpose() * from).0, time);
        (Vector(pose.velocity) + pose.spin * from + pose.rotation * Vector(own)).0
    }
    fn thickness(&self) -> f64 {
        self.solid.thickness()
    }
    fn clearance(&self) -> f64 {
        self.solid.clearance()
    }
}

/// A solid whose surface moves tangentially, such as a conveyor belt: contact sees an additional
/// velocity.
#[derive(Clone, Debug)]
pub struct Running<const D: usize> {
    solid: Arc<dyn LevelSet<D>>,
    surface_velocity: [f64; D],
}

impl<const D: usize> Running<D> {
    /// A solid with the velocity of its surface \[m/s\]; the normal component is ignored.
    pub fn new(
        solid: impl LevelSet<D> + 'static,
        surface_velocity: [f64; D],
    ) -> Result<Self, BuildError> {
        Ok(Self {
            solid: Arc::new(solid),
            surface_velocity: finite(
                "surface_velocity",
                "velocity of the surface [m/s]",
                surface_velocity,
            )?,
        })
    }
}

impl<const D: usize> LevelSet<D> for Running<D> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        self.solid.surface(position, time)
    }
    fn velocity(&self, position: [f64; D], time: f64) -> [f64; D] {
        let normal = Vector(self.solid.surface(position, time).normal);
        let running = Vector(self.surface_velocity);
        let along = running - normal * normal.dot(running);
        (Vector(self.solid.velocity(position, time)) + along).0
    }
    fn thickness(&self) -> f64 {
        self.solid.thickness()
    }
    fn clearance(&self) -> f64 {
        self.solid.clearance()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::shape::{Cuboid, Plane, conformance};

    fn tumbling() -> SteadyMotion<3> {
        SteadyMotion::new([0.3, -0.2, 0.1], [1.0, 0.5, -0.4], [2.0, -1.0, 3.0]).unwrap()
    }

    #[test]
    fn velocities_are_the_rate_of_the_pose() {
        let motion = tumbling();
        let (t, e) = (0.7, 1e-5);
        let material = Vector([0.4, 0.9, -0.3]);
        let at = |t: f64| {
            let pose = motion.pose(t);
            pose.rotation * material + Vector(pose.translation)
        };
        let measured = (at(t + e) - at(t - e)) * (0.5 / e);
        let cube = Cuboid::new([-1.0; 3], [1.0; 3]).unwrap();
        let moving = Moving::new(cube, motion);
        let given = Vector(moving.velocity(at(t).0, t));
        assert!((measured - given).norm() < 1e-8);
        let r = motion.pose(t).rotation;
        let unit = r * r.transpose() - Matrix::identity();
        assert!(unit.norm_squared().sqrt() < 1e-14);
    }

    #[test]
    fn a_moving_solid_is_a_level_set_and_carries_its_points_along() {
        let cube = Cuboid::new([-0.5; 3], [0.5, 0.6, 0.7]).unwrap();
        let moving = Moving::new(cube, |_: f64| tumbling().pose(0.4));
        conformance::check(&moving, 2.0);
        let pose = tumbling().pose(0.4);
        let inside = pose.rotation * Vector([0.1, 0.2, 0.3]) + Vector(pose.translation);
        let own = cube.surface([0.1, 0.2, 0.3], 0.0).distance;
        assert!((moving.surface(inside.0, 0.4).distance - own).abs() < 1e-14);
    }

    #[test]
    fn a_turn_in_the_plane_uses_the_third_component() {
        let motion = SteadyMotion::new([0.0; 2], [0.0; 2], [9.0, 9.0, 2.0]).unwrap();
        let moving = Moving::new(Plane::new([0.0, 0.0], [0.0, 1.0]).unwrap(), motion);
        let v = moving.velocity([1.0, 0.0], 0.0);
        assert!((v[0]).abs() < 1e-15 && (v[1] - 2.0).abs() < 1e-15);
    }

    #[test]
    fn a_belt_runs_along_its_surface_only() {
        let floor = Plane::new([0.0, 0.0], [0.0, 1.0]).unwrap();
        let belt = Running::new(floor, [1.5, 2.0]).unwrap();
        assert_eq!(belt.velocity([0.3, 0.0], 0.0), [1.5, 0.0]);
    }
}
