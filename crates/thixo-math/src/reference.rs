//! For tests only: numbers of twice the digits of `f64` to measure errors against, and
//! pseudo-random numbers.

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

/// Distance of `got` from `exact` · 2ᵏ in units in the last place of a format with `digits` binary
/// digits after the leading one and smallest normal exponent `lowest`.
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

/// The determinant of a matrix of two or three rows.
pub fn determinant<const D: usize>(m: &[[f64; D]; D]) -> f64 {
    if D == 2 {
        return m[0][0] * m[1][1] - m[0][1] * m[1][0];
    }
    let mut sum = 0.0;
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        sum += m[0][i] * (m[1][j] * m[2][k] - m[1][k] * m[2][j]);
    }
    sum
}

/// The largest entry of |MᵀM − I|, or infinity unless det M > 0: how far M is from a rotation.
pub fn distance_from_rotation<const D: usize>(m: &[[f64; D]; D]) -> f64 {
    let mut worst: f64 = 0.0;
    for i in 0..D {
        for j in 0..D {
            let mut sum = Double(if i == j { -1.0 } else { 0.0 }, 0.0);
            for k in 0..D {
                sum = sum.plus(Double::product(m[k][i], m[k][j]));
            }
            worst = if sum.0.is_nan() {
                f64::INFINITY
            } else {
                worst.max(sum.0.abs())
            };
        }
    }
    if determinant(m) > 0.0 {
        worst
    } else {
        f64::INFINITY
    }
}

/// The largest entry of |F − U diag(σ) Vᵀ|, infinite for NaN.
pub fn residual<const D: usize>(
    f: &[[f64; D]; D],
    u: &[[f64; D]; D],
    sigma: &[f64; D],
    v: &[[f64; D]; D],
) -> f64 {
    let mut worst: f64 = 0.0;
    for i in 0..D {
        for j in 0..D {
            let mut sum = Double(-f[i][j], 0.0);
            for k in 0..D {
                sum = sum.plus(Double::product(u[i][k], sigma[k]).times(Double(v[j][k], 0.0)));
            }
            worst = if sum.0.is_nan() {
                f64::INFINITY
            } else {
                worst.max(sum.0.abs())
            };
        }
    }
    worst
}

fn product<const D: usize>(a: &[[f64; D]; D], b: &[[f64; D]; D]) -> [[f64; D]; D] {
    let mut out = [[0.0; D]; D];
    for i in 0..D {
        for j in 0..D {
            for k in 0..D {
                out[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    out
}

impl Random {
    /// A rotation, uniform enough.
    pub fn rotation<const D: usize>(&mut self) -> [[f64; D]; D] {
        let mut out = [[0.0; D]; D];
        for i in 0..D {
            out[i][i] = 1.0;
        }
        for i in 0..D {
            for j in 0..i {
                let (sin, cos) = self.between(-3.2, 3.2).sin_cos();
                for row in &mut out {
                    (row[i], row[j]) = (cos * row[i] - sin * row[j], sin * row[i] + cos * row[j]);
                }
            }
        }
        out
    }
    /// One of `choices`.
    pub fn one_of(&mut self, choices: &[f64]) -> f64 {
        choices[(self.bits() >> 32) as usize % choices.len()]
    }
    /// 10 to a power between `low` and `high`.
    pub fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.between(low, high))
    }
    /// The `i`-th matrix of a series that goes through all kinds: full, close to a rotation,
    /// inverted, with repeated, nearly equal, vanishing or widely different singular values, with
    /// few distinct entries, of extreme or uneven scale.
    pub fn matrix<const D: usize>(&mut self, i: usize) -> [[f64; D]; D] {
        let mut m = [[0.0; D]; D];
        match i % 8 {
            0 | 1 => {
                for entry in m.as_flattened_mut() {
                    *entry = self.between(-1.0, 1.0);
                }
            }
            2 => {
                let distance = self.magnitude(-16.0, 0.0);
                m = if i % 16 < 8 {
                    self.rotation()
                } else {
                    product(&m, &m)
                };
                for (k, entry) in m.as_flattened_mut().iter_mut().enumerate() {
                    if i % 16 >= 8 && k % (D + 1) == 0 {
                        *entry = 1.0;
                    }
                    *entry += distance * self.between(-1.0, 1.0);
                }
            }
            3 => {
                for entry in m.as_flattened_mut() {
                    *entry = self.one_of(&[-1.0, 0.0, 0.0, 1.0, 2.0]);
                }
            }
            4 => {
                // A permutation with signs, or a plain diagonal.
                let turn = (self.bits() >> 40) as usize;
                for k in 0..D {
                    m[k][(k + turn) % D] = self.one_of(&[-1.0, 1.0, 1.0, 1.0, 0.0, 1e-12]);
                }
            }
            _ => {
                let mut sigma = [1.0; D];
                for k in 1..D {
                    sigma[k] = match (self.bits() >> 40) % 6 {
                        0 => sigma[k - 1],
                        1 => sigma[k - 1] * (1.0 - self.magnitude(-16.0, -1.0)),
                        2 => 0.0,
                        3 => sigma[k - 1] * 1e-12,
                        4 => sigma[k - 1] * self.magnitude(-16.0, 0.0),
                        _ => self.between(0.0, 1.0),
                    };
                }
                if i % 64 == 7 {
                    sigma[0] = 0.0;
                }
                sigma[D - 1] *= self.one_of(&[1.0, -1.0]);
                let v = self.rotation::<D>();
                m = self.rotation();
                for row in &mut m {
                    for k in 0..D {
                        row[k] *= sigma[k];
                    }
                }
                m = product(&m, &v);
            }
        }
        let scale = match (i / 8) % 4 {
            0 | 1 => 1.0,
            2 => self.magnitude(-15.0, 15.0),
            _ => self.one_of(&[1e-30, 1e30, 1e-36, 1e37]),
        };
        let uneven = (i / 8) % 5 == 4;
        for row in &mut m {
            let scale = if uneven {
                scale.sqrt() * self.magnitude(-7.0, 7.0)
            } else {
                scale
            };
            for entry in row {
                *entry *= scale;
            }
        }
        if i.is_multiple_of(3) {
            let copy = m;
            for a in 0..D {
                for b in 0..D {
                    m[a][b] = copy[b][a];
                }
            }
        }
        m
    }
}
