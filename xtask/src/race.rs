//! The race: `thixo` against Taichi scripts on the scenes of `peers/`, with the results compared.
//!
//! Both programs stay alive and take turns, a lap of a few steps each, so that both see the same
//! machine in the same minute: speeds differ from hour to hour, and only the ratio of two from the
//! same run means anything. The speed is counted in particle-updates: one particle through one time
//! step.

mod contestant;
mod event;
mod python;
mod report;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};

use crate::workspace::Workspace;
use contestant::Contestant;
use event::Event;
use report::{Entry, Heat, Report};

/// Arguments of `cargo xtask race`.
#[derive(clap::Args)]
pub struct Options {
    /// Print all measurements as JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Cells along each edge of the box in 3D; the box of 2D has as many more as give half the
    /// particles [default: 128, and 960 in 2D]
    #[arg(long, value_parser = clap::value_parser!(u32).range(16..=512))]
    cells: Option<u32>,
    /// Numbers of threads to race with
    #[arg(long, value_delimiter = ',', default_value = "1,2", value_parser = clap::value_parser!(u32).range(1..))]
    threads: Vec<u32>,
    /// Events to race in
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "neo_hookean,fluid,sand,snow,three_squares"
    )]
    events: Vec<Event>,
    /// Laps each program runs, in turns
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    repeats: u32,
    /// Time steps in a lap
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,
    /// Time steps before the first lap
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    warmup: u32,
    /// Race this program instead of building thixo
    #[arg(long, value_name = "PROGRAM")]
    thixo: Option<PathBuf>,
    /// Run Taichi with this Python, which has it installed, instead of setting one up under the
    /// target directory
    #[arg(long, value_name = "PROGRAM")]
    python: Option<PathBuf>,
}

/// Races every material with every number of threads; fails when `thixo` is too slow or computes
/// something else.
pub fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode> {
    let thixo = workspace.thixo(options.thixo.as_deref())?;
    let python = match &options.python {
        Some(path) => path.clone(),
        None => python::with_requirements(workspace)?,
    };
    let peers = workspace.root().join("peers");
    let mut heats = Vec::new();
    for &event in &options.events {
        let script = peers.join(event.script());
        for &threads in &options.threads {
            let what = format!(
                "{} on {threads} thread(s), {} cells",
                event.name(),
                options.cells(event)
            );
            eprintln!("racing {what}");
            let heat = race(options, event, threads, [&thixo, &python, &script])
                .with_context(|| format!("racing {what}"))?;
            eprintln!("  {}", heat.summary());
            heats.push(heat);
        }
    }
    let report = Report {
        steps: options.steps,
        warmup: options.warmup,
        repeats: options.repeats,
        heats,
    };
    if options.json {
        println!("{:#}", report.to_json());
    } else {
        print!("{}", report.to_text());
    }
    Ok(if report.passed() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

impl Options {
    /// Cells along the box of an event: an even number.
    fn cells(&self, event: Event) -> u32 {
        match (self.cells, event) {
            (None, _) => event.default_cells(),
            (Some(cells), Event::ThreeSquares) => {
                // As 960 is to 128: the number of particles grows with the square in 2D and with
                // the cube in 3D.
                let cells = 960.0 * (f64::from(cells) / 128.0).powf(1.5);
                2 * (0.5 * cells).round() as u32
            }
            (Some(cells), _) => cells,
        }
    }
}

/// One event on one number of threads.
fn race(options: &Options, event: Event, threads: u32, paths: [&Path; 3]) -> Result<Heat> {
    let [thixo, python, script] = paths;
    let common = |cells: &str| -> Vec<OsString> {
        [
            (cells, &options.cells(event).to_string()),
            ("--threads", &threads.to_string()),
            ("--warmup", &options.warmup.to_string()),
            ("--steps", &options.steps.to_string()),
        ]
        .into_iter()
        .flat_map(|(key, value)| [key.into(), value.into()])
        .collect()
    };
    let mut command = Command::new(thixo);
    command
        .arg("bench")
        .args(event.our_arguments())
        .args(common("--cells"))
        .arg("--interactive");
    let mut ours = Contestant::start("thixo", command)?;
    let mut command = Command::new(python);
    command
        .arg(script)
        .args(event.their_arguments())
        .args(common("--n"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    let mut theirs = Contestant::start("Taichi", command)?;
    ensure!(
        ours.particles() == theirs.particles(),
        "thixo has {} particles and Taichi {}: these are not the same scenes",
        ours.particles(),
        theirs.particles()
    );

    let (mut our_laps, mut their_laps) = (Vec::new(), Vec::new());
    for repeat in 0..options.repeats {
        // Whoever went first goes second next time.
        if repeat % 2 == 0 {
            our_laps.push(ours.lap()?);
            their_laps.push(theirs.lap()?);
        } else {
            their_laps.push(theirs.lap()?);
            our_laps.push(ours.lap()?);
        }
    }
    let total_steps =
        u64::from(options.warmup) + u64::from(options.steps) * u64::from(options.repeats);
    let updates_per_lap = ours.particles() as f64 * f64::from(options.steps);
    Ok(Heat {
        event,
        threads,
        particles: ours.particles(),
        thixo: Entry::new(ours.finish(total_steps)?, our_laps, updates_per_lap),
        taichi: Entry::new(theirs.finish(total_steps)?, their_laps, updates_per_lap),
    })
}
