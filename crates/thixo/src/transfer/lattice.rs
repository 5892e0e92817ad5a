//! Transfer of any quantity of particles to a field on any lattice, and back: f_i = Σ_p w_ip q_p
//! and q_p = Σ_i w_ip f_i.
//!
//! A general implementation for fields beside mass and momentum, such as those at the centres of
//! cells or faces. Sums have the order of equation (18), and so the same bits on any number of
//! threads. The lattice must be one that the grid [covers](crate::grid::Geometry::covering).

use rayon::prelude::*;
use thixo_math::Vector;
use thixo_par::Scalar;

use crate::grid::{Field, Lattice, Segment, Tile, Tiles};
use crate::kernel::{AxisWeights, KernelKind};
use crate::particles::{PADDING, Particles, Species};
use crate::step_context::StepContext;

/// Weights of a particle on a lattice, in the tile of its block.
struct Stencil<const D: usize> {
    /// Index of the base node in the tile along each axis.
    base: [usize; D],
    weights: [AxisWeights<f64>; D],
    width: usize,
    /// Nodes of the tile along an axis.
    side: usize,
}

impl<const D: usize> Stencil<D> {
    fn new<T: Scalar>(
        x: Vector<T, D>,
        (lattice, kernel): (&Lattice<D>, KernelKind),
        (first, side): ([i32; D], usize),
    ) -> Self {
        let mut base = [0; D];
        let weights = core::array::from_fn(|a| {
            let position = x[a].to_f64() / lattice.spacing - lattice.offset[a];
            let node = (position - kernel.base_offset()).floor();
            // A particle whose position is NaN gets the first node; the state check finds it.
            let last = (side - kernel.width()) as f64;
            base[a] = (node - f64::from(first[a])).clamp(0.0, last) as usize;
            kernel.weights(position - node)
        });
        Self {
            base,
            weights,
            width: kernel.width(),
            side,
        }
    }
    /// Calls `visit` with the index of every node in the tile and its weight w_ip.
    fn for_each(&self, mut visit: impl FnMut(usize, f64)) {
        for k in 0..self.width.pow(D as u32) {
            let (mut rest, mut index, mut stride, mut w) = (k, 0, 1, 1.0);
            for a in (0..D).rev() {
                let step = rest % self.width;
                index += (self.base[a] + step) * stride;
                w *= self.weights[a].value[step];
                stride *= self.side;
                rest /= self.width;
            }
            visit(index, w);
        }
    }
}

/// The stencils of the particles of a segment, slot by slot.
fn stencils<'a, T: Scalar, const D: usize>(
    segment: &'a Segment<D>,
    species: &'a Species<T, D>,
    lattice: &'a Lattice<D>,
    side: usize,
    step: &'a StepContext<'_, D>,
) -> impl Iterator<Item = (usize, Stencil<D>)> + 'a {
    let block = step.order.blocks.coordinate(segment.block);
    let below = 1 + lattice.lower();
    let first = block.map(|b| b * step.geometry.block_side() as i32 - below);
    let kernel = step.geometry.kernel();
    let slots = segment.groups.start * T::LANES..segment.groups.end * T::LANES;
    let occupied = slots.filter(|&slot| species.ids[slot] != PADDING);
    occupied.map(move |slot| {
        let x = species.position(slot, step.geometry);
        (slot, Stencil::new(x, (lattice, kernel), (first, side)))
    })
}

/// f_i = Σ_p w_ip q_p with the quantity q of every particle, given the index of its material and
/// its slot. Particles must be in the blocks of the order, but for a drift of one cell.
pub fn scatter_to<T: Scalar, const N: usize, const D: usize>(
    lattice: &Lattice<D>,
    particles: &Particles<T, D>,
    step: &StepContext<'_, D>,
    quantity: impl Fn(usize, usize) -> [T; N] + Sync,
) -> Field<T, N> {
    let mut tiles = Tiles::<T, N, D>::on(lattice, step.order);
    let segments = step.order.segments.par_iter();
    let storage: Vec<_> = tiles.segments_mut().collect();
    segments
        .zip(storage)
        .for_each(|(segment, (storage, touched))| {
            let species = &particles.species[segment.species];
            let mut tile = Tile::on(lattice, step.geometry.tile_side());
            for (slot, stencil) in stencils(segment, species, lattice, tile.side(), step) {
                let q = quantity(segment.species, slot);
                stencil.for_each(|node, w| {
                    for (sum, q) in tile.nodes_mut()[node].iter_mut().zip(q) {
                        *sum += T::from_f64(w) * q;
                    }
                });
            }
            tile.store(touched, storage);
        });
    let mut field = Field::default();
    field.pull(step.order, &tiles);
    field
}

/// q_p = Σ_i w_ip f_i for every particle: by species, slot by slot; zero in slots without a
/// particle.
pub fn gather_from<T: Scalar, const N: usize, const D: usize>(
    lattice: &Lattice<D>,
    field: &Field<T, N>,
    particles: &Particles<T, D>,
    step: &StepContext<'_, D>,
) -> Vec<Vec<[T; N]>> {
    let slots = particles.species.iter().map(|species| species.ids.len());
    let mut out: Vec<_> = slots.map(|slots| vec![[T::zero(); N]; slots]).collect();
    let gathered = step.order.segments.par_iter().map(|segment| {
        let species = &particles.species[segment.species];
        let mut tile = Tile::on(lattice, step.geometry.tile_side());
        let bounds = segment.bounds.grown_down(lattice.lower());
        tile.load((segment.block, &bounds), &step.order.blocks, field.values());
        let sums = stencils(segment, species, lattice, tile.side(), step).map(|(slot, stencil)| {
            let mut sums = [T::zero(); N];
            stencil.for_each(|node, w| {
                for (sum, f) in sums.iter_mut().zip(tile.nodes()[node]) {
                    *sum += T::from_f64(w) * f;
                }
            });
            (segment.species, slot, sums)
        });
        sums.collect::<Vec<_>>()
    });
    for (species, slot, sums) in gathered.collect::<Vec<_>>().into_iter().flatten() {
        out[species][slot] = sums;
    }
    out
}

#[cfg(test)]
mod tests {
    use thixo_par::Isa;

    use super::*;
    use crate::grid::Geometry;
    use crate::particles::{Schema, Seed, order};

    /// A second grid field: the mass at the centres of cells or faces, summed from particles and
    /// read back.
    fn mass_on<const D: usize>(lattice: Lattice<D>, periods: [Option<u32>; D]) {
        let h = lattice.spacing;
        for kernel in [KernelKind::Linear, KernelKind::Quadratic, KernelKind::Cubic] {
            let geometry = Geometry::new(h, kernel, periods)
                .unwrap()
                .covering(&lattice);
            let mut particles = Particles::<f64, D>::new([Schema::new([], &[])].into_iter());
            let seed = |k: usize| {
                let x = core::array::from_fn(|a| 1.6 * (0.377 * (k * (a + 2)) as f64).fract());
                Seed::new(x, [0.0; D], 1.0 + (k % 3) as f64, 1.0)
            };
            let seeds: Vec<Seed<D>> = (0..200).map(seed).collect();
            particles.append(0, &seeds, &[], &geometry, |_| thixo_math::Matrix::zero());
            let order = order(&mut particles, &geometry, 0.0).unwrap();
            let step = StepContext {
                order: &order,
                geometry: &geometry,
                isa: Isa::portable(),
                time: 0.0,
                dt: 0.0,
            };
            let field = scatter_to(&lattice, &particles, &step, |material, slot| {
                [particles.species[material].mass(slot), 1.0]
            });
            let total = |c: usize| field.values().iter().map(|node| node[c]).sum::<f64>();
            let mass: f64 = seeds.iter().map(|seed| seed.mass).sum();
            assert!(
                (total(0) - mass).abs() < 1e-10,
                "{kernel:?}: {} {mass}",
                total(0)
            );
            assert!((total(1) - 200.0).abs() < 1e-10);

            // A uniform field is reproduced.
            let mut ones = field.clone();
            ones.values_mut().fill([3.0, -2.0]);
            let read = gather_from(&lattice, &ones, &particles, &step);
            for slot in particles.species[0].occupied() {
                let [a, b] = read[0][slot];
                assert!((a - 3.0).abs() < 1e-12 && (b + 2.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_field_on_any_lattice_has_the_mass_of_the_particles_and_gives_back_what_it_is() {
        mass_on(Lattice::<2>::cell_centres(0.1), [None; 2]);
        mass_on(Lattice::<3>::cell_centres(0.2), [None; 3]);
        mass_on(Lattice::<3>::faces(0.2, 1), [None; 3]);
        mass_on(Lattice::<2>::cell_centres(0.1), [Some(16), None]);
        mass_on(Lattice::<2>::nodes(0.1), [None; 2]);
    }

    /// Linear fields are reproduced at the particles, wherever the nodes of the lattice lie.
    #[test]
    fn a_linear_field_is_read_back_where_the_particle_is() {
        let lattice = Lattice::<2>::faces(0.1, 0);
        let geometry = Geometry::new(0.1, KernelKind::Quadratic, [None; 2]).unwrap();
        let geometry = geometry.covering(&lattice);
        let mut particles = Particles::<f64, 2>::new([Schema::new([], &[])].into_iter());
        let seeds = [[0.43, -0.21], [1.2, 0.05]].map(|x| Seed::new(x, [0.0; 2], 1.0, 1.0));
        particles.append(0, &seeds, &[], &geometry, |_| thixo_math::Matrix::zero());
        let order = order(&mut particles, &geometry, 0.0).unwrap();
        let step = StepContext {
            order: &order,
            geometry: &geometry,
            isa: Isa::portable(),
            time: 0.0,
            dt: 0.0,
        };
        let mut field = Field::<f64, 1>::default();
        field.resize(&order);
        let side = geometry.block_side() as i32;
        for (node, value) in field.values_mut().iter_mut().enumerate() {
            let block = order.blocks.coordinate(node / (side * side) as usize);
            let k = (node as i32) % (side * side);
            let [x, y] = lattice.position([block[0] * side + k / side, block[1] * side + k % side]);
            *value = [2.0 + 3.0 * x - y];
        }
        let read = gather_from(&lattice, &field, &particles, &step);
        for slot in particles.species[0].occupied() {
            let x = particles.species[0].position(slot, &geometry);
            assert!((read[0][slot][0] - (2.0 + 3.0 * x[0] - x[1])).abs() < 1e-12);
        }
    }
}
