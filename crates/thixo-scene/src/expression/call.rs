//! Names and calls of functions in an expression.

use std::ops::Range;

use super::error::ExpressionProblem as Problem;
use super::function::{CONSTANTS, FUNCTIONS, Function, Setting, Settings};
use super::graph::Id;
use super::lexer::TokenKind;
use super::parser::{Parser, Refused, Value};
use crate::suggest::nearest;

impl Parser<'_> {
    /// A variable or a constant.
    pub(super) fn name(&mut self, name: &str, span: Range<usize>) -> Result<Value, Refused> {
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

    /// A call of a function, from the opening parenthesis on.
    pub(super) fn call(&mut self, name: &str, span: Range<usize>) -> Result<Value, Refused> {
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

    /// Arguments and settings up to the closing parenthesis.
    fn arguments(&mut self, function: &'static Function) -> Result<(Vec<Id>, Settings), Refused> {
        let mut arguments = Vec::new();
        let mut settings = Settings::default();
        let mut given = Vec::new();
        if self.peek() == TokenKind::Close {
            return Ok((arguments, settings));
        }
        loop {
            if (self.peek(), self.peek_second()) == (TokenKind::Name, TokenKind::Assign) {
                let (setting, value) = self.setting(function, &given)?;
                settings.set(setting, value);
                given.push(setting);
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

    /// `name = value`.
    fn setting(
        &mut self,
        function: &'static Function,
        given: &[Setting],
    ) -> Result<(Setting, f64), Refused> {
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
        let name = setting.name();
        let value = self.deeper(Self::choice)?;
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
        Ok((setting, number))
    }
}
