//! For tests only: numbers of twice the digits of `f64` to measure errors against, and pseudo-random numbers.

/// Pseudo-random numbers (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// Uniform in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 * f64::EPSILON / 2.0
    }
}

/// The sum of two `f64` that do not overlap: about 106 binary digits.
#[derive(Clone, Copy, Debug)]
pub struct Double(pub f64, pub f64);

const LN_2: Double = Double(core::f64::consts::LN_2, 2.319_046_813_846_299_6e-17);

impl Double {
    pub fn sum(a: f64, b: f64) -> Self {
        let s = a + b;
        let t = s - a;
        Self(s, (a - (s - t)) + (b - t))
    }
    pub fn product(a: f64, b: f64) -> Self {
        let p = a * b;
        Self(p, f64::mul_add(a, b, -p))
    }
    pub fn plus(self, other: Self) -> Self {
        let s = Self::sum(self.0, other.0);
        let t = Self::sum(self.1, other.1);
        let s = Self::sum(s.0, s.1 + t.0);
        Self::sum(s.0, s.1 + t.1)
    }
    pub fn times(self, other: Self) -> Self {
        let p = Self::product(self.0, other.0);
        Self::sum(p.0, p.1 + (self.0 * other.1 + self.1 * other.0))
    }
    pub fn over(self, d: f64) -> Self {
        let q = self.0 / d;
        let r = self.plus(Self::product(-q, d));
        Self::sum(q, (r.0 + r.1) / d)
    }
    /// `(m, k)` with e to the power of `self` = m 2ᵏ and m in [0.7, 1.5].
    pub fn exp(self) -> (Self, i32) {
        let k = (self.0 / LN_2.0).round();
        let r = self.plus(Self(-k, 0.0).times(LN_2)).over(64.0);
        let mut sum = Self(1.0, 0.0);
        for n in (1..=16).rev() {
            sum = sum.times(r).over(f64::from(n)).plus(Self(1.0, 0.0));
        }
        for _ in 0..6 {
            sum = sum.times(sum);
        }
        (sum, k as i32)
    }
    /// The logarithm of a positive normal or subnormal number.
    pub fn ln(x: f64) -> Self {
        let mut m = x;
        let mut e = 0.0;
        if m < f64::MIN_POSITIVE {
            m *= 2f64.powi(60);
            e -= 60.0;
        }
        let exponent = ((m.to_bits() >> 52) as i32) - 1023;
        m = f64::from_bits((m.to_bits() & ((1 << 52) - 1)) | (1023 << 52));
        e += f64::from(exponent);
        if m > core::f64::consts::SQRT_2 {
            m *= 0.5;
            e += 1.0;
        }
        // One Newton step from the ordinary logarithm.
        let y = f64::ln(m);
        let (inverse, k) = Self(-y, 0.0).exp();
        let scale = 2f64.powi(k);
        let d = Self(inverse.0 * scale, inverse.1 * scale)
            .times(Self(m, 0.0))
            .plus(Self(-1.0, 0.0));
        let correction = d.plus(Self(-0.5 * d.0 * d.0, 0.0));
        LN_2.times(Self(e, 0.0)).plus(Self(y, 0.0)).plus(correction)
    }
}

/// Distance of `got` from `exact` · 2ᵏ in units in the last place of a format with `digits` binary digits
/// after the leading one and smallest normal exponent `lowest`.
pub fn ulps(got: f64, exact: Double, k: i32, digits: i32, lowest: i32) -> f64 {
    let scaled = if got.is_infinite() {
        // Infinity stands for the number after the largest one.
        got.signum() * 2f64.powi(2 - lowest - k)
    } else {
        got * 2f64.powi(-k / 2) * 2f64.powi(-k + k / 2)
    };
    let exponent = exact.0.abs().log2().floor() as i32;
    let unit = 2f64.powi((exponent + k).max(lowest) - digits - k);
    let difference = Double::sum(scaled, -exact.0);
    ((difference.0 + (difference.1 - exact.1)) / unit).abs()
}
