//! Distances to the outline of an image's matter.

use thixo_math::Vector;

use super::picture::Picture;
use super::{Mask, Revolve};
use crate::shape::{AssetError, Bounds};

/// Signed distances at the middles of pixels, with one ring of empty pixels around the image.
///
/// A pixel of matter is as far inside as the nearest empty pixel is away, less half a pixel; an
/// empty one correspondingly. In between distances are interpolated, so that the slope along a
/// diagonal can exceed 1 in corners, up to √2.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    /// Pixels along a row, the ring included.
    columns: usize,
    rows: usize,
    /// Width of a pixel \[m\].
    pixel: f64,
    /// Distances \[m\].
    distances: Vec<f32>,
    /// The box around the matter \[m\], from the middle of the image.
    bounds: Bounds<2>,
}

impl Outline {
    /// Of an image `width` \[m\] wide. For a solid of revolution the image is mirrored at its axis,
    /// which then is its middle.
    pub fn new(
        picture: &Picture,
        mask: Mask,
        revolve: Option<Revolve>,
        width: f64,
    ) -> Result<Self, AssetError> {
        let pixel = width / picture.width as f64;
        let inner_columns = match revolve {
            None | Some(Revolve::Middle) => picture.width,
            Some(Revolve::LeftEdge) => 2 * picture.width,
        };
        let column = |k: usize| {
            let mirrored = k.max(inner_columns - 1 - k);
            match revolve {
                None => k,
                Some(Revolve::Middle) => mirrored,
                Some(Revolve::LeftEdge) => mirrored - picture.width,
            }
        };
        let (columns, rows) = (inner_columns + 2, picture.height + 2);
        let mut is_matter = vec![false; columns * rows];
        for row in 0..picture.height {
            for k in 0..inner_columns {
                is_matter[(row + 1) * columns + k + 1] = picture.is_matter(column(k), row, mask);
            }
        }
        let Some(bounds) = matter_bounds(&is_matter, columns, rows, pixel) else {
            return Err(AssetError::Empty {
                message: "no pixel passes the mask; the default takes dark pixels, mask = { luminance = { above = 0.5 } } bright ones",
            });
        };
        let from_matter = distance_transform(&is_matter, true, columns, rows);
        let from_void = distance_transform(&is_matter, false, columns, rows);
        let signed = |k: usize| match is_matter[k] {
            true => 0.5 - from_void[k],
            false => from_matter[k] - 0.5,
        };
        Ok(Self {
            columns,
            rows,
            pixel,
            distances: (0..columns * rows)
                .map(|k| (pixel * signed(k)) as f32)
                .collect(),
            bounds,
        })
    }

    /// The box around the matter \[m\], from the middle of the image.
    pub fn bounds(&self) -> Bounds<2> {
        self.bounds
    }

    /// Distance and its gradient at a place from the middle of the image \[m\].
    pub fn at(&self, place: Vector<f64, 2>) -> (f64, Vector<f64, 2>) {
        let last = [self.columns - 1, self.rows - 1];
        let half = last.map(|n| 0.5 * n as f64 * self.pixel);
        let within = Vector([0, 1].map(|a| place[a].clamp(-half[a], half[a])));
        // Rows go down.
        let scaled = [
            (within[0] + half[0]) / self.pixel,
            (half[1] - within[1]) / self.pixel,
        ];
        let node = [0, 1].map(|a| (scaled[a] as usize).min(last[a] - 1));
        let [u, v] = [0, 1].map(|a| scaled[a] - node[a] as f64);
        let at = |i: usize, j: usize| {
            f64::from(self.distances[(node[1] + j) * self.columns + node[0] + i])
        };
        let top = at(0, 0) * (1.0 - u) + at(1, 0) * u;
        let bottom = at(0, 1) * (1.0 - u) + at(1, 1) * u;
        let distance = top * (1.0 - v) + bottom * v;
        let across = (at(1, 0) - at(0, 0)) * (1.0 - v) + (at(1, 1) - at(0, 1)) * v;
        let gradient = Vector([across, top - bottom]) * (1.0 / self.pixel);
        let beyond = place - within;
        let squared = beyond.norm_squared();
        if squared > 0.0 {
            // The matter lies within the image, which is convex: it is at least this far away.
            let inner = distance.max(0.0);
            let total = (inner * inner + squared).sqrt();
            return (total, (gradient * inner + beyond) * (1.0 / total));
        }
        (distance, gradient)
    }
}

/// The box around the pixels of matter \[m\], from the middle of the image; none without matter.
fn matter_bounds(is_matter: &[bool], columns: usize, rows: usize, pixel: f64) -> Option<Bounds<2>> {
    let mut found: Option<Bounds<2>> = None;
    let (half_width, half_height) = (0.5 * columns as f64, 0.5 * rows as f64);
    for (k, _) in is_matter.iter().enumerate().filter(|(_, is)| **is) {
        let left = (k % columns) as f64 - half_width;
        let top = half_height - (k / columns) as f64;
        let one = Bounds {
            min: [left * pixel, (top - 1.0) * pixel],
            max: [(left + 1.0) * pixel, top * pixel],
        };
        found = Some(found.map_or(one, |found| found.union(one)));
    }
    found
}

/// Distance of every pixel from the nearest one of a kind, in pixels: exact, along columns and then
/// along rows.
fn distance_transform(is_matter: &[bool], kind: bool, columns: usize, rows: usize) -> Vec<f64> {
    let mut squared: Vec<f64> = is_matter
        .iter()
        .map(|&is| if is == kind { 0.0 } else { f64::INFINITY })
        .collect();
    let mut line = vec![0.0; rows];
    for column in 0..columns {
        for row in 0..rows {
            line[row] = squared[row * columns + column];
        }
        let lowered = lower_envelope(&line);
        for row in 0..rows {
            squared[row * columns + column] = lowered[row];
        }
    }
    for row in squared.chunks_exact_mut(columns) {
        let lowered = lower_envelope(row);
        row.copy_from_slice(&lowered);
    }
    squared.into_iter().map(f64::sqrt).collect()
}

/// min over q of (p − q)² + f(q), for every p: the lower envelope of parabolas, each kept where it
/// is the lowest. \[Felzenszwalb2012\]
fn lower_envelope(f: &[f64]) -> Vec<f64> {
    // Parabolas of the envelope by their tips, with the place from which each is the lowest.
    let mut envelope: Vec<(usize, f64)> = Vec::new();
    for (q, &height) in f.iter().enumerate() {
        if height == f64::INFINITY {
            continue;
        }
        let mut from = f64::NEG_INFINITY;
        while let Some(&(other, since)) = envelope.last() {
            let (p, r) = (q as f64, other as f64);
            from = ((height + p * p) - (f[other] + r * r)) / (2.0 * (p - r));
            if from > since {
                break;
            }
            envelope.pop();
            from = f64::NEG_INFINITY;
        }
        envelope.push((q, from));
    }
    if envelope.is_empty() {
        return f.to_vec();
    }
    let mut k = 0;
    let lowest = (0..f.len()).map(|p| {
        let p = p as f64;
        while k + 1 < envelope.len() && envelope[k + 1].1 < p {
            k += 1;
        }
        let tip = envelope[k].0;
        (p - tip as f64).powi(2) + f[tip]
    });
    lowest.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_transform_is_that_of_looking_at_every_pixel() {
        let (columns, rows) = (13, 9);
        let is_matter: Vec<bool> = (0..columns * rows).map(|k| k * k % 11 == 3).collect();
        let found = distance_transform(&is_matter, true, columns, rows);
        for (k, distance) in found.iter().enumerate() {
            let all = (0..columns * rows)
                .filter(|&other| is_matter[other])
                .map(|other| {
                    let across = (k % columns).abs_diff(other % columns);
                    let down = (k / columns).abs_diff(other / columns);
                    ((across * across + down * down) as f64).sqrt()
                });
            assert_eq!(*distance, all.fold(f64::INFINITY, f64::min), "{k}");
        }
    }
}
