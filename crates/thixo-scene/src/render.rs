//! How the pictures of a run look: `[render]`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::SceneError;
use crate::sampling::Color;
use crate::scene::Scene;

/// What `thixo render` draws. Everything may be left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Render {
    /// Width and height of pictures, 16 to 16384 pixels. Default: 1280 by 720.
    #[serde(default = "Render::default_size")]
    pub size: [u32; 2],
    /// What particles are coloured by: `"look"` (that of their material), `"object"`, `"material"`, `"color"` (their own), `"speed"`, or the name of a column of the
    /// frames, such as `"j"`, `"vx"` or `"pressure"`. Default: `"look"`, and the particles' own colours where the scene gives some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color_by: Option<String>,
    /// Values at the ends of the colour bar, in the units of the column. Default: the smallest and the largest in the frames that are drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// Colours of the colour bar. Default: `"viridis"`.
    #[serde(default)]
    pub color_map: ColorMap,
    /// Colours of materials by name, in place of those of their looks: `{ snow = "#ffffff" }`. Default: none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub colors: BTreeMap<String, Color>,
    /// Radius of a particle over that of a ball (in 2D of a disc) of its volume \[–\], above 0, at most 100. Default: 1 in 3D; 1.3 in 2D, where nothing behind fills gaps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100), extend("exclusiveMinimum" = 0))]
    pub radius: Option<f64>,
    /// Where one looks from. Default: from where one sees all matter of the frames.
    #[serde(default)]
    pub camera: CameraChoice,
    /// Towards the sun, of any length above 0; only in 3D. Default: high, from the left behind the camera.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sun: Option<[f64; 3]>,
    /// Simulated seconds that pass in a second of video \[–\], above 0, at most 1e9: 0.1 shows everything ten times slower. Default: 1, real time.
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
            camera: CameraChoice::default(),
            sun: None,
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

/// Where one looks from and to. What is left out is fitted to the matter of the frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CameraChoice {
    /// Where the camera is \[m\]; in 2D only its `target` counts. Default: far enough away to see everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Vec<f64>>,
    /// What is in the middle of the picture \[m\]. Default: the middle of the matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Vec<f64>>,
    /// Vertical angle of view \[degrees\], 1 to 120; in 3D. Default: 30.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 120))]
    pub field_of_view: Option<f64>,
    /// Height of what is seen \[m\], above 0; in 2D. Default: that of the matter and a margin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub height: Option<f64>,
    /// How fast the camera turns about the upright through its target \[degrees/s\] of simulated time. Default: 0.
    #[serde(default)]
    pub orbit: f64,
}

impl Render {
    fn default_size() -> [u32; 2] {
        [1280, 720]
    }
    fn real_time() -> f64 {
        1.0
    }
    /// Whether every key has its default.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Scene {
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
        let positive = |key: &str, value: Option<f64>, most: f64, range: &str| match value {
            Some(value) if !(value > 0.0 && value <= most) => {
                Err(self.number_out_of_range(key, value, range))
            }
            _ => Ok(()),
        };
        let radius = "above 0, at most 100";
        positive("render.radius", render.radius, 100.0, radius)?;
        let speed = "above 0, at most 1e9";
        positive("render.speed", Some(render.speed), 1e9, speed)?;
        let camera = &render.camera;
        let height = "above 0 and finite";
        positive("render.camera.height", camera.height, f64::MAX, height)?;
        if let Some(angle) = camera.field_of_view
            && !(1.0..=120.0).contains(&angle)
        {
            let range = "1 to 120 degrees";
            return Err(self.number_out_of_range("render.camera.field_of_view", angle, range));
        }
        if !camera.orbit.is_finite() {
            return Err(self.number_out_of_range("render.camera.orbit", camera.orbit, "finite"));
        }
        for (key, place) in [("position", &camera.position), ("target", &camera.target)] {
            if let Some(place) = place {
                self.vector::<D>(&format!("render.camera.{key}"), place)?;
            }
        }
        if camera.position.is_some() && camera.position == camera.target {
            let value = format!("{:?}", camera.position.as_deref().unwrap_or_default());
            let range = "elsewhere than the target";
            return Err(self.out_of_range("render.camera.position", value, range));
        }
        match render.sun {
            Some(sun)
                if !(thixo_math::Vector(sun).norm() > 0.0 && sun.iter().all(|x| x.is_finite())) =>
            {
                Err(self.out_of_range("render.sun", format!("{sun:?}"), "finite and longer than 0"))
            }
            _ => Ok(()),
        }
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
            ("colour_by = 'j'", "colour_by"),
        ] {
            let message = read(render).unwrap_err().to_string();
            assert!(message.contains(key), "{render}: {message}");
        }
    }
}
