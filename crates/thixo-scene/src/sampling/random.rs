//! Random numbers that depend on nothing but a seed and a place in the scene.

/// A stream of random numbers (SplitMix64), one for every seed and index: whoever draws, and in
/// whatever order, gets the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random(u64);

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Random {
    /// The stream of a seed and an index.
    pub fn new(seed: u32, index: &[i64]) -> Self {
        let mut state = mix(u64::from(seed).wrapping_add(STEP));
        for &i in index {
            state = mix(state.wrapping_add(STEP) ^ mix(i as u64));
        }
        Self(state)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// Uniform in \[0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number below `count`, which is not 0.
    pub fn below(&mut self, count: usize) -> usize {
        ((self.uniform() * count as f64) as usize).min(count.saturating_sub(1))
    }

    /// A point of the unit cube.
    pub fn point<const D: usize>(&mut self) -> [f64; D] {
        let mut x = [0.0; D];
        for x in &mut x {
            *x = self.uniform();
        }
        x
    }

    /// Number of independent events where `mean` are expected, for a mean of at most about 100.
    pub fn events(&mut self, mean: f64) -> usize {
        let limit = (-mean).exp();
        let mut count = 0;
        let mut product = self.uniform();
        while product > limit {
            product *= self.uniform();
            count += 1;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_uniform_and_events_have_mean_and_variance_of_their_law() {
        let n = 100_000;
        let (mut sum, mut squares) = (0.0, 0.0);
        let (mut events, mut event_squares) = (0.0, 0.0);
        for k in 0..n {
            let mut random = Random::new(7, &[k, -k]);
            let u = random.uniform();
            assert!((0.0..1.0).contains(&u));
            sum += u;
            squares += u * u;
            let count = random.events(8.0) as f64;
            events += count;
            event_squares += count * count;
        }
        let n = n as f64;
        assert!((sum / n - 0.5).abs() < 5e-3 && (squares / n - 1.0 / 3.0).abs() < 5e-3);
        let (mean, variance) = (events / n, event_squares / n - (events / n).powi(2));
        assert!(
            (mean - 8.0).abs() < 0.05 && (variance - 8.0).abs() < 0.25,
            "{mean} {variance}"
        );
    }

    #[test]
    fn streams_differ_by_seed_and_by_every_index() {
        let first = |seed, index: &[i64]| Random::new(seed, index).uniform();
        assert_eq!(first(1, &[2, 3]), first(1, &[2, 3]));
        for other in [
            first(2, &[2, 3]),
            first(1, &[3, 2]),
            first(1, &[2, 4]),
            first(1, &[-2, 3]),
        ] {
            assert_ne!(first(1, &[2, 3]), other);
        }
        assert!((0..100).all(|_| Random::new(0, &[]).below(3) < 3));
    }
}
