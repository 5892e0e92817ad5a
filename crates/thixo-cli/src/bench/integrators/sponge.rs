//! The shot sponge: what the preconditioner saves, and what an iteration costs.

use std::time::Instant;

use anyhow::Result;
use serde_json::{Value, json};
use thixo_scene::Built;

use super::course;

/// Frames of the shot sponge that are compared.
const FRAMES: u32 = 20;
/// Grid spacing with about a million particles in the sponge \[m\].
const FINE: f64 = 0.0263;
/// Explicit steps that are measured.
const STEPS: u64 = 5;

/// Iterations with and without stiffness in the preconditioner.
pub fn compare_preconditioners(say: impl Fn(&str)) -> Result<Value> {
    let count = |preconditioner: &str| -> Result<_> {
        let setting = format!(
            "physics.integrator={{ optimization = {{ preconditioner = \"{preconditioner}\", linear_iterations = 5000 }} }}"
        );
        let course = course::run(&course::scene("sponge-shot", &[setting])?, FRAMES)?;
        Ok((course.effort, course.seconds, course.failure))
    };
    let (mass, mass_seconds, mass_failure) = count("mass")?;
    let (stiffness, seconds, failure) = count("stiffness")?;
    let saved = f64::from(mass.linear) / f64::from(stiffness.linear.max(1));
    say(&format!(
        "\nshot sponge, {FRAMES} frames: {} linear iterations ({} Newton, {mass_seconds:.1} s) by masses, {} ({} Newton, {seconds:.1} s) by masses and stiffnesses: {saved:.1} times fewer\n",
        mass.linear, mass.newton, stiffness.linear, stiffness.newton
    ));
    let failures = [mass_failure, failure].map(|f| f.map(|f| f.to_string()));
    Ok(json!({
        "frames": FRAMES,
        "by_mass": mass.linear,
        "by_stiffness": stiffness.linear,
        "ratio": saved,
        "failures": failures,
    }))
}

/// What an iteration of the linear solve costs, in passes of the staged explicit step over the same particles.
pub fn measure_iteration(say: impl Fn(&str)) -> Result<Value> {
    // With weight gradients, explicit steps are made stage by stage.
    let step = |integrator: &str, steps: u64| -> Result<_> {
        let settings = [
            format!("grid.spacing={FINE}"),
            "physics.transfer=\"apic\"".to_owned(),
            format!("physics.integrator={integrator}"),
        ];
        let scene = course::scene("sponge-shot", &settings)?;
        let Built { mut simulation, .. } = scene.build::<f32, 3>(0)?;
        let dt = simulation.forecast()?.step;
        let begun = Instant::now();
        let report = simulation.run_steps(dt, steps)?;
        Ok((report, begun.elapsed().as_secs_f64(), simulation))
    };
    let (report, whole, simulation) = step("{ optimization = {} }", 1)?;
    let (particles, bytes) = (simulation.len(), simulation.peak_bytes());
    let products = report.effort.linear;
    let per_product = report.seconds.products / f64::from(products.max(1));
    drop(simulation);
    let (report, ..) = step("\"explicit\"", STEPS)?;
    let passes = (report.seconds.particles + report.seconds.grid) / STEPS as f64;
    say(&format!(
        "a step of a sponge of {particles} particles: {whole:.2} s, {products} linear iterations, a product takes {per_product:.4} s; a staged explicit step {passes:.4} s: {:.2} of it; {:.2} GiB\n",
        per_product / passes,
        bytes as f64 / f64::from(1 << 30)
    ));
    Ok(json!({
        "particles": particles,
        "seconds": whole,
        "iterations": products,
        "seconds_per_product": per_product,
        "seconds_per_staged_step": passes,
        "bytes": bytes,
    }))
}
