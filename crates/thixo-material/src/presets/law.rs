//! The laws of presets, with their parameters by name.

use crate::Constitutive;
use crate::elastic::{FixedCorotated, NeoHookean};
use crate::fluid::{OldroydB, PressureLaw, WeaklyCompressible};
use crate::parameters as p;
use crate::parameters::Parameter;
use crate::parameters::ParameterError;
use crate::plastic::{
    DruckerPrager, FrictionHardening, HerschelBulkley, MultiplicativePlasticity, PlasticVolume,
    Snow, VonMises,
};

/// Moduli of an elastic law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elasticity {
    /// Young's modulus E \[Pa\].
    pub young_modulus: f64,
    /// Poisson's ratio ν \[–\].
    pub poisson_ratio: f64,
}

/// Parameters of snow on fixed corotated elasticity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SnowParameters {
    /// Moduli without plastic deformation.
    pub elasticity: Elasticity,
    /// Critical compression θ_c \[–\].
    pub critical_compression: f64,
    /// Critical stretch θ_s \[–\].
    pub critical_stretch: f64,
    /// Hardening ξ \[–\].
    pub hardening: f64,
    /// J_P of particles that enter \[–\].
    pub initial_plastic_volume: f64,
    /// Effect of plastic flow on the volume.
    pub plastic_volume: PlasticVolume,
}

/// Parameters of the volume-preserving Oldroyd-B fluid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OldroydParameters {
    /// Shear modulus μ \[Pa\].
    pub mu: f64,
    /// Lamé's λ \[Pa\].
    pub lambda: f64,
    /// Relaxation time Wi \[s\].
    pub relaxation_time: f64,
    /// Dynamic viscosity η \[Pa s\].
    pub viscosity: f64,
}

/// Parameters of a fluid with Tait's law of pressure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FluidParameters {
    /// Bulk modulus K \[Pa\].
    pub bulk_modulus: f64,
    /// Dynamic viscosity η \[Pa s\].
    pub viscosity: f64,
}

/// Parameters of sand whose friction angle is matched to triaxial compression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SandParameters {
    /// Moduli.
    pub elasticity: Elasticity,
    /// Friction angle \[°\].
    pub friction: FrictionHardening,
    /// Cohesion c_C \[Pa\].
    pub cohesion: f64,
}

/// Parameters of perfect plasticity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct YieldParameters {
    /// Moduli.
    pub elasticity: Elasticity,
    /// Yield stress in tension σ_Y \[Pa\].
    pub yield_stress: f64,
}

/// Parameters of a Herschel-Bulkley fluid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViscoplasticParameters {
    /// Moduli.
    pub elasticity: Elasticity,
    /// Yield stress in tension σ_Y \[Pa\].
    pub yield_stress: f64,
    /// Viscosity η \[Pa s^h\].
    pub viscosity: f64,
    /// Exponent h \[–\].
    pub exponent: f64,
}

/// Parameters of multiplicative plasticity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateParameters {
    /// Moduli.
    pub elasticity: Elasticity,
    /// Yield stress in tension σ_Y \[Pa\].
    pub yield_stress: f64,
    /// Rate at which stress above it relaxes \[1/s\].
    pub yield_rate: f64,
}

/// The law of a preset.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PresetLaw {
    /// Fixed corotated elasticity.
    FixedCorotated(Elasticity),
    /// Neo-Hookean elasticity.
    NeoHookean(Elasticity),
    /// Snow on fixed corotated elasticity.
    Snow(SnowParameters),
    /// Volume-preserving Oldroyd-B fluid.
    OldroydB(OldroydParameters),
    /// Weakly compressible fluid.
    Fluid(FluidParameters),
    /// Sand.
    DruckerPrager(SandParameters),
    /// Perfect plasticity.
    VonMises(YieldParameters),
    /// Viscoplastic matter.
    HerschelBulkley(ViscoplasticParameters),
    /// Plasticity at a finite rate.
    MultiplicativePlasticity(RateParameters),
}

impl SnowParameters {
    /// The law with these parameters.
    pub fn law(&self) -> Result<Snow<FixedCorotated>, ParameterError> {
        let Elasticity {
            young_modulus,
            poisson_ratio,
        } = self.elasticity;
        let elastic = FixedCorotated::from_young_poisson(young_modulus, poisson_ratio)?;
        let (compression, stretch) = (self.critical_compression, self.critical_stretch);
        Ok(Snow::new(elastic, compression, stretch, self.hardening)?
            .with_initial_plastic_volume(self.initial_plastic_volume)?
            .with_plastic_volume(self.plastic_volume))
    }
}

impl OldroydParameters {
    /// The law with these parameters.
    pub fn law(&self) -> Result<OldroydB, ParameterError> {
        OldroydB::new(self.mu, self.lambda, self.relaxation_time, self.viscosity)
    }
}

impl FluidParameters {
    /// The law with these parameters.
    pub fn law(&self) -> Result<WeaklyCompressible, ParameterError> {
        let exponent = p::TAIT_EXPONENT.default_value();
        WeaklyCompressible::new(
            self.bulk_modulus,
            self.viscosity,
            PressureLaw::Tait { exponent },
        )
    }
}

impl SandParameters {
    /// The law with these parameters.
    pub fn law(&self) -> Result<DruckerPrager, ParameterError> {
        let e = self.elasticity;
        DruckerPrager::new(e.young_modulus, e.poisson_ratio, self.friction)?
            .with_cohesion(self.cohesion)
    }
}

impl YieldParameters {
    /// The law with these parameters.
    pub fn law(&self) -> Result<VonMises, ParameterError> {
        let e = self.elasticity;
        VonMises::new(e.young_modulus, e.poisson_ratio, self.yield_stress)
    }
}

impl ViscoplasticParameters {
    /// The law with these parameters.
    pub fn law(&self) -> Result<HerschelBulkley, ParameterError> {
        HerschelBulkley::new(
            self.elasticity.young_modulus,
            self.elasticity.poisson_ratio,
            self.yield_stress,
            self.viscosity,
            self.exponent,
        )
    }
}

impl RateParameters {
    /// The law with these parameters.
    pub fn law(&self) -> Result<MultiplicativePlasticity, ParameterError> {
        let e = self.elasticity;
        let (yield_stress, yield_rate) = (self.yield_stress, self.yield_rate);
        MultiplicativePlasticity::new(e.young_modulus, e.poisson_ratio, yield_stress, yield_rate)
    }
}

impl PresetLaw {
    /// Name of the law, which is that of its model in scenes.
    pub fn name(&self) -> &'static str {
        match self {
            Self::FixedCorotated(_) => <FixedCorotated as Constitutive>::NAME,
            Self::NeoHookean(_) => <NeoHookean as Constitutive>::NAME,
            Self::Snow(_) => <Snow<FixedCorotated> as Constitutive>::NAME,
            Self::OldroydB(_) => <OldroydB as Constitutive>::NAME,
            Self::Fluid(_) => <WeaklyCompressible as Constitutive>::NAME,
            Self::DruckerPrager(_) => <DruckerPrager as Constitutive>::NAME,
            Self::VonMises(_) => <VonMises as Constitutive>::NAME,
            Self::HerschelBulkley(_) => <HerschelBulkley as Constitutive>::NAME,
            Self::MultiplicativePlasticity(_) => <MultiplicativePlasticity as Constitutive>::NAME,
        }
    }

    fn elasticity(&self) -> Option<Elasticity> {
        match self {
            Self::FixedCorotated(elasticity) | Self::NeoHookean(elasticity) => Some(*elasticity),
            Self::Snow(snow) => Some(snow.elasticity),
            Self::DruckerPrager(sand) => Some(sand.elasticity),
            Self::VonMises(metal) => Some(metal.elasticity),
            Self::HerschelBulkley(foam) => Some(foam.elasticity),
            Self::MultiplicativePlasticity(dough) => Some(dough.elasticity),
            Self::OldroydB(_) | Self::Fluid(_) => None,
        }
    }

    /// Its parameters with their values; those that have their defaults may be left out.
    pub fn parameters(&self) -> Vec<(&'static Parameter, f64)> {
        let mut list = Vec::new();
        if let Some(elasticity) = self.elasticity() {
            list.push((&p::YOUNG_MODULUS, elasticity.young_modulus));
            list.push((&p::POISSON_RATIO, elasticity.poisson_ratio));
        }
        match self {
            Self::FixedCorotated(_) | Self::NeoHookean(_) => {}
            Self::Snow(snow) => list.extend([
                (&p::CRITICAL_COMPRESSION, snow.critical_compression),
                (&p::CRITICAL_STRETCH, snow.critical_stretch),
                (&p::HARDENING, snow.hardening),
                (&p::INITIAL_PLASTIC_VOLUME, snow.initial_plastic_volume),
            ]),
            Self::OldroydB(fluid) => list.extend([
                (&p::MU, fluid.mu),
                (&p::LAMBDA, fluid.lambda),
                (&p::RELAXATION_TIME, fluid.relaxation_time),
                (&p::SOLVENT_VISCOSITY, fluid.viscosity),
            ]),
            Self::Fluid(fluid) => list.extend([
                (&p::BULK_MODULUS, fluid.bulk_modulus),
                (&p::VISCOSITY, fluid.viscosity),
            ]),
            Self::DruckerPrager(sand) => list.extend([
                (&p::H0, sand.friction.h0),
                (&p::H1, sand.friction.h1),
                (&p::H2, sand.friction.h2),
                (&p::H3, sand.friction.h3),
                (&p::COHESION, sand.cohesion),
            ]),
            Self::VonMises(metal) => list.push((&p::YIELD_STRESS, metal.yield_stress)),
            Self::HerschelBulkley(foam) => list.extend([
                (&p::YIELD_STRESS, foam.yield_stress),
                (&p::FLOW_VISCOSITY, foam.viscosity),
                (&p::FLOW_EXPONENT, foam.exponent),
            ]),
            Self::MultiplicativePlasticity(dough) => list.extend([
                (&p::YIELD_STRESS, dough.yield_stress),
                (&p::YIELD_RATE, dough.yield_rate),
            ]),
        }
        list
    }

    /// Its options that are not the default, as scenes write them: key and word.
    pub fn choices(&self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Snow(snow) if snow.plastic_volume == PlasticVolume::Preserved => {
                vec![("plastic_volume", "preserved")]
            }
            _ => Vec::new(),
        }
    }
}
