//! Rows of samples that are drawn together, and what is hidden in them.

use super::depth;
use super::disc::Disc;

/// Rows of samples that are drawn together.
pub(super) const BAND: usize = 16;

/// Discs that touch each band of rows, in the order of their indices.
pub(super) struct Bands {
    starts: Vec<usize>,
    discs: Vec<u32>,
}

impl Bands {
    pub fn new(discs: &[Disc], height: usize) -> Self {
        let count = height.div_ceil(BAND);
        let mut starts = vec![0; count + 2];
        for disc in discs {
            for band in disc.bands(count) {
                starts[band + 2] += 1;
            }
        }
        for band in 2..starts.len() {
            starts[band] += starts[band - 1];
        }
        let mut sorted = vec![0; starts[count + 1]];
        for (disc, k) in discs.iter().zip(0u32..) {
            for band in disc.bands(count) {
                sorted[starts[band + 1]] = k;
                starts[band + 1] += 1;
            }
        }
        Self {
            starts,
            discs: sorted,
        }
    }

    pub fn of(&self, band: usize) -> &[u32] {
        &self.discs[self.starts[band]..self.starts[band + 1]]
    }
}

/// Coarse depth buffer for occlusion culling: the depth of the farthest sample in each square of a
/// band. Discs are drawn from front to back, and those behind that depth are hidden; most spheres
/// of a body are.
pub(super) struct CoarseDepth {
    farthest: Vec<f32>,
    /// Discs drawn in each square since it was last looked at.
    drawn: Vec<u32>,
}

impl CoarseDepth {
    /// Discs after which a square is looked at again.
    const PATIENCE: u32 = 6;

    pub fn new(width: usize) -> Self {
        let squares = width.div_ceil(BAND);
        Self {
            farthest: vec![f32::INFINITY; squares],
            drawn: vec![0; squares],
        }
    }

    fn squares(&self, disc: &Disc) -> std::ops::Range<usize> {
        let first = (disc.x - disc.reach).max(0.0) as usize / BAND;
        let last = (disc.x + disc.reach).max(0.0) as usize / BAND;
        let count = self.farthest.len();
        first.min(count)..(last + 1).min(count)
    }

    pub fn hides(&self, disc: &Disc) -> bool {
        let nearest = disc.nearest();
        self.farthest[self.squares(disc)]
            .iter()
            .all(|far| nearest > *far)
    }

    /// Takes note of a disc that was drawn.
    pub fn lower(&mut self, disc: &Disc, samples: &[u64], width: usize) {
        for square in self.squares(disc) {
            self.drawn[square] += 1;
            if self.drawn[square] == Self::PATIENCE {
                self.drawn[square] = 0;
                let columns = square * BAND..((square + 1) * BAND).min(width);
                let rows = samples.chunks_exact(width);
                let farthest = rows.flat_map(|row| &row[columns.clone()]).max();
                self.farthest[square] = farthest.map_or(f32::INFINITY, |far| depth(*far));
            }
        }
    }
}
