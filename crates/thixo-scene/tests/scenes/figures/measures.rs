//! The number of every scene.

use super::moment::{
    Point, after, at_end, at_frames, distance, kinetic, made_of, mean, middle, of, preview,
    quantile, share, spin,
};

const PIC: &[&str] = &["physics.transfer=pic"];
const APIC: &[&str] = &["physics.transfer=apic"];

/// A number with PIC over the same with APIC.
fn pic_over_apic(scene: &str, frame: u32, number: fn(&[Point]) -> f64) -> f64 {
    number(&after(scene, PIC, frame)) / number(&after(scene, APIC, frame))
}

/// The radius around a centre within which 95 of 100 particles lie, over that of the ball that they
/// were.
fn spread(points: &[Point], radius: f64) -> f64 {
    let centre = middle(points);
    // Of a ball 95 of 100 lie within this share of its radius.
    quantile(points, 0.95, |p| distance(p, centre)) / (0.95_f64.cbrt() * radius)
}

/// Sizes of the pieces that particles make, ascending, where those within a distance \[m\] of each
/// other belong together.
fn pieces(points: &[Point], within: f64) -> Vec<usize> {
    let cell = |x: &[f64; 3]| x.map(|x| (x / within).floor() as i64);
    let mut cells = std::collections::HashMap::<[i64; 3], Vec<usize>>::new();
    for (k, p) in points.iter().enumerate() {
        cells.entry(cell(&p.x)).or_default().push(k);
    }
    let around: Vec<[i64; 3]> = (0..27)
        .map(|k| [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1])
        .collect();
    let mut is_found = vec![false; points.len()];
    let mut sizes = Vec::new();
    for first in 0..points.len() {
        if std::mem::replace(&mut is_found[first], true) {
            continue;
        }
        let mut piece = vec![first];
        let mut done = 0;
        while done < piece.len() {
            let x = points[piece[done]].x;
            done += 1;
            let [i, j, l] = cell(&x);
            for step in &around {
                let near = cells.get(&[i + step[0], j + step[1], l + step[2]]);
                for &other in near.into_iter().flatten() {
                    if !is_found[other] && distance(&points[other], x) < within {
                        is_found[other] = true;
                        piece.push(other);
                    }
                }
            }
        }
        sizes.push(piece.len());
    }
    sizes.sort_unstable();
    sizes
}

/// Share of particles that are not part of the largest piece.
fn broken_off(points: &[Point], within: f64) -> f64 {
    let whole = *pieces(points, within).last().unwrap();
    1.0 - whole as f64 / points.len() as f64
}

/// Place of the foremost lava at the end, over that of lava that does not freeze.
fn stopped(scene: &str, way: fn(&Point) -> f64) -> f64 {
    let front = |settings: &[&str]| quantile(&at_end(scene, settings), 0.98, way);
    front(&[]) / front(&["heat.materials.lava.melting_point=300"])
}

/// A setting with which wet sand keeps its cohesion.
const KEEPS_COHESION: &str = "interaction.sand.cohesion=\"initial\"";

/// Share of the first material that is a cell below the lowest vertex of the meshes.
fn share_below_cloth(scene: &str, frame: u32, cell: f64) -> f64 {
    let matter = after(scene, &[], frame);
    let cloth: Vec<Point> = matter.iter().filter(|p| p.material > 0).copied().collect();
    let bottom = quantile(&cloth, 0.0, |p| p.x[1]);
    share(&made_of(&matter, 0), |p| p.x[1] < bottom - cell)
}

pub fn angle_of_repose() -> f64 {
    // The tube lets go of all sand long after the preview, in cells as wide as the cone is high.
    let sand = at_end("angle-of-repose", &["grid.spacing=0.015", "time.frames=60"]);
    // Beside the tube, which reaches to 0.085 m, and near the foot.
    let height = |radius: f64| {
        let ring = sand.iter().copied();
        let ring: Vec<Point> = ring
            .filter(|p| (p.x[0].hypot(p.x[2]) - radius).abs() < 0.005)
            .collect();
        quantile(&ring, 0.9, |p| p.x[1])
    };
    ((height(0.11) - height(0.15)) / 0.04).atan().to_degrees()
}

pub fn bodies_in_current() -> f64 {
    let matter = at_end("bodies-in-current", &[]);
    let height = |material| mean(&made_of(&matter, material), |p| p.x[1]);
    height(0) - height(1)
}

pub fn butter_in_pan() -> f64 {
    let frames = preview("butter-in-pan", &[]).time.frames;
    let moments = at_frames("butter-in-pan", &[], &[1, frames]);
    // Of what is not melted, so that it is the slice that has moved.
    let place = |butter: &[Point]| {
        let solid: Vec<Point> = butter.iter().filter(|p| !p.is_liquid).copied().collect();
        mean(&solid, |p| p.x[0])
    };
    place(&moments[1]) - place(&moments[0])
}

pub fn candied_apple() -> f64 {
    let candy = at_end("candied-apple", &[]);
    // The apple has left the pot, and hangs between 0.137 and 0.207 m.
    share(&candy, |p| p.x[1] > 0.13 && !p.is_liquid)
}

pub fn cloth_and_yogurt() -> f64 {
    share_below_cloth("cloth-and-yogurt", 22, 0.025)
}

pub fn column_in_water() -> f64 {
    let height =
        |settings: &[&str]| mean(&of(&after("column-in-water", settings, 36), 1), |p| p.x[1]);
    height(&[]) / height(&[KEEPS_COHESION])
}

pub fn column_particle_contact() -> f64 {
    let beside_walls = |scene| {
        let water = of(&after(scene, &[], 24), 0);
        let near = preview(scene, &[]).grid.spacing / 3.0;
        share(&water, |p| {
            p.x[1] < near || p.x[0] < near || p.x[0] > 1.6 - near
        })
    };
    beside_walls("column-particle-contact") / beside_walls("column-in-water")
}

pub fn cube_and_plates() -> f64 {
    pic_over_apic("cube-and-plates", 4, spin)
}

pub fn dam_break() -> f64 {
    pic_over_apic("dam-break", 20, kinetic)
}

pub fn dam_break_mac() -> f64 {
    let frame = preview("dam-break-mac", &[]).time.frames * 2 / 3;
    pic_over_apic("dam-break-mac", frame, kinetic)
}

pub fn falling_block() -> f64 {
    mean(&at_end("falling-block", &[]), |p| p.x[1]) / 0.3
}

pub fn fluid_volume_loss() -> f64 {
    let loss = |kernel: &str| {
        let matter = at_end("fluid-volume-loss", &[&format!("physics.kernel={kernel}")]);
        // Of a pool 1 m wide that fills 0.5 m².
        1.0 - 2.0 * mean(&of(&matter, 0), |p| p.x[1]) / 0.5
    };
    loss("quadratic") / loss("cubic")
}

pub fn fluids_by_four_models() -> f64 {
    let matter = after("fluids-by-four-models", &[], 8);
    let ways: Vec<f64> = (0..4)
        .map(|k| quantile(&of(&matter, k), 0.98, |p| p.x[0]) - 1.2 * k as f64 - 0.4)
        .collect();
    let most = ways.iter().copied().fold(f64::MIN, f64::max);
    let least = ways.iter().copied().fold(f64::MAX, f64::min);
    (most - least) / (ways.iter().sum::<f64>() / 4.0)
}

pub fn fountain() -> f64 {
    // The nozzle is 0.04 m high, water leaves it upwards with 4 m/s.
    let free_flight = 0.04 + 4.0 * 4.0 / (2.0 * 9.81);
    quantile(&after("fountain", &[], 20), 0.995, |p| p.x[1]) / free_flight
}

pub fn fountain_mac() -> f64 {
    pic_over_apic("fountain-mac", 20, |water| {
        quantile(water, 0.995, |p| p.x[1])
    })
}

pub fn grass_in_flow() -> f64 {
    let [before, now] = [0, 36].map(|frame| {
        let matter = after("grass-in-flow", &[], frame);
        // Blades end with their tips.
        let blades: Vec<Point> = matter.into_iter().filter(|p| p.material > 0).collect();
        let tips = blades
            .chunks(blades.len() / 7)
            .map(|blade| blade[blade.len() - 1].x[0]);
        tips.sum::<f64>() / 7.0
    });
    (now - before) / 0.294
}

pub fn hammock_of_sand() -> f64 {
    share_below_cloth("hammock-of-sand", 24, 0.025)
}

pub fn hot_chocolate() -> f64 {
    let chocolate = at_end("hot-chocolate", &[]);
    let frozen = |on_hare: bool| {
        let is_there = |p: &&Point| (p.x[1] > 0.02) == on_hare;
        let there: Vec<Point> = chocolate.iter().filter(is_there).copied().collect();
        share(&there, |p| !p.is_liquid)
    };
    frozen(true) - frozen(false)
}

pub fn ice_cream_belt() -> f64 {
    quantile(&at_end("ice-cream-belt", &[]), 0.9, |p| {
        match p.x[0] > 0.05 {
            true => p.x[1],
            false => 0.0,
        }
    }) / 0.016
}

pub fn jelly_cube() -> f64 {
    pic_over_apic("jelly-cube", 5, spin)
}

pub fn jelly_drop() -> f64 {
    let frames: Vec<u32> = (1..=24).collect();
    let moments = at_frames("jelly-drop", &[], &frames);
    let edges: Vec<f64> = moments
        .iter()
        .map(|jelly| quantile(jelly, 0.0, |p| p.x[1]))
        .collect();
    let touch = edges.iter().position(|&edge| edge < 0.02).unwrap();
    edges[touch..].iter().copied().fold(0.0, f64::max)
}

pub fn kernel_fracture() -> f64 {
    let spacing = preview("kernel-fracture", &[]).grid.spacing;
    let broken_by = |kernel: &str| {
        let rubber = at_end("kernel-fracture", &[&format!("physics.kernel={kernel}")]);
        broken_off(&rubber, 1.5 * spacing)
    };
    broken_by("quadratic") - broken_by("cubic")
}

pub fn lava_fall() -> f64 {
    share(&at_end("lava-fall", &[]), |p| !p.is_liquid)
}

pub fn lava_flow() -> f64 {
    stopped("lava-flow", |p| p.x[0])
}

pub fn letters() -> f64 {
    let rubber = of(&at_end("letters", &[]), 4);
    quantile(&rubber, 1.0, |p| (p.volume_ratio - 1.0).abs())
}

pub fn levee_seepage() -> f64 {
    let beyond = |k: f64| {
        let law = format!("drag[0].law.conductivity.conductivity={k}");
        let water = of(&after("levee-seepage", &[&law], 20), 0);
        share(&water, |p| p.x[0] > 6.0)
    };
    beyond(0.2) - beyond(0.05)
}

pub fn melting_figure() -> f64 {
    share(&at_end("melting-figure", &[]), |p| p.is_liquid)
}

pub fn melting_wax() -> f64 {
    let wax = at_end("melting-wax", &[]);
    let liquid = |candle: usize| share(&of(&wax, candle), |p| p.is_liquid);
    liquid(0) - liquid(2)
}

pub fn null_modes() -> f64 {
    let energy = |transfer| kinetic(&at_end("null-modes", &[transfer]));
    energy("physics.transfer=flip") / energy("physics.transfer=apic")
}

pub fn numerical_fracture() -> f64 {
    let rubber = at_end("numerical-fracture", &[]);
    let spacing = preview("numerical-fracture", &[]).grid.spacing;
    let broken = |object| broken_off(&of(&rubber, object), 1.5 * spacing);
    broken(0) - broken(3)
}

pub fn pahoehoe() -> f64 {
    stopped("pahoehoe", |p| p.x[0].hypot(p.x[2]))
}

pub fn pool_at_rest() -> f64 {
    let fastest = |settings: &[&str]| {
        let speed = |p: &Point| p.v[0].hypot(p.v[1]);
        quantile(&at_end("pool-at-rest", settings), 1.0, speed)
    };
    fastest(&[]) / fastest(&["physics.integrator.projection.density=uncorrected"])
}

pub fn rayleigh_taylor() -> f64 {
    let matter = at_end("rayleigh-taylor", &[]);
    let height = |object| mean(&of(&matter, object), |p| p.x[1]);
    height(1) - height(0)
}

pub fn rinsed_foam() -> f64 {
    // The preview ends before all water is there.
    let matter = at_end("rinsed-foam", &["time.frames=54"]);
    let height = |material| mean(&made_of(&matter, material), |p| p.x[1]);
    height(0) - height(1)
}

/// Distance from the middle within which 98 of 100 particles lie \[m\].
fn run_out(sand: &[Point]) -> f64 {
    quantile(sand, 0.98, |p| p.x[0].abs())
}

pub fn river() -> f64 {
    let water = after("river", &[], 18);
    // The middle of the valley; the share of its winding that fits the water best.
    let valley = |p: &Point| 0.14 * (2.4 * p.x[0]).sin();
    let winding = || water.iter().filter(|p| p.x[0] > 0.3);
    let product: f64 = winding().map(|p| valley(p) * p.x[2]).sum();
    product / winding().map(|p| valley(p).powi(2)).sum::<f64>()
}

pub fn sand_column() -> f64 {
    run_out(&at_end("sand-column", &[])) / 0.1 - 1.0
}

pub fn sand_column_xpbd() -> f64 {
    let run_out = |settings: &[&str]| run_out(&at_end("sand-column-xpbd", settings));
    run_out(&[]) / run_out(&["physics.integrator=explicit", "time.longest_step=1"])
}

pub fn sand_figure_in_water() -> f64 {
    let stands = |k: f64| {
        let law = format!("drag[0].law.conductivity.conductivity={k}");
        let hare = of(&after("sand-figure-in-water", &[&law], 36), 1);
        share(&hare, |p| p.x[1] > 0.25)
    };
    stands(0.005) - stands(0.1)
}

pub fn sand_on_snow() -> f64 {
    let snow = of(&at_end("sand-on-snow", &[]), 0);
    // It stood within 0.23 m of the middle.
    share(&snow, |p| p.x[0].hypot(p.x[2]) > 0.3)
}

pub fn sand_on_torus() -> f64 {
    let sand = at_end("sand-on-torus", &[]);
    // The hole has a radius of 0.09 m, and the torus begins at 0.32 m.
    share(&sand, |p| p.x[0].hypot(p.x[2]) < 0.15 && p.x[1] < 0.3)
}

pub fn sand_slide() -> f64 {
    pic_over_apic("sand-slide", 20, |sand| quantile(sand, 0.95, |p| p.x[0]))
}

pub fn sand_spout() -> f64 {
    let sand = at_end("sand-spout", &[]);
    let volume = |object| mean(&of(&sand, object), |p| p.volume_ratio);
    volume(0) / volume(1)
}

pub fn sandcastle_in_tide() -> f64 {
    let above = |settings: &[&str]| {
        let sand = of(&at_end("sandcastle-in-tide", settings), 1);
        share(&sand, |p| p.x[1] > 0.25)
    };
    above(&[]) / above(&[KEEPS_COHESION])
}

pub fn shaken_foam() -> f64 {
    let frames: Vec<u32> = (1..=30).collect();
    let moments = at_frames("shaken-foam", &[], &frames);
    let reached = |object: usize| {
        let heights = moments
            .iter()
            .map(|foam| quantile(&of(foam, object), 0.99, |p| p.x[1]));
        heights.fold(0.0, f64::max)
    };
    reached(0) / reached(1)
}

pub fn shaving_foam() -> f64 {
    let foam = at_end("shaving-foam", &[]);
    let low: Vec<Point> = foam.iter().filter(|p| p.x[1] < 0.05).copied().collect();
    quantile(&low, 0.95, |p| p.x[0].hypot(p.x[2])) / 0.016
}

pub fn snow_dense_parts() -> f64 {
    let snow = at_end("snow-dense-parts", &[]);
    let spacing = preview("snow-dense-parts", &[]).grid.spacing;
    let chunk = |object| {
        let pieces = pieces(&of(&snow, object), 2.0 * spacing);
        let come_off = &pieces[..pieces.len() - 1];
        come_off.iter().sum::<usize>() as f64 / come_off.len() as f64
    };
    chunk(1) / chunk(0)
}

pub fn snow_figure_in_water() -> f64 {
    let lies = |settings: &[&str]| {
        let snow = of(&after("snow-figure-in-water", settings, 36), 1);
        share(&snow, |p| p.x[1] < 0.04)
    };
    lies(&[]) / lies(&["interaction.snow.mu=\"initial\""])
}

pub fn snow_samplings() -> f64 {
    let snow = at_end("snow-samplings", &[]);
    let asymmetry = |object: usize, middle: f64| {
        let own = of(&snow, object);
        let width = 0.02;
        let mut counts = std::collections::HashMap::<i64, [i64; 2]>::new();
        for p in &own {
            let x = p.x[0] - middle;
            let side = usize::from(x > 0.0);
            counts.entry((x.abs() / width) as i64).or_default()[side] += 1;
        }
        let differences: i64 = counts.values().map(|[a, b]| (a - b).abs()).sum();
        differences as f64 / own.len() as f64
    };
    asymmetry(1, 1.4) - asymmetry(0, 0.0)
}

pub fn snowball() -> f64 {
    let snow = at_end("snowball", &[]);
    let h = preview("snowball", &[]).grid.spacing;
    let stuck: Vec<Point> = snow
        .iter()
        .filter(|p| p.x[0] > 0.5 - 1.5 * h)
        .copied()
        .collect();
    let centre = middle(&stuck);
    quantile(&stuck, 0.95, |p| {
        (p.x[1] - centre[1]).hypot(p.x[2] - centre[2])
    }) / 0.12
}

pub fn snowball_drop() -> f64 {
    let snow = at_end("snowball-drop", &[]);
    quantile(&snow, 0.95, |p| p.x[0].hypot(p.x[2])) / 0.15
}

pub fn snowball_on_sand() -> f64 {
    spread(&of(&at_end("snowball-on-sand", &[]), 1), 0.16)
}

pub fn snowballs_collide() -> f64 {
    let snow = at_end("snowballs-collide", &[]);
    spread(&of(&snow, 1), 0.11) / spread(&of(&snow, 0), 0.14)
}

pub fn snowman() -> f64 {
    let moments = at_frames("snowman", &[], &[0, 42]);
    let above = |snow: &[Point]| share(&of(snow, 1), |p| p.x[1] > 0.6);
    above(&moments[1]) / above(&moments[0])
}

pub fn soaked_snow() -> f64 {
    let matter = after("soaked-snow", &[], 36);
    let height = |object| mean(&of(&matter, object), |p| p.x[1]);
    height(1) - height(2)
}

pub fn spinning_disc() -> f64 {
    pic_over_apic("spinning-disc", 12, spin)
}

pub fn spiral_collision() -> f64 {
    pic_over_apic("spiral-collision", 20, spin)
}

pub fn sponge_shot() -> f64 {
    let moments = at_frames("sponge-shot", &[], &[0, 40]);
    let in_the_way = |p: &&Point| (p.x[1] - 1.65).hypot(p.x[2]) < 0.25 && p.x[0].abs() < 0.41;
    let count = |moment: &[Point]| moment.iter().filter(in_the_way).count() as f64;
    count(&moments[1]) / count(&moments[0])
}

pub fn stirred_mixtures() -> f64 {
    let matter = at_end("stirred-mixtures", &[]);
    let spacing = preview("stirred-mixtures", &[]).grid.spacing;
    let cell = |p: &Point| p.x.map(|x| (x / spacing).floor() as i64);
    let sand: std::collections::HashSet<[i64; 3]> = of(&matter, 2).iter().map(cell).collect();
    share(&of(&matter, 3), |p| sand.contains(&cell(p)))
}

pub fn swept_cubes() -> f64 {
    let matter = at_end("swept-cubes", &[]);
    let height = |object| mean(&of(&matter, object), |p| p.x[1]);
    height(1) - height(3)
}

pub fn swept_cubes_two_grids() -> f64 {
    let cubes = |scene, settings: &[&str]| {
        let matter = after(scene, settings, 9);
        [1, 2, 3].map(|object| middle(&of(&matter, object)))
    };
    let one = cubes("swept-cubes", &[]);
    let apart = |settings: &[&str]| {
        let two = cubes("swept-cubes-two-grids", settings);
        let apart = |(a, b): (&[f64; 3], &[f64; 3])| {
            let square = |k: usize| (a[k] - b[k]).powi(2);
            (square(0) + square(1) + square(2)).sqrt()
        };
        one.iter().zip(&two).map(apart).sum::<f64>()
    };
    apart(&[]) / apart(&["mixture.relaxation=exact"])
}

/// Height of the light disc of a tank above the heavy one \[m\].
fn light_above_heavy(scene: &str) -> f64 {
    let matter = at_end(scene, &[]);
    let height = |object| mean(&of(&matter, object), |p| p.x[1]);
    height(2) - height(1)
}

pub fn tank_one_model() -> f64 {
    light_above_heavy("tank-one-model")
}

pub fn tank_several_models() -> f64 {
    light_above_heavy("tank-several-models")
}

pub fn thrown_pie() -> f64 {
    let moments = at_frames("thrown-pie", &[], &[0, 6]);
    let radius = |moment: &[Point]| {
        let cream = of(moment, 2);
        let centre = middle(&cream);
        quantile(&cream, 0.99, |p| {
            (p.x[1] - centre[1]).hypot(p.x[2] - centre[2])
        })
    };
    radius(&moments[1]) / radius(&moments[0])
}

pub fn varied_spheres() -> f64 {
    let matter = at_end("varied-spheres", &[]);
    let width = |object: usize| {
        let own = of(&matter, object);
        let centre = middle(&own);
        quantile(&own, 0.95, |p| {
            (p.x[0] - centre[0]).hypot(p.x[2] - centre[2])
        })
    };
    width(0) / width(3)
}

pub fn viennetta() -> f64 {
    let cream = at_end("viennetta", &[]);
    let lying: Vec<Point> = cream
        .iter()
        .filter(|p| p.x[0].abs() > 0.02)
        .copied()
        .collect();
    quantile(&lying, 0.95, |p| p.x[1]) / 0.012
}

pub fn water_and_sand_jets() -> f64 {
    let matter = at_end("water-and-sand-jets", &[]);
    let place = |object| mean(&of(&matter, object), |p| p.x[0]);
    0.5 * (place(0) + place(1))
}

pub fn water_balloon() -> f64 {
    let moments = at_frames("water-balloon", &[], &[0, 24]);
    let width = |matter: &[Point]| quantile(&made_of(matter, 0), 0.98, |p| p.x[0].hypot(p.x[2]));
    width(&moments[1]) / width(&moments[0])
}

pub fn wine() -> f64 {
    /// Height of the bottom of the bowl \[m\].
    const BOTTOM: f64 = 0.0952;
    let wine = after("wine", &[], 8);
    let rising: Vec<Point> = wine.iter().filter(|p| p.v[1] > 0.1).copied().collect();
    quantile(&rising, 0.95, |p| p.x[1]) - BOTTOM
}
