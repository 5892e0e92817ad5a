//! Layout of cells in memory: rows along the last axis, red and black cells in arrays of their own.
//!
//! A cell is red if its coordinates sum to an even number. Cells 2m and 2m + 1 of a row are a pair:
//! one is red, the other is black, and both have the same index in the arrays of their colour. Next
//! to a cell are then only cells of the other colour: along the row that of its own pair and that
//! of the pair before or after it, in the rows beside it that of the pair at the same place. A
//! sweep over one colour of a row is thus a loop over contiguous numbers which reads the other
//! colour.
//!
//! Rows are stored as runs, with a ghost pair at both ends that stands for the other end of a
//! periodic row; places in a run that have no cell have coefficients of zero. A piece is a part of
//! a run along which the rows beside it are stored without a gap. Where there is none, its numbers
//! are read from the void, the first elements of every array, which are always zero.

use std::ops::Range;

use crate::bands::Band;

/// Most pairs of a piece: some registers of numbers, few enough for a buffer on the stack.
pub(crate) const MOST_PAIRS: usize = 512;

/// Elements of the void, with a neighbour at both ends.
const VOID: usize = MOST_PAIRS + 2;

/// First element of the void that pieces are told to read.
const IN_VOID: u32 = 1;

/// Pairs without cells that end a run; shorter gaps are cheaper to compute than to skip.
const GAP: i32 = 8;

/// Pairs after which a band is full: work for some microseconds.
const BAND: usize = 4096;

/// Cells in a row one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// Coordinate of the first cell along the row, even.
    pub start: i32,
    /// Number of pairs of cells.
    pub pairs: u32,
    /// Element of the first pair.
    pub first: u32,
}

impl Run {
    /// Coordinate behind the last cell.
    pub fn end(&self) -> i32 {
        self.start + 2 * self.pairs as i32
    }
}

/// Cells that share all coordinates but the last one.
#[derive(Clone, Debug)]
pub(crate) struct Row<const D: usize> {
    /// The coordinates; the last one is 0.
    pub at: [i32; D],
    /// Its runs, in order.
    pub runs: Range<u32>,
    /// Its pieces, in order.
    pub pieces: Range<u32>,
}

impl<const D: usize> Row<D> {
    /// Colour of its cells with an even last coordinate.
    pub fn even(&self) -> usize {
        (self.at.iter().fold(0, |sum, i| sum ^ i) & 1) as usize
    }
}

/// Part of a run along which the rows beside it are stored without a gap.
#[derive(Clone, Debug)]
pub(crate) struct Piece<const D: usize> {
    /// Element of the first pair.
    pub first: u32,
    /// Number of pairs.
    pub pairs: u32,
    /// Coordinate of the first cell along the row, even.
    pub start: i32,
    /// Colour of the cells with an even last coordinate.
    pub even: u32,
    /// Element of the pair beside the first one, in the row before this one along each axis.
    pub lower: [u32; D],
    /// The same in the row after this one.
    pub upper: [u32; D],
}

/// Ends of a row that meet because the last axis is periodic.
#[derive(Clone, Debug)]
pub(crate) struct Wrap {
    /// Element of the first pair of the row.
    pub first: u32,
    /// Element of its last pair.
    pub last: u32,
    /// Colour of the cells with an even last coordinate.
    pub even: u32,
}

/// Places of the cells of a level in memory.
#[derive(Clone, Debug)]
pub(crate) struct Layout<const D: usize> {
    /// Number of cells after which an axis repeats.
    pub periods: [Option<i32>; D],
    /// Rows in lexicographic order.
    pub rows: Vec<Row<D>>,
    /// Runs in the order of rows.
    pub runs: Vec<Run>,
    /// Pieces in the order of rows.
    pub pieces: Vec<Piece<D>>,
    /// Wraps in the order of rows.
    pub wraps: Vec<Wrap>,
    /// Parts for parallel work.
    pub bands: Vec<Band>,
    /// Number of elements in the array of a colour.
    pub elements: usize,
}

impl<const D: usize> Layout<D> {
    /// The layout of rows, in lexicographic order, each with a range of the intervals
    /// `start .. end` of the last coordinate that its cells are in; these may overlap.
    pub fn new(
        periods: [Option<i32>; D],
        rows: &[([i32; D], Range<usize>)],
        intervals: &mut [(i32, i32)],
    ) -> Self {
        let mut layout = Self {
            periods,
            rows: Vec::with_capacity(rows.len()),
            runs: Vec::with_capacity(rows.len()),
            pieces: Vec::new(),
            wraps: Vec::new(),
            bands: Vec::new(),
            elements: VOID,
        };
        for (at, range) in rows {
            layout.push_row(*at, &mut intervals[range.clone()]);
        }
        for row in 0..layout.rows.len() {
            layout.cut_into_pieces(row);
        }
        layout.cut_into_bands();
        layout
    }

    /// Adds a row of the union of some intervals.
    fn push_row(&mut self, at: [i32; D], intervals: &mut [(i32, i32)]) {
        intervals.sort_unstable();
        let before = self.runs.len();
        for &mut (start, end) in intervals {
            let (start, end) = (start & !1, (end + 1) & !1);
            match self.runs[before..].last_mut() {
                Some(run) if start <= run.end() + 2 * GAP => {
                    run.pairs = ((run.end().max(end) - run.start) / 2) as u32;
                }
                _ => self.runs.push(Run {
                    start,
                    pairs: ((end - start) / 2) as u32,
                    first: 0,
                }),
            }
        }
        for run in &mut self.runs[before..] {
            run.first = self.elements as u32 + 1;
            self.elements += run.pairs as usize + 2;
        }
        let runs = before as u32..self.runs.len() as u32;
        let row = Row {
            at,
            runs,
            pieces: 0..0,
        };
        if let (Some(period), [first, .., last] | [first @ last]) =
            (periods_last(&self.periods), &self.runs[before..])
            && first.start == 0
            && last.end() == period
        {
            self.wraps.push(Wrap {
                first: first.first,
                last: last.first + last.pairs - 1,
                even: row.even() as u32,
            });
        }
        self.rows.push(row);
    }

    /// Finds the pieces of a row.
    fn cut_into_pieces(&mut self, row: usize) {
        let even = self.rows[row].even() as u32;
        let beside: [[Range<u32>; 2]; D] = std::array::from_fn(|a| {
            [-1, 1].map(|step| match self.beside(self.rows[row].at, a, step) {
                Some(row) if a + 1 < D => self.rows[row].runs.clone(),
                _ => 0..0,
            })
        });
        let mut beside = beside.map(|sides| sides.map(|runs| &self.runs[as_usize(&runs)]));
        let before = self.pieces.len() as u32;
        let last_pair = periods_last(&self.periods).and_then(lone_last_pair);
        for run in &self.runs[as_usize(&self.rows[row].runs)] {
            let mut start = run.start;
            while start < run.end() {
                let mut end = run.end().min(start + 2 * MOST_PAIRS as i32);
                if let Some(last) = last_pair.filter(|&last| start < last) {
                    end = end.min(last);
                }
                let found = beside.each_mut().map(|sides| {
                    sides.each_mut().map(|runs| {
                        while runs.first().is_some_and(|run| run.end() <= start) {
                            *runs = &runs[1..];
                        }
                        match runs.first() {
                            Some(run) if run.start <= start => {
                                end = end.min(run.end());
                                run.first + ((start - run.start) / 2) as u32
                            }
                            Some(run) => {
                                end = end.min(run.start);
                                IN_VOID
                            }
                            None => IN_VOID,
                        }
                    })
                });
                self.pieces.push(Piece {
                    first: run.first + ((start - run.start) / 2) as u32,
                    pairs: ((end - start) / 2) as u32,
                    start,
                    even,
                    lower: found.map(|sides| sides[0]),
                    upper: found.map(|sides| sides[1]),
                });
                start = end;
            }
        }
        self.rows[row].pieces = before..self.pieces.len() as u32;
    }

    /// Gathers rows to bands.
    fn cut_into_bands(&mut self) {
        let (mut rows, mut elements, mut pieces, mut wraps) = (0, VOID, 0, 0);
        for (r, row) in self.rows.iter().enumerate() {
            let Some(run) = self.runs[as_usize(&row.runs)].last() else {
                continue;
            };
            let end = (run.first + run.pairs) as usize + 1;
            if end - elements >= BAND || r + 1 == self.rows.len() {
                let last_wrap =
                    wraps + self.wraps[wraps..].partition_point(|wrap| (wrap.first as usize) < end);
                self.bands.push(Band {
                    elements: elements..end,
                    rows: rows..r + 1,
                    pieces: pieces..row.pieces.end as usize,
                    wraps: wraps..last_wrap,
                });
                (rows, elements, pieces, wraps) = (r + 1, end, row.pieces.end as usize, last_wrap);
            }
        }
    }

    /// The row `step` = ±1 beside a place along an axis.
    fn beside(&self, mut at: [i32; D], axis: usize, step: i32) -> Option<usize> {
        at[axis] += step;
        if let Some(period) = self.periods[axis] {
            at[axis] = at[axis].rem_euclid(period);
        }
        self.row(&at)
    }

    /// The row with some coordinates; the last one is 0.
    pub fn row(&self, at: &[i32; D]) -> Option<usize> {
        self.rows.binary_search_by(|row| row.at.cmp(at)).ok()
    }

    /// Colour and element of the place at coordinate `z` of a row, if it is in a run.
    #[inline]
    pub fn slot(&self, row: usize, z: i32) -> Option<(usize, usize)> {
        let row = &self.rows[row];
        let runs = &self.runs[as_usize(&row.runs)];
        let run = runs[..runs.partition_point(|run| run.start <= z)].last()?;
        let element = run.first + ((z - run.start) / 2) as u32;
        (z < run.end()).then_some((row.even() ^ (z & 1) as usize, element as usize))
    }

    /// An array of zeros for each colour.
    pub fn field<T: Clone + Default>(&self) -> [Vec<T>; 2] {
        [
            vec![T::default(); self.elements],
            vec![T::default(); self.elements],
        ]
    }
}

/// Number of cells after which rows repeat.
pub(crate) fn periods_last<const D: usize>(periods: &[Option<i32>; D]) -> Option<i32> {
    periods[D - 1]
}

/// Coordinate of the last pair of a periodic row if the number of pairs is odd: coarsening adds it
/// to the aggregate before it, so that the number of aggregates is even; it is a piece of its own.
fn lone_last_pair(period: i32) -> Option<i32> {
    (period > 2 && period % 4 == 2).then_some(period - 2)
}

/// A range of 32-bit indices as one for slices.
#[inline]
pub(crate) fn as_usize(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Copies the values at both ends of periodic rows to the ghosts beyond the other ends, for one
/// colour of a band.
#[inline]
pub(crate) fn fill_ghosts<T: Copy>(wraps: &[Wrap], base: usize, color: usize, values: &mut [T]) {
    for wrap in wraps {
        let (first, last) = (wrap.first as usize - base, wrap.last as usize - base);
        if wrap.even as usize == color {
            values[last + 1] = values[first];
        } else {
            values[first - 1] = values[last];
        }
    }
}
