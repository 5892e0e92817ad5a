//! Single precision against double: centre of mass and total energy after 100 steps of the scene
//! "jelly in honey".

use crate::matter::{Matter, block, both, moving, plane, setup, simulation};
use thixo::{Audit, BodyForce, Contact, Path, Side, Wall};

/// A jelly cube falls into a bath of honey that fills a trough.
fn jelly_in_honey<T: Matter<D>, const D: usize>(path: Path) -> Audit<D> {
    let mut setup = setup::<D>();
    setup.path = path;
    setup.body_force = BodyForce::Uniform(plane(0.0, -9.81));
    for (axis, side, position) in [
        (0, Side::Above, 0.0),
        (0, Side::Below, 1.0),
        (1, Side::Above, 0.0),
    ] {
        setup
            .walls
            .push(Wall::new(axis, position, side, Contact::Slip));
    }
    let mut sim = simulation(setup, both::<T, D>());
    let mut low = [0.0; D];
    let mut cells = [10; D];
    cells[1] = 3;
    cells[D - 1] = cells[D - 1].min(4);
    sim.add(1, &block(low, cells)).expect("honey");
    low = [2.0; D];
    low[1] = 3.5;
    low[D - 1] = low[D - 1].max(0.0);
    let jelly = moving(block(low, [3; D]), |_| plane(1.0, -2.0));
    sim.add(0, &jelly).expect("jelly");
    sim.run_steps(5e-4, 100).expect("stable steps");
    sim.audit()
}

fn case<const D: usize>(path: Path)
where
    f32: Matter<D>,
    f64: Matter<D>,
{
    let single = jelly_in_honey::<f32, D>(path);
    let double = jelly_in_honey::<f64, D>(path);
    let energy = |a: &Audit<D>| a.kinetic + a.elastic + a.potential;
    let (e, exact) = (energy(&single), energy(&double));
    assert!(
        (e / exact - 1.0).abs() < 1e-4,
        "{D}D {path:?}: energy {e} J, {exact} J"
    );
    let length = double
        .centre_of_mass
        .iter()
        .map(|x| x * x)
        .sum::<f64>()
        .sqrt();
    for a in 0..D {
        let gap = (single.centre_of_mass[a] - double.centre_of_mass[a]).abs() / length;
        assert!(
            gap < 1e-4,
            "{D}D {path:?}: centre of mass {gap} along axis {a}"
        );
    }
    // Control: the scene is in motion, so that standing still would not pass.
    assert!(double.kinetic > 1e-2 * exact.abs() && double.elastic > 0.0);
}

#[test]
fn single_precision_is_double_precision_to_a_ten_thousandth() {
    for path in [Path::Fused, Path::Staged] {
        case::<2>(path);
        case::<3>(path);
    }
}

/// A block of jelly that falls on a plane, bounces and wobbles for a second, far from the origin:
/// position of every particle relative to the place, in single precision \[m\].
fn fallen_at(place: f64) -> Vec<[f64; 2]> {
    let spacing = 0.01;
    let mut setup = thixo::Setup::<2>::new(spacing);
    setup.threads = 1;
    setup.body_force = BodyForce::Uniform([0.0, -9.81]);
    let floor = Wall::new(1, 0.0, Side::Above, Contact::Slip);
    setup.walls.push(floor);
    let law = thixo::material::elastic::NeoHookean::from_young_poisson(1e4, 0.3);
    let mut sim = simulation(setup, vec![f32::solid(law.expect("possible jelly"))]);
    let volume = (0.5 * spacing).powi(2);
    let seeds: Vec<_> = (0..16 * 16)
        .map(|k| {
            let x = [(k % 16) as f64 + 0.5, (k / 16) as f64 + 0.5].map(|x| 0.5 * spacing * x);
            let position = [place + x[0], x[1] + 2.0 * spacing];
            thixo::Seed::new(position, [0.1, 0.0], 1000.0 * volume, volume)
        })
        .collect();
    sim.add(0, &seeds).expect("possible particles");
    sim.advance(1.0).expect("stable steps");
    let particles = sim.particles().into_iter();
    particles
        .map(|p| [p.position[0] - place, p.position[1]])
        .collect()
}

#[test]
fn ten_kilometres_away_matter_is_as_it_is_at_the_origin() {
    let size = 0.08;
    let (near, far) = (fallen_at(0.0), fallen_at(1.0e4));
    let apart = near.iter().zip(&far).map(|(a, b)| {
        let [x, y] = [a[0] - b[0], a[1] - b[1]];
        x.hypot(y)
    });
    let worst = apart.fold(0.0, f64::max);
    assert!(worst < 1e-3 * size, "{worst} m");
}
