//! Solids that change shape: level sets at key times, interpolated between them.
//! \[Jiang2016\] §12.1.

use std::sync::Arc;

use thixo_math::Vector;

use super::Surface;
use crate::collide::LevelSet;
use crate::error::BuildError;

/// Key frames of a solid. Between two of them, at the fraction γ of the interval from t to t + Δt,
/// φ(x) = (1 − γ) φ₀(x − γ Δt v) + γ φ₁(x + (1 − γ) Δt v) with v = (1 − γ) v₀(x) + γ v₁(x), the
/// velocities of the keys.
#[derive(Clone, Debug)]
pub struct Deforming<const D: usize> {
    keys: Vec<(f64, Arc<dyn LevelSet<D>>)>,
}

impl<const D: usize> Deforming<D> {
    /// Solids at ascending times \[s\]; before the first and after the last the solid is constant.
    pub fn new(keys: Vec<(f64, Arc<dyn LevelSet<D>>)>) -> Result<Self, BuildError> {
        if keys.is_empty() {
            return Err(BuildError::NotPositive {
                key: "keys",
                quantity: "number of key frames",
                value: 0.0,
            });
        }
        for pair in keys.windows(2) {
            if !(pair[0].0 < pair[1].0 && pair[1].0.is_finite()) {
                return Err(BuildError::OutOfRange {
                    key: "keys",
                    quantity: "time of a key frame [s]",
                    value: pair[1].0,
                    range: "later than the one before, and finite",
                });
            }
        }
        Ok(Self { keys })
    }
    /// The least value of a length over all keys: the solid should not be thinner in between.
    fn least(&self, of: fn(&Arc<dyn LevelSet<D>>) -> f64) -> f64 {
        let lengths = self.keys.iter().map(|(_, key)| of(key));
        lengths.fold(f64::INFINITY, f64::min)
    }
    /// The keys around a time, the fraction of the interval between them, and its length \[s\]; one
    /// key outside of all intervals.
    fn around(&self, time: f64) -> (usize, usize, f64, f64) {
        let later = self.keys.partition_point(|key| key.0 <= time);
        if later == 0 {
            return (0, 0, 0.0, 0.0);
        }
        if later == self.keys.len() {
            return (later - 1, later - 1, 0.0, 0.0);
        }
        let span = self.keys[later].0 - self.keys[later - 1].0;
        let share = (time - self.keys[later - 1].0) / span;
        (later - 1, later, share, span)
    }
}

impl<const D: usize> LevelSet<D> for Deforming<D> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        let (first, second, share, span) = self.around(time);
        if first == second {
            return self.keys[first].1.surface(position, time);
        }
        let v = Vector(self.velocity(position, time));
        let back = Vector(position) - v * (share * span);
        let ahead = Vector(position) + v * ((1.0 - share) * span);
        let a = self.keys[first].1.surface(back.0, time);
        let b = self.keys[second].1.surface(ahead.0, time);
        let normal = Vector(a.normal) * (1.0 - share) + Vector(b.normal) * share;
        let length = normal.norm();
        Surface {
            distance: (1.0 - share) * a.distance + share * b.distance,
            // Opposite normals cancel half-way: use the nearer key's.
            normal: if length > 1e-12 {
                (normal * (1.0 / length)).0
            } else {
                a.normal
            },
        }
    }
    fn velocity(&self, position: [f64; D], time: f64) -> [f64; D] {
        let (first, second, share, _) = self.around(time);
        let a = Vector(self.keys[first].1.velocity(position, time));
        let b = Vector(self.keys[second].1.velocity(position, time));
        (a * (1.0 - share) + b * share).0
    }
    fn thickness(&self) -> f64 {
        self.least(|key| key.thickness())
    }
    fn clearance(&self) -> f64 {
        self.least(|key| key.clearance())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::shape::{Plane, Sphere};

    /// A solid with a uniform velocity, as key frames from a simulation have.
    #[derive(Debug)]
    struct Carried(Sphere<2>, [f64; 2]);

    impl LevelSet<2> for Carried {
        fn surface(&self, position: [f64; 2], time: f64) -> Surface<2> {
            self.0.surface(position, time)
        }
        fn velocity(&self, _: [f64; 2], _: f64) -> [f64; 2] {
            self.1
        }
        fn thickness(&self) -> f64 {
            self.0.thickness()
        }
        fn clearance(&self) -> f64 {
            self.0.clearance()
        }
    }

    #[test]
    fn a_translating_ball_is_interpolated_exactly() {
        let v = [0.5, -1.0];
        let at = |t: f64| -> Arc<dyn LevelSet<2>> {
            let center = [0.2 + v[0] * t, 0.3 + v[1] * t];
            Arc::new(Carried(Sphere::new(center, 0.4).unwrap(), v))
        };
        let moving = Deforming::new(vec![(0.0, at(0.0)), (2.0, at(2.0))]).unwrap();
        for t in [0.3, 1.0, 1.7] {
            let exact = at(t);
            for x in [[0.0, 0.0], [1.0, 0.5], [0.6, -1.2]] {
                let (a, b) = (moving.surface(x, t), exact.surface(x, t));
                assert!((a.distance - b.distance).abs() < 1e-14);
                assert!((Vector(a.normal) - Vector(b.normal)).norm() < 1e-14);
            }
        }
    }

    #[test]
    fn a_rising_floor_is_half_way_up_at_half_time() {
        let floor = |y: f64| -> Arc<dyn LevelSet<2>> {
            Arc::new(Plane::new([0.0, y], [0.0, 1.0]).unwrap())
        };
        let rising = Deforming::new(vec![(0.0, floor(0.0)), (1.0, floor(1.0))]).unwrap();
        assert_eq!(rising.surface([0.0, 2.0], 0.5).distance, 1.5);
        assert_eq!(rising.surface([0.0, 2.0], 5.0).distance, 1.0);
        assert_eq!(rising.surface([0.0, 2.0], -5.0).distance, 2.0);
    }

    #[test]
    fn keys_out_of_order_are_refused() {
        let floor: Arc<dyn LevelSet<2>> = Arc::new(Plane::new([0.0, 0.0], [0.0, 1.0]).unwrap());
        assert!(Deforming::<2>::new(Vec::new()).is_err());
        assert!(Deforming::new(vec![(1.0, floor.clone()), (1.0, floor)]).is_err());
    }
}
