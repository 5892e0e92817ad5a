//! Matter whose parameters depend on how wet it is, equation (75). \[Nilles2020\] eq. (105), (111),
//! (125), (126).
//!
//! A parameter is a function of the wetness φ, of the value that the particle entered with, of
//! place and time. The value of entry is kept: the function is evaluated anew in every step, before
//! return mapping and stress, so that matter that dries is what it was.

use core::fmt;
use std::sync::Arc;

use thixo_par::Scalar;

/// Particles of one material of which parameters are asked.
#[derive(Clone, Copy, Debug)]
pub struct WetMatter<'a, const D: usize> {
    /// Wetness φ of every particle \[–\].
    pub wetness: &'a [f64],
    /// Positions \[m\].
    pub positions: &'a [[f64; D]],
    /// Time \[s\].
    pub time: f64,
}

/// A function that replaces the parameters of particles, which are given particle after particle in
/// the order of the law, by those of wet matter.
type Rule<const D: usize> = Arc<dyn Fn(WetMatter<'_, D>, &mut [f64]) + Send + Sync>;

/// Rule for the parameters of one material.
#[derive(Clone)]
pub struct Interaction<const D: usize> {
    /// Index of the material, which must have parameters per particle
    /// ([`PerParticle`](crate::material::PerParticle)).
    pub material: usize,
    rule: Rule<D>,
}

impl<const D: usize> Interaction<D> {
    /// An interaction of a material by a function that writes the parameters of particles, which
    /// it gets as those of entry.
    pub fn new(
        material: usize,
        rule: impl Fn(WetMatter<'_, D>, &mut [f64]) + Send + Sync + 'static,
    ) -> Self {
        Self {
            material,
            rule: Arc::new(rule),
        }
    }
    /// Replaces the parameters of one particle by those of its wetness φ, at a place \[m\] and time
    /// \[s\].
    pub(crate) fn replace(&self, wetness: f64, (place, time): ([f64; D], f64), own: &mut [f64]) {
        let matter = WetMatter {
            wetness: &[wetness],
            positions: &[place],
            time,
        };
        (self.rule)(matter, own);
    }
    /// Replaces the parameters of groups of particles, and returns those of entry.
    pub(crate) fn apply<T: Scalar>(
        &self,
        matter: WetMatter<'_, D>,
        hot: &mut [T],
        columns: ParameterColumns,
    ) -> Vec<T> {
        let ParameterColumns {
            stride,
            first,
            count,
        } = columns;
        let mut entered = Vec::with_capacity(hot.len() / stride * count * T::LANES);
        for group in hot.chunks_exact(stride) {
            entered.extend_from_slice(&group[first * T::LANES..(first + count) * T::LANES]);
        }
        let slots = matter.wetness.len();
        let mut values = vec![0.0; slots * count];
        let at = |slot: usize, k: usize| (slot / T::LANES * count + k) * T::LANES + slot % T::LANES;
        for slot in 0..slots {
            for k in 0..count {
                values[slot * count + k] = entered[at(slot, k)].to_f64();
            }
        }
        (self.rule)(matter, &mut values);
        for slot in 0..slots {
            for k in 0..count {
                let place = slot / T::LANES * stride + (first + k) * T::LANES + slot % T::LANES;
                hot[place] = T::from_f64(values[slot * count + k]);
            }
        }
        entered
    }
}

/// Place of the parameters of particles in their groups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParameterColumns {
    /// Numbers per group.
    pub stride: usize,
    /// First column.
    pub first: usize,
    /// Number of columns.
    pub count: usize,
}

impl ParameterColumns {
    /// Puts parameters of entry back.
    pub fn restore<T: Scalar>(self, hot: &mut [T], entered: &[T]) {
        let own = self.first * T::LANES..(self.first + self.count) * T::LANES;
        let groups = hot.chunks_exact_mut(self.stride);
        for (group, entered) in groups.zip(entered.chunks_exact(self.count * T::LANES)) {
            group[own.clone()].copy_from_slice(entered);
        }
    }
}

impl<const D: usize> fmt::Debug for Interaction<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interaction")
            .field("material", &self.material)
            .finish_non_exhaustive()
    }
}
