//! Joints of solids: where they meet without overlapping, the seam between them is closed.

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
/// over unit vectors d, of which some are tried: seams narrower than 2 r are solid, as deep as they
/// are up to r, and concave edges and corners are filled to about r.
#[derive(Debug)]
pub(super) struct Joint<'a, const D: usize> {
    /// The solids.
    pub solids: Vec<&'a dyn LevelSet<D>>,
    /// The radius r \[m\].
    pub radius: f64,
    /// The unit vectors d.
    pub directions: Directions,
}

/// Unit vectors that are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Directions {
    /// The normals of nearby solids and their means.
    Normals,
    /// These and 3ᴰ − 1 all around: from the middle of a seam no normal leads out of it.
    AllAround,
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
        let mut try_direction = |direction: Vector<f64, D>| {
            let length = direction.norm();
            // Normals that cancel each other lead nowhere.
            if length < 1e-3 {
                return;
            }
            let place = Vector(position) + direction * (r / length);
            let (_, surface) = self.nearest(place.0, time);
            if surface.distance - r > best.distance {
                best = Surface {
                    distance: surface.distance - r,
                    ..surface
                };
            }
        };
        for mask in 1u32..1 << normals.len() {
            let chosen = (0..normals.len()).filter(|k| mask >> k & 1 == 1);
            try_direction(chosen.fold(Vector::zero(), |sum, k| sum + normals[k]));
        }
        if self.directions == Directions::AllAround {
            for index in 0..3usize.pow(D as u32) {
                let mut direction = Vector::zero();
                for a in 0..D {
                    direction[a] = (index / 3usize.pow(a as u32) % 3) as f64 - 1.0;
                }
                try_direction(direction);
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

    /// A joint of two boxes that touch, by a ball that is as large as the depth asked for.
    #[test]
    fn a_seam_of_thick_solids_is_as_deep_as_they_are() {
        let left = Cuboid::new([-9.0, -5.0], [0.0, 0.0]).unwrap();
        let right = Cuboid::new([0.0, -5.0], [9.0, 0.0]).unwrap();
        let joint = Joint {
            solids: vec![&left, &right],
            radius: 1.0,
            directions: Directions::AllAround,
        };
        for x in [-2.0, -0.4, -1e-3, 0.0, 1e-4, 0.3, 1.5] {
            for depth in [-0.5, 0.1, 0.5, 0.9] {
                let found = joint.surface([x, -depth], 0.0).distance;
                assert!((found + depth).abs() < 1e-9, "{x} {depth}: {found}");
            }
            assert!(joint.surface([x, -2.0], 0.0).distance <= -0.99, "{x}");
        }
        // A slit that is not a seam stays open.
        let apart = Cuboid::new([0.1, -5.0], [9.0, 0.0]).unwrap();
        let joint = Joint {
            solids: vec![&left, &apart],
            radius: 1.0,
            directions: Directions::AllAround,
        };
        assert!(joint.surface([0.05, -2.0], 0.0).distance > -0.96);
    }

    #[test]
    fn a_seam_is_solid_and_a_face_is_where_it_was() {
        // A floor, and a plate that stands on it.
        let floor = Cuboid::new([-1.0, -0.2], [1.0, 0.0]).unwrap();
        let plate = Cuboid::new([-0.2, 0.0], [0.0, 1.0]).unwrap();
        let joint = Joint {
            solids: vec![&floor, &plate],
            radius: 0.01,
            directions: Directions::Normals,
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
