//! All materials of the library at once.

use thixo::material::elastic::{
    FixedCorotated, Hencky, NeoHookean, SplitCorotated, StVenantKirchhoff,
};
use thixo::material::fluid::{OldroydB, PressureLaw, WeaklyCompressible};
use thixo::material::plastic::{
    DruckerPrager, FrictionHardening, HerschelBulkley, MultiplicativePlasticity, Snow, VonMises,
};
use thixo::{Material, Setup, Simulation};

use super::{H, Matter, Random, block, moving};

const YOUNG: f64 = 1.0e5;
const POISSON: f64 = 0.3;

/// A precision and dimension in which every law is a material.
pub trait Every<const D: usize>: Matter<D> {
    /// The materials.
    fn every() -> Vec<Box<dyn Material<Self, D>>>;
}

macro_rules! every {
    ($($t:ident $d:literal),*) => {$(
        impl Every<$d> for $t {
            fn every() -> Vec<Box<dyn Material<$t, $d>>> {
                let fixed = FixedCorotated::from_young_poisson(YOUNG, POISSON).unwrap();
                let friction = FrictionHardening::constant(30.0);
                let tait = PressureLaw::Tait { exponent: 7.0 };
                vec![
                    NeoHookean::from_young_poisson(YOUNG, POISSON).unwrap().into(),
                    fixed.into(),
                    SplitCorotated::from_young_poisson(YOUNG, POISSON, $d).unwrap().into(),
                    StVenantKirchhoff::from_young_poisson(YOUNG, POISSON).unwrap().into(),
                    Hencky::from_young_poisson(YOUNG, POISSON).unwrap().into(),
                    Snow::new(fixed, 2.5e-2, 7.5e-3, 10.0).unwrap().into(),
                    DruckerPrager::new(YOUNG, POISSON, friction).unwrap().into(),
                    VonMises::new(YOUNG, POISSON, 2.0e3).unwrap().into(),
                    HerschelBulkley::new(YOUNG, POISSON, 1.0e3, 100.0, 0.5).unwrap().into(),
                    MultiplicativePlasticity::new(YOUNG, POISSON, 1.0e3, 100.0).unwrap().into(),
                    WeaklyCompressible::new(YOUNG, 1.0, tait).unwrap().into(),
                    OldroydB::new(2.0e4, YOUNG, 0.1, 1.0).unwrap().into(),
                ]
            }
        }
    )*};
}

every!(f32 2, f32 3, f64 2, f64 3);

/// Blocks of all materials side by side, shaken and thrown against each other.
pub fn mixed<T: Every<D>, const D: usize>(setup: Setup<D>) -> Simulation<T, D> {
    let materials = T::every();
    let count = materials.len();
    let mut sim = Simulation::new(setup, materials).unwrap();
    let mut random = Random(11);
    for material in 0..count {
        // Two rows of six, touching; cubes of three cells do not end where blocks of the grid do.
        let mut low = [0.0; D];
        low[0] = 3.0 * (material % 6) as f64;
        low[1] = 3.0 * (material / 6) as f64;
        let middle = [9.0 * H, 3.0 * H];
        let seeds = random.jitter(block(low, [3; D]), 0.1);
        let seeds = moving(seeds, |x| {
            let mut v = [0.0; D];
            for a in 0..2 {
                v[a] = 1.5 * (middle[a] - x[a]);
            }
            v[1] += 0.5 * x[0];
            v
        });
        sim.add(material, &seeds).unwrap();
    }
    sim
}
