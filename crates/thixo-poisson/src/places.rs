//! From cells in the order of their user to rows, and numbers of cells there and back.

use std::ops::Range;

use rayon::prelude::*;

use crate::bands::{for_each, slices};
use crate::error::SolveError;
use crate::rows::{Layout, as_usize, fill_ghosts};
use crate::system::CellSystem;

/// Cells that a task of a parallel loop over them has.
const CHUNK: usize = 1 << 14;

/// Rows that a task of a parallel loop over them has.
const ROWS: usize = 1 << 7;

/// A cell on its way to its row: last coordinate and index in the list.
type Entry = (i32, u32);

/// Numbers of intervals in each row, and the intervals.
type Intervals = (Vec<usize>, Vec<(i32, i32)>);

/// The place of each cell in a layout.
pub(crate) struct Places<const D: usize> {
    /// Rows, runs and pieces.
    pub layout: Layout<D>,
    /// One more than the index of the cell at each place, 0 where there is none.
    pub cells: [Vec<u32>; 2],
    origin: [i32; D],
    finder: RowFinder<D>,
}

impl<const D: usize> Places<D> {
    /// Brings the cells of a checked system in order.
    pub fn new(system: &CellSystem<D>) -> Result<Self, SolveError> {
        let (origin, extents) = bounds(system);
        let local = |c: usize| -> [i32; D] {
            let cell = system.wrapped(system.cells[c]);
            std::array::from_fn(|a| cell[a] - origin[a])
        };
        let finder = RowFinder::new(system.len(), &extents, &local);
        let mut ends = vec![0; finder.rows.len() + 1];
        let row_of: Vec<u32> = (0..system.len())
            .into_par_iter()
            .with_min_len(CHUNK)
            .map(|c| finder.find(&local(c)).map_or(0, |row| row as u32))
            .collect();
        for &row in &row_of {
            ends[row as usize + 1] += 1;
        }
        for row in 1..ends.len() {
            ends[row] += ends[row - 1];
        }
        let mut entries: Vec<Entry> = vec![(0, 0); system.len()];
        for (c, &row) in row_of.iter().enumerate() {
            // Counts up from the start of each row to that of the next one.
            let end = &mut ends[row as usize];
            entries[*end] = (local(c)[D - 1], c as u32);
            *end += 1;
        }
        let ranges: Vec<Range<usize>> = (0..finder.rows.len())
            .map(|row| {
                if row == 0 {
                    0..ends[0]
                } else {
                    ends[row - 1]..ends[row]
                }
            })
            .collect();
        sort_rows(&mut entries, &ranges);
        if let Some(twice) = entries_twice(&entries, &ranges) {
            return Err(SolveError::Duplicate {
                cell: system.cells[twice as usize].to_vec(),
            });
        }

        let (counts, mut intervals) = intervals(&entries, &ranges);
        let mut first = 0;
        let rows: Vec<_> = finder
            .rows
            .iter()
            .zip(counts)
            .map(|(&at, count)| {
                first += count;
                (at, first - count..first)
            })
            .collect();
        let periods = system
            .periods
            .map(|period| period.map(|period| period as i32));
        let layout = Layout::new(periods, &rows, &mut intervals);
        let mut cells = layout.field::<u32>();
        for_each(&layout.bands, slices(&mut cells), |band, mut cells| {
            for row in band.rows.clone() {
                let even = layout.rows[row].even();
                let mut runs = layout.runs[as_usize(&layout.rows[row].runs)].iter();
                let Some(mut run) = runs.next() else { continue };
                for &(z, c) in &entries[ranges[row].clone()] {
                    while z >= run.end()
                        && let Some(next) = runs.next()
                    {
                        run = next;
                    }
                    let element = run.first as usize + ((z - run.start) / 2) as usize;
                    cells[even ^ (z & 1) as usize][element - band.elements.start] = c + 1;
                }
            }
            for (color, cells) in cells.iter_mut().enumerate() {
                fill_ghosts(
                    &layout.wraps[band.wraps.clone()],
                    band.elements.start,
                    color,
                    cells,
                );
            }
        });
        Ok(Self {
            layout,
            cells,
            origin,
            finder,
        })
    }

    /// Colour and element of a cell of the system.
    #[inline]
    fn slot(&self, system: &CellSystem<D>, c: usize) -> Option<(usize, usize)> {
        let cell = system.wrapped(system.cells[c]);
        let local: [i32; D] = std::array::from_fn(|a| cell[a] - self.origin[a]);
        self.layout.slot(self.finder.find(&local)?, local[D - 1])
    }

    /// Numbers of the cells, given in the order of the system, at their places.
    pub fn collect<T: Copy + Default + Send + Sync>(&self, values: &[T]) -> [Vec<T>; 2] {
        let mut field = self.layout.field();
        for_each(&self.layout.bands, slices(&mut field), |band, field| {
            for (field, cells) in field.into_iter().zip(&self.cells) {
                for piece in &self.layout.pieces[band.pieces.clone()] {
                    let first = piece.first as usize;
                    for i in first..first + piece.pairs as usize {
                        if let Some(c) = cells[i].checked_sub(1) {
                            field[i - band.elements.start] = values[c as usize];
                        }
                    }
                }
            }
        });
        field
    }

    /// Numbers of the cells in the order of the system.
    pub fn distribute<T: Copy + Send + Sync>(
        &self,
        system: &CellSystem<D>,
        field: &[Vec<T>; 2],
        values: &mut [T],
    ) {
        values
            .par_chunks_mut(CHUNK)
            .enumerate()
            .for_each(|(chunk, values)| {
                for (i, value) in values.iter_mut().enumerate() {
                    if let Some((color, element)) = self.slot(system, chunk * CHUNK + i) {
                        *value = field[color][element];
                    }
                }
            });
    }
}

/// Rows by their coordinates.
struct RowFinder<const D: usize> {
    /// Coordinates of the rows in lexicographic order, the last one 0.
    rows: Vec<[i32; D]>,
    /// Numbers of places along each axis, and the index of the row at each, if they are few.
    table: Option<([usize; D], Vec<u32>)>,
}

impl<const D: usize> RowFinder<D> {
    /// The rows of some cells with coordinates from 0 to `extents`.
    fn new(cells: usize, extents: &[i64; D], local: &(impl Fn(usize) -> [i32; D] + Sync)) -> Self {
        let area = extents[..D - 1]
            .iter()
            .try_fold(1, |area: i64, &n| area.checked_mul(n));
        let mut rows = Vec::new();
        match area {
            Some(area) if area <= 4 * cells as i64 + 4096 => {
                let sides = extents.map(|n| n as usize);
                let mut table = vec![u32::MAX; area as usize];
                for c in 0..cells {
                    table[index(&sides, &local(c))] = 0;
                }
                for (place, id) in table.iter_mut().enumerate().filter(|(_, id)| **id == 0) {
                    *id = rows.len() as u32;
                    let mut rest = place;
                    let mut at = [0; D];
                    for a in (0..D - 1).rev() {
                        at[a] = (rest % sides[a]) as i32;
                        rest /= sides[a];
                    }
                    rows.push(at);
                }
                Self {
                    rows,
                    table: Some((sides, table)),
                }
            }
            _ => {
                rows.par_extend((0..cells).into_par_iter().with_min_len(CHUNK).map(|c| {
                    let mut at = local(c);
                    at[D - 1] = 0;
                    at
                }));
                rows.par_sort_unstable();
                rows.dedup();
                Self { rows, table: None }
            }
        }
    }

    /// The row of a cell.
    #[inline]
    fn find(&self, local: &[i32; D]) -> Option<usize> {
        match &self.table {
            Some((sides, table)) => Some(table[index(sides, local)] as usize),
            None => {
                let mut at = *local;
                at[D - 1] = 0;
                self.rows.binary_search(&at).ok()
            }
        }
    }
}

/// Place of a row in the table.
#[inline]
fn index<const D: usize>(sides: &[usize; D], local: &[i32; D]) -> usize {
    (0..D - 1).fold(0, |index, a| index * sides[a] + local[a] as usize)
}

/// Smallest coordinates (0 on periodic axes) and number of coordinates from there to the largest.
fn bounds<const D: usize>(system: &CellSystem<D>) -> ([i32; D], [i64; D]) {
    let (mut low, high) = system
        .cells
        .par_chunks(CHUNK)
        .map(|cells| {
            let mut bounds = ([i32::MAX; D], [i32::MIN; D]);
            for &cell in cells {
                let cell = system.wrapped(cell);
                for a in 0..D {
                    bounds.0[a] = bounds.0[a].min(cell[a]);
                    bounds.1[a] = bounds.1[a].max(cell[a]);
                }
            }
            bounds
        })
        .reduce(
            || ([i32::MAX; D], [i32::MIN; D]),
            |p, q| {
                let min = std::array::from_fn(|a| p.0[a].min(q.0[a]));
                (min, std::array::from_fn(|a| p.1[a].max(q.1[a])))
            },
        );
    for a in (0..D).filter(|&a| system.periods[a].is_some() || system.is_empty()) {
        low[a] = 0;
    }
    (
        low,
        std::array::from_fn(|a| (i64::from(high[a]) - i64::from(low[a]) + 1).max(1)),
    )
}

/// Sorts the entries of each row by coordinate.
fn sort_rows(mut entries: &mut [Entry], ranges: &[Range<usize>]) {
    let mut groups = Vec::with_capacity(ranges.len().div_ceil(ROWS));
    for ranges in ranges.chunks(ROWS) {
        let length = ranges.iter().map(|range| range.len()).sum();
        let (group, rest) = entries.split_at_mut(length);
        groups.push((group, ranges));
        entries = rest;
    }
    groups.into_par_iter().for_each(|(mut group, ranges)| {
        for range in ranges {
            let (row, rest) = group.split_at_mut(range.len());
            if !row.is_sorted() {
                row.sort_unstable();
            }
            group = rest;
        }
    });
}

/// A cell that is in its row twice.
fn entries_twice(entries: &[Entry], ranges: &[Range<usize>]) -> Option<u32> {
    ranges
        .par_iter()
        .with_min_len(ROWS)
        .find_map_first(|range| {
            let row = &entries[range.clone()];
            row.windows(2)
                .find(|pair| pair[0].0 == pair[1].0)
                .map(|pair| pair[1].1)
        })
}

/// Intervals without a gap: their number in each row, and all of them.
fn intervals(entries: &[Entry], ranges: &[Range<usize>]) -> Intervals {
    let groups: Vec<Intervals> = ranges
        .par_chunks(ROWS)
        .map(|ranges| {
            let mut counts = Vec::with_capacity(ranges.len());
            let mut intervals: Vec<(i32, i32)> = Vec::with_capacity(ranges.len());
            for range in ranges {
                let before = intervals.len();
                for &(z, _) in &entries[range.clone()] {
                    match intervals[before..].last_mut() {
                        Some(interval) if interval.1 == z => interval.1 = z + 1,
                        _ => intervals.push((z, z + 1)),
                    }
                }
                counts.push(intervals.len() - before);
            }
            (counts, intervals)
        })
        .collect();
    let mut all = (
        Vec::with_capacity(ranges.len()),
        Vec::with_capacity(ranges.len()),
    );
    for (counts, intervals) in groups {
        all.0.extend(counts);
        all.1.extend(intervals);
    }
    all
}
