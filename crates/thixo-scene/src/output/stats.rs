//! Budgets of every frame: `stats.csv`.

use thixo::{Audit, FrameReport};

/// The first line.
pub const HEADER: &str = "frame,time,steps,dt_min,dt_max,particles,mass,px,py,pz,lx,ly,lz,kinetic,elastic,potential,max_speed,j_min,j_max,wall_seconds";

/// The line of a frame: its number, the budgets at its end, and what it took. Steps, their shortest and longest \[s\] and the wall time are
/// those since the frame before; zero for frame 0.
pub fn row<const D: usize>(
    frame: u32,
    audit: &Audit<D>,
    report: Option<&FrameReport>,
    wall_seconds: f64,
) -> String {
    let mut momentum = [0.0; 3];
    momentum[..D].copy_from_slice(&audit.momentum);
    let [px, py, pz] = momentum;
    let [lx, ly, lz] = audit.angular_momentum;
    let (steps, dt_min, dt_max) = report.map_or((0, 0.0, 0.0), |report| {
        (report.steps, report.dt_min, report.dt_max)
    });
    let numbers = [
        audit.mass,
        px,
        py,
        pz,
        lx,
        ly,
        lz,
        audit.kinetic,
        audit.elastic,
        audit.potential,
        audit.max_speed,
        audit.j_min,
        audit.j_max,
    ];
    let numbers: Vec<String> = numbers.iter().map(|number| format!("{number:?}")).collect();
    format!(
        "{frame},{:?},{steps},{dt_min:?},{dt_max:?},{},{},{wall_seconds:.6}",
        audit.time,
        audit.particles,
        numbers.join(",")
    )
}
