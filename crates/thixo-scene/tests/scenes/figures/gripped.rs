//! A sponge that winds up, and paste on a brush.

use thixo_scene::Built;

use super::moment::preview;

/// Height of the free part of the sponge of `sponge-twisted`, between its plates \[m\].
const FREE: [f64; 2] = [0.3, 2.9];

/// Turns of the layers of the sponge, each a cell high at the start, against the layer below
/// \[rad\]: angles of least squares between places at the start and now, about the layer's middle.
fn turns_between_layers(start: &[[f64; 3]], built: &Built<f32, 3>, layer: f64) -> Vec<f64> {
    let count = ((FREE[1] - FREE[0]) / layer) as usize;
    let now: Vec<[f64; 3]> = built
        .simulation
        .particles()
        .iter()
        .map(|p| p.position.0)
        .collect();
    let mut angles = Vec::new();
    for k in 0..count {
        let low = FREE[0] + k as f64 * layer;
        let inside = |x: &[f64; 3]| x[1] >= low && x[1] < low + layer;
        let pairs = || start.iter().zip(&now).filter(|(before, _)| inside(before));
        let number = pairs().count() as f64;
        let mut middle = [0.0; 4];
        for (a, b) in pairs() {
            for (sum, x) in middle.iter_mut().zip([a[0], a[2], b[0], b[2]]) {
                *sum += x / number;
            }
        }
        let (mut sine, mut cosine) = (0.0, 0.0);
        for (a, b) in pairs() {
            let (x, z) = (a[0] - middle[0], a[2] - middle[1]);
            let (u, w) = (b[0] - middle[2], b[2] - middle[3]);
            sine += z * u - x * w;
            cosine += x * u + z * w;
        }
        angles.push(f64::atan2(sine, cosine));
    }
    let turn = |pair: &[f64]| {
        let difference = pair[1] - pair[0];
        difference - std::f64::consts::TAU * (difference / std::f64::consts::TAU).round()
    };
    angles.windows(2).map(turn).collect()
}

/// \[Ram2015\] figure 1: gripped by plates that overlap it the sponge winds up evenly for a turn,
/// and breaks in the middle, as its caption says, when it is twisted on.
#[test]
fn a_gripped_sponge_winds_up_whole_for_a_turn() {
    let scene = preview("sponge-twisted", &[]);
    let layer = scene.grid.spacing;
    let mut built = scene.build::<f32, 3>(1).unwrap();
    let places = |built: &Built<f32, 3>| -> Vec<[f64; 3]> {
        let particles = built.simulation.particles();
        particles.iter().map(|p| p.position.0).collect()
    };
    let start = places(&built);
    let unevenness = |built: &Built<f32, 3>| {
        let turns = turns_between_layers(&start, built, layer);
        let sizes = || turns.iter().map(|turn| turn.abs());
        let mean = sizes().sum::<f64>() / turns.len() as f64;
        (
            turns.iter().sum::<f64>(),
            sizes().fold(0.0, f64::max) / mean,
        )
    };
    for frame in 1..=24 {
        built.advance(frame).unwrap();
    }
    // The plate has made one turn; the outermost layers are half a cell from the plates.
    let (twist, largest) = unevenness(&built);
    assert!((5.5..6.3).contains(&twist), "{twist} rad");
    assert!(largest < 1.7, "a layer turns {largest} times the mean");
    for frame in 25..=34 {
        built.advance(frame).unwrap();
    }
    let (_, largest) = unevenness(&built);
    assert!(largest > 2.5, "it broke: {largest}");
}

/// \[Ram2015\] figure 5: at the size of the paper toothpaste does not bear its own weight. It sinks
/// together between the tufts of the brush; one thirty times as stiff, which remembers, lies on
/// top.
#[test]
fn toothpaste_sinks_between_the_tufts() {
    /// Height of the tips of the tufts \[m\].
    const TIPS: f64 = 0.5;
    let sunk_at = |settings: &[&str], frames: &[u32]| -> Vec<f64> {
        let mut built = preview("toothpaste", settings).build::<f32, 3>(1).unwrap();
        let mut shares = Vec::new();
        for frame in 1..=*frames.last().unwrap() {
            built.advance(frame).unwrap();
            if frames.contains(&frame) {
                let particles = built.simulation.particles();
                let sunk = particles.iter().filter(|p| p.position[1] < TIPS).count();
                shares.push(sunk as f64 / particles.len() as f64);
            }
        }
        shares
    };
    // At 2 s, at the end of the stream, and half a second later.
    let paste = sunk_at(&[], &[48, 60, 72]);
    assert!(paste[0] > 0.4, "{paste:?}");
    assert!(paste[2] > paste[1] + 0.1, "{paste:?}");
    let stiff = [
        "materials.paste.mu=25170",
        "materials.paste.relaxation_time=40",
    ];
    let stiff = sunk_at(&stiff, &[48]);
    assert!(stiff[0] < 0.2, "{stiff:?}");
}
