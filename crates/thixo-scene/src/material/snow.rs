//! Snow of a scene: `model = "snow"`.

use serde::{Deserialize, Serialize};
use thixo::material::parameters::{
    INITIAL_PLASTIC_VOLUME, LEAST_HARDENING_FACTOR, LEAST_PLASTIC_VOLUME, MOST_HARDENING_FACTOR,
    MOST_PLASTIC_VOLUME, ParameterError,
};
use thixo::material::plastic;

use super::Law;
use super::elastic::{Elastic, ElasticLaw};

/// Parameters of `model = "snow"`: stretches beyond a limit stay for good, and packed snow is hard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snow {
    /// Density at rest, without plastic deformation \[kg/m³\], above 0. Required.
    pub density: f64,
    /// Young's modulus without plastic deformation \[Pa\], above 0. Required.
    pub young_modulus: f64,
    /// Poisson's ratio \[–\], above -1 and below 0.5. Required.
    pub poisson_ratio: f64,
    /// Compression of a stretch at which snow yields \[–\], 0 to 1; 1 never yields. Required.
    pub critical_compression: f64,
    /// Extension of a stretch at which snow yields \[–\], zero or positive; 0 comes apart freely.
    /// Required.
    pub critical_stretch: f64,
    /// Rate at which packing hardens and extension softens \[–\], zero or positive: moduli are
    /// multiplied by exp(hardening · (1 − plastic volume ratio)). Required.
    pub hardening: f64,
    /// The elastic law. Default: `"fixed_corotated"`.
    #[serde(default)]
    pub elastic: ElasticLaw,
    /// Plastic volume ratio at the start \[–\], above 0; below 1 the snow is packed, and denser by
    /// as much. Default: 1.
    #[serde(default = "Snow::initial_volume")]
    pub initial_plastic_volume: f64,
    /// Effect of plastic flow on the volume. Default: `"free"`.
    #[serde(default)]
    pub plastic_volume: PlasticVolume,
    /// Moduli are never multiplied by less \[–\], above 0, at most 1. Default: 1e-3.
    #[serde(default = "Snow::least_factor")]
    pub least_hardening_factor: f64,
    /// Moduli are never multiplied by more \[–\], at least 1. Default: 1e3.
    #[serde(default = "Snow::most_factor")]
    pub most_hardening_factor: f64,
    /// Plastic volume ratios below it are forgotten \[–\], 0 to 1. Default: 0.
    #[serde(default = "Snow::least_volume")]
    pub least_plastic_volume: f64,
    /// Plastic volume ratios above it are forgotten \[–\], at least 1. Default: `inf`.
    #[serde(default = "Snow::most_volume")]
    pub most_plastic_volume: f64,
}

/// Effect of plastic flow on the volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlasticVolume {
    /// Snow packs, and spray takes room.
    #[default]
    Free,
    /// Flow keeps the volume: nearly incompressible matter, without hardening.
    Preserved,
}

impl Snow {
    fn initial_volume() -> f64 {
        INITIAL_PLASTIC_VOLUME.default_value()
    }
    fn least_factor() -> f64 {
        LEAST_HARDENING_FACTOR.default_value()
    }
    fn most_factor() -> f64 {
        MOST_HARDENING_FACTOR.default_value()
    }
    fn least_volume() -> f64 {
        LEAST_PLASTIC_VOLUME.default_value()
    }
    fn most_volume() -> f64 {
        MOST_PLASTIC_VOLUME.default_value()
    }

    pub(super) fn numbers_mut(&mut self) -> Vec<(&'static str, &mut f64)> {
        vec![
            ("density", &mut self.density),
            ("young_modulus", &mut self.young_modulus),
            ("poisson_ratio", &mut self.poisson_ratio),
            ("critical_compression", &mut self.critical_compression),
            ("critical_stretch", &mut self.critical_stretch),
            ("hardening", &mut self.hardening),
            ("initial_plastic_volume", &mut self.initial_plastic_volume),
            ("least_hardening_factor", &mut self.least_hardening_factor),
            ("most_hardening_factor", &mut self.most_hardening_factor),
            ("least_plastic_volume", &mut self.least_plastic_volume),
            ("most_plastic_volume", &mut self.most_plastic_volume),
        ]
    }

    /// The engine's model.
    pub(super) fn law<L: Law>(&self, dimension: usize) -> Result<L, ParameterError> {
        let solid = self.solid();
        Ok(match self.elastic {
            ElasticLaw::FixedCorotated => self.on(solid.fixed_corotated()?)?.into(),
            ElasticLaw::SplitCorotated => self.on(solid.split_corotated(dimension)?)?.into(),
            ElasticLaw::NeoHookean => self.on(solid.neo_hookean()?)?.into(),
            ElasticLaw::StVenantKirchhoff => self.on(solid.st_venant_kirchhoff()?)?.into(),
            ElasticLaw::Hencky => self.on(solid.hencky()?)?.into(),
        })
    }

    /// Its elastic part.
    fn solid(&self) -> Elastic {
        Elastic {
            density: self.density,
            young_modulus: self.young_modulus,
            poisson_ratio: self.poisson_ratio,
        }
    }

    /// Snow on an elastic law.
    fn on<E>(&self, elastic: E) -> Result<plastic::Snow<E>, ParameterError> {
        let volume = match self.plastic_volume {
            PlasticVolume::Free => plastic::PlasticVolume::Free,
            PlasticVolume::Preserved => plastic::PlasticVolume::Preserved,
        };
        let (compression, stretch) = (self.critical_compression, self.critical_stretch);
        let snow = plastic::Snow::new(elastic, compression, stretch, self.hardening)?
            .with_initial_plastic_volume(self.initial_plastic_volume)?
            .with_hardening_range(self.least_hardening_factor, self.most_hardening_factor)?
            .with_plastic_volume_range(self.least_plastic_volume, self.most_plastic_volume)?;
        Ok(snow.with_plastic_volume(volume))
    }
}
