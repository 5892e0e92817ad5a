//! The frames of a run as surfaces.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use thixo_math::Vector;
use thixo_scene::{FrameColumn, FrameFile, MeshTopology, PastRun};

use super::interpolate::{linear, mean, mean_vector};
use super::marching_cubes::Lattice;
use super::neighbors::Neighbors;
use super::particle_groups::{GroupBy, ParticleGroup, vectors};
use super::topology::Adjacency;
use super::{Attribute, Edges, Point, SurfaceError, SurfaceMesh, SurfaceOptions, normals, smooth};
use crate::error::RenderError;
use crate::frame_columns::needed;
use crate::look::of_material;
use crate::picture::from_srgb;
use crate::surroundings::upright;

/// Passes in which normals are averaged with those of their neighbours.
const NORMAL_PASSES: u32 = 2;

/// Vertices that a thread describes at a time.
const CHUNK: usize = 2048;

/// A run, and how its surfaces are made.
#[derive(Clone, Debug)]
pub struct SurfaceReconstruction {
    group_by: GroupBy,
    options: SurfaceOptions,
    groups: Vec<ParticleGroup>,
    /// Colours of the materials in linear light.
    looks: Vec<Point>,
    /// True for objects, meshes and emitters with colours of their own.
    colored: Vec<bool>,
    /// Meshes, which have a surface already.
    meshes: Vec<MeshTopology>,
    up: usize,
}

/// The surface of a group of a frame.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ReconstructedSurface {
    /// The surface; empty without particles.
    pub surface: SurfaceMesh,
    /// Particles within it.
    pub particles: usize,
    /// Particles that are too far away from all others to be meshed with them.
    pub left_out: usize,
    /// Half the distance of particles \[m\]; zero without any.
    pub radius: f64,
    /// Its edges, from which it follows whether it is watertight.
    pub edges: Edges,
}

impl SurfaceReconstruction {
    /// Looks at a run; its frames are not opened yet.
    pub fn new(
        run: &PastRun,
        group_by: GroupBy,
        options: SurfaceOptions,
    ) -> Result<Self, SurfaceError> {
        options.check()?;
        let record = run.record()?;
        if record.dimension != 3 {
            let path = run.path().to_owned();
            return Err(SurfaceError::Plane { path });
        }
        let mut scene = run.scene()?;
        let mut meshes = Vec::new();
        if !scene.meshes.is_empty() && group_by == GroupBy::Object {
            scene = run.scene_with_files()?;
            meshes = scene.mesh_topologies().map_err(RenderError::from)?;
        }
        let look = |index| of_material(&scene, index).color.0.map(f64::from);
        let objects = scene.objects.iter();
        let objects = objects.map(|o| o.color.is_some() || !o.colors.is_empty());
        let emitters = scene.emitters.iter();
        let emitters = emitters.map(|e| e.color.is_some() || !e.colors.is_empty());
        Ok(Self {
            group_by,
            options,
            groups: group_by.groups(&record),
            looks: (0..scene.materials.len())
                .map(|k| Vector(look(k)))
                .collect(),
            colored: {
                let of_meshes = scene.meshes.iter().map(|mesh| mesh.color.is_some());
                objects.chain(of_meshes).chain(emitters).collect()
            },
            meshes,
            up: upright(&scene),
        })
    }

    /// Groups with a surface of their own. The last may be empty in every frame: particles that
    /// belong to no other.
    pub fn groups(&self) -> &[ParticleGroup] {
        &self.groups
    }

    /// The axis that points upwards.
    pub fn up(&self) -> usize {
        self.up
    }

    /// The surfaces of a frame, one for each of the [groups](Self::groups). Each is handed on
    /// before the next is made. `path` is what messages call the frame.
    pub fn frame<E: From<SurfaceError>>(
        &self,
        frame: &FrameFile,
        path: &Path,
        mut done: impl FnMut(usize, ReconstructedSurface) -> Result<(), E>,
    ) -> Result<(), E> {
        let matter = FrameColumns::of(self, frame, path)?;
        let members = self.group_by.members(frame, path, self.groups.len())?;
        for (group, members) in members.iter().enumerate() {
            done(group, self.made(&matter, members, group)?)?;
        }
        Ok(())
    }

    fn made(
        &self,
        matter: &FrameColumns<'_>,
        members: &[u32],
        group: usize,
    ) -> Result<ReconstructedSurface, SurfaceError> {
        if members.is_empty() {
            return Ok(ReconstructedSurface::default());
        }
        let own = self.meshes.iter().find(|mesh| mesh.object == group);
        let own = own.filter(|mesh| mesh.vertices == members.len());
        if let Some(triangles) = own.map(MeshTopology::surface).filter(|t| !t.is_empty()) {
            return Ok(matter.of_mesh(members, triangles));
        }
        let options = &self.options;
        let group = self.groups[group].in_words();
        let radius = match options.radius {
            Some(radius) => radius,
            None => matter.radius(members, group)?,
        };
        let of = |k: &u32| matter.positions[*k as usize];
        let positions: Vec<Point> = members.iter().map(of).collect();
        let lattice = Lattice::new(&positions, radius, options);
        let kept = |k: &&u32| lattice.holds(of(k), options);
        let members: Vec<u32> = members.iter().filter(kept).copied().collect();
        let left_out = positions.len() - members.len();
        let positions: Vec<Point> = members.iter().map(of).collect();
        let failed = |message| SurfaceError::Reconstruction {
            path: matter.path.to_owned(),
            group: group.to_owned(),
            message,
        };
        let (mut vertices, corners) = lattice.triangulate(&positions, options).map_err(failed)?;
        let Some(triangles) = narrow(&corners, vertices.len()) else {
            return Err(SurfaceError::TooLarge {
                path: matter.path.to_owned(),
                group: group.to_owned(),
                vertices: vertices.len(),
            });
        };
        drop(corners);
        let edges = Edges::of(&triangles);
        let reach = options.support() * radius;
        let neighbors = Neighbors::new(&positions, reach);
        let around = Adjacency::triangles_of_vertices(vertices.len(), &triangles);
        let next_to = around.vertices_of_vertices(&triangles);
        if options.smoothing > 0 {
            let crowding = smooth::crowding(&positions, &neighbors);
            let freedom = smooth::freedom(&vertices, &neighbors, &crowding, options.support());
            smooth::smooth(&mut vertices, &next_to, &freedom, options.smoothing);
        }
        let normals = normals::normals(&vertices, &triangles, &around, &next_to, NORMAL_PASSES);
        let mut surface = SurfaceMesh {
            positions: vertices,
            triangles,
            normals,
            ..SurfaceMesh::default()
        };
        matter.describe(&mut surface, &members, &neighbors, reach);
        Ok(ReconstructedSurface {
            surface,
            particles: members.len(),
            left_out,
            radius,
            edges,
        })
    }
}

/// Corners as short indices, unless there are too many vertices: files count them with the numbers
/// of a signed `int`.
fn narrow(corners: &[[usize; 3]], vertices: usize) -> Option<Vec<[u32; 3]>> {
    i32::try_from(vertices).ok()?;
    let narrow = |corners: &[usize; 3]| corners.map(|corner| corner as u32);
    Some(corners.par_iter().map(narrow).collect())
}

/// Columns of a frame that a surface needs.
struct FrameColumns<'a> {
    path: PathBuf,
    positions: Vec<Point>,
    velocities: Vec<Point>,
    colors: Vec<Point>,
    volumes: FrameColumn<'a>,
    /// Volume over that at rest.
    ratios: Option<FrameColumn<'a>>,
    /// Columns by name; none for the speed, which is that of the velocity.
    columns: Vec<(String, Option<FrameColumn<'a>>)>,
}

/// Columns that surfaces have anyway.
const ALWAYS: [&str; 6] = ["x", "y", "z", "vx", "vy", "vz"];

impl<'a> FrameColumns<'a> {
    fn of(
        reconstruction: &SurfaceReconstruction,
        frame: &'a FrameFile,
        path: &Path,
    ) -> Result<Self, SurfaceError> {
        let mut columns: Vec<(String, Option<FrameColumn<'a>>)> = Vec::new();
        for name in &reconstruction.options.attributes {
            let is_there = columns.iter().any(|(own, _)| own == name);
            if is_there || ALWAYS.contains(&name.as_str()) {
                continue;
            }
            let column = match name.as_str() {
                "speed" => None,
                name => Some(needed(frame, path, name)?),
            };
            columns.push((name.clone(), column));
        }
        Ok(Self {
            path: path.to_owned(),
            positions: vectors(frame, path, ["x", "y", "z"])?,
            velocities: vectors(frame, path, ["vx", "vy", "vz"])?,
            colors: reconstruction.colors(frame),
            volumes: needed(frame, path, "volume")?,
            ratios: frame.column("j"),
            columns,
        })
    }

    /// The surface of a mesh: its own triangles, with what its particles have.
    fn of_mesh(&self, members: &[u32], triangles: Vec<[u32; 3]>) -> ReconstructedSurface {
        let of =
            |all: &[Point]| -> Vec<Point> { members.iter().map(|k| all[*k as usize]).collect() };
        let positions = of(&self.positions);
        let around = Adjacency::triangles_of_vertices(positions.len(), &triangles);
        let normals = normals::normals(&positions, &triangles, &around, &Adjacency::default(), 0);
        let velocities = of(&self.velocities);
        let attribute = |(name, column): &(String, Option<FrameColumn<'a>>)| Attribute {
            name: name.clone(),
            values: match column {
                Some(column) => members.iter().map(|k| column.get(*k as usize)).collect(),
                None => velocities.iter().map(|v| v.norm()).collect(),
            },
        };
        let attributes = self.columns.iter().map(attribute).collect();
        ReconstructedSurface {
            particles: members.len(),
            edges: Edges::of(&triangles),
            surface: SurfaceMesh {
                positions,
                normals,
                colors: of(&self.colors),
                velocities,
                attributes,
                triangles,
            },
            ..ReconstructedSurface::default()
        }
    }

    /// Half the edge of a cube of the median rest volume \[m\], to four digits: rounding in frames
    /// must not move the lattice.
    fn radius(&self, members: &[u32], group: &str) -> Result<f64, SurfaceError> {
        let rest = |k: &u32| {
            let k = *k as usize;
            let ratio = self.ratios.map_or(1.0, |ratios| ratios.get(k));
            let ratio = if ratio > 0.0 && ratio.is_finite() {
                ratio
            } else {
                1.0
            };
            self.volumes.get(k) / ratio
        };
        let mut volumes: Vec<f64> = members.iter().map(rest).filter(|v| v.is_finite()).collect();
        let half = volumes.len() / 2;
        let volume = if volumes.is_empty() {
            f64::NAN
        } else {
            *volumes.select_nth_unstable_by(half, f64::total_cmp).1
        };
        let radius = 0.5 * volume.cbrt();
        if !(radius > 1e-12 && radius < 1e12) {
            return Err(SurfaceError::NoRadius {
                path: self.path.clone(),
                group: group.to_owned(),
                volume,
            });
        }
        let digit = 10f64.powi(radius.log10().floor() as i32 - 3);
        Ok((radius / digit).round() * digit)
    }

    /// Finds velocity, colour and columns at the vertices.
    fn describe(
        &self,
        surface: &mut SurfaceMesh,
        members: &[u32],
        neighbors: &Neighbors,
        reach: f64,
    ) {
        fn own<T: Copy>(members: &[u32], all: &[T]) -> Vec<T> {
            members.iter().map(|k| all[*k as usize]).collect()
        }
        let velocities = own(members, &self.velocities);
        let colors = own(members, &self.colors);
        let own_column = |column: &Option<FrameColumn<'_>>| {
            let numbers =
                |all: FrameColumn<'_>| members.iter().map(|k| all.get(*k as usize)).collect();
            column.map(numbers)
        };
        let columns: Vec<Option<Vec<f64>>> =
            self.columns.iter().map(|(_, c)| own_column(c)).collect();
        // Velocity, colour, and columns one after the other, of some vertices.
        let of_some = |places: &[Point]| {
            let mut found = (Vec::new(), Vec::new(), vec![Vec::new(); columns.len()]);
            let mut near = Vec::new();
            for x in places {
                neighbors.near(*x, &mut near);
                let velocity = linear(&near, &velocities, reach);
                for (column, to) in columns.iter().zip(&mut found.2) {
                    to.push(match column {
                        Some(values) => mean(&near, values),
                        None => velocity.norm(),
                    });
                }
                found.0.push(velocity);
                found.1.push(mean_vector(&near, &colors));
            }
            found
        };
        let found: Vec<_> = surface.positions.par_chunks(CHUNK).map(of_some).collect();
        surface.velocities = found.iter().flat_map(|f| f.0.iter().copied()).collect();
        surface.colors = found.iter().flat_map(|f| f.1.iter().copied()).collect();
        let attribute = |(k, (name, _)): (usize, &(String, _))| Attribute {
            name: name.clone(),
            values: found.iter().flat_map(|f| f.2[k].iter().copied()).collect(),
        };
        surface.attributes = self.columns.iter().enumerate().map(attribute).collect();
    }
}

impl SurfaceReconstruction {
    /// Colours of particles in linear light: their own where the scene gives some, or else that of
    /// their material.
    fn colors(&self, frame: &FrameFile) -> Vec<Point> {
        let number = |column: Option<FrameColumn<'_>>, k: usize| match column {
            Some(column) if column.get(k) >= 0.0 => column.get(k) as usize,
            _ => usize::MAX,
        };
        let [objects, materials] = ["object", "material"].map(|name| frame.column(name));
        let own = ["red", "green", "blue"].map(|name| frame.column(name));
        let color = |k: usize| {
            let is_colored = self.colored.get(number(objects, k)) == Some(&true);
            if let ([Some(r), Some(g), Some(b)], true) = (own, is_colored) {
                let bytes = [r, g, b].map(|c| c.get(k)).map(|x| x as u8);
                return Vector(from_srgb(bytes).0.map(f64::from));
            }
            let look = self.looks.get(number(materials, k));
            look.copied().unwrap_or(Vector([0.5; 3]))
        };
        (0..frame.particles).map(color).collect()
    }
}

#[cfg(test)]
mod tests;
