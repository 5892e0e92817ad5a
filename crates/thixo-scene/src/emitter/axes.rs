//! The axes of a stream: its direction, and what lies across.

/// The scalar product.
pub(super) fn dot<const D: usize>(a: [f64; D], b: [f64; D]) -> f64 {
    (0..D).map(|k| a[k] * b[k]).sum()
}

/// Orthogonal unit vectors, the last along `direction`, the others as near to the coordinate axes
/// as can be.
pub(super) fn orthonormal_frame<const D: usize>(direction: [f64; D]) -> [[f64; D]; D] {
    let length = dot(direction, direction).sqrt();
    let along = direction.map(|d| d / length);
    let mut order: Vec<usize> = (0..D).collect();
    order.sort_by(|&a, &b| along[a].abs().total_cmp(&along[b].abs()));
    // The axis nearest to the direction is left out; the others keep their order.
    order.truncate(D - 1);
    order.sort_unstable();
    let mut axes = [along; D];
    for (k, &axis) in order.iter().enumerate() {
        let mut unit = [0.0; D];
        unit[axis] = 1.0;
        for earlier in axes[..k].iter().chain([&along]) {
            let part = dot(unit, *earlier);
            for a in 0..D {
                unit[a] -= part * earlier[a];
            }
        }
        let length = dot(unit, unit).sqrt();
        axes[k] = unit.map(|u| u / length);
    }
    axes
}
