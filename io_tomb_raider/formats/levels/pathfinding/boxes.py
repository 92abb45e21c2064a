"""Generation of boxes, overlaps and zones from the sectors of all rooms.

Documentation, chapter 7.3.1. A box is a rectangle of sectors of one height; its overlaps are the neighboring
boxes; zones number the areas that a kind of enemy can reach. A sector above an opening in the floor belongs
to the box at the bottom. :mod:`.overlaps` writes and reads the lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.records import BOX
from ...base.errors import ExportError
from ...base.games import Game
from ...base.messages import T
from ...base.units import CLICK, SECTOR_SIZE
from ..collision.grid import rectangles_of_rows
from ..collision.sectors import Sectors, decode_sectors
from ..floor.functions import Function
from ..rooms.rooms import WATER, Room
from .overlaps import JUMP, MONKEY, components, encode_overlaps

_STEEP = 3  # from this slope on, in clicks per sector, a floor has no box (TR3 and later)
_FARTHEST, _FARTHEST_UNITS = 255, 1 << 21  # the maximum coordinate of boxes in sectors, and in units
_GAP = 2 * CLICK  # a deeper dip is jumped over
_SHALLOW = CLICK  # water up to this depth counts as land
_SKY = -(1 << 20)  # the ceiling of a sector that is open above
# By kind of zone: the highest step up or down; the last kind flies and swims.
_ANY = 1 << 20
_STEPS_TR1 = (CLICK, 2 * CLICK, _ANY)
_STEPS_TR2 = (CLICK, 2 * CLICK, 3 * CLICK, 4 * CLICK, _ANY)
_STEPS_TR4 = (CLICK, CLICK, CLICK, 4 * CLICK, _ANY)
_STEPS = {
    Game.TR1: _STEPS_TR1,
    Game.TR2: _STEPS_TR2,
    Game.TR3: _STEPS_TR2,
    Game.TR4: _STEPS_TR4,
    Game.TR5: _STEPS_TR4,
}
_CROCODILES, _CLIMBERS = 2, 3  # kinds of TR4 and TR5: swim, too, at any depth; hang on monkey swings, too
_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))


@dataclass
class RoomGround:
    """The properties of a room that pathfinding depends on."""

    sectors: Sectors  #: its sectors, x-major.
    x: int  #: its origin along x, in sectors.
    z: int  #: likewise along z.
    z_sectors: int  #: its sectors along z.
    water: bool  #: whether it is filled with water.
    alternate: int  #: the room that replaces it when the level is flipped, or -1.


_PATH_FIELDS = ("wall", "room_below", "room_above", "portal", "monkey_swing")


def same_ground(first: RoomGround, second: RoomGround) -> bool:
    """Return whether two rooms are equal for pathfinding."""
    names = ("x", "z", "z_sectors", "water", "alternate")
    if any(getattr(first, name) != getattr(second, name) for name in names):
        return False
    a, b = first.sectors, second.sectors
    columns = [(getattr(a, name), getattr(b, name)) for name in _PATH_FIELDS]
    columns += [(a.floor.heights, b.floor.heights), (a.ceiling.heights, b.ceiling.heights)]
    return all(np.array_equal(*pair) for pair in columns)


class Pathfinding(NamedTuple):
    """The pathfinding data of a level."""

    boxes: NDArray[np.void]  #: (boxes,) :data:`~...base.bytes.records.BOX` of the game.
    overlaps: NDArray[np.uint16]  #: (n,) uint16, the lists of neighbors.
    zones: NDArray[np.uint16]  #: (2, kinds, boxes) uint16: normal, then flipped.
    sector_boxes: list[NDArray[np.int32]]  #: per room (n,) int32, the sectors' boxes, or -1.
    #: the number of sectors without a box because of their position: below 0, or (TR2 and later) from 255
    #: sectors on. Enemies cannot go there.
    outside: int


def room_ground(room: Room, lists: Sequence[Sequence[Function]], game: Game) -> RoomGround:
    """Return the properties of a level's room that pathfinding depends on.

    The lists are per sector the functions of its floor data.
    """
    return RoomGround(
        sectors=decode_sectors(room.sectors, lists, game),
        x=room.x // SECTOR_SIZE,
        z=room.z // SECTOR_SIZE,
        z_sectors=room.z_sectors,
        water=bool(room.flags & WATER),
        alternate=room.alternate_room if room.alternate_room < 0x8000 else -1,
    )


class _World:
    """All sectors of all rooms, concatenated, with their connections."""

    def __init__(self, rooms: Sequence[RoomGround]) -> None:
        counts = np.array([len(room.sectors.wall) for room in rooms], dtype=np.int64)
        self.rooms = rooms
        self.starts = np.append(0, np.cumsum(counts))
        self.room = np.repeat(np.arange(len(rooms)), counts)
        self.width = np.array([room.z_sectors for room in rooms], dtype=np.int64)
        self.depth = counts // np.maximum(self.width, 1)
        self.origin = np.array([(room.x, room.z) for room in rooms], dtype=np.int64).reshape(-1, 2)
        index = np.arange(len(self.room)) - self.starts[self.room]
        self.x, self.z = index // self.width[self.room], index % self.width[self.room]
        self.wall, self.portal = self._all("wall").astype(bool), self._all("portal")
        self.below, self.above = self._all("room_below"), self._all("room_above")
        self.monkey = self._all("monkey_swing").astype(bool)
        no_heights = np.zeros((0, 2, 4), np.int32)
        floor = np.concatenate([no_heights, *(room.sectors.floor.heights for room in rooms)])
        # Slanted floors have the height of their middle, rounded down to a step.
        middle = (floor.min(axis=(1, 2)).astype(np.int64) + floor.max(axis=(1, 2))) / 2
        self.floor = (np.ceil(middle / CLICK) * CLICK).astype(np.int64)
        ceilings = np.concatenate([no_heights, *(room.sectors.ceiling.heights for room in rooms)])
        self.highest = ceilings.min(axis=(1, 2)).astype(np.int64)
        self.ceiling = np.where(self.above >= 0, _SKY, self.highest)
        slope = np.maximum(np.abs(floor[..., 0] - floor[..., 2]), np.abs(floor[..., 0] - floor[..., 1]))
        self.slope = slope.min(axis=1) // CLICK  # one walkable triangle is sufficient
        self.water = np.array([room.water for room in rooms], dtype=bool)[self.room]
        self.flipped = np.arange(len(rooms))  # the room that is at a room's place
        self.alternate = np.zeros(len(rooms), dtype=bool)
        for number, room in enumerate(rooms):
            if 0 <= room.alternate < len(rooms):
                self.flipped[number] = room.alternate
                self.alternate[room.alternate] = True

    def _all(self, name: str) -> NDArray[np.int64]:
        arrays = [np.asarray(getattr(room.sectors, name)) for room in self.rooms]
        return np.concatenate([np.zeros(0), *arrays]).astype(np.int64)

    def find(self, rooms: NDArray[np.int64], positions: NDArray[np.int64], state: int) -> NDArray[np.int64]:
        """Return the sectors of rooms at world positions (n, 2) in sectors, -1 for none."""
        if not len(self.starts[1:]):
            return np.full(len(rooms), -1, dtype=np.int64)
        exists = (rooms >= 0) & (rooms < len(self.width))
        target = np.where(exists, rooms, 0)
        target = self.flipped[target] if state else target
        x, z = (positions - self.origin[target]).T
        exists &= (x >= 0) & (z >= 0) & (x < self.depth[target]) & (z < self.width[target])
        return np.where(exists, self.starts[target] + x * self.width[target] + z, -1)

    @cached_property
    def positions(self) -> NDArray[np.int64]:
        """(n, 2), the positions of sectors in the world."""
        return np.stack([self.x, self.z], axis=1) + self.origin[self.room]

    @property
    def has_flips(self) -> bool:
        """Whether any room is replaced when the level is flipped."""
        return bool(self.alternate.any()) or not np.array_equal(self.flipped, np.arange(len(self.flipped)))

    def deep(self, state: int) -> NDArray[np.bool_]:
        """Return which sectors are in water that is not shallow, which walkers do not enter."""
        above = self.find(self.above, self.positions, state)
        is_surface = (above >= 0) & ~self.water[above] if len(above) else above >= 0
        return self.water & ~(is_surface & (self.floor - self.highest <= _SHALLOW))

    def bottoms(self, state: int) -> NDArray[np.int64]:
        """Return the bottom sector below each sector, -1 for none."""
        below = self.find(self.below, self.positions, state)
        itself = np.arange(len(self.room))
        bottom = np.where(self.below < 0, itself, below)
        for _ in range(max(len(self.width), 1).bit_length()):  # each round doubles the depth reached
            bottom = np.where(bottom < 0, -1, bottom[bottom])
        return np.where((bottom >= 0) & (self.below[bottom] < 0) & ~self.wall[bottom], bottom, -1)


def find_paths(
    game: Game, rooms: Sequence[RoomGround], blockable: Sequence[NDArray[np.uint8]] | None = None
) -> Pathfinding:
    """Return boxes, overlaps and zones of a level.

    Args:
        blockable: per room and sector, the two highest bits of its box, as a number of 0..3
            (:func:`.overlaps.blockable_bits`); none by default.

    Raises:
        ExportError: if there are more boxes or overlaps than the game can number.
    """
    world = _World(rooms)
    bits = np.zeros(len(world.room), dtype=np.int64)
    if blockable is not None:
        bits = np.concatenate([np.zeros(0), *blockable]).astype(np.int64)
    ground = ~world.wall & (world.portal < 0) & (world.below < 0)
    if game.traits.has_slopes_without_boxes:
        ground &= world.slope < _STEEP
    far = _FARTHEST if game.traits.has_box_sectors else _FARTHEST_UNITS
    inside = ((world.positions >= 0) & (world.positions < far)).all(axis=1)
    outside = int((ground & ~inside).sum())
    ground &= inside
    used = (0, 1) if world.has_flips else (0, 0)  # without flip maps, both states are equal
    deep_by_state = [world.deep(state) for state in sorted(set(used))]
    deep = np.stack([deep_by_state[state] for state in used])
    box_of, corners = _rectangles(world, ground, bits * 4 + deep[0] * 2 + deep[1])
    limit = 0x7FF if game.traits.has_materials else 0x7FFF
    if len(corners) > limit:
        raise ExportError(T("Pathfinding"), T("too many boxes"), count=len(corners), limit=limit)
    per_state = [_sector_boxes(world, box_of, state) for state in sorted(set(used))]
    edges_of = [_edges(world, boxes_of, state, game) for state, boxes_of in enumerate(per_state)]
    per_state = [per_state[state] for state in used]
    states, flags = zip(*(edges_of[state] for state in used), strict=True)
    box_floor, box_bits = (np.zeros(len(corners), np.int64) for _ in range(2))
    box_deep = np.zeros((2, len(corners)), bool)
    box_floor[box_of[ground]], box_bits[box_of[ground]] = world.floor[ground], bits[ground]
    box_deep[:, box_of[ground]] = deep[:, ground]
    zones = [
        _zones(game, edges, marks, box_floor, water, len(corners))
        for edges, marks, water in zip(states, flags, box_deep, strict=True)
    ]
    index, overlaps = encode_overlaps(
        game, np.concatenate(states), np.concatenate(flags), len(corners), box_bits
    )
    boxes = _records(game, world, corners)
    boxes["floor"], boxes["overlap"] = box_floor, index
    seen = np.where(world.alternate[world.room], per_state[1], per_state[0]).astype(np.int32)
    sector_boxes = [seen[a:b] for a, b in zip(world.starts[:-1], world.starts[1:], strict=True)]
    return Pathfinding(boxes, overlaps, np.stack(zones), sector_boxes, outside)


def _sector_boxes(world: _World, box_of: NDArray[np.int64], state: int) -> NDArray[np.int64]:
    bottom = world.bottoms(state)
    usable = (bottom >= 0) & (world.portal < 0) & ~world.wall
    return np.where(usable, box_of[bottom], -1) if len(box_of) else box_of


def _rectangles(
    world: _World, ground: NDArray[np.bool_], traits: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the box of each sector, and (boxes, 5): a sector at the corner, then x, z, end x, end z.

    The sectors of a box have the same room, height and traits (n,), which are numbers of 0..15.
    """
    box_of = np.full(len(ground), -1, dtype=np.int64)
    corners: list[tuple[int, int, int, int, int]] = []
    key = np.where(ground, (world.floor // CLICK) * 16 + traits + (1 << 20), -1)
    for room, (start, end) in enumerate(zip(world.starts[:-1], world.starts[1:], strict=True)):
        grid = key[start:end].reshape(int(world.depth[room]), -1)
        numbers = box_of[start:end].reshape(grid.shape)
        rows = [[each if each >= 0 else None for each in row] for row in grid.tolist()]
        for x, z, width, depth in rectangles_of_rows(rows):
            numbers[x : x + width, z : z + depth] = len(corners)
            corners.append((int(start) + x * grid.shape[1] + z, x, z, x + width, z + depth))
    return box_of, np.array(corners, dtype=np.int64).reshape(-1, 5)


def _edges(
    world: _World, box: NDArray[np.int64], state: int, game: Game
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (n, 2) pairs of neighboring boxes, and the flags of each."""
    sectors = np.flatnonzero(box >= 0)
    away = world.flipped != np.arange(len(world.flipped)) if state else world.alternate
    sectors = sectors[~away[world.room[sectors]]]  # only rooms that are active
    bottom = world.bottoms(state)
    pair_parts, flag_parts = [np.zeros((0, 2), np.int64)], [np.zeros(0, np.int64)]
    for dx, dz in _SIDES:
        side = np.array([dx, dz])
        near = _neighbors(world, sectors, side, state)
        open_ = (near >= 0) & (box[near] >= 0)
        floor = np.minimum(world.floor[bottom[sectors]], world.floor[bottom[near]])
        open_ &= floor > np.maximum(world.ceiling[sectors], world.ceiling[near])
        pair_parts.append(np.stack([box[sectors], box[near]], axis=1)[open_])
        flag_parts.append(np.where(world.monkey[sectors] & world.monkey[near], MONKEY, 0)[open_])
        if game.traits.has_overlap_flags:
            start, gap = sectors, near
            for step in (2, 3):
                dip = (gap >= 0) & (bottom[gap] >= 0)
                dip &= world.floor[bottom[gap]] - world.floor[bottom[start]] > _GAP
                start = start[dip]  # few sectors are next to a gap
                gap = far = _neighbors(world, start, side * step, state)
                level = np.abs(world.floor[bottom[far]] - world.floor[bottom[start]]) <= CLICK
                jump = (far >= 0) & (box[far] >= 0) & level
                pair_parts.append(np.stack([box[start], box[far]], axis=1)[jump])
                flag_parts.append(np.full(int(jump.sum()), JUMP))
    pairs, flags = np.concatenate(pair_parts), np.concatenate(flag_parts)
    apart = pairs[:, 0] != pairs[:, 1]
    if not game.traits.has_overlap_flags:
        flags[:] = 0
    pairs, flags = pairs[apart], flags[apart]
    # Floors that meet in one direction only, as at the edge of slopes: the lists of the games are mutual.
    return np.concatenate([pairs, pairs[:, ::-1]]), np.tile(flags, 2)


def _neighbors(
    world: _World, sectors: NDArray[np.int64], side: NDArray[np.int64], state: int
) -> NDArray[np.int64]:
    """Return the sectors next to others on a side, through wall portals; -1 at walls."""
    rooms = world.room[sectors]
    positions = world.positions[sectors] + side
    x, z = (positions - world.origin[rooms]).T
    inside = (x >= 0) & (z >= 0) & (x < world.depth[rooms]) & (z < world.width[rooms])
    near = np.where(inside, world.starts[rooms] + x * world.width[rooms] + z, -1)
    through = world.find(world.portal[near], positions, state)
    near = np.where((near >= 0) & (world.portal[near] >= 0), through, near)
    return np.where((near >= 0) & ~world.wall[near], near, -1)


def _zones(
    game: Game,
    edges: NDArray[np.int64],
    flags: NDArray[np.int64],
    floor: NDArray[np.int64],
    deep: NDArray[np.bool_],
    count: int,
) -> NDArray[np.uint16]:
    """Return (kinds, boxes) numbers from 1 of the areas that each kind of enemy can reach."""
    a, b = edges.T
    rise, is_same = np.abs(floor[a] - floor[b]), deep[a] == deep[b]
    zones = []
    for kind, step in enumerate(_STEPS[game]):
        passable = is_same & (rise <= step)
        if game.traits.has_overlap_flags:
            if kind == _CROCODILES:
                passable |= deep[a] | deep[b]
            elif kind == _CLIMBERS:
                passable |= is_same & (flags & MONKEY != 0)
            elif step == _ANY:
                passable[:] = True
        zones.append(components(edges[passable], count) + 1)
    return np.stack(zones).astype(np.uint16)


def _records(game: Game, world: _World, corners: NDArray[np.int64]) -> NDArray[np.void]:
    boxes = np.zeros(len(corners), BOX[game])
    x, z = world.origin[world.room[corners[:, 0]]].T
    ends = {
        "x_min": corners[:, 1] + x,
        "z_min": corners[:, 2] + z,
        "x_max": corners[:, 3] + x,
        "z_max": corners[:, 4] + z,
    }
    for name, values in ends.items():
        if game.traits.has_box_sectors:
            boxes[name] = values
        else:  # the last unit within the box
            boxes[name] = values * SECTOR_SIZE - (1 if name.endswith("max") else 0)
    return boxes
