"""Runs: the files that a simulation wrote."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Mapping, Sequence, Union, overload

import numpy as np
import numpy.typing as npt

from . import _thixo

Array = npt.NDArray[Any]
PathLike = Union[str, "os.PathLike[str]"]


class Frame(Mapping[str, Array]):
    """The particles of a frame: quantities by name."""

    def __init__(self, number: int, path: str) -> None:
        #: Number of the frame.
        self.number = number
        #: The file.
        self.path = Path(path)
        time, self._arrays, self._units = _thixo.read_frame(path)
        #: Simulated time [s].
        self.time = float("nan") if time is None else time

    def __getitem__(self, name: str) -> Array:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def unit(self, name: str) -> str:
        """SI unit of a quantity; empty where there is none."""
        return self._units[name]

    def __repr__(self) -> str:
        return f"<thixo.Frame {self.number}, t = {self.time:g} s, {', '.join(self)}>"


class Frames(Sequence[Frame]):
    """The frames of a run. They are read when they are asked for."""

    def __init__(self, directory: Path) -> None:
        self._files = _thixo.frame_files(os.fspath(directory))

    def __len__(self) -> int:
        return len(self._files)

    @overload
    def __getitem__(self, index: int) -> Frame: ...
    @overload
    def __getitem__(self, index: slice) -> list[Frame]: ...
    def __getitem__(self, index: int | slice) -> Frame | list[Frame]:
        if isinstance(index, slice):
            return [Frame(*file) for file in self._files[index]]
        return Frame(*self._files[index])


class Stats(Mapping[str, Array]):
    """The budgets of every frame: columns by name."""

    def __init__(self, path: Path) -> None:
        with path.open(encoding="utf-8") as file:
            names = file.readline().rstrip("\n").split(",")
            rows = [line.rstrip("\n").split(",") for line in file if line.endswith("\n")]
        table = np.array(rows, dtype=np.float64).reshape(len(rows), len(names))
        self._columns: dict[str, Array] = {name: table[:, k] for k, name in enumerate(names)}

    def __getitem__(self, name: str) -> Array:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def to_pandas(self) -> Any:
        """The table as a DataFrame; needs pandas."""
        import pandas  # type: ignore[import-untyped,unused-ignore]

        return pandas.DataFrame(self._columns).set_index("frame")


@dataclass(frozen=True)
class Picture:
    """A PNG picture, which notebooks show."""

    png: bytes

    def _repr_png_(self) -> bytes:
        return self.png

    def save(self, path: PathLike) -> None:
        """Writes it as a file."""
        Path(path).write_bytes(self.png)


@dataclass(frozen=True)
class Plot:
    """A figure as SVG, which notebooks show."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: PathLike) -> None:
        """Writes it as a file."""
        Path(path).write_text(self.svg, encoding="utf-8")


@dataclass(frozen=True)
class Mesh:
    """A watertight surface of an object."""

    name: str
    #: Vertices [m], of shape (vertices, 3).
    positions: Array
    #: Indices of vertices, of shape (triangles, 3).
    triangles: Array
    #: Outward, of length one.
    normals: Array
    #: Velocity of the matter at the vertices [m/s].
    velocities: Array


class Run:
    """The directory of a run."""

    def __init__(self, directory: PathLike) -> None:
        #: The directory.
        self.directory = Path(directory)
        #: The frames that are there.
        self.frames = Frames(self.directory)

    @property
    def record(self) -> dict[str, Any]:
        """``run.json``: version, threads, timings, how it ended, warnings."""
        text = (self.directory / "run.json").read_text(encoding="utf-8")
        record: dict[str, Any] = json.loads(text)
        return record

    @property
    def stats(self) -> Stats:
        """The budgets of every frame."""
        return Stats(self.directory / "stats.csv")

    def _number(self, frame: int) -> int:
        return self.frames._files[frame][0]

    def render(
        self,
        frame: int = -1,
        *,
        size: tuple[int, int] | None = None,
        color_by: str | None = None,
    ) -> Picture:
        """A picture of a frame, counted as in ``frames``; the scene's [render] says how it looks."""
        number = self._number(frame)
        directory = os.fspath(self.directory)
        return Picture(_thixo.draw(directory, number, size, color_by))

    def mesh(self, frame: int = -1, *, smoothing: int = 10) -> list[Mesh]:
        """Surfaces of the objects of a frame of a run in 3D."""
        made = _thixo.surfaces(os.fspath(self.directory), self._number(frame), smoothing)
        return [Mesh(name, *arrays) for name, arrays in made]

    def plot(self, *others: Run) -> Plot:
        """Its budgets over time, with those of other runs."""
        runs = [(run.directory.name, os.fspath(run.directory)) for run in (self, *others)]
        return Plot(_thixo.plot(runs))

    def __repr__(self) -> str:
        return f"<thixo.Run {os.fspath(self.directory)!r}, {len(self.frames)} frames>"
