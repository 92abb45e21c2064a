"""Placement of new entities: in the middle of a sector, and turned to its walls.

Measured in real levels (mostly TR1): all 97 entities of these kinds are in the middle of a sector. 13 of 14
switches, keyholes and puzzle holes face the wall next to it, one faces an opening; those that are not under
water are on the floor, the others 1024 and 1280 units above. Their models extend 424 to 512 units forward,
also in TR2 and TR5, so they touch the wall. Doors are at the border at their backs (models of TR1 and TR5,
330 to 561 units back); 10 of 17 have an opening to another room there, 2 in front, and 16 are on the floor.
Of six enemies with a wall directly in front or at their backs, none has it only in front; all three dart
emitters have one at their backs.
"""

from __future__ import annotations

from math import floor
from typing import NamedTuple

from bpy.types import Collection
from mathutils import Vector

from ....catalogue import Role, is_of_sector, is_off_wall, is_on_wall, is_under_water, names, role_of
from ....formats import ExportError, Game
from ....formats.base import SECTOR_SIZE, TURN, T
from ....formats.levels.collision import SIDE_STEPS
from ...core.collision_faces import FacePart
from ...core.space import world_matrix
from .place import Solid, Spot, floor_below, solid_of

_HANDS = 640  # units above the floor: objects on walls start at 496 to 666
_SWIMMING = 1024  # units above the floor
_REACH = 0.55  # of a sector: slightly more than the distance from its middle to its border


class EntityPlace(NamedTuple):
    """The place and rotation of a new entity."""

    place: Vector  #: in the world.
    angle: int  #: the file's yaw, -32768 to 32767.


def entity_place(root: Collection, number: int, spot: Spot) -> EntityPlace:
    """Return the best place for an entity near a spot.

    Raises:
        ExportError: if it belongs on a wall, and the sector has none.
    """
    game = Game[root.tomb_raider.game]
    if not is_of_sector(game, number):
        return EntityPlace(spot.place, 0)
    side = SECTOR_SIZE * root.tomb_raider.scale
    place = middle_of(spot, side)
    delta = spot.place - place
    # Prefer the side nearest to the wanted place.
    order = sorted(range(4), key=lambda each: -delta.x * SIDE_STEPS[each][0] - delta.y * SIDE_STEPS[each][1])
    if is_on_wall(game, number):
        height = _SWIMMING if is_under_water(game, number) else _HANDS
        walls, _ = _sides(spot, place, height, side)
        facing = next((each for each in order if walls[each]), None)
        if facing is None:
            text = T("there is no wall next to this sector for it: put the 3D cursor next to one")
            raise ExportError(names(game).entity(number), text)
        lift = height if height == _SWIMMING else 0
        return EntityPlace(place + Vector((0, 0, lift * root.tomb_raider.scale)), _angle(facing))
    walls, openings = _sides(spot, place, _HANDS, side)
    back = None
    if role_of(game, number) is Role.DOOR:
        back = next((each for each in order if openings[each]), None)
        if back is None:
            back = next((each for each in order if not walls[each]), None)
    elif is_off_wall(game, number):
        back = next((each for each in order if walls[each]), None)
    return EntityPlace(place, 0 if back is None else _angle(back + 2))


def middle_of(spot: Spot, side: float) -> Vector:
    """Return the middle of the sector at a place, on its floor, in the world."""
    matrix = world_matrix(spot.room)
    local = matrix.inverted_safe() @ spot.place
    middle = matrix @ Vector(
        ((floor(local.x / side) + 0.5) * side, (floor(local.y / side) + 0.5) * side, local.z)
    )
    # On slopes the middle can be higher, by the rise within half a sector.
    on_floor = floor_below(spot.room, middle + Vector((0, 0, side / 2)), side)
    return middle if on_floor is None else on_floor[0]


def _angle(side: int) -> int:
    return ((side + 2) % 4 - 2) * TURN // 4


def _sides(spot: Spot, middle: Vector, height: int, side: float) -> tuple[list[bool], list[bool]]:
    """Return for each side of a sector whether it has a wall at a height, and whether an opening."""
    solid = solid_of(spot.room, FacePart.WALL)
    start = middle + Vector((0, 0, height / SECTOR_SIZE * side))
    steps = [Vector((x, y, 0)) for x, y in SIDE_STEPS]
    rooms = [None if solid is None else _room_beyond(solid, start, each, side * _REACH) for each in steps]
    return [room == 0 for room in rooms], [room is not None and room > 0 for room in rooms]


def _room_beyond(solid: Solid, start: Vector, direction: Vector, reach: float) -> int | None:
    """Return the room of the first face in a direction, see :class:`Solid`, or None without a face."""
    inverse = world_matrix(solid.obj).inverted_safe()
    _, _, row, _ = solid.tree.ray_cast(inverse @ start, inverse.to_3x3() @ direction, reach)
    return None if row is None else int(solid.leads[row])
