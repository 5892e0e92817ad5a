//! The constraint of an obstacle on a boundary node: it follows its image point, equation (8).
//!
//! Directions are extended from the nodes around the image point to the boundary node, and
//! gradients are folded back by the transposed map: a reduction of the unknowns.

use core::ops::Range;

use thixo_math::Vector;
use thixo_par::Scalar;

use super::constraints::{set_vector, to_vector};
use super::friction_contact::FrictionContact;
use crate::collide::{BoundaryNode, BoundaryNodes, Closure, Follow};
use crate::grid::{MASS, Node};

/// The constraint of an obstacle on a boundary node that follows an image point.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImageConstraint<const D: usize> {
    /// The boundary node with its image point.
    pub boundary: BoundaryNode<D>,
    follow: Follow<D>,
}

impl<const D: usize> ImageConstraint<D> {
    /// The closed contact of a boundary node.
    pub fn new(boundary: BoundaryNode<D>) -> Option<Self> {
        let follow = Follow::of(&boundary, Closure::of(&boundary))?;
        Some(Self { boundary, follow })
    }
    /// Index of the boundary node.
    pub fn node(&self) -> usize {
        self.boundary.at.node
    }
    /// Normal impulse of the obstacle that would close the contact by itself \[N s\], from the
    /// velocities of the node and of the image point and the masses: the impulse that
    /// [`normal_impulse`](Self::normal_impulse) finds once it is closed.
    pub fn closing_impulse<T: Scalar>(&self, v: &[Node<T>], masses: &[Node<T>]) -> f64 {
        let (at, image) = (&self.boundary.at, &self.boundary.image);
        let mass = |node: usize| masses[node][MASS].to_f64();
        let follows = self.follow.map(self.at_image_point(v) - image.solid);
        let opening = (to_vector(&v[at.node]) - at.solid - follows).dot(at.normal);
        let ratio = image.ratio;
        let around = image.stencil().map(|(node, w)| w * w / mass(node));
        let inverse = 1.0 / mass(at.node) + ratio * ratio * around.sum::<f64>();
        -(1.0 - ratio) * opening / inverse
    }
    /// Normal impulse of the obstacle on the matter, by way of the node and of those around the
    /// image point \[N s\].
    pub fn normal_impulse<T: Scalar>(&self, impulse: &[Node<T>]) -> f64 {
        let at = &self.boundary.at;
        (1.0 - self.boundary.image.ratio) * to_vector(&impulse[at.node]).dot(at.normal)
    }
    /// Sets the velocity of the node to that which follows from the image point.
    pub fn apply<T: Scalar>(&self, v: &mut [Node<T>]) {
        let (at, image) = (&self.boundary.at, &self.boundary.image);
        let own = to_vector(&v[at.node]) - at.solid;
        let there = self.at_image_point(v) - image.solid;
        let follows = at.solid + self.follow.map(there) + self.follow.unconstrained(own);
        set_vector(&mut v[at.node], follows);
    }
    /// Extends a direction from the nodes around the image point to the node.
    pub fn extend<T: Scalar>(&self, field: &mut [Node<T>]) {
        let own = to_vector(&field[self.node()]);
        let there = self.at_image_point(field);
        let extended = self.follow.map(there) + self.follow.unconstrained(own);
        set_vector(&mut field[self.node()], extended);
    }
    /// Folds a gradient at the node onto the nodes around the image point.
    pub fn fold<T: Scalar>(&self, field: &mut [Node<T>]) {
        let own = to_vector(&field[self.node()]);
        let folded = self.follow.map(own);
        for (node, weight) in self.boundary.image.stencil() {
            let sum = to_vector(&field[node]) + folded * weight;
            set_vector(&mut field[node], sum);
        }
        set_vector(&mut field[self.node()], self.follow.unconstrained(own));
    }
    /// Adds the lumped diagonal of the node, folded, to the nodes around the image point.
    pub fn fold_diagonal<T: Scalar>(&self, diagonal: &mut [Node<T>], columns: Range<usize>) {
        let square = self.follow.square();
        for (node, weight) in self.boundary.image.stencil() {
            for a in columns.clone() {
                let own = diagonal[self.node()][a];
                diagonal[node][a] += T::from_f64(weight * square[a][a]) * own;
            }
        }
    }
    fn at_image_point<T: Scalar>(&self, field: &[Node<T>]) -> Vector<f64, D> {
        let stencil = self.boundary.image.stencil();
        stencil.fold(Vector::zero(), |sum, (node, weight)| {
            sum + to_vector(&field[node]) * weight
        })
    }
}

/// Boundary nodes of an obstacle with the same foot on its surface: their contact closes, opens and
/// slides together.
#[derive(Clone, Debug)]
pub(super) struct ImageColumn<const D: usize> {
    /// Constraints of the nodes, the nearest to the surface first.
    pub constraints: Vec<ImageConstraint<D>>,
    /// True if the constraints are in the active set.
    pub is_active: bool,
}

impl<const D: usize> ImageColumn<D> {
    /// Columns of boundary nodes.
    pub fn all(boundary: &BoundaryNodes<D>) -> Vec<Self> {
        let columns = boundary.columns.iter().map(|column| {
            let nodes = column.iter().map(|&i| boundary.following[i as usize]);
            let mut nodes: Vec<BoundaryNode<D>> = nodes.collect();
            nodes.sort_by(|a, b| a.distance.abs().total_cmp(&b.distance.abs()));
            Self {
                constraints: nodes.into_iter().filter_map(ImageConstraint::new).collect(),
                is_active: true,
            }
        });
        columns.collect()
    }
    /// The boundary node nearest to the surface.
    pub fn surface(&self) -> &BoundaryNode<D> {
        &self.constraints[0].boundary
    }
    /// Normal impulse of the obstacle on the column \[N s\].
    pub fn normal_impulse<T: Scalar>(&self, impulse: &[Node<T>]) -> f64 {
        let all = self.constraints.iter();
        all.map(|node| node.normal_impulse(impulse)).sum()
    }
    /// Normal impulse of the obstacle that would close the contact \[N s\]; negative where matter
    /// separates.
    pub fn closing_impulse<T: Scalar>(&self, v: &[Node<T>], masses: &[Node<T>]) -> f64 {
        let all = self.constraints.iter();
        all.map(|node| node.closing_impulse(v, masses)).sum()
    }
    /// Friction of the column, at the node nearest to the surface, with the cone limit μp of the
    /// normal impulse p \[N s\]; none without friction.
    pub fn friction_contact<T: Scalar>(&self, impulse: &[Node<T>]) -> Option<FrictionContact<D>> {
        let at = &self.surface().at;
        let friction = at.contact.friction().filter(|friction| *friction > 0.0)?;
        let normal_impulse = match self.is_active {
            true => self.normal_impulse(impulse).max(0.0),
            false => 0.0,
        };
        Some(FrictionContact {
            node: at.node,
            normal: at.normal,
            solid: at.solid,
            cone_limit: friction * normal_impulse,
        })
    }
}
