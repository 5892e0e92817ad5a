//! Particles as PLY: the scalar properties of the element `vertex`, text or binary of either byte
//! order. Lists and other elements are passed over.

use super::ParticleTable;
use crate::shape::AssetError;
use crate::shape::mesh::ply_header::{Element, Header, PropertyType};
use crate::shape::mesh::ply_values::Values;

/// Reads a PLY file.
pub(super) fn parse(bytes: &[u8]) -> Result<ParticleTable, AssetError> {
    let (header, body) = Header::parse(bytes)?;
    let mut values = Values::new(bytes, body, header.encoding);
    for element in &header.elements {
        if element.name == "vertex" {
            return vertices(element, &mut values);
        }
        if element.properties.is_empty() {
            continue;
        }
        for _ in 0..element.count {
            for property in &element.properties {
                values.skip(property)?;
            }
        }
    }
    Err(AssetError::Empty {
        message: "it has no element \"vertex\"",
    })
}

fn vertices(element: &Element, values: &mut Values<'_>) -> Result<ParticleTable, AssetError> {
    let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
    for property in &element.properties {
        if let PropertyType::Scalar(_) = property.kind {
            if columns.iter().any(|(name, _)| *name == property.name) {
                let message = format!("the property \"{}\" is there twice", property.name);
                return Err(values.malformed(&message));
            }
            columns.push((property.name.clone(), Vec::new()));
        }
    }
    if columns.is_empty() {
        return Err(AssetError::Empty {
            message: "its vertices have no numbers",
        });
    }
    for row in 0..element.count {
        let at_row = |error| match error {
            AssetError::Malformed {
                format,
                place,
                message,
            } => AssetError::Malformed {
                format,
                place: format!("row {row}, {place}"),
                message,
            },
            other => other,
        };
        let mut own = columns.iter_mut();
        for property in &element.properties {
            match property.kind {
                PropertyType::Scalar(kind) => {
                    let value = values.next(kind).map_err(at_row)?;
                    if let Some((_, column)) = own.next() {
                        column.push(value);
                    }
                }
                PropertyType::List { .. } => values.skip(property).map_err(at_row)?,
            }
        }
    }
    Ok(ParticleTable::of_rows(columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "ply\nformat ascii 1.0\nelement camera 1\nproperty list uchar float f\n\
        element vertex 2\nproperty float x\nproperty list uchar int near\nproperty double mass\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n\
        2 0.5 0.25\n1.5 1 7 2e-3\n-1 0 4\n3 0 1 1\n";

    #[test]
    fn numbers_of_vertices_are_columns() {
        let table = parse(TEXT.as_bytes()).unwrap();
        assert_eq!(table.names().collect::<Vec<_>>(), ["x", "mass"]);
        assert_eq!(table.column("mass"), Some(&[2e-3, 4.0][..]));
        assert_eq!(table.place(1), "row 1");
    }

    #[test]
    fn mistakes_are_named_with_their_row() {
        let message = |from: &str, to: &str| {
            let text = TEXT.replacen(from, to, 1);
            parse(text.as_bytes()).unwrap_err().to_string()
        };
        assert!(message("-1 0 4", "-1 0 four").contains("row 1, byte"));
        assert!(message("-1 0 4", "-1 0 four").contains("\"four\" is not a number"));
        assert!(message("element vertex", "element point").contains("no element \"vertex\""));
        assert!(message("double mass", "double x").contains("\"x\" is there twice"));
        assert!(message("element vertex 2", "element vertex 9999999").contains("row 3"));
    }
}
