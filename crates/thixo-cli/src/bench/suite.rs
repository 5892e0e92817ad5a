//! Series of measurements that vary one thing at a time.

use anyhow::Result;
use clap::ValueEnum;

use super::case::{Case, KernelChoice, Order, PathChoice, Row, TransferChoice};
use super::matter::Matter;
use super::scenes::Scene;
use crate::precision::PrecisionChoice;

/// Quantity that a series varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Suite {
    /// Every law, in 2D and 3D; and three of them at once in 2D.
    Materials,
    /// 1, 2, 4 … threads.
    Threads,
    /// A hundred thousand, a million and ten million particles.
    Sizes,
    /// Single and double precision, in one pass and stage by stage.
    Paths,
    /// Linear, quadratic and cubic splines, stage by stage.
    Kernels,
    /// PIC, FLIP, RPIC, APIC and MLS, stage by stage.
    Transfers,
    /// Particles in order and shuffled, one per cell, and far apart.
    Layouts,
    /// Scenes of the gallery by seven transfers, beside a printed table; takes minutes.
    TransfersTable,
}

impl Suite {
    /// The measurements, made from one that says all the rest.
    pub fn cases(self, base: Case) -> Vec<Case> {
        match self {
            Self::Materials => {
                let laws = Matter::value_variants().iter();
                let mut cases: Vec<_> = laws
                    .flat_map(|&material| [3, 2].map(|d| in_dimension(base, d, material)))
                    .collect();
                cases.push(Case {
                    scene: Scene::ThreeSquares,
                    ..in_dimension(base, 2, Matter::Snow)
                });
                cases
            }
            Self::Threads => {
                let most = std::thread::available_parallelism().map_or(1, usize::from);
                let powers = std::iter::successors(Some(1), |n| Some(2 * n));
                let mut counts: Vec<_> = powers.take_while(|&n| n < most).collect();
                counts.push(most);
                let each = counts.into_iter();
                each.map(|threads| Case { threads, ..base }).collect()
            }
            Self::Sizes => {
                let cells = if base.dimension == 2 {
                    [316, 1000, 3162]
                } else {
                    [46, 100, 216]
                };
                cells.map(|cells| Case { cells, ..base }).to_vec()
            }
            Self::Paths => [PrecisionChoice::F32, PrecisionChoice::F64]
                .into_iter()
                .flat_map(|precision| {
                    [PathChoice::Fused, PathChoice::Staged].map(|path| Case {
                        precision,
                        path,
                        ..base
                    })
                })
                .collect(),
            Self::Kernels => [
                KernelChoice::Linear,
                KernelChoice::Quadratic,
                KernelChoice::Cubic,
            ]
            .map(|kernel| Case {
                kernel,
                path: PathChoice::Staged,
                ..base
            })
            .to_vec(),
            Self::Transfers => [
                TransferChoice::Pic,
                TransferChoice::Flip,
                TransferChoice::Rpic,
                TransferChoice::Apic,
                TransferChoice::Mls,
            ]
            .map(|transfer| Case {
                transfer,
                path: PathChoice::Staged,
                ..base
            })
            .to_vec(),
            // Scenes, not cases.
            Self::TransfersTable => Vec::new(),
            Self::Layouts => vec![
                base,
                Case {
                    order: Order::Shuffled,
                    ..base
                },
                Case {
                    per_axis: 1,
                    ..base
                },
                Case {
                    scene: Scene::Dust,
                    cells: 4 * base.cells,
                    per_axis: 1,
                    ..base
                },
            ],
        }
    }

    /// Runs the measurements one after the other and hands each on as it ends.
    pub fn run(self, base: Case, mut each: impl FnMut(&Row)) -> Result<Vec<Row>> {
        let cases = self.cases(base).into_iter();
        cases
            .map(|case| {
                let row = case.measure()?;
                each(&row);
                Ok(row)
            })
            .collect()
    }
}

/// The base with another law and dimension, and about as many particles.
fn in_dimension(base: Case, dimension: u32, material: Matter) -> Case {
    let cells = if dimension == base.dimension {
        base.cells
    } else {
        // A cube of (n/2)³ cells with 8 particles each, or a square of (m/2)² with 4: m² = n³.
        let (n, exponent) = (
            f64::from(base.cells),
            if dimension == 2 { 1.5 } else { 2.0 / 3.0 },
        );
        (2.0 * (0.5 * n.powf(exponent)).round()) as u32
    };
    Case {
        dimension,
        material,
        cells,
        ..base
    }
}
