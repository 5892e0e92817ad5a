//! Elastic simplices with a linear map from rest to space: triangles of a plane body (K = D = 2),
//! membranes in space (K = 2, D = 3) and tetrahedra (K = D = 3). Φ = V⁰ψ(F), equation (63).
//!
//! F maps the K coordinates of the rest shape to D of space; its singular values have a sign where
//! K = D. The stress is P = U P(σ) Vᵀ; a membrane has, besides, the tension P_i/σ_i against changes
//! out of its plane.

#![allow(non_snake_case)]

use thixo_math::{Lanes, Matrix, Vector, svd, symmetric_eigen};
use thixo_par::{Isa, Kernel, Scalar, dispatch};

use super::assembly::{Periods, of_element};
use super::elastic_law::{ElasticLaw, Lame, PrincipalTangent, pair};
use super::element::{Element, Response};
use crate::material::potential::Definiteness;

/// An elastic simplex of `N` = K + 1 vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Simplex<const K: usize, const N: usize> {
    pub vertices: [u32; N],
    /// Inverse of the matrix of the edges at rest \[1/m\].
    pub inverse_rest: Matrix<f64, K>,
    /// Volume at rest; area times thickness of a membrane \[m³\].
    pub volume: f64,
    pub law: ElasticLaw,
    pub lame: Lame,
    /// Largest eigenvalue of Σ b bᵀ/m over the vertices, b being gradients of shape functions and m
    /// shares of the mass \[1/(kg m²)\].
    pub slope_per_mass: f64,
}

/// F = U diag(σ) Vᵀ, U by columns.
#[derive(Clone, Copy)]
struct Decomposed<const D: usize, const K: usize> {
    u: [Vector<f64, D>; K],
    sigma: Vector<f64, K>,
    v: Matrix<f64, K>,
}

/// The tangent of a simplex: its principal form and the axes.
#[derive(Clone, Copy)]
pub(crate) struct SimplexTangent<const D: usize, const K: usize> {
    principal: PrincipalTangent<K>,
    u: [Vector<f64, D>; K],
    v: Matrix<f64, K>,
}

/// Decomposes F, given by columns.
fn decompose<const D: usize, const K: usize>(F: &[Vector<f64, D>; K]) -> Decomposed<D, K> {
    // Orthonormal directions q of the plane that F maps to; the axes themselves where K = D.
    let mut q = [Vector::<f64, D>::zero(); K];
    for k in 0..K {
        q[k][k] = 1.0;
    }
    if K == 2 && D == 3 {
        q[0] = direction(F[0], q[0]);
        let rest = F[1] - q[0] * q[0].dot(F[1]);
        // Any direction across serves a triangle without area.
        let mut across = Vector::<f64, D>::zero();
        let least = (0..D).min_by(|&a, &b| q[0][a].abs().total_cmp(&q[0][b].abs()));
        across[least.unwrap_or(0)] = 1.0;
        across = across - q[0] * q[0].dot(across);
        q[1] = direction(rest, direction(across, across));
        q[1] = direction(q[1] - q[0] * q[0].dot(q[1]), q[1]);
    }
    let mut reduced = Matrix::<f64, K>::zero();
    for i in 0..K {
        for k in 0..K {
            reduced[i][k] = q[i].dot(F[k]);
        }
    }
    let parts = svd(&reduced);
    let mut u = [Vector::zero(); K];
    for i in 0..K {
        for k in 0..K {
            u[i] += q[k] * parts.u[k][i];
        }
    }
    Decomposed {
        u,
        sigma: parts.sigma,
        v: parts.v,
    }
}

/// Elements that are decomposed at a time.
const LANES: usize = <f64 as Scalar>::LANES;

/// F = U diag(σ) Vᵀ of `LANES` elements, entry by entry: U, σ and V take 9, 3 and 9 columns.
struct DecomposeAll<'a> {
    F: &'a [f64; 9 * LANES],
    parts: &'a mut [f64; 21 * LANES],
}

impl Kernel<f64> for DecomposeAll<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) {
        let mut F = Matrix::<L, 3>::zero();
        for i in 0..3 {
            for k in 0..3 {
                F[i][k] = L::load(&self.F[(3 * i + k) * LANES..]);
            }
        }
        let parts = svd(&F);
        for i in 0..3 {
            parts.sigma[i].store(&mut self.parts[(9 + i) * LANES..]);
            for k in 0..3 {
                parts.u[i][k].store(&mut self.parts[(3 * i + k) * LANES..]);
                parts.v[i][k].store(&mut self.parts[(12 + 3 * i + k) * LANES..]);
            }
        }
    }
}

fn direction<const D: usize>(x: Vector<f64, D>, otherwise: Vector<f64, D>) -> Vector<f64, D> {
    let length = x.norm();
    if length > 0.0 && length.is_finite() {
        x * (1.0 / length)
    } else {
        otherwise
    }
}

impl<const K: usize, const N: usize> Simplex<K, N> {
    /// A simplex at rest with given edges from its first vertex \[m\], row by row; none where they
    /// enclose nothing, or less than nothing. The volume is that of edges in K dimensions.
    pub fn new(
        vertices: [u32; N],
        edges: Matrix<f64, K>,
        law: ElasticLaw,
        lame: Lame,
    ) -> Option<Self> {
        let factorial = if K == 2 { 2.0 } else { 6.0 };
        let determinant = edges.determinant();
        let longest = edges.norm_squared().sqrt();
        let is_flat = determinant.is_nan() || determinant <= 1e-12 * longest.powi(K as i32);
        (!is_flat).then(|| Self {
            vertices,
            inverse_rest: edges.inverse(),
            volume: determinant / factorial,
            law,
            lame,
            slope_per_mass: 0.0,
        })
    }

    /// Columns of F, from differences of the positions.
    fn gradient<const D: usize>(&self, x: &[Vector<f64, D>; N]) -> [Vector<f64, D>; K] {
        let mut F = [Vector::zero(); K];
        for j in 0..K {
            let edge = x[j + 1] - x[0];
            for k in 0..K {
                F[k] += edge * self.inverse_rest[j][k];
            }
        }
        F
    }

    /// From V⁰P, by columns, to ∂Φ/∂x.
    fn vertex_gradients<const D: usize>(&self, P: &[Vector<f64, D>; K]) -> [Vector<f64, D>; N] {
        let mut out = [Vector::zero(); N];
        for j in 0..K {
            for k in 0..K {
                out[j + 1] += P[k] * (self.inverse_rest[j][k] * self.volume);
            }
            let force = out[j + 1];
            out[0] -= force;
        }
        out
    }

    /// Energy, gradient and stiffness from the parts of F.
    fn response_of<const D: usize>(&self, parts: &Decomposed<D, K>) -> Response<D, N> {
        let Decomposed { u, sigma, v } = parts;
        let stress = self.law.stress(self.lame, sigma);
        let mut P = [Vector::zero(); K];
        for i in 0..K {
            for k in 0..K {
                P[k] += u[i] * (stress[i] * v[k][i]);
            }
        }
        self.with_stress(&P, sigma)
    }

    fn with_stress<const D: usize>(
        &self,
        P: &[Vector<f64, D>; K],
        sigma: &Vector<f64, K>,
    ) -> Response<D, N> {
        let bound = self.law.tangent(self.lame, sigma).bound();
        Response {
            energy: self.volume * self.law.energy(self.lame, sigma),
            gradient: self.vertex_gradients(P),
            frequency_squared: self.volume * bound * self.slope_per_mass,
        }
    }

    /// The response of a fixed corotated membrane: with C = FᵀF and J² = det C the stretch is S =
    /// (C + J I)/√(tr C + 2J), by the theorem of Cayley and Hamilton, R = F S⁻¹ and
    /// P = 2μ(F − R) + λ(J − 1) J F C⁻¹. None where the triangle has next to no area.
    fn corotated_membrane<const D: usize>(
        &self,
        F: &[Vector<f64, D>; K],
    ) -> Option<Response<D, N>> {
        let (a, b, d) = (F[0].dot(F[0]), F[0].dot(F[1]), F[1].dot(F[1]));
        let (trace, squared_ratio) = (a + d, a * d - b * b);
        let is_sound = squared_ratio > 1e-6 * trace * trace;
        if !is_sound {
            return None;
        }
        let J = squared_ratio.sqrt();
        let sum = (trace + 2.0 * J).sqrt();
        let inverse = 1.0 / (sum * J);
        let [s00, s01, s11] = [a + J, b, d + J].map(|x| x * inverse);
        let Lame { mu, lambda } = self.lame;
        let tension = lambda * (J - 1.0) / J;
        let mut P = [Vector::zero(); K];
        P[0] = (F[0] - (F[0] * s11 - F[1] * s01)) * (2.0 * mu) + (F[0] * d - F[1] * b) * tension;
        P[1] = (F[1] - (F[1] * s00 - F[0] * s01)) * (2.0 * mu) + (F[1] * a - F[0] * b) * tension;
        // Not from C less its trace: strains keep their digits.
        let difference = ((a - d) * (a - d) + 4.0 * b * b).sqrt() / sum;
        let mut sigma = Vector::zero();
        sigma[0] = 0.5 * (sum + difference);
        sigma[1] = 0.5 * (sum - difference);
        Some(self.with_stress(&P, &sigma))
    }

    /// V⁰ times the modulus that bounds the stiffness at rest, per squared slope of a vertex
    /// \[N/m\].
    pub fn stiffness_of(&self, vertex: usize) -> f64 {
        let modulus = 2.0 * self.lame.mu + self.lame.lambda;
        self.volume * modulus * self.slope(vertex).norm_squared()
    }

    /// Gradient of the shape function of a vertex \[1/m\].
    fn slope(&self, vertex: usize) -> Vector<f64, K> {
        let mut slope = Vector::zero();
        for k in 0..K {
            for j in 0..K {
                let own = if vertex == 0 {
                    -1.0
                } else {
                    f64::from(u8::from(j + 1 == vertex))
                };
                slope[k] += own * self.inverse_rest[j][k];
            }
        }
        slope
    }

    /// The volume ratio J \[–\], negative where the element is inverted.
    #[cfg(test)]
    fn ratio<const D: usize>(&self, x: &[Vector<f64, D>; N]) -> f64 {
        decompose(&self.gradient(x)).sigma.0.iter().product()
    }
}

impl<const D: usize, const K: usize, const N: usize> Element<D, N> for Simplex<K, N> {
    type Tangent = SimplexTangent<D, K>;

    fn vertices(&self) -> [u32; N] {
        self.vertices
    }

    fn response(&self, x: &[Vector<f64, D>; N]) -> Response<D, N> {
        let F = self.gradient(x);
        if K == 2
            && D == 3
            && self.law == ElasticLaw::FixedCorotated
            && let Some(response) = self.corotated_membrane(&F)
        {
            return response;
        }
        self.response_of(&decompose(&F))
    }

    /// Tetrahedra are decomposed several at a time.
    fn respond(
        elements: &[Self],
        (x, periods): (&[Vector<f64, D>], &Periods<D>),
        isa: Isa,
        mut each: impl FnMut(usize, &[Vector<f64, D>; N], Response<D, N>),
    ) {
        if K < 3 {
            for (number, element) in elements.iter().enumerate() {
                let own = of_element(element.vertices, x, periods);
                each(number, &own, element.response(&own));
            }
            return;
        }
        let mut own = [[Vector::zero(); N]; LANES];
        // Lanes without an element decompose zero.
        let mut F = [0.0; 9 * LANES];
        let mut parts = [0.0; 21 * LANES];
        for (group, elements) in elements.chunks(LANES).enumerate() {
            for (lane, element) in elements.iter().enumerate() {
                own[lane] = of_element(element.vertices, x, periods);
                let columns = element.gradient(&own[lane]);
                for k in 0..K {
                    for i in 0..D {
                        F[(3 * i + k) * LANES + lane] = columns[k][i];
                    }
                }
            }
            let all = DecomposeAll {
                F: &F,
                parts: &mut parts,
            };
            dispatch(isa, all);
            for (lane, element) in elements.iter().enumerate() {
                let at = |column: usize| parts[column * LANES + lane];
                let mut decomposed = Decomposed {
                    u: [Vector::zero(); K],
                    sigma: Vector::zero(),
                    v: Matrix::zero(),
                };
                for i in 0..K {
                    decomposed.sigma[i] = at(9 + i);
                    for k in 0..D {
                        decomposed.u[i][k] = at(3 * k + i);
                    }
                    for k in 0..K {
                        decomposed.v[i][k] = at(12 + 3 * i + k);
                    }
                }
                each(
                    group * LANES + lane,
                    &own[lane],
                    element.response_of(&decomposed),
                );
            }
        }
    }

    fn tangent(&self, x: &[Vector<f64, D>; N], definiteness: Definiteness) -> SimplexTangent<D, K> {
        let Decomposed { u, sigma, v } = decompose(&self.gradient(x));
        let principal = self.law.tangent(self.lame, &sigma).made(definiteness);
        SimplexTangent { principal, u, v }
    }

    fn product(
        &self,
        tangent: &SimplexTangent<D, K>,
        dx: &[Vector<f64, D>; N],
    ) -> [Vector<f64, D>; N] {
        let SimplexTangent { principal, u, v } = tangent;
        let change = self.gradient(dx);
        // The columns of δF V: within the axes U, and out of them.
        let mut out_of_axes = [Vector::<f64, D>::zero(); K];
        let mut m = Matrix::<f64, K>::zero();
        for j in 0..K {
            let mut column = Vector::zero();
            for k in 0..K {
                column += change[k] * v[k][j];
            }
            out_of_axes[j] = column;
            for i in 0..K {
                m[i][j] = u[i].dot(column);
            }
            for i in 0..K {
                out_of_axes[j] -= u[i] * m[i][j];
            }
        }
        let mut p = Matrix::<f64, K>::zero();
        for i in 0..K {
            for j in 0..K {
                p[i][i] += principal.diagonal[i][j] * m[j][j];
                if i != j {
                    let at = pair(i, j);
                    p[i][j] = 0.5 * principal.symmetric[at] * (m[i][j] + m[j][i])
                        + 0.5 * principal.skew[at] * (m[i][j] - m[j][i]);
                }
            }
        }
        let mut P = [Vector::zero(); K];
        for j in 0..K {
            let mut column = Vector::zero();
            for i in 0..K {
                column += u[i] * p[i][j];
            }
            if K < D {
                column += out_of_axes[j] * principal.across[j];
            }
            for k in 0..K {
                P[k] += column * v[k][j];
            }
        }
        self.vertex_gradients(&P)
    }

    fn set_inverse_masses(&mut self, inverse_masses: [f64; N]) {
        let mut sum = Matrix::<f64, K>::zero();
        for (vertex, inverse_mass) in inverse_masses.into_iter().enumerate() {
            let slope = self.slope(vertex);
            sum += slope.outer(slope) * inverse_mass;
        }
        self.slope_per_mass = symmetric_eigen(&sum).values[0];
    }
}

#[cfg(test)]
mod tests {
    use super::super::bend::Bend;
    use super::super::hinge::Hinge;
    use super::super::spring::Spring;
    use super::*;

    /// Numbers between −1 and 1 without order.
    fn number(k: usize) -> f64 {
        2.0 * (0.618_033_988_7 * (k * k + 3 * k + 1) as f64).fract() - 1.0
    }

    fn positions<const D: usize, const N: usize>(seed: usize, size: f64) -> [Vector<f64, D>; N] {
        let mut x = [Vector::zero(); N];
        for p in 0..N {
            for a in 0..D {
                x[p][a] = size * number(101 * seed + 7 * p + a);
            }
        }
        x
    }

    /// Gradient and tangent against central differences; forces and torques against zero; the
    /// projected tangent against being negative.
    fn check<E: Element<D, N>, const D: usize, const N: usize>(
        element: &E,
        x: &[Vector<f64, D>; N],
        has_exact_tangent: bool,
    ) {
        let at = element.response(x);
        let scale = at.gradient.iter().map(|g| g.norm()).fold(1e-3, f64::max);
        let step = 1e-6;
        for p in 0..N {
            for a in 0..D {
                let moved = |by: f64| {
                    let mut x = *x;
                    x[p][a] += by;
                    x
                };
                let (after, before) = (
                    element.response(&moved(step)),
                    element.response(&moved(-step)),
                );
                let slope = (after.energy - before.energy) / (2.0 * step);
                assert!(
                    (slope - at.gradient[p][a]).abs() < 2e-5 * (scale + at.energy.abs()),
                    "vertex {p} axis {a}: {slope} {}",
                    at.gradient[p][a]
                );
                if has_exact_tangent {
                    let mut dx = [Vector::zero(); N];
                    dx[p][a] = 1.0;
                    let tangent = element.tangent(x, Definiteness::AsIs);
                    let product = element.product(&tangent, &dx);
                    let size = product.iter().map(|g| g.norm()).fold(scale, f64::max);
                    for q in 0..N {
                        let expected = (after.gradient[q] - before.gradient[q]) * (0.5 / step);
                        let error = (expected - product[q]).norm();
                        assert!(error < 2e-4 * size, "{p} {a} {q}: {expected:?} {product:?}");
                    }
                }
            }
        }
        let mut force = Vector::<f64, D>::zero();
        let mut torque = Matrix::<f64, D>::zero();
        for p in 0..N {
            force += at.gradient[p];
            torque += x[p].outer(at.gradient[p]) - at.gradient[p].outer(x[p]);
        }
        assert!(force.norm() < 1e-13 * scale * N as f64, "{force:?}");
        assert!(
            torque.norm_squared().sqrt() < 1e-12 * scale * N as f64,
            "{torque:?}"
        );
        let tangent = element.tangent(x, Definiteness::Projected);
        for seed in 0..20 {
            let dx = positions::<D, N>(seed + 50, 1.0);
            let product = element.product(&tangent, &dx);
            let power: f64 = (0..N).map(|p| dx[p].dot(product[p])).sum();
            let size: f64 = product.iter().map(|g| g.norm()).sum();
            assert!(power >= -1e-10 * size, "{power}");
        }
    }

    fn simplex<const K: usize, const N: usize>(law: ElasticLaw) -> Simplex<K, N> {
        let mut edges = Matrix::<f64, K>::identity();
        edges[0][1] = 0.3;
        edges[K - 1][0] = -0.2;
        let mut vertices = [0; N];
        for (k, vertex) in vertices.iter_mut().enumerate() {
            *vertex = k as u32;
        }
        Simplex::new(vertices, edges, law, Lame::solid(3.0, 0.3)).unwrap()
    }

    const LAWS: [ElasticLaw; 3] = [
        ElasticLaw::FixedCorotated,
        ElasticLaw::StVenantKirchhoff,
        ElasticLaw::NeoHookean,
    ];

    #[test]
    fn derivatives_of_simplices_are_those_of_their_energy_also_inside_out() {
        let mut inverted = 0;
        for law in LAWS {
            for seed in 0..12 {
                let plane = simplex::<2, 3>(law);
                let solid = simplex::<3, 4>(law);
                let can_invert = law != ElasticLaw::NeoHookean;
                let x = positions::<2, 3>(seed, 1.5);
                if can_invert || plane.ratio(&x) > 0.1 {
                    inverted += usize::from(plane.ratio(&x) < 0.0);
                    check(&plane, &x, true);
                }
                let x = positions::<3, 3>(seed, 1.5);
                if can_invert || plane.ratio(&x) > 0.1 {
                    check(&plane, &x, true);
                }
                let x = positions::<3, 4>(seed, 1.5);
                if can_invert || solid.ratio(&x) > 0.1 {
                    inverted += usize::from(solid.ratio(&x) < 0.0);
                    check(&solid, &x, true);
                }
            }
        }
        assert!(inverted > 15, "{inverted}");
    }

    /// Turned and moved, an element is at rest, however skew its edges are; stretched along an axis
    /// it has the energy of that stretch.
    #[test]
    fn elements_are_at_rest_in_their_own_shape() {
        for law in LAWS {
            let solid = simplex::<3, 4>(law);
            let edges = solid.inverse_rest.inverse();
            let (sine, cosine) = 0.7f64.sin_cos();
            let turn = |x: Vector<f64, 3>| {
                Vector([
                    cosine * x[0] - sine * x[1] + 3.0,
                    sine * x[0] + cosine * x[1],
                    x[2] - 1.0,
                ])
            };
            let mut x = [Vector::zero(); 4];
            for j in 0..3 {
                x[j + 1] = edges.column(j);
            }
            let at = Element::<3, 4>::response(&solid, &x.map(turn));
            assert!(at.energy.abs() < 1e-28, "{law:?}: {}", at.energy);
            assert!(at.gradient.iter().all(|g| g.norm() < 1e-14));
            let stretched = x.map(|x| turn(Vector([1.1 * x[0], x[1], x[2]])));
            let energy = Element::<3, 4>::response(&solid, &stretched).energy;
            let expected = law.energy(solid.lame, &Vector([1.1, 1.0, 1.0])) * solid.volume;
            assert!(
                (energy / expected - 1.0).abs() < 1e-12,
                "{law:?}: {energy} {expected}"
            );
        }
    }

    #[test]
    fn a_collapsed_element_has_finite_forces_and_tangents() {
        let solid = simplex::<3, 4>(ElasticLaw::FixedCorotated);
        let plane = simplex::<2, 3>(ElasticLaw::FixedCorotated);
        for definiteness in [Definiteness::AsIs, Definiteness::Projected] {
            let x = [Vector([0.3, 0.1, 0.2]); 4];
            let tangent = solid.tangent(&x, definiteness);
            let product = solid.product(&tangent, &positions::<3, 4>(1, 1.0));
            assert!(product.iter().all(|g| g.norm().is_finite()));
            let x = [Vector([0.3, 0.1, 0.2]); 3];
            let tangent: SimplexTangent<3, 2> = plane.tangent(&x, definiteness);
            let product = plane.product(&tangent, &positions::<3, 3>(1, 1.0));
            assert!(product.iter().all(|g| g.norm().is_finite()));
        }
        let at = solid.response(&[Vector([0.3, 0.1, 0.2]); 4]);
        assert!(at.energy.is_finite() && at.frequency_squared.is_finite());
    }

    #[test]
    fn derivatives_of_springs_hinges_and_bends_are_those_of_their_energy() {
        for seed in 0..10 {
            check(
                &Spring::new([0, 1], 3.0, 0.8),
                &positions::<3, 2>(seed, 1.0),
                true,
            );
            check(
                &Spring::new([0, 1], 3.0, 0.8),
                &positions::<2, 2>(seed, 1.0),
                true,
            );
            let bend = Bend::new([0, 1, 2], 0.7, [0.5, 0.8]);
            check(&bend, &positions::<3, 3>(seed, 1.0), true);
            check(&bend, &positions::<2, 3>(seed, 1.0), true);
            let rest = [
                [0.0, 0.0, 0.0],
                [1.0, 0.0, 0.0],
                [0.3, 1.0, 0.1],
                [0.4, -0.9, 0.2],
            ];
            let hinge = Hinge::new([0, 1, 2, 3], 0.4, rest);
            let mut x = positions::<3, 4>(seed + 3, 0.3);
            for (x, rest) in x.iter_mut().zip(rest) {
                *x += Vector(rest);
            }
            check(&hinge, &x, false);
            assert!(hinge.response(&rest.map(Vector)).energy < 1e-30);
        }
    }

    /// A cylinder of curvature κ of equilateral triangles has the energy ½ B κ² per area, bent
    /// along any of its directions.
    #[test]
    fn hinges_know_the_energy_of_a_cylinder() {
        let (a, kappa, b) = (0.1, 0.05, 2.0);
        let height = 0.75f64.sqrt() * a;
        for turn in [0.0, 0.3, 0.5, 1.1] {
            let bent = |[x, y]: [f64; 2]| {
                let (along, across) = (
                    x * f64::cos(turn) + y * f64::sin(turn),
                    y * f64::cos(turn) - x * f64::sin(turn),
                );
                Vector([
                    (kappa * along).sin() / kappa,
                    across,
                    (1.0 - (kappa * along).cos()) / kappa,
                ])
            };
            // The three hinges of a vertex: two triangles over each edge.
            let p = |i: f64, j: f64| [a * (i + 0.5 * j), height * j];
            let hinges = [
                [p(0.0, 0.0), p(1.0, 0.0), p(0.0, 1.0), p(1.0, -1.0)],
                [p(0.0, 0.0), p(0.0, 1.0), p(-1.0, 1.0), p(1.0, 0.0)],
                [p(0.0, 0.0), p(-1.0, 1.0), p(-1.0, 0.0), p(0.0, 1.0)],
            ];
            let energy: f64 = hinges
                .iter()
                .map(|place| {
                    let hinge = Hinge::new([0, 1, 2, 3], b, place.map(|[x, y]| [x, y, 0.0]));
                    Element::<3, 4>::response(&hinge, &place.map(bent)).energy
                })
                .sum();
            let expected = 0.5 * b * kappa * kappa * a * height;
            assert!(
                (energy / expected - 1.0).abs() < 1e-3,
                "{turn}: {}",
                energy / expected
            );
        }
    }
}
