//! No text makes the reader panic, and what it prints is what it read.

use proptest::prelude::*;
use thixo_scene::Expression;

use super::{formula, same};

/// Reads, and evaluates what could be read.
fn try_text(text: &str) {
    match Expression::parse(text, &["x", "y", "t"]) {
        Ok(expression) => {
            expression.evaluate(&[0.5, -2.0, 1e30]);
            expression.derivative("t").evaluate(&[0.0, 1.0, 2.0]);
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert!(error.text.get(error.span.clone()).is_some(), "{text:?}");
        }
    }
}

/// Pieces of formulas, sensible and not.
fn soup() -> impl Strategy<Value = String> {
    let pieces = vec![
        "x", "y", "t", "2", "0.5", "1e3", ".", "e", "pi", "(", ")", "(", ")", ",", "?", ":", "+",
        "-", "*", "/", "%", "^", "**", "<", "<=", ">", "==", "!=", "=", "!", "not ", " and ",
        " or ", "&&", "||", "&", "sin(", "min(", "if(", "noise(", "fbm(", "seed = 1", "octaves=",
        "random(", "é", "×", "\n", "\t", " ", "1e", "9e999", "pow", "ω",
    ];
    proptest::collection::vec(proptest::sample::select(pieces), 0..40).prop_map(|p| p.concat())
}

/// A tree of operations that can be written with all or with few parentheses.
#[derive(Clone, Debug)]
enum Tree {
    Leaf(&'static str),
    Prefix(&'static str, Box<Self>),
    Infix(Box<Self>, &'static str, Box<Self>),
    Choice(Box<Self>, Box<Self>, Box<Self>),
    Call(&'static str, Vec<Self>),
}

/// The level of an operator: a higher one binds tighter.
fn level(operator: &str) -> u32 {
    match operator {
        "or" => 1,
        "and" => 2,
        "not " => 3,
        "<" | ">=" | "==" => 4,
        "+" | "-" => 5,
        "*" | "/" | "%" => 6,
        "^" => 8,
        _ => 7,
    }
}

impl Tree {
    fn level(&self) -> u32 {
        match self {
            Self::Choice(..) => 0,
            Self::Infix(_, operator, _) => level(operator),
            Self::Prefix("-", _) => 7,
            Self::Prefix(operator, _) => level(operator),
            Self::Leaf(_) | Self::Call(..) => 9,
        }
    }

    fn all_parentheses(&self) -> String {
        match self {
            Self::Leaf(text) => (*text).to_owned(),
            Self::Prefix(operator, a) => format!("({operator}{})", a.all_parentheses()),
            Self::Infix(a, operator, b) => {
                format!(
                    "({} {operator} {})",
                    a.all_parentheses(),
                    b.all_parentheses()
                )
            }
            Self::Choice(a, b, c) => {
                let [a, b, c] = [a, b, c].map(|part| part.all_parentheses());
                format!("({a} ? {b} : {c})")
            }
            Self::Call(name, arguments) => {
                let arguments: Vec<_> = arguments.iter().map(Self::all_parentheses).collect();
                format!("{name}({})", arguments.join(", "))
            }
        }
    }

    /// With parentheses only where the levels need them.
    fn few_parentheses(&self) -> String {
        let part = |tree: &Self, least: u32| match tree.level() >= least {
            true => tree.few_parentheses(),
            false => format!("({})", tree.few_parentheses()),
        };
        match self {
            Self::Leaf(text) => (*text).to_owned(),
            Self::Prefix(operator, a) => format!("{operator}{}", part(a, self.level())),
            Self::Infix(a, "^", b) => format!("{} ^ {}", part(a, 9), part(b, 7)),
            Self::Infix(a, operator, b) => {
                let own = level(operator);
                let left = if own == 4 { 5 } else { own };
                format!("{} {operator} {}", part(a, left), part(b, own + 1))
            }
            Self::Choice(a, b, c) => format!("{} ? {} : {}", part(a, 1), part(b, 0), part(c, 0)),
            Self::Call(name, arguments) => {
                let arguments: Vec<_> = arguments.iter().map(Self::few_parentheses).collect();
                format!("{name}({})", arguments.join(", "))
            }
        }
    }
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = proptest::sample::select(vec!["x", "y", "z", "t", "2", "0.25", "3", "pi"]);
    leaf.prop_map(Tree::Leaf).prop_recursive(5, 40, 3, |inner| {
        let infix = vec!["+", "-", "*", "/", "%", "^", "<", ">=", "==", "and", "or"];
        let one = vec![
            "sin", "cos", "tan", "atan", "sqrt", "abs", "exp", "log", "floor", "fract", "sign",
            "noise", "random", "tanh", "asin", "cbrt", "round",
        ];
        let two = vec![
            "min", "max", "atan2", "hypot", "mod", "pow", "noise", "fbm", "step",
        ];
        let three = vec!["clamp", "mix", "smoothstep", "if", "noise", "random"];
        let boxed = inner.clone().prop_map(Box::new);
        let call = |names: Vec<&'static str>, count: usize| {
            let arguments = proptest::collection::vec(inner.clone(), count);
            (proptest::sample::select(names), arguments).prop_map(|(n, a)| Tree::Call(n, a))
        };
        prop_oneof![
            4 => (boxed.clone(), proptest::sample::select(infix), boxed.clone())
                .prop_map(|(a, operator, b)| Tree::Infix(a, operator, b)),
            1 => (proptest::sample::select(vec!["-", "!", "not "]), boxed.clone())
                .prop_map(|(operator, a)| Tree::Prefix(operator, a)),
            1 => (boxed.clone(), boxed.clone(), boxed).prop_map(|(a, b, c)| Tree::Choice(a, b, c)),
            2 => call(one, 1),
            1 => call(two, 2),
            1 => call(three, 3),
        ]
    })
}

/// A formula that can be read.
pub(super) fn formula_text() -> impl Strategy<Value = String> {
    tree().prop_map(|tree| tree.few_parentheses())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,60}") {
        try_text(&text);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        try_text(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_order_of_words_is_read_or_refused(text in soup()) {
        try_text(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn parentheses_that_precedence_implies_may_be_left_out(tree in tree()) {
        let few = tree.few_parentheses();
        let (few_read, all_read) = (formula(&few), formula(&tree.all_parentheses()));
        for k in 0..8 {
            let point = [0.0, 1.0, 2.0, 3.0].map(|phase| (f64::from(k) * 1.7 + phase).sin() * 2.0);
            let (a, b) = (few_read.evaluate(&point), all_read.evaluate(&point));
            prop_assert!(same(a, b), "{few} at {point:?}: {a}, {b}");
        }
    }

    #[test]
    fn a_cut_formula_is_read_or_refused(text in formula_text(), share in 0.0..1.0_f64) {
        let cut = (text.len() as f64 * share) as usize;
        try_text(text.get(..cut).unwrap_or_default());
        try_text(text.get(cut..).unwrap_or_default());
    }
}
