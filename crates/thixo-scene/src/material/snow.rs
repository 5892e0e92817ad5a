//! Snow of a scene: `model = "snow"`.

use serde::{Deserialize, Serialize};
use thixo::BuildError;
use thixo::material::plastic;

use super::elastic::{Elastic, ElasticLaw};
use super::{Boxed, Refusal, refusal};

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
    /// Extension of a stretch at which snow yields \[–\], zero or positive; 0 comes apart freely. Required.
    pub critical_stretch: f64,
    /// How fast packing hardens and extension softens \[–\], zero or positive: moduli are multiplied by
    /// exp(hardening · (1 − plastic volume ratio)). Required.
    pub hardening: f64,
    /// The elastic law. Default: `"fixed_corotated"`.
    #[serde(default)]
    pub elastic: ElasticLaw,
    /// Plastic volume ratio at the start \[–\], above 0; below 1 the snow is packed, and denser by as much. Default: 1.
    #[serde(default = "Snow::one")]
    pub initial_plastic_volume: f64,
    /// What plastic flow does to the volume. Default: `"free"`.
    #[serde(default)]
    pub plastic_volume: PlasticVolume,
    /// Moduli are never multiplied by less \[–\], above 0, at most 1. Default: 1e-3.
    #[serde(default = "Snow::least_factor")]
    pub least_hardening_factor: f64,
    /// Moduli are never multiplied by more \[–\], at least 1. Default: 1e3.
    #[serde(default = "Snow::most_factor")]
    pub most_hardening_factor: f64,
    /// Plastic volume ratios below it are forgotten \[–\], 0 to 1. Default: 0.
    #[serde(default)]
    pub least_plastic_volume: f64,
    /// Plastic volume ratios above it are forgotten \[–\], at least 1. Default: `inf`.
    #[serde(default = "Snow::unbounded")]
    pub most_plastic_volume: f64,
}

/// What plastic flow does to the volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlasticVolume {
    /// Snow packs, and spray takes room.
    #[default]
    Free,
    /// Flow keeps the volume: nearly incompressible matter, without hardening.
    Preserved,
}

/// Keys by what the engine calls them.
const NAMES: [(&str, &str); 10] = [
    ("Young", "young_modulus"),
    ("Poisson", "poisson_ratio"),
    ("critical compression", "critical_compression"),
    ("critical stretch", "critical_stretch"),
    ("hardening", "hardening"),
    ("initial plastic volume", "initial_plastic_volume"),
    ("least hardening factor", "least_hardening_factor"),
    ("most hardening factor", "most_hardening_factor"),
    ("least plastic volume", "least_plastic_volume"),
    ("most plastic volume", "most_plastic_volume"),
];

impl Snow {
    fn one() -> f64 {
        1.0
    }
    fn least_factor() -> f64 {
        1e-3
    }
    fn most_factor() -> f64 {
        1e3
    }
    fn unbounded() -> f64 {
        f64::INFINITY
    }

    pub(super) fn numbers(&self) -> Vec<(&'static str, f64)> {
        let mut numbers = self.solid().numbers();
        numbers.extend([
            ("critical_compression", self.critical_compression),
            ("critical_stretch", self.critical_stretch),
            ("hardening", self.hardening),
            ("initial_plastic_volume", self.initial_plastic_volume),
            ("least_hardening_factor", self.least_hardening_factor),
            ("most_hardening_factor", self.most_hardening_factor),
            ("least_plastic_volume", self.least_plastic_volume),
        ]);
        if self.most_plastic_volume.is_finite() {
            numbers.push(("most_plastic_volume", self.most_plastic_volume));
        }
        numbers
    }

    /// The engine's model, or the key that is refused and why.
    pub(super) fn law<B: Boxed>(&self, dimension: usize) -> Result<B, Refusal> {
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
    fn on<E>(&self, elastic: E) -> Result<plastic::Snow<E>, Refusal> {
        self.try_on(elastic).map_err(|error| refusal(&NAMES, error))
    }

    fn try_on<E>(&self, elastic: E) -> Result<plastic::Snow<E>, BuildError> {
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
