//! Particles as comma-separated values: names in the first line, a particle in each other.
//!
//! Separators are commas, semicolons or tabs, whichever the first line has; lines that are empty or
//! begin with `#` are passed over. Numbers have points, `1.5e-3`.

use super::ParticleTable;
use crate::shape::AssetError;

/// Reads a CSV file.
pub(super) fn parse(bytes: &[u8]) -> Result<ParticleTable, AssetError> {
    let malformed = |line: usize, message: String| AssetError::Malformed {
        format: "CSV",
        place: format!("line {line}"),
        message,
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()]
            .iter()
            .filter(|b| **b == b'\n')
            .count();
        malformed(line, "it is not text in UTF-8".to_owned())
    })?;
    let text = text.trim_start_matches('\u{feff}');
    let lines = text.lines().zip(1..).filter(|(line, _)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    let mut separator = ',';
    let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
    let mut places = Vec::new();
    for (line, number) in lines {
        if columns.is_empty() {
            let found = [',', ';', '\t'].into_iter().find(|c| line.contains(*c));
            separator = found.unwrap_or(',');
            for name in line.split(separator) {
                let name = name.trim().trim_matches('"').to_owned();
                if name.is_empty() {
                    return Err(malformed(number, "a column has no name".to_owned()));
                }
                if columns.iter().any(|(own, _)| *own == name) {
                    return Err(malformed(
                        number,
                        format!("\"{}\" is there twice", shown(&name)),
                    ));
                }
                columns.push((name, Vec::new()));
            }
            continue;
        }
        let count = line.split(separator).count();
        if count != columns.len() {
            let wanted = columns.len();
            let message = format!("it has {count} values where the first line names {wanted}");
            return Err(malformed(number, message));
        }
        for (word, (name, values)) in line.split(separator).zip(&mut columns) {
            let Ok(value) = word.trim().parse() else {
                let (word, name) = (shown(word.trim()), shown(name));
                return Err(malformed(
                    number,
                    format!("{name} is \"{word}\", not a number"),
                ));
            };
            values.push(value);
        }
        places.push(number);
    }
    if columns.is_empty() {
        return Err(AssetError::Empty {
            message: "it has no line with the names of its columns",
        });
    }
    Ok(ParticleTable::of_lines(columns, places))
}

/// A word as messages show it.
fn shown(word: &str) -> String {
    word.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_particles_and_the_first_has_names() {
        let text = "\u{feff}# made by hand\nx, \"y\" ,mass\r\n\n0.5,1e-3,2\n-1,.5,3\n";
        let table = parse(text.as_bytes()).unwrap();
        assert_eq!(table.names().collect::<Vec<_>>(), ["x", "y", "mass"]);
        assert_eq!(table.column("y"), Some(&[1e-3, 0.5][..]));
        assert_eq!(table.place(1), "line 5");
        let semicolons = parse(b"x;y\n1;2\n").unwrap();
        assert_eq!(semicolons.column("y"), Some(&[2.0][..]));
        assert_eq!(parse(b"x\n1\n2\n").unwrap().rows(), 2);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let message = |text: &str| parse(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(
            message("x,y\n1,2\n1,a\n"),
            "is not a sound CSV file: line 3: y is \"a\", not a number"
        );
        assert!(
            message("x,y\n1\n").contains("line 2: it has 1 values where the first line names 2")
        );
        assert!(message("x,x\n").contains("line 1: \"x\" is there twice"));
        assert!(message("x,,y\n").contains("a column has no name"));
        assert!(message("\n").contains("is empty"));
        assert!(
            parse(b"x\n\xff\n")
                .unwrap_err()
                .to_string()
                .contains("line 2: it is not text")
        );
    }
}
