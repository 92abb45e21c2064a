"""A level and its decoded views."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.bits import join_records
from ...base.errors import FormatError
from ...base.schema.fields import Record
from ...base.targets import Target
from ...base.units import SECTOR_SIZE
from ..animations.animations import model_animations
from ..animations.frames import LevelKeys, decode_frames
from ..collision.grid import SectorGrid
from ..collision.openings import Openings, Uprights, find_openings
from ..collision.sectors import Sectors, level_sectors
from ..floor.lists import FloorLists, joined_indices
from ..injections.block import read_block
from ..injections.flybys import flyby_records
from ..injections.kinds import BlockId
from ..injections.pages import page_edits
from ..injections.properties import Properties, level_properties
from ..injections.rooms import room_edits
from ..injections.sectors import level_edits, with_edits
from ..injections.sounds import sound_records
from ..injections.trxj import Injection
from ..level.level import Level
from ..level.level_pages import page_count, pages_of
from ..meshes.meshes import MeshBlock, decode_meshes
from ..models.bounding import vertex_boxes
from ..models.mesh_trees import MeshTree, decode_mesh_trees
from ..textures.textiles import Pages, decode_pages, expand_palette

_View = TypeVar("_View")


class Decoded:
    """A level with its decoded views, each decoded on first use. Views must not be modified.

    A view of damaged records raises a FormatError.
    """

    def __init__(self, level: Level, target: Target | None = None) -> None:
        self.level = level  #: the level as it was read.
        self.target = target  #: the engine that it is for; None for what the level shows.
        self._cache: dict[Callable[[Decoded], Any], Any] = {}

    def once(self, make: Callable[[Decoded], _View]) -> _View:
        """Return the result of a function of the decoded level, cached by the function."""
        if make not in self._cache:
            self._cache[make] = make(self)
        result: _View = self._cache[make]
        return result

    @cached_property
    def meshes(self) -> MeshBlock:
        """The decoded mesh block."""
        return decode_meshes(self.level.game, self.level.mesh_data, self.level.mesh_pointers)

    @cached_property
    def mesh_boxes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The boxes around the vertices of all meshes, see :func:`~..models.bounding.vertex_boxes`."""
        return vertex_boxes([mesh.vertices for mesh in self.meshes.meshes])

    @cached_property
    def mesh_trees(self) -> list[MeshTree]:
        """The decoded mesh trees, by index of the model."""
        level = self.level
        return decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))

    @cached_property
    def keys(self) -> LevelKeys:
        """The decoded key frames of all animations."""
        level = self.level
        return decode_frames(level.game, level.frames, level.animations, level.models)

    @cached_property
    def model_animations(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first animation of each model, -1 for none, and its number of animations."""
        return model_animations(self.level.models, self.level.animations)

    @cached_property
    def texels(self) -> NDArray[np.uint8]:
        """The texels of the texture pages, (n, 256, 256, 4), including those that opaque faces show."""
        return decode_pages(self.pages._replace(opaque=None))

    @cached_property
    def pages(self) -> Pages:
        """The texture pages in all their forms, with the edits of the level's block."""
        pages = pages_of(self.level)
        return pages._replace(edits=page_edits(self.injection, page_count(self.level)))

    @cached_property
    def colors(self) -> NDArray[np.uint8]:
        """The colors of flat-colored faces, (k, 3), in TR1 to TR3."""
        level = self.level
        if level.game.traits.has_16bit_pages and level.game.traits.has_palette:
            return np.asarray(level.palette16[:, :3])
        return expand_palette(level.palette)

    @cached_property
    def floor_lists(self) -> FloorLists:
        """The lists of floor data. Raises FormatError if they are too damaged to be separated."""
        return FloorLists.read(self.level)

    @cached_property
    def sectors(self) -> Sectors:
        """The sectors of all rooms, room by room, with the edits of the level's block.

        They have no functions if these are damaged.
        """
        starts = self.grid.starts
        edits = {
            int(starts[room]) + index: each
            for room, sector_edits in self.sector_edits.items()
            for index, each in sector_edits.items()
        }
        if not edits:
            return self.native_sectors
        records = join_records([room.sectors for room in self.level.rooms])
        return with_edits(self.native_sectors, records, edits)

    @cached_property
    def injection(self) -> Injection | None:
        """The injection after the last section; None without one, or if it cannot be read."""
        try:
            return read_block(self.level)
        except FormatError:
            return None

    @cached_property
    def entity_names(self) -> dict[int, str]:
        """The names of entities in the level's injection, by number."""
        records = [] if self.injection is None else self.injection.records(BlockId.ITEM_NAMES)
        return {record["item"]: record["name"] for record in records}

    @cached_property
    def properties(self) -> Properties:
        """The properties of entities and models in the level's injection."""
        return level_properties(self.injection)

    @cached_property
    def sounds_for_trx(self) -> list[Record] | None:
        """The sounds in the level's injection, see :func:`~..injections.sounds.sound_records`."""
        return sound_records(self.injection)

    @cached_property
    def flybys(self) -> NDArray[np.void]:
        """The flyby cameras, (n,): those of TR4 and TR5, and those in the injection of other levels."""
        level = self.level
        return level.flyby_cameras if level.has("flyby_cameras") else flyby_records(self.injection)

    @cached_property
    def sector_edits(self) -> dict[int, dict[int, list[Any]]]:
        """The edits of sectors in the level's block, by room and place."""
        return level_edits(self.level, self.injection)

    @cached_property
    def room_edits(self) -> dict[int, dict[str, Any]]:
        """The properties of rooms in the level's block, by room."""
        return room_edits(self.level, self.injection)

    @cached_property
    def native_sectors(self) -> Sectors:
        """The sectors of all rooms, room by room, without edits; without functions if these are damaged."""
        try:
            lists = self.floor_lists
        except FormatError:
            lists = None
        return level_sectors(self.level, lists)

    @cached_property
    def indices(self) -> NDArray[np.int64]:
        """The floor data index of each sector, (n,)."""
        return joined_indices(self.level.rooms).astype(np.int64)

    @cached_property
    def grid(self) -> SectorGrid:
        """The sectors of all rooms as grids."""
        return SectorGrid([(room.x_sectors, room.z_sectors) for room in self.level.rooms])

    @cached_property
    def corners(self) -> NDArray[np.int64]:
        """The corners of rooms, x and z in world units, (rooms, 2)."""
        return np.array([(room.x, room.z) for room in self.level.rooms], np.int64).reshape(-1, 2)

    @cached_property
    def openings(self) -> Openings:
        """All openings of sectors."""
        sectors = self.sectors
        return find_openings(
            self.level.rooms, sectors.portal, Uprights(sectors.room_below, sectors.room_above)
        )

    @cached_property
    def is_open(self) -> NDArray[np.bool_]:
        """Whether each sector has space between floor and ceiling, (n,)."""
        return ~self.sectors.wall & (self.floor_bottom > self.ceiling_top)

    @cached_property
    def floor_bottom(self) -> NDArray[np.int64]:
        """The greatest y of each sector's floor, its lowest corner, (n,)."""
        return self.sectors.floor.span()[1].max(axis=1).astype(np.int64)

    @cached_property
    def ceiling_top(self) -> NDArray[np.int64]:
        """The least y of each sector's ceiling, its highest corner, (n,)."""
        return self.sectors.ceiling.span()[0].min(axis=1).astype(np.int64)

    def sector_at(
        self, room: NDArray[np.int64], x: NDArray[np.int64], z: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the sectors of rooms at world positions, (n,), -1 for none."""
        count = len(self.level.rooms)
        exists = (room >= 0) & (room < count)
        safe = np.where(exists, room, 0)
        if not count:
            return np.full(len(room), -1, np.int64)
        sizes = np.array([(each.x_sectors, each.z_sectors) for each in self.level.rooms], np.int64)[safe]
        cell = (np.stack([x, z], axis=1).astype(np.int64) - self.corners[safe]) // SECTOR_SIZE
        inside = exists & (cell >= 0).all(axis=1) & (cell < sizes).all(axis=1)
        return np.where(inside, self.grid.starts[safe] + cell[:, 0] * sizes[:, 1] + cell[:, 1], -1)

    def middle(self, sector: int) -> tuple[float, float, float]:
        """Return the middle of a sector's floor in world units."""
        room = int(self.grid.room[sector])
        x, z = (
            float(self.corners[room][axis] + (cell[sector] + 0.5) * SECTOR_SIZE)
            for axis, cell in enumerate((self.grid.x, self.grid.z))
        )
        floor = self.sectors.floor.heights[sector, 0].mean()
        height = self.level.rooms[room].y_bottom if self.sectors.wall[sector] else float(floor)
        return x, float(height), z
