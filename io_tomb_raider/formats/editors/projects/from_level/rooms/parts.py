"""The parts of a level in the form of a project, each made on first use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .....base.arrays.typing import Bools, Ints, Records
from .....base.units import CLICK, SECTOR_SIZE
from .....levels.cameras.fixed import find_sinks
from .....levels.floor.extra import EXTRA_MOVE
from .....levels.floor.functions import ActionType, Trigger
from .....levels.floor.lists import camera_uses
from .....levels.rooms.portals import same_places
from .....levels.rooms.rooms import Room
from .....levels.views.decoded import Decoded
from ...compile.boxes.box_world import is_steep
from ...compile.plan.log import Log
from ...compile.plan.plan import CompileTarget, Plan
from ...compile.rooms.ladders import ladder_rooms
from ...compile.rooms.merged import GLOWS, MOVES
from ...geometry.level_portals import ON_WALL
from ...geometry.openings import ProjectRooms, clicks
from ...geometry.walls import SIDES
from ...model.objects import Direction, Opacity
from ...model.room_flags import (
    SCHEMES_OF_SURFACES,
    effect_of_flags,
    effect_of_mode,
    properties_of,
    resolved_effect,
)
from ...model.rooms import LIQUIDS, LightEffect, ProjectRoom, RoomType
from ...model.shape import SectorFlag
from .faces import LevelFaces, faces_of, wall_parts
from .filled import INNER_SIDES, fill_portals
from .light import ambient_light
from .narrow import Sizes, widened
from .shapes import Shaped, covered_corners, follow_faces, is_ladder, shape_of
from .textures import LevelFaceTextures, textures_of
from .walls import PortalSide, WallOpening, edge, fit_portal, raise_walls
from .ways import Ways, find_ways, ladder_sectors, outline_cells

_MOST = 0.5
_OUTSIDE_ROOM, _OTHER_BOX, _BACKWARDS = 3, 8, 16  # how unlikely it is that an object belongs to a room
_ALONE = 0x8000  # of a box's overlap: enemies can be kept out


class LevelParts:
    """A level in the form of a project. Its rooms have at least three sectors on a side.

    Args:
        names: of the rooms, if they are known.
        sizes: sizes of rooms that stay smaller.
        sinks: (cameras,) bool, which entries of the table of cameras are currents; found by default.
        has_own_boxes: take the marks of sectors for enemies from the boxes. Boxes of compiled levels have
             more marks than the author set, and boxes of edits follow from the edits.
    """

    def __init__(
        self,
        decoded: Decoded,
        names: Sequence[str] = (),
        sizes: Sizes = (),
        sinks: Bools | None = None,
        *,
        has_own_boxes: bool = True,
    ) -> None:
        decoded = widened(decoded, sizes)
        self.decoded, self.level, self.game = decoded, decoded.level, decoded.level.game
        #: whether the level has the parts of TRNG.
        self.trng = bool(decoded.level.has_trng_footer)
        self._names, self._sinks, self._has_own_boxes = names, sinks, has_own_boxes
        self._shaped: dict[int, Shaped] = {}
        self._rooms: dict[int, ProjectRoom] = {}
        self._faces: dict[int, LevelFaces] = {}
        self._textures: dict[int, LevelFaceTextures] = {}
        self._climbed: dict[int, set[tuple[int, int]]] = {}

    # --- Rooms ---------------------------------------------------------------------------------

    @cached_property
    def base(self) -> Ints:
        """The base room of each room, itself for most, (rooms,)."""
        return same_places(self.level.rooms)

    @cached_property
    def alternates(self) -> dict[int, int]:
        """The alternate room of each base room that has one."""
        return {int(base): number for number, base in enumerate(self.base.tolist()) if base != number}

    def lost_alternate(self, number: int) -> int | None:
        """Return the alternate room of a room if a project cannot have it as its alternate, else None."""
        other = int(self.level.rooms[number].alternate_room)
        is_lost = 0 <= other < len(self.level.rooms) and self.alternates.get(number) != other
        return other if is_lost else None

    def name(self, number: int) -> str:
        """Return the name of a room."""
        return self._names[number] if number < len(self._names) else f"Room {number:03}"

    def rows(self, number: int) -> slice:
        """Return the rows of a room's sectors among all."""
        starts = self.decoded.grid.starts
        return slice(int(starts[number]), int(starts[number + 1]))

    def room(self, number: int) -> ProjectRoom:
        """Return a room without objects, walls and faces. It is made once."""
        if number not in self._rooms:
            self._rooms[number] = self._make_room(number)
        return self._rooms[number]

    def lost_sectors(self, number: int) -> int:
        """Return the number of sectors that a project cannot express."""
        self.room(number)
        return int(self._shaped[number].is_lost.sum())

    def _make_room(self, number: int) -> ProjectRoom:
        room, rows = self.level.rooms[number], self.rows(number)
        sectors = self.decoded.sectors.take(rows)
        is_open = ~sectors.wall
        lowest = int(self.decoded.floor_bottom[rows][is_open].max()) if is_open.any() else room.y_bottom
        bases = np.stack([room.sectors["floor"], room.sectors["ceiling"]], axis=1).astype(np.int64) * CLICK
        for y in (-lowest, -room.y_bottom):
            faces = faces_of(self.game, room, y)
            size = room.x_sectors, room.z_sectors
            shaped = shape_of(sectors, *size, y, bases, covered_corners(faces, *size))
            if not (shaped.shape.wall | shaped.shape.border).all():
                break  # walls have no height from which that of a room follows
        self._shaped[number], self._faces[number] = shaped, faces
        follow_faces(shaped.shape, faces)
        result = ProjectRoom(
            number, self.name(number), room.x // SECTOR_SIZE, y, room.z // SECTOR_SIZE, shaped.shape
        )
        result.ambient = ambient_light(self.game, room)
        self._set_flags(room, result)
        if self._has_own_boxes:
            result.shape.flags[self.blockable(number) == 1] |= int(SectorFlag.BOX)
            self._mark_boxless(number, result)
        if number in self.alternates:
            group = int(room.alternate_group) if self.game.traits.has_flip_groups else 0
            result.alternate = group, self.alternates[number]
        return result

    @cached_property
    def can_be_blocked(self) -> Ints:
        """Whether enemies can be kept out of the box of each sector, (n,): 0 or 1; -1 without."""
        boxes, box = self.level.boxes, self.decoded.sectors.box
        exists = (box >= 0) & (box < len(boxes))
        result = np.full(len(box), -1)
        result[exists] = boxes["overlap"][box[exists]] & _ALONE != 0
        return result

    def blockable(self, number: int) -> Ints:
        """Return :attr:`can_be_blocked` of a room's sectors, (z, x)."""
        room = self.level.rooms[number]
        return self.can_be_blocked[self.rows(number)].reshape(room.x_sectors, room.z_sectors).T

    def _mark_boxless(self, number: int, project_room: ProjectRoom) -> None:
        """Mark the room or its sectors that enemies cannot enter.

        These are floors without a box that would get one in the editor: those that are not too steep.
        """
        if not len(self.level.boxes):
            return
        room, all_sectors = self.level.rooms[number], self.decoded.sectors
        sectors = all_sectors.take(self.rows(number))
        shape = project_room.shape
        slopes = np.zeros(shape.wall.size, np.bool_)
        if self.game.traits.has_materials and project_room.kind != RoomType.WATER:
            slopes = is_steep(clicks(shape.floor.heights.swapaxes(0, 1).reshape(-1, 4)))
        # A sector without a floor has the box of the room below.
        x, z = np.divmod(np.arange(len(sectors.wall)), room.z_sectors)
        positions = (
            each * SECTOR_SIZE + SECTOR_SIZE // 2 + start for each, start in ((x, room.x), (z, room.z))
        )
        below = self.decoded.sector_at(sectors.room_below.astype(np.int64), *positions)
        is_open = (sectors.room_below >= 0) & (below >= 0)
        can_have = np.where(is_open, all_sectors.box[np.maximum(below, 0)] >= 0, ~slopes)
        size = room.x_sectors, room.z_sectors
        has_box, can_have = ((each.reshape(size).T) for each in (sectors.box >= 0, can_have))
        inner = ~shape.wall & ~shape.border
        if can_have[inner].any() and not has_box[inner].any():
            project_room.no_pathfinding = True
        else:
            shape.flags[inner & can_have & ~has_box] |= int(SectorFlag.NOT_WALKABLE)

    def _set_flags(self, room: Room, project_room: ProjectRoom) -> None:
        for name, value in properties_of(int(room.flags), self.game, trng=self.trng).items():
            setattr(project_room, name, value)
        if room.has("reverb"):
            project_room.reverb = int(room.reverb)
        effect = self._effect(room)
        project_room.effect = (
            LightEffect.DEFAULT if effect == resolved_effect(self.game, project_room) else effect
        )

    def _effect(self, room: Room) -> int:
        """Return the effect of a room: that of its flags, and of most of its vertices."""
        if self.game.traits.has_effect_strengths:
            return effect_of_mode(int(room.light_mode))
        effect, traits = effect_of_flags(int(room.flags)), self.game.traits
        if not (traits.has_vertex_attributes and traits.has_color_light) or not len(room.vertices):
            return effect
        moves, glows = (np.mean(room.vertices["attributes"] & bit != 0) > _MOST for bit in (MOVES, GLOWS))
        if effect == LightEffect.MIST and glows:
            return LightEffect.BOTH if moves else LightEffect.GLOW
        return LightEffect.MOVEMENT if effect == LightEffect.DEFAULT and moves else effect

    def set_strengths(self, rooms: Sequence[ProjectRoom]) -> None:
        """Set how strong water moves and shines in rooms, by the water schemes of the level."""
        if not self.game.traits.has_reverb:
            return
        for number, room in enumerate(rooms):
            if room.kind in LIQUIDS:
                continue
            scheme = int(self.level.rooms[number].water_scheme)
            below = [
                rooms[way.other]
                for way, cells in self.ways.seen.items()
                if cells and way.room == self.base[number] and way.direction is Direction.FLOOR
            ]
            liquid = next((each for each in below if each.kind in LIQUIDS), None)
            if liquid is not None and room.effect in SCHEMES_OF_SURFACES:
                liquid.effect_strength = min(max(scheme - 1, 0) // 4, 4)
                room.effect_strength = min(max(scheme - 4 * liquid.effect_strength, 0), 4)
            elif room.effect in (LightEffect.GLOW, LightEffect.MIST):
                room.effect_strength = min(max(scheme - 1, 0), 4)
            elif room.effect != LightEffect.REFLECTION:
                room.effect_strength = min(scheme // 5, 4)
                if room.effect == LightEffect.DEFAULT:
                    room.effect = LightEffect.NONE

    # --- Portals and walls ---------------------------------------------------------------------

    @cached_property
    def ways(self) -> Ways:
        """The portals."""
        return find_ways(self.decoded)

    def raise_walls(self, rooms: Sequence[ProjectRoom], numbers: Sequence[int]) -> None:
        """Set the heights of the walls of some rooms, by their numbers, by the faces of the level.

        `rooms`: the project's rooms with their portals, in the order of the level; changed in place.
        """
        project = ProjectRooms(rooms)
        for number in numbers:
            behind = _behind(project, rooms[number])
            openings = project.openings(rooms[number])
            fill_portals(rooms[number], self.faces(number), self.textures(number).exists, openings, behind)
            raise_walls(rooms[number].shape, wall_parts(self.faces(number)), behind)
            self._raise_ladders(number, rooms[number])
        for number in numbers:
            self._fit_portals(number, rooms)

    def _fit_portals(self, number: int, rooms: Sequence[ProjectRoom]) -> None:
        """Change the heights of walls until wall portals reach as far up and down as in the level."""
        level_room, room = self.level.rooms[number], rooms[number]
        for record in level_room.portals:
            direction, cells = outline_cells(record, level_room.x_sectors, level_room.z_sectors)
            if direction not in ON_WALL or not 0 <= record["room"] < len(rooms):
                continue
            inwards, own_corners, other_corners = ON_WALL[direction]
            sides = []
            for index, corners, step in (
                (number, own_corners, inwards),
                (int(record["room"]), other_corners, (0, 0)),
            ):
                side_room = rooms[index]
                sectors = [
                    (z + step[1] + room.z - side_room.z, x + step[0] + room.x - side_room.x) for x, z in cells
                ]
                inside = [(z, x) for z, x in sectors if side_room.shape.has_sector(x, z)]
                sides.append(PortalSide(side_room.shape, inside, corners, side_room.y, self._ladders(index)))
            height = record["vertices"][:, 1].astype(np.int64)
            fit_portal(sides, -int(height.max()), -int(height.min()))

    def _ladders(self, number: int) -> set[tuple[int, int]]:
        """Return the walls of a room that lead to a room above, as z and x."""
        if number not in self._climbed:
            rows = np.flatnonzero(is_ladder(self.decoded.sectors.take(self.rows(number)))).tolist()
            depth = self.level.rooms[number].z_sectors
            self._climbed[number] = {(row % depth, row // depth) for row in rows}
        return self._climbed[number]

    def _raise_ladders(self, number: int, room: ProjectRoom) -> None:
        """Give walls that lead to the room above the ceiling from which the compiler takes their height."""
        sectors = self.decoded.sectors.take(self.rows(number))
        heights = -sectors.floor.heights[:, 0, 0].astype(np.int64) - room.y
        for row in np.flatnonzero(is_ladder(sectors)).tolist():
            x, z = divmod(row, room.shape.z_sectors)
            ceiling = np.maximum(room.shape.ceiling.heights[z, x], heights[row])
            ceiling[ceiling.argmin()] = heights[row]
            room.shape.ceiling.heights[z, x] = ceiling

    def lost_ladders(self, rooms: Sequence[ProjectRoom]) -> list[tuple[int, int]]:
        """Return the climbable walls that a project cannot have: the room, and the room above."""
        plan = Plan(
            CompileTarget(self.game), rooms, Log(), {room.number: index for index, room in enumerate(rooms)}
        )
        project = ProjectRooms(rooms)
        lost = []
        for number, room in enumerate(rooms):
            ladders = ladder_sectors(self.decoded, number)
            if ladders:
                possible = ladder_rooms(plan, project, room)
                lost += [(number, other) for other, (x, z) in ladders if possible[z, x] != other]
        return lost

    # --- Faces ---------------------------------------------------------------------------------

    def faces(self, number: int) -> LevelFaces:
        """Return the faces of a room, relative to the height of its :meth:`room`."""
        self.room(number)
        return self._faces[number]

    def textures(self, number: int) -> LevelFaceTextures:
        """Return the textures of the faces of a room."""
        if number not in self._textures:
            self._textures[number] = textures_of(self.decoded, self.faces(number))
        return self._textures[number]

    # --- Objects -------------------------------------------------------------------------------

    @cached_property
    def is_sink(self) -> Bools:
        """Which entries of the table of cameras are currents, (n,)."""
        if self._sinks is not None and len(self._sinks) == len(self.level.cameras):
            return self._sinks
        return find_sinks(self.level, *camera_uses(self.decoded.floor_lists.with_triggers()))

    @cached_property
    def camera_moves(self) -> dict[int, list[int]]:
        """The times or speeds of the moves to each camera, from the triggers in order."""
        result: dict[int, list[int]] = {}
        for functions in self.decoded.floor_lists.with_triggers():
            for function in functions:
                for action in function.actions if isinstance(function, Trigger) else ():
                    if action.type == ActionType.CAMERA and action.extra is not None:
                        result.setdefault(action.parameter, []).append(EXTRA_MOVE.of(action.extra))
        return result

    def room_of(self, record: np.void) -> int:
        """Return the room at the position of a record that does not name its room."""
        costs = self._costs(record, None)
        return min(costs, key=lambda room: (costs[room], room), default=0)

    def rooms_of(self, records: Records, boxes: NDArray[np.integer] | None = None) -> list[int]:
        """Return the rooms at the positions of records (n,) that do not name them.

        The compiler writes the objects of a project room by room, so the numbers of rooms do not decrease as
        long as positions allow it. `boxes`: (n,) the boxes of their sectors, if they are known.
        """
        best: dict[int, tuple[int, list[int]]] = {0: (0, [])}
        for row, record in enumerate(records):
            costs = self._costs(record, None if boxes is None else int(boxes[row])) or {0: 0}
            after: dict[int, tuple[int, list[int]]] = {}
            for room, cost in costs.items():
                before = min(
                    (total + _BACKWARDS * (last > room), -last, path) for last, (total, path) in best.items()
                )
                after[room] = before[0] + cost, [*before[2], room]
            best = after
        return min(best.values())[1]

    def _costs(self, record: np.void, box: int | None) -> dict[int, int]:
        """Return the rooms at the position of a record, and how unlikely each is."""
        x, z, y = (int(record[axis]) for axis in "xzy")
        numbers = np.arange(len(self.level.rooms))
        sectors = self.decoded.sector_at(numbers, np.full(len(numbers), x), np.full(len(numbers), z))
        costs = {}
        for number in np.flatnonzero(sectors >= 0).tolist():
            room, sector = self.level.rooms[number], int(sectors[number])
            is_within = room.y_top <= y <= room.y_bottom
            is_same = box is None or int(self.decoded.sectors.box[sector]) == box
            cost = _OUTSIDE_ROOM * (not is_within) + _OTHER_BOX * (not is_same)
            cost += int(self.base[number] != number) + int(self.decoded.sectors.wall[sector])
            costs[number] = cost
        return costs


def _behind(project: ProjectRooms, room: ProjectRoom) -> dict[tuple[int, int], WallOpening]:
    """Return the openings behind the wall portals of a room's border sectors."""
    result: dict[tuple[int, int], WallOpening] = {}
    for behind in project.behind(room):
        if behind.room is None or behind.portal.opacity == Opacity.SOLID_FACES:
            continue
        # The corners of the sector behind, which is at the same position as the border sector.
        corners = SIDES[INNER_SIDES[Direction(behind.portal.direction)]][1]
        shape, step = behind.room.shape, behind.room.y - room.y
        for sector, other in zip(behind.sectors.tolist(), behind.others.tolist(), strict=True):
            if other < 0:
                continue
            sector_behind = divmod(other, shape.x_sectors)
            low, high = (edge(surface, sector_behind, corners) for surface in (shape.floor, shape.ceiling))
            result[divmod(sector, room.shape.x_sectors)] = WallOpening(
                (low[0] + step, low[1] + step), (high[0] + step, high[1] + step)
            )
    return result
