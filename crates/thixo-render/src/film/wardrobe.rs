//! Which particle looks how.

use std::path::Path;

use thixo_scene::{FrameFile, Scene};

use super::columns::own_colors;
use crate::color_map::UNKNOWN;
use crate::error::RenderError;
use crate::look::{Look, of_material, plain};
use crate::picture::from_srgb;
use crate::vector::Vec3;

/// The looks of a scene, and whose they are.
#[derive(Clone, Debug)]
pub(super) struct Wardrobe {
    /// Those of the materials, and one for particles whose material is unknown.
    pub looks: Vec<Look>,
    /// Which objects and emitters the scene gives colours.
    colored: Vec<bool>,
}

impl Wardrobe {
    pub fn of(scene: &Scene) -> Self {
        let materials = 0..scene.materials.len();
        let mut looks: Vec<Look> = materials.map(|index| of_material(scene, index)).collect();
        looks.push(plain(from_srgb(UNKNOWN)));
        let objects = scene.objects.iter();
        let objects = objects.map(|o| o.color.is_some() || !o.colors.is_empty());
        let emitters = scene.emitters.iter();
        let emitters = emitters.map(|e| e.color.is_some() || !e.colors.is_empty());
        Self {
            looks,
            colored: objects.chain(emitters).collect(),
        }
    }

    /// The look of every particle of a frame.
    pub fn choose(&self, frame: &FrameFile) -> Vec<u32> {
        let unknown = self.looks.len() - 1;
        let index = |value: &f64| {
            let index = *value as usize;
            if *value >= 0.0 && index < unknown {
                index as u32
            } else {
                unknown as u32
            }
        };
        match frame.column("material") {
            Some(materials) => materials.iter().map(index).collect(),
            None => vec![unknown as u32; frame.particles],
        }
    }

    /// Particles' own colours where the scene gives some, and else those of their looks; empty if there are none.
    pub fn own_colors(&self, frame: &FrameFile, path: &Path) -> Result<Vec<Vec3>, RenderError> {
        let objects = frame.column("object");
        let Some(objects) = objects.filter(|_| self.colored.contains(&true)) else {
            return Ok(Vec::new());
        };
        let looks = self.choose(frame);
        let mut colors = own_colors(frame, path)?;
        for (k, color) in colors.iter_mut().enumerate() {
            let is_colored = self.colored.get(objects[k].max(0.0) as usize) == Some(&true);
            if !(is_colored && objects[k] >= 0.0) {
                *color = self.looks[looks[k] as usize].color;
            }
        }
        Ok(colors)
    }
}
