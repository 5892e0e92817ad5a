//! Snow under the conformance suite, and its limits, hardening and packing by hand.

use thixo_math::Vector;

use super::*;
use crate::conformance;
use crate::elastic::{FixedCorotated, Hencky, NeoHookean, SplitCorotated, StVenantKirchhoff};
use crate::principal::finger_strains;

const THETA_C: f64 = 2.5e-2;
const THETA_S: f64 = 7.5e-3;

fn solid() -> FixedCorotated {
    FixedCorotated::from_young_poisson(1.4e5, 0.2).unwrap()
}
fn snow() -> Snow<FixedCorotated> {
    Snow::new(solid(), THETA_C, THETA_S, 10.0).unwrap()
}
/// After one step without motion.
fn flowed<E: PrincipalLaw<f64>, const D: usize>(
    law: &Snow<E>,
    stretches: [f64; D],
) -> SnowState<f64, D> {
    let mut state = law.initial_state(&Matrix::from_diagonal(Vector(stretches)));
    law.respond(&mut state, &Matrix::zero(), 1e-3);
    state
}

#[test]
fn snow_on_every_elastic_law_conforms() {
    fn check<E: Isotropic>(elastic: E) {
        let law = Snow::new(elastic, 2.5e-2, 7.5e-3, 10.0).unwrap();
        conformance::check(&law);
        conformance::check_stiffness(&law);
    }
    check(solid());
    check(NeoHookean::from_young_poisson(1.4e5, 0.2).unwrap());
    check(Hencky::from_young_poisson(1.4e5, 0.2).unwrap());
    check(StVenantKirchhoff::from_young_poisson(1.4e5, 0.2).unwrap());
    check(SplitCorotated::from_young_poisson(1.4e5, 0.2, 3).unwrap());
}

#[test]
fn other_snows_conform() {
    conformance::check(&Snow::dry_sand(solid(), THETA_C, 10.0).unwrap());
    let packed = snow().with_initial_plastic_volume(2.0 / 3.0).unwrap();
    conformance::check(&packed);
    let never = Snow::new(solid(), 1.0, 100.0, 10.0).unwrap();
    conformance::check(&never);
    conformance::check_stiffness(&never);
}

#[test]
fn small_strains_are_elastic() {
    let (mu, lambda) = crate::elastic::lame(1.4e5, 0.2).unwrap();
    conformance::check_small_strain::<_, 2>(&snow(), mu, lambda);
    conformance::check_small_strain::<_, 3>(&snow(), mu, lambda);
}

#[test]
fn stretch_beyond_the_limit_stays_for_good() {
    let state = flowed(&snow(), [1.2, 1.0, 1.0]);
    let b = state.elastic.left_cauchy_green();
    assert!((b[0][0].sqrt() - 1.0075).abs() < 1e-15);
    assert!((b[1][1] - 1.0).abs() < 1e-15);
    assert!((state.history[0] - 1.2 / 1.0075).abs() < 1e-15);
    assert!((snow().volume_ratio(&state) - 1.2).abs() < 1e-14);

    let state = flowed(&snow(), [0.9, 0.99]);
    let b = state.elastic.left_cauchy_green();
    assert!((b[0][0].sqrt() - 0.975).abs() < 1e-15);
    assert!((b[1][1].sqrt() - 0.99).abs() < 1e-15);
    assert!((state.history[0] - 0.9 / 0.975).abs() < 1e-15);
    assert!((snow().volume_ratio(&state) - 0.891).abs() < 1e-14);
}

#[test]
fn an_elastic_step_changes_no_bit() {
    let f = Matrix([
        [1.003, 0.002, -0.001],
        [0.004, 0.99, 0.003],
        [0.0, 0.001, 1.002],
    ]);
    let before = snow().initial_state(&f);
    let mut after = before;
    snow().return_map(&mut after, 1e-3);
    assert_eq!(before.elastic.0, after.elastic.0);
    assert_eq!(before.history, after.history);
}

#[test]
fn compaction_hardens_and_extension_softens() {
    let rest = snow().stiffness(&flowed(&snow(), [1.0, 1.0, 1.0]));
    let packed = snow().stiffness(&flowed(&snow(), [0.9, 1.0, 1.0]));
    let pulled = snow().stiffness(&flowed(&snow(), [1.1, 1.0, 1.0]));
    // J_P is 0.9/0.975 and 1.1/1.0075.
    let expected = (10.0_f64 * (1.0 - 0.9 / 0.975)).exp();
    assert!((packed / rest / expected - 1.0).abs() < 0.1);
    let expected = (10.0_f64 * (1.0 - 1.1 / 1.0075)).exp();
    assert!((pulled / rest / expected - 1.0).abs() < 0.1);

    let law = snow();
    let mut state = law.initial_state(&Matrix::<f64, 2>::identity());
    state.elastic.0[0][0] = 0.99 * 0.99 - 1.0;
    let soft = law.kirchhoff_stress(&state, &Matrix::zero());
    state.history = [0.8];
    let hard = law.kirchhoff_stress(&state, &Matrix::zero());
    assert!((hard[0][0] / soft[0][0] / 2.0_f64.exp() - 1.0).abs() < 1e-12);
}

#[test]
fn hardening_stays_within_its_range() {
    let modulus = |law: &Snow<FixedCorotated>, J_P: f64| {
        let mut state = law.initial_state(&Matrix::<f64, 3>::identity());
        state.history = [J_P];
        law.stiffness(&state)
    };
    let law = Snow::new(solid(), THETA_C, THETA_S, 100.0).unwrap();
    let rest = modulus(&law, 1.0);
    assert!((modulus(&law, 0.5) / rest / 1e3 - 1.0).abs() < 1e-12);
    assert!((modulus(&law, 1.5) / rest / 1e-3 - 1.0).abs() < 1e-12);
    let tame = law.with_hardening_range(0.5, 4.0).unwrap();
    assert!((modulus(&tame, 0.5) / rest / 4.0 - 1.0).abs() < 1e-12);
    assert!((modulus(&tame, 1.5) / rest / 0.5 - 1.0).abs() < 1e-12);
}

#[test]
fn hardening_counts_in_the_stiffness_of_yielding_snow() {
    let tough = Snow::new(solid(), 0.1, THETA_S, 10.0).unwrap();
    let state = flowed(&tough, [0.85, 0.85, 0.85]);
    let bounds = StretchBounds::of_principal(&finger_strains(&Vector([0.9; 3])));
    let J_P = state.history[0];
    let elastic = tough.hardened(J_P).stiffness_within::<3>(&bounds);
    // Loading further by a relative ε in all directions changes the stress by this modulus.
    let e = 1e-6;
    let more = flowed(&tough, [0.85 * (1.0 - e); 3]);
    let tau = tough.kirchhoff_stress(&state, &Matrix::zero());
    let change = tough.kirchhoff_stress(&more, &Matrix::zero()) - tau;
    let tangent = -change.trace() / e / 3.0;
    assert!(tangent > elastic, "{tangent} {elastic}");
    assert!(tough.stiffness(&state) >= tangent);
}

#[test]
fn plastic_volume_stays_within_its_range() {
    let law = snow().with_plastic_volume_range(0.6, 1.05).unwrap();
    assert_eq!(flowed(&law, [2.0, 1.0]).history, [1.05]);
    assert_eq!(flowed(&law, [0.3, 1.0]).history, [0.6]);
}

#[test]
fn flow_that_preserves_volume_keeps_the_determinant() {
    let law = snow().with_plastic_volume(PlasticVolume::Preserved);
    for stretches in [[1.2, 1.0, 0.9], [0.8, 0.9, 1.0], [1.3, 1.1, 1.2]] {
        let before = law.initial_state(&Matrix::from_diagonal(Vector(stretches)));
        let after = flowed(&law, stretches);
        let ratio = after.elastic.volume_ratio() / before.elastic.volume_ratio();
        assert!((ratio - 1.0).abs() < 1e-14, "{ratio}");
        assert_eq!(after.history, [1.0]);
    }
    // By hand in 2D: (1.2, 0.9) is cut to (1.0075, 0.975) and grows by √(1.08/0.9823125).
    let b = flowed(&law, [1.2, 0.9]).elastic.left_cauchy_green();
    let back = (1.08_f64 / (1.0075 * 0.975)).sqrt();
    assert!((b[0][0].sqrt() - 1.0075 * back).abs() < 1e-14);
    assert!((b[1][1].sqrt() - 0.975 * back).abs() < 1e-14);
}

#[test]
fn a_fluid_made_of_snow_keeps_its_energy_only_if_flow_keeps_its_volume() {
    // Sheared at constant volume; μ → 0, so that ψ is λ/2 (J_E − 1)² and there is none before
    // flow. Errata E47.
    let (lambda, sheared) = (2.0e5, [1.6, 1.0 / 1.6]);
    let fluid = FixedCorotated::from_lame(1.0e-9, lambda).unwrap();
    let snow = Snow::new(fluid, 0.4, 0.4, 5.0).unwrap();
    let before = snow.initial_state(&Matrix::from_diagonal(Vector(sheared)));
    assert!(snow.energy_density(&before).unwrap() < 1e-8);

    // 1.6 is cut to 1.4: J_E = 7/8 and J_P = 8/7.
    let energy = snow.energy_density(&flowed(&snow, sheared)).unwrap();
    let expected = (-5.0_f64 / 7.0).exp() * 0.5 * lambda / 64.0;
    assert!((energy / expected - 1.0).abs() < 1e-9, "{energy}");

    let preserved = snow.with_plastic_volume(PlasticVolume::Preserved);
    let energy = preserved.energy_density(&flowed(&preserved, sheared));
    assert!(energy.unwrap() < 1e-8, "{energy:?}");
}

#[test]
fn dry_sand_bears_no_tension() {
    let sand = Snow::dry_sand(solid(), THETA_C, 10.0).unwrap();
    let state = flowed(&sand, [1.1, 1.05, 1.2]);
    let tau = sand.kirchhoff_stress(&state, &Matrix::zero());
    assert!(tau.norm_squared().sqrt() < 1e-9);
}

#[test]
fn particles_may_enter_packed() {
    let packed = snow().with_initial_plastic_volume(2.0 / 3.0).unwrap();
    let state = packed.initial_state(&Matrix::<f64, 3>::identity());
    assert!((packed.volume_ratio(&state) - 2.0 / 3.0).abs() < 1e-15);
    let ratio = packed.stiffness(&state) / snow().stiffness(&flowed(&snow(), [1.0; 3]));
    assert!((ratio / (10.0_f64 / 3.0).exp() - 1.0).abs() < 1e-12);
}

#[test]
fn a_lost_state_stays_lost() {
    let mut state = snow().initial_state(&Matrix::<f64, 3>::identity());
    state.elastic.0[0][0] = f64::NAN;
    snow().return_map(&mut state, 1e-3);
    assert!(snow().volume_ratio(&state).is_nan());
}

#[test]
fn parameters_are_named_and_in_order() {
    assert_eq!(<Snow<FixedCorotated>>::PARAMETERS.len(), 10);
    assert_eq!(
        <Snow<FixedCorotated>>::PARAMETERS[1..4],
        ["lambda", OWN[0], OWN[1]]
    );
    assert_eq!(snow().parameters()[2..5], [THETA_C, THETA_S, 10.0]);
    assert_eq!(snow().parameters().len(), 10);
}

#[test]
fn impossible_parameters_are_refused() {
    for (c, s, xi) in [
        (-0.1, 0.0, 0.0),
        (1.1, 0.0, 0.0),
        (f64::NAN, 0.0, 0.0),
        (0.1, -0.1, 0.0),
        (0.1, f64::INFINITY, 0.0),
        (0.1, 0.1, -1.0),
        (0.1, 0.1, f64::NAN),
    ] {
        assert!(Snow::new(solid(), c, s, xi).is_err(), "{c} {s} {xi}");
    }
    assert!(snow().with_initial_plastic_volume(0.0).is_err());
    assert!(snow().with_hardening_range(0.0, 10.0).is_err());
    assert!(snow().with_hardening_range(0.1, 0.5).is_err());
    assert!(snow().with_plastic_volume_range(-0.1, 2.0).is_err());
    assert!(snow().with_plastic_volume_range(0.1, f64::NAN).is_err());
}

/// Packed to 1.5 times its density snow has e^{10/3} = 28 times its moduli; a limit of 20 cuts
/// that.
#[test]
fn a_limit_below_the_hardening_of_packed_snow_is_noticed() {
    let mut values = Values::default();
    values.set(&HARDENING, 10.0);
    values.set(&INITIAL_PLASTIC_VOLUME, 2.0 / 3.0);
    let cut = |values: &Values, ratio| DESCRIPTION.cut_hardening(values, ratio);
    assert_eq!(cut(&values, None), None); // the default limit is 1000
    values.set(&MOST_HARDENING_FACTOR, 20.0);
    let found = cut(&values, None).unwrap();
    assert_eq!((found.key, found.limit), ("most_hardening_factor", 20.0));
    assert!((found.factor - (10f64 / 3.0).exp()).abs() < 1e-9);
    assert_eq!(cut(&values, Some(1.0)), None);
    assert!(cut(&values, Some(0.5)).unwrap().factor > 148.0);
    values.set(&MOST_HARDENING_FACTOR, 30.0);
    assert_eq!(cut(&values, None), None);
}
