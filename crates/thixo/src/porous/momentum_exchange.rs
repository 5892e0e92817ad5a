//! Drag between the phases at the nodes, equation (71).

use rayon::prelude::*;
use thixo_math::Vector;
use thixo_par::Scalar;

use super::drag::PoreState;
use super::{Coupling, Mixture, Motion, Phase};
use crate::collide::{Wall, wall_columns};
use crate::grid::{Field, MASS, Node, PhaseFields};
use crate::step_context::StepContext;

/// Volumes of the nodes: hᵈ, and half of it for every wall that a node lies on.
#[derive(Debug)]
pub(crate) struct NodeVolumes {
    /// Volume of a node with matter all around it \[m³\].
    whole: f64,
    /// Nodes on walls, in order, with their volumes \[m³\].
    cut: Vec<(usize, f64)>,
}

impl NodeVolumes {
    /// The volumes of the nodes of a step.
    pub fn new<const D: usize>(walls: &[Wall<D>], step: &StepContext<'_, D>) -> Self {
        let h = step.geometry.spacing();
        let whole = h.powi(D as i32);
        let columns = walls
            .iter()
            .flat_map(|wall| wall_columns(wall, &step.order.blocks, h));
        let mut nodes: Vec<usize> = columns.map(|column| column.wall).collect();
        nodes.sort_unstable();
        let cut = nodes.chunk_by(|a, b| a == b);
        let cut = cut.map(|same| (same[0], whole * 0.5f64.powi(same.len() as i32)));
        Self {
            whole,
            cut: cut.collect(),
        }
    }
    /// The volume of a node \[m³\].
    #[inline]
    pub fn at(&self, node: usize) -> f64 {
        match self.cut.binary_search_by_key(&node, |(cut, _)| *cut) {
            Ok(index) => self.cut[index].1,
            Err(_) => self.whole,
        }
    }
}

/// One of the two phases of a coupling, in a block.
struct Side<'a, T> {
    nodes: &'a mut [Node<T>],
    unforced: &'a mut [Node<T>],
    substance: Substance<'a, T>,
    is_held: bool,
}

/// Density of the substance of a phase.
enum Substance<'a, T> {
    /// The same everywhere \[kg/m³\].
    Uniform(f64),
    /// By node \[kg/m³\].
    ByNode(&'a [[T; 1]]),
}

impl<T: Scalar> Side<'_, T> {
    /// Velocity with the forces of the step, and without \[m/s\].
    fn velocities<const D: usize>(&self, k: usize) -> [Vector<f64, D>; 2] {
        [&self.nodes[k], &self.unforced[k]].map(velocity)
    }
    fn mass(&self, k: usize) -> f64 {
        self.nodes[k][MASS].to_f64()
    }
    /// 1/m \[1/kg\]; zero for matter that is held.
    fn inverse_mass(&self, k: usize) -> f64 {
        match self.is_held {
            true => 0.0,
            false => 1.0 / self.mass(k),
        }
    }
    fn substance(&self, k: usize) -> f64 {
        match self.substance {
            Substance::Uniform(density) => density,
            Substance::ByNode(densities) => densities[k][0].to_f64(),
        }
    }
    fn add<const D: usize>(&mut self, k: usize, impulses: [Vector<f64, D>; 2]) {
        let inverse = self.inverse_mass(k);
        let fields = [&mut self.nodes[k], &mut self.unforced[k]];
        for (node, impulse) in fields.into_iter().zip(impulses) {
            for a in 0..D {
                node[a] += T::from_f64(impulse[a] * inverse);
            }
        }
    }
}

fn velocity<T: Scalar, const D: usize>(node: &Node<T>) -> Vector<f64, D> {
    let mut v = Vector::zero();
    for a in 0..D {
        v[a] = node[a].to_f64();
    }
    v
}

/// Lets drag act on the velocities of all coupled phases for a step, pair after pair: exact for two
/// phases, of first order in time where one takes part in several couplings. The momentum of both
/// together stays, to rounding, but for that of matter that is held.
pub(crate) fn exchange_momentum<T: Scalar, const D: usize>(
    mixture: &Mixture<D>,
    phases: &mut [PhaseFields<T, D>],
    volumes: &NodeVolumes,
    step: &StepContext<'_, D>,
) {
    let per_block = step.order.blocks.nodes_per_block();
    for coupling in &mixture.couplings {
        let (first, second) = (
            coupling.fluid.min(coupling.solid),
            coupling.fluid.max(coupling.solid),
        );
        let (low, high) = phases.split_at_mut(second);
        let sides = (
            blocks_of(&mixture.phases[first], &mut low[first]),
            blocks_of(&mixture.phases[second], &mut high[0]),
        );
        let blocks = sides.0.zip(sides.1).enumerate();
        blocks.for_each(|(block, (mut first, mut second))| {
            let (fluid, solid) = match coupling.fluid < coupling.solid {
                true => (&mut first, &mut second),
                false => (&mut second, &mut first),
            };
            for k in 0..fluid.nodes.len() {
                let is_mixed = fluid.nodes[k][MASS] > T::zero() && solid.nodes[k][MASS] > T::zero();
                if is_mixed {
                    let volume = volumes.at(block * per_block + k);
                    relax::<T, D>((mixture, coupling), [fluid, solid], (k, volume), step.dt);
                }
            }
        });
    }
}

/// The fields of a phase, block by block.
fn blocks_of<'a, T: Scalar, const D: usize>(
    phase: &'a Phase,
    fields: &'a mut PhaseFields<T, D>,
) -> impl IndexedParallelIterator<Item = Side<'a, T>> {
    let PhaseFields {
        grid,
        unforced,
        substance,
        ..
    } = fields;
    let substance: &Field<T, 1> = substance;
    let uniform = phase.uniform_substance();
    let is_held = phase.motion == Motion::Held;
    let blocks = grid.nodes.blocks_mut().zip(unforced.blocks_mut());
    blocks.map(move |((block, nodes), (_, unforced))| {
        let first = block * nodes.len();
        Side {
            substance: match uniform {
                Some(density) => Substance::Uniform(density),
                None => Substance::ByNode(&substance.values()[first..first + nodes.len()]),
            },
            nodes,
            unforced,
            is_held,
        }
    })
}

/// Equation (71) at a node with matter of both phases.
fn relax<T: Scalar, const D: usize>(
    (mixture, coupling): (&Mixture<D>, &Coupling),
    [fluid, solid]: [&mut Side<'_, T>; 2],
    (k, volume): (usize, f64),
    dt: f64,
) {
    let [v_f, u_f] = fluid.velocities::<D>(k);
    let [v_s, u_s] = solid.velocities::<D>(k);
    let (r, r_before) = (v_f - v_s, u_f - u_s);
    let inverse = fluid.inverse_mass(k) + solid.inverse_mass(k);
    if inverse <= 0.0 || !inverse.is_finite() {
        return;
    }
    let c = coupling.drag.coefficient(&PoreState {
        solid_density: solid.mass(k) / volume,
        fluid_density: fluid.mass(k) / volume,
        solid_substance: solid.substance(k),
        fluid_substance: fluid.substance(k),
        speed: r_before.norm(),
        volume,
    });
    // ĉ M Δt in \[Nilles2020\] eq. (103).
    let x = c * volume * inverse * dt;
    let left = mixture.relaxation.remainder(x);
    let before = r_before * left.before;
    let after = before + (r - r_before) * left.added;
    let impulses = [after - r, before - r_before].map(|change| change * (1.0 / inverse));
    fluid.add(k, impulses);
    solid.add(k, impulses.map(|impulse| -impulse));
}
