//! No bytes make the reader of checkpoints panic or accept what was damaged.

use std::io::Cursor;

use proptest::prelude::*;
use thixo_scene::checkpoint::{self, Checkpoint, CheckpointError, Header};
use thixo_scene::{Built, RunRecord, Scene};

const SCENE: &str = r#"
dimension = 2
[grid]
spacing = 0.1
[time]
frames = 1
[materials.water]
model = "fluid"
density = 1000
bulk_modulus = 1e5
[[objects]]
material = "water"
shape = { box = { min = [0, 0], max = [0.2, 0.2] } }
"#;

fn built() -> Built<f32, 2> {
    let scene = Scene::parse(SCENE, "water.toml").unwrap();
    scene.build(1).unwrap()
}

fn header() -> Header {
    let scene = Scene::parse(SCENE, "water.toml").unwrap();
    let mut record = RunRecord::new(&scene, &built().simulation);
    (record.last_frame, record.time, record.steps) = (7, 0.5, 3);
    record.particle_updates = 48.0;
    Header {
        frame: 7,
        scene: SCENE.to_owned(),
        record,
    }
}

fn bytes() -> Vec<u8> {
    let mut bytes = Vec::new();
    checkpoint::write(&mut bytes, &header(), &built().simulation).unwrap();
    bytes
}

/// Reads and, where the header can be read, restores.
fn read(bytes: &[u8]) -> Result<Header, CheckpointError> {
    let mut checkpoint = Checkpoint::read(Cursor::new(bytes))?;
    checkpoint.restore(&mut built().simulation)?;
    Ok(checkpoint.header().clone())
}

/// Makes the checksum right again.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 4;
    let mut sum = !0u32;
    for byte in &bytes[..end] {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg());
        }
    }
    bytes[end..].copy_from_slice(&(!sum).to_le_bytes());
    bytes
}

#[test]
fn a_checkpoint_is_read_as_it_was_written() {
    let bytes = bytes();
    assert_eq!(read(&bytes).unwrap(), header());
    assert_eq!(sealed(bytes.clone()), bytes, "the checksum is CRC-32");
}

#[test]
fn every_truncation_and_every_flipped_bit_is_noticed() {
    let bytes = bytes();
    for length in 0..bytes.len() {
        assert!(read(&bytes[..length]).is_err(), "{length} bytes");
    }
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        assert!(read(&damaged).is_err(), "byte {place}");
    }
    let mut newer = bytes.clone();
    newer[8] = 2;
    let error = read(&sealed(newer)).unwrap_err();
    assert!(matches!(error, CheckpointError::Version { found: 2 }));
}

proptest! {
    #[test]
    fn random_bytes_are_refused(noise in proptest::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(read(&noise).is_err());
        let mut looks_right = bytes()[..16].to_vec();
        looks_right.extend(noise);
        prop_assert!(read(&sealed(looks_right)).is_err());
    }

    /// Behind a right checksum anything may stand: it is an error, or a state that can be held.
    #[test]
    fn nonsense_with_a_right_checksum_does_not_panic(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)
    ) {
        let mut damaged = bytes();
        let end = damaged.len() - 4;
        for (place, value) in changes {
            damaged[12..end][place.index(end - 12)] = value;
        }
        drop(read(&sealed(damaged)));
    }
}
