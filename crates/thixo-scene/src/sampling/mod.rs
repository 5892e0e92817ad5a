//! Sampling of shapes with particles: `sampling`.
//!
//! Every kind of sampling is an endless pattern of points with a given number per volume; a shape
//! gets those inside it, and they share the shape's volume equally, so that the mass is density
//! times volume. Points depend on the scene alone: not on threads, nor on other objects.

mod color;
mod disk;
mod pattern;
mod random;
mod volume;

pub(crate) use color::Palette;
pub use color::{Color, ColorShare};
pub(crate) use pattern::{Cells, NUDGE, Pattern};
pub(crate) use random::Random;
pub(crate) use volume::volume;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Problem, SceneError};
use crate::scene::Scene;
use crate::shape::Bounds;

/// The most particles per cell and axis, and the most cells per particle and axis.
pub(crate) const MOST_PER_AXIS: u32 = 16;

/// The sampling of a shape with particles. Each kind takes either `per_cell`, particles per cell of
/// the grid, or `spacing`, the edge of the cube that one particle stands for \[m\], from 1/16 of a
/// cell to 16 cells.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Sampling {
    /// `{ grid = { per_cell = 8 } }`: a lattice along the axes, aligned with the cells of the grid.
    Grid {
        /// Particles per cell: n² in 2D, n³ in 3D, n from 1 to 16.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        per_cell: Option<u32>,
        /// Distance of neighbours \[m\].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spacing: Option<f64>,
    },
    /// `{ random = { per_cell = 8, seed = 1 } }`: independent points; how many a cell holds is left
    /// to chance.
    Random {
        /// Particles per cell on average: 1 to 256 in 2D, to 4096 in 3D.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        per_cell: Option<u32>,
        /// Edge of the cube that a particle stands for \[m\].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spacing: Option<f64>,
        /// Another number, another choice. Default: 0.
        #[serde(default)]
        seed: u32,
    },
    /// `{ stratified = { per_cell = 8, seed = 1 } }`: space is divided into cubes of equal size,
    /// with a random point in each.
    Stratified {
        /// Particles per cell on average: 1 to 256 in 2D, to 4096 in 3D.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        per_cell: Option<u32>,
        /// Edge of the cubes \[m\].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spacing: Option<f64>,
        /// Another number, another choice. Default: 0.
        #[serde(default)]
        seed: u32,
    },
    /// `{ poisson = { per_cell = 8, seed = 1 } }`: Poisson disks, random points that keep a
    /// distance from each other: about 0.8 of the spacing in 2D, 0.86 in 3D. A tile of up to 32768
    /// points is made, and repeated where the shape needs more; the distance is kept across seams.
    Poisson {
        /// Particles per cell on average: 1 to 256 in 2D, to 4096 in 3D.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        per_cell: Option<u32>,
        /// Edge of the cube that a particle stands for \[m\]; neighbours are nearer or further.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spacing: Option<f64>,
        /// Another number, another choice. Default: 0.
        #[serde(default)]
        seed: u32,
    },
}

impl Sampling {
    /// 2 particles per cell and axis.
    pub(crate) fn default_in(dimension: u32) -> Self {
        Self::Grid {
            per_cell: Some(1 << dimension.min(3)),
            spacing: None,
        }
    }

    /// Its key, and what it says about numbers.
    fn parts(&self) -> (&'static str, Option<u32>, Option<f64>) {
        match *self {
            Self::Grid { per_cell, spacing } => ("grid", per_cell, spacing),
            Self::Random {
                per_cell, spacing, ..
            } => ("random", per_cell, spacing),
            Self::Stratified {
                per_cell, spacing, ..
            } => ("stratified", per_cell, spacing),
            Self::Poisson {
                per_cell, spacing, ..
            } => ("poisson", per_cell, spacing),
        }
    }

    /// Its seed; 0 for a lattice, which has none.
    pub(crate) fn seed(&self) -> u32 {
        match *self {
            Self::Grid { .. } => 0,
            Self::Random { seed, .. }
            | Self::Stratified { seed, .. }
            | Self::Poisson { seed, .. } => seed,
        }
    }

    /// The pattern with a pitch \[m\] for what fits into a box.
    pub(crate) fn pattern<const D: usize>(&self, pitch: f64, bounds: &Bounds<D>) -> Pattern<D> {
        match *self {
            Self::Grid { .. } => Pattern::lattice(pitch),
            Self::Random { seed, .. } => Pattern::random(pitch, seed),
            Self::Stratified { seed, .. } => Pattern::stratified(pitch, seed),
            Self::Poisson { seed, .. } => {
                let bound = Pattern::lattice(pitch).bound(bounds);
                Pattern::disks(pitch, seed, bound)
            }
        }
    }
}

impl Scene {
    /// Edge of the cube that a particle of a sampling stands for \[m\].
    pub(crate) fn pitch<const D: usize>(
        &self,
        key: &str,
        sampling: &Sampling,
    ) -> Result<f64, SceneError> {
        let (name, per_cell, spacing) = sampling.parts();
        let h = self.grid.spacing;
        let path = |part: &str| format!("{key}.sampling.{name}.{part}");
        match (per_cell, spacing) {
            (None, None) => {
                let problem = Problem::MissingKey {
                    key: "per_cell".to_owned(),
                    table: format!("[{key}.sampling.{name}]"),
                };
                Err(self.source.error_at_key(&path("per_cell"), problem))
            }
            (Some(_), Some(spacing)) => {
                let range = "absent: per_cell says how many particles there are";
                Err(self.number_out_of_range(&path("spacing"), spacing, range))
            }
            (None, Some(spacing)) => {
                let most = f64::from(MOST_PER_AXIS);
                // NaN is not inside either.
                if !(h / most..=h * most).contains(&spacing) {
                    let (low, high) = (h / most, h * most);
                    let range = format!("from {low} to {high} m, 1/16 of a cell to 16 cells");
                    return Err(self.number_out_of_range(&path("spacing"), spacing, range));
                }
                Ok(spacing)
            }
            (Some(per_cell), None) => match sampling {
                Sampling::Grid { .. } => {
                    let per_axis = per_axis(per_cell, D as u32)
                        .map_err(|range| self.out_of_range(&path("per_cell"), per_cell, range))?;
                    Ok(h / f64::from(per_axis))
                }
                _ => {
                    let most = MOST_PER_AXIS.pow(D as u32);
                    if !(1..=most).contains(&per_cell) {
                        let range = format!("from 1 to {most} in dimension {D}");
                        return Err(self.out_of_range(&path("per_cell"), per_cell, range));
                    }
                    Ok(h / f64::from(per_cell).powf(1.0 / D as f64))
                }
            },
        }
    }
}

/// Points of a lattice per cell and axis, or what is allowed.
fn per_axis(per_cell: u32, dimension: u32) -> Result<u32, String> {
    let allowed = (1..=MOST_PER_AXIS).map(|n| (n, n.pow(dimension)));
    let nearest = allowed.min_by_key(|(_, count)| count.abs_diff(per_cell));
    match nearest {
        Some((n, count)) if count == per_cell => Ok(n),
        nearest => {
            let nearest = nearest.map_or(1, |(_, count)| count);
            let power = if dimension == 2 { "square" } else { "cube" };
            Err(format!(
                "the {power} of a number from 1 to {MOST_PER_AXIS} in dimension {dimension}; the nearest is {nearest}"
            ))
        }
    }
}

#[cfg(test)]
mod tests;
