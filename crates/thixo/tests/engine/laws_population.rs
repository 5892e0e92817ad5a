//! Particles come and go while a simulation runs.

use crate::matter::{self, Matter, block, both, fluid, moving, plane, setup, simulation};
use thixo::{BodyForce, KernelKind, Path, Transfer};

fn sources_and_drains<T: Matter<D>, const D: usize>(path: Path) {
    let mut setup = setup::<D>();
    setup.path = path;
    setup.body_force = BodyForce::Uniform(plane(0.0, -9.81));
    let mut sim = simulation(setup, both::<T, D>());
    let mut expected = std::collections::BTreeMap::new();
    let mut next = 0;
    for round in 0..6u32 {
        let material = (round % 2) as usize;
        let seeds = moving(block([0.0; D], [2; D]), |_| plane(1.0, -20.0));
        let first = sim.add(material, &seeds).expect("possible particles");
        assert_eq!(first, next, "identifiers are never used again");
        for seed in &seeds {
            expected.insert(next, (material, T::from_f64(seed.mass).to_f64()));
            next += 1;
        }
        sim.advance(0.01).expect("a stable frame");
        let gone = sim.remove(|id, x| {
            let goes = x[1] < -0.35 || id % 13 == round;
            if goes {
                assert!(expected.remove(&id).is_some(), "{id} existed");
            }
            goes
        });
        assert!(gone > 0);
        let particles = sim.particles();
        assert_eq!(sim.len(), expected.len());
        assert_eq!(particles.len(), expected.len());
        for (p, (&id, &(material, mass))) in particles.iter().zip(&expected) {
            assert_eq!((p.id, p.material, p.mass.to_f64()), (id, material, mass));
        }
        let budget: f64 = expected.values().map(|(_, mass)| mass).sum();
        // The audit sums in another order.
        assert!((sim.audit().mass / budget - 1.0).abs() < 1e-14);
    }
    assert_eq!(sim.remove(|_, _| true), expected.len());
    assert!(sim.is_empty() && sim.advance(0.01).is_err());
    let audit = sim.audit();
    assert!(
        audit.centre_of_mass.iter().all(|x| x.is_finite()),
        "{audit:?}"
    );
    let first = sim
        .add(0, &block([0.0; D], [1; D]))
        .expect("possible particles");
    assert_eq!(first, next);
    sim.advance(0.01).expect("a stable frame");
}

#[test]
fn particles_come_and_go_and_the_mass_budget_is_exact() {
    for path in [Path::Fused, Path::Staged] {
        sources_and_drains::<f32, 2>(path);
        sources_and_drains::<f32, 3>(path);
        sources_and_drains::<f64, 2>(path);
        sources_and_drains::<f64, 3>(path);
    }
}

/// A sheared viscous fluid does not notice that a particle is added, and removed again, far away.
#[test]
fn a_newcomer_far_away_disturbs_nobody() {
    for (transfer, kernel) in [
        (Transfer::Mls, KernelKind::Quadratic),
        (Transfer::Apic, KernelKind::Linear),
        (Transfer::Apic, KernelKind::Cubic),
        (Transfer::Rpic, KernelKind::Quadratic),
        (Transfer::Flip, KernelKind::Quadratic),
    ] {
        let run = |disturb: bool| {
            let mut setup = setup::<2>();
            (setup.transfer, setup.kernel) = (transfer, kernel);
            setup.time_step.longest = 1e-4; // the same steps with and without the newcomer
            let mut sim = simulation(setup, fluid::<f64, 2>());
            let shear = moving(block([0.0; 2], [4; 2]), |x| [10.0 * x[1], 0.0]);
            sim.add(0, &shear).expect("possible particles");
            for round in 0..3 {
                sim.advance(1e-3).expect("a stable frame");
                if disturb && round == 0 {
                    sim.add(0, &block([1000.0, 0.0], [1; 2]))
                        .expect("possible particles");
                } else if disturb {
                    sim.remove(|_, x| x[0] > 50.0);
                }
            }
            let particles = sim.particles();
            particles.iter().map(|p| p.velocity.0).collect::<Vec<_>>()
        };
        assert_eq!(run(false), run(true), "{transfer:?} {kernel:?}");
    }
}

/// A seed's velocity gradient is the affine motion around it, whatever form the transfer keeps it
/// in.
#[test]
fn a_seeded_rotation_is_a_rotation_with_every_affine_transfer() {
    for (transfer, kernel) in matter::schemes() {
        if !matches!(transfer, Transfer::Apic | Transfer::Rpic | Transfer::Mls) {
            continue;
        }
        let mut setup = setup::<2>();
        (setup.transfer, setup.kernel) = (transfer, kernel);
        let mut sim = simulation(setup, fluid::<f64, 2>());
        let mut seeds = moving(block([0.0; 2], [4; 2]), |x| [-5.0 * x[1], 5.0 * x[0]]);
        for seed in &mut seeds {
            seed.velocity_gradient = [[0.0, -5.0], [5.0, 0.0]];
        }
        sim.add(0, &seeds).expect("possible particles");
        sim.run_steps(1e-5, 1).expect("a stable step");
        for (p, seed) in sim.particles().iter().zip(&seeds) {
            for a in 0..2 {
                let gap = (p.velocity[a] - seed.velocity[a]).abs();
                assert!(gap < 1e-3, "{transfer:?} {kernel:?}: {gap} m/s");
            }
        }
    }
}

/// A fluid that is sheared from the start bears its viscous stress at once, with every transfer.
#[test]
fn a_sheared_fluid_has_its_viscous_stress_from_the_start() {
    for (transfer, kernel) in matter::schemes() {
        let setup = setup::<2>().with_transfer(transfer).with_kernel(kernel);
        let mut sim = simulation(setup, fluid::<f64, 2>());
        let mut seeds = moving(block([0.0; 2], [4; 2]), |x| [3.0 * x[1], 0.0]);
        for seed in &mut seeds {
            seed.velocity_gradient = [[0.0, 3.0], [0.0, 0.0]];
        }
        sim.add(0, &seeds).expect("possible particles");
        for p in sim.particles() {
            // η γ̇
            let shear = p.kirchhoff_stress[0][1];
            assert!(
                (shear - 15.0).abs() < 1e-9,
                "{transfer:?} {kernel:?}: {shear} Pa"
            );
        }
    }
}

/// Steps so long that particles are sorted before the first of them, on a grid that has grown since
/// the last frame.
#[test]
fn newcomers_may_be_sorted_before_the_first_step() {
    for path in [Path::Fused, Path::Staged] {
        let mut setup = setup::<2>();
        setup.path = path;
        let mut sim = simulation(setup, fluid::<f64, 2>());
        let body = |x: f64| moving(block([x, 0.0], [2; 2]), |_| plane(60.0, 0.0));
        sim.add(0, &body(0.0)).expect("possible particles");
        sim.advance(1e-4).expect("a stable frame");
        sim.add(0, &body(100.0)).expect("possible particles");
        let report = sim.run_steps(1e-3, 3).expect("uniform motion is stable");
        assert_eq!(report.sorts, 3);
        assert!((sim.audit().momentum[0] / sim.audit().mass - 60.0).abs() < 1e-9);
    }
}

#[test]
fn time_passes_without_matter_and_only_then() {
    let mut sim = simulation(setup::<2>(), both::<f64, 2>());
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(sim.wait(wrong).is_err());
    }
    assert_eq!(sim.wait(0.25).expect("nothing to move").steps, 0);
    assert_eq!(sim.time(), 0.25);
    sim.add(0, &block([0.0; 2], [1; 2]))
        .expect("possible particles");
    let error = sim.wait(0.25).expect_err("something to move");
    assert!(
        error.to_string().contains("particles, which cannot wait"),
        "{error}"
    );
    sim.advance(0.01).expect("a stable frame");
    assert!((sim.time() - 0.26).abs() < 1e-15);
    sim.remove(|_, _| true);
    assert!(sim.wait(0.01).is_ok());
}
