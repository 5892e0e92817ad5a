//! Chores of this repository, run as `cargo xtask <chore>`.
//!
//! One file per chore: [`ci`] is what continuous integration runs, [`validate`] compares
//! simulations with known answers, [`race`] measures `thixo` against Taichi, [`gallery`] runs and
//! draws all scenes, [`arch`] prints the layers of the core, [`asm`] reads the machine code of the
//! hot functions, [`refs`] finds references that lead nowhere, [`readers`] opens files in other
//! programs, [`walkthrough`] follows the instructions for a new material.

mod arch;
mod asm;
mod ci;
mod gallery;
mod race;
mod readers;
mod refs;
mod table;
mod validate;
mod walkthrough;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::workspace::Workspace;

/// Chores of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Run what continuous integration runs
    Ci,
    /// Compare simulations with known answers; the arguments go to the validation program
    Validate(validate::Options),
    /// Race thixo against Taichi on the falling cube and compare the results
    Race(race::Options),
    /// Run every scene, draw it, and write the page docs/gallery.md
    Gallery(gallery::Options),
    /// Print the layers of the core; fail if modules use each other in a circle
    Arch,
    /// Check that the hot functions were compiled to the vector instructions they were written for
    Asm(asm::Options),
    /// Open the files for other programs in USD, Blender, h5py and PyVista (downloads 700 MB once)
    Readers(readers::Options),
    /// Check that equations, errata, papers, scenes, files and commands that documents name exist
    Refs,
    /// Add the material of CONTRIBUTING.md to a copy of the workspace and run its scene
    Walkthrough,
}

fn main() -> ExitCode {
    match run(Cli::parse().chore) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(chore: Chore) -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    match chore {
        Chore::Ci => ci::run(&workspace),
        Chore::Validate(options) => validate::run(&workspace, &options),
        Chore::Race(options) => race::run(&workspace, &options),
        Chore::Gallery(options) => gallery::run(&workspace, &options),
        Chore::Arch => arch::run(&workspace),
        Chore::Asm(options) => asm::run(&workspace, &options),
        Chore::Readers(options) => readers::run(&workspace, &options),
        Chore::Refs => refs::run(&workspace),
        Chore::Walkthrough => walkthrough::run(&workspace),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
