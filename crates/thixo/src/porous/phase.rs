//! Phases of a mixture, and which of them are coupled.

use thixo_par::Scalar;

use super::{Drag, Interaction, PorePressure, Relaxation, WetnessColumn};
use crate::collide::{Contact, Wall};
use crate::error::{BuildError, positive};
use crate::material::Material;
use crate::particles::Carried;

/// A material of a phase, and the density of its substance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constituent {
    /// Index of the material.
    pub material: usize,
    /// Density of the substance without pores ρ̂ \[kg/m³\]: of grains, not of sand; of water. A
    /// mass m takes the volume m/ρ̂ from the other phases.
    pub substance_density: f64,
}

/// Motion of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Motion {
    /// By the forces on it.
    #[default]
    Free,
    /// Held in place, whatever the forces: crushed rock, a filter, the wall of a well.
    Held,
}

/// Matter with a velocity of its own.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Phase {
    /// Name, for messages.
    pub name: String,
    /// Materials that move with one velocity, and collide with each other.
    pub materials: Vec<Constituent>,
    /// Free, or held in place.
    pub motion: Motion,
    /// Contact with walls instead of that of the wall; none for that of the wall. Colliders
    /// distinguish materials by themselves.
    pub wall_contact: Option<Contact>,
}

impl Phase {
    /// A phase without materials yet.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            materials: Vec::new(),
            motion: Motion::Free,
            wall_contact: None,
        }
    }
    /// A phase of one material, by index, and the density of its substance \[kg/m³\].
    pub fn new(name: &str, material: usize, substance_density: f64) -> Self {
        Self {
            name: name.to_owned(),
            materials: vec![Constituent {
                material,
                substance_density,
            }],
            motion: Motion::Free,
            wall_contact: None,
        }
    }
}

impl Phase {
    /// The density of the substance \[kg/m³\] where all constituents have the same.
    pub(crate) fn uniform_substance(&self) -> Option<f64> {
        let mut densities = self.materials.iter().map(|c| c.substance_density);
        let first = densities.next().unwrap_or(1.0);
        densities.all(|density| density == first).then_some(first)
    }
    /// 1/ρ̂ of a material \[m³/kg\]; none for materials of other phases.
    pub(crate) fn specific_volume(&self, material: usize) -> Option<f64> {
        let mut own = self.materials.iter();
        let own = own.find(|constituent| constituent.material == material)?;
        Some(1.0 / own.substance_density)
    }
}

builder! {
    impl Phase {
        with_materials(materials: Vec<Constituent>);
        with_motion(motion: Motion);
        with_wall_contact(wall_contact: Option<Contact>);
    }
}

/// Drag between two phases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupling {
    /// Index of the phase that flows.
    pub fluid: usize,
    /// Index of the phase that it flows through.
    pub solid: usize,
    /// Drag between them.
    pub drag: Drag,
}

/// Phases and their interaction.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Mixture<const D: usize> {
    /// The phases; every material belongs to one.
    pub phases: Vec<Phase>,
    /// Pairs of phases that drag each other along.
    pub couplings: Vec<Coupling>,
    /// Solution of the equation of drag in a step.
    pub relaxation: Relaxation,
    /// Action of the pressure of fluids on solids.
    pub pore_pressure: PorePressure,
    /// Share of the difference between the volume ratio of a fluid's particles and its mean around
    /// them that a step takes away where a pressure acts in pores, 0 to 1 \[–\], equation (73a).
    pub pressure_smoothing: f64,
    /// Name of the [carried](crate::Carried) quantity in which all particles keep the pressure of
    /// the fluid around them \[Pa\]; none where nobody asks.
    pub pore_pressure_column: Option<String>,
    /// Carried quantity that holds the wetness of particles; none where nothing depends on it.
    pub wetness: Option<WetnessColumn>,
    /// Materials whose parameters depend on the wetness.
    pub interactions: Vec<Interaction<D>>,
    /// Index of the phase on which loaded surfaces act.
    pub loaded_phase: usize,
}

builder! {
    impl Mixture<D> {
        with_pore_pressure(pore_pressure: PorePressure);
        with_pressure_smoothing(pressure_smoothing: f64);
        with_pore_pressure_column(pore_pressure_column: Option<String>);
        with_wetness(wetness: Option<WetnessColumn>);
        with_interactions(interactions: Vec<Interaction<D>>);
        with_couplings(couplings: Vec<Coupling>);
        with_relaxation(relaxation: Relaxation);
        with_loaded_phase(loaded_phase: usize);
    }
}

impl<const D: usize> Mixture<D> {
    /// Phases that do not act on each other.
    pub fn new(phases: Vec<Phase>) -> Self {
        Self {
            phases,
            ..Self::default()
        }
    }
    /// The phase of every material, by index. Refuses materials without a phase or with two.
    pub(crate) fn phase_of_materials(&self, count: usize) -> Result<Vec<usize>, BuildError> {
        let mut phase_of = vec![None; count];
        for (index, phase) in self.phases.iter().enumerate() {
            for constituent in &phase.materials {
                let material = constituent.material;
                let Some(place) = phase_of.get_mut(material) else {
                    let index = material;
                    return Err(BuildError::NoSuchMaterial { index, count });
                };
                if place.replace(index).is_some() {
                    return Err(BuildError::PhaseOfMaterial {
                        material,
                        phases: "two phases",
                    });
                }
            }
        }
        let phases = phase_of.into_iter().enumerate();
        let phases = phases.map(|(material, phase)| {
            phase.ok_or(BuildError::PhaseOfMaterial {
                material,
                phases: "no phase",
            })
        });
        phases.collect()
    }
    /// Refuses couplings of phases that there are not, and numbers out of range.
    pub fn check(&self) -> Result<(), BuildError> {
        let count = self.phases.len();
        let is_phase = |index: usize| match index < count {
            true => Ok(()),
            false => Err(BuildError::NoSuchPhase { index, count }),
        };
        is_phase(self.loaded_phase)?;
        for constituent in self.phases.iter().flat_map(|phase| &phase.materials) {
            let density = constituent.substance_density;
            positive(
                "substance_density",
                "density of the substance [kg/m³]",
                density,
            )?;
        }
        for phase in &self.phases {
            if let Some(contact) = phase.wall_contact {
                contact.check()?;
            }
        }
        self.relaxation.check()?;
        if !(0.0..=1.0).contains(&self.pressure_smoothing) {
            return Err(BuildError::OutOfRange {
                key: "pressure_smoothing",
                quantity: "share of the fluctuations of pressure that a step takes away",
                value: self.pressure_smoothing,
                range: "from 0 to 1",
            });
        }
        for coupling in &self.couplings {
            is_phase(coupling.fluid)?;
            is_phase(coupling.solid)?;
            if coupling.fluid == coupling.solid {
                let index = coupling.fluid;
                return Err(BuildError::CoupledToItself {
                    phase: self.phases[index].name.clone(),
                });
            }
            coupling.drag.check()?;
        }
        if self.relaxation == Relaxation::Locked
            && let Some(held) = self.phases.iter().find(|p| p.motion == Motion::Held)
        {
            return Err(BuildError::LockedToHeld {
                phase: held.name.clone(),
            });
        }
        Ok(())
    }
}

/// A [`Mixture`] that has been checked.
#[derive(Debug)]
pub(crate) struct CheckedMixture<const D: usize> {
    pub mixture: Mixture<D>,
    /// The phase of every material.
    pub phase_of: Vec<usize>,
    fluids: Vec<usize>,
    solids: Vec<usize>,
    /// For every phase the walls, with the contact of the phase.
    pub walls: Vec<Vec<Wall<D>>>,
}

impl<const D: usize> CheckedMixture<D> {
    /// Checks a mixture of some materials between walls, and what particles carry.
    pub fn new<T: Scalar>(
        mixture: Mixture<D>,
        materials: &[Box<dyn Material<T, D>>],
        (walls, carried): (&[Wall<D>], &[Carried]),
    ) -> Result<Self, BuildError> {
        mixture.check()?;
        let phase_of = mixture.phase_of_materials(materials.len())?;
        for &Interaction { material, .. } in &mixture.interactions {
            let Some(law) = materials.get(material) else {
                let (index, count) = (material, materials.len());
                return Err(BuildError::NoSuchMaterial { index, count });
            };
            if law.own_parameters().is_empty() {
                return Err(BuildError::InteractionWithoutParameters { material });
            }
        }
        let is_carried = |name: &String| carried.iter().any(|own| own.name == *name);
        if !mixture.interactions.is_empty() && mixture.wetness.is_none() {
            return Err(BuildError::NoWetness {
                name: "wetness".to_owned(),
            });
        }
        let columns = mixture.wetness.iter().map(|column| &column.name);
        let mut columns = columns.chain(&mixture.pore_pressure_column);
        if let Some(name) = columns.find(|name| !is_carried(name)) {
            let name = name.clone();
            return Err(BuildError::NoWetness { name });
        }
        let walls_of = |phase: &Phase| {
            let walls = walls.iter().map(|wall| Wall {
                contact: phase.wall_contact.unwrap_or(wall.contact),
                ..*wall
            });
            walls.collect()
        };
        let couplings = &mixture.couplings;
        let distinct = |phase: fn(&Coupling) -> usize| {
            let mut phases: Vec<usize> = couplings.iter().map(phase).collect();
            phases.sort_unstable();
            phases.dedup();
            phases
        };
        Ok(Self {
            walls: mixture.phases.iter().map(walls_of).collect(),
            fluids: distinct(|coupling| coupling.fluid),
            solids: distinct(|coupling| coupling.solid),
            phase_of,
            mixture,
        })
    }
    /// The phases that flow through others.
    pub fn fluids(&self) -> impl Iterator<Item = usize> + '_ {
        self.fluids.iter().copied()
    }
    /// The phases that others flow through.
    pub fn solids(&self) -> impl Iterator<Item = usize> + '_ {
        self.solids.iter().copied()
    }
    /// True if a material belongs to a phase.
    pub fn is_of(&self, material: usize, phase: usize) -> bool {
        self.phase_of[material] == phase
    }
    /// True if a phase is a fluid whose pressure acts on solids.
    pub fn is_pressed(&self, phase: usize) -> bool {
        self.mixture.pore_pressure != PorePressure::None && self.fluids.contains(&phase)
    }
    /// True if the particles of fluids are compressed by solids that flow in.
    pub fn shares_space(&self) -> bool {
        self.mixture.pore_pressure == PorePressure::Shared
    }
    /// True if the pressure of fluids is wanted at the nodes.
    pub fn needs_pressure(&self) -> bool {
        self.mixture.pore_pressure != PorePressure::None
            && (self.mixture.pore_pressure_column.is_some()
                || self.mixture.pressure_smoothing > 0.0)
    }
    /// True if the shares of space of the phases are needed.
    pub fn needs_shares(&self) -> bool {
        self.mixture.pore_pressure != PorePressure::None || self.mixture.wetness.is_some()
    }
    /// Density of the substance of the fluid over that of the solid, the largest of their
    /// constituents \[–\].
    pub fn density_ratio(&self, coupling: &Coupling) -> f64 {
        let densities = |phase: usize| {
            let own = self.mixture.phases[phase].materials.iter();
            own.map(|constituent| constituent.substance_density)
        };
        let fluid = densities(coupling.fluid).fold(0.0, f64::max);
        let solid = densities(coupling.solid).fold(f64::INFINITY, f64::min);
        fluid / solid
    }
    /// The rule for the parameters of a material.
    pub fn interaction(&self, material: usize) -> Option<&Interaction<D>> {
        let mut rules = self.mixture.interactions.iter();
        rules.find(|rule| rule.material == material)
    }
}
