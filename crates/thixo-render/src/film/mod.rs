//! The frames of a run as pictures.

mod coloring;
mod columns;
mod survey;
mod wardrobe;

use std::path::{Path, PathBuf};

use thixo_math::Vector;
use thixo_scene::{FrameFile, PastRun, Render, Scene};

pub use self::coloring::Coloring;
use self::columns::{centers, radii};
use self::survey::Survey;
use self::wardrobe::Wardrobe;
use crate::camera::{Camera, Subject, axis};
use crate::draw::{Drawing, Particles};
use crate::error::RenderError;
use crate::extent::Extent;
use crate::picture::Picture;
use crate::stage::{Stage, upright};
use crate::vector::{Vec3, cross};

/// A run, and how it is filmed.
#[derive(Clone, Debug)]
pub struct Film {
    scene: Scene,
    render: Render,
    stage: Stage,
    wardrobe: Wardrobe,
    coloring: Coloring,
    camera: Camera,
    extent: Extent,
    up: usize,
}

impl Film {
    /// Looks at the frames that will be drawn, and decides on camera, colours and range. `render` takes the place of the scene's `[render]`.
    pub fn new(run: &PastRun, frames: &[PathBuf], render: Render) -> Result<Self, RenderError> {
        let mut scene = run.scene_with_files()?;
        scene.render = render.clone();
        let stage = Stage::of(&scene)?;
        let mut survey = Survey::of(&scene, &render);
        for path in frames {
            survey.look_at(path)?;
        }
        if frames.is_empty() {
            let path = run.path().to_owned();
            return Err(RenderError::NoFrames { path });
        }
        let up = if scene.dimension == 2 {
            1
        } else {
            upright(&scene)
        };
        let extent = with_ground(stage.extent_near(survey.extent()), &stage);
        let subject = Subject {
            extent,
            stage: &stage,
            up,
            size: render.size.map(|n| n as usize),
        };
        let camera = match scene.dimension {
            2 => Camera::flat(&render.camera, subject),
            _ => Camera::space(&render.camera, subject),
        };
        let coloring = survey.coloring();
        Ok(Self {
            extent: extent.grown(0.1 * extent.diagonal()),
            wardrobe: Wardrobe::of(&scene),
            scene,
            render,
            stage,
            coloring,
            camera,
            up,
        })
    }

    /// What particles are coloured by.
    pub fn coloring(&self) -> &Coloring {
        &self.coloring
    }

    /// The camera.
    pub fn camera(&self) -> &Camera {
        &self.camera
    }

    /// Draws a frame.
    pub fn draw(&self, path: &Path) -> Result<(Picture, Option<f64>), RenderError> {
        let frame = FrameFile::open(path)?;
        let particles = self.particles(&frame, path)?;
        let time = frame.time.unwrap_or(0.0);
        let size = self.render.size.map(|n| n as usize);
        let view = self.camera.view(size, time);
        let drawing = Drawing {
            particles: &particles,
            looks: &self.wardrobe.looks,
            stage: &self.stage,
            extent: self.extent,
            sun: self.sun(view.axes),
            view,
            up: self.up,
            time,
        };
        let mut picture = match self.scene.dimension {
            2 => drawing.draw_flat(),
            _ => drawing.draw(),
        };
        if let Coloring::Column(_, bar) = &self.coloring {
            bar.draw(&mut picture);
        }
        Ok((picture, frame.time))
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

    fn particles(&self, frame: &FrameFile, path: &Path) -> Result<Particles, RenderError> {
        let radii = radii(&self.scene, &self.render, frame, path)?;
        let colors = self.coloring.colors(&self.wardrobe, frame, path)?;
        Ok(Particles {
            centers: centers(frame, path)?,
            radii,
            looks: self.wardrobe.choose(frame),
            colors,
        })
    }
}

/// The box from the ground on, if the matter does not fly far above it.
fn with_ground(mut extent: Extent, stage: &Stage) -> Extent {
    if let Some(ground) = stage.ground {
        let a = ground.axis;
        let above = extent.min[a] - ground.position;
        if above < 0.75 * extent.diagonal() {
            extent.min[a] = ground.position.min(extent.max[a]);
        }
    }
    extent
}
