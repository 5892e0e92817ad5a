//! Places of the characters of a TOML string in the file.

use std::ops::Range;

/// The part of a string as it is written, quotes and escapes and all, that became some bytes of its
/// content.
pub(crate) fn written_part(written: &str, content: &Range<usize>) -> Option<Range<usize>> {
    let quotes = ["\"\"\"", "'''", "\"", "'"];
    let quote = quotes
        .into_iter()
        .find(|quote| written.starts_with(quote))?;
    let end = written.len().checked_sub(quote.len())?;
    let mut at = quote.len();
    if quote.len() == 3 {
        // The first line break is not part of the content.
        let rest = &written[at..];
        at += match rest.strip_prefix('\r').unwrap_or(rest).starts_with('\n') {
            true => 1 + usize::from(rest.starts_with('\r')),
            false => 0,
        };
    }
    let mut decoded = 0;
    let mut start = None;
    while at < end {
        if decoded >= content.end {
            break;
        }
        let rest = &written[at..];
        let (written_bytes, content_bytes) = match rest.strip_prefix('\\') {
            Some(escape) if quote.starts_with('"') => escaped(escape)?,
            _ => rest.chars().next().map(|c| (c.len_utf8(), c.len_utf8()))?,
        };
        if decoded >= content.start && content_bytes > 0 {
            start = start.or(Some(at));
        }
        at += written_bytes;
        decoded += content_bytes;
    }
    Some(start.unwrap_or(at)..at)
}

/// Bytes of an escape as written and as content, given what follows its backslash.
fn escaped(escape: &str) -> Option<(usize, usize)> {
    let digits = match escape.chars().next()? {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        // At the end of a line, a backslash takes all white space with it.
        c if c.is_whitespace() => return Some((1 + escape.len() - escape.trim_start().len(), 0)),
        c => return Some((1 + c.len_utf8(), 1)),
    };
    let code = u32::from_str_radix(escape.get(1..=digits)?, 16).ok()?;
    Some((2 + digits, char::from_u32(code)?.len_utf8()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_character_is_found(content in "[ -~\\n\\t\\r\u{1}é\u{1F600}]{0,12}") {
            let written = toml::Value::String(content.clone()).to_string();
            for (start, character) in content.char_indices() {
                let part = start..start + character.len_utf8();
                let part = &written[written_part(&written, &part).unwrap()];
                let quotes = if written.starts_with('"') { "\"\"\"" } else { "'''" };
                let table = format!("a = {quotes}({part}){quotes}");
                let table: toml::Table = toml::from_str(&table).unwrap();
                prop_assert_eq!(table["a"].as_str().unwrap(), format!("({character})"));
            }
        }

        #[test]
        fn nothing_panics(written in "[\"'ux\\\\09é\\n ]{0,20}", start in 0..9_usize, length in 0..5_usize) {
            if let Some(part) = written_part(&written, &(start..start + length)) {
                prop_assert!(written.get(part).is_some());
            }
        }
    }

    /// The written part for every piece of the content, found by reading the string with the TOML
    /// reader.
    fn check(written: &str, piece: &str, expected: &str) {
        let table: toml::Table = toml::from_str(&format!("a = {written}")).unwrap();
        let content = table["a"].as_str().unwrap();
        let start = content.find(piece).unwrap();
        let part = written_part(written, &(start..start + piece.len())).unwrap();
        assert_eq!(&written[part], expected, "{written}");
    }

    #[test]
    fn plain_strings_only_have_quotes() {
        check("\"x + yy\"", "yy", "yy");
        check("'x + yy'", "yy", "yy");
        check("\"é + yy\"", "yy", "yy");
        check("'a \\ yy'", "yy", "yy");
    }

    #[test]
    fn escapes_are_longer_than_what_they_mean() {
        check(r#""\t\"é\" \u00e9 yy""#, "yy", "yy");
        check(r#""a\u002bb""#, "+", "\\u002b");
        check(r#""\U0001F600 yy""#, "yy", "yy");
    }

    #[test]
    fn strings_of_several_lines_lose_line_breaks() {
        check("\"\"\"\nx +\nyy\"\"\"", "yy", "yy");
        check("\"\"\"x + \\\n   yy\"\"\"", "yy", "yy");
        check("'''\nx +\n  yy'''", "yy", "yy");
        check("\"\"\"\r\nx +\r\nyy\"\"\"", "yy", "yy");
    }

    #[test]
    fn the_end_of_the_content_is_the_closing_quote() {
        assert_eq!(written_part("\"x +\"", &(3..3)), Some(4..4));
        assert_eq!(written_part("12", &(0..1)), None);
    }
}
