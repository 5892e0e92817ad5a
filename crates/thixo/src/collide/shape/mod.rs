//! Solids by their signed distance: primitives, Boolean combinations and motions.

mod boolean;
mod cuboid;
mod deforming;
mod ellipsoid;
mod height_field;
mod moving;
mod placed;
mod plane;
mod revolved;
mod sphere;

pub use boolean::{Complement, Difference, Intersection, Union};
pub use cuboid::Cuboid;
pub use deforming::Deforming;
pub use ellipsoid::Ellipsoid;
pub use height_field::HeightField;
pub use moving::{Motion, Moving, Pose, Running, SteadyMotion};
pub use placed::{Placed, Placement};
pub use plane::Plane;
pub use revolved::{Capsule, Cone, Cylinder, Torus};
pub use sphere::Sphere;

use core::cmp::Ordering;

use crate::error::BuildError;

/// The surface of a solid as seen from a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface<const D: usize> {
    /// Signed distance to the surface, negative inside \[m\]; of the right sign everywhere, exact
    /// outside convex corners of combined solids, and with a gradient of at most 1.
    pub distance: f64,
    /// Outward unit normal of the nearest surface \[–\].
    pub normal: [f64; D],
}

impl<const D: usize> Surface<D> {
    /// Order of surfaces by distance, then by the components of the normal.
    pub(in crate::collide) fn compare(&self, other: &Self) -> Ordering {
        let normals = self.normal.iter().zip(&other.normal);
        normals.fold(self.distance.total_cmp(&other.distance), |order, (a, b)| {
            order.then(a.total_cmp(b))
        })
    }
}

/// Refuses a point with a coordinate that is not finite.
fn finite<const D: usize>(
    key: &'static str,
    quantity: &'static str,
    place: [f64; D],
) -> Result<[f64; D], BuildError> {
    match place.iter().find(|x| !x.is_finite()) {
        None => Ok(place),
        Some(&value) => Err(BuildError::OutOfRange {
            key,
            quantity,
            value,
            range: "finite",
        }),
    }
}

#[cfg(test)]
pub(crate) mod conformance {
    use thixo_math::Vector;

    use crate::collide::LevelSet;

    /// Distances have gradients of at most 1, normals have length 1 and the direction of the
    /// gradient.
    pub fn check<const D: usize>(solid: &impl LevelSet<D>, reach: f64) {
        let mut state = 7u64;
        let mut next = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            ((state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0) * reach
        };
        let mut smooth = 0;
        for _ in 0..4000 {
            let x: [f64; D] = core::array::from_fn(|_| next());
            let y: [f64; D] = core::array::from_fn(|_| next());
            let here = solid.surface(x, 0.0);
            let there = solid.surface(y, 0.0);
            let apart = (Vector(x) - Vector(y)).norm();
            assert!(
                (here.distance - there.distance).abs() <= apart * (1.0 + 1e-12),
                "slope above 1 between {x:?} and {y:?}"
            );
            assert!(
                (Vector(here.normal).norm() - 1.0).abs() < 1e-12,
                "normal at {x:?}"
            );
            let e = 1e-6 * reach;
            let mut slope = Vector::<f64, D>::zero();
            for a in 0..D {
                let (mut above, mut below) = (x, x);
                above[a] += e;
                below[a] -= e;
                slope[a] = (solid.surface(above, 0.0).distance
                    - solid.surface(below, 0.0).distance)
                    / (2.0 * e);
            }
            // At edges and on axes the gradient is not defined; nearly everywhere else it is the
            // normal.
            smooth += usize::from((slope - Vector(here.normal)).norm() < 1e-4);
        }
        assert!(
            smooth > 3900,
            "normals are slopes at {smooth} of 4000 places"
        );
    }
}
