//! The sun and its shadow map, filtered at its edges (percentage-closer filtering).

use rayon::prelude::*;
use thixo_math::Vector;

use crate::extent::Extent;
use crate::splat::{Spheres, Splats, depth};
use crate::vector::{Vec3, unit_or};
use crate::view::{Projection, View};

/// Texels along a side of the shadow map: as many as the picture has pixels along its longer side,
/// within these.
const SIDES: [usize; 2] = [256, 1024];

/// Share of the sun that a clear thing takes.
const CLEAR_SHADE: f32 = 0.4;

/// Shadow that a sphere casts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    /// It takes all.
    Full,
    /// It is clear, and takes some.
    Light,
    /// It takes none.
    Nothing,
}

/// Parallel light, and where it does not get to.
#[derive(Clone, Debug)]
pub struct Sun {
    /// Towards the sun.
    pub direction: Vec3,
    view: View,
    /// Depth of the first thing in the light \[m\].
    map: Vec<f32>,
    /// Depth of the first clear thing \[m\]; empty if there is none.
    clear: Vec<f32>,
    /// Size of a texel \[m\].
    texel: f32,
}

/// The smaller depths of two maps, each of which may be empty.
fn nearest(mut a: Vec<f32>, b: &[f32]) -> Vec<f32> {
    if a.is_empty() {
        return b.to_vec();
    }
    for (a, b) in a.iter_mut().zip(b) {
        *a = a.min(*b);
    }
    a
}

/// The view of a shadow map: an extent as the sun sees it, for a picture of a size.
pub fn view_of_sun(direction: Vec3, extent: Extent, size: [usize; 2]) -> View {
    let side = size[0].max(size[1]).clamp(SIDES[0], SIDES[1]);
    let direction = unit_or(direction, Vector([0.0, 1.0, 0.0]));
    let radius = 0.5 * extent.diagonal() * 1.05;
    let middle = extent.middle();
    View::looking(
        middle + direction * (radius * 3.0),
        middle,
        Vector([0.0, 1.0, 0.0]),
        Projection::Orthographic(side as f32 / (2.0 * radius)),
        [side; 2],
    )
}

impl Sun {
    /// Light on spheres, and on what else stops it: depths at which opaque and at which clear
    /// things are first met, in several maps, each of which may be empty.
    pub fn new(
        view: View,
        spheres: Spheres<'_>,
        casts: impl Fn(usize) -> Shade + Sync,
        others: &[&[Vec<f32>]],
    ) -> Self {
        let [side, _] = view.size;
        let cast_by = |shade: Shade, map: &mut Vec<f32>| {
            map.resize(side * side, f32::INFINITY);
            let splats = Splats::draw(&view, spheres, |k| casts(k) == shade);
            let places = map.par_chunks_mut(side).enumerate();
            places.for_each(|(y, row)| {
                for (x, place) in row.iter_mut().enumerate() {
                    *place = place.min(depth(splats.at(x, y)));
                }
            });
        };
        let [mut map, mut clear] = [0, 1].map(|kind| {
            let maps = others.iter().filter_map(|maps| maps.get(kind));
            maps.fold(Vec::new(), |sum, map| nearest(sum, map))
        });
        cast_by(Shade::Full, &mut map);
        let mut all = 0..spheres.centers.len();
        if !clear.is_empty() || all.any(|k| casts(k) == Shade::Light) {
            cast_by(Shade::Light, &mut clear);
        }
        let texel = match view.projection {
            Projection::Orthographic(scale) | Projection::Perspective(scale) => 1.0 / scale,
        };
        Self {
            direction: -view.axes[2],
            view,
            map,
            clear,
            texel,
        }
    }

    /// Share of the sun that gets to a point with a normal, of 0 to 1. `slack` \[m\] keeps things
    /// of that size from shading themselves.
    pub fn share(&self, point: Vec3, normal: Vec3, slack: f32) -> f32 {
        let offset = slack.max(1.5 * self.texel);
        let Some(([x, y, z], _)) = self.view.project(point + normal * offset) else {
            return 1.0;
        };
        let z = z - offset;
        let [side, _] = self.view.size;
        let (x, y) = (x - 0.5, y - 0.5);
        let (left, top) = (x.floor(), y.floor());
        if left < 1.0 || top < 1.0 || left + 3.0 > side as f32 || top + 3.0 > side as f32 {
            return 1.0;
        }
        let (fx, fy) = (x - left, y - top);
        let first = (top as usize - 1) * side + left as usize - 1;
        // A tent over 4 × 4 texels: the mean of three by three interpolated ones.
        let weights = |f: f32| [1.0 - f, 1.0, 1.0, f];
        let (columns, rows) = (weights(fx), weights(fy));
        let lit = |map: &[f32]| {
            let mut lit = 0.0;
            for (j, row) in rows.into_iter().enumerate() {
                for (i, column) in columns.into_iter().enumerate() {
                    if map[first + j * side + i] >= z {
                        lit += row * column;
                    }
                }
            }
            lit / 9.0
        };
        match self.clear.is_empty() {
            true => lit(&self.map),
            false => lit(&self.map) * (1.0 - CLEAR_SHADE * (1.0 - lit(&self.clear))),
        }
    }
}
