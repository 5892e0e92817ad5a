//! Particles stopped at all obstacles that they meet in a step, equations (8b) to (8d).
//!
//! A particle slides along one offset surface, or along an edge or a corner of several, as long as
//! it meets no other; else it stays where it was outside of all, at rest relative to the solid that
//! holds it. Only between solids that close on each other there may be no such place.

use thixo_math::Vector;

use super::Contact;
use super::candidate::ContactCandidate;
use super::half_space::{HalfSpace, nearest_point, violation};
use super::sweep::{Impact, Trajectory};

/// Gap between an offset surface and a particle that was stopped, in cells.
const SKIN: f64 = 1e-3;
/// Distance of an offset surface that holds a particle, in cells.
const NEAR: f64 = 0.01;
/// Most impacts of a particle in a step after which it slides on.
const MAX_IMPACTS: usize = 4;
/// Most changes of the solid that carries a particle in a step.
const MAX_HOLDERS: usize = 8;
/// Least cosine between normals of contacts with one obstacle that count as one.
const SAME_CONTACT: f64 = 0.99;

/// Contact of particles with the offset surface of thick solids.
const LIMIT_CONTACT: Contact = Contact::Separating { friction: 0.0 };

/// A particle before and after its move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Particle<const D: usize> {
    pub start: Vector<f64, D>,
    pub end: Vector<f64, D>,
    pub velocity: Vector<f64, D>,
}

/// Changes of a particle's velocity, by the obstacle that made them \[m/s\].
#[derive(Clone, Debug)]
pub(super) struct Changes<const D: usize>(Vec<(usize, Vector<f64, D>)>);

impl<const D: usize> Changes<D> {
    /// None yet.
    pub fn new() -> Self {
        Self(Vec::new())
    }
    /// Gives a particle the velocity \[m/s\] that an obstacle demands, by its index.
    pub fn set(&mut self, particle: &mut Particle<D>, velocity: Vector<f64, D>, collider: usize) {
        self.0.push((collider, velocity - particle.velocity));
        particle.velocity = velocity;
    }
    /// Indices of obstacles with the changes that they made.
    pub fn all(&self) -> impl Iterator<Item = (usize, Vector<f64, D>)> {
        self.0.iter().copied()
    }
}

/// The offset surface of an obstacle around a particle at the end of a step, taken as a plane: a
/// constraint of equation (8d).
#[derive(Clone, Copy, Debug)]
struct ContactPlane<const D: usize> {
    /// Index of the obstacle.
    candidate: usize,
    /// Positions \[m\] at which the particle keeps its gap.
    half_space: HalfSpace<D>,
    /// The gap \[m\].
    gap: f64,
    /// Velocity of the solid \[m/s\].
    velocity: Vector<f64, D>,
}

/// Obstacles near a segment in a step.
pub(super) struct Obstacles<'b, 'a, const D: usize> {
    pub candidates: &'b [ContactCandidate<'a, D>],
    /// Index of the material of the particles.
    pub material: usize,
    /// Grid spacing \[m\].
    pub spacing: f64,
    /// Begin and end of the step \[s\].
    pub times: [f64; 2],
}

impl<'a, const D: usize> Obstacles<'_, 'a, D> {
    /// Stops a particle at offset surfaces and lets it slide along them for the rest of the step.
    /// Returns none without an impact, else the depth behind an offset surface to which obstacles
    /// that close on each other have pressed the particle \[m\]: 0 unless they have.
    pub fn stop(&self, particle: &mut Particle<D>, changes: &mut Changes<D>) -> Option<f64> {
        let end = self.times[1];
        let mut to = particle.end;
        let mut hit = self.first_impact(&Trajectory::straight(particle.start, to, self.times))?;
        let mut planes: Vec<ContactPlane<D>> = Vec::new();
        for _ in 0..MAX_IMPACTS {
            let (index, impact) = hit;
            let contact = self.contact(index, &impact);
            let relative = particle.velocity - impact.solid_velocity;
            let velocity = contact.constrain(relative, impact.normal) + impact.solid_velocity;
            changes.set(particle, velocity, self.candidates[index].index);
            let plane = self.plane(index, impact.position, impact.time, particle.start);
            let carried = plane.half_space.point;
            planes.retain(|other| {
                let cosine = other.half_space.normal.dot(plane.half_space.normal);
                other.candidate != index || cosine < SAME_CONTACT
            });
            planes.push(plane);
            let slid = carried + contact.constrain(to - carried, impact.normal);
            to = nearest_point(slid, &half_spaces(&planes));
            let times = [impact.time, end];
            match self.first_impact(&Trajectory::straight(impact.position, to, times)) {
                Some(next) => hit = next,
                None => {
                    particle.end = to;
                    let velocity = off_planes(particle.velocity, &planes);
                    changes.set(particle, velocity, self.candidates[index].index);
                    return Some(0.0);
                }
            }
        }
        Some(self.rest(particle, hit, changes))
    }

    /// Leaves a particle at rest relative to the solid that it hit last, or to the next that this
    /// one presses it against; returns the depth as [`Obstacles::stop`].
    fn rest(
        &self,
        particle: &mut Particle<D>,
        hit: (usize, Impact<D>),
        changes: &mut Changes<D>,
    ) -> f64 {
        let end = self.times[1];
        let (mut holder, mut impact) = hit;
        for _ in 0..MAX_HOLDERS {
            let solid = &self.candidates[holder].offset_surface;
            let (from, times) = (impact.position, [impact.time, end]);
            let carried = Trajectory::carried(from, solid.shape, times);
            let Some((_, met)) = self.first_impact(&carried) else {
                particle.end = self.lifted(carried.to, particle.start);
                let planes = self.planes_near(particle.end, end, particle.start);
                let velocity = off_planes(solid.velocity(particle.end, end), &planes);
                changes.set(particle, velocity, self.candidates[holder].index);
                return 0.0;
            };
            // Pressed out between the two.
            let planes = self.planes_near(met.position, met.time, particle.start);
            let to = self.pressed_out(carried.to, &planes);
            let out = Trajectory::straight(met.position, to, [met.time, end]);
            match self.first_impact(&out) {
                Some(next) => (holder, impact) = next,
                None => {
                    particle.end = to;
                    let velocity = off_planes(solid.velocity(to, end), &planes);
                    changes.set(particle, velocity, self.candidates[holder].index);
                    return 0.0;
                }
            }
        }
        self.crush(particle, (holder, &impact), changes)
    }

    /// Presses a particle to the place of the least depth between obstacles that close on it;
    /// returns that depth behind offset surfaces \[m\].
    fn crush(
        &self,
        particle: &mut Particle<D>,
        (holder, from): (usize, &Impact<D>),
        changes: &mut Changes<D>,
    ) -> f64 {
        let end = self.times[1];
        let Impact { position, time, .. } = *from;
        let solid = &self.candidates[holder].offset_surface;
        let carried = solid.carried(position, [time, end]);
        let mut planes = self.planes_near(position, time, particle.start);
        // Obstacles that are met on the way there join in.
        for _ in 0..self.candidates.len() {
            particle.end = self.pressed_out(carried, &planes);
            let way = Trajectory::straight(position, particle.end, [time, end]);
            let others = self.impacts(&way).filter(|(index, _)| {
                let is_known = |plane: &ContactPlane<D>| plane.candidate == *index;
                !planes.iter().any(is_known)
            });
            let Some((index, met)) = others.min_by(|a, b| a.1.fraction.total_cmp(&b.1.fraction))
            else {
                break;
            };
            planes.push(self.plane(index, met.position, met.time, particle.start));
        }
        let velocity = solid.velocity(particle.end, end);
        changes.set(particle, velocity, self.candidates[holder].index);
        planes.iter().fold(0.0, |depth: f64, plane| {
            let HalfSpace { normal, point, .. } = plane.half_space;
            let gap = plane.gap + normal.dot(particle.end - point);
            // The offset surface itself may be curved.
            let surface = &self.candidates[plane.candidate].offset_surface;
            depth.max(-gap).max(-surface.at(particle.end, end).distance)
        })
    }

    /// The place nearest to another on the outer side of some planes, at most a cell away: the
    /// particle that is pressed out of a closing wedge is not faster than the grid resolves.
    fn pressed_out(&self, from: Vector<f64, D>, planes: &[ContactPlane<D>]) -> Vector<f64, D> {
        let way = nearest_point(from, &half_spaces(planes)) - from;
        from + way * (self.spacing / way.norm().max(self.spacing))
    }

    /// A position with the usual gap to all offset surfaces nearby at the end of the step, if there
    /// is one and it can be reached; else the same position.
    fn lifted(&self, x: Vector<f64, D>, start: Vector<f64, D>) -> Vector<f64, D> {
        let end = self.times[1];
        let planes = half_spaces(&self.planes_near(x, end, start));
        let lifted = nearest_point(x, &planes);
        let way = Trajectory::straight(x, lifted, [end, end]);
        let is_out = violation(lifted, &planes) < 0.5 * SKIN * self.spacing;
        if is_out && self.first_impact(&way).is_none() {
            lifted
        } else {
            x
        }
    }

    /// The contact of particles with an obstacle at an impact.
    fn contact(&self, index: usize, impact: &Impact<D>) -> Contact {
        let candidate = &self.candidates[index];
        if candidate.is_thin {
            let position = impact.position.0;
            candidate
                .collider
                .contact_of(self.material, position, impact.time)
        } else {
            LIMIT_CONTACT
        }
    }

    /// The planes of all obstacles that hold a particle at a position \[m\] and time \[s\].
    fn planes_near(
        &self,
        position: Vector<f64, D>,
        time: f64,
        start: Vector<f64, D>,
    ) -> Vec<ContactPlane<D>> {
        let near = self.candidates.iter().enumerate().filter(|(_, candidate)| {
            candidate.offset_surface.at(position, time).distance < NEAR * self.spacing
        });
        near.map(|(index, _)| self.plane(index, position, time, start))
            .collect()
    }

    /// The plane of an obstacle that a particle touches at a position \[m\] and time \[s\].
    fn plane(
        &self,
        index: usize,
        position: Vector<f64, D>,
        time: f64,
        start: Vector<f64, D>,
    ) -> ContactPlane<D> {
        let [begin, end] = self.times;
        let ContactCandidate {
            offset_surface,
            initial_depth,
            ..
        } = &self.candidates[index];
        let before = offset_surface.at(start, begin).distance;
        let least = if before > -initial_depth {
            SKIN * self.spacing
        } else {
            before
        };
        let point = offset_surface.carried(position, [time, end]);
        let surface = offset_surface.at(point, end);
        ContactPlane {
            candidate: index,
            half_space: HalfSpace {
                normal: Vector(surface.normal),
                point,
                margin: least - surface.distance,
            },
            gap: surface.distance,
            velocity: offset_surface.velocity(point, end),
        }
    }

    /// The first impacts of a trajectory on each obstacle.
    fn impacts(&self, trajectory: &Trajectory<'_, D>) -> impl Iterator<Item = (usize, Impact<D>)> {
        let candidates = self.candidates.iter().enumerate();
        candidates.filter_map(|(index, candidate)| {
            let impact = candidate.offset_surface.first_impact(trajectory)?;
            Some((index, impact))
        })
    }

    /// The first impact of a trajectory on any obstacle.
    fn first_impact(&self, trajectory: &Trajectory<'_, D>) -> Option<(usize, Impact<D>)> {
        self.impacts(trajectory)
            .min_by(|a, b| a.1.fraction.total_cmp(&b.1.fraction))
    }
}

fn half_spaces<const D: usize>(planes: &[ContactPlane<D>]) -> Vec<HalfSpace<D>> {
    planes.iter().map(|plane| plane.half_space).collect()
}

/// The velocity \[m/s\] nearest to another that moves into none of several planes. One plane alone
/// has been heeded by its contact.
fn off_planes<const D: usize>(
    velocity: Vector<f64, D>,
    planes: &[ContactPlane<D>],
) -> Vector<f64, D> {
    if planes.len() < 2 {
        return velocity;
    }
    let allowed = planes.iter().map(|plane| HalfSpace {
        normal: plane.half_space.normal,
        point: plane.velocity,
        margin: 0.0,
    });
    nearest_point(velocity, &allowed.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::Collider;
    use crate::collide::shape::{Moving, Plane, SteadyMotion};

    /// Numbers between -1 and 1 that look random.
    fn random(state: &mut u64) -> f64 {
        *state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn half_spaces_at_random<const D: usize>(count: usize) -> [usize; 2] {
        let (mut state, mut pressed, mut stopped) = (9, 0, 0);
        for _ in 0..3000 {
            let colliders: Vec<_> = (0..count)
                .map(|_| {
                    let mut draw = || core::array::from_fn::<f64, D, _>(|_| random(&mut state));
                    let (normal, velocity) = (Vector(draw()), Vector(draw()) * 0.3);
                    let spin = [0.3, -0.2, 0.5].map(|rate| rate * random(&mut state));
                    let normal = normal * (1.0 / normal.norm());
                    let point = normal * (-0.1 - 0.3 * random(&mut state).abs());
                    let motion = SteadyMotion::new([0.0; D], velocity.0, spin).unwrap();
                    let solid = Moving::new(Plane::new(point.0, normal.0).unwrap(), motion);
                    Collider::new(solid, Contact::Slip).unwrap()
                })
                .collect();
            // Grid spacing 0.1: offset surfaces are 0.098 behind the planes.
            let near = |c| ContactCandidate::of((0, c), [0.0; D], [2.0; D], 0.1, [0.0, 1.0]);
            let candidates: Vec<_> = colliders.iter().filter_map(near).collect();
            assert_eq!(candidates.len(), count);
            let obstacles = Obstacles {
                candidates: &candidates,
                material: 0,
                spacing: 0.1,
                times: [0.0, 1.0],
            };
            let end = Vector(core::array::from_fn(|_| random(&mut state)));
            let mut particle = Particle {
                start: Vector::zero(),
                end,
                velocity: end,
            };
            let depth = obstacles.stop(&mut particle, &mut Changes::new());
            let gaps = candidates.iter().map(|candidate| {
                let surface = candidate.offset_surface.at(particle.end, 1.0);
                surface.distance
            });
            let least = gaps.fold(f64::INFINITY, f64::min);
            stopped += usize::from(depth.is_some());
            match depth {
                Some(depth) if depth > 0.0 => {
                    pressed += 1;
                    assert!(least < 0.0, "{depth} reported, {least} measured");
                }
                _ => assert!(least > -1e-6, "{least} after {depth:?}"),
            }
        }
        [stopped, pressed]
    }

    #[test]
    fn particles_end_outside_of_any_number_of_half_spaces_unless_these_crush_them() {
        for (stopped, pressed) in [
            half_spaces_at_random::<2>(2).into(),
            half_spaces_at_random::<2>(3).into(),
            half_spaces_at_random::<3>(3).into(),
            half_spaces_at_random::<3>(5).into(),
        ] {
            println!("{stopped} stopped, {pressed} crushed");
            assert!(stopped > 1000 && pressed < stopped / 4);
        }
    }
}
