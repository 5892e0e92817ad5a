//! Positions of particles at the start.

use core::f64::consts::TAU;

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

/// Particles at rest on a lattice that fills a box from `low` \[m\], `counts` particles along the
/// axes, `pitch` \[m\] apart: each in the middle of its share of the volume.
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

/// Particles at rest on rings about the origin, `pitch` \[m\] apart, that fill the ring between two
/// radii \[m\] without seams.
pub fn rings([inner, outer]: [f64; 2], pitch: f64, density: f64) -> Vec<Seed<2>> {
    let count = ((outer - inner) / pitch).round();
    let pitch = (outer - inner) / count;
    let mut seeds = Vec::new();
    for ring in 0..count as usize {
        let radius = inner + (ring as f64 + 0.5) * pitch;
        let around = (TAU * radius / pitch).round();
        let volume = TAU * radius * pitch / around;
        for k in 0..around as usize {
            let angle = TAU * (k as f64 + 0.5 * (ring % 2) as f64) / around;
            let position = [radius * angle.cos(), radius * angle.sin()];
            seeds.push(Seed::new(position, [0.0; 2], density * volume, volume));
        }
    }
    seeds
}

/// The lattice's particles, each moved at random within its share of the volume: no two samples of
/// a row stay in line.
pub fn stratified<const D: usize>(
    low: [f64; D],
    counts: [usize; D],
    pitch: f64,
    density: f64,
) -> Vec<Seed<D>> {
    let seeds = lattice(low, counts, pitch, density);
    displaced(seeds, STRATIFIED, |_, x, noise| x + 0.5 * pitch * noise)
}

/// As many particles as the lattice has, each anywhere in the box.
pub fn random<const D: usize>(
    low: [f64; D],
    counts: [usize; D],
    pitch: f64,
    density: f64,
) -> Vec<Seed<D>> {
    let seeds = lattice(low, counts, pitch, density);
    displaced(seeds, RANDOM, |a, _, noise| {
        let share = 0.5 + 0.5 * noise;
        low[a] + share * counts[a] as f64 * pitch
    })
}

/// The particles at the positions that `place` makes of the axis, the coordinate and noise.
fn displaced<const D: usize>(
    mut seeds: Vec<Seed<D>>,
    stream: u64,
    place: impl Fn(usize, f64, f64) -> f64,
) -> Vec<Seed<D>> {
    for (index, seed) in seeds.iter_mut().enumerate() {
        for a in 0..D {
            let noise = noise(stream, (D * index + a) as u64);
            seed.position[a] = place(a, seed.position[a], noise);
        }
    }
    seeds
}

/// Seeds of the noise.
const STRATIFIED: u64 = 1;
const RANDOM: u64 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stratified_particles_stay_in_their_share_and_random_ones_in_the_box() {
        let even = lattice([1.0, 2.0], [40, 20], 0.5, 3.0);
        let near = stratified([1.0, 2.0], [40, 20], 0.5, 3.0);
        let (mut far, mut mean) = (0.0f64, 0.0);
        for (a, b) in even.iter().zip(&near) {
            let d = [0, 1].map(|k| b.position[k] - a.position[k]);
            assert!(d.iter().all(|d| d.abs() <= 0.25));
            far = far.max(d[0].abs());
            mean += d[0] / even.len() as f64;
        }
        assert!(far > 0.24 && mean.abs() < 0.02);
        let anywhere = random([1.0, 2.0], [40, 20], 0.5, 3.0);
        assert!(anywhere.iter().all(|s| {
            (1.0..21.0).contains(&s.position[0]) && (2.0..12.0).contains(&s.position[1])
        }));
    }

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
