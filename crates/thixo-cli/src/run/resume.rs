//! `--resume`: from the last good checkpoint of a directory to a simulation that goes on.

use anyhow::{Context, Error, bail};
use thixo_scene::checkpoint::LastCheckpoint;
use thixo_scene::{
    Built, PackedAsset, Precise, RunDirectory, RunRecord, Scene, differences, stats,
};

use crate::console::warn;

/// Puts a simulation at its start into the state of the last good checkpoint, and the directory
/// into that of the run at that frame. The record goes on with the counts of the run so far.
pub fn resume<T: Precise<D>, const D: usize>(
    (scene, text): (&Scene, &str),
    built: &mut Built<T, D>,
    directory: &RunDirectory,
    record: &mut RunRecord,
) -> Result<(), Error> {
    let place = directory.path().display();
    let LastCheckpoint {
        checkpoint,
        warnings,
    } = directory.last_checkpoint()?;
    let Some(mut checkpoint) = checkpoint else {
        match warnings.is_empty() {
            true => bail!(
                "there is no checkpoint in {place} to go on from; start again with --overwrite"
            ),
            false => bail!(
                "there is no good checkpoint in {place} to go on from; start again with --overwrite\n{}",
                warnings.join("\n")
            ),
        }
    };
    for warning in &warnings {
        warn(&format!("warning: {warning}; going on from the one before"));
    }
    let header = checkpoint.header().clone();
    same_run(&header.scene, text, &header.record, record)
        .with_context(|| format!("the run in {place} cannot go on"))?;
    if header.frame > scene.time.frames {
        bail!(
            "the run in {place} is at frame {} already, after frame {}; ask for more with --frames, or start again with --overwrite",
            header.frame,
            scene.time.frames
        );
    }
    checkpoint
        .restore(&mut built.simulation)
        .with_context(|| format!("the checkpoint of frame {} in {place}", header.frame))?;
    built.resume(header.frame);
    let stats_header = stats::header_of(scene);
    directory.cut_stats(header.frame, &stats_header)?;
    directory.tidy_checkpoints(header.frame)?;
    directory.remove_frames_after(scene.time.frames)?;
    record.go_on(&header.record);
    Ok(())
}

/// Refuses what would not be the same run bit for bit.
fn same_run(before: &str, now: &str, old: &RunRecord, new: &RunRecord) -> Result<(), Error> {
    let found = differences(before, now);
    if let Some((first, others)) = found.split_first() {
        match others.len() {
            0 => bail!("the scene is another one: {first}"),
            1 => bail!("the scene is another one: {first}, {}", others[0]),
            more => bail!("the scene is another one: {first}, and {more} more keys"),
        }
    }
    same_assets(&old.assets, &new.assets)?;
    let build = |record: &RunRecord| format!("{} (commit {})", record.build, record.commit);
    let same = [
        (
            "instruction set",
            old.instruction_set == new.instruction_set,
            [&old.instruction_set, &new.instruction_set].map(String::clone),
        ),
        (
            "version of thixo",
            old.version == new.version,
            [&old.version, &new.version].map(String::clone),
        ),
        (
            "build of thixo",
            // Checkpoints from before builds had an identity are refused by their format.
            old.build.is_empty() || old.build == new.build,
            [build(old), build(new)],
        ),
    ];
    for (what, is_same, [old, new]) in same {
        if !is_same {
            bail!(
                "its {what} was {old} and is {new}, which may not give the same numbers; go on with {old}, or start again with --overwrite"
            );
        }
    }
    Ok(())
}

/// Refuses meshes and images that are not what they were.
fn same_assets(old: &[PackedAsset], new: &[PackedAsset]) -> Result<(), Error> {
    for asset in new {
        let before = old.iter().find(|before| before.file == asset.file);
        if let Some(before) = before
            && before.sum != asset.sum
        {
            bail!(
                "{} has changed: it had {} and has {}; put the old file back, or start again with --overwrite",
                asset.source.display(),
                before.sum,
                asset.sum
            );
        }
    }
    Ok(())
}
