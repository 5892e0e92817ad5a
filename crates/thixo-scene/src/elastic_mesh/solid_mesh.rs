//! Tetrahedra as files hold them.

/// Nodes and tetrahedra of a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SolidMesh {
    /// Positions \[m\].
    pub points: Vec<[f64; 3]>,
    /// By indices of points, all of which exist.
    pub tetrahedra: Vec<[u32; 4]>,
}

impl SolidMesh {
    /// Without points that no tetrahedron has, such as those of the geometry alone; the others are
    /// numbered as the tetrahedra name them.
    pub fn without_loose(self) -> Self {
        let mut numbers = vec![u32::MAX; self.points.len()];
        let mut points = Vec::new();
        let tetrahedra = self.tetrahedra.into_iter().map(|vertices| {
            vertices.map(|v| {
                let number = &mut numbers[v as usize];
                if *number == u32::MAX {
                    *number = points.len() as u32;
                    points.push(self.points[v as usize]);
                }
                *number
            })
        });
        let tetrahedra = tetrahedra.collect();
        Self { points, tetrahedra }
    }
}
