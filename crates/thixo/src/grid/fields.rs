//! The fields on the grid during a step.

use rayon::prelude::*;
use thixo_par::Scalar;

use super::{BlockOrder, Field, MASS, MaterialMasses, Node, Tiles};

/// Mass, momentum, velocity and force on the nodes, and the tiles from which they are summed.
#[derive(Debug)]
pub(crate) struct Grid<T, const D: usize> {
    /// Mass with momentum, then with velocity at the end of the step.
    pub nodes: Field<T, 4>,
    /// Mass with momentum, then with velocity, before forces; only where the transfer or the
    /// integrator needs it.
    pub before: Option<Field<T, 4>>,
    /// Internal force (staged path).
    pub force: Field<T, 4>,
    /// The tiles of all segments.
    pub tiles: Tiles<T, 4, D>,
    /// Mass by material where an obstacle distinguishes materials.
    pub material_masses: MaterialMasses<T>,
}

impl<T: Scalar, const D: usize> Grid<T, D> {
    /// A grid without nodes.
    pub fn new() -> Self {
        Self {
            nodes: Field::default(),
            before: None,
            force: Field::default(),
            tiles: Tiles::default(),
            material_masses: MaterialMasses::default(),
        }
    }
    /// Allocates storage for the tiles of an order.
    pub fn resize(&mut self, order: &BlockOrder<D>) {
        self.nodes.resize(order);
        self.tiles.resize(order);
    }
    /// Moves the velocities to a new order.
    pub fn carry(&mut self, from: &BlockOrder<D>, to: &BlockOrder<D>) {
        self.nodes.carry(from, to);
        self.resize(to);
    }
    /// Stores a copy of mass and momentum before forces act.
    pub fn keep_before(&mut self) {
        self.before
            .get_or_insert_with(Field::default)
            .clone_from(&self.nodes);
    }
    /// Adds Δt f to the momentum, equation (6), for a time step \[s\].
    pub fn add_impulse_of_force(&mut self, dt: f64) {
        let dt = T::from_f64(dt);
        self.nodes
            .values_mut()
            .par_iter_mut()
            .with_min_len(4096)
            .zip(self.force.values())
            .for_each(|(p, f)| {
                for a in 0..D {
                    p[a] += dt * f[a];
                }
            });
    }
    /// From momentum to velocity, equation (6); returns whether all velocities are finite.
    pub fn divide_by_mass(&mut self) -> bool {
        let after = self.nodes.divide_by_mass();
        after && self.before.as_mut().is_none_or(Field::divide_by_mass)
    }
    /// Bytes of storage.
    pub fn bytes(&self) -> usize {
        self.nodes.bytes()
            + self.before.as_ref().map_or(0, Field::bytes)
            + self.force.bytes()
            + self.tiles.bytes()
            + self.material_masses.bytes()
    }
}

impl<T: Scalar> Field<T, 4> {
    /// Turns momentum into velocity; returns whether all velocities are finite. Nodes with next to
    /// no mass get none: their quotient would be rounding noise.
    pub fn divide_by_mass(&mut self) -> bool {
        let least = T::from_f64(T::MIN_POSITIVE / T::EPSILON);
        self.blocks_mut()
            .map(|(_, nodes)| {
                let mut check = T::zero();
                for node in nodes {
                    check += divide(node, least);
                }
                // Zero times a finite number is zero; anything else has spread to the sum.
                check == T::zero()
            })
            .reduce(|| true, |a, b| a && b)
    }
}

#[inline(always)]
fn divide<T: Scalar>(node: &mut Node<T>, least: T) -> T {
    let mass = node[MASS];
    let inverse = if mass > least {
        T::one() / mass
    } else {
        T::zero()
    };
    let mut check = mass * T::zero();
    for a in 0..MASS {
        node[a] *= inverse;
        check += node[a] * T::zero();
    }
    check
}
