//! The command line of thixo.

mod bench;
mod exit;
mod material_test;
mod materials;
mod progress;
mod run;
mod say;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::exit::Failure;

/// Matter that flows, bends, breaks, melts and foams: the material point method.
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Simulate a scene and write its frames.
    Run(run::Run),
    /// List the models and presets that scenes may use, with parameters, units, ranges and sources.
    Materials(materials::Materials),
    /// Deform one point of a material and write its stress as a table.
    MaterialTest(material_test::MaterialTest),
    /// Measure particle-updates per second on a built-in scene.
    Bench(bench::Bench),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match arguments.command {
        Command::Run(run) => run.run(),
        Command::Materials(materials) => materials.run(),
        Command::MaterialTest(test) => test.run(),
        Command::Bench(bench) => bench.run().map_err(Failure::Run),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
