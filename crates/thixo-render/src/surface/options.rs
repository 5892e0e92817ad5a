//! Parameters of surface reconstruction.

use super::SurfaceError;

/// Parameters of surface reconstruction. Lengths but the radius are in radii.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SurfaceOptions {
    /// Half the distance of particles \[m\]; without it, half the edge of a cube of the particles'
    /// median rest volume.
    pub radius: Option<f64>,
    /// Half the reach of a particle's kernel \[radii\].
    pub smoothing_length: f64,
    /// Edge of the marching cubes \[radii\].
    pub cube_size: f64,
    /// Level of the isosurface: 0 far away from particles, about 1 among them \[–\].
    pub threshold: f64,
    /// Smoothing passes, in each of which vertices move towards their neighbours.
    pub smoothing: u32,
    /// Columns of the frame, or `speed`, to be found at vertices.
    pub attributes: Vec<String>,
}

impl Default for SurfaceOptions {
    /// Particles of one body may be as far apart as the nodes of the grid, twice as far as at rest:
    /// kernels that reach three times as far leave no holes in water, where those that reach twice
    /// as far do. The threshold puts a flat surface half a particle distance outside of the
    /// outermost layer of a regular arrangement, where the matter ends, and a little (0.02
    /// distances) beyond, as smoothing makes round bodies smaller.
    fn default() -> Self {
        Self {
            radius: None,
            smoothing_length: 3.0,
            cube_size: 0.75,
            threshold: 0.63,
            smoothing: 10,
            attributes: vec!["speed".to_owned(), "j".to_owned()],
        }
    }
}

impl SurfaceOptions {
    /// Refuses numbers that make no surface.
    pub fn check(&self) -> Result<(), SurfaceError> {
        let within = |quantity, value: f64, low: f64, high: f64, range| {
            if (low..=high).contains(&value) {
                Ok(())
            } else {
                Err(SurfaceError::Options {
                    quantity,
                    value,
                    range,
                })
            }
        };
        if let Some(radius) = self.radius {
            within("radius [m]", radius, 1e-12, 1e12, "1e-12 to 1e12")?;
        }
        let length = self.smoothing_length;
        within("smoothing length [radii]", length, 0.5, 10.0, "0.5 to 10")?;
        within("cube size [radii]", self.cube_size, 0.05, 2.0, "0.05 to 2")?;
        within("threshold", self.threshold, 0.01, 0.99, "0.01 to 0.99")?;
        let passes = f64::from(self.smoothing);
        within("number of smoothing passes", passes, 0.0, 1e3, "0 to 1000")
    }

    /// Reach of a particle's kernel \[radii\].
    pub(super) fn support(&self) -> f64 {
        2.0 * self.smoothing_length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_make_no_surface_are_refused_with_their_range() {
        assert!(SurfaceOptions::default().check().is_ok());
        let with = |change: fn(&mut SurfaceOptions)| {
            let mut options = SurfaceOptions::default();
            change(&mut options);
            options.check().unwrap_err().to_string()
        };
        assert_eq!(
            with(|r| r.radius = Some(0.0)),
            "the radius [m] is 0; it must be 1e-12 to 1e12"
        );
        assert!(with(|r| r.radius = Some(f64::NAN)).contains("NaN"));
        assert!(with(|r| r.cube_size = 3.0).contains("0.05 to 2"));
        assert!(with(|r| r.threshold = 1.0).contains("threshold is 1"));
        assert!(with(|r| r.smoothing_length = f64::INFINITY).contains("0.5 to 10"));
        assert!(with(|r| r.smoothing = 100_000).contains("passes is 100000"));
    }
}
