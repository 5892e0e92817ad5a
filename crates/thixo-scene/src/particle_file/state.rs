//! Particles of a file as an object needs them: places, velocities, masses, volumes, strain and
//! history.

use thixo::material::Strain;
use thixo::material::stressed_state::{Given, state_with_history};
use thixo::{Material, Scalar};
use thixo_math::{Matrix, symmetric_eigen};

use super::{ParticleTable, StateSource};

/// Names of the axes in columns.
const AXES: [&str; 3] = ["x", "y", "z"];
/// Largest relative difference of a volume ratio of the file from that of its strain and history:
/// more than the rounding of single precision.
const RATIO_TOLERANCE: f64 = 1e-3;

/// A row that cannot be used: its place and the problem.
pub(crate) type RowProblem = (String, String);

/// The particles of a table.
#[derive(Debug)]
pub(crate) struct FileParticles<'a, const D: usize> {
    table: &'a ParticleTable,
    source: StateSource,
}

/// Strain and history of particles of a file.
#[derive(Debug)]
pub(crate) struct FileStates<const D: usize> {
    pub deformation: Vec<[[f64; D]; D]>,
    pub history: Option<Vec<f64>>,
}

/// History and own parameters of a row, of those of all rows.
fn given<'a, T: Scalar, const D: usize>(
    law: &dyn Material<T, D>,
    (row, rows): (usize, usize),
    history: Option<&'a [f64]>,
    parameters: Option<&'a [f64]>,
) -> Given<'a> {
    let variables = law.state_layout().history.len();
    Given {
        history: history.map(|all| &all[row * variables..][..variables]),
        parameters: parameters.map(|all| {
            let own = all.len() / rows;
            &all[row * own..][..own]
        }),
    }
}

impl<'a, const D: usize> FileParticles<'a, D> {
    pub fn new(table: &'a ParticleTable, source: StateSource) -> Self {
        Self { table, source }
    }

    /// A column whose numbers are all finite; none where the file has none.
    fn finite(&self, name: &str) -> Result<Option<&'a [f64]>, RowProblem> {
        let Some(column) = self.table.column(name) else {
            return Ok(None);
        };
        match column.iter().position(|x| !x.is_finite()) {
            None => Ok(Some(column)),
            Some(row) => Err((
                self.table.place(row),
                format!("{name} is {}; it must be finite", column[row]),
            )),
        }
    }

    /// A column whose numbers are all positive; none where the file has none.
    pub fn positive(&self, name: &str) -> Result<Option<&'a [f64]>, RowProblem> {
        let Some(column) = self.finite(name)? else {
            return Ok(None);
        };
        match column.iter().position(|x| *x <= 0.0) {
            None => Ok(Some(column)),
            Some(row) => Err((
                self.table.place(row),
                format!("{name} is {:?}; it must be positive", column[row]),
            )),
        }
    }

    /// Vectors from columns such as x, y, z; none where none of them is there.
    fn vectors(&self, names: [&str; 3]) -> Result<Option<Vec<[f64; D]>>, RowProblem> {
        if names.iter().all(|name| self.table.column(name).is_none()) {
            return Ok(None);
        }
        let mut out = vec![[0.0; D]; self.table.rows()];
        for (axis, name) in names.into_iter().enumerate() {
            let column = self.finite(name)?;
            match (column, axis < D) {
                (Some(column), true) => {
                    for (vector, x) in out.iter_mut().zip(column) {
                        vector[axis] = *x;
                    }
                }
                (None, true) => {
                    let known = self.table.names().collect::<Vec<_>>().join(", ");
                    let message = format!("there is no column \"{name}\"; there are {known}");
                    return Err(("its columns".to_owned(), message));
                }
                (Some(column), false) => {
                    if let Some(row) = column.iter().position(|x| *x != 0.0) {
                        let value = column[row];
                        let message = format!("{name} is {value:?}; it must be 0 in dimension {D}");
                        return Err((self.table.place(row), message));
                    }
                }
                (None, false) => {}
            }
        }
        Ok(Some(out))
    }

    /// Positions \[m\].
    pub fn positions(&self) -> Result<Vec<[f64; D]>, RowProblem> {
        self.vectors(AXES)?.ok_or_else(|| {
            let known = self.table.names().collect::<Vec<_>>().join(", ");
            let message = format!(
                "there are no columns x, y{}; there are {known}. Name them with columns = {{ x = \"…\" }}",
                if D == 3 { ", z" } else { "" }
            );
            ("its columns".to_owned(), message)
        })
    }

    /// Velocities \[m/s\], where the file has them.
    pub fn velocities(&self) -> Result<Option<Vec<[f64; D]>>, RowProblem> {
        self.vectors(["vx", "vy", "vz"])
    }

    /// A matrix per particle, where the file has it.
    pub fn matrices(&self, name: &str) -> Result<Option<Vec<[[f64; D]; D]>>, RowProblem> {
        let entry = |i: usize, j: usize| format!("{name}_{}{}", AXES[i], AXES[j]);
        let first = self.table.column(&entry(0, 0));
        // Frames have NaN where matter does not keep a quantity.
        if first.is_none_or(|column| column.iter().all(|x| x.is_nan())) {
            return Ok(None);
        }
        let mut out = vec![[[0.0; D]; D]; self.table.rows()];
        for i in 0..D {
            for j in 0..D {
                let Some(column) = self.finite(&entry(i, j))? else {
                    let message = format!("there is {} but no {}", entry(0, 0), entry(i, j));
                    return Err(("its columns".to_owned(), message));
                };
                for (matrix, x) in out.iter_mut().zip(column) {
                    matrix[i][j] = *x;
                }
            }
        }
        Ok(Some(out))
    }

    /// A quantity of the scene's own, where the file has it.
    pub fn carried(&self, name: &str) -> Result<Option<&'a [f64]>, RowProblem> {
        self.finite(name)
    }

    /// Strain and history for a law; none where the file says nothing of them.
    pub fn states<T: Scalar>(
        &self,
        law: &dyn Material<T, D>,
        parameters: Option<&[f64]>,
    ) -> Result<Option<FileStates<D>>, RowProblem> {
        if self.source == StateSource::Rest {
            return Ok(None);
        }
        let rows = self.table.rows();
        let layout = law.state_layout();
        let history = self.history(layout.history)?;
        let ratios = self.positive("j")?;
        let strain = match layout.strain {
            Strain::VolumeRatio => None,
            _ => match self.matrices("deformation")? {
                Some(given) => Some(given),
                None => self.left_stretches()?,
            },
        };
        let no_state = || {
            let message = format!(
                "j is there, but not the strain and history of {} that it comes from; write the frame with \
                 output.columns = [\"deformation\"] (solids) or [\"left_cauchy_green\", \"plastic\"], or say state = \"rest\"",
                law.name()
            );
            ("its columns".to_owned(), message)
        };
        let is_strained =
            ratios.is_some_and(|all| all.iter().any(|j| (j - 1.0).abs() > RATIO_TOLERANCE));
        let deformation = match (layout.strain, strain, ratios) {
            (Strain::VolumeRatio, _, Some(ratios)) => {
                let root = |j: &f64| Matrix::<f64, D>::from_scalar(j.powf(1.0 / D as f64)).0;
                ratios.iter().map(root).collect()
            }
            (Strain::FadingFinger, ..) if is_strained => {
                let message = format!(
                    "strain and volume of {} are kept apart and cannot be taken from a file; say state = \"rest\", or \
                     go on from a checkpoint",
                    law.name()
                );
                return Err(("its columns".to_owned(), message));
            }
            (Strain::FadingFinger, ..) => vec![Matrix::<f64, D>::identity().0; rows],
            (_, Some(strain), _) => strain,
            (_, None, _) if is_strained && history.is_none() => return Err(no_state()),
            (_, None, _) => vec![Matrix::<f64, D>::identity().0; rows],
        };
        if let Some(row) = deformation
            .iter()
            .position(|f| Matrix(*f).determinant() <= 0.0)
        {
            let message = "the determinant of its deformation is not positive".to_owned();
            return Err((self.table.place(row), message));
        }
        // The volume ratio of the file tells whether all of the state was there.
        for (row, f) in deformation.iter().enumerate() {
            let given = given(law, (row, rows), history.as_deref(), parameters);
            let found = law.volume_ratio(&state_with_history(law, &Matrix(*f), given));
            if let Some(ratios) = ratios
                && (found / ratios[row] - 1.0).abs() > RATIO_TOLERANCE
            {
                let message = format!(
                    "j is {:?}, but its strain and history have the volume ratio {found:?}: a column is missing, or the \
                     material is another. Write the frame with all of its state, or say state = \"rest\"",
                    ratios[row]
                );
                return Err((self.table.place(row), message));
            }
        }
        Ok(Some(FileStates {
            deformation,
            history,
        }))
    }

    /// Volume ratios J of states \[–\].
    pub fn volume_ratios<T: Scalar>(
        &self,
        law: &dyn Material<T, D>,
        parameters: Option<&[f64]>,
        states: &FileStates<D>,
    ) -> Vec<f64> {
        let rows = states.deformation.len();
        let ratio = |row: usize| {
            let given = given(law, (row, rows), states.history.as_deref(), parameters);
            let f = Matrix(states.deformation[row]);
            law.volume_ratio(&state_with_history(law, &f, given))
        };
        (0..rows).map(ratio).collect()
    }

    /// Values of all history variables of a law; none where the file has none of them.
    fn history(&self, variables: &[&'static str]) -> Result<Option<Vec<f64>>, RowProblem> {
        let mut columns = Vec::new();
        for name in variables {
            columns.push(self.finite(name)?);
        }
        if columns.iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut out = Vec::new();
        for row in 0..self.table.rows() {
            for (name, column) in variables.iter().zip(&columns) {
                let Some(column) = column else {
                    let message = format!("there is a history, but no column \"{name}\" of it");
                    return Err(("its columns".to_owned(), message));
                };
                out.push(column[row]);
            }
        }
        Ok(Some(out))
    }

    /// V with V² = b, where the file has b.
    fn left_stretches(&self) -> Result<Option<Vec<[[f64; D]; D]>>, RowProblem> {
        let Some(all) = self.matrices("left_cauchy_green")? else {
            return Ok(None);
        };
        let mut out = Vec::new();
        for (row, b) in all.into_iter().enumerate() {
            let eigen = symmetric_eigen(&Matrix(b));
            if eigen.values.0.iter().any(|x| *x <= 0.0) {
                let message = "left_cauchy_green is not positive definite".to_owned();
                return Err((self.table.place(row), message));
            }
            let mut roots = Matrix::zero();
            for i in 0..D {
                roots[i][i] = eigen.values[i].sqrt();
            }
            out.push((eigen.vectors * roots * eigen.vectors.transpose()).0);
        }
        Ok(Some(out))
    }
}
