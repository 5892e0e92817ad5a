//! Files that appear under their name only when they are complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::RenderError;

/// A file that is being written under another name. If nobody finishes it, it goes away.
#[derive(Debug)]
pub struct Unfinished {
    path: PathBuf,
    part: PathBuf,
    out: BufWriter<File>,
}

impl Unfinished {
    /// Begins a file.
    pub fn create(path: &Path) -> Result<Self, RenderError> {
        let part = path.with_added_extension("part");
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&part);
        let file = file.map_err(|cause| RenderError::write(path, cause))?;
        Ok(Self {
            path: path.to_owned(),
            part,
            out: BufWriter::with_capacity(1 << 18, file),
        })
    }

    /// Gives the file its name, in place of an older one.
    pub fn finish(mut self) -> Result<(), RenderError> {
        let renamed = self
            .out
            .flush()
            .and_then(|()| fs::rename(&self.part, &self.path));
        renamed.map_err(|cause| RenderError::write(&self.path, cause))
    }

    /// The bytes written so far, to be read from their start.
    pub fn written(&mut self) -> io::Result<&mut File> {
        self.out.flush()?;
        let file = self.out.get_mut();
        io::Seek::rewind(file)?;
        Ok(file)
    }

    /// Another way to write into it.
    pub fn handle(&self) -> io::Result<File> {
        self.out.get_ref().try_clone()
    }

    /// Its final name.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Finished, it has another name and is not found.
        let _ = fs::remove_file(&self.part);
    }
}

/// Writes a file in one piece.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), RenderError> {
    let mut file = Unfinished::create(path)?;
    let written = file.write_all(bytes);
    written.map_err(|cause| RenderError::write(path, cause))?;
    file.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finished_goes_away_and_leaves_the_older_file() {
        let place = std::env::temp_dir().join(format!("thixo-unfinished-{}", std::process::id()));
        fs::create_dir_all(&place).unwrap();
        let path = place.join("video.mp4");
        write_whole(&path, b"old").unwrap();
        let mut file = Unfinished::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        assert_eq!(fs::read_dir(&place).unwrap().count(), 2);
        drop(file);
        assert_eq!(fs::read_dir(&place).unwrap().count(), 1);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        write_whole(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        let error = write_whole(&place.join("no/video.mp4"), b"").unwrap_err();
        assert!(error.to_string().contains("no/video.mp4"), "{error}");
        fs::remove_dir_all(&place).unwrap();
    }
}
