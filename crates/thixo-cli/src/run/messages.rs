//! Messages of a run.

use std::path::Path;

use thixo_scene::{RunDirectory, RunRecord};

/// Line at the start of a run.
pub fn greeting(record: &RunRecord) -> String {
    format!(
        "{}: {} particles, {}D, {}, {} threads, {}",
        record.title,
        record.particles,
        record.dimension,
        record.precision,
        record.threads,
        record.instruction_set
    )
}

/// Directory in which pictures appear while it runs.
pub fn where_pictures_are(directory: &Path) -> String {
    let images = directory.join(RunDirectory::IMAGES);
    format!("pictures appear in {} meanwhile", images.display())
}

/// Summary of a run that is done.
pub fn summary(record: &RunRecord, directory: &Path) -> String {
    format!(
        "{} frames, {} steps in {:.1} s ({:.1} million particle-updates/s); written to {}",
        record.last_frame + 1,
        record.steps,
        record.seconds.total,
        record.particle_updates_per_second / 1e6,
        directory.display()
    )
}

/// Command that resumes a run of a scene that was interrupted after a frame.
pub fn interrupted(frame: u32, scene: &str, directory: &Path) -> String {
    let directory = directory.display();
    format!(
        "interrupted after frame {frame}; go on with the same options and --resume: thixo run {scene} --out {directory} --resume"
    )
}

/// Pictures of an interrupted run, and the command that draws the others.
pub fn pictures_so_far(directory: &Path) -> String {
    let images = directory.join(RunDirectory::IMAGES);
    format!(
        " --render; pictures so far are in {}, and thixo render {} --overwrite draws all frames that there are",
        images.display(),
        directory.display()
    )
}
