//! Matter that entered and left during a frame.

use thixo::{Insertion, Instance};

use super::Stream;
use crate::build::Built;
use crate::expression::Scratch;

/// Mass that emitters added and sinks removed. In every frame, mass = mass of the frame before +
/// emitted − removed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Flow {
    /// Particles that emitters added.
    pub emitted: usize,
    /// Particles that sinks removed.
    pub removed: usize,
    /// Mass that emitters added \[kg\], as it is in the precision of the run.
    pub emitted_mass: f64,
    /// Mass that sinks removed \[kg\], as it is in the precision of the run.
    pub removed_mass: f64,
}

/// Mass of a particle of every object in precision `T` \[kg\].
pub(crate) fn rounded<T: Instance<D>, const D: usize>(mass: f64) -> f64 {
    T::from_f64(mass).to_f64()
}

impl<T: Instance<D>, const D: usize> Built<T, D> {
    /// Adds what emitters emit between two times \[s\] to the simulation and the flow.
    pub(super) fn emit(
        &mut self,
        from: f64,
        to: f64,
        flow: &mut Flow,
    ) -> Result<(), thixo::BuildError> {
        let first = self.first_emitter();
        let mut scratch = Scratch::default();
        for (k, stream) in self.streams.iter().enumerate() {
            let mut seeds = stream.between(from, to);
            let own = stream.fill(&mut seeds)?;
            let places: Vec<[f64; D]> = seeds.iter().map(|seed| seed.position).collect();
            let carried = self.carried.at(&places, to, &mut scratch);
            let temperatures = self
                .temperatures
                .of_owner(first + k, &places, to, &mut scratch);
            let melting_points =
                self.temperatures
                    .melting_points(stream.material, &places, to, &mut scratch);
            let insertion = Insertion::new(stream.material, &seeds)
                .with_parameters(own.as_deref())
                .carrying(carried.as_deref())
                .at_temperatures(temperatures.as_deref())
                .melting_at(melting_points.as_deref());
            self.simulation.insert(insertion)?;
            self.objects.give(first + k, seeds.len() as u32);
            flow.emitted += seeds.len();
            flow.emitted_mass += match stream.mass() {
                Some(mass) => seeds.len() as f64 * rounded::<T, D>(mass),
                None => seeds.iter().map(|seed| rounded::<T, D>(seed.mass)).sum(),
            };
        }
        Ok(())
    }

    /// Removes what is inside of sinks.
    pub(super) fn drain(&mut self, time: f64, flow: &mut Flow) {
        if self.sinks.is_empty() {
            return;
        }
        let (sinks, objects) = (&self.sinks, &self.objects);
        let mut counts = vec![0usize; self.masses.len()];
        // Masses of single particles, by identifier, are asked for only where they differ.
        let mut single = Vec::new();
        if self.masses.contains(&None) {
            self.simulation
                .visit(|particle, _| single.push((particle.id, particle.mass.to_f64())));
        }
        let mut removed = Vec::new();
        flow.removed += self.simulation.remove(|id, x| {
            let goes = sinks
                .iter()
                .any(|sink| sink.surface(x, time).distance < 0.0);
            if goes {
                removed.push(id);
            }
            let owner = if goes { objects.of_particle(id) } else { None };
            if let Some(count) = owner.and_then(|owner| counts.get_mut(owner)) {
                *count += 1;
            }
            goes
        });
        for (&count, &mass) in counts.iter().zip(&self.masses) {
            flow.removed_mass += count as f64 * mass.unwrap_or(0.0);
        }
        // In the order of identifiers, which does not depend on where the particles are kept.
        removed.sort_unstable();
        for id in removed {
            let owner = objects.of_particle(id).and_then(|k| self.masses.get(k));
            if let (Some(None), Ok(at)) = (owner, single.binary_search_by_key(&id, |p| p.0)) {
                flow.removed_mass += single[at].1;
            }
        }
    }

    /// Mass that every particle of an object or emitter has, in the precision of the run \[kg\];
    /// none where they differ.
    pub fn particle_mass(&self, object: usize) -> Option<f64> {
        self.masses.get(object).copied().flatten()
    }

    /// Index of the first emitter among the objects.
    fn first_emitter(&self) -> usize {
        self.masses.len() - self.streams.len()
    }

    /// Makes the owners of identifiers what they are at the end of a frame, for a simulation that
    /// was restored to that state.
    pub fn resume(&mut self, frame: u32) {
        let streams: &[Stream<D>] = &self.streams;
        let first = self.masses.len() - streams.len();
        self.objects = self.objects_at_start.clone();
        for frame in 1..=frame {
            for [from, to] in self.clock.parts(frame, streams) {
                for (k, stream) in streams.iter().enumerate() {
                    let count = stream.between(from, to).len() as u32;
                    self.objects.give(first + k, count);
                }
            }
        }
    }
}
