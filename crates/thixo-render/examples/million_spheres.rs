//! Time and memory of a picture of a million spheres, with shadows and occlusion.
//!
//! `cargo run --release -p thixo-render --example million_spheres [SPHERES [PICTURE.png]]`

use std::time::Instant;

use thixo_math::Vector;
use thixo_render::camera::{Camera, FILLED, Subject};
use thixo_render::extent::Extent;
use thixo_render::look::plain;
use thixo_render::surroundings::{Plane, Surroundings};
use thixo_render::{Drawing, Particles, Vec3, from_srgb};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let wanted: f64 = arguments.next().map_or(Ok(1e6), |n| n.parse())?;
    // A heap: a cube of spheres, its upper half pulled into waves.
    let side = wanted.cbrt().round() as usize;
    let own = resident();
    let centers: Vec<Vec3> = (0..side * side * side)
        .map(|k| [k % side, k / side % side, k / side / side].map(|n| n as f32 / side as f32))
        .map(|[x, y, z]| Vector([x, y * (0.7 + 0.2 * (9.0 * x).sin() * (7.0 * z).cos()), z]))
        .collect();
    let particles = Particles {
        radii: vec![0.62 / side as f32; centers.len()],
        looks: vec![0; centers.len()],
        centers,
        ..Particles::default()
    };
    let surroundings = Surroundings {
        ground: Some(Plane {
            axis: 1,
            position: 0.0,
            side: 1.0,
        }),
        ..Surroundings::default()
    };
    let extent = Extent::of_bulk(&particles.centers);
    let size = [1280, 720];
    let subject = Subject {
        extent,
        surroundings: &surroundings,
        up: 1,
        size,
        filled: FILLED,
    };
    let camera = Camera::space(&thixo_scene::CameraChoice::default(), subject);
    let drawing = Drawing {
        particles: &particles,
        looks: &[plain(from_srgb([214, 170, 108]))],
        surroundings: &surroundings,
        extent: extent.grown(0.1),
        view: camera.view(size, 0.0),
        sun: Vector([-0.5, 1.0, 0.6]),
        daylight: 1.0,
        up: 1,
        time: 0.0,
        painted: None,
    };
    let mut best = f64::INFINITY;
    let mut picture = drawing.draw();
    for _ in 0..5 {
        let begun = Instant::now();
        picture = drawing.draw();
        best = best.min(begun.elapsed().as_secs_f64());
    }
    println!(
        "{} spheres at {}x{}: {best:.3} s on {} threads, the best of 5",
        particles.centers.len(),
        size[0],
        size[1],
        rayon::current_num_threads()
    );
    let peak = resident_peak().zip(own);
    if let Some((peak, own)) = peak {
        let bytes = particles.centers.len() * 20;
        let above = (peak - own) / 1024 - bytes / (1 << 20);
        println!(
            "{above} MiB at most, above the {} MiB of the particles",
            bytes >> 20
        );
    }
    if let Some(path) = arguments.next() {
        std::fs::write(path, picture.to_png()?)?;
    }
    Ok(())
}

/// Memory of this process now \[KiB\], where the system tells.
fn resident() -> Option<usize> {
    of_process("VmRSS:")
}

/// The most memory that this process has had \[KiB\], where the system tells.
fn resident_peak() -> Option<usize> {
    of_process("VmHWM:")
}

fn of_process(name: &str) -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}
