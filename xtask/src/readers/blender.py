"""Blender imports every surface and the animations of a run: blender.py RUN."""

import os
import sys
from pathlib import Path

import bpy
import numpy as np

run = Path(sys.argv[1])


def empty():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def objects(kind):
    return [own for own in bpy.data.objects if own.type == kind]


# GLB: every file, with velocity, colour and attributes.
files = sorted((run / "mesh").glob("*.glb"))
assert len(files) == 14
for path in files:
    empty()
    assert bpy.ops.import_scene.gltf(filepath=str(path)) == {"FINISHED"}
    (mesh,) = objects("MESH")
    names = set(mesh.data.attributes.keys())
    assert {"_VX", "_VY", "_VZ", "_SPEED", "_J"} <= names, names
    assert len(mesh.data.vertices) > 100 and len(mesh.data.color_attributes) == 1
    values = np.empty(len(mesh.data.vertices), np.float32)
    mesh.data.attributes["_J"].data.foreach_get("value", values)
    assert (0.1 < values).all() and (values < 10).all()
for ending, load in [
    ("ply", bpy.ops.wm.ply_import),
    ("obj", bpy.ops.wm.obj_import),
    ("stl", bpy.ops.wm.stl_import),
]:
    for path in sorted((run / "mesh").glob(f"*.{ending}")):
        empty()
        assert load(filepath=str(path)) == {"FINISHED"}
        assert len(objects("MESH")[0].data.vertices) > 100

# USD: surfaces and particles, with the time range and moving.
for path, kind in [("mesh/surfaces.usdc", "MESH"), ("export/particles.usdc", "POINTCLOUD")]:
    empty()
    assert bpy.ops.wm.usd_import(filepath=str(run / path)) == {"FINISHED"}
    scene = bpy.context.scene
    assert (scene.frame_start, scene.frame_end) == (0, 6), (scene.frame_start, scene.frame_end)
    found = objects(kind)
    assert len(found) == 2, [(own.name, own.type) for own in bpy.data.objects]
    middles = []
    for frame in (0, 6):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        for own in found:
            data = own.evaluated_get(graph).data
            attribute = data.attributes["position"]
            places = np.empty(3 * len(attribute.data), np.float32)
            attribute.data.foreach_get("vector", places)
            assert len(places) > 300
            assert {"speed", "j"} <= set(data.attributes.keys()), data.attributes.keys()
            middles.append(places.reshape(-1, 3).mean(0))
    # The snowballs fly towards each other.
    moved = [np.linalg.norm(middles[2 + k] - middles[k]) for k in range(2)]
    assert min(moved) > 0.005, moved
seed = os.environ.get("PYTHONHASHSEED", "random")
print(f"Blender {bpy.app.version_string}: {len(files)} GLB, 3 × 14 other surfaces, 2 animations (hash seed {seed})")
