//! Quantities on the scene's grid in a plane, from particles by the quadratic B-spline
//! (\[Nilles2020\] §7.6.1).

use crate::vector::Vec3;

/// A plane of nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridPlane {
    /// Distance of nodes \[m\]; there is one at the origin.
    pub spacing: f64,
    /// The axis across which the plane stands.
    pub axis: usize,
    /// The layer of nodes, counted from the origin along that axis; none in 2D, where there is one
    /// layer only.
    pub layer: Option<i64>,
}

/// Numbers of the nodes in a plane that particles reach.
#[derive(Clone, Debug, PartialEq)]
pub struct GridSlice {
    plane: GridPlane,
    /// The first node.
    first: [i64; 2],
    size: [usize; 2],
    /// Row after row; NaN where no particle reaches.
    values: Vec<f64>,
}

/// Contribution of a particle to nodes: weight and weighted quantity.
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    /// Position \[m\].
    pub position: [f64; 3],
    /// Weight: its mass \[kg\], or its volume \[m³\].
    pub weight: f64,
    /// Quantity: a vector of which the length is shown, or one number.
    pub quantity: [f64; 3],
}

/// Number that is shown of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The sum of weights.
    Sum,
    /// The first component of the weighted mean.
    Mean,
    /// The length of the weighted mean.
    Length,
}

impl GridPlane {
    /// The axes along the plane.
    pub fn along(&self) -> [usize; 2] {
        match self.axis {
            0 => [2, 1],
            1 => [0, 2],
            _ => [0, 1],
        }
    }

    /// Position on its axis \[m\].
    pub fn position(&self) -> f64 {
        self.layer.unwrap_or(0) as f64 * self.spacing
    }
}

/// The first of the three nodes that a coordinate, in cells, reaches, and the weights of all.
fn weights(cells: f64) -> (i64, [f64; 3]) {
    let base = (cells - 0.5).floor();
    let f = cells - base;
    let weights = [
        0.5 * (1.5 - f) * (1.5 - f),
        0.75 - (f - 1.0) * (f - 1.0),
        0.5 * (f - 0.5) * (f - 0.5),
    ];
    (base as i64, weights)
}

impl GridSlice {
    /// Most nodes of a slice: beyond, particles are so far apart that most of it is empty.
    const MOST_NODES: i64 = 1 << 26;

    /// Sums over particles at the nodes of a plane; none if no particle is near it.
    pub fn new(
        plane: GridPlane,
        particles: impl Iterator<Item = Carried> + Clone,
        shown: Shown,
    ) -> Option<Self> {
        let [a, b] = plane.along();
        // The weight across the plane, and what a particle reaches along it.
        let near = particles.filter_map(|particle| {
            let cells = particle.position.map(|x| x / plane.spacing);
            if !cells.iter().all(|x| x.abs() < 1e12) {
                return None;
            }
            let across = match plane.layer {
                None => 1.0,
                Some(layer) => {
                    let (base, own) = weights(cells[plane.axis]);
                    *own.get(usize::try_from(layer - base).ok()?)?
                }
            };
            (across > 0.0).then_some((particle, across, weights(cells[a]), weights(cells[b])))
        });
        let (mut first, mut last) = ([i64::MAX; 2], [i64::MIN; 2]);
        for (_, _, (u, _), (v, _)) in near.clone() {
            first = [first[0].min(u), first[1].min(v)];
            last = [last[0].max(u + 2), last[1].max(v + 2)];
        }
        let sides = [0, 1].map(|k| last[k].saturating_sub(first[k]).saturating_add(1));
        let nodes = sides[0].checked_mul(sides[1])?;
        if sides[0] <= 0 || nodes > Self::MOST_NODES {
            return None;
        }
        let size = sides.map(|n| n as usize);
        let mut sums = vec![[0.0f64; 4]; size[0] * size[1]];
        for (particle, across, (u, along), (v, up)) in near {
            for (j, wv) in up.into_iter().enumerate() {
                for (i, wu) in along.into_iter().enumerate() {
                    let weight = across * wu * wv * particle.weight;
                    let x = (u - first[0]) as usize + i;
                    let y = (v - first[1]) as usize + j;
                    let sum = &mut sums[y * size[0] + x];
                    sum[0] += weight;
                    for (sum, quantity) in sum[1..].iter_mut().zip(particle.quantity) {
                        *sum += weight * quantity;
                    }
                }
            }
        }
        let value = |[weight, x, y, z]: [f64; 4]| match shown {
            _ if weight.is_nan() || weight <= 0.0 => f64::NAN,
            Shown::Sum => weight,
            Shown::Mean => x / weight,
            Shown::Length => thixo_math::Vector([x, y, z]).norm() / weight,
        };
        Some(Self {
            plane,
            first,
            size,
            values: sums.into_iter().map(value).collect(),
        })
    }

    /// The plane.
    pub fn plane(&self) -> &GridPlane {
        &self.plane
    }

    /// The smallest and the largest number; none if there is none.
    pub fn range(&self) -> Option<[f64; 2]> {
        let finite = self.values.iter().filter(|value| value.is_finite());
        let range = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
            [low.min(*x), high.max(*x)]
        });
        (range[0] <= range[1]).then_some(range)
    }

    /// The number of the node nearest to a point of the plane; none where no particle reaches.
    pub fn at(&self, point: Vec3) -> Option<f64> {
        let [a, b] = self.plane.along();
        let node = |axis: usize| (f64::from(point[axis]) / self.plane.spacing).round() as i64;
        let x = usize::try_from(node(a) - self.first[0]).ok()?;
        let y = usize::try_from(node(b) - self.first[1]).ok()?;
        if x >= self.size[0] || y >= self.size[1] {
            return None;
        }
        let value = self.values[y * self.size[0] + x];
        (!value.is_nan()).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use thixo_math::Vector;

    use super::*;

    fn plane(layer: Option<i64>) -> GridPlane {
        GridPlane {
            spacing: 0.5,
            axis: 2,
            layer,
        }
    }

    #[test]
    fn nodes_get_the_mass_and_the_mean_velocity_of_what_is_around() {
        // One particle on a node: ¾ of its mass along each axis stays there.
        let one = Carried {
            position: [1.0, 2.0, 0.0],
            weight: 8.0,
            quantity: [3.0, 4.0, 0.0],
        };
        let at = |x, y| Vector([x, y, 0.0]);
        let mass = GridSlice::new(plane(None), [one].into_iter(), Shown::Sum).unwrap();
        assert_eq!(mass.at(at(1.0, 2.0)), Some(8.0 * 0.5625));
        assert_eq!(mass.at(at(1.6, 2.0)), Some(8.0 * 0.75 * 0.125));
        assert_eq!(mass.at(at(3.0, 2.0)), None);
        assert_eq!(mass.range(), Some([8.0 * 0.015625, 8.0 * 0.5625]));
        let total: f64 = mass.values.iter().sum();
        assert!((total - 8.0).abs() < 1e-12);
        let speed = GridSlice::new(plane(None), [one].into_iter(), Shown::Length).unwrap();
        assert!((speed.at(at(1.5, 2.5)).unwrap() - 5.0).abs() < 1e-12);
        let vx = GridSlice::new(plane(None), [one].into_iter(), Shown::Mean).unwrap();
        assert!((vx.at(at(1.0, 2.0)).unwrap() - 3.0).abs() < 1e-12);
        // In space a layer gets its share, and far ones nothing.
        let layer = GridSlice::new(plane(Some(1)), [one].into_iter(), Shown::Sum).unwrap();
        assert_eq!(layer.at(at(1.0, 2.0)), Some(8.0 * 0.5625 * 0.125));
        assert!(GridSlice::new(plane(Some(2)), [one].into_iter(), Shown::Sum).is_none());
    }

    #[test]
    fn nothing_and_nonsense_have_no_slice() {
        let nonsense = Carried {
            position: [f64::NAN, 0.0, 0.0],
            weight: 1.0,
            quantity: [0.0; 3],
        };
        assert!(GridSlice::new(plane(None), [nonsense].into_iter(), Shown::Sum).is_none());
        assert!(GridSlice::new(plane(None), [].into_iter(), Shown::Sum).is_none());
        let far = Carried {
            position: [1e9, 1e9, 0.0],
            ..nonsense
        };
        let near = Carried {
            position: [0.0; 3],
            ..nonsense
        };
        let both = [far, near].into_iter();
        assert!(GridSlice::new(plane(None), both, Shown::Sum).is_none());
    }
}
