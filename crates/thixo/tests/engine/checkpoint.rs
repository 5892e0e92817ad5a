//! A run that goes on from a saved state is the run that was never interrupted, bit for bit.

use crate::matter::every::{Every, mixed};
use crate::matter::{H, Random, bits, block, plane, schemes, setup};
use thixo::collide::shape::{Moving, Sphere, SteadyMotion};
use thixo::{
    BodyForce, Carried, Collider, Contact, Load, LoadedSurface, Path, RestoreError, Setup, Side,
    Simulation, SurfaceElement, Wall,
};

/// Gravity, a floor, a ball that flies through, and a load that pushes.
fn busy<const D: usize>(mut setup: Setup<D>) -> Setup<D> {
    setup.body_force = BodyForce::Uniform(plane(0.5, -9.81));
    let floor = Contact::Separating { friction: 0.3 };
    setup.walls.push(Wall::new(1, -2.0 * H, Side::Above, floor));
    let element = SurfaceElement {
        position: plane(4.0 * H, 6.0 * H),
        area: plane(0.0, H),
    };
    let load = Load::pressure(|_, t| 1e3 * (20.0 * t).sin());
    setup
        .loads
        .push(LoadedSurface::new("lid", vec![element], load).unwrap());
    setup
}

fn continued<T: Every<D>, const D: usize>(make: impl Fn() -> Simulation<T, D>) {
    let mut whole = make();
    whole.advance(0.02).unwrap();
    whole.advance(0.013).unwrap();
    let mut bytes = Vec::new();
    whole.save(&mut bytes).unwrap();

    let mut second = make();
    second.restore(&mut bytes.as_slice()).unwrap();
    assert_eq!(bits(&second), bits(&whole), "what was saved");
    assert_eq!(second.time().to_bits(), whole.time().to_bits());
    let mut again = Vec::new();
    second.save(&mut again).unwrap();
    assert!(again == bytes, "a restored state is saved as it was");

    for sim in [&mut whole, &mut second] {
        sim.advance(0.02).unwrap();
        let gone = sim.remove(|id, _| id % 17 == 3);
        assert!(gone > 0);
        sim.add(0, &block([1.0; D], [1; D])).unwrap();
        sim.advance(0.02).unwrap();
    }
    assert!(bits(&second) == bits(&whole), "{} {D}D", T::NAME);
    let elements = |sim: &Simulation<T, D>| sim.loads()[0].elements().to_vec();
    assert_eq!(elements(&second), elements(&whole));
}

#[test]
fn every_material_goes_on_bit_for_bit() {
    for path in [Path::Fused, Path::Staged] {
        let two = || busy(setup()).with_path(path);
        let three = || busy(setup()).with_path(path);
        continued(|| mixed::<f32, 2>(two()));
        continued(|| mixed::<f32, 3>(three()));
        continued(|| mixed::<f64, 2>(two()));
    }
}

#[test]
fn every_transfer_and_kernel_goes_on_bit_for_bit() {
    for (transfer, kernel) in schemes() {
        continued(|| mixed::<f64, 2>(busy(setup()).with_transfer(transfer).with_kernel(kernel)));
    }
}

#[test]
fn moving_obstacles_and_periodic_axes_go_on_bit_for_bit() {
    continued(|| {
        let mut setup = busy(setup::<3>());
        setup.periods[2] = Some(8);
        let ball = Sphere::new([0.0; 3], 2.0 * H).unwrap();
        let motion = SteadyMotion::new([0.0; 3], [3.0, 1.0, 0.0], [0.0; 3]).unwrap();
        let flying = Moving::new(ball, motion);
        setup
            .colliders
            .push(Collider::new(flying, Contact::Sticky).unwrap());
        mixed::<f32, 3>(setup)
    });
}

#[test]
fn threads_do_not_matter_to_a_saved_state() {
    let state = |threads| {
        let mut sim = mixed::<f32, 3>(busy(setup()).with_threads(threads));
        sim.advance(0.03).unwrap();
        let mut bytes = Vec::new();
        sim.save(&mut bytes).unwrap();
        bytes
    };
    assert!(state(1) == state(2));
}

#[test]
fn another_setup_is_refused_by_name() {
    let saved = mixed::<f32, 2>(busy(setup()));
    let mut bytes = Vec::new();
    saved.save(&mut bytes).unwrap();
    let refused = |error: Result<(), RestoreError>, words: &str| {
        let message = error.unwrap_err().to_string();
        assert!(message.contains(words), "{message}");
    };
    let mut other = mixed::<f64, 2>(busy(setup()));
    refused(other.restore(&mut bytes.as_slice()), "bytes per number 4");
    let mut other = mixed::<f32, 3>(busy(setup()));
    refused(other.restore(&mut bytes.as_slice()), "dimension 2");
    let mut other = mixed::<f32, 2>(setup());
    refused(other.restore(&mut bytes.as_slice()), "number of loads 1");
    let mut materials = <f32 as Every<2>>::every();
    materials.swap(0, 1);
    let mut other = Simulation::new(busy(setup()), materials).unwrap();
    refused(other.restore(&mut bytes.as_slice()), "material neo_hookean");
    let mut newer = bytes.clone();
    newer[8] = 9;
    let mut other = mixed::<f32, 2>(busy(setup()));
    refused(other.restore(&mut newer.as_slice()), "format 9");
    refused(
        other.restore(&mut [7u8; 100].as_slice()),
        "not a saved state",
    );
}

/// Whatever the bytes, the answer is an error or a simulation that either runs or says why not.
#[test]
fn damaged_states_are_refused_and_change_nothing() {
    let mut sim = mixed::<f32, 2>(busy(setup()));
    sim.advance(0.01).unwrap();
    let mut bytes = Vec::new();
    sim.save(&mut bytes).unwrap();
    let before = bits(&sim);
    for length in (0..bytes.len()).step_by(997).chain(0..200) {
        assert!(sim.restore(&mut &bytes[..length]).is_err());
    }
    assert!(bits(&sim) == before);
    let mut random = Random(5);
    for _ in 0..200 {
        let mut damaged = bytes.clone();
        // Half of the damage hits the head, where lengths are.
        let reach = if random.next() < 0.5 {
            400
        } else {
            bytes.len()
        };
        let place = (random.next() * reach as f64) as usize;
        damaged[place] ^= 1 << (random.next() * 8.0) as u32;
        let mut other = mixed::<f32, 2>(busy(setup()));
        if other.restore(&mut damaged.as_slice()).is_ok() {
            // A flipped bit of a position or a velocity cannot be seen here; files have a checksum
            // for that.
            drop(other.advance(1e-4));
        }
    }
}

/// Places of a text in bytes.
fn find(bytes: &[u8], text: &str) -> usize {
    let mut windows = bytes.windows(text.len());
    windows.position(|w| w == text.as_bytes()).unwrap()
}

#[test]
fn parts_of_later_versions_are_refused_by_name() {
    let saved = mixed::<f32, 2>(busy(setup()));
    let mut bytes = Vec::new();
    saved.save(&mut bytes).unwrap();
    let mut later = bytes.clone();
    let place = find(&later, "time_step");
    later[place..place + 9].copy_from_slice(b"heat_flux");
    let mut other = mixed::<f32, 2>(busy(setup()));
    let message = other
        .restore(&mut later.as_slice())
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "the saved state has a part \"heat_flux\", which this program does not know; use the version of thixo that wrote it"
    );
    // Without its last part, and with the end right behind the first.
    let mut short = bytes[..find(&bytes, "time_step") - 8].to_vec();
    short.extend(3u64.to_le_bytes());
    short.extend(b"end");
    let message = other
        .restore(&mut short.as_slice())
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("its part \"particles\" is missing"),
        "{message}"
    );
}

#[test]
fn other_columns_are_refused_by_name() {
    let carrying = |names: &[&str]| {
        let carried = names.iter().map(|name| Carried {
            name: (*name).to_owned(),
            unit: "K".to_owned(),
            initial: 0.0,
        });
        mixed::<f32, 2>(busy(setup()).with_carried(carried.collect()))
    };
    let mut bytes = Vec::new();
    carrying(&["temperature"]).save(&mut bytes).unwrap();
    carrying(&["temperature"])
        .restore(&mut bytes.as_slice())
        .unwrap();
    for others in [&[][..], &["dye"], &["temperature", "dye"]] {
        let error = carrying(others).restore(&mut bytes.as_slice());
        let message = error.unwrap_err().to_string();
        assert!(message.contains("temperature (1, hot)"), "{message}");
    }
}
