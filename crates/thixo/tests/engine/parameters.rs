//! Parameters of the particles' own: the same motion as with a material for each value.

use thixo::material::elastic::NeoHookean;
use thixo::material::{Constitutive, PerParticle};
use thixo::{BuildError, Contact, Insertion, Material, Path, Seed, Setup, Side, Simulation, Wall};

const H: f64 = 0.1;

/// Two blocks far apart, each 8 by 8 particles, falling.
fn block(left: f64) -> Vec<Seed<2>> {
    (0..64)
        .map(|k| [f64::from(k % 8), f64::from(k / 8)].map(|i| (i + 0.5) * 0.5 * H))
        .map(|[x, y]| Seed::new([x + left, y + H], [0.3, -2.0], 2.5, 0.0025))
        .collect()
}

fn setup(path: Path) -> Setup<2> {
    let mut setup = Setup::new(H);
    setup
        .walls
        .push(Wall::new(1, 0.0, Side::Above, Contact::Slip));
    setup.path = path;
    setup.threads = 1;
    setup
}

fn rubber(young: f64) -> NeoHookean {
    NeoHookean::from_young_poisson(young, 0.3).unwrap()
}

#[test]
fn two_stiffnesses_in_one_material_move_as_two_materials() {
    for path in [Path::Fused, Path::Staged] {
        let (soft, hard) = (rubber(2.0e4), rubber(2.0e5));
        let two: Vec<Box<dyn Material<f64, 2>>> = vec![soft.into(), hard.into()];
        let mut expected = Simulation::<f64, 2>::new(setup(path), two).unwrap();
        expected.add(0, &block(0.0)).unwrap();
        expected.add(1, &block(4.0)).unwrap();

        let one: Vec<Box<dyn Material<f64, 2>>> = vec![PerParticle(soft).into()];
        let mut sim = Simulation::<f64, 2>::new(setup(path), one).unwrap();
        sim.add(0, &block(0.0)).unwrap();
        let own = hard.parameters().repeat(64);
        sim.insert(Insertion::new(0, &block(4.0)).with_parameters(Some(&own)))
            .unwrap();

        expected.run_steps(2e-4, 600).unwrap();
        sim.run_steps(2e-4, 600).unwrap();
        let mut fell = 0.0f64;
        for (a, b) in sim.particles().iter().zip(expected.particles()) {
            assert_eq!(a.position, b.position);
            assert_eq!(a.kirchhoff_stress, b.kirchhoff_stress);
            fell = fell.max((a.volume_ratio - 1.0).abs());
        }
        assert!(fell > 1e-3, "the blocks are deformed by {fell}");
    }
}

#[test]
fn parameters_that_do_not_fit_are_refused() {
    let uniform: Vec<Box<dyn Material<f64, 2>>> = vec![rubber(1.0e4).into()];
    let mut sim = Simulation::<f64, 2>::new(setup(Path::Fused), uniform).unwrap();
    let refused = sim.insert(Insertion::new(0, &block(0.0)).with_parameters(Some(&[1.0; 128])));
    assert!(matches!(
        refused,
        Err(BuildError::ParameterCount { own: 0, .. })
    ));

    let own: Vec<Box<dyn Material<f64, 2>>> = vec![PerParticle(rubber(1.0e4)).into()];
    let mut sim = Simulation::<f64, 2>::new(setup(Path::Fused), own).unwrap();
    let refused = sim.insert(Insertion::new(0, &block(0.0)).with_parameters(Some(&[1.0; 127])));
    assert!(matches!(
        refused,
        Err(BuildError::ParameterCount {
            given: 127,
            own: 2,
            ..
        })
    ));
    let refused =
        sim.insert(Insertion::new(0, &block(0.0)).with_parameters(Some(&[f64::NAN; 128])));
    assert!(matches!(refused, Err(BuildError::NonFinite { .. })));
    assert!(sim.is_empty());
}
