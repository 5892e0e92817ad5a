//! Requirements on every constitutive model, in 2D and 3D: a rest state without stress or energy,
//! symmetric and objective stress, stress that is the derivative of the energy, an incremental
//! energy with the right derivatives, an idempotent return map, tiny strains with all their digits
//! in single precision, and a lane instance that agrees with the scalar one.
//!
//! Further checks for those models that promise more: [`check_stiffness`], [`check_small_strain`],
//! [`check_lanes`], [`check_flow_within_steps`], [`check_split`].

mod potential;
mod small_strain;

pub use potential::check_flow_within_steps;

use thixo_math::{Matrix, Real, Vector};
use thixo_par::{Isa, Scalar};

use super::{Batch, Constitutive, MAX_PARAMETERS, MAX_STATE, Material, Model, State};
use crate::Layout;
use crate::potential::Potential;

/// Relative error allowed between stress and the central difference of the energy.
const DIFFERENCE_TOLERANCE: f64 = 1e-6;

/// Runs the whole suite; panics with the broken law.
pub fn check<C: Constitutive>(law: &C) {
    check_in::<C, 2>(law);
    check_in::<C, 3>(law);
}

fn check_in<C: Constitutive, const D: usize>(law: &C) {
    every_column_of_state_has_a_name::<C, D>();
    rest_state_is_free_of_stress::<C, D>(law);
    small_strain::tiny_strains_keep_their_digits::<C, D>(law);
    small_strain::tiny_steps_keep_their_digits::<C, D>(law);
    small_strain::increments_below_epsilon_add_up::<C, D>(law);
    let _ = potential::check_potential::<C, D>(law, &Matrix::identity(), 0);
    let _ = potential::check_potential::<C, D>(law, &potential::nearly_equal_stretches(), 1);
    potential::check_fading::<C, D>(law);
    let (mut slopes, mut derivatives) = (Compared::default(), Compared::default());
    for seed in 0..SAMPLES {
        let f = sample_deformation::<D>(seed);
        stress_is_symmetric::<C, D>(law, &f);
        stress_is_objective::<C, D>(law, &f, seed);
        slopes.count(stress_is_the_slope_of_the_energy::<C, D>(law, &f));
        return_map_is_idempotent::<C, D>(law, &f);
        derivatives.count(potential::check_potential::<C, D>(law, &f, seed));
        single_precision_agrees::<C, D>(law, &f);
    }
    let rest = entered::<C, f64, D>(law, &Matrix::identity());
    if law.uniform_model::<f64>().energy_density(&rest).is_some() {
        slopes.demand::<C>("the slope of the energy");
    }
    if C::Potential::EXISTS {
        derivatives.demand::<C>("derivatives of the incremental energy");
    }
}

/// Random deformations that a law is tried at.
const SAMPLES: u64 = 200;

/// Share of the samples at which a check must have compared something: kinks and strains out of a
/// law's range are passed over, and a law that is passed over everywhere is not checked.
const LEAST_COMPARED: f64 = 0.15;

/// Outcome of a check at one sample, if it does not panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
enum Sample {
    Compared,
    /// There is nothing to compare: the law does not promise it there.
    PassedOver,
}

/// Samples at which a check compared something.
#[derive(Clone, Copy, Debug, Default)]
struct Compared {
    compared: u32,
    tried: u32,
}

impl Compared {
    fn count(&mut self, sample: Sample) {
        self.tried += 1;
        self.compared += u32::from(sample == Sample::Compared);
    }
    fn demand<C: Constitutive>(self, of: &str) {
        let Self { compared, tried } = self;
        assert!(
            f64::from(compared) >= LEAST_COMPARED * f64::from(tried) && compared > 0,
            "{}: {of}: compared at {compared} of {tried} samples only",
            C::NAME
        );
    }
}

/// Checks a law whose pressure can be left to a projection: its deviatoric part has the deviator
/// of its stress, and the [`PressureResponse`](crate::PressureResponse) the rest.
pub fn check_split<C: Constitutive>(law: &C) {
    check_split_in::<C, 2>(law);
    check_split_in::<C, 3>(law);
}

fn check_split_in<C: Constitutive, const D: usize>(law: &C) {
    assert!(C::HAS_SPLIT, "{}", C::NAME);
    let mut parameters = [0.0; MAX_PARAMETERS];
    for (to, from) in parameters.iter_mut().zip(law.parameters()) {
        *to = from;
    }
    let whole = law.model::<f64>(&parameters);
    let part = law.model::<f64>(&law.deviatoric::<f64, D>(parameters));
    for seed in 0..200 {
        let f = sample_deformation::<D>(seed);
        let state = whole.initial_state(&f);
        let stress = whole.kirchhoff_stress(&state, &Matrix::zero());
        let deviator = part.kirchhoff_stress(&state, &Matrix::zero());
        let growth = State::<f64, D>::volume_growth(&state);
        let response = law.pressure_response::<f64, D>(&parameters, growth);
        let p = response.compression / response.compliance;
        let expected = deviator + Matrix::from_scalar(-(p * (1.0 + growth)));
        let error = (stress - expected).norm_squared().sqrt();
        let scale = stress.norm_squared().sqrt() + p.abs();
        assert!(
            error < 1e-12 * scale,
            "{} {seed}: {error} of {scale}",
            C::NAME
        );
        assert!(deviator.trace().abs() < 1e-12 * scale, "{} {seed}", C::NAME);
    }
}

type StateOf<C, R, const D: usize> = <<C as Constitutive>::Model<R> as Model<R>>::State<D>;

fn every_column_of_state_has_a_name<C: Constitutive, const D: usize>() {
    let strain = StateOf::<C, f64, D>::STRAIN.columns::<D>();
    assert_eq!(
        StateOf::<C, f64, D>::COLUMNS,
        strain + C::HISTORY.len(),
        "{}: HISTORY must name every number of history",
        C::NAME
    );
}

/// The state of a particle that enters with F.
fn entered<C: Constitutive, R: Real, const D: usize>(
    law: &C,
    f: &Matrix<R, D>,
) -> StateOf<C, R, D> {
    law.uniform_model::<R>().initial_state(f)
}

fn admissible<C: Constitutive, R: Real, const D: usize>(
    law: &C,
    f: &Matrix<R, D>,
) -> StateOf<C, R, D> {
    let (model, dt) = (law.uniform_model::<R>(), R::splat(1e-3));
    let mut state = model.initial_state(f);
    model.advance(&mut state, &Matrix::zero(), dt);
    model.return_map(&mut state, dt);
    state
}

fn stress_of<C: Constitutive, const D: usize>(law: &C, f: &Matrix<f64, D>) -> Matrix<f64, D> {
    law.uniform_model::<f64>()
        .kirchhoff_stress(&admissible::<C, f64, D>(law, f), &Matrix::zero())
}

fn scale<C: Constitutive, const D: usize>(law: &C) -> f64 {
    law.uniform_model::<f64>()
        .stiffness(&entered::<C, f64, D>(law, &Matrix::identity()))
}

fn rest_state_is_free_of_stress<C: Constitutive, const D: usize>(law: &C) {
    let rest = Matrix::identity();
    let tau = stress_of::<C, D>(law, &rest);
    let modulus = scale::<C, D>(law);
    assert!(
        modulus > 0.0,
        "{}: the stiffness at rest is {modulus}",
        C::NAME
    );
    let size = tau.norm_squared().sqrt();
    assert!(
        size <= 1e-12 * modulus,
        "{}: stress at rest {tau:?}",
        C::NAME
    );
    let state = entered::<C, f64, D>(law, &rest);
    if let Some(psi) = law.uniform_model::<f64>().energy_density(&state) {
        assert!(
            psi.abs() <= 1e-12 * modulus,
            "{}: energy at rest {psi}",
            C::NAME
        );
    }
}

fn stress_is_symmetric<C: Constitutive, const D: usize>(law: &C, f: &Matrix<f64, D>) {
    let tau = stress_of::<C, D>(law, f);
    for i in 0..D {
        for j in 0..D {
            assert_eq!(tau[i][j], tau[j][i], "{}: {tau:?}", C::NAME);
        }
    }
}

/// τ(QF) = Q τ(F) Qᵀ for every rotation Q.
fn stress_is_objective<C: Constitutive, const D: usize>(law: &C, f: &Matrix<f64, D>, seed: u64) {
    let q = rotation::<D>(seed);
    let turned = stress_of::<C, D>(law, &(q * *f));
    let expected = q * stress_of::<C, D>(law, f) * q.transpose();
    let error = (turned - expected).norm_squared().sqrt();
    assert!(error <= 1e-10 * scale::<C, D>(law), "{}: {error}", C::NAME);
}

/// τ = (∂ψ/∂F) Fᵀ by central differences (errata E5), where the return map leaves the state alone.
fn stress_is_the_slope_of_the_energy<C: Constitutive, const D: usize>(
    law: &C,
    f: &Matrix<f64, D>,
) -> Sample {
    let model = law.uniform_model::<f64>();
    let psi = |f: &Matrix<f64, D>| model.energy_density(&model.initial_state(f));
    let state = model.initial_state(f);
    if psi(f).is_none() {
        return Sample::PassedOver;
    }
    let e = 1e-5;
    let mut p = Matrix::<f64, D>::zero();
    for i in 0..D {
        for j in 0..D {
            let (mut above, mut below) = (*f, *f);
            above[i][j] += e;
            below[i][j] -= e;
            let (Some(high), Some(low)) = (psi(&above), psi(&below)) else {
                return Sample::PassedOver;
            };
            p[i][j] = (high - low) / (2.0 * e);
        }
    }
    let expected = p * f.transpose();
    let tau = model.kirchhoff_stress(&state, &Matrix::zero());
    let error = (tau - expected).norm_squared().sqrt();
    let size = tau.norm_squared().sqrt().max(1e-3 * scale::<C, D>(law));
    assert!(
        error <= DIFFERENCE_TOLERANCE * size,
        "{}: stress {tau:?} is not the slope of the energy {expected:?}",
        C::NAME
    );
    Sample::Compared
}

fn return_map_is_idempotent<C: Constitutive, const D: usize>(law: &C, f: &Matrix<f64, D>) {
    let once = admissible::<C, f64, D>(law, f);
    let mut twice = once;
    law.uniform_model::<f64>().return_map(&mut twice, 0.0);
    let model = law.uniform_model::<f64>();
    let change = model.kirchhoff_stress(&once, &Matrix::zero())
        - model.kirchhoff_stress(&twice, &Matrix::zero());
    let error = change.norm_squared().sqrt();
    assert!(error <= 1e-10 * scale::<C, D>(law), "{}: {error}", C::NAME);
}

fn single_precision_agrees<C: Constitutive, const D: usize>(law: &C, f: &Matrix<f64, D>) {
    let mut single = Matrix::<f32, D>::zero();
    for i in 0..D {
        for j in 0..D {
            single[i][j] = f[i][j] as f32;
        }
    }
    let tau = stress_of::<C, D>(law, f);
    let state = admissible::<C, f32, D>(law, &single);
    let short = law
        .uniform_model::<f32>()
        .kirchhoff_stress(&state, &Matrix::zero());
    for i in 0..D {
        for j in 0..D {
            let error = (f64::from(short[i][j]) - tau[i][j]).abs();
            let size = tau.norm_squared().sqrt().max(scale::<C, D>(law));
            assert!(error <= 3e-5 * size, "{}: {short:?} {tau:?}", C::NAME);
        }
    }
}

/// Ratio of the stiffness bound to the second variation that it bounds.
#[derive(Clone, Copy, Debug)]
pub struct StiffnessMargin {
    /// Smallest ratio of the stiffness to the largest second variation of ψ.
    pub least: f64,
    /// Largest such ratio.
    pub most: f64,
}

/// The stiffness bounds the second variation of ψ along F(ε) = (I + εG) F for every G with |G| = 1,
/// in 2D and 3D; panics where it does not. Laws without potential pass.
pub fn check_stiffness<C: Constitutive>(law: &C) -> [StiffnessMargin; 2] {
    [stiffness_margin::<C, 2>(law), stiffness_margin::<C, 3>(law)]
}

fn stiffness_margin<C: Constitutive, const D: usize>(law: &C) -> StiffnessMargin {
    let model = law.uniform_model::<f64>();
    let mut margin = StiffnessMargin {
        least: f64::INFINITY,
        most: 0.0,
    };
    for seed in 0..200 {
        let f = sample_deformation::<D>(seed);
        let bound = model.stiffness(&model.initial_state(&f));
        let largest = largest_second_variation::<C, D>(law, &f);
        assert!(
            largest <= bound * (1.0 + 1e-6),
            "{}: the second variation is {largest}, the stiffness {bound} at {f:?}",
            C::NAME
        );
        let ratio = bound / largest;
        if ratio > 0.0 {
            margin.least = margin.least.min(ratio);
            margin.most = margin.most.max(ratio);
        }
    }
    margin
}

/// Largest eigenvalue of the matrix of second differences of ψ((I + G) F) by G.
fn largest_second_variation<C: Constitutive, const D: usize>(law: &C, f: &Matrix<f64, D>) -> f64 {
    let model = law.uniform_model::<f64>();
    let e = 2e-4;
    let psi = |k: usize, l: usize, a: f64, b: f64| {
        let mut g = Matrix::<f64, D>::identity();
        g[k / D][k % D] += a;
        g[l / D][l % D] += b;
        let state = model.initial_state(&(g * *f));
        model.energy_density(&state).unwrap_or(0.0)
    };
    let n = D * D;
    let mut hessian = [[0.0; 9]; 9];
    let mut size = 0.0_f64;
    for k in 0..n {
        for l in 0..n {
            let even = psi(k, l, e, e) + psi(k, l, -e, -e);
            let odd = psi(k, l, e, -e) + psi(k, l, -e, e);
            hessian[k][l] = (even - odd) / (4.0 * e * e);
            size += hessian[k][l] * hessian[k][l];
        }
    }
    // Power iteration; shifted so that the largest eigenvalue is the largest in magnitude.
    let shift = size.sqrt();
    let mut x = [0.0; 9];
    for k in 0..n {
        x[k] = 1.0 + 0.5 * noise(7, k as u64);
    }
    let mut largest = 0.0;
    for _ in 0..400 {
        let mut y = [0.0; 9];
        for k in 0..n {
            y[k] = shift * x[k];
            for l in 0..n {
                y[k] += hessian[k][l] * x[l];
            }
        }
        let along: f64 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
        let square: f64 = x.iter().map(|x| x * x).sum();
        largest = along / square - shift;
        let length = y.iter().map(|y| y * y).sum::<f64>().sqrt();
        if length == 0.0 {
            return 0.0;
        }
        for k in 0..n {
            x[k] = y[k] / length;
        }
    }
    largest
}

/// The law is linear elasticity with Lamé's μ and λ for small strain, and rotations are
/// free of stress.
pub fn check_small_strain<C: Constitutive, const D: usize>(law: &C, mu: f64, lambda: f64) {
    let e = 1e-6;
    for seed in 0..50 {
        let mut gradient = Matrix::<f64, D>::zero();
        for i in 0..D {
            for j in 0..D {
                gradient[i][j] = noise(seed, (i * D + j) as u64);
            }
        }
        let f = Matrix::identity() + gradient * e;
        let strain = gradient.symmetric_part();
        let expected = strain.mul_add(2.0 * mu, Matrix::from_scalar(lambda * strain.trace()));
        let tau = stress_of::<C, D>(law, &f) * (1.0 / e);
        let error = (tau - expected).norm_squared().sqrt();
        assert!(
            error <= 1e-4 * scale::<C, D>(law),
            "{}: {tau:?} {expected:?}",
            C::NAME
        );
        let turned = stress_of::<C, D>(law, &rotation::<D>(seed));
        let error = turned.norm_squared().sqrt();
        assert!(error <= 1e-13 * scale::<C, D>(law), "{}: {error}", C::NAME);
    }
}

/// Relative error allowed between lanes of single precision and the scalar law of double precision.
const LANE_TOLERANCE: f64 = 1e-4;

/// Lanes of f32, on every instruction set of this machine, give the states, stresses and limits
/// of the scalar law in f64.
pub fn check_lanes<C: Constitutive>(law: &C)
where
    Box<dyn Material<f32, 2>>: From<C>,
    Box<dyn Material<f32, 3>>: From<C>,
{
    for isa in [Isa::detect(), Isa::portable()] {
        lanes_agree::<C, 2>(law, &*Box::from(law.clone()), isa);
        lanes_agree::<C, 3>(law, &*Box::from(law.clone()), isa);
    }
}

fn lanes_agree<C: Constitutive, const D: usize>(
    law: &C,
    material: &dyn Material<f32, D>,
    isa: Isa,
) {
    const GROUPS: usize = 16;
    const LANES: usize = <f32 as Scalar>::LANES;
    let dt = 1e-3_f32;
    let columns = material.state_columns();
    let hot_stride = (Layout::<D>::STATE + columns) * LANES;
    let stress_stride = Layout::<D>::SYMMETRIC * LANES;
    let mut hot = vec![0.0_f32; GROUPS * hot_stride];
    let mut gradient = vec![0.0_f32; GROUPS * D * D * LANES];
    let mut stress = vec![0.0_f32; GROUPS * stress_stride];
    for particle in 0..GROUPS * LANES {
        let (group, lane) = (particle / LANES, particle % LANES);
        let seed = particle as u64;
        let head = group * hot_stride + lane;
        hot[head + Layout::<D>::MASS * LANES] = 2.0;
        hot[head + Layout::<D>::V0 * LANES] = 1.0;
        let state = material.state(&sample_deformation::<D>(seed), None);
        for (k, x) in state.iter().enumerate() {
            hot[head + (Layout::<D>::STATE + k) * LANES] = *x as f32;
        }
        for k in 0..D * D {
            gradient[(group * D * D + k) * LANES + lane] =
                50.0 * noise(seed, 200 + k as u64) as f32;
        }
    }
    let before = hot.clone();
    let batch = Batch {
        hot: &mut hot,
        hot_stride,
        velocity_gradient: &gradient,
        stress: &mut stress,
        stress_stride,
        stress_first: 0,
    };
    let limits = material.update(isa, batch, dt);
    let model = law.uniform_model::<f64>();
    let mut stiffness = 0.0_f64;
    for particle in 0..GROUPS * LANES {
        let (group, lane) = (particle / LANES, particle % LANES);
        let memory = group * hot_stride + Layout::<D>::STATE * LANES + lane;
        let mut numbers = [0.0; MAX_STATE];
        for k in 0..columns {
            numbers[k] = f64::from(before[memory + k * LANES]);
        }
        let mut grad_v = Matrix::<f64, D>::zero();
        for k in 0..D * D {
            grad_v[k / D][k % D] = f64::from(gradient[(group * D * D + k) * LANES + lane]);
        }
        let mut state = StateOf::<C, f64, D>::load(&numbers);
        model.advance(&mut state, &(grad_v * f64::from(dt)), f64::from(dt));
        let tau = model.respond(&mut state, &grad_v, f64::from(dt));
        state.store(&mut numbers);
        for k in 0..columns {
            let got = f64::from(hot[memory + k * LANES]);
            let error = (got - numbers[k]).abs() / numbers[k].abs().max(1.0);
            assert!(
                error <= LANE_TOLERANCE,
                "{} on {}: state {got} {}",
                C::NAME,
                isa.name(),
                numbers[k]
            );
        }
        let size = tau.norm_squared().sqrt().max(scale::<C, D>(law));
        let mut entry = 0;
        for i in 0..D {
            for j in i..D {
                let got = stress[group * stress_stride + entry * LANES + lane];
                let error = (f64::from(got) - tau[i][j]).abs();
                assert!(
                    error <= LANE_TOLERANCE * size,
                    "{} on {}: stress {got} {}",
                    C::NAME,
                    isa.name(),
                    tau[i][j]
                );
                entry += 1;
            }
        }
        stiffness = stiffness.max(model.stiffness(&state) / 2.0);
    }
    assert!(limits.sound, "{}: {limits:?}", C::NAME);
    let error = (f64::from(limits.stiffness_per_density) / stiffness - 1.0).abs();
    assert!(
        error <= LANE_TOLERANCE,
        "{}: {limits:?} {stiffness}",
        C::NAME
    );
}

/// A number in [−1, 1) from a counter.
fn noise(seed: u64, k: u64) -> f64 {
    let mut x = (seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ k).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^= x >> 31;
    (x >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// A rotation, by Rodrigues' formula in 3D.
fn rotation<const D: usize>(seed: u64) -> Matrix<f64, D> {
    let angle = 3.0 * noise(seed, 100);
    let (s, c) = angle.sin_cos();
    let mut q = Matrix::<f64, D>::identity();
    q[0][0] = c;
    q[0][1] = -s;
    q[1][0] = s;
    q[1][1] = c;
    if D == 3 {
        // A second turn about the first axis makes the rotation general enough.
        let (s, c) = (2.0 * noise(seed, 101)).sin_cos();
        let mut tilt = Matrix::<f64, D>::identity();
        tilt[1][1] = c;
        tilt[1][2] = -s;
        tilt[2][1] = s;
        tilt[2][2] = c;
        q = q * tilt;
    }
    q
}

/// A deformation with stretches between 0.6 and 1.6, rotated on both sides; every eighth with
/// equal stretches.
fn sample_deformation<const D: usize>(seed: u64) -> Matrix<f64, D> {
    let mut stretch = Vector::<f64, D>::zero();
    for i in 0..D {
        let k = if seed.is_multiple_of(8) { 0 } else { i as u64 };
        stretch[i] = 1.1 + 0.5 * noise(seed, k);
    }
    rotation::<D>(seed) * Matrix::from_diagonal(stretch) * rotation::<D>(seed + 1000).transpose()
}
