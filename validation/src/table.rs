//! The table at the end.

use crate::{Role, Row};

/// Numbers short enough for a table.
fn number(x: f64) -> String {
    if x == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e5).contains(&x.abs()) {
        let digits = 4 - (x.abs().log10().floor() as i32).clamp(-3, 4);
        format!("{x:.*}", digits as usize)
    } else {
        format!("{x:.2e}")
    }
}

/// Lays out rows, with a title, as a table that is Markdown as well.
pub fn render(rows: &[Row]) -> String {
    let header = [
        "case",
        "quantity",
        "expected",
        "got",
        "error",
        "tolerance",
        "verdict",
    ]
    .map(str::to_owned);
    let lines: Vec<_> = rows
        .iter()
        .map(|row| {
            let optional = |x: Option<f64>| x.map_or("–".to_owned(), number);
            let error = match row.role {
                Role::Record => "–".to_owned(),
                _ => format!("{:.1e}", row.error),
            };
            [
                row.case.clone(),
                row.quantity.to_owned(),
                optional(row.expected),
                number(row.got),
                error,
                optional(row.tolerance),
                row.verdict().to_owned(),
            ]
        })
        .collect();
    let mut widths = [3; 7];
    for line in lines.iter().chain([&header]) {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let is_left = |column: usize| column < 2 || column == 6;
    let layout = |line: &[String; 7]| {
        let mut out = String::from("|");
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            out += &if is_left(column) {
                format!(" {cell:<width$} |")
            } else {
                format!(" {cell:>width$} |")
            };
        }
        out + "\n"
    };
    let mut table = layout(&header) + "|";
    for (column, width) in widths.iter().enumerate() {
        let end = if is_left(column) { '-' } else { ':' };
        table += &format!(" {}{end} |", "-".repeat(width - 1));
    }
    table.push('\n');
    table.extend(lines.iter().map(layout));
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_equally_wide_and_numbers_short() {
        let rows = [
            Row::relative("a long case", "period [s]", 2.0, 2.001, 0.01),
            Row::record("b", "loss", 1.234_567e-7),
        ];
        let table = render(&rows);
        let widths: Vec<_> = table.lines().map(|line| line.chars().count()).collect();
        assert!(widths.iter().all(|w| *w == widths[0]), "{table}");
        assert!(table.contains("2.0010") && table.contains("1.23e-7"));
    }
}
