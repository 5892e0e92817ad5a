//! What is known of the frames before they are drawn.

use std::path::Path;

use thixo_scene::{FrameFile, Render, Scene};

use super::Coloring;
use super::columns::{centers, radii, values};
use crate::color_bar::{ColorBar, unit};
use crate::error::RenderError;
use crate::extent::Extent;
use crate::vector::Vec3;

/// What is known of the frames before they are drawn.
pub(super) struct Survey<'a> {
    scene: &'a Scene,
    render: &'a Render,
    matter: Extent,
    largest: f32,
    range: [f64; 2],
}

impl<'a> Survey<'a> {
    pub fn of(scene: &'a Scene, render: &'a Render) -> Self {
        Self {
            scene,
            render,
            matter: Extent::EMPTY,
            largest: 0.0,
            range: [f64::INFINITY, f64::NEG_INFINITY],
        }
    }

    pub fn look_at(&mut self, path: &Path) -> Result<(), RenderError> {
        let frame = FrameFile::open(path)?;
        self.matter = self.matter.with(Extent::of_bulk(&centers(&frame, path)?));
        let radii = radii(self.scene, self.render, &frame, path)?;
        let finite = radii.into_iter().filter(|r| r.is_finite());
        self.largest = finite.fold(self.largest, f32::max);
        if let Kind::Column(name) = self.kind() {
            for value in values(&frame, path, name)?.iter().filter(|x| x.is_finite()) {
                self.range = [self.range[0].min(*value), self.range[1].max(*value)];
            }
        }
        Ok(())
    }

    fn kind(&self) -> Kind<'a> {
        match self.render.color_by.as_deref() {
            None => Kind::Known(Coloring::OwnOrLook),
            Some("look") => Kind::Known(Coloring::Look),
            Some("object") => Kind::Known(Coloring::Object),
            Some("material") => Kind::Known(Coloring::Material),
            Some("color") => Kind::Known(Coloring::Own),
            Some(name) => Kind::Column(name),
        }
    }

    /// The box around all matter.
    pub fn extent(&self) -> Extent {
        if self.matter.is_empty() {
            let middle = Vec3::zero();
            return Extent {
                min: middle,
                max: middle,
            }
            .grown(1.0);
        }
        // A single particle is seen with something around it.
        let least = if self.matter.diagonal() < 4.0 * self.largest {
            4.0
        } else {
            1.0
        };
        let by = (least * self.largest)
            .max(1e-6 * self.matter.middle().norm())
            .max(1e-9);
        self.matter.grown(by)
    }

    pub fn coloring(&self) -> Coloring {
        match self.kind() {
            Kind::Known(coloring) => coloring,
            Kind::Column(name) => {
                let found = self.range[0] <= self.range[1];
                let range = self
                    .render
                    .range
                    .unwrap_or(if found { self.range } else { [0.0; 2] });
                let label = match found {
                    true => format!("{name}{}", unit(name)),
                    false => format!("{name}: no numbers"),
                };
                let map = self.render.color_map;
                Coloring::Column(name.to_owned(), ColorBar { label, range, map })
            }
        }
    }
}

enum Kind<'a> {
    Known(Coloring),
    Column(&'a str),
}
