//! The formula to blame when a simulation cannot go on.

use std::collections::BTreeSet;

use thixo::StepError;

use crate::build::{Built, Precise};
use crate::error::SceneError;
use crate::expression::{Expression, Scratch};
use crate::points::{self, VariableColumns};
use crate::scene::Scene;

/// Times in the rest of a frame at which formulas are looked at.
const TIMES: u32 = 32;

impl Scene {
    /// The formula that was infinite or not a number where matter was when a frame failed, with its
    /// key, place and time; none if all are sound, and the matter itself is to blame. It looks at
    /// the formulas that act while a simulation runs: gravity, pressures and tractions. Those of
    /// motions, rates and velocities of emitters are checked when the scene is read, and friction
    /// that is not a number counts as zero.
    pub fn formula_at_fault<T: Precise<D>, const D: usize>(
        &self,
        built: &Built<T, D>,
        frame: u32,
        error: &StepError,
    ) -> Option<SceneError> {
        let start = built.simulation.time();
        let end = f64::from(frame) * self.time.frame_seconds();
        let share = |k: u32| f64::from(k) / f64::from(TIMES);
        let mut times: Vec<f64> = (0..=TIMES)
            .map(|k| start + share(k) * (end - start))
            .collect();
        if let StepError::NonFinite { time, .. }
        | StepError::GridNonFinite { time, .. }
        | StepError::TooFast { time, .. } = error
        {
            times.push(*time);
        }
        times.sort_by(f64::total_cmp);
        let gravity = self.gravity::<D>().ok()?;
        let loads = self.load_formulas(built).ok()?;
        let mut scratch = Scratch::default();
        for time in times {
            if gravity.constant().is_none() {
                let nodes = self.nodes_with_matter(built, time - start);
                let columns = VariableColumns::with_time(&nodes, time);
                for (axis, formula) in gravity.components().iter().enumerate() {
                    let key = format!("physics.gravity[{axis}]");
                    let values = self.finite_values(&key, formula, &columns, &mut scratch);
                    if let Err(error) = values {
                        return Some(error);
                    }
                }
            }
            for LoadFormula {
                key,
                formula,
                places,
            } in &loads
            {
                let columns = VariableColumns::with_time(places, time);
                let values = self.finite_values(key, formula, &columns, &mut scratch);
                if let Err(error) = values {
                    return Some(error);
                }
            }
        }
        None
    }

    fn load_formulas<T: Precise<D>, const D: usize>(
        &self,
        built: &Built<T, D>,
    ) -> Result<Vec<LoadFormula<D>>, SceneError> {
        let mut formulas = Vec::new();
        let variables = points::place_and_time::<D>();
        let loads = self.loads.iter().zip(built.simulation.loads());
        for (index, (load, surface)) in loads.enumerate() {
            let pressure = load
                .pressure
                .iter()
                .map(|number| ("pressure".to_owned(), number));
            let traction = load.traction.iter().flatten().enumerate();
            let traction = traction.map(|(axis, number)| (format!("traction[{axis}]"), number));
            for (name, number) in pressure.chain(traction) {
                let key = format!("loads[{index}].{name}");
                formulas.push(LoadFormula {
                    formula: self.expression(&key, number, &variables)?,
                    key,
                    places: surface.elements().iter().map(|e| e.position).collect(),
                });
            }
        }
        Ok(formulas)
    }

    /// The nodes that particles reach when they have flown on for a time \[s\].
    fn nodes_with_matter<T: Precise<D>, const D: usize>(
        &self,
        built: &Built<T, D>,
        elapsed: f64,
    ) -> Vec<[f64; D]> {
        let spacing = self.grid.spacing;
        let mut nodes = BTreeSet::new();
        for particle in built.simulation.particles() {
            let cell: [i64; D] = core::array::from_fn(|a| {
                let x = particle.position[a] + elapsed * particle.velocity[a].to_f64();
                (x / spacing).floor() as i64
            });
            // From one node before the cell to one behind it: four along each axis.
            for k in 0..1usize << (2 * D) {
                let node: [i64; D] =
                    core::array::from_fn(|a| cell[a] - 1 + (k >> (2 * a) & 3) as i64);
                nodes.insert(node);
            }
        }
        let place = |node: [i64; D]| node.map(|i| i as f64 * spacing);
        nodes.into_iter().map(place).collect()
    }
}

/// A formula of a load, with its key and the places where it acts.
struct LoadFormula<const D: usize> {
    key: String,
    formula: Expression,
    places: Vec<[f64; D]>,
}
