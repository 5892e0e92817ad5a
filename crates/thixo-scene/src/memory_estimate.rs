//! Memory that a scene takes, estimated before it is sampled: the number of particles by the
//! volumes of the shapes, times the bytes of a particle in a sample of every material.

use thixo::Simulation;

use crate::build::Precise;
use crate::checked::CheckedScene;
use crate::fill::{FillPlan, MatterSource};
use crate::sampling::{Random, volume};
use crate::shape::{Bounds, Region};

/// Scenes of fewer particles are sampled without an estimate: they take less than a gigabyte.
pub(crate) const ESTIMATED_FROM: f64 = 1e6;
/// Edge of a sample in particles.
const SAMPLE_EDGE: f64 = 24.0;
/// Points of a shape's box among which the deepest is the middle of its sample.
const PROBES: i64 = 512;

/// Particles of a scene at its start, and the memory that a run takes then.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MemoryEstimate {
    /// About the number of particles.
    pub particles: f64,
    /// About the largest number of bytes held while a frame is computed.
    pub bytes: f64,
}

impl<const D: usize> CheckedScene<'_, D> {
    /// About the memory that the objects take; none where no sample of them could be taken, which
    /// sampling them will explain. `simulation` is an empty one of the scene and is lost.
    pub fn memory_estimate<T: Precise<D>>(
        &mut self,
        mut simulation: Simulation<T, D>,
    ) -> Option<MemoryEstimate> {
        let mut particles = 0.0;
        // The largest object of each material.
        let mut largest = vec![None; self.scene.materials.len()];
        for (index, object) in self.objects.iter().enumerate() {
            let count = match &object.matter {
                MatterSource::Shape(plan) => estimated_count(plan),
                MatterSource::File(plan) => plan.positions.len() as f64,
            };
            particles += count;
            let most = &mut largest[object.material];
            if most.is_none_or(|(_, before)| count > before) {
                *most = Some((index, count));
            }
        }
        for (index, _) in largest.into_iter().flatten() {
            let MatterSource::Shape(plan) = &mut self.objects[index].matter else {
                continue;
            };
            let whole = plan.bounds;
            plan.bounds = sample_bounds(plan);
            let filled = self.fill(index, &mut simulation);
            if let MatterSource::Shape(plan) = &mut self.objects[index].matter {
                plan.bounds = whole;
            }
            filled.ok()?;
        }
        simulation.forecast().ok()?;
        let each = simulation.peak_bytes() as f64 / simulation.len() as f64;
        Some(MemoryEstimate {
            particles,
            bytes: particles * each,
        })
    }
}

/// About how many particles fill a shape.
fn estimated_count<const D: usize>(plan: &FillPlan<D>) -> f64 {
    volume(plan.region.as_ref(), &plan.bounds) / plan.pitch.powi(D as i32)
}

/// A small box in the depth of a shape.
fn sample_bounds<const D: usize>(plan: &FillPlan<D>) -> Bounds<D> {
    let Bounds { min, max } = plan.bounds;
    let region: &dyn Region<D> = plan.region.as_ref();
    let depth = |x: &[f64; D]| -region.surface(*x, 0.0).distance;
    let mut middle = plan.middle();
    for k in 0..PROBES {
        let u: [f64; D] = Random::new(0, &[k; D]).point();
        let x = core::array::from_fn(|a| min[a] + u[a] * (max[a] - min[a]));
        if depth(&x) > depth(&middle) {
            middle = x;
        }
    }
    let half = 0.5 * SAMPLE_EDGE * plan.pitch;
    Bounds {
        min: core::array::from_fn(|a| (middle[a] - half).max(min[a])),
        max: core::array::from_fn(|a| (middle[a] + half).min(max[a])),
    }
}
