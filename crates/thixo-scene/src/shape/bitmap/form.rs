//! The form in which an image fills space.

use thixo_math::Vector;

/// The place of a flat image in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form<const D: usize> {
    /// In the plane; only in 2D.
    Plain { center: [f64; D] },
    /// Along z; only in 3D.
    Extruded { center: [f64; D], depth: f64 },
    /// About a vertical line; only in 3D.
    Revolved { center: [f64; D] },
}

impl<const D: usize> Form<D> {
    fn center(&self) -> [f64; D] {
        match *self {
            Self::Plain { center } | Self::Extruded { center, .. } | Self::Revolved { center } => {
                center
            }
        }
    }

    /// A place from the middle of the image, in three dimensions.
    pub fn relative(&self, position: [f64; D]) -> [f64; 3] {
        let from_center = Vector(position) - Vector(self.center());
        std::array::from_fn(|a| if a < D { from_center[a] } else { 0.0 })
    }

    /// The place of the image that a place in space has its matter from, from the middle of the
    /// image \[m\].
    pub fn flat(&self, position: [f64; D]) -> Vector<f64, 2> {
        let [x, y, z] = self.relative(position);
        match self {
            Self::Plain { .. } | Self::Extruded { .. } => Vector([x, y]),
            Self::Revolved { .. } => Vector([x.hypot(z), y]),
        }
    }

    /// A box given by its extent from the middle of the image.
    pub fn corner(&self, relative: [f64; 3]) -> [f64; D] {
        let center = self.center();
        std::array::from_fn(|a| center[a] + relative[a])
    }
}
