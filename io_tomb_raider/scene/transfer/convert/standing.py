"""Rooms that have come without their level, with what stands in them, as another game has such."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
from bpy.types import Object

from ....formats import Game
from ...core.report import Report
from .collision import convert_collision, read_collision
from .conversion import Conversion
from .materials import convert_materials
from .meshes import convert_meshes
from .rooms import convert_lights, convert_placements, convert_room_sprites, convert_rooms


class _Standing(Conversion):
    """A conversion of things that Blender has just evaluated: it still counts them, so none are removed."""

    def remove(self, things: Iterable[Object]) -> None:
        """Let objects lie nowhere."""
        for thing in things:
            for home in thing.users_collection:
                home.objects.unlink(thing)


def convert_standing(
    things: Iterable[Object], source: Game, target: Game, scale: float, report: Report
) -> None:
    """Let rooms and what stands in them be what a game can have, as in a level that is converted.

    Args:
        things: the rooms, their collision, lights, placements and sprites with their pictures. What the
            game has no word for lies in no collection afterwards.
        source: the game that they are of.
        target: the game that they are for from now on.
        scale: Blender's units for one of the files.
        report: takes what is lost, or was replaced by the nearest.

    Raises:
        ExportError: where their collision cannot be read.
    """
    # A conversion is of all that lies in a collection.
    root = bpy.data.collections.new("Converted")
    try:
        root.tomb_raider.scale = scale
        for thing in things:
            root.objects.link(thing)
        conversion = _Standing(root, source, target, report)
        collision = read_collision(conversion)
        convert_materials(conversion)
        convert_meshes(conversion)
        convert_rooms(conversion)
        convert_lights(conversion)
        convert_placements(conversion)
        convert_room_sprites(conversion)
        convert_collision(conversion, collision)
    finally:
        bpy.data.collections.remove(root)
