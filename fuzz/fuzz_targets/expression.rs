//! Any text as a formula: evaluated, and differentiated.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thixo_scene::Expression;

fuzz_target!(|text: &str| {
    if let Ok(formula) = Expression::parse(text, &["x", "y", "z", "t"]) {
        let point = [0.25, -1.5, 3.0, 0.1];
        let _ = formula.evaluate(&point);
        let _ = formula.derivative("t").evaluate(&point);
    }
});
