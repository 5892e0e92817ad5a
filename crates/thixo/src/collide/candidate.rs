//! Obstacles that the particles of a segment can meet in a step.

use core::cmp::Ordering;

use thixo_math::Vector;

use super::sweep::OffsetSurface;
use super::{ActsOn, Collider};

/// Depth of the offset surface in thick solids, in cells: within the guaranteed one cell despite
/// rounding in single precision.
const DEPTH: f64 = 0.98;
/// Shortest and longest step along a trajectory, in cells; the shortest serves solids of unknown
/// thickness.
const STEP_RANGE: [f64; 2] = [0.01, 0.25];
/// Particles that start a step this far behind an offset surface, in cells, were placed there: they
/// are stopped from getting deeper, but not moved out.
const INITIAL_DEPTH: f64 = 0.05;
/// Distance in cells from a segment beyond which obstacles are ignored.
const SEARCH_DISTANCE: f64 = 8.0;

/// A collider near a segment, with the surface (8b) that particles may not cross.
#[derive(Clone, Copy)]
pub(super) struct ContactCandidate<'a, const D: usize> {
    pub collider: &'a Collider<D>,
    /// Index of the collider.
    pub index: usize,
    pub offset_surface: OffsetSurface<'a, D>,
    pub is_thin: bool,
    /// The least depth at which contact acts on particles \[m\].
    pub depth: f64,
    /// Bound of the displacement of the solid in the step \[m\].
    pub displacement: f64,
    /// Depth behind the offset surface from which on a particle was placed there \[m\].
    pub initial_depth: f64,
}

impl<'a, const D: usize> ContactCandidate<'a, D> {
    /// A collider as a candidate, if it can be met from within a box, given by its centre and half
    /// edges \[m\].
    pub fn of(
        (index, collider): (usize, &'a Collider<D>),
        centre: [f64; D],
        half: [f64; D],
        spacing: f64,
        [begin, end]: [f64; 2],
    ) -> Option<Self> {
        let shape = collider.shape();
        let radius = Vector(half).norm();
        let after = shape.surface(centre, end);
        // Obstacles further away cannot arrive here in a step that is accepted.
        if after.distance > radius + SEARCH_DISTANCE * spacing {
            return None;
        }
        let before = shape.surface(centre, begin);
        let distance = before.distance.min(after.distance);
        let is_thin = collider.is_thin(spacing);
        let depth = if is_thin { 0.0 } else { DEPTH * spacing };
        let contact_depth = match collider.acts_on() {
            ActsOn::Grid => depth,
            ActsOn::GridAndParticles => 0.0,
        };
        let displacement = largest_speed(collider, centre, half, end) * (end - begin)
            + (after.distance - before.distance).abs();
        if distance > radius + displacement + depth {
            return None;
        }
        let step = 0.25 * (collider.thickness() - 2.0 * depth);
        let step = step.clamp(STEP_RANGE[0] * spacing, STEP_RANGE[1] * spacing);
        Some(Self {
            collider,
            index,
            offset_surface: OffsetSurface { shape, depth, step },
            is_thin,
            depth: contact_depth,
            displacement,
            initial_depth: step.min(INITIAL_DEPTH * spacing),
        })
    }
    /// Order of candidates by their surfaces as seen from a place \[m\] at a time \[s\].
    pub fn compare(&self, other: &Self, place: [f64; D], time: f64) -> Ordering {
        let surface = |candidate: &Self| candidate.collider.shape().surface(place, time);
        surface(self).compare(&surface(other))
    }
    /// True if the solid can be met at a depth \[m\] from within one of the 2ᴰ octants of a box, by
    /// their bounding spheres: this excludes far more boxes than the sphere around the whole box.
    pub fn overlaps_octant(
        &self,
        (centre, half): ([f64; D], [f64; D]),
        depth: f64,
        time: f64,
    ) -> bool {
        let radius = 0.5 * Vector(half).norm();
        (0..1 << D).any(|octant: usize| {
            let middle = corner(centre, half.map(|edge| 0.5 * edge), octant);
            let distance = self.collider.shape().surface(middle, time).distance;
            distance + depth <= radius + self.displacement
        })
    }
}

/// One of the 2ᴰ corners of a box.
fn corner<const D: usize>(centre: [f64; D], half: [f64; D], index: usize) -> [f64; D] {
    let mut out = centre;
    for a in 0..D {
        out[a] += if index >> a & 1 == 0 {
            -half[a]
        } else {
            half[a]
        };
    }
    out
}

/// The largest speed of a solid in a box \[m/s\]: that of a rigid solid is largest in a corner.
fn largest_speed<const D: usize>(
    collider: &Collider<D>,
    centre: [f64; D],
    half: [f64; D],
    time: f64,
) -> f64 {
    (0..1 << D).fold(0.0, |largest: f64, index| {
        let velocity = collider.shape().velocity(corner(centre, half, index), time);
        largest.max(Vector(velocity).norm())
    })
}
