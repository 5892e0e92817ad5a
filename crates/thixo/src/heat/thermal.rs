//! Thermal properties of a material: heat capacity and conductivity of its phases, melting point
//! and latent heat, and the parameters of its law in each phase.

use thixo_math::Matrix;
use thixo_par::Scalar;

use crate::error::{BuildError, positive};
use crate::material::Material;

/// Heat capacity and conductivity of a phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseProperties {
    /// Specific heat capacity c > 0 \[J/(kg K)\].
    pub capacity: f64,
    /// Thermal conductivity κ > 0 \[W/(m K)\].
    pub conductivity: f64,
}

/// Phase of matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Solid, also while it melts.
    Solid,
    /// Liquid, also while it freezes.
    Liquid,
}

/// Melting of a material.
#[derive(Clone, Debug, PartialEq)]
pub struct Melting {
    /// Melting point T_m > 0 \[K\].
    pub point: f64,
    /// Latent heat L ≥ 0 \[J/kg\].
    pub latent_heat: f64,
    /// The liquid.
    pub liquid: PhaseProperties,
    /// Mechanics of the phases; none where they do not differ.
    pub mechanics: Option<PhaseParameters>,
}

/// Parameters of a law in each phase, those of a material made by
/// [`PerParticle`](crate::material::PerParticle).
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseParameters {
    /// Of the solid.
    pub solid: Vec<f64>,
    /// Of the liquid: the same energy of volume, and none of shear.
    pub liquid: Vec<f64>,
}

impl PhaseParameters {
    /// Parameters of a phase.
    pub(crate) fn of(&self, phase: Phase) -> &[f64] {
        match phase {
            Phase::Solid => &self.solid,
            Phase::Liquid => &self.liquid,
        }
    }
}

/// Thermal properties of a material.
#[derive(Clone, Debug, PartialEq)]
pub struct Thermal {
    /// The solid, or the only phase.
    pub solid: PhaseProperties,
    /// Melting; none for matter of one phase.
    pub melting: Option<Melting>,
}

impl Thermal {
    /// Matter of one phase, from heat capacity \[J/(kg K)\] and conductivity \[W/(m K)\].
    pub fn new(capacity: f64, conductivity: f64) -> Self {
        Self {
            solid: PhaseProperties {
                capacity,
                conductivity,
            },
            melting: None,
        }
    }
    /// The same with a melting point \[K\] and a latent heat \[J/kg\]; the liquid has the
    /// properties of the solid, and the mechanics do not differ.
    #[must_use]
    pub fn melting_at(mut self, point: f64, latent_heat: f64) -> Self {
        self.melting = Some(Melting {
            point,
            latent_heat,
            liquid: self.solid,
            mechanics: None,
        });
        self
    }
    /// Properties of a phase.
    #[inline]
    pub(crate) fn of(&self, phase: Phase) -> PhaseProperties {
        match (&self.melting, phase) {
            (Some(melting), Phase::Liquid) => melting.liquid,
            _ => self.solid,
        }
    }

    /// Refuses numbers out of range.
    pub fn check(&self) -> Result<(), BuildError> {
        let phases = [Some(self.solid), self.melting.as_ref().map(|m| m.liquid)];
        for PhaseProperties {
            capacity,
            conductivity,
        } in phases.into_iter().flatten()
        {
            positive("heat_capacity", "heat capacity [J/(kg K)]", capacity)?;
            positive(
                "conductivity",
                "thermal conductivity [W/(m K)]",
                conductivity,
            )?;
        }
        if let Some(melting) = &self.melting {
            positive("melting_point", "melting point [K]", melting.point)?;
            let value = melting.latent_heat;
            if !(value >= 0.0 && value.is_finite()) {
                return Err(BuildError::OutOfRange {
                    key: "latent_heat",
                    quantity: "latent heat [J/kg]",
                    value,
                    range: "zero or positive, and finite",
                });
            }
        }
        Ok(())
    }

    /// Refuses a law whose phases differ in their energy of volume, or that has none: freezing
    /// would make energy.
    pub(crate) fn check_law<T: Scalar, const D: usize>(
        &self,
        law: &dyn Material<T, D>,
    ) -> Result<(), BuildError> {
        let mechanics = self.melting.as_ref().and_then(|m| m.mechanics.as_ref());
        let Some(PhaseParameters { solid, liquid }) = mechanics else {
            return Ok(());
        };
        let refused = BuildError::CannotMelt {
            material: law.name(),
        };
        let own = law.own_parameters().len();
        if own == 0 || solid.len() != own || liquid.len() != own {
            return Err(refused);
        }
        if law.is_incompressible() {
            return Ok(());
        }
        for ratio in [0.9_f64, 1.0, 1.1] {
            let f = Matrix::<f64, D>::identity() * ratio.powf(1.0 / D as f64);
            let energy = |own: &[f64]| law.energy_density(&law.state(&f, Some(own)));
            // Beside the moduli, to which their rounding is in proportion.
            let scale = solid.iter().filter(|x| x.is_finite());
            let rounding = 1e-9 * scale.fold(0.0, |scale: f64, x| scale.max(x.abs()));
            match (energy(solid), energy(liquid)) {
                (Some(a), Some(b)) if (a - b).abs() <= 1e-6 * a.abs() + rounding => {}
                _ => return Err(refused),
            }
        }
        Ok(())
    }
}
