//! Panels side by side under one title.

use super::marks::{Anchor, Mark, Sheet};
use super::panel::{Panel, SAMPLE, TEXT, WIDTH, dashes};
use super::{INKS, Run};
use crate::text::{OutlineFont, Weight};

/// A title, the names of the runs, and panels.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure<'a> {
    /// Title.
    pub title: &'a str,
    /// The runs; several are named under the title.
    pub runs: &'a [Run],
    /// The panels, row by row.
    pub panels: &'a [Panel],
    /// Panels side by side, at most.
    pub columns: usize,
}

/// Size of a panel of a figure with several, and with one.
const PANEL: [f64; 2] = [470.0, 290.0];
const SINGLE: [f64; 2] = [760.0, 440.0];
/// Free space around everything.
const EDGE: f64 = 16.0;
const TITLE: f64 = 20.0;
const NAME: f64 = 13.0;
/// Height of a line of names.
const LINE: f64 = 22.0;

impl Figure<'_> {
    /// Puts everything in its place.
    pub fn sheet(&self) -> Sheet {
        let [width, height] = if self.panels.len() > 1 { PANEL } else { SINGLE };
        let columns = self.columns.clamp(1, self.panels.len().max(1));
        let rows = self.panels.len().div_ceil(columns);
        let full = columns as f64 * width + 2.0 * EDGE;
        let mut sheet = Sheet::default();
        let at = [EDGE + 20.0, EDGE + TITLE];
        sheet.write(
            self.title,
            (at, Anchor::Start),
            TITLE,
            (TEXT, Weight::Medium),
        );
        let mut y = EDGE + TITLE + 12.0;
        if self.runs.len() > 1 {
            y = self.names(&mut sheet, y + LINE, full - EDGE) + 6.0;
        }
        for (k, panel) in self.panels.iter().enumerate() {
            let corner = [
                EDGE + (k % columns) as f64 * width,
                y + (k / columns) as f64 * height,
            ];
            panel.draw(&mut sheet, corner, [width, height]);
        }
        sheet.size = [full, y + rows as f64 * height + EDGE];
        sheet
    }

    /// The names of the runs with their colours, in as many lines as they need; returns where they
    /// end.
    fn names(&self, sheet: &mut Sheet, mut y: f64, right: f64) -> f64 {
        let font = OutlineFont::new(Weight::Regular);
        let left = EDGE + 20.0;
        let mut x = left;
        for (k, run) in self.runs.iter().enumerate() {
            let width = SAMPLE + 7.0 + font.width(&run.name, NAME);
            if x > left && x + width > right {
                (x, y) = (left, y + LINE);
            }
            sheet.marks.push(Mark::Line {
                name: String::new(),
                points: vec![[x, y - 4.5], [x + SAMPLE, y - 4.5]],
                ink: INKS[k % INKS.len()],
                width: 1.5 * WIDTH,
                dashes: dashes(k / INKS.len()),
            });
            let at = [x + SAMPLE + 7.0, y];
            sheet.write(
                &run.name,
                (at, Anchor::Start),
                NAME,
                (TEXT, Weight::Regular),
            );
            x += width + 24.0;
        }
        y
    }
}
