//! Scene files, and the files that a run writes.
//!
//! A scene is a TOML file in SI units: a grid, a duration, materials, objects made of them,
//! emitters, sinks, loads, and obstacles. [`Scene::parse`] reads one and refuses what cannot be
//! simulated, naming file, line, key, value and range; [`Scene::build`] samples the objects and
//! hands them to the engine; [`Scene::to_toml`] writes it back with every default spelled out.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = r#"
//! title = "A drop of water"
//! dimension = 2
//! [grid]
//! spacing = 0.05
//! [time]
//! frames = 10
//! fps = 50
//! [materials.water]
//! model = "fluid"
//! density = 1000
//! bulk_modulus = 1e5
//! [[objects]]
//! material = "water"
//! shape = { sphere = { center = [0, 0.5], radius = 0.2 } }
//! "#;
//! let scene = thixo_scene::Scene::parse(text, "drop.toml")?;
//! let mut built = scene.build::<f32, 2>(1)?;
//! built.advance(1)?;
//! # Ok(())
//! # }
//! ```
//!
//! The files of a run are written by [`RunDirectory`]: frames as [`ply`], [`vtk`] with
//! [`pvd`], or [`npz`],
//! [`stats`], the [`RunRecord`], the scene as run, and [`checkpoint`]s. A [`FrameWriter`] writes
//! frames beside the simulation. [`PastRun`] reads these files again, [`FrameFile`] the particles
//! of a frame. A [`RunWatch`] says when the numbers of a run are not to be trusted.

mod build;
mod carried;
mod checked;
mod contact;
mod diagnosis;
mod driven;
mod elastic_mesh;
mod emitter;
mod error;
pub mod expression;
mod fill;
mod formula;
#[doc(hidden)]
pub mod fuzzing;
pub mod gallery;
mod geostatic;
mod heat;
mod initial_state;
mod initial_velocity;
mod instance;
mod integrator;
mod load;
mod machine_memory;
mod material;
mod memory_estimate;
mod mixture;
mod motion;
mod number;
mod object;
mod object_matter;
mod obstacle;
mod output;
mod particle_file;
mod ply_number;
mod points;
mod read;
mod render;
mod require;
mod sampling;
mod scene;
mod schema;
mod setting;
mod setup;
mod shape;
mod solid;
mod source;
mod string;
mod suggest;
mod unit;

pub use build::{Built, Precise};
pub use carried::Carried;
pub use elastic_mesh::{Copies, ElasticMesh, Hold, MeshForm, MeshLaw, MeshTopology};
pub use emitter::{Emitter, Flow, FrameOutcome, Sink};
pub use error::{Problem, SceneError};
pub use expression::{
    ColumnError, Expression, ExpressionError, ExpressionProblem, NonFinite, Scratch,
};
pub use geostatic::Geostatic;
pub use heat::preset::{SUBSTANCES, Substance};
pub use heat::{Air, Heat, Liquid, ThermalMaterial};
pub use initial_state::InitialState;
pub use integrator::{
    Integrator, LinearSolver, Newton, Optimization, Preconditioner, SemiImplicit,
};
pub use load::{Load, ObjectChoice};
pub use material::{Material, SceneMaterial};
pub use number::{Number, VectorOf};
pub use object::{AngularVelocity, Object, Objects};
pub use obstacle::{ActsOn, Axis, Collider, Contact, Matter, Motion, Wall};
pub use output::{
    AtomicFile, Checkpoints, CompressionWatch, CrushedMatter, EnergyGrowth, EnergyWatch, Existing,
    Format, FrameBudget, FrameColumn, FrameFile, FrameFileError, FrameWriter, Output, OutputError,
    PastError, PastRun, RunDirectory, RunRecord, RunState, RunWarning, RunWatch, Seconds, Solves,
    StoppedOnGrowth, VolumeMismatch, VolumeWatch, checkpoint, differences, frame, npz, ply, pvd,
    stats, vtk,
};
pub use particle_file::{ParticleFile, ParticleVolume, StateSource};
pub use render::{
    CameraChoice, ColorMap, Cut, DRAPER_POINT, GridQuantity, LiquidLook, MatterLook, NamedView,
    ParticleShape, Render, Slice, SolidLook, SolidSurface,
};
pub use sampling::{Color, ColorShare, Sampling};
pub use scene::{Damping, Grid, Kernel, Periodic, Physics, Precision, Scene, Time, Transfer};
pub use schema::schema;
pub use setting::{Setting, SettingError, with_preview, with_settings};
pub use shape::{
    AssetError, BitmapShape, Checksum, Colors, LevelSetShape, Mask, MeshShape, MovedShape,
    PackedAsset, Revolve, Scale, SequenceShape, Shape, Threshold, Turn, Warning,
};
pub use solid::Obstacle;
pub use source::{Source, SourceLocation};
pub use suggest::nearest;
pub use thixo::material::description::LongSteps;

/// The examples of the repository's pages, as tests: they cannot lie.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../CONTRIBUTING.md")]
    struct Contributing;
}
