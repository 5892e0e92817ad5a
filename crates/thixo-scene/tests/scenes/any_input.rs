//! No text and no numbers make the reader panic: a scene either builds or is refused with a
//! message.

use proptest::prelude::*;
use thixo_scene::{Scene, Setting, gallery, with_preview, with_settings};

/// Reads and, where it is small enough, builds.
fn try_scene(text: &str) {
    let scene = match Scene::parse(text, "any.toml") {
        Ok(scene) => scene,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let again = Scene::parse(&scene.to_toml().unwrap(), "again.toml").unwrap();
    assert_eq!(scene, again);
    if scene.particle_bound().unwrap() > 3e4 {
        return;
    }
    let outcome = match scene.dimension {
        2 => scene.build::<f32, 2>(1).map(drop),
        _ => scene.build::<f64, 3>(1).map(drop),
    };
    if let Err(error) = outcome {
        assert!(!error.to_string().is_empty());
    }
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -2.0..2.0f64,
        2 => (0..40u32).prop_map(|k| f64::from(k) * 0.1),
        1 => any::<f64>(),
        1 => proptest::sample::select(vec![
            0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, 1e-320, 1e38, -1e38, 1e-9, 1e9,
        ]),
    ]
}

fn toml_number(x: f64) -> String {
    if x.is_nan() {
        "nan".to_owned()
    } else if x.is_infinite() {
        if x > 0.0 { "inf" } else { "-inf" }.to_owned()
    } else {
        format!("{x:?}")
    }
}

/// Pieces of scenes, put together in any order.
fn fragment() -> impl Strategy<Value = String> {
    let words = vec![
        "[grid]",
        "[time]",
        "[physics]",
        "[materials.a]",
        "[[objects]]",
        "[[walls]]",
        "[[colliders]]",
        "[grid.periodic]",
        "spacing",
        "frames",
        "fps",
        "dimension",
        "transfer",
        "kernel",
        "model",
        "density",
        "shape",
        "contact",
        "\"fluid\"",
        "\"neo_hookean\"",
        "\"mls\"",
        "{ box = { min = [0, 0], max = [1, 1] } }",
        "{ flip_pic = { flip = 1 } }",
        " = ",
        "\n",
        "2",
        "3",
        "-1",
        "nan",
        "\"é\"",
        "[",
        "]",
        "{",
        "}",
        ",",
        "'",
        "\"",
        "#",
        "\t",
        ".",
        "1979-05-27",
        "true",
        "🦀",
    ];
    prop_oneof![
        8 => proptest::sample::select(words).prop_map(str::to_owned),
        1 => ".{0,8}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn garbage_is_refused(pieces in proptest::collection::vec(fragment(), 0..60)) {
        try_scene(&pieces.concat());
    }

    #[test]
    fn any_text_is_refused(text in "(?s).{0,200}") {
        try_scene(&text);
    }

    #[test]
    fn any_numbers_build_or_are_refused(
        numbers in proptest::collection::vec(number(), 32),
        extreme in proptest::collection::vec(0..32usize, 0..4),
        is_solid in any::<bool>(),
        kind in 0..8usize,
        dimension in 2..=3usize,
        frames in any::<i64>(),
        per_cell in 0..70u32,
    ) {
        // Sound values, of which a few are replaced by anything.
        let sound = [
            0.1, 24.0, 0.6, 0.5, 0.1, 0.0, -9.8, 0.0, 1000.0, 1e4, 0.3, 7.0, 0.0, 0.1, 0.2, 1.0, 0.9, 0.8, 1.0, -2.0, 0.5, 3.0, 0.0,
            0.3, 0.0, -1.0, 0.2, 0.1, 1.0, 0.2, 0.4, 0.5,
        ];
        let mut value = sound.map(toml_number);
        for index in extreme {
            value[index] = toml_number(numbers[index]);
        }
        let vector = |first: usize| format!("[{}]", value[first..first + dimension].join(", "));
        let material = if is_solid {
            format!("model = 'neo_hookean'\nyoung_modulus = {}\npoisson_ratio = {}", value[9], value[10])
        } else {
            format!("model = 'fluid'\nbulk_modulus = {}\nexponent = {}\nviscosity = {}", value[9], value[11], value[12])
        };
        let (center, other, size) = (vector(12), vector(15), &value[31]);
        let shape = match kind {
            0 => format!("box = {{ min = {center}, max = {other} }}"),
            1 => format!("sphere = {{ center = {center}, radius = {size} }}"),
            2 => format!("ellipsoid = {{ center = {center}, radii = {other} }}"),
            3 => format!("capsule = {{ start = {center}, end = {other}, radius = {size} }}"),
            4 => format!("cylinder = {{ start = {center}, end = {other}, radius = {size} }}"),
            5 => format!("cone = {{ base = {center}, tip = {other}, radius = {size} }}"),
            6 => format!("torus = {{ center = {center}, axis = {other}, ring = {}, tube = {size} }}", value[16]),
            _ => {
                let rotation = match dimension {
                    2 => value[20].clone(),
                    _ => format!("{{ axis = {other}, angle = {} }}", value[20]),
                };
                format!(
                    "moved = {{ shape = {{ sphere = {{ center = {center}, radius = {size} }} }}, scale = {other}, rotation = {rotation}, translation = {center} }}"
                )
            }
        };
        let per_cell = if per_cell < 40 { 1 << dimension } else { per_cell };
        let frames = if frames % 8 == 0 { frames } else { 3 };
        let text = format!(
            "dimension = {dimension}\n[grid]\nspacing = {}\n[time]\nframes = {frames}\nfps = {}\ncfl = {}\nsafety = {}\nlongest_step = {}\n\
             [physics]\ngravity = {}\n[materials.m]\ndensity = {}\n{material}\n\
             [[objects]]\nmaterial = 'm'\nshape = {{ {shape} }}\nvelocity = {}\nsampling = {{ grid = {{ per_cell = {per_cell} }} }}\n\
             [[walls]]\naxis = 'x'\nposition = {}\nmatter = 'above'\ncontact = {{ separating = {{ friction = {} }} }}\n\
             [[colliders]]\nshape = {{ plane = {{ point = {}, normal = {} }} }}\ncontact = 'sticky'\n",
            value[0], value[1], value[2], value[3], value[4], vector(5), value[8], vector(18), value[22], value[23],
            vector(24), vector(27),
        );
        try_scene(&text);
    }
}

/// The built-in scenes with a few bytes changed, left out or repeated, always in the same way:
/// read, set and previewed, or refused.
#[test]
fn changed_scenes_are_read_or_refused() {
    let mut state = 11u64;
    let mut next = move |below: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % below.max(1)
    };
    let setting: Setting = "objects[0].velocity=[1, 0]".parse().unwrap();
    for _ in 0..2000 {
        let mut text = gallery::SCENES[next(gallery::SCENES.len())]
            .text
            .as_bytes()
            .to_vec();
        for _ in 0..1 + next(4) {
            if text.is_empty() {
                break;
            }
            let at = next(text.len());
            let end = (at + 1 + next(40)).min(text.len());
            match next(5) {
                0 => text[at] = b"0123456789-.e=[]{}\"' \n,#"[next(24)],
                1 => drop(text.drain(at..end)),
                2 => {
                    let piece = text[at..end].to_vec();
                    let place = next(text.len());
                    text.splice(place..place, piece);
                }
                3 => text.truncate(at.max(1)),
                _ => text[at] ^= 1 << next(7),
            }
        }
        let text = String::from_utf8_lossy(&text);
        if let Ok(scene) = Scene::parse(&text, "changed.toml") {
            let again = Scene::parse(&scene.to_toml().unwrap(), "again.toml").unwrap();
            assert_eq!(scene, again, "{text}");
        }
        let _ = with_preview(&text);
        let _ = with_settings(&text, std::slice::from_ref(&setting));
    }
}
