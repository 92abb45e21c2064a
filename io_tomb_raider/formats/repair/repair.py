"""Repair of the damage of old levels, in an order in which later steps can rely on earlier ones.

No element is renumbered, and valid data is not changed. Damage that a program cannot decide is only found, by
:mod:`..checks`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from ..base.messages import T
from ..injections.files import is_injection
from ..level.level import Level
from ..sounds.silence import add_silence, is_refused
from . import faces, floor, rooms
from .changes import Repair, Repairs, Step

__all__ = ["KINDS", "Repair", "repair_level"]


def _sound_map(repairs: Repairs) -> None:
    level = repairs.level
    lost = (level.sound_map >= len(level.sound_details)) | (level.sound_map < -1)
    if lost.any():
        repairs.set(level, "sound_map", lost, "", -1)
        text = T("{count} sounds had no details. They are silent now", count=int(lost.sum()))
        repairs.add(text, count=int(lost.sum()))


def _silence(repairs: Repairs) -> None:
    # TRX needs no sounds, and finds them in the block after the level.
    if is_refused(repairs.level) and not is_injection(repairs.level.footer[:4].tobytes()):
        add_silence(repairs.level)
        repairs.add(T("the level had no sound, and games do not load such levels. A silent sound was added"))


class Kind(NamedTuple):
    """A kind of repair.

    Attributes:
        label: what users see.
        step: the function that makes the repairs.
    """

    label: str
    step: Step


KINDS: Mapping[str, Kind] = {
    "PORTALS": Kind("Portals to Missing Rooms", rooms.portals),
    "SECTORS": Kind("Sectors Open to Missing Rooms", rooms.sectors),
    "BOXES": Kind("Missing Boxes", rooms.boxes),
    "FLOOR_DATA": Kind("Floor Data Without an End", floor.lists),
    "TRIGGERS": Kind("Triggers of Missing Objects", floor.triggers),
    "ENTITIES": Kind("Entities in Missing Rooms", rooms.entities),
    "STATIC_MESHES": Kind("Missing Static Meshes", rooms.placements),
    "COLLISION": Kind("Collision Boxes With Exchanged Corners", rooms.empty_boxes),
    "LIGHTS": Kind("Unknown Lights", rooms.lights),
    "ROOM_FACES": Kind("Faces of Rooms", faces.rooms),
    "MESH_FACES": Kind("Faces of Meshes", faces.meshes),
    "TEXTURES": Kind("Textures on Missing Pages", faces.textures),
    "SOUND_MAP": Kind("Sounds Without Details", _sound_map),
    "SILENCE": Kind("Levels Without Sound", _silence),
}


def repair_level(level: Level, leave_out: Collection[str] = ()) -> tuple[Level, list[Repair]]:
    """Return a repaired copy of a level, and the list of repairs.

    Args:
        level: the level, which stays as it is.
        leave_out: keys of :data:`KINDS`.

    Raises:
        FormatError: if floor data or meshes are too damaged to be read.
    """
    repairs = Repairs(level.copy())
    if not level.has("models"):
        return level, []
    for kind, (_, step) in KINDS.items():
        if kind not in leave_out:
            repairs.kind = kind
            with np.errstate(over="ignore"):
                step(repairs)
    return repairs.level, repairs.found
