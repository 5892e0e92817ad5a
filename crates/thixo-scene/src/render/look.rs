//! Looks of single bodies and obstacles: their key `look`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::SceneError;
use crate::sampling::Color;
use crate::scene::Scene;

/// `look = { opacity = 0.5, casts_shadow = false }`: how the matter of an object or emitter is
/// drawn. Its colour is its key `color`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MatterLook {
    /// Opacity: the share of what is behind its nearest surface that it hides \[–\], 0 (all is seen
    /// through it) to 1 (nothing is). Default: that of the material's look, which is clear for
    /// water and 1 for most others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub opacity: Option<f64>,
    /// True if it takes the sun from what is behind. Default: true.
    #[serde(default = "yes")]
    pub casts_shadow: bool,
    /// True if others take the sun from it. Default: true.
    #[serde(default = "yes")]
    pub receives_shadow: bool,
}

/// `look = { surface = "glass", color = "#a0c0ff" }`: how a collider is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SolidLook {
    /// Surface that it seems to have. Default: `"auto"`.
    #[serde(default)]
    pub surface: SolidSurface,
    /// Its colour. Default: grey.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<Color>,
    /// True if it takes the sun from what is behind. Default: true.
    #[serde(default = "yes")]
    pub casts_shadow: bool,
    /// True if others take the sun from it. Default: true.
    #[serde(default = "yes")]
    pub receives_shadow: bool,
}

/// The surface that a collider seems to have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SolidSurface {
    /// Solid, but where it encloses matter what stands between that and the camera is glass.
    #[default]
    Auto,
    /// It hides all that is behind.
    Solid,
    /// One sees through all of it.
    Glass,
    /// It is not drawn.
    Hidden,
}

fn yes() -> bool {
    true
}

impl Default for MatterLook {
    fn default() -> Self {
        Self {
            opacity: None,
            casts_shadow: true,
            receives_shadow: true,
        }
    }
}

impl Default for SolidLook {
    fn default() -> Self {
        Self {
            surface: SolidSurface::default(),
            color: None,
            casts_shadow: true,
            receives_shadow: true,
        }
    }
}

impl MatterLook {
    /// True if every key has its default.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl SolidLook {
    /// True if every key has its default.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Scene {
    /// Looks of the objects, then of the meshes and of the emitters, in the order of their indices.
    pub fn matter_looks(&self) -> Vec<MatterLook> {
        let objects = self.objects.iter().map(|object| object.look);
        let emitters = self.emitters.iter().map(|emitter| emitter.look);
        let meshes = self.meshes.iter().map(|mesh| mesh.look);
        objects.chain(meshes).chain(emitters).collect()
    }

    /// Refuses looks of objects and emitters that cannot be drawn.
    pub(super) fn check_matter_looks(&self) -> Result<(), SceneError> {
        for (k, look) in self.matter_looks().into_iter().enumerate() {
            if let Some(opacity) = look.opacity
                && !(0.0..=1.0).contains(&opacity)
            {
                let (objects, meshes) = (self.objects.len(), self.meshes.len());
                let key = if k < objects {
                    format!("objects[{k}].look.opacity")
                } else if k < objects + meshes {
                    format!("meshes[{}].look.opacity", k - objects)
                } else {
                    format!("emitters[{}].look.opacity", k - objects - meshes)
                };
                return Err(self.number_out_of_range(&key, opacity, "from 0 to 1"));
            }
        }
        Ok(())
    }
}
