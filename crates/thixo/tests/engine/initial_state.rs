//! Matter that starts under stress or with a history, steps of a fixed length, and damping that
//! brings matter to rest.

use thixo::integrate::implicit::{Integrator, SemiImplicit};
use thixo::material::elastic::{Hencky, NeoHookean};
use thixo::material::fluid::{PressureLaw, WeaklyCompressible};
use thixo::material::plastic::{DruckerPrager, FrictionHardening, Snow};
use thixo::material::stressed_state::{Given, StressError, deformation_under_stress};
use thixo::{
    BodyForce, BuildError, Contact, Damping, Insertion, Material, Seed, Setup, Side, Simulation,
    StepError, TimeStep, Transfer, Wall,
};
use thixo_math::Matrix;

type Boxed<const D: usize> = Box<dyn Material<f64, D>>;

fn sand() -> DruckerPrager {
    DruckerPrager::new(1e7, 0.3, FrictionHardening::constant(35.0)).unwrap()
}

fn snow() -> Snow<thixo::material::elastic::FixedCorotated> {
    let elastic = thixo::material::elastic::FixedCorotated::from_young_poisson(1.4e5, 0.2).unwrap();
    Snow::new(elastic, 0.025, 0.0075, 10.0).unwrap()
}

fn fluid() -> WeaklyCompressible {
    WeaklyCompressible::new(1e6, 0.0, PressureLaw::Linear).unwrap()
}

/// The Cauchy stress of a particle that was made to have one.
fn stress_of<const D: usize>(
    law: Boxed<D>,
    stress: Matrix<f64, D>,
    history: Option<&[f64]>,
) -> Matrix<f64, D>
where
    f64: thixo::Instance<D>,
{
    let given = Given {
        history,
        parameters: None,
    };
    let f = deformation_under_stress(law.as_ref(), &stress, given).unwrap();
    let mut sim = Simulation::<f64, D>::new(Setup::new(0.1), vec![law]).unwrap();
    let mut seed = Seed::new([0.5; D], [0.0; D], 1.0, 0.01);
    seed.deformation_gradient = f.0;
    sim.insert(Insertion::new(0, &[seed]).with_history(history))
        .unwrap();
    let particle = sim.particles()[0];
    particle.kirchhoff_stress * (1.0 / particle.volume_ratio)
}

#[test]
fn matter_starts_under_the_stress_that_is_asked_for() {
    let plane = Matrix([[-3e3, 800.0], [800.0, -5e3]]);
    let space = Matrix([
        [-3e3, 500.0, 100.0],
        [500.0, -5e3, -200.0],
        [100.0, -200.0, -4e3],
    ]);
    let in_plane: Vec<Boxed<2>> = vec![
        NeoHookean::from_young_poisson(1e5, 0.3).unwrap().into(),
        Hencky::from_young_poisson(1e5, 0.3).unwrap().into(),
        sand().into(),
    ];
    for law in in_plane {
        let name = law.name();
        let error = (stress_of(law, plane, None) - plane).norm_squared().sqrt();
        assert!(error < 1e-6 * 5e3, "{name}: {error:e} Pa");
    }
    let in_space: Vec<Boxed<3>> = vec![
        NeoHookean::from_young_poisson(1e5, 0.3).unwrap().into(),
        sand().into(),
    ];
    for law in in_space {
        let name = law.name();
        let error = (stress_of(law, space, None) - space).norm_squared().sqrt();
        assert!(error < 1e-6 * 5e3, "{name}: {error:e} Pa");
    }
    let pressure = Matrix::<f64, 3>::from_scalar(-2e4);
    let error = (stress_of(fluid().into(), pressure, None) - pressure).norm_squared();
    assert!(error.sqrt() < 1e-6 * 2e4);
    // Loose snow bears little; packed snow is harder, and has J_P in its volume.
    let little = plane * 0.3;
    let loose = stress_of(snow().into(), little, None);
    assert!((loose - little).norm_squared().sqrt() < 1e-6 * 5e3);
    let packed = stress_of(snow().into(), plane, Some(&[2.0 / 3.0]));
    assert!((packed - plane).norm_squared().sqrt() < 1e-6 * 5e3);
}

#[test]
fn stress_that_a_law_cannot_bear_is_refused_with_the_reason() {
    let shear = Matrix([[-1e3, 0.0], [0.0, -2e3]]);
    let refusal = |law: Boxed<2>, stress: Matrix<f64, 2>| {
        deformation_under_stress(law.as_ref(), &stress, Given::default()).unwrap_err()
    };
    assert!(matches!(
        refusal(fluid().into(), shear),
        StressError::Shear { law: "fluid", .. }
    ));
    // K0 = 0.1 is below the active coefficient of 35 degrees, about 0.27.
    let beyond = Matrix([[-1e3, 0.0], [0.0, -1e4]]);
    assert!(matches!(
        refusal(sand().into(), beyond),
        StressError::Yields {
            law: "drucker_prager",
            ..
        }
    ));
    // Dry sand has no tension.
    let tension = Matrix::from_scalar(1e3);
    assert!(matches!(
        refusal(sand().into(), tension),
        StressError::Yields { .. }
    ));
    // Loose snow is cut at a compression of 2.5 %, and parts at a stretch of 0.75 %.
    let pressed = Matrix([[-3e3, 800.0], [800.0, -5e3]]);
    assert!(matches!(
        refusal(snow().into(), pressed),
        StressError::Yields { .. }
    ));
    let strong = Matrix::from_scalar(1e5);
    assert!(matches!(
        refusal(snow().into(), strong),
        StressError::Yields { .. } | StressError::Unreachable { .. }
    ));
}

#[test]
fn history_is_taken_as_given_and_refused_where_it_cannot_be() {
    let mut sim = Simulation::<f64, 2>::new(Setup::new(0.1), vec![sand().into()]).unwrap();
    let seeds = [[0.5, 0.5], [0.6, 0.5]].map(|x| Seed::new(x, [0.0; 2], 1.0, 0.01));
    let history = [0.1, 0.2, 0.0, 0.3];
    sim.insert(Insertion::new(0, &seeds).with_history(Some(&history)))
        .unwrap();
    let mut seen = Vec::new();
    sim.visit(|_, state| seen.extend_from_slice(&state[3..5]));
    assert_eq!(seen, history);
    let ratio = sim.particles()[0].volume_ratio;
    assert!((ratio - 0.1f64.exp()).abs() < 1e-12, "{ratio}");
    let mut refusal = |values: &[f64]| {
        let insertion = Insertion::new(0, &seeds).with_history(Some(values));
        sim.insert(insertion).unwrap_err()
    };
    assert_eq!(
        refusal(&[0.1, -0.2, 0.0, 0.3]).to_string(),
        "plastic_strain of particle 0 is -0.2; it must be zero or positive, and finite"
    );
    assert_eq!(
        refusal(&[0.1]),
        BuildError::HistoryCount {
            given: 1,
            particles: 2,
            variables: 2
        }
    );
}

const HEIGHT: f64 = 1.0;
const DENSITY: f64 = 1000.0;
const GRAVITY: f64 = 10.0;
const H: f64 = 0.05;

/// A column on a floor, at rest without stress when gravity begins.
fn column(law: Boxed<2>, change: impl FnOnce(Setup<2>) -> Setup<2>) -> Simulation<f64, 2> {
    let mut setup = Setup::new(H)
        .with_periods([Some(4), None])
        .with_body_force(BodyForce::Uniform([0.0, -GRAVITY]));
    setup
        .walls
        .push(Wall::new(1, 0.0, Side::Above, Contact::Slip));
    setup.threads = 1;
    let mut sim = Simulation::new(change(setup), vec![law]).unwrap();
    let d = H / 2.0;
    let mut seeds = Vec::new();
    for j in 0..(HEIGHT / d).round() as usize {
        for i in 0..8 {
            let x = [(i as f64 + 0.5) * d, (j as f64 + 0.5) * d];
            seeds.push(Seed::new(x, [0.0; 2], DENSITY * d * d, d * d));
        }
    }
    sim.add(0, &seeds).unwrap();
    sim
}

/// Largest difference of the vertical stress from the weight above, as a share of the stress at the
/// floor, among particles two cells and more below the surface.
fn unbalance(sim: &Simulation<f64, 2>) -> f64 {
    let particles = sim.particles();
    let top = particles.iter().map(|p| p.position[1]).fold(0.0, f64::max);
    let of = |p: &thixo::Particle<f64, 2>| {
        let above = particles
            .iter()
            .filter(|q| q.position[1] > p.position[1] + 1e-9);
        let level = particles
            .iter()
            .filter(|q| (q.position[1] - p.position[1]).abs() <= 1e-9);
        let weight = (above.map(|q| q.mass).sum::<f64>()
            + 0.5 * level.map(|q| q.mass).sum::<f64>())
            * GRAVITY
            / (4.0 * H);
        let stress = p.kirchhoff_stress[1][1] / p.volume_ratio;
        (stress + weight).abs() / (DENSITY * GRAVITY * HEIGHT)
    };
    let deep = particles.iter().filter(|p| p.position[1] < top - 2.0 * H);
    deep.map(of).fold(0.0, f64::max)
}

/// A name, and what makes the material.
type Named = (&'static str, fn() -> Boxed<2>);

fn laws() -> [Named; 2] {
    [
        ("fluid", || fluid().into()),
        ("solid", || {
            NeoHookean::from_young_poisson(1e6, 0.3).unwrap().into()
        }),
    ]
}

#[test]
fn damped_columns_come_to_the_stress_of_their_weight() {
    for (name, law) in laws() {
        for (kind, damping) in [
            ("none", Damping::default()),
            ("local", Damping::default().with_local(0.8)),
            ("kinetic", Damping::default().with_kinetic(true)),
        ] {
            let mut sim = column(law(), |setup| setup.with_damping(damping));
            let mut swing: f64 = 0.0;
            for frame in 0..40 {
                sim.advance(0.025).unwrap();
                if frame >= 30 {
                    swing = swing.max(unbalance(&sim));
                }
            }
            println!("{name} {kind}: {swing:.4}");
            match kind {
                "none" => assert!(swing > 0.2, "{name}: {swing}"),
                _ => assert!(swing < 0.01, "{name} {kind}: {swing}"),
            }
        }
    }
}

#[test]
fn damped_columns_come_to_rest_on_other_floors_and_with_other_transfers() {
    let local = Damping::default().with_local(0.8);
    let rests = |name: &str, change: &dyn Fn(Setup<2>) -> Setup<2>| {
        let mut sim = column(fluid().into(), change);
        for _ in 0..40 {
            sim.advance(0.025).unwrap();
        }
        let rest = unbalance(&sim);
        println!("{name}: {rest:.4}");
        assert!(rest < 0.02, "{name}: {rest}");
    };
    rests("separating wall", &|mut setup| {
        setup.walls[0].contact = Contact::Separating { friction: 0.3 };
        setup.with_damping(local)
    });
    for transfer in [Transfer::Flip, Transfer::Apic] {
        rests(&format!("{transfer:?}, local"), &|setup| {
            setup.with_transfer(transfer).with_damping(local)
        });
        rests(&format!("{transfer:?}, kinetic"), &|setup| {
            let kinetic = Damping::default().with_kinetic(true);
            setup.with_transfer(transfer).with_damping(kinetic)
        });
    }
}

#[test]
fn a_damped_run_goes_on_bit_by_bit_from_a_checkpoint() {
    for damping in [
        Damping::default().with_local(0.7),
        Damping::default().with_kinetic(true).with_end(0.2),
    ] {
        let make = || column(fluid().into(), |setup| setup.with_damping(damping));
        let (mut first, mut again) = (make(), make());
        for _ in 0..3 {
            first.advance(0.025).unwrap();
        }
        let mut bytes = Vec::new();
        first.save(&mut bytes).unwrap();
        again.restore(&mut bytes.as_slice()).unwrap();
        for _ in 0..6 {
            first.advance(0.025).unwrap();
            again.advance(0.025).unwrap();
        }
        assert_eq!(first.particles(), again.particles());
    }
}

#[test]
fn damping_that_has_ended_leaves_matter_alone() {
    let damping = Damping::default().with_local(0.8).with_end(0.1);
    let kinetic = |sim: &Simulation<f64, 2>| sim.audit().kinetic;
    let mut sim = column(fluid().into(), |setup| setup.with_damping(damping));
    sim.advance(0.2).unwrap();
    // Both go on without any damping, one as if there had never been one: bit by bit the same.
    let mut bytes = Vec::new();
    sim.save(&mut bytes).unwrap();
    let mut free = column(fluid().into(), |setup| setup);
    free.restore(&mut bytes.as_slice()).unwrap();
    for _ in 0..3 {
        sim.advance(0.05).unwrap();
        free.advance(0.05).unwrap();
        assert_eq!(kinetic(&sim), kinetic(&free));
    }
    let mut undamped = column(fluid().into(), |setup| setup);
    undamped.advance(0.2).unwrap();
    assert!(kinetic(&undamped) > 0.0);
}

#[test]
fn implicit_steps_and_wrong_numbers_of_damping_are_refused() {
    let make = |setup: Setup<2>| Simulation::<f64, 2>::new(setup, vec![fluid().into()]);
    let damped = Setup::new(0.1).with_damping(Damping::default().with_local(0.5));
    let implicit = damped.with_integrator(Integrator::SemiImplicit(SemiImplicit::default()));
    assert!(matches!(
        make(implicit).unwrap_err(),
        BuildError::DampingNeedsExplicit { .. }
    ));
    let strong = Setup::new(0.1).with_damping(Damping::default().with_local(1.0));
    assert_eq!(make(strong).unwrap_err().key(), Some("local"));
}

#[test]
fn a_fixed_step_is_kept_and_refused_above_the_limit() {
    let fixed =
        |dt| move |setup: Setup<2>| setup.with_time_step(TimeStep::default().with_fixed(Some(dt)));
    let limit = {
        let mut sim = column(fluid().into(), |setup| setup);
        // Without the safety of one half.
        sim.forecast().unwrap().materials[0].step / TimeStep::default().safety
    };
    let mut sim = column(fluid().into(), fixed(1e-4));
    let report = sim.advance(0.01).unwrap();
    assert_eq!(report.steps, 100);
    assert!((report.dt_max - 1e-4).abs() < 1e-15);
    assert!((report.dt_min - 1e-4).abs() < 1e-12, "{}", report.dt_min);
    // A frame that is no multiple of it ends with a shorter one.
    let report = sim.advance(2.5e-4).unwrap();
    assert_eq!(report.steps, 3);
    // Just below the limit it runs and stays bounded; above it is refused, with the limit named.
    let mut sim = column(fluid().into(), fixed(0.98 * limit));
    sim.advance(0.3).unwrap();
    let long = 1.5 * limit;
    let mut sim = column(fluid().into(), fixed(long));
    let error = sim.advance(0.01).unwrap_err();
    let text = error.to_string();
    let StepError::FixedStepTooLong {
        dt,
        limit: named,
        which,
        ..
    } = error
    else {
        panic!("{text}");
    };
    assert_eq!((dt, which), (long, "the stiffness of a material"));
    assert!((named / limit - 1.0).abs() < 1e-9, "{named} {limit}");
    assert_eq!(sim.forecast().unwrap_err().to_string(), text);
    assert!(text.contains("Fix a shorter step"), "{text}");
    // So is one in which particles would cross too much of a cell.
    let mut sim = column(fluid().into(), fixed(1e-4));
    let fast = Seed::new([0.1, 2.0], [400.0, 0.0], 1.0, 1e-3);
    sim.add(0, &[fast]).unwrap();
    assert!(matches!(
        sim.advance(0.01).unwrap_err(),
        StepError::FixedStepTooLong {
            which: "the speed of particles (CFL number)",
            ..
        }
    ));
}
