//! Continuous integration on this machine: delegates to `.ci/run`, so that there is one list of
//! stages.

use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::workspace::{Workspace, exit_code};

/// Runs `.ci/run` and passes its exit code on.
pub fn run(workspace: &Workspace) -> Result<ExitCode> {
    exit_code(
        Command::new("bash")
            .arg(".ci/run")
            .current_dir(workspace.root()),
    )
}
