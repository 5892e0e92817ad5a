//! Time integration: the explicit step, its fused form, implicit steps, the time step and the rule of acceptance.

mod advance;
mod explicit;
mod forecast;
mod fused;
pub mod implicit;
mod repeat;
mod snapshot;
pub(crate) mod stage;
mod stopwatch;
pub mod timestep;

pub use advance::FrameReport;
pub(crate) use advance::{advance, prepare, run_steps, stress_of_newcomers};
pub(crate) use forecast::forecast;
pub use forecast::{Forecast, MaterialForecast};
pub use implicit::Integrator;
pub use stopwatch::StageSeconds;
