//! From the keys of heat to the engine's setup.

use thixo::BuildError;
use thixo::heat::{
    HeatExchange, Melting, PhaseParameters, PhaseProperties, PlaceAndTime, Thermal, ThermalContact,
};

use super::preset::{SUBSTANCES, substance};
use super::{Heat, Liquid, ThermalMaterial};
use crate::error::{Problem, SceneError};
use crate::expression::Expression;
use crate::material::SceneMaterial;
use crate::number::Number;
use crate::points;
use crate::read::unknown_choice;
use crate::scene::Scene;

/// Exchange of a wall or collider as it stands in a scene.
struct Surface<'a> {
    key: String,
    temperature: Option<&'a Number>,
    heat_transfer: Option<f64>,
    heat_flux: Option<&'a Number>,
}

impl Scene {
    /// The engine's setup of heat; none where the scene has none.
    pub(crate) fn engine_heat<const D: usize>(&self) -> Result<Option<thixo::Heat<D>>, SceneError> {
        let walls = self.walls.iter().enumerate().map(|(k, wall)| Surface {
            key: format!("walls[{k}]"),
            temperature: wall.temperature.as_ref(),
            heat_transfer: wall.heat_transfer,
            heat_flux: wall.heat_flux.as_ref(),
        });
        let colliders = self.colliders.iter().enumerate();
        let colliders = colliders.map(|(k, collider)| Surface {
            key: format!("colliders[{k}]"),
            temperature: collider.temperature.as_ref(),
            heat_transfer: collider.heat_transfer,
            heat_flux: collider.heat_flux.as_ref(),
        });
        let Some(heat) = &self.heat else {
            for surface in walls.chain(colliders) {
                let given = [
                    ("temperature", surface.temperature.is_some()),
                    ("heat_transfer", surface.heat_transfer.is_some()),
                    ("heat_flux", surface.heat_flux.is_some()),
                ];
                if let Some((key, _)) = given.iter().find(|(_, given)| *given) {
                    return Err(self.needs_heat(&format!("{}.{key}", surface.key)));
                }
            }
            return Ok(None);
        };
        if let Some(name) = heat
            .materials
            .keys()
            .find(|n| !self.materials.contains_key(*n))
        {
            let key = format!("heat.materials.{name}");
            let problem = unknown_choice(&key, name, self.material_names());
            return Err(self.source.error_at_key(&key, problem));
        }
        let mut materials = Vec::new();
        for (name, material) in &self.materials {
            let Some(thermal) = heat.materials.get(name) else {
                return Err(self.missing("heat.materials", name));
            };
            materials.push(self.thermal::<D>(name, material, thermal)?);
        }
        let initial = self.temperature::<D>("heat.temperature", &heat.temperature)?;
        // Numbers are the most exact near the temperature where most happens.
        let melting = materials.iter().find_map(|m| m.melting.as_ref());
        let melting = melting.map(|melting| melting.point);
        let initial = initial.constant().unwrap_or(293.15);
        let mut engine = thixo::Heat::new(materials, initial)
            .with_reference(melting.unwrap_or(initial))
            .with_flip(heat.flip)
            .with_longest_step(heat.longest_step)
            .with_air(self.air::<D>(heat)?);
        engine.walls = walls.map(|s| self.exchange(&s)).collect::<Result<_, _>>()?;
        engine.colliders = colliders
            .map(|s| self.exchange(&s))
            .collect::<Result<_, _>>()?;
        if let Some(source) = &heat.source {
            let variables = points::place_and_time::<D>();
            engine.source = Some(function(self.expression(
                "heat.source",
                source,
                &variables,
            )?));
        }
        let count = engine.materials.len();
        let checked = engine.check(count);
        checked.map_err(|error| self.refused_within("heat", error))?;
        Ok(Some(engine))
    }

    fn air<const D: usize>(&self, heat: &Heat) -> Result<HeatExchange<D>, SceneError> {
        let Some(air) = &heat.air else {
            return Ok(HeatExchange::insulated());
        };
        let temperature = self.temperature::<D>("heat.air.temperature", &air.temperature)?;
        let mut exchange = HeatExchange::insulated();
        exchange.temperature = Some(function(temperature));
        exchange.contact = ThermalContact::Coefficient(air.heat_transfer);
        exchange.emissivity = air.emissivity;
        let checked = exchange.check();
        checked.map_err(|error| self.refused_within("heat.air", error))?;
        if air.heat_transfer == 0.0 && air.emissivity == 0.0 {
            let range = "with heat_transfer or emissivity above 0; without air, surfaces insulate";
            return Err(self.out_of_range("heat.air", "without effect", range));
        }
        Ok(exchange)
    }

    fn exchange<const D: usize>(
        &self,
        surface: &Surface<'_>,
    ) -> Result<HeatExchange<D>, SceneError> {
        let mut exchange = HeatExchange::insulated();
        if let Some(temperature) = surface.temperature {
            let key = format!("{}.temperature", surface.key);
            exchange.temperature = Some(function(self.temperature::<D>(&key, temperature)?));
        }
        if let Some(coefficient) = surface.heat_transfer {
            if surface.temperature.is_none() {
                return Err(self.missing(&surface.key, "temperature"));
            }
            exchange.contact = ThermalContact::Coefficient(coefficient);
        }
        if let Some(flux) = surface.heat_flux {
            let key = format!("{}.heat_flux", surface.key);
            let variables = points::place_and_time::<D>();
            exchange.flux = Some(function(self.expression(&key, flux, &variables)?));
        }
        let checked = exchange.check();
        checked.map_err(|error| self.refused_within(&surface.key, error))?;
        Ok(exchange)
    }

    /// Thermal properties of a material.
    fn thermal<const D: usize>(
        &self,
        name: &str,
        material: &SceneMaterial,
        given: &ThermalMaterial,
    ) -> Result<Thermal, SceneError> {
        let table = format!("heat.materials.{name}");
        let preset = match &given.preset {
            None => None,
            Some(preset) => Some(substance(preset).ok_or_else(|| {
                let key = format!("{table}.preset");
                let known = SUBSTANCES.iter().map(|s| s.name.to_owned()).collect();
                self.source
                    .error_at_key(&key, unknown_choice(&key, preset, known))
            })?),
        };
        let number = |key: &str, given: Option<f64>, preset: Option<f64>| {
            given.or(preset).ok_or_else(|| self.missing(&table, key))
        };
        let capacity = preset.map(|p| p.heat_capacity);
        let conductivity = preset.map(|p| p.conductivity);
        let solid = PhaseProperties {
            capacity: number("heat_capacity", given.heat_capacity, capacity.map(|c| c[0]))?,
            conductivity: number(
                "conductivity",
                given.conductivity,
                conductivity.map(|k| k[0]),
            )?,
        };
        let point = match &given.melting_point {
            Some(number) => {
                let key = format!("{table}.melting_point");
                let formula = self.temperature::<D>(&key, number)?;
                // Of a formula every particle has its own value.
                Some(formula.constant().unwrap_or(273.15))
            }
            None => preset.map(|p| p.melting_point),
        };
        let none = Liquid::default();
        let liquid = given.liquid.as_ref().unwrap_or(&none);
        let Some(point) = point else {
            if given.latent_heat.is_some() || given.liquid.is_some() {
                return Err(self.missing(&table, "melting_point"));
            }
            return Ok(Thermal {
                solid,
                melting: None,
            });
        };
        let fallback =
            |given: Option<f64>, own: Option<f64>, solid: f64| given.or(own).unwrap_or(solid);
        let melting = Melting {
            point,
            latent_heat: fallback(given.latent_heat, preset.map(|p| p.latent_heat), 0.0),
            liquid: PhaseProperties {
                capacity: fallback(
                    liquid.heat_capacity,
                    capacity
                        .map(|c| c[1])
                        .filter(|_| given.heat_capacity.is_none()),
                    solid.capacity,
                ),
                conductivity: fallback(
                    liquid.conductivity,
                    conductivity
                        .map(|k| k[1])
                        .filter(|_| given.conductivity.is_none()),
                    solid.conductivity,
                ),
            },
            mechanics: Some(self.phases::<D>(&table, name, material, liquid)?),
        };
        let thermal = Thermal {
            solid,
            melting: Some(melting),
        };
        let checked = thermal.check();
        checked.map_err(|error| self.refused_within(&table, error))?;
        Ok(thermal)
    }

    /// Parameters of the law of each phase.
    fn phases<const D: usize>(
        &self,
        table: &str,
        name: &str,
        material: &SceneMaterial,
        liquid: &Liquid,
    ) -> Result<PhaseParameters, SceneError> {
        if let Some(key) = material.formulas.keys().find(|key| *key != "density") {
            let key = format!("materials.{name}.{key}");
            let range =
                "a number in matter that melts: formulas give particles parameters for good";
            return Err(self.out_of_range(&key, "a formula", range));
        }
        if self.is_wetted(name) {
            let range = "absent: wetness gives its particles parameters that melting would replace";
            return Err(self.out_of_range(&format!("{table}.melting_point"), "given", range));
        }
        let refused = |error| self.refused_material(name, error);
        let solid = material.law.law(D).map_err(refused)?;
        let description = material.law.description();
        let mut values = material.law.values().clone();
        for (key, &value) in &liquid.law {
            let path = format!("{table}.liquid.law.{key}");
            let mut known = description.variable().filter(|p| p.key != "density");
            let Some(parameter) = known.find(|parameter| parameter.key == key) else {
                let known = description.variable().map(|p| p.key.to_owned());
                let known = known.filter(|key| key != "density").collect();
                return Err(self
                    .source
                    .error_at_key(&path, unknown_choice(&path, key, known)));
            };
            let checked = parameter.check(value);
            checked.map_err(|cause| self.refused(&path, cause.into()))?;
            values.set(parameter, value);
        }
        let melt = crate::material::Material::new(description, values);
        let melt = melt.law(D).map_err(refused)?;
        let material = melt.name();
        let Some(mut parameters) = melt.molten(D) else {
            let key = format!("{table}.melting_point");
            return Err(self.refused(&key, BuildError::CannotMelt { material }));
        };
        // What the scene gives by name stands.
        let given = melt.engine_names().iter().zip(melt.engine_parameters());
        for (parameter, (name, given)) in parameters.iter_mut().zip(given) {
            if liquid.law.contains_key(*name) {
                *parameter = given;
            }
        }
        Ok(PhaseParameters {
            solid: solid.engine_parameters(),
            liquid: parameters,
        })
    }

    /// True if a material melts, so that its particles have parameters of their own.
    pub(crate) fn melts(&self, name: &str) -> bool {
        let thermal = self.heat.as_ref().and_then(|heat| heat.materials.get(name));
        thermal.is_some_and(|t| t.melting_point.is_some() || t.preset.is_some())
    }

    /// A law whose melt the engine refuses.
    pub(crate) fn refused_melt(&self, cause: BuildError) -> SceneError {
        let key = "heat.materials".to_owned();
        let problem = Problem::Refused {
            key: key.clone(),
            cause,
        };
        self.source.error_at_key(&key, problem)
    }
}

/// A formula of place and time as the engine takes it.
fn function<const D: usize>(formula: Expression) -> PlaceAndTime<D> {
    match formula.constant() {
        Some(value) => PlaceAndTime::Constant(value),
        None => PlaceAndTime::function(move |position, time| {
            formula.evaluate(&points::at(position, time)[..D + 1])
        }),
    }
}
