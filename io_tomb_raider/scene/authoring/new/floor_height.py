"""How new entities stand: in the middle of a sector, turned to its walls as the games want them.

Measured over the real levels at hand (mostly TR1): all 97 entities of these kinds stand in the middle of a
sector. 13 of 14 switches, keyholes and puzzle holes face the wall beside it, one faces an opening;
those that are not under water stand on the floor, the others 1024 and 1280 units above. Their models reach to
424 to 512 units ahead, also in TR2 and TR5: so they hang on the wall. Doors hang on the border behind
them (models of TR1 and TR5, 330 to 561 units back); 10 of 17 have an opening to another room there, 2 before
them, and 16 stand on the floor. Of six enemies with a wall straight before or behind them, none has it
only before; all three dart emitters have one behind.
"""

from __future__ import annotations

from math import floor
from typing import NamedTuple

from bpy.types import Collection
from mathutils import Vector

from ....catalogue import names
from ....catalogue.roles import Role, is_of_sector, is_off_wall, is_on_wall, is_under_water, role_of
from ....formats import ExportError, Game
from ....formats.base.units import SECTOR_SIZE, TURN
from ....formats.collision.grid import SIDE_STEPS
from ...core.collision_faces import FacePart
from ...core.space import world_matrix
from .place import Solid, Spot, floor_below, solid_of

_HANDS = 640  # units above the floor: what hangs on walls begins at 496 to 666
_SWIMMING = 1024  # units above the floor
_REACH = 0.55  # of a sector: how far its own border is from its middle, and a little more


class Stand(NamedTuple):
    """How a new entity stands.

    Attributes:
        place: in the world.
        angle: the file's yaw, -32768 to 32767.
    """

    place: Vector
    angle: int


def stand_of(root: Collection, number: int, spot: Spot) -> Stand:
    """Return how an entity stands best where the user wants it.

    Args:
        root: the level.
        number: its type.
        spot: where on the floor it is wanted.

    Raises:
        ExportError: where it hangs on walls, and the sector has none.
    """
    game = Game[root.tomb_raider.game]
    if not is_of_sector(game, number):
        return Stand(spot.place, 0)
    side = SECTOR_SIZE * root.tomb_raider.scale
    place = middle_of(spot, side)
    shift = spot.place - place
    # Of several sides, that to which the wanted place is nearest.
    order = sorted(range(4), key=lambda each: -shift.x * SIDE_STEPS[each][0] - shift.y * SIDE_STEPS[each][1])
    if is_on_wall(game, number):
        height = _SWIMMING if is_under_water(game, number) else _HANDS
        walls, _ = _sides(spot, place, height, side)
        facing = next((each for each in order if walls[each]), None)
        if facing is None:
            text = "there is no wall beside this sector to hang it on: put the 3D cursor next to one"
            raise ExportError(names(game).entity(number), text)
        lift = height if height == _SWIMMING else 0
        return Stand(place + Vector((0, 0, lift * root.tomb_raider.scale)), _angle(facing))
    walls, ways = _sides(spot, place, _HANDS, side)
    behind = None
    if role_of(game, number) is Role.DOOR:
        behind = next((each for each in order if ways[each]), None)
        if behind is None:
            behind = next((each for each in order if not walls[each]), None)
    elif is_off_wall(game, number):
        behind = next((each for each in order if walls[each]), None)
    return Stand(place, 0 if behind is None else _angle(behind + 2))


def middle_of(spot: Spot, side: float) -> Vector:
    """Return the middle of the sector under a place, on its floor, in the world."""
    matrix = world_matrix(spot.room)
    local = matrix.inverted_safe() @ spot.place
    middle = matrix @ Vector(
        ((floor(local.x / side) + 0.5) * side, (floor(local.y / side) + 0.5) * side, local.z)
    )
    # Slopes may be higher there, by as much as they rise within half a sector.
    found = floor_below(spot.room, middle + Vector((0, 0, side / 2)), side)
    return middle if found is None else found[0]


def _angle(side: int) -> int:
    return ((side + 2) % 4 - 2) * TURN // 4


def _sides(spot: Spot, middle: Vector, height: int, side: float) -> tuple[list[bool], list[bool]]:
    """Return where a sector has walls at a height, and where it leads to other rooms, both by side."""
    solid = solid_of(spot.room, FacePart.WALL)
    if solid is None:
        return [False] * 4, [False] * 4
    start = middle + Vector((0, 0, height / SECTOR_SIZE * side))
    leads = [_lead(solid, start, Vector((x, y, 0)), side * _REACH) for x, y in SIDE_STEPS]
    return [lead == 0 for lead in leads], [lead is not None and lead > 0 for lead in leads]


def _lead(solid: Solid, start: Vector, way: Vector, reach: float) -> int | None:
    """Return where the first face on a way leads to, 0 for nowhere; None where there is no face."""
    inverse = world_matrix(solid.obj).inverted_safe()
    _, _, row, _ = solid.tree.ray_cast(inverse @ start, inverse.to_3x3() @ way, reach)
    return None if row is None else int(solid.leads[row])
