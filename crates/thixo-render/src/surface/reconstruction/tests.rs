//! Surfaces of particles whose shape and motion are known.

use std::fmt::Write;

use super::super::MeshProperties;
use super::*;

/// Half the distance of particles, and their volume at rest.
const RADIUS: f64 = 0.01;
const VOLUME: f64 = 8.0 * RADIUS * RADIUS * RADIUS;
const BALL: f64 = 0.2;

/// Particles of a ball around a point, on a lattice, each moved by a share of their distance.
fn ball(center: Point, shaken: f64) -> Vec<Point> {
    let mut state = 7u64;
    let mut random = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 40) as f64 / f64::from(1 << 24) - 0.5
    };
    let mut positions = Vec::new();
    for k in 0..24i32 {
        for j in 0..24i32 {
            for i in 0..24i32 {
                let x = Vector([i, j, k].map(|i| (f64::from(i) - 11.5) * 2.0 * RADIUS));
                if x.norm() < BALL {
                    let shift = Vector([random(), random(), random()]) * (2.0 * RADIUS * shaken);
                    positions.push(center + x + shift);
                }
            }
        }
    }
    positions
}

/// A frame of particles with velocities and objects.
fn frame(particles: &[(Point, Point, i32)]) -> FrameFile {
    let mut header = String::from("ply\nformat binary_little_endian 1.0\ncomment time 0.5\n");
    writeln!(header, "element vertex {}", particles.len()).unwrap();
    for name in ["x", "y", "z", "vx", "vy", "vz", "volume", "j", "number"] {
        writeln!(header, "property double {name}").unwrap();
    }
    header.push_str("property int material\nproperty int object\nend_header\n");
    let mut bytes = header.into_bytes();
    for (k, (x, v, object)) in particles.iter().enumerate() {
        let number = if k % 2 == 0 { 3.0 } else { f64::NAN };
        let numbers = [VOLUME * 1.1, 1.1, number];
        for number in x.0.into_iter().chain(v.0).chain(numbers) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(0i32.to_le_bytes());
        bytes.extend(object.to_le_bytes());
    }
    FrameFile::parse(bytes, Path::new("frame.ply")).unwrap()
}

fn reconstruction(group_by: GroupBy, options: SurfaceOptions) -> SurfaceReconstruction {
    let group = |name: &str| ParticleGroup {
        name: name.to_owned(),
        file_name: name.to_owned(),
    };
    let groups = match group_by {
        GroupBy::All => vec![group("")],
        _ => vec![group("first"), group("second"), group("other")],
    };
    SurfaceReconstruction {
        meshes: Vec::new(),
        group_by,
        options,
        groups,
        looks: vec![Vector([0.25, 0.5, 0.75])],
        colored: vec![false; 2],
        up: 1,
    }
}

fn made(
    reconstruction: &SurfaceReconstruction,
    frame: &FrameFile,
) -> Result<Vec<ReconstructedSurface>, SurfaceError> {
    let mut all = Vec::new();
    reconstruction.frame(frame, Path::new("frame.ply"), |group, made| {
        assert_eq!(group, all.len());
        all.push(made);
        Ok::<(), SurfaceError>(())
    })?;
    Ok(all)
}

/// The surface of all particles.
fn whole(
    positions: &[Point],
    motion: impl Fn(Point) -> Point,
    options: SurfaceOptions,
) -> ReconstructedSurface {
    let particles: Vec<_> = positions.iter().map(|x| (*x, motion(*x), 0)).collect();
    let mut made = made(&reconstruction(GroupBy::All, options), &frame(&particles)).unwrap();
    made.remove(0)
}

fn still(_: Point) -> Point {
    Point::zero()
}

#[test]
fn a_ball_has_a_closed_surface_of_its_volume_around_its_centre() {
    let center = Vector([3.0, -7.0, 0.5]);
    for shaken in [0.0, 0.5] {
        let positions = ball(center, shaken);
        let made = whole(&positions, still, SurfaceOptions::default());
        assert!(
            made.edges.is_closed() && made.edges.all > 10_000,
            "{:?}",
            made.edges
        );
        assert_eq!((made.particles, made.left_out), (positions.len(), 0));
        assert!((made.radius - RADIUS).abs() < 1e-5, "{}", made.radius);
        let solid = MeshProperties::of(&made.surface);
        let expected = positions.len() as f64 * VOLUME;
        let ratio = solid.volume / expected;
        assert!((ratio - 1.0).abs() < 0.03, "shaken by {shaken}: {ratio}");
        assert!((solid.center - center).norm() < 0.01 * BALL, "{solid:?}");
        // The sphere has the least area that such a volume can have.
        let sphere = (36.0 * std::f64::consts::PI * solid.volume.powi(2)).cbrt();
        assert!(
            (1.0..1.05).contains(&(solid.area / sphere)),
            "{}",
            solid.area / sphere
        );
    }
}

#[test]
fn normals_of_a_ball_look_away_from_its_centre() {
    let made = whole(&ball(Point::zero(), 0.3), still, SurfaceOptions::default());
    let mut worst: f64 = 1.0;
    let mut sum = 0.0;
    for (x, n) in made.surface.positions.iter().zip(&made.surface.normals) {
        assert!((n.norm() - 1.0).abs() < 1e-12);
        let cosine = x.dot(*n) / x.norm();
        worst = worst.min(cosine);
        sum += cosine;
    }
    let mean = sum / made.surface.normals.len() as f64;
    assert!(worst > 0.7 && mean > 0.98, "{worst} {mean}");
}

#[test]
fn the_velocity_of_a_turning_ball_is_that_of_its_surface() {
    let center = Vector([0.1, 0.2, -0.3]);
    let spin = Vector([1.0, -2.0, 3.0]);
    let motion = |x: Point| Vector([0.5, 0.0, 0.0]) + crate::vector::cross(spin, x - center);
    let made = whole(&ball(center, 0.3), motion, SurfaceOptions::default());
    let surface = &made.surface;
    let fastest = spin.norm() * BALL;
    for (k, x) in surface.positions.iter().enumerate() {
        let error = (surface.velocities[k] - motion(*x)).norm();
        assert!(error < 0.01 * fastest, "{error} of {fastest}");
        let speed = surface.attributes[0].values[k];
        assert_eq!(speed, surface.velocities[k].norm());
    }
    assert_eq!(surface.attributes[0].name, "speed");
    assert!(
        surface.attributes[1]
            .values
            .iter()
            .all(|j| (j - 1.1).abs() < 1e-12)
    );
    let color = Vector([0.25, 0.5, 0.75]);
    assert!(surface.colors.iter().all(|c| (*c - color).norm() < 1e-6));
}

#[test]
fn two_objects_make_two_surfaces_and_what_has_no_particles_is_empty() {
    let mut particles = Vec::new();
    for (object, x) in [(0, 0.0), (1, 0.5)] {
        let positions = ball(Vector([x, 0.0, 0.0]), 0.2);
        particles.extend(positions.into_iter().map(|x| (x, Point::zero(), object)));
    }
    let both = made(
        &reconstruction(GroupBy::Object, SurfaceOptions::default()),
        &frame(&particles),
    )
    .unwrap();
    assert_eq!(both.len(), 3);
    for (k, x) in [(0, 0.0), (1, 0.5)] {
        let solid = MeshProperties::of(&both[k].surface);
        assert!(
            (solid.center - Vector([x, 0.0, 0.0])).norm() < 0.01,
            "{solid:?}"
        );
    }
    assert_eq!(both[2], ReconstructedSurface::default());
    let one = made(
        &reconstruction(GroupBy::All, SurfaceOptions::default()),
        &frame(&particles),
    )
    .unwrap();
    assert_eq!(one[0].particles, particles.len());
    for made in made(
        &reconstruction(GroupBy::Object, SurfaceOptions::default()),
        &frame(&[]),
    )
    .unwrap()
    {
        assert_eq!(made, ReconstructedSurface::default());
    }
}

#[test]
fn threads_change_no_bit_and_whole_cubes_move_the_surface_with_the_matter() {
    let positions = ball(Point::zero(), 0.4);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| whole(&positions, |x| x * 2.0, SurfaceOptions::default()))
    };
    let one = with(1);
    assert!(one == with(3) && one == with(2));
    let shift = Vector([400.0, -4.0, 1.0]) * (0.75 * RADIUS);
    let moved: Vec<Point> = positions.iter().map(|x| *x + shift).collect();
    let there = whole(&moved, still, SurfaceOptions::default());
    assert_eq!(there.surface.triangles.len(), one.surface.triangles.len());
    let near = Neighbors::new(&there.surface.positions, 1e-3 * RADIUS);
    let mut found = Vec::new();
    for x in &one.surface.positions {
        near.near(*x + shift, &mut found);
        assert_eq!(found.len(), 1, "{x:?}");
    }
}

#[test]
fn strays_and_places_that_are_no_numbers_are_left_out_and_a_drop_stays() {
    let mut positions = ball(Point::zero(), 0.2);
    let count = positions.len();
    positions.push(Vector([1e20, 0.0, 0.0]));
    positions.push(Vector([f64::NAN, 0.0, 0.0]));
    positions.push(Vector([0.0, f64::INFINITY, 0.0]));
    let drop = Vector([0.0, 1.0, 0.0]);
    positions.push(drop);
    let made = whole(&positions, still, SurfaceOptions::default());
    assert_eq!((made.particles, made.left_out), (count + 1, 1));
    assert!(made.edges.is_closed());
    let near = made.surface.positions.iter().map(|x| (*x - drop).norm());
    let size: Vec<f64> = near.filter(|d| *d < 0.3).collect();
    assert!(size.len() > 20, "{size:?}");
    // One kernel falls to the threshold where 1 − 6q² + 6q³ = 0.63, at q = 0.296 of its reach.
    let is_round = |d: &f64| (d / (6.0 * RADIUS) - 0.296).abs() < 0.01;
    assert!(size.iter().all(is_round), "{size:?}");
}

#[test]
fn columns_without_numbers_are_taken_from_those_that_have_one_and_unknown_ones_are_refused() {
    let mut options = SurfaceOptions {
        attributes: ["number", "vx", "number"].map(str::to_owned).to_vec(),
        ..SurfaceOptions::default()
    };
    let motion = |_| Vector([f64::NAN, 0.0, 0.0]);
    let made_of = whole(&ball(Point::zero(), 0.2), motion, options.clone());
    let [attribute] = &made_of.surface.attributes[..] else {
        panic!("{:?}", made_of.surface.attributes.len());
    };
    assert!(attribute.values.iter().all(|x| (x - 3.0).abs() < 1e-12));
    assert!(
        made_of
            .surface
            .velocities
            .iter()
            .all(|v| *v == Point::zero())
    );
    options.attributes = vec!["sped".to_owned()];
    let refused = made(&reconstruction(GroupBy::All, options), &frame(&[]));
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("did you mean \"speed\"?"), "{message}");
}

#[test]
fn particles_without_volume_need_a_radius() {
    let text = "ply\nformat binary_little_endian 1.0\nelement vertex 1\n";
    let names = ["x", "y", "z", "vx", "vy", "vz", "volume", "object"];
    let properties: String = names
        .iter()
        .map(|n| format!("property float {n}\n"))
        .collect();
    let mut bytes = format!("{text}{properties}end_header\n").into_bytes();
    bytes.extend([0; 32]);
    let frame = FrameFile::parse(bytes, Path::new("frame.ply")).unwrap();
    let mut options = SurfaceOptions {
        attributes: Vec::new(),
        ..SurfaceOptions::default()
    };
    let refused = made(&reconstruction(GroupBy::Object, options.clone()), &frame);
    let message = refused.unwrap_err().to_string();
    assert!(
        message.contains("first give no radius") && message.contains("--radius"),
        "{message}"
    );
    options.radius = Some(0.5);
    let made = made(&reconstruction(GroupBy::Object, options), &frame).unwrap();
    assert!(made[0].edges.is_closed() && made[0].surface.triangles.len() > 50);
}
