//! Solids that are scaled, rotated and translated.

use std::sync::Arc;

use thixo_math::{Matrix, Vector};

use super::{Surface, finite};
use crate::collide::LevelSet;
use crate::error::BuildError;

/// Placement of a solid: x = R S X + p, with a diagonal S.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement<const D: usize> {
    /// Translation p \[m\].
    pub translation: [f64; D],
    /// Rotation R \[–\].
    pub rotation: Matrix<f64, D>,
    /// Diagonal of the scaling S \[–\], no entry zero; negative entries mirror.
    pub scale: [f64; D],
}

impl<const D: usize> Default for Placement<D> {
    /// The identity.
    fn default() -> Self {
        Self {
            translation: [0.0; D],
            rotation: Matrix::identity(),
            scale: [1.0; D],
        }
    }
}

impl<const D: usize> Placement<D> {
    /// Maps X to x \[m\].
    pub fn apply(&self, own: [f64; D]) -> [f64; D] {
        let scaled = Vector(core::array::from_fn(|a| self.scale[a] * own[a]));
        (self.rotation * scaled + Vector(self.translation)).0
    }
    /// Maps x to X \[m\].
    pub fn invert(&self, position: [f64; D]) -> [f64; D] {
        let turned = self.rotation.transpose() * (Vector(position) - Vector(self.translation));
        core::array::from_fn(|a| turned[a] / self.scale[a])
    }
}

/// A solid with a placement.
///
/// Distances are exact if all axes are scaled equally. Otherwise the distance is that of the
/// original solid, times the smallest scale: right in sign, never too large, with a gradient of at
/// most 1.
#[derive(Clone, Debug)]
pub struct Placed<const D: usize> {
    solid: Arc<dyn LevelSet<D>>,
    placement: Placement<D>,
    smallest: f64,
}

impl<const D: usize> Placed<D> {
    /// A solid with its placement.
    pub fn new(solid: Arc<dyn LevelSet<D>>, placement: Placement<D>) -> Result<Self, BuildError> {
        finite(
            "translation",
            "translation of the shape [m]",
            placement.translation,
        )?;
        for scale in placement.scale {
            if !(1e-12..=1e12).contains(&scale.abs()) {
                return Err(BuildError::OutOfRange {
                    key: "scale",
                    quantity: "scale of the shape",
                    value: scale,
                    range: "between 1e-12 and 1e12 in size",
                });
            }
        }
        let r = placement.rotation;
        let skewness = (r * r.transpose() - Matrix::identity()).norm_squared();
        if skewness.is_nan() || skewness > 1e-18 || r.determinant() < 0.0 {
            return Err(BuildError::OutOfRange {
                key: "rotation",
                quantity: "distance of the matrix from a rotation",
                value: skewness.sqrt(),
                range: "at most 1e-9, with a positive determinant",
            });
        }
        let smallest = placement.scale.into_iter().map(f64::abs);
        Ok(Self {
            solid,
            placement,
            smallest: smallest.fold(f64::INFINITY, f64::min),
        })
    }
}

impl<const D: usize> LevelSet<D> for Placed<D> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        let own = self.solid.surface(self.placement.invert(position), time);
        // Normals transform with the inverse transpose; the scale is relative to the smallest to
        // stay in range.
        let stretched = Vector(core::array::from_fn(|a| {
            own.normal[a] * (self.smallest / self.placement.scale[a])
        }));
        let turned = self.placement.rotation * stretched;
        Surface {
            distance: own.distance * self.smallest,
            normal: (turned * (1.0 / turned.norm())).0,
        }
    }
    fn velocity(&self, position: [f64; D], time: f64) -> [f64; D] {
        let own = self.solid.velocity(self.placement.invert(position), time);
        let scaled = Vector(core::array::from_fn(|a| self.placement.scale[a] * own[a]));
        (self.placement.rotation * scaled).0
    }
    fn thickness(&self) -> f64 {
        self.smallest * self.solid.thickness()
    }
    fn clearance(&self) -> f64 {
        self.smallest * self.solid.clearance()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::shape::{Cuboid, Ellipsoid, Sphere, conformance};

    fn turned() -> Matrix<f64, 3> {
        let (s, c) = 0.7f64.sin_cos();
        Matrix::splat_from([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    }

    fn place<const D: usize>(
        solid: impl LevelSet<D> + 'static,
        placement: Placement<D>,
    ) -> Result<Placed<D>, BuildError> {
        Placed::new(Arc::new(solid), placement)
    }

    #[test]
    fn a_solid_scaled_evenly_is_a_level_set() {
        let placement = Placement {
            translation: [0.2, -0.1, 0.3],
            rotation: turned(),
            scale: [-0.8; 3],
        };
        let cube = Cuboid::new([-0.5; 3], [0.5, 0.6, 0.7]).unwrap();
        conformance::check(&place(cube, placement).unwrap(), 2.0);
        let corner = placement.apply([0.5, 0.6, 0.7]);
        assert!(
            place(cube, placement)
                .unwrap()
                .surface(corner, 0.0)
                .distance
                .abs()
                < 1e-15
        );
    }

    #[test]
    fn a_ball_scaled_unevenly_is_an_ellipsoid_with_distances_that_are_never_too_large() {
        let radii = [0.4, 0.9, 0.6];
        let placement = Placement {
            scale: radii,
            ..Placement::default()
        };
        let scaled = place(Sphere::new([0.0; 3], 1.0).unwrap(), placement).unwrap();
        let exact = Ellipsoid::new([0.0; 3], radii).unwrap();
        for k in 0..2000 {
            let x = [0.01, 0.017, 0.023].map(|s| 1.5 * (f64::from(k) * s).sin());
            let (a, b) = (scaled.surface(x, 0.0), exact.surface(x, 0.0));
            assert_eq!(a.distance > 0.0, b.distance > 0.0, "{x:?}");
            assert!(a.distance.abs() <= b.distance.abs() + 1e-12);
            assert!((Vector(a.normal).norm() - 1.0).abs() < 1e-12);
        }
        // On the surface both have the same normal.
        let x = [0.4 / 3f64.sqrt(), 0.9 / 3f64.sqrt(), 0.6 / 3f64.sqrt()];
        let (a, b) = (scaled.surface(x, 0.0), exact.surface(x, 0.0));
        assert!((Vector(a.normal) - Vector(b.normal)).norm() < 1e-7);
    }

    #[test]
    fn impossible_placements_are_refused() {
        let ball = Sphere::new([0.0; 2], 1.0).unwrap();
        let with = |change: fn(&mut Placement<2>)| {
            let mut placement = Placement::default();
            change(&mut placement);
            place(ball, placement).is_err()
        };
        assert!(!with(|_| {}));
        assert!(with(|p| p.scale[1] = 0.0));
        assert!(with(|p| p.scale[1] = f64::NAN));
        assert!(with(|p| p.translation[0] = f64::INFINITY));
        assert!(with(|p| p.rotation[0][1] = 0.1));
        assert!(with(|p| p.rotation[0][0] = -1.0));
    }
}
