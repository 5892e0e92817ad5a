//! Coulomb friction of separating contacts.
//!
//! A contact that presses a node with an impulse p keeps it from sliding by an impulse s along the surface, of at most μ p. With p known, s is the gradient of a potential of the
//! velocity u along the surface. E gets a smooth one,
//!
//! φ(u) = −s·u + ½ k u² where |s − k u| ≤ μp, and (μp |s − k u| − ½ (μp)² − ½ s²)/k beyond, so that −∂φ/∂u = s − k u, cut to μp.
//!
//! With s = 0 matter that should stick slides by μp/k at most. From solve to solve s is replaced by −∂φ/∂u, and p by the impulse found, until neither changes: the method of
//! multipliers, in which matter that sticks does not slide at all in the end, whatever k is; equation (23e), \[Simo1992\].

use thixo_math::{Matrix, Vector};
use thixo_par::Scalar;

use super::constraint::{put, vector};
use super::rounds::Misfit;
use crate::grid::Node;

/// k over what a node opposes to changes of its velocity. With more, fewer solves make matter stick, and each takes longer.
const STIFFNESS: f64 = 4.0;
/// Share of the chord's slope that counts as curvature along the way that matter slides, where φ has none: a solve that took friction for constant there would throw whatever comes to
/// rest in the step beyond that, and back again. A third of the iterations are left with it.
const CHORD: f64 = 0.5;

/// How friction acts during a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rubbing {
    /// As an impulse that is known before: for systems that are linear. What a solve shows to be missing is added to the velocities after it.
    Given,
    /// By its potential.
    Found,
}

/// A node that a separating contact may keep from sliding.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rubbed<const D: usize> {
    pub node: usize,
    /// Unit normal of the surface.
    pub normal: Vector<f64, D>,
    /// Velocity of the surface \[m/s\].
    pub solid: Vector<f64, D>,
    /// The largest impulse of friction, μ p \[N s\].
    pub most: f64,
}

impl<const D: usize> Rubbed<D> {
    fn along(&self, x: Vector<f64, D>) -> Vector<f64, D> {
        x - self.normal * x.dot(self.normal)
    }
    /// Velocity along the surface \[m/s\].
    fn slides<T: Scalar>(&self, v: &Node<T>) -> Vector<f64, D> {
        self.along(vector(v) - self.solid)
    }
}

/// A matrix a (1 − n nᵀ − b bᵀ).
#[derive(Clone, Copy, Debug)]
struct Curvature<const D: usize> {
    /// Unit normal n of the surface.
    normal: Vector<f64, D>,
    /// a \[kg\].
    size: f64,
    /// b, along the surface; at most of length 1.
    without: Vector<f64, D>,
}

impl<const D: usize> Curvature<D> {
    fn times(&self, x: Vector<f64, D>) -> Vector<f64, D> {
        let along = x - self.normal * x.dot(self.normal);
        (along - self.without * x.dot(self.without)) * self.size
    }
    fn matrix(&self) -> Matrix<f64, D> {
        let mut matrix = Matrix::zero();
        for a in 0..D {
            let mut axis = Vector::zero();
            axis[a] = 1.0;
            matrix[a] = self.times(axis).0;
        }
        matrix
    }
}

#[derive(Clone, Copy, Debug)]
struct Sliding<const D: usize> {
    at: Rubbed<D>,
    /// s \[N s\].
    push: Vector<f64, D>,
    /// k \[kg\]; zero if s is all there is.
    stiffness: f64,
    /// What the node opposes to changes of its velocity \[kg\].
    inertia: f64,
    /// ∂²φ/∂u² of the last linearization.
    curvature: Curvature<D>,
}

impl<const D: usize> Sliding<D> {
    /// Without friction as yet.
    fn unknown(at: Rubbed<D>, inertia: f64) -> Self {
        Self {
            at: Rubbed { most: 0.0, ..at },
            push: Vector::zero(),
            stiffness: 0.0,
            inertia,
            curvature: Curvature {
                normal: at.normal,
                size: 0.0,
                without: Vector::zero(),
            },
        }
    }
    /// Goes on from a solve; returns by how much the impulse was wrong in it \[N s\].
    fn revise<T: Scalar>(&mut self, rubbing: Rubbing, at: Rubbed<D>, v: &mut Node<T>) -> f64 {
        let u = at.slides(v);
        let acted = self.impulse(u);
        self.at = at;
        match rubbing {
            Rubbing::Given => {
                self.push = limited(self.push - u * self.inertia, at.most);
                let missing = self.push - acted;
                if self.inertia > 0.0 {
                    let slowed = vector(v) + missing * (1.0 / self.inertia);
                    put(v, slowed);
                }
                missing.norm()
            }
            Rubbing::Found => {
                let sticks = self.wanted(u).norm() < at.most;
                self.push = self.impulse(u);
                self.stiffness = STIFFNESS * self.inertia;
                let to_stop = if sticks { self.inertia * u.norm() } else { 0.0 };
                (self.push - acted).norm() + to_stop
            }
        }
    }
    /// s − k u.
    fn wanted(&self, u: Vector<f64, D>) -> Vector<f64, D> {
        self.push - u * self.stiffness
    }
    /// −∂φ/∂u \[N s\].
    fn impulse(&self, u: Vector<f64, D>) -> Vector<f64, D> {
        limited(self.wanted(u), self.at.most)
    }
    /// φ \[J\].
    fn energy(&self, u: Vector<f64, D>) -> f64 {
        let (size, most, k) = (self.wanted(u).norm(), self.at.most, self.stiffness);
        if size <= most || k == 0.0 {
            0.5 * k * u.norm_squared() - self.push.dot(u)
        } else {
            (most * size - 0.5 * most * most - 0.5 * self.push.norm_squared()) / k
        }
    }
    /// ∂²φ/∂u², with a share of the chord's slope along the way that it slides.
    fn curvature(&self, u: Vector<f64, D>, chord: f64) -> Curvature<D> {
        let wanted = self.wanted(u);
        let (size, most) = (wanted.norm(), self.at.most);
        let (slope, without) = if most == 0.0 {
            (0.0, Vector::zero())
        } else if size <= most {
            (self.stiffness, Vector::zero())
        } else {
            let without = wanted * ((1.0 - chord).sqrt() / size);
            (self.stiffness * most / size, without)
        };
        Curvature {
            normal: self.at.normal,
            size: slope,
            without,
        }
    }
}

/// The friction of all contacts.
#[derive(Clone, Debug, Default)]
pub(super) struct Friction<const D: usize>(Vec<Sliding<D>>);

impl<const D: usize> Friction<D> {
    /// Goes on from a solve that ended with velocities `v` and contacts that allow `now`, in the same order each time. `inertia` is what a node opposes to changes of its velocity
    /// \[kg\], asked for only once. Returns how much of the friction was wrong, out of what the contacts allow.
    pub fn revise<T: Scalar>(
        &mut self,
        rubbing: Rubbing,
        now: impl Iterator<Item = Rubbed<D>>,
        v: &mut [Node<T>],
        inertia: impl Fn(usize) -> f64,
    ) -> Misfit {
        let is_fresh = self.0.is_empty();
        let mut misfit = Misfit::default();
        for (k, at) in now.enumerate() {
            if is_fresh {
                self.0.push(Sliding::unknown(at, inertia(at.node)));
            }
            let node = at.node;
            misfit.note(self.0[k].revise(rubbing, at, &mut v[node]), node);
            misfit.whole += at.most;
        }
        misfit
    }
    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }
    /// Σ φ \[J\].
    pub fn energy<T: Scalar>(&self, v: &[Node<T>]) -> f64 {
        let energies = self.0.iter().map(|s| s.energy(s.at.slides(&v[s.at.node])));
        energies.sum()
    }
    /// Adds ∂φ/∂v \[N s\] at velocities, times a factor.
    pub fn add_gradient<T: Scalar>(
        &self,
        v: impl Fn(usize) -> Node<T>,
        factor: f64,
        gradient: &mut [Node<T>],
    ) {
        for sliding in &self.0 {
            let node = sliding.at.node;
            let impulse = sliding.impulse(sliding.at.slides(&v(node)));
            let sum = vector(&gradient[node]) - impulse * factor;
            put(&mut gradient[node], sum);
        }
    }
    /// φ(v − d) − φ(v) + d · ∂φ/∂v \[J\], for changes d of the velocities of nodes.
    pub fn beyond_slope<T: Scalar>(
        &self,
        v: &[Node<T>],
        d: impl Fn(usize) -> Vector<f64, D>,
    ) -> f64 {
        let beyond = |sliding: &Sliding<D>| {
            let node = sliding.at.node;
            let (u, d) = (sliding.at.slides(&v[node]), sliding.at.along(d(node)));
            sliding.energy(u - d) - sliding.energy(u) - d.dot(sliding.impulse(u))
        };
        self.0.iter().map(beyond).sum()
    }
    /// Hands over by how much ∂φ/∂v differs at v − d, by node \[N s\].
    pub fn for_each_change<T: Scalar>(
        &self,
        v: &[Node<T>],
        d: impl Fn(usize) -> Vector<f64, D>,
        mut take: impl FnMut(usize, Vector<f64, D>),
    ) {
        for sliding in &self.0 {
            let node = sliding.at.node;
            let (u, d) = (sliding.at.slides(&v[node]), sliding.at.along(d(node)));
            take(node, sliding.impulse(u) - sliding.impulse(u - d));
        }
    }
    /// Second derivatives at v − d, by node \[kg\], with a share of the slope of chords along the way that matter slides.
    pub fn curvatures<T: Scalar>(
        &self,
        v: &[Node<T>],
        d: impl Fn(usize) -> Vector<f64, D>,
        chord: f64,
    ) -> impl Iterator<Item = (usize, Matrix<f64, D>)> {
        self.0.iter().filter_map(move |sliding| {
            let node = sliding.at.node;
            let u = sliding.at.slides(&v[node]) - sliding.at.along(d(node));
            let curvature = sliding.curvature(u, chord);
            (curvature.size > 0.0).then(|| (node, curvature.matrix()))
        })
    }
    /// Keeps the second derivatives at velocities for products to come.
    pub fn linearize<T: Scalar>(&mut self, v: &[Node<T>]) {
        for sliding in &mut self.0 {
            let u = sliding.at.slides(&v[sliding.at.node]);
            sliding.curvature = sliding.curvature(u, CHORD);
        }
    }
    /// The second derivatives that are kept, by node \[kg\].
    pub fn kept(&self) -> impl Iterator<Item = (usize, Matrix<f64, D>)> {
        let bends = self.0.iter().filter(|sliding| sliding.curvature.size > 0.0);
        bends.map(|sliding| (sliding.at.node, sliding.curvature.matrix()))
    }
    /// out ← out + ∂²φ/∂v² x; returns x · ∂²φ/∂v² x.
    pub fn add_product<T: Scalar>(&self, x: &[Node<T>], out: &mut [Node<T>]) -> f64 {
        let mut product = 0.0;
        for sliding in &self.0 {
            let node = sliding.at.node;
            let own = vector(&x[node]);
            let bent = sliding.curvature.times(own);
            product += own.dot(bent);
            let sum = vector(&out[node]) + bent;
            put(&mut out[node], sum);
        }
        product
    }
    /// Adds the diagonal of ∂²φ/∂v² \[kg\].
    pub fn add_diagonal<T: Scalar>(&self, diagonal: &mut [Node<T>]) {
        for (node, curvature) in self.kept() {
            for a in 0..D {
                diagonal[node][a] += T::from_f64(curvature[a][a]);
            }
        }
    }
}

/// An impulse, at most as large as a limit.
fn limited<const D: usize>(impulse: Vector<f64, D>, most: f64) -> Vector<f64, D> {
    let size = impulse.norm();
    if size <= most {
        impulse
    } else {
        impulse * (most / size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a slope of 45° that moves, with friction that pushes already.
    fn sliding() -> Sliding<3> {
        let half = 0.5f64.sqrt();
        let at = Rubbed {
            node: 0,
            normal: Vector([half, half, 0.0]),
            solid: Vector([1.0, 0.0, 0.5]),
            most: 2.0,
        };
        Sliding {
            at,
            push: at.along(Vector([0.5, -0.2, 0.3])),
            stiffness: 5.0,
            ..Sliding::unknown(at, 1.25)
        }
    }

    #[test]
    fn the_impulse_is_the_slope_of_the_energy_and_never_too_large() {
        let sliding = sliding();
        let step = 1e-6;
        let mut sticks = 0;
        for k in 0..40 {
            let angle = 0.7 * f64::from(k);
            let along = Vector([angle.sin(), -angle.sin(), angle.cos()]);
            let u = along * (0.03 * f64::from(k));
            let impulse = sliding.impulse(u);
            assert!(impulse.norm() <= sliding.at.most * (1.0 + 1e-12));
            sticks += i32::from(sliding.wanted(u).norm() <= sliding.at.most);
            for d in [Vector([1.0, -1.0, 0.0]), Vector([0.0, 0.0, 1.0])] {
                let slope = (sliding.energy(u + d * step) - sliding.energy(u - d * step)) / step;
                assert!((0.5 * slope + impulse.dot(d)).abs() < 1e-8, "{k}: {slope}");
            }
        }
        assert!((5..35).contains(&sticks), "both ways: {sticks}");
    }

    #[test]
    fn curvature_is_that_of_the_energy_and_no_less_in_solves() {
        let sliding = sliding();
        let step = 1e-6;
        for size in [0.05, 2.0] {
            let u = Vector([size, -size, 0.3 * size]);
            let (exact, solved) = (sliding.curvature(u, 0.0), sliding.curvature(u, CHORD));
            for d in [Vector([1.0, -1.0, 0.0]), Vector([0.0, 0.0, 1.0])] {
                let change = sliding.impulse(u - d * step) - sliding.impulse(u + d * step);
                let change = change * (0.5 / step);
                assert!((exact.times(d) - change).norm() < 1e-6, "{change:?}");
                assert!((exact.matrix() * d - change).norm() < 1e-6);
                assert!(solved.times(d).dot(d) >= exact.times(d).dot(d));
            }
            assert!(exact.times(sliding.at.normal).norm() < 1e-12);
        }
        // A contact that does not press has none, at rest either.
        let mut loose = Sliding::unknown(sliding.at, 1.0);
        loose.stiffness = 4.0;
        assert_eq!(loose.curvature(Vector::zero(), CHORD).size, 0.0);
    }

    /// A node of 2 kg that would slide at 3 m/s: rounds of minima find what stops it, or what slows it.
    #[test]
    fn rounds_stop_a_node_or_slow_it_as_much_as_the_contact_allows() {
        for (most, expected) in [(10.0, 0.0f64), (4.0, 1.0)] {
            let at = Rubbed {
                node: 0,
                normal: Vector([0.0, 1.0]),
                solid: Vector([0.5, 0.0]),
                most,
            };
            let mut friction = Friction::default();
            let mut v = [[3.5f64, 0.0, 0.0, 0.0]];
            let mut misfit = Misfit::default();
            for _ in 0..6 {
                misfit = friction.revise(Rubbing::Found, [at].into_iter(), &mut v, |_| 2.0);
                // The minimum of ½ 2 (v − 3.5)² + φ, by bisection of its slope.
                let (mut low, mut high) = (-10.0, 10.0);
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    v[0][0] = middle;
                    let mut slope = [[2.0 * (middle - 3.5), 0.0, 0.0, 0.0]];
                    friction.add_gradient(|_| v[0], 1.0, &mut slope);
                    if slope[0][0] > 0.0 {
                        high = middle;
                    } else {
                        low = middle;
                    }
                }
            }
            assert!((v[0][0] - 0.5 - expected).abs() < 1e-3, "{v:?}");
            assert!(misfit.wrong < 1e-2 * misfit.whole, "{misfit:?}");
        }
    }
}
