//! Columns of a frame file as quantities to draw.

use std::path::Path;

use thixo_math::{Matrix, Vector, polar};
use thixo_scene::{FrameColumn, FrameFile, Render, Scene};

use crate::error::RenderError;
use crate::frame_columns;
use crate::picture::from_srgb;
use crate::vector::Vec3;

/// Radius of a particle of a plane scene over that of the disc of its area: neighbours on a lattice
/// leave no gaps.
const FLAT_RADIUS: f64 = 1.3;
/// Largest volume of a particle as it is drawn, over its volume at rest. Snow and sand that fly
/// apart count the air between their grains, hundreds of times their own volume; what one sees are
/// the grains.
const MOST_GROWTH: f64 = 2.0;

/// A frame, and what messages call it.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub file: &'a FrameFile,
    pub path: &'a Path,
}

impl<'a> Frame<'a> {
    /// A column that a picture cannot do without.
    pub fn needed(&self, column: &str) -> Result<FrameColumn<'a>, RenderError> {
        frame_columns::needed(self.file, self.path, column)
    }

    /// A column that frames hold only if the scene asks for it.
    pub fn asked(
        &self,
        column: &str,
        quantity: &'static str,
    ) -> Result<FrameColumn<'a>, RenderError> {
        self.file
            .column(column)
            .ok_or_else(|| RenderError::NotInFrames {
                path: self.path.to_owned(),
                quantity,
            })
    }

    fn three(&self, names: [&str; 3]) -> Result<impl Fn(usize) -> [f64; 3] + use<'a>, RenderError> {
        frame_columns::vector(self.file, self.path, names)
    }

    /// A column, or the speed.
    pub fn values(&self, name: &str) -> Result<Vec<f64>, RenderError> {
        if name != "speed" {
            return Ok(self.needed(name)?.iter().collect());
        }
        let velocity = self.velocity()?;
        let speed = |k: usize| Vector(velocity(k)).norm();
        Ok((0..self.file.particles).map(speed).collect())
    }

    /// Positions \[m\].
    pub fn position(&self) -> Result<impl Fn(usize) -> [f64; 3] + use<'a>, RenderError> {
        self.three(["x", "y", "z"])
    }

    /// Velocities \[m/s\].
    pub fn velocity(&self) -> Result<impl Fn(usize) -> [f64; 3] + use<'a>, RenderError> {
        self.three(["vx", "vy", "vz"])
    }

    /// Positions as they are drawn \[m\].
    pub fn centers(&self) -> Result<Vec<Vec3>, RenderError> {
        let position = self.position()?;
        let place = |k: usize| Vector(position(k).map(|x| x as f32));
        Ok((0..self.file.particles).map(place).collect())
    }

    /// The particles' own colours, linear.
    pub fn own_colors(&self) -> Result<Vec<Vec3>, RenderError> {
        let bytes = self.three(["red", "green", "blue"])?;
        let color = |k: usize| from_srgb(bytes(k).map(|x| x as u8));
        Ok((0..self.file.particles).map(color).collect())
    }

    /// Radii of balls, or discs, of the particles' volumes without the air between grains \[m\].
    pub fn radii(&self, scene: &Scene, render: &Render) -> Result<Vec<f32>, RenderError> {
        let pi = std::f64::consts::PI;
        let radius = |volume: f64| match scene.dimension {
            2 => (volume / pi).sqrt() * render.radius.unwrap_or(FLAT_RADIUS),
            _ => (0.75 * volume / pi).cbrt() * render.radius.unwrap_or(1.0),
        };
        let volumes = self.needed("volume")?;
        let ratios = self.file.column("j");
        let of_matter = |k: usize| {
            let growth = ratios.map_or(1.0, |ratios| ratios.get(k));
            volumes.get(k) * (MOST_GROWTH / growth.max(MOST_GROWTH))
        };
        let particles = 0..self.file.particles;
        Ok(particles.map(|k| radius(of_matter(k)) as f32).collect())
    }

    /// Rotations of particles: the rotation of its deformation gradient; none for matter that does
    /// not keep that.
    pub fn rotations(&self) -> Result<Vec<Matrix<f32, 3>>, RenderError> {
        let entry = |name: &str| self.asked(&format!("deformation_{name}"), "deformation");
        let rows = [
            [entry("xx")?, entry("xy")?, entry("xz")?],
            [entry("yx")?, entry("yy")?, entry("yz")?],
            [entry("zx")?, entry("zy")?, entry("zz")?],
        ];
        let rotation = |k: usize| {
            let f = Matrix(rows.map(|row| row.map(|entry| entry.get(k))));
            if f.0.iter().flatten().any(|x| !x.is_finite()) {
                return Matrix::identity();
            }
            let turned = polar(&f).rotation;
            Matrix(turned.0.map(|row| row.map(|x| x as f32)))
        };
        Ok((0..self.file.particles).map(rotation).collect())
    }
}
