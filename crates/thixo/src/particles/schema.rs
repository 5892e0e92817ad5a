//! The one description of the columns that particles store.
//!
//! A column has a name, a shape, a unit, a table and an owner. Hot loops use the constant offsets
//! of [`Layout`]; everything else (checkpoints, frames, colours, units in files, bulk access) reads
//! the schema. Columns hold the *stored form*, which their owner defines: that of the affine column
//! depends on the transfer ([`AffineColumn`](crate::transfer::AffineColumn)), that of a strain on
//! the law ([`StateLayout`](crate::material::StateLayout)). The reported form is a
//! [`Quantity`](crate::quantity::Quantity).

use core::ops::Range;
use std::borrow::Cow;

use super::Layout;

/// Shape of a quantity: the number of values that a particle has of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One value.
    Scalar,
    /// One value for each axis.
    Vector,
    /// `D × D` values, row by row.
    Matrix,
    /// Upper triangle, row by row.
    SymmetricMatrix,
}

impl Shape {
    /// Values per particle in `D` dimensions.
    pub const fn components<const D: usize>(self) -> usize {
        match self {
            Self::Scalar => 1,
            Self::Vector => D,
            Self::Matrix => D * D,
            Self::SymmetricMatrix => D * (D + 1) / 2,
        }
    }
}

/// Table of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Read in every pass; always allocated.
    Hot,
    /// Needed by the staged path and at the ends of frames; the fused path does without it within a
    /// frame.
    Cold,
}

/// Owner of a column, which defines its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The material point method.
    Method,
    /// The constitutive law of the species.
    Law,
    /// The user: a [`Carried`] quantity.
    Carried,
    /// Conduction of heat.
    Heat,
}

/// A column: a quantity as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Unique among the columns of a species.
    pub name: Cow<'static, str>,
    /// SI unit of the stored form; "–" for none.
    pub unit: Cow<'static, str>,
    /// Shape of the stored form.
    pub shape: Shape,
    /// Table that holds it.
    pub table: Table,
    /// Owner, which defines its meaning.
    pub owner: Owner,
}

/// A scalar that particles carry along: one entry in [`Setup::carried`](crate::Setup::carried)
/// makes it part of checkpoints, frames and pictures. The method moves it and does nothing else
/// with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Carried {
    /// Name in frames; letters, digits and underscores.
    pub name: String,
    /// SI unit; "–" for none.
    pub unit: String,
    /// Value of particles that are inserted without one, in the given unit; finite.
    pub initial: f64,
}

const fn method(name: &'static str, unit: &'static str, shape: Shape, table: Table) -> Column {
    Column {
        name: Cow::Borrowed(name),
        unit: Cow::Borrowed(unit),
        shape,
        table,
        owner: Owner::Method,
    }
}

/// Columns of the method that every pass reads; those of the law and carried ones follow.
const HOT: [Column; 3] = [
    method("offset", "cells", Shape::Vector, Table::Hot),
    method("mass", "kg", Shape::Scalar, Table::Hot),
    method("rest_volume", "m³", Shape::Scalar, Table::Hot),
];

/// Columns of the method that are needed at the ends of frames.
const COLD: [Column; 3] = [
    method("velocity", "m/s", Shape::Vector, Table::Cold),
    method("affine", "1/s or m²/s", Shape::Matrix, Table::Cold),
    method(
        "kirchhoff_stress",
        "Pa",
        Shape::SymmetricMatrix,
        Table::Cold,
    ),
];

/// Number of thermal columns.
pub(crate) const HEAT_COLUMNS: usize = 4;

const fn thermal(name: &'static str, unit: &'static str) -> Column {
    Column {
        name: Cow::Borrowed(name),
        unit: Cow::Borrowed(unit),
        shape: Shape::Scalar,
        table: Table::Hot,
        owner: Owner::Heat,
    }
}

/// Columns of matter that conducts heat, behind all other hot ones.
const HEAT: [Column; HEAT_COLUMNS] = [
    thermal("temperature_above_reference", "K"),
    thermal("share_of_latent_heat", "–"),
    thermal("phase", "–"),
    thermal("melting_point_above_reference", "K"),
];

/// The columns of a species.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema<const D: usize> {
    columns: Vec<Column>,
}

impl<const D: usize> Schema<D> {
    /// A schema with the columns of a law, by name and shape, and carried ones.
    pub fn new(
        law: impl IntoIterator<Item = (Cow<'static, str>, Shape)>,
        carried: &[Carried],
    ) -> Self {
        let law = law.into_iter().map(|(name, shape)| Column {
            name,
            unit: Cow::Borrowed("–"),
            shape,
            table: Table::Hot,
            owner: Owner::Law,
        });
        let carried = carried.iter().map(|carried| Column {
            name: Cow::Owned(carried.name.clone()),
            unit: Cow::Owned(carried.unit.clone()),
            shape: Shape::Scalar,
            table: Table::Hot,
            owner: Owner::Carried,
        });
        let hot = HOT.into_iter().chain(law).chain(carried);
        Self {
            columns: hot.chain(COLD).collect(),
        }
    }
    /// The same with the columns of matter that conducts heat.
    #[must_use]
    pub fn with_heat(mut self) -> Self {
        let cold = self.columns.iter().position(|c| c.table == Table::Cold);
        let behind_hot = cold.unwrap_or(self.columns.len());
        self.columns.splice(behind_hot..behind_hot, HEAT);
        self
    }
    /// All columns, in the order of their tables.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }
    /// Number of values per particle in a table.
    pub fn width(&self, table: Table) -> usize {
        let of_table = self.columns.iter().filter(|column| column.table == table);
        of_table.map(|column| column.shape.components::<D>()).sum()
    }
    /// Columns of an owner in the hot table, which are contiguous.
    pub fn hot_columns(&self, owner: Owner) -> Range<usize> {
        let mut next = 0;
        let mut found: Option<Range<usize>> = None;
        for column in self.columns.iter().filter(|c| c.table == Table::Hot) {
            let first = next;
            next += column.shape.components::<D>();
            if column.owner == owner {
                let start = found.map_or(first, |range| range.start);
                found = Some(start..next);
            }
        }
        let empty = match owner {
            Owner::Law => Layout::<D>::STATE,
            Owner::Method | Owner::Carried | Owner::Heat => next,
        };
        found.unwrap_or(empty..empty)
    }
    /// Columns of the state of the law in the hot table.
    pub fn state(&self) -> Range<usize> {
        self.hot_columns(Owner::Law)
    }
    /// Column of a carried quantity in the hot table.
    pub fn carried(&self, name: &str) -> Option<usize> {
        let carried = self.columns.iter().filter(|c| c.owner == Owner::Carried);
        let index = carried
            .map(|column| &column.name)
            .position(|own| own == name)?;
        Some(self.hot_columns(Owner::Carried).start + index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The constant offsets of hot loops must agree with the schema.
    #[test]
    fn the_offsets_of_hot_loops_are_those_of_the_schema() {
        fn check<const D: usize>() {
            let first = |columns: &[Column], count: usize| -> usize {
                let before = columns[..count].iter();
                before.map(|column| column.shape.components::<D>()).sum()
            };
            let hot = [0, 1, 2, 3].map(|k| first(&HOT, k));
            let cold = [0, 1, 2, 3].map(|k| first(&COLD, k));
            type L<const D: usize> = Layout<D>;
            assert_eq!(hot, [L::<D>::X, L::<D>::MASS, L::<D>::V0, L::<D>::STATE]);
            assert_eq!(
                cold,
                [L::<D>::V, L::<D>::AFFINE, L::<D>::STRESS, L::<D>::COLD]
            );
        }
        check::<2>();
        check::<3>();
    }

    #[test]
    fn columns_lie_one_after_the_other_and_are_found_by_name() {
        let carried = |name: &str| Carried {
            name: name.to_owned(),
            unit: "K".to_owned(),
            initial: 0.0,
        };
        let law = [
            (Cow::Borrowed("finger_strain"), Shape::SymmetricMatrix),
            (Cow::Borrowed("plastic_strain"), Shape::Scalar),
        ];
        let schema = Schema::<3>::new(law, &[carried("temperature"), carried("dye")]);
        assert_eq!(schema.state(), Layout::<3>::STATE..Layout::<3>::STATE + 7);
        assert_eq!(schema.carried("temperature"), Some(Layout::<3>::STATE + 7));
        assert_eq!(schema.carried("dye"), Some(Layout::<3>::STATE + 8));
        assert_eq!(schema.carried("plastic_strain"), None);
        assert_eq!(schema.width(Table::Hot), Layout::<3>::STATE + 9);
        assert_eq!(schema.width(Table::Cold), Layout::<3>::COLD);
        assert_eq!(schema.hot_columns(Owner::Method), 0..Layout::<3>::STATE);
        let plain = Schema::<2>::new([], &[]);
        assert!(plain.state().is_empty() && plain.hot_columns(Owner::Carried).is_empty());
    }
}
