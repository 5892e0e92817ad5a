//! The command line of thixo.

mod bench;
mod check;
mod console;
mod exit;
mod export;
mod frame_choice;
mod frame_range;
mod help;
mod info;
mod material_test;
mod materials;
mod mesh;
mod overwrite;
mod plot;
mod precision;
mod progress;
#[cfg(test)]
mod reference;
mod render;
mod run;
mod scene_argument;
mod scenes;
mod schema;

use std::process::ExitCode;

use anyhow::Error;
use clap::{CommandFactory as _, Parser, Subcommand};

use crate::exit::Failure;

const EXAMPLE: &str = "\
Begin with:
  thixo run falling-block          simulate a built-in scene
  thixo info out/falling-block     what came of it
  thixo render out/falling-block   pictures of it
  thixo plot out/falling-block     its budgets as figures
  thixo new my-scene               begin a scene of your own

thixo COMMAND --help says more about each command. The tutorial is in docs/tutorial.";

/// Version with the identity of the build.
const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (build ",
    env!("THIXO_BUILD"),
    ", commit ",
    env!("THIXO_COMMIT"),
    ")"
);

/// Simulate matter that flows, bends, breaks, melts and foams, by the material point method.
#[derive(Parser)]
#[command(name = "thixo", version = VERSION, after_help = EXAMPLE, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Simulate a scene and write its frames.
    Run(run::Run),
    /// Say what a scene would take and what decides its time step; writes nothing.
    Check(check::Check),
    /// Say what a run is, how it ended and what became of its budgets; writes nothing.
    Info(info::Info),
    /// Draw the frames of a run.
    Render(render::Render),
    /// Make watertight surfaces of the frames of a run, for other programs.
    Mesh(mesh::Mesh),
    /// Write the particles of a run as one file for Blender, Houdini or ParaView.
    Export(export::Export),
    /// Plot the budgets of runs: energies, momenta, volume, time steps, speed.
    Plot(plot::Plot),
    /// Begin a scene file.
    New(scenes::New),
    /// List the built-in scenes.
    Scenes(scenes::Scenes),
    /// Print the JSON Schema of scene files, with which editors check and complete them.
    Schema(schema::Schema),
    /// List the models and presets that scenes may use, with parameters, units, ranges and sources.
    Materials(materials::Materials),
    /// Deform one point of a material and write its stress as a table.
    MaterialTest(material_test::MaterialTest),
    /// Measure particle-updates per second on a built-in scene.
    Bench(bench::Bench),
    /// Print this text, or the help of a command.
    Help(help::Help),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match arguments.command {
        Command::Run(run) => run.run(),
        Command::Check(check) => check.run(),
        Command::Info(info) => info.run(),
        Command::Render(render) => render.run(),
        Command::Mesh(mesh) => mesh.run(),
        Command::Export(export) => export.run(),
        Command::Plot(plot) => plot.run(),
        Command::New(new) => new.run(),
        Command::Scenes(scenes) => scenes.run(),
        Command::Schema(schema) => schema.run(),
        Command::Materials(materials) => materials.run(),
        Command::MaterialTest(test) => test.run(),
        Command::Bench(bench) => bench.run().map_err(Failure::Run),
        Command::Help(help) => help.run(Arguments::command()),
    };
    let lost = |error| Failure::Run(Error::new(error).context("cannot write to standard output"));
    match (outcome, console::lost_output()) {
        (Ok(()), None) => ExitCode::SUCCESS,
        (Ok(()), Some(error)) => lost(error).report(),
        (Err(failure), _) => failure.report(),
    }
}
