//! Superscripts in texts: what is between `^{` and `}` is smaller and raised.

/// Size of superscripts, as a share of the size of the others.
pub const RAISED_SIZE: f64 = 0.72;
/// Rise of superscripts, as a share of the size of the others.
pub const RAISED_BY: f64 = 0.36;

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span<'a> {
    /// Its letters.
    pub text: &'a str,
    /// True for a superscript.
    pub is_raised: bool,
}

/// A text in parts that are raised and parts that are not.
pub fn spans(text: &str) -> Vec<Span<'_>> {
    let mut spans = Vec::new();
    let mut rest = text;
    while let Some((before, raised, after)) = rest.split_once("^{").and_then(|(before, rest)| {
        let (raised, after) = rest.split_once('}')?;
        Some((before, raised, after))
    }) {
        spans.extend([(before, false), (raised, true)]);
        rest = after;
    }
    spans.push((rest, false));
    let span = |(text, is_raised)| Span { text, is_raised };
    let spans = spans.into_iter().filter(|(text, _)| !text.is_empty());
    spans.map(span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_raised() {
        let parts = |text| {
            let spans = spans(text).into_iter();
            spans.map(|s| (s.text, s.is_raised)).collect::<Vec<_>>()
        };
        assert_eq!(
            parts("energy [10^{3} J]"),
            [("energy [10", false), ("3", true), (" J]", false)]
        );
        assert_eq!(parts("a^{b"), [("a^{b", false)]);
        assert_eq!(parts("^{−2}"), [("−2", true)]);
        assert_eq!(parts(""), []);
    }
}
