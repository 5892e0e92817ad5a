//! Obstacles let nothing through, at 200 m/s; materials may be held differently; particles may be
//! held too.

use std::sync::Arc;

use crate::matter::{
    H, Matter, bits, block, both, honey, moving, plane, rubber, schemes, setup, simulation,
};
use thixo::collide::shape::{Complement, Cuboid, Difference, Moving, Sphere, SteadyMotion, Union};
use thixo::material::Material;
use thixo::material::elastic::NeoHookean;
use thixo::material::fluid::{PressureLaw, WeaklyCompressible};
use thixo::material::plastic::{DruckerPrager, FrictionHardening};
use thixo::{
    ActsOn, BodyForce, BuildError, Collider, Contact, Instance, KernelKind, LevelSet, Path, Plane,
    Seed, Setup, Side, Simulation, Transfer, Wall, Warning,
};

/// Speed of everything that hits \[m/s\].
const FAST: f64 = 200.0;

const CONTACTS: [Contact; 3] = [
    Contact::Sticky,
    Contact::Slip,
    Contact::Separating { friction: 0.4 },
];

/// Matter of the projectile; waves run at about 100 m/s.
#[derive(Clone, Copy, Debug)]
enum Stuff {
    Fluid,
    Elastic,
    Sand,
}

const STUFF: [Stuff; 3] = [Stuff::Fluid, Stuff::Elastic, Stuff::Sand];

impl Stuff {
    fn law<const D: usize>(self) -> Box<dyn Material<f32, D>>
    where
        f32: Matter<D>,
        DruckerPrager: Into<Box<dyn Material<f32, D>>>,
    {
        match self {
            Self::Fluid => {
                let law = PressureLaw::Tait { exponent: 7.0 };
                f32::fluid(WeaklyCompressible::new(1.0e7, 0.0, law).unwrap())
            }
            Self::Elastic => f32::solid(NeoHookean::from_young_poisson(1.0e7, 0.3).unwrap()),
            Self::Sand => {
                let friction = FrictionHardening::constant(35.0);
                DruckerPrager::new(1.0e7, 0.3, friction).unwrap().into()
            }
        }
    }
}

/// A solid, what flies at it, and how fast the solid comes \[m/s\].
struct Target<const D: usize> {
    name: &'static str,
    solid: Arc<dyn LevelSet<D>>,
    velocity: [f64; D],
    seeds: Vec<Seed<D>>,
}

/// A solid that is carried along.
fn carried<const D: usize>(
    solid: impl LevelSet<D> + 'static,
    velocity: [f64; D],
) -> Arc<dyn LevelSet<D>> {
    let motion = SteadyMotion::new([0.0; D], velocity, [0.0; 3]).unwrap();
    Arc::new(Moving::new(solid, motion))
}

/// A solid seen through its reference.
#[derive(Debug)]
struct Shared<const D: usize>(Arc<dyn LevelSet<D>>);

impl<const D: usize> LevelSet<D> for Shared<D> {
    fn surface(&self, position: [f64; D], time: f64) -> thixo::collide::shape::Surface<D> {
        self.0.surface(position, time)
    }
    fn velocity(&self, position: [f64; D], time: f64) -> [f64; D] {
        self.0.velocity(position, time)
    }
    fn thickness(&self) -> f64 {
        self.0.thickness()
    }
    fn clearance(&self) -> f64 {
        self.0.clearance()
    }
}

/// A box from `low` to `high` along the second axis, wide along the others.
fn slab<const D: usize>(low: f64, high: f64) -> Cuboid<D> {
    let (mut min, mut max) = ([-20.0; D], [20.0; D]);
    (min[1], max[1]) = (low, high);
    Cuboid::new(min, max).unwrap()
}

/// A block of three cells along each axis that starts at `low` cells and moves.
fn projectile<const D: usize>(low: [f64; D], velocity: [f64; D]) -> Vec<Seed<D>> {
    moving(block(low, [3; D]), |_| velocity)
}

fn thick_targets<const D: usize>() -> Vec<Target<D>> {
    let down = plane::<D>(0.0, -FAST);
    let above = {
        let mut low = [0.13; D];
        low[1] = 0.31;
        low
    };
    let mut corner = [-FAST / (D as f64).sqrt(); D];
    corner[0] *= 0.9;
    let normal = plane::<D>(0.6, 0.8);
    vec![
        Target {
            name: "plane",
            solid: Arc::new(Plane::new([0.0; D], normal).unwrap()),
            velocity: [0.0; D],
            seeds: projectile([1.0; D], normal.map(|n| -FAST * n)),
        },
        Target {
            name: "box of two cells",
            solid: Arc::new(slab(-2.0 * H, 0.0)),
            velocity: [0.0; D],
            seeds: projectile(above, down),
        },
        Target {
            name: "box of two cells between nodes",
            solid: Arc::new(slab(-2.5 * H, -0.5 * H)),
            velocity: [0.0; D],
            seeds: projectile(above, down),
        },
        Target {
            name: "ball",
            solid: {
                let mut center = [1.5 * H; D];
                center[1] = -2.0 * H;
                Arc::new(Sphere::new(center, 2.0 * H).unwrap())
            },
            velocity: [0.0; D],
            seeds: projectile(above, down),
        },
        Target {
            name: "container",
            solid: {
                let room = Cuboid::new([0.0; D], [4.3 * H; D]).unwrap();
                Arc::new(Complement(Arc::new(room)))
            },
            velocity: [0.0; D],
            seeds: projectile([0.5; D], corner),
        },
        Target {
            name: "wall that comes",
            solid: {
                let wall = Plane::new([0.0; D], plane(0.0, 1.0)).unwrap();
                carried(wall, plane(0.0, FAST))
            },
            velocity: plane(0.0, FAST),
            seeds: projectile(above, [0.0; D]),
        },
        Target {
            name: "box that comes against what flies at it",
            solid: carried(slab::<D>(-2.0 * H, 0.0), plane(0.0, 0.5 * FAST)),
            velocity: plane(0.0, 0.5 * FAST),
            seeds: projectile(above, plane(30.0, -0.5 * FAST)),
        },
    ]
}

fn hit<const D: usize>(
    target: &Target<D>,
    contact: Contact,
    law: Box<dyn Material<f32, D>>,
    change: impl FnOnce(&mut Setup<D>),
) -> Simulation<f32, D>
where
    f32: Matter<D>,
{
    let mut setup = setup::<D>();
    let collider = Collider::new(Shared(target.solid.clone()), contact);
    setup.colliders.push(collider.unwrap());
    change(&mut setup);
    let mut sim = simulation(setup, vec![law]);
    sim.add(0, &target.seeds).unwrap();
    sim
}

/// Advances step by step, as long as the matter takes to cross ten cells, and looks at the
/// particles after every step.
fn watch<const D: usize>(
    sim: &mut Simulation<f32, D>,
    name: &str,
    mut look: impl FnMut(f64, [f64; D]),
) -> u64
where
    f32: Matter<D>,
{
    let mut held = 0;
    // Frames so short that they are single steps: 0.54 is what a CFL number of 0.6 aims at.
    let mut frame = 0.54 * H / FAST;
    let end = 6.0 * H / FAST;
    while sim.time() < end {
        let report = sim.advance(frame).unwrap_or_else(|e| panic!("{name}: {e}"));
        frame = frame.min(1.05 * report.dt_min);
        held += report.contact_corrections;
        for p in sim.particles() {
            look(sim.time(), p.position.0.map(f64::from));
        }
    }
    held
}

/// The largest depth, in cells, and how often the guard was needed.
fn deepest<const D: usize>(
    sim: &mut Simulation<f32, D>,
    solid: &dyn LevelSet<D>,
    name: &str,
) -> (f64, u64)
where
    f32: Matter<D>,
{
    let mut depth = f64::NEG_INFINITY;
    let held = watch(sim, name, |time, x| {
        depth = depth.max(-solid.surface(x, time).distance / H);
    });
    (depth, held)
}

fn nothing_gets_deep<const D: usize>()
where
    f32: Matter<D>,
    DruckerPrager: Into<Box<dyn Material<f32, D>>>,
{
    let mut needed = 0;
    for (k, target) in thick_targets::<D>().iter().enumerate() {
        for (m, stuff) in STUFF.into_iter().enumerate() {
            for (c, cfl) in [0.9, 0.6, 0.2].into_iter().enumerate() {
                let contact = CONTACTS[(k + m + c) % 3];
                let name = format!("{D}D {stuff:?} {contact:?} {cfl}: {}", target.name);
                let mut sim = hit(target, contact, stuff.law(), |setup| {
                    setup.time_step.cfl = cfl;
                });
                assert!(sim.warnings().is_empty(), "{name}");
                let (depth, held) = deepest(&mut sim, &*target.solid, &name);
                assert!(depth <= 1.0, "{name}: {depth} cells deep");
                // Matter meets its image when its nodes reach the surface, up to a cell in front.
                assert!(depth > -1.0, "{name}: no impact, {depth}");
                needed += held;
            }
        }
    }
    // Contact on nodes keeps matter out of thick solids by itself; the guard is a safety net.
    println!("{D}D: {needed} times held back");
}

#[test]
fn nothing_gets_deeper_than_a_cell_into_thick_solids() {
    nothing_gets_deep::<2>();
    nothing_gets_deep::<3>();
}

#[test]
fn nothing_gets_deeper_than_a_cell_with_any_transfer_and_kernel() {
    for target in thick_targets::<2>() {
        for (k, (transfer, kernel)) in schemes().into_iter().enumerate() {
            let contact = CONTACTS[k % 3];
            let name = format!("{transfer:?} {kernel:?} {contact:?}: {}", target.name);
            let mut sim = hit(&target, contact, Stuff::Elastic.law(), |setup| {
                setup.transfer = transfer;
                setup.kernel = kernel;
            });
            let (depth, _) = deepest(&mut sim, &*target.solid, &name);
            assert!(depth <= 1.0, "{name}: {depth} cells deep");
        }
    }
}

#[test]
fn nothing_gets_through_a_plate_of_a_third_of_a_cell() {
    fn case<const D: usize>()
    where
        f32: Matter<D>,
        DruckerPrager: Into<Box<dyn Material<f32, D>>>,
    {
        for (from, speed) in [(-0.6, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 0.5)] {
            let mut low = [0.13; D];
            low[1] = 0.5;
            let velocity = plane::<D>(40.0, (speed - 1.0) * FAST);
            let target = Target {
                name: "plate",
                solid: carried(
                    slab::<D>((from - 0.3) * H, from * H),
                    plane(0.0, speed * FAST),
                ),
                velocity: plane(0.0, speed * FAST),
                seeds: projectile(low, velocity),
            };
            for (m, stuff) in STUFF.into_iter().enumerate() {
                let contact = CONTACTS[m];
                for path in [Path::Fused, Path::Staged] {
                    let name = format!("{D}D {stuff:?} {contact:?} {path:?} {from} {speed}");
                    let mut sim = hit(&target, contact, stuff.law(), |setup| setup.path = path);
                    assert!(
                        matches!(sim.warnings()[..], [Warning::ThinCollider { index: 0, thickness, .. }]
                            if (thickness - 0.3 * H).abs() < 1e-12)
                    );
                    let mut lowest = f64::INFINITY;
                    let held = watch(&mut sim, &name, |time, x| {
                        let top = from * H + target.velocity[1] * time;
                        lowest = lowest.min((x[1] - top) / H);
                    });
                    assert!(lowest > -0.01, "{name}: {lowest} cells above the plate");
                    assert!(lowest < 0.6, "{name}: no impact, {lowest}");
                    // Between two lines of nodes nothing else can stop matter.
                    assert!(held > 0 || from == 0.0, "{name}: no guard");
                }
            }
        }
    }
    case::<2>();
    case::<3>();
}

/// The largest depth below the top of a floor of two parts, over all transfers and
/// kernels \[cells\].
fn depth_in_seam(parts: [[f64; 2]; 2]) -> f64 {
    let parts = parts.map(|[low, high]| -> Arc<dyn LevelSet<2>> {
        Arc::new(Cuboid::new([low * H, -6.0 * H], [high * H, 0.0]).unwrap())
    });
    let target = Target {
        name: "seam",
        solid: Arc::new(Union(parts.to_vec())),
        velocity: [0.0; 2],
        seeds: projectile([0.0, 0.3], [0.0, -FAST]),
    };
    let mut lowest = f64::INFINITY;
    for (k, (transfer, kernel)) in schemes().into_iter().enumerate() {
        let name = format!("{transfer:?} {kernel:?}");
        let contact = CONTACTS[1 + k % 2];
        let mut sim = hit(&target, contact, Stuff::Fluid.law(), |setup| {
            setup.transfer = transfer;
            setup.kernel = kernel;
        });
        watch(&mut sim, &name, |_, x| lowest = lowest.min(x[1] / H));
    }
    -lowest
}

#[test]
fn a_seam_is_tight_when_the_parts_overlap_by_two_cells() {
    let tight = depth_in_seam([[-20.0, 2.5], [0.5, 20.0]]);
    assert!(tight <= 1.0, "{tight} cells");
    // The documented limit: to the level set a seam of parts that only touch is surface.
    let open = depth_in_seam([[-20.0, 1.0], [1.0, 20.0]]);
    assert!(open > 1.0, "{open} cells");
}

#[test]
fn a_thin_box_keeps_what_is_thrown_about_in_it() {
    let (low, high) = (0.0, 5.2 * H);
    let inner: Arc<dyn LevelSet<2>> = Arc::new(Cuboid::new([low; 2], [high; 2]).unwrap());
    let t = 0.3 * H;
    let outer: Arc<dyn LevelSet<2>> = Arc::new(Cuboid::new([low - t; 2], [high + t; 2]).unwrap());
    let target = Target {
        name: "thin box",
        solid: Arc::new(Difference {
            from: outer,
            taken: inner,
        }),
        velocity: [0.0; 2],
        seeds: projectile([1.1, 0.8], [0.7 * FAST, -0.7 * FAST]),
    };
    for (transfer, kernel) in schemes() {
        let contact = Contact::Separating { friction: 0.0 };
        let name = format!("{transfer:?} {kernel:?}");
        let mut sim = hit(&target, contact, Stuff::Fluid.law(), |setup| {
            setup.transfer = transfer;
            setup.kernel = kernel;
        });
        assert_eq!(sim.warnings().len(), 1, "its thickness is unknown");
        watch(&mut sim, &name, |time, x| {
            let inside = x.iter().all(|&x| x > low - 0.01 * H && x < high + 0.01 * H);
            assert!(inside, "{name}: {x:?} at {time}");
        });
    }
}

fn into_walls<const D: usize>(transfer: Transfer, kernel: KernelKind)
where
    f32: Matter<D>,
    DruckerPrager: Into<Box<dyn Material<f32, D>>>,
{
    for (contact, stuff) in CONTACTS.into_iter().zip(STUFF) {
        let name = format!("{D}D {transfer:?} {kernel:?} {contact:?} {stuff:?}");
        let mut setup = setup::<D>();
        setup.transfer = transfer;
        setup.kernel = kernel;
        setup.walls = vec![
            Wall::new(1, 0.0, Side::Above, contact),
            Wall::new(0, 0.0, Side::Above, contact),
        ];
        let mut sim = simulation(setup, vec![stuff.law()]);
        let seeds = projectile([0.3; D], plane(-0.4 * FAST, -0.9 * FAST));
        sim.add(0, &seeds).unwrap();
        let mut lowest = f64::INFINITY;
        watch(&mut sim, &name, |_, x| {
            lowest = lowest.min(x[0].min(x[1]) / H)
        });
        println!("{name}: {lowest}");
        assert!(lowest >= -1.0, "{name}: {lowest} cells");
    }
}

#[test]
fn nothing_gets_deeper_than_a_cell_into_a_wall_on_a_node_line() {
    // Solids on the linear kernel, whose slopes jump from cell to cell, do not survive the impact.
    let smooth = |(_, kernel): &(Transfer, KernelKind)| *kernel != KernelKind::Linear;
    for (transfer, kernel) in schemes().into_iter().filter(smooth) {
        into_walls::<2>(transfer, kernel);
    }
    into_walls::<3>(Transfer::Mls, KernelKind::Quadratic);
    into_walls::<3>(Transfer::Flip, KernelKind::Cubic);
}

#[test]
fn the_guard_leaves_matter_at_rest_alone() {
    fn case<const D: usize>()
    where
        f32: Matter<D>,
        DruckerPrager: Into<Box<dyn Material<f32, D>>>,
    {
        for stuff in STUFF {
            let mut setup = setup::<D>();
            setup.body_force = BodyForce::Uniform(plane(0.0, -9.81));
            let room = Cuboid::new([0.0; D], [4.0 * H; D]).unwrap();
            let contact = Contact::Separating { friction: 0.3 };
            let walls = Collider::new(Complement(Arc::new(room)), contact);
            setup.colliders.push(walls.unwrap());
            let mut sim = simulation(setup, vec![stuff.law()]);
            sim.add(0, &block([0.0; D], [4; D])).unwrap();
            let report = sim.advance(0.1).unwrap();
            assert_eq!(report.contact_corrections, 0, "{D}D {stuff:?}");
        }
    }
    case::<2>();
    case::<3>();
}

#[test]
fn matter_that_was_put_into_a_solid_is_not_thrown_out() {
    let floor = Plane::new([0.0, 3.0 * H], [0.0, 1.0]).unwrap();
    let target = Target {
        name: "floor",
        solid: Arc::new(floor),
        velocity: [0.0; 2],
        seeds: projectile([0.0; 2], [0.0, -5.0]),
    };
    let contact = Contact::Separating { friction: 0.0 };
    let mut sim = hit(&target, contact, Stuff::Elastic.law(), |_| {});
    sim.advance(0.02).unwrap();
    for (p, seed) in sim.particles().iter().zip(&target.seeds) {
        let rise = p.position[1] - seed.position[1];
        assert!(rise.abs() < 0.05 * H, "{rise} m");
    }
}

/// Distances that two equal blocks on one slope of tan θ = 0.3 slide in 0.4 s.
fn slides(floor: Collider<2>, path: Path) -> [f64; 2] {
    let mut setup = setup::<2>();
    setup.path = path;
    let down = (1.0f64 + 0.09).sqrt();
    setup.body_force = BodyForce::Uniform([9.81 * 0.3 / down, -9.81 / down]);
    setup.colliders.push(floor);
    let stiff = NeoHookean::from_young_poisson(5.0e5, 0.2).unwrap();
    let laws = vec![f64::solid(stiff), f64::solid(stiff)];
    let mut sim = simulation::<f64, 2>(setup, laws);
    let blocks = [block([0.0, 0.0], [4, 2]), block([12.0, 0.0], [4, 2])];
    for (material, seeds) in blocks.iter().enumerate() {
        sim.add(material, seeds).unwrap();
    }
    sim.advance(0.4).unwrap();
    let mut out = [0.0; 2];
    for (material, seeds) in blocks.iter().enumerate() {
        let ends = sim
            .particles()
            .into_iter()
            .filter(|p| p.material == material);
        let moved = ends.map(|p| p.position[0]).sum::<f64>()
            - seeds.iter().map(|seed| seed.position[0]).sum::<f64>();
        out[material] = moved / seeds.len() as f64;
    }
    out
}

#[test]
fn on_one_slope_one_material_sticks_and_another_slides() {
    let down = (1.0f64 + 0.09).sqrt();
    let rough = Contact::Separating { friction: 0.5 };
    for path in [Path::Fused, Path::Staged] {
        for friction in [0.0, 0.1] {
            let floor = || Plane::new([0.0; 2], [0.0, 1.0]).unwrap();
            let ice = Contact::Separating { friction };
            let by_contact = Collider::new(floor(), rough)
                .and_then(|floor| floor.for_material(1, ice))
                .unwrap();
            let by_field = Collider::with_friction(floor(), |_, _| 0.5)
                .for_material_with_friction(1, move |_, _| friction);
            for floor in [by_contact, by_field] {
                let [stuck, slid] = slides(floor, path);
                // ½ g (sin θ − μ cos θ) t²
                let expected = 0.5 * 0.16 * 9.81 * (0.3 - friction) / down;
                assert!(stuck.abs() < 0.05 * H, "{path:?}: slides {stuck} m");
                let gap = (slid / expected - 1.0).abs();
                assert!(gap < 0.03, "{path:?} {friction}: {slid} of {expected} m");
            }
        }
    }
}

#[test]
fn where_materials_mix_the_heaviest_decides_and_friction_is_the_mean_by_mass() {
    fn case<const D: usize>()
    where
        f64: Matter<D>,
    {
        for path in [Path::Fused, Path::Staged] {
            let mut setup = setup::<D>();
            setup.path = path;
            // All nodes are in the solid.
            let deep = Plane::new([9.0; D], plane(0.0, 1.0)).unwrap();
            let friction = |friction| Contact::Separating { friction };
            let collider = Collider::new(deep, friction(0.1))
                .and_then(|collider| collider.for_material(1, friction(0.5)));
            setup.colliders.push(collider.unwrap());
            let mut sim = simulation(setup, both::<f64, D>());
            let seeds = moving(block([0.0; D], [5; D]), |_| plane(1.0, -1.0));
            let heavy = |factor: f64| {
                let scaled = seeds.iter().map(|seed| Seed {
                    mass: factor * seed.mass,
                    ..*seed
                });
                scaled.collect::<Vec<_>>()
            };
            sim.add(0, &heavy(3.0)).unwrap();
            sim.add(1, &heavy(1.0)).unwrap();
            sim.run_steps(1e-5, 1).unwrap();
            for p in sim.particles() {
                // μ = (3 · 0.1 + 0.5)/4
                assert!(
                    (p.velocity[0] - 0.8).abs() < 1e-12,
                    "{D}D: {:?}",
                    p.velocity
                );
            }
        }
    }
    case::<2>();
    case::<3>();
}

/// Velocity and way along the floor of the particles whose centres are below it, after a step of
/// `dt`.
fn below_the_floor<const D: usize>(
    contact: Contact,
    acts_on: ActsOn,
    transfer: Transfer,
    dt: f64,
) -> Vec<[f64; 2]>
where
    f64: Matter<D>,
{
    let mut setup = setup::<D>();
    setup.transfer = transfer;
    let floor = Plane::new(plane(0.0, 0.4 * H), plane(0.0, 1.0)).unwrap();
    let collider = Collider::new(floor, contact).unwrap().acting_on(acts_on);
    setup.colliders.push(collider);
    let mut sim = simulation(setup, vec![f64::solid(rubber())]);
    let seeds = moving(block([0.0; D], [4; D]), |_| plane(2.0, -1.0));
    sim.add(0, &seeds).unwrap();
    sim.run_steps(dt, 1).unwrap();
    let ends = sim.particles();
    let below = ends
        .iter()
        .zip(&seeds)
        .filter(|(_, seed)| seed.position[1] < 0.4 * H);
    below
        .map(|(p, seed)| [p.velocity[0], p.position[0] - seed.position[0]])
        .collect()
}

#[test]
fn contact_on_particles_stops_what_the_grid_lets_slip() {
    let dt = 1e-4;
    for transfer in [Transfer::Mls, Transfer::Apic, Transfer::Flip] {
        let on = |contact, acts_on| {
            let mut both = below_the_floor::<2>(contact, acts_on, transfer, dt);
            both.extend(below_the_floor::<3>(contact, acts_on, transfer, dt));
            both
        };
        // The velocity vanishes at the surface and goes on behind it with the opposite sign.
        for [v, way] in on(Contact::Sticky, ActsOn::Grid) {
            assert!(
                v < -0.1 && way < -0.1 * dt,
                "{transfer:?}: {v} m/s, {way} m"
            );
        }
        for [v, way] in on(Contact::Glued, ActsOn::GridAndParticles) {
            assert!(
                v.abs() < 1e-15 && way.abs() < 1e-15,
                "{transfer:?}: {v} m/s, {way} m"
            );
        }
        // Without friction the particle keeps what it has along the floor.
        for [v, _] in on(Contact::Slip, ActsOn::GridAndParticles) {
            assert!((v - 2.0).abs() < 0.05, "{transfer:?}: {v} m/s");
        }
    }
}

#[test]
fn a_contact_for_a_material_that_is_not_there_is_refused() {
    let floor = Plane::new([0.0; 2], [0.0, 1.0]).unwrap();
    let collider = Collider::new(floor, Contact::Slip).unwrap();
    assert!(
        collider
            .clone()
            .for_material(0, Contact::Separating { friction: -1.0 })
            .is_err()
    );
    let mut setup = setup::<2>();
    let other = collider.for_material(1, Contact::Sticky).unwrap();
    setup.colliders.push(other);
    let refused = Simulation::<f64, 2>::new(setup, vec![f64::fluid(honey())]);
    assert!(matches!(
        refused.map(|_| ()),
        Err(BuildError::NoSuchMaterial { index: 1, count: 1 })
    ));
}

fn stirred<T: Instance<3> + Matter<3>>(threads: usize, kernel: KernelKind) -> Vec<u64> {
    let mut setup = setup::<3>();
    setup.threads = threads;
    setup.kernel = kernel;
    let plate = carried(slab::<3>(-0.3 * H, 0.0), plane(0.0, 20.0));
    let plate = Collider::new(Shared(plate), Contact::Slip).unwrap();
    let wall = Plane::new([0.0; 3], plane(1.0, 0.0)).unwrap();
    let wall = Collider::new(wall, Contact::Sticky)
        .and_then(|wall| wall.for_material(1, Contact::Slip))
        .unwrap()
        .acting_on(ActsOn::GridAndParticles);
    setup.colliders = vec![plate, wall];
    let mut sim = simulation(setup, both::<T, 3>());
    for material in 0..2 {
        let low = [0.1 * material as f64, 0.3, 0.0];
        let seeds = moving(block(low, [4, 3, 9]), |x| [-3.0, x[2], 1.0]);
        sim.add(material, &seeds).unwrap();
    }
    let report = sim.run_steps(2e-4, 60).unwrap();
    assert!(report.contact_corrections > 0);
    bits(&sim)
}

#[test]
fn contact_does_not_depend_on_the_number_of_threads() {
    for kernel in [KernelKind::Quadratic, KernelKind::Cubic] {
        assert_eq!(stirred::<f32>(1, kernel), stirred::<f32>(3, kernel));
        assert_eq!(stirred::<f64>(1, kernel), stirred::<f64>(3, kernel));
    }
}
