//! Light of glowing matter: colour and brightness of a blackbody.
//!
//! Planck's law B(λ, T) over the visible spectrum, weighted by the colour matching functions of the
//! CIE 1931 observer in the analytic form of \[Wyman2013\] §2 (equation (4), multi-lobe), in linear
//! sRGB. Chromaticities are within 0.007 of tabulated ones from 1500 K on and within 0.016 at 1000
//! K, luminances within 1 %. Deep reds lie outside of sRGB and are cut off at its border. Below the
//! Draper point \[Draper1847\] nothing glows.

use thixo_math::Vector;
use thixo_scene::DRAPER_POINT;

use crate::vector::Vec3;

/// Second radiation constant c₂ = h c/k, exact in the SI \[m K\].
const SECOND_RADIATION: f64 = 1.438_776_877e-2;
/// First radiation constant for radiance 2 h c², exact in the SI \[W m²/sr\].
const FIRST_RADIATION: f64 = 1.191_042_972e-16;
/// Luminous efficacy of a luminance that is given by radiances \[lm/W\].
const EFFICACY: f64 = 683.0;
/// Temperature above which light does not grow any more \[K\]: radiances stay finite.
const HOTTEST: f64 = 1e9;
/// First and last wavelength \[nm\], and the step between wavelengths.
const SPECTRUM: [f64; 2] = [380.0, 780.0];
const STEP: f64 = 10.0;

/// The light of glowing matter in a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Incandescence {
    /// Wavelengths \[m\], and the linear sRGB of their radiance at unit luminance of `white`.
    bands: Vec<(f64, [f64; 3])>,
}

impl Incandescence {
    /// The exposure at which a glowing body of temperature `white` \[K\] is as bright as white
    /// matter in full light. Above [`DRAPER_POINT`].
    pub fn new(white: f64) -> Self {
        let luminance: f64 = bands().map(|(l, xyz)| xyz[1] * radiance(l, white)).sum();
        let bands = bands().map(|(l, xyz)| (l, srgb_of(xyz.map(|x| x / luminance))));
        Self {
            bands: bands.collect(),
        }
    }

    /// The light that matter of a temperature \[K\] gives off, linear.
    pub fn light(&self, temperature: f64) -> Vec3 {
        if temperature.is_nan() || temperature < DRAPER_POINT {
            return Vec3::zero();
        }
        let temperature = temperature.min(HOTTEST);
        let mut light = [0.0; 3];
        for &(length, rgb) in &self.bands {
            let radiance = radiance(length, temperature);
            for (light, part) in light.iter_mut().zip(rgb) {
                *light += part * radiance;
            }
        }
        Vector(light.map(|x| x.clamp(0.0, f64::from(f32::MAX)) as f32))
    }
}

/// CIE XYZ of a blackbody \[cd/m²\]; Y is its luminance.
pub fn tristimulus(temperature: f64) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (length, xyz) in bands() {
        let radiance = EFFICACY * radiance(length, temperature);
        for (sum, x) in sum.iter_mut().zip(xyz) {
            *sum += x * radiance;
        }
    }
    sum
}

/// Spectral radiance of a blackbody by Planck's law \[W/(m³ sr)\].
fn radiance(length: f64, temperature: f64) -> f64 {
    FIRST_RADIATION / (length.powi(5) * (SECOND_RADIATION / (length * temperature)).exp_m1())
}

/// Wavelengths \[m\], and their colour matching functions times the width of a band \[m\].
fn bands() -> impl Iterator<Item = (f64, [f64; 3])> {
    let count = ((SPECTRUM[1] - SPECTRUM[0]) / STEP) as usize;
    (0..=count).map(|k| {
        let nanometres = SPECTRUM[0] + STEP * k as f64;
        let xyz = color_matching(nanometres).map(|x| x * STEP * 1e-9);
        (nanometres * 1e-9, xyz)
    })
}

/// Colour matching functions of the CIE 1931 observer at a wavelength \[nm\], \[Wyman2013\] (4).
fn color_matching(length: f64) -> [f64; 3] {
    let lobe = |height: f64, middle: f64, widths: [f64; 2]| {
        let width = widths[usize::from(length >= middle)];
        height * (-0.5 * ((length - middle) / width).powi(2)).exp()
    };
    [
        lobe(1.056, 599.8, [37.9, 31.0]) + lobe(0.362, 442.0, [16.0, 26.7])
            - lobe(0.065, 501.1, [20.4, 26.2]),
        lobe(0.821, 568.8, [46.9, 40.5]) + lobe(0.286, 530.9, [16.3, 31.1]),
        lobe(1.217, 437.0, [11.8, 36.0]) + lobe(0.681, 459.0, [26.0, 13.8]),
    ]
}

/// Linear sRGB of CIE XYZ, IEC 61966-2-1.
fn srgb_of([x, y, z]: [f64; 3]) -> [f64; 3] {
    [
        3.2406 * x - 1.5372 * y - 0.4986 * z,
        -0.9689 * x + 1.8758 * y + 0.0415 * z,
        0.0557 * x - 0.2040 * y + 1.0570 * z,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(light: Vec3) -> f32 {
        light.dot(Vector([0.2126, 0.7152, 0.0722]))
    }

    #[test]
    fn blackbodies_have_their_tabulated_chromaticities() {
        // Points of the Planckian locus; 2856 K is the CIE illuminant A.
        for (temperature, x, y, within) in [
            (1000.0, 0.6528, 0.3444, 0.016),
            (1500.0, 0.5857, 0.3931, 0.007),
            (2000.0, 0.5267, 0.4133, 0.004),
            (2856.0, 0.4476, 0.4074, 0.002),
            (6500.0, 0.3135, 0.3237, 0.001),
        ] {
            let xyz = tristimulus(temperature);
            let sum: f64 = xyz.iter().sum();
            let off = (xyz[0] / sum - x).hypot(xyz[1] / sum - y);
            assert!(off < within, "{temperature} K: {xyz:?}, off by {off}");
        }
    }

    #[test]
    fn freezing_platinum_has_the_luminance_that_was_the_unit_of_light() {
        // The candela of 1948: 60 cd/cm² at 2041.4 K.
        let luminance = tristimulus(2041.4)[1];
        assert!((luminance / 6e5 - 1.0).abs() < 0.01, "{luminance}");
    }

    #[test]
    fn white_is_as_bright_as_it_says_and_cooler_matter_darker_and_redder() {
        for white in [900.0, 1400.0, 3000.0] {
            let glow = Incandescence::new(white);
            // What is cut off at the border of sRGB is missing or added.
            let own = luminance(glow.light(white));
            assert!((own - 1.0).abs() < 0.05, "{white} K: {own}");
        }
        let glow = Incandescence::new(1400.0);
        let mut last = glow.light(800.0);
        for step in 1..=120 {
            let next = glow.light(800.0 + 10.0 * f64::from(step));
            assert!(luminance(next) > luminance(last));
            assert!(next[1] / next[0] > last[1] / last[0] - 1e-6);
            last = next;
        }
    }

    #[test]
    fn nothing_glows_below_the_draper_point() {
        let glow = Incandescence::new(1000.0);
        for temperature in [797.9, 300.0, 0.0, -1.0, f64::NAN] {
            assert_eq!(glow.light(temperature), Vec3::zero());
        }
        assert!(glow.light(DRAPER_POINT)[0] > 0.0);
        let most = glow.light(f64::MAX);
        assert!(most.0.iter().all(|x| x.is_finite()));
    }
}
