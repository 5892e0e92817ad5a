//! Tractions on the surface of matter, equation (22): the last term of \[Jiang2016\] eq. (171).
//!
//! A surface is a set of elements, points with an area vector, that move and deform with the matter
//! they lie on.

mod attachment;
mod sample;

pub use sample::sample_surface;

use core::fmt;
use std::sync::Arc;

use rayon::prelude::*;
use thixo_math::{Matrix, Vector};
use thixo_par::Scalar;

use crate::error::BuildError;
use crate::grid::Grid;
use crate::step_context::StepContext;
use attachment::Attachment;

/// An element of a loaded surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceElement<const D: usize> {
    /// Position \[m\].
    pub position: [f64; D],
    /// Unit normal, pointing away from the matter, times area \[m²\]; times length, per metre of
    /// thickness, in 2D.
    pub area: [f64; D],
}

/// A pressure \[Pa\] as a function of position \[m\] and time \[s\].
type PressureField<const D: usize> = Arc<dyn Fn([f64; D], f64) -> f64 + Send + Sync>;
/// A traction \[Pa\] as a function of position \[m\] and time \[s\].
type TractionField<const D: usize> = Arc<dyn Fn([f64; D], f64) -> [f64; D] + Send + Sync>;

/// A load on a surface, per present area.
#[derive(Clone)]
pub enum Load<const D: usize> {
    /// Pressure \[Pa\] against the normal, which follows the surface.
    Pressure(PressureField<D>),
    /// Traction \[Pa\] in a direction of its own, independent of the normal.
    Traction(TractionField<D>),
}

impl<const D: usize> Load<D> {
    /// A pressure p(x, t) \[Pa\]; negative values pull.
    pub fn pressure(p: impl Fn([f64; D], f64) -> f64 + Send + Sync + 'static) -> Self {
        Self::Pressure(Arc::new(p))
    }
    /// A traction t(x, t) \[Pa\].
    pub fn traction(t: impl Fn([f64; D], f64) -> [f64; D] + Send + Sync + 'static) -> Self {
        Self::Traction(Arc::new(t))
    }
    /// Force on an element at a time \[N\].
    fn force(&self, element: &SurfaceElement<D>, time: f64) -> Vector<f64, D> {
        let area = Vector(element.area);
        match self {
            Self::Pressure(p) => area * -p(element.position, time),
            Self::Traction(t) => Vector(t(element.position, time)) * area.norm(),
        }
    }
}

impl<const D: usize> fmt::Debug for Load<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pressure(_) => "Pressure",
            Self::Traction(_) => "Traction",
        })
    }
}

/// A named part of a surface under a load.
#[derive(Clone, Debug)]
pub struct LoadedSurface<const D: usize> {
    name: String,
    load: Load<D>,
    elements: Vec<SurfaceElement<D>>,
}

impl<const D: usize> LoadedSurface<D> {
    /// A load on elements, of which there must be at least one, all with finite positions and
    /// areas.
    pub fn new(
        name: impl Into<String>,
        elements: Vec<SurfaceElement<D>>,
        load: Load<D>,
    ) -> Result<Self, BuildError> {
        let name = name.into();
        if elements.is_empty() {
            return Err(BuildError::NoSurface { name });
        }
        for (index, element) in elements.iter().enumerate() {
            for (quantity, value) in [
                ("position [m]", element.position),
                ("area [m²]", element.area),
            ] {
                if !value.iter().all(|x| x.is_finite()) {
                    return Err(BuildError::BadElement {
                        name,
                        index,
                        quantity,
                        value: value.to_vec(),
                    });
                }
            }
        }
        Ok(Self {
            name,
            load,
            elements,
        })
    }
    /// Name of the surface.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Its elements, mutable, to restore their positions.
    pub(crate) fn elements_mut(&mut self) -> &mut [SurfaceElement<D>] {
        &mut self.elements
    }
    /// Its elements at their present positions.
    pub fn elements(&self) -> &[SurfaceElement<D>] {
        &self.elements
    }
}

/// Elements whose attachments are computed at a time.
const CHUNK: usize = 1024;

/// Adds the impulse Δt Σ_s β_is f_s of all loads to the momentum of the nodes.
pub(crate) fn load<T: Scalar, const D: usize>(
    surfaces: &[LoadedSurface<D>],
    grid: &mut Grid<T, D>,
    step: &StepContext<'_, D>,
) {
    for surface in surfaces {
        for chunk in surface.elements.chunks(CHUNK) {
            let nodes = grid.nodes.values();
            let attached: Vec<_> = chunk
                .par_iter()
                .map(|element| Attachment::new(element.position, nodes, step))
                .collect();
            // Elements share nodes: they are added in sequence, so that sums have one order.
            for (element, attachment) in chunk.iter().zip(attached) {
                if let Some(attachment) = attachment {
                    let impulse = surface.load.force(element, step.time) * step.dt;
                    attachment.scatter(impulse, grid.nodes.values_mut());
                }
            }
        }
    }
}

/// Moves the elements with the velocity of the grid: x ← x + Δt v(x), and Nanson's formula for the
/// area, a ← cof(I + Δt ∇v) a.
pub(crate) fn advect<T: Scalar, const D: usize>(
    surfaces: &mut [LoadedSurface<D>],
    grid: &Grid<T, D>,
    step: &StepContext<'_, D>,
) {
    let nodes = grid.nodes.values();
    for surface in surfaces {
        surface.elements.par_iter_mut().for_each(|element| {
            let Some(attachment) = Attachment::new(element.position, nodes, step) else {
                return;
            };
            let (velocity, gradient) = attachment.gather(nodes);
            let stretch = Matrix::identity() + gradient * step.dt;
            element.position = (Vector(element.position) + velocity * step.dt).0;
            element.area = (stretch.adjugate().transpose() * Vector(element.area)).0;
        });
    }
}
