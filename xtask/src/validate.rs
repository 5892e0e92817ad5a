//! Validation: builds and runs the `validation` crate, which compares simulations with known
//! answers.

use std::process::ExitCode;

use anyhow::Result;

use crate::workspace::{Workspace, exit_code};

/// Arguments of `cargo xtask validate`.
#[derive(clap::Args)]
pub struct Options {
    /// Passed on unchanged: `--json`, names of experiments
    #[arg(
        value_name = "--json | NAME",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    arguments: Vec<String>,
}

/// Runs the validation program and passes its exit code on.
pub fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode> {
    exit_code(
        workspace
            .cargo()
            .args([
                "run",
                "--quiet",
                "--release",
                "--package",
                "validation",
                "--",
            ])
            .args(&options.arguments),
    )
}
