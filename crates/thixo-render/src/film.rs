//! The frames of a run as pictures.

use std::path::{Path, PathBuf};

use thixo_math::Vector;
use thixo_scene::{FrameFile, PastRun, Render, Scene, nearest};

use crate::camera::{Camera, Subject, axis};
use crate::color_bar::{ColorBar, unit};
use crate::color_map::numbered;
use crate::draw::{Drawing, Particles};
use crate::error::RenderError;
use crate::extent::Extent;
use crate::look::{Look, of_material, plain};
use crate::picture::{Picture, from_srgb};
use crate::stage::{Stage, upright};
use crate::vector::{Vec3, cross};

/// Radius of a particle of a plane scene over that of the disc of its area: neighbours on a lattice leave no gaps.
const FLAT_RADIUS: f64 = 1.3;

/// A run, and how it is filmed.
#[derive(Clone, Debug)]
pub struct Film {
    scene: Scene,
    render: Render,
    stage: Stage,
    looks: Vec<Look>,
    coloring: Coloring,
    camera: Camera,
    extent: Extent,
    up: usize,
}

/// What particles are coloured by.
#[derive(Clone, Debug, PartialEq)]
pub enum Coloring {
    /// The look of their material.
    Look,
    /// Their own colours where the scene gives some, and else the look of their material.
    OwnOrLook,
    /// Their object.
    Object,
    /// Their material.
    Material,
    /// Their own colour.
    Own,
    /// A number.
    Column(String, ColorBar),
}

impl Film {
    /// Looks at the frames that will be drawn, and decides on camera, colours and range. `render` takes the place of the scene's `[render]`.
    pub fn new(run: &PastRun, frames: &[PathBuf], render: Render) -> Result<Self, RenderError> {
        let mut scene = run.scene_with_files()?;
        scene.render = render.clone();
        let stage = Stage::of(&scene)?;
        let mut looks: Vec<Look> = (0..scene.materials.len())
            .map(|index| of_material(&scene, index))
            .collect();
        // For particles whose material is unknown.
        looks.push(plain(from_srgb(crate::color_map::UNKNOWN)));
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
            scene,
            render,
            stage,
            looks,
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
            looks: &self.looks,
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
        let unknown = self.looks.len() - 1;
        let index = |value: &f64| {
            let index = *value as usize;
            if *value >= 0.0 && index < unknown {
                index as u32
            } else {
                unknown as u32
            }
        };
        let looks = match frame.column("material") {
            Some(materials) => materials.iter().map(index).collect(),
            None => vec![unknown as u32; frame.particles],
        };
        let colors = self.colors(frame, path, &looks)?;
        Ok(Particles {
            centers: centers(frame, path)?,
            radii,
            looks,
            colors,
        })
    }

    fn colors(
        &self,
        frame: &FrameFile,
        path: &Path,
        looks: &[u32],
    ) -> Result<Vec<Vec3>, RenderError> {
        let by_number = |column: &str| {
            let values = needed(frame, path, column)?;
            Ok(values.iter().map(|k| numbered(*k as i64)).collect())
        };
        match &self.coloring {
            Coloring::Object => by_number("object"),
            Coloring::Material => by_number("material"),
            Coloring::Own => own_colors(frame, path),
            Coloring::Column(name, bar) => {
                let values = values(frame, path, name)?;
                Ok(values.iter().map(|value| bar.color(*value)).collect())
            }
            Coloring::Look => Ok(Vec::new()),
            Coloring::OwnOrLook => {
                let colored = self.objects_with_colors();
                let Some(objects) = frame.column("object").filter(|_| colored.contains(&true))
                else {
                    return Ok(Vec::new());
                };
                let mut colors = own_colors(frame, path)?;
                for (k, color) in colors.iter_mut().enumerate() {
                    let is_colored = colored.get(objects[k].max(0.0) as usize) == Some(&true);
                    if !(is_colored && objects[k] >= 0.0) {
                        *color = self.looks[looks[k] as usize].color;
                    }
                }
                Ok(colors)
            }
        }
    }

    /// Which objects and emitters the scene gives colours.
    fn objects_with_colors(&self) -> Vec<bool> {
        let objects = self.scene.objects.iter();
        let objects = objects.map(|o| o.color.is_some() || !o.colors.is_empty());
        let emitters = self.scene.emitters.iter();
        let emitters = emitters.map(|e| e.color.is_some() || !e.colors.is_empty());
        objects.chain(emitters).collect()
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

/// What is known of the frames before they are drawn.
struct Survey<'a> {
    scene: &'a Scene,
    render: &'a Render,
    matter: Extent,
    largest: f32,
    range: [f64; 2],
}

impl<'a> Survey<'a> {
    fn of(scene: &'a Scene, render: &'a Render) -> Self {
        Self {
            scene,
            render,
            matter: Extent::EMPTY,
            largest: 0.0,
            range: [f64::INFINITY, f64::NEG_INFINITY],
        }
    }

    fn look_at(&mut self, path: &Path) -> Result<(), RenderError> {
        let frame = FrameFile::open(path)?;
        self.matter = self.matter.with(Extent::of_bulk(&centers(&frame, path)?));
        let radii = radii(self.scene, self.render, &frame, path)?;
        let finite = radii.into_iter().filter(|r| r.is_finite());
        self.largest = finite.fold(self.largest, f32::max);
        if let Kind::Column(name) = self.kind() {
            for value in values(&frame, path, name)?.iter().filter(|x| x.is_finite()) {
                self.range = [self.range[0].min(*value), self.range[1].max(*value)];
            }
        }
        Ok(())
    }

    fn kind(&self) -> Kind<'a> {
        match self.render.color_by.as_deref() {
            None => Kind::Known(Coloring::OwnOrLook),
            Some("look") => Kind::Known(Coloring::Look),
            Some("object") => Kind::Known(Coloring::Object),
            Some("material") => Kind::Known(Coloring::Material),
            Some("color") => Kind::Known(Coloring::Own),
            Some(name) => Kind::Column(name),
        }
    }

    /// The box around all matter.
    fn extent(&self) -> Extent {
        if self.matter.is_empty() {
            let middle = Vec3::zero();
            return Extent {
                min: middle,
                max: middle,
            }
            .grown(1.0);
        }
        // A single particle is seen with something around it.
        let least = if self.matter.diagonal() < 4.0 * self.largest {
            4.0
        } else {
            1.0
        };
        let by = (least * self.largest)
            .max(1e-6 * self.matter.middle().norm())
            .max(1e-9);
        self.matter.grown(by)
    }

    fn coloring(&self) -> Coloring {
        match self.kind() {
            Kind::Known(coloring) => coloring,
            Kind::Column(name) => {
                let found = self.range[0] <= self.range[1];
                let range = self
                    .render
                    .range
                    .unwrap_or(if found { self.range } else { [0.0; 2] });
                let label = match found {
                    true => format!("{name}{}", unit(name)),
                    false => format!("{name}: no numbers"),
                };
                let map = self.render.color_map;
                Coloring::Column(name.to_owned(), ColorBar { label, range, map })
            }
        }
    }
}

enum Kind<'a> {
    Known(Coloring),
    Column(&'a str),
}

/// A column that a picture cannot do without.
fn needed<'a>(frame: &'a FrameFile, path: &Path, column: &str) -> Result<&'a [f64], RenderError> {
    frame.column(column).ok_or_else(|| {
        let mut known = frame.names().to_vec();
        known.push("speed".to_owned());
        RenderError::NoColumn {
            path: path.to_owned(),
            column: column.to_owned(),
            suggestion: nearest(column, known.iter().map(String::as_str)).map(str::to_owned),
            known,
        }
    })
}

/// A column, or the speed.
fn values(frame: &FrameFile, path: &Path, name: &str) -> Result<Vec<f64>, RenderError> {
    if name != "speed" {
        return Ok(needed(frame, path, name)?.to_vec());
    }
    let [x, y, z] = [
        needed(frame, path, "vx")?,
        needed(frame, path, "vy")?,
        needed(frame, path, "vz")?,
    ];
    Ok((0..frame.particles)
        .map(|k| (x[k] * x[k] + y[k] * y[k] + z[k] * z[k]).sqrt())
        .collect())
}

fn centers(frame: &FrameFile, path: &Path) -> Result<Vec<Vec3>, RenderError> {
    let [x, y, z] = [
        needed(frame, path, "x")?,
        needed(frame, path, "y")?,
        needed(frame, path, "z")?,
    ];
    let place = |k: usize| Vector([x[k] as f32, y[k] as f32, z[k] as f32]);
    Ok((0..frame.particles).map(place).collect())
}

fn own_colors(frame: &FrameFile, path: &Path) -> Result<Vec<Vec3>, RenderError> {
    let [r, g, b] = [
        needed(frame, path, "red")?,
        needed(frame, path, "green")?,
        needed(frame, path, "blue")?,
    ];
    let color = |k: usize| from_srgb([r[k] as u8, g[k] as u8, b[k] as u8]);
    Ok((0..frame.particles).map(color).collect())
}

/// Radii of balls, or discs, of the particles' volumes.
fn radii(
    scene: &Scene,
    render: &Render,
    frame: &FrameFile,
    path: &Path,
) -> Result<Vec<f32>, RenderError> {
    let volumes = needed(frame, path, "volume")?;
    let pi = std::f64::consts::PI;
    let radius = |volume: &f64| match scene.dimension {
        2 => (volume / pi).sqrt() * render.radius.unwrap_or(FLAT_RADIUS),
        _ => (0.75 * volume / pi).cbrt() * render.radius.unwrap_or(1.0),
    };
    Ok(volumes.iter().map(|volume| radius(volume) as f32).collect())
}
