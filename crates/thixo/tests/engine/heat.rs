//! Heat beside the mechanics: budgets, phases, and that nothing depends on threads or
//! interruptions.

use crate::matter::{DENSITY, H, block, plane};
use thixo::heat::{
    Heat, HeatExchange, Melting, PhaseParameters, PhaseProperties, PlaceAndTime, Thermal,
};
use thixo::integrate::Integrator;
use thixo::integrate::implicit::Optimization;
use thixo::material::elastic::{NeoHookean, SplitCorotated};
use thixo::material::fluid::{PressureLaw, WeaklyCompressible};
use thixo::material::plastic::HerschelBulkley;
use thixo::material::{Constitutive, Material, PerParticle};
use thixo::projection::Projection;
use thixo::{
    BodyForce, BuildError, Contact, Insertion, Instance, Path, Seed, Setup, Side, Simulation,
    TimeStep, Wall,
};

/// Melting point of all matter here \[K\].
const MELTING: f64 = 300.0;

/// Wax-like thermal properties that make heat cross a cell in about 0.1 s, with the phases of a
/// law.
fn thermal(law: &impl Constitutive) -> Thermal {
    let phase = |capacity, conductivity| PhaseProperties {
        capacity,
        conductivity,
    };
    Thermal {
        solid: phase(2.0, 200.0),
        melting: Some(Melting {
            point: MELTING,
            latent_heat: 20.0,
            liquid: phase(3.0, 100.0),
            mechanics: Some(PhaseParameters {
                solid: law.parameters(),
                liquid: law.molten::<2>().unwrap(),
            }),
        }),
    }
}

fn wax() -> SplitCorotated {
    SplitCorotated::from_young_poisson(2e4, 0.3, 2).unwrap()
}

/// A cold block that falls on a hot floor, under cool air, with a warm wall beside it.
fn melting_block<T: Instance<2>>(path: Path, threads: usize) -> Simulation<T, 2>
where
    PerParticle<SplitCorotated>: Into<Box<dyn Material<T, 2>>>,
{
    melting_block_by(Integrator::Explicit, path, threads)
}

/// The same by an integrator.
fn melting_block_by<T: Instance<2>>(
    integrator: Integrator,
    path: Path,
    threads: usize,
) -> Simulation<T, 2>
where
    PerParticle<SplitCorotated>: Into<Box<dyn Material<T, 2>>>,
{
    let heat = Heat::new(vec![thermal(&wax())], MELTING - 5.0)
        .with_reference(MELTING)
        .with_walls(vec![
            HeatExchange::at_temperature(MELTING + 60.0),
            HeatExchange::of_flux(50.0),
        ])
        .with_air(HeatExchange::to_surroundings(MELTING - 20.0, 10.0, 0.9));
    // In longer ones optimization does not solve for matter without resistance to shear in the
    // corner of two walls, melted or not.
    let longest = match integrator {
        Integrator::Optimization(_) => 2e-3,
        _ => f64::INFINITY,
    };
    let mut setup = Setup::new(H)
        .with_integrator(integrator)
        .with_time_step(TimeStep::default().with_longest(longest))
        .with_path(path)
        .with_threads(threads)
        .with_heat(Some(heat))
        .with_body_force(BodyForce::Uniform(plane(0.0, -9.81)));
    let floor = Wall::new(1, -H, Side::Above, Contact::Slip);
    let side = Wall::new(0, -H, Side::Above, Contact::Slip);
    setup.walls = vec![floor, side];
    let mut sim = Simulation::new(setup, vec![PerParticle(wax()).into()]).unwrap();
    sim.add(0, &block([0.0; 2], [6; 2])).unwrap();
    sim
}

fn unaccounted<T: Instance<2>>(mut sim: Simulation<T, 2>) -> f64 {
    let start = sim.audit().heat.unwrap();
    sim.advance(0.5).unwrap();
    let end = sim.audit().heat.unwrap();
    let share = end.liquid_mass / sim.audit().mass;
    assert!(share > 0.1 && share < 0.9, "melts while it moves: {share}");
    assert!(
        end.received.walls > 0.0 && end.received.air < 0.0,
        "{end:?}"
    );
    let received = end.received.total();
    (end.enthalpy - start.enthalpy - received).abs() / end.received.walls
}

#[test]
fn heat_is_what_came_in_while_matter_moves_and_melts() {
    for path in [Path::Fused, Path::Staged] {
        let double = unaccounted(melting_block::<f64>(path, 1));
        let single = unaccounted(melting_block::<f32>(path, 1));
        println!("unaccounted for: {double:.1e} in double, {single:.1e} in single precision");
        assert!(double < 1e-10 && single < 1e-5, "{double:e} {single:e}");
    }
}

/// Every bit of the state.
fn saved<T: Instance<2>>(sim: &Simulation<T, 2>) -> Vec<u8> {
    let mut bytes = Vec::new();
    sim.save(&mut bytes).unwrap();
    bytes
}

#[test]
fn threads_and_an_interruption_while_it_melts_change_no_bit() {
    let mut one = melting_block::<f32>(Path::Fused, 1);
    let mut two = melting_block::<f32>(Path::Fused, 2);
    for _ in 0..4 {
        one.advance(0.1).unwrap();
        two.advance(0.1).unwrap();
    }
    assert!(saved(&one) == saved(&two));
    let mut resumed = melting_block::<f32>(Path::Fused, 2);
    resumed.restore(&mut saved(&one).as_slice()).unwrap();
    let liquid = one.audit().heat.unwrap().liquid_mass;
    assert!(liquid > 0.0 && liquid < one.audit().mass);
    one.advance(0.1).unwrap();
    resumed.advance(0.1).unwrap();
    assert!(saved(&one) == saved(&resumed));
}

/// Elastic energy of sheared and compressed matter before and after all its heat of melting was
/// taken away or given to it, at once.
fn through_a_phase_change<C: Constitutive>(law: C, from: f64, source: f64) -> [f64; 2]
where
    PerParticle<C>: Into<Box<dyn Material<f64, 2>>>,
{
    let mut heat = Heat::new(vec![thermal(&law)], from);
    let dt = 1e-9;
    heat.source = Some(PlaceAndTime::Constant(source * DENSITY / dt));
    let setup = Setup::new(H).with_threads(1).with_heat(Some(heat));
    let mut sim = Simulation::new(setup, vec![PerParticle(law).into()]).unwrap();
    let seeds: Vec<Seed<2>> = block([0.0; 2], [4; 2])
        .into_iter()
        .map(|seed| Seed {
            deformation_gradient: [[0.99, 0.1], [0.0, 0.98]],
            ..seed
        })
        .collect();
    sim.add(0, &seeds).unwrap();
    let before = sim.audit().elastic;
    sim.run_steps(dt, 1).unwrap();
    let phase = sim.audit().heat.unwrap().liquid_mass > 0.0;
    assert_eq!(phase, source > 0.0, "all of it has changed its phase");
    [before, sim.audit().elastic]
}

#[test]
fn freezing_stores_no_energy_and_melting_lets_that_of_shear_go() {
    let wax = wax();
    // A liquid that has flowed, as an elastic liquid's strain would remember it.
    let [before, after] = through_a_phase_change(wax, MELTING + 0.1, -22.0);
    assert!(
        before > 0.0 && (after / before - 1.0).abs() < 1e-6,
        "{before} {after}"
    );
    let [before, after] = through_a_phase_change(wax, MELTING - 0.1, 22.0);
    assert!(after > 0.0 && after < 0.5 * before, "{before} {after}");
    let mud = HerschelBulkley::new(2e4, 0.3, 1e3, 1.0, 1.0).unwrap();
    let [before, after] = through_a_phase_change(mud, MELTING + 0.1, -22.0);
    assert!(
        before > 0.0 && after <= before * (1.0 + 1e-6),
        "{before} {after}"
    );
}

fn refused(thermal: Thermal, law: impl Into<Box<dyn Material<f64, 2>>>) -> BuildError {
    let setup = Setup::new(H).with_heat(Some(Heat::new(vec![thermal], MELTING)));
    Simulation::new(setup, vec![law.into()]).unwrap_err()
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let rubber = NeoHookean::from_young_poisson(1e5, 0.3).unwrap();
    let mut thermal = thermal(&wax());
    let cannot = BuildError::CannotMelt {
        material: "neo_hookean",
    };
    assert_eq!(refused(thermal.clone(), PerParticle(rubber)), cannot);
    // Parameters by phase need particles that have some.
    assert!(matches!(
        refused(thermal.clone(), wax()),
        BuildError::CannotMelt { .. }
    ));
    // A liquid that is easier to compress would make energy.
    if let Some(mechanics) = thermal.melting.as_mut().and_then(|m| m.mechanics.as_mut()) {
        mechanics.liquid[1] *= 0.9;
    }
    assert!(matches!(
        refused(thermal, PerParticle(wax())),
        BuildError::CannotMelt { .. }
    ));
    let key = |thermal: Thermal| refused(thermal, wax()).key();
    assert_eq!(key(Thermal::new(1.0, 0.0)), Some("conductivity"));
    assert_eq!(key(Thermal::new(-1.0, 1.0)), Some("heat_capacity"));
    let cold = Thermal::new(1.0, 1.0).melting_at(-3.0, 1.0);
    assert_eq!(key(cold), Some("melting_point"));
    let mut sim = melting_block::<f64>(Path::Fused, 1);
    let seeds = block([20.0; 2], [1; 2]);
    let frozen = Insertion::new(0, &seeds).at_temperatures(Some(&[-1.0; 4]));
    assert!(
        sim.insert(frozen)
            .unwrap_err()
            .to_string()
            .contains("temperature [K]")
    );
}

/// Heat beside an integrator in matter that moves as a whole: the largest error of the temperatures
/// of particles against a Gaussian that spreads and moves along, and the share of the heat that is
/// unaccounted for.
fn spreading(
    integrator: Integrator,
    law: impl Into<Box<dyn Material<f64, 2>>>,
    conductivity: f64,
) -> [f64; 2] {
    let (cells, width, speed, end) = (64_u32, 0.08, 2.0, 0.05);
    let h = 1.0 / f64::from(cells);
    let heat = Heat::new(vec![Thermal::new(1.0, conductivity)], MELTING);
    let setup = Setup::new(h)
        .with_periods([Some(cells), Some(4)])
        .with_integrator(integrator)
        .with_threads(1)
        .with_heat(Some(heat));
    let mut sim = Simulation::new(setup, vec![law.into()]).unwrap();
    let volume = 0.25 * h * h;
    let place = |k: u32| 0.5 * h * (f64::from(k) + 0.5);
    let seeds: Vec<Seed<2>> = (0..2 * cells * 8)
        .map(|k| [place(k % (2 * cells)), place(k / (2 * cells))])
        .map(|x| Seed::new(x, [speed, 0.0], volume, volume))
        .collect();
    let gaussian = |from: f64, t: f64| {
        // α = 0.075 m²/s, whatever the matter has.
        let variance = width * width + 2.0 * 0.075 * t;
        width / variance.sqrt() * (-from * from / (2.0 * variance)).exp()
    };
    let at = |x: f64, t: f64| gaussian((x - speed * t).rem_euclid(1.0) - 0.5, t);
    let start = seeds.iter().map(|seed| MELTING + at(seed.position[0], 0.0));
    let start: Vec<f64> = start.collect();
    let insertion = Insertion::new(0, &seeds).at_temperatures(Some(&start));
    sim.insert(insertion).unwrap();
    let before = sim.audit().heat.unwrap().enthalpy;
    sim.advance(end).unwrap();
    let reader = sim.quantities();
    let temperatures = reader.read(&reader.find("temperature").unwrap());
    let positions = reader.positions();
    let errors = positions
        .chunks_exact(2)
        .zip(temperatures)
        .map(|(x, t)| (t - MELTING - at(x[0], end)).abs());
    let largest = errors.fold(0.0, f64::max);
    [
        largest,
        (sim.audit().heat.unwrap().enthalpy / before - 1.0).abs(),
    ]
}

#[test]
fn heat_spreads_alike_beside_explicit_steps_projection_and_optimization() {
    let soft = || WeaklyCompressible::new(100.0, 0.0, PressureLaw::Linear).unwrap();
    let rigid = || WeaklyCompressible::incompressible(0.0).unwrap();
    let projection = Integrator::Projection(Projection::default());
    let optimization = Integrator::Optimization(Optimization::default());
    let all = |conductivity: f64| {
        [
            spreading(Integrator::Explicit, soft(), conductivity),
            spreading(optimization, soft(), conductivity),
            spreading(projection, rigid(), conductivity),
        ]
    };
    for (name, [error, unaccounted]) in ["explicit", "optimization", "projection"]
        .iter()
        .zip(all(0.075))
    {
        println!(
            "{name}: temperatures within {error:.1e} K of 1 K, {unaccounted:.1e} of the heat lost"
        );
        assert!(error < 0.01, "{name}: {error}");
        assert!(unaccounted < 1e-10, "{name}: {unaccounted:e}");
    }
    // Negative control: a third more conductivity is seen.
    for [error, _] in all(0.1) {
        assert!(error > 0.02, "{error}");
    }
}

#[test]
fn heat_is_what_came_in_beside_long_steps() {
    for integrator in [
        Integrator::Projection(Projection::default()),
        Integrator::Optimization(Optimization::default()),
    ] {
        let double = unaccounted(melting_block_by::<f64>(integrator, Path::Staged, 1));
        let single = unaccounted(melting_block_by::<f32>(integrator, Path::Staged, 1));
        println!("{integrator:?}: {double:.1e} in double, {single:.1e} in single precision");
        assert!(double < 1e-10 && single < 1e-5, "{double:e} {single:e}");
    }
}
