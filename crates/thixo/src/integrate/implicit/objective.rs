//! The objective E(v) of an implicit step, its gradient, and products with its Hessian.
//!
//! E(v) = Σ_i ½ m_i |v_i − v*_i|² + Σ_p V⁰_p ψ_p(Δt∇v) + friction, where v* is the predicted
//! velocity, by all forces but the internal ones; \[Gast2015\] §6.1, \[Jiang2016\] eq. (205), with
//! gravity and loads in v*, which shifts E by a constant. Products with H = M + Δt²K are
//! matrix-free: made particle by particle from the stored Hessians of ψ (\[Jiang2016\] eq. (198)).

use rayon::prelude::*;
use thixo_par::Scalar;

use super::divide_by_mass;
use super::energy_term::{EnergyTerm, EnergyValue};
use super::friction::Friction;
use super::norms::{CHUNK, largest_speed};
use super::particle_energy::{ParticleEnergy, ParticleSums};
use crate::grid::{Field, MASS, Node};
use crate::lagrangian::MeshEnergy;
use crate::material::potential::Definiteness;

/// The objective: inertia and a sum of energy terms.
pub(super) struct Objective<'a, T: Scalar, const D: usize> {
    /// Predicted velocity v* and the masses of the nodes.
    predicted: &'a Field<T, 4>,
    /// Elastic energy and damping.
    pub particles: ParticleEnergy<'a, T, D>,
    /// Friction of the contacts.
    pub friction: Friction<D>,
    /// Elastic energy of meshes.
    pub meshes: MeshEnergy<'a, T, D>,
    /// Share β of the stiffness in Hessian products.
    pub implicitness: f64,
    /// Largest displacement of a node in the step by its predicted velocity \[cells\].
    displacement: f64,
}

impl<'a, T: Scalar, const D: usize> Objective<'a, T, D> {
    /// Inertia about `predicted`, v* with the masses, and the energies of matter; velocities of
    /// 1 m/s displace nodes by `cells_per_speed` cells.
    pub fn new(
        predicted: &'a Field<T, 4>,
        (particles, meshes): (ParticleEnergy<'a, T, D>, MeshEnergy<'a, T, D>),
        cells_per_speed: f64,
    ) -> Self {
        let displacement = cells_per_speed * largest_speed::<T, D>(predicted.values());
        Self {
            predicted,
            particles,
            friction: Friction::default(),
            meshes,
            implicitness: 1.0,
            displacement,
        }
    }

    /// Terms that depend on the velocities of nodes.
    fn node_terms(&self) -> [&dyn EnergyTerm<T, D>; 2] {
        [&self.friction, &self.meshes]
    }

    /// The same, to be linearized.
    fn node_terms_mut(&mut self) -> [&mut dyn EnergyTerm<T, D>; 2] {
        [&mut self.friction, &mut self.meshes]
    }

    /// v* and the masses.
    pub fn predicted(&self) -> &'a [Node<T>] {
        self.predicted.values()
    }

    /// Predicted velocity v*, without the masses.
    pub fn predicted_velocity(&self) -> Field<T, 4> {
        let mut v = self.predicted.clone();
        for node in v.values_mut() {
            node[D..].fill(T::zero());
        }
        v
    }

    /// Velocity of an explicit step, v* + Δt M⁻¹ f(xⁿ).
    pub fn explicit_velocity(&mut self) -> Field<T, 4> {
        let predicted = self.predicted.values();
        let mut v = Field::default();
        self.particles.gradient(None, &mut v, |_, _| ());
        self.meshes.add_gradient(None, v.values_mut());
        divide_by_mass::<T, D>(v.values_mut(), predicted);
        for (v, predicted) in v.values_mut().iter_mut().zip(predicted) {
            for a in 0..D {
                v[a] = predicted[a] - v[a];
            }
        }
        v
    }

    /// E, and its gradient \[N s\] without regard to constraints.
    pub fn evaluate(&mut self, v: &Field<T, 4>, gradient: &mut Field<T, 4>) -> EnergyValue {
        let (velocities, predicted) = (v.values(), self.predicted.values());
        let inertia_of_block = |nodes: &mut [Node<T>], first: usize| {
            let v = &velocities[first..first + nodes.len()];
            let predicted = &predicted[first..first + nodes.len()];
            for ((g, v), predicted) in nodes.iter_mut().zip(v).zip(predicted) {
                for a in 0..D {
                    g[a] += predicted[MASS] * (v[a] - predicted[a]);
                }
            }
            inertia::<T, D>(v, predicted)
        };
        let (sums, partial) = self
            .particles
            .gradient(Some(velocities), gradient, inertia_of_block);
        for term in self.node_terms() {
            term.gradient(Some(velocities), gradient.values_mut());
        }
        self.sum_up(velocities, partial.into_iter().sum(), sums)
    }

    /// M (v − v*) − Δt f: the impulses of contacts, friction included, on the nodes \[N s\].
    pub fn contact_impulse(&mut self, v: &Field<T, 4>) -> Field<T, 4> {
        let mut impulse = v.clone();
        let (velocities, predicted) = (v.values(), self.predicted.values());
        let inertia = |nodes: &mut [Node<T>], first: usize| {
            for (k, g) in (first..).zip(nodes) {
                for a in 0..D {
                    g[a] += predicted[k][MASS] * (velocities[k][a] - predicted[k][a]);
                }
            }
        };
        self.particles
            .gradient(Some(velocities), &mut impulse, inertia);
        self.meshes
            .add_gradient(Some(velocities), impulse.values_mut());
        impulse
    }

    /// E alone.
    pub fn energy(&mut self, v: &Field<T, 4>) -> f64 {
        let sums = self.particles.energy(v.values());
        let chunks = v.values().par_chunks(CHUNK);
        let partial: Vec<f64> = chunks
            .zip(self.predicted.values().par_chunks(CHUNK))
            .map(|(v, predicted)| inertia::<T, D>(v, predicted))
            .collect();
        let inertia = partial.into_iter().sum();
        self.sum_up(v.values(), inertia, sums).value
    }

    fn sum_up(&self, v: &[Node<T>], inertia: f64, particles: ParticleSums) -> EnergyValue {
        // Increments are sums of displacements, and known to the precision of these.
        let magnitude =
            inertia.abs() + particles.energy.abs() + self.displacement * particles.stress;
        let mut sum = EnergyValue {
            value: particles.energy + inertia,
            rounding: T::EPSILON * magnitude,
        };
        for term in self.node_terms() {
            let EnergyValue { value, rounding } = term.energy(v);
            sum.value += value;
            sum.rounding += rounding;
        }
        sum
    }

    /// ∇E at rest \[N s\]: −M v* − Δt f(xⁿ), and the node terms.
    pub fn gradient_at_rest(&mut self, gradient: &mut Field<T, 4>) {
        let predicted = self.predicted.values();
        self.particles.gradient(None, gradient, |nodes, first| {
            let predicted = &predicted[first..first + nodes.len()];
            for (g, predicted) in nodes.iter_mut().zip(predicted) {
                for a in 0..D {
                    g[a] -= predicted[MASS] * predicted[a];
                }
            }
        });
        for term in self.node_terms() {
            term.gradient(None, gradient.values_mut());
        }
    }

    /// Stores the Hessians of all terms at velocities.
    pub fn linearize(&mut self, v: &Field<T, 4>, definiteness: Definiteness) {
        self.particles.linearize(v.values(), definiteness);
        for term in self.node_terms_mut() {
            term.linearize(v.values(), definiteness);
        }
    }

    /// Hessian product out ← (M + βΔt²K) x, without regard to constraints; returns its product
    /// with x.
    pub fn product(&mut self, x: &[Node<T>], out: &mut [Node<T>]) -> f64 {
        let share = T::from_f64(self.implicitness);
        let predicted = self.predicted.values();
        let add_inertia = |nodes: &mut [Node<T>], first: usize| {
            let mut product = 0.0;
            let range = first..first + nodes.len();
            let others = x[range.clone()].iter().zip(&predicted[range]);
            for (node, (x, predicted)) in nodes.iter_mut().zip(others) {
                for a in 0..D {
                    node[a] = share * node[a] + predicted[MASS] * x[a];
                    product += node[a].to_f64() * x[a].to_f64();
                }
            }
            product
        };
        let products = self.particles.product(x, out, add_inertia);
        let mut product = products.into_iter().sum::<f64>();
        for term in self.node_terms() {
            product += term.product(x, self.implicitness, out);
        }
        product
    }

    /// Writes the diagonal of the internal forces \[kg\], before constraints.
    pub fn diagonal_of_forces(&mut self, diagonal: &mut Field<T, 4>) {
        self.particles.diagonal(diagonal);
        self.meshes.diagonal(diagonal.values_mut());
    }
    /// Adds the diagonal of the contacts \[kg\].
    pub fn add_diagonal_of_contacts(&self, diagonal: &mut [Node<T>]) {
        self.friction.diagonal(diagonal);
    }
}

/// Σ ½ m |v − v*|² \[J\].
fn inertia<T: Scalar, const D: usize>(v: &[Node<T>], predicted: &[Node<T>]) -> f64 {
    let mut sum = 0.0;
    for (v, predicted) in v.iter().zip(predicted) {
        for a in 0..D {
            let change = v[a] - predicted[a];
            sum += 0.5 * (predicted[MASS] * change * change).to_f64();
        }
    }
    sum
}
