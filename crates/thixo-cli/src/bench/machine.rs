//! The machine, and a yardstick for its speed: multiply-adds per second of one thread, in the lanes
//! that the engine uses.

use std::hint::black_box;
use std::time::Instant;

use serde_json::{Value, json};
use thixo::Isa;
use thixo_par::{Kernel, Lanes, dispatch};

/// Chains of multiply-adds that do not wait for each other: enough to fill two units of four to
/// five cycles latency.
const CHAINS: usize = 10;
const ROUNDS: usize = 2_000_000;
/// The best of so many tries counts.
const TRIES: usize = 5;

/// The processor and how fast it multiplies and adds.
pub struct Machine {
    pub processor: String,
    pub processors: usize,
    pub isa: Isa,
    /// Giga floating-point operations per second of one thread, single precision.
    pub gflops: f64,
}

impl Machine {
    /// Looks at the machine and measures it, in half a second.
    pub fn measure(isa: Isa) -> Self {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let processor = cpuinfo
            .lines()
            .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
            .map_or("unknown processor", |(_, name)| name.trim());
        let gflops = (0..TRIES).map(|_| gflops(isa)).fold(0.0, f64::max);
        Self {
            processor: processor.to_owned(),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            isa,
            gflops,
        }
    }

    /// All of it.
    pub fn to_json(&self) -> Value {
        json!({
            "processor": self.processor,
            "processors": self.processors,
            "instruction_set": self.isa.name(),
            "gflops_of_one_thread": self.gflops,
        })
    }
}

fn gflops(isa: Isa) -> f64 {
    let start = Instant::now();
    let (sum, lanes) = dispatch(isa, MultiplyAdds);
    let seconds = start.elapsed().as_secs_f64();
    black_box(sum);
    2.0 * (lanes * CHAINS * ROUNDS) as f64 / seconds / 1e9
}

struct MultiplyAdds;

impl Kernel<f32> for MultiplyAdds {
    type Output = (f32, usize);

    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) -> (f32, usize) {
        let factor = L::splat_scalar(black_box(0.999));
        let term = L::splat_scalar(black_box(0.001));
        let mut chains = [L::zero(); CHAINS];
        for _ in 0..ROUNDS {
            for chain in &mut chains {
                *chain = chain.mul_add(factor, term);
            }
        }
        let mut sum = L::zero();
        for chain in chains {
            sum += chain;
        }
        (sum.max_lane(), L::LANES)
    }
}
