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

/// The lines of a file up to that of `frame`; where one is missing or out of order, its number.
pub fn until(text: &str, frame: u32) -> Result<String, u32> {
    let mut lines = text
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    let mut kept = String::new();
    if lines.next().map(str::trim_end) != Some(HEADER) {
        return Err(0);
    }
    kept.push_str(HEADER);
    kept.push('\n');
    for number in 0..=frame {
        let is_next = |line: &&str| line.split(',').next() == Some(number.to_string().as_str());
        let line = lines.next().filter(is_next).ok_or(number)?;
        kept.push_str(line);
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_cut_behind_a_frame_and_half_a_line_does_not_count() {
        let text = format!("{HEADER}\n0,a\n1,b\n2,c\n3,");
        assert_eq!(until(&text, 1).unwrap(), format!("{HEADER}\n0,a\n1,b\n"));
        assert_eq!(
            until(&text, 2).unwrap(),
            format!("{HEADER}\n0,a\n1,b\n2,c\n")
        );
        assert_eq!(until(&text, 3), Err(3));
        assert_eq!(until("", 0), Err(0));
        assert_eq!(until(&format!("{HEADER}\n0,a\n2,c\n"), 2), Err(1));
    }
}
