//! Every parameter of every law is refused outside its range, with a message that names it.

use crate::matter::refusal::reads_well;
use thixo::material::elastic::{
    FixedCorotated, Hencky, NeoHookean, SplitCorotated, StVenantKirchhoff,
};
use thixo::material::fluid::{OldroydB, PressureLaw, WeaklyCompressible};
use thixo::material::parameters::{
    BULK_MODULUS, Bound, COHESION, CRITICAL_COMPRESSION, CRITICAL_STRETCH, FLOW_EXPONENT,
    FLOW_VISCOSITY, H0, H1, H2, H3, HARDENING, HARDENING_MODULUS, INITIAL_PLASTIC_VOLUME, LAMBDA,
    LEAST_HARDENING_FACTOR, LEAST_PLASTIC_VOLUME, MOST_HARDENING_FACTOR, MOST_PLASTIC_VOLUME, MU,
    POISSON_RATIO, POISSON_RATIO_TO_HALF, Parameter, ParameterError, RELAXATION_TIME,
    SOLVENT_VISCOSITY, TAIT_EXPONENT, VISCOSITY, YIELD_RATE, YIELD_STRESS, YOUNG_MODULUS,
};
use thixo::material::plastic::{
    DruckerPrager, FrictionHardening, HerschelBulkley, MultiplicativePlasticity, Snow, VonMises,
};

/// Result of constructing a law with one parameter of a given value and valid others.
type Attempt = Box<dyn Fn(f64) -> Result<(), ParameterError>>;

/// Every parameter of every constructor of a law.
fn attempts() -> Vec<(&'static Parameter, Attempt)> {
    fn attempt<L>(
        parameter: &'static Parameter,
        law: impl Fn(f64) -> Result<L, ParameterError> + 'static,
    ) -> (&'static Parameter, Attempt) {
        (parameter, Box::new(move |value| law(value).map(drop)))
    }
    let tait = PressureLaw::Tait { exponent: 7.0 };
    let solid = NeoHookean::from_young_poisson(1e5, 0.3).expect("a solid");
    let snow = Snow::new(solid, 0.025, 0.0075, 10.0).expect("snow");
    let steady = FrictionHardening::constant(30.0);
    let hardening = |h0, h1, h2, h3| FrictionHardening { h0, h1, h2, h3 };
    vec![
        attempt(&YOUNG_MODULUS, |x| NeoHookean::from_young_poisson(x, 0.3)),
        attempt(&POISSON_RATIO, |x| NeoHookean::from_young_poisson(1e5, x)),
        attempt(&YOUNG_MODULUS, |x| {
            FixedCorotated::from_young_poisson(x, 0.3)
        }),
        attempt(&POISSON_RATIO, |x| {
            FixedCorotated::from_young_poisson(1e5, x)
        }),
        attempt(&YOUNG_MODULUS, |x| {
            SplitCorotated::from_young_poisson(x, 0.3, 3)
        }),
        attempt(&POISSON_RATIO_TO_HALF, |x| {
            SplitCorotated::from_young_poisson(1e5, x, 2)
        }),
        attempt(&YOUNG_MODULUS, |x| {
            StVenantKirchhoff::from_young_poisson(x, 0.3)
        }),
        attempt(&POISSON_RATIO, |x| {
            StVenantKirchhoff::from_young_poisson(1e5, x)
        }),
        attempt(&YOUNG_MODULUS, |x| Hencky::from_young_poisson(x, 0.3)),
        attempt(&POISSON_RATIO, |x| Hencky::from_young_poisson(1e5, x)),
        attempt(&BULK_MODULUS, move |x| {
            WeaklyCompressible::new(x, 0.0, tait)
        }),
        attempt(&VISCOSITY, move |x| WeaklyCompressible::new(1e5, x, tait)),
        attempt(&TAIT_EXPONENT, |exponent| {
            WeaklyCompressible::new(1e5, 0.0, PressureLaw::Tait { exponent })
        }),
        attempt(&MU, |x| OldroydB::new(x, 1e4, 1.0, 1.0)),
        attempt(&LAMBDA, |x| OldroydB::new(1e3, x, 1.0, 1.0)),
        attempt(&RELAXATION_TIME, |x| OldroydB::new(1e3, 1e4, x, 1.0)),
        attempt(&SOLVENT_VISCOSITY, |x| OldroydB::new(1e3, 1e4, 1.0, x)),
        attempt(&CRITICAL_COMPRESSION, move |x| {
            Snow::new(solid, x, 0.0, 1.0)
        }),
        attempt(&CRITICAL_STRETCH, move |x| Snow::new(solid, 0.1, x, 1.0)),
        attempt(&HARDENING, move |x| Snow::new(solid, 0.1, 0.0, x)),
        attempt(&INITIAL_PLASTIC_VOLUME, move |x| {
            snow.with_initial_plastic_volume(x)
        }),
        attempt(&LEAST_HARDENING_FACTOR, move |x| {
            snow.with_hardening_range(x, 10.0)
        }),
        attempt(&MOST_HARDENING_FACTOR, move |x| {
            snow.with_hardening_range(0.1, x)
        }),
        attempt(&LEAST_PLASTIC_VOLUME, move |x| {
            snow.with_plastic_volume_range(x, 2.0)
        }),
        attempt(&MOST_PLASTIC_VOLUME, move |x| {
            snow.with_plastic_volume_range(0.5, x)
        }),
        attempt(&YOUNG_MODULUS, move |x| DruckerPrager::new(x, 0.3, steady)),
        attempt(&POISSON_RATIO, move |x| DruckerPrager::new(1e5, x, steady)),
        attempt(&H0, move |x| {
            DruckerPrager::new(1e5, 0.3, hardening(x, 9.0, 0.3, 0.0))
        }),
        attempt(&H1, move |x| {
            DruckerPrager::new(1e5, 0.3, hardening(35.0, x, 0.3, 10.0))
        }),
        attempt(&H2, move |x| {
            DruckerPrager::new(1e5, 0.3, hardening(35.0, 9.0, x, 10.0))
        }),
        attempt(&H3, move |x| {
            DruckerPrager::new(1e5, 0.3, hardening(35.0, 9.0, 0.3, x))
        }),
        attempt(&COHESION, move |x| {
            DruckerPrager::new(1e5, 0.3, steady).and_then(|sand| sand.with_cohesion(x))
        }),
        attempt(&YOUNG_MODULUS, |x| VonMises::new(x, 0.3, 1.0)),
        attempt(&POISSON_RATIO, |x| VonMises::new(1e5, x, 1.0)),
        attempt(&YIELD_STRESS, |x| VonMises::new(1e5, 0.3, x)),
        attempt(&YOUNG_MODULUS, |x| {
            HerschelBulkley::new(x, 0.3, 1.0, 1.0, 1.0)
        }),
        attempt(&POISSON_RATIO, |x| {
            HerschelBulkley::new(1e5, x, 1.0, 1.0, 1.0)
        }),
        attempt(&YIELD_STRESS, |x| {
            HerschelBulkley::new(1e5, 0.3, x, 1.0, 1.0)
        }),
        attempt(&FLOW_VISCOSITY, |x| {
            HerschelBulkley::new(1e5, 0.3, 1.0, x, 1.0)
        }),
        attempt(&FLOW_EXPONENT, |x| {
            HerschelBulkley::new(1e5, 0.3, 1.0, 1.0, x)
        }),
        attempt(&YOUNG_MODULUS, |x| {
            MultiplicativePlasticity::new(x, 0.3, 1.0, 1.0)
        }),
        attempt(&POISSON_RATIO, |x| {
            MultiplicativePlasticity::new(1e5, x, 1.0, 1.0)
        }),
        attempt(&YIELD_STRESS, |x| {
            MultiplicativePlasticity::new(1e5, 0.3, x, 1.0)
        }),
        attempt(&YIELD_RATE, |x| {
            MultiplicativePlasticity::new(1e5, 0.3, 1.0, x)
        }),
        attempt(&HARDENING_MODULUS, |x| {
            MultiplicativePlasticity::new(1e5, 0.3, 1.0, 1.0).and_then(|m| m.with_hardening(x))
        }),
    ]
}

#[test]
fn every_parameter_of_every_law_is_refused_outside_its_range() {
    for (parameter, law) in attempts() {
        let mut wrong = vec![f64::NAN, f64::NEG_INFINITY];
        match parameter.range.least {
            Bound::Excluded(least) => wrong.push(least),
            Bound::Included(least) => {
                wrong.push(least - 0.1);
                assert_eq!(law(least), Ok(()), "{parameter:?}");
            }
        }
        match parameter.range.most {
            Bound::Excluded(most) => wrong.push(most),
            Bound::Included(most) => {
                assert_eq!(law(most), Ok(()), "{parameter:?}");
                wrong.extend(most.is_finite().then_some(most + 0.1));
            }
        }
        for value in wrong {
            let error = law(value).expect_err(parameter.quantity);
            reads_well(&error);
            assert_eq!(
                (error.key, error.quantity),
                (parameter.key, parameter.quantity)
            );
        }
    }
}

#[test]
fn ranges_that_depend_on_other_parameters_are_checked() {
    let sand = |h3| {
        let friction = FrictionHardening {
            h0: 35.0,
            h1: 9.0,
            h2: 0.3,
            h3,
        };
        DruckerPrager::new(1e5, 0.3, friction)
    };
    refused!(
        sand(35.1).expect_err("no sand"),
        ParameterError {
            key: "friction_hardening.h3",
            ..
        }
    );
    assert!(sand(35.0).is_ok());
    let dough = MultiplicativePlasticity::new(1e5, 0.3, 1.0, 1.0).expect("dough");
    let twice_mu = 1e5 / 1.3;
    refused!(
        dough.with_hardening(-twice_mu).expect_err("no dough"),
        ParameterError {
            key: "hardening",
            ..
        }
    );
    assert!(dough.with_hardening(-0.999 * twice_mu).is_ok());
    for (mu, lambda) in [
        (-1.0, 1.0),
        (f64::NAN, 1.0),
        (3.0, -2.0),
        (3.0, f64::INFINITY),
    ] {
        refused!(
            NeoHookean::from_lame(mu, lambda).expect_err("no solid"),
            ParameterError {
                key: "mu" | "lambda",
                ..
            }
        );
    }
    assert!(NeoHookean::from_lame(3.0, -1.99).is_ok());
    refused!(
        SplitCorotated::new(1.0, 0.0).expect_err("no solid"),
        ParameterError { key: "lambda", .. }
    );
    refused!(
        SplitCorotated::from_young_poisson(1e5, 0.3, 4).expect_err("no space"),
        ParameterError {
            key: "dimension",
            ..
        }
    );
}
