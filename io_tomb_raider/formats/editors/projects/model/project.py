"""A project: its settings and rooms.

Parts that were not changed are written as they were read, byte for byte; changed ones in the form of today's
Tomb Editor.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count

from ....base.bytes.files import file_content
from ....base.errors import ExportError
from ....base.messages import T
from .objects import NO_OBJECT, Parameter, ParameterKind, PlacedObject, ProjectTrigger
from .prj2 import Content, read_content, write_content
from .rooms import ProjectRoom
from .settings import Settings

MOST_ROOMS = 1024  # that the editor opens


@dataclass
class Project:
    """A project."""

    settings: Settings = field(default_factory=Settings)
    rooms: list[ProjectRoom] = field(default_factory=list)  #: in the order of the file.
    #: the parts that could not be decoded; they are kept as they are.
    problems: list[str] = field(default_factory=list)
    content: Content = field(default_factory=Content, repr=False)  #: the chunks that it was read from.

    def room(self, number: int) -> ProjectRoom | None:
        """Return the room of a number, or None."""
        return next((room for room in self.rooms if room.number == number), None)

    def objects(self) -> Iterator[tuple[ProjectRoom, PlacedObject]]:
        """Yield all objects with their rooms, in the order of the file."""
        return ((room, each) for room in self.rooms for each in room.objects)

    def new_number(self) -> int:
        """Return a number for a new object that no object has."""
        return 1 + max((each.number for _, each in self.objects()), default=-1)

    def to_bytes(self) -> bytes:
        """Return the project as a `.prj2`. An unchanged project is written byte for byte as it was read.

        Raises:
            ExportError: if a part cannot be written, or if the editor could not open the project.
        """
        if len(self.rooms) > MOST_ROOMS:
            raise ExportError(T("Rooms"), T("too many rooms"), count=len(self.rooms), limit=MOST_ROOMS)
        return write_content(self.content, self.settings, self._numbered_rooms())

    def _numbered_rooms(self) -> list[ProjectRoom]:
        """Return the rooms with numbers for new objects, and no links to removed ones."""
        present = {each.number for _, each in self.objects()}
        links = {
            parameter.value
            for _, each in self.objects()
            if isinstance(each, ProjectTrigger)
            for parameter in (each.target, each.timer, each.extra, each.plugin)
            if parameter.kind == ParameterKind.OBJECT
        }
        lost = links & (self.content.objects - present)
        if not lost and not any(map(_is_unnumbered, (each for _, each in self.objects()))):
            return self.rooms
        free = (number for number in count() if number not in present)
        rooms = []
        for room in self.rooms:
            objects = [_linked(each, lost) for each in room.objects]
            objects = [replace(each, number=next(free)) if _is_unnumbered(each) else each for each in objects]
            rooms.append(replace(room, objects=objects))
        return rooms


def _is_unnumbered(obj: PlacedObject) -> bool:
    """Return whether an object is new and without a number."""
    return obj.number < 0 and obj.source is None


def _linked(obj: PlacedObject, lost: set[int | str]) -> PlacedObject:
    """Return an object whose links to lost objects are links to none."""
    if not isinstance(obj, ProjectTrigger):
        return obj
    none = Parameter(ParameterKind.OBJECT, NO_OBJECT)
    target, timer, extra, plugin = (
        none if each.kind == ParameterKind.OBJECT and each.value in lost else each
        for each in (obj.target, obj.timer, obj.extra, obj.plugin)
    )
    return replace(obj, target=target, timer=timer, extra=extra, plugin=plugin)


def read_project(source: str | os.PathLike[str] | bytes) -> Project:
    """Read a project from a file or from its bytes.

    Raises:
        FormatError: if it is not a project, or damaged.
        OSError: if the file cannot be read.
    """
    content, settings, rooms, problems = read_content(file_content(source))
    return Project(settings, rooms, problems, content)
