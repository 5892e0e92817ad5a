//! A Python with the packages of `peers/requirements.txt`, in a virtual environment under the
//! target directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::workspace::{Workspace, stdout_of};

/// The Python of the environment, which is set up when it is missing or its requirements have
/// changed.
pub fn with_requirements(workspace: &Workspace) -> Result<PathBuf> {
    let requirements = workspace.root().join("peers/requirements.txt");
    let wanted = fs::read_to_string(&requirements)
        .with_context(|| format!("reading {}", requirements.display()))?;
    let environment = workspace.target_directory()?.join("peers-venv");
    let python = environment.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    let installed = environment.join("installed-requirements.txt");
    if python.is_file() && fs::read_to_string(&installed).is_ok_and(|text| text == wanted) {
        return Ok(python);
    }
    eprintln!(
        "installing {} into {}",
        requirements.display(),
        environment.display()
    );
    create(&environment)?;
    stdout_of(
        Command::new(&python)
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--requirement",
            ])
            .arg(&requirements),
    )
    .context("installing the Python packages of the race (this needs the network)")?;
    fs::write(&installed, wanted).with_context(|| format!("writing {}", installed.display()))?;
    Ok(python)
}

/// An empty environment of the first Python found.
fn create(environment: &Path) -> Result<()> {
    for python in ["python3", "python"] {
        let version = Command::new(python).arg("--version").output();
        if version.is_ok_and(|output| output.status.success()) {
            stdout_of(Command::new(python).args(["-m", "venv", "--clear"]).arg(environment)).context(
                "creating a Python virtual environment (Debian and Ubuntu have it in the package python3-venv)",
            )?;
            return Ok(());
        }
    }
    bail!(
        "the race needs Python 3 to run Taichi, and neither python3 nor python was found; install one, or name it with --python"
    )
}
