//! The energy of meshes as a term of E, equation (65).

use thixo_par::Scalar;

use super::energy_term::{EnergyTerm, EnergyValue};
use crate::grid::Node;
use crate::lagrangian::MeshEnergy;
use crate::material::potential::Definiteness;

impl<T: Scalar, const D: usize> EnergyTerm<T, D> for MeshEnergy<'_, T, D> {
    fn energy(&self, v: &[Node<T>]) -> EnergyValue {
        let [value, rounding] = MeshEnergy::energy(self, v);
        EnergyValue { value, rounding }
    }
    fn gradient(&self, v: Option<&[Node<T>]>, gradient: &mut [Node<T>]) {
        self.add_gradient(v, gradient);
    }
    fn linearize(&mut self, v: &[Node<T>], definiteness: Definiteness) {
        MeshEnergy::linearize(self, v, definiteness);
    }
    fn product(&self, x: &[Node<T>], share: f64, out: &mut [Node<T>]) -> f64 {
        MeshEnergy::product(self, x, share, out)
    }
    fn diagonal(&self, diagonal: &mut [Node<T>]) {
        self.add_diagonal(diagonal);
    }
}
