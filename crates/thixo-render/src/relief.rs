//! What the pixels of a picture show of surfaces: depths and normals, with spheres of one body smoothed to a skin.
//!
//! The skin follows W. van der Laan, S. Green and M. Sainz, "Screen space fluid rendering with curvature flow" (2009) in working on depths of the picture; depths are
//! averaged over about the size of a particle, across no edges.

use rayon::prelude::*;

use crate::vector::{Vec3, cross, unit_or};
use crate::view::View;

/// Farthest that depths are averaged \[pixels\].
const MOST_REACH: f32 = 24.0;
/// Passes of averaging, along rows and columns in turn.
const PASSES: usize = 2;

/// Depths and normals of pixels.
#[derive(Clone, Debug)]
pub struct Relief {
    /// Depth \[m\]; infinite where there is nothing.
    pub depths: Vec<f32>,
    /// Towards the camera.
    pub normals: Vec<Vec3>,
}

/// What a pixel shows before smoothing.
#[derive(Clone, Copy, Debug)]
pub struct Texel {
    /// Depth \[m\]; infinite where there is nothing.
    pub depth: f32,
    /// The normal there.
    pub normal: Vec3,
    /// Radius of the particle, if it belongs to a skin \[m\]; zero otherwise.
    pub skin: f32,
}

impl Relief {
    /// Smooths skins.
    pub fn new(view: &View, texels: &[Texel]) -> Self {
        let mut depths: Vec<f32> = texels.iter().map(|texel| texel.depth).collect();
        let mut normals: Vec<Vec3> = texels.iter().map(|texel| texel.normal).collect();
        if texels.iter().any(|texel| texel.skin > 0.0) {
            for _ in 0..PASSES {
                depths = average(view, texels, &depths, [1, 0]);
                depths = average(view, texels, &depths, [0, 1]);
            }
            let [width, _] = view.size;
            normals.par_iter_mut().enumerate().for_each(|(k, normal)| {
                if texels[k].skin > 0.0 {
                    let at = [k % width, k / width];
                    *normal = slope(view, texels, &depths, at).unwrap_or(*normal);
                }
            });
        }
        Self { depths, normals }
    }
}

/// The mean of depths along an axis, over what belongs to the same skin.
fn average(view: &View, texels: &[Texel], depths: &[f32], [dx, dy]: [usize; 2]) -> Vec<f32> {
    let [width, height] = view.size;
    let place = |k: usize| [k % width, k / width];
    let mean = |k: usize| {
        let here = texels[k];
        let center = depths[k];
        if here.skin <= 0.0 {
            return center;
        }
        let [x, y] = place(k);
        let reach = (here.skin * scale(view, center) * 2.0).min(MOST_REACH) as usize;
        let (at, stride, end) = if dx == 1 {
            (x, 1, width)
        } else {
            (y, width, height)
        };
        debug_assert_eq!(dx + dy, 1);
        let (mut sum, mut weights) = (center, 1.0);
        let spread = 1.0 / (0.35 * (reach * reach) as f32 + 1e-6);
        for step in 1..=reach {
            let weight = (-((step * step) as f32) * spread).exp();
            let both = [
                (at >= step).then(|| k - step * stride),
                (at + step < end).then(|| k + step * stride),
            ];
            // Only both together keep a slope as it is.
            let [Some(before), Some(after)] = both else {
                break;
            };
            let fits =
                |j: usize| texels[j].skin > 0.0 && (depths[j] - center).abs() < 3.0 * here.skin;
            if fits(before) && fits(after) {
                sum += weight * (depths[before] + depths[after]);
                weights += 2.0 * weight;
            }
        }
        sum / weights
    };
    (0..texels.len()).into_par_iter().map(mean).collect()
}

/// Pixels per metre at a depth.
fn scale(view: &View, depth: f32) -> f32 {
    match view.projection {
        crate::view::Projection::Perspective(focal) => focal / depth,
        crate::view::Projection::Orthographic(scale) => scale,
    }
}

/// The normal of a skin from the smaller of the differences to both sides.
fn slope(view: &View, texels: &[Texel], depths: &[f32], [x, y]: [usize; 2]) -> Option<Vec3> {
    let [width, height] = view.size;
    let point = |x: usize, y: usize| {
        let k = y * width + x;
        let place = [x as f32 + 0.5, y as f32 + 0.5];
        (texels[k].skin > 0.0).then(|| view.point(place, depths[k]))
    };
    let here = point(x, y)?;
    let smaller = |before: Option<Vec3>, after: Option<Vec3>| match (before, after) {
        (Some(before), Some(after)) => {
            let (back, forth) = (here - before, after - here);
            Some(if back.norm() < forth.norm() {
                back
            } else {
                forth
            })
        }
        (Some(before), None) => Some(here - before),
        (None, Some(after)) => Some(after - here),
        (None, None) => None,
    };
    let left = x.checked_sub(1).and_then(|x| point(x, y));
    let right = (x + 1 < width).then(|| point(x + 1, y)).flatten();
    let above = y.checked_sub(1).and_then(|y| point(x, y));
    let below = (y + 1 < height).then(|| point(x, y + 1)).flatten();
    let (across, down) = (smaller(left, right)?, smaller(above, below)?);
    let normal = unit_or(cross(down, across), texels[y * width + x].normal);
    let towards = view.eye - here;
    let faces = match view.projection {
        crate::view::Projection::Perspective(_) => normal.dot(towards),
        crate::view::Projection::Orthographic(_) => -normal.dot(view.axes[2]),
    };
    Some(if faces < 0.0 { -normal } else { normal })
}
