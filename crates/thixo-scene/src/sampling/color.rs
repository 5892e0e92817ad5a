//! Colours of particles: one for a body, or several by chance.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Sampling;
use super::random::Random;
use crate::error::SceneError;
use crate::scene::Scene;

/// Probabilities add up to 1 within this.
const ROUNDING: f64 = 1e-6;

/// A colour in sRGB: `"#rrggbb"`, or a list of red, green and blue from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(
    /// Red, green and blue, 0 to 255.
    pub [u8; 3],
);

/// A colour that some of the particles of a body have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColorShare {
    /// The colour. Required.
    pub color: Color,
    /// Probability that a particle has it \[–\], 0 to 1; those of a list add up to 1. Required.
    #[schemars(range(min = 0, max = 1))]
    pub probability: f64,
}

impl Serialize for Color {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [r, g, b] = self.0;
        serializer.serialize_str(&format!("#{r:02x}{g:02x}{b:02x}"))
    }
}

impl<'de> Deserialize<'de> for Color {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        deserializer.deserialize_any(ColorVisitor)
    }
}

impl JsonSchema for Color {
    fn schema_name() -> Cow<'static, str> {
        "Color".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A colour in sRGB: \"#rrggbb\", or a list of red, green and blue from 0 to 1.",
            "oneOf": [
                { "type": "string", "pattern": "^#[0-9a-fA-F]{6}$" },
                {
                    "type": "array",
                    "items": { "type": "number", "minimum": 0, "maximum": 1 },
                    "minItems": 3,
                    "maxItems": 3,
                },
            ],
        })
    }
}

struct ColorVisitor;

impl<'de> Visitor<'de> for ColorVisitor {
    type Value = Color;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"#rrggbb\" or a list of three numbers from 0 to 1")
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Color, E> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
        let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match number {
            Some(number) => {
                let [_, r, g, b] = number.to_be_bytes();
                Ok(Color([r, g, b]))
            }
            None => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
        }
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Color, A::Error> {
        let mut parts: Vec<f64> = Vec::new();
        while let Some(part) = list.next_element()? {
            parts.push(part);
        }
        match parts[..] {
            [r, g, b] if parts.iter().all(|part| (0.0..=1.0).contains(part)) => {
                Ok(Color([r, g, b].map(|part| (part * 255.0).round() as u8)))
            }
            _ => {
                let found = format!("{parts:?}");
                Err(de::Error::invalid_value(
                    de::Unexpected::Other(&found),
                    &self,
                ))
            }
        }
    }
}

/// The colours of a body's particles.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Palette {
    /// Colours, each with the probability of it or one before it.
    colors: Vec<([u8; 3], f64)>,
    seed: u32,
}

impl Palette {
    /// The colour of a particle: a function of seed and identifier alone.
    pub fn color(&self, id: u32) -> Option<[u8; 3]> {
        let u = Random::new(self.seed, &[i64::from(id)]).uniform();
        let chosen = self.colors.iter().find(|(_, up_to)| u < *up_to);
        chosen.or(self.colors.last()).map(|(color, _)| *color)
    }
}

impl Scene {
    /// The colours of a body, if it has any.
    pub(crate) fn palette(
        &self,
        key: &str,
        color: Option<Color>,
        colors: &[ColorShare],
        sampling: Option<Sampling>,
    ) -> Result<Option<Palette>, SceneError> {
        let list = format!("{key}.colors");
        let seed = sampling.map_or(0, |sampling| sampling.seed());
        match (color, colors) {
            (None, []) => return Ok(None),
            (Some(color), []) => {
                let colors = vec![(color.0, 1.0)];
                return Ok(Some(Palette { colors, seed }));
            }
            (Some(_), _) => {
                let range = "absent: color gives all particles one colour";
                return Err(self.out_of_range(&list, "a list", range));
            }
            (None, _) => {}
        }
        let mut sum = 0.0;
        let mut palette = Vec::new();
        for (k, share) in colors.iter().enumerate() {
            if !(0.0..=1.0).contains(&share.probability) {
                let key = format!("{list}[{k}].probability");
                return Err(self.number_out_of_range(&key, share.probability, "from 0 to 1"));
            }
            sum += share.probability;
            palette.push((share.color.0, sum));
        }
        if (sum - 1.0).abs() > ROUNDING {
            let value = format!("a list with probabilities that add up to {sum}");
            return Err(self.out_of_range(&list, value, "one whose probabilities add up to 1"));
        }
        let colors = palette;
        Ok(Some(Palette { colors, seed }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_come_as_often_as_they_should_and_stay_with_their_particle() {
        let palette = Palette {
            colors: vec![([1; 3], 0.7), ([2; 3], 0.9), ([3; 3], 1.0)],
            seed: 5,
        };
        let mut counts = [0; 4];
        for id in 0..100_000 {
            let color = palette.color(id).unwrap();
            assert_eq!(palette.color(id), Some(color));
            counts[usize::from(color[0])] += 1;
        }
        for (found, expected) in counts.into_iter().zip([0, 70_000, 20_000, 10_000]) {
            assert!(i32::abs(found - expected) < 600, "{counts:?}");
        }
    }
}
