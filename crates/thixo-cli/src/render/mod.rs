//! `thixo render`: from the files of a run to pictures.

mod camera_argument;
pub mod frame_range;
mod size_argument;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Error, bail};
use clap::Args;
use serde_json::json;
use thixo_render::contact_sheet::{choice, sheet};
use thixo_render::{Coloring, Film, Picture};
use thixo_scene::{PastRun, Render as Looks, gallery};

use self::camera_argument::CameraArgument;
use self::frame_range::FrameRange;
use self::size_argument::SizeArgument;
use crate::exit::Failure;
use crate::run::Run;
use crate::say::{complain, say};
use crate::scene_argument::SceneArgument;

const EXAMPLE: &str = "\
Examples:
  thixo render out/snowball
  thixo render dam-break --color-by speed --overwrite
  thixo render out/jelly-cube --frames 10..20 --size 1920x1080
  thixo render out/jelly-cube --camera \"position=3,1,2 target=0,0.5,0 fov=30 orbit=45\"

Given the directory of a run, its frames are drawn. Given a scene, the run in out/NAME is drawn, or
the scene is simulated first if there is none. Pictures go to DIR/images: frame_00000.png, …, and
contact.png, several times of the run in one. Whatever the command line does not say is taken from
[render] of the scene, and the rest is chosen to suit: a camera that sees all matter of the frames
drawn, looks after the names and models of the materials.

Exit codes: 0 done, 1 the simulation failed, 2 bad input or usage.";

/// Options of `thixo render`.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Render {
    /// The directory of a run, a scene file, or the name of a built-in scene.
    #[arg(value_name = "DIR|SCENE")]
    subject: String,
    /// Draw only frames A to B, both included: 10..20, 10.., ..20, or 7.
    #[arg(long, value_name = "A..B")]
    frames: Option<FrameRange>,
    /// Draw every Nth of these frames.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Pixels, 16 to 16384 a side [default: 1280x720].
    #[arg(long, value_name = "WxH")]
    size: Option<SizeArgument>,
    /// Colour particles by look, object, material, color (their own), speed, or a column of the frames such as j or vx.
    #[arg(long, value_name = "WHAT")]
    color_by: Option<String>,
    /// Where to look from: any of position=X,Y,Z target=X,Y,Z fov=DEGREES orbit=DEGREES/S height=M (2D), in one text.
    #[arg(long, value_name = "KEYS")]
    camera: Option<CameraArgument>,
    /// Pictures on the contact sheet; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(0..=100))]
    contact_sheet: u16,
    /// Replace pictures that are there already.
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
        self.draw(&directory).map_err(Failure::Input)
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

    fn draw(&self, directory: &Path) -> Result<(), Error> {
        let begun = Instant::now();
        let run = PastRun::open(directory)?;
        let scene = run.scene()?;
        let frames = self.chosen(&run, scene.output.every)?;
        let looks = self.looks(scene.render);
        let images = directory.join("images");
        let targets: Vec<PathBuf> = frames
            .iter()
            .map(|(number, _)| images.join(format!("frame_{number:05}.png")))
            .collect();
        let contact = (self.contact_sheet > 0).then(|| images.join("contact.png"));
        if !self.overwrite
            && let Some(there) = targets.iter().chain(&contact).find(|path| path.exists())
        {
            bail!(
                "{} exists already; replace it with --overwrite",
                there.display()
            );
        }
        let paths: Vec<PathBuf> = frames.iter().map(|frame| frame.1.clone()).collect();
        let width = looks.size[0] as usize;
        let film = Film::new(&run, &paths, looks)?;
        fs::create_dir_all(&images)
            .with_context(|| format!("cannot create {}", images.display()))?;
        let on_sheet = choice(frames.len(), usize::from(self.contact_sheet));
        let mut shown: Vec<(Picture, String)> = Vec::new();
        for (k, ((number, path), target)) in frames.iter().zip(&targets).enumerate() {
            let (picture, time) = film.draw(path)?;
            write(target, &picture)?;
            if !self.json {
                say(&format!("frame {number}: {}", target.display()));
            }
            if on_sheet.contains(&k) {
                let time = time.map_or(String::new(), |t| format!(", t = {t:.3} s"));
                shown.push((picture, format!("frame {number}{time}")));
            }
        }
        if let Some(contact) = &contact {
            write(contact, &sheet(&shown, width))?;
        }
        self.summarise(&film, &targets, contact.as_deref(), begun);
        Ok(())
    }

    /// The frames to draw. Those that should be there and are not are said.
    fn chosen(&self, run: &PastRun, every: u32) -> Result<Vec<(u32, PathBuf)>, Error> {
        let all = run.frame_files()?;
        let (Some((first, _)), Some((last, _))) = (all.first(), all.last()) else {
            bail!(
                "{} has no frames as PLY files to draw; run the scene with \"ply\" among output.formats",
                run.path().display()
            );
        };
        let missing: Vec<String> = (*first..*last)
            .step_by(every.max(1) as usize)
            .filter(|number| all.iter().all(|(own, _)| own != number))
            .map(|number| number.to_string())
            .collect();
        if !missing.is_empty() {
            complain(&format!(
                "warning: the files of frames {} are missing; the pictures go on without them",
                missing.join(", ")
            ));
        }
        let (first, last) = (*first, *last);
        let range = self.frames.unwrap_or_default();
        let chosen = all
            .into_iter()
            .filter(|(number, _)| range.contains(*number));
        let chosen: Vec<_> = chosen.step_by(self.every as usize).collect();
        if chosen.is_empty() {
            bail!("no frame is within --frames {range}; the run has frames {first} to {last}");
        }
        Ok(chosen)
    }

    /// The looks of the scene, with what the command line changes.
    fn looks(&self, mut looks: Looks) -> Looks {
        if let Some(SizeArgument(size)) = self.size {
            looks.size = size;
        }
        if let Some(what) = &self.color_by {
            looks.color_by = Some(what.clone());
            // The range of the scene is that of another quantity.
            looks.range = None;
        }
        if let Some(camera) = &self.camera {
            camera.change(&mut looks.camera);
        }
        looks
    }

    fn summarise(&self, film: &Film, targets: &[PathBuf], contact: Option<&Path>, begun: Instant) {
        let seconds = begun.elapsed().as_secs_f64();
        let range = match film.coloring() {
            Coloring::Column(_, bar) => Some(bar.range),
            _ => None,
        };
        if self.json {
            let value = json!({
                "pictures": targets.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
                "contact_sheet": contact.map(|path| path.to_string_lossy()),
                "range": range,
                "seconds": seconds,
            });
            say(&value.to_string());
            return;
        }
        let place = contact.map_or(String::new(), |path| {
            format!("; all in one: {}", path.display())
        });
        say(&format!(
            "{} pictures in {seconds:.1} s{place}",
            targets.len()
        ));
    }
}

/// Writes a picture under another name first, so that there is never half of one.
fn write(path: &Path, picture: &Picture) -> Result<(), Error> {
    let part = path.with_added_extension("part");
    let write = || {
        fs::write(&part, picture.to_png()?)?;
        fs::rename(&part, path)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
