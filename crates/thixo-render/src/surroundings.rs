//! Surroundings of the matter: obstacles, walls, the ground, and planes that cut all of it.

use std::sync::Arc;

use thixo::LevelSet;
use thixo::collide::shape::Surface as Nearest;
use thixo_math::Vector;
use thixo_scene::{Matter, Obstacle, Scene, SceneError, Shape, SolidLook, SolidSurface};

use crate::extent::Extent;
use crate::picture::from_srgb;
use crate::vector::{Vec3, unit_or};

/// A flat wall without end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// The axis it stands across.
    pub axis: usize,
    /// Its coordinate there \[m\].
    pub position: f32,
    /// +1 if the matter is at larger coordinates, −1 if at smaller ones.
    pub side: f32,
}

impl Plane {
    /// Distance from the wall into the matter \[m\].
    pub fn height(&self, point: Vec3) -> f32 {
        (point[self.axis] - self.position) * self.side
    }
}

/// A plane beyond which nothing is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutPlane {
    /// A point on it \[m\].
    pub point: Vec3,
    /// Of length 1, towards what is cut away.
    pub normal: Vec3,
}

impl CutPlane {
    /// Distance into what is cut away \[m\].
    #[inline]
    pub fn height(&self, point: Vec3) -> f32 {
        (point - self.point).dot(self.normal)
    }
}

/// A collider, and how it is drawn.
#[derive(Clone, Debug)]
pub struct Solid {
    /// Its level set.
    pub obstacle: Obstacle<3>,
    /// Its transparency.
    pub transparency: Transparency,
    /// True if it becomes a [`Transparency::Container`] when matter is found in it.
    pub may_contain: bool,
    /// Share of the light that comes back, linear.
    pub color: Vec3,
    /// True if it casts a shadow.
    pub casts_shadow: bool,
    /// True if shadows fall on it.
    pub receives_shadow: bool,
}

/// Transparency of a collider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transparency {
    /// It hides what is behind.
    Opaque,
    /// It holds matter: where a ray passes through a wall of it and meets another one, the first is
    /// glass.
    Container,
    /// All of it is glass.
    Glass,
}

/// The colour of obstacles unless told otherwise.
pub const GREY: Vec3 = Vector([0.46, 0.49, 0.54]);

impl Solid {
    /// An opaque grey collider.
    pub fn opaque(obstacle: Obstacle<3>) -> Self {
        Self {
            obstacle,
            transparency: Transparency::Opaque,
            may_contain: true,
            color: GREY,
            casts_shadow: true,
            receives_shadow: true,
        }
    }

    /// Its bounding box; none if it has no end.
    pub fn extent(&self) -> Option<Extent> {
        let [min, max] = self.obstacle.bounds?;
        let corner = |x: [f64; 3]| Vector(x.map(|x| x as f32));
        Some(Extent {
            min: corner(min),
            max: corner(max),
        })
    }

    /// A collider with its look in the scene; none if it is hidden.
    fn looking(obstacle: Obstacle<3>, look: &SolidLook) -> Option<Self> {
        let transparency = match look.surface {
            SolidSurface::Hidden => return None,
            SolidSurface::Glass => Transparency::Glass,
            SolidSurface::Auto | SolidSurface::Solid => Transparency::Opaque,
        };
        Some(Self {
            transparency,
            may_contain: look.surface == SolidSurface::Auto,
            color: look.color.map_or(GREY, |color| from_srgb(color.0)),
            casts_shadow: look.casts_shadow,
            receives_shadow: look.receives_shadow,
            obstacle,
        })
    }
}

/// Everything around the matter.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Colliders; those of a plane scene go on without end across the plane.
    pub solids: Vec<Solid>,
    /// Planes beyond which neither matter nor colliders are drawn.
    pub cuts: Vec<CutPlane>,
    /// Walls, but for the ground.
    pub walls: Vec<Plane>,
    /// The highest floor.
    pub ground: Option<Plane>,
}

/// A solid of the plane, without end across it.
#[derive(Debug)]
struct Extruded(Arc<dyn LevelSet<2>>);

impl LevelSet<3> for Extruded {
    fn surface(&self, [x, y, _]: [f64; 3], time: f64) -> Nearest<3> {
        let Nearest { distance, normal } = self.0.surface([x, y], time);
        Nearest {
            distance,
            normal: [normal[0], normal[1], 0.0],
        }
    }
    fn thickness(&self) -> f64 {
        self.0.thickness()
    }
    fn clearance(&self) -> f64 {
        self.0.clearance()
    }
}

/// The axis that points upwards: against gravity where that lies along an axis, or else y.
pub fn upright(scene: &Scene) -> usize {
    let gravity: Vec<f64> = scene
        .physics
        .gravity
        .iter()
        .map(|g| match g {
            thixo_scene::Number::Constant(g) => *g,
            _ => 0.0,
        })
        .collect();
    let others = |axis: usize| {
        let rest = gravity.iter().enumerate().filter(|(a, _)| *a != axis);
        rest.map(|(_, g)| g.abs()).fold(0.0, f64::max)
    };
    let downwards = |axis: &usize| gravity[*axis] < 0.0 && -gravity[*axis] > 2.0 * others(*axis);
    (0..gravity.len()).find(downwards).unwrap_or(1)
}

impl Surroundings {
    /// The obstacles of a scene.
    pub fn of(scene: &Scene) -> Result<Self, SceneError> {
        let solids = if scene.dimension == 2 {
            let flat = scene.obstacles::<2>()?.into_iter();
            flat.map(extruded).collect()
        } else {
            scene.obstacles::<3>()?
        };
        let mut surroundings = Self {
            cuts: cuts(scene),
            walls: walls(scene),
            ..Self::default()
        };
        let solids = solids.into_iter().zip(&scene.colliders);
        if scene.dimension == 2 {
            let seen = solids.filter_map(|(solid, c)| Solid::looking(solid, &c.look));
            surroundings.solids = seen.collect();
            return Ok(surroundings);
        }
        let up = upright(scene);
        let mut floors = Vec::new();
        surroundings.walls.retain(|wall| {
            let is_floor = wall.axis == up && wall.side > 0.0;
            if is_floor {
                floors.push(*wall);
            }
            !is_floor
        });
        for (solid, collider) in solids {
            match floor(&collider.shape, up) {
                Some(position) if !solid.moves && collider.look == SolidLook::default() => {
                    floors.push(Plane {
                        axis: up,
                        position,
                        side: 1.0,
                    });
                }
                _ => surroundings
                    .solids
                    .extend(Solid::looking(solid, &collider.look)),
            }
        }
        let highest = |a: &Plane, b: &Plane| a.position.total_cmp(&b.position);
        surroundings.ground = floors.into_iter().max_by(highest);
        Ok(surroundings)
    }

    /// The box around obstacles that have an end and are not much larger than the matter.
    pub fn extent_near(&self, matter: Extent) -> Extent {
        let mut extent = matter;
        for solid in &self.solids {
            match solid.extent() {
                Some(own) if own.diagonal() <= 3.0 * matter.diagonal() => {
                    extent = extent.with(own);
                }
                _ => {}
            }
        }
        extent
    }

    /// True if nothing moves.
    pub fn is_still(&self) -> bool {
        self.solids.iter().all(|solid| !solid.obstacle.moves)
    }

    /// True if a point is beyond a cut.
    #[inline]
    pub fn is_cut(&self, point: Vec3) -> bool {
        self.cuts.iter().any(|cut| cut.height(point) > 0.0)
    }

    /// Number of obstacles that a point is inside of, at a time \[s\].
    pub fn covering(&self, point: Vec3, time: f64) -> usize {
        let inside = |solid: &&Solid| {
            let at = point.0.map(f64::from);
            solid.obstacle.level_set.surface(at, time).distance < 0.0
        };
        let planes = self.walls.iter().chain(&self.ground);
        self.solids.iter().filter(inside).count()
            + planes.filter(|plane| plane.height(point) < 0.0).count()
    }
}

fn walls(scene: &Scene) -> Vec<Plane> {
    let walls = scene.walls.iter().map(|wall| Plane {
        axis: wall.axis.index(),
        position: wall.position as f32,
        side: match wall.matter {
            Matter::Above => 1.0,
            Matter::Below => -1.0,
        },
    });
    walls.collect()
}

fn cuts(scene: &Scene) -> Vec<CutPlane> {
    let vector = |x: [f64; 3]| Vector(x.map(|x| x as f32));
    let cuts = scene.render.cuts.iter().map(|cut| CutPlane {
        point: vector(cut.point),
        normal: unit_or(vector(cut.normal), Vector([0.0, 0.0, 1.0])),
    });
    cuts.collect()
}

fn extruded(solid: Obstacle<2>) -> Obstacle<3> {
    Obstacle {
        level_set: Arc::new(Extruded(solid.level_set)),
        bounds: solid
            .bounds
            .map(|corners| corners.map(|[x, y]| [x, y, 0.0])),
        moves: solid.moves,
    }
}

/// The height of a shape that is a floor.
fn floor(shape: &Shape, up: usize) -> Option<f32> {
    match shape {
        Shape::Plane { point, normal } | Shape::HalfSpace { point, normal } => {
            let others = normal.iter().enumerate().filter(|(a, _)| *a != up);
            let is_level = others.map(|(_, n)| n.abs()).sum::<f64>() == 0.0;
            (is_level && normal.get(up)? > &0.0).then_some(*point.get(up)? as f32)
        }
        _ => None,
    }
}
