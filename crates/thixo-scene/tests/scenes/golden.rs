//! Determinism across versions: hashes of the first frames of every gallery preview, in both
//! precisions and on every instruction set of the machine, are those of `golden.txt`.
//!
//! A rearrangement of the code leaves them as they are. A change that is meant to change bits is a
//! line in CHANGELOG.md with its reason, and `THIXO_GOLDEN=write cargo test -p thixo-scene --test
//! golden` writes the table anew.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use thixo::{Isa, Scalar, Simulation};
use thixo_scene::frame::{Capture, Column, ColumnShape, Frame, Values};
use thixo_scene::{Precise, Precision, Scene, gallery, with_instance, with_preview};

/// Frames of a preview that are run.
const FRAMES: u32 = 2;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden.txt");

/// All that frames can hold.
const COLUMNS: [&str; 7] = [
    "id",
    "stress",
    "pressure",
    "deformation",
    "left_cauchy_green",
    VELOCITY_GRADIENT,
    "plastic",
];
const VELOCITY_GRADIENT: &str = "velocity_gradient";

/// FNV-1a, 64 bits.
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    fn add_frame<T: Scalar>(&mut self, frame: &Frame<T>) {
        self.add(&frame.time.to_le_bytes());
        let mut bytes = Vec::new();
        for column in &frame.columns {
            self.add(column.name.as_bytes());
            bytes.clear();
            column.values.put(0..column.values.len(), &mut bytes);
            self.add(&bytes);
        }
    }
}

/// The hash of the first frames of a scene.
fn hash<T: Precise<D>, const D: usize>(scene: &Scene, isa: Isa) -> u64 {
    let mut built = scene.build_for::<T, D>(1, Some(isa)).unwrap();
    let mut hash = Hash::new();
    for number in 0..=FRAMES {
        if number > 0 {
            built.advance(number).unwrap();
        }
        let capture = Capture {
            number,
            simulation: &built.simulation,
            objects: &built.objects,
            columns: &COLUMNS.map(str::to_owned),
        };
        let mut frame = capture.take();
        let known = |name: &str| frame.columns.iter().position(|column| column.name == name);
        if known(VELOCITY_GRADIENT).is_none() {
            // The affine column of the other transfers is no velocity gradient, but must keep its
            // bits as well.
            let at = known("left_cauchy_green").unwrap() + 1;
            frame.columns.insert(at, affine(&built.simulation));
        }
        hash.add_frame(&frame);
    }
    hash.0
}

fn affine<T: Precise<D>, const D: usize>(simulation: &Simulation<T, D>) -> Column<T> {
    let particles = simulation.particles().into_iter();
    let numbers = particles.flat_map(|particle| particle.affine.0.as_flattened().to_vec());
    Column {
        name: VELOCITY_GRADIENT.into(),
        unit: "".into(),
        shape: ColumnShape::Matrix(D),
        values: Values::Real(numbers.collect()),
    }
}

/// A column of the table: precision and instruction set.
type Variant = (Precision, Isa);

fn variants() -> Vec<Variant> {
    let mut sets = vec![Isa::detect()];
    if Isa::detect() != Isa::portable() {
        sets.push(Isa::portable());
    }
    let sets = sets.into_iter();
    sets.flat_map(|isa| [(Precision::F32, isa), (Precision::F64, isa)])
        .collect()
}

type Table = BTreeMap<String, String>;

fn read_table() -> Table {
    let text = std::fs::read_to_string(TABLE).unwrap_or_default();
    let rows = text.lines().filter_map(|line| line.rsplit_once(' '));
    rows.map(|(key, hash)| (key.to_owned(), hash.to_owned()))
        .collect()
}

/// Hashes of all scenes, made by two threads.
fn computed() -> Table {
    let jobs: Vec<(&str, Variant)> = gallery::SCENES
        .iter()
        .flat_map(|scene| variants().into_iter().map(|variant| (scene.name, variant)))
        .collect();
    let next = AtomicUsize::new(0);
    let table = Mutex::new(Table::new());
    std::thread::scope(|threads| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            threads.spawn(|| {
                while let Some(&(name, (precision, isa))) =
                    jobs.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let text = with_preview(gallery::find(name).unwrap().text).unwrap();
                    let scene = Scene::parse(&text, name).unwrap();
                    let begun = std::time::Instant::now();
                    let instance = (precision, scene.dimension);
                    let (width, hash) =
                        with_instance!(instance, |T, D| (T::NAME, hash::<T, D>(&scene, isa)));
                    let key = format!("{name} {width} {}", isa.name());
                    println!("{:6.2} {key}", begun.elapsed().as_secs_f64());
                    table.lock().unwrap().insert(key, format!("{hash:016x}"));
                }
            });
        }
    });
    table.into_inner().unwrap()
}

#[test]
fn frames_have_the_bits_that_they_had() {
    let computed = computed();
    if std::env::var("THIXO_GOLDEN").is_ok_and(|value| value == "write") {
        let rows = computed.iter().map(|(key, hash)| format!("{key} {hash}\n"));
        std::fs::write(TABLE, rows.collect::<String>()).unwrap();
        return;
    }
    let known = read_table();
    let changed: Vec<&String> = computed
        .iter()
        .filter(|(key, hash)| known.get(*key) != Some(hash))
        .map(|(key, _)| key)
        .collect();
    assert!(changed.is_empty(), "frames have other bits: {changed:?}");
}
