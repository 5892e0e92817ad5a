//! Layout of a material's state: its columns by name, for readers outside the laws.
//!
//! A state is the strain in one of the forms of [`Strain`], then the history variables that
//! the model names, then the parameters that particles may have of their own.

use thixo_math::Matrix;

/// The form in which a material keeps the elastic strain of a particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strain {
    /// The deformation gradient F, row by row: solids.
    DeformationGradient,
    /// The elastic left Cauchy-Green tensor b = F Fᵀ, its upper triangle row by row:
    /// plastic matter, whose rotation is not stored.
    LeftCauchyGreen,
    /// b of a relaxing strain, then the volume ratio J: viscoelastic fluids.
    FadingLeftCauchyGreen,
    /// The volume ratio J alone: fluids.
    VolumeRatio,
}

impl Strain {
    /// Number of columns of state that it takes in `D` dimensions.
    pub const fn columns<const D: usize>(self) -> usize {
        match self {
            Self::DeformationGradient => D * D,
            Self::LeftCauchyGreen => D * (D + 1) / 2,
            Self::FadingLeftCauchyGreen => D * (D + 1) / 2 + 1,
            Self::VolumeRatio => 1,
        }
    }
}

/// State variables of a material's particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateLayout {
    /// Form of the strain.
    pub strain: Strain,
    /// Names of the history variables that follow, such as a plastic strain; none for
    /// elastic matter.
    pub history: &'static [&'static str],
}

impl StateLayout {
    /// Deformation gradient F \[–\] of a state; none where the rotation is not stored.
    pub fn deformation_gradient<const D: usize>(&self, state: &[f64]) -> Option<Matrix<f64, D>> {
        if self.strain != Strain::DeformationGradient {
            return None;
        }
        let mut f = Matrix::zero();
        for i in 0..D {
            for j in 0..D {
                f[i][j] = *state.get(i * D + j)?;
            }
        }
        Some(f)
    }

    /// Elastic left Cauchy-Green tensor b = F Fᵀ \[–\] of a state; none where only the
    /// volume is known.
    pub fn left_cauchy_green<const D: usize>(&self, state: &[f64]) -> Option<Matrix<f64, D>> {
        match self.strain {
            Strain::DeformationGradient => {
                let f = self.deformation_gradient::<D>(state)?;
                Some(f.times_own_transpose())
            }
            Strain::LeftCauchyGreen | Strain::FadingLeftCauchyGreen => {
                let mut b = Matrix::zero();
                let mut columns = state.iter();
                for i in 0..D {
                    for j in i..D {
                        b[i][j] = *columns.next()?;
                        b[j][i] = b[i][j];
                    }
                }
                Some(b)
            }
            Strain::VolumeRatio => None,
        }
    }

    /// The history variable of that name; none where the material has no such variable.
    pub fn history<const D: usize>(&self, state: &[f64], name: &str) -> Option<f64> {
        let place = self.history.iter().position(|known| *known == name)?;
        state.get(self.strain.columns::<D>() + place).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solid_has_a_deformation_gradient_and_its_square() {
        let layout = StateLayout {
            strain: Strain::DeformationGradient,
            history: &[],
        };
        let state = [1.0, 0.5, 0.0, 2.0];
        let f = Matrix([[1.0, 0.5], [0.0, 2.0]]);
        assert_eq!(layout.deformation_gradient::<2>(&state), Some(f));
        let b = Matrix([[1.25, 1.0], [1.0, 4.0]]);
        assert_eq!(layout.left_cauchy_green::<2>(&state), Some(b));
        assert_eq!(layout.history::<2>(&state, "plastic_strain"), None);
    }

    #[test]
    fn history_follows_the_strain() {
        let layout = StateLayout {
            strain: Strain::LeftCauchyGreen,
            history: &["first", "second"],
        };
        let state = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        assert_eq!(layout.deformation_gradient::<3>(&state), None);
        let b = Matrix([[1.0, 2.0, 3.0], [2.0, 4.0, 5.0], [3.0, 5.0, 6.0]]);
        assert_eq!(layout.left_cauchy_green::<3>(&state), Some(b));
        assert_eq!(layout.history::<3>(&state, "second"), Some(8.0));
        assert_eq!(layout.history::<3>(&state, "third"), None);
    }

    #[test]
    fn a_fluid_has_neither() {
        let layout = StateLayout {
            strain: Strain::VolumeRatio,
            history: &[],
        };
        assert_eq!(layout.left_cauchy_green::<2>(&[0.9]), None);
        assert_eq!(layout.deformation_gradient::<2>(&[0.9]), None);
    }
}
