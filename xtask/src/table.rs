//! Tables for terminals that are Markdown as well, so that they can be pasted into a page.

/// Lays out `rows` under `header`; columns whose header starts with `<` are aligned to the left,
/// others to the right.
pub fn render<const N: usize>(header: [&str; N], rows: &[[String; N]]) -> String {
    let left = header.map(|title| title.starts_with('<'));
    let header = header.map(|title| title.trim_start_matches('<').to_owned());
    let mut widths = [3; N];
    for row in rows.iter().chain([&header]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |row: &[String; N]| {
        let mut line = String::from("|");
        for ((cell, &width), left) in row.iter().zip(&widths).zip(left) {
            line += &if left {
                format!(" {cell:<width$} |")
            } else {
                format!(" {cell:>width$} |")
            };
        }
        line + "\n"
    };
    let mut table = line(&header) + "|";
    for (width, left) in widths.iter().zip(left) {
        table += &format!(
            " {}{} |",
            "-".repeat(width - 1),
            if left { '-' } else { ':' }
        );
    }
    table.push('\n');
    table.extend(rows.iter().map(line));
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [
            ["sand".to_owned(), "1".to_owned()],
            ["neo_hookean".to_owned(), "12.5".to_owned()],
        ];
        assert_eq!(
            render(["<material", "M/s"], &rows),
            "| material    |  M/s |\n| ----------- | ---: |\n| sand        |    1 |\n| neo_hookean | 12.5 |\n"
        );
    }
}
