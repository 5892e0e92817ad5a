//! What obstacles and walls demand of the velocities of nodes: linear conditions, kept exactly during a solve.
//!
//! A node in an obstacle keeps the obstacle's velocity (sticky), or its normal part (slip, and separating while it presses). At a wall on a line of nodes the matter
//! behind is the mirror image of that in front (equation (7)): the condition is v_{−k} = ±v_k. All conditions are satisfied by an orthogonal projection, so that
//! minimising over what is left is minimising with projected gradients. \[Gast2015\] §6.1 has sticky obstacles only.
//!
//! Which separating contacts press is found in rounds: those that would pull are let go, those that are run into are added, and the system is solved again.
//! Friction is an impulse along the surface, as large as that of the contact allows; it is found in the same rounds, and what the last of them would still
//! change acts after the solve.

use core::ops::Range;

use thixo_math::Vector;
use thixo_par::Scalar;

use super::pieces::Grip;
use crate::collide::{Column, Contact, GHOSTS, Side, Touched, Wall, columns, touched};
use crate::grid::{Grid, MASS, Node};
use crate::integrate::stage::Stage;

/// An obstacle's hold on a node.
#[derive(Clone, Copy, Debug)]
struct Hold<const D: usize> {
    at: Touched<D>,
    is_active: bool,
}

/// A wall's hold on a column of nodes.
#[derive(Clone, Copy, Debug)]
struct Mirror<const D: usize> {
    column: Column,
    wall: Wall<D>,
    is_active: bool,
    /// What friction has taken before the solve \[N s\].
    spent: f64,
}

/// All conditions of a step.
#[derive(Clone, Debug)]
pub(super) struct Constraints<const D: usize> {
    holds: Vec<Hold<D>>,
    mirrors: Vec<Mirror<D>>,
    /// Largest speed at which an obstacle comes towards matter \[m/s\].
    pub approach: f64,
}

impl<const D: usize> Constraints<D> {
    /// Of the obstacles and walls at the end of the step; `grid` holds the masses, and velocities that tell which separating contacts press at first.
    pub fn new<T: Scalar>(walls: &[Wall<D>], grid: &Grid<T, D>, stage: &Stage<'_, T, D>) -> Self {
        let nodes = grid.nodes.values();
        let (holds, approach) = touched(stage.colliders, grid, stage);
        let holds: Vec<Hold<D>> = holds
            .into_iter()
            .map(|at| Hold {
                is_active: is_held(at.contact, inward(&nodes[at.node], &at)),
                at,
            })
            .collect();
        let in_obstacles: Vec<usize> = {
            let mut nodes: Vec<usize> = holds.iter().map(|hold| hold.at.node).collect();
            nodes.sort_unstable();
            nodes.dedup();
            nodes
        };
        let is_free = |node: usize| in_obstacles.binary_search(&node).is_err();
        let mut mirrors = Vec::new();
        for wall in walls {
            for mut column in columns(wall, &stage.order.blocks, stage.geometry.spacing()) {
                // What is in an obstacle follows that.
                for pair in &mut column.pairs {
                    let has_matter = |node: usize| nodes[node][MASS] > T::zero();
                    *pair = match *pair {
                        (Some(front), Some(ghost))
                            if has_matter(ghost) && is_free(front) && is_free(ghost) =>
                        {
                            (Some(front), Some(ghost))
                        }
                        _ => (None, None),
                    };
                }
                if !is_free(column.wall) {
                    continue;
                }
                let mirror = Mirror {
                    column,
                    wall: *wall,
                    is_active: true,
                    spent: 0.0,
                };
                let is_active = is_held(wall.contact, mirror.inward(nodes));
                mirrors.push(Mirror {
                    is_active,
                    ..mirror
                });
            }
        }
        Self {
            holds,
            mirrors,
            approach,
        }
    }

    /// Takes from the friction of walls what it has done before the solve, by node \[N s\].
    pub fn spend(&mut self, spent: &[f64]) {
        for mirror in &mut self.mirrors {
            mirror.spent = spent.get(mirror.column.wall).copied().unwrap_or_default();
        }
    }

    /// Brings velocities to what the conditions demand.
    pub fn apply<T: Scalar>(&self, v: &mut [Node<T>]) {
        for hold in self.holds.iter().filter(|hold| hold.is_active) {
            let node = &mut v[hold.at.node];
            let relative = vector(node) - hold.at.solid;
            put(node, hold.at.solid + hold.at.kept(relative));
        }
        for mirror in self.mirrors.iter().filter(|mirror| mirror.is_active) {
            mirror.project(mirror.wall.velocity, v);
        }
    }

    /// Takes from a field what the conditions leave no room for.
    pub fn project<T: Scalar>(&self, field: &mut [Node<T>]) {
        for hold in self.holds.iter().filter(|hold| hold.is_active) {
            let node = &mut field[hold.at.node];
            put(node, hold.at.kept(vector(node)));
        }
        for mirror in self.mirrors.iter().filter(|mirror| mirror.is_active) {
            mirror.project([0.0; D], field);
        }
    }

    /// Gives nodes and their images behind walls the mean of what both have in some columns: in those of a diagonal matrix, or of the masses. For fields that the walls
    /// allow the matrix stays the same so, and then it commutes with the projection: an image of next to no mass would otherwise be thrown about by the impulse that it
    /// shares.
    pub fn share<T: Scalar>(&self, diagonal: &mut [Node<T>], columns: Range<usize>) {
        let half = T::from_f64(0.5);
        for mirror in self.mirrors.iter().filter(|mirror| mirror.is_active) {
            for &(front, ghost) in &mirror.column.pairs {
                let (Some(front), Some(ghost)) = (front, ghost) else {
                    continue;
                };
                for a in columns.clone() {
                    let mean = half * (diagonal[front][a] + diagonal[ghost][a]);
                    diagonal[front][a] = mean;
                    diagonal[ghost][a] = mean;
                }
            }
        }
    }

    /// Lets go of what is pulled, and holds what is run into, at velocities and impulses of the contacts; returns whether anything changed.
    pub fn revise<T: Scalar>(&mut self, v: &[Node<T>], impulse: &[Node<T>]) -> bool {
        let mut changed = false;
        for hold in &mut self.holds {
            if !matches!(hold.at.contact, Contact::Separating { .. }) {
                continue;
            }
            let presses = match hold.is_active {
                true => vector(&impulse[hold.at.node]).dot(hold.at.normal) >= 0.0,
                false => inward(&v[hold.at.node], &hold.at) < 0.0,
            };
            changed |= presses != hold.is_active;
            hold.is_active = presses;
        }
        for mirror in &mut self.mirrors {
            if !matches!(mirror.wall.contact, Contact::Separating { .. }) {
                continue;
            }
            let presses = match mirror.is_active {
                true => mirror.normal_impulse(impulse) >= 0.0,
                false => mirror.inward(v) < 0.0,
            };
            changed |= presses != mirror.is_active;
            mirror.is_active = presses;
        }
        changed
    }

    /// Coulomb friction of the separating contacts: to the impulses `push` that act already \[N s\] it adds what would stop the matter that slides, and keeps of both what the
    /// impulses of the contacts allow. `masses` has the masses of the nodes. Returns how much that changes, as a share of all friction.
    pub fn friction<T: Scalar>(
        &self,
        v: &[Node<T>],
        impulse: &[Node<T>],
        masses: &[Node<T>],
        push: &mut [Node<T>],
    ) -> f64 {
        let (mut change, mut size) = (0.0, 0.0);
        for hold in &self.holds {
            let Contact::Separating { friction } = hold.at.contact else {
                continue;
            };
            let place = hold.at.node;
            let press = match hold.is_active {
                true => vector(&impulse[place]).dot(hold.at.normal).max(0.0),
                false => 0.0,
            };
            let mass = masses[place][MASS].to_f64();
            let stop = hold.at.kept(vector(&v[place]) - hold.at.solid) * mass;
            let before = vector(&push[place]);
            let after = limited(before - stop, friction * press);
            change += (after - before).norm();
            size += after.norm();
            put(&mut push[place], after);
        }
        for mirror in &self.mirrors {
            let Contact::Separating { friction } = mirror.wall.contact else {
                continue;
            };
            let press = match mirror.is_active {
                true => mirror.normal_impulse(impulse).max(0.0),
                false => 0.0,
            };
            let wanted = |push: &[Node<T>], node: usize| {
                let mass = masses[node][MASS].to_f64();
                vector(&push[node]) - mirror.tangential(v, node) * mass
            };
            let mut total = Vector::zero();
            for node in mirror.nodes() {
                total += wanted(push, node);
            }
            let share = match total.norm() > friction * press {
                true => friction * press / total.norm(),
                false => 1.0,
            };
            for node in mirror.nodes() {
                let before = vector(&push[node]);
                let after = wanted(push, node) * share;
                change += (after - before).norm();
                size += after.norm();
                put(&mut push[node], after);
            }
        }
        change / f64::max(size, f64::MIN_POSITIVE)
    }

    /// Lets friction act at once on velocities that satisfy all conditions, as explicit steps do (7c)(8a): obstacles slow the nodes in them, walls go from the mirror image that slides
    /// towards the one that is held. `free` tells the velocity of a node before the conditions, by the masses that nodes share with their images.
    pub fn rub<T: Scalar>(
        &self,
        v: &mut [Node<T>],
        free: impl Fn(usize) -> Node<T>,
        impulse: &[Node<T>],
        masses: &[Node<T>],
    ) {
        for hold in self.holds.iter().filter(|hold| hold.is_active) {
            let Contact::Separating { friction } = hold.at.contact else {
                continue;
            };
            let place = hold.at.node;
            let press = vector(&impulse[place]).dot(hold.at.normal).max(0.0);
            let slides = hold.at.kept(vector(&v[place]) - hold.at.solid);
            let needed = slides.norm() * masses[place][MASS].to_f64();
            let share = share_held(friction * press, needed);
            let slowed = vector(&v[place]) - slides * share;
            put(&mut v[place], slowed);
        }
        for mirror in self.mirrors.iter().filter(|mirror| mirror.is_active) {
            let Contact::Separating { friction } = mirror.wall.contact else {
                continue;
            };
            let press = mirror.normal_impulse(impulse).max(0.0);
            let most = (friction * press - mirror.spent).max(0.0);
            mirror.rub(v, &free, most, masses);
        }
    }

    /// All conditions that act, or may, as far as they hold what moves as a whole.
    pub fn grips(&self) -> impl Iterator<Item = (usize, Grip<D>)> {
        let grip = |contact, normal| match contact {
            Contact::Sticky => Grip::Whole,
            Contact::Slip | Contact::Separating { .. } => Grip::Along(normal),
        };
        let holds = self.holds.iter();
        let holds = holds.map(move |hold| (hold.at.node, grip(hold.at.contact, hold.at.normal)));
        let mirrors = self.mirrors.iter().map(move |mirror| {
            let mut normal = Vector::zero();
            normal[mirror.wall.axis] = 1.0;
            (mirror.column.wall, grip(mirror.wall.contact, normal))
        });
        holds.chain(mirrors)
    }

    /// All nodes on which there is a condition, or may be one.
    pub fn nodes(&self) -> impl Iterator<Item = usize> {
        let holds = self.holds.iter().map(|hold| hold.at.node);
        holds.chain(self.mirrors.iter().flat_map(Mirror::nodes))
    }

    /// Whether there are contacts with friction.
    pub fn has_friction(&self) -> bool {
        let rubs = |contact| matches!(contact, Contact::Separating { friction } if friction > 0.0);
        self.holds.iter().any(|hold| rubs(hold.at.contact))
            || self.mirrors.iter().any(|mirror| rubs(mirror.wall.contact))
    }
}

/// Gives matter the impulses of friction that the last solve did not know.
pub(super) fn slow<T: Scalar>(
    v: &mut [Node<T>],
    push: &[Node<T>],
    known: &[Node<T>],
    masses: &[Node<T>],
) {
    for (((v, push), known), target) in v.iter_mut().zip(push).zip(known).zip(masses) {
        let mass = target[MASS];
        if mass > T::zero() {
            for a in 0..MASS {
                v[a] += (push[a] - known[a]) / mass;
            }
        }
    }
}

/// Whether a contact acts at first, for the speed at which matter leaves it.
fn is_held(contact: Contact, outward: f64) -> bool {
    match contact {
        Contact::Sticky | Contact::Slip => true,
        Contact::Separating { .. } => outward < 0.0,
    }
}

/// Speed of a node away from the obstacle \[m/s\].
fn inward<T: Scalar, const D: usize>(node: &Node<T>, at: &Touched<D>) -> f64 {
    (vector(node) - at.solid).dot(at.normal)
}

/// The share of an impulse that is no larger than a limit.
fn share_held(most: f64, needed: f64) -> f64 {
    if needed <= most { 1.0 } else { most / needed }
}

/// An impulse, at most as large as a limit.
fn limited<const D: usize>(impulse: Vector<f64, D>, most: f64) -> Vector<f64, D> {
    let size = impulse.norm();
    if size <= most {
        impulse
    } else {
        impulse * (most / size)
    }
}

impl<const D: usize> Touched<D> {
    /// What a contact that acts leaves of a vector.
    fn kept(&self, x: Vector<f64, D>) -> Vector<f64, D> {
        match self.contact {
            Contact::Sticky => Vector::zero(),
            Contact::Slip | Contact::Separating { .. } => x - self.normal * x.dot(self.normal),
        }
    }
}

impl<const D: usize> Mirror<D> {
    fn sign(&self) -> f64 {
        match self.wall.matter {
            Side::Above => 1.0,
            Side::Below => -1.0,
        }
    }
    /// Speed of the wall node away from the wall \[m/s\].
    fn inward<T: Scalar>(&self, v: &[Node<T>]) -> f64 {
        self.sign() * v[self.column.wall][self.wall.axis].to_f64()
    }
    fn nodes(&self) -> impl Iterator<Item = usize> {
        let pairs = self.column.pairs.into_iter();
        let both = pairs.flat_map(|(front, ghost)| [front, ghost].into_iter().flatten());
        core::iter::once(self.column.wall).chain(both)
    }
    /// Impulse of the wall into the matter \[N s\].
    fn normal_impulse<T: Scalar>(&self, impulse: &[Node<T>]) -> f64 {
        let axis = self.wall.axis;
        let at_wall = impulse[self.column.wall][axis].to_f64();
        // Behind the wall the image is pushed the other way: what both get is twice what is pushed back in front.
        let pairs = self.column.pairs.iter();
        let pushed = pairs.filter_map(|(_, ghost)| Some(2.0 * impulse[(*ghost)?][axis].to_f64()));
        self.sign() * (at_wall + pushed.sum::<f64>())
    }
    /// The nearest field that is the mirror image of itself, seen from the wall moving with `velocity`.
    fn project<T: Scalar>(&self, velocity: [f64; D], field: &mut [Node<T>]) {
        let half = T::from_f64(0.5);
        for a in 0..D {
            let u = T::from_f64(velocity[a]);
            let is_odd = a == self.wall.axis || self.wall.contact == Contact::Sticky;
            if is_odd {
                field[self.column.wall][a] = u;
            }
            for &(front, ghost) in &self.column.pairs {
                let (Some(front), Some(ghost)) = (front, ghost) else {
                    continue;
                };
                let (f, g) = (field[front][a] - u, field[ghost][a] - u);
                let (f, g) = match is_odd {
                    true => (half * (f - g), half * (g - f)),
                    false => (half * (f + g), half * (f + g)),
                };
                field[front][a] = f + u;
                field[ghost][a] = g + u;
            }
        }
    }
    /// Takes velocities along the wall from those of the even image, which slides, towards those of the odd one, which is held, as far as an impulse of `most` \[N s\] goes.
    fn rub<T: Scalar>(
        &self,
        v: &mut [Node<T>],
        free: impl Fn(usize) -> Node<T>,
        most: f64,
        masses: &[Node<T>],
    ) {
        let mass = |node: usize| masses[node][MASS].to_f64();
        // What would hold a node, as a change of its velocity.
        let mut changes = [(0, Vector::zero()); 1 + 2 * GHOSTS as usize];
        let mut count = 0;
        let mut needed = Vector::zero();
        let mut note = |node: usize, change: Vector<f64, D>| {
            needed += change * mass(node);
            changes[count] = (node, change);
            count += 1;
        };
        note(self.column.wall, -self.tangential(v, self.column.wall));
        for &(front, ghost) in &self.column.pairs {
            let (Some(front), Some(ghost)) = (front, ghost) else {
                continue;
            };
            let both = mass(front) + mass(ghost);
            if both <= 0.0 {
                continue;
            }
            let (f, g) = (vector(&free(front)), vector(&free(ghost)));
            let wall = Vector(self.wall.velocity) * ((mass(front) - mass(ghost)) / both);
            let mut odd: Vector<f64, D> = (f - g) * 0.5 - wall;
            odd[self.wall.axis] = 0.0;
            note(front, odd - self.tangential(v, front));
            note(ghost, -odd - self.tangential(v, ghost));
        }
        let share = share_held(most, needed.norm());
        for &(node, change) in &changes[..count] {
            let slowed = vector(&v[node]) + change * share;
            put(&mut v[node], slowed);
        }
    }
    /// Velocity of a node along the wall, seen from it \[m/s\].
    fn tangential<T: Scalar>(&self, v: &[Node<T>], node: usize) -> Vector<f64, D> {
        let mut relative = vector(&v[node]) - Vector(self.wall.velocity);
        relative[self.wall.axis] = 0.0;
        relative
    }
}

fn vector<T: Scalar, const D: usize>(node: &Node<T>) -> Vector<f64, D> {
    let mut out = Vector::zero();
    for a in 0..D {
        out[a] = node[a].to_f64();
    }
    out
}

fn put<T: Scalar, const D: usize>(node: &mut Node<T>, x: Vector<f64, D>) {
    for a in 0..D {
        node[a] = T::from_f64(x[a]);
    }
}
