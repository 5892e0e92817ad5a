//! A constitutive law as a [`Material`]: batches of particles, a register at a time.

use thixo_math::{Lanes, Mask, Matrix, Real};
use thixo_par::{Isa, Kernel, Scalar, dispatch};

use super::potential::{self, Derivative, IncrementBatch, Potential, Reference};
use super::{
    Batch, Constitutive, Limits, MAX_PARAMETERS, MAX_STATE, Material, Model, State, StateLayout,
};
use crate::Layout;

/// Source of a particle's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parameters {
    /// All particles have those of the law.
    Uniform,
    /// Each particle has its own, in columns behind its state.
    PerParticle,
}

/// Part of the stress that a material has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// All of it.
    Whole,
    /// The deviatoric part: the pressure is left to a projection.
    Deviatoric,
}

/// A law for batches of particles.
#[derive(Clone, Debug)]
pub struct Lanewise<C> {
    law: C,
    /// The law's own parameters.
    values: [f64; MAX_PARAMETERS],
    parameters: Parameters,
    part: Part,
}

/// A law whose parameters may differ from particle to particle; those of the law itself
/// are the default.
#[derive(Clone, Debug)]
pub struct PerParticle<C>(pub C);

impl<C: Constitutive> From<C> for Lanewise<C> {
    fn from(law: C) -> Self {
        Self::new(law, Parameters::Uniform)
    }
}

impl<C: Constitutive> From<PerParticle<C>> for Lanewise<C> {
    fn from(PerParticle(law): PerParticle<C>) -> Self {
        Self::new(law, Parameters::PerParticle)
    }
}

/// The state type of a law.
type StateOf<C, R, const D: usize> = <<C as Constitutive>::Model<R> as Model<R>>::State<D>;

impl<C: Constitutive> Lanewise<C> {
    fn new(law: C, parameters: Parameters) -> Self {
        let mut values = [0.0; MAX_PARAMETERS];
        for (to, from) in values.iter_mut().zip(law.parameters()) {
            *to = from;
        }
        Self {
            law,
            values,
            parameters,
            part: Part::Whole,
        }
    }
    /// The law with parameters, or its deviatoric part.
    #[inline(always)]
    fn model<R: Real, const D: usize>(&self, parameters: [R; MAX_PARAMETERS]) -> C::Model<R> {
        match self.part {
            Part::Whole => self.law.model(&parameters),
            Part::Deviatoric => self.law.model(&self.law.deviatoric::<R, D>(parameters)),
        }
    }
    /// The law and the state of one particle from its columns.
    fn load<const D: usize>(&self, columns: &[f64]) -> (C::Model<f64>, StateOf<C, f64, D>) {
        let (state, own) = columns.split_at(StateOf::<C, f64, D>::COLUMNS);
        let mut numbers = [0.0; MAX_STATE];
        numbers[..state.len()].copy_from_slice(state);
        (
            self.model_of::<D>(own),
            StateOf::<C, f64, D>::load(&numbers),
        )
    }
    /// The law for a particle's own parameters; its own values where there are none.
    fn model_of<const D: usize>(&self, own: &[f64]) -> C::Model<f64> {
        let mut parameters = self.values;
        parameters[..own.len()].copy_from_slice(own);
        self.model::<f64, D>(parameters)
    }
}

impl<C: Constitutive> Lanewise<C> {
    /// Law and state of one particle of a group.
    fn load_lane<T: Scalar, const D: usize>(
        &self,
        lane: usize,
        hot: &[T],
    ) -> (C::Model<T>, StateOf<C, T, D>) {
        let (parameters, state) = self.load_parameters::<T, D>(lane, hot);
        (self.model::<T, D>(parameters), state)
    }
    /// Parameters and state of one particle of a group.
    fn load_parameters<T: Scalar, const D: usize>(
        &self,
        lane: usize,
        hot: &[T],
    ) -> ([T; MAX_PARAMETERS], StateOf<C, T, D>) {
        let at = |column: usize| hot[column * T::LANES + lane];
        let columns = StateOf::<C, T, D>::COLUMNS;
        let mut numbers = [T::zero(); MAX_STATE];
        for k in 0..columns {
            numbers[k] = at(Layout::<D>::STATE + k);
        }
        let mut parameters = self.values.map(T::from_f64);
        if self.parameters == Parameters::PerParticle {
            for k in 0..C::PARAMETERS.len() {
                parameters[k] = at(Layout::<D>::STATE + columns + k);
            }
        }
        (parameters, StateOf::<C, T, D>::load(&numbers))
    }
    /// Writes the stress of one particle of a group and returns its limits.
    fn stress_of_lane<T: Scalar, const D: usize>(
        &self,
        lane: usize,
        hot: &[T],
        gradient: &[T],
        stress: &mut [T],
    ) -> Limits<T> {
        let at = |column: usize| hot[column * T::LANES + lane];
        let (model, state) = self.load_lane::<T, D>(lane, hot);
        let mut grad_v = Matrix::<T, D>::zero();
        for k in 0..D * D {
            grad_v[k / D][k % D] = gradient[k * T::LANES + lane];
        }
        let tau = model.kirchhoff_stress(&state, &grad_v);
        let mut entry = 0;
        for i in 0..D {
            for j in i..D {
                stress[entry * T::LANES + lane] = tau[i][j];
                entry += 1;
            }
        }
        let j = model.volume_ratio(&state);
        // Padding has neither mass nor volume and sets no limit.
        let mass = at(Layout::<D>::MASS);
        let specific_volume = if mass > T::zero() {
            at(Layout::<D>::V0) / mass
        } else {
            T::zero()
        };
        Limits {
            stiffness_per_density: model.stiffness(&state) * specific_volume,
            kinematic_viscosity: model.viscosity(&state) * specific_volume,
            sound: j > T::zero() && j.is_finite(),
        }
    }
}

impl<C: Constitutive, T: Scalar, const D: usize> Material<T, D> for Lanewise<C> {
    fn name(&self) -> &'static str {
        C::NAME
    }
    fn own_parameters(&self) -> &'static [&'static str] {
        match self.parameters {
            Parameters::Uniform => &[],
            Parameters::PerParticle => C::PARAMETERS,
        }
    }
    fn state_layout(&self) -> StateLayout {
        StateLayout {
            strain: StateOf::<C, f64, D>::STRAIN,
            history: C::HISTORY,
        }
    }
    fn state_columns(&self) -> usize {
        let own = Material::<T, D>::own_parameters(self).len();
        StateOf::<C, f64, D>::COLUMNS + own
    }
    fn state(&self, deformation_gradient: &Matrix<f64, D>, own: Option<&[f64]>) -> Vec<f64> {
        let count = C::PARAMETERS.len();
        let own = match own {
            Some(own) if own.len() == count => own,
            _ => &self.values[..count],
        };
        let model = self.model_of::<D>(own);
        let mut columns = [0.0; MAX_STATE];
        model
            .initial_state(deformation_gradient)
            .store(&mut columns);
        let mut out = columns[..StateOf::<C, f64, D>::COLUMNS].to_vec();
        if self.parameters == Parameters::PerParticle {
            out.extend(own);
        }
        out
    }
    fn update(&self, isa: Isa, batch: Batch<'_, T>, dt: T) -> Limits<T> {
        dispatch(
            isa,
            UpdateKernel::<C, T, D> {
                material: self,
                batch,
                dt,
            },
        )
    }
    /// Particle by particle, without lanes: needed only when particles are inserted or removed,
    /// and another set of lanes would double the kernels to compile.
    fn stress(&self, batch: Batch<'_, T>) -> Limits<T> {
        let Batch {
            hot,
            hot_stride,
            velocity_gradient,
            stress,
            stress_stride,
            stress_first,
        } = batch;
        let mut limits = Limits::none();
        let groups = hot
            .chunks_exact(hot_stride)
            .zip(velocity_gradient.chunks_exact(D * D * T::LANES))
            .zip(stress.chunks_exact_mut(stress_stride));
        for ((hot, gradient), stress) in groups {
            for lane in 0..T::LANES {
                let stress = &mut stress[stress_first..];
                limits = limits.merge(self.stress_of_lane::<T, D>(lane, hot, gradient, stress));
            }
        }
        limits
    }
    fn has_potential(&self) -> bool {
        C::Potential::EXISTS
    }
    /// Particle by particle, as the stress above.
    fn write_reference(
        &self,
        hot: &[T],
        hot_stride: usize,
        reference: &mut [T],
        dt: T,
        spacing: T,
    ) {
        let speed_squared = (spacing / dt) * (spacing / dt);
        let groups = hot
            .chunks_exact(hot_stride)
            .zip(reference.chunks_exact_mut(Reference::<T, D>::COLUMNS * T::LANES));
        for (hot, reference) in groups {
            for lane in 0..T::LANES {
                let (model, state) = self.load_lane::<T, D>(lane, hot);
                let of_lane = model.reference(&state, dt);
                let mut column = 0;
                for i in 0..D {
                    for j in i..D {
                        reference[column * T::LANES + lane] = of_lane.strain[i][j];
                        column += 1;
                    }
                }
                for parameter in of_lane.parameters {
                    reference[column * T::LANES + lane] = parameter;
                    column += 1;
                }
                let mass = hot[Layout::<D>::MASS * T::LANES + lane];
                let volume = hot[Layout::<D>::V0 * T::LANES + lane];
                let inertia = match volume > T::zero() {
                    true => mass / volume * speed_squared,
                    false => T::zero(),
                };
                reference[column * T::LANES + lane] = inertia;
            }
        }
    }
    fn energy_derivative(
        &self,
        isa: Isa,
        derivative: Derivative,
        batch: IncrementBatch<'_, T>,
    ) -> f64 {
        potential::evaluate::<C::Potential, T, D>(&self.law.potential(), isa, derivative, batch)
    }
    fn energy_density(&self, state: &[f64]) -> Option<f64> {
        let (model, state) = self.load::<D>(state);
        model.energy_density(&state)
    }
    fn volume_ratio(&self, state: &[f64]) -> f64 {
        let (model, state) = self.load::<D>(state);
        model.volume_ratio(&state)
    }
    fn kirchhoff_stress(&self, state: &[f64]) -> Matrix<f64, D> {
        let (model, state) = self.load::<D>(state);
        model.kirchhoff_stress(&state, &Matrix::zero())
    }
    fn deviatoric(&self) -> Option<Box<dyn Material<T, D>>> {
        C::HAS_SPLIT.then(|| {
            let part = Part::Deviatoric;
            let material: Box<dyn Material<T, D>> = Box::new(Self {
                part,
                ..self.clone()
            });
            material
        })
    }
    fn is_incompressible(&self) -> bool {
        self.law.is_incompressible()
    }
    /// Particle by particle, as the stress above.
    fn write_pressure_response(&self, hot: &[T], hot_stride: usize, response: &mut [T]) {
        let groups = hot
            .chunks_exact(hot_stride)
            .zip(response.chunks_exact_mut(3 * T::LANES));
        for (hot, response) in groups {
            for lane in 0..T::LANES {
                let (parameters, state) = self.load_parameters::<T, D>(lane, hot);
                let growth = State::<T, D>::volume_growth(&state);
                let of_lane = self.law.pressure_response::<T, D>(&parameters, growth);
                response[lane] = T::one() + growth;
                response[T::LANES + lane] = of_lane.compliance;
                response[2 * T::LANES + lane] = of_lane.compression;
            }
        }
    }
    fn returned(&self, state: &[f64], dt: f64) -> Vec<f64> {
        let (model, mut loaded) = self.load::<D>(state);
        model.return_map(&mut loaded, dt);
        let mut columns = [0.0; MAX_STATE];
        loaded.store(&mut columns);
        let strain = StateOf::<C, f64, D>::COLUMNS;
        let mut out = state.to_vec();
        out[..strain].copy_from_slice(&columns[..strain]);
        out
    }
}

/// The response of a batch: deformation over `dt`, return map, stress, limits.
struct UpdateKernel<'a, C, T, const D: usize> {
    material: &'a Lanewise<C>,
    batch: Batch<'a, T>,
    dt: T,
}

impl<C: Constitutive, T: Scalar, const D: usize> Kernel<T> for UpdateKernel<'_, C, T, D> {
    type Output = Limits<T>;

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) -> Limits<T> {
        let Batch {
            hot,
            hot_stride,
            velocity_gradient,
            stress,
            stress_stride,
            stress_first,
        } = self.batch;
        let material = self.material;
        let mut parameters = [L::zero(); MAX_PARAMETERS];
        for k in 0..C::PARAMETERS.len() {
            parameters[k] = L::splat(material.values[k]);
        }
        let mut model = material.model::<L, D>(parameters);
        let columns = StateOf::<C, L, D>::COLUMNS;
        let mut stiffness = L::zero();
        let mut viscosity = L::zero();
        let mut sound = L::zero().le(L::zero());
        let groups = hot
            .chunks_exact_mut(hot_stride)
            .zip(velocity_gradient.chunks_exact(D * D * L::LANES))
            .zip(stress.chunks_exact_mut(stress_stride));
        for ((hot, gradient), stress) in groups {
            let mut grad_v = Matrix::<L, D>::zero();
            for i in 0..D {
                for j in 0..D {
                    grad_v[i][j] = L::load(&gradient[(i * D + j) * L::LANES..]);
                }
            }
            let (head, state_columns) = hot.split_at_mut(Layout::<D>::STATE * L::LANES);
            let mut numbers = [L::zero(); MAX_STATE];
            for k in 0..columns {
                numbers[k] = L::load(&state_columns[k * L::LANES..]);
            }
            let mut state = StateOf::<C, L, D>::load(&numbers);
            if material.parameters == Parameters::PerParticle {
                for k in 0..C::PARAMETERS.len() {
                    parameters[k] = L::load(&state_columns[(columns + k) * L::LANES..]);
                }
                model = material.model::<L, D>(parameters);
            }
            let dt = L::splat_scalar(self.dt);
            model.advance(&mut state, &(grad_v * dt), dt);
            let tau = model.respond(&mut state, &grad_v, dt);
            state.store(&mut numbers);
            for k in 0..columns {
                numbers[k].store(&mut state_columns[k * L::LANES..]);
            }
            let stress = &mut stress[stress_first..];
            let mut entry = 0;
            for i in 0..D {
                for j in i..D {
                    tau[i][j].store(&mut stress[entry * L::LANES..]);
                    entry += 1;
                }
            }
            // Padding has neither mass nor volume: the quotient is NaN there, which max ignores.
            let specific_volume = L::load(&head[Layout::<D>::V0 * L::LANES..])
                / L::load(&head[Layout::<D>::MASS * L::LANES..]);
            stiffness = (model.stiffness(&state) * specific_volume).max(stiffness);
            viscosity = (model.viscosity(&state) * specific_volume).max(viscosity);
            let j = model.volume_ratio(&state);
            sound = sound.and(j.gt(L::zero())).and(j.is_finite());
        }
        Limits {
            stiffness_per_density: stiffness.max_lane(),
            kinematic_viscosity: viscosity.max_lane(),
            sound: sound.all(),
        }
    }
}
