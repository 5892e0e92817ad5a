//! Continuous collision detection: the first impact of a particle's trajectory on a moving solid,
//! by conservative advancement along the trajectory, equation (8c).

use thixo_math::Vector;

use super::LevelSet;
use super::shape::Surface;

/// Most evaluations along a trajectory before the particle is stopped at its current point.
const MAX_EVALUATIONS: usize = 128;
/// Bisections of the interval in which a trajectory enters a solid.
const HALVINGS: usize = 12;

/// A straight trajectory from one position \[m\] and time \[s\] to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trajectory<const D: usize> {
    /// Start \[m\].
    pub from: Vector<f64, D>,
    /// End \[m\].
    pub to: Vector<f64, D>,
    /// Times at start and end \[s\].
    pub times: [f64; 2],
}

impl<const D: usize> Trajectory<D> {
    fn at(&self, fraction: f64) -> (Vector<f64, D>, f64) {
        let [begin, end] = self.times;
        let position = self.from + (self.to - self.from) * fraction;
        (position, begin + (end - begin) * fraction)
    }
}

/// First point of contact of a trajectory with a solid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Impact<const D: usize> {
    /// Fraction of the trajectory before the impact, 0 to 1 \[–\].
    pub fraction: f64,
    /// Position of the particle at the impact \[m\].
    pub position: Vector<f64, D>,
    /// Time of impact \[s\].
    pub time: f64,
    /// Outward unit normal of the surface \[–\].
    pub normal: Vector<f64, D>,
    /// Velocity of the solid \[m/s\].
    pub solid_velocity: Vector<f64, D>,
}

/// A surface that particles may not cross: the level surface at a given depth in a solid.
#[derive(Clone, Copy, Debug)]
pub(super) struct OffsetSurface<'a, const D: usize> {
    /// The solid.
    pub shape: &'a dyn LevelSet<D>,
    /// Depth of the surface in the solid \[m\].
    pub depth: f64,
    /// Longest step of the search \[m\]: a quarter of the thickness of the solid behind the
    /// surface, so that no step passes the solid.
    pub step: f64,
}

impl<const D: usize> OffsetSurface<'_, D> {
    /// Signed distance from the offset surface \[m\], and normal.
    pub fn at(&self, position: Vector<f64, D>, time: f64) -> Surface<D> {
        let surface = self.shape.surface(position.0, time);
        Surface {
            distance: surface.distance + self.depth,
            ..surface
        }
    }
    /// Velocity of the solid at a position \[m\] and time \[s\] \[m/s\].
    pub fn velocity(&self, position: Vector<f64, D>, time: f64) -> Vector<f64, D> {
        Vector(self.shape.velocity(position.0, time))
    }

    /// The first point at which the trajectory enters the offset surface, or moves deeper from a
    /// start inside.
    pub fn first_impact(&self, trajectory: &Trajectory<D>) -> Option<Impact<D>> {
        let (mut fraction, mut outside) = (0.0, None);
        for _ in 0..MAX_EVALUATIONS {
            let (x, t) = trajectory.at(fraction);
            let surface = self.at(x, t);
            let (relative, rate) = self.rate(trajectory, fraction, surface);
            if surface.distance > 0.0 {
                outside = Some(fraction);
                if surface.distance > rate * (1.0 - fraction) {
                    return None;
                }
            } else if let Some(before) = outside {
                return Some(self.entry(trajectory, before, fraction));
            } else if relative.dot(Vector(surface.normal)) < 0.0 {
                return Some(self.impact(trajectory, fraction));
            }
            if fraction >= 1.0 {
                return None;
            }
            // The distance that the surface cannot close, or a step that cannot pass the solid.
            fraction = (fraction + surface.distance.max(self.step) / rate).min(1.0);
        }
        Some(self.impact(trajectory, fraction))
    }

    /// Displacement relative to the solid over the whole trajectory \[m\], and a bound of the
    /// change of distance over it \[m\].
    fn rate(
        &self,
        trajectory: &Trajectory<D>,
        fraction: f64,
        surface: Surface<D>,
    ) -> (Vector<f64, D>, f64) {
        let (x, t) = trajectory.at(fraction);
        let [begin, end] = trajectory.times;
        let solid = self.velocity(x, t);
        let relative = (trajectory.to - trajectory.from) - solid * (end - begin);
        let mut rate = relative.norm();
        if fraction < 1.0 {
            // Change of distance with time that the solid's velocity does not explain: deformation,
            // rotation.
            let explained = -solid.dot(Vector(surface.normal)) * (end - t);
            let change = self.at(x, end).distance - surface.distance;
            rate += (change - explained).abs() / (1.0 - fraction);
        }
        (relative, rate)
    }

    /// The impact between a fraction of the trajectory outside the surface and one inside, by
    /// bisection.
    fn entry(&self, trajectory: &Trajectory<D>, mut outside: f64, mut inside: f64) -> Impact<D> {
        for _ in 0..HALVINGS {
            let middle = 0.5 * (outside + inside);
            let (x, t) = trajectory.at(middle);
            if self.at(x, t).distance > 0.0 {
                outside = middle;
            } else {
                inside = middle;
            }
        }
        self.impact(trajectory, outside)
    }

    fn impact(&self, trajectory: &Trajectory<D>, fraction: f64) -> Impact<D> {
        let (position, time) = trajectory.at(fraction);
        Impact {
            fraction,
            position,
            time,
            normal: Vector(self.at(position, time).normal),
            solid_velocity: self.velocity(position, time),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::shape::{Cuboid, Moving, SteadyMotion};

    fn trajectory(from: [f64; 2], to: [f64; 2]) -> Trajectory<2> {
        Trajectory {
            from: Vector(from),
            to: Vector(to),
            times: [0.0, 1.0],
        }
    }

    #[test]
    fn a_path_through_a_plate_is_stopped_where_it_enters() {
        let plate = Cuboid::new([0.0, -9.0], [0.03, 9.0]).unwrap();
        let offset_surface = OffsetSurface {
            shape: &plate,
            depth: 0.0,
            step: 0.0075,
        };
        let impact = offset_surface
            .first_impact(&trajectory([-0.5, 0.0], [0.5, 1.0]))
            .unwrap();
        assert!((impact.fraction - 0.5).abs() < 1e-4 && impact.position[0] <= 0.0);
        assert_eq!(impact.normal, Vector([-1.0, 0.0]));
        assert!(
            offset_surface
                .first_impact(&trajectory([-0.5, 0.0], [-0.01, 1.0]))
                .is_none()
        );
        assert!(
            offset_surface
                .first_impact(&trajectory([0.01, 0.0], [0.5, 1.0]))
                .is_some()
        );
        assert!(
            offset_surface
                .first_impact(&trajectory([0.02, 0.0], [0.5, 1.0]))
                .is_none()
        );
    }

    #[test]
    fn a_plate_that_moves_hits_what_is_at_rest_and_misses_what_flees() {
        let plate = Cuboid::new([0.0, -9.0], [0.03, 9.0]).unwrap();
        let motion = SteadyMotion::new([0.0; 2], [1.0, 0.0], [0.0; 3]).unwrap();
        let moving = Moving::new(plate, motion);
        let offset_surface = OffsetSurface {
            shape: &moving,
            depth: 0.0,
            step: 0.0075,
        };
        let impact = offset_surface
            .first_impact(&trajectory([0.53, 0.0], [0.53, 0.0]))
            .unwrap();
        assert!((impact.fraction - 0.5).abs() < 1e-4);
        assert_eq!(impact.solid_velocity, Vector([1.0, 0.0]));
        assert!(
            offset_surface
                .first_impact(&trajectory([0.53, 0.0], [1.5, 0.0]))
                .is_none()
        );
    }

    #[test]
    fn a_barrier_in_the_depth_of_a_wall_is_not_jumped() {
        let wall = Cuboid::new([0.0, -9.0], [0.2, 9.0]).unwrap();
        let offset_surface = OffsetSurface {
            shape: &wall,
            depth: 0.098,
            step: 0.001,
        };
        let impact = offset_surface
            .first_impact(&trajectory([0.09, 0.0], [0.17, 0.0]))
            .unwrap();
        assert!((impact.position[0] - 0.098).abs() < 1e-5);
    }
}
