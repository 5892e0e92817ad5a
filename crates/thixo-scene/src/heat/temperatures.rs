//! Temperatures and melting points of particles that enter.

use crate::error::{Problem, SceneError};
use crate::expression::{Expression, Scratch};
use crate::number::Number;
use crate::points::{self, VariableColumns};
use crate::scene::Scene;

/// 0 °C \[K\].
const CELSIUS: f64 = 273.15;

/// A formula with its key.
#[derive(Clone, Debug)]
struct Keyed {
    key: String,
    formula: Expression,
}

/// Formulas of the temperatures of particles that enter; empty without heat.
#[derive(Clone, Debug, Default)]
pub(crate) struct Temperatures {
    /// Of the objects, then the emitters.
    owners: Vec<Keyed>,
    /// Melting points of the materials, by index; none where all matter has that of its material.
    melting_points: Vec<Option<Keyed>>,
}

impl Scene {
    /// The formula of a temperature \[K\], of place and time; in degrees Celsius where it says so.
    pub(crate) fn temperature<const D: usize>(
        &self,
        key: &str,
        number: &Number,
    ) -> Result<Expression, SceneError> {
        let variables = points::place_and_time::<D>();
        let in_celsius = match number {
            Number::Formula(text) => text.trim_end().strip_suffix("°C"),
            Number::Constant(_) => None,
        };
        let expression = match in_celsius {
            None => self.expression(key, number, &variables)?,
            Some(text) => {
                // Checked as it is written, so that messages point into it.
                let written = Number::Formula(text.to_owned());
                self.expression(key, &written, &variables)?;
                let kelvin = Number::Formula(format!("({text}) + {CELSIUS}"));
                self.expression(key, &kelvin, &variables)?
            }
        };
        match expression.constant() {
            Some(value) if value <= 0.0 => {
                let range = "above absolute zero; it is in kelvins, unless it ends with °C";
                Err(self.number_out_of_range(key, value, range))
            }
            _ => Ok(expression),
        }
    }

    /// Formulas of the temperatures of all that enters.
    pub(crate) fn temperatures<const D: usize>(&self) -> Result<Temperatures, SceneError> {
        let own = |list: &str, index: usize| format!("{list}[{index}].temperature");
        let objects = self.objects.iter().enumerate();
        let objects = objects.map(|(k, object)| (own("objects", k), object.temperature.as_ref()));
        let emitters = self.emitters.iter().enumerate();
        let emitters =
            emitters.map(|(k, emitter)| (own("emitters", k), emitter.temperature.as_ref()));
        let Some(heat) = &self.heat else {
            return match objects.chain(emitters).find(|(_, given)| given.is_some()) {
                Some((key, _)) => Err(self.needs_heat(&key)),
                None => Ok(Temperatures::default()),
            };
        };
        let initial = self.temperature::<D>("heat.temperature", &heat.temperature)?;
        let mut temperatures = Temperatures::default();
        for (key, given) in objects.chain(emitters) {
            temperatures.owners.push(match given {
                Some(number) => Keyed {
                    formula: self.temperature::<D>(&key, number)?,
                    key,
                },
                None => Keyed {
                    key: "heat.temperature".to_owned(),
                    formula: initial.clone(),
                },
            });
        }
        for name in self.materials.keys() {
            let key = format!("heat.materials.{name}.melting_point");
            let thermal = heat.materials.get(name);
            let formula = match thermal.and_then(|thermal| thermal.melting_point.as_ref()) {
                Some(number) => Some(self.temperature::<D>(&key, number)?),
                None => None,
            };
            let varies = formula.filter(|formula| formula.constant().is_none());
            let keyed = varies.map(|formula| Keyed { key, formula });
            temperatures.melting_points.push(keyed);
        }
        Ok(temperatures)
    }

    /// A key that means nothing without `[heat]`.
    pub(crate) fn needs_heat(&self, key: &str) -> SceneError {
        let problem = Problem::Other {
            key: key.to_owned(),
            message:
                "this needs heat; add a table [heat] with the thermal properties of the materials, \
                      or leave it out"
                    .to_owned(),
        };
        self.source.error_at_key(key, problem)
    }
}

impl Temperatures {
    /// Temperatures of particles at points that enter at a time, of an object or emitter \[K\];
    /// none without heat.
    pub fn of_owner<const D: usize>(
        &self,
        owner: usize,
        points: &[[f64; D]],
        time: f64,
        scratch: &mut Scratch,
    ) -> Option<Vec<f64>> {
        let keyed = self.owners.get(owner)?;
        Some(keyed.at(points, time, scratch))
    }
    /// Their melting points \[K\], where these differ.
    pub fn melting_points<const D: usize>(
        &self,
        material: usize,
        points: &[[f64; D]],
        time: f64,
        scratch: &mut Scratch,
    ) -> Option<Vec<f64>> {
        let keyed = self.melting_points.get(material)?.as_ref()?;
        Some(keyed.at(points, time, scratch))
    }
    /// Key of the temperature of an object or emitter.
    pub fn key(&self, owner: usize) -> Option<&str> {
        self.owners.get(owner).map(|keyed| keyed.key.as_str())
    }
}

impl Keyed {
    fn at<const D: usize>(
        &self,
        points: &[[f64; D]],
        time: f64,
        scratch: &mut Scratch,
    ) -> Vec<f64> {
        let columns = VariableColumns::with_time(points, time);
        // If a variable were missing the values would stay NaN, which the engine refuses.
        let mut values = vec![f64::NAN; points.len()];
        let _ = self
            .formula
            .evaluate_batch(&columns.slices(), &mut values, scratch);
        values
    }
}
