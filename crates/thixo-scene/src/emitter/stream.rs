//! The matter of an emitter: an endless pattern of points that moves at the emitter's velocity, of
//! which those that have left are real.

use std::sync::Arc;

use rayon::prelude::*;
use thixo::{BodyForce, BuildError, Seed, Setup};

use super::axes::{dot, orthonormal_frame};
use super::displacement::Displacement;
use super::profile::VelocityProfile;
use crate::expression::Scratch;
use crate::fill::FillPlan;
use crate::material::per_particle::MaterialFormulas;
use crate::sampling::{Cells, Pattern, Random, Sampling};
use crate::shape::{Bounds, Region};

/// Columns along each axis of the outline with which its area is measured, in 2D and 3D.
const COLUMNS: [usize; 2] = [1 << 14, 1 << 8];
/// Shortest step of the search for the front, in pitches; how often the result is halved.
const SHORTEST: f64 = 1e-3;
const HALVINGS: usize = 24;

/// The motion of a stream.
#[derive(Clone, Debug)]
pub(crate) enum StreamMotion<const D: usize> {
    /// All of it at one velocity \[m/s\] times a rate.
    Uniform {
        velocity: [f64; D],
        start: f64,
        displacement: Displacement,
    },
    /// Every column by a displacement of its own.
    Profile(VelocityProfile<D>),
}

/// An emitter in a frame of its own, whose last axis is the direction in which matter leaves.
///
/// A point of the pattern with coordinates (q, s) lies at (q, s + ℓ) when its column has moved by
/// ℓ, as [`Displacement`] or [`VelocityProfile`] say. It leaves where its column q meets the front
/// of the shape, at s + ℓ = front(q), and is a particle from then on. So what has been emitted at a
/// time is a function of the time alone.
#[derive(Clone, Debug)]
pub(crate) struct Stream<const D: usize> {
    region: Arc<dyn Region<D>>,
    /// Unit vectors of the frame.
    axes: [[f64; D]; D],
    /// The shape's box in the frame \[m\].
    bounds: Bounds<D>,
    sampling: Sampling,
    pattern: Pattern<D>,
    motion: StreamMotion<D>,
    body_force: BodyForce<D>,
    /// Index of the material.
    pub material: usize,
    /// Parameters of its matter, once they are known.
    own: Option<MaterialFormulas>,
    /// Volume of a particle when it leaves \[m³\].
    volume: f64,
    /// The middle of the shape's box in space \[m\].
    middle: [f64; D],
}

impl<const D: usize> Stream<D> {
    /// An emitter from which matter leaves in a direction, as `motion` says of its box in its frame
    /// and the frame's unit vectors. It has no particles before
    /// [`place_pattern`](Self::place_pattern).
    pub fn new(
        plan: &FillPlan<D>,
        direction: [f64; D],
        setup: &Setup<D>,
        motion: impl FnOnce(&Bounds<D>, &[[f64; D]; D]) -> StreamMotion<D>,
    ) -> Self {
        let axes = orthonormal_frame(direction);
        let mut bounds = Bounds {
            min: [f64::INFINITY; D],
            max: [f64::NEG_INFINITY; D],
        };
        for corner in 0..1usize << D {
            let mut x = plan.bounds.min;
            for a in 0..D {
                if corner >> a & 1 == 1 {
                    x[a] = plan.bounds.max[a];
                }
            }
            for a in 0..D {
                let along = dot(axes[a], x);
                bounds.min[a] = bounds.min[a].min(along);
                bounds.max[a] = bounds.max[a].max(along);
            }
        }
        Self {
            region: plan.region.clone(),
            motion: motion(&bounds, &axes),
            axes,
            bounds,
            sampling: plan.sampling,
            // Enough to know how many points there will be about.
            pattern: Pattern::lattice(plan.pitch),
            body_force: setup.body_force.clone(),
            material: usize::MAX,
            own: None,
            volume: f64::NAN,
            middle: plan.middle(),
        }
    }

    /// Edge of the cube that a particle stands for \[m\].
    pub fn pitch(&self) -> f64 {
        self.pattern.pitch()
    }

    /// Largest speed \[m/s\] if it is active between two times \[s\].
    pub fn speed_between(&self, from: f64, to: f64) -> Option<f64> {
        match &self.motion {
            StreamMotion::Uniform { displacement, .. } => displacement.fastest(from, to),
            StreamMotion::Profile(profile) => profile.fastest(from, to),
        }
    }

    /// At most about how many particles come until a time \[s\].
    pub fn bound(&self, time: f64) -> f64 {
        let mut swept = self.bounds;
        let moved = match &self.motion {
            StreamMotion::Uniform { displacement, .. } => displacement.at(time),
            StreamMotion::Profile(profile) => profile.largest_displacement(time),
        };
        if moved == 0.0 {
            return 0.0;
        }
        swept.max[D - 1] = swept.min[D - 1] + moved;
        self.pattern.bound(&swept)
    }

    /// The middle of the shape's box \[m\].
    pub fn middle(&self) -> [f64; D] {
        self.middle
    }

    /// Mass of a particle \[kg\], where all have the same.
    pub fn mass(&self) -> Option<f64> {
        Some(self.own.as_ref()?.uniform_density()? * self.volume)
    }

    /// Makes the pattern and gives its particles the volume with which a period of the pattern has
    /// what it should have: area of the outline × length. False if no particle ever comes.
    pub fn place_pattern(&mut self, material: usize, own: MaterialFormulas) -> bool {
        // As long as it is wide: the pattern of a stream need not differ along its length.
        let mut piece = self.bounds;
        let width = (0..D - 1).map(|a| piece.max[a] - piece.min[a]);
        piece.max[D - 1] = piece.min[D - 1] + width.fold(0.0, f64::max);
        self.pattern = self.sampling.pattern(self.pitch(), &piece);
        let repeat = self.pattern.repeat();
        let mut period = self.bounds;
        period.min[D - 1] = 0.0;
        period.max[D - 1] = 0.0;
        let cells = Cells::around(&period, self.pattern.edge());
        let count: usize = (0..cells.count())
            .into_par_iter()
            .map(|k| {
                let mut count = 0;
                for layer in 0..repeat {
                    let mut cell = cells.cell(k);
                    cell[D - 1] = layer;
                    self.pattern.points(cell, cell, |x| {
                        count += usize::from(self.front(x).is_some());
                    });
                }
                count
            })
            .sum();
        let length = repeat as f64 * self.pattern.edge();
        self.volume = self.area() * length / count as f64;
        self.material = material;
        self.own = Some(own);
        count > 0
    }

    /// Area of the outline \[m²\]; length in 2D \[m\]. Exact for a box along its axes; else to some
    /// parts in ten thousand, by looking at a random column in every cell of a lattice.
    fn area(&self) -> f64 {
        let n = COLUMNS[D.min(3) - 2];
        let total = n.pow(D as u32 - 1);
        let hits: usize = (0..total)
            .into_par_iter()
            .filter(|&k| {
                let mut random = Random::new(0, &[k as i64]);
                let mut rest = k;
                let mut x = self.bounds.min;
                for a in 0..D - 1 {
                    let part = ((rest % n) as f64 + random.uniform()) / n as f64;
                    x[a] += part * (self.bounds.max[a] - self.bounds.min[a]);
                    rest /= n;
                }
                self.front(x).is_some()
            })
            .count();
        let outline: f64 = (0..D - 1)
            .map(|a| self.bounds.max[a] - self.bounds.min[a])
            .product();
        outline * hits as f64 / total as f64
    }

    /// Coordinate at which the column of a point of the frame leaves the shape for the last time
    /// \[m\], if it meets it.
    fn front(&self, point: [f64; D]) -> Option<f64> {
        let mut at = point;
        for a in 0..D - 1 {
            at[a] += self.pattern.nudge();
        }
        let mut distance = |s: f64| {
            at[D - 1] = s;
            self.region.surface(self.place(at), 0.0).distance
        };
        let (low, high) = (self.bounds.min[D - 1], self.bounds.max[D - 1]);
        let mut outside = high;
        let mut inside = high;
        loop {
            let gap = distance(inside);
            if gap < 0.0 {
                break;
            }
            outside = inside;
            inside -= gap.max(SHORTEST * self.pitch());
            if inside.is_nan() || inside <= low {
                return None;
            }
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (outside + inside);
            if distance(middle) < 0.0 {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        Some(outside)
    }

    /// From the frame to space.
    fn place(&self, point: [f64; D]) -> [f64; D] {
        let mut x = [0.0; D];
        for k in 0..D {
            for a in 0..D {
                x[a] += point[k] * self.axes[k][a];
            }
        }
        x
    }

    /// Points at which particles come out, half a pitch in front of it \[m\].
    pub fn outlet(&self) -> Vec<[f64; D]> {
        let mut period = self.bounds;
        period.max[D - 1] = period.min[D - 1];
        let cells = Cells::around(&period, self.pattern.edge());
        let mut out = Vec::new();
        for k in 0..cells.count() {
            let cell = cells.cell(k);
            self.pattern.points(cell, cell, |mut x| {
                if let Some(front) = self.front(x) {
                    x[D - 1] = front + 0.5 * self.pitch();
                    out.push(self.place(x));
                }
            });
        }
        out
    }

    /// Gives particles that come out the mass of what they are made of; returns their own
    /// parameters, seed after seed, if they have such.
    pub fn fill(&self, seeds: &mut [Seed<D>]) -> Result<Option<Vec<f64>>, BuildError> {
        let Some(own) = &self.own else {
            return Ok(None);
        };
        let points: Vec<_> = seeds.iter().map(|seed| seed.position).collect();
        let properties = own.at(&points, self.middle, &mut Scratch::default());
        let properties = properties.map_err(|refused| refused.cause)?;
        for (k, seed) in seeds.iter_mut().enumerate() {
            let ratio = properties.volume_ratio[k];
            seed.rest_volume = self.volume / ratio;
            seed.mass = properties.density[k] / ratio * self.volume;
        }
        Ok(properties.parameters)
    }

    /// The particles that come out between two times, where and as fast as they are at the second:
    /// they have flown freely since. Their masses are those of matter of density 1 until they are
    /// [filled](Self::fill).
    pub fn between(&self, from: f64, to: f64) -> Vec<Seed<D>> {
        match &self.motion {
            StreamMotion::Uniform {
                velocity,
                start,
                displacement,
            } => self.uniform_between(from, to, (*velocity, *start, displacement)),
            StreamMotion::Profile(profile) => self.profile_between(from, to, profile),
        }
    }

    /// Particles that come out of a stream that moves as a whole.
    fn uniform_between(
        &self,
        from: f64,
        to: f64,
        (velocity, start, displacement): ([f64; D], f64, &Displacement),
    ) -> Vec<Seed<D>> {
        let (least, most) = (displacement.at(from), displacement.at(to));
        let mut seeds = Vec::new();
        if least >= most {
            return seeds;
        }
        let mut window = self.bounds;
        window.min[D - 1] -= most;
        window.max[D - 1] -= least;
        let cells = Cells::around(&window, self.pattern.edge());
        for k in 0..cells.count() {
            self.points(cells.cell(k), |x| {
                if x[D - 1] < window.min[D - 1] || x[D - 1] > window.max[D - 1] {
                    return;
                }
                let Some(front) = self.front(x) else { return };
                let leaves = front - x[D - 1];
                if !(least..most).contains(&leaves) {
                    return;
                }
                let (elapsed, rate) = displacement.reached(leaves);
                let mut place = x;
                place[D - 1] = front;
                let velocity = velocity.map(|v| v * rate);
                let age = to - start - elapsed;
                seeds.push(self.free_flight(self.place(place), velocity, start + elapsed, age));
            });
        }
        seeds
    }

    /// Particles that come out of a stream whose columns move by displacements of their own: column
    /// after column, as slow ones lag behind.
    fn profile_between(&self, from: f64, to: f64, profile: &VelocityProfile<D>) -> Vec<Seed<D>> {
        let mut seeds = Vec::new();
        let edge = self.pattern.edge();
        let mut outline = self.bounds;
        outline.max[D - 1] = outline.min[D - 1];
        let columns = Cells::around(&outline, edge);
        for k in 0..columns.count() {
            let column = columns.cell(k);
            let low = column.map(|i| i as f64 * edge);
            let high = low.map(|x| x + edge);
            let [least, _] = profile.displacements(low, high, from);
            let [_, most] = profile.displacements(low, high, to);
            if least >= most {
                continue;
            }
            let first = ((self.bounds.min[D - 1] - most) / edge).floor() as i64;
            let last = ((self.bounds.max[D - 1] - least) / edge).floor() as i64;
            for layer in first..=last {
                let mut cell = column;
                cell[D - 1] = layer;
                self.points(cell, |x| {
                    let [before, after] = [from, to].map(|time| profile.displacement(x, time));
                    let highest = self.bounds.max[D - 1] - before;
                    if before >= after || x[D - 1] > highest {
                        return;
                    }
                    let Some(front) = self.front(x) else { return };
                    let leaves = front - x[D - 1];
                    if !(before..after).contains(&leaves) {
                        return;
                    }
                    let time = profile.reached(x, leaves);
                    let mut place = x;
                    place[D - 1] = front;
                    let place = self.place(place);
                    let velocity = profile.velocity.at(place, time);
                    seeds.push(self.free_flight(place, velocity, time, to - time));
                });
            }
        }
        seeds
    }

    /// The points of a cell of the pattern, which repeats itself along the stream.
    fn points(&self, cell: [i64; D], take: impl FnMut([f64; D])) {
        let mut twin = cell;
        twin[D - 1] = cell[D - 1].rem_euclid(self.pattern.repeat());
        self.pattern.points(cell, twin, take);
    }

    /// A particle that left a place with a velocity at a time and has flown freely since.
    fn free_flight(
        &self,
        mut position: [f64; D],
        mut velocity: [f64; D],
        time: f64,
        age: f64,
    ) -> Seed<D> {
        let gravity = self.body_force.acceleration(position, time);
        for a in 0..D {
            position[a] += (velocity[a] + 0.5 * gravity[a] * age) * age;
            velocity[a] += gravity[a] * age;
        }
        Seed::new(position, velocity, self.volume, self.volume)
    }
}
