//! Stress from energy: τ = (∂ψ/∂F) Fᵀ, point by point.
//!
//! **Source.** The definition of a hyperelastic material; \[Jiang2016\] §6, errata E4, E35.
//!
//! **Setup.** One material point, no grid, double precision. For every model with an energy: 400 deformations each in 2D and
//! 3D, R₁ diag(σ) R₂ with stretches from 0.6 to 1.6, among them rotations and stretches that differ by 1e-7.
//!
//! **Measured.** The largest difference between τ and the central difference of ψ with ε = 1e-5, times Fᵀ; the stress at rest;
//! τ(QF) − Q τ(F) Qᵀ for rotations Q; each relative to ‖τ‖ plus the modulus at rest. For fluids also −J dp/dJ at
//! rest against the bulk modulus.
//!
//! **Expected.** Zero, by definition, by the choice of the energy, and by objectivity; K.
//!
//! **Tolerance.** 1e-6: with ε = 1e-5 truncation and cancellation contribute around 1e-10 each; the rest is margin for strongly deformed
//! states. Objectivity and the rest state hold to rounding: 1e-12.
//!
//! **Negative controls.** The stress with FᵀF in place of F Fᵀ, the energy with F_ab F_ba in place of F_ab F_ab, and Tait's
//! law without the division by γ must miss.

use anyhow::{Context, Result};
use thixo::material::elastic::NeoHookean;
use thixo::material::fluid::{PressureLaw, WeaklyCompressible};
use thixo::material::{Constitutive, Model, State};
use thixo_math::{Matrix, Vector};

use crate::sampling::noise;
use crate::{Effort, Row};

const DIFFERENCE: f64 = 1e-6;
const ROUNDING: f64 = 1e-12;
/// Young's modulus \[Pa\], Poisson's ratio, bulk modulus \[Pa\].
const YOUNG: f64 = 1.0e4;
const POISSON: f64 = 0.3;
const BULK: f64 = 2.0e4;
/// The exponent of Tait's law for water.
const GAMMA: f64 = 7.0;

type StateOf<C, const D: usize> = <<C as Constitutive>::Model<f64> as Model<f64>>::State<D>;

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let samples = match effort {
        Effort::Quick => 100,
        Effort::Full => 400,
    };
    let mut rows = Vec::new();
    for (name, nu) in [("neo-Hookean", POISSON), ("neo-Hookean ν = 0", 0.0)] {
        let law = NeoHookean::from_young_poisson(YOUNG, nu)?;
        rows.extend(compare::<_, 2>(name, &law, samples)?);
        rows.extend(compare::<_, 3>(name, &law, samples)?);
    }
    for (name, law) in [
        ("fluid, linear", PressureLaw::Linear),
        ("fluid, Tait 7", PressureLaw::Tait { exponent: GAMMA }),
        ("fluid, Tait 1.4", PressureLaw::Tait { exponent: 1.4 }),
    ] {
        let law = WeaklyCompressible::new(BULK, 0.0, law)?;
        rows.extend(compare::<_, 2>(name, &law, samples)?);
        rows.extend(compare::<_, 3>(name, &law, samples)?);
        rows.push(Row::relative(
            format!("stress from energy {name}"),
            "bulk modulus at rest [Pa]",
            BULK,
            bulk_modulus(|j| pressure(&law, j)),
            DIFFERENCE,
        ));
    }
    rows.extend(controls(samples)?);
    Ok(rows)
}

/// Compares stress and energy of a law, its rest state and its objectivity.
fn compare<C: Constitutive, const D: usize>(name: &str, law: &C, samples: u64) -> Result<Vec<Row>> {
    let model = law.uniform_model::<f64>();
    let stress = |f: &Matrix<f64, D>| {
        model.kirchhoff_stress(&StateOf::<C, D>::from_deformation(f), &Matrix::zero())
    };
    let energy = |f: &Matrix<f64, D>| {
        model
            .energy_density(&StateOf::<C, D>::from_deformation(f))
            .context("the law has no energy")
    };
    let rest = Matrix::identity();
    let modulus = model.stiffness(&StateOf::<C, D>::from_deformation(&rest));
    let mut turned = 0.0f64;
    for k in 0..samples {
        let (f, q) = (deformation::<D>(k), rotation::<D>(k + 7));
        let expected = q * stress(&f) * q.transpose();
        let error = norm(stress(&(q * f)) - expected);
        turned = turned.max(error / (norm(expected) + modulus));
    }
    let case = format!("stress from energy {D}D {name}");
    let at_rest = norm(stress(&rest)) / modulus;
    Ok(vec![
        Row::zero(
            &case,
            "τ − ∂ψ/∂F Fᵀ, relative",
            mismatch(modulus, samples, energy, stress)?,
            DIFFERENCE,
        ),
        Row::zero(&case, "τ at rest, relative", at_rest, ROUNDING),
        Row::zero(&case, "τ(QF) − Q τ Qᵀ, relative", turned, ROUNDING),
    ])
}

/// Laws that are wrong on purpose.
fn controls(samples: u64) -> Result<Vec<Row>> {
    let law = NeoHookean::from_young_poisson(YOUNG, POISSON)?;
    let (mu, _) = thixo::material::elastic::lame(YOUNG, POISSON)?;
    let model = law.uniform_model::<f64>();
    let energy = |f: &Matrix<f64, 2>| {
        model
            .energy_density::<2>(f)
            .context("the law has no energy")
    };
    let stress = |f: &Matrix<f64, 2>| model.kirchhoff_stress::<2>(f, &Matrix::zero());
    let modulus = model.stiffness::<2>(&Matrix::identity());
    let swapped_stress = |f: &Matrix<f64, 2>| {
        let (left, right) = (*f * f.transpose(), f.transpose() * *f);
        stress(f) + (right - left) * mu
    };
    let swapped_energy = |f: &Matrix<f64, 2>| {
        let (square, swapped) = (f.norm_squared(), (*f * *f).trace());
        Ok(energy(f)? + 0.5 * mu * (swapped - square))
    };
    let tait = WeaklyCompressible::new(BULK, 0.0, PressureLaw::Tait { exponent: GAMMA })?;
    let quantity = "τ − ∂ψ/∂F Fᵀ, relative";
    Ok(vec![
        Row::zero(
            "stress from energy, FᵀF in the stress",
            quantity,
            mismatch(modulus, samples, energy, swapped_stress)?,
            DIFFERENCE,
        )
        .must_miss(),
        Row::zero(
            "stress from energy, F_ab F_ba in the energy",
            quantity,
            mismatch(modulus, samples, swapped_energy, stress)?,
            DIFFERENCE,
        )
        .must_miss(),
        Row::relative(
            "stress from energy, Tait without 1/γ",
            "bulk modulus at rest [Pa]",
            BULK,
            bulk_modulus(|j| GAMMA * pressure(&tait, j)),
            DIFFERENCE,
        )
        .must_miss(),
    ])
}

/// Largest relative difference between a stress and the slope of an energy.
fn mismatch<const D: usize>(
    modulus: f64,
    samples: u64,
    energy: impl Fn(&Matrix<f64, D>) -> Result<f64>,
    stress: impl Fn(&Matrix<f64, D>) -> Matrix<f64, D>,
) -> Result<f64> {
    let e = 1e-5;
    let mut worst = 0.0f64;
    for k in 0..samples {
        let f = deformation::<D>(k);
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
        // `max` would forget a number that is not one.
        if !error.is_finite() {
            return Ok(error);
        }
        worst = worst.max(error);
    }
    Ok(worst)
}

fn pressure(law: &WeaklyCompressible, j: f64) -> f64 {
    let state = thixo::material::VolumeRatio(j);
    let tau = law
        .uniform_model::<f64>()
        .kirchhoff_stress::<3>(&state, &Matrix::zero());
    -tau[0][0] / j
}

/// −J dp/dJ at J = 1.
fn bulk_modulus(pressure: impl Fn(f64) -> f64) -> f64 {
    let e = 1e-5;
    (pressure(1.0 - e) - pressure(1.0 + e)) / (2.0 * e)
}

fn norm<const D: usize>(m: Matrix<f64, D>) -> f64 {
    m.norm_squared().sqrt()
}

/// Every eighth sample is a rotation, every eighth has stretches 1e-7 apart.
fn deformation<const D: usize>(k: u64) -> Matrix<f64, D> {
    let stretch = core::array::from_fn(|a| match k % 8 {
        0 => 1.0,
        1 => 1.1 + 0.5 * noise(k, 0) + 1e-7 * a as f64,
        _ => 1.1 + 0.5 * noise(k, a as u64),
    });
    rotation::<D>(k) * Matrix::from_diagonal(Vector(stretch)) * rotation::<D>(k + 1000)
}

/// A turn in the first plane and, in 3D, one in the second.
fn rotation<const D: usize>(k: u64) -> Matrix<f64, D> {
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
