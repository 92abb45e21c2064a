"""Repair of the damage of old levels, in an order in which later steps can rely on earlier ones.

No element is renumbered, and valid data is not changed. Damage that a program cannot decide is only found, by
:mod:`..checks`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from ...base.messages import T
from ...levels.animations.animations import decode_commands
from ...levels.injections.files import is_injection
from ...levels.level.level import Level
from ...levels.sounds.silence import add_silence, is_refused
from ...levels.views.findings import Element
from . import block, faces, flipped, floor, rooms
from .changes import Repair, Repairs, Step
from .kinds import DEFAULT, KINDS

__all__ = ["DEFAULT", "KINDS", "Repair", "repair_level"]


def _sound_map(repairs: Repairs) -> None:
    level = repairs.level
    (is_missing,) = repairs.missing("sound_map", "")
    count = int(is_missing.sum())
    if count:
        repairs.set(level, "sound_map", is_missing, "", -1)
        repairs.add(T("{count} sounds had no details. They are silent now", count=count), count=count)


def _animations(repairs: Repairs) -> None:
    """Cut lists of commands that go on after the end of the commands of all animations."""
    level = repairs.level
    for number in np.flatnonzero(level.animations["commands"]).tolist():
        record = level.animations[number]
        stored = int(record["commands"])
        count = len(decode_commands(level.animation_commands, int(record["first_command"]), stored))
        if count < stored:
            repairs.set(level, "animations", [number], "commands", count)
            text = T(
                "it has {wanted} commands, and they end after {count}. The others were removed",
                wanted=stored,
                count=count,
            )
            repairs.add(text, Element("animation", number), stored - count)


def _silence(repairs: Repairs) -> None:
    # TRX needs no sounds, and finds them in the block after the level.
    if is_refused(repairs.level) and not is_injection(repairs.level.footer[:4].tobytes()):
        add_silence(repairs.level)
        repairs.add(T("the level had no sound, and games do not load such levels. A silent sound was added"))


_STEPS: Mapping[str, Step] = {
    "PORTALS": rooms.portals,
    "SECTORS": rooms.sectors,
    "FLIPPED": flipped.portals,
    "BOXES": rooms.boxes,
    "FLOOR_DATA": floor.lists,
    "TRIGGERS": floor.triggers,
    "ENTITIES": rooms.entities,
    "STATIC_MESHES": rooms.placements,
    "COLLISION": rooms.empty_boxes,
    "LIGHTS": rooms.lights,
    "ROOM_FACES": faces.rooms,
    "MESH_FACES": faces.meshes,
    "TEXTURES": faces.textures,
    "ANIMATIONS": _animations,
    "SOUND_MAP": _sound_map,
    "SILENCE": _silence,
    "EDITS": block.edits,
    "OPAQUE": faces.opaque,
    "CORNERS": faces.corners,
}


def repair_level(
    level: Level, leave_out: Collection[str] = (), wanted: Collection[str] = ()
) -> tuple[Level, list[Repair]]:
    """Return a repaired copy of a level, and the list of repairs.

    Args:
        leave_out: keys of :data:`KINDS`.
        wanted: keys of optional kinds, which are left out otherwise.

    Raises:
        FormatError: if floor data or meshes are too damaged to be read.
    """
    repairs = Repairs(level.copy())
    if not level.has("models"):
        return level, []
    for kind, step in _STEPS.items():
        if kind not in leave_out and (kind in DEFAULT or kind in wanted):
            repairs.kind = kind
            with np.errstate(over="ignore"):
                step(repairs)
    return repairs.level, repairs.found
