//! Refraction: what one sees through clear matter, with the ray bent by Snell's law where it enters
//! and where it leaves.
//!
//! The ray is followed to the first solid in the water or behind it, or to the sky. Matter behind
//! the water, and what reflects within it, stay on the straight ray.

use super::compose::Layers;
use super::matter::{MatterHit, Primitive};
use crate::isosurface::Ray;
use crate::vector::{Vec3, unit_or};

/// Refractive index of water \[–\].
const INDEX: f32 = 1.33;

/// Light from behind a clear body, and the length of the way through it \[m\].
pub(super) struct Refracted {
    pub light: Vec3,
    pub thickness: f32,
}

impl Layers<'_> {
    /// The light that comes through the isosurface of a clear body at a place, towards which one
    /// looks in a direction.
    pub fn refracted(
        &self,
        seen: &MatterHit,
        [place, towards]: [Vec3; 2],
        sky: f32,
    ) -> Option<Refracted> {
        let Primitive::Isosurface(normal) = seen.primitive else {
            return None;
        };
        let field = self.matter.field(seen.look)?;
        let inside = bent(towards, normal, 1.0 / INDEX)?;
        let way = Ray::new(place, inside, &self.drawing.surroundings.cuts);
        let (length, outwards) = way.leave(field);
        let solid = self.tracer.cast(place, inside).end;
        if let Some(hit) = solid.filter(|hit| hit.depth < length) {
            let at = place + inside * hit.depth;
            return Some(Refracted {
                light: self.solid(hit, at, inside, sky),
                thickness: hit.depth,
            });
        }
        let exit = place + inside * length;
        let after = bent(inside, -outwards, INDEX).unwrap_or(inside);
        let light = match self.tracer.cast(exit, after).end {
            Some(hit) => self.solid(hit, exit + after * hit.depth, after, sky),
            None => self.background(after),
        };
        Some(Refracted {
            light,
            thickness: length,
        })
    }
}

/// The direction of a ray behind a surface with a normal towards where it comes from, at a ratio of
/// refractive indices before and behind it; none if it is reflected as a whole.
fn bent(direction: Vec3, normal: Vec3, ratio: f32) -> Option<Vec3> {
    let facing = -normal.dot(direction);
    if facing <= 0.0 {
        return Some(direction);
    }
    let square = 1.0 - ratio * ratio * (1.0 - facing * facing);
    (square >= 0.0).then(|| {
        let along = direction * ratio + normal * (ratio * facing - square.sqrt());
        unit_or(along, direction)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use thixo_math::Vector;

    #[test]
    fn rays_bend_by_the_law_of_snell() {
        let up = Vector([0.0, 1.0, 0.0]);
        for degrees in [0.0f32, 20.0, 60.0, 85.0] {
            let (sine, cosine) = degrees.to_radians().sin_cos();
            let down = Vector([sine, -cosine, 0.0]);
            let inside = bent(down, up, 1.0 / INDEX).unwrap();
            assert!((inside[0] * INDEX - sine).abs() < 1e-6, "{inside:?}");
            assert!((inside.norm() - 1.0).abs() < 1e-6 && inside[1] < 0.0);
            let out = bent(inside, up, INDEX).unwrap();
            assert!((out - down).norm() < 1e-3, "{out:?}");
        }
        let flat = Vector([0.9f32, -0.19f32.sqrt(), 0.0]);
        assert_eq!(bent(flat, up, INDEX), None, "reflected as a whole");
    }
}
