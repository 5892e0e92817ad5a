//! Tests of scenes, of the matter they describe and of the files of a run, one module for each
//! promise. They are one program, so that the engine's generic code is compiled once for all.

#![allow(clippy::unwrap_used)] // tests, with helpers outside their functions

mod any_input;
mod carried;
mod checkpoint_files;
mod emitters;
mod expressions;
mod figures;
mod formulas;
mod gallery;
mod golden;
mod heat;
mod initial_state;
mod level_sets;
mod materials;
mod materials_page;
mod meshes;
mod messages;
mod mixtures;
mod particle_files;
mod scene_schema;
mod scene_to_matter;
mod touching;
mod while_it_runs;
