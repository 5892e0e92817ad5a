//! Numbers with units, `"35 kPa"`, wherever a key has a unit.
//!
//! The unit of a key is the one that its documentation gives in brackets, `[Pa]`: the JSON Schema
//! is the table. A string that is a number with a unit becomes the number in the unit of its key;
//! units of another kind are refused. Strings of keys without a unit, such as titles, stay.

use std::collections::BTreeMap;

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use crate::error::{Problem, SceneError};
use crate::schema::schema;
use crate::source::Source;

/// Exponents of metre, kilogram, second, kelvin and radian.
type Dimension = [i8; 5];

/// A unit as a multiple of those of the SI.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Unit {
    dimension: Dimension,
    /// It is `over / under` units of the SI: a quotient of whole numbers rounds once.
    over: f64,
    under: f64,
    /// Its zero in the unit of the SI: of temperatures.
    zero: f64,
}

const LENGTH: Dimension = [1, 0, 0, 0, 0];
const MASS: Dimension = [0, 1, 0, 0, 0];
const TIME: Dimension = [0, 0, 1, 0, 0];
const TEMPERATURE: Dimension = [0, 0, 0, 1, 0];
const ANGLE: Dimension = [0, 0, 0, 0, 1];
const FORCE: Dimension = [1, 1, -2, 0, 0];
const PRESSURE: Dimension = [-1, 1, -2, 0, 0];
const ENERGY: Dimension = [2, 1, -2, 0, 0];
const POWER: Dimension = [2, 1, -3, 0, 0];

/// Units that take prefixes.
const PREFIXED: [(&str, Dimension, f64, f64); 8] = [
    ("Pa", PRESSURE, 1.0, 1.0),
    ("m", LENGTH, 1.0, 1.0),
    ("g", MASS, 1.0, 1000.0),
    ("s", TIME, 1.0, 1.0),
    ("K", TEMPERATURE, 1.0, 1.0),
    ("N", FORCE, 1.0, 1.0),
    ("J", ENERGY, 1.0, 1.0),
    ("W", POWER, 1.0, 1.0),
];

/// Units that take none, with their zero.
const OTHERS: [(&str, Dimension, f64, f64, f64); 16] = [
    ("%", [0; 5], 1.0, 100.0, 0.0),
    ("deg", ANGLE, std::f64::consts::PI, 180.0, 0.0),
    ("degree", ANGLE, std::f64::consts::PI, 180.0, 0.0),
    ("degrees", ANGLE, std::f64::consts::PI, 180.0, 0.0),
    ("°", ANGLE, std::f64::consts::PI, 180.0, 0.0),
    ("rad", ANGLE, 1.0, 1.0, 0.0),
    ("rpm", [0, 0, -1, 0, 1], std::f64::consts::PI, 30.0, 0.0),
    ("Hz", [0, 0, -1, 0, 0], 1.0, 1.0, 0.0),
    ("min", TIME, 60.0, 1.0, 0.0),
    ("h", TIME, 3600.0, 1.0, 0.0),
    ("bar", PRESSURE, 1e5, 1.0, 0.0),
    ("l", [3, 0, 0, 0, 0], 1.0, 1000.0, 0.0),
    ("t", MASS, 1000.0, 1.0, 0.0),
    ("P", [-1, 1, -1, 0, 0], 1.0, 10.0, 0.0),
    ("°C", TEMPERATURE, 1.0, 1.0, 273.15),
    ("1", [0; 5], 1.0, 1.0, 0.0),
];

const PREFIXES: [(&str, f64, f64); 9] = [
    ("", 1.0, 1.0),
    ("n", 1.0, 1e9),
    ("µ", 1.0, 1e6),
    ("u", 1.0, 1e6),
    ("m", 1.0, 1000.0),
    ("c", 1.0, 100.0),
    ("k", 1000.0, 1.0),
    ("M", 1e6, 1.0),
    ("G", 1e9, 1.0),
];

impl Unit {
    /// A product of units: `kg/m³`, `Pa s`, `m/s^2`.
    fn parse(text: &str) -> Option<Self> {
        let mut unit = Self {
            dimension: [0; 5],
            over: 1.0,
            under: 1.0,
            zero: 0.0,
        };
        let spaced = text.replace(['*', '·'], " ").replace('/', " / ");
        let mut sign = 1;
        let (mut factors, mut has_other_zero) = (0, false);
        for word in spaced.split_whitespace() {
            if word == "/" {
                if sign < 0 {
                    return None;
                }
                sign = -1;
                continue;
            }
            let (symbol, power) = power_of(word)?;
            let factor = Self::symbol(symbol)?;
            for (own, of_factor) in unit.dimension.iter_mut().zip(factor.dimension) {
                *own += sign * power * of_factor;
            }
            let power = i32::from(power);
            let (over, under) = match sign {
                1 => (factor.over, factor.under),
                _ => (factor.under, factor.over),
            };
            unit.over *= over.powi(power);
            unit.under *= under.powi(power);
            unit.zero = factor.zero;
            has_other_zero |= factor.zero != 0.0;
            sign = 1;
            factors += 1;
        }
        // Degrees of a scale with another zero are a temperature only where they stand alone.
        let is_product = factors > 1;
        (factors > 0 && sign > 0 && !(is_product && has_other_zero)).then_some(unit)
    }

    fn symbol(symbol: &str) -> Option<Self> {
        for (own, dimension, over, under, zero) in OTHERS {
            if own == symbol {
                return Some(Self {
                    dimension,
                    over,
                    under,
                    zero,
                });
            }
        }
        for (own, dimension, over, under) in PREFIXED {
            let Some(prefix) = symbol.strip_suffix(own) else {
                continue;
            };
            if let Some((_, times, by)) = PREFIXES.iter().find(|known| known.0 == prefix) {
                return Some(Self {
                    dimension,
                    over: over * times,
                    under: under * by,
                    zero: 0.0,
                });
            }
        }
        None
    }

    /// A number of this unit in another of the same kind.
    fn convert(self, number: f64, to: Self) -> f64 {
        if self == to {
            return number;
        }
        let (over, under) = (self.over * to.under, self.under * to.over);
        // Powers of ten that cancel must not round.
        let scaled = match (over / under).fract() == 0.0 {
            true => number * (over / under),
            false => number * over / under,
        };
        scaled + (self.zero - to.zero)
    }
}

/// A symbol and its exponent: `m³`, `m^3`, `m`.
fn power_of(word: &str) -> Option<(&str, i8)> {
    for (mark, power) in [("²", 2), ("³", 3), ("^2", 2), ("^3", 3)] {
        if let Some(symbol) = word.strip_suffix(mark) {
            return Some((symbol, power));
        }
    }
    Some((word, 1))
}

/// A number with a unit behind it.
fn quantity(text: &str) -> Option<(f64, Unit)> {
    let text = text.trim();
    let in_number = |c: char| c.is_ascii_digit() || "+-._eE".contains(c);
    // The longest start that is a number: the e of "3 e" may be one of both.
    let ends = text.char_indices().take_while(|(_, c)| in_number(*c));
    let mut ends: Vec<usize> = ends.map(|(at, c)| at + c.len_utf8()).collect();
    while let Some(end) = ends.pop() {
        if let Ok(number) = text[..end].parse::<f64>() {
            let unit = text[end..].trim();
            // A formula, such as "0.06 * t": t is the time and not a tonne.
            if unit.starts_with(['*', '·', '/']) {
                return None;
            }
            return Some((number, Unit::parse(unit)?));
        }
    }
    None
}

/// Numbers by the path of their key.
pub(crate) type Converted = BTreeMap<String, String>;

/// Finds strings that are numbers with units; returns the numbers in the units of their keys.
pub(crate) fn converted(root: &DeTable<'_>, source: &Source) -> Result<Converted, SceneError> {
    let mut found = Converted::new();
    if has_quantity(root) {
        let schema = schema();
        let keys = Keys {
            schema: &schema,
            source,
        };
        keys.table(root, &[&schema], "", &mut found)?;
    }
    Ok(found)
}

/// Puts these numbers in the place of the strings.
pub(crate) fn put<'a>(root: &mut DeTable<'a>, converted: &'a Converted) {
    fn below<'a>(value: &mut DeValue<'a>, path: &str, converted: &'a Converted) {
        match value {
            DeValue::Table(table) => of_table(table, path, converted),
            DeValue::Array(items) => {
                for (k, item) in items.iter_mut().enumerate() {
                    below(item.get_mut(), &format!("{path}[{k}]"), converted);
                }
            }
            DeValue::String(_) => {
                let number = converted.get(path).map(|number| DeValue::parse(number));
                if let Some(Ok(number)) = number {
                    *value = number.into_inner();
                }
            }
            _ => {}
        }
    }
    fn of_table<'a>(table: &mut DeTable<'a>, path: &str, converted: &'a Converted) {
        for (key, value) in table.iter_mut() {
            below(value.get_mut(), &joined(path, key.get_ref()), converted);
        }
    }
    if !converted.is_empty() {
        of_table(root, "", converted);
    }
}

fn joined(path: &str, key: &str) -> String {
    match path {
        "" => key.to_owned(),
        _ => format!("{path}.{key}"),
    }
}

fn has_quantity(table: &DeTable<'_>) -> bool {
    fn is_quantity(value: &DeValue<'_>) -> bool {
        match value {
            DeValue::String(text) => quantity(text).is_some(),
            DeValue::Array(items) => items.iter().any(|item| is_quantity(item.get_ref())),
            DeValue::Table(table) => has_quantity(table),
            _ => false,
        }
    }
    table.iter().any(|(_, value)| is_quantity(value.get_ref()))
}

/// The units of keys.
struct Keys<'a> {
    schema: &'a Value,
    source: &'a Source,
}

impl<'a> Keys<'a> {
    fn table(
        &self,
        table: &DeTable<'_>,
        nodes: &[&'a Value],
        path: &str,
        found: &mut Converted,
    ) -> Result<(), SceneError> {
        let mut choices = Vec::new();
        nodes
            .iter()
            .for_each(|node| self.choices(node, &mut choices));
        for (key, value) in table.iter() {
            let key: &str = key.get_ref();
            let known = |node: &&'a Value| {
                let own = node.get("properties").and_then(|keys| keys.get(key));
                own.or_else(|| {
                    node.get("additionalProperties")
                        .filter(|any| any.is_object())
                })
            };
            let below: Vec<&Value> = choices.iter().filter_map(known).collect();
            self.value(value.get_ref(), &below, None, (&joined(path, key), found))?;
        }
        Ok(())
    }

    /// `unit` is that of the list which the value is in.
    fn value(
        &self,
        value: &DeValue<'_>,
        nodes: &[&'a Value],
        unit: Option<(Unit, &'a str)>,
        (path, found): (&str, &mut Converted),
    ) -> Result<(), SceneError> {
        let mut choices = Vec::new();
        nodes
            .iter()
            .for_each(|node| self.choices(node, &mut choices));
        let said = || nodes.iter().chain(&choices).find_map(|node| unit_of(node));
        let unit = unit.or_else(said);
        match value {
            DeValue::Table(table) => self.table(table, nodes, path, found),
            DeValue::Array(items) => {
                let item_of = |node: &&'a Value| node.get("items");
                let below: Vec<&Value> = choices.iter().filter_map(item_of).collect();
                for (k, item) in items.iter().enumerate() {
                    let path = format!("{path}[{k}]");
                    self.value(item.get_ref(), &below, unit, (&path, found))?;
                }
                Ok(())
            }
            DeValue::String(text) => {
                let (Some((number, own)), Some((to, name))) = (quantity(text), unit) else {
                    return Ok(());
                };
                if own.dimension != to.dimension {
                    let problem = Problem::OutOfRange {
                        key: path.to_owned(),
                        value: format!("{text:?}"),
                        range: format!("in {name}, or in another unit of that kind"),
                    };
                    return Err(self.source.error_at_key(path, problem));
                }
                let number = format!("{:?}", own.convert(number, to));
                found.insert(path.to_owned(), number);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A node with all that it refers to and may be.
    fn choices(&self, node: &'a Value, found: &mut Vec<&'a Value>) {
        found.push(node);
        let place = node.get("$ref").and_then(Value::as_str);
        let place = place.and_then(|place| place.strip_prefix('#'));
        if let Some(target) = place.and_then(|place| self.schema.pointer(place)) {
            self.choices(target, found);
        }
        for list in ["allOf", "anyOf", "oneOf"] {
            let list = node.get(list).and_then(Value::as_array);
            list.into_iter()
                .flatten()
                .for_each(|choice| self.choices(choice, found));
        }
    }
}

/// The unit in the description of a key, and its name.
fn unit_of(node: &Value) -> Option<(Unit, &str)> {
    let description = node.get("description")?.as_str()?;
    let brackets = description.split('[').skip(1);
    let inside = brackets.filter_map(|rest| Some(rest.split_once(']')?.0));
    inside
        .filter_map(|text| Some((unit_of_key(text)?, text)))
        .next()
}

fn unit_of_key(text: &str) -> Option<Unit> {
    match text {
        "–" => Unit::parse("1"),
        text => Unit::parse(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(text: &str, unit: &str) -> Option<f64> {
        let (number, own) = quantity(text)?;
        let to = unit_of_key(unit)?;
        (own.dimension == to.dimension).then(|| own.convert(number, to))
    }

    #[test]
    fn units_become_those_of_the_key() {
        for (text, unit, number) in [
            ("35 kPa", "Pa", 35_000.0),
            ("12 mm", "m", 0.012),
            ("1e-3 µm", "m", 1e-9),
            ("30 deg", "degrees", 30.0),
            ("0.5 rad", "rad", 0.5),
            ("180°", "rad", std::f64::consts::PI),
            ("20 °C", "K", 293.15),
            ("293.15 K", "°C", 20.0),
            ("1.2 g/cm³", "kg/m³", 1200.0),
            ("400 kg/m^3", "kg/m³", 400.0),
            ("36 km/h", "m/s", 10.0),
            ("9.81 m/s^2", "m/s²", 9.81),
            ("5 mPa s", "Pa s", 0.005),
            ("5 mPa*s", "Pa s", 0.005),
            ("60 rpm", "rad/s", 2.0 * std::f64::consts::PI),
            ("50 %", "–", 0.5),
            ("2 l", "m³", 0.002),
        ] {
            let found = converted(text, unit).unwrap_or(f64::NAN);
            assert!((found - number).abs() <= 1e-15 * number, "{text}: {found}");
        }
        // Whole factors and tenths give the number that one would write.
        assert_eq!(converted("12 mm", "m"), Some(0.012));
        assert_eq!(converted("140 kPa", "Pa"), Some(140_000.0));
    }

    #[test]
    fn other_kinds_and_other_texts_do_not() {
        assert_eq!(converted("35 kPa", "m"), None);
        assert_eq!(converted("3 1/s", "m/s"), None);
        for text in [
            "12", "mm", "2 * x", "5 apples", "3 m/", "x m", "2 °C/s", "0.06 * t", "2*t", "1 / s",
            "",
        ] {
            assert!(quantity(text).is_none(), "{text}");
        }
    }
}
