//! A law of any kind, to be tested.

use core::fmt;

use super::{PointError, Record, Stage, drive};
use crate::Constitutive;

/// A law whose kind is known only at run time, to be tested in D dimensions: [`drive`] for
/// what a user chose.
pub struct Specimen<const D: usize> {
    name: &'static str,
    test: Box<dyn Test<D>>,
}

/// [`drive`] for a law whose type is not known at compile time.
trait Test<const D: usize> {
    fn drive(&self, stages: &[Stage]) -> Result<Vec<Record<D>>, PointError>;
}

impl<C: Constitutive, const D: usize> Test<D> for C {
    fn drive(&self, stages: &[Stage]) -> Result<Vec<Record<D>>, PointError> {
        drive(self, stages)
    }
}

/// A law that can be tested in D dimensions.
pub trait Testable<const D: usize> {
    /// One point of it.
    fn specimen(&self) -> Specimen<D>;
}

impl<C: Constitutive, const D: usize> Testable<D> for C {
    fn specimen(&self) -> Specimen<D> {
        self.clone().into()
    }
}

impl<C: Constitutive, const D: usize> From<C> for Specimen<D> {
    fn from(law: C) -> Self {
        Self {
            name: C::NAME,
            test: Box::new(law),
        }
    }
}

impl<const D: usize> fmt::Debug for Specimen<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Specimen").field(&self.name).finish()
    }
}

impl<const D: usize> Specimen<D> {
    /// Runs a test on a point at rest: one record of the beginning and one of every step.
    pub fn drive(&self, stages: &[Stage]) -> Result<Vec<Record<D>>, PointError> {
        self.test.drive(stages)
    }
}
