//! Several moving obstacles let nothing through where they meet: edges, corners, wedges.

use crate::matter::{H, Matter, Random, block, moving, plane, setup, simulation};
use thixo::collide::shape::{Cuboid, Motion, Moving, Pose, SteadyMotion};
use thixo::integrate::implicit::{Integrator, Optimization, Xpbd};
use thixo::material::Material;
use thixo::material::fluid::{OldroydB, PressureLaw, WeaklyCompressible};
use thixo::material::plastic::{DruckerPrager, FrictionHardening};
use thixo::{Collider, Contact, Plane, Seed, Setup, Simulation};
use thixo_math::{Matrix, Vector};

/// Speed of what is thrown \[m/s\].
const FAST: f64 = 450.0;

const CONTACTS: [Contact; 3] = [
    Contact::Slip,
    Contact::Separating { friction: 0.4 },
    Contact::Sticky,
];

/// Matter that is thrown; waves run at 3 to 22 m/s, so that nothing stops it before a corner.
#[derive(Clone, Copy, Debug)]
enum Stuff {
    Fluid,
    Toothpaste,
    Sand,
}

/// A dimension in which matter of all kinds can be thrown.
trait Thrown<const D: usize>: Matter<D> {
    fn law(stuff: Stuff) -> Box<dyn Material<Self, D>>;
}

macro_rules! thrown {
    ($($d:literal),*) => {$(
        impl Thrown<$d> for f32 {
            fn law(stuff: Stuff) -> Box<dyn Material<f32, $d>> {
                match stuff {
                    Stuff::Fluid => {
                        let law = PressureLaw::Tait { exponent: 7.0 };
                        WeaklyCompressible::new(1.0e5, 0.0, law).unwrap().into()
                    }
                    Stuff::Toothpaste => {
                        OldroydB::new(839.0, 8390.0, 50.0, 0.4).unwrap().into()
                    }
                    Stuff::Sand => {
                        let friction = FrictionHardening::constant(35.0);
                        DruckerPrager::new(3.5e5, 0.3, friction).unwrap().into()
                    }
                }
            }
        }
    )*};
}

thrown!(2, 3);

/// A closed box of walls that are obstacles of their own and turn together about its middle, the
/// origin.
#[derive(Clone, Copy, Debug)]
struct TurningBox {
    /// Thickness of the walls \[cells\].
    thickness: f64,
    /// Angular velocity \[rad/s\]; 2D uses the last component.
    spin: [f64; 3],
    /// True if walls overlap at edges and corners, false if they only touch.
    overlaps: bool,
}

/// Half the inner edge of the box \[cells\].
const HALF: f64 = 4.0;

const THICK: TurningBox = TurningBox {
    thickness: 2.0,
    spin: [3.0, -2.0, 20.0],
    overlaps: true,
};
const THIN: TurningBox = TurningBox {
    thickness: 0.2,
    spin: [9.0, -6.0, 60.0],
    overlaps: true,
};
const THICKER: TurningBox = TurningBox {
    thickness: 10.0,
    ..THICK
};
const TOUCHING: TurningBox = TurningBox {
    overlaps: false,
    ..THIN
};
const THICK_TOUCHING: TurningBox = TurningBox {
    overlaps: false,
    ..THICK
};

impl TurningBox {
    fn motion<const D: usize>(&self) -> SteadyMotion<D> {
        SteadyMotion::new([0.0; D], [0.0; D], self.spin).unwrap()
    }
    fn walls<const D: usize>(&self, contact: Contact) -> Vec<Collider<D>> {
        let (inner, outer) = (HALF * H, (HALF + self.thickness) * H);
        let mut walls = Vec::new();
        for axis in 0..D {
            for side in [-1.0, 1.0] {
                let (mut min, mut max) = ([-outer; D], [outer; D]);
                if !self.overlaps {
                    min[..axis].fill(-inner);
                    max[..axis].fill(inner);
                }
                min[axis] = f64::min(side * inner, side * outer);
                max[axis] = f64::max(side * inner, side * outer);
                let wall = Moving::new(Cuboid::new(min, max).unwrap(), self.motion());
                walls.push(Collider::new(wall, contact).unwrap());
            }
        }
        walls
    }
    /// Depth of a position behind the inner face of a wall \[cells\].
    fn depth<const D: usize>(&self, position: [f64; D], time: f64) -> f64 {
        let own = self.motion::<D>().pose(time).rotation.transpose() * Vector(position);
        own.0.into_iter().fold(0.0, |far: f64, x| far.max(x.abs())) / H - HALF
    }
}

/// A block in the middle, thrown at a corner with a share of disorder.
fn shot<const D: usize>() -> Vec<Seed<D>> {
    let mut random = Random(5);
    let mut seeds = block([-1.5; D], [3; D]);
    for seed in &mut seeds {
        for (a, v) in seed.velocity.iter_mut().enumerate() {
            *v = FAST * (0.5 + 0.1 * a as f64 + 0.3 * (random.next() - 0.5));
        }
    }
    seeds
}

/// Throws matter about in a box, and looks after every frame for particles in walls and outside.
fn keeps_everything<const D: usize>(
    turning: TurningBox,
    contact: Contact,
    stuff: Stuff,
    change: impl FnOnce(&mut Setup<D>),
) where
    f32: Thrown<D>,
{
    let name = format!("{D}D {stuff:?} {contact:?} {turning:?}");
    let mut setup = setup::<D>();
    setup.colliders = turning.walls(contact);
    change(&mut setup);
    let mut sim: Simulation<f32, D> = simulation(setup, vec![f32::law(stuff)]);
    sim.add(0, &shot()).unwrap();
    let allowed = if turning.thickness < 2.0 { 1e-5 } else { 1.0 };
    let (mut deepest, mut held) = (f64::NEG_INFINITY, 0);
    // Corners fill slowly: without the guard's care particles leave a thick box after 0.2 s.
    let frames = if turning.thickness == 2.0 { 60 } else { 15 };
    for frame in 0..frames {
        let report = sim.advance(5e-3).unwrap_or_else(|e| panic!("{name}: {e}"));
        held += report.contact_corrections;
        assert_eq!(report.crush_depth, 0.0, "{name}: walls that turn together");
        let mut outside = 0;
        for p in sim.particles() {
            let depth = turning.depth(p.position.0, sim.time());
            deepest = deepest.max(depth);
            outside += usize::from(depth > allowed);
        }
        assert_eq!(outside, 0, "{name}: {deepest} cells deep in frame {frame}");
    }
    println!("{name}: {deepest} cells deep, {held} times held back");
    assert!(held > 0, "{name}: the guard was never needed");
}

fn boxes<const D: usize>()
where
    f32: Thrown<D>,
{
    let stuff = [Stuff::Toothpaste, Stuff::Fluid, Stuff::Sand];
    let boxes = [THICK, THIN, TOUCHING, THICK_TOUCHING];
    for (k, turning) in boxes.into_iter().enumerate() {
        for (c, contact) in CONTACTS.into_iter().enumerate() {
            keeps_everything::<D>(turning, contact, stuff[(c + k) % 3], |_| {});
        }
    }
    keeps_everything::<D>(THICK, CONTACTS[1], Stuff::Toothpaste, |_| {});
    keeps_everything::<D>(THICKER, CONTACTS[0], Stuff::Toothpaste, |_| {});
    keeps_everything::<D>(THIN, CONTACTS[1], Stuff::Sand, |_| {});
}

#[test]
fn a_turning_box_of_four_obstacles_keeps_what_is_thrown_about_in_it() {
    boxes::<2>();
}

#[test]
fn a_turning_box_of_six_obstacles_keeps_what_is_thrown_about_in_it() {
    boxes::<3>();
}

#[test]
fn implicit_steps_keep_what_is_thrown_about_too() {
    let xpbd = Integrator::Xpbd(Xpbd::default());
    keeps_everything::<2>(THICK, CONTACTS[0], Stuff::Toothpaste, |setup| {
        setup.integrator = xpbd;
    });
    keeps_everything::<3>(THIN, CONTACTS[1], Stuff::Sand, |setup| {
        setup.integrator = xpbd;
    });
    let optimization = Integrator::Optimization(Optimization::default());
    for contact in CONTACTS {
        keeps_everything::<3>(THIN, contact, Stuff::Sand, |setup| {
            setup.integrator = optimization;
        });
    }
}

/// A flat face of an obstacle: its outward normal at an angle to the second axis, a point of it
/// \[cells\], its velocity \[m/s\] and the thickness of the solid behind it \[cells\].
#[derive(Clone, Copy, Debug)]
struct Face {
    angle: f64,
    point: [f64; 2],
    velocity: [f64; 2],
    thickness: f64,
}

impl Face {
    fn normal(&self) -> [f64; 2] {
        [-self.angle.sin(), self.angle.cos()]
    }
    fn collider<const D: usize>(&self, contact: Contact) -> Collider<D> {
        let (mut min, mut max) = ([-30.0 * H; D], [30.0 * H; D]);
        (min[1], max[1]) = (-self.thickness * H, 0.0);
        let own = *self;
        let pose = move |t: f64| {
            let mut rotation = Matrix::identity();
            let (sine, cosine) = own.angle.sin_cos();
            (rotation[0][0], rotation[0][1]) = (cosine, -sine);
            (rotation[1][0], rotation[1][1]) = (sine, cosine);
            let at = |a: usize| H * own.point[a] + t * own.velocity[a];
            Pose {
                translation: plane(at(0), at(1)),
                rotation,
                velocity: plane(own.velocity[0], own.velocity[1]),
                spin: Matrix::zero(),
            }
        };
        Collider::new(Moving::new(Cuboid::new(min, max).unwrap(), pose), contact).unwrap()
    }
    /// Depth of a position behind the face \[cells\].
    fn depth<const D: usize>(&self, x: [f64; D], time: f64) -> f64 {
        let n = self.normal();
        let along = |a: usize| n[a] * (x[a] - self.velocity[a] * time) / H - n[a] * self.point[a];
        -(along(0) + along(1))
    }
}

/// Throws matter at faces; returns the largest depth behind any of them \[cells\], by geometry and
/// not by the obstacles' own distances, and the largest depth of crushing that frames
/// report \[cells\].
fn depth_behind<const D: usize>(
    faces: &[Face],
    seeds: &[Seed<D>],
    (contact, stuff): (Contact, Stuff),
    end: f64,
) -> (f64, f64)
where
    f32: Thrown<D>,
{
    let mut setup = setup::<D>();
    setup.colliders = faces.iter().map(|face| face.collider(contact)).collect();
    let mut sim = simulation(setup, vec![f32::law(stuff)]);
    sim.add(0, seeds).unwrap();
    let (mut depth, mut crush) = (f64::NEG_INFINITY, 0.0f64);
    for _ in 0..50 {
        let report = sim
            .advance(end / 50.0)
            .unwrap_or_else(|e| panic!("{faces:?}: {e}"));
        crush = crush.max(report.crush_depth / H);
        for p in sim.particles() {
            for face in faces {
                depth = depth.max(face.depth(p.position.0, sim.time()));
            }
        }
    }
    (depth, crush)
}

/// Grooves of two plates that come against what flies at them, both alike or one faster.
fn grooves<const D: usize>()
where
    f32: Thrown<D>,
{
    let stuff = [Stuff::Toothpaste, Stuff::Sand, Stuff::Fluid];
    for (thickness, allowed) in [(0.2, 1e-5), (2.0, 1.0), (10.0, 1.0)] {
        for (contact, stuff) in CONTACTS.into_iter().zip(stuff) {
            for (degrees, speeds) in [(15.0f64, [200.0; 2]), (60.0, [60.0, 20.0])] {
                let half = degrees.to_radians();
                let face = |side: f64, speed: f64| Face {
                    angle: side * (0.5 * std::f64::consts::PI - half),
                    point: [0.0; 2],
                    velocity: [0.0, speed],
                    thickness,
                };
                let faces = [face(1.0, speeds[0]), face(-1.0, speeds[1])];
                let mut low = [-1.5; D];
                low[1] = 1.5 / half.tan() + 1.0;
                let seeds = moving(block(low, [3; D]), |_| plane(30.0, -FAST));
                let (depth, crush) = depth_behind(&faces, &seeds, (contact, stuff), 0.01);
                let name = format!("{D}D {stuff:?} {contact:?} {degrees} {thickness}");
                assert!(depth <= allowed, "{name}: {depth} cells deep");
                assert!(depth > -0.1, "{name}: no impact, {depth}");
                assert_eq!(crush, 0.0, "{name}");
            }
        }
    }
}

#[test]
fn nothing_gets_through_the_bottom_of_a_moving_groove() {
    grooves::<2>();
    grooves::<3>();
}

#[test]
fn a_corner_of_three_planes_that_come_is_tight() {
    let normals = [[1.0, 0.0, 0.0], [-0.4, 1.0, 0.0], [0.1, -0.3, 1.0]];
    let unit = normals.map(|n| Vector(n) * (1.0 / Vector(n).norm()));
    let speeds = [10.0, 40.0, 25.0];
    for (contact, stuff) in CONTACTS
        .into_iter()
        .zip([Stuff::Sand, Stuff::Fluid, Stuff::Toothpaste])
    {
        let mut setup = setup::<3>();
        for (n, speed) in unit.into_iter().zip(speeds) {
            let motion = SteadyMotion::new([0.0; 3], (n * speed).0, [0.0; 3]).unwrap();
            let solid = Moving::new(Plane::new([0.0; 3], n.0).unwrap(), motion);
            setup.colliders.push(Collider::new(solid, contact).unwrap());
        }
        let mut sim = simulation(setup, vec![f32::law(stuff)]);
        let seeds = block([1.0, 2.0, 1.0], [3; 3]);
        sim.add(0, &moving(seeds, |x| x.map(|x| -FAST * x)))
            .unwrap();
        for _ in 0..20 {
            sim.advance(2.5e-4).unwrap();
            for p in sim.particles() {
                for (n, speed) in unit.into_iter().zip(speeds) {
                    let depth = (speed * sim.time() - n.dot(p.position)) / H;
                    assert!(depth <= 1.0, "{contact:?} {stuff:?}: {depth} cells deep");
                }
            }
        }
    }
}

/// Two plates that close on matter until so many cells are left between them.
fn closing<const D: usize>(thickness: f64, stuff: Stuff, left: f64) -> (f64, f64)
where
    f32: Thrown<D>,
{
    let face = |angle, point, velocity| Face {
        angle,
        point: [0.0, point],
        velocity,
        thickness,
    };
    let faces = [
        face(0.0, -2.0, [0.0, 20.0]),
        face(std::f64::consts::PI, 2.0, [5.0, -20.0]),
    ];
    let seeds = moving(block([-1.5; D], [3; D]), |_| plane(0.0, 250.0));
    depth_behind(
        &faces,
        &seeds,
        (Contact::Slip, stuff),
        H * (4.0 - left) / 40.0,
    )
}

#[test]
fn plates_that_close_keep_matter_between_them_while_there_is_room() {
    for stuff in [Stuff::Toothpaste, Stuff::Sand] {
        for (thickness, left, allowed) in [(0.2, 0.1, 1e-5), (2.0, -1.5, 1.0), (10.0, -1.5, 1.0)] {
            for (depth, crush) in [
                closing::<2>(thickness, stuff, left),
                closing::<3>(thickness, stuff, left),
            ] {
                assert!(
                    depth <= allowed,
                    "{stuff:?} {thickness}: {depth} cells deep"
                );
                assert_eq!(crush, 0.0, "{stuff:?} {thickness}");
            }
        }
    }
}

#[test]
fn plates_that_crush_matter_share_the_depth_and_say_so() {
    // Solids that overlap by 3 cells leave no place that is less than 1.5 cells deep.
    for stuff in [Stuff::Toothpaste, Stuff::Sand] {
        for (depth, crush) in [
            closing::<2>(10.0, stuff, -3.0),
            closing::<3>(10.0, stuff, -3.0),
        ] {
            println!("{stuff:?}: {depth} cells deep, {crush} reported");
            assert!((1.5..1.6).contains(&depth), "{stuff:?}: {depth} cells deep");
            assert!(
                (depth - 0.98 - crush).abs() < 0.01,
                "{stuff:?}: {crush} reported"
            );
        }
    }
}
