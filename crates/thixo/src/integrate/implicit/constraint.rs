//! What obstacles and walls demand of the velocities of nodes: linear conditions, kept exactly during a solve.
//!
//! A node in an obstacle keeps the obstacle's velocity (sticky), or its normal part (slip, and separating while it presses). At a wall on a line of nodes the matter
//! behind is the mirror image of that in front (equation (7)): the condition is v_{−k} = ±v_k. All conditions are satisfied by an orthogonal projection, so that
//! minimising over what is left is minimising with projected gradients. \[Gast2015\] §6.1 has sticky obstacles only.
//!
//! Which separating contacts press is found in rounds: those that would pull are let go, those that are run into are added, and the system is solved again.
//! Friction, which what presses allows, is found in the same rounds.

use core::ops::Range;

use thixo_math::Vector;
use thixo_par::Scalar;

use super::friction::Rubbed;
use super::pieces::Grip;
use super::rounds::Misfit;
use crate::collide::{
    Contact, ContactNode, GHOSTS, Side, Wall, WallColumn, contact_nodes, wall_columns,
};
use crate::grid::{Grid, MASS, Node};
use crate::transfer::TransferContext;

/// An obstacle's hold on a node.
#[derive(Clone, Copy, Debug)]
struct Hold<const D: usize> {
    at: ContactNode<D>,
    is_active: bool,
}

/// A wall's hold on a column of nodes.
#[derive(Clone, Copy, Debug)]
struct Mirror<const D: usize> {
    column: WallColumn,
    wall: Wall<D>,
    is_active: bool,
    /// What friction has taken before the solve \[N s\].
    spent: f64,
    /// Where it stands behind another wall, the one in front that it is the image of.
    image_of: Option<usize>,
}

/// All conditions of a step.
#[derive(Clone, Debug)]
pub(super) struct Constraints<const D: usize> {
    holds: Vec<Hold<D>>,
    mirrors: Vec<Mirror<D>>,
    /// Largest speed at which an obstacle comes towards matter \[m/s\].
    pub closing_speed: f64,
}

impl<const D: usize> Constraints<D> {
    /// Of the obstacles and walls at the end of the step; `grid` holds the masses, and velocities that tell which separating contacts press at first.
    pub fn new<T: Scalar>(
        walls: &[Wall<D>],
        grid: &Grid<T, D>,
        context: &TransferContext<'_, T, D>,
    ) -> Self {
        let nodes = grid.nodes.values();
        let (holds, closing_speed) = contact_nodes(context.colliders, grid, &context.step);
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
            for mut column in wall_columns(
                wall,
                &context.step.order.blocks,
                context.step.geometry.spacing(),
            ) {
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
                    image_of: None,
                };
                let is_active = is_held(wall.contact, mirror.inward(nodes));
                mirrors.push(Mirror {
                    is_active,
                    ..mirror
                });
            }
        }
        find_images(&mut mirrors);
        let mut constraints = Self {
            holds,
            mirrors,
            closing_speed,
        };
        constraints.agree();
        constraints
    }

    /// Lets columns behind a wall act as those do that they are images of. If they did not, one wall would ask for what the other forbids, and no order of projections would end.
    fn agree(&mut self) {
        // Behind two walls, by way of an image behind one.
        for _ in 1..D {
            for k in 0..self.mirrors.len() {
                if let Some(front) = self.mirrors[k].image_of {
                    self.mirrors[k].is_active = self.mirrors[front].is_active;
                }
            }
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

    /// Lets go of what is pulled, and holds what is run into, at velocities and impulses of the contacts; `masses` has the masses of the nodes. Returns what pulled, and what would
    /// stop the matter that runs into others, out of what presses.
    pub fn revise<T: Scalar>(
        &mut self,
        v: &[Node<T>],
        impulse: &[Node<T>],
        masses: &[Node<T>],
    ) -> Misfit {
        let mut misfit = Misfit::default();
        for hold in &mut self.holds {
            if !matches!(hold.at.contact, Contact::Separating { .. }) {
                continue;
            }
            let node = hold.at.node;
            let press = match hold.is_active {
                true => vector(&impulse[node]).dot(hold.at.normal),
                false => -inward(&v[node], &hold.at) * masses[node][MASS].to_f64(),
            };
            switch(&mut hold.is_active, press, node, &mut misfit);
        }
        for mirror in &mut self.mirrors {
            let may_let_go = matches!(mirror.wall.contact, Contact::Separating { .. });
            if !may_let_go || mirror.image_of.is_some() {
                continue;
            }
            let node = mirror.column.wall;
            let press = match mirror.is_active {
                true => mirror.normal_impulse(impulse),
                false => -mirror.inward(v) * masses[node][MASS].to_f64(),
            };
            switch(&mut mirror.is_active, press, node, &mut misfit);
        }
        self.agree();
        misfit
    }

    /// All nodes that friction may keep from sliding, and what it has at its disposal where contacts act with impulses \[N s\]. At a wall that is the node on it, for its whole column.
    pub fn rubbed<T: Scalar>(&self, impulse: &[Node<T>]) -> impl Iterator<Item = Rubbed<D>> {
        let holds = self.holds.iter().filter_map(|hold| {
            let friction = coefficient(hold.at.contact)?;
            let press = match hold.is_active {
                true => vector(&impulse[hold.at.node]).dot(hold.at.normal).max(0.0),
                false => 0.0,
            };
            Some(Rubbed {
                node: hold.at.node,
                normal: hold.at.normal,
                solid: hold.at.solid,
                most: friction * press,
            })
        });
        let mirrors = self.mirrors.iter().filter_map(|mirror| {
            let friction = coefficient(mirror.wall.contact)?;
            let press = match mirror.is_active {
                true => mirror.normal_impulse(impulse).max(0.0),
                false => 0.0,
            };
            Some(Rubbed {
                node: mirror.column.wall,
                normal: mirror.normal(),
                solid: Vector(mirror.wall.velocity),
                most: friction * press,
            })
        });
        holds.chain(mirrors)
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
        let mirrors = self.mirrors.iter();
        let mirrors = mirrors.map(move |mirror| {
            (
                mirror.column.wall,
                grip(mirror.wall.contact, mirror.normal()),
            )
        });
        holds.chain(mirrors)
    }

    /// All nodes on which there is a condition, or may be one.
    pub fn nodes(&self) -> impl Iterator<Item = usize> {
        let holds = self.holds.iter().map(|hold| hold.at.node);
        holds.chain(self.mirrors.iter().flat_map(Mirror::nodes))
    }

    /// Whether there are contacts that may let go.
    pub fn may_let_go(&self) -> bool {
        let may = |contact| matches!(contact, Contact::Separating { .. });
        self.holds.iter().any(|hold| may(hold.at.contact))
            || self.mirrors.iter().any(|mirror| may(mirror.wall.contact))
    }
}

/// Tells columns of a wall that stand behind another which ones they are the images of. In the corner of three walls that is one behind fewer of them.
fn find_images<const D: usize>(mirrors: &mut [Mirror<D>]) {
    let mut fronts: Vec<(usize, usize)> = mirrors
        .iter()
        .flat_map(|mirror| mirror.column.pairs)
        .filter_map(|(front, ghost)| Some((ghost?, front?)))
        .collect();
    fronts.sort_unstable();
    let mut columns: Vec<(usize, usize, usize)> = mirrors
        .iter()
        .enumerate()
        .map(|(k, mirror)| (mirror.column.wall, mirror.wall.axis, k))
        .collect();
    columns.sort_unstable();
    for k in 0..mirrors.len() {
        let (node, axis) = (mirrors[k].column.wall, mirrors[k].wall.axis);
        let first = fronts.partition_point(|(ghost, _)| *ghost < node);
        let images = fronts[first..]
            .iter()
            .take_while(|(ghost, _)| *ghost == node);
        mirrors[k].image_of = images
            .filter_map(|(_, front)| {
                let place = columns.partition_point(|column| *column < (*front, axis, 0));
                let (at, along, column) = *columns.get(place)?;
                (at == *front && along == axis).then_some(column)
            })
            .next();
    }
}

/// Lets a contact act if it presses, with an impulse \[N s\].
fn switch(is_active: &mut bool, press: f64, node: usize, misfit: &mut Misfit) {
    let presses = press > 0.0 || (*is_active && press == 0.0);
    if presses != *is_active {
        *is_active = presses;
        misfit.note(press.abs(), node);
    } else if presses {
        misfit.whole += press;
    }
}

/// The coefficient of friction, if there is any.
fn coefficient(contact: Contact) -> Option<f64> {
    match contact {
        Contact::Separating { friction } if friction > 0.0 => Some(friction),
        _ => None,
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
fn inward<T: Scalar, const D: usize>(node: &Node<T>, at: &ContactNode<D>) -> f64 {
    (vector(node) - at.solid).dot(at.normal)
}

/// The share of an impulse that is no larger than a limit.
fn share_held(most: f64, needed: f64) -> f64 {
    if needed <= most { 1.0 } else { most / needed }
}

impl<const D: usize> ContactNode<D> {
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
    /// Into the matter.
    fn normal(&self) -> Vector<f64, D> {
        let mut normal = Vector::zero();
        normal[self.wall.axis] = self.sign();
        normal
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
        // Behind the wall the image is pushed the other way than what it mirrors: both have that to themselves, and the wall gives what they have in common.
        let along = |node: usize| impulse[node][self.wall.axis].to_f64();
        let pairs = self.column.pairs.iter();
        let pushed = pairs.filter_map(|(front, ghost)| Some(along((*front)?) + along((*ghost)?)));
        self.sign() * (along(self.column.wall) + pushed.sum::<f64>())
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

pub(super) fn vector<T: Scalar, const D: usize>(node: &Node<T>) -> Vector<f64, D> {
    let mut out = Vector::zero();
    for a in 0..D {
        out[a] = node[a].to_f64();
    }
    out
}

pub(super) fn put<T: Scalar, const D: usize>(node: &mut Node<T>, x: Vector<f64, D>) {
    for a in 0..D {
        node[a] = T::from_f64(x[a]);
    }
}
