//! Stress from energy: τ = (∂ψ/∂F) Fᵀ, point by point.
//!
//! **Source.** The definition of a hyperelastic material; \[Jiang2016\] §6, errata E4–E6, E14, E34,
//! E35.
//!
//! **Setup.** One material point, no grid, double precision, 2D and 3D. For every model with an
//! energy: 400 deformations, R₁ diag(σ) R₂ with stretches from 0.6 to 1.6, among them rotations and
//! stretches that differ by 1e-7. For matter that flows also states with a past: five random steps
//! with flow or relaxation after each.
//!
//! **Measured.** The largest difference between τ and the central difference of ψ with ε = 1e-5,
//! times Fᵀ; where there is a past and hence no F, τ_ij against the difference of ψ along (I ± ε
//! e_i e_jᵀ) F; stress and energy at rest; τ(QF) − Q τ(F) Qᵀ for rotations Q; each relative to ‖τ‖
//! plus the modulus at rest. For fluids also −J dp/dJ at rest against the bulk modulus.
//!
//! **Expected.** Zero, by definition, by the choice of the energy, and by objectivity; K.
//!
//! **Tolerance.** 1e-6: with ε = 1e-5 truncation and cancellation contribute around 1e-10 each; the
//! rest is margin for strongly deformed states. Objectivity and the rest state hold to rounding:
//! 1e-12.
//!
//! **Negative controls.** The stress with FᵀF in place of F Fᵀ; the energy with F_ab F_ba in place
//! of F_ab F_ab; Tait's law without the division by γ; Hencky's stress read as σ; snow's energy
//! without its hardening; and the exponents of Oldroyd-B for three dimensions in two, must miss.

use anyhow::Result;
use thixo::material::elastic::{
    FixedCorotated, Hencky, NeoHookean, SplitCorotated, StVenantKirchhoff, lame,
};
use thixo::material::fluid::{OldroydB, OldroydForm, PressureLaw, WeaklyCompressible};
use thixo::material::plastic::{
    DruckerPrager, FrictionHardening, HerschelBulkley, MultiplicativePlasticity, Snow, VonMises,
};
use thixo::material::principal::Isotropic;
use thixo::material::{Constitutive, Model};
use thixo_math::Matrix;

use crate::deformations::deformation;
use crate::energy_slope::{EPSILON, Point, mismatch};
use crate::row::worse;
use crate::{Effort, Row};

const DIFFERENCE: f64 = 1e-6;
const ROUNDING: f64 = 1e-12;
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
    rows.extend(compare(
        "split corotated",
        &SplitCorotated::new(mu, lambda)?,
        samples,
    )?);
    rows.extend(compare("St. Venant-Kirchhoff", &green, samples)?);
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
            Row::zero(&case, quantity, worse(two, three), tolerance)
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
        worse(plane, space),
        DIFFERENCE,
    ))
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

fn pressure(law: &WeaklyCompressible, j: f64) -> f64 {
    let state = thixo::material::VolumeRatio::new(j);
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
