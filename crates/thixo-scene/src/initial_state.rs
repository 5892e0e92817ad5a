//! The state with which matter of an object starts: `[objects.initial]`.
//!
//! Strain is given as a volume ratio, as a stress, or as the stress of matter under its own weight
//! (geostatic stress); the engine's laws are solved for the strain that has it. History is given by
//! the names that frames have.

use std::collections::BTreeMap;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thixo::Material;
use thixo::material::StateLayout;
use thixo::material::stressed_state::{Given, deformation_under_stress, state_with_history};
use thixo_math::Matrix;

use crate::error::{Problem, SceneError};
use crate::expression::{Expression, Scratch, at_point};
use crate::geostatic::{CheckedGeostatic, Geostatic};
use crate::number::Number;
use crate::points::{self, VariableColumns};
use crate::read::unknown_choice;
use crate::scene::Scene;

/// State with which matter starts, where it is not at rest without stress and history. Numbers may
/// be formulas of x, y, z and lx, ly, lz. At most one of `volume_ratio`, `stress` and `geostatic`.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct InitialState {
    /// Volume over volume at rest by elastic strain, det F \[–\], above 0. Below 1 matter is under
    /// pressure, and denser than at rest by as much. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume_ratio: Option<Number>,
    /// Cauchy stress \[Pa\], tension positive: xx, xy, yy in 2D; xx, xy, xz, yy, yz, zz in 3D. Laws
    /// that cannot bear it refuse it. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stress: Vec<Number>,
    /// Stress of matter that rests under its own weight. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geostatic: Option<Geostatic>,
    /// Numbers of history by name, as frames hold them: `plastic_volume_ratio` of snow, which also
    /// decides how hard it is; `plastic_strain` and `log_plastic_volume_ratio` of sand. Default:
    /// those of fresh matter.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub history: BTreeMap<String, Number>,
    /// Density at the start \[kg/m³\], above 0: the mass of a particle over its present volume.
    /// Default: the material's density over J; with `geostatic` the material's density.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<Number>,
    /// Present volume over the rest volume V⁰ by which forces count \[–\], above 0. Default: J,
    /// with its plastic part. 1 gives packed snow the V⁰ of loose snow, as \[Jiang2015thesis\]
    /// does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest_volume_ratio: Option<Number>,
}

/// The strain at the start.
#[derive(Clone, Debug)]
enum InitialStrain {
    Rest,
    VolumeRatio(Expression),
    /// Upper triangle, row by row.
    Stress(Vec<Expression>),
    Geostatic(CheckedGeostatic),
}

/// Formulas of an object's state at the start.
#[derive(Clone, Debug)]
pub(crate) struct InitialFormulas {
    key: String,
    strain: InitialStrain,
    history: Vec<(String, Expression)>,
    density: Option<Expression>,
    rest_volume_ratio: Option<Expression>,
}

/// Particles whose state is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a, const D: usize> {
    /// Their positions \[m\].
    pub points: &'a [[f64; D]],
    /// The middle of their object \[m\].
    pub middle: [f64; D],
    /// Density of the material at rest, for each \[kg/m³\].
    pub density: &'a [f64],
    /// Parameters of their own, for each in turn.
    pub parameters: Option<&'a [f64]>,
    /// Matter above each \[m\], where the strain is geostatic.
    pub depths: &'a [f64],
    /// Acceleration of gravity \[m/s²\].
    pub gravity: [f64; D],
}

/// The states of some particles at the start.
#[derive(Clone, Debug, Default)]
pub(crate) struct InitialStates<const D: usize> {
    pub deformation: Vec<[[f64; D]; D]>,
    /// A value for each history variable of the law, particle after particle.
    pub history: Option<Vec<f64>>,
    /// Present volume over V⁰ \[–\].
    pub rest_volume_ratio: Vec<f64>,
    /// Mass over present volume \[kg/m³\].
    pub density: Vec<f64>,
}

impl Scene {
    /// The formulas of an object's state at the start.
    pub(crate) fn initial_formulas<const D: usize>(
        &self,
        key: &str,
        initial: &InitialState,
    ) -> Result<InitialFormulas, SceneError> {
        let key = format!("{key}.initial");
        let variables = points::place_and_local::<D>();
        let formula = |name: &str, number: &Number| {
            self.expression(&format!("{key}.{name}"), number, &variables)
        };
        let given = [
            ("volume_ratio", initial.volume_ratio.is_some()),
            ("stress", !initial.stress.is_empty()),
            ("geostatic", initial.geostatic.is_some()),
        ];
        let given: Vec<_> = given.into_iter().filter(|(_, is)| *is).collect();
        if let [(first, _), (second, _), ..] = given[..] {
            let range = format!("left out beside {first}: both give the strain at the start");
            return Err(self.out_of_range(&format!("{key}.{second}"), "given", range));
        }
        let mut strain = InitialStrain::Rest;
        if let Some(number) = &initial.volume_ratio {
            strain = InitialStrain::VolumeRatio(formula("volume_ratio", number)?);
        }
        if !initial.stress.is_empty() {
            let count = D * (D + 1) / 2;
            if initial.stress.len() != count {
                let names = if D == 2 {
                    "xx, xy, yy"
                } else {
                    "xx, xy, xz, yy, yz, zz"
                };
                let range = format!("{count} numbers in dimension {D}: {names}");
                let value = format!("a list of {}", initial.stress.len());
                return Err(self.out_of_range(&format!("{key}.stress"), value, range));
            }
            let entries = initial.stress.iter().enumerate();
            let entries = entries.map(|(k, number)| formula(&format!("stress[{k}]"), number));
            strain = InitialStrain::Stress(entries.collect::<Result<_, _>>()?);
        }
        if let Some(geostatic) = &initial.geostatic {
            let key = format!("{key}.geostatic");
            strain = InitialStrain::Geostatic(self.checked_geostatic::<D>(&key, geostatic)?);
        }
        let mut history = Vec::new();
        for (name, number) in &initial.history {
            history.push((name.clone(), formula(&format!("history.{name}"), number)?));
        }
        let optional = |name: &str, number: &Option<Number>| match number {
            Some(number) => formula(name, number).map(Some),
            None => Ok(None),
        };
        Ok(InitialFormulas {
            strain,
            history,
            density: optional("density", &initial.density)?,
            rest_volume_ratio: optional("rest_volume_ratio", &initial.rest_volume_ratio)?,
            key,
        })
    }

    /// The states of particles of a law at the start.
    pub(crate) fn initial_states<T: thixo::Scalar, const D: usize>(
        &self,
        formulas: &InitialFormulas,
        law: &dyn Material<T, D>,
        asked: Asked<'_, D>,
        scratch: &mut Scratch,
    ) -> Result<InitialStates<D>, SceneError> {
        let columns = VariableColumns::with_local(asked.points, asked.middle);
        let mut evaluate = |name: &str, formula: &Expression, least: f64| {
            let key = format!("{}.{name}", formulas.key);
            let values = self.finite_values(&key, formula, &columns, scratch)?;
            match values.iter().position(|x| *x <= least) {
                None => Ok(values),
                Some(k) => Err(self.number_out_of_range(&key, values[k], "positive")),
            }
        };
        let count = asked.points.len();
        let any = f64::NEG_INFINITY;
        let variables = law.state_layout().history;
        let own = |k: usize| {
            asked.parameters.map(|all| {
                let own = all.len() / count;
                &all[k * own..][..own]
            })
        };
        // Variables that are not named start as in fresh matter.
        let first = law.state_layout().strain.columns::<D>();
        let fresh = |k| law.state(&Matrix::identity(), own(k))[first..][..variables.len()].to_vec();
        let fresh = (0..count).flat_map(fresh).collect();
        let history = self.history_of(formulas, variables, fresh, &mut evaluate, any)?;
        let stress = match &formulas.strain {
            InitialStrain::Rest | InitialStrain::VolumeRatio(_) => None,
            InitialStrain::Stress(entries) => {
                let mut stress = vec![Matrix::<f64, D>::zero(); count];
                let places = (0..D).flat_map(|i| (i..D).map(move |j| (i, j)));
                for (k, ((i, j), entry)) in places.zip(entries).enumerate() {
                    let values = evaluate(&format!("stress[{k}]"), entry, any)?;
                    for (stress, value) in stress.iter_mut().zip(values) {
                        stress[i][j] = value;
                        stress[j][i] = value;
                    }
                }
                Some(stress)
            }
            InitialStrain::Geostatic(geostatic) => {
                let density = match &formulas.density {
                    Some(density) => evaluate("density", density, 0.0)?,
                    None => asked.density.to_vec(),
                };
                let weights = asked.depths.iter().zip(density);
                let stress =
                    weights.map(|(depth, rho)| geostatic.stress(*depth, rho, asked.gravity));
                Some(stress.collect())
            }
        };
        let given = |k: usize| Given {
            history: history
                .as_ref()
                .map(|all| &all[k * variables.len()..][..variables.len()]),
            parameters: own(k),
        };
        let deformation: Vec<Matrix<f64, D>> = match (&formulas.strain, stress) {
            (InitialStrain::VolumeRatio(formula), _) => {
                let ratios = evaluate("volume_ratio", formula, 0.0)?;
                let root = |ratio: f64| Matrix::from_scalar(ratio.powf(1.0 / D as f64));
                ratios.into_iter().map(root).collect()
            }
            (_, Some(stress)) => {
                let solved = stress.par_iter().enumerate();
                let solved = solved.map(|(k, stress)| {
                    deformation_under_stress(law, stress, given(k)).map_err(|error| (k, error))
                });
                let solved: Result<Vec<_>, _> = solved.collect::<Vec<_>>().into_iter().collect();
                solved.map_err(|(k, error)| {
                    let key = match &formulas.strain {
                        InitialStrain::Geostatic(_) => format!("{}.geostatic", formulas.key),
                        _ => format!("{}.stress", formulas.key),
                    };
                    let names = points::place_and_local::<D>()
                        .into_iter()
                        .map(str::to_owned);
                    let place: Vec<_> = names.zip(asked.points[k]).collect();
                    let message = format!("{error} (found{})", at_point(&place));
                    self.source.error_at_key(
                        &key,
                        Problem::Other {
                            key: key.clone(),
                            message,
                        },
                    )
                })?
            }
            _ => vec![Matrix::identity(); count],
        };
        let ratio = |(k, f): (usize, &Matrix<f64, D>)| {
            law.volume_ratio(&state_with_history(law, f, given(k)))
        };
        let ratios: Vec<f64> = deformation.iter().enumerate().map(ratio).collect();
        let rest_volume_ratio = match &formulas.rest_volume_ratio {
            Some(formula) => evaluate("rest_volume_ratio", formula, 0.0)?,
            None => ratios.clone(),
        };
        let density = match (&formulas.density, &formulas.strain) {
            (Some(formula), _) => evaluate("density", formula, 0.0)?,
            (None, InitialStrain::Geostatic(_)) => asked.density.to_vec(),
            (None, _) => asked
                .density
                .iter()
                .zip(&ratios)
                .map(|(rho, j)| rho / j)
                .collect(),
        };
        Ok(InitialStates {
            deformation: deformation.into_iter().map(|f| f.0).collect(),
            history,
            rest_volume_ratio,
            density,
        })
    }

    /// Values of the history variables of a law; none where the object gives none.
    fn history_of(
        &self,
        formulas: &InitialFormulas,
        variables: &'static [&'static str],
        mut history: Vec<f64>,
        evaluate: &mut impl FnMut(&str, &Expression, f64) -> Result<Vec<f64>, SceneError>,
        any: f64,
    ) -> Result<Option<Vec<f64>>, SceneError> {
        if formulas.history.is_empty() {
            return Ok(None);
        }
        for (name, formula) in &formulas.history {
            let key = format!("{}.history.{name}", formulas.key);
            let Some(index) = variables.iter().position(|known| known == name) else {
                let known = variables.iter().map(|&name| name.to_owned()).collect();
                let problem = match variables {
                    [] => Problem::Other {
                        key: key.clone(),
                        message: "the material has no history; leave it out".to_owned(),
                    },
                    _ => unknown_choice(&key, name, known),
                };
                return Err(self.source.error_at_key(&key, problem));
            };
            let values = evaluate(&format!("history.{name}"), formula, any)?;
            let range = StateLayout::history_range(name);
            for (k, value) in values.into_iter().enumerate() {
                if !range.contains(value) {
                    return Err(self.number_out_of_range(&key, value, range.words));
                }
                history[k * variables.len() + index] = value;
            }
        }
        Ok(Some(history))
    }
}

impl InitialFormulas {
    /// The geostatic stress, where it is asked for.
    pub fn geostatic(&self) -> Option<(&CheckedGeostatic, String)> {
        match &self.strain {
            InitialStrain::Geostatic(geostatic) => {
                Some((geostatic, format!("{}.geostatic", self.key)))
            }
            _ => None,
        }
    }
    /// True if strain or history at the start are given.
    pub fn gives_state(&self) -> bool {
        !matches!(self.strain, InitialStrain::Rest) || !self.history.is_empty()
    }
}
