"""The parts of a level in the form of a project, each made on first use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...cameras.fixed import find_sinks
from ...collision.sectors import take_sectors
from ...floor.extra import EXTRA_MOVE
from ...floor.functions import ActionType, Trigger
from ...floor.lists import camera_uses
from ...games import Game
from ...level.decoded import Decoded
from ...rooms.portals import same_places
from ...rooms.rooms import Room as LevelRoom
from ..objects import Direction, Opacity, Portal
from ..openings import SECTOR, ProjectRooms
from ..room_flags import (
    SCHEMES_OF_SURFACES,
    effect_of_flags,
    effect_of_mode,
    properties_of,
    resolved_effect,
)
from ..rooms import LIQUIDS, LightEffect, Room
from ..shape import SectorFlag, Side
from ..walls import SIDES
from .faces import RoomFaces, faces_of, wall_parts
from .light import ambient_light
from .portals import Ways, find_ways
from .shapes import Shaped, follow_faces, is_ladder, shape_of
from .textures import FaceTextures, textures_of
from .walls import Opening, edge, raise_walls

_MOVES, _GLOWS = 0x2000, 0x4000  # of vertices
_MOST = 0.5
_ALONE = 0x8000  # of a box's overlap: enemies can be kept out

# The side of a border sector that looks into its room, by the direction of its wall portal.
_INNER_SIDES = {
    Direction.POSITIVE_Z: Side.NEGATIVE_Z,
    Direction.NEGATIVE_Z: Side.POSITIVE_Z,
    Direction.POSITIVE_X: Side.NEGATIVE_X,
    Direction.NEGATIVE_X: Side.POSITIVE_X,
}


class LevelParts:
    """A level in the form of a project.

    Args:
        decoded: the level.
        names: of the rooms, if they are known.

    Attributes:
        level: the level.
        game: its game.
        trng: whether it has the parts of TRNG.
    """

    def __init__(self, decoded: Decoded, names: Sequence[str] = ()) -> None:
        self.decoded, self.level, self.game = decoded, decoded.level, decoded.level.game
        self.trng = bool(decoded.level.has_trng_footer)
        self._names = names
        self._shaped: dict[int, Shaped] = {}
        self._rooms: dict[int, Room] = {}
        self._faces: dict[int, RoomFaces] = {}
        self._textures: dict[int, FaceTextures] = {}

    # --- Rooms ---------------------------------------------------------------------------------

    @cached_property
    def base(self) -> NDArray[np.int64]:
        """The base room of each room, itself for most, (rooms,)."""
        return same_places(self.level.rooms)

    @cached_property
    def alternates(self) -> dict[int, int]:
        """The alternate room of each base room that has one."""
        return {int(base): number for number, base in enumerate(self.base.tolist()) if base != number}

    def name(self, number: int) -> str:
        """Return the name of a room."""
        return self._names[number] if number < len(self._names) else f"Room {number:03}"

    def rows(self, number: int) -> slice:
        """Return the rows of a room's sectors among all."""
        starts = self.decoded.grid.starts
        return slice(int(starts[number]), int(starts[number + 1]))

    def room(self, number: int) -> Room:
        """Return a room without objects, walls and faces. It is made once."""
        if number not in self._rooms:
            self._rooms[number] = self._make_room(number)
        return self._rooms[number]

    def lost_sectors(self, number: int) -> int:
        """Return the number of sectors that a project cannot express."""
        self.room(number)
        return int(self._shaped[number].is_lost.sum())

    def _make_room(self, number: int) -> Room:
        room, rows = self.level.rooms[number], self.rows(number)
        sectors = take_sectors(self.decoded.sectors, rows)
        is_open = ~sectors.wall
        lowest = int(self.decoded.floor_bottom[rows][is_open].max()) if is_open.any() else room.y_bottom
        shaped = shape_of(sectors, room.x_sectors, room.z_sectors, -lowest)
        self._shaped[number] = shaped
        self._faces[number] = faces_of(self.game, room, -lowest)
        follow_faces(shaped.shape, self._faces[number])
        self._mark_boxes(number, shaped.shape.flags)
        made = Room(number, self.name(number), room.x // SECTOR, -lowest, room.z // SECTOR, shaped.shape)
        made.ambient = ambient_light(self.game, room)
        self._set_flags(room, made)
        if number in self.alternates:
            group = int(room.alternate_group) if self.game.traits.has_flip_groups else 0
            made.alternate = group, self.alternates[number]
        return made

    def _mark_boxes(self, number: int, flags: NDArray[np.int64]) -> None:
        """Mark the sectors of boxes from which enemies can be kept out."""
        boxes = self.level.boxes
        if not len(boxes):
            return
        box = self.decoded.sectors.box[self.rows(number)]
        known = (box >= 0) & (box < len(boxes))
        alone = known & (boxes["overlap"][np.where(known, box, 0)] & _ALONE != 0)
        x, z = np.divmod(np.flatnonzero(alone), self.level.rooms[number].z_sectors)
        flags[z, x] |= int(SectorFlag.BOX)

    def _set_flags(self, room: LevelRoom, made: Room) -> None:
        for name, value in properties_of(int(room.flags), self.game, trng=self.trng).items():
            setattr(made, name, value)
        if room.has("reverb"):
            made.reverb = int(room.reverb)
        effect = self._effect(room)
        made.effect = LightEffect.DEFAULT if effect == resolved_effect(self.game, made) else effect

    def _effect(self, room: LevelRoom) -> int:
        """Return the effect of a room: that of its flags, and of most of its vertices."""
        if self.game is Game.TR2:
            return effect_of_mode(int(room.light_mode))
        effect, traits = effect_of_flags(int(room.flags)), self.game.traits
        if not (traits.has_vertex_attributes and traits.has_color_light) or not len(room.vertices):
            return effect
        moves, glows = (np.mean(room.vertices["attributes"] & bit != 0) > _MOST for bit in (_MOVES, _GLOWS))
        if effect == LightEffect.MIST and glows:
            return LightEffect.BOTH if moves else LightEffect.GLOW
        return LightEffect.MOVEMENT if effect == LightEffect.DEFAULT and moves else effect

    def set_strengths(self, rooms: Sequence[Room]) -> None:
        """Set how strong water moves and shines in rooms, by the water schemes of the level."""
        if not self.game.traits.has_reverb:
            return
        for number, room in enumerate(rooms):
            if room.kind in LIQUIDS:
                continue
            scheme = int(self.level.rooms[number].water_scheme)
            below = [
                rooms[way.other]
                for way in self.ways.seen
                if way.room == self.base[number] and way.direction is Direction.FLOOR
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

    def raise_walls(self, rooms: Sequence[Room], numbers: Sequence[int]) -> None:
        """Set the heights of the walls of some rooms of a project by the faces of the level.

        Args:
            rooms: the project's rooms with their portals, in the order of the level; changed in place.
            numbers: the rooms to change.
        """
        project = ProjectRooms(rooms)
        for number in numbers:
            behind = _behind(project, rooms[number])
            raise_walls(rooms[number].shape, wall_parts(self.faces(number)), behind)
            self._raise_ladders(number, rooms[number])

    def _raise_ladders(self, number: int, room: Room) -> None:
        """Give walls that lead to the room above the ceiling from which the compiler takes their height."""
        sectors = take_sectors(self.decoded.sectors, self.rows(number))
        heights = -sectors.floor.heights[:, 0, 0].astype(np.int64) - room.y
        for place in np.flatnonzero(is_ladder(sectors)).tolist():
            x, z = divmod(place, room.shape.z_sectors)
            ceiling = np.maximum(room.shape.ceiling.heights[z, x], heights[place])
            ceiling[ceiling.argmin()] = heights[place]
            room.shape.ceiling.heights[z, x] = ceiling

    # --- Faces ---------------------------------------------------------------------------------

    def faces(self, number: int) -> RoomFaces:
        """Return the faces of a room, relative to the height of its :meth:`room`."""
        self.room(number)
        return self._faces[number]

    def textures(self, number: int) -> FaceTextures:
        """Return the textures of the faces of a room."""
        if number not in self._textures:
            self._textures[number] = textures_of(self.decoded, self.faces(number))
        return self._textures[number]

    # --- Objects -------------------------------------------------------------------------------

    @cached_property
    def is_sink(self) -> NDArray[np.bool_]:
        """Which entries of the table of cameras are currents, (n,)."""
        return find_sinks(self.level, *camera_uses(self.decoded.floor_lists.with_triggers()))

    @cached_property
    def camera_moves(self) -> dict[int, int]:
        """The time or speed of the move to each camera, from the triggers."""
        found: dict[int, int] = {}
        for functions in self.decoded.floor_lists.with_triggers():
            for function in functions:
                for action in function.actions if isinstance(function, Trigger) else ():
                    if action.type == ActionType.CAMERA and action.extra is not None:
                        found.setdefault(action.parameter, EXTRA_MOVE.of(action.extra))
        return found

    def room_of(self, record: np.void) -> int:
        """Return the room at the position of a record that does not name its room."""
        x, z = (np.array([int(record[axis])]) for axis in "xz")
        y = int(record["y"])
        candidates = np.unique(self.base)
        inside = [int(each) for each in candidates if self.decoded.sector_at(np.array([each]), x, z)[0] >= 0]
        level_rooms = self.level.rooms
        at = [each for each in inside if level_rooms[each].y_top <= y <= level_rooms[each].y_bottom]
        return (at or inside or [0])[0]


def _behind(project: ProjectRooms, room: Room) -> dict[tuple[int, int], Opening]:
    """Return what is behind the wall portals of a room's border sectors."""
    found: dict[tuple[int, int], Opening] = {}
    for behind in project.behind(room):
        if behind.room is None or behind.portal.opacity == Opacity.SOLID_FACES:
            continue
        corners = _inner_corners(behind.portal)
        shape, step = behind.room.shape, behind.room.y - room.y
        for sector, other in zip(behind.sectors.tolist(), behind.others.tolist(), strict=True):
            if other < 0:
                continue
            place = divmod(other, shape.x_sectors)
            low, high = (edge(surface, place, corners) for surface in (shape.floor, shape.ceiling))
            found[divmod(sector, room.shape.x_sectors)] = Opening(
                (low[0] + step, low[1] + step), (high[0] + step, high[1] + step)
            )
    return found


def _inner_corners(portal: Portal) -> tuple[int, int]:
    """Return the corners of the sector behind a portal, in the order of the border's inner side.

    The sector behind and the border sector lie at the same place, so they have the same corners.
    """
    return SIDES[_INNER_SIDES[Direction(portal.direction)]][1]
