//! Deviatoric forces on the faces: elastic shear and viscosity, explicitly or by one implicit
//! solve. \[Jiang2015thesis\] eq. (6.20)–(6.26) with errata E22, E23 (β = 1) and E39.
//!
//! With E the extension of velocities to faces in solids ([`GhostFaces`]) and K the Hessian of the
//! deviatoric energy of a step at rest,
//!
//! (M + Eᵀ K E) (v* − v) = −Eᵀ (Δt ∇ψ + K E v),
//!
//! where v has gravity in it. Explicitly, M (v* − v) = Δt Eᵀ f. Masses of faces in solids count for
//! the faces that they follow, as at a wall, equation (7).

use thixo_par::{Scalar, dispatch};

use crate::collide::ContactImpulses;
use crate::error::{ProjectionSolve, StepError};
use crate::grid::{FACE_FORCE, FACE_MASS, FACE_VELOCITY, Field, Segment, StaggeredGrid};
use crate::integrate::implicit::{ElasticEnergy, HessianProduct, ParticleTerm, segment_rows};
use crate::krylov::vector::dot;
use crate::krylov::{Operator, ResidualNorms, StoppingCriterion, conjugate_gradient};
use crate::material::potential::{Definiteness, HessianLayout};
use crate::particles::Particles;
use crate::projection::GhostFaces;
use crate::step_context::StepContext;
use crate::transfer::staggered::{gather_apply_scatter, scatter_diagonal};
use crate::transfer::{SegmentIncrements, TransferContext};

/// Error of the velocities of the implicit solve relative to their change.
const TOLERANCE: f64 = 1e-4;

/// Largest number of iterations of the implicit solve.
const ITERATIONS: u32 = 400;

/// Adds Δt f/m to the velocities of all faces, and the impulses of solids to `impulses`.
pub(super) fn explicit<T: Scalar, const D: usize>(
    grid: &mut StaggeredGrid<T, D>,
    ghosts: &GhostFaces<D>,
    step: &StepContext<'_, D>,
    impulses: &mut ContactImpulses<D>,
) {
    let dt = step.dt;
    let masses = masses(grid, ghosts);
    ghosts.add_impulses((&grid.faces, FACE_FORCE, dt), step, impulses);
    ghosts.fold(&mut grid.faces, FACE_FORCE);
    for (faces, masses) in grid.faces.iter_mut().zip(&masses) {
        for (quad, &mass) in faces.values_mut().iter_mut().zip(masses) {
            if quad[FACE_MASS] > T::zero() {
                quad[FACE_VELOCITY] += T::from_f64(dt * quad[FACE_FORCE].to_f64() / mass);
            }
        }
    }
}

/// Masses of the faces with those of the faces in solids that follow them \[kg\].
fn masses<T: Scalar, const D: usize>(
    grid: &StaggeredGrid<T, D>,
    ghosts: &GhostFaces<D>,
) -> [Vec<f64>; D] {
    let mut masses: [Vec<f64>; D] = core::array::from_fn(|axis| {
        let faces = grid.faces[axis].values().iter();
        faces.map(|quad| quad[FACE_MASS].to_f64()).collect()
    });
    ghosts.fold_diagonal(&mut masses);
    masses
}

/// Solves for the velocities of the faces after deviatoric forces of the end of the step, and adds
/// the impulses of solids to `impulses`. Returns the number of iterations.
pub(super) fn implicit<T: Scalar, const D: usize>(
    particles: &Particles<T, D>,
    grid: &mut StaggeredGrid<T, D>,
    ghosts: &GhostFaces<D>,
    context: TransferContext<'_, T, D>,
    impulses: &mut ContactImpulses<D>,
) -> Result<u32, StepError> {
    let elastic = ElasticEnergy::new(particles, context);
    let hessians = hessians(&elastic, particles, &context);
    let masses = masses(grid, ghosts);
    let numbers: usize = masses.iter().map(Vec::len).sum();

    // −Eᵀ (Δt ∇ψ + K E v)
    let mut v: [Field<T, 4>; D] = core::array::from_fn(|axis| {
        let mut field = grid.faces[axis].clone();
        for quad in field.values_mut() {
            *quad = [quad[FACE_VELOCITY], T::zero(), T::zero(), T::zero()];
        }
        field
    });
    ghosts.extend(&mut v, true);
    let mut forces: [Field<T, 4>; D] = core::array::from_fn(|_| Field::default());
    let rest_and_slope = |at: SegmentIncrements<'_, T, D>, out: &mut [T]| {
        let zero = vec![T::zero(); at.increments.len()];
        let at_rest = SegmentIncrements {
            increments: &zero,
            ..at
        };
        let mut stress = zero.clone();
        elastic.gradient(&at_rest, &mut stress);
        product(&hessians, context.step.isa, &at, out);
        for (out, stress) in out.iter_mut().zip(stress) {
            *out += stress;
        }
    };
    gather_apply_scatter(&v, particles, (grid, &mut forces), &context, rest_and_slope);
    ghosts.fold(&mut forces, 0);
    let mut diagonal: [Vec<f64>; D] = diagonal(&hessians, particles, grid, &context);
    ghosts.fold_diagonal(&mut diagonal);

    let mut b = vec![T::zero(); numbers];
    let mut inverse = vec![T::zero(); numbers];
    let mut inverse_mass = vec![T::zero(); numbers];
    let count = masses[0].len();
    for axis in 0..D {
        for k in 0..count {
            let mass = masses[axis][k];
            let has_mass = grid.faces[axis].values()[k][FACE_MASS] > T::zero();
            if has_mass && !ghosts.is_ghost(axis, k) {
                let at = axis * count + k;
                b[at] = -forces[axis].values()[k][0];
                inverse[at] = T::from_f64(1.0 / (mass + diagonal[axis][k]));
                inverse_mass[at] = T::from_f64(1.0 / mass);
            }
        }
    }
    let mut operator = FaceOperator {
        particles,
        grid,
        ghosts,
        context,
        hessians: &hessians,
        masses: &masses,
        inverse: &inverse,
        inverse_mass: &inverse_mass,
        direction: v,
        forces,
    };
    let distance_squared = dot(&b, &b) * f64::MIN_POSITIVE;
    let criterion = StoppingCriterion {
        tolerance: TOLERANCE,
        distance_squared,
        forcing: TOLERANCE,
    };
    let mut change = vec![T::zero(); numbers];
    let outcome = conjugate_gradient(&mut operator, &b, &mut change, (criterion, ITERATIONS));
    let is_solved = outcome.iterations < ITERATIONS && !outcome.is_indefinite;
    if !is_solved {
        return Err(StepError::ProjectionNotConverged {
            solve: ProjectionSolve::Deviatoric,
            iterations: outcome.iterations,
            residual: outcome.residual,
            tolerance: TOLERANCE,
            time: context.step.time,
            dt: context.step.dt,
        });
    }
    let FaceOperator {
        direction: mut v,
        mut forces,
        grid,
        ..
    } = operator;
    for axis in 0..D {
        let faces = grid.faces[axis].values_mut().iter_mut();
        let faces = faces.zip(v[axis].values_mut());
        for ((quad, v), change) in faces.zip(&change[axis * count..]) {
            quad[FACE_VELOCITY] += *change;
            v[0] = quad[FACE_VELOCITY];
        }
    }
    if !ghosts.is_empty() {
        ghosts.extend(&mut v, true);
        gather_apply_scatter(&v, particles, (grid, &mut forces), &context, rest_and_slope);
        ghosts.add_impulses((&forces, 0, -1.0), &context.step, impulses);
    }
    Ok(outcome.iterations)
}

/// V⁰∂²ψ/∂M² of every particle at rest, projected, by species.
fn hessians<T: Scalar, const D: usize>(
    elastic: &ElasticEnergy<'_, T, D>,
    particles: &Particles<T, D>,
    context: &TransferContext<'_, T, D>,
) -> Vec<Vec<T>> {
    let columns = HessianLayout::<D>::COLUMNS;
    let mut tables: Vec<Vec<T>> = particles
        .species
        .iter()
        .map(|species| vec![T::zero(); species.hot.groups() * columns * T::LANES])
        .collect();
    let mut zero = Vec::new();
    for segment in &context.step.order.segments {
        let species = &particles.species[segment.species];
        let stride = species.hot.stride();
        zero.resize(segment.groups.len() * D * D * T::LANES, T::zero());
        let at = SegmentIncrements {
            segment,
            hot: &species.hot.data()[segment.groups.start * stride..segment.groups.end * stride],
            hot_stride: stride,
            increments: &zero,
        };
        let rows =
            segment.groups.start * columns * T::LANES..segment.groups.end * columns * T::LANES;
        let out = &mut tables[segment.species][rows];
        elastic.hessian(&at, Definiteness::Projected, out);
    }
    tables
}

/// out ← H : M of a segment.
fn product<T: Scalar, const D: usize>(
    hessians: &[Vec<T>],
    isa: thixo_par::Isa,
    at: &SegmentIncrements<'_, T, D>,
    out: &mut [T],
) {
    let product = HessianProduct::<T, D> {
        hessians: segment_rows(hessians, at.segment, HessianLayout::<D>::COLUMNS),
        increments: at.increments,
        products: out,
    };
    dispatch(isa, product);
}

/// The diagonal of K \[kg\].
fn diagonal<T: Scalar, const D: usize>(
    hessians: &[Vec<T>],
    particles: &Particles<T, D>,
    grid: &mut StaggeredGrid<T, D>,
    context: &TransferContext<'_, T, D>,
) -> [Vec<f64>; D] {
    let mut fields: [Field<T, 4>; D] = core::array::from_fn(|_| Field::default());
    let coefficients = |segment: &Segment<D>, out: &mut [T]| {
        let table = segment_rows(hessians, segment, HessianLayout::<D>::COLUMNS);
        let groups = table
            .chunks_exact(HessianLayout::<D>::COLUMNS * T::LANES)
            .zip(out.chunks_exact_mut(D * D * T::LANES));
        for (hessian, out) in groups {
            let mut column = 0;
            for row in 0..D * D {
                for lane in 0..T::LANES {
                    out[row * T::LANES + lane] = hessian[column * T::LANES + lane].max(T::zero());
                }
                column += D * D - row;
            }
        }
    };
    scatter_diagonal(particles, (grid, &mut fields), context, coefficients);
    core::array::from_fn(|axis| {
        let faces = fields[axis].values().iter();
        faces.map(|quad| quad[0].to_f64()).collect()
    })
}

/// M + Eᵀ K E, with the inverse of its diagonal as preconditioner.
struct FaceOperator<'a, T: Scalar, const D: usize> {
    particles: &'a Particles<T, D>,
    grid: &'a mut StaggeredGrid<T, D>,
    ghosts: &'a GhostFaces<D>,
    context: TransferContext<'a, T, D>,
    hessians: &'a [Vec<T>],
    masses: &'a [Vec<f64>; D],
    /// Zero for faces that are no unknowns.
    inverse: &'a [T],
    inverse_mass: &'a [T],
    direction: [Field<T, 4>; D],
    forces: [Field<T, 4>; D],
}

impl<T: Scalar, const D: usize> Operator<T> for FaceOperator<'_, T, D> {
    fn multiply(&mut self, x: &[T], out: &mut [T]) -> f64 {
        let count = self.masses[0].len();
        for axis in 0..D {
            let faces = self.direction[axis].values_mut().iter_mut();
            for (quad, x) in faces.zip(&x[axis * count..]) {
                quad[0] = *x;
            }
        }
        self.ghosts.extend(&mut self.direction, false);
        let (hessians, isa) = (self.hessians, self.context.step.isa);
        gather_apply_scatter(
            &self.direction,
            self.particles,
            (self.grid, &mut self.forces),
            &self.context,
            |at, out| product(hessians, isa, &at, out),
        );
        self.ghosts.fold(&mut self.forces, 0);
        for axis in 0..D {
            let faces = self.forces[axis].values().iter().zip(&self.masses[axis]);
            let unknowns = x[axis * count..].iter().zip(&self.inverse[axis * count..]);
            let out = out[axis * count..(axis + 1) * count].iter_mut();
            for ((out, (force, mass)), (x, inverse)) in out.zip(faces).zip(unknowns) {
                *out = match *inverse > T::zero() {
                    true => T::from_f64(*mass) * *x + force[0],
                    false => T::zero(),
                };
            }
        }
        dot(x, out)
    }
    fn precondition(&self, r: &[T], z: &mut [T]) {
        for ((z, r), inverse) in z.iter_mut().zip(r).zip(self.inverse) {
            *z = *r * *inverse;
        }
    }
    fn reduce(&self, r: &mut [T], (a, q): (f64, &[T]), z: &mut [T]) -> ResidualNorms {
        let a = T::from_f64(a);
        for (r, q) in r.iter_mut().zip(q) {
            *r -= a * *q;
        }
        self.precondition(r, z);
        ResidualNorms {
            product: dot(r, z),
            bound: self.norm_squared(r),
        }
    }
    fn norm_squared(&self, r: &[T]) -> f64 {
        crate::krylov::vector::weighted_square(r, self.inverse_mass)
    }
}
