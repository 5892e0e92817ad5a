//! Animations in USD, for Blender, Houdini and whatever else reads it.
//!
//! One time code is one frame of the run. Particles are `Points` per object, with widths,
//! velocities and colours; surfaces are `Mesh`es per object. Lengths are metres.

mod compression;
mod crate_file;
mod particles;
mod surfaces;

use std::io;
use std::path::Path;

use thixo_scene::{AtomicFile, Scene};

pub use self::particles::{ParticleOptions, write_particles};
pub use self::surfaces::SurfaceAnimation;

use self::crate_file::{Attribute, CrateFile, Prim, Value};
use crate::surface::{ParticleGroup, Point};

/// What a stage says of itself.
#[derive(Clone, Debug)]
struct Stage {
    /// Frames per second of simulated time \[1/s\].
    fps: f64,
    up: usize,
    title: String,
}

impl Stage {
    fn of(scene: &Scene, up: usize) -> Self {
        Self {
            fps: scene.time.fps,
            up,
            title: scene.title.clone(),
        }
    }

    /// A vector as the stage has it: USD knows y and z as upward, and x becomes z.
    fn turned(&self, vector: Point) -> [f32; 3] {
        let [x, y, z] = vector.0.map(|x| x as f32);
        match self.up {
            0 => [y, z, x],
            _ => [x, y, z],
        }
    }

    /// Writes the rest of a file with prims that have samples at some frames.
    fn finish(
        &self,
        mut file: CrateFile<AtomicFile>,
        times: &[f64],
        children: Vec<Prim>,
    ) -> io::Result<()> {
        let up = if self.up == 1 { "Y" } else { "Z" };
        let [first, last] = [times.first(), times.last()].map(|time| time.copied().unwrap_or(0.0));
        let title = format!("{}, made by thixo", self.title);
        let fields = [
            ("documentation", file.string(&title)),
            ("upAxis", file.token(up)),
            ("metersPerUnit", file.double(1.0)?),
            ("timeCodesPerSecond", file.double(self.fps)?),
            ("framesPerSecond", file.double(self.fps)?),
            ("startTimeCode", file.double(first)?),
            ("endTimeCode", file.double(last)?),
        ];
        let top = Prim {
            name: "run".to_owned(),
            schema: "Xform",
            attributes: Vec::new(),
            children,
        };
        file.finish(&fields, &top)?.finish()
    }
}

/// Values over time of the attributes of a prim.
#[derive(Debug, Default)]
struct Animated {
    /// Name, type, what it belongs to, values.
    attributes: Vec<(String, &'static str, Option<&'static str>, Vec<Value>)>,
}

impl Animated {
    /// Adds the next value of an attribute.
    fn push(
        &mut self,
        name: &str,
        kind: &'static str,
        interpolation: Option<&'static str>,
        value: Value,
    ) {
        let attributes = &mut self.attributes;
        match attributes.iter_mut().find(|own| own.0 == name) {
            Some(own) => own.3.push(value),
            None => attributes.push((name.to_owned(), kind, interpolation, vec![value])),
        }
    }

    fn finish(self, file: &mut CrateFile<AtomicFile>, times: &[f64]) -> io::Result<Vec<Attribute>> {
        let finished = |(name, kind, interpolation, values): (String, _, _, Vec<Value>)| {
            Ok(Attribute {
                name,
                kind,
                is_uniform: false,
                interpolation,
                default: None,
                samples: Some(file.samples(times, &values)?),
            })
        };
        self.attributes.into_iter().map(finished).collect()
    }
}

/// The corners of the box around places, as USD wants them; none around nothing.
fn extent(places: &[[f32; 3]], margin: f32) -> Vec<[f32; 3]> {
    if places.is_empty() {
        return Vec::new();
    }
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for place in places {
        for axis in 0..3 {
            low[axis] = low[axis].min(place[axis] - margin);
            high[axis] = high[axis].max(place[axis] + margin);
        }
    }
    vec![low, high]
}

/// Names of prims: letters, digits and `_`, each once.
fn prim_names(groups: &[ParticleGroup]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for group in groups {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut wished: String = group.file_name.chars().map(plain).collect();
        if wished.is_empty() {
            wished = "matter".to_owned();
        }
        if wished.starts_with(|c: char| c.is_ascii_digit()) {
            wished.insert(0, '_');
        }
        let mut name = wished.clone();
        for number in 2.. {
            if !names.contains(&name) {
                break;
            }
            name = format!("{wished}_{number}");
        }
        names.push(name);
    }
    names
}

fn create(path: &Path) -> io::Result<CrateFile<AtomicFile>> {
    CrateFile::new(AtomicFile::create(path)?)
}
