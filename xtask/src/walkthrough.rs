//! The walk-through of CONTRIBUTING.md, followed to the letter: its material is added to a copy of
//! the workspace as one new file and one line in each of two lists, and its scene is run there.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};

use crate::workspace::{Workspace, exit_code};

/// The parts of the workspace that a scene needs to run.
const MEMBERS: [&str; 6] = [
    "crates/thixo-math",
    "crates/thixo-par",
    "crates/thixo-material",
    "crates/thixo-poisson",
    "crates/thixo",
    "crates/thixo-scene",
];

/// The line that makes the file a module, and a line that it stands before.
const MODULE: (&str, &str) = ("pub mod rubber;", "pub(crate) mod st_venant_kirchhoff;");

/// The line that makes the law known, and a line that it stands before.
const LISTED: (&str, &str) = (
    "&elastic::rubber::DESCRIPTION,",
    "&fluid::weakly_compressible::DESCRIPTION,",
);

/// Adds the material of the walk-through to a copy of the workspace and runs its scene.
pub fn run(workspace: &Workspace) -> Result<ExitCode> {
    let page = fs::read_to_string(workspace.root().join("CONTRIBUTING.md"))?;
    let (_, section) = page
        .split_once("## A new material")
        .context("CONTRIBUTING.md has no section on a new material")?;
    let copy = workspace.target_directory()?.join("walkthrough");
    for part in MEMBERS.into_iter().chain(["scenes"]) {
        let target = copy.join(part);
        if target.exists() {
            fs::remove_dir_all(&target)?;
        }
        copy_directory(&workspace.root().join(part), &target)?;
    }
    let manifest = fs::read_to_string(workspace.root().join("Cargo.toml"))?;
    fs::write(copy.join("Cargo.toml"), with_members(&manifest)?)?;
    fs::copy(workspace.root().join("Cargo.lock"), copy.join("Cargo.lock"))?;

    let laws = copy.join("crates/thixo-material/src");
    fs::write(laws.join("elastic/rubber.rs"), source(section)?)?;
    insert(section, &laws.join("elastic/mod.rs"), MODULE)?;
    insert(section, &laws.join("laws.rs"), LISTED)?;
    fs::write(copy.join("rubber.toml"), block(section, "toml")?)?;
    ensure!(
        section.contains("thixo run rubber.toml"),
        "the section does not say how to run its scene"
    );

    // Nothing is optimised: the scene is small, and building is what takes time.
    exit_code(
        workspace
            .cargo()
            .args(["run", "--quiet", "-p", "thixo-scene"])
            .args(["--config", "profile.dev.opt-level=0"])
            .args(["--config", "profile.dev.package.\"*\".opt-level=0"])
            .args(["--example", "run_scene", "--", "rubber.toml"])
            .current_dir(&copy)
            .env("CARGO_TARGET_DIR", copy.join("target")),
    )
}

/// The file that the page describes: the law in words of the crate itself, without the example of
/// use, and its description.
fn source(section: &str) -> Result<String> {
    let code = block(section, "rust")?;
    let (law, _) = code
        .split_once("# fn main()")
        .context("the code has no example of use")?;
    let law = law
        .replace("use thixo::material::", "use crate::")
        .replace("Lanewise, ", "")
        .replace(", conformance}", "}")
        .replace("use thixo::{Material, Seed, Setup, Simulation};\n", "")
        .replace("struct Rubber", "pub struct Rubber")
        .replace("    fn new(", "    pub fn new(");
    let description = block(section, "rust,ignore")?;
    Ok(format!("//! Rubber.\n\n{law}\n{description}"))
}

/// The first block of code in a language, without the indentation of its fence.
fn block(section: &str, language: &str) -> Result<String> {
    let fence = format!("```{language}\n");
    let (before, rest) = section
        .split_once(&fence)
        .with_context(|| format!("the section has no block of {language}"))?;
    let (code, _) = rest.split_once("```").context("a block has no end")?;
    let indentation = before.rsplit('\n').next().unwrap_or_default();
    let lines = code.lines();
    let lines = lines.map(|line| line.strip_prefix(indentation).unwrap_or(line));
    Ok(lines.map(|line| format!("{line}\n")).collect())
}

/// Adds a line that the section names to a file, before another one.
fn insert(section: &str, path: &Path, (line, before): (&str, &str)) -> Result<()> {
    ensure!(
        section.contains(&format!("`{line}`")),
        "the section does not name the line {line}"
    );
    let text = fs::read_to_string(path)?;
    let name = path.display();
    ensure!(text.contains(before), "{name} has no line {before}");
    let with_line = text.replacen(before, &format!("{line}\n{before}"), 1);
    fs::write(path, with_line)?;
    Ok(())
}

/// The workspace's manifest with nothing but the parts that are copied.
fn with_members(manifest: &str) -> Result<String> {
    let start = manifest.find("members").context("no members")?;
    let end = start + manifest[start..].find(']').context("no end of members")? + 1;
    let (head, tail) = (&manifest[..start], &manifest[end..]);
    Ok(format!("{head}members = {MEMBERS:?}{tail}"))
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
