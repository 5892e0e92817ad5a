//! Quantities on the scene's grid in a plane, from particles by the scene's kernel (\[Nilles2020\]
//! §7.6.1).

use thixo::KernelKind;
use thixo::kernel::MAX_WIDTH;

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
    /// The B-spline between particles and nodes.
    pub kernel: KernelKind,
    /// Nodes after which each axis repeats, at least 1; none for an open axis.
    pub periods: [Option<u32>; 3],
}

/// Nodes that a particle reaches along an axis.
#[derive(Clone, Copy)]
struct Stencil {
    /// The first of them, which may be outside of the first period.
    base: i64,
    /// Weights of this node and the next ones; those beyond the width of the kernel are zero.
    weights: [f64; MAX_WIDTH],
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
pub struct Contribution {
    /// Position \[m\].
    pub position: [f64; 3],
    /// Weight: its mass \[kg\], or its volume \[m³\].
    pub weight: f64,
    /// Quantity: a vector of which the length is shown, or one number.
    pub quantity: [f64; 3],
}

/// Number that is shown of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeQuantity {
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

    /// The nodes that a coordinate, in cells, reaches.
    fn stencil(&self, cells: f64) -> Stencil {
        let base = (cells - self.kernel.base_offset()).floor();
        Stencil {
            base: base as i64,
            weights: self.kernel.weights(cells - base).value,
        }
    }

    /// The node of the first period that a node of an axis is an image of.
    fn wrapped(&self, axis: usize, node: i64) -> i64 {
        match self.periods[axis] {
            Some(period) => node.rem_euclid(i64::from(period)),
            None => node,
        }
    }

    /// Weight of a coordinate, in cells, in the layer of the plane.
    fn weight_across(&self, cells: f64) -> f64 {
        let Some(layer) = self.layer else {
            return 1.0;
        };
        let layer = self.wrapped(self.axis, layer);
        let Stencil { base, weights } = self.stencil(cells);
        (base..)
            .zip(weights)
            .filter(|(node, _)| self.wrapped(self.axis, *node) == layer)
            .map(|(_, weight)| weight)
            .sum()
    }

    /// Position on its axis \[m\].
    pub fn position(&self) -> f64 {
        self.layer.unwrap_or(0) as f64 * self.spacing
    }
}

impl GridSlice {
    /// Most nodes of a slice: beyond, particles are so far apart that most of it is empty.
    const MOST_NODES: i64 = 1 << 26;

    /// Sums over particles at the nodes of a plane; none if no particle is near it.
    pub fn new(
        plane: GridPlane,
        particles: impl Iterator<Item = Contribution> + Clone,
        shown: NodeQuantity,
    ) -> Option<Self> {
        let along = plane.along();
        let near = particles.filter_map(|particle| {
            let cells = particle.position.map(|x| x / plane.spacing);
            if !cells.iter().all(|x| x.abs() < 1e12) {
                return None;
            }
            let across = plane.weight_across(cells[plane.axis]);
            let stencils = along.map(|axis| plane.stencil(cells[axis]));
            (across > 0.0).then_some((particle, across, stencils))
        });
        let width = plane.kernel.width();
        let (mut first, mut last) = ([i64::MAX; 2], [i64::MIN; 2]);
        for (_, _, stencils) in near.clone() {
            for (k, Stencil { base, .. }) in stencils.into_iter().enumerate() {
                first[k] = first[k].min(base);
                last[k] = last[k].max(base + width as i64 - 1);
            }
        }
        if first[0] > last[0] {
            return None;
        }
        for (k, axis) in along.into_iter().enumerate() {
            if let Some(period) = plane.periods[axis] {
                (first[k], last[k]) = (0, i64::from(period) - 1);
            }
        }
        let sides = [0, 1].map(|k| last[k].saturating_sub(first[k]).saturating_add(1));
        let nodes = sides[0].checked_mul(sides[1])?;
        if nodes > Self::MOST_NODES {
            return None;
        }
        let size = sides.map(|n| n as usize);
        let index = |k: usize, node: i64| (plane.wrapped(along[k], node) - first[k]) as usize;
        let mut sums = vec![[0.0f64; 4]; size[0] * size[1]];
        for (particle, across, [u, v]) in near {
            for (j, wv) in (v.base..).zip(&v.weights[..width]) {
                for (i, wu) in (u.base..).zip(&u.weights[..width]) {
                    let weight = across * wu * wv * particle.weight;
                    let sum = &mut sums[index(1, j) * size[0] + index(0, i)];
                    sum[0] += weight;
                    for (sum, quantity) in sum[1..].iter_mut().zip(particle.quantity) {
                        *sum += weight * quantity;
                    }
                }
            }
        }
        let value = |[weight, x, y, z]: [f64; 4]| match shown {
            _ if weight.is_nan() || weight <= 0.0 => f64::NAN,
            NodeQuantity::Sum => weight,
            NodeQuantity::Mean => x / weight,
            NodeQuantity::Length => thixo_math::Vector([x, y, z]).norm() / weight,
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

    /// The number of the node nearest to a point of the plane; none where no particle reaches, and
    /// outside of the first period.
    pub fn at(&self, point: Vec3) -> Option<f64> {
        let along = self.plane.along();
        let index = |k: usize| {
            let axis = along[k];
            let cells = f64::from(point[axis]) / self.plane.spacing;
            if let Some(period) = self.plane.periods[axis]
                && !(0.0..f64::from(period)).contains(&cells)
            {
                return None;
            }
            let node = self.plane.wrapped(axis, cells.round() as i64);
            let index = usize::try_from(node - self.first[k]).ok();
            index.filter(|index| *index < self.size[k])
        };
        let value = self.values[index(1)? * self.size[0] + index(0)?];
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
            kernel: KernelKind::Quadratic,
            periods: [None; 3],
        }
    }

    fn particle(position: [f64; 3]) -> Contribution {
        Contribution {
            position,
            weight: 8.0,
            quantity: [3.0, 4.0, 0.0],
        }
    }

    #[test]
    fn nodes_get_the_mass_and_the_mean_velocity_of_what_is_around() {
        // One particle on a node: ¾ of its mass along each axis stays there.
        let one = particle([1.0, 2.0, 0.0]);
        let at = |x, y| Vector([x, y, 0.0]);
        let mass = GridSlice::new(plane(None), [one].into_iter(), NodeQuantity::Sum).unwrap();
        assert_eq!(mass.at(at(1.0, 2.0)), Some(8.0 * 0.5625));
        assert_eq!(mass.at(at(1.6, 2.0)), Some(8.0 * 0.75 * 0.125));
        assert_eq!(mass.at(at(3.0, 2.0)), None);
        assert_eq!(mass.range(), Some([8.0 * 0.015625, 8.0 * 0.5625]));
        let total: f64 = mass.values.iter().sum();
        assert!((total - 8.0).abs() < 1e-12);
        let speed = GridSlice::new(plane(None), [one].into_iter(), NodeQuantity::Length).unwrap();
        assert!((speed.at(at(1.5, 2.5)).unwrap() - 5.0).abs() < 1e-12);
        let vx = GridSlice::new(plane(None), [one].into_iter(), NodeQuantity::Mean).unwrap();
        assert!((vx.at(at(1.0, 2.0)).unwrap() - 3.0).abs() < 1e-12);
        // In space a layer gets its share, and far ones nothing.
        let layer = GridSlice::new(plane(Some(1)), [one].into_iter(), NodeQuantity::Sum).unwrap();
        assert_eq!(layer.at(at(1.0, 2.0)), Some(8.0 * 0.5625 * 0.125));
        assert!(GridSlice::new(plane(Some(2)), [one].into_iter(), NodeQuantity::Sum).is_none());
    }

    #[test]
    fn weights_are_those_of_the_kernel() {
        let one = [particle([1.0, 2.0, 0.0])];
        let mass = |kernel: KernelKind, layer: Option<i64>| {
            let plane = GridPlane {
                kernel,
                ..plane(layer)
            };
            GridSlice::new(plane, one.into_iter(), NodeQuantity::Sum).unwrap()
        };
        let close = |a: Option<f64>, b: f64| (a.unwrap() - b).abs() < 1e-12;
        let [node, beside] = [[1.0, 2.0, 0.0], [1.5, 2.0, 0.0]].map(Vector);
        // On a node, the cubic spline gives 2/3 to it and 1/6 to its neighbours along each axis.
        let cubic = mass(KernelKind::Cubic, None);
        assert!(close(cubic.at(node), 8.0 * 4.0 / 9.0));
        assert!(close(cubic.at(beside), 8.0 * 2.0 / 18.0));
        let above = mass(KernelKind::Cubic, Some(1));
        assert!(close(above.at(node), 8.0 * 4.0 / 9.0 / 6.0));
        // The linear one gives all to the node.
        let linear = mass(KernelKind::Linear, None);
        assert!(close(linear.at(node), 8.0));
    }

    #[test]
    fn matter_at_the_end_of_a_period_adds_to_nodes_at_its_beginning() {
        let periodic = |layer: Option<i64>, axis: usize| {
            let mut plane = plane(layer);
            plane.periods[axis] = Some(8);
            plane
        };
        // At 7.75 of 8 cells: nodes 7, 0 and 1 get 9/32, 22/32 and 1/32.
        let end = [particle([3.875, 2.0, 0.0])];
        let mass = GridSlice::new(periodic(None, 0), end.into_iter(), NodeQuantity::Sum).unwrap();
        let at = |x: f32| mass.at(Vector([x, 2.0, 0.0]));
        assert_eq!(at(3.5), Some(8.0 * 0.75 * 9.0 / 32.0));
        assert_eq!(at(0.0), Some(8.0 * 0.75 * 22.0 / 32.0));
        assert_eq!(at(0.5), Some(8.0 * 0.75 / 32.0));
        let total: f64 = mass.values.iter().filter(|x| !x.is_nan()).sum();
        assert!((total - 8.0).abs() < 1e-12);
        // The last half cell is nearest to node 0; beyond there is nothing.
        assert_eq!(at(3.875), at(0.0));
        assert_eq!((at(4.0), at(-0.125)), (None, None));
        // An image of a particle is the particle.
        let image = [particle([-0.125, 2.0, 0.0])];
        let same = GridSlice::new(periodic(None, 0), image.into_iter(), NodeQuantity::Sum).unwrap();
        assert_eq!(same.at(Vec3::zero()), mass.at(Vec3::zero()));
        assert_eq!(same.range(), mass.range());
        // Across the plane, too: layers 0 and 8 are one.
        let across = [particle([1.0, 2.0, 3.875])];
        for layer in [0, 8] {
            let plane = periodic(Some(layer), 2);
            let mass = GridSlice::new(plane, across.into_iter(), NodeQuantity::Sum).unwrap();
            let there = mass.at(Vector([1.0, 2.0, 0.0]));
            assert_eq!(there, Some(8.0 * 0.5625 * 22.0 / 32.0));
        }
    }

    #[test]
    fn nothing_and_nonsense_have_no_slice() {
        let nonsense = Contribution {
            position: [f64::NAN, 0.0, 0.0],
            weight: 1.0,
            quantity: [0.0; 3],
        };
        assert!(GridSlice::new(plane(None), [nonsense].into_iter(), NodeQuantity::Sum).is_none());
        assert!(GridSlice::new(plane(None), [].into_iter(), NodeQuantity::Sum).is_none());
        let far = Contribution {
            position: [1e9, 1e9, 0.0],
            ..nonsense
        };
        let near = Contribution {
            position: [0.0; 3],
            ..nonsense
        };
        let both = [far, near].into_iter();
        assert!(GridSlice::new(plane(None), both, NodeQuantity::Sum).is_none());
    }
}
