//! Implicit steps: velocities at the end of a step that agree with the forces there, so that stiffness sets no limit to the step.
//!
//! Backward Euler on the grid, M (v − v*) = Δt f(x + Δt v), solved in one of four ways, see [`Integrator`]. Positions, weights and plastic flow are treated as in the
//! explicit step. \[Jiang2016\] §11, \[Gast2015\], \[Ram2015\] §4.

mod apply;
mod block_sums;
mod constraint;
mod convergence;
mod friction;
mod line_search;
mod linear;
mod minimize;
mod pieces;
mod rounds;
mod system;
mod xpbd;

pub use linear::{LinearSolver, Newton, SemiImplicit};
pub use minimize::Optimization;
pub use system::Preconditioner;
pub use xpbd::{Form, Transfers, Xpbd};

use thixo_par::Scalar;

use self::constraint::Constraints;
use self::convergence::Convergence;
use self::friction::Rubbing;
use self::system::System;
use super::explicit;
use super::grid_update::{Velocities, update_grid};
use super::setup::CheckedSetup;
use super::stopwatch::{StageSeconds, Stopwatch};
use crate::collide::{self, Wall};
use crate::error::{BuildError, Unsolved};
use crate::grid::{Field, Geometry, Grid, MASS, Node};
use crate::material::potential::{HessianLayout, Reference};
use crate::particles::Particles;
use crate::state::State;
use crate::transfer::{self, Advection, StepOutcome, TransferContext};
use crate::workspace::Workspace;

/// How far off velocities may be unless told otherwise, as a share of what a step changes. Snowballs end where they do with a fiftieth of it, within 0.6 % of their size, in 60 %
/// of the iterations.
const TOLERANCE: f64 = 0.05;

/// How velocities at the end of a step are found.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Integrator {
    /// From the forces at the beginning: cheap steps, no longer than waves take through a cell.
    #[default]
    Explicit,
    /// From forces that are linear in the velocity: one linear system a step.
    SemiImplicit(SemiImplicit),
    /// From the forces at the end, by Newton's method without safeguards.
    Newton(Newton),
    /// From the forces at the end, as the minimum of an energy: as robust as it gets.
    Optimization(Optimization),
    /// Towards that minimum by some sweeps over the particles: cheaper, and not exact.
    Xpbd(Xpbd),
}

impl Integrator {
    /// Its name in scenes and messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::SemiImplicit(_) => "semi_implicit",
            Self::Newton(_) => "newton",
            Self::Optimization(_) => "optimization",
            Self::Xpbd(_) => "xpbd",
        }
    }
    /// Whether steps are explicit.
    pub fn is_explicit(&self) -> bool {
        *self == Self::Explicit
    }
    /// With the velocity of which place particles are moved.
    pub fn advection(&self) -> Advection {
        match self {
            Self::Optimization(options) => options.advection,
            _ => Advection::Forward,
        }
    }
    /// How often velocities go to the grid and back in a step.
    pub fn transfers(&self) -> Transfers {
        match self {
            Self::Xpbd(options) => options.transfers,
            _ => Transfers::Once,
        }
    }
    /// How it solves for velocities, if it does.
    fn method<T: Scalar, const D: usize>(&self) -> Option<Method<'_, T, D>> {
        let algorithm = match self {
            Self::Explicit => return None,
            Self::SemiImplicit(options) => Algorithm::Solve(options),
            Self::Newton(options) => Algorithm::Solve(options),
            Self::Optimization(options) => Algorithm::Solve(options),
            Self::Xpbd(options) => Algorithm::Sweep(options),
        };
        Some(Method(algorithm))
    }
    /// Refuses periods in which particles that are visited one after the other would reach a node twice.
    pub(crate) fn check_periods<const D: usize>(
        &self,
        geometry: &Geometry<D>,
    ) -> Result<(), BuildError> {
        let shortest = (0..D)
            .filter_map(|axis| geometry.cells_in_period(axis))
            .min();
        match (self, shortest) {
            (Self::Xpbd(_), Some(cells))
                if (cells as usize) < xpbd::part_reach(geometry.kernel()) =>
            {
                Err(BuildError::OutOfRange {
                    quantity: "period with X-PBD and the cubic kernel [cells]",
                    value: f64::from(cells),
                    range: "at least 8",
                })
            }
            _ => Ok(()),
        }
    }
    /// Refuses numbers outside their ranges.
    pub fn check(&self) -> Result<(), BuildError> {
        let within = |quantity, value: f64, range, is_in: bool| match is_in {
            true => Ok(()),
            false => Err(BuildError::OutOfRange {
                quantity,
                value,
                range,
            }),
        };
        let positive = |quantity, value: f64| {
            let is_in = value > 0.0 && value < 1.0;
            within(quantity, value, "above 0 and below 1", is_in)
        };
        let counted =
            |quantity, value: u32| within(quantity, f64::from(value), "at least 1", value > 0);
        match self {
            Self::Explicit => Ok(()),
            Self::SemiImplicit(options) => {
                let beta = options.implicitness;
                let is_in = (0.0..=1.0).contains(&beta);
                within("implicitness", beta, "between 0 and 1", is_in)?;
                positive("tolerance of the linear solve", options.tolerance)?;
                counted("iterations of the linear solve", options.linear_iterations)
            }
            Self::Newton(options) => {
                positive("tolerance of Newton's method", options.tolerance)?;
                positive("tolerance of the linear solve", options.linear_tolerance)?;
                counted("iterations of Newton's method", options.iterations)?;
                counted("iterations of the linear solve", options.linear_iterations)
            }
            Self::Optimization(options) => {
                let k = options.damping;
                let is_in = k >= 0.0 && k.is_finite();
                within("damping [s]", k, "zero or positive, and finite", is_in)?;
                positive("tolerance of the optimization", options.tolerance)?;
                counted("iterations of the optimization", options.iterations)?;
                counted("iterations of the linear solve", options.linear_iterations)
            }
            Self::Xpbd(options) => counted("iterations of X-PBD", options.iterations),
        }
    }
}

/// What solving took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effort {
    /// Newton iterations.
    pub newton: u32,
    /// Products with the matrix of second derivatives in linear solves.
    pub linear: u32,
    /// Values of E that line searches asked for.
    pub line_search: u32,
    /// Sweeps of X-PBD over all particles.
    pub sweeps: u32,
    /// What the last solve left: a share of the first error, of the right-hand side for semi-implicit steps, or what the last sweep of X-PBD still moved, in cells.
    pub residual: f64,
}

impl Effort {
    /// Of two solves, one after the other.
    pub fn then(self, next: Self) -> Self {
        let Self {
            newton,
            linear,
            line_search,
            sweeps,
            residual,
        } = next;
        Self {
            newton: self.newton + newton,
            linear: self.linear + linear,
            line_search: self.line_search + line_search,
            sweeps: self.sweeps + sweeps,
            residual,
        }
    }
    /// Of solves in different steps: the residual is the largest.
    pub fn and(self, next: Self) -> Self {
        Self {
            residual: self.residual.max(next.residual),
            ..self.then(next)
        }
    }
}

/// Bytes that a solve needs for every particle: its reference, and curvature or the table of the sweeps.
pub(crate) fn bytes_per_particle<T: Scalar, const D: usize>(integrator: &Integrator) -> usize {
    let own = match integrator {
        Integrator::Explicit => return 0,
        Integrator::Xpbd(_) => xpbd::columns::<T, D>(),
        _ => HessianLayout::<D>::COLUMNS,
    };
    (Reference::<T, D>::COLUMNS + own) * size_of::<T>()
}

/// Velocities that solve a step.
struct Solution<T: Scalar, const D: usize> {
    v: Field<T, 4>,
    /// Impulses of the contacts \[N s\], where constraints act.
    impulse: Field<T, 4>,
    effort: Effort,
}

/// A solve that did not come to its end.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::integrate) struct NotConverged {
    /// What did not.
    pub unsolved: Unsolved,
    /// Errors, iteration by iteration or round by round.
    pub history: Vec<f64>,
    /// Where the largest is.
    pub node: usize,
}

impl NotConverged {
    fn new<T: Scalar, const D: usize>(
        system: &System<'_, T, D>,
        residual: &[Node<T>],
        history: &[f64],
    ) -> Self {
        let mut weighted = residual.to_vec();
        divide_by_mass::<T, D>(&mut weighted, system.target());
        let size = |node: usize| {
            let pairs = residual[node].iter().zip(&weighted[node]);
            pairs.map(|(r, w)| (*r * *w).to_f64()).sum::<f64>()
        };
        let worst = (0..residual.len()).max_by(|a, b| size(*a).total_cmp(&size(*b)));
        Self {
            unsolved: Unsolved::Velocities,
            history: history.to_vec(),
            node: worst.unwrap_or(0),
        }
    }
}

/// What an implicit step did.
pub(super) struct Stepped<T> {
    pub outcome: StepOutcome<T>,
    pub effort: Effort,
}

impl<T: Scalar> Stepped<T> {
    /// A step without finite velocities.
    fn lost() -> Self {
        Self {
            outcome: StepOutcome::lost(),
            effort: Effort::default(),
        }
    }
}

/// Backward Euler step tⁿ → tⁿ⁺¹, or an explicit one if that is what is asked for; numbers are those of `docs/algorithm.md`.
///
/// Expects the particles in order. The caller decides whether what moved is accepted, equation (16).
pub(super) fn step<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &mut State<T, D>,
    work: &mut Workspace<T, D>,
    dt: f64,
    seconds: &mut StageSeconds,
) -> Result<Stepped<T>, NotConverged> {
    let Some(method) = setup.integrator.method() else {
        return Ok(Stepped {
            outcome: explicit::step(setup, state, work, dt, seconds),
            effort: Effort::default(),
        });
    };
    let mut watch = Stopwatch::start(seconds);

    // As many transfers as explicit steps would make                               (25)
    let transfers = setup.integrator.transfers();
    let Some(spent) = transfers.make_up(setup, state, work, dt) else {
        return Ok(Stepped::lost());
    };
    watch.particles();
    let State {
        particles, loads, ..
    } = state;
    let Workspace { order, grid, .. } = work;
    let context = setup.context(order, state.time, dt);

    // Particles → grid: mass and momentum                                        (1)(2)
    transfer::scatter_momentum(particles, grid, &context);
    watch.particles();
    collide::weigh_materials(&setup.colliders, setup.materials.len(), grid, &context.step);

    // Gravity, tractions, internal forces of the end of the step, contact
    //                                                             (5)(7)(8)(8a)(22)(23)
    let implicit = Velocities::Implicit {
        method,
        particles,
        spent: &spent,
    };
    let update = update_grid(setup, grid, loads, &context, implicit, &mut watch)?;
    if !update.is_finite {
        return Ok(Stepped::lost());
    }

    // Grid → particles: velocity, affine matrix, position                       (9)(10)
    // not through obstacles                                                    (8b)(8c)
    // deformation, return mapping, stress, block by block                     (11)–(13)
    let outcome = transfer::gather(particles, grid, &context);
    watch.particles();
    Ok(Stepped {
        outcome: StepOutcome {
            closing_speed: update.closing_speed,
            ..outcome
        },
        effort: update.effort,
    })
}

/// A way to find the velocities of a step.
pub(super) struct Method<'a, T: Scalar, const D: usize>(Algorithm<'a, T, D>);

enum Algorithm<'a, T: Scalar, const D: usize> {
    /// Solves of the equations, again and again until contacts are settled.
    Solve(&'a dyn Solver<T, D>),
    /// Sweeps over the particles, between which contacts are settled.
    Sweep(&'a Xpbd),
}

impl<T: Scalar, const D: usize> Method<'_, T, D> {
    /// Puts the velocities that solve M (v − v*) = Δt f(x + Δt v), equation (23), in the place of v*, which `grid` holds. `spent`
    /// is what friction of walls has done before, by node \[N s\]. Returns the largest speed at which an obstacle comes towards
    /// matter \[m/s\], and what solving took.
    pub fn solve(
        &self,
        walls: &[Wall<D>],
        particles: &Particles<T, D>,
        grid: &mut Grid<T, D>,
        (context, spent): (&TransferContext<'_, T, D>, &[f64]),
        watch: &mut Stopwatch<'_>,
    ) -> Result<(f64, Effort), NotConverged> {
        // What obstacles and walls demand                                  (7)(8)(8a)
        let mut constraints = Constraints::new(walls, grid, context);
        constraints.spend(spent);
        let closing_speed = constraints.closing_speed;
        watch.obstacles();

        let Grid { nodes, tiles, .. } = grid;
        let mut system = System::new(particles, (nodes, tiles), *context, constraints);
        let Solution { v, effort, .. } = self.velocities(&mut system)?;
        let linear = system.linear_seconds;
        keep_velocity::<T, D>(nodes, &v);
        watch.solve(linear);
        Ok((closing_speed, effort))
    }
    fn velocities(&self, system: &mut System<'_, T, D>) -> Result<Solution<T, D>, NotConverged> {
        match self.0 {
            Algorithm::Solve(solver) => rounds::solve(solver, system),
            Algorithm::Sweep(options) => xpbd::sweep(system, options),
        }
    }
}

/// A way to solve the equations with the contacts as they are.
trait Solver<T: Scalar, const D: usize> {
    /// How far off velocities may be, as a share of what the step changes.
    fn tolerance(&self) -> f64;
    /// How friction acts in a solve.
    fn rubbing(&self) -> Rubbing {
        Rubbing::Found
    }
    /// Velocities that satisfy the equations and all constraints; goes on from `start` if there is one.
    fn solve(
        &self,
        system: &mut System<'_, T, D>,
        convergence: &mut Convergence,
        start: Option<Field<T, 4>>,
    ) -> Result<Solution<T, D>, NotConverged>;
}

/// Puts velocities beside the masses of the nodes.
fn keep_velocity<T: Scalar, const D: usize>(nodes: &mut Field<T, 4>, v: &Field<T, 4>) {
    for (node, v) in nodes.values_mut().iter_mut().zip(v.values()) {
        node[..D].copy_from_slice(&v[..D]);
    }
}

/// Turns momenta into velocities; nodes with next to no mass get none.
fn divide_by_mass<T: Scalar, const D: usize>(momenta: &mut [Node<T>], masses: &[Node<T>]) {
    let least = T::from_f64(T::MIN_POSITIVE / T::EPSILON);
    for (node, masses) in momenta.iter_mut().zip(masses) {
        let mass = masses[MASS];
        let inverse = if mass > least {
            T::one() / mass
        } else {
            T::zero()
        };
        for x in &mut node[..D] {
            *x *= inverse;
        }
    }
}
