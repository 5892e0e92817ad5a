//! A thread pool per simulation.

use core::fmt;
use std::sync::Arc;

/// Threads that serve one simulation. Nothing computed with a pool depends on its number of
/// threads.
#[derive(Clone)]
pub struct Pool {
    threads: Arc<rayon::ThreadPool>,
}

/// The operating system refused to start the threads.
#[derive(Debug)]
pub struct PoolError {
    threads: usize,
    cause: rayon::ThreadPoolBuildError,
}

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "could not start {} threads ({}); ask for fewer",
            self.threads, self.cause
        )
    }
}

impl std::error::Error for PoolError {}

impl Pool {
    /// A pool of `threads` threads; 0 for one per processor.
    pub fn new(threads: usize) -> Result<Self, PoolError> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("thixo-{i}"))
            .build()
            .map(|threads| Self {
                threads: Arc::new(threads),
            })
            .map_err(|cause| PoolError { threads, cause })
    }
    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.threads.current_num_threads()
    }
    /// Runs `work` inside the pool: parallel iterators in it use these threads.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.threads.install(work)
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool({} threads)", self.threads())
    }
}
