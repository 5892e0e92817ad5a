//! The pressure of cells and what it does to the velocities of faces, equations (36)–(38).
//!
//! β_c p_c/Δt + Σ_faces (θ Δt/ρh²)(p_c − p_c') = r s_c/Δt − ∇·v*, with the compliance β = 1/κ and
//! the compression s = p/κ of the matter, and p = 0 at the free surface. \[Jiang2015thesis\] eq.
//! (6.18), errata E38; face shares θ after \[Batty2007\], the free surface after \[Gibou2002\].

use rayon::prelude::*;
use thixo_par::Scalar;
use thixo_poisson::{CellSystem, Options, SolveError, Solved, Solver};

use super::free_surface::FilledCells;
use super::options::Projection;
use super::sealed_region::balance;
use super::solid_boundary::{SolidBoundary, add, local_place};
use crate::grid::{
    CELL_COMPLIANCE, CELL_COMPRESSION, CELL_MASS, CELL_VOLUME, FACE_VELOCITY, NeighbourNodes,
    StaggeredGrid,
};
use crate::step_context::StepContext;

/// Share of an error of volume that stiff matter loses in a step in which it moves by some share of
/// a cell. It is an error of particles, not stored energy: to return at once would throw matter
/// about, and to return while nothing moves would push it on and on, since cells see finer patterns
/// than particles can follow.
pub(crate) fn return_rate(cells: f64) -> f64 {
    0.2 * cells.min(0.5)
}

/// Cells without a pressure.
const NONE: u32 = u32::MAX;

/// Everything about a step that the pressure depends on.
#[derive(Clone, Debug)]
pub(crate) struct PressureProblem<'a, const D: usize> {
    /// Grid and time.
    pub step: &'a StepContext<'a, D>,
    /// Neighbours of nodes.
    pub neighbours: &'a NeighbourNodes,
    /// Solids.
    pub boundary: &'a SolidBoundary<D>,
    /// Filled cells and the free surface.
    pub filled: &'a FilledCells,
    /// 1/ρ of every face, by node and axis \[m³/kg\].
    pub specific_volume: &'a [[f64; D]],
    /// Share of an error of volume that stiff matter loses in the step \[–\]; see [`return_rate`].
    pub return_rate: f64,
    /// Cells at solids that do not hold matter and would have to: their closed shares let go.
    pub released: Vec<bool>,
}

/// A pressure that does not exist, or was not found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PressureError {
    /// The solve failed.
    Solve(SolveError),
    /// Incompressible matter fills all there is room for, and is more \[m³\].
    Overfilled { volume: f64, room: f64 },
    /// Solids move into a full region without a free surface \[m³/s\], \[m³\].
    Inflow { rate: f64, room: f64 },
}

impl From<SolveError> for PressureError {
    fn from(error: SolveError) -> Self {
        Self::Solve(error)
    }
}

/// Pressures of a step.
#[derive(Clone, Debug)]
pub(crate) struct Pressure {
    /// Number of each cell among those with a pressure.
    number: Vec<u32>,
    /// Pressure of the numbered cells \[Pa\].
    values: Vec<f64>,
    /// Iterations and residual of the solve.
    pub solved: Solved,
}

impl Pressure {
    /// Pressure of a cell \[Pa\]; none in air and solids.
    #[inline]
    pub fn at(&self, cell: usize) -> Option<f64> {
        match self.number[cell] {
            NONE => None,
            number => Some(self.values[number as usize]),
        }
    }
}

/// A face of a filled cell.
#[derive(Clone, Copy)]
pub(super) struct CellFace {
    /// Index of the face.
    pub face: usize,
    pub axis: usize,
    /// 1 for the upper, −1 for the lower face of the cell.
    pub sign: f64,
    /// The cell on the other side, if a block holds it.
    pub other: Option<usize>,
}

impl<const D: usize> PressureProblem<'_, D> {
    /// The faces of a cell that blocks hold.
    pub(super) fn faces_of(&self, cell: usize) -> impl Iterator<Item = CellFace> + '_ {
        let blocks = &self.step.order.blocks;
        (0..2 * D).filter_map(move |k| {
            let axis = k / 2;
            let above = self.neighbours.above(blocks, cell, axis);
            let (face, other, sign) = match k % 2 {
                0 => (Some(cell), self.neighbours.below(blocks, cell, axis), -1.0),
                _ => (above, above, 1.0),
            };
            face.map(|face| CellFace {
                face,
                axis,
                sign,
                other,
            })
        })
    }
    /// Conductance of an open face, Δt/ρh² \[1/(Pa s)\].
    #[inline]
    fn conductance(&self, face: usize, axis: usize) -> f64 {
        let h = self.step.geometry.spacing();
        self.step.dt * self.specific_volume[face][axis] / (h * h)
    }
    /// Coordinates of a cell.
    pub(super) fn coordinate(&self, cell: usize) -> [i32; D] {
        let blocks = &self.step.order.blocks;
        let count = blocks.nodes_per_block();
        let side = blocks.side();
        add(
            blocks.coordinate(cell / count),
            side,
            local_place::<D>(cell % count, side),
        )
    }

    /// Solves for the pressures that give the velocities of the faces the divergence they need.
    pub fn solve<T: Scalar>(
        &self,
        grid: &StaggeredGrid<T, D>,
        options: &Projection,
    ) -> Result<Pressure, PressureError> {
        let cells: Vec<usize> = (0..grid.cells.values().len())
            .into_par_iter()
            .filter(|&cell| self.filled.is_filled(cell))
            .collect();
        let mut number = vec![NONE; grid.cells.values().len()];
        for (index, &cell) in cells.iter().enumerate() {
            number[cell] = index as u32;
        }
        let rows: Vec<Row<D>> = cells.par_iter().map(|&cell| self.row(cell, grid)).collect();
        let periods = core::array::from_fn(|a| self.step.geometry.cells_in_period(a));
        let system = CellSystem {
            cells: cells.par_iter().map(|&c| self.coordinate(c)).collect(),
            upper: rows.par_iter().map(|row| row.upper).collect(),
            diagonal: rows.par_iter().map(|row| row.diagonal).collect(),
            periods,
        };
        let mut b: Vec<f64> = rows.par_iter().map(|row| row.right_hand_side).collect();
        let mut values = vec![0.0; cells.len()];
        let options = Options {
            tolerance: options.tolerance,
            iterations: options.iterations,
            ..Options::default()
        };
        let mut solver = Solver::new(&system, options)?;
        if let Some(components) = solver.components_if_sealed() {
            balance(self, (&cells, components), &mut b)?;
        }
        let solved = solver.solve(&b, &mut values)?;
        Ok(Pressure {
            number,
            values,
            solved,
        })
    }

    /// The equation of a cell.
    fn row<T: Scalar>(&self, cell: usize, grid: &StaggeredGrid<T, D>) -> Row<D> {
        let (h, dt) = (self.step.geometry.spacing(), self.step.dt);
        let matter = self.matter(cell, grid);
        let mut row = Row {
            upper: [0.0; D],
            diagonal: matter.compliance / dt,
            right_hand_side: matter.compression / dt,
        };
        for of in self.faces_of(cell) {
            let theta = self.boundary.open(of.face, of.axis);
            let v = grid.faces[of.axis].values()[of.face][FACE_VELOCITY].to_f64();
            let k = self.conductance(of.face, of.axis);
            let closed = 1.0 - theta;
            let mut flux = theta * v;
            if closed > 0.0 {
                if self.released[cell] {
                    // A free surface at the solid, half a cell away.
                    flux += closed * v;
                    row.diagonal += 2.0 * closed * k;
                } else {
                    flux += closed * self.boundary.speed(of.face, of.axis);
                }
            }
            row.right_hand_side -= of.sign * flux / h;
            if theta == 0.0 {
                continue;
            }
            match of.other {
                Some(other) if self.filled.is_filled(other) => {
                    if of.sign > 0.0 {
                        row.upper[of.axis] = theta * k;
                    }
                }
                other => row.diagonal += theta * k / self.filled.distance(cell, other),
            }
        }
        row
    }

    /// Pressure of an empty cell in a solid \[Pa\], continued from the filled cells beside it by
    /// the balance of momentum across the closed face, ρ (u − v*)/Δt = −∇p; none without such
    /// cells. The velocities v* must still be on the faces of the grid, in the given slot.
    pub fn in_solid<T: Scalar>(
        &self,
        pressure: &Pressure,
        cell: usize,
        (grid, slot): (&StaggeredGrid<T, D>, usize),
    ) -> Option<f64> {
        let h = self.step.geometry.spacing();
        let (mut sum, mut count) = (0.0, 0.0);
        for of in self.faces_of(cell) {
            let specific = self.specific_volume[of.face][of.axis];
            let Some(p) = of.other.and_then(|other| pressure.at(other)) else {
                continue;
            };
            if specific > 0.0 && self.boundary.open(of.face, of.axis) == 0.0 {
                let v = grid.faces[of.axis].values()[of.face][slot].to_f64();
                let change = self.boundary.speed(of.face, of.axis) - v;
                sum += p + of.sign * h * change / (specific * self.step.dt);
                count += 1.0;
            }
        }
        (count > 0.0).then(|| sum / count)
    }

    /// Mean of a quantity over the filled cells beside a cell; zero without them.
    pub fn beside(&self, cell: usize, quantity: impl Fn(usize) -> f64) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0f64);
        for other in self.faces_of(cell).filter_map(|of| of.other) {
            if self.filled.is_filled(other) {
                sum += quantity(other);
                count += 1.0;
            }
        }
        sum / count.max(1.0)
    }

    /// The velocity of a face after the pressure has acted \[m/s\]; none where neither side has a
    /// pressure, or where the face is closed.
    pub fn velocity(&self, pressure: &Pressure, face: usize, axis: usize, v: f64) -> Option<f64> {
        let h = self.step.geometry.spacing();
        let below = self.neighbours.below(&self.step.order.blocks, face, axis);
        let high = pressure.at(face);
        let low = below.and_then(|cell| pressure.at(cell));
        let is_released = |cell: Option<usize>| cell.is_some_and(|cell| self.released[cell]);
        if self.boundary.open(face, axis) == 0.0 {
            // The free surface of released matter at the solid.
            let difference = match (low, high) {
                (None, Some(high)) if is_released(Some(face)) => 2.0 * high,
                (Some(low), None) if is_released(below) => -2.0 * low,
                _ => return None,
            };
            return Some(v - self.conductance(face, axis) * h * difference);
        }
        let difference = match (low, high) {
            (Some(low), Some(high)) => high - low,
            (None, Some(high)) => high / self.filled.distance(face, below),
            (Some(low), None) => -low / below.map_or(1.0, |b| self.filled.distance(b, Some(face))),
            (None, None) => return None,
        };
        Some(v - self.conductance(face, axis) * h * difference)
    }
}

impl<const D: usize> PressureProblem<'_, D> {
    /// ∇·v of a cell per whole cell \[1/s\], with the velocities on a grid.
    pub fn divergence<T: Scalar>(&self, grid: &StaggeredGrid<T, D>, cell: usize) -> f64 {
        let h = self.step.geometry.spacing();
        let mut flux = 0.0;
        for of in self.faces_of(cell) {
            let theta = self.boundary.open(of.face, of.axis);
            let v = grid.faces[of.axis].values()[of.face][FACE_VELOCITY].to_f64();
            let u = match self.released[cell] {
                true => v,
                false => self.boundary.speed(of.face, of.axis),
            };
            flux += of.sign * (theta * v + (1.0 - theta) * u) / h;
        }
        flux
    }
    /// ∇·v of every filled cell per open volume \[1/s\], and the largest |Δt ∇·v − r s| \[–\] of
    /// cells that no contact was released at. Compressible matter is left out of that: its volume
    /// may change.
    pub fn divergences<T: Scalar>(&self, grid: &StaggeredGrid<T, D>) -> (Vec<f64>, f64) {
        let dt = self.step.dt;
        let found: Vec<(f64, f64)> = (0..grid.cells.values().len())
            .into_par_iter()
            .map(|cell| {
                if !self.filled.is_filled(cell) {
                    return (0.0, 0.0);
                }
                let divergence = self.divergence(grid, cell);
                let open = self.boundary.volume(cell).max(LEAST_OPEN);
                let row = self.matter(cell, grid);
                let is_stiff = row.compliance == 0.0 && !self.released[cell];
                let left = match is_stiff {
                    true => (dt * divergence - row.compression).abs(),
                    false => 0.0,
                };
                (divergence / open, left)
            })
            .collect();
        let left = found.iter().map(|(_, left)| *left).fold(0.0, f64::max);
        (
            found
                .into_iter()
                .map(|(divergence, _)| divergence)
                .collect(),
            left,
        )
    }
    /// Compliance and compression of the matter in a cell, times its open share of volume.
    fn matter<T: Scalar>(&self, cell: usize, grid: &StaggeredGrid<T, D>) -> CellMatter {
        let quad = grid.cells.values()[cell];
        let volume = quad[CELL_VOLUME].to_f64();
        if volume <= 0.0 {
            return CellMatter::default();
        }
        let open = self.boundary.volume(cell);
        let compliance = quad[CELL_COMPLIANCE].to_f64() / volume;
        // Stiffness over inertia of a cell in a step, κΔt²/ρh².
        let h = self.step.geometry.spacing();
        let inertia = compliance * quad[CELL_MASS].to_f64() / volume * (h / self.step.dt).powi(2);
        let rate = match inertia > 0.0 {
            true => (inertia + self.return_rate) / (inertia + 1.0),
            false => self.return_rate,
        };
        CellMatter {
            compliance: open * compliance,
            compression: open * rate * quad[CELL_COMPRESSION].to_f64() / volume,
        }
    }
}

/// Open share of a cell to which its divergence is referred at least.
const LEAST_OPEN: f64 = 0.1;

/// Matter of a cell: β and r s, times its open share.
#[derive(Clone, Copy, Debug, Default)]
struct CellMatter {
    /// \[1/Pa\].
    compliance: f64,
    /// \[–\].
    compression: f64,
}

/// An equation of the system.
struct Row<const D: usize> {
    upper: [f64; D],
    diagonal: f64,
    right_hand_side: f64,
}
