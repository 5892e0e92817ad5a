//! Obstacles: a solid, its contact with each material, and the target of that contact.

use core::fmt;
use std::sync::Arc;

use super::{Contact, LevelSet};
use crate::error::BuildError;

/// Thickness in cells from which on a solid counts as thick: no particle can then be past the
/// middle of the solid without having been deeper than a cell.
const THICK: f64 = 2.0;

/// Target of the contact with an obstacle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ActsOn {
    /// Velocities of nodes, equation (8). Particles may then sink into the obstacle by a fraction
    /// of a cell, since they move with the mean of nodes inside and outside.
    #[default]
    Grid,
    /// Nodes, and then once more the velocity of every particle that is itself inside the obstacle,
    /// before it moves.
    ///
    /// This sharpens the surface: a particle inside neither sinks deeper nor slides against
    /// friction. It has a price (\[Nilles2020\] §13). The particle then moves otherwise than the
    /// grid around it, from which its deformation is computed, so that position and deformation are
    /// no longer consistent. Snow and other solids show little of that. **Do not use it with
    /// fluids**, or with anything that flows along the obstacle: particles that are stopped at the
    /// surface are overtaken by others and accumulate, so that volume and pressure there are wrong.
    /// Mixtures suffer most, because the accumulated mass enters the exchange of momentum between
    /// the phases; the course of a whole simulation can change.
    GridAndParticles,
}

/// An obstacle: a solid and its contact with matter.
///
/// No particle gets deeper than one cell into solids that are at least two cells thick, and none
/// gets through thinner ones. Adjacent obstacles should overlap by two cells: a seam where they
/// only touch is surface on both sides.
#[derive(Clone)]
pub struct Collider<const D: usize> {
    shape: Arc<dyn LevelSet<D>>,
    contact: ContactLaw<D>,
    /// Contact laws of single materials, by index.
    materials: Vec<(usize, ContactLaw<D>)>,
    acts_on: ActsOn,
    thickness: f64,
    is_at_rest: bool,
}

/// A contact, uniform or with variable friction.
#[derive(Clone)]
enum ContactLaw<const D: usize> {
    Everywhere(Contact),
    /// Separating, with a coefficient of friction \[–\] as a function of position \[m\] and
    /// time \[s\].
    Friction(Arc<dyn Fn([f64; D], f64) -> f64 + Send + Sync>),
}

impl<const D: usize> ContactLaw<D> {
    fn at(&self, position: [f64; D], time: f64) -> Contact {
        match self {
            Self::Everywhere(contact) => *contact,
            Self::Friction(friction) => Contact::Separating {
                // `max` maps NaN to zero.
                friction: friction(position, time).max(0.0),
            },
        }
    }
}

impl<const D: usize> Collider<D> {
    /// A level set with a contact, on the grid.
    pub fn new(shape: impl LevelSet<D> + 'static, contact: Contact) -> Result<Self, BuildError> {
        contact.check()?;
        Ok(Self::of(shape, ContactLaw::Everywhere(contact)))
    }
    /// A level set with separating contact and a coefficient of friction \[–\] that varies with
    /// position \[m\] and time \[s\]; no friction where the function is negative or NaN.
    pub fn with_friction(
        shape: impl LevelSet<D> + 'static,
        friction: impl Fn([f64; D], f64) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self::of(shape, ContactLaw::Friction(Arc::new(friction)))
    }
    fn of(shape: impl LevelSet<D> + 'static, contact: ContactLaw<D>) -> Self {
        let thickness = shape.thickness();
        Self {
            shape: Arc::new(shape),
            contact,
            materials: Vec::new(),
            acts_on: ActsOn::default(),
            thickness,
            is_at_rest: false,
        }
    }
    /// Sets another contact for one material, by index. Nodes have one velocity: where several
    /// materials share a node, the contact of the heaviest counts there, and friction is the mean
    /// by mass, equation (8a).
    pub fn for_material(mut self, material: usize, contact: Contact) -> Result<Self, BuildError> {
        contact.check()?;
        self.materials.retain(|(index, _)| *index != material);
        self.materials
            .push((material, ContactLaw::Everywhere(contact)));
        Ok(self)
    }
    /// Sets separating contact for one material, by index, with a friction \[–\] of its own as in
    /// [`Collider::with_friction`].
    #[must_use]
    pub fn for_material_with_friction(
        mut self,
        material: usize,
        friction: impl Fn([f64; D], f64) -> f64 + Send + Sync + 'static,
    ) -> Self {
        self.materials.retain(|(index, _)| *index != material);
        self.materials
            .push((material, ContactLaw::Friction(Arc::new(friction))));
        self
    }
    /// Sets the target of the contact.
    #[must_use]
    pub fn acting_on(mut self, acts_on: ActsOn) -> Self {
        self.acts_on = acts_on;
        self
    }
    /// States the thickness > 0 \[m\] of a solid whose level set gives no sharp bound of it.
    pub fn of_thickness(mut self, thickness: f64) -> Result<Self, BuildError> {
        if thickness.is_nan() || thickness <= 0.0 {
            return Err(BuildError::NotPositive {
                key: "thickness",
                quantity: "thickness of the collider [m]",
                value: thickness,
            });
        }
        self.thickness = thickness;
        Ok(self)
    }
    /// States that the solid is the same at all times and its velocity zero. Results do not depend
    /// on it: what such a solid cuts of the grid is computed once and not in every step.
    #[must_use]
    pub fn at_rest(mut self) -> Self {
        self.is_at_rest = true;
        self
    }
    /// True if the solid was stated to be [at rest](Self::at_rest).
    pub fn is_at_rest(&self) -> bool {
        self.is_at_rest
    }
    /// A lower bound of the thickness of the solid \[m\].
    pub fn thickness(&self) -> f64 {
        self.thickness
    }
    /// True if the solid is, or may be, less than two cells thick on a grid of the given
    /// spacing \[m\]. Such a solid covers few nodes or none; particles are stopped at its surface
    /// instead of a cell behind it, equation (8c).
    pub fn is_thin(&self, spacing: f64) -> bool {
        // A multiple of the spacing in decimal need not be one in binary.
        self.thickness < THICK * spacing * (1.0 - 1e-9)
    }
    pub(super) fn shape(&self) -> &dyn LevelSet<D> {
        &*self.shape
    }
    pub(super) fn acts_on(&self) -> ActsOn {
        self.acts_on
    }
    /// True if the contact has friction, or may have it at some place.
    pub(super) fn may_have_friction(&self) -> bool {
        match &self.contact {
            ContactLaw::Everywhere(contact) => contact.friction().is_some_and(|mu| mu > 0.0),
            ContactLaw::Friction(_) => true,
        }
    }
    /// The largest index of a material with a contact of its own.
    pub(crate) fn last_material(&self) -> Option<usize> {
        self.materials.iter().map(|(index, _)| *index).max()
    }
    /// True if some material has a contact of its own.
    pub(crate) fn distinguishes_materials(&self) -> bool {
        !self.materials.is_empty()
    }
    /// Contact with materials that have none of their own, at a position \[m\] and time \[s\].
    pub(super) fn contact_at(&self, position: [f64; D], time: f64) -> Contact {
        self.contact.at(position, time)
    }
    /// Contact with a material at a position \[m\] and time \[s\].
    pub(super) fn contact_of(&self, material: usize, position: [f64; D], time: f64) -> Contact {
        let own = self.materials.iter().find(|(index, _)| *index == material);
        own.map_or(&self.contact, |(_, law)| law).at(position, time)
    }
}

impl<const D: usize> Collider<D> {
    /// Contact with the materials that share a node, by their masses, at a position \[m\] and
    /// time \[s\], equation (8a): that of the heaviest; where it has friction, the mean of the
    /// coefficients by mass. `masses` are pairs of material and mass.
    pub(super) fn contact_with_mixture(
        &self,
        masses: impl Iterator<Item = (usize, f64)> + Clone,
        position: [f64; D],
        time: f64,
    ) -> Contact {
        let present = masses.filter(|(_, mass)| *mass > 0.0);
        let heaviest = present.clone().reduce(|a, b| if b.1 > a.1 { b } else { a });
        // All of the node's mass may be mirror image (7).
        let Some((material, _)) = heaviest else {
            return self.contact_at(position, time);
        };
        let contact = self.contact_of(material, position, time);
        if contact.friction().is_none() {
            return contact;
        }
        let (mut sum, mut total) = (0.0, 0.0);
        for (material, mass) in present {
            if let Some(friction) = self.contact_of(material, position, time).friction() {
                sum += mass * friction;
                total += mass;
            }
        }
        Contact::Separating {
            friction: sum / total,
        }
    }
}

impl<const D: usize> fmt::Debug for ContactLaw<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everywhere(contact) => contact.fmt(f),
            Self::Friction(_) => f.write_str("Separating { friction: varied }"),
        }
    }
}

impl<const D: usize> fmt::Debug for Collider<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collider")
            .field("shape", &self.shape)
            .field("contact", &self.contact)
            .field("materials", &self.materials)
            .field("acts_on", &self.acts_on)
            .field("thickness", &self.thickness)
            .field("is_at_rest", &self.is_at_rest)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::Plane;
    use crate::collide::shape::Cuboid;

    #[test]
    fn friction_may_vary_with_place_and_is_never_negative() {
        let floor = Plane::new([0.0, 0.0], [0.0, 1.0]).unwrap();
        let icy =
            Collider::with_friction(floor, |x, t| if x[0] < 0.0 { 0.5 * t } else { f64::NAN });
        assert_eq!(
            icy.contact_at([-1.0, 0.0], 2.0),
            Contact::Separating { friction: 1.0 }
        );
        assert_eq!(
            icy.contact_at([1.0, 0.0], 2.0),
            Contact::Separating { friction: 0.0 }
        );
        let negative = Collider::with_friction(floor, |_, _| -3.0);
        assert_eq!(
            negative.contact_at([1.0, 0.0], 2.0),
            Contact::Separating { friction: 0.0 }
        );
    }

    #[test]
    fn materials_have_their_own_contact_and_the_last_one_given_counts() {
        let floor = Plane::new([0.0, 0.0], [0.0, 1.0]).unwrap();
        let collider = Collider::new(floor, Contact::Slip).unwrap();
        assert!(!collider.distinguishes_materials() && collider.last_material().is_none());
        let collider = collider
            .for_material(2, Contact::Slip)
            .and_then(|c| c.for_material(2, Contact::Sticky))
            .unwrap()
            .for_material_with_friction(0, |x, _| x[0]);
        let at = |material| collider.contact_of(material, [0.25, 0.0], 0.0);
        assert_eq!(at(2), Contact::Sticky);
        assert_eq!(at(1), Contact::Slip);
        assert_eq!(at(0), Contact::Separating { friction: 0.25 });
        assert_eq!(collider.last_material(), Some(2));
    }

    #[test]
    fn a_wall_of_two_cells_is_thick_however_it_is_written() {
        let wall = |t: f64| {
            let cuboid = Cuboid::new([0.3, 0.0], [0.3 + t, 1.0]).unwrap();
            Collider::new(cuboid, Contact::Slip).unwrap()
        };
        assert!(!wall(0.2).is_thin(0.1));
        assert!(wall(0.199).is_thin(0.1));
        assert!(!wall(0.03).of_thickness(0.5).unwrap().is_thin(0.1));
        assert!(wall(0.2).of_thickness(f64::NAN).is_err());
    }
}
