//! Identity of the build: two programs with the same one give the same numbers.
//!
//! `THIXO_COMMIT` is the commit, with `-dirty` if files differ from it, and `unknown` outside of a
//! repository. `THIXO_BUILD` tells apart what the numbers depend on: the sources of the crates that
//! compute, the versions of what they use, and the compiler.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Crates whose code decides the numbers of a run.
const COMPUTING: [&str; 6] = [
    "thixo-math",
    "thixo-par",
    "thixo-material",
    "thixo-poisson",
    "thixo",
    "thixo-scene",
];

fn main() {
    let own = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let crates = own.parent().unwrap_or(&own).to_owned();
    let root = crates.parent().unwrap_or(&crates).to_owned();

    let mut files = vec![root.join("Cargo.lock")];
    for name in COMPUTING {
        let sources = crates.join(name).join("src");
        // A folder is new when any file in it is.
        println!("cargo::rerun-if-changed={}", sources.display());
        collect(&sources, &mut files);
    }
    files.sort();
    let mut hash = Fnv::default();
    for file in &files {
        let name = file.strip_prefix(&root).unwrap_or(file);
        hash.add(name.to_string_lossy().as_bytes());
        hash.add(&fs::read(file).unwrap_or_default());
    }
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiler = said(Command::new(rustc).arg("--version")).unwrap_or_default();
    hash.add(compiler.as_bytes());
    hash.add(std::env::var("TARGET").unwrap_or_default().as_bytes());
    println!("cargo::rustc-env=THIXO_BUILD={:016x}", hash.0);

    for file in ["HEAD", "logs/HEAD"] {
        let file = root.join(".git").join(file);
        if file.exists() {
            println!("cargo::rerun-if-changed={}", file.display());
        }
    }
    let describe = [
        "describe",
        "--always",
        "--dirty",
        "--abbrev=12",
        "--exclude=*",
    ];
    let commit = said(Command::new("git").args(describe).current_dir(&root));
    let commit = commit.unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=THIXO_COMMIT={commit}");
}

/// All Rust files below a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
}

/// Output of a command that succeeds.
fn said(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|o| o.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned())
}

/// The hash of Fowler, Noll and Vo, 64 bits, variant 1a, of texts of any length.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        let length = (bytes.len() as u64).to_le_bytes();
        for byte in length.iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}
