//! Viscoelastic fluids of a scene: `model = "oldroyd_b"`.

use serde::{Deserialize, Serialize};
use thixo::material::fluid;
use thixo::material::parameters::ParameterError;
use thixo::material::parameters::SOLVENT_VISCOSITY;

/// Parameters of `model = "oldroyd_b"`: elastic at first, fluid in the long run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OldroydB {
    /// Density at rest \[kg/m³\], above 0. Required.
    pub density: f64,
    /// Shear modulus of the quick response \[Pa\], above 0. Required.
    pub mu: f64,
    /// Lamé's λ, stiffness against change of volume \[Pa\], above 0. Required.
    pub lambda: f64,
    /// Relaxation time, for which it remembers its shape \[s\], above 0; `inf` for ever. Required.
    pub relaxation_time: f64,
    /// Dynamic viscosity of the part that remembers nothing \[Pa s\], zero or positive. Default: 0.
    #[serde(default = "OldroydB::default_viscosity")]
    pub viscosity: f64,
    /// Strain that bears load. Default: `"volume_preserving"`.
    #[serde(default)]
    pub form: OldroydForm,
}

/// The strain of a viscoelastic fluid that bears load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OldroydForm {
    /// Only the shape is forgotten.
    #[default]
    VolumePreserving,
    /// Oldroyd's own, in which volume is forgotten as well.
    Plain,
}

impl OldroydB {
    fn default_viscosity() -> f64 {
        SOLVENT_VISCOSITY.default_value()
    }
    pub(super) fn numbers_mut(&mut self) -> Vec<(&'static str, &mut f64)> {
        vec![
            ("density", &mut self.density),
            ("mu", &mut self.mu),
            ("lambda", &mut self.lambda),
            ("relaxation_time", &mut self.relaxation_time),
            ("viscosity", &mut self.viscosity),
        ]
    }
    /// The engine's model.
    pub(super) fn law(&self) -> Result<fluid::OldroydB, ParameterError> {
        let form = match self.form {
            OldroydForm::VolumePreserving => fluid::OldroydForm::VolumePreserving,
            OldroydForm::Plain => fluid::OldroydForm::Plain,
        };
        let fluid =
            fluid::OldroydB::new(self.mu, self.lambda, self.relaxation_time, self.viscosity)?;
        Ok(fluid.with_form(form))
    }
}
