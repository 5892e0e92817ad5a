//! What rays hit of the obstacles, by sphere tracing their signed distances (J. Hart, "Sphere tracing", 1996; \[Nilles2020\] §7.6.2).
//!
//! The camera often stands inside of a solid: that around a tank. Rays that start inside pass through it until they are outside for the first time, and only what
//! they hit after that is seen: the far sides of a container, never the near ones.

use rayon::prelude::*;
use thixo_math::Vector;
use thixo_scene::Obstacle;

use crate::extent::Extent;
use crate::stage::Stage;
use crate::vector::Vec3;
use crate::view::View;

/// Steps along a ray before it counts as a miss.
const STEPS: usize = 192;

/// What was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The floor.
    Ground,
    /// A wall or collider.
    Solid,
}

/// Where a ray ends.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    /// Lengths of the ray's direction from its start.
    pub depth: f32,
    /// Outwards.
    pub normal: Vec3,
    /// What was hit.
    pub kind: Kind,
}

/// The stage at a time, with the box to which endless obstacles are cut.
#[derive(Clone, Copy, Debug)]
pub struct Backdrop<'a> {
    /// What stands around.
    pub stage: &'a Stage,
    /// Endless walls and colliders are drawn within this box.
    pub extent: Extent,
    /// Time of the frame \[s\].
    pub time: f64,
}

impl Backdrop<'_> {
    /// The first obstacle on a ray.
    pub fn cast(&self, start: Vec3, direction: Vec3) -> Option<Hit> {
        let mut nearest = self.ground(start, direction);
        let mut take = |hit: Option<Hit>| {
            if let Some(hit) = hit
                && nearest.is_none_or(|old| hit.depth < old.depth)
            {
                nearest = Some(hit);
            }
        };
        for wall in &self.stage.walls {
            take(self.wall(wall, start, direction));
        }
        for solid in &self.stage.solids {
            take(self.trace(solid, start, direction));
        }
        nearest
    }

    fn ground(&self, start: Vec3, direction: Vec3) -> Option<Hit> {
        let ground = self.stage.ground.as_ref()?;
        let (height, fall) = (ground.height(start), -direction[ground.axis] * ground.side);
        let depth = height / fall;
        let is_hit = height > 0.0 && fall > 0.0 && depth.is_finite();
        is_hit.then_some(Hit {
            depth,
            normal: along(ground.axis, ground.side),
            kind: Kind::Ground,
        })
    }

    fn wall(&self, wall: &crate::stage::Plane, start: Vec3, direction: Vec3) -> Option<Hit> {
        let (height, fall) = (wall.height(start), -direction[wall.axis] * wall.side);
        let depth = height / fall;
        if !(height > 0.0 && fall > 0.0 && depth.is_finite()) {
            return None;
        }
        let place = start + direction * depth;
        let Extent { min, max } = self.extent;
        let is_near = (0..3).all(|a| a == wall.axis || (min[a] <= place[a] && place[a] <= max[a]));
        is_near.then_some(Hit {
            depth,
            normal: along(wall.axis, wall.side),
            kind: Kind::Solid,
        })
    }

    /// Walks along a ray by the distance to the solid, at first through it.
    fn trace(&self, solid: &Obstacle<3>, start: Vec3, direction: Vec3) -> Option<Hit> {
        let reach = 1e-3 * self.extent.diagonal();
        let (enters, leaves) = match solid.bounds {
            None => self.extent.passage(start, direction)?,
            Some(_) if solid.moves => (0.0, 20.0 * self.extent.diagonal() + start.norm()),
            Some([min, max]) => {
                let corner = |x: [f64; 3]| Vector(x.map(|x| x as f32));
                let own = Extent {
                    min: corner(min),
                    max: corner(max),
                };
                own.grown(reach).passage(start, direction)?
            }
        };
        let length = direction.norm();
        let (mut depth, mut was_outside) = (enters, false);
        for _ in 0..STEPS {
            let place = start + direction * depth;
            let surface = solid.level_set.surface(place.0.map(f64::from), self.time);
            let distance = surface.distance as f32;
            let close = 2e-4 * (reach + depth * length * 0.5);
            if was_outside && distance < close {
                return Some(Hit {
                    depth,
                    normal: Vector(surface.normal.map(|n| n as f32)),
                    kind: Kind::Solid,
                });
            }
            was_outside |= distance > close;
            depth += distance.abs().max(close) / length;
            if depth.is_nan() || depth > leaves {
                return None;
            }
        }
        None
    }

    /// Whether a place is well inside of an endless wall or collider: behind it, as a picture shows that, where no shadow of the matter falls.
    pub fn is_beyond(&self, place: Vec3) -> bool {
        let deep = -5e-3 * self.extent.diagonal();
        let endless = self
            .stage
            .solids
            .iter()
            .filter(|solid| solid.bounds.is_none());
        self.stage
            .walls
            .iter()
            .any(|wall| wall.height(place) < deep)
            || endless.into_iter().any(|solid| {
                let at = place.0.map(f64::from);
                solid.level_set.surface(at, self.time).distance < f64::from(deep)
            })
    }

    /// Depths at which obstacles that have an end stop the light of a view from the sun. Those without end shade only what is behind them.
    pub fn shadows(&self, view: &View) -> Vec<f32> {
        let [width, height] = view.size;
        let mut map = vec![f32::INFINITY; width * height];
        let ends = |solid: &&Obstacle<3>| solid.bounds.is_some();
        let solids: Vec<&Obstacle<3>> = self.stage.solids.iter().filter(ends).collect();
        if solids.is_empty() {
            return map;
        }
        map.par_iter_mut().enumerate().for_each(|(k, depth)| {
            let place = [(k % width) as f32 + 0.5, (k / width) as f32 + 0.5];
            let (start, direction) = view.ray(place);
            for solid in &solids {
                if let Some(hit) = self.trace(solid, start, direction) {
                    *depth = depth.min(hit.depth);
                }
            }
        });
        map
    }
}

fn along(axis: usize, side: f32) -> Vec3 {
    let mut normal = Vec3::zero();
    normal[axis] = side;
    normal
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use thixo::collide::shape::{Complement, Sphere};

    use super::*;

    fn backdrop(stage: &Stage) -> Backdrop<'_> {
        Backdrop {
            stage,
            extent: Extent {
                min: Vector([-2.0; 3]),
                max: Vector([2.0; 3]),
            },
            time: 0.0,
        }
    }

    #[test]
    fn a_ray_ends_where_the_solid_begins() {
        let stage = Stage {
            solids: vec![Obstacle {
                level_set: Arc::new(Sphere::new([0.0; 3], 1.0).unwrap()),
                bounds: Some([[-1.0; 3], [1.0; 3]]),
                moves: false,
            }],
            ..Stage::default()
        };
        let start = Vector([0.6, 0.0, 5.0]);
        let hit = backdrop(&stage)
            .cast(start, Vector([0.0, 0.0, -1.0]))
            .unwrap();
        assert!((hit.depth - 4.2).abs() < 3e-3, "{hit:?}");
        assert!((hit.normal[0] - 0.6).abs() < 1e-3);
        assert!(
            backdrop(&stage)
                .cast(start, Vector([1.0, 0.0, 0.0]))
                .is_none()
        );
    }

    #[test]
    fn one_sees_into_a_container() {
        let stage = Stage {
            solids: vec![Obstacle {
                level_set: Arc::new(Complement(Arc::new(Sphere::new([0.0; 3], 1.0).unwrap()))),
                bounds: None,
                moves: false,
            }],
            ..Stage::default()
        };
        let start = Vector([0.0, 0.0, 5.0]);
        let hit = backdrop(&stage)
            .cast(start, Vector([0.0, 0.0, -1.0]))
            .unwrap();
        assert!((hit.depth - 6.0).abs() < 5e-3, "the far side: {hit:?}");
        assert!(hit.normal[2] > 0.99, "its inside: {hit:?}");
        let beside = Vector([1.5, 0.0, 5.0]);
        assert!(
            backdrop(&stage)
                .cast(beside, Vector([0.0, 0.0, -1.0]))
                .is_none()
        );
    }
}
