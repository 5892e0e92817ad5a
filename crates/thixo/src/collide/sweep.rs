//! Where a particle's path first meets a solid that moves: conservative advancement along the path, equation (8c).

use thixo_math::Vector;

use super::LevelSet;
use super::shape::Surface;

/// Evaluations along a path before the particle is stopped where it is.
const MOST_EVALUATIONS: usize = 128;
/// Halvings of the interval in which a path enters a solid.
const HALVINGS: usize = 12;

/// A straight way from one place \[m\] and time \[s\] to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path<const D: usize> {
    pub from: Vector<f64, D>,
    pub to: Vector<f64, D>,
    pub times: [f64; 2],
}

impl<const D: usize> Path<D> {
    fn at(&self, share: f64) -> (Vector<f64, D>, f64) {
        let [begin, end] = self.times;
        let position = self.from + (self.to - self.from) * share;
        (position, begin + (end - begin) * share)
    }
}

/// Where a path meets a solid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit<const D: usize> {
    /// Share of the path up to there.
    pub share: f64,
    pub position: Vector<f64, D>,
    pub time: f64,
    /// Outward unit normal.
    pub normal: Vector<f64, D>,
    /// Velocity of the solid \[m/s\].
    pub solid: Vector<f64, D>,
}

/// A surface that particles may not cross: all places at a given depth in a solid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Barrier<'a, const D: usize> {
    pub shape: &'a dyn LevelSet<D>,
    /// How deep in the solid the barrier lies \[m\].
    pub depth: f64,
    /// A length that fits four times into what is left of the solid behind the barrier \[m\]: steps of it cannot jump to the other side.
    pub step: f64,
}

impl<const D: usize> Barrier<'_, D> {
    /// Distance from the barrier, and normal.
    pub fn surface(&self, position: Vector<f64, D>, time: f64) -> Surface<D> {
        let surface = self.shape.surface(position.0, time);
        Surface {
            distance: surface.distance + self.depth,
            ..surface
        }
    }
    pub fn velocity(&self, position: Vector<f64, D>, time: f64) -> Vector<f64, D> {
        Vector(self.shape.velocity(position.0, time))
    }

    /// The first place where the path goes from the outside of the barrier to its inside, or from inside deeper.
    pub fn first_hit(&self, path: &Path<D>) -> Option<Hit<D>> {
        let (mut share, mut outside) = (0.0, None);
        for _ in 0..MOST_EVALUATIONS {
            let (x, t) = path.at(share);
            let surface = self.surface(x, t);
            let (relative, rate) = self.rate(path, share, surface);
            if surface.distance > 0.0 {
                outside = Some(share);
                if surface.distance > rate * (1.0 - share) {
                    return None;
                }
            } else if let Some(before) = outside {
                return Some(self.entry(path, before, share));
            } else if relative.dot(Vector(surface.normal)) < 0.0 {
                return Some(self.hit(path, share));
            }
            if share >= 1.0 {
                return None;
            }
            // As far as the surface cannot come nearer, or a step that cannot get past the solid.
            share = (share + surface.distance.max(self.step) / rate).min(1.0);
        }
        Some(self.hit(path, share))
    }

    /// Motion relative to the solid over a whole path, and how much the distance can change over it \[m\].
    fn rate(&self, path: &Path<D>, share: f64, surface: Surface<D>) -> (Vector<f64, D>, f64) {
        let (x, t) = path.at(share);
        let [begin, end] = path.times;
        let solid = self.velocity(x, t);
        let relative = (path.to - path.from) - solid * (end - begin);
        let mut rate = relative.norm();
        if share < 1.0 {
            // What changes with time but not by the solid's velocity: shapes that deform, turns.
            let explained = -solid.dot(Vector(surface.normal)) * (end - t);
            let change = self.surface(x, end).distance - surface.distance;
            rate += (change - explained).abs() / (1.0 - share);
        }
        (relative, rate)
    }

    /// The entry between a share of the path that is outside and one that is inside.
    fn entry(&self, path: &Path<D>, mut outside: f64, mut inside: f64) -> Hit<D> {
        for _ in 0..HALVINGS {
            let middle = 0.5 * (outside + inside);
            let (x, t) = path.at(middle);
            if self.surface(x, t).distance > 0.0 {
                outside = middle;
            } else {
                inside = middle;
            }
        }
        self.hit(path, outside)
    }

    fn hit(&self, path: &Path<D>, share: f64) -> Hit<D> {
        let (position, time) = path.at(share);
        Hit {
            share,
            position,
            time,
            normal: Vector(self.surface(position, time).normal),
            solid: self.velocity(position, time),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::shape::{Cuboid, Moving, SteadyMotion};

    fn path(from: [f64; 2], to: [f64; 2]) -> Path<2> {
        Path {
            from: Vector(from),
            to: Vector(to),
            times: [0.0, 1.0],
        }
    }

    #[test]
    fn a_path_through_a_plate_is_stopped_where_it_enters() {
        let plate = Cuboid::new([0.0, -9.0], [0.03, 9.0]).unwrap();
        let barrier = Barrier {
            shape: &plate,
            depth: 0.0,
            step: 0.0075,
        };
        let hit = barrier.first_hit(&path([-0.5, 0.0], [0.5, 1.0])).unwrap();
        assert!((hit.share - 0.5).abs() < 1e-4 && hit.position[0] <= 0.0);
        assert_eq!(hit.normal, Vector([-1.0, 0.0]));
        assert!(
            barrier
                .first_hit(&path([-0.5, 0.0], [-0.01, 1.0]))
                .is_none()
        );
        assert!(barrier.first_hit(&path([0.01, 0.0], [0.5, 1.0])).is_some());
        assert!(barrier.first_hit(&path([0.02, 0.0], [0.5, 1.0])).is_none());
    }

    #[test]
    fn a_plate_that_moves_hits_what_is_at_rest_and_misses_what_flees() {
        let plate = Cuboid::new([0.0, -9.0], [0.03, 9.0]).unwrap();
        let motion = SteadyMotion::new([0.0; 2], [1.0, 0.0], [0.0; 3]).unwrap();
        let moving = Moving::new(plate, motion);
        let barrier = Barrier {
            shape: &moving,
            depth: 0.0,
            step: 0.0075,
        };
        let hit = barrier.first_hit(&path([0.53, 0.0], [0.53, 0.0])).unwrap();
        assert!((hit.share - 0.5).abs() < 1e-4);
        assert_eq!(hit.solid, Vector([1.0, 0.0]));
        assert!(barrier.first_hit(&path([0.53, 0.0], [1.5, 0.0])).is_none());
    }

    #[test]
    fn a_barrier_in_the_depth_of_a_wall_is_not_jumped() {
        let wall = Cuboid::new([0.0, -9.0], [0.2, 9.0]).unwrap();
        let barrier = Barrier {
            shape: &wall,
            depth: 0.098,
            step: 0.001,
        };
        let hit = barrier.first_hit(&path([0.09, 0.0], [0.17, 0.0])).unwrap();
        assert!((hit.position[0] - 0.098).abs() < 1e-5);
    }
}
