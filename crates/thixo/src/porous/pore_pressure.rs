//! The pressure of a fluid in pores, equations (72) and (73). \[Nilles2020\] eq. (102), (104),
//! (118), errata E20.
//!
//! The volume of a fluid's particles is that of the fluid alone, so that its own stress is −φ_f p
//! in the mixture. Of −∇(φ_f p) the part −p ∇φ_f is no force on the fluid: pores that widen do not
//! push it. The solid feels what the fluid does not.

/// Action of the pressure of a fluid on the solid that it flows through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum PorePressure {
    /// None: phases fill space as though the other were not there, and interact by drag only.
    #[default]
    None,
    /// Fluid and solid share space. The force per volume is −φ_f ∇p on the fluid and −φ_s ∇p on the
    /// solid, whose stress is therefore Terzaghi's effective stress; and the fluid is compressed
    /// where solid and fluid together flow in: J̇/J = (∇·(φ_f v_f) + ∇·(φ_s v_s))/φ_f. One is the
    /// transpose of the other, so that the pressure does no work on both together but that which
    /// compresses the fluid.
    Shared,
    /// Forces +p ∇φ_f on the fluid and −p ∇φ_f on the solid, errata E20; the volume of the fluid
    /// does not know of the solid.
    Exchanged,
    /// The signs as printed in \[Nilles2020\] eq. (102), for comparison.
    Printed,
}
