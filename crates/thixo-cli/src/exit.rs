//! Failures and their exit codes.

use std::io::{self, ErrorKind};
use std::process::ExitCode;

use crate::console::warn;
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
            Self::Input(error) if is_failed_write(error) => (format!("error: {error:#}"), 1),
            Self::Input(error) => (format!("error: {error:#}"), 2),
            Self::Interrupted(message) => (message.clone(), interrupt::EXIT_CODE),
        };
        // If even that cannot be written, the exit code still says it.
        warn(&message);
        ExitCode::from(code)
    }
}

/// True if a disk is to blame and not the input.
fn is_failed_write(error: &anyhow::Error) -> bool {
    let mut causes = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|cause| {
        matches!(
            cause.kind(),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_no_bad_input() {
        let code = |kind: ErrorKind| {
            let error = anyhow::Error::from(io::Error::from(kind)).context("cannot write a.png");
            format!("{:?}", Failure::Input(error).report())
        };
        assert_eq!(
            code(ErrorKind::StorageFull),
            format!("{:?}", ExitCode::from(1))
        );
        assert_eq!(
            code(ErrorKind::NotFound),
            format!("{:?}", ExitCode::from(2))
        );
    }
}
