//! Three snowballs by explicit steps, by optimisation, and by semi-implicit steps as long as they
//! are stable: those of \[Stomakhin2013\] with which the thesis compares, whose equations are
//! divided by the masses, and ours, which are divided by the diagonal of the matrix.
//!
//! Either method solves to its default tolerance. How exact that is differs, so that both are
//! compared once more, each with the loosest tolerance with which it ends within a percent of where
//! its own exact solves lead.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::integrator_run::{self, IntegratorRun, centre, distance, extents};

/// The last ends while the snow falls: where it lies then, explicit steps of two lengths do not
/// agree.
const SCENES: [&str; 3] = ["snowball", "snowball-drop", "snowballs-collide"];
/// The snow of \[Jiang2015thesis\] table 2.1 in all of them: what scenes have of their own to make
/// it break would compare flow, which follows the step, and not integrators.
const SNOW: &str = "materials.snow={ model = \"snow\", density = 400, young_modulus = 1.4e5, poisson_ratio = 0.2, critical_compression = 2.5e-2, critical_stretch = 7.5e-3, hardening = 10 }";
/// The longest semi-implicit step that is tried \[s\]; halved until it is stable, and then as long
/// as bisection finds.
const LONGEST: f64 = 1.6e-2;
/// Halvings, at most.
const HALVINGS: u32 = 8;
/// Bisections between the longest stable step and twice that.
const BISECTIONS: u32 = 2;
/// Runs of either method that are compared, in turn; the fastest counts, since others had to share
/// the machine.
const LAPS: u32 = 4;
const EXPLICIT: &str = "physics.integrator=\"explicit\"";
/// No step is limited but by how far matter may move.
const UNLIMITED: &str = "time.longest_step=1";
/// Tolerances of solves that count as exact: of optimisation and of semi-implicit steps.
const EXACT: [f64; 2] = [1e-4, 1e-6];
/// Tolerances of optimisation that are tried, the loosest first.
const LOOSE: [f64; 4] = [0.3, 0.2, 0.1, 0.05];
/// The same of semi-implicit steps.
const LOOSE_LINEAR: [f64; 5] = [3e-2, 1e-2, 3e-3, 1e-3, 3e-4];
/// Largest relative difference of extents from those of exact solves.
const CLOSE: f64 = 0.01;

/// Settings of semi-implicit solves.
#[derive(Clone, Copy)]
struct SemiImplicit {
    preconditioner: &'static str,
    /// None for the default.
    tolerance: Option<f64>,
}

impl SemiImplicit {
    fn to(self, tolerance: f64) -> Self {
        Self {
            tolerance: Some(tolerance),
            ..self
        }
    }
    const PUBLISHED: Self = Self {
        preconditioner: "mass",
        tolerance: None,
    };
    const PRECONDITIONED: Self = Self {
        preconditioner: "stiffness",
        tolerance: None,
    };

    fn setting(&self) -> String {
        let Self { preconditioner, .. } = self;
        let tolerance = self.tolerance.map(|x| format!(", tolerance = {x}"));
        format!(
            "physics.integrator={{ semi_implicit = {{ preconditioner = \"{preconditioner}\", linear_iterations = 5000{} }} }}",
            tolerance.unwrap_or_default()
        )
    }
}

/// A scene that all integrators run.
struct Snowball {
    name: &'static str,
    frames: u32,
}

impl Snowball {
    fn new(name: &'static str) -> Result<Self> {
        let frames = integrator_run::scene(name, &[])?.time.frames;
        Ok(Self { name, frames })
    }
    fn run(&self, settings: &[&str]) -> Result<IntegratorRun> {
        let settings = settings.iter().chain(&[SNOW]);
        let settings: Vec<String> = settings.map(|s| (*s).to_owned()).collect();
        integrator_run::run(&integrator_run::scene(self.name, &settings)?, self.frames)
    }
    /// By optimisation, to some tolerance or the default.
    fn optimize(&self, tolerance: Option<f64>) -> Result<IntegratorRun> {
        let tolerance = tolerance.map_or_else(String::new, |x| format!("tolerance = {x}"));
        let integrator = format!("physics.integrator={{ optimization = {{ {tolerance} }} }}");
        self.run(&[&integrator, UNLIMITED])
    }
    /// By semi-implicit steps of some seconds at most.
    fn solve(&self, method: SemiImplicit, longest: f64) -> Result<IntegratorRun> {
        self.run(&[&method.setting(), &format!("time.longest_step={longest}")])
    }
}

/// The loosest tolerance with which runs end close to the exact one, and the run with it.
fn loosest(
    exact: &IntegratorRun,
    tolerances: &[f64],
    run: impl Fn(f64) -> Result<IntegratorRun>,
) -> Result<(f64, IntegratorRun)> {
    for &tolerance in tolerances {
        let run = run(tolerance)?;
        if run.is_stable() && stretch(&run, exact) <= CLOSE {
            return Ok((tolerance, run));
        }
    }
    anyhow::bail!("no tolerance is exact enough")
}

/// Compares on all scenes.
pub fn compare(print: impl Fn(&str)) -> Result<Vec<Value>> {
    print(
        "\n| scene | integrator | s | steps | longest step [s] | repeated | Newton | linear | centre off [% of travel] | extents off [%] |\n",
    );
    print("|---|---|---|---|---|---|---|---|---|---|\n");
    let mut rows = Vec::new();
    for name in SCENES {
        let ball = Snowball::new(name)?;
        let fine = ball.run(&[EXPLICIT, "time.safety=0.25", UNLIMITED])?;
        let mut row = |integrator: &str, run: &IntegratorRun, longest: f64| {
            let off = distance(centre(&run.positions), centre(&fine.positions)) / fine.travel;
            let stretched = stretch(run, &fine);
            let failure = run.failure.as_ref().map(ToString::to_string);
            print(&format!(
                "| {name} | {integrator} | {:.2} | {} | {longest:.2e} | {} | {} | {} | {:.2} | {:.1} |{}\n",
                run.seconds,
                run.steps,
                run.retries,
                run.effort.newton,
                run.effort.linear,
                100.0 * off,
                100.0 * stretched,
                failure
                    .as_deref()
                    .map(|why| format!(" {why}"))
                    .unwrap_or_default(),
            ));
            rows.push(json!({
                "scene": name,
                "integrator": integrator,
                "seconds": run.seconds,
                "steps": run.steps,
                "longest_step": longest,
                "retries": run.retries,
                "newton": run.effort.newton,
                "linear": run.effort.linear,
                "centre_off": off,
                "extents_off": stretched,
                "failure": failure,
            }));
        };
        row("explicit, half the steps", &fine, f64::INFINITY);
        row(
            "explicit",
            &ball.run(&[EXPLICIT, UNLIMITED])?,
            f64::INFINITY,
        );

        let exact = ball.optimize(Some(EXACT[0]))?;
        let (tolerance, optimized) =
            loosest(&exact, &LOOSE, |tolerance| ball.optimize(Some(tolerance)))
                .with_context(|| format!("{name} by optimization"))?;
        let mut by_default = ball.optimize(None)?;
        let mut as_exact = optimized;
        let published = SemiImplicit::PUBLISHED;
        let (longest, found) = longest_stable(|step| ball.solve(published, step))?;
        let exact_linear = ball.solve(published.to(EXACT[1]), longest)?;
        let (linear_tolerance, solved) = loosest(&exact_linear, &LOOSE_LINEAR, |tolerance| {
            ball.solve(published.to(tolerance), longest)
        })
        .with_context(|| format!("{name} by semi-implicit steps"))?;
        let ours = SemiImplicit::PRECONDITIONED;
        let (ours_longest, ours_found) = longest_stable(|step| ball.solve(ours, step))?;
        let to = format!("optimization, to {tolerance}");
        let linear_to = format!("semi-implicit as published, to {linear_tolerance:.0e}");
        let rivals = [
            ("semi-implicit as published", published, longest, found),
            (&linear_to, published.to(linear_tolerance), longest, solved),
            (
                "semi-implicit, preconditioned",
                ours,
                ours_longest,
                ours_found,
            ),
        ];
        for (integrator, method, longest, mut best) in rivals {
            let (own, best_own, own_tolerance) = match method.tolerance {
                Some(_) => (&to[..], &mut as_exact, Some(tolerance)),
                None => ("optimization", &mut by_default, None),
            };
            for _ in 1..LAPS {
                keep_faster(best_own, ball.optimize(own_tolerance)?);
                keep_faster(&mut best, ball.solve(method, longest)?);
            }
            row(integrator, &best, longest);
            print(&format!(
                "{name}: {own} takes 1/{:.1} of the time of {integrator}\n",
                best.seconds / best_own.seconds
            ));
        }
        row("optimization", &by_default, f64::INFINITY);
        row(&to, &as_exact, f64::INFINITY);
        print(&format!(
            "{name}: optimization ends within {:.2} % of the extents of solves to {:.0e}\n",
            100.0 * stretch(&by_default, &exact),
            EXACT[0]
        ));
    }
    Ok(rows)
}

fn keep_faster(best: &mut IntegratorRun, other: IntegratorRun) {
    if other.seconds < best.seconds {
        *best = other;
    }
}

/// Largest relative difference of the extents of two runs over the axes.
fn stretch(run: &IntegratorRun, other: &IntegratorRun) -> f64 {
    let pairs = extents(&run.positions)
        .into_iter()
        .zip(extents(&other.positions));
    pairs.map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max)
}

/// The longest step that is stable, found by bisection, and the run with it.
fn longest_stable(run: impl Fn(f64) -> Result<IntegratorRun>) -> Result<(f64, IntegratorRun)> {
    let mut low = LONGEST;
    let mut best = run(low)?;
    for _ in 0..HALVINGS {
        if best.is_stable() {
            break;
        }
        low *= 0.5;
        best = run(low)?;
    }
    let best = Some(best).filter(IntegratorRun::is_stable);
    let mut best = best.with_context(|| format!("steps of {low:e} s are not stable"))?;
    let mut high = 2.0 * low;
    for _ in 0..BISECTIONS {
        let middle = (low * high).sqrt();
        if middle >= LONGEST {
            break;
        }
        let run = run(middle)?;
        if run.is_stable() {
            (low, best) = (middle, run);
        } else {
            high = middle;
        }
    }
    Ok((low, best))
}
