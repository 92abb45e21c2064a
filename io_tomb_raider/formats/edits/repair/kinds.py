"""Kinds of repairs, for users. Nothing here reads a level, so the interface can list them at its start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...base.messages import N_


class RepairKind(NamedTuple):
    """A kind of repair."""

    label: str  #: its name.
    description: str  #: what is done.
    #: whether it is done only if somebody asks for it, since the engine does not need it.
    is_optional: bool = False


KINDS: Mapping[str, RepairKind] = {
    "PORTALS": RepairKind(
        N_("Portals"),
        N_("Remove portals to rooms that do not exist, to their own room, or back to the same place"),
    ),
    "SECTORS": RepairKind(N_("Openings"), N_("Close sectors that open to rooms that do not exist")),
    "FLIPPED": RepairKind(
        N_("Portals of Flipped Rooms"), N_("Copy missing portals of a flipped room from its base room")
    ),
    "BOXES": RepairKind(N_("Boxes"), N_("Replace boxes and neighbors of boxes that do not exist")),
    "FLOOR_DATA": RepairKind(
        N_("Floor Data"), N_("End floor data that does not end, and remove what is after the end")
    ),
    "TRIGGERS": RepairKind(
        N_("Triggers"), N_("Remove second triggers of a sector, and actions on objects that do not exist")
    ),
    "ENTITIES": RepairKind(
        N_("Entities"), N_("Put entities of rooms that do not exist into the room at their place")
    ),
    "STATIC_MESHES": RepairKind(N_("Static Meshes"), N_("Remove static meshes whose definition is missing")),
    "COLLISION": RepairKind(
        N_("Collision Boxes"), N_("Switch the collision of static meshes off whose box has exchanged corners")
    ),
    "LIGHTS": RepairKind(N_("Lights"), N_("Replace types of lights that do not exist")),
    "ROOM_FACES": RepairKind(
        N_("Faces of Rooms"), N_("Replace textures that do not exist, and hide faces without their vertices")
    ),
    "MESH_FACES": RepairKind(
        N_("Faces of Meshes"), N_("Replace textures that do not exist, and hide faces without their vertices")
    ),
    "TEXTURES": RepairKind(N_("Textures"), N_("Put textures of pages that do not exist on the first page")),
    "ANIMATIONS": RepairKind(
        N_("Animation Commands"), N_("Remove commands of animations after the end of the list")
    ),
    "SOUND_MAP": RepairKind(N_("Sounds"), N_("Silence sounds without details")),
    "SILENCE": RepairKind(
        N_("Levels Without Sound"), N_("Add a silent sound, which the original game needs")
    ),
    "EDITS": RepairKind(
        N_("Edits of TRX"),
        N_("Remove edits of elements that do not exist, and renumber those of portals and static meshes"),
    ),
    "OPAQUE": RepairKind(
        N_("Opaque Pixels"), N_("Set the opaque bit of all pixels in opaque textures"), is_optional=True
    ),
    "CORNERS": RepairKind(
        N_("Corners of Textures"), N_("Round the corners of textures to whole pixels"), is_optional=True
    ),
}
DEFAULT = frozenset(key for key, kind in KINDS.items() if not kind.is_optional)
