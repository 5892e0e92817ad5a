//! A frame as a picture: visible things first, light after.

use rayon::prelude::*;
use thixo_math::Vector;

use crate::backdrop::{Backdrop, Hit, Kind};
use crate::extent::Extent;
use crate::light::{Shade, Sun};
use crate::look::{Look, Surface};
use crate::occlusion::{chance, open_sky};
use crate::picture::Picture;
use crate::relief::{Relief, Texel};
use crate::splat::{self, Spheres, Splats, Thickness};
use crate::stage::Stage;
use crate::vector::{Vec3, mix, times, unit_or};
use crate::view::View;

/// Samples of a pixel along each side.
pub const SAMPLES: usize = 2;

/// The particles of a frame as they are drawn.
#[derive(Clone, Debug, Default)]
pub struct Particles {
    /// Where they are \[m\].
    pub centers: Vec<Vec3>,
    /// Radii \[m\].
    pub radii: Vec<f32>,
    /// Index of the look of each.
    pub looks: Vec<u32>,
    /// A colour of each in place of that of its look; empty if they have none.
    pub colors: Vec<Vec3>,
}

/// Everything that a picture shows.
#[derive(Clone, Copy, Debug)]
pub struct Drawing<'a> {
    /// The matter.
    pub particles: &'a Particles,
    /// How it looks.
    pub looks: &'a [Look],
    /// What stands around it.
    pub stage: &'a Stage,
    /// The box that endless obstacles are cut to, and whose size sets how far shadows and haze reach.
    pub extent: Extent,
    /// The camera, with the pixels of the picture.
    pub view: View,
    /// Towards the sun.
    pub sun: Vec3,
    /// The axis that points upwards.
    pub up: usize,
    /// Time of the frame \[s\].
    pub time: f64,
}

const HORIZON: Vec3 = Vector([0.78, 0.82, 0.86]);
const ZENITH: Vec3 = Vector([0.42, 0.54, 0.70]);
const GROUND: Vec3 = Vector([0.50, 0.49, 0.47]);
const SOLID: Vec3 = Vector([0.46, 0.49, 0.54]);
/// Light of the sun and of the sky.
const SUNLIGHT: Vec3 = Vector([0.86, 0.82, 0.75]);
const SKYLIGHT: Vec3 = Vector([0.36, 0.40, 0.46]);

impl Drawing<'_> {
    /// Draws it.
    pub fn draw(&self) -> Picture {
        let fine = self.view.finer(SAMPLES);
        let spheres = Spheres {
            centers: &self.particles.centers,
            radii: &self.particles.radii,
        };
        let is_clear = |k: usize| matches!(self.look(k).surface, Surface::Clear(_));
        let has_clear = self
            .looks
            .iter()
            .any(|l| matches!(l.surface, Surface::Clear(_)))
            && self.particles.colors.is_empty();
        let opaque = Splats::draw(
            &fine,
            spheres,
            |k| !(has_clear && is_clear(k)),
            Thickness::Unknown,
        );
        let clear = has_clear.then(|| Splats::draw(&fine, spheres, is_clear, Thickness::Summed));
        let backdrop = Backdrop {
            stage: self.stage,
            extent: self.extent,
            time: self.time,
        };
        let casts = |k: usize| match has_clear && is_clear(k) {
            true => Shade::Light,
            false => Shade::Full,
        };
        let sun = Sun::new(self.sun, spheres, casts, &backdrop, self.extent);
        let layers = Layers {
            drawing: self,
            fine,
            opaque,
            clear,
            hits: self.hits(&backdrop),
            backdrop,
            sun,
        };
        layers.compose()
    }

    fn look(&self, particle: usize) -> &Look {
        &self.looks[self.particles.looks[particle] as usize]
    }

    /// What the middle of every pixel shows of the backdrop.
    fn hits(&self, backdrop: &Backdrop<'_>) -> Vec<Option<Hit>> {
        let [width, height] = self.view.size;
        let cast = |k: usize| {
            let (start, direction) = self
                .view
                .ray([(k % width) as f32 + 0.5, (k / width) as f32 + 0.5]);
            backdrop.cast(start, direction)
        };
        (0..width * height).into_par_iter().map(cast).collect()
    }
}

/// What is seen, before there is light.
struct Layers<'a> {
    drawing: &'a Drawing<'a>,
    fine: View,
    opaque: Splats,
    clear: Option<Splats>,
    hits: Vec<Option<Hit>>,
    backdrop: Backdrop<'a>,
    sun: Sun,
}

/// A lit point.
struct Point {
    place: Vec3,
    normal: Vec3,
    /// From the camera.
    towards: Vec3,
    /// Share of the sky that it sees.
    sky: f32,
    /// Size of what it belongs to \[m\].
    grain: f32,
}

impl Layers<'_> {
    fn compose(&self) -> Picture {
        let view = &self.drawing.view;
        let [width, height] = view.size;
        let texels: Vec<Texel> = (0..width * height)
            .into_par_iter()
            .map(|k| self.texel(k % width, k / width))
            .collect();
        let relief = Relief::new(view, &texels);
        let reach = 0.04 * self.drawing.extent.diagonal();
        let sky = open_sky(view, &relief, reach);
        let mut picture = Picture::filled(width, height, Vec3::zero());
        let rows = picture.pixels_mut().par_iter_mut().enumerate();
        rows.for_each(|(k, pixel)| {
            let (x, y) = (k % width, k / width);
            let mut sum = Vec3::zero();
            for j in 0..SAMPLES {
                for i in 0..SAMPLES {
                    let at = [x * SAMPLES + i, y * SAMPLES + j];
                    sum += self.sample(at, k, relief.normals[k], sky[k]);
                }
            }
            *pixel = sum * (1.0 / (SAMPLES * SAMPLES) as f32);
        });
        picture
    }

    /// The nearest surface of a pixel, taken from one of its samples.
    fn texel(&self, x: usize, y: usize) -> Texel {
        let [width, _] = self.drawing.view.size;
        let at = [x * SAMPLES, y * SAMPLES];
        let mut sample = self.opaque.at(at[0], at[1]);
        if let Some(clear) = &self.clear {
            sample = sample.min(clear.at(at[0], at[1]));
        }
        let hit = self.hits[y * width + x];
        let depth = splat::depth(sample);
        if let Some(hit) = hit
            && hit.depth < depth
        {
            return Texel {
                depth: hit.depth,
                normal: hit.normal,
                skin: 0.0,
            };
        }
        let Some(k) = splat::index(sample) else {
            return Texel {
                depth: f32::INFINITY,
                normal: Vec3::zero(),
                skin: 0.0,
            };
        };
        let place = self.fine.point(middle(at), depth);
        let is_skin = self.drawing.look(k).surface != Surface::Grains;
        Texel {
            depth,
            normal: self.outwards(k, place),
            skin: if is_skin {
                self.drawing.particles.radii[k]
            } else {
                0.0
            },
        }
    }

    fn outwards(&self, particle: usize, place: Vec3) -> Vec3 {
        let center = self.drawing.particles.centers[particle];
        unit_or(place - center, -self.fine.axes[2])
    }

    /// The light of a sample of pixel `k`, whose skin has a normal and sees a share of the sky.
    fn sample(&self, at: [usize; 2], k: usize, normal: Vec3, sky: f32) -> Vec3 {
        let (start, direction) = self.fine.ray(middle(at));
        let towards = unit_or(direction, self.fine.axes[2]);
        let solid = self.refined(k, start, direction);
        let opaque = self.opaque.at(at[0], at[1]);
        let mut depth = solid.map_or(f32::INFINITY, |hit| hit.depth);
        let mut light = match solid {
            _ if splat::depth(opaque) < depth => {
                depth = splat::depth(opaque);
                let particle = splat::index(opaque).unwrap_or_default();
                let place = start + direction * depth;
                self.particle(particle, [place, normal, towards], sky)
            }
            Some(hit) => self.solid(hit, start + direction * hit.depth, towards, sky),
            None => self.background(towards),
        };
        if let Some(clear) = &self.clear {
            let sample = clear.at(at[0], at[1]);
            let front = splat::depth(sample);
            if let Some(particle) = splat::index(sample)
                && front < depth
            {
                let [width, _] = self.fine.size;
                let thickness = clear.thickness[at[1] * width + at[0]].min((depth - front) * 1.5);
                let place = start + direction * front;
                light = self.clear(particle, [place, normal, towards], [thickness, sky], light);
            }
        }
        light
    }

    /// What the backdrop shows at a sample: that of its pixel where neighbours are alike, otherwise cast anew.
    fn refined(&self, k: usize, start: Vec3, direction: Vec3) -> Option<Hit> {
        let [width, height] = self.drawing.view.size;
        let (x, y) = (k % width, k / width);
        let here = self.hits[k];
        let alike = |j: usize| match (here, self.hits[j]) {
            (None, None) => true,
            (Some(a), Some(b)) => {
                a.kind == b.kind
                    && a.normal.dot(b.normal) > 0.98
                    && (a.depth - b.depth).abs() < 0.02 * a.depth
            }
            _ => false,
        };
        let is_inside = x > 0 && y > 0 && x + 1 < width && y + 1 < height;
        if is_inside && [k - 1, k + 1, k - width, k + width].into_iter().all(alike) {
            return here;
        }
        self.backdrop.cast(start, direction)
    }

    fn background(&self, towards: Vec3) -> Vec3 {
        let height = towards[self.drawing.up].clamp(0.0, 1.0);
        mix(HORIZON, ZENITH, 1.0 - (1.0 - height).powi(3))
    }

    fn solid(&self, hit: Hit, place: Vec3, towards: Vec3, sky: f32) -> Vec3 {
        let look = crate::look::plain(match hit.kind {
            Kind::Ground => GROUND,
            Kind::Solid => SOLID,
        });
        let size = self.drawing.extent.diagonal();
        let point = Point {
            place,
            normal: hit.normal,
            towards,
            sky,
            grain: 2e-3 * size,
        };
        let light = self.lit(&look, look.color, &point);
        if hit.kind == Kind::Solid {
            return light;
        }
        // The ground goes on without end: it fades into the horizon.
        let far = (place - self.drawing.extent.middle()).norm() / size;
        let haze = ((far - 0.7) / 3.5).clamp(0.0, 1.0);
        mix(light, HORIZON, haze * haze * (3.0 - 2.0 * haze))
    }

    fn particle(&self, k: usize, [place, skin, towards]: [Vec3; 3], sky: f32) -> Vec3 {
        let look = self.drawing.look(k);
        let particles = self.drawing.particles;
        let own = particles.colors.get(k).copied();
        let speckle = 1.0 + look.speckle * 2.0 * (chance(k as u32, 77) - 0.5);
        let color = own.unwrap_or(look.color * speckle);
        let grain = self.outwards(k, place);
        let normal = match look.surface {
            Surface::Grains => grain,
            // At the edge of a body the pixel may show something else.
            _ if skin.dot(towards) > -0.15 => grain,
            _ => unit_or(mix(skin, grain, look.grain), grain),
        };
        let point = Point {
            place,
            normal,
            towards,
            sky,
            grain: match look.surface {
                Surface::Grains => particles.radii[k],
                // A skin spans the gaps between particles.
                _ => 2.0 * particles.radii[k],
            },
        };
        self.lit(look, color, &point)
    }

    /// A clear skin in front of something.
    fn clear(
        &self,
        k: usize,
        [place, skin, towards]: [Vec3; 3],
        [thickness, sky]: [f32; 2],
        behind: Vec3,
    ) -> Vec3 {
        let look = self.drawing.look(k);
        let Surface::Clear(passes) = look.surface else {
            return behind;
        };
        let normal = if skin.dot(towards) < 0.0 {
            skin
        } else {
            -towards
        };
        let point = Point {
            place,
            normal,
            towards,
            sky,
            grain: self.drawing.particles.radii[k],
        };
        // Beer's law, with a tenth of the scene as the unit of length.
        let length = thickness / (0.1 * self.drawing.extent.diagonal());
        let through = Vector(passes.0.map(|share| share.powf(length)));
        let share = 1.0 - through[0];
        let body = self.lit(look, look.color, &point);
        let inside = times(behind, through) + body * (0.9 * share);
        // Schlick's approximation for water, reflecting the sky.
        let facing = (-normal.dot(towards)).clamp(0.0, 1.0);
        let mirrored = 0.02 + 0.98 * (1.0 - facing).powi(5);
        let reflected = towards + normal * (2.0 * facing);
        mix(inside, self.background(reflected), mirrored.min(0.7))
    }

    /// Light of sun and sky from a point.
    fn lit(&self, look: &Look, color: Vec3, point: &Point) -> Vec3 {
        let facing = point.normal.dot(self.sun.direction);
        let around = ((facing + look.softness) / (1.0 + look.softness)).max(0.0);
        let share = match around > 0.0 {
            true if self.backdrop.is_beyond(point.place) => 1.0,
            true => self.sun.share(point.place, point.normal, point.grain),
            false => 0.0,
        };
        // Light of the sky comes from above, a little of it back from below.
        let upwards = 0.5 + 0.5 * point.normal[self.drawing.up];
        let ambient = SKYLIGHT * (point.sky * (0.55 + 0.45 * upwards));
        let mut light = times(color, SUNLIGHT * (around * share) + ambient);
        if look.gloss > 0.0 && facing > 0.0 && self.drawing.particles.colors.is_empty() {
            let half = unit_or(self.sun.direction - point.towards, point.normal);
            let shine = point.normal.dot(half).max(0.0).powi(48);
            light += SUNLIGHT * (look.gloss * 0.6 * shine * share);
        }
        light
    }
}

/// The middle of a sample.
fn middle([x, y]: [usize; 2]) -> [f32; 2] {
    [x as f32 + 0.5, y as f32 + 0.5]
}
