//! X-PBD: its sweeps converge to what the optimisation finds, its steps are those of the other integrators where they are short.

mod matter;

use matter::{H, Matter, block, setup, simulation};
use thixo::integrate::implicit::{Form, Integrator, Optimization, Xpbd};
use thixo::material::elastic::NeoHookean;
use thixo::{Contact, KernelKind, Setup, Side, Simulation, Transfer, Wall};

fn deformed<T: Matter<D>, const D: usize>(
    integrator: Integrator,
    kernel: KernelKind,
    dt: f64,
) -> Simulation<T, D> {
    let setup = Setup {
        integrator,
        kernel,
        transfer: Transfer::Mls,
        walls: vec![Wall::new(1, 0.0, Side::Above, Contact::Sticky)],
        ..setup::<D>()
    };
    let law = NeoHookean::from_young_poisson(1.0e5, 0.3).expect("possible rubber");
    let mut sim = simulation(setup, vec![T::solid(law)]);
    let mut seeds = block([0.0; D], [6; D]);
    for seed in &mut seeds {
        let [x, y] = [seed.position[0], seed.position[1]];
        seed.deformation_gradient[0][0] = 1.1 + 0.05 * (7.0 * y).sin();
        seed.deformation_gradient[1][0] = 0.1 * (9.0 * x).cos();
        seed.velocity[1] = -(x - 0.3) * 3.0;
        seed.velocity[0] = 0.5 * (8.0 * y).sin();
    }
    sim.add(0, &seeds).expect("possible particles");
    sim.run_steps(dt, 1).expect("a step");
    sim
}

fn apart<T: Matter<D>, const D: usize>(a: &Simulation<T, D>, b: &Simulation<T, D>) -> f64 {
    let pairs = a.particles().into_iter().zip(b.particles());
    let sum: f64 = pairs
        .map(|(a, b)| (a.velocity - b.velocity).norm_squared().to_f64())
        .sum();
    sum.sqrt()
}

#[test]
fn explore() {
    fn go<T: Matter<D>, const D: usize>(kernel: KernelKind) {
        for dt in [2e-3, 1e-2, 2e-2] {
            let best = Integrator::Optimization(Optimization {
                tolerance: if size_of::<T>() == 8 { 1e-10 } else { 1e-5 },
                ..Optimization::default()
            });
            let a = deformed::<T, D>(best, kernel, dt);
            // velocities without forces
            let free = {
                let soft = NeoHookean::from_young_poisson(1.0e-5, 0.3).expect("soft");
                let _ = soft;
                deformed::<T, D>(Integrator::Explicit, kernel, 1e-9)
            };
            let size = apart(&a, &free);
            for form in [Form::Replaced, Form::AsPrinted] {
                let mut line = format!("{D}D {} {kernel:?} dt {dt} {form:?}:", size_of::<T>());
                for iterations in [1, 3, 10, 30, 100, 300, 1000] {
                    let b =
                        deformed::<T, D>(Integrator::Xpbd(Xpbd { iterations, form }), kernel, dt);
                    line += &format!(" {:.2e}", apart(&a, &b) / size);
                }
                println!("{line}");
            }
        }
    }
    go::<f64, 2>(KernelKind::Quadratic);
    go::<f32, 2>(KernelKind::Quadratic);
    go::<f64, 2>(KernelKind::Cubic);
    go::<f64, 3>(KernelKind::Quadratic);
    let _ = H;
}

#[test]
fn speed() {
    use thixo::Path;
    use thixo::material::plastic::{DruckerPrager, FrictionHardening};
    let cells = 32;
    let run = |integrator, path, dt: f64| {
        let setup = Setup {
            integrator,
            path,
            body_force: thixo::BodyForce::Uniform([0.0, -10.0, 0.0]),
            walls: vec![Wall::new(
                1,
                0.0,
                Side::Above,
                Contact::Separating { friction: 0.6 },
            )],
            ..setup::<3>()
        };
        let sand = DruckerPrager::new(1e6, 0.3, FrictionHardening::constant(30.0)).unwrap();
        let mut sim: Simulation<f32, 3> = simulation(setup, vec![sand.into()]);
        sim.add(
            0,
            &matter::Random(3).jitter(block([0.0; 3], [cells; 3]), 0.2),
        )
        .unwrap();
        sim.run_steps(dt, 1).unwrap();
        let start = std::time::Instant::now();
        let r = sim.run_steps(dt, 3).unwrap();
        (
            start.elapsed().as_secs_f64() / 3.0 / sim.len() as f64 * 1e9,
            r,
        )
    };
    let dt = 5e-4;
    let fused = run(Integrator::Explicit, Path::Fused, dt).0;
    let staged = run(Integrator::Explicit, Path::Staged, dt).0;
    println!("fused {fused:.1} staged {staged:.1} ns");
    for form in [Form::Replaced, Form::AsPrinted] {
        let few = run(
            Integrator::Xpbd(Xpbd {
                iterations: 1,
                form,
            }),
            Path::Staged,
            10.0 * dt,
        );
        let many = run(
            Integrator::Xpbd(Xpbd {
                iterations: 11,
                form,
            }),
            Path::Staged,
            10.0 * dt,
        );
        let sweep = (many.0 - few.0) / 10.0;
        println!(
            "{form:?} sweep {sweep:.1} = {:.2} staged; one iteration {:.1}; residual {} {}",
            sweep / staged,
            few.0,
            few.1.effort.residual,
            many.1.effort.residual
        );
    }
}
