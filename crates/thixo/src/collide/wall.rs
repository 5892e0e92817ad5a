//! Walls on a line of nodes, by reflection: equation (7), errata E45.
//!
//! Setting wall nodes to rest would put the wall 0.1 to 0.4 h behind the node. Instead the matter
//! is continued behind the wall by its mirror image: the contributions of particles to the ghost
//! nodes behind the wall are folded onto their images, with the sign s = −1 for velocity components
//! that vanish at the wall and +1 for free ones, and ghosts get the mirrored velocity back.
//!
//! A wall that matter may leave decides for each column of nodes normal to it: the fold is made
//! only where the wall pushes, and Coulomb friction blends the free (slip) and the stuck (glued)
//! fold so that the tangential impulse is at most μ times the normal one; sticky walls have the
//! stuck one.

use core::cmp::Ordering;

use thixo_math::Vector;
use thixo_par::Scalar;

use super::{Contact, ContactImpulse};
use crate::error::BuildError;
use crate::grid::{ABSENT, Blocks, Field, Grid, MASS, Node, offset_vector, offsets};
use crate::step_context::StepContext;

/// Side of a wall on which the matter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// At larger coordinates.
    Above,
    /// At smaller coordinates.
    Below,
}

/// An unbounded flat wall normal to one axis, on a line of nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall<const D: usize> {
    /// Index of the axis normal to the wall, from 0.
    pub axis: usize,
    /// Coordinate along that axis \[m\], a multiple of the grid spacing.
    pub position: f64,
    /// Side of the matter.
    pub matter: Side,
    /// Contact condition.
    pub contact: Contact,
    /// Velocity of the wall \[m/s\]; the component along the axis must be zero.
    pub velocity: [f64; D],
}

/// Layers of ghost nodes that can hold matter: the support of the kernel, and particles that
/// overshoot by less than a cell.
pub(crate) const GHOSTS: i32 = 3;

impl<const D: usize> Wall<D> {
    /// A wall at rest, normal to an axis, at a coordinate \[m\] that is a multiple of the grid
    /// spacing.
    pub fn new(axis: usize, position: f64, matter: Side, contact: Contact) -> Self {
        Self {
            axis,
            position,
            matter,
            contact,
            velocity: [0.0; D],
        }
    }
    /// Distance of a position from the wall, on the side of the matter \[m\]; negative behind it.
    pub(super) fn height(&self, position: [f64; D]) -> f64 {
        let above = position[self.axis] - self.position;
        match self.matter {
            Side::Above => above,
            Side::Below => -above,
        }
    }
    /// Order of walls by axis, position, side, contact and velocity.
    fn compare(&self, other: &Self) -> Ordering {
        let velocities = self.velocity.iter().zip(&other.velocity);
        let velocities =
            velocities.fold(Ordering::Equal, |order, (a, b)| order.then(a.total_cmp(b)));
        self.axis
            .cmp(&other.axis)
            .then(self.position.total_cmp(&other.position))
            .then((self.matter == Side::Below).cmp(&(other.matter == Side::Below)))
            .then(self.contact.compare(other.contact))
            .then(velocities)
    }
    /// Checks the wall against a grid spacing \[m\] and returns the number of its node line.
    pub fn check(&self, spacing: f64) -> Result<i32, BuildError> {
        self.contact.check()?;
        if self.axis >= D {
            return Err(BuildError::OutOfRange {
                key: "axis",
                quantity: "axis of the wall",
                value: self.axis as f64,
                range: "below the dimension",
            });
        }
        if let Some(&value) = self.velocity.iter().find(|v| !v.is_finite()) {
            return Err(BuildError::OutOfRange {
                key: "velocity",
                quantity: "velocity of the wall [m/s]",
                value,
                range: "finite",
            });
        }
        if self.velocity[self.axis] != 0.0 {
            return Err(BuildError::OutOfRange {
                key: "velocity",
                quantity: "velocity of the wall along its normal [m/s]",
                value: self.velocity[self.axis],
                range: "zero (use a level set for walls that advance)",
            });
        }
        if self.position.is_nan() || self.position.abs() >= 1e6 * spacing {
            return Err(BuildError::OutOfRange {
                key: "position",
                quantity: "position of the wall [m]",
                value: self.position,
                range: "within a million cells of the origin",
            });
        }
        let line = self.position / spacing;
        let nearest = line.round();
        // A multiple of the spacing in decimal is rarely one in binary.
        if (line - nearest).abs() > 1e-6 {
            return Err(BuildError::WallOffNodes {
                position: self.position,
                below: line.floor() * spacing,
                above: line.ceil() * spacing,
            });
        }
        Ok(nearest as i32)
    }
}

/// The walls, each with its index, in an order of their own: by axis, position and side. Where
/// walls meet, the order in which they act changes results by rounding and friction; the order in
/// which they are listed does not.
pub(crate) fn in_canonical_order<const D: usize>(walls: &[Wall<D>]) -> Vec<(usize, &Wall<D>)> {
    let mut ordered: Vec<(usize, &Wall<D>)> = walls.iter().enumerate().collect();
    ordered.sort_by(|(_, a), (_, b)| a.compare(b));
    ordered
}

/// Folds the momentum of all nodes at all walls, and where it is stored the momentum before the
/// step. At walls that matter may leave that stays as it is, so that its change is the impulse of
/// the wall and no energy is made. Adds the impulses of the walls to `impulses`.
pub(crate) fn reflect<T: Scalar, const D: usize>(
    walls: &[Wall<D>],
    grid: &mut Grid<T, D>,
    impulses: &mut [ContactImpulse<D>],
    step: &StepContext<'_, D>,
) {
    reflect_all(walls, (grid, None), impulses, step);
}

/// The same, and folds `unforced` with it: the momentum that the nodes would have without the
/// forces of the step.
pub(crate) fn reflect_with_unforced<T: Scalar, const D: usize>(
    walls: &[Wall<D>],
    (grid, unforced): (&mut Grid<T, D>, &mut Field<T, 4>),
    impulses: &mut [ContactImpulse<D>],
    step: &StepContext<'_, D>,
) {
    reflect_all(walls, (grid, Some(unforced)), impulses, step);
}

fn reflect_all<T: Scalar, const D: usize>(
    walls: &[Wall<D>],
    (grid, mut unforced): (&mut Grid<T, D>, Option<&mut Field<T, 4>>),
    impulses: &mut [ContactImpulse<D>],
    step: &StepContext<'_, D>,
) {
    let Grid { nodes, before, .. } = grid;
    let nodes = nodes.values_mut();
    for (k, wall) in in_canonical_order(walls) {
        for column in wall_columns(wall, &step.order.blocks, step.geometry.spacing()) {
            let old = column.with_momentum(nodes);
            let stick = column.fold(wall, nodes, before.as_mut());
            if let (Some(stick), Some(unforced)) = (stick, &mut unforced) {
                column.apply(wall, stick, unforced.values_mut());
            }
            // Columns behind another wall are images of those in front, and act on no matter of
            // their own.
            let position = step.node_position(column.wall);
            let mut others = walls.iter().enumerate().filter(|(other, _)| *other != k);
            if others.all(|(_, other)| other.height(position.0) > -0.5 * step.geometry.spacing()) {
                for (node, old) in old.into_iter().flatten() {
                    let change = impulse_on(&old, &nodes[node]);
                    impulses[k].add(step.node_position(node), change);
                }
            }
        }
    }
}

/// Impulse on the matter of a node by a fold, from the momentum before and the momentum and mass
/// with its image after it \[N s\].
fn impulse_on<T: Scalar, const D: usize>(old: &Node<T>, new: &Node<T>) -> Vector<f64, D> {
    let mut impulse = Vector::zero();
    let share = old[MASS].to_f64() / new[MASS].to_f64().max(f64::MIN_POSITIVE);
    for a in 0..D {
        impulse[a] = share * new[a].to_f64() - old[a].to_f64();
    }
    impulse
}

/// Folds the momentum of all nodes at all walls; the normal impulse on separating walls is
/// increased by that of the momentum `pressing`, which the nodes do not hold yet. Adds the impulse
/// of friction on every wall node to `spent` \[N s\].
pub(crate) fn reflect_pressed<T: Scalar, const D: usize>(
    walls: &[Wall<D>],
    grid: &mut Grid<T, D>,
    (pressing, spent): (&Field<T, 4>, &mut [f64]),
    step: &StepContext<'_, D>,
) {
    let nodes = grid.nodes.values_mut();
    for (_, wall) in in_canonical_order(walls) {
        for column in wall_columns(wall, &step.order.blocks, step.geometry.spacing()) {
            let more = column.normal_impulse(wall, pressing.values());
            let normal = column.normal_impulse(wall, nodes) + more;
            let Some(stick) = column.stick_fraction(wall, normal, nodes) else {
                continue;
            };
            if matches!(wall.contact, Contact::Separating { .. }) {
                spent[column.wall] += stick * column.tangential_impulse(wall, nodes);
            }
            column.apply(wall, stick, nodes);
        }
    }
}

/// Folds only the momentum before the step, where it is stored: implicit steps treat the walls
/// themselves.
pub(crate) fn reflect_before<T: Scalar, const D: usize>(
    walls: &[Wall<D>],
    grid: &mut Grid<T, D>,
    step: &StepContext<'_, D>,
) {
    let Some(before) = grid.before.as_mut() else {
        return;
    };
    for (_, wall) in in_canonical_order(walls) {
        for column in wall_columns(wall, &step.order.blocks, step.geometry.spacing()) {
            match wall.contact {
                Contact::Glued => column.apply(wall, 1.0, before.values_mut()),
                Contact::Slip => column.apply(wall, 0.0, before.values_mut()),
                // The change of velocity has the impulse of the wall in it.
                Contact::Sticky | Contact::Separating { .. } => {}
            }
        }
    }
}

/// Continues a density behind all walls by its mirror image: nodes get what their image has lost,
/// and those on a wall, around which there is matter on one side only, twice what they have.
pub(crate) fn mirror<T: Scalar, const D: usize>(
    walls: &[Wall<D>],
    density: &mut Field<T, 1>,
    step: &StepContext<'_, D>,
) {
    let nodes = density.values_mut();
    for (_, wall) in in_canonical_order(walls) {
        for column in wall_columns(wall, &step.order.blocks, step.geometry.spacing()) {
            let own = nodes[column.wall][0];
            nodes[column.wall][0] = own + own;
            for (front, ghost) in column.pairs {
                if let (Some(front), Some(ghost)) = (front, ghost) {
                    let both = nodes[front][0] + nodes[ghost][0];
                    nodes[front][0] = both;
                    nodes[ghost][0] = both;
                }
            }
        }
    }
}

/// The columns of nodes at a wall.
pub(crate) fn wall_columns<'a, const D: usize>(
    wall: &'a Wall<D>,
    blocks: &'a Blocks<D>,
    spacing: f64,
) -> impl Iterator<Item = WallColumn> + 'a {
    let side = blocks.side();
    let stride = side.pow((D - 1 - wall.axis) as u32);
    let lines = wall.check(spacing).into_iter();
    lines.flat_map(move |line| {
        (0..blocks.len()).flat_map(move |block| {
            let layer = line - blocks.coordinate(block)[wall.axis] * side as i32;
            let is_here = (0..side as i32).contains(&layer);
            let nodes = if is_here { blocks.nodes_per_block() } else { 0 };
            (0..nodes)
                .filter(move |node| (node / stride) % side == layer as usize)
                .map(move |node| WallColumn::new(wall, blocks, block, node))
        })
    })
}

/// A node and its image with their indices, if both exist and the image holds matter.
fn with_matter<T: Scalar>(
    (front, ghost): (Option<usize>, Option<usize>),
    nodes: &[Node<T>],
) -> Option<[(usize, Node<T>); 2]> {
    let both = [front?, ghost?].map(|index| (index, nodes[index]));
    let is_empty = both[1].1[MASS] <= T::zero();
    (!is_empty).then_some(both)
}

/// Nodes on the normal through a wall node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallColumn {
    /// Index of the wall node.
    pub wall: usize,
    /// Indices of the k-th node in front of the wall and of its image behind, where they exist.
    pub pairs: [(Option<usize>, Option<usize>); GHOSTS as usize],
}

impl WallColumn {
    fn new<const D: usize>(wall: &Wall<D>, blocks: &Blocks<D>, block: usize, node: usize) -> Self {
        let n = blocks.nodes_per_block();
        let side = blocks.side() as i32;
        let stride = side.pow((D - 1 - wall.axis) as u32);
        let layer = (node as i32 / stride) % side;
        let at = |step: i32| {
            let moved = layer + step;
            let offset = moved.div_euclid(side);
            let neighbour = (0..offsets::<D>()).find(|&k| {
                let vector = offset_vector::<D>(k);
                (0..D).all(|a| vector[a] == if a == wall.axis { offset } else { 0 })
            })?;
            let neighbour = blocks.neighbour(block, neighbour);
            let inside = node as i32 + (moved.rem_euclid(side) - layer) * stride;
            (neighbour != ABSENT).then_some(neighbour as usize * n + inside as usize)
        };
        let sign = match wall.matter {
            Side::Above => 1,
            Side::Below => -1,
        };
        let mut pairs = [(None, None); GHOSTS as usize];
        for (pair, k) in pairs.iter_mut().zip(1..) {
            *pair = (at(sign * k), at(-sign * k));
        }
        Self {
            wall: block * n + node,
            pairs,
        }
    }

    /// The node on the wall and the pairs whose image holds matter, with mass and momentum.
    fn with_momentum<T: Scalar>(
        &self,
        nodes: &[Node<T>],
    ) -> [Option<(usize, Node<T>)>; 1 + 2 * GHOSTS as usize] {
        let mut out = [None; 1 + 2 * GHOSTS as usize];
        out[0] = Some((self.wall, nodes[self.wall]));
        for (k, &pair) in self.pairs.iter().enumerate() {
            if let Some([front, ghost]) = with_matter(pair, nodes) {
                (out[2 * k + 1], out[2 * k + 2]) = (Some(front), Some(ghost));
            }
        }
        out
    }

    /// Folds a column; returns the fraction of the sticky fold, none where the matter separates.
    fn fold<T: Scalar, const D: usize>(
        &self,
        wall: &Wall<D>,
        after: &mut [Node<T>],
        before: Option<&mut Field<T, 4>>,
    ) -> Option<f64> {
        let normal = self.normal_impulse(wall, after);
        let stick = self.stick_fraction(wall, normal, after)?;
        self.apply(wall, stick, after);
        if let (Some(before), false) = (before, wall.contact.is_unilateral()) {
            self.apply(wall, stick, before.values_mut());
        }
        Some(stick)
    }

    /// Fraction of the sticky fold, from 0 (sliding) to 1 (sticking), for the normal impulse
    /// `normal` of the wall \[N s\]; none where the matter separates.
    fn stick_fraction<T: Scalar, const D: usize>(
        &self,
        wall: &Wall<D>,
        normal: f64,
        nodes: &[Node<T>],
    ) -> Option<f64> {
        let friction = match wall.contact {
            Contact::Glued => return Some(1.0),
            Contact::Slip => return Some(0.0),
            Contact::Sticky => f64::INFINITY,
            Contact::Separating { friction } => friction,
        };
        if normal <= 0.0 {
            return None;
        }
        let tangential = self.tangential_impulse(wall, nodes);
        if friction * normal >= tangential {
            Some(1.0)
        } else {
            Some(friction * normal / tangential)
        }
    }

    /// Impulse of the wall into the matter that the fold needs \[N s\], equation (7c).
    fn normal_impulse<T: Scalar, const D: usize>(&self, wall: &Wall<D>, nodes: &[Node<T>]) -> f64 {
        let axis = wall.axis;
        let mut impulse = -nodes[self.wall][axis].to_f64();
        for (front, ghost) in self.matter(nodes) {
            let (m, g) = (front[MASS].to_f64(), ghost[MASS].to_f64());
            impulse -= 2.0 * (g * front[axis].to_f64() + m * ghost[axis].to_f64()) / (m + g);
        }
        match wall.matter {
            Side::Above => impulse,
            Side::Below => -impulse,
        }
    }

    /// Magnitude of the tangential impulse that would stick the matter to the wall \[N s\].
    fn tangential_impulse<T: Scalar, const D: usize>(
        &self,
        wall: &Wall<D>,
        nodes: &[Node<T>],
    ) -> f64 {
        let mut squared = 0.0;
        for a in (0..D).filter(|&a| a != wall.axis) {
            let u = wall.velocity[a];
            let relative = |node: &Node<T>| node[a].to_f64() - u * node[MASS].to_f64();
            let mut impulse = relative(&nodes[self.wall]);
            for (front, ghost) in self.matter(nodes) {
                let (m, g) = (front[MASS].to_f64(), ghost[MASS].to_f64());
                impulse += 2.0 * (g * relative(&front) + m * relative(&ghost)) / (m + g);
            }
            squared += impulse * impulse;
        }
        squared.sqrt()
    }

    /// Pairs of a node and its image whose image holds matter.
    fn matter<T: Scalar>(&self, nodes: &[Node<T>]) -> impl Iterator<Item = (Node<T>, Node<T>)> {
        self.pairs.iter().filter_map(move |&(front, ghost)| {
            let ghost = nodes[ghost?];
            let front = front.map_or([T::zero(); 4], |front| nodes[front]);
            (ghost[MASS] > T::zero()).then_some((front, ghost))
        })
    }

    /// Folds with free tangential components (`stick` = 0), vanishing ones (1), or a blend.
    fn apply<T: Scalar, const D: usize>(&self, wall: &Wall<D>, stick: f64, nodes: &mut [Node<T>]) {
        let free = T::from_f64(1.0 - stick);
        let stick = T::from_f64(stick);
        let u = wall.velocity.map(T::from_f64);
        let node = &mut nodes[self.wall];
        for a in 0..D {
            node[a] = if a == wall.axis {
                T::zero()
            } else {
                free * node[a] + stick * u[a] * node[MASS]
            };
        }
        for pair in self.pairs {
            let Some([(front, f), (ghost, g)]) = with_matter(pair, nodes) else {
                continue;
            };
            let mass = f[MASS] + g[MASS];
            for a in 0..D {
                let (p, q) = (f[a] - u[a] * f[MASS], g[a] - u[a] * g[MASS]);
                let (even, odd) = (p + q, p - q);
                if a == wall.axis {
                    nodes[front][a] = odd;
                    nodes[ghost][a] = -odd;
                } else {
                    let wall_momentum = u[a] * mass;
                    nodes[front][a] = free * even + stick * odd + wall_momentum;
                    nodes[ghost][a] = free * even - stick * odd + wall_momentum;
                }
            }
            nodes[front][MASS] = mass;
            nodes[ghost][MASS] = mass;
        }
    }
}
