//! `docs/materials.md` says what the library has. `THIXO_BLESS=1 cargo test -p thixo-scene --test
//! materials_page` writes it anew.

use std::fmt::Write;

use thixo::material::laws::LAWS;
use thixo::material::presets::presets;
use thixo_scene::Scene;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/materials.md");
const BEGIN: &str = "<!-- The rest of this page is written by a test: THIXO_BLESS=1 cargo test -p thixo-scene materials_page -->\n";

/// Words in a cell of a table.
fn cell(words: &str) -> String {
    words.replace('|', "\\|")
}

fn models(page: &mut String) {
    for model in LAWS {
        writeln!(page, "\n### {}\n", model.name).unwrap();
        writeln!(page, "{}. After {}.\n", cell(model.about), model.reference).unwrap();
        page.push_str("| key | unit | range | default | what it is |\n|---|---|---|---|---|\n");
        for parameter in model.parameters() {
            let default = parameter
                .default
                .map_or("required".to_owned(), |x| format!("{x:?}"));
            let (key, unit) = (parameter.key, parameter.unit());
            let (range, about) = (cell(parameter.range.words), cell(parameter.about));
            writeln!(page, "| `{key}` | {unit} | {range} | {default} | {about} |").unwrap();
        }
        for choice in model.choices() {
            let words: Vec<_> = choice
                .words
                .iter()
                .map(|(word, _)| format!("`\"{word}\"`"))
                .collect();
            let (words, default) = (words.join(", "), choice.default_word());
            let (key, about) = (choice.key, cell(choice.about));
            writeln!(page, "| `{key}` | | {words} | `\"{default}\"` | {about} |").unwrap();
        }
    }
}

fn generated() -> String {
    let mut page = String::from("\n## Models\n");
    models(&mut page);
    page.push_str("\n## Presets\n\n| preset | what it is | model | parameters | source |\n|---|---|---|---|---|\n");
    for preset in presets() {
        let parameters = preset.parameters().into_iter();
        let mut values: Vec<_> = parameters
            .map(|(parameter, value)| match parameter.unit() {
                "-" => format!("{} = {value:?}", parameter.key),
                unit => format!("{} = {value:?} {unit}", parameter.key),
            })
            .collect();
        let choices = preset.choices.iter();
        values.extend(choices.map(|(choice, word)| format!("{} = \"{word}\"", choice.key)));
        let (name, about, law) = (preset.name, cell(preset.about), preset.law.name);
        let (values, source) = (values.join(", "), cell(preset.source));
        writeln!(page, "| `{name}` | {about} | {law} | {values} | {source} |").unwrap();
    }
    page
}

#[test]
fn the_page_of_materials_is_current() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (head, rest) = page.split_once(BEGIN).unwrap();
    let expected = generated();
    if std::env::var_os("THIXO_BLESS").is_some() {
        std::fs::write(PAGE, format!("{head}{BEGIN}{expected}")).unwrap();
    } else {
        assert!(
            rest == expected,
            "docs/materials.md is out of date; see the top of this test"
        );
    }
}

#[test]
fn the_example_of_the_page_can_be_read() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let block = page.split("```toml\n").nth(1).unwrap();
    let example = block.split("```").next().unwrap();
    let text = format!(
        "dimension = 2\n[grid]\nspacing = 0.1\n[time]\nframes = 1\n{example}\
         [[objects]]\nmaterial = 'ball'\nshape = {{ sphere = {{ center = [0, 0], radius = 1 }} }}\n"
    );
    let scene = Scene::parse(&text, "page").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scene.material_names(), ["ball", "paste"]);
}
