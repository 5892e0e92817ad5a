//! Screen-space ambient occlusion: the share of the sky that a pixel's surroundings hide.
//!
//! After M. McGuire, B. Osman, M. Bukowski and P. Hennessy, "The alchemy screen-space ambient
//! obscurance algorithm" (2011).

use rayon::prelude::*;

use crate::depth_normals::DepthNormals;
use crate::vector::Vec3;
use crate::view::{Projection, View};

/// Pixels that are looked at around each.
const TAPS: usize = 12;
/// Turns of the spiral they lie on.
const TURNS: f32 = 5.0;
/// Farthest that is looked \[pixels\].
const MOST_REACH: f32 = 90.0;
/// Strength of the occlusion \[–\]; chosen by eye.
const STRENGTH: f32 = 1.6;
/// Half the side of the square over which the noise is averaged.
const BLUR: usize = 2;

/// Share of the sky that every pixel sees, 0 to 1. `reach` \[m\] is how far things shade each
/// other.
pub fn open_sky(view: &View, gbuffer: &DepthNormals, reach: f32) -> Vec<f32> {
    let [width, height] = view.size;
    let points: Vec<Vec3> = (0..width * height)
        .into_par_iter()
        .map(|k| view.point(view.sample_center(k), gbuffer.depths[k]))
        .collect();
    let spiral = spiral();
    let raw: Vec<f32> = (0..width * height)
        .into_par_iter()
        .map(|k| match (k % width + k / width) % 2 {
            // Every second pixel tells enough: all take the mean of those around.
            0 => sky_of(view, gbuffer, &points, (reach, &spiral), k),
            _ => f32::NAN,
        })
        .collect();
    smoothed(view, gbuffer, &raw, reach)
}

/// Places on a spiral within a circle of radius 1.
fn spiral() -> [[f32; 2]; TAPS] {
    std::array::from_fn(|tap| {
        let share = (tap as f32 + 0.5) / TAPS as f32;
        let (sine, cosine) = (share * TURNS * std::f32::consts::TAU).sin_cos();
        [share * cosine, share * sine]
    })
}

fn sky_of(
    view: &View,
    gbuffer: &DepthNormals,
    points: &[Vec3],
    (reach, spiral): (f32, &[[f32; 2]; TAPS]),
    k: usize,
) -> f32 {
    let [width, height] = view.size;
    let depth = gbuffer.depths[k];
    if !depth.is_finite() {
        return 1.0;
    }
    let scale = match view.projection {
        Projection::Perspective(focal) => focal / depth,
        Projection::Orthographic(scale) => scale,
    };
    let radius = (reach * scale).min(MOST_REACH);
    if radius < 1.0 {
        return 1.0;
    }
    let (x, y) = (k % width, k / width);
    let (here, normal) = (points[k], gbuffer.normals[k]);
    // Every pixel turns the spiral by an angle of its own.
    let (sine, cosine) = (chance(x as u32, y as u32) * std::f32::consts::TAU).sin_cos();
    let (slack, limit) = (0.02 * reach, reach * reach);
    let mut sum = 0.0;
    for [p, q] in spiral {
        let u = x as f32 + radius * (p * cosine - q * sine);
        let v = y as f32 + radius * (p * sine + q * cosine);
        if u < 0.0 || v < 0.0 {
            continue;
        }
        let (u, v) = (u as usize, v as usize);
        if u >= width || v >= height || !gbuffer.depths[v * width + u].is_finite() {
            continue;
        }
        let away = points[v * width + u] - here;
        let squared = away.norm_squared();
        if squared < limit {
            let fade = 1.0 - squared / limit;
            let above = (away.dot(normal) - slack).max(0.0);
            sum += fade * above * reach / (squared + 0.01 * limit);
        }
    }
    (1.0 - STRENGTH * sum / TAPS as f32).clamp(0.2, 1.0)
}

/// The mean over a small square, across no edges.
fn smoothed(view: &View, gbuffer: &DepthNormals, raw: &[f32], reach: f32) -> Vec<f32> {
    let [width, height] = view.size;
    let mean = |k: usize| {
        let depth = gbuffer.depths[k];
        if !depth.is_finite() {
            return 1.0;
        }
        let (x, y) = (k % width, k / width);
        let (mut sum, mut count) = (0.0, 0.0);
        for v in y.saturating_sub(BLUR)..(y + BLUR + 1).min(height) {
            for u in x.saturating_sub(BLUR)..(x + BLUR + 1).min(width) {
                let j = v * width + u;
                if !raw[j].is_nan() && (gbuffer.depths[j] - depth).abs() < 0.5 * reach {
                    sum += raw[j];
                    count += 1.0;
                }
            }
        }
        if count > 0.0 { sum / count } else { 1.0 }
    };
    (0..raw.len()).into_par_iter().map(mean).collect()
}

/// A number of 0 to 1 that looks like chance, always the same for a pixel.
pub fn chance(x: u32, y: u32) -> f32 {
    let mut h = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77);
    h = (h ^ (h >> 15)).wrapping_mul(0x2c1b_3c6d);
    h = (h ^ (h >> 12)).wrapping_mul(0x297a_2d39);
    h ^= h >> 15;
    (h >> 8) as f32 / (1u32 << 24) as f32
}

#[cfg(test)]
mod tests {
    use thixo_math::Vector;

    use super::*;

    #[test]
    fn a_corner_is_darker_than_the_open_floor() {
        // A floor seen from above at a depth of 10, and from x = 32 on a block of height 1.
        let up = Vector([0.0, 1.0, 0.0]);
        let eye = Vector([0.0, 0.0, 10.0]);
        let view = View::looking(
            eye,
            Vec3::zero(),
            up,
            Projection::Orthographic(10.0),
            [64, 64],
        );
        let height = |k: usize| if k % 64 < 32 { 10.0 } else { 9.0 };
        let gbuffer = DepthNormals {
            depths: (0..64 * 64).map(height).collect(),
            normals: vec![Vector([0.0, 0.0, 1.0]); 64 * 64],
        };
        let sky = open_sky(&view, &gbuffer, 1.5);
        let at = |x: usize| (20..44).map(|y| sky[y * 64 + x]).sum::<f32>() / 24.0;
        assert!(at(4) > 0.999 && at(50) > 0.999);
        assert!(at(29) < 0.93, "{}", at(29));
        assert!(at(29) < at(25) && at(25) < at(19));
    }
}
