//! The particles of a frame as columns: an owned copy, so that the simulation goes on while it is
//! written.

use std::borrow::Cow;

use thixo::lagrangian::Cells;
use thixo::particles::Shape;
use thixo::quantity::{ALWAYS, ON_REQUEST, Quantity, QuantityReader};
use thixo::{Instance, Scalar, Simulation};

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
    /// Elements of meshes between the particles, by their indices in the frame.
    pub cells: Cells,
}

impl<T> Frame<T> {
    /// The particles that belong to no mesh.
    pub fn single(&self) -> Vec<u32> {
        let mut is_single = vec![true; self.particles];
        let Cells {
            lines,
            triangles,
            tetrahedra,
            ..
        } = &self.cells;
        let corners = lines.as_flattened().iter();
        let corners = corners.chain(triangles.as_flattened());
        for &corner in corners.chain(tetrahedra.as_flattened()) {
            is_single[corner as usize] = false;
        }
        (0..self.particles as u32)
            .filter(|k| is_single[*k as usize])
            .collect()
    }
}

/// A quantity of all particles.
#[derive(Clone, Debug)]
pub struct Column<T> {
    /// Its name.
    pub name: Cow<'static, str>,
    /// SI unit; empty where there is none.
    pub unit: Cow<'static, str>,
    /// Numbers per particle.
    pub shape: ColumnShape,
    /// Particle after particle.
    pub values: Values<T>,
}

/// Number of components that a particle has of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnShape {
    /// One.
    Scalar,
    /// Three, with the names they have where every number needs one. The third is zero in 2D.
    Vector([&'static str; 3]),
    /// Rows times columns, row by row: as many of both as the scene has dimensions.
    Matrix(usize),
}

impl ColumnShape {
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
    /// In double precision, whatever that of the run is.
    Double(Vec<f64>),
    /// Indices and identifiers; −1 stands for none.
    Integer(Vec<i32>),
    /// Shares of 255, such as colours.
    Byte(Vec<u8>),
}

impl<T> Column<T> {
    /// A name for every number of a particle: `mass`, or `vx`, `vy`, `vz`, or `stress_xx`,
    /// `stress_xy`, …
    pub fn component_names(&self) -> Vec<String> {
        match self.shape {
            ColumnShape::Scalar => vec![self.name.clone().into_owned()],
            ColumnShape::Vector(names) => names.map(str::to_owned).into(),
            ColumnShape::Matrix(dimension) => {
                let axes = ["x", "y", "z"].into_iter().take(dimension);
                axes.clone()
                    .flat_map(|i| axes.clone().map(move |j| format!("{}_{i}{j}", self.name)))
                    .collect()
            }
        }
    }
}

impl<T: Scalar> Values<T> {
    /// Their number.
    pub fn len(&self) -> usize {
        match self {
            Self::Real(values) => values.len(),
            Self::Double(values) => values.len(),
            Self::Integer(values) => values.len(),
            Self::Byte(values) => values.len(),
        }
    }
    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Bytes of one number.
    pub fn width(&self) -> usize {
        match self {
            Self::Real(_) => size_of::<T>(),
            Self::Double(_) => 8,
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
            Self::Double(values) => {
                bytes.extend(values[range].iter().flat_map(|x| x.to_le_bytes()));
            }
            Self::Integer(values) => {
                bytes.extend(values[range].iter().flat_map(|x| x.to_le_bytes()));
            }
            Self::Byte(values) => bytes.extend_from_slice(&values[range]),
        }
    }
}

const POSITION: ColumnShape = ColumnShape::Vector(["x", "y", "z"]);
const COLOR: ColumnShape = ColumnShape::Vector(["red", "green", "blue"]);
/// The colour of objects that have none, in scenes where others have one.
const WHITE: [u8; 3] = [255; 3];
const VELOCITY: ColumnShape = ColumnShape::Vector(["vx", "vy", "vz"]);

/// The sources that a frame is copied from.
#[derive(Clone, Copy, Debug)]
pub struct Capture<'a, T: Instance<D>, const D: usize> {
    /// Number of the frame.
    pub number: u32,
    /// Its particles.
    pub simulation: &'a Simulation<T, D>,
    /// Owners of particles.
    pub objects: &'a Objects,
    /// Columns that the frame holds on request: quantities by name, `id`, or `plastic` for all
    /// numbers of history.
    pub columns: &'a [String],
}

/// The identifier of the particle, the same in all frames.
pub(super) const ID: &str = "id";
/// All numbers of history of the materials in the scene, a column each.
pub(super) const PLASTIC: &str = "plastic";

impl<T: Instance<D>, const D: usize> Capture<'_, T, D> {
    /// Copies the columns.
    pub fn take(&self) -> Frame<T> {
        let sim = self.simulation;
        let reader = sim.quantities();
        let real = |quantity: &Quantity| {
            let unit = match quantity.unit.as_ref() {
                "–" => Cow::Borrowed(""),
                _ => quantity.unit.clone(),
            };
            let (shape, values) = match quantity.shape {
                Shape::Scalar => (ColumnShape::Scalar, Values::Real(reader.read(quantity))),
                Shape::Vector => {
                    let values = match quantity.is_position() {
                        true => positions(&reader),
                        false => Values::Real(three::<T, D>(&reader.read(quantity))),
                    };
                    (vector_names(&quantity.name), values)
                }
                Shape::Matrix | Shape::SymmetricMatrix => {
                    (ColumnShape::Matrix(D), Values::Real(reader.read(quantity)))
                }
            };
            Column {
                name: quantity.name.clone(),
                unit,
                shape,
                values,
            }
        };
        let integer = |name: &'static str, values| Column {
            name: Cow::Borrowed(name),
            unit: Cow::Borrowed(""),
            shape: ColumnShape::Scalar,
            values: Values::Integer(values),
        };
        let mut columns: Vec<Column<T>> = ALWAYS.iter().map(real).collect();
        let materials = reader.materials().map(|material| material as i32);
        columns.push(integer("material", materials.collect()));
        let objects = reader.ids().map(|id| {
            let object = self.objects.of_particle(id);
            object.map_or(-1, |object| object as i32)
        });
        columns.push(integer("object", objects.collect()));
        if self.columns.iter().any(|name| name == ID) {
            columns.push(integer(ID, reader.ids().map(|id| id as i32).collect()));
        }
        if self.objects.have_colors() {
            let color = |id| self.objects.color_of_particle(id).unwrap_or(WHITE);
            columns.push(Column {
                name: Cow::Borrowed("color"),
                unit: Cow::Borrowed(""),
                shape: COLOR,
                values: Values::Byte(reader.ids().flat_map(color).collect()),
            });
        }
        let all = reader.quantities();
        for name in self.columns {
            let is_asked = |quantity: &&Quantity| match name.as_str() {
                PLASTIC => quantity.is_history(),
                name => quantity.name == name && !quantity.is_carried(),
            };
            columns.extend(all.iter().filter(is_asked).map(real));
        }
        columns.extend(
            all.iter()
                .filter(|quantity| quantity.is_carried())
                .map(real),
        );
        Frame {
            number: self.number,
            time: sim.time(),
            particles: sim.len(),
            columns,
            cells: self.cells(),
        }
    }

    /// Elements of all meshes, by indices of particles in the frame. No vertex is ever removed, so
    /// that those of a mesh follow each other.
    fn cells(&self) -> Cells {
        let mut cells = Cells::default();
        if self.simulation.meshes().is_empty() {
            return cells;
        }
        let ids: Vec<u32> = self.simulation.quantities().ids().collect();
        for mesh in self.simulation.meshes() {
            let first = ids.partition_point(|id| *id < mesh.ids().start) as u32;
            let own = mesh.cells();
            cells
                .lines
                .extend(own.lines.iter().map(|c| c.map(|v| v + first)));
            let triangles = own.triangles.iter();
            cells
                .triangles
                .extend(triangles.map(|c| c.map(|v| v + first)));
            let tetrahedra = own.tetrahedra.iter();
            cells
                .tetrahedra
                .extend(tetrahedra.map(|c| c.map(|v| v + first)));
        }
        cells
    }
}

/// Distance from the origin in cells from which on single precision would round positions to more
/// than a thousandth of a cell.
const FAR: f64 = 16384.0;

/// Positions in the precision of the run, or in double precision where some are far away.
fn positions<T: Instance<D>, const D: usize>(reader: &QuantityReader<'_, T, D>) -> Values<T> {
    let positions = three::<f64, D>(&reader.positions());
    let far = FAR * reader.spacing();
    if positions.iter().any(|x| x.abs() >= far) {
        return Values::Double(positions);
    }
    Values::Real(positions.into_iter().map(T::from_f64).collect())
}

/// Names of the components of a vector.
fn vector_names(quantity: &str) -> ColumnShape {
    match quantity {
        "velocity" => VELOCITY,
        _ => POSITION,
    }
}

/// SI unit of a property of frame files, such as `vx` or `stress_xy`; none where it has none, or
/// only the run knows it.
pub(super) fn unit_of(component: &str) -> Option<&'static str> {
    let is_component = |quantity: &&Quantity| match quantity.shape {
        Shape::Scalar => quantity.name == component,
        Shape::Vector => match vector_names(&quantity.name) {
            ColumnShape::Vector(names) => names.contains(&component),
            _ => false,
        },
        _ => component
            .strip_prefix(&*quantity.name)
            .is_some_and(|rest| rest.starts_with('_')),
    };
    let quantity = KNOWN.iter().flatten().find(is_component)?;
    match &quantity.unit {
        Cow::Borrowed("–") | Cow::Owned(_) => None,
        Cow::Borrowed(unit) => Some(unit),
    }
}

/// Quantities that the engine has in every run.
static KNOWN: [[Quantity; 5]; 2] = [ALWAYS, ON_REQUEST];

/// Vectors with a third component, zero in 2D.
fn three<T: Scalar, const D: usize>(numbers: &[T]) -> Vec<T> {
    let mut out = Vec::with_capacity(numbers.len() / D * 3);
    for vector in numbers.chunks_exact(D) {
        out.extend_from_slice(vector);
        out.resize(out.len() + 3 - D, T::zero());
    }
    out
}
