//! Three snowballs by explicit steps, by optimisation, and by semi-implicit steps as long as they are stable: those of \[Stomakhin2013\] with which the
//! thesis compares, whose equations are divided by the masses, and ours, which are divided by the diagonal of the matrix.

use anyhow::Result;
use serde_json::{Value, json};

use super::course::{self, Course, centre, distance, extents};

/// The last ends while the snow falls: where it lies then, explicit steps of two lengths do not agree.
const SCENES: [&str; 3] = ["snowball", "snowball-drop", "snowballs-collide"];
/// The snow of \[Jiang2015thesis\] table 2.1 in all of them: what scenes have of their own to make it break would compare flow, which follows the step, and not integrators.
const SNOW: &str = "materials.snow={ model = \"snow\", density = 400, young_modulus = 1.4e5, poisson_ratio = 0.2, critical_compression = 2.5e-2, critical_stretch = 7.5e-3, hardening = 10 }";
/// The longest semi-implicit step that is tried \[s\]; halved until it is stable, and then as long as bisection finds.
const LONGEST: f64 = 1.6e-2;
/// Halvings, at most.
const HALVINGS: u32 = 8;
/// Bisections between the longest stable step and twice that.
const BISECTIONS: u32 = 2;
/// Runs of either method that are compared, in turn; the fastest counts, since others had to share the machine.
const LAPS: u32 = 4;
const OPTIMIZATION: &str = "physics.integrator={ optimization = {} }";
const EXPLICIT: &str = "physics.integrator=\"explicit\"";
/// No step is limited but by how far matter may move.
const UNLIMITED: &str = "time.longest_step=1";
/// Semi-implicit steps: what they are called, and how their systems are solved.
const SEMI_IMPLICIT: [(&str, &str); 2] = [
    ("semi-implicit as published", "mass"),
    ("semi-implicit, preconditioned", "stiffness"),
];

/// Compares on all scenes.
pub fn compare(say: impl Fn(&str)) -> Result<Vec<Value>> {
    say(
        "\n| scene | integrator | s | steps | longest step [s] | repeated | Newton | linear | centre off [% of travel] | extents off [%] |\n",
    );
    say("|---|---|---|---|---|---|---|---|---|---|\n");
    let mut rows = Vec::new();
    for name in SCENES {
        let frames = course::scene(name, &[])?.time.frames;
        let run = |settings: &[&str], frames: u32| {
            let settings = settings.iter().chain(&[SNOW]);
            let settings: Vec<String> = settings.map(|s| (*s).to_owned()).collect();
            course::run(&course::scene(name, &settings)?, frames)
        };
        let fine = run(&[EXPLICIT, "time.safety=0.25", UNLIMITED], frames)?;
        let mut row = |integrator: &str, course: &Course, longest: f64| {
            let off = distance(centre(&course.positions), centre(&fine.positions)) / fine.travel;
            let pairs = extents(&course.positions)
                .into_iter()
                .zip(extents(&fine.positions));
            let stretched = pairs.map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max);
            let failure = course.failure.as_ref().map(ToString::to_string);
            say(&format!(
                "| {name} | {integrator} | {:.2} | {} | {longest:.2e} | {} | {} | {} | {:.2} | {:.1} |{}\n",
                course.seconds,
                course.steps,
                course.retries,
                course.effort.newton,
                course.effort.linear,
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
                "seconds": course.seconds,
                "steps": course.steps,
                "longest_step": longest,
                "retries": course.retries,
                "newton": course.effort.newton,
                "linear": course.effort.linear,
                "centre_off": off,
                "extents_off": stretched,
                "failure": failure,
            }));
        };
        row("explicit, half the steps", &fine, f64::INFINITY);
        let explicit = run(&[EXPLICIT, UNLIMITED], frames)?;
        row("explicit", &explicit, f64::INFINITY);
        let optimize = || run(&[OPTIMIZATION, UNLIMITED], frames);
        let mut optimization = optimize()?;
        for (method, preconditioner) in SEMI_IMPLICIT {
            let integrator = format!(
                "physics.integrator={{ semi_implicit = {{ preconditioner = \"{preconditioner}\", linear_iterations = 5000 }} }}"
            );
            let solve = |step: f64| {
                let longest = format!("time.longest_step={step}");
                run(&[&integrator, &longest], frames)
            };
            let (step, mut best) = longest_stable(solve)?;
            for _ in 1..LAPS {
                optimization = faster(optimization, optimize()?);
                best = faster(best, solve(step)?);
            }
            row(method, &best, step);
            say(&format!(
                "{name}: optimization takes 1/{:.1} of the time of {method}\n",
                best.seconds / optimization.seconds
            ));
        }
        row("optimization", &optimization, f64::INFINITY);
    }
    Ok(rows)
}

fn faster(a: Course, b: Course) -> Course {
    if b.seconds < a.seconds { b } else { a }
}

/// The longest step that is stable, found by bisection, and the run with it.
fn longest_stable(run: impl Fn(f64) -> Result<Course>) -> Result<(f64, Course)> {
    let is_stable = |c: &Course| c.failure.is_none() && c.is_tame && c.retries == 0;
    let mut low = LONGEST;
    let mut best = run(low)?;
    for _ in 0..HALVINGS {
        if is_stable(&best) {
            break;
        }
        low *= 0.5;
        best = run(low)?;
    }
    let mut high = 2.0 * low;
    for _ in 0..BISECTIONS {
        let middle = (low * high).sqrt();
        if middle >= LONGEST {
            break;
        }
        let course = run(middle)?;
        if is_stable(&course) {
            (low, best) = (middle, course);
        } else {
            high = middle;
        }
    }
    Ok((low, best))
}
