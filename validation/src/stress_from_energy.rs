//! Stress from energy: τ = (∂ψ/∂F) Fᵀ, point by point.
//!
//! **Source.** The definition of a hyperelastic material; \[Jiang2016\] §6, errata E4–E6, E14, E34, E35.
//!
//! **Setup.** One material point, no grid, double precision, 2D and 3D. For every model with an energy: 400 deformations,
//! R₁ diag(σ) R₂ with stretches from 0.6 to 1.6, among them rotations and stretches that differ by 1e-7; for the two solids that are
//! defined there, as many with the last stretch between −0.5 and −0.1. For matter that flows also states with a past: five random
//! steps with flow or relaxation after each.
//!
//! **Measured.** The largest difference between τ and the central difference of ψ with ε = 1e-5, times Fᵀ; where there is a past and
//! hence no F, τ_ij against the difference of ψ along (I ± ε e_i e_jᵀ) F; stress and energy at rest; τ(QF) − Q τ(F) Qᵀ for
//! rotations Q; each relative to ‖τ‖ plus the modulus at rest. For fluids also −J dp/dJ at rest against the bulk modulus.
//!
//! **Expected.** Zero, by definition, by the choice of the energy, and by objectivity; K.
//!
//! **Tolerance.** 1e-6: with ε = 1e-5 truncation and cancellation contribute around 1e-10 each; the rest is margin for strongly deformed
//! states. Objectivity and the rest state hold to rounding: 1e-12.
//!
//! **Negative controls.** The stress with FᵀF in place of F Fᵀ; the energy with F_ab F_ba in place of F_ab F_ab; Tait's law
//! without the division by γ; Hencky's stress read as σ; stretches without the sign of det F; snow's energy without its hardening; and the
//! exponents of Oldroyd-B for three dimensions in two, must miss.

use anyhow::{Context, Result, ensure};
use thixo::material::elastic::{
    FixedCorotated, Hencky, NeoHookean, SplitCorotated, StVenantKirchhoff, lame,
};
use thixo::material::fluid::{OldroydB, OldroydForm, PressureLaw, WeaklyCompressible};
use thixo::material::plastic::{
    DruckerPrager, FrictionHardening, HerschelBulkley, MultiplicativePlasticity, Snow, VonMises,
};
use thixo::material::principal::Isotropic;
use thixo::material::{Constitutive, Model, State};
use thixo_math::{Matrix, Vector};

use crate::deformations::{deformation, inversion, random, rotation};
use crate::{Effort, Row};

const DIFFERENCE: f64 = 1e-6;
const ROUNDING: f64 = 1e-12;
/// The ε of differences.
const EPSILON: f64 = 1e-5;
/// Young's modulus \[Pa\], Poisson's ratio, bulk modulus \[Pa\].
const YOUNG: f64 = 1.0e4;
const POISSON: f64 = 0.3;
const BULK: f64 = 2.0e4;
/// The exponent of Tait's law for water.
const GAMMA: f64 = 7.0;
/// Yield stress \[Pa\] of matter that yields.
const YIELD: f64 = 500.0;
/// ξ of snow, and the J_P with which it enters.
const HARDENING: f64 = 5.0;
const PACKED: f64 = 0.95;

const SLOPE: &str = "τ − ∂ψ/∂F Fᵀ, relative";

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let samples = match effort {
        Effort::Quick => 100,
        Effort::Full => 400,
    };
    let mut rows = solids(samples)?;
    rows.extend(plastic(samples)?);
    rows.extend(fluids(samples)?);
    rows.extend(controls(samples)?);
    Ok(rows)
}

fn solids(samples: u64) -> Result<Vec<Row>> {
    let (mu, lambda) = lame(YOUNG, POISSON)?;
    let corotated = FixedCorotated::from_lame(mu, lambda)?;
    let green = StVenantKirchhoff::from_lame(mu, lambda)?;
    let mut rows = Vec::new();
    let soft = NeoHookean::from_young_poisson(YOUNG, 0.0)?;
    rows.extend(compare(
        "neo-Hookean",
        &NeoHookean::from_lame(mu, lambda)?,
        samples,
    )?);
    rows.extend(compare("neo-Hookean ν = 0", &soft, samples)?);
    rows.extend(compare("fixed corotated", &corotated, samples)?);
    rows.push(inverted("fixed corotated", &corotated, samples)?);
    rows.extend(compare(
        "split corotated",
        &SplitCorotated::new(mu, lambda)?,
        samples,
    )?);
    rows.extend(compare("St. Venant-Kirchhoff", &green, samples)?);
    rows.push(inverted("St. Venant-Kirchhoff", &green, samples)?);
    rows.extend(compare("Hencky", &Hencky::from_lame(mu, lambda)?, samples)?);
    Ok(rows)
}

fn plastic(samples: u64) -> Result<Vec<Row>> {
    fn both<C: Constitutive>(name: &str, law: &C, samples: u64) -> Result<Vec<Row>> {
        let mut rows = compare(name, law, samples)?;
        rows.push(flowed(name, law, samples)?);
        Ok(rows)
    }
    let (mu, lambda) = lame(YOUNG, POISSON)?;
    let friction = FrictionHardening::constant(30.0);
    let sand = DruckerPrager::new(YOUNG, POISSON, friction)?;
    let metal = VonMises::new(YOUNG, POISSON, YIELD)?;
    let foam = HerschelBulkley::new(YOUNG, POISSON, YIELD, 100.0, 0.7)?;
    let dough =
        MultiplicativePlasticity::new(YOUNG, POISSON, YIELD, 10.0)?.with_hardening(300.0)?;
    let mut rows = Vec::new();
    let snow = snow(NeoHookean::from_lame(mu, lambda)?, HARDENING)?;
    rows.extend(both("snow, neo-Hookean", &snow, samples)?);
    let snow = self::snow(FixedCorotated::from_lame(mu, lambda)?, HARDENING)?;
    rows.extend(both("snow, fixed corotated", &snow, samples)?);
    let snow = self::snow(SplitCorotated::new(mu, lambda)?, HARDENING)?;
    rows.extend(both("snow, split corotated", &snow, samples)?);
    let snow = self::snow(StVenantKirchhoff::from_lame(mu, lambda)?, HARDENING)?;
    rows.extend(both("snow, St. Venant-Kirchhoff", &snow, samples)?);
    let snow = self::snow(Hencky::from_lame(mu, lambda)?, HARDENING)?;
    rows.extend(both("snow, Hencky", &snow, samples)?);
    rows.extend(both("Drucker-Prager", &sand, samples)?);
    rows.extend(both(
        "Drucker-Prager, cohesive",
        &sand.with_cohesion(YIELD)?,
        samples,
    )?);
    rows.extend(both("von Mises", &metal, samples)?);
    rows.extend(both("Herschel-Bulkley", &foam, samples)?);
    rows.extend(both("multiplicative plasticity", &dough, samples)?);
    for (name, form) in [
        (
            "Oldroyd-B, volume-preserving",
            OldroydForm::VolumePreserving,
        ),
        ("Oldroyd-B, plain", OldroydForm::Plain),
    ] {
        let fluid = OldroydB::new(mu, lambda, 0.5, 0.0)?.with_form(form);
        rows.extend(both(name, &fluid, samples)?);
    }
    Ok(rows)
}

/// Packed snow that hardens.
fn snow<E: Isotropic>(elastic: E, hardening: f64) -> Result<Snow<E>> {
    Ok(Snow::new(elastic, 0.025, 0.0075, hardening)?.with_initial_plastic_volume(PACKED)?)
}

fn fluids(samples: u64) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (name, law) in [
        ("fluid, linear", PressureLaw::Linear),
        ("fluid, Tait 7", PressureLaw::Tait { exponent: GAMMA }),
        ("fluid, Tait 1.4", PressureLaw::Tait { exponent: 1.4 }),
    ] {
        let law = WeaklyCompressible::new(BULK, 0.0, law)?;
        rows.extend(compare(name, &law, samples)?);
        rows.push(Row::relative(
            format!("stress from energy, {name}"),
            "bulk modulus at rest [Pa]",
            BULK,
            bulk_modulus(|j| pressure(&law, j)),
            DIFFERENCE,
        ));
    }
    Ok(rows)
}

/// A law at a deformation from which nothing has flowed yet.
struct Point<C: Constitutive, const D: usize> {
    model: C::Model<f64>,
}

impl<C: Constitutive, const D: usize> Point<C, D> {
    fn new(law: &C) -> Self {
        Self {
            model: law.uniform_model::<f64>(),
        }
    }
    fn stress(&self, f: &Matrix<f64, D>) -> Matrix<f64, D> {
        let state = self.model.initial_state(f);
        self.model.kirchhoff_stress(&state, &Matrix::zero())
    }
    fn energy(&self, f: &Matrix<f64, D>) -> Result<f64> {
        let state = self.model.initial_state(f);
        self.model
            .energy_density(&state)
            .context("the law has no energy")
    }
    /// The modulus at rest \[Pa\].
    fn modulus(&self) -> f64 {
        let state = self.model.initial_state(&Matrix::<f64, D>::identity());
        self.model.stiffness(&state)
    }
    /// Largest differences: from the slope of the energy, at rest, and under rotation.
    fn errors(&self, samples: u64) -> Result<[f64; 3]> {
        let modulus = self.modulus();
        let rest = Matrix::identity();
        let at_rest = norm(self.stress(&rest)).max(self.energy(&rest)?.abs()) / modulus;
        let mut turned = 0.0f64;
        for k in 0..samples {
            let (f, q) = (deformation::<D>(k), rotation::<D>(k + 7));
            let expected = q * self.stress(&f) * q.transpose();
            let error = norm(self.stress(&(q * f)) - expected);
            turned = turned.max(error / (norm(expected) + modulus));
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
    fn error_with_past(&self, samples: u64) -> Result<f64> {
        let modulus = self.modulus();
        let (mut worst, mut flow) = (0.0f64, 0.0f64);
        for k in 0..samples {
            let mut total = Matrix::identity();
            let mut state = self.model.initial_state(&total);
            for step in 0..5 {
                let increment = random::<D>(k, 100 * (step + 1)) * 0.15;
                total = (Matrix::identity() + increment) * total;
                state.advance(&increment);
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
            // `max` would forget a number that is not one.
            if !error.is_finite() {
                return Ok(error);
            }
            worst = worst.max(error);
        }
        ensure!(flow > 1e-3, "{} did not flow", C::NAME);
        Ok(worst)
    }
}

/// Compares stress and energy of a law, its rest state and its objectivity.
fn compare<C: Constitutive>(name: &str, law: &C, samples: u64) -> Result<Vec<Row>> {
    let plane = Point::<C, 2>::new(law).errors(samples)?;
    let space = Point::<C, 3>::new(law).errors(samples)?;
    let case = format!("stress from energy, {name}");
    let rows = [
        (SLOPE, DIFFERENCE),
        ("τ and ψ at rest, relative", ROUNDING),
        ("τ(QF) − Q τ Qᵀ, relative", ROUNDING),
    ];
    Ok(rows
        .into_iter()
        .zip(plane.into_iter().zip(space))
        .map(|((quantity, tolerance), (two, three))| {
            Row::zero(&case, quantity, larger(two, three), tolerance)
        })
        .collect())
}

/// Compares them after flow.
fn flowed<C: Constitutive>(name: &str, law: &C, samples: u64) -> Result<Row> {
    let plane = Point::<C, 2>::new(law).error_with_past(samples)?;
    let space = Point::<C, 3>::new(law).error_with_past(samples)?;
    Ok(Row::zero(
        format!("stress from energy, {name}, after flow"),
        SLOPE,
        larger(plane, space),
        DIFFERENCE,
    ))
}

/// Compares them where matter is turned inside out.
fn inverted<C: Constitutive>(name: &str, law: &C, samples: u64) -> Result<Row> {
    fn error<C: Constitutive, const D: usize>(law: &C, samples: u64) -> Result<f64> {
        let point = Point::<C, D>::new(law);
        let (energy, stress) = (|f: &_| point.energy(f), |f: &_| point.stress(f));
        mismatch(point.modulus(), samples, inversion, energy, stress)
    }
    Ok(Row::zero(
        format!("stress from energy, {name}, inverted"),
        SLOPE,
        larger(error::<C, 2>(law, samples)?, error::<C, 3>(law, samples)?),
        DIFFERENCE,
    ))
}

/// The larger of two errors; a number that is not one is larger than all.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// Laws that are wrong on purpose.
fn controls(samples: u64) -> Result<Vec<Row>> {
    let (mu, lambda) = lame(YOUNG, POISSON)?;
    let rubber = Point::<_, 2>::new(&NeoHookean::from_lame(mu, lambda)?);
    let swapped_stress = |f: &Matrix<f64, 2>| {
        let (left, right) = (*f * f.transpose(), f.transpose() * *f);
        rubber.stress(f) + (right - left) * mu
    };
    let swapped_energy = |f: &Matrix<f64, 2>| {
        let (square, swapped) = (f.norm_squared(), (*f * *f).trace());
        Ok(rubber.energy(f)? + 0.5 * mu * (swapped - square))
    };
    let hencky = Point::<_, 2>::new(&Hencky::from_lame(mu, lambda)?);
    let corotated = Point::<_, 2>::new(&FixedCorotated::from_lame(mu, lambda)?);
    let mirror = Matrix::from_diagonal(Vector([1.0, -1.0]));
    let elastic = NeoHookean::from_lame(mu, lambda)?;
    let hard = Point::<_, 2>::new(&snow(elastic, HARDENING)?);
    let plain = Point::<_, 2>::new(&snow(elastic, 0.0)?);
    let slopes = [
        (
            "FᵀF in the stress",
            mismatch(
                rubber.modulus(),
                samples,
                deformation,
                |f| rubber.energy(f),
                swapped_stress,
            )?,
        ),
        (
            "F_ab F_ba in the energy",
            mismatch(
                rubber.modulus(),
                samples,
                deformation,
                swapped_energy,
                |f| rubber.stress(f),
            )?,
        ),
        (
            "Hencky, σ for τ",
            mismatch(
                hencky.modulus(),
                samples,
                deformation,
                |f| hencky.energy(f),
                |f| hencky.stress(f) * f.determinant(),
            )?,
        ),
        (
            "fixed corotated, stretches without sign",
            mismatch(
                corotated.modulus(),
                samples,
                inversion,
                |f| corotated.energy(&(*f * mirror)),
                |f| corotated.stress(f),
            )?,
        ),
        (
            "snow, energy without hardening",
            mismatch(
                hard.modulus(),
                samples,
                deformation,
                |f| plain.energy(f),
                |f| hard.stress(f),
            )?,
        ),
    ];
    let mut rows: Vec<_> = slopes
        .into_iter()
        .map(|(name, error)| {
            let case = format!("stress from energy, {name}");
            Row::zero(case, SLOPE, error, DIFFERENCE).must_miss()
        })
        .collect();
    let tait = WeaklyCompressible::new(BULK, 0.0, PressureLaw::Tait { exponent: GAMMA })?;
    rows.push(
        Row::relative(
            "stress from energy, Tait without 1/γ",
            "bulk modulus at rest [Pa]",
            BULK,
            bulk_modulus(|j| GAMMA * pressure(&tait, j)),
            DIFFERENCE,
        )
        .must_miss(),
    );
    // μ/2 (tr b^E − 3), b^E = b at rest.
    let printed = 0.5 * mu * (Matrix::<f64, 2>::identity().trace() - 3.0);
    rows.push(
        Row::zero(
            "stress from energy, Oldroyd-B 2D with 3 for d",
            "τ and ψ at rest, relative",
            printed / (2.0 * lambda + 2.0 * mu),
            ROUNDING,
        )
        .must_miss(),
    );
    Ok(rows)
}

/// Largest relative difference between a stress and the slope of an energy.
fn mismatch<const D: usize>(
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
    let e = EPSILON;
    (pressure(1.0 - e) - pressure(1.0 + e)) / (2.0 * e)
}

fn norm<const D: usize>(m: Matrix<f64, D>) -> f64 {
    m.norm_squared().sqrt()
}
