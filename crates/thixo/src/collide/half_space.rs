//! Projection on an intersection of half-spaces: the place nearest to a point that is outside of
//! several planar obstacles at once. Few constraints, so that their active sets are enumerated.

use thixo_math::Vector;

/// Most half-spaces of an intersection; the ones violated least are ignored beyond.
const MAX_HALF_SPACES: usize = 8;
/// Steps towards the least violation of half-spaces that have no point in common.
const ITERATIONS: usize = 40;
/// Violation that counts as none, in units of the largest violation at the start.
const TOLERANCE: f64 = 1e-6;

/// All points x with n · (x − p) ≥ m.
#[derive(Clone, Copy, Debug)]
pub(super) struct HalfSpace<const D: usize> {
    /// Unit normal n, which points into the half-space \[–\].
    pub normal: Vector<f64, D>,
    /// The point p.
    pub point: Vector<f64, D>,
    /// The margin m.
    pub margin: f64,
}

impl<const D: usize> HalfSpace<D> {
    /// Distance of a point from the boundary, negative outside of the half-space.
    pub fn excess(&self, x: Vector<f64, D>) -> f64 {
        self.normal.dot(x - self.point) - self.margin
    }
}

/// The largest violation of half-spaces at a point, 0 in their intersection.
pub(super) fn violation<const D: usize>(x: Vector<f64, D>, list: &[HalfSpace<D>]) -> f64 {
    list.iter()
        .fold(0.0, |largest: f64, half| largest.max(-half.excess(x)))
}

/// The point of an intersection of half-spaces that is nearest to `x`; the point of the least
/// violation, nearly, if there is none.
pub(super) fn nearest_point<const D: usize>(
    x: Vector<f64, D>,
    list: &[HalfSpace<D>],
) -> Vector<f64, D> {
    let largest = violation(x, list);
    if largest <= 0.0 {
        return x;
    }
    let mut kept;
    let list = if list.len() > MAX_HALF_SPACES {
        kept = list.to_vec();
        kept.sort_by(|a, b| a.excess(x).total_cmp(&b.excess(x)));
        &kept[..MAX_HALF_SPACES]
    } else {
        list
    };
    let mut nearest: Option<(f64, Vector<f64, D>)> = None;
    for mask in 1u32..1 << list.len() {
        if mask.count_ones() as usize > D {
            continue;
        }
        let Some(y) = on_boundaries(x, list, mask) else {
            continue;
        };
        let distance = (y - x).norm();
        if violation(y, list) <= TOLERANCE * largest
            && nearest.is_none_or(|(other, _)| distance < other)
        {
            nearest = Some((distance, y));
        }
    }
    nearest.map_or_else(|| least_violation(x, list), |(_, y)| y)
}

/// The point nearest to `x` on the boundaries of the half-spaces of a mask, from their Gram matrix;
/// none if they are parallel.
fn on_boundaries<const D: usize>(
    x: Vector<f64, D>,
    list: &[HalfSpace<D>],
    mask: u32,
) -> Option<Vector<f64, D>> {
    let mut active = [0; D];
    let mut count = 0;
    for k in (0..list.len()).filter(|k| mask >> k & 1 == 1) {
        active[count] = k;
        count += 1;
    }
    // Gram matrix and right side, eliminated in place with the largest pivot of the diagonal.
    let mut gram = [[0.0; D]; D];
    let mut right = [0.0; D];
    for i in 0..count {
        let own = &list[active[i]];
        right[i] = -own.excess(x);
        for j in 0..count {
            gram[i][j] = own.normal.dot(list[active[j]].normal);
        }
    }
    for i in 0..count {
        // The matrix is symmetric and positive definite, or its normals depend on each other.
        if gram[i][i] < 1e-9 {
            return None;
        }
        for j in i + 1..count {
            let factor = gram[j][i] / gram[i][i];
            for k in i..count {
                gram[j][k] -= factor * gram[i][k];
            }
            right[j] -= factor * right[i];
        }
    }
    let mut y = x;
    for i in (0..count).rev() {
        for j in i + 1..count {
            right[i] -= gram[i][j] * right[j];
        }
        right[i] /= gram[i][i];
        y += list[active[i]].normal * right[i];
    }
    Some(y)
}

/// A point near that of the least largest violation, by subgradient steps.
fn least_violation<const D: usize>(x: Vector<f64, D>, list: &[HalfSpace<D>]) -> Vector<f64, D> {
    let mut y = x;
    let mut best = (violation(x, list), x);
    for step in 0..ITERATIONS {
        let worst = list
            .iter()
            .min_by(|a, b| a.excess(y).total_cmp(&b.excess(y)));
        let Some(worst) = worst else { break };
        y -= worst.normal * (worst.excess(y) / (step + 2) as f64);
        let left = violation(y, list);
        if left < best.0 {
            best = (left, y);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half<const D: usize>(normal: [f64; D], offset: f64) -> HalfSpace<D> {
        let normal = Vector(normal) * (1.0 / Vector(normal).norm());
        HalfSpace {
            normal,
            point: normal * offset,
            margin: 0.0,
        }
    }

    #[test]
    fn the_nearest_point_of_a_corner_is_on_a_face_an_edge_or_the_corner() {
        let corner = [
            half([1.0, 0.0, 0.0], 0.0),
            half([0.0, 1.0, 0.0], 0.0),
            half([0.0, 0.0, 1.0], 0.0),
        ];
        let at = |x| nearest_point(Vector(x), &corner).0;
        assert_eq!(at([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]);
        assert_eq!(at([-1.0, 2.0, 3.0]), [0.0, 2.0, 3.0]);
        assert_eq!(at([-1.0, -2.0, 3.0]), [0.0, 0.0, 3.0]);
        assert_eq!(at([-1.0, -2.0, -3.0]), [0.0; 3]);
    }

    #[test]
    fn leaving_one_face_of_a_wedge_is_not_enough() {
        // The projection on the steep face alone is still behind the other one.
        let wedge = [half([0.0, 1.0], 0.0), half([1.0, -0.8], 0.0)];
        let y = nearest_point(Vector([-1.0, 0.1]), &wedge);
        assert!(violation(y, &wedge) < 1e-12, "{y:?}");
        let alone = nearest_point(Vector([-1.0, 0.1]), &wedge[1..]);
        assert!(violation(alone, &wedge) > 0.1);
    }

    #[test]
    fn between_plates_that_overlap_the_middle_is_least_wrong() {
        let closed = [half([0.0, 1.0], 0.3), half([0.0, -1.0], 0.1)];
        for y in [-2.0, 0.0, 5.0] {
            let y = nearest_point(Vector([0.7, y]), &closed);
            let least = violation(y, &closed);
            assert!((y[0] - 0.7).abs() < 1e-12 && least < 0.25, "{y:?}: {least}");
        }
    }

    #[test]
    fn parallel_and_many_planes_are_no_trouble() {
        let twice = vec![half([0.0, 1.0], 0.3); 12];
        let y = nearest_point(Vector([0.7, 0.0]), &twice);
        assert!((y - Vector([0.7, 0.3])).norm() < 1e-12, "{y:?}");
    }
}
