//! What is said to the user. That nobody reads it any more is no reason to stop.

use std::io::Write;

/// A line on standard output.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// A line on standard error.
pub fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
