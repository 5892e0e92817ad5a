//! `thixo mesh`: from a run to surfaces, read again by readers that know nothing of the writers.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{code, errors, names, thixo, workplace};
use serde_json::Value;

/// A turning ball and one at rest, of which frame 0 is all that is needed.
const BALLS: &str = r##"
title = "Two balls"
dimension = 3
grid = { spacing = 0.05 }
time = { frames = 1, fps = 1000 }
materials.jelly = { model = "neo_hookean", density = 1000, young_modulus = 1e4, poisson_ratio = 0.3 }
materials.water = { model = "fluid", density = 1000, bulk_modulus = 1e5 }
[[objects]]
name = "the turning ball"
material = "jelly"
shape = { sphere = { center = [0, 0, 0], radius = 0.25 } }
angular_velocity = [0, 0, 4]
color = "#ff8000"
[[objects]]
material = "water"
shape = { sphere = { center = [1, 0, 0], radius = 0.2 } }
[[emitters]]
name = "tap"
material = "water"
shape = { box = { min = [3, 0, 0], max = [3.2, 0.2, 0.2] } }
velocity = [1, 0, 0]
start = 0.5
"##;

const BALL: f64 = 4.0 / 3.0 * std::f64::consts::PI * 0.25 * 0.25 * 0.25;

fn after_run(name: &str, precision: &str) -> PathBuf {
    let place = workplace(name);
    fs::write(place.join("balls.toml"), BALLS).unwrap();
    let run = thixo(
        &place,
        &["run", "balls.toml", "--quiet", "--precision", precision],
    );
    assert_eq!(code(&run), 0, "{}", errors(&run));
    place
}

/// Runs the command, which must succeed, and returns what it says of its meshes.
fn meshes(place: &Path, more: &[&str]) -> Vec<Value> {
    let arguments = [&["mesh", "out/balls", "--json"], more].concat();
    let output = thixo(place, &arguments);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    said["meshes"].as_array().unwrap().clone()
}

/// Columns of vertices by name, and triangles.
struct Read {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    triangles: Vec<[usize; 3]>,
}

impl Read {
    fn column(&self, name: &str) -> &[f64] {
        let index = self.names.iter().position(|own| own == name);
        &self.columns[index.unwrap_or_else(|| panic!("no {name} in {:?}", self.names))]
    }

    fn points(&self, names: [&str; 3]) -> Vec<[f64; 3]> {
        let [x, y, z] = names.map(|name| self.column(name));
        (0..x.len()).map(|k| [x[k], y[k], z[k]]).collect()
    }
}

/// Reads a binary PLY mesh by the format's specification.
fn read_ply(bytes: &[u8]) -> Read {
    let end = bytes
        .windows(11)
        .position(|w| w == b"end_header\n")
        .unwrap();
    let header = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut counts = Vec::new();
    let mut properties = Vec::new();
    for line in header.lines() {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["element", _, count] => counts.push(count.parse::<usize>().unwrap()),
            ["property", "list", "uchar", "int", "vertex_indices"] => {}
            ["property", kind, name] => properties.push((kind.to_owned(), name.to_owned())),
            ["ply"] | ["comment", ..] | ["format", "binary_little_endian", "1.0"] => {}
            _ => panic!("{line}"),
        }
    }
    let mut rest = &bytes[end + 11..];
    let mut take = |size: usize| {
        let (field, tail) = rest.split_at(size);
        rest = tail;
        field
    };
    let mut columns = vec![Vec::new(); properties.len()];
    for _ in 0..counts[0] {
        for (column, (kind, _)) in columns.iter_mut().zip(&properties) {
            column.push(match kind.as_str() {
                "float" => f64::from(f32::from_le_bytes(take(4).try_into().unwrap())),
                "double" => f64::from_le_bytes(take(8).try_into().unwrap()),
                "uchar" => f64::from(take(1)[0]),
                _ => panic!("{kind}"),
            });
        }
    }
    let mut triangles = Vec::new();
    for _ in 0..counts[1] {
        assert_eq!(take(1), [3]);
        let mut corner = || i32::from_le_bytes(take(4).try_into().unwrap()) as usize;
        triangles.push([corner(), corner(), corner()]);
    }
    assert!(take(0).is_empty() && rest.is_empty());
    Read {
        names: properties.into_iter().map(|(_, name)| name).collect(),
        columns,
        triangles,
    }
}

/// The volume within triangles.
fn volume(points: &[[f64; 3]], triangles: &[[usize; 3]]) -> f64 {
    let tetrahedron = |[a, b, c]: [[f64; 3]; 3]| {
        let cross = [
            b[1] * c[2] - b[2] * c[1],
            b[2] * c[0] - b[0] * c[2],
            b[0] * c[1] - b[1] * c[0],
        ];
        (a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2]) / 6.0
    };
    triangles
        .iter()
        .map(|corners| tetrahedron(corners.map(|k| points[k])))
        .sum()
}

/// Every edge belongs to two triangles that run along it in opposite directions.
fn is_closed(triangles: &[[usize; 3]]) -> bool {
    let mut edges = std::collections::BTreeMap::new();
    for [a, b, c] in triangles {
        for edge in [[a, b], [b, c], [c, a]] {
            *edges.entry(edge).or_insert(0) += 1;
        }
    }
    edges
        .iter()
        .all(|([a, b], count)| *count == 1 && edges.contains_key(&[*b, *a]))
}

#[test]
fn objects_become_closed_meshes_with_the_numbers_of_their_matter() {
    for (precision, real) in [("f32", "float"), ("f64", "double")] {
        let place = after_run(&format!("mesh-{precision}"), precision);
        let said = meshes(&place, &["--frames", "0"]);
        let folder = place.join("out/balls/mesh");
        let expected = [
            "frame_00000_tap.ply",
            "frame_00000_the_turning_ball.ply",
            "frame_00000_water-1.ply",
        ];
        assert_eq!(names(&folder), expected);
        assert_eq!(said[0]["part"], "the turning ball");
        assert_eq!(
            (&said[2]["triangles"], &said[2]["particles"]),
            (&0.into(), &0.into())
        );
        let bytes = fs::read(folder.join("frame_00000_the_turning_ball.ply")).unwrap();
        let kind = format!("property {real} vx\n");
        assert!(bytes.windows(kind.len()).any(|w| w == kind.as_bytes()));
        let mesh = read_ply(&bytes);
        assert!(is_closed(&mesh.triangles) && said[0]["open_edges"] == 0);
        let points = mesh.points(["x", "y", "z"]);
        let volume = volume(&points, &mesh.triangles);
        assert!((volume / BALL - 1.0).abs() < 0.03, "{}", volume / BALL);
        assert!((said[0]["volume"].as_f64().unwrap() / volume - 1.0).abs() < 1e-4);
        let speeds = mesh
            .column("speed")
            .iter()
            .zip(mesh.points(["vx", "vy", "vz"]));
        for ([x, y, _], (speed, v)) in points.iter().zip(speeds) {
            // The velocity of a turn by 4/s about z.
            let error = [v[0] + 4.0 * y, v[1] - 4.0 * x, v[2]].map(f64::abs);
            assert!(error.iter().all(|e| *e < 0.02), "{error:?}");
            assert!((speed - v[0].hypot(v[1]).hypot(v[2])).abs() < 1e-5);
        }
        assert!(mesh.column("j").iter().all(|j| (j - 1.0).abs() < 1e-5));
        assert!(mesh.column("red").iter().all(|r| *r == 255.0));
        assert!(
            mesh.column("green")
                .iter()
                .all(|g| (127.0..=129.0).contains(g))
        );
    }
}

#[test]
fn wavefront_and_stereolithography_files_have_the_same_shape_and_fill_with_matter_again() {
    let place = after_run("mesh-shapes", "f32");
    let mut volumes = Vec::new();
    for format in ["ply", "obj", "stl"] {
        meshes(&place, &["--frames", "0", "--format", format]);
        let file = format!("out/balls/mesh/frame_00000_the_turning_ball.{format}");
        let bytes = fs::read(place.join(&file)).unwrap();
        let (points, triangles) = match format {
            "ply" => {
                let mesh = read_ply(&bytes);
                (mesh.points(["x", "y", "z"]), mesh.triangles)
            }
            "obj" => read_obj(std::str::from_utf8(&bytes).unwrap()),
            _ => read_stl(&bytes),
        };
        volumes.push((volume(&points, &triangles), triangles.len()));
        // The scene's own reader refuses holes, and what it fills has the mass of the ball.
        let scene = BALLS.replace(
            "sphere = { center = [0, 0, 0], radius = 0.25 }",
            &format!("mesh = {{ file = \"{file}\" }}"),
        );
        fs::write(place.join("again.toml"), scene).unwrap();
        let output = thixo(&place, &["check", "again.toml", "--json"]);
        assert_eq!(code(&output), 0, "{}", errors(&output));
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &errors(&output);
        assert!(
            !said.contains("open edges") && !said.contains("inside out"),
            "{said}"
        );
    }
    for (volume, triangles) in &volumes {
        assert!((volume / volumes[0].0 - 1.0).abs() < 1e-5, "{volumes:?}");
        assert_eq!(*triangles, volumes[0].1);
    }
}

fn read_obj(text: &str) -> (Vec<[f64; 3]>, Vec<[usize; 3]>) {
    let (mut points, mut normals, mut triangles) = (Vec::new(), 0, Vec::new());
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["v", x, y, z, r, g, b] => {
                points.push([x, y, z].map(|x| x.parse::<f64>().unwrap()));
                assert_eq!((r, b), ("1.0000", "0.0000"));
                assert!(g.starts_with("0.50"), "{g}");
            }
            ["vn", ..] => normals += 1,
            ["f", a, b, c] => triangles.push([a, b, c].map(|corner| {
                let (vertex, normal) = corner.split_once("//").unwrap();
                assert_eq!(vertex, normal);
                vertex.parse::<usize>().unwrap() - 1
            })),
            ["o", name] => assert_eq!(name, "the_turning_ball"),
            _ => assert!(line.starts_with('#'), "{line}"),
        }
    }
    assert_eq!(points.len(), normals);
    (points, triangles)
}

fn read_stl(bytes: &[u8]) -> (Vec<[f64; 3]>, Vec<[usize; 3]>) {
    let count = u32::from_le_bytes(bytes[80..84].try_into().unwrap()) as usize;
    assert_eq!(bytes.len(), 84 + 50 * count);
    assert!(!bytes.starts_with(b"solid"));
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for triangle in bytes[84..].chunks_exact(50) {
        let number = |k: usize| {
            let field = triangle[4 * k..4 * k + 4].try_into().unwrap();
            f64::from(f32::from_le_bytes(field))
        };
        let first = points.len();
        points.extend([3, 6, 9].map(|k| [number(k), number(k + 1), number(k + 2)]));
        triangles.push([first, first + 1, first + 2]);
    }
    (points, triangles)
}

#[test]
fn a_glb_file_is_read_by_another_library() {
    let place = after_run("mesh-glb", "f32");
    let said = meshes(
        &place,
        &["--frames", "0", "--format", "glb", "--attributes", "j,mass"],
    );
    let bytes = fs::read(place.join("out/balls/mesh/frame_00000_the_turning_ball.glb")).unwrap();
    let file = gltf::Gltf::from_slice(&bytes).unwrap();
    let blob = file.blob.as_deref().unwrap();
    let mesh = file.meshes().next().unwrap();
    assert_eq!(mesh.name(), Some("the turning ball"));
    let primitive = mesh.primitives().next().unwrap();
    let reader = primitive.reader(|_| Some(blob));
    let points: Vec<[f64; 3]> = reader
        .read_positions()
        .unwrap()
        .map(|x| x.map(f64::from))
        .collect();
    let corners: Vec<usize> = reader
        .read_indices()
        .unwrap()
        .into_u32()
        .map(|k| k as usize)
        .collect();
    let triangles = corners.as_chunks::<3>().0;
    assert!(is_closed(triangles));
    let volume = volume(&points, triangles);
    assert!((volume / said[0]["volume"].as_f64().unwrap() - 1.0).abs() < 1e-4);
    let bounds = primitive.bounding_box();
    let least = points.iter().map(|x| x[0]).fold(f64::INFINITY, f64::min);
    assert_eq!(f64::from(bounds.min[0]), least);
    for normal in reader.read_normals().unwrap() {
        let length = normal.iter().map(|x| x * x).sum::<f32>();
        assert!((length - 1.0).abs() < 1e-5);
    }
    // Colours of files are linear: half of the light in bytes is less in light.
    for color in reader.read_colors(0).unwrap().into_rgba_f32() {
        let expected = [1.0, 0.2159, 0.0, 1.0];
        assert!(
            color
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 2e-3),
            "{color:?}"
        );
    }
    // Blender mixes up attributes of a name of their own unless all have the same size.
    let own: std::collections::BTreeMap<String, Vec<f64>> = primitive
        .attributes()
        .filter_map(|(semantic, accessor)| match semantic {
            gltf::Semantic::Extras(name) => Some((name, accessor)),
            _ => None,
        })
        .map(|(name, accessor)| {
            assert_eq!(accessor.dimensions(), gltf::accessor::Dimensions::Scalar);
            assert_eq!(accessor.data_type(), gltf::accessor::DataType::F32);
            let start = accessor.view().unwrap().offset() + accessor.offset();
            let bytes = &blob[start..start + 4 * accessor.count()];
            let numbers = bytes.as_chunks::<4>().0.iter();
            let numbers = numbers.map(|x| f64::from(f32::from_le_bytes(*x)));
            (name, numbers.collect())
        })
        .collect();
    let own_names: Vec<&str> = own.keys().map(String::as_str).collect();
    assert_eq!(own_names, ["J", "MASS", "VX", "VY", "VZ"]);
    for (k, [x, y, _]) in points.iter().enumerate() {
        let error = [own["VX"][k] + 4.0 * y, own["VY"][k] - 4.0 * x, own["VZ"][k]];
        assert!(error.iter().all(|e| e.abs() < 0.02), "{error:?}");
    }
    let empty = fs::read(place.join("out/balls/mesh/frame_00000_tap.glb")).unwrap();
    assert_eq!(gltf::Gltf::from_slice(&empty).unwrap().meshes().count(), 0);
}

#[test]
fn what_cannot_be_meshed_is_said() {
    let place = after_run("mesh-refused", "f32");
    let refused = |arguments: &[&str]| {
        let output = thixo(&place, &[&["mesh"], arguments].concat());
        assert_eq!(code(&output), 2, "{}", errors(&output));
        errors(&output)
    };
    assert!(refused(&["out/nowhere"]).contains("there is no directory"));
    assert!(refused(&["out/balls", "--frames", "7.."]).contains("the run has frames 0 to 1"));
    assert!(refused(&["out/balls", "--attributes", "presure"]).contains("no column \"presure\""));
    assert!(refused(&["out/balls", "--radius=-1"]).contains("1e-12 to 1e12"));
    assert_eq!(code(&thixo(&place, &["run", "tiny.toml", "--quiet"])), 0);
    assert!(refused(&["out/tiny"]).contains("a run in 2D"));
    // Nothing is replaced unasked, and materials and all matter have names of their own.
    meshes(&place, &["--by", "material"]);
    assert_eq!(names(&place.join("out/balls/mesh")).len(), 4);
    assert!(refused(&["out/balls", "--by", "material"]).contains("--overwrite"));
    meshes(&place, &["--by", "material", "--overwrite"]);
    meshes(&place, &["--by", "all"]);
    assert!(place.join("out/balls/mesh/frame_00001.ply").is_file());
    // A frame that is gone is said, a damaged one stops with its name.
    let particles = place.join("out/balls/particles");
    let last = particles.join("frame_00001.ply");
    let bytes = fs::read(&last).unwrap();
    fs::write(&last, &bytes[..bytes.len() - 5]).unwrap();
    assert!(refused(&["out/balls", "--by", "all", "--overwrite"]).contains("frame_00001.ply has"));
    fs::write(particles.join("frame_00003.ply"), &bytes).unwrap();
    fs::remove_file(&last).unwrap();
    let output = thixo(&place, &["mesh", "out/balls", "--by", "all", "--overwrite"]);
    assert_eq!(code(&output), 0);
    assert!(
        errors(&output).contains("frames 1, 2 are missing"),
        "{}",
        errors(&output)
    );
    assert!(String::from_utf8_lossy(&output.stdout).contains("2 meshes"));
    fs::remove_dir_all(&particles).unwrap();
    assert!(refused(&["out/balls"]).contains("no frames as PLY"));
}
