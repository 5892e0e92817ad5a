//! Oldroyd-B in shear: a strain that flow builds up and time wears down.
//!
//! **Source.** \[Ram2015\] §3.3 with errata E14, E16, E37; the solution of a linear differential
//! equation.
//!
//! **Setup.** One material point, no grid, double precision, 2D and 3D, the volume-preserving and
//! the plain form. Simple shear at the rate γ̇ from rest for ten relaxation times Wi, then rest, in
//! steps of Wi/20; W = γ̇ Wi is 0.5 or 5. Further: steady shear in steps of x = 0.01 to 10 Wi;
//! planar extension at Wi ε̇ = 0.3 in steps of 0.01 to 0.8 Wi, whose increments I + Δt∇v have the
//! stretches e^{±ε̇Δt}; random motions with volume change; an even compression to J = 0.8 that is
//! held; and single steps of 0.5, 20 or 1000 Wi with ‖Δt∇v‖ up to 3.
//!
//! **Measured and expected**, x = t/Wi: the strain at the start, b_xy = W (1 − e^{−x}), b_xx = 1 +
//! 2W² (1 − (1 + x) e^{−x}), b_yy = 1, each against its steady value; its rest after the flow
//! stops, (b − I) e^{−x}; the steady stress, plain τ_xy = μW + ηγ̇ and τ_xx − τ_yy = 2μW²,
//! volume-preserving both times (1 + W²)^{−1/d}; b = 1/(1 ∓ 2 Wi ε̇) along the axes of extension;
//! det b^E = J² in the volume-preserving form, b^E read back from the stress; the pressure that
//! stays after compression, −τ_xx = −λJ(J−1), in the volume-preserving form less μ(J^{2/d} − 1);
//! and the smallest eigenvalue of b_OB after a step of any length. The last part of a step, of x'
//! relaxation times, leaves at least min over m of ∫ e^{−u} (1 + mu/x')² du = r − a₁²/a₂ of
//! equation (11e), with x' at least x/8 here.
//!
//! **Tolerance.** Shear, fading at rest, determinants, pressures and eigenvalues hold to rounding,
//! 1e-10 (steady values: to what is left of the start after 30 Wi). Extension 1 %: the motion
//! within a step is that of a shear.
//!
//! **Negative controls.** The steady stress of the plain form asked of the volume-preserving one,
//! det b^E = J² asked of the plain one, and \[Ram2015\] eq. (14) as printed, which is not positive
//! definite for Δt > Wi, must miss; so must the strain of a fluid that forgets in 1.05 Wi, and the
//! steady shear and extension of a strain that is advected first and multiplied by e^{−Δt/Wi} then.

use anyhow::{Context, Result};
use thixo::material::fluid::{OldroydB, OldroydForm};
use thixo::material::point::{MaterialPoint, Motion, Record, Stage, drive};
use thixo::material::{FingerStrain, MAX_STATE, State, advected, positive_increment};
use thixo_math::{Matrix, symmetric_eigen};

use crate::deformations::random;
use crate::row::worse;
use crate::{Effort, Row};

/// Of steady stresses after ten relaxation times, of which e^{−10} (1 + 10) is missing.
const LEFT: f64 = 1e-3;
/// Of steady strains in shear, and of extension.
const STEADY: f64 = 1e-6;
const EXTENSION: f64 = 0.01;
const ROUNDING: f64 = 1e-10;
/// μ and λ \[Pa\], η \[Pa s\], Wi \[s\].
const MU: f64 = 5.0e3;
const LAMBDA: f64 = 5.0e4;
const VISCOSITY: f64 = 300.0;
const RELAXATION: f64 = 0.5;
/// Steps per relaxation time.
const STEPS: usize = 20;

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let samples = match effort {
        Effort::Quick => 100,
        Effort::Full => 1000,
    };
    let mut rows = Vec::new();
    rows.extend(dimension::<2>(samples)?);
    rows.extend(dimension::<3>(samples)?);
    Ok(rows)
}

fn dimension<const D: usize>(samples: u64) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for form in [OldroydForm::VolumePreserving, OldroydForm::Plain] {
        for rate in [0.5, 5.0] {
            rows.extend(shear::<D>(form, rate)?);
        }
        let determinant = Row::zero(
            format!("Oldroyd-B {D}D {}, random motions", name(form)),
            "det bᴱ / J² − 1",
            determinant_error::<D>(form, samples)?,
            ROUNDING,
        );
        rows.push(match form {
            OldroydForm::VolumePreserving => determinant,
            OldroydForm::Plain => determinant.must_miss(),
        });
        rows.push(compression::<D>(form)?);
    }
    for x in [0.01, 0.1, 0.35, 1.44, 10.0] {
        rows.extend(long_shear::<D>(x)?);
    }
    for x in [0.01, 0.1, 0.35, 0.8] {
        rows.extend(extension::<D>(x)?);
    }
    let case = format!("Oldroyd-B {D}D, steps up to 1000 Wi");
    let quantity = "smallest eigenvalue of b over its bound";
    let kept = smallest_eigenvalue::<D>(samples, |law, b, increment, dt| {
        let mut point = MaterialPoint::<_, D>::deformed(law, *b);
        point.step(&(*increment * (1.0 / dt)), dt);
        strain(&point.record())
    })?;
    rows.push(Row::at_least(&case, quantity, 1.0, kept, ROUNDING));
    let printed = smallest_eigenvalue::<D>(samples, |_, f, increment, dt| {
        let b = f.times_own_transpose();
        let moved = (*increment * b).symmetric_part() * 2.0;
        let x = dt / RELAXATION;
        moved + Matrix::from_scalar(x) + b * (1.0 - x)
    })?;
    let case = format!("{case}, eq. (14) as printed");
    rows.push(Row::at_least(case, quantity, 1.0, printed, ROUNDING).must_miss());
    Ok(rows)
}

fn name(form: OldroydForm) -> &'static str {
    match form {
        OldroydForm::VolumePreserving => "volume-preserving",
        OldroydForm::Plain => "plain",
    }
}

fn fluid(form: OldroydForm, viscosity: f64) -> Result<OldroydB> {
    Ok(OldroydB::new(MU, LAMBDA, RELAXATION, viscosity)?.with_form(form))
}

/// b_OB of a record.
fn strain<const D: usize>(record: &Record<D>) -> Matrix<f64, D> {
    let mut columns = [0.0; MAX_STATE];
    columns[..record.state.len()].copy_from_slice(&record.state);
    FingerStrain::<f64, D>::load(&columns).left_cauchy_green()
}

/// Start of shear, steady stress, and what is left when it stops.
fn shear<const D: usize>(form: OldroydForm, w: f64) -> Result<Vec<Row>> {
    let rate = w / RELAXATION;
    let shearing = 10 * STEPS;
    let test = [
        Stage::new(Motion::shear(rate), 10.0 * RELAXATION, shearing),
        Stage::new(Motion::Rest, 5.0 * RELAXATION, 5 * STEPS),
    ];
    let records = drive::<_, D>(&fluid(form, VISCOSITY)?, &test)?;
    let (moving, resting) = records.split_at(shearing + 1);
    let steady = moving.last().context("a last step of shear")?;
    let thinning = match form {
        OldroydForm::VolumePreserving => (1.0 + w * w).powf(-1.0 / D as f64),
        OldroydForm::Plain => 1.0,
    };
    let held = strain(steady) - Matrix::identity();
    let left = resting.iter().fold(0.0f64, |largest, record| {
        let share = ((steady.time - record.time) / RELAXATION).exp();
        let error = strain(record) - Matrix::identity() - held * share;
        worse(largest, (error.norm_squared() / held.norm_squared()).sqrt())
    });
    let tau = steady.kirchhoff_stress;
    let difference = tau[0][0] - tau[1][1];
    let case = format!("Oldroyd-B {D}D {}, W = {w}", name(form));
    let (stress, newtonian) = ("steady τ_xy [Pa]", VISCOSITY * rate);
    let mut rows = vec![
        Row::zero(
            &case,
            "b at the start, relative",
            start_error(moving, w, RELAXATION),
            ROUNDING,
        ),
        Row::zero(&case, "b after the flow, relative", left, ROUNDING),
        Row::relative(
            &case,
            stress,
            MU * w * thinning + newtonian,
            tau[0][1],
            LEFT,
        ),
        Row::relative(
            &case,
            "steady τ_xx − τ_yy [Pa]",
            2.0 * MU * w * w * thinning,
            difference,
            LEFT,
        ),
    ];
    if form == OldroydForm::VolumePreserving {
        let case = format!("{case}, answer of the plain form");
        let plain = MU * w + newtonian;
        rows.push(Row::relative(case, stress, plain, tau[0][1], EXTENSION).must_miss());
        let slow = start_error(moving, w, 1.05 * RELAXATION);
        let case = format!("Oldroyd-B {D}D {}, W = {w}, answer for 1.05 Wi", name(form));
        rows.push(Row::zero(case, "b at the start, relative", slow, EXTENSION).must_miss());
    }
    Ok(rows)
}

/// The strain after 30 relaxation times in steps of x of them, and what advection before decay
/// makes of it.
fn steady<const D: usize>(motion: Motion, x: f64) -> Result<[Matrix<f64, D>; 2]> {
    let steps = (30.0 / x).ceil() as usize;
    let stage = Stage::new(motion, steps as f64 * x * RELAXATION, steps);
    let records = drive::<_, D>(&fluid(OldroydForm::Plain, 0.0)?, &[stage])?;
    let last = records.last().context("a last step")?;
    let increment = last.velocity_gradient * (x * RELAXATION);
    let mut split = Matrix::zero();
    for _ in 0..steps {
        split = advected(&split, &positive_increment(&increment)) * (-x).exp();
    }
    Ok([strain(last), split + Matrix::identity()])
}

/// Steady shear in steps of x relaxation times, W = 0.5.
fn long_shear<const D: usize>(x: f64) -> Result<Vec<Row>> {
    let w = 0.5;
    let [b, split] = steady::<D>(Motion::shear(w / RELAXATION), x)?;
    let case = format!("Oldroyd-B {D}D, steady shear, Δt = {x} Wi");
    let normal = b[0][0] - b[1][1];
    let mut rows = vec![
        Row::relative(&case, "b_xy", w, b[0][1], STEADY),
        Row::relative(&case, "b_xx − b_yy", 2.0 * w * w, normal, STEADY),
    ];
    let case = format!("{case}, advection before decay");
    let control = Row::relative(case, "b_xy", w, split[0][1], EXTENSION);
    if x > 0.05 {
        rows.push(control.must_miss());
    }
    Ok(rows)
}

/// Planar extension in steps of x relaxation times, Wi ε̇ = 0.3.
fn extension<const D: usize>(x: f64) -> Result<Vec<Row>> {
    let rate = 0.3;
    let motion = Motion::Planar {
        rate: rate / RELAXATION,
    };
    let [b, split] = steady::<D>(motion, x)?;
    let case = format!("Oldroyd-B {D}D, planar extension, Δt = {x} Wi");
    let (along, across) = (1.0 / (1.0 - 2.0 * rate), 1.0 / (1.0 + 2.0 * rate));
    let mut rows = vec![
        Row::relative(&case, "b_xx", along, b[0][0], EXTENSION),
        Row::relative(&case, "b_yy", across, b[1][1], EXTENSION),
    ];
    let case = format!("{case}, advection before decay");
    let control = Row::relative(case, "b_xx", along, split[0][0], EXTENSION);
    if x > 0.05 {
        rows.push(control.must_miss());
    }
    Ok(rows)
}

/// Largest error of b_OB at the start of shear, each component against its steady value.
fn start_error<const D: usize>(records: &[Record<D>], w: f64, relaxation: f64) -> f64 {
    let mut largest = 0.0f64;
    for record in records {
        let b = strain(record);
        let x = record.time / relaxation;
        let left = (-x).exp();
        let along = 1.0 + 2.0 * w * w * (1.0 - (1.0 + x) * left);
        let shear = w * (1.0 - left);
        largest = worse(largest, (b[0][0] - along).abs() / (1.0 + 2.0 * w * w));
        largest = worse(largest, (b[0][1] - shear).abs() / w);
        for i in 1..D {
            largest = worse(largest, (b[i][i] - 1.0).abs());
        }
    }
    largest
}

/// Largest error of det b^E = J² over random motions, b^E from τ = μ (b^E − I) + λJ(J − 1) I.
fn determinant_error<const D: usize>(form: OldroydForm, samples: u64) -> Result<f64> {
    let mut largest = 0.0f64;
    for k in 0..samples {
        let mut point = MaterialPoint::<_, D>::new(&fluid(form, 0.0)?);
        for step in 0..10 {
            let gradient = random::<D>(k, 100 * step) * 0.2;
            point.step(&(gradient * (1.0 / RELAXATION)), RELAXATION);
        }
        let record = point.record();
        let j = record.volume_ratio;
        let elastic = record.kirchhoff_stress * (1.0 / MU)
            + Matrix::from_scalar(1.0 - LAMBDA / MU * j * (j - 1.0));
        let error = (elastic.determinant() / (j * j) - 1.0).abs();
        largest = worse(largest, error);
    }
    Ok(largest)
}

/// The pressure that stays after an even compression.
fn compression<const D: usize>(form: OldroydForm) -> Result<Row> {
    let j = 0.8f64;
    let (d, duration) = (D as f64, 0.1 * RELAXATION);
    let test = [
        Stage::new(
            Motion::Isotropic {
                rate: j.ln() / d / duration,
            },
            duration,
            100,
        ),
        Stage::new(Motion::Rest, 40.0 * RELAXATION, 400),
    ];
    let records = drive::<_, D>(&fluid(form, 0.0)?, &test)?;
    let record = records.last().context("a last step")?;
    let j = record.volume_ratio;
    let shape = match form {
        OldroydForm::VolumePreserving => MU * (j.powf(2.0 / d) - 1.0),
        OldroydForm::Plain => 0.0,
    };
    Ok(Row::relative(
        format!("Oldroyd-B {D}D {}, compressed and held", name(form)),
        "τ_xx after 40 Wi [Pa]",
        LAMBDA * j * (j - 1.0) + shape,
        record.kirchhoff_stress[0][0],
        ROUNDING,
    ))
}

/// Smallest eigenvalue of b_OB over its bound after single steps from deformed states, by a given
/// step.
fn smallest_eigenvalue<const D: usize>(
    samples: u64,
    step: impl Fn(&OldroydB, &Matrix<f64, D>, &Matrix<f64, D>, f64) -> Matrix<f64, D>,
) -> Result<f64> {
    let law = fluid(OldroydForm::VolumePreserving, 0.0)?;
    let mut smallest = f64::INFINITY;
    for k in 0..samples {
        let deformation = Matrix::identity() + random::<D>(k, 50) * 0.25;
        for times in [0.5, 20.0, 1000.0] {
            let increment = random::<D>(k, 60) * (3.0 / D as f64);
            let b = step(&law, &deformation, &increment, times * RELAXATION);
            let values = symmetric_eigen(&b).values;
            let bound = least_eigenvalue(0.125 * times);
            for i in 0..D {
                smallest = -worse(-smallest, -values[i] / bound);
            }
        }
    }
    Ok(smallest)
}

/// r − a₁²/a₂ of equation (11e) for a step of x relaxation times.
fn least_eigenvalue(x: f64) -> f64 {
    let k = (-x).exp();
    let first = (1.0 - k * (1.0 + x)) / x;
    let second = (2.0 - k * (2.0 + 2.0 * x + x * x)) / (x * x);
    1.0 - k - first * first / second
}
