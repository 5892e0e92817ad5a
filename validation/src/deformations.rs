//! Deformations to try constitutive laws with.

use thixo_math::{Matrix, Vector};

use crate::sampling::noise;

/// R₁ diag(σ) R₂ with stretches from 0.6 to 1.6: every eighth sample is a rotation, every eighth
/// has stretches 1e-7 apart.
pub fn deformation<const D: usize>(k: u64) -> Matrix<f64, D> {
    let stretch = core::array::from_fn(|a| match k % 8 {
        0 => 1.0,
        1 => 1.1 + 0.5 * noise(k, 0) + 1e-7 * a as f64,
        _ => 1.1 + 0.5 * noise(k, a as u64),
    });
    rotation::<D>(k) * Matrix::from_diagonal(Vector(stretch)) * rotation::<D>(k + 1000)
}

/// A matrix with entries between −1 and 1.
pub fn random<const D: usize>(seed: u64, first: u64) -> Matrix<f64, D> {
    let mut out = Matrix::zero();
    for i in 0..D {
        for j in 0..D {
            out[i][j] = noise(seed, first + (D * i + j) as u64);
        }
    }
    out
}

/// A turn in the first plane and, in 3D, one in the second.
pub fn rotation<const D: usize>(k: u64) -> Matrix<f64, D> {
    let mut out = Matrix::identity();
    for a in 0..D - 1 {
        let (s, c) = (3.0 * noise(k, 50 + a as u64)).sin_cos();
        let mut turn = Matrix::identity();
        turn[a][a] = c;
        turn[a][a + 1] = -s;
        turn[a + 1][a] = s;
        turn[a + 1][a + 1] = c;
        out = out * turn;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_are_rotations() {
        for k in 0..50 {
            let q = rotation::<3>(k);
            let error = q * q.transpose() - Matrix::identity();
            assert!(error.norm_squared() < 1e-28);
            assert!(deformation::<3>(k).determinant() > 0.2);
            assert!((deformation::<2>(8 * k).determinant() - 1.0).abs() < 1e-14);
        }
    }
}
