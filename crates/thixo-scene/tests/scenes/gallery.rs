//! Every built-in scene at the size of its preview: budgets of mass, momentum and energy, volumes,
//! and matter that stays where it belongs. A few frames of each; to their ends they run, some
//! minutes in all, with `cargo test -p thixo-scene gallery -- --ignored`.

use thixo_scene::{
    AngularVelocity, FrameBudget, Number, Precise, RunWatch, Scene, gallery, with_preview,
    with_settings,
};

/// Bounds that a scene must keep to.
struct Bounds {
    /// Frames of the preview that are run: enough for what the scene shows to begin.
    frames: u32,
    /// Corners of the box that holds all matter \[m\]; two numbers count in 2D.
    room: [[f64; 3]; 2],
    /// Depth to which matter may sink into what makes the room, in cells: [`ON_NODES`] or
    /// [`BETWEEN_NODES`].
    depth: f64,
    /// Smallest and largest volume ratio of any particle \[–\].
    volume_ratio: [f64; 2],
    /// Share of the speed of its waves that matter may gain by springing back \[–\].
    rebound: f64,
}

const FAR: f64 = f64::INFINITY;
/// Matter may sink this far, in cells, into what has its surface along a line of nodes. Contact is
/// felt on the grid: a particle goes on into a solid while it reaches nodes outside, the kernel
/// ends one and a half cells from it, and the first nodes outside are a cell above the surface.
const ON_NODES: f64 = 0.5;
/// And this far into any other solid: there the first nodes outside may be right above the surface,
/// and reach a cell and a half down. The guard ends that at a cell. What is so deep stays so when
/// it slides on, to places where it would not have sunk in.
const BETWEEN_NODES: f64 = 1.0;
/// Previews are small \[particles\].
const MOST_PARTICLES: usize = 50_000;
/// Energy that may appear from nowhere, as a share of what the scene handles: explicit steps are
/// not exact.
const ENERGY_ERROR: f64 = 0.01;

/// A test for every scene, and the list of them.
macro_rules! scenes {
    ($($test:ident $name:literal $bounds:expr;)*) => {
        $(#[test]
        fn $test() {
            check(&preview($name), &$bounds);
        })*

        /// To their ends.
        mod whole {
            use super::*;

            $(#[test]
            #[ignore = "takes long"]
            fn $test() {
                check_to_the_end(&preview($name), &$bounds);
            })*
        }

        fn bounds_of(name: &str) -> Bounds {
            match name {
                $($name => $bounds,)*
                _ => panic!("{name} is not in the list"),
            }
        }

        #[test]
        fn every_scene_is_tested() {
            let names: Vec<&str> = gallery::SCENES.iter().map(|scene| scene.name).collect();
            assert_eq!(names, [$($name),*]);
        }
    };
}

/// All that lies above a floor at height 0.
const ABOVE_FLOOR: [[f64; 3]; 2] = [[-FAR, 0.0, -FAR], [FAR; 3]];
const ANYWHERE: [[f64; 3]; 2] = [[-FAR; 3], [FAR; 3]];
/// Two metres between walls.
const TANK: [[f64; 3]; 2] = [[0.0, 0.0, -FAR], [2.0, FAR, FAR]];

const fn bounds(frames: u32, room: [[f64; 3]; 2], volume_ratio: [f64; 2]) -> Bounds {
    Bounds {
        frames,
        room,
        depth: ON_NODES,
        volume_ratio,
        rebound: 0.0,
    }
}

scenes! {
    angle_of_repose "angle-of-repose" bounds(8, ABOVE_FLOOR, [0.6, 5.0]);
    bodies_in_current "bodies-in-current" bounds(8, [[-0.12, 0.0, 0.0], [FAR, FAR, 0.48]], [0.7, 1.5]);
    butter_in_pan "butter-in-pan" bounds(8, [[-0.11, -0.001, -0.11], [0.11, FAR, 0.11]], [0.3, 3.0]);
    candied_apple "candied-apple" bounds(8, [[-0.07, 0.0, -FAR], [0.07, FAR, FAR]], [0.9, 1.1]);
    cloth_and_yogurt "cloth-and-yogurt" bounds(10, ABOVE_FLOOR, [0.3, 2.0]);
    column_in_water "column-in-water" bounds(8, [[0.0, 0.0, -FAR], [1.6, FAR, FAR]], [0.7, 3.0]);
    column_particle_contact "column-particle-contact" bounds(8, [[0.0, 0.0, -FAR], [1.6, FAR, FAR]], [0.7, 3.0]);
    cube_and_plates "cube-and-plates" bounds(8, ABOVE_FLOOR, [0.99, 1.01]);
    dam_break "dam-break" bounds(8, TANK, [0.95, 1.05]);
    dam_break_mac "dam-break-mac" bounds(8, TANK, [0.999, 1.001]);
    falling_block "falling-block" bounds(8, ABOVE_FLOOR, [0.3, 1.2]);
    fluid_volume_loss "fluid-volume-loss" bounds(8, [[0.0, 0.0, -FAR], [2.2, FAR, FAR]], [0.7, 1.5]);
    fluids_by_four_models "fluids-by-four-models" bounds(12, [[0.0, 0.0, -FAR], [4.6, FAR, FAR]], [0.7, 5.0]);
    fountain "fountain" bounds(8, [[-0.4, 0.0, -0.7], [1.0, FAR, 0.7]], [0.95, 1.05]);
    fountain_mac "fountain-mac" bounds(8, [[-0.4, 0.0, -0.7], [1.0, FAR, 0.7]], [0.999, 1.001]);
    grass_in_flow "grass-in-flow" bounds(8, ABOVE_FLOOR, [0.9, 1.1]);
    hammock_of_sand "hammock-of-sand" bounds(8, ABOVE_FLOOR, [0.7, 3.0]);
    hot_chocolate "hot-chocolate" bounds(8, ABOVE_FLOOR, [0.3, 3.0]);
    ice_cream_belt "ice-cream-belt" bounds(8, ABOVE_FLOOR, [0.3, 1.5]);
    jelly_cube "jelly-cube" bounds(8, ABOVE_FLOOR, [0.3, 1.5]);
    jelly_drop "jelly-drop" bounds(8, ABOVE_FLOOR, [0.3, 1.2]);
    kernel_fracture "kernel-fracture" bounds(6, ABOVE_FLOOR, [0.03, 5.0]);
    lava_fall "lava-fall" bounds(8, ABOVE_FLOOR, [0.9, 1.1]);
    lava_flow "lava-flow" bounds(8, [[-FAR, -3.0, -FAR], [5.3, FAR, FAR]], [0.3, 3.0]);
    letters "letters" bounds(6, ABOVE_FLOOR, [0.3, 3.0]);
    levee_seepage "levee-seepage" bounds(8, [[0.0, 0.0, -FAR], [10.0, FAR, FAR]], [0.9, 1.1]);
    melting_figure "melting-figure" bounds(8, ABOVE_FLOOR, [0.3, 3.0]);
    melting_wax "melting-wax" bounds(8, ABOVE_FLOOR, [0.3, 3.0]);
    null_modes "null-modes" bounds(6, [[0.0, 0.0, -FAR], [0.64, FAR, FAR]], [0.999, 1.001]);
    numerical_fracture "numerical-fracture" bounds(8, ABOVE_FLOOR, [0.03, 5.0]);
    pahoehoe "pahoehoe" bounds(8, ABOVE_FLOOR, [0.3, 3.0]);
    pool_at_rest "pool-at-rest" bounds(8, [[0.0, 0.0, -FAR], [1.0, 0.52, FAR]], [0.999, 1.001]);
    rayleigh_taylor "rayleigh-taylor" bounds(8, [[0.0, 0.0, -FAR], [0.96, 1.92, FAR]], [0.7, 3.0]);
    rinsed_foam "rinsed-foam" Bounds { depth: BETWEEN_NODES, ..bounds(5, [[-0.5, 0.1, -FAR], [0.5, FAR, FAR]], [0.95, 1.05]) };
    river "river" Bounds { depth: BETWEEN_NODES, ..bounds(10, [[-0.4, -0.2, -0.8], [3.2, FAR, 0.8]], [0.999, 1.001]) };
    sand_column "sand-column" bounds(8, ABOVE_FLOOR, [0.9, 1.3]);
    sand_column_xpbd "sand-column-xpbd" bounds(8, ABOVE_FLOOR, [0.9, 1.4]);
    sand_figure_in_water "sand-figure-in-water" bounds(8, [[0.0, 0.0, -FAR], [1.6, FAR, FAR]], [0.7, 3.0]);
    sand_on_snow "sand-on-snow" bounds(4, ABOVE_FLOOR, [0.5, 2.0]);
    sand_on_torus "sand-on-torus" bounds(5, ABOVE_FLOOR, [0.7, 2.0]);
    sand_slide "sand-slide" bounds(8, [[-FAR, 0.0, 0.0], [FAR, FAR, 0.32]], [0.9, 1.25]);
    sand_spout "sand-spout" bounds(8, ABOVE_FLOOR, [0.9, 10.0]);
    sandcastle_in_tide "sandcastle-in-tide" bounds(8, [[0.1, 0.0, -FAR], [2.0, FAR, FAR]], [0.7, 3.0]);
    shaken_foam "shaken-foam" bounds(6, [[0.0, 0.0, -FAR], [3.2, 0.8, FAR]], [0.85, 1.1]);
    shaving_foam "shaving-foam" bounds(8, ABOVE_FLOOR, [0.7, 1.2]);
    snow_dense_parts "snow-dense-parts" bounds(6, [[-FAR, 0.0, -FAR], [0.2, FAR, FAR]], [0.15, 10.0]);
    snow_figure_in_water "snow-figure-in-water" bounds(8, [[0.0, 0.0, -FAR], [1.6, FAR, FAR]], [0.1, 10.0]);
    snow_samplings "snow-samplings" bounds(6, ABOVE_FLOOR, [0.15, 10.0]);
    snowball "snowball" bounds(6, [[-FAR, 0.0, -FAR], [0.5, FAR, FAR]], [0.1, 10.0]);
    snowball_drop "snowball-drop" bounds(14, ABOVE_FLOOR, [0.25, 10.0]);
    snowball_on_sand "snowball-on-sand" bounds(5, [[-FAR, 0.0, -0.32], [FAR, FAR, 0.32]], [0.5, 1.5]);
    snowballs_collide "snowballs-collide" bounds(4, ABOVE_FLOOR, [0.3, 20.0]);
    snowman "snowman" bounds(8, ABOVE_FLOOR, [0.15, 20.0]);
    soaked_snow "soaked-snow" bounds(8, [[0.0, 0.0, -FAR], [1.2, FAR, FAR]], [0.1, 10.0]);
    spinning_disc "spinning-disc" bounds(8, ANYWHERE, [0.95, 1.1]);
    spiral_collision "spiral-collision" bounds(6, ANYWHERE, [0.1, 10.0]);
    sponge_shot "sponge-shot" bounds(6, [[-FAR, 0.0, -FAR], [FAR, 3.3, FAR]], [0.5, 3.0]);
    sponge_twisted "sponge-twisted" bounds(4, [[-FAR, 0.0, -FAR], [FAR, 3.2, FAR]], [0.8, 1.5]);
    stirred_mixtures "stirred-mixtures" bounds(8, [[0.0, 0.0, -FAR], [5.8, FAR, FAR]], [0.1, 30.0]);
    swept_cubes "swept-cubes" bounds(4, [[0.0, 0.0, 0.0], [2.2, FAR, 0.8]], [0.9, 1.1]);
    swept_cubes_two_grids "swept-cubes-two-grids" bounds(4, [[0.0, 0.0, 0.0], [2.2, FAR, 0.8]], [0.9, 1.1]);
    tank_one_model "tank-one-model" bounds(8, TANK, [0.8, 5.0]);
    tank_several_models "tank-several-models" bounds(8, TANK, [0.8, 5.0]);
    thrown_pie "thrown-pie" bounds(3, ABOVE_FLOOR, [0.1, 10.0]);
    toothpaste "toothpaste" bounds(8, ABOVE_FLOOR, [0.3, 1.5]);
    varied_spheres "varied-spheres" bounds(4, ABOVE_FLOOR, [0.1, 10.0]);
    viennetta "viennetta" bounds(8, ABOVE_FLOOR, [0.3, 1.5]);
    water_and_sand_jets "water-and-sand-jets" bounds(8, [[-0.16, 0.0, -0.08], [0.16, FAR, 0.08]], [0.7, 1.5]);
    water_balloon "water-balloon" bounds(10, ABOVE_FLOOR, [0.8, 1.3]);
    wine "wine" Bounds { depth: BETWEEN_NODES, ..bounds(10, [[-0.06, 0.0, -0.05], [0.06, FAR, 0.05]], [0.999, 1.001]) };
}

fn preview_text(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
    let text = std::fs::read_to_string(format!("{folder}/{name}.toml")).unwrap();
    with_preview(&text).unwrap()
}

fn preview(name: &str) -> Scene {
    Scene::parse(&preview_text(name), name).unwrap_or_else(|error| panic!("{error}"))
}

fn check(scene: &Scene, bounds: &Bounds) {
    if let Err(breach) = examine(scene, bounds) {
        panic!("{breach}");
    }
}

/// All frames.
fn check_to_the_end(scene: &Scene, bounds: &Bounds) {
    check_until(scene.time.frames, scene, bounds);
}

/// Many frames. How far matter is squeezed and stretched in them is not said: grains fly, snow
/// breaks, and what tears springs back.
fn check_until(frame: u32, scene: &Scene, bounds: &Bounds) {
    let bounds = Bounds {
        frames: frame,
        volume_ratio: [f64::MIN_POSITIVE, FAR],
        rebound: 1.0,
        ..*bounds
    };
    check(scene, &bounds);
}

/// Matter of [Ram2015] and [Qu2023], which the papers move by implicit steps. Explicit ones are the
/// faster ones there, so scenes have those; both must work.
macro_rules! by_optimization {
    ($($test:ident $name:literal $frames:literal $(until $end:literal)? $(in $room:ident)?;)*) => {
        mod by_optimization {
            use super::*;

            $(#[test]
            fn $test() {
                let bounds = Bounds { frames: $frames, ..bounds_of($name) };
                check(&optimized($name), &bounds);
            })*

            mod whole {
                use super::*;

                $(#[test]
                #[ignore = "takes long"]
                fn $test() {
                    let bounds = bounds_of($name);
                    $(let bounds = Bounds { room: $room, ..bounds };)?
                    let scene = optimized($name);
                    check_until([$($end,)? scene.time.frames][0], &scene, &bounds);
                })*
            }
        }
    };
}

by_optimization! {
    shaken_foam "shaken-foam" 2;
    shaving_foam "shaving-foam" 2;
    sponge_shot "sponge-shot" 3;
    // One and a half turns of the plate: in the third it tears, and pieces fly past the other
    // plate.
    sponge_twisted "sponge-twisted" 2 until 27;
    thrown_pie "thrown-pie" 2;
    toothpaste "toothpaste" 2;
    viennetta "viennetta" 2 in ANYWHERE; // some of it flows over the edge of its tray
}

/// The preview of a scene by the optimisation integrator.
fn optimized(name: &str) -> Scene {
    let setting = "physics.integrator={ optimization = {} }".parse().unwrap();
    let text = with_settings(&preview_text(name), &[setting]).unwrap();
    Scene::parse(&text, name).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a scene; says what it does not keep to.
fn examine(scene: &Scene, bounds: &Bounds) -> Result<(), String> {
    match scene.dimension {
        2 => examine_in::<2>(scene, bounds),
        _ => examine_in::<3>(scene, bounds),
    }
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// An error unless the condition holds.
fn require(condition: bool, breach: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(breach()) }
}

fn examine_in<const D: usize>(scene: &Scene, bounds: &Bounds) -> Result<(), String>
where
    f32: Precise<D>,
{
    let Bounds {
        frames,
        room: [min, max],
        depth,
        volume_ratio: [least, most],
        rebound,
    } = *bounds;
    assert!(frames <= scene.time.frames, "{frames} frames");
    let mut built = scene.build::<f32, D>(1).unwrap();
    let obstacles = scene.obstacles::<D>().unwrap();
    let spacing = scene.grid.spacing;
    let depth = depth * spacing;
    let frame_seconds = scene.time.frame_seconds();
    let gravity: [f64; D] = numbers(&scene.physics.gravity)
        .try_into()
        .unwrap_or([0.0; D]);
    let weight = norm(&gravity);
    // Heights are measured from the floor, so that matter that leaves takes energy with it.
    let floor = if min[1].is_finite() { min[1] } else { 0.0 };
    let inflow = scene
        .emitters
        .iter()
        .map(|emitter| norm(&numbers(&emitter.velocity)));
    let inflow = inflow.fold(0.0, f64::max);
    let is_free = scene.walls.is_empty() && scene.colliders.is_empty();

    let energy_of = |audit: &thixo::Audit<D>| {
        audit.kinetic + audit.elastic + audit.potential - weight * floor * audit.mass
    };
    let start = built.simulation.audit();
    let mut waves = 0.0_f64;
    if !built.simulation.is_empty() {
        for found in built.simulation.forecast().unwrap().materials {
            waves = waves.max(found.wave_speed);
        }
    }
    let mut mass = start.mass;
    let mut energy = energy_of(&start);
    let mut top = f64::MIN;
    // Depths to which obstacles grip matter from the start.
    let mut gripped = vec![0.0_f64; obstacles.len()];
    for particle in built.simulation.particles() {
        let x = particle.position.0.map(f64::from);
        top = top.max(x[1]);
        for (depth, obstacle) in gripped.iter_mut().zip(&obstacles) {
            *depth = depth.max(-obstacle.level_set.surface(x, 0.0).distance);
        }
    }
    for frame in 1..=frames {
        let before = built.simulation.audit();
        let done = built
            .advance(frame)
            .map_err(|error| format!("frame {frame}: {error}"))?;
        let audit = built.simulation.audit();
        require(audit.particles <= MOST_PARTICLES, || {
            format!("frame {frame}: {} particles", audit.particles)
        })?;

        mass += done.flow.emitted_mass - done.flow.removed_mass;
        require((audit.mass - mass).abs() <= 1e-9 * mass, || {
            format!("frame {frame}: mass {} instead of {mass}", audit.mass)
        })?;

        for particle in built.simulation.particles() {
            let x = particle.position.0.map(f64::from);
            top = top.max(x[1]);
            let is_inside = (0..D).all(|a| x[a] >= min[a] - depth && x[a] <= max[a] + depth);
            require(is_inside, || {
                format!("frame {frame}: a particle outside, at {x:?}")
            })?;
            for (index, obstacle) in obstacles.iter().enumerate() {
                let surface = obstacle.level_set.surface(x, built.simulation.time());
                let deepest = gripped[index] + BETWEEN_NODES * spacing;
                require(surface.distance >= -deepest, || {
                    let cells = -surface.distance / spacing;
                    format!("frame {frame}: {cells} cells deep in collider {index}, at {x:?}")
                })?;
            }
        }
        require(audit.j_min >= least && audit.j_max <= most, || {
            let (j_min, j_max) = (audit.j_min, audit.j_max);
            format!("frame {frame}: volume ratios from {j_min} to {j_max}")
        })?;

        if is_free {
            for a in 0..D {
                let expected = before.momentum[a] + gravity[a] * mass * frame_seconds;
                let error = (audit.momentum[a] - expected).abs();
                require(error <= 1e-5 * mass * audit.max_speed, || {
                    format!("frame {frame}: momentum {:?}", audit.momentum)
                })?;
            }
        }
        if !scene.is_driven() {
            energy += done.flow.emitted_mass * (0.5 * inflow * inflow + weight * (top - floor));
            let handled = start.kinetic + energy.abs().max(weight * mass * (top - floor));
            let now = energy_of(&audit);
            require(now <= energy + ENERGY_ERROR * handled, || {
                format!("frame {frame}: energy {now} J after {energy} J")
            })?;
        }
        // Jets in corners are faster than what feeds them.
        let fastest = fastest(scene) + (2.0 * weight * (top - floor).max(0.0)).sqrt();
        require(audit.max_speed <= 2.0 * fastest + rebound * waves, || {
            let speed = audit.max_speed;
            format!("frame {frame}: {speed} m/s, nothing should be much faster than {fastest}")
        })?;
    }
    assert!(!built.simulation.is_empty());
    Ok(())
}

/// Nothing that moves by a formula is faster \[m/s\].
const MOTION: f64 = 1.3;

/// The values of numbers that the scenes of the gallery give; of formulas, a bound.
fn numbers(components: &[Number]) -> Vec<f64> {
    let value = |component: &Number| match component {
        Number::Constant(value) => *value,
        Number::Formula(_) => MOTION,
    };
    components.iter().map(value).collect()
}

/// Speed that objects, emitters and obstacles give \[m/s\].
fn fastest(scene: &Scene) -> f64 {
    /// Nothing that turns is larger \[m\].
    const RADIUS: f64 = 1.5;
    let turn = |rotation: Option<&AngularVelocity>| match rotation {
        None => 0.0,
        Some(AngularVelocity::Plane(rate)) => RADIUS * rate.abs(),
        Some(AngularVelocity::Space(rates)) => RADIUS * norm(rates),
    };
    let objects = scene.objects.iter();
    let objects = objects.map(|o| norm(&numbers(&o.velocity)) + turn(o.angular_velocity.as_ref()));
    let emitters = scene
        .emitters
        .iter()
        .map(|emitter| norm(&numbers(&emitter.velocity)));
    let colliders = scene.colliders.iter();
    let colliders = colliders.map(|c| {
        let formula = if c.motion.is_some() { MOTION } else { 0.0 };
        norm(&c.velocity) + norm(&c.surface_velocity) + turn(c.angular_velocity.as_ref()) + formula
    });
    let given = objects.chain(emitters).fold(0.0, f64::max);
    given + colliders.fold(0.0, f64::max)
}

/// The preview of a scene with another value.
fn changed(name: &str, setting: &str) -> Scene {
    let text = with_settings(&preview_text(name), &[setting.parse().unwrap()]).unwrap();
    Scene::parse(&text, name).unwrap_or_else(|error| panic!("{error}"))
}

/// Message about the preview of a scene with another value.
fn breach(name: &str, setting: &str, bounds: &Bounds) -> String {
    examine(&changed(name, setting), bounds).unwrap_err()
}

/// Errata E47: the snow of the figure as it is printed makes energy.
#[test]
fn energy_from_nothing_is_noticed() {
    let free = "materials.snow.plastic_volume=free";
    let breach = breach(
        "fluids-by-four-models",
        free,
        &bounds(8, ANYWHERE, [0.1, 50.0]),
    );
    assert!(breach.contains("energy"), "{breach}");
}

/// The same snow by the watch over runs, and snow that loses energy as it should.
#[test]
fn a_run_says_that_its_energy_grows() {
    let snow = |setting: &str| {
        let scene = changed("fluids-by-four-models", setting);
        growth(&scene, 8).is_some()
    };
    assert!(snow("materials.snow.plastic_volume=free"));
    assert!(!snow("time.fps=24"));
}

/// Growth of the energy within some frames of a scene in the plane, if the run would say so.
fn growth(scene: &Scene, frames: u32) -> Option<impl std::fmt::Debug + use<>> {
    let mut built = scene.build::<f32, 2>(1).unwrap();
    let mut watch = RunWatch::new(scene);
    watch.observe(&FrameBudget::new(0, &built.simulation.audit(), None));
    for frame in 1..=frames {
        built.advance(frame).unwrap();
        watch.observe(&FrameBudget::new(frame, &built.simulation.audit(), None));
    }
    watch.energy_growth()
}

/// Sand that rubs on the floor by FLIP once ended with 2.4 times the energy of its start.
#[test]
fn a_column_of_sand_gains_no_energy_by_flip() {
    let scene = changed("sand-column", "physics.transfer=flip");
    let growth = growth(&scene, scene.time.frames);
    assert!(growth.is_none(), "{growth:?}");
}

#[test]
fn matter_that_leaves_its_room_is_noticed() {
    let breach = breach(
        "dam-break",
        "walls[2].position=-0.2",
        &bounds(8, TANK, [0.8, 1.2]),
    );
    assert!(breach.contains("outside"), "{breach}");
}

#[test]
fn matter_that_gives_way_is_noticed() {
    let soft = "materials.water.bulk_modulus=500";
    let breach = breach("dam-break", soft, &bounds(8, TANK, [0.8, 1.2]));
    assert!(breach.contains("volume ratios"), "{breach}");
}
