"""Transfer of the collision of rooms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from bpy.types import Mesh

from ....formats.base import T
from ....formats.edits.convert import converted_sectors
from ....formats.levels.collision import STONE
from ...core.collision_faces import PART, FacePart
from ...core.subjects import Kind
from ...core.transfer import Transfer
from .build import BOX, MATERIAL
from .edit import CollisionEdit, read_edits, write_all

_LOST = {
    "climb": T("walls of this game cannot be climbed"),
    "monkey_swing": T("there are no monkey swings in this game"),
    "deferred": T("this game does not have its mark"),
    "beetle": T("this game does not have its mark"),
    "stopper": T("this game does not have its mark"),
}


def read_collision(transfer: Transfer) -> list[CollisionEdit]:
    """Read the collision of all rooms. Call it before any object is remapped.

    Raises:
        ExportError: the collision of a sector is invalid.
    """
    objects = transfer.objects(Kind.COLLISION) if transfer.is_foreign else []
    return read_edits(objects, transfer.source, transfer.space)


def remap_collision(transfer: Transfer, edits: Sequence[CollisionEdit]) -> None:
    """Remap sectors, rebuild the meshes that change, and clear references to rooms outside the level."""
    for obj in transfer.objects(Kind.COLLISION):
        for entry in obj.tomb_raider.collision.rooms:
            if entry.room is not None and not transfer.has(entry.room):
                entry.room = None
    changed: list[CollisionEdit] = []
    lost: dict[str, list[str]] = {}
    bent: list[str] = []
    for edit in edits:
        converted = converted_sectors(edit.sectors, transfer.source, transfer.target)
        name = edit.obj.name
        for mark, sectors in converted.lost.items():
            lost.setdefault(_LOST[mark], []).append(T("{name} ({count})", name=name, count=len(sectors)))
        if len(converted.bent):
            bent.append(T("{name} ({count})", name=name, count=len(converted.bent)))
        if converted.lost or len(converted.bent):
            changed.append(edit)
        else:
            _remap_attributes(edit.mesh, transfer)
    write_all(changed)
    text = T("floors and ceilings of this game are planes, so the closest plane is used in these rooms")
    transfer.lose(T("Collision"), bent, text)
    for words, names in lost.items():
        transfer.lose(T("Collision"), names, T("{words}; removed from", words=words))


def _remap_attributes(mesh: Mesh, transfer: Transfer) -> None:
    """Remap footstep materials and reset the boxes of an unchanged mesh."""
    layers = mesh.attributes
    count = len(mesh.polygons)
    if not count or layers.get(PART) is None:
        return
    part = np.zeros(count, np.int32)
    layers[PART].data.foreach_get("value", part)
    carries = (part == FacePart.FLOOR) | (part == FacePart.SOLID)
    if layers.get(BOX) is not None:
        layers[BOX].data.foreach_set("value", np.zeros(count, np.int32))
    source, target = transfer.source.traits, transfer.target.traits
    if source.has_materials != target.has_materials and layers.get(MATERIAL) is not None:
        usual = STONE if target.has_materials else 0
        layers[MATERIAL].data.foreach_set("value", np.where(carries, usual, 0).astype(np.int32))
