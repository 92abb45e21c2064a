"""Options and targets of baking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from bpy.types import Collection, Mesh, Object
from mathutils import Vector

from ....formats import ExportError, Game
from ....formats.base import Floats, T
from ....formats.levels.lights import ambient_brightness
from ...core.space import Space, world_matrix
from ...core.subjects import OF_ROOMS, Kind
from ...subjects.lights.light_sync import take_over_edits
from ...subjects.lights.object_lighting import LitLevel
from .shapes import BakeShape, room_shapes

FORMULA, CYCLES = "FORMULA", "CYCLES"
ROOMS, STATIC_MESHES, AMBIENT = "ROOMS", "STATIC_MESHES", "AMBIENT"


@dataclass(frozen=True)
class BakeOptions:
    """The options of a bake."""

    method: str = FORMULA  #: FORMULA or CYCLES.
    rays: int = 9  #: per light and place, for FORMULA: 1, 9 or 25.
    samples: int = 16  #: of Cycles.
    exposure: float = 1.0  #: a factor for light, except ambient light.
    #: ROOMS (vertices), STATIC_MESHES (placed ones), AMBIENT (of rooms, from their vertices).
    targets: frozenset[str] = frozenset({ROOMS, STATIC_MESHES})
    only: frozenset[Object] = frozenset()  #: the rooms to bake; empty for all.


@dataclass(frozen=True, eq=False)
class BakeTarget:
    """The level to bake."""

    root: Collection
    game: Game
    space: Space
    shapes: Mapping[Object, BakeShape]
    baked: list[Object]  #: the rooms to bake, in order.
    #: all placed static meshes, with their rooms.
    placements: dict[Object, Object] = field(default_factory=dict)
    lit_placements: list[Object] = field(default_factory=list)  #: the placed static meshes to bake.
    lights: dict[Object, list[Object]] = field(default_factory=dict)  #: the light objects of each room.


class Brightness(NamedTuple):
    """Computed brightness, see ``formats.lights.baking``."""

    places: dict[Object, Floats]  #: of each room's places, (p, 3).
    placements: dict[Object, Floats]  #: of each placed static mesh, (3,).


def find_subject(root: Collection, options: BakeOptions) -> BakeTarget:
    """Collect the rooms, static meshes and lights for a bake.

    Raises:
        ExportError: if there is nothing to bake.
    """
    level = LitLevel(root)
    space = Space.of(root)
    shapes = room_shapes(root, [obj for kind in OF_ROOMS for obj in level.objects.get(kind, ())], space)
    room_of: dict[Object | None, Object] = {
        obj: room for room, shape in shapes.items() for obj in shape.objects
    }
    chosen = {room_of.get(room) for room in options.only}
    baked = [room for room in shapes if room in chosen or not options.only]
    if not baked:
        raise ExportError(root.name, T("there are no rooms to bake light for"))
    if not options.targets:
        raise ExportError(root.name, T("choose what to bake: rooms, static meshes or ambient light"))
    placements: dict[Object, Object] = {}
    for obj in level.objects.get(Kind.PLACEMENT, ()):
        room = room_of.get(level.room_of(obj))
        if room is not None:
            placements[obj] = room
    lit_rooms = set(baked) if STATIC_MESHES in options.targets else set()
    lit_placements = [obj for obj, room in placements.items() if room in lit_rooms]
    lights: dict[Object, list[Object]] = {}
    for obj in level.objects.get(Kind.LIGHT, ()):
        take_over_edits(obj, level.game, root.tomb_raider.scale)
        room = room_of.get(level.room_of(obj))
        if room is not None:
            lights.setdefault(room, []).append(obj)
    return BakeTarget(root, level.game, space, shapes, baked, placements, lit_placements, lights)


def middle_of(obj: Object) -> Vector:
    """Return the middle of an object's mesh in Blender's world; without a mesh, its location."""
    matrix = world_matrix(obj)
    if not isinstance(obj.data, Mesh) or not len(obj.data.vertices):
        return matrix.translation
    corners = np.array(obj.bound_box)
    return matrix @ Vector(((corners.min(axis=0) + corners.max(axis=0)) / 2).tolist())


def ambient_of(game: Game, room: Object) -> Floats:
    """Return the ambient brightness of a room, (3,)."""
    settings = room.tomb_raider.room
    if game.traits.has_room_color:
        red, green, blue = settings.color[:3]
        return ambient_brightness(game, (red, green, blue))
    return ambient_brightness(game, int(settings.ambient))
