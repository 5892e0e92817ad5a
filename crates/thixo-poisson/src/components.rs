//! Connected components of a system, and those among them that are sealed.
//!
//! Cells are connected where a face between them conducts. A component without any s above 0 is
//! sealed: its equations fix x up to a constant, and have a solution only if b sums to zero over it
//! (a closed box cannot be filled above its volume).
//!
//! Cells of a row that are connected along it form a stretch; stretches are united across rows by
//! union-find, which is a few operations for every cell.

use crate::coefficients::Coefficients;
use crate::error::SolveError;
use crate::places::Places;
use crate::system::CellSystem;

/// Cells that are connected by faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component {
    /// Number of cells.
    pub cells: usize,
    /// Index of that cell which comes first in the list of the system.
    pub first: usize,
    /// True if no cell has a diagonal s above 0, so that x is known up to a constant only.
    pub sealed: bool,
}

/// The connected components of a system, in the order of their first cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// Index in `list` of the component of each cell.
    pub of_cell: Vec<u32>,
    /// The components.
    pub list: Vec<Component>,
}

impl Components {
    /// Sum of a right-hand side over each component, in the order of `list` and in that of cells.
    pub fn imbalances(&self, right_hand_side: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.list.len()];
        for (&component, &b) in self.of_cell.iter().zip(right_hand_side) {
            sums[component as usize] += b;
        }
        sums
    }

    /// Takes the means of sealed components out of a vector.
    pub fn center(&self, values: &mut [f64]) {
        let sums = self.imbalances(values);
        for (value, &i) in values.iter_mut().zip(&self.of_cell) {
            let component = &self.list[i as usize];
            if component.sealed {
                *value -= sums[i as usize] / component.cells as f64;
            }
        }
    }
}

/// Finds the connected components of a system.
pub fn components<const D: usize>(system: &CellSystem<D>) -> Result<Components, SolveError> {
    system.check()?;
    let places = Places::new(system)?;
    let coefficients = Coefficients::new(system, &places)?;
    Ok(Stretches::new(&places, &coefficients).components(system, &places))
}

/// Stretches of connected cells along rows, united where faces between rows conduct.
pub(crate) struct Stretches {
    /// Stretch of each place that has a cell.
    of_place: [Vec<u32>; 2],
    /// Parents of union-find.
    parent: Vec<u32>,
    /// True if the united stretches of a root have no s above 0, by root.
    sealed: Vec<bool>,
}

impl Stretches {
    /// The stretches of a system.
    pub fn new<const D: usize>(places: &Places<D>, coefficients: &Coefficients<f64, D>) -> Self {
        let layout = &places.layout;
        let mut of_place = layout.field::<u32>();
        let mut sealed: Vec<bool> = Vec::new();
        for row in &layout.rows {
            let even = row.even();
            for run in &layout.runs[row.runs.start as usize..row.runs.end as usize] {
                let mut connected = false;
                for i in run.first as usize..(run.first + run.pairs) as usize {
                    for color in [even, 1 - even] {
                        if places.cells[color][i] == 0 {
                            connected = false;
                            continue;
                        }
                        if !connected {
                            sealed.push(true);
                        }
                        let stretch = sealed.len() - 1;
                        of_place[color][i] = stretch as u32;
                        sealed[stretch] &= coefficients.diagonal[color][i] == 0.0;
                        connected = coefficients.upper[color][D - 1][i] > 0.0;
                    }
                }
            }
        }
        let mut stretches = Self {
            of_place,
            parent: (0..sealed.len() as u32).collect(),
            sealed,
        };
        stretches.unite_rows(places, coefficients);
        stretches
    }

    /// Unites stretches of neighbouring rows, and of both ends of periodic rows.
    fn unite_rows<const D: usize>(
        &mut self,
        places: &Places<D>,
        coefficients: &Coefficients<f64, D>,
    ) {
        let Self {
            of_place,
            parent,
            sealed,
        } = self;
        for piece in &places.layout.pieces {
            let first = piece.first as usize;
            for (color, a) in (0..2).flat_map(|color| (0..D - 1).map(move |a| (color, a))) {
                let part = first..first + piece.pairs as usize;
                let k = &coefficients.upper[color][a][part.clone()];
                let own = &of_place[color][part];
                let beside = &of_place[1 - color][piece.upper[a] as usize..][..k.len()];
                let mut united = (u32::MAX, u32::MAX);
                for ((&k, &own), &beside) in k.iter().zip(own).zip(beside) {
                    if k > 0.0 && united != (own, beside) {
                        unite(parent, own, beside);
                        united = (own, beside);
                    }
                }
            }
        }
        for wrap in &places.layout.wraps {
            let even = wrap.even as usize;
            let (first, last) = (wrap.first as usize, wrap.last as usize);
            if coefficients.upper[1 - even][D - 1][last] > 0.0 {
                unite(parent, of_place[1 - even][last], of_place[even][first]);
            }
        }
        for stretch in 0..sealed.len() {
            let root = find(parent, stretch as u32) as usize;
            sealed[root] &= sealed[stretch];
        }
    }

    /// True if a component is sealed.
    pub fn any_sealed(&mut self) -> bool {
        let Self { parent, sealed, .. } = self;
        (0..sealed.len()).any(|stretch| sealed[find(parent, stretch as u32) as usize])
    }

    /// The components, in the order of the system's cells.
    pub fn components<const D: usize>(
        mut self,
        system: &CellSystem<D>,
        places: &Places<D>,
    ) -> Components {
        let mut of_cell = vec![0; system.len()];
        places.distribute(system, &self.of_place, &mut of_cell);
        let mut list: Vec<Component> = Vec::new();
        let mut of_root = vec![u32::MAX; self.parent.len()];
        for (c, of_cell) in of_cell.iter_mut().enumerate() {
            let root = find(&mut self.parent, *of_cell) as usize;
            if of_root[root] == u32::MAX {
                of_root[root] = list.len() as u32;
                list.push(Component {
                    cells: 0,
                    first: c,
                    sealed: self.sealed[root],
                });
            }
            *of_cell = of_root[root];
            list[*of_cell as usize].cells += 1;
        }
        Components { of_cell, list }
    }
}

/// The root of the set that an element is in; paths are halved on the way.
fn find(parent: &mut [u32], mut element: u32) -> u32 {
    while parent[element as usize] != element {
        let grandparent = parent[parent[element as usize] as usize];
        parent[element as usize] = grandparent;
        element = grandparent;
    }
    element
}

/// Makes two sets one, under the smaller of their roots.
fn unite(parent: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(parent, a), find(parent, b));
    parent[a.max(b) as usize] = a.min(b);
}
