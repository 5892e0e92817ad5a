//! The tests of the Python package, in an environment of their own. Where there is no Python or no
//! network they are skipped, and that is said.

#![allow(clippy::unwrap_used)] // tests, with helpers outside their functions

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGES: [&str; 4] = ["numpy", "pytest", "mypy", "h5py"];
const IMPORTS: &str = "import numpy, pytest, mypy, h5py";

/// An interpreter that has the packages, made once if need be.
fn python(place: &Path) -> Option<PathBuf> {
    let environment = place.join("python-package");
    let python = environment.join("bin/python");
    let works = |command: &mut Command| command.output().is_ok_and(|out| out.status.success());
    let has_packages = || works(Command::new(&python).args(["-c", IMPORTS]));
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
        || (works(
            Command::new("python3")
                .args(["-m", "venv"])
                .arg(&environment),
        ) && works(Command::new(&python).args(install).args(PACKAGES))
            && has_packages());
    made.then_some(python)
}

/// The package as a wheel would install it: the Python half, and the native one that Cargo built.
fn install(place: &Path) -> PathBuf {
    let site = place.join("python-site");
    let _ = fs::remove_dir_all(&site);
    let package = site.join("thixo");
    fs::create_dir_all(&package).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/thixo");
    for entry in fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, package.join(path.file_name().unwrap())).unwrap();
        }
    }
    let program = std::env::current_exe().unwrap();
    // Beside the tests: it is their library.
    let built = program.parent().unwrap();
    let name = format!(
        "{}_thixo{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    fs::copy(built.join(name), package.join("_thixo.abi3.so")).unwrap();
    site
}

#[test]
fn the_tests_of_the_package_pass() {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let Some(python) = python(place) else {
        eprintln!(
            "skipped the tests of the Python package: there is no Python 3 with {}, and none could be installed",
            PACKAGES.join(", ")
        );
        return;
    };
    let site = install(place);
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tests = Command::new(python)
        .args([
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--durations=5",
        ])
        .arg(crate_folder.join("tests"))
        .env("PYTHONPATH", &site)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(&site)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&tests.stdout);
    println!("{said}");
    assert!(
        tests.status.success(),
        "{said}\n{}",
        String::from_utf8_lossy(&tests.stderr)
    );
}
