//! Transfers between particles and a staggered grid. \[Jiang2015thesis\] §5.4 with errata E42.
//!
//! Every axis a has a lattice of faces of its own, with its own weights w_aip. A face receives
//! m_ai = Σ w m_p and m_ai v_ai = Σ w m_p (v_pa + c_pa · (x_ai − x_p)), where c_pa is row a of the
//! affine matrix; a particle takes v_pa = Σ w v_ai, and row a of B_p = Σ w v_ai (x_ai − x_p)ᵀ. That
//! is the exchange of a collocated grid row by row, so that all transfers are the same functions of
//! these sums ([`Transfer::take`](super::Transfer::take)), and RPIC, APIC and MLS conserve angular
//! momentum. Equations (30)–(32).

mod gather;
mod increments;
mod scatter;

pub(crate) use gather::gather;
pub(crate) use increments::{gather_apply_scatter, scatter_diagonal};
pub(crate) use scatter::scatter;

use thixo_math::{Lanes, Vector};
use thixo_par::Scalar;

use crate::particles::Layout;

/// Columns of the pressure response of particles: J, compliance, compression.
const RESPONSE: usize = 3;

/// Offsets of a group of particles on a lattice, in nodes from the middle of their block.
#[inline(always)]
fn on_lattice<L: Lanes, const D: usize>(hot: &[L::Scalar], offset: &[f64; D]) -> Vector<L, D>
where
    L::Scalar: Scalar,
{
    let mut x = Vector::zero();
    for a in 0..D {
        x[a] = L::load(&hot[(Layout::<D>::X + a) * L::LANES..]) - L::splat(offset[a]);
    }
    x
}
