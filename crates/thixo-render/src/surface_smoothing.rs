//! Smoothing of the volume fraction of liquids: particles show in the surface of thick bodies as
//! bumps, which are not there, while in thin sheets and drops there are no more of them than are
//! needed to see the body at all.
//!
//! φ' = φ + t (Bφ − φ), B two passes of the binomial filter (¼, ½, ¼) along every axis and t from 0
//! to 1 where the largest φ within two nodes rises from 0.5 to 0.9: bodies that are several nodes
//! thick are smoothed, and nothing is taken from thinner ones.

use crate::volume_fraction::VolumeFraction;

/// Largest φ near a node below which it stays as it is, and above which it is smoothed as a whole.
const THICKNESS: [f32; 2] = [0.5, 0.9];

/// Weights of the filter along an axis by distance, two passes in one.
const BINOMIAL: [f32; 3] = [6.0 / 16.0, 4.0 / 16.0, 1.0 / 16.0];

impl VolumeFraction {
    /// The field with thick bodies smoothed. Colours stay.
    pub fn smoothed(&self) -> Self {
        self.with_nodes(|at, own| {
            let (mut mean, mut most) = (0.0, 0.0f32);
            for dz in -2i32..=2 {
                for dy in -2i32..=2 {
                    let beside = weight(dy) * weight(dz);
                    for dx in -2i32..=2 {
                        let share = self.at_node([at[0] + dx, at[1] + dy, at[2] + dz]);
                        mean += weight(dx) * beside * share;
                        most = most.max(share);
                    }
                }
            }
            let [low, high] = THICKNESS;
            let t = ((most - low) / (high - low)).clamp(0.0, 1.0);
            own + t * (mean - own)
        })
    }
}

fn weight(distance: i32) -> f32 {
    BINOMIAL[distance.unsigned_abs() as usize]
}

#[cfg(test)]
mod tests {
    use thixo_math::Vector;

    use super::*;
    use crate::extent::Extent;
    use crate::isosurface::Ray;
    use crate::vector::Vec3;
    use crate::volume_fraction::Bodies;

    /// Particles of a unit of length apart in layers, each moved by up to `noise`.
    fn slab(layers: usize, noise: f32) -> VolumeFraction {
        let n = 24;
        let mut state = 7u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            noise * ((state >> 8) as f32 / (1 << 23) as f32 - 1.0)
        };
        let mut centers: Vec<Vec3> = Vec::new();
        for k in 0..n * n * layers {
            let place = [k % n, k / n / n, k / n % n].map(|x| x as f32);
            centers.push(Vector(place.map(|x| x + random())));
        }
        let radii = vec![(0.75 / std::f32::consts::PI).cbrt(); centers.len()];
        let bodies = Bodies {
            centers: &centers,
            radii: &radii,
            colors: &[],
            sheens: &[],
        };
        let within = Extent {
            min: Vector([-99.0; 3]),
            max: Vector([99.0; 3]),
        };
        VolumeFraction::new(bodies, within, |_| true).unwrap()
    }

    /// Heights and slopes of the surface as seen from above: the spread of the heights, and the
    /// largest deviation of a normal.
    fn roughness(field: &VolumeFraction) -> (f32, f32) {
        let mut heights = Vec::new();
        let mut slope = 0.0f32;
        for k in 0..400 {
            let [x, z] = [k % 20, k / 20].map(|i| 6.0 + 0.6 * i as f32);
            let ray = Ray::new(Vector([x, 99.0, z]), Vector([0.0, -1.0, 0.0]), &[]);
            let hit = ray.meet(field).expect("a surface without holes");
            heights.push(99.0 - hit.depth);
            slope = slope.max(1.0 - hit.normal[1]);
        }
        let mean = heights.iter().sum::<f32>() / heights.len() as f32;
        let square = heights.iter().map(|y| (y - mean).powi(2)).sum::<f32>();
        ((square / heights.len() as f32).sqrt(), slope)
    }

    #[test]
    fn thick_bodies_are_smooth_and_as_high_as_before() {
        let rough = slab(12, 0.4);
        let smooth = rough.smoothed();
        let (before, after) = (roughness(&rough), roughness(&smooth));
        assert!(after.0 < 0.6 * before.0, "{before:?} {after:?}");
        assert!(after.1 < 0.5 * before.1, "{before:?} {after:?}");
        let inside = Vector([12.0, 6.0, 12.0]);
        assert!((smooth.at(inside) - 1.0).abs() < 0.1);
    }

    #[test]
    fn sheets_of_one_layer_stay_as_they_are() {
        let sheet = slab(1, 0.1);
        let smooth = sheet.smoothed();
        for k in 0..100 {
            let place = Vector([5.0 + 0.1 * k as f32, 0.3, 12.0]);
            assert_eq!(smooth.at(place), sheet.at(place));
        }
        roughness(&smooth);
    }
}
