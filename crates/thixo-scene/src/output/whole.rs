//! Files that appear under their name only when they are complete, and stay whatever happens next.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;

use super::OutputError;

/// How names of files that are being written end.
pub const TEMPORARY: &str = "part";

/// Writes a file under another name, makes sure that it is on the disk, and renames it. An old file of that name is there until the new one
/// is.
pub fn write_whole(
    path: &Path,
    contents: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), OutputError> {
    let temporary = path.with_added_extension(TEMPORARY);
    let write = || {
        let mut out = BufWriter::with_capacity(1 << 18, File::create(&temporary)?);
        contents(&mut out)?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&temporary, path)?;
        sync_directory(path.parent().unwrap_or(Path::new(".")))
    };
    write().map_err(|cause| {
        // What is left of the file helps nobody; that it cannot be removed either is not the error to report.
        let _ = fs::remove_file(&temporary);
        OutputError::io("write", path, cause)
    })
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
            message.ends_with("make room and go on with --resume"),
            "{message}"
        );
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(&place).unwrap().count(), 1);
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
