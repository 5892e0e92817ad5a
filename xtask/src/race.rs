//! The race: `thixo` against a Taichi script on the falling cube of `peers/`, with the results compared.
//!
//! Both programs stay alive and take turns, a lap of a few steps each, so that both see the same machine in the same
//! minute: speeds differ from hour to hour, and only the ratio of two from the same run means anything. The speed is
//! counted in particle-updates: one particle through one time step.

mod contestant;
mod python;
mod report;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};

use crate::workspace::Workspace;
use contestant::Contestant;
use report::{Entry, Heat, Report};

/// Arguments of `cargo xtask race`.
#[derive(clap::Args)]
pub struct Options {
    /// Print all measurements as JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Cells along each edge of the box
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u32).range(16..))]
    cells: u32,
    /// Numbers of threads to race with
    #[arg(long, value_delimiter = ',', default_value = "1,2", value_parser = clap::value_parser!(u32).range(1..))]
    threads: Vec<u32>,
    /// Materials to race with
    #[arg(long, value_delimiter = ',', default_value = "neo_hookean,fluid")]
    materials: Vec<String>,
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
    /// Run Taichi with this Python, which has it installed, instead of setting one up under the target directory
    #[arg(long, value_name = "PROGRAM")]
    python: Option<PathBuf>,
}

/// Races every material with every number of threads; fails when `thixo` is too slow or computes something else.
pub fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode> {
    let thixo = match &options.thixo {
        Some(path) => path.clone(),
        None => workspace.build_thixo()?,
    };
    let python = match &options.python {
        Some(path) => path.clone(),
        None => python::with_requirements(workspace)?,
    };
    let script = workspace.root().join("peers/taichi_mls_mpm_3d.py");
    let mut heats = Vec::new();
    for material in &options.materials {
        for &threads in &options.threads {
            eprintln!(
                "racing {material} on {threads} thread(s), {} cells",
                options.cells
            );
            let heat = race(options, material, threads, [&thixo, &python, &script])
                .with_context(|| format!("racing {material} on {threads} thread(s)"))?;
            eprintln!("  {}", heat.summary());
            heats.push(heat);
        }
    }
    let report = Report {
        cells: options.cells,
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

/// One material on one number of threads.
fn race(options: &Options, material: &str, threads: u32, paths: [&Path; 3]) -> Result<Heat> {
    let [thixo, python, script] = paths;
    let common = |cells: &str| -> Vec<OsString> {
        [
            ("--material", material),
            (cells, &options.cells.to_string()),
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
        .args(["bench", "--scene", "falling-cube"])
        .args(common("--cells"))
        .arg("--interactive");
    let mut ours = Contestant::start("thixo", command)?;
    let mut command = Command::new(python);
    command
        .arg(script)
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
        material: material.to_owned(),
        threads,
        particles: ours.particles(),
        thixo: Entry::new(ours.finish(total_steps)?, our_laps, updates_per_lap),
        taichi: Entry::new(theirs.finish(total_steps)?, their_laps, updates_per_lap),
    })
}
