//! Grid, method and obstacles of a scene as the engine takes them.

use thixo::grid::Geometry;
use thixo::{BodyForce, BuildError, KernelKind, Setup, Side};

use crate::checked::CheckedSetup;
use crate::error::SceneError;
use crate::number::VectorOf;
use crate::obstacle::Matter;
use crate::points;
use crate::scene::{Scene, Transfer};
use crate::solid::Solid;

impl Scene {
    /// The engine's setup: grid, method, obstacles.
    pub(crate) fn setup<const D: usize>(&self) -> Result<CheckedSetup<D>, SceneError> {
        let spacing = self.grid.spacing;
        if !(1e-9..=1e9).contains(&spacing) {
            let range = "between 1e-9 and 1e9 m";
            return Err(self.number_out_of_range("grid.spacing", spacing, range));
        }
        let mut setup = Setup::new(spacing);
        setup.kernel = self.physics.kernel.into();
        setup.transfer = self.transfer(setup.kernel)?;
        setup.periods = self.periods()?;
        let gravity = self.gravity()?;
        setup.body_force = match gravity.constant() {
            Some(gravity) => BodyForce::Uniform(gravity),
            None => BodyForce::field(points::field(gravity.clone())),
        };
        setup.carried = self.engine_carried();
        setup.heat = self.engine_heat()?;
        setup.integrator = self.integrator()?;
        setup.mixture = self.engine_mixture()?;
        if setup.mixture.is_some() && !setup.integrator.is_explicit() {
            let integrator = setup.integrator.name();
            let error = BuildError::MixtureNeedsExplicit { integrator };
            return Err(self.refused("physics.integrator", error));
        }
        let smooth = setup.integrator.check_kernel(setup.kernel);
        smooth.map_err(|error| self.refused("physics.kernel", error))?;
        setup.time_step = self.time_step()?;
        setup.damping = self.damping(&setup.integrator)?;
        self.add_walls(&mut setup)?;
        let solids = self.add_colliders(&mut setup)?;
        Ok(CheckedSetup {
            engine: setup,
            gravity,
            solids,
        })
    }

    /// The acceleration of all matter as formulas of place and time.
    pub(crate) fn gravity<const D: usize>(&self) -> Result<VectorOf<D>, SceneError> {
        let variables = points::place_and_time::<D>();
        self.vector_expression_or_zero("physics.gravity", &self.physics.gravity, &variables)
    }

    /// The engine's transfer, and the key below `physics.transfer` that its number has.
    pub(crate) fn engine_transfer(&self) -> (thixo::Transfer, &'static str) {
        match self.physics.transfer {
            Transfer::Mls => (thixo::Transfer::Mls, ""),
            Transfer::Apic => (thixo::Transfer::Apic, ""),
            Transfer::Rpic => (thixo::Transfer::Rpic, ""),
            Transfer::Pic => (thixo::Transfer::Pic, ""),
            Transfer::Flip => (thixo::Transfer::Flip, ""),
            Transfer::FlipPic { flip } => (thixo::Transfer::FlipPic { flip }, ".flip_pic.flip"),
            Transfer::ApicPic { apic } => (thixo::Transfer::ApicPic { apic }, ".apic_pic.apic"),
        }
    }

    fn transfer(&self, kernel: KernelKind) -> Result<thixo::Transfer, SceneError> {
        let (transfer, key) = self.engine_transfer();
        let refused = |error| match error {
            BuildError::KernelTooRough { .. } => self.refused("physics.kernel", error),
            _ => self.refused(&format!("physics.transfer{key}"), error),
        };
        transfer.check(kernel).map_err(refused)?;
        Ok(transfer)
    }

    fn periods<const D: usize>(&self) -> Result<[Option<u32>; D], SceneError> {
        let periodic = self.grid.periodic;
        let mut periods = [None; D];
        let axes = [("x", periodic.x), ("y", periodic.y), ("z", periodic.z)];
        for (axis, (name, period)) in axes.into_iter().enumerate() {
            let key = format!("grid.periodic.{name}");
            match (periods.get_mut(axis), period) {
                (Some(place), period) => *place = period,
                (None, None) => {}
                (None, Some(cells)) => {
                    let range = "absent: a scene of dimension 2 has no z";
                    return Err(self.out_of_range(&key, cells, range));
                }
            }
            Geometry::new(self.grid.spacing, KernelKind::Quadratic, periods)
                .map_err(|error| self.refused(&key, error))?;
        }
        Ok(periods)
    }

    fn time_step(&self) -> Result<thixo::TimeStep, SceneError> {
        let time_step = thixo::TimeStep::default()
            .with_cfl(self.time.cfl)
            .with_safety(self.time.safety)
            .with_longest(self.time.longest_step)
            .with_fixed(self.time.step);
        let refused = |error| self.refused_within("time", error);
        time_step.check().map_err(refused)?;
        Ok(time_step)
    }

    fn damping(
        &self,
        integrator: &thixo::integrate::Integrator,
    ) -> Result<thixo::Damping, SceneError> {
        let Some(damping) = self.physics.damping else {
            return Ok(thixo::Damping::default());
        };
        let engine = thixo::Damping::default()
            .with_local(damping.local)
            .with_kinetic(damping.kinetic)
            .with_begin(damping.begin)
            .with_end(damping.end);
        let refused = |error| self.refused_within("physics.damping", error);
        engine.check().map_err(refused)?;
        if !engine.exists() {
            let range = "with local above 0, or kinetic = true";
            return Err(self.out_of_range("physics.damping", "without effect", range));
        }
        if !integrator.is_explicit() {
            let integrator = integrator.name();
            let error = BuildError::DampingNeedsExplicit { integrator };
            return Err(self.refused("physics.damping", error));
        }
        Ok(engine)
    }

    fn add_walls<const D: usize>(&self, setup: &mut Setup<D>) -> Result<(), SceneError> {
        for (index, wall) in self.walls.iter().enumerate() {
            let key = format!("walls[{index}]");
            let axis = wall.axis.index();
            let Some(period) = setup.periods.get(axis) else {
                let range = "\"x\" or \"y\" in dimension 2";
                return Err(self.out_of_range(&format!("{key}.axis"), "\"z\"", range));
            };
            if period.is_some() {
                let error = BuildError::WallOnPeriodicAxis { axis };
                return Err(self.refused(&format!("{key}.axis"), error));
            }
            let side = match wall.matter {
                Matter::Above => Side::Above,
                Matter::Below => Side::Below,
            };
            let contact = self.uniform_contact::<D>(&format!("{key}.contact"), &wall.contact)?;
            let mut engine_wall = thixo::Wall::new(axis, wall.position, side, contact);
            engine_wall.velocity =
                self.vector_or_zero(&format!("{key}.velocity"), &wall.velocity)?;
            let refused = |error: BuildError| match error.key() {
                Some("friction") => {
                    self.refused_within(&format!("{key}.contact.separating"), error)
                }
                _ => self.refused_within(&key, error),
            };
            engine_wall.check(setup.spacing).map_err(refused)?;
            setup.walls.push(engine_wall);
        }
        Ok(())
    }

    /// Adds the colliders; returns their solids.
    fn add_colliders<const D: usize>(
        &self,
        setup: &mut Setup<D>,
    ) -> Result<Vec<Solid<D>>, SceneError> {
        let mut solids = Vec::new();
        for (index, collider) in self.colliders.iter().enumerate() {
            let key = format!("colliders[{index}]");
            let solid = self.solid::<D>(index)?;
            if setup.integrator.projection().is_some() && !collider.materials.is_empty() {
                let error = BuildError::ContactByMaterial { index };
                return Err(self.refused(&format!("{key}.materials"), error));
            }
            let collider = self.engine_collider(&key, collider, solid.clone())?;
            setup.colliders.push(collider);
            solids.push(solid);
        }
        Ok(solids)
    }
}
