//! Velocities of faces in solids: the mirror image of the matter in front of them, equation (40).
//!
//! A face at the depth |φ| in a solid that moves with u follows the image point at the same
//! distance in front of the surface: v = u + A (v* − u), where A mirrors the components that vanish
//! at the surface, the normal one of matter that slides, all of matter that sticks. On a wall along
//! an axis the image points are faces.

use rayon::prelude::*;
use thixo_math::{Matrix, Vector};
use thixo_par::Scalar;

use super::free_surface::node_at;
use super::solid_boundary::{BlockBoundary, SolidBoundary, add, in_surface, local_place};
use crate::collide::{ContactImpulses, Solid, Solids};
use crate::grid::{FACE_MASS, Field, Lattice, StaggeredGrid};
use crate::step_context::StepContext;

/// Distance in cells within which a place is that of a face.
const ON_NODE: f64 = 1e-9;

/// Deepest faces with an image, in cells: those in the support of a particle at the surface.
const DEEPEST: f64 = 3.0;

/// A face in a solid as a linear function of faces in the matter: v = Σ W v_j + c.
#[derive(Clone, Debug)]
struct GhostFace<const D: usize> {
    axis: usize,
    face: usize,
    /// The solid that it is in, at the surface that mirrors it first.
    solid: Solid,
    /// Its place \[m\].
    place: [f64; D],
    /// Axis, index and weight of faces.
    entries: Vec<(usize, usize, f64)>,
    /// c \[m/s\].
    constant: f64,
}

/// All faces with mass inside solids, where the matter is continued by its mirror image.
#[derive(Clone, Debug, Default)]
pub(crate) struct GhostFaces<const D: usize> {
    rows: Vec<GhostFace<D>>,
}

impl<const D: usize> GhostFaces<D> {
    /// The faces with mass inside solids, by contact that is closed.
    pub fn new<T: Scalar>(
        grid: &StaggeredGrid<T, D>,
        (solids, boundary): (Solids<'_, D>, &SolidBoundary<D>),
        step: &StepContext<'_, D>,
    ) -> Self {
        let blocks = 0..step.order.blocks.len() * D;
        let rows = blocks.into_par_iter().flat_map_iter(|k| {
            let at = (k / D, k % D);
            images(grid, (solids, boundary), step, at).filter_map(move |image| {
                let GhostImage {
                    face,
                    axis,
                    solid,
                    place,
                    u,
                    point,
                } = image;
                let Some(point) = point else {
                    return Some(GhostFace {
                        axis,
                        face,
                        solid,
                        place,
                        entries: Vec::new(),
                        constant: u[axis],
                    });
                };
                let row = point.matrix[axis];
                let mut entries = Vec::new();
                for a in (0..D).filter(|&a| row[a] != 0.0) {
                    for (index, weight) in stencil(grid, a, point.place, step)? {
                        entries.push((a, index, row[a] * weight));
                    }
                }
                Some(GhostFace {
                    axis,
                    face,
                    solid: point.solid,
                    place,
                    entries,
                    constant: point.constant[axis],
                })
            })
        });
        let mut rows: Vec<GhostFace<D>> = rows.collect();
        rows.sort_by_key(|row| (row.axis, row.face));
        Self { rows }
    }
    /// True if no face with mass is in a solid.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    /// True if a face across an axis is in a solid and follows others.
    pub fn is_ghost(&self, axis: usize, face: usize) -> bool {
        let key = |row: &GhostFace<D>| (row.axis, row.face);
        self.rows.binary_search_by_key(&(axis, face), key).is_ok()
    }
    /// Sets the first numbers of the faces in solids to Σ W v_j, and c if it is `affine`.
    pub fn extend<T: Scalar>(&self, v: &mut [Field<T, 4>; D], is_affine: bool) {
        for row in &self.rows {
            let terms = row.entries.iter();
            let sum: f64 = terms
                .map(|&(a, index, w)| w * v[a].values()[index][0].to_f64())
                .sum();
            let c = if is_affine { row.constant } else { 0.0 };
            v[row.axis].values_mut()[row.face][0] = T::from_f64(sum + c);
        }
    }
    /// Adds the forces on faces in solids to those on the faces that they follow, and removes them.
    pub fn fold<T: Scalar>(&self, f: &mut [Field<T, 4>; D], slot: usize) {
        for row in &self.rows {
            let own = f[row.axis].values()[row.face][slot].to_f64();
            f[row.axis].values_mut()[row.face][slot] = T::zero();
            for &(a, index, w) in &row.entries {
                f[a].values_mut()[index][slot] += T::from_f64(w * own);
            }
        }
    }
    /// Adds the impulses of solids to `impulses`: what their faces take from the matter, and what
    /// the faces that follow them give to it, W f − f in total. On matter that slides along a plane
    /// it is zero, on matter that sticks it is the traction. `forces` are those before
    /// [`fold`](Self::fold), in a slot, times `scale` \[N s\].
    pub fn add_impulses<T: Scalar>(
        &self,
        (forces, slot, scale): (&[Field<T, 4>; D], usize, f64),
        step: &StepContext<'_, D>,
        impulses: &mut ContactImpulses<D>,
    ) {
        let blocks = &step.order.blocks;
        let (count, side) = (blocks.nodes_per_block(), blocks.side());
        let along = |axis: usize, size: f64| {
            let mut impulse = Vector::zero();
            impulse[axis] = size;
            impulse
        };
        for row in &self.rows {
            let own = scale * forces[row.axis].values()[row.face][slot].to_f64();
            let of_solid = impulses.of_mut(row.solid);
            of_solid.add(Vector(row.place), along(row.axis, -own));
            for &(a, index, w) in &row.entries {
                let node = local_place::<D>(index % count, side);
                let coordinate = add(blocks.coordinate(index / count), side, node);
                let place = Lattice::faces(step.geometry.spacing(), a).position(coordinate);
                of_solid.add(Vector(place), along(a, w * own));
            }
        }
    }
    /// Adds masses or positive diagonals of faces in solids to those of the faces that they follow,
    /// and sets their own to one.
    pub fn fold_diagonal(&self, diagonal: &mut [Vec<f64>; D]) {
        for row in &self.rows {
            let own = diagonal[row.axis][row.face];
            for &(a, index, w) in &row.entries {
                diagonal[a][index] += w.abs() * own;
            }
        }
        for row in &self.rows {
            diagonal[row.axis][row.face] = 1.0;
        }
    }
}

/// Quantity that is mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mirrored {
    /// A velocity, relative to that of the solid, by the contact.
    Velocity,
    /// A displacement of particles, which must not lead into the solid.
    Displacement,
}

/// Faces with mass inside solids, and the faces around their image points.
pub(crate) struct MirrorImages<const D: usize> {
    images: Vec<MirrorImage<D>>,
}

struct MirrorImage<const D: usize> {
    image: GhostImage<D>,
    /// Faces around the image point with their weights, by axis.
    around: Option<[Vec<(usize, f64)>; D]>,
}

impl<const D: usize> MirrorImages<D> {
    /// Finds the images of all faces with mass inside solids.
    pub fn new<T: Scalar>(
        grid: &StaggeredGrid<T, D>,
        (solids, boundary): (Solids<'_, D>, &SolidBoundary<D>),
        step: &StepContext<'_, D>,
    ) -> Self {
        let blocks = 0..step.order.blocks.len() * D;
        let found = blocks.into_par_iter().flat_map_iter(|k| {
            let at = (k / D, k % D);
            images(grid, (solids, boundary), step, at).map(|image| {
                let around = image.point.and_then(|point| {
                    let mut all = core::array::from_fn(|_| Vec::new());
                    for (axis, list) in all.iter_mut().enumerate() {
                        list.extend(stencil(grid, axis, point.place, step)?);
                    }
                    Some(all)
                });
                MirrorImage { image, around }
            })
        });
        Self {
            images: found.collect(),
        }
    }
    /// Sets a quantity in a slot of the quads of the faces.
    pub fn apply<T: Scalar>(
        &self,
        grid: &mut StaggeredGrid<T, D>,
        slot: usize,
        quantity: Mirrored,
    ) {
        let values = self.images.par_iter();
        let values: Vec<f64> = values.map(|of| of.value(grid, slot, quantity)).collect();
        for (of, value) in self.images.iter().zip(values) {
            let faces = grid.faces[of.image.axis].values_mut();
            faces[of.image.face][slot] = T::from_f64(value);
        }
    }
}

impl<const D: usize> MirrorImage<D> {
    /// The mirrored value, contact that opens included.
    fn value<T: Scalar>(&self, grid: &StaggeredGrid<T, D>, slot: usize, quantity: Mirrored) -> f64 {
        let axis = self.image.axis;
        let u = match quantity {
            Mirrored::Velocity => self.image.u,
            Mirrored::Displacement => Vector::zero(),
        };
        let (Some(point), Some(around)) = (self.image.point, &self.around) else {
            return u[axis];
        };
        let mut v = Vector::zero();
        for a in 0..D {
            let faces = grid.faces[a].values();
            let terms = around[a].iter();
            v[a] = terms
                .map(|(index, w)| w * faces[*index][slot].to_f64())
                .sum();
        }
        if quantity == Mirrored::Displacement {
            return (point.sliding * v)[axis];
        }
        let leaves = |normal: Vector<f64, D>| (v - u).dot(normal) > 0.0;
        if point.opens.is_some_and(leaves) {
            return v[axis];
        }
        (point.matrix * v + point.constant)[axis]
    }
}

/// A face in a solid, and the point that it mirrors.
struct GhostImage<const D: usize> {
    face: usize,
    axis: usize,
    /// The solid.
    solid: Solid,
    /// Place of the face \[m\].
    place: [f64; D],
    /// Velocity of the solid \[m/s\].
    u: Vector<f64, D>,
    /// The image; none for faces in the surface.
    point: Option<ImagePoint<D>>,
}

/// An image point: v = A v* + c of closed contact, after as many reflections as lead out of all
/// solids.
#[derive(Clone, Copy)]
struct ImagePoint<const D: usize> {
    /// The solid of the first reflection.
    solid: Solid,
    /// Place of the image \[m\].
    place: [f64; D],
    /// A of velocities.
    matrix: Matrix<f64, D>,
    /// c \[m/s\].
    constant: Vector<f64, D>,
    /// A of matter that slides.
    sliding: Matrix<f64, D>,
    /// Normal of a single reflection at a solid that matter may leave.
    opens: Option<Vector<f64, D>>,
}

/// Reflections after which a face without an image outside of all solids is given up.
const MOST_REFLECTIONS: usize = 4;

impl<const D: usize> ImagePoint<D> {
    /// The image of a face across an axis at a place in a solid. Where several solids contain it,
    /// the first reflection is at the one that the axis is most normal to: the velocity across each
    /// of them vanishes on its surface, whatever the others do.
    fn of(
        (x, axis, nearest): ([f64; D], usize, Solid),
        (solids, near): (Solids<'_, D>, &BlockBoundary<D>),
        step: &StepContext<'_, D>,
    ) -> Option<Self> {
        let h = step.geometry.spacing();
        let end = step.time + step.dt;
        let mut image = Self {
            solid: nearest,
            place: x,
            matrix: Matrix::identity(),
            constant: Vector::zero(),
            sliding: Matrix::identity(),
            opens: None,
        };
        for reflections in 0..MOST_REFLECTIONS {
            let around = near.solids.iter();
            let inside = around
                .map(|&solid| solids.surface(solid, image.place, end))
                .filter(|surface| surface.distance < -ON_NODE * h);
            let most_normal = inside.reduce(|a, b| {
                let is_more = b.normal[axis].abs() > a.normal[axis].abs() + ON_NODE;
                if is_more { b } else { a }
            });
            let Some(surface) = most_normal else {
                return (reflections > 0).then_some(image);
            };
            let (solid, distance, normal) = (surface.solid, surface.distance, surface.normal);
            if distance < -DEEPEST * h {
                return None;
            }
            if reflections == 0 {
                image.solid = solid;
            }
            let u = solids.velocity(solid, image.place, [step.time, step.dt]);
            image.place = (Vector(image.place) - normal * (2.0 * distance)).0;
            let contact = solids.contact(solid, image.place, end);
            let slides = Matrix::identity() - normal.outer(normal) * 2.0;
            let sticks = Matrix::identity() * -1.0;
            let a = match contact.holds_tangentially() {
                true => sticks,
                false => slides,
            };
            // v = A (u + a (v* − u)) + c.
            image.constant += image.matrix * (u - a * u);
            image.matrix = image.matrix * a;
            image.sliding = image.sliding * slides;
            image.opens = (reflections == 0 && contact.is_unilateral()).then_some(normal);
        }
        None
    }
}

/// The faces with mass across an axis in a block that are inside solids. Cut faces keep the
/// velocity of the matter that flows through them.
fn images<T: Scalar, const D: usize>(
    grid: &StaggeredGrid<T, D>,
    (solids, boundary): (Solids<'_, D>, &SolidBoundary<D>),
    step: &StepContext<'_, D>,
    (block, axis): (usize, usize),
) -> impl Iterator<Item = GhostImage<D>> {
    let mut out = Vec::new();
    let (h, side) = (step.geometry.spacing(), step.geometry.block_side());
    let end = step.time + step.dt;
    let count = step.order.blocks.nodes_per_block();
    let lattice = Lattice::faces(h, axis);
    if let Some(near) = boundary.near(block) {
        for k in 0..count {
            let face = block * count + k;
            if near.open[k][axis] > 0.0 || grid.faces[axis].values()[face][FACE_MASS] <= T::zero() {
                continue;
            }
            let coordinate = step.order.blocks.coordinate(block);
            let x = lattice.position(add(coordinate, side, local_place::<D>(k, side)));
            let surface = match near.in_surface[k][axis] {
                true => in_surface(solids, &near.solids, (x, axis), (end, h)),
                false => solids.nearest(&near.solids, x, end),
            };
            let Some(surface) = surface else {
                continue;
            };
            let u = solids.velocity(surface.solid, x, [step.time, step.dt]);
            let point = match near.in_surface[k][axis] {
                true => None,
                false => ImagePoint::of((x, axis, surface.solid), (solids, near), step),
            };
            out.push(GhostImage {
                face,
                axis,
                solid: surface.solid,
                place: x,
                u,
                point,
            });
        }
    }
    out.into_iter()
}

/// Velocity at a place \[m/s\] by multilinear interpolation between faces with mass; none where
/// there are none around it.
pub(super) fn interpolate<T: Scalar, const D: usize>(
    (grid, slot): (&StaggeredGrid<T, D>, usize),
    place: [f64; D],
    step: &StepContext<'_, D>,
) -> Option<Vector<f64, D>> {
    let mut out = Vector::zero();
    for axis in 0..D {
        let faces = grid.faces[axis].values();
        let around = stencil(grid, axis, place, step)?;
        out[axis] = around
            .map(|(index, w)| w * faces[index][slot].to_f64())
            .sum();
    }
    Some(out)
}

/// Faces with mass across an axis around a place, with the weights of multilinear interpolation,
/// whose sum is one; none where there are none.
fn stencil<T: Scalar, const D: usize>(
    grid: &StaggeredGrid<T, D>,
    axis: usize,
    place: [f64; D],
    step: &StepContext<'_, D>,
) -> Option<impl Iterator<Item = (usize, f64)>> {
    let h = step.geometry.spacing();
    let lattice = Lattice::<D>::faces(h, axis);
    let at: [f64; D] = core::array::from_fn(|a| place[a] / h - lattice.offset[a]);
    let base = at.map(|x| (x + ON_NODE).floor());
    let mut found = Vec::new();
    let mut total = 0.0;
    for corner in 0..1usize << D {
        let mut weight = 1.0;
        let mut node = [0i32; D];
        for a in 0..D {
            let f = (at[a] - base[a]).max(0.0);
            let is_upper = (corner >> a) & 1 == 1;
            weight *= if is_upper { f } else { 1.0 - f };
            node[a] = base[a] as i32 + i32::from(is_upper);
        }
        if weight <= ON_NODE {
            continue;
        }
        if let Some(index) = node_at(node, step)
            && grid.faces[axis].values()[index][FACE_MASS] > T::zero()
        {
            found.push((index, weight));
            total += weight;
        }
    }
    (total > 0.0).then(|| found.into_iter().map(move |(index, w)| (index, w / total)))
}
