//! Cloth, rods, springs and elastic bodies as meshes among the particles: `[[meshes]]`.

mod body;
mod checked;
mod file;
mod form;
mod gmsh;
mod solid_mesh;
mod topology;
mod vtu;

pub(crate) use checked::CheckedMesh;
pub use topology::MeshTopology;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::number::Number;
use crate::render::MatterLook;
use crate::sampling::Color;
use crate::shape::Shape;

/// A mesh whose vertices are particles with forces of its elements: cloth, rods, springs, elastic
/// bodies. It meets all other matter, obstacles and itself through the grid. `docs/meshes.md` says
/// when to take a mesh and when matter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ElasticMesh {
    /// Name in `run.json`, where it follows the objects. Default: its number, `"mesh-0"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its shape at rest. Required.
    pub shape: MeshForm,
    /// Density of its material \[kg/m³\], above 0; of springs, mass over the volume of the grid
    /// that they span. Required.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub density: f64,
    /// Young's modulus \[Pa\], above 0. Required, but for springs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub young_modulus: Option<f64>,
    /// Poisson's ratio, above -1 and below 0.5. Default: 0.3.
    #[serde(default = "ElasticMesh::default_poisson_ratio")]
    #[schemars(extend("exclusiveMinimum" = -1, "exclusiveMaximum" = 0.5))]
    pub poisson_ratio: f64,
    /// Thickness of cloth \[m\], above 0. Required with cloth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub thickness: Option<f64>,
    /// Radius of the round section of rods \[m\], above 0; in 2D half their thickness. Required
    /// with rods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: Option<f64>,
    /// Bending stiffness of cloth \[N m\], at least 0. Default: that of a solid sheet, E t³/(12 (1 -
    /// ν²)); woven cloth has much less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub bending: Option<f64>,
    /// Energy of its elements. Default: `"fixed_corotated"`.
    #[serde(default)]
    pub law: MeshLaw,
    /// Damping of its deformations \[s\], at least 0: a force of this time times the stiffness
    /// times the velocity. Default: 0.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub damping: f64,
    /// Velocity at the start \[m/s\], a number or a formula of x, y, z and lx, ly, lz per axis.
    /// Default: zero.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub velocity: Vec<Number>,
    /// Parts that are held or led. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hold: Vec<Hold>,
    /// Pressure inside a closed surface of cloth, above that outside \[Pa\]: a number or a formula
    /// of t and j, the volume inside over that at rest. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure: Option<Number>,
    /// Colour. Default: by its number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<Color>,
    /// Look. Default: opaque, with shadows.
    #[serde(default, skip_serializing_if = "MatterLook::is_default")]
    pub look: MatterLook,
}

impl ElasticMesh {
    fn default_poisson_ratio() -> f64 {
        0.3
    }
    pub(crate) fn name_or_default(&self, index: usize) -> String {
        self.name.clone().unwrap_or_else(|| format!("mesh-{index}"))
    }
}

impl ElasticMesh {
    /// The shapes that it names.
    pub(crate) fn shapes(&self) -> impl Iterator<Item = &Shape> {
        let body = match &self.shape {
            MeshForm::Body { shape, .. } | MeshForm::Skin { shape, .. } => Some(shape),
            _ => None,
        };
        body.into_iter()
            .chain(self.hold.iter().map(|hold| &hold.region))
    }
    /// The file that it is made of.
    pub(crate) fn file(&self) -> Option<&String> {
        match &self.shape {
            MeshForm::File { file, .. } => Some(file),
            _ => None,
        }
    }
}

/// The shape of a mesh at rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum MeshForm {
    /// `{ cloth = { corner = […], edges = [[…], […]], spacing = 0.02 } }`: a sheet between two
    /// edges of a corner, in triangles; only in 3D.
    Cloth {
        /// The corner \[m\].
        corner: Vec<f64>,
        /// Both edges from the corner \[m\].
        edges: [Vec<f64>; 2],
        /// Largest distance of neighbouring vertices along the edges \[m\], above 0. Default: half
        /// the grid spacing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spacing: Option<f64>,
    },
    /// `{ rod = { start = […], end = […], copies = [{ count = 10, step = […] }] } }`: a straight
    /// rod, or rows of them.
    Rod {
        /// One end \[m\].
        start: Vec<f64>,
        /// The other \[m\].
        end: Vec<f64>,
        /// Largest distance of neighbouring vertices \[m\], above 0. Default: half the grid
        /// spacing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spacing: Option<f64>,
        /// Rows of copies, each of all that those before make. Default: none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        copies: Vec<Copies>,
    },
    /// `{ springs = { min = […], max = […], spacing = 0.1, stiffness = 50 } }`: point masses in a
    /// box, with springs between neighbours along the axes and the diagonals of faces.
    Springs {
        /// Smallest coordinates \[m\].
        min: Vec<f64>,
        /// Largest coordinates \[m\].
        max: Vec<f64>,
        /// Largest distance of neighbours along an axis \[m\], above 0. Default: half the grid
        /// spacing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spacing: Option<f64>,
        /// Stiffness of a spring \[N/m\], above 0.
        stiffness: f64,
    },
    /// `{ body = { shape = { sphere = { … } } } }`: any shape in tetrahedra (2D: triangles) of a
    /// body-centred lattice, whose outer vertices lie on its surface where that leaves the elements
    /// sound: their volume is at least 0.3 of that of a regular one with edges as long.
    Body {
        /// The shape.
        shape: Shape,
        /// Edge of a cell of the lattice \[m\], above 0; edges of elements are 0.87 and 1 of it.
        /// Default: the grid spacing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spacing: Option<f64>,
    },
    /// `{ skin = { shape = { sphere = { … } } } }`: cloth on the surface of any shape, closed: the
    /// outer faces of the body that it would be. With `pressure` a balloon; only in 3D.
    Skin {
        /// The shape.
        shape: Shape,
        /// Edge of a cell of the lattice \[m\], above 0; edges of triangles are about as long.
        /// Default: three quarters of the grid spacing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spacing: Option<f64>,
    },
    /// `{ file = { file = "shirt.obj" } }`: cloth of the triangles of an OBJ, PLY or STL file, or a
    /// body of the tetrahedra of a Gmsh file, `.msh` of format 2.2 or 4.1 in text, or of a VTK
    /// file, `.vtu`; only in 3D.
    File {
        /// The file, relative to the folder of the scene file.
        file: String,
        /// Factor of its lengths \[–\], above 0. Default: 1, metres.
        #[serde(default = "unscaled")]
        #[schemars(extend("exclusiveMinimum" = 0))]
        scale: f64,
        /// Displacement after that \[m\]. Default: none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        translation: Vec<f64>,
    },
}

fn unscaled() -> f64 {
    1.0
}

/// Copies of rods in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// Rods in the row, the first one included; 1 to 10 000.
    #[schemars(range(min = 1, max = 10_000))]
    pub count: u32,
    /// From one to the next \[m\].
    pub step: Vec<f64>,
}

/// A part of a mesh that is held, or led along a motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hold {
    /// The vertices that lie in this shape at the start. Required.
    pub region: Shape,
    /// Displacement of their places \[m\], a number or a formula of t per axis. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub translation: Vec<Number>,
}

/// Energy of elements as a function of their stretches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MeshLaw {
    /// Finite everywhere, in elements that are turned inside out, too.
    #[default]
    FixedCorotated,
    /// Infinite where an element has no volume; one that is turned inside out ends the run.
    NeoHookean,
    /// Soft under strong compression.
    StVenantKirchhoff,
}

impl From<MeshLaw> for thixo::lagrangian::ElasticLaw {
    fn from(law: MeshLaw) -> Self {
        match law {
            MeshLaw::FixedCorotated => Self::FixedCorotated,
            MeshLaw::NeoHookean => Self::NeoHookean,
            MeshLaw::StVenantKirchhoff => Self::StVenantKirchhoff,
        }
    }
}
