//! Standard output.

use std::io::Write;

/// A line on standard output. That nobody reads it any more is no reason to stop.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
