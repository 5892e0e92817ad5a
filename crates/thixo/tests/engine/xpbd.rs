//! X-PBD: its sweeps converge to what the optimisation finds, flow is part of them, and nothing
//! depends on the number of threads.

use std::time::Instant;

use crate::matter::every::{Every, mixed};
use crate::matter::{self, H, Matter, Random, apart, bits, block, moving, setup, simulation};
use thixo::integrate::implicit::{Form, Integrator, Optimization, Transfers, Xpbd};
use thixo::material::elastic::NeoHookean;
use thixo::material::fluid::{PressureLaw, WeaklyCompressible};
use thixo::material::plastic::{DruckerPrager, FrictionHardening};
use thixo::transfer::Advection;
use thixo::{
    BodyForce, BuildError, Contact, KernelKind, Path, Seed, Setup, Side, Simulation, StepError,
    Transfer, Unsolved, Wall,
};

/// The sweeps alone, from the velocities that particles have.
fn xpbd(iterations: u32, form: Form) -> Integrator {
    Integrator::Xpbd(
        Xpbd::default()
            .with_iterations(iterations)
            .with_form(form)
            .with_transfers(Transfers::Once),
    )
}

/// One step of a block that sticks to the ground, deformed and moving in waves.
fn shaken<const D: usize>(setup: Setup<D>, young_modulus: f64, dt: f64) -> Simulation<f64, D>
where
    f64: Matter<D>,
{
    let setup = setup.with_walls(vec![Wall::new(1, 0.0, Side::Above, Contact::Glued)]);
    let law = NeoHookean::from_young_poisson(young_modulus, 0.3).expect("possible rubber");
    let mut sim = simulation(setup, vec![f64::solid(law)]);
    let mut seeds = block([0.0; D], [5; D]);
    for seed in &mut seeds {
        let [x, y] = [seed.position[0], seed.position[1]];
        seed.deformation_gradient[0][0] = 1.1 + 0.05 * (7.0 * y).sin();
        seed.deformation_gradient[1][0] = 0.1 * (9.0 * x).cos();
        seed.velocity[0] = 0.5 * (8.0 * y).sin();
        seed.velocity[1] = -3.0 * (x - 0.3);
    }
    sim.add(0, &seeds).expect("possible particles");
    sim.run_steps(dt, 1).expect("a step");
    sim
}

/// Root of the summed squares of differences of velocities \[m/s\].
fn difference<const D: usize>(a: &Simulation<f64, D>, b: &Simulation<f64, D>) -> f64
where
    f64: Matter<D>,
{
    let pairs = a.particles().into_iter().zip(b.particles());
    let squares = pairs.map(|(a, b)| (a.velocity - b.velocity).norm_squared());
    squares.sum::<f64>().sqrt()
}

/// Share of the change of velocity by which a form is off, for steps of 1, 5 and 10 ms; the
/// explicit limit is near 2 ms.
fn errors<const D: usize>(
    form: Form,
    sweeps: u32,
    (kernel, transfer): (KernelKind, Transfer),
) -> [f64; 3]
where
    f64: Matter<D>,
{
    let run = |integrator, young_modulus, dt| {
        let setup = setup::<D>()
            .with_integrator(integrator)
            .with_kernel(kernel)
            .with_transfer(transfer);
        shaken(setup, young_modulus, dt)
    };
    let best = Integrator::Optimization(Optimization::default().with_tolerance(1e-9));
    [1e-3, 5e-3, 1e-2].map(|dt| {
        let minimum = run(best, 1e5, dt);
        let free = run(best, 1e-3, dt);
        let swept = run(xpbd(sweeps, form), 1e5, dt);
        difference(&minimum, &swept) / difference(&minimum, &free)
    })
}

#[test]
fn sweeps_converge_to_the_minimum() {
    let quadratic = (KernelKind::Quadratic, Transfer::Mls);
    let cubic = (KernelKind::Cubic, Transfer::FlipPic { flip: 0.9 });
    for scheme in [quadratic, cubic] {
        let found = [
            errors::<2>(Form::Replaced, 40, scheme),
            errors::<3>(Form::Replaced, 40, scheme),
        ];
        println!("{scheme:?}: {found:?}");
        for error in found.as_flattened() {
            assert!(*error < 1e-4, "{scheme:?}: {found:?}");
        }
    }
}

#[test]
fn the_printed_form_ends_elsewhere() {
    let quadratic = (KernelKind::Quadratic, Transfer::Mls);
    let some = errors::<2>(Form::QuEq25, 60, quadratic);
    let many = errors::<2>(Form::QuEq25, 120, quadratic);
    println!("{some:?}");
    for (some, many) in some.iter().zip(many) {
        assert!((some / many - 1.0).abs() < 1e-3, "converged: {some} {many}");
    }
    // Next to nothing in short steps, a tenth in long ones.
    assert!(some[0] > 1e-3 && some[0] < 0.02, "{some:?}");
    assert!(some[2] > 0.05 && some[2] < 0.3, "{some:?}");
}

#[test]
fn a_few_sweeps_are_near() {
    let found = errors::<2>(Form::Replaced, 10, (KernelKind::Quadratic, Transfer::Mls));
    println!("{found:?}");
    assert!(found[0] < 1e-6 && found[2] < 1e-3, "{found:?}");
}

/// Also short ones, and where the colours of parts do not come out even.
#[test]
fn periods_have_no_seam() {
    let quadratic = [4, 8, 12, 20].map(|cells| (KernelKind::Quadratic, cells));
    let cubic = [8, 12, 20].map(|cells| (KernelKind::Cubic, cells));
    for (kernel, cells) in quadratic.into_iter().chain(cubic) {
        let run = |integrator| {
            let setup = setup::<2>()
                .with_integrator(integrator)
                .with_kernel(kernel)
                .with_periods([Some(cells), None]);
            let law = NeoHookean::from_young_poisson(1e5, 0.3).expect("possible rubber");
            let mut sim = simulation(setup, vec![f64::solid(law)]);
            let seeds = block([0.0; 2], [cells as usize, 4]);
            let seeds = moving(seeds, |[x, y]| {
                [(10.0 * y).sin(), (20.0 * x / f64::from(cells)).cos()]
            });
            sim.add(0, &seeds).expect("possible particles");
            sim.run_steps(1e-2, 2).expect("stable steps");
            sim
        };
        let best = run(Integrator::Optimization(
            Optimization::default()
                .with_tolerance(1e-9)
                .with_advection(Advection::Forward),
        ));
        let swept = run(xpbd(80, Form::Replaced));
        let worst = apart(&best, &swept, None).worst();
        assert!(worst < 1e-4, "{kernel:?}, {cells} cells: {worst}");
    }
}

/// Blocks of all materials, thrown against each other, in short steps.
#[test]
fn every_material_moves_as_in_explicit_steps() {
    fn check<const D: usize>()
    where
        f64: Every<D>,
    {
        let run = |integrator| {
            let mut sim = mixed::<f64, D>(
                setup::<D>()
                    .with_integrator(integrator)
                    .with_path(Path::Staged),
            );
            sim.run_steps(5e-5, 20).expect("stable steps");
            sim
        };
        let explicit = run(Integrator::Explicit);
        for form in [Form::Replaced, Form::QuEq25] {
            let swept = run(xpbd(10, form));
            let apart = apart(&explicit, &swept, None);
            assert!(apart.position < 1e-3, "{D}D {form:?}: {apart:?}");
        }
    }
    check::<2>();
    check::<3>();
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let run = |threads, form| {
        let mut sim = mixed::<f32, 3>(
            setup::<3>()
                .with_integrator(Integrator::Xpbd(
                    Xpbd::default()
                        .with_iterations(3)
                        .with_form(form)
                        .with_transfers(Transfers::AsExplicit),
                ))
                .with_body_force(BodyForce::Uniform([0.0, -10.0, 0.0]))
                .with_walls(vec![Wall::new(
                    1,
                    0.0,
                    Side::Above,
                    Contact::Separating { friction: 0.3 },
                )])
                .with_threads(threads),
        );
        sim.run_steps(1e-3, 3).expect("stable steps");
        bits(&sim)
    };
    for form in [Form::Replaced, Form::QuEq25] {
        let one = run(1, form);
        for threads in [2, 3] {
            assert_eq!(run(threads, form), one, "{threads} threads, {form:?}");
        }
    }
}

/// A column of sand, 8 cells wide, that falls apart on a floor with friction: how far beyond its
/// width 95 % of it have run after some seconds \[widths\], and the share of steps that were taken
/// back. X-PBD makes steps some times as long as explicit ones.
fn collapse(integrator: Integrator, longer: f64, seconds: f64) -> (f64, f64) {
    let width = 8.0 * H;
    let mut setup = setup::<2>()
        .with_body_force(BodyForce::Uniform([0.0, -10.0]))
        .with_walls(vec![
            Wall::new(0, 0.0, Side::Above, Contact::Slip),
            Wall::new(1, 0.0, Side::Above, Contact::Separating { friction: 0.6 }),
        ]);
    let seeds = Random(5).jitter(block([0.0; 2], [8, 16]), 0.24);
    let column = |setup| {
        let friction = FrictionHardening::constant(30.0);
        let sand = DruckerPrager::new(2e6, 0.3, friction).expect("possible sand");
        let mut sim: Simulation<f32, 2> = simulation(setup, vec![sand.into()]);
        sim.add(0, &seeds).expect("possible particles");
        sim
    };
    let still = column(setup.clone()).forecast().expect("a forecast");
    if !integrator.is_explicit() {
        setup.integrator = integrator;
        setup.time_step.longest = longer * still.materials[0].step;
    }
    let mut sim = column(setup);
    let report = sim.advance(seconds).expect("stable steps");
    let particles = sim.particles();
    let mut places: Vec<f64> = particles.iter().map(|p| p.position[0]).collect();
    places.sort_by(f64::total_cmp);
    let run_out = places[places.len() * 95 / 100] / width - 1.0;
    (run_out, f64::from(report.retries) / report.steps as f64)
}

fn run_out(integrator: Integrator, longer: f64, seconds: f64) -> f64 {
    collapse(integrator, longer, seconds).0
}

/// Sweeps over sand converge in the steps that were set, and transfers between them lose nothing.
#[test]
fn hardly_a_step_of_sand_is_taken_back() {
    for transfers in [Transfers::Once, Transfers::AsExplicit] {
        for iterations in [10, 40] {
            let integrator = Integrator::Xpbd(
                Xpbd::default()
                    .with_iterations(iterations)
                    .with_transfers(transfers),
            );
            let (_, taken_back) = collapse(integrator, 10.0, 1.5);
            println!("{transfers:?}, {iterations} sweeps: {taken_back}");
            assert!(taken_back <= 0.01, "{transfers:?}: {taken_back}");
        }
    }
}

/// A block that lies on the ground, in balance, and one above it that is being crushed: the latter
/// is what sweeps do not solve. A step with the sweeps that the refusal names solves it.
#[test]
fn a_refusal_names_the_place_of_the_residual_and_the_sweeps_that_do() {
    let dt = 4e-3;
    let crushed = [14.5 * H, 30.5 * H];
    let attempt = |iterations| {
        let setup = setup::<2>()
            .with_integrator(xpbd(iterations, Form::Replaced))
            .with_body_force(BodyForce::Uniform([0.0, -10.0]))
            .with_walls(vec![Wall::new(1, 0.0, Side::Above, Contact::Slip)]);
        let law = NeoHookean::from_young_poisson(1e7, 0.3).expect("possible rubber");
        let mut sim = simulation(setup, vec![f64::solid(law)]);
        sim.add(0, &block([0.0; 2], [8, 4]))
            .expect("possible particles");
        let above = moving(block([10.0, 26.0], [9; 2]), |[x, y]| {
            [-20.0 * (x - crushed[0]), 5.0 * (y - crushed[1])]
        });
        sim.add(0, &above).expect("possible particles");
        sim.run_steps(dt, 1)
    };
    let refusal = attempt(1);
    let Err(StepError::NotConverged {
        unsolved: Unsolved::Sweeps { needed },
        position,
        history,
        ..
    }) = refusal
    else {
        panic!("{refusal:?}");
    };
    let apart = (0..2).map(|a| (position[a] - crushed[a]).abs() / H);
    println!("{history:?}, {needed:?} sweeps, at {position:?}");
    assert!(apart.clone().all(|cells| cells < 6.0), "at {position:?}");
    let needed = needed.expect("sweeps that do");
    assert!((4..2000).contains(&needed), "{needed} sweeps");
    let solved = attempt(needed).expect("a step that is solved");
    println!("{:?}", solved.effort);
}

/// A column of rubber or fluid that is let fall upon itself in steps of fixed length, and its error
/// at rest: the mean of −σ_yy in the lowest two cells over the weight above, less one.
fn settled(fluid: bool, iterations: u32) -> Result<f64, StepError> {
    let (h, height, width, dt) = (0.01, 0.18, 4.0, 0.01);
    let mut setup = Setup::<2>::new(h)
        .with_threads(1)
        .with_integrator(Integrator::Xpbd(
            Xpbd::default().with_iterations(iterations),
        ))
        .with_body_force(BodyForce::Uniform([0.0, -10.0]))
        .with_walls(vec![
            Wall::new(0, 0.0, Side::Above, Contact::Slip),
            Wall::new(0, width * h, Side::Below, Contact::Slip),
            Wall::new(1, 0.0, Side::Above, Contact::Slip),
        ]);
    setup.time_step.fixed = Some(dt);
    let tait = PressureLaw::Tait { exponent: 7.0 };
    let law = match fluid {
        true => f64::fluid(WeaklyCompressible::new(1e5, 0.0, tait).expect("possible fluid")),
        false => f64::solid(NeoHookean::from_young_poisson(1e5, 0.3).expect("possible rubber")),
    };
    let mut sim = simulation(setup, vec![law]);
    let scale = h / H;
    let seeds: Vec<Seed<2>> = block([0.0; 2], [width as usize, (height / h).round() as usize])
        .into_iter()
        .map(|seed| {
            let position = seed.position.map(|x| scale * x);
            let [mass, volume] = [seed.mass, seed.rest_volume].map(|x| scale * scale * x);
            Seed::new(position, [0.0; 2], mass, volume)
        })
        .collect();
    sim.add(0, &seeds).expect("possible particles");
    for _ in 0..60 {
        sim.advance(dt)?;
    }
    let particles = sim.particles();
    let lowest = particles.iter().zip(&seeds);
    let lowest = lowest.filter(|(_, seed)| seed.position[1] < 2.0 * h);
    let errors = lowest.map(|(p, seed)| {
        let above = 1e4 * (height - seed.position[1]);
        -p.kirchhoff_stress[1][1] / p.volume_ratio / above - 1.0
    });
    let errors: Vec<f64> = errors.collect();
    Ok(errors.iter().sum::<f64>() / errors.len() as f64)
}

/// The sweeps that a refusal names solve this step and those after it, to the right weight.
#[test]
fn a_column_has_its_weight_with_the_sweeps_that_a_refusal_names() {
    for fluid in [false, true] {
        let refusal = settled(fluid, 2);
        let Err(StepError::NotConverged {
            unsolved: Unsolved::Sweeps {
                needed: Some(needed),
            },
            ..
        }) = refusal
        else {
            panic!("{refusal:?}");
        };
        let off = settled(fluid, needed).expect("steps that are solved");
        println!("{needed} sweeps: {:.2} % off", 100.0 * off);
        assert!(off.abs() < 0.01, "{needed} sweeps: {off}");
    }
}

#[test]
fn sand_runs_as_far_as_in_explicit_steps() {
    let off = |(iterations, transfers), longer, seconds, explicit| {
        let integrator = Integrator::Xpbd(
            Xpbd::default()
                .with_iterations(iterations)
                .with_transfers(transfers),
        );
        run_out(integrator, longer, seconds) / explicit - 1.0
    };
    // In steps as long friction on the floor is the same.
    let explicit = run_out(Integrator::Explicit, 1.0, 0.5);
    let same = off((4, Transfers::Once), 1.0, 0.5, explicit);
    // In long steps it takes as many transfers.
    let explicit = run_out(Integrator::Explicit, 1.0, 1.5);
    let ten = off((10, Transfers::AsExplicit), 10.0, 1.5, explicit);
    let once = off((10, Transfers::Once), 10.0, 1.5, explicit);
    println!("{same} {ten} {once}");
    assert!(same.abs() < 0.02, "{same}");
    assert!(ten.abs() < 0.05, "{ten}");
    assert!(once > 0.1, "{once}");
}

/// Matter whose velocities would turn it inside out within the step.
#[test]
fn crushed_matter_is_not_turned_inside_out() {
    let run = |integrator| {
        let setup = setup::<2>().with_integrator(integrator);
        let law = NeoHookean::from_young_poisson(1e6, 0.3).expect("possible rubber");
        let mut sim = simulation(setup, vec![f64::solid(law)]);
        let seeds = moving(block([0.0; 2], [4; 2]), |[x, y]| {
            [-150.0 * (x - 2.0 * H), -20.0 * (y - 2.0 * H)]
        });
        sim.add(0, &seeds).expect("possible particles");
        sim.run_steps(1e-2, 1).expect("a step");
        sim
    };
    let swept = run(xpbd(100, Form::Replaced));
    let audit = swept.audit();
    assert!(
        audit.j_min > 0.0 && audit.max_speed.is_finite(),
        "{audit:?}"
    );
    assert!(
        audit.momentum.iter().all(|p| p.abs() < 1e-6 * audit.mass),
        "{audit:?}"
    );
    let converged = apart(&run(xpbd(200, Form::Replaced)), &swept, None);
    assert!(converged.velocity < 1e-3, "{converged:?}");
}

#[test]
fn impossible_options_are_refused() {
    let refused = |integrator, period| {
        let setup = setup::<2>()
            .with_integrator(integrator)
            .with_kernel(KernelKind::Cubic)
            .with_periods([None, period]);
        match Simulation::<f64, 2>::new(setup, matter::solid()) {
            Err(BuildError::OutOfRange { key, .. }) => key,
            other => panic!("{other:?}"),
        }
    };
    let none = xpbd(0, Form::Replaced);
    assert_eq!(refused(none, None), "iterations");
    assert_eq!(refused(xpbd(10, Form::Replaced), Some(4)), "periodic");
}

/// Cost of a sweep: `cargo test -p thixo xpbd -- --ignored --nocapture` on an idle
/// machine.
#[test]
#[ignore = "measures time"]
fn a_sweep_costs_no_more_than_one_and_a_half_staged_steps() {
    let run = |integrator, path, dt: f64| {
        let setup = setup::<3>()
            .with_integrator(integrator)
            .with_path(path)
            .with_body_force(BodyForce::Uniform([0.0, -10.0, 0.0]))
            .with_walls(vec![Wall::new(
                1,
                0.0,
                Side::Above,
                Contact::Separating { friction: 0.6 },
            )]);
        let friction = FrictionHardening::constant(30.0);
        let sand = DruckerPrager::new(1e6, 0.3, friction).expect("possible sand");
        let mut sim: Simulation<f32, 3> = simulation(setup, vec![sand.into()]);
        let seeds = Random(3).jitter(block([0.0; 3], [32; 3]), 0.2);
        sim.add(0, &seeds).expect("possible particles");
        sim.run_steps(dt, 1).expect("a step");
        let lap = |sim: &mut Simulation<f32, 3>| {
            let start = Instant::now();
            sim.run_steps(dt, 1).expect("a step");
            start.elapsed().as_secs_f64()
        };
        let best = (0..4).map(|_| lap(&mut sim)).fold(f64::INFINITY, f64::min);
        1e9 * best / sim.len() as f64
    };
    let dt = 5e-4;
    let staged = run(Integrator::Explicit, Path::Staged, dt);
    let fused = run(Integrator::Explicit, Path::Fused, dt);
    println!("explicit: staged {staged:.0}, fused {fused:.0} ns per particle and step");
    for form in [Form::Replaced, Form::QuEq25] {
        let few = run(xpbd(1, form), Path::Staged, 10.0 * dt);
        let many = run(xpbd(11, form), Path::Staged, 10.0 * dt);
        let sweep = (many - few) / 10.0;
        println!(
            "{form:?}: a sweep {sweep:.0} ns, {:.2} staged steps; the rest of a step {:.2}",
            sweep / staged,
            (few - sweep) / staged
        );
        assert!(sweep < 1.5 * staged, "{sweep} of {staged}");
    }
}
