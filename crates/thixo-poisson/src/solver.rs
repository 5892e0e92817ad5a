//! From a system to its solution.

use rayon::prelude::*;

use crate::coefficients::Coefficients;
use crate::components::{Components, Stretches};
use crate::conjugate_gradients::{ConjugateGradients, power_of_two};
use crate::error::SolveError;
use crate::multigrid::Multigrid;
use crate::options::{Options, Preconditioner, Solved};
use crate::places::Places;
use crate::system::CellSystem;

/// More levels than any system has: coordinates have 30 bits.
const MOST_LEVELS: usize = 40;

/// Largest diagonal in single precision: in products it is far from the end of the range.
const LARGEST_DIAGONAL: f64 = 1e30;

/// A system prepared for solutions, of one or more right-hand sides.
pub struct Solver<'a, const D: usize> {
    system: &'a CellSystem<D>,
    options: Options,
    places: Places<D>,
    /// The components, if one of them is sealed.
    components: Option<Components>,
    iteration: ConjugateGradients<D>,
}

impl<'a, const D: usize> Solver<'a, D> {
    /// Checks a system, brings its cells in order and builds the preconditioner.
    pub fn new(system: &'a CellSystem<D>, options: Options) -> Result<Self, SolveError> {
        // Within the pool, so that parallel loops need not enter it one by one.
        rayon::scope(|_| Self::prepare(system, options))
    }

    /// The work of [`Solver::new`].
    fn prepare(system: &'a CellSystem<D>, options: Options) -> Result<Self, SolveError> {
        options.check()?;
        system.check()?;
        let places = Places::new(system)?;
        let coefficients = Coefficients::new(system, &places)?;
        let mut stretches = Stretches::new(&places, &coefficients);
        let components = stretches
            .any_sealed()
            .then(|| stretches.components(system, &places));
        let levels = match options.preconditioner {
            Preconditioner::Multigrid => MOST_LEVELS,
            Preconditioner::Jacobi => 1,
        };
        let scale = scale(system);
        let multigrid = Multigrid::new(&places.layout, &coefficients, scale, levels);
        let iteration = ConjugateGradients::new(&places.layout, coefficients, multigrid, scale);
        Ok(Self {
            system,
            options,
            places,
            components,
            iteration,
        })
    }

    /// The components of the system if one of them is sealed: its right-hand side must balance.
    pub fn components_if_sealed(&self) -> Option<&Components> {
        self.components.as_ref()
    }

    /// Solves the system for the right-hand side b. The vector x holds a first guess and then the
    /// solution; on sealed components, which leave a constant open, the one of zero mean.
    pub fn solve(&mut self, right_hand_side: &[f64], x: &mut [f64]) -> Result<Solved, SolveError> {
        rayon::scope(|_| self.find(right_hand_side, x))
    }

    /// The work of [`Solver::solve`].
    fn find(&mut self, right_hand_side: &[f64], x: &mut [f64]) -> Result<Solved, SolveError> {
        self.system
            .check_vector("right-hand side", right_hand_side)?;
        self.system.check_vector("first guess", x)?;
        let largest = right_hand_side
            .iter()
            .fold(0.0, |largest: f64, b| largest.max(b.abs()));
        if largest == 0.0 {
            x.fill(0.0);
            return Ok(Solved {
                iterations: 0,
                residual: 0.0,
            });
        }
        // Squares of b divided by this neither overflow nor vanish.
        let unit = power_of_two(largest);
        let mut b: Vec<f64> = right_hand_side.iter().map(|b| b / unit).collect();
        if let Some(components) = &self.components {
            self.balance(components, &mut b, unit)?;
        }
        for x in x.iter_mut() {
            let guess = *x / unit;
            *x = if guess.is_finite() { guess } else { 0.0 };
        }
        let (b, guess) = (self.places.collect(&b), self.places.collect(x));
        let result = self
            .iteration
            .run(&self.places.layout, b, guess, &self.options);
        self.places.distribute(self.system, &self.iteration.x, x);
        if let Some(components) = &self.components {
            components.center(x);
        }
        x.iter_mut().for_each(|x| *x *= unit);
        result
    }

    /// Takes sums of b over sealed components out of it where they are rounding, refuses others.
    /// The right-hand side is given in a unit.
    fn balance(&self, components: &Components, b: &mut [f64], unit: f64) -> Result<(), SolveError> {
        let largest = b.iter().fold(0.0, |largest: f64, b| largest.max(b.abs()));
        for (component, imbalance) in components.list.iter().zip(components.imbalances(b)) {
            let rounding = self.options.imbalance * component.cells as f64 * largest;
            if component.sealed && imbalance.abs() > rounding {
                return Err(SolveError::Incompatible {
                    imbalance: imbalance * unit,
                    cells: component.cells,
                    first: self.system.cells[component.first].to_vec(),
                });
            }
        }
        components.center(b);
        Ok(())
    }
}

/// Solves a system once, see [`Solver`].
pub fn solve<const D: usize>(
    system: &CellSystem<D>,
    right_hand_side: &[f64],
    x: &mut [f64],
    options: &Options,
) -> Result<Solved, SolveError> {
    Solver::new(system, *options)?.solve(right_hand_side, x)
}

/// Divisor of coefficients for single precision: the largest conductance, more if
/// diagonals are out of its range then; 1 if there is none.
fn scale<const D: usize>(system: &CellSystem<D>) -> f64 {
    let k = system
        .upper
        .par_iter()
        .flatten_iter()
        .copied()
        .reduce(|| 0.0, f64::max);
    let s = system.diagonal.par_iter().copied().reduce(|| 0.0, f64::max);
    let scale = k.max(s / LARGEST_DIAGONAL);
    if scale > 0.0 { scale } else { 1.0 }
}
