//! One run per directory.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use super::OutputError;

/// Held as long as a run writes into a directory; the operating system frees it however the run
/// ends.
#[derive(Debug)]
pub struct Lock {
    /// Locked until it is closed.
    _file: File,
}

const LOCK: &str = ".lock";

impl Lock {
    /// Takes the directory, or says who has it.
    pub fn take(directory: &Path) -> Result<Self, OutputError> {
        let path = directory.join(LOCK);
        let failure = |cause| OutputError::io("lock", &path, cause);
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(failure)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut owner = String::new();
                // The number of the process helps, but is not needed.
                let _ = file.read_to_string(&mut owner);
                return Err(OutputError::InUse {
                    path: directory.to_owned(),
                    owner: owner.trim().to_owned(),
                });
            }
            // There are file systems without locks; care is up to the user there.
            Err(TryLockError::Error(cause)) if cause.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(cause)) => return Err(failure(cause)),
        }
        let mut note = || {
            file.set_len(0)?;
            file.rewind()?;
            writeln!(file, "process {}", std::process::id())
        };
        note().map_err(failure)?;
        Ok(Self { _file: file })
    }

    /// The process that has a directory now, if one can be seen to. Looking takes the lock for a
    /// moment, so look only where a run says it is going on.
    pub fn owner(directory: &Path) -> Option<String> {
        let mut file = File::open(directory.join(LOCK)).ok()?;
        if !matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
            return None;
        }
        let mut owner = String::new();
        // That somebody has it is known even where the name cannot be read.
        let _ = file.read_to_string(&mut owner);
        Some(owner.trim().to_owned())
    }
}
