//! The scenes of the benchmark, which other programs can build to the last bit.
//!
//! A unit box of N³ cells (N² in 2D), frictionless walls 3 cells thick that only stop outward
//! motion, g = 9.8, ρ = 1, E = 1000, ν = 0.2, Δt = 0.3 h over the P-wave speed, everything falling
//! at 2 m/s. Particles sit in sub-cells, moved by a hash of their number.

use std::ops::Range;

use anyhow::Result;
use clap::ValueEnum;
use thixo::{BodyForce, Collider, Contact, Plane, Seed, Setup, Simulation};

use super::case::{Case, Order};
use super::matter::{DENSITY, Matter, Measured, wave_speed};

const WALL_CELLS: u32 = 3;
const GRAVITY: f64 = 9.8;
const FALL_SPEED: f64 = 2.0;
/// Share of a cell that a P-wave crosses in a step.
const COURANT: f64 = 0.3;
/// Full width of the displacement from the centre of a sub-cell, in cells.
const JITTER: f64 = 0.2;
/// Particles that are made at a time; what they are made of takes more memory than they do.
const PORTION: u32 = 1 << 20;
/// Cells between one grain of dust and the next.
const DUST_PITCH: u32 = 12;

/// A scene to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scene {
    /// A cube of half the box's edge falls from a height of one cell.
    FallingCube,
    /// A slab of water, jelly and snow side by side, each 3/10 of the box wide and high, falls from
    /// a height of one cell.
    ThreeSquares,
    /// Isolated particles, 12 cells apart, all through the box.
    Dust,
}

/// The time step \[s\].
pub fn step_size(cells: u32) -> Result<f64> {
    Ok(COURANT / f64::from(cells) / wave_speed()?)
}

/// The scene of a case, ready to step.
pub fn build<T: Measured<D>, const D: usize>(case: &Case) -> Result<Simulation<T, D>> {
    let setup = in_a_box(case)?;
    let bodies = match case.scene {
        Scene::FallingCube => vec![(case.material, Lattice::cube(case))],
        Scene::ThreeSquares => [Matter::LinearFluid, Matter::FixedCorotated, Matter::Snow]
            .into_iter()
            .zip(Lattice::squares(case.cells))
            .collect(),
        Scene::Dust => vec![(case.material, Lattice::dust(case.cells))],
    };
    let materials: Result<Vec<_>> = bodies.iter().map(|(m, _)| T::material(*m)).collect();
    let mut sim = Simulation::new(setup, materials?)?;
    let mut first = 0;
    for (index, (_, lattice)) in bodies.iter().enumerate() {
        let count = lattice.count();
        let portion = match case.order {
            Order::Sorted => PORTION,
            Order::Shuffled => count,
        };
        for begin in (0..count).step_by(portion.max(1) as usize) {
            let end = count.min(begin + portion);
            let mut seeds = lattice.seeds(case.cells, first, begin..end);
            if case.order == Order::Shuffled {
                shuffle(&mut seeds);
            }
            sim.add(index, &seeds)?;
        }
        first += count;
    }
    Ok(sim)
}

fn in_a_box<const D: usize>(case: &Case) -> Result<Setup<D>> {
    let h = 1.0 / f64::from(case.cells);
    let mut setup = Setup::<D>::new(h);
    setup.threads = case.threads;
    setup.path = case.path.into();
    setup.kernel = case.kernel.into();
    setup.transfer = case.transfer.into();
    let mut gravity = [0.0; D];
    gravity[1] = -GRAVITY;
    setup.body_force = BodyForce::Uniform(gravity);
    let wall = f64::from(WALL_CELLS) - 0.5;
    for axis in 0..D {
        for (position, direction) in [(wall, 1.0), (f64::from(case.cells) - wall, -1.0)] {
            let mut point = [0.0; D];
            let mut normal = [0.0; D];
            point[axis] = position * h;
            normal[axis] = direction;
            let frictionless = Contact::Separating { friction: 0.0 };
            let plane = Plane::new(point, normal)?;
            setup.colliders.push(Collider::new(plane, frictionless)?);
        }
    }
    Ok(setup)
}

/// Particles in the sub-cells of a box of cells, the last axis fastest.
struct Lattice<const D: usize> {
    /// First cell along each axis.
    corner: [u32; D],
    /// Occupied cells along each axis.
    extent: [u32; D],
    /// From one occupied cell to the next.
    pitch: u32,
    /// Particles in a cell along each axis.
    per_axis: u32,
}

impl<const D: usize> Lattice<D> {
    fn cube(case: &Case) -> Self {
        let side = case.cells / 2;
        let mut corner = [(case.cells - side) / 2; D];
        corner[1] = WALL_CELLS + 1;
        Self {
            corner,
            extent: [side; D],
            pitch: 1,
            per_axis: case.per_axis,
        }
    }
    /// Side by side and touching, so that some blocks of the grid hold two materials.
    fn squares(cells: u32) -> [Self; 3] {
        let side = 3 * cells / 10;
        [0, 1, 2].map(|k| {
            let mut corner = [(cells - side) / 2; D];
            corner[0] = (cells - 3 * side) / 2 + k * side;
            corner[1] = WALL_CELLS + 1;
            Self {
                corner,
                extent: [side; D],
                pitch: 1,
                per_axis: 2,
            }
        })
    }
    fn dust(cells: u32) -> Self {
        let corner = WALL_CELLS + 1;
        Self {
            corner: [corner; D],
            extent: [(cells - 2 * corner) / DUST_PITCH; D],
            pitch: DUST_PITCH,
            per_axis: 1,
        }
    }

    /// Number of particles.
    fn count(&self) -> u32 {
        self.extent.iter().product::<u32>() * self.per_axis.pow(D as u32)
    }

    /// Some of the particles, numbered from `first`.
    fn seeds(&self, cells: u32, first: u32, which: Range<u32>) -> Vec<Seed<D>> {
        let h = 1.0 / f64::from(cells);
        let per_cell = self.per_axis.pow(D as u32);
        let volume = h.powi(D as i32) / f64::from(per_cell);
        let mut velocity = [0.0; D];
        velocity[1] = -FALL_SPEED;
        let size = 1.0 / f64::from(self.per_axis);
        which
            .map(|index| {
                let (mut cell, mut sub_cell) = (index / per_cell, index % per_cell);
                let mut position = [0.0; D];
                for axis in (0..D).rev() {
                    let number = (first + index).wrapping_mul(D as u32) + axis as u32;
                    let jitter = f64::from(hash(number) >> 16) / 65536.0 - 0.5;
                    let place = cell % self.extent[axis] * self.pitch + self.corner[axis];
                    let within = (f64::from(sub_cell % self.per_axis) + 0.5) * size;
                    position[axis] = (f64::from(place) + within + JITTER * jitter) * h;
                    cell /= self.extent[axis];
                    sub_cell /= self.per_axis;
                }
                // Positions of the other programs are single precision numbers.
                let position = position.map(|x| f64::from(x as f32));
                Seed::new(position, velocity, DENSITY * volume, volume)
            })
            .collect()
    }
}

/// Puts the particles into an order without any sense, always the same.
fn shuffle<const D: usize>(seeds: &mut [Seed<D>]) {
    for k in (1..seeds.len()).rev() {
        let other = (u64::from(hash(k as u32)) * (k as u64 + 1)) >> 32;
        seeds.swap(k, other as usize);
    }
}

/// A 32-bit mixing function with low bias.
fn hash(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}
