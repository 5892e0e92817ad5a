//! What stands around the matter: obstacles, walls and the ground.

use std::sync::Arc;

use thixo::LevelSet;
use thixo::collide::shape::Surface;
use thixo_scene::{Matter, Obstacle, Scene, SceneError, Shape};

use crate::extent::Extent;
use crate::vector::Vec3;

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

/// Everything around the matter.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// Colliders; those of a plane scene go on without end across the plane.
    pub solids: Vec<Obstacle<3>>,
    /// Walls, but for the ground.
    pub walls: Vec<Plane>,
    /// The highest floor.
    pub ground: Option<Plane>,
}

/// A solid of the plane, without end across it.
#[derive(Debug)]
struct Extruded(Arc<dyn LevelSet<2>>);

impl LevelSet<3> for Extruded {
    fn surface(&self, [x, y, _]: [f64; 3], time: f64) -> Surface<3> {
        let Surface { distance, normal } = self.0.surface([x, y], time);
        Surface {
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

impl Stage {
    /// The obstacles of a scene.
    pub fn of(scene: &Scene) -> Result<Self, SceneError> {
        let solids = if scene.dimension == 2 {
            let flat = scene.obstacles::<2>()?.into_iter();
            flat.map(extruded).collect()
        } else {
            scene.obstacles::<3>()?
        };
        let mut stage = Self {
            solids: Vec::new(),
            walls: walls(scene),
            ground: None,
        };
        if scene.dimension == 2 {
            stage.solids = solids;
            return Ok(stage);
        }
        let up = upright(scene);
        let mut floors = Vec::new();
        stage.walls.retain(|wall| {
            let is_floor = wall.axis == up && wall.side > 0.0;
            if is_floor {
                floors.push(*wall);
            }
            !is_floor
        });
        for (solid, collider) in solids.into_iter().zip(&scene.colliders) {
            match floor(&collider.shape, up) {
                Some(position) if !solid.moves => floors.push(Plane {
                    axis: up,
                    position,
                    side: 1.0,
                }),
                _ => stage.solids.push(solid),
            }
        }
        let highest = |a: &Plane, b: &Plane| a.position.total_cmp(&b.position);
        stage.ground = floors.into_iter().max_by(highest);
        Ok(stage)
    }

    /// The box around obstacles that have an end and are not much larger than the matter.
    pub fn extent_near(&self, matter: Extent) -> Extent {
        let mut extent = matter;
        for solid in &self.solids {
            let Some([min, max]) = solid.bounds else {
                continue;
            };
            let corner = |x: [f64; 3]| thixo_math::Vector(x.map(|x| x as f32));
            let own = Extent {
                min: corner(min),
                max: corner(max),
            };
            if own.diagonal() <= 3.0 * matter.diagonal() {
                extent = extent.with(own);
            }
        }
        extent
    }

    /// How many obstacles a place is inside of, at a time \[s\].
    pub fn covering(&self, point: Vec3, time: f64) -> usize {
        let inside = |solid: &&Obstacle<3>| {
            let at = point.0.map(f64::from);
            solid.level_set.surface(at, time).distance < 0.0
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
