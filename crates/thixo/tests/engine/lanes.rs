//! Every material of the library in lanes: what the scalar law of double precision says, on every
//! instruction set.

use thixo::material::conformance::check_lanes;
use thixo::material::elastic::{
    FixedCorotated, Hencky, NeoHookean, SplitCorotated, StVenantKirchhoff,
};
use thixo::material::fluid::{OldroydB, OldroydForm, PressureLaw, WeaklyCompressible};
use thixo::material::plastic::{PlasticVolume, Snow};
use thixo::material::presets::presets;

const YOUNG: f64 = 1.4e5;
const POISSON: f64 = 0.2;

#[test]
fn elastic_laws_agree_in_lanes() {
    check_lanes(&NeoHookean::from_young_poisson(YOUNG, POISSON).unwrap());
    check_lanes(&FixedCorotated::from_young_poisson(YOUNG, POISSON).unwrap());
    check_lanes(&StVenantKirchhoff::from_young_poisson(YOUNG, POISSON).unwrap());
    check_lanes(&Hencky::from_young_poisson(YOUNG, POISSON).unwrap());
    check_lanes(&SplitCorotated::from_young_poisson(YOUNG, POISSON, 3).unwrap());
}

#[test]
fn fluids_agree_in_lanes() {
    for law in [
        PressureLaw::Linear,
        PressureLaw::Tait { exponent: 7.0 },
        PressureLaw::Tait { exponent: 1.4 },
    ] {
        check_lanes(&WeaklyCompressible::new(2.0e4, 0.5, law).unwrap());
    }
}

#[test]
fn viscoelastic_fluids_agree_in_lanes() {
    // Steps of the check are a millisecond long.
    for relaxation_time in [1.0e-4, 1.0e-2, 0.5, f64::INFINITY] {
        let fluid = OldroydB::new(5.0e3, 5.0e4, relaxation_time, 0.5).unwrap();
        check_lanes(&fluid);
        check_lanes(&fluid.with_form(OldroydForm::Plain));
    }
}

#[test]
fn snow_on_every_elastic_law_agrees_in_lanes() {
    let snow = |law: FixedCorotated| Snow::new(law, 2.5e-2, 7.5e-3, 10.0).unwrap();
    let solid = FixedCorotated::from_young_poisson(YOUNG, POISSON).unwrap();
    check_lanes(&snow(solid));
    check_lanes(&snow(solid).with_initial_plastic_volume(2.0 / 3.0).unwrap());
    check_lanes(&snow(solid).with_plastic_volume(PlasticVolume::Preserved));
    let law = NeoHookean::from_young_poisson(YOUNG, POISSON).unwrap();
    check_lanes(&Snow::new(law, 2.5e-2, 7.5e-3, 10.0).unwrap());
    let law = Hencky::from_young_poisson(YOUNG, POISSON).unwrap();
    check_lanes(&Snow::new(law, 2.5e-2, 7.5e-3, 10.0).unwrap());
    let law = StVenantKirchhoff::from_young_poisson(YOUNG, POISSON).unwrap();
    check_lanes(&Snow::new(law, 2.5e-2, 7.5e-3, 10.0).unwrap());
    let law = SplitCorotated::from_young_poisson(YOUNG, POISSON, 3).unwrap();
    check_lanes(&Snow::new(law, 2.5e-2, 7.5e-3, 10.0).unwrap());
}

#[test]
fn every_preset_makes_a_material_in_every_precision_and_dimension() {
    for preset in presets() {
        let name = preset.law.name;
        assert_eq!(preset.material::<f32, 2>().unwrap().name(), name);
        assert_eq!(preset.material::<f32, 3>().unwrap().name(), name);
        assert_eq!(preset.material::<f64, 2>().unwrap().name(), name);
        assert_eq!(preset.material::<f64, 3>().unwrap().name(), name);
    }
}
