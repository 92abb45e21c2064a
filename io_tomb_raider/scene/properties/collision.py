"""Properties of a room's collision mesh."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Context, Object, PropertyGroup

from ...formats import Game
from ..core.membership import level_of
from .base.kinds import CONTEXT
from .base.pointers import is_room

if TYPE_CHECKING:
    from ..subjects.pathfinding.zones import Item

RECOMPUTE = [
    ("AUTOMATIC", "When Collision Changed", "Recompute boxes, overlaps and zones if collision changed", 0),
    ("ALWAYS", "Always", "Recompute boxes, overlaps and zones in every export", 1),
    ("NEVER", "Never", "Keep boxes, overlaps and zones of the imported file", 2),
]


def _zones(group: PropertyGroup, _context: Context | None) -> "list[Item]":
    from ..subjects.pathfinding.zones import ZONE_KINDS

    level = level_of(group.id_data) if isinstance(group.id_data, Object) else None
    return ZONE_KINDS[Game.TR5 if level is None else Game[level.tomb_raider.game]]


def _show(group: PropertyGroup, _context: Context) -> None:
    from ..subjects.pathfinding.boxes import show_zones  # it needs all properties registered

    obj = group.id_data
    if isinstance(obj, Object) and obj.type == "MESH":
        show_zones(obj)


class TombRaiderBoxes(PropertyGroup):
    """The overlay of boxes (documentation, chapter 7.3)."""

    zones: EnumProperty(
        name="Zones of",
        items=_zones,
        update=_show,
        description="Characters that can move between boxes of the same color",
    )
    flipped: BoolProperty(
        name="Flipped",
        translation_context=CONTEXT,
        update=_show,
        description="Show boxes and zones of the flipped level",
    )


COLLISION_MATERIALS = [
    ("NONE", "None", "Not a collision material", 0),
    ("FLOOR", "Floor", "A floor that Lara can stand on", 1),
    ("SLOPE", "Steep Floor", "A floor that is too steep to stand on", 2),
    ("CEILING", "Ceiling", "A ceiling", 3),
    ("WALL", "Wall", "A wall or a step", 4),
    ("DEATH", "Death", "A floor that kills", 5),
    ("OPENING", "Opening", "An opening to another room", 6),
    ("CLIMB", "Climbable Wall", "A wall that can be climbed (TR2 to TR5)", 7),
    ("MONKEY_SWING", "Monkey Swing", "A ceiling to swing along (TR3 to TR5)", 8),
    ("ROUNDED_LITTLE", "Rounded a Little", "Up to 64 units above or below the mesh", 9),
    ("ROUNDED", "Rounded", "Up to 128 units above or below the mesh", 10),
    ("ROUNDED_MUCH", "Rounded Much", "More than 128 units above or below the mesh", 11),
]


class TombRaiderAdjoiningRoom(PropertyGroup):
    """A room adjoining sectors of a collision mesh. Faces refer to it by its place in the list, from 1."""

    room: PointerProperty(
        name="Room", type=bpy.types.Object, poll=is_room, description="Room that sectors open to"
    )


def _forget_corners(piece: Any, _context: Context) -> None:
    """Reset the corners, which are chosen again when the room is drawn."""
    piece.corners = (0.0,) * 8


class TombRaiderPiece(PropertyGroup):
    """A texture region for floors, ceilings, walls or steps: a part of a material's image."""

    material: PointerProperty(
        name="Material",
        type=bpy.types.Material,
        update=_forget_corners,
        description="Material of these faces. Faces with a material set by hand keep it",
    )
    corners: FloatVectorProperty(
        name="Corners",
        size=8,
        description="UVs of the texture: bottom left, bottom right, top right, top left. All 0: most used",
    )
    face: IntProperty(name="Face", description="Index of the face")


class TombRaiderDrawing(PropertyGroup):
    """The settings for drawing a room from its sectors."""

    floor: PointerProperty(name="Floor", type=TombRaiderPiece)
    ceiling: PointerProperty(name="Ceiling", type=TombRaiderPiece)
    wall: PointerProperty(name="Wall", type=TombRaiderPiece)
    step: PointerProperty(name="Step", type=TombRaiderPiece)
    drawn: CollectionProperty(
        name="Drawn",
        type=TombRaiderPiece,
        description="Settings of the last drawing, for floors, ceilings, walls and steps",
    )
    looks: CollectionProperty(
        name="Looks",
        type=TombRaiderPiece,
        description="Textures set by hand on removed faces, used when they are drawn again",
    )
    digest: StringProperty(
        name="Digest",
        description="Digest of the collision when the mesh was drawn from it; empty if it was not",
    )


class TombRaiderCollision(PropertyGroup):
    """The sectors of a room (documentation, chapters 3.2.3 and 4.4)."""

    x_sectors: IntProperty(name="Sectors along X", min=0, description="Number of sectors along X")
    z_sectors: IntProperty(name="Sectors along Y", min=0, description="Number of sectors along Y")
    storey: IntProperty(
        name="Storey",
        min=0,
        max=15,
        description="Storey of the mesh to read where several are above one another: 0 is the lowest",
    )
    read: StringProperty(name="Read", description="Digest of the mesh when the sectors were read from it")
    rooms: CollectionProperty(
        name="Adjoining Rooms", type=TombRaiderAdjoiningRoom, description="Rooms that sectors open to"
    )
    target: PointerProperty(
        name="Room", type=bpy.types.Object, poll=is_room, description="Room to open the selected sectors to"
    )
    drawing: PointerProperty(name="Drawing", type=TombRaiderDrawing)


GROUPS = (TombRaiderAdjoiningRoom, TombRaiderPiece, TombRaiderDrawing, TombRaiderCollision, TombRaiderBoxes)
