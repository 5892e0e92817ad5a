//! Looks of single bodies and obstacles: their key `look`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Problem, SceneError};
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
    /// What is different where it is liquid, of matter that melts; the frames must hold the phase:
    /// `output.columns = ["phase"]`. Default: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub liquid: Option<LiquidLook>,
}

/// `liquid = { color = "#3a1c0c", wetness = 1 }`: how the melt of an object or emitter is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct LiquidLook {
    /// Its colour. Default: that of the solid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<Color>,
    /// Wetness \[–\], from 0 (as the solid) to 1 (bright highlights, and the sky is mirrored in
    /// it); in 3D. Default: 0.8.
    #[serde(default = "LiquidLook::default_wetness")]
    #[schemars(range(min = 0, max = 1))]
    pub wetness: f64,
}

impl LiquidLook {
    fn default_wetness() -> f64 {
        0.8
    }
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
            liquid: None,
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
            let (objects, meshes) = (self.objects.len(), self.meshes.len());
            let (owner, material) = if k < objects {
                let material = &self.objects[k].material;
                (format!("objects[{k}]"), Some(material))
            } else if k < objects + meshes {
                (format!("meshes[{}]", k - objects), None)
            } else {
                let k = k - objects - meshes;
                (format!("emitters[{k}]"), Some(&self.emitters[k].material))
            };
            let share = |key: &str, value: f64| match (0.0..=1.0).contains(&value) {
                true => Ok(()),
                false => {
                    let key = format!("{owner}.look.{key}");
                    Err(self.number_out_of_range(&key, value, "from 0 to 1"))
                }
            };
            if let Some(opacity) = look.opacity {
                share("opacity", opacity)?;
            }
            if let Some(liquid) = look.liquid {
                share("liquid.wetness", liquid.wetness)?;
                let key = format!("{owner}.look.liquid");
                if !material.is_some_and(|name| self.melts(name)) {
                    let range = "left out: its matter does not melt";
                    return Err(self.out_of_range(&key, "given", range));
                }
                self.check_frames_hold("phase", &key)?;
            }
        }
        Ok(())
    }

    /// Refuses a look by a quantity that the frames will not hold.
    pub(super) fn check_frames_hold(&self, column: &str, key: &str) -> Result<(), SceneError> {
        if self.output.columns.iter().any(|own| own == column) {
            return Ok(());
        }
        let message = format!(
            "pictures need the {column} of particles for this; add it to the frames: output.columns = [\"{column}\"]"
        );
        let problem = Problem::Other {
            key: key.to_owned(),
            message,
        };
        Err(self.source.error_at_key(key, problem))
    }
}
