//! Reading what `objdump` prints: which functions a program has, and what each of them calls.
//!
//! A call is not always spelled as one. The address of a library function is loaded from a slot of
//! the global offset table, often once, ahead of a loop (`mov slot(%rip),%r14`, then `call *%r14`);
//! the dynamic relocations tell which function a slot belongs to. The linker may turn such a load
//! into the address itself (`lea function(%rip),%r14`).

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

/// Stands for a function whose address is only known at run time.
const THROUGH_A_REGISTER: &str = "(through a register)";

/// One function of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// Number of instructions, padding left out.
    pub instructions: usize,
    /// Number of those that name a 256-bit register.
    pub ymm: usize,
    /// Symbols called, jumped to or whose address is loaded, and how often.
    pub calls: BTreeMap<String, usize>,
}

/// True if there is an `objdump` to run.
pub fn is_installed() -> bool {
    let version = Command::new("objdump").arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}

/// All functions of a program, by symbol.
pub fn functions(binary: &Path) -> Result<BTreeMap<String, Function>> {
    let relocations = Command::new("objdump")
        .arg("-R")
        .arg(binary)
        .output()
        .context("cannot start objdump")?;
    // A program without dynamic relocations is refused by -R and has no slots to look up.
    let slots = slots(&String::from_utf8_lossy(&relocations.stdout));

    let mut child = Command::new("objdump")
        .args(["-d", "--no-show-raw-insn"])
        .arg(binary)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start objdump")?;
    let stdout = child
        .stdout
        .take()
        .context("objdump has no standard output")?;
    let mut disassembly = Disassembly::default();
    for line in BufReader::new(stdout).lines() {
        disassembly.line(&line.context("reading what objdump prints")?);
    }
    let status = child.wait().context("waiting for objdump")?;
    ensure!(
        status.success(),
        "objdump cannot read {}: {status}",
        binary.display()
    );
    Ok(disassembly.finish(&slots))
}

/// The address of a function, as far as an instruction or a slot of the global offset table tells.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    /// By name.
    Symbol(String),
    /// At this address of the program.
    Address(u64),
    /// In the slot at this address.
    Slot(u64),
    /// In a register.
    Register,
}

/// The contents of slots, by their address, from the table that `objdump -R` prints.
fn slots(relocations: &str) -> HashMap<u64, Target> {
    relocations
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let address = hex(words.next()?)?;
            words.next().filter(|kind| kind.starts_with("R_"))?;
            let value = words.next()?;
            let target = match value.strip_prefix("*ABS*+") {
                Some(address) => Target::Address(hex(address)?),
                None => Target::Symbol(plain(value).to_owned()),
            };
            Some((address, target))
        })
        .collect()
}

/// The functions read so far.
#[derive(Default)]
struct Disassembly {
    functions: BTreeMap<String, Function>,
    /// Symbols by address.
    symbols: HashMap<u64, String>,
    /// Function and target, for targets that get their name when all is read.
    unnamed: Vec<(String, Target)>,
    current: Option<String>,
}

impl Disassembly {
    fn line(&mut self, line: &str) {
        if let Some((address, symbol)) = header(line) {
            self.symbols.insert(address, symbol.to_owned());
            self.functions.entry(symbol.to_owned()).or_default();
            self.current = Some(symbol.to_owned());
            return;
        }
        let Some(current) = &self.current else { return };
        let Some(function) = self.functions.get_mut(current) else {
            return;
        };
        // "   163af:<tab>call   *%r14"
        let Some((_, instruction)) = line.split_once(":\t") else {
            return;
        };
        if is_padding(instruction) {
            return;
        }
        function.instructions += 1;
        function.ymm += usize::from(instruction.contains("%ymm"));
        match target(instruction) {
            Some(Target::Symbol(symbol)) if symbol == *current => {}
            Some(Target::Symbol(symbol)) => function.add_call(symbol),
            Some(Target::Register) => function.add_call(THROUGH_A_REGISTER.to_owned()),
            Some(target) => self.unnamed.push((current.clone(), target)),
            None => {}
        }
    }

    fn finish(mut self, slots: &HashMap<u64, Target>) -> BTreeMap<String, Function> {
        for (caller, target) in self.unnamed {
            let held = match &target {
                Target::Slot(address) => slots.get(address),
                other => Some(other),
            };
            let symbol = match held {
                Some(Target::Symbol(symbol)) => Some(symbol),
                Some(Target::Address(address)) => self.symbols.get(address),
                // Not a slot, or not one of a function: constants are loaded in the same way.
                _ => None,
            };
            if let (Some(symbol), Some(caller)) = (symbol, self.functions.get_mut(&caller)) {
                caller.add_call(symbol.clone());
            }
        }
        self.functions
    }
}

impl Function {
    fn add_call(&mut self, symbol: String) {
        *self.calls.entry(symbol).or_default() += 1;
    }
}

/// Address and symbol of a line such as `0000000000016250 <symbol>:`.
fn header(line: &str) -> Option<(u64, &str)> {
    let (address, symbol) = line.strip_suffix(">:")?.split_once(" <")?;
    Some((hex(address)?, symbol))
}

/// True if an instruction only fills the space between functions or loops.
fn is_padding(instruction: &str) -> bool {
    let mut words = instruction.split_whitespace();
    words.next().is_none_or(|word| word == "int3") || instruction.contains("nop")
}

/// The function an instruction calls, jumps to, or loads the address of.
fn target(instruction: &str) -> Option<Target> {
    let (code, comment) = match instruction.split_once('#') {
        Some((code, comment)) => (code, Some(comment)),
        None => (instruction, None),
    };
    let is_prefix =
        |word: &&str| matches!(*word, "addr32" | "bnd" | "data16" | "notrack" | "rex.W");
    let mut words = code.split_whitespace().skip_while(is_prefix);
    let mnemonic = words.next()?;
    let is_call = mnemonic.starts_with("call");
    let is_jump = mnemonic.starts_with("jmp");
    if let Some(comment) = comment {
        // "5bcc8 <_DYNAMIC+0x248>": what an operand relative to the program counter comes to
        let address = hex(comment.split_whitespace().next()?)?;
        return if is_call || is_jump || mnemonic.starts_with("mov") {
            Some(Target::Slot(address))
        } else if mnemonic.starts_with("lea") {
            Some(Target::Address(address))
        } else {
            None
        };
    }
    if !is_call && !is_jump {
        return None;
    }
    if words.next()?.starts_with('*') {
        // A jump through a register is most often a `match`.
        return is_call.then_some(Target::Register);
    }
    // "162c0 <symbol+0x20>"
    let (_, symbol) = code.split_once('<')?;
    let symbol = symbol.trim_end().strip_suffix('>')?;
    Some(Target::Symbol(plain(symbol).to_owned()))
}

/// A symbol without offset, version and `@plt`.
fn plain(symbol: &str) -> &str {
    let symbol = symbol.split_once('@').map_or(symbol, |(symbol, _)| symbol);
    symbol
        .rsplit_once("+0x")
        .map_or(symbol, |(symbol, _)| symbol)
}

fn hex(digits: &str) -> Option<u64> {
    u64::from_str_radix(digits.strip_prefix("0x").unwrap_or(digits), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RELOCATIONS: &str = "
a.out:     file format elf64-x86-64

DYNAMIC RELOCATION RECORDS
OFFSET           TYPE              VALUE
000000000005bcc8 R_X86_64_RELATIVE  *ABS*+0x0000000000058580
000000000005bd10 R_X86_64_GLOB_DAT  sinf@GLIBC_2.2.5
";

    const CODE: &str = "
Disassembly of section .text:

0000000000016380 <hot>:
   16380:\tpush   %r15
   16384:\tmov    0x4597b(%rip),%r14        # 5bd10 <sinf@GLIBC_2.2.5>
   16388:\tvmovups (%rdi),%ymm0
   1638c:\tvaddss -0x10fb8(%rip),%xmm0,%xmm0        # 5bd10 <__abi_tag+0x5128>
   16390:\tcall   16400 <cold>
   16394:\tcall   *%r14
   16398:\tjne    16380 <hot+0x20>
   1639c:\tjmp    16380 <hot+0x4>
   163a0:\tnotrack jmp *%rax
   163a1:\tlea    0x421d9(%rip),%rbx        # 58580 <fmaf>
   163a2:\tint3

0000000000016400 <cold>:
   16400:\tjmp    *0x459f7(%rip)        # 5bcc8 <_DYNAMIC+0x248>
   16406:\tint3

0000000000058580 <fmaf>:
   58580:\tret
   58581:\tnopw   0x0(%rax,%rax,1)
";

    #[test]
    fn calls_are_found_in_all_their_spellings() {
        let mut disassembly = Disassembly::default();
        CODE.lines().for_each(|line| disassembly.line(line));
        let functions = disassembly.finish(&slots(RELOCATIONS));
        let calls = |name: &str| -> Vec<(&str, usize)> {
            functions[name]
                .calls
                .iter()
                .map(|(name, &count)| (name.as_str(), count))
                .collect()
        };
        assert_eq!(
            calls("hot"),
            [
                (THROUGH_A_REGISTER, 1),
                ("cold", 1),
                ("fmaf", 1),
                ("sinf", 1)
            ]
        );
        assert_eq!(calls("cold"), [("fmaf", 1)]);
        assert_eq!(
            (functions["hot"].instructions, functions["hot"].ymm),
            (10, 1)
        );
        assert_eq!(functions["fmaf"].instructions, 1);
    }

    #[test]
    fn symbols_lose_version_and_offset() {
        assert_eq!(plain("fmaf@GLIBC_2.27"), "fmaf");
        assert_eq!(plain("memcpy@plt"), "memcpy");
        assert_eq!(plain("_ZN3foo3barE+0x1c"), "_ZN3foo3barE");
    }

    #[test]
    fn other_assemblers_write_addresses_with_a_prefix() {
        assert_eq!(
            target("callq 0x16250 <helper>"),
            Some(Target::Symbol("helper".to_owned()))
        );
        assert_eq!(
            target("callq *0x10(%rip)        # 0x5bcc8 <x>"),
            Some(Target::Slot(0x5bcc8))
        );
        assert_eq!(target("ret"), None);
    }
}
