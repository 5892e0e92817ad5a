//! Parameters that differ from particle to particle: the formulas of a material at points.

use thixo::BuildError;
use thixo::material::description::CutHardening;
use thixo::material::parameters::{DENSITY, Parameter};

use super::{Material, SceneMaterial};
use crate::build::Precise;
use crate::error::{Problem, SceneError};
use crate::expression::{Expression, Scratch, at_point};
use crate::number::Number;
use crate::points::{self, VariableColumns};
use crate::scene::Scene;

/// A parameter that is a formula.
#[derive(Clone, Debug)]
struct Formula {
    parameter: &'static Parameter,
    expression: Expression,
}

/// A material with the formulas of its parameters.
#[derive(Clone, Debug)]
pub(crate) struct MaterialFormulas {
    name: String,
    law: Material,
    formulas: Vec<Formula>,
    /// True if parameters depend on the wetness.
    is_wetted: bool,
}

/// Properties of the matter of particles at some points.
#[derive(Clone, Debug)]
pub(crate) struct ParticleProperties {
    /// Density at rest \[kg/m³\].
    pub density: Vec<f64>,
    /// Volume over volume at rest \[–\].
    pub volume_ratio: Vec<f64>,
    /// The law's parameters particle after particle; none if all have the same.
    pub parameters: Option<Vec<f64>>,
    /// The largest hardening of the start that a limit cuts off.
    pub cut_hardening: Option<CutHardening>,
}

/// The one of the larger factor.
pub(crate) fn harder(a: Option<CutHardening>, b: Option<CutHardening>) -> Option<CutHardening> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.factor > a.factor { b } else { a }),
        _ => a.or(b),
    }
}

/// A particle whose parameters cannot be.
#[derive(Clone, Debug)]
pub(crate) struct RefusedParameter {
    key: &'static str,
    index: usize,
    /// The reason.
    pub cause: BuildError,
}

impl SceneMaterial {
    /// True if particles have parameters of their own. Density alone is no parameter of a law.
    fn differs(&self) -> bool {
        self.formulas.keys().any(|key| key != DENSITY.key)
    }

    /// The engine's material; particles of one whose parameters depend on their wetness have their
    /// own.
    pub(crate) fn engine<T: Precise<D>, const D: usize>(
        &self,
        is_wetted: bool,
    ) -> Result<Box<dyn thixo::Material<T, D>>, super::Refusal> {
        if !self.differs() && !is_wetted {
            let law = self.law.law(D)?;
            return Ok(T::material(&*law));
        }
        // No particle has the law's own parameters, so that any will do.
        let mut any = self.law.clone();
        for parameter in any.description.variable() {
            if any.values.given(parameter.key).is_some() {
                any.values.set(parameter, parameter.stand_in());
            }
        }
        let law = any.law(D)?;
        Ok(T::per_particle_material(&*law))
    }
}

impl Scene {
    /// A material, by name, with its formulas.
    pub(crate) fn material_formulas<const D: usize>(
        &self,
        name: &str,
        material: &SceneMaterial,
    ) -> Result<MaterialFormulas, SceneError> {
        let variables = points::place_and_local::<D>();
        let law = &material.law;
        let variable = law.description().variable();
        let known = || {
            let variable = variable.clone();
            variable.filter(|parameter| law.number(parameter.key).is_some())
        };
        let mut formulas = Vec::new();
        for (key, text) in &material.formulas {
            let Some(parameter) = known().find(|parameter| parameter.key == key) else {
                let problem = Problem::UnknownKey {
                    key: key.clone(),
                    table: format!("the formulas of [materials.{name}]"),
                    suggestion: crate::nearest(key, known().map(|p| p.key)).map(str::to_owned),
                    known: known().map(|p| p.key.to_owned()).collect(),
                };
                return Err(self
                    .source
                    .error_at_key(&format!("materials.{name}"), problem));
            };
            let key = format!("materials.{name}.{key}");
            let number = Number::Formula(text.clone());
            let expression = self.expression(&key, &number, &variables)?;
            formulas.push(Formula {
                parameter,
                expression,
            });
        }
        Ok(MaterialFormulas {
            name: name.to_owned(),
            law: material.law.clone(),
            formulas,
            is_wetted: self.is_wetted(name),
        })
    }

    /// Properties of the matter of particles at points of a shape with the given middle \[m\];
    /// refuses impossible ones with the place.
    pub(crate) fn particle_properties<const D: usize>(
        &self,
        own: &MaterialFormulas,
        points: &[[f64; D]],
        middle: [f64; D],
        scratch: &mut Scratch,
    ) -> Result<ParticleProperties, SceneError> {
        let columns = VariableColumns::with_local(points, middle);
        for Formula {
            parameter,
            expression,
            ..
        } in &own.formulas
        {
            let key = format!("materials.{}.{}", own.name, parameter.key);
            self.finite_values(&key, expression, &columns, scratch)?;
        }
        own.at(points, middle, scratch).map_err(|refused| {
            let RefusedParameter { key, index, cause } = refused;
            let key = format!("materials.{}.{key}", own.name);
            let names = points::place_and_local::<D>()
                .into_iter()
                .map(str::to_owned);
            let place: Vec<_> = names.zip(points[index]).collect();
            let place = at_point(&place);
            let problem = Problem::RefusedAt {
                key: key.clone(),
                cause,
                place,
            };
            self.source.error_at_key(&key, problem)
        })
    }
}

impl MaterialFormulas {
    /// Density in the volume that a particle has at the start \[kg/m³\], where it is the same for
    /// all.
    pub fn uniform_density(&self) -> Option<f64> {
        let density = self.law.density() / self.law.initial_volume_ratio();
        (!self.mass_varies()).then_some(density)
    }

    /// The largest hardening that a limit cuts off, of particles that enter with these plastic
    /// volume ratios \[–\].
    pub fn cut_hardening(&self, plastic_volume_ratios: &[f64]) -> Option<CutHardening> {
        let least = plastic_volume_ratios.iter().copied().reduce(f64::min)?;
        self.law.cut_hardening(Some(least))
    }

    /// True if particles differ in mass.
    pub fn mass_varies(&self) -> bool {
        let volume_ratio = self.law.description().initial_volume_ratio();
        let deciding = [Some(&DENSITY), volume_ratio];
        let mut formulas = self.formulas.iter();
        formulas.any(|formula| deciding.contains(&Some(formula.parameter)))
    }

    /// Properties of the matter of particles at points of a shape with the given middle \[m\].
    pub fn at<const D: usize>(
        &self,
        points: &[[f64; D]],
        middle: [f64; D],
        scratch: &mut Scratch,
    ) -> Result<ParticleProperties, RefusedParameter> {
        let count = points.len();
        let mut properties = ParticleProperties {
            density: vec![self.law.density(); count],
            volume_ratio: vec![self.law.initial_volume_ratio(); count],
            parameters: None,
            cut_hardening: self.law.cut_hardening(None),
        };
        if self.formulas.is_empty() && !self.is_wetted {
            return Ok(properties);
        }
        let columns = VariableColumns::with_local(points, middle);
        let columns = columns.slices();
        let mut values = Vec::new();
        for formula in &self.formulas {
            values.push(formula.values(&columns, count, scratch)?);
        }
        let mut parameters = Vec::new();
        let mut law = self.law.clone();
        let differs = self.is_wetted || self.formulas.iter().any(|f| *f.parameter != DENSITY);
        properties.cut_hardening = None;
        for index in 0..count {
            for (formula, values) in self.formulas.iter().zip(&values) {
                law.values.set(formula.parameter, values[index]);
            }
            properties.density[index] = law.density();
            properties.volume_ratio[index] = law.initial_volume_ratio();
            let cut = law.cut_hardening(None);
            properties.cut_hardening = harder(properties.cut_hardening, cut);
            if differs {
                let own = law.law(D);
                let own = own.map_err(|(key, cause)| RefusedParameter { key, index, cause })?;
                parameters.extend(own.engine_parameters());
            }
        }
        properties.parameters = differs.then_some(parameters);
        Ok(properties)
    }
}

impl Formula {
    /// Values at points, each within the range of the parameter.
    fn values(
        &self,
        columns: &[&[f64]],
        count: usize,
        scratch: &mut Scratch,
    ) -> Result<Vec<f64>, RefusedParameter> {
        let mut values = vec![f64::NAN; count];
        // If a column were missing the values would stay NaN, which is refused.
        let _ = self
            .expression
            .evaluate_batch(columns, &mut values, scratch);
        for (index, &value) in values.iter().enumerate() {
            self.parameter
                .check(value)
                .map_err(|cause| RefusedParameter {
                    key: self.parameter.key,
                    index,
                    cause: cause.into(),
                })?;
        }
        Ok(values)
    }
}
