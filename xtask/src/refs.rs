//! References that must lead somewhere: equations, errata, papers, scenes, files and commands that
//! documents and comments name.

mod commands;
mod text;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};

use self::commands::Commands;
use self::text::{citations, errata, labels, links, numbers_of_equations, paths};
use crate::workspace::Workspace;

/// History: what it names may be gone.
const HISTORY: [&str; 2] = ["CHANGELOG.md", "docs/adr"];
/// A file that readers of CONTRIBUTING.md are told to make; `cargo xtask walkthrough` does so.
const TO_BE_MADE: &str = "crates/thixo-material/src/elastic/rubber.rs";
/// Files that hold references that lead nowhere on purpose: the tests of this chore.
const OWN: &str = "xtask/src/refs";

/// Everything that can be referred to.
struct Targets {
    equations: BTreeSet<String>,
    errata: BTreeSet<String>,
    papers: BTreeSet<String>,
    scenes: BTreeSet<String>,
    commands: Commands,
}

impl Targets {
    fn of(workspace: &Workspace) -> Result<Self> {
        let read = |name: &str| {
            let path = workspace.root().join(name);
            fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))
        };
        let bibliography = read("docs/references.bib")?;
        let keys = bibliography.lines().filter_map(|line| {
            let entry = line.strip_prefix('@')?;
            let (_, key) = entry.split_once('{')?;
            Some(key.trim_end_matches(',').trim().to_owned())
        });
        let mut scenes = BTreeSet::new();
        for entry in fs::read_dir(workspace.root().join("scenes"))? {
            let path = entry?.path();
            if path.extension().is_some_and(|end| end == "toml") {
                let name = path.file_stem().unwrap_or_default().to_string_lossy();
                scenes.insert(name.into_owned());
            }
        }
        Ok(Self {
            equations: labels(&read("docs/algorithm.md")?),
            errata: text::defined_errata(&read("docs/errata.md")?),
            papers: keys.collect(),
            scenes,
            commands: Commands::of(workspace)?,
        })
    }
}

/// Prints every reference that leads nowhere; fails if there is one.
pub fn run(workspace: &Workspace) -> Result<ExitCode> {
    let targets = Targets::of(workspace)?;
    let files = workspace.tracked_files()?;
    let (mut count, mut broken) = (0, Vec::new());
    for file in files.iter().filter(|file| !file.starts_with(OWN)) {
        let path = workspace.root().join(file);
        let kind = path.extension().unwrap_or_default().to_string_lossy();
        if !matches!(&*kind, "rs" | "md" | "toml") || !path.is_file() {
            continue;
        }
        let text = fs::read_to_string(&path).with_context(|| format!("reading {file}"))?;
        for (number, line) in text.lines().enumerate() {
            let found = examine(workspace.root(), &targets, (file, &kind), line);
            count += found.count;
            let place = format!("{file}:{}", number + 1);
            broken.extend(
                found
                    .broken
                    .into_iter()
                    .map(|what| format!("{place}: {what}")),
            );
        }
        if kind == "md" && !is_history(file) {
            let found = targets.commands.examine(&text, &targets.scenes);
            count += found.count;
            broken.extend(
                found
                    .broken
                    .into_iter()
                    .map(|what| format!("{file}:{what}")),
            );
        }
    }
    for line in &broken {
        println!("{line}");
    }
    println!("{count} references, {} lead nowhere", broken.len());
    Ok(match broken.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// References that were looked at.
#[derive(Default)]
struct Examined {
    count: usize,
    /// Descriptions of those that lead nowhere.
    broken: Vec<String>,
}

impl Examined {
    fn look(&mut self, is_there: bool, otherwise: impl FnOnce() -> String) {
        self.count += 1;
        if !is_there {
            self.broken.push(otherwise());
        }
    }
}

fn is_history(file: &str) -> bool {
    HISTORY.iter().any(|old| file.starts_with(old))
}

/// The references of a line. In code only comments count.
fn examine(root: &Path, targets: &Targets, (file, kind): (&str, &str), line: &str) -> Examined {
    let mut examined = Examined::default();
    let prose = match kind {
        "rs" => match line.split_once("//") {
            Some((_, comment)) => comment,
            None => return examined,
        },
        "toml" => match line.split_once('#') {
            Some((_, comment)) => comment,
            None => return examined,
        },
        _ => line,
    };
    for key in citations(prose) {
        let is_there = targets.papers.contains(&key);
        examined.look(is_there, || {
            format!("[{key}] is not in docs/references.bib")
        });
    }
    for number in errata(prose) {
        let is_there = targets.errata.contains(&number);
        examined.look(is_there, || format!("{number} is not in docs/errata.md"));
    }
    if file != "docs/algorithm.md" {
        for label in numbers_of_equations(prose) {
            let is_there = targets.equations.contains(&label);
            examined.look(is_there, || {
                format!("equation ({label}) is not in docs/algorithm.md")
            });
        }
    }
    if is_history(file) {
        return examined;
    }
    for path in paths(prose) {
        let is_there = path == TO_BE_MADE || root.join(&path).exists();
        examined.look(is_there, || format!("there is no {path}"));
    }
    if kind == "md" {
        let folder = root.join(file).parent().map(PathBuf::from);
        for link in links(prose) {
            let is_there = folder.as_ref().is_some_and(|f| f.join(&link).exists());
            examined.look(is_there, || format!("the link {link} leads nowhere"));
        }
    }
    examined
}
