//! Checkpoints: a run that was stopped, killed or interrupted goes on from one bit for bit.
//!
//! `DIR/checkpoint/frame_00012.thixo` holds everything that the frames after frame 12 depend on. It
//! appears under its name only when it is complete, and when the frames and budgets before it are
//! on the disk; the one before it is kept as well.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `THIXORUN` |
//! | 4 | version of this format, 1 |
//! | 4, … | length of the header; the header as JSON: [`Header`] |
//! | … | the state of the simulation, [`thixo::checkpoint`] |
//! | 4 | CRC-32 of all bytes before |

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::Path;

use crc32fast::Hasher;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use thixo::{Instance, RestoreError, Simulation};

use super::atomic_file::{remove_file, write_whole};
use super::{OutputError, RunDirectory, RunRecord};

const MAGIC: [u8; 8] = *b"THIXORUN";
const VERSION: u32 = 1;
/// Number of checkpoints that are kept.
const KEPT: usize = 2;

/// The header of a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The last frame that is complete.
    pub frame: u32,
    /// The scene as run.
    pub scene: String,
    /// The run so far.
    pub record: RunRecord,
}

/// Errors of checkpoints.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("it is not a checkpoint of thixo")]
    NotACheckpoint,
    /// Written by another version.
    #[error(
        "it has format {found}, this program reads format {VERSION}; use the version of thixo that wrote it"
    )]
    Version {
        /// The format's version.
        found: u32,
    },
    /// It ends early or was changed.
    #[error("it is damaged: its checksum is {found:08x} and should be {expected:08x}")]
    Damaged {
        /// Of the bytes as they are.
        found: u32,
        /// Of the bytes as they were.
        expected: u32,
    },
    /// Its header makes no sense.
    #[error("its header makes no sense: {0}")]
    Header(String),
    /// The state does not fit the simulation.
    #[error(transparent)]
    State(#[from] RestoreError),
}

/// A checkpoint whose checksum is right.
#[derive(Debug)]
#[non_exhaustive]
pub struct Checkpoint<R> {
    header: Header,
    /// Of the state.
    start: u64,
    input: R,
}

impl Checkpoint<BufReader<File>> {
    /// Opens and verifies a file.
    pub fn open(path: &Path) -> Result<Self, CheckpointError> {
        Self::read(BufReader::with_capacity(1 << 18, File::open(path)?))
    }
}

impl<R: Read + Seek> Checkpoint<R> {
    /// Verifies the bytes of a checkpoint and reads its header.
    pub fn read(mut input: R) -> Result<Self, CheckpointError> {
        let length = input.seek(io::SeekFrom::End(0))?;
        input.rewind()?;
        if read_array(&mut input).ok() != Some(MAGIC) {
            return Err(CheckpointError::NotACheckpoint);
        }
        let found = u32::from_le_bytes(read_array(&mut input)?);
        if found != VERSION {
            return Err(CheckpointError::Version { found });
        }
        verify(&mut input, length)?;
        input.seek(io::SeekFrom::Start(12))?;
        let size = u32::from_le_bytes(read_array(&mut input)?);
        let start = 16 + u64::from(size);
        if start + 4 > length {
            let message = "it is longer than the file".to_owned();
            return Err(CheckpointError::Header(message));
        }
        let mut text = Vec::new();
        (&mut input).take(u64::from(size)).read_to_end(&mut text)?;
        let header = serde_json::from_slice(&text)
            .map_err(|error| CheckpointError::Header(error.to_string()))?;
        Ok(Self {
            header,
            start,
            input,
        })
    }

    /// Its header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Puts a simulation of the same scene into the saved state. On error it is as it was.
    pub fn restore<T: Instance<D>, const D: usize>(
        &mut self,
        simulation: &mut Simulation<T, D>,
    ) -> Result<(), CheckpointError> {
        self.input.seek(io::SeekFrom::Start(self.start))?;
        Ok(simulation.restore(&mut self.input)?)
    }
}

/// Compares the checksum at the end with that of everything before.
fn verify<R: Read + Seek>(input: &mut R, length: u64) -> Result<(), CheckpointError> {
    let Some(mut left) = length.checked_sub(4) else {
        return Err(CheckpointError::NotACheckpoint);
    };
    input.rewind()?;
    let mut sum = Hasher::new();
    let mut bytes = vec![0; 1 << 16];
    while left > 0 {
        let now = left.min(bytes.len() as u64);
        let part = &mut bytes[..now as usize];
        input.read_exact(part)?;
        sum.update(part);
        left -= now;
    }
    let found = sum.finalize();
    let expected = u32::from_le_bytes(read_array(input)?);
    if found == expected {
        Ok(())
    } else {
        Err(CheckpointError::Damaged { found, expected })
    }
}

fn read_array<const N: usize>(input: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Writes a checkpoint.
pub fn write<T: Instance<D>, const D: usize>(
    out: &mut impl Write,
    header: &Header,
    simulation: &Simulation<T, D>,
) -> io::Result<()> {
    let mut out = Summing {
        out,
        sum: Hasher::new(),
    };
    let text = serde_json::to_vec(header)?;
    let size = u32::try_from(text.len()).map_err(io::Error::other)?;
    out.write_all(&MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&size.to_le_bytes())?;
    out.write_all(&text)?;
    simulation.save(&mut out)?;
    let sum = out.sum.finalize();
    out.out.write_all(&sum.to_le_bytes())
}

/// Passes bytes on and sums them up.
struct Summing<'a, W> {
    out: &'a mut W,
    sum: Hasher,
}

impl<W: Write> Write for Summing<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl RunDirectory {
    /// Writes the checkpoint of a frame; frames and budgets up to it must be on the disk. All but
    /// the last two are removed.
    pub fn write_checkpoint<T: Instance<D>, const D: usize>(
        &self,
        header: &Header,
        simulation: &Simulation<T, D>,
    ) -> Result<(), OutputError> {
        let path = self.checkpoint(header.frame);
        write_whole(&path, |out| write(out, header, simulation))?;
        self.tidy_checkpoints(header.frame)
    }

    /// Keeps the checkpoint of `frame` and the one before. Those after it are of no use to a run
    /// that goes on from it.
    pub fn tidy_checkpoints(&self, frame: u32) -> Result<(), OutputError> {
        let all = self.checkpoints()?;
        let (newer, older): (Vec<_>, Vec<_>) = all.iter().partition(|(number, _)| *number > frame);
        let superfluous = newer.into_iter().chain(older.into_iter().skip(KEPT));
        superfluous
            .into_iter()
            .try_for_each(|(_, path)| remove_file(path))
    }

    /// The last good checkpoint, and what is wrong with those after it.
    pub fn last_checkpoint(&self) -> Result<LastCheckpoint, OutputError> {
        let mut warnings = Vec::new();
        for (_, path) in self.checkpoints()? {
            match Checkpoint::open(&path) {
                Ok(checkpoint) => {
                    return Ok(LastCheckpoint {
                        checkpoint: Some(checkpoint),
                        warnings,
                    });
                }
                Err(error) => warnings.push(format!("{}: {error}", path.display())),
            }
        }
        Ok(LastCheckpoint {
            checkpoint: None,
            warnings,
        })
    }
}

/// The checkpoints that were found in a directory.
#[derive(Debug)]
pub struct LastCheckpoint {
    /// The last good one, if there is any.
    pub checkpoint: Option<Checkpoint<BufReader<File>>>,
    /// Problems of those after it, file by file.
    pub warnings: Vec<String>,
}
