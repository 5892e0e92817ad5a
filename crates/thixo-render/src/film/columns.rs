//! What a frame file holds, as it is drawn.

use std::path::Path;

use thixo_math::Vector;
use thixo_scene::{FrameFile, Render, Scene, nearest};

use crate::error::RenderError;
use crate::picture::from_srgb;
use crate::vector::Vec3;

/// Radius of a particle of a plane scene over that of the disc of its area: neighbours on a lattice leave no gaps.
const FLAT_RADIUS: f64 = 1.3;

/// A column that a picture cannot do without.
pub(super) fn needed<'a>(
    frame: &'a FrameFile,
    path: &Path,
    column: &str,
) -> Result<&'a [f64], RenderError> {
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
pub(super) fn values(frame: &FrameFile, path: &Path, name: &str) -> Result<Vec<f64>, RenderError> {
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

pub(super) fn centers(frame: &FrameFile, path: &Path) -> Result<Vec<Vec3>, RenderError> {
    let [x, y, z] = [
        needed(frame, path, "x")?,
        needed(frame, path, "y")?,
        needed(frame, path, "z")?,
    ];
    let place = |k: usize| Vector([x[k] as f32, y[k] as f32, z[k] as f32]);
    Ok((0..frame.particles).map(place).collect())
}

pub(super) fn own_colors(frame: &FrameFile, path: &Path) -> Result<Vec<Vec3>, RenderError> {
    let [r, g, b] = [
        needed(frame, path, "red")?,
        needed(frame, path, "green")?,
        needed(frame, path, "blue")?,
    ];
    let color = |k: usize| from_srgb([r[k] as u8, g[k] as u8, b[k] as u8]);
    Ok((0..frame.particles).map(color).collect())
}

/// Radii of balls, or discs, of the particles' volumes.
pub(super) fn radii(
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
