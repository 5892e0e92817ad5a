//! Messages about scenes that are wrong: file, line, column, key, value, range, suggestion.

use thixo::material::laws::LAWS;
use thixo_scene::Scene;

const GOOD: &str = r#"title = "t"
dimension = 2
[grid]
spacing = 0.1
[time]
frames = 2
fps = 24
[physics]
gravity = [0, -9.81]
[materials.jelly]
model = "neo_hookean"
density = 1000
young_modulus = 1e4
poisson_ratio = 0.3
[[objects]]
material = "jelly"
shape = { box = { min = [0, 0], max = [0.5, 0.5] } }
[[walls]]
axis = "y"
position = 0
matter = "above"
contact = "slip"
"#;

/// The message for the good scene with one piece of text replaced.
fn message(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    let text = GOOD.replacen(from, to, 1);
    let outcome = Scene::parse(&text, "s.toml").and_then(|scene| scene.build::<f32, 2>(1));
    outcome.expect_err("the scene is wrong").to_string()
}

#[test]
fn a_misspelt_key_is_shown_with_a_suggestion() {
    assert_eq!(
        message("spacing", "spacng"),
        r#"s.toml:4:1: unknown key "spacng" in [grid]; did you mean "spacing"?
4 | spacng = 0.1
  | ^^^^^^"#
    );
}

#[test]
fn a_misspelt_table_is_shown_with_a_suggestion() {
    assert_eq!(
        message("[physics]", "[phisics]"),
        r#"s.toml:8:2: unknown key "phisics" in the scene; did you mean "physics"?
8 | [phisics]
  |  ^^^^^^^"#
    );
}

#[test]
fn a_misspelt_parameter_of_a_model_is_shown_with_a_suggestion() {
    assert_eq!(
        message("young_modulus", "youngs_modulus"),
        r#"s.toml:13:1: unknown key "youngs_modulus" in [materials.jelly]; did you mean "young_modulus"?
13 | youngs_modulus = 1e4
   | ^^^^^^^^^^^^^^"#
    );
}

#[test]
fn a_misspelt_key_within_a_choice_is_shown_with_a_suggestion() {
    assert_eq!(
        message(r#""slip""#, "{ separating = { fricton = 1 } }"),
        r#"s.toml:22:28: unknown key "fricton" in [walls[0].contact.separating]; did you mean "friction"?
22 | contact = { separating = { fricton = 1 } }
   |                            ^^^^^^^"#
    );
}

#[test]
fn an_unknown_key_without_likeness_lists_the_known_ones() {
    assert_eq!(
        message("spacing = 0.1", "spacing = 0.1\ncolour = 1"),
        r#"s.toml:5:1: unknown key "colour" in [grid]; the keys there are spacing, periodic
5 | colour = 1
  | ^^^^^^"#
    );
}

#[test]
fn a_misspelt_word_is_shown_with_a_suggestion() {
    assert_eq!(
        message(r#""slip""#, r#""slop""#),
        r#"s.toml:22:11: walls[0].contact is "slop"; did you mean "slip"?
22 | contact = "slop"
   |           ^^^^^^"#
    );
}

#[test]
fn a_misspelt_model_is_shown_with_a_suggestion() {
    assert_eq!(
        message("neo_hookean", "neo_hokean"),
        r#"s.toml:11:9: materials.jelly.model is "neo_hokean"; did you mean "neo_hookean"?
11 | model = "neo_hokean"
   |         ^^^^^^^^^^^^"#
    );
}

#[test]
fn a_misspelt_material_is_shown_with_a_suggestion() {
    assert_eq!(
        message(r#"material = "jelly""#, r#"material = "jely""#),
        r#"s.toml:16:12: objects[0].material is "jely"; did you mean "jelly"?
16 | material = "jely"
   |            ^^^^^^"#
    );
}

#[test]
fn an_unknown_word_without_likeness_lists_the_known_ones() {
    let known: Vec<_> = LAWS.iter().map(|law| law.name).collect();
    assert!(known.starts_with(&["neo_hookean", "fixed_corotated"]));
    let known = known.join(", ");
    assert_eq!(
        message("neo_hookean", "sand"),
        format!(
            r#"s.toml:11:9: materials.jelly.model is "sand"; it must be one of {known}
11 | model = "sand"
   |         ^^^^^^"#
        )
    );
}

#[test]
fn a_missing_key_is_shown_at_its_table() {
    assert_eq!(
        message("spacing = 0.1", ""),
        r#"s.toml:3:1: [grid] lacks the key "spacing"
3 | [grid]
  | ^^^^^^"#
    );
}

#[test]
fn a_key_missing_at_the_top_has_no_line() {
    assert_eq!(
        message("dimension = 2\n", ""),
        r#"s.toml: the scene lacks the key "dimension""#
    );
}

#[test]
fn a_value_of_the_wrong_kind_is_shown() {
    assert_eq!(
        message("spacing = 0.1", r#"spacing = "a""#),
        r#"s.toml:4:11: grid.spacing must be a number, not "a"
4 | spacing = "a"
  |           ^^^"#
    );
}

#[test]
fn a_value_that_the_engine_refuses_is_shown_with_its_range() {
    assert_eq!(
        message("poisson_ratio = 0.3", "poisson_ratio = 0.5"),
        r#"s.toml:14:17: materials.jelly.poisson_ratio: Poisson's ratio is 0.5; it must be above -1 and below 0.5
14 | poisson_ratio = 0.5
   |                 ^^^"#
    );
}

#[test]
fn not_a_number_is_refused() {
    assert_eq!(
        message("min = [0, 0]", "min = [0, nan]"),
        r#"s.toml:17:29: objects[0].shape.box.min[1] is NaN; it must be finite
17 | shape = { box = { min = [0, nan], max = [0.5, 0.5] } }
   |                             ^^^"#
    );
}

#[test]
fn a_number_that_single_precision_cannot_hold_is_refused() {
    assert_eq!(
        message("density = 1000", "density = 1e300"),
        r#"s.toml:12:11: materials.jelly.density is 1e300; it must be a number that f32 can hold
12 | density = 1e300
   |           ^^^^^"#
    );
}

#[test]
fn a_wall_between_nodes_is_shown_with_the_nearest_lines() {
    assert_eq!(
        message("position = 0", "position = 0.04"),
        r#"s.toml:20:12: walls[0].position: the wall at 0.04 m is not on a line of nodes; the nearest are at 0 m and 0.1 m (or use a level-set plane)
20 | position = 0.04
   |            ^^^^"#
    );
}

#[test]
fn a_wall_too_far_away_is_refused_at_its_position() {
    assert_eq!(
        message("position = 0", "position = 200000"),
        r#"s.toml:20:12: walls[0].position: position of the wall [m] is 200000.0; it must be within a million cells of the origin
20 | position = 200000
   |            ^^^^^^"#
    );
}

#[test]
fn a_carried_value_that_single_precision_cannot_hold_is_refused_at_its_formula() {
    let carried = "[carried.a]\nvalue = 1\n[carried.b]\nvalue = 1e39\n[[walls]]";
    assert_eq!(
        message("[[walls]]", carried),
        r#"s.toml:21:9: carried.b.value: carried value of particle 0 is [1e39]; every component must be finite in the precision of the simulation
21 | value = 1e39
   |         ^^^^"#
    );
}

/// Every number of a table that the engine refuses is shown at its own key.
#[test]
fn refused_numbers_are_shown_at_their_keys() {
    let at = |from: &str, to: &str, key: &str| {
        let message = message(from, to);
        assert!(message.contains(&format!(": {key}: ")), "{message}");
    };
    for option in ["cfl", "safety", "longest_step"] {
        at(
            "fps = 24",
            &format!("{option} = -1"),
            &format!("time.{option}"),
        );
    }
    let wall = |line: &str, key: &str| {
        at("contact = \"slip\"", line, &format!("walls[0].{key}"));
    };
    wall("contact = \"slip\"\nvelocity = [0, 1]", "velocity");
    wall(
        "contact = { separating = { friction = -1 } }",
        "contact.separating.friction",
    );
    for (shape, key) in [
        ("sphere = { center = [0, 0], radius = 0 }", "radius"),
        ("ellipsoid = { center = [0, 0], radii = [1, 0] }", "radii"),
        (
            "capsule = { start = [0, 0], end = [0, 0], radius = 1 }",
            "end",
        ),
        (
            "capsule = { start = [0, 0], end = [0, 1], radius = 0 }",
            "radius",
        ),
        (
            "cylinder = { start = [0, 0], end = [0, 0], radius = 1 }",
            "end",
        ),
        (
            "cylinder = { start = [0, 0], end = [0, 1], radius = 0 }",
            "radius",
        ),
        ("cone = { base = [0, 0], tip = [0, 0], radius = 1 }", "tip"),
        (
            "cone = { base = [0, 0], tip = [0, 1], radius = 0 }",
            "radius",
        ),
        (
            "torus = { center = [0, 0], axis = [0, 0], ring = 2, tube = 1 }",
            "axis",
        ),
        (
            "torus = { center = [0, 1e308], axis = [0, 1e308], ring = 2, tube = 1 }",
            "axis",
        ),
        (
            "torus = { center = [0, 0], axis = [0, 1], ring = 0, tube = 1 }",
            "ring",
        ),
        (
            "torus = { center = [0, 0], axis = [0, 1], ring = 2, tube = 0 }",
            "tube",
        ),
        (
            "torus = { center = [0, 0], axis = [0, 1], ring = 2, tube = 3 }",
            "tube",
        ),
        ("half_space = { point = [0, 0], normal = [0, 0] }", "normal"),
    ] {
        let name = shape.split(' ').next().unwrap_or_default();
        let key = format!("objects[0].shape.{name}.{key}");
        at("box = { min = [0, 0], max = [0.5, 0.5] }", shape, &key);
    }
}

#[test]
fn a_vector_of_another_dimension_is_refused() {
    assert_eq!(
        message("max = [0.5, 0.5]", "max = [0.5, 0.5, 0.5]"),
        r#"s.toml:17:39: objects[0].shape.box.max is [0.5, 0.5, 0.5]; it must be a list of 2 numbers in dimension 2
17 | shape = { box = { min = [0, 0], max = [0.5, 0.5, 0.5] } }
   |                                       ^^^^^^^^^^^^^^^"#
    );
}

#[test]
fn uneven_particles_per_cell_are_refused_with_the_nearest_number() {
    assert_eq!(
        message(
            "material = \"jelly\"\n",
            "material = \"jelly\"\nsampling = { grid = { per_cell = 5 } }\n"
        ),
        r#"s.toml:17:34: objects[0].sampling.grid.per_cell is 5; it must be the square of a number from 1 to 16 in dimension 2; the nearest is 4
17 | sampling = { grid = { per_cell = 5 } }
   |                                  ^"#
    );
}

#[test]
fn matter_behind_a_wall_is_refused() {
    assert_eq!(
        message("min = [0, 0]", "min = [0, -0.5]"),
        r#"s.toml:17:9: objects[0].shape reaches behind walls[0]: 100 of its 200 particles would start there; move or shrink one of them
17 | shape = { box = { min = [0, -0.5], max = [0.5, 0.5] } }
   |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#
    );
}

#[test]
fn text_that_is_not_toml_is_shown() {
    assert_eq!(
        message("gravity = [0, -9.81]", "gravity = [0, -9.81]]"),
        r#"s.toml:9:21: unexpected key or value, expected newline, `#`
9 | gravity = [0, -9.81]]
  |                     ^"#
    );
}

const JELLY: &str = r#"model = "neo_hookean"
density = 1000
young_modulus = 1e4
poisson_ratio = 0.3
"#;

/// The message for another material in the place of jelly.
fn of_material(model: &str, parameters: &str) -> String {
    let solid = JELLY.replace("neo_hookean", model);
    message(JELLY, &format!("{solid}{parameters}\n"))
}

/// The message for an additional collider.
fn of_collider(text: &str) -> String {
    message("[[walls]]", &format!("[[colliders]]\n{text}\n[[walls]]"))
}

const SNOW: &str = "critical_compression = 0.025\ncritical_stretch = 0.0075\nhardening = 10";

#[test]
fn every_elastic_model_refuses_like_the_first() {
    for model in ["fixed_corotated", "st_venant_kirchhoff", "hencky"] {
        let text = JELLY.replace("neo_hookean", model).replace("0.3", "0.5");
        assert_eq!(
            message(JELLY, &text),
            r#"s.toml:14:17: materials.jelly.poisson_ratio: Poisson's ratio is 0.5; it must be above -1 and below 0.5
14 | poisson_ratio = 0.5
   |                 ^^^"#
        );
    }
    // Only matter whose pressure can be left to a projection may keep its volume.
    let text = JELLY.replace("neo_hookean", "split_corotated");
    let refusal = message(JELLY, &text.replace("0.3", "0.6"));
    assert!(refusal.contains("is 0.6; it must be above -1, and 0.5 at most"));
    let refusal = message(JELLY, &text.replace("0.3", "0.5"));
    assert!(refusal.contains("is incompressible"), "{refusal}");
}

const PROJECTION: &str = "[physics]\nintegrator = \"projection\"";

#[test]
fn what_a_projection_cannot_do_is_refused_with_the_key() {
    let refusal = message("[physics]", PROJECTION);
    assert!(refusal.contains("materials.jelly"), "{refusal}");
    let split = GOOD.replace("neo_hookean", "split_corotated");
    let floor = "[[colliders]]\nshape = { half_space = { point = [0, 0], normal = [0, 1] } }\ncontact = \"slip\"\nmaterials = { jelly = \"sticky\" }\n[[walls]]";
    let text = split.replace("[physics]", PROJECTION);
    let text = text.replace("[[walls]]", floor);
    let outcome = Scene::parse(&text, "s.toml").and_then(|scene| scene.build::<f32, 2>(1));
    let refusal = outcome.expect_err("the scene is wrong").to_string();
    assert!(
        refusal
            .starts_with("s.toml:24:1: colliders[0].materials: obstacle 0 has contacts of its own"),
        "{refusal}"
    );
}

#[test]
fn snow_is_refused_with_the_key() {
    assert_eq!(
        of_material("snow", &SNOW.replace("0.025", "2")),
        r#"s.toml:15:24: materials.jelly.critical_compression: critical compression is 2.0; it must be between 0 and 1
15 | critical_compression = 2
   |                        ^"#
    );
    assert_eq!(
        of_material("snow", &format!("{SNOW}\nelastic = \"henky\"")),
        r#"s.toml:18:11: materials.jelly.elastic is "henky"; did you mean "hencky"?
18 | elastic = "henky"
   |           ^^^^^^^"#
    );
    assert_eq!(
        of_material("snow", &format!("{SNOW}\nmost_hardening_factor = 0.5")),
        r#"s.toml:18:25: materials.jelly.most_hardening_factor: most hardening factor is 0.5; it must be at least 1, and finite
18 | most_hardening_factor = 0.5
   |                         ^^^"#
    );
}

#[test]
fn sand_needs_its_friction_once() {
    assert_eq!(
        of_material("drucker_prager", "friction_angle = 95"),
        r#"s.toml:15:18: materials.jelly.friction_angle: friction angle [degrees] is 95.0; it must be at least 0 and below 90
15 | friction_angle = 95
   |                  ^^"#
    );
    assert_eq!(
        of_material("drucker_prager", ""),
        r#"s.toml:10:1: [materials.jelly] lacks the key "friction_angle"
10 | [materials.jelly]
   | ^^^^^^^^^^^^^^^^^"#
    );
    let hardening = "friction_hardening = { h0 = 35, h1 = 9, h2 = 0.3, h3 = 40 }";
    assert_eq!(
        of_material("drucker_prager", hardening),
        r#"s.toml:15:56: materials.jelly.friction_hardening.h3: friction angle h3 [degrees] is 40.0; it must be at least 0 and at most h0
15 | friction_hardening = { h0 = 35, h1 = 9, h2 = 0.3, h3 = 40 }
   |                                                        ^^"#
    );
    assert_eq!(
        of_material(
            "drucker_prager",
            &format!("friction_angle = 30\n{hardening}")
        ),
        r#"s.toml:15:18: materials.jelly.friction_angle is 30; it must be absent: friction_hardening gives the angle
15 | friction_angle = 30
   |                  ^^"#
    );
}

/// The message for the good scene with its material replaced.
fn of_preset(lines: &str) -> String {
    let material =
        "model = \"neo_hookean\"\ndensity = 1000\nyoung_modulus = 1e4\npoisson_ratio = 0.3";
    message(material, lines)
}

#[test]
fn presets_are_refused_where_they_are_written() {
    assert_eq!(
        of_preset("preset = \"snw\""),
        r#"s.toml:11:10: materials.jelly.preset is "snw"; did you mean "snow"?
11 | preset = "snw"
   |          ^^^^^"#
    );
    let unknown = of_preset("preset = \"treacle\"");
    assert!(
        unknown.contains("it must be one of rubber, jelly, water, honey"),
        "{unknown}"
    );
    assert_eq!(
        of_preset("preset = 3"),
        r#"s.toml:11:10: materials.jelly.preset must be the name of a preset, not of type integer
11 | preset = 3
   |          ^"#
    );
    assert_eq!(
        of_preset("preset = \"snow\"\nmodel = \"fluid\""),
        r#"s.toml:12:9: materials.jelly.model is "fluid"; it must be absent or "snow", the model of the preset "snow"
12 | model = "fluid"
   |         ^^^^^^^"#
    );
    assert_eq!(
        of_preset("preset = \"snow\"\nhardening = -1"),
        r#"s.toml:12:13: materials.jelly.hardening: hardening is -1.0; it must be zero or positive, and finite
12 | hardening = -1
   |             ^^"#
    );
    assert_eq!(
        of_preset("preset = \"snow\"\nviscosity = 1"),
        r#"s.toml:12:1: unknown key "viscosity" in [materials.jelly]; the keys there are density, young_modulus, poisson_ratio, critical_compression, critical_stretch, hardening, elastic, initial_plastic_volume, plastic_volume, least_hardening_factor, most_hardening_factor, least_plastic_volume, most_plastic_volume
12 | viscosity = 1
   | ^^^^^^^^^"#
    );
}

#[test]
fn viscoelastic_fluids_are_refused_with_the_key() {
    let paste = "model = \"oldroyd_b\"\ndensity = 1000\nmu = 839\nlambda = 8390\n";
    assert_eq!(
        of_preset(&format!("{paste}relaxation_time = 0")),
        r#"s.toml:15:19: materials.jelly.relaxation_time: relaxation time [s] is 0.0; it must be at least 1.2e-38; it may be infinite
15 | relaxation_time = 0
   |                   ^"#
    );
    assert_eq!(
        of_preset(&format!("{paste}relaxation_time = 1\nform = \"plane\"")),
        r#"s.toml:16:8: materials.jelly.form is "plane"; did you mean "plain"?
16 | form = "plane"
   |        ^^^^^^^"#
    );
}

#[test]
fn yielding_matter_is_refused_with_the_key() {
    assert_eq!(
        of_material("von_mises", "yield_stress = -1"),
        r#"s.toml:15:16: materials.jelly.yield_stress: yield stress [Pa] is -1.0; it must be zero or positive, and finite
15 | yield_stress = -1
   |                ^^"#
    );
    assert_eq!(
        of_material(
            "herschel_bulkley",
            "yield_stress = 1\nviscosity = 1\nexponent = 0"
        ),
        r#"s.toml:17:12: materials.jelly.exponent: Herschel-Bulkley exponent is 0.0; it must be between 0.01 and 100
17 | exponent = 0
   |            ^"#
    );
    assert_eq!(
        of_material(
            "multiplicative_plasticity",
            "yield_stress = 1\nyield_rate = -2"
        ),
        r#"s.toml:16:14: materials.jelly.yield_rate: yield rate [1/s] is -2.0; it must be zero or positive, and finite
16 | yield_rate = -2
   |              ^^"#
    );
}

#[test]
fn a_shape_within_shapes_is_refused_with_its_path() {
    assert_eq!(
        of_collider(
            "shape = { complement = { union = [{ sphere = { center = [0, 0], radius = -1 } }] } }\ncontact = 'slip'"
        ),
        r#"s.toml:19:74: colliders[0].shape.complement.union[0].sphere.radius: radius of the sphere [m] is -1.0; it must be positive and finite
19 | shape = { complement = { union = [{ sphere = { center = [0, 0], radius = -1 } }] } }
   |                                                                          ^^"#
    );
    assert_eq!(
        of_collider("shape = { union = [] }\ncontact = 'slip'"),
        r#"s.toml:19:19: colliders[0].shape.union is []; it must be a list of at least one shape
19 | shape = { union = [] }
   |                   ^^"#
    );
}

#[test]
fn a_turning_collider_needs_a_pivot() {
    assert_eq!(
        of_collider(
            "shape = { sphere = { center = [9, 9], radius = 1 } }\ncontact = 'slip'\nangular_velocity = 1"
        ),
        r#"s.toml:18:1: [colliders[0]] lacks the key "pivot"
18 | [[colliders]]
   | ^^^^^^^^^^^^^"#
    );
}

#[test]
fn matter_outside_of_its_container_is_refused() {
    assert_eq!(
        of_collider(
            "shape = { complement = { box = { min = [0, 0], max = [0.4, 1] } } }\ncontact = 'slip'"
        ),
        r#"s.toml:17:9: objects[0].shape reaches behind colliders[0]: 20 of its 100 particles would start there; move or shrink one of them
17 | shape = { box = { min = [0, 0], max = [0.5, 0.5] } }
   |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#
    );
}

/// The message for another line in the only object.
fn of_object(line: &str) -> String {
    message("[[walls]]", &format!("{line}\n[[walls]]"))
}

/// The message for an emitter with one piece of text replaced.
fn of_emitter(from: &str, to: &str) -> String {
    let good = "material = 'jelly'\nshape = { box = { min = [2, 1], max = [2.1, 1.5] } }\nvelocity = [1, 0]\nstart = 0\nend = 1\n";
    assert!(good.contains(from), "{from}");
    let text = good.replacen(from, to, 1);
    message("[[walls]]", &format!("[[emitters]]\n{text}[[walls]]"))
}

/// The message for a load.
fn of_load(text: &str) -> String {
    message("[[walls]]", &format!("[[loads]]\n{text}\n[[walls]]"))
}

#[test]
fn sampling_says_how_many_once() {
    assert_eq!(
        of_object("sampling = { poisson = { seed = 1 } }"),
        r#"s.toml:18:24: [objects[0].sampling.poisson] lacks the key "per_cell"
18 | sampling = { poisson = { seed = 1 } }
   |                        ^^^^^^^^^^^^"#
    );
    assert_eq!(
        of_object("sampling = { random = { per_cell = 4, spacing = 0.05 } }"),
        r#"s.toml:18:49: objects[0].sampling.random.spacing is 0.05; it must be absent: per_cell says how many particles there are
18 | sampling = { random = { per_cell = 4, spacing = 0.05 } }
   |                                                 ^^^^"#
    );
    assert_eq!(
        of_object("sampling = { stratified = { per_cell = 257 } }"),
        r#"s.toml:18:40: objects[0].sampling.stratified.per_cell is 257; it must be from 1 to 256 in dimension 2
18 | sampling = { stratified = { per_cell = 257 } }
   |                                        ^^^"#
    );
    assert_eq!(
        of_object("sampling = { grid = { spacing = 0.001 } }"),
        r#"s.toml:18:33: objects[0].sampling.grid.spacing is 0.001; it must be from 0.00625 to 1.6 m, 1/16 of a cell to 16 cells
18 | sampling = { grid = { spacing = 0.001 } }
   |                                 ^^^^^"#
    );
}

#[test]
fn colours_are_refused_with_what_they_must_be() {
    assert_eq!(
        of_object("color = \"#12345\""),
        r##"s.toml:18:9: objects[0].color must be "#rrggbb" or a list of three numbers from 0 to 1, not "#12345"
18 | color = "#12345"
   |         ^^^^^^^^"##
    );
    assert_eq!(
        of_object("color = [1, 0, 2]"),
        r##"s.toml:18:9: objects[0].color must be "#rrggbb" or a list of three numbers from 0 to 1, not [1.0, 0.0, 2.0]
18 | color = [1, 0, 2]
   |         ^^^^^^^^^"##
    );
    assert_eq!(
        of_object(
            "colors = [{ color = '#000000', probability = 0.5 }, { color = [1, 1, 1], probability = 0.4 }]"
        )
        .lines()
        .next(),
        Some(
            "s.toml:18:10: objects[0].colors is a list with probabilities that add up to 0.9; it must be one whose probabilities add up to 1"
        )
    );
    assert_eq!(
        of_object("colors = [{ color = '#000000', probability = -1 }]"),
        r#"s.toml:18:46: objects[0].colors[0].probability is -1; it must be from 0 to 1
18 | colors = [{ color = '#000000', probability = -1 }]
   |                                              ^^"#
    );
    assert_eq!(
        of_object("color = '#000000'\ncolors = [{ color = '#000000', probability = 1 }]")
            .lines()
            .next(),
        Some(
            "s.toml:19:10: objects[0].colors is a list; it must be absent: color gives all particles one colour"
        )
    );
}

#[test]
fn emitters_are_refused_with_the_key() {
    assert_eq!(
        of_emitter("[1, 0]", "[0, 0]"),
        r#"s.toml:21:12: emitters[0].velocity is [0.0, 0.0]; it must be other than zero, and finite
21 | velocity = [0, 0]
   |            ^^^^^^"#
    );
    assert_eq!(
        of_emitter("end = 1", "end = -1"),
        r#"s.toml:23:7: emitters[0].end is -1; it must be above 0, the start
23 | end = -1
   |       ^^"#
    );
    assert_eq!(
        of_emitter("start = 0", "start = -2"),
        r#"s.toml:22:9: emitters[0].start is -2; it must be zero or positive, and finite
22 | start = -2
   |         ^^"#
    );
    assert_eq!(
        of_emitter("jelly", "jely"),
        r#"s.toml:19:12: emitters[0].material is "jely"; did you mean "jelly"?
19 | material = 'jely'
   |            ^^^^^^"#
    );
    assert_eq!(
        of_emitter("velocity = [1, 0]\n", "velocity = [1e9, 0]\n"),
        r#"s.toml:21:12: emitters[0].velocity is [1000000000.0, 0.0], which emits 1.667e10 particles; it must be so slow that at most 1e8 particles come, or the emitter smaller or shorter
21 | velocity = [1e9, 0]
   |            ^^^^^^^^"#
    );
    // Out of the wall that the matter is to stay above.
    assert_eq!(
        of_emitter(
            "min = [2, 1], max = [2.1, 1.5]",
            "min = [2, -1], max = [2.1, -0.5]"
        )
        .lines()
        .next(),
        Some(
            "s.toml:20:9: emitters[0].shape reaches behind walls[0]: 10 of its 10 particles would start there; move or shrink one of them"
        )
    );
    assert_eq!(
        of_emitter("max = [2.1, 1.5]", "max = [2.1, 1.01]")
            .lines()
            .next(),
        Some(
            "s.toml:20:9: emitters[0].shape holds no particle: the shape is thinner than the 0.05 m between particles; enlarge it, or use a smaller grid spacing or more particles per cell"
        )
    );
}

#[test]
fn loads_are_refused_with_the_key() {
    assert_eq!(
        of_load("object = 'jelly-1'\npressure = 1"),
        r#"s.toml:19:10: loads[0].object is "jelly-1"; did you mean "jelly-0"?
19 | object = 'jelly-1'
   |          ^^^^^^^^^"#
    );
    assert_eq!(
        of_load("object = 1\npressure = 1"),
        r#"s.toml:19:10: loads[0].object is 1; it must be below 1, the number of objects
19 | object = 1
   |          ^"#
    );
    assert_eq!(
        of_load("object = 0"),
        r#"s.toml:18:1: [loads[0]] lacks the key "pressure"
18 | [[loads]]
   | ^^^^^^^^^"#
    );
    assert_eq!(
        of_load("object = 0\npressure = 1\ntraction = [1, 0]"),
        r#"s.toml:21:12: loads[0].traction is [1.0, 0.0]; it must be absent: a load with pressure has no traction
21 | traction = [1, 0]
   |            ^^^^^^"#
    );
    for far in [[2, 3], [0, 1]] {
        let [low, high] = far.map(|x| f64::from(x) * 0.3 + 0.1);
        let load = format!(
            "object = 0\npressure = 1\nregion = {{ box = {{ min = [{low}, {low}], max = [{high}, {high}] }} }}"
        );
        let found = of_load(&load);
        assert!(
            found.starts_with("s.toml:21:10: loads[0].region: ") && found.contains("load-0"),
            "{found}"
        );
    }
}

/// The message for another shape of the object.
fn of_shape(shape: &str) -> String {
    message("{ box = { min = [0, 0], max = [0.5, 0.5] } }", shape)
}

/// The message for a shape in 3D.
fn of_shape_in_space(shape: &str) -> String {
    let text = GOOD
        .replace("dimension = 2", "dimension = 3")
        .replace("[0, -9.81]", "[0, -9.81, 0]")
        .replace("{ box = { min = [0, 0], max = [0.5, 0.5] } }", shape);
    Scene::parse(&text, "s.toml")
        .expect_err("the scene is wrong")
        .to_string()
}

#[test]
fn a_mesh_or_image_that_is_not_there_is_refused() {
    assert_eq!(
        of_shape_in_space("{ mesh = { file = 'none/such.obj' } }"),
        r#"s.toml:17:27: objects[0].shape.mesh.file: none/such.obj cannot be read: No such file or directory (os error 2) (paths are relative to the folder of the scene file)
17 | shape = { mesh = { file = 'none/such.obj' } }
   |                           ^^^^^^^^^^^^^^^"#
    );
    assert_eq!(
        of_shape_in_space("{ mesh = { file = 'a.fbx' } }"),
        r#"s.toml:17:27: objects[0].shape.mesh.file: a.fbx has no ending that is known; it must be one of .obj, .stl, .ply
17 | shape = { mesh = { file = 'a.fbx' } }
   |                           ^^^^^^^"#
    );
    assert_eq!(
        of_shape("{ bitmap = { file = 'a.jpg', center = [0, 0], width = 1 } }"),
        r#"s.toml:17:29: objects[0].shape.bitmap.file: a.jpg has no ending that is known; it must be one of .png
17 | shape = { bitmap = { file = 'a.jpg', center = [0, 0], width = 1 } }
   |                             ^^^^^^^"#
    );
}

#[test]
fn corrupt_files_are_refused_with_what_is_wrong() {
    let folder = std::env::temp_dir().join(format!("thixo-corrupt-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("temporary files can be written");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    for name in ["bad.obj", "bad.stl", "bad.ply", "bad.png"] {
        std::fs::write(path(name), b"v 0 0 0\nf 1 2 3\n").expect("temporary files can be written");
    }
    let first_line = |message: String| {
        message
            .lines()
            .next()
            .map(str::to_owned)
            .unwrap_or_default()
    };
    let of_mesh = |name: &str| {
        let file = path(name);
        let message = first_line(of_shape_in_space(&format!(
            "{{ mesh = {{ file = '{file}' }} }}"
        )));
        message.replace(&file, name)
    };
    assert_eq!(
        of_mesh("bad.obj"),
        "s.toml:17:27: objects[0].shape.mesh.file: bad.obj is not a sound OBJ file: line 2: \"2\" is not one of the 1 vertices so far"
    );
    assert_eq!(
        of_mesh("bad.stl"),
        "s.toml:17:27: objects[0].shape.mesh.file: bad.stl is not a sound STL file: byte 16: the file ends before the first triangle"
    );
    assert_eq!(
        of_mesh("bad.ply"),
        "s.toml:17:27: objects[0].shape.mesh.file: bad.ply is not a sound PLY file: line 1: the file does not begin with \"ply\""
    );
    let file = path("bad.png");
    let bitmap = format!("{{ bitmap = {{ file = '{file}', center = [0, 0], width = 1 }} }}");
    let message = first_line(of_shape(&bitmap)).replace(&file, "bad.png");
    let start = "s.toml:17:29: objects[0].shape.bitmap.file: bad.png is not a sound PNG file: of 16 bytes: ";
    assert!(message.starts_with(start), "{message}");
}

#[test]
fn shapes_of_another_dimension_are_refused() {
    assert_eq!(
        of_shape("{ mesh = { file = 'a.obj' } }"),
        r#"s.toml:17:18: objects[0].shape.mesh is a mesh; it must be a shape of dimension 2; a bitmap can have any outline
17 | shape = { mesh = { file = 'a.obj' } }
   |                  ^^^^^^^^^^^^^^^^^^"#
    );
    assert_eq!(
        of_shape("{ bitmap = { file = 'a.png', center = [0, 0], width = 1, extrude = 0.5 } }"),
        r#"s.toml:17:76: objects[0].shape.bitmap.extrude is 0.5; it must be absent in dimension 2
17 | shape = { bitmap = { file = 'a.png', center = [0, 0], width = 1, extrude = 0.5 } }
   |                                                                            ^^^"#
    );
    assert_eq!(
        of_shape(
            "{ moved = { shape = { sphere = { center = [0, 0], radius = 1 } }, rotation = { euler = [1, 2, 3] } } }"
        ),
        r#"s.toml:17:86: objects[0].shape.moved.rotation is a rotation in space; it must be one number in dimension 2, the angle in degrees
17 | shape = { moved = { shape = { sphere = { center = [0, 0], radius = 1 } }, rotation = { euler = [1, 2, 3] } } }
   |                                                                                      ^^^^^^^^^^^^^^^^^^^^^"#
    );
}

#[test]
fn shapes_that_cannot_be_moved_are_refused() {
    let ball = "shape = { sphere = { center = [0, 0], radius = 1 } }";
    assert_eq!(
        of_shape(&format!("{{ moved = {{ {ball}, scale = 0 }} }}")),
        r#"s.toml:17:83: objects[0].shape.moved.scale: scale of the shape is 0.0; it must be between 1e-12 and 1e12 in size
17 | shape = { moved = { shape = { sphere = { center = [0, 0], radius = 1 } }, scale = 0 } }
   |                                                                                   ^"#
    );
    assert_eq!(
        of_shape(&format!(
            "{{ moved = {{ {ball}, rotation = {{ angel = 3 }} }} }}"
        )),
        r#"s.toml:17:88: unknown key "angel" in [objects[0].shape.moved.rotation]; did you mean "angle"?
17 | shape = { moved = { shape = { sphere = { center = [0, 0], radius = 1 } }, rotation = { angel = 3 } } }
   |                                                                                        ^^^^^"#
    );
    assert_eq!(
        of_shape("{ elipsoid = { center = [0, 0], radii = [1, 1] } }"),
        r#"s.toml:17:11: objects[0].shape is "elipsoid"; did you mean "ellipsoid"?
17 | shape = { elipsoid = { center = [0, 0], radii = [1, 1] } }
   |           ^^^^^^^^"#
    );
}

#[test]
fn an_object_without_end_is_refused() {
    assert_eq!(
        of_shape("{ half_space = { point = [0, 0], normal = [0, 1] } }"),
        r#"s.toml:17:9: objects[0].shape is without end; it must be a shape with an end: intersect it with a box
17 | shape = { half_space = { point = [0, 0], normal = [0, 1] } }
   |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#
    );
}

#[test]
fn a_sequence_needs_to_know_its_files() {
    let sequence = |keys: &str| of_shape_in_space(&format!("{{ mesh_sequence = {{ {keys} }} }}"));
    assert_eq!(
        sequence("pattern = 'a.obj', count = 3, fps = 24"),
        r#"s.toml:17:39: objects[0].shape.mesh_sequence.pattern is "a.obj"; it must be a name with one number in it, such as "cloth_%04d.obj"
17 | shape = { mesh_sequence = { pattern = 'a.obj', count = 3, fps = 24 } }
   |                                       ^^^^^^^"#
    );
    assert_eq!(
        sequence("pattern = 'a%d.obj', count = 0, fps = 24"),
        r#"s.toml:17:58: objects[0].shape.mesh_sequence.count is 0; it must be a number of meshes from 1 to 10000
17 | shape = { mesh_sequence = { pattern = 'a%d.obj', count = 0, fps = 24 } }
   |                                                          ^"#
    );
    assert_eq!(
        sequence("files = ['a.obj'], fps = 0"),
        r#"s.toml:17:54: objects[0].shape.mesh_sequence.fps is 0; it must be positive and finite
17 | shape = { mesh_sequence = { files = ['a.obj'], fps = 0 } }
   |                                                      ^"#
    );
}
