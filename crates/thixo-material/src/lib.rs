//! Constitutive models: the stress caused by a deformation.
//!
//! A model is one file: a struct whose fields are its parameters as [`Real`] numbers, with
//! [`Model`] written once for scalars and lanes, and [`Constitutive`] to make it from user values.
//! `compiled!` turns it into a [`Material`], the object-safe form that the engine calls once per
//! block; several materials may share a grid. Its [`Description`](description::Description) is
//! what scenes, listings and pictures know of it, and a line in [`laws`] makes it known.
//! `CONTRIBUTING.md` walks through one.

/// Compiles laws for every precision and dimension, inside this crate, and makes them boxed
/// materials by `into`; not in this crate's unit tests, which would take minutes longer to build:
/// lanes are tested from outside, in `tests/engine/lanes.rs`.
macro_rules! compiled {
    ($($law:ty),*) => {$(
        compiled!(@instances $law: f32 2, f32 3, f64 2, f64 3);
    )*};
    (@instances $law:ty: $($t:ident $d:literal),*) => {$(
        #[cfg(not(test))]
        impl $crate::law::Compiled<$t, $d> for $law {
            fn material(&self) -> Box<dyn $crate::Material<$t, $d>> {
                Box::new($crate::Lanewise::from(Clone::clone(self)))
            }
            fn per_particle_material(&self) -> Box<dyn $crate::Material<$t, $d>> {
                Box::new($crate::Lanewise::from($crate::PerParticle(Clone::clone(self))))
            }
        }
        #[cfg(not(test))]
        impl From<$law> for Box<dyn $crate::Material<$t, $d>> {
            fn from(law: $law) -> Self {
                $crate::law::Compiled::material(&law)
            }
        }
        #[cfg(not(test))]
        impl From<$crate::PerParticle<$law>> for Box<dyn $crate::Material<$t, $d>> {
            fn from($crate::PerParticle(law): $crate::PerParticle<$law>) -> Self {
                $crate::law::Compiled::per_particle_material(&law)
            }
        }
    )*};
}

#[macro_use]
mod pressure_response;

pub mod conformance;
pub mod description;
pub mod elastic;
mod finger_strain;
pub mod fluid;
mod increment;
mod lanewise;
pub mod law;
pub mod laws;
mod layout;
mod meshed;
pub mod parameters;
pub mod plastic;
pub mod point;
pub mod potential;
pub mod presets;
pub mod principal;
mod state;
mod state_layout;
mod strain_and_rotation;
pub mod stressed_state;
mod volume_ratio;

pub use finger_strain::{Dilatation, FingerStrain, advected};
pub use increment::positive_increment;
pub use lanewise::{Lanewise, PerParticle};
pub use layout::Layout;
pub use meshed::Meshed;
pub use pressure_response::PressureResponse;
pub use state::{MAX_STATE, State, WithHistory};
pub use state_layout::{StateLayout, Strain};
pub use strain_and_rotation::StrainAndRotation;
pub use volume_ratio::VolumeRatio;

use thixo_math::{Matrix, Real};
use thixo_par::{Isa, Scalar};

use self::potential::{Derivative, IncrementBatch, Potential, Reference};

/// A constitutive law with its parameters as numbers or lanes. Equations (11)–(13).
///
/// `D` is the dimension; 2D is plane strain with unit thickness.
pub trait Model<R: Real>: Copy {
    /// Deformation and history that a particle stores.
    type State<const D: usize>: State<R, D>;

    /// The state of a particle that enters with a deformation gradient F.
    #[inline(always)]
    fn initial_state<const D: usize>(&self, f: &Matrix<R, D>) -> Self::State<D> {
        State::from_deformation(f)
    }
    /// Volume ratio J = V/V⁰ with its plastic part \[–\].
    #[inline(always)]
    fn volume_ratio<const D: usize>(&self, state: &Self::State<D>) -> R {
        state.volume_ratio()
    }
    /// Energy density ψ per rest volume, zero at rest \[J/m³\]; none where the model
    /// has no potential.
    fn energy_density<const D: usize>(&self, state: &Self::State<D>) -> Option<R>;
    /// Kirchhoff stress τ = Jσ, symmetric \[Pa\]; equation (13).
    fn kirchhoff_stress<const D: usize>(
        &self,
        state: &Self::State<D>,
        velocity_gradient: &Matrix<R, D>,
    ) -> Matrix<R, D>;
    /// Follows the flow for a step of `dt` \[s\] with Δt∇v, equation (11). Matter whose strain
    /// fades while it flows does both at once, equation (11e); all other keeps the default.
    #[inline(always)]
    fn advance<const D: usize>(
        &self,
        state: &mut Self::State<D>,
        dt_grad_v: &Matrix<R, D>,
        _dt: R,
    ) {
        state.advance(dt_grad_v);
    }
    /// Brings a trial state back to the admissible ones, equation (12). Elastic models
    /// keep the default.
    #[inline(always)]
    fn return_map<const D: usize>(&self, _state: &mut Self::State<D>, _dt: R) {}
    /// Return map and stress in one, for models that need the same decomposition for both.
    #[inline(always)]
    fn respond<const D: usize>(
        &self,
        state: &mut Self::State<D>,
        velocity_gradient: &Matrix<R, D>,
        dt: R,
    ) -> Matrix<R, D> {
        self.return_map(state, dt);
        self.kirchhoff_stress(state, velocity_gradient)
    }
    /// Largest modulus M of the stress increment, per rest volume, for the elastic limit
    /// of equation (15) \[Pa\].
    fn stiffness<const D: usize>(&self, state: &Self::State<D>) -> R;
    /// Dynamic viscosity times J, for the viscous limit of equation (15) \[Pa s\].
    #[inline(always)]
    fn viscosity<const D: usize>(&self, _state: &Self::State<D>) -> R {
        R::zero()
    }
    /// Reference state and parameters of the incremental [potential](Constitutive::potential) for
    /// a step of `dt` \[s\]; of no meaning where there is none.
    #[inline(always)]
    fn reference<const D: usize>(&self, _state: &Self::State<D>, _dt: R) -> Reference<R, D> {
        Reference::new(Matrix::zero(), [])
    }
}

/// Largest number of parameters of a law.
pub const MAX_PARAMETERS: usize = 16;

/// A law with user values, from which the engine makes a [`Model`] for any lane type.
pub trait Constitutive: Clone + core::fmt::Debug + Send + Sync + 'static {
    /// The law over numbers or lanes.
    type Model<R: Real>: Model<R>;
    /// The energy of a step, for implicit integrators; [`NoPotential`](potential::NoPotential)
    /// where there is none.
    type Potential: Potential;
    /// Its name in scenes and messages.
    const NAME: &'static str;
    /// Names of its parameters, which may differ from particle to particle ([`PerParticle`]).
    const PARAMETERS: &'static [&'static str];
    /// Names of the history variables in its state, in their order; none for elastic matter.
    const HISTORY: &'static [&'static str] = &[];
    /// The parameters' values, in that order.
    fn parameters(&self) -> Vec<f64>;
    /// The law with the given parameters.
    fn model<R: Real>(&self, parameters: &[R; MAX_PARAMETERS]) -> Self::Model<R>;

    /// The energy of a step; its parameters are those of [`Model::reference`].
    fn potential(&self) -> Self::Potential;

    /// True if shape and volume are resisted by energies of their own, so that a
    /// [`PressureResponse`] can be told from the deviatoric stress.
    const HAS_SPLIT: bool = false;

    /// The parameters of the law whose volume resists nothing: its stress in `D` dimensions is the
    /// deviatoric part of the stress of the law. Unchanged where there is no such split.
    #[inline(always)]
    fn deviatoric<R: Real, const D: usize>(
        &self,
        parameters: [R; MAX_PARAMETERS],
    ) -> [R; MAX_PARAMETERS] {
        parameters
    }
    /// Response of the pressure in `D` dimensions at J − 1, of no meaning where there is no split.
    #[inline(always)]
    fn pressure_response<R: Real, const D: usize>(
        &self,
        _parameters: &[R; MAX_PARAMETERS],
        growth: R,
    ) -> PressureResponse<R> {
        PressureResponse::linear(R::one(), growth)
    }
    /// Parameters of the melt in `D` dimensions: matter with the same energy at every volume that
    /// keeps no shear, so that freezing stores no energy; none where the law has no such.
    fn molten<const D: usize>(&self) -> Option<Vec<f64>> {
        None
    }
    /// True if the pressure is known to a projection only: no volume but 1 has a finite one.
    fn is_incompressible(&self) -> bool {
        false
    }

    /// The law with its own parameters.
    fn uniform_model<R: Real>(&self) -> Self::Model<R> {
        let mut parameters = [R::zero(); MAX_PARAMETERS];
        for (to, from) in parameters.iter_mut().zip(self.parameters()) {
            *to = R::splat(from);
        }
        self.model(&parameters)
    }
}

/// Groups of particles of one material, and the tables that hold their columns.
#[derive(Debug)]
pub struct Batch<'a, T> {
    /// Hot columns of the groups.
    pub hot: &'a mut [T],
    /// Numbers per group in `hot`.
    pub hot_stride: usize,
    /// Velocity gradient of the groups, D² columns \[1/s\].
    pub velocity_gradient: &'a [T],
    /// Table with the stress of the groups, upper triangle.
    pub stress: &'a mut [T],
    /// Numbers per group in `stress`.
    pub stress_stride: usize,
    /// Offset of the stress in a group of `stress`.
    pub stress_first: usize,
}

/// Limits on the time step over a batch of particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits<T> {
    /// Largest M/ρ₀ \[m²/s²\].
    pub stiffness_per_density: T,
    /// Largest kinematic viscosity \[m²/s\].
    pub kinematic_viscosity: T,
    /// True if every volume ratio is positive and finite.
    pub sound: bool,
}

impl<T: Scalar> Limits<T> {
    /// The limits of no particle.
    pub fn none() -> Self {
        Self {
            stiffness_per_density: T::zero(),
            kinematic_viscosity: T::zero(),
            sound: true,
        }
    }
    /// The limits of two batches together.
    pub fn merge(self, other: Self) -> Self {
        let Self {
            stiffness_per_density,
            kinematic_viscosity,
            sound,
        } = other;
        Self {
            stiffness_per_density: self.stiffness_per_density.max(stiffness_per_density),
            kinematic_viscosity: self.kinematic_viscosity.max(kinematic_viscosity),
            sound: self.sound && sound,
        }
    }
}

/// A material as the engine sees it: one call per block, lanes inside.
pub trait Material<T: Scalar, const D: usize>: Send + Sync + core::fmt::Debug {
    /// Its name in scenes and messages.
    fn name(&self) -> &'static str;
    /// Names of the parameters that each particle has of its own; none where all share
    /// those of the law.
    fn own_parameters(&self) -> &'static [&'static str];
    /// Layout of the columns of state.
    fn state_layout(&self) -> StateLayout;
    /// Columns of state per particle.
    fn state_columns(&self) -> usize;
    /// State for a deformation gradient, and for parameters of the particle's own where the
    /// material has them.
    fn state(&self, deformation_gradient: &Matrix<f64, D>, own: Option<&[f64]>) -> Vec<f64>;
    /// Advances the deformation by Δt∇v, maps it back, and writes the stress: equations (11)–(13).
    fn update(&self, isa: Isa, batch: Batch<'_, T>, dt: T) -> Limits<T>;
    /// Writes the stress of the present state.
    fn stress(&self, batch: Batch<'_, T>) -> Limits<T>;
    /// True if implicit integrators can be used: stress follows from an energy.
    fn has_potential(&self) -> bool;
    /// Writes the [`Reference`] of groups of particles for a step of `dt` seconds on a grid
    /// of `spacing` metres.
    fn write_reference(&self, hot: &[T], hot_stride: usize, reference: &mut [T], dt: T, spacing: T);
    /// Gradients or Hessians of the incremental energy; returns the sum of the energies \[J\].
    fn energy_derivative(
        &self,
        isa: Isa,
        derivative: Derivative,
        batch: IncrementBatch<'_, T>,
    ) -> f64;
    /// Energy density of a state \[J/m³\].
    fn energy_density(&self, state: &[f64]) -> Option<f64>;
    /// Volume ratio J of a state \[–\].
    fn volume_ratio(&self, state: &[f64]) -> f64;
    /// Kirchhoff stress of a state at rest \[Pa\].
    fn kirchhoff_stress(&self, state: &[f64]) -> Matrix<f64, D>;
    /// The material whose stress is the deviatoric part of the stress of this one, with the same
    /// state; none where shape and volume are not resisted apart.
    fn deviatoric(&self) -> Option<Box<dyn Material<T, D>>>;
    /// True if the pressure is known to a projection only.
    fn is_incompressible(&self) -> bool;
    /// Writes J \[–\] and the [`PressureResponse`] of groups of particles, three columns.
    fn write_pressure_response(&self, hot: &[T], hot_stride: usize, response: &mut [T]);
    /// The admissible state to which a state flows within `dt` \[s\], equation (12).
    fn returned(&self, state: &[f64], dt: f64) -> Vec<f64>;
}
