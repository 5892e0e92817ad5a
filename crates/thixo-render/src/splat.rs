//! Spheres into a depth buffer.
//!
//! A sphere is seen as from its own direction: a disc of its projected radius whose depth is that of the sphere's front. Samples keep depth and index of the nearest sphere in one
//! integer, so that the nearer one wins, of equally near ones the first, and the picture depends neither on the order in which spheres are drawn nor on the number of threads.

use rayon::prelude::*;

use crate::vector::Vec3;
use crate::view::View;

/// Rows of samples that are drawn together.
const BAND: usize = 16;
/// Smallest radius \[samples\]: what is smaller would fall between samples.
const SMALLEST: f32 = 0.6;

/// A sample that no sphere covers.
pub const EMPTY: u64 = u64::MAX;

/// A sphere as it is seen.
#[derive(Clone, Copy)]
struct Disc {
    x: f32,
    y: f32,
    depth: f32,
    /// Radius \[samples\]; zero if it is not seen at all.
    reach: f32,
    /// Radius \[m\].
    radius: f32,
}

/// The spheres of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Spheres<'a> {
    /// Their centres \[m\].
    pub centers: &'a [Vec3],
    /// Their radii \[m\].
    pub radii: &'a [f32],
}

/// What a view sees of some spheres.
#[derive(Clone, Debug)]
pub struct Splats {
    /// Depth and index of the nearest sphere for every sample, row after row.
    samples: Vec<u64>,
    /// How long the view passes through spheres \[m\]; empty unless it was asked for.
    pub thickness: Vec<f32>,
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
    /// Draws the spheres that `choice` takes. With `thick`, also adds up how much of them lies behind each sample.
    pub fn draw(
        view: &View,
        spheres: Spheres<'_>,
        choice: impl Fn(usize) -> bool + Sync,
        thick: Thickness,
    ) -> Self {
        let [width, height] = view.size;
        let discs: Vec<Disc> = (0..spheres.centers.len())
            .into_par_iter()
            .map(|k| {
                let radius = spheres.radii[k];
                Disc::new(
                    view,
                    spheres.centers[k],
                    if choice(k) { radius } else { 0.0 },
                )
            })
            .collect();
        let bands = Bands::new(&discs, height);
        let mut samples = vec![EMPTY; width * height];
        let mut thickness = match thick {
            Thickness::Unknown => Vec::new(),
            Thickness::Summed => vec![0.0f32; width * height],
        };
        let rows = samples.par_chunks_mut(BAND * width).enumerate();
        match thick {
            Thickness::Unknown => rows.for_each(|(band, samples)| {
                // From front to back, as integers for a quick sort.
                let key = |&k: &u32| {
                    let nearest = discs[k as usize].nearest();
                    u64::from(nearest.to_bits()) << 32 | u64::from(k)
                };
                let mut order: Vec<u64> = bands.of(band).iter().map(key).collect();
                order.sort_unstable();
                let mut horizon = Horizon::new(width);
                for key in order {
                    let k = key as u32;
                    let disc = &discs[k as usize];
                    if !horizon.hides(disc) {
                        disc.draw(k, samples, &mut [], [width, band * BAND]);
                        horizon.lower(disc, samples, width);
                    }
                }
            }),
            Thickness::Summed => {
                let sums = thickness.par_chunks_mut(BAND * width);
                rows.zip(sums).for_each(|((band, samples), sums)| {
                    for &k in bands.of(band) {
                        discs[k as usize].draw(k, samples, sums, [width, band * BAND]);
                    }
                });
            }
        }
        Self {
            samples,
            thickness,
            width,
        }
    }

    /// The sample at a place.
    #[inline]
    pub fn at(&self, x: usize, y: usize) -> u64 {
        self.samples[y * self.width + x]
    }
}

/// Whether the length of the view inside of spheres is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thickness {
    /// Only what is nearest counts.
    Unknown,
    /// It is added up.
    Summed,
}

/// Which discs touch which rows, in the order of their indices.
struct Bands {
    starts: Vec<usize>,
    discs: Vec<u32>,
}

impl Bands {
    fn new(discs: &[Disc], height: usize) -> Self {
        let count = height.div_ceil(BAND);
        let mut starts = vec![0; count + 2];
        for disc in discs {
            for band in disc.bands(count) {
                starts[band + 2] += 1;
            }
        }
        for band in 2..starts.len() {
            starts[band] += starts[band - 1];
        }
        let mut sorted = vec![0; starts[count + 1]];
        for (disc, k) in discs.iter().zip(0u32..) {
            for band in disc.bands(count) {
                sorted[starts[band + 1]] = k;
                starts[band + 1] += 1;
            }
        }
        Self {
            starts,
            discs: sorted,
        }
    }

    fn of(&self, band: usize) -> &[u32] {
        &self.discs[self.starts[band]..self.starts[band + 1]]
    }
}

/// How far away the farthest sample in each square of a band is. What is drawn from front to back and lies behind that is hidden; most spheres of a body are.
struct Horizon {
    farthest: Vec<f32>,
    /// Discs drawn in each square since it was last looked at.
    drawn: Vec<u32>,
}

impl Horizon {
    /// Discs after which a square is looked at again.
    const PATIENCE: u32 = 6;

    fn new(width: usize) -> Self {
        let squares = width.div_ceil(BAND);
        Self {
            farthest: vec![f32::INFINITY; squares],
            drawn: vec![0; squares],
        }
    }

    fn squares(&self, disc: &Disc) -> std::ops::Range<usize> {
        let first = (disc.x - disc.reach).max(0.0) as usize / BAND;
        let last = (disc.x + disc.reach).max(0.0) as usize / BAND;
        let count = self.farthest.len();
        first.min(count)..(last + 1).min(count)
    }

    fn hides(&self, disc: &Disc) -> bool {
        let nearest = disc.nearest();
        self.farthest[self.squares(disc)]
            .iter()
            .all(|far| nearest > *far)
    }

    /// Takes note of a disc that was drawn.
    fn lower(&mut self, disc: &Disc, samples: &[u64], width: usize) {
        for square in self.squares(disc) {
            self.drawn[square] += 1;
            if self.drawn[square] == Self::PATIENCE {
                self.drawn[square] = 0;
                let columns = square * BAND..((square + 1) * BAND).min(width);
                let rows = samples.chunks_exact(width);
                let farthest = rows.flat_map(|row| &row[columns.clone()]).max();
                self.farthest[square] = farthest.map_or(f32::INFINITY, |far| depth(*far));
            }
        }
    }
}

impl Disc {
    /// The depth of its front \[m\].
    fn nearest(&self) -> f32 {
        self.depth - self.radius
    }

    fn new(view: &View, center: Vec3, radius: f32) -> Self {
        let unseen = Self {
            x: 0.0,
            y: 0.0,
            depth: 0.0,
            reach: 0.0,
            radius: 0.0,
        };
        let Some(([x, y, depth], scale)) = view.project(center) else {
            return unseen;
        };
        let [width, height] = view.size.map(|n| n as f32);
        let reach = (radius * scale).max(SMALLEST);
        let seen = x + reach > 0.0 && x - reach < width && y + reach > 0.0 && y - reach < height;
        // Keys order positive depths only; what is around the camera would hide everything.
        if radius > 0.0 && radius.is_finite() && depth - radius > 0.0 && seen {
            Self {
                x,
                y,
                depth,
                reach,
                radius,
            }
        } else {
            unseen
        }
    }

    /// The bands that it touches.
    fn bands(&self, count: usize) -> std::ops::Range<usize> {
        if self.reach == 0.0 {
            return 0..0;
        }
        let first = (self.y - self.reach).max(0.0) as usize / BAND;
        let last = (self.y + self.reach).max(0.0) as usize / BAND;
        first.min(count)..(last + 1).min(count)
    }

    /// Draws the part in the rows from `first` on.
    #[inline]
    fn draw(&self, k: u32, samples: &mut [u64], sums: &mut [f32], [width, first]: [usize; 2]) {
        let rows = samples.len() / width;
        let inverse = 1.0 / self.reach;
        let top = ((self.y - self.reach).max(0.0) as usize).max(first);
        let bottom = ((self.y + self.reach) as usize + 1).min(first + rows);
        for y in top..bottom {
            let v = (y as f32 + 0.5 - self.y) * inverse;
            let rest = 1.0 - v * v;
            if rest <= 0.0 {
                continue;
            }
            let half = rest.sqrt() * self.reach;
            let left = (self.x - half + 0.5).max(0.0) as usize;
            let right = ((self.x + half + 0.5).max(0.0) as usize).min(width);
            let row = (y - first) * width;
            for x in left..right {
                let u = (x as f32 + 0.5 - self.x) * inverse;
                let front = (rest - u * u).max(0.0).sqrt() * self.radius;
                let key = u64::from((self.depth - front).to_bits()) << 32 | u64::from(k);
                let sample = &mut samples[row + x];
                *sample = key.min(*sample);
                if let Some(sum) = sums.get_mut(row + x) {
                    *sum += 2.0 * front;
                }
            }
        }
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
        let spheres = Spheres { centers, radii };
        Splats::draw(&view(), spheres, |_| true, Thickness::Summed)
    }

    #[test]
    fn a_sphere_covers_its_disc_and_is_as_thick_as_a_sphere() {
        let splats = draw(&[Vector([0.5, 0.25, 0.0])], &[1.0]);
        let seen = splats.samples.iter().filter(|s| **s != EMPTY).count() as f32;
        let expected = std::f32::consts::PI * 400.0;
        assert!(
            (seen - expected).abs() < 0.02 * expected,
            "{seen} {expected}"
        );
        assert!((depth(splats.at(60, 35)) - 9.0).abs() < 2e-3);
        let volume: f32 = splats.thickness.iter().sum::<f32>() / 400.0;
        assert!((volume - 4.19).abs() < 0.05, "{volume}");
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
        let spheres = Spheres {
            centers: &centers,
            radii: &radii,
        };
        let some = Splats::draw(&view(), spheres, |_| true, Thickness::Unknown);
        let all = Splats::draw(&view(), spheres, |_| true, Thickness::Summed);
        assert_eq!(some.samples, all.samples);
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
        assert_eq!(one.thickness, three.thickness);
    }
}
