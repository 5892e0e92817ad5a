//! Quantities that frames hold on request, in every format.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::python::python;
use crate::program::{MIXED, TINY, code, errors, names, read_ply, record, thixo, workplace};
use thixo_scene::frame::{Column, ColumnShape, Frame, Values};
use thixo_scene::npz::{self, Zip64};

const EVERYTHING: &str = r#"[output]
formats = ["ply", "vtp", "vtu", "npz"]
columns = ["id", "stress", "pressure", "deformation", "left_cauchy_green", "velocity_gradient", "plastic"]
every = 3
"#;

/// A run of everything in the precision, in the directory `d`.
fn run(name: &str, precision: &str) -> PathBuf {
    let place = workplace(name);
    let scene = MIXED.replace("[output]\ncheckpoint_every = 2\n", EVERYTHING);
    fs::write(place.join("all.toml"), scene).unwrap();
    let output = thixo(
        &place,
        &[
            "run",
            "all.toml",
            "--out",
            "d",
            "--quiet",
            "--frames",
            "7",
            "--precision",
            precision,
        ],
    );
    assert_eq!(code(&output), 0, "{}", errors(&output));
    place
}

fn columns(directory: &Path, frame: u32) -> BTreeMap<String, Vec<f64>> {
    let path = directory.join(format!("particles/frame_{frame:05}.ply"));
    let (names, columns) = read_ply(&fs::read(path).unwrap());
    names.into_iter().zip(columns).collect()
}

#[test]
fn columns_on_request_say_what_is_known_of_the_matter() {
    let place = run("columns", "f64");
    let directory = place.join("d");
    let mut expected = Vec::new();
    for frame in ["00000", "00003", "00006"] {
        for end in ["npz", "ply", "vtp", "vtu"] {
            expected.push(format!("frame_{frame}.{end}"));
        }
    }
    // And the times of the frames of VTK files, one collection for each format.
    expected.extend(["series_vtp.pvd", "series_vtu.pvd"].map(str::to_owned));
    assert_eq!(names(&directory.join("particles")), expected);
    let materials = record(&directory)["materials"].clone();
    assert_eq!(materials[0], "jelly");
    assert_eq!(materials[3], "water");

    let start = columns(&directory, 0);
    let later = columns(&directory, 6);
    let count = start["x"].len();
    for p in 0..count {
        let at = |name: &str| start[name][p];
        assert_eq!(at("id"), p as f64);
        let f = ["xx", "xy", "yx", "yy"].map(|end| at(&format!("deformation_{end}")));
        let b = ["xx", "xy", "yx", "yy"].map(|end| at(&format!("left_cauchy_green_{end}")));
        let c = ["xx", "xy", "yx", "yy"].map(|end| at(&format!("velocity_gradient_{end}")));
        let plastic = [
            "log_plastic_volume_ratio",
            "plastic_strain",
            "plastic_volume_ratio",
        ]
        .map(at);
        // At the start matter is at rest, and the jelly turns at 3 rad/s.
        let material = materials[at("material") as usize].as_str().unwrap();
        let (known_f, known_b, known_plastic) = match material {
            "jelly" => (true, true, [false; 3]),
            "sand" => (false, true, [true, true, false]),
            "snow" => (false, true, [false, false, true]),
            _ => (false, false, [false; 3]),
        };
        let identity = [1.0, 0.0, 0.0, 1.0];
        if known_f {
            assert_eq!(f, identity, "{material}");
        } else {
            assert!(f.iter().all(|x| x.is_nan()), "{material}");
        }
        if known_b {
            assert_eq!(b, identity, "{material}");
        } else {
            assert!(b.iter().all(|x| x.is_nan()), "{material}");
        }
        assert_eq!(plastic.map(|x| !x.is_nan()), known_plastic, "{material}");
        if material == "snow" {
            assert_eq!(plastic[2], 1.0);
        }
        let spin = if material == "jelly" { 3.0 } else { 0.0 };
        assert_eq!(c, [0.0, -spin, spin, 0.0], "{material}");
        assert_eq!((at("stress_xx"), at("stress_xy")), (0.0, 0.0));
    }
    let mut pressed = 0;
    let mut hardened = 0;
    for p in 0..count {
        let at = |name: &str| later[name][p];
        let mean = -0.5 * (at("stress_xx") + at("stress_yy"));
        assert!((at("pressure") - mean).abs() <= 1e-12 * mean.abs().max(1.0));
        assert_eq!(at("stress_xy"), at("stress_yx"));
        let material = materials[at("material") as usize].as_str().unwrap();
        match material {
            "jelly" => {
                let [xx, xy, yx, yy] =
                    ["xx", "xy", "yx", "yy"].map(|end| at(&format!("deformation_{end}")));
                let j = xx * yy - xy * yx;
                assert!((j / at("j") - 1.0).abs() < 1e-12);
                let b = at("left_cauchy_green_xy");
                assert!((b - (xx * yx + xy * yy)).abs() < 1e-12);
            }
            // Compressed water pushes back.
            "water" if at("j") < 1.0 => {
                assert!(at("pressure") > 0.0);
                pressed += 1;
            }
            "sand" => hardened += usize::from(at("plastic_strain") > 0.0),
            _ => {}
        }
    }
    assert!(pressed > 0 && hardened > 0, "{pressed} {hardened}");
}

/// Raw arrays of a VTK file by name, read by the format's specification.
fn read_vtk(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mark = b"<AppendedData encoding=\"raw\">\n_";
    let start = bytes.windows(mark.len()).position(|w| w == mark).unwrap();
    let header = std::str::from_utf8(&bytes[..start]).unwrap();
    let data = &bytes[start + mark.len()..];
    let mut arrays = BTreeMap::new();
    for line in header.lines().filter(|line| line.contains("\"appended\"")) {
        let attribute = |name: &str| {
            let rest = line.split_once(&format!(" {name}=\"")).unwrap().1;
            rest.split_once('"').unwrap().0.to_owned()
        };
        let offset: usize = attribute("offset").parse().unwrap();
        let length = u64::from_le_bytes(data[offset..offset + 8].try_into().unwrap());
        let array = &data[offset + 8..offset + 8 + length as usize];
        arrays.insert(attribute("Name"), array.to_vec());
    }
    arrays
}

/// Arrays of an uncompressed archive by name, with their heads cut off.
fn read_npz(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let number = |at: usize, width: usize| {
        bytes[at..at + width]
            .iter()
            .rev()
            .fold(0, |sum, byte| sum << 8 | usize::from(*byte))
    };
    let mut arrays = BTreeMap::new();
    let mut at = 0;
    while bytes[at..].starts_with(b"PK\x03\x04") {
        let (size, name) = (number(at + 18, 4), number(at + 26, 2));
        let data = at + 30 + name;
        let name = std::str::from_utf8(&bytes[at + 30..data]).unwrap();
        let head = 10 + number(data + 8, 2);
        assert_eq!(head % 64, 0);
        arrays.insert(name.to_owned(), bytes[data + head..data + size].to_vec());
        at = data + size;
    }
    assert!(bytes[at..].starts_with(b"PK\x01\x02"));
    arrays
}

#[test]
fn all_formats_hold_the_same_numbers() {
    let place = run("formats", "f32");
    let file = |end: &str| fs::read(place.join(format!("d/particles/frame_00003.{end}"))).unwrap();
    let npz = read_npz(&file("npz"));
    let (vtp, vtu) = (read_vtk(&file("vtp")), read_vtk(&file("vtu")));
    assert_eq!(npz.len(), 17);
    for (name, array) in &npz {
        let name = name.strip_suffix(".npy").unwrap();
        if name != "time" {
            assert!(vtp[name] == *array && vtu[name] == *array, "{name}");
        }
    }
    let ply = columns(&place.join("d"), 3);
    let count = ply["x"].len();
    let floats = |name: &str| -> Vec<f64> {
        let numbers = npz[name].chunks_exact(4);
        numbers
            .map(|x| f64::from(f32::from_le_bytes(x.try_into().unwrap())))
            .collect()
    };
    let (velocity, stress) = (floats("velocity.npy"), floats("stress.npy"));
    for p in 0..count {
        assert_eq!(ply["vy"][p], velocity[3 * p + 1]);
        assert_eq!(ply["stress_yx"][p], stress[4 * p + 2]);
    }
    assert_eq!(vtu["types"], vec![1; count]);
    assert_eq!(vtp["offsets"][..8], 1u64.to_le_bytes());
    assert_eq!(npz["time.npy"], (3.0f64 / 50.0).to_le_bytes());
}

#[test]
fn requests_that_cannot_be_met_are_refused() {
    let place = workplace("requests");
    let refused = |output: &str, physics: &str, words: &str| {
        let scene = MIXED
            .replace("checkpoint_every = 2", output)
            .replace("[physics]", &format!("[physics]\n{physics}"));
        fs::write(place.join("bad.toml"), scene).unwrap();
        let output = thixo(&place, &["run", "bad.toml"]);
        assert_eq!(code(&output), 2, "{}", errors(&output));
        assert!(errors(&output).contains(words), "{}", errors(&output));
    };
    refused("every = 0", "", "output.every is 0; it must be at least 1");
    refused(
        "checkpoint_every = 0",
        "",
        "output.checkpoint_every is 0; it must be at least 1",
    );
    refused(
        "formats = [\"ply\", \"ply\"]",
        "",
        "output.formats[1] is \"ply\"; it must be listed once",
    );
    refused(
        "formats = [\"plj\"]",
        "",
        "output.formats[0] is \"plj\"; did you mean \"ply\"?",
    );
    refused("columns = [\"stres\"]", "", "did you mean \"stress\"?");
    refused("evry = 2", "", "did you mean \"every\"?");
    refused(
        "columns = [\"velocity_gradient\"]",
        "transfer = \"flip\"",
        "output.columns[0] is \"velocity_gradient\"; it must be left out, or physics.transfer \"mls\" or \"apic\"",
    );
}

/// A run without columns on request of a multiple of three particles, for which meshio takes arrays
/// of a VTU file for one another unless they are in an order that it can follow.
fn plain_run() -> PathBuf {
    let place = workplace("readers-plain");
    let formats = "[output]\nformats = [\"ply\", \"vtu\", \"npz\"]\n[physics]";
    let ball = "[[objects]]\nname = \"ball\"";
    let (head, _) = TINY.split_once(ball).unwrap();
    fs::write(place.join("plain.toml"), head.replace("[physics]", formats)).unwrap();
    let output = thixo(&place, &["run", "plain.toml", "--out", "d", "--quiet"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert_eq!(columns(&place.join("d"), 0)["x"].len() % 3, 0);
    place
}

/// Reads every format with the libraries that people use, where Python and its packages can be had.
#[test]
fn other_programs_read_the_files() {
    let place = run("readers", "f32");
    let double = run("readers-double", "f64");
    let Some(python) = python() else {
        return;
    };
    let plain = plain_run();
    for (place, kind) in [(place, "float32"), (double, "float64"), (plain, "float32")] {
        let output = Command::new(&python)
            .arg(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/tests/command_line/program/readers.py"
            ))
            .arg(place.join("d/particles"))
            .arg(kind)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", errors(&output));
    }
}

/// Frames above 4 GiB need archives with 64-bit sizes. Smaller ones may have them too, and hold the
/// same.
#[test]
fn numpy_reads_zip64_archives() {
    let place = workplace("wide-archives");
    let numbers: Vec<f32> = (0..30_000).map(|k| k as f32 * 0.5).collect();
    let frame = Frame {
        number: 0,
        time: 0.25,
        cells: thixo::lagrangian::Cells::default(),
        particles: 10_000,
        columns: vec![
            Column {
                name: "position".into(),
                unit: "m".into(),
                shape: ColumnShape::Vector(["x", "y", "z"]),
                values: Values::Real(numbers),
            },
            Column {
                name: "object".into(),
                unit: "".into(),
                shape: ColumnShape::Scalar,
                values: Values::Integer((0..10_000).collect()),
            },
        ],
    };
    let write = |name: &str, zip64| {
        let mut bytes = Vec::new();
        npz::write_with(&mut bytes, &frame, zip64).unwrap();
        fs::write(place.join(name), &bytes).unwrap();
        bytes
    };
    let narrow = write("narrow.npz", Zip64::WhereNeeded);
    let wide = write("wide.npz", Zip64::Everywhere);
    let mut plain = Vec::new();
    npz::write(&mut plain, &frame).unwrap();
    assert!(narrow == plain);
    // The record of the directory's end: its place is told by the locator before the last 22 bytes.
    let locator = &wide[wide.len() - 42..wide.len() - 22];
    assert_eq!(&locator[..4], b"PK\x06\x07");
    let end = u64::from_le_bytes(locator[8..16].try_into().unwrap()) as usize;
    assert_eq!(&wide[end..end + 4], b"PK\x06\x06");
    let start = u64::from_le_bytes(wide[end + 48..end + 56].try_into().unwrap()) as usize;
    assert_eq!(&wide[start..start + 4], b"PK\x01\x02");
    let Some(python) = python() else {
        return;
    };
    let script = "import numpy, zipfile\n\
        assert zipfile.ZipFile('wide.npz').testzip() is None\n\
        narrow, wide = numpy.load('narrow.npz'), numpy.load('wide.npz')\n\
        assert set(wide.files) == {'time', 'position', 'object'}\n\
        assert all(numpy.array_equal(narrow[k], wide[k]) for k in wide.files)\n\
        assert wide['position'][9999, 2] == 29999 * 0.5\n";
    let output = Command::new(python)
        .args(["-c", script])
        .current_dir(&place)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", errors(&output));
}
