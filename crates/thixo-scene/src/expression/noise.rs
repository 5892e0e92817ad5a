//! Repeatable randomness: smooth gradient noise, its derivatives, and white noise. Only additions,
//! multiplications, divisions and square roots are used, which give the same bits on every machine.
//!
//! Gradient noise puts a random slope on every whole number (or point of whole numbers) and blends
//! the planes of the corners of a cell with the weights
//!
//! ```text
//! s(f) = 6 f⁵ − 15 f⁴ + 10 f³   and   1 − s(f),
//! ```
//!
//! whose first and second derivatives vanish at the corners: noise is twice continuously
//! differentiable. As a corner's plane is a sum over axes, noise is a sum of products of one
//! polynomial per axis,
//!
//! ```text
//! n(x, y, z) = Σ_corners  g_x B(x) A(y) A(z) + g_y A(x) B(y) A(z) + g_z A(x) A(y) B(z),
//! ```
//!
//! with A the weight and B the weight times the distance from the corner. Its partial derivatives
//! of any order are those of the polynomials.

/// Gradient noise in [−1, 1], or one of its partial derivatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Noise {
    /// 1 to 3.
    pub(crate) dimension: usize,
    pub(crate) seed: u64,
    /// Order of the derivative by each coordinate.
    pub(crate) order: [u8; 3],
}

/// White noise in [0, 1): another number for every other position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Random {
    /// 1 to 3.
    pub(crate) dimension: usize,
    pub(crate) seed: u64,
}

/// The weight A(f) of the lower and the upper corner: coefficients of f⁰, f¹, …
const WEIGHT: [[f64; 7]; 2] = [
    [1.0, 0.0, 0.0, -10.0, 15.0, -6.0, 0.0],
    [0.0, 0.0, 0.0, 10.0, -15.0, 6.0, 0.0],
];

/// The weight times the distance from the corner, B(f).
const WEIGHTED_DISTANCE: [[f64; 7]; 2] = [
    [0.0, 1.0, 0.0, 0.0, -10.0, 15.0, -6.0],
    [0.0, 0.0, 0.0, -10.0, 25.0, -21.0, 6.0],
];

/// A and B of the two corners along an axis.
#[derive(Clone, Copy)]
struct Axis {
    cell: i64,
    weight: [f64; 2],
    weighted_distance: [f64; 2],
}

impl Axis {
    fn at(x: f64, order: u8) -> Self {
        let below = x.floor();
        let f = x - below;
        let (weight, weighted_distance) = if order == 0 {
            let s = f * f * f * (10.0 + f * (6.0 * f - 15.0));
            ([1.0 - s, s], [(1.0 - s) * f, s * (f - 1.0)])
        } else {
            let slopes = |corners: [[f64; 7]; 2]| corners.map(|p| derivative(&p, order, f));
            (slopes(WEIGHT), slopes(WEIGHTED_DISTANCE))
        };
        Self {
            cell: below as i64,
            weight,
            weighted_distance,
        }
    }

    fn corner(&self, corner: usize) -> u64 {
        self.cell.wrapping_add(corner as i64) as u64
    }
}

/// The derivative of a polynomial at f.
fn derivative(coefficients: &[f64; 7], order: u8, f: f64) -> f64 {
    let order = usize::from(order);
    let mut sum = 0.0;
    for power in (order..7).rev() {
        let falling: f64 = (power - order + 1..=power).map(|k| k as f64).product();
        sum = sum * f + falling * coefficients[power];
    }
    sum
}

impl Noise {
    pub(crate) fn new(dimension: usize, seed: u64) -> Self {
        Self {
            dimension,
            seed,
            order: [0; 3],
        }
    }

    /// Its derivative by a coordinate.
    pub(crate) fn derivative(mut self, axis: usize) -> Self {
        self.order[axis] = self.order[axis].saturating_add(1);
        self
    }

    pub(crate) fn at(&self, point: [f64; 3]) -> f64 {
        let point = &point[..self.dimension];
        if !point.iter().all(|x| x.is_finite()) {
            return f64::NAN;
        }
        let raw = match *point {
            [x] => self.line(x),
            [x, y] => self.plane(x, y),
            [x, y, z] => self.space(x, y, z),
            _ => 0.0,
        };
        // With slopes of length at most 1, |n| ≤ Σ A |f − corner| ≤ √(Σ A |f − corner|²) ≤ √D/2,
        // reached in the middle of a cell.
        let value =
            raw * [2.0, std::f64::consts::SQRT_2, 1.154_700_538_379_251_5][self.dimension - 1];
        if self.order == [0; 3] {
            value.clamp(-1.0, 1.0)
        } else {
            value
        }
    }

    fn line(&self, x: f64) -> f64 {
        let x = Axis::at(x, self.order[0]);
        let corner = |i: usize| {
            let hash = absorb(scramble(self.seed), x.corner(i));
            (2.0 * unit(hash) - 1.0) * x.weighted_distance[i]
        };
        corner(0) + corner(1)
    }

    fn plane(&self, x: f64, y: f64) -> f64 {
        let [x, y] = [Axis::at(x, self.order[0]), Axis::at(y, self.order[1])];
        let mut sum = 0.0;
        for i in 0..2 {
            let hash_x = absorb(scramble(self.seed), x.corner(i));
            for j in 0..2 {
                let hash = absorb(hash_x, y.corner(j));
                let [g_x, g_y] = direction([hash >> 32, hash], 32);
                sum += g_x * x.weighted_distance[i] * y.weight[j]
                    + g_y * x.weight[i] * y.weighted_distance[j];
            }
        }
        sum
    }

    fn space(&self, x: f64, y: f64, z: f64) -> f64 {
        let x = Axis::at(x, self.order[0]);
        let y = Axis::at(y, self.order[1]);
        let z = Axis::at(z, self.order[2]);
        let mut sum = 0.0;
        for i in 0..2 {
            let hash_x = absorb(scramble(self.seed), x.corner(i));
            for j in 0..2 {
                let hash_xy = absorb(hash_x, y.corner(j));
                let weight = x.weight[i] * y.weight[j];
                let along_x = x.weighted_distance[i] * y.weight[j];
                let along_y = x.weight[i] * y.weighted_distance[j];
                for k in 0..2 {
                    let hash = absorb(hash_xy, z.corner(k));
                    let [g_x, g_y, g_z] = direction([hash >> 42, hash >> 21, hash], 21);
                    sum += (g_x * along_x + g_y * along_y) * z.weight[k]
                        + g_z * weight * z.weighted_distance[k];
                }
            }
        }
        sum
    }
}

impl Random {
    pub(crate) fn at(&self, point: [f64; 3]) -> f64 {
        let point = &point[..self.dimension];
        if point.iter().any(|x| x.is_nan()) {
            return f64::NAN;
        }
        // Adding zero makes −0 the same position as 0.
        let bits = point.iter().map(|x| (x + 0.0).to_bits());
        unit(bits.fold(scramble(!self.seed), absorb))
    }
}

/// The seed of an octave of fractal noise: octaves of neighbouring seeds have nothing in common.
pub(crate) fn octave_seed(seed: u64, octave: u32) -> u64 {
    match octave {
        0 => seed,
        _ => absorb(scramble(seed), u64::from(octave)),
    }
}

/// A shift in [0, 1) of an octave's lattice, so that the zeros of the octaves do not fall together.
pub(crate) fn octave_shift(seed: u64, octave: u32, axis: usize) -> f64 {
    match octave {
        0 => 0.0,
        _ => unit(absorb(octave_seed(seed, octave), axis as u64)),
    }
}

/// A vector of length 1 from the lowest bits of words.
fn direction<const D: usize>(words: [u64; D], bits: u32) -> [f64; D] {
    let half = 1_u64 << (bits - 1);
    // An odd number over a power of two is never zero, so that the vector has a direction.
    let v = words.map(|word| {
        let word = word & (2 * half - 1);
        (word as f64 + 0.5) / half as f64 - 1.0
    });
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v.map(|x| x / length)
}

/// A number in [0, 1) from the upper 53 bits.
fn unit(hash: u64) -> f64 {
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}

/// Takes one more word into a hash.
fn absorb(hash: u64, word: u64) -> u64 {
    scramble(hash ^ word.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// The output function of the generator `SplitMix64`: every bit of the input changes every bit of
/// the result with probability one half.
fn scramble(word: u64) -> u64 {
    let mut z = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
