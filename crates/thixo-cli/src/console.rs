//! Lines on standard output and standard error. A closed pipe is no reason to stop.

use std::io::Write;

/// A line on standard output.
pub fn print_line(line: &str) {
    let _ = writeln!(std::io::stdout(), "{}", printable(line));
}

/// A line on standard error.
pub fn warn(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", printable(line));
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
