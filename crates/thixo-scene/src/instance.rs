//! Generic code in a precision and dimension that are known only at run time.

/// Evaluates an expression with the types of a [`Precision`](crate::Precision) and a dimension: in
/// `with_instance!((precision, dimension), |T, D| expression)`, `T` is `f32` or `f64` and `D` is 2
/// or 3. [`Scene::parse`](crate::Scene::parse) refuses other dimensions; here they are taken for 3.
///
/// ```
/// use thixo_scene::{Precise, Scene, SceneError, with_instance};
///
/// fn particles<T: Precise<D>, const D: usize>(scene: &Scene) -> Result<usize, SceneError> {
///     scene.build::<T, D>(1).map(|built| built.simulation.len())
/// }
///
/// fn particles_of_any(scene: &Scene) -> Result<usize, SceneError> {
///     with_instance!((scene.precision, scene.dimension), |T, D| particles::<T, D>(scene))
/// }
/// ```
#[macro_export]
macro_rules! with_instance {
    ($instance:expr, |$T:ident, $D:ident| $body:expr) => {
        match $instance {
            ($crate::Precision::F32, 2) => $crate::with_instance!(@ $T = f32, $D = 2, $body),
            ($crate::Precision::F32, _) => $crate::with_instance!(@ $T = f32, $D = 3, $body),
            ($crate::Precision::F64, 2) => $crate::with_instance!(@ $T = f64, $D = 2, $body),
            ($crate::Precision::F64, _) => $crate::with_instance!(@ $T = f64, $D = 3, $body),
        }
    };
    (@ $T:ident = $scalar:ty, $D:ident = $dimension:literal, $body:expr) => {{
        type $T = $scalar;
        const $D: usize = $dimension;
        $body
    }};
}
