//! Adjacency of vertices and triangles.

/// Lists of indices, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adjacency {
    starts: Vec<u32>,
    indices: Vec<u32>,
}

impl Adjacency {
    /// One list.
    pub fn of(&self, k: usize) -> &[u32] {
        &self.indices[self.starts[k] as usize..self.starts[k + 1] as usize]
    }

    /// The triangles around every vertex, in their order.
    pub fn triangles_of_vertices(vertices: usize, triangles: &[[u32; 3]]) -> Self {
        let mut starts = vec![0; vertices + 1];
        for corner in triangles.as_flattened() {
            starts[*corner as usize + 1] += 1;
        }
        for k in 0..vertices {
            starts[k + 1] += starts[k];
        }
        let mut next = starts.clone();
        let mut indices = vec![0; triangles.len() * 3];
        for (triangle, corners) in (0..).zip(triangles) {
            for corner in corners {
                let place = &mut next[*corner as usize];
                indices[*place as usize] = triangle;
                *place += 1;
            }
        }
        Self { starts, indices }
    }

    /// The vertices next to every vertex. On a watertight surface every edge runs once in either
    /// direction, so the corner after a vertex in the triangles around it are all of them.
    pub fn vertices_of_vertices(&self, triangles: &[[u32; 3]]) -> Self {
        let mut indices = self.indices.clone();
        let mut vertex = 0;
        for (place, index) in indices.iter_mut().enumerate() {
            while self.starts[vertex + 1] as usize <= place {
                vertex += 1;
            }
            let [a, b, c] = triangles[*index as usize];
            *index = match vertex as u32 {
                v if v == a => b,
                v if v == b => c,
                _ => a,
            };
        }
        let starts = self.starts.clone();
        Self { starts, indices }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_an_octahedron() {
        // Corners 0 and 5 are the poles, 1 to 4 go round.
        let mut triangles = Vec::new();
        for k in 0..4u32 {
            let (a, b) = (1 + k, 1 + (k + 1) % 4);
            triangles.extend([[0, a, b], [5, b, a]]);
        }
        let around = Adjacency::triangles_of_vertices(6, &triangles);
        assert_eq!(around.of(0), [0, 2, 4, 6]);
        assert_eq!(around.of(1), [0, 1, 6, 7]);
        let next = around.vertices_of_vertices(&triangles);
        let sorted = |k: usize| {
            let mut own = next.of(k).to_vec();
            own.sort_unstable();
            own
        };
        assert_eq!(sorted(0), [1, 2, 3, 4]);
        assert_eq!(sorted(5), [1, 2, 3, 4]);
        assert_eq!(sorted(2), [0, 1, 3, 5]);
    }
}
