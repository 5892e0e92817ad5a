//! Pictures as they were once drawn and found good. `THIXO_BLESS=1` draws them anew.
//!
//! Pictures are compared as the eye sees them: both are blurred over about two pixels in CIE
//! L\*a\*b\* (white D65), where a distance of 1 is about what one just notices side by side. The
//! mean distance must stay below 0.5, and the largest below 8: rounding may move a sample of an
//! edge, of which a blurred pixel has dozens.

#![allow(clippy::unwrap_used)] // a test may stop where its input is wrong

mod run;

use std::path::Path;

use run::{Grain, MadeRun, block};
use thixo_render::Picture;

const MEAN: f64 = 0.5;
const MOST: f64 = 8.0;

type Lab = [f64; 3];

/// sRGB bytes as L\*a\*b\*.
fn lab(pixel: &[u8]) -> Lab {
    let linear = |byte: u8| {
        let x = f64::from(byte) / 255.0;
        match x <= 0.040_45 {
            true => x / 12.92,
            false => ((x + 0.055) / 1.055).powf(2.4),
        }
    };
    let [r, g, b] = [linear(pixel[0]), linear(pixel[1]), linear(pixel[2])];
    let xyz = [
        (0.412_4 * r + 0.357_6 * g + 0.180_5 * b) / 0.950_47,
        0.212_6 * r + 0.715_2 * g + 0.072_2 * b,
        (0.019_3 * r + 0.119_2 * g + 0.950_5 * b) / 1.088_83,
    ];
    let f = |t: f64| match t > 0.008_856 {
        true => t.cbrt(),
        false => 7.787 * t + 16.0 / 116.0,
    };
    let [x, y, z] = xyz.map(f);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// The mean over weights 1, 4, 6, 4, 1 along both sides.
fn blurred(bytes: &[u8], width: usize) -> Vec<Lab> {
    let pixels: Vec<Lab> = bytes.chunks_exact(3).map(lab).collect();
    let height = pixels.len() / width;
    let along = |pixels: &[Lab], [dx, dy]: [isize; 2]| -> Vec<Lab> {
        (0..pixels.len())
            .map(|k| {
                let (x, y) = ((k % width) as isize, (k / width) as isize);
                let mut sum = [0.0; 3];
                for (step, weight) in (-2..).zip([1.0, 4.0, 6.0, 4.0, 1.0]) {
                    let u = (x + step * dx).clamp(0, width as isize - 1) as usize;
                    let v = (y + step * dy).clamp(0, height as isize - 1) as usize;
                    for (sum, part) in sum.iter_mut().zip(pixels[v * width + u]) {
                        *sum += weight / 16.0 * part;
                    }
                }
                sum
            })
            .collect()
    };
    along(&along(&pixels, [1, 0]), [0, 1])
}

fn compare(name: &str, picture: &Picture) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.png"));
    if std::env::var_os("THIXO_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, picture.to_png().unwrap()).unwrap();
    }
    let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut golden = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut golden).unwrap();
    let drawn = picture.to_srgb();
    assert_eq!(drawn.len(), golden.len(), "{name}: another size");
    let width = picture.width();
    let distances: Vec<f64> = blurred(&drawn, width)
        .into_iter()
        .zip(blurred(&golden, width))
        .map(|(a, b)| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt())
        .collect();
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    let most = distances.iter().copied().fold(0.0, f64::max);
    assert!(mean < MEAN, "{name}: mean distance {mean}");
    assert!(most < MOST, "{name}: largest distance {most}");
}

/// A scene of one body on a floor, and whatever else.
fn scene(material: &str, rest: &str) -> String {
    format!(
        "dimension = 3\nphysics = {{ gravity = [0, -9.81, 0] }}\n[materials.{material}]\nmodel = 'neo_hookean'\ndensity = 1000\nyoung_modulus = 1e5\npoisson_ratio = 0.3\n\
         [[walls]]\naxis = 'y'\nposition = 0\nmatter = 'above'\ncontact = 'slip'\n\
         [[objects]]\nmaterial = '{material}'\nshape = {{ box = {{ min = [0, 0, 0], max = [1, 1, 1] }} }}\n{rest}"
    )
}

fn ball() -> Vec<Grain> {
    let all = block([0.0; 3], [1.0; 3], 20, 0).into_iter();
    all.filter(|grain| {
        let squares = grain.position.map(|x| (x - 0.5) * (x - 0.5));
        squares.iter().sum::<f64>() < 0.25
    })
    .collect()
}

const CUP: &str = "[[colliders]]\ncontact = 'slip'\nshape = { difference = { from = { cylinder = { start = [0.5, -0.1, 0.5], end = [0.5, 1.2, 0.5], radius = 0.65 } }, \
                   taken = { cylinder = { start = [0.5, 0, 0.5], end = [0.5, 1.3, 0.5], radius = 0.57 } } } }";

#[test]
fn known_pictures_look_as_they_did() {
    let cases = [
        ("jelly", "jelly", "", ""),
        ("sand", "sand", "", ""),
        ("water", "water", "", ""),
        ("cup", "jelly", CUP, ""),
        ("half", "jelly", "look = { opacity = 0.5 }", ""),
        (
            "cut",
            "jelly",
            "",
            "cuts = [{ point = [0.5, 0.5, 0.6], normal = [0, 0.2, 1] }]",
        ),
        ("speed", "jelly", "", "color_by = 'speed'"),
        (
            "points",
            "sand",
            "",
            "particles = 'points'\ncamera = 'front'",
        ),
        ("slice", "jelly", "", "slice = { quantity = 'speed' }"),
    ];
    let mut grains = ball();
    for grain in &mut grains {
        grain.velocity = [grain.position[1], 0.0, grain.position[0]];
    }
    for (name, material, rest, changes) in cases {
        let run = MadeRun::new(
            &format!("golden-{name}"),
            &scene(material, rest),
            std::slice::from_ref(&grains),
        );
        compare(name, &run.picture(changes).unwrap());
    }
}

/// The measure sees what an eye sees: a ball that moved by two pixels, or is a little redder.
#[test]
fn the_measure_tells_pictures_apart() {
    let run = MadeRun::new("golden-measure", &scene("jelly", ""), &[ball()]);
    let picture = run.picture("").unwrap();
    let moved = run
        .picture("camera = { target = [0.53, 0.5, 0.5] }")
        .unwrap();
    let (a, b) = (
        blurred(&picture.to_srgb(), 160),
        blurred(&moved.to_srgb(), 160),
    );
    let distance = |a: &Lab, b: &Lab| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
    let most = a
        .iter()
        .zip(&b)
        .map(|(a, b)| distance(a, b))
        .fold(0.0, f64::max);
    assert!(most > MOST, "{most}");
}
