//! Blocks of nodes near obstacles, and how fast obstacles come towards matter.

use rayon::prelude::*;
use thixo_math::Vector;
use thixo_par::Scalar;

use super::boundary_node::SURFACE_LAYER;
use super::shape::Surface;
use super::{Collider, LevelSet, Solids};
use crate::grid::{Blocks, Geometry, Grid, MaterialMasses, Tiles};
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
    /// True if part of the sphere may lie in the solid or in the layer of boundary nodes in front
    /// of it, by the signed distance at the centre.
    pub fn meets(&self, collider: &Collider<D>, spacing: f64, time: f64) -> bool {
        self.overlaps(collider.shape().surface(self.centre, time), spacing)
    }
    fn overlaps(&self, surface: Surface<D>, spacing: f64) -> bool {
        surface.distance <= self.radius + SURFACE_LAYER * spacing
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

/// The largest speed \[m/s\] of a solid that holds the matter it touches, in any direction: matter
/// at rest may have that speed after its first step.
pub(crate) fn holding_speed<const D: usize>(
    solids: Solids<'_, D>,
    blocks: &Blocks<D>,
    geometry: &Geometry<D>,
    time: f64,
) -> f64 {
    let spacing = geometry.spacing();
    let mut fastest = 0.0f64;
    for block in 0..blocks.len() {
        let sphere = BoundingSphere::of_block(blocks.coordinate(block), geometry);
        for solid in solids.near(sphere.centre, sphere.radius + spacing, time) {
            let surface = solids.surface(solid, sphere.centre, time);
            let nearest = (Vector(sphere.centre) - surface.normal * surface.distance).0;
            if solids.contact(solid, nearest, time).holds_tangentially() {
                let velocity = solids.velocity(solid, nearest, [time, 0.0]);
                fastest = fastest.max(velocity.norm());
            }
        }
    }
    fastest
}

/// Calls `visit` with the index of every obstacle that may be near nodes of a block at the end of
/// the step; returns the largest speed \[m/s\] at which one approaches the block.
pub(super) fn for_each_near<const D: usize>(
    colliders: &[Collider<D>],
    block: [i32; D],
    step: &StepContext<'_, D>,
    mut visit: impl FnMut(usize),
) -> f64 {
    let (spacing, time) = (step.geometry.spacing(), step.time + step.dt);
    let sphere = BoundingSphere::of_block(block, step.geometry);
    let mut fastest = 0.0f64;
    for (index, collider) in colliders.iter().enumerate() {
        let surface = collider.shape().surface(sphere.centre, time);
        fastest = fastest.max(sphere.closing_speed(collider, surface, spacing, [time, step.dt]));
        if sphere.overlaps(surface, spacing) {
            visit(index);
        }
    }
    fastest
}

/// Mean velocity \[m/s\] over a step of the material point of a solid that is at `place` when the
/// step begins, by the midpoint rule. With the velocity at `place` itself the point would follow a
/// tangent, and matter held by a rotating solid would widen in steps as long as implicit ones.
pub(super) fn mean_velocity<const D: usize>(
    shape: &dyn LevelSet<D>,
    place: [f64; D],
    [time, dt]: [f64; 2],
) -> Vector<f64, D> {
    let first = Vector(shape.velocity(place, time));
    let half_way = Vector(place) + first * (0.5 * dt);
    Vector(shape.velocity(half_way.0, time + 0.5 * dt))
}

/// Sums the masses of the single materials, `materials` in number, at the nodes near obstacles that
/// distinguish them, equation (8a). The tiles must hold the mass of the coming step.
pub(crate) fn weigh_materials<T: Scalar, const D: usize>(
    colliders: &[Collider<D>],
    materials: usize,
    grid: &mut Grid<T, D>,
    step: &StepContext<'_, D>,
) {
    let Grid {
        material_masses,
        tiles,
        ..
    } = grid;
    weigh_materials_of(
        colliders,
        (materials, |_| true),
        (material_masses, tiles),
        step,
    );
}

/// The same for materials for which `counts` holds, from the tiles of all.
pub(crate) fn weigh_materials_of<T: Scalar, const D: usize>(
    colliders: &[Collider<D>],
    materials: (usize, impl Fn(usize) -> bool + Sync),
    (material_masses, tiles): (&mut MaterialMasses<T>, &Tiles<T, 4, D>),
    step: &StepContext<'_, D>,
) {
    let distinguishing = || colliders.iter().filter(|c| c.distinguishes_materials());
    if distinguishing().next().is_none() {
        return;
    }
    let (spacing, time) = (step.geometry.spacing(), step.time + step.dt);
    let blocks = &step.order.blocks;
    let is_requested = (0..blocks.len()).into_par_iter().map(|b| {
        let sphere = BoundingSphere::of_block(blocks.coordinate(b), step.geometry);
        distinguishing().any(|collider| sphere.meets(collider, spacing, time))
    });
    let is_requested: Vec<bool> = is_requested.collect();
    material_masses.sum(&is_requested, materials, step.order, tiles);
}
