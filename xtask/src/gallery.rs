//! The gallery: runs every scene, draws a few moments of it, and writes the page that shows them.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};
use color_quant::NeuQuant;

use crate::workspace::{Workspace, stdout_of};

/// Bytes of a picture, at most.
const MOST_BYTES: u64 = 150_000;
/// Pictures on a sheet.
const MOMENTS: u32 = 4;
/// Pixels of a moment before they are put on a sheet of the same width.
const SIZE: &str = "800x450";
/// Stride of the colours that are looked at to choose a palette, 1 (all) to 30.
const SAMPLING: i32 = 3;

/// Arguments of `cargo xtask gallery`.
#[derive(clap::Args)]
pub struct Options {
    /// Scenes to run and draw; all of them if none is named
    scenes: Vec<String>,
    /// Directory of the runs; those of the same scenes are not repeated, and go on if they were
    /// interrupted [default: gallery under the target directory]
    #[arg(long, value_name = "DIR")]
    runs: Option<PathBuf>,
    /// Use this program instead of building thixo
    #[arg(long, value_name = "PROGRAM")]
    thixo: Option<PathBuf>,
}

/// A scene and what its file says about it.
struct Entry {
    name: String,
    path: PathBuf,
    title: String,
    /// The comment at the head of the file.
    about: String,
}

/// Makes the pictures in `docs/gallery` and the page `docs/gallery.md`.
pub fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode> {
    let thixo = workspace.thixo(options.thixo.as_deref())?;
    let runs = match &options.runs {
        Some(path) => path.clone(),
        None => workspace.target_directory()?.join("gallery"),
    };
    let entries = entries(&workspace.root().join("scenes"))?;
    for name in &options.scenes {
        let known = entries.iter().any(|entry| entry.name == *name);
        ensure!(known, "there is no scene called {name}");
    }
    let pictures = workspace.root().join("docs/gallery");
    fs::create_dir_all(&pictures)?;
    for entry in &entries {
        if !options.scenes.is_empty() && !options.scenes.contains(&entry.name) {
            continue;
        }
        let directory = runs.join(&entry.name);
        let frames = frames(&thixo, &entry.path)?;
        let run = |how: &str| {
            let mut command = Command::new(&thixo);
            command.arg("run").arg(&entry.path).arg(how);
            stdout_of(command.arg("--quiet").arg("--out").arg(&directory))
        };
        // Refused, with the reason, where the run is of another scene.
        if !directory.exists() || run("--resume").is_err() {
            eprintln!("running {}", entry.name);
            run("--overwrite")?;
        }
        draw(&thixo, (entry, frames), &directory, &pictures)?;
    }
    fs::write(
        workspace.root().join("docs/gallery.md"),
        page(&entries, &pictures),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// All scenes, by name.
fn entries(scenes: &Path) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for file in fs::read_dir(scenes)? {
        let path = file?.path();
        let (Some(stem), Some("toml")) = (
            path.file_stem().and_then(|stem| stem.to_str()),
            path.extension().and_then(|extension| extension.to_str()),
        ) else {
            continue;
        };
        let text = fs::read_to_string(&path)?;
        let value = |key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key));
            let value = line.and_then(|line| line.trim_start().strip_prefix('='));
            value.with_context(|| format!("{} has no {key}", path.display()))
        };
        let comment = text.lines().take_while(|line| line.starts_with('#'));
        entries.push(Entry {
            name: stem.to_owned(),
            title: value("title")?.trim().trim_matches('"').to_owned(),
            about: comment
                .map(|line| line.trim_start_matches('#').trim())
                .collect::<Vec<_>>()
                .join(" "),
            path,
        });
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

/// The number of the last frame of a scene.
fn frames(thixo: &Path, scene: &Path) -> Result<u32> {
    let mut command = Command::new(thixo);
    let found = stdout_of(command.arg("check").arg(scene).arg("--json"))?;
    let found: serde_json::Value = serde_json::from_str(&found)?;
    let frames = found["frames"].as_u64();
    Ok(frames.context("thixo check names no frames")? as u32)
}

/// Draws a few moments of a run into one small picture.
fn draw(thixo: &Path, (entry, frames): (&Entry, u32), run: &Path, pictures: &Path) -> Result<()> {
    let every = (frames / (MOMENTS - 1)).max(1);
    let last = every * (MOMENTS - 1).min(frames / every);
    let mut command = Command::new(thixo);
    command.arg("render").arg(run);
    command.args(["--formats", "contact", "--overwrite", "--json"]);
    command.args(["--size", SIZE, "--contact-sheet", &MOMENTS.to_string()]);
    // Counted from the end: the last frame shows where it led to.
    let range = format!("{}..{frames}", frames - last);
    stdout_of(command.args(["--frames", &range, "--every", &every.to_string()]))?;
    let target = pictures.join(format!("{}.png", entry.name));
    shrink(&run.join("images/contact.png"), &target)?;
    let bytes = fs::metadata(&target)?.len();
    ensure!(
        bytes <= MOST_BYTES,
        "{} has {bytes} bytes, more than {MOST_BYTES}",
        target.display()
    );
    eprintln!("{}: {} kB", target.display(), bytes / 1000);
    Ok(())
}

/// Writes a picture with as many of 256, 128, 64 colours as fit into the bytes it may have.
fn shrink(source: &Path, target: &Path) -> Result<()> {
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(fs::File::open(source)?)).read_info()?;
    let mut pixels = vec![0; reader.output_buffer_size().context("too large a picture")?];
    let info = reader.next_frame(&mut pixels)?;
    ensure!(
        info.color_type == png::ColorType::Rgb && info.bit_depth == png::BitDepth::Eight,
        "{} is not a picture of 24 bits",
        source.display()
    );
    let rgba: Vec<u8> = pixels[..info.buffer_size()]
        .chunks_exact(3)
        .flat_map(|rgb| [rgb[0], rgb[1], rgb[2], 255])
        .collect();
    for colors in [256, 128, 64] {
        let palette = NeuQuant::new(SAMPLING, colors, &rgba);
        let mut known = HashMap::new();
        let indices: Vec<u8> = rgba
            .chunks_exact(4)
            .map(|pixel| {
                let index = known
                    .entry(pixel)
                    .or_insert_with(|| palette.index_of(pixel));
                *index as u8
            })
            .collect();
        let mut encoder = png::Encoder::new(
            std::io::BufWriter::new(fs::File::create(target)?),
            info.width,
            info.height,
        );
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette(palette.color_map_rgb());
        encoder.set_compression(png::Compression::High);
        encoder.set_filter(png::Filter::NoFilter);
        encoder.write_header()?.write_image_data(&indices)?;
        if fs::metadata(target)?.len() <= MOST_BYTES {
            break;
        }
    }
    Ok(())
}

/// The page, with the scenes that have a picture.
fn page(entries: &[Entry], pictures: &Path) -> String {
    let mut page = String::from(
        "# Gallery\n\n\
         Scenes of [scenes](../scenes), at four moments from early to late. `thixo run NAME --render` makes a run with pictures and a video of any of them,\n\
         `cargo xtask gallery` this page. Which figure of which paper a scene follows, and what to look for, is in [replicability.md](replicability.md).\n",
    );
    let is_drawn = |entry: &&Entry| pictures.join(format!("{}.png", entry.name)).exists();
    for Entry {
        name, title, about, ..
    } in entries.iter().filter(is_drawn)
    {
        let about = about.replace('[', "\\[").replace(']', "\\]");
        page.push_str(&format!(
            "\n## {title}\n\n![{title}](gallery/{name}.png)\n\n`thixo run {name} --render`. {about}\n"
        ));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_small_and_on_the_page() {
        let workspace = Workspace::find().unwrap();
        let docs = workspace.root().join("docs");
        let entries = entries(&workspace.root().join("scenes")).unwrap();
        assert!(entries.len() > 30);
        let pictures = docs.join("gallery");
        for file in fs::read_dir(&pictures).unwrap() {
            let file = file.unwrap();
            let name = file.file_name().into_string().unwrap();
            let is_scene = entries.iter().any(|e| name == format!("{}.png", e.name));
            assert!(is_scene, "{name} is a picture of no scene");
            let bytes = file.metadata().unwrap().len();
            assert!(bytes <= MOST_BYTES, "{name}: {bytes}");
        }
        let there = fs::read_to_string(docs.join("gallery.md")).unwrap();
        assert_eq!(there, page(&entries, &pictures), "run cargo xtask gallery");
    }
}
