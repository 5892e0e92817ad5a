//! Heat: conduction, latent heat, melting and freezing, beside every integrator.
//! \[Jiang2015thesis\] §6.2–6.4, errata E21, E24–E26, E38–E40.
//!
//! Particles carry temperature, stored latent heat and phase; conduction is solved on the centres
//! of cells, in steps of its own length. The matter moves as ever in between: what heat changes is
//! the parameters and the strain of particles that melt or freeze.
//!
//! | concept | file |
//! |---|---|
//! | setup | `setup.rs` |
//! | capacities, conductivities, melting | `thermal.rs` |
//! | enthalpy, latent heat, hysteresis | `enthalpy.rs` |
//! | what surfaces exchange | `exchange.rs` |
//! | matter on cells | `cells.rs` |
//! | surfaces of cells | `boundary.rs` |
//! | conduction | `conduction.rs` |
//! | heat of particles, mechanics of phases | `phase_change.rs` |
//! | thermal columns | `columns.rs` |
//! | the step and when it is due | `step.rs` |
//! | the budget | `budget.rs` |

mod boundary;
mod budget;
mod cells;
mod columns;
mod conduction;
mod enthalpy;
mod exchange;
mod phase_change;
mod setup;
mod step;
mod thermal;

pub(crate) use budget::budget;
pub use budget::{HeatBudget, Received};
pub(crate) use columns::{HeatColumns, row_of};
pub(crate) use exchange::check_kelvin;
pub use exchange::{HeatExchange, PlaceAndTime, STEFAN_BOLTZMANN, ThermalContact};
pub use setup::Heat;
pub(crate) use step::{HeatState, conduct_heat};
pub use thermal::{Melting, Phase, PhaseParameters, PhaseProperties, Thermal};
