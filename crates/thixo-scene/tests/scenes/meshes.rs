//! Meshes of scenes: what is refused, and that scenes with them can be written out and built.

use thixo_scene::Scene;

const HEAD: &str =
    "dimension = 3\n[grid]\nspacing = 0.1\n[time]\nframes = 1\n[[meshes]]\ndensity = 1000\n";

fn message(rest: &str) -> String {
    let scene = Scene::parse(&format!("{HEAD}{rest}"), "s.toml");
    match scene.and_then(|scene| scene.check()) {
        Ok(()) => panic!("{rest} is possible"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn bad_meshes_are_refused_with_their_key() {
    let cloth = "shape = { cloth = { corner = [0, 0, 0], edges = [[1, 0, 0], [0, 1, 0]] } }\n";
    let sheet = format!("{cloth}young_modulus = 1e5\n");
    let thin = format!("{sheet}thickness = 0.01\n");
    for (text, expected) in [
        (sheet.clone(), "thickness"),
        (format!("{sheet}thickness = -1\n"), "meshes[0].thickness"),
        (format!("{thin}poisson_ratio = 0.5\n"), "meshes[0].poisson_ratio"),
        (format!("{thin}bending = -1\n"), "meshes[0].bending"),
        (format!("{thin}damping = -1\n"), "meshes[0].damping"),
        (format!("{thin}pressure = 10\n"), "must be closed"),
        (format!("{thin}pressure = 'x'\n"), "meshes[0].pressure"),
        (
            format!("{thin}hold = [{{ region = {{ sphere = {{ center = [9, 9, 9], radius = 1 }} }} }}]\n"),
            "a region with a vertex of the mesh in it",
        ),
        (
            "young_modulus = 1\nshape = { rod = { start = [0, 0, 0], end = [0, 0, 0] } }\nradius = 0.01\n".to_owned(),
            "no extent at rest",
        ),
        (
            "shape = { springs = { min = [0, 0, 0], max = [1, 1, 1], stiffness = 0 } }\n".to_owned(),
            "stiffness",
        ),
        (
            "young_modulus = 1\nshape = { body = { shape = { sphere = { center = [0.5, 0.5, 0.5], radius = 0.001 } }, spacing = 1 } }\n".to_owned(),
            "use a smaller spacing",
        ),
        (
            "young_modulus = 1\nshape = { file = { file = 'none.msh' } }\n".to_owned(),
            "cannot be read",
        ),
    ] {
        let found = message(&text);
        assert!(found.contains(expected), "{text}\n{found}");
    }
}

#[test]
fn a_scene_with_meshes_is_written_out_read_again_and_built() {
    let text = format!(
        "{HEAD}young_modulus = 1e5\nthickness = 0.01\nshape = {{ skin = {{ shape = {{ sphere = {{ center = [0.5, 0.5, 0.5], radius = 0.3 }} }} }} }}\n\
         pressure = '10 / j'\n[[meshes]]\ndensity = 1000\nyoung_modulus = 1e5\n\
         shape = {{ body = {{ shape = {{ box = {{ min = [1, 0, 0], max = [1.4, 0.3, 0.3] }} }} }} }}\n\
         [[meshes]]\ndensity = 1000\nyoung_modulus = 1e5\nradius = 0.01\n\
         shape = {{ rod = {{ start = [2, 0, 0], end = [2, 1, 0], copies = [{{ count = 3, step = [0.2, 0, 0] }}] }} }}\n\
         hold = [{{ region = {{ sphere = {{ center = [2, 0, 0], radius = 0.01 }} }} }}]\n"
    );
    let scene = Scene::parse(&text, "s.toml").unwrap_or_else(|error| panic!("{error}"));
    let written = scene.to_toml().unwrap();
    let again = Scene::parse(&written, "s.toml").unwrap();
    assert_eq!(again.to_toml().unwrap(), written);
    assert_eq!(scene.object_names(), ["mesh-0", "mesh-1", "mesh-2"]);
    let mut built = scene.build::<f32, 3>(1).unwrap();
    built.advance(1).unwrap();
    assert_eq!(built.simulation.meshes().len(), 3);
    let topologies = scene.mesh_topologies().unwrap();
    let vertices: usize = topologies.iter().map(|topology| topology.vertices).sum();
    assert_eq!(vertices, built.simulation.len());
    assert!(!topologies[0].surface().is_empty() && topologies[2].surface().is_empty());
}

/// The message of a scene with a mesh of a file of this content, in a file of this ending.
fn message_of_file(ending: &str, content: &str) -> Option<String> {
    let process = std::process::id();
    let path = std::env::temp_dir().join(format!("thixo-mesh-{process}.{ending}"));
    std::fs::write(&path, content).unwrap();
    let file = path.display().to_string().replace('\\', "/");
    let text = format!(
        "{HEAD}young_modulus = 1e5\n{}shape = {{ file = {{ file = '{file}', scale = 0.1 }} }}\n",
        if ending == "obj" {
            "thickness = 0.01\n"
        } else {
            ""
        }
    );
    let checked = Scene::parse(&text, "s.toml").and_then(|scene| scene.check());
    std::fs::remove_file(&path).unwrap();
    checked.err().map(|error| error.to_string())
}

#[test]
fn bad_mesh_files_are_refused_with_the_number_of_the_element() {
    let vtu = |cells: &str| {
        let count = cells.split_whitespace().count() / 4;
        let numbers =
            |each: fn(usize) -> String| (1..=count).map(each).collect::<Vec<_>>().join(" ");
        format!(
            "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece><Points>\
             <DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\
             0 0 0 1 0 0 0 1 0 0 0 1 1 1 1</DataArray></Points><Cells>\
             <DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">{cells}</DataArray>\
             <DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">{}</DataArray>\
             <DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">{}</DataArray>\
             </Cells></Piece></UnstructuredGrid></VTKFile>",
            numbers(|k| (4 * k).to_string()),
            numbers(|_| "10".to_owned())
        )
    };
    let obj = |faces: &str| format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\n{faces}");
    assert_eq!(message_of_file("vtu", &vtu("0 1 2 3  1 2 3 4")), None);
    assert_eq!(message_of_file("obj", &obj("f 1 2 3\nf 1 5 2\n")), None);
    for (ending, content, expected) in [
        (
            "vtu",
            vtu("0 1 2 3  1 3 2 4"),
            "tetrahedron 1 has the volume",
        ),
        (
            "vtu",
            vtu("0 1 2 3  1 2 3 0"),
            "s 0 and 1 have the same vertices",
        ),
        ("vtu", vtu("0 1 2 3  1 2 3 9"), "there is no point 9"),
        ("vtu", vtu("0 1 2 3  1 2 3 3"), "names vertex"),
        (
            "obj",
            obj("f 1 2 3\nf 1 2 4\nf 1 2 5\n"),
            "3 triangles share the edge",
        ),
        ("obj", obj("f 1 2 3\nf 2 3 1\n"), "have the same vertices"),
        ("obj", obj("f 1 2 9\n"), "9"),
    ] {
        let found = message_of_file(ending, &content).unwrap_or_default();
        assert!(found.contains(expected), "{expected}: {found}");
    }
}
