//! Insertion of particles: from seeds to columns.

use thixo_math::Matrix;
use thixo_par::Scalar;

use super::State;
use crate::error::{BuildError, SeedQuantity};
use crate::grid::Geometry;
use crate::heat::{Heat, check_kelvin, row_of};
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
    temperatures: Option<&'a [f64]>,
    melting_points: Option<&'a [f64]>,
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
            temperatures: None,
            melting_points: None,
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
    /// Particles of given temperatures \[K\], seed after seed; the initial one of
    /// [`Heat`] if none are given. Without [`Setup::heat`](crate::Setup::heat)
    /// they are refused.
    #[must_use]
    pub fn at_temperatures(mut self, temperatures: Option<&'a [f64]>) -> Self {
        self.temperatures = temperatures;
        self
    }
    /// Particles of given melting points \[K\], seed after seed; that of their material if none
    /// are given.
    #[must_use]
    pub fn melting_at(mut self, melting_points: Option<&'a [f64]>) -> Self {
        self.melting_points = melting_points;
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
    /// Heat, where it is conducted.
    pub heat: Option<&'a Heat<D>>,
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
            temperatures,
            melting_points,
        } = insertion;
        let InsertRules {
            materials,
            transfer,
            geometry,
            carried: carries,
            heat,
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
        for (quantity, values) in [
            (SeedQuantity::Temperature, temperatures),
            (SeedQuantity::MeltingPoint, melting_points),
        ] {
            check_temperatures::<T>(quantity, values, seeds.len(), heat.is_some())?;
        }
        let reach = geometry.reach();
        let mut rest = Vec::with_capacity(seeds.len() * (law.state_columns() + carries.len()));
        for (index, seed) in seeds.iter().enumerate() {
            check_seed::<T, D>(index, seed, reach)?;
            let own = parameters.map(|all| &all[index * own..(index + 1) * own]);
            // Temperature, latent heat and phase, which decides the parameters of matter that
            // melts.
            let thermal = heat.map(|heat| {
                let thermal = &heat.materials[material];
                let melting = thermal.melting.as_ref();
                let given = melting_points.map(|all| all[index]);
                let point = given.or(melting.map(|m| m.point)).unwrap_or(heat.reference);
                let temperature = temperatures.map_or(heat.initial, |all| all[index]);
                // The column has the precision of the simulation.
                let point = T::from_f64(point - heat.reference).to_f64();
                let state = thermal.state_at(temperature - heat.reference, point);
                let mechanics = melting.and_then(|m| m.mechanics.as_ref());
                (row_of(state, point), mechanics.map(|m| m.of(state.phase)))
            });
            let own = match &thermal {
                Some((_, Some(of_phase))) => Some(*of_phase),
                _ => own,
            };
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
            rest.extend(thermal.into_iter().flat_map(|(row, _)| row));
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

/// Refuses temperatures of matter that does not conduct heat, another number of them than there are
/// particles, or such as are not above absolute zero \[K\].
fn check_temperatures<T: Scalar>(
    quantity: SeedQuantity,
    values: Option<&[f64]>,
    particles: usize,
    conducts: bool,
) -> Result<(), BuildError> {
    let Some(values) = values else {
        return Ok(());
    };
    if !conducts || values.len() != particles {
        return Err(BuildError::TemperatureCount {
            quantity,
            given: values.len(),
            particles: if conducts { particles } else { 0 },
        });
    }
    let is_wrong = |x: &f64| check_kelvin("temperature", "temperature [K]", *x).is_err();
    match values
        .iter()
        .position(|x| is_wrong(x) || !T::from_f64(*x).is_finite())
    {
        None => Ok(()),
        Some(index) => Err(BuildError::BadParticle {
            quantity,
            index,
            value: values[index],
            least: f64::MIN_POSITIVE,
        }),
    }
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
