//! Reading and checking the formulas of a scene. What is wrong with one is reported with file, line
//! and key and marked within the string.

use crate::error::{Problem, SceneError};
use crate::expression::{Expression, Scratch, at_point};
use crate::number::{Number, VectorOf};
use crate::points::VariableColumns;
use crate::scene::Scene;

impl Scene {
    /// The number of a key as a formula of the given variables. Constants must be finite.
    pub fn expression(
        &self,
        key: &str,
        number: &Number,
        variables: &[&str],
    ) -> Result<Expression, SceneError> {
        let text = match number {
            Number::Constant(value) if value.is_finite() => return Ok(Expression::from(*value)),
            Number::Constant(value) => {
                return Err(self.number_out_of_range(key, *value, "finite"));
            }
            Number::Formula(text) => text,
        };
        let expression = Expression::parse(text, variables).map_err(|error| {
            let problem = Problem::Expression {
                key: key.to_owned(),
                cause: error.problem,
            };
            self.source.error_in_string(key, text, &error.span, problem)
        })?;
        if let Some(value) = expression.constant() {
            self.check_finite(key, &expression, &[], &[value])?;
        }
        Ok(expression)
    }

    /// The vector of a key as D formulas of the given variables.
    pub fn vector_expression<const D: usize>(
        &self,
        key: &str,
        components: &[Number],
        variables: &[&str],
    ) -> Result<VectorOf<D>, SceneError> {
        if components.len() != D {
            let written: Vec<String> = components.iter().map(Number::to_string).collect();
            let value = format!("[{}]", written.join(", "));
            let range = format!("a list of {D} numbers or formulas in dimension {D}");
            return Err(self.out_of_range(key, value, range));
        }
        let mut vector = [0.0; D].map(Expression::from);
        for (axis, number) in components.iter().enumerate() {
            let key = format!("{key}[{axis}]");
            vector[axis] = self.expression(&key, number, variables)?;
        }
        Ok(VectorOf::new(vector))
    }

    /// The vector of a key as D formulas of the given variables, or zero where the key is absent.
    pub(crate) fn vector_expression_or_zero<const D: usize>(
        &self,
        key: &str,
        components: &[Number],
        variables: &[&str],
    ) -> Result<VectorOf<D>, SceneError> {
        match components {
            [] => Ok([0.0; D].into()),
            _ => self.vector_expression(key, components, variables),
        }
    }

    /// The values of the formula of a key at points; refuses what is not finite.
    pub(crate) fn finite_values(
        &self,
        key: &str,
        expression: &Expression,
        columns: &VariableColumns,
        scratch: &mut Scratch,
    ) -> Result<Vec<f64>, SceneError> {
        let mut values = vec![0.0; columns.count()];
        let columns = columns.slices();
        let outcome = expression.evaluate_batch(&columns, &mut values, scratch);
        outcome.map_err(|error| {
            let (key, message) = (key.to_owned(), error.to_string());
            let problem = Problem::Other { key, message };
            self.source.error_at(None, problem)
        })?;
        self.check_finite(key, expression, &columns, &values)?;
        Ok(values)
    }

    /// Refuses the formula of a key if one of its results is not finite, saying at which point.
    /// `columns` are those that the results were computed from.
    pub fn check_finite(
        &self,
        key: &str,
        expression: &Expression,
        columns: &[&[f64]],
        results: &[f64],
    ) -> Result<(), SceneError> {
        let Some(cause) = expression.first_non_finite(columns, results) else {
            return Ok(());
        };
        let (text, span) = (cause.text.clone(), cause.span.clone());
        let key = key.to_owned();
        let problem = Problem::NonFinite {
            key: key.clone(),
            cause: Box::new(cause),
        };
        Err(self.source.error_in_string(&key, &text, &span, problem))
    }

    /// Refuses the formula of a key if one of its results is not finite or not allowed, saying at
    /// which point; `range` says what is allowed.
    pub fn check_values(
        &self,
        key: &str,
        expression: &Expression,
        columns: &[&[f64]],
        results: &[f64],
        (allowed, range): (impl Fn(f64) -> bool, &str),
    ) -> Result<(), SceneError> {
        self.check_finite(key, expression, columns, results)?;
        let Some(index) = results.iter().position(|&value| !allowed(value)) else {
            return Ok(());
        };
        let point = at_point(&expression.inputs(columns, index));
        let problem = Problem::OutOfRange {
            key: key.to_owned(),
            value: format!("{:?}{point}", results[index]),
            range: range.to_owned(),
        };
        Err(self.source.error_at_key(key, problem))
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};
    use toml::de::DeTable;

    use super::*;
    use crate::source::Source;

    /// Keys as a scene may have them.
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Keys {
        density: Number,
        velocity: Vec<Number>,
    }

    const VARIABLES: [&str; 3] = ["x", "y", "t"];

    /// A scene whose source is a text with [`Keys`], for its messages.
    fn read(text: &str) -> (Scene, Keys) {
        let empty = "dimension = 2\n[grid]\nspacing = 1\n[time]\nframes = 1\n[materials.m]\nmodel = \"fluid\"\ndensity = 1\nbulk_modulus = 1\n[[objects]]\nmaterial = \"m\"\nshape = { sphere = { center = [0, 0], radius = 1 } }\n";
        let mut scene = Scene::parse(empty, "").unwrap();
        let mut source = Source::new("s.toml", text, std::path::Path::new(""));
        source.index(DeTable::parse(text).unwrap().get_ref());
        scene.source = source;
        (scene, toml::from_str(text).unwrap())
    }

    fn density_message(density: &str) -> String {
        let (scene, keys) = read(&format!("velocity = [0, 1]\ndensity = {density}\n"));
        let outcome = scene.expression("density", &keys.density, &VARIABLES);
        outcome.expect_err("it is wrong").to_string()
    }

    #[test]
    fn numbers_and_formulas_are_read_and_written_as_they_were() {
        let text = "density = \"2 * x\"\nvelocity = [1.0, \"t\"]\n";
        let (scene, keys) = read(text);
        assert_eq!(toml::to_string(&keys).unwrap(), text);
        let density = scene.expression("density", &keys.density, &VARIABLES);
        assert_eq!(density.unwrap().evaluate(&[3.0, 0.0, 0.0]), 6.0);
        let velocity = scene.vector_expression::<2>("velocity", &keys.velocity, &VARIABLES);
        let velocity = velocity.unwrap();
        assert_eq!(velocity.evaluate(&[0.0, 0.0, 4.0]), [1.0, 4.0]);
        assert_eq!(velocity.derivative("t").constant(), Some([0.0, 1.0]));
        assert!(velocity.uses("t") && !velocity.uses("x"));
        assert_eq!(velocity.constant(), None);
        let mut columns = [[0.0; 2]; 2];
        let [vx, vy] = &mut columns;
        let t: [&[f64]; 3] = [&[], &[], &[5.0, 6.0]];
        let outcome = velocity.evaluate_batch(&t, [vx, vy], &mut Scratch::default());
        assert_eq!(outcome, Ok(()));
        assert_eq!(columns, [[1.0, 1.0], [5.0, 6.0]]);
        // Whole numbers are numbers.
        assert_eq!(
            read("density = 3\nvelocity = []").1.density,
            Number::Constant(3.0)
        );
    }

    #[test]
    fn mistakes_are_marked_within_the_string() {
        assert_eq!(
            density_message("\"1000 * (1 + yy)\""),
            r#"s.toml:2:24: density: unknown name "yy"; the variables here are x, y, t
2 | density = "1000 * (1 + yy)"
  |                        ^^"#
        );
        assert_eq!(
            density_message("'x +'"),
            r#"s.toml:2:15: density: the expression ends here, but a number, a name or a parenthesis must follow
2 | density = 'x +'
  |               ^"#
        );
        assert_eq!(
            density_message("\"\\t\\u0078 + sine(x)\""),
            r#"s.toml:2:23: density: unknown function "sine"; did you mean "sin"?
2 | density = "\t\u0078 + sine(x)"
  |                       ^^^^"#
        );
        assert_eq!(
            density_message("\"\"\"\n1000 +\n  2 * yy\"\"\""),
            r#"s.toml:4:7: density: unknown name "yy"; the variables here are x, y, t
4 |   2 * yy"""
  |       ^^"#
        );
    }

    #[test]
    fn a_mistake_in_a_component_names_the_component() {
        let (scene, keys) = read("density = 1\nvelocity = [\"sin(t)\", \"0 < y < 1\"]\n");
        let outcome = scene.vector_expression::<2>("velocity", &keys.velocity, &VARIABLES);
        assert_eq!(
            outcome.unwrap_err().to_string(),
            r#"s.toml:2:24: velocity[1]: comparisons cannot be chained; write "0 < y and y < 1"
2 | velocity = ["sin(t)", "0 < y < 1"]
  |                        ^^^^^^^^^"#
        );
        let outcome = scene.vector_expression::<3>("velocity", &keys.velocity, &VARIABLES);
        assert_eq!(
            outcome.unwrap_err().to_string(),
            r#"s.toml:2:12: velocity is ["sin(t)", "0 < y < 1"]; it must be a list of 3 numbers or formulas in dimension 3
2 | velocity = ["sin(t)", "0 < y < 1"]
  |            ^^^^^^^^^^^^^^^^^^^^^^^"#
        );
    }

    #[test]
    fn values_that_are_not_finite_are_refused() {
        assert_eq!(
            density_message("inf"),
            "s.toml:2:11: density is inf; it must be finite\n2 | density = inf\n  |           ^^^"
        );
        assert_eq!(
            density_message("\"2 + log(0)\""),
            "s.toml:2:16: density is minus infinity; it must be finite\n2 | density = \"2 + log(0)\"\n  |                ^^^^^^"
        );
        let (scene, keys) = read("velocity = []\ndensity = \"1 + sqrt(x)\"\n");
        let density = scene.expression("density", &keys.density, &VARIABLES);
        let density = density.unwrap();
        let x: [&[f64]; 1] = [&[1.0, -2.0]];
        let mut results = [0.0; 2];
        let outcome = density.evaluate_batch(&x, &mut results, &mut Scratch::default());
        assert_eq!(outcome, Ok(()));
        let outcome = scene.check_finite("density", &density, &x, &results);
        assert_eq!(
            outcome.unwrap_err().to_string(),
            "s.toml:2:16: density is not a number where x = -2.0; it must be finite\n2 | density = \"1 + sqrt(x)\"\n  |                ^^^^^^^"
        );
    }

    #[test]
    fn values_outside_their_range_are_refused_with_the_point() {
        let (scene, keys) = read("velocity = []\ndensity = \"1 - x\"\n");
        let density = scene.expression("density", &keys.density, &VARIABLES);
        let density = density.unwrap();
        let x: [&[f64]; 1] = [&[0.5, 3.0]];
        let positive = (|value| value > 0.0, "above 0");
        let outcome = scene.check_values("density", &density, &x, &[0.5, -2.0], positive);
        assert_eq!(
            outcome.unwrap_err().to_string(),
            "s.toml:2:11: density is -2.0 where x = 3.0; it must be above 0\n2 | density = \"1 - x\"\n  |           ^^^^^^^"
        );
        let outcome = scene.check_values("density", &density, &x, &[0.5, 2.0], positive);
        assert_eq!(outcome, Ok(()));
    }

    #[test]
    fn other_kinds_of_values_are_refused() {
        let message = |value: &str| {
            let text = format!("density = {value}\nvelocity = []");
            toml::from_str::<Keys>(&text)
                .unwrap_err()
                .message()
                .to_owned()
        };
        let end = "expected a number or a formula in quotes";
        assert_eq!(
            message("true"),
            format!("invalid type: boolean `true`, {end}")
        );
        assert_eq!(message("[1]"), format!("invalid type: sequence, {end}"));
    }

    #[test]
    fn a_scene_made_in_code_shows_the_formula_alone() {
        let (mut scene, _) = read("density = 1\nvelocity = []");
        scene.source = Source::default();
        let outcome = scene.expression("density", &Number::Formula("2 * w".to_owned()), &[]);
        assert_eq!(
            outcome.unwrap_err().to_string(),
            "1:5: density: unknown name \"w\"; the variables here are none\n1 | 2 * w\n  |     ^"
        );
    }
}
