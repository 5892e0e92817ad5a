//! Projection: from space to the samples of a picture, and rays back.

use thixo_math::Vector;

use crate::vector::{Vec3, cross, unit_or};

/// Perspective or orthographic projection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Samples per unit of (side over depth).
    Perspective(f32),
    /// Samples per metre.
    Orthographic(f32),
}

/// A camera and the samples behind it: x to the right, y downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Its position \[m\].
    pub eye: Vec3,
    /// Unit vectors to the right, upwards and forwards.
    pub axes: [Vec3; 3],
    /// Perspective or orthographic projection.
    pub projection: Projection,
    /// Samples per row and column.
    pub size: [usize; 2],
}

/// Distance of the near plane \[m\]: excludes only what would divide by zero.
const NEAREST: f32 = 1e-6;

impl View {
    /// From a place towards another, with `up` upwards as far as that is possible.
    pub fn looking(
        eye: Vec3,
        target: Vec3,
        up: Vec3,
        projection: Projection,
        size: [usize; 2],
    ) -> Self {
        let forward = unit_or(target - eye, Vector([0.0, 0.0, -1.0]));
        let sideways = cross(forward, up);
        // Straight up or down: any direction at right angles will do.
        let sideways = if sideways.norm() > 1e-4 {
            sideways
        } else {
            cross(forward, Vector([0.0, 0.0, -1.0]))
        };
        let right = unit_or(sideways, Vector([1.0, 0.0, 0.0]));
        Self {
            eye,
            axes: [right, cross(right, forward), forward],
            projection,
            size,
        }
    }

    /// The place and scale of a point: x and y \[samples\], depth \[m\], samples per metre there.
    /// None behind the camera.
    #[inline]
    pub fn project(&self, point: Vec3) -> Option<([f32; 3], f32)> {
        let from = point - self.eye;
        let [x, y, z] = self.axes.map(|axis| axis.dot(from));
        let scale = match self.projection {
            Projection::Perspective(_) if z.is_nan() || z < NEAREST => return None,
            Projection::Perspective(focal) => focal / z,
            Projection::Orthographic(scale) => scale,
        };
        let [width, height] = self.size.map(|n| 0.5 * n as f32);
        let place = [width + x * scale, height - y * scale, z];
        place
            .iter()
            .all(|x| x.is_finite())
            .then_some((place, scale))
    }

    /// Centre of the sample with an index, row after row \[samples\].
    #[inline]
    pub fn sample_center(&self, index: usize) -> [f32; 2] {
        let [width, _] = self.size;
        [(index % width) as f32 + 0.5, (index / width) as f32 + 0.5]
    }

    /// The ray through a place of the picture: start and direction, the latter of length 1 along
    /// the view.
    #[inline]
    pub fn ray(&self, [x, y]: [f32; 2]) -> (Vec3, Vec3) {
        let [right, up, forward] = self.axes;
        let [width, height] = self.size.map(|n| 0.5 * n as f32);
        let (u, v) = (x - width, height - y);
        match self.projection {
            Projection::Perspective(focal) => {
                (self.eye, forward + (right * u + up * v) * (1.0 / focal))
            }
            Projection::Orthographic(scale) => {
                (self.eye + (right * u + up * v) * (1.0 / scale), forward)
            }
        }
    }

    /// The point at a depth \[m\] behind a place of the picture.
    #[inline]
    pub fn point(&self, place: [f32; 2], depth: f32) -> Vec3 {
        let (start, direction) = self.ray(place);
        start + direction * depth
    }

    /// The same view with `factor` times the samples along both sides.
    #[must_use]
    pub fn finer(&self, factor: usize) -> Self {
        let k = factor as f32;
        Self {
            projection: match self.projection {
                Projection::Perspective(focal) => Projection::Perspective(focal * k),
                Projection::Orthographic(scale) => Projection::Orthographic(scale * k),
            },
            size: self.size.map(|n| n * factor),
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_go_back_to_where_points_came_from() {
        for projection in [
            Projection::Perspective(300.0),
            Projection::Orthographic(40.0),
        ] {
            let eye = Vector([3.0, 2.0, 5.0]);
            let up = Vector([0.0, 1.0, 0.0]);
            let view = View::looking(eye, Vec3::zero(), up, projection, [400, 300]);
            let point = Vector([0.4, -0.3, 0.7]);
            let ([x, y, depth], _) = view.project(point).unwrap();
            assert!((view.point([x, y], depth) - point).norm() < 1e-5);
            let ([fine, ..], _) = view.finer(2).project(point).unwrap();
            assert!((fine - 2.0 * x).abs() < 1e-3);
            let ([x, y, _], _) = view.project(Vec3::zero()).unwrap();
            assert!((x - 200.0).abs() < 1e-3 && (y - 150.0).abs() < 1e-3);
            // Up in space is up in the picture: a smaller y.
            let ([_, above, _], _) = view.project(up * 0.1).unwrap();
            assert!(above < y);
        }
    }

    #[test]
    fn nothing_behind_the_camera_is_seen_and_no_direction_is_refused() {
        let up = Vector([0.0, 1.0, 0.0]);
        let down = View::looking(up, Vec3::zero(), up, Projection::Perspective(100.0), [9, 9]);
        assert!(down.project(up * 2.0).is_none());
        assert!(down.project(Vector([f32::NAN; 3])).is_none());
        assert!(
            down.axes
                .iter()
                .all(|axis| (axis.norm() - 1.0).abs() < 1e-6)
        );
    }
}
