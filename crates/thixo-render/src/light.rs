//! The sun, and the shadows it casts.

use thixo_math::Vector;

use crate::backdrop::Backdrop;
use crate::extent::Extent;
use crate::splat::{Spheres, Splats, Thickness, depth};
use crate::vector::{Vec3, unit_or};
use crate::view::{Projection, View};

/// Texels along a side of the shadow map.
const SIDE: usize = 1024;

/// Share of the sun that a clear thing takes.
const CLEAR_SHADE: f32 = 0.4;

/// What a sphere does to the light behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    /// It takes all.
    Full,
    /// It is clear, and takes some.
    Light,
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

impl Sun {
    /// Light on spheres and solids within an extent.
    pub fn new(
        direction: Vec3,
        spheres: Spheres<'_>,
        casts: impl Fn(usize) -> Shade + Sync,
        backdrop: &Backdrop,
        extent: Extent,
    ) -> Self {
        let direction = unit_or(direction, Vector([0.0, 1.0, 0.0]));
        let radius = 0.5 * extent.diagonal() * 1.05;
        let texel = 2.0 * radius / SIDE as f32;
        let middle = extent.middle();
        let view = View::looking(
            middle + direction * (radius * 3.0),
            middle,
            Vector([0.0, 1.0, 0.0]),
            Projection::Orthographic(1.0 / texel),
            [SIDE; 2],
        );
        let cast_by = |shade: Shade, map: &mut [f32]| {
            let choice = |k: usize| casts(k) == shade;
            let splats = Splats::draw(&view, spheres, choice, Thickness::Unknown);
            for (k, place) in map.iter_mut().enumerate() {
                *place = place.min(depth(splats.at(k % SIDE, k / SIDE)));
            }
        };
        let mut map = backdrop.shadows(&view);
        cast_by(Shade::Full, &mut map);
        let mut clear = Vec::new();
        if (0..spheres.centers.len()).any(|k| casts(k) == Shade::Light) {
            clear.resize(SIDE * SIDE, f32::INFINITY);
            cast_by(Shade::Light, &mut clear);
        }
        Self {
            direction,
            view,
            map,
            clear,
            texel,
        }
    }

    /// Share of the sun that gets to a point with a normal, of 0 to 1. `slack` \[m\] keeps things of that size from shading themselves.
    pub fn share(&self, point: Vec3, normal: Vec3, slack: f32) -> f32 {
        let offset = slack.max(1.5 * self.texel);
        let Some(([x, y, z], _)) = self.view.project(point + normal * offset) else {
            return 1.0;
        };
        let z = z - offset;
        let (x, y) = (x - 0.5, y - 0.5);
        let (left, top) = (x.floor(), y.floor());
        if left < 1.0 || top < 1.0 || left + 3.0 > SIDE as f32 || top + 3.0 > SIDE as f32 {
            return 1.0;
        }
        let (fx, fy) = (x - left, y - top);
        let first = (top as usize - 1) * SIDE + left as usize - 1;
        // A tent over 4 × 4 texels: the mean of three by three interpolated ones.
        let weights = |f: f32| [1.0 - f, 1.0, 1.0, f];
        let (columns, rows) = (weights(fx), weights(fy));
        let lit = |map: &[f32]| {
            let mut lit = 0.0;
            for (j, row) in rows.into_iter().enumerate() {
                for (i, column) in columns.into_iter().enumerate() {
                    if map[first + j * SIDE + i] >= z {
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
