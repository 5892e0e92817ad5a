//! Visible matter: grains in depth buffers, isosurfaces by ray casting.

use rayon::prelude::*;

use super::{Drawing, Particles, Shape, Sheen};
use crate::isosurface::{DROP, Ray};
use crate::look::{Look, MatterSurface};
use crate::shadow_map::Shade;
use crate::splat::{self, Splats};
use crate::vector::{Vec3, unit_or};
use crate::view::View;
use crate::volume_fraction::{Bodies, VolumeFraction};

/// The matter, as visible from the samples of a picture.
pub(super) struct VisibleMatter<'a> {
    drawing: &'a Drawing<'a>,
    pub fine: View,
    /// For each look: the space that its particles fill, where the look needs to know.
    fields: Vec<Option<VolumeFraction>>,
    /// Opaque grains, and drops that are too small for an isosurface.
    grains: Splats,
    /// Looks with an opaque isosurface.
    isosurfaces: Vec<usize>,
    /// Hits of these isosurfaces at the centres of pixels.
    pixels: Vec<Option<MatterHit>>,
    /// Translucent bodies.
    pub translucent_bodies: Vec<TranslucentBody>,
}

/// A body through which one sees.
pub(super) struct TranslucentBody {
    look: usize,
    grains: Splats,
    pixels: Vec<Option<MatterHit>>,
}

/// A point of the matter.
#[derive(Clone, Copy, Debug)]
pub(super) struct MatterHit {
    /// Lengths of the ray's direction from its start.
    pub depth: f32,
    /// Index of its look.
    pub look: usize,
    /// The particle, or the normal of the isosurface.
    pub primitive: Primitive,
    /// Volume fraction there, which decides where bodies meet in a cut.
    share: f32,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Primitive {
    Particle(usize),
    Triangle(usize),
    Isosurface(Vec3),
}

/// A place among the samples: the pixel, its sample, and the ray through it.
#[derive(Clone, Copy)]
pub(super) struct SampleRay {
    /// Number of the pixel.
    pub pixel: usize,
    /// The sample.
    pub at: [usize; 2],
    /// The ray.
    pub ray: Ray,
}

impl<'a> VisibleMatter<'a> {
    pub fn new(drawing: &'a Drawing<'a>) -> Self {
        let particles = drawing.particles;
        let is_used = used(drawing);
        let fields: Vec<Option<VolumeFraction>> = (0..drawing.looks.len())
            .map(|look| {
                let wanted = is_used[look] && needs_field(&drawing.looks[look], &particles.shape);
                wanted.then(|| field(drawing, look)).flatten()
            })
            .collect();
        let fine = drawing.view.finer(super::SAMPLES);
        let has_isosurface = |look: usize| has_isosurface(drawing, look);
        // Drops of an isosurface are drawn as balls.
        let is_ball = |k: usize| {
            let look = particles.looks[k] as usize;
            let center = particles.centers[k];
            let body = fields[look].as_ref().filter(|_| has_isosurface(look));
            let is_in_isosurface = body.is_some_and(|body| body.at(center) >= DROP);
            !is_in_isosurface && !drawing.surroundings.is_cut(center)
        };
        let is_translucent = |look: usize| drawing.looks[look].is_seen_through();
        let mut grains = Splats::draw(&fine, drawing.spheres(), |k| {
            !is_translucent(particles.looks[k] as usize) && is_ball(k)
        });
        let is_cut = |k: usize| {
            let corners = particles.triangles.corners[k];
            let is_cut = |corner: u32| {
                drawing
                    .surroundings
                    .is_cut(particles.centers[corner as usize])
            };
            corners.into_iter().all(is_cut)
        };
        add_triangles(&mut grains, &fine, particles, |k| {
            !is_translucent(particles.triangles.looks[k] as usize) && !is_cut(k)
        });
        let all = 0..drawing.looks.len();
        let (through, opaque): (Vec<usize>, Vec<usize>) = all
            .filter(|&look| is_used[look])
            .partition(|&look| is_translucent(look));
        let translucent_bodies = through.into_iter().map(|look| {
            let own = |k: usize| particles.looks[k] as usize == look && is_ball(k);
            let field = fields[look].as_ref().filter(|_| has_isosurface(look));
            let mut grains = Splats::draw(&fine, drawing.spheres(), own);
            add_triangles(&mut grains, &fine, particles, |k| {
                particles.triangles.looks[k] as usize == look && !is_cut(k)
            });
            TranslucentBody {
                look,
                grains,
                pixels: field.map_or(Vec::new(), |field| meet(drawing, &[(look, field)])),
            }
        });
        let translucent_bodies = translucent_bodies.collect();
        let isosurfaces: Vec<usize> = opaque
            .into_iter()
            .filter(|&look| has_isosurface(look))
            .collect();
        let met: Vec<(usize, &VolumeFraction)> = isosurfaces
            .iter()
            .filter_map(|&look| Some((look, fields[look].as_ref()?)))
            .collect();
        let pixels = match met.is_empty() {
            true => Vec::new(),
            false => meet(drawing, &met),
        };
        Self {
            drawing,
            fine,
            grains,
            isosurfaces,
            pixels,
            translucent_bodies,
            fields,
        }
    }

    /// True if a particle is drawn as part of an isosurface.
    pub fn is_in_isosurface(&self, particle: usize) -> bool {
        let look = self.drawing.particles.looks[particle] as usize;
        let is_inside =
            |field: &VolumeFraction| field.at(self.drawing.particles.centers[particle]) >= DROP;
        has_isosurface(self.drawing, look) && self.fields[look].as_ref().is_some_and(is_inside)
    }

    /// Depths at which rays of the sun first meet isosurfaces that cast the given shade \[m\];
    /// empty if there are none.
    pub fn shade(&self, sun: &View, shade: Shade) -> Vec<f32> {
        let looks = (0..self.fields.len()).filter(|&look| {
            has_isosurface(self.drawing, look) && self.drawing.looks[look].shade() == shade
        });
        let fields: Vec<&VolumeFraction> = looks
            .filter_map(|look| self.fields[look].as_ref())
            .collect();
        if fields.is_empty() {
            return Vec::new();
        }
        let [width, height] = sun.size;
        let first = |k: usize| {
            let (start, direction) = sun.ray(sun.sample_center(k));
            let ray = Ray::new(start, direction, &self.drawing.surroundings.cuts);
            let met = fields.iter().filter_map(|field| ray.meet(field));
            met.map(|hit| hit.depth).fold(f32::INFINITY, f32::min)
        };
        (0..width * height).into_par_iter().map(first).collect()
    }

    /// The nearest opaque matter at a sample.
    pub fn nearest(&self, place: &SampleRay) -> Option<MatterHit> {
        let grain = self.grain(&self.grains, place.at);
        let isosurface = self.refined(&self.pixels, &self.isosurfaces, place);
        nearer(grain, isosurface)
    }

    /// The nearest point of a translucent body at a sample.
    pub fn of_translucent(
        &self,
        translucent: &TranslucentBody,
        place: &SampleRay,
    ) -> Option<MatterHit> {
        let grain = self.grain(&translucent.grains, place.at);
        let isosurface = self.refined(&translucent.pixels, &[translucent.look], place);
        nearer(grain, isosurface)
    }

    /// The nearest point of a translucent body at a sample, and how much of it lies before a depth
    /// \[m\].
    pub fn before(
        &self,
        translucent: &TranslucentBody,
        place: &SampleRay,
        until: f32,
    ) -> Option<(MatterHit, f32)> {
        let seen = self
            .of_translucent(translucent, place)
            .filter(|seen| seen.depth < until)?;
        let thickness = match (seen.primitive, &self.fields[translucent.look]) {
            (Primitive::Particle(k), _) => 2.0 * self.drawing.particles.radii[k],
            (Primitive::Isosurface(_), Some(field))
                if self.drawing.looks[translucent.look].is_clear() =>
            {
                place.ray.thickness(field, until)
            }
            (Primitive::Isosurface(_) | Primitive::Triangle(_), _) => 0.0,
        };
        Some((seen, thickness))
    }

    /// True if no sample of a pixel shows a grain, and all show the same isosurface as its centre.
    pub fn is_even(&self, [x, y]: [usize; 2]) -> bool {
        let [width, _] = self.drawing.view.size;
        let pixel = y * width + x;
        let splats = self
            .translucent_bodies
            .iter()
            .map(|translucent| &translucent.grains);
        let mut splats = splats.chain([&self.grains]);
        let is_bare = splats.all(|splats| {
            let [u, v] = [x * super::SAMPLES, y * super::SAMPLES];
            (0..super::SAMPLES)
                .flat_map(|j| (0..super::SAMPLES).map(move |i| [u + i, v + j]))
                .all(|[u, v]| splats.at(u, v) == splat::EMPTY)
        });
        let translucent_bodies = self
            .translucent_bodies
            .iter()
            .map(|translucent| &translucent.pixels);
        is_bare
            && translucent_bodies
                .chain([&self.pixels])
                .all(|pixels| !self.is_edge(pixels, pixel))
    }

    fn grain(&self, splats: &Splats, [x, y]: [usize; 2]) -> Option<MatterHit> {
        let sample = splats.at(x, y);
        let k = splat::index(sample)?;
        let particles = self.drawing.particles;
        Some(MatterHit {
            depth: splat::depth(sample),
            look: particles.look_of(k),
            primitive: match k.checked_sub(particles.centers.len()) {
                None => Primitive::Particle(k),
                Some(triangle) => Primitive::Triangle(triangle),
            },
            share: 1.0,
        })
    }

    /// Isosurface hit of a sample: that of its pixel where neighbours are alike, otherwise from a
    /// ray of its own.
    fn refined(
        &self,
        pixels: &[Option<MatterHit>],
        looks: &[usize],
        place: &SampleRay,
    ) -> Option<MatterHit> {
        if pixels.is_empty() {
            return None;
        }
        if !self.is_edge(pixels, place.pixel) {
            return pixels[place.pixel];
        }
        let fields = looks
            .iter()
            .filter_map(|&look| Some((look, self.fields[look].as_ref()?)));
        nearest_isosurface(&place.ray, fields)
    }

    fn is_edge(&self, pixels: &[Option<MatterHit>], k: usize) -> bool {
        if pixels.is_empty() {
            return false;
        }
        let [width, height] = self.drawing.view.size;
        let (x, y) = (k % width, k / width);
        let here = &pixels[k];
        let alike = |j: usize| match (here, &pixels[j]) {
            (None, None) => true,
            (Some(a), Some(b)) => a.look == b.look && (a.depth - b.depth).abs() < 0.01 * a.depth,
            _ => false,
        };
        x == 0
            || y == 0
            || x + 1 == width
            || y + 1 == height
            || ![k - 1, k + 1, k - width, k + width].into_iter().all(alike)
    }

    /// Outwards at a point of the body that a look's particles make, if that is known.
    pub fn body_normal(&self, look: usize, point: Vec3, otherwise: Vec3) -> Option<Vec3> {
        let field = self.fields[look].as_ref()?;
        Some(field.normal_at(point, otherwise))
    }

    /// The space that the particles of a look fill, where the look needs to know.
    pub fn field(&self, look: usize) -> Option<&VolumeFraction> {
        self.fields[look].as_ref()
    }

    /// Largest distance of the isosurface of a look from the balls that cast its shadow \[m\].
    pub fn slack(&self, look: usize) -> f32 {
        self.fields[look]
            .as_ref()
            .map_or(0.0, |field| field.spacing)
    }

    /// Outwards at a point of a particle.
    pub fn outwards(&self, particle: usize, place: Vec3) -> Vec3 {
        let particles = self.drawing.particles;
        let from_middle = place - particles.centers[particle];
        let towards_camera = -self.fine.axes[2];
        match &particles.shape {
            Shape::Balls => unit_or(from_middle, towards_camera),
            Shape::Icosahedra(rotations) => splat::face_normal(&rotations[particle], from_middle),
            Shape::Points(_) => {
                let look = particles.looks[particle] as usize;
                let normal = self.body_normal(look, particles.centers[particle], towards_camera);
                normal.unwrap_or(towards_camera)
            }
        }
    }

    /// The normal of a mesh at a point, towards the eye.
    pub fn triangle_normal(&self, triangle: usize, place: Vec3, towards: Vec3) -> Vec3 {
        let particles = self.drawing.particles;
        let centers = &particles.centers;
        particles
            .triangles
            .normal(triangle, centers, place, towards)
    }

    fn triangle_color(&self, triangle: usize, place: Vec3) -> Option<Vec3> {
        let particles = self.drawing.particles;
        if particles.colors.is_empty() {
            return None;
        }
        let shares = particles
            .triangles
            .shares(triangle, &particles.centers, place);
        let corners = particles.triangles.corners[triangle];
        let mut sum = Vec3::zero();
        for (share, k) in shares.into_iter().zip(corners) {
            sum += particles.colors[k as usize] * share;
        }
        Some(sum)
    }

    /// The colour of a point of the matter, in place of that of its look.
    pub fn color(&self, seen: &MatterHit, place: Vec3) -> Option<Vec3> {
        match seen.primitive {
            Primitive::Particle(k) => self.drawing.particles.colors.get(k).copied(),
            Primitive::Triangle(k) => self.triangle_color(k, place),
            Primitive::Isosurface(_) if self.drawing.particles.colors.is_empty() => None,
            Primitive::Isosurface(_) => self.fields[seen.look].as_ref()?.color_at(place),
        }
    }

    /// The sheen of a point of the matter.
    pub fn sheen(&self, seen: &MatterHit, place: Vec3) -> Sheen {
        let sheens = &self.drawing.particles.sheens;
        match (seen.primitive, &self.fields[seen.look]) {
            _ if sheens.is_empty() => Sheen::default(),
            (Primitive::Particle(k), _) => sheens.get(k).copied().unwrap_or_default(),
            (Primitive::Isosurface(_), Some(field)) => field.sheen_at(place),
            // Meshes neither melt nor glow.
            (Primitive::Isosurface(_), None) | (Primitive::Triangle(_), _) => Sheen::default(),
        }
    }
}

/// The nearer of two points; of two in the same cut, that of the body which fills more of it.
fn nearer(a: Option<MatterHit>, b: Option<MatterHit>) -> Option<MatterHit> {
    match (a, b) {
        (Some(a), Some(b)) if a.depth == b.depth && b.share > a.share => Some(b),
        (Some(a), Some(b)) if b.depth < a.depth => Some(b),
        (Some(a), _) => Some(a),
        (None, b) => b,
    }
}

fn has_isosurface(drawing: &Drawing<'_>, look: usize) -> bool {
    let is_ball = matches!(drawing.particles.shape, Shape::Balls);
    is_ball && drawing.looks[look].surface != MatterSurface::Grains
}

fn used(drawing: &Drawing<'_>) -> Vec<bool> {
    let mut used = vec![false; drawing.looks.len()];
    let particles = drawing.particles;
    for &look in particles.looks.iter().chain(&particles.triangles.looks) {
        used[look as usize] = true;
    }
    used
}

fn needs_field(look: &Look, shape: &Shape) -> bool {
    match shape {
        Shape::Balls => look.surface != MatterSurface::Grains || look.grain < 1.0,
        Shape::Points(_) => true,
        Shape::Icosahedra(_) => false,
    }
}

fn field(drawing: &Drawing<'_>, look: usize) -> Option<VolumeFraction> {
    let particles = drawing.particles;
    let bodies = Bodies {
        centers: &particles.centers,
        radii: &particles.radii,
        colors: &particles.colors,
        sheens: &particles.sheens,
    };
    let field = VolumeFraction::new(bodies, drawing.extent, |k| {
        particles.looks[k] as usize == look
    })?;
    // What is clear is seen by its normals, in which every particle shows.
    Some(match drawing.looks[look].is_clear() {
        true => field.smoothed(),
        false => field,
    })
}

/// The first hit of a ray among the isosurfaces of some looks.
fn nearest_isosurface<'a>(
    ray: &Ray,
    fields: impl Iterator<Item = (usize, &'a VolumeFraction)>,
) -> Option<MatterHit> {
    let hits = fields.filter_map(|(look, field)| {
        let hit = ray.meet(field)?;
        Some(MatterHit {
            depth: hit.depth,
            look,
            primitive: Primitive::Isosurface(hit.normal),
            share: hit.share,
        })
    });
    hits.fold(None, |best, hit| nearer(best, Some(hit)))
}

/// Hits of some isosurfaces at the centres of pixels.
fn meet(drawing: &Drawing<'_>, fields: &[(usize, &VolumeFraction)]) -> Vec<Option<MatterHit>> {
    let [width, height] = drawing.view.size;
    let at = |k: usize| {
        let view = &drawing.view;
        let (start, direction) = view.ray(view.sample_center(k));
        let ray = Ray::new(start, direction, &drawing.surroundings.cuts);
        nearest_isosurface(&ray, fields.iter().copied())
    };
    (0..width * height).into_par_iter().map(at).collect()
}

/// Draws the triangles of meshes that `choice` takes, behind and before what is there.
fn add_triangles(
    splats: &mut Splats,
    view: &View,
    particles: &Particles,
    choice: impl Fn(usize) -> bool + Sync,
) {
    let (triangles, centers) = (&particles.triangles, &particles.centers[..]);
    if !triangles.corners.is_empty() {
        let samples = splats.samples_mut();
        triangles.draw((view, centers), centers.len(), choice, samples);
    }
}
