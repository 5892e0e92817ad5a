//! Walls and obstacles together, as the solids that bound the faces of a staggered grid.

use thixo_math::Vector;

use super::nodes::mean_velocity;
use super::{Collider, Contact, ContactImpulse, ContactImpulses, Side, Wall};

/// A wall or an obstacle, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Solid {
    /// A wall on a line of nodes.
    Wall(u32),
    /// An obstacle by a level set.
    Collider(u32),
}

/// The surface of the nearest solid as seen from a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolidSurface<const D: usize> {
    /// The solid.
    pub solid: Solid,
    /// Signed distance \[m\], negative inside.
    pub distance: f64,
    /// Outward unit normal \[–\].
    pub normal: Vector<f64, D>,
}

/// All solids of a scene.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Solids<'a, const D: usize> {
    /// Walls on lines of nodes.
    pub walls: &'a [Wall<D>],
    /// Obstacles by level sets.
    pub colliders: &'a [Collider<D>],
}

impl<const D: usize> Solids<'_, D> {
    /// True if some contact has friction.
    pub fn have_friction(&self) -> bool {
        let has_friction = |contact: Contact| contact.friction() != Some(0.0);
        let walls = self.walls.iter().map(|wall| wall.contact);
        walls.filter(|c| c.friction().is_some()).any(has_friction)
            || self.colliders.iter().any(Collider::may_have_friction)
    }
    /// Solids whose surface, or whose inside, is within `radius` \[m\] of a place at a time \[s\].
    pub fn near(&self, place: [f64; D], radius: f64, time: f64) -> Vec<Solid> {
        let walls = (0..self.walls.len() as u32).map(Solid::Wall);
        let colliders = (0..self.colliders.len() as u32).map(Solid::Collider);
        walls
            .chain(colliders)
            .filter(|solid| self.surface(*solid, place, time).distance <= radius)
            .collect()
    }
    /// True if a solid is the same at all times.
    pub fn is_at_rest(&self, solid: Solid) -> bool {
        match solid {
            Solid::Wall(_) => true,
            Solid::Collider(index) => self.colliders[index as usize].is_at_rest(),
        }
    }
    /// The surface of a solid as seen from a place \[m\] at a time \[s\].
    pub fn surface(&self, solid: Solid, place: [f64; D], time: f64) -> SolidSurface<D> {
        match solid {
            Solid::Wall(index) => {
                let wall = &self.walls[index as usize];
                let mut normal = Vector::zero();
                normal[wall.axis] = match wall.matter {
                    Side::Above => 1.0,
                    Side::Below => -1.0,
                };
                SolidSurface {
                    solid,
                    distance: wall.height(place),
                    normal,
                }
            }
            Solid::Collider(index) => {
                let surface = self.colliders[index as usize].shape().surface(place, time);
                SolidSurface {
                    solid,
                    distance: surface.distance,
                    normal: Vector(surface.normal),
                }
            }
        }
    }
    /// The nearest of some solids, or the one in which a place is deepest.
    pub fn nearest(&self, of: &[Solid], place: [f64; D], time: f64) -> Option<SolidSurface<D>> {
        let mut nearest: Option<SolidSurface<D>> = None;
        for &solid in of {
            let surface = self.surface(solid, place, time);
            if nearest.is_none_or(|other| surface.distance < other.distance) {
                nearest = Some(surface);
            }
        }
        nearest
    }
    /// Mean velocity \[m/s\] of a solid at a place in a step from `time` on of `dt` \[s\].
    pub fn velocity(&self, solid: Solid, place: [f64; D], times: [f64; 2]) -> Vector<f64, D> {
        match solid {
            Solid::Wall(index) => Vector(self.walls[index as usize].velocity),
            Solid::Collider(index) => {
                mean_velocity(self.colliders[index as usize].shape(), place, times)
            }
        }
    }
    /// Contact of a solid with matter at a place \[m\] and time \[s\].
    pub fn contact(&self, solid: Solid, place: [f64; D], time: f64) -> Contact {
        match solid {
            Solid::Wall(index) => self.walls[index as usize].contact,
            Solid::Collider(index) => self.colliders[index as usize].contact_at(place, time),
        }
    }
}

impl<const D: usize> ContactImpulses<D> {
    /// The impulse of a solid.
    pub(crate) fn of_mut(&mut self, solid: Solid) -> &mut ContactImpulse<D> {
        match solid {
            Solid::Wall(index) => &mut self.walls[index as usize],
            Solid::Collider(index) => &mut self.colliders[index as usize],
        }
    }
}
