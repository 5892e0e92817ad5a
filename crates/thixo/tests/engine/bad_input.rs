//! Invalid input is refused by name; no input makes the library panic.

use crate::matter::refusal::reads_well;
use crate::matter::{H, Matter, bits, block, both, setup, simulation};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use thixo::integrate::implicit::{Integrator, Newton, Optimization, SemiImplicit, Xpbd};
use thixo::material::elastic::NeoHookean;
use thixo::material::fluid::{PressureLaw, Tension, WeaklyCompressible};
use thixo::{
    BodyForce, BuildError, Collider, Contact, KernelKind, Path, Plane, Seed, Setup, Side,
    Simulation, StepError, Transfer, Wall,
};

const NOT_NUMBERS: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

/// The refusal of a setup, changed from one that is possible.
fn refusal(change: impl Fn(&mut Setup<2>)) -> BuildError {
    let mut setup = setup::<2>();
    change(&mut setup);
    Simulation::<f32, 2>::new(setup, both::<f32, 2>()).expect_err("this cannot be simulated")
}

#[test]
fn grids_that_cannot_be_are_refused() {
    for spacing in [0.0, -0.1].into_iter().chain(NOT_NUMBERS) {
        refused!(
            refusal(|s| s.spacing = spacing),
            BuildError::NotPositive { .. }
        );
    }
    for spacing in [1e-200, 1e200] {
        refused!(
            refusal(|s| s.spacing = spacing),
            BuildError::OutOfRange { .. }
        );
    }
    for cells in [0, 3, 6, u32::MAX] {
        refused!(
            refusal(|s| s.periods[1] = Some(cells)),
            BuildError::Period { axis: 1, .. }
        );
    }
    refused!(
        refusal(|s| s.threads = usize::MAX),
        BuildError::OutOfRange { .. }
    );
}

#[test]
fn transfers_that_cannot_be_are_refused() {
    for share in [-0.1, 1.1].into_iter().chain(NOT_NUMBERS) {
        for transfer in [
            Transfer::FlipPic { flip: share },
            Transfer::ApicPic { apic: share },
        ] {
            refused!(
                refusal(|s| s.transfer = transfer),
                BuildError::OutOfRange { .. }
            );
        }
    }
    for transfer in [Transfer::Mls, Transfer::Rpic] {
        let error = refusal(|s| (s.transfer, s.kernel) = (transfer, KernelKind::Linear));
        refused!(error, BuildError::KernelTooRough { .. });
    }
    for integrator in [
        Integrator::SemiImplicit(SemiImplicit::default()),
        Integrator::Newton(Newton::default()),
        Integrator::Optimization(Optimization::default()),
        Integrator::Xpbd(Xpbd::default()),
    ] {
        let error = refusal(|s| {
            (s.transfer, s.kernel) = (Transfer::Apic, KernelKind::Linear);
            s.integrator = integrator;
        });
        refused!(error, BuildError::KernelNotSmooth { .. });
    }
}

#[test]
fn time_steps_that_cannot_be_are_refused() {
    for wrong in [0.0, -1.0, f64::NAN, f64::NEG_INFINITY] {
        refused!(
            refusal(|s| s.time_step.cfl = wrong),
            BuildError::OutOfRange { .. }
        );
        refused!(
            refusal(|s| s.time_step.safety = wrong),
            BuildError::OutOfRange { .. }
        );
        refused!(
            refusal(|s| s.time_step.longest = wrong),
            BuildError::OutOfRange { .. }
        );
    }
    refused!(
        refusal(|s| s.time_step.cfl = 0.95),
        BuildError::OutOfRange { .. }
    );
    refused!(
        refusal(|s| s.time_step.safety = 1.1),
        BuildError::OutOfRange { .. }
    );
}

#[test]
fn gravity_that_cannot_be_is_refused() {
    for wrong in NOT_NUMBERS.into_iter().chain([1e300]) {
        let error = refusal(|s| s.body_force = BodyForce::Uniform([0.0, wrong]));
        refused!(error, BuildError::OutOfRange { .. });
    }
}

#[test]
fn walls_that_cannot_be_are_refused() {
    let floor = Wall::new(1, 0.0, Side::Above, Contact::Slip);
    let with = |wall: Wall<2>| refusal(move |s| s.walls.push(wall));
    refused!(
        with(Wall { axis: 2, ..floor }),
        BuildError::OutOfRange { .. }
    );
    for position in NOT_NUMBERS.into_iter().chain([1e9]) {
        refused!(
            with(Wall { position, ..floor }),
            BuildError::OutOfRange { .. }
        );
    }
    let error = with(Wall {
        position: 0.25,
        ..floor
    });
    let BuildError::WallOffNodes { below, above, .. } = error else {
        panic!("{error}")
    };
    assert!((below - 2.0 * H).abs() < 1e-12 && (above - 3.0 * H).abs() < 1e-12);
    for v in NOT_NUMBERS.into_iter().chain([1e300]) {
        refused!(
            with(Wall {
                velocity: [v, 0.0],
                ..floor
            }),
            BuildError::OutOfRange { .. }
        );
    }
    refused!(
        with(Wall {
            velocity: [0.0, 1.0],
            ..floor
        }),
        BuildError::OutOfRange { .. }
    );
    for friction in [-0.1].into_iter().chain(NOT_NUMBERS) {
        let contact = Contact::Separating { friction };
        refused!(
            with(Wall { contact, ..floor }),
            BuildError::OutOfRange { .. }
        );
    }
    let error = refusal(|s| {
        s.walls.push(floor);
        s.periods[1] = Some(8);
    });
    refused!(error, BuildError::WallOnPeriodicAxis { axis: 1 });
}

#[test]
fn obstacles_that_cannot_be_are_refused() {
    for normal in [[0.0, 0.0], [f64::NAN, 1.0], [f64::INFINITY, 0.0]] {
        refused!(
            Plane::new([0.0; 2], normal).expect_err("no plane"),
            BuildError::NotPositive { .. }
        );
    }
    for x in NOT_NUMBERS {
        refused!(
            Plane::new([x, 0.0], [0.0, 1.0]).expect_err("no plane"),
            BuildError::OutOfRange { .. }
        );
    }
    // Control, and normals of any length.
    for length in [1e-200, 1e-3, 1e200] {
        let plane = Plane::new([0.0; 2], [0.0, length]).expect("a plane");
        let contact = Contact::Separating { friction: f64::NAN };
        refused!(
            Collider::new(plane, contact).expect_err("no contact"),
            BuildError::OutOfRange { .. }
        );
        assert!(Collider::new(plane, Contact::Slip).is_ok());
    }
}

#[test]
fn particles_that_cannot_be_are_refused_and_none_is_added() {
    let mut sim = simulation(setup(), both::<f32, 2>());
    let good = block([0.0; 2], [1; 2]);
    let mut with = |change: &dyn Fn(&mut Seed<2>)| {
        let mut seeds = good.clone();
        change(&mut seeds[2]);
        let error = sim.add(0, &seeds).expect_err("no particle");
        assert!(sim.is_empty());
        error
    };
    for x in NOT_NUMBERS.into_iter().chain([1e300]) {
        refused!(
            with(&|s| s.position[1] = x),
            BuildError::NonFinite { index: 2, .. }
        );
        refused!(
            with(&|s| s.velocity[0] = x),
            BuildError::NonFinite { index: 2, .. }
        );
        refused!(
            with(&|s| s.velocity_gradient[0][1] = x),
            BuildError::NonFinite { index: 2, .. }
        );
        refused!(
            with(&|s| s.deformation_gradient[1][1] = x),
            BuildError::NonFinite { index: 2, .. }
        );
    }
    for x in [0.0, -1.0, 1e-300, 1e300].into_iter().chain(NOT_NUMBERS) {
        refused!(
            with(&|s| s.mass = x),
            BuildError::BadParticle { index: 2, .. }
        );
        refused!(
            with(&|s| s.rest_volume = x),
            BuildError::BadParticle { index: 2, .. }
        );
    }
    // Lighter than what nodes can carry in single precision.
    refused!(
        with(&|s| s.mass = 1e-30),
        BuildError::BadParticle { index: 2, .. }
    );
    for f in [
        [[0.0, 0.0], [0.0, 0.0]],
        [[-1.0, 0.0], [0.0, 1.0]],
        [[1.0, 1.0], [1.0, 1.0]],
    ] {
        refused!(
            with(&|s| s.deformation_gradient = f),
            BuildError::BadParticle { index: 2, .. }
        );
    }
    refused!(
        with(&|s| s.position[0] = 1e7),
        BuildError::TooFar { index: 2, .. }
    );
    refused!(
        sim.add(2, &good).expect_err("no material"),
        BuildError::NoSuchMaterial { index: 2, count: 2 }
    );
    // Control, and an empty list.
    assert_eq!(sim.add(0, &[]).expect("nothing is possible"), 0);
    assert_eq!(sim.add(0, &good).expect("possible"), 0);
    assert_eq!(sim.len(), good.len());
}

#[test]
fn runs_that_cannot_be_are_refused() {
    let mut sim = simulation(setup(), both::<f64, 3>());
    let empty = [
        sim.advance(0.1).map(|_| ()),
        sim.run_steps(1e-4, 1).map(|_| ()),
        sim.estimate_rest_volumes(),
    ];
    for result in empty {
        refused!(
            result.expect_err("nothing to simulate"),
            StepError::Input(BuildError::Empty)
        );
    }
    sim.add(0, &block([0.0; 3], [1; 3])).expect("possible");
    let before = bits(&sim);
    for wrong in [0.0, -1.0].into_iter().chain(NOT_NUMBERS) {
        refused!(
            sim.advance(wrong).expect_err("no time"),
            StepError::Input(BuildError::NotPositive { .. })
        );
        refused!(
            sim.run_steps(wrong, 1).expect_err("no time"),
            StepError::Input(BuildError::NotPositive { .. })
        );
    }
    refused!(
        sim.run_steps(1e-4, 0).expect_err("no step"),
        StepError::Input(BuildError::NotPositive { .. })
    );
    refused!(
        sim.advance(1e300).expect_err("for ever"),
        StepError::StepTooSmall { .. }
    );
    assert!(bits(&sim) == before && sim.time() == 0.0);
}

#[test]
fn absurd_matter_ends_in_a_diagnosis_and_the_state_before() {
    fn case<T: Matter<D>, const D: usize>() {
        let stiff = |young| NeoHookean::from_young_poisson(young, 0.3).expect("positive");
        let water = |k| WeaklyCompressible::new(k, 0.0, PressureLaw::Linear).expect("positive");
        for path in [Path::Fused, Path::Staged] {
            for young in [1e30, 1e60, 1e300] {
                for speed in [1.0, 1e30] {
                    let materials = vec![T::solid(stiff(young)), T::fluid(water(young))];
                    let mut setup = setup::<D>();
                    setup.path = path;
                    let mut sim = simulation(setup, materials);
                    for material in 0..2 {
                        let mut seeds = block([0.0; D], [1; D]);
                        seeds[0].velocity[0] = speed;
                        seeds[1].deformation_gradient[0][0] = 0.5;
                        sim.add(material, &seeds).expect("possible in itself");
                    }
                    let before = bits(&sim);
                    let error = sim.advance(0.04).expect_err("no step is small enough");
                    reads_well(&error);
                    assert!(bits(&sim) == before && sim.time() == 0.0);
                }
            }
        }
    }
    case::<f32, 2>();
    case::<f64, 3>();
}

/// Mostly a number of the range, sometimes an extreme or invalid one.
fn number(range: std::ops::Range<f64>) -> impl Strategy<Value = f64> {
    let wild = vec![
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        0.0,
        -1.0,
        1e-310,
        1e-40,
        1e-20,
        1e-6,
        1e6,
        1e15,
        1e30,
        1e200,
        -1e30,
        1e5 + 0.05,
        104_857.0,
        f64::MAX,
    ];
    prop_oneof![30 => range, 1 => proptest::sample::select(wild)]
}

fn vector<const D: usize>(range: std::ops::Range<f64>) -> impl Strategy<Value = [f64; D]> {
    proptest::collection::vec(number(range), D).prop_map(|v| std::array::from_fn(|a| v[a]))
}

fn matrix<const D: usize>(diagonal: f64) -> impl Strategy<Value = [[f64; D]; D]> {
    proptest::collection::vec(vector::<D>(-0.1..0.1), D).prop_map(move |rows| {
        std::array::from_fn(|i| {
            std::array::from_fn(|j| rows[i][j] + if i == j { diagonal } else { 0.0 })
        })
    })
}

fn contact() -> impl Strategy<Value = Contact> {
    prop_oneof![
        Just(Contact::Sticky),
        Just(Contact::Slip),
        number(0.0..1.0).prop_map(|friction| Contact::Separating { friction }),
    ]
}

fn wall<const D: usize>() -> impl Strategy<Value = Wall<D>> {
    (
        0..D + 1,
        prop_oneof![9 => Just(0.0), 1 => number(-1.0..1.0)],
        any::<bool>(),
        contact(),
        number(-1.0..1.0),
    )
        .prop_map(|(axis, position, above, contact, speed)| {
            let side = if above { Side::Above } else { Side::Below };
            let mut wall = Wall::new(axis, position, side, contact);
            wall.velocity[(axis + 1) % D] = speed;
            wall
        })
}

fn scheme() -> impl Strategy<Value = (Transfer, KernelKind)> {
    let kernels = vec![
        KernelKind::Linear,
        KernelKind::Quadratic,
        KernelKind::Quadratic,
        KernelKind::Cubic,
    ];
    let transfer = prop_oneof![
        Just(Transfer::Pic),
        Just(Transfer::Flip),
        number(0.0..1.0).prop_map(|flip| Transfer::FlipPic { flip }),
        Just(Transfer::Rpic),
        Just(Transfer::Apic),
        number(0.0..1.0).prop_map(|apic| Transfer::ApicPic { apic }),
        Just(Transfer::Mls),
        Just(Transfer::Mls),
    ];
    (transfer, proptest::sample::select(kernels))
}

fn setups<const D: usize>() -> impl Strategy<Value = Setup<D>> {
    let periods =
        prop_oneof![20 => Just(None), 4 => Just(Some(8u32)), 1 => any::<u32>().prop_map(Some)];
    (
        number(0.05..0.2),
        scheme(),
        proptest::collection::vec(periods, D),
        vector::<D>(-10.0..10.0),
        proptest::collection::vec(wall::<D>(), 0..2),
        proptest::option::of((vector::<D>(-1.0..0.0), vector::<D>(-1.0..1.0), contact())),
        (number(0.1..0.9), number(0.1..1.0), number(0.1..1.0)),
        any::<bool>(),
    )
        .prop_map(
            |(spacing, (transfer, kernel), periods, g, walls, plane, rule, staged)| {
                let mut setup = Setup::new(spacing);
                (setup.transfer, setup.kernel, setup.threads) = (transfer, kernel, 1);
                setup.periods = std::array::from_fn(|a| periods[a]);
                setup.body_force = BodyForce::Uniform(g);
                setup.walls = walls;
                if let Some((point, normal, contact)) = plane
                    && let Ok(plane) = Plane::new(point, normal)
                {
                    setup.colliders.extend(Collider::new(plane, contact));
                }
                (
                    setup.time_step.cfl,
                    setup.time_step.safety,
                    setup.time_step.longest,
                ) = rule;
                setup.path = if staged { Path::Staged } else { Path::Fused };
                setup
            },
        )
}

fn seeds<const D: usize>() -> impl Strategy<Value = Vec<Seed<D>>> {
    let seed = (
        vector::<D>(0.0..0.5),
        vector::<D>(-2.0..2.0),
        number(0.1..1.0),
        number(1e-4..1e-3),
        matrix::<D>(0.0),
        matrix::<D>(1.0),
    )
        .prop_map(|(x, v, m, volume, gradient, f)| Seed {
            velocity_gradient: gradient,
            deformation_gradient: f,
            ..Seed::new(x, v, m, volume)
        });
    proptest::collection::vec(seed, 0..10)
}

type Parameters = ((f64, f64), (f64, f64, f64), bool);

fn parameters() -> impl Strategy<Value = Parameters> {
    (
        (number(1e3..1e5), number(-0.5..0.45)),
        (number(1e3..1e5), number(0.0..10.0), number(2.0..8.0)),
        any::<bool>(),
    )
}

/// Does everything that can be done with a simulation; errors are welcome, panics and lost numbers
/// are not.
fn everything<T: Matter<D>, const D: usize>(
    setup: Setup<D>,
    ((young, poisson), (bulk, viscosity, exponent), release): Parameters,
    lists: [Vec<Seed<D>>; 2],
) -> Result<bool, TestCaseError> {
    let mut materials = Vec::new();
    if let Ok(solid) = NeoHookean::from_young_poisson(young, poisson) {
        materials.push(T::solid(solid));
    }
    if let Ok(fluid) = WeaklyCompressible::new(bulk, viscosity, PressureLaw::Tait { exponent }) {
        let tension = if release {
            Tension::Release
        } else {
            Tension::Keep
        };
        materials.push(T::fluid(fluid.with_tension(tension)));
    }
    let h = setup.spacing;
    let share = setup.time_step.cfl.min(setup.time_step.safety);
    let longest = setup.time_step.longest;
    let pull = match setup.body_force {
        BodyForce::Uniform(g) => g.iter().fold(0.0f64, |m, g| m.max(g.abs())),
        BodyForce::Field(_) => 0.0,
    };
    let Ok(mut sim) = Simulation::<T, D>::new(setup, materials) else {
        return Ok(false);
    };
    let finite = |sim: &Simulation<T, D>| {
        sim.particles().iter().all(|p| {
            let mut numbers = p.velocity.0.iter().chain([&p.volume_ratio]);
            p.position.0.iter().all(|x| x.is_finite()) && numbers.all(|x| x.to_f64().is_finite())
        })
    };
    // Some ten steps: the fastest wave, flow or diffusion that the input can cause.
    let mut speed = 1.0f64;
    for (material, seeds) in lists.iter().enumerate() {
        if sim.add(material, seeds).is_ok() {
            for seed in seeds {
                let size = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
                let stretch = size(seed.deformation_gradient.as_flattened())
                    .max(1.0)
                    .powi(D as i32);
                let volume = seed.rest_volume / seed.mass * stretch * stretch;
                let wave = (100.0 * young.max(bulk) * volume).sqrt();
                let spin = h * size(seed.velocity_gradient.as_flattened());
                let diffusion = viscosity * volume / h;
                let flow = size(&seed.velocity) + spin;
                speed = speed.max(wave).max(diffusion).max(flow);
            }
        }
    }
    let fall = (h / pull.max(1.0)).sqrt();
    let duration = 10.0 * (share * h / speed).min(longest).min(share * fall);
    let mut ran = false;
    for round in 0..3u32 {
        let before = bits(&sim);
        match sim.advance(duration) {
            Ok(_) => {
                ran = true;
                prop_assert!(finite(&sim));
            }
            Err(error) => {
                prop_assert!(!error.to_string().is_empty());
                prop_assert!(bits(&sim) == before, "{}", error);
            }
        }
        let _ = sim.audit();
        sim.remove(|id, x| id % 7 == round || x[0] > 1e3);
        if round == 1 {
            let _ = sim.estimate_rest_volumes();
        }
    }
    if sim.run_steps(duration, 3).is_err() {
        prop_assert!(sim.advance(duration).is_err());
    }
    let _ = (sim.audit(), sim.particles(), sim.bytes());
    Ok(ran)
}

fn storm<T: Matter<D>, const D: usize>(cases: u32) {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let ran = std::cell::Cell::new(0);
    let strategy = (setups::<D>(), parameters(), seeds::<D>(), seeds::<D>());
    let result = runner.run(&strategy, |(setup, parameters, first, second)| {
        let one = everything::<T, D>(setup, parameters, [first, second])?;
        ran.set(ran.get() + u32::from(one));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{} {D}D: {error}", T::NAME);
    }
    // Control: enough of it was possible to have been simulated.
    assert!(ran.get() > cases / 10, "{} of {cases} ran", ran.get());
}

#[test]
fn no_input_makes_the_library_panic_in_2d() {
    storm::<f32, 2>(500);
    storm::<f64, 2>(500);
}

#[test]
fn no_input_makes_the_library_panic_in_3d() {
    storm::<f32, 3>(400);
    storm::<f64, 3>(400);
}
