//! Experiments with known answers.
//!
//! One file per experiment; each says where its answer comes from, what is measured, how close it
//! must come and why, and holds at least one *negative control*: the same check with the physics
//! wrong on purpose, which must miss. `docs/validation.md` has the derivations, `cargo
//! run --release -p validation` prints the table.

pub mod angle_of_repose;
pub mod axisymmetric_sand_column;
pub mod basin;
pub mod buoyancy;
pub mod cantilever;
pub mod channel_flow;
pub mod consolidation;
pub mod dam_break;
pub mod deformations;
pub mod deposit;
pub mod discretisation;
pub mod dust;
pub mod energy_slope;
pub mod flow_curve;
pub mod free_flight;
pub mod freezing_layer;
pub mod heat_conduction;
pub mod hydrostatic_column;
pub mod incline;
pub mod integrators;
pub mod lid_driven_cavity;
pub mod manufactured_solution;
pub mod melting_sphere;
pub mod oblique_contact;
pub mod oldroyd_b_shear;
pub mod parallel;
pub mod plug_flow;
pub mod pool_at_rest;
pub mod porous_dam_break;
pub mod pressed_bar;
pub mod pulled_bar;
pub mod rotating_disc;
pub mod row;
pub mod sampling;
pub mod sand_column_collapse;
pub mod sand_volume_correction;
pub mod sloshing;
pub mod stefan;
pub mod stress_from_energy;
pub mod table;
pub mod taylor_couette;
pub mod taylor_green;
pub mod twisted_beam;
pub mod vibrating_bar;
pub mod viscoelastic_channel;

pub use row::{Role, Row};

use anyhow::Result;

/// The effort of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Seconds: fewer cases, coarser grids where the tolerance allows it.
    Quick,
    /// Everything that `docs/validation.md` promises.
    Full,
}

/// An experiment: its name and what runs it.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// Runs it and compares.
    pub run: fn(Effort) -> Result<Vec<Row>>,
}

/// All experiments, in the order of `docs/validation.md`.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "free_flight",
        run: free_flight::run,
    },
    Experiment {
        name: "stress_from_energy",
        run: stress_from_energy::run,
    },
    Experiment {
        name: "vibrating_bar",
        run: vibrating_bar::run,
    },
    Experiment {
        name: "pressed_bar",
        run: pressed_bar::run,
    },
    Experiment {
        name: "pulled_bar",
        run: pulled_bar::run,
    },
    Experiment {
        name: "twisted_beam",
        run: twisted_beam::run,
    },
    Experiment {
        name: "manufactured_solution",
        run: manufactured_solution::run,
    },
    Experiment {
        name: "cantilever",
        run: cantilever::run,
    },
    Experiment {
        name: "hydrostatic_column",
        run: hydrostatic_column::run,
    },
    Experiment {
        name: "pool_at_rest",
        run: pool_at_rest::run,
    },
    Experiment {
        name: "buoyancy",
        run: buoyancy::run,
    },
    Experiment {
        name: "sloshing",
        run: sloshing::run,
    },
    Experiment {
        name: "incline",
        run: incline::run,
    },
    Experiment {
        name: "rotating_disc",
        run: rotating_disc::run,
    },
    Experiment {
        name: "dam_break",
        run: dam_break::run,
    },
    Experiment {
        name: "channel_flow",
        run: channel_flow::run,
    },
    Experiment {
        name: "taylor_couette",
        run: taylor_couette::run,
    },
    Experiment {
        name: "taylor_green",
        run: taylor_green::run,
    },
    Experiment {
        name: "lid_driven_cavity",
        run: lid_driven_cavity::run,
    },
    Experiment {
        name: "heat_conduction",
        run: heat_conduction::run,
    },
    Experiment {
        name: "stefan",
        run: stefan::run,
    },
    Experiment {
        name: "melting_sphere",
        run: melting_sphere::run,
    },
    Experiment {
        name: "freezing_layer",
        run: freezing_layer::run,
    },
    Experiment {
        name: "oblique_contact",
        run: oblique_contact::run,
    },
    Experiment {
        name: "oldroyd_b_shear",
        run: oldroyd_b_shear::run,
    },
    Experiment {
        name: "viscoelastic_channel",
        run: viscoelastic_channel::run,
    },
    Experiment {
        name: "flow_curve",
        run: flow_curve::run,
    },
    Experiment {
        name: "plug_flow",
        run: plug_flow::run,
    },
    Experiment {
        name: "sand_column_collapse",
        run: sand_column_collapse::run,
    },
    Experiment {
        name: "axisymmetric_sand_column",
        run: axisymmetric_sand_column::run,
    },
    Experiment {
        name: "angle_of_repose",
        run: angle_of_repose::run,
    },
    Experiment {
        name: "sand_volume_correction",
        run: sand_volume_correction::run,
    },
    Experiment {
        name: "integrators",
        run: integrators::run,
    },
    Experiment {
        name: "discretisation",
        run: discretisation::run,
    },
    Experiment {
        name: "consolidation",
        run: consolidation::run,
    },
    Experiment {
        name: "porous_dam_break",
        run: porous_dam_break::run,
    },
];
