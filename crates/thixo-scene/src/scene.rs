//! A scene: everything a run needs to know. SI units throughout.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thixo::KernelKind;

use crate::carried::Carried;
use crate::elastic_mesh::ElasticMesh;
use crate::emitter::{Emitter, Sink};
use crate::error::{Problem, SceneError};
use crate::heat::Heat;
use crate::integrator::Integrator;
use crate::load::Load;
use crate::material::SceneMaterial;
use crate::mixture::{Drag, InteractionFormulas, Mixture, Phase};
use crate::number::Number;
use crate::object::Object;
use crate::obstacle::{Collider, Wall};
use crate::output::Output;
use crate::render::Render;
use crate::sampling::Sampling;
use crate::shape::Assets;
use crate::source::Source;

/// A scene file. Every key that is not in it is refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Scene {
    /// Title of the scene. Default: empty.
    #[serde(default)]
    pub title: String,
    /// 2 (plane strain, unit thickness) or 3. Required.
    #[schemars(extend("enum" = [2, 3]))]
    pub dimension: u32,
    /// Precision of the run. Default: `"f32"`.
    #[serde(default)]
    pub precision: Precision,
    /// The grid. Required.
    pub grid: Grid,
    /// Frames and time steps. Required.
    pub time: Time,
    /// Gravity and method. Default: no gravity, MLS on quadratic splines.
    #[serde(default)]
    pub physics: Physics,
    /// Files that are written. Default: PLY files of every frame.
    #[serde(default)]
    pub output: Output,
    /// Pictures of the run. Default: everything is seen, coloured by the looks of the materials.
    #[serde(default, skip_serializing_if = "Render::is_default")]
    pub render: Render,
    /// Conduction of heat, melting and freezing. Default: temperatures do not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heat: Option<Heat>,
    /// Materials by name.
    #[serde(default)]
    pub materials: BTreeMap<String, SceneMaterial>,
    /// Bodies of matter. At least one, unless there are emitters or meshes.
    #[serde(default)]
    pub objects: Vec<Object>,
    /// Cloth, rods, springs and elastic bodies as meshes among the particles. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub meshes: Vec<ElasticMesh>,
    /// Sources of matter while the scene runs. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub emitters: Vec<Emitter>,
    /// Shapes in which matter disappears. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sinks: Vec<Sink>,
    /// Scalars that particles carry along, by name: `[carried.dye]` with `value = "x > 0.5"`.
    /// Default: none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub carried: BTreeMap<String, Carried>,
    /// Phases with a velocity each that share space, by name: `[phases.water]` with
    /// `materials = ["water"]`. Default: none, all matter shares one velocity.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<String, Phase>,
    /// Drag between phases. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drag: Vec<Drag>,
    /// Interaction of phases besides drag. Default: none.
    #[serde(default, skip_serializing_if = "Mixture::is_default")]
    pub mixture: Mixture,
    /// Parameters that depend on how wet matter is, by material and by the name that the law has
    /// for them: `[interaction.sand]` with `cohesion = "initial * (1 - phi)"`. Default: none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub interaction: BTreeMap<String, InteractionFormulas>,
    /// Pressures and tractions on surfaces. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<Load>,
    /// Flat walls on node lines. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub walls: Vec<Wall>,
    /// Obstacles anywhere. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<Collider>,
    /// A smaller version of the scene: values by path, as `--set` takes them, such as
    /// `"grid.spacing" = 0.05`. `--preview` uses them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub preview: BTreeMap<String, toml::Value>,
    /// The text it was read from, for messages.
    #[serde(skip)]
    pub(crate) source: Source,
    /// Meshes and images that have been made of its files.
    #[serde(skip)]
    pub(crate) assets: Assets,
}

/// Numbers of 32 or 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// Single precision.
    #[default]
    F32,
    /// Double precision.
    F64,
}

/// The background grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Grid {
    /// Distance of neighbouring nodes \[m\], 1e-9 to 1e9. Required.
    #[schemars(range(min = 1e-9, max = 1e9))]
    pub spacing: f64,
    /// Axes on which space repeats, from coordinate 0 on: `periodic = { x = 64 }` repeats after 64
    /// cells. Default: none.
    #[serde(default, skip_serializing_if = "Periodic::is_none")]
    pub periodic: Periodic,
}

/// Cells after which each axis repeats: a multiple of 4, or absent for an open axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Periodic {
    /// Along x.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("multipleOf" = 4))]
    pub x: Option<u32>,
    /// Along y.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("multipleOf" = 4))]
    pub y: Option<u32>,
    /// Along z; only in 3D.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("multipleOf" = 4))]
    pub z: Option<u32>,
}

impl Periodic {
    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Duration of the run, and limits of its steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Time {
    /// Number of the last frame; frame 0 is the initial state. Required.
    pub frames: u32,
    /// Frames per simulated second \[1/s\], above 0. Default: 24.
    #[serde(default = "Time::default_fps")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub fps: f64,
    /// Largest part of a cell that a particle may cross in a step \[–\], above 0, at most 0.9.
    /// Default: 0.6.
    #[serde(default = "Time::default_cfl")]
    #[schemars(range(max = 0.9), extend("exclusiveMinimum" = 0))]
    pub cfl: f64,
    /// Share of the stability limit that steps use \[–\], above 0, at most 1. Default: 0.5.
    #[serde(default = "Time::default_safety")]
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub safety: f64,
    /// No step is longer \[s\], above 0. Default: `inf`, only stability and frames limit steps.
    #[serde(default = "Time::default_longest_step")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub longest_step: f64,
    /// Length of every step \[s\], above 0; the last of a frame may be shorter. A step above the
    /// limit of stability or of speed ends the run with an error that names the limit. Default:
    /// steps are as long as the limits allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub step: Option<f64>,
    /// End the run with an error where its energy grows by more than 1 % of what there was, though
    /// nothing gives any: no load, no moving obstacle, no emitter, no acceleration that varies. If
    /// not, a warning says so. Default: false.
    #[serde(default)]
    pub stop_on_energy_growth: bool,
}

impl Time {
    fn default_fps() -> f64 {
        24.0
    }
    fn default_cfl() -> f64 {
        thixo::TimeStep::default().cfl
    }
    fn default_safety() -> f64 {
        thixo::TimeStep::default().safety
    }
    fn default_longest_step() -> f64 {
        thixo::TimeStep::default().longest
    }
    /// Simulated time between frames \[s\].
    pub fn frame_seconds(&self) -> f64 {
        1.0 / self.fps
    }
}

/// Forces on all matter, and the variant of the method.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Physics {
    /// Acceleration of all matter \[m/s²\], a number or a formula of x, y, z, t per axis. Default:
    /// zero.
    #[serde(default)]
    pub gravity: Vec<Number>,
    /// Transfer of velocity between particles and grid. Default: `"mls"`.
    #[serde(default)]
    pub transfer: Transfer,
    /// Weights between particles and grid. Default: `"quadratic"`.
    #[serde(default)]
    pub kernel: Kernel,
    /// Method that finds the velocities at the end of a step. Default: `"explicit"`.
    #[serde(default)]
    pub integrator: Integrator,
    /// Damping that brings matter to rest, in explicit steps. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<Damping>,
}

/// Damping that brings matter to a state of rest. The state is that without damping; the way to it
/// is not.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Damping {
    /// Share α of the unbalanced force of every node that is taken against its velocity \[–\], 0 to
    /// below 1: local damping; 0.7 to 0.8 is usual. Default: 0.
    #[serde(default)]
    #[schemars(range(min = 0), extend("exclusiveMaximum" = 1))]
    pub local: f64,
    /// All velocities are set to zero at every peak of the kinetic energy. Default: false.
    #[serde(default)]
    pub kinetic: bool,
    /// Time at which it begins \[s\]. Default: 0.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub begin: f64,
    /// Time at which it ends \[s\], after `begin`. Default: `inf`, never.
    #[serde(default = "Damping::never")]
    pub end: f64,
}

impl Damping {
    fn never() -> f64 {
        f64::INFINITY
    }
}

/// Transfer of velocity between particles and grid.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Transfer {
    /// Moving least squares, the fastest; keeps affine motion.
    #[default]
    Mls,
    /// Affine particle-in-cell with weight gradients.
    Apic,
    /// Keeps rigid rotation only.
    Rpic,
    /// Particles take the grid's velocity: very dissipative.
    Pic,
    /// Particles take the grid's change of velocity: little dissipation, noisy.
    Flip,
    /// `{ flip_pic = { flip = 0.95 } }`: a share of FLIP, the rest PIC.
    FlipPic {
        /// Share \[–\], 0 to 1.
        #[schemars(range(min = 0, max = 1))]
        flip: f64,
    },
    /// `{ apic_pic = { apic = 0.9 } }`: a share of APIC, the rest PIC.
    ApicPic {
        /// Share \[–\], 0 to 1.
        #[schemars(range(min = 0, max = 1))]
        apic: f64,
    },
}

/// The B-spline between particles and grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kernel {
    /// Two nodes per axis; for comparison, not with MLS or RPIC.
    Linear,
    /// Three nodes per axis.
    #[default]
    Quadratic,
    /// Four nodes per axis.
    Cubic,
}

impl From<Kernel> for KernelKind {
    fn from(kernel: Kernel) -> Self {
        match kernel {
            Kernel::Linear => Self::Linear,
            Kernel::Quadratic => Self::Quadratic,
            Kernel::Cubic => Self::Cubic,
        }
    }
}

impl Scene {
    /// The scene as TOML with every default written out. Reading it gives an equal scene.
    pub fn to_toml(&self) -> Result<String, SceneError> {
        let mut complete = self.clone();
        complete.write_out_defaults();
        toml::to_string(&complete).map_err(|error| {
            let message = error.to_string();
            self.source.error_at(None, Problem::Unwritable { message })
        })
    }

    /// Fills in the defaults that depend on other keys.
    pub(crate) fn write_out_defaults(&mut self) {
        let length = self.dimension.min(3) as usize;
        let fill = |vector: &mut Vec<f64>| {
            if vector.is_empty() {
                vector.resize(length, 0.0);
            }
        };
        let fill_numbers = |vector: &mut Vec<Number>| {
            if vector.is_empty() {
                vector.resize(length, Number::Constant(0.0));
            }
        };
        fill_numbers(&mut self.physics.gravity);
        for (index, object) in self.objects.iter_mut().enumerate() {
            fill_numbers(&mut object.velocity);
            object.name = Some(object.name_or_default(index));
            let default = Sampling::default_in(self.dimension);
            if object.shape.is_some() {
                object.sampling = Some(object.sampling.unwrap_or(default));
            }
        }
        for (index, mesh) in self.meshes.iter_mut().enumerate() {
            mesh.name = Some(mesh.name_or_default(index));
            fill_numbers(&mut mesh.velocity);
        }
        for (index, emitter) in self.emitters.iter_mut().enumerate() {
            emitter.name =
                Some(emitter.name_or_default(self.objects.len() + self.meshes.len() + index));
            let default = Sampling::default_in(self.dimension);
            emitter.sampling = Some(emitter.sampling.unwrap_or(default));
        }
        for (index, load) in self.loads.iter_mut().enumerate() {
            load.name = Some(load.name_or_default(index));
        }
        for wall in &mut self.walls {
            fill(&mut wall.velocity);
        }
        for collider in &mut self.colliders {
            fill(&mut collider.velocity);
            fill(&mut collider.surface_velocity);
        }
    }

    /// Names of the materials in the order of their indices.
    pub fn material_names(&self) -> Vec<String> {
        self.materials.keys().cloned().collect()
    }

    /// Names of the objects, the meshes and the emitters, in the order of their indices.
    pub fn object_names(&self) -> Vec<String> {
        let objects = self.objects.iter().enumerate();
        let objects = objects.map(|(k, object)| object.name_or_default(k));
        let emitters = self.emitters.iter().enumerate();
        let first = self.objects.len() + self.meshes.len();
        let emitters = emitters.map(|(k, emitter)| emitter.name_or_default(first + k));
        let meshes = self.meshes.iter().enumerate();
        let meshes = meshes.map(|(k, mesh)| mesh.name_or_default(k));
        objects.chain(meshes).chain(emitters).collect()
    }
}
