//! The velocities of the nodes during the sweeps, and what contacts make of them.
//!
//! \[Qu2023\] §5: boundary conditions after every iteration. Here that is exact. With the masses M̃ that nodes share with their images behind walls, and w the
//! velocity that contacts demand of matter at rest, contacts leave w + Π M̃⁻¹(M (v* − w) + ΣS∇w), Π being the projection on what they allow: the
//! minimum of E for given impulses S. They push by M (v − v*) − ΣS∇w; separating ones let go as soon
//! as that would pull, and rub by as much as it allows.

use rayon::prelude::*;
use thixo_par::Scalar;

use super::super::norms::{CHUNK, total};
use super::super::solution::{Effort, NotConverged, Solution};
use super::super::system::System;
use super::bundle::Pass;
use super::colour::cluster_reach;
use crate::grid::{ABSENT, Field, MASS, Overlap, offsets};
use crate::krylov::vector::{add, dot};
use crate::transfer::TransferContext;

/// Blocks that one thread works on at least: most of them have little to do.
const BLOCKS: usize = 8;

/// Velocities with and without contacts.
pub(super) struct Velocities<T: Scalar, const D: usize> {
    /// M̃⁻¹M (v* − w), with the masses M̃.
    base: Field<T, 4>,
    /// M̃⁻¹ΣS∇w.
    pushed: Field<T, 4>,
    /// What contacts leave of both, with the inverse of M̃ in the place of the mass.
    pub held: Field<T, 4>,
    /// What contacts push by before friction, M (v − v*) − ΣS∇w.
    impulse: Field<T, 4>,
}

impl<T: Scalar, const D: usize> Velocities<T, D> {
    /// Without impulses.
    pub fn new(system: &System<'_, T, D>) -> Self {
        let mut velocities = Self {
            base: system.zeros(),
            pushed: system.zeros(),
            held: system.zeros(),
            impulse: system.zeros(),
        };
        velocities.rebase(system);
        velocities.hold(system);
        velocities
    }

    /// Makes masses and velocities without impulses anew, after contacts have changed.
    fn rebase(&mut self, system: &System<'_, T, D>) {
        let target = system.predicted();
        // w, and beside it the masses.
        let mut demanded = system.zeros();
        system.constraints.apply(demanded.values_mut());
        for (node, target) in demanded.values_mut().iter_mut().zip(target) {
            node[MASS] = target[MASS];
        }
        system
            .constraints
            .average_over_images(demanded.values_mut(), MASS..MASS + 1);
        let least = T::from_f64(T::MIN_POSITIVE / T::EPSILON);
        let nodes = self.base.values_mut().iter_mut();
        let nodes = nodes
            .zip(self.pushed.values_mut())
            .zip(self.held.values_mut());
        let nodes = nodes.zip(target).zip(demanded.values());
        for ((((base, pushed), held), target), demanded) in nodes {
            let (before, mass) = (base[MASS], demanded[MASS]);
            let inverse = match mass > least {
                true => T::one() / mass,
                false => T::zero(),
            };
            for a in 0..D {
                base[a] = target[MASS] * inverse * (target[a] - demanded[a]);
                pushed[a] *= before * inverse;
            }
            base[MASS] = mass;
            held[MASS] = inverse;
        }
    }

    /// Goes the share of the way from v* to the velocity that the forces of the beginning make which has the smallest E, as if E were a parabola.
    ///
    /// Matter at rest is in balance at the far end, where sweeps would have to build up its stress anew; matter that rebounds is nearer to the other.
    pub fn begin(&mut self, system: &mut System<'_, T, D>) -> f64 {
        let mut gradient = system.zeros();
        let first = self.without_masses();
        // At rest the gradient is ΣΔtV⁰G∇w − M v*, and the impulses of the beginning are S = −ΔtV⁰G.
        system.objective.evaluate(&system.zeros(), &mut gradient);
        let nodes = self.pushed.values_mut().iter_mut().zip(gradient.values());
        for (((pushed, gradient), held), target) in
            nodes.zip(self.held.values()).zip(system.predicted())
        {
            for a in 0..D {
                pushed[a] = -held[MASS] * (gradient[a] + target[MASS] * target[a]);
            }
        }
        self.hold(system);
        let last = self.without_masses();
        let mut direction = last.numbers().to_vec();
        add(&mut direction, -1.0, first.numbers());
        let slopes = [first, last].map(|v| {
            let objective = system.objective.evaluate(&v, &mut gradient);
            match objective.value.is_finite() {
                true => dot(gradient.numbers(), &direction),
                false => f64::INFINITY,
            }
        });
        let share = slopes[0] / (slopes[0] - slopes[1]);
        let share = match share.is_finite() && slopes[0] < 0.0 {
            true => share.clamp(0.0, 1.0),
            false => 0.0,
        };
        let factor = T::from_f64(share);
        for x in self.pushed.values_mut().as_flattened_mut() {
            *x *= factor;
        }
        self.hold(system);
        share
    }

    /// The velocities alone.
    fn without_masses(&self) -> Field<T, 4> {
        let mut v = self.held.clone();
        for node in v.values_mut() {
            node[D..].fill(T::zero());
        }
        v
    }

    /// Adds what the bundles of a pass have changed, and lets contacts act.
    pub fn collect(
        &mut self,
        pass: &Pass<T, D>,
        context: &TransferContext<'_, T, D>,
        system: &System<'_, T, D>,
    ) {
        let blocks = &context.step.order.blocks;
        let (side, n) = (blocks.side(), blocks.nodes_per_block());
        let reach = cluster_reach(context.step.geometry.kernel());
        let nodes = self.pushed.blocks_mut().zip(self.held.blocks_mut());
        let nodes = nodes.zip(self.base.values().par_chunks(n));
        nodes
            .with_min_len(BLOCKS)
            .for_each(|(((block, pushed), (_, held)), base)| {
                for offset in 0..offsets::<D>() {
                    let neighbour = blocks.neighbour(block, offset);
                    if neighbour == ABSENT {
                        continue;
                    }
                    // Seen from the neighbour, this block lies in the opposite direction.
                    let at = (offsets::<D>() - 1 - offset, side);
                    for (place, changes) in pass.changes_of(neighbour as usize) {
                        let part = place.nodes(reach);
                        if let Some(overlap) = Overlap::new(at, &part, part.origin, part.steps()) {
                            overlap.add(changes, pushed);
                        }
                    }
                }
                for ((held, base), pushed) in held.iter_mut().zip(base).zip(&*pushed) {
                    for a in 0..D {
                        held[a] = base[a] + pushed[a];
                    }
                }
            });
        self.touch(system);
    }

    /// What contacts leave of all, friction included.
    fn hold(&mut self, system: &System<'_, T, D>) {
        let free = self.base.values().par_iter().zip(self.pushed.values());
        let held = self.held.values_mut().par_iter_mut().with_min_len(4096);
        held.zip(free).for_each(|(held, (base, pushed))| {
            for a in 0..D {
                held[a] = base[a] + pushed[a];
            }
        });
        self.touch(system);
    }

    /// Lets contacts act on velocities without them.
    fn touch(&mut self, system: &System<'_, T, D>) {
        system.constraints.apply(self.held.values_mut());
        let (base, pushed) = (self.base.values(), self.pushed.values());
        let (held, impulse) = (self.held.values_mut(), self.impulse.values_mut());
        let masses = system.predicted();
        for node in system.constraints.nodes() {
            let (v, target) = (&held[node], &masses[node]);
            for a in 0..D {
                let push = base[node][MASS] * pushed[node][a];
                impulse[node][a] = target[MASS] * (v[a] - target[a]) - push;
            }
        }
        let free = |node: usize| core::array::from_fn(|a| base[node][a] + pushed[node][a]);
        system
            .constraints
            .apply_friction(held, free, impulse, masses);
    }

    /// Lets go of what is pulled, holds what is run into.
    pub fn revise(&mut self, system: &mut System<'_, T, D>) {
        let (v, impulse) = (self.held.values(), self.impulse.values());
        if system.update_active_set(v, impulse).violation > 0.0 {
            self.rebase(system);
            self.hold(system);
        }
    }

    /// Root mean square over the mass of what velocities have changed by \[m/s\].
    pub fn moved_since(&self, before: &Field<T, 4>, system: &System<'_, T, D>) -> f64 {
        let now = self.held.values().par_chunks(CHUNK);
        let chunks = now
            .zip(before.values().par_chunks(CHUNK))
            .zip(system.predicted().par_chunks(CHUNK));
        let partial: Vec<[f64; 2]> = chunks
            .map(|((now, before), target)| {
                let (mut sum, mut whole) = (0.0, 0.0);
                for ((now, before), target) in now.iter().zip(before).zip(target) {
                    let mass = target[MASS].to_f64();
                    whole += mass;
                    for a in 0..D {
                        sum += mass * (now[a] - before[a]).to_f64().powi(2);
                    }
                }
                [sum, whole]
            })
            .collect();
        let [sum, whole] = total(&partial);
        (sum / whole).sqrt()
    }

    /// The velocities that were found, if they are numbers; `history` has what every sweep moved, in cells.
    pub fn solution(
        self,
        system: &mut System<'_, T, D>,
        history: Vec<f64>,
    ) -> Result<Solution<T, D>, NotConverged> {
        let v = self.without_masses();
        let moved = history.last().copied().unwrap_or_default();
        if !moved.is_finite() {
            return Err(NotConverged::new(system, self.impulse.values(), &history));
        }
        let effort = Effort {
            sweeps: history.len() as u32,
            residual: moved,
            ..Effort::default()
        };
        // Friction has acted already: no impulse is left for it.
        let impulse = system.zeros();
        Ok(Solution { v, impulse, effort })
    }
}
