//! A mesh as a region of space.

use std::sync::Arc;

use thixo::LevelSet;
use thixo::collide::shape::Surface;
use thixo_math::Vector;

use super::bake::{self, Sources};
use super::cap::{caps, exposed};
use super::defects::{Defects, volume};
use super::field::{Field, NodeLattice};
use super::read::Mesh;
use super::tree::Tree;
use super::triangulate::Point;
use super::winding::Winding;
use crate::shape::{AssetError, Bounds, Region, Warning};

/// The distances of a mesh with its extent.
#[derive(Clone, Debug)]
pub(crate) struct MeshSolid {
    field: Field,
    bounds: Bounds<3>,
    volume: Option<f64>,
}

impl MeshSolid {
    /// Of a mesh with at least one triangle, with distances stored every `resolution` \[m\]. `file`
    /// is what warnings call it.
    pub fn new(
        mesh: &Mesh,
        resolution: f64,
        file: &str,
    ) -> Result<(Self, Vec<Warning>), AssetError> {
        let tree = Tree::new(mesh);
        let defects = Defects::of(mesh, &tree);
        let mut warnings = defects.warnings(file);
        let bounds = mesh.bounds();
        let lattice = NodeLattice::new(bounds, resolution);
        if lattice.spacing > resolution {
            warnings.push(Warning::Coarse {
                file: file.to_owned(),
                asked: resolution,
                used: lattice.spacing,
            });
        }
        let field = distances(lattice, &tree, &defects);
        if field.is_empty() {
            return Err(AssetError::Empty {
                message: "nowhere does its winding number reach one half: it encloses nothing, or less than the \
                          distances can show; close its surface, or use a smaller resolution",
            });
        }
        let solid = Self {
            field,
            bounds,
            volume: defects.is_simple().then(|| volume(mesh).abs()),
        };
        Ok((solid, warnings))
    }

    /// With a surface that moves: `velocities` are those of the mesh's points \[m/s\].
    pub fn with_velocities(mut self, mesh: &Mesh, velocities: &[Point]) -> Self {
        let tree = Tree::new(mesh);
        let of_triangle = |&k: &u32| mesh.triangles[k as usize].map(|p| velocities[p as usize]);
        let corners: Vec<[Point; 3]> = tree.order.iter().map(of_triangle).collect();
        self.field.velocities = bake::velocities(&self.field.lattice, &tree, &corners);
        self
    }

    /// Its extent \[m\].
    pub fn bounds(&self) -> Bounds<3> {
        self.bounds
    }
}

/// The field of a mesh: straight from its triangles if they make one simple surface, else from
/// those that are not buried, with holes closed.
fn distances(lattice: NodeLattice, tree: &Tree, defects: &Defects) -> Field {
    let winding = &Winding::new(tree);
    if defects.is_simple() {
        let sources = Sources {
            surface: tree,
            winding,
            is_closed: true,
        };
        return bake::field(lattice, bake::corners(&lattice, &sources), &sources);
    }
    let mut triangles = match defects.crossing_triangles {
        0 => tree.triangles.clone(),
        _ => exposed(tree, winding, 1e-3 * lattice.spacing),
    };
    let open = Sources {
        surface: &Tree::of(&triangles),
        winding,
        is_closed: false,
    };
    let corners = bake::corners(&lattice, &open);
    triangles.extend(caps(&lattice, &corners, &defects.places, &open));
    let closed = Sources {
        surface: &Tree::of(&triangles),
        winding,
        is_closed: true,
    };
    let corners = bake::measured_again(&lattice, &corners, closed.surface);
    bake::field(lattice, corners, &closed)
}

impl LevelSet<3> for MeshSolid {
    fn surface(&self, position: [f64; 3], _time: f64) -> Surface<3> {
        self.field.surface(Vector(position))
    }
    fn velocity(&self, position: [f64; 3], _time: f64) -> [f64; 3] {
        self.field.velocity(Vector(position))
    }
    fn thickness(&self) -> f64 {
        // Nothing is known of how thin its parts are.
        0.0
    }
    fn clearance(&self) -> f64 {
        0.0
    }
}

impl Region<3> for MeshSolid {
    fn bounds(&self) -> Option<Bounds<3>> {
        Some(self.bounds)
    }
    fn volume(&self) -> Option<f64> {
        self.volume
    }
}

/// A region of space where code is written for any dimension: only to be made where D is 3.
#[derive(Clone, Debug)]
pub(crate) struct InSpace<R>(pub Arc<R>);

/// The components of a vector in another dimension; what is missing is zero.
fn components<const A: usize, const B: usize>(x: [f64; A]) -> [f64; B] {
    std::array::from_fn(|a| x.get(a).copied().unwrap_or(0.0))
}

impl<R: Region<3>, const D: usize> LevelSet<D> for InSpace<R> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        let surface = self.0.surface(components(position), time);
        Surface {
            distance: surface.distance,
            normal: components(surface.normal),
        }
    }
    fn velocity(&self, position: [f64; D], time: f64) -> [f64; D] {
        components(self.0.velocity(components(position), time))
    }
    fn thickness(&self) -> f64 {
        self.0.thickness()
    }
    fn clearance(&self) -> f64 {
        self.0.clearance()
    }
}

impl<R: Region<3>, const D: usize> Region<D> for InSpace<R> {
    fn bounds(&self) -> Option<Bounds<D>> {
        self.0.bounds().map(|bounds| Bounds {
            min: components(bounds.min),
            max: components(bounds.max),
        })
    }
    fn volume(&self) -> Option<f64> {
        self.0.volume()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::mesh::samples;

    /// Places in a cube of half width 1.
    fn places() -> impl Iterator<Item = [f64; 3]> {
        (0..3000).map(|k| [0.31, 0.17, 0.23].map(|s| (f64::from(k) * s).sin()))
    }

    fn solid(mesh: &Mesh, resolution: f64) -> (MeshSolid, Vec<Warning>) {
        MeshSolid::new(mesh, resolution, "m.obj").unwrap()
    }

    #[test]
    fn a_sphere_has_the_distances_of_a_ball() {
        let (ball, warnings) = solid(&samples::sphere(5, 0.7), 0.02);
        assert_eq!(warnings, []);
        for x in places() {
            let surface = ball.surface(x, 0.0);
            let radius = Vector(x).norm();
            let exact = radius - 0.7;
            let near = exact.abs() < 0.06;
            let is_beyond = x.iter().any(|x| x.abs() > 0.7);
            // Facets sag by r (edge / r)² / 8 and interpolation by h² / 2 r. In the middle, where
            // there is a kink, distances are interpolated over half the diagonal of a cell; beyond
            // the grid they are at least what the grid tells.
            let is_right = match (near, is_beyond) {
                (true, _) => (surface.distance - exact).abs() < 2e-3,
                (false, false) => (surface.distance - exact).abs() < 0.07,
                (false, true) => (0.7 * exact..exact + 5e-3).contains(&surface.distance),
            };
            assert!(is_right, "{x:?} {surface:?}");
            let outward = Vector(surface.normal).dot(Vector(x)) / radius;
            assert!(!near || outward > 0.99, "{x:?} {outward}");
        }
        let exact = 4.0 / 3.0 * std::f64::consts::PI * 0.343;
        assert!((ball.volume.unwrap() / exact - 1.0).abs() < 2e-3);
        assert!((ball.bounds.max[0] - 0.7).abs() < 1e-12);
    }

    #[test]
    fn a_cube_has_its_distances_inside_and_far_outside() {
        let (cube, warnings) = solid(&samples::cube(), 0.05);
        assert_eq!(warnings, []);
        assert_eq!(cube.volume, Some(1.0));
        let at = |x| cube.surface(x, 0.0).distance;
        // In the middle there is a kink: interpolation takes half a cell, 0.1 m, and what it may be
        // too large by 4 h² / 0.4 m.
        assert!((at([0.5, 0.5, 0.5]) + 0.5).abs() < 0.13);
        assert!((at([0.5, 0.5, 0.93]) + 0.07).abs() < 1e-6);
        assert!((at([0.5, 1.08, 0.5]) - 0.08).abs() < 1e-6);
        let far = cube.surface([0.5, 0.5, 10.0], 0.0);
        assert!((8.6..9.01).contains(&far.distance) && far.normal[2] > 0.999);
        // Never too large, however far away.
        for x in places().map(|x| x.map(|x| 40.0 * x)) {
            let beyond = x.map(|x| (x - 0.5).abs() - 0.5).map(|x| x.max(0.0));
            let exact = Vector(beyond).norm();
            assert!(at(x) <= exact + 0.05, "{x:?}");
            assert!(exact == 0.0 || at(x) >= 0.8 * exact - 0.3, "{x:?}");
        }
    }

    #[test]
    fn a_holed_sphere_is_closed_and_the_warning_says_so() {
        let mesh = samples::holed_sphere(5, 0.7);
        let (ball, warnings) = solid(&mesh, 0.02);
        let [Warning::Open { edges, .. }] = warnings[..] else {
            panic!("{warnings:?}");
        };
        assert!(edges > 20);
        assert!(warnings[0].to_string().starts_with("m.obj is not closed: "));
        assert_eq!(ball.volume, None);
        for x in places() {
            let distance = ball.surface(x, 0.0).distance;
            let exact = Vector(x).norm() - 0.7;
            // Away from the hole as if it were not there.
            if x[2] < 0.5 && exact.abs() > 0.01 {
                assert_eq!(distance < 0.0, exact < 0.0, "{x:?}");
            }
            // The cap is a surface like any other: distances change as one moves, no faster.
            let step = [x[0], x[1], x[2] + 0.01];
            let change = ball.surface(step, 0.0).distance - distance;
            assert!(change.abs() < 0.01 * 3f64.sqrt() + 0.02, "{x:?} {change}");
        }
        assert!(ball.surface([0.0, 0.0, 0.75], 0.0).distance > 0.0);
        assert!(ball.surface([0.0, 0.0, 0.4], 0.0).distance < 0.0);
    }

    #[test]
    fn overlapping_spheres_are_their_union() {
        let (both, warnings) = solid(&samples::two_spheres(), 0.02);
        assert!(
            matches!(warnings[..], [Warning::SelfIntersecting { .. }]),
            "{warnings:?}"
        );
        assert_eq!(both.volume, None);
        for x in places() {
            let to = |middle: f64| (Vector(x) - Vector([middle, 0.0, 0.0])).norm() - 0.5;
            let exact = to(0.3).min(to(-0.3));
            if exact.abs() > 0.01 {
                assert_eq!(both.surface(x, 0.0).distance < 0.0, exact < 0.0, "{x:?}");
            }
        }
        // The buried parts of both surfaces are no surface: in the middle it is as far as to the
        // seam, √(0.5² − 0.3²).
        let middle = both.surface([0.0; 3], 0.0).distance;
        assert!((middle + 0.4).abs() < 0.08, "{middle}");
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let mesh = samples::two_spheres();
        let made = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let (made, warnings) = pool.build().unwrap().install(|| solid(&mesh, 0.03));
            let Field { corners, fine, .. } = made.field;
            let bits = |x: f32| x.to_bits();
            let fine: Vec<u32> = fine.concat().into_iter().map(bits).collect();
            let corners: Vec<u32> = corners.into_iter().map(bits).collect();
            (corners, fine, warnings)
        };
        assert!(made(1) == made(3));
    }

    #[test]
    fn a_surface_that_encloses_nothing_is_refused() {
        let mut sheet = samples::cube();
        sheet.triangles.truncate(2);
        let refused = MeshSolid::new(&sheet, 0.05, "m.obj").unwrap_err();
        assert!(refused.to_string().contains("encloses nothing"));
    }
}
