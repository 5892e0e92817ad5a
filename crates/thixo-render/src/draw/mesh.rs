//! Deforming meshes: triangles between particles, smooth shaded.

use rayon::prelude::*;

use crate::splat::{EMPTY, depth};
use crate::vector::{Vec3, cross, unit_or};
use crate::view::View;

/// Rows of samples that are drawn together.
const BAND: usize = 16;

/// Triangles between particles.
#[derive(Clone, Debug, Default)]
pub struct Triangles {
    /// Corners, indices of particles.
    pub corners: Vec<[u32; 3]>,
    /// Index of the look of each.
    pub looks: Vec<u32>,
    /// Normals of the particles, by index; zero for those of no triangle.
    pub normals: Vec<Vec3>,
}

impl Triangles {
    /// Triangles with normals that are the means of those around every particle.
    pub fn new(corners: Vec<[u32; 3]>, looks: Vec<u32>, centers: &[Vec3]) -> Self {
        let mut normals = match corners.is_empty() {
            true => Vec::new(),
            false => vec![Vec3::zero(); centers.len()],
        };
        for triangle in &corners {
            let [a, b, c] = triangle.map(|k| centers[k as usize]);
            let normal = cross(b - a, c - a);
            for &k in triangle {
                normals[k as usize] += normal;
            }
        }
        Self {
            corners,
            looks,
            normals,
        }
    }

    /// Shares of the corners at a point of the plane of a triangle.
    pub fn shares(&self, triangle: usize, centers: &[Vec3], point: Vec3) -> [f32; 3] {
        let [a, b, c] = self.corners[triangle].map(|k| centers[k as usize]);
        let normal = cross(b - a, c - a);
        let squared = normal.norm_squared().max(f32::MIN_POSITIVE);
        let first = cross(c - b, point - b).dot(normal) / squared;
        let second = cross(a - c, point - c).dot(normal) / squared;
        [first, second, 1.0 - first - second]
    }

    /// The normal at a point of a triangle, towards the eye.
    pub fn normal(&self, triangle: usize, centers: &[Vec3], point: Vec3, towards: Vec3) -> Vec3 {
        let shares = self.shares(triangle, centers, point);
        let corners = self.corners[triangle];
        let mut sum = Vec3::zero();
        for (share, k) in shares.into_iter().zip(corners) {
            let own = unit_or(self.normals[k as usize], -towards);
            sum += own * share;
        }
        let normal = unit_or(sum, -towards);
        match normal.dot(towards) > 0.0 {
            true => -normal,
            false => normal,
        }
    }

    /// Draws the triangles that `choice` takes into a depth buffer, with indices from `first` on.
    pub fn draw(
        &self,
        (view, centers): (&View, &[Vec3]),
        first: usize,
        choice: impl Fn(usize) -> bool + Sync,
        samples: &mut [u64],
    ) {
        let [width, height] = view.size;
        // Boxes of samples: first and last column and row.
        let seen = self
            .corners
            .par_iter()
            .enumerate()
            .filter_map(|(k, corners)| {
                if !choice(k) {
                    return None;
                }
                let mut low = [f32::INFINITY; 2];
                let mut high = [f32::NEG_INFINITY; 2];
                for corner in corners {
                    let (place, _) = view.project(centers[*corner as usize])?;
                    for a in 0..2 {
                        low[a] = low[a].min(place[a]);
                        high[a] = high[a].max(place[a]);
                    }
                }
                let is_seen = high[0] > 0.0
                    && high[1] > 0.0
                    && low[0] < width as f32
                    && low[1] < height as f32;
                let clamp = |x: f32, end: usize| x.clamp(0.0, end as f32 - 1.0) as usize;
                is_seen.then(|| {
                    let columns = [clamp(low[0], width), clamp(high[0], width)];
                    let rows = [clamp(low[1], height), clamp(high[1], height)];
                    (k, columns, rows)
                })
            });
        let seen: Vec<_> = seen.collect();
        let bands = samples.par_chunks_mut(BAND * width).enumerate();
        bands.for_each(|(band, samples)| {
            let rows = band * BAND..(band * BAND + samples.len() / width.max(1));
            for &(k, columns, [top, bottom]) in &seen {
                if bottom < rows.start || top >= rows.end {
                    continue;
                }
                let corners = self.corners[k].map(|corner| centers[corner as usize]);
                for y in top.max(rows.start)..=bottom.min(rows.end - 1) {
                    for x in columns[0]..=columns[1] {
                        let ray = view.ray([x as f32 + 0.5, y as f32 + 0.5]);
                        let Some(depth) = meet(corners, ray) else {
                            continue;
                        };
                        let sample = u64::from(depth.to_bits()) << 32 | (first + k) as u64;
                        let own = &mut samples[(y - rows.start) * width + x];
                        *own = (*own).min(sample);
                    }
                }
            }
        });
    }

    /// Depths of the triangles that `choice` takes, as the sun sees them \[m\]; empty without any.
    pub fn depths(
        &self,
        view: &View,
        centers: &[Vec3],
        choice: impl Fn(usize) -> bool + Sync,
    ) -> Vec<f32> {
        if !(0..self.corners.len()).any(&choice) {
            return Vec::new();
        }
        let mut samples = vec![EMPTY; view.size[0] * view.size[1]];
        self.draw((view, centers), 0, choice, &mut samples);
        samples.into_iter().map(depth).collect()
    }
}

/// The depth at which a ray meets a triangle.
fn meet([a, b, c]: [Vec3; 3], (start, direction): (Vec3, Vec3)) -> Option<f32> {
    let (first, second) = (b - a, c - a);
    let p = cross(direction, second);
    let determinant = first.dot(p);
    let inverse = 1.0 / determinant;
    if !inverse.is_finite() {
        return None;
    }
    let from = start - a;
    let u = from.dot(p) * inverse;
    let q = cross(from, first);
    let v = direction.dot(q) * inverse;
    let depth = second.dot(q) * inverse;
    // Neighbours overlap by a hair, so that no ray passes between them.
    let slack = 1e-4;
    (u >= -slack && v >= -slack && u + v <= 1.0 + slack && depth > 0.0).then_some(depth)
}

#[cfg(test)]
mod tests {
    use thixo_math::Vector;

    use super::*;
    use crate::splat::index;
    use crate::view::Projection;

    #[test]
    fn triangles_cover_their_area_and_hide_what_is_behind() {
        let view = View::looking(
            Vector([0.0, 0.0, 10.0]),
            Vec3::zero(),
            Vector([0.0, 1.0, 0.0]),
            Projection::Orthographic(20.0),
            [100, 80],
        );
        let centers = [
            Vector([-1.0, -1.0, 0.0]),
            Vector([1.0, -1.0, 0.0]),
            Vector([1.0, 1.0, 0.0]),
            Vector([-1.0, 1.0, 0.0]),
        ];
        let corners = vec![[0, 1, 2], [0, 2, 3]];
        let triangles = Triangles::new(corners, vec![0; 2], &centers);
        let mut samples = vec![EMPTY; 8000];
        triangles.draw((&view, &centers), 7, |_| true, &mut samples);
        let seen = samples.iter().filter(|s| **s != EMPTY).count();
        assert!((seen as i64 - 1600).abs() < 90, "{seen}");
        let middle = samples[40 * 100 + 55];
        assert!((depth(middle) - 10.0).abs() < 1e-4);
        assert!(index(middle).is_some_and(|k| k == 7 || k == 8));
        let towards = Vector([0.0, 0.0, -1.0]);
        let normal = triangles.normal(0, &centers, Vector([0.5, -0.5, 0.0]), towards);
        assert!((normal - Vector([0.0, 0.0, 1.0])).norm() < 1e-6);
        let shares = triangles.shares(0, &centers, centers[1]);
        assert!((shares[1] - 1.0).abs() < 1e-6, "{shares:?}");
        // Nearer matter is not drawn over.
        let near = u64::from(1f32.to_bits()) << 32;
        let mut samples = vec![near; 8000];
        triangles.draw((&view, &centers), 7, |_| true, &mut samples);
        assert!(samples.iter().all(|s| *s == near));
    }
}
