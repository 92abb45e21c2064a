"""A project: its settings and rooms.

Parts that were not changed are written as they were read, byte for byte; changed ones in the form of today's
Tomb Editor.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from .objects import Placed
from .rooms import Room
from .settings import (
    AnimatedSet,
    AnimationFrame,
    Event,
    EventSet,
    GameVersion,
    ImportedModel,
    LevelTexture,
    MergedStatic,
    Node,
    Settings,
    TexturedArea,
)

__all__ = [
    "AnimatedSet",
    "AnimationFrame",
    "Event",
    "EventSet",
    "GameVersion",
    "ImportedModel",
    "LevelTexture",
    "MergedStatic",
    "Node",
    "Project",
    "Settings",
    "TexturedArea",
    "read_project",
]


@dataclass
class Project:
    """A project.

    Attributes:
        settings: its settings.
        rooms: in the order of the file.
        problems: the parts that could not be decoded; they are kept as they are.
    """

    settings: Settings = field(default_factory=Settings)
    rooms: list[Room] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def room(self, number: int) -> Room | None:
        """Return the room of a number, or None."""
        return next((room for room in self.rooms if room.number == number), None)

    def objects(self) -> Iterator[tuple[Room, Placed]]:
        """Yield all objects with their rooms, in the order of the file."""
        return ((room, each) for room in self.rooms for each in room.objects)

    def new_number(self) -> int:
        """Return a number for a new object that no object has."""
        return 1 + max((each.number for _, each in self.objects()), default=-1)

    def to_bytes(self) -> bytes:
        """Return the project as a `.prj2`. An unchanged project is written byte for byte as it was read.

        Raises:
            ExportError: if a part cannot be written.
        """
        raise NotImplementedError


def read_project(source: str | os.PathLike[str] | bytes) -> Project:
    """Read a project from a file or from its bytes.

    Raises:
        FormatError: if it is not a project, or damaged.
        OSError: if the file cannot be read.
    """
    raise NotImplementedError
