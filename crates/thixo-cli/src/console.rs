//! Lines on standard output and standard error. A closed pipe is no reason to stop, and no failure:
//! nobody listens any more. Lines that are lost otherwise, on a full disk, are a failure of the
//! command, told at its end.

use std::io::{self, ErrorKind, Write};
use std::sync::OnceLock;

/// The first failure to write to standard output.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// A line on standard output. If it is lost, [`lost_output`] knows.
pub fn print_line(line: &str) {
    keep_failure(writeln!(io::stdout(), "{}", printable(line)));
}

/// The reason why lines on standard output were lost, if any were and somebody listens. Call it at
/// the end of the program.
pub fn lost_output() -> Option<&'static io::Error> {
    keep_failure(io::stdout().flush());
    LOST.get()
}

fn keep_failure(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        let _ = LOST.set(error);
    }
}

/// A line on standard error.
pub fn warn(line: &str) {
    let _ = writeln!(io::stderr(), "{}", printable(line));
}

/// A text without the characters that steer terminals: titles and names come from files of others.
pub fn printable(text: &str) -> String {
    let steers = |c: char| c.is_control() && c != '\n' && c != '\t';
    let kept = text.chars().map(|c| if steers(c) { '\u{fffd}' } else { c });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_printed_steers_the_terminal() {
        let title = "a\u{1b}[31mred\u{1b}]0;title\u{7}\r\u{9b}1mb\n\tc";
        let shown = printable(title);
        assert_eq!(
            shown,
            "a\u{fffd}[31mred\u{fffd}]0;title\u{fffd}\u{fffd}\u{fffd}1mb\n\tc"
        );
    }
}
