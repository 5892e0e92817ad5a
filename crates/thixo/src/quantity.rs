//! Quantities of particles as users see them: names, units and shapes, and the values of all
//! particles by identifier.
//!
//! The stored form of a quantity is defined by the owner of its column (`particles::Schema`); the
//! reported form, which files hold, pictures show and other programs read, is listed here, once.

use std::borrow::Cow;

use rayon::prelude::*;
use thixo_par::{Pool, Scalar};

use crate::error::BuildError;
use crate::heat::{HeatColumns, Phase};
use crate::integrate::CheckedSetup;
use crate::material::Material;
use crate::particles::{Carried, Shape, Species};
use crate::state::State;

/// A quantity of particles.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Quantity {
    /// Name in frames and scenes.
    pub name: Cow<'static, str>,
    /// SI unit; "–" for none.
    pub unit: Cow<'static, str>,
    /// Numbers per particle. Matrices are complete, symmetric or not.
    pub shape: Shape,
    /// One sentence of description.
    pub about: &'static str,
    source: Source,
}

/// Origin of the values of a quantity.
#[derive(Clone, Debug, PartialEq)]
enum Source {
    Position,
    Velocity,
    Mass,
    Volume,
    VolumeRatio,
    Stress,
    Pressure,
    TotalStress,
    DeformationGradient,
    LeftCauchyGreen,
    VelocityGradient,
    /// A history variable of some constitutive laws, by name.
    History,
    /// A carried quantity, by name.
    Carried,
    Temperature,
    TransitionHeat,
    Phase,
}

const fn known(
    name: &'static str,
    unit: &'static str,
    shape: Shape,
    source: Source,
    about: &'static str,
) -> Quantity {
    Quantity {
        name: Cow::Borrowed(name),
        unit: Cow::Borrowed(unit),
        shape,
        about,
        source,
    }
}

/// Quantities that all particles have, whatever they are made of: those of every frame.
pub const ALWAYS: [Quantity; 5] = [
    known(
        "position",
        "m",
        Shape::Vector,
        Source::Position,
        "Position x; along periodic axes from 0 to the period.",
    ),
    known(
        "velocity",
        "m/s",
        Shape::Vector,
        Source::Velocity,
        "Velocity v.",
    ),
    known(
        "mass",
        "kg",
        Shape::Scalar,
        Source::Mass,
        "Mass m, per metre of thickness in 2D.",
    ),
    known(
        "volume",
        "m³",
        Shape::Scalar,
        Source::Volume,
        "Present volume J V⁰; m² in 2D.",
    ),
    known(
        "j",
        "–",
        Shape::Scalar,
        Source::VolumeRatio,
        "Volume ratio J = V/V⁰.",
    ),
];

/// Quantities that frames hold on request. NaN where the material of a particle does not have the
/// quantity.
pub const ON_REQUEST: [Quantity; 5] = [
    known(
        "stress",
        "Pa",
        Shape::Matrix,
        Source::Stress,
        "Cauchy stress σ = τ/J, D × D; in 2D that in the plane.",
    ),
    known(
        "pressure",
        "Pa",
        Shape::Scalar,
        Source::Pressure,
        "Mean pressure −tr σ/D.",
    ),
    known(
        "deformation",
        "–",
        Shape::Matrix,
        Source::DeformationGradient,
        "Deformation gradient F, D × D: solids. NaN for matter that flows, which does not keep it.",
    ),
    known(
        "left_cauchy_green",
        "–",
        Shape::Matrix,
        Source::LeftCauchyGreen,
        "Elastic left Cauchy-Green tensor b = F Fᵀ, D × D: solids and granular matter. NaN for fluids, which keep the volume only. Of an Oldroyd-B fluid it is the strain that fades, b_OB.",
    ),
    known(
        "velocity_gradient",
        "1/s",
        Shape::Matrix,
        Source::VelocityGradient,
        "Velocity gradient C, D × D. Only with the transfers `\"mls\"` and `\"apic\"`, which keep it, on the quadratic or cubic kernel.",
    ),
];

/// Quantities of mixtures with a pressure in pores, for frames on request.
pub const POROUS: [Quantity; 1] = [known(
    "total_stress",
    "Pa",
    Shape::Matrix,
    Source::TotalStress,
    "Total stress σ′ − p I of solids in mixtures, D × D: the stress, which is the effective one, less the pressure of the fluid around. NaN for fluids.",
)];

/// Quantities of matter that conducts heat, for frames on request.
pub const THERMAL: [Quantity; 3] = [
    known(
        "temperature",
        "K",
        Shape::Scalar,
        Source::Temperature,
        "Temperature T.",
    ),
    known(
        "transition_heat",
        "J/kg",
        Shape::Scalar,
        Source::TransitionHeat,
        "Latent heat that is stored, from 0 in the solid to L in the liquid.",
    ),
    known(
        "phase",
        "–",
        Shape::Scalar,
        Source::Phase,
        "0 for solid, 1 for liquid. It changes where the transition heat is 0 or L.",
    ),
];

/// The history variables of some constitutive laws, each once.
fn histories<T: Scalar, const D: usize>(
    materials: &[Box<dyn Material<T, D>>],
) -> impl Iterator<Item = Quantity> {
    let mut names: Vec<&'static str> = Vec::new();
    for name in materials.iter().flat_map(|law| law.state_layout().history) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let about = "A number of history of plastic materials. NaN for other materials.";
    let history = move |name| known(name, "–", Shape::Scalar, Source::History, about);
    names.into_iter().map(history)
}

impl Quantity {
    fn carried(carried: &Carried) -> Self {
        Self {
            name: Cow::Owned(carried.name.clone()),
            unit: Cow::Owned(carried.unit.clone()),
            shape: Shape::Scalar,
            about: "A scalar that particles carry along.",
            source: Source::Carried,
        }
    }
    /// True for the position.
    pub fn is_position(&self) -> bool {
        self.source == Source::Position
    }
    /// True for a history variable of a constitutive law.
    pub fn is_history(&self) -> bool {
        self.source == Source::History
    }
    /// True for a quantity that particles carry along for the user.
    pub fn is_carried(&self) -> bool {
        self.source == Source::Carried
    }
}

/// Refuses carried quantities whose initial value is not finite, whose name is unusable, or whose
/// name is that of another quantity.
pub(crate) fn check_carried<T: Scalar, const D: usize>(
    (carried, conducts): (&[Carried], bool),
    materials: &[Box<dyn Material<T, D>>],
) -> Result<(), BuildError> {
    for (index, Carried { name, initial, .. }) in carried.iter().enumerate() {
        let refuse = |problem| {
            let name = name.clone();
            Err(BuildError::BadCarried { name, problem })
        };
        let is_usual = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(is_usual) {
            return refuse("must have a name of letters, digits and underscores");
        }
        let known = ALWAYS
            .into_iter()
            .chain(ON_REQUEST)
            .chain(histories(materials))
            .chain(POROUS)
            .chain(THERMAL.into_iter().filter(|_| conducts));
        let others = [
            "id", "material", "object", "color", "plastic", "speed", "look",
        ];
        if known.into_iter().any(|quantity| quantity.name == *name)
            || others.contains(&name.as_str())
        {
            return refuse("has the name of another quantity; choose another");
        }
        if carried[..index].iter().any(|before| before.name == *name) {
            return refuse("is there twice; name it once");
        }
        if !T::from_f64(*initial).is_finite() {
            return refuse("must have a finite initial value");
        }
    }
    Ok(())
}

/// Values of all particles, in the order of their identifiers: bulk access.
#[derive(Debug)]
pub struct QuantityReader<'a, T: Scalar, const D: usize> {
    setup: &'a CheckedSetup<T, D>,
    state: &'a State<T, D>,
    pool: &'a Pool,
    /// Identifier, material and slot of every particle.
    entries: Vec<(u32, u32, u32)>,
}

/// Particles that one thread reads at a time.
const CHUNK: usize = 4096;

impl<'a, T: Scalar, const D: usize> QuantityReader<'a, T, D> {
    pub(crate) fn new(
        setup: &'a CheckedSetup<T, D>,
        state: &'a State<T, D>,
        pool: &'a Pool,
    ) -> Self {
        let entries = state.particles.by_id();
        Self {
            setup,
            state,
            pool,
            entries: entries
                .map(|(id, material, slot)| (id, material as u32, slot as u32))
                .collect(),
        }
    }
    /// All quantities that can be read.
    pub fn quantities(&self) -> Vec<Quantity> {
        let kernel = self.setup.geometry.kernel();
        let keeps_gradient = self.setup.transfer.keeps_velocity_gradient(kernel);
        let on_request = ON_REQUEST
            .into_iter()
            .filter(|quantity| keeps_gradient || quantity.source != Source::VelocityGradient);
        let carried = self.setup.carried.iter().map(Quantity::carried);
        let histories = histories(&self.setup.materials);
        let conducts = self.setup.heat.is_some();
        let thermal = THERMAL.into_iter().filter(|_| conducts);
        let is_porous = self.pore_pressure_column().is_some();
        let porous = POROUS.into_iter().filter(|_| is_porous);
        let known = ALWAYS
            .into_iter()
            .chain(on_request)
            .chain(porous)
            .chain(thermal);
        known.chain(histories).chain(carried).collect()
    }
    /// Name of the carried quantity that holds the pressure in pores.
    fn pore_pressure_column(&self) -> Option<&String> {
        let mixture = self.setup.mixture.as_ref()?;
        mixture.mixture.pore_pressure_column.as_ref()
    }
    /// The quantity of a given name.
    pub fn find(&self, name: &str) -> Option<Quantity> {
        self.quantities().into_iter().find(|q| q.name == name)
    }
    /// Identifiers of the particles, ascending.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = u32> {
        self.entries.iter().map(|(id, ..)| *id)
    }
    /// Indices of the materials, in the order of the identifiers.
    pub fn materials(&self) -> impl ExactSizeIterator<Item = u32> {
        self.entries.iter().map(|(_, material, _)| *material)
    }
    /// Grid spacing \[m\].
    pub fn spacing(&self) -> f64 {
        self.setup.geometry.spacing()
    }
    /// Positions of the particles \[m\], particle after particle, in double precision: single
    /// precision would round those far from the origin.
    pub fn positions(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.entries.len() * D];
        self.pool.run(|| {
            let chunks = out.par_chunks_mut(D * CHUNK);
            let entries = self.entries.par_chunks(CHUNK);
            chunks.zip(entries).for_each(|(out, entries)| {
                for (out, (_, material, slot)) in out.chunks_exact_mut(D).zip(entries) {
                    let species = &self.state.particles.species[*material as usize];
                    out.copy_from_slice(&self.position(species, *slot as usize));
                }
            });
        });
        out
    }
    fn position(&self, species: &Species<T, D>, slot: usize) -> [f64; D] {
        let geometry = &self.setup.geometry;
        let x = species.position(slot, geometry);
        geometry.into_first_period(x).0
    }
    /// The values of a quantity, particle after particle, in the unit of the [`Quantity`].
    pub fn read(&self, quantity: &Quantity) -> Vec<T> {
        let components = quantity.shape.components::<D>();
        let mut out = vec![T::zero(); self.entries.len() * components];
        let read_chunk = |out: &mut [T], entries: &[(u32, u32, u32)]| {
            let mut state = Vec::new();
            for (out, entry) in out.chunks_exact_mut(components).zip(entries) {
                let (_, material, slot) = *entry;
                let species = &self.state.particles.species[material as usize];
                let law = self.setup.materials[material as usize].as_ref();
                let at = (material as usize, species, slot as usize);
                self.read_one(quantity, at, law, &mut state, out);
            }
        };
        self.pool.run(|| {
            let chunks = out.par_chunks_mut(components * CHUNK);
            let entries = self.entries.par_chunks(CHUNK);
            chunks
                .zip(entries)
                .for_each(|(out, entries)| read_chunk(out, entries));
        });
        out
    }

    fn read_one(
        &self,
        quantity: &Quantity,
        (material, species, slot): (usize, &Species<T, D>, usize),
        law: &dyn Material<T, D>,
        state: &mut Vec<f64>,
        out: &mut [T],
    ) {
        let mut volume_ratio = || {
            species.read_state(slot, state);
            T::from_f64(law.volume_ratio(state))
        };
        let unknown = T::from_f64(f64::NAN);
        match quantity.source {
            Source::Position => {
                let x = self.position(species, slot);
                for (out, x) in out.iter_mut().zip(x) {
                    *out = T::from_f64(x);
                }
            }
            Source::Velocity => out.copy_from_slice(&species.velocity(slot).0),
            Source::Mass => out[0] = species.mass(slot),
            Source::Volume => out[0] = species.rest_volume(slot) * volume_ratio(),
            Source::VolumeRatio => out[0] = volume_ratio(),
            Source::Stress => {
                let per_volume = T::one() / volume_ratio();
                let stress = species.stress(slot).0;
                for (out, tau) in out.iter_mut().zip(stress.as_flattened()) {
                    *out = *tau * per_volume;
                }
            }
            Source::Pressure => {
                let share = T::from_f64(-1.0 / D as f64) / volume_ratio();
                out[0] = species.stress(slot).trace() * share;
            }
            Source::TotalStress => {
                let mixture = self.setup.mixture.as_ref();
                let is_solid = mixture.is_some_and(|own| !own.is_pressed(own.phase_of[material]));
                let column = self.pore_pressure_column().filter(|_| is_solid);
                let column = column.and_then(|name| species.schema.carried(name));
                let Some(column) = column else {
                    out.fill(unknown);
                    return;
                };
                let per_volume = T::one() / volume_ratio();
                let pressure = species.hot.get(slot, column);
                let stress = species.stress(slot).0;
                for (k, (out, tau)) in out.iter_mut().zip(stress.as_flattened()).enumerate() {
                    *out = *tau * per_volume;
                    if k % (D + 1) == 0 {
                        *out -= pressure;
                    }
                }
            }
            Source::VelocityGradient => {
                out.copy_from_slice(species.affine(slot).0.as_flattened());
            }
            Source::DeformationGradient | Source::LeftCauchyGreen => {
                species.read_state(slot, state);
                let layout = law.state_layout();
                let matrix = match quantity.source {
                    Source::DeformationGradient => layout.deformation_gradient::<D>(state),
                    _ => layout.left_cauchy_green::<D>(state),
                };
                match matrix {
                    None => out.fill(unknown),
                    Some(matrix) => {
                        for (out, x) in out.iter_mut().zip(matrix.0.as_flattened()) {
                            *out = T::from_f64(*x);
                        }
                    }
                }
            }
            Source::History => {
                species.read_state(slot, state);
                let number = law.state_layout().history::<D>(state, &quantity.name);
                out[0] = number.map_or(unknown, T::from_f64);
            }
            Source::Temperature | Source::TransitionHeat | Source::Phase => {
                let Some(heat) = &self.setup.heat else {
                    out.fill(unknown);
                    return;
                };
                let columns = HeatColumns::of_species(species);
                out[0] = match quantity.source {
                    Source::Temperature => {
                        T::from_f64(heat.reference) + columns.temperature(species, slot)
                    }
                    Source::Phase => match columns.phase(species, slot) {
                        Phase::Solid => T::zero(),
                        Phase::Liquid => T::one(),
                    },
                    _ => {
                        let melting = heat.materials[material].melting.as_ref();
                        let latent = melting.map_or(0.0, |melting| melting.latent_heat);
                        columns.share(species, slot) * T::from_f64(latent)
                    }
                };
            }
            Source::Carried => {
                let column = species.schema.carried(&quantity.name);
                out[0] = column.map_or(unknown, |column| species.hot.get(slot, column));
            }
        }
    }
}
