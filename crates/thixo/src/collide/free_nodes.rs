//! Nodes that are away from all walls and obstacles.

use super::nodes::BoundingSphere;
use super::{Collider, Wall};
use crate::grid::Geometry;

/// Nodes of a block, at a coordinate in blocks, that are at least `distance` \[m\] outside of every
/// wall and obstacle at a time \[s\]: one bit each, the last axis fastest.
pub(crate) fn free_nodes<const D: usize>(
    walls: &[Wall<D>],
    colliders: &[Collider<D>],
    geometry: &Geometry<D>,
    block: [i32; D],
    [time, distance]: [f64; 2],
) -> u64 {
    let sphere = BoundingSphere::of_block(block, geometry);
    let is_near = |collider: &&Collider<D>| {
        let gap = collider.shape().surface(sphere.centre, time).distance - sphere.radius;
        gap < distance
    };
    let near: Vec<&Collider<D>> = colliders.iter().filter(is_near).collect();
    let is_free = |k: &usize| {
        let x = geometry.node_position(block, *k);
        walls.iter().all(|wall| wall.height(x) >= distance)
            && near
                .iter()
                .all(|collider| collider.shape().surface(x, time).distance >= distance)
    };
    let free = (0..geometry.nodes_per_block()).filter(is_free);
    free.fold(0, |bits, k| bits | 1 << k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::shape::Sphere;
    use crate::collide::{Contact, Plane, Side};
    use crate::kernel::KernelKind;

    #[test]
    fn free_nodes_are_a_distance_from_walls_and_obstacles() {
        let geometry = Geometry::<2>::new(0.5, KernelKind::Quadratic, [None; 2]).unwrap();
        let floor = Wall::new(1, 0.5, Side::Above, Contact::Slip);
        let slope = Plane::new([3.0, 0.0], [-1.0, 0.0]).unwrap();
        let slope = Collider::new(slope, Contact::Slip).unwrap();
        let far = Sphere::new([90.0, 0.0], 1.0).unwrap();
        let far = Collider::new(far, Contact::Slip).unwrap();
        let free = free_nodes(&[floor], &[slope, far], &geometry, [0, 0], [0.0, 0.75]);
        for k in 0..64 {
            let [x, y] = geometry.node_position([0, 0], k);
            let expected = y - 0.5 >= 0.75 && 3.0 - x >= 0.75;
            assert_eq!(free >> k & 1 == 1, expected, "{x} {y}");
        }
    }
}
