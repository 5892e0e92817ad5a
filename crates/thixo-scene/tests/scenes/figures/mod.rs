//! Numbers for what pictures are said to show, measured in previews of their scenes. The table of
//! `docs/replicability.md` has them all.
//!
//! `cargo test --workspace --test scenes figures -- --nocapture` prints what they are today.

mod gripped;
mod measures;
mod moment;

use measures as by;

/// A number that a scene shows.
struct Figure {
    scene: &'static str,
    /// The number in words.
    number: &'static str,
    /// The range that agrees with the picture.
    range: [f64; 2],
    measure: fn() -> f64,
}

impl Figure {
    fn check(&self) {
        let value = (self.measure)();
        let Self {
            scene,
            number,
            range: [low, high],
            ..
        } = self;
        println!("{scene}: {number}: {value:.4}, {low} to {high}");
        assert!(
            (low..=high).contains(&&value),
            "{scene}: {number} is {value}, it should be from {low} to {high}"
        );
    }
}

/// A test for every figure, and the list of them.
macro_rules! figures {
    ($($test:ident $scene:literal $low:literal to $high:literal, $number:literal;)*) => {
        $(#[test]
        fn $test() {
            FIGURES.iter().find(|figure| figure.scene == $scene).unwrap().check();
        })*

        const FIGURES: &[Figure] = &[$(Figure {
            scene: $scene,
            number: $number,
            range: [$low, $high],
            measure: by::$test,
        },)*];
    };
}

figures! {
    angle_of_repose "angle-of-repose" 26.0 to 36.0, "slope of the flank of what has run out [degrees]";
    bodies_in_current "bodies-in-current" 0.03 to 0.5, "middle of the bodies above that of the water [m]";
    butter_in_pan "butter-in-pan" 0.03 to 0.2, "way that the slice has slid down the pan [m]";
    candied_apple "candied-apple" 0.005 to 0.3, "share of the candy that is frozen on the apple in the air";
    cloth_and_yogurt "cloth-and-yogurt" 0.0 to 0.02, "share of the yogurt below the cloth";
    column_in_water "column-in-water" 0.2 to 0.75, "height of the middle of the sand over that of sand that keeps its cohesion";
    column_particle_contact "column-particle-contact" 1.05 to 5.0, "share of the water within a third of a cell of floor and walls over that between walls of nodes";
    cube_and_plates "cube-and-plates" -0.2 to 0.8, "spin in the air by PIC over that by APIC";
    dam_break "dam-break" 0.02 to 0.6, "kinetic energy by PIC over that by APIC";
    dam_break_mac "dam-break-mac" 0.1 to 0.9, "kinetic energy by PIC over that by APIC";
    falling_block "falling-block" 0.6 to 1.2, "height of the middle at rest over half an edge";
    fluid_volume_loss "fluid-volume-loss" 1.1 to 4.0, "loss of height with the quadratic kernel over that with the cubic one";
    fluids_by_four_models "fluids-by-four-models" 0.0 to 0.1, "difference of the four fronts over their mean way";
    fountain "fountain" 0.8 to 1.1, "height of the jet over that of free flight";
    fountain_mac "fountain-mac" 0.3 to 0.97, "height of the jet by PIC over that by APIC";
    grass_in_flow "grass-in-flow" 0.2 to 0.95, "way of the tips downstream over the length of a blade";
    hammock_of_sand "hammock-of-sand" 0.0 to 0.02, "share of the sand below the cloth";
    hot_chocolate "hot-chocolate" 0.15 to 1.0, "frozen share of the chocolate on the hare, less that on the table";
    ice_cream_belt "ice-cream-belt" 1.2 to 6.0, "height on the belt over the thickness of the sheet";
    jelly_cube "jelly-cube" -0.1 to 0.5, "spin in the air by PIC over that by APIC";
    jelly_drop "jelly-drop" 0.02 to 0.5, "height of the lower edge after the bounce [m]";
    kernel_fracture "kernel-fracture" 0.3 to 1.0, "share of particles broken off with the quadratic kernel, less that with the cubic one";
    lava_fall "lava-fall" 0.1 to 0.9, "share of the lava that is frozen at the end";
    lava_flow "lava-flow" 0.3 to 0.9, "place of the front over that of lava that does not freeze";
    letters "letters" 0.0 to 0.01, "largest change of volume in the incompressible letter";
    levee_seepage "levee-seepage" 0.01 to 0.2, "share of the water beyond the levee, less that beyond one four times as tight";
    melting_figure "melting-figure" 0.2 to 0.95, "share of the wax that is liquid at the end";
    melting_wax "melting-wax" 0.1 to 1.0, "liquid share of the wax that melts most easily, less that of the hardest";
    null_modes "null-modes" 10.0 to 1e9, "kinetic energy by FLIP over that by APIC";
    numerical_fracture "numerical-fracture" 0.3 to 1.0, "share of particles broken off the lattice, less that off Poisson disks";
    pahoehoe "pahoehoe" 0.3 to 0.95, "reach of the lava over that of lava that does not freeze";
    pool_at_rest "pool-at-rest" 0.0 to 1e-3, "largest speed over that without the density correction";
    rayleigh_taylor "rayleigh-taylor" -0.9 to 0.6, "middle of the heavy fluid above that of the light one [m], 0.96 at the start";
    rinsed_foam "rinsed-foam" 0.01 to 0.5, "middle of the foam above that of the water [m]";
    river "river" 0.4 to 1.2, "share of the valley's winding that the stream follows";
    sand_column "sand-column" 1.5 to 4.0, "run-out of 98 % of the sand over half the width of the column";
    sand_column_xpbd "sand-column-xpbd" 0.97 to 1.03, "run-out by X-PBD over that in explicit steps";
    sand_figure_in_water "sand-figure-in-water" 0.15 to 1.0, "share of the hare that is still upright with much drag, less that with little";
    sand_on_snow "sand-on-snow" 0.02 to 0.9, "share of the snow beyond where it stood";
    sand_on_torus "sand-on-torus" 0.02 to 0.5, "share of the sand that has gone through the hole";
    sand_slide "sand-slide" 0.5 to 0.98, "way down by PIC over that by APIC";
    sand_spout "sand-spout" 1.1 to 20.0, "volume of the sand without correction over that with it";
    sandcastle_in_tide "sandcastle-in-tide" 0.0 to 0.8, "sand above the beach over that of sand that keeps its cohesion";
    shaken_foam "shaken-foam" 1.02 to 3.0, "height reached by foam without viscosity over that of the viscous one";
    shaving_foam "shaving-foam" 2.0 to 10.0, "radius of the heap over that of the strand";
    snow_dense_parts "snow-dense-parts" 2.0 to 100.0, "mean size of the pieces that come off snow with packed lumps, over that of uniform snow";
    snow_figure_in_water "snow-figure-in-water" 1.1 to 3.0, "dissolving snow on the ground over that of snow that does not dissolve";
    snow_samplings "snow-samplings" 0.02 to 1.0, "asymmetry of random points, less that of a lattice";
    snowball "snowball" 0.8 to 2.0, "radius of what sticks to the wall over that of the ball";
    snowball_drop "snowball-drop" 1.3 to 8.0, "spread on the ground over the radius of the ball";
    snowball_on_sand "snowball-on-sand" 1.5 to 10.0, "spread of the snow over the radius of the ball";
    snowballs_collide "snowballs-collide" 1.05 to 5.0, "spread of the smaller ball over that of the larger, each by its radius";
    snowman "snowman" 0.0 to 0.6, "share of the snow above the lowest ball that is still there";
    soaked_snow "soaked-snow" 0.1 to 0.4, "middle of the snow above that of the sand [m]";
    spinning_disc "spinning-disc" 0.0 to 0.5, "angular momentum by PIC over that by APIC";
    spiral_collision "spiral-collision" 0.0 to 0.9, "angular momentum by PIC over that by APIC";
    sponge_shot "sponge-shot" 0.0 to 0.6, "share of the sponge in the way of the ball that is still there";
    stirred_mixtures "stirred-mixtures" 0.05 to 1.0, "share of the water in cells with sand, none at the start";
    swept_cubes "swept-cubes" 0.05 to 1.0, "height of the light cube above the heavy one [m]";
    swept_cubes_two_grids "swept-cubes-two-grids" 0.0 to 0.05, "distance of the cubes from those on one grid over that with drag";
    tank_one_model "tank-one-model" 0.1 to 1.0, "height of the light disc above the heavy one [m]";
    tank_several_models "tank-several-models" 0.1 to 1.0, "height of the light disc above the heavy one [m]";
    thrown_pie "thrown-pie" 1.08 to 3.0, "radius that holds 99 % of the cream over that before";
    varied_spheres "varied-spheres" 1.3 to 8.0, "width of dry sand over that of solid sand";
    viennetta "viennetta" 1.5 to 12.0, "height of the folds over the thickness of the sheet";
    water_and_sand_jets "water-and-sand-jets" -0.1 to -0.002, "place of the middle of both jets towards the side of the water [m]";
    water_balloon "water-balloon" 0.9 to 1.25, "width of the water after its fall over that before";
    wine "wine" 0.01 to 0.06, "height to which wine curls up above the bottom of the bowl [m]";
}

/// Scenes whose figures [`gripped`] measures.
const GRIPPED: [&str; 2] = ["sponge-twisted", "toothpaste"];

#[test]
fn numbers_are_in_the_table_of_the_page() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/replicability.md");
    let page = std::fs::read_to_string(page).unwrap();
    for figure in FIGURES {
        let [low, high] = figure.range;
        let row = format!("| {} | {} | {low} to {high} |", figure.scene, figure.number);
        assert!(page.contains(&row), "docs/replicability.md lacks {row}");
    }
}

#[test]
fn every_scene_has_a_number() {
    let measured = |name| FIGURES.iter().any(|figure| figure.scene == name);
    for scene in thixo_scene::gallery::SCENES {
        let name = scene.name;
        assert!(measured(name) || GRIPPED.contains(&name), "{name}");
    }
}
