//! Runs the experiments and prints how close they come to their known answers.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use clap::Parser;
use serde::Serialize;
use validation::{EXPERIMENTS, Effort, Row, table};

/// Compares simulations with known answers; fails on a miss, or on a negative control that passes.
#[derive(Parser)]
struct Options {
    /// Prints JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Fewer cases and coarser grids, as in the test suite.
    #[arg(long)]
    quick: bool,
    /// Experiments to run; all unless named.
    #[arg(value_parser = names())]
    names: Vec<String>,
}

/// The names that may stand on the command line.
fn names() -> Vec<&'static str> {
    EXPERIMENTS
        .iter()
        .map(|experiment| experiment.name)
        .collect()
}

/// The outcome of an experiment.
#[derive(Serialize)]
struct Outcome {
    experiment: &'static str,
    seconds: f64,
    rows: Vec<Row>,
    error: Option<String>,
}

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    let effort = if options.quick {
        Effort::Quick
    } else {
        Effort::Full
    };
    let start = Instant::now();
    let mut outcomes = Vec::new();
    for experiment in EXPERIMENTS {
        if !options.names.is_empty() && !options.names.iter().any(|n| n == experiment.name) {
            continue;
        }
        let start = Instant::now();
        let (rows, error) = match (experiment.run)(effort) {
            Ok(rows) => (rows, None),
            Err(error) => (Vec::new(), Some(format!("{error:#}"))),
        };
        let seconds = start.elapsed().as_secs_f64();
        eprintln!("{:<22} {seconds:6.1} s", experiment.name);
        outcomes.push(Outcome {
            experiment: experiment.name,
            seconds,
            rows,
            error,
        });
    }
    eprintln!("{:<22} {:6.1} s", "total", start.elapsed().as_secs_f64());
    report(&outcomes, options.json)
}

fn report(outcomes: &[Outcome], json: bool) -> Result<ExitCode> {
    let bad: Vec<_> = outcomes
        .iter()
        .flat_map(|o| o.rows.iter().filter(|r| !r.pass))
        .collect();
    let broken: Vec<_> = outcomes.iter().filter(|o| o.error.is_some()).collect();
    if json {
        println!("{}", serde_json::to_string_pretty(outcomes)?);
    } else {
        let rows: Vec<Row> = outcomes.iter().flat_map(|o| o.rows.clone()).collect();
        print!("{}", table::render(&rows));
        for row in &bad {
            println!("{}: {}, {}", row.verdict(), row.case, row.quantity);
        }
        for outcome in &broken {
            let error = outcome.error.as_deref().unwrap_or_default();
            println!("FAILED: {}: {error}", outcome.experiment);
        }
    }
    Ok(if bad.is_empty() && broken.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
