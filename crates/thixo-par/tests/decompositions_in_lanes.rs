//! The accuracy of decompositions and elementary functions holds in the lanes of every instruction
//! set: fused operations round differently from the scalars for which it was measured first.

#![allow(clippy::needless_range_loop)] // index loops over D are the notation of the method

#[path = "../../thixo-math/src/reference.rs"]
#[allow(dead_code)]
mod reference;

use reference::{Double, Random, distance_from_rotation, residual, ulps};
use thixo_math::{Lanes, Matrix, Vector, elementary, polar, svd, symmetric_eigen};
use thixo_par::{Isa, Kernel, Scalar, dispatch};

/// Everything about one matrix and its symmetric part.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Parts<T, const D: usize> {
    u: Matrix<T, D>,
    sigma: Vector<T, D>,
    v: Matrix<T, D>,
    values: Vector<T, D>,
    vectors: Matrix<T, D>,
    rotation: Matrix<T, D>,
    stretch: Matrix<T, D>,
}

/// Decomposes matrices, a lane each.
struct Decompose<'a, T, const D: usize> {
    matrices: &'a [Matrix<T, D>],
}

impl<T: Scalar, const D: usize> Kernel<T> for Decompose<'_, T, D> {
    type Output = Vec<Parts<T, D>>;

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) -> Vec<Parts<T, D>> {
        let mut out = Vec::with_capacity(self.matrices.len());
        for group in self.matrices.chunks_exact(L::LANES) {
            let f = gather::<L, D>(group);
            let parts = svd(&f);
            let eigen = symmetric_eigen(&f.symmetric_part());
            let polar = polar(&f);
            for l in 0..L::LANES {
                out.push(Parts {
                    u: matrix_lane(&parts.u, l),
                    sigma: vector_lane(&parts.sigma, l),
                    v: matrix_lane(&parts.v, l),
                    values: vector_lane(&eigen.values, l),
                    vectors: matrix_lane(&eigen.vectors, l),
                    rotation: matrix_lane(&polar.rotation, l),
                    stretch: matrix_lane(&polar.stretch, l),
                });
            }
        }
        out
    }
}

#[inline(always)]
fn gather<L: Lanes, const D: usize>(group: &[Matrix<L::Scalar, D>]) -> Matrix<L, D> {
    let mut out = Matrix::zero();
    for i in 0..D {
        for j in 0..D {
            let mut column = [L::Scalar::default(); 8];
            for l in 0..L::LANES {
                column[l] = group[l][i][j];
            }
            out[i][j] = L::load(&column);
        }
    }
    out
}

#[inline(always)]
fn lane<L: Lanes>(x: L, l: usize) -> L::Scalar {
    let mut lanes = [L::Scalar::default(); 8];
    x.store(&mut lanes);
    lanes[l]
}

#[inline(always)]
fn vector_lane<L: Lanes, const D: usize>(v: &Vector<L, D>, l: usize) -> Vector<L::Scalar, D> {
    Vector(v.0.map(|x| lane(x, l)))
}

#[inline(always)]
fn matrix_lane<L: Lanes, const D: usize>(m: &Matrix<L, D>, l: usize) -> Matrix<L::Scalar, D> {
    Matrix(m.0.map(|row| row.map(|x| lane(x, l))))
}

fn wide<T: Scalar, const D: usize>(m: &Matrix<T, D>) -> [[f64; D]; D] {
    m.0.map(|row| row.map(T::to_f64))
}

/// The portable path and the fastest one of this machine.
fn instruction_sets() -> [Isa; 2] {
    [Isa::portable(), Isa::detect()]
}

fn matrices<T: Scalar, const D: usize>(count: usize) -> Vec<Matrix<T, D>> {
    let mut random = Random(11);
    let mut out = Vec::with_capacity(count);
    for i in 0..count {
        out.push(Matrix(
            random.matrix::<D>(i).map(|row| row.map(T::from_f64)),
        ));
    }
    out
}

/// Checks the bounds over `count` matrices of all kinds.
fn decompositions_are_within_sixteen_epsilon<T: Scalar, const D: usize>(count: usize) {
    let matrices = matrices::<T, D>(count);
    for isa in instruction_sets() {
        let mut worst = [0f64; 7];
        for group in matrices.chunks(8192) {
            let parts = dispatch(isa, Decompose { matrices: group });
            assert_eq!(parts.len(), group.len());
            for (f, parts) in group.iter().zip(parts) {
                let sigma = parts.sigma.0.map(T::to_f64);
                let values = parts.values.0.map(T::to_f64);
                let largest = sigma[0].max(T::MIN_POSITIVE);
                let largest_value = values[0]
                    .abs()
                    .max(values[D - 1].abs())
                    .max(T::MIN_POSITIVE);
                let symmetric = f.symmetric_part();
                let (vectors, stretch) = (wide(&parts.vectors), wide(&parts.stretch));
                let (u, v, rotation) = (wide(&parts.u), wide(&parts.v), wide(&parts.rotation));
                let errors = [
                    distance_from_rotation(&u),
                    distance_from_rotation(&v),
                    residual(&wide(f), &u, &sigma, &v) / largest,
                    distance_from_rotation(&vectors),
                    residual(&wide(&symmetric), &vectors, &values, &vectors) / largest_value,
                    distance_from_rotation(&rotation),
                    residual(&wide(f), &rotation, &[1.0; D], &stretch) / largest,
                ];
                for k in 0..7 {
                    worst[k] = worst[k].max(errors[k] / T::EPSILON);
                }
                for k in 1..D {
                    assert!(sigma[k].abs() <= sigma[k - 1], "{f:?}: {sigma:?}");
                    assert!(values[k] <= values[k - 1], "{f:?}: {values:?}");
                }
            }
        }
        println!(
            "{} {D} {}: U, V, USVt, Q, QLQt, R, RS: {worst:.2?} ε",
            T::NAME,
            isa.name()
        );
        for error in worst {
            assert!(error <= 16.0, "{} {D} {}: {worst:?} ε", T::NAME, isa.name());
        }
    }
}

#[test]
fn decompositions_in_two_dimensions_are_within_sixteen_epsilon() {
    decompositions_are_within_sixteen_epsilon::<f32, 2>(200_000);
    decompositions_are_within_sixteen_epsilon::<f64, 2>(200_000);
}

#[test]
fn decompositions_in_three_dimensions_are_within_sixteen_epsilon_f32() {
    decompositions_are_within_sixteen_epsilon::<f32, 3>(1_000_000);
}

#[test]
fn decompositions_in_three_dimensions_are_within_sixteen_epsilon_f64() {
    decompositions_are_within_sixteen_epsilon::<f64, 3>(1_000_000);
}

/// Moving every matrix to the next lane moves its results and changes nothing else.
fn lanes_are_independent<T: Scalar>() {
    let mut matrices = matrices::<T, 3>(80_000);
    for isa in instruction_sets() {
        let before = dispatch(
            isa,
            Decompose {
                matrices: &matrices,
            },
        );
        matrices.rotate_left(1);
        let mut after = dispatch(
            isa,
            Decompose {
                matrices: &matrices,
            },
        );
        matrices.rotate_right(1);
        after.rotate_right(1);
        assert!(before == after);
    }
}

#[test]
fn a_decomposition_does_not_depend_on_the_neighbouring_lanes() {
    lanes_are_independent::<f32>();
    lanes_are_independent::<f64>();
}

/// Material at rest must not feel rounding errors.
fn identity_is_its_own_stretch<T: Scalar, const D: usize>() {
    let matrices = [Matrix::<T, D>::identity(); 8];
    for isa in instruction_sets() {
        for parts in dispatch(
            isa,
            Decompose {
                matrices: &matrices,
            },
        ) {
            for k in 0..D {
                assert_eq!(parts.sigma[k].to_f64(), 1.0);
                assert_eq!(parts.values[k].to_f64(), 1.0);
            }
            assert!(parts.rotation == matrices[0] && parts.stretch == matrices[0]);
        }
    }
}

#[test]
fn the_identity_has_exact_singular_values_and_polar_parts() {
    identity_is_its_own_stretch::<f32, 2>();
    identity_is_its_own_stretch::<f32, 3>();
    identity_is_its_own_stretch::<f64, 2>();
    identity_is_its_own_stretch::<f64, 3>();
}

#[test]
fn portable_lanes_decompose_exactly_as_scalars_do() {
    let matrices = matrices::<f32, 3>(80_000);
    let lanes = dispatch(
        Isa::portable(),
        Decompose {
            matrices: &matrices,
        },
    );
    for (f, lanes) in matrices.iter().zip(lanes) {
        let parts = svd(f);
        assert_eq!(
            (parts.u, parts.sigma, parts.v),
            (lanes.u, lanes.sigma, lanes.v)
        );
    }
}

/// exp x, ln x and xʸ of columns whose length is a multiple of 8.
struct Elementary<'a, T> {
    x: &'a [T],
    y: &'a [T],
}

/// One column for each function.
struct Results<T> {
    exp: Vec<T>,
    ln: Vec<T>,
    pow: Vec<T>,
}

impl<T: Scalar> Kernel<T> for Elementary<'_, T> {
    type Output = Results<T>;

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) -> Results<T> {
        let n = self.x.len();
        let empty = vec![T::default(); n];
        let mut out = Results {
            exp: empty.clone(),
            ln: empty.clone(),
            pow: empty,
        };
        for i in (0..n).step_by(L::LANES) {
            let (x, y) = (L::load(&self.x[i..]), L::load(&self.y[i..]));
            elementary::exp(x).store(&mut out.exp[i..]);
            elementary::ln(x).store(&mut out.ln[i..]);
            elementary::pow(x, y).store(&mut out.pow[i..]);
        }
        out
    }
}

/// True if `got` and the scalar function agree on infinities and NaN.
fn same_kind<T: Scalar>(got: T, scalar: T) -> bool {
    let (got, scalar) = (got.to_f64(), scalar.to_f64());
    got.is_nan() == scalar.is_nan() && got.is_infinite() == scalar.is_infinite()
}

fn special_values_are_those_of_scalars<T: Scalar>() {
    let numbers = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        T::MIN_POSITIVE,
        T::MIN_POSITIVE * 0.25,
        -T::MIN_POSITIVE,
        1.0 / T::MIN_POSITIVE,
        -1.0 / T::MIN_POSITIVE,
        1e30,
        -1e30,
    ];
    let mut x = Vec::new();
    let mut y = Vec::new();
    for a in numbers {
        for b in numbers {
            x.push(T::from_f64(a));
            y.push(T::from_f64(b));
        }
    }
    for isa in instruction_sets() {
        let results = dispatch(isa, Elementary { x: &x, y: &y });
        for i in 0..x.len() {
            let triples = [
                (results.exp[i], elementary::exp(x[i])),
                (results.ln[i], elementary::ln(x[i])),
                (results.pow[i], elementary::pow(x[i], y[i])),
            ];
            for (got, scalar) in triples {
                assert!(
                    same_kind(got, scalar),
                    "{} {}: {got} instead of {scalar}",
                    x[i],
                    y[i]
                );
                let (got, scalar) = (got.to_f64(), scalar.to_f64());
                if scalar == 0.0 || scalar == 1.0 || scalar.is_infinite() {
                    assert_eq!(got, scalar, "{} {}", x[i], y[i]);
                }
            }
        }
    }
}

#[test]
fn special_values_in_lanes_are_those_of_scalars() {
    special_values_are_those_of_scalars::<f32>();
    special_values_are_those_of_scalars::<f64>();
}

/// Largest errors of exp and ln in ulp and of pow relative to its bound.
fn worst_of_elementary<T: Scalar>(isa: Isa, count: usize, digits: i32, lowest: i32) -> [f64; 3] {
    let mut random = Random(12);
    let range = f64::from(-lowest);
    let mut worst = [0f64; 3];
    let (mut x, mut y) = (Vec::new(), Vec::new());
    // The arguments of exp are spread over its range, those of ln and pow over the positive
    // numbers.
    for i in 0..count {
        x.push(T::from_f64(match i % 4 {
            0 => random.between(-1.04, 1.03) * range * std::f64::consts::LN_2,
            1 => random.between(-2.0, 2.0),
            2 => 1.0 + random.between(-1.0, 1.0) * 2f64.powf(random.between(-20.0, -1.0)),
            _ => 2f64.powf(random.between(-1.0, 1.0) * range),
        }));
        let power = random.between(-0.99, 0.99) * range * std::f64::consts::LN_2;
        let logarithm = x[i].to_f64().abs().ln().abs().max(1e-6);
        y.push(T::from_f64(if i % 3 == 0 {
            random.between(-8.0, 8.0)
        } else {
            power / logarithm
        }));
    }
    let results = dispatch(isa, Elementary { x: &x, y: &y });
    for i in 0..count {
        let (x, y) = (x[i].to_f64(), y[i].to_f64());
        let (m, k) = Double(x, 0.0).exp();
        if x.abs() < 1e3 && k >= lowest - digits - 3 && k < 2 - lowest {
            worst[0] = worst[0].max(ulps(results.exp[i].to_f64(), m, k, digits, lowest));
        }
        if x > 0.0 {
            let ln = Double::ln(x);
            worst[1] = worst[1].max(ulps(results.ln[i].to_f64(), ln, 0, digits, lowest));
            let logarithm = ln.times(Double(y, 0.0));
            let (m, k) = logarithm.exp();
            if k > lowest && k < -lowest {
                let error = ulps(results.pow[i].to_f64(), m, k, digits, lowest);
                worst[2] = worst[2].max(error / (0.5 * logarithm.0.abs() + 2.0));
            }
        }
    }
    println!("{} {}: exp, ln, pow: {worst:.3?}", T::NAME, isa.name());
    worst
}

#[test]
fn exp_and_ln_are_within_two_ulp_and_pow_within_its_bound() {
    for isa in instruction_sets() {
        for worst in [
            worst_of_elementary::<f32>(isa, 400_000, 23, -126),
            worst_of_elementary::<f64>(isa, 400_000, 52, -1022),
        ] {
            assert!(
                worst[0] <= 2.0 && worst[1] <= 2.0 && worst[2] <= 1.0,
                "{worst:?}"
            );
        }
    }
}
