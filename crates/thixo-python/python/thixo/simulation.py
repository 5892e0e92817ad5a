"""Simulations in memory."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping, Union

import numpy as np
import numpy.typing as npt

from . import _thixo

Array = npt.NDArray[Any]
PathLike = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Report:
    """What happened in some steps."""

    #: Accepted steps.
    steps: int
    #: Shortest and longest step [s].
    dt_min: float
    dt_max: float
    #: Times that steps were taken back and repeated shorter.
    retries: int


@dataclass(frozen=True)
class Audit:
    """Conserved quantities and extremes, in SI units."""

    time: float
    particles: int
    mass: float
    centre_of_mass: Array
    momentum: Array
    angular_momentum: Array
    kinetic: float
    elastic: float
    potential: float
    max_speed: float
    volume: float
    j_min: float
    j_max: float


class Particles(Mapping[str, Array]):
    """Quantities of the particles by name, in the order of their identifiers.

    Reading one makes a copy, in parallel and without the interpreter's lock. It stays as it is when
    the simulation goes on, and cannot be written to; ``sim.particles["velocity"] = v`` writes back.
    """

    def __init__(self, native: _thixo.Simulation) -> None:
        self._native = native

    def __getitem__(self, name: str) -> Array:
        return self._native.read(name)

    def __setitem__(self, name: str, values: npt.ArrayLike) -> None:
        if name != "velocity":
            raise KeyError(f"{name!r} cannot be written; only 'velocity' can")
        self._native.set_velocities(np.asarray(values, dtype=np.float64))

    def __iter__(self) -> Iterator[str]:
        yield from (name for name, _, _ in self._native.quantities())
        yield from ("material", "id")

    def __len__(self) -> int:
        """Number of quantities; ``len(sim)`` is that of particles."""
        return len(self._native.quantities()) + 2

    def unit(self, name: str) -> str:
        """SI unit of a quantity."""
        for own, unit, _ in self._native.quantities():
            if own == name:
                return unit
        return ""

    def about(self, name: str) -> str:
        """What a quantity is."""
        for own, _, about in self._native.quantities():
            if own == name:
                return about
        raise KeyError(name)


class Simulation:
    """A simulation in memory, made by :meth:`Scene.build`."""

    def __init__(self, native: _thixo.Simulation) -> None:
        self._native = native
        #: Quantities of the particles by name.
        self.particles = Particles(native)

    def __len__(self) -> int:
        """Number of particles."""
        return len(self._native)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._native.time

    @property
    def frame(self) -> int:
        """Frames that :meth:`next_frame` has made."""
        return self._native.frame

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return self._native.dimension

    @property
    def precision(self) -> str:
        """``"f32"`` or ``"f64"``."""
        return self._native.precision

    @property
    def threads(self) -> int:
        """Number of threads."""
        return self._native.threads

    @property
    def materials(self) -> list[str]:
        """Names of the materials, by the index that ``particles["material"]`` holds."""
        return self._native.materials

    def next_frame(self, *, checkpoint: PathLike | None = None) -> Report:
        """Simulates one frame of the scene, with its emitters and sinks.

        Ctrl-C takes the frame back and raises ``KeyboardInterrupt``; with ``checkpoint`` the state
        is saved there first.
        """
        path = None if checkpoint is None else os.fspath(checkpoint)
        return Report(**self._native.next_frame(path))

    def advance(
        self,
        duration: float,
        *,
        body_force: Callable[[Array, float], npt.ArrayLike] | None = None,
        checkpoint: PathLike | None = None,
    ) -> Report:
        """Advances by a duration [s] in as many steps as stability needs.

        ``body_force`` is called with the positions and the time before, and returns an acceleration
        [m/s²] for every particle, which acts as one impulse at the start: call with short durations
        where it changes quickly. Ctrl-C takes the call back; see :meth:`next_frame`.
        """
        path = None if checkpoint is None else os.fspath(checkpoint)
        before = None
        if body_force is not None:
            before = self.particles["velocity"]
            acceleration = np.asarray(body_force(self.particles["position"], self.time))
            self.particles["velocity"] = before + duration * acceleration
        try:
            return Report(**self._native.advance(duration, path))
        except BaseException:
            if before is not None:
                self.particles["velocity"] = before
            raise

    def step(self, dt: float | None = None, *, count: int = 1) -> Report:
        """Makes steps of a length [s], by default of the length that stability allows.

        Given lengths are not checked: after an error the simulation cannot go on.
        """
        return Report(**self._native.steps(dt, count))

    def audit(self) -> Audit:
        """Budgets at the present time."""
        values = self._native.audit()
        for name in ("centre_of_mass", "momentum", "angular_momentum"):
            values[name] = np.asarray(values[name])
        values["particles"] = int(values["particles"])
        return Audit(**values)

    def add(
        self,
        material: str,
        positions: npt.ArrayLike,
        *,
        mass: npt.ArrayLike,
        volume: npt.ArrayLike,
        velocities: npt.ArrayLike = 0.0,
    ) -> int:
        """Adds undeformed particles of a material; returns the identifier of the first.

        ``mass`` [kg] and ``volume`` [m³] are of one particle each, or one number for all.
        """
        x = np.ascontiguousarray(positions, dtype=np.float64)
        v = np.ascontiguousarray(np.broadcast_to(np.asarray(velocities, np.float64), x.shape))
        m = np.ascontiguousarray(np.broadcast_to(np.asarray(mass, np.float64), x.shape[:1]))
        w = np.ascontiguousarray(np.broadcast_to(np.asarray(volume, np.float64), x.shape[:1]))
        return self._native.add(material, x, v, m, w)

    def remove(self, particles: npt.ArrayLike) -> int:
        """Removes particles, given a mask or identifiers; returns how many."""
        chosen = np.asarray(particles)
        if chosen.dtype == np.bool_:
            chosen = self.particles["id"][chosen]
        return self._native.remove([int(k) for k in chosen])

    def save(self, path: PathLike) -> None:
        """Writes the state, from which :meth:`restore` goes on bit for bit."""
        self._native.save(os.fspath(path))

    def restore(self, path: PathLike) -> None:
        """Takes over a state that a simulation of the same scene has saved."""
        self._native.restore(os.fspath(path))

    def __repr__(self) -> str:
        return f"<thixo.Simulation {len(self)} particles, t = {self.time:g} s>"
