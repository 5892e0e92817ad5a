//! Norms of residuals and velocities of a step, with sums that do not depend on the number of
//! threads.

use rayon::prelude::*;
use thixo_par::Scalar;

use super::preconditioner::minimal_mass;
use super::system::System;
use crate::grid::{MASS, Node};

/// Nodes that one thread works on.
pub(super) const CHUNK: usize = 1024;

/// Norms of a residual, as velocities \[m/s\].
#[derive(Clone, Copy, Debug)]
pub(super) struct Norms {
    /// √(Σ r²/m / Σ m), the bound of the error in the energy norm.
    pub by_mass: f64,
    /// √(Σ r²/L / Σ m), L being the diagonal of the Hessian.
    pub by_diagonal: f64,
    /// Estimate of the rounding error of `by_mass`.
    pub rounding: f64,
    /// Total mass Σ m \[kg\].
    pub mass: f64,
}

/// The momenta and forces at work in a step, as velocities \[m/s\].
#[derive(Clone, Copy, Debug)]
pub(super) struct Magnitudes {
    /// √(Σ m |v − vⁿ|² / Σ m), the change of velocity in the step.
    pub change: f64,
    /// √(Σ |I|²/m / Σ m), the impulses of internal and contact forces.
    pub impulse: f64,
    /// Σ |I| / Σ m, their mean. Reactions of walls and obstacles are concentrated: at the clamp of
    /// a slender beam they are hundreds of times the weight of a node, and their square would hide
    /// all the rest.
    pub mean_impulse: f64,
}

/// Share of the mean impulse of forces in the [unit](Magnitudes::unit) of residuals. A column
/// stands on the floor with all of its weight, twice its weight in the mean of nodes and floor, a
/// beam ten times as long as thick is held by some eight times its weight; residuals of one sign
/// throughout may be the tolerance times this share of that.
const FORCE_SHARE: f64 = 0.02;

impl Magnitudes {
    /// The velocity \[m/s\] that residuals are compared with: all of the change in the step, and a
    /// share of the forces, which must balance where nothing changes.
    pub fn unit(&self) -> f64 {
        self.change + FORCE_SHARE * self.mean_impulse
    }
}

impl<T: Scalar, const D: usize> System<'_, T, D> {
    /// Norms of a residual; after [`update_diagonal`](Self::update_diagonal).
    pub fn norms(&self, residual: &[Node<T>]) -> Norms {
        let diagonal = &self.diagonal;
        let chunks = residual
            .par_chunks(CHUNK)
            .zip(diagonal.inverse.par_chunks(CHUNK))
            .zip(diagonal.inverse_masses.par_chunks(CHUNK))
            .zip(self.predicted().par_chunks(CHUNK));
        let partial: Vec<[f64; 4]> = chunks
            .map(|(((residual, diagonal), masses), predicted)| {
                let mut sums = [0.0; 4];
                let nodes = residual.iter().zip(diagonal).zip(masses).zip(predicted);
                for (((r, diagonal), masses), predicted) in nodes {
                    for a in 0..D {
                        let square = r[a].to_f64() * r[a].to_f64();
                        sums[0] += square * masses[a].to_f64();
                        sums[1] += square * diagonal[a].to_f64();
                        sums[3] += (predicted[MASS] * predicted[a] * predicted[a]).to_f64();
                    }
                    sums[2] += predicted[MASS].to_f64();
                }
                sums
            })
            .collect();
        let [by_mass, by_diagonal, mass, speed] = total(&partial);
        let norm = |squares: f64| (squares / mass.max(f64::MIN_POSITIVE)).sqrt();
        Norms {
            by_mass: norm(by_mass),
            by_diagonal: norm(by_diagonal),
            rounding: diagonal.rounding + T::EPSILON * norm(speed),
            mass,
        }
    }

    /// The change of velocity in the step, and the impulses of internal and contact forces, which a
    /// residual is compared with; from velocities and the gradient of E there.
    pub fn magnitudes(&self, v: &[Node<T>], gradient: &[Node<T>]) -> Magnitudes {
        let least = minimal_mass::<T>();
        let chunks = v
            .par_chunks(CHUNK)
            .zip(gradient.par_chunks(CHUNK))
            .zip(self.predicted().par_chunks(CHUNK))
            .zip(self.before().par_chunks(CHUNK));
        let partial: Vec<[f64; 4]> = chunks
            .map(|(((v, gradient), predicted), before)| {
                let mut sums = [0.0; 4];
                let nodes = v.iter().zip(gradient).zip(predicted).zip(before);
                for (((v, gradient), predicted), before) in nodes {
                    if predicted[MASS] <= least {
                        continue;
                    }
                    let mass = predicted[MASS].to_f64();
                    let mut squared = 0.0;
                    for a in 0..D {
                        let changed = (v[a] - before[a]).to_f64();
                        let inertia = mass * (v[a] - predicted[a]).to_f64();
                        let impulse = gradient[a].to_f64() - inertia;
                        sums[0] += mass * changed * changed;
                        squared += impulse * impulse;
                    }
                    sums[1] += squared / mass;
                    sums[2] += squared.sqrt();
                    sums[3] += mass;
                }
                sums
            })
            .collect();
        let [change, impulse, sum, mass] = total(&partial);
        let mass = mass.max(f64::MIN_POSITIVE);
        let norm = |squares: f64| (squares / mass).sqrt();
        Magnitudes {
            change: norm(change),
            impulse: norm(impulse),
            mean_impulse: sum / mass,
        }
    }

    /// x · L x with the diagonal L of the Hessian: the dual of [`Norms::by_diagonal`], squared.
    pub fn diagonal_norm_squared(&self, x: &[Node<T>]) -> f64 {
        let chunks = x
            .par_chunks(CHUNK)
            .zip(self.diagonal.inverse.par_chunks(CHUNK));
        let partial: Vec<[f64; 1]> = chunks
            .map(|(x, inverse)| {
                let mut sum = 0.0;
                for (x, inverse) in x.iter().zip(inverse) {
                    for a in 0..D {
                        if inverse[a] > T::zero() {
                            sum += x[a].to_f64() * x[a].to_f64() / inverse[a].to_f64();
                        }
                    }
                }
                [sum]
            })
            .collect();
        total(&partial)[0]
    }

    /// Sum of the impulses on the nodes, Σ m |v − v*| \[N s\].
    pub fn total_impulse(&self, v: &[Node<T>]) -> f64 {
        let chunks = v.par_chunks(CHUNK).zip(self.predicted().par_chunks(CHUNK));
        let partial: Vec<[f64; 1]> = chunks
            .map(|(v, predicted)| {
                let mut sum = 0.0;
                for (v, predicted) in v.iter().zip(predicted) {
                    let squares = (0..D).map(|a| (v[a] - predicted[a]).to_f64().powi(2));
                    sum += predicted[MASS].to_f64() * squares.sum::<f64>().sqrt();
                }
                [sum]
            })
            .collect();
        total(&partial)[0]
    }
}

/// Estimate of the rounding error of residuals, as a velocity by the masses \[m/s\]: increments are
/// sums of velocities up to `speed` \[m/s\], whose rounding errors Δt²K turns into impulses.
/// `stiffness` is the diagonal of Δt²K, which stands for that of particles, and what meshes make
/// of errors, squared: their forces come to nodes by weights, which are larger than the squares of
/// weights in a diagonal.
pub(super) fn residual_rounding<T: Scalar, const D: usize>(
    (stiffness, squares): (&[Node<T>], &[Node<T>]),
    masses: &[Node<T>],
    speed: f64,
) -> f64 {
    let least = minimal_mass::<T>();
    let chunks = stiffness
        .par_chunks(CHUNK)
        .zip(squares.par_chunks(CHUNK))
        .zip(masses.par_chunks(CHUNK));
    let partial: Vec<[f64; 2]> = chunks
        .map(|((stiffness, squares), masses)| {
            let mut sums = [0.0; 2];
            let stiffness = stiffness.iter().flat_map(|node| &node[..D]);
            let squares = squares.iter().flat_map(|node| &node[..D]);
            let masses = masses.iter().flat_map(|node| &node[..D]);
            let components = stiffness.zip(squares).zip(masses);
            for ((&k, &square), &mass) in components.filter(|(_, mass)| **mass > least) {
                sums[0] += (k.to_f64() * k.to_f64() + square.to_f64()) / mass.to_f64();
                sums[1] += mass.to_f64() / D as f64;
            }
            sums
        })
        .collect();
    let [squares, mass] = total(&partial);
    T::EPSILON * speed * (squares / mass.max(f64::MIN_POSITIVE)).sqrt()
}

/// Largest component of the velocity of a node with mass \[m/s\].
pub(super) fn largest_speed<T: Scalar, const D: usize>(nodes: &[Node<T>]) -> f64 {
    let least = minimal_mass::<T>();
    let largest = nodes.par_chunks(CHUNK).map(|nodes| {
        let nodes = nodes.iter().filter(|node| node[MASS] > least);
        let speeds = nodes.flat_map(|node| node[..D].iter().map(|x| x.to_f64().abs()));
        speeds.fold(0.0, f64::max)
    });
    largest.reduce(|| 0.0, f64::max)
}

/// Sums of partial sums, in their order.
pub(super) fn total<const N: usize>(partial: &[[f64; N]]) -> [f64; N] {
    partial.iter().fold([0.0; N], |mut sums, part| {
        for (sum, x) in sums.iter_mut().zip(part) {
            *sum += x;
        }
        sums
    })
}
