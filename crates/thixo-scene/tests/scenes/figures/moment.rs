//! The matter of a preview at a moment, in space whatever its dimension.

use thixo_scene::{Built, Precise, Scene, with_instance, with_preview, with_settings};

/// A particle.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Position \[m\].
    pub x: [f64; 3],
    /// Velocity \[m/s\].
    pub v: [f64; 3],
    pub mass: f64,
    pub volume_ratio: f64,
    pub material: usize,
    /// The object or emitter that it comes from.
    pub object: usize,
}

/// The preview of a built-in scene, with settings.
pub fn preview(name: &str, settings: &[&str]) -> Scene {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
    let text = std::fs::read_to_string(format!("{folder}/{name}.toml")).unwrap();
    let settings: Vec<_> = settings.iter().map(|s| s.parse().unwrap()).collect();
    let text = with_settings(&with_preview(&text).unwrap(), &settings).unwrap();
    Scene::parse(&text, name).unwrap_or_else(|error| panic!("{error}"))
}

/// The matter of a preview after some of its frames.
pub fn after(name: &str, settings: &[&str], frame: u32) -> Vec<Point> {
    at_frames(name, settings, &[frame]).remove(0)
}

/// The matter of a preview at its end.
pub fn at_end(name: &str, settings: &[&str]) -> Vec<Point> {
    after(name, settings, preview(name, settings).time.frames)
}

/// The matter of a preview at some of its frames, ascending.
pub fn at_frames(name: &str, settings: &[&str], frames: &[u32]) -> Vec<Vec<Point>> {
    let scene = preview(name, settings);
    let instance = (scene.precision, scene.dimension);
    with_instance!(instance, |T, D| run::<T, D>(&scene, frames))
}

fn run<T: Precise<D>, const D: usize>(scene: &Scene, frames: &[u32]) -> Vec<Vec<Point>> {
    let mut built = scene.build::<T, D>(1).unwrap();
    let mut moments = Vec::new();
    let mut done = 0;
    for &frame in frames {
        while done < frame {
            done += 1;
            built.advance(done).unwrap();
        }
        moments.push(points(&built));
    }
    moments
}

fn points<T: Precise<D>, const D: usize>(built: &Built<T, D>) -> Vec<Point> {
    let particles = built.simulation.particles();
    let point = |p: &thixo::Particle<T, D>| {
        let (mut x, mut v) = ([0.0; 3], [0.0; 3]);
        for a in 0..D {
            x[a] = p.position[a];
            v[a] = p.velocity[a].to_f64();
        }
        Point {
            x,
            v,
            mass: p.mass.to_f64(),
            volume_ratio: p.volume_ratio.to_f64(),
            material: p.material,
            object: built.objects.of_particle(p.id).unwrap(),
        }
    };
    particles.iter().map(point).collect()
}

/// The particles of an object or emitter.
pub fn of(points: &[Point], object: usize) -> Vec<Point> {
    let own = points.iter().filter(|p| p.object == object);
    own.copied().collect()
}

/// The particles of a material, by its place among the names.
pub fn made_of(points: &[Point], material: usize) -> Vec<Point> {
    let own = points.iter().filter(|p| p.material == material);
    own.copied().collect()
}

/// Mean by mass.
pub fn mean(points: &[Point], f: impl Fn(&Point) -> f64) -> f64 {
    let mass: f64 = points.iter().map(|p| p.mass).sum();
    points.iter().map(|p| p.mass * f(p)).sum::<f64>() / mass
}

/// Share of the mass for which a condition holds.
pub fn share(points: &[Point], holds: impl Fn(&Point) -> bool) -> f64 {
    mean(points, |p| f64::from(u8::from(holds(p))))
}

/// The value that a share of the particles is below.
pub fn quantile(points: &[Point], share: f64, f: impl Fn(&Point) -> f64) -> f64 {
    let mut values: Vec<f64> = points.iter().map(f).collect();
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * share) as usize]
}

/// Kinetic energy \[J\].
pub fn kinetic(points: &[Point]) -> f64 {
    let square = |p: &Point| p.v.iter().map(|v| v * v).sum::<f64>();
    points.iter().map(|p| 0.5 * p.mass * square(p)).sum()
}

/// The middle of mass \[m\].
pub fn middle(points: &[Point]) -> [f64; 3] {
    core::array::from_fn(|a| mean(points, |p| p.x[a]))
}

/// Distance from a point \[m\].
pub fn distance(p: &Point, from: [f64; 3]) -> f64 {
    let square = |a: usize| (p.x[a] - from[a]).powi(2);
    (square(0) + square(1) + square(2)).sqrt()
}

/// Angular momentum about the middle of mass along z, of the particles' velocities \[kg m²/s\].
pub fn spin(points: &[Point]) -> f64 {
    let x = middle(points);
    let v: [f64; 3] = core::array::from_fn(|a| mean(points, |p| p.v[a]));
    let of = |p: &Point| (p.x[0] - x[0]) * (p.v[1] - v[1]) - (p.x[1] - x[1]) * (p.v[0] - v[0]);
    points.iter().map(|p| p.mass * of(p)).sum()
}
