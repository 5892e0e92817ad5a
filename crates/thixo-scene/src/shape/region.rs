//! A region of space that a scene names: where it is, how large, how far its surface.

use thixo::LevelSet;

/// A signed distance with what sampling needs to know of its extent.
pub(crate) trait Region<const D: usize>: LevelSet<D> {
    /// Corners of a box around it \[m\]; none where it has no end.
    fn bounds(&self) -> Option<Bounds<D>>;
    /// Volume \[m³\], area in 2D \[m²\], where there is a closed form.
    fn volume(&self) -> Option<f64>;
}

/// A box along the axes \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds<const D: usize> {
    /// Smallest coordinates.
    pub min: [f64; D],
    /// Largest coordinates.
    pub max: [f64; D],
}
