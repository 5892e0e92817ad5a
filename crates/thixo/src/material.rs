//! Deformation, return mapping and stress, equations (11)–(13): the laws of `thixo-material`, and
//! the columns that they store.

use std::borrow::Cow;

pub use thixo_material::*;
use thixo_par::Scalar;

use crate::particles::Shape;

/// The columns that a law stores, in their order: strain, history, and parameters that particles
/// have of their own.
pub(crate) fn law_columns<T: Scalar, const D: usize>(
    law: &dyn Material<T, D>,
) -> Vec<(Cow<'static, str>, Shape)> {
    let StateLayout { strain, history } = law.state_layout();
    let named = |name: &'static str, shape| (Cow::Borrowed(name), shape);
    let mut columns = match strain {
        Strain::DeformationGradient => vec![named("deformation_gradient", Shape::Matrix)],
        Strain::LeftCauchyGreen => vec![named("left_cauchy_green", Shape::SymmetricMatrix)],
        Strain::FadingLeftCauchyGreen => vec![
            named("left_cauchy_green", Shape::SymmetricMatrix),
            named("volume_ratio", Shape::Scalar),
        ],
        Strain::VolumeRatio => vec![named("volume_ratio", Shape::Scalar)],
    };
    columns.extend(history.iter().map(|name| named(name, Shape::Scalar)));
    let own = law.own_parameters().iter();
    columns.extend(own.map(|name| (Cow::Owned(format!("parameter {name}")), Shape::Scalar)));
    columns
}
