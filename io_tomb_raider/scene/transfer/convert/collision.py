"""Collision of a converted level: floors that the game can have, without boxes of the old file."""

from __future__ import annotations

import numpy as np
from bpy.types import Mesh

from ....formats.collision.sectors import STONE
from ....formats.converting.sectors import converted_sectors
from ...subjects.collision.build import BOX, MATERIAL, PART, Part
from ...subjects.collision.edit import CollisionEdit, write_all
from .conversion import Conversion

_WORDS = {
    "climb": "walls of this game cannot be climbed",
    "monkey_swing": "there are no monkey swings in this game",
    "deferred": "this game does not know what its mark means",
    "beetle": "this game does not know what its mark means",
    "stopper": "this game does not know what its mark means",
}


def read_collision(conversion: Conversion) -> list[CollisionEdit]:
    """Read the collision of all rooms.

    Raises:
        ExportError: naming the sector, where it cannot be read.
    """
    return [
        CollisionEdit(thing, conversion.source, conversion.space) for thing in conversion.things("COLLISION")
    ]


def convert_collision(conversion: Conversion, edits: list[CollisionEdit]) -> None:
    """Let sectors be what the game knows, and rebuild the meshes of rooms where any differ."""
    changed: list[CollisionEdit] = []
    lost: dict[str, list[str]] = {}
    bent: list[str] = []
    for edit in edits:
        found = converted_sectors(edit.sectors, conversion.source, conversion.target)
        edit.sectors = found.sectors
        name = edit.thing.name
        for mark, places in found.lost.items():
            lost.setdefault(_WORDS[mark], []).append(f"{name} ({len(places)})")
        if len(found.bent):
            bent.append(f"{name} ({len(found.bent)})")
        if found.lost or len(found.bent):
            changed.append(edit)
        else:
            _mark(edit.mesh, conversion)
    write_all(changed)
    text = "floors and ceilings of this game are one plane, so the nearest one was taken in"
    conversion.lose("Collision", bent, text)
    for words, names in lost.items():
        conversion.lose("Collision", names, f"{words}, lost in")


def _mark(mesh: Mesh, conversion: Conversion) -> None:
    """Give a mesh whose shape stays other materials of footsteps, and no boxes."""
    layers = mesh.attributes
    count = len(mesh.polygons)
    if not count or layers.get(PART) is None:
        return
    part = np.zeros(count, np.int32)
    layers[PART].data.foreach_get("value", part)
    carries = (part == Part.FLOOR) | (part == Part.SOLID)
    if layers.get(BOX) is not None:
        layers[BOX].data.foreach_set("value", np.zeros(count, np.int32))
    source, target = conversion.source.traits, conversion.target.traits
    if source.has_materials != target.has_materials and layers.get(MATERIAL) is not None:
        usual = STONE if target.has_materials else 0
        layers[MATERIAL].data.foreach_set("value", np.where(carries, usual, 0).astype(np.int32))
