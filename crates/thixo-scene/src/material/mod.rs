//! Materials of a scene: `[materials.NAME]` with `model = "…"` and the model's parameters, or
//! `preset = "…"` and what differs.

pub mod catalogue;
mod check;
mod elastic;
mod fluid;
pub(crate) mod per_particle;
mod plastic;
pub(crate) mod preset;
mod sand;
mod scene_material;
mod schema;
mod snow;
mod viscoelastic;

pub use elastic::{Elastic, ElasticLaw};
pub use fluid::{Fluid, Pressure, Tension};
pub use plastic::{HerschelBulkley, MultiplicativePlasticity, VonMises};
pub use sand::{DruckerPrager, FrictionHardening, FrictionMatch, VolumeCorrection};
pub use scene_material::SceneMaterial;
pub(crate) use scene_material::variable;
pub use snow::{PlasticVolume, Snow};
pub use viscoelastic::{OldroydB, OldroydForm};

use serde::{Deserialize, Serialize};
use thixo::BuildError;
use thixo::material::parameters::ParameterError;
use thixo::material::point::Specimen;
use thixo::material::{
    Constitutive, PerParticle, elastic as solids, fluid as fluids, plastic as plastics,
};

/// A material; the key `model` chooses which.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "snake_case")]
pub enum Material {
    /// `"neo_hookean"`: rubber, jelly.
    NeoHookean(Elastic),
    /// `"fixed_corotated"`: a solid whose forces stay finite at any compression.
    FixedCorotated(Elastic),
    /// `"split_corotated"`: the same, with shear that volume changes leave alone.
    SplitCorotated(Elastic),
    /// `"st_venant_kirchhoff"`: large turns, small strains.
    StVenantKirchhoff(Elastic),
    /// `"hencky"`: Hooke's law of the logarithmic strain.
    Hencky(Elastic),
    /// `"fluid"`: water, oil, honey.
    Fluid(Fluid),
    /// `"oldroyd_b"`: shaving foam, toothpaste, sponge.
    OldroydB(OldroydB),
    /// `"snow"`: it packs, hardens and breaks.
    Snow(Snow),
    /// `"drucker_prager"`: sand, soil.
    DruckerPrager(DruckerPrager),
    /// `"von_mises"`: metal, clay, plasticine.
    VonMises(VonMises),
    /// `"herschel_bulkley"`: foam, cream, paint, mud.
    HerschelBulkley(HerschelBulkley),
    /// `"multiplicative_plasticity"`: dough, wax, frozen yogurt.
    MultiplicativePlasticity(MultiplicativePlasticity),
}

/// The key that is refused, and why.
pub(crate) type Refusal = (&'static str, BuildError);

/// A key that contradicts another, or is missing.
pub(crate) enum Contradiction {
    /// A number that must not be there.
    Superfluous {
        key: &'static str,
        value: f64,
        range: &'static str,
    },
    /// A key that must be there.
    Missing { key: &'static str },
}

/// Suitability of a material for implicit steps that are much longer than explicit ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongSteps {
    /// Well.
    Served,
    /// It yields after a step, and not within: the longer steps are, the less it breaks.
    YieldsAfter,
    /// Its solves take more iterations the longer steps are, and all the time that was saved:
    /// grains that part and slide have no smooth energy.
    Laborious,
}

/// Targets that the laws of scenes turn into: materials of the engine, or specimens to be tested.
pub(crate) trait Law:
    From<solids::NeoHookean>
    + From<solids::FixedCorotated>
    + From<solids::SplitCorotated>
    + From<solids::StVenantKirchhoff>
    + From<solids::Hencky>
    + From<fluids::WeaklyCompressible>
    + From<fluids::OldroydB>
    + From<plastics::Snow<solids::NeoHookean>>
    + From<plastics::Snow<solids::FixedCorotated>>
    + From<plastics::Snow<solids::SplitCorotated>>
    + From<plastics::Snow<solids::StVenantKirchhoff>>
    + From<plastics::Snow<solids::Hencky>>
    + From<plastics::DruckerPrager>
    + From<plastics::VonMises>
    + From<plastics::HerschelBulkley>
    + From<plastics::MultiplicativePlasticity>
{
}

macro_rules! laws {
    ($($t:ident $d:literal),*) => {$(
        impl Law for Box<dyn thixo::Material<$t, $d>> {}
        impl Law for PerParticleLaw<Box<dyn thixo::Material<$t, $d>>> {}
    )*};
}

laws!(f32 2, f32 3, f64 2, f64 3);

impl<const D: usize> Law for Specimen<D> {}

/// The same material with parameters of each particle's own.
pub(crate) struct PerParticleLaw<M>(pub M);

/// The parameters of a law as the engine keeps them for each particle.
pub(crate) struct Parameters(pub Vec<f64>);

macro_rules! own {
    ($($law:ty),* $(,)?) => {$(
        impl From<$law> for Parameters {
            fn from(law: $law) -> Self {
                Self(law.parameters())
            }
        }
        impl<M: From<PerParticle<$law>>> From<$law> for PerParticleLaw<M> {
            fn from(law: $law) -> Self {
                Self(PerParticle(law).into())
            }
        }
    )*};
}

own!(
    solids::NeoHookean,
    solids::FixedCorotated,
    solids::SplitCorotated,
    solids::StVenantKirchhoff,
    solids::Hencky,
    fluids::WeaklyCompressible,
    fluids::OldroydB,
    plastics::Snow<solids::NeoHookean>,
    plastics::Snow<solids::FixedCorotated>,
    plastics::Snow<solids::SplitCorotated>,
    plastics::Snow<solids::StVenantKirchhoff>,
    plastics::Snow<solids::Hencky>,
    plastics::DruckerPrager,
    plastics::VonMises,
    plastics::HerschelBulkley,
    plastics::MultiplicativePlasticity,
);

impl Law for Parameters {}

impl Material {
    /// Reads the parameters of a model; none if there is no such model.
    pub(crate) fn read<'de, P>(model: &str, parameters: P) -> Option<Result<Self, P::Error>>
    where
        P: serde::Deserializer<'de>,
    {
        Some(match model {
            "neo_hookean" => Elastic::deserialize(parameters).map(Self::NeoHookean),
            "fixed_corotated" => Elastic::deserialize(parameters).map(Self::FixedCorotated),
            "split_corotated" => Elastic::deserialize(parameters).map(Self::SplitCorotated),
            "st_venant_kirchhoff" => Elastic::deserialize(parameters).map(Self::StVenantKirchhoff),
            "hencky" => Elastic::deserialize(parameters).map(Self::Hencky),
            "fluid" => Fluid::deserialize(parameters).map(Self::Fluid),
            "oldroyd_b" => OldroydB::deserialize(parameters).map(Self::OldroydB),
            "snow" => Snow::deserialize(parameters).map(Self::Snow),
            "drucker_prager" => DruckerPrager::deserialize(parameters).map(Self::DruckerPrager),
            "von_mises" => VonMises::deserialize(parameters).map(Self::VonMises),
            "herschel_bulkley" => {
                HerschelBulkley::deserialize(parameters).map(Self::HerschelBulkley)
            }
            "multiplicative_plasticity" => MultiplicativePlasticity::deserialize(parameters)
                .map(Self::MultiplicativePlasticity),
            _ => return None,
        })
    }

    /// Density at rest \[kg/m³\].
    pub fn density(&self) -> f64 {
        match self {
            Self::NeoHookean(solid)
            | Self::FixedCorotated(solid)
            | Self::SplitCorotated(solid)
            | Self::StVenantKirchhoff(solid)
            | Self::Hencky(solid) => solid.density,
            Self::Fluid(fluid) => fluid.density,
            Self::OldroydB(fluid) => fluid.density,
            Self::Snow(snow) => snow.density,
            Self::DruckerPrager(sand) => sand.density,
            Self::VonMises(metal) => metal.density,
            Self::HerschelBulkley(foam) => foam.density,
            Self::MultiplicativePlasticity(dough) => dough.density,
        }
    }

    /// Volume over volume at rest with which particles enter \[–\]: below 1 they are packed.
    pub fn initial_volume_ratio(&self) -> f64 {
        match self {
            Self::Snow(snow) => snow.initial_plastic_volume,
            _ => 1.0,
        }
    }

    /// Name of its model.
    pub fn model(&self) -> &'static str {
        match self {
            Self::NeoHookean(_) => "neo_hookean",
            Self::FixedCorotated(_) => "fixed_corotated",
            Self::SplitCorotated(_) => "split_corotated",
            Self::StVenantKirchhoff(_) => "st_venant_kirchhoff",
            Self::Hencky(_) => "hencky",
            Self::Fluid(_) => "fluid",
            Self::OldroydB(_) => "oldroyd_b",
            Self::Snow(_) => "snow",
            Self::DruckerPrager(_) => "drucker_prager",
            Self::VonMises(_) => "von_mises",
            Self::HerschelBulkley(_) => "herschel_bulkley",
            Self::MultiplicativePlasticity(_) => "multiplicative_plasticity",
        }
    }

    /// Its suitability for long implicit steps that solve for velocities.
    pub fn in_long_steps(&self) -> LongSteps {
        match self {
            Self::Snow(_) => LongSteps::YieldsAfter,
            Self::DruckerPrager(_) => LongSteps::Laborious,
            _ => LongSteps::Served,
        }
    }

    /// All numbers with their keys.
    pub fn numbers(&self) -> Vec<(&'static str, f64)> {
        let mut copy = self.clone();
        let numbers = copy.numbers_mut().into_iter();
        numbers.map(|(key, number)| (key, *number)).collect()
    }

    /// All numbers with their keys, to be changed.
    pub(crate) fn numbers_mut(&mut self) -> Vec<(&'static str, &mut f64)> {
        match self {
            Self::NeoHookean(solid)
            | Self::FixedCorotated(solid)
            | Self::SplitCorotated(solid)
            | Self::StVenantKirchhoff(solid)
            | Self::Hencky(solid) => solid.numbers_mut(),
            Self::Fluid(fluid) => fluid.numbers_mut(),
            Self::OldroydB(fluid) => fluid.numbers_mut(),
            Self::Snow(snow) => snow.numbers_mut(),
            Self::DruckerPrager(sand) => sand.numbers_mut(),
            Self::VonMises(metal) => metal.numbers_mut(),
            Self::HerschelBulkley(foam) => foam.numbers_mut(),
            Self::MultiplicativePlasticity(dough) => dough.numbers_mut(),
        }
    }

    /// One point of it, to be tested in D dimensions, 2 or 3.
    pub fn specimen<const D: usize>(&self) -> Result<Specimen<D>, BuildError> {
        self.law(D).map_err(|(_, error)| error)
    }

    /// The engine's model in 2 or 3 dimensions, or the key that is refused and why.
    pub(crate) fn law<L: Law>(&self, dimension: usize) -> Result<L, Refusal> {
        self.try_law(dimension)
            .map_err(|error| (self.key_of(&error), error.into()))
    }

    fn try_law<L: Law>(&self, dimension: usize) -> Result<L, ParameterError> {
        Ok(match self {
            Self::NeoHookean(solid) => solid.neo_hookean()?.into(),
            Self::FixedCorotated(solid) => solid.fixed_corotated()?.into(),
            Self::SplitCorotated(solid) => solid.split_corotated(dimension)?.into(),
            Self::StVenantKirchhoff(solid) => solid.st_venant_kirchhoff()?.into(),
            Self::Hencky(solid) => solid.hencky()?.into(),
            Self::Fluid(fluid) => fluid.law()?.into(),
            Self::OldroydB(fluid) => fluid.law()?.into(),
            Self::Snow(snow) => snow.law(dimension)?,
            Self::DruckerPrager(sand) => sand.law()?.into(),
            Self::VonMises(metal) => metal.law()?.into(),
            Self::HerschelBulkley(foam) => foam.law()?.into(),
            Self::MultiplicativePlasticity(dough) => dough.law()?.into(),
        })
    }

    /// The first key that does not go with the others.
    pub(crate) fn contradiction(&self) -> Option<Contradiction> {
        match self {
            Self::Fluid(fluid) => fluid.contradiction(),
            Self::DruckerPrager(sand) => sand.contradiction(),
            _ => None,
        }
    }

    pub(crate) fn write_out_defaults(&mut self) {
        if let Self::Fluid(fluid) = self {
            fluid.write_out_defaults();
        }
    }
}
