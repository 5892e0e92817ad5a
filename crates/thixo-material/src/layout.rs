//! Offsets of the columns of particles that engine and laws share.

/// Offsets of the columns in the tables of a species.
#[derive(Clone, Copy, Debug)]
pub struct Layout<const D: usize>;

impl<const D: usize> Layout<D> {
    /// Hot: position x \[m\], `D` columns.
    pub const X: usize = 0;
    /// Hot: mass m \[kg\].
    pub const MASS: usize = D;
    /// Hot: rest volume V⁰ \[m³\].
    pub const V0: usize = D + 1;
    /// Hot: first column of the state of the constitutive law.
    pub const STATE: usize = D + 2;
    /// Cold: velocity v \[m/s\], `D` columns.
    pub const V: usize = 0;
    /// Cold: affine column, row by row; the transfer says what it holds.
    pub const AFFINE: usize = D;
    /// Cold: Kirchhoff stress τ \[Pa\], upper triangle row by row.
    pub const STRESS: usize = D + D * D;
    /// Independent entries of a symmetric matrix.
    pub const SYMMETRIC: usize = D * (D + 1) / 2;
    /// Number of columns of the cold table.
    pub const COLD: usize = Self::STRESS + Self::SYMMETRIC;
}
