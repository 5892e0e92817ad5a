//! How materials look.

use thixo_math::Vector;
use thixo_scene::{Material, Scene};

use crate::color_map::numbered;
use crate::picture::from_srgb;
use crate::vector::Vec3;

/// What light does to a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Share of the light that comes back, linear.
    pub color: Vec3,
    /// How much grains differ in brightness \[–\].
    pub speckle: f32,
    /// Strength of highlights \[–\].
    pub gloss: f32,
    /// How far light gets around edges, 0 for chalk, towards 1 for snow and wax \[–\].
    pub softness: f32,
    /// What is seen of the particles.
    pub surface: Surface,
    /// How much of the single particles shows in a skin, 0 to 1 \[–\].
    pub grain: f32,
}

/// What is seen of the particles of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Surface {
    /// Every particle.
    Grains,
    /// A smooth skin over them.
    Skin,
    /// A smooth skin through which one sees: share of the light that passes through a tenth of the scene's size, linear.
    Clear(Vec3),
}

/// Parts of a material's name, and its look.
type Named = (&'static [&'static str], fn() -> Look);

/// Looks by name; the first that fits counts.
const NAMES: [Named; 16] = [
    (&["snow"], snow),
    (&["sand_wet", "wet", "mud", "soil"], soil),
    (&["sand", "gravel", "grain"], sand),
    (&["water", "brine"], water),
    (&["oil", "honey", "syrup"], honey),
    (&["foam", "cream", "yogurt", "shaving"], foam),
    (&["toothpaste", "paste"], toothpaste),
    (&["sponge"], sponge),
    (&["jelly", "jello", "gel"], jelly),
    (&["rubber", "tyre", "tire"], rubber),
    (&["metal", "steel", "iron", "copper", "aluminium"], metal),
    (&["clay", "plasticine", "dough"], clay),
    (&["wax", "butter"], honey_wax),
    (&["wood"], sponge),
    (&["stone", "rock", "concrete"], stone),
    (&["ice"], snow),
];

/// The look of a material of a scene: by its name, or else by its model.
pub fn of_material(scene: &Scene, index: usize) -> Look {
    let Some((name, material)) = scene.materials.iter().nth(index) else {
        return plain(from_srgb(crate::color_map::UNKNOWN));
    };
    let lower = name.to_lowercase();
    let named = NAMES
        .iter()
        .find(|(parts, _)| parts.iter().any(|part| lower.contains(part)));
    let mut look = match named {
        Some((_, look)) => look(),
        None => of_model(&material.law, index),
    };
    if let Some(color) = scene.render.colors.get(name) {
        look.color = from_srgb(color.0);
        if let Surface::Clear(_) = look.surface {
            look.surface = Surface::Skin;
        }
    }
    look
}

fn of_model(law: &Material, index: usize) -> Look {
    match law {
        Material::Fluid(_) => water(),
        Material::Snow(_) => snow(),
        Material::DruckerPrager(_) => sand(),
        Material::VonMises(_) => clay(),
        Material::HerschelBulkley(_) => foam(),
        Material::MultiplicativePlasticity(_) => clay(),
        Material::OldroydB(_) => toothpaste(),
        Material::NeoHookean(_)
        | Material::FixedCorotated(_)
        | Material::SplitCorotated(_)
        | Material::StVenantKirchhoff(_)
        | Material::Hencky(_) => skin(numbered(index as i64), 0.35, 0.3),
    }
}

/// Grains of a colour without highlights.
pub fn plain(color: Vec3) -> Look {
    Look {
        color,
        speckle: 0.0,
        gloss: 0.0,
        softness: 0.15,
        surface: Surface::Grains,
        grain: 1.0,
    }
}

fn grains(color: [u8; 3], speckle: f32, softness: f32) -> Look {
    Look {
        speckle,
        softness,
        surface: Surface::Skin,
        grain: 0.5,
        ..plain(from_srgb(color))
    }
}

fn skin(color: Vec3, gloss: f32, softness: f32) -> Look {
    Look {
        color,
        speckle: 0.0,
        gloss,
        softness,
        surface: Surface::Skin,
        grain: 0.0,
    }
}

fn snow() -> Look {
    Look {
        grain: 0.3,
        ..grains([242, 246, 252], 0.02, 0.5)
    }
}
fn sand() -> Look {
    grains([214, 170, 108], 0.22, 0.1)
}
fn soil() -> Look {
    grains([128, 96, 66], 0.2, 0.1)
}
fn stone() -> Look {
    grains([150, 148, 144], 0.12, 0.1)
}
fn water() -> Look {
    Look {
        surface: Surface::Clear(Vector([0.10, 0.38, 0.58])),
        ..skin(from_srgb([48, 128, 190]), 0.9, 0.3)
    }
}
fn honey() -> Look {
    skin(from_srgb([222, 148, 30]), 0.8, 0.5)
}
fn honey_wax() -> Look {
    skin(from_srgb([236, 208, 140]), 0.2, 0.6)
}
fn foam() -> Look {
    skin(from_srgb([240, 240, 234]), 0.08, 0.5)
}
fn toothpaste() -> Look {
    skin(from_srgb([150, 214, 205]), 0.4, 0.4)
}
fn sponge() -> Look {
    grains([228, 178, 74], 0.15, 0.3)
}
fn jelly() -> Look {
    skin(from_srgb([206, 52, 60]), 0.6, 0.5)
}
fn rubber() -> Look {
    skin(from_srgb([60, 62, 68]), 0.25, 0.1)
}
fn metal() -> Look {
    skin(from_srgb([150, 154, 160]), 0.8, 0.05)
}
fn clay() -> Look {
    skin(from_srgb([188, 106, 78]), 0.1, 0.2)
}
