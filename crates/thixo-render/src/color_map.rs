//! Colour maps: colours for numbers, perceptually uniform.

use thixo_math::Vector;
use thixo_scene::ColorMap;

use crate::picture::from_srgb;
use crate::vector::{Vec3, mix};

/// Eleven values of viridis at equal distances, by S. van der Walt and N. Smith (matplotlib), in
/// the public domain (CC0).
const VIRIDIS: [u32; 11] = [
    0x440154, 0x482475, 0x414487, 0x355f8d, 0x2a788e, 0x21918c, 0x22a884, 0x44bf70, 0x7ad151,
    0xbddf26, 0xfde725,
];
/// Eleven values of magma at equal distances, by S. van der Walt and N. Smith (matplotlib), in the
/// public domain (CC0).
const MAGMA: [u32; 11] = [
    0x000004, 0x140e36, 0x3b0f70, 0x641a80, 0x8c2981, 0xb73779, 0xde4968, 0xf7705c, 0xfe9f6d,
    0xfecf92, 0xfcfdbf,
];

/// The colour of what is no number.
pub const UNKNOWN: [u8; 3] = [150, 150, 150];

/// The colour, in linear light, of a share from 0 (low) to 1 (high); beyond, the ends; grey for
/// NaN.
pub fn color(map: ColorMap, share: f64) -> Vec3 {
    if share.is_nan() {
        return from_srgb(UNKNOWN);
    }
    let table = match map {
        ColorMap::Viridis => &VIRIDIS,
        ColorMap::Magma => &MAGMA,
    };
    let place = share.clamp(0.0, 1.0) * (table.len() - 1) as f64;
    let first = (place as usize).min(table.len() - 2);
    let bytes = |k: usize| Vector(srgb(table[k]).map(f32::from));
    // The tables are even in sRGB, so that is where values between them lie.
    let between = mix(
        bytes(first),
        bytes(first + 1),
        (place - first as f64) as f32,
    );
    from_srgb(between.0.map(|value| (value + 0.5) as u8))
}

/// The bytes of `0xrrggbb`.
fn srgb(color: u32) -> [u8; 3] {
    let [_, r, g, b] = color.to_be_bytes();
    [r, g, b]
}

/// Colours for numbered things, told apart also by those who see few colours: after M. Okabe and K.
/// Ito, "Color universal design" (2008), without black.
const NUMBERED: [u32; 7] = [
    0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0xf0e442,
];

/// The colour of the thing of a number; grey for none.
pub fn numbered(index: i64) -> Vec3 {
    match usize::try_from(index) {
        Ok(index) => from_srgb(srgb(NUMBERED[index % NUMBERED.len()])),
        Err(_) => from_srgb(UNKNOWN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brightness_rises_from_low_to_high() {
        for map in [ColorMap::Viridis, ColorMap::Magma] {
            let luminance =
                |k: i32| color(map, f64::from(k) / 100.0).dot(Vector([0.2126, 0.7152, 0.0722]));
            for k in 0..100 {
                assert!(luminance(k + 1) >= luminance(k), "{map:?} at {k}");
            }
        }
    }

    #[test]
    fn beyond_the_ends_and_without_a_number_there_are_colours_too() {
        let map = ColorMap::Viridis;
        assert_eq!(color(map, -1.0), from_srgb([0x44, 0x01, 0x54]));
        assert_eq!(color(map, f64::INFINITY), from_srgb([0xfd, 0xe7, 0x25]));
        assert_eq!(color(map, f64::NAN), from_srgb(UNKNOWN));
        assert_eq!(numbered(-1), from_srgb(UNKNOWN));
        assert_eq!(numbered(7), numbered(0));
    }
}
