//! Twisted beam: a mesh of tetrahedra beside particles of the same law on the same grid, and how
//! the one comes closer to the other as its elements get smaller.
//!
//! **Source.** Linear tetrahedra in bending and torsion, any textbook on finite elements: a strain
//! that is constant in an element cannot follow one that changes across it, the energy is too large
//! by a share that falls with the square of the size of the elements.
//!
//! **Setup.** A square beam of fixed corotated matter, E = 10⁵ Pa, ν = 0.3, six cells across and 16
//! long, with 2.3 cells at each end in glued grips. One grip turns about the axis by ½ rad in ½ s;
//! local damping (5a). Once it is made of 2³ particles per cell, then of tetrahedra, six in a cube
//! (Kuhn), with 6, 9 and 12 cubes across; the quick version has no 12. No vertex is as deep in the
//! grips as a cell, the depth (8b) that particles are put back to where they are just beyond it:
//! grips of two cells move the vertices there by 2 mm at once, which is 1.6 J.
//!
//! **Measured.** The elastic energy at the end.
//!
//! **Expected.** That of the particles: the grid is the same, the elements alone differ.
//!
//! **Tolerance.** 4 % for the energy extrapolated from the two finest meshes by an error that falls
//! with the square; 6 % for 12 cubes across, which measure 4.7 %. Plain finite elements without a
//! grid, between clamped ends, are 17 % too stiff with 6 cubes across, 10 % with 8, 5 % with 12 and
//! 1 % with 24.
//!
//! **Negative control.** Six cubes across, elements as large as cells, must miss 6 %.

use anyhow::Result;
use thixo::collide::shape::{Cuboid, Moving, SteadyMotion};
use thixo::lagrangian::{ElasticLaw, Solid};
use thixo::material::Meshed;
use thixo::material::elastic::FixedCorotated;
use thixo::{Collider, Contact, Damping, Mesh, Setup, Simulation};

use crate::sampling::lattice;
use crate::{Effort, Row, parallel};

const YOUNG: f64 = 1.0e5;
const POISSON: f64 = 0.3;
const DENSITY: f64 = 1.0e3;
/// Width and length of the beam \[m\].
const WIDTH: f64 = 0.3;
const LENGTH: f64 = 0.8;
/// Spacing of the grid \[m\].
const SPACING: f64 = 0.05;
/// Length of the beam in each grip \[m\].
const GRIPPED: f64 = 0.115;

/// Matter of the beam.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beam {
    Particles,
    /// So many cubes of tetrahedra across.
    Tetrahedra(usize),
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let across: &[usize] = match effort {
        Effort::Quick => &[6, 9],
        Effort::Full => &[6, 9, 12],
    };
    let meshes = across.iter().map(|across| Beam::Tetrahedra(*across));
    let beams: Vec<Beam> = [Beam::Particles].into_iter().chain(meshes).collect();
    let energies = parallel::map(&beams, |beam| twist(*beam))?;
    let (matter, meshes) = (energies[0], &energies[1..]);
    let quantity = "elastic energy [J]";
    let mut rows = Vec::new();
    for (&across, &energy) in across.iter().zip(meshes) {
        let case = format!("twisted beam, {across} cubes across");
        rows.push(match across {
            6 => Row::relative(case, quantity, matter, energy, 0.06).must_miss(),
            12 => Row::relative(case, quantity, matter, energy, 0.06),
            _ => Row::record(case, quantity, energy),
        });
    }
    let last = across.len() - 1;
    let [coarse, fine] = [last - 1, last].map(|k| (across[k] as f64).powi(2));
    let limit = (fine * meshes[last] - coarse * meshes[last - 1]) / (fine - coarse);
    let case = "twisted beam, extrapolated";
    rows.push(Row::relative(case, quantity, matter, limit, 0.04));
    Ok(rows)
}

/// The energy of a twisted beam \[J\].
fn twist(beam: Beam) -> Result<f64> {
    let far = 1.0;
    let still = Cuboid::new([-far; 3], [GRIPPED, far, far])?;
    let turned = Cuboid::new([LENGTH - GRIPPED, -far, -far], [LENGTH + far, far, far])?;
    let motion = SteadyMotion::new([0.0; 3], [0.0; 3], [1.0, 0.0, 0.0])?;
    let turned = Moving::new(turned, motion);
    let mut setup = Setup::<3>::new(SPACING);
    setup.threads = 1;
    setup.damping = Damping::default().with_local(0.5);
    setup.colliders = vec![
        Collider::new(still, Contact::Glued)?,
        Collider::new(turned, Contact::Glued)?,
    ];
    let law = FixedCorotated::from_young_poisson(YOUNG, POISSON)?;
    let mut sim = Simulation::<f64, 3>::new(setup, vec![law.into(), Meshed.into()])?;
    let corner = [0.0, -0.5 * WIDTH, -0.5 * WIDTH];
    match beam {
        Beam::Particles => {
            let across = (2.0 * WIDTH / SPACING).round() as usize;
            let along = (2.0 * LENGTH / SPACING).round() as usize;
            let counts = [along, across, across];
            sim.add(0, &lattice(corner, counts, 0.5 * SPACING, DENSITY))?;
        }
        Beam::Tetrahedra(across) => {
            let along = (LENGTH / WIDTH * across as f64).round() as usize;
            let (positions, tetrahedra) =
                bricks([along, across, across], WIDTH / across as f64, corner);
            let solid = Solid::new(DENSITY, YOUNG, POISSON).with_law(ElasticLaw::FixedCorotated);
            let mesh = Mesh::tetrahedra("beam", &positions, &tetrahedra, solid)?;
            sim.add_mesh(1, mesh, &[])?;
        }
    }
    sim.advance(0.5)?;
    Ok(sim.audit().elastic)
}

/// A box of cubes of an edge \[m\] from a corner, six tetrahedra each: one for every order of the
/// axes.
fn bricks([n, m, l]: [usize; 3], edge: f64, corner: [f64; 3]) -> (Vec<[f64; 3]>, Vec<[u32; 4]>) {
    let at = |[i, j, k]: [usize; 3]| ((k * (m + 1) + j) * (n + 1) + i) as u32;
    let mut positions = Vec::new();
    let mut tetrahedra = Vec::new();
    let orders = [
        [0, 1, 2],
        [1, 2, 0],
        [2, 0, 1],
        [0, 2, 1],
        [2, 1, 0],
        [1, 0, 2],
    ];
    for k in 0..=l {
        for j in 0..=m {
            for i in 0..=n {
                let cube = [i, j, k];
                positions.push(core::array::from_fn(|a| corner[a] + cube[a] as f64 * edge));
                if i == n || j == m || k == l {
                    continue;
                }
                for (number, order) in orders.into_iter().enumerate() {
                    let mut place = cube;
                    let mut own = [at(place); 4];
                    for (step, axis) in order.into_iter().enumerate() {
                        place[axis] += 1;
                        own[step + 1] = at(place);
                    }
                    // Odd orders turn the other way.
                    if number >= 3 {
                        own.swap(2, 3);
                    }
                    tetrahedra.push(own);
                }
            }
        }
    }
    (positions, tetrahedra)
}
