//! Statistics of the frames before they are drawn: extent of the matter, range of the colour map.

use std::path::PathBuf;

use thixo_scene::{FrameFile, Render, Scene};

use super::Coloring;
use super::columns::Frame;
use super::section::Section;
use crate::color_bar::ColorBar;
use crate::contact_sheet::choice;
use crate::error::RenderError;
use crate::extent::Extent;
use crate::sphere_tracing::SphereTracer;
use crate::surroundings::{Surroundings, Transparency};
use crate::vector::Vec3;

/// Frames that are looked at for where the matter is.
const MOST_FRAMES: usize = 24;
/// Particles of each that are asked whether an obstacle encloses them.
const MOST_ASKED: usize = 48;
/// Share of those that makes an obstacle a container.
const ENCLOSED: f32 = 0.25;

/// Statistics of the frames before they are drawn: extent of the matter, range of the colour map.
pub(super) struct FrameStatistics<'a> {
    scene: &'a Scene,
    render: &'a Render,
    matter: Extent,
    largest: f32,
    range: [f64; 2],
    /// SI unit of the quantity that colours stand for.
    unit: Option<String>,
    /// Some particles, and when they are there \[s\].
    asked: Vec<(Vec3, f64)>,
    /// The slice, if one is drawn.
    pub section: Option<Section>,
}

impl<'a> FrameStatistics<'a> {
    /// Looks at frames: at some for where the matter is, at all where the range of a quantity is
    /// not given.
    pub fn of(
        scene: &'a Scene,
        render: &'a Render,
        frames: &[PathBuf],
    ) -> Result<Self, RenderError> {
        let mut statistics = Self {
            scene,
            render,
            matter: Extent::EMPTY,
            largest: 0.0,
            range: [f64::INFINITY, f64::NEG_INFINITY],
            unit: None,
            asked: Vec::new(),
            section: None,
        };
        let some = choice(frames.len(), MOST_FRAMES);
        let needs_range = render.range.is_none() && statistics.quantity().is_some();
        for (k, path) in frames.iter().enumerate() {
            if some.contains(&k) || needs_range && render.slice.is_none() {
                let file = FrameFile::open(path)?;
                let frame = Frame { file: &file, path };
                if some.contains(&k) {
                    statistics.find_matter(frame)?;
                }
                if needs_range && render.slice.is_none() {
                    statistics.find_range(frame)?;
                }
            }
        }
        if let Some(slice) = &render.slice {
            // The position of the plane depends on that of the matter.
            let section = Section::of(scene, slice, statistics.extent());
            statistics.section = Some(section);
            for path in frames.iter().filter(|_| needs_range) {
                let file = FrameFile::open(path)?;
                let found = section.of_frame(Frame { file: &file, path })?;
                statistics.widen(found.and_then(|slice| slice.range()));
            }
        }
        Ok(statistics)
    }

    fn find_matter(&mut self, frame: Frame<'_>) -> Result<(), RenderError> {
        let centers = frame.centers()?;
        self.matter = self.matter.with(Extent::of_bulk(&centers));
        let column = match self.quantity() {
            Some("speed") => Some("vx"),
            other => other,
        };
        self.unit = column.and_then(|column| Some(frame.file.unit(column)?.to_owned()));
        let radii = frame.radii(self.scene, self.render)?;
        let finite = radii.into_iter().filter(|r| r.is_finite());
        self.largest = finite.fold(self.largest, f32::max);
        let time = frame.file.time().unwrap_or(0.0);
        let step = centers.len().div_ceil(MOST_ASKED).max(1);
        let asked = centers.iter().step_by(step);
        let finite = asked.filter(|x| x.0.iter().all(|x| x.is_finite()));
        self.asked.extend(finite.map(|x| (*x, time)));
        Ok(())
    }

    fn find_range(&mut self, frame: Frame<'_>) -> Result<(), RenderError> {
        if let Some(name) = self.quantity() {
            let values = frame.values(name)?;
            let finite = values.iter().filter(|x| x.is_finite());
            let ends = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
                [low.min(*x), high.max(*x)]
            });
            self.widen(Some(ends));
        }
        Ok(())
    }

    fn widen(&mut self, range: Option<[f64; 2]>) {
        if let Some([low, high]) = range {
            self.range = [self.range[0].min(low), self.range[1].max(high)];
        }
    }

    /// The quantity that colours stand for, if they stand for one.
    fn quantity(&self) -> Option<&'a str> {
        if let Some(slice) = &self.render.slice {
            return Some(slice.quantity.name());
        }
        let name = self.render.color_by.as_deref()?;
        let is_look = ["look", "object", "material", "color"].contains(&name);
        (!is_look).then_some(name)
    }

    /// Sees through those obstacles that hold matter.
    pub fn find_containers(&self, surroundings: &mut Surroundings, up: usize) {
        let contains: Vec<bool> = (0..surroundings.solids.len())
            .map(|k| {
                let solid = &surroundings.solids[k];
                if !solid.may_contain || solid.obstacle.bounds.is_none() {
                    return false;
                }
                let enclosed = self.asked.iter().filter(|(place, time)| {
                    let tracer = SphereTracer {
                        surroundings,
                        extent: self.extent(),
                        time: *time,
                    };
                    tracer.is_enclosed(*place, k, up)
                });
                enclosed.count() as f32 > ENCLOSED * self.asked.len() as f32
            })
            .collect();
        for (solid, contains) in surroundings.solids.iter_mut().zip(contains) {
            if contains {
                solid.transparency = Transparency::Container;
            }
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

    /// Colouring of the particles, or of the nodes of a slice.
    pub fn coloring(&self) -> Coloring {
        let Some(name) = self.quantity() else {
            return match self.render.color_by.as_deref() {
                None => Coloring::OwnOrLook,
                Some("object") => Coloring::Object,
                Some("material") => Coloring::Material,
                Some("color") => Coloring::Own,
                Some(_) => Coloring::Look,
            };
        };
        let found = self.range[0] <= self.range[1];
        let has_numbers = found || self.render.range.is_some();
        let otherwise = if found { self.range } else { [0.0; 2] };
        let label = match (has_numbers, &self.unit) {
            (false, _) => format!("{name}: no numbers"),
            (true, None) => name.to_owned(),
            (true, Some(unit)) => format!("{name} [{unit}]"),
        };
        let bar = ColorBar {
            label,
            range: self.render.range.unwrap_or(otherwise),
            map: self.render.color_map,
        };
        Coloring::Column(name.to_owned(), bar)
    }
}
