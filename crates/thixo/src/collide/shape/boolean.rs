//! Solids made of others. The distance of a combination is exact on one side and a lower bound of its size on the other.

use std::sync::Arc;

use super::Surface;
use crate::collide::LevelSet;

/// A solid that can be part of several others.
type Part<const D: usize> = Arc<dyn LevelSet<D>>;

/// What lies in any of the parts. Let parts that belong together overlap by two cells of the grid or more: where they only touch, each
/// still has a surface, and matter can be pressed into the seam.
#[derive(Clone, Debug)]
pub struct Union<const D: usize>(pub Vec<Part<D>>);

/// What lies in all parts.
#[derive(Clone, Debug)]
pub struct Intersection<const D: usize>(pub Vec<Part<D>>);

/// What lies in the first solid and not in the second.
#[derive(Clone, Debug)]
pub struct Difference<const D: usize> {
    /// What is kept.
    pub from: Part<D>,
    /// What is taken away.
    pub taken: Part<D>,
}

/// What lies outside of a solid: the complement of a box is a container.
#[derive(Clone, Debug)]
pub struct Complement<const D: usize>(pub Part<D>);

/// The surface seen from inside instead of outside.
fn inside_out<const D: usize>(surface: Surface<D>) -> Surface<D> {
    Surface {
        distance: -surface.distance,
        normal: surface.normal.map(|n| -n),
    }
}

/// The part whose surface decides, and with it the velocity of the solid there.
fn deciding<const D: usize>(
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

/// What is in any of the parts is as thick as the thinnest of them.
fn thinnest<const D: usize>(parts: &[Part<D>], of: fn(&Part<D>) -> f64) -> f64 {
    parts.iter().map(of).fold(f64::INFINITY, f64::min)
}

/// What several parts have in common may be as thin as can be.
fn in_common<const D: usize>(parts: &[Part<D>], of: fn(&Part<D>) -> f64) -> f64 {
    match parts {
        [] => f64::INFINITY,
        [part] => of(part),
        _ => 0.0,
    }
}

/// The surface of a solid without parts: infinitely far away.
fn nothing<const D: usize>() -> Surface<D> {
    let mut normal = [0.0; D];
    normal[0] = 1.0;
    Surface {
        distance: f64::INFINITY,
        normal,
    }
}

impl<const D: usize> LevelSet<D> for Union<D> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        deciding(&self.0, position, time, |a, b| a < b).map_or_else(nothing, |(_, s)| s)
    }
    fn velocity(&self, position: [f64; D], time: f64) -> [f64; D] {
        deciding(&self.0, position, time, |a, b| a < b)
            .map_or([0.0; D], |(part, _)| part.velocity(position, time))
    }
    fn thickness(&self) -> f64 {
        thinnest(&self.0, |part| part.thickness())
    }
    fn clearance(&self) -> f64 {
        in_common(&self.0, |part| part.clearance())
    }
}

impl<const D: usize> LevelSet<D> for Intersection<D> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        deciding(&self.0, position, time, |a, b| a > b).map_or_else(nothing, |(_, s)| s)
    }
    fn velocity(&self, position: [f64; D], time: f64) -> [f64; D] {
        deciding(&self.0, position, time, |a, b| a > b)
            .map_or([0.0; D], |(part, _)| part.velocity(position, time))
    }
    fn thickness(&self) -> f64 {
        in_common(&self.0, |part| part.thickness())
    }
    fn clearance(&self) -> f64 {
        thinnest(&self.0, |part| part.clearance())
    }
}

impl<const D: usize> LevelSet<D> for Difference<D> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        let kept = self.from.surface(position, time);
        let taken = inside_out(self.taken.surface(position, time));
        if kept.distance > taken.distance {
            kept
        } else {
            taken
        }
    }
    fn velocity(&self, position: [f64; D], time: f64) -> [f64; D] {
        let kept = self.from.surface(position, time).distance;
        let taken = -self.taken.surface(position, time).distance;
        let part = if kept > taken {
            &self.from
        } else {
            &self.taken
        };
        part.velocity(position, time)
    }
    fn thickness(&self) -> f64 {
        // How close the two surfaces come is not known.
        0.0
    }
    fn clearance(&self) -> f64 {
        self.from.clearance().min(self.taken.thickness())
    }
}

impl<const D: usize> LevelSet<D> for Complement<D> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        inside_out(self.0.surface(position, time))
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
        // Two rooms may be close together, and so may be two half-spaces that face each other.
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
