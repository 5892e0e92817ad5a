//! Taylor-Couette flow: no slip at curved obstacles, and the torque on them.
//!
//! **Source.** Couette; any textbook on viscous flow.
//!
//! **Setup.** Weakly compressible fluid (linear, Mach 1/15) between two cylinders of radii R₁ = 0.2
//! and R₂ = 0.5 m, level sets that hold the fluid (glued), with 7.5, 15 and 30 cells in the gap,
//! about 2×2 particles per cell on rings, in 2D. The inner cylinder turns with the surface speed U,
//! the outer one rests; U (R₂ − R₁)/ν = 5. Particles start at rest.
//!
//! **Measured.** The largest difference between a particle's azimuthal velocity and the answer at
//! its radius, relative to U, at νt/(R₂ − R₁)² = 1; and the torque of the inner cylinder on the
//! fluid, from the impulses that it has exerted in the last tenth of that time.
//!
//! **Expected.** u = A r + B/r with A = −ω R₁²/(R₂² − R₁²), B = ω R₁² R₂²/(R₂² − R₁²); torque per
//! length 4πηB.
//!
//! **Tolerance.** 6, 3 and 1.5 % of U, and of the torque. Nodes set to rest inside the cylinders
//! would be off by 21, 14 and 9 %: no slip then holds 0.2 to 1 h behind the surface (errata E45).
//!
//! **Negative control.** The answer for an inner radius that is half a cell larger, and its torque,
//! must miss.

use core::f64::consts::PI;
use std::sync::Arc;

use anyhow::Result;
use thixo::collide::shape::{Complement, Moving, Sphere, SteadyMotion};
use thixo::material::fluid::{PressureLaw, WeaklyCompressible};
use thixo::{Collider, Contact, Setup, Simulation};

use crate::row::worse;
use crate::sampling::rings;
use crate::{Effort, Row, parallel};

/// Radii \[m\], speed of the inner surface \[m/s\], density \[kg/m³\].
const INNER: f64 = 0.2;
const OUTER: f64 = 0.5;
const SPEED: f64 = 1.0;
const DENSITY: f64 = 1.0e3;
const REYNOLDS: f64 = 5.0;
/// Dynamic viscosity η \[Pa s\].
const VISCOSITY: f64 = DENSITY * SPEED * (OUTER - INNER) / REYNOLDS;
/// Speed of sound over U.
const SOUND: f64 = 15.0;
/// Grid spacings \[m\] and demands.
const CASES: [(f64, f64); 3] = [(0.04, 0.06), (0.02, 0.03), (0.01, 0.015)];

/// The flow between cylinders.
#[derive(Clone, Copy, Debug)]
struct Answer {
    a: f64,
    b: f64,
}

impl Answer {
    /// For an inner cylinder of some radius \[m\] with the surface speed U.
    fn of(inner: f64) -> Self {
        let between = OUTER * OUTER - inner * inner;
        let spin = SPEED / inner;
        Self {
            a: -spin * inner * inner / between,
            b: spin * (inner * OUTER).powi(2) / between,
        }
    }
    fn velocity(self, radius: f64) -> f64 {
        self.a * radius + self.b / radius
    }
    fn torque(self) -> f64 {
        4.0 * PI * VISCOSITY * self.b
    }
}

/// Results of a run.
#[derive(Clone, Copy, Debug)]
struct Flow {
    error: f64,
    error_of_larger: f64,
    torque: f64,
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let cases = match effort {
        Effort::Quick => &CASES[..2],
        Effort::Full => &CASES[..],
    };
    let flows = parallel::map(cases, |(spacing, _)| flow(*spacing))?;
    let mut rows = Vec::new();
    for ((spacing, tolerance), flow) in cases.iter().zip(flows) {
        let cells = (OUTER - INNER) / spacing;
        let case = format!("Taylor-Couette flow, {cells:.1} cells");
        let velocity = "u error / U";
        rows.push(Row::zero(&case, velocity, flow.error, *tolerance));
        let answer = Answer::of(INNER).torque();
        let torque = "torque [N]";
        rows.push(Row::relative(
            &case,
            torque,
            answer,
            flow.torque,
            *tolerance,
        ));
        let larger = format!("{case}, inner radius half a cell larger");
        rows.push(Row::zero(&larger, velocity, flow.error_of_larger, *tolerance).must_miss());
        let answer = Answer::of(INNER + 0.5 * spacing).torque();
        rows.push(Row::relative(&larger, torque, answer, flow.torque, *tolerance).must_miss());
    }
    Ok(rows)
}

fn flow(spacing: f64) -> Result<Flow> {
    let mut setup = Setup::<2>::new(spacing);
    setup.threads = 1;
    let motion = SteadyMotion::new([0.0; 2], [0.0; 2], [0.0, 0.0, SPEED / INNER])?;
    let inner = Moving::new(Sphere::new([0.0; 2], INNER)?, motion);
    let outer = Complement(Arc::new(Sphere::new([0.0; 2], OUTER)?));
    setup.colliders.push(Collider::new(inner, Contact::Glued)?);
    setup.colliders.push(Collider::new(outer, Contact::Glued)?);
    let bulk = DENSITY * (SOUND * SPEED).powi(2);
    let fluid = WeaklyCompressible::new(bulk, VISCOSITY, PressureLaw::Linear)?;
    let mut sim = Simulation::<f64, 2>::new(setup, vec![fluid.into()])?;
    sim.add(0, &rings([INNER, OUTER], 0.5 * spacing, DENSITY))?;
    let duration = (OUTER - INNER).powi(2) * DENSITY / VISCOSITY;
    sim.advance(0.9 * duration)?;
    let begun = sim.contact_impulses().colliders[0].angular[2];
    sim.advance(0.1 * duration)?;
    let torque = (sim.contact_impulses().colliders[0].angular[2] - begun) / (0.1 * duration);
    let error = |answer: Answer| {
        sim.particles().iter().fold(0.0f64, |largest, p| {
            let [x, y] = p.position.0;
            let radius = x.hypot(y);
            let azimuthal = (x * p.velocity[1] - y * p.velocity[0]) / radius;
            worse(largest, (azimuthal - answer.velocity(radius)).abs() / SPEED)
        })
    };
    Ok(Flow {
        error: error(Answer::of(INNER)),
        error_of_larger: error(Answer::of(INNER + 0.5 * spacing)),
        torque,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_meets_both_cylinders_and_exerts_the_same_torque_everywhere() {
        let answer = Answer::of(INNER);
        assert!((answer.velocity(INNER) - SPEED).abs() < 1e-12);
        assert!(answer.velocity(OUTER).abs() < 1e-12);
        // τ = η r d(u/r)/dr; torque 2πr²τ.
        let (r, e) = (0.33, 1e-5);
        let angular = |r: f64| answer.velocity(r) / r;
        let slope = (angular(r + e) - angular(r - e)) / (2.0 * e);
        let torque = -2.0 * PI * VISCOSITY * r.powi(3) * slope;
        assert!((torque / answer.torque() - 1.0).abs() < 1e-6);
    }
}
