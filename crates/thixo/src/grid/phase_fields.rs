//! The fields of one phase of a mixture.

use rayon::prelude::*;
use thixo_par::Scalar;

use super::{BlockOrder, Field, Grid, MASS, Tiles};

/// Mass, momentum, velocity and force of one phase on the nodes. The tiles are those of all
/// particles, in the grid of the workspace.
#[derive(Debug)]
pub(crate) struct PhaseFields<T, const D: usize> {
    /// Mass with momentum, then with velocity; force; masses of the materials of the phase.
    pub grid: Grid<T, D>,
    /// Mass with the momentum, then velocity, that the nodes would have without the forces of the
    /// step.
    pub unforced: Field<T, 4>,
    /// Density of the substance, the mean by volume over the constituents \[kg/m³\]; empty where
    /// all have the same.
    pub substance: Field<T, 1>,
    /// Share of space that the phase fills \[–\], where it is asked for.
    pub share: Field<T, 1>,
    /// Matter of other phases around the particles of this one: of solids around a fluid the flux
    /// φ v \[m/s\] and the share φ of space in place of the mass; around a solid the pressure of
    /// the fluid \[Pa\] in the first place, where it is asked for, and its wetness in that of the
    /// mass.
    pub medium: Field<T, 4>,
    /// Means over the particles of a fluid around each node, where they are asked for: the pressure
    /// \[Pa\] in the first place, J − 1 in that of the mass.
    pub pressure: Field<T, 4>,
}

impl<T: Scalar, const D: usize> PhaseFields<T, D> {
    /// Fields without nodes.
    pub fn new() -> Self {
        Self {
            grid: Grid::new(),
            unforced: Field::default(),
            substance: Field::default(),
            share: Field::default(),
            medium: Field::default(),
            pressure: Field::default(),
        }
    }
    /// Sums m/ρ̂ over the materials of the phase and stores Σ m / Σ m/ρ̂; `specific_volume` is 1/ρ̂
    /// of a material \[m³/kg\], none for materials of other phases. The nodes must hold the mass of
    /// the phase.
    pub fn sum_substance(
        &mut self,
        order: &BlockOrder<D>,
        tiles: &Tiles<T, 4, D>,
        specific_volume: impl Fn(usize) -> Option<f64> + Sync,
    ) {
        self.substance.resize(order);
        let nodes = self.grid.nodes.values();
        self.substance.blocks_mut().for_each(|(b, substance)| {
            substance.fill([T::zero()]);
            let mut own = vec![[T::zero(); 4]; substance.len()];
            order.for_each_overlapping(b, |segment, offset| {
                if let Some(volume) = specific_volume(order.segments[segment].species) {
                    own.fill([T::zero(); 4]);
                    tiles.add(segment, offset, &mut own);
                    for (sum, own) in substance.iter_mut().zip(&own) {
                        sum[0] += T::from_f64(volume) * own[MASS];
                    }
                }
            });
            let masses = &nodes[b * substance.len()..];
            for (volume, node) in substance.iter_mut().zip(masses) {
                if volume[0] > T::zero() {
                    volume[0] = node[MASS] / volume[0];
                }
            }
        });
    }
    /// Bytes of storage.
    pub fn bytes(&self) -> usize {
        let Self {
            grid,
            unforced,
            substance,
            share,
            medium,
            pressure,
        } = self;
        let around = share.bytes() + medium.bytes() + pressure.bytes();
        grid.bytes() + unforced.bytes() + substance.bytes() + around
    }
}
