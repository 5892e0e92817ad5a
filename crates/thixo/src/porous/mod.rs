//! Porous mixtures: phases that share space, each with a velocity of its own, coupled at the nodes.
//! \[Nilles2020\] §6.1.3, §12; \[Tampubolon2017\]; errata E18–E20, E33.
//!
//! Every phase is a body of matter on a grid of its own: its masses, momenta and forces are summed
//! over its own particles. Phases meet at the nodes, by drag (`drag`, `relaxation`) and by the
//! pressure of the fluid, which pores divide between fluid and solid (`pore_pressure`). One phase
//! may hold many materials, which then collide with each other as on one grid.

mod drag;
mod interaction;
mod momentum_exchange;
mod phase;
mod pore_pressure;
mod relaxation;
mod volume_fraction;

pub use drag::Drag;
pub use interaction::{Interaction, WetMatter};
pub use phase::{Constituent, Coupling, Mixture, Motion, Phase};
pub use pore_pressure::PorePressure;
pub use relaxation::Relaxation;
pub use volume_fraction::{Wetness, WetnessColumn};

pub(crate) use drag::LEAST_POROSITY;
pub(crate) use interaction::ParameterColumns;
pub(crate) use momentum_exchange::{NodeVolumes, exchange_momentum};
pub(crate) use phase::CheckedMixture;
pub(crate) use volume_fraction::{fill_shares, solid_flux, solid_share, stiffening, wetness};
