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
    // An angle in the plane, an axis and an angle in space.
    let rotation = if D == 2 { Shape::Scalar } else { Shape::Vector };
    let mut columns = match strain {
        Strain::FingerAndRotation => vec![
            named("finger_strain", Shape::SymmetricMatrix),
            named("rotation", rotation),
        ],
        Strain::Finger => vec![named("finger_strain", Shape::SymmetricMatrix)],
        Strain::FadingFinger => vec![
            named("finger_strain", Shape::SymmetricMatrix),
            named("volume_growth", Shape::Scalar),
        ],
        Strain::VolumeRatio => vec![named("volume_growth", Shape::Scalar)],
    };
    columns.extend(history.iter().map(|name| named(name, Shape::Scalar)));
    let own = law.own_parameters().iter();
    columns.extend(own.map(|name| (Cow::Owned(format!("parameter {name}")), Shape::Scalar)));
    columns
}
