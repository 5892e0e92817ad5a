//! The equations of an implicit step: the objective E(v), its gradient, products with its second derivatives.
//!
//! E(v) = Σ_i ½ m_i |v_i − v*_i|² + Σ_p V⁰_p ψ_p(Δt∇v), where v* is the velocity that all forces but the internal ones would make of the matter;
//! \[Gast2015\] §6.1, \[Jiang2016\] eq. (205), with gravity and loads in v*, which shifts E by a constant. Products with H = M + Δt² K are made
//! particle by particle from the curvature of ψ, which is kept (\[Jiang2016\] eq. (198)).

use std::time::Instant;

use rayon::prelude::*;
use thixo_par::{Scalar, dispatch};

use super::apply::Apply;
use super::block_sums::weigh;
use super::constraint::Constraints;
use super::divide_by_mass;
use super::friction::{Friction, Rubbed, Rubbing};
use super::pieces::Pieces;
use super::rounds::Misfit;
use crate::grid::{Field, MASS, Node, Segment, Tiles};
use crate::krylov::vector::{scale, weighted_square};
use crate::krylov::{Operator, Sizes};
use crate::material::potential::{
    Definiteness, Derivative, HessianLayout, IncrementBatch, Reference,
};
use crate::particles::Particles;
use crate::transfer::TransferContext;
use crate::transfer::{
    SegmentIncrements, gather_apply_scatter, gather_apply_store, gather_apply_sum, scatter_diagonal,
};

/// Nodes that one thread works on.
pub(super) const CHUNK: usize = 1024;
/// Steps towards the velocity of pieces on which friction acts, at most.
const SETTLING: u32 = 20;
/// Such velocities are found when a step changes less than this share of what they change E by.
const SETTLED: f64 = 1e-6;
/// A larger share of the impulses of contacts is not what a solve has left undone.
const UNDONE: f64 = 0.5;

/// What the diagonal that precedes the matrix in a linear solve is made of. When a solve is done does not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Preconditioner {
    /// There is none; for comparison.
    None,
    /// The masses of the nodes.
    Mass,
    /// Masses and stiffnesses: Σ_p w m_p + Δt² V⁰ Σ_b H_ab,ab (∂w/∂x_b)². For matter at rest that is \[Gast2015\] §6.1.
    #[default]
    Stiffness,
}

/// A value of E \[J\].
#[derive(Clone, Copy, Debug)]
pub(super) struct Objective {
    pub value: f64,
    /// What rounding does to it: strains are known to the precision of numbers near 1, and so the energy to that times the stress.
    pub noise: f64,
}

/// The size of a residual, as a velocity \[m/s\].
#[derive(Clone, Copy, Debug)]
pub(super) struct Norms {
    /// √(Σ r²/m) over that of the whole mass.
    pub by_mass: f64,
    /// √(Σ r²/L) over that of the whole mass, L the preconditioner.
    pub by_diagonal: f64,
    /// What rounding does to the first.
    pub rounding: f64,
    /// The whole mass \[kg\].
    pub mass: f64,
}

/// What a method that goes from particle to particle needs of the equations.
pub(super) struct Ground<'a, 'b, T: Scalar, const D: usize> {
    pub particles: &'a Particles<T, D>,
    pub context: TransferContext<'a, T, D>,
    /// [`Reference`] of every particle, by species.
    pub references: &'b [Vec<T>],
}

/// The equations of a step, and the memory they need.
pub(super) struct System<'a, T: Scalar, const D: usize> {
    particles: &'a Particles<T, D>,
    tiles: &'a mut Tiles<T, 4, D>,
    context: TransferContext<'a, T, D>,
    /// v* with the masses.
    target: &'a Field<T, 4>,
    /// Obstacles and walls.
    pub constraints: Constraints<D>,
    /// What moves as a whole.
    pieces: Pieces<D>,
    references: Vec<Vec<T>>,
    curvatures: Vec<Vec<T>>,
    /// Friction of the contacts, as far as it is known.
    pub friction: Friction<D>,
    /// Curvature at the beginning of the step times the factor of damping, if there is any.
    damping: Option<Vec<Vec<T>>>,
    /// Share of the stiffness in products.
    implicitness: f64,
    preconditioner: Preconditioner,
    /// L⁻¹ of the diagonal L of the matrix.
    inverse_diagonal: Vec<Node<T>>,
    inverse_masses: Vec<Node<T>>,
    /// One where a node has mass; only for solves without preconditioner.
    takes_part: Vec<Node<T>>,
    /// What rounding of strains does to the residual, as a velocity by the masses \[m/s\].
    rounding: f64,
    /// Wall time of linear solves \[s\].
    pub linear_seconds: f64,
}

impl<'a, T: Scalar, const D: usize> System<'a, T, D> {
    /// For a step from `target`, v* with the masses of the nodes.
    pub fn new(
        particles: &'a Particles<T, D>,
        (target, tiles): (&'a Field<T, 4>, &'a mut Tiles<T, 4, D>),
        context: TransferContext<'a, T, D>,
        constraints: Constraints<D>,
    ) -> Self {
        let (dt, h) = (
            T::from_f64(context.step.dt),
            T::from_f64(context.step.geometry.spacing()),
        );
        let species = particles.species.iter().zip(context.materials);
        let references = species
            .map(|(species, material)| {
                let columns = Reference::<T, D>::COLUMNS * T::LANES;
                let stride = species.hot.stride();
                let mut reference = vec![T::zero(); species.hot.groups() * columns];
                let chunks = reference.par_chunks_mut(columns * CHUNK);
                chunks
                    .zip(species.hot.data().par_chunks(stride * CHUNK))
                    .for_each(|(out, hot)| material.write_reference(hot, stride, out, dt, h));
                reference
            })
            .collect();
        let blocks = &context.step.order.blocks;
        Self {
            pieces: Pieces::new(blocks, target.values(), constraints.grips()),
            particles,
            tiles,
            context,
            target,
            constraints,
            references,
            curvatures: Vec::new(),
            friction: Friction::default(),
            damping: None,
            implicitness: 1.0,
            preconditioner: Preconditioner::default(),
            inverse_diagonal: Vec::new(),
            inverse_masses: Vec::new(),
            takes_part: Vec::new(),
            rounding: 0.0,
            linear_seconds: 0.0,
        }
    }
    /// Particles and where they are.
    pub fn ground(&self) -> Ground<'a, '_, T, D> {
        Ground {
            particles: self.particles,
            context: self.context,
            references: &self.references,
        }
    }
    /// Takes the time of a linear solve.
    pub fn timed<R>(&mut self, solve: impl FnOnce(&mut Self) -> R) -> R {
        let begun = Instant::now();
        let solved = solve(self);
        self.linear_seconds += begun.elapsed().as_secs_f64();
        solved
    }
    /// Steps that move matter by a cell in the time of the step, for one metre per second.
    pub fn cells_per_speed(&self) -> f64 {
        self.context.step.dt / self.context.step.geometry.spacing()
    }
    /// v* and the masses.
    pub fn target(&self) -> &[Node<T>] {
        self.target.values()
    }
    /// Takes only a share of the stiffness in products: β of \[Jiang2016\] eq. (202).
    pub fn set_implicitness(&mut self, share: f64) {
        self.implicitness = share;
    }
    /// Adds Rayleigh damping with the stiffness of the present: k D v, k \[s\]. \[Gast2015\] §4.2.
    pub fn damp(&mut self, coefficient: f64) {
        let rest = self.zeros();
        self.linearize(&rest, Definiteness::Projected);
        let factor = T::from_f64(coefficient / self.context.step.dt);
        let mut damping = core::mem::take(&mut self.curvatures);
        for table in &mut damping {
            table.par_iter_mut().for_each(|x| *x *= factor);
        }
        self.damping = Some(damping);
    }
    /// v*, without the masses.
    pub fn free_velocity(&self) -> Field<T, 4> {
        let mut free = self.target.clone();
        for node in free.values_mut() {
            node[D..].fill(T::zero());
        }
        free
    }
    /// A field of zeros.
    pub fn zeros(&self) -> Field<T, 4> {
        let mut field = Field::default();
        field.resize(self.context.step.order);
        field
    }

    /// Gives pieces the velocity, in directions in which nothing but friction holds them, at which E is least; returns by how much E falls \[J\].
    pub fn settle(&mut self, v: &mut Field<T, 4>, gradient: &mut Field<T, 4>) -> f64 {
        let (v, gradient) = (v.values_mut(), gradient.values_mut());
        let Self {
            pieces, friction, ..
        } = self;
        let slopes = pieces.sums(gradient);
        let mut drift = pieces.none();
        let mut fall = 0.0;
        let mut left = slopes.clone();
        // Without friction the first is the minimum, and there is no second.
        for _ in 0..SETTLING {
            // Newton's method may go too far where matter comes to rest; with the slope of chords it does not.
            let further = [0.0, 1.0].into_iter().find_map(|chord| {
                let curvatures = friction.curvatures(v, |node| pieces.at(node, &drift), chord);
                let curvatures: Vec<_> = curvatures.collect();
                pieces.rub(curvatures.into_iter());
                let next = pieces.further(&drift, &left);
                let along = pieces.fall(&next, &slopes);
                let fallen = along - friction.beyond_slope(v, |node| pieces.at(node, &next));
                (fallen > fall).then_some((next, fallen))
            });
            let Some((next, fallen)) = further else {
                break;
            };
            let gain = fallen - fall;
            (drift, fall) = (next, fallen);
            if friction.is_none() || gain < SETTLED * fall {
                break;
            }
            left = pieces.left(&drift, &slopes);
            friction.for_each_change(
                v,
                |node| pieces.at(node, &drift),
                |node, change| {
                    left[pieces.piece_of(node)] += change;
                },
            );
        }
        friction.add_gradient(|node| v[node], -1.0, gradient);
        pieces.add(-1.0, &drift, v);
        pieces.take(&drift, self.target.values(), gradient);
        friction.add_gradient(|node| v[node], 1.0, gradient);
        fall
    }

    /// E, and its gradient \[N s\] before constraints.
    pub fn objective(&mut self, v: &Field<T, 4>, gradient: &mut Field<T, 4>) -> Objective {
        let velocities = v.values();
        let (of_matter, partial) = self.internal(Some(v), gradient, |nodes, target, first| {
            let v = &velocities[first..first + nodes.len()];
            for ((g, v), target) in nodes.iter_mut().zip(v).zip(target) {
                for a in 0..D {
                    g[a] += target[MASS] * (v[a] - target[a]);
                }
            }
            inertia::<T, D>(v, target)
        });
        self.friction
            .add_gradient(|node| velocities[node], 1.0, gradient.values_mut());
        self.sum_up(v, partial.into_iter().sum(), of_matter)
    }

    /// E alone.
    pub fn energy(&mut self, v: &Field<T, 4>) -> f64 {
        let (context, references) = (&self.context, &self.references);
        let damping = self.damping.as_deref();
        let of_matter = gather_apply_sum(
            v.values(),
            self.particles,
            self.tiles,
            context,
            |asked, slopes| energy_of(context, (references, damping), &asked, slopes),
        );
        let chunks = v.values().par_chunks(CHUNK);
        let partial: Vec<f64> = chunks
            .zip(self.target.values().par_chunks(CHUNK))
            .map(|(v, target)| inertia::<T, D>(v, target))
            .collect();
        self.sum_up(v, partial.into_iter().sum(), of_matter).value
    }

    /// ∇E at rest \[N s\]: −M v* − Δt f(xⁿ), and friction.
    pub fn gradient_at_rest(&mut self, gradient: &mut Field<T, 4>) {
        self.internal(None, gradient, |nodes, target, _| {
            for (g, target) in nodes.iter_mut().zip(target) {
                for a in 0..D {
                    g[a] -= target[MASS] * target[a];
                }
            }
        });
        self.friction
            .add_gradient(|_| [T::zero(); 4], 1.0, gradient.values_mut());
    }

    /// The velocity with the internal forces of the beginning of the step, v* + Δt M⁻¹ f(xⁿ).
    pub fn pushed_velocity(&mut self) -> Field<T, 4> {
        let mut pushed = Field::default();
        self.internal(None, &mut pushed, |nodes, target, _| {
            divide_by_mass::<T, D>(nodes, target);
            for (v, target) in nodes.iter_mut().zip(target) {
                for a in 0..D {
                    v[a] = target[a] - v[a];
                }
            }
        });
        pushed
    }

    /// Energy and stress of the matter \[J\], and the slopes of its energy; at rest without a velocity. `then` may change the slopes of a block, given v* with the masses of its nodes and the
    /// number of the first; what it returns follows, block after block.
    fn internal<R: Send>(
        &mut self,
        v: Option<&Field<T, 4>>,
        gradient: &mut Field<T, 4>,
        then: impl Fn(&mut [Node<T>], &[Node<T>], usize) -> R + Sync,
    ) -> ([f64; 2], Vec<R>) {
        let (context, references) = (&self.context, &self.references);
        let damping = self.damping.as_deref();
        let sums = gather_apply_scatter(
            v.map(Field::values),
            self.particles,
            self.tiles,
            context,
            |asked, slopes| energy_of(context, (references, damping), &asked, slopes),
        );
        let target = self.target.values();
        let n = context.step.order.blocks.nodes_per_block();
        let returned = gradient.pull_then(context.step.order, self.tiles, |block, nodes| {
            let first = block * n;
            then(nodes, &target[first..first + nodes.len()], first)
        });
        (sums, returned)
    }

    fn sum_up(&self, v: &Field<T, 4>, inertia: f64, [potential, stress]: [f64; 2]) -> Objective {
        let friction = self.friction.energy(v.values());
        Objective {
            value: potential + inertia + friction,
            noise: T::EPSILON * (inertia.abs() + friction.abs() + potential.abs() + stress),
        }
    }

    /// Keeps the second derivatives of the energy at a velocity for products to come.
    pub fn linearize(&mut self, v: &Field<T, 4>, definiteness: Definiteness) {
        let columns = HessianLayout::<D>::COLUMNS;
        let species = self.particles.species.iter();
        self.curvatures
            .resize(self.particles.species.len(), Vec::new());
        for (table, species) in self.curvatures.iter_mut().zip(species) {
            table.resize(species.hot.groups() * columns * T::LANES, T::zero());
        }
        let (context, references) = (&self.context, &self.references);
        let tables = (&mut self.curvatures[..], columns);
        gather_apply_store(
            v.values(),
            self.particles,
            self.tiles,
            context,
            tables,
            |asked, out| {
                ask(
                    context,
                    references,
                    &asked,
                    Derivative::Hessian(definiteness),
                    out,
                );
            },
        );
        self.friction.linearize(v.values());
        self.pieces.rub(self.friction.kept());
        if let Some(damping) = &self.damping {
            for (table, damping) in self.curvatures.iter_mut().zip(damping) {
                let pairs = table.par_iter_mut().zip(damping);
                pairs.for_each(|(h, d)| *h += *d);
            }
        }
    }

    /// Makes the diagonal of the matrix from the curvatures that are kept, and chooses the preconditioner.
    pub fn prepare(&mut self, preconditioner: Preconditioner) {
        let mut diagonal = self.zeros();
        let curvatures = &self.curvatures;
        scatter_diagonal(self.particles, self.tiles, &self.context, |segment, out| {
            let table = part(curvatures, segment, HessianLayout::<D>::COLUMNS);
            let groups = table
                .chunks_exact(HessianLayout::<D>::COLUMNS * T::LANES)
                .zip(out.chunks_exact_mut(D * D * T::LANES));
            for (curvature, out) in groups {
                for row in 0..D * D {
                    let column = diagonal_column::<D>(row);
                    for lane in 0..T::LANES {
                        let h = curvature[column * T::LANES + lane];
                        out[row * T::LANES + lane] = h.max(T::zero());
                    }
                }
            }
        });
        diagonal.pull(self.context.step.order, self.tiles);
        let mut masses = self.zeros().into_values();
        let nodes = masses.par_iter_mut().zip(self.target.values());
        nodes
            .with_min_len(CHUNK)
            .for_each(|(node, target)| node[..D].fill(target[MASS]));
        self.constraints.share(&mut masses, 0..D);
        self.constraints.share(diagonal.values_mut(), 0..D);
        self.friction.add_diagonal(diagonal.values_mut());
        self.rounding = self.rounding_of(diagonal.values(), &masses);
        let share = T::from_f64(self.implicitness);
        let invert = |x: T, mass: T| match mass > least_mass::<T>() {
            true => T::one() / x,
            false => T::zero(),
        };
        let nodes = diagonal.values_mut().par_iter_mut().zip(&mut masses);
        nodes.with_min_len(CHUNK).for_each(|(node, masses)| {
            for a in 0..D {
                let mass = masses[a];
                node[a] = invert(mass + share * node[a], mass);
                masses[a] = invert(mass, mass);
            }
            node[D..].fill(T::zero());
        });
        self.inverse_diagonal = core::mem::take(&mut diagonal).into_values();
        if preconditioner == Preconditioner::None {
            let one = |x: T| if x > T::zero() { T::one() } else { x };
            self.takes_part = masses.iter().map(|node| node.map(one)).collect();
        }
        self.inverse_masses = masses;
        self.preconditioner = preconditioner;
    }

    /// All impulses that the step has given to nodes, Σ m |v − v*| \[N s\].
    pub fn impulses(&self, v: &[Node<T>]) -> f64 {
        let chunks = v
            .par_chunks(CHUNK)
            .zip(self.target.values().par_chunks(CHUNK));
        let partial: Vec<[f64; 1]> = chunks
            .map(|(v, target)| {
                let mut sum = 0.0;
                for (v, target) in v.iter().zip(target) {
                    let squares = (0..D).map(|a| (v[a] - target[a]).to_f64().powi(2));
                    sum += target[MASS].to_f64() * squares.sum::<f64>().sqrt();
                }
                [sum]
            })
            .collect();
        total(&partial)[0]
    }

    /// Lets go of contacts that pull, and adds those that are run into; see [`Constraints::revise`].
    pub fn revise(&mut self, v: &[Node<T>], impulse: &[Node<T>]) -> Misfit {
        self.constraints.revise(v, impulse, self.target.values())
    }

    /// Goes on with the friction that a solution allows; see [`Friction::revise`].
    pub fn rub(&mut self, rubbing: Rubbing, v: &mut [Node<T>], impulse: &[Node<T>]) -> Misfit {
        let (masses, inverse) = (self.target.values(), &self.inverse_diagonal);
        let inertia = |node: usize| match rubbing {
            Rubbing::Given => masses[node][MASS].to_f64(),
            Rubbing::Found => {
                let sum: f64 = inverse[node][..D].iter().map(|x| x.to_f64()).sum();
                if sum > 0.0 { D as f64 / sum } else { 0.0 }
            }
        };
        // What a solve has left undone would press as well in the end: so much that the momentum of the piece is what its contacts make of it.
        let mut left = impulse.to_vec();
        self.constraints.project(&mut left);
        let sums = self.pieces.sums(impulse).into_iter();
        let factors: Vec<f64> = sums
            .zip(self.pieces.sums(&left))
            .map(|(all, left)| {
                let pressed = all - left;
                let share = left.dot(pressed) / pressed.norm_squared().max(f64::MIN_POSITIVE);
                1.0 + share.clamp(-UNDONE, UNDONE)
            })
            .collect();
        let now = self.constraints.rubbed(impulse).map(|at| Rubbed {
            most: at.most * factors[self.pieces.piece_of(at.node)],
            ..at
        });
        self.friction.revise(rubbing, now, v, inertia)
    }

    /// r ← L⁻¹ r on what the constraints leave: about as far as r asks to go, whatever the preconditioner; after [`prepare`](Self::prepare).
    pub fn relax(&self, r: &mut [Node<T>]) {
        scale(r.as_flattened_mut(), self.inverse_diagonal.as_flattened());
        self.constraints.project(r);
    }

    /// What rounding does to residuals: increments are known to the precision of numbers near 1, which is that of displacements of a cell, and Δt² K turns displacements
    /// over Δt into impulses. `stiffness` is the diagonal of Δt² K.
    fn rounding_of(&self, stiffness: &[Node<T>], masses: &[Node<T>]) -> f64 {
        let least = least_mass::<T>();
        let pairs = stiffness.par_chunks(CHUNK).zip(masses.par_chunks(CHUNK));
        let partial: Vec<[f64; 2]> = pairs
            .map(|(stiffness, masses)| {
                let mut sums = [0.0; 2];
                let stiffness = stiffness.iter().flat_map(|node| &node[..D]);
                let masses = masses.iter().flat_map(|node| &node[..D]);
                for (&k, &mass) in stiffness.zip(masses).filter(|(_, mass)| **mass > least) {
                    sums[0] += k.to_f64() * k.to_f64() / mass.to_f64();
                    sums[1] += mass.to_f64() / D as f64;
                }
                sums
            })
            .collect();
        let [squares, mass] = total(&partial);
        let speed = self.context.step.geometry.spacing() / self.context.step.dt;
        T::EPSILON * speed * (squares / mass.max(f64::MIN_POSITIVE)).sqrt()
    }

    /// The size of a residual; after [`prepare`](Self::prepare).
    pub fn norms(&self, residual: &[Node<T>]) -> Norms {
        let chunks = residual
            .par_chunks(CHUNK)
            .zip(self.inverse_diagonal.par_chunks(CHUNK))
            .zip(self.inverse_masses.par_chunks(CHUNK))
            .zip(self.target().par_chunks(CHUNK));
        let partial: Vec<[f64; 4]> = chunks
            .map(|(((residual, diagonal), masses), target)| {
                let mut sums = [0.0; 4];
                let nodes = residual.iter().zip(diagonal).zip(masses).zip(target);
                for (((r, diagonal), masses), target) in nodes {
                    for a in 0..D {
                        let square = r[a].to_f64() * r[a].to_f64();
                        sums[0] += square * masses[a].to_f64();
                        sums[1] += square * diagonal[a].to_f64();
                        sums[3] += (target[MASS] * target[a] * target[a]).to_f64();
                    }
                    sums[2] += target[MASS].to_f64();
                }
                sums
            })
            .collect();
        let [by_mass, by_diagonal, mass, speed] = total(&partial);
        let norm = |squares: f64| (squares / mass.max(f64::MIN_POSITIVE)).sqrt();
        Norms {
            by_mass: norm(by_mass),
            by_diagonal: norm(by_diagonal),
            rounding: self.rounding + T::EPSILON * norm(speed),
            mass,
        }
    }

    /// x · L x, L the diagonal of the matrix: the square of the length by which [`Norms::by_diagonal`] measures residuals.
    pub fn length_squared(&self, x: &[Node<T>]) -> f64 {
        let chunks = x
            .par_chunks(CHUNK)
            .zip(self.inverse_diagonal.par_chunks(CHUNK));
        let partial: Vec<[f64; 1]> = chunks
            .map(|(x, inverse)| {
                let mut sum = 0.0;
                for (x, inverse) in x.iter().zip(inverse) {
                    for a in 0..D {
                        if inverse[a] > T::zero() {
                            sum += x[a].to_f64() * x[a].to_f64() / inverse[a].to_f64();
                        }
                    }
                }
                [sum]
            })
            .collect();
        total(&partial)[0]
    }
}

/// Nodes with less mass do not take part: what they got is rounding noise.
fn least_mass<T: Scalar>() -> T {
    T::from_f64(T::MIN_POSITIVE / T::EPSILON)
}

/// Sums in their order.
pub(super) fn total<const N: usize>(partial: &[[f64; N]]) -> [f64; N] {
    partial.iter().fold([0.0; N], |mut sums, part| {
        for (sum, x) in sums.iter_mut().zip(part) {
            *sum += x;
        }
        sums
    })
}

impl<T: Scalar, const D: usize> System<'_, T, D> {
    /// out ← (M + Δt² K) x, whatever the constraints; returns x · (M + Δt² K) x.
    pub fn multiply_all(&mut self, x: &[Node<T>], out: &mut [Node<T>]) -> f64 {
        let (context, curvatures) = (&self.context, &self.curvatures);
        gather_apply_scatter(
            Some(x),
            self.particles,
            self.tiles,
            context,
            |asked, slopes| {
                let curvature = part(curvatures, asked.segment, HessianLayout::<D>::COLUMNS);
                let apply = Apply::<T, D> {
                    curvature,
                    increments: asked.increments,
                    slopes,
                };
                dispatch(context.step.isa, apply);
                [0.0; 2]
            },
        );
        let share = T::from_f64(self.implicitness);
        let target = self.target.values();
        let n = context.step.order.blocks.nodes_per_block();
        let products = self.tiles.pull(context.step.order, out, |block, nodes| {
            let mut product = 0.0;
            let range = block * n..block * n + nodes.len();
            let others = x[range.clone()].iter().zip(&target[range]);
            for (node, (x, target)) in nodes.iter_mut().zip(others) {
                for a in 0..D {
                    node[a] = share * node[a] + target[MASS] * x[a];
                    product += node[a].to_f64() * x[a].to_f64();
                }
            }
            product
        });
        products.into_iter().sum::<f64>() + self.friction.add_product(x, out)
    }

    /// What the unknowns are divided by.
    fn weights(&self) -> &[Node<T>] {
        match self.preconditioner {
            Preconditioner::None => &self.takes_part,
            Preconditioner::Mass => &self.inverse_masses,
            Preconditioner::Stiffness => &self.inverse_diagonal,
        }
    }
    /// Whether free pieces are moved as a whole beside that; the masses do so by themselves.
    fn drifts(&self) -> bool {
        self.preconditioner == Preconditioner::Stiffness
    }
}

impl<T: Scalar, const D: usize> Operator<T> for System<'_, T, D> {
    fn multiply(&mut self, x: &[T], out: &mut [T]) -> f64 {
        let (x, out) = (nodes(x), nodes_mut(out));
        // x satisfies the constraints: its product is the same before the projection.
        let product = self.multiply_all(x, out);
        self.constraints.project(out);
        product
    }
    /// The inverse of a diagonal, what moves free pieces as a whole, and then the projection again: all together are symmetric on what the constraints leave.
    fn precondition(&self, r: &[T], z: &mut [T]) {
        z.copy_from_slice(r);
        scale(z, self.weights().as_flattened());
        let (r, z) = (nodes(r), nodes_mut(z));
        if self.drifts() {
            self.pieces.add(1.0, &self.pieces.drift(r), z);
        }
        self.constraints.project(z);
    }
    /// Residuals satisfy the constraints, so that their product with the outcome is the same before the projection. What is left of the residual when its pieces are
    /// [settled](System::settle) bounds the error.
    fn reduce(&self, r: &mut [T], (a, q): (f64, &[T]), z: &mut [T]) -> Sizes {
        let (r, change, z) = (nodes_mut(r), (a, nodes(q)), nodes_mut(z));
        let weights = (self.weights(), &self.inverse_masses[..]);
        let blocks = weigh(r, change, z, weights, self.pieces.nodes_per_block());
        let mut sizes = Sizes {
            product: blocks.iter().map(|block| block.squares[0]).sum(),
            bound: blocks.iter().map(|block| block.squares[1]).sum(),
        };
        if self.drifts() {
            let sums = blocks.iter().map(|block| block.sum);
            let drift = self.pieces.drift_of_blocks(sums);
            self.pieces.add(1.0, &drift, z);
            sizes.product += self.pieces.squared(&drift);
            sizes.bound -= self.pieces.squared_of_free(&drift);
        }
        self.constraints.project(z);
        sizes
    }
    /// Residuals satisfy the constraints: there is nothing to project.
    fn size_squared(&self, r: &[T]) -> f64 {
        weighted_square(r, self.inverse_diagonal.as_flattened())
    }
}

/// Unknowns as nodes.
fn nodes<T>(x: &[T]) -> &[Node<T>] {
    x.as_chunks().0
}

/// Unknowns as nodes, to be changed.
fn nodes_mut<T>(x: &mut [T]) -> &mut [Node<T>] {
    x.as_chunks_mut().0
}

/// Σ ½ m |v − v*|² \[J\].
fn inertia<T: Scalar, const D: usize>(v: &[Node<T>], target: &[Node<T>]) -> f64 {
    let mut sum = 0.0;
    for (v, target) in v.iter().zip(target) {
        for a in 0..D {
            let change = v[a] - target[a];
            sum += 0.5 * (target[MASS] * change * change).to_f64();
        }
    }
    sum
}

/// The energy of a segment and the size of its stress \[J\]; slopes are written to `slopes`.
fn energy_of<T: Scalar, const D: usize>(
    context: &TransferContext<'_, T, D>,
    (references, damping): (&[Vec<T>], Option<&[Vec<T>]>),
    asked: &SegmentIncrements<'_, T, D>,
    slopes: &mut [T],
) -> [f64; 2] {
    let mut energy = ask(context, references, asked, Derivative::Gradient, slopes);
    if let Some(damping) = damping {
        energy += add_damping::<T, D>(damping, asked, slopes, context);
    }
    let stress = slopes.iter().map(|slope| slope.abs().to_f64()).sum();
    [energy, stress]
}

/// Asks the material of a segment for slopes or curvatures; returns the energy \[J\].
fn ask<T: Scalar, const D: usize>(
    context: &TransferContext<'_, T, D>,
    references: &[Vec<T>],
    asked: &SegmentIncrements<'_, T, D>,
    wanted: Derivative,
    out: &mut [T],
) -> f64 {
    let batch = IncrementBatch {
        hot: asked.hot,
        hot_stride: asked.hot_stride,
        reference: part(references, asked.segment, Reference::<T, D>::COLUMNS),
        increment: asked.increments,
        out,
    };
    context.materials[asked.segment.species].energy_derivative(context.step.isa, wanted, batch)
}

/// The rows of a table that belong to a segment.
fn part<'b, T: Scalar, const D: usize>(
    tables: &'b [Vec<T>],
    segment: &Segment<D>,
    columns: usize,
) -> &'b [T] {
    let stride = columns * T::LANES;
    &tables[segment.species][segment.groups.start * stride..segment.groups.end * stride]
}

/// Where the upper triangle of a curvature has a diagonal entry.
fn diagonal_column<const D: usize>(row: usize) -> usize {
    row * HessianLayout::<D>::ROWS - row * row.saturating_sub(1) / 2
}

/// Adds the slopes of damping, and returns its energy \[J\]: half of M : kD/Δt : M.
fn add_damping<T: Scalar, const D: usize>(
    damping: &[Vec<T>],
    asked: &SegmentIncrements<'_, T, D>,
    slopes: &mut [T],
    context: &TransferContext<'_, T, D>,
) -> f64 {
    let mut own = vec![T::zero(); slopes.len()];
    let apply = Apply::<T, D> {
        curvature: part(damping, asked.segment, HessianLayout::<D>::COLUMNS),
        increments: asked.increments,
        slopes: &mut own,
    };
    dispatch(context.step.isa, apply);
    let mut twice = 0.0;
    for ((slope, own), increment) in slopes.iter_mut().zip(&own).zip(asked.increments) {
        *slope += *own;
        twice += (*own * *increment).to_f64();
    }
    0.5 * twice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagonal_entries_are_found_in_the_triangle() {
        fn check<const D: usize>() {
            let mut column = 0;
            for k in 0..D * D {
                for l in k..D * D {
                    if k == l {
                        assert_eq!(diagonal_column::<D>(k), column);
                    }
                    column += 1;
                }
            }
            assert_eq!(column, HessianLayout::<D>::COLUMNS);
        }
        check::<2>();
        check::<3>();
    }
}
