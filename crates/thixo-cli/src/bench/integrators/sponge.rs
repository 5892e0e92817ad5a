//! The shot sponge: what the preconditioner saves, and what an iteration costs.

use std::time::Instant;

use anyhow::Result;
use serde_json::{Value, json};
use thixo_scene::Built;

use super::integrator_run;

/// Frames in which preconditioners are compared: the ball arrives in the second.
const FRAMES: u32 = 6;
/// Grid spacing with about a million particles in the sponge \[m\].
const FINE: f64 = 0.025;
/// Steps that are measured; the ball arrives in the eighth or so.
const STEPS: u64 = 14;

/// Iterations without a preconditioner, with masses, and with masses and stiffness.
pub fn compare_preconditioners(print: impl Fn(&str)) -> Result<Value> {
    let count = |preconditioner: &str| -> Result<_> {
        let setting = format!(
            "physics.integrator={{ optimization = {{ preconditioner = \"{preconditioner}\", linear_iterations = 50000 }} }}"
        );
        let run = integrator_run::run(&integrator_run::scene("sponge-shot", &[setting])?, FRAMES)?;
        Ok((run.effort, run.seconds, run.failure))
    };
    print(&format!("\nsponge-shot, {FRAMES} frames:\n"));
    let mut rows = Vec::new();
    for preconditioner in ["none", "mass", "stiffness"] {
        let (effort, seconds, failure) = count(preconditioner)?;
        let per_newton = f64::from(effort.linear) / f64::from(effort.newton.max(1));
        print(&format!(
            "  preconditioner {preconditioner}: {} linear iterations in {} of Newton, {per_newton:.1} each, {seconds:.1} s\n",
            effort.linear, effort.newton,
        ));
        rows.push(json!({
            "preconditioner": preconditioner,
            "linear": effort.linear,
            "newton": effort.newton,
            "seconds": seconds,
            "failure": failure.map(|f| f.to_string()),
        }));
    }
    Ok(json!({ "scene": "sponge-shot", "frames": FRAMES, "runs": rows }))
}

/// Cost of an iteration of the linear solve, in passes of the staged explicit step over the same
/// particles.
pub fn measure_iteration(print: impl Fn(&str)) -> Result<Value> {
    // With weight gradients, explicit steps are made stage by stage.
    let step = |integrator: &str| -> Result<_> {
        let settings = [
            format!("grid.spacing={FINE}"),
            "physics.transfer=\"apic\"".to_owned(),
            format!("physics.integrator={integrator}"),
        ];
        let scene = integrator_run::scene("sponge-shot", &settings)?;
        let Built { mut simulation, .. } = scene.build::<f32, 3>(0)?;
        let dt = simulation.forecast()?.step;
        let begun = Instant::now();
        let report = simulation.run_steps(dt, STEPS)?;
        Ok((report, begun.elapsed().as_secs_f64(), simulation))
    };
    let (report, whole, simulation) = step("{ optimization = {} }")?;
    let (particles, bytes) = (simulation.len(), simulation.peak_bytes());
    let iterations = report.effort.linear;
    let iteration = report.seconds.linear / f64::from(iterations.max(1));
    drop(simulation);
    let (report, ..) = step("\"explicit\"")?;
    let passes = (report.seconds.particles + report.seconds.grid) / STEPS as f64;
    print(&format!(
        "{STEPS} steps of a sponge of {particles} particles: {whole:.2} s, {iterations} linear iterations, each {iteration:.4} s; a staged explicit step {passes:.4} s: {:.2} of it; {:.2} GiB\n",
        iteration / passes,
        bytes as f64 / f64::from(1 << 30)
    ));
    Ok(json!({
        "particles": particles,
        "steps": STEPS,
        "seconds": whole,
        "iterations": iterations,
        "seconds_per_iteration": iteration,
        "seconds_per_staged_step": passes,
        "bytes": bytes,
    }))
}
