//! Errors of scenes.

use std::fmt;

use thiserror::Error;
use thixo::BuildError;

use crate::expression::{ExpressionProblem, NonFinite};
use crate::shape::AssetError;
use crate::source::SourceLocation;

/// Bytes of a gibibyte.
pub(crate) const GIB: f64 = (1_u64 << 30) as f64;

/// A scene that was refused: where, and why.
#[derive(Clone, Debug, PartialEq, Error)]
pub struct SceneError {
    /// The file, or what the scene was called.
    pub file: String,
    /// Location in the file, if it can be said.
    pub place: Option<SourceLocation>,
    /// The problem.
    pub problem: Box<Problem>,
}

/// A problem of a scene.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// Not TOML.
    #[error("{message}")]
    Syntax {
        /// Message of the parser.
        message: String,
    },
    /// A key that does not exist.
    #[error("unknown key \"{key}\" in {table}; {}", hint(.suggestion, "the keys there are", .known))]
    UnknownKey {
        /// The key.
        key: String,
        /// Table it was found in.
        table: String,
        /// A known key that looks like it.
        suggestion: Option<String>,
        /// All keys that may stand there.
        known: Vec<String>,
    },
    /// A word that is none of the choices.
    #[error("{key} is \"{value}\"; {}", hint(.suggestion, "it must be one of", .known))]
    UnknownChoice {
        /// Path of the key.
        key: String,
        /// Value that was given.
        value: String,
        /// A known word that looks like it.
        suggestion: Option<String>,
        /// All words that may stand there.
        known: Vec<String>,
    },
    /// A value of the wrong kind.
    #[error("{key} must be {expected}, not {found}")]
    WrongType {
        /// Path of the key.
        key: String,
        /// Thing that was found.
        found: String,
        /// Things that may stand there.
        expected: String,
    },
    /// A required key is missing.
    #[error("{table} lacks the key \"{key}\"")]
    MissingKey {
        /// The key.
        key: String,
        /// Table it should be in.
        table: String,
    },
    /// A value outside its range.
    #[error("{key} is {value}; it must be {range}")]
    OutOfRange {
        /// Path of the key.
        key: String,
        /// Value that was given.
        value: String,
        /// Values that are allowed.
        range: String,
    },
    /// An expression that cannot be read.
    #[error("{key}: {cause}")]
    Expression {
        /// Path of the key.
        key: String,
        /// The problem with it.
        cause: ExpressionProblem,
    },
    /// An expression without a finite value where one is needed.
    #[error("{key} is {}; it must be finite", .cause.summary())]
    NonFinite {
        /// Path of the key.
        key: String,
        /// The point and its value.
        cause: Box<NonFinite>,
    },
    /// The engine refuses a value.
    #[error("{key}: {cause}")]
    Refused {
        /// Path of the key.
        key: String,
        /// Error of the engine.
        cause: BuildError,
    },
    /// A particle cannot be made as formulas say.
    #[error("{key}{place}: {cause}")]
    RefusedAt {
        /// Path of the key.
        key: String,
        /// Error of the engine.
        cause: BuildError,
        /// Position of the particle: ` where x = 0.1, y = 0.2`.
        place: String,
    },
    /// The engine cannot start, whatever the scene.
    #[error("{cause}")]
    Engine {
        /// Its message.
        cause: BuildError,
    },
    /// A mesh or an image that cannot be used.
    #[error("{key}: {file} {cause}")]
    Asset {
        /// Path of the key that names it.
        key: String,
        /// The file, as the scene names it.
        file: String,
        /// The problem with it.
        cause: AssetError,
    },
    /// An object without a single particle.
    #[error(
        "{key} holds no particle: the shape is thinner than the {distance} m between particles; \
         enlarge it, or use a smaller grid spacing or more particles per cell"
    )]
    NoParticle {
        /// Path of the object.
        key: String,
        /// Distance of particles \[m\].
        distance: f64,
    },
    /// An object reaches into an obstacle.
    #[error(
        "{key} reaches behind {obstacle}: {count} of its {total} particles would start there; move or shrink one of them"
    )]
    Buried {
        /// Path of the object.
        key: String,
        /// Path of the wall or collider.
        obstacle: String,
        /// Particles behind it.
        count: usize,
        /// Particles of the object.
        total: usize,
    },
    /// More matter than the memory can hold.
    #[error(
        "about {particles:.2e} particles need {:.1} GiB of memory, and there are {:.1} GiB; use a larger grid.spacing, fewer \
         particles per cell, or smaller shapes",
        .bytes / GIB, .available / GIB
    )]
    TooLittleMemory {
        /// About the number of particles at the start.
        particles: f64,
        /// Memory that they need \[bytes\].
        bytes: f64,
        /// Memory that this process may take \[bytes\].
        available: f64,
    },
    /// Nothing to simulate.
    #[error("the scene has no [[objects]] and no [[emitters]]; add at least one")]
    Empty,
    /// Built for another dimension than the scene has.
    #[error("the scene has dimension = {scene}, but {asked} dimensions were asked for")]
    Dimension {
        /// Dimension of the scene.
        scene: u32,
        /// Dimension that the program asked for.
        asked: usize,
    },
    /// Something else that the reader of the file says about a key.
    #[error("{key}: {message}")]
    Other {
        /// Path of the key.
        key: String,
        /// The problem.
        message: String,
    },
    /// The scene cannot be written as TOML.
    #[error("the scene cannot be written: {message}")]
    Unwritable {
        /// Message of the writer.
        message: String,
    },
}

impl SceneError {
    pub(crate) fn new(file: &str, place: Option<SourceLocation>, problem: Problem) -> Self {
        Self {
            file: file.to_owned(),
            place,
            problem: Box::new(problem),
        }
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}:", self.file)?;
        }
        let Some(place) = &self.place else {
            let space = if self.file.is_empty() { "" } else { " " };
            return write!(f, "{space}{}", shortened(&self.problem));
        };
        let SourceLocation { line, column, .. } = place;
        let margin = " ".repeat(line.to_string().len());
        write!(
            f,
            "{line}:{column}: {}\n{line} | {}\n{margin} | {}",
            shortened(&self.problem),
            place.shown(),
            place.mark()
        )
    }
}

/// Most characters of a message about a value that is written out in it.
const LONGEST_MESSAGE: usize = 2000;

/// The text of a problem, without the middle if it is long.
fn shortened(problem: &Problem) -> String {
    let text = problem.to_string();
    let count = text.chars().count();
    if count <= LONGEST_MESSAGE {
        return text;
    }
    let half = LONGEST_MESSAGE / 2;
    let [first, last]: [String; 2] = [
        text.chars().take(half).collect(),
        text.chars().skip(count - half).collect(),
    ];
    format!("{first} … {last}")
}

/// `did you mean "…"?`, or all that may stand there.
fn hint(suggestion: &Option<String>, introduction: &str, known: &[String]) -> String {
    match suggestion {
        Some(word) => format!("did you mean \"{word}\"?"),
        None if known.is_empty() => "nothing may stand there".to_owned(),
        None => format!("{introduction} {}", known.join(", ")),
    }
}
