//! In what two scenes differ, key by key.

use std::collections::BTreeMap;

use toml::{Table, Value};

/// Keys that say how far a run goes, how it is saved and what it is called, not what it is.
const FREE: [&str; 4] = [
    "title",
    "time.frames",
    "time.stop_on_energy_growth",
    "output.checkpoint_every",
];
/// Prefix of the keys that say what its pictures look like.
const LOOKS: &str = "render.";

/// A line for every key in which two scenes, written out by
/// [`Scene::to_toml`](crate::Scene::to_toml), are different runs. That one of them goes further is
/// no difference, nor is how it is drawn.
pub fn differences(before: &str, now: &str) -> Vec<String> {
    let (Some(before), Some(now)) = (keys(before), keys(now)) else {
        return vec!["it is not a scene".to_owned()];
    };
    let mut lines = Vec::new();
    for (key, old) in &before {
        match now.get(key) {
            Some(new) if new == old => {}
            Some(new) => lines.push(format!("{key} was {old} and is {new}")),
            None => lines.push(format!("{key} was {old} and is gone")),
        }
    }
    for (key, new) in &now {
        if !before.contains_key(key) {
            lines.push(format!("{key} is {new} and was not there"));
        }
    }
    lines
}

/// Every value of a scene by the path of its key.
fn keys(text: &str) -> Option<BTreeMap<String, String>> {
    let table: Table = text.parse().ok()?;
    let mut found = BTreeMap::new();
    collect("", &Value::Table(table), &mut found);
    found.retain(|key, _| !FREE.contains(&key.as_str()) && !key.starts_with(LOOKS));
    Some(found)
}

fn collect(path: &str, value: &Value, found: &mut BTreeMap<String, String>) {
    match value {
        Value::Table(table) => {
            for (key, value) in table {
                let path = match path {
                    "" => key.clone(),
                    _ => format!("{path}.{key}"),
                };
                collect(&path, value, found);
            }
        }
        Value::Array(list) if list.iter().any(Value::is_table) => {
            for (index, value) in list.iter().enumerate() {
                collect(&format!("{path}[{index}]"), value, found);
            }
        }
        _ => {
            found.insert(path.to_owned(), value.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named_by_key() {
        let before =
            "a = 1\n[time]\nframes = 2\nfps = 24.0\n[[objects]]\nv = [0.0, 1.0]\n[gone]\nx = true";
        let now = "a = 1\n[time]\nframes = 9\nfps = 25.0\n[[objects]]\nv = [0.0, 2.0]\n[[objects]]\nv = [1.0, 1.0]";
        assert_eq!(
            differences(before, now),
            [
                "gone.x was true and is gone",
                "objects[0].v was [0.0, 1.0] and is [0.0, 2.0]",
                "time.fps was 24.0 and is 25.0",
                "objects[1].v is [1.0, 1.0] and was not there",
            ]
        );
        assert!(differences(before, &before.replace("frames = 2", "frames = 7")).is_empty());
        assert!(differences("title = 'a'\nb = 1", "title = 'c'\nb = 1").is_empty());
        let drawn = format!("{before}\n[render]\nradius = 2\n[render.camera]\norbit = 3");
        assert!(differences(before, &drawn).is_empty());
        assert!(differences(&drawn, before).is_empty());
    }
}
