//! Sums over elements at the vertices, in an order that depends on the mesh alone.
//!
//! Every element writes what it adds to its vertices to places of its own; every vertex then sums
//! the places that are its own, in the order of the elements. The number of threads changes
//! nothing.

use rayon::prelude::*;
use thixo_math::Vector;
use thixo_par::Isa;

use super::anchor::Anchor;
use super::element::Element;
use super::hinge::cross;
use super::mesh::{Enclosure, Mesh};
use crate::material::potential::Definiteness;

/// Elements, or vertices, that a thread takes at a time.
const CHUNK: usize = 256;

/// Places of contributions by vertex: those of vertex v are `places[start[v]..start[v + 1]]`.
#[derive(Clone, Debug, Default)]
pub(super) struct Assembly {
    start: Vec<u32>,
    places: Vec<u32>,
}

/// What elements do at some positions.
#[derive(Clone, Debug)]
pub(super) struct MeshResponse<const D: usize> {
    /// ∂Φ/∂x of every vertex \[N\].
    pub gradient: Vec<Vector<f64, D>>,
    /// Φ \[J\], without pressures.
    pub energy: f64,
    /// Bound of the squared angular frequencies \[1/s²\].
    pub frequency_squared: f64,
    /// Root of the sum of squares of force times distance from the origin \[J\]: rounding errors of
    /// positions, which every element turns to strains of its own, change Φ by ε times this.
    pub work: f64,
}

/// Sums over elements: energy, the largest squared frequency, and the squares of
/// [`MeshResponse::work`].
type Sums = [f64; 3];

/// Tangents of all elements at some positions.
pub(super) struct Tangents<const D: usize> {
    springs: Vec<<super::Spring as Element<D, 2>>::Tangent>,
    hinges: Vec<<super::Hinge as Element<D, 4>>::Tangent>,
    triangles: Vec<<super::simplex::Simplex<2, 3> as Element<D, 3>>::Tangent>,
    tetrahedra: Vec<<super::simplex::Simplex<3, 4> as Element<D, 4>>::Tangent>,
    bends: Vec<()>,
    anchors: Vec<()>,
}

/// Lengths of the periodic axes \[m\].
pub(super) type Periods<const D: usize> = [Option<f64>; D];

impl Assembly {
    /// The places of the elements of a mesh. Shares the masses among the elements of each kind.
    pub fn new<const D: usize>(mesh: &mut Mesh<D>) -> Self {
        let count = mesh.rest.len();
        let mut all: Vec<u32> = Vec::new();
        let masses = &mesh.masses;
        kind::<_, D, 2>(&mut mesh.springs, masses, &mut all);
        kind::<_, D, 3>(&mut mesh.bends, masses, &mut all);
        kind::<_, D, 4>(&mut mesh.hinges, masses, &mut all);
        kind::<_, D, 3>(&mut mesh.triangles, masses, &mut all);
        kind::<_, D, 4>(&mut mesh.tetrahedra, masses, &mut all);
        let mut anchors: Vec<Anchor<D>> = Vec::new();
        mesh.holds
            .iter()
            .for_each(|hold| anchors.extend(&hold.anchors));
        kind(&mut anchors, masses, &mut all);
        let mut shared = anchors.into_iter();
        for hold in &mut mesh.holds {
            for (anchor, shared) in hold.anchors.iter_mut().zip(&mut shared) {
                *anchor = shared;
            }
        }
        for enclosure in &mesh.enclosures {
            all.extend(enclosure.faces.as_flattened());
        }
        let mut start = vec![0u32; count + 1];
        for &vertex in &all {
            start[vertex as usize + 1] += 1;
        }
        for v in 0..count {
            start[v + 1] += start[v];
        }
        let mut next = start.clone();
        let mut places = vec![0; all.len()];
        for (place, vertex) in all.into_iter().enumerate() {
            places[next[vertex as usize] as usize] = place as u32;
            next[vertex as usize] += 1;
        }
        Self { start, places }
    }

    /// Sums the contributions at every vertex.
    fn sum<const D: usize>(&self, contributions: &[Vector<f64, D>]) -> Vec<Vector<f64, D>> {
        let vertices = self.start.len().saturating_sub(1);
        let sum = |v: usize| {
            let own = &self.places[self.start[v] as usize..self.start[v + 1] as usize];
            let mut sum = Vector::zero();
            for &place in own {
                sum += contributions[place as usize];
            }
            sum
        };
        let vertices = (0..vertices).into_par_iter();
        vertices.with_min_len(CHUNK).map(sum).collect()
    }
}

/// Shares masses among the elements of a kind, and appends their vertices.
fn kind<E: Element<D, N>, const D: usize, const N: usize>(
    elements: &mut [E],
    masses: &[f64],
    all: &mut Vec<u32>,
) {
    let mut shares = vec![0u32; masses.len()];
    for element in elements.iter() {
        for vertex in element.vertices() {
            shares[vertex as usize] += 1;
        }
    }
    for element in elements {
        let vertices = element.vertices();
        element.set_inverse_masses(vertices.map(|v| {
            let v = v as usize;
            f64::from(shares[v]) / masses[v]
        }));
        all.extend(vertices);
    }
}

/// Positions of the vertices of an element, on the same side of periodic borders as the first.
#[inline]
pub(super) fn of_element<const D: usize, const N: usize>(
    vertices: [u32; N],
    x: &[Vector<f64, D>],
    periods: &Periods<D>,
) -> [Vector<f64, D>; N] {
    let mut own = [Vector::zero(); N];
    for k in 0..N {
        own[k] = x[vertices[k] as usize];
    }
    for a in 0..D {
        if let Some(period) = periods[a] {
            for k in 1..N {
                own[k][a] -= period * ((own[k][a] - own[0][a]) / period).round();
            }
        }
    }
    own
}

/// Responses of the elements of a kind: writes their gradients to the front of `out`, and returns
/// the rest of it, the energy and the bound of the frequencies.
fn respond<'o, E: Element<D, N>, const D: usize, const N: usize>(
    elements: &[E],
    (at, isa): ((&[Vector<f64, D>], &Periods<D>), Isa),
    out: &'o mut [Vector<f64, D>],
    sums: &mut Sums,
) -> &'o mut [Vector<f64, D>] {
    let (own, rest) = out.split_at_mut(elements.len() * N);
    let chunks = elements
        .par_chunks(CHUNK)
        .zip(own.par_chunks_mut(CHUNK * N));
    let partial: Vec<Sums> = chunks
        .map(|(elements, out)| {
            let mut sums = [0.0f64; 3];
            E::respond(elements, at, isa, |number, own, at| {
                out[number * N..][..N].copy_from_slice(&at.gradient);
                sums[0] += at.energy;
                sums[1] = sums[1].max(at.frequency_squared);
                let forces: f64 = at.gradient.iter().map(|g| g.norm_squared()).sum();
                let places = own.iter().map(|x| x.norm_squared()).fold(0.0, f64::max);
                sums[2] += forces * places;
            });
            sums
        })
        .collect();
    sums[0] += partial.iter().map(|sums| sums[0]).sum::<f64>();
    sums[1] += partial.iter().map(|sums| sums[1]).fold(0.0, f64::max);
    sums[2] += partial.iter().map(|sums| sums[2]).sum::<f64>();
    rest
}

/// Products of the elements of a kind, likewise; changes have no periods.
fn multiply<'o, E: Element<D, N>, const D: usize, const N: usize>(
    (elements, tangents): (&[E], &[E::Tangent]),
    dx: &[Vector<f64, D>],
    out: &'o mut [Vector<f64, D>],
) -> &'o mut [Vector<f64, D>] {
    let (own, rest) = out.split_at_mut(elements.len() * N);
    let elements = elements.par_iter().zip(tangents);
    elements
        .zip(own.par_chunks_mut(N))
        .with_min_len(CHUNK)
        .for_each(|((element, tangent), out)| {
            let dx = element.vertices().map(|v| dx[v as usize]);
            out.copy_from_slice(&element.product(tangent, &dx));
        });
    rest
}

fn tangents_of<E: Element<D, N>, const D: usize, const N: usize>(
    elements: &[E],
    (x, periods): (&[Vector<f64, D>], &Periods<D>),
    definiteness: Definiteness,
) -> Vec<E::Tangent> {
    let tangent =
        |element: &E| element.tangent(&of_element(element.vertices(), x, periods), definiteness);
    let elements = elements.par_iter().with_min_len(CHUNK);
    elements.map(tangent).collect()
}

impl<const D: usize> Mesh<D> {
    fn places(&self) -> usize {
        self.assembly.places.len()
    }

    /// The anchors at a time \[s\].
    pub(super) fn anchors(&self, time: f64) -> Vec<Anchor<D>> {
        let holds = self.holds.iter().flat_map(|hold| {
            let place = hold.place.as_ref();
            hold.anchors.iter().map(move |anchor| match place {
                None => *anchor,
                Some(place) => Anchor {
                    place: Vector(place(self.start[anchor.vertex as usize], time)),
                    ..*anchor
                },
            })
        });
        holds.collect()
    }

    /// Energy and gradient at positions \[m\], with anchors and pressures of a time \[s\].
    pub(super) fn response(
        &self,
        x: &[Vector<f64, D>],
        (periods, isa): (&Periods<D>, Isa),
        time: f64,
        pressures: WithPressures,
    ) -> MeshResponse<D> {
        let mut contributions = vec![Vector::zero(); self.places()];
        let mut sums = [0.0; 3];
        let at = ((x, periods), isa);
        let rest = &mut contributions[..];
        let rest = respond(&self.springs, at, rest, &mut sums);
        let rest = respond(&self.bends, at, rest, &mut sums);
        let rest = respond::<_, D, 4>(&self.hinges, at, rest, &mut sums);
        let rest = respond::<_, D, 3>(&self.triangles, at, rest, &mut sums);
        let rest = respond::<_, D, 4>(&self.tetrahedra, at, rest, &mut sums);
        let rest = respond(&self.anchors(time), at, rest, &mut sums);
        if let WithPressures::Yes = pressures {
            self.press(at.0, time, rest);
        }
        MeshResponse {
            gradient: self.assembly.sum(&contributions),
            energy: sums[0],
            frequency_squared: sums[1],
            work: sums[2].sqrt(),
        }
    }

    /// Gradients of the pressures alone, at positions \[m\].
    pub(super) fn pressures(
        &self,
        x: &[Vector<f64, D>],
        periods: &Periods<D>,
        time: f64,
    ) -> Vec<Vector<f64, D>> {
        let mut contributions = vec![Vector::zero(); self.places()];
        let faces: usize = self.enclosures.iter().map(|e| e.faces.len()).sum();
        let first = contributions.len() - 3 * faces;
        self.press((x, periods), time, &mut contributions[first..]);
        self.assembly.sum(&contributions)
    }

    fn press(
        &self,
        at: (&[Vector<f64, D>], &Periods<D>),
        time: f64,
        mut rest: &mut [Vector<f64, D>],
    ) {
        for enclosure in &self.enclosures {
            rest = press(enclosure, at, time, rest);
        }
    }

    /// Tangents at positions \[m\].
    pub(super) fn tangents(
        &self,
        x: &[Vector<f64, D>],
        periods: &Periods<D>,
        definiteness: Definiteness,
    ) -> Tangents<D> {
        let at = (x, periods);
        Tangents {
            springs: tangents_of(&self.springs, at, definiteness),
            bends: vec![(); self.bends.len()],
            hinges: tangents_of(&self.hinges, at, definiteness),
            triangles: tangents_of(&self.triangles, at, definiteness),
            tetrahedra: tangents_of(&self.tetrahedra, at, definiteness),
            anchors: vec![(); self.holds.iter().map(|hold| hold.anchors.len()).sum()],
        }
    }

    /// K δx for changes of the positions \[m\].
    pub(super) fn product(
        &self,
        tangents: &Tangents<D>,
        dx: &[Vector<f64, D>],
    ) -> Vec<Vector<f64, D>> {
        let mut contributions = vec![Vector::zero(); self.places()];
        let rest = &mut contributions[..];
        let rest = multiply((&self.springs, &tangents.springs), dx, rest);
        let rest = multiply((&self.bends, &tangents.bends), dx, rest);
        let rest = multiply((&self.hinges, &tangents.hinges), dx, rest);
        let rest = multiply((&self.triangles, &tangents.triangles), dx, rest);
        let rest = multiply((&self.tetrahedra, &tangents.tetrahedra), dx, rest);
        multiply((&self.anchors(0.0), &tangents.anchors), dx, rest);
        self.assembly.sum(&contributions)
    }
}

/// Whether pressures count among the forces; they have no energy here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WithPressures {
    Yes,
    No,
}

/// Forces of the pressure in a closed surface, equation (66): a third of p times the area vector of
/// a triangle on each of its vertices; negative, as gradients are.
fn press<'o, const D: usize>(
    enclosure: &Enclosure,
    (x, periods): (&[Vector<f64, D>], &Periods<D>),
    time: f64,
    out: &'o mut [Vector<f64, D>],
) -> &'o mut [Vector<f64, D>] {
    let (own, rest) = out.split_at_mut(enclosure.faces.len() * 3);
    // Coordinates relative to one vertex: the volume of a closed surface does not depend on it.
    let origin = enclosure.faces[0][0];
    let corners = |face: [u32; 3]| {
        let [v0, v1, v2] = face;
        let [o, a, b, c] = of_element([origin, v0, v1, v2], x, periods);
        [a - o, b - o, c - o].map(|edge| {
            let mut space = Vector::<f64, 3>::zero();
            space.0[..D].copy_from_slice(&edge.0);
            space
        })
    };
    let mut volume = 0.0;
    for &face in &enclosure.faces {
        let [a, b, c] = corners(face);
        volume += a.dot(cross(b, c)) / 6.0;
    }
    let pressure = (enclosure.pressure)(volume / enclosure.volume, time);
    for (&face, out) in enclosure.faces.iter().zip(own.chunks_exact_mut(3)) {
        let [a, b, c] = corners(face);
        let force = cross(b - a, c - a) * (-pressure / 6.0);
        for out in out {
            out.0.copy_from_slice(&force.0[..D]);
        }
    }
    rest
}

/// Diagonals of the elements of a kind, without negative entries.
fn diagonals<'o, E: Element<D, N>, const D: usize, const N: usize>(
    (elements, tangents): (&[E], &[E::Tangent]),
    out: &'o mut [Vector<f64, D>],
) -> &'o mut [Vector<f64, D>] {
    let (own, rest) = out.split_at_mut(elements.len() * N);
    let elements = elements.par_iter().zip(tangents);
    elements
        .zip(own.par_chunks_mut(N))
        .with_min_len(CHUNK)
        .for_each(|((element, tangent), out)| {
            for vertex in 0..N {
                for a in 0..D {
                    let mut dx = [Vector::zero(); N];
                    dx[vertex][a] = 1.0;
                    out[vertex][a] = element.product(tangent, &dx)[vertex][a].max(0.0);
                }
            }
        });
    rest
}

impl<const D: usize> Mesh<D> {
    /// The diagonal of K, of non-negative parts \[N/m\].
    pub(super) fn diagonal(&self, tangents: &Tangents<D>) -> Vec<Vector<f64, D>> {
        let mut contributions = vec![Vector::zero(); self.places()];
        let rest = &mut contributions[..];
        let rest = diagonals((&self.springs, &tangents.springs), rest);
        let rest = diagonals((&self.bends, &tangents.bends), rest);
        let rest = diagonals((&self.hinges, &tangents.hinges), rest);
        let rest = diagonals((&self.triangles, &tangents.triangles), rest);
        let rest = diagonals((&self.tetrahedra, &tangents.tetrahedra), rest);
        diagonals((&self.anchors(0.0), &tangents.anchors), rest);
        self.assembly.sum(&contributions)
    }
}
