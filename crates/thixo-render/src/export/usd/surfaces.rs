//! The surfaces of a run as meshes that change over time.

use std::io;
use std::path::Path;

use thixo_scene::{AtomicFile, Scene};

use super::crate_file::{Attribute, CrateFile, Prim};
use super::{Animated, Stage, create, extent, prim_names};
use crate::surface::{ParticleGroup, Point, SurfaceMesh};

/// A file that surfaces are added to, frame after frame.
#[derive(Debug)]
pub struct SurfaceAnimation {
    file: CrateFile<AtomicFile>,
    stage: Stage,
    /// Name, values and whether it has ever had a triangle, of every group.
    meshes: Vec<(String, Animated, bool)>,
    frames: Vec<f64>,
}

impl SurfaceAnimation {
    /// Begins a file for the groups of a scene whose upward axis is `up`.
    pub fn create(
        path: &Path,
        scene: &Scene,
        up: usize,
        groups: &[ParticleGroup],
    ) -> io::Result<Self> {
        let names = prim_names(groups).into_iter();
        Ok(Self {
            file: create(path)?,
            stage: Stage::of(scene, up),
            meshes: names
                .map(|name| (name, Animated::default(), false))
                .collect(),
            frames: Vec::new(),
        })
    }

    /// Adds the surface of a group in a frame. Frames rise, and in each every group has a surface,
    /// which may be empty.
    pub fn add(&mut self, frame: u32, group: usize, surface: &SurfaceMesh) -> io::Result<()> {
        let frame = f64::from(frame);
        if self.frames.last() != Some(&frame) {
            self.frames.push(frame);
        }
        let turned = |vectors: &[Point]| -> Vec<[f32; 3]> {
            vectors
                .iter()
                .map(|vector| self.stage.turned(*vector))
                .collect()
        };
        let file = &mut self.file;
        let (_, mesh, is_seen) = &mut self.meshes[group];
        *is_seen |= !surface.triangles.is_empty();
        let points = turned(&surface.positions);
        let corners = surface.triangles.as_flattened();
        let corners: Vec<i32> = corners.iter().map(|corner| *corner as i32).collect();
        let counts = vec![3; surface.triangles.len()];
        let colors: Vec<[f32; 3]> = surface
            .colors
            .iter()
            .map(|color| color.0.map(|x| x as f32))
            .collect();
        let vertex = Some("vertex");
        mesh.push(
            "extent",
            "float3[]",
            None,
            file.vectors(&extent(&points, 0.0))?,
        );
        mesh.push("points", "point3f[]", None, file.vectors(&points)?);
        mesh.push("faceVertexCounts", "int[]", None, file.integers(&counts)?);
        mesh.push("faceVertexIndices", "int[]", None, file.integers(&corners)?);
        let normals = file.vectors(&turned(&surface.normals))?;
        mesh.push("normals", "normal3f[]", vertex, normals);
        let velocities = file.vectors(&turned(&surface.velocities))?;
        mesh.push("velocities", "vector3f[]", None, velocities);
        mesh.push(
            "primvars:displayColor",
            "color3f[]",
            vertex,
            file.vectors(&colors)?,
        );
        for attribute in &surface.attributes {
            let name = format!("primvars:{}", attribute.name);
            let values: Vec<f32> = attribute.values.iter().map(|x| *x as f32).collect();
            mesh.push(&name, "float[]", vertex, file.floats(&values)?);
        }
        Ok(())
    }

    /// Writes the rest. Groups that never had a surface are left out.
    pub fn finish(mut self) -> io::Result<()> {
        let mut prims = Vec::new();
        for (name, mesh, is_seen) in self.meshes {
            if !is_seen {
                continue;
            }
            let mut attributes = mesh.finish(&mut self.file, &self.frames)?;
            attributes.push(Attribute {
                name: "subdivisionScheme".to_owned(),
                kind: "token",
                is_uniform: true,
                interpolation: None,
                default: Some(self.file.token("none")),
                samples: None,
            });
            prims.push(Prim {
                name,
                schema: "Mesh",
                attributes,
                children: Vec::new(),
            });
        }
        self.stage.finish(self.file, &self.frames, prims)
    }
}
