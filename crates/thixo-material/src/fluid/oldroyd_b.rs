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
//! Stored are the differences from rest h = b_OB − I and J − 1. A step follows the flow and fades
//! at once, equation (11e) and `relaxation.rs`, and J ← J det R with R the positive increment I +
//! Δt∇v. b_OB is positive definite for every Δt, and exact in shear and at rest.
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
use super::relaxation::{Relaxation, relaxed};
use crate::description::{Appearance, Choice, Description, Key, LongSteps, Preset, Values};
use crate::finger_strain::{advected, is_small, stretch_energy};
use crate::law::LawResult;
use crate::parameters::{LAMBDA, MU, ParameterError, RELAXATION_TIME, SOLVENT_VISCOSITY};
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
    #[inline(always)]
    fn volume_growth(&self) -> R {
        self.volume.growth
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

    /// Equation (11e).
    #[inline(always)]
    fn advance<const D: usize>(
        &self,
        state: &mut FadingStrain<R, D>,
        dt_grad_v: &Matrix<R, D>,
        dt: R,
    ) {
        let x = dt / self.relaxation_time;
        let (strain, increment) = relaxed(&state.strain.0, dt_grad_v, x);
        state.strain.0 = strain;
        state.volume.follow(&increment);
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
        let viscosity = self.viscosity * state.volume.ratio() / dt;
        let Relaxation {
            faded,
            first_moment,
            second_moment,
        } = Relaxation::over(dt / self.relaxation_time);
        let growth = state.volume.growth;
        Reference::new(
            state.strain.0,
            [
                self.mu,
                self.lambda,
                viscosity,
                growth,
                faded,
                first_moment,
                second_moment,
            ],
        )
    }
}

compiled!(OldroydB);

/// `model = "oldroyd_b"`.
pub static DESCRIPTION: Description = Description {
    name: "oldroyd_b",
    about: "shaving foam, toothpaste, sponge: elastic at first, fluid in the long run",
    reference: "[Ram2015]; errata E13, E14, E16, E37",
    keys: &[
        Key::Number(&MU),
        Key::Number(&LAMBDA),
        Key::Number(&RELAXATION_TIME),
        Key::Number(&SOLVENT_VISCOSITY),
        Key::Word(&FORM),
        Key::Word(&VISCOSITY_BY),
    ],
    rules: &[],
    presets: &PRESETS,
    long_steps: LongSteps::Unproven,
    appearance: Appearance::Paste,
    build,
};

const FORM: Choice = Choice {
    key: "form",
    about: "which strain bears load",
    words: &[
        ("volume_preserving", "only the shape is forgotten"),
        ("plain", "Oldroyd's own: volume is forgotten as well"),
    ],
};

/// \[Ram2015\] means two viscosities by one μ^N, errata E13. Presets hold μ^N/2.
const VISCOSITY_BY: Choice = Choice {
    key: "viscosity_by",
    about: "which equation of [Ram2015] gives the viscous stress of the part that remembers nothing",
    words: &[
        (
            "stress",
            "that below its eq. (1): viscosity is the dynamic one, half the printed number",
        ),
        (
            "potential",
            "its eq. (11): the dynamic viscosity is twice viscosity, the printed number itself",
        ),
    ],
};

/// Dynamic viscosity η over the key `viscosity` \[–\].
fn viscosity_factor(values: &Values) -> f64 {
    match values.word(&VISCOSITY_BY) {
        "potential" => 2.0,
        _ => 1.0,
    }
}

fn build(values: &Values, _dimension: usize) -> LawResult {
    let form = match values.word(&FORM) {
        "plain" => OldroydForm::Plain,
        _ => OldroydForm::VolumePreserving,
    };
    let fluid = OldroydB::new(
        values.number(&MU),
        values.number(&LAMBDA),
        values.number(&RELAXATION_TIME),
        viscosity_factor(values) * values.number(&SOLVENT_VISCOSITY),
    )?;
    Ok(Box::new(fluid.with_form(form)))
}

/// A row of \[Ram2015\] table 1 as printed: ρ, μ, λ, μ^N, Wi, in t/m³, kPa, kPa, kPa s and s.
macro_rules! oldroyd {
    (
        $name:literal, $about:literal,
        [$density:literal, $mu:literal, $lambda:literal, $viscosity:literal, $time:literal],
        $source:literal
    ) => {
        Preset {
            name: $name,
            about: $about,
            law: &DESCRIPTION,
            density: 1000.0 * $density,
            values: &[
                (&MU, 1000.0 * $mu),
                (&LAMBDA, 1000.0 * $lambda),
                (&RELAXATION_TIME, $time),
                (&SOLVENT_VISCOSITY, 500.0 * $viscosity),
            ],
            choices: &[],
            source: concat!("[Ram2015] table 1, ", $source, "; viscosity μ^N/2 (E13)"),
        }
    };
}

/// Viscoelastic fluids, foams and sponges: \[Ram2015\] table 1.
///
/// \[Ram2015\] table 1 has no units. They are taken to be tonne, metre and second,
/// so that moduli are in kPa and viscosities in kPa s. The lengths decide about the motion
/// (μ/ρ and η/ρ do not depend on the unit of mass): in metres toothpaste has η = 50 Pa s and pie
/// crust a shear wave of 1000 m/s, which is the order of the real ones; in centimetres toothpaste
/// would be about as thin as light oil, and foam would not hold up a millimetre of itself.
/// With the densities then in t/m³ pastes weigh what they should, 1000 kg/m³; as kg/m³ they would
/// be gases. The viscosity is η = μ^N/2, by the stress below its eq. (1); its eq. (11), with the Δt
/// that it lacks, means η = μ^N (errata E13), which makes a difference to toothpaste alone. These
/// are starting points rather than measurements.
static PRESETS: [Preset; 8] = [
    oldroyd! {
        "sponge_twisted",
        "a sponge that is wrung: elastic for a minute or so",
        [2.0, 3.6e2, 1.4e3, 0.0, 50.0],
        "twisting sponge"
    },
    oldroyd! {
        "sponge_shot",
        "a lighter sponge that is shot at",
        [1.0, 3.6e2, 1.4e3, 0.0, 50.0],
        "shooting sponge"
    },
    oldroyd! {
        "shaving_foam",
        "foam that piles up, buckles and merges",
        [0.2, 5.0, 50.0, 1.0e-4, 0.5],
        "shaving foam"
    },
    oldroyd! {
        "toothpaste",
        "paste whose viscosity rules its motion",
        [1.0, 0.839, 8.39, 1.0e-1, 0.4],
        "toothpaste"
    },
    oldroyd! {
        "viennetta_ice_cream",
        "soft ice cream that folds on a belt",
        [1.0, 1.0, 10.0, 5.0e-5, 0.1],
        "Viennetta ice cream"
    },
    oldroyd! {
        "pie_cream",
        "whipped cream that splits and merges and remembers nothing",
        [0.2, 5.0, 50.0, 1.0e-7, 1.0e-4],
        "pie cream"
    },
    oldroyd! {
        "pie_crust",
        "stiff crust that does not relax",
        [0.5, 5.0e5, 4.0e6, 1.0e-8, 1.0e30],
        "pie crust"
    },
    oldroyd! {
        "pie_crust_scored",
        "weak lines along which the crust is to break",
        [0.5, 5.0, 10.0, 1.0e-5, 1.0],
        "pie crust scored"
    },
];

#[cfg(test)]
mod tests;
