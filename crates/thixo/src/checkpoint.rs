//! The state of a simulation as bytes: what [`Simulation::save`] writes, [`Simulation::restore`] reads, and the run goes on bit for bit.
//!
//! Everything that steps change is there: particles in the order they lie in memory (sums depend on it), the memory of the time step, the
//! surfaces under load, the time. What the user has set (materials, grid, obstacles) is not; the simulation that restores must have been
//! made with the same setup. Numbers are little-endian; reals have the precision of the simulation.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `THIXOSIM` |
//! | 4 | version of this format, 1 |
//! | 1, 1 | bytes of a real; dimension |
//! | 8, 4 | time \[s\]; next identifier |
//! | 67 | time step: limits of the last step, speeds of particles and obstacles, step before, cap |
//! | … | number of loaded surfaces; for each its name, number of elements, positions and area vectors |
//! | … | number of materials; for each its name, columns of state, number of lanes, identifiers, hot and cold columns |

use std::io::{self, Read, Write};

use thiserror::Error;
use thixo_par::Scalar;

use crate::force::{LoadedSurface, SurfaceElement};
use crate::grid::BlockOrder;
use crate::material::Limits;
use crate::particles::{Columns, Layout, PADDING, Particles, Species};
use crate::simulation::{Instance, Simulation};
use crate::timestep::{StepControl, TimeStepState};

const MAGIC: [u8; 8] = *b"THIXOSIM";
const VERSION: u32 = 1;
/// Numbers that are read at a time, so that a wrong length cannot ask for more memory than there are bytes.
const CHUNK: usize = 1 << 16;

/// Why a state cannot be restored. The simulation is as it was.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The bytes end early or cannot be read.
    #[error("the saved state cannot be read: {0}")]
    Read(#[from] io::Error),
    /// These are not the bytes of a state.
    #[error("this is not a saved state of thixo")]
    NotAState,
    /// Written by another version.
    #[error(
        "the saved state has format {found}, this program reads format {VERSION}; use the version of thixo that wrote it"
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
        /// What differs.
        quantity: &'static str,
        /// In the saved state.
        found: String,
        /// In the simulation.
        expected: String,
    },
    /// A number that no simulation can have.
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

impl<T: Instance<D>, const D: usize> Simulation<T, D> {
    /// Writes the state. Between calls of [`advance`](Simulation::advance) it is all that the future depends on.
    pub fn save(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&[size_of::<T>() as u8, D as u8])?;
        write_f64(out, self.state.time)?;
        out.write_all(&self.state.particles.next_id().to_le_bytes())?;
        write_pace(out, &self.state.time_step)?;
        write_length(out, self.state.loads.len())?;
        for surface in &self.state.loads {
            write_text(out, surface.name())?;
            write_length(out, surface.elements().len())?;
            for element in surface.elements() {
                for x in element.position.into_iter().chain(element.area) {
                    write_f64(out, x)?;
                }
            }
        }
        write_length(out, self.setup.materials.len())?;
        for (species, material) in self.state.particles.species.iter().zip(&self.setup.materials) {
            write_text(out, material.name())?;
            write_length(out, material.state_columns())?;
            write_length(out, species.ids.len())?;
            for id in &species.ids {
                out.write_all(&id.to_le_bytes())?;
            }
            write_reals(out, species.hot.data())?;
            write_reals(out, species.cold.data())?;
        }
        Ok(())
    }

    /// Takes over a state that a simulation of the same setup has saved. On error this simulation is as it was.
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
        let time = read_f64(input)?;
        let next_id = u32::from_le_bytes(read_array(input)?);
        let pace = read_pace(input)?;
        same("number of loads", read_length(input)?, self.state.loads.len())?;
        let mut loads = self.state.loads.clone();
        for surface in &mut loads {
            read_surface(input, surface)?;
        }
        same(
            "number of materials",
            read_length(input)?,
            self.setup.materials.len(),
        )?;
        let mut species = Vec::new();
        for material in &self.setup.materials {
            same("material", read_text(input)?, material.name().to_owned())?;
            let columns = read_length(input)?;
            same("columns of state", columns, material.state_columns())?;
            species.push(read_species(input, columns)?);
        }
        if !(time.is_finite() && time >= 0.0) {
            return Err(RestoreError::Damaged("the time is not a positive number"));
        }
        let ids = species.iter().flat_map(|s: &Species<T, D>| &s.ids);
        if ids.filter(|&&id| id != PADDING).any(|&id| id >= next_id) {
            return Err(RestoreError::Damaged("an identifier was never given"));
        }
        self.state.particles = Particles::from_species(species, next_id);
        // The next call puts the particles in order.
        self.work.order = BlockOrder::default();
        self.state.loads = loads;
        self.state.time = time;
        self.state.time_step = pace;
        self.failed = None;
        Ok(())
    }
}

fn write_pace<T: Scalar>(out: &mut impl Write, pace: &TimeStepState<T>) -> io::Result<()> {
    let Limits {
        stiffness_per_density,
        kinematic_viscosity,
        j_min,
        j_max,
        sound,
    } = pace.limits;
    for x in [stiffness_per_density, kinematic_viscosity, j_min, j_max] {
        write_f64(out, x.to_f64())?;
    }
    write_f64(out, pace.speed)?;
    write_f64(out, pace.closing_speed)?;
    write_f64(out, pace.control.cap)?;
    // No step is infinitely long: infinity stands for none.
    write_f64(out, pace.control.previous.unwrap_or(f64::INFINITY))?;
    out.write_all(&[u8::from(sound), u8::from(pace.limits_stale), 0])
}

fn read_pace<T: Scalar>(input: &mut impl Read) -> Result<TimeStepState<T>, RestoreError> {
    let mut numbers = [0.0; 8];
    for x in &mut numbers {
        *x = read_f64(input)?;
    }
    let [
        stiffness,
        viscosity,
        j_min,
        j_max,
        speed,
        approach,
        cap,
        previous,
    ] = numbers;
    let [sound, is_fresh, _] = read_array(input)?;
    if !(speed >= 0.0 && approach >= 0.0 && cap > 0.0 && previous > 0.0) {
        return Err(RestoreError::Damaged("the time step is not positive"));
    }
    Ok(TimeStepState {
        limits: Limits {
            stiffness_per_density: T::from_f64(stiffness),
            kinematic_viscosity: T::from_f64(viscosity),
            j_min: T::from_f64(j_min),
            j_max: T::from_f64(j_max),
            sound: sound != 0,
        },
        speed,
        closing_speed: approach,
        control: StepControl {
            previous: previous.is_finite().then_some(previous),
            cap,
        },
        limits_stale: is_fresh != 0,
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
    state_columns: usize,
) -> Result<Species<T, D>, RestoreError> {
    let lanes = read_length(input)?;
    if lanes % T::LANES != 0 {
        return Err(RestoreError::Damaged("a group of particles is incomplete"));
    }
    let mut ids = Vec::new();
    for _ in 0..lanes {
        ids.push(u32::from_le_bytes(read_array(input)?));
    }
    let mut columns = |width: usize| -> Result<Columns<T>, RestoreError> {
        let length = lanes.checked_mul(width);
        let length = length.ok_or(RestoreError::Damaged("there are too many particles"))?;
        Ok(Columns::from_data(width, read_reals(input, length)?))
    };
    let hot = columns(Layout::<D>::STATE + state_columns)?;
    let cold = columns(Layout::<D>::COLD)?;
    let mut species = Species { hot, cold, ids };
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
