//! Joints of thin solids: where they meet without overlapping, the seam between them is closed.

use thixo_math::Vector;

use super::LevelSet;
use super::shape::Surface;

/// Most solids of a joint around a point; others are further away.
const MAX_SOLIDS: usize = 4;

/// The union of some solids after a morphological closing with a ball of a radius r: dilated, then
/// eroded by r,
///
/// φ(x) = max_d min_k φ_k(x + r d) − r
///
/// over unit vectors d, of which the normals of nearby solids and their means are tried: seams
/// narrower than 2 r are solid, and concave edges and corners are filled to about r.
#[derive(Debug)]
pub(super) struct Joint<'a, const D: usize> {
    /// The solids.
    pub solids: Vec<&'a dyn LevelSet<D>>,
    /// The radius r \[m\].
    pub radius: f64,
}

impl<const D: usize> Joint<'_, D> {
    /// The surface of the nearest solid, and its index.
    fn nearest(&self, position: [f64; D], time: f64) -> (usize, Surface<D>) {
        let mut found = (0, self.solids[0].surface(position, time));
        for (index, solid) in self.solids.iter().enumerate().skip(1) {
            let surface = solid.surface(position, time);
            if surface.distance < found.1.distance {
                found = (index, surface);
            }
        }
        found
    }
}

impl<const D: usize> LevelSet<D> for Joint<'_, D> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        let r = self.radius;
        let (first, nearest) = self.nearest(position, time);
        let dilated = Surface {
            distance: nearest.distance - r,
            ..nearest
        };
        if nearest.distance > 3.0 * r {
            return dilated;
        }
        // Solids that the ball of radius r can touch on the way out.
        let mut normals = vec![Vector(nearest.normal)];
        for (index, solid) in self.solids.iter().enumerate() {
            let surface = solid.surface(position, time);
            let is_near = surface.distance < nearest.distance + 2.0 * r;
            if index != first && is_near && normals.len() < MAX_SOLIDS {
                normals.push(Vector(surface.normal));
            }
        }
        if normals.len() == 1 {
            return nearest;
        }
        let mut best = dilated;
        for mask in 1u32..1 << normals.len() {
            let chosen = (0..normals.len()).filter(|k| mask >> k & 1 == 1);
            let sum = chosen.fold(Vector::zero(), |sum, k| sum + normals[k]);
            let length = sum.norm();
            // Normals that cancel each other lead nowhere.
            if length < 1e-3 {
                continue;
            }
            let place = Vector(position) + sum * (r / length);
            let (_, surface) = self.nearest(place.0, time);
            if surface.distance - r > best.distance {
                best = Surface {
                    distance: surface.distance - r,
                    ..surface
                };
            }
        }
        best
    }
    fn velocity(&self, position: [f64; D], time: f64) -> [f64; D] {
        let (index, _) = self.nearest(position, time);
        self.solids[index].velocity(position, time)
    }
    fn thickness(&self) -> f64 {
        let each = self.solids.iter().map(|solid| solid.thickness());
        each.fold(f64::INFINITY, f64::min)
    }
    fn clearance(&self) -> f64 {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::shape::Cuboid;

    #[test]
    fn a_seam_is_solid_and_a_face_is_where_it_was() {
        // A floor, and a plate that stands on it.
        let floor = Cuboid::new([-1.0, -0.2], [1.0, 0.0]).unwrap();
        let plate = Cuboid::new([-0.2, 0.0], [0.0, 1.0]).unwrap();
        let joint = Joint {
            solids: vec![&floor, &plate],
            radius: 0.01,
        };
        let distance = |x| joint.surface(x, 0.0).distance;
        for x in [-0.15, -0.1, -0.05, -0.02] {
            for y in [-1e-4, 0.0, 1e-4] {
                assert!(distance([x, y]) < -0.009, "{x} {y}: {}", distance([x, y]));
            }
        }
        assert!((distance([0.5, 1e-3]) - 1e-3).abs() < 1e-15);
        assert!((distance([2e-3, 0.5]) - 2e-3).abs() < 1e-15);
        assert!(distance([1e-3, 1e-3]) < 0.0 && distance([4e-3, 4e-3]) > 0.0);
    }
}
