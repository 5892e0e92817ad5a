//! Nodes at the surface of obstacles, and their image points in the matter, equation (8).
//!
//! Setting the nodes inside an obstacle to rest would put a curved or oblique surface 0.2 to 1 h
//! behind its place (errata E45). Instead velocities are continued from the matter into the
//! obstacle, as in ghost-cell immersed boundary methods: a node at the signed distance φ from the
//! surface follows the velocity at an image point on its normal, at the distance d in front of the
//! surface, with the factor φ/d for components that vanish at the surface. On an aligned surface
//! through nodes this is the reflection of a [`Wall`](super::Wall).

use rayon::prelude::*;
use thixo_math::Vector;
use thixo_par::Scalar;

use super::nodes::{for_each_near, mean_velocity};
use super::shape::Surface;
use super::{Collider, Contact};
use crate::grid::{Grid, MASS};
use crate::step_context::StepContext;

/// Distance from the surface in cells within which a node represents the surface: in front, its
/// velocity follows from the image point; behind, it keeps its own tangential velocity where it
/// slides.
pub(crate) const SURFACE_LAYER: f64 = 0.4;

/// Step in cells by which an image point is moved away from the surface until all nodes around it
/// are away from obstacles.
const SEARCH_STEP: f64 = 0.1;
/// Farthest image point from the mirror point of a node, in cells.
const SEARCH_LENGTH: f64 = 2.5;
/// Least weight of nodes with matter around an image point.
const LEAST_WEIGHT: f64 = 0.5;
/// Largest mass of a node deeper than the surface layer, relative to that at its image point. Where
/// more matter is behind the surface than the tails of kernels, it was put there, or is gripped:
/// its nodes are constrained by themselves, since the motion of matter and image against each other
/// would be free.
const MOST_MASS: f64 = 0.6;
/// Slope of the mass of a column, relative to that of matter which touches the surface, over the
/// gap \[1/cells\].
const MASS_PER_GAP: f64 = 1.5;
/// Feet of normals are moved by this much before they are rounded to nodes \[cells\], so that
/// surfaces in the middle between nodes have columns, too.
const FOOT_SHIFT: f64 = 1e-4;
/// Weights below this are rounding errors of image points at nodes.
const NO_WEIGHT: f64 = 1e-9;

/// A point in the matter whose velocity a boundary node follows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImagePoint<const D: usize> {
    /// Nodes around the point; the first 2ᴰ entries are in use.
    pub nodes: [u32; 8],
    /// Weights of multilinear interpolation between them, whose sum is one \[–\].
    pub weights: [f64; 8],
    /// φ/d, the signed distance of the node over that of the point, from −1 to 1 \[–\].
    pub ratio: f64,
    /// Distance d of the point from the surface \[cells\].
    pub distance: f64,
    /// Velocity of the obstacle at the point \[m/s\].
    pub solid: Vector<f64, D>,
}

impl<const D: usize> ImagePoint<D> {
    /// Nodes around the point that have a weight, with their weights.
    pub fn stencil(&self) -> impl Iterator<Item = (usize, f64)> {
        let all = self.nodes.iter().zip(&self.weights).take(1 << D);
        all.filter(|(_, weight)| **weight > 0.0)
            .map(|(node, weight)| (*node as usize, *weight))
    }
}

/// A node at the surface of an obstacle or in it, with the contact that acts on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactNode<const D: usize> {
    /// Index of the node.
    pub node: usize,
    /// Index of the obstacle.
    pub collider: usize,
    /// Contact of the obstacle with the matter at the node, equation (8a).
    pub contact: Contact,
    /// Outward unit normal of the obstacle \[–\].
    pub normal: Vector<f64, D>,
    /// Mean velocity of the obstacle at the node in the step \[m/s\].
    pub solid: Vector<f64, D>,
}

/// A node in front of the surface of an obstacle by less than [`SURFACE_LAYER`], or behind it, that
/// follows an image point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundaryNode<const D: usize> {
    /// The contact.
    pub at: ContactNode<D>,
    /// Signed distance from the surface \[cells\].
    pub distance: f64,
    /// Point whose velocity the node follows.
    pub image: ImagePoint<D>,
    /// Node nearest to the foot of the normal on the surface \[cells\]. Contact opens and slides
    /// for all nodes with the same foot together, as for the column of nodes at a wall.
    pub foot: [i32; D],
}

impl<const D: usize> BoundaryNode<D> {
    /// True if the tangential velocity of a node that slides is that of the image point.
    pub fn is_mirrored(&self) -> bool {
        self.distance <= -SURFACE_LAYER
    }
}

/// Nodes at obstacles in a step.
#[derive(Debug, Default)]
pub(crate) struct BoundaryNodes<const D: usize> {
    /// Nodes that follow an image point, block after block.
    pub following: Vec<BoundaryNode<D>>,
    /// Columns of nodes with the same foot on the surface of an obstacle, as indices into
    /// `following`: their contact opens, closes and slides together.
    pub columns: Vec<Vec<u32>>,
    /// Nodes inside obstacles that leave no room for an image point, and nodes that several
    /// obstacles contain, once for each: they are constrained by themselves.
    pub plain: Vec<ContactNode<D>>,
    /// Largest speed at which an obstacle approaches matter \[m/s\].
    pub closing_speed: f64,
}

/// A node near an obstacle, before its image point is known.
struct NearNode<const D: usize> {
    k: usize,
    position: Vector<f64, D>,
    collider: usize,
    distance: f64,
    normal: Vector<f64, D>,
}

impl<const D: usize> NearNode<D> {
    /// The surface as seen from the node, with its distance in cells.
    fn surface(&self) -> Surface<D> {
        Surface {
            distance: self.distance,
            normal: self.normal.0,
        }
    }
}

/// Nodes of a block near obstacles.
struct NearBlock<const D: usize> {
    block: usize,
    /// One bit for each node, set where the node is in `nodes`.
    is_near: u64,
    nodes: Vec<NearNode<D>>,
    closing_speed: f64,
}

/// All boundary nodes with mass at the end of the step. The masses of single materials near
/// obstacles must be known.
pub(crate) fn boundary_nodes<T: Scalar, const D: usize>(
    colliders: &[Collider<D>],
    grid: &Grid<T, D>,
    step: &StepContext<'_, D>,
) -> BoundaryNodes<D> {
    if colliders.is_empty() {
        return BoundaryNodes::default();
    }
    let near: Vec<NearBlock<D>> = (0..step.order.blocks.len())
        .into_par_iter()
        .map(|block| near_nodes(colliders, grid, step, block))
        .collect();
    let search = ImageSearch {
        near: &near,
        grid,
        step,
    };
    let found: Vec<BoundaryNodes<D>> = near
        .par_iter()
        .map(|near| search.boundary_nodes(colliders, near))
        .collect();
    let mut all = BoundaryNodes::default();
    for block in found {
        all.following.extend(block.following);
        all.plain.extend(block.plain);
        all.closing_speed = all.closing_speed.max(block.closing_speed);
    }
    all.columns = columns(&all.following);
    search.close_gaps(&mut all);
    all
}

/// Indices of boundary nodes by obstacle and foot of the normal, a list for every column, in the
/// order of their first nodes.
fn columns<const D: usize>(following: &[BoundaryNode<D>]) -> Vec<Vec<u32>> {
    let key = |i: &u32| {
        let node = &following[*i as usize];
        (node.at.collider, node.foot)
    };
    let mut order: Vec<u32> = (0..following.len() as u32).collect();
    order.sort_by_key(key);
    let columns = order.chunk_by(|a, b| key(a) == key(b));
    let mut columns: Vec<Vec<u32>> = columns.map(<[u32]>::to_vec).collect();
    columns.sort_by_key(|column| column[0]);
    columns
}

/// Nodes of a block that are within [`SURFACE_LAYER`] of an obstacle or in it.
fn near_nodes<T: Scalar, const D: usize>(
    colliders: &[Collider<D>],
    grid: &Grid<T, D>,
    step: &StepContext<'_, D>,
    block: usize,
) -> NearBlock<D> {
    let (spacing, time) = (step.geometry.spacing(), step.time + step.dt);
    let coordinate = step.order.blocks.coordinate(block);
    let per_block = step.order.blocks.nodes_per_block();
    let masses = &grid.nodes.values()[block * per_block..][..per_block];
    let mut is_near = 0u64;
    let mut nodes = Vec::new();
    let closing_speed = for_each_near(colliders, coordinate, step, |collider| {
        for (k, node) in masses.iter().enumerate() {
            if node[MASS] <= T::zero() {
                continue;
            }
            let position = step.geometry.node_position(coordinate, k);
            let surface = colliders[collider].shape().surface(position, time);
            let distance = surface.distance / spacing;
            if distance < SURFACE_LAYER {
                is_near |= 1 << k;
                nodes.push(NearNode {
                    k,
                    position: Vector(position),
                    collider,
                    distance,
                    normal: Vector(surface.normal),
                });
            }
        }
    });
    // All obstacles around a node one after the other, in an order that does not depend on that in
    // which they are listed.
    nodes.sort_by(|a, b| {
        a.k.cmp(&b.k)
            .then_with(|| a.surface().compare(&b.surface()))
    });
    NearBlock {
        block,
        is_near,
        nodes,
        closing_speed,
    }
}

/// The search for image points: nodes with matter that are away from obstacles.
struct ImageSearch<'a, T: Scalar, const D: usize> {
    near: &'a [NearBlock<D>],
    grid: &'a Grid<T, D>,
    step: &'a StepContext<'a, D>,
}

impl<'a, T: Scalar, const D: usize> ImageSearch<'a, T, D> {
    fn boundary_nodes(&self, colliders: &[Collider<D>], near: &NearBlock<D>) -> BoundaryNodes<D> {
        let spacing = self.step.geometry.spacing();
        let mut found = BoundaryNodes {
            closing_speed: near.closing_speed,
            ..BoundaryNodes::default()
        };
        for around in near.nodes.chunk_by(|a, b| a.k == b.k) {
            for node in around {
                let collider = &colliders[node.collider];
                let at = self.contact_node(collider, near.block, node);
                let image = match around.len() {
                    1 => self.image_point(collider, node, at.node),
                    _ => None,
                };
                if let Some(image) = image {
                    let foot = node.position - node.normal * (node.distance * spacing);
                    found.following.push(BoundaryNode {
                        at,
                        distance: node.distance,
                        image,
                        foot: foot.0.map(|x| (x / spacing + FOOT_SHIFT).round() as i32),
                    });
                } else if node.distance <= 0.0 {
                    // In front of the surface a node by itself is free.
                    found.plain.push(at);
                }
            }
        }
        found
    }

    fn contact_node(
        &self,
        collider: &Collider<D>,
        block: usize,
        near: &NearNode<D>,
    ) -> ContactNode<D> {
        let step = self.step;
        let (x, time) = (near.position.0, step.time + step.dt);
        ContactNode {
            node: block * step.order.blocks.nodes_per_block() + near.k,
            collider: near.collider,
            contact: match collider.distinguishes_materials() {
                true => {
                    let masses = self.grid.material_masses.at(block, near.k);
                    collider.contact_with_mixture(masses, x, time)
                }
                false => collider.contact_at(x, time),
            },
            normal: near.normal,
            solid: mean_velocity(collider.shape(), x, [step.time, step.dt]),
        }
    }

    /// Lets matter come up to the surface of obstacles that it may leave: where the mass of a
    /// column shows a gap g, the obstacle counts as moving away with g/Δt. Otherwise contact would
    /// begin when kernels meet, up to two cells too early.
    fn close_gaps(&self, boundary: &mut BoundaryNodes<D>) {
        let spacing = self.step.geometry.spacing();
        let kernel = self.step.geometry.kernel();
        for column in &boundary.columns {
            let (mut mass, mut touching) = (0.0, 0.0);
            for &i in column {
                let node = &boundary.following[i as usize];
                let ImagePoint { nodes, weights, .. } = node.image;
                let full = self.mass(nodes, weights) / kernel.cumulative(node.image.distance);
                mass += self.grid.nodes.values()[node.at.node][MASS].to_f64();
                touching += full * kernel.cumulative(node.distance);
            }
            let gap = (1.0 - mass / touching) / MASS_PER_GAP;
            for &i in column {
                let node = &mut boundary.following[i as usize];
                if gap > 0.0 && node.at.contact.is_unilateral() {
                    let recede = node.at.normal * (gap * spacing / self.step.dt);
                    node.at.solid -= recede;
                    node.image.solid -= recede;
                }
            }
        }
    }

    /// The image point nearest to the mirror point of a node, on its normal.
    fn image_point(
        &self,
        collider: &Collider<D>,
        near: &NearNode<D>,
        node: usize,
    ) -> Option<ImagePoint<D>> {
        let mass = self.grid.nodes.values()[node][MASS].to_f64();
        let spacing = self.step.geometry.spacing();
        let behind = near.distance.abs();
        let mut distance = match near.distance < 0.0 {
            true => behind,
            false => near.distance + SEARCH_STEP,
        };
        while distance <= behind + SEARCH_LENGTH {
            let point = near.position + near.normal * ((distance - near.distance) * spacing);
            if let Some((nodes, weights)) = self.stencil(point * (1.0 / spacing)) {
                if near.distance <= -SURFACE_LAYER && mass > MOST_MASS * self.mass(nodes, weights) {
                    return None;
                }
                let step = [self.step.time, self.step.dt];
                return Some(ImagePoint {
                    nodes,
                    weights,
                    ratio: near.distance / distance,
                    distance,
                    solid: mean_velocity(collider.shape(), point.0, step),
                });
            }
            distance += SEARCH_STEP;
        }
        None
    }

    /// Mass at an image point \[kg\].
    fn mass(&self, nodes: [u32; 8], weights: [f64; 8]) -> f64 {
        let masses = nodes.map(|node| self.grid.nodes.values()[node as usize][MASS].to_f64());
        masses.iter().zip(weights).map(|(m, w)| m * w).sum()
    }

    /// Nodes around a point \[cells\] and their weights, if those with matter are away from
    /// obstacles and have most of the weight.
    fn stencil(&self, point: Vector<f64, D>) -> Option<([u32; 8], [f64; 8])> {
        let base = point.0.map(f64::floor);
        let (mut nodes, mut weights) = ([0; 8], [0.0; 8]);
        let mut total = 0.0;
        for corner in 0..1 << D {
            let mut weight = 1.0;
            let mut node = [0; D];
            for a in 0..D {
                let fraction = point[a] - base[a];
                let upper = corner >> a & 1;
                weight *= if upper == 1 { fraction } else { 1.0 - fraction };
                node[a] = base[a] as i32 + upper as i32;
            }
            if weight < NO_WEIGHT {
                continue;
            }
            let Some((block, k)) = self.find(node) else {
                continue;
            };
            let index = block * self.step.order.blocks.nodes_per_block() + k;
            if self.grid.nodes.values()[index][MASS] <= T::zero() {
                continue;
            }
            if self.near[block].is_near >> k & 1 == 1 {
                return None;
            }
            nodes[corner] = index as u32;
            weights[corner] = weight;
            total += weight;
        }
        if total < LEAST_WEIGHT {
            return None;
        }
        Some((nodes, weights.map(|weight| weight / total)))
    }

    /// Block and index in it of the node at a coordinate \[cells\].
    fn find(&self, node: [i32; D]) -> Option<(usize, usize)> {
        let side = self.step.order.blocks.side() as i32;
        let block = self.step.geometry.wrap(node.map(|x| x.div_euclid(side)));
        if !self.step.geometry.holds(block) {
            return None;
        }
        let index = self.step.order.blocks.find(block)?;
        let k = node.iter().fold(0, |k, x| k * side + x.rem_euclid(side));
        Some((index, k as usize))
    }
}
