"""Scenes and simulations in memory."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import thixo

BLOCK = {
    "title": "A block of jelly",
    "dimension": 2,
    "grid": {"spacing": 0.05},
    "time": {"frames": 4, "fps": 24},
    "physics": {"gravity": [0, -9.81]},
    "materials": {
        "jelly": {
            "model": "neo_hookean",
            "density": 1000,
            "young_modulus": "100 kPa",
            "poisson_ratio": 0.3,
        }
    },
    "objects": [
        {"material": "jelly", "shape": {"box": {"min": [0, 0.5], "max": [0.5, "100 cm"]}}}
    ],
}


def block(**settings):
    return thixo.Scene.from_dict(BLOCK).set(settings)


def test_scenes_come_from_files_texts_tables_and_the_gallery(tmp_path):
    scene = thixo.Scene.from_dict(BLOCK)
    text = scene.to_toml()
    path = tmp_path / "block.toml"
    path.write_text(text)
    assert thixo.Scene.from_file(path).to_toml() == text
    assert thixo.Scene.from_toml(text).to_dict() == scene.to_dict()
    assert scene.to_dict()["materials"]["jelly"]["young_modulus"] == 1e5
    finer = scene.set({"grid.spacing": 0.025, "objects[0].velocity": np.array([1.0, 0.0])})
    assert finer.to_dict()["objects"][0]["velocity"] == [1.0, 0.0]
    assert len(finer.build()) == 4 * len(scene.build())
    assert "jelly-drop" in thixo.gallery.names()
    assert thixo.gallery.scene("snowball", preview=True).fps == 60


def test_what_is_wrong_is_said_with_key_value_and_range():
    with pytest.raises(thixo.SceneError) as caught:
        block(**{"materials.jelly.poisson_ratio": 0.7})
    error = caught.value
    assert error.key == "materials.jelly.poisson_ratio" and error.value == "0.7"
    assert "0.5" in error.range and isinstance(error, ValueError)
    text = thixo.Scene.from_dict(BLOCK).to_toml().replace("poisson_ratio = 0.3", "poisson_ratio = 1")
    with pytest.raises(thixo.SceneError) as caught:
        thixo.Scene.from_toml(text, name="block.toml")
    line = text.splitlines()[caught.value.line - 1]
    assert "poisson_ratio" in line and caught.value.file == "block.toml"
    with pytest.raises(thixo.SceneError, match='did you mean "spacing"'):
        thixo.Scene.from_toml(thixo.Scene.from_dict(BLOCK).to_toml().replace("spacing", "spacng"))
    with pytest.raises(thixo.SceneError, match="in Pa, or in another unit"):
        block(**{"materials.jelly.young_modulus": "3 m"})
    with pytest.raises(thixo.SceneError, match="did you mean"):
        thixo.gallery.scene("snowbal")
    with pytest.raises(ValueError, match="precision"):
        thixo.Scene.from_dict(BLOCK).build(precision="f16")


def test_matter_falls_as_it_should():
    sim = block().build(threads=1, precision="f64")
    start = sim.audit()
    report = sim.advance(0.1)
    end = sim.audit()
    assert report.steps > 1 and report.dt_min <= report.dt_max
    # The scheme is symplectic: g t²/2 up to half a step times g t.
    fallen = start.centre_of_mass[1] - end.centre_of_mass[1]
    assert abs(fallen - 0.5 * 9.81 * 0.01) < 0.5 * report.dt_max * 9.81 * 0.1 + 1e-9
    assert end.momentum[1] == pytest.approx(-9.81 * 0.1 * end.mass, rel=1e-9)
    assert sim.time == pytest.approx(0.1) and end.particles == len(sim)


def test_arrays_are_copies_that_cannot_be_written():
    sim = block().build()
    x = sim.particles["position"]
    assert x.dtype == np.float32 and x.shape == (len(sim), 2) and not x.flags.writeable
    kept = x.copy()
    sim.advance(0.01)
    assert np.array_equal(x, kept) and not np.array_equal(sim.particles["position"], kept)
    with pytest.raises(ValueError):
        x[0] = 0
    assert sim.particles["stress"].shape == (len(sim), 2, 2)
    assert sim.particles.unit("stress") == "Pa" and sim.particles.about("mass")
    for name in sim.particles:
        assert len(sim.particles[name]) == len(sim)
    assert list(sim.particles["id"]) == list(range(len(sim)))
    assert sim.materials == ["jelly"] and not sim.particles["material"].any()
    with pytest.raises(KeyError):
        sim.particles["colour"]


def test_velocities_are_written_back():
    sim = block(**{"physics.gravity": [0, 0]}).build(precision="f64")
    v = np.tile([1.0, 2.0], (len(sim), 1))
    sim.particles["velocity"] = v
    assert np.array_equal(sim.particles["velocity"], v)
    before = sim.audit().centre_of_mass
    sim.advance(0.1)
    assert np.allclose(sim.audit().centre_of_mass - before, [0.1, 0.2], atol=1e-12)
    with pytest.raises(thixo.SimulationError, match="velocity"):
        sim.particles["velocity"] = np.where(np.arange(len(sim))[:, None] == 3, np.nan, v)
    with pytest.raises(ValueError, match="shape"):
        sim.particles["velocity"] = v[:-1]
    with pytest.raises(KeyError):
        sim.particles["mass"] = v[:, 0]


def test_forces_from_python_act():
    sim = block(**{"physics.gravity": [0, 0]}).build(precision="f64")
    mass = sim.audit().mass
    for _ in range(10):
        sim.advance(0.01, body_force=lambda x, t: np.tile([3.0, 0.0], (len(x), 1)))
    assert sim.audit().momentum[0] == pytest.approx(0.3 * mass, rel=1e-9)


def test_particles_come_and_go():
    sim = block().build()
    count, mass = len(sim), sim.audit().mass
    x = np.array([[2.0, 2.0], [2.1, 2.0]])
    first = sim.add("jelly", x, mass=0.5, volume=5e-4, velocities=[1.0, 0.0])
    assert first == count and len(sim) == count + 2
    assert sim.audit().mass == pytest.approx(mass + 1.0, rel=1e-6)
    sim.advance(0.01)
    assert sim.remove(sim.particles["position"][:, 0] > 1) == 2
    assert sim.remove([0, 5]) == 2 and len(sim) == count - 2
    with pytest.raises(KeyError, match="jelly"):
        sim.add("sand", x, mass=1, volume=1)
    with pytest.raises(thixo.SimulationError, match="mass"):
        sim.add("jelly", x, mass=0, volume=1)


def test_a_saved_state_goes_on_bit_for_bit(tmp_path):
    one = block().build(threads=1)
    one.next_frame()
    one.save(tmp_path / "state")
    one.next_frame()
    two = block().build(threads=2)
    two.restore(tmp_path / "state")
    assert two.frame == 1
    two.next_frame()
    assert np.array_equal(one.particles["position"], two.particles["position"])
    assert one.time == two.time
    (tmp_path / "other").write_text("no state at all")
    with pytest.raises(thixo.RunError):
        two.restore(tmp_path / "other")


def test_other_threads_run_while_it_steps():
    sim = block(**{"grid.spacing": 0.02}).build(threads=1)
    counted = [0]
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    begun = time.perf_counter()
    while time.perf_counter() - begun < 0.3:
        sim.advance(0.05)
    stop.set()
    thread.join()
    assert counted[0] > 20


INTERRUPTED = """
import sys, time, thixo
sim = thixo.gallery.scene("snowball", preview=True).build(threads=1)
print("ready", flush=True)
try:
    sim.advance(1000.0, checkpoint=sys.argv[1])
except KeyboardInterrupt:
    print(time.time(), flush=True)
    sim.advance(0.001)
    print(sim.time, flush=True)
"""


def test_ctrl_c_leaves_a_checkpoint_and_the_state_before(tmp_path):
    state = tmp_path / "state"
    child = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(state)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.5)
    sent = time.time()
    child.send_signal(signal.SIGINT)
    caught = float(child.stdout.readline())
    assert child.stdout.readline() == "0.001\n"
    assert child.wait() == 0
    # On a quiet machine it takes some hundredths of a second; others may keep the processors busy.
    print(f"Ctrl-C took {caught - sent:.3f} s")
    assert caught - sent < 2
    sim = thixo.gallery.scene("snowball", preview=True).build()
    sim.restore(state)
    assert sim.time == 0


def test_the_package_passes_mypy_strict():
    package = Path(thixo.__file__).parent
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "/dev/null", str(package)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
