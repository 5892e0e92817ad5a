"""Reads the frames of a run in every format and compares them: readers.py DIRECTORY DTYPE."""

import sys
from pathlib import Path

import meshio
import numpy as np
from plyfile import PlyData

directory, dtype = Path(sys.argv[1]), np.dtype(sys.argv[2])


def same(a, b, what):
    a, b = np.asarray(a), np.asarray(b)
    assert a.dtype == b.dtype and a.shape == b.shape, (what, a.dtype, b.dtype, a.shape, b.shape)
    assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f"), what


frames = sorted(directory.glob("*.ply"))
assert len(frames) == 3
for path in frames:
    vertex = PlyData.read(str(path))["vertex"]
    arrays = np.load(path.with_suffix(".npz"))
    count = len(vertex["x"])
    assert vertex["x"].dtype == dtype and count > 0
    assert arrays["time"].shape == () and arrays["time"].dtype == np.float64
    names = set(arrays.files) - {"position", "velocity", "time"}
    assert {"mass", "volume", "j", "material", "object"} <= names
    for name, columns in [("position", "x y z"), ("velocity", "vx vy vz")]:
        same(np.stack([vertex[c] for c in columns.split()], axis=1), arrays[name], name)
    for name in names:
        if arrays[name].ndim == 1:
            same(vertex[name], arrays[name], name)
            continue
        assert arrays[name].shape == (count, 2, 2), name
        for i, a in enumerate("xy"):
            for j, b in enumerate("xy"):
                same(vertex[f"{name}_{a}{b}"], arrays[name][:, i, j], name)

    ply = meshio.read(path)
    same(ply.points, arrays["position"], "points of the PLY file")
    same(ply.point_data["vx"], vertex["vx"], "velocity of the PLY file")

    vtu = meshio.read(path.with_suffix(".vtu"))
    same(vtu.points, arrays["position"], "points of the VTU file")
    assert [block.type for block in vtu.cells] == ["vertex"]
    assert np.array_equal(vtu.cells[0].data[:, 0], np.arange(count))
    assert set(vtu.point_data) == names | {"velocity"}
    for name in vtu.point_data:
        same(vtu.point_data[name], arrays[name].reshape(vtu.point_data[name].shape), name)
