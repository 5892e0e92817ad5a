//! Meshes of a run as triangles, and rods as rows of balls.

use thixo_math::Vector;
use thixo_scene::{MeshTopology, Scene};

use super::columns::Frame;
use crate::draw::{Particles, Sheen, Triangles};
use crate::error::RenderError;
use crate::vector::Vec3;

/// Distance of the balls of a rod, in radii.
const BALL_DISTANCE: f32 = 0.5;
/// Balls of a line, at most.
const MOST_BALLS: f32 = 64.0;
/// Radius of lines without one, over the mean length of lines.
const LINE_RADIUS: f32 = 0.06;

/// A mesh as it is drawn.
#[derive(Clone, Debug)]
pub(super) struct DrawnMesh {
    object: usize,
    vertices: usize,
    triangles: Vec<[u32; 3]>,
    lines: Vec<[u32; 2]>,
    radius: Option<f64>,
}

impl DrawnMesh {
    /// The meshes of a scene.
    pub fn of(scene: &Scene) -> Result<Vec<Self>, RenderError> {
        let topologies = scene.mesh_topologies()?;
        let drawn = |topology: &MeshTopology| Self {
            object: topology.object,
            vertices: topology.vertices,
            triangles: topology.surface(),
            lines: topology.cells.lines.clone(),
            radius: topology.radius,
        };
        Ok(topologies.iter().map(drawn).collect())
    }

    /// Replaces the balls of the vertices of meshes by triangles and rods.
    pub fn dress(
        meshes: &[Self],
        frame: Frame<'_>,
        particles: &mut Particles,
    ) -> Result<(), RenderError> {
        if meshes.is_empty() {
            return Ok(());
        }
        let objects = frame.needed("object")?;
        let mut corners = Vec::new();
        let mut looks = Vec::new();
        for mesh in meshes {
            let is_own = |k: &u32| objects.get(*k as usize) == mesh.object as f64;
            let own: Vec<u32> = (0..frame.file.particles as u32).filter(is_own).collect();
            // A frame that others have changed shows the vertices as they are.
            if own.len() != mesh.vertices || own.is_empty() {
                continue;
            }
            let look = particles.looks[own[0] as usize];
            for &k in &own {
                particles.radii[k as usize] = 0.0;
            }
            corners.extend(mesh.triangles.iter().map(|t| t.map(|v| own[v as usize])));
            looks.resize(corners.len(), look);
            mesh.add_rods(&own, particles);
        }
        particles.triangles = Triangles::new(corners, looks, &particles.centers);
        Ok(())
    }

    /// Adds balls along the lines.
    fn add_rods(&self, own: &[u32], particles: &mut Particles) {
        let ends = self
            .lines
            .iter()
            .map(|line| line.map(|v| own[v as usize] as usize));
        let ends: Vec<[usize; 2]> = ends.collect();
        let length = |[i, j]: &[usize; 2]| (particles.centers[*i] - particles.centers[*j]).norm();
        let mean = ends.iter().map(length).sum::<f32>() / ends.len().max(1) as f32;
        let radius = self
            .radius
            .map_or(LINE_RADIUS * mean, |radius| radius as f32);
        for [i, j] in ends {
            let (from, to) = (particles.centers[i], particles.centers[j]);
            let length = (to - from).norm();
            let count = (length / (BALL_DISTANCE * radius))
                .ceil()
                .clamp(1.0, MOST_BALLS);
            for step in 0..=count as usize {
                let s = step as f32 / count;
                let center: Vec3 = from * (1.0 - s) + to * s;
                particles.centers.push(Vector(center.0));
                particles.radii.push(radius);
                particles.looks.push(particles.looks[i]);
                if !particles.sheens.is_empty() {
                    particles.sheens.push(Sheen::default());
                }
                if !particles.colors.is_empty() {
                    particles
                        .colors
                        .push(particles.colors[i] * (1.0 - s) + particles.colors[j] * s);
                }
            }
        }
    }
}
