//! Interpolation of particle quantities at vertices.

use thixo_math::{Matrix, Vector};

use super::Point;
use super::neighbors::Neighbor;

/// Regularisation added to the variance of positions, over the squared reach, when a gradient is
/// fitted: neighbours that say nothing of a direction make no gradient along it.
const STEADIER: f64 = 1e-4;

/// The cubic B-spline, 1 at the particle and 0 at its reach; of a squared distance over that of the
/// reach.
#[inline]
pub fn weight(share: f64) -> f64 {
    let q = share.sqrt();
    if q < 0.5 {
        1.0 - 6.0 * share * (1.0 - q)
    } else {
        2.0 * (1.0 - q).max(0.0).powi(3)
    }
}

/// The weighted mean of numbers around a place, without those that are none; NaN where all are.
/// Never beyond the numbers it is made of.
pub fn mean(near: &[Neighbor], values: &[f64]) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for n in near {
        let value = values[n.index];
        if value.is_finite() {
            let w = weight(n.share);
            sum += w * value;
            weights += w;
        }
    }
    sum / weights
}

/// The weighted mean of vectors around a place; zero where there are none.
pub fn mean_vector(near: &[Neighbor], values: &[Point]) -> Point {
    let (mut sum, mut weights) = (Point::zero(), 0.0);
    for n in near {
        let w = weight(n.share);
        sum = values[n.index].mul_add(w, sum);
        weights += w;
    }
    if weights > 0.0 {
        sum * (1.0 / weights)
    } else {
        sum
    }
}

/// The velocity at a place, from the linear field that fits the velocities around it best (weighted
/// least squares). All neighbours of a place on the surface are to one side of it: a mean would be
/// the velocity further in, while the linear field is exact for matter that turns or stretches
/// evenly.
pub fn linear(near: &[Neighbor], velocities: &[Point], reach: f64) -> Point {
    let (mut weights, mut x_mean, mut v_mean) = (0.0, Point::zero(), Point::zero());
    for n in near.iter().filter(|n| is_finite(velocities[n.index])) {
        let w = weight(n.share);
        weights += w;
        x_mean = n.offset.mul_add(w, x_mean);
        v_mean = velocities[n.index].mul_add(w, v_mean);
    }
    if weights <= 0.0 {
        return Point::zero();
    }
    let (x_mean, v_mean) = (x_mean * (1.0 / weights), v_mean * (1.0 / weights));
    let mut variance = Matrix::from_scalar(STEADIER * reach * reach * weights);
    let mut covariance = Matrix::<f64, 3>::zero();
    for n in near.iter().filter(|n| is_finite(velocities[n.index])) {
        let w = weight(n.share);
        let dx = n.offset - x_mean;
        variance = dx.outer(dx).mul_add(w, variance);
        covariance = (velocities[n.index] - v_mean)
            .outer(dx)
            .mul_add(w, covariance);
    }
    let gradient = covariance * variance.inverse();
    v_mean - gradient * x_mean
}

fn is_finite(Vector(v): Point) -> bool {
    v.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::super::neighbors::Neighbors;
    use super::*;

    fn half_space() -> Vec<Point> {
        let mut positions = Vec::new();
        for k in 0..7 * 7 * 4 {
            let [i, j, l] = [k % 7, k / 7 % 7, k / 49].map(f64::from);
            positions.push(Vector([i - 3.0, j - 3.0, -l]));
        }
        positions
    }

    #[test]
    fn the_weight_is_a_smooth_bell() {
        assert_eq!((weight(0.0), weight(1.0)), (1.0, 0.0));
        assert!((weight(0.25) - 0.25).abs() < 1e-15);
        assert!((weight(0.25 - 1e-9) - weight(0.25 + 1e-9)).abs() < 1e-8);
    }

    #[test]
    fn a_linear_field_is_found_outside_of_the_particles_and_a_mean_stays_within_them() {
        let positions = half_space();
        let spin = |x: Point| Vector([-3.0 * x[1] + 5.0, 3.0 * x[0], 0.5 * x[2]]);
        let velocities: Vec<Point> = positions.iter().map(|x| spin(*x)).collect();
        let depth: Vec<f64> = positions.iter().map(|x| x[2]).collect();
        let mut near = Vec::new();
        let place = Vector([0.3, -0.2, 0.5]);
        Neighbors::new(&positions, 2.0).near(place, &mut near);
        let found = linear(&near, &velocities, 2.0);
        assert!((found - spin(place)).norm() < 0.02, "{found:?}");
        let mean = mean(&near, &depth);
        assert!((-1.0..0.0).contains(&mean), "{mean}");
    }

    #[test]
    fn what_is_no_number_does_not_count() {
        let positions = [Vector([0.0; 3]), Vector([0.5, 0.0, 0.0])];
        let mut near = Vec::new();
        Neighbors::new(&positions, 1.0).near(positions[0], &mut near);
        assert_eq!(mean(&near, &[f64::NAN, 4.0]), 4.0);
        assert!(mean(&near, &[f64::NAN; 2]).is_nan());
        let velocities = [Vector([1.0; 3]), Vector([f64::NAN; 3])];
        assert!((linear(&near, &velocities, 1.0) - velocities[0]).norm() < 1e-12);
        assert_eq!(
            linear(&near, &[Vector([f64::NAN; 3]); 2], 1.0),
            Point::zero()
        );
    }
}
