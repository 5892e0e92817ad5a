//! Viscoelastic fluids after Oldroyd: foam, toothpaste, cream, dough; elastic at once, liquid
//! in the long run.
//!
//! Particles store the strain b_OB, which is advected with the flow and relaxes in the
//! relaxation time Wi \[s\], and the volume ratio J. \[Ram2015\] §3.3:
//!
//! Db_OB/Dt = ∇v b_OB + b_OB ∇vᵀ + (I − b_OB)/Wi.
//!
//! The stress follows from the elastic strain b^E, in one of two [forms](OldroydForm):
//!
//! * volume-preserving, \[Ram2015\] eq. (5), (13): b^E = (J²/det b_OB)^{1/d} b_OB. Then
//!   det b^E = J²: only the shape fades, and compressed matter keeps pushing back with λ + 2μ/d;
//! * plain Oldroyd-B: b^E = b_OB. Of compressed matter only the part λ of the pressure stays.
//!
//! The energy is neo-Hookean, \[Ram2015\] eq. (8), and so is the stress, eq. (9), with a Newtonian
//! part of dynamic viscosity η:
//!
//! ψ = μ/2 (tr b^E − d − ln det b^E) + λ/2 (J − 1)²,
//! τ = μ (b^E − I) + λ J (J − 1) I + 2ηJ dev(sym ∇v).
//!
//! ½ ln det b^E is ln J in the volume-preserving form, as the paper has it; in the plain form
//! it keeps ψ ≥ 0.
//!
//! Stored are the differences from rest h = b_OB − I and J − 1. A step is b_OB ← I + (R b_OB Rᵀ −
//! I) e^{−Δt/Wi} with R the positive increment I + Δt∇v, that is h ← e^{−Δt/Wi} ĥ with the advected
//! ĥ, and J ← J det R. It is positive definite for every Δt, and exact for matter at rest.
//!
//! Simple shear from rest at the rate γ̇, with W = γ̇ Wi and x = t/Wi: b_OB has
//! b_xy = W (1 − e^{−x}), b_xx = 1 + 2W² (1 − (1 + x) e^{−x}), b_yy = 1 (errata E16).
//! Steady, the plain form bears τ_xy = μW: the viscosity μ Wi. The volume-preserving one bears
//! τ_xy = μW (1 + W²)^{−1/d}: it thins, and in 2D levels off at μ, so that its 2D form is not
//! the plane strain of its 3D form.
//!
//! Differences from \[Ram2015\]: η is the dynamic viscosity (errata E13: by the stress
//! below eq. (1) η = μ^N/2) and its stress has no trace; the exponents are 2/d and 1/d
//! and the constant d, so that ψ = 0 at rest in 2D, too (E14); the step replaces eq. (14),
//! which is indefinite for Δt > Wi or large Δt∇v (E37); Wi is a time, not a number (E16);
//! J is carried by its own equation, with the volume change of the whole motion (errata E48),
//! instead of det F.
//!
//! Stiffness: d²ψ along (I + εG) F in a time too short for relaxation is
//! μ tr(G b^E Gᵀ) + (μ − λJ(J−1)) tr G² + λJ(2J−1) (tr G)², for |G| = 1 at most
//! μ b_max + |μ − λJ(J−1)| + dλ max(J(2J−1), 0) with the largest eigenvalue b_max of b^E:
//! dλ + 2μ at rest.
//!
//! Range: μ > 0, λ > 0 \[Pa\], 0 < Wi ≤ ∞ \[s\] (infinite: a neo-Hookean solid), η ≥ 0 \[Pa s\];
//! both moduli are those of small, quick strain, Lamé's. In single precision the volume-preserving
//! form loses det b_OB when stretches differ by more than about 10³.

#![allow(non_snake_case)]

use thixo_math::elementary::ln_near_one;
use thixo_math::{Matrix, Real};

use super::oldroyd_potential::OldroydPotential;
use super::positive::positive_determinant;
use crate::finger_strain::{advected, is_small, stretch_energy};
use crate::parameters::ParameterError;
use crate::parameters::{LAMBDA, MU, RELAXATION_TIME, SOLVENT_VISCOSITY};
use crate::potential::Reference;
use crate::{
    Constitutive, Dilatation, FingerStrain, MAX_PARAMETERS, MAX_STATE, Model, State, Strain,
    VolumeRatio, positive_increment,
};

/// Elastic strain from which the stress follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OldroydForm {
    /// b^E = (J²/det b_OB)^{1/d} b_OB: only the deviatoric strain relaxes. \[Ram2015\] eq. (5).
    #[default]
    VolumePreserving,
    /// b^E = b_OB: Oldroyd's own, in which the volumetric strain relaxes as well.
    Plain,
}

/// Viscoelastic fluid after Oldroyd, with a Newtonian part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OldroydB<R = f64> {
    /// Shear modulus μ > 0 \[Pa\].
    mu: R,
    /// Lamé's λ > 0 \[Pa\].
    lambda: R,
    /// Relaxation time Wi > 0 \[s\].
    relaxation_time: R,
    /// Dynamic viscosity η ≥ 0 of the Newtonian part \[Pa s\].
    viscosity: R,
    form: OldroydForm,
}

impl OldroydB {
    /// The volume-preserving fluid from Lamé's μ > 0 and λ > 0 \[Pa\] of its quick response,
    /// the relaxation time Wi > 0 \[s\], which may be infinite, and the dynamic viscosity η ≥ 0 of
    /// its Newtonian part \[Pa s\].
    pub fn new(
        mu: f64,
        lambda: f64,
        relaxation_time: f64,
        viscosity: f64,
    ) -> Result<Self, ParameterError> {
        Ok(Self {
            mu: MU.check(mu)?,
            lambda: LAMBDA.check(lambda)?,
            relaxation_time: RELAXATION_TIME.check(relaxation_time)?,
            viscosity: SOLVENT_VISCOSITY.check(viscosity)?,
            form: OldroydForm::VolumePreserving,
        })
    }
    /// The same fluid in another form.
    pub fn with_form(self, form: OldroydForm) -> Self {
        Self { form, ..self }
    }
}

impl Constitutive for OldroydB {
    type Model<R: Real> = OldroydB<R>;
    type Potential = OldroydPotential;
    const NAME: &'static str = "oldroyd_b";
    const PARAMETERS: &'static [&'static str] = &["mu", "lambda", "relaxation_time", "viscosity"];

    fn parameters(&self) -> Vec<f64> {
        vec![self.mu, self.lambda, self.relaxation_time, self.viscosity]
    }
    #[inline(always)]
    fn model<R: Real>(&self, parameters: &[R; MAX_PARAMETERS]) -> OldroydB<R> {
        let [mu, lambda, relaxation_time, viscosity, ..] = *parameters;
        OldroydB {
            mu,
            lambda,
            relaxation_time,
            viscosity,
            form: self.form,
        }
    }
    fn potential(&self) -> OldroydPotential {
        OldroydPotential { form: self.form }
    }
}

/// A relaxing strain, and the volume ratio, which does not relax.
#[derive(Clone, Copy, Debug)]
pub struct FadingStrain<R, const D: usize> {
    /// h = b_OB − I, symmetric; b_OB is positive definite \[–\].
    pub strain: FingerStrain<R, D>,
    /// Volume ratio J \[–\].
    pub volume: VolumeRatio<R>,
}

impl<R: Real, const D: usize> State<R, D> for FadingStrain<R, D> {
    const COLUMNS: usize = D * (D + 1) / 2 + 1;
    const STRAIN: Strain = Strain::FadingFinger;

    #[inline(always)]
    fn from_deformation(f: &Matrix<R, D>) -> Self {
        Self {
            strain: State::from_deformation(f),
            volume: State::from_deformation(f),
        }
    }
    #[inline(always)]
    fn load(columns: &[R; MAX_STATE]) -> Self {
        Self {
            strain: State::load(columns),
            volume: VolumeRatio {
                growth: columns[D * (D + 1) / 2],
            },
        }
    }
    #[inline(always)]
    fn store(&self, columns: &mut [R; MAX_STATE]) {
        self.strain.store(columns);
        columns[D * (D + 1) / 2] = self.volume.growth;
    }
    #[inline(always)]
    fn advance(&mut self, dt_grad_v: &Matrix<R, D>) {
        let increment = positive_increment(dt_grad_v);
        self.strain.0 = advected(&self.strain.0, &increment);
        self.volume.follow(&increment);
    }
    #[inline(always)]
    fn volume_ratio(&self) -> R {
        self.volume.ratio()
    }
}

/// s − 1 of s = (J²/det b)^{1/d}, from J² − 1 and det b.
#[inline(always)]
pub(super) fn volume_factor_less_one<R: Real, const D: usize>(
    squared_less_one: R,
    determinant: &Dilatation<R>,
) -> R {
    // Where det b is near one it is known best by its difference from one, and elsewhere itself.
    let inverse = R::one() / determinant.determinant();
    let quotient = (R::one() + squared_less_one) * inverse;
    let difference = (squared_less_one - determinant.excess()) * inverse;
    root_less_one::<R, D>(quotient, difference)
}

/// u^{1/d} − 1 of a number that is also known as u = 1 + x.
#[inline(always)]
pub(super) fn root_less_one<R: Real, const D: usize>(u: R, x: R) -> R {
    if D == 2 {
        x / (R::one() + u.sqrt())
    } else {
        (ln_near_one(u, x) * R::splat(1.0 / D as f64)).exp_m1()
    }
}

impl<R: Real> OldroydB<R> {
    /// Elastic strain b^E − I \[–\].
    #[inline(always)]
    fn elastic_strain<const D: usize>(&self, state: &FadingStrain<R, D>) -> Matrix<R, D> {
        let h = &state.strain.0;
        match self.form {
            OldroydForm::VolumePreserving => {
                let j = state.volume.growth;
                let squared_less_one = j.mul_add(j, j + j);
                let growth =
                    volume_factor_less_one::<R, D>(squared_less_one, &dilatation_by_pivots(h));
                h.mul_add(R::one() + growth, Matrix::from_scalar(growth))
            }
            OldroydForm::Plain => *h,
        }
    }
}

/// det b and det b − 1 of h = b − I, the first by elimination.
#[inline(always)]
fn dilatation_by_pivots<R: Real, const D: usize>(h: &Matrix<R, D>) -> Dilatation<R> {
    let determinant = positive_determinant(&(Matrix::identity() + *h));
    let excess = R::select(is_small(h), h.determinant_excess(), determinant - R::one());
    Dilatation::new(determinant, excess)
}

impl<R: Real> Model<R> for OldroydB<R> {
    type State<const D: usize> = FadingStrain<R, D>;

    #[inline(always)]
    fn energy_density<const D: usize>(&self, state: &FadingStrain<R, D>) -> Option<R> {
        let half = R::splat(0.5);
        let j = state.volume.growth;
        let elastic = self.elastic_strain(state);
        let dilatation = match self.form {
            OldroydForm::VolumePreserving => {
                let ratio = state.volume.ratio();
                Dilatation::new(ratio.squared(), j.mul_add(j, j + j))
            }
            OldroydForm::Plain => dilatation_by_pivots(&elastic),
        };
        let shape = half * self.mu * stretch_energy(&elastic, &dilatation);
        Some(shape + half * self.lambda * j.squared())
    }

    #[inline(always)]
    fn kirchhoff_stress<const D: usize>(
        &self,
        state: &FadingStrain<R, D>,
        velocity_gradient: &Matrix<R, D>,
    ) -> Matrix<R, D> {
        let J = state.volume.ratio();
        let spherical = self.lambda * J * state.volume.growth;
        let elastic = self
            .elastic_strain(state)
            .mul_add(self.mu, Matrix::from_scalar(spherical));
        let rate = velocity_gradient.symmetric_part().deviator();
        rate.mul_add(R::splat(2.0) * self.viscosity * J, elastic)
    }

    /// h ← h e^{−Δt/Wi}, as h + h (e^{−Δt/Wi} − 1): short steps lose no digits.
    #[inline(always)]
    fn return_map<const D: usize>(&self, state: &mut FadingStrain<R, D>, dt: R) {
        let decay = (-(dt / self.relaxation_time)).exp_m1();
        state.strain.0 = state.strain.0.mul_add(decay, state.strain.0);
    }

    #[inline(always)]
    fn stiffness<const D: usize>(&self, state: &FadingStrain<R, D>) -> R {
        let d = D as f64;
        let J = state.volume.ratio();
        let h = self.elastic_strain(state);
        // No eigenvalue of b^E is further above the mean.
        let above = (h.deviator().norm_squared() * R::splat((d - 1.0) / d)).sqrt();
        let highest = R::one() + h.trace() * R::splat(1.0 / d) + above;
        let rotational = (self.mu - self.lambda * J * state.volume.growth).abs();
        let bulk = (J * (J + J - R::one())).max(R::zero());
        self.mu * highest + rotational + R::splat(d) * self.lambda * bulk
    }

    #[inline(always)]
    fn viscosity<const D: usize>(&self, state: &FadingStrain<R, D>) -> R {
        self.viscosity * state.volume.ratio()
    }

    #[inline(always)]
    fn reference<const D: usize>(&self, state: &FadingStrain<R, D>, dt: R) -> Reference<R, D> {
        let relaxed = -(-(dt / self.relaxation_time)).exp_m1();
        let viscosity = self.viscosity * state.volume.ratio() / dt;
        let growth = state.volume.growth;
        Reference::new(
            state.strain.0,
            [self.mu, self.lambda, viscosity, relaxed, growth],
        )
    }
}

compiled!(OldroydB);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance;
    use crate::point::{MaterialPoint, Motion, Record, Stage, drive};
    use thixo_math::symmetric_eigen;

    const FORMS: [OldroydForm; 2] = [OldroydForm::VolumePreserving, OldroydForm::Plain];

    /// A number in [−1, 1).
    fn noise(seed: &mut u64) -> f64 {
        *seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn random<const D: usize>(seed: &mut u64, size: f64) -> Matrix<f64, D> {
        let mut m = Matrix::zero();
        for i in 0..D {
            for j in 0..D {
                m[i][j] = size * noise(seed);
            }
        }
        m
    }

    fn foam(relaxation_time: f64, form: OldroydForm) -> OldroydB {
        OldroydB::new(5.0e3, 5.0e4, relaxation_time, 0.0)
            .unwrap()
            .with_form(form)
    }

    /// b_OB of a record.
    fn strain<const D: usize>(record: &Record<D>) -> Matrix<f64, D> {
        let mut columns = [0.0; MAX_STATE];
        columns[..record.state.len()].copy_from_slice(&record.state);
        FadingStrain::<f64, D>::load(&columns)
            .strain
            .left_cauchy_green()
    }

    #[test]
    fn oldroyd_b_conforms() {
        for form in FORMS {
            // The map of the suite relaxes for 1 ms, noticeably or hardly or not at all, and for no
            // time the second time.
            for relaxation_time in [1.0e-3, 0.5, f64::INFINITY] {
                conformance::check(&foam(relaxation_time, form));
            }
            let solid = foam(f64::INFINITY, form);
            conformance::check_small_strain::<_, 2>(&solid, 5.0e3, 5.0e4);
            conformance::check_small_strain::<_, 3>(&solid, 5.0e3, 5.0e4);
        }
    }

    #[test]
    fn the_stiffness_is_a_bound() {
        for form in FORMS {
            for (mu, lambda) in [(1.0, 10.0), (1.0, 1.0), (1.0, 0.01), (1.0, 100.0)] {
                let law = OldroydB::new(mu, lambda, 1.0, 0.0).unwrap().with_form(form);
                println!("{form:?}: {:?}", conformance::check_stiffness(&law));
            }
        }
    }

    /// The bound for a partly relaxed strain, which no deformation from rest leads to.
    fn relaxed_stiffness<const D: usize>(form: OldroydForm) {
        let law = foam(1.0, form);
        let mut seed = 17;
        for _ in 0..300 {
            let mut state = FadingStrain::<f64, D>::from_deformation(&Matrix::identity());
            for _ in 0..5 {
                state.advance(&random(&mut seed, 0.3));
                law.return_map(&mut state, 0.4);
            }
            let bound = law.stiffness(&state);
            let g = random::<D>(&mut seed, 1.0);
            let g = g * (1.0 / g.norm_squared().sqrt());
            let psi = |e: f64| {
                let f = Matrix::identity() + g * e;
                let mut moved = state;
                moved.strain.0 = advected(&state.strain.0, &(g * e));
                moved.volume = VolumeRatio::new(f.determinant() * state.volume.ratio());
                law.energy_density(&moved).unwrap()
            };
            let e = 1e-4;
            let second = (psi(e) - 2.0 * psi(0.0) + psi(-e)) / (e * e);
            assert!(second <= bound * (1.0 + 1e-5), "{second} {bound}");
            let slope = (psi(e) - psi(-e)) / (2.0 * e);
            let work = law.kirchhoff_stress(&state, &Matrix::zero()).contract(g);
            assert!((slope - work).abs() <= 1e-5 * bound, "{slope} {work}");
            assert!(psi(0.0) >= 0.0, "{form:?}: {}", psi(0.0));
        }
    }

    #[test]
    fn stress_and_stiffness_belong_to_the_energy_after_relaxation_too() {
        for form in FORMS {
            relaxed_stiffness::<2>(form);
            relaxed_stiffness::<3>(form);
        }
    }

    fn start_up<const D: usize>(W: f64, form: OldroydForm) -> f64 {
        let Wi = 0.5;
        let test = [Stage::new(Motion::shear(W / Wi), 5.0 * Wi, 500)];
        let mut largest = 0.0f64;
        for record in &drive::<_, D>(&foam(Wi, form), &test).unwrap()[1..] {
            let b = strain(record);
            let x = record.time / Wi;
            let xy = W * (1.0 - (-x).exp());
            let xx = 2.0 * W * W * (1.0 - (1.0 + x) * (-x).exp());
            largest = largest
                .max((b[0][1] / xy - 1.0).abs())
                .max(((b[0][0] - 1.0) / xx - 1.0).abs())
                .max((b[1][1] - 1.0).abs());
            assert!((record.volume_ratio - 1.0).abs() < 1e-12);
        }
        largest
    }

    #[test]
    fn start_up_of_shear_follows_the_closed_form() {
        for form in FORMS {
            for W in [0.1, 1.0, 10.0] {
                let (plane, solid) = (start_up::<2>(W, form), start_up::<3>(W, form));
                println!("{form:?}, W = {W}: off by {plane:.1e} in 2D, {solid:.1e} in 3D");
                assert!(plane < 0.01 && solid < 0.01, "{plane} {solid}");
            }
        }
    }

    #[test]
    fn strain_at_rest_fades_exactly() {
        let Wi = 0.5;
        let f = Matrix([[1.3, 0.4, 0.0], [0.1, 0.8, -0.2], [0.0, 0.3, 1.1]]);
        let law = foam(Wi, OldroydForm::VolumePreserving);
        // Steps far shorter than Wi, on both sides of the series, and far longer.
        for steps in [1, 7, 50, 100_000] {
            let mut point = MaterialPoint::<_, 3>::deformed(&law, f);
            let start = strain(&point.record());
            for _ in 0..steps {
                point.step(&Matrix::zero(), 3.0 * Wi / f64::from(steps));
            }
            let expected = (start - Matrix::identity()) * (-3.0_f64).exp();
            let error = strain(&point.record()) - Matrix::identity() - expected;
            assert!(error.norm_squared().sqrt() < 1e-11, "{steps}: {error:?}");
        }
    }

    #[test]
    fn short_steps_fade_in_single_precision() {
        // e^{-x} itself would be rounded to 1 − 1.013e-5: more than 1 % of what is lost.
        let law = foam(1.0, OldroydForm::Plain).uniform_model::<f32>();
        let mut state = FadingStrain::<f32, 2>::from_deformation(&Matrix::identity());
        state.strain.0[0][1] = 1e-3;
        for _ in 0..1000 {
            law.return_map(&mut state, 1e-5);
        }
        let lost = 1.0 - f64::from(state.strain.0[0][1]) / 1e-3;
        assert!((lost / -(-0.01_f64).exp_m1() - 1.0).abs() < 0.01, "{lost}");
    }

    fn steady_shear<const D: usize>(W: f64, form: OldroydForm) -> f64 {
        let (mu, Wi) = (5.0e3, 0.5);
        let test = [Stage::new(Motion::shear(W / Wi), 15.0 * Wi, 15_000)];
        let records = drive::<_, D>(&foam(Wi, form), &test).unwrap();
        let thinning = match form {
            OldroydForm::VolumePreserving => (1.0 + W * W).powf(-1.0 / D as f64),
            OldroydForm::Plain => 1.0,
        };
        let tau = records.last().unwrap().kirchhoff_stress[0][1];
        (tau / (mu * W * thinning) - 1.0).abs()
    }

    #[test]
    fn steady_shear_thins_where_volume_is_preserved() {
        for form in FORMS {
            for W in [0.1, 1.0, 10.0] {
                let (plane, solid) = (steady_shear::<2>(W, form), steady_shear::<3>(W, form));
                println!("{form:?}, W = {W}: off by {plane:.1e} in 2D, {solid:.1e} in 3D");
                assert!(plane < 0.01 && solid < 0.01, "{plane} {solid}");
            }
        }
    }

    fn volume_of_elastic_strain<const D: usize>() {
        let law = foam(0.5, OldroydForm::VolumePreserving);
        let plain = law.with_form(OldroydForm::Plain);
        let mut seed = 3;
        let mut plain_error = 0.0f64;
        for _ in 0..200 {
            let mut state = FadingStrain::<f64, D>::from_deformation(&Matrix::identity());
            for _ in 0..20 {
                state.advance(&random(&mut seed, 0.2));
                law.return_map(&mut state, 0.05);
                let square = state.volume.ratio().squared();
                let volume = |law: &OldroydB| {
                    (Matrix::identity() + law.elastic_strain(&state)).determinant()
                };
                let error = volume(&law) / square - 1.0;
                assert!(error.abs() < 1e-10, "{error}");
                let error = volume(&plain) / square - 1.0;
                plain_error = plain_error.max(error.abs());
            }
        }
        assert!(plain_error > 0.1, "the plain form forgets volume");
    }

    #[test]
    fn the_elastic_strain_has_the_volume_of_the_motion() {
        volume_of_elastic_strain::<2>();
        volume_of_elastic_strain::<3>();
    }

    fn smallest_eigenvalue<const D: usize>(b: &Matrix<f64, D>) -> f64 {
        let values = symmetric_eigen(b).values;
        (0..D).map(|i| values[i]).fold(f64::INFINITY, f64::min)
    }

    /// Smallest eigenvalues of b_OB, and of what \[Ram2015\] eq. (14) makes of the same motion.
    fn long_steps<const D: usize>(steps_per_relaxation: f64, size: f64) -> (f64, f64) {
        let Wi = 1.0e-2;
        let dt = Wi / steps_per_relaxation;
        let mut seed = 29;
        let (mut smallest, mut printed) = (f64::INFINITY, f64::INFINITY);
        for form in FORMS {
            let law = foam(Wi, form);
            for _ in 0..300 {
                let mut point = MaterialPoint::<_, D>::new(&law);
                let mut b = Matrix::identity();
                for _ in 0..10 {
                    let A = random::<D>(&mut seed, size);
                    point.step(&(A * (1.0 / dt)), dt);
                    let x = dt / Wi;
                    let linear = A * b + b * A.transpose();
                    b = linear + Matrix::from_scalar(x) + b * (1.0 - x);
                    printed = printed.min(smallest_eigenvalue(&b));
                    let record = point.record();
                    smallest = smallest.min(smallest_eigenvalue(&strain(&record)));
                    assert!(record.kirchhoff_stress.norm_squared().is_finite());
                }
            }
        }
        (smallest, printed)
    }

    #[test]
    fn strain_stays_positive_definite_in_steps_of_any_length() {
        for (steps, size) in [(0.01, 0.1), (0.01, 3.0), (1.0, 2.0), (10.0, 0.7)] {
            for (smallest, printed) in [long_steps::<2>(steps, size), long_steps::<3>(steps, size)]
            {
                println!(
                    "{steps} steps per Wi, size {size}: {smallest:.2e}, printed {printed:.2e}"
                );
                assert!(smallest > 0.0, "{smallest}");
                assert!(printed < 0.0, "eq. (14) would do as well: {printed}");
            }
        }
    }

    #[test]
    fn printed_exponents_and_constant_fail_in_two_dimensions() {
        let law = foam(0.5, OldroydForm::VolumePreserving);
        let rest = FadingStrain::<f64, 2>::from_deformation(&Matrix::identity());
        assert_eq!(law.energy_density(&rest), Some(0.0));
        // ψ of [Ram2015] eq. (8) at rest, with its −3.
        let printed = 0.5 * law.mu * (2.0 + law.elastic_strain(&rest).trace() - 3.0);
        assert_eq!(printed, -0.5 * law.mu);
        // Its exponent 1/3 leaves det b^E ≠ J² as soon as strain has faded.
        let mut state = rest;
        state.advance(&Matrix([[0.3, 0.2], [0.0, 0.1]]));
        law.return_map(&mut state, 0.3);
        let b = state.strain.left_cauchy_green();
        let square = state.volume.ratio().squared();
        let printed = b * (square / b.determinant()).powf(1.0 / 3.0);
        assert!((printed.determinant() / square - 1.0).abs() > 0.05);
        let ours = (Matrix::identity() + law.elastic_strain(&state)).determinant() / square - 1.0;
        assert!(ours.abs() < 1e-14);
    }

    #[test]
    fn strongly_stretched_strain_keeps_its_determinant_in_single_precision() {
        // A thread drawn out to twenty times its length, askew to the axes.
        let (s, c) = (0.6, 0.8);
        let turn = Matrix([[c, -s, 0.0], [s * c, c * c, -s], [s * s, s * c, c]]);
        let mut b = Matrix::<f64, 3>::zero();
        for i in 0..3 {
            b[i][i] = [400.0, 0.05, 0.05][i];
        }
        let b = turn * b * turn.transpose();
        let mut single = Matrix::<f32, 3>::zero();
        for i in 0..3 {
            for j in 0..3 {
                single[i][j] = b[i.min(j)][i.max(j)] as f32;
            }
        }
        let by_pivots = (f64::from(positive_determinant(&single)) - 1.0).abs();
        let by_minors = (f64::from(single.determinant()) - 1.0).abs();
        println!("pivots {by_pivots:.1e}, minors {by_minors:.1e}");
        assert!(by_pivots < 0.02, "{by_pivots}");
        assert!((positive_determinant(&b) - 1.0).abs() < 1e-10);
        // Hopelessly flat, and lost.
        let flat = Matrix([[1.0_f32, 1.0], [1.0, 1.0]]);
        assert!(positive_determinant(&flat) > 0.0);
        let lost = Matrix([[f32::NAN, 0.0], [0.0, 1.0]]);
        assert!(positive_determinant(&lost).is_nan());
    }

    #[test]
    fn the_newtonian_part_is_viscosity_times_shear_rate() {
        let paste = OldroydB::new(839.0, 8390.0, 0.4, 50.0).unwrap();
        let rest = FadingStrain::from_deformation(&Matrix::identity());
        let tau = paste.kirchhoff_stress(&rest, &Matrix([[0.0, 3.0], [0.0, 0.0]]));
        assert!((tau[0][1] - 150.0).abs() < 1e-10 && (tau[1][0] - 150.0).abs() < 1e-10);
        assert_eq!(paste.viscosity(&rest), 50.0);
    }

    #[test]
    fn held_compression_is_forgotten_only_in_the_plain_form() {
        let J: f64 = 0.81;
        for (form, expected) in [
            (OldroydForm::VolumePreserving, 5.0e3 * (J - 1.0)),
            (OldroydForm::Plain, 0.0),
        ] {
            let law = foam(0.5, form);
            let mut state = FadingStrain::from_deformation(&Matrix::<f64, 2>::from_scalar(0.9));
            law.return_map(&mut state, 100.0);
            let tau = law.kirchhoff_stress(&state, &Matrix::zero());
            let pressure_part = 5.0e4 * J * (J - 1.0);
            assert!((tau[0][0] - pressure_part - expected).abs() < 1e-8);
        }
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let nan = f64::NAN;
        for (mu, lambda, relaxation_time, viscosity) in [
            (0.0, 1.0, 1.0, 0.0),
            (nan, 1.0, 1.0, 0.0),
            (f64::INFINITY, 1.0, 1.0, 0.0),
            (1.0, 0.0, 1.0, 0.0),
            (1.0, -1.0, 1.0, 0.0),
            (1.0, nan, 1.0, 0.0),
            (1.0, 1.0, 0.0, 0.0),
            (1.0, 1.0, -1.0, 0.0),
            (1.0, 1.0, 1e-50, 0.0),
            (1.0, 1.0, nan, 0.0),
            (1.0, 1.0, 1.0, -1.0),
            (1.0, 1.0, 1.0, f64::INFINITY),
            (1.0, 1.0, 1.0, nan),
        ] {
            let law = OldroydB::new(mu, lambda, relaxation_time, viscosity);
            assert!(law.is_err(), "{mu} {lambda} {relaxation_time} {viscosity}");
        }
        assert!(OldroydB::new(1.0, 1.0, f64::INFINITY, 0.0).is_ok());
    }
}
