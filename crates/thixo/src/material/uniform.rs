//! A constitutive law with the same parameters for all its particles, as a [`Material`].

use thixo_math::{Lanes, Mask, Matrix, Real};
use thixo_par::{Isa, Kernel, Scalar, dispatch};

use super::{Batch, Constitutive, Limits, MAX_STATE, Material, Model, State};
use crate::particles::Layout;

/// One law, one set of parameters.
#[derive(Clone, Debug)]
pub struct Uniform<C>(pub C);

/// The state type of a law.
type StateOf<C, R, const D: usize> = <<C as Constitutive>::Model<R> as Model<R>>::State<D>;

impl<C: Constitutive, T: Scalar, const D: usize> Material<T, D> for Uniform<C> {
    fn name(&self) -> &'static str {
        C::NAME
    }
    fn state_columns(&self) -> usize {
        StateOf::<C, f64, D>::COLUMNS
    }
    fn state(&self, deformation_gradient: &Matrix<f64, D>) -> Vec<f64> {
        let mut columns = [0.0; MAX_STATE];
        StateOf::<C, f64, D>::from_deformation(deformation_gradient).store(&mut columns);
        columns[..StateOf::<C, f64, D>::COLUMNS].to_vec()
    }
    fn update(&self, isa: Isa, batch: Batch<'_, T>, dt: T) -> Limits<T> {
        dispatch(
            isa,
            Respond::<C, T, D> {
                law: &self.0,
                batch,
                dt: Some(dt),
            },
        )
    }
    fn stress(&self, isa: Isa, batch: Batch<'_, T>) -> Limits<T> {
        dispatch(
            isa,
            Respond::<C, T, D> {
                law: &self.0,
                batch,
                dt: None,
            },
        )
    }
    fn energy_density(&self, state: &[f64]) -> Option<f64> {
        self.0
            .model::<f64>()
            .energy_density::<D>(&load::<C, D>(state))
    }
    fn volume_ratio(&self, state: &[f64]) -> f64 {
        load::<C, D>(state).volume_ratio()
    }
}

fn load<C: Constitutive, const D: usize>(state: &[f64]) -> StateOf<C, f64, D> {
    let mut columns = [0.0; MAX_STATE];
    columns[..state.len()].copy_from_slice(state);
    StateOf::<C, f64, D>::load(&columns)
}

/// The response of a batch: deformation over `dt` if there is one, stress, limits.
struct Respond<'a, C, T, const D: usize> {
    law: &'a C,
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
        } = self.batch;
        let model = self.law.model::<L>();
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
            if let Some(dt) = self.dt {
                let dt = L::splat_scalar(dt);
                state.advance(&(grad_v * dt));
                model.return_map(&mut state, dt);
                state.store(&mut numbers);
                for k in 0..columns {
                    numbers[k].store(&mut memory[k * L::LANES..]);
                }
            }
            let tau = model.kirchhoff_stress(&state, &grad_v);
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
            let j = state.volume_ratio();
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
