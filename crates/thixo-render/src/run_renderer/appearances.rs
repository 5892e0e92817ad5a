//! The look of every particle.

use thixo_scene::{LiquidLook, MatterLook, Scene};

use super::Coloring;
use super::columns::Frame;
use crate::color_map::{UNKNOWN, numbered};
use crate::draw::Sheen;
use crate::error::RenderError;
use crate::incandescence::Incandescence;
use crate::look::{Look, of_material, plain};
use crate::picture::from_srgb;
use crate::vector::Vec3;

/// The phase of liquids in frames.
const LIQUID: f64 = 1.0;

/// The looks of a scene, and whose they are.
#[derive(Clone, Debug)]
pub(super) struct Appearances {
    /// Every look once: what looks the same is one body.
    pub looks: Vec<Look>,
    /// Those of each object, then of each mesh and of each emitter.
    objects: Vec<Dress>,
    /// The look of each material, for particles of no object.
    materials: Vec<u32>,
    /// The look of particles of which nothing is known.
    unknown: u32,
    /// The light of hot matter, if it is to glow.
    glow: Option<Incandescence>,
}

/// How the particles of an object are drawn.
#[derive(Clone, Copy, Debug)]
struct Dress {
    look: u32,
    /// True if its particles have colours of their own.
    has_colors: bool,
    /// Differences where it is liquid.
    liquid: Option<LiquidLook>,
}

impl Appearances {
    /// The looks of a scene's objects, coloured as is wanted.
    pub fn of(scene: &Scene, coloring: &Coloring) -> Self {
        let mut looks = Vec::new();
        let mut add = |look: Look| {
            let known = looks.iter().position(|own| *own == look);
            let index = known.unwrap_or_else(|| {
                looks.push(look);
                looks.len() - 1
            });
            index as u32
        };
        let dressed = |look: Look, object: Option<usize>, material: usize| match coloring {
            Coloring::Look | Coloring::OwnOrLook | Coloring::Own => look,
            Coloring::Object => look
                .covered()
                .dyed(numbered(object.map_or(-1, |k| k as i64))),
            Coloring::Material => look.covered().dyed(numbered(material as i64)),
            Coloring::Column(..) => look.painted(),
        };
        let names = scene.material_names();
        let index_of = |name: &str| names.iter().position(|own| own == name);
        let objects = scene.objects.iter();
        let objects = objects.map(|o| (&o.material, o.color, !o.colors.is_empty(), o.look));
        let emitters = scene.emitters.iter();
        let emitters = emitters.map(|e| (&e.material, e.color, !e.colors.is_empty(), e.look));
        let meshes = scene
            .meshes
            .iter()
            .map(|mesh| (None, mesh.color, false, mesh.look));
        let known = |(material, color, has_colors, look)| (Some(material), color, has_colors, look);
        let objects = objects.map(known).chain(meshes).chain(emitters.map(known));
        let objects = objects
            .enumerate()
            .map(|(k, (material, color, has_colors, own))| {
                let of_mesh = || plain(numbered(k as i64));
                let material = material.map(|name: &String| index_of(name).unwrap_or(names.len()));
                let look = material.map_or_else(of_mesh, |index| of_material(scene, index));
                let look = look.adjusted(&own);
                let material = material.unwrap_or(names.len());
                let look = match color {
                    Some(color) if *coloring == Coloring::OwnOrLook => {
                        look.dyed(from_srgb(color.0))
                    }
                    _ => look,
                };
                Dress {
                    look: add(dressed(look, Some(k), material)),
                    has_colors,
                    liquid: own.liquid,
                }
            });
        let objects = objects.collect();
        let materials = (0..names.len()).map(|material| {
            let look = of_material(scene, material).adjusted(&MatterLook::default());
            add(dressed(look, None, material))
        });
        let materials = materials.collect();
        let unknown = add(plain(from_srgb(UNKNOWN)));
        Self {
            looks,
            objects,
            materials,
            unknown,
            glow: scene.glow().map(Incandescence::new),
        }
    }

    /// The look of every particle of a frame.
    pub fn choose(&self, frame: Frame<'_>) -> Vec<u32> {
        let number = |value: f64| (value >= 0.0).then_some(value as usize);
        let objects = frame.file.column("object");
        let materials = frame.file.column("material");
        let look = |k: usize| {
            let object = objects.and_then(|column| number(column.get(k)));
            let of_object = object.and_then(|object| self.objects.get(object));
            if let Some(dress) = of_object {
                return dress.look;
            }
            let material = materials.and_then(|column| number(column.get(k)));
            let of_material = material.and_then(|material| self.materials.get(material));
            of_material.copied().unwrap_or(self.unknown)
        };
        (0..frame.file.particles).map(look).collect()
    }

    /// Colours of melts, particles' own ones where objects have several, and else those of their
    /// looks; empty if all have the latter. Without `own`, those of their looks and melts only.
    pub fn colors(&self, frame: Frame<'_>, own: bool) -> Result<Vec<Vec3>, RenderError> {
        let has_own = own && self.objects.iter().any(|dress| dress.has_colors);
        let of_melt = |dress: &Dress| dress.liquid.and_then(|liquid| liquid.color);
        let has_melts = self.objects.iter().any(|dress| of_melt(dress).is_some());
        let objects = frame.file.column("object");
        let Some(objects) = objects.filter(|_| has_own || has_melts) else {
            return Ok(Vec::new());
        };
        let given = match has_own {
            true => frame.own_colors()?,
            false => Vec::new(),
        };
        let phases = match has_melts {
            true => Some(frame.asked("phase", "phase")?),
            false => None,
        };
        let looks = self.choose(frame);
        let color = |k: usize| {
            let object = objects.get(k);
            let dress = self.objects.get(object.max(0.0) as usize);
            let dress = dress.filter(|_| object >= 0.0);
            let is_liquid = phases.is_some_and(|phases| phases.get(k) == LIQUID);
            let melt = dress.filter(|_| is_liquid).and_then(of_melt);
            match (melt, dress) {
                (Some(color), _) => from_srgb(color.0),
                (None, Some(dress)) if has_own && dress.has_colors => given[k],
                _ => self.looks[looks[k] as usize].color,
            }
        };
        Ok((0..frame.file.particles).map(color).collect())
    }

    /// Glow and wetness of every particle; empty if none glows, and none melts.
    pub fn sheens(&self, frame: Frame<'_>) -> Result<Vec<Sheen>, RenderError> {
        let has_melts = self.objects.iter().any(|dress| dress.liquid.is_some());
        if self.glow.is_none() && !has_melts {
            return Ok(Vec::new());
        }
        let temperatures = match &self.glow {
            Some(glow) => Some((glow, frame.asked("temperature", "temperature")?)),
            None => None,
        };
        let phases = match has_melts {
            true => Some((frame.needed("object")?, frame.asked("phase", "phase")?)),
            false => None,
        };
        let sheen = |k: usize| {
            let glow = temperatures.map(|(glow, column)| glow.light(column.get(k)));
            let wetness = phases.map(|(objects, phases)| {
                let dress = self.objects.get(objects.get(k).max(0.0) as usize);
                let liquid = dress.and_then(|dress| dress.liquid);
                let is_liquid = objects.get(k) >= 0.0 && phases.get(k) == LIQUID;
                let liquid = liquid.filter(|_| is_liquid);
                liquid.map_or(0.0, |liquid| liquid.wetness as f32)
            });
            Sheen {
                glow: glow.unwrap_or(Vec3::zero()),
                wetness: wetness.unwrap_or(0.0),
            }
        };
        Ok((0..frame.file.particles).map(sheen).collect())
    }
}
