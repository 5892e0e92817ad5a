//! Meshes that tests need.

use super::read::Mesh;

/// The unit cube.
pub(crate) fn cube() -> Mesh {
    let point = |k: u32| [0, 1, 2].map(|a| f64::from(k >> a & 1));
    let quads = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    Mesh {
        points: (0..8).map(point).collect(),
        triangles: quads
            .iter()
            .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
            .collect(),
    }
}

/// A sphere about the origin: an octahedron with every side divided into 2ⁿ.
pub(crate) fn sphere(level: u32, radius: f64) -> Mesh {
    let n = 1i32 << level;
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for octant in 0..8u32 {
        let sign = [0, 1, 2].map(|a| if octant >> a & 1 == 0 { 1.0 } else { -1.0 });
        let is_mirrored = sign.iter().product::<f64>() < 0.0;
        let mut corner = |i: i32, j: i32| {
            let raw = [f64::from(i), f64::from(j), f64::from(n - i - j)];
            let length = raw.iter().map(|x| x * x).sum::<f64>().sqrt();
            points.push([0, 1, 2].map(|a| sign[a] * radius * raw[a] / length));
            points.len() as u32 - 1
        };
        for i in 0..n {
            for j in 0..n - i {
                let mut put = |t: [u32; 3]| {
                    let [a, b, c] = t;
                    triangles.push(if is_mirrored { [a, c, b] } else { [a, b, c] });
                };
                put([corner(i, j), corner(i + 1, j), corner(i, j + 1)]);
                if i + j + 2 <= n {
                    put([corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)]);
                }
            }
        }
    }
    Mesh { points, triangles }
}

/// A sphere about the origin without its top.
pub(crate) fn holed_sphere(level: u32, radius: f64) -> Mesh {
    let mut mesh = sphere(level, radius);
    let points = &mesh.points;
    mesh.triangles.retain(|t| {
        let height: f64 = t.iter().map(|&k| points[k as usize][2]).sum::<f64>() / 3.0;
        height < 0.9 * radius
    });
    mesh
}

/// Two spheres of radius 0.5 with their middles at x = ±0.3, as one mesh.
pub(crate) fn two_spheres() -> Mesh {
    let mut mesh = sphere(4, 0.5);
    let count = mesh.points.len() as u32;
    let other: Vec<[f64; 3]> = mesh
        .points
        .iter()
        .map(|p| [p[0] + 0.3, p[1], p[2]])
        .collect();
    for point in &mut mesh.points {
        point[0] -= 0.3;
    }
    mesh.points.extend(other);
    let triangles: Vec<[u32; 3]> = mesh
        .triangles
        .iter()
        .map(|t| t.map(|k| k + count))
        .collect();
    mesh.triangles.extend(triangles);
    mesh
}
