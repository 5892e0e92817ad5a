"""The built-in scenes."""

from __future__ import annotations

from typing import Mapping

from . import _thixo
from .scene import Scene, Value, as_settings


def names() -> list[str]:
    """Names of all built-in scenes."""
    return _thixo.gallery()


def scene(name: str, *, preview: bool = False, set: Mapping[str, Value] | None = None) -> Scene:
    """A built-in scene; with ``preview`` its smaller version, with ``set`` other values.

    ``gallery.scene("snowball", set={"grid.spacing": 0.02})``
    """
    return Scene(_thixo.Scene.from_gallery(name, preview, as_settings(set)))
