//! Systems and their solutions.

#![allow(clippy::unwrap_used)] // tests, with helpers outside their functions

mod convergence_order;
mod hard_systems;
mod iterations;
mod random;
mod refusals;
mod region;
mod sealed_components;
mod solutions;
mod threads;
