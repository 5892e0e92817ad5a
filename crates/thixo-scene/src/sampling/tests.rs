//! Patterns in regions: numbers, distances, seeds and threads.

use thixo::LevelSet;
use thixo::collide::shape::{Cuboid, Sphere, Surface};

use super::*;
use crate::shape::Region;

/// A solid within its box.
#[derive(Debug)]
struct Body<S>(S);

impl<const D: usize, S: LevelSet<D>> LevelSet<D> for Body<S> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        self.0.surface(position, time)
    }
    fn thickness(&self) -> f64 {
        self.0.thickness()
    }
    fn clearance(&self) -> f64 {
        self.0.clearance()
    }
}
impl<const D: usize, S: LevelSet<D>> Region<D> for Body<S> {
    fn bounds(&self) -> Option<Bounds<D>> {
        None
    }
    fn volume(&self) -> Option<f64> {
        None
    }
}

fn block<const D: usize>(min: [f64; D], max: [f64; D]) -> (Body<Cuboid<D>>, Bounds<D>) {
    let cuboid = Cuboid::new(min, max).unwrap();
    (Body(cuboid), Bounds { min, max })
}

fn kinds(seed: u32) -> [Sampling; 4] {
    let (per_cell, spacing) = (None, None);
    [
        Sampling::Grid { per_cell, spacing },
        Sampling::Random {
            per_cell,
            spacing,
            seed,
        },
        Sampling::Stratified {
            per_cell,
            spacing,
            seed,
        },
        Sampling::Poisson {
            per_cell,
            spacing,
            seed,
        },
    ]
}

#[test]
fn a_lattice_is_aligned_with_cells_and_half_open() {
    let count = |min, max, pitch| {
        let (region, bounds) = block::<2>(min, max);
        Pattern::lattice(pitch).fill(&region, &bounds).len()
    };
    assert_eq!(count([0.0, 0.0], [1.0, 0.5], 0.1 / 2.0), 20 * 10);
    assert_eq!(count([-0.05, 0.0], [0.05, 0.15], 0.05 / 3.0), 2 * 3 * 9);
    // Both faces on points of the lattice, wherever it is: one of them counts.
    for k in 0..40 {
        let low = 0.025 * (f64::from(k) + 0.5);
        assert_eq!(count([low, 0.0], [low + 0.5, 0.5], 0.025), 20 * 20);
    }
}

#[test]
fn regions_hold_as_many_points_as_their_volume_asks_for() {
    let ball = Body(Sphere::new([0.3; 3], 0.5).unwrap());
    let bounds = Bounds {
        min: [-0.2; 3],
        max: [0.8; 3],
    };
    let pitch: f64 = 0.02;
    let expected = std::f64::consts::PI / 6.0 / pitch.powi(3);
    for sampling in kinds(4) {
        let pattern = sampling.pattern(pitch, &bounds);
        let points = pattern.fill(&ball, &bounds);
        let found = points.len() as f64;
        // Four deviations of 65 000 independent points.
        assert!(
            (found / expected - 1.0).abs() < 0.016,
            "{sampling:?} {found} {expected}"
        );
        assert!(points.iter().all(|x| ball.surface(*x, 0.0).distance < 1e-6));
        assert!(pattern.bound(&bounds) > found);
    }
}

#[test]
fn points_do_not_depend_on_threads_but_on_the_seed() {
    let (region, bounds) = block::<2>([0.0, 0.0], [1.0, 0.7]);
    let points = |sampling: &Sampling, threads| {
        let pool = thixo_par::Pool::new(threads).unwrap();
        pool.run(|| sampling.pattern(0.005, &bounds).fill(&region, &bounds))
    };
    for (one, other) in kinds(1).iter().zip(&kinds(2)) {
        assert_eq!(points(one, 1), points(one, 4), "{one:?}");
        let is_lattice = matches!(one, Sampling::Grid { .. });
        assert_eq!(points(one, 1) == points(other, 1), is_lattice);
    }
}

/// Smallest distance of two points, found in sorted order along the first axis.
fn nearest<const D: usize>(mut points: Vec<[f64; D]>) -> f64 {
    points.sort_by(|x, y| x[0].total_cmp(&y[0]));
    let mut least = f64::INFINITY;
    for (k, x) in points.iter().enumerate() {
        for y in &points[k + 1..] {
            if y[0] - x[0] > least {
                break;
            }
            let squared: f64 = (0..D).map(|a| (x[a] - y[a]).powi(2)).sum();
            least = least.min(squared.sqrt());
        }
    }
    least
}

#[test]
fn poisson_disks_keep_their_distance_where_tiles_meet() {
    // About 100 000 points: several tiles along every axis.
    let (flat, flat_bounds) = block::<2>([-0.3, 0.2], [0.9, 1.3]);
    let pitch = 1.3 / 100_000f64.sqrt();
    let pattern = Pattern::disks(pitch, 1, 100_000.0);
    let points = pattern.fill(&flat, &flat_bounds);
    assert!((points.len() as f64 * pitch * pitch / (1.2 * 1.1) - 1.0).abs() < 0.01);
    let ratio = nearest(points) / pitch;
    assert!(ratio > 0.78, "{ratio}");
    let (solid, bounds) = block::<3>([-0.3, 0.2, 0.0], [0.9, 1.3, 0.7]);
    let pitch: f64 = 0.025;
    let points = Pattern::disks(pitch, 1, 512.0).fill(&solid, &bounds);
    assert!((points.len() as f64 * pitch.powi(3) / (1.2 * 1.1 * 0.7) - 1.0).abs() < 0.01);
    let ratio = nearest(points) / pitch;
    assert!(ratio > 0.84, "{ratio}");
}

#[test]
fn strata_hold_one_point_each_and_random_cells_as_chance_says() {
    let (region, bounds) = block::<3>([0.0; 3], [1.0; 3]);
    let pitch = 1.0 / 16.0;
    let count = |pattern: Pattern<3>| {
        let mut counts = vec![0.0; 16 * 16 * 16];
        for x in pattern.fill(&region, &bounds) {
            let [i, j, k] = x.map(|x| (x * 16.0) as usize);
            counts[(i * 16 + j) * 16 + k] += 1.0;
        }
        let n = counts.len() as f64;
        let mean = counts.iter().sum::<f64>() / n;
        let variance = counts.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / n;
        (mean, variance)
    };
    assert_eq!(count(Pattern::stratified(pitch, 3)), (1.0, 0.0));
    let (mean, variance) = count(Pattern::random(pitch, 3));
    assert!(
        (mean - 1.0).abs() < 0.06 && (variance - 1.0).abs() < 0.1,
        "{mean} {variance}"
    );
}

#[test]
fn particles_per_cell_of_a_lattice_must_fill_a_cell_evenly() {
    assert_eq!(per_axis(8, 3), Ok(2));
    assert_eq!(per_axis(9, 2), Ok(3));
    assert!(per_axis(0, 3).is_err());
    assert!(per_axis(u32::MAX, 2).is_err());
    assert_eq!(
        per_axis(10, 3).unwrap_err(),
        "the cube of a number from 1 to 16 in dimension 3; the nearest is 8"
    );
}
