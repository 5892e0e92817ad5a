//! Offsets of the columns of particles that engine and laws share.

/// Where the columns of a species' tables begin.
#[derive(Clone, Copy, Debug)]
pub struct Layout<const D: usize>;

impl<const D: usize> Layout<D> {
    /// Hot: position x.
    pub const X: usize = 0;
    /// Hot: mass m.
    pub const MASS: usize = D;
    /// Hot: rest volume V⁰.
    pub const V0: usize = D + 1;
    /// Hot: state of the material model.
    pub const STATE: usize = D + 2;
    /// Cold: velocity v.
    pub const V: usize = 0;
    /// Cold: affine velocity, row by row.
    pub const AFFINE: usize = D;
    /// Cold: Kirchhoff stress, upper triangle row by row.
    pub const STRESS: usize = D + D * D;
    /// Entries of a symmetric matrix.
    pub const SYMMETRIC: usize = D * (D + 1) / 2;
    /// Columns of the cold table.
    pub const COLD: usize = Self::STRESS + Self::SYMMETRIC;
}
