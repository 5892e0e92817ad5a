//! Regions made of others. Their volume has no closed form; their bounds may be wider than need be.

use std::sync::Arc;

use thixo::LevelSet;
use thixo::collide::shape::{Complement, Difference, Intersection, Union};

use super::primitive::Primitive;
use super::region::{Bounds, Region};
use super::union_tree::union_tree;

/// A region that can be part of several others.
pub(crate) type SharedRegion<const D: usize> = Arc<dyn Region<D>>;

fn solids<const D: usize>(parts: &[SharedRegion<D>]) -> Vec<Arc<dyn LevelSet<D>>> {
    let solids = parts.iter().cloned();
    solids.map(|part| part as Arc<dyn LevelSet<D>>).collect()
}

/// The union of the parts, which keep their form or deform.
pub(crate) fn union<const D: usize>(parts: &[SharedRegion<D>], deforms: bool) -> Primitive<D> {
    let bounds = parts.iter().map(|part| part.bounds());
    let tree = if deforms { None } else { union_tree(parts) };
    Primitive {
        solid: tree.unwrap_or_else(|| Arc::new(Union(solids(parts)))),
        bounds: bounds.reduce(|a, b| Some(a?.union(b?))).flatten(),
        volume: None,
    }
}

/// The intersection of the parts.
pub(crate) fn intersection<const D: usize>(parts: &[SharedRegion<D>]) -> Primitive<D> {
    let bounds = parts.iter().filter_map(|part| part.bounds());
    Primitive {
        solid: Arc::new(Intersection(solids(parts))),
        bounds: bounds.reduce(Bounds::intersection),
        volume: None,
    }
}

/// The difference: all that lies in the first and not in the second.
pub(crate) fn difference<const D: usize>(
    from: SharedRegion<D>,
    taken: SharedRegion<D>,
) -> Primitive<D> {
    Primitive {
        bounds: from.bounds(),
        solid: Arc::new(Difference { from, taken }),
        volume: None,
    }
}

/// The complement: all that lies outside, without end, unless what is taken away has none.
pub(crate) fn complement<const D: usize>(part: SharedRegion<D>) -> Primitive<D> {
    Primitive {
        solid: Arc::new(Complement(part)),
        bounds: None,
        volume: None,
    }
}
