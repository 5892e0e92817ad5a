//! Viscoelastic fluids on a grid: the same flow by every integrator and in steps of any length.

use crate::matter::{DENSITY, H, block, setup, simulation};
use thixo::integrate::implicit::{Integrator, Newton, Optimization, SemiImplicit, Transfers, Xpbd};
use thixo::material::fluid::{OldroydB, OldroydForm};
use thixo::{BodyForce, Contact, Side, Simulation, Wall};

/// Cells across the channel, and along it before it repeats.
const CELLS: usize = 12;
const LENGTH: usize = 4;
/// Kinematic viscosity of the whole \[m²/s\], of which the solvent has a quarter.
const KINEMATIC: f64 = 1.0;
const SOLVENT: f64 = 0.25;
/// Speed in the middle \[m/s\].
const SPEED: f64 = 0.1;
/// Sound over that speed.
const SOUND: f64 = 100.0;

/// A channel under a uniform force, and the fluid in it in steps of x relaxation times.
#[derive(Clone, Copy, Debug)]
struct Channel {
    integrator: Integrator,
    form: OldroydForm,
    /// Length of a step \[s\].
    dt: f64,
    x: f64,
}

impl Channel {
    fn relaxation(&self) -> f64 {
        self.dt / self.x
    }
    /// Speed of the particles next to the middle over that of the steady flow, after a duration
    /// \[s\] from rest.
    fn speed(&self, duration: f64) -> f64 {
        let width = CELLS as f64 * H;
        let mut setup = setup::<2>().with_integrator(self.integrator);
        setup.periods = [Some(LENGTH as u32), None];
        let force = 8.0 * KINEMATIC * SPEED / (width * width);
        setup.body_force = BodyForce::Uniform([force, 0.0]);
        let walls = [(0.0, Side::Above), (width, Side::Below)];
        setup.walls = walls
            .map(|(at, side)| Wall::new(1, at, side, Contact::Glued))
            .to_vec();
        let total = KINEMATIC * DENSITY;
        let mu = (1.0 - SOLVENT) * total / self.relaxation();
        let lambda = DENSITY * (SOUND * SPEED).powi(2);
        let fluid = OldroydB::new(mu, lambda, self.relaxation(), SOLVENT * total)
            .expect("a possible fluid")
            .with_form(self.form);
        let mut sim: Simulation<f64, 2> = simulation(setup, vec![fluid.into()]);
        sim.add(0, &block([0.0; 2], [LENGTH, CELLS]))
            .expect("possible particles");
        let steps = (duration / self.dt).ceil() as u64;
        sim.run_steps(self.dt, steps).expect("stable steps");
        let (mut sum, mut count) = (0.0, 0.0);
        for p in sim.particles() {
            let y = p.position[1] / width;
            if (y - 0.5).abs() < 0.5 / CELLS as f64 {
                sum += p.velocity[0] / (4.0 * SPEED * y * (1.0 - y));
                count += 1.0;
            }
        }
        sum / count
    }
    /// The same when the start is over.
    fn steady_speed(&self) -> f64 {
        let width = CELLS as f64 * H;
        self.speed((width * width / KINEMATIC).max(15.0 * self.relaxation()))
    }
}

/// Every integrator; the sweeps of X-PBD are many, since viscosity reaches far in a step.
fn integrators() -> [Integrator; 5] {
    let sweeps = Xpbd::default().with_iterations(150);
    [
        Integrator::Explicit,
        Integrator::Optimization(Optimization::default()),
        Integrator::Newton(Newton::default()),
        Integrator::SemiImplicit(SemiImplicit::default()),
        Integrator::Xpbd(sweeps.with_transfers(Transfers::Once)),
    ]
}

const FORMS: [OldroydForm; 2] = [OldroydForm::VolumePreserving, OldroydForm::Plain];

/// Steps of x = 0.1 to 10 relaxation times, implicit ones a dozen times as long as explicit ones:
/// the speed is that of the viscosity η + μ Wi. A strain that is advected first and multiplied by
/// e^{−x} then would be 4 % to 4 times too fast.
#[test]
fn a_channel_has_its_speed_in_steps_of_any_length() {
    for x in [0.1, 0.35, 1.44, 10.0] {
        for (integrator, form) in integrators()
            .into_iter()
            .flat_map(|i| FORMS.map(|f| (i, f)))
        {
            let dt = match integrator {
                Integrator::Explicit => 0.125 * H * H / KINEMATIC,
                _ => 0.02,
            };
            let channel = Channel {
                integrator,
                form,
                dt,
                x,
            };
            let found = channel.steady_speed();
            println!("x = {x} {form:?} {}: {found:.4}", integrator.name());
            assert!((found - 1.0).abs() < 0.02, "{channel:?}: {found}");
        }
    }
}

/// Forces of explicit steps, of energies and of sweeps are the same: half way to the steady flow
/// all integrators have the same speed in the same steps.
#[test]
fn the_start_of_a_channel_is_the_same_by_every_integrator() {
    for x in [0.1, 1.0, 10.0] {
        for form in FORMS {
            let speeds = integrators().map(|integrator| {
                let channel = Channel {
                    integrator,
                    form,
                    dt: 0.125 * H * H / KINEMATIC,
                    x,
                };
                channel.speed(0.1)
            });
            println!("x = {x} {form:?}: {speeds:.4?}");
            assert!(speeds[0] > 0.3 && speeds[0] < 0.9, "{speeds:?}");
            for speed in speeds {
                assert!((speed / speeds[0] - 1.0).abs() < 0.01, "{speeds:?}");
            }
        }
    }
}
