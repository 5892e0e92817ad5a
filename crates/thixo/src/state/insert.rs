//! Insertion of particles: from seeds to columns.

use thixo_math::Matrix;
use thixo_par::Scalar;

use super::State;
use crate::error::{BuildError, SeedQuantity};
use crate::grid::Geometry;
use crate::material::stressed_state::{Given, state_with_history};
use crate::material::{Batch, Material, StateLayout};
use crate::particles::{Carried, Columns, Layout, Seed, Species};
use crate::transfer::Transfer;

/// Particles to be inserted.
#[derive(Clone, Copy, Debug)]
pub struct Insertion<'a, const D: usize> {
    material: usize,
    seeds: &'a [Seed<D>],
    parameters: Option<&'a [f64]>,
    history: Option<&'a [f64]>,
    carried: Option<&'a [f64]>,
}

impl<'a, const D: usize> Insertion<'a, D> {
    /// Particles of a material, by index.
    pub fn new(material: usize, seeds: &'a [Seed<D>]) -> Self {
        Self {
            material,
            seeds,
            parameters: None,
            history: None,
            carried: None,
        }
    }
    /// Particles with parameters of their own, of a material made of
    /// [`PerParticle`](crate::material::PerParticle): seed after seed, the values of
    /// [`Constitutive::parameters`](crate::material::Constitutive::parameters).
    #[must_use]
    pub fn with_parameters(mut self, parameters: Option<&'a [f64]>) -> Self {
        self.parameters = parameters;
        self
    }
    /// Particles with a history: seed after seed, a value for each history variable of the law, as
    /// [`StateLayout`] names them; that of fresh matter if none are
    /// given.
    #[must_use]
    pub fn with_history(mut self, history: Option<&'a [f64]>) -> Self {
        self.history = history;
        self
    }
    /// Particles with carried values: seed after seed, a value for each of
    /// [`Setup::carried`](crate::Setup::carried); the initial values if none are given.
    #[must_use]
    pub fn carrying(mut self, carried: Option<&'a [f64]>) -> Self {
        self.carried = carried;
        self
    }
}

/// The part of the setup that inserting particles needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InsertRules<'a, T: Scalar, const D: usize> {
    /// Materials, by index.
    pub materials: &'a [Box<dyn Material<T, D>>],
    /// Transfer, which defines the affine column.
    pub transfer: Transfer,
    /// Spacing and kernel of the grid.
    pub geometry: &'a Geometry<D>,
    /// Carried quantities.
    pub carried: &'a [Carried],
}

impl<T: Scalar, const D: usize> State<T, D> {
    /// Inserts particles and returns the identifier of the first; the others follow. On error none
    /// is inserted.
    pub fn insert(
        &mut self,
        insertion: Insertion<'_, D>,
        rules: InsertRules<'_, T, D>,
    ) -> Result<u32, BuildError> {
        let Insertion {
            material,
            seeds,
            parameters,
            history,
            carried,
        } = insertion;
        let InsertRules {
            materials,
            transfer,
            geometry,
            carried: carries,
        } = rules;
        let Some(law) = materials.get(material) else {
            return Err(BuildError::NoSuchMaterial {
                index: material,
                count: materials.len(),
            });
        };
        let own = law.own_parameters().len();
        if let Some(parameters) = parameters {
            check_parameters::<T>(parameters, seeds.len(), own)?;
        }
        let variables = law.state_layout().history;
        if let Some(history) = history {
            check_history::<T>(history, seeds.len(), variables)?;
        }
        let first = self.particles.next_id();
        let limit = u32::MAX as usize - 1;
        let requested = first as usize + seeds.len();
        if requested > limit {
            return Err(BuildError::TooManyParticles { requested, limit });
        }
        if let Some(carried) = carried {
            check_carried::<T>(carried, seeds.len(), carries)?;
        }
        let reach = geometry.reach();
        let mut rest = Vec::with_capacity(seeds.len() * (law.state_columns() + carries.len()));
        for (index, seed) in seeds.iter().enumerate() {
            check_seed::<T, D>(index, seed, reach)?;
            let own = parameters.map(|all| &all[index * own..(index + 1) * own]);
            let own_history = history.map(|all| &all[index * variables.len()..][..variables.len()]);
            let given = Given {
                history: own_history,
                parameters: own,
            };
            let f = Matrix(seed.deformation_gradient);
            let state = state_with_history(law.as_ref(), &f, given);
            check_volume_ratio::<T>(index, law.volume_ratio(&state))?;
            rest.extend(state);
            match carried {
                Some(all) => rest.extend(&all[index * carries.len()..][..carries.len()]),
                None => rest.extend(carries.iter().map(|carried| carried.initial)),
            }
        }
        let affine = transfer.affine_column(geometry);
        let group = self.particles.species[material].hot.groups();
        let of_gradient =
            |seed: &Seed<D>| affine.of_gradient(Matrix(seed.velocity_gradient), seed.position);
        let particles = &mut self.particles;
        let slots = particles.append(material, seeds, &rest, geometry, of_gradient);
        let species = &mut particles.species[material];
        stress_of_inserted(species, law.as_ref(), group, (seeds, &slots));
        self.time_step.limits_stale = true;
        Ok(first)
    }
}

/// Computes the stress of particles that were appended from group `first` on, in given slots, with
/// the velocity gradients of their seeds.
fn stress_of_inserted<T: Scalar, const D: usize>(
    species: &mut Species<T, D>,
    material: &dyn Material<T, D>,
    first: usize,
    (seeds, slots): (&[Seed<D>], &[usize]),
) {
    let groups = species.hot.groups() - first;
    let mut gradient = Columns::<T>::zeros(D * D, groups);
    for (slot, seed) in slots.iter().zip(seeds) {
        let slot = slot - first * T::LANES;
        for (column, &x) in seed.velocity_gradient.as_flattened().iter().enumerate() {
            gradient.set(slot, column, T::from_f64(x));
        }
    }
    let (hot_stride, stress_stride) = (species.hot.stride(), species.cold.stride());
    let batch = Batch {
        hot: &mut species.hot.data_mut()[first * hot_stride..],
        hot_stride,
        velocity_gradient: gradient.data(),
        stress: &mut species.cold.data_mut()[first * stress_stride..],
        stress_stride,
        stress_first: Layout::<D>::STRESS * T::LANES,
    };
    if groups > 0 {
        material.stress(batch);
    }
}

/// Refuses a number of parameters other than the particles need, or values that are not finite in
/// precision `T`.
fn check_parameters<T: Scalar>(
    parameters: &[f64],
    particles: usize,
    own: usize,
) -> Result<(), BuildError> {
    if own == 0 || parameters.len() != particles * own {
        return Err(BuildError::ParameterCount {
            given: parameters.len(),
            particles,
            own,
        });
    }
    // Infinity is a valid value of some parameters, such as a bound that is never attained; the law
    // checks those.
    let unusable = |x: &f64| x.is_nan() || x.is_finite() && !T::from_f64(*x).is_finite();
    match parameters.iter().position(unusable) {
        None => Ok(()),
        Some(k) => Err(BuildError::NonFinite {
            quantity: SeedQuantity::Parameters,
            index: k / own,
            value: parameters[k / own * own..][..own].to_vec(),
        }),
    }
}

/// Refuses a number of history values other than the particles need, or values that the variables
/// cannot have.
fn check_history<T: Scalar>(
    values: &[f64],
    particles: usize,
    variables: &'static [&'static str],
) -> Result<(), BuildError> {
    if variables.is_empty() || values.len() != particles * variables.len() {
        return Err(BuildError::HistoryCount {
            given: values.len(),
            particles,
            variables: variables.len(),
        });
    }
    for (k, &value) in values.iter().enumerate() {
        let name = variables[k % variables.len()];
        let range = StateLayout::history_range(name);
        if !range.contains(value) || !T::from_f64(value).is_finite() {
            return Err(BuildError::BadHistory {
                name,
                index: k / variables.len(),
                value,
                range: range.words,
            });
        }
    }
    Ok(())
}

/// Refuses a state whose volume ratio is not positive in precision `T`.
fn check_volume_ratio<T: Scalar>(index: usize, ratio: f64) -> Result<(), BuildError> {
    let least = T::MIN_POSITIVE;
    if ratio >= least && T::from_f64(ratio).is_finite() {
        return Ok(());
    }
    Err(BuildError::BadParticle {
        quantity: SeedQuantity::VolumeRatio,
        index,
        value: ratio,
        least,
    })
}

/// Refuses a number of carried values other than the particles need, or values that are not finite
/// in precision `T`.
fn check_carried<T: Scalar>(
    values: &[f64],
    particles: usize,
    carries: &[Carried],
) -> Result<(), BuildError> {
    if values.len() != particles * carries.len() {
        return Err(BuildError::CarriedCount {
            given: values.len(),
            particles,
            carried: carries.len(),
        });
    }
    match values.iter().position(|x| !T::from_f64(*x).is_finite()) {
        None => Ok(()),
        Some(k) => Err(BuildError::NonFinite {
            quantity: SeedQuantity::Carried {
                index: k % carries.len(),
            },
            index: k / carries.len(),
            value: vec![values[k]],
        }),
    }
}

/// Refuses a seed that cannot be simulated in precision `T`.
fn check_seed<T: Scalar, const D: usize>(
    index: usize,
    seed: &Seed<D>,
    reach: f64,
) -> Result<(), BuildError> {
    let representable = |x: &f64| T::from_f64(*x).is_finite();
    for (quantity, value) in [
        (SeedQuantity::Position, seed.position.as_slice()),
        (SeedQuantity::Velocity, seed.velocity.as_slice()),
        (
            SeedQuantity::VelocityGradient,
            seed.velocity_gradient.as_flattened(),
        ),
        (
            SeedQuantity::DeformationGradient,
            seed.deformation_gradient.as_flattened(),
        ),
    ] {
        if !value.iter().all(representable) {
            return Err(BuildError::NonFinite {
                quantity,
                index,
                value: value.to_vec(),
            });
        }
    }
    // Positive in double precision is not enough if single precision rounds it to zero.
    let determinant = Matrix(seed.deformation_gradient.map(|row| row.map(T::from_f64)))
        .determinant()
        .to_f64();
    // Nodes get small fractions of a mass; they must not round to zero either.
    let lightest = T::MIN_POSITIVE / (T::EPSILON * T::EPSILON);
    for (quantity, value, least) in [
        (SeedQuantity::Mass, seed.mass, lightest),
        (SeedQuantity::RestVolume, seed.rest_volume, T::MIN_POSITIVE),
        (SeedQuantity::Determinant, determinant, T::MIN_POSITIVE),
    ] {
        if !(value >= least && representable(&value)) {
            return Err(BuildError::BadParticle {
                quantity,
                index,
                value,
                least,
            });
        }
    }
    if seed.position.iter().any(|x| x.abs() >= reach) {
        return Err(BuildError::TooFar {
            index,
            position: seed.position.to_vec(),
            reach,
        });
    }
    Ok(())
}
