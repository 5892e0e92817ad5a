//! Ctrl-C and polite requests to end: the run saves its state first. Asked twice, it ends at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use anyhow::{Context, Error};

/// Exit code of an interrupted program, by the convention of shells.
pub const EXIT_CODE: u8 = 130;

/// Listens to SIGINT and SIGTERM from now on; the flag is set when one comes.
pub fn flag() -> Result<Arc<AtomicBool>, Error> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    if let Some(flag) = FLAG.get() {
        return Ok(Arc::clone(flag));
    }
    let flag = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&flag);
    ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::Relaxed) {
            // Files appear under their names only when they are complete: there is nothing to tidy
            // up.
            std::process::exit(i32::from(EXIT_CODE));
        }
    })
    .context("cannot listen to Ctrl-C")?;
    Ok(Arc::clone(FLAG.get_or_init(|| flag)))
}
