//! Independent cases side by side, one thread per simulation.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Result, bail};

/// Runs `work` on every case, as many at a time as there are processors, and returns the results in
/// order. Results do not depend on the number of processors: every simulation has its own thread
/// and no other.
pub fn map<C: Sync, R: Send>(cases: &[C], work: impl Fn(&C) -> Result<R> + Sync) -> Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads.min(cases.len()) {
            scope.spawn(|| {
                while let Some((index, case)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    cases.get(index).map(|case| (index, case))
                } {
                    let result = work(case);
                    if let Ok(mut results) = results.lock() {
                        results.push((index, result));
                    }
                }
            });
        }
    });
    let Ok(mut results) = results.into_inner() else {
        bail!("a case panicked");
    };
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_cases() {
        let cases: Vec<u32> = (0..50).collect();
        assert_eq!(map(&cases, |&k| Ok(2 * k)).unwrap()[49], 98);
        assert!(map(&cases, |&k| if k == 7 { bail!("seven") } else { Ok(k) }).is_err());
    }
}
