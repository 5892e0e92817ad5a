//! Geostatic stress: matter that rests under its own weight since long ago.
//!
//! σ_v = q + ρ g z at the depth z below the surface, with the overburden q, along gravity; K₀ σ_v
//! across it; both compressive. With K₀ = 1 it is hydrostatic.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thixo::LevelSet;
use thixo_math::Matrix;

use crate::error::SceneError;
use crate::expression::{Expression, Scratch};
use crate::number::Number;
use crate::points::{self, VariableColumns};
use crate::scene::Scene;
use crate::shape::Bounds;

/// Stress of matter that rests under its own weight; gravity must be constant. The density of the
/// material is then that of matter as it lies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Geostatic {
    /// Stress across gravity over stress along it, K₀ \[–\], zero or positive: 1 for fluids, about
    /// 1 − sin φ for sand, ν/(1 − ν) for elastic matter that was laid down between fixed sides.
    /// Required.
    #[schemars(range(min = 0))]
    pub k0: f64,
    /// Pressure on the surface \[Pa\], zero or positive. Default: 0.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub overburden: f64,
    /// Height of the surface against gravity \[m\], a number or a formula of x, y, z and lx, ly,
    /// lz: with gravity along −y the y of the surface. Default: the surface of the object above
    /// each of its points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<Number>,
}

/// Geostatic stress whose numbers are allowed.
#[derive(Clone, Debug)]
pub(crate) struct CheckedGeostatic {
    k0: f64,
    overburden: f64,
    surface: Option<Expression>,
}

/// Halvings that find a surface between two points.
const HALVINGS: usize = 40;

impl Scene {
    /// Checks the numbers of a geostatic stress, and that there is a gravity.
    pub(crate) fn checked_geostatic<const D: usize>(
        &self,
        key: &str,
        geostatic: &Geostatic,
    ) -> Result<CheckedGeostatic, SceneError> {
        let Geostatic {
            k0,
            overburden,
            surface,
        } = geostatic;
        for (name, value) in [("k0", *k0), ("overburden", *overburden)] {
            if !(value >= 0.0 && value.is_finite()) {
                let range = "zero or positive, and finite";
                return Err(self.number_out_of_range(&format!("{key}.{name}"), value, range));
            }
        }
        let gravity = self.gravity::<D>()?.constant();
        if gravity.is_none_or(|g| g == [0.0; D]) {
            let range = "left out without a constant gravity: physics.gravity must be numbers, not all zero";
            return Err(self.out_of_range(key, "given", range));
        }
        let variables = points::place_and_local::<D>();
        let surface = match surface {
            Some(number) => Some(self.expression(&format!("{key}.surface"), number, &variables)?),
            None => None,
        };
        Ok(CheckedGeostatic {
            k0: *k0,
            overburden: *overburden,
            surface,
        })
    }

    /// Depths of points below the surface \[m\]: that of a formula, or of the region they are in.
    pub(crate) fn depths<const D: usize>(
        &self,
        (geostatic, key): (&CheckedGeostatic, &str),
        (points, middle): (&[[f64; D]], [f64; D]),
        region: Option<(&dyn LevelSet<D>, Bounds<D>, f64)>,
        (gravity, scratch): ([f64; D], &mut Scratch),
    ) -> Result<Vec<f64>, SceneError> {
        let up = against(gravity);
        let height = |x: &[f64; D]| -> f64 { (0..D).map(|a| up[a] * x[a]).sum() };
        if let Some(surface) = &geostatic.surface {
            let columns = VariableColumns::with_local(points, middle);
            let key = format!("{key}.surface");
            let levels = self.finite_values(&key, surface, &columns, scratch)?;
            let depths = points.iter().zip(levels);
            return Ok(depths
                .map(|(x, level)| (level - height(x)).max(0.0))
                .collect());
        }
        let Some((region, bounds, step)) = region else {
            let range = "given for particles of a file: the height of their surface";
            return Err(self.out_of_range(&format!("{key}.surface"), "left out", range));
        };
        use rayon::prelude::*;
        let depth = |x: &[f64; D]| depth_within(region, &bounds, *x, up, step);
        Ok(points.par_iter().map(depth).collect())
    }
}

impl CheckedGeostatic {
    /// The Cauchy stress \[Pa\] at a depth \[m\] in matter of a density \[kg/m³\].
    pub fn stress<const D: usize>(
        &self,
        depth: f64,
        density: f64,
        gravity: [f64; D],
    ) -> Matrix<f64, D> {
        let g = gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
        let along = self.overburden + density * g * depth;
        let across = self.k0 * along;
        let mut stress = Matrix::from_scalar(-across);
        for i in 0..D {
            for j in 0..D {
                stress[i][j] -= (along - across) * (gravity[i] / g) * (gravity[j] / g);
            }
        }
        stress
    }
}

/// The unit vector against gravity.
fn against<const D: usize>(gravity: [f64; D]) -> [f64; D] {
    let g = gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
    gravity.map(|component| -component / g)
}

/// Way from a point of a region to the first place where it ends, along a direction \[m\].
fn depth_within<const D: usize>(
    region: &dyn LevelSet<D>,
    bounds: &Bounds<D>,
    start: [f64; D],
    up: [f64; D],
    step: f64,
) -> f64 {
    let at = |s: f64| -> [f64; D] { core::array::from_fn(|a| start[a] + s * up[a]) };
    let is_inside = |s: f64| region.surface(at(s), 0.0).distance < 0.0;
    let diagonal: f64 = (0..D).map(|a| bounds.max[a] - bounds.min[a]).sum();
    let mut inside = 0.0;
    loop {
        let outside = inside + step;
        if !is_inside(outside) || outside > diagonal {
            let (mut inside, mut outside) = (inside, outside);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (inside + outside);
                if is_inside(middle) {
                    inside = middle;
                } else {
                    outside = middle;
                }
            }
            return outside;
        }
        inside = outside;
    }
}
