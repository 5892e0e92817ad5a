//! Colouring of particles: by look, object, material, own colour, or a number.

use super::appearances::Appearances;
use super::columns::Frame;
use crate::color_bar::ColorBar;
use crate::draw::Sheen;
use crate::error::RenderError;
use crate::vector::Vec3;

/// Colouring of particles: by look, object, material, own colour, or a number.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Coloring {
    /// The look of their material.
    Look,
    /// Their own colours where the scene gives some, and else the look of their material.
    OwnOrLook,
    /// Their object.
    Object,
    /// Their material.
    Material,
    /// Their own colour.
    Own,
    /// A number.
    Column(String, ColorBar),
}

impl Coloring {
    /// The colour bar, if colours stand for numbers.
    pub fn bar(&self) -> Option<&ColorBar> {
        match self {
            Self::Column(_, bar) => Some(bar),
            _ => None,
        }
    }

    /// Colours of the particles of a frame in place of those of their looks; empty if they have
    /// none.
    pub(super) fn colors(
        &self,
        appearances: &Appearances,
        frame: Frame<'_>,
    ) -> Result<Vec<Vec3>, RenderError> {
        match self {
            Self::Look => appearances.colors(frame, false),
            Self::OwnOrLook => appearances.colors(frame, true),
            // Their looks have the colours.
            Self::Object => frame.needed("object").map(|_| Vec::new()),
            Self::Material => frame.needed("material").map(|_| Vec::new()),
            Self::Own => frame.own_colors(),
            Self::Column(name, bar) => {
                let values = frame.values(name)?;
                Ok(values.iter().map(|value| bar.color(*value)).collect())
            }
        }
    }

    /// What particles of a frame add to their looks, where these are drawn; empty if they add
    /// nothing.
    pub(super) fn sheens(
        &self,
        appearances: &Appearances,
        frame: Frame<'_>,
    ) -> Result<Vec<Sheen>, RenderError> {
        match self {
            Self::Look | Self::OwnOrLook => appearances.sheens(frame),
            Self::Object | Self::Material | Self::Own | Self::Column(..) => Ok(Vec::new()),
        }
    }
}
