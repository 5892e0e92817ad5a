//! A law whose type is known only at run time, as scenes and presets choose it.

use core::fmt::Debug;

use thixo_par::Scalar;

use crate::parameters::ParameterError;
use crate::point::Testable;
use crate::{Constitutive, Material};

/// A law with its values. `compiled!` makes every [`Constitutive`] law one.
pub trait Law: Debug + Send + Sync + Instances + Testable<2> + Testable<3> {
    /// Its name in scenes and messages.
    fn name(&self) -> &'static str;
    /// Its parameters as the engine keeps them, in the order of [`Constitutive::PARAMETERS`].
    fn engine_parameters(&self) -> Vec<f64>;
    /// Names of those parameters.
    fn engine_names(&self) -> &'static [&'static str];
    /// Parameters of its melt in 2 or 3 dimensions, see [`Constitutive::molten`].
    fn molten(&self, dimension: usize) -> Option<Vec<f64>>;
}

/// A law that is a material for a precision and a dimension.
pub trait Compiled<T: Scalar, const D: usize> {
    /// The material; all particles have the parameters of the law.
    fn material(&self) -> Box<dyn Material<T, D>>;
    /// The material whose particles have parameters of their own.
    fn per_particle_material(&self) -> Box<dyn Material<T, D>>;
}

/// A law with its values, or the parameter that cannot be.
pub type LawResult = Result<Box<dyn Law>, ParameterError>;

/// Every precision and dimension of the engine.
#[cfg(not(test))]
pub trait Instances:
    Compiled<f32, 2> + Compiled<f32, 3> + Compiled<f64, 2> + Compiled<f64, 3>
{
}

#[cfg(not(test))]
impl<L> Instances for L where
    L: Compiled<f32, 2> + Compiled<f32, 3> + Compiled<f64, 2> + Compiled<f64, 3>
{
}

/// Nothing in the unit tests of this crate, for which lanes are not compiled.
#[cfg(test)]
pub trait Instances {}

#[cfg(test)]
impl<L> Instances for L {}

impl<C: Constitutive + Instances> Law for C {
    fn name(&self) -> &'static str {
        C::NAME
    }
    fn engine_parameters(&self) -> Vec<f64> {
        self.parameters()
    }
    fn engine_names(&self) -> &'static [&'static str] {
        C::PARAMETERS
    }
    fn molten(&self, dimension: usize) -> Option<Vec<f64>> {
        match dimension {
            2 => Constitutive::molten::<2>(self),
            _ => Constitutive::molten::<3>(self),
        }
    }
}
