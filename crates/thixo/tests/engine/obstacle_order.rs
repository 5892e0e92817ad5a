//! The order in which walls and obstacles are listed does not change a bit of the result.

use crate::matter::{H, Matter, Random, bits, block, both, moving, plane, setup, simulation};
use thixo::collide::shape::{Cuboid, Moving, SteadyMotion};
use thixo::integrate::implicit::{Integrator, Optimization, Xpbd};
use thixo::{
    BodyForce, Collider, Contact, ContactImpulse, Path, Plane, Setup, Side, Simulation, Wall,
};

const ROUGH: Contact = Contact::Separating { friction: 0.4 };

/// Ways to make steps.
fn ways() -> [(Integrator, Path); 4] {
    let optimization = Integrator::Optimization(Optimization::default());
    let xpbd = Integrator::Xpbd(Xpbd::default());
    [
        (Integrator::Explicit, Path::Fused),
        (Integrator::Explicit, Path::Staged),
        (optimization, Path::Staged),
        (xpbd, Path::Staged),
    ]
}

/// Rubber and honey thrown into a corner of obstacles.
fn thrown<const D: usize>(mut setup: Setup<D>, way: (Integrator, Path)) -> Simulation<f32, D>
where
    f32: Matter<D>,
{
    (setup.integrator, setup.path) = way;
    setup.body_force = BodyForce::Uniform(plane(0.0, -9.81));
    let mut sim = simulation(setup, both::<f32, D>());
    let mut random = Random(3);
    for material in 0..2 {
        let mut low = [0.6; D];
        low[0] += 3.0 * material as f64;
        let seeds = random.jitter(block(low, [3; D]), 0.1);
        let mut velocity = [-2.0; D];
        velocity[0] = -3.0;
        sim.add(material, &moving(seeds, |_| velocity)).unwrap();
    }
    for _ in 0..5 {
        sim.advance(0.02).unwrap();
    }
    sim
}

/// Every bit of some impulses.
fn impulse_bits<const D: usize>(impulse: &ContactImpulse<D>) -> Vec<u64> {
    let all = impulse.linear.0.iter().chain(&impulse.angular);
    all.map(|x| x.to_bits()).collect()
}

fn walls<const D: usize>()
where
    f32: Matter<D>,
{
    let mut walls = Vec::new();
    for axis in 0..D {
        let contact = [Contact::Slip, ROUGH, Contact::Sticky][axis];
        walls.push(Wall::new(axis, 0.0, Side::Above, contact));
        walls.push(Wall::new(axis, 8.0 * H, Side::Below, ROUGH));
    }
    for way in ways() {
        let run = |walls: Vec<Wall<D>>| thrown(setup().with_walls(walls), way);
        let first = run(walls.clone());
        let mut random = Random(7);
        for _ in 0..2 {
            let mut order: Vec<usize> = (0..2 * D).collect();
            random.shuffle(&mut order);
            let other = run(order.iter().map(|&k| walls[k]).collect());
            assert!(bits(&first) == bits(&other), "{D}D {way:?} {order:?}");
            for (at, &k) in order.iter().enumerate() {
                let [here, there] = [(&first, k), (&other, at)]
                    .map(|(sim, k)| impulse_bits(&sim.contact_impulses().walls[k]));
                assert_eq!(here, there, "{D}D {way:?} {order:?}: wall {k}");
            }
        }
    }
}

#[test]
fn walls_may_be_listed_in_any_order() {
    walls::<2>();
    walls::<3>();
}

/// Thick and thin obstacles that form a corner, some of which move.
fn corner<const D: usize>() -> Vec<Collider<D>> {
    let mut all = Vec::new();
    for axis in 0..D {
        let mut normal = [0.1; D];
        normal[axis] = 1.0;
        let solid = Plane::new([0.0; D], normal).unwrap();
        let contact = [ROUGH, Contact::Sticky, Contact::Slip][axis];
        all.push(Collider::new(solid, contact).unwrap());
    }
    for axis in 0..2 {
        let (mut min, mut max) = ([-9.0 * H; D], [9.0 * H; D]);
        (min[axis], max[axis]) = (0.2 * H, 0.4 * H);
        let mut velocity = [0.0; D];
        velocity[axis] = 1.0;
        let motion = SteadyMotion::new([0.0; D], velocity, [0.0; 3]).unwrap();
        let plate = Moving::new(Cuboid::new(min, max).unwrap(), motion);
        all.push(Collider::new(plate, ROUGH).unwrap());
    }
    all
}

fn obstacles<const D: usize>()
where
    f32: Matter<D>,
{
    for way in ways() {
        let run = |order: &[usize]| {
            let all = corner::<D>();
            let colliders = order.iter().map(|&k| all[k].clone()).collect();
            thrown(setup().with_colliders(colliders), way)
        };
        let mut order: Vec<usize> = (0..D + 2).collect();
        let first = run(&order);
        let mut random = Random(7);
        for _ in 0..2 {
            random.shuffle(&mut order);
            let other = run(&order);
            assert!(bits(&first) == bits(&other), "{D}D {way:?} {order:?}");
            for (at, &k) in order.iter().enumerate() {
                let [here, there] = [(&first, k), (&other, at)]
                    .map(|(sim, k)| impulse_bits(&sim.contact_impulses().colliders[k]));
                assert_eq!(here, there, "{D}D {way:?} {order:?}: obstacle {k}");
            }
        }
    }
}

#[test]
fn obstacles_may_be_listed_in_any_order() {
    obstacles::<2>();
    obstacles::<3>();
}
