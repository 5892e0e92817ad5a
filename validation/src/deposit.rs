//! Shape of a heap of sand against a wall at x = 0: thickness column by column, run-out, slope.

use std::f64::consts::FRAC_PI_4;

use anyhow::{Result, bail};
use thixo::{Instance, Scalar, Simulation};

/// Thickness of a heap, one value per column of cells, from the wall outwards.
#[derive(Clone, Debug)]
pub struct Deposit {
    width: f64,
    thickness: Vec<f64>,
}

impl Deposit {
    /// Of all particles, in columns of the given width \[m\]. Thickness is rest volume over width:
    /// that of sand as dense as at first.
    pub fn of<T: Instance<2> + Scalar>(sim: &Simulation<T, 2>, width: f64) -> Self {
        let grains = sim.particles().into_iter().map(|particle| {
            let distance = particle.position[0].max(0.0);
            (distance, particle.rest_volume.to_f64() / width)
        });
        Self::from_grains(grains, width)
    }

    /// Of a quarter of a heap around the axis y, between x = 0 and z = 0, in rings of the given
    /// width \[m\]: rest volume over the area of the quarter ring, π/4 (2k + 1) w².
    pub fn rings<T: Instance<3> + Scalar>(sim: &Simulation<T, 3>, width: f64) -> Self {
        let grains = sim.particles().into_iter().map(|particle| {
            let distance = f64::hypot(particle.position[0], particle.position[2]);
            let ring = (distance / width).floor();
            let area = FRAC_PI_4 * (2.0 * ring + 1.0) * width * width;
            (distance, particle.rest_volume.to_f64() / area)
        });
        Self::from_grains(grains, width)
    }

    /// Of distances from the wall or the axis \[m\] and contributions to the thickness \[m\].
    fn from_grains(grains: impl Iterator<Item = (f64, f64)>, width: f64) -> Self {
        let mut thickness = Vec::new();
        for (distance, share) in grains {
            let column = (distance / width) as usize;
            if thickness.len() <= column {
                thickness.resize(column + 1, 0.0);
            }
            thickness[column] += share;
        }
        Self { width, thickness }
    }

    /// End of the heap \[m\]: the first column thinner than `thinnest` \[m\]. Grains that lie apart
    /// beyond it do not count.
    pub fn end(&self, thinnest: f64) -> f64 {
        let columns = self.thickness.iter().take_while(|t| **t >= thinnest);
        columns.count() as f64 * self.width
    }

    /// Height at the wall \[m\], the mean of the first `columns` columns.
    pub fn height(&self, columns: usize) -> f64 {
        self.thickness.iter().take(columns).sum::<f64>() / columns as f64
    }

    /// Angle of the surface \[°\]: the line of least squares through the columns between 20 and 80
    /// % of the largest thickness, without the rounded top and the toe.
    pub fn slope(&self) -> Result<f64> {
        let largest = self.thickness.iter().copied().fold(0.0, f64::max);
        let flank = 0.2 * largest..=0.8 * largest;
        let points: Vec<_> = self
            .thickness
            .iter()
            .enumerate()
            .filter(|(_, t)| flank.contains(t))
            .map(|(column, t)| ((column as f64 + 0.5) * self.width, *t))
            .collect();
        let count = points.len() as f64;
        if count < 4.0 {
            bail!("a slope from {count} columns is no slope: the heap is too small for its grid");
        }
        let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
        let mean_t = points.iter().map(|(_, t)| t).sum::<f64>() / count;
        let (mut xx, mut xt) = (0.0, 0.0);
        for (x, t) in points {
            xx += (x - mean_x).powi(2);
            xt += (x - mean_x) * (t - mean_t);
        }
        Ok((-xt / xx).atan().to_degrees())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_has_its_slope_height_and_end() {
        let tan = 30f64.to_radians().tan();
        let width = 0.1;
        let thickness = (0..40)
            .map(|k| (2.0 - (k as f64 + 0.5) * width * tan).max(0.0))
            .collect();
        let heap = Deposit { width, thickness };
        assert!((heap.slope().unwrap() - 30.0).abs() < 1e-9);
        assert!((heap.height(2) - (2.0 - width * tan)).abs() < 1e-12);
        assert!((heap.end(0.05) - (2.0 - 0.05) / tan).abs() < width);
        let flat = Deposit {
            width,
            thickness: vec![1.0; 5],
        };
        assert!(flat.slope().is_err());
    }
}
