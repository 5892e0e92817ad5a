//! Evaluation of many points at once: instructions over columns of up to 256 values, which stay in
//! the cache.

use super::graph::{Graph, Node};
use super::operation::Operation;

/// Values that an instruction handles at a time.
const CHUNK: usize = 256;

/// Memory of an evaluation, to be used again and again. Every thread needs its own.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Intermediate results, [`CHUNK`] values each.
    registers: Vec<Vec<f64>>,
    /// Constants and inputs that are the same everywhere, repeated.
    uniform: Vec<Vec<f64>>,
}

/// Place of an operand.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Register(usize),
    Constant(usize),
    Variable(usize),
}

#[derive(Clone, Debug)]
struct Instruction {
    operation: Operation,
    operands: [Slot; 3],
    target: usize,
}

/// A graph with its intermediate results in as few registers as the order of its nodes needs.
#[derive(Clone, Debug)]
pub(super) struct Program {
    instructions: Vec<Instruction>,
    constants: Vec<f64>,
    registers: usize,
    result: Slot,
}

impl Program {
    pub(super) fn compile(graph: &Graph) -> Self {
        let nodes = graph.nodes();
        let mut last_use = vec![0; nodes.len()];
        for (k, node) in nodes.iter().enumerate() {
            if let Node::Apply(_, operands) = node {
                operands.iter().for_each(|id| last_use[id.index()] = k);
            }
        }
        let mut program = Self {
            instructions: Vec::new(),
            constants: Vec::new(),
            registers: 0,
            result: Slot::Constant(0),
        };
        let mut slots: Vec<Slot> = Vec::with_capacity(nodes.len());
        let mut free = Vec::new();
        for (k, node) in nodes.iter().enumerate() {
            let slot = match *node {
                Node::Constant(bits) => {
                    program.constants.push(f64::from_bits(bits));
                    Slot::Constant(program.constants.len() - 1)
                }
                Node::Variable(index) => Slot::Variable(index),
                Node::Apply(operation, operands) => {
                    // Taken before those of the operands are given back: no instruction writes what
                    // it reads.
                    let target = free.pop().unwrap_or(program.registers);
                    program.registers = program.registers.max(target + 1);
                    for (at, id) in operands.iter().enumerate() {
                        let repeated = operands[..at].contains(id);
                        if let (Slot::Register(register), false) = (slots[id.index()], repeated)
                            && last_use[id.index()] == k
                        {
                            free.push(register);
                        }
                    }
                    program.instructions.push(Instruction {
                        operation,
                        operands: operands.map(|id| slots[id.index()]),
                        target,
                    });
                    Slot::Register(target)
                }
            };
            slots.push(slot);
            program.result = slot;
        }
        program
    }

    /// Evaluates all points. Columns that are used have the length of `out`, or length 1 if they
    /// are the same for all points.
    pub(super) fn run(&self, columns: &[&[f64]], out: &mut [f64], scratch: &mut Scratch) {
        let width = out.len().min(CHUNK);
        scratch.prepare(self, columns, width);
        for start in (0..out.len()).step_by(CHUNK) {
            let length = CHUNK.min(out.len() - start);
            for instruction in &self.instructions {
                let mut target = std::mem::take(&mut scratch.registers[instruction.target]);
                let operands = instruction.operands.map(|slot| {
                    let whole = scratch.read(self, slot, columns, start);
                    &whole[..length]
                });
                let Instruction { operation, .. } = instruction;
                operation.apply_all(operands, &mut target[..length]);
                scratch.registers[instruction.target] = target;
            }
            let result = scratch.read(self, self.result, columns, start);
            out[start..start + length].copy_from_slice(&result[..length]);
        }
    }
}

impl Scratch {
    /// Makes room for a program and repeats what is the same everywhere: the constants, then the
    /// columns of length 1.
    fn prepare(&mut self, program: &Program, columns: &[&[f64]], width: usize) {
        let widen = |rows: &mut Vec<Vec<f64>>, count: usize| {
            rows.resize_with(rows.len().max(count), Vec::new);
            let short = rows[..count].iter_mut().filter(|row| row.len() < width);
            short.for_each(|row| row.resize(width, 0.0));
        };
        widen(&mut self.registers, program.registers);
        widen(&mut self.uniform, program.constants.len() + columns.len());
        let single = columns.iter().map(|column| match column {
            [value] => *value,
            _ => 0.0,
        });
        let values = program.constants.iter().copied().chain(single);
        for (row, value) in self.uniform.iter_mut().zip(values) {
            row[..width].fill(value);
        }
    }

    fn read<'a>(
        &'a self,
        program: &Program,
        slot: Slot,
        columns: &[&'a [f64]],
        start: usize,
    ) -> &'a [f64] {
        match slot {
            Slot::Register(index) => &self.registers[index],
            Slot::Constant(index) => &self.uniform[index],
            Slot::Variable(index) if columns[index].len() == 1 => {
                &self.uniform[program.constants.len() + index]
            }
            Slot::Variable(index) => &columns[index][start..],
        }
    }
}
