//! Plastic laws in the engine: lanes against the scalar law, and blocks that fall on a floor.

use thixo_math::Matrix;
use thixo_par::{Isa, Scalar};

use thixo::material::plastic::{
    DruckerPrager, FrictionHardening, HerschelBulkley, MultiplicativePlasticity, VonMises,
};
use thixo::material::{
    Batch, Constitutive, MAX_PARAMETERS, MAX_STATE, Material, Model, PerParticle, State,
};
use thixo::particles::{Columns, Layout};
use thixo::{BodyForce, Contact, Seed, Setup, Side, Simulation, Wall};

/// A number in [−1, 1).
fn noise(seed: &mut u64) -> f64 {
    *seed = seed
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Lanes with states, velocity gradients and parameters of their own against the scalar law.
fn lanes_agree<C: Constitutive, T: Scalar, const D: usize>(law: &C, tolerance: f64)
where
    PerParticle<C>: Into<Box<dyn Material<T, D>>>,
{
    type StateOf<C, const D: usize> = <<C as Constitutive>::Model<f64> as Model<f64>>::State<D>;
    let material: Box<dyn Material<T, D>> = PerParticle(law.clone()).into();
    let groups = 8;
    let count = groups * T::LANES;
    let first = Layout::<D>::STATE;
    let (columns, dt) = (StateOf::<C, D>::COLUMNS, 1e-3);
    let round = |x: f64| T::from_f64(x).to_f64();
    for isa in [Isa::portable(), Isa::detect()] {
        let mut seed = 23;
        let mut hot = Columns::<T>::zeros(first + material.state_columns(), groups);
        let mut gradient = Columns::<T>::zeros(D * D, groups);
        let mut stress = Columns::<T>::zeros(D * (D + 1) / 2, groups);
        let mut expected = Vec::new();
        for slot in 0..count {
            let mut f = Matrix::<f64, D>::identity();
            let mut grad_v = Matrix::<f64, D>::zero();
            for i in 0..D {
                for j in 0..D {
                    f[i][j] += 0.1 * noise(&mut seed);
                    grad_v[i][j] = round(100.0 * noise(&mut seed));
                    gradient.set(slot, i * D + j, T::from_f64(grad_v[i][j]));
                }
            }
            let mut own = law.parameters();
            for value in &mut own {
                *value = round(*value * (1.0 + 0.2 * noise(&mut seed)));
            }
            hot.set(slot, Layout::<D>::V0, T::from_f64(1.0));
            hot.set(slot, Layout::<D>::MASS, T::from_f64(1.0));
            let mut numbers = material.state(&f, Some(&own));
            for (column, number) in numbers.iter_mut().enumerate() {
                *number = round(*number);
                hot.set(slot, first + column, T::from_f64(*number));
            }
            let mut memory = [0.0; MAX_STATE];
            memory[..columns].copy_from_slice(&numbers[..columns]);
            let mut state = StateOf::<C, D>::load(&memory);
            let mut parameters = [0.0; MAX_PARAMETERS];
            parameters[..own.len()].copy_from_slice(&own);
            let model = law.model(&parameters);
            state.advance(&(grad_v * dt));
            let tau = model.respond(&mut state, &grad_v, dt);
            state.store(&mut memory);
            expected.push((tau, memory, model.stiffness(&state)));
        }
        let (hot_stride, stress_stride) = (hot.stride(), stress.stride());
        let batch = Batch {
            hot: hot.data_mut(),
            hot_stride,
            velocity_gradient: gradient.data(),
            stress: stress.data_mut(),
            stress_stride,
            stress_first: 0,
        };
        let limits = material.update(isa, batch, T::from_f64(dt));
        assert!(limits.sound, "{}", C::NAME);
        for (slot, (tau, memory, stiffness)) in expected.iter().enumerate() {
            let mut entry = 0;
            for i in 0..D {
                for j in i..D {
                    let error = (stress.get(slot, entry).to_f64() - tau[i][j]).abs();
                    assert!(error < tolerance * stiffness, "{} {error}", C::NAME);
                    entry += 1;
                }
            }
            for column in 0..columns {
                let error = (hot.get(slot, first + column).to_f64() - memory[column]).abs();
                assert!(error < tolerance, "{} {column}: {error}", C::NAME);
            }
        }
    }
}

fn sand() -> DruckerPrager {
    let friction = FrictionHardening {
        h0: 35.0,
        h1: 1.0,
        h2: 0.2,
        h3: 10.0,
    };
    DruckerPrager::new(3.0e5, 0.3, friction)
        .and_then(|sand| sand.with_cohesion(1.0e4))
        .unwrap()
}

fn clay() -> VonMises {
    VonMises::new(1.0e5, 0.3, 1.0e4).unwrap()
}

fn foam(exponent: f64) -> HerschelBulkley {
    HerschelBulkley::new(1.0e5, 0.3, 5.0e3, 100.0, exponent).unwrap()
}

fn dough() -> MultiplicativePlasticity {
    MultiplicativePlasticity::new(1.0e5, 0.3, 5.0e3, 100.0)
        .and_then(|dough| dough.with_hardening(1.0e3))
        .unwrap()
}

macro_rules! check_lanes {
    ($law:expr) => {
        lanes_agree::<_, f64, 2>($law, 1e-12);
        lanes_agree::<_, f64, 3>($law, 1e-12);
        lanes_agree::<_, f32, 2>($law, 1e-5);
        lanes_agree::<_, f32, 3>($law, 1e-5);
    };
}

#[test]
fn lanes_follow_the_scalar_law() {
    check_lanes!(&sand());
    check_lanes!(&clay());
    // Exponents around 1: both forms of the equation side by side in a register.
    check_lanes!(&foam(1.0));
    check_lanes!(&foam(0.5));
    check_lanes!(&dough());
}

#[test]
fn blocks_of_every_law_come_to_rest_on_the_floor() {
    let mut setup = Setup::new(0.05);
    setup.body_force = BodyForce::Uniform([0.0, -9.81]);
    setup
        .walls
        .push(Wall::new(1, 0.0, Side::Above, Contact::Sticky));
    let dry = DruckerPrager::new(3.0e5, 0.3, FrictionHardening::constant(30.0)).unwrap();
    let soft = VonMises::new(1.0e5, 0.3, 500.0).unwrap();
    let materials = vec![
        dry.into(),
        soft.into(),
        foam(0.5).into(),
        PerParticle(dough()).into(),
    ];
    let mut sim = Simulation::<f32, 2>::new(setup, materials).unwrap();
    for material in 0..4 {
        let left = material as f64 * 2.0;
        let seeds: Vec<_> = (0..256)
            .map(|k| {
                let x = left + 0.025 * f64::from(k % 16) + 0.0125;
                let y = 0.025 * f64::from(k / 16) + 0.1125;
                Seed::new([x, y], [0.0, 0.0], 0.625, 0.000625)
            })
            .collect();
        sim.add(material, &seeds).unwrap();
    }
    let start = sim.audit();
    for _ in 0..24 {
        sim.advance(1.0 / 24.0).unwrap();
    }
    let end = sim.audit();
    let fallen = 9.81 * end.mass * (start.centre_of_mass[1] - end.centre_of_mass[1]);
    println!(
        "kinetic energy {:.1e} of what was released",
        end.kinetic / fallen
    );
    assert!(end.kinetic < 0.02 * fallen);
    assert!((end.mass / start.mass - 1.0).abs() < 1e-6);
    assert!(end.centre_of_mass[1] < start.centre_of_mass[1] - 0.05);
    assert!(end.centre_of_mass[1] > 0.03, "{:?}", end.centre_of_mass);
}
