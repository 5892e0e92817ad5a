//! Depths and normals of the surfaces that pixels show: the geometry buffer (G-buffer) from which
//! ambient occlusion is computed.

use crate::vector::Vec3;

/// Depths and normals of pixels.
#[derive(Clone, Debug)]
pub struct DepthNormals {
    /// Depth \[m\]; infinite where there is nothing.
    pub depths: Vec<f32>,
    /// Towards the camera.
    pub normals: Vec<Vec3>,
}
