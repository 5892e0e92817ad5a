//! Quantities that particles carry along: `[carried.NAME]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::SceneError;
use crate::expression::{Expression, Scratch};
use crate::mixture::{PORE_PRESSURE, WETNESS};
use crate::number::Number;
use crate::points::{self, VariableColumns};
use crate::scene::Scene;

/// A scalar that every particle has from when it enters, and that moves with it: a dye, a
/// coordinate of a texture, a time of birth. Frames hold it as a column of its name, and
/// `render.color_by` may name it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Carried {
    /// Value of a particle when it enters, a number or a formula of x, y, z, t. Required.
    pub value: Number,
    /// SI unit, shown beside colours and written to files. Default: `"–"`, none.
    #[serde(default = "Carried::default_unit")]
    pub unit: String,
}

impl Carried {
    fn default_unit() -> String {
        "–".to_owned()
    }
}

/// Formulas of the quantities that particles carry, for those that enter.
#[derive(Clone, Debug, Default)]
pub(crate) struct CarriedFormulas {
    /// Keys and formulas, in the order of the names.
    formulas: Vec<(String, Expression)>,
}

impl Scene {
    /// The formulas of everything that particles carry.
    pub(crate) fn carried_formulas<const D: usize>(&self) -> Result<CarriedFormulas, SceneError> {
        let variables = points::place_and_time::<D>();
        let mut formulas = Vec::new();
        for (name, carried) in &self.carried {
            let key = format!("carried.{name}.value");
            let formula = self.expression(&key, &carried.value, &variables)?;
            formulas.push((key, formula));
        }
        if !self.phases.is_empty() {
            formulas.push(("phases".to_owned(), Expression::from(0.0)));
            if self.mixture.has_pore_pressure() {
                formulas.push(("mixture".to_owned(), Expression::from(0.0)));
            }
        }
        Ok(CarriedFormulas { formulas })
    }

    /// Carried values of particles at points that enter at a time \[s\]; refuses what is not finite
    /// with the place.
    pub(crate) fn carried_at<const D: usize>(
        &self,
        carried: &CarriedFormulas,
        points: &[[f64; D]],
        time: f64,
        scratch: &mut Scratch,
    ) -> Result<Option<Vec<f64>>, SceneError> {
        let columns = VariableColumns::with_time(points, time);
        for (key, formula) in &carried.formulas {
            self.finite_values(key, formula, &columns, scratch)?;
        }
        Ok(carried.at(points, time, scratch))
    }

    /// The engine's description of what particles carry.
    pub(crate) fn engine_carried(&self) -> Vec<thixo::Carried> {
        let carried = self.carried.iter().map(|(name, carried)| thixo::Carried {
            name: name.clone(),
            unit: carried.unit.clone(),
            initial: 0.0,
        });
        let wetness = (!self.phases.is_empty()).then(|| thixo::Carried {
            name: WETNESS.to_owned(),
            unit: Carried::default_unit(),
            initial: 0.0,
        });
        let is_pressed = !self.phases.is_empty() && self.mixture.has_pore_pressure();
        let pore_pressure = is_pressed.then(|| thixo::Carried {
            name: PORE_PRESSURE.to_owned(),
            unit: "Pa".to_owned(),
            initial: 0.0,
        });
        carried.chain(wetness).chain(pore_pressure).collect()
    }
}

impl CarriedFormulas {
    /// Key of the formula of a carried quantity, by its index in the engine's setup.
    pub fn key(&self, index: usize) -> Option<&str> {
        self.formulas.get(index).map(|(key, _)| key.as_str())
    }

    /// Carried values of particles at points that enter at a time \[s\], particle after particle;
    /// nothing where there are no formulas.
    pub fn at<const D: usize>(
        &self,
        points: &[[f64; D]],
        time: f64,
        scratch: &mut Scratch,
    ) -> Option<Vec<f64>> {
        if self.formulas.is_empty() {
            return None;
        }
        let columns = VariableColumns::with_time(points, time);
        let columns = columns.slices();
        let mut values = vec![f64::NAN; points.len() * self.formulas.len()];
        let mut column = vec![f64::NAN; points.len()];
        for (k, (_, formula)) in self.formulas.iter().enumerate() {
            // If a variable were missing the values would stay NaN, which the engine refuses.
            let _ = formula.evaluate_batch(&columns, &mut column, scratch);
            let own = values.iter_mut().skip(k).step_by(self.formulas.len());
            for (value, x) in own.zip(&column) {
                *value = *x;
            }
        }
        Some(values)
    }
}
