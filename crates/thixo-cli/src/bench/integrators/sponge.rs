//! The shot sponge: what the preconditioner saves, and what an iteration costs.

use std::time::Instant;

use anyhow::Result;
use serde_json::{Value, json};
use thixo_scene::Built;

use super::course;

/// Scenes on which preconditioners are compared, and for how many frames: a sponge, whose steps are not much longer than explicit ones, and snow of many stiffnesses.
const SCENES: [(&str, u32); 2] = [("sponge-shot", 20), ("snowball", 24)];
/// Grid spacing with about a million particles in the sponge \[m\].
const FINE: f64 = 0.025;
/// Steps that are measured; the ball arrives in the eighth or so.
const STEPS: u64 = 14;

/// Iterations with and without stiffness in the preconditioner.
pub fn compare_preconditioners(say: impl Fn(&str)) -> Result<Vec<Value>> {
    let scenes = SCENES.into_iter();
    scenes
        .map(|(scene, frames)| compare_on(scene, frames, &say))
        .collect()
}

fn compare_on(scene: &str, frames: u32, say: &impl Fn(&str)) -> Result<Value> {
    let count = |preconditioner: &str| -> Result<_> {
        let setting = format!(
            "physics.integrator={{ optimization = {{ preconditioner = \"{preconditioner}\", linear_iterations = 5000 }} }}"
        );
        let course = course::run(&course::scene(scene, &[setting])?, frames)?;
        Ok((course.effort, course.seconds, course.failure))
    };
    let (mass, mass_seconds, mass_failure) = count("mass")?;
    let (stiffness, seconds, failure) = count("stiffness")?;
    let saved = f64::from(mass.linear) / f64::from(stiffness.linear.max(1));
    say(&format!(
        "\n{scene}, {frames} frames: {} linear iterations ({} Newton, {mass_seconds:.1} s) by masses, {} ({} Newton, {seconds:.1} s) by masses and stiffnesses: {saved:.1} times fewer\n",
        mass.linear, mass.newton, stiffness.linear, stiffness.newton
    ));
    let failures = [mass_failure, failure].map(|f| f.map(|f| f.to_string()));
    Ok(json!({
        "scene": scene,
        "frames": frames,
        "by_mass": mass.linear,
        "by_stiffness": stiffness.linear,
        "ratio": saved,
        "failures": failures,
    }))
}

/// What an iteration of the linear solve costs, in passes of the staged explicit step over the same particles.
pub fn measure_iteration(say: impl Fn(&str)) -> Result<Value> {
    // With weight gradients, explicit steps are made stage by stage.
    let step = |integrator: &str| -> Result<_> {
        let settings = [
            format!("grid.spacing={FINE}"),
            "physics.transfer=\"apic\"".to_owned(),
            format!("physics.integrator={integrator}"),
        ];
        let scene = course::scene("sponge-shot", &settings)?;
        let Built { mut simulation, .. } = scene.build::<f32, 3>(0)?;
        let dt = simulation.forecast()?.step;
        let begun = Instant::now();
        let report = simulation.run_steps(dt, STEPS)?;
        Ok((report, begun.elapsed().as_secs_f64(), simulation))
    };
    let (report, whole, simulation) = step("{ optimization = {} }")?;
    let (particles, bytes) = (simulation.len(), simulation.peak_bytes());
    let products = report.effort.linear;
    let per_product = report.seconds.products / f64::from(products.max(1));
    drop(simulation);
    let (report, ..) = step("\"explicit\"")?;
    let passes = (report.seconds.particles + report.seconds.grid) / STEPS as f64;
    say(&format!(
        "{STEPS} steps of a sponge of {particles} particles: {whole:.2} s, {products} linear iterations, a product takes {per_product:.4} s; a staged explicit step {passes:.4} s: {:.2} of it; {:.2} GiB\n",
        per_product / passes,
        bytes as f64 / f64::from(1 << 30)
    ));
    Ok(json!({
        "particles": particles,
        "steps": STEPS,
        "seconds": whole,
        "iterations": products,
        "seconds_per_product": per_product,
        "seconds_per_staged_step": passes,
        "bytes": bytes,
    }))
}
