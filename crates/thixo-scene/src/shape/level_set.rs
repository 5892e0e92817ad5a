//! Shapes by a formula that is negative inside: hills, gyroids, blobs, whatever an equation
//! describes.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thixo::LevelSet;
use thixo::collide::shape::{Cuboid, Surface};

use super::combine::SharedRegion;
use super::primitive::Primitive;
use super::region::Bounds;
use crate::error::SceneError;
use crate::expression::{Expression, Scratch};
use crate::number::Number;
use crate::points::{self, VariableColumns};
use crate::scene::Scene;

/// Places along each axis of the box at which a formula is looked at when it is read, in 2D and 3D.
const PLACES: [usize; 2] = [129, 33];

/// The part of a box in which a formula is negative. What the box cuts off has flat ends there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct LevelSetShape {
    /// Negative inside, positive outside, in any unit: a formula of x, y, z and lx, ly, lz, the
    /// place from the middle of the box. It need not be a distance. Best is a formula whose slope
    /// changes smoothly; for edges, combine shapes. Required.
    pub formula: String,
    /// Smallest coordinates of the box \[m\]. Required.
    pub min: Vec<f64>,
    /// Largest coordinates of the box \[m\], each above the smallest. Required.
    pub max: Vec<f64>,
}

/// A region {f < 0} of a box.
///
/// Contact, sampling and quadrature ask for a distance that has the right sign, is right to first
/// order at the surface, and never has a gradient longer than 1, so that no ball around a place
/// reaches beyond it. With G a bound of |∇f| and H one of the change of ∇f, both
///
/// > |f| / G and 2 |f| / (|∇f| + √(|∇f|² + 2 H |f|))
///
/// are such bounds of the distance from below \[Taubin1994\], and so is the larger one. The first
/// is exact for signed distances, the second is |f|/|∇f| near any smooth surface without its faults
/// far away, where it is too large and infinite at critical points. The derivatives are the exact
/// ones of the formula. So a look-up costs 1 + D evaluations; a baked field, as meshes have it,
/// would be cheaper for long formulas but would round off everything smaller than its cells.
#[derive(Clone, Debug)]
struct Formula<const D: usize> {
    value: Expression,
    /// The derivatives by each axis: of a formula with x and lx, the sum of two.
    derivatives: [Vec<Expression>; D],
    /// The box, and its middle \[m\].
    cuboid: Cuboid<D>,
    bounds: Bounds<D>,
    middle: [f64; D],
    /// The largest |∇f|, and the fastest change of ∇f.
    gradient_bound: f64,
    hessian_bound: f64,
}

impl Scene {
    /// The region of a formula.
    pub(super) fn level_set<const D: usize>(
        &self,
        path: &str,
        shape: &LevelSetShape,
    ) -> Result<SharedRegion<D>, SceneError> {
        let (min, max, cuboid) = self.corners(path, &shape.min, &shape.max)?;
        let bounds = Bounds { min, max };
        let key = format!("{path}.formula");
        let text = Number::Formula(shape.formula.clone());
        let value = self.expression(&key, &text, &points::place_and_local::<D>())?;
        if let Some(value) = value.constant() {
            let range = "a formula of the place: it is negative inside and positive outside";
            return Err(self.number_out_of_range(&key, value, range));
        }
        let derivatives = points::partial_derivatives::<D>(&value).map(|pair| {
            let counts = |derivative: &Expression| derivative.constant() != Some(0.0);
            pair.into_iter().filter(counts).collect()
        });
        let mut formula = Formula {
            value,
            derivatives,
            cuboid,
            bounds,
            middle: core::array::from_fn(|a| 0.5 * (min[a] + max[a])),
            gradient_bound: 0.0,
            hessian_bound: 0.0,
        };
        let places = formula.places();
        let columns = VariableColumns::with_local(&places, formula.middle);
        self.finite_values(&key, &formula.value, &columns, &mut Scratch::default())?;
        formula.measure(&columns);
        Ok(Arc::new(Primitive {
            solid: Arc::new(formula),
            bounds: Some(bounds),
            volume: None,
        }))
    }
}

impl<const D: usize> Formula<D> {
    fn count() -> usize {
        PLACES[D.min(3) - 2]
    }

    /// Distance of neighbouring places along an axis \[m\].
    fn step(&self, axis: usize) -> f64 {
        (self.bounds.max[axis] - self.bounds.min[axis]) / (Self::count() - 1) as f64
    }

    /// A lattice of places with the corners of the box, the first axis fastest.
    fn places(&self) -> Vec<[f64; D]> {
        let n = Self::count();
        let place = |k: usize| {
            core::array::from_fn(|a| {
                let step = k / n.pow(a as u32) % n;
                self.bounds.min[a] + self.step(a) * step as f64
            })
        };
        (0..n.pow(D as u32)).map(place).collect()
    }

    /// Bounds |∇f| and its change from place to place. Jumps of ∇f, as of `abs`, count as fast
    /// changes. Where ∇f is not finite, as that of `hypot` is in its middle, the neighbours tell.
    fn measure(&mut self, columns: &VariableColumns) {
        let gradients = self.gradients(columns);
        let n = Self::count();
        for (k, here) in gradients.iter().enumerate() {
            let Some(here) = here else { continue };
            self.gradient_bound = self.gradient_bound.max(length(*here));
            let mut hessian_bound = 0.0;
            for axis in 0..D {
                let stride = n.pow(axis as u32);
                if k / stride % n + 1 == n {
                    continue;
                }
                if let Some(there) = gradients[k + stride] {
                    let change: [f64; D] = core::array::from_fn(|a| there[a] - here[a]);
                    hessian_bound += (length(change) / self.step(axis)).powi(2);
                }
            }
            self.hessian_bound = self.hessian_bound.max(hessian_bound.sqrt());
        }
    }

    /// ∇f at places, where it is finite.
    fn gradients(&self, columns: &VariableColumns) -> Vec<Option<[f64; D]>> {
        let mut gradients = vec![[0.0; D]; columns.count()];
        let mut values = vec![f64::NAN; columns.count()];
        let mut scratch = Scratch::default();
        for (axis, derivatives) in self.derivatives.iter().enumerate() {
            for derivative in derivatives {
                // A column that were missing would leave values that are not finite.
                let _ = derivative.evaluate_batch(&columns.slices(), &mut values, &mut scratch);
                for (gradient, value) in gradients.iter_mut().zip(&values) {
                    gradient[axis] += value;
                }
            }
        }
        let finite = |gradient: [f64; D]| length(gradient).is_finite().then_some(gradient);
        gradients.into_iter().map(finite).collect()
    }

    /// f and ∇f at a place in the box.
    fn at(&self, position: [f64; D]) -> (f64, [f64; D]) {
        let mut values = [0.0; 6];
        for a in 0..D {
            values[a] = position[a];
            values[D + a] = position[a] - self.middle[a];
        }
        let values = &values[..2 * D];
        let gradient = self.derivatives.each_ref().map(|derivatives| {
            let parts = derivatives
                .iter()
                .map(|derivative| derivative.evaluate(values));
            parts.sum()
        });
        (self.value.evaluate(values), gradient)
    }
}

impl<const D: usize> LevelSet<D> for Formula<D> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        let edge = self.cuboid.surface(position, time);
        // Nothing is asked of the formula outside of its box; the nearest place within is nearer to
        // everything in it.
        let Bounds { min, max } = self.bounds;
        let within = core::array::from_fn(|a| position[a].clamp(min[a], max[a]));
        let (value, gradient) = self.at(within);
        let norm = length(gradient);
        let size = value.abs();
        let by_gradient = size / self.gradient_bound.max(f64::MIN_POSITIVE);
        let by_hessian =
            2.0 * size / (norm + (norm * norm + 2.0 * self.hessian_bound * size).sqrt());
        // Neither is a number where f or ∇f is none; `max` then takes the other.
        let far = by_hessian.max(by_gradient);
        let distance = if far.is_finite() {
            far.copysign(value)
        } else {
            0.0
        };
        if edge.distance >= distance || !(norm > 0.0 && norm.is_finite()) {
            let distance = edge.distance.max(distance);
            return Surface { distance, ..edge };
        }
        Surface {
            distance,
            normal: gradient.map(|g| g / norm),
        }
    }
    fn thickness(&self) -> f64 {
        // Nothing is known of how thin its parts are.
        0.0
    }
    fn clearance(&self) -> f64 {
        0.0
    }
}

fn length<const D: usize>(vector: [f64; D]) -> f64 {
    vector.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{PI, TAU};

    use thixo_math::Vector;

    use super::*;
    use crate::sampling::volume;
    use crate::shape::{Region, Shape};

    const GYROID: &str =
        "sin(tau*x) * cos(tau*y) + sin(tau*y) * cos(tau*z) + sin(tau*z) * cos(tau*x)";

    fn region<const D: usize>(formula: &str, min: [f64; D], max: [f64; D]) -> SharedRegion<D> {
        let scene = Scene::parse(crate::gallery::SCENES[0].text, "any").unwrap();
        let shape = Shape::LevelSet(LevelSetShape {
            formula: formula.to_owned(),
            min: min.to_vec(),
            max: max.to_vec(),
        });
        scene.region("shape", &shape).unwrap()
    }

    fn volume_of<const D: usize>(region: &SharedRegion<D>) -> f64 {
        volume(region.as_ref(), &region.bounds().unwrap())
    }

    /// Places that fill a cube of the given half width without a pattern.
    fn places<const D: usize>(half: f64) -> impl Iterator<Item = [f64; D]> {
        let steps = [0.754_877_666, 0.569_840_291, 0.430_159_709];
        (1..4000).map(move |k| {
            core::array::from_fn(|a| half * (2.0 * (f64::from(k) * steps[a]).fract() - 1.0))
        })
    }

    #[test]
    fn volumes_are_those_of_the_equations() {
        let ball = region("x^2 + y^2 + z^2 - 0.25", [-0.6; 3], [0.7; 3]);
        assert!((volume_of(&ball) / (PI / 6.0) - 1.0).abs() < 1e-3);
        let disc = region("lx^2 + ly^2 - 0.25", [1.0, 2.0], [2.2, 3.2]);
        assert!((volume_of(&disc) / (PI / 4.0) - 1.0).abs() < 1e-3);
        // By symmetry, a gyroid parts space into halves.
        let gyroid = region(GYROID, [0.0; 3], [1.0; 3]);
        assert!((volume_of(&gyroid) - 0.5).abs() < 1e-3);
        // The part that the box cuts off is gone.
        let half = region("hypot(x, y, z) - 0.5", [-0.6, -0.6, 0.0], [0.6; 3]);
        assert!((volume_of(&half) / (PI / 12.0) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn a_gyroid_is_one_connected_labyrinth() {
        let gyroid = region(GYROID, [0.0; 3], [1.0; 3]);
        const N: usize = 24;
        let place = |k: usize| [k % N, k / N % N, k / (N * N)];
        let is_inside: Vec<bool> = (0..N * N * N)
            .map(|k| {
                let x = place(k).map(|i| (i as f64 + 0.5) / N as f64);
                gyroid.surface(x, 0.0).distance < 0.0
            })
            .collect();
        let mut reached = vec![false; N * N * N];
        let mut front: Vec<usize> = is_inside.iter().position(|&x| x).into_iter().collect();
        while let Some(k) = front.pop() {
            if reached[k] || !is_inside[k] {
                continue;
            }
            reached[k] = true;
            for axis in 0..3 {
                for step in [1, N - 1] {
                    let mut to = place(k);
                    to[axis] = (to[axis] + step) % N;
                    front.push(to[0] + N * (to[1] + N * to[2]));
                }
            }
        }
        assert_eq!(reached, is_inside);
    }

    #[test]
    fn normals_and_near_distances_are_those_of_the_surface() {
        let radii = [0.5, 0.3, 0.7];
        let formula = "(x/0.5)^2 + (y/0.3)^2 + (z/0.7)^2 - 1";
        let region = region(formula, [-0.9; 3], [0.9; 3]);
        for [u, v, _] in places::<3>(1.0) {
            let (sine, angle) = ((1.0 - u * u).sqrt(), PI * v);
            let on = Vector([sine * angle.cos(), sine * angle.sin(), u]);
            let x: [f64; 3] = core::array::from_fn(|a| radii[a] * on[a]);
            let normal = Vector(core::array::from_fn(|a| on[a] / radii[a]));
            let normal = normal * (1.0 / normal.norm());
            for gap in [-1e-3, 0.0, 1e-3] {
                let beside = Vector(x) + normal * gap;
                let surface = region.surface(beside.0, 0.0);
                assert!((surface.distance - gap).abs() < 1e-5, "{surface:?} {gap}");
                if gap == 0.0 {
                    assert!((Vector(surface.normal) - normal).norm() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn distances_never_reach_beyond_the_surface() {
        let exact = |x: [f64; 3]| Vector(x).norm() - 0.5;
        let square = region("x^2 + y^2 + z^2 - 0.25", [-1.0; 3], [1.0; 3]);
        let fourth = region("x^4 + y^4 + z^4 - 0.1", [-1.0; 3], [1.0; 3]);
        let distance = region("hypot(x, y, z) - 0.5", [-1.0; 3], [1.0; 3]);
        let mut last = [0.0; 3];
        for x in places::<3>(1.3) {
            for region in [&square, &fourth, &distance] {
                let step = (Vector(x) - Vector(last)).norm();
                let change = region.surface(x, 0.0).distance - region.surface(last, 0.0).distance;
                assert!(change.abs() <= step * 1.001, "{last:?} {x:?}");
            }
            let found = square.surface(x, 0.0).distance;
            assert_eq!(found < 0.0, exact(x) < 0.0, "{x:?}");
            assert!(found.abs() <= exact(x).abs() * 1.001, "{x:?}");
            if x.iter().all(|x| x.abs() < 1.0) {
                // The formula of a distance keeps it.
                let found = distance.surface(x, 0.0).distance;
                assert!((found - exact(x)).abs() < 1e-9, "{x:?} {found}");
            }
            last = x;
        }
        // A formula without a gradient still has a surface to be seen.
        let middle = distance.surface([0.0; 3], 0.0);
        assert!((middle.distance + 0.5).abs() < 1e-9);
        assert!((Vector(middle.normal).norm() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_wavy_ground_is_cut_off_at_its_box() {
        let ground = region("y - 0.1 * sin(tau * x)", [0.0, -1.0], [2.0, 0.5]);
        for k in 0..100 {
            let x = 0.02 * f64::from(k) + 0.005;
            let height = 0.1 * (TAU * x).sin();
            assert!(ground.surface([x, height - 1e-6], 0.0).distance < 0.0);
            assert!(ground.surface([x, height + 1e-6], 0.0).distance > 0.0);
        }
        let beside = ground.surface([2.5, -0.5], 0.0);
        assert_eq!((beside.distance, beside.normal), (0.5, [1.0, 0.0]));
        assert_eq!(ground.bounds().unwrap().max, [2.0, 0.5]);
        assert_eq!(Region::volume(ground.as_ref()), None);
    }
}
