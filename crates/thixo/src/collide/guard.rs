//! Guard against penetration: particles that contact on the grid would let through are stopped,
//! equations (8b) and (8c).
//!
//! A particle at a depth between one and one and a half cells still has nodes outside the obstacle
//! in its support and can be carried further in. The guard runs after particles have moved and
//! before they are scattered again, over segments near an obstacle. It is a safety net: matter at
//! rest on an obstacle stays above a depth of h, and so does flowing matter (0.8 h under a jet).

use thixo_math::Vector;
use thixo_par::Scalar;

use super::candidate::ContactCandidate;
use super::contact_impulse::{ContactImpulse, GuardImpulse};
use super::joint::{Directions, Joint};
use super::stop::{Changes, Obstacles, Particle};
use super::sweep::OffsetSurface;
use super::{ActsOn, Collider};
use crate::grid::{Geometry, Segment};
use crate::particles::Layout;
use crate::step_context::StepContext;

/// Half the width of seams between solids that are closed, in cells.
const JOINT_RADIUS: f64 = 0.01;
/// Difference of the velocities of solids that move together, relative to them.
const TOGETHER: f64 = 1e-9;

/// Particles that a guard has corrected.
#[derive(Clone, Debug)]
pub(crate) struct ContactCorrection<T> {
    /// Largest squared velocity at which one of them moved \[m²/s²\].
    pub speed_squared: T,
    /// Number of particles that were stopped.
    pub stopped_particles: u64,
    /// Largest depth behind an offset surface to which obstacles that close on each other have
    /// pressed one of them \[m\].
    pub crush_depth: f64,
    /// Impulses of obstacles on them, particle after particle.
    pub impulses: Vec<GuardImpulse>,
}

/// Obstacles near a segment, and the positions of its particles before the move.
pub(crate) struct Guard<'a, T, const D: usize> {
    candidates: Vec<ContactCandidate<'a, D>>,
    material: usize,
    geometry: &'a Geometry<D>,
    /// Middle of the block of the segment \[cells\].
    middle: [f64; D],
    times: [f64; 2],
    /// Offsets before the move: groups of lanes, component after component.
    start: Vec<T>,
}

impl<'a, T: Scalar, const D: usize> Guard<'a, T, D> {
    /// The guard of a segment in a step; none without an obstacle that a particle of the segment
    /// may meet.
    pub fn around(
        colliders: &'a [Collider<D>],
        segment: &Segment<D>,
        step: &StepContext<'a, D>,
    ) -> Option<Self> {
        if colliders.is_empty() {
            return None;
        }
        let geometry = step.geometry;
        let block = step.order.blocks.coordinate(segment.block);
        let (centre, half) = bounding_box(segment, block, geometry);
        let times = [step.time, step.time + step.dt];
        let candidates = colliders
            .iter()
            .enumerate()
            .filter_map(|collider| {
                ContactCandidate::of(collider, centre, half, geometry.spacing(), times)
            })
            .filter(|candidate| {
                let around = -candidate.offset_surface.depth;
                candidate.overlaps_octant((centre, half), around, times[1])
            });
        let mut candidates: Vec<_> = candidates.collect();
        // What is in a seam between thick solids need not be deep in any of them.
        if candidates
            .iter()
            .filter(|candidate| !candidate.is_thin)
            .count()
            < 2
        {
            candidates.retain(|candidate| {
                candidate.overlaps_octant((centre, half), candidate.depth, times[1])
            });
        }
        // In an order that does not depend on that in which they are listed.
        candidates.sort_by(|a, b| a.compare(b, centre, times[1]));
        (!candidates.is_empty()).then(|| Self {
            candidates,
            material: segment.species,
            geometry,
            middle: geometry.block_middle(block),
            times,
            start: Vec::new(),
        })
    }

    /// Stores the offsets of the particles of some groups.
    #[inline(never)]
    pub fn record_positions(&mut self, hot: &[T], hot_stride: usize) {
        self.start.clear();
        for group in hot.chunks_exact(hot_stride) {
            let first = Layout::<D>::X * T::LANES;
            self.start.extend(&group[first..first + D * T::LANES]);
        }
    }

    /// Corrects position and velocity of the same groups after they have moved. Velocities are the
    /// first columns of their groups.
    #[inline(never)]
    pub fn correct(
        &self,
        hot: &mut [T],
        hot_stride: usize,
        velocity: &mut [T],
        velocity_stride: usize,
    ) -> ContactCorrection<T> {
        let mut corrected = ContactCorrection {
            speed_squared: T::zero(),
            stopped_particles: 0,
            crush_depth: 0.0,
            impulses: Vec::new(),
        };
        let groups = hot
            .chunks_exact_mut(hot_stride)
            .zip(velocity.chunks_exact_mut(velocity_stride))
            .zip(self.start.chunks_exact(D * T::LANES));
        for ((hot, velocity), start) in groups {
            let end = &hot[Layout::<D>::X * T::LANES..][..D * T::LANES];
            if !self.may_be_in_contact(start, end) {
                continue;
            }
            for lane in 0..T::LANES {
                if hot[Layout::<D>::MASS * T::LANES + lane] <= T::zero() {
                    continue;
                }
                let read = |from: &[T], column: usize| {
                    let mut out = [0.0; D];
                    for a in 0..D {
                        out[a] = from[(column + a) * T::LANES + lane].to_f64();
                    }
                    out
                };
                let particle = Particle {
                    start: self.position(read(start, 0)),
                    end: self.position(read(hot, Layout::<D>::X)),
                    velocity: Vector(read(velocity, 0)),
                };
                let mut changes = Changes::new();
                let Some((kept, stopped)) = self.corrected(particle, &mut changes) else {
                    continue;
                };
                let mass = hot[Layout::<D>::MASS * T::LANES + lane].to_f64();
                let impulses = self.impulses(mass, [&particle, &kept], &changes);
                corrected.impulses.extend(impulses);
                for a in 0..D {
                    let offset = kept.end[a] / self.geometry.spacing() - self.middle[a];
                    hot[(Layout::<D>::X + a) * T::LANES + lane] = T::from_f64(offset);
                    velocity[a * T::LANES + lane] = T::from_f64(kept.velocity[a]);
                }
                let dt = self.times[1] - self.times[0];
                let speed = (kept.end - kept.start).norm() / dt;
                let squared = T::from_f64(speed * speed);
                corrected.speed_squared = corrected.speed_squared.max(squared);
                corrected.stopped_particles += u64::from(stopped.is_some());
                corrected.crush_depth = corrected.crush_depth.max(stopped.unwrap_or(0.0));
            }
        }
        corrected
    }

    /// Position \[m\] at an offset \[cells\].
    fn position(&self, offset: [f64; D]) -> Vector<f64, D> {
        let mut out = Vector::zero();
        for a in 0..D {
            out[a] = self.geometry.spacing() * (self.middle[a] + offset[a]);
        }
        out
    }
    /// True if an obstacle can be in contact with a group of particles, by the bounding sphere of
    /// their positions at the start and the end.
    fn may_be_in_contact(&self, start: &[T], end: &[T]) -> bool {
        if self.geometry.is_periodic() {
            // The first period of one particle may be the last of another.
            return true;
        }
        let mut centre = [0.0; D];
        let mut squared = 0.0;
        for a in 0..D {
            let lanes = a * T::LANES..(a + 1) * T::LANES;
            let first = start[lanes.start];
            let (mut low, mut high) = (first, first);
            for &x in start[lanes.clone()].iter().chain(&end[lanes]) {
                low = low.min(x);
                high = high.max(x);
            }
            let (low, high) = (low.to_f64(), high.to_f64());
            centre[a] = 0.5 * (low + high);
            squared += (0.5 * (high - low) * self.geometry.spacing()).powi(2);
        }
        let centre = self.position(centre).0;
        let radius = squared.sqrt();
        let is_met = self.candidates.iter().any(|candidate| {
            let surface = candidate.collider.shape().surface(centre, self.times[1]);
            surface.distance + candidate.depth <= radius + candidate.displacement
        });
        is_met || self.is_between_thick(Vector(centre), radius)
    }

    /// True if a particle within a distance \[m\] of a position may be in a thick solid, with
    /// another around it.
    fn is_between_thick(&self, position: Vector<f64, D>, distance: f64) -> bool {
        let (mut around, mut is_inside) = (0, false);
        for candidate in self.candidates.iter().filter(|c| !c.is_thin) {
            let surface = candidate
                .collider
                .shape()
                .surface(position.0, self.times[1]);
            let reach = distance + candidate.displacement;
            around += usize::from(surface.distance <= reach + candidate.offset_surface.depth);
            is_inside |= surface.distance <= reach;
        }
        around >= 2 && is_inside
    }

    /// The particle after contact and, if an offset surface stopped it, the depth behind one to
    /// which it was crushed \[m\]; none without contact.
    fn corrected(
        &self,
        particle: Particle<D>,
        changes: &mut Changes<D>,
    ) -> Option<(Particle<D>, Option<f64>)> {
        // Obstacles are defined in the first period only.
        let shift = if self.geometry.is_periodic() {
            self.geometry.into_first_period(particle.end) - particle.end
        } else {
            Vector::zero()
        };
        let mut kept = Particle {
            start: particle.start + shift,
            end: particle.end + shift,
            ..particle
        };
        let mut in_contact = false;
        for candidate in &self.candidates {
            if candidate.collider.acts_on() == ActsOn::GridAndParticles {
                in_contact |= self.particle_contact(candidate, &mut kept, changes);
            }
        }
        let length = (kept.end - kept.start).norm();
        let may_meet = self.candidates.iter().any(|candidate| {
            let gap = candidate
                .offset_surface
                .at(kept.end, self.times[1])
                .distance;
            gap <= length + candidate.displacement
        });
        let may_meet = may_meet || self.is_between_thick(kept.end, length);
        let stopped = match may_meet {
            true => self.stop(&mut kept, changes),
            false => None,
        };
        kept.start -= shift;
        kept.end -= shift;
        (in_contact || stopped.is_some()).then_some((kept, stopped))
    }

    /// Impulses of obstacles on a particle of a mass \[kg\] before and after contact. The first has
    /// the moment of the displacement, too.
    fn impulses(
        &self,
        mass: f64,
        [before, after]: [&Particle<D>; 2],
        changes: &Changes<D>,
    ) -> impl Iterator<Item = GuardImpulse> {
        changes
            .all()
            .enumerate()
            .map(move |(k, (collider, change))| {
                let mut impulse = ContactImpulse::<D>::zero();
                impulse.add(after.end, change * mass);
                if k == 0 {
                    impulse.displace(after.end - before.end, before.velocity * mass);
                }
                GuardImpulse::new(collider, &impulse)
            })
    }

    /// Stops a particle at all obstacles that it meets, see [`Obstacles::stop`].
    fn stop(&self, particle: &mut Particle<D>, changes: &mut Changes<D>) -> Option<f64> {
        let spacing = self.geometry.spacing();
        let obstacles = |candidates| Obstacles {
            candidates,
            material: self.material,
            spacing,
            times: self.times,
        };
        let way = (particle.end - particle.start).norm();
        let joints = [true, false].map(|is_thin| self.joint(is_thin, particle.end, way));
        let mut candidates = Vec::new();
        for (joint, first, step) in joints.iter().flatten() {
            candidates.push(ContactCandidate {
                offset_surface: OffsetSurface {
                    shape: joint,
                    depth: joint.radius - JOINT_RADIUS * spacing,
                    step: *step,
                },
                // Friction is that of the solids themselves.
                is_thin: false,
                ..**first
            });
        }
        if candidates.is_empty() {
            return obstacles(&self.candidates).stop(particle, changes);
        }
        candidates.splice(0..0, self.candidates.iter().copied());
        obstacles(&candidates).stop(particle, changes)
    }

    /// The joint of the thin solids that a particle may meet on a way of a length \[m\] to a
    /// position, or of the thick ones around it that move together; with the first of them, and the
    /// shortest of their steps along a trajectory. None of less than two. Particles may be as deep
    /// in the joint as in its solids.
    fn joint(
        &self,
        is_thin: bool,
        to: Vector<f64, D>,
        way: f64,
    ) -> Option<(Joint<'_, D>, &ContactCandidate<'a, D>, f64)> {
        let seam = JOINT_RADIUS * self.geometry.spacing();
        let end = self.times[1];
        let mut near: Vec<_> = self.candidates.iter().collect();
        near.retain(|candidate| {
            let surface = candidate.collider.shape().surface(to.0, end);
            let reach = way + candidate.displacement + candidate.offset_surface.depth + seam;
            candidate.is_thin == is_thin && surface.distance <= reach
        });
        if let (false, Some(first)) = (is_thin, near.first()) {
            // Those that close on each other crush what is between them.
            let velocity = first.offset_surface.velocity(to, end);
            near.retain(|candidate| {
                let relative = candidate.offset_surface.velocity(to, end) - velocity;
                relative.norm() <= TOGETHER * velocity.norm()
            });
        }
        let [first, _, ..] = near[..] else {
            return None;
        };
        let joint = Joint {
            solids: near.iter().map(|c| c.offset_surface.shape).collect(),
            radius: first.offset_surface.depth + seam,
            directions: match is_thin {
                true => Directions::Normals,
                false => Directions::AllAround,
            },
        };
        let steps = near.iter().map(|c| c.offset_surface.step);
        Some((joint, first, steps.fold(f64::INFINITY, f64::min)))
    }

    /// Contact of a particle that is itself inside, before it moves: \[Nilles2020\] §4, steps 9
    /// and 10. Returns whether it is inside.
    fn particle_contact(
        &self,
        candidate: &ContactCandidate<'_, D>,
        particle: &mut Particle<D>,
        changes: &mut Changes<D>,
    ) -> bool {
        let [begin, end] = self.times;
        let x = particle.start;
        let surface = candidate.collider.shape().surface(x.0, end);
        if surface.distance > 0.0 {
            return false;
        }
        let (normal, solid) = (
            Vector(surface.normal),
            candidate.offset_surface.velocity(x, end),
        );
        let contact = candidate.collider.contact_of(self.material, x.0, end);
        let carried = solid * (end - begin);
        let velocity = contact.constrain(particle.velocity - solid, normal) + solid;
        changes.set(particle, velocity, candidate.index);
        particle.end = x + carried + contact.constrain(particle.end - x - carried, normal);
        true
    }
}

/// Centre and half edges of the bounding box of all possible positions of a segment's particles
/// before the next sort.
fn bounding_box<const D: usize>(
    segment: &Segment<D>,
    block: [i32; D],
    geometry: &Geometry<D>,
) -> ([f64; D], [f64; D]) {
    let (spacing, kernel) = (geometry.spacing(), geometry.kernel());
    let mut centre = [0.0; D];
    let mut half = [0.0; D];
    for a in 0..D {
        let first = f64::from(block[a] * geometry.block_side() as i32 + segment.bounds.origin[a])
            + kernel.base_offset();
        // The tile holds the stencils of all cells between, and one cell more on either side for
        // drift.
        let cells = f64::from(segment.bounds.size[a] + 1) - kernel.width() as f64;
        centre[a] = spacing * (first + 0.5 * cells);
        half[a] = 0.5 * cells * spacing;
    }
    (centre, half)
}
