//! A mesh: vertices with mass, elements between them, and what holds it.

use core::fmt;
use std::collections::HashMap;
use std::sync::Arc;

use thixo_math::{Matrix, Vector};

use super::anchor::Anchor;
use super::assembly::Assembly;
use super::bend::Bend;
use super::elastic_law::{ElasticLaw, Lame};
use super::hinge::{Hinge, cross};
use super::simplex::Simplex;
use super::spring::Spring;
use crate::mesh_defect::{MeshDefect, positive, within};

/// A place \[m\] as a function of that at rest \[m\] and of time \[s\].
pub type Place<const D: usize> = Arc<dyn Fn([f64; D], f64) -> [f64; D] + Send + Sync>;
/// A pressure \[Pa\] as a function of the enclosed volume over that at rest \[–\] and of time
/// \[s\].
type Pressure = Arc<dyn Fn(f64, f64) -> f64 + Send + Sync>;

/// Cloth: a thin elastic sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fabric {
    /// Thickness \[m\].
    pub thickness: f64,
    /// Density of the material \[kg/m³\]; times the thickness it is the weight per area.
    pub density: f64,
    /// Young's modulus \[Pa\].
    pub young_modulus: f64,
    /// Poisson's ratio, above −1 and below ½.
    pub poisson_ratio: f64,
    /// Bending stiffness B \[N m\]; none for that of a solid sheet, E t³/(12 (1 − ν²)).
    pub bending: Option<f64>,
    /// Energy of the sheet in its plane.
    pub law: ElasticLaw,
}

impl Fabric {
    /// Cloth of a thickness \[m\], a density \[kg/m³\] and a Young's modulus \[Pa\], with Poisson's
    /// ratio 0.3.
    pub fn new(thickness: f64, density: f64, young_modulus: f64) -> Self {
        Self {
            thickness,
            density,
            young_modulus,
            poisson_ratio: 0.3,
            bending: None,
            law: ElasticLaw::default(),
        }
    }
}

builder! {
    impl Fabric {
        with_poisson_ratio(poisson_ratio: f64);
        with_bending(bending: Option<f64>);
        with_law(law: ElasticLaw);
    }
}

/// An elastic solid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Solid {
    /// Density \[kg/m³\].
    pub density: f64,
    /// Young's modulus \[Pa\].
    pub young_modulus: f64,
    /// Poisson's ratio, above −1 and below ½.
    pub poisson_ratio: f64,
    /// Energy.
    pub law: ElasticLaw,
}

impl Solid {
    /// A solid of a density \[kg/m³\], a Young's modulus \[Pa\] and a Poisson's ratio.
    pub fn new(density: f64, young_modulus: f64, poisson_ratio: f64) -> Self {
        Self {
            density,
            young_modulus,
            poisson_ratio,
            law: ElasticLaw::default(),
        }
    }
}

builder! {
    impl Solid {
        with_law(law: ElasticLaw);
    }
}

fn check_moduli(density: f64, young: f64, poisson: f64) -> Result<(), MeshDefect> {
    positive("density", "density [kg/m³]", density)?;
    positive("young_modulus", "Young's modulus [Pa]", young)?;
    let range = "above -1 and below 0.5";
    let is_in = poisson > -1.0 && poisson < 0.5;
    within("poisson_ratio", "Poisson's ratio", poisson, range, is_in)
}

/// The cells of a mesh as files and pictures show them, by indices of vertices.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Cells {
    /// Lines, of springs and rods.
    pub lines: Vec<[u32; 2]>,
    /// Triangles, of cloth and plane bodies.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra.
    pub tetrahedra: Vec<[u32; 4]>,
}

/// Vertices that are tied to places.
#[derive(Clone)]
pub(super) struct Hold<const D: usize> {
    pub anchors: Vec<Anchor<D>>,
    pub place: Option<Place<D>>,
}

/// A closed surface with a pressure inside.
#[derive(Clone)]
pub(super) struct Enclosure {
    pub faces: Vec<[u32; 3]>,
    pub volume: f64,
    pub pressure: Pressure,
}

/// A mesh, at rest in the shape in which it is made. Make it by one of `springs`, `rods`, `cloth`,
/// `tetrahedra` and `triangles`, then give it to
/// [`Simulation::add_mesh`](crate::Simulation::add_mesh).
///
/// Masses of elements are shared equally among their vertices. For the limit of stability, every
/// vertex gives the elements of one kind equal shares of its mass.
#[derive(Clone)]
pub struct Mesh<const D: usize> {
    pub(super) name: String,
    /// Positions at rest \[m\].
    pub(super) rest: Vec<[f64; D]>,
    /// Positions at which it starts \[m\].
    pub(super) start: Vec<[f64; D]>,
    pub(super) masses: Vec<f64>,
    pub(super) volumes: Vec<f64>,
    pub(super) springs: Vec<Spring>,
    pub(super) bends: Vec<Bend>,
    pub(super) hinges: Vec<Hinge>,
    pub(super) triangles: Vec<Simplex<2, 3>>,
    pub(super) tetrahedra: Vec<Simplex<3, 4>>,
    pub(super) holds: Vec<Hold<D>>,
    pub(super) enclosures: Vec<Enclosure>,
    pub(super) damping: f64,
    pub(super) assembly: Assembly,
    /// Material and first identifier, once it is part of a simulation.
    pub(super) particles: Option<(usize, u32)>,
}

impl<const D: usize> fmt::Debug for Mesh<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mesh")
            .field("name", &self.name)
            .field("vertices", &self.rest.len())
            .field("springs", &self.springs.len())
            .field("triangles", &self.triangles.len())
            .field("tetrahedra", &self.tetrahedra.len())
            .finish_non_exhaustive()
    }
}

impl<const D: usize> Mesh<D> {
    fn empty(name: impl Into<String>, positions: &[[f64; D]]) -> Result<Self, MeshDefect> {
        if positions.is_empty() {
            return Err(MeshDefect::Empty("vertices"));
        }
        let finite = positions.as_flattened().iter().find(|x| !x.is_finite());
        if let Some(&x) = finite {
            within(
                "positions",
                "a coordinate of a vertex [m]",
                x,
                "finite",
                false,
            )?;
        }
        let count = positions.len();
        Ok(Self {
            name: name.into(),
            rest: positions.to_vec(),
            start: positions.to_vec(),
            masses: vec![0.0; count],
            volumes: vec![0.0; count],
            springs: Vec::new(),
            bends: Vec::new(),
            hinges: Vec::new(),
            triangles: Vec::new(),
            tetrahedra: Vec::new(),
            holds: Vec::new(),
            enclosures: Vec::new(),
            damping: 0.0,
            assembly: Assembly::default(),
            particles: None,
        })
    }

    /// Point masses \[kg\] of given volumes \[m³\] at positions \[m\], with springs between them.
    pub fn springs(
        name: impl Into<String>,
        positions: &[[f64; D]],
        (masses, volumes): (&[f64], &[f64]),
        springs: &[Spring],
    ) -> Result<Self, MeshDefect> {
        let mut mesh = Self::empty(name, positions)?;
        let count = positions.len();
        for (quantity, given) in [("masses", masses), ("volumes", volumes)] {
            if given.len() != count {
                let (value, range) = (given.len() as f64, "one for each vertex");
                let quantity = if quantity == "masses" {
                    "number of masses"
                } else {
                    "number of volumes"
                };
                within("masses", quantity, value, range, false)?;
            }
        }
        for (&mass, &volume) in masses.iter().zip(volumes) {
            positive("masses", "mass of a vertex [kg]", mass)?;
            positive("volumes", "volume of a vertex [m³]", volume)?;
        }
        check_elements("spring", springs.iter().map(|s| s.vertices), count)?;
        for (index, spring) in springs.iter().enumerate() {
            positive("stiffness", "stiffness of a spring [N/m]", spring.stiffness)?;
            if spring.length <= 0.0 {
                return Err(MeshDefect::Flat {
                    element: "spring",
                    index,
                });
            }
            positive("length", "length of a spring at rest [m]", spring.length)?;
        }
        mesh.masses = masses.to_vec();
        mesh.volumes = volumes.to_vec();
        mesh.springs = springs.to_vec();
        mesh.complete()
    }

    /// Rods: rows of vertices at positions \[m\], each row a rod of round cross-section of a radius
    /// \[m\] (2D: a strip of that half thickness), straight at rest as far as bending is concerned.
    pub fn rods(
        name: impl Into<String>,
        positions: &[[f64; D]],
        rows: &[Vec<u32>],
        radius: f64,
        solid: Solid,
    ) -> Result<Self, MeshDefect> {
        let mut mesh = Self::empty(name, positions)?;
        check_moduli(solid.density, solid.young_modulus, solid.poisson_ratio)?;
        positive("radius", "radius of a rod [m]", radius)?;
        let (area, second_moment) = match D {
            2 => (2.0 * radius, 2.0 * radius.powi(3) / 3.0),
            _ => (
                std::f64::consts::PI * radius * radius,
                0.25 * std::f64::consts::PI * radius.powi(4),
            ),
        };
        let stretching = solid.young_modulus * area;
        let bending = solid.young_modulus * second_moment;
        let edges: Vec<[u32; 2]> = rows
            .iter()
            .flat_map(|row| row.windows(2).map(|ends| [ends[0], ends[1]]))
            .collect();
        check_elements("edge of a rod", edges.iter().copied(), positions.len())?;
        let length =
            |i: u32, j: u32| (Vector(positions[i as usize]) - Vector(positions[j as usize])).norm();
        for (index, &[i, j]) in edges.iter().enumerate() {
            let l = length(i, j);
            if l <= 0.0 {
                return Err(MeshDefect::Flat {
                    element: "edge of a rod",
                    index,
                });
            }
            mesh.springs.push(Spring::new([i, j], stretching / l, l));
            mesh.share(&[i, j], area * l, solid.density);
        }
        for row in rows {
            for at in row.windows(3) {
                let lengths = [length(at[0], at[1]), length(at[1], at[2])];
                mesh.bends
                    .push(Bend::new([at[0], at[1], at[2]], bending, lengths));
            }
        }
        mesh.complete()
    }

    /// The cells that files and pictures show.
    pub fn cells(&self) -> Cells {
        Cells {
            lines: self.springs.iter().map(|s| s.vertices).collect(),
            triangles: self.triangles.iter().map(|t| t.vertices).collect(),
            tetrahedra: self.tetrahedra.iter().map(|t| t.vertices).collect(),
        }
    }

    /// Lagged Rayleigh damping β ≥ 0 \[s\]: forces −β K(xⁿ) v, where K is the stiffness at the
    /// beginning of a step.
    pub fn with_damping(mut self, damping: f64) -> Result<Self, MeshDefect> {
        let range = "zero or positive, and finite";
        within(
            "damping",
            "damping of the mesh [s]",
            damping,
            range,
            damping >= 0.0,
        )?;
        self.damping = damping;
        Ok(self)
    }

    /// Starts from other positions than those at rest \[m\].
    pub fn starting_at(mut self, positions: &[[f64; D]]) -> Result<Self, MeshDefect> {
        if positions.len() != self.rest.len() {
            let (value, range) = (positions.len() as f64, "one for each vertex");
            within("positions", "number of positions", value, range, false)?;
        }
        self.start = positions.to_vec();
        Ok(self)
    }

    /// Ties vertices to places: those at which they start, or moving ones.
    pub fn hold(mut self, vertices: &[u32], place: Option<Place<D>>) -> Result<Self, MeshDefect> {
        let count = self.rest.len();
        let mut anchors = Vec::new();
        for (index, &vertex) in vertices.iter().enumerate() {
            if vertex as usize >= count {
                return Err(MeshDefect::DanglingIndex {
                    element: "held vertex",
                    index,
                    vertex: vertex as usize,
                    count,
                });
            }
            anchors.push(Anchor {
                vertex,
                stiffness: self.stiffness_at(vertex),
                place: Vector(self.start[vertex as usize]),
                inverse_mass: 0.0,
            });
        }
        self.holds.push(Hold { anchors, place });
        self.complete()
    }

    /// Sum of the stiffnesses of the elements at a vertex \[N/m\].
    fn stiffness_at(&self, vertex: u32) -> f64 {
        let mut sum = 0.0;
        for spring in &self.springs {
            sum += if spring.vertices.contains(&vertex) {
                spring.stiffness
            } else {
                0.0
            };
        }
        for triangle in &self.triangles {
            let own = triangle.vertices.iter().position(|v| *v == vertex);
            sum += own.map_or(0.0, |own| triangle.stiffness_of(own));
        }
        for tetrahedron in &self.tetrahedra {
            let own = tetrahedron.vertices.iter().position(|v| *v == vertex);
            sum += own.map_or(0.0, |own| tetrahedron.stiffness_of(own));
        }
        sum
    }

    /// Adds the mass of an element to its vertices.
    fn share(&mut self, vertices: &[u32], volume: f64, density: f64) {
        let each = 1.0 / vertices.len() as f64;
        for &vertex in vertices {
            self.masses[vertex as usize] += each * volume * density;
            self.volumes[vertex as usize] += each * volume;
        }
    }

    /// Refuses vertices without mass, and works out what steps need.
    fn complete(mut self) -> Result<Self, MeshDefect> {
        if let Some(vertex) = self.masses.iter().position(|m| *m <= 0.0) {
            return Err(MeshDefect::Loose { vertex });
        }
        self.assembly = Assembly::default();
        self.assembly = Assembly::new(&mut self);
        Ok(self)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.rest.len()
    }
    /// Number of springs, bending elements, triangles and tetrahedra together.
    pub fn elements(&self) -> usize {
        self.springs.len()
            + self.bends.len()
            + self.hinges.len()
            + self.triangles.len()
            + self.tetrahedra.len()
    }
    /// Positions at which it starts \[m\].
    pub fn start(&self) -> &[[f64; D]] {
        &self.start
    }
    /// Masses \[kg\] and volumes \[m³\] of the vertices.
    pub fn masses_and_volumes(&self) -> (&[f64], &[f64]) {
        (&self.masses, &self.volumes)
    }
    /// Identifiers of its particles, vertex after vertex; empty until it is part of a simulation.
    pub fn ids(&self) -> core::ops::Range<u32> {
        match self.particles {
            Some((_, first)) => first..first + self.rest.len() as u32,
            None => 0..0,
        }
    }
    /// Index of the material of its vertices; none until it is part of a simulation.
    pub(crate) fn material(&self) -> Option<usize> {
        self.particles.map(|(material, _)| material)
    }
    /// Makes it part of a simulation.
    pub(crate) fn placed(mut self, material: usize, first: u32) -> Self {
        self.particles = Some((material, first));
        self
    }
    /// Mean and largest length of the edges of its cells at rest \[m\].
    pub fn edge_lengths(&self) -> (f64, f64) {
        let mut edges: Vec<[u32; 2]> = Vec::new();
        let mut add = |vertices: &[u32]| {
            for (k, &i) in vertices.iter().enumerate() {
                edges.extend(vertices[..k].iter().map(|&j| [i.min(j), i.max(j)]));
            }
        };
        self.springs.iter().for_each(|s| add(&s.vertices));
        self.triangles.iter().for_each(|t| add(&t.vertices));
        self.tetrahedra.iter().for_each(|t| add(&t.vertices));
        edges.sort_unstable();
        edges.dedup();
        let (mut sum, mut longest) = (0.0, 0.0f64);
        for &[i, j] in &edges {
            let (i, j) = (Vector(self.rest[i as usize]), Vector(self.rest[j as usize]));
            let length = (i - j).norm();
            sum += length;
            longest = longest.max(length);
        }
        (sum / edges.len().max(1) as f64, longest)
    }
}

impl<const D: usize> Mesh<D> {
    /// Cloth of triangles between positions \[m\] in space; at rest as it is there, also bent.
    pub fn cloth(
        name: impl Into<String>,
        positions: &[[f64; D]],
        triangles: &[[u32; 3]],
        fabric: Fabric,
    ) -> Result<Self, MeshDefect> {
        in_dimension::<D>("cloth", 3)?;
        let mut mesh = Self::empty(name, positions)?;
        let Fabric {
            thickness,
            density,
            young_modulus,
            poisson_ratio,
            bending,
            law,
        } = fabric;
        check_moduli(density, young_modulus, poisson_ratio)?;
        positive("thickness", "thickness of the cloth [m]", thickness)?;
        let own =
            young_modulus * thickness.powi(3) / (12.0 * (1.0 - poisson_ratio * poisson_ratio));
        let bending = bending.unwrap_or(own);
        let range = "zero or positive, and finite";
        within(
            "bending",
            "bending stiffness [N m]",
            bending,
            range,
            bending >= 0.0,
        )?;
        check_elements("triangle", triangles.iter().copied(), positions.len())?;
        let lame = Lame::membrane(young_modulus, poisson_ratio);
        let at = |vertex: u32| in_space(positions[vertex as usize]);
        for (index, &vertices) in triangles.iter().enumerate() {
            let [a, b, c] = vertices.map(at);
            // Edges in the triangle's own plane, the first along its first axis.
            let (first, second) = (b - a, c - a);
            let length = first.norm();
            let along = first * (1.0 / length.max(f64::MIN_POSITIVE));
            let doubled = cross(first, second).norm();
            let edges = Matrix([
                [length, second.dot(along)],
                [0.0, doubled / length.max(f64::MIN_POSITIVE)],
            ]);
            let element = Simplex::new(vertices, edges, law, lame);
            let mut element = element.ok_or(MeshDefect::Flat {
                element: "triangle",
                index,
            })?;
            element.volume *= thickness;
            mesh.share(&vertices, element.volume, density);
            mesh.triangles.push(element);
        }
        for (edge, sides) in sorted(edges_of(triangles)) {
            match sides[..] {
                [_] => {}
                [first, second] if bending > 0.0 => {
                    let mut place = [edge.0, edge.1, first.opposite, second.opposite];
                    if !first.is_forward {
                        place.swap(0, 1);
                    }
                    let rest = place.map(|v| at(v).0);
                    mesh.hinges.push(Hinge::new(place, bending, rest));
                }
                [_, _] => {}
                _ => {
                    return Err(MeshDefect::NonManifold {
                        from: edge.0 as usize,
                        to: edge.1 as usize,
                        count: sides.len(),
                    });
                }
            }
        }
        mesh.complete()
    }

    /// An elastic body of tetrahedra between positions \[m\].
    pub fn tetrahedra(
        name: impl Into<String>,
        positions: &[[f64; D]],
        tetrahedra: &[[u32; 4]],
        solid: Solid,
    ) -> Result<Self, MeshDefect> {
        in_dimension::<D>("a body of tetrahedra", 3)?;
        let mut mesh = Self::empty(name, positions)?;
        check_elements("tetrahedron", tetrahedra.iter().copied(), positions.len())?;
        for (index, vertices) in tetrahedra.iter().enumerate() {
            let element = simplex::<D, 3, 4>(("tetrahedron", index), positions, *vertices, solid)?;
            mesh.share(vertices, element.volume, solid.density);
            mesh.tetrahedra.push(element);
        }
        mesh.complete()
    }

    /// Puts a pressure \[Pa\] inside its triangles, which must be closed and look outwards: a
    /// function of the enclosed volume over that at rest, and of time.
    pub fn with_pressure(
        mut self,
        pressure: impl Fn(f64, f64) -> f64 + Send + Sync + 'static,
    ) -> Result<Self, MeshDefect> {
        let faces: Vec<[u32; 3]> = self.triangles.iter().map(|t| t.vertices).collect();
        if faces.is_empty() {
            return Err(MeshDefect::Empty("triangles for a pressure to act on"));
        }
        for (edge, sides) in sorted(edges_of(&faces)) {
            let (from, to) = (edge.0 as usize, edge.1 as usize);
            match sides[..] {
                [a, b] if a.is_forward != b.is_forward => {}
                [_, _] => return Err(MeshDefect::MixedWinding { from, to }),
                _ => return Err(MeshDefect::NotClosed { from, to }),
            }
        }
        let at = |v: u32| in_space(self.rest[v as usize]);
        let parts = faces.iter().map(|face| {
            let [a, b, c] = face.map(at);
            a.dot(cross(b, c)) / 6.0
        });
        let volume: f64 = parts.sum();
        if volume <= 0.0 {
            return Err(MeshDefect::Inverted {
                element: "closed surface",
                index: 0,
                volume,
            });
        }
        let pressure = Arc::new(pressure);
        self.enclosures.push(Enclosure {
            faces,
            volume,
            pressure,
        });
        self.complete()
    }

    /// A plane elastic body of triangles between positions \[m\], in plane strain.
    pub fn triangles(
        name: impl Into<String>,
        positions: &[[f64; D]],
        triangles: &[[u32; 3]],
        solid: Solid,
    ) -> Result<Self, MeshDefect> {
        in_dimension::<D>("a body of triangles", 2)?;
        let mut mesh = Self::empty(name, positions)?;
        check_elements("triangle", triangles.iter().copied(), positions.len())?;
        for (index, vertices) in triangles.iter().enumerate() {
            let element = simplex::<D, 2, 3>(("triangle", index), positions, *vertices, solid)?;
            mesh.share(vertices, element.volume, solid.density);
            mesh.triangles.push(element);
        }
        mesh.complete()
    }
}

/// A point in space; of the plane z = 0 in 2D.
fn in_space<const D: usize>(x: [f64; D]) -> Vector<f64, 3> {
    let mut space = [0.0; 3];
    space[..D].copy_from_slice(&x);
    Vector(space)
}

/// Refuses what exists in another number of dimensions.
fn in_dimension<const D: usize>(what: &'static str, needed: usize) -> Result<(), MeshDefect> {
    match D == needed {
        true => Ok(()),
        false => Err(MeshDefect::Dimension { what, needed }),
    }
}

/// A solid element, refused where it is flat or inside out.
fn simplex<const D: usize, const K: usize, const N: usize>(
    (element, index): (&'static str, usize),
    positions: &[[f64; D]],
    vertices: [u32; N],
    solid: Solid,
) -> Result<Simplex<K, N>, MeshDefect> {
    check_moduli(solid.density, solid.young_modulus, solid.poisson_ratio)?;
    let lame = Lame::solid(solid.young_modulus, solid.poisson_ratio);
    let mut edges = Matrix::<f64, K>::zero();
    for j in 0..K {
        for a in 0..K {
            let [from, to] = [vertices[0], vertices[j + 1]].map(|v| positions[v as usize][a]);
            edges[a][j] = to - from;
        }
    }
    let made = Simplex::new(vertices, edges, solid.law, lame);
    made.ok_or_else(|| {
        let volume = edges.determinant() / if K == 2 { 2.0 } else { 6.0 };
        let size = edges.norm_squared().sqrt().powi(K as i32);
        match volume < -1e-12 * size {
            true => MeshDefect::Inverted {
                element,
                index,
                volume,
            },
            false => MeshDefect::Flat { element, index },
        }
    })
}

/// Refuses elements with dangling or repeated indices, and duplicates.
fn check_elements<const N: usize>(
    element: &'static str,
    elements: impl Iterator<Item = [u32; N]>,
    count: usize,
) -> Result<(), MeshDefect> {
    let mut known: HashMap<[u32; N], usize> = HashMap::new();
    for (index, vertices) in elements.enumerate() {
        let mut ordered = vertices;
        ordered.sort_unstable();
        if let Some(&vertex) = ordered.iter().find(|v| **v as usize >= count) {
            return Err(MeshDefect::DanglingIndex {
                element,
                index,
                vertex: vertex as usize,
                count,
            });
        }
        if let Some(pair) = ordered.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(MeshDefect::RepeatedVertex {
                element,
                index,
                vertex: pair[0] as usize,
            });
        }
        if let Some(first) = known.insert(ordered, index) {
            return Err(MeshDefect::Duplicate {
                element,
                first,
                second: index,
            });
        }
    }
    match known.is_empty() {
        true => Err(MeshDefect::Empty("elements")),
        false => Ok(()),
    }
}

/// A triangle as an edge sees it.
#[derive(Clone, Copy)]
struct Side {
    opposite: u32,
    /// True if the triangle runs from the lower to the higher vertex of the edge.
    is_forward: bool,
}

/// The triangles at every edge, in their order.
fn edges_of(triangles: &[[u32; 3]]) -> HashMap<(u32, u32), Vec<Side>> {
    let mut edges: HashMap<(u32, u32), Vec<Side>> = HashMap::new();
    for triangle in triangles {
        for k in 0..3 {
            let (from, to) = (triangle[k], triangle[(k + 1) % 3]);
            let side = Side {
                opposite: triangle[(k + 2) % 3],
                is_forward: from < to,
            };
            edges
                .entry((from.min(to), from.max(to)))
                .or_default()
                .push(side);
        }
    }
    edges
}

/// Edges in an order that does not depend on hashes.
fn sorted(edges: HashMap<(u32, u32), Vec<Side>>) -> Vec<((u32, u32), Vec<Side>)> {
    let mut edges: Vec<_> = edges.into_iter().collect();
    edges.sort_unstable_by_key(|(edge, _)| *edge);
    edges
}
