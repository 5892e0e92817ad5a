//! Exact derivatives, rule by rule.
//!
//! The derivative of every node follows from those of its operands by the chain rule; as nodes are
//! shared, the result is a small multiple of the expression, not exponentially large. Functions by
//! pieces are differentiated by pieces: `abs`, `min`, `max`, `clamp`, `mod`, `fract` and choices
//! take the side that the value itself takes, and `floor`, `ceil`, `round`, `sign`, `step`,
//! comparisons and `random` have the derivative 0 also where they jump. Where a derivative is
//! infinite or not unique (`sqrt`, `cbrt` and `hypot` at 0, `asin` and `acos` at ±1) the result is
//! infinite or NaN, as the rule gives it.

use super::graph::{Builder, Graph, Id, Node};
use super::operation::{Binary, Operation, Unary};

/// The derivative of a graph by a variable.
pub(super) fn derivative(graph: &Graph, variable: usize) -> Graph {
    let mut rules = Rules {
        graph: Builder::from_graph(graph),
    };
    // The derivative of each node; none is an exact zero.
    let mut slopes: Vec<Option<Id>> = Vec::with_capacity(graph.nodes().len());
    for (node, id) in graph.nodes().iter().zip(graph.ids()) {
        rules.graph.span = graph.span(id);
        let slope = match *node {
            Node::Constant(_) => None,
            Node::Variable(index) => (index == variable).then(|| rules.graph.constant(1.0)),
            Node::Apply(operation, operands) => {
                let inner = operands.map(|operand| slopes[operand.index()]);
                rules.chain(id, operation, operands, inner)
            }
        };
        slopes.push(slope);
    }
    let result = match slopes[graph.result().index()] {
        Some(slope) => slope,
        None => rules.graph.constant(0.0),
    };
    rules.graph.finish(result)
}

/// The rules of differentiation, which add to a graph.
struct Rules {
    graph: Builder,
}

impl Rules {
    fn constant(&mut self, value: f64) -> Id {
        self.graph.constant(value)
    }
    fn multiply(&mut self, a: Id, b: Id) -> Id {
        self.graph.binary(Binary::Multiply, a, b)
    }
    fn divide(&mut self, a: Id, b: Id) -> Id {
        self.graph.binary(Binary::Divide, a, b)
    }
    fn add(&mut self, a: Id, b: Id) -> Id {
        self.graph.binary(Binary::Add, a, b)
    }
    fn subtract(&mut self, a: Id, b: Id) -> Id {
        self.graph.binary(Binary::Subtract, a, b)
    }
    fn unary(&mut self, operation: Unary, a: Id) -> Id {
        self.graph.unary(operation, a)
    }
    fn scaled(&mut self, factor: f64, a: Id) -> Id {
        let factor = self.constant(factor);
        self.multiply(factor, a)
    }
    /// A derivative as a node, zero too.
    fn node(&mut self, slope: Option<Id>) -> Id {
        slope.unwrap_or_else(|| self.constant(0.0))
    }
    /// The sum of two derivatives.
    fn sum(&mut self, a: Option<Id>, b: Option<Id>) -> Option<Id> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.add(a, b)),
            (one, other) => one.or(other),
        }
    }
    /// The derivative of one of two operands, by a condition.
    fn either(&mut self, condition: Id, a: Option<Id>, b: Option<Id>) -> Option<Id> {
        if a.is_none() && b.is_none() {
            return None;
        }
        let (a, b) = (self.node(a), self.node(b));
        Some(self.graph.select(condition, a, b))
    }

    /// d f(a, b, c), given f itself, its operands and their derivatives.
    fn chain(
        &mut self,
        f: Id,
        operation: Operation,
        operands: [Id; 3],
        slopes: [Option<Id>; 3],
    ) -> Option<Id> {
        match operation {
            Operation::Unary(operation) => {
                let slope = slopes[0]?;
                let outer = self.outer(f, operation, operands[0])?;
                Some(self.multiply(outer, slope))
            }
            Operation::Binary(operation) => {
                let [a, b, _] = operands;
                let [da, db, _] = slopes;
                self.binary(f, operation, [a, b], [da, db])
            }
            Operation::Select => self.either(operands[0], slopes[1], slopes[2]),
            Operation::Noise(noise) => (0..noise.dimension).fold(None, |sum, axis| {
                let term = slopes[axis].map(|slope| {
                    let operands = &operands[..noise.dimension];
                    let partial = Operation::Noise(noise.derivative(axis));
                    let partial = self.graph.apply(partial, operands);
                    self.multiply(partial, slope)
                });
                self.sum(sum, term)
            }),
            Operation::Random(_) => None,
        }
    }

    /// The derivative of a function of one number by that number; none is zero.
    fn outer(&mut self, f: Id, operation: Unary, a: Id) -> Option<Id> {
        let one = self.constant(1.0);
        Some(match operation {
            Unary::Negate => self.constant(-1.0),
            Unary::Sin => self.unary(Unary::Cos, a),
            Unary::Cos => {
                let sin = self.unary(Unary::Sin, a);
                self.unary(Unary::Negate, sin)
            }
            Unary::Tan => {
                let square = self.multiply(f, f);
                self.add(one, square)
            }
            Unary::Asin | Unary::Acos => {
                let square = self.multiply(a, a);
                let rest = self.subtract(one, square);
                let root = self.unary(Unary::Sqrt, rest);
                let sign = if operation == Unary::Asin { 1.0 } else { -1.0 };
                let sign = self.constant(sign);
                self.divide(sign, root)
            }
            Unary::Atan => {
                let square = self.multiply(a, a);
                let sum = self.add(one, square);
                self.divide(one, sum)
            }
            Unary::Sinh => self.unary(Unary::Cosh, a),
            Unary::Cosh => self.unary(Unary::Sinh, a),
            Unary::Tanh => {
                let square = self.multiply(f, f);
                self.subtract(one, square)
            }
            Unary::Sqrt => {
                let half = self.constant(0.5);
                self.divide(half, f)
            }
            Unary::Cbrt => {
                let square = self.multiply(f, f);
                let triple = self.scaled(3.0, square);
                self.divide(one, triple)
            }
            Unary::Exp => f,
            Unary::Log => self.divide(one, a),
            Unary::Log2 => {
                let scaled = self.scaled(std::f64::consts::LN_2, a);
                self.divide(one, scaled)
            }
            Unary::Log10 => {
                let scaled = self.scaled(std::f64::consts::LN_10, a);
                self.divide(one, scaled)
            }
            Unary::Abs => self.unary(Unary::Sign, a),
            Unary::Fract => one,
            Unary::Not | Unary::Sign | Unary::Floor | Unary::Ceil | Unary::Round => return None,
        })
    }

    fn binary(
        &mut self,
        f: Id,
        operation: Binary,
        [a, b]: [Id; 2],
        [da, db]: [Option<Id>; 2],
    ) -> Option<Id> {
        let product =
            |rules: &mut Self, x: Id, slope: Option<Id>| slope.map(|s| rules.multiply(x, s));
        match operation {
            Binary::Add => self.sum(da, db),
            Binary::Subtract => self.difference(da, db),
            Binary::Multiply => {
                let left = product(self, b, da);
                let right = product(self, a, db);
                self.sum(left, right)
            }
            Binary::Divide => {
                // (a/b)' = (a' − f b') / b
                let right = product(self, f, db);
                let above = self.difference(da, right)?;
                Some(self.divide(above, b))
            }
            Binary::Modulo => {
                // a − b ⌊a/b⌋
                let right = db.map(|db| {
                    let ratio = self.divide(a, b);
                    let whole = self.unary(Unary::Floor, ratio);
                    self.multiply(whole, db)
                });
                self.difference(da, right)
            }
            Binary::Power => {
                let left = da.map(|da| {
                    let one = self.constant(1.0);
                    let lower = self.subtract(b, one);
                    let power = self.graph.binary(Binary::Power, a, lower);
                    let outer = self.multiply(b, power);
                    self.multiply(outer, da)
                });
                let right = db.map(|db| {
                    let log = self.unary(Unary::Log, a);
                    let outer = self.multiply(f, log);
                    let term = self.multiply(outer, db);
                    // 0ᵇ log 0 is 0 in the limit, not 0 · ∞.
                    self.graph.select(a, term, a)
                });
                self.sum(left, right)
            }
            Binary::Atan2 => {
                // (b a' − a b') / (a² + b²)
                let left = product(self, b, da);
                let right = product(self, a, db);
                let above = self.difference(left, right)?;
                let (a2, b2) = (self.multiply(a, a), self.multiply(b, b));
                let below = self.add(a2, b2);
                Some(self.divide(above, below))
            }
            Binary::Hypot => {
                let left = product(self, a, da);
                let right = product(self, b, db);
                let above = self.sum(left, right)?;
                Some(self.divide(above, f))
            }
            Binary::Min => {
                let first = self.graph.binary(Binary::Less, a, b);
                self.either(first, da, db)
            }
            Binary::Max => {
                let first = self.graph.binary(Binary::Less, b, a);
                self.either(first, da, db)
            }
            Binary::Less
            | Binary::LessEqual
            | Binary::Equal
            | Binary::NotEqual
            | Binary::And
            | Binary::Or => None,
        }
    }

    /// The difference of two derivatives.
    fn difference(&mut self, a: Option<Id>, b: Option<Id>) -> Option<Id> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.subtract(a, b)),
            (None, Some(b)) => Some(self.unary(Unary::Negate, b)),
            (a, None) => a,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::parser::parse;

    #[test]
    fn derivatives_grow_in_proportion() {
        let nested = |levels| {
            let double = |inner: String, _| format!("sin({inner})*cos({inner})");
            (0..levels).fold("t".to_owned(), double)
        };
        let sizes = [4, 8].map(|levels| {
            let graph = parse(&nested(levels), &["t"]).unwrap();
            let first = derivative(&graph, 0);
            let second = derivative(&first, 0);
            [&graph, &first, &second].map(|graph| graph.nodes().len())
        });
        // Twice the levels have 2⁴ times the text, but about twice the operations.
        for (small, large) in sizes[0].iter().zip(&sizes[1]) {
            assert!(*large < 3 * small, "{sizes:?}");
        }
        assert!(sizes[1][2] < 12 * sizes[1][0], "{sizes:?}");
    }
}
