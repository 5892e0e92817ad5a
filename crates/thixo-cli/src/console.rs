//! Lines on standard output and standard error. A closed pipe is no reason to stop.

use std::io::Write;

/// A line on standard output.
pub fn print_line(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// A line on standard error.
pub fn warn(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
