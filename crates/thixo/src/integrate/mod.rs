//! Time integration: the explicit step, its fused form, implicit steps, frames of them and the rule
//! of acceptance.

mod diagnose;
mod explicit;
mod forecast;
mod frame;
mod fused;
mod grid_update;
mod heat;
pub mod implicit;
mod mixture;
mod prepare;
mod projection;
mod report;
mod schedule;
mod setup;
mod snapshot;
mod step_retry;
mod stopwatch;

pub(crate) use forecast::forecast;
pub use forecast::{Forecast, MaterialForecast, MeshForecast};
pub(crate) use frame::{advance, run_steps};
pub use implicit::Integrator;
pub(crate) use prepare::prepare;
pub use report::FrameReport;
pub(crate) use setup::CheckedSetup;
pub use setup::{Path, Setup};
pub use stopwatch::StageSeconds;
