//! USD in its binary form, the crate file (`.usdc`), as Pixar's USD reads it.
//!
//! A crate file is a list of specs, one per prim and property, each with fields by name; a field
//! holds a small value or says where a large one is. Arrays are written as they come, so that an
//! animation may be larger than memory; the tables that find them follow. Version 0.8 has these
//! tables compressed ([`compression`](super::compression)).

use std::collections::HashMap;
use std::io::{self, Seek, SeekFrom, Write};

use super::compression::{packed, packed_integers};

/// A value of a field: itself, or its place in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value(u64);

const ARRAY: u64 = 1 << 63;
const INLINED: u64 = 1 << 62;

/// Types of values by the numbers that the format gives them.
#[derive(Clone, Copy)]
enum Type {
    Int = 3,
    Float = 8,
    Double = 9,
    String = 10,
    Token = 11,
    Vec3f = 24,
    Tokens = 41,
    Specifier = 42,
    Variability = 44,
    TimeSamples = 46,
    Doubles = 48,
}

impl Type {
    fn inlined(self, payload: u32) -> Value {
        Value(INLINED | (self as u64) << 48 | u64::from(payload))
    }
    fn at(self, place: u64) -> Value {
        Value((self as u64) << 48 | place)
    }
}

/// Something on the stage.
#[derive(Clone, Debug, Default)]
pub struct Prim {
    /// Its name: letters, digits and `_`.
    pub name: String,
    /// Its schema, such as `Points`.
    pub schema: &'static str,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Prims below it.
    pub children: Vec<Prim>,
}

/// An attribute of a prim.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its name, such as `points`.
    pub name: String,
    /// The type of its values, such as `point3f[]`.
    pub kind: &'static str,
    /// True if it never changes over time.
    pub is_uniform: bool,
    /// What it belongs to: `vertex`, `constant`, …; none for those of a schema that says it.
    pub interpolation: Option<&'static str>,
    /// Its value where no time has one.
    pub default: Option<Value>,
    /// Its values over time, of [`CrateFile::samples`].
    pub samples: Option<Value>,
}

/// A file that is being written.
#[derive(Debug)]
pub struct CrateFile<W> {
    out: W,
    place: u64,
    tokens: Vec<String>,
    token_index: HashMap<String, u32>,
    /// Tokens that are strings.
    strings: Vec<u32>,
    fields: Vec<(u32, Value)>,
    /// Lists of fields, each with [`END`] behind it.
    field_sets: Vec<u32>,
    /// Path, list of fields, kind.
    specs: Vec<[u32; 3]>,
    /// Parent, name and whether it is a property, of every path after the root.
    paths: Vec<PathNode>,
}

/// A node of the tree of paths.
#[derive(Debug, Default)]
struct PathNode {
    token: u32,
    is_property: bool,
    children: Vec<usize>,
}

/// The end of a list of fields.
const END: u32 = u32::MAX;
/// Bytes of the head of a file.
const HEAD: u64 = 88;
const VERSION: [u8; 8] = [0, 8, 0, 0, 0, 0, 0, 0];

/// Kinds of specs.
const ATTRIBUTE: u32 = 1;
const PRIM: u32 = 6;
const ROOT: u32 = 7;

impl<W: Write + Seek> CrateFile<W> {
    /// Begins a file.
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(&[0; HEAD as usize])?;
        let mut file = Self {
            out,
            place: HEAD,
            tokens: Vec::new(),
            token_index: HashMap::new(),
            strings: Vec::new(),
            fields: Vec::new(),
            field_sets: Vec::new(),
            specs: Vec::new(),
            paths: vec![PathNode::default()],
        };
        // The root's name.
        file.token_number("");
        Ok(file)
    }

    fn token_number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.token_index.get(text) {
            return *number;
        }
        let number = self.tokens.len() as u32;
        self.tokens.push(text.to_owned());
        self.token_index.insert(text.to_owned(), number);
        number
    }

    /// A word.
    pub fn token(&mut self, text: &str) -> Value {
        Type::Token.inlined(self.token_number(text))
    }

    /// Text.
    pub fn string(&mut self, text: &str) -> Value {
        let token = self.token_number(text);
        self.strings.push(token);
        Type::String.inlined(self.strings.len() as u32 - 1)
    }

    /// A number.
    pub fn double(&mut self, number: f64) -> io::Result<Value> {
        let place = self.put(&number.to_le_bytes())?;
        Ok(Type::Double.at(place))
    }

    /// Vectors of three numbers.
    pub fn vectors(&mut self, values: &[[f32; 3]]) -> io::Result<Value> {
        let numbers = values.iter().flatten();
        self.array(
            Type::Vec3f,
            values.len(),
            numbers.flat_map(|x| x.to_le_bytes()),
        )
    }

    /// Numbers.
    pub fn floats(&mut self, values: &[f32]) -> io::Result<Value> {
        self.array(
            Type::Float,
            values.len(),
            values.iter().flat_map(|x| x.to_le_bytes()),
        )
    }

    /// Whole numbers.
    pub fn integers(&mut self, values: &[i32]) -> io::Result<Value> {
        self.array(
            Type::Int,
            values.len(),
            values.iter().flat_map(|x| x.to_le_bytes()),
        )
    }

    fn array(
        &mut self,
        kind: Type,
        count: usize,
        bytes: impl Iterator<Item = u8>,
    ) -> io::Result<Value> {
        if count == 0 {
            return Ok(Value(ARRAY | (kind as u64) << 48));
        }
        let too_many = |_| io::Error::other("more values than an array of this file can hold");
        let count = u32::try_from(count).map_err(too_many)?;
        // The number of extents, always 1, and their only one.
        let mut all = [1, count]
            .iter()
            .flat_map(|n: &u32| n.to_le_bytes())
            .collect::<Vec<u8>>();
        all.extend(bytes);
        let place = self.put(&all)?;
        Ok(Value(ARRAY | (kind as u64) << 48 | place))
    }

    /// Values over time: a frame number for each, rising.
    pub fn samples(&mut self, times: &[f64], values: &[Value]) -> io::Result<Value> {
        let mut bytes = (times.len() as u64).to_le_bytes().to_vec();
        bytes.extend(times.iter().flat_map(|time| time.to_le_bytes()));
        let times = Type::Doubles.at(self.put(&bytes)?);
        // Both parts begin with the distance to what they say: right behind.
        let mut bytes = Vec::new();
        for number in [8, times.0, 8, values.len() as u64] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(values.iter().flat_map(|value| value.0.to_le_bytes()));
        Ok(Type::TimeSamples.at(self.put(&bytes)?))
    }

    fn token_list(&mut self, names: &[&str]) -> io::Result<Value> {
        let mut bytes = (names.len() as u64).to_le_bytes().to_vec();
        for name in names {
            bytes.extend(self.token_number(name).to_le_bytes());
        }
        Ok(Type::Tokens.at(self.put(&bytes)?))
    }

    /// Writes bytes at a multiple of eight; returns where.
    fn put(&mut self, bytes: &[u8]) -> io::Result<u64> {
        let place = self.place.next_multiple_of(8);
        self.out
            .write_all(&[0; 8][..(place - self.place) as usize])?;
        self.out.write_all(bytes)?;
        self.place = place + bytes.len() as u64;
        Ok(place)
    }

    /// Notes the fields of a path.
    fn spec(&mut self, path: usize, kind: u32, fields: &[(&str, Value)]) {
        let set = self.field_sets.len() as u32;
        for (name, value) in fields {
            let token = self.token_number(name);
            self.field_sets.push(self.fields.len() as u32);
            self.fields.push((token, *value));
        }
        self.field_sets.push(END);
        self.specs.push([path as u32, set, kind]);
    }

    fn path(&mut self, parent: usize, name: &str, is_property: bool) -> usize {
        let node = PathNode {
            token: self.token_number(name),
            is_property,
            children: Vec::new(),
        };
        self.paths.push(node);
        let path = self.paths.len() - 1;
        self.paths[parent].children.push(path);
        path
    }

    fn prim(&mut self, parent: usize, prim: &Prim) -> io::Result<()> {
        let path = self.path(parent, &prim.name, false);
        let properties: Vec<&str> = prim.attributes.iter().map(|a| a.name.as_str()).collect();
        let children: Vec<&str> = prim
            .children
            .iter()
            .map(|child| child.name.as_str())
            .collect();
        let fields = [
            ("specifier", Type::Specifier.inlined(0)),
            ("typeName", self.token(prim.schema)),
            ("properties", self.token_list(&properties)?),
            ("primChildren", self.token_list(&children)?),
        ];
        self.spec(path, PRIM, &fields);
        for attribute in &prim.attributes {
            let own = self.path(path, &attribute.name, true);
            let variability = u32::from(attribute.is_uniform);
            let mut fields = vec![
                ("typeName", self.token(attribute.kind)),
                ("variability", Type::Variability.inlined(variability)),
            ];
            if let Some(word) = attribute.interpolation {
                fields.push(("interpolation", self.token(word)));
            }
            fields.extend(attribute.default.map(|value| ("default", value)));
            fields.extend(attribute.samples.map(|value| ("timeSamples", value)));
            self.spec(own, ATTRIBUTE, &fields);
        }
        prim.children
            .iter()
            .try_for_each(|child| self.prim(path, child))
    }

    /// Writes the stage with its fields and a prim, and everything that finds what is there;
    /// returns the file.
    pub fn finish(mut self, fields: &[(&str, Value)], top: &Prim) -> io::Result<W> {
        let mut fields = fields.to_vec();
        fields.push(("defaultPrim", self.token(&top.name)));
        fields.push(("primChildren", self.token_list(&[&top.name])?));
        self.spec(0, ROOT, &fields);
        self.prim(0, top)?;
        let mut words = Vec::new();
        for token in &self.tokens {
            words.extend(token.as_bytes());
            words.push(0);
        }
        let counted = |count: usize, parts: &[Vec<u8>]| {
            let count = (count as u64).to_le_bytes().to_vec();
            [&[count], parts].concat().concat()
        };
        let strings = self.strings.iter().flat_map(|n| n.to_le_bytes()).collect();
        let names = packed_integers(self.fields.iter().map(|field| field.0 as i32));
        let values: Vec<u8> = self
            .fields
            .iter()
            .flat_map(|f| f.1.0.to_le_bytes())
            .collect();
        let field_sets = packed_integers(self.field_sets.iter().map(|n| *n as i32));
        let column = |k: usize| packed_integers(self.specs.iter().map(move |spec| spec[k] as i32));
        let mut tree = Vec::new();
        self.branch(0, false, &mut tree);
        let part = |k: usize| packed_integers(tree.iter().map(move |row| row[k]));
        let nodes = (tree.len() as u64).to_le_bytes().to_vec();
        let size = (words.len() as u64).to_le_bytes().to_vec();
        let sections = [
            (
                "TOKENS",
                counted(self.tokens.len(), &[size, packed(&words)]),
            ),
            ("STRINGS", counted(self.strings.len(), &[strings])),
            (
                "FIELDS",
                counted(self.fields.len(), &[names, packed(&values)]),
            ),
            ("FIELDSETS", counted(self.field_sets.len(), &[field_sets])),
            (
                "PATHS",
                counted(tree.len(), &[nodes, part(0), part(1), part(2)]),
            ),
            (
                "SPECS",
                counted(self.specs.len(), &[column(0), column(1), column(2)]),
            ),
        ];
        let mut contents = Vec::new();
        for (name, bytes) in sections {
            let place = self.put(&bytes)?;
            contents.push((name, place, bytes.len() as u64));
        }
        let mut table = (contents.len() as u64).to_le_bytes().to_vec();
        for (name, place, size) in contents {
            let mut word = [0; 16];
            word[..name.len()].copy_from_slice(name.as_bytes());
            table.extend(word);
            table.extend([place, size].iter().flat_map(|n| n.to_le_bytes()));
        }
        let table = self.put(&table)?;
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(b"PXR-USDC")?;
        self.out.write_all(&VERSION)?;
        self.out.write_all(&table.to_le_bytes())?;
        Ok(self.out)
    }

    /// Adds a path and all below it: its number, its name, negative for properties, and how many
    /// rows further its next sibling is (0: it has no children and the next row is its sibling, −1:
    /// it has children only, −2: neither).
    fn branch(&self, path: usize, has_sibling: bool, tree: &mut Vec<[i32; 3]>) {
        let node = &self.paths[path];
        let name = node.token as i32;
        let row = tree.len();
        tree.push([path as i32, if node.is_property { -name } else { name }, 0]);
        for (k, child) in node.children.iter().enumerate() {
            self.branch(*child, k + 1 < node.children.len(), tree);
        }
        tree[row][2] = match (node.children.is_empty(), has_sibling) {
            (true, true) => 0,
            (true, false) => -2,
            (false, false) => -1,
            (false, true) => (tree.len() - row) as i32,
        };
    }
}
