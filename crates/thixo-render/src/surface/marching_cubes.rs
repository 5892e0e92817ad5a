//! Marching cubes: from particles to triangles, on a lattice that stays where it is.

use rayon::prelude::*;
use splashsurf_lib::nalgebra::Vector3;
use splashsurf_lib::{
    GridDecompositionParameters, Parameters, SpatialDecomposition, reconstruct_surface,
};
use thixo_math::Vector;

use super::{Point, SurfaceOptions};

/// Most cubes from the middle of the matter to a particle along an axis: what is further away is
/// left out.
const MOST_CUBES: f64 = (1 << 19) as f64;
/// Cubes along an edge of the blocks that are worked on at a time.
const BLOCK: u32 = 64;

/// Vertices \[m\] and triangles.
pub type Triangles = (Vec<Point>, Vec<[usize; 3]>);

/// Particles in radii from a corner of the lattice, so that neither their place nor their size
/// costs digits.
#[derive(Clone, Debug)]
pub struct Lattice {
    radius: f64,
    corner: Point,
}

impl Lattice {
    /// A lattice for particles of a radius \[m\], of which there is at least one.
    pub fn new(positions: &[Point], radius: f64, options: &SurfaceOptions) -> Self {
        let middle = |a: usize| {
            let mut all: Vec<f64> = positions.iter().map(|x| x[a]).collect();
            let half = all.len() / 2;
            *all.select_nth_unstable_by(half, f64::total_cmp).1
        };
        let cube = options.cube_size * radius;
        let on_lattice = |a: usize| (middle(a) / cube).floor() * cube;
        Self {
            radius,
            corner: Vector([on_lattice(0), on_lattice(1), on_lattice(2)]),
        }
    }

    /// True if a particle is near enough to belong to the surface.
    pub fn holds(&self, x: Point, options: &SurfaceOptions) -> bool {
        let most = MOST_CUBES * options.cube_size * self.radius;
        (0..3).all(|a| (x[a] - self.corner[a]).abs() < most)
    }

    /// The surface around particles that it [holds](Self::holds), in an order that depends on
    /// nothing but them; or what the library says.
    pub fn triangulate(
        &self,
        positions: &[Point],
        options: &SurfaceOptions,
    ) -> Result<Triangles, String> {
        let local = |x: &Point| {
            let [x, y, z] = ((*x - self.corner) * (1.0 / self.radius)).0;
            Vector3::new(x, y, z)
        };
        let local: Vec<Vector3<f64>> = positions.par_iter().map(local).collect();
        let mut parameters = Parameters::new(1.0, options.support(), options.cube_size);
        parameters.iso_surface_threshold = options.threshold;
        // Its vector code rounds differently at the edges of blocks, which can tear the surface
        // there.
        parameters.enable_simd = false;
        parameters.spatial_decomposition =
            SpatialDecomposition::UniformGrid(GridDecompositionParameters {
                subdomain_num_cubes_per_dim: BLOCK,
                auto_disable: false,
            });
        let found = reconstruct_surface::<i64, f64>(&local, &parameters);
        let mesh = found.map_err(|error| in_full(&error))?.mesh;
        let (vertices, triangles) = in_order(&mesh.vertices, mesh.triangles);
        let global = |x: &Vector3<f64>| Vector([x.x, x.y, x.z]) * self.radius + self.corner;
        Ok((vertices.par_iter().map(global).collect(), triangles))
    }
}

/// An error and its causes.
fn in_full(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// Vertices by their place and triangles by their corners: blocks are done in the order in which
/// threads come to them.
fn in_order(
    vertices: &[Vector3<f64>],
    mut triangles: Vec<[usize; 3]>,
) -> (Vec<Vector3<f64>>, Vec<[usize; 3]>) {
    let mut order: Vec<usize> = (0..vertices.len()).collect();
    order.par_sort_unstable_by(|a, b| {
        let by = |k: usize| vertices[*a][k].total_cmp(&vertices[*b][k]);
        by(0).then(by(1)).then(by(2))
    });
    let mut rank = vec![0; vertices.len()];
    for (new, old) in order.iter().enumerate() {
        rank[*old] = new;
    }
    triangles.par_iter_mut().for_each(|triangle| {
        let [a, b, c] = triangle.map(|k| rank[k]);
        *triangle = match a.min(b).min(c) {
            least if least == a => [a, b, c],
            least if least == b => [b, c, a],
            _ => [c, a, b],
        };
    });
    triangles.par_sort_unstable();
    (order.iter().map(|k| vertices[*k]).collect(), triangles)
}
