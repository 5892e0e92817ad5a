//! The time to read a scene with a mesh of two million triangles:
//! `cargo run --release -p thixo-scene --example large_mesh`.

use std::error::Error;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use thixo_scene::Scene;
use thixo_scene::fuzzing::read_mesh;

/// Every side of an octahedron is divided into so many.
const DIVISIONS: u32 = 512;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("thixo-large-mesh-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let outcome = measure(&folder);
    std::fs::remove_dir_all(&folder)?;
    outcome
}

fn measure(folder: &Path) -> Result<(), Box<dyn Error>> {
    write_sphere(&folder.join("sphere.stl"))?;
    let bytes = std::fs::read(folder.join("sphere.stl"))?;
    let binary = triangles(&bytes);
    for (format, bytes) in [("stl", bytes), ("obj", obj(&binary)), ("ply", ply(&binary))] {
        let start = Instant::now();
        let count = read_mesh(&bytes, format)?;
        let seconds = start.elapsed().as_secs_f64();
        let size = bytes.len() as f64 / 1e6;
        println!("reading {count} triangles from {size:.0} MB of {format}: {seconds:.2} s");
    }
    for cells in [64, 128] {
        let text = format!(
            "dimension = 3\n[grid]\nspacing = {}\n[time]\nframes = 1\n\
             [materials.m]\nmodel = 'fluid'\ndensity = 1000\nbulk_modulus = 1e5\n\
             [[objects]]\nmaterial = 'm'\nshape = {{ mesh = {{ file = 'sphere.stl' }} }}\n",
            2.0 / f64::from(cells)
        );
        let start = Instant::now();
        let scene = Scene::parse_in(&text, "large.toml", folder)?;
        let seconds = start.elapsed().as_secs_f64();
        let bound = scene.particle_bound()?;
        let warnings = scene.warnings().len();
        println!(
            "scene, {cells} grid cells across: {seconds:.2} s with reading, looking for defects and distances; {warnings} \
             warnings, at most {bound:.3e} particles"
        );
    }
    Ok(())
}

/// Corners of the triangles of a binary STL file.
fn triangles(stl: &[u8]) -> Vec<[f32; 9]> {
    let number = |record: &[u8], k: usize| {
        let at = 12 + 4 * k;
        f32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]])
    };
    let records = stl[84..].chunks_exact(50);
    records
        .map(|record| std::array::from_fn(|k| number(record, k)))
        .collect()
}

/// The same as an OBJ file.
fn obj(triangles: &[[f32; 9]]) -> Vec<u8> {
    let mut text = String::new();
    for (k, corners) in triangles.iter().enumerate() {
        for [x, y, z] in corners.as_chunks().0 {
            text += &format!("v {x} {y} {z}\n");
        }
        text += &format!("f {} {} {}\n", 3 * k + 1, 3 * k + 2, 3 * k + 3);
    }
    text.into_bytes()
}

/// The same as a binary PLY file.
fn ply(triangles: &[[f32; 9]]) -> Vec<u8> {
    let count = triangles.len();
    let mut file = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n\
         element face {count}\nproperty list uchar int vertex_indices\nend_header\n",
        3 * count
    )
    .into_bytes();
    file.extend(triangles.iter().flatten().flat_map(|x| x.to_le_bytes()));
    for k in 0..count as u32 {
        file.push(3);
        file.extend(
            [3 * k, 3 * k + 1, 3 * k + 2]
                .map(u32::to_le_bytes)
                .as_flattened(),
        );
    }
    file
}

/// A sphere of radius 1 as a binary STL file.
fn write_sphere(path: &Path) -> Result<(), Box<dyn Error>> {
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    file.write_all(&[b' '; 80])?;
    file.write_all(&(8 * DIVISIONS * DIVISIONS).to_le_bytes())?;
    for octant in 0..8u32 {
        let sign = [0, 1, 2].map(|a| if octant >> a & 1 == 0 { 1.0 } else { -1.0 });
        let is_mirrored = octant.count_ones() % 2 == 1;
        let corner = |i: u32, j: u32| {
            let raw = [i, j, DIVISIONS - i - j].map(f64::from);
            let length = raw.iter().map(|x| x * x).sum::<f64>().sqrt();
            [0, 1, 2].map(|a| (sign[a] * raw[a] / length) as f32)
        };
        let mut put = |[a, b, c]: [[f32; 3]; 3]| -> std::io::Result<()> {
            file.write_all(&[0; 12])?;
            for corner in if is_mirrored { [a, c, b] } else { [a, b, c] } {
                for x in corner {
                    file.write_all(&x.to_le_bytes())?;
                }
            }
            file.write_all(&[0; 2])
        };
        for i in 0..DIVISIONS {
            for j in 0..DIVISIONS - i {
                put([corner(i, j), corner(i + 1, j), corner(i, j + 1)])?;
                if i + j + 2 <= DIVISIONS {
                    put([corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)])?;
                }
            }
        }
    }
    Ok(file.flush()?)
}
