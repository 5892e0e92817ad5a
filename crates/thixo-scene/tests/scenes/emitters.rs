//! Matter that enters and leaves while a scene runs: rates, places, owners, and the same after a
//! resume.

use proptest::prelude::*;
use thixo_scene::{Built, Flow, Scene};

fn text(dimension: u32, rest: &str) -> String {
    format!(
        "dimension = {dimension}\n[grid]\nspacing = 0.05\n[time]\nframes = 4\nfps = 20\n\
         [materials.water]\nmodel = 'fluid'\ndensity = 1000\nbulk_modulus = 1e4\n{rest}"
    )
}

fn scene(dimension: u32, rest: &str) -> Scene {
    let text = text(dimension, rest);
    Scene::parse(&text, "s.toml").unwrap_or_else(|error| panic!("{error}"))
}

const JET: &str = "[[emitters]]\nmaterial = 'water'\nvelocity = [2, 0]\n\
                   shape = { box = { min = [-0.1, 0], max = [0, 0.2] } }\n";

fn run<const D: usize>(scene: &Scene, frames: u32) -> (Built<f64, D>, Vec<Flow>)
where
    f64: thixo_scene::Precise<D>,
{
    let mut built = scene.build::<f64, D>(1).unwrap();
    let flows = (1..=frames).map(|frame| built.advance(frame).unwrap().flow);
    let flows = flows.collect();
    (built, flows)
}

#[test]
fn a_jet_brings_density_times_area_times_speed() {
    let scene = scene(2, JET);
    assert_eq!(scene.object_names(), ["water-0"]);
    let (built, flows) = run::<2>(&scene, 4);
    let rate = 1000.0 * 0.2 * 2.0;
    for (k, flow) in flows.iter().enumerate() {
        // Frames are whole numbers of layers here.
        assert!(
            (flow.emitted_mass / (rate * 0.05) - 1.0).abs() < 1e-9,
            "{k} {flow:?}"
        );
        assert_eq!(flow.removed, 0);
    }
    let audit = built.simulation.audit();
    let emitted: f64 = flows.iter().map(|flow| flow.emitted_mass).sum();
    assert!((audit.mass / emitted - 1.0).abs() < 1e-12);
    assert!((audit.time - 0.2).abs() < 1e-12);
    assert!((audit.momentum[0] / (2.0 * emitted) - 1.0).abs() < 1e-9);
    for particle in built.simulation.particles() {
        assert_eq!(built.objects.of_particle(particle.id), Some(0));
    }
}

#[test]
fn a_free_stream_is_uniform_across_frames() {
    // Nothing acts on it: every particle is where the pattern says, layer after layer.
    let (built, _) = run::<2>(&scene(2, JET), 4);
    let mut places: Vec<f64> = Vec::new();
    for particle in built.simulation.particles() {
        assert!(particle.position[0] > 0.0 && particle.position[0] < 0.4);
        places.push(particle.position[0]);
    }
    places.sort_by(f64::total_cmp);
    assert_eq!(places.len(), 16 * 8);
    for (k, x) in places.iter().enumerate() {
        let expected = (f64::from((k / 8) as u32) + 0.5) * 0.025;
        assert!((x - expected).abs() < 1e-9, "{k} {x} {expected}");
    }
}

#[test]
fn a_falling_stream_stretches_as_free_fall_does() {
    let falling = format!(
        "[physics]\ngravity = [0, -9.81]\n{}",
        JET.replace("[2, 0]", "[0, -1]")
    );
    // Soft matter, so that only gravity acts.
    let soft = text(2, &falling).replace("bulk_modulus = 1e4", "bulk_modulus = 1e-3");
    let (built, _) = run::<2>(&Scene::parse(&soft, "s.toml").unwrap(), 4);
    let lowest = built
        .simulation
        .particles()
        .iter()
        .map(|p| p.position[1])
        .fold(0.0, f64::min);
    // The first particle left at half a pitch; it falls v t + g t²/2.
    let t = 0.2 - 0.0125;
    let expected = -(t + 0.5 * 9.81 * t * t);
    assert!(
        (lowest / expected - 1.0).abs() < 0.03,
        "{lowest} {expected}"
    );
}

#[test]
fn an_emitter_keeps_its_times() {
    let timed = format!("{JET}start = 0.06\nend = 0.11\n");
    let (_, flows) = run::<2>(&scene(2, &timed), 4);
    let masses: Vec<f64> = flows.iter().map(|flow| flow.emitted_mass).collect();
    assert_eq!(masses[0], 0.0);
    assert_eq!(masses[3], 0.0);
    let total: f64 = masses.iter().sum();
    assert!(
        (total / (1000.0 * 0.2 * 2.0 * 0.05) - 1.0).abs() < 1e-9,
        "{masses:?}"
    );
    assert!(masses[1] > 0.0 && masses[2] > 0.0);
}

#[test]
fn every_sampling_of_a_round_oblique_jet_keeps_the_rate() {
    for sampling in ["grid", "random", "stratified", "poisson"] {
        let seed = if sampling == "grid" { "" } else { ", seed = 3" };
        let jet = format!(
            "[[emitters]]\nmaterial = 'water'\nvelocity = [3, 2, -1]\nstart = 0.01\n\
             shape = {{ sphere = {{ center = [0, 0, 0], radius = 0.2 }} }}\n\
             sampling = {{ {sampling} = {{ per_cell = 8{seed} }} }}\n"
        );
        let scene = scene(3, &jet);
        assert_eq!(
            Scene::parse(&scene.to_toml().unwrap(), "again").unwrap(),
            scene
        );
        let built = scene.build::<f64, 3>(1).unwrap();
        let rate = 1000.0 * std::f64::consts::PI * 0.04 * 14f64.sqrt();
        // Without stepping: what a second brings.
        let mut counted = built;
        counted.resume(20);
        let ids = counted.objects.spans().last().unwrap().0.end;
        let per_second = f64::from(ids) * counted.particle_mass(0).unwrap() / 0.99;
        assert!(
            (per_second / rate - 1.0).abs() < 0.02,
            "{sampling} {per_second} {rate}"
        );
    }
}

#[test]
fn sinks_take_what_is_inside_at_the_end_of_a_frame() {
    let drained = format!(
        "{JET}[[sinks]]\nshape = {{ box = {{ min = [0.1, -1], max = [9, 1] }} }}\n\
         [[objects]]\nmaterial = 'water'\nshape = {{ box = {{ min = [1, 0], max = [1.1, 0.1] }} }}\n"
    );
    let (built, flows) = run::<2>(&scene(2, &drained), 4);
    assert_eq!(flows[0].removed, 16);
    assert!((flows[0].removed_mass - 10.0).abs() < 1e-9);
    assert!(flows[3].removed > 0);
    let balance: f64 = flows
        .iter()
        .map(|flow| flow.emitted_mass - flow.removed_mass)
        .sum();
    let mass = built.simulation.audit().mass;
    assert!(
        (mass - 10.0 - balance).abs() < 1e-9 * mass,
        "{mass} {balance}"
    );
    for particle in built.simulation.particles() {
        assert!(particle.position[0] <= 0.1);
        assert_eq!(built.objects.of_particle(particle.id), Some(1));
    }
}

#[test]
fn a_run_goes_on_bit_for_bit_from_a_saved_state() {
    let two = format!(
        "{JET}{}sampling = {{ poisson = {{ per_cell = 4, seed = 2 }} }}\ncolors = [{{ color = '#ff0000', probability = 0.5 }}, \
         {{ color = [0, 0, 1], probability = 0.5 }}]\n[[sinks]]\nshape = {{ box = {{ min = [0.15, -1], max = [9, 1] }} }}\n",
        JET.replace("[-0.1, 0]", "[-0.1, 1]")
            .replace("[0, 0.2]", "[0, 1.2]")
    );
    let scene = scene(2, &two);
    let (mut through, _) = run::<2>(&scene, 2);
    let mut saved = Vec::new();
    through.simulation.save(&mut saved).unwrap();
    let mut resumed = scene.build::<f64, 2>(2).unwrap();
    resumed.simulation.restore(&mut saved.as_slice()).unwrap();
    resumed.resume(2);
    assert_eq!(resumed.objects, through.objects);
    for frame in 3..=4 {
        let flow = through.advance(frame).unwrap().flow;
        assert_eq!(resumed.advance(frame).unwrap().flow, flow);
    }
    assert_eq!(resumed.objects, through.objects);
    let (a, b) = (
        through.simulation.particles(),
        resumed.simulation.particles(),
    );
    assert_eq!(a.len(), b.len());
    for (p, q) in a.iter().zip(&b) {
        assert_eq!(
            (p.id, p.position, p.velocity),
            (q.id, q.position, q.velocity)
        );
        let color = through.objects.color_of_particle(p.id);
        match through.objects.of_particle(p.id) {
            Some(0) => assert_eq!(color, None),
            _ => assert!(matches!(color, Some([255, 0, 0] | [0, 0, 255]))),
        }
    }
}

#[test]
fn a_pressure_on_a_face_pushes_with_its_area() {
    let loaded = "[[objects]]\nname = 'block'\nmaterial = 'water'\nshape = { box = { min = [0, 0], max = [0.4, 0.2] } }\n\
                  [[loads]]\nobject = 'block'\nregion = { box = { min = [-0.01, -1], max = [0.01, 1] } }\npressure = 50\n\
                  [[loads]]\nname = 'pull'\nobject = 0\nregion = { box = { min = [0.39, -1], max = [0.41, 1] } }\ntraction = [20, 0]\n";
    let scene = scene(2, loaded);
    assert_eq!(
        Scene::parse(&scene.to_toml().unwrap(), "again").unwrap(),
        scene
    );
    let (built, _) = run::<2>(&scene, 1);
    let names: Vec<&str> = built
        .simulation
        .loads()
        .iter()
        .map(|load| load.name())
        .collect();
    assert_eq!(names, ["load-0", "pull"]);
    // (50 Pa + 20 Pa) × 0.2 m for 0.05 s.
    let momentum = built.simulation.audit().momentum[0];
    assert!(
        (momentum / (70.0 * 0.2 * 0.05) - 1.0).abs() < 0.05,
        "{momentum}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn frames_divide_a_stream_without_loss_or_repetition(
        vx in -4.0..4.0f64, vy in 0.1..4.0f64, start in 0.0..0.2f64, fps in 10u32..60, kind in 0..4usize,
    ) {
        let sampling = ["grid", "random", "stratified", "poisson"][kind];
        let text = |fps: u32, end: f64| format!(
            "dimension = 2\n[grid]\nspacing = 0.05\n[time]\nframes = 4\nfps = {fps}\n\
             [materials.water]\nmodel = 'fluid'\ndensity = 1000\nbulk_modulus = 1e4\n\
             [[emitters]]\nmaterial = 'water'\nvelocity = [{vx}, {vy}]\nstart = {start}\nend = {end}\n\
             shape = {{ sphere = {{ center = [0.3, 0], radius = 0.2 }} }}\nsampling = {{ {sampling} = {{ spacing = 0.03 }} }}\n"
        );
        let count = |fps: u32, frames: u32| {
            let scene = Scene::parse(&text(fps, start + 0.5), "s.toml").unwrap();
            let mut built = scene.build::<f64, 2>(1).unwrap();
            built.resume(frames);
            built.objects.spans().last().map_or(0, |(ids, _)| ids.end)
        };
        // However frames fall, all of it has come at the end.
        prop_assert_eq!(count(fps, fps), count(1, 1));
    }
}

#[test]
fn a_rate_by_formula_brings_its_integral() {
    let (built, flows) = run::<2>(&scene(2, &format!("{JET}rate = '20 * t'\n")), 4);
    // Density × area × speed × ∫ rate dt = 1000 · 0.2 · 2 · 10 t² kg, to within a layer of half a
    // cell.
    let layer = 1000.0 * 0.2 * 0.025;
    let mut mass = 0.0;
    for (k, flow) in flows.iter().enumerate() {
        mass += flow.emitted_mass;
        let time = 0.05 * (k + 1) as f64;
        let expected = 4000.0 * time * time;
        assert!((mass - expected).abs() <= layer, "{k} {mass} {expected}");
    }
    assert!((built.simulation.audit().mass / mass - 1.0).abs() < 1e-12);
    let text = text(2, &format!("{JET}rate = '0.1 - t'\n"));
    let message = Scene::parse(&text, "s.toml").unwrap_err().to_string();
    assert!(
        message.contains("emitters[0].rate is -")
            && message.contains(" where t = 0.1")
            && message.contains("it must be zero or positive"),
        "{message}"
    );
}

#[test]
fn a_jet_that_turns_brings_what_passes_its_opening() {
    // 3 m/s, turned by ±0.6 rad four times a second; the opening faces x and is 0.2 m wide.
    let turning = "[[emitters]]\nmaterial = 'water'\nvelocity = ['3 * cos(0.6 * sin(8 * pi * t))', '3 * sin(0.6 * sin(8 * pi * t))']\n\
                   shape = { box = { min = [-0.1, 0], max = [0, 0.2] } }\n";
    // Soft matter keeps the velocity it came with.
    let soft = text(2, turning).replace("bulk_modulus = 1e4", "bulk_modulus = 1e-6");
    let scene = Scene::parse(&soft, "s.toml").unwrap();
    assert_eq!(
        Scene::parse(&scene.to_toml().unwrap(), "again").unwrap(),
        scene
    );
    let (built, flows) = run::<2>(&scene, 4);
    let mut mass = 0.0;
    for (k, flow) in flows.iter().enumerate() {
        mass += flow.emitted_mass;
        let time = 0.05 * (k + 1) as f64;
        // ∫ cos(0.6 sin(8πt)) dt by many small steps.
        let steps = 10_000;
        let part = |n: i32| {
            let t = (f64::from(n) + 0.5) * time / f64::from(steps);
            (0.6 * (25.132_741_228_718_345 * t).sin()).cos()
        };
        let way = 3.0 * (0..steps).map(part).sum::<f64>() * time / f64::from(steps);
        // Whole layers of 5 kg come; each leaves when the stream has passed its middle.
        let layers = (way / 0.025 - 0.5).ceil();
        assert!((mass - layers * 5.0).abs() < 1e-9, "{k} {mass} {way}");
    }
    assert!((built.simulation.audit().mass / mass - 1.0).abs() < 1e-12);
    // The matter that left last has the last velocity: straight on again after 0.2 s, but it turns
    // down just before.
    let mut last: Vec<_> = built.simulation.particles();
    last.sort_by_key(|particle| particle.id);
    let angle = |v: [f64; 2]| v[1].atan2(v[0]);
    let angles: Vec<f64> = last.iter().map(|p| angle(p.velocity.0)).collect();
    let most = angles.iter().copied().fold(0.0, f64::max);
    let least = angles.iter().copied().fold(0.0, f64::min);
    assert!((0.5..0.601).contains(&most), "{most}");
    assert!((-0.601..-0.5).contains(&least), "{least}");
}

#[test]
fn a_profile_brings_its_integral_over_the_opening() {
    // 6 y (0.2 − y)/0.04 × 2 m/s has the mean 2 m/s.
    let channel = "[[emitters]]\nmaterial = 'water'\nvelocity = ['2 * 6 * y * (0.2 - y) / 0.04', 0]\n\
                   shape = { box = { min = [-0.1, 0], max = [0, 0.2] } }\nsampling = { grid = { per_cell = 16 } }\n";
    let scene = scene(2, channel);
    let mut built = scene.build::<f64, 2>(1).unwrap();
    built.resume(4);
    let count = built.objects.spans().last().unwrap().0.end;
    let mass = f64::from(count) * built.particle_mass(0).unwrap();
    // Density × width × mean × time, but for a particle per column of 16.
    let expected = 1000.0 * 0.2 * 2.0 * 0.2;
    assert!((mass / expected - 1.0).abs() < 0.02, "{mass} {expected}");
    let mut built = scene.build::<f64, 2>(1).unwrap();
    built.advance(1).unwrap();
    for particle in built.simulation.particles() {
        let y = particle.position[1];
        assert!((-0.05..0.25).contains(&y));
    }
}

#[test]
fn a_stream_by_formula_goes_on_bit_for_bit_and_on_any_number_of_threads() {
    let swaying = "[[emitters]]\nmaterial = 'water'\nvelocity = ['2 + y', 'sin(9 * t) + x']\nrate = '0.5 + t'\ndirection = [1, 0]\n\
                   sampling = { random = { per_cell = 4, seed = 5 } }\nshape = { sphere = { center = [0, 0], radius = 0.1 } }\n\
                   [[sinks]]\nshape = { half_space = { point = [0.3, 0], normal = [-1, 0] } }\n";
    let own =
        text(2, swaying).replace("bulk_modulus = 1e4", "bulk_modulus = '1e4 + 1e5 * abs(ly)'");
    let scene = Scene::parse(&own, "s.toml").unwrap();
    let (mut through, _) = run::<2>(&scene, 2);
    let mut saved = Vec::new();
    through.simulation.save(&mut saved).unwrap();
    let mut resumed = scene.build::<f64, 2>(2).unwrap();
    resumed.simulation.restore(&mut saved.as_slice()).unwrap();
    resumed.resume(2);
    for frame in 3..=4 {
        let flow = through.advance(frame).unwrap().flow;
        assert!(flow.emitted > 0);
        assert_eq!(resumed.advance(frame).unwrap().flow, flow);
    }
    assert_eq!(resumed.objects, through.objects);
    let (a, b) = (
        through.simulation.particles(),
        resumed.simulation.particles(),
    );
    assert_eq!(a.len(), b.len());
    for (p, q) in a.iter().zip(&b) {
        assert_eq!(
            (p.id, p.position, p.velocity, p.mass),
            (q.id, q.position, q.velocity, q.mass)
        );
    }
}

#[test]
fn a_constant_formula_with_a_direction_flows_as_the_numbers_do() {
    // The opening faces x; the matter leaves obliquely, and only its part along x counts.
    let oblique = JET.replace("[2, 0]", "['2', '1 + 0 * t']\ndirection = [5, 0]");
    let (_, straight) = run::<2>(&scene(2, JET), 4);
    let (built, flows) = run::<2>(&scene(2, &oblique), 4);
    for (a, b) in straight.iter().zip(&flows) {
        assert!((a.emitted_mass - b.emitted_mass).abs() < 1e-9);
    }
    let audit = built.simulation.audit();
    assert!((audit.momentum[1] / audit.momentum[0] - 0.5).abs() < 1e-9);
}

#[test]
fn velocities_that_cannot_be_are_refused_with_place_and_time() {
    let message = |velocity: &str| {
        let jet = JET.replace("[2, 0]", velocity);
        let scene = Scene::parse(&text(2, &jet), "s.toml");
        let error = scene.and_then(|scene| scene.build::<f64, 2>(1).map(drop));
        error.unwrap_err().to_string()
    };
    let found = message("['2 * sqrt(0.1 - t)', 0]");
    assert!(
        found.contains("emitters[0].velocity[0] is not a number where t = 0.1"),
        "{found}"
    );
    assert!(found.contains("it must be finite"), "{found}");
    // Fine in the middle of the opening, but not at its upper end.
    let found = message("['sqrt(0.15 - y)', 0]");
    assert!(
        found.contains("emitters[0].velocity[0] is not a number where y = 0.1"),
        "{found}"
    );
    let found = message("['t', 0]");
    assert!(
        found.contains("emitters[0].velocity is [0.0, 0.0]; it must be other than zero in the middle of the shape"),
        "{found}"
    );
    let found = message("['t', 0]\ndirection = [0, 0]");
    assert!(
        found.contains("emitters[0].direction is [0.0, 0.0]; it must be longer than 0"),
        "{found}"
    );
    let found = message("['q', 0]");
    assert!(found.contains("the variables here are x, y, t"), "{found}");
}
