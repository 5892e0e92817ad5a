//! Compositing: the light of every sample, one surface behind the other.

use rayon::prelude::*;

use super::matter::{MatterHit, Primitive, SampleRay, VisibleMatter};
use super::{Drawing, SAMPLES};
use crate::ambient_occlusion::open_sky;
use crate::depth_normals::DepthNormals;
use crate::isosurface::Ray;
use crate::look::MatterSurface;
use crate::picture::Picture;
use crate::shadow_map::Sun;
use crate::sphere_tracing::{Hit, SphereTracer};
use crate::vector::{Vec3, unit_or};
use crate::visibility_buffer::VisibilityBuffer;

/// Visible surfaces, before they are shaded.
pub(super) struct Layers<'a> {
    pub drawing: &'a Drawing<'a>,
    pub matter: VisibleMatter<'a>,
    pub visibility: &'a VisibilityBuffer,
    pub tracer: SphereTracer<'a>,
    pub sun: Sun,
}

/// A translucent surface at a depth.
enum TranslucentLayer {
    Glass(Hit),
    Matter(MatterHit, f32),
}

impl TranslucentLayer {
    fn depth(&self) -> f32 {
        match self {
            Self::Glass(hit) => hit.depth,
            Self::Matter(seen, _) => seen.depth,
        }
    }
}

impl Layers<'_> {
    pub fn compose(&self) -> Picture {
        let view = &self.drawing.view;
        let [width, height] = view.size;
        let texels: Vec<(f32, Vec3)> = (0..width * height)
            .into_par_iter()
            .map(|k| self.texel(k))
            .collect();
        let (depths, normals) = texels.into_iter().unzip();
        let gbuffer = DepthNormals { depths, normals };
        let reach = 0.04 * self.drawing.extent.diagonal();
        let sky = open_sky(view, &gbuffer, reach);
        let mut picture = Picture::filled(width, height, Vec3::zero());
        let pixels = picture.pixels_mut().par_iter_mut().enumerate();
        pixels.for_each(|(k, pixel)| {
            *pixel = self.pixel(k, gbuffer.normals[k], sky[k]);
        });
        picture
    }

    /// The light of a pixel whose body has a normal and sees a share of the sky.
    fn pixel(&self, k: usize, normal: Vec3, sky: f32) -> Vec3 {
        let [width, _] = self.drawing.view.size;
        let (x, y) = (k % width, k / width);
        let has_slice = self.drawing.painted.is_some();
        if !has_slice && !self.visibility.is_edge(k) && self.matter.is_even([x, y]) {
            return self.sample(&self.middle(k), 0, normal, sky);
        }
        let mut sum = Vec3::zero();
        for sample in 0..SAMPLES * SAMPLES {
            let at = [
                x * SAMPLES + sample % SAMPLES,
                y * SAMPLES + sample / SAMPLES,
            ];
            let (start, direction) = self.matter.fine.ray(at.map(|n| n as f32 + 0.5));
            let place = SampleRay {
                pixel: k,
                at,
                ray: Ray::new(start, direction, &self.drawing.surroundings.cuts),
            };
            sum += self.sample(&place, sample, normal, sky);
        }
        sum * (1.0 / (SAMPLES * SAMPLES) as f32)
    }

    /// The middle of a pixel.
    fn middle(&self, k: usize) -> SampleRay {
        let [width, _] = self.drawing.view.size;
        let (x, y) = (k % width, k / width);
        let view = &self.drawing.view;
        let (start, direction) = view.ray(view.sample_center(k));
        SampleRay {
            pixel: k,
            at: [x * SAMPLES, y * SAMPLES],
            ray: Ray::new(start, direction, &self.drawing.surroundings.cuts),
        }
    }

    /// Depth and normal of the nearest surface of a pixel.
    fn texel(&self, k: usize) -> (f32, Vec3) {
        let place = self.middle(k);
        let mut nearest = match self.visibility.pixel(k).end {
            Some(hit) => (hit.depth, hit.normal),
            None => (f32::INFINITY, Vec3::zero()),
        };
        let mut take = |seen: MatterHit| {
            if seen.depth < nearest.0 {
                nearest = (seen.depth, self.body_normal(&seen, &place.ray));
            }
        };
        if let Some(seen) = self.matter.nearest(&place) {
            take(seen);
        }
        for translucent in &self.matter.translucent_bodies {
            if let Some(seen) = self.matter.of_translucent(translucent, &place) {
                take(seen);
            }
        }
        nearest
    }

    /// The normal of the body at a point of the matter, as the look wants it.
    fn body_normal(&self, seen: &MatterHit, ray: &Ray) -> Vec3 {
        match seen.primitive {
            Primitive::Isosurface(normal) => normal,
            Primitive::Triangle(triangle) => {
                let place = ray.start + ray.direction * seen.depth;
                let towards = unit_or(ray.direction, self.matter.fine.axes[2]);
                self.matter.triangle_normal(triangle, place, towards)
            }
            Primitive::Particle(particle) => {
                let place = ray.start + ray.direction * seen.depth;
                let grain = self.matter.outwards(particle, place);
                let look = &self.drawing.looks[seen.look];
                if look.surface != MatterSurface::Grains || look.grain >= 1.0 {
                    return grain;
                }
                let body = self.matter.body_normal(seen.look, place, grain);
                body.unwrap_or(grain)
            }
        }
    }

    /// The light of a sample.
    fn sample(&self, place: &SampleRay, sample: usize, normal: Vec3, sky: f32) -> Vec3 {
        let Ray {
            start, direction, ..
        } = place.ray;
        let towards = unit_or(direction, self.matter.fine.axes[2]);
        let ray_hits = self.visibility.sample(place.pixel, sample);
        let opaque = self.matter.nearest(place);
        let mut depth = ray_hits.end.map_or(f32::INFINITY, |hit| hit.depth);
        let at = |depth: f32| start + direction * depth;
        let mut light = match (opaque, ray_hits.end) {
            (Some(seen), _) if seen.depth < depth => {
                depth = seen.depth;
                self.body(&seen, [at(depth), normal, towards], sky)
            }
            (_, Some(hit)) => self.solid(hit, at(hit.depth), towards, sky),
            _ => self.background(towards),
        };
        let painted = self.drawing.painted;
        if let Some((near, color)) = painted.and_then(|painted| painted.meet(start, direction))
            && near < depth
        {
            (depth, light) = (near, color);
        }
        let translucent_bodies = self.matter.translucent_bodies.iter();
        let seen = translucent_bodies
            .filter_map(|translucent| self.matter.before(translucent, place, depth));
        let glass = ray_hits.glass.into_iter().flatten();
        let glass = glass.filter(|hit| hit.depth < depth);
        let mut before: Vec<TranslucentLayer> = seen
            .map(|(seen, thickness)| TranslucentLayer::Matter(seen, thickness))
            .chain(glass.map(TranslucentLayer::Glass))
            .collect();
        before.sort_by(|a, b| b.depth().total_cmp(&a.depth()));
        // Clear matter in front of nothing but solids and sky shows them where they seem to be.
        let is_matter_behind = opaque.is_some_and(|seen| seen.depth <= depth) || painted.is_some();
        if let Some(TranslucentLayer::Matter(seen, thickness)) = before.first_mut()
            && !is_matter_behind
            && self.drawing.looks[seen.look].is_clear()
            && let Some(refracted) = self.refracted(seen, [at(seen.depth), towards], sky)
        {
            (light, *thickness) = (refracted.light, refracted.thickness);
        }
        for thing in before {
            let point = [at(thing.depth()), normal, towards];
            light = match thing {
                TranslucentLayer::Glass(hit) => self.glass(hit, point[0], towards, light),
                TranslucentLayer::Matter(seen, thickness) => {
                    self.translucent(&seen, point, [thickness, sky], light)
                }
            };
        }
        light
    }
}
