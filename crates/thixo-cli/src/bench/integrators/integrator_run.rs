//! A scene run by one integrator, and how it went.

use std::time::Instant;

use anyhow::{Context as _, Result};
use thixo::integrate::implicit::Effort;
use thixo::{Audit, StepError};
use thixo_scene::{Built, Scene, Setting, gallery, with_preview, with_settings};

/// Matter that gains more than this share of its energy is not simulated but blown up.
const GAIN: f64 = 0.05;

/// Cost and result of a run.
pub struct IntegratorRun {
    /// Wall time of stepping \[s\].
    pub seconds: f64,
    /// Accepted steps.
    pub steps: u64,
    /// Steps that had to be repeated.
    pub retries: u32,
    /// Iterations of the solver.
    pub effort: Effort,
    /// True if energy stayed within what there was.
    pub is_tame: bool,
    /// Positions at the end \[m\].
    pub positions: Vec<[f64; 3]>,
    /// Distance that the centre of mass moved \[m\].
    pub travel: f64,
    /// Error that ended it early.
    pub failure: Option<StepError>,
}

impl IntegratorRun {
    /// True if no step was repeated or failed, and energy stayed within what there was.
    pub fn is_stable(&self) -> bool {
        self.failure.is_none() && self.is_tame && self.retries == 0
    }
}

/// A built-in scene in its smaller version, with settings.
pub fn scene(name: &str, settings: &[String]) -> Result<Scene> {
    let text = gallery::find(name).context("a scene of the gallery")?.text;
    with_values(name, &with_preview(text)?, settings)
}

/// A built-in scene in full size, with settings.
pub fn full_scene(name: &str, settings: &[String]) -> Result<Scene> {
    let text = gallery::find(name).context("a scene of the gallery")?.text;
    with_values(name, text, settings)
}

fn with_values(name: &str, text: &str, settings: &[String]) -> Result<Scene> {
    let settings: Vec<Setting> = settings
        .iter()
        .map(|setting| setting.parse())
        .collect::<Result<_, _>>()?;
    Ok(Scene::parse(&with_settings(text, &settings)?, name)?)
}

/// Runs a scene for some frames, or until it fails.
pub fn run(scene: &Scene, frames: u32) -> Result<IntegratorRun> {
    let Built { mut simulation, .. } = scene.build::<f32, 3>(0)?;
    let energy = |audit: &Audit<3>| audit.kinetic + audit.elastic + audit.potential;
    let first = simulation.audit();
    let start = centre(&positions(&simulation));
    let mut run = IntegratorRun {
        seconds: 0.0,
        steps: 0,
        retries: 0,
        effort: Effort::default(),
        is_tame: true,
        positions: Vec::new(),
        travel: 0.0,
        failure: None,
    };
    for _ in 0..frames {
        let begun = Instant::now();
        match simulation.advance(scene.time.frame_seconds()) {
            Ok(report) => {
                run.steps += report.steps;
                run.retries += report.retries;
                run.effort = run.effort.then(report.effort);
            }
            Err(error) => {
                run.failure = Some(error);
                break;
            }
        }
        run.seconds += begun.elapsed().as_secs_f64();
        // Energy gained by falling is not a gain.
        let most = energy(&first).max(first.kinetic + first.potential.abs());
        run.is_tame &= energy(&simulation.audit()) <= (1.0 + GAIN) * most;
    }
    run.positions = positions(&simulation);
    let end = centre(&run.positions);
    run.travel = distance(start, end);
    Ok(run)
}

fn positions(simulation: &thixo::Simulation<f32, 3>) -> Vec<[f64; 3]> {
    let particles = simulation.particles().into_iter();
    particles.map(|p| p.position.0.map(f64::from)).collect()
}

/// The mean of some positions \[m\].
pub fn centre(positions: &[[f64; 3]]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for x in positions {
        for a in 0..3 {
            sum[a] += x[a];
        }
    }
    sum.map(|x| x / positions.len().max(1) as f64)
}

/// Between two places \[m\].
pub fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let squares = a.iter().zip(&b).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt()
}

/// Along each axis, the distance between the places below which 5 % and 95 % of the particles are
/// \[m\].
pub fn extents(positions: &[[f64; 3]]) -> [f64; 3] {
    let mut out = [0.0; 3];
    for (a, out) in out.iter_mut().enumerate() {
        let mut along: Vec<f64> = positions.iter().map(|x| x[a]).collect();
        along.sort_by(f64::total_cmp);
        let at = |share: f64| along[(share * (along.len() - 1) as f64).round() as usize];
        if !along.is_empty() {
            *out = at(0.95) - at(0.05);
        }
    }
    out
}
