//! The particles of a frame as columns: an owned copy, so that the simulation goes on while it is written.

use thixo::material::Memory;
use thixo::{Instance, Particle, Scalar, Simulation};

use super::Quantity;
use crate::object::Objects;

/// The particles of a frame, in the order of their identifiers.
#[derive(Clone, Debug)]
pub struct Frame<T> {
    /// Number of the frame.
    pub number: u32,
    /// Simulated time \[s\].
    pub time: f64,
    /// Number of particles.
    pub particles: usize,
    /// Position first.
    pub columns: Vec<Column<T>>,
}

/// A quantity of all particles.
#[derive(Clone, Debug)]
pub struct Column<T> {
    /// What it is called.
    pub name: &'static str,
    /// Numbers per particle.
    pub shape: Shape,
    /// Particle after particle.
    pub values: Values<T>,
}

/// How many numbers a particle has of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One.
    Scalar,
    /// Three, with the names they have where every number needs one. The third is zero in 2D.
    Vector([&'static str; 3]),
    /// Rows times columns, row by row: as many of both as the scene has dimensions.
    Matrix(usize),
}

impl Shape {
    /// Numbers per particle.
    pub fn components(self) -> usize {
        match self {
            Self::Scalar => 1,
            Self::Vector(_) => 3,
            Self::Matrix(dimension) => dimension * dimension,
        }
    }
}

/// Numbers of a column.
#[derive(Clone, Debug)]
pub enum Values<T> {
    /// In the precision of the run.
    Real(Vec<T>),
    /// Indices and identifiers; −1 stands for none.
    Integer(Vec<i32>),
    /// Shares of 255, such as colours.
    Byte(Vec<u8>),
}

impl<T> Column<T> {
    /// A name for every number of a particle: `mass`, or `vx`, `vy`, `vz`, or `stress_xx`, `stress_xy`, …
    pub fn component_names(&self) -> Vec<String> {
        match self.shape {
            Shape::Scalar => vec![self.name.to_owned()],
            Shape::Vector(names) => names.map(str::to_owned).into(),
            Shape::Matrix(dimension) => {
                let axes = ["x", "y", "z"].into_iter().take(dimension);
                axes.clone()
                    .flat_map(|i| axes.clone().map(move |j| format!("{}_{i}{j}", self.name)))
                    .collect()
            }
        }
    }
}

impl<T: Scalar> Values<T> {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Real(values) => values.len(),
            Self::Integer(values) => values.len(),
            Self::Byte(values) => values.len(),
        }
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Bytes of one number.
    pub fn width(&self) -> usize {
        match self {
            Self::Real(_) => size_of::<T>(),
            Self::Integer(_) => 4,
            Self::Byte(_) => 1,
        }
    }
    /// Appends numbers `range` to `bytes`, little-endian.
    pub fn put(&self, range: std::ops::Range<usize>, bytes: &mut Vec<u8>) {
        match self {
            // Both conversions are exact: the number is of that precision already.
            Self::Real(values) if size_of::<T>() == 4 => {
                bytes.extend(
                    values[range]
                        .iter()
                        .flat_map(|x| (x.to_f64() as f32).to_le_bytes()),
                );
            }
            Self::Real(values) => {
                bytes.extend(values[range].iter().flat_map(|x| x.to_f64().to_le_bytes()));
            }
            Self::Integer(values) => {
                bytes.extend(values[range].iter().flat_map(|x| x.to_le_bytes()));
            }
            Self::Byte(values) => bytes.extend_from_slice(&values[range]),
        }
    }
}

const POSITION: Shape = Shape::Vector(["x", "y", "z"]);
const COLOR: Shape = Shape::Vector(["red", "green", "blue"]);
/// The colour of objects that have none, in scenes where others have one.
const WHITE: [u8; 3] = [255; 3];
const VELOCITY: Shape = Shape::Vector(["vx", "vy", "vz"]);

/// What a frame is copied from.
#[derive(Clone, Copy, Debug)]
pub struct Capture<'a, T: Instance<D>, const D: usize> {
    /// Number of the frame.
    pub number: u32,
    /// Its particles.
    pub simulation: &'a Simulation<T, D>,
    /// Whose particle is whose.
    pub objects: &'a Objects,
    /// What the frame holds on request.
    pub quantities: &'a [Quantity],
}

impl<T: Instance<D>, const D: usize> Capture<'_, T, D> {
    /// Copies the columns.
    pub fn take(&self) -> Frame<T> {
        let sim = self.simulation;
        let count = sim.len();
        let memories = sim.memories();
        let asked: Vec<Asked> = self
            .quantities
            .iter()
            .flat_map(|quantity| Asked::of(*quantity, &memories))
            .collect();
        let reals = |components: usize| Vec::with_capacity(components * count);
        let mut x = reals(3);
        let mut v = reals(3);
        let mut scalars = [reals(1), reals(1), reals(1)];
        let mut indices = [Vec::with_capacity(count), Vec::with_capacity(count)];
        let mut ids = Vec::new();
        let mut extra: Vec<Vec<T>> = asked
            .iter()
            .map(|asked| reals(asked.shape::<D>().components()))
            .collect();
        let has_colors = self.objects.have_colors();
        let mut colors = Vec::new();
        let keeps_ids = self.quantities.contains(&Quantity::Id);
        sim.visit(|particle, state| {
            for axis in 0..3 {
                x.push(component(&particle.position.0, axis));
                v.push(component(&particle.velocity.0, axis));
            }
            let volume = particle.rest_volume * particle.volume_ratio;
            for (to, number) in
                scalars
                    .iter_mut()
                    .zip([particle.mass, volume, particle.volume_ratio])
            {
                to.push(number);
            }
            let object = self.objects.of_particle(particle.id);
            indices[0].push(particle.material as i32);
            indices[1].push(object.map_or(-1, |object| object as i32));
            if keeps_ids {
                ids.push(particle.id as i32);
            }
            if has_colors {
                colors.extend(self.objects.color_of_particle(particle.id).unwrap_or(WHITE));
            }
            for (asked, to) in asked.iter().zip(&mut extra) {
                asked.read(particle, &memories[particle.material], state, to);
            }
        });
        let real = |name, shape, values| Column {
            name,
            shape,
            values: Values::Real(values),
        };
        let integer = |name, values| Column {
            name,
            shape: Shape::Scalar,
            values: Values::Integer(values),
        };
        let mut columns = vec![real("position", POSITION, x), real("velocity", VELOCITY, v)];
        for (name, values) in ["mass", "volume", "j"].into_iter().zip(scalars) {
            columns.push(real(name, Shape::Scalar, values));
        }
        for (name, values) in ["material", "object"].into_iter().zip(indices) {
            columns.push(integer(name, values));
        }
        if keeps_ids {
            columns.push(integer("id", ids));
        }
        if has_colors {
            columns.push(Column {
                name: "color",
                shape: COLOR,
                values: Values::Byte(colors),
            });
        }
        for (asked, values) in asked.iter().zip(extra) {
            columns.push(real(asked.name(), asked.shape::<D>(), values));
        }
        Frame {
            number: self.number,
            time: sim.time(),
            particles: count,
            columns,
        }
    }
}

/// A component, zero where there is no such axis.
fn component<T: Scalar>(vector: &[T], axis: usize) -> T {
    vector.get(axis).copied().unwrap_or(T::zero())
}

/// A column of reals that was asked for.
#[derive(Clone, Copy, Debug)]
enum Asked {
    Stress,
    Pressure,
    Deformation,
    LeftCauchyGreen,
    VelocityGradient,
    History(&'static str),
}

impl Asked {
    /// The columns of a quantity.
    fn of(quantity: Quantity, memories: &[Memory]) -> Vec<Self> {
        match quantity {
            Quantity::Id => Vec::new(),
            Quantity::Stress => vec![Self::Stress],
            Quantity::Pressure => vec![Self::Pressure],
            Quantity::Deformation => vec![Self::Deformation],
            Quantity::LeftCauchyGreen => vec![Self::LeftCauchyGreen],
            Quantity::VelocityGradient => vec![Self::VelocityGradient],
            Quantity::Plastic => {
                let mut names: Vec<&'static str> = Vec::new();
                for name in memories.iter().flat_map(|memory| memory.history) {
                    if !names.contains(name) {
                        names.push(name);
                    }
                }
                names.into_iter().map(Self::History).collect()
            }
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Stress => "stress",
            Self::Pressure => "pressure",
            Self::Deformation => "deformation",
            Self::LeftCauchyGreen => "left_cauchy_green",
            Self::VelocityGradient => "velocity_gradient",
            Self::History(name) => name,
        }
    }

    fn shape<const D: usize>(self) -> Shape {
        match self {
            Self::Pressure | Self::History(_) => Shape::Scalar,
            _ => Shape::Matrix(D),
        }
    }

    /// Appends the numbers of a particle.
    fn read<T: Scalar, const D: usize>(
        self,
        particle: &Particle<T, D>,
        memory: &Memory,
        state: &[f64],
        to: &mut Vec<T>,
    ) {
        let unknown = [[f64::NAN; D]; D];
        let matrix: [[f64; D]; D] = match self {
            Self::Stress => {
                let per_volume = T::one() / particle.volume_ratio;
                let sigma = particle.kirchhoff_stress.0;
                to.extend(sigma.as_flattened().iter().map(|tau| *tau * per_volume));
                return;
            }
            Self::Pressure => {
                let share = T::from_f64(-1.0 / D as f64) / particle.volume_ratio;
                to.push(particle.kirchhoff_stress.trace() * share);
                return;
            }
            Self::VelocityGradient => {
                to.extend_from_slice(particle.affine.0.as_flattened());
                return;
            }
            Self::History(name) => {
                let number = memory.history::<D>(state, name).unwrap_or(f64::NAN);
                to.push(T::from_f64(number));
                return;
            }
            Self::Deformation => memory.deformation_gradient(state).map_or(unknown, |f| f.0),
            Self::LeftCauchyGreen => memory.left_cauchy_green(state).map_or(unknown, |b| b.0),
        };
        to.extend(matrix.as_flattened().iter().map(|x| T::from_f64(*x)));
    }
}
