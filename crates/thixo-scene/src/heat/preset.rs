//! Thermal properties of substances, with where they are from.

/// Thermal properties of a substance. Ranges of temperature and composition are in `source`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Substance {
    /// Its name.
    pub name: &'static str,
    /// Melting point \[K\].
    pub melting_point: f64,
    /// Latent heat \[J/kg\].
    pub latent_heat: f64,
    /// Heat capacities of solid and liquid \[J/(kg K)\].
    pub heat_capacity: [f64; 2],
    /// Conductivities of solid and liquid \[W/(m K)\].
    pub conductivity: [f64; 2],
    /// Source of the numbers.
    pub source: &'static str,
}

/// All substances, in the order of listings.
pub const SUBSTANCES: &[Substance] = &[
    Substance {
        name: "water",
        melting_point: 273.15,
        latent_heat: 333.55e3,
        heat_capacity: [2.1e3, 4.217e3],
        conductivity: [2.2, 0.56],
        source: "textbook values of ice and water at the melting point",
    },
    Substance {
        name: "chocolate",
        melting_point: 306.15,
        latent_heat: 46.0e3,
        heat_capacity: [1.59e3, 1.67e3],
        conductivity: [0.28, 0.26],
        source: "Beckett (ed.), Industrial Chocolate Manufacture and Use, 4th edition (2009), table of constants: dark chocolate; melting over some kelvins is taken as one point",
    },
    Substance {
        name: "butter",
        melting_point: 305.15,
        latent_heat: 68.0e3,
        heat_capacity: [2.1e3, 2.3e3],
        conductivity: [0.22, 0.20],
        source: "usual magnitudes, rounded, of no single source; melting over many kelvins is taken as one point",
    },
    Substance {
        name: "paraffin",
        melting_point: 329.15,
        latent_heat: 190.0e3,
        heat_capacity: [2.1e3, 2.4e3],
        conductivity: [0.24, 0.15],
        source: "usual magnitudes, rounded, of no single source, of waxes that melt from 50 to 60 °C",
    },
    Substance {
        name: "candy",
        melting_point: 423.15,
        latent_heat: 10.0e3,
        heat_capacity: [1.5e3, 2.0e3],
        conductivity: [0.30, 0.30],
        source: "usual magnitudes, rounded, of no single source: boiled sugar is a glass that softens; the small latent heat stands for its glass transition",
    },
    Substance {
        name: "basalt",
        melting_point: 1353.15,
        latent_heat: 400.0e3,
        heat_capacity: [1.1e3, 1.45e3],
        conductivity: [1.5, 1.0],
        source: "usual magnitudes, rounded, of no single source; crystallisation over some 200 K is taken as one point",
    },
    Substance {
        name: "tin",
        melting_point: 505.08,
        latent_heat: 60.2e3,
        heat_capacity: [257.0, 250.0],
        conductivity: [60.0, 30.0],
        source: "textbook values at the melting point",
    },
    Substance {
        name: "lead",
        melting_point: 600.61,
        latent_heat: 23.1e3,
        heat_capacity: [142.0, 148.0],
        conductivity: [31.0, 16.0],
        source: "textbook values at the melting point",
    },
];

/// The substance of that name.
pub fn substance(name: &str) -> Option<&'static Substance> {
    SUBSTANCES.iter().find(|substance| substance.name == name)
}
