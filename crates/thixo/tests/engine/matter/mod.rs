//! Blocks of particles, materials and comparisons that the tests of this crate share.
pub mod every;
#[macro_use]
pub mod refusal;

use thixo::material::Material;
use thixo::material::elastic::NeoHookean;
use thixo::material::fluid::{PressureLaw, WeaklyCompressible};
use thixo::{Instance, KernelKind, Seed, Setup, Simulation, Transfer};

/// Grid spacing of all tests \[m\].
pub const H: f64 = 0.1;
/// Density of all matter in the tests \[kg/m³\].
pub const DENSITY: f64 = 1000.0;

/// Precisions and dimensions for which tests are written once.
pub trait Matter<const D: usize>: Instance<D> {
    /// A solid in this precision and dimension.
    fn solid(model: NeoHookean) -> Box<dyn Material<Self, D>>;
    /// A fluid in this precision and dimension.
    fn fluid(model: WeaklyCompressible) -> Box<dyn Material<Self, D>>;
}

macro_rules! matter {
    ($($t:ident $d:literal),*) => {$(
        impl Matter<$d> for $t {
            fn solid(model: NeoHookean) -> Box<dyn Material<Self, $d>> {
                model.into()
            }
            fn fluid(model: WeaklyCompressible) -> Box<dyn Material<Self, $d>> {
                model.into()
            }
        }
    )*};
}

matter!(f32 2, f32 3, f64 2, f64 3);

/// Soft rubber, c = 12 m/s.
pub fn rubber() -> NeoHookean {
    NeoHookean::from_young_poisson(1.0e5, 0.3).expect("rubber is possible")
}

/// A viscous fluid, c = 10 m/s.
pub fn honey() -> WeaklyCompressible {
    let law = PressureLaw::Tait { exponent: 7.0 };
    WeaklyCompressible::new(1.0e5, 5.0, law).expect("honey is possible")
}

/// Material 0 is rubber, 1 is honey.
pub fn both<T: Matter<D>, const D: usize>() -> Vec<Box<dyn Material<T, D>>> {
    vec![T::solid(rubber()), T::fluid(honey())]
}

/// Rubber alone.
pub fn solid<T: Matter<D>, const D: usize>() -> Vec<Box<dyn Material<T, D>>> {
    vec![T::solid(rubber())]
}

/// Honey alone.
pub fn fluid<T: Matter<D>, const D: usize>() -> Vec<Box<dyn Material<T, D>>> {
    vec![T::fluid(honey())]
}

/// A setup on the grid of the tests, on one thread.
pub fn setup<const D: usize>() -> Setup<D> {
    Setup::new(H).with_threads(1)
}

/// A simulation that must be possible.
pub fn simulation<T: Matter<D>, const D: usize>(
    setup: Setup<D>,
    materials: Vec<Box<dyn Material<T, D>>>,
) -> Simulation<T, D> {
    Simulation::new(setup, materials).expect("the setup is possible")
}

/// A lattice of particles at rest, two per cell and axis, over whole cells from `low` (in cells).
pub fn block<const D: usize>(low: [f64; D], cells: [usize; D]) -> Vec<Seed<D>> {
    let counts = cells.map(|n| 2 * n);
    let total: usize = counts.iter().product();
    let volume = (0.5 * H).powi(D as i32);
    (0..total)
        .map(|index| {
            let mut rest = index;
            let mut x = [0.0; D];
            for a in (0..D).rev() {
                x[a] = H * (low[a] + 0.5 * (rest % counts[a]) as f64 + 0.25);
                rest /= counts[a];
            }
            Seed::new(x, [0.0; D], DENSITY * volume, volume)
        })
        .collect()
}

/// The same particles with velocities given by their positions.
pub fn moving<const D: usize>(
    seeds: Vec<Seed<D>>,
    velocity: impl Fn([f64; D]) -> [f64; D],
) -> Vec<Seed<D>> {
    seeds
        .into_iter()
        .map(|seed| Seed {
            velocity: velocity(seed.position),
            ..seed
        })
        .collect()
}

/// The vector with `x` and `y` in its first two components.
pub fn plane<const D: usize>(x: f64, y: f64) -> [f64; D] {
    let mut out = [0.0; D];
    out[0] = x;
    out[1] = y;
    out
}

/// Numbers that look random.
#[derive(Clone, Copy)]
pub struct Random(pub u64);

impl Random {
    /// Between 0 and 1.
    pub fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    /// Puts the items in another order.
    pub fn shuffle<I>(&mut self, items: &mut [I]) {
        for k in (1..items.len()).rev() {
            items.swap(k, (self.next() * (k + 1) as f64) as usize);
        }
    }
    /// Moves every particle by up to `part` of a cell along each axis.
    pub fn jitter<const D: usize>(&mut self, seeds: Vec<Seed<D>>, part: f64) -> Vec<Seed<D>> {
        let mut seeds = seeds;
        for x in seeds.iter_mut().flat_map(|seed| &mut seed.position) {
            *x += part * H * (2.0 * self.next() - 1.0);
        }
        seeds
    }
}

/// Every bit of every particle: identifier, position, velocity, affine velocity, stress, volumes.
pub fn bits<T: Instance<D>, const D: usize>(sim: &Simulation<T, D>) -> Vec<u64> {
    let mut out = Vec::new();
    for p in sim.particles() {
        out.push(u64::from(p.id));
        out.extend(p.position.0.map(f64::to_bits));
        out.extend(p.velocity.0.map(|x| x.to_f64().to_bits()));
        out.extend(
            p.affine
                .0
                .as_flattened()
                .iter()
                .map(|x| x.to_f64().to_bits()),
        );
        let tau = p.kirchhoff_stress.0;
        out.extend(tau.as_flattened().iter().map(|x| x.to_f64().to_bits()));
        out.extend([p.mass, p.rest_volume, p.volume_ratio].map(|x| x.to_f64().to_bits()));
    }
    out
}

/// Differences between two runs of the same particles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Apart {
    /// Largest difference of positions, in cells.
    pub position: f64,
    /// Largest difference of velocities, in units of the largest speed.
    pub velocity: f64,
    /// Largest difference of affine velocities, in units of the largest speed per cell.
    pub affine: f64,
    /// Largest difference of stresses, in units of the largest stress.
    pub stress: f64,
}

impl Apart {
    /// The largest of the differences.
    pub fn worst(self) -> f64 {
        self.position
            .max(self.velocity)
            .max(self.affine)
            .max(self.stress)
    }
}

/// Compares two runs particle by particle; `partner[k]` is the identifier in `b` of particle `k` of
/// `a`, the same if none is given.
pub fn apart<T: Instance<D>, const D: usize>(
    a: &Simulation<T, D>,
    b: &Simulation<T, D>,
    partner: Option<&[usize]>,
) -> Apart {
    let (a, b) = (a.particles(), b.particles());
    assert_eq!(a.len(), b.len(), "as many particles");
    let mut out = Apart::default();
    let largest = |list: &[f64]| list.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let numbers = |x: &[T]| x.iter().map(|x| x.to_f64()).collect::<Vec<_>>();
    let (mut speed, mut stress) = (f64::MIN_POSITIVE, f64::MIN_POSITIVE);
    for (k, p) in a.iter().enumerate() {
        let q = &b[partner.map_or(k, |partner| partner[k])];
        let difference = |x: &[T], y: &[T]| {
            let pairs = numbers(x).into_iter().zip(numbers(y));
            pairs.fold(0.0f64, |m, (x, y)| {
                assert!(x.is_finite() && y.is_finite());
                m.max((x - y).abs())
            })
        };
        let grow = |m: &mut f64, x: f64| *m = m.max(x);
        grow(
            &mut out.position,
            (p.position - q.position)
                .0
                .map(f64::abs)
                .into_iter()
                .fold(0.0, f64::max)
                / H,
        );
        grow(&mut out.velocity, difference(&p.velocity.0, &q.velocity.0));
        let affine = difference(p.affine.0.as_flattened(), q.affine.0.as_flattened());
        grow(&mut out.affine, affine * H);
        let (tau, other) = (p.kirchhoff_stress.0, q.kirchhoff_stress.0);
        grow(
            &mut out.stress,
            difference(tau.as_flattened(), other.as_flattened()),
        );
        grow(&mut speed, largest(&numbers(&p.velocity.0)));
        grow(&mut stress, largest(&numbers(tau.as_flattened())));
    }
    out.velocity /= speed;
    out.affine /= speed;
    out.stress /= stress;
    out
}

/// All pairs of transfer and kernel that can be simulated.
pub fn schemes() -> Vec<(Transfer, KernelKind)> {
    let transfers = [
        Transfer::Pic,
        Transfer::Flip,
        Transfer::FlipPic { flip: 0.95 },
        Transfer::Rpic,
        Transfer::Apic,
        Transfer::ApicPic { apic: 0.9 },
        Transfer::Mls,
    ];
    let kernels = [KernelKind::Linear, KernelKind::Quadratic, KernelKind::Cubic];
    transfers
        .into_iter()
        .flat_map(|transfer| kernels.map(|kernel| (transfer, kernel)))
        .filter(|(transfer, kernel)| transfer.check(*kernel).is_ok())
        .collect()
}
