//! `docs/cli.md`: the help of all commands as a page, checked to be current.

use std::fmt::Write;

use clap::{Command, CommandFactory};

use crate::Arguments;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cli.md");

/// The page: what `--help` prints, command by command.
fn page() -> String {
    let mut program = Arguments::command().term_width(100);
    program.build();
    let mut out = String::from(
        "# The command line\n\nWhat `--help` prints. A test keeps this page current; `THIXO_BLESS=1 cargo test -p thixo-cli` writes it anew.\n",
    );
    section(&mut out, &mut program);
    for command in program.get_subcommands_mut() {
        if command.get_name() != "help" {
            section(&mut out, command);
        }
    }
    out
}

fn section(out: &mut String, command: &mut Command) {
    let name = command.get_bin_name().unwrap_or("thixo").to_owned();
    let help = command.render_long_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "\n## {name}\n\n```text\n{}\n```\n",
        lines.join("\n").trim_end()
    );
}

#[test]
fn the_page_of_the_command_line_is_current() {
    let page = page();
    if std::env::var_os("THIXO_BLESS").is_some() {
        std::fs::write(PAGE, &page).unwrap();
    }
    let written = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(
        written == page,
        "docs/cli.md is out of date; THIXO_BLESS=1 cargo test -p thixo-cli writes it anew"
    );
}

#[test]
fn every_command_has_json_and_help() {
    let mut program = Arguments::command();
    program.build();
    program.clone().debug_assert();
    for command in program.get_subcommands().filter(|c| c.get_name() != "help") {
        let name = command.get_name();
        assert!(command.get_about().is_some(), "{name} says what it does");
        let has_json = command.get_arguments().any(|a| a.get_id() == "json");
        assert!(has_json, "{name} takes --json");
    }
}
