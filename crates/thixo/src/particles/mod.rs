//! Particles: a store per material, in groups of one register width, ordered by grid block.
//!
//! Each material has its own `Species`, so that a group never mixes materials and a model's state
//! is a handful of columns of its own. Columns that every pass reads (position, mass, rest volume,
//! state) lie apart from those that only frame ends and the staged path need (velocity, affine
//! velocity, stress).
//!
//! Lanes that hold no particle ("padding": the end of a block's last group) carry the identifier
//! `PADDING`, zero mass and zero volume, so that they add nothing anywhere.
//!
//! Positions are stored as offsets from the middle of a block, in cells: single precision resolves
//! them to 2·10⁻⁷ cells however far from the origin they are. All particles of a group are measured
//! from the same block, in which they were at the last sort.

mod columns;
mod counting_sort;
mod own_block;
mod schema;
mod sort;

pub use columns::Columns;
pub use schema::{Carried, Shape};
pub use thixo_material::Layout;

pub(crate) use schema::{Column, HEAT_COLUMNS, Owner, Schema, Table};
pub(crate) use sort::{SORT_BYTES_PER_SLOT, order};

use std::sync::Arc;

use thixo_math::{Matrix, Vector};
use thixo_par::Scalar;

use crate::grid::{Geometry, block_key};

/// The identifier of a lane without a particle.
pub(crate) const PADDING: u32 = u32::MAX;

/// Initial state of a particle when it enters the simulation. SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seed<const D: usize> {
    /// Position x \[m\].
    pub position: [f64; D],
    /// Velocity v \[m/s\].
    pub velocity: [f64; D],
    /// Mass m > 0 \[kg\] (per metre of thickness in 2D); at least 1e-24 kg in single precision.
    pub mass: f64,
    /// Volume V⁰ > 0 \[m³\] of the undeformed matter (m² in 2D).
    pub rest_volume: f64,
    /// Velocity gradient \[1/s\] around the particle, from which transfers with an affine part
    /// compute theirs (PIC and FLIP have none) and fluids their first viscous stress; zero unless
    /// set (errata E1).
    pub velocity_gradient: [[f64; D]; D],
    /// Deformation gradient F \[–\], det F > 0; the identity unless set.
    pub deformation_gradient: [[f64; D]; D],
}

impl<const D: usize> Seed<D> {
    /// An undeformed particle without rotation, from position \[m\], velocity \[m/s\], mass >
    /// 0 \[kg\] and rest volume > 0 \[m³\].
    pub fn new(position: [f64; D], velocity: [f64; D], mass: f64, rest_volume: f64) -> Self {
        Self {
            position,
            velocity,
            mass,
            rest_volume,
            velocity_gradient: [[0.0; D]; D],
            deformation_gradient: Matrix::<f64, D>::identity().0,
        }
    }
}

/// A particle as read back from the simulation, in its precision. SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Particle<T, const D: usize> {
    /// Unique identifier, assigned when the particle is added and never reused.
    pub id: u32,
    /// Index of its material.
    pub material: usize,
    /// Position x \[m\], in double precision; along periodic axes from 0 to the period.
    pub position: Vector<f64, D>,
    /// Velocity v \[m/s\].
    pub velocity: Vector<T, D>,
    /// Affine velocity \[1/s\]: C of APIC, RPIC and MLS, zero for PIC and FLIP; for APIC on the
    /// linear kernel B \[m²/s\].
    pub affine: Matrix<T, D>,
    /// Mass m \[kg\] (per metre of thickness in 2D).
    pub mass: T,
    /// Rest volume V⁰ \[m³\] (m² in 2D).
    pub rest_volume: T,
    /// Volume ratio J = V/V⁰ \[–\].
    pub volume_ratio: T,
    /// Kirchhoff stress τ = Jσ \[Pa\].
    pub kirchhoff_stress: Matrix<T, D>,
}

/// All particles of one material.
#[derive(Clone, Debug)]
pub(crate) struct Species<T, const D: usize> {
    /// Offset from the block of the group, mass, rest volume, state.
    pub hot: Columns<T>,
    /// Velocity, affine velocity, stress.
    pub cold: Columns<T>,
    /// Identifier of every lane, [`PADDING`] where there is no particle.
    pub ids: Vec<u32>,
    /// Block of every group, from whose middle the offsets of its particles are measured.
    pub blocks: Vec<[i32; D]>,
    /// Description of the columns.
    pub schema: Arc<Schema<D>>,
}

impl<T: Scalar, const D: usize> Species<T, D> {
    fn new(schema: Schema<D>) -> Self {
        Self {
            hot: Columns::new(schema.width(Table::Hot)),
            cold: Columns::new(schema.width(Table::Cold)),
            ids: Vec::new(),
            blocks: Vec::new(),
            schema: Arc::new(schema),
        }
    }
    /// True while the cold columns are allocated: within a frame the fused path keeps their values
    /// in registers and does without them.
    pub fn has_cold(&self) -> bool {
        self.cold.groups() == self.hot.groups()
    }
    /// Slots that hold a particle.
    pub fn occupied(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.ids.len()).filter(|&slot| self.ids[slot] != PADDING)
    }
    /// Offset of the particle in `slot` from the middle of its block \[cells\].
    pub fn offset(&self, slot: usize) -> Vector<T, D> {
        self.vector(&self.hot, slot, Layout::<D>::X)
    }
    /// Position of the particle in `slot` \[m\].
    pub fn position(&self, slot: usize, geometry: &Geometry<D>) -> Vector<f64, D> {
        geometry.position(self.blocks[slot / T::LANES], self.offset(slot))
    }
    /// Velocity of the particle in `slot` \[m/s\].
    pub fn velocity(&self, slot: usize) -> Vector<T, D> {
        self.vector(&self.cold, slot, Layout::<D>::V)
    }
    /// Sets the velocity of the particle in `slot` \[m/s\].
    pub fn set_velocity(&mut self, slot: usize, velocity: &[f64]) {
        for (i, &v) in velocity.iter().enumerate().take(D) {
            self.cold.set(slot, Layout::<D>::V + i, T::from_f64(v));
        }
    }
    /// Affine column of the particle in `slot`; see
    /// [`AffineColumn`](crate::transfer::AffineColumn).
    pub fn affine(&self, slot: usize) -> Matrix<T, D> {
        let mut affine = Matrix::zero();
        for i in 0..D {
            for j in 0..D {
                affine[i][j] = self.cold.get(slot, Layout::<D>::AFFINE + i * D + j);
            }
        }
        affine
    }
    /// Kirchhoff stress of the particle in `slot` \[Pa\].
    pub fn stress(&self, slot: usize) -> Matrix<T, D> {
        let mut tau = Matrix::zero();
        let mut column = Layout::<D>::STRESS;
        for i in 0..D {
            for j in i..D {
                tau[i][j] = self.cold.get(slot, column);
                tau[j][i] = tau[i][j];
                column += 1;
            }
        }
        tau
    }
    /// Mass of the particle in `slot` \[kg\].
    pub fn mass(&self, slot: usize) -> T {
        self.hot.get(slot, Layout::<D>::MASS)
    }
    /// Rest volume of the particle in `slot` \[m³\].
    pub fn rest_volume(&self, slot: usize) -> T {
        self.hot.get(slot, Layout::<D>::V0)
    }
    /// State variables of the particle in `slot`, in the units of the schema.
    pub fn state(&self, slot: usize) -> Vec<f64> {
        let mut state = Vec::new();
        self.read_state(slot, &mut state);
        state
    }
    /// Replaces the contents of `state` by the state variables of the particle in `slot`.
    pub(crate) fn read_state(&self, slot: usize, state: &mut Vec<f64>) {
        let columns = self.schema.state();
        state.clear();
        state.extend(columns.map(|column| self.hot.get(slot, column).to_f64()));
    }
    fn vector(&self, table: &Columns<T>, slot: usize, first: usize) -> Vector<T, D> {
        let mut out = Vector::zero();
        for i in 0..D {
            out[i] = table.get(slot, first + i);
        }
        out
    }
    /// Writes a particle: its offset \[cells\], its seed, its affine column, and behind the columns
    /// of the method the state of its law and its carried values.
    fn write(
        &mut self,
        slot: usize,
        (offset, seed): ([f64; D], &Seed<D>),
        affine: &Matrix<f64, D>,
        rest: &[f64],
    ) {
        let put = |table: &mut Columns<T>, column, x: f64| table.set(slot, column, T::from_f64(x));
        for i in 0..D {
            put(&mut self.hot, Layout::<D>::X + i, offset[i]);
            put(&mut self.cold, Layout::<D>::V + i, seed.velocity[i]);
            for j in 0..D {
                let column = Layout::<D>::AFFINE + i * D + j;
                put(&mut self.cold, column, affine[i][j]);
            }
        }
        put(&mut self.hot, Layout::<D>::MASS, seed.mass);
        put(&mut self.hot, Layout::<D>::V0, seed.rest_volume);
        for (k, &x) in rest.iter().enumerate() {
            put(&mut self.hot, Layout::<D>::STATE + k, x);
        }
    }
}

/// All particles, a [`Species`] per material.
#[derive(Clone, Debug)]
pub(crate) struct Particles<T, const D: usize> {
    /// One store per material, in the order of the materials.
    pub species: Vec<Species<T, D>>,
    next_id: u32,
    count: usize,
}

impl<T: Scalar, const D: usize> Particles<T, D> {
    /// An empty store for each schema.
    pub fn new(schemas: impl Iterator<Item = Schema<D>>) -> Self {
        Self {
            species: schemas.map(Species::new).collect(),
            next_id: 0,
            count: 0,
        }
    }
    /// Particles restored by species; `next_id` is above all their identifiers.
    pub(crate) fn from_species(species: Vec<Species<T, D>>, next_id: u32) -> Self {
        let count = species.iter().map(|s| s.occupied().count()).sum();
        Self {
            species,
            next_id,
            count,
        }
    }
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.count
    }
    /// True if there is no particle.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
    /// The identifier that the next particle gets.
    pub fn next_id(&self) -> u32 {
        self.next_id
    }
    /// Appends particles, block by block, with identifiers from [`Particles::next_id`] on in the
    /// order of the seeds; `rest` holds one row of state and carried columns per seed, `affine`
    /// computes the affine column. Returns the slot of every seed.
    pub(crate) fn append(
        &mut self,
        material: usize,
        seeds: &[Seed<D>],
        rest: &[f64],
        geometry: &Geometry<D>,
        affine: impl Fn(&Seed<D>) -> Matrix<f64, D>,
    ) -> Vec<usize> {
        let species = &mut self.species[material];
        let placed: Vec<_> = seeds
            .iter()
            .map(|seed| geometry.block_and_offset(seed.position))
            .collect();
        // A group has particles of one block only.
        let mut order: Vec<usize> = (0..seeds.len()).collect();
        order.sort_by_key(|&k| block_key(geometry.wrap(placed[k].0)));
        let width = species.hot.width() - Layout::<D>::STATE;
        let mut slots = vec![0; seeds.len()];
        for of_block in
            order.chunk_by(|&a, &b| geometry.wrap(placed[a].0) == geometry.wrap(placed[b].0))
        {
            let block = geometry.wrap(placed[of_block[0]].0);
            for of_group in of_block.chunks(T::LANES) {
                let first = species.ids.len();
                species.ids.resize(first + T::LANES, PADDING);
                species.blocks.push(block);
                for (slot, &k) in (first..).zip(of_group) {
                    slots[k] = slot;
                    species.ids[slot] = self.next_id + k as u32;
                }
            }
        }
        species.hot.resize(species.blocks.len());
        species.cold.resize(species.blocks.len());
        for (k, seed) in seeds.iter().enumerate() {
            let rest = &rest[k * width..(k + 1) * width];
            species.write(slots[k], (placed[k].1, seed), &affine(seed), rest);
        }
        self.next_id += seeds.len() as u32;
        self.count += seeds.len();
        slots
    }
    /// Identifier, material and slot of every particle, by identifier.
    pub(crate) fn by_id(&self) -> impl Iterator<Item = (u32, usize, usize)> {
        // Slots are numbered consecutively over all species; identifiers of removed particles keep
        // [`PADDING`].
        let mut slots = vec![PADDING; self.next_id as usize];
        let mut ends = Vec::with_capacity(self.species.len());
        let mut end = 0;
        for species in &self.species {
            for slot in species.occupied() {
                slots[species.ids[slot] as usize] = (end + slot) as u32;
            }
            end += species.ids.len();
            ends.push(end);
        }
        let occupied = (0..).zip(slots).filter(|(_, slot)| *slot != PADDING);
        occupied.map(move |(id, slot)| {
            let slot = slot as usize;
            let material = ends.partition_point(|end| *end <= slot);
            let first = if material == 0 { 0 } else { ends[material - 1] };
            (id, material, slot - first)
        })
    }
    /// A copy without the cold columns, which are empty in it.
    pub(crate) fn copied_without_cold(&self) -> Self {
        let copied = |species: &Species<T, D>| Species {
            hot: species.hot.copied(),
            cold: Columns::new(Layout::<D>::COLD),
            ids: species.ids.clone(),
            blocks: species.blocks.clone(),
            schema: species.schema.clone(),
        };
        Self {
            species: self.species.iter().map(copied).collect(),
            next_id: self.next_id,
            count: self.count,
        }
    }
    /// Restores the state of a copy without cold columns; cold columns are unchanged.
    pub(crate) fn restore_without_cold(&mut self, copy: &Self) {
        let Self {
            species,
            next_id,
            count,
        } = copy;
        for (own, copy) in self.species.iter_mut().zip(species) {
            own.hot.clone_from(&copy.hot);
            own.ids.clone_from(&copy.ids);
            own.blocks.clone_from(&copy.blocks);
        }
        self.next_id = *next_id;
        self.count = *count;
    }
    /// Removes the cold columns and returns them.
    pub(crate) fn take_cold(&mut self) -> Vec<Columns<T>> {
        let none = || Columns::new(Layout::<D>::COLD);
        let species = self.species.iter_mut();
        species
            .map(|s| core::mem::replace(&mut s.cold, none()))
            .collect()
    }
    /// Allocates cold columns where they were removed, filled with one value.
    pub(crate) fn make_cold(&mut self, value: T) {
        for species in &mut self.species {
            if !species.has_cold() {
                species.cold = Columns::filled(Layout::<D>::COLD, species.hot.groups(), value);
            }
        }
    }
    /// Removes the particles for which `goes` holds; their lanes become padding.
    pub(crate) fn remove(
        &mut self,
        geometry: &Geometry<D>,
        mut goes: impl FnMut(u32, Vector<f64, D>) -> bool,
    ) -> usize {
        let before = self.count;
        for species in &mut self.species {
            for slot in 0..species.ids.len() {
                let id = species.ids[slot];
                if id == PADDING || !goes(id, species.position(slot, geometry)) {
                    continue;
                }
                species.ids[slot] = PADDING;
                species.hot.set(slot, Layout::<D>::MASS, T::zero());
                species.hot.set(slot, Layout::<D>::V0, T::zero());
                self.count -= 1;
            }
        }
        before - self.count
    }
    /// Bytes of storage.
    pub fn bytes(&self) -> usize {
        let TableBytes { hot, cold, ids, .. } = self.table_bytes();
        hot + cold + ids
    }
    /// Bytes of storage, table by table.
    pub(crate) fn table_bytes(&self) -> TableBytes {
        let mut out = TableBytes::default();
        for species in &self.species {
            out.hot += species.hot.bytes();
            out.cold += species.cold.bytes();
            out.ids += species.ids.capacity() * size_of::<u32>();
            out.ids += species.blocks.capacity() * size_of::<[i32; D]>();
            out.slots += species.ids.len();
        }
        out
    }
}

/// Bytes of the tables of all species together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TableBytes {
    /// Of the hot columns.
    pub hot: usize,
    /// Of the cold columns.
    pub cold: usize,
    /// Of the identifiers and the blocks of groups.
    pub ids: usize,
    /// Number of slots, occupied or not.
    pub slots: usize,
}
