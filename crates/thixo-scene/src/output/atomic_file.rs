//! Atomic writes: files that appear under their name only when they are complete, and stay
//! whatever happens next.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use super::OutputError;

/// Extension of the names of files that are being written.
pub const TEMPORARY: &str = "part";

/// A file that is being written under a temporary name. An old file of its name is there until the
/// new one is; without [`finish`](Self::finish) the new one goes away.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    temporary: PathBuf,
    out: BufWriter<File>,
}

impl AtomicFile {
    /// Begins a file.
    pub fn create(path: &Path) -> io::Result<Self> {
        let temporary = path.with_added_extension(TEMPORARY);
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&temporary)?;
        Ok(Self {
            path: path.to_owned(),
            temporary,
            out: BufWriter::with_capacity(1 << 18, file),
        })
    }

    /// Writes a file in one go: all of it, or nothing.
    pub fn write_whole(
        path: &Path,
        contents: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut file = Self::create(path)?;
        contents(&mut file)?;
        file.finish()
    }

    /// Makes sure that the file is on the disk, and gives it its name, in place of an older one.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        self.out.get_ref().sync_all()?;
        fs::rename(&self.temporary, &self.path)?;
        let directory = self.path.parent().filter(|path| *path != Path::new(""));
        sync_directory(directory.unwrap_or(Path::new(".")))
    }

    /// The bytes written so far, to be read from their start.
    pub fn written(&mut self) -> io::Result<&mut File> {
        self.out.flush()?;
        let file = self.out.get_mut();
        file.rewind()?;
        Ok(file)
    }

    /// A second handle to write into it, for writers that need a file of their own.
    pub fn handle(&self) -> io::Result<File> {
        self.out.get_ref().try_clone()
    }

    /// Its final name.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.out.seek(to)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // Finished, it has another name and is not found. That the rest of an unfinished one cannot
        // be removed is not the error to report.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Writes a file of a run in one go.
pub fn write_whole(
    path: &Path,
    contents: impl FnOnce(&mut AtomicFile) -> io::Result<()>,
) -> Result<(), OutputError> {
    AtomicFile::write_whole(path, contents).map_err(|cause| OutputError::io("write", path, cause))
}

/// Makes sure that the names in a directory are on the disk.
#[cfg(unix)]
pub fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Elsewhere names cannot be asked for apart.
#[cfg(not(unix))]
pub fn sync_directory(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Removes a file that may be absent.
pub fn remove_file(path: &Path) -> Result<(), OutputError> {
    match fs::remove_file(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
            Err(OutputError::io("remove", path, cause))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn place(name: &str) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("thixo-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    #[test]
    fn an_old_file_survives_a_failed_write() {
        let place = place("whole");
        let path = place.join("file.txt");
        write_whole(&path, |out| out.write_all(b"old")).unwrap();
        let failing = write_whole(&path, |out| {
            out.write_all(b"new")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        let message = failing.unwrap_err().to_string();
        assert!(message.starts_with("cannot write "), "{message}");
        assert!(
            message.contains("make room, and go on with --resume"),
            "{message}"
        );
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(&place).unwrap().count(), 1);
        fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn what_is_not_finished_goes_away_and_leaves_the_older_file() {
        let place = place("unfinished");
        let path = place.join("video.mp4");
        let write =
            |path: &Path, bytes: &[u8]| AtomicFile::write_whole(path, |file| file.write_all(bytes));
        write(&path, b"old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        assert_eq!(fs::read_dir(&place).unwrap().count(), 2);
        drop(file);
        assert_eq!(fs::read_dir(&place).unwrap().count(), 1);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(write(&place.join("no/video.mp4"), b"").is_err());
        fs::remove_dir_all(&place).unwrap();
    }

    /// The device that is always full.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_noticed_even_if_everything_fits_into_the_buffer() {
        let place = place("full");
        let path = place.join("file.txt");
        std::os::unix::fs::symlink("/dev/full", place.join("file.txt.part")).unwrap();
        let error = write_whole(&path, |out| out.write_all(b"few")).unwrap_err();
        assert!(error.to_string().contains("make room"), "{error}");
        assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
        fs::remove_dir_all(&place).unwrap();
    }
}
