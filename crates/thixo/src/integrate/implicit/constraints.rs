//! Velocity constraints of obstacles and walls: linear equality constraints, satisfied exactly
//! throughout a solve.
//!
//! A node at the surface of an obstacle follows its image point (equation (8)); where there is no
//! room for one, it has the obstacle's velocity (glued, sticky) or its normal component (slip, and
//! separating contacts while active). At a wall on a line of nodes the matter behind is the mirror
//! image of that in front (equation (7)): v_{−k} = ±v_k. The constraints are eliminated:
//! directions are extended to the constrained nodes, v = E x, and gradients are folded back by Eᵀ,
//! so that a solve is an unconstrained minimisation. \[Gast2015\] §6.1 has sticky obstacles only,
//! by projection.
//!
//! Separating contacts are unilateral: [`active_set`](super::active_set) decides which of them act.
//! Friction follows from their normal impulses in the same iterations.

use core::ops::Range;

use thixo_math::Vector;
use thixo_par::Scalar;

use super::active_set::ContactResidual;
use super::constrained_directions::ConstraintDirections;
use super::friction_contact::FrictionContact;
use super::image_constraint::{ImageColumn, ImageConstraint};
use super::obstacle_constraint::{ObstacleConstraint, PrescribedDirections};
use super::wall_constraint::{WallConstraint, find_images};
use crate::collide::{
    Contact, ContactImpulses, Wall, boundary_nodes, in_canonical_order, wall_columns,
};
use crate::grid::{Grid, MASS, Node};
use crate::step_context::StepContext;
use crate::transfer::TransferContext;

/// The wall or obstacle that exerts an impulse on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Collider(usize),
    Wall(usize),
}

/// All constraints of a step, active and inactive.
#[derive(Clone, Debug)]
pub(super) struct Constraints<const D: usize> {
    /// Columns of nodes that follow image points.
    images: Vec<ImageColumn<D>>,
    /// Nodes constrained by themselves; all constraints of a node stand together.
    obstacles: Vec<ObstacleConstraint<D>>,
    walls: Vec<WallConstraint<D>>,
    /// Largest speed at which an obstacle approaches matter \[m/s\].
    pub closing_speed: f64,
}

impl<const D: usize> Constraints<D> {
    /// Constraints of the obstacles and walls at the end of the step. `grid` has the masses, and
    /// the velocities v* by which the first active set is chosen: contacts that matter moves into.
    pub fn new<T: Scalar>(
        walls: &[Wall<D>],
        grid: &Grid<T, D>,
        context: &TransferContext<'_, T, D>,
    ) -> Self {
        let nodes = grid.nodes.values();
        let boundary = boundary_nodes(context.colliders, grid, &context.step);
        let closing_speed = boundary.closing_speed;
        let mut images = ImageColumn::all(&boundary);
        for column in &mut images {
            let speed = -column.closing_impulse(nodes, nodes);
            column.is_active = is_initially_active(column.surface().at.contact, speed);
        }
        let obstacles: Vec<ObstacleConstraint<D>> = boundary
            .plain
            .into_iter()
            .map(|at| {
                let obstacle = ObstacleConstraint {
                    at,
                    is_active: true,
                };
                let speed = obstacle.separation_speed(nodes);
                ObstacleConstraint {
                    is_active: is_initially_active(at.contact, speed),
                    ..obstacle
                }
            })
            .collect();
        let in_obstacles: Vec<usize> = {
            let following = boundary.following.iter().map(|boundary| boundary.at.node);
            let all = obstacles.iter().map(|obstacle| obstacle.at.node);
            let mut nodes: Vec<usize> = all.chain(following).collect();
            nodes.sort_unstable();
            nodes.dedup();
            nodes
        };
        let is_free = |node: usize| in_obstacles.binary_search(&node).is_err();
        let mut constraints = Vec::new();
        for (index, wall) in in_canonical_order(walls) {
            for mut column in wall_columns(
                wall,
                &context.step.order.blocks,
                context.step.geometry.spacing(),
            ) {
                // Nodes in an obstacle have the constraint of the obstacle alone.
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
                let constraint = WallConstraint {
                    index,
                    column,
                    wall: *wall,
                    is_active: true,
                    spent_friction: 0.0,
                    image_of: None,
                };
                let speed = constraint.separation_speed(nodes);
                constraints.push(WallConstraint {
                    is_active: is_initially_active(wall.contact, speed),
                    ..constraint
                });
            }
        }
        find_images(&mut constraints);
        let mut constraints = Self {
            images,
            obstacles,
            walls: constraints,
            closing_speed,
        };
        constraints.synchronize_images();
        constraints
    }

    /// Gives columns behind another wall the state of the columns that they are images of.
    /// Otherwise the constraints of two walls would contradict each other, and their projections
    /// would not commute.
    fn synchronize_images(&mut self) {
        // A column behind two walls is the image of one behind one wall, hence D − 1 passes.
        for _ in 1..D {
            for k in 0..self.walls.len() {
                if let Some(front) = self.walls[k].image_of {
                    self.walls[k].is_active = self.walls[front].is_active;
                }
            }
        }
    }

    /// Subtracts friction impulses that walls have exerted before the solve, by node \[N s\].
    pub fn subtract_friction(&mut self, spent: &[f64]) {
        for wall in &mut self.walls {
            wall.spent_friction = spent.get(wall.column.wall).copied().unwrap_or_default();
        }
    }

    /// Changes velocities so that they satisfy the constraints.
    pub fn apply<T: Scalar>(&self, v: &mut [Node<T>]) {
        for around in self.active_obstacles() {
            around.apply(v);
        }
        for wall in self.walls.iter().filter(|wall| wall.is_active) {
            wall.project(wall.wall.velocity, v);
        }
        for column in self.active_images() {
            for node in &column.constraints {
                node.apply(v);
            }
        }
    }

    /// Extends a field of directions to the admissible one that agrees with it on unconstrained
    /// nodes: E.
    pub fn extend<T: Scalar>(&self, field: &mut [Node<T>]) {
        for around in self.active_obstacles() {
            around.project(field);
        }
        for wall in self.walls.iter().filter(|wall| wall.is_active) {
            wall.project([0.0; D], field);
        }
        for column in self.active_images() {
            for node in &column.constraints {
                node.extend(field);
            }
        }
    }

    /// Folds a gradient onto the unconstrained nodes: Eᵀ.
    pub fn fold<T: Scalar>(&self, field: &mut [Node<T>]) {
        for column in self.active_images() {
            for node in &column.constraints {
                node.fold(field);
            }
        }
        for around in self.active_obstacles() {
            around.project(field);
        }
        for wall in self.walls.iter().filter(|wall| wall.is_active) {
            wall.project([0.0; D], field);
        }
    }

    fn active_images(&self) -> impl Iterator<Item = &ImageColumn<D>> {
        self.images.iter().filter(|column| column.is_active)
    }

    /// Directions that active constraints prescribe at the nodes constrained by themselves.
    fn active_obstacles(&self) -> impl Iterator<Item = PrescribedDirections<D>> {
        let nodes = self.obstacles.chunk_by(|a, b| a.at.node == b.at.node);
        nodes.map(PrescribedDirections::of)
    }

    /// Folds some columns of a diagonal matrix: adds those of nodes that follow image points,
    /// lumped, and averages over nodes and their images behind active walls.
    pub fn fold_diagonal<T: Scalar>(&self, diagonal: &mut [Node<T>], columns: Range<usize>) {
        for column in self.active_images() {
            for node in &column.constraints {
                node.fold_diagonal(diagonal, columns.clone());
            }
        }
        self.average_over_images(diagonal, columns);
    }

    /// Averages some columns of a diagonal matrix, or the masses, over nodes and their images
    /// behind active walls, where the matrix is unchanged on admissible fields, and then commutes
    /// with the projection; otherwise an image of next to no mass would get a huge velocity from
    /// the impulse that it shares.
    pub fn average_over_images<T: Scalar>(&self, diagonal: &mut [Node<T>], columns: Range<usize>) {
        let half = T::from_f64(0.5);
        for wall in self.walls.iter().filter(|wall| wall.is_active) {
            for &(front, ghost) in &wall.column.pairs {
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

    /// Updates the active set from velocities and contact impulses: active contacts with a tensile
    /// impulse become inactive, inactive ones that matter penetrates become active. `masses` are
    /// nodes with their masses. The residual has the tensile impulses, and those that would stop
    /// the penetrating matter, relative to the compressive ones.
    pub fn update_active_set<T: Scalar>(
        &mut self,
        v: &[Node<T>],
        impulse: &[Node<T>],
        masses: &[Node<T>],
    ) -> ContactResidual {
        let mut residual = ContactResidual::default();
        for column in &mut self.images {
            let at = column.surface().at;
            if !at.contact.is_unilateral() {
                continue;
            }
            let normal_impulse = match column.is_active {
                true => column.normal_impulse(impulse),
                false => column.closing_impulse(v, masses),
            };
            let is_active = &mut column.is_active;
            update_contact(is_active, normal_impulse, at.node, &mut residual);
        }
        for obstacle in &mut self.obstacles {
            if !obstacle.at.contact.is_unilateral() {
                continue;
            }
            let node = obstacle.at.node;
            let normal_impulse = match obstacle.is_active {
                true => obstacle.normal_impulse(impulse),
                false => -obstacle.separation_speed(v) * masses[node][MASS].to_f64(),
            };
            update_contact(&mut obstacle.is_active, normal_impulse, node, &mut residual);
        }
        for wall in &mut self.walls {
            if !wall.wall.contact.is_unilateral() || wall.image_of.is_some() {
                continue;
            }
            let node = wall.column.wall;
            let normal_impulse = match wall.is_active {
                true => wall.normal_impulse(impulse),
                false => -wall.separation_speed(v) * masses[node][MASS].to_f64(),
            };
            update_contact(&mut wall.is_active, normal_impulse, node, &mut residual);
        }
        self.synchronize_images();
        residual
    }

    /// All contacts with friction, with the cone limits μp of their normal impulses p \[N s\]. At a
    /// wall that is the node on it, for its whole column.
    pub fn friction_contacts<T: Scalar>(
        &self,
        impulse: &[Node<T>],
    ) -> impl Iterator<Item = FrictionContact<D>> {
        let obstacles = self.obstacles.iter().filter_map(|obstacle| {
            let friction = coefficient(obstacle.at.contact)?;
            let normal_impulse = match obstacle.is_active {
                true => obstacle.normal_impulse(impulse).max(0.0),
                false => 0.0,
            };
            Some(FrictionContact {
                node: obstacle.at.node,
                normal: obstacle.at.normal,
                solid: obstacle.at.solid,
                cone_limit: friction * normal_impulse,
            })
        });
        let walls = self.walls.iter().filter_map(|wall| {
            let friction = coefficient(wall.wall.contact)?;
            let normal_impulse = match wall.is_active {
                true => wall.normal_impulse(impulse).max(0.0),
                false => 0.0,
            };
            Some(FrictionContact {
                node: wall.column.wall,
                normal: wall.normal(),
                solid: Vector(wall.wall.velocity),
                cone_limit: friction * normal_impulse,
            })
        });
        let images = self.images.iter();
        let images = images.filter_map(|column| column.friction_contact(impulse));
        images.chain(obstacles).chain(walls)
    }

    /// Columns of nodes that follow image points.
    pub fn image_columns(&self) -> &[ImageColumn<D>] {
        &self.images
    }

    /// Applies friction at once to velocities that satisfy all constraints, as explicit steps do
    /// (7c)(8a), but for nodes that follow image points: obstacles slow the nodes in them, walls
    /// interpolate from the even mirror image, which slides, towards the odd one, which sticks.
    /// `unconstrained` is the velocity of a node before the constraints, by the masses averaged
    /// over images.
    pub fn apply_friction<T: Scalar>(
        &self,
        v: &mut [Node<T>],
        unconstrained: impl Fn(usize) -> Node<T>,
        impulse: &[Node<T>],
        masses: &[Node<T>],
    ) {
        for obstacle in self.obstacles.iter().filter(|obstacle| obstacle.is_active) {
            let Contact::Separating { friction } = obstacle.at.contact else {
                continue;
            };
            let normal_impulse = obstacle.normal_impulse(impulse).max(0.0);
            obstacle.apply_friction(v, friction * normal_impulse, masses);
        }
        for wall in self.walls.iter().filter(|wall| wall.is_active) {
            let Contact::Separating { friction } = wall.wall.contact else {
                continue;
            };
            let normal_impulse = wall.normal_impulse(impulse).max(0.0);
            let cone_limit = (friction * normal_impulse - wall.spent_friction).max(0.0);
            wall.apply_friction(v, &unconstrained, cone_limit, masses);
        }
    }

    /// Directions that every constraint prescribes when active, by node.
    pub fn directions(&self) -> impl Iterator<Item = (usize, ConstraintDirections<D>)> {
        let directions = |contact, normal| match contact {
            Contact::Sticky | Contact::Glued => ConstraintDirections::All,
            Contact::Slip | Contact::Separating { .. } => ConstraintDirections::Normal(normal),
        };
        let images = self.images.iter().flat_map(|column| &column.constraints);
        let images = images.map(move |node| {
            let at = &node.boundary.at;
            (at.node, directions(at.contact, at.normal))
        });
        let obstacles = self.obstacles.iter().map(move |obstacle| {
            let at = &obstacle.at;
            (at.node, directions(at.contact, at.normal))
        });
        let walls = self.walls.iter().map(move |wall| {
            let directions = directions(wall.wall.contact, wall.normal());
            (wall.column.wall, directions)
        });
        images.chain(obstacles).chain(walls)
    }

    /// Adds the impulses of walls and obstacles on the matter, from those on single nodes \[N s\].
    /// A node that several of them constrain counts once: for walls each component for the wall
    /// normal to it, else for the first, obstacles before walls.
    pub fn add_impulses<T: Scalar>(
        &self,
        exerted: &[Node<T>],
        impulses: &mut ContactImpulses<D>,
        step: &StepContext<'_, D>,
    ) {
        let mut owners: Vec<(usize, Owner)> = Vec::new();
        for node in self.images.iter().flat_map(|column| &column.constraints) {
            let owner = Owner::Collider(node.boundary.at.collider);
            let around = node.boundary.image.stencil().map(|(node, _)| node);
            owners.extend(around.chain([node.node()]).map(|node| (node, owner)));
        }
        for obstacle in &self.obstacles {
            owners.push((obstacle.at.node, Owner::Collider(obstacle.at.collider)));
        }
        for wall in &self.walls {
            let owner = Owner::Wall(wall.index);
            owners.extend(wall.nodes().map(|node| (node, owner)));
        }
        // Stable: the first stays the first, in whatever order walls and obstacles are listed.
        owners.sort_by_key(|(node, _)| *node);
        for around in owners.chunk_by(|a, b| a.0 == b.0) {
            let (node, first) = around[0];
            let position = step.node_position(node);
            let exerted: Vector<f64, D> = to_vector(&exerted[node]);
            for a in 0..D {
                let is_normal = |(_, owner): &&(usize, Owner)| match owner {
                    Owner::Wall(index) => self.axis_of_wall(*index) == Some(a),
                    Owner::Collider(_) => false,
                };
                let mut component = Vector::zero();
                component[a] = exerted[a];
                let owner = match first {
                    Owner::Collider(_) => first,
                    Owner::Wall(_) => around.iter().find(is_normal).map_or(first, |found| found.1),
                };
                match owner {
                    Owner::Collider(index) => impulses.colliders[index].add(position, component),
                    Owner::Wall(index) => impulses.walls[index].add(position, component),
                }
            }
        }
    }

    fn axis_of_wall(&self, index: usize) -> Option<usize> {
        let wall = self.walls.iter().find(|wall| wall.index == index)?;
        Some(wall.wall.axis)
    }

    /// All nodes with a constraint, active or inactive.
    pub fn nodes(&self) -> impl Iterator<Item = usize> {
        let images = self.images.iter().flat_map(|column| &column.constraints);
        let obstacles = self.obstacles.iter().map(|obstacle| obstacle.at.node);
        let walls = self.walls.iter().flat_map(WallConstraint::nodes);
        images
            .map(ImageConstraint::node)
            .chain(obstacles)
            .chain(walls)
    }

    /// True if there are unilateral contacts, whose active set has to be found.
    pub fn has_unilateral(&self) -> bool {
        let images = self.images.iter().map(|column| column.surface().at.contact);
        let obstacles = self.obstacles.iter().map(|obstacle| obstacle.at.contact);
        let walls = self.walls.iter().map(|wall| wall.wall.contact);
        let mut contacts = images.chain(obstacles).chain(walls);
        contacts.any(Contact::is_unilateral)
    }
}

/// Makes a contact active if its normal impulse \[N s\] is compressive, else inactive.
fn update_contact(
    is_active: &mut bool,
    normal_impulse: f64,
    node: usize,
    residual: &mut ContactResidual,
) {
    let is_compressive = normal_impulse > 0.0 || (*is_active && normal_impulse == 0.0);
    if is_compressive != *is_active {
        *is_active = is_compressive;
        residual.add(normal_impulse.abs(), node);
    } else if is_compressive {
        residual.total += normal_impulse;
    }
}

/// The coefficient of friction, where it is not zero.
fn coefficient(contact: Contact) -> Option<f64> {
    match contact {
        Contact::Separating { friction } if friction > 0.0 => Some(friction),
        _ => None,
    }
}

/// The first guess of the active set: contacts that matter approaches, by its speed of separation.
fn is_initially_active(contact: Contact, separation_speed: f64) -> bool {
    match contact {
        Contact::Glued | Contact::Slip => true,
        Contact::Sticky | Contact::Separating { .. } => separation_speed < 0.0,
    }
}

/// The share of a needed impulse that lies within the friction cone.
pub(super) fn cone_share(cone_limit: f64, needed: f64) -> f64 {
    if needed <= cone_limit {
        1.0
    } else {
        cone_limit / needed
    }
}

/// The velocity columns of a node, in double precision.
pub(super) fn to_vector<T: Scalar, const D: usize>(node: &Node<T>) -> Vector<f64, D> {
    let mut out = Vector::zero();
    for a in 0..D {
        out[a] = node[a].to_f64();
    }
    out
}

/// Sets the velocity columns of a node.
pub(super) fn set_vector<T: Scalar, const D: usize>(node: &mut Node<T>, x: Vector<f64, D>) {
    for a in 0..D {
        node[a] = T::from_f64(x[a]);
    }
}
