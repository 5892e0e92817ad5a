//! The look of every particle.

use thixo_scene::{MatterLook, Scene};

use super::Coloring;
use super::columns::Frame;
use crate::color_map::{UNKNOWN, numbered};
use crate::error::RenderError;
use crate::look::{Look, of_material, plain};
use crate::picture::from_srgb;
use crate::vector::Vec3;

/// The looks of a scene, and whose they are.
#[derive(Clone, Debug)]
pub(super) struct Appearances {
    /// Every look once: what looks the same is one body.
    pub looks: Vec<Look>,
    /// The look of each object, then of each mesh and of each emitter, and whether its particles
    /// have colours of their own.
    objects: Vec<(u32, bool)>,
    /// The look of each material, for particles of no object.
    materials: Vec<u32>,
    /// The look of particles of which nothing is known.
    unknown: u32,
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
                (add(dressed(look, Some(k), material)), has_colors)
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
            if let Some((look, _)) = of_object {
                return *look;
            }
            let material = materials.and_then(|column| number(column.get(k)));
            let of_material = material.and_then(|material| self.materials.get(material));
            of_material.copied().unwrap_or(self.unknown)
        };
        (0..frame.file.particles).map(look).collect()
    }

    /// Particles' own colours where objects have several, and else those of their looks; empty if
    /// no object has.
    pub fn own_colors(&self, frame: Frame<'_>) -> Result<Vec<Vec3>, RenderError> {
        let objects = frame.file.column("object");
        let has_any = self.objects.iter().any(|(_, has_colors)| *has_colors);
        let Some(objects) = objects.filter(|_| has_any) else {
            return Ok(Vec::new());
        };
        let looks = self.choose(frame);
        let mut colors = frame.own_colors()?;
        for (k, color) in colors.iter_mut().enumerate() {
            let object = objects.get(k);
            let own = self.objects.get(object.max(0.0) as usize);
            if !(object >= 0.0 && own.is_some_and(|(_, has_colors)| *has_colors)) {
                *color = self.looks[looks[k] as usize].color;
            }
        }
        Ok(colors)
    }
}
