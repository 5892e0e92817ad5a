//! Where particles begin.

use thixo::Seed;

/// A number in \[−1, 1) from a seed and a counter (SplitMix64).
pub fn noise(seed: u64, counter: u64) -> f64 {
    let mut x =
        (seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ counter).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^= x >> 31;
    (x >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Particles at rest on a lattice that fills a box from `low` \[m\], `counts` particles along the axes, `pitch` \[m\] apart: each
/// in the middle of its share of the volume.
pub fn lattice<const D: usize>(
    low: [f64; D],
    counts: [usize; D],
    pitch: f64,
    density: f64,
) -> Vec<Seed<D>> {
    let volume = pitch.powi(D as i32);
    (0..counts.iter().product())
        .map(|mut index: usize| {
            let mut x = low;
            for a in 0..D {
                x[a] += ((index % counts[a]) as f64 + 0.5) * pitch;
                index /= counts[a];
            }
            Seed::new(x, [0.0; D], density * volume, volume)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lattice_fills_its_box() {
        let seeds = lattice([1.0, 2.0], [4, 2], 0.5, 3.0);
        assert_eq!(seeds.len(), 8);
        assert_eq!(seeds[0].position, [1.25, 2.25]);
        assert_eq!(seeds[7].position, [2.75, 2.75]);
        let mass: f64 = seeds.iter().map(|s| s.mass).sum();
        assert!((mass - 3.0 * 2.0 * 1.0).abs() < 1e-14);
    }
}
