//! Materials of the benchmark's bodies: one law of every family, with the moduli of the scene.

use anyhow::Result;
use clap::ValueEnum;
use thixo::material::elastic::{FixedCorotated, Hencky, NeoHookean, lame};
use thixo::material::fluid::{OldroydB, PressureLaw, WeaklyCompressible};
use thixo::material::plastic::{DruckerPrager, FrictionHardening, HerschelBulkley, Snow, VonMises};
use thixo::{Instance, Material};

/// Density of all matter \[kg/m³\].
pub const DENSITY: f64 = 1.0;
const YOUNG_MODULUS: f64 = 1000.0;
const POISSON_RATIO: f64 = 0.2;
const YIELD_STRESS: f64 = 20.0;

/// A law to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Matter {
    /// Rubber: neo-Hookean elasticity.
    NeoHookean,
    /// Jelly: fixed corotated elasticity.
    FixedCorotated,
    /// Elasticity in the logarithmic strain.
    Hencky,
    /// Water by the Tait equation, γ = 7.
    Fluid,
    /// Water whose pressure is linear in the volume.
    LinearFluid,
    /// Oldroyd-B viscoelastic fluid.
    OldroydB,
    /// Snow: fixed corotated elasticity with yield and hardening.
    Snow,
    /// Sand: Drucker-Prager, friction angle 35°, with volume correction.
    Sand,
    /// Von Mises plasticity.
    VonMises,
    /// Herschel-Bulkley viscoplasticity.
    HerschelBulkley,
}

/// Speed of P-waves in the elastic matter at rest \[m/s\].
pub fn wave_speed() -> Result<f64> {
    let (mu, lambda) = lame(YOUNG_MODULUS, POISSON_RATIO)?;
    Ok(((lambda + 2.0 * mu) / DENSITY).sqrt())
}

/// A precision and dimension in which every law is a material.
pub trait Measured<const D: usize>: Instance<D> {
    /// The material of a law.
    fn material(matter: Matter) -> Result<Box<dyn Material<Self, D>>>;
}

macro_rules! measured {
    ($($t:ident $d:literal),*) => {$(
        impl Measured<$d> for $t {
            fn material(matter: Matter) -> Result<Box<dyn Material<$t, $d>>> {
                let (e, nu) = (YOUNG_MODULUS, POISSON_RATIO);
                let (mu, lambda) = lame(e, nu)?;
                let bulk = lambda + 2.0 / 3.0 * mu;
                let tait = PressureLaw::Tait { exponent: 7.0 };
                Ok(match matter {
                    Matter::NeoHookean => NeoHookean::from_young_poisson(e, nu)?.into(),
                    Matter::FixedCorotated => FixedCorotated::from_young_poisson(e, nu)?.into(),
                    Matter::Hencky => Hencky::from_young_poisson(e, nu)?.into(),
                    Matter::Fluid => WeaklyCompressible::new(bulk, 0.0, tait)?.into(),
                    Matter::LinearFluid => {
                        WeaklyCompressible::new(bulk, 0.0, PressureLaw::Linear)?.into()
                    }
                    Matter::OldroydB => OldroydB::new(mu, lambda, 0.1, 0.0)?.into(),
                    Matter::Snow => {
                        let elastic = FixedCorotated::from_young_poisson(e, nu)?;
                        let snow = Snow::new(elastic, 2.5e-2, 4.5e-3, 10.0)?;
                        snow.with_hardening_range(0.1, 5.0)?.into()
                    }
                    Matter::Sand => {
                        DruckerPrager::new(e, nu, FrictionHardening::constant(35.0))?.into()
                    }
                    Matter::VonMises => VonMises::new(e, nu, YIELD_STRESS)?.into(),
                    Matter::HerschelBulkley => {
                        HerschelBulkley::new(e, nu, YIELD_STRESS, 1.0, 0.5)?.into()
                    }
                })
            }
        }
    )*};
}

measured!(f32 2, f32 3, f64 2, f64 3);
