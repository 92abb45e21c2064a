"""When the importer and the exporter turn to a subject, and what it is given then.

Rooms, libraries, entities and cameras hand something on to others, and some share the floor data: importer
and exporter call those by name. All other subjects have steps, in a constant ``STEPS`` of the module that
:mod:`...core.subjects` names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import NamedTuple, TypeVar

from bpy.types import Collection, Mesh, Object

from ...core.context import ExportContext, ImportContext
from ...core.numbers import Numbers
from ...core.subjects import SUBJECTS, Subject
from .where import RoomObjects, Whereabouts


class ImportLibrary(NamedTuple):
    """What an import has before objects are placed; of what is not imported there is nothing.

    Attributes:
        rooms: the rooms.
        shown: what models look like, by their ids.
        static_meshes: the objects of the library by id.
        sprites: the quads of the library by sprite texture.
    """

    rooms: RoomObjects
    shown: Mapping[int, Collection]
    static_meshes: Mapping[int, Object]
    sprites: Mapping[int, Mesh]


class Targets(NamedTuple):
    """What others refer to in an import, by number; of what is not imported there is nothing.

    Attributes:
        rooms: the rooms.
        entities: all entities.
        cameras: cameras and sinks.
        flybys: flyby cameras.
    """

    rooms: RoomObjects
    entities: Sequence[Object]
    cameras: Sequence[Object]
    flybys: Sequence[Object]


class ReferenceNumbers(NamedTuple):
    """The numbers that objects have in an export.

    Attributes:
        entities: of entities.
        cameras: of cameras and sinks.
    """

    entities: Numbers
    cameras: Numbers


@dataclass(frozen=True)
class RoomStep:
    """The steps of a subject that stands in rooms, and refers to nothing but the libraries.

    Attributes:
        bring: makes it in the scene.
        write: writes it into the level that is exported, if it stands in the scene.
    """

    bring: Callable[[ImportContext, ImportLibrary], None] | None = None
    write: Callable[[ExportContext, Whereabouts], None] | None = None


@dataclass(frozen=True)
class ReferenceStep:
    """The steps of a subject that may refer to entities and cameras, or of one that stands alone.

    Attributes:
        bring: makes it in the scene.
        write: writes it into the level that is exported, if it stands in the scene.
    """

    bring: Callable[[ImportContext, Targets], None] | None = None
    write: Callable[[ExportContext, Whereabouts, ReferenceNumbers], None] | None = None


_Steps = TypeVar("_Steps", RoomStep, ReferenceStep)


def steps_of(stage: type[_Steps]) -> Iterator[tuple[Subject, _Steps]]:
    """Yield the subjects of a stage with their steps, in their order."""
    for subject in SUBJECTS:
        if subject.module:
            steps = import_module(f"...{subject.module}", __package__).STEPS
            if isinstance(steps, stage):
                yield subject, steps
