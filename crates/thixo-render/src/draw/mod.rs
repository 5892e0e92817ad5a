//! A frame as a picture: visible surfaces first, shading after (deferred shading).

mod compose;
mod matter;
mod mesh;
mod refraction;
mod shade;

use thixo_math::Matrix;

use self::compose::Layers;
use self::matter::VisibleMatter;
pub use self::mesh::Triangles;
use crate::color_bar::ColorBar;
use crate::extent::Extent;
use crate::grid_slice::GridSlice;
use crate::look::Look;
use crate::picture::Picture;
use crate::shadow_map::{Shade, Sun, view_of_sun};
use crate::sphere_tracing::SphereTracer;
use crate::splat::{Spheres, SplatShape};
use crate::surroundings::Surroundings;
use crate::vector::Vec3;
use crate::view::View;
use crate::visibility_buffer::VisibilityBuffer;

/// Samples of a pixel along each side.
pub const SAMPLES: usize = 2;

/// The particles of a frame as they are drawn.
#[derive(Clone, Debug, Default)]
pub struct Particles {
    /// Centres \[m\].
    pub centers: Vec<Vec3>,
    /// Radii \[m\].
    pub radii: Vec<f32>,
    /// Index of the look of each.
    pub looks: Vec<u32>,
    /// A colour of each in place of that of its look; empty if they have none.
    pub colors: Vec<Vec3>,
    /// The sheen of each; empty if they add nothing to their looks.
    pub sheens: Vec<Sheen>,
    /// Shape in which they are drawn.
    pub shape: Shape,
    /// Triangles between them.
    pub triangles: Triangles,
}

impl Particles {
    /// Look of what a sample of a depth buffer shows: a particle, or with an index after those of
    /// the particles a triangle.
    pub fn look_of(&self, index: usize) -> usize {
        match index.checked_sub(self.centers.len()) {
            None => self.looks[index] as usize,
            Some(triangle) => self.triangles.looks[triangle] as usize,
        }
    }
}

/// Addition of a particle to the look of its body, by its temperature and phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheen {
    /// Light that it gives off itself, linear.
    pub glow: Vec3,
    /// Wetness, 0 to 1 \[–\]: highlights, and a mirror image of the sky.
    pub wetness: f32,
}

impl Default for Sheen {
    /// Nothing.
    fn default() -> Self {
        Self {
            glow: Vec3::zero(),
            wetness: 0.0,
        }
    }
}

/// Shape in which particles are drawn.
#[derive(Clone, Debug, Default)]
pub enum Shape {
    /// Balls, or the isosurface of a look that has one.
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
    /// Looks of the matter.
    pub looks: &'a [Look],
    /// Obstacles, walls and ground.
    pub surroundings: &'a Surroundings,
    /// The box that endless obstacles are cut to, and whose size sets how far shadows and haze
    /// reach.
    pub extent: Extent,
    /// The camera, with the pixels of the picture.
    pub view: View,
    /// Towards the sun.
    pub sun: Vec3,
    /// Brightness of sun and sky over that of a clear day \[–\].
    pub daylight: f32,
    /// The axis that points upwards.
    pub up: usize,
    /// Time of the frame \[s\].
    pub time: f64,
    /// A slice of the grid, if one is shown.
    pub painted: Option<&'a PaintedSlice<'a>>,
}

/// A slice of the grid with its colours.
#[derive(Clone, Debug)]
pub struct PaintedSlice<'a> {
    /// The numbers.
    pub slice: GridSlice,
    /// Their colours.
    pub bar: &'a ColorBar,
}

impl PaintedSlice<'_> {
    /// The colour at a point of its plane; none where there is no matter.
    pub(crate) fn color(&self, point: Vec3) -> Option<Vec3> {
        self.slice.at(point).map(|value| self.bar.color(value))
    }

    /// Depth at which a ray meets it, and the colour there.
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
        self.draw_before(&self.visibility())
    }

    /// Obstacles as seen by camera and sun. The buffer serves other frames as long as
    /// [`VisibilityBuffer::is_of`] says so.
    pub fn visibility(&self) -> VisibilityBuffer {
        VisibilityBuffer::new(self.view, self.view_of_sun(), &self.tracer())
    }

    /// The view of the sun's shadow map.
    pub fn view_of_sun(&self) -> View {
        view_of_sun(self.sun, self.extent, self.view.size)
    }

    /// Draws it with obstacles that were looked at before.
    pub fn draw_before(&self, visibility: &VisibilityBuffer) -> Picture {
        let matter = VisibleMatter::new(self);
        let casts = |k: usize| match self.surroundings.is_cut(self.particles.centers[k]) {
            // Isosurfaces cast their own shadows.
            false if !matter.is_in_isosurface(k) => self.look(k).shade(),
            _ => Shade::Nothing,
        };
        let balls = Spheres {
            shape: SplatShape::Ball,
            ..self.spheres()
        };
        let view = self.view_of_sun();
        let shades = [Shade::Full, Shade::Light];
        let isosurfaces = shades.map(|shade| matter.shade(&view, shade));
        let triangles = &self.particles.triangles;
        let meshes = shades.map(|shade| {
            let casts = |k: usize| self.looks[triangles.looks[k] as usize].shade() == shade;
            triangles.depths(&view, &self.particles.centers, casts)
        });
        let sun = Sun::new(
            view,
            balls,
            casts,
            &[&visibility.shades[..], &isosurfaces[..], &meshes[..]],
        );
        let layers = Layers {
            drawing: self,
            sun,
            tracer: self.tracer(),
            visibility,
            matter,
        };
        layers.compose()
    }

    fn tracer(&self) -> SphereTracer<'_> {
        SphereTracer {
            surroundings: self.surroundings,
            extent: self.extent,
            time: self.time,
        }
    }

    fn spheres(&self) -> Spheres<'_> {
        Spheres {
            centers: &self.particles.centers,
            radii: &self.particles.radii,
            shape: match &self.particles.shape {
                Shape::Balls => SplatShape::Ball,
                Shape::Points(radius) => SplatShape::Point(radius * SAMPLES as f32),
                Shape::Icosahedra(rotations) => SplatShape::Icosahedron(rotations),
            },
        }
    }

    fn look(&self, particle: usize) -> &Look {
        &self.looks[self.particles.looks[particle] as usize]
    }
}
