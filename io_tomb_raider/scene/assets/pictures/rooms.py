"""Pictures of each room from a fixed camera that depends on the level only, to compare with an engine's.

As in the games, faces are seen from their front only. Walls between two rooms often have a face of each room
at the same place, so faces are moved apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import cos, radians, sin
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from ....formats import Room
from ....formats.base import CLICK, SECTOR_SIZE
from ....formats.levels.collision import WALL
from ...core import original
from ...core.membership import members, members_of
from ...core.space import Space
from ...core.subjects import Kind
from ...subjects.sprites.facing import facing
from .overview import culled_materials, opened
from .studio import studio

SIZE = 480, 360  # pixels
FIELD_OF_VIEW = radians(65)  # vertical
_SAMPLES = 1  # per pixel: faces have no noise, and pictures are compared by large areas
_DOWN = radians(10)
_APART = 1.0  # units


def render_rooms(root: Collection, folder: Path) -> list[Path]:
    """Render every room of a level of the current scene, each into a PNG file named after its number.

    Raises:
        OSError: if the folder or a file cannot be written.
    """
    decoded, space = original.load(root), Space.of(root)
    rooms = [] if decoded is None else decoded.level.rooms
    folder.mkdir(parents=True, exist_ok=True)
    result = []
    scene: Any = bpy.context.scene
    objects = members(root)
    with (
        facing(root),
        studio(scene, objects, SIZE, FIELD_OF_VIEW, _SAMPLES) as camera,
        opened(culled_materials(objects)),
        _apart(members_of(root, Kind.ROOM), space),
    ):
        for number, room in enumerate(rooms):
            camera.matrix_world = Matrix.Translation(root.tomb_raider.offset) @ room_view(room, space)
            path = folder / f"room_{number:03}.png"
            scene.render.filepath = str(path)
            bpy.ops.render.render(write_still=True)
            result.append(path)
    return result


@contextmanager
def _apart(rooms: list[Object], space: Space) -> Iterator[None]:
    """Move the faces of rooms a little to where they are seen from."""
    moved = []
    for room in rooms:
        if isinstance(room.data, Mesh) and len(room.data.polygons):
            modifier: Any = room.modifiers.new("Apart", "DISPLACE")
            modifier.mid_level, modifier.strength = 0.0, _APART * space.scale
            moved.append((room, modifier))
    try:
        yield
    finally:
        for room, modifier in moved:
            room.modifiers.remove(modifier)


def room_view(room: Room, space: Space) -> Matrix:
    """Return the matrix of a room's camera.

    It is in the sector without a wall that is nearest to the room's middle, halfway up, and looks along +x +z
    of the game and 10 degrees down.
    """
    position = space.to_blender(_place(room))
    direction = np.array((sin(radians(45)) * cos(_DOWN), sin(radians(45)) * cos(_DOWN), -sin(_DOWN)))
    rotation = Vector(direction.tolist()).to_track_quat("-Z", "Y")
    return Matrix.Translation(position.tolist()) @ rotation.to_matrix().to_4x4()


def _place(room: Room) -> NDArray[np.float64]:
    """Return the place of a room's camera in the file's units and axes."""
    x, z = np.divmod(np.arange(len(room.sectors)), max(room.z_sectors, 1))
    floor, ceiling = (room.sectors[name].astype(np.int64) for name in ("floor", "ceiling"))
    distances = np.hypot(x + 0.5 - room.x_sectors / 2, z + 0.5 - room.z_sectors / 2)
    distances[(floor == WALL) | (ceiling == WALL)] = np.inf
    if not len(distances) or not np.isfinite(distances).any():
        middle = SECTOR_SIZE * np.array((room.x_sectors, room.z_sectors)) / 2
        return np.array((room.x + middle[0], (room.y_top + room.y_bottom) / 2, room.z + middle[1]))
    best = int(distances.argmin())
    height = CLICK * (floor[best] + ceiling[best]) / 2
    return np.array((room.x + (x[best] + 0.5) * SECTOR_SIZE, height, room.z + (z[best] + 0.5) * SECTOR_SIZE))
