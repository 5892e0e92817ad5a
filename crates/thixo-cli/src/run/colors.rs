//! `--render`: colours that cannot be drawn are found before the run, not after it.

use anyhow::{Error, bail};
use thixo_scene::frame::{Capture, Column};
use thixo_scene::{Built, Precise, Scene, nearest};

/// Colourings that need no column of that name.
const ALWAYS: [&str; 4] = ["look", "object", "material", "speed"];

/// Refuses colours by a quantity that frames will not hold.
pub fn check_colors<T: Precise<D>, const D: usize>(
    scene: &Scene,
    built: &Built<T, D>,
) -> Result<(), Error> {
    let name = match &scene.render.color_by {
        Some(name) if scene.render.slice.is_none() && !ALWAYS.contains(&name.as_str()) => name,
        _ => return Ok(()),
    };
    let start = Capture {
        number: 0,
        simulation: &built.simulation,
        objects: &built.objects,
        columns: &scene.output.columns,
    };
    let columns = start.take().columns;
    let held: Vec<String> = columns.iter().flat_map(Column::component_names).collect();
    let needed = if name == "color" { "red" } else { name };
    if held.iter().any(|column| column == needed) {
        return Ok(());
    }
    if name == "color" {
        bail!("render.color_by is \"color\", but no object and no emitter has a color");
    }
    let known = held.iter().map(String::as_str).chain(ALWAYS);
    let suggestion = match nearest(name, known) {
        Some(near) => format!("; did you mean \"{near}\"?"),
        None => String::new(),
    };
    bail!(
        "render.color_by is \"{name}\", which the frames will not hold{suggestion}\nthey will hold {}; output.columns asks for more",
        held.join(", ")
    )
}
