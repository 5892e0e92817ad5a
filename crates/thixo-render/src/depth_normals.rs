//! What the pixels of a picture show of surfaces: depths and normals.

use crate::vector::Vec3;

/// Depths and normals of pixels.
#[derive(Clone, Debug)]
pub struct DepthNormals {
    /// Depth \[m\]; infinite where there is nothing.
    pub depths: Vec<f32>,
    /// Towards the camera.
    pub normals: Vec<Vec3>,
}
