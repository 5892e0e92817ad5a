//! Sources and sinks of matter while the scene runs: `[[emitters]]` and `[[sinks]]`.

mod advance;
mod axes;
mod displacement;
mod flow;
mod profile;
mod stream;
mod velocity;

pub(crate) use advance::FrameClock;
pub use advance::FrameOutcome;
pub use flow::Flow;
pub(crate) use flow::rounded;
pub(crate) use stream::Stream;
use velocity::{OutflowVelocity, written};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thixo::Setup;
use thixo::material::description::CutHardening;

use crate::checked::CheckedScene;
use crate::error::SceneError;
use crate::expression::Scratch;
use crate::fill::MOST_PARTICLES;
use crate::number::Number;
use crate::render::MatterLook;
use crate::sampling::{Color, ColorShare, Sampling};
use crate::scene::Scene;
use crate::shape::{Shape, SharedRegion};

/// The most cells of time whose rates are kept; later ones are summed up again whenever they are
/// needed.
const MOST_CELLS: f64 = 1e6;

/// A spout, jet or inlet: matter leaves the shape through its front, as seen along its direction,
/// and fills the space that the shape's outline sweeps. The mass that has left at a time t is
/// density × ∫∫ rate × velocity · direction dA dt over the outline since the start, with density ×
/// area of the outline × speed × ∫ rate dt for a velocity in numbers, whatever the matter outside
/// does: nothing stops an emitter that is blocked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Emitter {
    /// Name in `run.json`, where it follows the objects. Default: its material and its number among
    /// them, `"water-1"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of the material it emits. Required.
    pub material: String,
    /// Shape of the emitter. Only its outline and its front matter: give it no more depth than you
    /// like to see. Required.
    pub shape: Shape,
    /// Velocity of the matter when it leaves \[m/s\], a number or a formula of x, y, z, t per axis;
    /// numbers must not all be zero. What a formula sends against the direction does not come out.
    /// Required.
    pub velocity: Vec<Number>,
    /// Direction that the opening faces, of any length above 0. Default: that of the velocity in
    /// the middle of the shape at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Vec<f64>>,
    /// A factor of the velocity \[–\], zero or positive: a number or a formula of t. While it is 0
    /// nothing comes out. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Number>,
    /// Time at which it begins \[s\], zero or later. Default: 0.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub start: f64,
    /// Time at which it ends \[s\], after it began. Default: `inf`, never.
    #[serde(default = "Emitter::default_end")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub end: f64,
    /// Temperature \[K\], or in °C as `"20 °C"`: a number or a formula of x, y, z, t. It needs
    /// `[heat]`. Default: `heat.temperature`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Number>,
    /// Sampling of the stream with particles, in cells along its velocity. Default: a lattice of 2
    /// per cell and axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Sampling>,
    /// Colour of all its particles. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<Color>,
    /// Colours that its particles have by chance, in place of `color`. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colors: Vec<ColorShare>,
    /// Look of its matter. Default: as the material looks, with shadows.
    #[serde(default, skip_serializing_if = "MatterLook::is_default")]
    pub look: MatterLook,
}

impl Emitter {
    fn default_end() -> f64 {
        f64::INFINITY
    }

    /// Its name as the object of an index.
    pub(crate) fn name_or_default(&self, index: usize) -> String {
        let default = || format!("{}-{index}", self.material);
        self.name.clone().unwrap_or_else(default)
    }
}

/// A drain: at the end of every frame, the particles inside are removed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Sink {
    /// Shape of the sink. Required.
    pub shape: Shape,
}

/// An emitter before its particles are placed.
#[derive(Debug)]
pub(crate) struct CheckedEmitter<const D: usize> {
    /// Index of its material.
    material: usize,
    velocity: OutflowVelocity<D>,
    stream: Stream<D>,
}

impl Scene {
    /// Checks the emitters; returns at most about how many particles they emit, too.
    pub(crate) fn checked_emitters<const D: usize>(
        &self,
        setup: &Setup<D>,
    ) -> Result<(Vec<CheckedEmitter<D>>, f64), SceneError> {
        let mut emitters = Vec::new();
        let mut sum = 0.0;
        for (index, emitter) in self.emitters.iter().enumerate() {
            let key = format!("emitters[{index}]");
            let checked = self.checked_emitter(&key, emitter, setup)?;
            let last = self.time.frame_seconds() * f64::from(self.time.frames);
            let count = checked.stream.bound(last);
            if count.is_nan() || count > MOST_PARTICLES {
                let key = format!("{key}.velocity");
                let velocity = written(&emitter.velocity);
                let value = format!("{velocity}, which emits {count:.3e} particles");
                let range = format!(
                    "so slow that at most {MOST_PARTICLES:e} particles come, or the emitter smaller or shorter"
                );
                return Err(self.out_of_range(&key, value, range));
            }
            emitters.push(checked);
            sum += count;
        }
        Ok((emitters, sum))
    }

    /// The regions of the sinks.
    pub(crate) fn sink_regions<const D: usize>(&self) -> Result<Vec<SharedRegion<D>>, SceneError> {
        let sinks = self.sinks.iter().enumerate();
        sinks
            .map(|(index, sink)| self.region(&format!("sinks[{index}].shape"), &sink.shape))
            .collect()
    }

    fn checked_emitter<const D: usize>(
        &self,
        key: &str,
        emitter: &Emitter,
        setup: &Setup<D>,
    ) -> Result<CheckedEmitter<D>, SceneError> {
        let material = self.material_index(key, &emitter.material)?;
        let Emitter { start, end, .. } = *emitter;
        if !(start >= 0.0 && start.is_finite()) {
            let key = format!("{key}.start");
            return Err(self.number_out_of_range(&key, start, "zero or positive, and finite"));
        }
        if end.is_nan() || end <= start {
            let range = format!("above {start}, the start");
            return Err(self.number_out_of_range(&format!("{key}.end"), end, range));
        }
        let plan = self.fill_plan(key, &emitter.shape, emitter.sampling, setup)?;
        let velocity = self.outflow(key, emitter)?;
        let stream = self.moving_stream(key, emitter, velocity.clone(), &plan, setup)?;
        Ok(CheckedEmitter {
            material,
            velocity,
            stream,
        })
    }
}

impl<const D: usize> CheckedScene<'_, D> {
    /// The stream of an emitter with everything it needs to run, and the hardening of its matter
    /// that a limit cuts off.
    pub fn stream(
        &self,
        index: usize,
        emitter: CheckedEmitter<D>,
    ) -> Result<(Stream<D>, Option<CutHardening>), SceneError> {
        let CheckedEmitter {
            material,
            velocity,
            mut stream,
        } = emitter;
        let (scene, own) = (self.scene, &self.materials[material]);
        let key = format!("emitters[{index}]");
        let mut scratch = Scratch::default();
        if !stream.place_pattern(material, own.clone()) {
            return Err(scene.no_particle(&key, stream.pitch()));
        }
        let outlet = stream.outlet();
        self.check_buried(&format!("{key}.shape"), &outlet)?;
        self.check_gravity(&outlet, &mut scratch)?;
        scene.check_outflow(&key, &scene.emitters[index], &velocity, &outlet)?;
        let properties = scene.particle_properties(own, &outlet, stream.middle(), &mut scratch)?;
        Ok((stream, properties.cut_hardening))
    }
}
