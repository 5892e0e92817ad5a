//! `thixo plot`: the budgets of runs as figures.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, bail};
use clap::{Args, ValueEnum};
use serde_json::json;
use thixo_render::plot::{Figure, Run, Sheet, panels};
use thixo_scene::{AtomicFile, PastRun, RunState};

use crate::console::print_line;
use crate::exit::Failure;
use crate::overwrite::refuse_existing;

const EXAMPLE: &str = "\
Examples:
  thixo plot out/snowball
  thixo plot out/coarse out/fine --out comparison
  thixo plot out/snowball --format svg --overwrite

Energies, momenta, volume, mass, speed, time steps, and how fast the run was, over simulated time.
All of them are in DIR/plots/budgets.svg and .png, and each alone in a file of its own. Of several
runs, every quantity has a panel with a line for each run; they go to the first DIR, or to --out. A
run that is still going on is plotted as far as it is.

Exit codes: 0 done, 1 the disk is full, 2 bad input or usage.";

/// Pixels of a PNG per unit of an SVG.
const SCALE: f64 = 2.0;

/// Options of `thixo plot`.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Plot {
    /// Directories of runs, such as out/snowball.
    #[arg(value_name = "DIR", required = true)]
    directories: Vec<PathBuf>,
    /// Directory of the figures [default: plots in the first directory].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Formats of the figures.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "svg,png")]
    format: Vec<FormatArgument>,
    /// Replace figures that are there already.
    #[arg(long)]
    overwrite: bool,
    /// Print one JSON object at the end, and nothing else.
    #[arg(long)]
    json: bool,
}

/// A format by name.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatArgument {
    /// Lines and text that can be edited.
    Svg,
    /// Pixels.
    Png,
}

impl FormatArgument {
    fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }

    fn bytes(self, sheet: &Sheet) -> Result<Vec<u8>, Error> {
        match self {
            Self::Svg => Ok(sheet.to_svg().into_bytes()),
            Self::Png => sheet.to_png(SCALE).with_context(|| {
                let [width, height] = sheet.size;
                format!(
                    "a picture of {width} by {height} units is too large; plot fewer runs at once"
                )
            }),
        }
    }
}

impl Plot {
    /// Plots the runs.
    pub fn run(&self) -> Result<(), Failure> {
        self.plot().map_err(Failure::Input)
    }

    fn plot(&self) -> Result<(), Error> {
        let runs = self.runs()?;
        let panels = panels(&runs);
        if panels.is_empty() {
            bail!("there is nothing to plot: the budgets have no numbers");
        }
        let folder = match (&self.out, self.directories.first()) {
            (Some(out), _) => out.clone(),
            (None, Some(first)) => first.join("plots"),
            (None, None) => bail!("name the directory of a run"),
        };
        let title = match &runs[..] {
            [run] => run.name.clone(),
            runs => format!("{} runs", runs.len()),
        };
        let mut named = vec![("budgets", &panels[..])];
        named.extend(
            panels
                .iter()
                .map(|own| (own.key, std::slice::from_ref(own))),
        );
        let mut files = Vec::new();
        for (name, panels) in named {
            let figure = Figure {
                title: &title,
                runs: &runs,
                panels,
                columns: if runs.len() > 1 { 4 } else { 3 },
            };
            let sheet = figure.sheet();
            for format in &self.format {
                let path = folder.join(format!("{name}.{}", format.extension()));
                files.push((path, sheet.clone(), *format));
            }
        }
        self.write(&folder, &files)?;
        self.summarise(&files);
        Ok(())
    }

    /// The runs, named after their directories.
    fn runs(&self) -> Result<Vec<Run>, Error> {
        let name = |path: &Path| match path.file_name() {
            Some(name) => name.to_string_lossy().into_owned(),
            None => path.display().to_string(),
        };
        let mut runs = Vec::new();
        for directory in &self.directories {
            let past = PastRun::open(directory)?;
            let record = past.record()?;
            let budgets = past.budgets()?;
            if budgets.is_empty() {
                bail!("{} has no frames yet", directory.display());
            }
            let namesakes = self
                .directories
                .iter()
                .filter(|other| name(other) == name(directory));
            let name = match namesakes.count() {
                1 => name(directory),
                _ => directory.display().to_string(),
            };
            let state = match record.state {
                RunState::Done => "",
                RunState::Running if past.owner().is_some() => " (running)",
                RunState::Running => " (killed)",
                RunState::Failed => " (failed)",
                RunState::Interrupted => " (interrupted)",
            };
            runs.push(Run {
                name: format!("{name}{state}"),
                dimension: record.dimension,
                budgets,
            });
        }
        Ok(runs)
    }

    fn write(
        &self,
        folder: &Path,
        files: &[(PathBuf, Sheet, FormatArgument)],
    ) -> Result<(), Error> {
        if !self.overwrite {
            refuse_existing(files.iter().map(|(path, ..)| path))?;
        }
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        for (path, sheet, format) in files {
            let bytes = format.bytes(sheet)?;
            let written = AtomicFile::write_whole(path, |file| file.write_all(&bytes));
            written.with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }

    fn summarise(&self, files: &[(PathBuf, Sheet, FormatArgument)]) {
        if self.json {
            let paths = files.iter().map(|(path, ..)| path.to_string_lossy());
            print_line(&json!({ "files": paths.collect::<Vec<_>>() }).to_string());
            return;
        }
        for (path, ..) in files {
            print_line(&path.display().to_string());
        }
    }
}
