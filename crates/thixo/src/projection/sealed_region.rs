//! Sealed regions: filled cells that solids shut off from every free surface, and whose matter is
//! incompressible. What they hold cannot change its volume, so that the sum of their equations has
//! to vanish: more matter than there is room for, or solids that move into them, have no solution.

use thixo_poisson::Components;

use super::free_surface::FilledCells;
use super::pressure::{PressureError, PressureProblem};
use super::solid_boundary::SolidBoundary;

/// Share by which matter may exceed the room of a sealed region: kernels see no better.
const MOST_EXCESS: f64 = 0.02;

/// Share of what solids displace at the border of a region that may be left in their sum: solids
/// that only stir take on one side what they leave on the other, but for the rounding of curved
/// surfaces that turn.
const MOST_NET_INFLOW: f64 = 0.25;

/// Room and matter of a sealed region.
#[derive(Clone, Copy, Debug, Default)]
struct SealedRegion {
    /// Open volume \[m³\].
    room: f64,
    /// Volume of the matter \[m³\].
    volume: f64,
    /// Volume rate that solids displace into the region, and its magnitude \[m³/s\].
    inflow: f64,
    displaced: f64,
}

impl SealedRegion {
    /// Refuses a region that has no solution in a step of `dt` \[s\].
    fn check(&self, dt: f64) -> Result<(), PressureError> {
        let &Self { room, volume, .. } = self;
        let slack = MOST_EXCESS * room;
        if volume + self.inflow * dt > room + slack {
            return Err(PressureError::Overfilled { volume, room });
        }
        // Half filled cells count as filled: while there is air between them, solids may come.
        let is_full = volume > room - slack;
        if is_full && self.inflow > MOST_NET_INFLOW * self.displaced {
            return Err(PressureError::Inflow {
                rate: self.inflow,
                room,
            });
        }
        Ok(())
    }
}

/// Refuses sealed regions without a solution, and takes the rest of their imbalance, which is that
/// of the return of volumes and of rounding, out of the right-hand side.
pub(super) fn balance<const D: usize>(
    problem: &PressureProblem<'_, D>,
    (cells, components): (&[usize], &Components),
    right_hand_side: &mut [f64],
) -> Result<(), PressureError> {
    let (boundary, filled): (&SolidBoundary<D>, &FilledCells) = (problem.boundary, problem.filled);
    let h = problem.step.geometry.spacing();
    let (whole, area) = (h.powi(D as i32), h.powi(D as i32 - 1));
    let mut regions = vec![SealedRegion::default(); components.list.len()];
    for (&cell, &component) in cells.iter().zip(&components.of_cell) {
        if !components.list[component as usize].sealed {
            continue;
        }
        let region = &mut regions[component as usize];
        let room = whole * boundary.volume(cell);
        region.room += room;
        // Where an obstacle cuts the kernel the share is known for flat surfaces only: in pockets
        // of rugged ones it may be anything.
        region.volume += match boundary.kernel_share(cell) < 1.0 {
            true => room * filled.share(cell).min(1.0),
            false => room * filled.share(cell),
        };
        for of in problem.faces_of(cell) {
            let closed = 1.0 - boundary.open(of.face, of.axis);
            if closed > 0.0 {
                let speed = boundary.speed(of.face, of.axis);
                region.inflow -= of.sign * closed * speed * area;
                region.displaced += closed * speed.abs() * area;
            }
        }
    }
    for (region, component) in regions.iter().zip(&components.list) {
        if component.sealed {
            region.check(problem.step.dt)?;
        }
    }
    components.center(right_hand_side);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_refused_when_they_are_full_and_pressed() {
        let still = SealedRegion {
            room: 1.0,
            volume: 1.0,
            ..SealedRegion::default()
        };
        assert_eq!(still.check(0.1), Ok(()));
        let stirred = SealedRegion {
            inflow: 0.01,
            displaced: 1.0,
            ..still
        };
        assert_eq!(stirred.check(0.1), Ok(()));
        let pressed = SealedRegion {
            displaced: 0.01,
            ..stirred
        };
        let (rate, room) = (0.01, 1.0);
        assert_eq!(
            pressed.check(0.1),
            Err(PressureError::Inflow { rate, room })
        );
        let with_air = SealedRegion {
            volume: 0.9,
            ..pressed
        };
        assert_eq!(with_air.check(0.1), Ok(()));
        let overfilled = SealedRegion {
            volume: 1.03,
            ..still
        };
        let Err(PressureError::Overfilled { volume, .. }) = overfilled.check(0.1) else {
            panic!("it has no room");
        };
        assert_eq!(volume, 1.03);
    }
}
