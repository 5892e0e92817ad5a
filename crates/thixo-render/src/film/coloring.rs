//! What particles are coloured by.

use std::path::Path;

use thixo_scene::FrameFile;

use super::columns::{needed, own_colors, values};
use super::wardrobe::Wardrobe;
use crate::color_bar::ColorBar;
use crate::color_map::numbered;
use crate::error::RenderError;
use crate::vector::Vec3;

/// What particles are coloured by.
#[derive(Clone, Debug, PartialEq)]
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
    /// Colours of the particles of a frame in place of those of their looks; empty if they have none.
    pub(super) fn colors(
        &self,
        wardrobe: &Wardrobe,
        frame: &FrameFile,
        path: &Path,
    ) -> Result<Vec<Vec3>, RenderError> {
        let by_number = |column: &str| {
            let values = needed(frame, path, column)?;
            Ok(values.iter().map(|k| numbered(*k as i64)).collect())
        };
        match self {
            Self::Object => by_number("object"),
            Self::Material => by_number("material"),
            Self::Own => own_colors(frame, path),
            Self::Column(name, bar) => {
                let values = values(frame, path, name)?;
                Ok(values.iter().map(|value| bar.color(*value)).collect())
            }
            Self::Look => Ok(Vec::new()),
            Self::OwnOrLook => wardrobe.own_colors(frame, path),
        }
    }
}
