//! Budgets: what a run conserves, equation (19).

use thixo_math::Vector;
use thixo_par::Scalar;

use crate::force::BodyForce;
use crate::simulation::Simulation;

/// Sums and extremes over all particles, in double precision. SI units; per metre of thickness in 2D.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Audit<const D: usize> {
    /// Simulated time \[s\].
    pub time: f64,
    /// Number of particles.
    pub particles: usize,
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass \[m\]; along periodic axes the mean of the positions in the first period. Zero without particles.
    pub centre_of_mass: [f64; D],
    /// Linear momentum \[kg m/s\].
    pub momentum: [f64; D],
    /// Angular momentum about the origin with the particles' own (affine) part \[kg m²/s\]; only the third component in 2D.
    pub angular_momentum: [f64; 3],
    /// Kinetic energy of the particles' velocities, without the affine part \[J\].
    pub kinetic: f64,
    /// Elastic energy of the materials that have one \[J\].
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
}

/// Sums over all particles in the order they lie in memory.
pub(crate) fn audit<T: Scalar, const D: usize>(sim: &Simulation<T, D>) -> Audit<D> {
    let geometry = &sim.setup.geometry;
    // The affine column holds C = B D⁻¹ where the kernel has a constant D, and B itself elsewhere.
    let inertia = geometry
        .kernel()
        .inertia()
        .map_or(1.0, |delta| delta * geometry.spacing().powi(2));
    let gravity = match sim.setup.body_force {
        BodyForce::Uniform(g) => Vector(g),
        BodyForce::Field(_) => Vector::zero(),
    };
    let mut mass = 0.0;
    let mut moment = Vector::<f64, D>::zero();
    let mut momentum = Vector::<f64, D>::zero();
    let mut angular = [0.0; 3];
    let (mut kinetic, mut elastic, mut volume) = (0.0, 0.0, 0.0);
    let mut max_squared = 0.0f64;
    let (mut j_min, mut j_max) = (f64::INFINITY, f64::NEG_INFINITY);
    for (species, material) in sim.particles.species.iter().zip(&sim.materials) {
        for slot in species.occupied() {
            let m = species.mass(slot).to_f64();
            let x = geometry.into_first_period(species.position(slot));
            let x = Vector(x.0.map(T::to_f64));
            let v = Vector(species.velocity(slot).0.map(T::to_f64));
            let affine = species.affine(slot).0.map(|row| row.map(T::to_f64));
            let state = species.state(slot);
            let v0 = species.rest_volume(slot).to_f64();
            mass += m;
            moment += x * m;
            momentum += v * m;
            // ε_kij (x_i v_j + B_ji) over the pairs of axes; in 2D only the last pair exists.
            for (k, (i, j)) in [(1, 2), (2, 0), (0, 1)].into_iter().enumerate() {
                if i < D && j < D {
                    let own = inertia * (affine[j][i] - affine[i][j]);
                    angular[k] += m * (x[i] * v[j] - x[j] * v[i] + own);
                }
            }
            kinetic += 0.5 * m * v.norm_squared();
            elastic += v0 * material.energy_density(&state).unwrap_or(0.0);
            max_squared = max_squared.max(v.norm_squared());
            let j = material.volume_ratio(&state);
            volume += j * v0;
            j_min = j_min.min(j);
            j_max = j_max.max(j);
        }
    }
    let mut centre = Vector::zero();
    if sim.particles.is_empty() {
        (j_min, j_max) = (1.0, 1.0);
    } else {
        centre = moment * (1.0 / mass);
    }
    Audit {
        time: sim.time,
        particles: sim.particles.len(),
        mass,
        centre_of_mass: centre.0,
        momentum: momentum.0,
        angular_momentum: angular,
        kinetic,
        elastic,
        potential: -gravity.dot(moment),
        max_speed: max_squared.sqrt(),
        volume,
        j_min,
        j_max,
    }
}
