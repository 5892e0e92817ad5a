//! The volume of a region.

use rayon::prelude::*;

use crate::shape::{Bounds, Region};

/// Cells of the coarsest quadrature along the longest edge of the region's box.
const COARSEST: f64 = 16.0;
/// Two quadratures that differ by less, relatively, are believed: the error falls by four from one
/// to the next.
const AGREEMENT: f64 = 5e-4;
/// Largest number of times that cells are halved.
const FINEST: u32 = 7;

/// Volume of a region within its box \[m³\]; area in 2D \[m²\]. Exact where the region knows it,
/// else to about a part in a thousand.
///
/// The box is divided into cells. Cells further from the surface than half their diagonal are
/// counted or not; the others are halved a number of times, and at the end count with the part that
/// the tangential plane cuts off. The number grows until two results agree.
pub(crate) fn volume<const D: usize>(region: &dyn Region<D>, bounds: &Bounds<D>) -> f64 {
    if let Some(volume) = region.volume() {
        return volume;
    }
    let mut extent = [0.0; D];
    for a in 0..D {
        extent[a] = bounds.max[a] - bounds.min[a];
    }
    let longest = extent.iter().fold(0.0, |longest: f64, &e| longest.max(e));
    let counts = extent.map(|e| (COARSEST * e / longest).ceil().max(1.0));
    let mut edges = extent;
    for a in 0..D {
        edges[a] /= counts[a];
    }
    let total = counts.iter().product::<f64>() as usize;
    let sum = |depth: u32| -> f64 {
        let parts: Vec<f64> = (0..total)
            .into_par_iter()
            .map(|k| {
                let mut rest = k;
                let mut middle = [0.0; D];
                for a in 0..D {
                    let count = counts[a] as usize;
                    middle[a] = bounds.min[a] + ((rest % count) as f64 + 0.5) * edges[a];
                    rest /= count;
                }
                part(region, middle, edges, depth)
            })
            .collect();
        parts.iter().sum()
    };
    let mut last = sum(0);
    for depth in 1..=FINEST {
        let next = sum(depth);
        if (next - last).abs() <= AGREEMENT * next && depth > 1 {
            return next;
        }
        last = next;
    }
    last
}

/// Volume of the part of a cell that lies in the region.
fn part<const D: usize>(
    region: &dyn Region<D>,
    middle: [f64; D],
    edges: [f64; D],
    depth: u32,
) -> f64 {
    let cell: f64 = edges.iter().product();
    let half_diagonal = 0.5 * edges.iter().map(|e| e * e).sum::<f64>().sqrt();
    let surface = region.surface(middle, 0.0);
    if surface.distance >= half_diagonal {
        return 0.0;
    }
    if surface.distance <= -half_diagonal {
        return cell;
    }
    if depth == 0 {
        // Width of the cell seen along the normal.
        let width: f64 = (0..D).map(|a| edges[a] * surface.normal[a].abs()).sum();
        return cell * (0.5 - surface.distance / width).clamp(0.0, 1.0);
    }
    let halves = edges.map(|e| 0.5 * e);
    (0..1usize << D)
        .map(|corner| {
            let mut x = middle;
            for a in 0..D {
                let sign = if corner >> a & 1 == 1 { 0.5 } else { -0.5 };
                x[a] += sign * halves[a];
            }
            part(region, x, halves, depth - 1)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use thixo::LevelSet;
    use thixo::collide::shape::{Cuboid, Sphere, Surface, Torus};

    use super::*;

    /// A solid that does not know its volume.
    #[derive(Debug)]
    struct Unknown<S>(S);

    impl<const D: usize, S: LevelSet<D>> LevelSet<D> for Unknown<S> {
        fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
            self.0.surface(position, time)
        }
        fn thickness(&self) -> f64 {
            self.0.thickness()
        }
        fn clearance(&self) -> f64 {
            self.0.clearance()
        }
    }
    impl<const D: usize, S: LevelSet<D>> Region<D> for Unknown<S> {
        fn bounds(&self) -> Option<Bounds<D>> {
            None
        }
        fn volume(&self) -> Option<f64> {
            None
        }
    }

    fn check<const D: usize>(solid: impl LevelSet<D>, half: [f64; D], exact: f64, error: f64) {
        let bounds = Bounds {
            min: half.map(|h| 0.1 - h),
            max: half.map(|h| 0.1 + h),
        };
        let found = volume(&Unknown(solid), &bounds);
        assert!((found / exact - 1.0).abs() < error, "{found} {exact}");
    }

    #[test]
    fn volumes_are_found_to_a_thousandth() {
        check(
            Sphere::new([0.1; 3], 0.5).unwrap(),
            [0.5; 3],
            PI / 6.0,
            1e-3,
        );
        check(
            Sphere::new([0.1; 2], 0.5).unwrap(),
            [0.5; 2],
            PI / 4.0,
            1e-3,
        );
        // Far more room around it than it fills.
        check(
            Sphere::new([0.1; 3], 0.05).unwrap(),
            [0.5; 3],
            PI / 6.0 * 1e-3,
            1e-3,
        );
        let ring = Torus::new([0.1; 3], [1.0, 2.0, 3.0], 0.3, 0.02).unwrap();
        check(ring, [0.35; 3], 2.0 * PI * PI * 0.3 * 0.02 * 0.02, 1e-3);
        // Its own box, exactly; another box, nearly.
        let block = || Cuboid::new([-0.2, 0.0, 0.05], [0.4, 0.2, 0.15]).unwrap();
        check(block(), [0.3, 0.1, 0.05], 0.6 * 0.2 * 0.1, 1e-12);
        check(block(), [0.37, 0.41, 0.33], 0.6 * 0.2 * 0.1, 1e-3);
    }
}
