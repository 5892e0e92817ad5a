//! The option `--precision`.

use clap::ValueEnum;
use thixo_scene::Precision;

/// Width of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PrecisionChoice {
    /// Single.
    F32,
    /// Double.
    F64,
}

impl From<PrecisionChoice> for Precision {
    fn from(choice: PrecisionChoice) -> Self {
        match choice {
            PrecisionChoice::F32 => Self::F32,
            PrecisionChoice::F64 => Self::F64,
        }
    }
}
