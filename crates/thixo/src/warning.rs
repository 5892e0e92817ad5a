//! Warnings about setups that can be simulated.

use core::fmt;

/// A setup that can be simulated but may give poor results. The text states the remedy.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// A collider is, or may be, less than two cells thick: the grid cannot resolve it.
    ThinCollider {
        /// Index among the setup's colliders.
        index: usize,
        /// Lower bound of the thickness by the level set \[m\]; zero if unknown.
        thickness: f64,
        /// Grid spacing h \[m\].
        spacing: f64,
    },
    /// A mesh whose edges are too long for other matter not to pass between its vertices.
    CoarseMesh {
        /// Name of the mesh.
        name: String,
        /// Longest edge at rest \[m\].
        longest: f64,
        /// Grid spacing h \[m\].
        spacing: f64,
    },
    /// A mesh with more vertices than the grid can move apart.
    FineMesh {
        /// Name of the mesh.
        name: String,
        /// Mean edge at rest \[m\].
        mean: f64,
        /// Grid spacing h \[m\].
        spacing: f64,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CoarseMesh {
                name,
                longest,
                spacing,
            } => write!(
                f,
                "mesh {name:?} has edges up to {longest:.3e} m, longer than two cells ({:.3e} m): other matter can pass between its vertices. \
                 Divide its edges, or make the grid coarser",
                2.0 * spacing
            ),
            Self::FineMesh {
                name,
                mean,
                spacing,
            } => write!(
                f,
                "mesh {name:?} has edges of {mean:.3e} m on average, shorter than a quarter of a cell ({:.3e} m): they shorten the steps, \
                 and the grid cannot bend or fold it so finely. Make the mesh coarser, or the grid finer",
                0.25 * spacing
            ),
            &Self::ThinCollider {
                index,
                thickness,
                spacing,
            } => {
                write!(f, "collider {index} ")?;
                if thickness > 0.0 {
                    write!(f, "may be as thin as {thickness:.3e} m, ")?;
                } else {
                    write!(f, "is of unknown thickness, perhaps ")?;
                }
                write!(
                    f,
                    "less than two cells ({:.3e} m). Particles will not get through, but the grid sees little of it: matter on its \
                     two sides can feel each other. Make it thicker, the grid finer, or state its thickness if that is more",
                    2.0 * spacing
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_has_numbers_and_a_way_out() {
        let warning = |thickness| Warning::ThinCollider {
            index: 3,
            thickness,
            spacing: 0.1,
        };
        let text = warning(0.03).to_string();
        assert!(text.starts_with(
            "collider 3 may be as thin as 3.000e-2 m, less than two cells (2.000e-1 m)"
        ));
        assert!(text.contains("Make it thicker"));
        assert!(warning(0.0).to_string().contains("unknown thickness"));
    }
}
