//! Scenes whose energy and mass come from outside.

use crate::elastic_mesh::ElasticMesh;
use crate::object::AngularVelocity;
use crate::obstacle::Collider;
use crate::scene::Scene;

fn is_zero(vector: &[f64]) -> bool {
    vector.iter().all(|x| *x == 0.0)
}

fn is_still(rotation: Option<&AngularVelocity>) -> bool {
    match rotation {
        None => true,
        Some(AngularVelocity::Plane(rate)) => *rate == 0.0,
        Some(AngularVelocity::Space(rates)) => is_zero(rates),
    }
}

/// True if a collider moves, turns or deforms, or its surface runs.
fn pushes(collider: &Collider) -> bool {
    !is_zero(&collider.velocity)
        || !is_zero(&collider.surface_velocity)
        || !is_still(collider.angular_velocity.as_ref())
        || collider.motion.is_some()
        || collider.shape.deforms()
}

impl Scene {
    /// True if something does work on the matter, so that its energy may grow: loads, walls and
    /// colliders that move, turn, deform or have a running surface, meshes that are led or have a
    /// pressure inside, accelerations that vary with place or time, and gravity along a periodic
    /// axis, where there is no lowest place.
    pub fn is_driven(&self) -> bool {
        let leads = |mesh: &ElasticMesh| {
            mesh.pressure.is_some() || mesh.hold.iter().any(|hold| !hold.translation.is_empty())
        };
        !self.loads.is_empty()
            || self.meshes.iter().any(leads)
            || self.walls.iter().any(|wall| !is_zero(&wall.velocity))
            || self.colliders.iter().any(pushes)
            || !self.has_potential()
    }

    /// True if matter enters or leaves while the scene runs, with an energy of its own.
    pub fn is_open(&self) -> bool {
        !(self.emitters.is_empty() && self.sinks.is_empty())
    }

    /// True if the acceleration of all matter belongs to a potential energy that is known.
    fn has_potential(&self) -> bool {
        let constant = match self.dimension {
            2 => self
                .gravity::<2>()
                .ok()
                .and_then(|g| g.constant())
                .map(Vec::from),
            _ => self
                .gravity::<3>()
                .ok()
                .and_then(|g| g.constant())
                .map(Vec::from),
        };
        let periodic = self.grid.periodic;
        let periods = [periodic.x, periodic.y, periodic.z];
        constant.is_some_and(|gravity| {
            let mut axes = gravity.iter().zip(periods);
            axes.all(|(g, period)| *g == 0.0 || period.is_none())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "dimension = 2\n";
    const GRID: &str = "[grid]\nspacing = 0.1\n";
    const REST: &str = "[time]\nframes = 1\n[materials.m]\nmodel = 'fluid'\ndensity = 1\n\
                        bulk_modulus = 1\n[[objects]]\nmaterial = 'm'\n\
                        shape = { sphere = { center = [9, 9], radius = 1 } }\n";
    const BALL: &str = "[[colliders]]\ncontact = 'slip'\n\
                        shape = { sphere = { center = [0, 0], radius = 1 } }\n";

    fn scene(grid: &str, more: &str) -> Scene {
        let text = format!("{HEAD}{GRID}{grid}{REST}{more}");
        Scene::parse(&text, "s.toml").unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn what_does_work_drives_a_scene() {
        let load = "[[loads]]\nobject = 0\npressure = 1\n";
        let belt = "[[walls]]\naxis = 'y'\nposition = 0\nmatter = 'above'\ncontact = 'slip'\n";
        let moving = format!("{BALL}velocity = [1, 0]\n");
        let turning = format!("{BALL}angular_velocity = 1\npivot = [0, 0]\n");
        let running = format!("{BALL}surface_velocity = [0, 1]\n");
        let shaken = format!("{BALL}motion = {{ translation = ['sin(t)', 0] }}\n");
        let drive = format!("{belt}velocity = [1, 0]\n");
        let field = "[physics]\ngravity = ['x', 0]\n";
        let swing = "[physics]\ngravity = [0, 'sin(t)']\n";
        for text in [
            load, &moving, &turning, &running, &shaken, &drive, field, swing,
        ] {
            assert!(scene("", text).is_driven(), "{text}");
        }
        let still = format!("{BALL}velocity = [0, 0]\nangular_velocity = 0\npivot = [0, 0]\n");
        let constant = "[physics]\ngravity = [0, '-2 * 4.9']\n";
        for text in ["", belt, BALL, &still, constant] {
            assert!(!scene("", text).is_driven(), "{text}");
        }
    }

    #[test]
    fn gravity_along_a_periodic_axis_never_ends() {
        let falls = |gravity: &str| {
            let physics = format!("[physics]\ngravity = {gravity}\n");
            scene("periodic = { x = 128 }\n", &physics).is_driven()
        };
        assert!(falls("[1, 0]") && !falls("[0, -9.81]"));
    }

    #[test]
    fn emitters_and_sinks_open_a_scene() {
        let sink = "[[sinks]]\nshape = { sphere = { center = [0, 0], radius = 1 } }\n";
        assert!(scene("", sink).is_open() && !scene("", sink).is_driven());
        assert!(!scene("", "").is_open());
    }
}
