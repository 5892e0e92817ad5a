"""Scenes: what there is at the start, and how it is simulated."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence, Union

from . import _thixo
from .run import Run
from .simulation import Simulation

Value = Union[str, float, int, bool, Sequence[Any], Mapping[str, Any]]
PathLike = Union[str, "os.PathLike[str]"]


def as_settings(settings: Mapping[str, Value] | None) -> list[tuple[str, str]]:
    """Values as the text of a scene file."""
    return [(path, _toml(value)) for path, value in (settings or {}).items()]


def _toml(value: Any) -> str:
    """A value as TOML has it."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value)


class Scene:
    """A scene that was read and checked. It never changes: ``set`` makes another one."""

    def __init__(self, native: _thixo.Scene) -> None:
        self._native = native

    @classmethod
    def from_file(
        cls,
        path: PathLike,
        *,
        preview: bool = False,
        set: Mapping[str, Value] | None = None,
    ) -> Scene:
        """Reads a TOML file. Meshes and images are looked for next to it."""
        file = Path(path)
        text = file.read_text(encoding="utf-8")
        native = _thixo.Scene.from_toml(
            text, os.fspath(path), os.fspath(file.parent), preview, as_settings(set)
        )
        return cls(native)

    @classmethod
    def from_toml(
        cls, text: str, *, name: str = "scene", set: Mapping[str, Value] | None = None
    ) -> Scene:
        """Reads the text of a scene file."""
        return cls(_thixo.Scene.from_toml(text, name, "", False, as_settings(set)))

    @classmethod
    def from_dict(cls, tables: Mapping[str, Any]) -> Scene:
        """A scene from dictionaries and lists with the keys of a scene file."""
        text = json.dumps(tables, default=lambda value: value.tolist())
        return cls(_thixo.Scene.from_json(text, ""))

    def set(self, settings: Mapping[str, Value]) -> Scene:
        """The same scene with other values: ``scene.set({"materials.snow.density": 300})``."""
        return Scene(self._native.with_settings(as_settings(settings)))

    def to_toml(self) -> str:
        """The scene as a file with every default written out."""
        return self._native.to_toml()

    def to_dict(self) -> dict[str, Any]:
        """The scene as dictionaries and lists with every default written out."""
        tables: dict[str, Any] = json.loads(self._native.to_json())
        return tables

    @property
    def title(self) -> str:
        """Its title."""
        return self._native.title

    @property
    def frames(self) -> int:
        """Number of its last frame."""
        return self._native.frames

    @property
    def fps(self) -> float:
        """Frames per second of simulated time [1/s]."""
        return self._native.fps

    def build(self, *, threads: int = 0, precision: str | None = None) -> Simulation:
        """Samples the objects and makes a simulation.

        ``threads``: 0 for one per processor; results do not depend on it. ``precision``: ``"f32"``
        or ``"f64"`` in place of what the scene says.
        """
        return Simulation(self._native.build(threads, precision))

    def run(
        self,
        out: PathLike,
        *,
        frames: int | None = None,
        threads: int = 0,
        precision: str | None = None,
        overwrite: bool = False,
        progress: Callable[[int, int, float], object] | None = None,
    ) -> Run:
        """Simulates all frames into a directory, as ``thixo run`` does.

        ``progress`` is called after every frame with its number, that of the last one, and the
        simulated time. Ctrl-C leaves a checkpoint of the last frame: ``thixo run --resume`` goes on.
        """
        self._native.run(os.fspath(out), frames, threads, precision, overwrite, progress)
        return Run(out)

    def __repr__(self) -> str:
        return f"<thixo.Scene {self.title!r}, {self.frames} frames>"
