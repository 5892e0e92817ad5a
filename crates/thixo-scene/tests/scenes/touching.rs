//! Objects may touch obstacles, from whatever side, and may not reach into them.

use thixo_scene::Scene;

/// Builds a scene of a box that was turned by 45° and lies at a gap from a plane along one of its
/// faces, both shifted along the plane's normal \[m\]; returns the number of its particles, or the
/// refusal.
fn laid_on(
    normal: [f64; 2],
    turned_by: f64,
    [shift, gap]: [f64; 2],
    dimension: usize,
) -> Result<usize, String> {
    let along = |way: f64| normal.map(|n| 0.3 + n * way / 2f64.sqrt());
    let ([x, y], [px, py]) = (along(shift + gap), along(shift));
    let (deep, rotation) = match dimension {
        2 => ("", format!("{turned_by}")),
        _ => (
            ", 0",
            format!("{{ axis = [0, 0, 1], angle = {turned_by} }}"),
        ),
    };
    let high = deep.replace('0', "0.2");
    let text = format!(
        r#"title = "t"
dimension = {dimension}
[grid]
spacing = 0.05
[time]
frames = 1
[physics]
gravity = [0, -9.81{deep}]
[materials.jelly]
model = "neo_hookean"
density = 1000
young_modulus = 1e4
poisson_ratio = 0.3
[[objects]]
material = "jelly"
[objects.shape.moved]
shape = {{ box = {{ min = [0, 0{deep}], max = [0.6, 0.4{high}] }} }}
rotation = {rotation}
translation = [{x:e}, {y:e}{deep}]
[[colliders]]
shape = {{ plane = {{ point = [{px:e}, {py:e}{deep}], normal = [{}, {}{deep}] }} }}
contact = "slip"
"#,
        normal[0], normal[1]
    );
    let scene = Scene::parse(&text, "s.toml").map_err(|error| error.to_string())?;
    let count = match dimension {
        2 => scene
            .build::<f32, 2>(1)
            .map(|built| built.simulation.particles().len()),
        _ => scene
            .build::<f32, 3>(1)
            .map(|built| built.simulation.particles().len()),
    };
    count.map_err(|error| error.to_string())
}

#[test]
fn a_block_may_lie_on_a_slope_of_45_degrees() {
    // The faces below the box on its four sides, one after the other.
    let sides = [
        ([-1.0, 1.0], 45.0),
        ([-1.0, -1.0], 135.0),
        ([1.0, -1.0], 225.0),
        ([1.0, 1.0], 315.0),
    ];
    for dimension in [2, 3] {
        for (normal, turned_by) in sides {
            // Rows of the lattice lie on the face, or behind it by less than sampling sees.
            for place in [
                [0.0, 0.0],
                [0.0, 1e-9],
                [1e-8, 0.0],
                [1e-8, 1e-9],
                [1e-8, 1e-7],
            ] {
                let count = laid_on(normal, turned_by, place, dimension)
                    .unwrap_or_else(|e| panic!("{normal:?}, {place:?}: {e}"));
                assert!(count > 200, "{normal:?}, {place:?}, {dimension}D: {count}");
            }
            let refused = laid_on(normal, turned_by, [0.0, -0.02], dimension);
            let message = refused.expect_err("it reaches into the plane");
            assert!(message.contains("particles would start there"), "{message}");
        }
    }
}
