//! Elastic solids.

mod neo_hookean;

pub use neo_hookean::NeoHookean;

use crate::error::BuildError;

/// Lamé's μ and λ [Pa] from Young's modulus E > 0 [Pa] and Poisson's ratio −1 < ν < ½:
/// μ = E/(2(1+ν)), λ = Eν/((1+ν)(1−2ν)).
pub fn lame(young_modulus: f64, poisson_ratio: f64) -> Result<(f64, f64), BuildError> {
    if !(young_modulus > 0.0 && young_modulus.is_finite()) {
        return Err(BuildError::NotPositive {
            quantity: "Young's modulus [Pa]",
            value: young_modulus,
        });
    }
    if !(poisson_ratio > -1.0 && poisson_ratio < 0.5) {
        return Err(BuildError::OutOfRange {
            quantity: "Poisson's ratio",
            value: poisson_ratio,
            range: "above -1 and below 0.5",
        });
    }
    let mu = young_modulus / (2.0 * (1.0 + poisson_ratio));
    let lambda =
        young_modulus * poisson_ratio / ((1.0 + poisson_ratio) * (1.0 - 2.0 * poisson_ratio));
    Ok((mu, lambda))
}
