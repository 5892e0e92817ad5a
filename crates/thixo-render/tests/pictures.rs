//! Facts that pictures show.

#![allow(clippy::unwrap_used)] // a test may stop where its input is wrong

use std::sync::Arc;

use thixo::collide::shape::Sphere;
use thixo_math::Vector;
use thixo_render::camera::Camera;
use thixo_render::extent::Extent;
use thixo_render::look::{Look, MatterSurface, plain};
use thixo_render::surroundings::{Plane, Solid, Surroundings};
use thixo_render::view::View;
use thixo_render::{Drawing, Particles, Picture, Sheen, Vec3, from_srgb};
use thixo_scene::Obstacle;

const RED: [u8; 3] = [200, 20, 20];

/// A floor at y = 0.
fn floor() -> Surroundings {
    Surroundings {
        ground: Some(Plane {
            axis: 1,
            position: 0.0,
            side: 1.0,
        }),
        ..Surroundings::default()
    }
}

fn view(size: [usize; 2]) -> View {
    let camera = Camera::Space {
        eye: Vector([0.0, 2.0, 6.0]),
        target: Vector([0.0, 0.5, 0.0]),
        up: 1,
        angle: 0.6,
        orbit: 0.0,
    };
    camera.view(size, 0.0)
}

fn matter(centers: Vec<Vec3>, radius: f32) -> Particles {
    Particles {
        radii: vec![radius; centers.len()],
        looks: vec![0; centers.len()],
        centers,
        ..Particles::default()
    }
}

fn draw(
    particles: &Particles,
    surroundings: &Surroundings,
    sun: [f32; 3],
    size: [usize; 2],
) -> Picture {
    draw_at(
        (particles, plain(from_srgb(RED))),
        surroundings,
        (sun, 1.0),
        size,
    )
}

/// The same in a look and in some daylight.
fn draw_at(
    (particles, look): (&Particles, Look),
    surroundings: &Surroundings,
    (sun, daylight): ([f32; 3], f32),
    size: [usize; 2],
) -> Picture {
    let looks = [look];
    let drawing = Drawing {
        particles,
        looks: &looks,
        surroundings,
        extent: Extent {
            min: Vector([-1.5, 0.0, -1.5]),
            max: Vector([1.5, 1.5, 1.5]),
        },
        view: view(size),
        sun: Vector(sun),
        daylight,
        up: 1,
        time: 0.0,
        painted: None,
    };
    drawing.draw()
}

/// A ball of small spheres.
fn ball(center: Vec3, radius: f32) -> Vec<Vec3> {
    let n = 8;
    let mut centers = Vec::new();
    for k in 0..(2 * n + 1) * (2 * n + 1) * (2 * n + 1) {
        let side = 2 * n + 1;
        let place = [k % side, k / side % side, k / side / side];
        let offset = Vector(place.map(|i| (i as f32 - n as f32) / n as f32 * radius));
        if offset.norm() <= radius {
            centers.push(center + offset);
        }
    }
    centers
}

fn is_red(pixel: Vec3) -> bool {
    pixel[0] > 3.0 * pixel[1] && pixel[0] > 3.0 * pixel[2]
}

const SUN: [f32; 3] = [-0.3, 1.0, 0.4];
const SIZE: [usize; 2] = [160, 120];

#[test]
fn the_ball_is_where_its_centroid_projects_and_is_red() {
    let center = Vector([0.4, 0.9, -0.3]);
    let picture = draw(&matter(ball(center, 0.3), 0.03), &floor(), SUN, SIZE);
    let ([x, y, _], scale) = view(SIZE).project(center).unwrap();
    let (mut sum, mut count) = ([0.0f32; 2], 0.0f32);
    for v in 0..SIZE[1] {
        for u in 0..SIZE[0] {
            if is_red(picture.pixel(u, v)) {
                sum = [sum[0] + u as f32 + 0.5, sum[1] + v as f32 + 0.5];
                count += 1.0;
            }
        }
    }
    assert!((sum[0] / count - x).abs() < 0.5, "{} {x}", sum[0] / count);
    assert!((sum[1] / count - y).abs() < 0.5, "{} {y}", sum[1] / count);
    // The spheres fill a ball of radius 0.33 but for the steps of their lattice at its edge.
    let disc = |radius: f32| std::f32::consts::PI * (radius * scale).powi(2);
    assert!((disc(0.28)..disc(0.33)).contains(&count), "{count}");
}

#[test]
fn a_shadow_is_where_the_sun_says() {
    let center = Vector([0.0, 0.9, 0.0]);
    let particles = matter(ball(center, 0.25), 0.03);
    let with = draw(&particles, &floor(), [-1.0, 1.0, 0.0], SIZE);
    let without = draw(&Particles::default(), &floor(), [-1.0, 1.0, 0.0], SIZE);
    // The sun stands 45° to the left: the shadow's middle is as far to the right as the ball is
    // high.
    let share = |place: [f32; 3]| {
        let ([x, y, _], _) = view(SIZE).project(Vector(place)).unwrap();
        with.pixel(x as usize, y as usize)[1] / without.pixel(x as usize, y as usize)[1]
    };
    assert!(share([0.9, 0.0, 0.0]) < 0.6, "{}", share([0.9, 0.0, 0.0]));
    assert!(share([-0.9, 0.0, 0.0]) > 0.97);
    assert!(share([0.9, 0.0, 0.9]) > 0.97);
}

#[test]
fn an_obstacle_casts_a_shadow_and_hides_what_is_behind() {
    let sphere = Sphere::new([0.0, 0.5, 0.0], 0.4).unwrap();
    let mut surroundings = floor();
    surroundings.solids.push(Solid::opaque(Obstacle {
        level_set: Arc::new(sphere),
        bounds: Some([[-0.4, 0.1, -0.4], [0.4, 0.9, 0.4]]),
        moves: false,
    }));
    let behind = matter(vec![Vector([0.0, 0.3, -1.0])], 0.1);
    let picture = draw(&behind, &surroundings, [0.0, 1.0, 0.0], SIZE);
    let red = |picture: &Picture| {
        let all = (0..SIZE[0] * SIZE[1]).map(|k| picture.pixel(k % SIZE[0], k / SIZE[0]));
        all.filter(|pixel| is_red(*pixel)).count()
    };
    assert_eq!(red(&picture), 0);
    let open = draw(&behind, &floor(), [0.0, 1.0, 0.0], SIZE);
    assert!(red(&open) > 5);
    let ([x, y, _], _) = view(SIZE).project(Vector([0.0, 0.0, 0.38])).unwrap();
    let at = |picture: &Picture| picture.pixel(x as usize, y as usize)[1];
    assert!(at(&picture) < 0.7 * at(&open));
}

#[test]
fn edges_are_smooth() {
    let picture = draw(
        &matter(vec![Vector([0.0, 0.8, 0.0])], 0.5),
        &floor(),
        SUN,
        SIZE,
    );
    let ([x, y, _], scale) = view(SIZE).project(Vector([0.0, 0.8, 0.0])).unwrap();
    let row = y as usize;
    // Along the right edge of the disc some pixels are between red and what is behind.
    let edge = (x + 0.5 * scale) as usize;
    let shades = (edge - 3..edge + 4).flat_map(|u| (row - 12..row + 12).map(move |v| (u, v)));
    let red_share = |(u, v): (usize, usize)| {
        let pixel = picture.pixel(u, v);
        1.0 - pixel[1] / pixel[0].max(1e-6)
    };
    let between = shades
        .map(red_share)
        .filter(|share| (0.2..0.8).contains(share));
    assert!(between.count() >= 5);
}

#[test]
fn nothing_one_particle_and_nonsense_make_pictures() {
    let empty = draw(&Particles::default(), &Surroundings::default(), SUN, SIZE);
    assert!(
        empty.to_srgb().iter().all(|byte| *byte > 100),
        "a bright sky"
    );
    let nonsense = Particles {
        centers: vec![
            Vector([f32::NAN; 3]),
            Vector([1e30, 0.0, 0.0]),
            Vector([0.0, 2.0, 6.0]),
            Vector([0.0, 0.5, 0.0]),
        ],
        radii: vec![0.1, 0.1, 0.1, f32::NAN],
        looks: vec![0; 4],
        ..Particles::default()
    };
    let picture = draw(&nonsense, &floor(), SUN, SIZE);
    let plain = draw(&Particles::default(), &floor(), SUN, SIZE);
    assert_eq!(picture.to_srgb(), plain.to_srgb());
}

#[test]
fn one_thread_draws_the_same_bytes_as_three() {
    let particles = matter(ball(Vector([0.0, 0.6, 0.0]), 0.5), 0.05);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        pool.install(|| draw(&particles, &floor(), SUN, SIZE).to_srgb())
    };
    assert_eq!(on(1), on(3));
}

/// The brightest pixel.
fn brightest(picture: &Picture) -> Vec3 {
    let pixels = (0..SIZE[0] * SIZE[1]).map(|k| picture.pixel(k % SIZE[0], k / SIZE[0]));
    let brighter = |a: Vec3, b: Vec3| if b.norm() > a.norm() { b } else { a };
    pixels.fold(Vec3::zero(), brighter)
}

#[test]
fn in_the_dark_one_sees_what_glows_and_nothing_else() {
    let glow = Vector([0.5, 0.2, 0.01]);
    for surface in [MatterSurface::Grains, MatterSurface::Isosurface] {
        let look = Look {
            surface,
            ..plain(from_srgb(RED))
        };
        let mut particles = matter(ball(Vector([0.0, 0.6, 0.0]), 0.3), 0.03);
        let dark = |particles: &Particles| {
            brightest(&draw_at((particles, look), &floor(), (SUN, 0.0), SIZE))
        };
        assert_eq!(dark(&particles), Vec3::zero());
        let sheen = Sheen { glow, wetness: 1.0 };
        particles.sheens = vec![sheen; particles.centers.len()];
        let seen = dark(&particles);
        assert!((seen - glow).norm() < 1e-3, "{surface:?}: {seen:?}");
    }
}

#[test]
fn wet_matter_has_highlights_and_mirrors_the_sky() {
    let look = Look {
        surface: MatterSurface::Isosurface,
        ..plain(from_srgb(RED))
    };
    let center = Vector([0.0, 0.6, 0.0]);
    let mut particles = matter(ball(center, 0.3), 0.03);
    let blue = |particles: &Particles| {
        let picture = draw_at(
            (particles, look),
            &Surroundings::default(),
            (SUN, 1.0),
            SIZE,
        );
        // Well within the ball, whose rim is mixed with the sky.
        let ([u, v, _], scale) = view(SIZE).project(center).unwrap();
        let is_inside =
            |x: usize, y: usize| (x as f32 + 0.5 - u).hypot(y as f32 + 0.5 - v) < 0.8 * 0.3 * scale;
        let all = (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| (x, y)));
        let inside = all.filter(|&(x, y)| is_inside(x, y));
        inside
            .map(|(x, y)| picture.pixel(x, y)[2])
            .fold(0.0, f32::max)
    };
    let dry = blue(&particles);
    let wet = Sheen {
        wetness: 1.0,
        ..Sheen::default()
    };
    particles.sheens = vec![wet; particles.centers.len()];
    assert!(blue(&particles) > 2.0 * dry, "{} {dry}", blue(&particles));
}
