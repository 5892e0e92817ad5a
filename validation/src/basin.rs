//! A basin with frictionless walls, and the matter in it.

use thixo::{Contact, Instance, Side, Simulation, Wall};

/// Floor and side walls of a basin from x = 0 to `width` \[m\].
pub fn walls(width: f64) -> [Wall<2>; 3] {
    [
        Wall::new(0, 0.0, Side::Above, Contact::Slip),
        Wall::new(0, width, Side::Below, Contact::Slip),
        Wall::new(1, 0.0, Side::Above, Contact::Slip),
    ]
}

/// The x coordinates of all particles \[m\], in order.
pub fn sorted_x<T: Instance<D>, const D: usize>(sim: &Simulation<T, D>) -> Vec<f64> {
    let particles = sim.particles();
    let mut all: Vec<_> = particles.iter().map(|p| p.position[0]).collect();
    all.sort_unstable_by(f64::total_cmp);
    all
}
