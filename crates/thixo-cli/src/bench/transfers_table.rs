//! `thixo bench --suite transfers-table`: how long scenes of the gallery take by transfer, over
//! PIC, beside the table of \[Jiang2015thesis\] figure 5.11.
//!
//! A step costs about the same by any of them. What differs is how fast matter gets, and so how
//! many steps a frame takes; steps are therefore printed beside times. The machine may have other
//! work to do, the steps do not depend on it.

use std::time::Instant;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use thixo_scene::{Precise, Scene, Setting, gallery, with_instance, with_preview, with_settings};

/// Transfers of the columns, as scenes name them, and as the table does.
const TRANSFERS: [(&str, &str); 7] = [
    ("\"flip\"", "FLIP 1"),
    ("{ flip_pic = { flip = 0.99 } }", "0.99"),
    ("{ flip_pic = { flip = 0.95 } }", "0.95"),
    ("\"pic\"", "PIC 0"),
    ("{ apic_pic = { apic = 0.95 } }", "APIC 0.95"),
    ("{ apic_pic = { apic = 0.99 } }", "0.99"),
    ("\"apic\"", "1"),
];
/// The column of PIC, to which times relate.
const PIC: usize = 3;

/// A line of the table.
struct Line {
    /// The scene of the thesis.
    printed_name: &'static str,
    /// That of the gallery.
    scene: &'static str,
    /// Times over that of PIC, where the thesis has them.
    printed: [Option<f64>; 7],
}

/// The lines; the thesis also has lava in free fall, which needs heat.
const LINES: [Line; 5] = [
    Line {
        printed_name: "wine",
        scene: "wine",
        printed: [
            Some(1.2),
            Some(1.1),
            Some(1.1),
            Some(1.0),
            Some(1.0),
            Some(1.1),
            Some(1.1),
        ],
    },
    Line {
        printed_name: "river",
        scene: "river",
        printed: [None, Some(1.0), Some(1.1), Some(1.0), None, None, Some(1.2)],
    },
    Line {
        printed_name: "collision",
        scene: "spiral-collision",
        printed: [
            Some(9.5),
            Some(3.2),
            Some(1.5),
            Some(1.0),
            None,
            None,
            Some(5.0),
        ],
    },
    Line {
        printed_name: "water fountain",
        scene: "fountain-mac",
        printed: [
            Some(1.1),
            Some(1.2),
            Some(1.5),
            Some(1.0),
            None,
            None,
            Some(1.0),
        ],
    },
    Line {
        printed_name: "sand incline",
        scene: "sand-slide",
        printed: [
            Some(4.0),
            Some(1.9),
            Some(1.5),
            Some(1.0),
            None,
            None,
            Some(2.2),
        ],
    },
];

/// Cost of a scene by a transfer.
#[derive(Clone, Copy, Debug)]
struct Cost {
    /// Wall time of all frames \[s\].
    seconds: f64,
    steps: u64,
}

/// Runs all scenes in their smaller versions by all transfers, and hands each line on as it ends.
pub fn run(print: impl Fn(&str)) -> Result<Vec<Value>> {
    print("\n| scene | |");
    TRANSFERS
        .iter()
        .for_each(|(_, name)| print(&format!(" {name} |")));
    print("\n|---|---|---|---|---|---|---|---|---|\n");
    let mut rows = Vec::new();
    for line in &LINES {
        let costs: Vec<Cost> = TRANSFERS
            .iter()
            .map(|(transfer, name)| {
                let cost = measure(line.scene, transfer);
                cost.with_context(|| format!("{} by {name}", line.scene))
            })
            .collect::<Result<_>>()?;
        let of = |value: fn(&Cost) -> f64| {
            let over = value(&costs[PIC]);
            costs.iter().map(move |cost| value(cost) / over)
        };
        let times: Vec<f64> = of(|cost| cost.seconds).collect();
        let steps: Vec<f64> = of(|cost| cost.steps as f64).collect();
        let cells =
            |values: &[f64]| -> String { values.iter().map(|x| format!(" {x:.2} |")).collect() };
        let printed = line.printed.iter();
        let printed: String = printed
            .map(|x| x.map_or_else(|| "  |".to_owned(), |x| format!(" {x:.1} |")))
            .collect();
        print(&format!("| {} | printed |{printed}\n", line.printed_name));
        print(&format!("| {} | time |{}\n", line.scene, cells(&times)));
        print(&format!("| | steps |{}\n", cells(&steps)));
        rows.push(json!({
            "scene": line.scene,
            "transfers": TRANSFERS.map(|(transfer, _)| transfer),
            "seconds": costs.iter().map(|cost| cost.seconds).collect::<Vec<_>>(),
            "steps": costs.iter().map(|cost| cost.steps).collect::<Vec<_>>(),
            "printed": line.printed,
        }));
    }
    Ok(rows)
}

/// Runs the preview of a scene to its end.
fn measure(name: &str, transfer: &str) -> Result<Cost> {
    let text = gallery::find(name).context("a scene of the gallery")?.text;
    let setting: Setting = format!("physics.transfer={transfer}").parse()?;
    let scene = Scene::parse(&with_settings(&with_preview(text)?, &[setting])?, name)?;
    let instance = (scene.precision, scene.dimension);
    with_instance!(instance, |T, D| run_all::<T, D>(&scene))
}

/// Runs a scene to its end.
fn run_all<T: Precise<D>, const D: usize>(scene: &Scene) -> Result<Cost> {
    let mut built = scene.build::<T, D>(0)?;
    let begun = Instant::now();
    let mut steps = 0;
    for frame in 1..=scene.time.frames {
        steps += built.advance(frame)?.report.steps;
    }
    Ok(Cost {
        seconds: begun.elapsed().as_secs_f64(),
        steps,
    })
}
