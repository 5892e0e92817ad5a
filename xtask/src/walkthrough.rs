//! The walk-through of CONTRIBUTING.md, followed to the letter: its material is added to a copy of
//! the core as one new file and one line, and must compile there.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};

use crate::workspace::{Workspace, exit_code};

/// The line that the walk-through adds.
const LINE: &str = "pub mod rubber;\n";

/// Adds the material of the walk-through to a copy of the core and checks it.
pub fn run(workspace: &Workspace) -> Result<ExitCode> {
    let page = fs::read_to_string(workspace.root().join("CONTRIBUTING.md"))?;
    let copy = workspace.target_directory()?.join("walkthrough");
    if copy.exists() {
        fs::remove_dir_all(&copy)?;
    }
    for part in [
        "crates/thixo-material",
        "crates/thixo-math",
        "crates/thixo-par",
    ] {
        copy_directory(&workspace.root().join(part), &copy.join(part))?;
    }
    let manifest = fs::read_to_string(workspace.root().join("Cargo.toml"))?;
    fs::write(copy.join("Cargo.toml"), with_members(&manifest)?)?;
    fs::copy(workspace.root().join("Cargo.lock"), copy.join("Cargo.lock"))?;

    let family = copy.join("crates/thixo-material/src/elastic");
    fs::write(family.join("rubber.rs"), source(&page)?)?;
    let list = family.join("mod.rs");
    let before = fs::read_to_string(&list)?;
    let place = before.find("\nmod ").context("a list of modules")? + 1;
    let (head, tail) = before.split_at(place);
    fs::write(&list, format!("{head}{LINE}{tail}"))?;

    let target = copy.join("target");
    exit_code(
        workspace
            .cargo()
            .args(["check", "--quiet", "-p", "thixo-material"])
            .current_dir(&copy)
            .env("CARGO_TARGET_DIR", target),
    )
}

/// The file that the page describes: its code without the example of use, in words of the crate
/// itself.
fn source(page: &str) -> Result<String> {
    let section = page
        .split_once("## A new material")
        .context("CONTRIBUTING.md has no section on a new material")?
        .1;
    let code = section
        .split_once("```rust\n")
        .and_then(|(_, rest)| rest.split_once("```"))
        .context("the section has no code")?
        .0;
    let (model, _) = code
        .split_once("# fn main()")
        .context("the code has no example of use")?;
    ensure!(
        section.contains(LINE.trim()) && section.contains("compiled!(Rubber);"),
        "the section does not name the line and the macro"
    );
    let model = model
        .replace(
            "use thixo::material::potential::NoPotential;",
            "use crate::potential::NoPotential;",
        )
        .replace(
            "use thixo::material::{Constitutive, Lanewise, MAX_PARAMETERS, Model, conformance};",
            "use crate::{Constitutive, MAX_PARAMETERS, Model};",
        )
        .replace(
            "use thixo::material::parameters::ParameterError;",
            "use crate::parameters::ParameterError;",
        )
        .replace("use thixo::{Material, Seed, Setup, Simulation};\n", "")
        .replace("struct Rubber", "pub struct Rubber")
        .replace("    fn new(", "    pub fn new(");
    Ok(format!("//! Rubber.\n\n{model}\ncompiled!(Rubber);\n"))
}

/// The workspace's manifest with nothing but the laws.
fn with_members(manifest: &str) -> Result<String> {
    let start = manifest.find("members").context("no members")?;
    let end = start + manifest[start..].find(']').context("no end of members")? + 1;
    let members =
        "members = [\"crates/thixo-material\", \"crates/thixo-math\", \"crates/thixo-par\"]";
    Ok(format!(
        "{}{members}{}",
        &manifest[..start],
        &manifest[end..]
    ))
}

fn copy_directory(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_directory(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
