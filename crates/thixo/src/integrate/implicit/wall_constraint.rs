//! The constraint of a wall on a column of nodes: velocities are their own mirror image, equation
//! (7).

use thixo_math::Vector;
use thixo_par::Scalar;

use super::constraints::{cone_share, set_vector, to_vector};
use crate::collide::{GHOSTS, Side, Wall, WallColumn};
use crate::grid::{MASS, Node};

/// The constraint of a wall on a column of nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct WallConstraint<const D: usize> {
    /// Index of the wall.
    pub index: usize,
    /// The node on the wall, with pairs of nodes in front and images behind.
    pub column: WallColumn,
    /// The wall.
    pub wall: Wall<D>,
    /// True if the constraint is in the active set.
    pub is_active: bool,
    /// Friction impulse exerted before the solve \[N s\].
    pub spent_friction: f64,
    /// Index of the column in front that this one is the image of, if it stands behind another
    /// wall.
    pub image_of: Option<usize>,
}

impl<const D: usize> WallConstraint<D> {
    fn sign(&self) -> f64 {
        match self.wall.matter {
            Side::Above => 1.0,
            Side::Below => -1.0,
        }
    }
    /// Unit normal into the matter.
    pub fn normal(&self) -> Vector<f64, D> {
        let mut normal = Vector::zero();
        normal[self.wall.axis] = self.sign();
        normal
    }
    /// Normal velocity of the node on the wall, positive away from the wall \[m/s\].
    pub fn separation_speed<T: Scalar>(&self, v: &[Node<T>]) -> f64 {
        self.sign() * v[self.column.wall][self.wall.axis].to_f64()
    }
    /// The node on the wall, those in front and their images.
    pub fn nodes(&self) -> impl Iterator<Item = usize> {
        let pairs = self.column.pairs.into_iter();
        let both = pairs.flat_map(|(front, ghost)| [front, ghost].into_iter().flatten());
        core::iter::once(self.column.wall).chain(both)
    }
    /// Normal impulse of the wall on the matter \[N s\].
    pub fn normal_impulse<T: Scalar>(&self, impulse: &[Node<T>]) -> f64 {
        // The odd part of the impulses on a node and its image is internal to the pair; the wall
        // exerts the even part.
        let along = |node: usize| impulse[node][self.wall.axis].to_f64();
        let pairs = self.column.pairs.iter();
        let even = pairs.filter_map(|(front, ghost)| Some(along((*front)?) + along((*ghost)?)));
        self.sign() * (along(self.column.wall) + even.sum::<f64>())
    }
    /// Projects a field onto those that are their own mirror image, relative to a wall that moves
    /// with `velocity`: odd in the normal component (in all components of sticky walls), even in
    /// the others.
    pub fn project<T: Scalar>(&self, velocity: [f64; D], field: &mut [Node<T>]) {
        let half = T::from_f64(0.5);
        for a in 0..D {
            let u = T::from_f64(velocity[a]);
            let is_odd = a == self.wall.axis || self.wall.contact.holds_tangentially();
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
    /// Interpolates tangential velocities from the even mirror image, which slides, towards the odd
    /// one, which sticks, as far as an impulse of `cone_limit` \[N s\] goes.
    pub fn apply_friction<T: Scalar>(
        &self,
        v: &mut [Node<T>],
        unconstrained: impl Fn(usize) -> Node<T>,
        cone_limit: f64,
        masses: &[Node<T>],
    ) {
        let mass = |node: usize| masses[node][MASS].to_f64();
        // Changes of velocity that make the nodes stick.
        let mut changes = [(0, Vector::zero()); 1 + 2 * GHOSTS as usize];
        let mut count = 0;
        let mut needed = Vector::zero();
        let mut add = |node: usize, change: Vector<f64, D>| {
            needed += change * mass(node);
            changes[count] = (node, change);
            count += 1;
        };
        add(self.column.wall, -self.tangential(v, self.column.wall));
        for &(front, ghost) in &self.column.pairs {
            let (Some(front), Some(ghost)) = (front, ghost) else {
                continue;
            };
            let both = mass(front) + mass(ghost);
            if both <= 0.0 {
                continue;
            }
            let (f, g) = (
                to_vector(&unconstrained(front)),
                to_vector(&unconstrained(ghost)),
            );
            let wall = Vector(self.wall.velocity) * ((mass(front) - mass(ghost)) / both);
            let mut odd: Vector<f64, D> = (f - g) * 0.5 - wall;
            odd[self.wall.axis] = 0.0;
            add(front, odd - self.tangential(v, front));
            add(ghost, -odd - self.tangential(v, ghost));
        }
        let share = cone_share(cone_limit, needed.norm());
        for &(node, change) in &changes[..count] {
            let slowed = to_vector(&v[node]) + change * share;
            set_vector(&mut v[node], slowed);
        }
    }
    /// Tangential velocity of a node relative to the wall \[m/s\].
    fn tangential<T: Scalar>(&self, v: &[Node<T>], node: usize) -> Vector<f64, D> {
        let mut relative = to_vector(&v[node]) - Vector(self.wall.velocity);
        relative[self.wall.axis] = 0.0;
        relative
    }
}

/// Finds for columns of a wall that stand behind another wall the columns that they are images of.
/// In the corner of three walls that is a column behind fewer of them.
pub(super) fn find_images<const D: usize>(walls: &mut [WallConstraint<D>]) {
    let mut fronts: Vec<(usize, usize)> = walls
        .iter()
        .flat_map(|wall| wall.column.pairs)
        .filter_map(|(front, ghost)| Some((ghost?, front?)))
        .collect();
    fronts.sort_unstable();
    let mut columns: Vec<(usize, usize, usize)> = walls
        .iter()
        .enumerate()
        .map(|(k, wall)| (wall.column.wall, wall.wall.axis, k))
        .collect();
    columns.sort_unstable();
    for k in 0..walls.len() {
        let (node, axis) = (walls[k].column.wall, walls[k].wall.axis);
        let first = fronts.partition_point(|(ghost, _)| *ghost < node);
        let images = fronts[first..]
            .iter()
            .take_while(|(ghost, _)| *ghost == node);
        walls[k].image_of = images
            .filter_map(|(_, front)| {
                let place = columns.partition_point(|column| *column < (*front, axis, 0));
                let (at, along, column) = *columns.get(place)?;
                (at == *front && along == axis).then_some(column)
            })
            .next();
    }
}
