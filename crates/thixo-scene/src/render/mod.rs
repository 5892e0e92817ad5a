//! Pictures of a run: `[render]`.

mod camera;
mod look;
mod section;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thixo::material::Strain;

use crate::error::SceneError;
use crate::number::Number;
use crate::sampling::Color;
use crate::scene::Scene;
pub use camera::{CameraChoice, NamedView};
pub use look::{LiquidLook, MatterLook, SolidLook, SolidSurface};
pub use section::{Cut, GridQuantity, Slice};

/// Temperature below which nothing glows \[K\], after Draper (1847).
pub const DRAPER_POINT: f64 = 798.0;

/// Options of `thixo render`. Everything may be left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Render {
    /// Width and height of pictures, 16 to 16384 pixels. Default: 1280 by 720.
    #[serde(default = "Render::default_size")]
    pub size: [u32; 2],
    /// Quantity that particles are coloured by: `"look"` (that of their material), `"object"`,
    /// `"material"`, `"color"` (their own), `"speed"`, or the name of a column of the frames, such
    /// as `"j"`, `"vx"` or `"pressure"`. Default: `"look"`, and the particles' own colours where
    /// the scene gives some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color_by: Option<String>,
    /// Values at the ends of the colour bar, in the units of the column. Default: the smallest and
    /// the largest in the frames that are drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// Colours of the colour bar. Default: `"viridis"`.
    #[serde(default)]
    pub color_map: ColorMap,
    /// Colours of materials by name, in place of those of their looks: `{ snow = "#ffffff" }`.
    /// Default: none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub colors: BTreeMap<String, Color>,
    /// Radius of a particle over that of a ball (in 2D of a disc) of its volume \[–\], above 0, at
    /// most 100. Volumes count up to twice that at rest: what flies apart is drawn as grains.
    /// Default: 1 in 3D; 1.3 in 2D, where nothing behind fills gaps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100), extend("exclusiveMinimum" = 0))]
    pub radius: Option<f64>,
    /// Shape that particles are drawn as. Default: `"spheres"`.
    #[serde(default)]
    pub particles: ParticleShape,
    /// Planes beyond which nothing is drawn, to look into matter; in 3D. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<Cut>,
    /// A quantity on the grid in a plane, in place of the particles. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice: Option<Slice>,
    /// Camera: the name of a side, `"front"`, `"back"`, `"side"`, `"left"`, `"top"` or
    /// `"three_quarter"`, or a table. Default: from where one sees all matter of the frames.
    #[serde(default)]
    pub camera: CameraChoice,
    /// Towards the sun, of any length above 0; only in 3D. Default: high, from the left behind the
    /// camera.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sun: Option<[f64; 3]>,
    /// Brightness of sun and sky over that of a clear day \[–\], 0 to 10; only in 3D. What glows
    /// stands out in less of it. Default: 1.
    #[serde(default = "Render::full_daylight")]
    #[schemars(range(min = 0, max = 10))]
    pub daylight: f64,
    /// Hot matter glows, as blackbodies of its temperature do: the temperature \[K\], or in °C as
    /// `"1080 °C"`, at which it is as bright as white matter in the light of a clear day. Above 798
    /// K, below which nothing glows; the frames must hold the temperature: `output.columns =
    /// ["temperature"]`. Default: nothing glows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glow: Option<Number>,
    /// Simulated seconds that pass in a second of video \[–\], above 0, at most 1e9: 0.1 shows
    /// everything ten times slower. Default: 1, real time.
    #[serde(default = "Render::real_time")]
    #[schemars(range(max = 1e9), extend("exclusiveMinimum" = 0))]
    pub speed: f64,
}

impl Default for Render {
    fn default() -> Self {
        Self {
            size: Self::default_size(),
            color_by: None,
            range: None,
            color_map: ColorMap::default(),
            colors: BTreeMap::new(),
            radius: None,
            particles: ParticleShape::default(),
            cuts: Vec::new(),
            slice: None,
            camera: CameraChoice::default(),
            sun: None,
            daylight: Self::full_daylight(),
            glow: None,
            speed: Self::real_time(),
        }
    }
}

/// Colours from low to high that the eye sees as even steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ColorMap {
    /// Violet, green, yellow.
    #[default]
    Viridis,
    /// Black, purple, cream.
    Magma,
}

/// The shape that particles are drawn as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParticleShape {
    /// Balls of their volumes, or the smooth skin of those materials that have one.
    #[default]
    Spheres,
    /// Points of a few pixels, lit by the normals of the body they belong to; in 3D.
    Points,
    /// Icosahedra of their volumes that turn with the matter; in 3D, of solids, which keep their
    /// rotation. The frames must hold the deformation gradient:
    /// `output.columns = ["deformation"]`.
    Icosahedra,
}

impl Render {
    fn default_size() -> [u32; 2] {
        [1280, 720]
    }
    fn real_time() -> f64 {
        1.0
    }
    fn full_daylight() -> f64 {
        1.0
    }
    /// True if every key has its default.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Scene {
    /// The scene with other looks for its pictures, unless these cannot be drawn.
    pub fn looking(mut self, render: Render) -> Result<Self, SceneError> {
        self.render = render;
        match self.dimension {
            2 => self.check_render::<2>()?,
            _ => self.check_render::<3>()?,
        }
        Ok(self)
    }

    /// Refuses looks that cannot be drawn.
    pub(crate) fn check_render<const D: usize>(&self) -> Result<(), SceneError> {
        let render = &self.render;
        if let Some(&side) = render.size.iter().find(|n| !(16..=16384).contains(*n)) {
            return Err(self.out_of_range("render.size", side, "16 to 16384 pixels"));
        }
        if let Some([low, high]) = render.range
            && !(low < high && low.is_finite() && high.is_finite())
        {
            let value = format!("[{low}, {high}]");
            let range = "two finite numbers, the first below the second";
            return Err(self.out_of_range("render.range", value, range));
        }
        for name in render.colors.keys() {
            if !self.materials.contains_key(name) {
                return Err(self.unknown_material("render.colors", name));
            }
        }
        let speed = render.speed;
        if !(speed > 0.0 && speed <= 1e9) {
            let range = "above 0, at most 1e9";
            return Err(self.number_out_of_range("render.speed", speed, range));
        }
        if let Some(radius) = render.radius
            && !(radius > 0.0 && radius <= 100.0)
        {
            let range = "above 0, at most 100";
            return Err(self.number_out_of_range("render.radius", radius, range));
        }
        if D == 2 && render.particles != ParticleShape::Spheres {
            let value = match render.particles {
                ParticleShape::Points => "\"points\"",
                _ => "\"icosahedra\"",
            };
            return Err(self.out_of_range("render.particles", value, "\"spheres\" in 2D"));
        }
        if render.particles == ParticleShape::Icosahedra {
            self.check_rotations()?;
        }
        if D == 2 && !render.cuts.is_empty() {
            return Err(self.out_of_range("render.cuts", "a list", "left out in 2D"));
        }
        self.check_camera::<D>()?;
        self.check_sections::<D>()?;
        self.check_matter_looks()?;
        let daylight = render.daylight;
        if !(0.0..=10.0).contains(&daylight) {
            return Err(self.number_out_of_range("render.daylight", daylight, "from 0 to 10"));
        }
        self.check_glow::<D>()?;
        match render.sun {
            Some(sun)
                if !(thixo_math::Vector(sun).norm() > 0.0 && sun.iter().all(|x| x.is_finite())) =>
            {
                Err(self.out_of_range("render.sun", format!("{sun:?}"), "finite and longer than 0"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses glow by what is no temperature of glowing matter.
    fn check_glow<const D: usize>(&self) -> Result<(), SceneError> {
        let key = "render.glow";
        let Some(glow) = &self.render.glow else {
            return Ok(());
        };
        if self.heat.is_none() {
            return Err(self.needs_heat(key));
        }
        match self.temperature::<D>(key, glow)?.constant() {
            Some(white) if white > DRAPER_POINT => {}
            Some(white) => {
                let range = "above 798 K (525 °C), below which nothing glows";
                return Err(self.number_out_of_range(key, white, range));
            }
            None => return Err(self.out_of_range(key, "a formula", "a temperature")),
        }
        self.check_frames_hold("temperature", key)
    }

    /// Temperature at which matter glows as brightly as white matter in daylight \[K\]; none if
    /// none glows.
    pub fn glow(&self) -> Option<f64> {
        let glow = self.render.glow.as_ref()?;
        let white = match self.dimension {
            2 => self.temperature::<2>("render.glow", glow),
            _ => self.temperature::<3>("render.glow", glow),
        };
        white.ok()?.constant()
    }

    /// Refuses icosahedra of matter that does not keep its rotation.
    fn check_rotations(&self) -> Result<(), SceneError> {
        for (name, material) in &self.materials {
            // The form of the strain is the same in all dimensions and precisions.
            let law = material.engine::<f32, 2>(self.own_parameters(name));
            let law = law.map_err(|error| self.refused_material(name, error))?;
            if law.state_layout().strain != Strain::FingerAndRotation {
                let range = format!(
                    "\"spheres\" or \"points\" with the material {name}: matter of model {} does not keep its rotation",
                    law.name()
                );
                return Err(self.out_of_range("render.particles", "\"icosahedra\"", range));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(render: &str) -> Result<Scene, SceneError> {
        let text = format!(
            "dimension = 2\n[grid]\nspacing = 1\n[time]\nframes = 1\n[materials.m]\nmodel = 'fluid'\ndensity = 1\nbulk_modulus = 1\n\
             [[objects]]\nmaterial = 'm'\nshape = {{ sphere = {{ center = [0, 0], radius = 1 }} }}\n[render]\n{render}\n"
        );
        Scene::parse(&text, "s.toml")
    }

    #[test]
    fn looks_are_written_back_unless_they_are_the_default() {
        assert!(!read("").unwrap().to_toml().unwrap().contains("[render]"));
        let scene = read(
            "color_by = 'j'\ncolors = { m = '#102030' }\ncamera = { target = [1, 2], orbit = 3 }",
        )
        .unwrap();
        let again = Scene::parse(&scene.to_toml().unwrap(), "again.toml").unwrap();
        assert_eq!(again.render, scene.render);
        assert_eq!(again.render.colors["m"], Color([0x10, 0x20, 0x30]));
    }

    #[test]
    fn a_camera_is_a_name_or_a_table_and_bodies_have_looks() {
        let text = "dimension = 3\n[grid]\nspacing = 1\n[time]\nframes = 1\n[materials.m]\nmodel = 'fluid'\ndensity = 1\nbulk_modulus = 1\n\
             [[objects]]\nmaterial = 'm'\nshape = { sphere = { center = [0, 0, 0], radius = 1 } }\nlook = { opacity = 0.25, casts_shadow = false }\n\
             [[colliders]]\nshape = { sphere = { center = [9, 0, 0], radius = 1 } }\ncontact = 'slip'\nlook = { surface = 'glass', color = '#102030' }\n\
             [render]\ncamera = 'top'\ncuts = [{ point = [0, 0, 0], normal = [0, 0, 2] }]\nslice = { quantity = 'pressure', normal = 'x', at = 1 }\n";
        let scene = Scene::parse(text, "s.toml").unwrap();
        assert_eq!(scene.render.camera.view, Some(NamedView::Top));
        assert_eq!(scene.colliders[0].look.surface, SolidSurface::Glass);
        assert_eq!(scene.matter_looks()[0].opacity, Some(0.25));
        let again = Scene::parse(&scene.to_toml().unwrap(), "again.toml").unwrap();
        assert_eq!(again, scene);
        let wrong = text.replace("0.25", "1.5");
        let message = Scene::parse(&wrong, "s.toml").unwrap_err().to_string();
        assert!(message.contains("objects[0].look.opacity"), "{message}");
        let both = text.replace("'top'", "{ view = 'top', position = [1, 2, 3] }");
        let message = Scene::parse(&both, "s.toml").unwrap_err().to_string();
        assert!(message.contains("render.camera.view"), "{message}");
        // A fluid does not know how it has turned.
        let turning = text.replace("camera = 'top'", "particles = 'icosahedra'");
        let message = Scene::parse(&turning, "s.toml").unwrap_err().to_string();
        let said = "render.particles is \"icosahedra\"; it must be \"spheres\" or \"points\" with the material m: \
                    matter of model fluid does not keep its rotation";
        assert!(message.contains(said), "{message}");
        let fluid = "model = 'fluid'\ndensity = 1\nbulk_modulus = 1";
        let solid = "model = 'hencky'\ndensity = 1\nyoung_modulus = 1\npoisson_ratio = 0.3";
        assert!(Scene::parse(&turning.replace(fluid, solid), "s.toml").is_ok());
    }

    #[test]
    fn glow_and_the_look_of_melts_need_heat_and_frames_that_hold_it() {
        let text = "dimension = 3\n[grid]\nspacing = 1\n[time]\nframes = 1\n[materials.m]\nmodel = 'von_mises'\ndensity = 1\nyoung_modulus = 1\npoisson_ratio = 0.3\nyield_stress = 1\n\
             [[objects]]\nmaterial = 'm'\nshape = { sphere = { center = [0, 0, 0], radius = 1 } }\nlook = { liquid = { color = '#102030' } }\n\
             [heat.materials.m]\npreset = 'basalt'\n[output]\ncolumns = ['temperature', 'phase']\n[render]\nglow = '1080 °C'\ndaylight = 0.5\n";
        let scene = Scene::parse(text, "s.toml").unwrap();
        assert_eq!(scene.glow(), Some(1353.15));
        assert_eq!(scene.matter_looks()[0].liquid.unwrap().wetness, 0.8);
        let again = Scene::parse(&scene.to_toml().unwrap(), "again.toml").unwrap();
        assert_eq!(again, scene);
        for (old, new, said) in [
            (
                "'temperature', 'phase'",
                "'temperature'",
                "objects[0].look.liquid",
            ),
            ("'temperature', 'phase'", "'phase'", "render.glow"),
            ("'1080 °C'", "700", "above 798 K"),
            ("'1080 °C'", "'1000 + x'", "a temperature"),
            ("'#102030'", "'#102030', wetness = 2", "liquid.wetness"),
            (
                "preset = 'basalt'",
                "heat_capacity = 1\nconductivity = 1",
                "does not melt",
            ),
        ] {
            let message = Scene::parse(&text.replace(old, new), "s.toml").unwrap_err();
            let message = message.to_string();
            assert!(message.contains(said), "{new}: {message}");
        }
    }

    #[test]
    fn what_cannot_be_drawn_is_refused_with_its_key() {
        for (render, key) in [
            ("size = [0, 720]", "render.size"),
            ("range = [2, 1]", "render.range"),
            ("colors = { n = '#ffffff' }", "render.colors"),
            ("radius = 0", "render.radius"),
            ("speed = 0", "render.speed"),
            ("speed = inf", "render.speed"),
            ("camera = { height = -1 }", "render.camera.height"),
            (
                "camera = { field_of_view = 170 }",
                "render.camera.field_of_view",
            ),
            ("camera = { target = [1, 2, 3] }", "render.camera.target"),
            (
                "camera = { position = [1, 2], target = [1, 2] }",
                "render.camera.position",
            ),
            ("camera = { orbit = inf }", "render.camera.orbit"),
            ("sun = [0, 0, 0]", "render.sun"),
            ("daylight = -1", "render.daylight"),
            ("glow = 1400", "add a table [heat]"),
            ("colour_by = 'j'", "colour_by"),
            ("camera = 'front'", "render.camera"),
            ("camera = 'frnt'", "front"),
            ("camera = { zoom = 2 }", "zoom"),
            ("particles = 'points'", "render.particles"),
            (
                "cuts = [{ point = [0, 0, 0], normal = [0, 0, 1] }]",
                "render.cuts",
            ),
            ("slice = { quantity = 'speed', at = 1 }", "render.slice.at"),
            ("slice = { quantity = 'sped' }", "speed"),
        ] {
            let message = read(render).unwrap_err().to_string();
            assert!(message.contains(key), "{render}: {message}");
        }
    }
}
