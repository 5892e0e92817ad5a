//! Elastic solids of a scene: `model = "neo_hookean"` and its relatives, which have the same
//! parameters.

use serde::{Deserialize, Serialize};
use thixo::material::elastic;
use thixo::material::parameters::ParameterError;

/// Parameters of the elastic models `"neo_hookean"`, `"fixed_corotated"`, `"split_corotated"`,
/// `"st_venant_kirchhoff"` and `"hencky"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Elastic {
    /// Density at rest \[kg/m³\], above 0. Required.
    pub density: f64,
    /// Young's modulus \[Pa\], above 0. Required.
    pub young_modulus: f64,
    /// Poisson's ratio \[–\], above -1 and below 0.5. Required.
    pub poisson_ratio: f64,
}

/// The elastic law within a plastic one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ElasticLaw {
    /// It keeps its strength whatever happens.
    #[default]
    FixedCorotated,
    /// Shear that volume changes leave alone.
    SplitCorotated,
    /// Rubber.
    NeoHookean,
    /// Large turns, small strains.
    StVenantKirchhoff,
    /// Hooke's law of the logarithmic strain.
    Hencky,
}

impl Elastic {
    pub(super) fn numbers_mut(&mut self) -> Vec<(&'static str, &mut f64)> {
        vec![
            ("density", &mut self.density),
            ("young_modulus", &mut self.young_modulus),
            ("poisson_ratio", &mut self.poisson_ratio),
        ]
    }
    pub(super) fn neo_hookean(&self) -> Result<elastic::NeoHookean, ParameterError> {
        elastic::NeoHookean::from_young_poisson(self.young_modulus, self.poisson_ratio)
    }
    pub(super) fn fixed_corotated(&self) -> Result<elastic::FixedCorotated, ParameterError> {
        elastic::FixedCorotated::from_young_poisson(self.young_modulus, self.poisson_ratio)
    }
    pub(super) fn split_corotated(
        &self,
        dimension: usize,
    ) -> Result<elastic::SplitCorotated, ParameterError> {
        let (young, poisson) = (self.young_modulus, self.poisson_ratio);
        elastic::SplitCorotated::from_young_poisson(young, poisson, dimension)
    }
    pub(super) fn st_venant_kirchhoff(&self) -> Result<elastic::StVenantKirchhoff, ParameterError> {
        elastic::StVenantKirchhoff::from_young_poisson(self.young_modulus, self.poisson_ratio)
    }
    pub(super) fn hencky(&self) -> Result<elastic::Hencky, ParameterError> {
        elastic::Hencky::from_young_poisson(self.young_modulus, self.poisson_ratio)
    }
}
