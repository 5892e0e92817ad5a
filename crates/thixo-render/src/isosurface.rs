//! Isosurfaces of the [`VolumeFraction`] of bodies, intersected with rays by ray marching.

use crate::surroundings::CutPlane;
use crate::vector::Vec3;
use crate::volume_fraction::VolumeFraction;

/// φ at an isosurface. Below one half, so that corners and sheets of few particles are inside.
pub const LEVEL: f32 = 0.22;
/// Particles at which φ is below this are drops, drawn as balls; those between are part of the
/// isosurface near them.
pub const DROP: f32 = 0.16;
/// Steps over the distance of nodes.
const STEP: f32 = 0.5;
/// Times that a step across an isosurface is halved.
const HALVINGS: usize = 5;

/// Intersection of a ray with an isosurface.
#[derive(Clone, Copy, Debug)]
pub struct IsosurfaceHit {
    /// Lengths of the ray's direction from its start.
    pub depth: f32,
    /// Outwards.
    pub normal: Vec3,
    /// φ there: that of an isosurface, but more in a cut.
    pub share: f32,
}

/// A ray, with the part of it that no cut takes away.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    /// Origin \[m\].
    pub start: Vec3,
    /// Direction.
    pub direction: Vec3,
    /// Start of the part beyond the cuts, in lengths of its direction, with the normal of the cut
    /// it comes through.
    from: (f32, Option<Vec3>),
    to: f32,
}

impl Ray {
    /// A ray as far as cuts leave it.
    pub fn new(start: Vec3, direction: Vec3, cuts: &[CutPlane]) -> Self {
        let mut ray = Self {
            start,
            direction,
            from: (0.0, None),
            to: f32::INFINITY,
        };
        for cut in cuts {
            let (height, climb) = (cut.height(start), cut.normal.dot(direction));
            let meets = -height / climb;
            match (height > 0.0, climb) {
                (true, climb) if climb >= 0.0 => ray.to = f32::NEG_INFINITY,
                (true, _) if meets > ray.from.0 => ray.from = (meets, Some(cut.normal)),
                (false, climb) if climb > 0.0 => ray.to = ray.to.min(meets),
                _ => {}
            }
        }
        ray
    }

    fn at(&self, depth: f32) -> Vec3 {
        self.start + self.direction * depth
    }

    /// The first point of an isosurface on the ray.
    pub fn meet(&self, field: &VolumeFraction) -> Option<IsosurfaceHit> {
        let step = STEP * field.spacing / self.direction.norm();
        let mut last = None;
        self.walk(field, LEVEL, step, |depth, share| {
            if share < LEVEL {
                last = Some(depth);
                return None;
            }
            let Some(before) = last else {
                return Some(self.entry(field, depth, share));
            };
            let (mut low, mut high) = (before, depth);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                match field.at(self.at(middle)) < LEVEL {
                    true => low = middle,
                    false => high = middle,
                }
            }
            Some(IsosurfaceHit {
                depth: high,
                normal: field.normal_at(self.at(high), -self.direction),
                share: LEVEL,
            })
        })
    }

    /// A hit where the walk begins: in a cut, or at the border of the field.
    fn entry(&self, field: &VolumeFraction, depth: f32, share: f32) -> IsosurfaceHit {
        let normal = match self.from.1 {
            Some(normal) if depth <= self.from.0 + 1e-3 * field.spacing => normal,
            _ => field.normal_at(self.at(depth), -self.direction),
        };
        IsosurfaceHit {
            depth,
            normal,
            share,
        }
    }

    /// Where a ray that starts at the isosurface comes out of it: in lengths of its direction, with
    /// the normal there.
    pub fn leave(&self, field: &VolumeFraction) -> (f32, Vec3) {
        let step = STEP * field.spacing / self.direction.norm();
        // It starts on the isosurface, where rounding and the slope of the ray may lead out again.
        let mut depth = step;
        while field.at(self.at(depth)) >= LEVEL && depth < self.to {
            depth += step;
        }
        let out = self.at(depth);
        (depth, field.normal_at(out, self.direction))
    }

    /// Length of matter on the ray up to a depth \[m\].
    pub fn thickness(&self, field: &VolumeFraction, until: f32) -> f32 {
        let length = self.direction.norm();
        let step = field.spacing / length;
        let mut sum = 0.0;
        self.walk(field, 0.0, step, |depth, share| {
            if depth >= until {
                return Some(());
            }
            sum += share.min(1.0) * step.min(until - depth) * length;
            None
        });
        sum
    }

    /// Visits φ at equal steps, but where it stays below `level`, until a visit returns something.
    fn walk<R>(
        &self,
        field: &VolumeFraction,
        level: f32,
        step: f32,
        mut visit: impl FnMut(f32, f32) -> Option<R>,
    ) -> Option<R> {
        let (enters, leaves) = field.extent().passage(self.start, self.direction)?;
        let (mut depth, end) = (enters.max(self.from.0), leaves.min(self.to));
        let (mut is_full, mut block_end) = (false, f32::NEG_INFINITY);
        while depth < end {
            if depth >= block_end {
                // A little farther, so that rounding does not find the block before.
                let block;
                (is_full, block) = field.block_at(self.at(depth + 0.01 * step), level);
                let passage = block.passage(self.start, self.direction);
                block_end =
                    passage.map_or(depth + step, |(_, leaves)| leaves.max(depth + 0.02 * step));
            }
            if !is_full {
                // The space between blocks is outside.
                if let Some(found) = visit(depth, 0.0) {
                    return Some(found);
                }
                depth = block_end;
                continue;
            }
            if let Some(found) = visit(depth, field.at(self.at(depth))) {
                return Some(found);
            }
            depth += step;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use thixo_math::Vector;

    use super::*;
    use crate::extent::Extent;
    use crate::volume_fraction::Bodies;

    /// A ball of radius 1.
    fn ball() -> VolumeFraction {
        let n = 30;
        let place = |k: usize| (k as f32 + 0.5) / n as f32 * 2.0 - 1.0;
        let all =
            (0..n * n * n).map(|k| Vector([place(k % n), place(k / n % n), place(k / n / n)]));
        let centers: Vec<Vec3> = all.filter(|x| x.norm() < 1.0).collect();
        let volume = (2.0 / n as f32).powi(3);
        let radii = vec![(0.75 * volume / std::f32::consts::PI).cbrt(); centers.len()];
        let bodies = Bodies {
            centers: &centers,
            radii: &radii,
            colors: &[],
            sheens: &[],
        };
        let within = Extent {
            min: Vector([-3.0; 3]),
            max: Vector([3.0; 3]),
        };
        VolumeFraction::new(bodies, within, |_| true).unwrap()
    }

    #[test]
    fn a_ball_of_particles_has_the_skin_of_a_ball() {
        let field = ball();
        for k in 0..60 {
            let angle = k as f32 * 0.37;
            let height = (k as f32 * 0.71).sin() * 0.9;
            let level = (1.0 - height * height).sqrt();
            let out = Vector([level * angle.cos(), height, level * angle.sin()]);
            let hit = Ray::new(out * 4.0, -out, &[]).meet(&field).unwrap();
            let radius = 4.0 - hit.depth;
            assert!((0.98..1.08).contains(&radius), "{radius} at {out:?}");
            assert!(hit.normal.dot(out) > 0.985, "{:?} at {out:?}", hit.normal);
            let thickness = Ray::new(out * 4.0, -out, &[]).thickness(&field, 9.0);
            assert!((thickness - 2.0).abs() < 0.06, "{thickness}");
        }
        let beside = Ray::new(Vector([1.2, 0.0, 4.0]), Vector([0.0, 0.0, -1.0]), &[]);
        assert!(beside.meet(&field).is_none());
    }

    #[test]
    fn a_cut_shows_the_inside() {
        let field = ball();
        let cut = CutPlane {
            point: Vector([0.0, 0.0, 0.2]),
            normal: Vector([0.0, 0.0, 1.0]),
        };
        let start = Vector([0.3, 0.1, 4.0]);
        let towards = Vector([0.0, 0.0, -1.0]);
        let hit = Ray::new(start, towards, &[cut]).meet(&field).unwrap();
        assert!((hit.depth - 3.8).abs() < 1e-4, "{hit:?}");
        assert!(hit.normal[2] > 0.999);
        let behind = Ray::new(start * -1.0, -towards, &[cut]);
        assert!((behind.thickness(&field, 9.0) - 1.15).abs() < 0.06);
        let away = Ray::new(start, -towards, &[cut]);
        assert!(away.meet(&field).is_none());
    }
}
