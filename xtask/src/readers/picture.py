"""The picture of docs/blender.md, rendered by Blender from the animation of a run: picture.py THIXO PLACE PICTURE."""

import math
import subprocess
import sys
from pathlib import Path

import bpy

thixo, place, picture = Path(sys.argv[1]).resolve(), Path(sys.argv[2]), Path(sys.argv[3]).resolve()
run = place / "picture"
if not (run / "mesh/surfaces.usdc").exists():
    simulate = [thixo, "run", "snowballs-collide", "--frames", "14", "--quiet", "--overwrite"]
    subprocess.run([*simulate, "--set", "grid.spacing=0.016", "--out", run], check=True)
    mesh = [thixo, "mesh", run, "--format", "usd", "--frames", "8..14", "--overwrite", "--json"]
    subprocess.run(mesh, check=True, stdout=subprocess.DEVNULL)

bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.wm.usd_import(filepath=str(run / "mesh/surfaces.usdc"))
scene = bpy.context.scene
scene.frame_set(14)

for own in [own for own in bpy.data.objects if own.type == "MESH"]:
    material = bpy.data.materials.new("snow")
    material.use_nodes = True
    nodes = material.node_tree.nodes
    color = nodes.new("ShaderNodeVertexColor")
    color.layer_name = "displayColor"
    surface = nodes["Principled BSDF"]
    material.node_tree.links.new(color.outputs["Color"], surface.inputs["Base Color"])
    surface.inputs["Roughness"].default_value = 0.8
    surface.inputs["Subsurface Weight"].default_value = 0.1
    own.data.materials.clear()
    own.data.materials.append(material)

bpy.ops.mesh.primitive_plane_add(size=20)
ground = bpy.data.materials.new("ground")
ground.use_nodes = True
ground.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.1, 0.13, 0.18, 1)
bpy.context.object.data.materials.append(ground)
bpy.ops.object.light_add(type="SUN", rotation=(math.radians(50), math.radians(-15), math.radians(30)))
bpy.context.object.data.energy = 3.5
bpy.context.object.data.angle = 0.05
world = bpy.data.worlds.new("sky")
world.use_nodes = True
world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.35, 0.5, 0.75, 1)
world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.5
scene.world = world
bpy.ops.object.camera_add(location=(0.3, -1.6, 0.75), rotation=(math.radians(83), 0, math.radians(10)))
scene.camera = bpy.context.object
scene.camera.data.lens = 50
scene.render.engine = "CYCLES"
scene.cycles.samples = 48
scene.cycles.use_denoising = False
scene.render.resolution_x, scene.render.resolution_y = 960, 540
scene.view_settings.view_transform = "Standard"
scene.render.filepath = str(picture)
bpy.ops.render.render(write_still=True)
print(f"{picture}: rendered by Blender {bpy.app.version_string}")
