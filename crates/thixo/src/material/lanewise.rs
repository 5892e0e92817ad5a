//! A constitutive law as a [`Material`]: batches of particles, a register at a time.

use thixo_math::{Lanes, Mask, Matrix};
use thixo_par::{Isa, Kernel, Scalar, dispatch};

use super::{Batch, Constitutive, Limits, MAX_PARAMETERS, MAX_STATE, Material, Model, State};
use crate::particles::Layout;

/// Where the parameters of a particle come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parameters {
    /// All particles have those of the law.
    Uniform,
    /// Each particle has its own, in columns behind its state.
    PerParticle,
}

/// A law for batches of particles.
#[derive(Clone, Debug)]
pub struct Lanewise<C> {
    law: C,
    /// The law's own parameters.
    values: [f64; MAX_PARAMETERS],
    parameters: Parameters,
}

/// A law whose parameters may differ from particle to particle; those of the law itself are the default.
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
        }
    }
    /// The law and the state of one particle from its columns.
    fn load<const D: usize>(&self, columns: &[f64]) -> (C::Model<f64>, StateOf<C, f64, D>) {
        let (state, own) = columns.split_at(StateOf::<C, f64, D>::COLUMNS);
        let mut numbers = [0.0; MAX_STATE];
        numbers[..state.len()].copy_from_slice(state);
        (self.model_of(own), StateOf::<C, f64, D>::load(&numbers))
    }
    /// The law for a particle's own parameters; its own values where there are none.
    fn model_of(&self, own: &[f64]) -> C::Model<f64> {
        let mut parameters = self.values;
        parameters[..own.len()].copy_from_slice(own);
        self.law.model(&parameters)
    }
}

impl<C: Constitutive, T: Scalar, const D: usize> Material<T, D> for Lanewise<C> {
    fn name(&self) -> &'static str {
        C::NAME
    }
    fn state_columns(&self) -> usize {
        let own = match self.parameters {
            Parameters::Uniform => 0,
            Parameters::PerParticle => C::PARAMETERS.len(),
        };
        StateOf::<C, f64, D>::COLUMNS + own
    }
    fn state(&self, deformation_gradient: &Matrix<f64, D>, own: Option<&[f64]>) -> Vec<f64> {
        let count = C::PARAMETERS.len();
        let own = match own {
            Some(own) if own.len() == count => own,
            _ => &self.values[..count],
        };
        let model = self.model_of(own);
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
            Respond::<C, T, D> {
                material: self,
                batch,
                dt: Some(dt),
            },
        )
    }
    fn stress(&self, isa: Isa, batch: Batch<'_, T>) -> Limits<T> {
        dispatch(
            isa,
            Respond::<C, T, D> {
                material: self,
                batch,
                dt: None,
            },
        )
    }
    fn energy_density(&self, state: &[f64]) -> Option<f64> {
        let (model, state) = self.load::<D>(state);
        model.energy_density(&state)
    }
    fn volume_ratio(&self, state: &[f64]) -> f64 {
        let (model, state) = self.load::<D>(state);
        model.volume_ratio(&state)
    }
}

/// The response of a batch: deformation over `dt` if there is one, stress, limits.
struct Respond<'a, C, T, const D: usize> {
    material: &'a Lanewise<C>,
    batch: Batch<'a, T>,
    dt: Option<T>,
}

impl<C: Constitutive, T: Scalar, const D: usize> Kernel<T> for Respond<'_, C, T, D> {
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
        let law = &self.material.law;
        let mut parameters = [L::zero(); MAX_PARAMETERS];
        for k in 0..C::PARAMETERS.len() {
            parameters[k] = L::splat(self.material.values[k]);
        }
        let mut model = law.model(&parameters);
        let columns = StateOf::<C, L, D>::COLUMNS;
        let mut stiffness = L::zero();
        let mut viscosity = L::zero();
        let mut j_min = L::splat(f64::INFINITY);
        let mut j_max = L::splat(f64::NEG_INFINITY);
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
            let (head, memory) = hot.split_at_mut(Layout::<D>::STATE * L::LANES);
            let mut numbers = [L::zero(); MAX_STATE];
            for k in 0..columns {
                numbers[k] = L::load(&memory[k * L::LANES..]);
            }
            let mut state = StateOf::<C, L, D>::load(&numbers);
            if self.material.parameters == Parameters::PerParticle {
                for k in 0..C::PARAMETERS.len() {
                    parameters[k] = L::load(&memory[(columns + k) * L::LANES..]);
                }
                model = law.model(&parameters);
            }
            let tau = if let Some(dt) = self.dt {
                let dt = L::splat_scalar(dt);
                state.advance(&(grad_v * dt));
                let tau = model.respond(&mut state, &grad_v, dt);
                state.store(&mut numbers);
                for k in 0..columns {
                    numbers[k].store(&mut memory[k * L::LANES..]);
                }
                tau
            } else {
                model.kirchhoff_stress(&state, &grad_v)
            };
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
            j_min = j.min(j_min);
            j_max = j.max(j_max);
            sound = sound.and(j.gt(L::zero())).and(j.is_finite());
        }
        Limits {
            stiffness_per_density: stiffness.max_lane(),
            kinematic_viscosity: viscosity.max_lane(),
            j_min: j_min.min_lane(),
            j_max: j_max.max_lane(),
            sound: sound.all(),
        }
    }
}
