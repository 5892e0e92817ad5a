//! Forces of meshes in a step: added to the momentum of the nodes, or as a term of the energy of an
//! implicit step.

use thixo_math::Vector;
use thixo_par::{Isa, Scalar};

use super::assembly::{MeshResponse, Periods, Tangents, WithPressures};
use super::mesh::Mesh;
use super::vertices::{VertexStencils, find_vertices, positions};
use crate::grid::{Geometry, MASS, Node};
use crate::material::potential::Definiteness;
use crate::particles::Particles;
use crate::step_context::StepContext;

/// A mesh in its present state.
struct Present<'a, const D: usize> {
    mesh: &'a Mesh<D>,
    slots: Vec<u32>,
    positions: Vec<Vector<f64, D>>,
}

fn present<'a, T: Scalar, const D: usize>(
    meshes: &'a [Mesh<D>],
    particles: &Particles<T, D>,
    geometry: &Geometry<D>,
) -> Vec<Present<'a, D>> {
    let all = meshes.iter().filter_map(|mesh| {
        let slots = find_vertices(mesh, particles)?;
        let species = &particles.species[mesh.material()?];
        Some(Present {
            positions: positions(&slots, species, geometry),
            mesh,
            slots,
        })
    });
    all.collect()
}

fn periods<const D: usize>(geometry: &Geometry<D>) -> Periods<D> {
    core::array::from_fn(|a| geometry.period(a))
}

fn stencils<'a, T: Scalar, const D: usize>(
    all: &[Present<'_, D>],
    meshes: &[Mesh<D>],
    particles: &Particles<T, D>,
    step: StepContext<'a, D>,
) -> VertexStencils<'a, T, D> {
    let slots: Vec<Vec<u32>> = all.iter().map(|present| present.slots.clone()).collect();
    VertexStencils::new(meshes, &slots, particles, step)
}

/// Adds the impulses Δt Σ_p w_ip f_p of meshes, damping and pressure included, to the momentum of
/// the nodes, equations (64)–(66). Returns the bound of the squared angular frequencies of the
/// elements, and that of their damping \[1/s²\], \[1/s\].
pub(crate) fn add_forces<T: Scalar, const D: usize>(
    meshes: &[Mesh<D>],
    particles: &Particles<T, D>,
    nodes: &mut [Node<T>],
    step: &StepContext<'_, D>,
) -> [f64; 2] {
    if meshes.is_empty() {
        return [0.0; 2];
    }
    let all = present(meshes, particles, step.geometry);
    let stencils = stencils(&all, meshes, particles, *step);
    let periods = periods(step.geometry);
    let velocities = meshes.iter().any(|mesh| mesh.damping > 0.0).then(|| {
        let mut velocities = nodes.to_vec();
        for node in &mut velocities {
            let inverse = if node[MASS] > T::zero() {
                T::one() / node[MASS]
            } else {
                T::zero()
            };
            for x in &mut node[..D] {
                *x *= inverse;
            }
        }
        stencils.gather(&velocities)
    });
    let mut impulses = Vec::new();
    let mut limits = [0.0f64; 2];
    for Present {
        mesh, positions, ..
    } in &all
    {
        let response = mesh.response(
            positions,
            (&periods, step.isa),
            step.time,
            WithPressures::Yes,
        );
        let own = impulses.len()..impulses.len() + positions.len();
        impulses.extend(
            response
                .gradient
                .iter()
                .map(|gradient| *gradient * -step.dt),
        );
        limits[0] = limits[0].max(response.frequency_squared);
        limits[1] = limits[1].max(mesh.damping * response.frequency_squared);
        if let Some(velocities) = velocities.as_ref().filter(|_| mesh.damping > 0.0) {
            let tangents = mesh.tangents(positions, &periods, Definiteness::Projected);
            let drag = mesh.product(&tangents, &velocities[own.clone()]);
            for (impulse, drag) in impulses[own].iter_mut().zip(drag) {
                *impulse -= drag * (step.dt * mesh.damping);
            }
        }
    }
    stencils.scatter(&impulses, nodes);
    limits
}

/// Adds the impulses of the pressures in meshes to the momentum of the nodes.
pub(crate) fn add_pressures<T: Scalar, const D: usize>(
    meshes: &[Mesh<D>],
    particles: &Particles<T, D>,
    nodes: &mut [Node<T>],
    step: &StepContext<'_, D>,
) {
    if meshes.iter().all(|mesh| mesh.enclosures.is_empty()) {
        return;
    }
    let all = present(meshes, particles, step.geometry);
    let stencils = stencils(&all, meshes, particles, *step);
    let periods = periods(step.geometry);
    let mut impulses = Vec::new();
    for at in &all {
        let gradient = at.mesh.pressures(&at.positions, &periods, step.time);
        impulses.extend(gradient.into_iter().map(|gradient| gradient * -step.dt));
    }
    stencils.scatter(&impulses, nodes);
}

/// Bounds of the squared angular frequencies of meshes in their present state and of their damping
/// \[1/s²\], \[1/s\], mesh by mesh.
pub(crate) fn frequency_squared<T: Scalar, const D: usize>(
    meshes: &[Mesh<D>],
    particles: &Particles<T, D>,
    geometry: &Geometry<D>,
    time: f64,
) -> Vec<[f64; 2]> {
    let periods = periods(geometry);
    let all = present(meshes, particles, geometry).into_iter();
    let bounds = all.map(|at| {
        let response = at.mesh.response(
            &at.positions,
            (&periods, Isa::portable()),
            time,
            WithPressures::No,
        );
        let squared = response.frequency_squared;
        [squared, at.mesh.damping * squared]
    });
    bounds.collect()
}

/// Energy of the elements of all meshes \[J\].
pub(crate) fn elastic_energy<T: Scalar, const D: usize>(
    meshes: &[Mesh<D>],
    particles: &Particles<T, D>,
    geometry: &Geometry<D>,
    time: f64,
) -> f64 {
    let periods = periods(geometry);
    let all = present(meshes, particles, geometry).into_iter();
    all.map(|at| {
        at.mesh
            .response(
                &at.positions,
                (&periods, Isa::portable()),
                time,
                WithPressures::No,
            )
            .energy
    })
    .sum()
}

/// Meshes at positions of their vertices.
struct Evaluated<const D: usize> {
    /// Energy \[J\].
    energy: f64,
    /// Estimate of its rounding error \[J\]: elements work in double precision, on displacements
    /// as precise as the velocities of nodes.
    rounding: f64,
    /// Gradient by the positions of all vertices \[N\].
    gradient: Vec<Vector<f64, D>>,
}

/// The energy of meshes as a function of the velocities of the nodes in an implicit step,
/// Φ(xⁿ + Δt Σ w v) and ½ (β/Δt) δxᵀ K(xⁿ) δx, equation (65). Pressures act at the beginning of
/// the step.
pub(crate) struct MeshEnergy<'a, T: Scalar, const D: usize> {
    meshes: Vec<Present<'a, D>>,
    stencils: VertexStencils<'a, T, D>,
    /// By mesh: at the beginning of the step, for damping, and of the last linearization.
    damping: Vec<Option<Tangents<D>>>,
    tangents: Vec<Tangents<D>>,
    /// Φ(xⁿ) \[J\].
    at_rest: f64,
    periods: Periods<D>,
    isa: Isa,
    dt: f64,
    time: f64,
}

impl<'a, T: Scalar, const D: usize> MeshEnergy<'a, T, D> {
    /// The energy in a step.
    pub fn new(
        meshes: &'a [Mesh<D>],
        particles: &Particles<T, D>,
        step: StepContext<'a, D>,
    ) -> Self {
        let all = present(meshes, particles, step.geometry);
        let stencils = stencils(&all, meshes, particles, step);
        let periods = periods(step.geometry);
        let damping = all.iter().map(|at| {
            let tangents = || {
                at.mesh
                    .tangents(&at.positions, &periods, Definiteness::Projected)
            };
            (at.mesh.damping > 0.0).then(tangents)
        });
        let mut out = Self {
            damping: damping.collect(),
            meshes: all,
            stencils,
            tangents: Vec::new(),
            at_rest: 0.0,
            periods,
            isa: step.isa,
            dt: step.dt,
            time: step.time + step.dt,
        };
        out.at_rest = out.evaluate(None).energy;
        out
    }

    /// True if places hold vertices, so that the energy depends on where meshes are.
    pub fn is_anchored(&self) -> bool {
        self.meshes.iter().any(|at| !at.mesh.holds.is_empty())
    }

    /// Displacements of all vertices \[m\].
    fn displacements(&self, v: Option<&[Node<T>]>) -> Vec<Vector<f64, D>> {
        match v {
            Some(v) => {
                let mut moved = self.stencils.gather(v);
                moved.iter_mut().for_each(|x| *x = *x * self.dt);
                moved
            }
            None => vec![Vector::zero(); self.meshes.iter().map(|at| at.slots.len()).sum()],
        }
    }

    /// Energy and gradient of all meshes.
    fn evaluate(&self, v: Option<&[Node<T>]>) -> Evaluated<D> {
        let moved = self.displacements(v);
        let mut rest = &moved[..];
        let (mut energy, mut gradient) = (0.0, Vec::new());
        let mut rounding_squared = 0.0;
        for (at, damping) in self.meshes.iter().zip(&self.damping) {
            let (own, others) = rest.split_at(at.slots.len());
            rest = others;
            let x: Vec<_> = at
                .positions
                .iter()
                .zip(own)
                .map(|(x, dx)| *x + *dx)
                .collect();
            let MeshResponse {
                gradient: mut slope,
                energy: own_energy,
                work,
                ..
            } = at
                .mesh
                .response(&x, (&self.periods, self.isa), self.time, WithPressures::No);
            energy += own_energy;
            rounding_squared += (f64::EPSILON * work).powi(2);
            if let Some(tangents) = damping {
                let factor = at.mesh.damping / self.dt;
                let drag = at.mesh.product(tangents, own);
                for ((slope, drag), dx) in slope.iter_mut().zip(drag).zip(own) {
                    energy += 0.5 * factor * dx.dot(drag);
                    *slope += drag * factor;
                }
            }
            let by_velocities = slope.iter().zip(own).map(|(slope, dx)| {
                let of_vertex = T::EPSILON * slope.norm() * dx.norm();
                of_vertex * of_vertex
            });
            rounding_squared += by_velocities.sum::<f64>();
            gradient.extend(slope);
        }
        Evaluated {
            energy,
            rounding: rounding_squared.sqrt(),
            gradient,
        }
    }

    /// Φ − Φ(xⁿ) at velocities, and the estimate of its rounding error \[J\].
    pub fn energy(&self, v: &[Node<T>]) -> [f64; 2] {
        if self.meshes.is_empty() {
            return [0.0; 2];
        }
        let at = self.evaluate(Some(v));
        [at.energy - self.at_rest, at.rounding]
    }

    /// Adds the gradient by the velocities of nodes \[N s\].
    pub fn add_gradient(&self, v: Option<&[Node<T>]>, gradient: &mut [Node<T>]) {
        if self.meshes.is_empty() {
            return;
        }
        let mut slope = self.evaluate(v).gradient;
        slope.iter_mut().for_each(|x| *x = *x * self.dt);
        self.stencils.scatter(&slope, gradient);
    }

    /// Stores the Hessian at velocities.
    pub fn linearize(&mut self, v: &[Node<T>], definiteness: Definiteness) {
        if self.meshes.is_empty() {
            return;
        }
        let moved = self.displacements(Some(v));
        let mut rest = &moved[..];
        self.tangents.clear();
        for at in &self.meshes {
            let (own, others) = rest.split_at(at.slots.len());
            rest = others;
            let x: Vec<_> = at
                .positions
                .iter()
                .zip(own)
                .map(|(x, dx)| *x + *dx)
                .collect();
            self.tangents
                .push(at.mesh.tangents(&x, &self.periods, definiteness));
        }
    }

    /// K + (β/Δt) Kⁿ times displacements.
    fn multiply(&self, dx: &[Vector<f64, D>]) -> Vec<Vector<f64, D>> {
        let mut rest = dx;
        let mut out = Vec::with_capacity(dx.len());
        let all = self.meshes.iter().zip(&self.tangents).zip(&self.damping);
        for ((at, tangents), damping) in all {
            let (own, others) = rest.split_at(at.slots.len());
            rest = others;
            let mut product = at.mesh.product(tangents, own);
            if let Some(damping) = damping {
                let factor = at.mesh.damping / self.dt;
                let drag = at.mesh.product(damping, own);
                for (product, drag) in product.iter_mut().zip(drag) {
                    *product += drag * factor;
                }
            }
            out.extend(product);
        }
        out
    }

    /// out ← out + s H x with the stored Hessian; returns x · s H x.
    pub fn product(&self, x: &[Node<T>], share: f64, out: &mut [Node<T>]) -> f64 {
        if self.meshes.is_empty() {
            return 0.0;
        }
        let dx = self.stencils.gather(x);
        let mut product = self.multiply(&dx);
        let factor = share * self.dt * self.dt;
        let mut sum = 0.0;
        for (product, dx) in product.iter_mut().zip(&dx) {
            *product = *product * factor;
            sum += product.dot(*dx);
        }
        self.stencils.scatter(&product, out);
        sum
    }

    /// Adds Δt² Σ_p w_ip² K_pp, the diagonal without the part of different vertices at one node
    /// \[kg\].
    pub fn add_diagonal(&self, diagonal: &mut [Node<T>]) {
        if !self.meshes.is_empty() {
            self.stencils.scatter_squared(&self.stiffness(), diagonal);
        }
    }

    /// Adds Σ_p w_ip² (Δt² K_pp)² \[kg²\]: the square of the impulse on a node by displacements of
    /// Δt times 1 m/s, each vertex in a direction of its own, as rounding errors are.
    pub fn add_squared_stiffness(&self, squares: &mut [Node<T>]) {
        if !self.meshes.is_empty() {
            let mut own = self.stiffness();
            for x in own.iter_mut().flat_map(|x| &mut x.0) {
                *x *= *x;
            }
            self.stencils.scatter_squared(&own, squares);
        }
    }

    /// Δt² K_pp of all vertices \[kg\].
    fn stiffness(&self) -> Vec<Vector<f64, D>> {
        let mut own = Vec::new();
        for ((at, tangents), damping) in self.meshes.iter().zip(&self.tangents).zip(&self.damping) {
            let mut diagonal = at.mesh.diagonal(tangents);
            if let Some(damping) = damping {
                let factor = at.mesh.damping / self.dt;
                let lagged = at.mesh.diagonal(damping);
                for (sum, lagged) in diagonal.iter_mut().zip(lagged) {
                    *sum += lagged * factor;
                }
            }
            own.extend(diagonal);
        }
        let factor = self.dt * self.dt;
        for x in &mut own {
            *x = *x * factor;
        }
        own
    }
}
