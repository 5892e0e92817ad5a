//! Regions of space.

pub(crate) mod region;

pub(crate) use region::{Bounds, Region};
