//! `thixo mesh`: from the particles of a run to surfaces.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Error};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use thixo_render::export::usd::SurfaceAnimation;
use thixo_render::surface::write::MeshMetadata;
use thixo_render::surface::{
    Format, GroupBy, MeshProperties, ReconstructedSurface, SurfaceOptions, SurfaceReconstruction,
};
use thixo_scene::{AtomicFile, FrameFile, PastRun, Precision};

use crate::console::{print_line, warn};
use crate::exit::Failure;
use crate::frame_choice::FrameChoice;
use crate::overwrite::refuse_existing;
use crate::progress::Progress;

const EXAMPLE: &str = "\
Examples:
  thixo mesh out/snowball
  thixo mesh out/dam-break --frames 10..20 --format glb --attributes speed,j
  thixo mesh out/sand-column --by material --smoothing 25
  thixo mesh out/snowball --format usd

Every frame becomes a closed triangle mesh per object, or per material, or of all matter:
DIR/mesh/frame_00010_NAME.ply, or DIR/mesh/frame_00010.ply with --by all. Objects without particles
in a frame get an empty mesh, so that sequences have no gaps. Vertices have normals, the velocity
for motion blur (vx, vy, vz; _VX, _VY, _VZ in GLB), a colour, and the attributes asked for. OBJ has
no velocity and no attributes, STL has the shape only. USD is one animated file for all frames,
DIR/mesh/surfaces.usdc, with a mesh per object; one time code is one frame.

Exit codes: 0 done, 1 the disk is full, 2 bad input or usage.";

/// The file of all meshes over time.
const ANIMATION: &str = "surfaces.usdc";

/// Options of `thixo mesh`.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Mesh {
    /// The directory of a run in 3D, such as out/snowball.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    #[command(flatten)]
    frames: FrameChoice,
    /// Format of the files.
    #[arg(long, value_enum, default_value = "ply")]
    format: FormatArgument,
    /// One mesh per object, per material, or for all matter.
    #[arg(long, value_enum, default_value = "object")]
    by: GroupByArgument,
    /// Numbers at vertices besides velocity and colour: speed, or columns of the frames such as j
    /// or pressure.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "speed,j"
    )]
    attributes: Vec<String>,
    /// Smoothing passes, in which vertices move towards their neighbours.
    #[arg(long, value_name = "N", default_value_t = SurfaceOptions::default().smoothing)]
    smoothing: u32,
    /// Half the distance of particles [m] [default: from their volume at rest].
    #[arg(long, value_name = "M")]
    radius: Option<f64>,
    /// Level of the surface: 0 far away from particles, about 1 among them.
    #[arg(long, value_name = "X", default_value_t = SurfaceOptions::default().threshold)]
    threshold: f64,
    /// Half the reach of a particle, in radii.
    #[arg(long, value_name = "RADII", default_value_t = SurfaceOptions::default().smoothing_length)]
    smoothing_length: f64,
    /// Edge of the cubes that triangles are found in, in radii; smaller is finer and takes longer.
    #[arg(long, value_name = "RADII", default_value_t = SurfaceOptions::default().cube_size)]
    cube_size: f64,
    /// Replace meshes that are there already.
    #[arg(long)]
    overwrite: bool,
    /// Print one JSON object at the end, and nothing else.
    #[arg(long)]
    json: bool,
}

/// A format by name.
#[derive(Clone, Copy, ValueEnum)]
enum FormatArgument {
    /// Binary, with everything, in the precision of the run.
    Ply,
    /// Text, with normals and colours.
    Obj,
    /// Binary, the shape only.
    Stl,
    /// glTF 2.0 in one file, with everything, in single precision.
    Glb,
    /// USD, binary: all frames in one file, with everything, in single precision.
    Usd,
}

/// A division by name.
#[derive(Clone, Copy, ValueEnum)]
enum GroupByArgument {
    /// Every object and emitter.
    Object,
    /// Every material.
    Material,
    /// All matter together.
    All,
}

/// Files and numbers of the meshes.
#[derive(Clone, Copy)]
enum Target {
    /// A file for each.
    Files(Format),
    /// One file for all of them over time.
    Animation,
}

impl From<FormatArgument> for Target {
    fn from(argument: FormatArgument) -> Self {
        match argument {
            FormatArgument::Ply => Self::Files(Format::Ply),
            FormatArgument::Obj => Self::Files(Format::Obj),
            FormatArgument::Stl => Self::Files(Format::Stl),
            FormatArgument::Glb => Self::Files(Format::Glb),
            FormatArgument::Usd => Self::Animation,
        }
    }
}

impl From<GroupByArgument> for GroupBy {
    fn from(argument: GroupByArgument) -> Self {
        match argument {
            GroupByArgument::Object => Self::Object,
            GroupByArgument::Material => Self::Material,
            GroupByArgument::All => Self::All,
        }
    }
}

/// A mesh that was written.
struct Written {
    frame: u32,
    group: usize,
    path: PathBuf,
    made: Counts,
}

/// Summary of a mesh, kept after it is written.
struct Counts {
    particles: usize,
    left_out: usize,
    radius: f64,
    vertices: usize,
    triangles: usize,
    open_edges: usize,
    volume: f64,
    area: f64,
}

impl Counts {
    fn of(made: &ReconstructedSurface) -> Self {
        let solid = MeshProperties::of(&made.surface);
        Self {
            particles: made.particles,
            left_out: made.left_out,
            radius: made.radius,
            vertices: made.surface.positions.len(),
            triangles: made.surface.triangles.len(),
            open_edges: made.edges.open,
            volume: solid.volume,
            area: solid.area,
        }
    }
}

impl Mesh {
    /// Makes the meshes.
    pub fn run(&self) -> Result<(), Failure> {
        self.make().map_err(Failure::Input)
    }

    fn make(&self) -> Result<(), Error> {
        let begun = Instant::now();
        let run = PastRun::open(&self.directory)?;
        let reconstruction =
            SurfaceReconstruction::new(&run, self.by.into(), self.surface_options())?;
        let frames = self.frames.of(&run, run.scene()?.output.every)?;
        let folder = self.directory.join("mesh");
        self.refuse_existing(&folder, &reconstruction, &frames)?;
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        let precision = match run.record()?.precision.as_str() {
            "f64" => Precision::F64,
            _ => Precision::F32,
        };
        let progress = if self.json {
            Progress::Silent
        } else {
            Progress::new(0, frames.last().map_or(0, |frame| frame.0))
        };
        let target = Target::from(self.format);
        let mut animation = match target {
            Target::Files(_) => None,
            Target::Animation => {
                let path = folder.join(ANIMATION);
                let (scene, up) = (run.scene()?, reconstruction.up());
                let groups = reconstruction.groups();
                let file = SurfaceAnimation::create(&path, &scene, up, groups);
                Some(file.with_context(|| format!("cannot write {}", path.display()))?)
            }
        };
        let mut written = Vec::new();
        for (number, path) in &frames {
            let before = written.len();
            let frame = FrameFile::open(path)?;
            reconstruction.frame(&frame, path, |group, made| {
                // Particles that belong to no group are there only in files that others have
                // changed.
                let is_rest = group > 0 && group + 1 == reconstruction.groups().len();
                if is_rest && made.particles == 0 && animation.is_none() {
                    return Ok(());
                }
                let metadata = MeshMetadata {
                    name: &reconstruction.groups()[group].name,
                    frame: *number,
                    time: frame.time(),
                    precision,
                    up: reconstruction.up(),
                };
                let path = self.target(&folder, &reconstruction, *number, group);
                match (target, &mut animation) {
                    (Target::Files(format), _) => write(&path, format, &made, &metadata)?,
                    (_, Some(animation)) => animation
                        .add(*number, group, &made.surface)
                        .with_context(|| format!("cannot write {}", path.display()))?,
                    (Target::Animation, None) => {}
                }
                if is_rest && made.particles == 0 {
                    return Ok(());
                }
                let made = Counts::of(&made);
                let frame = *number;
                written.push(Written {
                    frame,
                    group,
                    path,
                    made,
                });
                Ok::<(), Error>(())
            })?;
            let triangles: usize = written[before..].iter().map(|w| w.made.triangles).sum();
            let meshes = written.len() - before;
            progress.tell(
                *number,
                &format!("{}, {triangles} triangles", count(meshes)),
            );
        }
        if let Some(animation) = animation {
            let path = folder.join(ANIMATION);
            let finished = animation.finish();
            finished.with_context(|| format!("cannot write {}", path.display()))?;
        }
        progress.finish();
        self.summarise(&reconstruction, &written, begun);
        Ok(())
    }

    fn surface_options(&self) -> SurfaceOptions {
        let mut options = SurfaceOptions::default();
        options.radius = self.radius;
        options.smoothing_length = self.smoothing_length;
        options.cube_size = self.cube_size;
        options.threshold = self.threshold;
        options.smoothing = self.smoothing;
        options.attributes.clone_from(&self.attributes);
        options
    }

    fn target(
        &self,
        folder: &Path,
        reconstruction: &SurfaceReconstruction,
        frame: u32,
        group: usize,
    ) -> PathBuf {
        let Target::Files(format) = self.format.into() else {
            return folder.join(ANIMATION);
        };
        let extension = format.extension();
        let name = match reconstruction.groups()[group].file_name.as_str() {
            "" => String::new(),
            name => format!("_{name}"),
        };
        folder.join(format!("frame_{frame:05}{name}.{extension}"))
    }

    fn refuse_existing(
        &self,
        folder: &Path,
        reconstruction: &SurfaceReconstruction,
        frames: &[(u32, PathBuf)],
    ) -> Result<(), Error> {
        if self.overwrite {
            return Ok(());
        }
        let groups = 0..reconstruction.groups().len();
        let targets = frames.iter().flat_map(|(number, _)| {
            let groups = groups.clone();
            groups.map(|group| self.target(folder, reconstruction, *number, group))
        });
        refuse_existing(targets)
    }

    fn summarise(
        &self,
        reconstruction: &SurfaceReconstruction,
        written: &[Written],
        begun: Instant,
    ) {
        let name = |w: &Written| reconstruction.groups()[w.group].in_words();
        for w in written {
            if w.made.left_out > 0 {
                warn(&format!(
                    "warning: frame {}: {} of the particles of {} are too far away from the others, and are left out",
                    w.frame,
                    w.made.left_out,
                    name(w)
                ));
            }
            if w.made.open_edges > 0 {
                warn(&format!(
                    "warning: {} has {} open edges",
                    w.path.display(),
                    w.made.open_edges
                ));
            }
        }
        let seconds = begun.elapsed().as_secs_f64();
        if self.json {
            let mesh = |w: &Written| -> Value {
                json!({
                    "file": w.path.to_string_lossy(),
                    "frame": w.frame,
                    "part": reconstruction.groups()[w.group].name,
                    "particles": w.made.particles,
                    "left_out": w.made.left_out,
                    "radius": w.made.radius,
                    "vertices": w.made.vertices,
                    "triangles": w.made.triangles,
                    "open_edges": w.made.open_edges,
                    "volume": w.made.volume,
                    "area": w.made.area,
                })
            };
            let meshes: Vec<Value> = written.iter().map(mesh).collect();
            print_line(&json!({ "meshes": meshes, "seconds": seconds }).to_string());
            return;
        }
        let (Some(first), Some(last)) = (written.first(), written.last()) else {
            return;
        };
        let empty = written.iter().filter(|w| w.made.triangles == 0).count();
        let empty = match empty {
            0 => String::new(),
            n => format!(", {n} of them empty: no particles there"),
        };
        print_line(&format!(
            "{} in {seconds:.1} s{empty}: {} to {}",
            count(written.len()),
            first.path.display(),
            last.path.display()
        ));
    }
}

fn write(
    path: &Path,
    format: Format,
    made: &ReconstructedSurface,
    metadata: &MeshMetadata<'_>,
) -> Result<(), Error> {
    AtomicFile::write_whole(path, |file| format.write(file, &made.surface, metadata))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn count(meshes: usize) -> String {
    match meshes {
        1 => "1 mesh".to_owned(),
        n => format!("{n} meshes"),
    }
}
