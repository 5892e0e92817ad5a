//! `thixo schema`: the JSON Schema of scene files, for editors.

use clap::Args;

use crate::console::print_line;
use crate::exit::Failure;

/// Name of the schema beside a scene.
pub const FILE: &str = "scene.schema.json";

const EXAMPLE: &str = "\
Examples:
  thixo schema > scene.schema.json

Editors that know Taplo, such as VS Code with \"Even Better TOML\", check a scene and complete its keys
if its first line is
  #:schema ./scene.schema.json
`thixo new` writes that line, and the schema beside the scene.";

/// Options of `thixo schema`.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Schema {
    /// Print it on one line.
    #[arg(long)]
    json: bool,
}

impl Schema {
    /// Prints the schema.
    pub fn run(&self) -> Result<(), Failure> {
        let schema = thixo_scene::schema();
        print_line(&match self.json {
            true => schema.to_string(),
            false => format!("{schema:#}"),
        });
        Ok(())
    }
}
