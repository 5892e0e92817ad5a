"""Exceptions, with the messages that the command line gives."""

from __future__ import annotations


class ThixoError(Exception):
    """Anything that thixo refuses or cannot do."""


class SceneError(ThixoError, ValueError):
    """A scene that was refused."""

    def __init__(
        self,
        message: str,
        *,
        key: str | None = None,
        value: str | None = None,
        range: str | None = None,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message)
        #: Path of the key, such as ``grid.spacing``.
        self.key = key
        #: The value that was given.
        self.value = value
        #: What it must be.
        self.range = range
        #: The file, with line and column from 1.
        self.file = file
        self.line = line
        self.column = column


class SimulationError(ThixoError, RuntimeError):
    """A simulation that cannot go on, with the diagnosis."""


class RunError(ThixoError, OSError):
    """Files of a run that cannot be read or written."""
