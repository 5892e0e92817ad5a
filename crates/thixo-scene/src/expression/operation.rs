//! Operations of expressions on numbers. Each operation is written once; the compiler makes a
//! version for one value and one for a column.

use super::noise::{Noise, Random};

/// Declares operations on a fixed number of operands: their names, `apply` on numbers and
/// `apply_all` on columns.
macro_rules! operations {
    (
        $(#[$about:meta])*
        $kind:ident $operands:tt, $arguments:tt, $columns:tt
        { $($(#[$doc:meta])* $name:ident => $value:expr,)+ }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum $kind {
            $($(#[$doc])* $name,)+
        }

        impl $kind {
            /// The operation on one set of numbers.
            pub(crate) fn apply(self, $operands: $arguments) -> f64 {
                match self {
                    $(Self::$name => $value,)+
                }
            }

            /// The operation on columns, as long as the shortest. The choice is made once, so that
            /// the loops vectorise.
            pub(crate) fn apply_all(self, $operands: $columns, out: &mut [f64]) {
                match self {
                    $(Self::$name => operations!(@each out, $value, $operands),)+
                }
            }
        }
    };
    (@each $out:ident, $value:expr, [$a:ident]) => {
        for (out, &$a) in $out.iter_mut().zip($a) {
            *out = $value;
        }
    };
    (@each $out:ident, $value:expr, [$a:ident, $b:ident]) => {
        for ((out, &$a), &$b) in $out.iter_mut().zip($a).zip($b) {
            *out = $value;
        }
    };
}

operations! {
    /// Operations on one number.
    Unary [a], [f64; 1], [&[f64]; 1] {
        Negate => -a,
        /// 1 for zero, else 0.
        Not => truth(a == 0.0),
        Sin => a.sin(),
        Cos => a.cos(),
        Tan => a.tan(),
        Asin => a.asin(),
        Acos => a.acos(),
        Atan => a.atan(),
        Sinh => a.sinh(),
        Cosh => a.cosh(),
        Tanh => a.tanh(),
        Sqrt => a.sqrt(),
        Cbrt => a.cbrt(),
        Abs => a.abs(),
        /// −1, 0 or 1; NaN stays.
        Sign => if a > 0.0 { 1.0 } else if a < 0.0 { -1.0 } else { a },
        Floor => a.floor(),
        Ceil => a.ceil(),
        /// To the nearest whole number, halves away from zero.
        Round => a.round(),
        /// The part above the whole number below.
        Fract => a - a.floor(),
        Exp => a.exp(),
        Log => a.ln(),
        Log2 => a.log2(),
        Log10 => a.log10(),
    }
}

operations! {
    /// Operations on two numbers.
    Binary [a, b], [f64; 2], [&[f64]; 2] {
        Add => a + b,
        Subtract => a - b,
        Multiply => a * b,
        Divide => a / b,
        /// The remainder with the sign of the divisor.
        Modulo => modulo(a, b),
        Power => a.powf(b),
        /// Angle of the point (b, a).
        Atan2 => a.atan2(b),
        Hypot => a.hypot(b),
        /// Unlike `f64::min`, keeps NaN: a mistake must not hide.
        Min => if a < b || a.is_nan() { a } else { b },
        /// Keeps NaN.
        Max => if a > b || a.is_nan() { a } else { b },
        Less => truth(a < b),
        LessEqual => truth(a <= b),
        Equal => truth(a == b),
        NotEqual => truth(a != b),
        And => truth(a != 0.0 && b != 0.0),
        Or => truth(a != 0.0 || b != 0.0),
    }
}

fn truth(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

fn modulo(a: f64, b: f64) -> f64 {
    let remainder = a % b;
    if remainder != 0.0 && (remainder < 0.0) != (b < 0.0) {
        remainder + b
    } else {
        remainder
    }
}

/// The second number where the first is not zero, else the third.
fn select(condition: f64, a: f64, b: f64) -> f64 {
    if condition != 0.0 { a } else { b }
}

/// Any operation, on up to three numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    Unary(Unary),
    Binary(Binary),
    Select,
    Noise(Noise),
    Random(Random),
}

impl Operation {
    /// Number of operands that count, of three.
    pub(crate) fn arity(self) -> usize {
        match self {
            Self::Unary(_) => 1,
            Self::Binary(_) => 2,
            Self::Select => 3,
            Self::Noise(noise) => noise.dimension,
            Self::Random(random) => random.dimension,
        }
    }

    pub(crate) fn apply(self, [a, b, c]: [f64; 3]) -> f64 {
        match self {
            Self::Unary(operation) => operation.apply([a]),
            Self::Binary(operation) => operation.apply([a, b]),
            Self::Select => select(a, b, c),
            Self::Noise(noise) => noise.at([a, b, c]),
            Self::Random(random) => random.at([a, b, c]),
        }
    }

    pub(crate) fn apply_all(self, [a, b, c]: [&[f64]; 3], out: &mut [f64]) {
        let points = || a.iter().zip(b).zip(c).map(|((&a, &b), &c)| [a, b, c]);
        match self {
            Self::Unary(operation) => operation.apply_all([a], out),
            Self::Binary(operation) => operation.apply_all([a, b], out),
            Self::Select => {
                for (out, [a, b, c]) in out.iter_mut().zip(points()) {
                    *out = select(a, b, c);
                }
            }
            Self::Noise(noise) => {
                for (out, point) in out.iter_mut().zip(points()) {
                    *out = noise.at(point);
                }
            }
            Self::Random(random) => {
                for (out, point) in out.iter_mut().zip(points()) {
                    *out = random.at(point);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modulo_has_the_sign_of_the_divisor() {
        let modulo = |a, b| Binary::Modulo.apply([a, b]);
        assert_eq!(modulo(5.5, 2.0), 1.5);
        assert_eq!(modulo(-5.5, 2.0), 0.5);
        assert_eq!(modulo(5.5, -2.0), -0.5);
        assert_eq!(modulo(-5.5, -2.0), -1.5);
        assert_eq!(modulo(4.0, 2.0), 0.0);
        assert!(modulo(1.0, 0.0).is_nan());
    }

    #[test]
    fn extremes_keep_nan() {
        for operation in [Binary::Min, Binary::Max] {
            assert!(operation.apply([f64::NAN, 1.0]).is_nan());
            assert!(operation.apply([1.0, f64::NAN]).is_nan());
        }
        assert_eq!(Binary::Min.apply([1.0, 2.0]), 1.0);
        assert_eq!(Binary::Max.apply([1.0, 2.0]), 2.0);
    }
}
