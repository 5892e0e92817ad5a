//! The column of sand by X-PBD: how far it runs against explicit steps, and what that takes. After
//! \[Qu2023\] figures 10 and 11.

use std::time::Instant;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use thixo::integrate::StageSeconds;
use thixo_scene::Built;

use super::integrator_run::full_scene;

const SCENE: &str = "sand-column-xpbd";
/// Sweeps that are compared.
const SWEEPS: [u32; 4] = [1, 5, 10, 20];
/// Length of X-PBD steps over that of explicit ones.
const LONGER: f64 = 10.0;
/// Share of the sand that tells where it has run: single grains roll further.
const BULK: f64 = 0.98;

/// A collapse, and what it took.
struct Collapse {
    /// Run-out: distance of most of the sand beyond where it stood \[m\].
    run_out: f64,
    seconds: f64,
    steps: u64,
    /// Of a step \[s\].
    stages: StageSeconds,
}

/// Compares explicit steps with X-PBD.
pub fn compare(print: impl Fn(&str)) -> Result<Value> {
    let explicit = |transfer: &str| {
        collapse(&[
            "physics.integrator=\"explicit\"".to_owned(),
            "time.longest_step=1".to_owned(),
            format!("physics.transfer=\"{transfer}\""),
        ])
    };
    let fused = explicit("mls")?;
    // With weight gradients, explicit steps are made stage by stage.
    let staged = explicit("apic")?;
    let pass = staged.stages.particles + staged.stages.grid + staged.stages.obstacles;
    let step = explicit_step()?;

    print(&format!(
        "\n| {SCENE} | steps | s | time of explicit | run-out [m] | off [%] |\n|---|---|---|---|---|---|\n"
    ));
    let mut rows = Vec::new();
    let mut row = |name: String, collapse: &Collapse| {
        let off = collapse.run_out / fused.run_out - 1.0;
        let ratio = collapse.seconds / fused.seconds;
        print(&format!(
            "| {name} | {} | {:.2} | {ratio:.2} | {:.4} | {:+.1} |\n",
            collapse.steps,
            collapse.seconds,
            collapse.run_out,
            100.0 * off
        ));
        rows.push(json!({
            "integrator": name,
            "steps": collapse.steps,
            "seconds": collapse.seconds,
            "time_ratio": ratio,
            "run_out": collapse.run_out,
            "run_out_off": off,
        }));
    };
    row("explicit".to_owned(), &fused);
    let mut solves = Vec::new();
    for sweeps in SWEEPS {
        let swept = collapse(&[
            format!("physics.integrator.xpbd.iterations={sweeps}"),
            format!("time.longest_step={}", LONGER * step),
        ])?;
        row(format!("X-PBD, {sweeps} sweeps"), &swept);
        solves.push((f64::from(sweeps), swept.stages.solve));
    }
    let (first, last) = (
        solves.first().context("sweeps")?,
        solves.last().context("sweeps")?,
    );
    let sweep = (last.1 - first.1) / (last.0 - first.0) / pass;
    print(&format!(
        "A sweep takes {sweep:.2} of an explicit step made stage by stage ({:.0} µs).\n",
        1e6 * pass
    ));
    Ok(json!({ "scene": SCENE, "runs": rows, "sweep_in_staged_steps": sweep }))
}

/// The explicit step that the sand allows at the start \[s\].
fn explicit_step() -> Result<f64> {
    let Built { mut simulation, .. } = full_scene(SCENE, &[])?.build::<f32, 2>(0)?;
    let forecast = simulation.forecast()?;
    Ok(forecast.materials.first().context("sand")?.step)
}

fn collapse(settings: &[String]) -> Result<Collapse> {
    let scene = full_scene(SCENE, settings)?;
    let Built { mut simulation, .. } = scene.build::<f32, 2>(0)?;
    let distances = |simulation: &thixo::Simulation<f32, 2>| {
        let particles = simulation.particles().into_iter();
        let mut all: Vec<f64> = particles.map(|p| p.position[0].abs()).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let width = distances(&simulation).last().copied().context("sand")?;
    let (mut steps, mut seconds) = (0, StageSeconds::default());
    let begun = Instant::now();
    for _ in 0..scene.time.frames {
        let report = simulation.advance(scene.time.frame_seconds())?;
        steps += report.steps;
        seconds = seconds + report.seconds;
    }
    let whole = begun.elapsed().as_secs_f64();
    let end = distances(&simulation);
    let bulk = end[(BULK * (end.len() - 1) as f64) as usize];
    Ok(Collapse {
        run_out: bulk - width,
        seconds: whole,
        steps,
        stages: seconds / steps.max(1) as f64,
    })
}
