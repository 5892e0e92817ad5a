"""Runs and their files; notebooks; the example of the README."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import thixo

CRATE = Path(__file__).resolve().parents[1]
ROOT = CRATE.parents[1]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "snowball"
    scene = thixo.gallery.scene("snowball", preview=True, set={"output.columns": ["stress"]})
    seen = []
    made = scene.run(out, frames=3, progress=lambda *said: seen.append(said))
    assert [frame for frame, _, _ in seen] == [1, 2, 3] and seen[-1][2] == pytest.approx(3 / 60)
    return made


def test_a_run_has_frames_and_budgets(run):
    assert len(run.frames) == 4 and [frame.number for frame in run.frames[1:3]] == [1, 2]
    frame = run.frames[-1]
    assert frame["position"].shape == frame["velocity"].shape == (len(frame["mass"]), 3)
    assert frame["stress"].shape[1:] == (3, 3) and frame.unit("stress") == "Pa"
    assert frame["object"].dtype == np.int32 and frame.time == pytest.approx(0.05)
    stats = run.stats
    assert list(stats["frame"]) == [0, 1, 2, 3]
    assert stats["mass"][-1] == pytest.approx(frame["mass"].sum(dtype=float), rel=1e-6)
    assert run.record["state"] == "done" and run.record["last_frame"] == 3


def test_a_run_is_that_of_a_simulation_in_memory(run):
    sim = thixo.gallery.scene("snowball", preview=True).build()
    for _ in range(3):
        sim.next_frame()
    assert np.array_equal(sim.particles["position"], run.frames[3]["position"])


def test_a_run_is_drawn_meshed_and_plotted(run, tmp_path):
    picture = run.render(size=(160, 90))
    assert picture._repr_png_()[:8] == b"\x89PNG\r\n\x1a\n"
    assert picture.png[16:24] == (160).to_bytes(4, "big") + (90).to_bytes(4, "big")
    picture.save(tmp_path / "p.png")
    assert run.render(0, size=(160, 90), color_by="speed").png != picture.png
    (ball,) = run.mesh()
    a, b, c = (ball.positions[ball.triangles[:, k]] for k in range(3))
    volume = (a * np.cross(b, c)).sum() / 6
    assert volume == pytest.approx(run.frames[-1]["volume"].sum(), rel=0.2)
    svg = run.plot(run).svg
    assert svg.startswith("<svg") and "Energy" in svg.replace("energy", "Energy")


def test_a_directory_is_not_overwritten_without_asking(run):
    scene = thixo.gallery.scene("snowball", preview=True)
    with pytest.raises(thixo.RunError, match="exists"):
        scene.run(run.directory)
    with pytest.raises(thixo.RunError, match="no directory"):
        thixo.Run("nowhere")


@pytest.mark.parametrize("name", sorted(p.name for p in (CRATE / "notebooks").glob("*.ipynb")))
def test_notebooks_run(name, tmp_path):
    book = json.loads((CRATE / "notebooks" / name).read_text())
    code = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
    assert code
    script = tmp_path / "book.py"
    script.write_text("\n\n".join(code))
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_example_of_the_readme_runs(tmp_path):
    text = (ROOT / "README.md").read_text()
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_import_is_quick():
    code = "import numpy, time; t = time.process_time(); import thixo; print(time.process_time() - t)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 0.3
