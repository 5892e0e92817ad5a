//! Taking part in a race against another program: a lap for every line read, a line of JSON for
//! every lap.

use std::io::{BufRead, Write};
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::json;
use thixo_scene::with_instance;

use super::case::Case;
use super::matter::Measured;

/// Laps of a case on demand.
pub fn race(case: &Case) -> Result<()> {
    with_instance!(case.instance(), |T, D| race_in::<T, D>(case))
}

fn race_in<T: Measured<D>, const D: usize>(case: &Case) -> Result<()> {
    let (mut sim, dt) = case.warmed_up::<T, D>()?;
    let mut out = std::io::stdout();
    let mut print = |line: serde_json::Value| -> Result<()> {
        writeln!(out, "{line}")?;
        out.flush().context("standard output is closed")
    };
    print(json!({"ready": true, "particles": sim.len()}))?;
    let mut total = case.warmup;
    for line in std::io::stdin().lock().lines() {
        line?;
        let (start, cpu) = (Instant::now(), cpu_seconds());
        sim.run_steps(dt, case.steps)?;
        total += case.steps;
        let seconds = start.elapsed().as_secs_f64();
        print(json!({"seconds": seconds, "cpu_seconds": cpu_seconds() - cpu}))?;
    }
    let audit = sim.audit();
    print(json!({
        "com_y": audit.centre_of_mass[1],
        "kinetic": audit.kinetic,
        "total_steps": total,
    }))
}

/// CPU time of this process \[s\], where the system tells; 0 elsewhere.
fn cpu_seconds() -> f64 {
    // Fields 14 and 15 of /proc/self/stat are user and system time in ticks of 10 ms.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: f64 = after_name
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<f64>().ok())
        .sum();
    ticks / 100.0
}
