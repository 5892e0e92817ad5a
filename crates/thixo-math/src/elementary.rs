//! Exponential, logarithm and power, written once for scalars and lanes.
//!
//! The polynomials are minimax approximations found with a Remez exchange carried out in 60 digits;
//! each minimises the largest *relative* error of the function it ends up in (the weight of the
//! exchange includes the factor by which the polynomial enters), so its coefficients differ a
//! little from the Taylor ones. Precision is chosen by comparing [`Real::EPSILON`] with a constant,
//! which costs nothing at run time. Nothing relies on a fused [`Real::mul_add`]: products that have
//! to be exact are made of factors short enough to be so.

use crate::Real;

/// True if `T` has the precision of `f32`.
#[inline(always)]
pub(crate) fn is_single<T: Real>() -> bool {
    T::EPSILON > 1e-10
}

/// `single` or `double`, whichever precision `T` has, in every lane.
#[inline(always)]
pub(crate) fn by_precision<T: Real>(single: f64, double: f64) -> T {
    T::splat(if is_single::<T>() { single } else { double })
}

/// ln 2 = high + low, `high` with so few digits that its product with any exponent is exact.
#[inline(always)]
fn ln_2_in_parts<T: Real>() -> (T, T) {
    (
        by_precision(22713.0 / 32768.0, 762_123_384_786.0 / 1_099_511_627_776.0),
        by_precision(1.428_606_820_309_417_2e-6, -1.723_944_452_561_483_5e-13),
    )
}

/// Σ cᵢ xⁱ, even and odd powers apart: as many operations as Horner's rule where x² is at hand, in
/// half as many dependent steps.
#[inline(always)]
pub(crate) fn polynomial<T: Real, const N: usize>(x: T, c: &[f64; N]) -> T {
    const { assert!(N >= 3) };
    let squared = x * x;
    // The one that holds the highest power, and the other one.
    let mut sum = T::splat(c[N - 1]);
    let mut other = T::splat(c[N - 2]);
    let mut i = N - 2;
    while i >= 2 {
        i -= 2;
        sum = sum.mul_add(squared, T::splat(c[i + 1]));
        other = other.mul_add(squared, T::splat(c[i]));
    }
    if i == 1 {
        // c₀ is left: the sum that began at an even power takes it.
        sum = sum.mul_add(squared, T::splat(c[0]));
        sum + x * other
    } else {
        x.mul_add(sum, other)
    }
}

/// The nearest integer to a number smaller than a quarter of 1/ε, or NaN: adding and subtracting a
/// large number rounds away the fraction. Unlike [`Real::round`] it is fast on every processor.
#[inline(always)]
fn nearest_integer<T: Real>(x: T) -> T {
    let large = T::splat(1.5 / T::EPSILON);
    (x + large) - large
}

/// eˣ.
///
/// With k = round(x / ln 2) and r = x − k ln 2, |r| ≤ ½ ln 2: eˣ = 2ᵏ (1 + r + r² p(r)).
///
/// Within 2 ulp in single and double precision for every argument, fused or not. Overflows to +∞,
/// falls gradually through the subnormal numbers to 0, and passes NaN on.
#[inline(always)]
pub fn exp<T: Real>(x: T) -> T {
    let (lowest, highest) = exp_range::<T>();
    // Selects instead of `min` and `max`: a NaN fails both comparisons and stays.
    let x = T::select(x.lt(lowest), lowest, x);
    let x = T::select(x.gt(highest), highest, x);
    let (k, r) = exponent_and_rest(x);
    exp_reduced(r, k)
}

/// Arguments below the first give 0, above the second +∞: the range in which k stays small enough
/// for half of it to be the exponent of a normal number.
#[inline(always)]
fn exp_range<T: Real>() -> (T, T) {
    (by_precision(-104.0, -745.2), by_precision(89.0, 709.8))
}

/// 2ᵏ eʳ for |r| ≤ ½ ln 2 and an integer k.
#[inline(always)]
fn exp_reduced<T: Real>(r: T, k: T) -> T {
    let y = T::one() + exp_quadratic_factor(r).mul_add(r * r, r);
    scale_in_halves(y, k)
}

/// y 2ᵏ where 2ᵏ itself may be too large or too small for a normal number. In halves, the first
/// product is exact and only the second one rounds.
#[inline(always)]
fn scale_in_halves<T: Real>(y: T, k: T) -> T {
    let half = nearest_integer(k * T::splat(0.5));
    y.scale_by_power_of_two(half)
        .scale_by_power_of_two(k - half)
}

/// p(r) of eʳ = 1 + r + r² p(r) for |r| ≤ ½ ln 2.
#[inline(always)]
fn exp_quadratic_factor<T: Real>(r: T) -> T {
    // Largest relative error of 1 + r + r² p(r): 3.1e-9 and 3.6e-18.
    if is_single::<T>() {
        polynomial(
            r,
            &[
                0.499_999_934_321_139_8,
                0.166_665_203_990_161_77,
                0.041_668_390_785_652_9,
                0.008_368_745_111_447_196,
                0.001_381_454_011_066_021,
            ],
        )
    } else {
        polynomial(
            r,
            &[
                0.500_000_000_000_001_1,
                0.166_666_666_666_664_12,
                0.041_666_666_666_529_73,
                0.008_333_333_333_494_98,
                0.001_388_888_894_376_003_7,
                0.000_198_412_695_057_662_76,
                2.480_149_294_954_563_5e-5,
                2.755_758_681_094_885e-6,
                2.763_030_628_452_468e-7,
                2.500_001_650_525_697e-8,
            ],
        )
    }
}

/// k = round(x / ln 2) and r = x − k ln 2, for an x of the range of [`exp`].
#[inline(always)]
fn exponent_and_rest<T: Real>(x: T) -> (T, T) {
    let (ln_2_high, ln_2_low) = ln_2_in_parts::<T>();
    let k = nearest_integer(x * T::splat(core::f64::consts::LOG2_E));
    (k, k.mul_add(-ln_2_low, k.mul_add(-ln_2_high, x)))
}

/// eˣ − 1 with all its digits, also where x is small.
///
/// With k and r of [`exp`] and y = r + r² p(r): eˣ − 1 = 2ᵏ (y + (1 − 2⁻ᵏ)).
///
/// Within 3 ulp in single and double precision for every argument, fused or not. Overflows to +∞
/// where eˣ does, falls to −1, and passes NaN on.
#[inline(always)]
pub fn exp_m1<T: Real>(x: T) -> T {
    let (_, highest) = exp_range::<T>();
    // Below this bound the result is −1 all the same.
    let lowest = by_precision(-18.0, -38.0);
    let x = T::select(x.lt(lowest), lowest, x);
    let x = T::select(x.gt(highest), highest, x);
    let (k, r) = exponent_and_rest(x);
    exp_m1_reduced(r, k, exp_quadratic_factor(r))
}

/// 2ᵏ eʳ − 1 for p = p(r), |r| ≤ ½ ln 2 and an integer k ≥ −60.
#[inline(always)]
fn exp_m1_reduced<T: Real>(r: T, k: T, p: T) -> T {
    let y = p.mul_add(r * r, r);
    // 2⁻ᵏ does not count any more where it is below 2⁻¹⁰⁰.
    let inverse = T::one().scale_by_power_of_two((-k).max(T::splat(-100.0)));
    scale_in_halves(y + (T::one() - inverse), k)
}

/// eˣ − 1 − x ≥ 0 with all its digits, also where it is near x²/2.
///
/// r² p(r) for |x| ≤ ½ ln 2, else by subtraction. Relative error below 24 ε; infinite or NaN where
/// [`exp_m1`] is.
#[inline(always)]
pub fn exp_remainder<T: Real>(x: T) -> T {
    let (_, highest) = exp_range::<T>();
    let lowest = by_precision(-18.0, -38.0);
    let bounded = T::select(x.lt(lowest), lowest, x);
    let bounded = T::select(bounded.gt(highest), highest, bounded);
    let (k, r) = exponent_and_rest(bounded);
    let p = exp_quadratic_factor(r);
    let far = exp_m1_reduced(r, k, p) - x;
    // ∞ − ∞ would not be a number.
    let far = T::select(x.lt(T::splat(f64::INFINITY)), far, x);
    T::select(k.eq(T::zero()), p * (r * r), far)
}

/// ln x.
///
/// With x = 2ᵉ (1 + f), √½ ≤ 1 + f < √2: ln x = e ln 2 + f − f²/2 + c(f).
///
/// Within 2 ulp in single and double precision for every positive argument, subnormal ones too,
/// fused or not. ln 0 = −∞, ln ∞ = ∞, NaN for negative arguments and NaN.
#[inline(always)]
pub fn ln<T: Real>(x: T) -> T {
    let (f, e) = fraction_and_exponent(x);
    ln_of_special(x, ln_in_range(f, e, f * f))
}

/// ln(1 + x) with all its digits, also where x is small.
///
/// As [`ln`] of u = 1 + x, but with f = x itself where √½ ≤ u < √2, which rounding u would spoil.
///
/// Within 3 ulp in single and double precision for every argument, fused or not. −∞ at −1, NaN
/// below it and for NaN, ∞ at ∞.
#[inline(always)]
pub fn ln_1p<T: Real>(x: T) -> T {
    ln_near_one(T::one() + x, x)
}

/// ln u of a number that is also known as u = 1 + x: for sums and products whose difference from
/// one has more digits than they have themselves, such as determinants of small strains.
///
/// x counts where √½ ≤ u < √2, u elsewhere. Errors as those of [`ln_1p`] and [`ln`]. u must not be
/// subnormal.
#[inline(always)]
pub fn ln_near_one<T: Real>(u: T, x: T) -> T {
    let (f, e) = fraction_near_one(u, x);
    ln_of_special(u, ln_in_range(f, e, f * f))
}

/// x − ln(1 + x) ≥ 0 with all its digits, also where it is near x²/2.
///
/// f²/2 − c(f) where √½ ≤ 1 + x < √2, else by subtraction. Relative error below 24 ε; infinite or
/// NaN where [`ln_1p`] is.
#[inline(always)]
pub fn ln_remainder<T: Real>(x: T) -> T {
    let u = T::one() + x;
    let (f, e) = fraction_near_one(u, x);
    let f_squared = f * f;
    let near = f_squared.mul_add(T::splat(0.5), -ln_cubic_part(f, f_squared));
    let far = x - ln_of_special(u, ln_in_range(f, e, f_squared));
    // ∞ − ∞ would not be a number.
    let far = T::select(x.lt(T::splat(f64::INFINITY)), far, x);
    T::select(e.eq(T::zero()), near, far)
}

/// `(f, e)` with u = 2ᵉ (1 + f), where u = 1 + x is not subnormal; f = x for e = 0.
#[inline(always)]
fn fraction_near_one<T: Real>(u: T, x: T) -> (T, T) {
    let (m, e) = u.split_exponent();
    (T::select(e.eq(T::zero()), x, m - T::one()), e)
}

/// ln(2ᵉ (1 + f)) = e ln 2 + f − f²/2 + c(f).
#[inline(always)]
fn ln_in_range<T: Real>(f: T, e: T, f_squared: T) -> T {
    let (ln_2_high, ln_2_low) = ln_2_in_parts::<T>();
    let c = ln_cubic_part(f, f_squared);
    // Smallest terms first.
    let small = f_squared.mul_add(T::splat(-0.5), e.mul_add(ln_2_low, c));
    e.mul_add(ln_2_high, f + small)
}

/// y, but the logarithm of x where x is not positive and finite.
#[inline(always)]
fn ln_of_special<T: Real>(x: T, y: T) -> T {
    // ∞ and NaN are their own logarithms.
    let y = T::select(x.lt(T::splat(f64::INFINITY)), y, x);
    let at_most_zero = T::select(
        x.lt(T::zero()),
        T::splat(f64::NAN),
        T::splat(f64::NEG_INFINITY),
    );
    T::select(x.le(T::zero()), at_most_zero, y)
}

/// `(f, e)` with x = 2ᵉ (1 + f), √½ ≤ 1 + f < √2, for a positive finite x; f is exact.
#[inline(always)]
fn fraction_and_exponent<T: Real>(x: T) -> (T, T) {
    // Exponents are read off normal numbers only: subnormal ones are multiplied into their range.
    let lift = by_precision::<T>(25.0, 54.0);
    let power = by_precision::<T>(33_554_432.0, 18_014_398_509_481_984.0);
    let subnormal = x.lt(T::splat(T::MIN_POSITIVE));
    let (m, e) = T::select(subnormal, x * power, x).split_exponent();
    (m - T::one(), e - T::select(subnormal, lift, T::zero()))
}

/// c(f) = ln(1 + f) − f + f²/2 ≈ f³/3 for √½ ≤ 1 + f < √2.
#[inline(always)]
fn ln_cubic_part<T: Real>(f: T, f_squared: T) -> T {
    if is_single::<T>() {
        // c = f³ q(f); largest error 5.8e-9 relative to ln(1 + f).
        let q = polynomial(
            f,
            &[
                0.333_333_317_076_617_2,
                -0.250_008_210_332_975_3,
                0.200_012_268_806_148_58,
                -0.166_233_573_820_014_6,
                0.142_017_579_249_067_97,
                -0.131_601_819_726_272_24,
                0.127_615_773_968_413_98,
                -0.076_344_980_397_345_89,
            ],
        );
        f_squared * f * q
    } else {
        // With s = f / (2 + f) and z = s²: ln(1 + f) = 2s + s z q(z), and 2s = f − s f, so that
        // c = s (f²/2 + z q(z)). The even series in s needs half as many terms as one in f, which
        // in double precision pays for the division. Largest error 1.2e-18 relative to ln(1 + f).
        let s = f / (T::splat(2.0) + f);
        let z = s * s;
        let q = polynomial(
            z,
            &[
                0.666_666_666_666_673_4,
                0.399_999_999_994_160_15,
                0.285_714_287_421_022_4,
                0.222_221_986_011_406_97,
                0.181_835_629_427_657_37,
                0.153_140_841_917_107_34,
                0.147_956_301_957_508_14,
            ],
        );
        s * f_squared.mul_add(T::splat(0.5), z * q)
    }
}

/// xʸ for x ≥ 0.
///
/// xʸ = exp(y ln x) with ln x and its product with y carried in two parts each, so that the
/// relative error stays below (½ |y ln x| + 2) ε, ε = [`Real::EPSILON`], over the whole range,
/// fused or not. Overflows to +∞ and falls gradually to 0.
///
/// x⁰ = 1 and 1ʸ = 1 for every x and y; 0ʸ is 0 for y > 0 and ∞ for y < 0, ∞ʸ the reverse;
/// otherwise NaN for negative x or where an argument is NaN.
#[inline(always)]
pub fn pow<T: Real>(x: T, y: T) -> T {
    let zero = T::zero();
    let one = T::one();
    let infinity = T::splat(f64::INFINITY);

    let (ln_high, ln_low) = ln_in_parts(x);
    // |ln x| ≥ ε/2 unless x = 1: beyond these bounds of y the result is 0, 1 or ∞ all the same, and
    // within them nothing below overflows.
    let y_max = by_precision::<T>(4_294_967_296.0, 18_446_744_073_709_551_616.0);
    let y_bounded = T::select(y.gt(y_max), y_max, y);
    let y_bounded = T::select(y_bounded.lt(-y_max), -y_max, y_bounded);

    // y ln x: the product of the leading halves is exact, the rest is smaller by far.
    let (a, _) = leading_half(ln_high);
    let (b, b_rest) = leading_half(y_bounded);
    let a_rest = (ln_high - a) + ln_low;
    let product = a * b;
    let product_rest = y_bounded.mul_add(a_rest, a * b_rest);
    let high = product + product_rest;
    let low = (product - high) + product_rest;

    let (lowest, highest) = exp_range::<T>();
    let below = high.lt(lowest);
    let above = high.gt(highest);
    let high = T::select(below, lowest, T::select(above, highest, high));
    let low = T::select(below, zero, T::select(above, zero, low));
    let (ln_2_high, ln_2_low) = ln_2_in_parts::<T>();
    let k = nearest_integer(high * T::splat(core::f64::consts::LOG2_E));
    let r = k.mul_add(-ln_2_high, high) + k.mul_add(-ln_2_low, low);
    let power = exp_reduced(r, k);

    let falling = y.lt(zero);
    let power = T::select(x.eq(zero), T::select(falling, infinity, zero), power);
    let power = T::select(x.eq(infinity), T::select(falling, zero, infinity), power);
    let power = T::select(x.ge(zero), power, T::splat(f64::NAN));
    let power = T::select(y.eq(y), power, y);
    let power = T::select(y.eq(zero), one, power);
    T::select(x.eq(one), one, power)
}

/// ln x as a sum of two parts, with a relative error below ε/4, for a positive finite x.
#[inline(always)]
fn ln_in_parts<T: Real>(x: T) -> (T, T) {
    let (f, e) = fraction_and_exponent(x);
    let (ln_2_high, ln_2_low) = ln_2_in_parts::<T>();
    let c = ln_cubic_part(f, f * f);
    // Adding and subtracting a large number rounds f to half of its digits, so that the square is
    // exact: f² = coarse² + (f + coarse) (f − coarse).
    let coarsening = by_precision::<T>(3072.0, 100_663_296.0);
    let coarse = (f + coarsening) - coarsening;
    let half = T::splat(0.5);
    let half_square = half * (coarse * coarse);
    let half_square_rest = half * ((f + coarse) * (f - coarse));
    // f − f²/2, then + e ln 2, each with what the addition rounded away; the first operand is the
    // larger one, or zero.
    let fraction = f - half_square;
    let fraction_lost = (f - fraction) - half_square;
    let integer = e * ln_2_high;
    let high = integer + fraction;
    let high_lost = (integer - high) + fraction;
    let low = (c - half_square_rest) + e.mul_add(ln_2_low, fraction_lost + high_lost);
    (high, low)
}

/// `(a, x − a)` with `a` the leading half of the digits of x (Veltkamp's splitting).
#[inline(always)]
fn leading_half<T: Real>(x: T) -> (T, T) {
    let scaled = x * by_precision(4097.0, 134_217_729.0);
    let a = scaled - (scaled - x);
    (a, x - a)
}

#[cfg(test)]
mod tests {
    use super::{exp, exp_m1, exp_remainder, ln, ln_1p, ln_near_one, ln_remainder, pow};
    use crate::reference::{Double, Random, ulps};

    const SINGLE: (i32, i32) = (23, -126);
    const DOUBLE: (i32, i32) = (52, -1022);

    /// Largest error in ulp of an `f32` function over every `stride`-th bit pattern for which the
    /// exact value, taken in `f64`, is a number.
    fn worst_single(f: fn(f32) -> f32, exact: fn(f64) -> f64, stride: usize) -> f64 {
        let mut worst = (0.0, 0.0);
        for bits in (0..=u32::MAX).step_by(stride) {
            let x = f32::from_bits(bits);
            let reference = exact(f64::from(x));
            let got = f(x);
            if reference.is_nan() {
                assert!(got.is_nan(), "{x:e} gave {got:e}");
            } else if reference.is_infinite()
                || reference > 3.402_823_7e38
                || (0.0..1e-50).contains(&reference)
            {
                assert_eq!(got, reference as f32, "{x:e}");
            } else {
                let error = ulps(
                    f64::from(got),
                    Double(reference, 0.0),
                    0,
                    SINGLE.0,
                    SINGLE.1,
                );
                assert!(!error.is_nan(), "{x:e} gave {got:e}");
                if error > worst.0 {
                    worst = (error, x);
                }
            }
        }
        println!("worst {} ulp at {:e}", worst.0, worst.1);
        worst.0
    }

    /// Every 997th of all `f32`; setting this to 1 tries each of them.
    const STRIDE: usize = 997;

    #[test]
    fn exp_is_within_two_ulp_f32() {
        assert!(worst_single(exp, f64::exp, STRIDE) <= 2.0);
    }

    #[test]
    fn ln_is_within_two_ulp_f32() {
        assert!(worst_single(ln, f64::ln, STRIDE) <= 2.0);
    }

    #[test]
    fn exp_m1_is_within_three_ulp_f32() {
        assert!(worst_single(exp_m1, f64::exp_m1, STRIDE) <= 3.0);
    }

    #[test]
    fn ln_1p_is_within_three_ulp_f32() {
        assert!(worst_single(ln_1p, f64::ln_1p, STRIDE) <= 3.0);
    }

    /// An argument for which the difference from 1 matters.
    fn small_or_not(random: &mut Random, i: usize, range: f64) -> f64 {
        match i % 3 {
            0 => random.between(-1.0, range),
            1 => random.between(-0.5, 0.5),
            _ => random.between(-1.0, 1.0) * 2f64.powf(random.between(-200.0, 0.0)),
        }
    }

    #[test]
    fn exp_m1_is_within_three_ulp_f64() {
        let mut random = Random(11);
        let mut worst: f64 = 0.0;
        for i in 0..200_000 {
            let x = small_or_not(&mut random, i, 40.0);
            // A Taylor series with twice the digits where the subtraction would lose some.
            let exact = if x.abs() < 0.25 {
                let mut sum = Double(1.0, 0.0);
                for n in (2..=26).rev() {
                    sum = sum.times(Double(x, 0.0)).over(f64::from(n));
                    sum = sum.plus(Double(1.0, 0.0));
                }
                sum.times(Double(x, 0.0))
            } else {
                let (m, k) = Double(x, 0.0).exp();
                let scale = 2f64.powi(k);
                Double(m.0 * scale, m.1 * scale).plus(Double(-1.0, 0.0))
            };
            worst = worst.max(ulps(exp_m1(x), exact, 0, DOUBLE.0, DOUBLE.1));
        }
        println!("worst {worst} ulp");
        assert!(worst <= 3.0);
    }

    #[test]
    fn ln_1p_is_within_three_ulp_f64() {
        let mut random = Random(12);
        let mut worst: f64 = 0.0;
        for i in 0..200_000 {
            let x = small_or_not(&mut random, i, 1e3);
            let u = Double::sum(1.0, x);
            // ln(u + v) = ln u + v/u up to a part of ε².
            let exact = if x.abs() < 1e-9 {
                let square = Double::product(x, x).over(2.0);
                let cube = Double(x * x * x / 3.0, 0.0);
                Double(x, 0.0).plus(Double(-square.0, -square.1)).plus(cube)
            } else {
                Double::ln(u.0).plus(Double(u.1, 0.0).over(u.0))
            };
            worst = worst.max(ulps(ln_1p(x), exact, 0, DOUBLE.0, DOUBLE.1));
        }
        println!("worst {worst} ulp");
        assert!(worst <= 3.0);
    }

    #[test]
    fn remainders_keep_their_digits() {
        let mut random = Random(13);
        let mut worst = [0f64; 4];
        for i in 0..200_000 {
            let x = small_or_not(&mut random, i, 20.0).max(-0.999);
            // Series of x − ln(1 + x) and eˣ − 1 − x, else the plain differences.
            let (mut below, mut above) = (x - x.ln_1p(), x.exp_m1() - x);
            if x.abs() < 0.05 {
                let (mut logarithm, mut exponential) = (0.0, 0.0);
                for n in (2..=16).rev() {
                    logarithm = 1.0 / f64::from(n) - x * logarithm;
                    exponential = (1.0 + x * exponential) / f64::from(n);
                }
                (below, above) = (x * x * logarithm, x * x * exponential);
            }
            let single = x as f32;
            let error = |got: f64, exact: f64, epsilon: f64| (got / exact - 1.0).abs() / epsilon;
            worst[0] = worst[0].max(error(ln_remainder(x), below, f64::EPSILON));
            worst[1] = worst[1].max(error(exp_remainder(x), above, f64::EPSILON));
            if x.abs() > 1e-15 {
                // The rounded argument has another remainder, twice as far off.
                let change = (f64::from(single) / x).powi(2);
                let change = if x.abs() < 0.05 { change } else { 1.0 };
                if x.abs() < 0.05 || f64::from(single) == x {
                    let e = f64::from(f32::EPSILON);
                    let got = f64::from(ln_remainder(single)) / change;
                    worst[2] = worst[2].max(error(got, below, e));
                    let got = f64::from(exp_remainder(single)) / change;
                    worst[3] = worst[3].max(error(got, above, e));
                }
            }
        }
        println!("worst {worst:?} ε");
        assert!(worst[0] <= 24.0 && worst[1] <= 24.0, "{worst:?}");
        assert!(worst[2] <= 8.0 && worst[3] <= 8.0, "{worst:?}");
        assert_eq!(ln_remainder(f64::INFINITY), f64::INFINITY);
        assert_eq!(ln_remainder(-1.0), f64::INFINITY);
        assert!(ln_remainder(-1.5_f64).is_nan() && ln_remainder(f64::NAN).is_nan());
        assert_eq!(exp_remainder(f64::INFINITY), f64::INFINITY);
        assert_eq!(exp_remainder(-1e3), 999.0);
        assert!(exp_remainder(f64::NAN).is_nan());
    }

    #[test]
    fn a_number_near_one_is_known_by_its_difference_from_one() {
        let x = 1.0e-12_f32;
        assert_eq!(ln_near_one(1.0 + x, x), x);
        assert_eq!(ln_near_one(8.0, 0.0), ln(8.0));
    }

    #[test]
    fn exp_is_within_two_ulp_f64() {
        let mut random = Random(1);
        let mut worst: f64 = 0.0;
        for i in 0..200_000 {
            let x = match i % 4 {
                0 => random.between(-745.2, 709.8),
                1 => random.between(-1.0, 1.0),
                2 => random.between(-1.0, 1.0) * 2f64.powf(random.between(-60.0, 0.0)),
                _ => {
                    f64::from((i / 4) % 2000 - 1000) * 0.5 * core::f64::consts::LN_2
                        + random.between(-1e-9, 1e-9)
                }
            };
            let (m, k) = Double(x, 0.0).exp();
            if (-1080..1024).contains(&k) {
                worst = worst.max(ulps(exp(x), m, k, DOUBLE.0, DOUBLE.1));
            }
        }
        println!("worst {worst} ulp");
        assert!(worst <= 2.0);
    }

    #[test]
    fn ln_is_within_two_ulp_f64() {
        let mut random = Random(2);
        let mut worst: f64 = 0.0;
        for i in 0..200_000 {
            let x = match i % 4 {
                0 => f64::from_bits(random.bits() >> 2),
                1 => random.between(0.5, 2.0),
                2 => 1.0 + random.between(-1.0, 1.0) * 2f64.powf(random.between(-52.0, -1.0)),
                _ => f64::from_bits(random.bits() >> (12 + i % 50)),
            };
            if x > 0.0 {
                worst = worst.max(ulps(ln(x), Double::ln(x), 0, DOUBLE.0, DOUBLE.1));
            }
        }
        println!("worst {worst} ulp");
        assert!(worst <= 2.0);
    }

    /// Bases and exponents that reach every result from underflow to overflow.
    fn base_and_exponent(random: &mut Random, i: usize, range: f64) -> (f64, f64) {
        let x = match i % 3 {
            0 => 2f64.powf(random.between(-range, range)),
            1 => random.between(0.3, 3.0),
            _ => 1.0 + random.between(-1.0, 1.0) * 2f64.powf(random.between(-20.0, -1.0)),
        };
        let y = match i % 5 {
            0 => random.between(-8.0, 8.0),
            1 => random.between(-1.0, 1.0) * 2f64.powf(random.between(-30.0, 0.0)),
            _ => random.between(-1.02, 1.02) * range * core::f64::consts::LN_2 / x.ln().abs(),
        };
        (x, y)
    }

    #[test]
    fn pow_is_within_its_bound_f32() {
        let mut random = Random(3);
        let mut worst: f64 = 0.0;
        for i in 0..2_000_000 {
            let (x, y) = base_and_exponent(&mut random, i, 126.0);
            let (x, y) = (x as f32, y as f32);
            let exact = f64::powf(x.into(), y.into());
            let got = pow(x, y);
            if exact > f64::from(f32::MAX) * (1.0 + 1e-5) {
                assert_eq!(got, f32::INFINITY);
            } else if exact >= f64::from(f32::MIN_POSITIVE) && got.is_finite() {
                let bound = f64::from(f32::EPSILON) * (0.5 * exact.ln().abs() + 2.0);
                worst = worst.max((f64::from(got) / exact - 1.0).abs() / bound);
            } else if exact < f64::from(f32::MIN_POSITIVE) {
                assert!((f64::from(got) - exact).abs() < 2f64.powi(-149) * 64.0);
            }
        }
        println!("worst {worst} of the bound");
        assert!(worst <= 1.0);
    }

    #[test]
    fn pow_is_within_its_bound_f64() {
        let mut random = Random(4);
        let mut worst: f64 = 0.0;
        for i in 0..100_000 {
            let (x, y) = base_and_exponent(&mut random, i, 1022.0);
            let logarithm = Double::ln(x).times(Double(y, 0.0));
            let (m, k) = logarithm.exp();
            let got = pow(x, y);
            if k > 1025 {
                assert_eq!(got, f64::INFINITY);
            } else if (-1020..1023).contains(&k) {
                let error = ulps(got, m, k, DOUBLE.0, DOUBLE.1)
                    * 2f64.powi(m.0.log2().floor() as i32)
                    / m.0;
                worst = worst.max(error / (0.5 * logarithm.0.abs() + 2.0));
            }
        }
        println!("worst {worst} of the bound");
        assert!(worst <= 1.0);
    }

    #[test]
    fn special_values_follow_the_convention() {
        macro_rules! check {
            ($t:ident) => {
                let inf = $t::INFINITY;
                let nan = $t::NAN;
                let least = $t::from_bits(1);
                assert_eq!(exp::<$t>(0.0), 1.0);
                assert_eq!(exp::<$t>(-0.0), 1.0);
                assert_eq!(exp(inf), inf);
                assert_eq!(exp(-inf), 0.0);
                assert_eq!(exp($t::MAX), inf);
                assert_eq!(exp($t::MIN), 0.0);
                assert!(exp(nan).is_nan());
                assert_eq!(ln::<$t>(1.0), 0.0);
                assert_eq!(ln::<$t>(0.0), -inf);
                assert_eq!(ln::<$t>(-0.0), -inf);
                assert_eq!(ln(inf), inf);
                assert!(
                    ln::<$t>(-1.0).is_nan()
                        && ln(-least).is_nan()
                        && ln(-inf).is_nan()
                        && ln(nan).is_nan()
                );
                assert_eq!(exp_m1::<$t>(0.0), 0.0);
                assert_eq!(exp_m1(least), least);
                assert_eq!(exp_m1(inf), inf);
                assert_eq!(exp_m1($t::MAX), inf);
                assert_eq!(exp_m1(-inf), -1.0);
                assert!(exp_m1(nan).is_nan());
                assert_eq!(ln_1p::<$t>(0.0), 0.0);
                assert_eq!(ln_1p(least), least);
                assert_eq!(ln_1p::<$t>(-1.0), -inf);
                assert_eq!(ln_1p(inf), inf);
                assert!(ln_1p::<$t>(-1.5).is_nan() && ln_1p(-inf).is_nan() && ln_1p(nan).is_nan());
                let everything = [
                    0.0,
                    least,
                    $t::MIN_POSITIVE,
                    0.5,
                    1.0,
                    2.0,
                    $t::MAX,
                    inf,
                    nan,
                    -1.0,
                    -inf,
                ];
                for a in everything {
                    assert_eq!(pow(a, 0.0), 1.0);
                    assert_eq!(pow(a, -0.0), 1.0);
                    assert_eq!(pow(1.0, a), 1.0);
                }
                for y in [least, 1e-3, 0.5, 1.0, 3.0, 1e30, $t::MAX, inf] {
                    assert_eq!(pow(0.0, y), 0.0);
                    assert_eq!(pow(-0.0, y), 0.0);
                    assert_eq!(pow(0.0, -y), inf);
                    assert_eq!(pow(inf, y), inf);
                    assert_eq!(pow(inf, -y), 0.0);
                    assert!(pow(-1.5, y).is_nan() && pow(-inf, y).is_nan() && pow(nan, y).is_nan());
                }
                for y in [1e30, $t::MAX, inf] {
                    assert_eq!(pow(1.0 - $t::EPSILON, y), 0.0);
                    assert_eq!(pow(1.0 - $t::EPSILON, -y), inf);
                    assert_eq!(pow(1.0 + $t::EPSILON, y), inf);
                    assert_eq!(pow(1.0 + $t::EPSILON, -y), 0.0);
                }
                for x in [0.0, 0.5, 2.0, inf, nan, -1.0] {
                    assert!(pow(x, nan).is_nan());
                }
                assert_eq!(pow(least, 1.0), least);
            };
        }
        check!(f32);
        check!(f64);
    }
}
