//! Contact of matter with the obstacles of a scene, as the engine takes it.

use crate::error::{Problem, SceneError};
use crate::expression::Expression;
use crate::obstacle::{ActsOn, Collider, Contact};
use crate::points;
use crate::scene::Scene;
use crate::solid::Solid;

/// A contact that is the same everywhere, or whose friction is a formula of place and time.
enum ContactRule {
    Uniform(thixo::Contact),
    FrictionField(Expression),
}

impl Scene {
    /// A contact that is the same everywhere and always.
    pub(crate) fn uniform_contact<const D: usize>(
        &self,
        key: &str,
        contact: &Contact,
    ) -> Result<thixo::Contact, SceneError> {
        match self.contact_rule::<D>(key, contact)? {
            ContactRule::Uniform(contact) => Ok(contact),
            ContactRule::FrictionField(formula) => {
                let key = format!("{key}.separating.friction");
                let value = format!("{:?}", formula.text());
                let range =
                    "the same everywhere on a wall; use a collider with shape = { half_space = … }";
                Err(self.out_of_range(&key, value, range))
            }
        }
    }

    fn contact_rule<const D: usize>(
        &self,
        key: &str,
        contact: &Contact,
    ) -> Result<ContactRule, SceneError> {
        let friction = match contact {
            Contact::Sticky => return Ok(ContactRule::Uniform(thixo::Contact::Sticky)),
            Contact::Glued => return Ok(ContactRule::Uniform(thixo::Contact::Glued)),
            Contact::Slip => return Ok(ContactRule::Uniform(thixo::Contact::Slip)),
            Contact::Separating { friction } => friction,
        };
        let key = format!("{key}.separating.friction");
        let expression = match friction {
            // The engine refuses what is not a friction.
            crate::Number::Constant(friction) => Expression::from(*friction),
            formula => self.expression(&key, formula, &points::place_and_time::<D>())?,
        };
        Ok(match expression.constant() {
            Some(friction) => ContactRule::Uniform(thixo::Contact::Separating { friction }),
            None => ContactRule::FrictionField(expression),
        })
    }

    /// A collider with its solid as the engine takes it.
    pub(crate) fn engine_collider<const D: usize>(
        &self,
        key: &str,
        collider: &Collider,
        solid: Solid<D>,
    ) -> Result<thixo::Collider<D>, SceneError> {
        let contact_key = format!("{key}.contact");
        let refused = |key: &str| {
            let key = format!("{key}.separating.friction");
            move |error| self.refused(&key, error)
        };
        let mut engine = match self.contact_rule::<D>(&contact_key, &collider.contact)? {
            ContactRule::Uniform(contact) => {
                let collider = thixo::Collider::new(solid, contact);
                collider.map_err(refused(&contact_key))?
            }
            ContactRule::FrictionField(formula) => {
                thixo::Collider::with_friction(solid, function(formula))
            }
        };
        for (name, contact) in &collider.materials {
            let key = format!("{key}.materials.{name}");
            let Some(index) = self.materials.keys().position(|known| known == name) else {
                let known = self.material_names();
                let suggestion = crate::nearest(name, known.iter().map(String::as_str));
                let problem = Problem::UnknownKey {
                    key: name.clone(),
                    table: "the materials of the collider".to_owned(),
                    suggestion: suggestion.map(str::to_owned),
                    known,
                };
                return Err(self.source.error_at_key(&key, problem));
            };
            engine = match self.contact_rule::<D>(&key, contact)? {
                ContactRule::Uniform(contact) => {
                    let engine = engine.for_material(index, contact);
                    engine.map_err(refused(&key))?
                }
                ContactRule::FrictionField(formula) => {
                    engine.for_material_with_friction(index, function(formula))
                }
            };
        }
        if let Some(thickness) = collider.thickness {
            let engine_collider = engine.of_thickness(thickness);
            let at = |error| self.refused(&format!("{key}.thickness"), error);
            engine = engine_collider.map_err(at)?;
        }
        if collider.is_at_rest() {
            engine = engine.at_rest();
        }
        Ok(engine.acting_on(match collider.acts_on {
            ActsOn::Grid => thixo::ActsOn::Grid,
            ActsOn::GridAndParticles => thixo::ActsOn::GridAndParticles,
        }))
    }
}

/// A formula of place and time as a function.
fn function<const D: usize>(
    formula: Expression,
) -> impl Fn([f64; D], f64) -> f64 + Send + Sync + 'static {
    move |position, time| formula.evaluate(&points::at(position, time))
}
