//! The models that scenes may name, with their parameters and options: what the reader checks, and
//! what listings print.

use thixo::material::parameters::{
    BULK_MODULUS, COHESION, CRITICAL_COMPRESSION, CRITICAL_STRETCH, DENSITY, FLOW_EXPONENT,
    FLOW_VISCOSITY, FRICTION_ANGLE, H0, H1, H2, H3, HARDENING, HARDENING_MODULUS,
    INITIAL_PLASTIC_VOLUME, LAMBDA, LEAST_HARDENING_FACTOR, LEAST_PLASTIC_VOLUME,
    MOST_HARDENING_FACTOR, MOST_PLASTIC_VOLUME, MU, POISSON_RATIO, Parameter, RELAXATION_TIME,
    SOLVENT_VISCOSITY, TAIT_EXPONENT, VISCOSITY, YIELD_RATE, YIELD_STRESS, YOUNG_MODULUS,
};

/// A model that a scene may name.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Word after `model =`.
    pub name: &'static str,
    /// Its use.
    pub about: &'static str,
    /// Source of its equations.
    pub reference: &'static str,
    /// Its numbers.
    pub parameters: &'static [Parameter],
    /// Its options.
    pub choices: &'static [Choice],
}

/// An option of a model: a key with a word.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Its key.
    pub key: &'static str,
    /// Its effect.
    pub about: &'static str,
    /// The words with what they mean; the first is the default.
    pub words: &'static [(&'static str, &'static str)],
}

impl Model {
    /// The parameter with that key.
    pub fn parameter(&self, key: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|p| p.key == key)
    }
}

/// Every model, in the order of listings.
pub fn models() -> &'static [Model] {
    MODELS
}

/// The model of that name.
pub fn model(name: &str) -> Option<&'static Model> {
    MODELS.iter().find(|model| model.name == name)
}

const ELASTIC: &[Parameter] = &[DENSITY, YOUNG_MODULUS, POISSON_RATIO];

const fn elastic(name: &'static str, about: &'static str, reference: &'static str) -> Model {
    Model {
        name,
        about,
        reference,
        parameters: ELASTIC,
        choices: &[],
    }
}

const MODELS: &[Model] = &[
    elastic(
        "neo_hookean",
        "rubber, jelly",
        "[Jiang2016] eq. (48), (49); errata E4",
    ),
    elastic(
        "fixed_corotated",
        "a solid whose forces stay finite at any compression",
        "[Jiang2015thesis] section 3.1.3; [Jiang2016] section 6.5",
    ),
    elastic(
        "split_corotated",
        "the same, with shear that volume changes leave alone",
        "[Jiang2015thesis] eq. (6.5) to (6.8)",
    ),
    elastic(
        "st_venant_kirchhoff",
        "large turns, small strains",
        "[Nilles2020] eq. (70)",
    ),
    elastic(
        "hencky",
        "Hooke's law of the logarithmic strain",
        "[Nilles2020] eq. (71) to (73); errata E34",
    ),
    Model {
        name: "fluid",
        about: "water, oil, honey: weakly compressible, Newtonian",
        reference: "[Nilles2020] section 5.1.5; errata E35",
        parameters: &[DENSITY, BULK_MODULUS, VISCOSITY, TAIT_EXPONENT],
        choices: &[
            Choice {
                key: "pressure",
                about: "how pressure follows from the volume ratio J",
                words: &[("tait", "(K/γ)(J^-γ - 1)"), ("linear", "K (1 - J)")],
            },
            Choice {
                key: "tension",
                about: "what it does when it is pulled",
                words: &[
                    ("keep", "it pulls back: for confined flows"),
                    ("release", "it flies apart: for splashes"),
                ],
            },
        ],
    },
    Model {
        name: "oldroyd_b",
        about: "shaving foam, toothpaste, sponge: elastic at first, fluid in the long run",
        reference: "[Ram2015]; errata E13, E14, E16, E37",
        parameters: &[DENSITY, MU, LAMBDA, RELAXATION_TIME, SOLVENT_VISCOSITY],
        choices: &[Choice {
            key: "form",
            about: "which strain bears load",
            words: &[
                ("volume_preserving", "only the shape is forgotten"),
                ("plain", "Oldroyd's own: volume is forgotten as well"),
            ],
        }],
    },
    Model {
        name: "snow",
        about: "snow: it packs, hardens and breaks",
        reference: "[Stomakhin2013]; [Jiang2015thesis] section 3.2; errata E12, E34",
        parameters: &[
            DENSITY,
            YOUNG_MODULUS,
            POISSON_RATIO,
            CRITICAL_COMPRESSION,
            CRITICAL_STRETCH,
            HARDENING,
            INITIAL_PLASTIC_VOLUME,
            LEAST_HARDENING_FACTOR,
            MOST_HARDENING_FACTOR,
            LEAST_PLASTIC_VOLUME,
            MOST_PLASTIC_VOLUME,
        ],
        choices: &[
            Choice {
                key: "elastic",
                about: "the elastic law within",
                words: &[
                    ("fixed_corotated", "it keeps its strength whatever happens"),
                    ("split_corotated", "shear that volume changes leave alone"),
                    ("neo_hookean", "rubber"),
                    ("st_venant_kirchhoff", "large turns, small strains"),
                    ("hencky", "Hooke's law of the logarithmic strain"),
                ],
            },
            Choice {
                key: "plastic_volume",
                about: "what plastic flow does to the volume",
                words: &[
                    ("free", "snow packs, and spray takes room"),
                    (
                        "preserved",
                        "flow keeps the volume: nearly incompressible, without hardening",
                    ),
                ],
            },
        ],
    },
    Model {
        name: "drucker_prager",
        about: "sand, soil: shear strength that grows with pressure",
        reference: "[Klar2016]; [Nilles2020] section 5.2.2; errata E8 to E11, E36",
        parameters: &[
            DENSITY,
            YOUNG_MODULUS,
            POISSON_RATIO,
            FRICTION_ANGLE,
            H0,
            H1,
            H2,
            H3,
            COHESION,
        ],
        choices: &[
            Choice {
                key: "friction_match",
                about: "which experiment gives the friction angle",
                words: &[
                    ("triaxial", "triaxial compression"),
                    (
                        "plane_strain",
                        "shear in plane strain, the angle of Mohr and Coulomb: for 2D",
                    ),
                ],
            },
            Choice {
                key: "volume_correction",
                about: "whether parted grains must close again before they press on each other",
                words: &[
                    ("on", "they must"),
                    ("off", "sand swells when it is poured"),
                ],
            },
        ],
    },
    Model {
        name: "von_mises",
        about: "metal, clay, plasticine: perfect plasticity",
        reference: "[Qu2023] eq. (3)",
        parameters: &[DENSITY, YOUNG_MODULUS, POISSON_RATIO, YIELD_STRESS],
        choices: &[],
    },
    Model {
        name: "herschel_bulkley",
        about: "foam, cream, paint, mud: solid below the yield stress, a fluid of power law above",
        reference: "[Qu2023] eq. (3), (4); errata E30",
        parameters: &[
            DENSITY,
            YOUNG_MODULUS,
            POISSON_RATIO,
            YIELD_STRESS,
            FLOW_VISCOSITY,
            FLOW_EXPONENT,
        ],
        choices: &[],
    },
    Model {
        name: "multiplicative_plasticity",
        about: "dough, wax, frozen yogurt: it flows at a finite rate, and hardens or softens",
        reference: "[Bargteil2007]; [Jiang2015thesis] section 3.3",
        parameters: &[
            DENSITY,
            YOUNG_MODULUS,
            POISSON_RATIO,
            YIELD_STRESS,
            YIELD_RATE,
            HARDENING_MODULUS,
        ],
        choices: &[],
    },
];
