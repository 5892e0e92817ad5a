//! What sampling, kernel and material model do to a result: \[Nilles2020\] Fig. 17 to 25 as numbers.

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
