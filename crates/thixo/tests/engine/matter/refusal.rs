//! Requirements on the messages of all refusals.

/// A message must name the value and say what is allowed.
pub fn reads_well(error: &impl std::fmt::Display) {
    let text = error.to_string();
    assert!(
        text.len() > 20 && !text.contains("{") && !text.ends_with('.'),
        "{text}"
    );
    println!("{text}");
}

/// An error of a variant, with a message that reads well.
macro_rules! refused {
    ($error:expr, $variant:pat) => {{
        let error = $error;
        $crate::matter::refusal::reads_well(&error);
        assert!(matches!(error, $variant), "{error:?}");
    }};
}
