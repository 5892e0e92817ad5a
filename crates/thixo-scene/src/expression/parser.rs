//! From tokens to a graph, by descent through the levels of precedence.
//!
//! ```text
//! choice      a ? b : c        groups from the right
//! or          or, ||
//! and         and, &&
//! not         not a
//! comparison  < <= > >= == !=  not chained
//! sum         + -
//! product     * / %
//! sign        -a, +a, !a
//! power       ^, **            groups from the right, its exponent may have a sign
//! ```

use std::ops::Range;

use super::error::{ExpressionError, ExpressionProblem as Problem};
use super::graph::{Builder, Graph, Id};
use super::lexer::{Token, TokenKind, tokens};
use super::operation::{Binary, Unary};

/// Longest text that is read \[bytes\].
pub const MAX_TEXT: usize = 16_384;

/// Deepest nesting of parentheses, signs, powers and choices. Each level costs stack, which must
/// not overflow.
pub const MAX_DEPTH: usize = 128;

/// Most operations, constants and variables of an expression.
pub const MAX_OPERATIONS: usize = 4096;

const VALUE: &str = "a number, a name or a parenthesis";

/// Reads a text.
pub(super) fn parse(text: &str, variables: &[&str]) -> Result<Graph, ExpressionError> {
    let refuse = |span, problem| ExpressionError {
        text: text.to_owned(),
        span,
        problem,
    };
    if text.len() > MAX_TEXT {
        let problem = Problem::TooLong {
            bytes: text.len(),
            limit: MAX_TEXT,
        };
        // Only the beginning is shown.
        let text = text.chars().take(40).chain(['…']).collect::<String>();
        let span = 0..text.len();
        return Err(ExpressionError {
            text,
            span,
            problem,
        });
    }
    let tokens = tokens(text)?;
    if tokens.len() == 1 {
        return Err(refuse(0..text.len(), Problem::Empty));
    }
    let mut parser = Parser {
        text,
        variables,
        tokens: &tokens,
        at: 0,
        depth: 0,
        graph: Builder::default(),
    };
    let result = parser
        .choice()
        .and_then(|value| match parser.peek() {
            TokenKind::End => Ok(value),
            _ => Err(parser.unexpected("an operator")),
        })
        .map_err(|(span, problem)| refuse(span, problem))?;
    Ok(parser.graph.finish(result.id))
}

/// A problem and its place.
pub(super) type Refused = (Range<usize>, Problem);

/// A part of the expression that was read.
#[derive(Clone)]
pub(super) struct Value {
    pub(super) id: Id,
    pub(super) span: Range<usize>,
}

/// A text that is being read. Names and calls are read in `call`.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) variables: &'a [&'a str],
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    pub(super) graph: Builder,
}

impl<'a> Parser<'a> {
    pub(super) fn peek(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    /// The kind of the token after the next.
    pub(super) fn peek_second(&self) -> TokenKind {
        self.tokens[(self.at + 1).min(self.tokens.len() - 1)].kind
    }

    fn span(&self) -> Range<usize> {
        self.tokens[self.at].span.clone()
    }

    /// Goes to the next token, but never beyond the end; returns the place of the one left behind.
    pub(super) fn advance(&mut self) -> Range<usize> {
        let span = self.span();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        span
    }

    pub(super) fn take(&mut self, kind: TokenKind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn words(&self, span: &Range<usize>) -> String {
        self.text[span.clone()].to_owned()
    }

    /// The problem of a token that may not stand where it is.
    fn unexpected(&self, expected: &'static str) -> Refused {
        let span = self.span();
        let found = self.words(&span);
        let problem = match self.peek() {
            TokenKind::End => Problem::UnexpectedEnd { expected },
            TokenKind::Assign => Problem::SingleEquals,
            TokenKind::Close if expected != VALUE => Problem::Unopened,
            TokenKind::Number(_) | TokenKind::Name | TokenKind::Open if expected != VALUE => {
                Problem::MissingOperator { found }
            }
            _ => Problem::Unexpected { found, expected },
        };
        (span, problem)
    }

    /// Reads something one level deeper.
    pub(super) fn deeper(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Value, Refused>,
    ) -> Result<Value, Refused> {
        if self.depth == MAX_DEPTH {
            return Err((self.span(), Problem::TooDeep { limit: MAX_DEPTH }));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    /// Adds to the graph what was read from a span.
    pub(super) fn add(
        &mut self,
        span: Range<usize>,
        build: impl FnOnce(&mut Builder) -> Id,
    ) -> Result<Value, Refused> {
        self.graph.span = span.clone();
        let id = build(&mut self.graph);
        if self.graph.len() > MAX_OPERATIONS {
            let limit = MAX_OPERATIONS;
            return Err((span, Problem::TooManyOperations { limit }));
        }
        Ok(Value { id, span })
    }

    pub(super) fn choice(&mut self) -> Result<Value, Refused> {
        let condition = self.either()?;
        let question = self.span();
        if !self.take(TokenKind::Question) {
            return Ok(condition);
        }
        let a = self.deeper(Self::choice)?;
        if !self.take(TokenKind::Colon) {
            return Err(match self.peek() {
                TokenKind::End | TokenKind::Close | TokenKind::Comma => {
                    (question, Problem::ChoiceWithoutElse)
                }
                _ => self.unexpected("\":\" and the other choice"),
            });
        }
        let b = self.deeper(Self::choice)?;
        let span = condition.span.start..b.span.end;
        self.add(span, |graph| graph.select(condition.id, a.id, b.id))
    }

    fn either(&mut self) -> Result<Value, Refused> {
        self.chain(Self::both, |kind| {
            (kind == TokenKind::Or).then_some(Binary::Or)
        })
    }

    fn both(&mut self) -> Result<Value, Refused> {
        let operation = |kind| (kind == TokenKind::And).then_some(Binary::And);
        self.chain(Self::negation, operation)
    }

    fn sum(&mut self) -> Result<Value, Refused> {
        self.chain(Self::product, |kind| match kind {
            TokenKind::Plus => Some(Binary::Add),
            TokenKind::Minus => Some(Binary::Subtract),
            _ => None,
        })
    }

    fn product(&mut self) -> Result<Value, Refused> {
        self.chain(Self::sign, |kind| match kind {
            TokenKind::Times => Some(Binary::Multiply),
            TokenKind::Divide => Some(Binary::Divide),
            TokenKind::Modulo => Some(Binary::Modulo),
            _ => None,
        })
    }

    /// Operations of one level, grouped from the left.
    fn chain(
        &mut self,
        operand: impl Fn(&mut Self) -> Result<Value, Refused>,
        operation: impl Fn(TokenKind) -> Option<Binary>,
    ) -> Result<Value, Refused> {
        let mut left = operand(self)?;
        while let Some(operation) = operation(self.peek()) {
            self.advance();
            let right = operand(self)?;
            let span = left.span.start..right.span.end;
            left = self.add(span, |graph| graph.binary(operation, left.id, right.id))?;
        }
        Ok(left)
    }

    fn negation(&mut self) -> Result<Value, Refused> {
        let start = self.span().start;
        if !self.take(TokenKind::NotWord) {
            return self.comparison();
        }
        let a = self.deeper(Self::negation)?;
        self.add(start..a.span.end, |graph| graph.unary(Unary::Not, a.id))
    }

    fn comparison(&mut self) -> Result<Value, Refused> {
        let left = self.sum()?;
        let Some((operation, swapped)) = comparison(self.peek()) else {
            return Ok(left);
        };
        self.advance();
        let right = self.sum()?;
        let span = left.span.start..right.span.end;
        if comparison(self.peek()).is_some() {
            let first = self.words(&span);
            self.advance();
            let third = self.sum()?;
            let problem = Problem::ComparisonChain {
                left: first,
                right: self.words(&(right.span.start..third.span.end)),
            };
            return Err((span.start..third.span.end, problem));
        }
        let (a, b) = match swapped {
            Swapped::No => (left.id, right.id),
            Swapped::Yes => (right.id, left.id),
        };
        self.add(span, |graph| graph.binary(operation, a, b))
    }

    fn sign(&mut self) -> Result<Value, Refused> {
        let operation = match self.peek() {
            TokenKind::Minus => Some(Unary::Negate),
            TokenKind::NotSign => Some(Unary::Not),
            TokenKind::Plus => None,
            _ => return self.power(),
        };
        let start = self.advance().start;
        let a = self.deeper(Self::sign)?;
        let span = start..a.span.end;
        match operation {
            Some(operation) => self.add(span, |graph| graph.unary(operation, a.id)),
            None => Ok(Value { id: a.id, span }),
        }
    }

    fn power(&mut self) -> Result<Value, Refused> {
        let base = self.value()?;
        if !self.take(TokenKind::Power) {
            return Ok(base);
        }
        let exponent = self.deeper(Self::sign)?;
        let span = base.span.start..exponent.span.end;
        self.add(span, |graph| {
            graph.binary(Binary::Power, base.id, exponent.id)
        })
    }

    fn value(&mut self) -> Result<Value, Refused> {
        match self.peek() {
            TokenKind::Number(value) => {
                let span = self.advance();
                self.add(span, |graph| graph.constant(value))
            }
            TokenKind::Open => {
                let open = self.advance();
                let inner = self.deeper(Self::choice)?;
                let close = self.close(&open)?;
                Ok(Value {
                    id: inner.id,
                    span: open.start..close.end,
                })
            }
            TokenKind::Name => {
                let span = self.advance();
                let name = &self.text[span.clone()];
                match self.peek() {
                    TokenKind::Open => self.call(name, span),
                    _ => self.name(name, span),
                }
            }
            _ => Err(self.unexpected(VALUE)),
        }
    }

    /// A parenthesis that must be closed here.
    pub(super) fn close(&mut self, open: &Range<usize>) -> Result<Range<usize>, Refused> {
        match self.peek() {
            TokenKind::Close => Ok(self.advance()),
            TokenKind::End => Err((open.clone(), Problem::Unclosed)),
            _ => Err(self.unexpected("an operator or \")\"")),
        }
    }
}

/// True if a comparison is one of the others with its sides swapped.
enum Swapped {
    No,
    Yes,
}

fn comparison(kind: TokenKind) -> Option<(Binary, Swapped)> {
    Some(match kind {
        TokenKind::Less => (Binary::Less, Swapped::No),
        TokenKind::LessEqual => (Binary::LessEqual, Swapped::No),
        TokenKind::Greater => (Binary::Less, Swapped::Yes),
        TokenKind::GreaterEqual => (Binary::LessEqual, Swapped::Yes),
        TokenKind::Equal => (Binary::Equal, Swapped::No),
        TokenKind::NotEqual => (Binary::NotEqual, Swapped::No),
        _ => return None,
    })
}
