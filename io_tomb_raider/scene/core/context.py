"""Contexts that the subjects of one import or export share."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Collection, Object
from numpy.typing import NDArray

from ...catalogue import Catalogue
from ...formats import Game, Level
from ...formats.base import Limits, Target, limits_of, sector_game
from ...formats.editors.wads import Wad2Level
from ...formats.levels.animations import LevelKeys
from ...formats.levels.meshes import MeshBlock
from ...formats.levels.models import MeshTree
from ...formats.levels.views import Decoded
from .blender.evaluated import ShownMeshes
from .membership import LevelObjects
from .order import ordered
from .reporting.report import Report
from .reporting.results import Place, Rebuilt
from .space import DEFAULT_SCALE, Space
from .targets import target_of_level


def _unknown(_game: Game) -> Path | None:
    return None


class Bake(StrEnum):
    """Choices of the actions that are written as constraints and drivers pose them.

    Actions with keys of controls, of their properties, or of a constraint's influence are written so with
    each choice except NONE.
    """

    IN_USE = "IN_USE"
    ALL = "ALL"
    NONE = "NONE"


class RoomPart(NamedTuple):
    """Faces of a room that an import makes an object of their own."""

    number: int  #: its index in the file that the level was made from.
    name: str  #: of the object.
    room: int
    #: (4, 4) float64, its place relative to the room's object, in Blender's axes and units.
    matrix: NDArray[np.float64]
    #: quads, triangles: the first of its faces in the room's lists, and the end.
    quads: tuple[int, int]
    triangles: tuple[int, int]


@dataclass(frozen=True)
class ImportOptions:
    """Options of an import. Subjects that are left out stay in the file on export."""

    scale: float = DEFAULT_SCALE
    rooms: bool = True
    models: bool = True
    animations: bool = True
    static_meshes: bool = True
    entities: bool = True
    lights: bool = True
    cameras: bool = True
    sprites: bool = True
    portals: bool = True
    collision: bool = True
    triggers: bool = True
    pathfinding: bool = True
    sounds: bool = True
    main_sfx: str = ""  # the file, if it is not found next to the level
    set_up_scene: bool = True
    beside: bool = True  # place the level next to the levels of the scene, not inside them
    set_up_frames: bool = True  # set the frame range and rate
    names_from_script: bool = True
    script: str = ""
    game_folder: Callable[[Game], Path | None] = _unknown  # where games are installed
    parts: Sequence[RoomPart] = ()
    sinks: Container[int] | None = None  # the numbers of sinks among cameras; found by default


@dataclass(frozen=True, eq=False)
class ImportContext:
    """The context of one import."""

    decoded: Decoded  #: the level with its decoded views.
    names: Catalogue  #: the names of ids.
    options: ImportOptions  #: the user's choices.
    space: Space  #: the conversion between units of the file and Blender's.
    root: Collection  #: the level's root collection, not linked to a scene until the import is complete.
    report: Report  #: collects warnings.
    path: Path | None = None  #: the file of the level, or None.
    wad2: Wad2Level | None = None  #: the WAD2 that the level was made from, or None.
    #: results of subjects for others, by :class:`~.stages.Product`.
    products: dict[Any, Any] = field(default_factory=dict)

    @property
    def level(self) -> Level:
        """The level."""
        return self.decoded.level

    @property
    def meshes(self) -> MeshBlock:
        """The decoded mesh block."""
        return self.decoded.meshes

    @property
    def mesh_trees(self) -> list[MeshTree]:
        """The decoded mesh trees by index of the model."""
        return self.decoded.mesh_trees

    @property
    def keys(self) -> LevelKeys:
        """The decoded key frames of all animations."""
        return self.decoded.keys

    def collection(self, name: str, kind: str, parent: Collection | None = None) -> Collection:
        """Create a collection of a kind, by default directly below the level's root."""
        created = bpy.data.collections.new(name)
        created.tomb_raider.kind = kind
        (self.root if parent is None else parent).children.link(created)
        return created


@dataclass(frozen=True, eq=False)
class ExportContext:
    """The context of an export. ``level`` starts as a copy of ``original``; subjects replace what differs."""

    root: Collection
    decoded: Decoded  #: the level as it was imported, with its decoded views.
    level: Level  #: the level to write.
    space: Space  #: the conversion between units of the file and Blender's.
    report: Report  #: collects warnings.
    level_objects: LevelObjects
    rebuild: bool = False  #: ignore the original wherever the scene can express an object.
    bake: Bake = Bake.IN_USE  #: the actions that are written as constraints and drivers pose them.
    is_checked: bool = False  #: the level is checked afterwards, which reports portals without a twin.
    with_skins: bool = True  #: the file can hold skins.
    shown: ShownMeshes = field(default_factory=ShownMeshes)  #: the meshes that objects show.
    rebuilt: Rebuilt = field(default_factory=Rebuilt)  #: counts the differences from the original.
    #: the place of each exported object that has one record.
    places: dict[Object, Place] = field(default_factory=dict)
    #: results of subjects for others, by :class:`~.stages.Product`.
    products: dict[Any, Any] = field(default_factory=dict)

    @property
    def original(self) -> Level:
        """The level as it was imported."""
        return self.decoded.level

    @cached_property
    def engine(self) -> Target:
        """The engine that the level is for."""
        return target_of_level(self.root, self.decoded)

    @property
    def target(self) -> Target:
        """The engine whose data the level has: that of the original game where TRX reads no edits."""
        return self.engine if self.original.game.traits.has_trx else Target.ORIGINAL

    @property
    def sector_game(self) -> Game:
        """The game whose shapes and marks of sectors the level can have."""
        return sector_game(self.original.game, self.target)

    @property
    def limits(self) -> Limits:
        """The limits of the engine."""
        return limits_of(self.engine, self.original.game)

    @property
    def original_mesh_trees(self) -> list[MeshTree]:
        """The decoded mesh trees of the original by index of the model."""
        return self.decoded.mesh_trees

    @property
    def original_keys(self) -> LevelKeys:
        """The decoded key frames of the original."""
        return self.decoded.keys

    @property
    def original_meshes(self) -> MeshBlock:
        """The decoded mesh block of the original."""
        return self.decoded.meshes

    def note_place(self, obj: Object, section: str, number: int, room: int = -1) -> None:
        """Note the place of an exported object's record."""
        self.places[obj] = Place(section, number, room)

    @cached_property
    def _by_kind(self) -> dict[str, list[Object]]:
        result: dict[str, list[Object]] = {}
        for obj, kind in self.level_objects.kinds.items():
            result.setdefault(kind, []).append(obj)
        return result

    def objects(self, kind: str) -> list[tuple[Object, int]]:
        """Return the level's objects of a kind in the file's order, each with its original index or -1."""
        return ordered(self._by_kind.get(kind, ()))
