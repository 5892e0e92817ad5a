//! Machine code check: were the hot functions compiled to the vector instructions they were written
//! for?
//!
//! Lane code is fast only while everything it uses is inlined into a function with
//! `#[target_feature]`. One function that stays outside is compiled for the baseline processor,
//! where a lane operation is a call and `mul_add` a library routine: correct results, an order of
//! magnitude later. No test notices; this one reads the code.

mod objdump;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, ensure};

use crate::table;
use crate::workspace::Workspace;
use objdump::Function;

/// Functions to check.
struct Hot {
    /// Found in the demangled path of the function, type parameters left out.
    name: &'static str,
    /// More calls than this, panics left out, are reported: something may not have been inlined.
    calls: usize,
}

const HOT: &[Hot] = &[Hot {
    name: "run_avx2",
    calls: 16,
}];

/// Arguments of `cargo xtask asm`.
#[derive(clap::Args)]
pub struct Options {
    /// Check this program instead of building thixo
    #[arg(long, value_name = "PROGRAM")]
    binary: Option<PathBuf>,
}

/// Disassembles `thixo` and fails when a hot function has fallen back to baseline code.
pub fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode> {
    if !cfg!(target_arch = "x86_64") {
        println!("skipped: the machine code check knows x86-64 only");
        return Ok(ExitCode::SUCCESS);
    }
    if !objdump::is_installed() {
        println!(
            "skipped: the machine code check needs objdump (Debian, Ubuntu, Fedora: package binutils)"
        );
        return Ok(ExitCode::SUCCESS);
    }
    let binary = workspace.thixo(options.binary.as_deref())?;
    let program = Program {
        functions: objdump::functions(&binary)?,
    };
    let checks = program.check();
    ensure!(
        !checks.is_empty(),
        "no function of {} is called {}: either the program has lost its symbols or the list in xtask/src/asm.rs is out of date",
        binary.display(),
        HOT.iter()
            .map(|hot| hot.name)
            .collect::<Vec<_>>()
            .join(" or "),
    );
    Ok(report(&binary, &checks))
}

/// Prints the table and the findings under it.
fn report(binary: &Path, checks: &[Check]) -> ExitCode {
    println!("hot functions of {}", binary.display());
    let header = [
        "verdict",
        "instructions",
        "with ymm",
        "fma calls",
        "intrinsic calls",
        "other calls",
        "<function",
    ];
    let rows: Vec<_> = checks
        .iter()
        .map(|check| {
            [
                check.verdict().to_owned(),
                check.instructions.to_string(),
                check.ymm.to_string(),
                count(&check.fma).to_string(),
                count(&check.intrinsics).to_string(),
                count(&check.other).to_string(),
                check.name.clone(),
            ]
        })
        .collect();
    print!("{}", table::render(header, &rows));
    for check in checks {
        for finding in check.failures() {
            println!("FAIL: {}: {finding}", check.name);
        }
        if let Some(finding) = check.warning() {
            println!("warning: {}: {finding}", check.name);
        }
    }
    let failed = checks
        .iter()
        .filter(|check| !check.failures().is_empty())
        .count();
    println!(
        "{} hot functions, {failed} of them not as they should be",
        checks.len()
    );
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Functions called and how often.
type Calls = BTreeMap<String, usize>;

fn count(calls: &Calls) -> usize {
    calls.values().sum()
}

/// The findings in one hot function.
#[derive(Debug, Default)]
struct Check {
    name: String,
    instructions: usize,
    ymm: usize,
    /// Library fused multiply-adds, here or in a function called from here.
    fma: Calls,
    /// `core::arch` functions that were not inlined, here or in a function called from here.
    intrinsics: Calls,
    /// All else it calls itself, panics left out.
    other: Calls,
    calls_allowed: usize,
}

impl Check {
    fn failures(&self) -> Vec<String> {
        let mut failures = Vec::new();
        if self.ymm == 0 {
            failures.push("no instruction uses a 256-bit register".to_owned());
        }
        if !self.fma.is_empty() {
            failures.push(format!("library fused multiply-add: {}", list(&self.fma)));
        }
        if !self.intrinsics.is_empty() {
            failures.push(format!(
                "intrinsics that were not inlined: {}",
                list(&self.intrinsics)
            ));
        }
        failures
    }

    fn warning(&self) -> Option<String> {
        let calls = count(&self.other);
        (calls > self.calls_allowed).then(|| {
            format!(
                "{calls} calls, more than {}: {}",
                self.calls_allowed,
                list(&self.other)
            )
        })
    }

    fn verdict(&self) -> &'static str {
        if !self.failures().is_empty() {
            "FAIL"
        } else if self.warning().is_some() {
            "warn"
        } else {
            "ok"
        }
    }
}

fn list(calls: &Calls) -> String {
    let items: Vec<_> = calls
        .iter()
        .map(|(name, count)| format!("{name} ({count})"))
        .collect();
    items.join(", ")
}

/// A disassembled program.
struct Program {
    /// By symbol.
    functions: BTreeMap<String, Function>,
}

impl Program {
    fn check(&self) -> Vec<Check> {
        let mut checks: Vec<Check> = self
            .functions
            .iter()
            .filter_map(|(symbol, function)| {
                let name = demangled(symbol);
                let path = without_type_parameters(&name);
                let hot = HOT.iter().find(|hot| path.contains(hot.name))?;
                let mut check = Check {
                    name,
                    instructions: function.instructions,
                    ymm: function.ymm,
                    calls_allowed: hot.calls,
                    ..Check::default()
                };
                self.follow(symbol, &mut check);
                Some(check)
            })
            .collect();
        checks.sort_by(|a, b| a.name.cmp(&b.name));
        checks
    }

    /// Classifies what `hot` calls, and looks for fused multiply-adds and intrinsics in the
    /// functions it reaches.
    fn follow(&self, hot: &str, check: &mut Check) {
        let mut seen = BTreeSet::from([hot]);
        let mut pending = vec![hot];
        while let Some(caller) = pending.pop() {
            let Some(function) = self.functions.get(caller) else {
                continue;
            };
            let through = if caller == hot {
                String::new()
            } else {
                format!(" in {}", demangled(caller))
            };
            for (callee, count) in &function.calls {
                let name = demangled(callee);
                let kind = match Callee::of(&name) {
                    Callee::Cold => continue,
                    Callee::Fma => &mut check.fma,
                    Callee::Intrinsic => &mut check.intrinsics,
                    Callee::Other => {
                        if seen.insert(callee) {
                            pending.push(callee);
                        }
                        if caller != hot {
                            continue;
                        }
                        &mut check.other
                    }
                };
                *kind.entry(name + &through).or_default() += count;
            }
        }
    }
}

/// The kind of a function that is called.
#[derive(PartialEq, Eq, Debug)]
enum Callee {
    /// A panic or the end of the program: never on the way.
    Cold,
    /// A fused multiply-add of the C or Rust library.
    Fma,
    /// A `core::arch` function, which should be one instruction.
    Intrinsic,
    Other,
}

impl Callee {
    fn of(name: &str) -> Self {
        let path = without_type_parameters(name);
        let last = path.rsplit("::").next().unwrap_or(&path);
        if matches!(last, "fma" | "fmaf") {
            Self::Fma
        } else if ["_mm_", "_mm256_", "_mm512_"]
            .iter()
            .any(|prefix| last.starts_with(prefix))
        {
            Self::Intrinsic
        } else if is_of_the_standard_library(name)
            && ["panic", "fail", "handle_error", "overflow"]
                .iter()
                .any(|word| path.contains(word))
            || name == "_Unwind_Resume"
        {
            Self::Cold
        } else {
            Self::Other
        }
    }
}

fn is_of_the_standard_library(name: &str) -> bool {
    [
        "core::", "alloc::", "std::", "<core::", "<alloc::", "<std::",
    ]
    .iter()
    .any(|start| name.starts_with(start))
}

/// A symbol as a path, without its hash.
fn demangled(symbol: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(symbol))
}

/// A path with every `::<…>` taken out.
fn without_type_parameters(name: &str) -> String {
    let mut path = String::with_capacity(name.len());
    let mut depth = 0;
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        if depth == 0 && rest.starts_with("::<") {
            depth = 1;
            rest = &rest[3..];
            continue;
        }
        if depth > 0 && rest.starts_with("->") {
            rest = &rest[2..];
            continue;
        }
        match c {
            _ if depth == 0 => path.push(c),
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        rest = &rest[c.len_utf8()..];
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(ymm: usize, calls: &[&str]) -> Function {
        Function {
            instructions: 10,
            ymm,
            calls: calls.iter().map(|&name| (name.to_owned(), 1)).collect(),
        }
    }

    fn check(functions: &[(&str, Function)]) -> Vec<Check> {
        let functions = functions
            .iter()
            .map(|(name, f)| ((*name).to_owned(), f.clone()))
            .collect();
        Program { functions }.check()
    }

    #[test]
    fn type_parameters_do_not_make_a_function_hot() {
        assert_eq!(
            without_type_parameters("a::f::<fn(u8) -> b::C<u8>, 3>::{closure#0}"),
            "a::f::{closure#0}"
        );
        assert_eq!(
            without_type_parameters("<a::B<u8> as c::D>::e::<u8>"),
            "<a::B<u8> as c::D>::e"
        );
        assert!(check(&[("rayon::join::<run_avx2>", function(0, &[]))]).is_empty());
        assert_eq!(
            check(&[("par::run_avx2::<f32>", function(1, &[]))]).len(),
            1
        );
    }

    #[test]
    fn callees_are_told_apart() {
        assert_eq!(Callee::of("fmaf"), Callee::Fma);
        assert_eq!(
            Callee::of("compiler_builtins::math::libm_math::fma"),
            Callee::Fma
        );
        assert_eq!(
            Callee::of("core::core_arch::x86::avx::_mm256_mul_ps"),
            Callee::Intrinsic
        );
        assert_eq!(
            Callee::of("core::core_arch::x86::avx::_mm256_round_ps::<8>"),
            Callee::Intrinsic
        );
        assert_eq!(
            Callee::of("core::panicking::panic_bounds_check"),
            Callee::Cold
        );
        assert_eq!(Callee::of("thixo::failure::report"), Callee::Other);
        assert_eq!(Callee::of("memcpy"), Callee::Other);
    }

    #[test]
    fn a_clean_function_passes() {
        let checks = check(&[(
            "run_avx2",
            function(8, &["core::panicking::panic", "memset"]),
        )]);
        assert_eq!(checks[0].verdict(), "ok");
        assert_eq!(count(&checks[0].other), 1);
    }

    #[test]
    fn baseline_code_fails() {
        assert_eq!(
            check(&[("run_avx2", function(0, &[]))])[0].verdict(),
            "FAIL"
        );
        assert_eq!(
            check(&[("run_avx2", function(8, &["fmaf"]))])[0].verdict(),
            "FAIL"
        );
        assert_eq!(
            check(&[("run_avx2", function(8, &["_mm256_add_ps"]))])[0].verdict(),
            "FAIL"
        );
    }

    #[test]
    fn baseline_code_is_found_behind_a_function_that_was_not_inlined() {
        let checks = check(&[
            ("run_avx2", function(8, &["helper"])),
            ("helper", function(0, &["run_avx2", "deeper"])),
            ("deeper", function(0, &["_mm256_add_ps"])),
        ]);
        assert_eq!(
            checks[0].intrinsics,
            BTreeMap::from([("_mm256_add_ps in deeper".to_owned(), 1)])
        );
        assert_eq!(checks[0].verdict(), "FAIL");
    }

    #[test]
    fn many_calls_are_a_warning() {
        let names: Vec<_> = (0..17).map(|i| format!("f{i}")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        assert_eq!(
            check(&[("run_avx2", function(8, &names))])[0].verdict(),
            "warn"
        );
    }
}
