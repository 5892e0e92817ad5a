//! Elements on the surface of a solid given by its signed distance.

use super::SurfaceElement;
use crate::collide::LevelSet;
use crate::error::{BuildError, positive};

/// Largest number of lattice points in the search for a surface.
const MAX_POINTS: f64 = 1e9;

/// Elements about `spacing` apart \[m\] on the part of the solid's surface (at time 0) for which
/// `chosen` holds, found between the corners `low` and `high` \[m\].
///
/// Every point of a lattice nearer to the surface than ε represents an element of it: the point is
/// moved to the surface and gets the area δ_ε(φ) aᵈ, δ_ε being the hat function of half-width ε = a
/// Σ|n_k|, with which sums over the lattice are consistent (\[Engquist2005\]). For faces parallel
/// to the lattice, the area is exact.
pub fn sample_surface<const D: usize>(
    solid: &dyn LevelSet<D>,
    low: [f64; D],
    high: [f64; D],
    spacing: f64,
    chosen: impl Fn([f64; D]) -> bool,
) -> Result<Vec<SurfaceElement<D>>, BuildError> {
    positive("spacing", "distance of surface elements [m]", spacing)?;
    let mut counts = [0usize; D];
    let mut points = 1.0f64;
    for a in 0..D {
        // One point beyond either end, in the support of the hat function of a surface at the end.
        let cells = ((high[a] - low[a]) / spacing).ceil() + 4.0;
        points *= if cells >= 4.0 { cells } else { f64::NAN };
        counts[a] = cells as usize;
    }
    if !(points > 0.0 && points <= MAX_POINTS) {
        return Err(BuildError::OutOfRange {
            key: "spacing",
            quantity: "number of points that a surface is looked for at",
            value: points,
            range: "at most 1e9; take a larger distance of surface elements, or finite corners",
        });
    }
    let cell = spacing.powi(D as i32);
    let mut out = Vec::new();
    for k in 0..counts.iter().product() {
        let mut rest: usize = k;
        let mut x = [0.0; D];
        for a in (0..D).rev() {
            x[a] = low[a] + ((rest % counts[a]) as f64 - 1.5) * spacing;
            rest /= counts[a];
        }
        let surface = solid.surface(x, 0.0);
        let width = spacing * surface.normal.iter().map(|n| n.abs()).sum::<f64>();
        let hat = (1.0 - surface.distance.abs() / width) / width;
        if hat <= 0.0 {
            continue;
        }
        let mut element = SurfaceElement {
            position: x,
            area: surface.normal.map(|n| n * hat * cell),
        };
        for a in 0..D {
            element.position[a] -= surface.distance * surface.normal[a];
        }
        if chosen(element.position) {
            out.push(element);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::shape::{Cuboid, Sphere};

    fn total<const D: usize>(elements: &[SurfaceElement<D>]) -> (f64, [f64; D]) {
        let mut area = 0.0;
        let mut net = [0.0; D];
        for element in elements {
            area += element.area.iter().map(|a| a * a).sum::<f64>().sqrt();
            for a in 0..D {
                net[a] += element.area[a];
            }
        }
        (area, net)
    }

    #[test]
    fn areas_add_up_to_that_of_a_sphere_and_close() {
        let ball = Sphere::new([0.1, -0.2, 0.3], 0.5).unwrap();
        let elements =
            sample_surface(&ball, [-0.4, -0.7, -0.2], [0.6, 0.3, 0.8], 0.02, |_| true).unwrap();
        let (area, net) = total(&elements);
        let exact = std::f64::consts::PI;
        assert!((area / exact - 1.0).abs() < 5e-3, "{area}");
        assert!(net.iter().all(|x| x.abs() < 1e-3), "{net:?}");
        for element in &elements {
            let r: f64 = (0..3)
                .map(|a| (element.position[a] - [0.1, -0.2, 0.3][a]).powi(2))
                .sum();
            assert!((r.sqrt() - 0.5).abs() < 1e-12);
        }
    }

    #[test]
    fn a_face_is_chosen_by_place() {
        let block = Cuboid::new([0.0, 0.0], [1.0, 2.0]).unwrap();
        let elements =
            sample_surface(&block, [0.0, 0.0], [1.0, 2.0], 0.01, |x| x[1] > 1.999).unwrap();
        let (area, net) = total(&elements);
        assert!((area - 1.0).abs() < 0.02, "{area}");
        assert!(
            (net[1] - 1.0).abs() < 0.02 && net[0].abs() < 1e-12,
            "{net:?}"
        );
    }

    #[test]
    fn hopeless_lattices_are_refused() {
        let ball = Sphere::new([0.0; 3], 0.5).unwrap();
        let refused = |high: f64, spacing| {
            sample_surface(&ball, [0.0; 3], [high; 3], spacing, |_| true).is_err()
        };
        assert!(refused(1.0, 0.0));
        assert!(refused(1.0, 1e-6));
        assert!(refused(f64::NAN, 0.1));
        assert!(refused(f64::INFINITY, 0.1));
        assert!(refused(-100.0, 0.1));
        assert!(!refused(1.0, 0.1));
    }
}
