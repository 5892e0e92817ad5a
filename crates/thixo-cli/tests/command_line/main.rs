//! Tests of the program as a user starts it, one module for each command or promise.

#![allow(clippy::unwrap_used)] // tests, with helpers outside their functions

mod assets;
mod carried;
mod check;
mod costs;
mod info;
mod live_preview;
mod materials;
mod mesh;
mod nothing_lost;
mod outputs;
mod plot;
mod program;
mod render;
mod resume;
mod run_directory;
mod tutorial;
mod video;
mod watch;
