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
use super::function::{CONSTANTS, FUNCTIONS, Function, Settings};
use super::graph::{Builder, Graph, Id};
use super::lexer::{Token, TokenKind, tokens};
use super::operation::{Binary, Unary};
use crate::suggest::nearest;

/// Longest text that is read \[bytes\].
pub const MAX_TEXT: usize = 16_384;

/// Deepest nesting of parentheses, signs, powers and choices. Each level costs stack, which must not overflow.
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
type Refused = (Range<usize>, Problem);

/// A part of the expression that was read.
#[derive(Clone)]
struct Value {
    id: Id,
    span: Range<usize>,
}

struct Parser<'a> {
    text: &'a str,
    variables: &'a [&'a str],
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    graph: Builder,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    fn span(&self) -> Range<usize> {
        self.tokens[self.at].span.clone()
    }

    /// Goes to the next token, but never beyond the end; returns the place of the one left behind.
    fn advance(&mut self) -> Range<usize> {
        let span = self.span();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        span
    }

    fn take(&mut self, kind: TokenKind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.advance();
        }
        found
    }

    fn words(&self, span: &Range<usize>) -> String {
        self.text[span.clone()].to_owned()
    }

    /// What to say about a token that may not stand where it is.
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
    fn deeper(
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
    fn add(
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

    fn choice(&mut self) -> Result<Value, Refused> {
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
    fn close(&mut self, open: &Range<usize>) -> Result<Range<usize>, Refused> {
        match self.peek() {
            TokenKind::Close => Ok(self.advance()),
            TokenKind::End => Err((open.clone(), Problem::Unclosed)),
            _ => Err(self.unexpected("an operator or \")\"")),
        }
    }

    fn name(&mut self, name: &str, span: Range<usize>) -> Result<Value, Refused> {
        if let Some(index) = self.variables.iter().position(|known| *known == name) {
            return self.add(span, |graph| graph.variable(index));
        }
        if let Some(&(_, value)) = CONSTANTS.iter().find(|(known, _)| *known == name) {
            return self.add(span, |graph| graph.constant(value));
        }
        if let Some(function) = Function::named(name) {
            let signature = function.signature;
            return Err((span, Problem::FunctionAlone { signature }));
        }
        let constants = CONSTANTS.iter().map(|&(name, _)| name);
        let known = self.variables.iter().copied().chain(constants);
        // All names of one letter are alike, unless only the case differs.
        let known = known.filter(|known| known.len() > 1 || known.eq_ignore_ascii_case(name));
        let problem = Problem::UnknownName {
            name: name.to_owned(),
            suggestion: nearest(name, known).map(str::to_owned),
            variables: self.variables.iter().map(|&v| v.to_owned()).collect(),
        };
        Err((span, problem))
    }

    fn call(&mut self, name: &str, span: Range<usize>) -> Result<Value, Refused> {
        let Some(function) = Function::named(name) else {
            let constants = CONSTANTS.iter().map(|&(name, _)| name);
            let mut values = self.variables.iter().copied().chain(constants);
            let name = name.to_owned();
            if values.any(|known| known == name) {
                return Err((span, Problem::NotAFunction { name }));
            }
            let functions = FUNCTIONS.iter().map(|function| function.name);
            let problem = Problem::UnknownFunction {
                suggestion: nearest(&name, functions.clone()).map(str::to_owned),
                name,
                functions: functions.map(str::to_owned).collect(),
            };
            return Err((span, problem));
        };
        let open = self.advance();
        let (arguments, settings) = self.arguments(function)?;
        let close = self.close(&open)?;
        let span = span.start..close.end;
        if !function.arguments.contains(&arguments.len()) {
            let problem = Problem::WrongArguments {
                signature: function.signature,
                found: arguments.len(),
            };
            return Err((span, problem));
        }
        self.add(span, |graph| function.call(graph, &arguments, settings))
    }

    fn arguments(&mut self, function: &'static Function) -> Result<(Vec<Id>, Settings), Refused> {
        let mut arguments = Vec::new();
        let mut settings = Settings::default();
        let mut given = Vec::new();
        if self.peek() == TokenKind::Close {
            return Ok((arguments, settings));
        }
        loop {
            let next = self.tokens.get(self.at + 1).map(|token| token.kind);
            if self.peek() == TokenKind::Name && next == Some(TokenKind::Assign) {
                let span = self.advance();
                self.advance();
                let name = self.words(&span);
                let Some(setting) = function.setting(&name) else {
                    let signature = function.signature;
                    return Err((span, Problem::UnknownSetting { signature, name }));
                };
                if given.contains(&setting) {
                    return Err((span, Problem::RepeatedSetting { name }));
                }
                given.push(setting);
                let value = self.deeper(Self::choice)?;
                let name = setting.name();
                let Some(number) = self.graph.constant_value(value.id) else {
                    return Err((value.span, Problem::VaryingSetting { name }));
                };
                if !setting.allows(number) {
                    let problem = Problem::SettingOutOfRange {
                        name,
                        value: number,
                        range: setting.range(),
                    };
                    return Err((value.span, problem));
                }
                settings.set(setting, number);
            } else {
                let value = self.deeper(Self::choice)?;
                if !given.is_empty() {
                    return Err((value.span, Problem::ArgumentAfterSetting));
                }
                arguments.push(value.id);
            }
            if !self.take(TokenKind::Comma) {
                return Ok((arguments, settings));
            }
        }
    }
}

/// Whether a comparison is one of the others with its sides swapped.
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
