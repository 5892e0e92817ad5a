//! Matter that yields: snow, sand, metal, foam, dough.
//!
//! The state of all these laws holds the elastic Finger strain h = b − I, and they take their
//! stress from it: snow by any elastic law of the stretches, the others from the Hencky strain
//! ε = ½ ln(I + h) ([`HenckyModuli`]). A step advances h as if it were elastic, and the return map
//! brings the strain back to what the yield condition allows.

pub(crate) mod drucker_prager;
mod flow_energy;
mod flow_rule;
mod hencky_strain;
pub(crate) mod herschel_bulkley;
pub(crate) mod multiplicative_plasticity;
pub(crate) mod snow;
pub(crate) mod von_mises;

pub use drucker_prager::{DruckerPrager, FrictionHardening, FrictionMatch, VolumeCorrection};
pub use hencky_strain::HenckyModuli;
pub use herschel_bulkley::HerschelBulkley;
pub use multiplicative_plasticity::MultiplicativePlasticity;
pub use snow::{PlasticVolume, Snow};
pub use von_mises::VonMises;
