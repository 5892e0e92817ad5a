//! Errors of expressions, with their places in the text.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

use crate::source::SourceLocation;

/// An expression that was refused. Shown with the line of the expression and a mark under the
/// place.
#[derive(Clone, Debug, PartialEq, Error)]
pub struct ExpressionError {
    /// The text of the expression.
    pub text: String,
    /// The bytes of the text that are wrong.
    pub span: Range<usize>,
    /// The problem there, and the remedy.
    pub problem: ExpressionProblem,
}

/// A problem of an expression.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ExpressionProblem {
    /// Nothing but spaces.
    #[error("the expression is empty; write a number or a formula such as \"2 * x\"")]
    Empty,
    /// A text beyond the limit.
    #[error("the expression has {bytes} bytes; at most {limit} are read")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// Parentheses, signs, powers or choices within each other beyond the limit.
    #[error("the expression is nested too deeply here; at most {limit} levels are read")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// More operations than the limit.
    #[error(
        "the expression has more than {limit} operations, of which this is the first; simplify it"
    )]
    TooManyOperations {
        /// The limit.
        limit: usize,
    },
    /// A character that means nothing.
    #[error("\"{character}\" means nothing in an expression{}", after_semicolon(.help))]
    UnknownCharacter {
        /// The character.
        character: char,
        /// Text to write in its place.
        help: Option<&'static str>,
    },
    /// A number with two points, say.
    #[error("\"{text}\" is not a number; numbers look like 2, 0.5 or 1e-3")]
    BadNumber {
        /// Text that was written.
        text: String,
    },
    /// A number that 64 bits cannot hold.
    #[error("{text} is too large; the largest number is 1.79e308")]
    NumberTooLarge {
        /// Text that was written.
        text: String,
    },
    /// The text ends too early.
    #[error("the expression ends here, but {expected} must follow")]
    UnexpectedEnd {
        /// Thing that is missing.
        expected: &'static str,
    },
    /// Something that may not stand here.
    #[error("\"{found}\" may not stand here; {expected} must follow")]
    Unexpected {
        /// Thing that was found.
        found: String,
        /// Things that may stand here.
        expected: &'static str,
    },
    /// Two values side by side.
    #[error("an operator is missing before \"{found}\"; a product is written with a star: a * b")]
    MissingOperator {
        /// The second value.
        found: String,
    },
    /// `=` in place of `==`.
    #[error("\"=\" sets a setting such as seed = 3 of noise(…); equality is written \"==\"")]
    SingleEquals,
    /// An opening parenthesis alone.
    #[error("this parenthesis is never closed; add \")\"")]
    Unclosed,
    /// A closing parenthesis alone.
    #[error("this parenthesis was never opened; remove it or add \"(\"")]
    Unopened,
    /// `0 < x < 1`.
    #[error("comparisons cannot be chained; write \"{left} and {right}\"")]
    ComparisonChain {
        /// The first comparison.
        left: String,
        /// The second one.
        right: String,
    },
    /// `a ? b` without `: c`.
    #[error("this choice has no \":\"; it is written \"condition ? a : b\"")]
    ChoiceWithoutElse,
    /// A name that is not known here.
    #[error("unknown name \"{name}\"; {}he variables here are {}", did_you_mean(.suggestion), list(.variables))]
    UnknownName {
        /// The name.
        name: String,
        /// A known name that looks like it.
        suggestion: Option<String>,
        /// The variables that may stand here.
        variables: Vec<String>,
    },
    /// A function that does not exist.
    #[error("unknown function \"{name}\"{}", match .suggestion {
        Some(word) => format!("; did you mean \"{word}\"?"),
        None => format!("; the functions are {}", list(.functions)),
    })]
    UnknownFunction {
        /// The name.
        name: String,
        /// A known function that looks like it.
        suggestion: Option<String>,
        /// All functions.
        functions: Vec<String>,
    },
    /// A function without arguments.
    #[error("{signature} is a function; give it its arguments in parentheses")]
    FunctionAlone {
        /// Its name.
        signature: &'static str,
    },
    /// `x(2)`.
    #[error("\"{name}\" is not a function; a product is written with a star: {name} * (…)")]
    NotAFunction {
        /// The name.
        name: String,
    },
    /// Too few or too many arguments.
    #[error("{signature} does not take {found} argument{}", if *.found == 1 { "" } else { "s" })]
    WrongArguments {
        /// Name of the function.
        signature: &'static str,
        /// Number of arguments that there are.
        found: usize,
    },
    /// A setting that the function does not have.
    #[error("{signature} has no setting \"{name}\"; equality is written \"==\"")]
    UnknownSetting {
        /// Name of the function.
        signature: &'static str,
        /// Text that was written.
        name: String,
    },
    /// A setting that is given twice.
    #[error("the setting \"{name}\" is given twice")]
    RepeatedSetting {
        /// Its name.
        name: String,
    },
    /// An argument after a setting.
    #[error("arguments come before settings; move this one to the front")]
    ArgumentAfterSetting,
    /// A setting that varies.
    #[error("the setting \"{name}\" must be a constant; it may not use variables")]
    VaryingSetting {
        /// Its name.
        name: &'static str,
    },
    /// A setting outside its range.
    #[error("the setting \"{name}\" is {value}; it must be {range}")]
    SettingOutOfRange {
        /// Its name.
        name: &'static str,
        /// Value that was given.
        value: f64,
        /// Values that are allowed.
        range: &'static str,
    },
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.problem)?;
        show(f, &self.text, &self.span)
    }
}

/// The marked line of an expression.
pub(super) fn show(f: &mut fmt::Formatter<'_>, text: &str, span: &Range<usize>) -> fmt::Result {
    let place = SourceLocation::of(text, span);
    write!(f, "\n  {}\n  {}", place.text, place.mark())
}

fn after_semicolon(help: &Option<&'static str>) -> String {
    help.map(|help| format!("; {help}")).unwrap_or_default()
}

/// Up to the first letter of the sentence that follows.
fn did_you_mean(suggestion: &Option<String>) -> String {
    match suggestion {
        Some(word) => format!("did you mean \"{word}\"? T"),
        None => "t".to_owned(),
    }
}

fn list(words: &[String]) -> String {
    match words {
        [] => "none".to_owned(),
        _ => words.join(", "),
    }
}
