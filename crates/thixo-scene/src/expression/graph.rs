//! The meaning of an expression: operations on the results of earlier ones. Equal operations exist
//! once, and those on constants are done at once.

use std::collections::HashMap;
use std::ops::Range;

use super::operation::{Binary, Operation, Unary};

/// A node of a graph; later nodes use earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Id(u32);

impl Id {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// One value of the computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// The bits of a number.
    Constant(u64),
    /// An input.
    Variable(usize),
    /// An operation; operands beyond its arity repeat the first.
    Apply(Operation, [Id; 3]),
}

/// Nodes in an order in which they can be computed, with the places in the text that they came
/// from. The last one is the result.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    spans: Vec<Range<usize>>,
}

impl Graph {
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = Id> {
        (0..self.nodes.len() as u32).map(Id)
    }

    pub(crate) fn span(&self, id: Id) -> Range<usize> {
        self.spans[id.index()].clone()
    }

    pub(crate) fn result(&self) -> Id {
        Id(self.nodes.len() as u32 - 1)
    }

    /// The value of every node; an input that is missing is NaN.
    pub(crate) fn evaluate(&self, inputs: &[f64], values: &mut [f64]) {
        for (k, node) in self.nodes.iter().enumerate() {
            values[k] = match *node {
                Node::Constant(bits) => f64::from_bits(bits),
                Node::Variable(index) => inputs.get(index).copied().unwrap_or(f64::NAN),
                Node::Apply(operation, operands) => {
                    operation.apply(operands.map(|id| values[id.index()]))
                }
            };
        }
    }

    /// Origin of a result that is not finite: the deepest node on the way to it that is not finite
    /// while what it is made of is.
    pub(crate) fn culprit(&self, inputs: &[f64]) -> Id {
        let mut values = vec![0.0; self.nodes.len()];
        self.evaluate(inputs, &mut values);
        let mut id = self.result();
        while let Node::Apply(operation, operands) = self.nodes[id.index()] {
            // The branch that a choice leaves out does not matter.
            let used = match operation {
                Operation::Select if values[operands[0].index()] != 0.0 => &operands[..2],
                Operation::Select => &[operands[0], operands[2]],
                _ => &operands[..operation.arity()],
            };
            let bad = used.iter().find(|id| !values[id.index()].is_finite());
            match bad {
                Some(&bad) => id = bad,
                None => break,
            }
        }
        id
    }
}

/// A graph that grows.
#[derive(Default)]
pub(crate) struct Builder {
    nodes: Vec<Node>,
    spans: Vec<Range<usize>>,
    known: HashMap<Node, Id>,
    /// Place in the text that the next nodes come from.
    pub(crate) span: Range<usize>,
}

impl Builder {
    /// Goes on with a finished graph; its nodes keep their identifiers.
    pub(crate) fn from_graph(graph: &Graph) -> Self {
        let ids = (0..).map(Id);
        Self {
            nodes: graph.nodes.clone(),
            spans: graph.spans.clone(),
            known: graph.nodes.iter().copied().zip(ids).collect(),
            span: 0..0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn constant_value(&self, id: Id) -> Option<f64> {
        match self.nodes[id.index()] {
            Node::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    fn push(&mut self, node: Node) -> Id {
        let next = Id(self.nodes.len() as u32);
        let id = *self.known.entry(node).or_insert(next);
        if id == next {
            self.nodes.push(node);
            self.spans.push(self.span.clone());
        }
        id
    }

    pub(crate) fn constant(&mut self, value: f64) -> Id {
        self.push(Node::Constant(value.to_bits()))
    }

    pub(crate) fn variable(&mut self, index: usize) -> Id {
        self.push(Node::Variable(index))
    }

    /// An operation on as many operands as it takes; done at once if they are constants.
    pub(crate) fn apply(&mut self, operation: Operation, operands: &[Id]) -> Id {
        let first = operands[0];
        let operand = |k: usize| operands.get(k).copied().unwrap_or(first);
        let operands = [operand(0), operand(1), operand(2)];
        let values = operands.map(|id| self.constant_value(id));
        if let [Some(a), Some(b), Some(c)] = values {
            return self.constant(operation.apply([a, b, c]));
        }
        self.push(Node::Apply(operation, operands))
    }

    pub(crate) fn unary(&mut self, operation: Unary, a: Id) -> Id {
        self.apply(Operation::Unary(operation), &[a])
    }

    pub(crate) fn binary(&mut self, operation: Binary, a: Id, b: Id) -> Id {
        let is = |id: Id, value: f64| self.constant_value(id) == Some(value);
        match operation {
            // Identities that hold to the last bit.
            Binary::Multiply if is(a, 1.0) => b,
            Binary::Multiply | Binary::Divide | Binary::Power if is(b, 1.0) => a,
            // Small powers are multiplications, for constants too, so that both give the same bits.
            Binary::Power if is(b, 2.0) => self.binary(Binary::Multiply, a, a),
            Binary::Power if is(b, 3.0) => {
                let square = self.binary(Binary::Multiply, a, a);
                self.binary(Binary::Multiply, square, a)
            }
            Binary::Power if is(b, -1.0) => {
                let one = self.constant(1.0);
                self.binary(Binary::Divide, one, a)
            }
            _ => self.apply(Operation::Binary(operation), &[a, b]),
        }
    }

    pub(crate) fn select(&mut self, condition: Id, a: Id, b: Id) -> Id {
        match self.constant_value(condition) {
            Some(condition) if condition != 0.0 => a,
            Some(_) => b,
            None if a == b => a,
            None => self.apply(Operation::Select, &[condition, a, b]),
        }
    }

    /// The part of the graph that a result needs.
    pub(crate) fn finish(&self, result: Id) -> Graph {
        let mut needed = vec![false; self.nodes.len()];
        needed[result.index()] = true;
        for k in (0..=result.index()).rev() {
            if let (true, Node::Apply(_, operands)) = (needed[k], self.nodes[k]) {
                operands.iter().for_each(|id| needed[id.index()] = true);
            }
        }
        let mut moved = vec![Id(0); self.nodes.len()];
        let mut graph = Graph {
            nodes: Vec::new(),
            spans: Vec::new(),
        };
        for k in (0..=result.index()).filter(|&k| needed[k]) {
            moved[k] = Id(graph.nodes.len() as u32);
            graph.nodes.push(match self.nodes[k] {
                Node::Apply(operation, operands) => {
                    Node::Apply(operation, operands.map(|id| moved[id.index()]))
                }
                node => node,
            });
            graph.spans.push(self.spans[k].clone());
        }
        graph
    }
}
