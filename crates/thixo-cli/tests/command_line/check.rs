//! `thixo check`: which integrator it advises.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::program::{code, errors, thixo, workplace};

/// Advice on the integrator of a block of some matter, at rest on the ground.
fn advice(matter: &str, integrator: &str) -> String {
    line("integrator", matter, integrator, "gravity = [0, -9.81]")
}

/// A line of what is said about such a block.
fn line(begins: &str, matter: &str, integrator: &str, gravity: &str) -> String {
    let scene = format!(
        r#"
title = "A block"
dimension = 2
[grid]
spacing = 0.05
[time]
frames = 4
[physics]
{gravity}
integrator = {integrator}
[materials.stuff]
{matter}
[[objects]]
material = "stuff"
shape = {{ box = {{ min = [0, 0], max = [0.5, 0.3] }} }}
"#
    );
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let place = workplace(&format!("advice-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
    fs::write(place.join("block.toml"), scene).unwrap();
    let output = thixo(&place, &["check", "block.toml"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let words = String::from_utf8(output.stdout).unwrap();
    let line = words.lines().find(|line| line.starts_with(begins));
    line.unwrap()
        .trim_start_matches(begins)
        .trim_start()
        .to_owned()
}

/// Nothing moves, and nothing would by itself: the frame decides.
#[test]
fn the_step_of_matter_at_rest_is_a_frame() {
    let rubber =
        "model = \"neo_hookean\"\ndensity = 1000\npoisson_ratio = 0.3\nyoung_modulus = 1e4";
    for integrator in ["{ optimization = {} }", "{ xpbd = {} }"] {
        let step = line("time step", rubber, integrator, "");
        assert_eq!(
            step,
            "4.167e-2 s at the start, decided by the end of the frame"
        );
    }
}

#[test]
fn the_advice_depends_on_the_matter() {
    let explicit = "\"explicit\"";
    let solved = "{ optimization = {} }";
    let swept = "{ xpbd = {} }";
    let rubber = |young: &str| {
        format!(
            "model = \"neo_hookean\"\ndensity = 1000\npoisson_ratio = 0.3\nyoung_modulus = {young}"
        )
    };
    let starts = |advice: &str, with: &str| assert!(advice.starts_with(with), "{advice}");
    let ends = |advice: &str, with: &str| assert!(advice.ends_with(with), "{advice}");

    let soft = advice(&rubber("1e4"), explicit);
    starts(&soft, "explicit: at the start ");
    ends(&soft, ", which takes as long as 7 to 60 of them");
    starts(
        &advice(&rubber("1e4"), solved),
        "implicit; \"explicit\" may be faster, unless matter hardens: ",
    );
    let stiff = advice(&rubber("1e9"), explicit);
    starts(&stiff, "explicit; { optimization = {} } may be faster: ");
    ends(&stiff, " explicit steps fit into an implicit one");
    starts(
        &advice(&rubber("1e9"), solved),
        "implicit may be faster than \"explicit\": ",
    );
    let shortens = "and makes steps shorter that it does not solve";
    ends(&advice(&rubber("1e9"), swept), shortens);

    let snow = "preset = \"snow\"\nyoung_modulus = 1e9";
    let late = "but stuff yields only after it, and breaks less";
    starts(&advice(snow, explicit), "explicit; { optimization = {} } ");
    ends(&advice(snow, explicit), late);
    ends(&advice(snow, solved), late);
    ends(&advice(snow, swept), shortens);

    let sand = "preset = \"sand\"\nyoung_modulus = 1e9";
    let too_far = "but stuff takes longer by it, and runs up to a quarter too far";
    starts(&advice(sand, explicit), "explicit: ");
    ends(&advice(sand, explicit), too_far);
    ends(&advice(sand, solved), too_far);
    // Hundreds of explicit steps fit into one: that was not measured.
    ends(&advice(sand, swept), shortens);
}

/// Long steps are not advised for matter whose motion in them was not shown to be right.
#[test]
fn long_steps_are_not_advised_where_they_were_not_shown_to_be_right() {
    let sponge = "preset = \"sponge_twisted\"\nmu = 1e9";
    let unknown = "but such steps were not shown to be right for stuff";
    let words = advice(sponge, "\"explicit\"");
    assert!(words.starts_with("explicit: at "), "{words}");
    let words = advice(sponge, "{ optimization = {} }");
    assert!(words.ends_with(unknown), "{words}");
}
