//! Meshes that move and deform, frame by frame.

use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thixo::LevelSet;
use thixo::collide::shape::{Deforming, Surface};
use thixo_math::Vector;

use super::combine::SharedRegion;
use super::mesh::{InSpace, Mesh, MeshSolid, Point};
use super::{AssetError, Bounds, Region};
use crate::error::SceneError;
use crate::scene::Scene;

/// The most meshes of a sequence.
const MOST_MESHES: u32 = 10_000;

/// A solid that moves and deforms, given by a mesh per frame; only in 3D. An object has the shape
/// of the first mesh.
///
/// All meshes must have the same triangles, so that their points have velocities, which matter that
/// touches the solid feels. Between two meshes the solid is interpolated; before the first and
/// after the last it rests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SequenceShape {
    /// The mesh files in their order. Either `files` or `pattern` is required.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Names with a number: `"cloth_%04d.obj"` for `cloth_0001.obj` and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The first number of the pattern. Default: 0.
    #[serde(default)]
    pub first: u32,
    /// Number of meshes that the pattern stands for, 1 to 10 000. Required with `pattern`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000))]
    pub count: Option<u32>,
    /// Meshes per simulated second \[1/s\], above 0. Required.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub fps: f64,
    /// As for a single mesh. Default: half the grid spacing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub resolution: Option<f64>,
}

impl SequenceShape {
    /// The names of its files.
    pub(super) fn names(&self) -> Vec<String> {
        let numbers = self.first
            ..self
                .first
                .saturating_add(self.count.unwrap_or(0).min(MOST_MESHES));
        let pattern = self.pattern.as_deref().and_then(FilePattern::parse);
        let numbered = pattern.into_iter().flat_map(|pattern| {
            let numbers = numbers.clone();
            numbers.map(move |number| pattern.name(number))
        });
        self.files.iter().cloned().chain(numbered).collect()
    }
}

/// A name with a place for a number.
#[derive(Clone, Copy)]
struct FilePattern<'a> {
    before: &'a str,
    digits: usize,
    after: &'a str,
}

impl<'a> FilePattern<'a> {
    /// A text with one `%d` or `%04d`.
    fn parse(text: &'a str) -> Option<Self> {
        let (before, rest) = text.split_once('%')?;
        let (digits, after) = rest.split_once('d')?;
        let digits = match digits {
            "" => 0,
            digits => digits.strip_prefix('0')?.parse().ok()?,
        };
        let is_sound = digits <= 20 && !after.contains('%');
        is_sound.then_some(Self {
            before,
            digits,
            after,
        })
    }
    fn name(&self, number: u32) -> String {
        let digits = self.digits;
        format!("{}{number:0digits$}{}", self.before, self.after)
    }
}

/// The key frames of a deforming solid.
#[derive(Clone, Debug)]
pub(crate) struct KeyFrames {
    deforming: Deforming<3>,
    bounds: Bounds<3>,
    /// Time of the last \[s\].
    end: f64,
}

impl LevelSet<3> for KeyFrames {
    fn surface(&self, position: [f64; 3], time: f64) -> Surface<3> {
        self.deforming.surface(position, time)
    }
    fn velocity(&self, position: [f64; 3], time: f64) -> [f64; 3] {
        if (0.0..=self.end).contains(&time) {
            self.deforming.velocity(position, time)
        } else {
            [0.0; 3]
        }
    }
    fn thickness(&self) -> f64 {
        self.deforming.thickness()
    }
    fn clearance(&self) -> f64 {
        self.deforming.clearance()
    }
}

impl Region<3> for KeyFrames {
    /// Around all key frames.
    fn bounds(&self) -> Option<Bounds<3>> {
        Some(self.bounds)
    }
    fn volume(&self) -> Option<f64> {
        None
    }
}

impl Scene {
    /// The deforming solid of a sequence.
    pub(super) fn mesh_sequence<const D: usize>(
        &self,
        path: &str,
        sequence: &SequenceShape,
    ) -> Result<SharedRegion<D>, SceneError> {
        self.only_in_space::<D>(path, "a sequence of meshes")?;
        self.check_sequence(path, sequence)?;
        let resolution = self.resolution(path, sequence.resolution)?;
        let names = sequence.names();
        let files: Vec<PathBuf> = names.iter().map(|name| self.asset_path(name)).collect();
        let key = (files, resolution.to_bits(), sequence.fps.to_bits());
        let known = self.assets.lock().sequences.get(&key).cloned();
        if let Some(keys) = known {
            return Ok(Arc::new(InSpace(keys)));
        }
        let meshes = self.read_meshes(path, &names)?;
        let mut solids = Vec::new();
        let mut bounds = meshes[0].bounds();
        let mut doubts = Vec::new();
        for (k, mesh) in meshes.iter().enumerate() {
            let refused = |cause| self.refused_asset(path, &names[k], cause);
            let (solid, warnings) = MeshSolid::new(mesh, resolution, &names[k]).map_err(refused)?;
            let solid = solid.with_velocities(mesh, &velocities(&meshes, k, sequence.fps));
            bounds = bounds.union(solid.bounds());
            let time = k as f64 / sequence.fps;
            solids.push((time, Arc::new(solid) as Arc<dyn LevelSet<3>>));
            doubts.push((key.0[k].clone(), warnings));
        }
        let deforming = Deforming::new(solids);
        let deforming = deforming.map_err(|error| self.refused(&format!("{path}.fps"), error))?;
        let end = (names.len() - 1) as f64 / sequence.fps;
        let keys = Arc::new(KeyFrames {
            deforming,
            bounds,
            end,
        });
        let mut made = self.assets.lock();
        for (file, warnings) in doubts {
            made.warnings.insert((file, key.1), warnings);
        }
        made.sequences.insert(key, keys.clone());
        Ok(Arc::new(InSpace(keys)))
    }

    /// Refuses a sequence whose files or times are not clear.
    fn check_sequence(&self, path: &str, sequence: &SequenceShape) -> Result<(), SceneError> {
        let fps = sequence.fps;
        if !(fps > 0.0 && fps.is_finite()) {
            let key = format!("{path}.fps");
            return Err(self.number_out_of_range(&key, fps, "positive and finite"));
        }
        match (&sequence.pattern, sequence.files.is_empty()) {
            (None, false) => Ok(()),
            (None, true) => {
                let range = "a list of at least one mesh, or absent beside a pattern";
                Err(self.out_of_range(&format!("{path}.files"), "[]", range))
            }
            (Some(pattern), false) => {
                let range = "absent: files names the meshes";
                Err(self.out_of_range(&format!("{path}.pattern"), format!("{pattern:?}"), range))
            }
            (Some(pattern), true) if FilePattern::parse(pattern).is_none() => {
                let range = "a name with one number in it, such as \"cloth_%04d.obj\"";
                Err(self.out_of_range(&format!("{path}.pattern"), format!("{pattern:?}"), range))
            }
            (Some(_), true) => match sequence.count {
                Some(1..=MOST_MESHES) => Ok(()),
                count => {
                    let count = count.map_or("absent".to_owned(), |count| count.to_string());
                    let range = format!("a number of meshes from 1 to {MOST_MESHES}");
                    Err(self.out_of_range(&format!("{path}.count"), count, range))
                }
            },
        }
    }

    /// All meshes of a sequence, which have the same triangles.
    fn read_meshes(&self, path: &str, names: &[String]) -> Result<Vec<Mesh>, SceneError> {
        let mut meshes: Vec<Mesh> = Vec::new();
        for name in names {
            let refused = |cause| self.refused_asset(path, name, cause);
            let path = self.asset_path(name);
            let (mesh, sum) = Mesh::read(&path).map_err(refused)?;
            self.assets.lock().sums.insert(path, sum);
            if let Some(first) = meshes.first()
                && (first.triangles != mesh.triangles || first.points.len() != mesh.points.len())
            {
                return Err(refused(AssetError::Mismatch {
                    vertices: mesh.points.len(),
                    triangles: mesh.triangles.len(),
                    first_vertices: first.points.len(),
                    first_triangles: first.triangles.len(),
                }));
            }
            meshes.push(mesh);
        }
        Ok(meshes)
    }
}

/// Velocities of a mesh's points \[m/s\]: the difference of the neighbours in time over the time
/// between them.
fn velocities(meshes: &[Mesh], k: usize, fps: f64) -> Vec<Point> {
    let (before, after) = (k.saturating_sub(1), (k + 1).min(meshes.len() - 1));
    if before == after {
        return vec![Point::zero(); meshes[k].points.len()];
    }
    let rate = fps / (after - before) as f64;
    let pairs = meshes[before].points.iter().zip(&meshes[after].points);
    pairs
        .map(|(a, b)| (Vector(*b) - Vector(*a)) * rate)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_numbered_names() {
        let name = |text: &str| FilePattern::parse(text).map(|pattern| pattern.name(7));
        assert_eq!(name("a_%04d.obj").as_deref(), Some("a_0007.obj"));
        assert_eq!(name("a%d.obj").as_deref(), Some("a7.obj"));
        for wrong in ["a.obj", "a%4d.obj", "a%s.obj", "%d%d.obj", "%099d", "%"] {
            assert_eq!(name(wrong), None, "{wrong}");
        }
    }
}
