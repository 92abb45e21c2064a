"""What the subjects of one import or one export share."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.types import Collection, Mesh, Object

from ...catalogue import Catalogue
from ...formats import Level
from ...formats.animations.frames import LevelKeys
from ...formats.meshes.meshes import MeshBlock
from ...formats.models.mesh_trees import MeshTree
from .decoded import DecodedLevel
from .members import members
from .order import ordered
from .report import Report
from .space import DEFAULT_SCALE, Space

if TYPE_CHECKING:
    from ..models.build import Skeleton


@dataclass(frozen=True)
class ImportOptions:
    """What to import. Whatever is left out is kept for the export all the same."""

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
    main_sfx: str = ""  # the file, where it is not found beside the level
    set_up_scene: bool = True
    names_from_script: bool = True
    script: str = ""


@dataclass
class ImportContext:
    """One import. Subjects fill the lists that later ones look things up in.

    Attributes:
        root: the level's root collection, not linked to a scene until all is done.
        path: the file that the level comes from, or None.
        decoded: the level with its decoded views.
        mesh_datablocks: by index in the mesh block.
        rooms: room objects by room number; empty where rooms are not imported.
        room_collections: by room number.
        armatures: by index of the model.
        skeletons: by index of the model.
        model_collections: by model id.
        library: the collection of all models.
        figures: what the game draws in place of a model, by the model's id.
        static_meshes: library objects by static mesh id.
        sprite_meshes: the quads of the library by sprite texture.
        entities: by number; empty where entities are not imported.
        cameras: cameras and sinks by number; empty where they are not imported.
        flybys: flyby cameras by number; empty where they are not imported.
    """

    decoded: DecodedLevel
    names: Catalogue
    options: ImportOptions
    space: Space
    root: Collection
    report: Report
    path: Path | None = None
    mesh_datablocks: dict[int, Mesh] = field(default_factory=dict)
    rooms: list[Object] = field(default_factory=list)
    room_collections: list[Collection] = field(default_factory=list)
    armatures: list[Object] = field(default_factory=list)
    skeletons: list[Skeleton] = field(default_factory=list)
    model_collections: dict[int, Collection] = field(default_factory=dict)
    library: Collection | None = None
    figures: dict[int, Collection] = field(default_factory=dict)
    static_meshes: dict[int, Object] = field(default_factory=dict)
    sprite_meshes: dict[int, Mesh] = field(default_factory=dict)
    entities: list[Object] = field(default_factory=list)
    cameras: list[Object] = field(default_factory=list)
    flybys: list[Object] = field(default_factory=list)

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
        """Make a collection of the level, by default below its root."""
        made = bpy.data.collections.new(name)
        made.tomb_raider.kind = kind
        (self.root if parent is None else parent).children.link(made)
        return made


@dataclass
class ExportContext:
    """One export. ``level`` starts as a copy of ``original``; subjects replace what differs.

    Attributes:
        root: the level's root collection.
        decoded: the level as it was imported, with its decoded views.
        level: the level that is written.
        rebuild: ignore the original wherever the scene can express a thing.
    """

    root: Collection
    decoded: DecodedLevel
    level: Level
    space: Space
    report: Report
    rebuild: bool = False

    @property
    def original(self) -> Level:
        """The level as it was imported."""
        return self.decoded.level

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

    @cached_property
    def _by_kind(self) -> dict[str, list[Object]]:
        found: dict[str, list[Object]] = {}
        for thing in members(self.root):
            found.setdefault(thing.tomb_raider.kind, []).append(thing)
        return found

    def objects(self, kind: str) -> list[tuple[Object, int]]:
        """Return the level's objects of a kind in the file's order, each with its original index or -1."""
        return ordered(self._by_kind.get(kind, ()))
