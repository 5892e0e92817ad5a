//! Quantities that particles carry: they move with their particle through sorts, retries and
//! checkpoints, and change nothing else.

use crate::matter::{H, bits, block, plane, setup};
use thixo::material::elastic::NeoHookean;
use thixo::{
    BodyForce, BuildError, Carried, Contact, Insertion, Path, SeedQuantity, Side, Simulation, Wall,
};

fn carried(name: &str, initial: f64) -> Carried {
    Carried {
        name: name.to_owned(),
        unit: "K".to_owned(),
        initial,
    }
}

/// A block that falls on a floor and splashes, each particle with its place at the start.
fn splash(path: Path, threads: usize, carried: Vec<Carried>) -> Simulation<f32, 2> {
    let mut setup = setup()
        .with_path(path)
        .with_threads(threads)
        .with_carried(carried);
    setup.body_force = BodyForce::Uniform(plane(0.0, -9.81));
    setup
        .walls
        .push(Wall::new(1, -2.0 * H, Side::Above, Contact::Slip));
    let jelly = NeoHookean::from_young_poisson(2e3, 0.3).unwrap();
    let count = setup.carried.len();
    let mut sim = Simulation::new(setup, vec![jelly.into()]).unwrap();
    let seeds = block([0.0; 2], [6; 2]);
    let values = seeds.iter().flat_map(|seed| {
        let [x, y] = seed.position;
        [x, y].into_iter().take(count)
    });
    let values: Vec<f64> = values.collect();
    let insertion = Insertion::new(0, &seeds).carrying((count > 0).then_some(&values));
    sim.insert(insertion).unwrap();
    sim
}

fn both() -> Vec<Carried> {
    vec![carried("x0", 0.0), carried("y0", 0.0)]
}

/// Carried values, by identifier.
fn read(sim: &Simulation<f32, 2>, name: &str) -> Vec<f32> {
    let reader = sim.quantities();
    let quantity = reader.find(name).unwrap();
    assert_eq!((quantity.unit.as_ref(), quantity.is_carried()), ("K", true));
    reader.read(&quantity)
}

#[test]
fn every_particle_keeps_its_own_whatever_happens_to_it() {
    let seeds = block::<2>([0.0; 2], [6; 2]);
    for path in [Path::Fused, Path::Staged] {
        let mut sim = splash(path, 1, both());
        let report = sim.advance(0.4).unwrap();
        assert!(report.sorts > 1, "{report:?}");
        for (axis, name) in ["x0", "y0"].into_iter().enumerate() {
            let expected = seeds.iter().map(|seed| seed.position[axis] as f32);
            assert!(read(&sim, name).into_iter().eq(expected), "{name}");
        }
        // Some go, others come without a value of their own.
        sim.remove(|id, _| id % 2 == 0);
        sim.add(0, &block([20.0; 2], [1; 2])).unwrap();
        sim.advance(0.02).unwrap();
        let left = seeds
            .iter()
            .skip(1)
            .step_by(2)
            .map(|seed| seed.position[0] as f32);
        let expected: Vec<f32> = left.chain([0.0; 4]).collect();
        assert_eq!(
            read(&sim, "x0")[..expected.len() - 4],
            expected[..expected.len() - 4]
        );
        assert!(read(&sim, "x0").iter().rev().take(4).all(|x| *x == 0.0));
    }
}

#[test]
fn what_is_carried_changes_no_bit_of_the_motion() {
    for path in [Path::Fused, Path::Staged] {
        let run = |threads, carried| {
            let mut sim = splash(path, threads, carried);
            sim.advance(0.3).unwrap();
            sim
        };
        let plain = bits(&run(1, Vec::new()));
        assert!(plain == bits(&run(1, both())));
        assert!(plain == bits(&run(2, both())));
    }
}

#[test]
fn a_saved_state_has_it() {
    let mut whole = splash(Path::Fused, 1, both());
    whole.advance(0.2).unwrap();
    let mut bytes = Vec::new();
    whole.save(&mut bytes).unwrap();
    let mut second = splash(Path::Fused, 1, both());
    second.restore(&mut bytes.as_slice()).unwrap();
    for sim in [&mut whole, &mut second] {
        sim.advance(0.2).unwrap();
    }
    assert!(bits(&whole) == bits(&second));
    assert_eq!(read(&whole, "y0"), read(&second, "y0"));
}

#[test]
fn names_and_values_that_cannot_be_are_refused() {
    let refused = |carried: Vec<Carried>, words: &str| {
        let setup = setup().with_carried(carried);
        let jelly = NeoHookean::from_young_poisson(2e3, 0.3).unwrap();
        let error = Simulation::<f32, 2>::new(setup, vec![jelly.into()]).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    };
    refused(
        vec![carried("stress", 0.0)],
        "\"stress\" has the name of another quantity",
    );
    refused(
        vec![carried("my dye", 0.0)],
        "letters, digits and underscores",
    );
    refused(vec![carried("", 0.0)], "letters, digits and underscores");
    refused(
        vec![carried("a", 0.0), carried("a", 1.0)],
        "\"a\" is there twice",
    );
    refused(vec![carried("a", 1e300)], "finite initial value");

    let mut sim = splash(Path::Fused, 1, both());
    let seeds = block([2.0; 2], [1; 2]);
    let few = sim.insert(Insertion::new(0, &seeds).carrying(Some(&[1.0; 3])));
    assert!(matches!(
        few,
        Err(BuildError::CarriedCount {
            given: 3,
            carried: 2,
            ..
        })
    ));
    // The second value of the second particle.
    let mut values = [0.0; 8];
    values[3] = f64::NAN;
    let lost = sim.insert(Insertion::new(0, &seeds).carrying(Some(&values)));
    assert!(matches!(
        lost,
        Err(BuildError::NonFinite {
            quantity: SeedQuantity::Carried { index: 1 },
            index: 1,
            ..
        })
    ));
}
