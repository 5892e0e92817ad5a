//! Contact on the grid: the velocity of nodes inside an obstacle is constrained, equation (8).
//! \[Jiang2016\] §12.1.

use rayon::prelude::*;
use thixo_math::Vector;
use thixo_par::Scalar;

use super::shape::Surface;
use super::{Collider, Contact, LevelSet};
use crate::grid::{Blocks, Geometry, Grid, MASS};
use crate::step_context::StepContext;

/// Distance in cells beyond which the speed of an obstacle does not limit the time step.
const HORIZON: f64 = 16.0;

/// Bounding sphere of the nodes of a block.
#[derive(Clone, Copy)]
pub(super) struct BoundingSphere<const D: usize> {
    /// Its centre \[m\].
    pub centre: [f64; D],
    /// Its radius \[m\].
    pub radius: f64,
}

impl<const D: usize> BoundingSphere<D> {
    /// The sphere of the block at a coordinate \[blocks\].
    pub fn of_block(block: [i32; D], geometry: &Geometry<D>) -> Self {
        let half = 0.5 * (geometry.block_side() - 1) as f64 * geometry.spacing();
        Self {
            centre: geometry.node_position(block, 0).map(|x| x + half),
            radius: half * (D as f64).sqrt(),
        }
    }
    /// True if part of the sphere may lie in the solid, by the signed distance at the centre.
    pub fn meets(&self, collider: &Collider<D>, time: f64) -> bool {
        self.overlaps(collider.shape().surface(self.centre, time))
    }
    fn overlaps(&self, surface: Surface<D>) -> bool {
        surface.distance <= self.radius
    }
    /// Speed of the surface towards the sphere \[m/s\]; zero unless the surface is within two cells
    /// or can be there in two steps of `dt` seconds.
    fn closing_speed(
        &self,
        collider: &Collider<D>,
        surface: Surface<D>,
        spacing: f64,
        [time, dt]: [f64; 2],
    ) -> f64 {
        let gap = surface.distance - self.radius;
        // Holds also for a solid without a surface, whose distance is infinite.
        if gap > HORIZON * spacing {
            return 0.0;
        }
        let normal = Vector(surface.normal);
        let nearest = Vector(self.centre) - normal * surface.distance;
        let speed = normal.dot(Vector(collider.shape().velocity(nearest.0, time)));
        if speed > 0.0 && gap <= 2.0 * (spacing + speed * dt) {
            speed
        } else {
            0.0
        }
    }
}

/// The largest speed \[m/s\] at which an obstacle approaches matter that it can meet in the next
/// steps of `dt` seconds.
pub(crate) fn closing_speed<const D: usize>(
    colliders: &[Collider<D>],
    blocks: &Blocks<D>,
    geometry: &Geometry<D>,
    [time, dt]: [f64; 2],
) -> f64 {
    let spacing = geometry.spacing();
    let mut fastest = 0.0f64;
    for collider in colliders {
        for block in 0..blocks.len() {
            let sphere = BoundingSphere::of_block(blocks.coordinate(block), geometry);
            let surface = collider.shape().surface(sphere.centre, time);
            fastest = fastest.max(sphere.closing_speed(collider, surface, spacing, [time, dt]));
        }
    }
    fastest
}

/// Calls `constrain` with every obstacle that may reach into a block at the end of the step;
/// returns the largest speed \[m/s\] at which one approaches the block.
fn for_each_near<const D: usize>(
    colliders: &[Collider<D>],
    block: [i32; D],
    step: &StepContext<'_, D>,
    mut constrain: impl FnMut(&Collider<D>),
) -> f64 {
    let (spacing, time) = (step.geometry.spacing(), step.time + step.dt);
    let sphere = BoundingSphere::of_block(block, step.geometry);
    let mut fastest = 0.0f64;
    for collider in colliders {
        let surface = collider.shape().surface(sphere.centre, time);
        fastest = fastest.max(sphere.closing_speed(collider, surface, spacing, [time, step.dt]));
        if sphere.overlaps(surface) {
            constrain(collider);
        }
    }
    fastest
}

/// Mean velocity \[m/s\] over a step of the material point of a solid that is at `place` when the
/// step begins, by the midpoint rule. With the velocity at `place` itself the point would follow a
/// tangent, and matter held by a rotating solid would widen in steps as long as implicit ones.
fn mean_velocity<const D: usize>(
    shape: &dyn LevelSet<D>,
    place: [f64; D],
    [time, dt]: [f64; 2],
) -> Vector<f64, D> {
    let first = Vector(shape.velocity(place, time));
    let half_way = Vector(place) + first * (0.5 * dt);
    Vector(shape.velocity(half_way.0, time + 0.5 * dt))
}

/// A node inside an obstacle, with the contact that acts on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactNode<const D: usize> {
    /// Index of the node.
    pub node: usize,
    /// Contact of the obstacle with the matter at the node; that of the material of most mass if
    /// the obstacle distinguishes materials.
    pub contact: Contact,
    /// Outward unit normal of the obstacle \[–\].
    pub normal: Vector<f64, D>,
    /// Mean velocity of the obstacle in the step \[m/s\].
    pub solid: Vector<f64, D>,
}

/// All nodes with mass that lie in an obstacle at the end of the step, once for every obstacle
/// around them, and the largest speed \[m/s\] at which an obstacle approaches matter.
pub(crate) fn contact_nodes<T: Scalar, const D: usize>(
    colliders: &[Collider<D>],
    grid: &Grid<T, D>,
    step: &StepContext<'_, D>,
) -> (Vec<ContactNode<D>>, f64) {
    let time = step.time + step.dt;
    let blocks = &step.order.blocks;
    let per_block = blocks.nodes_per_block();
    let found: Vec<(Vec<ContactNode<D>>, f64)> = (0..blocks.len())
        .into_par_iter()
        .map(|b| {
            let block = blocks.coordinate(b);
            let mut contact_nodes = Vec::new();
            let fastest = for_each_near(colliders, block, step, |collider| {
                let shape = collider.shape();
                for k in 0..per_block {
                    let node = b * per_block + k;
                    if grid.nodes.values()[node][MASS] <= T::zero() {
                        continue;
                    }
                    let x = step.geometry.node_position(block, k);
                    let surface = shape.surface(x, time);
                    if surface.distance > 0.0 {
                        continue;
                    }
                    let heaviest = match collider.distinguishes_materials() {
                        true => grid.material_masses.heaviest(b, k),
                        false => None,
                    };
                    contact_nodes.push(ContactNode {
                        node,
                        contact: match heaviest {
                            Some(material) => collider.contact_of(material, x, time),
                            None => collider.contact_at(x, time),
                        },
                        normal: Vector(surface.normal),
                        solid: mean_velocity(shape, x, [step.time, step.dt]),
                    });
                }
            });
            (contact_nodes, fastest)
        })
        .collect();
    let fastest = found.iter().map(|(_, speed)| *speed).fold(0.0, f64::max);
    let all = found
        .into_iter()
        .flat_map(|(contact_nodes, _)| contact_nodes);
    (all.collect(), fastest)
}

/// Sums the masses of the single materials, `materials` in number, at the nodes near obstacles that
/// distinguish them, equation (8a). The tiles must hold the mass of the coming step.
pub(crate) fn weigh_materials<T: Scalar, const D: usize>(
    colliders: &[Collider<D>],
    materials: usize,
    grid: &mut Grid<T, D>,
    step: &StepContext<'_, D>,
) {
    let distinguishing = || colliders.iter().filter(|c| c.distinguishes_materials());
    if distinguishing().next().is_none() {
        return;
    }
    let time = step.time + step.dt;
    let blocks = &step.order.blocks;
    let is_requested = (0..blocks.len()).into_par_iter().map(|b| {
        let sphere = BoundingSphere::of_block(blocks.coordinate(b), step.geometry);
        distinguishing().any(|collider| sphere.meets(collider, time))
    });
    let is_requested: Vec<bool> = is_requested.collect();
    let Grid {
        material_masses,
        tiles,
        ..
    } = grid;
    material_masses.sum(&is_requested, materials, step.order, tiles);
}

/// Constrains the velocities of all nodes that lie in an obstacle; returns the largest
/// speed \[m/s\] at which one approaches matter.
pub(crate) fn constrain<T: Scalar, const D: usize>(
    colliders: &[Collider<D>],
    grid: &mut Grid<T, D>,
    step: &StepContext<'_, D>,
) -> f64 {
    if colliders.is_empty() {
        return 0.0;
    }
    let time = step.time + step.dt;
    let Grid {
        nodes,
        material_masses,
        ..
    } = grid;
    let material_masses = &*material_masses;
    let speeds = nodes.blocks_mut().map(|(b, nodes)| {
        let block = step.order.blocks.coordinate(b);
        for_each_near(colliders, block, step, |collider| {
            let shape = collider.shape();
            for (k, node) in nodes.iter_mut().enumerate() {
                let x = step.geometry.node_position(block, k);
                if node[MASS] <= T::zero() {
                    continue;
                }
                let surface = shape.surface(x, time);
                if surface.distance > 0.0 {
                    continue;
                }
                let solid = Vector(shape.velocity(x, time));
                let mut v = Vector::zero();
                for a in 0..D {
                    v[a] = node[a].to_f64();
                }
                let (relative, normal) = (v - solid, Vector(surface.normal));
                let by_material = collider.distinguishes_materials().then(|| {
                    material_masses.mean(b, k, |material| {
                        let contact = collider.contact_of(material, x, time);
                        contact.constrain(relative, normal)
                    })
                });
                let kept = by_material
                    .flatten()
                    .unwrap_or_else(|| collider.contact_at(x, time).constrain(relative, normal));
                for a in 0..D {
                    node[a] = T::from_f64(kept[a] + solid[a]);
                }
            }
        })
    });
    speeds.reduce(|| 0.0, f64::max)
}
