//! `thixo help`: the help of the program or of a command.

use anyhow::anyhow;
use clap::{Args, Command};
use thixo_scene::nearest;

use crate::console::print_line;
use crate::exit::Failure;

/// Options of `thixo help`.
#[derive(Args)]
pub struct Help {
    /// The command; the whole program unless named.
    command: Option<String>,
}

impl Help {
    /// Prints the help of a command of a program.
    pub fn run(&self, mut program: Command) -> Result<(), Failure> {
        program.build();
        let Some(name) = &self.command else {
            print_line(&program.render_long_help().to_string());
            return Ok(());
        };
        if let Some(command) = program.find_subcommand_mut(name) {
            print_line(&command.render_long_help().to_string());
            return Ok(());
        }
        let known: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
        let hint = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("the commands are {}", known.join(", ")),
        };
        Err(Failure::Input(anyhow!(
            "there is no command \"{name}\"; {hint}"
        )))
    }
}
