//! The setup of heat: properties of the matter, exchange at its surfaces, sources, time step.

use super::exchange::{HeatExchange, PlaceAndTime, check_kelvin};
use super::thermal::Thermal;
use crate::error::{BuildError, positive};

/// Conduction of heat in the matter, its melting and freezing.
#[derive(Clone, Debug)]
pub struct Heat<const D: usize> {
    /// Properties of each material, by index.
    pub materials: Vec<Thermal>,
    /// Temperature of matter that is inserted without one \[K\].
    pub initial: f64,
    /// Temperature from which the stored ones are measured \[K\]: in single precision those near it
    /// are the most exact.
    pub reference: f64,
    /// Exchange with each wall, by index; walls without one insulate.
    pub walls: Vec<HeatExchange<D>>,
    /// Exchange with each obstacle, by index; obstacles without one insulate.
    pub colliders: Vec<HeatExchange<D>>,
    /// Exchange at free surfaces.
    pub air: HeatExchange<D>,
    /// Heat that is generated per volume of matter \[W/m³\].
    pub source: Option<PlaceAndTime<D>>,
    /// Share of FLIP β in the temperatures that particles take back, 0 to 1 \[–\].
    pub flip: f64,
    /// Longest step of conduction \[s\]; none leaves it to the program.
    pub longest_step: Option<f64>,
}

impl<const D: usize> Heat<D> {
    /// Defaults with the properties of each material and an initial temperature \[K\], from which
    /// temperatures are measured: insulated, without sources.
    pub fn new(materials: Vec<Thermal>, initial: f64) -> Self {
        Self {
            materials,
            initial,
            reference: initial,
            walls: Vec::new(),
            colliders: Vec::new(),
            air: HeatExchange::insulated(),
            source: None,
            flip: 0.95,
            longest_step: None,
        }
    }
    /// Refuses numbers out of range, for a number of materials.
    pub fn check(&self, materials: usize) -> Result<(), BuildError> {
        if self.materials.len() != materials {
            return Err(BuildError::ThermalCount {
                given: self.materials.len(),
                materials,
            });
        }
        self.materials.iter().try_for_each(Thermal::check)?;
        check_kelvin("temperature", "initial temperature [K]", self.initial)?;
        check_kelvin("reference", "reference temperature [K]", self.reference)?;
        let surfaces = self.walls.iter().chain(&self.colliders);
        surfaces.chain([&self.air]).try_for_each(|s| s.check())?;
        if !(0.0..=1.0).contains(&self.flip) {
            return Err(BuildError::OutOfRange {
                key: "flip",
                quantity: "share of FLIP in temperatures",
                value: self.flip,
                range: "between 0 and 1",
            });
        }
        if let Some(step) = self.longest_step {
            positive("longest_step", "longest step of conduction [s]", step)?;
        }
        Ok(())
    }
}

builder! {
    impl Heat<D> {
        with_reference(reference: f64);
        with_walls(walls: Vec<HeatExchange<D>>);
        with_colliders(colliders: Vec<HeatExchange<D>>);
        with_air(air: HeatExchange<D>);
        with_source(source: Option<PlaceAndTime<D>>);
        with_flip(flip: f64);
        with_longest_step(longest_step: Option<f64>);
    }
}
