//! Values that replace those of a scene file: `--set path.to.key=value`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use toml::de::{DeTable, DeValue};
use toml_edit::{DocumentMut, InlineTable, Item, Table, Value};

/// A key of a scene, written as in messages (`objects[0].velocity`), and its value.
#[derive(Clone, Debug)]
pub struct Setting {
    path: Vec<Step>,
    value: Value,
}

/// A step on the way to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// Into a table.
    Key(String),
    /// Into a list.
    Index(usize),
}

/// A setting that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SettingError {
    /// There is no `=`, or nothing before it.
    #[error(
        "\"{text}\" sets nothing; write path.to.key=value, such as grid.spacing=0.02 or objects[0].velocity=[1, 0]"
    )]
    NoPath {
        /// Text that was written.
        text: String,
    },
    /// The path cannot be read.
    #[error("the path \"{path}\" cannot be read: {reason}")]
    BadPath {
        /// The path.
        path: String,
        /// The reason.
        reason: &'static str,
    },
    /// A list has fewer entries.
    #[error("there is no {path}: the list has {length} entries, counted from 0")]
    NoSuchEntry {
        /// The path up to there.
        path: String,
        /// Their number.
        length: usize,
    },
    /// A table can only be replaced by another.
    #[error(
        "{path} is a table; set one of its keys, or write a whole table: {path}={{ key = value }}"
    )]
    NeedsTable {
        /// The path.
        path: String,
    },
    /// The path goes into a value that has no inside.
    #[error("{path} cannot be reached: what is there is {found}, not {expected}")]
    NotInside {
        /// The path up to there.
        path: String,
        /// Value that is there.
        found: &'static str,
        /// Value that the path needs.
        expected: &'static str,
    },
}

impl FromStr for Setting {
    type Err = SettingError;

    /// `path=value`. What is not a TOML value is taken as text, so that words need no quotes.
    fn from_str(text: &str) -> Result<Self, SettingError> {
        let nothing = || SettingError::NoPath {
            text: text.to_owned(),
        };
        let (path, value) = text.split_once('=').ok_or_else(nothing)?;
        let (path, value) = (path.trim(), value.trim());
        if path.is_empty() {
            return Err(nothing());
        }
        Ok(Self {
            path: steps(path)?,
            value: parsed(value).unwrap_or_else(|| Value::from(value)),
        })
    }
}

/// `a.b[2].c` as steps.
fn steps(path: &str) -> Result<Vec<Step>, SettingError> {
    let bad = |reason| SettingError::BadPath {
        path: path.to_owned(),
        reason,
    };
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (key, mut indices) = part.split_at(part.find('[').unwrap_or(part.len()));
        let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if key.is_empty() || !key.chars().all(is_bare) {
            return Err(bad(
                "keys are made of letters, digits, - and _, with a dot between them",
            ));
        }
        steps.push(Step::Key(key.to_owned()));
        while !indices.is_empty() {
            let inside = indices
                .strip_prefix('[')
                .and_then(|rest| rest.split_once(']'));
            let (index, rest) = inside.ok_or_else(|| bad("a bracket is not closed"))?;
            let index = index.trim().parse();
            steps.push(Step::Index(index.map_err(|_| {
                bad("brackets hold the number of an entry, from 0")
            })?));
            indices = rest;
        }
    }
    Ok(steps)
}

/// The first steps of a path, as messages write it.
struct Written<'a>(&'a [Step]);

impl fmt::Display for Written<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if k == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// The text of a scene with the settings in it; everything else stays where it is. A text that is
/// not TOML is returned as it is: reading it says what is wrong.
pub fn with_settings(text: &str, settings: &[Setting]) -> Result<String, SettingError> {
    if settings.is_empty() {
        return Ok(text.to_owned());
    }
    let Some(mut document) = document(text) else {
        return Ok(text.to_owned());
    };
    for setting in settings {
        let place = find(document.as_item_mut(), &setting.path)?;
        *place = match (&*place, setting.value.clone()) {
            // The comment behind a value belongs to the key and stays.
            (Item::Value(old), mut value) => {
                *value.decor_mut() = old.decor().clone();
                Item::Value(value)
            }
            (Item::None, value) => Item::Value(value),
            (Item::Table(_), Value::InlineTable(table)) => Item::Table(table.into_table()),
            _ => {
                return Err(SettingError::NeedsTable {
                    path: Written(&setting.path).to_string(),
                });
            }
        };
    }
    Ok(document.to_string())
}

/// The text of a scene with the settings of its own table `[preview]`, if it has one.
pub fn with_preview(text: &str) -> Result<String, SettingError> {
    let Some(document) = document(text) else {
        return Ok(text.to_owned());
    };
    let mut settings = Vec::new();
    if let Some(preview) = document.get("preview").and_then(Item::as_table_like) {
        for (path, value) in preview.iter() {
            if let Some(value) = value.as_value() {
                settings.push(Setting {
                    path: steps(path)?,
                    value: value.clone(),
                });
            }
        }
    }
    with_settings(text, &settings)
}

/// A text that can be changed, if it is sound. The parser that keeps comments panics on some texts
/// that are not, so another one, which reports them all, looks first.
fn document(text: &str) -> Option<DocumentMut> {
    DeTable::parse(text).ok()?;
    text.parse().ok()
}

/// A value, if it is sound.
fn parsed(text: &str) -> Option<Value> {
    DeValue::parse(text).ok()?;
    text.parse().ok()
}

/// The place that a path leads to; tables on the way are made.
fn find<'a>(root: &'a mut Item, path: &[Step]) -> Result<&'a mut Item, SettingError> {
    let mut place = root;
    for (k, step) in path.iter().enumerate() {
        let found = kind(place);
        let not_inside = |expected| SettingError::NotInside {
            path: Written(&path[..=k]).to_string(),
            found,
            expected,
        };
        place = match step {
            Step::Key(key) => {
                if place.is_none() {
                    *place = Item::Table(Table::new());
                }
                let table = place.as_table_like_mut();
                table
                    .ok_or_else(|| not_inside("a table"))?
                    .entry(key)
                    .or_insert(Item::None)
            }
            Step::Index(index) => {
                let length = match place {
                    Item::ArrayOfTables(list) => list.len(),
                    Item::Value(Value::Array(list)) => list.len(),
                    _ => return Err(not_inside("a list")),
                };
                if *index >= length {
                    let path = Written(&path[..=k]).to_string();
                    return Err(SettingError::NoSuchEntry { path, length });
                }
                place.get_mut(*index).ok_or_else(|| not_inside("a list"))?
            }
        };
    }
    Ok(place)
}

fn kind(item: &Item) -> &'static str {
    match item {
        Item::None => "nothing",
        Item::Table(_) | Item::Value(Value::InlineTable(InlineTable { .. })) => "a table",
        Item::ArrayOfTables(_) | Item::Value(Value::Array(_)) => "a list",
        Item::Value(Value::String(_)) => "text",
        Item::Value(_) => "a single value",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = "\
title = \"t\"
[grid]
spacing = 0.1 # m
[[objects]]
velocity = [1, 2]
shape = { sphere = { center = [0, 0], radius = 1 } }
[[objects]]
velocity = [3, 4]
";

    fn set(setting: &str) -> Result<String, SettingError> {
        with_settings(SCENE, &[setting.parse()?])
    }

    #[test]
    fn values_are_replaced_where_they_are() {
        let changed = set("grid.spacing=0.05").unwrap();
        assert_eq!(changed, SCENE.replace("0.1 # m", "0.05 # m"));
        let changed = set("objects[1].velocity = [5, 6]").unwrap();
        assert_eq!(changed, SCENE.replace("[3, 4]", "[5, 6]"));
        let changed = set("objects[0].velocity[1]=7").unwrap();
        assert_eq!(changed, SCENE.replace("[1, 2]", "[1, 7]"));
        let changed = set("objects[0].shape.sphere.radius=2").unwrap();
        assert_eq!(changed, SCENE.replace("radius = 1", "radius = 2"));
    }

    #[test]
    fn words_need_no_quotes_and_tables_are_made() {
        let changed = set("physics.transfer=apic").unwrap();
        let table: toml::Table = changed.parse().unwrap();
        assert_eq!(table["physics"]["transfer"].as_str(), Some("apic"));
        let changed = set("grid={ spacing = 3 }").unwrap();
        let table: toml::Table = changed.parse().unwrap();
        assert_eq!(table["grid"]["spacing"].as_integer(), Some(3));
        assert_eq!(table["objects"].as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn what_cannot_be_set_is_refused_with_the_reason() {
        for (setting, words) in [
            ("grid.spacing", "sets nothing"),
            ("=3", "sets nothing"),
            ("grid..spacing=1", "keys are made of letters"),
            ("objects[x].velocity=1", "number of an entry"),
            ("objects[0.velocity=1", "a bracket is not closed"),
            (
                "objects[2].velocity=1",
                "there is no objects[2]: the list has 2 entries",
            ),
            (
                "title.text=1",
                "title.text cannot be reached: what is there is text, not a table",
            ),
            (
                "grid[0]=1",
                "grid[0] cannot be reached: what is there is a table, not a list",
            ),
            ("objects[1]=1", "objects[1] is a table; set one of its keys"),
        ] {
            let message = set(setting).unwrap_err().to_string();
            assert!(message.contains(words), "{setting}: {message}");
        }
    }

    #[test]
    fn a_preview_is_a_list_of_settings() {
        let text = format!("{SCENE}[preview]\n\"grid.spacing\" = 0.5 # m\n\"time.frames\" = 3\n");
        let table: toml::Table = with_preview(&text).unwrap().parse().unwrap();
        assert_eq!(table["grid"]["spacing"].as_float(), Some(0.5));
        assert_eq!(table["time"]["frames"].as_integer(), Some(3));
        assert_eq!(with_preview(SCENE).unwrap(), SCENE);
        let wrong = format!("{SCENE}[preview]\n\"objects[9].velocity\" = 1\n");
        assert!(with_preview(&wrong).is_err());
    }

    #[test]
    fn text_that_is_not_toml_is_left_to_the_reader() {
        let setting = "a=1".parse().unwrap();
        assert_eq!(with_settings("a = [", &[setting]).unwrap(), "a = [");
        // Found by fuzzing: the parser that keeps comments panics on it.
        let broken = ",\nshape={={={={s i{{}}}{{}}c \"\n[]a=\"\nshape.";
        assert_eq!(with_preview(broken).unwrap(), broken);
    }
}
