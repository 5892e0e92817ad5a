//! Elastic solids.
//!
//! All but the neo-Hookean one are written as functions of the stretches and share their
//! [`Model`](super::Model).

/// Implements, for a law of μ and λ, the traits of a material and of the elastic part
/// of a plastic one; a law that resists volume apart adds how.
macro_rules! isotropic {
    ($law:ident, $name:literal $(, { $($split:tt)* })?) => {
        impl $crate::principal::Isotropic for $law {
            type Law<R: ::thixo_math::Real> = $law<R>;
            const NAME: &'static str = $name;
            const PARAMETERS: &'static [&'static str] = &["mu", "lambda"];

            fn parameters(&self) -> Vec<f64> {
                vec![self.mu, self.lambda]
            }
            #[inline(always)]
            fn law<R: ::thixo_math::Real>(
                &self,
                parameters: &[R; $crate::MAX_PARAMETERS],
            ) -> $law<R> {
                let [mu, lambda, ..] = *parameters;
                $law { mu, lambda }
            }
        }

        impl $crate::Constitutive for $law {
            type Model<R: ::thixo_math::Real> = $law<R>;
            type Potential = $crate::potential::IsotropicPotential<$law>;
            const NAME: &'static str = $name;
            const PARAMETERS: &'static [&'static str] =
                <$law as $crate::principal::Isotropic>::PARAMETERS;

            fn parameters(&self) -> Vec<f64> {
                $crate::principal::Isotropic::parameters(self)
            }
            #[inline(always)]
            fn model<R: ::thixo_math::Real>(
                &self,
                parameters: &[R; $crate::MAX_PARAMETERS],
            ) -> $law<R> {
                $crate::principal::Isotropic::law(self, parameters)
            }
            fn potential(&self) -> Self::Potential {
                $crate::potential::IsotropicPotential(*self)
            }
            $($($split)*)?
        }
    };
}

/// A law of the stretches as a model of strain and rotation.
macro_rules! model_of_stretches {
    ($law:ident) => {
        impl<R: ::thixo_math::Real> $crate::Model<R> for $law<R> {
            type State<const D: usize> = $crate::StrainAndRotation<R, D>;

            #[inline(always)]
            fn energy_density<const D: usize>(&self, state: &Self::State<D>) -> Option<R> {
                let principal = $crate::principal::Principal::of_finger_strain(&state.strain.0);
                let strains = &principal.strains;
                Some($crate::principal::PrincipalLaw::energy(self, strains))
            }
            #[inline(always)]
            fn kirchhoff_stress<const D: usize>(
                &self,
                state: &Self::State<D>,
                _velocity_gradient: &::thixo_math::Matrix<R, D>,
            ) -> ::thixo_math::Matrix<R, D> {
                let principal = $crate::principal::Principal::of_finger_strain(&state.strain.0);
                principal.compose(&$crate::principal::PrincipalLaw::kirchhoff(
                    self,
                    &principal.strains,
                ))
            }
            #[inline(always)]
            fn stiffness<const D: usize>(&self, state: &Self::State<D>) -> R {
                $crate::elastic::stiffness_at(self, &state.strain.0)
            }
            #[inline(always)]
            fn reference<const D: usize>(
                &self,
                state: &Self::State<D>,
                _dt: R,
            ) -> $crate::potential::Reference<R, D> {
                $crate::potential::Reference::new(state.strain.0, [self.mu, self.lambda])
            }
        }
    };
}

pub(crate) mod fixed_corotated;
pub(crate) mod hencky;
pub(crate) mod neo_hookean;
pub(crate) mod split_corotated;
pub(crate) mod st_venant_kirchhoff;

pub use fixed_corotated::FixedCorotated;
pub use hencky::Hencky;
pub(crate) use hencky::log_quotient;
pub use neo_hookean::NeoHookean;
pub use split_corotated::SplitCorotated;
pub use st_venant_kirchhoff::StVenantKirchhoff;

use thixo_math::{Matrix, Real};

use super::parameters::{POISSON_RATIO, YOUNG_MODULUS};
use super::principal::{PrincipalLaw, StretchBounds};
use crate::description::{Key, Values};
use crate::parameters::ParameterError;

/// Keys of a solid that is described by its moduli alone.
pub(crate) const MODULI: &[Key] = &[Key::Number(&YOUNG_MODULUS), Key::Number(&POISSON_RATIO)];

/// Young's modulus \[Pa\] and Poisson's ratio \[–\].
pub(crate) fn moduli(values: &Values) -> (f64, f64) {
    (values.number(&YOUNG_MODULUS), values.number(&POISSON_RATIO))
}

/// Lamé's μ and λ \[Pa\] from Young's modulus E > 0 \[Pa\] and Poisson's ratio −1 < ν < ½:
/// μ = E/(2(1+ν)), λ = Eν/((1+ν)(1−2ν)).
pub fn lame(young_modulus: f64, poisson_ratio: f64) -> Result<(f64, f64), ParameterError> {
    YOUNG_MODULUS.check(young_modulus)?;
    POISSON_RATIO.check(poisson_ratio)?;
    let mu = young_modulus / (2.0 * (1.0 + poisson_ratio));
    let lambda =
        young_modulus * poisson_ratio / ((1.0 + poisson_ratio) * (1.0 - 2.0 * poisson_ratio));
    Ok((mu, lambda))
}

/// Lamé's parameters if they make a stable solid or, with μ = 0, a fluid: μ ≥ 0 and λ + 2μ/3 > 0,
/// both finite.
pub fn checked_lame(mu: f64, lambda: f64) -> Result<(f64, f64), ParameterError> {
    if !(mu >= 0.0 && mu.is_finite()) {
        return Err(ParameterError {
            key: "mu",
            quantity: "shear modulus mu [Pa]",
            value: mu,
            range: "zero or positive, and finite",
        });
    }
    if !(lambda > -2.0 / 3.0 * mu && lambda.is_finite()) {
        return Err(ParameterError {
            key: "lambda",
            quantity: "Lamé's lambda [Pa]",
            value: lambda,
            range: "above -2/3 of the shear modulus, and finite",
        });
    }
    Ok((mu, lambda))
}

/// The stiffness of a law of the stretches at a Finger strain h, without a decomposition.
#[inline(always)]
fn stiffness_at<R: Real, const D: usize, L: PrincipalLaw<R>>(law: &L, h: &Matrix<R, D>) -> R {
    law.stiffness_within::<D>(&StretchBounds::of_finger_strain(h))
}

/// The part of the stiffness due to ψ_λ = λ/2 (J − 1)².
///
/// d²ψ_λ = λJ(2J−1)(tr G)² − λJ(J−1) tr G², between −|λJ(J−1)| and the larger of |λJ(J−1)|
/// and λ(dJ(2J−1) − J(J−1)).
#[inline(always)]
fn dilational_stiffness<R: Real, const D: usize>(lambda: R, volume_ratio: R) -> R {
    let (j, one) = (volume_ratio, R::one());
    let push = lambda * j * (j - one);
    let along = R::splat(D as f64) * lambda * j * (j + j - one) - push;
    along.max(push.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Constitutive, conformance};

    #[test]
    fn lame_parameters_outside_their_range_are_refused() {
        for (mu, lambda) in [
            (-1.0, 1.0),
            (f64::NAN, 1.0),
            (f64::INFINITY, 1.0),
            (3.0, -2.0),
            (0.0, 0.0),
            (1.0, f64::NAN),
        ] {
            assert!(checked_lame(mu, lambda).is_err(), "{mu} {lambda}");
        }
        assert_eq!(checked_lame(0.0, 2.0), Ok((0.0, 2.0)));
    }

    /// Long steps need tight bounds.
    #[test]
    fn the_stiffness_is_not_far_above_what_it_bounds() {
        fn check<C: Constitutive>(law: C, most: f64) {
            for margin in conformance::check_stiffness(&law) {
                assert!(margin.least < 1.01, "{}: {margin:?}", C::NAME);
                assert!(margin.most < most, "{}: {margin:?}", C::NAME);
            }
        }
        check(FixedCorotated::from_lame(3.0, 5.0).unwrap(), 1.3);
        check(NeoHookean::from_lame(3.0, 5.0).unwrap(), 1.5);
        check(Hencky::from_lame(3.0, 5.0).unwrap(), 1.5);
        check(SplitCorotated::new(3.0, 7.0).unwrap(), 3.0);
        // The law softens under strong compression, the bound does not.
        check(StVenantKirchhoff::from_lame(3.0, 5.0).unwrap(), 4.5);
    }
}
