//! `thixo bench --integrators`: explicit and implicit steps on the same scenes, in one run.
//!
//! Snowballs after \[Jiang2015thesis\] table 2.1: optimisation at steps as long as matter may move,
//! semi-implicit steps as long as they are stable, found by bisection, and explicit ones. A shot
//! sponge and a snowball: what the preconditioner saves. One large sponge: what an iteration costs,
//! in passes of the staged explicit step. A column of sand by X-PBD with more and more sweeps: how
//! far it runs.

mod integrator_run;
mod sand;
mod snowballs;
mod sponge;

use anyhow::Result;
use serde_json::json;

/// Runs all comparisons and prints them.
pub fn run(as_json: bool) -> Result<()> {
    let print = |text: &str| {
        if !as_json {
            print!("{text}");
        }
    };
    let snowballs = snowballs::compare(print)?;
    let preconditioner = sponge::compare_preconditioners(print)?;
    let iteration = sponge::measure_iteration(print)?;
    let sand = sand::compare(print)?;
    if as_json {
        let all = json!({
            "snowballs": snowballs,
            "preconditioner": preconditioner,
            "iteration": iteration,
            "sand": sand,
        });
        println!("{all:#}");
    }
    Ok(())
}
