//! `thixo export`: the particles of a run as one file for another program.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Error};
use clap::{Args, ValueEnum};
use serde_json::json;
use thixo_render::export::usd::{ParticleOptions, write_particles};
use thixo_render::export::vtkhdf;
use thixo_scene::PastRun;

use crate::console::print_line;
use crate::exit::Failure;
use crate::frame_choice::FrameChoice;
use crate::overwrite::refuse_existing;
use crate::progress::Progress;

const EXAMPLE: &str = "\
Examples:
  thixo export out/snowball
  thixo export out/snowball --format vtkhdf
  thixo export out/dam-break --frames 10..20 --attributes speed,pressure

All frames go into one file, DIR/export/particles.usdc or DIR/export/particles.vtkhdf.

usd: for Blender and Houdini. Points per object with widths, velocities for motion blur, a colour
and the attributes asked for; one time code is one frame. `thixo mesh --format usd` makes surfaces.
vtkhdf: for ParaView, PyVista and h5py. All columns of the frames, vectors and matrices as arrays of
several components, over simulated time.

Exit codes: 0 done, 1 the disk is full, 2 bad input or usage.";

/// Options of `thixo export`.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Export {
    /// The directory of a run, such as out/snowball.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    #[command(flatten)]
    frames: FrameChoice,
    /// Format of the file.
    #[arg(long, value_enum, default_value = "usd")]
    format: FormatArgument,
    /// Numbers of particles in USD besides velocity, width and colour: speed, or columns of the
    /// frames such as j or pressure.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "speed,j"
    )]
    attributes: Vec<String>,
    /// Replace a file that is there already.
    #[arg(long)]
    overwrite: bool,
    /// Print one JSON object at the end, and nothing else.
    #[arg(long)]
    json: bool,
}

/// A format by name.
#[derive(Clone, Copy, ValueEnum)]
enum FormatArgument {
    /// Universal Scene Description, binary: an animation.
    Usd,
    /// HDF5 as VTK has it: columns over time.
    Vtkhdf,
}

impl FormatArgument {
    fn extension(self) -> &'static str {
        match self {
            Self::Usd => "usdc",
            Self::Vtkhdf => "vtkhdf",
        }
    }
}

impl Export {
    /// Writes the file.
    pub fn run(&self) -> Result<(), Failure> {
        self.write().map_err(Failure::Input)
    }

    fn write(&self) -> Result<(), Error> {
        let begun = Instant::now();
        let run = PastRun::open(&self.directory)?;
        let frames = self.frames.of(&run, run.scene()?.output.every)?;
        let folder = self.directory.join("export");
        let path = folder.join(format!("particles.{}", self.format.extension()));
        if !self.overwrite {
            refuse_existing([&path])?;
        }
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        let progress = if self.json {
            Progress::Silent
        } else {
            Progress::new(0, frames.last().map_or(0, |frame| frame.0))
        };
        let done = |frame, particles| progress.tell(frame, &format!("{particles} particles"));
        match self.format {
            FormatArgument::Usd => {
                let options = ParticleOptions {
                    attributes: self.attributes.clone(),
                    ..ParticleOptions::default()
                };
                write_particles(&path, &run, &frames, &options, done)?;
            }
            FormatArgument::Vtkhdf => vtkhdf::write(&path, &frames, done)?,
        }
        progress.finish();
        let seconds = begun.elapsed().as_secs_f64();
        if self.json {
            let frames: Vec<u32> = frames.iter().map(|frame| frame.0).collect();
            let file = path.to_string_lossy();
            print_line(&json!({ "file": file, "frames": frames, "seconds": seconds }).to_string());
        } else {
            let count = frames.len();
            print_line(&format!(
                "{count} frames in {seconds:.1} s: {}",
                path.display()
            ));
        }
        Ok(())
    }
}
