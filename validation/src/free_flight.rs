//! Free flight: a cloud of particles that exchange momentum through the grid, without any force.
//!
//! **Source.** \[Jiang2015thesis\] §5 and appendix C; errata E42 for the linear kernel.
//!
//! **Setup.** Particles of random mass, place and velocity, without stress ([`Dust`]), body force
//! or walls, in double precision, 1000 steps, during which the cloud crosses many cells and blocks.
//! Every transfer with every kernel it accepts, 2D and 3D, staged and, where it exists, fused.
//!
//! **Measured and expected.** Mass and momentum stay what they were with every transfer, because
//! weights add up to one. Angular momentum with the affine part, (19b), stays with RPIC, APIC and
//! MLS: the scatter keeps it because Σ w r = 0 and Σ w r rᵀ = D_p, the gather because the affine
//! state is exactly the angular momentum that the particle's velocity misses, and moving nodes
//! along their own velocity adds nothing. FLIP keeps it in free flight, and only there: particles
//! keep their velocities, and their displacements Δt Σ w v_i turn Σ m x × v by Δt Σ m_i v_i × v_i
//! = 0. The error is the largest of ten looks on the way, relative to Σ m|v| or Σ m|x||v| at the
//! start, and of all kernels.
//!
//! One step of vanishing length from v = v₀ + A x with the affine state of A gives back v and A:
//! APIC and MLS for every A, RPIC for rotations.
//!
//! **Tolerance.** 1e-12: the identities are exact, which leaves rounding, 1e-16 per operation and
//! at worst growing with the number of steps.
//!
//! **Negative controls.** PIC and the blends lose angular momentum; so does the budget of APIC
//! without the affine part; a body force that adds a billionth of the momentum is noticed; RPIC
//! cannot keep a shear.

use anyhow::Result;
use thixo::material::Lanewise;
use thixo::{BodyForce, Instance, KernelKind, Path, Seed, Setup, Simulation, Transfer};
use thixo_math::{Matrix, Vector};

use crate::dust::Dust;
use crate::sampling::noise;
use crate::{Effort, Row, parallel};

const TOLERANCE: f64 = 1e-12;
/// Grid spacing \[m\].
const H: f64 = 0.1;
const MOMENTUM: &str = "momentum, relative";
const ANGULAR: &str = "angular momentum, relative";
const AFFINE: &str = "affine field after gather and scatter";
/// Looks at the budgets on the way.
const LOOKS: u64 = 10;

const KERNELS: [KernelKind; 3] = [KernelKind::Linear, KernelKind::Quadratic, KernelKind::Cubic];
const TRANSFERS: [(&str, Transfer); 7] = [
    ("PIC", Transfer::Pic),
    ("FLIP", Transfer::Flip),
    ("FLIP/PIC 0.95", Transfer::FlipPic { flip: 0.95 }),
    ("RPIC", Transfer::Rpic),
    ("APIC", Transfer::Apic),
    ("APIC/PIC 0.9", Transfer::ApicPic { apic: 0.9 }),
    ("MLS", Transfer::Mls),
];

/// A transfer with a kernel.
#[derive(Clone, Copy, Debug)]
struct Case {
    name: &'static str,
    transfer: Transfer,
    kernel: KernelKind,
    path: Path,
    dimension: usize,
}

impl Case {
    fn title(&self) -> String {
        let kernel = format!("{:?}", self.kernel).to_lowercase();
        format!("free flight {}D {} {kernel}", self.dimension, self.name)
    }
    fn keeps_angular_momentum(&self) -> bool {
        matches!(
            self.transfer,
            Transfer::Flip | Transfer::Rpic | Transfer::Apic | Transfer::Mls
        )
    }
}

fn cases() -> Vec<Case> {
    let mut out = Vec::new();
    for dimension in [2, 3] {
        for (name, transfer) in TRANSFERS {
            for kernel in KERNELS {
                if transfer.check(kernel).is_err() {
                    continue;
                }
                let case = Case {
                    name,
                    transfer,
                    kernel,
                    path: Path::Staged,
                    dimension,
                };
                out.push(case);
                if transfer == Transfer::Mls && kernel == KernelKind::Quadratic {
                    out.push(Case {
                        path: Path::Fused,
                        ..case
                    });
                }
            }
        }
    }
    out
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let steps = match effort {
        Effort::Quick => 100,
        Effort::Full => 1000,
    };
    let cases = cases();
    let measured = parallel::map(&cases, |case| match case.dimension {
        2 => measure::<2>(case, steps),
        _ => measure::<3>(case, steps),
    })?;
    let mut rows = Vec::new();
    for dimension in [2, 3] {
        for (name, _) in TRANSFERS {
            let of_this: Vec<_> = cases
                .iter()
                .zip(&measured)
                .filter(|(case, _)| case.dimension == dimension && case.name == name)
                .collect();
            rows.extend(summary(
                format!("free flight {dimension}D {name}"),
                &of_this,
            ));
        }
    }
    rows.extend(controls(steps)?);
    Ok(rows)
}

/// The measurements of a case.
#[derive(Clone, Copy, Debug)]
struct Measured {
    drift: Drift,
    rotation: Option<f64>,
    affine: Option<f64>,
}

fn measure<const D: usize>(case: &Case, steps: u64) -> Result<Measured>
where
    f64: Instance<D>,
{
    let keeps_affine = matches!(case.transfer, Transfer::Apic | Transfer::Mls);
    let keeps_rotation = keeps_affine || case.transfer == Transfer::Rpic;
    Ok(Measured {
        drift: fly::<D>(case, BodyForce::default(), steps)?,
        rotation: keeps_rotation
            .then(|| reproduce::<D>(case, rotation()))
            .transpose()?,
        affine: keeps_affine
            .then(|| reproduce::<D>(case, affine()))
            .transpose()?,
    })
}

/// The worst of all kernels; for a negative control the best.
fn summary(title: String, cases: &[(&Case, &Measured)]) -> Vec<Row> {
    let worst =
        |pick: &dyn Fn(&Measured) -> f64| cases.iter().map(|(_, m)| pick(m)).fold(0.0, f64::max);
    let row = |quantity, error| Row::zero(&title, quantity, error, TOLERANCE);
    let mut rows = vec![
        row("mass, relative", worst(&|m| m.drift.mass)),
        row(MOMENTUM, worst(&|m| m.drift.momentum)),
    ];
    if cases.iter().all(|(case, _)| case.keeps_angular_momentum()) {
        rows.push(row(ANGULAR, worst(&|m| m.drift.angular_momentum)));
    } else {
        let best = cases
            .iter()
            .map(|(_, m)| m.drift.angular_momentum)
            .fold(f64::MAX, f64::min);
        rows.push(row(ANGULAR, best).must_miss());
    }
    if cases.iter().all(|(_, m)| m.rotation.is_some()) {
        let error = worst(&|m| m.rotation.unwrap_or(0.0));
        rows.push(row("rotation after gather and scatter", error));
    }
    if cases.iter().all(|(_, m)| m.affine.is_some()) {
        let error = worst(&|m| m.affine.unwrap_or(0.0));
        rows.push(row(AFFINE, error));
    }
    rows
}

fn controls(steps: u64) -> Result<Vec<Row>> {
    let apic = Case {
        name: "APIC",
        transfer: Transfer::Apic,
        kernel: KernelKind::Quadratic,
        path: Path::Staged,
        dimension: 2,
    };
    let rpic = Case {
        transfer: Transfer::Rpic,
        name: "RPIC",
        ..apic
    };
    let free = fly::<2>(&apic, BodyForce::default(), steps)?;
    // A billionth of a typical velocity, 1 m/s, over the whole flight.
    let pull = 1e-9 / (steps as f64 * time_step());
    let pulled = fly::<2>(&apic, BodyForce::Uniform([pull, 0.0]), steps)?;
    Ok(vec![
        Row::zero(
            format!("{}, affine part left out", apic.title()),
            ANGULAR,
            free.angular_without_affine,
            TOLERANCE,
        )
        .must_miss(),
        Row::zero(
            format!("{}, a billionth of a push", apic.title()),
            MOMENTUM,
            pulled.momentum,
            TOLERANCE,
        )
        .must_miss(),
        Row::zero(
            format!("{}, asked for a shear", rpic.title()),
            AFFINE,
            reproduce::<2>(&rpic, affine())?,
            TOLERANCE,
        )
        .must_miss(),
    ])
}

/// Largest relative changes during a flight.
#[derive(Clone, Copy, Debug, Default)]
struct Drift {
    mass: f64,
    momentum: f64,
    angular_momentum: f64,
    angular_without_affine: f64,
}

/// A twentieth of a cell at 1 m/s.
fn time_step() -> f64 {
    0.05 * H
}

/// A cloud about nine cells wide that drifts while its particles move about.
fn cloud<const D: usize>() -> Vec<Seed<D>> {
    let count = if D == 2 { 300 } else { 600 };
    (0..count)
        .map(|k| {
            let random = |c: u64| noise(k, c);
            let x = core::array::from_fn(|a| 4.5 * H * random(a as u64) + 0.03);
            let v = core::array::from_fn(|a| random(3 + a as u64) + [0.6, -0.3, 0.2][a]);
            Seed::new(x, v, 1.0 + 0.5 * random(6), H * H)
        })
        .collect()
}

fn setup<const D: usize>(case: &Case) -> Setup<D> {
    let mut setup = Setup::new(H);
    setup.kernel = case.kernel;
    setup.transfer = case.transfer;
    setup.path = case.path;
    setup.threads = 1;
    setup
}

fn fly<const D: usize>(case: &Case, body_force: BodyForce<D>, steps: u64) -> Result<Drift>
where
    f64: Instance<D>,
{
    let mut setup = setup::<D>(case);
    setup.body_force = body_force;
    let mut sim = Simulation::<f64, D>::new(setup, vec![Box::new(Lanewise::from(Dust))])?;
    let seeds = cloud::<D>();
    sim.add(0, &seeds)?;
    let (mut momentum_scale, mut angular_scale) = (0.0, 0.0);
    for seed in &seeds {
        let speed = Vector(seed.velocity).norm();
        momentum_scale += seed.mass * speed;
        angular_scale += seed.mass * speed * Vector(seed.position).norm();
    }
    let first = sim.audit();
    let first_orbital = orbital_momentum(&sim);
    let distance = |a: [f64; 3], b: [f64; 3]| (Vector(a) - Vector(b)).norm();
    let mut worst = Drift::default();
    for _ in 0..LOOKS {
        sim.run_steps(time_step(), steps / LOOKS)?;
        let now = sim.audit();
        let momentum = (Vector(now.momentum) - Vector(first.momentum)).norm();
        let angular = distance(now.angular_momentum, first.angular_momentum);
        let orbital = distance(orbital_momentum(&sim), first_orbital);
        worst = Drift {
            mass: worst.mass.max((now.mass / first.mass - 1.0).abs()),
            momentum: worst.momentum.max(momentum / momentum_scale),
            angular_momentum: worst.angular_momentum.max(angular / angular_scale),
            angular_without_affine: worst.angular_without_affine.max(orbital / angular_scale),
        };
    }
    Ok(worst)
}

/// Σ m x × v, without what particles store.
fn orbital_momentum<const D: usize>(sim: &Simulation<f64, D>) -> [f64; 3]
where
    f64: Instance<D>,
{
    let mut out = [0.0; 3];
    for p in sim.particles() {
        for (k, (i, j)) in [(1, 2), (2, 0), (0, 1)].into_iter().enumerate() {
            if i < D && j < D {
                out[k] += p.mass * (p.position[i] * p.velocity[j] - p.position[j] * p.velocity[i]);
            }
        }
    }
    out
}

fn rotation<const D: usize>() -> Matrix<f64, D> {
    let mut a = Matrix::zero();
    for (i, j, rate) in [(0, 1, -0.7), (1, 2, 0.4), (2, 0, -0.9)] {
        if i < D && j < D {
            a[i][j] = rate;
            a[j][i] = -rate;
        }
    }
    a
}

fn affine<const D: usize>() -> Matrix<f64, D> {
    let mut a = rotation();
    for i in 0..D {
        for j in 0..D {
            a[i][j] += noise(5, (3 * i + j) as u64);
        }
    }
    a
}

/// Starts from v = v₀ + A x with the affine state that belongs to it, makes a step of no length,
/// and returns the largest relative error of velocity and affine state.
fn reproduce<const D: usize>(case: &Case, a: Matrix<f64, D>) -> Result<f64>
where
    f64: Instance<D>,
{
    let drift = Vector(core::array::from_fn(|k| [0.6, -0.3, 0.2][k]));
    let mut seeds = cloud::<D>();
    for seed in &mut seeds {
        seed.velocity = (drift + a * Vector(seed.position)).0;
        seed.velocity_gradient = a.0;
    }
    let mut sim = Simulation::<f64, D>::new(setup(case), vec![Box::new(Lanewise::from(Dust))])?;
    sim.add(0, &seeds)?;
    sim.run_steps(1e-14, 1)?;
    let mut worst = 0.0f64;
    for (particle, seed) in sim.particles().iter().zip(&seeds) {
        let v = (particle.velocity - Vector(seed.velocity)).norm();
        let c = (particle.affine - stored(case.kernel, a, seed.position)).norm_squared();
        let size = match case.kernel {
            KernelKind::Linear => H * H,
            _ => 1.0,
        };
        worst = worst.max(v).max(c.sqrt() / size);
    }
    Ok(worst)
}

/// The affine matrix that the engine stores for a velocity gradient A: A itself, with the linear
/// kernel B = A D_p.
fn stored<const D: usize>(
    kernel: KernelKind,
    a: Matrix<f64, D>,
    position: [f64; D],
) -> Matrix<f64, D> {
    if kernel != KernelKind::Linear {
        return a;
    }
    let moment = position.map(|x| {
        let f = (x / H) - (x / H).floor();
        H * H * f * (1.0 - f)
    });
    a * Matrix::from_diagonal(Vector(moment))
}
