//! Noise: repeatable, bounded, smooth, different for every seed.

use thixo_scene::Expression;

use super::{constant, formula, value};

/// Points that follow no pattern.
fn points(count: usize) -> impl Iterator<Item = [f64; 4]> {
    (0..count).map(|k| {
        let k = k as f64;
        [12.9898, 78.233, 37.719, 4.581].map(|f| (k * f).sin() * 1000.0 % 20.0)
    })
}

/// Mean, root mean square deviation, smallest and largest value.
fn statistics(expression: &Expression) -> [f64; 4] {
    let values: Vec<f64> = points(20_000)
        .map(|point| expression.evaluate(&point))
        .collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    [mean, square.sqrt(), smallest, largest]
}

#[test]
fn noise_is_bounded_and_uses_its_range() {
    for (text, reached) in [
        ("noise(x)", 0.7),
        ("noise(x, y)", 0.8),
        ("noise(x, y, z)", 0.6),
        ("noise(x, y, z, seed = 7)", 0.6),
        ("fbm(x, y, z)", 0.4),
        ("fbm(x, y, lacunarity = 3)", 0.5),
        // Equal octaves seldom agree.
        ("fbm(x, octaves = 16, gain = 1)", 0.2),
    ] {
        let [mean, deviation, smallest, largest] = statistics(&formula(text));
        assert!(mean.abs() < 0.03, "{text}: mean {mean}");
        assert!(deviation > 0.25 * reached, "{text}: deviation {deviation}");
        let range = format!("{text}: {smallest} to {largest}");
        assert!(smallest >= -1.0 && largest <= 1.0, "{range}");
        assert!(smallest < -reached && largest > reached, "{range}");
    }
}

#[test]
fn white_noise_is_uniform() {
    for text in ["random(x)", "random(x, y)", "random(x, y, z, seed = 5)"] {
        let [mean, deviation, smallest, largest] = statistics(&formula(text));
        // 20 000 points: the standard error of the mean is 0.002.
        assert!((mean - 0.5).abs() < 0.01, "{text}: mean {mean}");
        assert!((deviation - 12_f64.sqrt().recip()).abs() < 0.01, "{text}");
        assert!((0.0..0.001).contains(&smallest) && (0.999..1.0).contains(&largest));
    }
    let random = formula("random(x)");
    assert_eq!(random.evaluate(&[0.0]), random.evaluate(&[-0.0]));
    assert_ne!(
        random.evaluate(&[1.0]),
        random.evaluate(&[1.0 + f64::EPSILON])
    );
    assert!(random.evaluate(&[f64::NAN]).is_nan());
}

#[test]
fn noise_vanishes_on_whole_numbers() {
    for k in -3..4 {
        let k = f64::from(k);
        assert_eq!(value("noise(x)", [k, 0.0, 0.0, 0.0]), 0.0);
        assert_eq!(value("noise(x, y, z)", [k, 2.0 - k, 5.0, 0.0]), 0.0);
    }
}

#[test]
fn noise_and_its_first_two_derivatives_are_continuous_across_cells() {
    for text in [
        "noise(x)",
        "noise(x, y)",
        "noise(0.3 + y, x, z)",
        "noise(y, z, x)",
    ] {
        let mut f = formula(text);
        for order in 0..3 {
            for cell in -2..3 {
                let at = |x: f64| f.evaluate(&[x, 0.37, -1.21, 0.0]);
                let step = 1e-9;
                let jump = at(f64::from(cell) + step) - at(f64::from(cell) - step);
                assert!(
                    jump.abs() < 1e-6,
                    "{text}, order {order}, at {cell}: {jump}"
                );
            }
            f = f.derivative("x");
        }
    }
}

#[test]
fn seeds_make_unrelated_noise() {
    for call in [
        "noise(x, y, seed = S)",
        "fbm(x, y, seed = S)",
        "random(x, y, seed = S) - 0.5",
    ] {
        let [a, b] = ["0", "1"].map(|seed| formula(&call.replace('S', seed)));
        let [mut ab, mut aa, mut bb] = [0.0; 3];
        for point in points(5000) {
            let (a, b) = (a.evaluate(&point), b.evaluate(&point));
            ab += a * b;
            aa += a * a;
            bb += b * b;
        }
        let correlation = ab / (aa * bb).sqrt();
        assert!(correlation.abs() < 0.06, "{call}: {correlation}");
    }
    let unseeded = value("noise(x, y)", [0.3, 0.4, 0.0, 0.0]);
    assert_eq!(
        unseeded,
        value("noise(x, y, seed = 0)", [0.3, 0.4, 0.0, 0.0])
    );
}

#[test]
fn one_octave_is_plain_noise() {
    for point in points(50) {
        let fbm = value("fbm(x, y, octaves = 1, seed = 4)", point);
        assert_eq!(fbm, value("noise(x, y, seed = 4)", point));
    }
}

#[test]
fn noise_has_the_values_it_always_had() {
    for (text, bits) in KNOWN {
        let found = constant(text);
        assert_eq!(
            found.to_bits(),
            bits,
            "{text} is {found:?}, {:#x}",
            found.to_bits()
        );
    }
}

/// Scenes must stay repeatable: these bits never change.
const KNOWN: [(&str, u64); 7] = [
    ("noise(0.5)", 0x3fc4_ba84_35a7_4944),
    ("noise(0.25, 1.75)", 0xbfd6_7f1d_850c_efc1),
    ("noise(-3.3, 0.1, 12.6)", 0xbfbc_33b9_9791_e386),
    ("noise(-3.3, 0.1, 12.6, seed = 42)", 0x3fc0_e585_2018_e501),
    ("fbm(0.3, 0.7, 0.2, seed = 1)", 0x3faa_030c_c027_8a67),
    ("random(0.5)", 0x3fcc_11cc_bd8b_e578),
    ("random(1, 2, 3, seed = 9)", 0x3fd0_ebbd_faf8_9f7c),
];
