//! Directions in which contacts constrain a body.

use thixo_math::Vector;

/// Directions this close to the span of others, as the sine of the angle, are linearly dependent.
const DEPENDENT: f64 = 1e-6;

/// Directions of the velocity that one constraint prescribes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ConstraintDirections<const D: usize> {
    /// All of them.
    All,
    /// The direction of a unit normal.
    Normal(Vector<f64, D>),
}

/// The span of the directions that constraints prescribe, as an orthonormal basis.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConstrainedDirections<const D: usize> {
    basis: [Vector<f64, D>; D],
    rank: usize,
}

impl<const D: usize> ConstrainedDirections<D> {
    /// The empty span: nothing is constrained.
    pub fn none() -> Self {
        Self {
            basis: [Vector::zero(); D],
            rank: 0,
        }
    }

    /// Adds the directions of a constraint, by Gram-Schmidt orthogonalisation.
    pub fn add(&mut self, directions: ConstraintDirections<D>) {
        match directions {
            ConstraintDirections::All => self.rank = D,
            ConstraintDirections::Normal(normal) if self.rank < D => {
                let other = self.project_free(normal);
                let length = other.norm();
                if length > DEPENDENT {
                    self.basis[self.rank] = other * (1.0 / length);
                    self.rank += 1;
                }
            }
            ConstraintDirections::Normal(_) => {}
        }
    }

    /// The component of a vector that is orthogonal to all constrained directions.
    pub fn project_free(&self, x: Vector<f64, D>) -> Vector<f64, D> {
        if self.rank == D {
            return Vector::zero();
        }
        let basis = self.basis[..self.rank].iter();
        basis.fold(x, |x, direction| x - *direction * x.dot(*direction))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_independent_normals_constrain_all_directions() {
        let normal = |n| ConstraintDirections::Normal(Vector(n));
        let mut constrained = ConstrainedDirections::<3>::none();
        let x = Vector([1.0, 2.0, 3.0]);
        constrained.add(normal([0.0, 1.0, 0.0]));
        assert_eq!(constrained.project_free(x), Vector([1.0, 0.0, 3.0]));
        constrained.add(normal([0.0, 0.6, 0.8]));
        assert!((constrained.project_free(x) - Vector([1.0, 0.0, 0.0])).norm() < 1e-12);
        constrained.add(normal([0.0, 0.8, -0.6]));
        assert_eq!(constrained.rank, 2);
        constrained.add(normal([-1.0, 0.0, 0.0]));
        assert_eq!(constrained.project_free(x), Vector::zero());
        constrained.add(normal([-1.0, 0.0, 0.0]));
    }
}
