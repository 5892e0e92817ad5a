//! Elements that fill a shape: a body-centred lattice of tetrahedra (2D: rows of isosceles
//! triangles), of which those stay whose middle lies inside; then every outer vertex moves to the
//! surface, or as far towards it as leaves its elements sound.

use std::collections::{BTreeMap, HashMap};

use super::form::{Elements, Form};
use crate::shape::SharedRegion;

/// Least quality of an element: its volume over that of a regular one whose edges have the same
/// root mean square; 1 for a regular one, 0.95 for those of the lattice.
pub(super) const LEAST_QUALITY: f64 = 0.3;
/// Times that a step towards the surface is halved, before the vertex stays where it is.
const HALVINGS: u32 = 5;
/// Passes over the outer vertices.
const PASSES: u32 = 4;

/// The most cells of the lattice.
pub(super) const MOST_CELLS: f64 = 1e7;

/// Elements of a shape with an end, on a lattice of a spacing \[m\]; empty if no element has its
/// middle in the shape.
pub(super) fn body<const D: usize>(region: &SharedRegion<D>, spacing: f64) -> Form<D> {
    let Some(bounds) = region.bounds() else {
        return form(Vec::new(), Vec::new());
    };
    let low: [f64; D] = core::array::from_fn(|a| (bounds.min[a] / spacing).floor() - 1.0);
    let counts: [usize; D] = core::array::from_fn(|a| {
        ((bounds.max[a] / spacing).ceil() + 1.0 - low[a]).max(1.0) as usize
    });
    let mut lattice = Lattice {
        low,
        spacing,
        region,
        numbers: HashMap::new(),
        positions: Vec::new(),
        elements: Vec::new(),
    };
    let total: usize = counts.iter().product();
    for k in 0..total {
        let mut rest = k;
        let mut cell = [0i64; D];
        for a in (0..D).rev() {
            cell[a] = (rest % counts[a]) as i64;
            rest /= counts[a];
        }
        lattice.add_cell(cell);
    }
    let Lattice {
        mut positions,
        elements,
        ..
    } = lattice;
    to_surface(&mut positions, &elements, region);
    form(positions, elements)
}

/// The outer faces of a body of tetrahedra as cloth.
pub(super) fn skin<const D: usize>(body: Form<D>) -> Form<D> {
    let tetrahedra = match body.elements {
        Elements::Tetrahedra(tetrahedra) => tetrahedra,
        _ => Vec::new(),
    };
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    let mut positions = Vec::new();
    let triangles = outer_faces(&tetrahedra).into_iter().map(|face| {
        face.map(|vertex| {
            *numbers.entry(vertex).or_insert_with(|| {
                positions.push(body.positions[vertex as usize]);
                positions.len() as u32 - 1
            })
        })
    });
    let triangles = triangles.collect();
    Form {
        positions,
        elements: Elements::Cloth(triangles),
    }
}

/// The faces that belong to one tetrahedron alone; they look outwards.
pub(super) fn outer_faces(tetrahedra: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let mut faces = BTreeMap::new();
    for &[a, b, c, d] in tetrahedra {
        for face in [[a, c, b], [a, b, d], [a, d, c], [b, c, d]] {
            let mut sorted = face;
            sorted.sort_unstable();
            if faces.remove(&sorted).is_none() {
                faces.insert(sorted, face);
            }
        }
    }
    faces.into_values().collect()
}

fn form<const D: usize>(positions: Vec<[f64; D]>, elements: Vec<Vec<u32>>) -> Form<D> {
    let elements = match D {
        2 => Elements::Triangles(elements.iter().map(|e| [e[0], e[1], e[2]]).collect()),
        _ => Elements::Tetrahedra(elements.iter().map(|e| [e[0], e[1], e[2], e[3]]).collect()),
    };
    Form {
        positions,
        elements,
    }
}

/// The lattice: corners of cubes and their middles, in half spacings.
struct Lattice<'a, const D: usize> {
    low: [f64; D],
    spacing: f64,
    region: &'a SharedRegion<D>,
    numbers: HashMap<[i64; D], u32>,
    positions: Vec<[f64; D]>,
    elements: Vec<Vec<u32>>,
}

impl<const D: usize> Lattice<'_, D> {
    /// The elements between the middle of a cell and that of its neighbour along every axis: a
    /// tetrahedron for every edge of the face between them. In the plane four triangles in every
    /// square.
    fn add_cell(&mut self, cell: [i64; D]) {
        let middle: [i64; D] = cell.map(|c| 2 * c + 1);
        for axis in 0..D {
            if D == 2 {
                for side in [-1, 1] {
                    let corner = |along: i64| {
                        let mut corner = middle;
                        corner[axis] += side;
                        corner[1 - axis] += along;
                        corner
                    };
                    self.add(&[middle, corner(-1), corner(1)]);
                }
                continue;
            }
            let mut neighbour = middle;
            neighbour[axis] += 2;
            let (b, c) = ((axis + 1) % D, (axis + 2) % D);
            let corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(|[u, v]| {
                let mut corner = middle;
                corner[axis] += 1;
                corner[b] += u;
                corner[c] += v;
                corner
            });
            for k in 0..4 {
                self.add(&[middle, neighbour, corners[k], corners[(k + 1) % 4]]);
            }
        }
    }

    fn position(&self, place: [i64; D]) -> [f64; D] {
        core::array::from_fn(|a| (self.low[a] + 0.5 * place[a] as f64) * self.spacing)
    }

    /// Adds an element whose middle lies inside.
    fn add(&mut self, places: &[[i64; D]]) {
        let corners: Vec<[f64; D]> = places.iter().map(|place| self.position(*place)).collect();
        let count = corners.len() as f64;
        let middle =
            core::array::from_fn(|a| corners.iter().map(|corner| corner[a]).sum::<f64>() / count);
        if self.region.surface(middle, 0.0).distance >= 0.0 {
            return;
        }
        let mut element = Vec::with_capacity(places.len());
        for (place, position) in places.iter().zip(&corners) {
            let next = self.positions.len() as u32;
            let number = *self.numbers.entry(*place).or_insert(next);
            if number == next {
                self.positions.push(*position);
            }
            element.push(number);
        }
        if volume(&corners) < 0.0 {
            element.swap(0, 1);
        }
        self.elements.push(element);
    }
}

/// Signed volume of a simplex \[m³\]; area in the plane.
fn volume<const D: usize>(corners: &[[f64; D]]) -> f64 {
    let mut edges = thixo_math::Matrix::<f64, D>::zero();
    for j in 0..D {
        for a in 0..D {
            edges[a][j] = corners[j + 1][a] - corners[0][a];
        }
    }
    edges.determinant() / if D == 2 { 2.0 } else { 6.0 }
}

/// Volume over that of a regular simplex with edges of the same root mean square.
pub(super) fn quality<const D: usize>(corners: &[[f64; D]]) -> f64 {
    let (mut squares, mut edges) = (0.0, 0.0);
    for (k, x) in corners.iter().enumerate() {
        for y in &corners[..k] {
            squares += (0..D).map(|a| (x[a] - y[a]).powi(2)).sum::<f64>();
            edges += 1.0;
        }
    }
    let length = (squares / edges).sqrt();
    let regular = match D {
        2 => 0.25 * 3f64.sqrt(),
        _ => 1.0 / (6.0 * 2f64.sqrt()),
    };
    volume(corners) / (regular * length.powi(D as i32))
}

/// Moves the outer vertices to the surface, one after the other.
fn to_surface<const D: usize>(
    positions: &mut [[f64; D]],
    elements: &[Vec<u32>],
    region: &SharedRegion<D>,
) {
    let mut faces: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut elements_of: Vec<Vec<u32>> = vec![Vec::new(); positions.len()];
    for (index, element) in elements.iter().enumerate() {
        for (k, &vertex) in element.iter().enumerate() {
            elements_of[vertex as usize].push(index as u32);
            let mut face = element.clone();
            face.remove(k);
            face.sort_unstable();
            *faces.entry(face).or_default() += 1;
        }
    }
    let mut outer: Vec<u32> = faces
        .into_iter()
        .filter(|(_, count)| *count == 1)
        .flat_map(|(face, _)| face)
        .collect();
    outer.sort_unstable();
    outer.dedup();
    for _ in 0..PASSES {
        for &vertex in &outer {
            let v = vertex as usize;
            let surface = region.surface(positions[v], 0.0);
            let from = positions[v];
            let mut share = 1.0;
            for _ in 0..=HALVINGS {
                let way = share * surface.distance;
                positions[v] = core::array::from_fn(|a| from[a] - way * surface.normal[a]);
                let is_sound = elements_of[v].iter().all(|&element| {
                    let corners = elements[element as usize].iter();
                    let corners: Vec<_> = corners.map(|&c| positions[c as usize]).collect();
                    quality(&corners) >= LEAST_QUALITY
                });
                if is_sound {
                    break;
                }
                positions[v] = from;
                share *= 0.5;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scene;

    fn region<const D: usize>(shape: &str) -> SharedRegion<D> {
        let text = format!(
            "dimension = {D}\n[grid]\nspacing = 0.1\n[time]\nframes = 1\n[materials.m]\nmodel = 'fluid'\n\
             density = 1\nbulk_modulus = 1\n[[objects]]\nmaterial = 'm'\nshape = {shape}\n"
        );
        let scene = Scene::parse(&text, "s.toml").unwrap();
        let shape = scene.objects[0].shape.clone().unwrap();
        scene.region::<D>("objects[0].shape", &shape).unwrap()
    }

    fn measured<const D: usize>(shape: &str, spacing: f64) -> (f64, f64, f64) {
        let region = region::<D>(shape);
        let form = body(&region, spacing);
        let elements: Vec<Vec<u32>> = match &form.elements {
            Elements::Triangles(t) => t.iter().map(|t| t.to_vec()).collect(),
            Elements::Tetrahedra(t) => t.iter().map(|t| t.to_vec()).collect(),
            _ => panic!("a body is solid"),
        };
        let (mut sum, mut worst) = (0.0, f64::INFINITY);
        for element in &elements {
            let corners: Vec<_> = element
                .iter()
                .map(|&v| form.positions[v as usize])
                .collect();
            sum += volume(&corners);
            worst = worst.min(quality(&corners));
        }
        let outside = form
            .positions
            .iter()
            .map(|x| region.surface(*x, 0.0).distance);
        (sum, worst, outside.fold(f64::NEG_INFINITY, f64::max))
    }

    #[test]
    fn skins_are_closed_and_look_outwards() {
        let ball = region::<3>("{ sphere = { center = [0.5, 0.5, 0.5], radius = 0.4 } }");
        let skin = skin(body(&ball, 0.1));
        let Elements::Cloth(triangles) = &skin.elements else {
            panic!("a skin is cloth");
        };
        let fabric = thixo::lagrangian::Fabric::new(1e-3, 1e3, 1e5);
        let mesh = thixo::Mesh::<3>::cloth("ball", &skin.positions, triangles, fabric).unwrap();
        assert!(mesh.with_pressure(|_, _| 1.0).is_ok());
        for x in &skin.positions {
            let distance = ball.surface(*x, 0.0).distance;
            assert!(distance.abs() < 0.04, "{x:?}: {distance}");
        }
    }

    #[test]
    fn bodies_have_the_volume_of_their_shape_and_sound_elements() {
        let ball = "{ sphere = { center = [0.5, 0.5, 0.5], radius = 0.4 } }";
        let (sum, worst, outside) = measured::<3>(ball, 0.1);
        let expected = 4.0 / 3.0 * std::f64::consts::PI * 0.064;
        assert!((sum / expected - 1.0).abs() < 0.05, "{sum} {expected}");
        assert!(worst >= LEAST_QUALITY, "{worst}");
        assert!(outside < 0.03, "{outside}");
        let disc = "{ sphere = { center = [0.5, 0.5], radius = 0.4 } }";
        let (sum, worst, _) = measured::<2>(disc, 0.05);
        assert!(
            (sum / (std::f64::consts::PI * 0.16) - 1.0).abs() < 0.02,
            "{sum}"
        );
        assert!(worst >= LEAST_QUALITY, "{worst}");
        let cube = "{ box = { min = [0, 0, 0], max = [0.3, 0.4, 0.5] } }";
        // Edges and corners are cut off: 15 % of a box of 3 × 4 × 5 spacings.
        let (sum, worst, _) = measured::<3>(cube, 0.1);
        assert!(sum < 0.06 && sum > 0.05, "{sum}");
        assert!(worst >= LEAST_QUALITY, "{worst}");
    }
}
