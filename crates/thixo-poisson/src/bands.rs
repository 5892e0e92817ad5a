//! Work on arrays in parallel, in bands whose boundaries do not depend on the number of threads.
//!
//! Bands are halved recursively at fixed places, so a sum over bands has one order of additions,
//! whoever computes them.

use std::ops::Range;

/// Elements and rows, pieces and wraps of a layout that one task works on.
#[derive(Clone, Debug)]
pub(crate) struct Band {
    /// Elements of the arrays of each colour.
    pub elements: Range<usize>,
    /// Rows.
    pub rows: Range<usize>,
    /// Pieces of these rows.
    pub pieces: Range<usize>,
    /// Wraps of these rows.
    pub wraps: Range<usize>,
}

/// Arrays that can be cut in two at an element.
pub(crate) trait Split: Send + Sized {
    /// The elements before `middle`, and the others.
    fn cut(self, middle: usize) -> (Self, Self);
}

impl Split for () {
    fn cut(self, _middle: usize) -> (Self, Self) {
        ((), ())
    }
}

impl<T: Send> Split for &mut [T] {
    fn cut(self, middle: usize) -> (Self, Self) {
        self.split_at_mut(middle)
    }
}

impl<T: Send, const N: usize> Split for [&mut [T]; N] {
    fn cut(self, middle: usize) -> (Self, Self) {
        let mut right: Self = std::array::from_fn(|_| <&mut [T]>::default());
        let mut i = 0;
        let left = self.map(|array| {
            let (before, after) = array.split_at_mut(middle);
            right[i] = after;
            i += 1;
            before
        });
        (left, right)
    }
}

impl<A: Split, B: Split> Split for (A, B) {
    fn cut(self, middle: usize) -> (Self, Self) {
        let (a, b) = (self.0.cut(middle), self.1.cut(middle));
        ((a.0, b.0), (a.1, b.1))
    }
}

/// Some arrays, to be written.
pub(crate) fn slices<T, const N: usize>(arrays: &mut [Vec<T>; N]) -> [&mut [T]; N] {
    arrays.each_mut().map(|array| &mut array[..])
}

/// Sums what `work` returns for each band and its part of the arrays, whose first element is
/// element 0 of the layout.
pub(crate) fn sum_over<S: Split>(
    bands: &[Band],
    arrays: S,
    work: impl Fn(&Band, S) -> f64 + Sync,
) -> f64 {
    match bands {
        [] => 0.0,
        [first, ..] => halve(bands, arrays.cut(first.elements.start).1, &work),
    }
}

/// Calls `work` for each band and its part of the arrays, as [`sum_over`].
pub(crate) fn for_each<S: Split>(bands: &[Band], arrays: S, work: impl Fn(&Band, S) + Sync) {
    sum_over(bands, arrays, |band, part| {
        work(band, part);
        0.0
    });
}

/// The recursion of [`sum_over`]: the arrays start with the first element of the first band.
fn halve<S: Split>(bands: &[Band], arrays: S, work: &(impl Fn(&Band, S) -> f64 + Sync)) -> f64 {
    match bands {
        [] => 0.0,
        [band] => work(band, arrays.cut(band.elements.len()).0),
        _ => {
            let (left, right) = bands.split_at(bands.len() / 2);
            let middle = right[0].elements.start - left[0].elements.start;
            let (a, b) = arrays.cut(middle);
            let (a, b) = rayon::join(|| halve(left, a, work), || halve(right, b, work));
            a + b
        }
    }
}
