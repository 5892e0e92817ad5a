//! Effects of sampling, kernel and material model on a result: \[Nilles2020\] Fig. 17 to 25 as
//! numbers.
//!
//! `fracture` tears bars (Fig. 18, 19), `fluids` lets columns of liquid collapse (Fig. 20, 24),
//! `spheres` drops balls (Fig. 17, 21, 25). Each says what is demanded, why, and which controls
//! must miss; what depends on the example is recorded.

mod fluids;
mod fracture;
mod spheres;

use anyhow::Result;

use crate::{Effort, Row};

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let mut rows = fracture::run(effort)?;
    rows.extend(fluids::run(effort)?);
    rows.extend(spheres::run(effort)?);
    Ok(rows)
}
