//! A sphere as it is seen: a disc with the depths of the sphere's front.

use thixo_math::Matrix;

use super::band::BAND;
use super::shape::{CIRCUMSCRIBED, Icosahedron, SplatShape};
use crate::vector::Vec3;
use crate::view::View;

/// Smallest radius \[samples\]: what is smaller would fall between samples.
const SMALLEST: f32 = 0.6;

/// A sphere as it is seen.
#[derive(Clone, Copy)]
pub(super) struct Disc {
    pub x: f32,
    pub y: f32,
    depth: f32,
    /// Radius \[samples\]; zero if it is not seen at all.
    pub reach: f32,
    /// Radius \[m\].
    radius: f32,
}

impl Disc {
    /// The depth of its front \[m\].
    pub fn nearest(&self) -> f32 {
        self.depth - self.radius
    }

    pub fn new(view: &View, center: Vec3, radius: f32, shape: SplatShape<'_>) -> Self {
        let unseen = Self {
            x: 0.0,
            y: 0.0,
            depth: 0.0,
            reach: 0.0,
            radius: 0.0,
        };
        let Some(([x, y, depth], scale)) = view.project(center) else {
            return unseen;
        };
        let [width, height] = view.size.map(|n| n as f32);
        let (reach, radius) = match shape {
            SplatShape::Ball => (radius * scale, radius),
            SplatShape::Icosahedron(_) => (radius * scale * CIRCUMSCRIBED, radius * CIRCUMSCRIBED),
            // Flat; but what has no volume is not drawn.
            SplatShape::Point(reach) if radius > 0.0 => (reach, f32::MIN_POSITIVE),
            SplatShape::Point(_) => (0.0, 0.0),
        };
        let reach = reach.max(SMALLEST);
        let seen = x + reach > 0.0 && x - reach < width && y + reach > 0.0 && y - reach < height;
        // Keys order positive depths only; what is around the camera would hide everything.
        if radius > 0.0 && radius.is_finite() && depth - radius > 0.0 && seen {
            Self {
                x,
                y,
                depth,
                reach,
                radius,
            }
        } else {
            unseen
        }
    }

    /// The bands that it touches.
    pub fn bands(&self, count: usize) -> std::ops::Range<usize> {
        if self.reach == 0.0 {
            return 0..0;
        }
        let first = (self.y - self.reach).max(0.0) as usize / BAND;
        let last = (self.y + self.reach).max(0.0) as usize / BAND;
        first.min(count)..(last + 1).min(count)
    }

    /// Draws the part in the rows from `first` on.
    #[inline]
    pub fn draw(&self, k: u32, samples: &mut [u64], place: [usize; 2]) {
        self.visit(samples, place, |sample, rest, [u, _]| {
            let front = (rest - u * u).max(0.0).sqrt() * self.radius;
            let key = u64::from((self.depth - front).to_bits()) << 32 | u64::from(k);
            *sample = key.min(*sample);
        });
    }

    /// Draws an icosahedron instead.
    pub fn draw_icosahedron(
        &self,
        k: u32,
        seen: &Icosahedron,
        samples: &mut [u64],
        place: [usize; 2],
    ) {
        self.visit(samples, place, |sample, _, [u, v]| {
            if let Some(front) = seen.front(u * self.radius, -v * self.radius) {
                let key = u64::from((self.depth - front).to_bits()) << 32 | u64::from(k);
                *sample = key.min(*sample);
            }
        });
    }

    /// The icosahedron of a particle of which this is the disc.
    pub fn icosahedron(&self, view: &View, rotation: &Matrix<f32, 3>) -> Icosahedron {
        Icosahedron::new(rotation, view.axes, self.radius / CIRCUMSCRIBED)
    }

    /// Visits the samples it covers in the rows from `first` on, with 1 − v² and the place u, v on
    /// the disc.
    #[inline]
    fn visit(
        &self,
        samples: &mut [u64],
        [width, first]: [usize; 2],
        mut visit: impl FnMut(&mut u64, f32, [f32; 2]),
    ) {
        let rows = samples.len() / width;
        let inverse = 1.0 / self.reach;
        let top = ((self.y - self.reach).max(0.0) as usize).max(first);
        let bottom = ((self.y + self.reach) as usize + 1).min(first + rows);
        for y in top..bottom {
            let v = (y as f32 + 0.5 - self.y) * inverse;
            let rest = 1.0 - v * v;
            if rest <= 0.0 {
                continue;
            }
            let half = rest.sqrt() * self.reach;
            let left = (self.x - half + 0.5).max(0.0) as usize;
            let right = ((self.x + half + 0.5).max(0.0) as usize).min(width);
            let row = (y - first) * width;
            for x in left..right {
                let u = (x as f32 + 0.5 - self.x) * inverse;
                visit(&mut samples[row + x], rest, [u, v]);
            }
        }
    }
}
