//! Flow curve: the shear stress of a Herschel-Bulkley fluid against its rate of shear.
//!
//! **Source.** The law itself, \[Qu2023\] eq. (3)–(4) with errata E30, solved for steady simple
//! shear.
//!
//! **Setup.** One material point, no grid, double precision, 2D and 3D, h = 0.5, 1 and 2, sheared
//! at 0.03 to 2 per second until the stress is steady. Shear modulus 10⁵ Pa, so that s/μ ≤ 0.1 with
//! s = ‖dev τ‖; a second, softer fluid has s/μ up to 0.8. η = 0 is perfect plasticity. Then the
//! flow is stopped, above and below the yield stress.
//!
//! **Measured.** τ_xy when it no longer changes; ‖dev τ‖ long after the flow has stopped.
//!
//! **Expected.** With principal elastic stretches e^{±c/2}, c = s/(√2 μ), and the plastic rate g
//! along dev τ, b = F_E F_Eᵀ is steady if ∇v b + b ∇vᵀ = 2g (dev τ/s) b: the stretched axis stands
//! at cos 2θ = tanh c, g = γ̇/(√2 cosh c), and τ_xy = s/(√2 cosh c), s = √(2/3) σ_Y + η g^h. For
//! stiff fluids, c → 0: τ_xy = σ_Y/√3 + η 2^{−(h+1)/2} γ̇^h. At rest an excess fades until s =
//! √(2/3) σ_Y, and stress below that stays.
//!
//! **Tolerance.** 2 %: for the stiff law because of cosh c, at s/μ = 0.1 a quarter of a percent,
//! and for both because steps are of finite length, 2 % of the elastic strain each. Stress at rest
//! 1e-6.
//!
//! **Negative controls.** The stiff law for the soft fluid; η taken for the dynamic viscosity, of
//! which it is twice; σ_Y taken for the norm of the deviator at yield; and no yield stress in a
//! fluid that rests, must miss.

use core::f64::consts::SQRT_2;

use anyhow::{Context, Result};
use thixo::material::plastic::HerschelBulkley;
use thixo::material::point::{Motion, Stage, drive};
use thixo_math::Matrix;

use crate::row::worse;
use crate::{Effort, Row};

const TOLERANCE: f64 = 0.02;
const REST_TOLERANCE: f64 = 1e-6;
/// Yield stress in tension \[Pa\], viscosity \[Pa s^h\], Poisson's ratio.
const YIELD: f64 = 1.0e3;
const VISCOSITY: f64 = 2.0e3;
const POISSON: f64 = 0.3;
/// Shear moduli \[Pa\].
const STIFF: f64 = 1.0e5;
const SOFT: f64 = 5.0e3;
/// Rates of shear \[1/s\].
const RATES: [f64; 5] = [0.03, 0.1, 0.3, 1.0, 2.0];

/// A fluid.
#[derive(Clone, Copy, Debug)]
struct Fluid {
    mu: f64,
    yield_stress: f64,
    viscosity: f64,
    exponent: f64,
}

impl Fluid {
    fn law(&self) -> Result<HerschelBulkley> {
        let young = 2.0 * self.mu * (1.0 + POISSON);
        Ok(HerschelBulkley::new(
            young,
            POISSON,
            self.yield_stress,
            self.viscosity,
            self.exponent,
        )?)
    }
    /// ‖dev τ‖ at yield \[Pa\].
    fn yield_norm(&self) -> f64 {
        (2.0f64 / 3.0).sqrt() * self.yield_stress
    }
    /// ‖dev τ‖ in steady shear \[Pa\]: the root of s − s_Y − η g(s)^h, which grows with s.
    fn steady_norm(&self, rate: f64) -> f64 {
        let excess = |s: f64| {
            let g = rate / (SQRT_2 * (s / (SQRT_2 * self.mu)).cosh());
            s - self.yield_norm() - self.viscosity * g.powf(self.exponent)
        };
        let mut low = self.yield_norm();
        let mut high = low + self.viscosity * (rate / SQRT_2).powf(self.exponent);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if excess(middle) < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }
    /// τ_xy in steady shear \[Pa\].
    fn exact(&self, rate: f64) -> f64 {
        let s = self.steady_norm(rate);
        s / (SQRT_2 * (s / (SQRT_2 * self.mu)).cosh())
    }
    /// The same for a fluid that is stiff \[Pa\].
    fn stiff_limit(&self, rate: f64) -> f64 {
        let h = self.exponent;
        self.yield_stress / 3f64.sqrt()
            + self.viscosity * 2f64.powf(-0.5 * (h + 1.0)) * rate.powf(h)
    }
    /// τ_xy measured in steady shear, and ‖dev τ‖ when it has rested \[Pa\].
    fn measure<const D: usize>(&self, rate: f64) -> Result<(f64, f64)> {
        let elastic = self.steady_norm(rate) / self.mu;
        let (strain, steps) = (40.0 * elastic, 2000);
        // Slowest to fade is a small excess of a thickening fluid: its rate falls with it.
        let rest = 1.0e6;
        let test = [
            Stage::new(Motion::shear(rate), strain / rate, steps),
            Stage::new(Motion::Rest, rest, 1000),
        ];
        let records = drive::<_, D>(&self.law()?, &test)?;
        let steady = records.get(steps).context("a last step of shear")?;
        let rested = records.last().context("a last step of rest")?;
        Ok((
            steady.kirchhoff_stress[0][1],
            deviator_norm(&rested.kirchhoff_stress),
        ))
    }
}

fn deviator_norm<const D: usize>(stress: &Matrix<f64, D>) -> f64 {
    stress.deviator().norm_squared().sqrt()
}

/// Runs the experiment; both efforts are the same, and quick.
pub fn run(_effort: Effort) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    rows.extend(dimension::<2>()?);
    rows.extend(dimension::<3>()?);
    Ok(rows)
}

fn dimension<const D: usize>() -> Result<Vec<Row>> {
    let quantity = "τ_xy error, all rates";
    let mut rows = Vec::new();
    for exponent in [0.5, 1.0, 2.0] {
        let stiff = Fluid {
            mu: STIFF,
            yield_stress: YIELD,
            viscosity: VISCOSITY,
            exponent,
        };
        let soft = Fluid { mu: SOFT, ..stiff };
        let case = format!("flow curve {D}D, h = {exponent}");
        let stiff_error = largest_error::<D>(&stiff, |rate| stiff.stiff_limit(rate))?;
        rows.push(Row::zero(&case, quantity, stiff_error, TOLERANCE));
        let soft_error = largest_error::<D>(&soft, |rate| soft.exact(rate))?;
        let soft_case = format!("{case}, soft");
        rows.push(Row::zero(&soft_case, quantity, soft_error, TOLERANCE));
        let wrong = largest_error::<D>(&soft, |rate| soft.stiff_limit(rate))?;
        let title = format!("{soft_case}, stiff answer");
        rows.push(Row::zero(title, quantity, wrong, TOLERANCE).must_miss());
        if exponent == 1.0 {
            let wrong = largest_error::<D>(&stiff, |rate| YIELD / 3f64.sqrt() + VISCOSITY * rate)?;
            let title = format!("{case}, η as dynamic viscosity");
            rows.push(Row::zero(title, quantity, wrong, TOLERANCE).must_miss());
        }
        let (_, rested) = stiff.measure::<D>(1.0)?;
        rows.push(Row::relative(
            format!("{case}, flow stopped"),
            "‖dev τ‖ at rest [Pa]",
            stiff.yield_norm(),
            rested,
            REST_TOLERANCE,
        ));
    }
    rows.extend(plastic::<D>()?);
    Ok(rows)
}

/// Perfect plasticity, and stress below yield.
fn plastic<const D: usize>() -> Result<Vec<Row>> {
    let fluid = Fluid {
        mu: STIFF,
        yield_stress: YIELD,
        viscosity: 0.0,
        exponent: 1.0,
    };
    let (quantity, case) = ("τ_xy, all rates", format!("flow curve {D}D, η = 0"));
    let error = largest_error::<D>(&fluid, |_| YIELD / 3f64.sqrt())?;
    let wrong = largest_error::<D>(&fluid, |_| YIELD / SQRT_2)?;
    // A quarter of the strain at yield, and a long rest.
    let slight = 0.25 * YIELD / 3f64.sqrt() / STIFF;
    let test = [
        Stage::new(Motion::shear(1.0), slight, 10),
        Stage::new(Motion::Rest, 1.0e3, 100),
    ];
    let viscous = Fluid {
        viscosity: VISCOSITY,
        ..fluid
    };
    let weak = Fluid {
        yield_stress: 0.0,
        ..viscous
    };
    let rest = |fluid: &Fluid| -> Result<Row> {
        let records = drive::<_, D>(&fluid.law()?, &test)?;
        let held = records.get(10).context("a last step of shear")?;
        let last = records.last().context("a last step")?;
        Ok(Row::relative(
            format!(
                "flow curve {D}D, σ_Y = {}, below 1000 Pa",
                fluid.yield_stress
            ),
            "‖dev τ‖ at rest [Pa]",
            deviator_norm(&held.kirchhoff_stress),
            deviator_norm(&last.kirchhoff_stress),
            REST_TOLERANCE,
        ))
    };
    Ok(vec![
        Row::zero(&case, quantity, error, TOLERANCE),
        Row::zero(format!("{case}, σ_Y as norm"), quantity, wrong, TOLERANCE).must_miss(),
        rest(&viscous)?,
        rest(&weak)?.must_miss(),
    ])
}

/// Largest relative error of the steady shear stress over all rates.
fn largest_error<const D: usize>(fluid: &Fluid, answer: impl Fn(f64) -> f64) -> Result<f64> {
    let mut largest = 0.0f64;
    for rate in RATES {
        let (stress, _) = fluid.measure::<D>(rate)?;
        largest = worse(largest, (stress / answer(rate) - 1.0).abs());
    }
    Ok(largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_curve_tends_to_that_of_stiff_fluids() {
        let fluid = Fluid {
            mu: 1.0e9,
            yield_stress: YIELD,
            viscosity: VISCOSITY,
            exponent: 0.5,
        };
        let ratio = fluid.exact(0.7) / fluid.stiff_limit(0.7);
        assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
    }
}
