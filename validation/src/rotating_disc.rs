//! Rotating disc: angular momentum with internal forces.
//!
//! **Source.** \[Jiang2015thesis\] §5 and appendix C.
//!
//! **Setup.** A free neo-Hookean disc of radius 8 h (2D) and a ball of radius 4 h (3D), set into
//! rigid rotation with a rim speed of a quarter of √(E/ρ) and a slow drift, without gravity,
//! explicit, double precision: three turns (one in 3D). It stretches and rings like a bell on the
//! way.
//!
//! **Measured.** Angular momentum (19b) about the origin, as the largest change at any of 12 looks
//! over Σ m|x||v| at the start. The share of kinetic (with its affine part) and elastic energy that
//! is lost per turn.
//!
//! **Expected.** No change for RPIC, APIC and MLS. Besides the argument of free flight, internal
//! forces exert no torque: with (3) Σ x_i × τ∇w has the components τ_zy − τ_yz, …, because Σ x_i
//! ∇wᵀ = I, and τ is symmetric; with (4) the same follows from Σ w r rᵀ = D_p. Energy has no answer
//! to be compared with.
//!
//! **Tolerance.** 1e-10: rounding only, but of forces much larger than the net change, over many
//! steps.
//!
//! **Negative controls.** PIC loses angular momentum, and so does FLIP, which keeps it in free
//! flight only. A torque that would add a billionth of the angular momentum in the whole run is
//! noticed.

use core::f64::consts::TAU;

use anyhow::Result;
use thixo::material::elastic::NeoHookean;
use thixo::{BodyForce, Instance, KernelKind, Material, Seed, Setup, Simulation, Transfer};
use thixo_math::Vector;

use crate::sampling::lattice;
use crate::{Effort, Row, parallel};

const TOLERANCE: f64 = 1e-10;
/// Grid spacing \[m\].
const H: f64 = 0.1;
const YOUNG: f64 = 1.0e5;
const POISSON: f64 = 0.3;
const DENSITY: f64 = 1.0e3;
const LOOKS: u64 = 12;

/// A disc or ball.
#[derive(Clone, Copy, Debug)]
struct Body {
    name: &'static str,
    transfer: Transfer,
    kernel: KernelKind,
    dimension: usize,
    /// Share of the angular momentum that a torque adds during the run.
    torque: f64,
}

impl Body {
    /// Radius \[m\].
    fn radius(&self) -> f64 {
        H * if self.dimension == 2 { 8.0 } else { 4.0 }
    }
    /// Angular velocity \[1/s\].
    fn spin(&self) -> f64 {
        0.25 * (YOUNG / DENSITY).sqrt() / self.radius()
    }
    fn turns(&self, effort: Effort) -> f64 {
        match (self.dimension, effort) {
            (2, Effort::Full) => 3.0,
            (_, Effort::Full) | (2, _) => 1.0,
            _ => 0.25,
        }
    }
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let quadratic = KernelKind::Quadratic;
    let body = |name, transfer, kernel, dimension| Body {
        name,
        transfer,
        kernel,
        dimension,
        torque: 0.0,
    };
    let mut bodies = vec![
        body("PIC quadratic", Transfer::Pic, quadratic, 2),
        body("FLIP quadratic", Transfer::Flip, quadratic, 2),
        body("RPIC quadratic", Transfer::Rpic, quadratic, 2),
        body("APIC quadratic", Transfer::Apic, quadratic, 2),
        body("MLS quadratic", Transfer::Mls, quadratic, 2),
        Body {
            torque: 1e-9,
            ..body(
                "APIC quadratic, a billionth of a torque",
                Transfer::Apic,
                quadratic,
                2,
            )
        },
    ];
    if effort == Effort::Full {
        bodies.extend([
            body("RPIC cubic", Transfer::Rpic, KernelKind::Cubic, 2),
            body("APIC cubic", Transfer::Apic, KernelKind::Cubic, 2),
            body("MLS cubic", Transfer::Mls, KernelKind::Cubic, 2),
            body("RPIC quadratic", Transfer::Rpic, quadratic, 3),
            body("APIC quadratic", Transfer::Apic, quadratic, 3),
        ]);
    }
    bodies.push(body("MLS quadratic", Transfer::Mls, quadratic, 3));
    let spins = parallel::map(&bodies, |body| match body.dimension {
        2 => spin::<2>(body, effort),
        _ => spin::<3>(body, effort),
    })?;
    let mut rows = Vec::new();
    for (body, spin) in bodies.iter().zip(&spins) {
        let title = format!("rotating body {}D {}", body.dimension, body.name);
        let quantity = "angular momentum, relative";
        let row = Row::zero(&title, quantity, spin.change, TOLERANCE);
        let loses = matches!(body.transfer, Transfer::Pic | Transfer::Flip);
        if loses || body.torque > 0.0 {
            rows.push(row.must_miss());
        } else {
            rows.push(row);
        }
        if body.torque == 0.0 {
            rows.push(Row::record(&title, "energy lost per turn", spin.loss));
        }
    }
    Ok(rows)
}

/// The outcome of a rotation.
#[derive(Clone, Copy, Debug)]
struct Spin {
    change: f64,
    loss: f64,
}

fn seeds<const D: usize>(body: &Body) -> (Vec<Seed<D>>, [f64; D]) {
    let radius = body.radius();
    let side = (4.0 * radius / H) as usize;
    // Neither on a node nor in the middle of a cell.
    let centre: [f64; D] = core::array::from_fn(|a| H * [0.37, -0.21, 0.58][a]);
    let mut seeds = lattice(centre.map(|c| c - radius), [side; D], 0.5 * H, DENSITY);
    let arm = |seed: &Seed<D>| Vector(seed.position) - Vector(centre);
    seeds.retain(|seed| arm(seed).norm() <= radius);
    let affine = matches!(
        body.transfer,
        Transfer::Rpic | Transfer::Apic | Transfer::Mls
    );
    for seed in &mut seeds {
        let r = arm(seed);
        seed.velocity = core::array::from_fn(|a| [0.1, 0.05, -0.02][a]);
        seed.velocity[0] -= body.spin() * r[1];
        seed.velocity[1] += body.spin() * r[0];
        if affine {
            seed.velocity_gradient[0][1] = -body.spin();
            seed.velocity_gradient[1][0] = body.spin();
        }
    }
    (seeds, centre)
}

fn spin<const D: usize>(body: &Body, effort: Effort) -> Result<Spin>
where
    f64: Instance<D>,
    Box<dyn Material<f64, D>>: From<NeoHookean>,
{
    let (seeds, centre) = seeds::<D>(body);
    let turns = body.turns(effort);
    let duration = turns * TAU / body.spin();
    let mut setup = Setup::<D>::new(H);
    setup.transfer = body.transfer;
    setup.kernel = body.kernel;
    setup.threads = 1;
    if body.torque > 0.0 {
        let rate = body.torque * body.spin() / duration;
        setup.body_force = BodyForce::field(move |x, _| {
            let mut push = [0.0; D];
            push[0] = -rate * (x[1] - centre[1]);
            push[1] = rate * (x[0] - centre[0]);
            push
        });
    }
    let law = NeoHookean::from_young_poisson(YOUNG, POISSON)?;
    let mut sim = Simulation::<f64, D>::new(setup, vec![law.into()])?;
    sim.add(0, &seeds)?;
    let scale: f64 = seeds
        .iter()
        .map(|s| s.mass * Vector(s.position).norm() * Vector(s.velocity).norm())
        .sum();
    let first = Vector(sim.audit().angular_momentum);
    let energy = energy(&sim, body.kernel);
    let mut change = 0.0f64;
    for _ in 0..LOOKS {
        sim.advance(duration / LOOKS as f64)?;
        let now = Vector(sim.audit().angular_momentum);
        change = change.max((now - first).norm() / scale);
    }
    let left = self::energy(&sim, body.kernel) / energy;
    Ok(Spin {
        change,
        loss: 1.0 - left.powf(1.0 / turns),
    })
}

/// Kinetic energy with the affine part, ½ m B : C, and elastic energy \[J\].
fn energy<const D: usize>(sim: &Simulation<f64, D>, kernel: KernelKind) -> f64
where
    f64: Instance<D>,
{
    let inertia = kernel.inertia().unwrap_or(0.0) * H * H;
    let audit = sim.audit();
    let affine: f64 = sim
        .particles()
        .iter()
        .map(|p| 0.5 * p.mass * inertia * p.affine.norm_squared())
        .sum();
    audit.kinetic + audit.elastic + affine
}
