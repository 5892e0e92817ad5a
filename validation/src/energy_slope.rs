//! Stress against the slope of an energy, by central differences (errata E5).

use anyhow::{Context, Result, ensure};
use thixo::material::{Constitutive, Model, State};
use thixo_math::Matrix;

use crate::deformations::{deformation, random, rotation};
use crate::row::worse;

/// The ε of differences.
pub const EPSILON: f64 = 1e-5;

/// A law at a deformation from which nothing has flowed yet.
pub struct Point<C: Constitutive, const D: usize> {
    model: C::Model<f64>,
}

impl<C: Constitutive, const D: usize> Point<C, D> {
    /// The law with its own parameters.
    pub fn new(law: &C) -> Self {
        Self {
            model: law.uniform_model::<f64>(),
        }
    }
    /// Kirchhoff stress \[Pa\].
    pub fn stress(&self, f: &Matrix<f64, D>) -> Matrix<f64, D> {
        let state = self.model.initial_state(f);
        self.model.kirchhoff_stress(&state, &Matrix::zero())
    }
    /// Energy density \[J/m³\].
    pub fn energy(&self, f: &Matrix<f64, D>) -> Result<f64> {
        let state = self.model.initial_state(f);
        self.model
            .energy_density(&state)
            .context("the law has no energy")
    }
    /// The modulus at rest \[Pa\].
    pub fn modulus(&self) -> f64 {
        let state = self.model.initial_state(&Matrix::<f64, D>::identity());
        self.model.stiffness(&state)
    }
    /// Largest differences: from the slope of the energy, at rest, and under rotation.
    pub fn errors(&self, samples: u64) -> Result<[f64; 3]> {
        let modulus = self.modulus();
        let rest = Matrix::identity();
        let at_rest = worse(norm(self.stress(&rest)), self.energy(&rest)?.abs()) / modulus;
        let mut turned = 0.0f64;
        for k in 0..samples {
            let (f, q) = (deformation::<D>(k), rotation::<D>(k + 7));
            let expected = q * self.stress(&f) * q.transpose();
            let error = norm(self.stress(&(q * f)) - expected);
            turned = worse(turned, error / (norm(expected) + modulus));
        }
        Ok([
            mismatch(
                modulus,
                samples,
                deformation,
                |f| self.energy(f),
                |f| self.stress(f),
            )?,
            at_rest,
            turned,
        ])
    }
    /// Largest difference between stress and slope of the energy in states with a past.
    pub fn error_with_past(&self, samples: u64) -> Result<f64> {
        let modulus = self.modulus();
        let (mut worst, mut flow) = (0.0f64, 0.0f64);
        for k in 0..samples {
            let mut total = Matrix::identity();
            let mut state = self.model.initial_state(&total);
            for step in 0..5 {
                let increment = random::<D>(k, 100 * (step + 1)) * 0.15;
                total = (Matrix::identity() + increment) * total;
                self.model.advance(&mut state, &increment, 0.1);
                self.model.return_map(&mut state, 0.1);
            }
            let tau = self.model.kirchhoff_stress(&state, &Matrix::zero());
            flow = flow.max(norm(tau - self.stress(&total)) / modulus);
            let energy = |i: usize, j: usize, e: f64| {
                let mut increment = Matrix::zero();
                increment[i][j] = e;
                let mut moved = state;
                moved.advance(&increment);
                self.model
                    .energy_density(&moved)
                    .context("the law has no energy")
            };
            let mut slope = Matrix::zero();
            for i in 0..D {
                for j in 0..D {
                    let rise = energy(i, j, EPSILON)? - energy(i, j, -EPSILON)?;
                    slope[i][j] = rise / (2.0 * EPSILON);
                }
            }
            let error = norm(tau - slope) / (norm(slope) + modulus);
            worst = worse(worst, error);
        }
        ensure!(flow > 1e-3, "{} did not flow", C::NAME);
        Ok(worst)
    }
}

/// Largest relative difference between a stress and the slope of an energy.
pub fn mismatch<const D: usize>(
    modulus: f64,
    samples: u64,
    sample: impl Fn(u64) -> Matrix<f64, D>,
    energy: impl Fn(&Matrix<f64, D>) -> Result<f64>,
    stress: impl Fn(&Matrix<f64, D>) -> Matrix<f64, D>,
) -> Result<f64> {
    let e = EPSILON;
    let mut worst = 0.0f64;
    for k in 0..samples {
        let f = sample(k);
        let mut slope = Matrix::zero();
        for i in 0..D {
            for j in 0..D {
                let (mut above, mut below) = (f, f);
                above[i][j] += e;
                below[i][j] -= e;
                slope[i][j] = (energy(&above)? - energy(&below)?) / (2.0 * e);
            }
        }
        let expected = slope * f.transpose();
        let error = norm(stress(&f) - expected) / (norm(expected) + modulus);
        worst = worse(worst, error);
    }
    Ok(worst)
}

fn norm<const D: usize>(m: Matrix<f64, D>) -> f64 {
    m.norm_squared().sqrt()
}
