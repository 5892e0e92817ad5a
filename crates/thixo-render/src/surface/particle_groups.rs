//! Groups of particles that make a surface together.

use std::collections::BTreeSet;
use std::path::Path;

use thixo_math::Vector;
use thixo_scene::{FrameFile, RunRecord};

use super::{Point, SurfaceError};
use crate::error::RenderError;
use crate::frame_columns::{needed, vector};

/// Grouping of particles into surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum GroupBy {
    /// Every object and emitter.
    #[default]
    Object,
    /// Every material.
    Material,
    /// All matter together.
    All,
}

/// Something that has a surface of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParticleGroup {
    /// Its name in the run; empty for all matter.
    pub name: String,
    /// Its name in names of files: letters, digits, `-`, `_` and `.`; unlike that of all others.
    pub file_name: String,
}

/// Name of the group of particles that belong to nothing in the run's lists.
const OTHER: &str = "other";

impl GroupBy {
    /// The groups of a run, in the order of its record, and last what belongs to none of them.
    pub fn groups(self, record: &RunRecord) -> Vec<ParticleGroup> {
        let names = match self {
            Self::Object => &record.objects,
            Self::Material => &record.materials,
            Self::All => return vec![ParticleGroup::new("", &mut BTreeSet::new())],
        };
        let mut taken = BTreeSet::new();
        let names = names.iter().map(String::as_str).chain([OTHER]);
        names
            .map(|name| ParticleGroup::new(name, &mut taken))
            .collect()
    }

    /// The particles of every group. Those at places that are no numbers are in none.
    pub(crate) fn members(
        self,
        frame: &FrameFile,
        path: &Path,
        groups: usize,
    ) -> Result<Vec<Vec<u32>>, SurfaceError> {
        let positions = vectors(frame, path, ["x", "y", "z"])?;
        let index = match self {
            Self::Object => Some(needed(frame, path, "object")?),
            Self::Material => Some(needed(frame, path, "material")?),
            Self::All => None,
        };
        let mut members = vec![Vec::new(); groups.max(1)];
        let other = members.len() - 1;
        for (k, x) in (0..).zip(&positions) {
            if x.0.iter().all(|x| x.is_finite()) {
                let own = index.map_or(0.0, |index| index.get(k as usize));
                let known = (0.0..other as f64).contains(&own);
                members[if known { own as usize } else { other }].push(k);
            }
        }
        Ok(members)
    }
}

impl ParticleGroup {
    fn new(name: &str, taken: &mut BTreeSet<String>) -> Self {
        let plain = |c: char| match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' | '.' => c,
            _ => '_',
        };
        let wished: String = name.chars().map(plain).collect();
        let mut file_name = wished.clone();
        // Some file systems do not tell capitals from small letters.
        for number in 2.. {
            if taken.insert(file_name.to_lowercase()) {
                break;
            }
            file_name = format!("{wished}_{number}");
        }
        Self {
            name: name.to_owned(),
            file_name,
        }
    }

    /// Its name in messages.
    pub fn in_words(&self) -> &str {
        if self.name.is_empty() {
            "all matter"
        } else {
            &self.name
        }
    }
}

/// Three columns as vectors.
pub fn vectors(
    frame: &FrameFile,
    path: &Path,
    names: [&str; 3],
) -> Result<Vec<Point>, RenderError> {
    let vector = vector(frame, path, names)?;
    Ok((0..frame.particles).map(|k| Vector(vector(k))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain_and_never_the_same() {
        let mut taken = BTreeSet::new();
        let mut of = |name: &str| ParticleGroup::new(name, &mut taken).file_name;
        assert_eq!(of("a ball/of *snow*"), "a_ball_of__snow_");
        assert_eq!(of("ball"), "ball");
        assert_eq!(of("Ball"), "Ball_2");
        assert_eq!(of("ball"), "ball_3");
        assert_eq!(of("Bällchen"), "B_llchen");
    }
}
