//! How long it takes to read a scene with a mesh of two million triangles:
//! `cargo run -p thixo-scene --example large_mesh`.

use std::error::Error;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use thixo_scene::Scene;

/// Every side of an octahedron is divided into so many.
const DIVISIONS: u32 = 512;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("thixo-large-mesh-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    write_sphere(&folder.join("sphere.stl"))?;
    for cells in [64, 128] {
        let text = format!(
            "dimension = 3\n[grid]\nspacing = {}\n[time]\nframes = 1\n\
             [materials.m]\nmodel = 'fluid'\ndensity = 1000\nbulk_modulus = 1e5\n\
             [[objects]]\nmaterial = 'm'\nshape = {{ mesh = {{ file = 'sphere.stl' }} }}\n",
            2.0 / f64::from(cells)
        );
        let start = Instant::now();
        let scene = Scene::parse_in(&text, "large.toml", &folder)?;
        let seconds = start.elapsed().as_secs_f64();
        let bound = scene.particle_bound()?;
        let warnings = scene.warnings().len();
        println!(
            "{} triangles, {cells} grid cells across: {seconds:.2} s, {warnings} warnings, at most {bound:.3e} particles",
            8 * DIVISIONS * DIVISIONS
        );
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
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
