"""Kinds of repairs, for users. Nothing here reads a level, so the interface can list them at its start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...base.messages import N_


class Kind(NamedTuple):
    """A kind of repair."""

    label: str  #: its name.
    description: str  #: what is done.
    #: whether it is done only if somebody asks for it, since the engine does not need it.
    is_optional: bool = False


KINDS: Mapping[str, Kind] = {
    "PORTALS": Kind(
        N_("Portals"),
        N_("Remove portals to rooms that do not exist, to their own room, or back to the same place"),
    ),
    "SECTORS": Kind(N_("Openings"), N_("Close sectors that open to rooms that do not exist")),
    "FLIPPED": Kind(
        N_("Portals of Flipped Rooms"), N_("Copy missing portals of a flipped room from its base room")
    ),
    "BOXES": Kind(N_("Boxes"), N_("Replace boxes and neighbors of boxes that do not exist")),
    "FLOOR_DATA": Kind(
        N_("Floor Data"), N_("End floor data that does not end, and remove what is after the end")
    ),
    "TRIGGERS": Kind(
        N_("Triggers"), N_("Remove second triggers of a sector, and actions on objects that do not exist")
    ),
    "ENTITIES": Kind(
        N_("Entities"), N_("Put entities of rooms that do not exist into the room at their place")
    ),
    "STATIC_MESHES": Kind(N_("Static Meshes"), N_("Remove static meshes whose definition is missing")),
    "COLLISION": Kind(
        N_("Collision Boxes"), N_("Switch the collision of static meshes off whose box has exchanged corners")
    ),
    "LIGHTS": Kind(N_("Lights"), N_("Replace types of lights that do not exist")),
    "ROOM_FACES": Kind(
        N_("Faces of Rooms"), N_("Replace textures that do not exist, and hide faces without their vertices")
    ),
    "MESH_FACES": Kind(
        N_("Faces of Meshes"), N_("Replace textures that do not exist, and hide faces without their vertices")
    ),
    "TEXTURES": Kind(N_("Textures"), N_("Put textures of pages that do not exist on the first page")),
    "ANIMATIONS": Kind(
        N_("Animation Commands"), N_("Remove commands of animations after the end of the list")
    ),
    "SOUND_MAP": Kind(N_("Sounds"), N_("Silence sounds without details")),
    "SILENCE": Kind(N_("Levels Without Sound"), N_("Add a silent sound, which the original game needs")),
    "EDITS": Kind(
        N_("Edits of TRX"),
        N_("Remove edits of elements that do not exist, and renumber those of portals and static meshes"),
    ),
    "OPAQUE": Kind(
        N_("Opaque Pixels"), N_("Set the opaque bit of all pixels in opaque textures"), is_optional=True
    ),
    "CORNERS": Kind(
        N_("Corners of Textures"), N_("Round the corners of textures to whole pixels"), is_optional=True
    ),
}
DEFAULT = frozenset(key for key, kind in KINDS.items() if not kind.is_optional)
