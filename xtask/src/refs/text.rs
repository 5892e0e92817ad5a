//! References in a line of text.

use std::collections::BTreeSet;

/// Folders whose files are named by their path from the root.
const FOLDERS: [&str; 9] = [
    "crates/",
    "docs/",
    "scenes/",
    "validation/",
    "xtask/",
    "fuzz/",
    "peers/",
    ".ci/",
    ".cargo/",
];

/// Labels of equations in the page of equations: those of `\tag{…}`, and the numbers of headings
/// with all numbers of a range.
pub fn labels(page: &str) -> BTreeSet<String> {
    let tags = page.split("\\tag{").skip(1);
    let mut found: BTreeSet<String> = tags
        .filter_map(|rest| rest.split_once('}'))
        .map(|(label, _)| label.to_owned())
        .collect();
    for heading in page.lines().filter(|line| line.starts_with("## ")) {
        found.extend(parenthesised(heading));
    }
    // A number stands for its parts, as (13) for (13a) to (13d).
    let wholes: Vec<String> = found
        .iter()
        .map(|label| {
            label
                .trim_end_matches(|c: char| !c.is_ascii_digit())
                .to_owned()
        })
        .collect();
    found.extend(wholes);
    found
}

/// Labels in parentheses at the beginning of a text and directly after each other, such as
/// `(8)–(8a)`, `(1), (2)` or `(30)(31)`, with the numbers in between of a range.
fn parenthesised(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut rest = text.trim_start_matches(['#', ' ']);
    let mut is_range = false;
    while let Some((label, after)) = rest.strip_prefix('(').and_then(|r| r.split_once(')')) {
        if !is_label(label) {
            break;
        }
        let number = |label: &str| label.parse::<u32>().ok();
        if let (true, Some(from), Some(to)) = (
            is_range,
            found.last().and_then(|l| number(l)),
            number(label),
        ) {
            found.extend((from + 1..to).map(|k| k.to_string()));
        }
        found.push(label.to_owned());
        is_range = after.starts_with('–');
        rest = after.trim_start_matches(['–', ',', ' ']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
    found
}

/// True of `8`, `8a` and `23b'`.
fn is_label(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.len() - rest.len();
    (1..=2).contains(&digits)
        && matches!(
            rest.trim_end_matches('\''),
            "" | "a" | "b" | "c" | "d" | "e" | "f"
        )
}

/// Labels after the word "equation" or "equations", and those at the end of a comment, apart from
/// it by two spaces or more.
pub fn numbers_of_equations(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in ["quation (", "quations ("] {
        for (at, _) in line.match_indices(word) {
            found.extend(parenthesised(&line[at + word.len() - 1..]));
        }
    }
    if let Some(at) = line.rfind("  (") {
        let end = line[at..].trim();
        let labels = parenthesised(end);
        if end.ends_with(')') && end.matches('(').count() <= labels.len() {
            found.extend(labels);
        }
    }
    found
}

/// Numbers of errata that a page defines, in bold at the beginning of a line.
pub fn defined_errata(page: &str) -> BTreeSet<String> {
    let lines = page
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("**E"));
    lines
        .filter_map(|line| line.split_once("**"))
        .map(|(number, _)| format!("E{number}"))
        .collect()
}

/// Numbers of errata, such as E12; a range counts by its ends.
pub fn errata(line: &str) -> Vec<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_.\\+-".contains(c);
    let mut found = Vec::new();
    for (at, _) in line.match_indices('E') {
        let digits: String = line[at + 1..]
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        let before = line[..at].chars().next_back();
        let after = line[at + 1 + digits.len()..].chars().next();
        let is_alone = !before.is_some_and(is_word)
            && !after.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
        if is_alone && (1..=2).contains(&digits.len()) {
            found.push(format!("E{digits}"));
        }
    }
    found
}

/// Keys of papers in brackets, such as \[Jiang2016\].
pub fn citations(line: &str) -> Vec<String> {
    let parts = line.split('[').skip(1);
    let keys = parts.filter_map(|rest| rest.split_once(']'));
    keys.map(|(key, _)| key.trim_end_matches('\\'))
        .filter(|key| {
            let rest = key.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            let year = rest.trim_end_matches(|c: char| c.is_ascii_lowercase());
            key.starts_with(|c: char| c.is_ascii_uppercase())
                && rest.len() + 2 < key.len() + 1
                && year.len() == 4
                && year.chars().all(|c| c.is_ascii_digit())
        })
        .map(str::to_owned)
        .collect()
}

/// Paths from the root in backquotes.
pub fn paths(line: &str) -> Vec<String> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted
        .filter(|text| FOLDERS.iter().any(|folder| text.starts_with(folder)))
        .filter(|text| !text.contains(['<', '*', '…', ' ', '{', '$']))
        .map(|text| text.split(':').next().unwrap_or(text).to_owned())
        .collect()
}

/// Targets of Markdown links to files.
pub fn links(line: &str) -> Vec<String> {
    let parts = line.split("](").skip(1);
    let targets = parts.filter_map(|rest| rest.split_once(')'));
    targets
        .map(|(target, _)| target.split('#').next().unwrap_or_default())
        .filter(|target| !target.is_empty() && !target.contains("://") && !target.contains(' '))
        .filter(|target| target.contains('.') || target.contains('/'))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_those_of_tags_and_headings() {
        let page = "$$ a \\tag{13a} $$\n## (36)–(38) Pressure\n## (39) (40) Faces\n## Projection";
        let found: Vec<String> = labels(page).into_iter().collect();
        assert_eq!(found, ["13", "13a", "36", "37", "38", "39", "40"]);
    }

    #[test]
    fn equations_are_found_where_they_are_cited() {
        let of = |line: &str| numbers_of_equations(line);
        assert_eq!(of(" of equations (8)–(8a), and more"), ["8", "8a"]);
        assert_eq!(of(" Equation (16) says (see below)"), ["16"]);
        assert_eq!(
            of(" density of faces        (33)(34)(35)"),
            ["33", "34", "35"]
        );
        assert_eq!(of(" equations (11)–(13)"), ["11", "12", "13"]);
        assert_eq!(of(" \\[Jiang2016\\] eq. (150), in 2D  (and 3D)"), [""; 0]);
    }

    #[test]
    fn errata_papers_paths_and_links_are_found() {
        assert_eq!(
            errata("errata E5, E12–E14 and not 1E5 or E0063 or x.E1"),
            ["E5", "E12", "E14"]
        );
        assert_eq!(
            citations("after \\[Batty2007\\] and [Jiang2015apic], a[i] [X1]"),
            ["Batty2007", "Jiang2015apic"]
        );
        assert_eq!(
            paths("`docs/cli.md`, `crates/<name>/x`, `x/docs/y`, `crates/thixo:12`"),
            ["docs/cli.md", "crates/thixo"]
        );
        assert_eq!(
            links("[a](../b.md#c) [d](https://e.f) [g](#h)"),
            ["../b.md"]
        );
    }
}
