//! A page of the documentation as a program: what a reader who follows it to the letter would do.
//!
//! - A block after `<!-- file: NAME -->` is written to NAME.
//! - Lines of `sh` blocks that begin with `thixo` are run, and must succeed, or end as
//!   `# exits with N` says. Lines that begin with `python3` are run where there is a Python. Lines
//!   that begin with `cargo`, `cd`, `git` or `pip` prepare what tests have already.
//! - A `text` block right after an `sh` block is what its commands print: its lines must be in the
//!   output in that order. Numbers may differ by 2 %, as between instruction sets, and by anything
//!   where they are wall times; `…` stands for anything.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::python::python;
use super::{code, errors, thixo};

/// A page.
pub struct Page {
    text: String,
}

/// A fenced block.
struct Block {
    kind: String,
    /// Path to write it to.
    file: Option<String>,
    lines: Vec<String>,
}

impl Page {
    /// Reads a page.
    pub fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Self { text }
    }

    /// True if the page has a sentence, wherever its lines are broken.
    pub fn says(&self, sentence: &str) -> bool {
        let words: Vec<&str> = self.text.split_whitespace().collect();
        words.join(" ").contains(sentence)
    }

    /// Lines of the first `text` block.
    pub fn shown(&self) -> Vec<String> {
        let mut blocks = self.blocks().into_iter();
        blocks.find(|block| block.kind == "text").unwrap().lines
    }

    fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut file = None;
        let mut open = false;
        for line in self.text.lines() {
            match line.strip_prefix("```") {
                Some(_) if open => open = false,
                Some(kind) => {
                    open = true;
                    let (kind, lines) = (kind.to_owned(), Vec::new());
                    let file = file.take();
                    blocks.push(Block { kind, file, lines });
                }
                None if open => blocks.last_mut().unwrap().lines.push(line.to_owned()),
                None => {
                    let name = line.strip_prefix("<!-- file: ");
                    let name = name.and_then(|rest| rest.strip_suffix(" -->"));
                    file = name.map(str::to_owned).or(file);
                }
            }
        }
        assert!(
            !open && file.is_none(),
            "a block has no end, or a file no block"
        );
        blocks
    }

    /// Does what the page says.
    pub fn follow(&self, place: &Path) {
        let mut commands = 0;
        let mut printed = None;
        for block in self.blocks() {
            if let Some(file) = &block.file {
                fs::write(place.join(file), block.lines.join("\n") + "\n").unwrap();
            }
            match (block.kind.as_str(), printed.take()) {
                ("sh", _) => {
                    let outputs = block.lines.iter().map(|line| run(place, line));
                    let outputs: Option<Vec<String>> = outputs.collect();
                    commands += block.lines.len();
                    printed = outputs.map(|all| all.join("\n"));
                }
                ("text", Some(output)) => compare(&block.lines, &output),
                _ => {}
            }
        }
        assert!(commands > 0, "a page without a command");
    }
}

/// Output of a command; none if it could not be run here.
fn run(place: &Path, line: &str) -> Option<String> {
    let (command, comment) = line.split_once(" #").unwrap_or((line, ""));
    let words = words(command);
    let (program, arguments) = words.split_first().unwrap();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = match program.as_str() {
        "thixo" => thixo(place, &arguments),
        "python3" => {
            let mut python = Command::new(python()?);
            python.args(arguments).current_dir(place).output().unwrap()
        }
        "cargo" | "cd" | "git" | "pip" => return None,
        _ => panic!("nobody runs: {line}"),
    };
    let expected = comment.trim().strip_prefix("exits with ").unwrap_or("0");
    assert_eq!(
        code(&output).to_string(),
        expected,
        "{line}\n{}",
        errors(&output)
    );
    Some(String::from_utf8_lossy(&output.stdout).into_owned() + &errors(&output))
}

/// Words of a command, with quotes as a shell has them.
pub fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = None;
    let mut quote = None;
    for c in command.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_with(String::new);
            }
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_with(String::new).push(c),
        }
    }
    words.extend(word);
    words
}

/// Finds the lines of a page in an output, one after the other.
fn compare(lines: &[String], output: &str) {
    let mut rest = output.lines();
    for line in lines.iter().filter(|line| *line != "…") {
        let found = rest.any(|printed| is_like(line.trim_end(), printed.trim_end()));
        assert!(
            found,
            "the page shows\n{line}\nand the program prints\n{output}"
        );
    }
}

/// A piece of a line.
#[derive(Debug, PartialEq)]
enum Piece {
    Number(f64),
    Other(char),
}

/// Numbers, and the characters between them.
fn pieces(line: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let part_of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | '-');
        let length = rest.find(|c| !part_of_number(c)).unwrap_or(rest.len());
        let number = (1..=length).rev().find_map(|n| {
            let number = rest[..n].parse::<f64>().ok().filter(|x| x.is_finite());
            number.map(|number| (n, number))
        });
        let (length, piece) = match number {
            Some((n, number)) => (n, Piece::Number(number)),
            None => (first.len_utf8(), Piece::Other(first)),
        };
        found.push(piece);
        rest = &rest[length..];
    }
    found
}

/// True if a printed line is what a page shows, on this machine or another.
pub fn is_like(shown: &str, printed: &str) -> bool {
    let is_measured = ["updates/s", "wall time ", " threads, "]
        .iter()
        .any(|word| shown.contains(word));
    let tolerance = if is_measured { f64::INFINITY } else { 0.02 };
    let printed = printed.replace(", portable", ", avx2");
    matches(&pieces(shown), &pieces(&printed), tolerance)
}

/// True if a printed line is the shown one but for its numbers.
pub fn is_like_in_words(shown: &str, printed: &str) -> bool {
    let printed = printed.replace(", portable", ", avx2");
    matches(&pieces(shown), &pieces(&printed), f64::INFINITY)
}

fn matches(shown: &[Piece], printed: &[Piece], tolerance: f64) -> bool {
    match (shown.split_first(), printed.split_first()) {
        (None, None) => true,
        (Some((Piece::Other('…'), shown)), _) => {
            (0..=printed.len()).any(|k| matches(shown, &printed[k..], tolerance))
        }
        (Some((Piece::Number(a), shown)), Some((Piece::Number(b), printed))) => {
            let is_near = a == b || (a - b).abs() / a.abs() <= tolerance;
            is_near && matches(shown, printed, tolerance)
        }
        (Some((a, shown)), Some((b, printed))) => a == b && matches(shown, printed, tolerance),
        _ => false,
    }
}
