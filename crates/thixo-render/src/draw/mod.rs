//! A frame as a picture: visible things first, light after.

mod compose;
mod matter;
mod shade;

use thixo_math::Matrix;

use self::compose::Layers;
use self::matter::Matter;
use crate::backdrop::Backdrop;
use crate::color_bar::ColorBar;
use crate::extent::Extent;
use crate::grid_slice::GridSlice;
use crate::light::{Shade, Sun, view_of_sun};
use crate::look::Look;
use crate::picture::Picture;
use crate::scenery::Scenery;
use crate::splat::{Figure, Spheres};
use crate::stage::Stage;
use crate::vector::Vec3;
use crate::view::View;

/// Samples of a pixel along each side.
pub const SAMPLES: usize = 2;

/// The particles of a frame as they are drawn.
#[derive(Clone, Debug, Default)]
pub struct Particles {
    /// Where they are \[m\].
    pub centers: Vec<Vec3>,
    /// Radii \[m\].
    pub radii: Vec<f32>,
    /// Index of the look of each.
    pub looks: Vec<u32>,
    /// A colour of each in place of that of its look; empty if they have none.
    pub colors: Vec<Vec3>,
    /// What they are drawn as.
    pub shape: Shape,
}

/// What particles are drawn as.
#[derive(Clone, Debug, Default)]
pub enum Shape {
    /// Balls, or the skin of a look that has one.
    #[default]
    Balls,
    /// Points of a radius \[pixels\].
    Points(f32),
    /// Icosahedra, each with its rotation.
    Icosahedra(Vec<Matrix<f32, 3>>),
}

/// Everything that a picture shows.
#[derive(Clone, Copy, Debug)]
pub struct Drawing<'a> {
    /// The matter.
    pub particles: &'a Particles,
    /// How it looks.
    pub looks: &'a [Look],
    /// What stands around it.
    pub stage: &'a Stage,
    /// The box that endless obstacles are cut to, and whose size sets how far shadows and haze reach.
    pub extent: Extent,
    /// The camera, with the pixels of the picture.
    pub view: View,
    /// Towards the sun.
    pub sun: Vec3,
    /// The axis that points upwards.
    pub up: usize,
    /// Time of the frame \[s\].
    pub time: f64,
    /// A slice of the grid, if one is shown.
    pub painted: Option<&'a Painted<'a>>,
}

/// A slice of the grid with its colours.
#[derive(Clone, Debug)]
pub struct Painted<'a> {
    /// The numbers.
    pub slice: GridSlice,
    /// Their colours.
    pub bar: &'a ColorBar,
}

impl Painted<'_> {
    /// The colour at a point of its plane; none where there is no matter.
    pub(crate) fn color(&self, point: Vec3) -> Option<Vec3> {
        self.slice.at(point).map(|value| self.bar.color(value))
    }

    /// Where a ray meets it, and the colour there.
    fn meet(&self, start: Vec3, direction: Vec3) -> Option<(f32, Vec3)> {
        let plane = self.slice.plane();
        let depth = (plane.position() as f32 - start[plane.axis]) / direction[plane.axis];
        if !(depth > 0.0 && depth.is_finite()) {
            return None;
        }
        Some((depth, self.color(start + direction * depth)?))
    }
}

impl Drawing<'_> {
    /// Draws it.
    pub fn draw(&self) -> Picture {
        self.draw_before(&self.scenery())
    }

    /// What is seen of the obstacles. It serves other frames as long as [`Scenery::is_of`] says so.
    pub fn scenery(&self) -> Scenery {
        Scenery::new(self.view, self.view_of_sun(), &self.backdrop())
    }

    /// What the sun sees.
    pub fn view_of_sun(&self) -> View {
        view_of_sun(self.sun, self.extent, self.view.size)
    }

    /// Draws it with obstacles that were looked at before.
    pub fn draw_before(&self, scenery: &Scenery) -> Picture {
        let matter = Matter::new(self);
        let casts = |k: usize| match self.stage.is_cut(self.particles.centers[k]) {
            // Skins cast their own shadows.
            false if !matter.is_in_skin(k) => self.look(k).shade(),
            _ => Shade::Nothing,
        };
        let balls = Spheres {
            figure: Figure::Ball,
            ..self.spheres()
        };
        let view = self.view_of_sun();
        let skins = [Shade::Full, Shade::Light].map(|shade| matter.shade(&view, shade));
        let sun = Sun::new(view, balls, casts, [&scenery.shades[..], &skins[..]]);
        let layers = Layers {
            drawing: self,
            sun,
            backdrop: self.backdrop(),
            scenery,
            matter,
        };
        layers.compose()
    }

    fn backdrop(&self) -> Backdrop<'_> {
        Backdrop {
            stage: self.stage,
            extent: self.extent,
            time: self.time,
        }
    }

    fn spheres(&self) -> Spheres<'_> {
        Spheres {
            centers: &self.particles.centers,
            radii: &self.particles.radii,
            figure: match &self.particles.shape {
                Shape::Balls => Figure::Ball,
                Shape::Points(radius) => Figure::Point(radius * SAMPLES as f32),
                Shape::Icosahedra(rotations) => Figure::Icosahedron(rotations),
            },
        }
    }

    fn look(&self, particle: usize) -> &Look {
        &self.looks[self.particles.looks[particle] as usize]
    }
}
