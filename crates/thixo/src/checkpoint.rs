//! The state of a simulation as bytes, written by [`Simulation::save`] and read by
//! [`Simulation::restore`]; the run continues bit for bit.
//!
//! The bytes hold everything that steps change: particles in the order of memory (on which sums
//! depend), the state of the time step, the surfaces under load, the time. The setup (materials,
//! grid, obstacles) is not stored; the simulation that restores must have been made with the same
//! one. Numbers are little-endian; reals have the precision of the simulation; texts and lists are
//! preceded by their length in 8 bytes.
//!
//! | bytes | contents |
//! |---|---|
//! | 8 | `THIXOSIM` |
//! | 4 | version of this format, 3 |
//! | 1, 1 | bytes of a real; dimension |
//! | … | parts of the state, each preceded by its name; `end` after the last |
//!
//! | part | contents |
//! |---|---|
//! | `time` | time \[s\] |
//! | `time_step` | limits, speeds of particles and obstacles, cap, step before, flags |
//! | `loads` | for each loaded surface its name, and positions and area vectors of its elements |
//! | `heat` | time and motion since the last step of conduction, diffusivity, heat received; absent without heat |
//! | `contact_impulses` | impulses and moments of walls and obstacles, or none |
//! | `particles` | next identifier; for each material the entries below |
//! | `meshes` | name, first identifier, vertices and elements of each mesh; only where there are any |
//!
//! The entries of a material are its name, the columns of its particles by name, table and width,
//! and then identifiers, blocks of groups (integers of 4 bytes), hot and cold columns.
//!
//! A part of another name is refused by that name: a later version of the program wrote it.
//! Versions 1 and 2, which stored positions and strains in another form, are refused.

use std::io::{self, Read, Write};
use std::sync::Arc;

use thiserror::Error;
use thixo_par::Scalar;

use crate::collide::{ContactImpulse, ContactImpulses};
use crate::force::{LoadedSurface, SurfaceElement};
use crate::grid::{BlockOrder, Geometry};
use crate::heat::HeatState;
use crate::lagrangian::{Mesh, find_vertices};
use crate::material::Limits;
use crate::particles::{Column, Columns, Layout, PADDING, Particles, Schema, Species, Table};
use crate::simulation::{Instance, Simulation};
use crate::state::State;
use crate::timestep::{StepControl, TimeStepState};

const MAGIC: [u8; 8] = *b"THIXOSIM";
const VERSION: u32 = 3;
/// Values that are read at a time, so that a wrong length cannot request more memory than there are
/// bytes.
const CHUNK: usize = 1 << 16;

/// Reason for which a state cannot be restored. The simulation is unchanged.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The bytes end early or cannot be read.
    #[error("the saved state cannot be read: {0}")]
    Read(#[from] io::Error),
    /// These are not the bytes of a state.
    #[error("this is not a saved state of thixo")]
    NotAState,
    /// Written by another version of the format.
    #[error(
        "the saved state has format {found}, this program reads format {VERSION}; use the version of thixo that wrote it, or start the run again"
    )]
    Version {
        /// The format's version.
        found: u32,
    },
    /// The setup differs from that of the simulation that was saved.
    #[error(
        "the saved state has {quantity} {found}, the simulation {expected}; restore with the scene that was saved"
    )]
    Mismatch {
        /// Property that differs.
        quantity: &'static str,
        /// Value in the saved state.
        found: String,
        /// Value in the simulation.
        expected: String,
    },
    /// A part of the state that this program does not know.
    #[error(
        "the saved state has a part {name:?}, which this program does not know; use the version of thixo that wrote it"
    )]
    UnknownPart {
        /// Name of the part.
        name: String,
    },
    /// A part of the state that is missing.
    #[error("the saved state is damaged: its part {name:?} is missing")]
    MissingPart {
        /// Name of the part.
        name: &'static str,
    },
    /// A value that no simulation can have.
    #[error("the saved state is damaged: {0}")]
    Damaged(&'static str),
}

fn same<V: PartialEq + ToString>(
    quantity: &'static str,
    found: V,
    expected: V,
) -> Result<(), RestoreError> {
    if found == expected {
        Ok(())
    } else {
        Err(RestoreError::Mismatch {
            quantity,
            found: found.to_string(),
            expected: expected.to_string(),
        })
    }
}

/// Names of the parts, as they are written.
const TIME: &str = "time";
const TIME_STEP: &str = "time_step";
const LOADS: &str = "loads";
const CONTACT_IMPULSES: &str = "contact_impulses";
const HEAT: &str = "heat";
const PARTICLES: &str = "particles";
const MESHES: &str = "meshes";
const END: &str = "end";

impl<T: Instance<D>, const D: usize> Simulation<T, D> {
    /// Writes the state. Between calls of [`advance`](Simulation::advance) it determines all later
    /// steps.
    pub fn save(&self, out: &mut impl Write) -> io::Result<()> {
        let State {
            particles,
            loads,
            contact_impulses,
            heat,
            time,
            time_step,
        } = &self.state;
        out.write_all(&MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&[size_of::<T>() as u8, D as u8])?;
        write_text(out, TIME)?;
        write_f64(out, *time)?;
        write_text(out, TIME_STEP)?;
        write_time_step(out, time_step)?;
        write_text(out, LOADS)?;
        write_loads(out, loads)?;
        write_text(out, CONTACT_IMPULSES)?;
        write_contact_impulses(out, contact_impulses)?;
        if self.setup.heat.is_some() {
            write_text(out, HEAT)?;
            write_heat(out, heat)?;
        }
        write_text(out, PARTICLES)?;
        write_particles(out, particles, &self.material_names())?;
        if !self.meshes().is_empty() {
            write_text(out, MESHES)?;
            write_meshes(out, self.meshes())?;
        }
        write_text(out, END)
    }

    /// Takes over a state that a simulation of the same setup has saved. On error this simulation
    /// is unchanged.
    pub fn restore(&mut self, input: &mut impl Read) -> Result<(), RestoreError> {
        if read_array(input)? != MAGIC {
            return Err(RestoreError::NotAState);
        }
        let found = u32::from_le_bytes(read_array(input)?);
        if found != VERSION {
            return Err(RestoreError::Version { found });
        }
        let [bytes, dimension] = read_array(input)?;
        same("bytes per number", usize::from(bytes), size_of::<T>())?;
        same("dimension", usize::from(dimension), D)?;
        let state = self.read_parts(input)?;
        if !(state.time.is_finite() && state.time >= 0.0) {
            return Err(RestoreError::Damaged("the time is not a positive number"));
        }
        let mut is_taken = vec![false; state.particles.next_id() as usize];
        let ids = state.particles.species.iter().flat_map(|s| &s.ids);
        for &id in ids.filter(|&&id| id != PADDING) {
            match is_taken.get_mut(id as usize) {
                None => return Err(RestoreError::Damaged("an identifier was never given")),
                Some(true) => {
                    return Err(RestoreError::Damaged("two particles have one identifier"));
                }
                Some(taken) => *taken = true,
            }
        }
        if self
            .meshes()
            .iter()
            .any(|mesh| find_vertices(mesh, &state.particles).is_none())
        {
            return Err(RestoreError::Damaged("a mesh lacks some of its vertices"));
        }
        self.state = state;
        // The next call sorts the particles.
        self.work.order = BlockOrder::default();
        self.failed = None;
        Ok(())
    }

    fn read_parts(&self, input: &mut impl Read) -> Result<State<T, D>, RestoreError> {
        let (mut time, mut time_step, mut loads, mut particles) = (None, None, None, None);
        let mut contact_impulses = self.no_contact_impulses();
        let mut heat = HeatState::default();
        let mut has_meshes = false;
        loop {
            match read_text(input)?.as_str() {
                TIME => time = Some(read_f64(input)?),
                TIME_STEP => time_step = Some(read_time_step(input)?),
                LOADS => loads = Some(self.read_loads(input)?),
                CONTACT_IMPULSES => read_contact_impulses(input, &mut contact_impulses)?,
                HEAT => heat = read_heat(input)?,
                PARTICLES => particles = Some(self.read_particles(input)?),
                MESHES => {
                    check_meshes(input, self.meshes())?;
                    has_meshes = true;
                }
                END => break,
                name => {
                    let name = name.to_owned();
                    return Err(RestoreError::UnknownPart { name });
                }
            }
        }
        let missing = |name| RestoreError::MissingPart { name };
        if !has_meshes && !self.meshes().is_empty() {
            return Err(missing(MESHES));
        }
        Ok(State {
            particles: particles.ok_or(missing(PARTICLES))?,
            loads: loads.ok_or(missing(LOADS))?,
            contact_impulses,
            heat,
            time: time.ok_or(missing(TIME))?,
            time_step: time_step.ok_or(missing(TIME_STEP))?,
        })
    }

    fn read_loads(&self, input: &mut impl Read) -> Result<Vec<LoadedSurface<D>>, RestoreError> {
        let mut loads = self.state.loads.clone();
        same("number of loads", read_length(input)?, loads.len())?;
        for surface in &mut loads {
            read_surface(input, surface)?;
        }
        Ok(loads)
    }

    fn read_particles(&self, input: &mut impl Read) -> Result<Particles<T, D>, RestoreError> {
        let next_id = u32::from_le_bytes(read_array(input)?);
        let materials = &self.setup.materials;
        same("number of materials", read_length(input)?, materials.len())?;
        let mut species = Vec::new();
        for (own, material) in self.state.particles.species.iter().zip(materials) {
            same("material", read_text(input)?, material.name().to_owned())?;
            let mut columns = Vec::new();
            let length = read_length(input)?;
            if length > CHUNK {
                return Err(RestoreError::Damaged("there are too many columns"));
            }
            for _ in 0..length {
                let name = read_text(input)?;
                let [table] = read_array(input)?;
                columns.push(column_text(&name, table, read_length(input)?));
            }
            let expected = columns_of(&own.schema).join(", ");
            same("columns", columns.join(", "), expected)?;
            species.push(read_species(input, &own.schema, &self.setup.geometry)?);
        }
        Ok(Particles::from_species(species, next_id))
    }
}

/// A column as messages show it.
fn column_text(name: &str, table: u8, width: usize) -> String {
    format!(
        "{name} ({width}, {})",
        if table == 0 { "hot" } else { "cold" }
    )
}

fn columns_of<const D: usize>(schema: &Schema<D>) -> Vec<String> {
    let columns = schema.columns().iter();
    let text = |c: &Column| column_text(&c.name, table_number(c), c.shape.components::<D>());
    columns.map(text).collect()
}

fn table_number(column: &Column) -> u8 {
    match column.table {
        Table::Hot => 0,
        Table::Cold => 1,
    }
}

fn write_loads<const D: usize>(out: &mut impl Write, loads: &[LoadedSurface<D>]) -> io::Result<()> {
    write_length(out, loads.len())?;
    for surface in loads {
        write_text(out, surface.name())?;
        write_length(out, surface.elements().len())?;
        for element in surface.elements() {
            for x in element.position.into_iter().chain(element.area) {
                write_f64(out, x)?;
            }
        }
    }
    Ok(())
}

fn write_heat(out: &mut impl Write, heat: &HeatState) -> io::Result<()> {
    heat.numbers()
        .into_iter()
        .try_for_each(|x| write_f64(out, x))
}

fn read_heat(input: &mut impl Read) -> Result<HeatState, RestoreError> {
    let mut numbers = HeatState::default().numbers();
    for x in &mut numbers {
        *x = read_f64(input)?;
    }
    if numbers.iter().any(|x| !x.is_finite()) {
        return Err(RestoreError::Damaged("a heat is not a finite number"));
    }
    Ok(HeatState::of_numbers(numbers))
}

fn write_meshes<const D: usize>(out: &mut impl Write, meshes: &[Mesh<D>]) -> io::Result<()> {
    write_length(out, meshes.len())?;
    for mesh in meshes {
        write_text(out, mesh.name())?;
        out.write_all(&mesh.ids().start.to_le_bytes())?;
        write_length(out, mesh.vertices())?;
        write_length(out, mesh.elements())?;
    }
    Ok(())
}

/// Refuses other meshes than those of the simulation.
fn check_meshes<const D: usize>(
    input: &mut impl Read,
    meshes: &[Mesh<D>],
) -> Result<(), RestoreError> {
    same("number of meshes", read_length(input)?, meshes.len())?;
    for mesh in meshes {
        same("mesh", read_text(input)?, mesh.name().to_owned())?;
        let first = u32::from_le_bytes(read_array(input)?);
        same("first vertex of a mesh", first, mesh.ids().start)?;
        same("vertices of a mesh", read_length(input)?, mesh.vertices())?;
        same("elements of a mesh", read_length(input)?, mesh.elements())?;
    }
    Ok(())
}

fn write_contact_impulses<const D: usize>(
    out: &mut impl Write,
    impulses: &ContactImpulses<D>,
) -> io::Result<()> {
    let ContactImpulses { walls, colliders } = impulses;
    for list in [walls, colliders] {
        write_length(out, list.len())?;
        for ContactImpulse { linear, angular } in list {
            for x in linear.0.iter().chain(angular) {
                write_f64(out, *x)?;
            }
        }
    }
    Ok(())
}

fn read_contact_impulses<const D: usize>(
    input: &mut impl Read,
    impulses: &mut ContactImpulses<D>,
) -> Result<(), RestoreError> {
    let ContactImpulses { walls, colliders } = impulses;
    for (what, list) in [
        ("number of walls", walls),
        ("number of colliders", colliders),
    ] {
        same(what, read_length(input)?, list.len())?;
        for ContactImpulse { linear, angular } in list {
            for x in linear.0.iter_mut().chain(angular) {
                *x = read_f64(input)?;
            }
        }
    }
    Ok(())
}

fn write_particles<T: Scalar, const D: usize>(
    out: &mut impl Write,
    particles: &Particles<T, D>,
    names: &[&'static str],
) -> io::Result<()> {
    out.write_all(&particles.next_id().to_le_bytes())?;
    write_length(out, particles.species.len())?;
    for (species, name) in particles.species.iter().zip(names) {
        write_text(out, name)?;
        let columns = species.schema.columns();
        write_length(out, columns.len())?;
        for column in columns {
            write_text(out, &column.name)?;
            out.write_all(&[table_number(column)])?;
            write_length(out, column.shape.components::<D>())?;
        }
        write_length(out, species.ids.len())?;
        for id in &species.ids {
            out.write_all(&id.to_le_bytes())?;
        }
        for coordinate in species.blocks.as_flattened() {
            out.write_all(&coordinate.to_le_bytes())?;
        }
        write_reals(out, species.hot.data())?;
        write_reals(out, species.cold.data())?;
    }
    Ok(())
}

fn write_time_step<T: Scalar>(
    out: &mut impl Write,
    time_step: &TimeStepState<T>,
) -> io::Result<()> {
    let TimeStepState {
        limits,
        speed,
        closing_speed,
        control,
        limits_stale,
    } = time_step;
    let Limits {
        stiffness_per_density,
        kinematic_viscosity,
        sound,
    } = limits;
    // Infinity encodes the absence of a previous step.
    let previous = control.previous.unwrap_or(f64::INFINITY);
    for x in [
        stiffness_per_density.to_f64(),
        kinematic_viscosity.to_f64(),
        *speed,
        *closing_speed,
        control.cap,
        previous,
    ] {
        write_f64(out, x)?;
    }
    out.write_all(&[u8::from(*sound), u8::from(*limits_stale)])
}

fn read_time_step<T: Scalar>(input: &mut impl Read) -> Result<TimeStepState<T>, RestoreError> {
    let limits = [read_f64(input)?, read_f64(input)?];
    let mut rest = [0.0; 4];
    for x in &mut rest {
        *x = read_f64(input)?;
    }
    time_step_of(limits, rest, read_array(input)?)
}

fn time_step_of<T: Scalar>(
    [stiffness, viscosity]: [f64; 2],
    [speed, closing_speed, cap, previous]: [f64; 4],
    [sound, stale]: [u8; 2],
) -> Result<TimeStepState<T>, RestoreError> {
    if !(speed >= 0.0 && closing_speed >= 0.0 && cap > 0.0 && previous > 0.0) {
        return Err(RestoreError::Damaged("the time step is not positive"));
    }
    Ok(TimeStepState {
        limits: Limits {
            stiffness_per_density: T::from_f64(stiffness),
            kinematic_viscosity: T::from_f64(viscosity),
            sound: sound != 0,
        },
        speed,
        closing_speed,
        control: StepControl {
            previous: previous.is_finite().then_some(previous),
            cap,
        },
        limits_stale: stale != 0,
    })
}

fn read_surface<const D: usize>(
    input: &mut impl Read,
    surface: &mut LoadedSurface<D>,
) -> Result<(), RestoreError> {
    same("load", read_text(input)?, surface.name().to_owned())?;
    let elements = surface.elements_mut();
    same("elements of a load", read_length(input)?, elements.len())?;
    for element in elements {
        let mut read = || -> Result<[f64; D], RestoreError> {
            let mut out = [0.0; D];
            for x in &mut out {
                *x = read_f64(input)?;
            }
            Ok(out)
        };
        *element = SurfaceElement {
            position: read()?,
            area: read()?,
        };
    }
    Ok(())
}

fn read_species<T: Scalar, const D: usize>(
    input: &mut impl Read,
    schema: &Arc<Schema<D>>,
    geometry: &Geometry<D>,
) -> Result<Species<T, D>, RestoreError> {
    let lanes = read_length(input)?;
    if lanes % T::LANES != 0 {
        return Err(RestoreError::Damaged("a group of particles is incomplete"));
    }
    let mut ids = Vec::new();
    for _ in 0..lanes {
        ids.push(u32::from_le_bytes(read_array(input)?));
    }
    let mut blocks = Vec::new();
    for _ in 0..lanes / T::LANES {
        let mut block = [0; D];
        for coordinate in &mut block {
            *coordinate = i32::from_le_bytes(read_array(input)?);
        }
        if !geometry.holds_matter(block) || geometry.wrap(block) != block {
            return Err(RestoreError::Damaged("a particle is outside the grid"));
        }
        blocks.push(block);
    }
    let mut columns = |width: usize| -> Result<Columns<T>, RestoreError> {
        let length = lanes.checked_mul(width);
        let length = length.ok_or(RestoreError::Damaged("there are too many particles"))?;
        Ok(Columns::from_data(width, read_reals(input, length)?))
    };
    let hot = columns(schema.width(Table::Hot))?;
    let cold = columns(schema.width(Table::Cold))?;
    let mut species = Species {
        hot,
        cold,
        ids,
        blocks,
        schema: schema.clone(),
    };
    for slot in 0..lanes {
        let is_padding = species.ids[slot] == PADDING;
        if is_padding != (species.mass(slot) == T::zero()) {
            return Err(RestoreError::Damaged("a particle has no mass"));
        }
        if is_padding {
            species.hot.set(slot, Layout::<D>::V0, T::zero());
        }
    }
    Ok(species)
}

fn write_f64(out: &mut impl Write, x: f64) -> io::Result<()> {
    out.write_all(&x.to_le_bytes())
}

fn write_length(out: &mut impl Write, length: usize) -> io::Result<()> {
    out.write_all(&(length as u64).to_le_bytes())
}

fn write_text(out: &mut impl Write, text: &str) -> io::Result<()> {
    write_length(out, text.len())?;
    out.write_all(text.as_bytes())
}

fn write_reals<T: Scalar>(out: &mut impl Write, numbers: &[T]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(CHUNK * size_of::<T>());
    for chunk in numbers.chunks(CHUNK) {
        bytes.clear();
        for x in chunk {
            let x = x.to_f64();
            if size_of::<T>() == 4 {
                bytes.extend((x as f32).to_le_bytes());
            } else {
                bytes.extend(x.to_le_bytes());
            }
        }
        out.write_all(&bytes)?;
    }
    Ok(())
}

fn read_array<const N: usize>(input: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn read_f64(input: &mut impl Read) -> io::Result<f64> {
    Ok(f64::from_le_bytes(read_array(input)?))
}

fn read_length(input: &mut impl Read) -> Result<usize, RestoreError> {
    usize::try_from(u64::from_le_bytes(read_array(input)?))
        .map_err(|_| RestoreError::Damaged("a length is too large"))
}

fn read_text(input: &mut impl Read) -> Result<String, RestoreError> {
    let length = read_length(input)?;
    if length > CHUNK {
        return Err(RestoreError::Damaged("a name is too long"));
    }
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes)?;
    String::from_utf8(bytes).map_err(|_| RestoreError::Damaged("a name is not text"))
}

fn read_reals<T: Scalar>(input: &mut impl Read, count: usize) -> io::Result<Vec<T>> {
    let mut out = Vec::new();
    let mut bytes = vec![0; CHUNK.min(count) * size_of::<T>()];
    while out.len() < count {
        let now = CHUNK.min(count - out.len());
        let bytes = &mut bytes[..now * size_of::<T>()];
        input.read_exact(bytes)?;
        for number in bytes.chunks_exact(size_of::<T>()) {
            let x = match *number {
                [a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
                [a, b, c, d, e, f, g, h] => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
                _ => f64::NAN,
            };
            out.push(T::from_f64(x));
        }
    }
    Ok(out)
}
