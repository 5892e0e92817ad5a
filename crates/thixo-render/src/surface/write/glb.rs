//! glTF 2.0 in one binary file (Khronos, ISO/IEC 12113).
//!
//! Metres, y upwards: a run whose z points upwards gets a node that turns it. Colours are linear,
//! as the format wants them. The components of the velocity are the attributes `_VX`, `_VY` and
//! `_VZ`, along the axes of the run, and columns have theirs, such as `_SPEED`; what is no number
//! is 0 there, as the format has none. All of them are scalars: Blender's importer takes attributes
//! of its own choice of order for one another where their sizes differ.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::MeshMetadata;
use crate::surface::{Point, SurfaceMesh};

/// Numbers of the format for kinds of numbers and uses of buffers.
const FLOAT: u32 = 5126;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// Writes the surface as the only mesh of a scene; a scene without anything if it is empty.
pub fn write(
    out: &mut impl Write,
    surface: &SurfaceMesh,
    metadata: &MeshMetadata<'_>,
) -> io::Result<()> {
    let mut buffer = Buffer::default();
    let mut scene = json!({
        "asset": { "version": "2.0", "generator": "thixo" },
        "scene": 0,
        "scenes": [{ "nodes": [], "extras": { "frame": metadata.frame, "time": metadata.time } }],
    });
    if !surface.triangles.is_empty() {
        scene["scenes"][0]["nodes"] = json!([0]);
        let name = if metadata.name.is_empty() {
            "surface"
        } else {
            metadata.name
        };
        scene["nodes"] = json!([{ "mesh": 0, "name": name }]);
        if let Some(turn) = turn(metadata.up) {
            scene["nodes"][0]["rotation"] = json!(turn);
        }
        scene["materials"] = json!([{
            "pbrMetallicRoughness": { "metallicFactor": 0.0, "roughnessFactor": 0.5 }
        }]);
        scene["meshes"] = json!([{ "name": name, "primitives": [{
            "attributes": attributes(surface, &mut buffer),
            "indices": buffer.indices(&surface.triangles),
            "material": 0,
        }] }]);
        scene["accessors"] = Value::Array(buffer.accessors);
        scene["bufferViews"] = Value::Array(buffer.views);
        scene["buffers"] = json!([{ "byteLength": buffer.bytes.len() }]);
    }
    chunks(out, scene.to_string().into_bytes(), buffer.bytes)
}

/// Rotation of the upward axis to y, as a quaternion (x, y, z, w).
fn turn(up: usize) -> Option<[f64; 4]> {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    match up {
        // By 90° about z: x goes to y.
        0 => Some([0.0, 0.0, half, half]),
        // By −90° about x: z goes to y.
        2 => Some([-half, 0.0, 0.0, half]),
        _ => None,
    }
}

fn attributes(surface: &SurfaceMesh, buffer: &mut Buffer) -> Value {
    let mut attributes = json!({
        "POSITION": buffer.vectors(&surface.positions, Bounds::Stated),
        "NORMAL": buffer.vectors(&surface.normals, Bounds::Left),
        "COLOR_0": buffer.colors(&surface.colors),
    });
    for (axis, name) in ["_VX", "_VY", "_VZ"].into_iter().enumerate() {
        attributes[name] = buffer.numbers(surface.velocities.iter().map(|v| v.0[axis]));
    }
    for attribute in &surface.attributes {
        let name = format!("_{}", attribute.name.to_uppercase());
        attributes[name] = buffer.numbers(attribute.values.iter().copied());
    }
    attributes
}

/// Bounds of an accessor: positions must state them.
#[derive(PartialEq)]
enum Bounds {
    Stated,
    Left,
}

#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    /// Notes that bytes from `start` on are numbers of a kind; returns the index of their accessor.
    fn note(&mut self, start: usize, target: u32, mut accessor: Value) -> Value {
        let length = self.bytes.len() - start;
        self.views.push(json!({
            "buffer": 0, "byteOffset": start, "byteLength": length, "target": target
        }));
        accessor["bufferView"] = json!(self.views.len() - 1);
        self.accessors.push(accessor);
        json!(self.accessors.len() - 1)
    }

    fn vectors(&mut self, vectors: &[Point], bounds: Bounds) -> Value {
        let start = self.bytes.len();
        let (mut least, mut most) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for vector in vectors {
            for (a, x) in vector.0.iter().enumerate() {
                let x = number(*x);
                (least[a], most[a]) = (least[a].min(x), most[a].max(x));
                self.bytes.extend(x.to_le_bytes());
            }
        }
        let mut accessor = json!({
            "componentType": FLOAT, "type": "VEC3", "count": vectors.len()
        });
        if bounds == Bounds::Stated {
            // Digits of single precision in double precision are exact.
            accessor["min"] = json!(least.map(f64::from));
            accessor["max"] = json!(most.map(f64::from));
        }
        self.note(start, ARRAY_BUFFER, accessor)
    }

    fn numbers(&mut self, values: impl ExactSizeIterator<Item = f64>) -> Value {
        let (start, count) = (self.bytes.len(), values.len());
        for value in values {
            self.bytes.extend(number(value).to_le_bytes());
        }
        let accessor = json!({
            "componentType": FLOAT, "type": "SCALAR", "count": count
        });
        self.note(start, ARRAY_BUFFER, accessor)
    }

    /// As shares of 65535, with an opacity of 1 that also keeps every vertex on a multiple of four
    /// bytes.
    fn colors(&mut self, colors: &[Point]) -> Value {
        let start = self.bytes.len();
        for color in colors {
            for x in color.0.into_iter().chain([1.0]) {
                let short = (65535.0 * x.clamp(0.0, 1.0) + 0.5) as u16;
                self.bytes.extend(short.to_le_bytes());
            }
        }
        let accessor = json!({
            "componentType": UNSIGNED_SHORT, "normalized": true, "type": "VEC4", "count": colors.len()
        });
        self.note(start, ARRAY_BUFFER, accessor)
    }

    fn indices(&mut self, triangles: &[[u32; 3]]) -> Value {
        let start = self.bytes.len();
        for corner in triangles.as_flattened() {
            self.bytes.extend(corner.to_le_bytes());
        }
        let accessor = json!({
            "componentType": UNSIGNED_INT, "type": "SCALAR", "count": triangles.len() * 3
        });
        self.note(start, ELEMENT_ARRAY_BUFFER, accessor)
    }
}

fn number(x: f64) -> f32 {
    let x = x as f32;
    if x.is_finite() { x } else { 0.0 }
}

/// The header, and the two chunks: text filled up with spaces, numbers.
fn chunks(out: &mut impl Write, mut text: Vec<u8>, bytes: Vec<u8>) -> io::Result<()> {
    text.resize(text.len().next_multiple_of(4), b' ');
    let binary = if bytes.is_empty() { 0 } else { 8 + bytes.len() };
    let total = u32::try_from(12 + 8 + text.len() + binary).map_err(|_| {
        io::Error::other("a GLB file cannot have 4 GiB; write PLY, or take larger cubes")
    })?;
    out.write_all(b"glTF")?;
    out.write_all(&2u32.to_le_bytes())?;
    out.write_all(&total.to_le_bytes())?;
    out.write_all(&(text.len() as u32).to_le_bytes())?;
    out.write_all(b"JSON")?;
    out.write_all(&text)?;
    if !bytes.is_empty() {
        out.write_all(&(bytes.len() as u32).to_le_bytes())?;
        out.write_all(b"BIN\0")?;
        out.write_all(&bytes)?;
    }
    Ok(())
}
