//! How the program ends when something is wrong.

use std::io::Write;
use std::process::ExitCode;

/// Why a command failed; decides the exit code.
#[derive(Debug)]
pub enum Failure {
    /// The run went wrong: 1.
    Run(anyhow::Error),
    /// Bad input or usage: 2.
    Input(anyhow::Error),
}

impl Failure {
    /// Prints the error and returns the exit code.
    pub fn report(&self) -> ExitCode {
        let (error, code) = match self {
            Self::Run(error) => (error, 1),
            Self::Input(error) => (error, 2),
        };
        // Where even that cannot be written, the exit code still says it.
        let _ = writeln!(std::io::stderr(), "error: {error:#}");
        ExitCode::from(code)
    }
}
