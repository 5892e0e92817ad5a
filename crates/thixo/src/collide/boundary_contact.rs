//! Contact with obstacles in explicit steps: velocities of boundary nodes and of the matter in
//! front of them, equations (8)–(8a).
//!
//! The velocities v of the nodes after the forces become those nearest to them, by mass, among
//! the fields that contact admits. A boundary node i follows its image point,
//! v_i − u_i = A_i Σ_j W_ij (v_j − u*), with A = φ/d for components that vanish at the surface and
//! A = 1 for tangential ones of matter that slides; so its mass and momentum act on the nodes j
//! around the image point. No energy is made: velocities are projected.

use thixo_math::{Matrix, Vector};
use thixo_par::Scalar;

use super::boundary_node::{BoundaryNode, BoundaryNodes, ContactNode};
use super::contact_impulse::ContactImpulse;
use super::follow::{Closure, Follow};
use super::wall::Wall;
use crate::grid::{Grid, MASS, Node};
use crate::step_context::StepContext;

/// Most updates of the set of closed contacts in a step.
const MAX_UPDATES: usize = 4;
/// Corrections of the lumped masses; each leaves about a tenth of the error.
const CORRECTIONS: usize = 3;
/// Most sweeps over the obstacles around a node that is constrained by itself.
const MAX_SWEEPS: usize = 64;
/// Change of velocity in a sweep, relative to that of the contact, at which sweeps end.
const SETTLED: f64 = 1e-12;

/// Applies contact to the velocities of the nodes, and to those before the step where they are
/// stored; adds the impulses of the obstacles to `impulses`.
pub(crate) fn apply_contact<T: Scalar, const D: usize>(
    boundary: &BoundaryNodes<D>,
    grid: &mut Grid<T, D>,
    (walls, impulses): (&[Wall<D>], &mut [ContactImpulse<D>]),
    step: &StepContext<'_, D>,
) {
    let mut impulses = Impulses {
        walls,
        impulses,
        step,
    };
    let nodes = grid.nodes.values_mut();
    constrain_plain(&boundary.plain, nodes, &mut impulses);
    if boundary.following.is_empty() {
        return;
    }
    let contact = BoundaryContact::new(boundary, nodes);
    let solved = contact.solve();
    contact.add_impulses(&solved, &mut impulses);
    contact.write(&solved, nodes);
    if let Some(before) = &mut grid.before {
        // At unilateral contacts the change of velocity has the impulse of the obstacle in it, as
        // at walls.
        let before = before.values_mut();
        let contact = BoundaryContact::new(boundary, before);
        let closures =
            boundary
                .following
                .iter()
                .map(|node| match node.at.contact.is_unilateral() {
                    true => Closure::Open,
                    false => Closure::of(node),
                });
        let closures: Vec<Closure> = closures.collect();
        let solved = contact.velocities(&closures);
        contact.write(&solved, before);
    }
}

/// Constrains nodes by themselves. Those that several obstacles contain are swept over until all
/// contacts are satisfied, so that the order of the obstacles does not matter.
fn constrain_plain<T: Scalar, const D: usize>(
    plain: &[ContactNode<D>],
    nodes: &mut [Node<T>],
    impulses: &mut Impulses<'_, D>,
) {
    for around in plain.chunk_by(|a, b| a.node == b.node) {
        let free = FreeNode::of(around[0].node, nodes);
        let mut v = free.velocity;
        for sweep in 0..MAX_SWEEPS {
            let begun = v;
            for at in around {
                let kept = at.contact.constrain(v - at.solid, at.normal) + at.solid;
                impulses.add(at.collider, &free, [v, kept]);
                v = kept;
            }
            let is_settled = (v - begun).norm() <= SETTLED * (v - free.velocity).norm();
            if around.len() == 1 || (sweep > 0 && is_settled) {
                break;
            }
        }
        free.write(v, nodes);
    }
}

/// Impulses of the obstacles, and the walls behind which matter is image.
struct Impulses<'a, const D: usize> {
    walls: &'a [Wall<D>],
    impulses: &'a mut [ContactImpulse<D>],
    step: &'a StepContext<'a, D>,
}

impl<const D: usize> Impulses<'_, D> {
    /// Adds the impulse that changes the velocity of a node. Nodes behind walls are images of those
    /// in front, and have no matter of their own.
    fn add(&mut self, collider: usize, free: &FreeNode<D>, velocities: [Vector<f64, D>; 2]) {
        let position = self.step.node_position(free.node);
        let behind = -0.5 * self.step.geometry.spacing();
        if self
            .walls
            .iter()
            .all(|wall| wall.height(position.0) > behind)
        {
            let [before, after] = velocities;
            self.impulses[collider].add(position, (after - before) * free.mass);
        }
    }
}

/// Velocities of boundary nodes and of the nodes around their image points \[m/s\].
#[derive(Clone, Debug)]
pub(crate) struct BoundaryVelocities<const D: usize> {
    boundary: Vec<Vector<f64, D>>,
    front: Vec<Vector<f64, D>>,
}

/// Mass and velocity of a node before contact.
#[derive(Clone, Copy, Debug)]
struct FreeNode<const D: usize> {
    node: usize,
    mass: f64,
    velocity: Vector<f64, D>,
}

impl<const D: usize> FreeNode<D> {
    fn of<T: Scalar>(node: usize, nodes: &[Node<T>]) -> Self {
        let mut velocity = Vector::zero();
        for a in 0..D {
            velocity[a] = nodes[node][a].to_f64();
        }
        Self {
            node,
            mass: nodes[node][MASS].to_f64(),
            velocity,
        }
    }
    /// Writes a velocity to the node.
    fn write<T: Scalar>(&self, velocity: Vector<f64, D>, nodes: &mut [Node<T>]) {
        for a in 0..D {
            nodes[self.node][a] = T::from_f64(velocity[a]);
        }
    }
}

/// Boundary nodes, the nodes around their image points, and the groups in which contact opens.
#[derive(Debug)]
pub(crate) struct BoundaryContact<'a, const D: usize> {
    nodes: &'a [BoundaryNode<D>],
    /// The boundary nodes before contact.
    free: Vec<FreeNode<D>>,
    /// Nodes around image points before contact, in the order of their indices.
    front: Vec<FreeNode<D>>,
    /// Indices into `front` of the nodes around the image point of each boundary node.
    stencils: Vec<[u32; 8]>,
    /// Boundary nodes whose contact opens and slides together.
    columns: &'a [Vec<u32>],
}

impl<'a, const D: usize> BoundaryContact<'a, D> {
    /// Contact of boundary nodes with the masses and the velocities of a field.
    pub fn new<T: Scalar>(boundary: &'a BoundaryNodes<D>, field: &[Node<T>]) -> Self {
        let (nodes, columns) = (&boundary.following[..], &boundary.columns[..]);
        let stencils = nodes.iter().flat_map(|node| node.image.stencil());
        let mut indices: Vec<usize> = stencils.map(|(node, _)| node).collect();
        indices.sort_unstable();
        indices.dedup();
        let stencils = nodes.iter().map(|node| {
            let mut stencil = [0; 8];
            for (to, from) in stencil.iter_mut().zip(node.image.nodes) {
                // Nodes without a weight are found nowhere, and never used.
                *to = indices.partition_point(|&index| index < from as usize) as u32;
            }
            stencil
        });
        Self {
            nodes,
            free: nodes
                .iter()
                .map(|at| FreeNode::of(at.at.node, field))
                .collect(),
            stencils: stencils.collect(),
            front: indices.iter().map(|&at| FreeNode::of(at, field)).collect(),
            columns,
        }
    }

    /// Boundary nodes and nodes around image points.
    pub fn nodes(&self) -> impl Iterator<Item = usize> {
        self.free.iter().chain(&self.front).map(|free| free.node)
    }

    /// Sets the velocities before contact of boundary nodes and of those around image points.
    pub fn set_velocities(
        &mut self,
        boundary: impl Fn(usize) -> Vector<f64, D>,
        front: impl Fn(usize) -> Vector<f64, D>,
    ) {
        for free in &mut self.free {
            free.velocity = boundary(free.node);
        }
        for free in &mut self.front {
            free.velocity = front(free.node);
        }
    }

    /// Velocities after contact: which contacts are closed, then friction.
    fn solve(&self) -> BoundaryVelocities<D> {
        let mut closures: Vec<Closure> = self.nodes.iter().map(Closure::of).collect();
        let mut sliding = self.velocities(&closures);
        for _ in 0..MAX_UPDATES {
            if !self.open_tensile(&sliding, &mut closures) {
                break;
            }
            sliding = self.velocities(&closures);
        }
        self.apply_friction(sliding, &closures)
    }

    /// Opens unilateral contacts whose normal impulse is not compressive; returns whether there
    /// were any.
    fn open_tensile(&self, velocities: &BoundaryVelocities<D>, closures: &mut [Closure]) -> bool {
        let mut has_opened = false;
        for group in self.columns {
            let is_closed = |&&i: &&u32| {
                self.nodes[i as usize].at.contact.is_unilateral()
                    && closures[i as usize] != Closure::Open
            };
            let closed: Vec<u32> = group.iter().filter(is_closed).copied().collect();
            if !closed.is_empty() && self.normal_impulse(&closed, velocities) <= 0.0 {
                for i in closed {
                    closures[i as usize] = Closure::Open;
                }
                has_opened = true;
            }
        }
        has_opened
    }

    /// Friction of matter that would slide with some velocities: columns stick, but for those that
    /// Coulomb's cone does not hold. They slide under the friction that there is, and what they do
    /// not bear the others do.
    pub fn apply_friction(
        &self,
        sliding: BoundaryVelocities<D>,
        closures: &[Closure],
    ) -> BoundaryVelocities<D> {
        let friction_at = |i: usize| match closures[i] {
            Closure::Sliding => self.nodes[i].at.contact.friction().unwrap_or(0.0),
            Closure::Open | Closure::Sticking => 0.0,
        };
        let mut state = closures.to_vec();
        // Columns that may stick, and how hard they are pressed on the obstacle.
        let mut sticking: Vec<(Vec<u32>, f64)> = Vec::new();
        for group in self.columns {
            let rubbing = group.iter().filter(|&&i| friction_at(i as usize) > 0.0);
            let rubbing: Vec<u32> = rubbing.copied().collect();
            if rubbing.is_empty() {
                continue;
            }
            for &i in &rubbing {
                state[i as usize] = Closure::Sticking;
            }
            let normal = self.normal_impulse(&rubbing, &sliding);
            sticking.push((rubbing, normal));
        }
        if sticking.is_empty() {
            return sliding;
        }
        let mut friction = vec![Vector::zero(); self.nodes.len()];
        let mut velocities = self.velocities(&state);
        for _ in 0..MAX_UPDATES {
            let stuck = sticking.len();
            sticking.retain(|(column, normal)| {
                let needed: Vec<_> = column
                    .iter()
                    .map(|&i| self.tangential_impulse(i as usize, &velocities))
                    .collect();
                let sum = needed.iter().fold(Vector::zero(), |sum, part| sum + *part);
                let share = |i: u32| friction_at(i as usize) * normal / sum.norm();
                if !column.iter().any(|&i| share(i) < 1.0) {
                    return true;
                }
                for (&i, needed) in column.iter().zip(needed) {
                    state[i as usize] = Closure::Sliding;
                    friction[i as usize] = needed * share(i).min(1.0);
                }
                false
            });
            if sticking.len() == stuck {
                break;
            }
            velocities = self.velocities_with(&state, &friction);
        }
        velocities
    }

    /// The velocities nearest to those before contact, by mass, for given closures.
    pub fn velocities(&self, closures: &[Closure]) -> BoundaryVelocities<D> {
        self.velocities_with(closures, &vec![Vector::zero(); self.nodes.len()])
    }

    /// The same where friction acts on the boundary nodes with some impulses \[N s\].
    fn velocities_with(
        &self,
        closures: &[Closure],
        friction: &[Vector<f64, D>],
    ) -> BoundaryVelocities<D> {
        let free_velocity = |i: usize| {
            let FreeNode { mass, velocity, .. } = self.free[i];
            velocity + friction[i] * (1.0 / mass)
        };
        let mut inertia: Vec<Matrix<f64, D>> = self
            .front
            .iter()
            .map(|front| Matrix::from_scalar(front.mass))
            .collect();
        let mut momentum: Vec<Vector<f64, D>> = self
            .front
            .iter()
            .map(|front| front.velocity * front.mass)
            .collect();
        for (i, node) in self.nodes.iter().enumerate() {
            let Some(follow) = Follow::of(node, closures[i]) else {
                continue;
            };
            let image = &node.image;
            let relative = free_velocity(i) - node.at.solid + follow.map(image.solid);
            let mass = self.free[i].mass;
            let impulse = follow.map(relative) * mass;
            let square = follow.square() * mass;
            for (&j, weight) in self.stencils[i].iter().zip(image.weights) {
                if weight > 0.0 {
                    momentum[j as usize] += impulse * weight;
                    inertia[j as usize] += square * weight;
                }
            }
        }
        let inverse: Vec<Matrix<f64, D>> = inertia.into_iter().map(Matrix::inverse).collect();
        let solve = |right: &[Vector<f64, D>]| -> Vec<Vector<f64, D>> {
            inverse.iter().zip(right).map(|(m, p)| *m * *p).collect()
        };
        let mut front = solve(&momentum);
        // Lumping spreads momentum over the nodes around image points, a viscosity of its own that
        // grows with the number of steps: the lumped solution is corrected by the residual of the
        // consistent mass.
        for _ in 0..CORRECTIONS {
            let residual = self.residual(&front, &momentum, closures);
            for (front, change) in front.iter_mut().zip(solve(&residual)) {
                *front += change;
            }
        }
        let boundary = self.nodes.iter().enumerate().map(|(i, node)| {
            let free = free_velocity(i);
            match Follow::of(node, closures[i]) {
                Some(follow) => {
                    let stencil = self.stencils[i].iter().zip(node.image.weights);
                    let weighted = stencil.filter(|(_, weight)| *weight > 0.0);
                    let there = weighted.fold(-node.image.solid, |sum, (&j, weight)| {
                        sum + front[j as usize] * weight
                    });
                    let own = free - node.at.solid;
                    node.at.solid + follow.map(there) + follow.unconstrained(own)
                }
                None => free,
            }
        });
        let boundary = boundary.collect();
        BoundaryVelocities { boundary, front }
    }

    /// Momentum less that of velocities of the nodes around image points, with the consistent mass
    /// of the boundary nodes that follow them \[N s\].
    fn residual(
        &self,
        front: &[Vector<f64, D>],
        momentum: &[Vector<f64, D>],
        closures: &[Closure],
    ) -> Vec<Vector<f64, D>> {
        let own = self.front.iter().zip(front).zip(momentum);
        let mut residual: Vec<Vector<f64, D>> = own
            .map(|((node, velocity), momentum)| *momentum - *velocity * node.mass)
            .collect();
        for (i, node) in self.nodes.iter().enumerate() {
            let Some(follow) = Follow::of(node, closures[i]) else {
                continue;
            };
            let stencil = || {
                let all = self.stencils[i].iter().zip(node.image.weights);
                all.filter(|(_, weight)| *weight > 0.0)
            };
            let there = stencil().fold(Vector::zero(), |sum, (&j, weight)| {
                sum + front[j as usize] * weight
            });
            let folded = follow.map(follow.map(there)) * self.free[i].mass;
            for (&j, weight) in stencil() {
                residual[j as usize] -= folded * weight;
            }
        }
        residual
    }

    /// Impulse of an obstacle on the matter by way of a boundary node and its image point \[N s\].
    fn impulse(
        &self,
        i: usize,
        velocities: &BoundaryVelocities<D>,
        closure: Closure,
    ) -> Vector<f64, D> {
        let Some(follow) = Follow::of(&self.nodes[i], closure) else {
            return Vector::zero();
        };
        let change = (velocities.boundary[i] - self.free[i].velocity) * self.free[i].mass;
        change - follow.map(change)
    }
    /// Normal impulse of an obstacle on some boundary nodes \[N s\].
    fn normal_impulse(&self, group: &[u32], velocities: &BoundaryVelocities<D>) -> f64 {
        let impulses = group.iter().map(|&i| {
            let i = i as usize;
            let impulse = self.impulse(i, velocities, Closure::Sliding);
            impulse.dot(self.nodes[i].at.normal)
        });
        impulses.sum()
    }
    /// Tangential impulse of an obstacle on a boundary node that sticks \[N s\].
    fn tangential_impulse(&self, i: usize, velocities: &BoundaryVelocities<D>) -> Vector<f64, D> {
        let impulse = self.impulse(i, velocities, Closure::Sticking);
        let normal = self.nodes[i].at.normal;
        impulse - normal * impulse.dot(normal)
    }

    /// Adds the change of momentum and angular momentum of the matter to the obstacles' impulses.
    fn add_impulses(&self, velocities: &BoundaryVelocities<D>, impulses: &mut Impulses<'_, D>) {
        // A node around image points of several obstacles counts for the last of them.
        let mut colliders = vec![0; self.front.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            let image = &node.image;
            for (&j, weight) in self.stencils[i].iter().zip(image.weights) {
                if weight > 0.0 {
                    colliders[j as usize] = node.at.collider;
                }
            }
        }
        for (i, node) in self.nodes.iter().enumerate() {
            let free = &self.free[i];
            let change = [free.velocity, velocities.boundary[i]];
            impulses.add(node.at.collider, free, change);
        }
        for (j, front) in self.front.iter().enumerate() {
            impulses.add(colliders[j], front, [front.velocity, velocities.front[j]]);
        }
    }

    /// Writes the velocities to the nodes.
    pub fn write<T: Scalar>(&self, velocities: &BoundaryVelocities<D>, nodes: &mut [Node<T>]) {
        let boundary = self.free.iter().zip(&velocities.boundary);
        let front = self.front.iter().zip(&velocities.front);
        for (free, velocity) in boundary.chain(front) {
            free.write(*velocity, nodes);
        }
    }
}
