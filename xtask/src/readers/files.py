"""Opens the files of a run for other programs and compares them with its frames: files.py RUN."""

import sys
from pathlib import Path

import h5py
import numpy as np
import pyvista
from pxr import Usd, UsdGeom

run = Path(sys.argv[1])
frames = sorted((run / "particles").glob("frame_*.ply"))
COUNT = len(frames)
assert COUNT == 7


def ply(path):
    """The columns of a binary PLY of floats, doubles and ints."""
    data = path.read_bytes()
    head, body = data.split(b"end_header\n", 1)
    types = {"float": "<f4", "double": "<f8", "int": "<i4", "uchar": "u1"}
    rows = [line.split() for line in head.decode().splitlines() if line.startswith("property")]
    return np.frombuffer(body, np.dtype([(name, types[kind]) for _, kind, name in rows]))


def vectors(frame, names):
    return np.stack([frame[name] for name in names], axis=1)


truth = [ply(path) for path in frames]

# USD: particles.
stage = Usd.Stage.Open(str(run / "export/particles.usdc"))
assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, COUNT - 1)
assert stage.GetTimeCodesPerSecond() == stage.GetFramesPerSecond() > 0
assert UsdGeom.GetStageMetersPerUnit(stage) == 1
assert UsdGeom.GetStageUpAxis(stage) == "Y"
clouds = [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Points)]
assert len(clouds) == len(np.unique(truth[0]["object"])) == 2
for number, prim in enumerate(clouds):
    points = UsdGeom.Points(prim)
    assert points.GetPointsAttr().GetTimeSamples() == list(range(COUNT))
    for time, frame in enumerate(truth):
        own = frame[frame["object"] == number]
        assert np.array_equal(points.GetPointsAttr().Get(time), vectors(own, "xyz"))
        assert np.array_equal(points.GetVelocitiesAttr().Get(time), vectors(own, ["vx", "vy", "vz"]))
        widths = np.array(points.GetWidthsAttr().Get(time))
        ball = np.pi / 6 * widths.astype(float) ** 3
        growth = np.maximum(own["j"], 2) / 2
        assert np.allclose(ball, own["volume"] / growth, rtol=1e-4)
        j = UsdGeom.PrimvarsAPI(prim).GetPrimvar("j")
        assert j.GetInterpolation() == "vertex" and np.array_equal(j.Get(time), own["j"])
    assert points.GetWidthsInterpolation() == "vertex"
    assert UsdGeom.PrimvarsAPI(prim).GetPrimvar("displayColor").Get(0)[0][0] > 0
print("usd-core: particles of", COUNT, "frames")

# USD: surfaces, which enclose the particles.
stage = Usd.Stage.Open(str(run / "mesh/surfaces.usdc"))
meshes = [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
assert len(meshes) == 2
for number, prim in enumerate(meshes):
    mesh = UsdGeom.Mesh(prim)
    assert mesh.GetSubdivisionSchemeAttr().Get() == "none"
    for time, frame in enumerate(truth):
        own = vectors(frame[frame["object"] == number], "xyz")
        points = np.array(mesh.GetPointsAttr().Get(time))
        corners = np.array(mesh.GetFaceVertexIndicesAttr().Get(time)).reshape(-1, 3)
        counts = np.array(mesh.GetFaceVertexCountsAttr().Get(time))
        assert (counts == 3).all() and len(counts) == len(corners)
        assert corners.min() == 0 and corners.max() == len(points) - 1
        assert UsdGeom.Mesh.ValidateTopology(corners.ravel().tolist(), counts.tolist(), len(points))
        assert (points.min(0) <= own.min(0)).all() and (points.max(0) >= own.max(0)).all()
        # Outward triangles, so that the volume is positive.
        a, b, c = (points[corners[:, k]].astype(float) for k in range(3))
        assert (a * np.cross(b, c)).sum() / 6 > 0
        assert len(mesh.GetNormalsAttr().Get(time)) == len(points)
        assert len(mesh.GetVelocitiesAttr().Get(time)) == len(points)
print("usd-core: surfaces of", COUNT, "frames")

# VTKHDF.
path = run / "export/particles.vtkhdf"
with h5py.File(path) as file:
    top = file["VTKHDF"]
    assert top.attrs["Type"] == b"UnstructuredGrid" and list(top.attrs["Version"]) == [2, 0]
    offsets = list(top["Steps/PointOffsets"]) + [len(top["Points"])]
    assert top["Steps"].attrs["NSteps"] == COUNT
    assert top["PointData/stress"].attrs["unit"] == b"Pa"
    for time, frame in enumerate(truth):
        rows = slice(offsets[time], offsets[time + 1])
        assert np.array_equal(top["Points"][rows], vectors(frame, "xyz"))
        assert np.array_equal(top["PointData/velocity"][rows], vectors(frame, ["vx", "vy", "vz"]))
        assert np.array_equal(top["PointData/object"][rows], frame["object"])
        stress = [f"stress_{a}{b}" for a in "xyz" for b in "xyz"]
        assert np.array_equal(top["PointData/stress"][rows], vectors(frame, stress))
    times = list(top["Steps/Values"])
print("h5py: columns of", COUNT, "frames")
reader = pyvista.get_reader(str(path))
assert list(reader.time_values) == times and len(times) == COUNT
for time, frame in enumerate(truth):
    reader.set_active_time_point(time)
    grid = reader.read()
    assert grid.n_points == grid.n_cells == len(frame)
    assert np.array_equal(grid.points, vectors(frame, "xyz"))
    assert np.array_equal(grid.point_data["j"], frame["j"])
print("PyVista: VTKHDF with", COUNT, "times")

# Collections of VTK series.
for kind in ("vtp", "vtu"):
    reader = pyvista.get_reader(str(run / f"particles/series_{kind}.pvd"))
    assert list(reader.time_values) == times
    reader.set_active_time_point(COUNT - 1)
    assert np.array_equal(reader.read()[0].points, vectors(truth[-1], "xyz"))
print("PyVista: collections of VTP and VTU")
