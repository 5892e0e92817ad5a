//! Time integrators, as a scene names them.

use std::fmt;

use schemars::{JsonSchema, Schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use thixo::integrate::implicit as engine;

use crate::error::SceneError;
use crate::scene::Scene;

/// The method that finds the velocities at the end of a step: a word, or a table with options.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[schemars(transform = allow_words)]
#[non_exhaustive]
pub enum Integrator {
    /// From the forces at the beginning of the step: cheap steps, limited by the stiffness of the
    /// matter.
    #[default]
    Explicit,
    /// `{ semi_implicit = {} }`: from forces that are linear in the velocity, one linear system a
    /// step.
    SemiImplicit(SemiImplicit),
    /// `{ newton = {} }`: from the forces at the end, by Newton's method without safeguards; for
    /// comparison.
    Newton(Newton),
    /// `{ optimization = {} }`: from the forces at the end, as the minimum of an energy. Steps are
    /// limited only by how far matter may move in one.
    Optimization(Optimization),
    /// `{ xpbd = {} }`: towards that minimum by some sweeps over the particles, each cheaper than
    /// an explicit step. Steps longer than explicit ones, but not without limit.
    Xpbd(Xpbd),
    /// `{ projection = {} }`: pressure by a solve on a staggered grid, for matter from soft to
    /// incompressible; steps are limited by how far matter may move in one, not by sound.
    Projection(Projection),
}

/// Words for integrators.
const WORDS: &[&str] = &[
    "explicit",
    "semi_implicit",
    "newton",
    "optimization",
    "xpbd",
    "projection",
];

impl Integrator {
    /// The integrator of a word, with all options at their defaults.
    fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "explicit" => Self::Explicit,
            "semi_implicit" => Self::SemiImplicit(SemiImplicit::default()),
            "newton" => Self::Newton(Newton::default()),
            "optimization" => Self::Optimization(Optimization::default()),
            "xpbd" => Self::Xpbd(Xpbd::default()),
            "projection" => Self::Projection(Projection::default()),
            _ => return None,
        })
    }
}

/// Integrators with options.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum WithOptions {
    Explicit,
    SemiImplicit(SemiImplicit),
    Newton(Newton),
    Optimization(Optimization),
    Xpbd(Xpbd),
    Projection(Projection),
}

impl From<WithOptions> for Integrator {
    fn from(table: WithOptions) -> Self {
        match table {
            WithOptions::Explicit => Self::Explicit,
            WithOptions::SemiImplicit(options) => Self::SemiImplicit(options),
            WithOptions::Newton(options) => Self::Newton(options),
            WithOptions::Optimization(options) => Self::Optimization(options),
            WithOptions::Xpbd(options) => Self::Xpbd(options),
            WithOptions::Projection(options) => Self::Projection(options),
        }
    }
}

impl<'de> Deserialize<'de> for Integrator {
    fn deserialize<S: Deserializer<'de>>(deserializer: S) -> Result<Self, S::Error> {
        struct WordOrTable;

        impl<'de> Visitor<'de> for WordOrTable {
            type Value = Integrator;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a word or a table with one key")
            }
            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Integrator, E> {
                Integrator::of_word(word).ok_or_else(|| E::unknown_variant(word, WORDS))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Integrator, A::Error> {
                let table = WithOptions::deserialize(MapAccessDeserializer::new(map))?;
                Ok(table.into())
            }
        }

        deserializer.deserialize_any(WordOrTable)
    }
}

/// Adds the words for integrators with all options at their defaults.
fn allow_words(schema: &mut Schema) {
    if let Some(serde_json::Value::Array(choices)) = schema.get_mut("oneOf") {
        choices.push(serde_json::json!({
            "description": "The same with all options at their defaults.",
            "type": "string",
            "enum": WORDS[1..],
        }));
    }
}

/// The solver of linear systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinearSolver {
    /// Conjugate residuals.
    ConjugateResidual,
    /// The minimal residual method.
    Minres,
}

/// The preconditioner of linear solves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preconditioner {
    /// Nothing, as in the first implicit snow; for comparison.
    None,
    /// The masses of the nodes.
    Mass,
    /// Their masses and stiffnesses: fewer iterations where matter is stiff.
    #[default]
    Stiffness,
}

/// Options of semi-implicit steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SemiImplicit {
    /// β \[–\], 0 (explicit) to 1 (backward Euler). Default: 1.
    #[schemars(range(min = 0, max = 1))]
    pub implicitness: f64,
    /// Solver of the linear system. Default: `"conjugate_residual"`.
    pub solver: LinearSolver,
    /// Share of the residual that may be left, above 0 and below 1. Default: 1e-4.
    pub tolerance: f64,
    /// Iterations, at most. Default: 500.
    #[schemars(range(min = 1))]
    pub linear_iterations: u32,
    /// Preconditioner of the solve. Default: `"stiffness"`.
    pub preconditioner: Preconditioner,
}

/// Options of Newton's method.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Newton {
    /// Error that velocities may have, as a share of what internal forces change in the step, above
    /// 0 and below 1. Default: 0.05.
    pub tolerance: f64,
    /// Newton iterations in a step, at most. Default: 50.
    #[schemars(range(min = 1))]
    pub iterations: u32,
    /// Solver of the linear systems. Default: `"minres"`.
    pub solver: LinearSolver,
    /// Share of the residual that a linear solve may leave, above 0 and below 1. Default: 1e-3.
    pub linear_tolerance: f64,
    /// Iterations of a linear solve, at most. Default: 500.
    #[schemars(range(min = 1))]
    pub linear_iterations: u32,
    /// Preconditioner of the linear solves. Default: `"stiffness"`.
    pub preconditioner: Preconditioner,
}

/// Options of the optimisation integrator.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Optimization {
    /// Error that velocities may have, as a share of what internal forces change in the step, above
    /// 0 and below 1. Default: 0.05.
    pub tolerance: f64,
    /// Newton iterations in a step, at most. Default: 50.
    #[schemars(range(min = 1))]
    pub iterations: u32,
    /// Iterations of a linear solve, at most. Default: 500.
    #[schemars(range(min = 1))]
    pub linear_iterations: u32,
    /// Preconditioner of the linear solves. Default: `"stiffness"`.
    pub preconditioner: Preconditioner,
    /// Rayleigh damping \[s\], zero or positive: stress of so many seconds of the rate at which
    /// elastic stress changes. Default: 0.
    #[schemars(range(min = 0))]
    pub damping: f64,
    /// With the velocity of which place particles are moved. Default: `"forward"`.
    pub advection: Advection,
}

/// With the velocity of which place particles are moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Advection {
    /// Of the place they leave, as in explicit steps.
    Forward,
    /// Of the place where they arrive: matter stops in front of obstacles, however long the step,
    /// and shrinks where it turns.
    Backward,
}

/// Options of the X-PBD integrator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Xpbd {
    /// Sweeps over all particles in a step; more make matter stiffer and steps dearer. Default: 10.
    #[schemars(range(min = 1))]
    pub iterations: u32,
    /// Variables that the constraint update of a particle changes. Default: `"replaced"`.
    pub form: XpbdForm,
    /// Number of transfers of velocities from particles to grid and back in a step. Default:
    /// `"as_explicit"`.
    pub transfers: XpbdTransfers,
}

/// Transfers of velocities from particles to grid and back in a step of X-PBD, by which matter is
/// damped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum XpbdTransfers {
    /// As often as in the explicit steps that fit into it, at most 20 times: matter is damped as by
    /// explicit steps.
    #[default]
    AsExplicit,
    /// Once: cheaper, and matter is damped less the longer steps are.
    Once,
}

/// Variables that the constraint update of a particle in X-PBD changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum XpbdForm {
    /// The whole impulse that the particle gives to its nodes: sweeps converge to the velocity that
    /// the optimisation finds.
    #[default]
    Replaced,
    /// The multiplier alone, as in Qu et al. Eq. 25; for comparison: however many sweeps are made,
    /// an error stays that grows with the step.
    #[serde(rename = "as_printed")]
    QuEq25,
}

/// Options of the projection.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Projection {
    /// Share of the divergence that may be left, 1e-14 to 0.1. Default: 1e-6.
    #[schemars(range(min = 1e-14, max = 0.1))]
    pub tolerance: f64,
    /// Iterations of the pressure solve, at most. Default: 500.
    #[schemars(range(min = 1))]
    pub iterations: u32,
    /// Cut of the grid by walls and colliders. Default: `"fractions"`.
    pub boundary: Boundary,
    /// Place at which the pressure vanishes. Default: `"sub_cell"`.
    pub surface: FreeSurface,
    /// Density of faces. Default: `"matter"`.
    pub density: FaceDensity,
    /// Integration of shear and viscosity. Default: `"automatic"`.
    pub deviatoric: Deviatoric,
    /// Means that keep particles of fluids evenly spread. Default: `"shifting"`.
    pub spreading: Spreading,
}

/// Cut of the grid of a projection by walls and colliders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Boundary {
    /// At their own place: faces have open shares.
    #[default]
    Fractions,
    /// Along the borders of cells, as printed in the thesis; for comparison.
    Voxels,
}

/// Place at which the pressure of a projection vanishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FreeSurface {
    /// At the surface of the matter, between cells.
    #[default]
    SubCell,
    /// At the centres of empty cells, as printed in the thesis; for comparison.
    Voxels,
}

/// Density of faces in a projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FaceDensity {
    /// That of the matter around them.
    #[default]
    Matter,
    /// Mass over the control volume, as printed in the thesis; for comparison.
    ControlVolume,
    /// Mass over the volume of a kernel: matter rises at walls. For comparison.
    Uncorrected,
}

/// Integration of shear and viscosity by a projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Deviatoric {
    /// Shear explicitly, so that its waves limit steps; viscosity by a linear solve where steps are
    /// too long to take it explicitly.
    #[default]
    Automatic,
    /// Explicitly: shear waves and viscosity limit steps.
    Explicit,
    /// By a linear solve in every step.
    Implicit,
}

/// Means that keep particles of fluids evenly spread in a projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Spreading {
    /// Small displacements of the particles in every step.
    #[default]
    Shifting,
    /// Nothing: particles clump and volume is lost. For comparison.
    Nothing,
}

impl Default for Projection {
    fn default() -> Self {
        let engine = thixo::projection::Projection::default();
        Self {
            tolerance: engine.tolerance,
            iterations: engine.iterations,
            boundary: Boundary::default(),
            surface: FreeSurface::default(),
            density: FaceDensity::default(),
            deviatoric: Deviatoric::default(),
            spreading: Spreading::default(),
        }
    }
}

impl From<Projection> for thixo::projection::Projection {
    fn from(own: Projection) -> Self {
        use thixo::projection as engine;
        Self::default()
            .with_tolerance(own.tolerance)
            .with_iterations(own.iterations)
            .with_boundary(match own.boundary {
                Boundary::Fractions => engine::Boundary::Fractions,
                Boundary::Voxels => engine::Boundary::Voxels,
            })
            .with_surface(match own.surface {
                FreeSurface::SubCell => engine::FreeSurface::SubCell,
                FreeSurface::Voxels => engine::FreeSurface::Voxels,
            })
            .with_density(match own.density {
                FaceDensity::Matter => engine::FaceDensity::Matter,
                FaceDensity::ControlVolume => engine::FaceDensity::ControlVolume,
                FaceDensity::Uncorrected => engine::FaceDensity::Uncorrected,
            })
            .with_deviatoric(match own.deviatoric {
                Deviatoric::Automatic => engine::Deviatoric::Automatic,
                Deviatoric::Explicit => engine::Deviatoric::Explicit,
                Deviatoric::Implicit => engine::Deviatoric::Implicit,
            })
            .with_spreading(match own.spreading {
                Spreading::Shifting => engine::Spreading::Shifting,
                Spreading::Nothing => engine::Spreading::Nothing,
            })
    }
}

impl From<XpbdForm> for engine::Form {
    fn from(form: XpbdForm) -> Self {
        match form {
            XpbdForm::Replaced => Self::Replaced,
            XpbdForm::QuEq25 => Self::QuEq25,
        }
    }
}

impl From<XpbdTransfers> for engine::Transfers {
    fn from(transfers: XpbdTransfers) -> Self {
        match transfers {
            XpbdTransfers::AsExplicit => Self::AsExplicit,
            XpbdTransfers::Once => Self::Once,
        }
    }
}

impl Default for Xpbd {
    fn default() -> Self {
        Self {
            iterations: engine::Xpbd::default().iterations,
            form: XpbdForm::default(),
            transfers: XpbdTransfers::default(),
        }
    }
}

impl From<LinearSolver> for engine::LinearSolver {
    fn from(solver: LinearSolver) -> Self {
        match solver {
            LinearSolver::ConjugateResidual => Self::ConjugateResidual,
            LinearSolver::Minres => Self::Minres,
        }
    }
}

impl From<engine::LinearSolver> for LinearSolver {
    fn from(solver: engine::LinearSolver) -> Self {
        match solver {
            engine::LinearSolver::ConjugateResidual => Self::ConjugateResidual,
            engine::LinearSolver::Minres => Self::Minres,
        }
    }
}

impl From<Advection> for thixo::transfer::Advection {
    fn from(advection: Advection) -> Self {
        match advection {
            Advection::Forward => Self::Forward,
            Advection::Backward => Self::Backward,
        }
    }
}

impl From<thixo::transfer::Advection> for Advection {
    fn from(advection: thixo::transfer::Advection) -> Self {
        match advection {
            thixo::transfer::Advection::Forward => Self::Forward,
            thixo::transfer::Advection::Backward => Self::Backward,
        }
    }
}

impl From<Preconditioner> for engine::Preconditioner {
    fn from(preconditioner: Preconditioner) -> Self {
        match preconditioner {
            Preconditioner::None => Self::None,
            Preconditioner::Mass => Self::Mass,
            Preconditioner::Stiffness => Self::Stiffness,
        }
    }
}

impl Default for SemiImplicit {
    fn default() -> Self {
        let engine = engine::SemiImplicit::default();
        Self {
            implicitness: engine.implicitness,
            solver: engine.solver.into(),
            tolerance: engine.tolerance,
            linear_iterations: engine.linear_iterations,
            preconditioner: Preconditioner::default(),
        }
    }
}

impl Default for Newton {
    fn default() -> Self {
        let engine = engine::Newton::default();
        Self {
            tolerance: engine.tolerance,
            iterations: engine.iterations,
            solver: engine.solver.into(),
            linear_tolerance: engine.linear_tolerance,
            linear_iterations: engine.linear_iterations,
            preconditioner: Preconditioner::default(),
        }
    }
}

impl Default for Optimization {
    fn default() -> Self {
        let engine = engine::Optimization::default();
        Self {
            tolerance: engine.tolerance,
            iterations: engine.iterations,
            linear_iterations: engine.linear_iterations,
            preconditioner: Preconditioner::default(),
            damping: engine.damping,
            advection: engine.advection.into(),
        }
    }
}

impl From<Integrator> for engine::Integrator {
    fn from(integrator: Integrator) -> Self {
        match integrator {
            Integrator::Explicit => Self::Explicit,
            Integrator::SemiImplicit(own) => Self::SemiImplicit(
                engine::SemiImplicit::default()
                    .with_implicitness(own.implicitness)
                    .with_solver(own.solver.into())
                    .with_tolerance(own.tolerance)
                    .with_linear_iterations(own.linear_iterations)
                    .with_preconditioner(own.preconditioner.into()),
            ),
            Integrator::Newton(own) => Self::Newton(
                engine::Newton::default()
                    .with_tolerance(own.tolerance)
                    .with_iterations(own.iterations)
                    .with_solver(own.solver.into())
                    .with_linear_tolerance(own.linear_tolerance)
                    .with_linear_iterations(own.linear_iterations)
                    .with_preconditioner(own.preconditioner.into()),
            ),
            Integrator::Optimization(own) => Self::Optimization(
                engine::Optimization::default()
                    .with_tolerance(own.tolerance)
                    .with_iterations(own.iterations)
                    .with_linear_iterations(own.linear_iterations)
                    .with_preconditioner(own.preconditioner.into())
                    .with_damping(own.damping)
                    .with_advection(own.advection.into()),
            ),
            Integrator::Xpbd(own) => Self::Xpbd(
                engine::Xpbd::default()
                    .with_iterations(own.iterations)
                    .with_form(own.form.into())
                    .with_transfers(own.transfers.into()),
            ),
            Integrator::Projection(own) => Self::Projection(own.into()),
        }
    }
}

impl Scene {
    /// The integrator as the engine takes it.
    pub(crate) fn integrator(&self) -> Result<engine::Integrator, SceneError> {
        let integrator = engine::Integrator::from(self.physics.integrator);
        integrator.check().map_err(|error| {
            let table = format!("physics.integrator.{}", integrator.name());
            self.refused_within(&table, error)
        })?;
        Ok(integrator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(integrator: &str) -> Result<Scene, SceneError> {
        let text = format!(
            "dimension = 2\n[grid]\nspacing = 1\n[time]\nframes = 1\n[physics]\nintegrator = {integrator}\n\
             [materials.m]\nmodel = 'fluid'\ndensity = 1\nbulk_modulus = 1\n\
             [[objects]]\nmaterial = 'm'\nshape = {{ sphere = {{ center = [0, 0], radius = 1 }} }}\n"
        );
        Scene::parse(&text, "s.toml")
    }

    #[test]
    fn options_have_the_defaults_of_the_engine_and_are_written_back() {
        let scene = read("{ optimization = { damping = 0.5 } }").unwrap();
        let expected = engine::Optimization::default().with_damping(0.5);
        let optimization = engine::Integrator::Optimization(expected);
        assert_eq!(scene.integrator().unwrap(), optimization);
        let again = Scene::parse(&scene.to_toml().unwrap(), "again.toml").unwrap();
        assert_eq!(again.physics, scene.physics);
        for (written, default) in [
            ("'explicit'", engine::Integrator::Explicit),
            (
                "{ semi_implicit = {} }",
                engine::Integrator::SemiImplicit(engine::SemiImplicit::default()),
            ),
            (
                "{ xpbd = {} }",
                engine::Integrator::Xpbd(engine::Xpbd::default()),
            ),
            (
                "{ xpbd = { form = 'as_printed', iterations = 20, transfers = 'once' } }",
                engine::Integrator::Xpbd(
                    engine::Xpbd::default()
                        .with_form(engine::Form::QuEq25)
                        .with_iterations(20)
                        .with_transfers(engine::Transfers::Once),
                ),
            ),
            (
                "{ newton = {} }",
                engine::Integrator::Newton(engine::Newton::default()),
            ),
            (
                "'optimization'",
                engine::Integrator::Optimization(engine::Optimization::default()),
            ),
            ("'xpbd'", engine::Integrator::Xpbd(engine::Xpbd::default())),
        ] {
            assert_eq!(read(written).unwrap().integrator().unwrap(), default);
        }
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_key() {
        for (integrator, key) in [
            (
                "{ optimization = { tolerance = 0 } }",
                "optimization.tolerance",
            ),
            (
                "{ optimization = { iterations = 0 } }",
                "optimization.iterations",
            ),
            (
                "{ optimization = { damping = -1 } }",
                "optimization.damping",
            ),
            ("{ xpbd = { iterations = 0 } }", "xpbd.iterations"),
            (
                "{ newton = { linear_tolerance = 2 } }",
                "newton.linear_tolerance",
            ),
            (
                "{ newton = { linear_iterations = 0 } }",
                "newton.linear_iterations",
            ),
            (
                "{ semi_implicit = { implicitness = 2 } }",
                "semi_implicit.implicitness",
            ),
            (
                "{ semi_implicit = { tolerance = 1 } }",
                "semi_implicit.tolerance",
            ),
        ] {
            let error = read(integrator).map(drop).unwrap_err().to_string();
            assert!(
                error.contains(&format!("physics.integrator.{key}")),
                "{integrator}: {error}"
            );
        }
        for wrong in ["'implicit'", "{ optimization = { tolerence = 1 } }"] {
            let error = read(wrong).unwrap_err().to_string();
            assert!(error.contains("s.toml:7"), "{wrong}: {error}");
        }
    }
}
