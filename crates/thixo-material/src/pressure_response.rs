//! Resistance to changes of volume, apart from that to changes of shape.
//!
//! A law whose energy is a sum of one for shape and one for volume, ψ = ψ_μ(J^{−1/d} F) + ψ_λ(J),
//! has a deviatoric stress and a pressure p(J) that know nothing of each other. A projection leaves
//! the pressure to a solve on the grid, whatever its stiffness, and takes the deviatoric stress
//! from the law with a volume that resists nothing. \[Jiang2015thesis\] eq. (6.7)–(6.12); errata
//! E39.
//!
//! In a step the pressure follows the divergence, p^{n+1} = p(J^n) − κ Δt ∇·v with κ = −J dp/dJ.
//! Divided by κ that is also right for κ → ∞: J^{n+1} is then 1.

use thixo_math::Real;

/// Items of [`Constitutive`](crate::Constitutive) for matter that is linear in the Hencky strain
/// and whose first parameters are μ and λ: K = λ + 2μ/d.
macro_rules! logarithmic_volume {
    () => {
        const HAS_SPLIT: bool = true;

        #[inline(always)]
        fn deviatoric<R: ::thixo_math::Real, const D: usize>(
            &self,
            mut parameters: [R; $crate::MAX_PARAMETERS],
        ) -> [R; $crate::MAX_PARAMETERS] {
            parameters[1] = parameters[0] * R::splat(-2.0 / D as f64);
            parameters
        }
        #[inline(always)]
        fn pressure_response<R: ::thixo_math::Real, const D: usize>(
            &self,
            parameters: &[R; $crate::MAX_PARAMETERS],
            growth: R,
        ) -> $crate::PressureResponse<R> {
            let [mu, lambda, ..] = *parameters;
            let bulk_modulus = mu.mul_add(R::splat(2.0 / D as f64), lambda);
            $crate::PressureResponse::logarithmic(bulk_modulus, growth)
        }
    };
}

/// Response of the pressure to changes of volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PressureResponse<R> {
    /// 1/κ \[1/Pa\]; zero for incompressible matter.
    pub compliance: R,
    /// p/κ \[–\]: about 1 − J, positive where the matter is compressed.
    pub compression: R,
}

impl<R: Real> PressureResponse<R> {
    /// p = −λ (J − 1) at J − 1, with κ = λJ.
    #[inline(always)]
    pub fn linear(lambda: R, growth: R) -> Self {
        let ratio = R::one() + growth;
        Self {
            compliance: R::one() / (lambda * ratio),
            compression: -(growth / ratio),
        }
    }
    /// p = −K ln J/J at J − 1 of matter that is linear in the Hencky strain, with κ = K/J: the
    /// factor 1/J is taken from the beginning of the step, so that κ stays positive however far the
    /// matter is stretched.
    #[inline(always)]
    pub fn logarithmic(bulk_modulus: R, growth: R) -> Self {
        Self {
            compliance: (R::one() + growth) / bulk_modulus,
            compression: -growth.ln_1p(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// p of a response at J, which must be that of the law.
    fn pressure(response: PressureResponse<f64>) -> f64 {
        response.compression / response.compliance
    }

    #[test]
    fn pressures_are_those_of_the_laws() {
        for growth in [-0.3, -1e-3, 0.0, 1e-3, 0.5] {
            let ratio = 1.0 + growth;
            let linear = PressureResponse::linear(5.0, growth);
            assert!((pressure(linear) + 5.0 * growth).abs() < 1e-14);
            let logarithmic = PressureResponse::logarithmic(5.0, growth);
            assert!((pressure(logarithmic) + 5.0 * ratio.ln() / ratio).abs() < 1e-14);
        }
    }

    #[test]
    fn incompressible_matter_returns_to_its_volume() {
        let response = PressureResponse::linear(f64::INFINITY, 0.25);
        assert_eq!(response.compliance, 0.0);
        // Δt ∇·v = p/κ takes J = 1.25 to 1 by J (1 + Δt ∇·v).
        assert!((1.25 * (1.0 + response.compression) - 1.0).abs() < 1e-15);
    }
}
