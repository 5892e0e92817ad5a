//! Other programs open the files that thixo writes: Pixar's USD, Blender, h5py and PyVista, each
//! from its package of Python in an environment of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Result, bail};
use clap::Args;

use crate::workspace::{Workspace, exit_code, stdout_of};

const PACKAGES: [&str; 5] = ["numpy", "usd-core", "h5py", "pyvista", "bpy"];

/// Options of the chore.
#[derive(Args)]
pub struct Options {
    /// The program; without it the one of release mode is built
    #[arg(long, value_name = "PATH")]
    thixo: Option<PathBuf>,
    /// Also render the picture of docs/blender.md
    #[arg(long)]
    picture: bool,
}

/// Makes a run and its files, and opens them.
pub fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode> {
    let thixo = workspace.thixo(options.thixo.as_deref())?;
    let target = workspace.target_directory()?;
    let python = environment(&target.join("readers"))?;
    let place = target.join("readers-run");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place)?;
    let run = place.join("run");
    let folder = |words: &[&str]| {
        let mut command = Command::new(&thixo);
        let (first, rest) = words.split_first().unwrap_or((&"--help", &[]));
        command.arg(first).arg(&run).args(rest);
        stdout_of(&mut command)
    };
    stdout_of(
        Command::new(&thixo)
            .args([
                "run",
                "snowballs-collide",
                "--preview",
                "--frames",
                "6",
                "--out",
            ])
            .arg(&run)
            .args(["--set", "output.formats=[\"ply\", \"vtp\", \"vtu\"]"])
            .args(["--set", "output.columns=[\"stress\"]"]),
    )?;
    // Matter that comes and goes.
    let jets = place.join("jets");
    let mut emitters = Command::new(&thixo);
    emitters.args([
        "run",
        "water-and-sand-jets",
        "--preview",
        "--frames",
        "8",
        "--out",
    ]);
    stdout_of(emitters.arg(&jets))?;
    let mut export = Command::new(&thixo);
    stdout_of(export.arg("export").arg(&jets).args(["--format", "vtkhdf"]))?;
    folder(&["export"])?;
    folder(&["export", "--format", "vtkhdf"])?;
    for format in ["usd", "glb", "ply", "obj", "stl"] {
        folder(&["mesh", "--format", format])?;
    }
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/readers");
    let mut readers = Command::new(&python);
    readers.arg(scripts.join("files.py")).arg(&run).arg(&jets);
    print!("{}", stdout_of(&mut readers)?);
    // Blender's importer of GLB depends on the order of Python's sets.
    for seed in 0..6 {
        let mut blender = Command::new(&python);
        blender.arg(scripts.join("blender.py")).arg(&run);
        blender.env("PYTHONHASHSEED", seed.to_string());
        print!("{}", stdout_of(&mut blender)?);
    }
    if options.picture {
        let mut picture = Command::new(&python);
        picture.arg(scripts.join("picture.py"));
        picture.arg(&thixo).arg(&place);
        picture.arg(workspace.root().join("docs/pictures/blender.png"));
        return exit_code(&mut picture);
    }
    Ok(ExitCode::SUCCESS)
}

/// An interpreter that has the packages, about 700 MB, made once.
fn environment(place: &Path) -> Result<PathBuf> {
    let python = place.join("bin/python");
    let imports = "import bpy, h5py, pyvista, pxr.Usd";
    let has_packages = || {
        let found = Command::new(&python).args(["-c", imports]).output();
        found.is_ok_and(|out| out.status.success())
    };
    if has_packages() {
        return Ok(python);
    }
    stdout_of(Command::new("python3").args(["-m", "venv"]).arg(place))?;
    let install = ["-m", "pip", "install", "--quiet"];
    stdout_of(Command::new(&python).args(install).args(PACKAGES))?;
    if !has_packages() {
        bail!("{} cannot do: {imports}", python.display());
    }
    Ok(python)
}
