//! Handing every segment its own particles and its own tile, so that segments can be worked on in parallel.

use thixo_par::Scalar;

use crate::grid::{Node, NodeBox, Segment, Tiles};
use crate::material::Limits;
use crate::particles::{Order, Particles};

/// A segment with the particles and the tile that belong to it alone.
pub struct Work<'a, T, const D: usize> {
    /// Which block and material.
    pub segment: &'a Segment<D>,
    /// Hot columns of its groups.
    pub hot: &'a mut [T],
    /// Numbers per group in `hot`.
    pub hot_stride: usize,
    /// Cold columns of its groups; none where they were taken away.
    pub cold: &'a mut [T],
    /// Room for what it scatters.
    pub tile: &'a mut [Node<T>],
    /// The nodes that its particles reach from where they are.
    pub reached: &'a mut NodeBox<D>,
}

/// Splits particles and tiles into segments. Segments lie in memory in their order, so that splitting is all it takes.
pub fn split<'a, T: Scalar, const D: usize>(
    particles: &'a mut Particles<T, D>,
    order: &'a Order<D>,
    tiles: &'a mut Tiles<T, D>,
) -> Vec<Work<'a, T, D>> {
    let mut work = Vec::with_capacity(order.segments.len());
    let mut segments = order.segments.iter().peekable();
    let mut rooms = tiles.rooms();
    for (index, species) in particles.species.iter_mut().enumerate() {
        let hot_stride = species.hot.stride();
        let cold_stride = if species.has_cold() {
            species.cold.stride()
        } else {
            0
        };
        let mut hot = species.hot.data_mut();
        let mut cold = species.cold.data_mut();
        while let Some(segment) = segments.next_if(|segment| segment.species == index) {
            let groups = segment.groups.len();
            let (own_hot, rest) = hot.split_at_mut(groups * hot_stride);
            hot = rest;
            let (own_cold, rest) = cold.split_at_mut(groups * cold_stride);
            cold = rest;
            let Some((tile, reached)) = rooms.next() else {
                return work;
            };
            work.push(Work {
                segment,
                hot: own_hot,
                hot_stride,
                cold: own_cold,
                tile,
                reached,
            });
        }
    }
    work
}

/// What moving particles showed: limits for the next time step and whether the step can be accepted.
#[derive(Clone, Copy, Debug)]
pub struct Moved<T> {
    /// Of the materials.
    pub limits: Limits<T>,
    /// Largest squared velocity at which a particle moved \[m²/s²\].
    pub speed_squared: T,
    /// Whether all velocities were finite and no particle left the margin of its tile.
    pub contained: bool,
    /// Particles that an obstacle held back.
    pub held_back: u64,
    /// Largest speed at which an obstacle comes towards matter \[m/s\].
    pub approach: f64,
}

impl<T: Scalar> Moved<T> {
    /// Of no particle.
    pub fn none() -> Self {
        Self {
            limits: Limits::none(),
            speed_squared: T::zero(),
            contained: true,
            held_back: 0,
            approach: 0.0,
        }
    }
    /// Of a grid without finite velocities.
    pub fn lost() -> Self {
        Self {
            contained: false,
            ..Self::none()
        }
    }
    /// Of two sets together.
    pub fn merge(self, other: Self) -> Self {
        Self {
            limits: self.limits.merge(other.limits),
            speed_squared: self.speed_squared.max(other.speed_squared),
            contained: self.contained && other.contained,
            held_back: self.held_back + other.held_back,
            approach: self.approach.max(other.approach),
        }
    }
}
