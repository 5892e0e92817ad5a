//! A table of particles: columns of numbers by name.

/// Columns of equal length. Rows remember where in the file they stand.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct ParticleTable {
    columns: Vec<(String, Vec<f64>)>,
    /// Line of the file that each row stands in, of text; else its number from 0.
    places: Vec<usize>,
    /// "line" or "row".
    unit: &'static str,
}

impl ParticleTable {
    /// A table whose rows are called by their number, from 0.
    pub fn of_rows(columns: Vec<(String, Vec<f64>)>) -> Self {
        let rows = columns.first().map_or(0, |(_, values)| values.len());
        Self {
            columns,
            places: (0..rows).collect(),
            unit: "row",
        }
    }
    /// A table whose rows stand in lines of a text.
    pub fn of_lines(columns: Vec<(String, Vec<f64>)>, lines: Vec<usize>) -> Self {
        Self {
            columns,
            places: lines,
            unit: "line",
        }
    }
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.places.len()
    }
    /// Names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }
    /// The column of a name.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let found = self.columns.iter().find(|(own, _)| own == name);
        found.map(|(_, values)| values.as_slice())
    }
    /// Line or row of the file: `row 17`.
    pub fn place(&self, row: usize) -> String {
        format!("{} {}", self.unit, self.places[row])
    }
    /// Gives a column another name, in place of any that has it; false where there is none.
    pub fn rename(&mut self, from: &str, to: &str) -> bool {
        if from == to {
            return self.column(from).is_some();
        }
        if self.column(from).is_none() {
            return false;
        }
        self.columns.retain(|(name, _)| name != to);
        for (name, _) in &mut self.columns {
            if name == from {
                *name = to.to_owned();
            }
        }
        true
    }
    /// Keeps the rows where a column has a number; false where there is no such column.
    pub fn keep_where(&mut self, name: &str, number: f64) -> bool {
        let Some(column) = self.column(name) else {
            return false;
        };
        let stays: Vec<bool> = column.iter().map(|x| *x == number).collect();
        let mut places = stays.iter();
        self.places.retain(|_| places.next() == Some(&true));
        for (_, values) in &mut self.columns {
            let mut stays = stays.iter();
            values.retain(|_| stays.next() == Some(&true));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_places_when_others_go() {
        let columns = vec![
            ("a".to_owned(), vec![1.0, 2.0, 1.0]),
            ("b".to_owned(), vec![5.0, 6.0, 7.0]),
        ];
        let mut table = ParticleTable::of_rows(columns);
        assert!(table.keep_where("a", 1.0) && !table.keep_where("c", 1.0));
        assert_eq!(table.column("b"), Some(&[5.0, 7.0][..]));
        assert_eq!((table.rows(), table.place(1)), (2, "row 2".to_owned()));
        assert!(table.rename("b", "a") && !table.rename("b", "c"));
        assert_eq!(table.names().collect::<Vec<_>>(), ["a"]);
        assert_eq!(table.column("a"), Some(&[5.0, 7.0][..]));
    }
}
