//! Several moving obstacles let nothing through where they meet: edges, corners, wedges.

#![allow(clippy::unwrap_used)] // the helpers of tests, too, may fail loudly

mod matter;

use matter::{H, Matter, Random, block, moving, plane, setup, simulation};
use thixo::collide::shape::{Cuboid, Moving, SteadyMotion};
use thixo::integrate::implicit::{Integrator, Optimization, Xpbd};
use thixo::material::Material;
use thixo::material::fluid::{OldroydB, PressureLaw, WeaklyCompressible};
use thixo::material::plastic::{DruckerPrager, FrictionHardening};
use thixo::{Collider, Contact, LevelSet, Plane, Seed, Setup, Simulation};

/// Speed of what is thrown \[m/s\].
const FAST: f64 = 450.0;

const CONTACTS: [Contact; 3] = [
    Contact::Slip,
    Contact::Separating { friction: 0.4 },
    Contact::Sticky,
];

/// Matter that is thrown; waves run at 100 to 120 m/s.
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
    /// Half the inner edge \[cells\].
    half: f64,
    /// Thickness of the walls \[cells\].
    thickness: f64,
    /// Angular velocity \[rad/s\]; 2D uses the last component.
    spin: [f64; 3],
}

impl TurningBox {
    fn motion<const D: usize>(&self) -> SteadyMotion<D> {
        SteadyMotion::new([0.0; D], [0.0; D], self.spin).unwrap()
    }
    /// Walls on all sides that overlap at edges and corners.
    fn walls<const D: usize>(&self, contact: Contact) -> Vec<Collider<D>> {
        let (inner, outer) = (self.half * H, (self.half + self.thickness) * H);
        let mut walls = Vec::new();
        for axis in 0..D {
            for side in [-1.0, 1.0] {
                let (mut min, mut max) = ([-outer; D], [outer; D]);
                min[axis] = f64::min(side * inner, side * outer);
                max[axis] = f64::max(side * inner, side * outer);
                let wall = Moving::new(Cuboid::new(min, max).unwrap(), self.motion());
                walls.push(Collider::new(wall, contact).unwrap());
            }
        }
        walls
    }
    /// Depth of a position behind the inner surface \[cells\].
    fn depth<const D: usize>(&self, position: [f64; D], time: f64) -> f64 {
        let room = Cuboid::new([-self.half * H; D], [self.half * H; D]).unwrap();
        let room = Moving::new(room, self.motion());
        // Beyond an edge the distance to the room is larger than the depth in either wall.
        let at = |x: [f64; D]| room.surface(x, time).distance / H;
        match at(position) {
            inside if inside <= 0.0 => inside,
            beyond => self.depth_in_walls(position, time).min(beyond),
        }
    }
    fn depth_in_walls<const D: usize>(&self, position: [f64; D], time: f64) -> f64 {
        use thixo::collide::shape::Motion;
        let pose = self.motion::<D>().pose(time);
        let own = pose.rotation.transpose() * thixo_math::Vector(position);
        let far = own.0.iter().fold(0.0f64, |far, x| far.max(x.abs()));
        far / H - self.half
    }
}

/// The largest depth of any particle at the end of any frame, the number of particles deeper than
/// allowed at the end, and how often particles were held back.
fn deepest<const D: usize>(
    sim: &mut Simulation<f32, D>,
    frames: [f64; 2],
    name: &str,
    depth: impl Fn([f64; D], f64) -> f64,
    allowed: f64,
) -> (f64, usize, u64)
where
    f32: Matter<D>,
{
    let [frame, end] = frames;
    let (mut largest, mut held, mut outside) = (f64::NEG_INFINITY, 0, 0);
    while sim.time() < end {
        let report = sim.advance(frame).unwrap_or_else(|e| panic!("{name}: {e}"));
        held += report.contact_corrections;
        outside = 0;
        for p in sim.particles() {
            let depth = depth(p.position.0, sim.time());
            largest = largest.max(depth);
            outside += usize::from(depth > allowed);
        }
    }
    (largest, outside, held)
}

#[allow(dead_code)]
/// A block in the middle, thrown at a corner with a share of disorder.
fn shot<const D: usize>(cells: usize, speed: f64) -> Vec<Seed<D>> {
    let seeds = block([-0.5 * cells as f64; D], [cells; D]);
    let mut random = Random(5);
    let mut seeds = moving(seeds, |_| [0.0; D]);
    for seed in &mut seeds {
        let mut v = [0.0; D];
        for (a, v) in v.iter_mut().enumerate() {
            *v = speed * (0.5 + 0.1 * a as f64 + 0.3 * (random.next() - 0.5));
        }
        seed.velocity = v;
    }
    seeds
}

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
    let mut sim = simulation(setup, vec![f32::law(stuff)]);
    sim.add(0, &shot(3, FAST)).unwrap();
    let allowed = if turning.thickness < 2.0 { 0.01 } else { 1.0 };
    let depth = |x, t| turning.depth(x, t);
    let (deepest, outside, held) = deepest(&mut sim, [0.01, 0.3], &name, depth, allowed);
    println!("{name}: {deepest:.3} cells deep, {outside} outside, {held} times held back");
    if std::env::var("SHOW").is_ok() {
        return;
    }
    assert!(
        outside == 0 && deepest <= allowed,
        "{name}: {deepest} cells deep, {outside} outside"
    );
    assert!(held > 0, "{name}: no guard");
}

fn boxes<const D: usize>()
where
    f32: Thrown<D>,
{
    let thick = TurningBox {
        half: 4.0,
        thickness: 2.0,
        spin: [3.0, -2.0, 20.0],
    };
    let thin = TurningBox {
        half: 4.0,
        thickness: 0.2,
        spin: [9.0, -6.0, 60.0],
    };
    let stuff = [Stuff::Toothpaste, Stuff::Fluid, Stuff::Sand];
    for (k, turning) in [thick, thin].into_iter().enumerate() {
        for (c, contact) in CONTACTS.into_iter().enumerate() {
            for m in 0..2 {
                keeps_everything::<D>(turning, contact, stuff[(c + m + k) % 3], |_| {});
            }
        }
    }
}

#[test]
fn a_turning_box_of_four_obstacles_keeps_what_is_thrown_about_in_it() {
    boxes::<2>();
}

#[test]
fn a_turning_box_of_six_obstacles_keeps_what_is_thrown_about_in_it() {
    boxes::<3>();
}
