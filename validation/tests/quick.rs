//! The experiments at reduced size: every check within its tolerance, every negative control beyond
//! it.

use validation::{EXPERIMENTS, Effort, Experiment, table};

fn holds(name: &str) {
    let experiment = EXPERIMENTS
        .iter()
        .find(|e| e.name == name)
        .expect("a known experiment");
    let rows = (experiment.run)(Effort::Quick).expect("the experiment runs");
    assert!(
        rows.iter().any(|row| row.role == validation::Role::Check),
        "{name} checks something"
    );
    assert!(
        rows.iter()
            .any(|row| row.role == validation::Role::NegativeControl),
        "{name} has a negative control"
    );
    let bad: Vec<_> = rows.into_iter().filter(|row| !row.pass).collect();
    assert!(bad.is_empty(), "{}", table::render(&bad));
}

#[test]
fn free_flight_conserves() {
    holds("free_flight");
}

#[test]
fn stress_is_the_slope_of_energy() {
    holds("stress_from_energy");
}

#[test]
fn a_bar_vibrates_with_its_period() {
    holds("vibrating_bar");
}

#[test]
fn a_manufactured_motion_is_followed_at_second_order() {
    holds("manufactured_solution");
}

#[test]
fn a_bar_is_pressed_together_by_its_load() {
    holds("pressed_bar");
}

#[test]
fn a_testing_machine_finds_the_constants_of_a_bar() {
    holds("pulled_bar");
}

#[test]
fn a_twisted_mesh_comes_close_to_matter_of_the_same_law() {
    holds("twisted_beam");
}

#[test]
fn a_cantilever_bends_alike_in_both_precisions() {
    holds("cantilever");
}

#[test]
fn fluid_between_turning_cylinders_follows_couette() {
    holds("taylor_couette");
}

#[test]
fn heat_is_conducted() {
    holds("heat_conduction");
}

#[test]
fn fronts_of_melting_follow_stefan() {
    holds("stefan");
}

#[test]
fn a_ball_melts_from_outside() {
    holds("melting_sphere");
}

#[test]
fn a_layer_that_freezes_stops_alike_by_explicit_steps_and_by_projection() {
    holds("freezing_layer");
}

#[test]
fn oblique_obstacles_hold_carry_and_roll() {
    holds("oblique_contact");
}

#[test]
fn a_pool_rests() {
    holds("pool_at_rest");
}

#[test]
fn water_bears_what_displaces_it() {
    holds("buoyancy");
}

#[test]
fn vortices_decay_by_their_viscosity() {
    holds("taylor_green");
}

#[test]
fn a_lid_stirs_a_cavity() {
    holds("lid_driven_cavity");
}

#[test]
fn particles_stay_evenly_spread_in_a_shaken_tank() {
    holds("sloshing");
}

#[test]
fn every_experiment_is_run() {
    let own = include_str!("quick.rs");
    for Experiment { name, .. } in EXPERIMENTS {
        assert!(own.contains(&format!("holds(\"{name}\")")), "{name}");
    }
}

#[test]
fn a_column_bears_its_weight() {
    holds("hydrostatic_column");
}

#[test]
fn a_block_slides_and_sticks() {
    holds("incline");
}

#[test]
fn a_rotating_disc_keeps_its_angular_momentum() {
    holds("rotating_disc");
}

#[test]
fn a_dam_breaks_as_measured() {
    holds("dam_break");
}

#[test]
fn channels_have_their_profiles() {
    holds("channel_flow");
}

#[test]
fn oldroyd_b_builds_up_and_relaxes() {
    holds("oldroyd_b_shear");
}

#[test]
fn a_viscoelastic_channel_has_its_viscosity_in_steps_of_any_length() {
    holds("viscoelastic_channel");
}

#[test]
fn herschel_bulkley_has_its_flow_curve() {
    holds("flow_curve");
}

#[test]
fn matter_with_a_yield_stress_flows_as_a_plug() {
    holds("plug_flow");
}

#[test]
fn a_column_of_sand_runs_out_and_rests() {
    holds("sand_column_collapse");
}

#[test]
fn a_round_column_of_sand_runs_out_in_three_dimensions() {
    holds("axisymmetric_sand_column");
}

#[test]
fn a_heap_of_sand_has_its_angle_of_repose() {
    holds("angle_of_repose");
}

#[test]
fn poured_sand_keeps_its_volume() {
    holds("sand_volume_correction");
}

#[test]
fn integrators_agree() {
    holds("integrators");
}

#[test]
fn sampling_and_kernels_make_the_known_difference() {
    holds("discretisation");
}

#[test]
fn loaded_soil_gives_off_its_water() {
    holds("consolidation");
}

#[test]
fn a_dam_breaks_through_rock_as_measured() {
    holds("porous_dam_break");
}
