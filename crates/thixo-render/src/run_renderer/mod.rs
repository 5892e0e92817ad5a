//! The frames of a run as pictures.

mod appearances;
mod coloring;
mod columns;
mod frame_statistics;
mod meshes;
mod section;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use thixo_math::Vector;
use thixo_scene::{FrameFile, ParticleShape, PastRun, Render, Scene};

use self::appearances::Appearances;
pub use self::coloring::Coloring;
pub(crate) use self::columns::Frame;
use self::frame_statistics::FrameStatistics;
use self::meshes::DrawnMesh;
use self::section::Section;
use crate::camera::{Camera, FILLED, FILLED_BESIDE_BAR, Subject, axis};
use crate::draw::{Drawing, PaintedSlice, Particles, Shape, Triangles};
use crate::error::RenderError;
use crate::extent::Extent;
use crate::picture::Picture;
use crate::surroundings::{Surroundings, upright};
use crate::vector::{Vec3, cross};
use crate::visibility_buffer::VisibilityBuffer;

/// Radius of particles that are drawn as points \[pixels\].
const POINT_RADIUS: f32 = 1.6;

/// Draws the frames of a run: its scene, camera and colours.
#[derive(Clone, Debug)]
pub struct RunRenderer {
    scene: Scene,
    render: Render,
    surroundings: Surroundings,
    appearances: Appearances,
    coloring: Coloring,
    section: Option<Section>,
    meshes: Vec<DrawnMesh>,
    camera: Camera,
    extent: Extent,
    up: usize,
    /// Obstacles as the last frame showed them.
    visibility: Arc<Mutex<Option<Arc<VisibilityBuffer>>>>,
}

impl RunRenderer {
    /// Looks at the frames that will be drawn, and decides on camera, colours and range. `render`
    /// takes the place of the scene's `[render]`.
    pub fn new(run: &PastRun, frames: &[PathBuf], render: Render) -> Result<Self, RenderError> {
        let scene = run.scene_with_files()?.looking(render.clone())?;
        let mut surroundings = Surroundings::of(&scene)?;
        if frames.is_empty() {
            let path = run.path().to_owned();
            return Err(RenderError::NoFrames { path });
        }
        let statistics = FrameStatistics::of(&scene, &render, frames)?;
        let up = if scene.dimension == 2 {
            1
        } else {
            upright(&scene)
        };
        if scene.dimension == 3 {
            statistics.find_containers(&mut surroundings, up);
        }
        let extent = with_ground(surroundings.extent_near(statistics.extent()), &surroundings);
        let coloring = statistics.coloring();
        let subject = Subject {
            extent,
            surroundings: &surroundings,
            up,
            size: render.size.map(|n| n as usize),
            filled: match coloring.bar() {
                Some(_) => FILLED_BESIDE_BAR,
                None => FILLED,
            },
        };
        let camera = match scene.dimension {
            2 => Camera::flat(&render.camera, subject),
            _ => Camera::space(&render.camera, subject),
        };
        Ok(Self {
            extent: extent.grown(0.1 * extent.diagonal()),
            appearances: Appearances::of(&scene, &coloring),
            section: statistics.section,
            meshes: DrawnMesh::of(&scene)?,
            visibility: Arc::default(),
            scene,
            render,
            surroundings,
            coloring,
            camera,
            up,
        })
    }

    /// Colouring of the particles.
    pub fn coloring(&self) -> &Coloring {
        &self.coloring
    }

    /// The camera.
    pub fn camera(&self) -> &Camera {
        &self.camera
    }

    /// Draws a frame.
    pub fn draw(&self, path: &Path) -> Result<(Picture, Option<f64>), RenderError> {
        let file = FrameFile::open(path)?;
        let frame = Frame { file: &file, path };
        let painted = match &self.section {
            Some(section) => match (section.of_frame(frame)?, self.coloring.bar()) {
                (Some(slice), Some(bar)) => Some(PaintedSlice { slice, bar }),
                _ => None,
            },
            None => None,
        };
        let particles = match self.section {
            Some(_) => Particles::default(),
            None => self.particles(frame)?,
        };
        let time = file.time().unwrap_or(0.0);
        let size = self.render.size.map(|n| n as usize);
        let view = self.camera.view(size, time);
        let drawing = Drawing {
            particles: &particles,
            looks: &self.appearances.looks,
            surroundings: &self.surroundings,
            extent: self.extent,
            sun: self.sun(view.axes),
            daylight: self.render.daylight as f32,
            view,
            up: self.up,
            time,
            painted: painted.as_ref(),
        };
        let mut picture = match self.scene.dimension {
            2 => drawing.draw_flat(),
            _ => drawing.draw_before(&self.visibility(&drawing)),
        };
        if let Some(bar) = self.coloring.bar() {
            bar.draw(&mut picture);
        }
        Ok((picture, file.time()))
    }

    /// Visibility of the obstacles: the buffer of the last frame, if nothing moved since.
    fn visibility(&self, drawing: &Drawing<'_>) -> Arc<VisibilityBuffer> {
        let mut kept = self
            .visibility
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(visibility) = kept.as_ref()
            && visibility.is_of(&drawing.view, &drawing.view_of_sun(), drawing.time)
        {
            return visibility.clone();
        }
        let visibility = Arc::new(drawing.visibility());
        *kept = Some(visibility.clone());
        visibility
    }

    /// Towards the sun: chosen, or high from the left behind the camera at the start.
    fn sun(&self, [right, ..]: [Vec3; 3]) -> Vec3 {
        if let Some(sun) = self.render.sun {
            return Vector(sun.map(|x| x as f32));
        }
        let start = self.camera.view([16, 16], 0.0).axes;
        let right = if start[0].norm() > 0.0 {
            start[0]
        } else {
            right
        };
        let up = axis(self.up);
        let back = cross(right, up);
        right * -0.55 + up * 1.0 + back * 0.42
    }

    fn particles(&self, frame: Frame<'_>) -> Result<Particles, RenderError> {
        let mut particles = Particles {
            triangles: Triangles::default(),
            centers: frame.centers()?,
            radii: frame.radii(&self.scene, &self.render)?,
            looks: self.appearances.choose(frame),
            colors: self.coloring.colors(&self.appearances, frame)?,
            sheens: self.coloring.sheens(&self.appearances, frame)?,
            shape: match self.render.particles {
                ParticleShape::Spheres => Shape::Balls,
                ParticleShape::Points => Shape::Points(POINT_RADIUS),
                ParticleShape::Icosahedra => Shape::Icosahedra(frame.rotations()?),
            },
        };
        if let Shape::Balls = particles.shape {
            DrawnMesh::dress(&self.meshes, frame, &mut particles)?;
        }
        Ok(particles)
    }
}

/// The box from the ground on, if the matter does not fly far above it.
fn with_ground(mut extent: Extent, surroundings: &Surroundings) -> Extent {
    if let Some(ground) = surroundings.ground {
        let a = ground.axis;
        let above = extent.min[a] - ground.position;
        if above < 0.75 * extent.diagonal() {
            extent.min[a] = ground.position.min(extent.max[a]);
        }
    }
    extent
}
