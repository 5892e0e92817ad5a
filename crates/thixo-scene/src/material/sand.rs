//! Sand of a scene: `model = "drucker_prager"`.

use serde::{Deserialize, Serialize};
use thixo::material::parameters::{COHESION, H0, H1, H2, H3, ParameterError};
use thixo::material::plastic;

use super::Contradiction;

/// Parameters of `model = "drucker_prager"`: shear strength that grows with pressure, free
/// separation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DruckerPrager {
    /// Density at rest \[kg/m³\], above 0. Required.
    pub density: f64,
    /// Young's modulus \[Pa\], above 0. Required.
    pub young_modulus: f64,
    /// Poisson's ratio \[–\], above -1 and below 0.5. Required.
    pub poisson_ratio: f64,
    /// Friction angle \[°\], at least 0 and below 90. Required, unless `friction_hardening` is
    /// there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction_angle: Option<f64>,
    /// A friction angle that changes with plastic strain, in place of `friction_angle`. Default:
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction_hardening: Option<FrictionHardening>,
    /// Cohesion \[Pa\], zero or positive. Default: 0, dry.
    #[serde(default = "DruckerPrager::default_cohesion")]
    pub cohesion: f64,
    /// Experiment that gives the friction angle. Default: `"triaxial"`.
    #[serde(default)]
    pub friction_match: FrictionMatch,
    /// Volume correction: parted grains must close again before they press on each other. Default:
    /// `"on"`.
    #[serde(default)]
    pub volume_correction: VolumeCorrection,
}

/// Friction angle after the plastic strain q: h0 + (h1 q − h3) exp(−h2 q).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrictionHardening {
    /// Final friction angle \[°\], at least 0 and below 90. Required.
    pub h0: f64,
    /// Height of the peak \[°\], zero or positive. Required.
    pub h1: f64,
    /// Rate of hardening \[–\], zero or positive. Required.
    pub h2: f64,
    /// Deficit of the first friction angle \[°\], at least 0 and at most h0. Required.
    pub h3: f64,
}

/// Experiment that gives the friction angle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrictionMatch {
    /// Triaxial compression.
    #[default]
    Triaxial,
    /// Shear in plane strain: the angle of Mohr-Coulomb. For 2D.
    PlaneStrain,
}

/// Treatment of the volume that sand gains when its grains part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VolumeCorrection {
    /// It must be closed again.
    #[default]
    On,
    /// It is forgotten: sand swells when it is poured.
    Off,
}

impl DruckerPrager {
    pub(super) fn numbers_mut(&mut self) -> Vec<(&'static str, &mut f64)> {
        let mut numbers = vec![
            ("density", &mut self.density),
            ("young_modulus", &mut self.young_modulus),
            ("poisson_ratio", &mut self.poisson_ratio),
            ("cohesion", &mut self.cohesion),
        ];
        if let Some(angle) = &mut self.friction_angle {
            numbers.push(("friction_angle", angle));
        }
        if let Some(FrictionHardening { h0, h1, h2, h3 }) = &mut self.friction_hardening {
            let values = [h0, h1, h2, h3];
            numbers.extend([H0.key, H1.key, H2.key, H3.key].into_iter().zip(values));
        }
        numbers
    }

    /// The angle is given once.
    pub(super) fn contradiction(&self) -> Option<Contradiction> {
        let key = "friction_angle";
        match (self.friction_angle, self.friction_hardening) {
            (None, None) => Some(Contradiction::Missing { key }),
            (Some(value), Some(_)) => Some(Contradiction::Superfluous {
                key,
                value,
                range: "absent: friction_hardening gives the angle",
            }),
            _ => None,
        }
    }

    /// The engine's model.
    pub(super) fn law(&self) -> Result<plastic::DruckerPrager, ParameterError> {
        let friction = match self.friction_hardening {
            Some(FrictionHardening { h0, h1, h2, h3 }) => {
                plastic::FrictionHardening { h0, h1, h2, h3 }
            }
            None => plastic::FrictionHardening::constant(self.friction_angle.unwrap_or(f64::NAN)),
        };
        let friction_match = match self.friction_match {
            FrictionMatch::Triaxial => plastic::FrictionMatch::Triaxial,
            FrictionMatch::PlaneStrain => plastic::FrictionMatch::PlaneStrain,
        };
        let volume_correction = match self.volume_correction {
            VolumeCorrection::On => plastic::VolumeCorrection::Applied,
            VolumeCorrection::Off => plastic::VolumeCorrection::Omitted,
        };
        let sand = plastic::DruckerPrager::new(self.young_modulus, self.poisson_ratio, friction)
            .and_then(|sand| sand.with_cohesion(self.cohesion))?;
        Ok(sand
            .with_friction_match(friction_match)
            .with_volume_correction(volume_correction))
    }

    fn default_cohesion() -> f64 {
        COHESION.default_value()
    }
}
