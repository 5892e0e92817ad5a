//! Reaction of walls to obstacles that act next to them.
//!
//! After the fold (7) a node in front of a wall and its image behind hold the matter of both. What
//! an obstacle changes there is its impulse on all of it; but the matter behind moves as an image,
//! and the difference is the impulse of the wall.

use thixo_math::Vector;
use thixo_par::Scalar;

use super::contact_impulse::ContactImpulse;
use super::wall::{Wall, in_canonical_order, wall_columns};
use crate::grid::{Grid, MASS, Node};
use crate::step_context::StepContext;

/// A node at a wall.
#[derive(Clone, Copy, Debug)]
struct WallNode<const D: usize> {
    node: usize,
    /// Index of the wall.
    wall: usize,
    /// Mass before the fold \[kg\].
    mass: f64,
    /// Velocity before contact with obstacles \[m/s\].
    velocity: Vector<f64, D>,
}

/// Nodes at walls with what they have before obstacles act on them.
#[derive(Debug, Default)]
pub(crate) struct WallReaction<const D: usize>(Vec<WallNode<D>>);

impl<const D: usize> WallReaction<D> {
    /// The nodes at walls, before the fold.
    pub fn before_fold<T: Scalar>(
        walls: &[Wall<D>],
        grid: &Grid<T, D>,
        step: &StepContext<'_, D>,
    ) -> Self {
        let nodes = grid.nodes.values();
        let mut found = Vec::new();
        for (index, wall) in in_canonical_order(walls) {
            for column in wall_columns(wall, &step.order.blocks, step.geometry.spacing()) {
                let pairs = column.pairs.iter().filter_map(|(front, ghost)| {
                    let pair = [(*front)?, (*ghost)?];
                    (nodes[pair[1]][MASS] > T::zero()).then_some(pair)
                });
                found.extend(pairs.flatten().map(|node| WallNode {
                    node,
                    wall: index,
                    mass: nodes[node][MASS].to_f64(),
                    velocity: Vector::zero(),
                }));
            }
        }
        // The first wall counts where several meet.
        found.sort_by_key(|at| at.node);
        found.dedup_by_key(|at| at.node);
        Self(found)
    }

    /// Takes the velocities before contact with obstacles.
    pub fn before_contact<T: Scalar>(&mut self, grid: &Grid<T, D>) {
        for at in &mut self.0 {
            at.velocity = velocity(&grid.nodes.values()[at.node]);
        }
    }

    /// Adds the reactions to the impulses of the walls.
    pub fn add_impulses<T: Scalar>(
        &self,
        walls: &[Wall<D>],
        grid: &Grid<T, D>,
        impulses: &mut [ContactImpulse<D>],
        step: &StepContext<'_, D>,
    ) {
        let behind = -0.5 * step.geometry.spacing();
        for at in &self.0 {
            let node = &grid.nodes.values()[at.node];
            let change = velocity(node) - at.velocity;
            if change == Vector::zero() {
                continue;
            }
            let position = step.node_position(at.node);
            let is_front = walls.iter().all(|wall| wall.height(position.0) > behind);
            let of_obstacle = if is_front { node[MASS].to_f64() } else { 0.0 };
            impulses[at.wall].add(position, change * (at.mass - of_obstacle));
        }
    }
}

fn velocity<T: Scalar, const D: usize>(node: &Node<T>) -> Vector<f64, D> {
    let mut out = Vector::zero();
    for a in 0..D {
        out[a] = node[a].to_f64();
    }
    out
}
