//! Formulas in scene files: `0.5 * sin(2 * pi * x) + (y > 0.3 ? 1 : 2)`.
//!
//! A text is read once into an [`Expression`], which is then evaluated for one point or, much
//! faster per point, for columns of points; its exact derivative by a variable is an expression
//! too. Which variables exist is said by the caller. What may be written is listed in
//! `docs/expressions.md`.
//!
//! Text goes through `lexer` (words and signs), `parser` and `call` (precedence, names; messages
//! that point into the text), `graph` (operations without repetition, constants folded) and
//! `program` (instructions over columns). `operation` and `noise` hold the arithmetic, `function`
//! the names, `derivative` the rules of differentiation.
//!
//! ```
//! use thixo_scene::{Expression, Scratch};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let height = Expression::parse("0.1 * sin(2 * pi * x) * t^2", &["x", "t"])?;
//! assert!((height.evaluate(&[0.25, 2.0]) - 0.4).abs() < 1e-15);
//!
//! let speed = height.derivative("t");
//! let mut speeds = [0.0; 3];
//! // A column of one value, here the time, counts for all points.
//! speed.evaluate_batch(&[&[0.25, 0.5, 0.75], &[2.0]], &mut speeds, &mut Scratch::default())?;
//! assert!((speeds[2] + 0.4).abs() < 1e-15);
//!
//! let mistake = Expression::parse("2 * sinn(x)", &["x"]).unwrap_err();
//! assert_eq!(
//!     mistake.to_string(),
//!     "unknown function \"sinn\"; did you mean \"sin\"?\n  2 * sinn(x)\n      ^^^^"
//! );
//! # Ok(())
//! # }
//! ```

mod call;
mod derivative;
mod error;
mod function;
mod graph;
mod lexer;
mod noise;
mod non_finite;
mod operation;
mod parser;
mod program;

use std::fmt;

use thiserror::Error;

pub use error::{ExpressionError, ExpressionProblem};
pub use non_finite::NonFinite;
pub(crate) use non_finite::at_point;
pub use parser::{MAX_DEPTH, MAX_OPERATIONS, MAX_TEXT};
pub use program::Scratch;

use graph::{Builder, Graph, Node};
use program::Program;

/// A formula of named variables.
///
/// Evaluation takes `&self` and may go on in many threads at once. Results may be infinite or NaN,
/// see [`Expression::first_non_finite`].
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    variables: Vec<String>,
    /// The variables that the text was differentiated by.
    differentiated: Vec<String>,
    graph: Graph,
    program: Program,
}

/// Columns that do not fit the expression they were given to.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ColumnError {
    /// No column for a variable.
    #[error("the expression uses {variable}, for which there is no column")]
    Missing {
        /// The variable.
        variable: String,
    },
    /// A column that is as long as neither the results nor one value.
    #[error(
        "the column of {variable} has {found} values; it must have {expected}, or 1 that counts for all points"
    )]
    Length {
        /// The variable.
        variable: String,
        /// Its length.
        found: usize,
        /// The number of results.
        expected: usize,
    },
}

impl Expression {
    /// Reads a text in which the given variables may stand. Values are later given in the order of
    /// the variables.
    pub fn parse(text: &str, variables: &[&str]) -> Result<Self, ExpressionError> {
        let graph = parser::parse(text, variables)?;
        let variables = variables.iter().map(|&name| name.to_owned()).collect();
        Ok(Self::new(text.to_owned(), variables, Vec::new(), graph))
    }

    fn new(
        text: String,
        variables: Vec<String>,
        differentiated: Vec<String>,
        graph: Graph,
    ) -> Self {
        Self {
            text,
            variables,
            differentiated,
            program: Program::compile(&graph),
            graph,
        }
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The variables that may stand in it, in the order of their values.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(String::as_str)
    }

    /// Its value, if no variable changes it.
    pub fn constant(&self) -> Option<f64> {
        match self.graph.nodes() {
            [Node::Constant(bits)] => Some(f64::from_bits(*bits)),
            _ => None,
        }
    }

    /// True if its value depends on a variable, as far as can be seen without algebra: `0 * t`
    /// does.
    pub fn uses(&self, variable: &str) -> bool {
        self.used().any(|index| self.variables[index] == variable)
    }

    fn used(&self) -> impl Iterator<Item = usize> {
        self.graph.nodes().iter().filter_map(|node| match node {
            Node::Variable(index) => Some(*index),
            _ => None,
        })
    }

    /// Its value for one value of every variable. A value that is used and not given counts as NaN.
    pub fn evaluate(&self, values: &[f64]) -> f64 {
        let mut small = [0.0; 64];
        let mut large = Vec::new();
        let nodes = self.graph.nodes().len();
        let results = match small.get_mut(..nodes) {
            Some(results) => results,
            None => {
                large.resize(nodes, 0.0);
                &mut large[..]
            }
        };
        self.graph.evaluate(values, results);
        results[nodes - 1]
    }

    /// Its values for columns of values of the variables, the same as [`Expression::evaluate`]
    /// gives one by one.
    ///
    /// A column is as long as `out`, or has a single value that counts for all points; columns of
    /// variables that are not used may be anything.
    pub fn evaluate_batch(
        &self,
        columns: &[&[f64]],
        out: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ColumnError> {
        for index in self.used() {
            let variable = || self.variables[index].clone();
            let Some(column) = columns.get(index) else {
                let variable = variable();
                return Err(ColumnError::Missing { variable });
            };
            if column.len() != 1 && column.len() != out.len() {
                return Err(ColumnError::Length {
                    variable: variable(),
                    found: column.len(),
                    expected: out.len(),
                });
            }
        }
        self.program.run(columns, out, scratch);
        Ok(())
    }

    /// Its exact derivative by a variable; zero if it does not use the variable.
    ///
    /// Functions by pieces are differentiated by pieces: choices, `abs`, `min`, `max`, `clamp`,
    /// `mod` and `fract` take the side that the value takes, and what jumps (`floor`, comparisons,
    /// `random`, …) has the derivative 0 also at the jump. Where `sqrt`, `cbrt`, `asin`, `acos` or
    /// `hypot` have no finite derivative, the result is infinite or NaN.
    pub fn derivative(&self, variable: &str) -> Self {
        let index = self.variables().position(|name| name == variable);
        // No node has the index beyond the last variable.
        let graph = derivative::derivative(&self.graph, index.unwrap_or(self.variables.len()));
        let mut differentiated = self.differentiated.clone();
        differentiated.push(variable.to_owned());
        let (text, variables) = (self.text.clone(), self.variables.clone());
        Self::new(text, variables, differentiated, graph)
    }

    /// Names and values of the variables that it uses, at one point of columns.
    pub fn inputs(&self, columns: &[&[f64]], index: usize) -> Vec<(String, f64)> {
        let point = point(columns, index);
        let mut used: Vec<usize> = self.used().collect();
        used.sort_unstable();
        let input = |&k: &usize| {
            let value = point.get(k).copied().unwrap_or(f64::NAN);
            (self.variables[k].clone(), value)
        };
        used.iter().map(input).collect()
    }

    /// The first of its results that is not finite, with the inputs and the part of the text that
    /// made it. `columns` are those that `results` were computed from.
    pub fn first_non_finite(&self, columns: &[&[f64]], results: &[f64]) -> Option<NonFinite> {
        let index = results.iter().position(|value| !value.is_finite())?;
        let culprit = self.graph.culprit(&point(columns, index));
        Some(NonFinite {
            text: self.text.clone(),
            span: self.graph.span(culprit),
            index,
            value: results[index],
            differentiated: self.differentiated.clone(),
            inputs: self.inputs(columns, index),
        })
    }
}

/// The values of the variables at one point of columns; NaN where there is none.
fn point(columns: &[&[f64]], index: usize) -> Vec<f64> {
    let value = |column: &&[f64]| match column {
        [value] => *value,
        _ => column.get(index).copied().unwrap_or(f64::NAN),
    };
    columns.iter().map(value).collect()
}

impl From<f64> for Expression {
    /// A number as an expression without variables.
    fn from(value: f64) -> Self {
        let text = format!("{value:?}");
        let mut graph = Builder::default();
        graph.span = 0..text.len();
        let result = graph.constant(value);
        Self::new(text, Vec::new(), Vec::new(), graph.finish(result))
    }
}

impl PartialEq for Expression {
    /// True if both say the same of the same variables.
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
            && self.variables == other.variables
            && self.differentiated == other.differentiated
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.differentiated.is_empty() {
            return f.write_str(&self.text);
        }
        for variable in self.differentiated.iter().rev() {
            write!(f, "d/d{variable} ")?;
        }
        write!(f, "({})", self.text)
    }
}
