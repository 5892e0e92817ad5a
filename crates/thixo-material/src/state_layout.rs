//! Layout of a material's state: its columns by name, for readers outside the laws.
//!
//! A state is the strain in one of the forms of [`Strain`], then the history variables that
//! the model names, then the parameters that particles may have of their own.

use thixo_math::Matrix;

use super::{FingerStrain, MAX_STATE, State, StrainAndRotation};
use crate::parameters::{Bound, Range};

/// The form in which a material keeps the elastic strain of a particle: differences from rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strain {
    /// The Finger strain h = b − I, its upper triangle row by row, then the rotation Q of F = L Q
    /// as modified Rodrigues parameters: solids.
    FingerAndRotation,
    /// The elastic Finger strain h = b − I, its upper triangle row by row: plastic matter, whose
    /// rotation is not stored.
    Finger,
    /// h of a relaxing strain, then J − 1: viscoelastic fluids.
    FadingFinger,
    /// J − 1 alone: fluids.
    VolumeRatio,
}

impl Strain {
    /// Number of columns of state that it takes in `D` dimensions.
    pub const fn columns<const D: usize>(self) -> usize {
        match self {
            Self::FingerAndRotation => D * D,
            Self::Finger => D * (D + 1) / 2,
            Self::FadingFinger => D * (D + 1) / 2 + 1,
            Self::VolumeRatio => 1,
        }
    }

    /// Number of those columns without the rotation.
    pub const fn strain_columns<const D: usize>(self) -> usize {
        match self {
            Self::FingerAndRotation => D * (D + 1) / 2,
            _ => self.columns::<D>(),
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
    /// The values that a history variable may start with.
    pub fn history_range(name: &str) -> Range {
        match name {
            "plastic_volume_ratio" => Range::POSITIVE,
            "plastic_strain" => Range::NOT_NEGATIVE,
            _ => Range {
                least: Bound::Excluded(f64::NEG_INFINITY),
                most: Bound::Excluded(f64::INFINITY),
                words: "finite",
            },
        }
    }
    /// Deformation gradient F = L Q \[–\] of a state; none where the rotation is not stored.
    pub fn deformation_gradient<const D: usize>(&self, state: &[f64]) -> Option<Matrix<f64, D>> {
        if self.strain != Strain::FingerAndRotation {
            return None;
        }
        let columns = self.strain_columns::<D>(state)?;
        Some(StrainAndRotation::load(&columns).deformation_gradient())
    }

    /// Elastic left Cauchy-Green tensor b = F Fᵀ = I + h \[–\] of a state; none where only the
    /// volume is known.
    pub fn left_cauchy_green<const D: usize>(&self, state: &[f64]) -> Option<Matrix<f64, D>> {
        match self.strain {
            Strain::FingerAndRotation | Strain::Finger | Strain::FadingFinger => {
                let columns = self.strain_columns::<D>(state)?;
                Some(FingerStrain::load(&columns).left_cauchy_green())
            }
            Strain::VolumeRatio => None,
        }
    }

    /// The columns of the strain; none where the state has fewer.
    fn strain_columns<const D: usize>(&self, state: &[f64]) -> Option<[f64; MAX_STATE]> {
        let count = self.strain.columns::<D>();
        let mut columns = [0.0; MAX_STATE];
        columns[..count].copy_from_slice(state.get(..count)?);
        Some(columns)
    }

    /// Replaces the strain of a state by that of matter of volume ratio J without shear, F =
    /// J^{1/d} I.
    pub fn clear_shear<const D: usize>(&self, state: &mut [f64], volume_ratio: f64) {
        let tensor = match self.strain {
            Strain::FingerAndRotation | Strain::Finger => self.strain.columns::<D>(),
            Strain::FadingFinger => D * (D + 1) / 2,
            Strain::VolumeRatio => return,
        };
        state[..tensor].fill(0.0);
        let growth = volume_ratio.powf(2.0 / D as f64) - 1.0;
        let mut diagonal = 0;
        for i in 0..D {
            state[diagonal] = growth;
            diagonal += D - i;
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
            strain: Strain::FingerAndRotation,
            history: &[],
        };
        let f = Matrix([[1.0, 0.5], [0.0, 2.0]]);
        let mut state = [0.0; MAX_STATE];
        StrainAndRotation::from_deformation(&f).store(&mut state);
        let reported = layout.deformation_gradient::<2>(&state).unwrap();
        assert!((reported - f).norm_squared() < 1e-28, "{reported:?}");
        let b = Matrix([[1.25, 1.0], [1.0, 4.0]]);
        assert_eq!(layout.left_cauchy_green::<2>(&state), Some(b));
        assert_eq!(layout.history::<2>(&state, "plastic_strain"), None);
        assert_eq!(layout.deformation_gradient::<2>(&state[..3]), None);
    }

    #[test]
    fn matter_without_shear_has_its_volume() {
        fn check<const D: usize>() {
            for strain in [Strain::FingerAndRotation, Strain::Finger] {
                let history = &["first"];
                let layout = StateLayout { strain, history };
                let mut state = vec![0.3; strain.columns::<D>() + 1];
                layout.clear_shear::<D>(&mut state, 1.331);
                let b = layout.left_cauchy_green::<D>(&state).unwrap();
                let expected = Matrix::<f64, D>::identity() * 1.331_f64.powf(2.0 / D as f64);
                assert!((b - expected).norm_squared() < 1e-28, "{b:?}");
                assert_eq!(layout.history::<D>(&state, "first"), Some(0.3));
                if let Some(f) = layout.deformation_gradient::<D>(&state) {
                    assert!((f.determinant() - 1.331).abs() < 1e-12);
                    assert!((f - f.transpose()).norm_squared() < 1e-28);
                }
            }
        }
        check::<2>();
        check::<3>();
    }

    #[test]
    fn history_follows_the_strain() {
        let layout = StateLayout {
            strain: Strain::Finger,
            history: &["first", "second"],
        };
        let state = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        assert_eq!(layout.deformation_gradient::<3>(&state), None);
        let b = Matrix([[2.0, 2.0, 3.0], [2.0, 5.0, 5.0], [3.0, 5.0, 7.0]]);
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
        assert_eq!(layout.left_cauchy_green::<2>(&[-0.1]), None);
        assert_eq!(layout.deformation_gradient::<2>(&[-0.1]), None);
    }
}
