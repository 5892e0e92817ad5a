//! Splatting: spheres into a depth buffer (z-buffer).
//!
//! A sphere is seen as from its own direction: a disc of its projected radius whose depth is that
//! of the sphere's front. Samples keep depth and index of the nearest sphere in one integer, so
//! that the nearer one wins, of equally near ones the first, and the picture depends neither on the
//! order in which spheres are drawn nor on the number of threads.

mod band;
mod disc;
mod shape;

use rayon::prelude::*;

use self::band::{BAND, Bands, CoarseDepth};
use self::disc::Disc;
pub use self::shape::{SplatShape, face_normal};
use crate::vector::Vec3;
use crate::view::View;

/// A sample that no sphere covers.
pub const EMPTY: u64 = u64::MAX;

/// The spheres of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Spheres<'a> {
    /// Their centres \[m\].
    pub centers: &'a [Vec3],
    /// Their radii \[m\].
    pub radii: &'a [f32],
    /// Shape in which they are drawn.
    pub shape: SplatShape<'a>,
}

/// Depth buffer of some spheres in a view.
#[derive(Clone, Debug)]
pub struct Splats {
    /// Depth and index of the nearest sphere for every sample, row after row.
    samples: Vec<u64>,
    width: usize,
}

/// The depth of a sample \[m\]; infinite where there is nothing.
#[inline]
pub fn depth(sample: u64) -> f32 {
    if sample == EMPTY {
        f32::INFINITY
    } else {
        f32::from_bits((sample >> 32) as u32)
    }
}

/// The index of the sphere of a sample.
#[inline]
pub fn index(sample: u64) -> Option<usize> {
    (sample != EMPTY).then_some((sample & 0xffff_ffff) as usize)
}

impl Splats {
    /// Draws the spheres that `choice` takes.
    pub fn draw(view: &View, spheres: Spheres<'_>, choice: impl Fn(usize) -> bool + Sync) -> Self {
        let [width, height] = view.size;
        let discs: Vec<Disc> = (0..spheres.centers.len())
            .into_par_iter()
            .map(|k| {
                let radius = if choice(k) { spheres.radii[k] } else { 0.0 };
                Disc::new(view, spheres.centers[k], radius, spheres.shape)
            })
            .collect();
        let bands = Bands::new(&discs, height);
        let mut samples = vec![EMPTY; width * height];
        let rows = samples.par_chunks_mut(BAND * width).enumerate();
        rows.for_each(|(band, samples)| {
            // From front to back, as integers for a quick sort.
            let key = |&k: &u32| {
                let nearest = discs[k as usize].nearest();
                u64::from(nearest.to_bits()) << 32 | u64::from(k)
            };
            let mut order: Vec<u64> = bands.of(band).iter().map(key).collect();
            order.sort_unstable();
            let mut coarse = CoarseDepth::new(width);
            let place = [width, band * BAND];
            for key in order {
                let k = key as u32;
                let disc = &discs[k as usize];
                if coarse.hides(disc) {
                    continue;
                }
                match spheres.shape {
                    SplatShape::Ball | SplatShape::Point(_) => disc.draw(k, samples, place),
                    SplatShape::Icosahedron(rotations) => {
                        let seen = disc.icosahedron(view, &rotations[k as usize]);
                        disc.draw_icosahedron(k, &seen, samples, place);
                    }
                }
                coarse.lower(disc, samples, width);
            }
        });
        Self { samples, width }
    }

    /// The same depth buffer, to draw other things into it.
    pub fn samples_mut(&mut self) -> &mut [u64] {
        &mut self.samples
    }

    /// The sample at a place.
    #[inline]
    pub fn at(&self, x: usize, y: usize) -> u64 {
        self.samples[y * self.width + x]
    }
}

#[cfg(test)]
mod tests {
    use thixo_math::Vector;

    use super::*;
    use crate::view::Projection;

    fn view() -> View {
        let up = Vector([0.0, 1.0, 0.0]);
        let eye = Vector([0.0, 0.0, 10.0]);
        View::looking(
            eye,
            Vec3::zero(),
            up,
            Projection::Orthographic(20.0),
            [100, 80],
        )
    }

    fn draw(centers: &[Vec3], radii: &[f32]) -> Splats {
        let spheres = Spheres {
            centers,
            radii,
            shape: SplatShape::Ball,
        };
        Splats::draw(&view(), spheres, |_| true)
    }

    #[test]
    fn a_sphere_covers_its_disc_and_its_front_is_a_sphere() {
        let splats = draw(&[Vector([0.5, 0.25, 0.0])], &[1.0]);
        let seen = splats.samples.iter().filter(|s| **s != EMPTY).count() as f32;
        let expected = std::f32::consts::PI * 400.0;
        assert!(
            (seen - expected).abs() < 0.02 * expected,
            "{seen} {expected}"
        );
        assert!((depth(splats.at(60, 35)) - 9.0).abs() < 2e-3);
        let seen = splats.samples.iter().filter(|s| **s != EMPTY);
        let half: f32 = seen.map(|s| 10.0 - depth(*s)).sum::<f32>() / 400.0;
        assert!((half - 4.19 / 2.0).abs() < 0.03, "{half}");
        assert_eq!(splats.at(2, 2), EMPTY);
    }

    #[test]
    fn the_nearer_sphere_hides_the_other_and_of_two_equal_ones_the_first_is_seen() {
        let near = Vector([0.0, 0.0, 1.0]);
        let splats = draw(&[Vec3::zero(), near, near], &[0.5, 0.5, 0.5]);
        assert_eq!(index(splats.at(50, 40)), Some(1));
    }

    #[test]
    fn what_cannot_be_drawn_is_left_out() {
        let centers = [
            Vector([f32::NAN, 0.0, 0.0]),
            Vector([0.0, 0.0, 20.0]),
            Vector([1e30, 0.0, 0.0]),
            Vector([0.0, 0.0, 9.9]),
            Vec3::zero(),
            Vec3::zero(),
        ];
        let splats = draw(&centers, &[1.0, 1.0, 1.0, 1.0, f32::NAN, -1.0]);
        assert!(splats.samples.iter().all(|s| *s == EMPTY));
        assert!(draw(&[], &[]).samples.iter().all(|s| *s == EMPTY));
    }

    #[test]
    fn what_is_left_out_because_it_is_hidden_is_hidden() {
        let centers: Vec<Vec3> = (0..20_000)
            .map(|k| k as f32)
            .map(|k| {
                Vector([
                    (k * 0.7).sin() * 3.0,
                    (k * 1.3).cos() * 2.0,
                    (k * 0.31).sin() * 4.0,
                ])
            })
            .collect();
        let radii: Vec<f32> = (0..centers.len())
            .map(|k| 0.02 + 0.01 * (k % 17) as f32)
            .collect();
        let some = draw(&centers, &radii);
        let mut all = vec![EMPTY; 100 * 80];
        for (k, center) in (0u32..).zip(&centers) {
            let disc = Disc::new(&view(), *center, radii[k as usize], SplatShape::Ball);
            if disc.reach > 0.0 {
                disc.draw(k, &mut all, [100, 0]);
            }
        }
        assert_eq!(some.samples, all);
    }

    #[test]
    fn points_have_their_size_and_icosahedra_are_larger_than_balls_at_corners_only() {
        let shape = |shape: SplatShape<'_>| {
            let spheres = Spheres {
                centers: &[Vec3::zero()],
                radii: &[1.0],
                shape,
            };
            let splats = Splats::draw(&view(), spheres, |_| true);
            splats.samples.iter().filter(|s| **s != EMPTY).count() as f32
        };
        let disc = std::f32::consts::PI;
        assert!((shape(SplatShape::Point(6.0)) - disc * 36.0).abs() < 6.0);
        let turned = [thixo_math::Matrix::identity()];
        let seen = shape(SplatShape::Icosahedron(&turned));
        assert!(
            seen > 0.85 * disc * 400.0 && seen < 1.25 * disc * 400.0,
            "{seen}"
        );
    }

    #[test]
    fn one_thread_draws_the_same_bits_as_several() {
        let centers: Vec<Vec3> = (0..5000)
            .map(|k| k as f32)
            .map(|k| {
                Vector([
                    (k * 0.7).sin() * 2.0,
                    (k * 1.3).cos() * 2.0,
                    (k * 0.31).sin(),
                ])
            })
            .collect();
        let radii = vec![0.07; centers.len()];
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(|| draw(&centers, &radii))
        };
        let (one, three) = (on(1), on(3));
        assert_eq!(one.samples, three.samples);
    }
}
