//! Boolean combinations of solids. The distance of a combination is exact on one side and a lower
//! bound of its magnitude on the other.

use std::sync::Arc;

use super::Surface;
use crate::collide::LevelSet;

/// A solid that can be part of several others.
type Part<const D: usize> = Arc<dyn LevelSet<D>>;

/// Union: points in any of the parts. Parts that belong together should overlap by two cells of the
/// grid or more: where they only touch, each still has a surface, and matter can be pressed into
/// the seam.
#[derive(Clone, Debug)]
pub struct Union<const D: usize>(pub Vec<Part<D>>);

/// Intersection: points in all parts.
#[derive(Clone, Debug)]
pub struct Intersection<const D: usize>(pub Vec<Part<D>>);

/// Difference: points in the first solid and not in the second.
#[derive(Clone, Debug)]
pub struct Difference<const D: usize> {
    /// The first solid, from which the second is subtracted.
    pub from: Part<D>,
    /// The solid that is subtracted.
    pub taken: Part<D>,
}

/// Complement: points outside a solid; the complement of a box is a container.
#[derive(Clone, Debug)]
pub struct Complement<const D: usize>(pub Part<D>);

/// The surface with inside and outside exchanged.
fn complement<const D: usize>(surface: Surface<D>) -> Surface<D> {
    Surface {
        distance: -surface.distance,
        normal: surface.normal.map(|n| -n),
    }
}

/// The part of the smallest (union) or largest (intersection) signed distance, whose surface and
/// velocity are those of the combination.
fn extremal_part<const D: usize>(
    parts: &[Part<D>],
    position: [f64; D],
    time: f64,
    better: fn(f64, f64) -> bool,
) -> Option<(&Part<D>, Surface<D>)> {
    let mut found: Option<(&Part<D>, Surface<D>)> = None;
    for part in parts {
        let surface = part.surface(position, time);
        if found
            .as_ref()
            .is_none_or(|(_, best)| better(surface.distance, best.distance))
        {
            found = Some((part, surface));
        }
    }
    found
}

/// Thickness of a union: that of the thinnest part.
fn union_thickness<const D: usize>(parts: &[Part<D>], of: fn(&Part<D>) -> f64) -> f64 {
    parts.iter().map(of).fold(f64::INFINITY, f64::min)
}

/// Thickness of an intersection of several parts: no lower bound.
fn intersection_thickness<const D: usize>(parts: &[Part<D>], of: fn(&Part<D>) -> f64) -> f64 {
    match parts {
        [] => f64::INFINITY,
        [part] => of(part),
        _ => 0.0,
    }
}

/// The surface of a solid without parts: infinitely far away.
fn empty_surface<const D: usize>() -> Surface<D> {
    let mut normal = [0.0; D];
    normal[0] = 1.0;
    Surface {
        distance: f64::INFINITY,
        normal,
    }
}

impl<const D: usize> LevelSet<D> for Union<D> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        extremal_part(&self.0, position, time, |a, b| a < b).map_or_else(empty_surface, |(_, s)| s)
    }
    fn velocity(&self, position: [f64; D], time: f64) -> [f64; D] {
        extremal_part(&self.0, position, time, |a, b| a < b)
            .map_or([0.0; D], |(part, _)| part.velocity(position, time))
    }
    fn thickness(&self) -> f64 {
        union_thickness(&self.0, |part| part.thickness())
    }
    fn clearance(&self) -> f64 {
        intersection_thickness(&self.0, |part| part.clearance())
    }
}

impl<const D: usize> LevelSet<D> for Intersection<D> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        extremal_part(&self.0, position, time, |a, b| a > b).map_or_else(empty_surface, |(_, s)| s)
    }
    fn velocity(&self, position: [f64; D], time: f64) -> [f64; D] {
        extremal_part(&self.0, position, time, |a, b| a > b)
            .map_or([0.0; D], |(part, _)| part.velocity(position, time))
    }
    fn thickness(&self) -> f64 {
        intersection_thickness(&self.0, |part| part.thickness())
    }
    fn clearance(&self) -> f64 {
        union_thickness(&self.0, |part| part.clearance())
    }
}

impl<const D: usize> LevelSet<D> for Difference<D> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        let base = self.from.surface(position, time);
        let subtracted = complement(self.taken.surface(position, time));
        if base.distance > subtracted.distance {
            base
        } else {
            subtracted
        }
    }
    fn velocity(&self, position: [f64; D], time: f64) -> [f64; D] {
        let base = self.from.surface(position, time).distance;
        let subtracted = -self.taken.surface(position, time).distance;
        let part = if base > subtracted {
            &self.from
        } else {
            &self.taken
        };
        part.velocity(position, time)
    }
    fn thickness(&self) -> f64 {
        // The distance between the two surfaces has no known lower bound.
        0.0
    }
    fn clearance(&self) -> f64 {
        self.from.clearance().min(self.taken.thickness())
    }
}

impl<const D: usize> LevelSet<D> for Complement<D> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        complement(self.0.surface(position, time))
    }
    fn velocity(&self, position: [f64; D], time: f64) -> [f64; D] {
        self.0.velocity(position, time)
    }
    fn thickness(&self) -> f64 {
        self.0.clearance()
    }
    fn clearance(&self) -> f64 {
        self.0.thickness()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::shape::{Cuboid, Sphere, conformance};

    fn parts() -> [Part<3>; 2] {
        [
            Arc::new(Sphere::new([0.2, 0.0, 0.1], 0.8).unwrap()),
            Arc::new(Cuboid::new([-0.6; 3], [0.5, 0.6, 0.7]).unwrap()),
        ]
    }

    #[test]
    fn combinations_are_level_sets() {
        let [ball, cube] = parts();
        conformance::check(&Union(parts().to_vec()), 2.0);
        conformance::check(&Intersection(parts().to_vec()), 2.0);
        conformance::check(&Complement(ball.clone()), 2.0);
        conformance::check(
            &Difference {
                from: ball,
                taken: cube,
            },
            2.0,
        );
    }

    #[test]
    fn points_are_in_a_combination_when_logic_says_so() {
        let [ball, cube] = parts();
        let union = Union(parts().to_vec());
        let both = Intersection(parts().to_vec());
        let rest = Difference {
            from: ball.clone(),
            taken: cube.clone(),
        };
        for k in 0..1000 {
            let x = [0.01, 0.017, 0.023].map(|s| (f64::from(k) * s).sin());
            let (a, b) = (
                ball.surface(x, 0.0).distance < 0.0,
                cube.surface(x, 0.0).distance < 0.0,
            );
            assert_eq!(union.surface(x, 0.0).distance < 0.0, a || b);
            assert_eq!(both.surface(x, 0.0).distance < 0.0, a && b);
            assert_eq!(rest.surface(x, 0.0).distance < 0.0, a && !b);
        }
        assert_eq!(
            Union::<3>(Vec::new()).surface([0.0; 3], 0.0).distance,
            f64::INFINITY
        );
    }

    #[test]
    fn thickness_is_a_lower_bound_and_the_outside_has_one_too() {
        let [ball, cube] = parts();
        let least = ball.thickness().min(cube.thickness());
        assert_eq!(Union(parts().to_vec()).thickness(), least);
        assert_eq!(Complement(cube.clone()).thickness(), f64::INFINITY);
        assert_eq!(Complement(cube.clone()).clearance(), cube.thickness());
        assert_eq!(
            Intersection(vec![cube.clone()]).thickness(),
            cube.thickness()
        );
        // Two cavities may be close together, and so may two half-spaces that face each other.
        let rooms: Part<3> = Arc::new(Union(parts().to_vec()));
        assert_eq!(Complement(rooms).thickness(), 0.0);
        assert_eq!(Intersection(parts().to_vec()).thickness(), 0.0);
        let rest = Difference {
            from: ball,
            taken: cube.clone(),
        };
        assert_eq!(
            (rest.thickness(), rest.clearance()),
            (0.0, cube.thickness())
        );
        assert_eq!(Union::<3>(Vec::new()).thickness(), f64::INFINITY);
    }
}
