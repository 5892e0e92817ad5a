//! Visibility buffer of the obstacles, for camera and sun: the same for all frames while both and
//! the obstacles stand still.

use rayon::prelude::*;

use crate::draw::SAMPLES;
use crate::sphere_tracing::{Hit, RayHits, SphereTracer};
use crate::view::View;

/// Samples of a pixel.
const FINE: usize = SAMPLES * SAMPLES;

/// Hits of the obstacles for all pixels, and their depths in the shadow map.
#[derive(Clone, Debug)]
pub struct VisibilityBuffer {
    view: View,
    sun: View,
    /// Time of the buffer, if obstacles move \[s\].
    time: Option<f64>,
    /// Hits at the centres of pixels.
    ray_hits: Vec<RayHits>,
    /// For each pixel 0 if its samples show the same as its middle, otherwise one more than the
    /// place of what they show.
    index: Vec<u32>,
    fine: Vec<[RayHits; FINE]>,
    /// Depths at which opaque and clear obstacles stop the sun; empty if there are none.
    pub shades: [Vec<f32>; 2],
}

impl VisibilityBuffer {
    /// Casts rays from the camera, and from the sun.
    pub fn new(view: View, sun: View, tracer: &SphereTracer<'_>) -> Self {
        let ray_hits = ray_hits(&view, tracer);
        let edges: Vec<usize> = (0..ray_hits.len())
            .into_par_iter()
            .filter(|&k| is_edge(&view, &ray_hits, k))
            .collect();
        let mut index = vec![0; ray_hits.len()];
        for (place, &k) in (1u32..).zip(&edges) {
            index[k] = place;
        }
        let samples = view.finer(SAMPLES);
        let [width, _] = view.size;
        let fine = edges.par_iter().map(|&k| {
            std::array::from_fn(|s| {
                let x = (k % width) * SAMPLES + s % SAMPLES;
                let y = (k / width) * SAMPLES + s / SAMPLES;
                let (start, direction) = samples.ray([x as f32 + 0.5, y as f32 + 0.5]);
                tracer.cast(start, direction)
            })
        });
        Self {
            view,
            sun,
            time: (!tracer.surroundings.is_still()).then_some(tracer.time),
            fine: fine.collect(),
            ray_hits,
            index,
            shades: shades(&sun, tracer),
        }
    }

    /// True if it would be the same for another view, sun and time.
    pub fn is_of(&self, view: &View, sun: &View, time: f64) -> bool {
        self.view == *view && self.sun == *sun && self.time.is_none_or(|own| own == time)
    }

    /// Hits at the centre of a pixel.
    pub fn pixel(&self, k: usize) -> &RayHits {
        &self.ray_hits[k]
    }

    /// True if the samples of a pixel differ.
    pub fn is_edge(&self, k: usize) -> bool {
        self.index[k] > 0
    }

    /// Hits of a sample of a pixel.
    pub fn sample(&self, k: usize, sample: usize) -> &RayHits {
        match self.index[k] {
            0 => &self.ray_hits[k],
            place => &self.fine[place as usize - 1][sample],
        }
    }
}

fn ray_hits(view: &View, tracer: &SphereTracer<'_>) -> Vec<RayHits> {
    let [width, height] = view.size;
    let cast = |k: usize| {
        let (start, direction) = view.ray(view.sample_center(k));
        tracer.cast(start, direction)
    };
    (0..width * height).into_par_iter().map(cast).collect()
}

/// True if a pixel shows something else than its neighbours.
fn is_edge(view: &View, ray_hits: &[RayHits], k: usize) -> bool {
    let [width, height] = view.size;
    let (x, y) = (k % width, k / width);
    let neighbours = [
        (x > 0).then(|| k - 1),
        (x + 1 < width).then_some(k + 1),
        (y > 0).then(|| k - width),
        (y + 1 < height).then_some(k + width),
    ];
    let here = &ray_hits[k];
    let same = |j: usize| {
        let there = &ray_hits[j];
        alike(here.end, there.end) && (0..2).all(|g| alike(here.glass[g], there.glass[g]))
    };
    !neighbours.into_iter().flatten().all(same)
}

fn alike(a: Option<Hit>, b: Option<Hit>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => {
            a.kind == b.kind
                && a.normal.dot(b.normal) > 0.98
                && (a.depth - b.depth).abs() < 0.02 * a.depth
        }
        _ => false,
    }
}

fn shades(sun: &View, tracer: &SphereTracer<'_>) -> [Vec<f32>; 2] {
    let solids = &tracer.surroundings.solids;
    if !solids.iter().any(|solid| solid.casts_shadow) {
        return [Vec::new(), Vec::new()];
    }
    let [width, height] = sun.size;
    let both: Vec<[f32; 2]> = (0..width * height)
        .into_par_iter()
        .map(|k| {
            let (start, direction) = sun.ray(sun.sample_center(k));
            tracer.shade(start, direction)
        })
        .collect();
    [0, 1].map(
        |kind| match both.iter().any(|depths| depths[kind].is_finite()) {
            true => both.iter().map(|depths| depths[kind]).collect(),
            false => Vec::new(),
        },
    )
}
