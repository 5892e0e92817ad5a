//! Pieces of matter, and where they are free to go: the momentum that they have there at the end of a step is known before anything is solved.
//!
//! Internal forces do not change the momentum of a piece, and a velocity that all its nodes share does not change internal forces. So the share of an error that moves a
//! piece as a whole, in directions in which nothing holds it, is known in closed form, and taken away: solves that stop early keep the momentum all the same, and need fewer
//! iterations. Where friction acts it depends on that velocity, but few contacts decide it. Pieces are made of whole blocks, those that hang together.

use rayon::prelude::*;
use thixo_math::{Matrix, Vector};
use thixo_par::Scalar;

use crate::grid::{ABSENT, Blocks, MASS, Node, offsets};

/// Blocks that one thread works on.
const CHUNK: usize = 16;
/// Directions this close to others, as the sine of the angle between them, are the same.
const SAME: f64 = 1e-6;

/// In which directions a condition holds matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Grip<const D: usize> {
    /// In all.
    Whole,
    /// Along a unit vector.
    Along(Vector<f64, D>),
}

/// Directions in which a piece is held, perpendicular to each other.
#[derive(Clone, Copy, Debug)]
struct Held<const D: usize> {
    directions: [Vector<f64, D>; D],
    count: usize,
}

impl<const D: usize> Held<D> {
    fn nowhere() -> Self {
        Self {
            directions: [Vector::zero(); D],
            count: 0,
        }
    }
    fn add(&mut self, grip: Grip<D>) {
        match grip {
            Grip::Whole => self.count = D,
            Grip::Along(direction) if self.count < D => {
                let other = self.free(direction);
                let length = other.norm();
                if length > SAME {
                    self.directions[self.count] = other * (1.0 / length);
                    self.count += 1;
                }
            }
            Grip::Along(_) => {}
        }
    }
    /// What a vector has in free directions.
    fn free(&self, x: Vector<f64, D>) -> Vector<f64, D> {
        if self.count == D {
            return Vector::zero();
        }
        let held = self.directions[..self.count].iter();
        held.fold(x, |x, direction| x - *direction * x.dot(*direction))
    }
}

#[derive(Clone, Copy, Debug)]
struct Piece<const D: usize> {
    /// \[kg\]
    mass: f64,
    held: Held<D>,
    /// What friction opposes to changes of its velocity besides \[kg\], if anything.
    friction: Option<Matrix<f64, D>>,
}

impl<const D: usize> Piece<D> {
    /// What an impulse changes the velocity by.
    fn answer(&self, impulse: Vector<f64, D>) -> Vector<f64, D> {
        let impulse = self.held.free(impulse);
        match self.friction {
            None => impulse * (1.0 / self.mass.max(f64::MIN_POSITIVE)),
            Some(friction) => {
                // In the directions in which it is held as if there were no friction: nothing comes from there.
                let mut resistance = Matrix::from_scalar(self.mass);
                for a in 0..D {
                    let mut axis = Vector::zero();
                    axis[a] = 1.0;
                    let column = self.held.free(friction * self.held.free(axis));
                    for b in 0..D {
                        resistance[b][a] += column[b];
                    }
                }
                resistance.inverse() * impulse
            }
        }
    }
    /// The product of a velocity that an impulse makes with that impulse.
    fn squared(&self, v: Vector<f64, D>) -> f64 {
        let friction = self.friction.map_or(0.0, |friction| v.dot(friction * v));
        self.mass * v.dot(v) + friction
    }
}

/// Which blocks hang together.
#[derive(Clone, Debug)]
pub(super) struct Pieces<const D: usize> {
    of_block: Vec<u32>,
    pieces: Vec<Piece<D>>,
    nodes_per_block: usize,
}

/// Velocities of pieces as a whole, in free directions \[m/s\].
#[derive(Clone, Debug)]
pub(super) struct Drift<const D: usize>(Vec<Vector<f64, D>>);

impl<const D: usize> Pieces<D> {
    /// Of blocks with the masses of their nodes; `grips` are all conditions that may act, by nodes.
    pub fn new<T: Scalar>(
        blocks: &Blocks<D>,
        nodes: &[Node<T>],
        grips: impl Iterator<Item = (usize, Grip<D>)>,
    ) -> Self {
        let mut forest = Forest((0..blocks.len() as u32).collect());
        for block in 0..blocks.len() {
            for offset in 0..offsets::<D>() {
                match blocks.neighbour(block, offset) {
                    ABSENT => {}
                    neighbour => forest.join(block as u32, neighbour),
                }
            }
        }
        let nodes_per_block = blocks.nodes_per_block();
        let mut numbers = vec![None; blocks.len()];
        let mut pieces: Vec<Piece<D>> = Vec::new();
        let mut of_block = Vec::with_capacity(blocks.len());
        for (block, nodes) in nodes.chunks_exact(nodes_per_block).enumerate() {
            let number = *numbers[forest.root(block as u32)].get_or_insert_with(|| {
                pieces.push(Piece {
                    mass: 0.0,
                    held: Held::nowhere(),
                    friction: None,
                });
                pieces.len() as u32 - 1
            });
            let masses = nodes.iter().map(|node| node[MASS].to_f64());
            pieces[number as usize].mass += masses.sum::<f64>();
            of_block.push(number);
        }
        for (node, grip) in grips {
            let number = of_block[node / nodes_per_block];
            pieces[number as usize].held.add(grip);
        }
        Self {
            of_block,
            pieces,
            nodes_per_block,
        }
    }
    /// Nodes of a block.
    pub fn nodes_per_block(&self) -> usize {
        self.nodes_per_block
    }

    /// Takes into account how friction on nodes opposes changes of their velocities \[kg\].
    pub fn rub(&mut self, friction: impl Iterator<Item = (usize, Matrix<f64, D>)>) {
        for piece in &mut self.pieces {
            piece.friction = None;
        }
        for (node, curvature) in friction {
            let number = self.piece_of(node);
            let sum = &mut self.pieces[number].friction;
            *sum = Some(sum.unwrap_or(Matrix::zero()) + curvature);
        }
    }

    /// Which piece a node belongs to.
    pub fn piece_of(&self, node: usize) -> usize {
        self.of_block[node / self.nodes_per_block] as usize
    }

    /// The sums of impulses on the nodes \[N s\], piece by piece.
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

    fn sums_of_blocks(&self, impulses: impl Iterator<Item = [f64; 4]>) -> Vec<Vector<f64, D>> {
        let mut sums = vec![Vector::zero(); self.pieces.len()];
        for (impulse, piece) in impulses.zip(&self.of_block) {
            let sum: &mut Vector<f64, D> = &mut sums[*piece as usize];
            for a in 0..D {
                sum[a] += impulse[a];
            }
        }
        sums
    }

    /// The velocities that impulses on the nodes \[N s\] give the pieces as a whole.
    pub fn drift<T: Scalar>(&self, impulses: &[Node<T>]) -> Drift<D> {
        self.drift_of(self.sums(impulses))
    }

    /// The same from the impulses of all blocks.
    pub fn drift_of_blocks(&self, impulses: impl Iterator<Item = [f64; 4]>) -> Drift<D> {
        self.drift_of(self.sums_of_blocks(impulses))
    }

    fn drift_of(&self, sums: Vec<Vector<f64, D>>) -> Drift<D> {
        let pieces = self.pieces.iter().zip(sums);
        Drift(pieces.map(|(piece, sum)| piece.answer(sum)).collect())
    }

    /// The product of the impulses with the velocities they give: Σ m v² where there is no friction.
    pub fn squared(&self, drift: &Drift<D>) -> f64 {
        let pieces = self.pieces.iter().zip(&drift.0);
        pieces.map(|(piece, v)| piece.squared(*v)).sum()
    }

    /// Σ m v² of the pieces without friction.
    pub fn squared_of_free(&self, drift: &Drift<D>) -> f64 {
        let pieces = self.pieces.iter().zip(&drift.0);
        let free = pieces.filter(|(piece, _)| piece.friction.is_none());
        free.map(|(piece, v)| piece.squared(*v)).sum()
    }

    /// Nothing moves.
    pub fn none(&self) -> Drift<D> {
        Drift(vec![Vector::zero(); self.pieces.len()])
    }

    /// Adds to velocities of pieces what impulses on them make of it.
    pub fn further(&self, drift: &Drift<D>, impulses: &[Vector<f64, D>]) -> Drift<D> {
        let pieces = self.pieces.iter().zip(impulses).zip(&drift.0);
        Drift(
            pieces
                .map(|((piece, impulse), v)| *v + piece.answer(*impulse))
                .collect(),
        )
    }

    /// What velocities of pieces leave of impulses on them.
    pub fn left(&self, drift: &Drift<D>, impulses: &[Vector<f64, D>]) -> Vec<Vector<f64, D>> {
        let pieces = self.pieces.iter().zip(impulses).zip(&drift.0);
        pieces
            .map(|((piece, impulse), v)| *impulse - *v * piece.mass)
            .collect()
    }

    /// By how much an energy of ½ m v² falls with velocities along which it has slopes \[J\].
    pub fn fall(&self, drift: &Drift<D>, slopes: &[Vector<f64, D>]) -> f64 {
        let pieces = self.pieces.iter().zip(slopes).zip(&drift.0);
        pieces
            .map(|((piece, slope), v)| slope.dot(*v) - 0.5 * piece.mass * v.dot(*v))
            .sum()
    }

    /// The velocity of the piece of a node.
    pub fn at(&self, node: usize, drift: &Drift<D>) -> Vector<f64, D> {
        drift.0[self.piece_of(node)]
    }

    /// Adds the velocities, times a factor, to those of the nodes.
    pub fn add<T: Scalar>(&self, factor: f64, drift: &Drift<D>, to: &mut [Node<T>]) {
        self.for_each_node(drift, to, |_, v, node| {
            for a in 0..D {
                node[a] += T::from_f64(factor * v[a]);
            }
        });
    }

    /// Takes the momenta of the velocities from impulses on nodes; `nodes` have the masses.
    pub fn take<T: Scalar>(&self, drift: &Drift<D>, nodes: &[Node<T>], from: &mut [Node<T>]) {
        self.for_each_node(drift, from, |k, v, node| {
            let mass = nodes[k][MASS];
            for a in 0..D {
                node[a] -= mass * T::from_f64(v[a]);
            }
        });
    }

    fn for_each_node<T: Scalar>(
        &self,
        drift: &Drift<D>,
        field: &mut [Node<T>],
        change: impl Fn(usize, &Vector<f64, D>, &mut Node<T>) + Sync,
    ) {
        if drift.0.iter().all(|v| *v == Vector::zero()) {
            return;
        }
        field
            .par_chunks_exact_mut(self.nodes_per_block)
            .with_min_len(CHUNK)
            .zip(&self.of_block)
            .enumerate()
            .for_each(|(block, (nodes, piece))| {
                let v = &drift.0[*piece as usize];
                let first = block * self.nodes_per_block;
                for (k, node) in nodes.iter_mut().enumerate() {
                    change(first + k, v, node);
                }
            });
    }
}

/// Trees of blocks, one for each piece: every block knows another of its piece that comes before it, the root itself.
struct Forest(Vec<u32>);

impl Forest {
    fn root(&mut self, mut block: u32) -> usize {
        while self.0[block as usize] != block {
            let parent = self.0[block as usize];
            self.0[block as usize] = self.0[parent as usize];
            block = parent;
        }
        block as usize
    }
    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Geometry, block_key};
    use crate::kernel::KernelKind;

    #[test]
    fn what_hangs_together_drifts_where_nothing_holds_it() {
        // Two blocks that touch at a corner, one alone, one on a slope of 45°, one that something holds: 1 kg each, 3 kg in the second.
        let geometry = Geometry::<2>::new(0.1, KernelKind::Quadratic, [None; 2]).unwrap();
        let places = [[0, 0], [1, 1], [5, 0], [9, 0], [0, 9]];
        let mut keys = places.map(block_key::<2>);
        keys.sort_unstable();
        let blocks = Blocks::new(&keys, &geometry);
        let n = blocks.nodes_per_block();
        let first = places.map(|place| blocks.find(place).unwrap() * n);
        let mut nodes = vec![[0.0; 4]; places.len() * n];
        let mut impulses = nodes.clone();
        for (k, at) in first.into_iter().enumerate() {
            nodes[at + 7][MASS] = if k == 1 { 3.0 } else { 1.0 };
            impulses[at + 7][0] = 1.0 + k as f64;
        }
        let slope = Grip::Along(Vector([0.5f64.sqrt(), 0.5f64.sqrt()]));
        let grips = [
            (first[3], slope),
            (first[4], Grip::Whole),
            (first[3] + 1, slope),
        ];
        let pieces = Pieces::<2>::new(&blocks, &nodes, grips.into_iter());
        assert_eq!(pieces.pieces.len(), 4);

        // 1 and 2 N s on 4 kg, 3 on 1 kg, 4 on the slope, 5 on what is held.
        let drift = pieces.drift(&impulses);
        let squared = pieces.squared(&drift);
        assert!((squared - (4.0 * 0.75 * 0.75 + 9.0 + 8.0)).abs() < 1e-12);
        let mut left = impulses.clone();
        pieces.take(&drift, &nodes, &mut left);
        let close = |found: [f64; 2], expected: [f64; 2]| {
            assert!(
                (Vector(found) - Vector(expected)).norm() < 1e-12,
                "{found:?}"
            );
        };
        let at = |field: &[Node<f64>], k: usize| {
            let node = field[first[k] + 7];
            [node[0], node[1]]
        };
        let expected = [[0.25, 0.0], [-0.25, 0.0], [0.0; 2], [2.0, 2.0], [5.0, 0.0]];
        for (k, expected) in expected.into_iter().enumerate() {
            close(at(&left, k), expected);
        }
        assert!(pieces.squared(&pieces.drift(&left)) < 1e-24);
        let mut v = vec![[1.0; 4]; nodes.len()];
        pieces.add(-2.0, &drift, &mut v);
        close(at(&v, 0), [-0.5, 1.0]);
        close(at(&v, 3), [-3.0, 5.0]);
        close(at(&v, 4), [1.0, 1.0]);
    }

    #[test]
    fn three_planes_hold_all_directions() {
        let mut held = Held::<3>::nowhere();
        let x = Vector([1.0, 2.0, 3.0]);
        held.add(Grip::Along(Vector([0.0, 1.0, 0.0])));
        assert_eq!(held.free(x), Vector([1.0, 0.0, 3.0]));
        held.add(Grip::Along(Vector([0.0, 0.6, 0.8])));
        assert!((held.free(x) - Vector([1.0, 0.0, 0.0])).norm() < 1e-12);
        held.add(Grip::Along(Vector([0.0, 0.8, -0.6])));
        assert_eq!(held.count, 2);
        held.add(Grip::Along(Vector([-1.0, 0.0, 0.0])));
        assert_eq!(held.free(x), Vector::zero());
        held.add(Grip::Along(Vector([-1.0, 0.0, 0.0])));
    }
}
