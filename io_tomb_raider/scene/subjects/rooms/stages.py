"""Stages of imports and exports, with the data that subjects get at each.

Importer and exporter call subjects by name that return data for others or share the floor data. All other
subjects have a constant ``STEPS`` in their module of :mod:`...core.subjects`.
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
    """Imported data before objects are placed; empty for subjects that are not imported.

    Attributes:
        rooms: the rooms.
        shown: the collections of models by id.
        static_meshes: the objects of the library by id.
        sprites: the quads of the library by sprite texture.
    """

    rooms: RoomObjects
    shown: Mapping[int, Collection]
    static_meshes: Mapping[int, Object]
    sprites: Mapping[int, Mesh]


class Targets(NamedTuple):
    """Imported objects to which others refer, by number; empty for subjects that are not imported.

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
    """The exported numbers of objects.

    Attributes:
        entities: numbers of entities.
        cameras: numbers of cameras and sinks.
    """

    entities: Numbers
    cameras: Numbers


@dataclass(frozen=True)
class RoomStep:
    """The steps of a subject that is placed in rooms and refers only to libraries.

    Attributes:
        import_: imports the subject.
        export: exports the subject if it was imported.
    """

    import_: Callable[[ImportContext, ImportLibrary], None] | None = None
    export: Callable[[ExportContext, Whereabouts], None] | None = None


@dataclass(frozen=True)
class ReferenceStep:
    """The steps of a subject that may refer to entities and cameras.

    Attributes:
        import_: imports the subject.
        export: exports the subject if it was imported.
    """

    import_: Callable[[ImportContext, Targets], None] | None = None
    export: Callable[[ExportContext, Whereabouts, ReferenceNumbers], None] | None = None


_Steps = TypeVar("_Steps", RoomStep, ReferenceStep)


def steps_of(stage: type[_Steps]) -> Iterator[tuple[Subject, _Steps]]:
    """Yield the subjects of a stage with their steps, in order of registration."""
    for subject in SUBJECTS:
        if subject.module:
            steps = import_module(f"...{subject.module}", __package__).STEPS
            if isinstance(steps, stage):
                yield subject, steps
