//! Preconditioners of the linear solves: diagonal scaling, with a coarse correction by rigid
//! translation modes.

use rayon::prelude::*;
use thixo_par::Scalar;

use super::norms::{CHUNK, largest_speed, residual_rounding};
use super::system::System;
use crate::grid::{MASS, Node};
use crate::krylov::vector::scale;

/// The diagonal by which linear solves are preconditioned. Their stopping test does not depend on
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Preconditioner {
    /// The identity; for comparison.
    None,
    /// The masses of the nodes.
    Mass,
    /// The diagonal of the Hessian, Σ_p w m_p + Δt² V⁰ Σ_b H_ab,ab (∂w/∂x_b)² (Jacobi). For matter
    /// at rest that is \[Gast2015\] §6.1.
    #[default]
    Stiffness,
}

/// Inverse diagonals, for the preconditioner and for norms. Zero where a node has no mass.
#[derive(Default)]
pub(super) struct InverseDiagonal<T> {
    /// The preconditioner in use.
    kind: Preconditioner,
    /// L⁻¹, L being the diagonal of the Hessian.
    pub inverse: Vec<Node<T>>,
    /// M⁻¹, the masses folded by the constraints.
    pub inverse_masses: Vec<Node<T>>,
    /// One where a node has mass; only for [`Preconditioner::None`].
    identity: Vec<Node<T>>,
    /// Estimate of the rounding error of residuals, as a velocity by the masses \[m/s\].
    pub rounding: f64,
}

impl<T> InverseDiagonal<T> {
    /// The diagonal matrix that resembles the inverse of the Hessian.
    pub fn weights(&self) -> &[Node<T>] {
        match self.kind {
            Preconditioner::None => &self.identity,
            Preconditioner::Mass => &self.inverse_masses,
            Preconditioner::Stiffness => &self.inverse,
        }
    }
    /// True if rigid translation modes are corrected separately. With the masses, rigid
    /// translations are solved exactly without.
    pub fn corrects_rigid_modes(&self) -> bool {
        self.kind == Preconditioner::Stiffness
    }
}

impl<T: Scalar, const D: usize> System<'_, T, D> {
    /// Computes the diagonal of the Hessian from the stored linearization, and chooses the
    /// preconditioner.
    pub fn update_diagonal(&mut self, kind: Preconditioner) {
        let mut diagonal = self.zeros();
        self.objective.diagonal_of_forces(&mut diagonal);
        let mut masses = self.zeros().into_values();
        let nodes = masses.par_iter_mut().zip(self.predicted());
        nodes
            .with_min_len(CHUNK)
            .for_each(|(node, predicted)| node[..D].fill(predicted[MASS]));
        self.constraints.fold_diagonal(&mut masses, 0..D);
        self.constraints.fold_diagonal(diagonal.values_mut(), 0..D);
        self.objective
            .add_diagonal_of_contacts(diagonal.values_mut());
        let speed = largest_speed::<T, D>(self.predicted());
        let mut squares = self.zeros();
        self.objective
            .meshes
            .add_squared_stiffness(squares.values_mut());
        let stiffness = (diagonal.values(), squares.values());
        let rounding = residual_rounding::<T, D>(stiffness, &masses, speed);
        let share = T::from_f64(self.objective.implicitness);
        let invert = |x: T, mass: T| match mass > minimal_mass::<T>() {
            true => T::one() / x,
            false => T::zero(),
        };
        let nodes = diagonal.values_mut().par_iter_mut().zip(&mut masses);
        nodes.with_min_len(CHUNK).for_each(|(node, masses)| {
            for a in 0..D {
                let mass = masses[a];
                node[a] = invert(mass + share * node[a], mass);
                masses[a] = invert(mass, mass);
            }
            node[D..].fill(T::zero());
        });
        if kind == Preconditioner::None {
            let one = |x: T| if x > T::zero() { T::one() } else { x };
            self.diagonal.identity = masses.iter().map(|node| node.map(one)).collect();
        }
        self.diagonal.inverse = diagonal.into_values();
        self.diagonal.inverse_masses = masses;
        self.diagonal.kind = kind;
        self.diagonal.rounding = rounding;
    }

    /// r ← E L⁻¹ r of a folded gradient: a step of the scaled steepest descent, whatever
    /// the preconditioner; after [`update_diagonal`](Self::update_diagonal).
    pub fn scale_by_inverse_diagonal(&self, r: &mut [Node<T>]) {
        scale(r.as_flattened_mut(), self.diagonal.inverse.as_flattened());
        self.constraints.extend(r);
    }
}

/// Nodes with less mass are left out of solves: their momenta are rounding errors.
pub(super) fn minimal_mass<T: Scalar>() -> T {
    T::from_f64(T::MIN_POSITIVE / T::EPSILON)
}
