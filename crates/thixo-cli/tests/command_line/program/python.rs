//! A Python with the packages that people read frames with.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGES: [&str; 3] = ["numpy", "plyfile", "meshio"];

/// An interpreter that has them, made once if need be; none where there is no Python or no network.
pub fn python() -> Option<PathBuf> {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    // Tests of several programs may come here at the same time.
    let lock = File::create(place.join("python-readers.lock")).unwrap();
    lock.lock().unwrap();
    let environment = place.join("python-readers");
    let python = environment.join("bin/python");
    let works = |command: &mut Command| command.output().is_ok_and(|out| out.status.success());
    let has_packages =
        || works(Command::new(&python).args(["-c", &format!("import {}", PACKAGES.join(", "))]));
    let venv = |command: &mut Command| works(command.args(["-m", "venv"]).arg(&environment));
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--retries",
        "0",
        "--timeout",
        "15",
    ];
    let made = has_packages()
        || (venv(&mut Command::new("python3"))
            && works(Command::new(&python).args(install).args(PACKAGES))
            && has_packages());
    if !made {
        eprintln!(
            "skipped: there is no Python with {}, and none could be installed",
            PACKAGES.join(", ")
        );
    }
    made.then_some(python)
}
