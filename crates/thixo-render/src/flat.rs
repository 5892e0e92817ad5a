//! Pictures of plane scenes: discs on paper, obstacles as filled areas.

use rayon::prelude::*;
use thixo_math::Vector;

use crate::draw::{Drawing, SAMPLES};
use crate::occlusion::chance;
use crate::picture::Picture;
use crate::splat::{self, Spheres, Splats, Thickness};
use crate::vector::{Vec3, mix, unit_or};

const PAPER: Vec3 = Vector([0.84, 0.87, 0.90]);
const SOLID: Vec3 = Vector([0.55, 0.58, 0.62]);
const EDGE: Vec3 = Vector([0.10, 0.11, 0.14]);
/// Width of the edges of obstacles \[pixels\].
const EDGE_WIDTH: f32 = 2.0;

impl Drawing<'_> {
    /// Draws a plane scene, as seen along its third axis.
    pub fn draw_flat(&self) -> Picture {
        let fine = self.view.finer(SAMPLES);
        let particles = self.particles;
        let spheres = Spheres {
            centers: &particles.centers,
            radii: &particles.radii,
        };
        let splats = Splats::draw(&fine, spheres, |_| true, Thickness::Unknown);
        let [width, height] = self.view.size;
        let mut picture = Picture::filled(width, height, PAPER);
        let pixels = picture.pixels_mut().par_iter_mut().enumerate();
        pixels.for_each(|(k, pixel)| {
            let (x, y) = (k % width, k / width);
            let paper = self.paper([x as f32 + 0.5, y as f32 + 0.5]);
            let mut sum = Vec3::zero();
            for (i, j) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let at = [x * SAMPLES + i, y * SAMPLES + j];
                let sample = splats.at(at[0], at[1]);
                sum += match splat::index(sample) {
                    None => paper,
                    Some(particle) => {
                        let place = [at[0] as f32 + 0.5, at[1] as f32 + 0.5];
                        let place = fine.point(place, splat::depth(sample));
                        self.disc(particle, place)
                    }
                };
            }
            *pixel = sum * (1.0 / (SAMPLES * SAMPLES) as f32);
        });
        picture
    }

    /// A disc is a flat sphere: a little darker towards its edge, a little lighter towards the upper left.
    fn disc(&self, k: usize, place: Vec3) -> Vec3 {
        let particles = self.particles;
        let look = &self.looks[particles.looks[k] as usize];
        let normal = unit_or(place - particles.centers[k], Vector([0.0, 0.0, 1.0]));
        let shade = 0.86 + 0.14 * normal.dot(Vector([-0.45, 0.55, 0.7])).max(-0.5);
        match particles.colors.get(k) {
            Some(color) => *color * (0.94 + 0.06 * normal[2]),
            None => {
                let speckle = 1.0 + look.speckle * 2.0 * (chance(k as u32, 77) - 0.5);
                look.color * (speckle * shade)
            }
        }
    }

    /// Paper and obstacles at a pixel.
    fn paper(&self, place: [f32; 2]) -> Vec3 {
        let point = self.view.point(place, 0.0);
        let pixels = match self.view.projection {
            crate::view::Projection::Orthographic(scale) => scale,
            crate::view::Projection::Perspective(focal) => focal,
        };
        let mut distance = f32::INFINITY;
        for wall in &self.stage.walls {
            distance = distance.min(wall.height(point));
        }
        for solid in &self.stage.solids {
            let at = [f64::from(point[0]), f64::from(point[1]), 0.0];
            distance = distance.min(solid.level_set.surface(at, self.time).distance as f32);
        }
        let inside = -distance * pixels;
        let covered = (inside + 0.5).clamp(0.0, 1.0);
        let edge = (EDGE_WIDTH + 0.5 - inside).clamp(0.0, 1.0);
        mix(PAPER, mix(SOLID, EDGE, edge), covered)
    }
}
