//! The layers of the core: which module uses which, from the bottom up. A cycle is an error.
//!
//! A module depends on another if one of its files names it by a path `crate::other`, tests and
//! comments aside.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

use crate::workspace::Workspace;

/// Modules by name, with the modules they use and, for each of those, the first place that does.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

/// Prints the layers, and the picture of them that ARCHITECTURE.md must show; fails on a cycle.
pub fn run(workspace: &Workspace) -> Result<ExitCode> {
    let uses = uses(&workspace.root().join("crates/thixo/src"))?;
    let layers = match layers(&uses) {
        Ok(layers) => layers,
        Err(knot) => bail!("{}", describe(&knot, &uses)),
    };
    let picture = picture(&layers, &uses);
    print!("{picture}");
    let page = fs::read_to_string(workspace.root().join("ARCHITECTURE.md"))?;
    if !page.contains(&picture) {
        bail!("ARCHITECTURE.md does not show these layers: put the lines above there");
    }
    Ok(ExitCode::SUCCESS)
}

/// Modules of a crate, each with those that it uses.
fn uses(source: &Path) -> Result<Uses> {
    let root = fs::read_to_string(source.join("lib.rs"))?;
    let declared = root.lines().filter_map(|line| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    let names: Vec<&str> = declared.collect();
    let mut uses = Uses::new();
    for name in &names {
        let mut files = Vec::new();
        let file = source.join(format!("{name}.rs"));
        if file.exists() {
            files.push(file);
        }
        let folder = source.join(name);
        if folder.exists() {
            collect(&folder, &mut files)?;
        }
        let own = uses.entry((*name).to_owned()).or_default();
        for file in files {
            let text = fs::read_to_string(&file)?;
            let place = file.strip_prefix(source).unwrap_or(&file);
            for (line, other) in paths(&text) {
                if other != *name && names.contains(&other.as_str()) {
                    own.entry(other)
                        .or_insert_with(|| format!("{}:{line}", place.display()));
                }
            }
        }
    }
    Ok(uses)
}

fn collect(folder: &Path, files: &mut Vec<std::path::PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("no {}", folder.display()))?;
    let mut paths: Vec<_> = entries
        .map(|e| e.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// The names after `crate::` in a source file, with their lines. Tests, which come last, and
/// comments do not count.
fn paths(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut in_group = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim() == "#[cfg(test)]" {
            break;
        }
        let code = line.split("//").next().unwrap_or_default();
        let mut add = |rest: &str| {
            let name: String = rest
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            if !name.is_empty() {
                found.push((number, name));
            }
        };
        for (_, rest) in code
            .match_indices("crate::")
            .map(|(k, w)| (k, &code[k + w.len()..]))
        {
            match rest.strip_prefix('{') {
                // `use crate::{a, b::c};`, on one line or several
                Some(group) => {
                    group
                        .split('}')
                        .next()
                        .unwrap_or(group)
                        .split(',')
                        .for_each(|item| add(item.trim()));
                    in_group = !group.contains('}');
                }
                None => add(rest),
            }
        }
        if in_group && !code.contains("crate::{") {
            code.split('}')
                .next()
                .unwrap_or(code)
                .split(',')
                .for_each(|item| add(item.trim()));
            in_group = !code.contains('}');
        }
    }
    found
}

/// Modules layer by layer, each using only modules of layers before its own; those that use each
/// other in a circle if there are some.
fn layers(uses: &Uses) -> Result<Vec<Vec<String>>, BTreeSet<String>> {
    let mut left: BTreeSet<String> = uses.keys().cloned().collect();
    let mut layers = Vec::new();
    while !left.is_empty() {
        let is_free = |name: &&String| uses[*name].keys().all(|other| !left.contains(other));
        let layer: Vec<String> = left.iter().filter(is_free).cloned().collect();
        if layer.is_empty() {
            return Err(knot(left, uses));
        }
        left.retain(|name| !layer.contains(name));
        layers.push(layer);
    }
    Ok(layers)
}

/// The modules of a set that lie on a cycle, or between two.
fn knot(mut left: BTreeSet<String>, uses: &Uses) -> BTreeSet<String> {
    loop {
        let is_used = |name: &&String| left.iter().any(|other| uses[other].contains_key(*name));
        let used: BTreeSet<String> = left.iter().filter(is_used).cloned().collect();
        if used.len() == left.len() {
            return left;
        }
        left = used;
    }
}

/// The edges of a knot, with a place for each.
fn describe(knot: &BTreeSet<String>, uses: &Uses) -> String {
    let mut text = "these modules of the core use each other in a circle:\n".to_owned();
    for name in knot {
        for (other, place) in uses[name].iter().filter(|(other, _)| knot.contains(*other)) {
            let _ = writeln!(text, "  {name} uses {other} ({place})");
        }
    }
    text + "move what both need to a module below them"
}

/// The layers from the bottom up, a line for each module with what it uses.
fn picture(layers: &[Vec<String>], uses: &Uses) -> String {
    let mut text = String::new();
    for (number, layer) in (1..).zip(layers) {
        for name in layer {
            let others: Vec<&str> = uses[name].keys().map(String::as_str).collect();
            let line = format!("{number:2} {name:<13} {}", others.join(" "));
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses_of(edges: &[(&str, &[&str])]) -> Uses {
        let module = |others: &[&str]| {
            let places = others
                .iter()
                .map(|o| ((*o).to_owned(), "a.rs:1".to_owned()));
            places.collect()
        };
        edges
            .iter()
            .map(|(name, others)| ((*name).to_owned(), module(others)))
            .collect()
    }

    #[test]
    fn layers_are_found_from_the_bottom_up() {
        let uses = uses_of(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[]), ("d", &[])]);
        let found = layers(&uses).unwrap();
        assert_eq!(found, [vec!["c", "d"], vec!["b"], vec!["a"]]);
        assert_eq!(
            picture(&found, &uses).lines().last(),
            Some(" 3 a             b c")
        );
    }

    #[test]
    fn a_cycle_is_refused_with_its_edges_and_nothing_else() {
        let uses = uses_of(&[
            ("a", &["b"]),
            ("b", &["c"]),
            ("c", &["a"]),
            ("top", &["a"]),
            ("low", &[]),
        ]);
        let knot = layers(&uses).unwrap_err();
        assert!(knot.iter().eq(["a", "b", "c"]));
        let said = describe(&knot, &uses);
        assert!(
            said.contains("c uses a (a.rs:1)") && !said.contains("top"),
            "{said}"
        );
    }

    #[test]
    fn paths_are_found_in_code_only() {
        let text = "use crate::grid::Node;\n// crate::comment\nuse crate::{collide, force::load};\nuse crate::{\n    kernel,\n    audit::Audit,\n};\nfn f() { crate::state::g() }\n#[cfg(test)]\nmod tests { use crate::tests_only; }\n";
        let names: Vec<String> = paths(text).into_iter().map(|(_, name)| name).collect();
        assert_eq!(
            names,
            ["grid", "collide", "force", "kernel", "audit", "state"]
        );
    }

    #[test]
    fn the_core_has_no_cycle() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/thixo/src");
        let uses = uses(&source).unwrap();
        if let Err(knot) = layers(&uses) {
            panic!("{}", describe(&knot, &uses));
        }
    }
}
