//! Methods that set a field, for structs of parameters that will get more fields.

/// Writes methods that return the struct with another value of a field: `with_safety(safety: f64);`
/// sets the field `safety`.
macro_rules! builder {
    (impl $type:ident $(<$D:ident>)? { $($method:ident($field:ident: $value:ty);)* }) => {
        impl $(<const $D: usize>)? $type $(<$D>)? {$(
            #[doc = concat!("The same with another value of `", stringify!($field), "`.")]
            #[must_use]
            pub fn $method(mut self, $field: $value) -> Self {
                self.$field = $field;
                self
            }
        )*}
    };
}
