//! The particles of a run as points that move over time.

use std::path::{Path, PathBuf};

use thixo_math::Vector;
use thixo_scene::{FrameFile, PastRun, Scene};

use super::crate_file::Prim;
use super::{Animated, Stage, create, extent, prim_names};
use crate::export::ExportError;
use crate::frame_columns::needed;
use crate::look::of_material;
use crate::run_renderer::Frame;
use crate::surface::{GroupBy, Point, particle_vectors};
use crate::surroundings::upright;

/// Choices about particles.
#[derive(Clone, Debug, Default)]
pub struct ParticleOptions {
    /// What becomes a prim of its own.
    pub group_by: GroupBy,
    /// Numbers of particles besides velocity, width and colour: `speed`, or columns of the frames.
    pub attributes: Vec<String>,
}

/// Writes the frames of a run. `done` is told the number of each that is written.
pub fn write_particles(
    path: &Path,
    run: &PastRun,
    frames: &[(u32, PathBuf)],
    options: &ParticleOptions,
    mut done: impl FnMut(u32, usize),
) -> Result<(), ExportError> {
    let failed = ExportError::write(path);
    let (scene, record) = (run.scene()?, run.record()?);
    let up = if scene.dimension == 2 {
        1
    } else {
        upright(&scene)
    };
    let stage = Stage::of(&scene, up);
    let groups = options.group_by.groups(&record);
    let mut prims: Vec<(Animated, bool)> = groups.iter().map(|_| Default::default()).collect();
    let mut file = create(path).map_err(&failed)?;
    let mut times = Vec::new();
    for (number, source) in frames {
        let frame = FrameFile::open(source)?;
        times.push(f64::from(*number));
        let matter = Matter::of(&scene, &frame, source, &options.attributes)?;
        let members = options.group_by.members(&frame, source, groups.len())?;
        for (members, (prim, is_seen)) in members.iter().zip(&mut prims) {
            *is_seen |= !members.is_empty();
            let own = |all: &[Point]| -> Vec<[f32; 3]> {
                members
                    .iter()
                    .map(|k| stage.turned(all[*k as usize]))
                    .collect()
            };
            let points = own(&matter.positions);
            let widths: Vec<f32> = members.iter().map(|k| matter.widths[*k as usize]).collect();
            let widest = widths.iter().copied().fold(0.0, f32::max);
            let colors: Vec<[f32; 3]> =
                members.iter().map(|k| matter.colors[*k as usize]).collect();
            let vertex = Some("vertex");
            let mut put = || {
                let extent = file.vectors(&extent(&points, 0.5 * widest))?;
                prim.push("extent", "float3[]", None, extent);
                prim.push("points", "point3f[]", None, file.vectors(&points)?);
                prim.push("widths", "float[]", vertex, file.floats(&widths)?);
                let velocities = file.vectors(&own(&matter.velocities))?;
                prim.push("velocities", "vector3f[]", None, velocities);
                prim.push(
                    "primvars:displayColor",
                    "color3f[]",
                    vertex,
                    file.vectors(&colors)?,
                );
                for (name, values) in &matter.attributes {
                    let values: Vec<f32> = members.iter().map(|k| values[*k as usize]).collect();
                    let name = format!("primvars:{name}");
                    prim.push(&name, "float[]", vertex, file.floats(&values)?);
                }
                Ok(())
            };
            put().map_err(&failed)?;
        }
        done(*number, frame.particles);
    }
    let mut children = Vec::new();
    for (name, (prim, is_seen)) in prim_names(&groups).into_iter().zip(prims) {
        if is_seen {
            children.push(Prim {
                name,
                schema: "Points",
                attributes: prim.finish(&mut file, &times).map_err(&failed)?,
                children: Vec::new(),
            });
        }
    }
    stage.finish(file, &times, children).map_err(&failed)
}

/// The particles of a frame.
struct Matter {
    positions: Vec<Point>,
    velocities: Vec<Point>,
    /// Diameters \[m\].
    widths: Vec<f32>,
    /// In linear light.
    colors: Vec<[f32; 3]>,
    attributes: Vec<(String, Vec<f32>)>,
}

impl Matter {
    fn of(
        scene: &Scene,
        frame: &FrameFile,
        path: &Path,
        attributes: &[String],
    ) -> Result<Self, ExportError> {
        let positions = particle_vectors(frame, path, ["x", "y", "z"])?;
        let velocities = particle_vectors(frame, path, ["vx", "vy", "vz"])?;
        let file = Frame { file: frame, path };
        let radii = file.radii(scene, &scene.render)?;
        let looks: Vec<[f32; 3]> = (0..scene.materials.len())
            .map(|k| of_material(scene, k).color.0)
            .collect();
        let materials = needed(frame, path, "material")?;
        let colors = match frame.column("red") {
            Some(_) => file
                .own_colors()?
                .into_iter()
                .map(|color| color.0)
                .collect(),
            None => {
                let look = |k: f64| looks.get(k as usize).copied().unwrap_or([0.5; 3]);
                materials.iter().map(look).collect()
            }
        };
        let mut numbers = Vec::new();
        for name in attributes {
            let values: Vec<f32> = match name.as_str() {
                "speed" => velocities
                    .iter()
                    .map(|v: &Vector<f64, 3>| v.norm() as f32)
                    .collect(),
                name => needed(frame, path, name)?
                    .iter()
                    .map(|x| x as f32)
                    .collect(),
            };
            numbers.push((name.clone(), values));
        }
        Ok(Self {
            positions,
            velocities,
            widths: radii.into_iter().map(|radius| 2.0 * radius).collect(),
            colors,
            attributes: numbers,
        })
    }
}
