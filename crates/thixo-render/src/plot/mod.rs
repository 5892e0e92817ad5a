//! The budgets of runs as figures.
//!
//! [`panels`] goes from runs to what is plotted, [`Figure`] puts it on a [`Sheet`] of lines and
//! letters, and that is drawn twice: as SVG, whose text is text, and as PNG. Both have the same
//! marks at the same places.

mod axis;
mod figure;
mod marks;
mod panel;
mod quantities;
mod raster;
mod svg;

pub use axis::{Axis, Scale};
pub use figure::Figure;
pub use marks::{Anchor, Mark, Sheet};
pub use panel::{Panel, Series};
pub use quantities::{Run, panels};

/// A colour as the bytes of sRGB.
pub type Ink = [u8; 3];

/// Colours of lines, told apart also by those who see few colours: after M. Okabe and K. Ito,
/// "Color universal design" (2008), without the yellow that paper swallows.
pub const INKS: [Ink; 7] = [
    [0x00, 0x72, 0xb2],
    [0xd5, 0x5e, 0x00],
    [0x00, 0x9e, 0x73],
    [0xcc, 0x79, 0xa7],
    [0xe6, 0x9f, 0x00],
    [0x56, 0xb4, 0xe9],
    [0x40, 0x40, 0x40],
];
