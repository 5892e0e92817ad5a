//! Copies of the meshes and images of a scene: `DIR/assets`.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::atomic_file::{TEMPORARY, remove_file, sync_directory};
use super::directory::RECORD;
use super::{OutputError, RunDirectory, RunRecord};
use crate::shape::{Checksum, PackedAsset};

impl RunDirectory {
    /// Copies the files of a scene that are not there yet, and removes those of the run that was
    /// replaced.
    ///
    /// All copies are complete before the first gets its name, as the files of the new run may be
    /// those of the old one.
    pub fn write_assets(&self, assets: &[PackedAsset]) -> Result<(), OutputError> {
        let mut copied = Vec::new();
        for asset in assets {
            let target = self.path().join(&asset.file);
            if !holds(&target, asset.sum) {
                let folder = target.parent().unwrap_or(self.path());
                fs::create_dir_all(folder)
                    .map_err(|cause| OutputError::io("create", folder, cause))?;
                copied.push((copy(asset, &target)?, target));
            }
        }
        for (temporary, target) in &copied {
            fs::rename(temporary, target)
                .map_err(|cause| OutputError::io("write", target, cause))?;
        }
        for old in &self.former_assets {
            if !assets.iter().any(|asset| asset.file == *old) {
                remove_file(&self.path().join(old))?;
            }
        }
        let folder = self.path().join(Self::ASSETS);
        if assets.is_empty() {
            // It stays if somebody else put something there.
            let _ = fs::remove_dir(&folder);
            return Ok(());
        }
        sync_directory(&folder).map_err(|cause| OutputError::io("write", &folder, cause))
    }
}

/// True if a file is there and has a content.
fn holds(path: &Path, sum: Checksum) -> bool {
    // The length tells most differences without reading.
    let has_length = fs::metadata(path).is_ok_and(|about| about.len() == sum.bytes);
    has_length
        && File::open(path)
            .and_then(|file| Checksum::of_stream(file, |_| Ok(())))
            .is_ok_and(|found| found == sum)
}

/// Copies a file under a temporary name beside its target and makes sure that it is on the disk.
fn copy(asset: &PackedAsset, target: &Path) -> Result<PathBuf, OutputError> {
    let temporary = target.with_added_extension(TEMPORARY);
    let write = || {
        let mut out = BufWriter::with_capacity(1 << 18, File::create(&temporary)?);
        let sum = Checksum::of_stream(File::open(&asset.source)?, |bytes| out.write_all(bytes))?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        Ok(sum)
    };
    let outcome = match write() {
        Ok(sum) if sum == asset.sum => return Ok(temporary),
        Ok(_) => OutputError::AssetChanged {
            path: asset.source.clone(),
        },
        Err(cause) => OutputError::Copy {
            from: asset.source.clone(),
            to: target.to_owned(),
            cause,
        },
    };
    // A rest of the copy helps nobody.
    let _ = fs::remove_file(&temporary);
    Err(outcome)
}

/// The copies that the run in a directory made; none if it does not say. They stay for now: the
/// next run may need them.
pub(super) fn former_assets(directory: &Path) -> Vec<String> {
    let text = fs::read(directory.join(RECORD)).unwrap_or_default();
    let record: Option<RunRecord> = serde_json::from_slice(&text).ok();
    let files = record.into_iter().flat_map(|record| record.assets);
    files
        .map(|asset| asset.file)
        // Whatever the record says, nothing else is touched.
        .filter(|file| is_copy(Path::new(file)))
        .collect()
}

/// True if a name is that of a file in `assets`.
fn is_copy(file: &Path) -> bool {
    file.file_name()
        .is_some_and(|name| file == Path::new(RunDirectory::ASSETS).join(name))
}
