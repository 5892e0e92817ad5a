//! A slice through the grid in place of the particles.

use thixo_scene::{GridQuantity, Periodic, Scene, Slice};

use super::columns::Frame;
use crate::error::RenderError;
use crate::extent::Extent;
use crate::grid_slice::{Contribution, GridPlane, GridSlice, NodeQuantity};

/// Quantity and plane of the slice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    quantity: GridQuantity,
    plane: GridPlane,
}

impl Section {
    /// The slice that a scene asks for, through the middle of the matter unless it says otherwise.
    pub fn of(scene: &Scene, slice: &Slice, matter: Extent) -> Self {
        let spacing = scene.grid.spacing;
        let (axis, layer) = match scene.dimension {
            2 => (2, None),
            _ => {
                let axis = slice.normal.index();
                let at = slice.at.unwrap_or(f64::from(matter.middle()[axis]));
                (axis, Some((at / spacing).round() as i64))
            }
        };
        let Periodic { x, y, z } = scene.grid.periodic;
        Self {
            quantity: slice.quantity,
            plane: GridPlane {
                spacing,
                axis,
                layer,
                kernel: scene.physics.kernel.into(),
                periods: [x, y, z].map(|period| period.filter(|nodes| *nodes > 0)),
            },
        }
    }

    /// The slice of a frame; none if there is no matter near its plane.
    pub fn of_frame(&self, frame: Frame<'_>) -> Result<Option<GridSlice>, RenderError> {
        let position = frame.position()?;
        let all = 0..frame.file.particles;
        if self.quantity == GridQuantity::Pressure {
            let pressure = frame.asked("pressure", "pressure")?;
            let volume = frame.needed("volume")?;
            let contributions = all.map(|k| Contribution {
                position: position(k),
                weight: volume.get(k),
                quantity: [pressure.get(k), 0.0, 0.0],
            });
            return Ok(GridSlice::new(
                self.plane,
                contributions,
                NodeQuantity::Mean,
            ));
        }
        let mass = frame.needed("mass")?;
        let velocity = frame.velocity()?;
        let (shown, component) = match self.quantity {
            GridQuantity::Mass | GridQuantity::Pressure => (NodeQuantity::Sum, 0),
            GridQuantity::Speed => (NodeQuantity::Length, 0),
            GridQuantity::Vx => (NodeQuantity::Mean, 0),
            GridQuantity::Vy => (NodeQuantity::Mean, 1),
            GridQuantity::Vz => (NodeQuantity::Mean, 2),
        };
        let contributions = all.map(|k| {
            let mut quantity = velocity(k);
            quantity.swap(0, component);
            Contribution {
                position: position(k),
                weight: mass.get(k),
                quantity,
            }
        });
        Ok(GridSlice::new(self.plane, contributions, shown))
    }
}
