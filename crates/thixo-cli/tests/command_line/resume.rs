//! A run that was stopped, interrupted or killed goes on as if nothing had happened: the same bytes
//! in every frame.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{MIXED, budgets, code, errors, frames, names, record, thixo, workplace};

/// A directory with the scene `mixed.toml` and the uninterrupted run of it in `whole`.
fn with_whole_run(name: &str) -> PathBuf {
    let place = workplace(name);
    fs::write(place.join("mixed.toml"), MIXED).unwrap();
    let output = thixo(&place, &["run", "mixed.toml", "--out", "whole", "--quiet"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert_eq!(frames(&place.join("whole")).len(), 13);
    place
}

/// Asserts that a directory holds the same run as `whole`.
fn same_as_whole(place: &Path, directory: &str) {
    let (whole, other) = (place.join("whole"), place.join(directory));
    assert!(frames(&whole) == frames(&other), "frames of {directory}");
    assert_eq!(budgets(&whole), budgets(&other));
    let scene = |directory: &Path| fs::read_to_string(directory.join("scene.toml")).unwrap();
    assert_eq!(scene(&whole), scene(&other));
    let (whole, other) = (record(&whole), record(&other));
    for key in ["state", "last_frame", "steps", "particles", "time"] {
        assert_eq!(whole[key], other[key], "{key}");
    }
}

#[test]
fn a_run_goes_on_with_more_frames_on_another_number_of_threads() {
    let place = with_whole_run("extended");
    let run = |more: &[&str]| {
        let arguments = ["run", "mixed.toml", "--out", "parts", "--quiet"];
        let output = thixo(&place, &[&arguments[..], more].concat());
        assert_eq!(code(&output), 0, "{}", errors(&output));
    };
    run(&["--frames", "3", "--threads", "1"]);
    assert_eq!(
        names(&place.join("parts/checkpoint")),
        ["frame_00002.thixo", "frame_00003.thixo"]
    );
    run(&["--frames", "7", "--threads", "2", "--resume"]);
    run(&["--threads", "1", "--resume"]);
    same_as_whole(&place, "parts");
    // There is nothing left to do; that is no error, and changes nothing.
    run(&["--resume"]);
    same_as_whole(&place, "parts");
}

#[test]
fn a_run_goes_on_however_it_is_to_be_drawn() {
    let place = with_whole_run("looks");
    let text = format!("{MIXED}\n[render]\nradius = 2\n");
    fs::write(place.join("looks.toml"), text).unwrap();
    let arguments = ["run", "looks.toml", "--out", "whole", "--quiet"];
    let output = thixo(
        &place,
        &[&arguments[..], &["--frames", "13", "--resume"]].concat(),
    );
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert_eq!(frames(&place.join("whole")).len(), 14);
    let scene = fs::read_to_string(place.join("whole/scene.toml")).unwrap();
    assert!(scene.contains("radius = 2.0"), "{scene}");
}

/// A checkpoint of frame 0 is one like any other.
#[test]
fn a_run_goes_on_from_its_very_start() {
    let place = with_whole_run("start");
    for more in [&["--frames", "0"][..], &["--resume"]] {
        let arguments = ["run", "mixed.toml", "--out", "parts", "--quiet"];
        let output = thixo(&place, &[&arguments[..], more].concat());
        assert_eq!(code(&output), 0, "{}", errors(&output));
    }
    same_as_whole(&place, "parts");
}

#[test]
fn what_cannot_go_on_is_refused() {
    let place = with_whole_run("refused");
    let refused = |arguments: &[&str], words: &str| {
        let output = thixo(&place, &[&["run"], arguments, &["--resume"]].concat());
        assert_eq!(code(&output), 2, "{}", errors(&output));
        assert!(errors(&output).contains(words), "{}", errors(&output));
    };
    refused(
        &["mixed.toml", "--out", "absent"],
        "there is no run in absent",
    );
    fs::create_dir_all(place.join("bare")).unwrap();
    refused(&["mixed.toml", "--out", "bare"], "there is no run in bare");
    fs::write(place.join("bare/scene.toml"), MIXED).unwrap();
    refused(
        &["mixed.toml", "--out", "bare"],
        "there is no checkpoint in bare",
    );
    refused(
        &["mixed.toml", "--out", "whole", "--frames", "5"],
        "is at frame 12 already, after frame 5",
    );
    refused(
        &["mixed.toml", "--out", "whole", "--precision", "f64"],
        "the scene is another one: precision was \"f32\" and is \"f64\"",
    );
    fs::write(
        place.join("other.toml"),
        MIXED.replace("hardening = 10", "hardening = 11"),
    )
    .unwrap();
    refused(
        &["other.toml", "--out", "whole"],
        "materials.snow.hardening was 10.0 and is 11.0",
    );
    same_as_whole(&place, "whole");
    let output = thixo(&place, &["run", "mixed.toml", "--resume", "--overwrite"]);
    assert_eq!(code(&output), 2);
}

/// Another instruction set has other roundings.
#[cfg(target_arch = "x86_64")]
#[test]
fn another_instruction_set_is_refused() {
    let place = with_whole_run("isa");
    let used = record(&place.join("whole"))["instruction_set"].clone();
    let other = Command::new(env!("CARGO_BIN_EXE_thixo"))
        .args(["run", "mixed.toml", "--out", "whole", "--resume"])
        .args(["--frames", "20"])
        .env("THIXO_ISA", "portable")
        .current_dir(&place)
        .output()
        .unwrap();
    if used == "portable" {
        return;
    }
    assert_eq!(code(&other), 2);
    assert!(
        errors(&other).contains("its instruction set was"),
        "{}",
        errors(&other)
    );
}

/// CRC-32 of bytes, by its definition.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

/// Other sources or another compiler may have other roundings.
#[test]
fn another_build_is_refused() {
    let place = with_whole_run("build");
    let build = record(&place.join("whole"))["build"].clone();
    let build = build.as_str().unwrap().as_bytes();
    assert_eq!(build.len(), 16);
    for file in names(&place.join("whole/checkpoint")) {
        let file = place.join("whole/checkpoint").join(file);
        let mut bytes = fs::read(&file).unwrap();
        let at = bytes.windows(16).position(|w| w == build).unwrap();
        bytes[at..at + 16].copy_from_slice(b"0123456789abcdef");
        let end = bytes.len() - 4;
        let sum = crc32(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
        fs::write(&file, bytes).unwrap();
    }
    let arguments = ["run", "mixed.toml", "--out", "whole", "--resume"];
    let output = thixo(&place, &[&arguments[..], &["--frames", "20"]].concat());
    assert_eq!(code(&output), 2);
    let message = errors(&output);
    assert!(
        message.contains("its build of thixo was 0123456789abcdef"),
        "{message}"
    );
    let version = thixo(&place, &["--version"]);
    let version = String::from_utf8(version.stdout).unwrap();
    let build = std::str::from_utf8(build).unwrap();
    assert!(version.contains(build), "{version}");
}

/// What an interrupted run prints is a command that works, with preview and settings.
#[cfg(unix)]
#[test]
fn the_command_that_is_printed_goes_on() {
    let place = workplace("printed");
    let text = format!("{MIXED}\n[preview]\ntime = {{ frames = 10 }}\n");
    fs::write(place.join("my scene.toml"), text).unwrap();
    let arguments = [
        "run",
        "my scene.toml",
        "--preview",
        "--set",
        "objects[0].velocity=[0.5, 0]",
    ];
    let whole = thixo(&place, &[&arguments[..], &["--out", "whole"]].concat());
    assert_eq!(code(&whole), 0, "{}", errors(&whole));
    let mut child = start(&place, &[&arguments[..], &["--out", "parts"]].concat());
    wait_for(&place.join("parts/particles/frame_00001.ply"), &mut child);
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let message = errors(&output);
    let command = message.split("go on with: ").nth(1).unwrap();
    let folder = Path::new(env!("CARGO_BIN_EXE_thixo")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let shell = Command::new("sh")
        .args(["-c", command])
        .env("PATH", path)
        .current_dir(&place)
        .output()
        .unwrap();
    assert_eq!(code(&shell), 0, "{command}: {}", errors(&shell));
    assert!(frames(&place.join("whole")) == frames(&place.join("parts")));
}

/// With emitters a frame is made in parts, and one that has begun is finished before the run ends.
#[cfg(unix)]
#[test]
fn a_run_with_an_emitter_saves_its_last_frame_too() {
    let place = workplace("emitting");
    let emitter = "[[emitters]]\nmaterial = \"water\"\nvelocity = [0, -3]\n\
                   shape = { box = { min = [0.1, 1.0], max = [0.3, 1.1] } }\n";
    let text = MIXED.replace("frames = 12", "frames = 40") + emitter;
    let text = text.replace("checkpoint_every = 2", "checkpoint_every = 1000");
    fs::write(place.join("emitter.toml"), text).unwrap();
    let arguments = ["run", "emitter.toml", "--quiet", "--out"];
    let whole = thixo(&place, &[&arguments[..], &["whole"]].concat());
    assert_eq!(code(&whole), 0, "{}", errors(&whole));
    let mut child = start(&place, &[&arguments[..], &["parts"]].concat());
    wait_for(&place.join("parts/particles/frame_00003.ply"), &mut child);
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", errors(&output));
    let last = record(&place.join("parts"))["last_frame"].as_u64().unwrap();
    let saved = format!("frame_{last:05}.thixo");
    assert!(names(&place.join("parts/checkpoint")).contains(&saved));
    let rest = thixo(&place, &[&arguments[..], &["parts", "--resume"]].concat());
    assert_eq!(code(&rest), 0, "{}", errors(&rest));
    assert!(frames(&place.join("whole")) == frames(&place.join("parts")));
}

#[test]
fn a_damaged_checkpoint_is_passed_over() {
    let place = with_whole_run("damaged");
    let run = |more: &[&str]| {
        let arguments = ["run", "mixed.toml", "--out", "parts", "--quiet"];
        thixo(&place, &[&arguments[..], more].concat())
    };
    assert_eq!(code(&run(&["--frames", "6"])), 0);
    let last = place.join("parts/checkpoint/frame_00006.thixo");
    let before = place.join("parts/checkpoint/frame_00004.thixo");
    let good = fs::read(&last).unwrap();

    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 4;
    fs::write(&last, &flipped).unwrap();
    let output = run(&["--resume"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let message = errors(&output);
    assert!(message.starts_with("warning: "), "{message}");
    assert!(message.contains("frame_00006.thixo: it is damaged: its checksum is"));
    same_as_whole(&place, "parts");

    assert_eq!(code(&run(&["--frames", "6", "--overwrite"])), 0);
    fs::write(&last, &good[..good.len() / 3]).unwrap();
    fs::write(&before, b"").unwrap();
    let output = run(&["--resume"]);
    assert_eq!(code(&output), 2);
    let message = errors(&output);
    assert!(message.contains("there is no good checkpoint in parts"));
    assert!(message.contains("frame_00004.thixo: it is not a checkpoint of thixo"));
    assert_eq!(frames(&place.join("parts")).len(), 7);
}

/// Starts a run and does not wait for it.
fn start(place: &Path, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_thixo"))
        .args(arguments)
        .current_dir(place)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until a file is there, or the program has ended.
fn wait_for(path: &Path, child: &mut Child) {
    let start = Instant::now();
    while !path.exists() && child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(60), "{path:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Killed again and again at any moment: every frame that is there is complete and right, and
/// stays; in the end all are there.
#[test]
fn nothing_is_lost_however_often_a_run_is_killed() {
    let place = with_whole_run("killed");
    let directory = place.join("parts");
    let whole = frames(&place.join("whole"));
    let mut random = 12345u32;
    let mut kills = 0;
    let mut seen = 0;
    for attempt in 0.. {
        assert!(attempt < 1000, "it never ends");
        let can_go_on = directory.join("checkpoint").is_dir()
            && names(&directory.join("checkpoint"))
                .iter()
                .any(|name| name.ends_with(".thixo"));
        let way = if can_go_on { "--resume" } else { "--overwrite" };
        if !can_go_on {
            seen = 0;
        }
        let arguments = ["run", "mixed.toml", "--quiet", "--out", "parts", way];
        let mut child = start(&place, &arguments);
        random = random.wrapping_mul(1664525).wrapping_add(1013904223);
        // The first ones are too short on any machine. The longer it takes, the more time it gets:
        // also a slow machine comes to an end.
        let patience = match attempt {
            0..4 => 1 + 3 * attempt,
            _ => 3 + random / (u32::MAX / 40) + attempt,
        };
        std::thread::sleep(Duration::from_millis(u64::from(patience)));
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        match output.status.code() {
            Some(0) => break,
            Some(code) => panic!("exit code {code}: {}", errors(&output)),
            None => kills += 1,
        }
        if !directory.join("particles").is_dir() {
            continue;
        }
        let mut complete = frames(&directory);
        complete.retain(|name, _| name.ends_with(".ply"));
        for (name, bytes) in &complete {
            assert!(bytes == &whole[name], "{name} after {kills} kills");
        }
        if can_go_on {
            assert!(complete.len() >= seen, "frames are lost");
        }
        seen = complete.len();
    }
    assert!(kills > 2, "it was killed only {kills} times");
    same_as_whole(&place, "parts");
    let checkpoints = names(&directory.join("checkpoint"));
    assert_eq!(checkpoints, ["frame_00010.thixo", "frame_00012.thixo"]);
}

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    let status = Command::new("kill").args([name, &pid]).status().unwrap();
    assert!(status.success());
}

#[cfg(unix)]
#[test]
fn a_run_that_is_asked_to_stop_saves_its_state() {
    let place = with_whole_run("interrupted");
    let directory = place.join("parts");
    for (frame, name) in [(2, "-INT"), (5, "-TERM")] {
        let way = if frame == 2 {
            "--overwrite"
        } else {
            "--resume"
        };
        let arguments = ["run", "mixed.toml", "--quiet", "--out", "parts", way];
        let mut child = start(&place, &arguments);
        wait_for(
            &directory.join(format!("particles/frame_{frame:05}.ply")),
            &mut child,
        );
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        let message = errors(&output);
        assert_eq!(output.status.code(), Some(130), "{message}");
        assert!(message.starts_with("interrupted after frame "), "{message}");
        assert!(
            message.contains("go on with: thixo run mixed.toml --quiet --out parts --resume"),
            "{message}"
        );
        let state = record(&directory);
        assert_eq!(state["state"], "interrupted");
        let last = state["last_frame"].as_u64().unwrap();
        assert!(last >= frame && last < 12, "{last}");
        let saved = format!("frame_{last:05}.thixo");
        assert!(names(&directory.join("checkpoint")).contains(&saved));
    }
    let output = thixo(&place, &["run", "mixed.toml", "--out", "parts", "--resume"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    same_as_whole(&place, "parts");
}

/// A frame of minutes is given up within a step; meanwhile nobody else gets the directory.
#[cfg(unix)]
#[test]
fn a_long_frame_does_not_hold_up_the_end() {
    let place = workplace("long");
    fs::write(
        place.join("long.toml"),
        MIXED.replace("fps = 50", "fps = 0.001"),
    )
    .unwrap();
    let mut child = start(&place, &["run", "long.toml", "--out", "d", "--quiet"]);
    wait_for(&place.join("d/particles/frame_00000.ply"), &mut child);
    let second = thixo(&place, &["run", "long.toml", "--out", "d", "--overwrite"]);
    assert_eq!(code(&second), 2);
    let message = errors(&second);
    let owner = format!("d is in use by another run (process {})", child.id());
    assert!(message.contains(&owner), "{message}");

    let start = Instant::now();
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", errors(&output));
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(
        names(&place.join("d/checkpoint")),
        ["frame_00000.thixo"],
        "the last frame that is complete"
    );
}

/// With a limit on the size of files the disk is full for everything that is larger.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_stops_the_run_and_keeps_what_was_written() {
    let place = with_whole_run("full");
    let run = |limit: &str, way: &str| {
        // The limit counts blocks of 512 bytes. Unless the signal is ignored, reaching it would
        // kill the program.
        let script = format!(
            "trap '' XFSZ; ulimit -f {limit}; exec \"$0\" run mixed.toml --out parts --quiet {way}"
        );
        Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_thixo")])
            .current_dir(&place)
            .output()
            .unwrap()
    };
    let frame = fs::metadata(place.join("whole/particles/frame_00000.ply")).unwrap();
    let checkpoint = fs::metadata(place.join("whole/checkpoint/frame_00012.thixo")).unwrap();
    assert!(checkpoint.len() > frame.len() + 1024);
    // Frames fit, checkpoints do not.
    let limit = (frame.len() / 512 + 2).to_string();
    let output = run(&limit, "");
    assert_eq!(code(&output), 1, "{}", errors(&output));
    let message = errors(&output);
    assert!(
        message.contains("cannot write parts/checkpoint/frame_00002.thixo: File too large"),
        "{message}"
    );
    assert_eq!(record(&place.join("parts"))["state"], "failed");
    assert!(names(&place.join("parts/checkpoint")).is_empty());
    let complete = frames(&place.join("parts"));
    let whole = frames(&place.join("whole"));
    assert_eq!(complete.len(), 3);
    assert!(complete.iter().all(|(name, bytes)| whole[name] == *bytes));

    // Not even frames fit.
    let output = run("4", "--overwrite");
    assert_eq!(code(&output), 1, "{}", errors(&output));
    let message = errors(&output);
    assert!(
        message.contains("cannot write parts/particles/frame_00000.ply: File too large"),
        "{message}"
    );
    assert!(names(&place.join("parts/particles")).is_empty());

    let output = run("unlimited", "--overwrite");
    assert_eq!(code(&output), 0, "{}", errors(&output));
    same_as_whole(&place, "parts");
}

/// Nothing can be written where there is no directory to write into.
#[test]
fn an_impossible_directory_is_bad_input() {
    let place = workplace("impossible");
    fs::write(place.join("file"), "mine").unwrap();
    let output = thixo(&place, &["run", "tiny.toml", "--out", "file/d"]);
    assert_eq!(code(&output), 2);
    assert!(
        errors(&output).starts_with("error: cannot create file/d: "),
        "{}",
        errors(&output)
    );
    let output = thixo(
        &place,
        &["run", "tiny.toml", "--out", "file", "--overwrite"],
    );
    assert_eq!(code(&output), 2);
    assert_eq!(fs::read(place.join("file")).unwrap(), b"mine");
}

/// `checkpoint-format-1` holds a run by a program that wrote checkpoints of format 1.
#[test]
fn a_checkpoint_of_an_earlier_format_is_refused_with_a_way_out() {
    let place = workplace("format-1");
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checkpoint-format-1");
    copy_directory(&fixture.join("run"), &place.join("run"));
    let resume = "run run/scene.toml --out run --resume --quiet";
    let output = Command::new(env!("CARGO_BIN_EXE_thixo"))
        .args(resume.split(' '))
        .env("THIXO_ISA", "portable")
        .current_dir(&place)
        .output()
        .unwrap();
    assert_eq!(code(&output), 2, "{}", errors(&output));
    assert!(
        errors(&output).contains(
            "the saved state has format 1, this program reads format 3; use the version of thixo \
             that wrote it, or start the run again"
        ),
        "{}",
        errors(&output)
    );
}

fn copy_directory(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_directory(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
