//! Every lane type against the scalar it is made of, operation by operation.

use thixo_math::{Lanes, Mask, Real};

use super::array::Array;
use crate::{Isa, Kernel, Scalar, dispatch};

const SAMPLES: [f64; 12] = [
    0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 1e-3, -7.25e4, 3.0e8, 1.5, 0.75,
];

/// Runs unary, binary and comparison operations on all pairs of samples and compares lane by lane.
struct Operations;

impl<T: Scalar> Kernel<T> for Operations {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let n = L::LANES;
        let at = |i: usize| T::from_f64(SAMPLES[i % SAMPLES.len()]);
        for shift in 0..SAMPLES.len() {
            let a: Vec<T> = (0..n).map(at).collect();
            let b: Vec<T> = (0..n).map(|i| at(i + shift)).collect();
            let (la, lb) = (L::load(&a), L::load(&b));
            let check = |name: &str, lanes: L, scalar: &dyn Fn(T, T) -> T| {
                let mut out = vec![T::default(); n];
                lanes.store(&mut out);
                for i in 0..n {
                    let expected = scalar(a[i], b[i]).to_f64();
                    let got = out[i].to_f64();
                    assert!(
                        got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan()),
                        "{name}({}, {}): {got} instead of {expected}",
                        a[i],
                        b[i]
                    );
                }
            };
            check("add", la + lb, &|a, b| a + b);
            check("sub", la - lb, &|a, b| a - b);
            check("mul", la * lb, &|a, b| a * b);
            check("div", la / lb, &|a, b| a / b);
            check("neg", -la, &|a, _| -a);
            check("sqrt", la.sqrt(), &|a, _| a.sqrt());
            check("abs", la.abs(), &|a, _| a.abs());
            check("min", la.min(lb), &|a, b| Real::min(a, b));
            check("max", la.max(lb), &|a, b| Real::max(a, b));
            check("floor", la.floor(), &|a, _| a.floor());
            check("round", la.round(), &|a, _| a.round());
            check("copysign", la.copysign(lb), &|a, b| a.copysign(b));
            check("lt", L::select(la.lt(lb), la, lb), &|a, b| {
                if a < b { a } else { b }
            });
            check("le", L::select(la.le(lb), la, lb), &|a, b| {
                if a <= b { a } else { b }
            });
            check("eq", L::select(la.eq(lb), la, lb), &|a, b| {
                if a == b { a } else { b }
            });
            let not = la.lt(lb).not().and(la.eq(lb).not());
            check("gt", L::select(not, la, lb), &|a, b| {
                if a > b { a } else { b }
            });
            let power = L::splat(7.0);
            check("scale", la.scale_by_power_of_two(-power), &|a, _| {
                a * T::from_f64(1.0 / 128.0)
            });
            let positive = la.abs().max(L::splat(1e-3));
            let (m, e) = positive.split_exponent();
            let split = |a: T| Real::max(a.abs(), T::from_f64(1e-3)).split_exponent();
            check("mantissa", m, &|a, _| split(a).0);
            check("exponent", e, &|a, _| split(a).1);
            assert_eq!(la.lt(lb).any(), (0..n).any(|i| a[i] < b[i]));
            assert_eq!(la.lt(lb).all(), (0..n).all(|i| a[i] < b[i]));
        }
    }
}

/// Loads, stores and transpositions.
struct Layouts;

impl<T: Scalar> Kernel<T> for Layouts {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let n = L::LANES;
        let stride = 5;
        let table: Vec<T> = (0..n * stride).map(|i| T::from_f64(i as f64)).collect();
        let columns = L::load_transposed(&table, stride);
        for k in 0..4 {
            let mut column = vec![T::default(); n];
            columns[k].store(&mut column);
            for l in 0..n {
                assert_eq!(column[l].to_f64(), (l * stride + k) as f64);
            }
        }
        let mut back = vec![T::from_f64(-1.0); n * stride];
        L::store_transposed(columns, &mut back, stride);
        for l in 0..n {
            for k in 0..stride {
                let expected = if k < 4 { (l * stride + k) as f64 } else { -1.0 };
                assert_eq!(back[l * stride + k].to_f64(), expected);
            }
        }
        let quad = [1.0, 2.0, 3.0, 4.0].map(T::from_f64);
        let sum = L::repeat_quad(&quad).sum_quads();
        for k in 0..4 {
            assert_eq!(sum[k].to_f64(), quad[k].to_f64() * L::QUADS as f64);
        }
        let mut spread = vec![T::default(); n];
        L::spread_over_quads(&table).store(&mut spread);
        for l in 0..n {
            assert_eq!(spread[l].to_f64(), (l / 4) as f64);
        }
        let mut integers = vec![0; n];
        (L::load(&table) * L::splat(-1.25)).store_rounded(&mut integers);
        for l in 0..n {
            assert_eq!(integers[l], (-1.25 * l as f64).round_ties_even() as i32);
        }
        let mut with_nan = table[..n].to_vec();
        with_nan[0] = T::from_f64(f64::NAN);
        assert_eq!(L::load(&with_nan).max_lane().to_f64(), (n - 1) as f64);
        assert_eq!(L::load(&with_nan).min_lane().to_f64(), 1.0);
        assert!(!L::load(&with_nan).is_finite().all());
        assert!(L::load(&table).is_finite().all());
    }
}

#[test]
fn lanes_compute_what_scalars_compute() {
    for isa in [Isa::portable(), Isa::detect()] {
        dispatch::<f32, _>(isa, Operations);
        dispatch::<f64, _>(isa, Operations);
    }
    Kernel::<f32>::run::<Array<f32, 8>>(Operations);
    Kernel::<f64>::run::<Array<f64, 4>>(Operations);
}

#[test]
fn lanes_move_between_columns_and_quads() {
    for isa in [Isa::portable(), Isa::detect()] {
        dispatch::<f32, _>(isa, Layouts);
        dispatch::<f64, _>(isa, Layouts);
    }
    Kernel::<f32>::run::<Array<f32, 8>>(Layouts);
    Kernel::<f64>::run::<Array<f64, 4>>(Layouts);
}
