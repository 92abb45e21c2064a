"""Display settings of pathfinding boxes."""

from typing import TYPE_CHECKING

from bpy.props import BoolProperty, EnumProperty
from bpy.types import Context, Object, PropertyGroup

from ...formats import Game
from ..core.membership import level_of
from .kinds import CONTEXT

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


GROUPS = (TombRaiderBoxes,)
