//! Budgets of conserved quantities, equation (19).

mod filled_volume;

pub(crate) use filled_volume::filled_volume;

use rayon::prelude::*;
use thixo_math::Vector;
use thixo_par::Scalar;

use crate::force::BodyForce;
use crate::grid::Geometry;
use crate::heat::{self, HeatBudget};
use crate::integrate::CheckedSetup;
use crate::lagrangian;
use crate::material::Material;
use crate::particles::{PADDING, Species};
use crate::porous::Interaction;
use crate::state::State;

/// Sums and extremes over all particles, in double precision. SI units; per metre of thickness in
/// 2D.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Audit<const D: usize> {
    /// Simulated time \[s\].
    pub time: f64,
    /// Number of particles.
    pub particles: usize,
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass \[m\]; along periodic axes the mean of the positions in the first period.
    /// Zero without particles.
    pub centre_of_mass: [f64; D],
    /// Linear momentum \[kg m/s\].
    pub momentum: [f64; D],
    /// Angular momentum about the origin with the particles' own (affine) part \[kg m²/s\]; only
    /// the third component in 2D.
    pub angular_momentum: [f64; 3],
    /// Kinetic energy of the particles' velocities, without the affine part \[J\].
    pub kinetic: f64,
    /// Elastic energy of the materials that have one, and of meshes \[J\].
    pub elastic: f64,
    /// Potential energy in uniform gravity, zero at the origin \[J\]; zero in other fields.
    pub potential: f64,
    /// Largest speed \[m/s\].
    pub max_speed: f64,
    /// Present volume Σ J V⁰ \[m³\].
    pub volume: f64,
    /// Smallest volume ratio J \[–\]; 1 without particles.
    pub j_min: f64,
    /// Largest volume ratio J \[–\]; 1 without particles.
    pub j_max: f64,
    /// Heat; none where it is not conducted.
    pub heat: Option<HeatBudget>,
}

/// Slots that are summed by one thread.
const CHUNK: usize = 4096;

/// Contribution of a chunk of particles to the budgets.
#[derive(Clone, Copy)]
struct Sums<const D: usize> {
    mass: f64,
    moment: Vector<f64, D>,
    momentum: Vector<f64, D>,
    angular: [f64; 3],
    kinetic: f64,
    elastic: f64,
    volume: f64,
    max_squared: f64,
    j: [f64; 2],
}

impl<const D: usize> Sums<D> {
    fn none() -> Self {
        Self {
            mass: 0.0,
            moment: Vector::zero(),
            momentum: Vector::zero(),
            angular: [0.0; 3],
            kinetic: 0.0,
            elastic: 0.0,
            volume: 0.0,
            max_squared: 0.0,
            j: [f64::INFINITY, f64::NEG_INFINITY],
        }
    }
    fn plus(mut self, other: Self) -> Self {
        self.mass += other.mass;
        self.moment += other.moment;
        self.momentum += other.momentum;
        for (sum, x) in self.angular.iter_mut().zip(other.angular) {
            *sum += x;
        }
        self.kinetic += other.kinetic;
        self.elastic += other.elastic;
        self.volume += other.volume;
        self.max_squared = self.max_squared.max(other.max_squared);
        self.j = [self.j[0].min(other.j[0]), self.j[1].max(other.j[1])];
        self
    }
}

/// Sums over all particles: chunks in parallel, then the chunks in the order of memory.
pub(crate) fn audit<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &State<T, D>,
) -> Audit<D> {
    let particles = &state.particles;
    let to_moment = setup.transfer.affine_column(&setup.geometry).to_moment();
    let gravity = match setup.body_force {
        BodyForce::Uniform(g) => Vector(g),
        BodyForce::Field(_) => Vector::zero(),
    };
    let mut total = Sums::<D>::none();
    for (index, (species, material)) in particles.species.iter().zip(&setup.materials).enumerate() {
        let wet = setup.mixture.as_ref().and_then(|mixture| {
            let name = &mixture.mixture.wetness.as_ref()?.name;
            Some(WetLaw {
                rule: mixture.interaction(index)?,
                column: setup.schemas().nth(index)?.carried(name)?,
                parameters: material.own_parameters().len(),
                time: state.time,
            })
        });
        let chunks: Vec<Sums<D>> = species
            .ids
            .par_chunks(CHUNK)
            .enumerate()
            .map(|(k, ids)| {
                let occupied = ids.iter().enumerate().filter(|(_, id)| **id != PADDING);
                let slots = occupied.map(|(lane, _)| k * CHUNK + lane);
                sums(
                    species,
                    slots,
                    material.as_ref(),
                    (&setup.geometry, to_moment),
                    wet.as_ref(),
                )
            })
            .collect();
        total = chunks.into_iter().fold(total, Sums::plus);
    }
    let (geometry, time) = (&setup.geometry, state.time);
    let of_meshes = lagrangian::elastic_energy(&setup.meshes, particles, geometry, time);
    let mut centre = Vector::zero();
    let mut j = total.j;
    if particles.is_empty() {
        j = [1.0, 1.0];
    } else {
        centre = total.moment * (1.0 / total.mass);
    }
    Audit {
        time: state.time,
        particles: particles.len(),
        mass: total.mass,
        centre_of_mass: centre.0,
        momentum: total.momentum.0,
        angular_momentum: total.angular,
        kinetic: total.kinetic,
        elastic: total.elastic + of_meshes,
        potential: -gravity.dot(total.moment),
        max_speed: total.max_squared.sqrt(),
        volume: total.volume,
        j_min: j[0],
        j_max: j[1],
        heat: setup
            .heat
            .as_ref()
            .map(|heat| heat::budget(heat, particles, state.heat.received)),
    }
}

/// Parameters of a material that depend on the wetness of particles.
struct WetLaw<'a, const D: usize> {
    rule: &'a Interaction<D>,
    /// Hot column of the wetness.
    column: usize,
    /// Number of parameters, the last columns of a state.
    parameters: usize,
    /// Time \[s\].
    time: f64,
}

/// Sums over some particles of a material.
fn sums<T: Scalar, const D: usize>(
    species: &Species<T, D>,
    slots: impl Iterator<Item = usize>,
    material: &dyn Material<T, D>,
    (geometry, to_moment): (&Geometry<D>, f64),
    wet: Option<&WetLaw<'_, D>>,
) -> Sums<D> {
    let mut sums = Sums::none();
    let mut state = Vec::new();
    for slot in slots {
        let m = species.mass(slot).to_f64();
        let x = geometry.into_first_period(species.position(slot, geometry));
        let v = Vector(species.velocity(slot).0.map(T::to_f64));
        let affine = species.affine(slot).0.map(|row| row.map(T::to_f64));
        let v0 = species.rest_volume(slot).to_f64();
        species.read_state(slot, &mut state);
        if let Some(wet) = wet {
            let phi = species.hot.get(slot, wet.column).to_f64();
            let own = state.len() - wet.parameters;
            wet.rule.replace(phi, (x.0, wet.time), &mut state[own..]);
        }
        sums.mass += m;
        sums.moment += x * m;
        sums.momentum += v * m;
        // ε_kij (x_i v_j + B_ji) over the pairs of axes; in 2D only the last pair exists.
        for (k, (i, j)) in [(1, 2), (2, 0), (0, 1)].into_iter().enumerate() {
            if i < D && j < D {
                let own = to_moment * (affine[j][i] - affine[i][j]);
                sums.angular[k] += m * (x[i] * v[j] - x[j] * v[i] + own);
            }
        }
        sums.kinetic += 0.5 * m * v.norm_squared();
        sums.elastic += v0 * material.energy_density(&state).unwrap_or(0.0);
        sums.max_squared = sums.max_squared.max(v.norm_squared());
        let j = material.volume_ratio(&state);
        sums.volume += j * v0;
        sums.j = [sums.j[0].min(j), sums.j[1].max(j)];
    }
    sums
}
