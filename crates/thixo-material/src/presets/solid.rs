//! Solids: elastic ones, and those that yield like metal, clay or ice cream.

use super::{Elasticity, Preset, PresetLaw, RateParameters, YieldParameters};

pub(super) const PRESETS: &[Preset] = &[
    Preset {
        name: "jelly",
        about: "wobbling dessert",
        density: 1000.0,
        law: PresetLaw::FixedCorotated(Elasticity {
            young_modulus: 4.34e3,
            poisson_ratio: 0.45,
        }),
        source: "gelatine with 20 parts of water [Bonavia2025]; the ratio is a choice, the real one is nearer to 0.5",
    },
    Preset {
        name: "rubber",
        about: "soft vulcanised rubber",
        density: 1100.0,
        law: PresetLaw::NeoHookean(Elasticity {
            young_modulus: 1.5e6,
            poisson_ratio: 0.45,
        }),
        source: "within the ranges 0.7 to 4.1 MPa, 0.45 to 0.5 and 960 to 1280 kg/m³ of [Thomas2211]",
    },
    Preset {
        name: "aluminium",
        about: "soft annealed aluminium: it dents and stays dented; time steps are very short",
        density: 2700.0,
        law: PresetLaw::VonMises(YieldParameters {
            elasticity: Elasticity {
                young_modulus: 7.0e10,
                poisson_ratio: 0.33,
            },
            yield_stress: 3.5e7,
        }),
        source: "within the ranges 69 to 79 GPa, 0.33, 34 to 480 MPa and 2560 to 2880 kg/m³ of [Thomas2211]",
    },
    Preset {
        name: "clay",
        about: "soft potter's clay: the thumb goes in, and the dent stays",
        density: 1700.0,
        law: PresetLaw::VonMises(YieldParameters {
            elasticity: Elasticity {
                young_modulus: 5.0e6,
                poisson_ratio: 0.45,
            },
            yield_stress: 3.6e4,
        }),
        source: "middle of soft clay, 24 to 48 kPa of unconfined compression [TM58181] table 2-2; density and moduli are choices",
    },
    Preset {
        name: "frozen_yogurt",
        about: "soft ice cream or frozen yogurt that flows slowly when pressed",
        density: 700.0,
        law: PresetLaw::MultiplicativePlasticity(RateParameters {
            elasticity: Elasticity {
                young_modulus: 2.0e5,
                poisson_ratio: 0.4,
            },
            yield_stress: 4330.0,
            yield_rate: 20.0,
        }),
        source: "law of [Jiang2015thesis] section 3.3 after [Bargteil2007], which print no numbers; √3 times 2.5 kPa, the softest ice cream of [Briggs1996]; the rest are choices",
    },
];
