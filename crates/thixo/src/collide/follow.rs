//! The linear map from the velocity at an image point to that of a boundary node, equation (8).

use thixo_math::{Matrix, Vector};

use super::boundary_node::BoundaryNode;

/// State of the contact at a boundary node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closure {
    /// The matter separates: the node is free.
    Open,
    /// The normal component follows the image point.
    Sliding,
    /// All components follow the image point.
    Sticking,
}

impl Closure {
    /// The closed contact of a node, without friction.
    pub fn of<const D: usize>(node: &BoundaryNode<D>) -> Self {
        match node.at.contact.holds_tangentially() {
            true => Self::Sticking,
            false => Self::Sliding,
        }
    }
}

/// v_i − u_i = A (v* − u*) + (I − Q)(v_i − u_i): A has the eigenvalue φ/d for the normal, and φ/d,
/// 1 or none for tangential directions; Q projects on the directions that follow the image point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Follow<const D: usize> {
    normal: Vector<f64, D>,
    ratio: f64,
    /// Factor of tangential components; none where they are the node's own.
    tangential: Option<f64>,
}

impl<const D: usize> Follow<D> {
    /// The map of a node; none where the contact is open.
    pub fn of(node: &BoundaryNode<D>, closure: Closure) -> Option<Self> {
        let ratio = node.image.ratio;
        let tangential = match closure {
            Closure::Open => return None,
            Closure::Sticking => Some(ratio),
            Closure::Sliding => node.is_mirrored().then_some(1.0),
        };
        Some(Self {
            normal: node.at.normal,
            ratio,
            tangential,
        })
    }
    /// A x.
    pub fn map(&self, x: Vector<f64, D>) -> Vector<f64, D> {
        let along = self.normal * x.dot(self.normal);
        match self.tangential {
            Some(factor) => along * self.ratio + (x - along) * factor,
            None => along * self.ratio,
        }
    }
    /// (I − Q) x, the components that do not follow the image point.
    pub fn unconstrained(&self, x: Vector<f64, D>) -> Vector<f64, D> {
        match self.tangential {
            Some(_) => Vector::zero(),
            None => x - self.normal * x.dot(self.normal),
        }
    }
    /// True if a component does not follow the image point.
    pub fn is_partial(&self) -> bool {
        self.tangential.is_none()
    }
    /// The largest eigenvalue of AᵀA.
    pub fn largest_square(&self) -> f64 {
        let factor = self.tangential.unwrap_or(0.0);
        (self.ratio * self.ratio).max(factor * factor)
    }
    /// AᵀA.
    pub fn square(&self) -> Matrix<f64, D> {
        let tangential = self.tangential.map_or(0.0, |factor| factor * factor);
        let along = self.ratio * self.ratio - tangential;
        let mut out = Matrix::from_scalar(tangential);
        for i in 0..D {
            for j in 0..D {
                out[i][j] += along * self.normal[i] * self.normal[j];
            }
        }
        out
    }
}
