//! Shading: light of sun and sky on visible surfaces.

use thixo_math::Vector;

use super::Sheen;
use super::compose::Layers;
use super::matter::{MatterHit, Primitive};
use crate::look::{Look, MatterSurface, plain};
use crate::sphere_tracing::{Hit, HitKind};
use crate::surroundings::GREY;
use crate::vector::{Vec3, mix, times, unit_or};

const HORIZON: Vec3 = Vector([0.78, 0.82, 0.86]);
const ZENITH: Vec3 = Vector([0.42, 0.54, 0.70]);
const GROUND: Vec3 = Vector([0.50, 0.49, 0.47]);
/// Light of the sun and of the sky.
const SUNLIGHT: Vec3 = Vector([0.86, 0.82, 0.75]);
const SKYLIGHT: Vec3 = Vector([0.36, 0.40, 0.46]);

/// A lit point.
struct ShadingPoint {
    place: Vec3,
    normal: Vec3,
    /// From the camera.
    towards: Vec3,
    /// Share of the sky that it sees.
    sky: f32,
    /// Size of what it belongs to \[m\].
    grain: f32,
    /// Its addition to its look.
    sheen: Sheen,
}

impl Layers<'_> {
    /// The sky.
    pub fn background(&self, towards: Vec3) -> Vec3 {
        let height = towards[self.drawing.up].clamp(0.0, 1.0);
        mix(HORIZON, ZENITH, 1.0 - (1.0 - height).powi(3)) * self.drawing.daylight
    }

    /// Light of the sun.
    fn sunlight(&self) -> Vec3 {
        SUNLIGHT * self.drawing.daylight
    }

    /// Light of the sky.
    fn skylight(&self) -> Vec3 {
        SKYLIGHT * self.drawing.daylight
    }

    /// Ground, walls and colliders.
    pub fn solid(&self, hit: Hit, place: Vec3, towards: Vec3, sky: f32) -> Vec3 {
        let mut look = plain(match hit.kind {
            HitKind::Ground => GROUND,
            HitKind::Wall => GREY,
            HitKind::Solid(k) => self.drawing.surroundings.solids[k as usize].color,
        });
        if let HitKind::Solid(k) = hit.kind {
            look.receives_shadow = self.drawing.surroundings.solids[k as usize].receives_shadow;
        }
        let size = self.drawing.extent.diagonal();
        let point = ShadingPoint {
            place,
            normal: hit.normal,
            towards,
            sky,
            grain: 2e-3 * size,
            sheen: Sheen::default(),
        };
        let light = self.lit(&look, look.color, &point);
        if hit.kind != HitKind::Ground {
            return light;
        }
        // The ground goes on without end: it fades into the horizon.
        let far = (place - self.drawing.extent.middle()).norm() / size;
        let haze = ((far - 0.7) / 3.5).clamp(0.0, 1.0);
        mix(
            light,
            HORIZON * self.drawing.daylight,
            haze * haze * (3.0 - 2.0 * haze),
        )
    }

    /// A wall of glass in front of something: clear where one looks straight at it, bright at its
    /// edges.
    pub fn glass(&self, hit: Hit, place: Vec3, towards: Vec3, behind: Vec3) -> Vec3 {
        let color = match hit.kind {
            HitKind::Solid(k) => self.drawing.surroundings.solids[k as usize].color,
            HitKind::Ground | HitKind::Wall => GREY,
        };
        let facing = hit.normal.dot(towards).abs().min(1.0);
        let reflected = towards - hit.normal * (2.0 * hit.normal.dot(towards));
        let mirrored = 0.04 + 0.5 * (1.0 - facing).powi(4);
        let body = times(color, self.sunlight() + self.skylight());
        let through = mix(behind, body, 0.08 + 0.12 * (1.0 - facing));
        let mut light = mix(through, self.background(reflected), mirrored);
        let half = unit_or(self.sun.direction - towards, hit.normal);
        let shine = hit.normal.dot(half).max(0.0).powi(160);
        light += self.sunlight() * (0.5 * shine * self.sun.share(place, hit.normal, 0.0));
        light
    }

    /// Opaque matter.
    pub fn body(&self, seen: &MatterHit, [place, body, towards]: [Vec3; 3], sky: f32) -> Vec3 {
        let look = &self.drawing.looks[seen.look];
        let own = self.matter.color(seen, place);
        let particles = self.drawing.particles;
        let (normal, grain, speckle) = match seen.primitive {
            Primitive::Isosurface(normal) => (normal, self.matter.slack(seen.look), 1.0),
            Primitive::Triangle(k) => {
                let normal = self.matter.triangle_normal(k, place, towards);
                (normal, 2e-3 * self.drawing.extent.diagonal(), 1.0)
            }
            Primitive::Particle(k) => {
                let radius = particles.radii[k];
                let grain = self.matter.outwards(k, place);
                let speckle = look.brightness(k);
                match look.surface {
                    // At the edge of a body the pixel may show something else.
                    MatterSurface::Grains if look.grain < 1.0 && body.dot(towards) < -0.15 => {
                        let normal = unit_or(mix(body, grain, look.grain), grain);
                        // A body spans the gaps between particles.
                        (normal, 2.0 * radius, speckle)
                    }
                    _ => (grain, radius, speckle),
                }
            }
        };
        let point = ShadingPoint {
            place,
            normal,
            towards,
            sky,
            grain,
            sheen: self.matter.sheen(seen, place),
        };
        self.lit(look, own.unwrap_or(look.color * speckle), &point)
    }

    /// Matter through which one sees, in front of something.
    pub fn translucent(
        &self,
        seen: &MatterHit,
        [place, body, towards]: [Vec3; 3],
        [thickness, sky]: [f32; 2],
        behind: Vec3,
    ) -> Vec3 {
        let look = &self.drawing.looks[seen.look];
        match look.surface {
            MatterSurface::Clear(passes) => {
                self.clear(seen, passes, [place, towards], [thickness, sky], behind)
            }
            _ => {
                let light = self.body(seen, [place, body, towards], sky);
                mix(behind, light, look.opacity)
            }
        }
    }

    /// A clear body in front of something.
    fn clear(
        &self,
        seen: &MatterHit,
        passes: Vec3,
        [place, towards]: [Vec3; 2],
        [thickness, sky]: [f32; 2],
        behind: Vec3,
    ) -> Vec3 {
        let look = &self.drawing.looks[seen.look];
        let (normal, grain) = match seen.primitive {
            Primitive::Isosurface(normal) => (normal, self.matter.slack(seen.look)),
            Primitive::Triangle(k) => (self.matter.triangle_normal(k, place, towards), 0.0),
            Primitive::Particle(k) => {
                let radius = self.drawing.particles.radii[k];
                (self.matter.outwards(k, place), radius)
            }
        };
        let normal = if normal.dot(towards) < 0.0 {
            normal
        } else {
            -towards
        };
        let point = ShadingPoint {
            place,
            normal,
            towards,
            sky,
            grain,
            sheen: self.matter.sheen(seen, place),
        };
        // Beer's law, with a tenth of the scene as the unit of length.
        let length = thickness / (0.1 * self.drawing.extent.diagonal());
        let through = Vector(passes.0.map(|share| share.powf(length)));
        let share = 1.0 - through[0];
        let own = self.matter.color(seen, place);
        let body = self.lit(look, own.unwrap_or(look.color), &point);
        let inside = match seen.primitive {
            Primitive::Isosurface(_) => times(behind, through) + body * (0.9 * share),
            // A drop scatters what it lets through.
            Primitive::Particle(_) | Primitive::Triangle(_) => {
                mix(behind, mix(body, self.sunlight(), 0.35), 0.6)
            }
        };
        let (mirrored, sky) = self.mirrored_sky(normal, towards);
        mix(inside, sky, mirrored)
    }

    /// The share of light that a wet surface reflects, and the sky that one sees in it: Schlick's
    /// approximation for water.
    fn mirrored_sky(&self, normal: Vec3, towards: Vec3) -> (f32, Vec3) {
        let facing = (-normal.dot(towards)).clamp(0.0, 1.0);
        let mirrored = 0.02 + 0.98 * (1.0 - facing).powi(5);
        let reflected = towards + normal * (2.0 * facing);
        (mirrored.min(0.7), self.background(reflected))
    }

    /// Light of sun and sky from a point, and its own.
    fn lit(&self, look: &Look, color: Vec3, point: &ShadingPoint) -> Vec3 {
        let facing = point.normal.dot(self.sun.direction);
        let around = ((facing + look.softness) / (1.0 + look.softness)).max(0.0);
        let share = match around > 0.0 {
            true if !look.receives_shadow || self.tracer.is_beyond(point.place) => 1.0,
            true => self.sun.share(point.place, point.normal, point.grain),
            false => 0.0,
        };
        // Light of the sky comes from above, a little of it back from below.
        let upwards = 0.5 + 0.5 * point.normal[self.drawing.up];
        let ambient = self.skylight() * (point.sky * (0.55 + 0.45 * upwards));
        let mut light = times(color, self.sunlight() * (around * share) + ambient);
        let Sheen { glow, wetness } = point.sheen;
        let gloss = look.gloss.max(wetness);
        if gloss > 0.0 && facing > 0.0 {
            let half = unit_or(self.sun.direction - point.towards, point.normal);
            let shine = point.normal.dot(half).max(0.0).powi(48);
            light += self.sunlight() * (gloss * 0.6 * shine * share);
        }
        if wetness > 0.0 && !look.is_clear() {
            let (mirrored, sky) = self.mirrored_sky(point.normal, point.towards);
            light = mix(light, sky, wetness * mirrored * point.sky);
        }
        light + glow
    }
}
