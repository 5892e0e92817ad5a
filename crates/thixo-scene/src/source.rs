//! The text a scene was read from, and where in it every key is.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Problem, SceneError};
use crate::string;

/// Name and text of a scene file with the places of its keys. A scene made in code has none.
///
/// Two sources always compare equal: where a scene was read does not change what it says.
#[derive(Clone, Debug, Default)]
pub struct Source {
    name: String,
    text: String,
    directory: PathBuf,
    keys: BTreeMap<String, KeySpans>,
    /// The file before values of it were replaced, to whose lines errors refer.
    file: Option<Box<Source>>,
}

/// Most characters of a line that errors show.
const LONGEST_LINE: usize = 160;
/// Characters before the mark in a line of which they show a part.
const BEFORE_MARK: usize = 60;

/// Bytes of a key and of its value.
#[derive(Clone, Debug)]
struct KeySpans {
    key: Range<usize>,
    value: Range<usize>,
}

/// A location in a scene file: line, column, and the characters that are marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Characters that are marked.
    pub width: usize,
    /// The line itself.
    pub text: String,
}

impl PartialEq for Source {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Source {
    /// A text before it is parsed.
    pub(crate) fn new(name: &str, text: &str, directory: &Path) -> Self {
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            directory: directory.to_owned(),
            keys: BTreeMap::new(),
            file: None,
        }
    }

    /// The same of a text that was a file before values of it were replaced.
    pub(crate) fn replaced_in(mut self, file: &str) -> Self {
        if let Ok(root) = DeTable::parse(file)
            && file != self.text
        {
            let mut source = Self::new(&self.name, file, &self.directory);
            source.index(root.get_ref());
            self.file = Some(Box::new(source));
        }
        self
    }

    /// The folder that files are relative to: empty for the current one.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Notes where the keys of a parsed text are.
    pub(crate) fn index(&mut self, root: &DeTable<'_>) {
        self.index_table("", root);
    }

    fn index_table(&mut self, prefix: &str, table: &DeTable<'_>) {
        for (key, value) in table.iter() {
            let name: &str = key.get_ref();
            let path = match prefix {
                "" => name.to_owned(),
                _ => format!("{prefix}.{name}"),
            };
            self.index_value(path, key.span(), value);
        }
    }

    fn index_value(&mut self, path: String, key: Range<usize>, value: &Spanned<DeValue<'_>>) {
        match value.get_ref() {
            DeValue::Table(table) => self.index_table(&path, table),
            DeValue::Array(array) => {
                for (k, item) in array.iter().enumerate() {
                    self.index_value(format!("{path}[{k}]"), item.span(), item);
                }
            }
            _ => {}
        }
        let value = value.span();
        self.keys.insert(path, KeySpans { key, value });
    }

    /// The key whose value (or whose own name) is at a span: the smallest that holds it.
    pub(crate) fn key_at(&self, span: &Range<usize>) -> Option<&str> {
        let holds = |outer: &Range<usize>| outer.start <= span.start && span.end <= outer.end;
        self.keys
            .iter()
            .flat_map(|(path, spans)| [(path, &spans.key), (path, &spans.value)])
            .filter(|(_, outer)| holds(outer))
            .min_by_key(|(path, outer)| (outer.len(), usize::MAX - path.len()))
            .map(|(path, _)| path.as_str())
    }

    /// An error about the value of a key, or of the nearest table around it that is written.
    pub(crate) fn error_at_key(&self, key: &str, problem: Problem) -> SceneError {
        let mut path = key;
        let span = loop {
            if let Some(spans) = self.keys.get(path) {
                break Some(spans.value.clone());
            }
            match path.rfind(['.', '[']) {
                Some(end) => path = &path[..end],
                None => break None,
            }
        };
        self.error_at(span, problem)
    }

    /// An error about a part of the string that is the value of a key; `part` counts the bytes of
    /// `content`, the string without quotes and escapes.
    pub(crate) fn error_in_string(
        &self,
        key: &str,
        content: &str,
        part: &Range<usize>,
        problem: Problem,
    ) -> SceneError {
        if self.text.is_empty() {
            // A scene made in code: there is only the string itself to show.
            let place = SourceLocation::of(content, part);
            return SceneError::new(&self.name, Some(place), problem);
        }
        let span = self.keys.get(key).and_then(|spans| {
            let written = self.text.get(spans.value.clone())?;
            let part = string::written_part(written, part)?;
            Some(spans.value.start + part.start..spans.value.start + part.end)
        });
        match span {
            Some(_) => self.error_at(span, problem),
            None => self.error_at_key(key, problem),
        }
    }

    /// An error at a span of the text.
    pub(crate) fn error_at(&self, span: Option<Range<usize>>, problem: Problem) -> SceneError {
        let Some(span) = span else {
            return SceneError::new(&self.name, None, problem);
        };
        let Some(file) = &self.file else {
            let place = SourceLocation::of(&self.text, &span);
            return SceneError::new(&self.name, Some(place), problem);
        };
        match self.span_in(file, &span) {
            Some(span) => file.error_at(Some(span), problem),
            None => {
                let name = format!("{} with the values that replace its own", self.name);
                SceneError::new(&name, None, problem)
            }
        }
    }

    /// The bytes of the file that a span of this text was; none where they were replaced.
    fn span_in(&self, file: &Self, span: &Range<usize>) -> Option<Range<usize>> {
        let key = self.key_at(span)?;
        let (here, there) = (self.keys.get(key)?, file.keys.get(key)?);
        let pairs = [(&here.key, &there.key), (&here.value, &there.value)];
        let (here, there) = pairs.into_iter().find(|(here, there)| {
            let holds = here.start <= span.start && span.end <= here.end;
            holds && self.text.get((*here).clone()) == file.text.get((*there).clone())
        })?;
        let moved = |at: usize| at - here.start + there.start;
        Some(moved(span.start)..moved(span.end))
    }
}

impl SourceLocation {
    /// The place of a span of bytes in a text.
    pub(crate) fn of(whole: &str, span: &Range<usize>) -> Self {
        let at_boundary = |mut index: usize| {
            index = index.min(whole.len());
            while !whole.is_char_boundary(index) {
                index -= 1;
            }
            index
        };
        let start = at_boundary(span.start);
        let end = at_boundary(span.end.max(start));
        let before = &whole[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let rest = &whole[line_start..];
        let text = rest.lines().next().unwrap_or_default();
        let marked = whole[start..end].lines().next().unwrap_or_default();
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            width: marked.chars().count().max(1),
            text: text.to_owned(),
        }
    }

    /// The part of a long line that is shown: the characters before it that are left out, and their
    /// number from there on.
    fn window(&self) -> [usize; 2] {
        let first = match self.text.chars().count() > LONGEST_LINE {
            true => (self.column - 1).saturating_sub(BEFORE_MARK),
            false => 0,
        };
        [first, LONGEST_LINE]
    }

    /// The line, or the part of it around the mark if it is long.
    pub(crate) fn shown(&self) -> String {
        let [first, count] = self.window();
        let part: String = self.text.chars().skip(first).take(count).collect();
        let ends_later = self.text.chars().count() > first + count;
        let (before, after) = (
            ["", "…"][usize::from(first > 0)],
            ["", "…"][usize::from(ends_later)],
        );
        format!("{before}{part}{after}")
    }

    /// The mark below the line. Tabs before it stay tabs, so that it stands below what it marks.
    pub(crate) fn mark(&self) -> String {
        let [first, count] = self.window();
        let before = self.text.chars().take(self.column - 1).skip(first);
        let indent = before.map(|c| if c == '\t' { c } else { ' ' });
        let ellipsis = (first > 0).then_some(' ');
        let room = (first + count + 1).saturating_sub(self.column).max(1);
        let marks = std::iter::repeat_n('^', self.width.min(room));
        ellipsis.into_iter().chain(indent).chain(marks).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_line_the_part_around_the_mark_is_shown() {
        let text = format!("a = \"{}wrong{}\"", "x".repeat(1000), "y".repeat(1_000_000));
        let at = text.find("wrong").unwrap();
        for width in [5, 900_000] {
            let place = SourceLocation::of(&text, &(at..at + width));
            assert_eq!((place.line, place.column), (1, at + 1));
            let (shown, mark) = (place.shown(), place.mark());
            assert_eq!(shown.chars().count(), 162, "{shown}");
            let below = shown
                .chars()
                .zip(mark.chars())
                .filter(|(_, mark)| *mark == '^');
            let marked: String = below.map(|(c, _)| c).collect();
            assert!(
                marked.starts_with("wrong") && marked.len() <= 105,
                "{shown}\n{mark}"
            );
        }
    }

    #[test]
    fn errors_refer_to_the_lines_of_the_file_whatever_replaced_its_values() {
        let file = "a = 1\n[b]\nc = [1, 22]\n";
        let text = "a = 1\nnew = 3\n[b]\nd = 4\nc = [1, 33]\n";
        let root = DeTable::parse(text).unwrap();
        let mut source = Source::new("t", text, Path::new("")).replaced_in(file);
        source.index(root.get_ref());
        let error = |key| source.error_at_key(key, Problem::Empty);
        assert_eq!(error("b.c[0]").place.unwrap().line, 3);
        assert_eq!(error("b").place.unwrap().line, 2);
        for replaced in ["new", "b.d", "b.c[1]"] {
            let error = error(replaced);
            assert_eq!(error.place, None, "{replaced}");
            assert!(error.to_string().contains("values that replace"), "{error}");
        }
    }

    #[test]
    fn keys_are_found_by_path_and_by_span() {
        let text = "a = 1\n[b]\nc = [1, 22]\n[[d]]\ne = { f = 2 }\n";
        let root = DeTable::parse(text).unwrap();
        let mut source = Source::new("t", text, Path::new(""));
        source.index(root.get_ref());
        let place = |key| source.error_at_key(key, Problem::Empty).place.unwrap();
        assert_eq!((place("b.c[1]").line, place("b.c[1]").column), (3, 9));
        assert_eq!(place("b.c[1]").width, 2);
        assert_eq!(place("d[0].e.f").text, "e = { f = 2 }");
        // An absent key is shown at its table.
        assert_eq!(place("b.absent").line, 2);
        let at = text.find("22").unwrap();
        assert_eq!(source.key_at(&(at..at + 2)), Some("b.c[1]"));
        assert_eq!(source.key_at(&(at..at + 1)), Some("b.c[1]"));
    }
}
