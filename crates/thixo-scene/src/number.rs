//! Numbers and vectors of a scene that may be formulas: `1.5` or `"0.5 * sin(x)"`.
//!
//! A [`Number`] is what stands in the file; [`Scene::expression`](crate::Scene::expression) reads
//! it as a formula of the variables that make sense for its key.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::expression::{ColumnError, Expression, Scratch};

/// A number as it is written in a scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Number {
    /// A number.
    Constant(f64),
    /// A formula in quotes.
    Formula(String),
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self::Constant(value)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => write!(f, "{value:?}"),
            Self::Formula(text) => write!(f, "{text:?}"),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

impl JsonSchema for Number {
    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number, or a formula in quotes.",
            "oneOf": [{ "type": "number" }, { "type": "string" }],
        })
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a formula in quotes")
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Number, E> {
        Ok(Number::Constant(value))
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Number, E> {
        Ok(Number::Constant(value as f64))
    }
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Number, E> {
        Ok(Number::Constant(value as f64))
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Number, E> {
        Ok(Number::Formula(text.to_owned()))
    }
}

/// A number or a list of numbers, as it is written in a scene.
pub(crate) enum NumberOrList {
    Number(f64),
    List(Vec<f64>),
}

impl<'de> Deserialize<'de> for NumberOrList {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        deserializer.deserialize_any(NumberOrListVisitor)
    }
}

struct NumberOrListVisitor;

impl<'de> Visitor<'de> for NumberOrListVisitor {
    type Value = NumberOrList;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a list of numbers")
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<NumberOrList, E> {
        Ok(NumberOrList::Number(value))
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<NumberOrList, E> {
        Ok(NumberOrList::Number(value as f64))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<NumberOrList, A::Error> {
        let mut numbers = Vec::new();
        while let Some(number) = list.next_element()? {
            numbers.push(number);
        }
        Ok(NumberOrList::List(numbers))
    }
}

/// A vector of D formulas of the same variables.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorOf<const D: usize> {
    components: [Expression; D],
}

impl<const D: usize> From<[f64; D]> for VectorOf<D> {
    fn from(components: [f64; D]) -> Self {
        Self {
            components: components.map(Expression::from),
        }
    }
}

impl<const D: usize> VectorOf<D> {
    /// A formula for each axis.
    pub fn new(components: [Expression; D]) -> Self {
        Self { components }
    }

    /// The formula of each axis.
    pub fn components(&self) -> &[Expression; D] {
        &self.components
    }

    /// Its value, if no variable changes it.
    pub fn constant(&self) -> Option<[f64; D]> {
        let values = self.components.each_ref().map(Expression::constant);
        values
            .iter()
            .all(Option::is_some)
            .then(|| values.map(Option::unwrap_or_default))
    }

    /// True if any component depends on a variable.
    pub fn uses(&self, variable: &str) -> bool {
        self.components.iter().any(|c| c.uses(variable))
    }

    /// Its value for one value of every variable.
    pub fn evaluate(&self, values: &[f64]) -> [f64; D] {
        self.components.each_ref().map(|c| c.evaluate(values))
    }

    /// Its components for columns of values, a column for each axis; see
    /// [`Expression::evaluate_batch`].
    pub fn evaluate_batch(
        &self,
        columns: &[&[f64]],
        out: [&mut [f64]; D],
        scratch: &mut Scratch,
    ) -> Result<(), ColumnError> {
        for (component, out) in self.components.iter().zip(out) {
            component.evaluate_batch(columns, out, scratch)?;
        }
        Ok(())
    }

    /// Its exact derivative by a variable; see [`Expression::derivative`].
    pub fn derivative(&self, variable: &str) -> Self {
        Self {
            components: self.components.each_ref().map(|c| c.derivative(variable)),
        }
    }
}
