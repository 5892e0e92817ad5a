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

/// The command that goes on with a run that was interrupted after a frame, made from the command of
/// the run.
pub fn interrupted(frame: u32, command: &[String]) -> String {
    format!(
        "interrupted after frame {frame}; go on with: {}",
        resuming(command)
    )
}

/// A command with `--resume`, as it can be given to a shell.
fn resuming(command: &[String]) -> String {
    let [_, arguments @ ..] = command else {
        return "thixo run … --resume".to_owned();
    };
    let kept = arguments
        .iter()
        .filter(|argument| !["--overwrite", "--resume"].contains(&argument.as_str()));
    let mut words = vec!["thixo".to_owned()];
    words.extend(kept.map(|argument| quoted(argument)));
    words.push("--resume".to_owned());
    words.join(" ")
}

/// A word of a command, in quotes where a shell would read it otherwise.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Pictures of an interrupted run, and the command that draws the others.
pub fn pictures_so_far(directory: &Path) -> String {
    let images = directory.join(RunDirectory::IMAGES);
    format!(
        "; pictures so far are in {}, and thixo render {} --overwrite draws all frames that there are",
        images.display(),
        directory.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_goes_on_is_the_one_that_began() {
        let command = [
            "/somewhere/thixo",
            "run",
            "my scene.toml",
            "--preview",
            "--overwrite",
            "--set",
            "title=it's \"x\"",
            "--out",
            "a/b",
        ]
        .map(str::to_owned);
        assert_eq!(
            interrupted(3, &command),
            "interrupted after frame 3; go on with: thixo run 'my scene.toml' --preview \
             --set 'title=it'\\''s \"x\"' --out a/b --resume"
        );
    }
}
