//! Phases that share space: `[phases.NAME]`, `[[drag]]`, `[mixture]` and `[interaction.MATERIAL]`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thixo::material::description::Description;
use thixo::material::law::Compiled;
use thixo::material::parameters::{DENSITY, Parameter};
use thixo::{Constituent, Coupling, Interaction, Motion, WetnessColumn};

use crate::error::{Problem, SceneError};
use crate::expression::{Expression, Scratch};
use crate::number::Number;
use crate::obstacle::Contact;
use crate::points;
use crate::read::unknown_choice;
use crate::scene::Scene;

/// Name of the quantity that particles of mixtures carry.
pub(crate) const WETNESS: &str = "wetness";
/// Name of the pressure in pores that particles of mixtures with one carry.
pub(crate) const PORE_PRESSURE: &str = "pore_pressure";

/// Matter with a velocity of its own, which shares space with other phases. Where there is one,
/// every material belongs to one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Phase {
    /// Materials of the phase, by their names; they collide with each other. Required.
    pub materials: Vec<String>,
    /// Share of the volume of its matter at rest that is pores \[–\], 0 to below 1: sand of density
    /// 1590 kg/m³ and porosity 0.4 has grains of 2650 kg/m³. Default: 0, none.
    #[serde(default)]
    #[schemars(range(min = 0), extend("exclusiveMaximum" = 1))]
    pub porosity: f64,
    /// The matter stays where it is, whatever acts on it. Default: false.
    #[serde(default)]
    pub held: bool,
    /// Contact with walls, in place of the walls' own; colliders have `materials` for that.
    /// Default: that of the wall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_contact: Option<Contact>,
}

/// Drag of a fluid that flows through a solid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Drag {
    /// Phase that flows. Required.
    pub fluid: String,
    /// Phase that it flows through. Required.
    pub solid: String,
    /// Law of the drag. Required.
    pub law: DragLaw,
}

/// Force of drag per volume, c (v_fluid − v_solid), with c by one of these.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum DragLaw {
    /// `{ conductivity = { conductivity = 0.01, porosity = 0.4 } }`: Darcy's law, c = n² ρ g/k, as
    /// soil mechanics has it for water.
    Conductivity {
        /// Hydraulic conductivity k \[m/s\], above 0: gravel 0.01 to 1, sand 1e-5 to 0.01.
        /// Required.
        #[schemars(extend("exclusiveMinimum" = 0))]
        conductivity: f64,
        /// Porosity n of the solid to which it belongs \[–\], above 0 and below 1. Required.
        #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
        porosity: f64,
    },
    /// Darcy's law, c = n² η/κ, by the permeability.
    Permeability {
        /// Permeability κ \[m²\], above 0. Required.
        #[schemars(extend("exclusiveMinimum" = 0))]
        permeability: f64,
        /// Dynamic viscosity η of the fluid \[Pa s\], above 0: water has 1e-3. Required.
        #[schemars(extend("exclusiveMinimum" = 0))]
        viscosity: f64,
        /// Porosity n of the solid to which it belongs \[–\], above 0 and below 1. Required.
        #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
        porosity: f64,
    },
    /// Grains of one size after Kozeny and Carman, c = 180 η (1 − n)²/(n d²) with the porosity n
    /// where the fluid is.
    KozenyCarman {
        /// Diameter d of the grains \[m\], above 0. Required.
        #[schemars(extend("exclusiveMinimum" = 0))]
        grain_size: f64,
        /// Dynamic viscosity η of the fluid \[Pa s\], above 0. Required.
        #[schemars(extend("exclusiveMinimum" = 0))]
        viscosity: f64,
    },
    /// Fast flow through coarse grains, linear and quadratic in the velocity,
    /// c = a η (1 − n)²/(n d²) + b ρ (1 − n)/d |v_fluid − v_solid|.
    Forchheimer {
        /// Diameter d of the grains \[m\], above 0. Required.
        #[schemars(extend("exclusiveMinimum" = 0))]
        grain_size: f64,
        /// Dynamic viscosity η of the fluid \[Pa s\], above 0. Required.
        #[schemars(extend("exclusiveMinimum" = 0))]
        viscosity: f64,
        /// Coefficient a \[–\], zero or positive. Default: 150, after Ergun.
        #[serde(default = "ergun_linear")]
        #[schemars(range(min = 0))]
        linear: f64,
        /// Coefficient b \[–\], zero or positive. Default: 1.75, after Ergun.
        #[serde(default = "ergun_quadratic")]
        #[schemars(range(min = 0))]
        quadratic: f64,
    },
    /// The coefficient ĉ of a force ĉ m_solid m_fluid (v_fluid − v_solid) on a node. What it means
    /// changes with the grid spacing and the densities; prefer one of the others.
    Raw {
        /// Coefficient ĉ \[1/(kg s)\], zero or positive. Required.
        #[schemars(range(min = 0))]
        coefficient: f64,
    },
}

fn ergun_linear() -> f64 {
    150.0
}

fn ergun_quadratic() -> f64 {
    1.75
}

/// Interaction of phases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Mixture {
    /// Solution of the equation of drag in a step. Default: `"exact"`.
    #[serde(default)]
    pub relaxation: Relaxation,
    /// Action of the pressure of fluids on solids. Default: `"none"`.
    #[serde(default)]
    pub pore_pressure: PorePressure,
    /// Share of the difference between the volume ratio of a fluid's particles and its mean around
    /// them that a step takes away \[–\], 0 to 1, where there is a pressure in pores: without it
    /// pressures of neighbours drift apart where water can hardly leave. Default: 0.02.
    #[serde(default = "Mixture::default_smoothing")]
    #[schemars(range(min = 0, max = 1))]
    pub pressure_smoothing: f64,
    /// Measure φ of how wet particles are, which frames hold as `wetness` and formulas of
    /// `[interaction]` know as `phi`. Default: `"saturation"`.
    #[serde(default)]
    pub wetness: Wetness,
    /// Phase on which loads act. Default: the first by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loaded_phase: Option<String>,
}

impl Default for Mixture {
    fn default() -> Self {
        Self {
            relaxation: Relaxation::default(),
            pore_pressure: PorePressure::default(),
            pressure_smoothing: Self::default_smoothing(),
            wetness: Wetness::default(),
            loaded_phase: None,
        }
    }
}

impl Mixture {
    fn default_smoothing() -> f64 {
        0.02
    }
    /// True if particles keep the pressure in the pores around them.
    pub(crate) fn has_pore_pressure(&self) -> bool {
        self.pore_pressure != PorePressure::None
    }
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Solution of the equation of drag in a step, with x = Δt c (1/ρ_solid + 1/ρ_fluid).
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Relaxation {
    /// Exact for forces that are constant in the step; steps may be as long as one likes.
    #[default]
    Exact,
    /// Implicit, of first order; exact in steady flow.
    BackwardEuler,
    /// e⁻ˣ after the forces: for comparison. Long steps let next to nothing flow.
    BareExponential,
    /// 1 − x: for comparison. Unstable where x exceeds 2.
    Explicit,
    /// `{ clamped = { largest = 1 } }`: 1 − min(x, largest).
    Clamped {
        /// Largest share of the relative velocity that a step takes \[–\], above 0 and at most 1.
        /// Required.
        #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
        largest: f64,
    },
    /// One velocity for all phases, as without phases.
    Locked,
}

/// Action of the pressure of fluids on solids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PorePressure {
    /// None: a fluid fills pores as though there were no solid.
    #[default]
    None,
    /// Fluid and solid share space: buoyancy, pore pressure and seepage of soil mechanics. The
    /// stress of the solid is its effective stress.
    Shared,
    /// Buoyancy alone, ±p∇φ; the volume of the fluid does not know of the solid.
    Exchanged,
    /// The same with its sign reversed, as printed in a thesis: for comparison.
    Printed,
}

/// Measure of how wet a solid is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Wetness {
    /// Share of the pores that is filled.
    #[default]
    Saturation,
    /// Volume of the fluid over that of fluid and solid.
    Density,
    /// 1 where there are both, else 0.
    Presence,
}

/// Formulas of the parameters of one material, by the names of the law: of `phi`, the wetness, of
/// `initial`, the value that the particle entered with, and of x, y, z, t.
pub type InteractionFormulas = BTreeMap<String, Number>;

/// One parameter that depends on the wetness.
#[derive(Clone, Debug)]
struct WetParameter {
    /// Its index among those of the law.
    index: usize,
    formula: Expression,
}

impl Scene {
    /// True if particles of a material have parameters that depend on their wetness.
    pub(crate) fn is_wetted(&self, material: &str) -> bool {
        self.interaction.contains_key(material)
    }

    /// The engine's mixture; none for a scene without phases.
    pub(crate) fn engine_mixture<const D: usize>(
        &self,
    ) -> Result<Option<thixo::Mixture<D>>, SceneError> {
        if self.phases.is_empty() {
            return self.refuse_mixture_without_phases().map(|()| None);
        }
        let mut phases = Vec::new();
        for (name, phase) in &self.phases {
            phases.push(self.engine_phase::<D>(name, phase)?);
        }
        self.check_members()?;
        let mut couplings = Vec::new();
        for (index, drag) in self.drag.iter().enumerate() {
            let key = format!("drag[{index}]");
            let coupling = Coupling {
                fluid: self.phase_index(&format!("{key}.fluid"), &drag.fluid)?,
                solid: self.phase_index(&format!("{key}.solid"), &drag.solid)?,
                drag: drag.law.engine(),
            };
            let table = format!("{key}.law.{}", drag.law.name());
            let refused = |error| self.refused_within(&table, error);
            coupling.drag.check().map_err(refused)?;
            if coupling.fluid == coupling.solid {
                let phase = drag.fluid.clone();
                let error = thixo::BuildError::CoupledToItself { phase };
                return Err(self.refused(&format!("{key}.solid"), error));
            }
            couplings.push(coupling);
        }
        let settings = &self.mixture;
        let mixture = thixo::Mixture::new(phases)
            .with_couplings(couplings)
            .with_relaxation(settings.relaxation.engine())
            .with_pore_pressure(settings.pore_pressure.engine())
            .with_pressure_smoothing(settings.pressure_smoothing)
            .with_pore_pressure_column(
                settings
                    .has_pore_pressure()
                    .then(|| PORE_PRESSURE.to_owned()),
            )
            .with_interactions(self.interactions::<D>()?)
            .with_wetness(Some(WetnessColumn {
                name: WETNESS.to_owned(),
                measure: settings.wetness.engine(),
            }))
            .with_loaded_phase(match &settings.loaded_phase {
                Some(name) => self.phase_index("mixture.loaded_phase", name)?,
                None => 0,
            });
        let refused = |error: thixo::BuildError| match error.key() {
            Some("largest") => self.refused("mixture.relaxation.clamped.largest", error),
            Some(key @ "pressure_smoothing") => self.refused(&format!("mixture.{key}"), error),
            _ => self.refused("mixture.relaxation", error),
        };
        mixture.check().map_err(refused)?;
        Ok(Some(mixture))
    }

    fn refuse_mixture_without_phases(&self) -> Result<(), SceneError> {
        let keys = [
            ("drag", self.drag.is_empty()),
            ("interaction", self.interaction.is_empty()),
            ("mixture", self.mixture == Mixture::default()),
        ];
        match keys.into_iter().find(|(_, is_absent)| !is_absent) {
            None => Ok(()),
            Some((key, _)) => {
                let message = format!(
                    "{key} is about phases, and the scene has none; give it some, such as \
                     [phases.water] with materials = [\"water\"]"
                );
                Err(self.other(key, message))
            }
        }
    }

    fn other(&self, key: &str, message: String) -> SceneError {
        let key = key.to_owned();
        let problem = Problem::Other {
            key: key.clone(),
            message,
        };
        self.source.error_at_key(&key, problem)
    }

    fn phase_index(&self, key: &str, name: &str) -> Result<usize, SceneError> {
        let index = self.phases.keys().position(|known| known == name);
        index.ok_or_else(|| {
            let known = self.phases.keys().cloned().collect();
            self.source
                .error_at_key(key, unknown_choice(key, name, known))
        })
    }

    fn engine_phase<const D: usize>(
        &self,
        name: &str,
        phase: &Phase,
    ) -> Result<thixo::Phase, SceneError> {
        let key = format!("phases.{name}");
        if !(0.0..1.0).contains(&phase.porosity) {
            let key = format!("{key}.porosity");
            let range = "zero or positive and below 1";
            return Err(self.number_out_of_range(&key, phase.porosity, range));
        }
        let mut materials = Vec::new();
        for (k, material) in phase.materials.iter().enumerate() {
            let key = format!("{key}.materials[{k}]");
            let position = self.materials.keys().position(|known| known == material);
            let Some(index) = position else {
                let problem = unknown_choice(&key, material, self.material_names());
                return Err(self.source.error_at_key(&key, problem));
            };
            let own = &self.materials[material];
            if let Some(formula) = own.formulas.get(DENSITY.key) {
                let key = format!("materials.{material}.density");
                let range = "a number in a scene with phases, which share space by it";
                return Err(self.out_of_range(&key, format!("{formula:?}"), range));
            }
            let density = own.law.density();
            materials.push(Constituent {
                material: index,
                substance_density: density / (1.0 - phase.porosity),
            });
        }
        let wall_contact = match &phase.wall_contact {
            Some(contact) => {
                Some(self.uniform_contact::<D>(&format!("{key}.wall_contact"), contact)?)
            }
            None => None,
        };
        Ok(thixo::Phase::named(name)
            .with_materials(materials)
            .with_wall_contact(wall_contact)
            .with_motion(match phase.held {
                true => Motion::Held,
                false => Motion::Free,
            }))
    }

    /// Refuses materials that belong to no phase, or to two.
    fn check_members(&self) -> Result<(), SceneError> {
        for material in self.materials.keys() {
            let mut members = self.phases.iter();
            let mut members = members
                .by_ref()
                .filter(|(_, p)| p.materials.contains(material));
            let key = format!("materials.{material}");
            match (members.next(), members.next()) {
                (Some(_), None) => {}
                (None, _) => {
                    let known: Vec<&str> = self.phases.keys().map(String::as_str).collect();
                    let message = format!(
                        "{material} belongs to no phase, and other materials do; add it to the \
                         materials of one of: {}",
                        known.join(", ")
                    );
                    return Err(self.other(&key, message));
                }
                (Some((one, _)), Some((two, _))) => {
                    let message = format!(
                        "{material} belongs to the phases {one} and {two}; it can belong to one"
                    );
                    return Err(self.other(&key, message));
                }
            }
        }
        Ok(())
    }

    /// The rules for parameters of wet matter.
    fn interactions<const D: usize>(&self) -> Result<Vec<Interaction<D>>, SceneError> {
        let mut rules = Vec::new();
        for (name, formulas) in &self.interaction {
            let key = format!("interaction.{name}");
            let position = self.materials.keys().position(|known| known == name);
            let Some(material) = position else {
                let problem = unknown_choice(&key, name, self.material_names());
                return Err(self.source.error_at_key(&key, problem));
            };
            let parameters = self.wet_parameters::<D>(name, formulas)?;
            let count = self.law_parameters::<D>(name)?.0.len();
            rules.push(Interaction::new(material, move |matter, values| {
                let column = |axis: usize| matter.positions.iter().map(|x| x[axis]).collect();
                let place: Vec<Vec<f64>> = (0..D).map(column).collect();
                let mut scratch = Scratch::default();
                let mut wet = vec![0.0; matter.wetness.len()];
                for WetParameter { index, formula } in &parameters {
                    let own = values.iter().skip(*index).step_by(count);
                    let initial: Vec<f64> = own.copied().collect();
                    let mut columns: Vec<&[f64]> = vec![matter.wetness, &initial];
                    columns.extend(place.iter().map(Vec::as_slice));
                    let time = [matter.time];
                    columns.push(&time);
                    // If a variable were missing the parameters would stay as they are.
                    if formula
                        .evaluate_batch(&columns, &mut wet, &mut scratch)
                        .is_ok()
                    {
                        let own = values.iter_mut().skip(*index).step_by(count);
                        for (value, wet) in own.zip(&wet) {
                            *value = *wet;
                        }
                    }
                }
            }));
        }
        Ok(rules)
    }

    /// Names and values of the parameters of the law of a material.
    fn law_parameters<const D: usize>(
        &self,
        name: &str,
    ) -> Result<(&'static [&'static str], Vec<f64>), SceneError> {
        let law = self.materials[name].law.law(D);
        let law = law.map_err(|error| self.refused_material(name, error))?;
        // Names do not depend on precision or dimension.
        let own = Compiled::<f64, 2>::per_particle_material(&*law).own_parameters();
        Ok((own, law.engine_parameters()))
    }

    /// The formulas of a material's parameters; refuses names that its law does not have, and
    /// values that leave its range at some wetness.
    fn wet_parameters<const D: usize>(
        &self,
        name: &str,
        formulas: &InteractionFormulas,
    ) -> Result<Vec<WetParameter>, SceneError> {
        let (names, values) = self.law_parameters::<D>(name)?;
        let description = self.materials[name].law.description();
        let mut variables = vec!["phi", "initial"];
        variables.extend(points::place_and_time::<D>());
        let mut parameters = Vec::new();
        for (parameter, number) in formulas {
            let key = format!("interaction.{name}.{parameter}");
            let Some(index) = names.iter().position(|known| known == parameter) else {
                let known = names.iter().map(|&name| name.to_owned()).collect();
                let problem = Problem::UnknownKey {
                    key: parameter.clone(),
                    table: format!("[interaction.{name}]"),
                    suggestion: crate::nearest(parameter, names.iter().copied()).map(str::to_owned),
                    known,
                };
                return Err(self.source.error_at_key(&key, problem));
            };
            let formula = self.expression(&key, number, &variables)?;
            let wetness: Vec<f64> = (0..=STEPS)
                .map(|k| f64::from(k) / f64::from(STEPS))
                .collect();
            let initial = [values[index]];
            let origin = [0.0];
            let mut columns: Vec<&[f64]> = vec![&wetness, &initial];
            columns.resize(variables.len(), &origin);
            let mut results = vec![f64::NAN; wetness.len()];
            let _ = formula.evaluate_batch(&columns, &mut results, &mut Scratch::default());
            let range = parameter_range(description, parameter);
            let allowed = |value: f64| match range {
                Some(range) => range.check(value).is_ok(),
                None => value >= 0.0,
            };
            let words = "allowed by its law (finite, and not negative where stiffness is)";
            self.check_values(&key, &formula, &columns, &results, (allowed, words))?;
            parameters.push(WetParameter { index, formula });
        }
        Ok(parameters)
    }
}

/// Steps in which the range of the wetness is looked at.
const STEPS: u32 = 100;

/// The range of a law's parameter, where a scene has it under the same name.
fn parameter_range(description: &'static Description, name: &str) -> Option<&'static Parameter> {
    let mut known = description.parameters();
    known.find(|known| known.key.rsplit('.').next() == Some(name))
}

impl DragLaw {
    fn name(self) -> &'static str {
        match self {
            Self::Conductivity { .. } => "conductivity",
            Self::Permeability { .. } => "permeability",
            Self::KozenyCarman { .. } => "kozeny_carman",
            Self::Forchheimer { .. } => "forchheimer",
            Self::Raw { .. } => "raw",
        }
    }
    fn engine(self) -> thixo::Drag {
        match self {
            Self::Conductivity {
                conductivity,
                porosity,
            } => thixo::Drag::Conductivity {
                conductivity,
                porosity,
            },
            Self::Permeability {
                permeability,
                viscosity,
                porosity,
            } => thixo::Drag::Permeability {
                permeability,
                viscosity,
                porosity,
            },
            Self::KozenyCarman {
                grain_size,
                viscosity,
            } => thixo::Drag::KozenyCarman {
                grain_size,
                viscosity,
            },
            Self::Forchheimer {
                grain_size,
                viscosity,
                linear,
                quadratic,
            } => thixo::Drag::Forchheimer {
                grain_size,
                viscosity,
                linear,
                quadratic,
            },
            Self::Raw { coefficient } => thixo::Drag::Raw { coefficient },
        }
    }
}

impl Relaxation {
    fn engine(self) -> thixo::Relaxation {
        match self {
            Self::Exact => thixo::Relaxation::Exact,
            Self::BackwardEuler => thixo::Relaxation::BackwardEuler,
            Self::BareExponential => thixo::Relaxation::BareExponential,
            Self::Explicit => thixo::Relaxation::Explicit,
            Self::Clamped { largest } => thixo::Relaxation::Clamped { largest },
            Self::Locked => thixo::Relaxation::Locked,
        }
    }
}

impl PorePressure {
    fn engine(self) -> thixo::PorePressure {
        match self {
            Self::None => thixo::PorePressure::None,
            Self::Shared => thixo::PorePressure::Shared,
            Self::Exchanged => thixo::PorePressure::Exchanged,
            Self::Printed => thixo::PorePressure::Printed,
        }
    }
}

impl Wetness {
    fn engine(self) -> thixo::Wetness {
        match self {
            Self::Saturation => thixo::Wetness::Saturation,
            Self::Density => thixo::Wetness::Density,
            Self::Presence => thixo::Wetness::Presence,
        }
    }
}
