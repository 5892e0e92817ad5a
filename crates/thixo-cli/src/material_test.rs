//! `thixo material-test`: one point of a material under a prescribed motion, as a table.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, anyhow};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use thixo::material::law::Law;
use thixo::material::point::{Motion, Normal, PointError, Record, Stage, Testable, write_csv};
use thixo_scene::{Material, Scene, gallery, nearest};

use crate::console::print_line;
use crate::exit::Failure;
use crate::materials::{known_material, number};

const EXAMPLE: &str = "\
Examples:
  thixo material-test snow --path isotropic-compression --rate 0.1 --duration 1 > snow.csv
  thixo material-test foam --path shear --rate 2 --duration 0.5 --steps 500 --out foam.csv
  thixo material-test toothpaste --path relaxation --strain 0.5 --duration 2 --json
  thixo material-test sand --path compression --lateral-stress -1000 --set young_modulus=1e6
  thixo material-test neo_hookean --set density=1000 --set young_modulus=1e6 --set poisson_ratio=0.3
  thixo material-test jelly --scene jelly-drop --path extension

Columns: time [s]; deformation gradient F; Kirchhoff stress tau and Cauchy stress sigma [Pa], tension
positive; volume ratio J; energy density [J/m³]; what the model remembers.

Exit codes: 0 done, 1 the test failed (the material cannot do that), 2 bad input or usage.";

/// Options of `thixo material-test`.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct MaterialTest {
    /// A preset, or a model with its parameters by --set; with --scene, a material of that scene.
    material: String,
    /// Take the material from a scene file or a built-in scene.
    #[arg(long, value_name = "SCENE")]
    scene: Option<String>,
    /// Set a parameter, as a scene would; may be repeated.
    #[arg(long, value_name = "KEY=VALUE", conflicts_with = "scene")]
    set: Vec<String>,
    /// Deformation path of the point.
    #[arg(long, value_enum, default_value_t = StrainPath::Shear)]
    path: StrainPath,
    /// Rate of shear, or of logarithmic strain along each strained axis [1/s].
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
    rate: f64,
    /// Shear of the step before relaxation; made at --rate [-].
    #[arg(long, default_value_t = 0.1, allow_negative_numbers = true)]
    strain: f64,
    /// Duration [s]; with relaxation, that of the hold.
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
    duration: f64,
    /// Time steps; with relaxation, of the step and of the hold each.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    steps: u32,
    /// 2 (plane strain) or 3.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=3))]
    dimension: u8,
    /// Normal stress that the sides bear [Pa], tension positive, with shear, compression and
    /// extension; held fixed if absent.
    #[arg(long, value_name = "PA", allow_negative_numbers = true)]
    lateral_stress: Option<f64>,
    /// File to write the table to instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print one JSON object with extremes and the end; the table only goes to --out.
    #[arg(long)]
    json: bool,
}

/// Prescribed deformation of the point.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StrainPath {
    /// Simple shear in the plane of the first two axes.
    Shear,
    /// Along the first axis.
    Extension,
    /// Along the first axis.
    Compression,
    /// The same along every axis.
    IsotropicExtension,
    /// The same along every axis.
    IsotropicCompression,
    /// Along the first axis, with compression along the second at constant volume.
    PlanarExtension,
    /// A step of shear, then held.
    Relaxation,
}

impl MaterialTest {
    /// Runs the test.
    pub fn run(&self) -> Result<(), Failure> {
        let material = self.material().map_err(Failure::Input)?;
        let stages = self.stages().map_err(Failure::Input)?;
        match self.dimension {
            2 => self.test::<2>(&material, &stages),
            _ => self.test::<3>(&material, &stages),
        }
    }

    fn test<const D: usize>(&self, material: &Material, stages: &[Stage]) -> Result<(), Failure>
    where
        dyn Law: Testable<D>,
    {
        let specimen = material
            .specimen::<D>()
            .map_err(|error| Failure::Input(error.into()))?;
        let records = specimen.drive(stages).map_err(|error| match error {
            PointError::Stage { .. } => Failure::Input(error.into()),
            _ => Failure::Run(error.into()),
        })?;
        if let Some(path) = &self.out {
            let file = File::create(path)
                .with_context(|| format!("cannot write {}", path.display()))
                .map_err(Failure::Input)?;
            write_table(&records, BufWriter::new(file))
                .with_context(|| format!("cannot write {}", path.display()))
                .map_err(Failure::Run)?;
        }
        if self.json {
            print_line(&self.summary(material, &records).to_string());
        } else if let Some(path) = &self.out {
            print_line(&format!(
                "{} rows written to {}",
                records.len(),
                path.display()
            ));
        } else {
            match write_table(&records, BufWriter::new(io::stdout().lock())) {
                // The reader has seen enough.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
                outcome => outcome
                    .context("cannot write the table")
                    .map_err(Failure::Run)?,
            }
        }
        Ok(())
    }

    /// The preset or model with its parameters, or the material of the scene.
    fn material(&self) -> Result<Material, Error> {
        let Some(scene) = &self.scene else {
            let (kind, name) = known_material(&self.material)?;
            let mut text = format!("{kind} = \"{name}\"\n");
            for change in &self.set {
                let Some((key, value)) = change.split_once('=') else {
                    return Err(anyhow!(
                        "--set {change} lacks a value; write --set KEY=VALUE"
                    ));
                };
                text += &assignment(key.trim(), value.trim());
            }
            return Ok(Material::parse(&text, &format!("{kind} {name}"))?);
        };
        let mut scene = read_scene(scene)?;
        let names = scene.material_names();
        let material = scene.materials.remove(&self.material).ok_or_else(|| {
            let name = &self.material;
            let known = names.join(", ");
            match nearest(name, names.iter().map(String::as_str)) {
                Some(near) => {
                    anyhow!("the scene has no material \"{name}\"; did you mean \"{near}\"?")
                }
                None => anyhow!("the scene has no material \"{name}\"; it has {known}"),
            }
        })?;
        if let Some((key, text)) = material.formulas.iter().next() {
            let name = &self.material;
            return Err(anyhow!(
                "{key} of the material \"{name}\" is {text:?}, which differs from place to place; a test needs a number"
            ));
        }
        Ok(material.law)
    }

    fn stages(&self) -> Result<Vec<Stage>, Error> {
        for (option, value) in [
            ("--rate", self.rate),
            ("--duration", self.duration),
            ("--strain", self.strain),
        ] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(anyhow!(
                    "{option} is {value}; it must be positive and finite"
                ));
            }
        }
        let sides = match self.lateral_stress {
            None => Normal::Fixed,
            Some(stress) if stress.is_finite() => Normal::Stress(stress),
            Some(stress) => return Err(anyhow!("--lateral-stress is {stress}; it must be finite")),
        };
        let has_sides = matches!(
            self.path,
            StrainPath::Shear
                | StrainPath::Extension
                | StrainPath::Compression
                | StrainPath::Relaxation
        );
        if sides != Normal::Fixed && !has_sides {
            return Err(anyhow!(
                "--lateral-stress goes with shear, extension, compression and relaxation only: \
                 the other paths prescribe all axes"
            ));
        }
        let rate = self.rate;
        let shear = |rate: f64| Motion::Shear {
            rate,
            normal: sides,
        };
        let along = |rate: f64| Motion::Uniaxial {
            rate,
            lateral: sides,
        };
        let motion = match self.path {
            StrainPath::Shear | StrainPath::Relaxation => shear(rate),
            StrainPath::Extension => along(rate),
            StrainPath::Compression => along(-rate),
            StrainPath::IsotropicExtension => Motion::Isotropic { rate },
            StrainPath::IsotropicCompression => Motion::Isotropic { rate: -rate },
            StrainPath::PlanarExtension => Motion::Planar { rate },
        };
        let steps = self.steps as usize;
        Ok(if self.path == StrainPath::Relaxation {
            let hold = match sides {
                Normal::Fixed => Motion::Rest,
                Normal::Stress(_) => shear(0.0),
            };
            vec![
                Stage::new(motion, self.strain / rate, steps),
                Stage::new(hold, self.duration, steps),
            ]
        } else {
            vec![Stage::new(motion, self.duration, steps)]
        })
    }

    fn summary<const D: usize>(&self, material: &Material, records: &[Record<D>]) -> Value {
        let shear = records.iter().map(|r| r.cauchy_stress[0][1]);
        let axial = records.iter().map(|r| r.cauchy_stress[0][0]);
        let end = records.last();
        let parameters: serde_json::Map<String, Value> = material
            .numbers()
            .into_iter()
            .map(|(key, value)| (key.to_owned(), number(value)))
            .collect();
        json!({
            "material": self.material,
            "model": material.model(),
            "parameters": parameters,
            "path": self.path.to_possible_value().map(|word| word.get_name().to_owned()),
            "rate": self.rate,
            "dimension": D,
            "rows": records.len(),
            "time": end.map(|r| r.time),
            "sigma_12": { "min": shear.clone().fold(f64::INFINITY, f64::min), "max": shear.fold(f64::NEG_INFINITY, f64::max), "end": end.map(|r| r.cauchy_stress[0][1]) },
            "sigma_11": { "min": axial.clone().fold(f64::INFINITY, f64::min), "max": axial.fold(f64::NEG_INFINITY, f64::max), "end": end.map(|r| r.cauchy_stress[0][0]) },
            "volume_ratio": end.map(|r| r.volume_ratio),
            "energy_density": end.and_then(|r| r.energy_density),
            "table": self.out,
        })
    }
}

/// `key = value` as a scene writes it: numbers and quoted words as they are, everything else as a
/// word.
fn assignment(key: &str, value: &str) -> String {
    let is_quoted = |quote: char| {
        let inside = value
            .strip_prefix(quote)
            .and_then(|v| v.strip_suffix(quote));
        inside.is_some_and(|inside| !inside.contains([quote, '\\']))
    };
    if value.parse::<f64>().is_ok() {
        format!("{key} = {}\n", value.to_lowercase())
    } else if is_quoted('"') || is_quoted('\'') {
        format!("{key} = {value}\n")
    } else {
        format!("{key} = {value:?}\n")
    }
}

fn write_table<const D: usize>(records: &[Record<D>], mut out: impl Write) -> io::Result<()> {
    write_csv(records, &mut out)?;
    out.flush()
}

fn read_scene(name: &str) -> Result<Scene, Error> {
    let path = Path::new(name);
    if path.is_file() {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
        return Ok(Scene::parse(&text, name)?);
    }
    let Some(built_in) = gallery::find(name) else {
        return Err(anyhow!("there is no file and no built-in scene \"{name}\""));
    };
    let file = format!("{}.toml (built in)", built_in.name);
    Ok(Scene::parse(built_in.text, &file)?)
}
