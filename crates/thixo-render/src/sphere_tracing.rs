//! Sphere tracing: rays against the signed distances of the obstacles (J. Hart, "Sphere tracing",
//! 1996; \[Nilles2020\] §7.6.2).
//!
//! The camera often stands inside of a solid: that around a tank. Rays that start inside pass
//! through it until they are outside for the first time, and only what they hit after that is seen:
//! the far sides of a container, never the near ones. Of a container that the camera sees from
//! outside, such as a cup or an hourglass, a ray passes through all walls but the last one it
//! meets; those before are glass.

use thixo_math::Vector;

use crate::extent::Extent;
use crate::surroundings::{Plane, Solid, Surroundings, Transparency};
use crate::vector::Vec3;

/// Steps along a ray before it counts as a miss.
const STEPS: usize = 192;
/// Walls of a container that a ray meets at most.
const MOST_WALLS: usize = 6;

/// Kind of obstacle that was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitKind {
    /// The floor.
    Ground,
    /// A wall.
    Wall,
    /// A collider, by its index among the surroundings.
    Solid(u32),
}

/// Intersection of a ray with an obstacle.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    /// Lengths of the ray's direction from its start.
    pub depth: f32,
    /// Outwards.
    pub normal: Vec3,
    /// Kind of obstacle that was hit.
    pub kind: HitKind,
}

/// Intersections of a ray with the obstacles.
#[derive(Clone, Copy, Debug, Default)]
pub struct RayHits {
    /// The first thing that hides what is behind.
    pub end: Option<Hit>,
    /// The first and the last glass before that.
    pub glass: [Option<Hit>; 2],
}

/// The surroundings at a time, with the box to which endless obstacles are cut.
#[derive(Clone, Copy, Debug)]
pub struct SphereTracer<'a> {
    /// The obstacles.
    pub surroundings: &'a Surroundings,
    /// Endless walls and colliders are drawn within this box.
    pub extent: Extent,
    /// Time of the frame \[s\].
    pub time: f64,
}

impl SphereTracer<'_> {
    /// Intersections of a ray with the obstacles.
    pub fn cast(&self, start: Vec3, direction: Vec3) -> RayHits {
        let mut ray_hits = RayHits {
            end: self.ground(start, direction),
            ..RayHits::default()
        };
        let walls = self.surroundings.walls.iter();
        for hit in walls.filter_map(|wall| self.wall(wall, start, direction)) {
            nearer(&mut ray_hits.end, hit);
        }
        let mut glass = Vec::new();
        for (solid, k) in self.surroundings.solids.iter().zip(0u32..) {
            let (hits, count) = self.trace(solid, k, start, direction);
            let hits = &hits[..count];
            let (seen_through, end) = match (solid.transparency, hits) {
                (Transparency::Glass, all) => (all, None),
                (_, [before @ .., last]) => (before, Some(*last)),
                (_, []) => (hits, None),
            };
            glass.extend_from_slice(seen_through);
            if let Some(end) = end {
                nearer(&mut ray_hits.end, end);
            }
        }
        let limit = ray_hits.end.map_or(f32::INFINITY, |hit| hit.depth);
        for hit in glass.into_iter().filter(|hit| hit.depth < limit) {
            nearer(&mut ray_hits.glass[0], hit);
            if ray_hits.glass[1].is_none_or(|old| hit.depth > old.depth) {
                ray_hits.glass[1] = Some(hit);
            }
        }
        if let [Some(first), Some(last)] = ray_hits.glass
            && first.depth >= last.depth
        {
            ray_hits.glass[1] = None;
        }
        ray_hits
    }

    fn ground(&self, start: Vec3, direction: Vec3) -> Option<Hit> {
        let ground = self.surroundings.ground.as_ref()?;
        let (height, fall) = (ground.height(start), -direction[ground.axis] * ground.side);
        let depth = height / fall;
        let is_hit = height > 0.0 && fall > 0.0 && depth.is_finite();
        is_hit.then_some(Hit {
            depth,
            normal: along(ground.axis, ground.side),
            kind: HitKind::Ground,
        })
    }

    fn wall(&self, wall: &Plane, start: Vec3, direction: Vec3) -> Option<Hit> {
        let (height, fall) = (wall.height(start), -direction[wall.axis] * wall.side);
        let depth = height / fall;
        if !(height > 0.0 && fall > 0.0 && depth.is_finite()) {
            return None;
        }
        let place = start + direction * depth;
        let Extent { min, max } = self.extent;
        let is_near = (0..3).all(|a| a == wall.axis || (min[a] <= place[a] && place[a] <= max[a]));
        // A wall ends where another one begins.
        let slack = -1e-3 * self.extent.diagonal();
        let mut others = self.surroundings.walls.iter();
        let is_before = others.all(|other| other.height(place) > slack);
        (is_near && is_before).then_some(Hit {
            depth,
            normal: along(wall.axis, wall.side),
            kind: HitKind::Wall,
        })
    }

    /// Distance to a solid, as cuts leave it, and where that grows.
    fn nearest(&self, solid: &Solid, place: Vec3) -> (f32, Vec3) {
        let at = place.0.map(f64::from);
        let surface = solid.obstacle.level_set.surface(at, self.time);
        let own = (
            surface.distance as f32,
            Vector(surface.normal.map(|n| n as f32)),
        );
        let cuts = self.surroundings.cuts.iter();
        let cuts = cuts.map(|cut| (cut.height(place), cut.normal));
        cuts.fold(own, |most, cut| if cut.0 > most.0 { cut } else { most })
    }

    /// Walks along a ray by the distance to the solid, at first through it; where walls are seen
    /// through, also after it. Returns where it goes into the solid.
    fn trace(
        &self,
        solid: &Solid,
        index: u32,
        start: Vec3,
        direction: Vec3,
    ) -> ([Hit; MOST_WALLS], usize) {
        let kind = HitKind::Solid(index);
        let nothing = Hit {
            depth: f32::INFINITY,
            normal: direction,
            kind,
        };
        let (mut hits, mut count) = ([nothing; MOST_WALLS], 0);
        let wanted = match solid.transparency {
            Transparency::Opaque => 1,
            Transparency::Container | Transparency::Glass => MOST_WALLS,
        };
        let reach = 1e-3 * self.extent.diagonal();
        let Some((enters, leaves)) = self.passage(solid, reach, start, direction) else {
            return (hits, 0);
        };
        let length = direction.norm();
        let (mut depth, mut was_outside) = (enters, false);
        for _ in 0..STEPS {
            let (distance, normal) = self.nearest(solid, start + direction * depth);
            let close = 2e-4 * (reach + depth * length * 0.5);
            if was_outside && distance < close {
                was_outside = false;
                hits[count] = Hit {
                    depth,
                    normal,
                    kind,
                };
                count += 1;
                if count == wanted {
                    break;
                }
                // Into the wall, so that the way out of it is found.
                depth += 4.0 * close / length;
                continue;
            }
            was_outside |= distance > close;
            depth += distance.abs().max(close) / length;
            if depth.is_nan() || depth > leaves {
                break;
            }
        }
        (hits, count)
    }

    /// Interval in which a ray may meet a solid.
    fn passage(
        &self,
        solid: &Solid,
        reach: f32,
        start: Vec3,
        direction: Vec3,
    ) -> Option<(f32, f32)> {
        match solid.extent() {
            None => self.extent.passage(start, direction),
            Some(_) if solid.obstacle.moves => {
                Some((0.0, 20.0 * self.extent.diagonal() + start.norm()))
            }
            Some(own) => own.grown(reach).passage(start, direction),
        }
    }

    /// True if a point is well inside of an endless wall or collider: behind it, as a picture shows
    /// that, where no shadow of the matter falls.
    pub fn is_beyond(&self, place: Vec3) -> bool {
        let deep = -5e-3 * self.extent.diagonal();
        let solids = self.surroundings.solids.iter();
        let mut endless = solids.filter(|solid| solid.obstacle.bounds.is_none());
        let mut walls = self.surroundings.walls.iter();
        walls.any(|wall| wall.height(place) < deep)
            || endless.any(|solid| self.nearest(solid, place).0 < deep)
    }

    /// Depths at which a ray of the sun first meets a bounded obstacle, and one that is partly
    /// glass. Those without end shade only what is behind them.
    pub fn shade(&self, start: Vec3, direction: Vec3) -> [f32; 2] {
        let mut depths = [f32::INFINITY; 2];
        for (solid, k) in self.surroundings.solids.iter().zip(0u32..) {
            if solid.obstacle.bounds.is_some() && solid.casts_shadow {
                let depth = &mut depths[usize::from(solid.transparency != Transparency::Opaque)];
                let (hits, _) = self.trace(solid, k, start, direction);
                *depth = depth.min(hits[0].depth);
            }
        }
        depths
    }

    /// True if a point is surrounded by a solid: most level rays from there hit it.
    pub fn is_enclosed(&self, place: Vec3, solid: usize, up: usize) -> bool {
        let (a, b) = ((up + 1) % 3, (up + 2) % 3);
        let directions = 8;
        let hits = (0..directions).filter(|k| {
            let (sine, cosine) = (*k as f32 * std::f32::consts::TAU / 8.0).sin_cos();
            let mut direction = Vec3::zero();
            (direction[a], direction[b]) = (cosine, sine);
            self.trace(&self.surroundings.solids[solid], 0, place, direction)
                .1
                > 0
        });
        hits.count() >= 6
    }
}

fn nearer(old: &mut Option<Hit>, new: Hit) {
    if old.is_none_or(|old| new.depth < old.depth) {
        *old = Some(new);
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

    use thixo::LevelSet;
    use thixo::collide::shape::{Complement, Difference, Sphere};
    use thixo_scene::Obstacle;

    use super::*;
    use crate::surroundings::CutPlane;

    fn surroundings(
        solid: impl LevelSet<3> + 'static,
        bounds: Option<[[f64; 3]; 2]>,
        transparency: Transparency,
    ) -> Surroundings {
        Surroundings {
            solids: vec![Solid {
                transparency,
                ..Solid::opaque(Obstacle {
                    level_set: Arc::new(solid),
                    bounds,
                    moves: false,
                })
            }],
            ..Surroundings::default()
        }
    }

    fn tracer(surroundings: &Surroundings) -> SphereTracer<'_> {
        SphereTracer {
            surroundings,
            extent: Extent {
                min: Vector([-2.0; 3]),
                max: Vector([2.0; 3]),
            },
            time: 0.0,
        }
    }

    const UNIT: Option<[[f64; 3]; 2]> = Some([[-1.0; 3], [1.0; 3]]);
    const AWAY: Vec3 = Vector([0.0, 0.0, -1.0]);

    fn sphere(radius: f64) -> Sphere<3> {
        Sphere::new([0.0; 3], radius).unwrap()
    }

    #[test]
    fn a_ray_ends_where_the_solid_begins() {
        let surroundings = surroundings(sphere(1.0), UNIT, Transparency::Opaque);
        let start = Vector([0.6, 0.0, 5.0]);
        let hit = tracer(&surroundings).cast(start, AWAY).end.unwrap();
        assert!((hit.depth - 4.2).abs() < 3e-3, "{hit:?}");
        assert!((hit.normal[0] - 0.6).abs() < 1e-3);
        let aside = tracer(&surroundings).cast(start, Vector([1.0, 0.0, 0.0]));
        assert!(aside.end.is_none());
    }

    #[test]
    fn one_sees_into_what_is_around_the_camera() {
        let surroundings = surroundings(
            Complement(Arc::new(sphere(1.0))),
            None,
            Transparency::Opaque,
        );
        let start = Vector([0.0, 0.0, 5.0]);
        let hit = tracer(&surroundings).cast(start, AWAY).end.unwrap();
        assert!((hit.depth - 6.0).abs() < 5e-3, "the far side: {hit:?}");
        assert!(hit.normal[2] > 0.99, "its inside: {hit:?}");
        let beside = Vector([1.5, 0.0, 5.0]);
        assert!(tracer(&surroundings).cast(beside, AWAY).end.is_none());
    }

    #[test]
    fn the_near_wall_of_a_container_is_glass_and_the_far_one_is_seen_from_inside() {
        let shell = || Difference {
            from: Arc::new(sphere(1.0)),
            taken: Arc::new(sphere(0.8)),
        };
        let holds = surroundings(shell(), UNIT, Transparency::Container);
        let start = Vector([0.0, 0.0, 5.0]);
        let ray_hits = tracer(&holds).cast(start, AWAY);
        let (glass, end) = (ray_hits.glass[0].unwrap(), ray_hits.end.unwrap());
        assert!((glass.depth - 4.0).abs() < 5e-3, "{glass:?}");
        assert!((end.depth - 5.8).abs() < 5e-3, "{end:?}");
        // With nothing behind the wall but itself, it is a wall.
        let edge = tracer(&holds).cast(Vector([0.9, 0.0, 5.0]), AWAY);
        assert!(edge.glass[0].is_none() && edge.end.is_some());
        let glass = surroundings(shell(), UNIT, Transparency::Glass);
        let ray_hits = tracer(&glass).cast(start, AWAY);
        assert!(ray_hits.end.is_none());
        assert!((ray_hits.glass[1].unwrap().depth - 5.8).abs() < 5e-3);
        let opaque = surroundings(shell(), UNIT, Transparency::Opaque);
        let end = tracer(&opaque).cast(start, AWAY).end.unwrap();
        assert!((end.depth - 4.0).abs() < 5e-3);
        assert!(tracer(&holds).is_enclosed(Vector([0.1, 0.2, 0.3]), 0, 1));
        assert!(!tracer(&holds).is_enclosed(Vector([0.1, 1.2, 0.3]), 0, 1));
    }

    #[test]
    fn a_cut_opens_a_solid() {
        let mut surroundings = surroundings(sphere(1.0), UNIT, Transparency::Opaque);
        surroundings.cuts.push(CutPlane {
            point: Vector([0.0, 0.0, 0.3]),
            normal: Vector([0.0, 0.0, 1.0]),
        });
        let hit = tracer(&surroundings)
            .cast(Vector([0.2, 0.0, 5.0]), AWAY)
            .end;
        assert!((hit.unwrap().depth - 4.7).abs() < 5e-3, "{hit:?}");
        assert!(hit.unwrap().normal[2] > 0.999);
    }
}
