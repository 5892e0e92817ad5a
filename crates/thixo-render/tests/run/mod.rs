//! Runs that never ran: directories with a scene and frames made by hand.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use thixo_render::{Picture, RenderError, RunRenderer};
use thixo_scene::frame::{Column, ColumnShape, Frame, Values};
use thixo_scene::{PastRun, ply};

/// A particle.
#[derive(Clone, Copy)]
pub struct Grain {
    pub position: [f64; 3],
    pub velocity: [f64; 3],
    pub volume: f64,
    pub j: f64,
    pub object: i32,
}

impl Grain {
    pub fn at(position: [f64; 3], volume: f64) -> Self {
        Self {
            position,
            velocity: [0.0; 3],
            volume,
            j: 1.0,
            object: 0,
        }
    }
}

/// A box full of particles, `n` along its longest side.
pub fn block(min: [f64; 3], max: [f64; 3], n: usize, object: i32) -> Vec<Grain> {
    let longest = (0..3).map(|a| max[a] - min[a]).fold(0.0, f64::max);
    let step = longest / n as f64;
    let counts = [0, 1, 2].map(|a| ((max[a] - min[a]) / step).round().max(1.0) as usize);
    let place = |k: usize, a: usize| min[a] + (k as f64 + 0.5) * step;
    (0..counts.iter().product())
        .map(|k| {
            let (x, y, z) = (
                k % counts[0],
                k / counts[0] % counts[1],
                k / counts[0] / counts[1],
            );
            Grain {
                object,
                ..Grain::at([place(x, 0), place(y, 1), place(z, 2)], step.powi(3))
            }
        })
        .collect()
}

/// The directory of a run.
pub struct MadeRun {
    path: PathBuf,
}

impl MadeRun {
    /// A run of a scene, which is written without its `[grid]` and `[time]`.
    pub fn new(name: &str, scene: &str, frames: &[Vec<Grain>]) -> Self {
        let path = std::env::temp_dir().join(format!("thixo-render-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("particles")).unwrap();
        let text = format!("{scene}\n[grid]\nspacing = 0.25\n[time]\nframes = 10\n");
        fs::write(path.join("scene.toml"), text).unwrap();
        fs::write(path.join("run.json"), "{}").unwrap();
        for (number, grains) in frames.iter().enumerate() {
            let file = path.join(format!("particles/frame_{number:05}.ply"));
            let mut out = fs::File::create(file).unwrap();
            ply::write(&mut out, &frame(number, grains)).unwrap();
            out.flush().unwrap();
        }
        Self { path }
    }

    pub fn renderer(&self, changes: &str) -> Result<(RunRenderer, Vec<PathBuf>), RenderError> {
        let run = PastRun::open(&self.path).unwrap();
        let mut scene = run.scene().unwrap();
        if !changes.is_empty() {
            let text = fs::read_to_string(self.path.join("scene.toml")).unwrap();
            let text = format!("{text}\n[render]\n{changes}\n");
            fs::write(self.path.join("changed.toml"), &text).unwrap();
            scene = thixo_scene::Scene::parse(&text, "changed.toml").unwrap();
        }
        let frames = run.frame_files()?.into_iter().map(|frame| frame.1);
        let frames: Vec<PathBuf> = frames.collect();
        let renderer = RunRenderer::new(&run, &frames, scene.render)?;
        Ok((renderer, frames))
    }

    /// The picture of its last frame at 160 × 90.
    pub fn picture(&self, changes: &str) -> Result<Picture, RenderError> {
        let (renderer, frames) = self.renderer(&format!("size = [160, 90]\n{changes}"))?;
        Ok(renderer.draw(frames.last().unwrap())?.0)
    }
}

impl Drop for MadeRun {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn frame(number: usize, grains: &[Grain]) -> Frame<f64> {
    let real = |name: &'static str, shape, values| Column {
        name: name.into(),
        unit: "".into(),
        shape,
        values: Values::Real(values),
    };
    let three = |f: fn(&Grain) -> [f64; 3]| grains.iter().flat_map(f).collect();
    let one = |f: fn(&Grain) -> f64| grains.iter().map(f).collect();
    let position = ColumnShape::Vector(["x", "y", "z"]);
    let velocity = ColumnShape::Vector(["vx", "vy", "vz"]);
    Frame {
        number: number as u32,
        time: number as f64 * 0.1,
        cells: thixo::lagrangian::Cells::default(),
        particles: grains.len(),
        columns: vec![
            real("position", position, three(|g| g.position)),
            real("velocity", velocity, three(|g| g.velocity)),
            real("mass", ColumnShape::Scalar, one(|g| 1000.0 * g.volume)),
            real("volume", ColumnShape::Scalar, one(|g| g.volume)),
            real("j", ColumnShape::Scalar, one(|g| g.j)),
            Column {
                name: "material".into(),
                unit: "".into(),
                shape: ColumnShape::Scalar,
                values: Values::Integer(vec![0; grains.len()]),
            },
            Column {
                name: "object".into(),
                unit: "".into(),
                shape: ColumnShape::Scalar,
                values: Values::Integer(grains.iter().map(|g| g.object).collect()),
            },
        ],
    }
}
