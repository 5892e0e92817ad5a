//! The functions and constants that expressions may use.

use std::ops::RangeInclusive;

use super::graph::{Builder, Id};
use super::noise::{Noise, Random, octave_seed, octave_shift};
use super::operation::{Binary, Operation, Unary};

/// A function by its name.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    /// Its name.
    pub(crate) signature: &'static str,
    /// Number of arguments that it takes.
    pub(crate) arguments: RangeInclusive<usize>,
    meaning: Meaning,
}

#[derive(Clone, Copy, Debug)]
enum Meaning {
    Unary(Unary),
    Binary(Binary),
    /// A binary operation on any number of arguments, from the left.
    Chain(Binary),
    If,
    Clamp,
    Mix,
    Step,
    Smoothstep,
    Noise,
    Fbm,
    Random,
}

/// Names of constants with their values.
pub(crate) const CONSTANTS: [(&str, f64); 3] = [
    ("pi", std::f64::consts::PI),
    ("tau", std::f64::consts::TAU),
    ("e", std::f64::consts::E),
];

const fn one(name: &'static str, signature: &'static str, operation: Unary) -> Function {
    function(name, signature, 1..=1, Meaning::Unary(operation))
}

const fn function(
    name: &'static str,
    signature: &'static str,
    arguments: RangeInclusive<usize>,
    meaning: Meaning,
) -> Function {
    Function {
        name,
        signature,
        arguments,
        meaning,
    }
}

/// All functions.
pub(crate) static FUNCTIONS: [Function; 37] = [
    one("sin", "sin(a)", Unary::Sin),
    one("cos", "cos(a)", Unary::Cos),
    one("tan", "tan(a)", Unary::Tan),
    one("asin", "asin(a)", Unary::Asin),
    one("acos", "acos(a)", Unary::Acos),
    one("atan", "atan(a)", Unary::Atan),
    function(
        "atan2",
        "atan2(y, x)",
        2..=2,
        Meaning::Binary(Binary::Atan2),
    ),
    one("sinh", "sinh(a)", Unary::Sinh),
    one("cosh", "cosh(a)", Unary::Cosh),
    one("tanh", "tanh(a)", Unary::Tanh),
    one("sqrt", "sqrt(a)", Unary::Sqrt),
    one("cbrt", "cbrt(a)", Unary::Cbrt),
    one("exp", "exp(a)", Unary::Exp),
    one("log", "log(a)", Unary::Log),
    one("ln", "ln(a)", Unary::Log),
    one("log2", "log2(a)", Unary::Log2),
    one("log10", "log10(a)", Unary::Log10),
    function("pow", "pow(a, b)", 2..=2, Meaning::Binary(Binary::Power)),
    function(
        "hypot",
        "hypot(a, b, …)",
        2..=MANY,
        Meaning::Chain(Binary::Hypot),
    ),
    one("abs", "abs(a)", Unary::Abs),
    one("sign", "sign(a)", Unary::Sign),
    one("floor", "floor(a)", Unary::Floor),
    one("ceil", "ceil(a)", Unary::Ceil),
    one("round", "round(a)", Unary::Round),
    one("fract", "fract(a)", Unary::Fract),
    function("mod", "mod(a, b)", 2..=2, Meaning::Binary(Binary::Modulo)),
    function("min", "min(a, b, …)", 1..=MANY, Meaning::Chain(Binary::Min)),
    function("max", "max(a, b, …)", 1..=MANY, Meaning::Chain(Binary::Max)),
    function("clamp", "clamp(a, low, high)", 3..=3, Meaning::Clamp),
    function("mix", "mix(a, b, share)", 3..=3, Meaning::Mix),
    function("lerp", "lerp(a, b, share)", 3..=3, Meaning::Mix),
    function("step", "step(edge, a)", 2..=2, Meaning::Step),
    function(
        "smoothstep",
        "smoothstep(low, high, a)",
        3..=3,
        Meaning::Smoothstep,
    ),
    function("if", "if(condition, a, b)", 3..=3, Meaning::If),
    function("noise", "noise(a, b, c, seed = 0)", 1..=3, Meaning::Noise),
    function(
        "fbm",
        "fbm(a, b, c, octaves = 4, gain = 0.5, lacunarity = 2, seed = 0)",
        1..=3,
        Meaning::Fbm,
    ),
    function(
        "random",
        "random(a, b, c, seed = 0)",
        1..=3,
        Meaning::Random,
    ),
];

const MANY: usize = usize::MAX;

/// A constant that changes what a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    Seed,
    Octaves,
    Gain,
    Lacunarity,
}

impl Setting {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Octaves => "octaves",
            Self::Gain => "gain",
            Self::Lacunarity => "lacunarity",
        }
    }

    /// The values that it may have, in words.
    pub(crate) fn range(self) -> &'static str {
        match self {
            Self::Seed => "a whole number from 0 to 9007199254740991",
            Self::Octaves => "a whole number from 1 to 16",
            Self::Gain => "above 0 and at most 1",
            Self::Lacunarity => "from 1 to 8",
        }
    }

    pub(crate) fn allows(self, value: f64) -> bool {
        let whole = value == value.floor();
        match self {
            Self::Seed => whole && (0.0..=9_007_199_254_740_991.0).contains(&value),
            Self::Octaves => whole && (1.0..=16.0).contains(&value),
            Self::Gain => value > 0.0 && value <= 1.0,
            Self::Lacunarity => (1.0..=8.0).contains(&value),
        }
    }
}

/// The settings of a call, all within their ranges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    seed: u64,
    octaves: u32,
    gain: f64,
    lacunarity: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 0,
            octaves: 4,
            gain: 0.5,
            lacunarity: 2.0,
        }
    }
}

impl Settings {
    pub(crate) fn set(&mut self, setting: Setting, value: f64) {
        match setting {
            Setting::Seed => self.seed = value as u64,
            Setting::Octaves => self.octaves = value as u32,
            Setting::Gain => self.gain = value,
            Setting::Lacunarity => self.lacunarity = value,
        }
    }
}

impl Function {
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        FUNCTIONS.iter().find(|function| function.name == name)
    }

    /// The setting of a name, if the function has it.
    pub(crate) fn setting(&self, name: &str) -> Option<Setting> {
        let known: &[Setting] = match self.meaning {
            Meaning::Noise | Meaning::Random => &[Setting::Seed],
            Meaning::Fbm => &[
                Setting::Octaves,
                Setting::Gain,
                Setting::Lacunarity,
                Setting::Seed,
            ],
            _ => &[],
        };
        known.iter().copied().find(|known| known.name() == name)
    }

    /// Adds a call to a graph. The number of arguments is within the range of the function.
    pub(crate) fn call(&self, graph: &mut Builder, arguments: &[Id], settings: Settings) -> Id {
        let [a, b, c] = [0, 1, 2].map(|k| arguments.get(k).copied().unwrap_or(arguments[0]));
        let dimension = arguments.len();
        match self.meaning {
            Meaning::Unary(operation) => graph.unary(operation, a),
            Meaning::Binary(operation) => graph.binary(operation, a, b),
            Meaning::Chain(operation) => arguments[1..]
                .iter()
                .fold(a, |left, &right| graph.binary(operation, left, right)),
            Meaning::If => graph.select(a, b, c),
            Meaning::Clamp => clamp(graph, a, b, c),
            Meaning::Mix => {
                let difference = graph.binary(Binary::Subtract, b, a);
                let part = graph.binary(Binary::Multiply, difference, c);
                graph.binary(Binary::Add, a, part)
            }
            Meaning::Step => graph.binary(Binary::LessEqual, a, b),
            Meaning::Smoothstep => smoothstep(graph, a, b, c),
            Meaning::Noise => {
                let noise = Noise::new(dimension, settings.seed);
                graph.apply(Operation::Noise(noise), arguments)
            }
            Meaning::Fbm => fbm(graph, arguments, settings),
            Meaning::Random => {
                let seed = settings.seed;
                graph.apply(Operation::Random(Random { dimension, seed }), arguments)
            }
        }
    }
}

fn clamp(graph: &mut Builder, a: Id, low: Id, high: Id) -> Id {
    let raised = graph.binary(Binary::Max, a, low);
    graph.binary(Binary::Min, raised, high)
}

/// u² (3 − 2u) with u rising from 0 at `low` to 1 at `high`.
fn smoothstep(graph: &mut Builder, low: Id, high: Id, a: Id) -> Id {
    let run = graph.binary(Binary::Subtract, a, low);
    let width = graph.binary(Binary::Subtract, high, low);
    let share = graph.binary(Binary::Divide, run, width);
    let [zero, one, two, three] = [0.0, 1.0, 2.0, 3.0].map(|value| graph.constant(value));
    let u = clamp(graph, share, zero, one);
    let square = graph.binary(Binary::Multiply, u, u);
    let double = graph.binary(Binary::Multiply, two, u);
    let rest = graph.binary(Binary::Subtract, three, double);
    graph.binary(Binary::Multiply, square, rest)
}

/// Σ gainᵏ noise(lacunarityᵏ p + shiftₖ) / Σ gainᵏ.
fn fbm(graph: &mut Builder, point: &[Id], settings: Settings) -> Id {
    let first = octave(graph, point, settings, 0);
    (1..settings.octaves).fold(first, |sum, k| {
        let next = octave(graph, point, settings, k);
        graph.binary(Binary::Add, sum, next)
    })
}

fn octave(graph: &mut Builder, point: &[Id], settings: Settings, k: u32) -> Id {
    // Not `powi`, which need not give the same bits on every machine.
    let power = |base: f64, k: u32| (0..k).fold(1.0, |product, _| product * base);
    let amplitude = |k: u32| power(settings.gain, k);
    let total: f64 = (0..settings.octaves).map(amplitude).sum();
    let frequency = graph.constant(power(settings.lacunarity, k));
    let mut scaled = Vec::with_capacity(3);
    for (axis, &coordinate) in point.iter().enumerate() {
        let coordinate = graph.binary(Binary::Multiply, coordinate, frequency);
        let shift = graph.constant(octave_shift(settings.seed, k, axis));
        scaled.push(graph.binary(Binary::Add, coordinate, shift));
    }
    let noise = Noise::new(point.len(), octave_seed(settings.seed, k));
    let noise = graph.apply(Operation::Noise(noise), &scaled);
    let amplitude = graph.constant(amplitude(k) / total);
    graph.binary(Binary::Multiply, noise, amplitude)
}
