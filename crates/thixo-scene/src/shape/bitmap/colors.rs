//! Colours that matter takes from an image.

use std::sync::Arc;

use thixo::collide::shape::Placement;

use super::form::Form;
use super::picture::Picture;
use super::{BitmapShape, Revolve};
use crate::error::SceneError;
use crate::scene::Scene;
use crate::shape::Shape;

/// The colours of an image laid over the shape that it gives.
#[derive(Clone, Debug)]
pub struct Colors<const D: usize> {
    picture: Arc<Picture>,
    form: Form<D>,
    /// Width and height of the image \[m\].
    size: [f64; 2],
    /// Position of the left edge, as a share of the width from the middle of the shape.
    left: f64,
    /// Motions of the shape, the last first.
    placements: Vec<Placement<D>>,
}

impl<const D: usize> Colors<D> {
    /// Red, green, blue and opacity at a position \[m\], as the file has them; beyond the image
    /// those of its edge.
    pub fn color_at(&self, position: [f64; D]) -> [u8; 4] {
        let own = self.placements.iter().fold(position, |x, p| p.invert(x));
        let flat = self.form.flat(own);
        let right = flat[0] / self.size[0] - self.left;
        self.picture.color(right, 0.5 - flat[1] / self.size[1])
    }
}

impl Scene {
    /// The colours of an object whose shape comes from an image, by the number of the object. None
    /// for other shapes; of a combination the first image counts.
    pub fn colors<const D: usize>(&self, object: usize) -> Result<Option<Colors<D>>, SceneError> {
        let found = self.objects.get(object);
        match found.and_then(|object| object.shape.as_ref()) {
            Some(shape) => self.colors_of(&format!("objects[{object}].shape"), shape),
            None => Ok(None),
        }
    }

    fn colors_of<const D: usize>(
        &self,
        key: &str,
        shape: &Shape,
    ) -> Result<Option<Colors<D>>, SceneError> {
        let path = format!("{key}.{}", shape.name());
        match shape {
            Shape::Bitmap(bitmap) => self.bitmap_colors(&path, bitmap).map(Some),
            Shape::Moved(moved) => {
                let below = format!("{path}.shape");
                let Some(mut colors) = self.colors_of::<D>(&below, &moved.shape)? else {
                    return Ok(None);
                };
                colors.placements.insert(0, self.placement(&path, moved)?);
                Ok(Some(colors))
            }
            _ => {
                for part in shape.parts() {
                    if let Some(colors) = self.colors_of(&path, part)? {
                        return Ok(Some(colors));
                    }
                }
                Ok(None)
            }
        }
    }

    fn bitmap_colors<const D: usize>(
        &self,
        path: &str,
        bitmap: &BitmapShape,
    ) -> Result<Colors<D>, SceneError> {
        let form = self.form(path, bitmap)?;
        let shape = self.picture(&format!("{path}.file"), &bitmap.file)?;
        let picture = match &bitmap.colors {
            None => shape.clone(),
            Some(file) => self.picture(&format!("{path}.colors"), file)?,
        };
        let height = bitmap.width * shape.height as f64 / shape.width as f64;
        Ok(Colors {
            picture,
            form,
            size: [bitmap.width, height],
            left: match bitmap.revolve {
                Some(Revolve::LeftEdge) => 0.0,
                None | Some(Revolve::Middle) => -0.5,
            },
            placements: Vec::new(),
        })
    }
}
