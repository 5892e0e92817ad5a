//! Images as shapes: the part that passes a mask, plain in 2D, extruded or revolved in 3D.
//! \[Nilles2020\] §7.5.2

mod colors;
mod form;
mod outline;
mod picture;
mod region;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::combine::SharedRegion;
use crate::error::SceneError;
use crate::scene::Scene;

pub use colors::Colors;
use form::Form;
use outline::Outline;
pub(crate) use picture::Picture;
use region::Bitmap;

#[cfg(test)]
pub(crate) use picture::tests::rgb_file as picture_file;

/// The part of an image that passes a mask.
///
/// Its surface runs between pixels, smoothed by interpolation: it is right to about half a pixel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BitmapShape {
    /// A PNG file, relative to the folder of the scene file. Required.
    pub file: String,
    /// Middle of the image \[m\]. Required.
    pub center: Vec<f64>,
    /// Width of the whole image \[m\], above 0; its height follows from its pixels. Required.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub width: f64,
    /// Pixels that are matter. Default: the dark ones, `{ luminance = { below = 0.5 } }`.
    #[serde(default)]
    pub mask: Mask,
    /// In 3D, thickness along z \[m\], above 0. Either `extrude` or `revolve` is required in 3D.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub extrude: Option<f64>,
    /// In 3D, turns the image about a vertical line through `center`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revolve: Option<Revolve>,
    /// A PNG file with the colours of the matter, laid over the image. Default: the image itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colors: Option<String>,
}

/// Pixels that are matter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Mask {
    /// `{ luminance = { below = 0.5 } }`: by brightness, from 0 (black) to 1 (white), on white
    /// paper where the image is transparent.
    Luminance(Threshold),
    /// `{ alpha = { above = 0.5 } }`: by opacity, from 0 (transparent) to 1.
    Alpha(Threshold),
}

/// A limit \[–\], 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Threshold {
    /// Matter is where the value is larger.
    Above(f64),
    /// Matter is where the value is smaller.
    Below(f64),
}

impl Default for Mask {
    fn default() -> Self {
        Self::Luminance(Threshold::Below(0.5))
    }
}

/// The part of an image that is turned about a vertical line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Revolve {
    /// All of it, about its left edge.
    LeftEdge,
    /// Its right half, about its middle.
    Middle,
}

impl Scene {
    /// The region of a bitmap.
    pub(super) fn bitmap<const D: usize>(
        &self,
        path: &str,
        bitmap: &BitmapShape,
    ) -> Result<SharedRegion<D>, SceneError> {
        let form = self.form::<D>(path, bitmap)?;
        self.check_threshold(path, bitmap.mask)?;
        let picture = self.picture(&format!("{path}.file"), &bitmap.file)?;
        if let Some(colors) = &bitmap.colors {
            // Needed later; whether it can be read is better known now.
            self.picture(&format!("{path}.colors"), colors)?;
        }
        let outline = Outline::new(&picture, bitmap.mask, bitmap.revolve, bitmap.width);
        let outline = outline
            .map_err(|cause| self.refused_asset(&format!("{path}.file"), &bitmap.file, cause))?;
        Ok(Arc::new(Bitmap { outline, form }))
    }

    /// An image file, read once.
    pub(super) fn picture(&self, key: &str, file: &str) -> Result<Arc<Picture>, SceneError> {
        let path = self.asset_path(file);
        let known = self.assets.lock().pictures.get(&path).cloned();
        if let Some(picture) = known {
            return Ok(picture);
        }
        let picture = Picture::read(&path);
        let (picture, sum) = picture.map_err(|cause| self.refused_asset(key, file, cause))?;
        let picture = Arc::new(picture);
        let mut made = self.assets.lock();
        made.sums.insert(path.clone(), sum);
        made.pictures.insert(path, picture.clone());
        Ok(picture)
    }

    /// The form in which the image fills space.
    fn form<const D: usize>(
        &self,
        path: &str,
        bitmap: &BitmapShape,
    ) -> Result<Form<D>, SceneError> {
        let center = self.vector(&format!("{path}.center"), &bitmap.center)?;
        let positive = |part: &str, value: f64| match (1e-12..=1e12).contains(&value) {
            true => Ok(value),
            false => {
                let key = format!("{path}.{part}");
                Err(self.number_out_of_range(&key, value, "between 1e-12 and 1e12 m"))
            }
        };
        positive("width", bitmap.width)?;
        match (D, bitmap.extrude, bitmap.revolve) {
            (2, None, None) => Ok(Form::Plain { center }),
            (3, Some(depth), None) => Ok(Form::Extruded {
                center,
                depth: positive("extrude", depth)?,
            }),
            (3, None, Some(_)) => Ok(Form::Revolved { center }),
            (3, None, None) => {
                let range = "given, or revolve, in dimension 3";
                Err(self.out_of_range(&format!("{path}.extrude"), "absent", range))
            }
            (_, Some(depth), Some(_)) => {
                let range = "absent beside revolve";
                Err(self.number_out_of_range(&format!("{path}.extrude"), depth, range))
            }
            (_, Some(depth), None) => {
                let range = "absent in dimension 2";
                Err(self.number_out_of_range(&format!("{path}.extrude"), depth, range))
            }
            (_, None, _) => {
                let range = "absent in dimension 2";
                Err(self.out_of_range(&format!("{path}.revolve"), "given", range))
            }
        }
    }

    fn check_threshold(&self, path: &str, mask: Mask) -> Result<(), SceneError> {
        let (channel, threshold) = match mask {
            Mask::Luminance(threshold) => ("luminance", threshold),
            Mask::Alpha(threshold) => ("alpha", threshold),
        };
        let (side, limit) = match threshold {
            Threshold::Above(limit) => ("above", limit),
            Threshold::Below(limit) => ("below", limit),
        };
        if (0.0..=1.0).contains(&limit) {
            return Ok(());
        }
        let key = format!("{path}.mask.{channel}.{side}");
        Err(self.number_out_of_range(&key, limit, "between 0 and 1"))
    }
}
