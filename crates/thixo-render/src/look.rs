//! Looks of materials: colour, highlights, translucency, surface.

use thixo::material::description::Appearance;
use thixo_math::Vector;
use thixo_scene::{MatterLook, Scene};

use crate::ambient_occlusion::chance;
use crate::color_map::numbered;
use crate::picture::from_srgb;
use crate::shadow_map::Shade;
use crate::vector::Vec3;

/// Optical properties of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Share of the light that comes back, linear.
    pub color: Vec3,
    /// Variation of brightness among grains \[–\].
    pub speckle: f32,
    /// Strength of highlights \[–\].
    pub gloss: f32,
    /// Wrap of light around edges, 0 for chalk, towards 1 for snow and wax \[–\].
    pub softness: f32,
    /// Visible surface of the particles.
    pub surface: MatterSurface,
    /// Share of each grain's own normal in the light on it, the rest being that of the body they
    /// make, 0 to 1 \[–\].
    pub grain: f32,
    /// Opacity, 0 to 1 \[–\].
    pub opacity: f32,
    /// True if it casts a shadow.
    pub casts_shadow: bool,
    /// True if shadows fall on it.
    pub receives_shadow: bool,
}

impl Look {
    /// Brightness of a grain over the mean of all.
    pub fn brightness(&self, grain: usize) -> f32 {
        1.0 + self.speckle * 2.0 * (chance(grain as u32, 77) - 0.5)
    }

    /// True if something behind it may be seen.
    pub fn is_seen_through(&self) -> bool {
        self.is_clear() || self.opacity < 1.0
    }

    /// Shadow that it casts.
    pub fn shade(&self) -> Shade {
        match (self.casts_shadow, self.is_seen_through()) {
            (false, _) => Shade::Nothing,
            (true, true) => Shade::Light,
            (true, false) => Shade::Full,
        }
    }

    /// True if light is absorbed along its thickness.
    pub fn is_clear(&self) -> bool {
        matches!(self.surface, MatterSurface::Clear(_))
    }

    /// The same surface in a colour; clear bodies are dyed.
    #[must_use]
    pub fn dyed(self, color: Vec3) -> Self {
        let surface = match self.surface {
            MatterSurface::Clear(_) => MatterSurface::Clear(color * 0.9 + Vector([0.08; 3])),
            other => other,
        };
        Self {
            color,
            surface,
            ..self
        }
    }

    /// The same, but one does not see through its isosurface.
    #[must_use]
    pub fn covered(mut self) -> Self {
        if self.is_clear() {
            self.surface = MatterSurface::Isosurface;
        }
        self
    }

    /// The look of something whose colours stand for numbers: every particle is seen, none is shiny
    /// or clear.
    #[must_use]
    pub fn painted(self) -> Self {
        Self {
            surface: MatterSurface::Grains,
            grain: 0.4,
            gloss: 0.0,
            speckle: 0.0,
            softness: 0.3,
            ..self
        }
    }

    /// As an object of the scene wants it.
    #[must_use]
    pub fn adjusted(mut self, look: &MatterLook) -> Self {
        if let Some(opacity) = look.opacity {
            self = self.covered();
            self.opacity = opacity as f32;
        }
        self.casts_shadow &= look.casts_shadow;
        self.receives_shadow &= look.receives_shadow;
        self
    }
}

/// Visible surface of the particles of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MatterSurface {
    /// Every particle.
    Grains,
    /// A smooth isosurface over them.
    Isosurface,
    /// A smooth isosurface through which one sees: share of the light that passes through a tenth
    /// of the scene's size, linear.
    Clear(Vec3),
}

/// Parts of a material's name, and its look.
type Named = (&'static [&'static str], fn() -> Look);

/// Looks by name; the first that fits counts.
const NAMES: [Named; 20] = [
    (&["snow"], snow),
    (&["sand_wet", "wet", "mud", "soil"], soil),
    (&["sand", "gravel", "grain"], sand),
    (&["water", "brine"], water),
    (&["wine"], wine),
    (&["oil", "honey", "syrup"], honey),
    (&["foam", "cream", "yogurt", "shaving"], foam),
    (&["toothpaste", "paste"], toothpaste),
    (&["sponge"], sponge),
    (&["jelly", "jello", "gel"], jelly),
    (&["rubber", "tyre", "tire"], rubber),
    (&["metal", "steel", "iron", "copper", "aluminium"], metal),
    (&["clay", "plasticine", "dough"], clay),
    (&["wax", "butter"], honey_wax),
    (&["chocolate"], chocolate),
    (&["candy", "caramel"], candy),
    (&["lava", "basalt"], lava),
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
    let look = match named {
        Some((_, look)) => look(),
        None => of_appearance(material.law.description().appearance, index),
    };
    match scene.render.colors.get(name) {
        Some(color) => look.dyed(from_srgb(color.0)),
        None => look,
    }
}

/// The look that a law gives its matter.
fn of_appearance(appearance: Appearance, index: usize) -> Look {
    match appearance {
        Appearance::Solid => isosurface(numbered(index as i64), 0.35, 0.3),
        Appearance::Water => water(),
        Appearance::Snow => snow(),
        Appearance::Sand => sand(),
        Appearance::Clay => clay(),
        Appearance::Foam => foam(),
        Appearance::Paste => toothpaste(),
    }
}

/// Grains of a colour without highlights.
pub fn plain(color: Vec3) -> Look {
    Look {
        color,
        speckle: 0.0,
        gloss: 0.0,
        softness: 0.15,
        surface: MatterSurface::Grains,
        grain: 1.0,
        opacity: 1.0,
        casts_shadow: true,
        receives_shadow: true,
    }
}

fn grains(color: [u8; 3], speckle: f32, softness: f32) -> Look {
    Look {
        speckle,
        softness,
        grain: 0.5,
        ..plain(from_srgb(color))
    }
}

fn isosurface(color: Vec3, gloss: f32, softness: f32) -> Look {
    Look {
        gloss,
        softness,
        surface: MatterSurface::Isosurface,
        ..plain(color)
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
        surface: MatterSurface::Clear(Vector([0.10, 0.38, 0.58])),
        ..isosurface(from_srgb([48, 128, 190]), 0.9, 0.3)
    }
}
fn wine() -> Look {
    Look {
        surface: MatterSurface::Clear(Vector([0.30, 0.004, 0.012])),
        ..isosurface(from_srgb([96, 8, 26]), 0.9, 0.3)
    }
}
fn honey() -> Look {
    isosurface(from_srgb([222, 148, 30]), 0.8, 0.5)
}
fn honey_wax() -> Look {
    isosurface(from_srgb([236, 208, 140]), 0.2, 0.6)
}
fn chocolate() -> Look {
    isosurface(from_srgb([92, 54, 32]), 0.3, 0.3)
}
fn candy() -> Look {
    isosurface(from_srgb([176, 40, 24]), 0.7, 0.5)
}
fn lava() -> Look {
    isosurface(from_srgb([62, 56, 54]), 0.15, 0.1)
}
fn foam() -> Look {
    isosurface(from_srgb([240, 240, 234]), 0.08, 0.5)
}
fn toothpaste() -> Look {
    isosurface(from_srgb([150, 214, 205]), 0.4, 0.4)
}
fn sponge() -> Look {
    grains([228, 178, 74], 0.15, 0.3)
}
fn jelly() -> Look {
    isosurface(from_srgb([206, 52, 60]), 0.6, 0.5)
}
fn rubber() -> Look {
    isosurface(from_srgb([60, 62, 68]), 0.25, 0.1)
}
fn metal() -> Look {
    isosurface(from_srgb([150, 154, 160]), 0.8, 0.05)
}
fn clay() -> Look {
    isosurface(from_srgb([188, 106, 78]), 0.1, 0.2)
}
