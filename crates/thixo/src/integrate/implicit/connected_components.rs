//! Connected components of the matter, as sets of blocks, and their rigid translation modes.
//!
//! Internal forces do not change the momentum of a component, and a translation of all its nodes
//! does not change internal forces: translations are in the null space of the stiffness K. The
//! component of an error along these modes, in directions in which no constraint acts, is therefore
//! known in closed form and removed from residuals (deflation), so that momentum is conserved
//! however early a solve stops, and solves need fewer iterations. Friction adds a small matrix per
//! component. Blocks that touch, by a corner too, are in one component.

use rayon::prelude::*;
use thixo_math::{Matrix, Vector};
use thixo_par::Scalar;

use super::constrained_directions::{ConstrainedDirections, ConstraintDirections};
use super::rigid_translation::RigidTranslation;
use crate::grid::{ABSENT, Blocks, MASS, Node, offsets};

/// Blocks that one thread works on, at least.
pub(super) const CHUNK: usize = 16;

/// One connected component.
#[derive(Clone, Copy, Debug)]
pub(super) struct Component<const D: usize> {
    /// Total mass \[kg\].
    pub mass: f64,
    constrained: ConstrainedDirections<D>,
    /// Sum of the Hessians of friction over its nodes \[kg\], if friction acts on any.
    friction: Option<Matrix<f64, D>>,
}

impl<const D: usize> Component<D> {
    /// Change of the rigid velocity by an impulse: the inverse of mass and friction, in the free
    /// directions.
    pub fn velocity_change(&self, impulse: Vector<f64, D>) -> Vector<f64, D> {
        let impulse = self.constrained.project_free(impulse);
        match self.friction {
            None => impulse * (1.0 / self.mass.max(f64::MIN_POSITIVE)),
            Some(friction) => {
                // Friction restricted to the free directions; the mass alone in the others keeps
                // the matrix regular, and the impulse has no component there.
                let mut hessian = Matrix::from_scalar(self.mass);
                for a in 0..D {
                    let mut axis = Vector::zero();
                    axis[a] = 1.0;
                    let free = self.constrained.project_free(axis);
                    let column = self.constrained.project_free(friction * free);
                    for b in 0..D {
                        hessian[b][a] += column[b];
                    }
                }
                hessian.inverse() * impulse
            }
        }
    }
    /// v · H v of a rigid velocity, H being mass and friction \[J\].
    pub fn energy_norm_squared(&self, v: Vector<f64, D>) -> f64 {
        let friction = self.friction.map_or(0.0, |friction| v.dot(friction * v));
        self.mass * v.dot(v) + friction
    }
    /// True if friction acts on the component.
    pub fn has_friction(&self) -> bool {
        self.friction.is_some()
    }
}

/// The connected components of a step.
#[derive(Clone, Debug)]
pub(super) struct Components<const D: usize> {
    /// Component of every block.
    pub of_block: Vec<u32>,
    /// All components.
    pub all: Vec<Component<D>>,
    /// Nodes of a block.
    pub nodes_per_block: usize,
}

impl<const D: usize> Components<D> {
    /// Components of blocks with the masses of their nodes. `constraints` are all constraints that
    /// act or may become active, by node.
    pub fn new<T: Scalar>(
        blocks: &Blocks<D>,
        nodes: &[Node<T>],
        constraints: impl Iterator<Item = (usize, ConstraintDirections<D>)>,
    ) -> Self {
        let mut sets = DisjointSets((0..blocks.len() as u32).collect());
        for block in 0..blocks.len() {
            for offset in 0..offsets::<D>() {
                match blocks.neighbour(block, offset) {
                    ABSENT => {}
                    neighbour => sets.union(block as u32, neighbour),
                }
            }
        }
        let nodes_per_block = blocks.nodes_per_block();
        let mut numbers = vec![None; blocks.len()];
        let mut all: Vec<Component<D>> = Vec::new();
        let mut of_block = Vec::with_capacity(blocks.len());
        for (block, nodes) in nodes.chunks_exact(nodes_per_block).enumerate() {
            let number = *numbers[sets.find(block as u32)].get_or_insert_with(|| {
                all.push(Component {
                    mass: 0.0,
                    constrained: ConstrainedDirections::none(),
                    friction: None,
                });
                all.len() as u32 - 1
            });
            let masses = nodes.iter().map(|node| node[MASS].to_f64());
            all[number as usize].mass += masses.sum::<f64>();
            of_block.push(number);
        }
        for (node, directions) in constraints {
            let number = of_block[node / nodes_per_block];
            all[number as usize].constrained.add(directions);
        }
        Self {
            of_block,
            all,
            nodes_per_block,
        }
    }

    /// Component of a node.
    pub fn of_node(&self, node: usize) -> usize {
        self.of_block[node / self.nodes_per_block] as usize
    }

    /// Replaces the Hessians of friction, given by node \[kg\].
    pub fn set_friction(&mut self, hessians: impl Iterator<Item = (usize, Matrix<f64, D>)>) {
        for component in &mut self.all {
            component.friction = None;
        }
        for (node, hessian) in hessians {
            let number = self.of_node(node);
            let sum = &mut self.all[number].friction;
            *sum = Some(sum.unwrap_or(Matrix::zero()) + hessian);
        }
    }

    /// Sums of a field of impulses over the nodes of every component \[N s\].
    pub fn sums<T: Scalar>(&self, impulses: &[Node<T>]) -> Vec<Vector<f64, D>> {
        let sums: Vec<[f64; 4]> = impulses
            .par_chunks_exact(self.nodes_per_block)
            .with_min_len(CHUNK)
            .map(|nodes| {
                nodes.iter().fold([0.0; 4], |mut sum, node| {
                    for (sum, x) in sum.iter_mut().zip(node) {
                        *sum += x.to_f64();
                    }
                    sum
                })
            })
            .collect();
        self.sums_of_blocks(sums.into_iter())
    }

    /// Sums over components of sums over blocks.
    fn sums_of_blocks(&self, impulses: impl Iterator<Item = [f64; 4]>) -> Vec<Vector<f64, D>> {
        let mut sums = vec![Vector::zero(); self.all.len()];
        for (impulse, component) in impulses.zip(&self.of_block) {
            let sum: &mut Vector<f64, D> = &mut sums[*component as usize];
            for a in 0..D {
                sum[a] += impulse[a];
            }
        }
        sums
    }

    /// The rigid translation by impulses on the nodes \[N s\].
    pub fn translation<T: Scalar>(&self, impulses: &[Node<T>]) -> RigidTranslation<D> {
        self.translation_by(self.sums(impulses))
    }

    /// The rigid translation by impulses on whole blocks \[N s\].
    pub fn translation_of_blocks(
        &self,
        impulses: impl Iterator<Item = [f64; 4]>,
    ) -> RigidTranslation<D> {
        self.translation_by(self.sums_of_blocks(impulses))
    }

    fn translation_by(&self, impulses: Vec<Vector<f64, D>>) -> RigidTranslation<D> {
        let components = self.all.iter().zip(impulses);
        RigidTranslation(
            components
                .map(|(component, impulse)| component.velocity_change(impulse))
                .collect(),
        )
    }
}

/// Disjoint-set forest over blocks (union-find): every block knows an earlier block of its set, the
/// root itself.
struct DisjointSets(Vec<u32>);

impl DisjointSets {
    fn find(&mut self, mut block: u32) -> usize {
        while self.0[block as usize] != block {
            let parent = self.0[block as usize];
            self.0[block as usize] = self.0[parent as usize];
            block = parent;
        }
        block as usize
    }
    fn union(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b) as u32;
    }
}
