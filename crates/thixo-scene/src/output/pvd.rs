//! Collections of VTK files with their times (`.pvd`), with which ParaView opens a whole run.

use std::io::{self, Write};

/// Writes the collection of some files, each with its simulated time \[s\].
pub fn write(out: &mut impl Write, files: &[(f64, String)]) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\"?>")?;
    writeln!(
        out,
        "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>"
    )?;
    for (time, file) in files {
        writeln!(
            out,
            "<DataSet timestep=\"{time:?}\" group=\"\" part=\"0\" file=\"{file}\"/>"
        )?;
    }
    writeln!(out, "</Collection>\n</VTKFile>")
}
