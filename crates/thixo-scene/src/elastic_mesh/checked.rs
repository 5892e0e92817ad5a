//! From `[[meshes]]` to meshes of the engine.

use std::sync::Arc;

use thixo::lagrangian::{Fabric, Solid, Spring};
use thixo::{BuildError, Mesh, MeshDefect};

use super::body::{self, MOST_CELLS};
use super::form::{self, Elements, Form, MOST_ALONG};
use super::{Copies, ElasticMesh, Hold, MeshForm, file};
use crate::error::SceneError;
use crate::expression::Scratch;
use crate::initial_velocity::InitialVelocity;
use crate::points;
use crate::scene::Scene;
use crate::shape::Shape;

/// The most copies of a rod.
const MOST_COPIES: usize = 1_000_000;

/// A mesh before it is part of a simulation.
#[derive(Debug)]
pub(crate) struct CheckedMesh<const D: usize> {
    pub mesh: Mesh<D>,
    /// Velocities of its vertices \[m/s\].
    pub velocities: Vec<[f64; D]>,
}

impl Scene {
    /// All meshes, made.
    pub(crate) fn checked_meshes<const D: usize>(&self) -> Result<Vec<CheckedMesh<D>>, SceneError> {
        let meshes = self.meshes.iter().enumerate();
        meshes
            .map(|(index, mesh)| self.checked_mesh(&format!("meshes[{index}]"), index, mesh))
            .collect()
    }

    fn checked_mesh<const D: usize>(
        &self,
        key: &str,
        index: usize,
        mesh: &ElasticMesh,
    ) -> Result<CheckedMesh<D>, SceneError> {
        let form = self.mesh_form::<D>(&format!("{key}.shape"), &mesh.shape)?;
        if form.positions.is_empty() {
            let range = "a shape with room for an element; use a smaller spacing";
            return Err(self.out_of_range(&format!("{key}.shape"), "too small", range));
        }
        let name = mesh.name_or_default(index);
        let refused = |defect: MeshDefect| self.refused_mesh(key, &name, defect);
        let mut made = self.made(key, &name, mesh, &form)?;
        made = made.with_damping(mesh.damping).map_err(refused)?;
        for (k, hold) in mesh.hold.iter().enumerate() {
            made = self.held(&format!("{key}.hold[{k}]"), (key, &name), made, hold)?;
        }
        if let Some(pressure) = &mesh.pressure {
            let key = format!("{key}.pressure");
            let pressure = self.expression(&key, pressure, &["t", "j"])?;
            let inside = move |ratio: f64, time: f64| pressure.evaluate(&[time, ratio]);
            made = made.with_pressure(inside).map_err(refused)?;
        }
        let variables = points::place_and_local::<D>();
        let velocity_key = format!("{key}.velocity");
        let velocity = self.vector_expression_or_zero(&velocity_key, &mesh.velocity, &variables)?;
        let middle = middle(&form.positions);
        let velocity = InitialVelocity::new(key, velocity, [[0.0; D]; D], middle);
        let mut scratch = Scratch::default();
        let velocities = velocity.velocities(self, &form.positions, &mut scratch)?;
        Ok(CheckedMesh {
            mesh: made,
            velocities,
        })
    }

    /// The mesh of a form.
    fn made<const D: usize>(
        &self,
        key: &str,
        name: &str,
        mesh: &ElasticMesh,
        form: &Form<D>,
    ) -> Result<Mesh<D>, SceneError> {
        let positions = &form.positions[..];
        let law = mesh.law.into();
        let needed = |value: Option<f64>, own: &str| value.ok_or_else(|| self.missing(key, own));
        let solid = || -> Result<Solid, SceneError> {
            let young = needed(mesh.young_modulus, "young_modulus")?;
            Ok(Solid::new(mesh.density, young, mesh.poisson_ratio).with_law(law))
        };
        let made = match &form.elements {
            Elements::Cloth(triangles) => {
                let thickness = needed(mesh.thickness, "thickness")?;
                let young = needed(mesh.young_modulus, "young_modulus")?;
                let fabric = Fabric::new(thickness, mesh.density, young)
                    .with_poisson_ratio(mesh.poisson_ratio)
                    .with_bending(mesh.bending)
                    .with_law(law);
                Mesh::cloth(name, positions, triangles, fabric)
            }
            Elements::Rods(rows) => {
                let radius = needed(mesh.radius, "radius")?;
                Mesh::rods(name, positions, rows, radius, solid()?)
            }
            Elements::Tetrahedra(tetrahedra) => {
                Mesh::tetrahedra(name, positions, tetrahedra, solid()?)
            }
            Elements::Triangles(triangles) => Mesh::triangles(name, positions, triangles, solid()?),
            Elements::Springs {
                ends,
                stiffness,
                volume,
            } => {
                if !(mesh.density > 0.0 && mesh.density.is_finite()) {
                    let key = format!("{key}.density");
                    let range = "positive and finite";
                    return Err(self.number_out_of_range(&key, mesh.density, range));
                }
                let springs = ends.iter().map(|&[i, j]| {
                    let (x, y) = (positions[i as usize], positions[j as usize]);
                    let squared: f64 = (0..D).map(|a| (x[a] - y[a]).powi(2)).sum();
                    Spring::new([i, j], *stiffness, squared.sqrt())
                });
                let springs: Vec<Spring> = springs.collect();
                let volumes = vec![*volume; positions.len()];
                let masses = vec![*volume * mesh.density; positions.len()];
                Mesh::springs(name, positions, (&masses, &volumes), &springs)
            }
        };
        made.map_err(|defect| self.refused_mesh(key, name, defect))
    }

    /// A defect of a mesh, with the key it comes from.
    fn refused_mesh(&self, key: &str, name: &str, defect: MeshDefect) -> SceneError {
        let key = match &defect {
            MeshDefect::OutOfRange { key: own, .. } if *own == "stiffness" => {
                format!("{key}.shape.springs.stiffness")
            }
            MeshDefect::OutOfRange { key: own, .. } => format!("{key}.{own}"),
            MeshDefect::NotClosed { .. } | MeshDefect::MixedWinding { .. } => {
                format!("{key}.pressure")
            }
            _ => format!("{key}.shape"),
        };
        let name = name.to_owned();
        self.refused(&key, BuildError::Mesh { name, defect })
    }

    /// Holds the vertices in a region.
    fn held<const D: usize>(
        &self,
        key: &str,
        (mesh_key, name): (&str, &str),
        mesh: Mesh<D>,
        hold: &Hold,
    ) -> Result<Mesh<D>, SceneError> {
        let region_key = format!("{key}.region");
        let region = self.region::<D>(&region_key, &hold.region)?;
        let is_in = |x: &[f64; D]| region.surface(*x, 0.0).distance <= 1e-9 * self.grid.spacing;
        let vertices: Vec<u32> = (0u32..)
            .zip(mesh.start())
            .filter_map(|(vertex, x)| is_in(x).then_some(vertex))
            .collect();
        if vertices.is_empty() {
            let range = "a region with a vertex of the mesh in it at the start";
            return Err(self.out_of_range(&region_key, "elsewhere", range));
        }
        let place = match hold.translation.is_empty() {
            true => None,
            false => {
                let key = format!("{key}.translation");
                let translation = self.vector_expression::<D>(&key, &hold.translation, &["t"])?;
                for (a, component) in translation.components().iter().enumerate() {
                    self.check_over_time(&format!("{key}[{a}]"), component)?;
                }
                let place = move |x: [f64; D], time: f64| {
                    let moved = translation.evaluate(&[time]);
                    core::array::from_fn(|a| x[a] + moved[a])
                };
                Some(Arc::new(place) as thixo::lagrangian::Place<D>)
            }
        };
        mesh.hold(&vertices, place)
            .map_err(|defect| self.refused_mesh(mesh_key, name, defect))
    }

    /// Vertices and elements of a shape.
    fn mesh_form<const D: usize>(&self, key: &str, form: &MeshForm) -> Result<Form<D>, SceneError> {
        let half = 0.5 * self.grid.spacing;
        match form {
            MeshForm::Cloth {
                corner,
                edges,
                spacing,
            } => {
                let key = format!("{key}.cloth");
                let corner = self.vector::<D>(&format!("{key}.corner"), corner)?;
                let [first, second] = edges;
                let edges_key = format!("{key}.edges");
                let edges = [
                    self.vector::<D>(&format!("{edges_key}[0]"), first)?,
                    self.vector::<D>(&format!("{edges_key}[1]"), second)?,
                ];
                let spacing = self.mesh_spacing(&key, *spacing, half, &edges)?;
                Ok(form::sheet(corner, edges, spacing))
            }
            MeshForm::Rod {
                start,
                end,
                spacing,
                copies,
            } => {
                let key = format!("{key}.rod");
                let start = self.vector::<D>(&format!("{key}.start"), start)?;
                let end = self.vector::<D>(&format!("{key}.end"), end)?;
                let length: [f64; D] = core::array::from_fn(|a| end[a] - start[a]);
                let spacing = self.mesh_spacing(&key, *spacing, half, &[length])?;
                let copies = self.copies::<D>(&key, copies)?;
                Ok(form::rods([start, end], spacing, &copies))
            }
            MeshForm::Springs {
                min,
                max,
                spacing,
                stiffness,
            } => {
                let key = format!("{key}.springs");
                let min = self.vector::<D>(&format!("{key}.min"), min)?;
                let max = self.vector::<D>(&format!("{key}.max"), max)?;
                let edges: [[f64; D]; D] = core::array::from_fn(|a| {
                    let mut edge = [0.0; D];
                    edge[a] = max[a] - min[a];
                    edge
                });
                if let Some(a) = (0..D).find(|&a| max[a] <= min[a]) {
                    let range = format!("above {}, that of min", min[a]);
                    return Err(self.number_out_of_range(
                        &format!("{key}.max[{a}]"),
                        max[a],
                        range,
                    ));
                }
                let spacing = self.mesh_spacing(&key, *spacing, half, &edges)?;
                Ok(form::springs([min, max], spacing, *stiffness))
            }
            MeshForm::Body { shape, spacing } => {
                let key = format!("{key}.body");
                self.body(&key, shape, spacing.unwrap_or(self.grid.spacing))
            }
            MeshForm::Skin { shape, spacing } => {
                let key = format!("{key}.skin");
                if D != 3 {
                    let range = "another shape in dimension 2";
                    return Err(self.out_of_range(&key, "a skin", range));
                }
                let spacing = spacing.unwrap_or(0.75 * self.grid.spacing);
                Ok(body::skin(self.body(&key, shape, spacing)?))
            }
            MeshForm::File {
                file,
                scale,
                translation,
            } => {
                let key = format!("{key}.file");
                self.file_form(&key, file, *scale, translation)
            }
        }
    }

    /// A spacing that divides edges into a possible number of parts.
    fn mesh_spacing<const D: usize>(
        &self,
        key: &str,
        given: Option<f64>,
        default: f64,
        edges: &[[f64; D]],
    ) -> Result<f64, SceneError> {
        let spacing = given.unwrap_or(default);
        let key = format!("{key}.spacing");
        if !(spacing > 0.0 && spacing.is_finite()) {
            return Err(self.number_out_of_range(&key, spacing, "positive and finite"));
        }
        let mut total = 1.0;
        for edge in edges {
            let length = edge.iter().map(|x| x * x).sum::<f64>().sqrt();
            let along = length / spacing;
            total *= along + 1.0;
            if !(along <= MOST_ALONG && total <= MOST_CELLS) {
                let range = "large enough for at most 1e5 vertices along an edge and 1e7 in all";
                return Err(self.number_out_of_range(&key, spacing, range));
            }
        }
        Ok(spacing)
    }

    /// Displacements of all copies, the first of which is none.
    fn copies<const D: usize>(
        &self,
        key: &str,
        copies: &[Copies],
    ) -> Result<Vec<[f64; D]>, SceneError> {
        let mut all = vec![[0.0; D]];
        for (k, row) in copies.iter().enumerate() {
            let key = format!("{key}.copies[{k}]");
            let step = self.vector::<D>(&format!("{key}.step"), &row.step)?;
            let count = row.count as usize;
            if !(1..=10_000).contains(&count) || all.len() * count > MOST_COPIES {
                let range = "1 to 10 000, and at most 1e6 rods in all";
                return Err(self.out_of_range(&format!("{key}.count"), count, range));
            }
            let before = all.clone();
            for number in 1..count {
                let moved = before
                    .iter()
                    .map(|x| core::array::from_fn(|a| x[a] + number as f64 * step[a]));
                all.extend(moved);
            }
        }
        Ok(all)
    }

    fn body<const D: usize>(
        &self,
        key: &str,
        shape: &Shape,
        spacing: f64,
    ) -> Result<Form<D>, SceneError> {
        let shape_key = format!("{key}.shape");
        let region = self.region::<D>(&shape_key, shape)?;
        let Some(bounds) = region.bounds() else {
            let range = "a shape with an end: intersect it with a box";
            return Err(self.out_of_range(&shape_key, "without end", range));
        };
        let edges: [[f64; D]; D] = core::array::from_fn(|a| {
            let mut edge = [0.0; D];
            edge[a] = bounds.max[a] - bounds.min[a];
            edge
        });
        let spacing = self.mesh_spacing(key, Some(spacing), spacing, &edges)?;
        Ok(body::body(&region, spacing))
    }

    fn file_form<const D: usize>(
        &self,
        key: &str,
        file: &str,
        scale: f64,
        translation: &[f64],
    ) -> Result<Form<D>, SceneError> {
        if D != 3 {
            let range = "another shape in dimension 2";
            return Err(self.out_of_range(key, "a file", range));
        }
        if !(scale > 0.0 && scale.is_finite()) {
            let range = "positive and finite";
            return Err(self.number_out_of_range(&format!("{key}.scale"), scale, range));
        }
        let translation = self.vector_or_zero::<D>(&format!("{key}.translation"), translation)?;
        let path = self.asset_path(file);
        let (mut form, sum) = file::read::<D>(&path)
            .map_err(|cause| self.refused_asset(&format!("{key}.file"), file, cause))?;
        self.assets.lock().sums.insert(path, sum);
        for x in &mut form.positions {
            for a in 0..D {
                x[a] = scale * x[a] + translation[a];
            }
        }
        Ok(form)
    }
}

/// The middle of the box around points \[m\].
fn middle<const D: usize>(points: &[[f64; D]]) -> [f64; D] {
    core::array::from_fn(|a| {
        let values = points.iter().map(|x| x[a]);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        });
        0.5 * (low + high)
    })
}
