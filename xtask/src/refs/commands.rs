//! Commands that pages give to their readers.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use clap::CommandFactory as _;

use super::Examined;
use crate::workspace::{Workspace, stdout_of};

/// Subcommands whose first argument is a scene, or the directory of a run.
const WITH_SCENE: [&str; 4] = ["run", "check", "render", "bench"];

/// Commands of the program and of this one, with their options.
pub struct Commands {
    /// Options of every subcommand of `thixo`.
    thixo: BTreeMap<String, BTreeSet<String>>,
    /// Chores.
    chores: BTreeSet<String>,
}

impl Commands {
    /// The commands as the program itself describes them.
    pub fn of(workspace: &Workspace) -> Result<Self> {
        let help = |arguments: &[&str]| {
            let mut cargo = workspace.cargo();
            cargo.args(["run", "--quiet", "--bin=thixo", "--"]);
            stdout_of(cargo.args(arguments).arg("--help"))
        };
        let overview = help(&[]).context("asking thixo for its commands")?;
        let listed = overview.split("Commands:").nth(1).unwrap_or_default();
        let listed = listed.lines().skip(1).take_while(|line| !line.is_empty());
        let mut thixo = BTreeMap::new();
        for name in listed.filter_map(|line| line.split_whitespace().next()) {
            let mut known = options(&help(&[name])?);
            known.insert("--help".to_owned());
            thixo.insert(name.to_owned(), known);
        }
        let xtask = crate::Cli::command();
        let chores = xtask.get_subcommands().map(|c| c.get_name().to_owned());
        Ok(Self {
            thixo,
            chores: chores.collect(),
        })
    }

    /// Looks at all commands of a page.
    pub fn examine(&self, page: &str, scenes: &BTreeSet<String>) -> Examined {
        let mut examined = Examined::default();
        // Scenes that the page tells its readers to make.
        let mut own = BTreeSet::new();
        for (number, words) in commands(page) {
            let line = |what: String| format!("{number}: {what}");
            if let ["xtask", chore, ..] = words[..] {
                let is_there = self.chores.contains(chore) || is_placeholder(chore);
                examined.look(is_there, || line(format!("there is no chore {chore}")));
                continue;
            }
            let ["thixo", subcommand, arguments @ ..] = &words[..] else {
                continue;
            };
            if is_placeholder(subcommand) || subcommand.starts_with('-') {
                continue;
            }
            let Some(options) = self.thixo.get(*subcommand) else {
                examined.look(false, || line(format!("there is no thixo {subcommand}")));
                continue;
            };
            examined.count += 1;
            for option in arguments.iter().filter(|word| word.starts_with("--")) {
                let option = option.split('=').next().unwrap_or(option);
                examined.look(options.contains(option), || {
                    line(format!("thixo {subcommand} has no option {option}"))
                });
            }
            let Some(first) = arguments.first().filter(|word| !word.starts_with('-')) else {
                continue;
            };
            if *subcommand == "new" {
                own.insert((*first).to_owned());
            }
            let is_name = !first.contains(['.', '/', '…', '<']) && !is_placeholder(first);
            if WITH_SCENE.contains(subcommand) && is_name {
                let is_there = scenes.contains(*first) || own.contains(*first);
                examined.look(is_there, || line(format!("there is no scene {first}")));
            }
        }
        examined
    }
}

/// True of words in capitals, which stand for something.
fn is_placeholder(word: &str) -> bool {
    word.contains('…')
        || word
            .chars()
            .all(|c| c.is_ascii_uppercase() || "_-[]<>".contains(c))
}

/// The long options in a help text.
fn options(help: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let words = help.split(|c: char| !is_part(c));
    words
        .filter(|word| word.starts_with("--") && word.len() > 2)
        .map(str::to_owned)
        .collect()
}

/// The words of the commands of a page, in fenced blocks and between backquotes, with the numbers
/// of their lines.
fn commands(page: &str) -> Vec<(usize, Vec<&str>)> {
    let mut found = Vec::new();
    let mut is_fenced = false;
    for (number, line) in page.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
            continue;
        }
        if is_fenced {
            found.extend(command(line).map(|words| (number + 1, words)));
        } else {
            let quoted = line.split('`').skip(1).step_by(2);
            found.extend(quoted.filter_map(command).map(|words| (number + 1, words)));
        }
    }
    found
}

/// The words of a command, from the name of the program on; none if the text is no command.
fn command(text: &str) -> Option<Vec<&str>> {
    let text = text.trim_start_matches(['$', ' ']);
    let own = text
        .strip_prefix("cargo run --release -p thixo-cli -- ")
        .or_else(|| text.strip_prefix("cargo run -p thixo-cli -- "));
    let words = match (own, text.strip_prefix("cargo xtask ")) {
        (Some(rest), _) => ["thixo"].into_iter().chain(until_end(rest)).collect(),
        (_, Some(rest)) => ["xtask"].into_iter().chain(until_end(rest)).collect(),
        _ if text.starts_with("thixo ") => until_end(text).collect(),
        _ => return None,
    };
    Some(words)
}

/// The words up to a comment, a pipe or the next command.
fn until_end(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split_whitespace();
    words.take_while(|word| !["#", "|", "&&", ";", ">"].contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Commands {
        let run = options("  --out <DIR>\n  --preview  Take the smaller one\n");
        Commands {
            thixo: [("run".to_owned(), run), ("new".to_owned(), BTreeSet::new())].into(),
            chores: ["ci".to_owned()].into(),
        }
    }

    #[test]
    fn commands_that_do_not_exist_are_found() {
        let scenes = ["snowball".to_owned()].into();
        let broken = |page: &str| known().examine(page, &scenes).broken;
        assert_eq!(broken("`thixo run snowball --preview`"), [""; 0]);
        assert_eq!(
            broken("`thixo run snowbal`"),
            ["1: there is no scene snowbal"]
        );
        assert_eq!(
            broken("```sh\nthixo run SCENE --previw # x\n```"),
            ["2: thixo run has no option --previw"]
        );
        assert_eq!(broken("`thixo fly`"), ["1: there is no thixo fly"]);
        assert_eq!(broken("`thixo new mine`, `thixo run mine`"), [""; 0]);
        assert_eq!(broken("`cargo xtask cj`"), ["1: there is no chore cj"]);
        let cargo = "`cargo run --release -p thixo-cli -- run gone --render`";
        assert_eq!(broken(cargo).len(), 2);
    }
}
