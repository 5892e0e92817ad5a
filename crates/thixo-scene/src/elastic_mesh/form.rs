//! Vertices and elements of the shapes that scenes describe in numbers.

/// The most vertices along an edge of a shape.
pub(super) const MOST_ALONG: f64 = 1e5;

/// Vertices of a shape, and the elements between them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Form<const D: usize> {
    /// Positions \[m\].
    pub positions: Vec<[f64; D]>,
    pub elements: Elements,
}

/// Elements of one kind, by indices of vertices.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Elements {
    /// Triangles of cloth.
    Cloth(Vec<[u32; 3]>),
    /// Rods, vertex after vertex.
    Rods(Vec<Vec<u32>>),
    /// Springs of a stiffness \[N/m\], in cells of a volume \[m³\].
    Springs {
        ends: Vec<[u32; 2]>,
        stiffness: f64,
        volume: f64,
    },
    /// Tetrahedra.
    Tetrahedra(Vec<[u32; 4]>),
    /// Triangles of the plane.
    Triangles(Vec<[u32; 3]>),
}

fn length<const D: usize>(x: [f64; D]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Parts of a length that are not longer than a spacing.
pub(super) fn parts(length: f64, spacing: f64) -> usize {
    (length / spacing * (1.0 - 1e-9))
        .ceil()
        .clamp(1.0, MOST_ALONG) as usize
}

/// A sheet between two edges; diagonals of its squares alternate.
pub(super) fn sheet<const D: usize>(
    corner: [f64; D],
    edges: [[f64; D]; 2],
    spacing: f64,
) -> Form<D> {
    let [n, m] = edges.map(|edge| parts(length(edge), spacing));
    let mut positions = Vec::with_capacity((n + 1) * (m + 1));
    for j in 0..=m {
        for i in 0..=n {
            let (s, t) = (i as f64 / n as f64, j as f64 / m as f64);
            positions.push(core::array::from_fn(|a| {
                corner[a] + s * edges[0][a] + t * edges[1][a]
            }));
        }
    }
    let at = |i: usize, j: usize| (j * (n + 1) + i) as u32;
    let mut triangles = Vec::with_capacity(2 * n * m);
    for j in 0..m {
        for i in 0..n {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend(match (i + j) % 2 {
                0 => [[a, b, c], [a, c, d]],
                _ => [[a, b, d], [b, c, d]],
            });
        }
    }
    Form {
        positions,
        elements: Elements::Cloth(triangles),
    }
}

/// A straight rod and its copies, which begin at displacements \[m\].
pub(super) fn rods<const D: usize>(
    [start, end]: [[f64; D]; 2],
    spacing: f64,
    displacements: &[[f64; D]],
) -> Form<D> {
    let along: [f64; D] = core::array::from_fn(|a| end[a] - start[a]);
    let n = parts(length(along), spacing);
    let mut positions = Vec::new();
    let mut rows = Vec::new();
    for displacement in displacements {
        let first = positions.len() as u32;
        for i in 0..=n {
            let s = i as f64 / n as f64;
            positions.push(core::array::from_fn(|a| {
                start[a] + s * (end[a] - start[a]) + displacement[a]
            }));
        }
        rows.push((first..=first + n as u32).collect());
    }
    Form {
        positions,
        elements: Elements::Rods(rows),
    }
}

/// Point masses in a box, with springs along the axes and the diagonals of faces.
pub(super) fn springs<const D: usize>(
    [min, max]: [[f64; D]; 2],
    spacing: f64,
    stiffness: f64,
) -> Form<D> {
    let counts: [usize; D] = core::array::from_fn(|a| parts(max[a] - min[a], spacing) + 1);
    let total: usize = counts.iter().product();
    let place = |mut k: usize| -> [usize; D] {
        let mut place = [0; D];
        for a in (0..D).rev() {
            place[a] = k % counts[a];
            k /= counts[a];
        }
        place
    };
    let step: [f64; D] =
        core::array::from_fn(|a| (max[a] - min[a]) / (counts[a] - 1).max(1) as f64);
    let position = |k: usize| {
        let place = place(k);
        core::array::from_fn(|a| min[a] + place[a] as f64 * step[a])
    };
    // Half of the neighbours, so that every spring is met once.
    let mut offsets: Vec<[i64; D]> = Vec::new();
    for k in 0..3usize.pow(D as u32) {
        let mut rest = k;
        let offset: [i64; D] = core::array::from_fn(|_| {
            let step = (rest % 3) as i64 - 1;
            rest /= 3;
            step
        });
        let steps = offset.iter().filter(|x| **x != 0).count();
        let first = offset.iter().find(|x| **x != 0);
        if (steps == 1 || steps == 2) && first == Some(&1) {
            offsets.push(offset);
        }
    }
    let mut ends = Vec::new();
    for k in 0..total {
        let own = place(k);
        for offset in &offsets {
            let mut index = 0;
            let is_there = (0..D).all(|a| {
                let at = own[a] as i64 + offset[a];
                index = index * counts[a] + at.max(0) as usize;
                at >= 0 && at < counts[a] as i64
            });
            if is_there {
                ends.push([k as u32, index as u32]);
            }
        }
    }
    Form {
        positions: (0..total).map(position).collect(),
        elements: Elements::Springs {
            ends,
            stiffness,
            volume: step.iter().product(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_and_rods_have_no_longer_edges_than_asked_for() {
        let form = sheet([0.0; 3], [[1.0, 0.0, 0.0], [0.0, 0.55, 0.0]], 0.1);
        assert_eq!(form.positions.len(), 11 * 7);
        assert!(matches!(form.elements, Elements::Cloth(t) if t.len() == 120));
        let form = rods([[0.0, 0.0], [0.0, 1.0]], 0.1, &[[0.0, 0.0], [0.5, 0.0]]);
        assert_eq!(form.positions.len(), 22);
        assert_eq!(form.positions[11], [0.5, 0.0]);
    }

    #[test]
    fn every_spring_exists_once() {
        let form = springs([[0.0; 2], [0.2, 0.2]], 0.1, 1.0);
        let Elements::Springs { ends, volume, .. } = form.elements else {
            panic!("springs are springs");
        };
        // 2 × 3 × 2 along the axes, 2 in each of four squares.
        assert_eq!(ends.len(), 12 + 8);
        assert!((volume - 0.01).abs() < 1e-15);
        let mut sorted: Vec<_> = ends.iter().map(|[i, j]| (i.min(j), i.max(j))).collect();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), ends.len());
    }
}
