//! Work beside the interpreter, which Ctrl-C ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;

/// Time between two looks for signals.
const PATIENCE: Duration = Duration::from_millis(20);

/// Outcome of work, and the exception that a signal raised meanwhile.
pub struct Outcome<R> {
    /// What the work returned, after the request to stop where there was one.
    pub result: R,
    /// `KeyboardInterrupt`, or what the handler of another signal raised.
    pub signal: Option<PyErr>,
}

/// Runs work on another thread without the interpreter's lock. When a signal comes `stop` is set,
/// which the work should heed.
pub fn interruptible<R: Send>(
    py: Python<'_>,
    stop: &Arc<AtomicBool>,
    work: impl FnOnce() -> R + Send,
) -> PyResult<Outcome<R>> {
    let (sender, receiver) = sync_channel(1);
    let receiver = Mutex::new(receiver);
    let receive = || {
        let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
        receiver.recv_timeout(PATIENCE)
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("thixo".to_owned());
        thread.spawn_scoped(scope, move || sender.send(work()))?;
        let mut signal = None;
        let result = loop {
            match py.detach(receive) {
                Ok(result) => break result,
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(error) = py.check_signals() {
                        stop.store(true, Ordering::Relaxed);
                        signal = Some(error);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let message = "the thread of the simulation ended unexpectedly";
                    return Err(pyo3::exceptions::PyRuntimeError::new_err(message));
                }
            }
        };
        stop.store(false, Ordering::Relaxed);
        Ok(Outcome { result, signal })
    })
}
