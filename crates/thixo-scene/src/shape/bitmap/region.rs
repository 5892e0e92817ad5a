//! An image as a region of space.

use thixo::LevelSet;
use thixo::collide::shape::Surface;
use thixo_math::Vector;

use super::form::Form;
use super::outline::Outline;
use crate::shape::{Bounds, Region};

/// The matter of an image, as it fills space.
#[derive(Clone, Debug)]
pub(crate) struct Bitmap<const D: usize> {
    pub outline: Outline,
    pub form: Form<D>,
}

impl<const D: usize> LevelSet<D> for Bitmap<D> {
    fn surface(&self, position: [f64; D], _time: f64) -> Surface<D> {
        let relative = self.form.relative(position);
        let flat = self.form.flat(position);
        let (distance, gradient) = self.outline.at(flat);
        let (distance, normal) = match self.form {
            Form::Plain { .. } => (distance, [gradient[0], gradient[1], 0.0]),
            Form::Extruded { depth, .. } => {
                let up = 1f64.copysign(relative[2]);
                let beyond = relative[2].abs() - 0.5 * depth;
                if distance <= 0.0 && beyond <= 0.0 {
                    if distance > beyond {
                        (distance, [gradient[0], gradient[1], 0.0])
                    } else {
                        (beyond, [0.0, 0.0, up])
                    }
                } else {
                    let (across, along) = (distance.max(0.0), beyond.max(0.0));
                    let normal = [gradient[0] * across, gradient[1] * across, up * along];
                    (across.hypot(along), normal)
                }
            }
            Form::Revolved { .. } => {
                let [x, _, z] = relative;
                let radius = flat[0];
                let (cosine, sine) = if radius > 0.0 {
                    (x / radius, z / radius)
                } else {
                    (1.0, 0.0)
                };
                (
                    distance,
                    [gradient[0] * cosine, gradient[1], gradient[0] * sine],
                )
            }
        };
        let length = Vector(normal).norm();
        let unit = if length > 0.0 {
            normal.map(|n| n / length)
        } else {
            // Between equally near outlines any direction is right.
            [1.0, 0.0, 0.0]
        };
        Surface {
            distance,
            normal: std::array::from_fn(|a| unit[a]),
        }
    }
    fn thickness(&self) -> f64 {
        // Nothing is known of how thin its parts are.
        0.0
    }
    fn clearance(&self) -> f64 {
        0.0
    }
}

impl<const D: usize> Region<D> for Bitmap<D> {
    fn bounds(&self) -> Option<Bounds<D>> {
        let Bounds { min, max } = self.outline.bounds();
        let (min, max) = match self.form {
            Form::Plain { .. } => ([min[0], min[1], 0.0], [max[0], max[1], 0.0]),
            Form::Extruded { depth, .. } => (
                [min[0], min[1], -0.5 * depth],
                [max[0], max[1], 0.5 * depth],
            ),
            Form::Revolved { .. } => ([-max[0], min[1], -max[0]], [max[0], max[1], max[0]]),
        };
        Some(Bounds {
            min: self.form.corner(min),
            max: self.form.corner(max),
        })
    }
    fn volume(&self) -> Option<f64> {
        None
    }
}
