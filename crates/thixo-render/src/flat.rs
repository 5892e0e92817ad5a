//! Pictures of 2D scenes: discs and smooth bodies on paper, obstacles as filled areas.

use rayon::prelude::*;
use thixo_math::Vector;

use crate::draw::{Drawing, SAMPLES};
use crate::isosurface::{DROP, LEVEL};
use crate::look::{Look, MatterSurface};
use crate::picture::Picture;
use crate::splat::{self, Spheres, SplatShape, Splats};
use crate::surroundings::GREY;
use crate::vector::{Vec3, mix, unit_or};
use crate::volume_fraction::{Bodies, VolumeFraction};

const PAPER: Vec3 = Vector([0.84, 0.87, 0.90]);
const EDGE: Vec3 = Vector([0.10, 0.11, 0.14]);
/// Width of the edges of obstacles \[pixels\].
const EDGE_WIDTH: f32 = 2.0;

/// Width of the darker edge of a body, in volume fraction above the level of its isosurface.
const RIM: f32 = 0.16;

impl Drawing<'_> {
    /// Draws a plane scene, as seen along its third axis.
    pub fn draw_flat(&self) -> Picture {
        let fine = self.view.finer(SAMPLES);
        let particles = self.particles;
        let spheres = Spheres {
            centers: &particles.centers,
            radii: &particles.radii,
            shape: SplatShape::Ball,
        };
        let bodies = self.flat_bodies();
        let mut splats = Splats::draw(&fine, spheres, |k| {
            let body = bodies[particles.looks[k] as usize].as_ref();
            !body.is_some_and(|body| body.at(particles.centers[k]) >= DROP)
        });
        if !particles.triangles.corners.is_empty() {
            let (triangles, centers) = (&particles.triangles, &particles.centers[..]);
            let samples = splats.samples_mut();
            triangles.draw((&fine, centers), centers.len(), |_| true, samples);
        }
        let [width, height] = self.view.size;
        let mut picture = Picture::filled(width, height, PAPER);
        let pixels = picture.pixels_mut().par_iter_mut().enumerate();
        pixels.for_each(|(k, pixel)| {
            let (x, y) = (k % width, k / width);
            let (solid, covered) = self.solid_at(self.view.sample_center(k));
            let mut sum = Vec3::zero();
            for (i, j) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let at = [x * SAMPLES + i, y * SAMPLES + j];
                let sample = splats.at(at[0], at[1]);
                let place = at.map(|n| n as f32 + 0.5);
                let mut on_plane = fine.point(place, 0.0);
                on_plane[2] = 0.0;
                let painted = self.painted.and_then(|painted| painted.color(on_plane));
                let mut light = painted.unwrap_or(PAPER);
                let body = |is_seen_through| self.flat_body(&bodies, on_plane, is_seen_through);
                if let Some((_, color)) = body(false) {
                    light = color;
                }
                // Matter that reaches a little into an obstacle is behind it.
                light = mix(light, solid, covered);
                if let Some(particle) = splat::index(sample) {
                    let place = fine.point(place, splat::depth(sample));
                    let look = &self.looks[particles.look_of(particle)];
                    let own = match particle.checked_sub(particles.centers.len()) {
                        None => self.disc(particle, place),
                        Some(triangle) => self.triangle(triangle, place),
                    };
                    light = mix(light, own, look.opacity);
                }
                // Phases may be at one place: what one sees through is in front of what it is in.
                if let Some((look, color)) = body(true) {
                    light = mix(light, color, look.opacity * (1.0 - covered));
                }
                sum += light;
            }
            *pixel = sum * (1.0 / (SAMPLES * SAMPLES) as f32);
        });
        picture
    }

    /// For each look with an isosurface, the share of the plane that its particles fill.
    fn flat_bodies(&self) -> Vec<Option<VolumeFraction>> {
        let particles = self.particles;
        let bodies = Bodies {
            centers: &particles.centers,
            radii: &particles.radii,
            colors: &particles.colors,
            sheens: &particles.sheens,
        };
        let field = |look: usize| {
            let has_isosurface = self.looks[look].surface != MatterSurface::Grains;
            let own = |k: usize| particles.looks[k] as usize == look;
            has_isosurface
                .then(|| {
                    VolumeFraction::new(bodies, self.extent.grown(self.extent.diagonal()), own)
                })
                .flatten()
        };
        (0..self.looks.len()).map(field).collect()
    }

    /// The body that fills most of a point, of those that one sees through or of the others, and
    /// its colour there: a little darker at its edge.
    fn flat_body(
        &self,
        bodies: &[Option<VolumeFraction>],
        point: Vec3,
        is_seen_through: bool,
    ) -> Option<(&Look, Vec3)> {
        let mut best: Option<(f32, usize)> = None;
        for (look, body) in bodies.iter().enumerate() {
            if (self.looks[look].opacity < 1.0) != is_seen_through {
                continue;
            }
            let share = body.as_ref().map_or(0.0, |body| body.at(point));
            if share >= LEVEL && best.is_none_or(|(most, _)| share > most) {
                best = Some((share, look));
            }
        }
        let (share, look) = best?;
        let colored = bodies[look]
            .as_ref()
            .filter(|_| !self.particles.colors.is_empty());
        let own = colored.and_then(|body| body.color_at(point));
        let inside = ((share - LEVEL) / RIM).clamp(0.0, 1.0);
        let glow = bodies[look].as_ref().map(|body| body.sheen_at(point).glow);
        let look = &self.looks[look];
        let lit = own.unwrap_or(look.color) * (0.72 + 0.28 * inside);
        Some((look, lit + glow.unwrap_or(Vec3::zero())))
    }

    /// A disc is a flat sphere: a little darker towards its edge, a little lighter towards the
    /// upper left.
    fn disc(&self, k: usize, place: Vec3) -> Vec3 {
        let particles = self.particles;
        let look = &self.looks[particles.looks[k] as usize];
        let normal = unit_or(place - particles.centers[k], Vector([0.0, 0.0, 1.0]));
        let shade = 0.86 + 0.14 * normal.dot(Vector([-0.45, 0.55, 0.7])).max(-0.5);
        let glow = particles.sheens.get(k).map(|sheen| sheen.glow);
        let lit = match particles.colors.get(k) {
            Some(color) => *color * (0.94 + 0.06 * normal[2]),
            None => look.color * (look.brightness(k) * shade),
        };
        lit + glow.unwrap_or(Vec3::zero())
    }

    /// A triangle of a mesh has one colour, or those of its corners.
    fn triangle(&self, triangle: usize, place: Vec3) -> Vec3 {
        let particles = self.particles;
        if particles.colors.is_empty() {
            return self.looks[particles.triangles.looks[triangle] as usize].color;
        }
        let shares = particles
            .triangles
            .shares(triangle, &particles.centers, place);
        let mut sum = Vec3::zero();
        for (share, k) in shares
            .into_iter()
            .zip(particles.triangles.corners[triangle])
        {
            sum += particles.colors[k as usize] * share;
        }
        sum
    }

    /// The obstacle nearest to a pixel, and how much of the pixel it covers.
    fn solid_at(&self, place: [f32; 2]) -> (Vec3, f32) {
        let point = self.view.point(place, 0.0);
        let pixels = match self.view.projection {
            crate::view::Projection::Orthographic(scale) => scale,
            crate::view::Projection::Perspective(focal) => focal,
        };
        let mut nearest = (f32::INFINITY, GREY);
        for wall in &self.surroundings.walls {
            if wall.height(point) < nearest.0 {
                nearest = (wall.height(point), GREY);
            }
        }
        for solid in &self.surroundings.solids {
            let at = [f64::from(point[0]), f64::from(point[1]), 0.0];
            let distance = solid.obstacle.level_set.surface(at, self.time).distance as f32;
            if distance < nearest.0 {
                nearest = (distance, solid.color);
            }
        }
        let (distance, color) = nearest;
        let inside = -distance * pixels;
        let covered = (inside + 0.5).clamp(0.0, 1.0);
        let edge = (EDGE_WIDTH + 0.5 - inside).clamp(0.0, 1.0);
        (mix(color, EDGE, edge), covered)
    }
}
