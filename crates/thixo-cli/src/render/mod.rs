//! `thixo render`: from the files of a run to pictures and a video.

mod camera_argument;
mod format;
mod job;
mod section_argument;
mod size_argument;
mod summary;

use std::path::{Path, PathBuf};

use anyhow::{Error, anyhow};
use clap::Args;
use thixo_scene::{Existing, PastRun, gallery};

use self::camera_argument::CameraArgument;
use self::format::{PictureFormat, QualityChoice};
use self::section_argument::{CutArgument, SliceArgument};
use self::size_argument::SizeArgument;
use crate::console::print_line;
use crate::exit::Failure;
use crate::frame_choice::FrameChoice;
use crate::run::Run;
use crate::scene_argument::SceneArgument;

pub use self::job::{Job, picture_file};
use self::job::{ON_SHEET, Verbosity};
pub use self::summary::RenderSummary;

const EXAMPLE: &str = "\
Examples:
  thixo render out/snowball
  thixo render dam-break --color-by speed --overwrite
  thixo render out/jelly-cube --frames 10..20 --size 1920x1080
  thixo render out/jelly-cube --camera \"position=3,1,2 target=0,0.5,0 fov=30 orbit=45\"
  thixo render out/snowball --formats mp4,apng --speed 0.25 --quality high

Given the directory of a run, its frames are drawn. Given a scene, the run in out/NAME is drawn, or
the scene is simulated first if there is none. Pictures go to DIR/images: frame_00000.png, …, and
contact.png, several times of the run in one. DIR/video.mp4 shows them in the time that passed in
the scene, or slower or faster with --speed; DIR/animation.png, if asked for, as well. Of frames that
come more than 60 times in a second some are left out, and what it takes to see all is said; of films
slower than a picture per second each picture is shown for a second. Whatever the command line does
not say is taken from [render] of the scene, and the rest is chosen to suit: a camera that sees all
matter of the frames drawn, looks after the names and models of the materials.

Exit codes: 0 done, 1 the simulation failed, 2 bad input or usage, 130 interrupted (pictures drawn so
far stay; there is no video).";

/// Options of `thixo render`.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Render {
    /// The directory of a run, a scene file, or the name of a built-in scene.
    #[arg(value_name = "DIR|SCENE")]
    subject: String,
    /// Files to make of the frames, with commas between.
    #[arg(
        long,
        value_enum,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "png,contact,mp4"
    )]
    formats: Vec<PictureFormat>,
    #[command(flatten)]
    frames: FrameChoice,
    /// Pixels, 16 to 16384 a side [default: 1280x720].
    #[arg(long, value_name = "WxH")]
    size: Option<SizeArgument>,
    /// Colour particles by look, object, material, color (their own), speed, or a column of the
    /// frames such as j or vx.
    #[arg(long, value_name = "WHAT")]
    color_by: Option<String>,
    /// Camera: front, back, side, left, top or three_quarter, or any of position=X,Y,Z
    /// target=X,Y,Z fov=DEGREES orbit=DEGREES/S height=M (2D), in one text.
    #[arg(long, value_name = "KEYS")]
    camera: Option<CameraArgument>,
    /// Draw nothing beyond a plane, to look into matter: point=X,Y,Z normal=X,Y,Z in one text; may
    /// be given several times.
    #[arg(long, value_name = "KEYS")]
    cut: Vec<CutArgument>,
    /// Draw a quantity on the grid in a plane in place of the particles:
    /// quantity=mass|speed|vx|vy|vz|pressure normal=x|y|z at=M in one text.
    #[arg(long, value_name = "KEYS")]
    slice: Option<SliceArgument>,
    /// Pictures on the contact sheet; 0 for none.
    #[arg(long, value_name = "N", default_value_t = ON_SHEET, value_parser = clap::value_parser!(u16).range(0..=100))]
    contact_sheet: u16,
    /// Simulated seconds that pass in a second of video: 0.1 is ten times slower than it was, 2
    /// twice as fast [default: 1].
    #[arg(long, value_name = "FACTOR", value_parser = format::speed)]
    speed: Option<f64>,
    /// Quality of the video: how much it may differ from the pictures.
    #[arg(long, value_enum, default_value_t = QualityChoice::Medium)]
    quality: QualityChoice,
    /// Replace pictures and videos that are there already.
    #[arg(long)]
    overwrite: bool,
    /// Print one JSON object at the end, and nothing else.
    #[arg(long)]
    json: bool,
}

impl Render {
    /// Draws the run, after simulating it if there is none.
    pub fn run(&self) -> Result<(), Failure> {
        let directory = self.directory()?;
        let drawn = self.job(&directory).map_err(Failure::Input)?.draw()?;
        match self.json {
            true => print_line(&drawn.json().to_string()),
            false => drawn.print(),
        }
        Ok(())
    }

    /// The run that is meant; a scene without one is simulated.
    fn directory(&self) -> Result<PathBuf, Failure> {
        let given = Path::new(&self.subject);
        if given.is_dir() {
            return Ok(given.to_owned());
        }
        let name = match given.is_file() {
            true => given.file_stem().unwrap_or_default().to_string_lossy(),
            false => self.subject.as_str().into(),
        };
        let directory = Path::new("out").join(&*name);
        let is_scene = given.is_file() || gallery::find(&self.subject).is_some();
        if is_scene && PastRun::open(&directory).is_ok() {
            return Ok(directory);
        }
        // An unknown name is explained there.
        Run::with_defaults(SceneArgument::named(&self.subject), self.json).run()?;
        Ok(directory)
    }

    /// The `[render]` table of the scene, with the changes of the command line.
    fn job(&self, directory: &Path) -> Result<Job, Error> {
        let mut job = Job::new(directory)?;
        if let Some(SizeArgument(size)) = self.size {
            job.looks.size = size;
        }
        if let Some(what) = &self.color_by {
            job.looks.slice = None;
            job.looks.color_by = Some(what.clone());
            // The range of the scene is that of another quantity.
            job.looks.range = None;
        }
        if let Some(camera) = &self.camera {
            let dimension = job.dimension();
            let changed = camera.change(&mut job.looks.camera, dimension);
            changed.map_err(|message| anyhow!("--camera: {message}"))?;
        }
        job.looks.cuts.extend(self.cut.iter().map(|cut| cut.0));
        if let Some(SliceArgument(slice)) = self.slice {
            job.looks.slice = Some(slice);
            job.looks.range = None;
        }
        if let Some(speed) = self.speed {
            job.looks.speed = speed;
        }
        job.frames = self.frames;
        job.formats = self.formats.clone();
        job.quality = self.quality.into();
        job.on_sheet = self.contact_sheet;
        job.existing = match self.overwrite {
            true => Existing::Replace,
            false => Existing::Refuse,
        };
        job.verbosity = match self.json {
            true => Verbosity::Silent,
            false => Verbosity::EveryPicture,
        };
        Ok(job)
    }
}
