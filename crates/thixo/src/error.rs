//! Errors of building and of running a simulation.

use core::fmt;

use thiserror::Error;
use thixo_material::parameters::ParameterError;
use thixo_poisson::SolveError;

use crate::mesh_defect::MeshDefect;

/// An input that cannot be simulated. Every variant carries the value and the permitted range.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A quantity that must be positive and finite is not.
    #[error("{quantity} is {value:?}; it must be positive and finite")]
    NotPositive {
        /// Name of the parameter, as in scenes.
        key: &'static str,
        /// Quantity, with its unit.
        quantity: &'static str,
        /// Value given, in the unit of the quantity.
        value: f64,
    },
    /// A quantity outside its range.
    #[error("{quantity} is {value:?}; it must be {range}")]
    OutOfRange {
        /// Name of the parameter, as in scenes.
        key: &'static str,
        /// Quantity, with its unit.
        quantity: &'static str,
        /// Value given, in the unit of the quantity.
        value: f64,
        /// Permitted range.
        range: &'static str,
    },
    /// A parameter of a law outside its range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A particle with a non-finite number.
    #[error(
        "{quantity} of particle {index} is {value:?}; every component must be finite in the precision of the simulation"
    )]
    NonFinite {
        /// Quantity of the particle.
        quantity: SeedQuantity,
        /// Index among the particles being added.
        index: usize,
        /// Value given, in the unit of the quantity.
        value: Vec<f64>,
    },
    /// Too few or too many numbers for the particles that there are.
    #[error("{found} numbers were given where the particles need {expected}")]
    NumberOfValues {
        /// Numbers given.
        found: usize,
        /// Numbers of all particles.
        expected: usize,
    },
    /// A particle with a mass, volume or deformation that cannot be simulated.
    #[error(
        "{quantity} of particle {index} is {value:?}; in this precision it must be at least {least:.1e}, and finite"
    )]
    BadParticle {
        /// Quantity of the particle.
        quantity: SeedQuantity,
        /// Index among the particles being added.
        index: usize,
        /// Value given, in the unit of the quantity.
        value: f64,
        /// Smallest value that can be simulated, in the unit of the quantity.
        least: f64,
    },
    /// A particle too far away for the grid to number its cell.
    #[error(
        "particle {index} is at {position:?} m, but cells can be numbered only within ±{reach} m of the origin; \
         move the scene to the origin or use a larger grid spacing"
    )]
    TooFar {
        /// Index among the particles being added.
        index: usize,
        /// Position of the particle \[m\].
        position: Vec<f64>,
        /// Largest coordinate that cells can be numbered up to \[m\].
        reach: f64,
    },
    /// Number of per-particle parameters that does not match the particles.
    #[error(
        "{given} parameters were given for {particles} particles of a material with {own} parameters per particle{}",
        if *own == 0 { "; make it with PerParticle to have some" } else { "" }
    )]
    ParameterCount {
        /// Values given.
        given: usize,
        /// Particles being added.
        particles: usize,
        /// Parameters that each particle has.
        own: usize,
    },
    /// Number of history values that does not match the particles.
    #[error(
        "{given} values of history were given for {particles} particles of a material with {variables} history variables"
    )]
    HistoryCount {
        /// Values given.
        given: usize,
        /// Particles being added.
        particles: usize,
        /// History variables that each particle has.
        variables: usize,
    },
    /// A history variable that a particle cannot have.
    #[error("{name} of particle {index} is {value:?}; it must be {range}")]
    BadHistory {
        /// Name of the variable.
        name: &'static str,
        /// Position of the particle in the list being added.
        index: usize,
        /// The value.
        value: f64,
        /// The allowed range in words.
        range: &'static str,
    },
    /// A material that does not belong to exactly one phase.
    #[error(
        "material {material} belongs to {phases}; in a mixture every material belongs to exactly one"
    )]
    PhaseOfMaterial {
        /// Index of the material.
        material: usize,
        /// The phases that it belongs to, in words.
        phases: &'static str,
    },
    /// An index of a phase that there is not.
    #[error("phase {index} does not exist: there are {count}, numbered from 0")]
    NoSuchPhase {
        /// The index.
        index: usize,
        /// Number of phases.
        count: usize,
    },
    /// Drag of a phase with itself.
    #[error("the phase {phase:?} cannot drag itself along; drag acts between two phases")]
    CoupledToItself {
        /// Name of the phase.
        phase: String,
    },
    /// A phase that is held in place, and another locked to it.
    #[error(
        "the phase {phase:?} is held in place: matter that is locked to it could not move at all; choose another form of drag"
    )]
    LockedToHeld {
        /// Name of the phase.
        phase: String,
    },
    /// An interaction with a material whose particles have no parameters of their own.
    #[error(
        "the parameters of material {material} are to depend on how wet it is, but its particles have none of their own; make it with PerParticle"
    )]
    InteractionWithoutParameters {
        /// Index of the material.
        material: usize,
    },
    /// No carried quantity that could hold the wetness.
    #[error("no carried quantity holds the wetness {name:?} of particles; carry one of that name")]
    NoWetness {
        /// Name of the quantity.
        name: String,
    },
    /// A mixture together with an integrator that knows one velocity only.
    #[error(
        "phases need explicit steps, and the integrator is {integrator}: it knows one velocity at a place only"
    )]
    MixtureNeedsExplicit {
        /// Name of the integrator.
        integrator: &'static str,
    },
    /// Damping together with an integrator that cannot have it.
    #[error(
        "damping acts in explicit steps, and the integrator is {integrator}; use explicit steps to come to rest, or leave damping out"
    )]
    DampingNeedsExplicit {
        /// Name of the integrator.
        integrator: &'static str,
    },
    /// Number of carried values that does not match the particles.
    #[error(
        "{given} carried values were given for {particles} particles that carry {carried} quantities each"
    )]
    CarriedCount {
        /// Values given.
        given: usize,
        /// Particles being added.
        particles: usize,
        /// Quantities that each particle carries.
        carried: usize,
    },
    /// Number of temperatures or melting points that does not match the particles.
    #[error(
        "{given} values of the {quantity} were given for {particles} particles{}",
        if *particles == 0 { " that conduct heat; set up heat, or leave them out" } else { "" }
    )]
    TemperatureCount {
        /// The quantity.
        quantity: SeedQuantity,
        /// Values given.
        given: usize,
        /// Particles being added; 0 without heat.
        particles: usize,
    },
    /// Thermal properties of another number of materials than there are.
    #[error("thermal properties of {given} materials were given, and there are {materials}")]
    ThermalCount {
        /// Materials with thermal properties.
        given: usize,
        /// Number of materials.
        materials: usize,
    },
    /// A law whose melt would have another energy.
    #[error(
        "matter of the law {material} cannot melt: its shear and its volume have no energies of their own, so that freezing would make energy; use split_corotated, hencky, von_mises, herschel_bulkley or fluid, or leave the melting point out"
    )]
    CannotMelt {
        /// Name of the material.
        material: &'static str,
    },
    /// An invalid carried quantity.
    #[error("the carried quantity {name:?} {problem}")]
    BadCarried {
        /// Name of the quantity.
        name: String,
        /// The problem, and its remedy.
        problem: &'static str,
    },
    /// A load without a surface.
    #[error(
        "the load {name:?} has no surface to act on; choose a region that holds part of the surface of the matter"
    )]
    NoSurface {
        /// Name of the loaded surface.
        name: String,
    },
    /// An element of a loaded surface with a non-finite number.
    #[error(
        "{quantity} of element {index} of the load {name:?} is {value:?}; every component must be finite"
    )]
    BadElement {
        /// Name of the loaded surface.
        name: String,
        /// Index of the element.
        index: usize,
        /// Quantity, with its unit.
        quantity: &'static str,
        /// Value given, in the unit of the quantity.
        value: Vec<f64>,
    },
    /// More particles than can be numbered.
    #[error("{requested} particles are more than the {limit} that one simulation can number")]
    TooManyParticles {
        /// Number of particles requested.
        requested: usize,
        /// Largest number of particles.
        limit: usize,
    },
    /// A period that is not a whole number of blocks.
    #[error(
        "axis {axis} is periodic after {cells} cells; that must be a multiple of 4 between 4 and 262144"
    )]
    Period {
        /// Index of the axis, from 0.
        axis: usize,
        /// Period given \[cells\].
        cells: u32,
    },
    /// The transfer needs a kernel whose D_p is invertible everywhere.
    #[error(
        "the {transfer} transfer needs the quadratic or cubic kernel: with the linear one D_p vanishes when a particle \
         sits on a node"
    )]
    KernelTooRough {
        /// Name of the transfer.
        transfer: &'static str,
    },
    /// Implicit steps need a kernel with continuous gradients.
    #[error(
        "the {integrator} integrator needs the quadratic or cubic kernel: with the linear one forces jump when a \
         particle crosses a cell; choose another kernel or explicit steps"
    )]
    KernelNotSmooth {
        /// Name of the integrator.
        integrator: &'static str,
    },
    /// Reflection needs a wall on a line of nodes.
    #[error(
        "the wall at {position} m is not on a line of nodes; the nearest are at {below} m and {above} m (or use a level-set plane)"
    )]
    WallOffNodes {
        /// Position of the wall \[m\].
        position: f64,
        /// Nearest line of nodes below \[m\].
        below: f64,
        /// Nearest line of nodes above \[m\].
        above: f64,
    },
    /// A wall across a periodic axis.
    #[error("a wall stands across axis {axis}, which is periodic; remove one of them")]
    WallOnPeriodicAxis {
        /// Index of the axis, from 0.
        axis: usize,
    },
    /// A material index that does not exist.
    #[error("material {index} does not exist; there are {count}")]
    NoSuchMaterial {
        /// Index given.
        index: usize,
        /// Number of materials.
        count: usize,
    },
    /// Implicit steps need an energy from which the stress follows.
    #[error(
        "the {integrator} integrator needs an energy, and the material {material} has none; use the explicit integrator or another material"
    )]
    NoPotential {
        /// Name of the material.
        material: &'static str,
        /// Name of the integrator.
        integrator: &'static str,
    },
    /// A projection needs a pressure apart from the deviatoric stress.
    #[error(
        "the projection needs a law whose pressure is apart from its shear, and {material} has none; use fluid, split_corotated, hencky, von_mises or herschel_bulkley, or another integrator"
    )]
    NoSplit {
        /// Name of the material.
        material: &'static str,
    },
    /// A projection has one contact of an obstacle with all matter.
    #[error(
        "obstacle {index} has contacts of its own with single materials, and the projection one with all matter; remove them, or use another integrator"
    )]
    ContactByMaterial {
        /// Index of the obstacle.
        index: usize,
    },
    /// Matter whose volume cannot change has no stress that follows from it.
    #[error(
        "the {material} is incompressible, and the {integrator} integrator needs a stiffness; use the projection, or give a bulk modulus (fluid) or a Poisson's ratio below 0.5"
    )]
    Incompressible {
        /// Name of the material.
        material: &'static str,
        /// Name of the integrator.
        integrator: &'static str,
    },
    /// A mesh that cannot be simulated.
    #[error("mesh {name:?}: {defect}")]
    Mesh {
        /// Name of the mesh.
        name: String,
        /// What is wrong with it.
        defect: MeshDefect,
    },
    /// A mesh with an integrator that does not solve for its forces.
    #[error(
        "mesh {name:?} needs the explicit, semi-implicit, newton or optimization integrator; {integrator} knows no forces of meshes"
    )]
    MeshIntegrator {
        /// Name of the mesh.
        name: String,
        /// Name of the integrator.
        integrator: &'static str,
    },
    /// A mesh among phases that move apart.
    #[error(
        "mesh {name:?} cannot be coupled to matter in phases; leave out the phases, or make the mesh a body of particles"
    )]
    MeshInMixture {
        /// Name of the mesh.
        name: String,
    },
    /// A simulation without particles was requested to run.
    #[error("the simulation has no particles; add some before advancing")]
    Empty,
    /// A simulation with particles was requested to let time pass without moving them.
    #[error("the simulation has {count} particles, which cannot wait; advance it")]
    NotEmpty {
        /// Number of particles.
        count: usize,
    },
    /// Threads could not be started.
    #[error("{0}")]
    Threads(String),
    /// The requested instruction set is not available.
    #[error(transparent)]
    Isa(#[from] IsaError),
}

impl BuildError {
    /// Name of the refused parameter, as in scenes; none if the error is not about one parameter.
    /// Parameters without a key in scenes have the name of the argument.
    pub fn key(&self) -> Option<&'static str> {
        match self {
            Self::NotPositive { key, .. } | Self::OutOfRange { key, .. } => Some(key),
            Self::Parameter(error) => Some(error.key),
            Self::Period { .. } => Some("periodic"),
            Self::KernelTooRough { .. } => Some("kernel"),
            Self::WallOffNodes { .. } => Some("position"),
            Self::WallOnPeriodicAxis { .. } => Some("axis"),
            _ => None,
        }
    }
}

/// Refuses a number that is not positive and finite.
pub(crate) fn positive(
    key: &'static str,
    quantity: &'static str,
    value: f64,
) -> Result<f64, BuildError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(BuildError::NotPositive {
            key,
            quantity,
            value,
        })
    }
}

/// A quantity of a particle that is to be inserted; written with its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SeedQuantity {
    /// Position x \[m\].
    Position,
    /// Velocity v \[m/s\].
    Velocity,
    /// Velocity gradient ∇v \[1/s\].
    VelocityGradient,
    /// Deformation gradient F \[–\].
    DeformationGradient,
    /// Determinant J of the deformation gradient \[–\].
    Determinant,
    /// Volume ratio J of the state, with its plastic part \[–\].
    VolumeRatio,
    /// Mass \[kg\].
    Mass,
    /// Rest volume V⁰ \[m³\].
    RestVolume,
    /// Parameters of the law that belong to the particle.
    Parameters,
    /// A carried quantity, in its own unit.
    Carried {
        /// Index in [`Setup::carried`](crate::Setup::carried).
        index: usize,
    },
    /// Temperature \[K\].
    Temperature,
    /// Melting point \[K\].
    MeltingPoint,
}

impl fmt::Display for SeedQuantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Position => "position [m]",
            Self::Velocity => "velocity [m/s]",
            Self::VelocityGradient => "velocity gradient [1/s]",
            Self::DeformationGradient => "deformation gradient",
            Self::Determinant => "determinant of the deformation gradient",
            Self::VolumeRatio => "volume ratio",
            Self::Mass => "mass [kg]",
            Self::RestVolume => "rest volume [m³]",
            Self::Parameters => "parameters",
            Self::Carried { .. } => "carried value",
            Self::Temperature => "temperature [K]",
            Self::MeltingPoint => "melting point [K]",
        })
    }
}

/// The instruction set requested by `THIXO_ISA` is not available.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{0}")]
pub struct IsaError(pub String);

/// A failure of a running simulation, with advice.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum StepError {
    /// A quantity of a particle is infinite or not a number.
    #[error(
        "at t = {time:.6e} s {quantity} of particle {particle} ({material}) became {value}; the last step tried was {dt:.3e} s. \
         Look for extreme velocities, body forces or stiffness near it, or lower the CFL number"
    )]
    NonFinite {
        /// Identifier of the particle.
        particle: u32,
        /// Name of its material.
        material: String,
        /// Quantity, with its unit.
        quantity: &'static str,
        /// Value of the quantity.
        value: f64,
        /// Simulated time \[s\].
        time: f64,
        /// Last time step tried \[s\].
        dt: f64,
    },
    /// A particle with a volume ratio that is not positive.
    #[error(
        "at t = {time:.6e} s particle {particle} ({material}) has the volume ratio J = {volume_ratio:e}; the last step tried was {dt:.3e} s. \
         Stiffen the material, slow down what squeezes it, or refine the grid"
    )]
    Inverted {
        /// Identifier of the particle.
        particle: u32,
        /// Name of its material.
        material: String,
        /// Volume ratio J \[–\].
        volume_ratio: f64,
        /// Simulated time \[s\].
        time: f64,
        /// Last time step tried \[s\].
        dt: f64,
    },
    /// A velocity on the grid is infinite or not a number though the particles are finite.
    #[error(
        "at t = {time:.6e} s a velocity on the grid became infinite or not a number; the last step tried was {dt:.3e} s. \
         Look for a body force or a stress beyond all bounds, or masses beyond the range of this precision"
    )]
    GridNonFinite {
        /// Simulated time \[s\].
        time: f64,
        /// Last time step tried \[s\].
        dt: f64,
    },
    /// A particle crosses too much of a cell in one step, after all retries.
    #[error(
        "at t = {time:.6e} s a particle moved {cells:.3} cells in one step of {dt:.3e} s, more than the CFL number allows. \
         Look for a sudden force or a collider that jumps; where the length of the step was given, make it shorter"
    )]
    TooFast {
        /// Displacement in the step \[cells\].
        cells: f64,
        /// Simulated time \[s\].
        time: f64,
        /// The step \[s\].
        dt: f64,
    },
    /// A particle left the region in which the grid can number cells.
    #[error(
        "at t = {time:.6e} s particle {particle} is at {position:?} m, beyond the ±{reach:.3e} m that the grid can number. \
         Add a collider or remove particles that leave the scene"
    )]
    OutOfGrid {
        /// Identifier of the particle.
        particle: u32,
        /// Position of the particle \[m\].
        position: Vec<f64>,
        /// Largest coordinate that cells can be numbered up to \[m\].
        reach: f64,
        /// Simulated time \[s\].
        time: f64,
    },
    /// The stable time step is too small to advance.
    #[error(
        "at t = {time:.6e} s the stable time step is {dt:.3e} s, too small to reach the end of a frame of {frame:.3e} s; limited by {limit}. \
         Ease what limits it, or use a larger grid spacing or shorter frames"
    )]
    StepTooSmall {
        /// The step \[s\].
        dt: f64,
        /// Length of the frame \[s\].
        frame: f64,
        /// The limit that decides it.
        limit: &'static str,
        /// Simulated time \[s\].
        time: f64,
    },
    /// The step that the user fixed is longer than stability allows.
    #[error(
        "at t = {time:.6e} s the fixed time step of {dt:.3e} s is above {limit:.3e} s, the limit by {which}.          Fix a shorter step, or leave its length to the program"
    )]
    FixedStepTooLong {
        /// The step \[s\].
        dt: f64,
        /// The longest step that is allowed \[s\].
        limit: f64,
        /// The limit that decides it.
        which: &'static str,
        /// Simulated time \[s\].
        time: f64,
    },
    /// An implicit solve that did not converge, however short the step.
    #[error(
        "at t = {time:.6e} s a step of {dt:.3e} s was not solved by the {integrator} integrator: {unsolved} {}, most of it near {position:?}. {}",
        list(history), unsolved.advice()
    )]
    NotConverged {
        /// Name of the integrator.
        integrator: &'static str,
        /// Unknowns that did not converge.
        unsolved: Unsolved,
        /// Relative errors \[–\], by iteration or by update of the active set.
        history: Vec<f64>,
        /// Node with the largest error \[m\].
        position: Vec<f64>,
        /// Simulated time \[s\].
        time: f64,
        /// The step \[s\].
        dt: f64,
    },
    /// A solve of a projection that did not converge, however short the step.
    #[error(
        "at t = {time:.6e} s a step of {dt:.3e} s was not solved by the projection integrator: after {iterations} iterations the {solve} has a relative residual of {residual:.2e}, and {tolerance:.1e} was asked for. {}",
        solve.advice()
    )]
    ProjectionNotConverged {
        /// The solve.
        solve: ProjectionSolve,
        /// Iterations made.
        iterations: u32,
        /// Residual relative to the right-hand side \[–\].
        residual: f64,
        /// The residual that was asked for \[–\].
        tolerance: f64,
        /// Simulated time \[s\].
        time: f64,
        /// The step \[s\].
        dt: f64,
    },
    /// The equations of the pressure have no solution.
    #[error("at t = {time:.6e} s the pressure of the projection has no solution: {cause}")]
    NoPressure {
        /// What the solver refuses.
        cause: SolveError,
        /// Simulated time \[s\].
        time: f64,
    },
    /// The equations of conduction were not solved.
    #[error(
        "at t = {time:.6e} s the conduction of heat was not solved: {cause}. Use shorter steps of it (heat.longest_step), or conductivities that differ less"
    )]
    NoTemperature {
        /// What the solver refuses.
        cause: SolveError,
        /// Simulated time \[s\].
        time: f64,
    },
    /// Incompressible matter has no room.
    #[error(
        "at t = {time:.6e} s a closed region of {room:.6e} m³ holds {volume:.6e} m³ of incompressible matter; leave it room, a free surface or a sink, or give the matter a bulk modulus"
    )]
    Overfilled {
        /// Volume of the matter \[m³\].
        volume: f64,
        /// Volume of the region \[m³\].
        room: f64,
        /// Simulated time \[s\].
        time: f64,
    },
    /// Solids move into a region that incompressible matter fills.
    #[error(
        "at t = {time:.6e} s walls and obstacles move at {rate:.3e} m³/s into a closed region of {room:.6e} m³ that incompressible matter fills; leave it a free surface or a sink, let as much out elsewhere, or give the matter a bulk modulus"
    )]
    IncompatibleInflow {
        /// Volume that solids displace into the region \[m³/s\].
        rate: f64,
        /// Volume of the region \[m³\].
        room: f64,
        /// Simulated time \[s\].
        time: f64,
    },
    /// An early end was requested.
    #[error("stopped at t = {time:.6e} s, as was asked")]
    Stopped {
        /// Simulated time \[s\].
        time: f64,
    },
    /// No particles, or an invalid length of the frame.
    #[error(transparent)]
    Input(#[from] BuildError),
}

/// A linear solve of a projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectionSolve {
    /// Velocities under deviatoric forces of the end of the step.
    Deviatoric,
    /// Pressure.
    Pressure,
}

impl ProjectionSolve {
    fn advice(self) -> &'static str {
        match self {
            Self::Deviatoric => {
                "Use shorter steps (time.longest_step), or softer or thinner matter"
            }
            Self::Pressure => {
                "Allow more iterations or a larger tolerance (physics.integrator.projection), or \
                 use shorter steps (time.longest_step)"
            }
        }
    }
}

impl fmt::Display for ProjectionSolve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deviatoric => "solve for shear and viscosity",
            Self::Pressure => "pressure",
        })
    }
}

/// Unknowns of an implicit solve that did not converge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsolved {
    /// Velocities in balance with the forces; errors are fractions of the change in the step, by
    /// iteration.
    Velocities,
    /// Active contacts and their friction; errors are fractions of their impulses, by update of the
    /// active set.
    Contacts,
    /// Impulses of the particles after the sweeps of X-PBD; errors are relative to the momenta and
    /// forces at work, after as many sweeps as were set, twice as many, and so on.
    Sweeps {
        /// Sweeps that solve the step well enough for those after it, by trial; none if they are
        /// not known.
        needed: Option<u32>,
    },
}

impl Unsolved {
    fn advice(self) -> String {
        let advice = match self {
            Self::Velocities => "Use the optimization integrator, shorter steps or more iterations",
            Self::Contacts => "Use the optimization integrator or shorter steps",
            Self::Sweeps { needed: None } => {
                "Use the optimization integrator or shorter steps (time.longest_step)"
            }
            Self::Sweeps {
                needed: Some(sweeps),
            } => {
                return format!(
                    "Set iterations = {sweeps}, or use shorter steps (time.longest_step) or the \
                     optimization integrator"
                );
            }
        };
        advice.to_owned()
    }
}

impl fmt::Display for Unsolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Velocities => "errors of the velocities",
            Self::Contacts => "errors of contacts and friction",
            Self::Sweeps { .. } => "errors of the balance of forces",
        })
    }
}

/// The first and the last of many numbers.
fn list(numbers: &[f64]) -> String {
    let text: Vec<String> = numbers.iter().map(|x| format!("{x:.2e}")).collect();
    match text.len() {
        0..=8 => text.join(", "),
        n => format!("{}, …, {}", text[..3].join(", "), text[n - 4..].join(", ")),
    }
}
