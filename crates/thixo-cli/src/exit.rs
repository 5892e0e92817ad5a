//! Failures and their exit codes.

use std::io::Write;
use std::process::ExitCode;

use crate::run::interrupt;

/// Failure of a command; decides the exit code.
#[derive(Debug)]
pub enum Failure {
    /// The run went wrong: 1.
    Run(anyhow::Error),
    /// Bad input or usage: 2.
    Input(anyhow::Error),
    /// Somebody asked to stop, and the state is saved: 130.
    Interrupted(String),
}

impl Failure {
    /// Prints the error and returns the exit code.
    pub fn report(&self) -> ExitCode {
        let (message, code) = match self {
            Self::Run(error) => (format!("error: {error:#}"), 1),
            Self::Input(error) => (format!("error: {error:#}"), 2),
            Self::Interrupted(message) => (message.clone(), interrupt::EXIT_CODE),
        };
        // If even that cannot be written, the exit code still says it.
        let _ = writeln!(std::io::stderr(), "{message}");
        ExitCode::from(code)
    }
}
