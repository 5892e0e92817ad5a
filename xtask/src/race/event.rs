//! The events of a race: a scene with its matter, the other program, and how much faster `thixo`
//! has to be.

use std::ffi::OsString;

use clap::ValueEnum;

/// One line of the table of a race, for every number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Event {
    /// A rubber cube in 3D.
    NeoHookean,
    /// A cube of water in 3D.
    Fluid,
    /// A cube of sand in 3D.
    Sand,
    /// A cube of snow in 3D.
    Snow,
    /// Water, jelly and snow in 2D.
    ThreeSquares,
}

impl Event {
    /// The name on the command line and in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::NeoHookean => "neo_hookean",
            Self::Fluid => "fluid",
            Self::Sand => "sand",
            Self::Snow => "snow",
            Self::ThreeSquares => "three_squares",
        }
    }

    /// `thixo` must be at least this many times as fast as Taichi with the same number of threads.
    pub fn required_ratio(self) -> f64 {
        match self {
            Self::NeoHookean | Self::Fluid | Self::Snow => 7.0,
            Self::Sand => 8.0,
            Self::ThreeSquares => 4.0,
        }
    }

    /// Cells along the box unless told otherwise: 2.1 million particles in 3D, a million in 2D.
    pub fn default_cells(self) -> u32 {
        match self {
            Self::ThreeSquares => 960,
            _ => 128,
        }
    }

    /// The Taichi program, in `peers/`.
    pub fn script(self) -> &'static str {
        match self {
            Self::ThreeSquares => "taichi_mls_mpm_2d.py",
            _ => "taichi_mls_mpm_3d.py",
        }
    }

    /// Arguments that tell the Taichi program the event.
    pub fn their_arguments(self) -> Vec<OsString> {
        match self {
            Self::ThreeSquares => Vec::new(),
            _ => vec!["--material".into(), self.name().into()],
        }
    }

    /// Arguments that tell `thixo bench` the event.
    pub fn our_arguments(self) -> Vec<OsString> {
        let scene = match self {
            Self::ThreeSquares => "three-squares",
            _ => "falling-cube",
        };
        let mut arguments = vec!["--scene".into(), scene.into()];
        arguments.extend(self.their_arguments());
        arguments
    }
}
