//! Pressures and tractions on surfaces, equation (22).
use crate::matter::{H, Matter, apart, bits, block, plane, setup, simulation, solid};
use thixo::collide::shape::Sphere;
use thixo::force::sample_surface;
use thixo::{BuildError, Load, LoadedSurface, Path, Seed, Simulation, SurfaceElement};

/// Elements on the upper face of a block from the origin, two per cell and axis.
fn top<const D: usize>(cells: [usize; D]) -> Vec<SurfaceElement<D>> {
    let mut flat = cells;
    flat[1] = 1;
    let mut seeds = block([0.0; D], flat);
    seeds.retain(|seed| seed.position[1] < 0.5 * H);
    let mut elements = Vec::new();
    for seed in seeds {
        let mut element = SurfaceElement {
            position: seed.position,
            area: [0.0; D],
        };
        element.position[1] = cells[1] as f64 * H;
        element.area[1] = (0.5 * H).powi(D as i32 - 1);
        elements.push(element);
    }
    elements
}

/// A block of rubber with a load on its upper face.
fn loaded<T: Matter<D>, const D: usize>(
    path: Path,
    threads: usize,
    load: Load<D>,
) -> Simulation<T, D> {
    let mut setup = setup::<D>();
    setup.path = path;
    setup.threads = threads;
    let cells = [4; D];
    setup
        .loads
        .push(LoadedSurface::new("top", top(cells), load).unwrap());
    let mut sim = simulation(setup, solid::<T, D>());
    sim.add(0, &block([0.0; D], cells)).unwrap();
    sim
}

fn force_and_torque<const D: usize>()
where
    f64: Matter<D>,
{
    for path in [Path::Fused, Path::Staged] {
        // Grows along x, so that the block turns.
        let force = |x: [f64; D]| plane::<D>(3.0e3, -2.0e4 * x[0]);
        let mut sim = loaded::<f64, D>(path, 1, Load::traction(move |x, _| force(x)));
        let dt = 1e-5;
        sim.run_steps(dt, 1).unwrap();
        let audit = sim.audit();
        let (mut momentum, mut spin) = ([0.0; 2], 0.0);
        for element in top::<D>([4; D]) {
            let area: f64 = element.area.iter().sum();
            let f = force(element.position);
            for a in 0..2 {
                momentum[a] += dt * area * f[a];
            }
            let x = element.position;
            spin += dt * area * (x[0] * f[1] - x[1] * f[0]);
        }
        for a in 0..2 {
            let error = audit.momentum[a] / momentum[a] - 1.0;
            assert!(error.abs() < 1e-12, "{path:?} momentum {a}: {error:.1e}");
        }
        // The default transfer keeps the affine part: nothing of the torque is lost.
        let error = audit.angular_momentum[2] / spin - 1.0;
        assert!(
            error.abs() < 1e-10,
            "{path:?} angular momentum: {error:.1e}"
        );
    }
}

#[test]
fn force_and_torque_are_those_of_the_traction() {
    force_and_torque::<2>();
    force_and_torque::<3>();
}

#[test]
fn both_paths_agree_and_threads_change_no_bit() {
    let push = || Load::pressure(|x: [f64; 3], t| 2.0e4 * (1.0 + x[0]) * (30.0 * t).cos());
    let run = |path, threads| {
        let mut sim = loaded::<f64, 3>(path, threads, push());
        sim.run_steps(5e-4, 60).unwrap();
        sim
    };
    let fused = run(Path::Fused, 1);
    assert!(fused.audit().max_speed > 1.0, "the load moves the block");
    assert_eq!(bits(&fused), bits(&run(Path::Fused, 2)));
    assert!(apart(&fused, &run(Path::Staged, 1), None).worst() < 1e-10);
    assert_eq!(
        fused.loads()[0].elements(),
        run(Path::Fused, 2).loads()[0].elements()
    );
}

/// Pressure turns with the surface: all around a spinning disc it neither pushes nor brakes, and
/// holds the disc together.
#[test]
fn pressure_follows_the_surface() {
    let spun = |pressure: f64| {
        let radius = 5.0 * H;
        let disc = Sphere::new([0.0, 0.0], radius).unwrap();
        let bound = 1.1 * radius;
        let elements = sample_surface(&disc, [-bound; 2], [bound; 2], 0.25 * H, |_| true).unwrap();
        let mut setup = setup::<2>();
        let load = Load::pressure(move |_, _| pressure);
        setup
            .loads
            .push(LoadedSurface::new("rim", elements, load).unwrap());
        let mut sim = simulation(setup, solid::<f64, 2>());
        let seeds: Vec<Seed<2>> = block([-6.0; 2], [12; 2])
            .into_iter()
            .filter(|seed| seed.position.iter().map(|x| x * x).sum::<f64>() < radius * radius)
            .map(|seed| {
                let spin = 8.0;
                let [x, y] = seed.position;
                Seed {
                    velocity: [-spin * y, spin * x],
                    velocity_gradient: [[0.0, -spin], [spin, 0.0]],
                    ..seed
                }
            })
            .collect();
        sim.add(0, &seeds).unwrap();
        let before = sim.audit();
        let mut volume = 0.0;
        for _ in 0..20 {
            sim.advance(0.01).unwrap();
            volume += sim.audit().volume / 20.0;
        }
        (before, sim.audit(), volume)
    };
    let (before, after, pressed) = spun(5.0e3);
    let drift = (after.angular_momentum[2] / before.angular_momentum[2] - 1.0).abs();
    assert!(drift < 2e-3, "angular momentum changes by {drift:.1e}");
    let push = after.momentum.iter().map(|p| p.abs()).fold(0.0, f64::max);
    assert!(push < 1e-3 * after.mass, "momentum {push:.1e}");
    // In plane strain a pressure p takes the part p / (λ + μ) of the volume.
    let (_, _, free) = spun(0.0);
    let squeezed = (free - pressed) / before.volume;
    // λ + μ = E / (2 (1 + ν) (1 − 2ν)) of the rubber of these tests.
    let expected = 5.0e3 / (1.0e5 / (2.0 * 1.3 * 0.4));
    assert!(
        (squeezed / expected - 1.0).abs() < 0.1,
        "{squeezed:.4} for {expected:.4}"
    );
}

#[test]
fn a_load_that_is_not_a_number_stops_the_run_and_takes_the_frame_back() {
    let late = Load::pressure(|_, t| if t > 0.03 { f64::NAN } else { 1e4 });
    let mut sim = loaded::<f32, 2>(Path::Fused, 1, late);
    sim.advance(0.02).unwrap();
    let (particles, elements) = (bits(&sim), sim.loads()[0].elements().to_vec());
    assert!(sim.advance(0.02).is_err());
    assert_eq!(bits(&sim), particles);
    assert_eq!(sim.loads()[0].elements(), elements);
}

#[test]
fn surfaces_that_cannot_be_loaded_are_refused() {
    let load = || Load::<2>::pressure(|_, _| 1.0);
    let nothing = LoadedSurface::new("lid", Vec::new(), load());
    assert!(matches!(nothing, Err(BuildError::NoSurface { .. })));
    for (position, area) in [
        ([f64::NAN, 0.0], [0.0, 1.0]),
        ([0.0; 2], [0.0, f64::INFINITY]),
    ] {
        let element = SurfaceElement { position, area };
        let refused = LoadedSurface::new("lid", vec![element], load()).unwrap_err();
        assert!(
            matches!(refused, BuildError::BadElement { index: 0, .. }),
            "{refused}"
        );
    }
    // A surface that no matter is near does nothing.
    let mut setup = setup::<2>();
    let element = SurfaceElement {
        position: [50.0; 2],
        area: [1.0, 0.0],
    };
    setup
        .loads
        .push(LoadedSurface::new("far", vec![element], load()).unwrap());
    let mut sim = simulation(setup, solid::<f32, 2>());
    sim.add(0, &block([0.0; 2], [2; 2])).unwrap();
    sim.advance(0.01).unwrap();
    assert_eq!(sim.audit().max_speed, 0.0);
}
