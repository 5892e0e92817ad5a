//! Continuous collision detection: the first impact of a particle's trajectory on a moving solid,
//! by conservative advancement along the trajectory, equation (8c).

use thixo_math::Vector;

use super::LevelSet;
use super::shape::Surface;

/// Most evaluations along a trajectory before the particle is stopped at its current point.
const MAX_EVALUATIONS: usize = 128;
/// Bisections of the interval in which a trajectory enters a solid.
const HALVINGS: usize = 12;
/// Inward displacement that counts as rest, in units of the longest step of the search.
const AT_REST: f64 = 1e-9;

/// A trajectory in time: straight, or that of a point which a solid carries along.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trajectory<'a, const D: usize> {
    /// Start \[m\].
    pub from: Vector<f64, D>,
    /// End \[m\].
    pub to: Vector<f64, D>,
    /// Times at start and end \[s\].
    pub times: [f64; 2],
    /// The solid that carries the particle; none on a straight trajectory.
    carrier: Option<&'a dyn LevelSet<D>>,
}

impl<'a, const D: usize> Trajectory<'a, D> {
    /// Straight from one position \[m\] and time \[s\] to another.
    pub fn straight(from: Vector<f64, D>, to: Vector<f64, D>, times: [f64; 2]) -> Self {
        Self {
            from,
            to,
            times,
            carrier: None,
        }
    }
    /// At rest relative to a solid.
    pub fn carried(from: Vector<f64, D>, carrier: &'a dyn LevelSet<D>, times: [f64; 2]) -> Self {
        Self {
            from,
            to: carried(carrier, from, times),
            times,
            carrier: Some(carrier),
        }
    }
    fn at(&self, fraction: f64) -> (Vector<f64, D>, f64) {
        let [begin, end] = self.times;
        let time = begin + (end - begin) * fraction;
        let position = match self.carrier {
            None => self.from + (self.to - self.from) * fraction,
            Some(_) if fraction >= 1.0 => self.to,
            Some(carrier) => carried(carrier, self.from, [begin, time]),
        };
        (position, time)
    }
    /// Displacement over the whole trajectory at the velocity of a place and time of it \[m\].
    fn displacement(&self, position: Vector<f64, D>, time: f64) -> Vector<f64, D> {
        let [begin, end] = self.times;
        match self.carrier {
            None => self.to - self.from,
            Some(carrier) => Vector(carrier.velocity(position.0, time)) * (end - begin),
        }
    }
}

/// A point of a solid after some time, by a Runge–Kutta step of fourth order along its
/// velocity \[m\].
fn carried<const D: usize>(
    solid: &dyn LevelSet<D>,
    from: Vector<f64, D>,
    [begin, end]: [f64; 2],
) -> Vector<f64, D> {
    let dt = end - begin;
    let velocity = |x: Vector<f64, D>, t: f64| Vector(solid.velocity(x.0, t));
    let k1 = velocity(from, begin);
    let k2 = velocity(from + k1 * (0.5 * dt), begin + 0.5 * dt);
    let k3 = velocity(from + k2 * (0.5 * dt), begin + 0.5 * dt);
    let k4 = velocity(from + k3 * dt, end);
    from + (k1 + (k2 + k3) * 2.0 + k4) * (dt / 6.0)
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

    /// A point of the solid after some time \[m\].
    pub fn carried(&self, from: Vector<f64, D>, times: [f64; 2]) -> Vector<f64, D> {
        carried(self.shape, from, times)
    }

    /// The first point at which the trajectory enters the offset surface, or moves deeper from a
    /// start inside.
    pub fn first_impact(&self, trajectory: &Trajectory<'_, D>) -> Option<Impact<D>> {
        let (mut fraction, mut outside) = (0.0, None);
        let bound = self.relative_displacement(trajectory);
        for _ in 0..MAX_EVALUATIONS {
            let (x, t) = trajectory.at(fraction);
            let surface = self.at(x, t);
            let relative = self.relative(trajectory, x, t);
            let known = bound.max(relative.norm());
            let rate = known + self.unexplained(trajectory, (x, t), surface, known);
            if surface.distance > 0.0 {
                outside = Some(fraction);
                if surface.distance > rate * (1.0 - fraction) {
                    return None;
                }
            } else if let Some(before) = outside {
                return Some(self.entry(trajectory, before, fraction));
            } else if relative.dot(Vector(surface.normal)) < -AT_REST * self.step {
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

    /// Displacement relative to the solid over the whole trajectory, at the velocities of a place
    /// and time of it \[m\].
    fn relative(
        &self,
        trajectory: &Trajectory<'_, D>,
        position: Vector<f64, D>,
        time: f64,
    ) -> Vector<f64, D> {
        let [begin, end] = trajectory.times;
        trajectory.displacement(position, time) - self.velocity(position, time) * (end - begin)
    }

    /// The largest displacement relative to the solid over the whole trajectory \[m\]. Of a solid
    /// that turns steadily the relative velocity is linear along a straight trajectory, so that its
    /// magnitude is largest at one of the ends.
    fn relative_displacement(&self, trajectory: &Trajectory<'_, D>) -> f64 {
        [0.0, 0.5, 1.0]
            .into_iter()
            .fold(0.0, |largest: f64, fraction| {
                let (x, t) = trajectory.at(fraction);
                largest.max(self.relative(trajectory, x, t).norm())
            })
    }

    /// Change of distance over the whole trajectory that velocities do not explain: deformation,
    /// rotation \[m\].
    fn unexplained(
        &self,
        trajectory: &Trajectory<'_, D>,
        (position, time): (Vector<f64, D>, f64),
        surface: Surface<D>,
        known: f64,
    ) -> f64 {
        let [begin, end] = trajectory.times;
        if time >= end {
            return 0.0;
        }
        let share = (end - time) / (end - begin);
        if trajectory.carrier.is_some() {
            // Between solids that turn together nothing changes but for the errors of integration.
            let change = self.at(trajectory.to, end).distance - surface.distance;
            return (change.abs() / share - known - 0.1 * self.step).max(0.0);
        }
        let solid = self.velocity(position, time);
        let explained = -solid.dot(Vector(surface.normal)) * (end - time);
        let change = self.at(position, end).distance - surface.distance;
        (change - explained).abs() / share
    }

    /// The impact between a fraction of the trajectory outside the surface and one inside, by
    /// bisection.
    fn entry(
        &self,
        trajectory: &Trajectory<'_, D>,
        mut outside: f64,
        mut inside: f64,
    ) -> Impact<D> {
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

    fn impact(&self, trajectory: &Trajectory<'_, D>, fraction: f64) -> Impact<D> {
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

    fn trajectory(from: [f64; 2], to: [f64; 2]) -> Trajectory<'static, 2> {
        Trajectory::straight(Vector(from), Vector(to), [0.0, 1.0])
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
