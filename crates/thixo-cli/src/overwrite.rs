//! Files that exist already are replaced only with `--overwrite`.

use std::path::Path;

use anyhow::{Error, bail};

/// Refuses to replace the first of some files that exists.
pub fn refuse_existing<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<(), Error> {
    for path in paths {
        let path = path.as_ref();
        if path.exists() {
            bail!(
                "{} exists already; replace it with --overwrite",
                path.display()
            );
        }
    }
    Ok(())
}
