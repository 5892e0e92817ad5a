//! Smoothing that spares what is small.
//!
//! Marching cubes show the bumps of single particles. Moving vertices towards their neighbours
//! evens them out, and would also make drops and thin sheets vanish: so a vertex moves the less the
//! fewer neighbours the particles at it have. \[Loeschner2023\]

use std::f64::consts::PI;

use rayon::prelude::*;

use super::Point;
use super::interpolate::mean;
use super::neighbors::Neighbors;
use super::topology::Adjacency;

/// Weighted count of the neighbours of every particle: near ones count more (1 at no distance, 0 at
/// the reach).
pub fn crowding(positions: &[Point], neighbors: &Neighbors) -> Vec<f64> {
    positions
        .par_iter()
        .map_init(Vec::new, |found, x| {
            neighbors.near(*x, found);
            // The particle itself counts for 1.
            found.iter().map(|n| 1.0 - n.share).sum::<f64>() - 1.0
        })
        .collect()
}

/// Share of the way that vertices may move, 0 to 1: all of it where particles are as crowded as
/// inside of matter. `reach` is in radii.
pub fn freedom(
    vertices: &[Point],
    neighbors: &Neighbors,
    crowding: &[f64],
    reach: f64,
) -> Vec<f64> {
    // The integral of 1 − r²/h² over a ball of radius h, a particle in every cube of two radii,
    // without the particle itself.
    let inside = 8.0 * PI / 15.0 * (0.5 * reach).powi(3) - 1.0;
    vertices
        .par_iter()
        .map_init(Vec::new, |found, x| {
            neighbors.near(*x, found);
            let share = mean(found, crowding) / inside.max(1.0);
            // A vertex without particles stays where it is.
            let s = if share.is_nan() {
                0.0
            } else {
                share.clamp(0.0, 1.0)
            };
            s * s * s * (10.0 + s * (6.0 * s - 15.0))
        })
        .collect()
}

/// Moves every vertex towards the mean of its neighbours, all at once, some times over.
pub fn smooth(vertices: &mut Vec<Point>, next_to: &Adjacency, freedom: &[f64], times: u32) {
    for _ in 0..times {
        let moved = (0..vertices.len()).into_par_iter().map(|k| {
            let around = next_to.of(k);
            let mut sum = Point::zero();
            for other in around {
                sum += vertices[*other as usize];
            }
            let mean = sum * (1.0 / around.len().max(1) as f64);
            vertices[k] + (mean - vertices[k]) * freedom[k]
        });
        *vertices = moved.collect();
    }
}

#[cfg(test)]
mod tests {
    use thixo_math::Vector;

    use super::*;

    #[test]
    fn crowds_are_free_and_single_particles_are_spared() {
        let mut positions = Vec::new();
        for k in 0..9 * 9 * 9 {
            positions.push(Vector(
                [k % 9, k / 9 % 9, k / 81].map(|i| 2.0 * f64::from(i)),
            ));
        }
        positions.push(Vector([100.0; 3]));
        let reach = 4.0;
        let neighbors = Neighbors::new(&positions, reach);
        let crowding = crowding(&positions, &neighbors);
        let places = [
            Vector([8.0; 3]),
            Vector([8.0, 8.0, -1.0]),
            Vector([101.0, 100.0, 100.0]),
        ];
        let freedom = freedom(&places, &neighbors, &crowding, reach);
        assert!(freedom[0] > 0.95, "inside: {freedom:?}");
        assert!((0.4..0.95).contains(&freedom[1]), "on a face: {freedom:?}");
        assert_eq!(freedom[2], 0.0);
    }

    #[test]
    fn a_bump_sinks_towards_its_neighbours_unless_it_is_held() {
        // Two pyramids base to base, corners 0 and 5 are the tips.
        let mut triangles = Vec::new();
        for k in 0..4u32 {
            let (a, b) = (1 + k, 1 + (k + 1) % 4);
            triangles.extend([[0, a, b], [5, b, a]]);
        }
        let next_to =
            Adjacency::triangles_of_vertices(6, &triangles).vertices_of_vertices(&triangles);
        let ring = [
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [-1.0, 0.0, 0.0],
            [0.0, -1.0, 0.0],
        ];
        let mut vertices = vec![Vector([0.0, 0.0, 3.0])];
        vertices.extend(ring.map(Vector));
        vertices.push(Vector([0.0, 0.0, -3.0]));
        smooth(&mut vertices, &next_to, &[0.5, 0.0, 0.0, 0.0, 0.0, 0.0], 2);
        assert_eq!(vertices[0], Vector([0.0, 0.0, 0.75]));
        assert_eq!(vertices[5], Vector([0.0, 0.0, -3.0]));
    }
}
