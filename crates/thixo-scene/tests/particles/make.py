"""Makes the particle files of this folder: python3 make.py (needs numpy and plyfile)."""

import numpy as np
from plyfile import PlyData, PlyElement

n = 12
k = np.arange(n)
position = np.stack([0.1 + 0.05 * (k % 4), 0.2 + 0.05 * (k // 4), 0 * k], axis=1)
velocity = np.stack([1.0 + k, -0.5 * k, 0 * k], axis=1)
mass = 2.0 + 0.25 * k
volume = 0.0025 + 0 * k
dye = k % 3

# Rows first and columns first, little and big endian, floats and integers.
arrays = dict(
    position=np.asfortranarray(position),
    velocity=velocity.astype(">f8"),
    mass=mass.astype("<f4"),
    volume=volume,
    dye=dye.astype("<i8"),
    time=np.float64(0.25),
)
np.savez("points.npz", **arrays)
np.savez_compressed("points-compressed.npz", **arrays)

rows = np.zeros(
    n,
    dtype=[("x", "f8"), ("y", "f8"), ("z", "f4"), ("vx", "f4"), ("vy", "f4"), ("vz", "f4"),
           ("mass", "f4"), ("volume", "f8"), ("dye", "u1")],
)
for axis, name in enumerate("xyz"):
    rows[name] = position[:, axis]
    rows["v" + name] = velocity[:, axis]
rows["mass"], rows["volume"], rows["dye"] = mass, volume, dye
vertex = PlyElement.describe(rows, "vertex")
PlyData([vertex], text=True).write("points-text.ply")
PlyData([vertex], byte_order="<").write("points-little.ply")
PlyData([vertex], byte_order=">").write("points-big.ply")
